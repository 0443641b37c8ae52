//! The one place where effects happen.
//!
//! What: what a turn wrote becomes one transaction, and each effect is performed in order. Why: whatever leaves the
//! machine passes here, calls through the gate. Not here: which effects there are (`orchestrator-machine`).

use super::{Answered, Orchestrator};
use crate::{
    actors::{
        memory::{Keep, KeepRaw, PutOutbox, Then},
        model::{About, Ask},
        quarantine::Line,
        surfaces::{Announce, Changed},
    },
    perform::{self, Refused},
    writes,
};
use actix::{AsyncContext, Context};
use aura_memory::{Write, quarantine::Kind};
use aura_platform::{mailbox::send, metrics::METRICS};
use aura_process::agents_port::AskFault;
use orchestrator_machine::{
    Effect, What,
    effect::{Outgoing, ReplyTo},
    supervision::Role,
};
use surfaces::backend::LiveKind;
use toolcall_schema::{day::FaultKind, gate, trace::Trace};

/// A snapshot is worth writing after so many events.
const SNAPSHOT_EVERY: u64 = 64;

impl Orchestrator {
    /// Sorts what has to be written from what has to be done.
    pub(super) fn write_of(
        &mut self,
        seq: u64,
        effect: Effect,
        writes: &mut Vec<Write>,
        then: &mut Vec<Then>,
        rest: &mut Vec<Effect>,
    ) {
        writes.extend(writes::of(seq, &effect, &self.state));
        match effect {
            Effect::KeepTrace(trace) => {
                self.check(&trace);
                let (id, outcome) = (trace.trace_id.as_str(), trace.outcome.as_str());
                if trace.decision.call.is_some() {
                    tracing::info!(trace = id, outcome, "a call that was asked for ended");
                } else {
                    METRICS.tick(&trace);
                    tracing::info!(trace = id, outcome, "a tick ended");
                }
                then.push(Then::TraceKept {
                    trace_id: trace.trace_id.clone(),
                });
                self.tell(LiveKind::Tick(trace.trace_id.clone()));
            }
            Effect::Commit { tick } => then.push(Then::Committed { tick }),
            Effect::CommitCall { call } => then.push(Then::CallCommitted { call }),
            Effect::Rest if seq - self.snapshot >= SNAPSHOT_EVERY => {
                self.snapshot = seq;
                if let Ok(json) = serde_json::to_string(&self.state) {
                    writes.push(Write::Snapshot { seq, json });
                }
            }
            Effect::KeepDecision(_) | Effect::Ledger(_) | Effect::Rest => {}
            Effect::Call(_)
            | Effect::Quarantine { .. }
            | Effect::KeepRaw(_)
            | Effect::Outbox { .. }
            | Effect::Show(_)
            | Effect::Close { .. }
            | Effect::Reply { .. }
            | Effect::CallAnswer { .. }
            | Effect::AskModel { .. }
            | Effect::Announce { .. }
            | Effect::AskTie { .. }
            | Effect::Adopt { .. }
            | Effect::Ignored { .. } => rest.push(effect),
        }
    }

    /// A trace that fails its own schema is quarantined; it is kept all the same.
    fn check(&self, trace: &Trace) {
        if let Err(error) = gate::check_trace(trace) {
            let json = serde_json::to_string(trace).unwrap_or_default();
            let line = Line::of_error(Kind::Traces, self.clock.wall(), &error, json.as_bytes())
                .trace(Some(trace.trace_id.clone()));
            self.quarantine(line);
        }
    }

    /// Hands a turn's writes to the store; `rows` are written in the same transaction, or with the next one that is taken.
    pub(super) fn keep(&mut self, writes: Vec<Write>, rows: Vec<Write>, then: Vec<Then>) {
        let Some(ports) = &self.ports else { return };
        let disk = self.faults.of_disk(self.state.ticks);
        let keep = Keep {
            writes,
            rows,
            then,
            disk,
            ticket: self.busy.ticket_to(Role::Memory),
        };
        if send(&ports.memory, "memory", keep).is_err() {
            // Not written: no answer comes, and the state's own deadline decides.
            self.health.not_written();
            self.gap = true;
        }
    }

