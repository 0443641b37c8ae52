//! Mails of a folder.
//!
//! What: [`read_folder`]: what is new since it was read, with its text or by its head alone; which marks changed; what went. Why: nothing is
//! marked, nothing is fetched twice, and a server that says more than it was asked is not listened to. Not here: which folders (`folders`).

use super::{
    super::{
        mail_folders::FolderUse,
        mail_text::{
            HEAD_MAX, OLD_HEAD_MAX, PART_MAX, TextPart, TextParts, old_head, put_together, whole_head,
        },
        mail_wire::{KnownFolder, MailBytes, MailMarks, MailPart},
        mail_worker::{TEXT_DAYS, TakeParts},
        uid_set::UidSet,
        wire::LookFailure,
    },
    answer::ImapValue,
    folders::{FolderStand, ListedFolder},
    session::{CommandPiece, ImapSession},
    structure::text_of_structure,
};
use std::collections::{BTreeMap, BTreeSet};
use toolcall_schema::Timestamp;

/// Mails that are asked for at once.
const TEXTS_AT_ONCE: usize = 24;
const HEADS_AT_ONCE: usize = 400;
/// Bytes that one question brings.
const FETCH_BYTES_MAX: usize = 16 << 20;
/// Mails of a folder whose marks are looked at, the newest.
const TEXTS_MAX: usize = 2000;
const MARKS_AT_ONCE: usize = 500;
const DAY_MS: i64 = 24 * 3_600_000;

/// By these the agent knows an old mail: whose it is, to whom, when, and whether it travelled.
const OLD_LINES: &str = "DATE FROM TO CC MESSAGE-ID RECEIVED";

/// By these it is known whose a mail is that was read before.
const SENDER_LINES: &str = "FROM MESSAGE-ID";

/// Chooses a folder, to read alone, and says how it stands; `None`: it cannot be chosen.
///
/// # Errors
/// [`LookFailure`]
pub(super) async fn choose(
    session: &mut ImapSession,
    name: &str,
) -> Result<Option<FolderStand>, LookFailure> {
    let mut stands = FolderStand::default();
    let mut pieces = vec![CommandPiece::Words("EXAMINE "), CommandPiece::Name(name)];
    let tells_changes = session.can("QRESYNC");
    if tells_changes {
        pieces.push(CommandPiece::Words(" (CONDSTORE)"));
    }
    session.exists = 0;
    let mut note = |data: Vec<ImapValue>| {
        if let [first, code] = data.as_slice()
            && first.is("CODE")
            && let Some((word, number)) = code.as_text().and_then(|code| code.split_once(' '))
        {
            let number: u64 = number.trim().parse().unwrap_or(0);
            let short = u32::try_from(number).unwrap_or(0);
            match word.to_ascii_uppercase().as_str() {
                "UIDVALIDITY" => stands.uid_validity = short,
                "UIDNEXT" => stands.uid_next = short,
                // With CONDSTORE alone it may stay as it is when a mail goes (RFC 7162, 3.2.7).
                "HIGHESTMODSEQ" if tells_changes => stands.mod_seq = number,
                _ => {}
            }
        }
        Ok(())
    };
    let end = session.ask_for(&pieces, &mut note).await?;
    session.has_news = false;
    if !end.is_ok() {
        return Ok(None);
    }
    if stands.uid_validity == 0 {
        // Without it no number of a mail means anything.
        return Err(LookFailure::Broken);
    }
    Ok(Some(stands))
}

/// What a look at one folder goes by.
pub(super) struct FolderLook<'a> {
    pub(super) folder: &'a ListedFolder,
    pub(super) stands: FolderStand,
    pub(super) days: u32,
    pub(super) at: Timestamp,
}

