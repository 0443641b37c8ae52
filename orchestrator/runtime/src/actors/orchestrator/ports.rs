//! One turn of the machine in the service: an event goes in, and effects come out.
//!
//! What: [`TurnPorts`], what effects are performed on: the store, other actors and the agents' processes; and what begins outside and is
//! answered by an effect, or the other way round: an answer to a card, a call that somebody asks for, an agent's answer, a commit. Why: who
//! looks for what becomes of a message finds both of its ends here. Not here: which effect does what (`crate::executor`), other sets of
//! ports (`aura_days::simulator`).

use super::{
    CancelAsk, InjectEvent, LastTick, OrchestratorActor, OrchestratorShell, PortAddresses, RequestCall,
    SubmitCard,
};
use crate::{
    actors::{model::AskModel, quarantine::RecordRefusal},
    call_gate::{self, CallOutcome},
    executor::{CallRoute, CommitNotification, EffectPorts, ModelInquiry, TurnRecord},
    fault_plan::DiskFault,
};
use actix::{Addr, AsyncContext, Context, Handler, Message};
use agents::contract::{AgentCallError, AnsweredCall};
use aura_memory::StoreWrite;
use aura_platform::{
    in_flight::{InFlight, InFlightGuard},
    mailbox::send,
    metrics::METRICS,
};
use orchestrator_machine::{
    EventKind, MachineEnv, MachineEvent, MachineState,
    calls::{CallAnswer, CallRequest},
    effect::{IgnoreReason, OutgoingCall, ReplyTo, SubmissionVerdict},
    state::MachinePhase,
    supervision::SupervisedRole,
};
use std::{
    ops::ControlFlow::{self, Break, Continue},
    sync::Arc,
};
use surfaces_base::backend::UiEventKind;
use tokio::sync::oneshot;
use toolcall_schema::{
    ActionKind, Timestamp,
    ids::{CardId, TraceId},
    trace::{Card, Trace},
};

/// Submissions that may wait for their verdict.
const REQUESTS_MAX: usize = 256;

/// The ports of one turn.
pub(super) struct TurnPorts<'a> {
    pub(super) shell: &'a mut OrchestratorShell,
    pub(super) ctx: &'a mut Context<OrchestratorActor>,
}

