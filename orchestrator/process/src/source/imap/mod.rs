//! IMAP: mail on a server, in the worker of an account.
//!
//! What: [`serve_mailbox`], which reads all folders, waits for news and for orders, and goes on until the connection ends. Why: new mail is heard
//! at once, and a connection costs nothing while nothing comes. Not here: the parts (`session`, `folders`, `fetch`, `structure`, `drafts`),
//! where what was found lies (the runtime).

mod answer;
mod drafts;
mod fetch;
mod folders;
mod sasl;
mod session;
mod structure;

use super::{
    mail_wire::{
        DRAFT_BYTES_MAX, KnownFolder, MailOrder, MailPart, MailboxTask, OrderOutcome, WANTED_MAX, WantedMails,
    },
    wire::{ACCOUNT_FRAME_MAX, AccountRequest, FromAccountWorker, FromAccountWorkerEnvelope, LookFailure},
};
use answer::{ImapAnswer, ImapStatus};
use aura_platform::clock::system_wall;
use fetch::{FolderLook, TakeParts, choose, read_again, read_folder};
use folders::{FolderUse, ListedFolder, list_folders};
use rustls::ClientConfig;
use session::ImapSession;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::UnixStream,
    time::{Instant, sleep_until},
};
use toolcall_schema::wire::{FrameDecoder, VERSION, encode_frame};

/// Between two looks at all folders, at most: servers end a connection that is silent for 29 minutes.
const EVERY_MAX: Duration = Duration::from_mins(28);
/// Between two looks that the server calls for, at least.
const BETWEEN: Duration = Duration::from_secs(1);
/// So often a folder that changed while it was read is read again at once.
const AGAIN_MAX: u32 = 3;

/// Who started this process.
pub(super) struct MailSupervisor {
    stream: UnixStream,
    decoder: FrameDecoder,
}

impl MailSupervisor {
    pub(super) fn new(stream: UnixStream) -> Self {
        Self {
            stream,
            decoder: FrameDecoder::with_limit(ACCOUNT_FRAME_MAX),
        }
    }

    /// Tells it something.
    ///
    /// # Errors
    /// [`LookFailure::WorkerEnded`]: it is gone.
    pub(super) async fn tell(&mut self, frame: FromAccountWorker) -> Result<(), LookFailure> {
        let frame = FromAccountWorkerEnvelope { v: VERSION, frame };
        let bytes = encode_frame(&frame, ACCOUNT_FRAME_MAX).map_err(|_| LookFailure::AnswerTooLarge)?;
        let told = self.stream.write_all(&bytes).await;
        told.map_err(|_| LookFailure::WorkerEnded)
    }

    /// The next order, however long it takes. Nothing is lost where the waiting is broken off.
    async fn next_order(&mut self) -> Result<MailOrder, LookFailure> {
        loop {
            let body = self.decoder.next_body().map_err(|_| LookFailure::WorkerEnded)?;
            if let Some(body) = body {
                return MailOrder::decode(body).map_err(|_| LookFailure::WorkerEnded);
            }
            let mut buffer = [0; 4096];
            match self.stream.read(&mut buffer).await {
                Ok(0) | Err(_) => return Err(LookFailure::WorkerEnded),
                Ok(count) => self.decoder.push(buffer.get(..count).unwrap_or_default()),
            }
        }
    }
}

impl TakeParts for MailSupervisor {
    async fn take(&mut self, part: MailPart) -> Result<(), LookFailure> {
        self.tell(FromAccountWorker::Mail(part)).await
    }
}

