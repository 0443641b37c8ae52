//! From the machine's calls to bytes, and from bytes to the machine's events.
//!
//! What: the gate on the way out and on the way back, and the orchestrator's own tool. Why: the one place where a call of
//! the machine becomes something that can be dispatched; the recorded days, the benchmark and the actors all go through
//! it. Not here: sending (`executor`), keeping what was refused (`aura-memory`).

use agents::contract::AgentCall;
use aura_platform::health::ReadingReport;
use orchestrator_machine::{
    effect::{OutgoingCall, ReplyTo},
    event::{ActionReply, EventKind, IngestedFacts, SeenSignal, TickAnswer},
};
use serde_json::{Value, json};
use toolcall_schema::{
    Dispatch, SchemaError, Timestamp, Tool,
    catalogue::{
        OrchestratorTool,
        orchestrator::{BriefSection, EndPause, RemoveRule, UndoLater},
    },
    gate::{self, AdmittedAnswer, RefusedCall},
    ids::{SecretKey, hex},
    result::{ToolEffect, ToolResult},
    signal::{Signal, SignalPayload},
    tick::{GraphObservation, SkippedItem},
};

/// A call that does not leave.
pub struct RefusedOutgoing {
    pub refusal: RefusedCall,
    /// Its bytes, for the quarantine.
    pub bytes: Vec<u8>,
}

/// The gate on the way out: the whole of it, over the bytes that travel, and the confirmed arguments (GATE-012).
///
/// # Errors
/// The refusal with the bytes; the caller quarantines it.
pub fn ready(
    outgoing: &OutgoingCall,
    bytes: Vec<u8>,
    wall: Timestamp,
) -> Result<AgentCall, Box<RefusedOutgoing>> {
    let refuse = |refusal: RefusedCall, bytes: Vec<u8>| Box::new(RefusedOutgoing { refusal, bytes });
    let admitted = match gate::admit(&bytes, gate::GateClock::At(wall)) {
        Ok(admitted) => admitted,
        Err(refusal) => return Err(refuse(*refusal, bytes)),
    };
    let (tool, call_id) = (admitted.tool().name(), admitted.call_id().clone());
    let refusal_of = |mut error: SchemaError| {
        let (expected, id) = (outgoing.tool, &outgoing.call.call_id);
        if (tool, &call_id) != (expected, id) {
            error.message = format!("{}; expected was {expected} {id}", error.message);
        }
        RefusedCall {
            error,
            agent: Some(tool.agent()),
            tool: Some(tool.tool().to_owned()),
            call_id: Some(call_id.clone()),
        }
    };
    if let Some(hash) = &outgoing.args_hash
        && let Err(error) = admitted.require_args_hash(hash)
    {
        return Err(refuse(refusal_of(error), bytes));
    }
    match Dispatch::new(admitted, outgoing.authority) {
        Ok(dispatch) => Ok(AgentCall::new(dispatch, bytes, wall)),
        Err(error) => Err(refuse(refusal_of(error), bytes)),
    }
}

/// What came back for one call.
pub struct CallOutcome {
    /// The event for the machine.
    pub what: EventKind,
    /// What changed in an agent's state, to be kept with the event.
    pub state_change: Option<Value>,
    /// What an agent noticed for the graph.
    pub seen: Vec<GraphObservation>,
    /// What the agent could not read.
    pub skips: Vec<SkippedItem>,
    /// All that it could not read.
    pub skipped: u32,
    /// Of an ingest.
    pub read: Option<ReadingReport>,
    /// Why the result was refused, for `errors/quarantine_results.jsonl`.
    pub refused: Option<SchemaError>,
}

impl CallOutcome {
    /// An event and nothing beside it.
    pub fn plain(what: EventKind) -> Self {
        Self {
            what,
            state_change: None,
            seen: vec![],
            skips: vec![],
            skipped: 0,
            read: None,
            refused: None,
        }
    }
}

/// The gate on the way back: the bytes of a result to the event that answers the call. `by_act` is what an act changed in its agent's state.
pub fn answered(outgoing: &OutgoingCall, bytes: &[u8], by_act: Option<Value>) -> CallOutcome {
    match gate::admit_result(bytes, outgoing.tool, &outgoing.call.call_id) {
        Ok(answer) => {
            let mut outcome = admitted(outgoing.reply, answer);
            outcome.state_change = outcome.state_change.or(by_act);
            outcome
        }
        Err(error) => CallOutcome {
            refused: Some(error),
            ..CallOutcome::plain(rejected(outgoing.reply))
        },
    }
}

