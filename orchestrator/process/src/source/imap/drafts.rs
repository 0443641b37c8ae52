//! Drafts on a server of mail.
//!
//! What: [`put_draft`], which looks for the message's id before it appends it, [`replace_draft`] and [`remove_draft`]. Why: what is tried again after any kill lies
//! there once; nothing but the one message is touched. A message never changes on a server of mail: whoever edits a draft puts another one there, so its UID says
//! whether it is still ours. Not here: what a draft says, and when it may be put (the runtime).

use super::{
    super::{
        mail_answer::{answer_lines, is_plain_id, kept_lines},
        mail_wire::OrderOutcome,
        uid_set::UidSet,
        wire::LookFailure,
    },
    fetch::{FetchedMail, choose, fetch, search_by},
    session::{CommandPiece, ImapSession},
};

/// Puts a message into a folder, unless one of that id lies there.
///
/// # Errors
/// [`LookFailure`]: it is not known whether it lies there.
pub(super) async fn put_draft(
    session: &mut ImapSession,
    folder: &str,
    message_id: &str,
    message: &[u8],
) -> Result<OrderOutcome, LookFailure> {
    let Some(there) = find_to_change(session, folder, message_id).await? else {
        return Ok(OrderOutcome::Refused);
    };
    if !there.is_empty() {
        return Ok(OrderOutcome::WasThere {
            version: newest(&there),
        });
    }
    Ok(match append(session, folder, message).await? {
        Some(refused) => refused,
        None => OrderOutcome::Put {
            version: find(session, message_id).await?.as_ref().and_then(newest),
        },
    })
}

/// Puts another text in the place of a message, unless another program did.
///
/// # Errors
/// [`LookFailure`]: it is not known whether it lies there.
pub(super) async fn replace_draft(
    session: &mut ImapSession,
    folder: &str,
    message_id: &str,
    version: &str,
    message: &[u8],
) -> Result<OrderOutcome, LookFailure> {
    let Some(there) = find_to_change(session, folder, message_id).await? else {
        return Ok(OrderOutcome::Refused);
    };
    let ours = match the_one(&there, version) {
        Ok(ours) => ours,
        Err(outcome) => return Ok(outcome),
    };
    // Another one beside ours is what an earlier try put there.
    if there.len() == 1 {
        let what = "UID BODY.PEEK[HEADER.FIELDS (TO CC SUBJECT IN-REPLY-TO REFERENCES)]";
        let found = unless_refused(fetch(session, &ours, what).await)?.and_then(|mut mails| mails.pop());
        let lines = found.as_ref().and_then(FetchedMail::lines).unwrap_or_default();
        let head = kept_lines(str::from_utf8(lines).unwrap_or_default());
        let message = [head.as_bytes(), message].concat();
        if let Some(refused) = append(session, folder, &message).await? {
            return Ok(refused);
        }
    }
    let version = find(session, message_id).await?.as_ref().and_then(newest);
    remove(session, ours).await?;
    Ok(OrderOutcome::Put { version })
}

/// Appends a draft to a folder; gives why it was refused.
async fn append(
    session: &mut ImapSession,
    folder: &str,
    message: &[u8],
) -> Result<Option<OrderOutcome>, LookFailure> {
    let pieces = [
        CommandPiece::Words("APPEND "),
        CommandPiece::Name(folder),
        CommandPiece::Words(" (\\Draft \\Seen) "),
        CommandPiece::Bytes(message),
    ];
    let end = session.ask_for(&pieces, &mut |_| Ok(())).await?;
    Ok(if end.is_ok() {
        None
    } else if end.code.eq_ignore_ascii_case("OVERQUOTA") {
        Some(OrderOutcome::Full)
    } else {
        Some(OrderOutcome::Refused)
    })
}

/// The lines of a head that make a message the answer to the mail of this id; to whom it goes and what it is about where that lies in the inbox.
///
/// # Errors
/// [`LookFailure`]
pub(super) async fn answer_head(session: &mut ImapSession, answers: &str) -> Result<String, LookFailure> {
    if !is_plain_id(answers) {
        return Ok(String::new());
    }
    let mut found = None;
    if choose(session, "INBOX").await?.is_some()
        && let Some(there) = find(session, answers).await?.filter(|there| !there.is_empty())
    {
        let what = "UID BODY.PEEK[HEADER.FIELDS (FROM REPLY-TO SUBJECT REFERENCES)]";
        found = unless_refused(fetch(session, &there, what).await)?.and_then(|mut mails| mails.pop());
    }
    let lines = found.as_ref().and_then(FetchedMail::lines).unwrap_or_default();
    // A head that is no UTF-8 says nothing that could be said again.
    Ok(answer_lines(str::from_utf8(lines).unwrap_or_default(), answers))
}

