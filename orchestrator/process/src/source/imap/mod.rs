//! IMAP: mail on a server, in the worker of an account.
//!
//! What: [`ImapMailbox`], which reads all folders and waits for news over one connection. Why: new mail is heard at once, and a connection costs
//! nothing while nothing comes. Not here: the parts (`session`, `folders`, `fetch`, `structure`, `drafts`), when it looks (`mail_worker`).

mod answer;
mod drafts;
mod fetch;
mod folders;
mod sasl;
mod session;
mod structure;

use super::{
    mail_folders::FolderUse,
    mail_wire::{DRAFT_BYTES_MAX, KnownFolder, MailboxTask, OrderOutcome, WANTED_MAX, WantedMails},
    mail_worker::{MailServerSession, MailSupervisor, MailboxWake},
    wire::{AccountRequest, LookFailure},
};
use answer::{ImapAnswer, ImapStatus};
use aura_platform::clock::system_wall;
use fetch::{FolderLook, choose, read_again, read_folder};
use folders::{ListedFolder, list_folders};
use rustls::ClientConfig;
use session::ImapSession;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};
use tokio::time::{Instant, sleep_until};

/// So often a folder that changed while it was read is read again at once.
const AGAIN_MAX: u32 = 3;

/// The folders of an account, over one connection.
pub(super) struct ImapMailbox {
    session: ImapSession,
    days: u32,
    account: String,
    known: BTreeMap<String, KnownFolder>,
    /// The folders that mails may be asked for of again, by their numbers.
    numbered: BTreeMap<u64, String>,
    drafts: Option<String>,
    /// The server keeps its word about IDLE.
    can_idle: bool,
    is_inbox_chosen: bool,
}

impl ImapMailbox {
    /// Logs in over a connection.
    ///
    /// # Errors
    /// [`LookFailure`]
    pub(super) async fn open(
        connected: std::net::TcpStream,
        request: &AccountRequest,
        tls: Option<Arc<ClientConfig>>,
        task: &MailboxTask,
    ) -> Result<Self, LookFailure> {
        let mut session = ImapSession::open(connected, request, tls, task.may_be_unsealed).await?;
        if session.can("QRESYNC") && session.can("ENABLE") {
            session.ask("ENABLE QRESYNC").await?;
        }
        let known = task.known.iter().cloned();
        Ok(Self {
            can_idle: session.can("IDLE"),
            session,
            days: task.days,
            account: task.account.clone(),
            numbered: BTreeMap::new(),
            known: known.map(|folder| (folder.name.clone(), folder)).collect(),
            drafts: None,
            is_inbox_chosen: false,
        })
    }

    fn note_folders(&mut self, listed: &[ListedFolder]) {
        let drafts = listed.iter().find(|folder| folder.usage == FolderUse::Drafts);
        self.drafts = drafts.map(|folder| folder.name.clone());
        let read = listed.iter().filter(|folder| folder.usage != FolderUse::Drafts);
        let numbered = read.map(|folder| {
            let name = agents::fetched_folder(&folder.name, folder.usage == FolderUse::Sent);
            (
                agents::fetched_folder_number(&self.account, &name),
                folder.name.clone(),
            )
        });
        self.numbered = numbered.collect();
    }

    /// Whether nothing changed in a folder, as the server says without opening it.
    fn is_as_it_stood(&self, folder: &ListedFolder) -> bool {
        let (Some(stands), Some(known)) = (folder.stands, self.known.get(&folder.name)) else {
            return false;
        };
        stands.mod_seq != 0
            && stands.mod_seq == known.mod_seq
            && stands.uid_validity == known.uid_validity
            && stands.uid_next == known.upto.saturating_add(1)
            && known.held.is_empty()
    }

    /// `false`: the folder may not be opened.
    async fn look_at(
        &mut self,
        folder: &ListedFolder,
        parts: &mut MailSupervisor,
    ) -> Result<bool, LookFailure> {
        for _ in 0..AGAIN_MAX {
            self.is_inbox_chosen = false;
            let Some(stands) = choose(&mut self.session, &folder.name).await? else {
                return if folder.usage == FolderUse::Inbox {
                    Err(LookFailure::SaysNo)
                } else {
                    Ok(false)
                };
            };
            self.is_inbox_chosen = folder.usage == FolderUse::Inbox;
            let look = FolderLook {
                folder,
                stands,
                days: self.days,
                at: system_wall(),
            };
            let known = self.known.entry(folder.name.clone()).or_default();
            read_folder(&mut self.session, &look, known, parts).await?;
            if !self.session.has_news {
                break;
            }
        }
        Ok(true)
    }