    pub(super) fn perform(&mut self, effect: Effect, ctx: &mut Context<Self>) {
        match effect {
            Effect::Call(outgoing) => self.call(*outgoing, ctx),
            Effect::Quarantine {
                trace_id,
                call,
                error,
            } => {
                let line = Line::of_error(Kind::Calls, self.clock.wall(), &error, &call.to_bytes())
                    .call(
                        Some(call.agent),
                        Some(call.tool.clone()),
                        Some(call.call_id.clone()),
                    )
                    .trace(Some(trace_id));
                self.quarantine(line);
            }
            Effect::KeepRaw(trace) => {
                self.health.raw_traces += 1;
                let json = serde_json::to_string(&trace).unwrap_or_default();
                if let Some(ports) = &self.ports {
                    let raw = KeepRaw {
                        trace_id: trace.trace_id.clone(),
                        json,
                        ticket: self.busy.ticket_to(Role::Memory),
                    };
                    let _ = send(&ports.memory, "memory", raw);
                }
            }
            Effect::Outbox { name, text } => {
                if let Some(ports) = &self.ports {
                    let _ = send(&ports.memory, "memory", PutOutbox { name, text });
                }
            }
            Effect::Show(card) => self.tell(LiveKind::Card(card.card_id.clone())),
            Effect::Announce { kind } => {
                if let Some(ports) = &self.ports {
                    let ticket = self.busy.ticket_to(Role::Surfaces);
                    let _ = send(&ports.surfaces, "surfaces", Announce { kind, ticket });
                }
            }
            Effect::Close { card_id, .. } => self.tell(LiveKind::Closed(card_id)),
            Effect::Reply { request, verdict } => {
                if let Some(reply) = self.requests.remove(&request) {
                    // Who asked may have gone.
                    let _ = reply.send(verdict);
                }
            }
            Effect::CallAnswer { request, answer } => {
                if let Some(reply) = self.askers.remove(&request) {
                    // Who asked may have gone.
                    let _ = reply.send(answer);
                }
            }
            Effect::AskModel {
                tick,
                sentences,
                novel,
            } => self.ask(tick, About::Decision { sentences, novel }),
            Effect::AskTie { tick, actions } => self.ask(tick, About::Tie { actions }),
            Effect::Adopt {
                policy_hash,
                settings_hash,
            } => {
                if let Some(env) = self.next_env.take() {
                    self.env = env;
                    self.settings_hash = settings_hash;
                    tracing::info!(policy = policy_hash, "a reload is in force");
                    self.turn(What::Adopted, ctx);
                }
            }
            Effect::Ignored { what } => {
                self.health.ignored += 1;
                tracing::debug!(?what, "event set aside");
            }
            Effect::KeepDecision(_)
            | Effect::Commit { .. }
            | Effect::CommitCall { .. }
            | Effect::KeepTrace(_)
            | Effect::Ledger(_)
            | Effect::Rest => {}
        }
    }