/// Takes the message of that id out of a folder; of a version that one alone.
///
/// # Errors
/// [`LookFailure`]: it is not known whether it lies there.
pub(super) async fn remove_draft(
    session: &mut ImapSession,
    folder: &str,
    message_id: &str,
    version: Option<&str>,
) -> Result<OrderOutcome, LookFailure> {
    let Some(there) = find_to_change(session, folder, message_id).await? else {
        return Ok(OrderOutcome::Refused);
    };
    match version.map_or(Ok(there.clone()), |version| the_one(&there, version)) {
        Ok(ours) if ours.is_empty() => Ok(OrderOutcome::WasGone),
        Ok(ours) => remove(session, ours).await,
        Err(outcome) => Ok(outcome),
    }
}

/// The one of these messages that has this UID; else whether there is none at all or another.
fn the_one(there: &UidSet, version: &str) -> Result<UidSet, OrderOutcome> {
    if there.is_empty() {
        return Err(OrderOutcome::WasGone);
    }
    let uid = version.parse().ok().filter(|uid| there.contains(*uid));
    Ok([uid.ok_or(OrderOutcome::Changed)?].into_iter().collect())
}

/// What was put there last.
fn newest(there: &UidSet) -> Option<String> {
    there.iter().next_back().map(|uid| uid.to_string())
}

/// Removes messages of the chosen folder.
async fn remove(session: &mut ImapSession, messages: UidSet) -> Result<OrderOutcome, LookFailure> {
    let uids = String::from(messages);
    let store = format!("UID STORE {uids} +FLAGS.SILENT (\\Deleted)");
    if !session.ask(&store).await?.is_ok() {
        return Ok(OrderOutcome::Refused);
    }
    if !session.can("UIDPLUS") {
        // A plain EXPUNGE would take with it what somebody else marked.
        return Ok(OrderOutcome::OnlyMarked);
    }
    let gone = session.ask(&format!("UID EXPUNGE {uids}")).await?;
    Ok(if gone.is_ok() {
        OrderOutcome::Removed
    } else {
        OrderOutcome::OnlyMarked
    })
}

/// Chooses a folder to change it, and finds the messages of that id in it. `None`: the server says no, or it is no id to ask for.
async fn find_to_change(
    session: &mut ImapSession,
    folder: &str,
    message_id: &str,
) -> Result<Option<UidSet>, LookFailure> {
    if !is_plain_id(message_id) || !select(session, folder).await? {
        return Ok(None);
    }
    find(session, message_id).await
}

/// Chooses a folder to change it.
async fn select(session: &mut ImapSession, folder: &str) -> Result<bool, LookFailure> {
    let pieces = [CommandPiece::Words("SELECT "), CommandPiece::Name(folder)];
    let end = session.ask_for(&pieces, &mut |_| Ok(())).await?;
    // A folder that may be read alone is chosen so.
    Ok(end.is_ok() && !end.code.eq_ignore_ascii_case("READ-ONLY"))
}

/// The messages of exactly that id; servers look for it anywhere in the line. `None`: the server says no.
async fn find(session: &mut ImapSession, message_id: &str) -> Result<Option<UidSet>, LookFailure> {
    let criteria = format!("UNDELETED HEADER MESSAGE-ID \"{message_id}\"");
    let similar = unless_refused(search_by(session, &criteria).await)?;
    let Some(similar) = similar else {
        return Ok(None);
    };
    if similar.is_empty() {
        return Ok(Some(similar));
    }
    let what = "UID BODY.PEEK[HEADER.FIELDS (MESSAGE-ID)]";
    let mails = unless_refused(fetch(session, &similar, what).await)?;
    Ok(mails.map(|mails| {
        let same = mails.iter().filter(|mail| has_id(mail, message_id));
        same.map(|mail| mail.uid).collect()
    }))
}

/// Whether a mail says that it has this id.
fn has_id(mail: &FetchedMail, message_id: &str) -> bool {
    let line = mail.lines().and_then(|line| str::from_utf8(line).ok());
    let said = line.and_then(|line| line.split_once(':'));
    said.is_some_and(|(_, said)| said.trim() == message_id)
}

/// What a server answered; `None`: it says no.
fn unless_refused<T>(answered: Result<T, LookFailure>) -> Result<Option<T>, LookFailure> {
    match answered {
        Ok(answer) => Ok(Some(answer)),
        Err(LookFailure::SaysNo) => Ok(None),
        Err(failure) => Err(failure),
    }
}

#[cfg(test)]
mod tests {
    use super::{super::answer::ImapAnswer, *};

    #[test]
    fn only_the_message_of_exactly_that_id_is_the_same() {
        let is_same = |line: &str| {
            let answer = format!(
                "* 3 FETCH (UID 9 BODY[HEADER.FIELDS (MESSAGE-ID)] {{{}}}\r\n{line})\r\n",
                line.len()
            );
            let Ok(ImapAnswer::Data(data)) = ImapAnswer::parse(answer.as_bytes()) else {
                panic!("{answer}")
            };
            let mail = FetchedMail::of_data(data, &[9].into_iter().collect()).unwrap();
            has_id(&mail, "<a@aura.example>")
        };
        assert!(is_same("Message-ID: <a@aura.example>\r\n\r\n"));
        assert!(is_same("Message-Id:\r\n <a@aura.example>\r\n\r\n"));
        assert!(!is_same("Message-ID: <a@aura.example>x\r\n\r\n"));
        assert!(!is_same("\r\n"));
    }
}