/// Hands over what changed in the chosen folder, and notes it in what is known.
///
/// # Errors
/// [`LookFailure`]; what was handed over before counts.
pub(super) async fn read_folder(
    session: &mut ImapSession,
    look: &FolderLook<'_>,
    known: &mut KnownFolder,
    parts: &mut impl TakeParts,
) -> Result<(), LookFailure> {
    let FolderLook { folder, stands, .. } = look;
    let is_whole = known.uid_validity != stands.uid_validity;
    if is_whole {
        *known = KnownFolder {
            name: folder.name.clone(),
            uid_validity: stands.uid_validity,
            ..KnownFolder::default()
        };
    }
    parts
        .take(MailPart::Folder {
            name: folder.name.clone(),
            is_sent: folder.usage == FolderUse::Sent,
            uid_validity: stands.uid_validity,
            is_whole,
        })
        .await?;
    // Before what is new: it has its marks with it.
    if stands.mod_seq == 0 || stands.mod_seq != known.mod_seq {
        for some in known.texts.chunks(MARKS_AT_ONCE) {
            read_marks(session, &some, known, parts).await?;
        }
    }
    let since = known.upto.saturating_add(1);
    let is_new = |known: &KnownFolder, uid: u32| uid >= since && !known.held.contains(uid);
    let mut new = search(session, since, look.at, look.days).await?;
    new.retain(|uid| is_new(known, uid));
    let mut upto = stands.uid_next.saturating_sub(1).max(known.upto);
    upto = new.iter().next_back().unwrap_or(0).max(upto);
    if !new.is_empty() {
        let mut texts = search(session, since, look.at, TEXT_DAYS.min(look.days)).await?;
        texts.retain(|uid| new.contains(uid));
        new.retain(|uid| !texts.contains(uid));
        for some in texts.chunks(TEXTS_AT_ONCE) {
            read_texts(session, &some, known, parts).await?;
        }
        // The newest first: where not all have room, the oldest have none.
        for some in new.chunks(HEADS_AT_ONCE).into_iter().rev() {
            read_heads(session, &some, known, parts).await?;
        }
    }
    known.texts.keep_newest(TEXTS_MAX);
    (known.upto, known.mod_seq) = (upto, stands.mod_seq);
    known.held.clear();
    parts
        .take(MailPart::ReadUpTo {
            uid: upto,
            mod_seq: stands.mod_seq,
        })
        .await
}

/// Mails from a number on that came within so many days.
async fn search(
    session: &mut ImapSession,
    since: u32,
    at: Timestamp,
    days: u32,
) -> Result<UidSet, LookFailure> {
    let day = at.plus_ms(-i64::from(days) * DAY_MS).utc().format("%-d-%b-%Y");
    let from = if since > 1 {
        format!("UID {since}:* ")
    } else {
        String::new()
    };
    search_by(session, &format!("{from}SINCE {day}")).await
}

/// The mails of the chosen folder that meet these criteria (RFC 9051, 6.4.4).
///
/// # Errors
/// [`LookFailure`]
pub(super) async fn search_by(session: &mut ImapSession, criteria: &str) -> Result<UidSet, LookFailure> {
    let how = if session.can("ESEARCH") {
        "RETURN (ALL) "
    } else {
        ""
    };
    let command = format!("UID SEARCH {how}{criteria}");
    let mut found = UidSet::default();
    session
        .ask_for(&[CommandPiece::Words(&command)], &mut |data| {
            let Some((first, rest)) = data.split_first() else {
                return Ok(());
            };
            let text = if first.is("SEARCH") {
                // A list of numbers; what is none (a MODSEQ in brackets) is left out.
                let numbers: Vec<&str> = rest.iter().filter_map(ImapValue::as_text).collect();
                numbers.join(",")
            } else if first.is("ESEARCH") {
                let at = rest.iter().position(|value| value.is("ALL"));
                let all = at.and_then(|at| rest.get(at + 1)).and_then(ImapValue::as_text);
                all.unwrap_or_default().to_owned()
            } else {
                return Ok(());
            };
            found = UidSet::parse(&text)?;
            Ok(())
        })
        .await?
        .good()?;
    Ok(found)
}

/// What a server says of one mail.
pub(super) struct FetchedMail {
    pub(super) uid: u32,
    items: Vec<(String, ImapValue)>,
}

impl FetchedMail {
    /// Of data that is of a mail which was asked for.
    pub(super) fn of_data(data: Vec<ImapValue>, asked: &UidSet) -> Option<Self> {
        let [_, kind, ImapValue::List(_)] = data.as_slice() else {
            return None;
        };
        if !kind.is("FETCH") {
            return None;
        }
        let Some(ImapValue::List(values)) = data.into_iter().nth(2) else {
            return None;
        };
        let mut items = Vec::new();
        let mut values = values.into_iter();
        while let (Some(name), Some(value)) = (values.next(), values.next()) {
            let name = name.as_text()?.to_ascii_uppercase();
            // The place from which it was fetched on stands behind the name.
            let name = name.split('<').next().unwrap_or_default().to_owned();
            items.push((name, value));
        }
        let uid = items.iter().find(|(name, _)| name == "UID")?.1.as_number()?;
        asked.contains(uid).then_some(Self { uid, items })
    }

