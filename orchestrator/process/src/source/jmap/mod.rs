//! JMAP: mail on a server (RFC 8620, RFC 8621), in the worker of an account.
//!
//! What: [`JmapMailbox`], which reads all mailboxes, then what changed of them, and waits to be told of more. Why: one question says what changed in all mailboxes, so that
//! nothing is fetched twice. Not here: the parts (`session`, `mailboxes`, `emails`, `drafts`), when it looks (`mail_worker`).

mod drafts;
mod emails;
mod mailboxes;
mod session;

use super::{
    http::HttpSession,
    mail_folders::FolderUse,
    mail_wire::{DRAFT_BYTES_MAX, KnownFolder, MailPart, MailboxTask, OrderOutcome, WANTED_MAX, WantedMails},
    mail_worker::{MailServerSession, MailSupervisor, MailboxWake, TEXT_DAYS, TakeParts},
    server_events::ServerEvents,
    wire::{LookFailure, ServerPlace},
};
use aura_platform::clock::system_wall;
use emails::{EmailAsk, EmailObject, changed_emails, email_state, fetch_emails, find_emails, uid_of};
use mailboxes::{ListedMailbox, list_mailboxes};
use serde_json::json;
use session::{JmapSession, PING_S};
use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};
use tokio::time::{Instant, sleep_until, timeout};

/// How long a server may be silent that said how often it would not be.
const SILENT_MAX: Duration = Duration::from_secs(2 * PING_S + 30);
/// Between two questions for changes where the server tells of nothing by itself: one small answer each.
const ASKED_AFTER: Duration = Duration::from_mins(1);
/// What is told by a stream that ended sooner is asked for by the clock until the next look at all.
const STANDS: Duration = Duration::from_mins(1);
const DAY_MS: i64 = 24 * 3_600_000;

/// How the server's word of changes comes.
enum ChangeNotice {
    /// It is asked for when there is nothing else to do.
    Wanted,
    Told {
        stream: ServerEvents,
        since: Instant,
    },
    /// It was not to be had.
    Asked,
}

/// The mailboxes of an account.
pub(super) struct JmapMailbox<'a> {
    session: JmapSession<'a>,
    /// Over which the server tells of changes.
    listener: HttpSession<'a>,
    notice: ChangeNotice,
    days: u32,
    account: String,
    /// How far all mails are known.
    mark: Option<String>,
    known: BTreeMap<String, KnownFolder>,
    mailboxes: Vec<ListedMailbox>,
}

/// Mails of a mailbox that are to be fetched.
#[derive(Default)]
struct NewEmails {
    texts: Vec<String>,
    heads: Vec<String>,
}

impl<'a> JmapMailbox<'a> {
    /// Asks the server where it is to be asked; `listener` has a connection of its own.
    ///
    /// # Errors
    /// [`LookFailure`]
    pub(super) async fn open(
        http: HttpSession<'a>,
        listener: HttpSession<'a>,
        place: &ServerPlace,
        task: &MailboxTask,
    ) -> Result<Self, LookFailure> {
        let known = task.known.iter().cloned();
        Ok(Self {
            session: JmapSession::open(http, place).await?,
            listener,
            notice: ChangeNotice::Wanted,
            days: task.days,
            account: task.account.clone(),
            mark: task.mark.clone(),
            known: known.map(|folder| (folder.name.clone(), folder)).collect(),
            mailboxes: Vec::new(),
        })
    }

    fn mailbox(&self, usage: FolderUse) -> Option<String> {
        let found = self.mailboxes.iter().find(|one| one.usage == usage);
        found.map(|one| one.id.clone())
    }

    async fn ensure_mailboxes(&mut self) -> Result<(), LookFailure> {
        if self.mailboxes.is_empty() {
            self.mailboxes = list_mailboxes(&mut self.session).await?;
        }
        Ok(())
    }

