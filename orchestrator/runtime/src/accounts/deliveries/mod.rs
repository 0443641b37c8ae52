//! Delivering what the owner confirmed to her servers.
//!
//! What: notes of what a turn put into the outbox or took out, kept in the turn's own transaction; and one thread that makes deliveries of them, each
//! by a worker: of calendars one of its own, of mail the one that stays. Why: executing a call ends with the outbox, and a server that is away must neither hold it up nor be written twice.
//! Not here: what becomes of a delivery (`record`), where one goes (`place`), the worker (`aura_process::source`).
//!
//! A row of the store has one writer: a turn adds notes and never changes one; the thread takes them out with the delivery that it made of them.

mod drafts;
mod place;
mod record;
mod views;

pub(crate) use drafts::REPLIES;
pub use record::DeliveryKind;
pub use views::ServerDeliveryReport;

use super::{
    live::{LiveAccount, LiveAccounts},
    poll::{FIRST, chance, repeat},
};
use aura_memory::{
    StoreError, StoreReader, StoreWrite, Vault,
    accounts::{AccountEntry, OF_ACTS},
};
use aura_process::{
    WorkerProgram,
    source::{ChangeEnd, LookFailure, ServerChange, change_account},
};
use drafts::{AnsweredMail, change_drafts};
use place::FoundPlace;
use record::{
    DeliveryEvent, DeliveryPlace, DeliveryRecords, DeliveryStep, ServerDelivery, has_room, next_step,
    outdated,
};
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};
use surfaces_base::backend::BackendFuture;
use tokio::sync::{Notify, oneshot, watch};
use toolcall_schema::{
    Timestamp,
    ids::{ItemId, TraceId},
};

const RECORD_PART: &str = "delivery ";
const NOTE_PART: &str = "note ";

/// As long as nothing is to be done.
const IDLE: Duration = Duration::from_hours(6);

/// What a turn did to the outbox.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
struct DeliveryNote {
    trace_id: TraceId,
    name: String,
    /// `None`: it took the file out.
    text: Option<String>,
    at: Timestamp,
}

impl DeliveryNote {
    fn entry(&self) -> AccountEntry {
        let what = if self.text.is_some() { "put" } else { "gone" };
        AccountEntry::new(OF_ACTS, &format!("{NOTE_PART}{} {what}", self.trace_id))
    }
}

fn entry_of(trace_id: &TraceId) -> AccountEntry {
    AccountEntry::new(OF_ACTS, &format!("{RECORD_PART}{trace_id}"))
}

/// The deliveries of a service.
#[derive(Default)]
pub(super) struct ServerDeliveries {
    records: Mutex<DeliveryRecords>,
    notes: Mutex<DeliveryNotes>,
    wake: Notify,
    /// Held by the one who delivers.
    working: Mutex<()>,
}

#[derive(Default)]
struct DeliveryNotes {
    /// Of the turn that is not handed to the store yet.
    of_turn: Vec<DeliveryNote>,
    /// Kept, and not taken up yet.
    kept: Vec<DeliveryNote>,
    /// Accounts that were reached.
    reached: BTreeSet<String>,
}

impl ServerDeliveries {
    fn records(&self) -> MutexGuard<'_, DeliveryRecords> {
        self.records.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn notes(&self) -> MutexGuard<'_, DeliveryNotes> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was kept, and what of it is to be forgotten.
    pub(super) fn open(
        reader: &StoreReader,
        vault: &Vault,
        entries: &[AccountEntry],
        is_named: impl Fn(&str) -> bool,
    ) -> Result<(Self, Vec<StoreWrite>), StoreError> {
        let (mut records, mut kept, mut forgotten) = (DeliveryRecords::new(), Vec::new(), Vec::new());
        for entry in entries.iter().filter(|entry| entry.account == OF_ACTS) {
            let bytes = reader.account_entry(vault, entry)?.unwrap_or_default();
            if entry.part.starts_with(NOTE_PART)
                && let Ok(note) = serde_json::from_slice::<DeliveryNote>(&bytes)
            {
                kept.push(note);
            } else if let Ok(record) = serde_json::from_slice::<ServerDelivery>(&bytes)
                && record.place.as_ref().is_none_or(|place| is_named(&place.account))
            {
                records.insert(record.trace_id.clone(), record);
            } else {
                // With its account, or of another version.
                forgotten.push(entry.clone().forget());
            }
        }
        kept.sort_by_key(|note| (note.at, note.text.is_none()));
        let notes = DeliveryNotes {
            kept,
            ..DeliveryNotes::default()
        };
        let deliveries = Self {
            records: records.into(),
            notes: notes.into(),
            ..Self::default()
        };
        Ok((deliveries, forgotten))
    }
}