/// Reads mail until the connection, or who started this process, ends. `begin_look` is called before each look.
///
/// # Errors
/// [`LookFailure`], always: how it ended.
pub(super) async fn serve_mailbox(
    request: &AccountRequest,
    tls: Option<Arc<ClientConfig>>,
    connected: std::net::TcpStream,
    supervisor: &mut MailSupervisor,
    begin_look: &mut dyn FnMut() -> Result<(), LookFailure>,
) -> Result<std::convert::Infallible, LookFailure> {
    let task = request.mail.as_ref().ok_or(LookFailure::Broken)?;
    let session = ImapSession::open(connected, request, tls, task.may_be_unsealed).await?;
    let mut reader = ServerMailbox::new(session, task).await?;
    if !task.wanted.is_empty() {
        begin_look()?;
        let listed = list_folders(&mut reader.session).await?;
        reader.note_folders(&listed);
        reader.fetch_again(&task.wanted, supervisor).await?;
        tell_outcome(supervisor, 0, Ok(OrderOutcome::FetchedAgain)).await?;
    }
    let every = Duration::from_secs(task.every_s.max(1)).min(EVERY_MAX);
    let mut next = NextLook::All;
    let mut all_at = Instant::now() + every;
    loop {
        begin_look()?;
        let begun = Instant::now();
        let folders = match next {
            NextLook::All => {
                all_at = begun + every;
                Some(reader.look_at_all(supervisor).await?)
            }
            NextLook::Inbox => {
                reader.look_at_inbox(supervisor).await?;
                None
            }
        };
        supervisor.tell(FromAccountWorker::Looked { folders }).await?;
        next = loop {
            match reader.wait(supervisor, all_at, begun + BETWEEN).await? {
                Wake::Clock | Wake::Order(MailOrder::Look) => break NextLook::All,
                Wake::Server => break NextLook::Inbox,
                Wake::Order(MailOrder::PutDraft {
                    number,
                    message_id,
                    answers,
                    message,
                }) => {
                    let answers = answers.as_deref();
                    let outcome = reader.put_draft(&message_id, answers, &message.0).await;
                    tell_outcome(supervisor, number, outcome).await?;
                }
                Wake::Order(MailOrder::FetchAgain { number, wanted }) => {
                    let fetched = reader.fetch_again(&wanted, supervisor).await;
                    let outcome = fetched.map(|()| OrderOutcome::FetchedAgain);
                    tell_outcome(supervisor, number, outcome).await?;
                }
                Wake::Order(MailOrder::RemoveDraft { number, message_id }) => {
                    let outcome = reader.remove_draft(&message_id).await;
                    tell_outcome(supervisor, number, outcome).await?;
                }
            }
        };
    }
}

/// Tells what became of an order. After a connection that ended in it, this process ends as well.
async fn tell_outcome(
    supervisor: &mut MailSupervisor,
    number: u64,
    outcome: Result<OrderOutcome, LookFailure>,
) -> Result<(), LookFailure> {
    let (outcome, failure) = match outcome {
        Ok(outcome) => (outcome, None),
        Err(failure) => {
            let failed = failure.clone();
            (OrderOutcome::Unknown { failure: failed }, Some(failure))
        }
    };
    supervisor
        .tell(FromAccountWorker::Ordered { number, outcome })
        .await?;
    failure.map_or(Ok(()), Err)
}

enum NextLook {
    All,
    Inbox,
}

/// Why it waits no more.
enum Wake {
    Clock,
    Server,
    Order(MailOrder),
}

/// The folders of an account, over one connection.
struct ServerMailbox {
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

impl ServerMailbox {
    async fn new(mut session: ImapSession, task: &MailboxTask) -> Result<Self, LookFailure> {
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

    /// Looks at all folders, and gives the names of those that there are.
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

    /// Hands over who wrote mails that were read before, as far as they are still there. What they are read by now is for whoever asked to know.
    async fn fetch_again(
        &mut self,
        wanted: &[WantedMails],
        parts: &mut MailSupervisor,
    ) -> Result<(), LookFailure> {
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

    async fn look_at_inbox(&mut self, parts: &mut MailSupervisor) -> Result<(), LookFailure> {
        let inbox = ListedFolder {
            name: "INBOX".to_owned(),
            usage: FolderUse::Inbox,
            stands: None,
        };
        self.look_at(&inbox, parts).await?;
        Ok(())
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

    /// Waits for news of the inbox, an order or the clock. News that come sooner than `soonest` wait for it.
    async fn wait(
        &mut self,
        supervisor: &mut MailSupervisor,
        until: Instant,
        soonest: Instant,
    ) -> Result<Wake, LookFailure> {
        if !self.can_idle {
            return tokio::select! {
                order = supervisor.next_order() => order.map(Wake::Order),
                () = sleep_until(until) => Ok(Wake::Clock),
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
            Wake::Server
        } else {
            self.idle(supervisor, until).await?
        };
        if matches!(wake, Wake::Server) {
            sleep_until(soonest.min(until)).await;
        }
        Ok(wake)
    }

    async fn idle(&mut self, supervisor: &mut MailSupervisor, until: Instant) -> Result<Wake, LookFailure> {
        let session = &mut self.session;
        let tag = session.send_tagged("IDLE\r\n").await?;
        session.is_waiting = true;
        let refused = session.until_more(&tag, &mut |_| Ok(())).await?;
        if refused.is_some() {
            // It says that it can, and cannot: it is asked by the clock.
            (session.is_waiting, self.can_idle) = (false, false);
            return Ok(Wake::Server);
        }
        let wake = loop {
            if session.has_news {
                break Wake::Server;
            }
            tokio::select! {
                order = supervisor.next_order() => break Wake::Order(order?),
                () = sleep_until(until) => break Wake::Clock,
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

    async fn remove_draft(&mut self, message_id: &str) -> Result<OrderOutcome, LookFailure> {
        let Some(folder) = self.drafts.clone() else {
            return Ok(OrderOutcome::NoDrafts);
        };
        self.is_inbox_chosen = false;
        drafts::remove_draft(&mut self.session, &folder, message_id).await
    }
}