    /// Sends one call through the gate to its tool, and brings the answer back through the gate.
    pub(super) fn call(&mut self, outgoing: Outgoing, ctx: &mut Context<Self>) {
        let outgoing = match outgoing.reply {
            ReplyTo::Ingest { .. } => match self.resting.hold(outgoing) {
                Some(ingest) => ingest,
                None => return,
            },
            ReplyTo::Tick { .. } | ReplyTo::Action { .. } | ReplyTo::Call { .. } => outgoing,
        };
        let fault = self.faults.of_call(&outgoing);
        let bytes = match &fault {
            Some(FaultKind::RawCall { raw, .. }) => raw.clone().into_bytes(),
            _ => outgoing.call.to_bytes(),
        };
        let ready = match perform::ready(&outgoing, bytes, self.clock.wall()) {
            Ok(ready) => ready,
            Err(refused) => {
                self.refuse(&outgoing, &refused);
                if matches!(outgoing.reply, ReplyTo::Ingest { .. }) {
                    // Nothing was asked, and nobody will answer.
                    let answered = Answered {
                        outgoing: Box::new(outgoing),
                        answer: Err(AskFault::Down),
                        from: None,
                        ticket: self.busy.ticket_to(Role::Orchestrator),
                    };
                    let _ = send(&ctx.address(), "orchestrator", answered);
                }
                return;
            }
        };
        let input = self.ingest_input(&outgoing);
        let Some(ports) = &self.ports else { return };
        if let ReplyTo::Action { tick, slot } = outgoing.reply {
            // Said before it leaves: whoever ends this process now can still tell that it may have.
            tracing::info!(tick, ?slot, tool = outgoing.tool.tool(), "an action leaves");
        }
        if let ReplyTo::Call { call } = outgoing.reply {
            tracing::info!(
                call,
                tool = outgoing.tool.as_str(),
                "a call that was asked for leaves"
            );
        }
        let from = input.as_ref().map(|input| input.from.number);
        let me = ctx.address();
        let (busy, clock, agents) = (self.busy.clone(), self.clock.clone(), ports.agents.clone());
        let mut ticket = Some(self.busy.ticket());
        actix::spawn(async move {
            let answer = match fault {
                Some(FaultKind::Silent { .. }) => return,
                Some(FaultKind::ToolError { error, .. }) => Ok(perform::tool_error(&outgoing, error)),
                Some(FaultKind::RawResult { raw, .. }) => Ok(raw.into_bytes()),
                Some(FaultKind::SlowMs { ms, .. }) => {
                    ticket = None;
                    ticket = clock
                        .sleep_until(clock.at().plus_ms(i64::from(ms)))
                        .await
                        .or(ticket);
                    agents.ask(ready).await
                }
                // A panic is the agent's own: see `wiring::Panicking`.
                Some(FaultKind::Panic { .. } | FaultKind::RawCall { .. } | FaultKind::Disk { .. }) | None => {
                    match perform::own_tool(&ready) {
                        Some(bytes) => Ok(bytes),
                        None => match input {
                            Some(input) => agents.ingest(ready, input).await,
                            None => agents.ask(ready).await,
                        },
                    }
                }
            };
            let answered = Answered {
                outgoing: Box::new(outgoing),
                answer,
                from,
                ticket: busy.ticket_to(Role::Orchestrator),
            };
            if from.is_some() {
                // What an ingest read is held until its answer is handled: it waits for room.
                let _ = me.send(answered).await;
            } else {
                // Not taken: the deadline passes.
                let _ = send(&me, "orchestrator", answered);
            }
            drop(ticket);
        });
    }

    /// Not taken: the template stays, the order of scores decides.
    fn ask(&self, tick: u64, about: About) {
        if let Some(ports) = &self.ports {
            let ticket = self.busy.ticket_to(Role::Model);
            let _ = send(&ports.model, "model", Ask { tick, about, ticket });
        }
    }

    fn refuse(&mut self, outgoing: &Outgoing, refused: &Refused) {
        self.health.refused_calls += 1;
        let refusal = &refused.refusal;
        let line = Line::of_error(Kind::Calls, self.clock.wall(), &refusal.error, &refused.bytes)
            .call(refusal.agent, refusal.tool.clone(), refusal.call_id.clone())
            .trace(outgoing.trace_id.clone());
        self.quarantine(line);
    }

    pub(super) fn quarantine(&self, line: Line) {
        if let Some(ports) = &self.ports {
            // Kept or counted as lost; the call is dropped all the same.
            ports.quarantine.keep(line);
        }
    }

    fn tell(&self, what: LiveKind) {
        if let Some(ports) = &self.ports {
            let _ = send(
                &ports.surfaces,
                "surfaces",
                Changed {
                    what,
                    ticket: self.busy.ticket_to(Role::Surfaces),
                },
            );
        }
    }
}