impl LiveAccounts {
    /// What a turn adds to its transaction when it changes the outbox.
    pub(crate) fn note_outbox(&self, trace_id: &TraceId, name: &str, text: Option<&str>) -> Vec<StoreWrite> {
        let deliveries = &self.0.deliveries;
        let is_concerned = DeliveryKind::of_file(name).is_some()
            && (self.writable().next().is_some() || !deliveries.records().is_empty());
        let Some(at) = self.now().filter(|_| is_concerned) else {
            return Vec::new();
        };
        let note = DeliveryNote {
            trace_id: trace_id.clone(),
            name: name.to_owned(),
            text: text.map(str::to_owned),
            at,
        };
        let bytes = serde_json::to_vec(&note).unwrap_or_default();
        let put = self.0.vault.get().map(|vault| note.entry().put(vault, &bytes));
        match put {
            Some(Ok(write)) => {
                deliveries.notes().of_turn.push(note);
                vec![write]
            }
            Some(Err(error)) => {
                tracing::error!(code = error.code(), %error, "what is put into the outbox is not noted for its server");
                Vec::new()
            }
            None => Vec::new(),
        }
    }

    /// The turn is with the store: what it noted is taken up.
    pub(crate) fn turn_kept(&self) {
        let mut notes = self.0.deliveries.notes();
        if !notes.of_turn.is_empty() {
            let of_turn = std::mem::take(&mut notes.of_turn);
            notes.kept.extend(of_turn);
            self.0.deliveries.wake.notify_one();
        }
    }

    /// An account was reached: what waits for it is tried at once.
    pub(super) fn tell_reached(&self, account: &str) {
        let deliveries = &self.0.deliveries;
        if deliveries.records().values().any(|one| !one.is_settled()) {
            deliveries.notes().reached.insert(account.to_owned());
            deliveries.wake.notify_one();
        }
    }

    /// Has something forgotten while nothing is delivered; deliveries of acts that went are forgotten with them. What a server has stays there.
    pub(crate) fn while_forgetting<T>(&self, forget: impl FnOnce() -> T) -> T {
        let _one = self.working();
        let done = forget();
        if let Some(vault) = self.0.vault.get()
            && let Err(error) = self.drop_forgotten(vault)
        {
            tracing::error!(code = error.code(), %error, "deliveries of what was forgotten may be known until the next start");
        }
        done
    }

    fn drop_forgotten(&self, vault: &Vault) -> Result<(), StoreError> {
        let entries = StoreReader::open(vault)?.account_entries()?;
        let kept: BTreeSet<&str> = entries
            .iter()
            .filter(|entry| entry.account == OF_ACTS)
            .map(|entry| entry.part.as_str())
            .collect();
        let is_kept = |entry: AccountEntry| kept.contains(entry.part.as_str());
        self.0.deliveries.records().retain(|id, _| is_kept(entry_of(id)));
        self.0
            .deliveries
            .notes()
            .kept
            .retain(|note| is_kept(note.entry()));
        Ok(())
    }

    fn working(&self) -> MutexGuard<'_, ()> {
        let working = &self.0.deliveries.working;
        working.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How each delivery stands, the newest first.
    pub fn deliveries(&self) -> Vec<ServerDeliveryReport> {
        let records = self.0.deliveries.records();
        let mut reports: Vec<ServerDeliveryReport> =
            records.values().filter_map(ServerDelivery::report).collect();
        reports.sort_by_key(|report| (std::cmp::Reverse(report.asked_at), report.trace_id.clone()));
        reports
    }

    /// Accounts that may be written to.
    fn writable(&self) -> impl Iterator<Item = &Arc<LiveAccount>> {
        self.0
            .accounts
            .iter()
            .filter(|account| account.config.is_writable)
    }

    /// One thing that happened to one delivery, kept before it counts.
    fn apply(&self, trace_id: &TraceId, event: DeliveryEvent, now: Timestamp) -> Result<(), StoreError> {
        let (vault, store) = self.vault_and_store()?;
        let mut records = self.0.deliveries.records();
        let Some(record) = records.get(trace_id).cloned() else {
            return Ok(());
        };
        let after = record.after(event, now, chance());
        let write = match &after {
            Some(after) => entry_of(trace_id).put(vault, &serde_json::to_vec(after).unwrap_or_default())?,
            None => entry_of(trace_id).forget(),
        };
        store.write(vec![write])?;
        match after {
            Some(after) => drop(records.insert(trace_id.clone(), after)),
            None => drop(records.remove(trace_id)),
        }
        Ok(())
    }