impl EffectPorts for TurnPorts<'_> {
    fn wall(&self, _state: &MachineState) -> Timestamp {
        self.shell.clock.wall()
    }

    fn persist(&mut self, turn: TurnRecord, _state: &MachineState) -> ControlFlow<()> {
        let Some(addresses) = &self.shell.addresses else {
            return Continue(());
        };
        let TurnRecord {
            writes,
            notify,
            disk,
            at: _,
        } = turn;
        if let Err(error) = addresses.store.write(writes) {
            tracing::error!(code = error.code(), %error, "an event was not taken: a new process goes on from the last one that was");
            self.shell.health.not_written();
            addresses.store.escalate();
            return Break(());
        }
        addresses.accounts.turn_kept();
        if !notify.is_empty() {
            self.shell.await_commit(self.ctx.address(), notify, disk);
        }
        Continue(())
    }

    fn spill_trace(&mut self, trace: &Trace) {
        self.shell.health.raw_traces += 1;
        let Some(addresses) = &self.shell.addresses else {
            return;
        };
        let (store, trace_id) = (addresses.store.clone(), trace.trace_id.clone());
        let json = serde_json::to_string(trace).unwrap_or_default();
        let ticket = self.shell.busy.ticket_to(SupervisedRole::Memory);
        actix::spawn(async move {
            let kept = tokio::task::spawn_blocking(move || store.put_raw_trace(&trace_id, &json)).await;
            drop(ticket);
            match kept {
                Ok(Ok(())) => {}
                Ok(Err(error)) => tracing::error!(code = error.code(), %error, "raw trace not written"),
                Err(error) => tracing::error!(%error, "raw trace not written"),
            }
        });
    }

    fn quarantine(&mut self, line: RecordRefusal) {
        self.shell.quarantine(line);
    }

    fn deliver(&mut self, trace_id: &TraceId, name: &str, text: Option<&str>) -> Vec<StoreWrite> {
        let addresses = self.shell.addresses.as_ref();
        addresses.map_or_else(Vec::new, |addresses| {
            addresses.accounts.note_outbox(trace_id, name, text)
        })
    }

    fn hold(&mut self, outgoing: OutgoingCall) -> Option<OutgoingCall> {
        match outgoing.reply {
            ReplyTo::Ingest { .. } => self.shell.hold_ingest(outgoing, self.ctx.address()),
            ReplyTo::Tick { .. } | ReplyTo::Action { .. } | ReplyTo::Call { .. } => Some(outgoing),
        }
    }

    fn call(&mut self, outgoing: OutgoingCall, route: CallRoute) {
        let input = self.shell.ingest_input(&outgoing);
        let Some(PortAddresses { agents, .. }) = &self.shell.addresses else {
            return;
        };
        let (me, agents) = (self.ctx.address(), agents.clone());
        let (busy, clock) = (self.shell.busy.clone(), self.shell.clock.clone());
        let mut ticket = Some(busy.ticket());
        actix::spawn(async move {
            let answer = match route {
                CallRoute::Answer(bytes) => Ok(AnsweredCall::stateless(bytes)),
                CallRoute::Agent { mut call, delay_ms } => {
                    if let Some(ms) = delay_ms {
                        ticket = None;
                        ticket = clock
                            .sleep_until(clock.at().plus_ms(i64::from(ms)))
                            .await
                            .or(ticket);
                        call.at = clock.wall();
                    }
                    call.input = input.unwrap_or_default();
                    agents.ask(call).await
                }
            };
            let answered = CallAnswered {
                outgoing: Box::new(outgoing),
                answer,
                ticket: busy.ticket_to(SupervisedRole::Orchestrator),
            };
            if answered.is_kept() {
                // What was read or done is held until its answer is handled: it waits for room.
                let _ = me.send(answered).await;
            } else {
                // Not taken: the deadline passes.
                let _ = send(&me, "orchestrator", answered);
            }
            drop(ticket);
        });
    }

    fn call_refused(&mut self, outgoing: OutgoingCall) {
        self.shell.health.refused_calls += 1;
        if matches!(outgoing.reply, ReplyTo::Ingest { .. }) {
            // Nothing was asked, and nobody will answer.
            let answered = CallAnswered {
                outgoing: Box::new(outgoing),
                answer: Err(AgentCallError::NotBegun),
                ticket: self.shell.busy.ticket_to(SupervisedRole::Orchestrator),
            };
            let _ = send(&self.ctx.address(), "orchestrator", answered);
        }
    }

    fn trace_written(&mut self, trace: Arc<Trace>) {
        let (id, outcome) = (trace.trace_id.as_str(), trace.outcome.as_str());
        if trace.decision.call.is_some() {
            tracing::info!(trace = id, outcome, "a call that was asked for ended");
        } else {
            METRICS.tick(&trace);
            self.shell.last_tick = Some(LastTick::from_trace(&trace));
            tracing::info!(trace = id, outcome, "a tick ended");
        }
    }

    fn show(&mut self, card: &Card) {
        self.shell
            .announce_change(UiEventKind::Card(card.card_id.clone()));
    }

    fn close(&mut self, card_id: CardId) {
        self.shell.announce_change(UiEventKind::Closed(card_id));
    }

    fn announce(&mut self, kind: ActionKind) {
        if let Some(addresses) = &self.shell.addresses {
            // Nobody may be listening.
            let _ = addresses.announced.send(kind);
        }
    }

    fn reply(&mut self, request: u64, verdict: SubmissionVerdict) {
        if let Some(reply) = self.shell.requests.remove(&request) {
            // The requester may be gone.
            let _ = reply.send(verdict);
        }
    }

    fn answer_call(&mut self, request: u64, answer: CallAnswer) {
        if let Some(reply) = self.shell.askers.remove(&request) {
            // The requester may be gone.
            let _ = reply.send(answer);
        }
    }

    fn ask_model(&mut self, tick: u64, about: ModelInquiry) {
        // Not taken: the template stays, the order of scores decides.
        if let Some(addresses) = &self.shell.addresses {
            let ticket = self.shell.busy.ticket_to(SupervisedRole::Model);
            let _ = send(&addresses.model, "model", AskModel { tick, about, ticket });
        }
    }

    fn adopt(&mut self, settings_hash: String) -> Option<Arc<MachineEnv>> {
        let env = self.shell.next_env.take()?;
        self.shell.settings_hash = settings_hash;
        Some(env)
    }

    fn ignored(&mut self, what: &IgnoreReason) {
        self.shell.health.ignored += 1;
        tracing::debug!(?what, "event set aside");
    }
}

