//! Posts, what is offered to agents, and the answers of ingests.
//!
//! What: takes a post's signals in, offers them, writes an ingest's answer with all that belongs to it in one transaction, and answers
//! the post when that is on disk, or after 3 s. Why: 202 is a promise; everything that keeps it is on this page (docs/adr/0053). Not
//! here: which signals go when (`delivery`), when an agent is asked (`orchestrator_machine`), the agents' processes.

use super::{
    CallAnswered, OrchestratorActor, OrchestratorShell, PortAddresses,
    messages::{PostSignals, PostedSignal},
};
use crate::{
    actors::quarantine::RecordRefusal,
    call_gate,
    delivery::{DeliveryQueue, IngestFailure},
    post_progress::{ItemState, PostOutcome, PostProgress},
    remember,
};
use actix::{AsyncContext, Context, Handler, Message};
use agents::contract::{AgentCallError, AgentCheckpoint, IngestInput};
use aura_memory::{ReadSignal, SignalFate, SignalKey, StoreWrite, quarantine::QuarantineKind};
use aura_platform::in_flight::InFlightGuard;
use orchestrator_machine::{
    EventKind,
    effect::{OutgoingCall, ReplyTo},
    event::SeenSignal,
    supervision::{Backoff, SupervisedRole},
};
use serde::Deserialize as _;
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
    time::Duration,
};
use surfaces_base::format::local_date;
use tokio::sync::oneshot;
use toolcall_schema::{AgentName, Timestamp, signal::AdmittedSignal, tick::IngestArgs};

/// A post is answered at the latest after this time: the page's 3 s without the way there and back.
const POST_MS: i64 = 2800;
/// Posts that may wait to be answered.
const POSTS_MAX: usize = 256;
/// After how long what failed is offered again.
const RETRY: Backoff = Backoff {
    first: Duration::from_millis(50),
    longest: Duration::from_millis(3200),
};
/// A disk that did not take a commit is asked again after this time.
const DISK_MS: i64 = 500;
/// A look at files that gave no answer is asked for again after this many failures in a row; then the folders' next look has to do.
const LOOKS_MAX: u32 = 10;
/// While signals wait for a clock that is right, it is looked at so often.
const CLOCK_MS: i64 = 5000;
/// So long what is on disk is remembered here too: a post that was looked up in the store a moment earlier does not know it.
const JUST_NOW_MS: i64 = 10_000;

/// What the orchestrator holds of signals that are not read, or not on disk, yet.
#[derive(Default)]
pub(super) struct SignalIntake {
    queue: DeliveryQueue,
    /// Where each agent is by the journal.
    checkpoints: BTreeMap<AgentName, AgentCheckpoint>,
    posts: Vec<PendingPost>,
    /// Settled, written, and not known to be on disk.
    written: BTreeMap<SignalKey, SignalFate>,
    /// Whether a commit is on its way.
    flushing: bool,
    /// When the disk is asked again.
    flush_at: Option<Timestamp>,
    /// When the clock is looked at again that signals wait for.
    clock_at: Option<Timestamp>,
    /// On disk since a moment ago.
    just_now: BTreeMap<SignalKey, (SignalFate, Timestamp)>,
    /// Agents whose last ingest failed: how often in a row, and when they are offered something again.
    failures: BTreeMap<AgentName, (u32, Timestamp)>,
    /// Agents that did not answer what their files hold: they are asked once more, because no folder need change until somebody looks again.
    unread_files: BTreeSet<AgentName>,
}

/// A post whose signals are not all settled yet.
struct PendingPost {
    progress: PostProgress,
    until: Timestamp,
    reply: oneshot::Sender<PostOutcome>,
}

impl SignalIntake {
    pub(super) fn from_checkpoints(checkpoints: BTreeMap<AgentName, AgentCheckpoint>) -> Self {
        Self {
            checkpoints,
            ..Self::default()
        }
    }

    /// Where each agent is by the journal.
    pub(super) fn checkpoints(&self) -> Vec<(AgentName, AgentCheckpoint)> {
        let all = self.checkpoints.iter();
        all.map(|(agent, checkpoint)| (*agent, checkpoint.clone()))
            .collect()
    }

    /// What was posted before a deletion and is posted again is for the store to know.
    pub(super) fn forget_just_now(&mut self) {
        self.just_now.clear();
    }

    fn checkpoint(&self, agent: AgentName) -> AgentCheckpoint {
        self.checkpoints.get(&agent).cloned().unwrap_or_default()
    }