    /// Makes deliveries of what turns noted, and tries again what an account that was reached waits for.
    fn take_up_notes(&self, now: Timestamp) -> Result<(), StoreError> {
        let (kept, reached) = {
            let mut notes = self.0.deliveries.notes();
            (
                std::mem::take(&mut notes.kept),
                std::mem::take(&mut notes.reached),
            )
        };
        for note in kept {
            if let Some(text) = &note.text {
                self.take_up(&note, text)?;
            } else {
                let of_name = |one: &&ServerDelivery| one.name == note.name;
                let records = self.0.deliveries.records();
                let ids: Vec<TraceId> = records
                    .values()
                    .filter(of_name)
                    .map(|one| one.trace_id.clone())
                    .collect();
                drop(records);
                for id in ids {
                    self.apply(&id, DeliveryEvent::TakenBack, now)?;
                }
            }
            let (_, store) = self.vault_and_store()?;
            store.write(vec![note.entry().forget()])?;
        }
        if !reached.is_empty() {
            let waits = |one: &&ServerDelivery| {
                !one.is_settled()
                    && one.failures > 0
                    && one
                        .place
                        .as_ref()
                        .is_none_or(|place| reached.contains(&place.account))
            };
            let records = self.0.deliveries.records();
            let ids: Vec<TraceId> = records
                .values()
                .filter(waits)
                .map(|one| one.trace_id.clone())
                .collect();
            drop(records);
            for id in ids {
                self.apply(&id, DeliveryEvent::Reachable, now)?;
            }
        }
        let old = outdated(&self.0.deliveries.records(), now);
        for id in old {
            self.apply(&id, DeliveryEvent::NoServer, now)?;
        }
        Ok(())
    }

    fn change_calendar(&self, account: &LiveAccount, change: &ServerChange, now: Timestamp) -> ChangeEnd {
        let changed = self.with_token(account, || {
            let mut request = account.server_request(now);
            request.change = Some(change.clone());
            let mut connect = || self.connect(account);
            let end = change_account(
                &WorkerProgram::default(),
                &account.config.name,
                &request,
                &mut connect,
            );
            match end {
                // Nothing was changed by a login that is refused.
                ChangeEnd::Failed {
                    failure: LookFailure::LoginRefused,
                    is_perhaps_made: false,
                } => Err(LookFailure::LoginRefused),
                end @ (ChangeEnd::Answered(_) | ChangeEnd::Failed { .. }) => Ok(end),
            }
        });
        changed.unwrap_or_else(|failure| ChangeEnd::Failed {
            failure,
            is_perhaps_made: false,
        })
    }

    fn take_up(&self, note: &DeliveryNote, text: &str) -> Result<(), StoreError> {
        let (vault, store) = self.vault_and_store()?;
        let mut records = self.0.deliveries.records();
        // The same turn may be done again after a crash.
        if records.contains_key(&note.trace_id) {
            return Ok(());
        }
        if !has_room(&records) {
            tracing::error!("too much waits to be delivered: a file stays in the outbox alone");
            return Ok(());
        }
        let Some(record) = ServerDelivery::new(&note.trace_id, &note.name, text, note.at) else {
            return Ok(());
        };
        let bytes = serde_json::to_vec(&record).unwrap_or_default();
        store.write(vec![entry_of(&note.trace_id).put(vault, &bytes)?])?;
        records.insert(note.trace_id.clone(), record);
        Ok(())
    }

    /// Does what is due, one after the other, up to a draft of which it is not said which mail it answers: gives that.
    fn deliver_due(&self, named: Option<&AnsweredMail>) -> Result<Option<ItemId>, StoreError> {
        let _one = self.working();
        while !self.is_over()
            && let Some(now) = self.now()
        {
            self.take_up_notes(now)?;
            self.note_edits(now)?;
            let (step, _) = next_step(&self.0.deliveries.records(), now);
            let Some((id, step)) = step else { break };
            let record = self.0.deliveries.records().get(&id).cloned();
            let Some(record) = record else { break };
            let mut answers = None;
            if step != DeliveryStep::GiveUp
                && let Some(item) = record.answered_item()
            {
                let Some(named) = named.filter(|named| named.item == item) else {
                    return Ok(Some(item));
                };
                answers = named.message_id.as_deref();
            }
            match step {
                DeliveryStep::GiveUp => self.apply(&id, DeliveryEvent::TooLate, now)?,
                DeliveryStep::FindPlace => {
                    let event = match self.find_place(&record, answers.is_some()) {
                        FoundPlace::Here(place) => DeliveryEvent::Placed(place),
                        FoundPlace::NotYet => DeliveryEvent::NotYet,
                        FoundPlace::Nowhere => DeliveryEvent::NoServer,
                    };
                    self.apply(&id, event, now)?;
                }
                DeliveryStep::Change => self.change(record, answers, now)?,
            }
        }
        Ok(None)
    }