    async fn idle(
        &mut self,
        supervisor: &mut MailSupervisor,
        until: Instant,
    ) -> Result<MailboxWake, LookFailure> {
        let session = &mut self.session;
        let tag = session.send_tagged("IDLE\r\n").await?;
        session.is_waiting = true;
        let refused = session.until_more(&tag, &mut |_| Ok(())).await?;
        if refused.is_some() {
            // It says that it can, and cannot: it is asked by the clock.
            (session.is_waiting, self.can_idle) = (false, false);
            return Ok(MailboxWake::Server);
        }
        let wake = loop {
            if session.has_news {
                break MailboxWake::Server;
            }
            tokio::select! {
                order = supervisor.next_order() => break MailboxWake::Order(order?),
                () = sleep_until(until) => break MailboxWake::Clock,
                answer = session.next_answer() => match answer? {
                    ImapAnswer::Status { status: ImapStatus::Bye, .. } | ImapAnswer::Ended { .. } => {
                        return Err(LookFailure::Broken);
                    }
                    ImapAnswer::Status { .. } | ImapAnswer::Data(_) | ImapAnswer::More => {}
                },
            }
        };
        session.write(b"DONE\r\n").await?;
        session.until_end(&tag, &mut |_| Ok(())).await?;
        session.is_waiting = false;
        Ok(wake)
    }
}

impl MailServerSession for ImapMailbox {
    async fn look_at_all(&mut self, parts: &mut MailSupervisor) -> Result<Vec<String>, LookFailure> {
        let listed = list_folders(&mut self.session).await?;
        self.note_folders(&listed);
        let mut there = Vec::new();
        for folder in listed.iter().filter(|folder| folder.usage != FolderUse::Drafts) {
            let is_there = self.is_as_it_stood(folder) || self.look_at(folder, parts).await?;
            if is_there {
                there.push(folder.name.clone());
            }
        }
        let names: BTreeSet<&String> = there.iter().collect();
        self.known.retain(|name, _| names.contains(name));
        Ok(there)
    }

    async fn look_at_news(&mut self, parts: &mut MailSupervisor) -> Result<(), LookFailure> {
        let inbox = ListedFolder {
            name: "INBOX".to_owned(),
            usage: FolderUse::Inbox,
            stands: None,
        };
        self.look_at(&inbox, parts).await?;
        Ok(())
    }

    async fn fetch_again(
        &mut self,
        wanted: &[WantedMails],
        parts: &mut MailSupervisor,
    ) -> Result<(), LookFailure> {
        if self.numbered.is_empty() {
            let listed = list_folders(&mut self.session).await?;
            self.note_folders(&listed);
        }
        let mut left = WANTED_MAX;
        for mails in wanted {
            let Some(name) = self.numbered.get(&mails.folder) else {
                continue;
            };
            let mut uids = mails.uids.clone();
            uids.keep_newest(left);
            left -= uids.len();
            if uids.is_empty() {
                break;
            }
            self.is_inbox_chosen = false;
            if choose(&mut self.session, name).await?.is_some() {
                read_again(&mut self.session, mails.folder, &uids, parts).await?;
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
        if !self.can_idle {
            return tokio::select! {
                order = supervisor.next_order() => order.map(MailboxWake::Order),
                () = sleep_until(until) => Ok(MailboxWake::Clock),
            };
        }
        if !self.is_inbox_chosen {
            let stands = choose(&mut self.session, "INBOX")
                .await?
                .ok_or(LookFailure::SaysNo)?;
            self.is_inbox_chosen = true;
            // It may have changed while another folder was open.
            let known = self.known.get("INBOX");
            self.session.has_news = known.is_none_or(|known| {
                stands.uid_next != known.upto.saturating_add(1) || stands.mod_seq != known.mod_seq
            });
        }
        let wake = if self.session.has_news {
            MailboxWake::Server
        } else {
            self.idle(supervisor, until).await?
        };
        if matches!(wake, MailboxWake::Server) {
            sleep_until(soonest.min(until)).await;
        }
        Ok(wake)
    }

    async fn put_draft(
        &mut self,
        message_id: &str,
        answers: Option<&str>,
        message: &[u8],
    ) -> Result<OrderOutcome, LookFailure> {
        if message.len() > DRAFT_BYTES_MAX {
            return Ok(OrderOutcome::Refused);
        }
        let Some(folder) = self.drafts.clone() else {
            return Ok(OrderOutcome::NoDrafts);
        };
        self.is_inbox_chosen = false;
        let head = match answers {
            Some(answers) => drafts::answer_head(&mut self.session, answers).await?,
            None => String::new(),
        };
        let message = [head.as_bytes(), message].concat();
        drafts::put_draft(&mut self.session, &folder, message_id, &message).await
    }

    async fn replace_draft(
        &mut self,
        message_id: &str,
        version: &str,
        message: &[u8],
    ) -> Result<OrderOutcome, LookFailure> {
        if message.len() > DRAFT_BYTES_MAX {
            return Ok(OrderOutcome::Refused);
        }
        let Some(folder) = self.drafts.clone() else {
            return Ok(OrderOutcome::NoDrafts);
        };
        self.is_inbox_chosen = false;
        drafts::replace_draft(&mut self.session, &folder, message_id, version, message).await
    }

    async fn remove_draft(
        &mut self,
        message_id: &str,
        version: Option<&str>,
    ) -> Result<OrderOutcome, LookFailure> {
        let Some(folder) = self.drafts.clone() else {
            return Ok(OrderOutcome::NoDrafts);
        };
        self.is_inbox_chosen = false;
        drafts::remove_draft(&mut self.session, &folder, message_id, version).await
    }
}