impl OrchestratorActor {
    /// One turn, after a turn about the wall clock when that was set meanwhile: a call stamped by the old one would be
    /// refused as too old or as of the future.
    pub(super) fn take_turn(&mut self, what: EventKind, ctx: &mut Context<Self>) {
        self.take_turn_with_rows(what, Vec::new(), ctx);
    }

    /// One turn, with rows that stand in the transaction of its event.
    pub(super) fn take_turn_with_rows(
        &mut self,
        what: EventKind,
        rows: Vec<StoreWrite>,
        ctx: &mut Context<Self>,
    ) {
        if !matches!(what, EventKind::Started { .. }) {
            self.watch_wall(ctx);
        }
        self.run_turn(what, rows, ctx);
    }

    pub(super) fn turn(&mut self, what: EventKind, ctx: &mut Context<Self>) {
        self.run_turn(what, Vec::new(), ctx);
    }

    fn run_turn(&mut self, what: EventKind, rows: Vec<StoreWrite>, ctx: &mut Context<Self>) {
        let _in_tick = self.span().entered();
        let kept_trace = if let EventKind::TraceKept { trace_id, .. } = &what {
            Some(trace_id.clone())
        } else {
            None
        };
        let event = MachineEvent {
            at: self.shell.clock.at().max(self.executor.state.at),
            what,
        };
        let mut ports = TurnPorts {
            shell: &mut self.shell,
            ctx,
        };
        // A service ends by its supervisor, not between two effects.
        let _flow = self.executor.turn(event, rows, &mut ports);
        self.run_idle_jobs(ctx);
        self.arm(ctx);
        if let Some(addresses) = &self.shell.addresses {
            addresses.turns.send_replace(());
        }
        // Not when it is written: who is told asks the store for it.
        if let Some(trace) = kept_trace {
            self.shell.announce_change(UiEventKind::Tick(trace));
        }
    }

    /// What happens in a tick is logged with its number.
    pub(super) fn span(&self) -> tracing::Span {
        if matches!(self.executor.state.phase, MachinePhase::Idle) {
            tracing::Span::none()
        } else {
            tracing::info_span!("tick", tick = self.executor.state.ticks)
        }
    }
}

impl OrchestratorShell {
    /// An ingest waits while agents may not read, and while more waits for the disk than should: its answer would only add to that.
    pub(super) fn hold_ingest(
        &mut self,
        ingest: OutgoingCall,
        me: Addr<OrchestratorActor>,
    ) -> Option<OutgoingCall> {
        if !self.addresses.as_ref().is_some_and(|all| all.store.is_behind()) {
            return self.resting.hold(ingest);
        }
        self.waits_for_disk.push(ingest);
        // Its end is told to whoever waits here.
        let (reply, _) = oneshot::channel();
        self.flush_writes(me, reply, self.busy.ticket_to(SupervisedRole::Memory));
        None
    }