    /// When something is to be done here by the clock alone. `to_timeline` turns the wall clock's instants.
    pub(super) fn due(
        &self,
        wall: Timestamp,
        to_timeline: impl Fn(Timestamp) -> Timestamp,
    ) -> Option<Timestamp> {
        let posts = self.posts.iter().map(|post| post.until);
        let agents = self.queue.waiting().filter_map(|agent| {
            let failed = self.failures.get(&agent).map(|(_, again)| *again);
            let first = self.queue.first_due(agent).filter(|first| *first > wall);
            failed.into_iter().chain(first.map(&to_timeline)).max()
        });
        let files = self.unread_files.iter();
        let files = files.filter_map(|agent| self.failures.get(agent).map(|(_, again)| *again));
        posts.chain(agents).chain(files).chain(self.flush_at).min()
    }

    /// When the clock is to be looked at, because signals are held that are due by it and were not offered: their dates are in doubt.
    pub(super) fn clock_due(&mut self, at: Timestamp, wall: Timestamp) -> Option<Timestamp> {
        let is_due = |agent| self.queue.first_due(agent).is_some_and(|first| first <= wall);
        let waits = self
            .queue
            .waiting()
            .any(|agent| self.may_be_offered(agent, at) && is_due(agent));
        if !waits {
            self.clock_at = None;
            return None;
        }
        Some(*self.clock_at.get_or_insert(at.plus_ms(CLOCK_MS)))
    }

    /// What is known of a signal without looking into the store.
    fn known(&self, key: &SignalKey) -> Option<ItemState> {
        if self.written.contains_key(key) || self.queue.holds(key) {
            return Some(ItemState::Awaited(key.clone()));
        }
        self.just_now.get(key).map(|(fate, _)| (*fate).into())
    }

    /// Signals are settled, and the rows that say so are handed to the store.
    fn settled(&mut self, signals: Vec<(SignalKey, Timestamp)>, fate: SignalFate) -> Vec<StoreWrite> {
        signals
            .into_iter()
            .map(|(key, at)| {
                self.written.insert(key.clone(), fate);
                StoreWrite::Signal(ReadSignal {
                    key,
                    at_ms: at.ms(),
                    fate,
                })
            })
            .collect()
    }

    /// These are on disk.
    fn on_disk(&mut self, signals: BTreeMap<SignalKey, SignalFate>, at: Timestamp) {
        self.just_now.retain(|_, (_, until)| *until > at);
        for (key, fate) in signals {
            for post in &mut self.posts {
                post.progress.settle(&key, fate);
            }
            self.written.remove(&key);
            self.just_now.insert(key, (fate, at.plus_ms(JUST_NOW_MS)));
        }
    }

    /// Answers the posts that are settled, and those whose time is over.
    fn answer(&mut self, at: Timestamp) {
        let is_done = |post: &mut PendingPost| post.progress.is_settled() || post.until <= at;
        for post in self.posts.extract_if(.., is_done) {
            // The requester may be gone.
            let _ = post.reply.send(post.progress.outcome());
        }
    }

    fn failed(&mut self, agent: AgentName, at: Timestamp) {
        let (failures, again) = self.failures.entry(agent).or_insert((0, at));
        let pause_ms = RETRY.pause(*failures).as_millis();
        *again = at.plus_ms(i64::try_from(pause_ms).unwrap_or(i64::MAX));
        *failures = failures.saturating_add(1);
    }

    /// An agent's look at its files came to nothing.
    fn files_failed(&mut self, agent: AgentName) {
        let failures = self.failures.get(&agent).map_or(0, |(failures, _)| *failures);
        if failures < LOOKS_MAX {
            self.unread_files.insert(agent);
        }
    }

    /// Whose files may be asked for once more now; each is given out once.
    fn files_due(&mut self, at: Timestamp) -> Vec<AgentName> {
        let due = |agent: &AgentName| self.failures.get(agent).is_none_or(|(_, again)| *again <= at);
        self.unread_files.extract_if(.., due).collect()
    }

    fn may_be_offered(&self, agent: AgentName, at: Timestamp) -> bool {
        self.failures.get(&agent).is_none_or(|(_, again)| *again <= at)
    }
}

/// The store's answer to a flush, to the orchestrator itself.
#[derive(Message)]
#[rtype(result = "()")]
struct FlushCompleted {
    signals: BTreeMap<SignalKey, SignalFate>,
    ok: bool,
    ticket: InFlightGuard,
}