    /// Hands over what changed in the mailboxes that there are.
    async fn read_changes(&mut self, parts: &mut impl TakeParts) -> Result<(), LookFailure> {
        let changes = match &self.mark {
            Some(mark) => changed_emails(&mut self.session, mark).await?,
            None => None,
        };
        // Before anything is looked for: what comes meanwhile is a change.
        let mark = match &changes {
            Some(changes) => changes.state.clone(),
            None => email_state(&mut self.session).await?,
        };
        let has_changed = self.mark.as_ref() != Some(&mark);
        let mut touched = Vec::new();
        let mut gone = BTreeSet::new();
        if let Some(changes) = changes {
            let ids: Vec<String> = changes.touched.difference(&changes.destroyed).cloned().collect();
            for some in ids.chunks(EmailAsk::Place.at_once(&self.session)) {
                touched.extend(fetch_emails(&mut self.session, some, EmailAsk::Place).await?);
            }
            // What went between the two is not found.
            let found: BTreeSet<&String> = touched.iter().map(|email| &email.id).collect();
            let missing = ids.iter().filter(|id| !found.contains(id));
            gone = changes
                .destroyed
                .iter()
                .chain(missing)
                .map(|id| uid_of(id))
                .collect();
        } else {
            self.mark = None;
        }
        let read = self.mailboxes.iter().filter(|one| one.usage != FolderUse::Drafts);
        let read: Vec<ListedMailbox> = read.cloned().collect();
        for mailbox in &read {
            let is_known = self
                .known
                .get(&mailbox.name)
                .is_some_and(|known| known.uid_validity == uid_of(&mailbox.id));
            if self.mark.is_none() || !is_known {
                self.read_whole(mailbox, parts).await?;
            } else {
                self.read_touched(mailbox, &touched, &gone, parts).await?;
            }
        }
        if has_changed {
            parts.take(MailPart::ReadAll { mark: mark.clone() }).await?;
            self.mark = Some(mark);
        }
        Ok(())
    }

    /// From when on mails are read, and from when on with their text (RFC 3339).
    fn last_states(&self) -> [String; 2] {
        let at = system_wall();
        [self.days, TEXT_DAYS.min(self.days)].map(|days| {
            let since = at.plus_ms(-i64::from(days) * DAY_MS).utc();
            since.format("%Y-%m-%dT%H:%M:%SZ").to_string()
        })
    }

    /// Hands over what of the changed mails lies in a mailbox, or did.
    async fn read_touched(
        &mut self,
        mailbox: &ListedMailbox,
        touched: &[EmailObject],
        gone: &BTreeSet<u32>,
        parts: &mut impl TakeParts,
    ) -> Result<(), LookFailure> {
        let [since, text_since] = self.last_states();
        let Some(known) = self.known.get_mut(&mailbox.name) else {
            return Ok(());
        };
        let mut gone: Vec<u32> = gone
            .iter()
            .copied()
            .filter(|uid| known.held.contains(*uid))
            .collect();
        let (mut marked, mut new) = (Vec::new(), NewEmails::default());
        for email in touched {
            let uid = email.uid();
            match (email.lies_in(&mailbox.id), known.held.contains(uid)) {
                (false, true) => gone.push(uid),
                (true, true) if known.texts.contains(uid) => marked.push((uid, email.marks())),
                (true, false) if email.received_at() >= text_since.as_str() => {
                    new.texts.push(email.id.clone());
                }
                (true, false) if email.received_at() >= since.as_str() => new.heads.push(email.id.clone()),
                (false, false) | (true, _) => {}
            }
        }
        if gone.is_empty() && marked.is_empty() && new.texts.is_empty() && new.heads.is_empty() {
            return Ok(());
        }
        parts.take(folder_part(mailbox, false)).await?;
        for uid in gone {
            known.held.remove(uid);
            known.texts.remove(uid);
            parts.take(MailPart::Gone { uid }).await?;
        }
        for (uid, marks) in marked {
            parts.take(MailPart::Marks { uid, marks }).await?;
        }
        fetch_new(&mut self.session, mailbox, &new, known, parts).await
    }