    /// The number under which the outcome of a call is told to who waits for it; `None`: too many wait.
    fn expect_answer(&mut self, reply: oneshot::Sender<CallAnswer>) -> Option<u64> {
        // Who has gone waits for nothing.
        self.askers.retain(|_, reply| !reply.is_closed());
        if self.askers.len() >= REQUESTS_MAX {
            return None;
        }
        let request = self.next_request;
        self.next_request += 1;
        self.askers.insert(request, reply);
        Some(request)
    }

    /// Tells `reply` whether everything so far is on disk; dropped when the store takes no question.
    pub(super) fn flush_writes(
        &self,
        me: Addr<OrchestratorActor>,
        reply: oneshot::Sender<bool>,
        ticket: InFlightGuard,
    ) {
        let Some(addresses) = &self.addresses else { return };
        let asked = addresses.store.commit(Box::new(move |result| {
            let ok = result.is_ok();
            let _ = send(&me, "orchestrator", CommitFinished { ok });
            // The requester may be gone.
            let _ = reply.send(ok);
            drop(ticket);
        }));
        if let Err(error) = asked {
            tracing::error!(code = error.code(), %error, "no commit");
        }
    }

    /// Has the machine told, by these events, whether everything so far is on disk.
    fn await_commit(
        &self,
        me: Addr<OrchestratorActor>,
        notify: Vec<CommitNotification>,
        disk: Option<DiskFault>,
    ) {
        let Some(addresses) = &self.addresses else { return };
        let (busy, clock) = (self.busy.clone(), self.clock.clone());
        if disk == Some(DiskFault::Fails) {
            return tell_committed(&me, &busy, notify, false);
        }
        let (asked_at, ticket) = (clock.at(), busy.ticket_to(SupervisedRole::Memory));
        let (told, heard) = oneshot::channel();
        let asked = addresses.store.commit(Box::new(move |result| {
            // The waiter below may be gone with its actor system.
            let _ = told.send((result, ticket));
        }));
        if let Err(error) = asked {
            tracing::error!(code = error.code(), %error, "no commit");
            return tell_committed(&me, &busy, notify, false);
        }
        actix::spawn(async move {
            let Ok((result, ticket)) = heard.await else { return };
            if let Err(error) = &result {
                tracing::error!(%error, "the store could not commit");
            }
            if let Some(DiskFault::SlowMs(ms)) = disk {
                drop(ticket);
                let _woken = clock.sleep_until(asked_at.plus_ms(i64::from(ms))).await;
                tell_committed(&me, &busy, notify, result.is_ok());
            } else {
                tell_committed(&me, &busy, notify, result.is_ok());
                drop(ticket);
            }
        });
    }

    /// Hands a line to the quarantine, which keeps it or counts it as lost.
    pub(super) fn quarantine(&self, line: RecordRefusal) {
        if let Some(addresses) = &self.addresses {
            addresses.quarantine.keep(line);
        }
    }

    fn announce_change(&self, what: UiEventKind) {
        if let Some(addresses) = &self.addresses {
            addresses.live.tell(what);
        }
    }
}

/// The store's writer to the orchestrator: a commit reached the disk, or did not.
#[derive(Message)]
#[rtype(result = "()")]
pub(super) struct CommitFinished {
    pub(super) ok: bool,
}

fn tell_committed(me: &Addr<OrchestratorActor>, busy: &InFlight, notify: Vec<CommitNotification>, ok: bool) {
    let _ = send(me, "orchestrator", CommitFinished { ok });
    for notification in notify {
        let event = InjectEvent {
            what: notification.event(ok),
            ticket: busy.ticket_to(SupervisedRole::Orchestrator),
        };
        // Not taken: the deadline of who waits decides.
        let _ = send(me, "orchestrator", event);
    }
}

impl Handler<SubmitCard> for OrchestratorActor {
    type Result = ();