impl OrchestratorShell {
    /// What an ingest that leaves now is given.
    pub(super) fn ingest_input(&mut self, outgoing: &OutgoingCall) -> Option<IngestInput> {
        let ReplyTo::Ingest { agent, number } = outgoing.reply else {
            return None;
        };
        let args: Option<IngestArgs> = IngestArgs::deserialize(&*outgoing.call.args).ok();
        let names_signals = args.is_some_and(|args| !args.signal_ids.is_empty());
        Some(IngestInput {
            from: self.intake.checkpoint(agent),
            signals: if names_signals {
                let in_doubt = self.dates_in_doubt();
                self.intake.queue.ask(agent, number, outgoing.call.ts, &in_doubt)
            } else {
                Vec::new()
            },
            ages_upto: self
                .addresses
                .as_ref()
                .and_then(|addresses| addresses.retention.ages_upto()),
        })
    }

    /// Agents would leave out what is dated so: nobody knows yet whether that is too old.
    fn dates_in_doubt(&self) -> Range<Timestamp> {
        self.addresses
            .as_ref()
            .map(|addresses| addresses.retention.dates_in_doubt())
            .unwrap_or_default()
    }
}

impl OrchestratorActor {
    /// Tells the machine of signals that agents can read now.
    pub(super) fn offer(&mut self, ctx: &mut Context<Self>) {
        // The machine's wall clock: a call is stamped by it.
        let at = self.shell.clock.at();
        let wall = self.executor.state.wall(at);
        let in_doubt = self.shell.dates_in_doubt();
        let agents: Vec<AgentName> = self.shell.intake.queue.waiting().collect();
        for agent in agents {
            if !self.shell.intake.may_be_offered(agent, at) {
                continue;
            }
            let key = self.executor.env.seed.key("signal hash v1");
            let offered = self.shell.intake.queue.offer(agent, wall, &in_doubt);
            let signals: Vec<SeenSignal> = offered
                .into_iter()
                .map(|signal| call_gate::seen_signal(&key, signal))
                .collect();
            if !signals.is_empty() {
                self.take_turn(EventKind::SignalsSeen { signals }, ctx);
            }
        }
    }

    /// What is due here by the clock.
    pub(super) fn intake_due(&mut self, ctx: &mut Context<Self>) {
        let at = self.shell.clock.at();
        if self.shell.intake.flush_at.take_if(|due| *due <= at).is_some() {
            self.flush_signals(ctx);
        }
        if self.shell.intake.clock_at.take_if(|due| *due <= at).is_some()
            && let Some(addresses) = &self.shell.addresses
        {
            addresses.retention.observe();
        }
        self.shell.intake.answer(at);
        for agent in self.shell.intake.files_due(at) {
            self.take_turn(EventKind::SourcesChanged { agent }, ctx);
        }
        self.offer(ctx);
        self.arm(ctx);
    }

    /// Asks the disk for what was written; one commit at a time.
    fn flush_signals(&mut self, ctx: &mut Context<Self>) {
        let intake = &self.shell.intake;
        if intake.flushing || intake.written.is_empty() || self.shell.addresses.is_none() {
            return;
        }
        self.shell.intake.flushing = true;
        let signals = self.shell.intake.written.clone();
        let (reply, answer) = oneshot::channel();
        let busy = &self.shell.busy;
        let (to_store, ticket) = (
            busy.ticket_to(SupervisedRole::Memory),
            busy.ticket_to(SupervisedRole::Orchestrator),
        );
        let me = ctx.address();
        self.shell.flush_writes(me.clone(), reply, to_store);
        actix::spawn(async move {
            // Not taken, or no writer any more: as if the disk had refused.
            let ok = answer.await.unwrap_or(false);
            let _ = me.send(FlushCompleted { signals, ok, ticket }).await;
        });
    }