    /// Hands over all of a mailbox that is not known, and what of it went or is marked otherwise.
    async fn read_whole(
        &mut self,
        mailbox: &ListedMailbox,
        parts: &mut impl TakeParts,
    ) -> Result<(), LookFailure> {
        let [since, text_since] = self.last_states();
        let known = self.known.entry(mailbox.name.clone()).or_default();
        let is_whole = known.uid_validity != uid_of(&mailbox.id);
        if is_whole {
            *known = KnownFolder {
                name: mailbox.name.clone(),
                uid_validity: uid_of(&mailbox.id),
                ..KnownFolder::default()
            };
        }
        parts.take(folder_part(mailbox, is_whole)).await?;
        let from = |since: &str| json!({ "inMailbox": mailbox.id, "after": since });
        let texts = find_emails(&mut self.session, &from(&text_since), |_| false).await?;
        let all = find_emails(&mut self.session, &from(&since), |_| false).await?;
        // It need look by the mailbox and by time (RFC 8621, 4.4.1).
        let (texts, all) = texts.zip(all).ok_or(LookFailure::SaysNo)?;
        let there: BTreeSet<u32> = all.iter().map(|id| uid_of(id)).collect();
        let gone: Vec<u32> = known.held.iter().filter(|uid| !there.contains(uid)).collect();
        for uid in gone {
            known.held.remove(uid);
            known.texts.remove(uid);
            parts.take(MailPart::Gone { uid }).await?;
        }
        let kept: Vec<String> = all
            .iter()
            .filter(|id| known.texts.contains(uid_of(id)))
            .cloned()
            .collect();
        for some in kept.chunks(EmailAsk::Place.at_once(&self.session)) {
            for email in fetch_emails(&mut self.session, some, EmailAsk::Place).await? {
                let (uid, marks) = (email.uid(), email.marks());
                parts.take(MailPart::Marks { uid, marks }).await?;
            }
        }
        let is_text: BTreeSet<&String> = texts.iter().collect();
        let is_new = |id: &&String| !known.held.contains(uid_of(id));
        let new = NewEmails {
            heads: all
                .iter()
                .filter(|id| !is_text.contains(id))
                .filter(is_new)
                .cloned()
                .collect(),
            texts: texts.iter().filter(is_new).cloned().collect(),
        };
        fetch_new(&mut self.session, mailbox, &new, known, parts).await
    }

    /// Waits for what the server tells, an order or the clock.
    async fn wait_told(
        &mut self,
        supervisor: &mut MailSupervisor,
        until: Instant,
    ) -> Result<MailboxWake, LookFailure> {
        loop {
            let ChangeNotice::Told { stream, since } = &mut self.notice else {
                return Ok(MailboxWake::Server);
            };
            let told = timeout(SILENT_MAX, stream.next_events());
            let events = tokio::select! {
                order = supervisor.next_order() => return order.map(MailboxWake::Order),
                () = sleep_until(until) => return Ok(MailboxWake::Clock),
                events = told => events.ok().flatten(),
            };
            match events {
                Some(events) if events.iter().any(|event| event == "state") => {
                    return Ok(MailboxWake::Server);
                }
                Some(_) => {}
                // What it said last may have been lost: it is looked once more.
                None => {
                    self.notice = if since.elapsed() >= STANDS {
                        ChangeNotice::Wanted
                    } else {
                        ChangeNotice::Asked
                    };
                }
            }
        }
    }
}

fn folder_part(mailbox: &ListedMailbox, is_whole: bool) -> MailPart {
    MailPart::Folder {
        name: mailbox.name.clone(),
        is_sent: mailbox.usage == FolderUse::Sent,
        uid_validity: uid_of(&mailbox.id),
        is_whole,
    }
}