    fn handle(&mut self, submit: SubmitCard, ctx: &mut Self::Context) {
        if self.shell.requests.len() >= REQUESTS_MAX {
            return;
        }
        let request = self.shell.next_request;
        self.shell.next_request += 1;
        self.shell.requests.insert(request, submit.reply);
        let (card_id, surface, act) = (submit.card_id, submit.surface, submit.act);
        self.take_turn(
            EventKind::Submitted {
                request,
                card_id,
                surface,
                act,
                capability: submit.capability,
            },
            ctx,
        );
        drop(submit.ticket);
    }
}

impl Handler<RequestCall> for OrchestratorActor {
    type Result = ();

    fn handle(&mut self, asked: RequestCall, ctx: &mut Self::Context) {
        let Some(request) = self.shell.expect_answer(asked.reply) else {
            return;
        };
        let CallRequest {
            id,
            asker,
            origin,
            tool,
            args,
            wait_min,
        } = asked.call;
        self.take_turn(
            EventKind::CallRequested {
                request,
                id,
                asker,
                origin,
                tool,
                args,
                wait_min,
            },
            ctx,
        );
        drop(asked.ticket);
    }
}

impl Handler<CancelAsk> for OrchestratorActor {
    type Result = ();

    fn handle(&mut self, asked: CancelAsk, ctx: &mut Self::Context) {
        let Some(request) = self.shell.expect_answer(asked.reply) else {
            return;
        };
        let (id, origin) = (asked.id, asked.origin);
        self.take_turn(EventKind::AskCancelled { request, id, origin }, ctx);
        drop(asked.ticket);
    }
}

/// The orchestrator to itself: an agent answered a call, or did not.
#[derive(Message)]
#[rtype(result = "()")]
pub(super) struct CallAnswered {
    pub(super) outgoing: Box<OutgoingCall>,
    pub(super) answer: Result<AnsweredCall, AgentCallError>,
    pub(super) ticket: InFlightGuard,
}

impl CallAnswered {
    /// Whether the answer is of an ingest or leaves a state.
    fn is_kept(&self) -> bool {
        matches!(self.outgoing.reply, ReplyTo::Ingest { .. })
            || self
                .answer
                .as_ref()
                .is_ok_and(|answer| answer.state_change.is_some())
    }
}

impl Handler<CallAnswered> for OrchestratorActor {
    type Result = ();

    fn handle(&mut self, answered: CallAnswered, ctx: &mut Self::Context) {
        if matches!(answered.outgoing.reply, ReplyTo::Ingest { .. }) {
            return self.ingested(answered, ctx);
        }
        let CallAnswered {
            outgoing,
            answer,
            ticket,
        } = answered;
        let _in_tick = self.span().entered();
        let agent = outgoing.tool.agent();
        self.shell.health.agent(agent, answer.is_ok());
        let back = match answer {
            Ok(AnsweredCall {
                result,
                state_change,
                from,
            }) => {
                let mut back = call_gate::answered(&outgoing, &result, state_change);
                if let Some(error) = &back.refused {
                    self.refused_result(&outgoing, error, &result);
                }
                if back.state_change.is_some() && !self.continues_from_journal(agent, from) {
                    // What was done is lost with the agent's process, so nobody is told that it was done.
                    back = CallOutcome::plain(call_gate::failed(outgoing.reply));
                }
                back
            }
            Err(fault) => {
                tracing::warn!(agent = agent.as_str(), %fault, "an agent gave no answer");
                if fault.is_silence() {
                    // Its deadline has passed or will: the machine's own.
                    return drop(ticket);
                }
                CallOutcome::plain(call_gate::failed(outgoing.reply))
            }
        };
        let rows = back
            .state_change
            .map(|change| self.journal_state(agent, Some(change)));
        self.take_turn_with_rows(back.what, rows.into_iter().flatten().collect(), ctx);
        drop(ticket);
    }
}