/// The event for a call whose agent is down or said nothing usable.
pub fn failed(reply: ReplyTo) -> EventKind {
    match reply {
        ReplyTo::Ingest { agent, number } => EventKind::Ingested {
            agent,
            number,
            answer: None,
        },
        ReplyTo::Tick { agent, tick, attempt } => EventKind::TickAnswered {
            agent,
            tick,
            attempt,
            answer: TickAnswer::Failed,
        },
        ReplyTo::Action { tick, slot } => EventKind::Executed {
            tick,
            slot,
            reply: ActionReply::Failed(None),
        },
        ReplyTo::Call { call } => EventKind::CallExecuted {
            call,
            reply: ActionReply::Failed(None),
        },
    }
}

fn rejected(reply: ReplyTo) -> EventKind {
    match reply {
        ReplyTo::Ingest { .. } => failed(reply),
        ReplyTo::Tick { agent, tick, attempt } => EventKind::TickAnswered {
            agent,
            tick,
            attempt,
            answer: TickAnswer::Rejected,
        },
        ReplyTo::Action { tick, slot } => EventKind::Executed {
            tick,
            slot,
            reply: ActionReply::Rejected,
        },
        ReplyTo::Call { call } => EventKind::CallExecuted {
            call,
            reply: ActionReply::Rejected,
        },
    }
}

fn admitted(reply: ReplyTo, answer: AdmittedAnswer) -> CallOutcome {
    match (reply, answer) {
        (ReplyTo::Ingest { agent, number }, AdmittedAnswer::Ingest(result)) => {
            let answer = Some(IngestedFacts {
                cursor: result.cursor,
                facts: result.facts,
                // An agent that read nothing would be asked for ever.
                more: result.left > 0 && result.taken > 0,
            });
            CallOutcome {
                state_change: Some(result.agent_state).filter(|state| !state.is_null()),
                seen: result.seen,
                skips: result.skips,
                skipped: result.skipped,
                read: Some(ReadingReport {
                    items: result.read,
                    taken: result.taken,
                    left: result.left,
                    rests: result.rests,
                    holds: result.holds,
                }),
                ..CallOutcome::plain(EventKind::Ingested {
                    agent,
                    number,
                    answer,
                })
            }
        }
        (ReplyTo::Tick { agent, tick, attempt }, AdmittedAnswer::Tick(result)) => {
            CallOutcome::plain(EventKind::TickAnswered {
                agent,
                tick,
                attempt,
                answer: TickAnswer::Answered(result),
            })
        }
        (ReplyTo::Action { tick, slot }, AdmittedAnswer::Done { result, effects }) => {
            CallOutcome::plain(EventKind::Executed {
                tick,
                slot,
                reply: ActionReply::Done { result, effects },
            })
        }
        (ReplyTo::Action { tick, slot }, AdmittedAnswer::Failed(code)) => {
            CallOutcome::plain(EventKind::Executed {
                tick,
                slot,
                reply: ActionReply::Failed(Some(code)),
            })
        }
        (ReplyTo::Call { call }, AdmittedAnswer::Done { result, effects }) => {
            CallOutcome::plain(EventKind::CallExecuted {
                call,
                reply: ActionReply::Done { result, effects },
            })
        }
        (ReplyTo::Call { call }, AdmittedAnswer::Failed(code)) => {
            CallOutcome::plain(EventKind::CallExecuted {
                call,
                reply: ActionReply::Failed(Some(code)),
            })
        }
        // The tool decides the shape of an answer, and the call names the tool: nothing else can pass the gate.
        (
            reply,
            AdmittedAnswer::Failed(_)
            | AdmittedAnswer::Ingest(_)
            | AdmittedAnswer::Tick(_)
            | AdmittedAnswer::Done { .. },
        ) => CallOutcome::plain(failed(reply)),
    }
}

/// What the journal holds of a signal; its payload as a keyed hash.
pub fn seen_signal(key: &SecretKey, signal: &Signal) -> SeenSignal {
    let bytes = serde_json::to_vec(&signal.payload).unwrap_or_default();
    SeenSignal {
        id: signal.id.clone(),
        kind: signal.kind,
        at: signal.at,
        hash: hex(&key.mac(&[&bytes])),
    }
}