    fn get(&self, name: &str) -> Option<&ImapValue> {
        self.items
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value)
    }

    fn len(&self) -> usize {
        let bytes = self.items.iter().filter_map(|(_, value)| value.as_bytes());
        bytes.map(<[u8]>::len).sum()
    }

    fn bytes(&self, name: &str) -> Option<&[u8]> {
        self.get(name)?.as_bytes()
    }

    /// The lines of its head, where nothing else of it was asked for: some servers say their names in an order of their own, or between quotation
    /// marks.
    pub(super) fn lines(&self) -> Option<&[u8]> {
        let mut bodies = self.items.iter().filter(|(name, _)| name.starts_with("BODY["));
        bodies.next()?.1.as_bytes()
    }

    fn marks(&self) -> Option<MailMarks> {
        let flags = self.get("FLAGS")?.as_list()?;
        let has = |wanted: &str| flags.iter().any(|flag| flag.is(wanted));
        Some(MailMarks {
            answered: has("\\Answered"),
            seen: has("\\Seen"),
            deleted: has("\\Deleted"),
            draft: has("\\Draft"),
        })
    }
}

/// Fetches, and gives each mail that was asked for once.
///
/// # Errors
/// [`LookFailure`]
pub(super) async fn fetch(
    session: &mut ImapSession,
    uids: &UidSet,
    what: &str,
) -> Result<Vec<FetchedMail>, LookFailure> {
    let command = format!("UID FETCH {} ({what})", String::from(uids.clone()));
    let (mut found, mut seen, mut bytes) = (Vec::new(), BTreeSet::new(), 0);
    session
        .ask_for(&[CommandPiece::Words(&command)], &mut |data| {
            if let Some(mail) = FetchedMail::of_data(data, uids)
                && seen.insert(mail.uid)
            {
                bytes += mail.len();
                found.push(mail);
            }
            if bytes > FETCH_BYTES_MAX {
                return Err(LookFailure::AnswerTooLarge);
            }
            Ok(())
        })
        .await?
        .good()?;
    Ok(found)
}

async fn read_texts(
    session: &mut ImapSession,
    uids: &UidSet,
    known: &mut KnownFolder,
    parts: &mut impl TakeParts,
) -> Result<(), LookFailure> {
    let what = format!("UID FLAGS BODYSTRUCTURE BODY.PEEK[HEADER]<0.{HEAD_MAX}>");
    let mut heads: BTreeMap<Vec<String>, Vec<(FetchedMail, TextParts)>> = BTreeMap::new();
    for mail in fetch(session, uids, &what).await? {
        let text = mail
            .get("BODYSTRUCTURE")
            .map(text_of_structure)
            .unwrap_or_default();
        let sections = text.sections().into_iter().map(str::to_owned).collect();
        heads.entry(sections).or_default().push((mail, text));
    }
    for (sections, mails) in heads {
        let mut bodies: BTreeMap<u32, FetchedMail> = BTreeMap::new();
        if !sections.is_empty() {
            let wanted: UidSet = mails.iter().map(|(mail, _)| mail.uid).collect();
            let what = sections.iter().fold("UID".to_owned(), |what, section| {
                format!("{what} BODY.PEEK[{section}]<0.{PART_MAX}>")
            });
            let found = fetch(session, &wanted, &what).await?;
            bodies.extend(found.into_iter().map(|mail| (mail.uid, mail)));
        }
        for (head, text) in mails {
            let bytes_of = |part: Option<&TextPart>| {
                let body = bodies.get(&head.uid)?;
                body.bytes(&format!("BODY[{}]", part?.section))
            };
            let mail = put_together(
                head.bytes("BODY[HEADER]").unwrap_or_default(),
                &text,
                bytes_of(text.plain.as_ref()),
                bytes_of(text.html.as_ref()),
            );
            let uid = head.uid;
            parts
                .take(MailPart::Mail {
                    uid,
                    marks: head.marks().unwrap_or_default(),
                    bytes: MailBytes(mail),
                })
                .await?;
            known.held.insert(uid);
            known.texts.insert(uid);
        }
    }
    Ok(())
}