    /// An ingest's answer, or that there is none.
    pub(super) fn ingested(&mut self, answered: CallAnswered, ctx: &mut Context<Self>) {
        let CallAnswered {
            outgoing,
            answer,
            ticket,
        } = answered;
        let ReplyTo::Ingest { agent, number } = outgoing.reply else {
            return;
        };
        self.shell.health.agent(agent, answer.is_ok());
        let result = answer.map_err(failure_of).and_then(|answer| {
            let back = call_gate::answered(&outgoing, &answer.result, None);
            if let Some(error) = &back.refused {
                self.refused_result(&outgoing, error, &answer.result);
                // It is as bad as a death: the same would come again.
                return Err(IngestFailure::Ended { own: true });
            }
            if self.continues_from_journal(agent, answer.from) {
                Ok(back)
            } else {
                Err(IngestFailure::NotRead)
            }
        });
        match result {
            Ok(back) => self.count_answer(&outgoing, back, ctx),
            Err(failure) => {
                tracing::warn!(
                    agent = agent.as_str(),
                    ?failure,
                    "an ingest gave no answer that counts"
                );
                let given_up = self.shell.intake.queue.failed(agent, number, failure);
                self.shell.intake.failed(agent, self.shell.clock.at());
                if !names_signals(&outgoing) {
                    self.shell.intake.files_failed(agent);
                }
                if !given_up.is_empty() {
                    tracing::error!(
                        code = "SIGNAL-005",
                        agent = agent.as_str(),
                        signals = given_up.len(),
                        "a signal ended its agent three times: it is refused from now on"
                    );
                }
                let rows = self.shell.intake.settled(given_up, SignalFate::Refused);
                self.take_turn_with_rows(call_gate::failed(outgoing.reply), rows, ctx);
            }
        }
        self.flush_signals(ctx);
        self.offer(ctx);
        self.arm(ctx);
        drop(ticket);
    }

    /// Writes an answer that goes on from the journal: the event, the agent's state with its cursors, what it noticed, and which
    /// signals it read, in one transaction.
    fn count_answer(
        &mut self,
        outgoing: &OutgoingCall,
        back: call_gate::CallOutcome,
        ctx: &mut Context<Self>,
    ) {
        let ReplyTo::Ingest { agent, number } = outgoing.reply else {
            return;
        };
        let has_read_files =
            !names_signals(outgoing) && back.read.as_ref().is_some_and(|read| read.items > 0);
        self.shell.health.skipped(agent, back.skipped, back.skips);
        let read = self.shell.intake.queue.read(agent, number);
        self.shell.intake.failures.remove(&agent);
        if let Some(answer) = back.read {
            let at = self.shell.clock.wall();
            let day = local_date(at, self.executor.env.settings.zone);
            self.shell
                .health
                .read(agent, (at, day), answer, names_signals(outgoing));
        }
        if !names_signals(outgoing) {
            self.shell.intake.unread_files.remove(&agent);
        }
        let mut rows = remember::rows_of_observations(&back.seen);
        let withdraws = agent == AgentName::Finance && takes_back(back.state_change.as_ref());
        rows.extend(self.journal_state(agent, back.state_change));
        rows.extend(self.shell.intake.settled(read, SignalFate::Read));
        self.take_turn_with_rows(back.what, rows, ctx);
        if withdraws && let Some(addresses) = &self.shell.addresses {
            addresses.withdrawals.notify_one();
        }
        if has_read_files {
            // Nobody waits for the answer but the health that it tells of: who has something read hears of a full disk.
            let (reply, _) = oneshot::channel();
            let ticket = self.shell.busy.ticket_to(SupervisedRole::Memory);
            self.shell.flush_writes(ctx.address(), reply, ticket);
        }
    }

    /// Whether an answer that began at this checkpoint goes on from the journal. Where it does not, the agent is started again from the
    /// journal's state.
    pub(super) fn continues_from_journal(&mut self, agent: AgentName, from: Option<u64>) -> bool {
        let checkpoint = self.shell.intake.checkpoint(agent);
        if from == Some(checkpoint.number) && !self.shell.resting.removes() {
            return true;
        }
        tracing::warn!(
            agent = agent.as_str(),
            "an answer does not go on from the journal: the agent begins from there again"
        );
        self.set_checkpoint(agent, checkpoint.out_of_reach());
        false
    }

    /// The row of a change in an agent's state, which leads to the next checkpoint; `None`: it did not change.
    pub(super) fn journal_state(&mut self, agent: AgentName, change: Option<Value>) -> Option<StoreWrite> {
        let is_changed = change.is_some();
        let checkpoint = self.shell.intake.checkpoint(agent).following(change);
        let state = checkpoint.state.as_ref().filter(|_| is_changed);
        let row = state.map(|state| StoreWrite::agent_state(agent, state));
        self.set_checkpoint(agent, checkpoint);
        row
    }

    /// Puts an agent at a checkpoint.
    pub(super) fn set_checkpoint(&mut self, agent: AgentName, checkpoint: AgentCheckpoint) {
        self.shell.intake.checkpoints.insert(agent, checkpoint.clone());
        if let Some(addresses) = &self.shell.addresses {
            addresses.agents.journalled(agent, checkpoint);
        }
    }