/// Fetches mails of a mailbox, those with their text first, and notes them in what is known.
async fn fetch_new(
    session: &mut JmapSession<'_>,
    mailbox: &ListedMailbox,
    new: &NewEmails,
    known: &mut KnownFolder,
    parts: &mut impl TakeParts,
) -> Result<(), LookFailure> {
    for (ids, ask) in [(&new.texts, EmailAsk::Text), (&new.heads, EmailAsk::Head)] {
        for some in ids.chunks(ask.at_once(session)) {
            for email in fetch_emails(session, some, ask).await? {
                let uid = email.uid();
                // It may have been moved meanwhile.
                if !email.lies_in(&mailbox.id) || !known.held.insert(uid) {
                    continue;
                }
                if ask == EmailAsk::Head {
                    let bytes = email.head();
                    parts.take(MailPart::OldHead { uid, bytes }).await?;
                } else {
                    known.texts.insert(uid);
                    let (marks, bytes) = (email.marks(), email.text());
                    parts.take(MailPart::Mail { uid, marks, bytes }).await?;
                }
            }
        }
    }
    // Nobody waits for the other mailboxes.
    parts.take(MailPart::ReadUpTo { uid: 0, mod_seq: 0 }).await
}

impl MailServerSession for JmapMailbox<'_> {
    async fn look_at_all(&mut self, parts: &mut MailSupervisor) -> Result<Vec<String>, LookFailure> {
        self.mailboxes = list_mailboxes(&mut self.session).await?;
        let read = self.mailboxes.iter().filter(|one| one.usage != FolderUse::Drafts);
        let names: Vec<String> = read.map(|one| one.name.clone()).collect();
        self.known.retain(|name, _| names.contains(name));
        self.read_changes(parts).await?;
        // A stream that ended soon is tried again.
        if self.session.event_source.is_some() && matches!(self.notice, ChangeNotice::Asked) {
            self.notice = ChangeNotice::Wanted;
        }
        Ok(names)
    }

    async fn look_at_news(&mut self, parts: &mut MailSupervisor) -> Result<(), LookFailure> {
        self.read_changes(parts).await
    }

    async fn fetch_again(
        &mut self,
        wanted: &[WantedMails],
        parts: &mut MailSupervisor,
    ) -> Result<(), LookFailure> {
        self.ensure_mailboxes().await?;
        let mut left = WANTED_MAX;
        for mails in wanted {
            let (folder, mut uids) = (mails.folder, mails.uids.clone());
            let is_it = |one: &&ListedMailbox| {
                let name = agents::fetched_folder(&one.name, one.usage == FolderUse::Sent);
                one.usage != FolderUse::Drafts
                    && agents::fetched_folder_number(&self.account, &name) == folder
            };
            let Some(mailbox) = self.mailboxes.iter().find(is_it) else {
                continue;
            };
            uids.keep_newest(left);
            left -= uids.len();
            if uids.is_empty() {
                break;
            }
            // By its number no mail can be asked for, and only the id makes the number.
            let filter = json!({ "inMailbox": mailbox.id });
            let are_all = |ids: &[String]| {
                let found: BTreeSet<u32> = ids.iter().map(|id| uid_of(id)).collect();
                uids.iter().all(|uid| found.contains(&uid))
            };
            // Who cannot look so cannot say that one is not there either.
            let mut ids = find_emails(&mut self.session, &filter, are_all)
                .await?
                .ok_or(LookFailure::SaysNo)?;
            ids.retain(|id| uids.contains(uid_of(id)));
            let mut nameless = Vec::new();
            for some in ids.chunks(EmailAsk::Sender.at_once(&self.session)) {
                for email in fetch_emails(&mut self.session, some, EmailAsk::Sender).await? {
                    if !email.has_message_id() {
                        nameless.push(email.id);
                        continue;
                    }
                    let (uid, bytes) = (email.uid(), email.head());
                    parts.take(MailPart::HeadAgain { folder, uid, bytes }).await?;
                }
            }
            for some in nameless.chunks(EmailAsk::WholeHead.at_once(&self.session)) {
                for email in fetch_emails(&mut self.session, some, EmailAsk::WholeHead).await? {
                    let (uid, bytes) = (email.uid(), email.whole_head());
                    parts.take(MailPart::HeadAgain { folder, uid, bytes }).await?;
                }
            }
        }
        Ok(())
    }

    async fn wait(
        &mut self,
        supervisor: &mut MailSupervisor,
        until: Instant,
        soonest: Instant,
    ) -> Result<MailboxWake, LookFailure> {
        if matches!(self.notice, ChangeNotice::Wanted) {
            let told = match &self.session.event_source {
                Some(path) => self.listener.listen(path).await,
                None => Ok(None),
            };
            let told = match told {
                Err(LookFailure::LoginRefused) => return Err(LookFailure::LoginRefused),
                // It has no word of its own, whatever it said.
                Ok(None) => {
                    self.session.event_source = None;
                    None
                }
                Ok(told) => told,
                Err(_) => None,
            };
            if let Some(stream) = told {
                let since = Instant::now();
                self.notice = ChangeNotice::Told { stream, since };
                // What changed before it listened is told by nobody.
                return Ok(MailboxWake::Server);
            }
            self.notice = ChangeNotice::Asked;
        }
        if matches!(self.notice, ChangeNotice::Told { .. }) {
            let wake = self.wait_told(supervisor, until).await?;
            if matches!(wake, MailboxWake::Server) {
                sleep_until(soonest.min(until)).await;
            }
            return Ok(wake);
        }
        let asked_at = Instant::now() + ASKED_AFTER;
        tokio::select! {
            order = supervisor.next_order() => order.map(MailboxWake::Order),
            () = sleep_until(until.min(asked_at)) => Ok(if asked_at < until {
                MailboxWake::Server
            } else {
                MailboxWake::Clock
            }),
        }
    }

    async fn put_draft(
        &mut self,
        message_id: &str,
        answers: Option<&str>,
        message: &[u8],
    ) -> Result<OrderOutcome, LookFailure> {
        self.ensure_mailboxes().await?;
        let Ok(message) = str::from_utf8(message) else {
            return Ok(OrderOutcome::Refused);
        };
        if message.len() > DRAFT_BYTES_MAX {
            return Ok(OrderOutcome::Refused);
        }
        let Some(drafts) = self.mailbox(FolderUse::Drafts) else {
            return Ok(OrderOutcome::NoDrafts);
        };
        let inbox = self.mailbox(FolderUse::Inbox);
        let head = match answers {
            Some(answers) => drafts::answer_head(&mut self.session, inbox.as_deref(), answers).await?,
            None => String::new(),
        };
        drafts::put_draft(&mut self.session, &drafts, message_id, &(head + message)).await
    }

    async fn replace_draft(
        &mut self,
        message_id: &str,
        version: &str,
        message: &[u8],
    ) -> Result<OrderOutcome, LookFailure> {
        self.ensure_mailboxes().await?;
        let Some(message) = str::from_utf8(message)
            .ok()
            .filter(|message| message.len() <= DRAFT_BYTES_MAX)
        else {
            return Ok(OrderOutcome::Refused);
        };
        let Some(drafts) = self.mailbox(FolderUse::Drafts) else {
            return Ok(OrderOutcome::NoDrafts);
        };
        drafts::replace_draft(&mut self.session, &drafts, message_id, version, message).await
    }

    async fn remove_draft(
        &mut self,
        message_id: &str,
        version: Option<&str>,
    ) -> Result<OrderOutcome, LookFailure> {
        self.ensure_mailboxes().await?;
        let Some(drafts) = self.mailbox(FolderUse::Drafts) else {
            return Ok(OrderOutcome::NoDrafts);
        };
        drafts::remove_draft(&mut self.session, &drafts, message_id, version).await
    }
}