async fn read_heads(
    session: &mut ImapSession,
    uids: &UidSet,
    known: &mut KnownFolder,
    parts: &mut impl TakeParts,
) -> Result<(), LookFailure> {
    let what = format!("UID BODY.PEEK[HEADER.FIELDS ({OLD_LINES})]<0.{OLD_HEAD_MAX}>");
    for mail in fetch(session, uids, &what).await? {
        let bytes = MailBytes(old_head(mail.lines().unwrap_or_default()));
        let uid = mail.uid;
        parts.take(MailPart::OldHead { uid, bytes }).await?;
        known.held.insert(uid);
    }
    Ok(())
}

/// Hands over who wrote mails of the chosen folder, which has this number; of one without a Message-ID the whole head, by which it is known.
///
/// # Errors
/// [`LookFailure`]
pub(super) async fn read_again(
    session: &mut ImapSession,
    folder: u64,
    uids: &UidSet,
    parts: &mut impl TakeParts,
) -> Result<(), LookFailure> {
    let what = format!("UID BODY.PEEK[HEADER.FIELDS ({SENDER_LINES})]<0.{OLD_HEAD_MAX}>");
    let mut nameless = UidSet::default();
    for some in uids.chunks(HEADS_AT_ONCE) {
        for mail in fetch(session, &some, &what).await? {
            let bytes = MailBytes(old_head(mail.lines().unwrap_or_default()));
            let uid = mail.uid;
            if has_message_id(&bytes.0) {
                parts.take(MailPart::HeadAgain { folder, uid, bytes }).await?;
            } else {
                nameless.insert(uid);
            }
        }
    }
    let what = format!("UID BODYSTRUCTURE BODY.PEEK[HEADER]<0.{HEAD_MAX}>");
    for some in nameless.chunks(TEXTS_AT_ONCE) {
        for mail in fetch(session, &some, &what).await? {
            let text = mail
                .get("BODYSTRUCTURE")
                .map(text_of_structure)
                .unwrap_or_default();
            let head = mail.bytes("BODY[HEADER]").unwrap_or_default();
            let (uid, bytes) = (mail.uid, MailBytes(whole_head(head, &text)));
            parts.take(MailPart::HeadAgain { folder, uid, bytes }).await?;
        }
    }
    Ok(())
}

/// Whether a mail can be known by its Message-ID, or else by its whole head alone.
fn has_message_id(head: &[u8]) -> bool {
    let mut lines = head.split(|byte| *byte == b'\n');
    lines.any(|line| {
        line.get(..11)
            .is_some_and(|begin| begin.eq_ignore_ascii_case(b"message-id:"))
    })
}

/// Hands over other marks, and what went, of mails whose text is there.
async fn read_marks(
    session: &mut ImapSession,
    asked: &UidSet,
    known: &mut KnownFolder,
    parts: &mut impl TakeParts,
) -> Result<(), LookFailure> {
    let by_changes = session.can("QRESYNC") && known.mod_seq > 0;
    let modifier = if by_changes {
        format!(" (CHANGEDSINCE {} VANISHED)", known.mod_seq)
    } else {
        String::new()
    };
    let command = format!("UID FETCH {} (UID FLAGS){modifier}", String::from(asked.clone()));
    let (mut marks, mut gone) = (BTreeMap::new(), UidSet::default());
    session
        .ask_for(&[CommandPiece::Words(&command)], &mut |data| {
            if let [first, rest @ ..] = data.as_slice()
                && first.is("VANISHED")
            {
                let uids = rest.last().and_then(ImapValue::as_text).unwrap_or_default();
                for uid in UidSet::parse(uids)?.iter() {
                    gone.insert(uid);
                }
            } else if let Some(mail) = FetchedMail::of_data(data, asked)
                && let Some(found) = mail.marks()
            {
                marks.insert(mail.uid, found);
            }
            Ok(())
        })
        .await?
        .good()?;
    if !by_changes {
        gone = asked.iter().filter(|uid| !marks.contains_key(uid)).collect();
    }
    for uid in gone.iter().filter(|uid| asked.contains(*uid)) {
        known.texts.remove(uid);
        parts.take(MailPart::Gone { uid }).await?;
    }
    for (uid, marks) in marks {
        parts.take(MailPart::Marks { uid, marks }).await?;
    }
    Ok(())
}