/// What a signal without text means to the machine itself.
pub fn notice(payload: &SignalPayload) -> Option<EventKind> {
    match payload {
        SignalPayload::PhoneUnlock => Some(EventKind::PhoneUnlocked),
        SignalPayload::Dnd(dnd) => Some(EventKind::Dnd {
            active: dnd.active,
            until: dnd.until,
        }),
        SignalPayload::Notification(_)
        | SignalPayload::Mail(_)
        | SignalPayload::Calendar(_)
        | SignalPayload::BankSms(_)
        | SignalPayload::Transaction(_)
        | SignalPayload::Hrv(_)
        | SignalPayload::Sleep(_)
        | SignalPayload::Activity(_)
        | SignalPayload::Location(_) => None,
    }
}

/// The orchestrator's own tools, which need no agent. `None` for a tool of an agent.
pub fn own_tool(dispatch: &Dispatch) -> Option<Vec<u8>> {
    let call = dispatch.call();
    let Tool::Orchestrator(tool) = call.tool() else {
        return None;
    };
    let (result, effect) = match tool {
        OrchestratorTool::ShowBrief(brief) => {
            let not_read = |section: &&BriefSection| matches!(section, BriefSection::NotRead { .. });
            let not_read = brief.sections.iter().filter(not_read).count();
            let result = json!({ "sections": brief.sections.len(), "not_read": not_read });
            (result, ToolEffect::CardShow)
        }
        OrchestratorTool::EndPause(EndPause {}) => (json!({}), ToolEffect::PauseEnded),
        OrchestratorTool::RemoveRule(RemoveRule { name }) => {
            let name = name.clone();
            (json!({ "name": name }), ToolEffect::OwnerRuleRemoved { name })
        }
        OrchestratorTool::UndoLater(UndoLater { trace_id }) => {
            let trace_id = trace_id.clone();
            (
                json!({ "trace_id": trace_id }),
                ToolEffect::LaterUndone { trace_id },
            )
        }
    };
    let result = ToolResult {
        call_id: call.call_id().clone(),
        result: Some(result),
        error: None,
        effects: vec![effect],
    };
    // Ids, numbers and an enum: serializing cannot fail; empty bytes would be refused on the way back.
    Some(serde_json::to_vec(&result).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolcall_schema::{AgentName, Authority, Code, ToolCall, ToolName, ids::CallId};

    fn call(tool: ToolName, id: &str, args: Value, ts: Timestamp) -> ToolCall {
        ToolCall {
            call_id: CallId::parse(id).unwrap(),
            agent: tool.agent(),
            tool: tool.tool().to_owned(),
            args: args.into(),
            ts,
            confirm_required: tool.columns().confirm == toolcall_schema::Confirm::Always,
            expected_surface: None,
            deadline_ms: None,
        }
    }

    #[test]
    fn a_call_that_was_changed_after_the_card_is_refused_under_the_names_that_it_claims() {
        let now = Timestamp::parse("2026-11-03T02:15:00Z").unwrap();
        let tool = ToolName::EndPause;
        let outgoing = OutgoingCall {
            tool,
            call: call(tool, "t_abcde01234", json!({}), now),
            authority: Authority::Auto,
            args_hash: Some(toolcall_schema::ids::sha256_hex(b"{}")),
            trace_id: None,
            reply: ReplyTo::Call { call: 1 },
        };
        let since = json!({ "since": "2026-11-03T02:00:00Z" });
        let other = call(ToolName::BatchSummarize, "t_zzzzz99999", since, now);
        let refused = ready(&outgoing, other.to_bytes(), now).err().unwrap();
        let RefusedCall {
            error,
            agent,
            tool,
            call_id,
        } = refused.refusal;
        assert_eq!((error.code, error.pointer.as_str()), (Code::Gate012, "/args"));
        assert_eq!(
            (agent, tool.as_deref(), call_id.as_ref().map(CallId::as_str)),
            (
                Some(AgentName::Comms),
                Some("batch_summarize"),
                Some("t_zzzzz99999")
            )
        );
        let expected = "expected was orchestrator.end_pause t_abcde01234";
        assert!(error.message.ends_with(expected), "{}", error.message);
    }
}