    /// The account that a delivery goes to, where it still may.
    fn allowed(&self, place: &DeliveryPlace) -> Option<&Arc<LiveAccount>> {
        self.find(&place.account)
            .filter(|account| account.config.is_writable && account.config.place.server() == place.server)
    }

    /// On disk before anything is sent: who is killed from here on looks before it sends again.
    fn begin(&self, id: &TraceId, now: Timestamp) -> Result<(), StoreError> {
        self.apply(id, DeliveryEvent::Begun, now)?;
        let (_, store) = self.vault_and_store()?;
        store.commit_now().map_err(|_| StoreError::Stopped)
    }

    /// Has a worker make the change of one delivery; `answers`: of a draft, the id of the mail that it answers.
    fn change(
        &self,
        before: ServerDelivery,
        answers: Option<&str>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let id = &before.trace_id.clone();
        let Some(place) = &before.place else { return Ok(()) };
        let Some(account) = self.allowed(place) else {
            return self.apply(id, DeliveryEvent::NotAllowed, now);
        };
        // A draft goes to whoever wrote the mail, which is fetched again after a start and read then.
        let is_nameless = answers.is_none() && before.answered_item().is_some() && now < before.until;
        if account.config.is_paused || is_nameless {
            return self.apply(id, DeliveryEvent::NotYet, now);
        }
        let is_draft = before.kind == DeliveryKind::Draft;
        let change = before.change();
        if change.is_none() && !is_draft {
            return self.apply(id, DeliveryEvent::NoServer, now);
        }
        self.begin(id, now)?;
        let end = if let Some(change) = change {
            self.change_calendar(account, &change, now)
        } else {
            change_drafts(account, &before, answers, now)
        };
        if self.is_over() {
            return Ok(());
        }
        match &end {
            ChangeEnd::Answered(outcome) => {
                tracing::info!(
                    account = account.config.name,
                    ?outcome,
                    "a change on a server was answered"
                );
            }
            ChangeEnd::Failed { failure, .. } => {
                tracing::warn!(
                    account = account.config.name,
                    ?failure,
                    "a change on a server was not answered"
                );
            }
        }
        let is_answered = matches!(end, ChangeEnd::Answered(_));
        let before = Box::new(before);
        self.apply(
            id,
            DeliveryEvent::Answered { before, end },
            self.now().unwrap_or(now),
        )?;
        if is_answered && !is_draft {
            // What is there now is read at once; the worker of mail hears of it by itself.
            account.note_change();
        }
        Ok(())
    }

    /// How long nothing is to be done.
    fn delivery_wait(&self) -> Duration {
        let Some(now) = self.now() else { return IDLE };
        let (_, due) = next_step(&self.0.deliveries.records(), now);
        due.map_or(IDLE, |due| {
            let ms = due.since(now).max(1000).unsigned_abs();
            Duration::from_millis(ms).min(IDLE)
        })
    }

    /// Does what is due, on a thread of its own: the machine does not wait for it when it ends. `mail_id` says which mail is answered.
    async fn deliver(&self, mail_id: &impl Fn(ItemId) -> BackendFuture<Option<String>>) {
        let mut named = None;
        loop {
            let (told, heard) = oneshot::channel();
            let (me, answered) = (self.clone(), named.take());
            let begun = thread::Builder::new()
                .name("aura-delivery".to_owned())
                .spawn(move || drop(told.send(me.deliver_due(answered.as_ref()))));
            let done = match begun {
                Ok(_) => heard.await.unwrap_or(Ok(None)),
                Err(_) => Ok(None),
            };
            match done {
                Ok(Some(item)) => {
                    let message_id = mail_id(item.clone()).await;
                    named = Some(AnsweredMail { item, message_id });
                }
                Ok(None) => return,
                Err(error) => {
                    // It is done at the next try, or after the next start.
                    tracing::warn!(code = error.code(), %error, "a delivery could not be kept");
                    return;
                }
            }
        }
    }
}

/// Delivers what the owner confirmed, until the service ends.
pub(super) async fn deliver_always(
    accounts: LiveAccounts,
    mail_id: impl Fn(ItemId) -> BackendFuture<Option<String>>,
    stopped: watch::Receiver<bool>,
) {
    repeat(stopped, &accounts.0.deliveries.wake, FIRST, async || {
        accounts.deliver(&mail_id).await;
        accounts.delivery_wait()
    })
    .await;
    accounts.end();
}