    pub(super) fn refused_result(
        &mut self,
        outgoing: &OutgoingCall,
        error: &toolcall_schema::SchemaError,
        bytes: &[u8],
    ) {
        self.shell.health.refused_results += 1;
        let line = RecordRefusal::of_error(QuarantineKind::Results, self.shell.clock.wall(), error, bytes)
            .call(
                Some(outgoing.tool.agent()),
                Some(outgoing.tool.tool().to_owned()),
                Some(outgoing.call.call_id.clone()),
            )
            .trace(outgoing.trace_id.clone());
        self.shell.quarantine(line);
    }
}

/// Whether a change of Finance's state names payments that memory is to let go of.
fn takes_back(change: Option<&Value>) -> bool {
    change.is_some_and(|change| change.get("withdrawn").is_some_and(Value::is_array))
}

fn names_signals(outgoing: &OutgoingCall) -> bool {
    let ids = outgoing
        .call
        .args
        .get("signal_ids")
        .and_then(serde_json::Value::as_array);
    ids.is_some_and(|ids| !ids.is_empty())
}

fn failure_of(fault: AgentCallError) -> IngestFailure {
    match fault {
        AgentCallError::Ended { own } => IngestFailure::Ended { own },
        AgentCallError::Busy
        | AgentCallError::Deadline
        | AgentCallError::NotBegun
        | AgentCallError::Refused
        | AgentCallError::NotMine => IngestFailure::NotRead,
    }
}

impl Handler<PostSignals> for OrchestratorActor {
    type Result = ();

    fn handle(&mut self, post: PostSignals, ctx: &mut Self::Context) {
        let full = self.shell.intake.posts.len() >= POSTS_MAX;
        let mut items = Vec::new();
        for posted in post.signals {
            let PostedSignal { key, signal, fate } = posted;
            let known = fate
                .map(ItemState::from)
                .or_else(|| self.shell.intake.known(&key));
            items.push(match known {
                Some(state) => state,
                None if full => ItemState::NoRoom,
                None => self.enqueue_signal(key, signal, ctx),
            });
        }
        self.shell.intake.posts.push(PendingPost {
            progress: PostProgress::new(items),
            until: self.shell.clock.at().plus_ms(POST_MS),
            reply: post.reply,
        });
        self.shell.intake.answer(self.shell.clock.at());
        self.flush_signals(ctx);
        self.offer(ctx);
        self.arm(ctx);
        drop(post.ticket);
    }
}

impl OrchestratorActor {
    /// A signal that is new: held for its agent, or, when it has no text, told to the machine at once.
    fn enqueue_signal(
        &mut self,
        key: SignalKey,
        admitted: AdmittedSignal,
        ctx: &mut Context<Self>,
    ) -> ItemState {
        let awaited = ItemState::Awaited(key.clone());
        let Some(notice) = call_gate::notice(admitted.payload()) else {
            return match self.shell.intake.queue.push(key, admitted) {
                Ok(()) => awaited,
                Err(_) => ItemState::NoRoom,
            };
        };
        let addresses = self.shell.addresses.as_ref();
        if addresses.is_some_and(|all| all.store.is_behind()) {
            return ItemState::NoRoom;
        }
        let signal = admitted.into_signal();
        let signals = vec![call_gate::seen_signal(
            &self.executor.env.seed.key("signal hash v1"),
            &signal,
        )];
        self.take_turn(EventKind::SignalsSeen { signals }, ctx);
        let rows = self
            .shell
            .intake
            .settled(vec![(key, signal.at)], SignalFate::Read);
        self.take_turn_with_rows(notice, rows, ctx);
        awaited
    }
}

impl Handler<FlushCompleted> for OrchestratorActor {
    type Result = ();

    fn handle(&mut self, on_disk: FlushCompleted, ctx: &mut Self::Context) {
        let at = self.shell.clock.at();
        self.shell.intake.flushing = false;
        if on_disk.ok {
            self.shell.intake.on_disk(on_disk.signals, at);
            self.shell.intake.answer(at);
            // What was written meanwhile.
            self.flush_signals(ctx);
        } else {
            self.shell.intake.flush_at = Some(at.plus_ms(DISK_MS));
        }
        self.arm(ctx);
        drop(on_disk.ticket);
    }
}

/// Tells the agents where they are by the journal, before anything is asked.
pub(super) fn tell_agents(intake: &SignalIntake, addresses: &PortAddresses) {
    for (agent, checkpoint) in &intake.checkpoints {
        addresses.agents.journalled(*agent, checkpoint.clone());
    }
}
