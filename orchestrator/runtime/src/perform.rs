//! From the machine's calls to bytes, and from bytes to the machine's events.
//!
//! What: the gate on the way out and on the way back, and the orchestrator's own tool. Why: the one place where a call of
//! the machine becomes something that can be dispatched; the recorded days, the benchmark and the actors all go through
//! it. Not here: sending (`actors::orchestrator`), keeping what was refused (`aura-memory`).

use aura_process::agents_port::Ready;
use orchestrator_machine::{
    effect::{Outgoing, ReplyTo},
    event::{ActionReply, Ingest, SeenSignal, TickAnswer, What},
};
use serde_json::{Value, json};
use toolcall_schema::{
    Dispatch, SchemaError, Timestamp, Tool,
    catalogue::{
        OrchestratorTool,
        orchestrator::{EndPause, RemoveRule, Section},
    },
    gate::{self, Answer, Refusal},
    ids::{Key, hex},
    result::{ToolEffect, ToolErrorCode, ToolResult},
    signal::{Payload, Signal},
    tick::{Seen, Skip},
};

/// A call that does not leave.
pub struct Refused {
    pub refusal: Refusal,
    /// Its bytes, for the quarantine.
    pub bytes: Vec<u8>,
}

/// The gate on the way out: the whole of it, over the bytes that travel, and the confirmed arguments (GATE-012).
///
/// # Errors
/// The refusal with the bytes; the caller quarantines it and sends no event.
pub fn ready(outgoing: &Outgoing, bytes: Vec<u8>, wall: Timestamp) -> Result<Ready, Box<Refused>> {
    let refuse = |refusal: Refusal, bytes: Vec<u8>| Box::new(Refused { refusal, bytes });
    let admitted = match gate::admit(&bytes, gate::Clock::At(wall)) {
        Ok(admitted) => admitted,
        Err(refusal) => return Err(refuse(*refusal, bytes)),
    };
    let (tool, call_id) = (admitted.tool().name(), admitted.call_id().clone());
    let refusal_of = |mut error: SchemaError| {
        let (expected, id) = (outgoing.tool, &outgoing.call.call_id);
        if (tool, &call_id) != (expected, id) {
            error.message = format!("{}; expected was {expected} {id}", error.message);
        }
        Refusal {
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
        Ok(dispatch) => Ok(Ready { dispatch, bytes }),
        Err(error) => Err(refuse(refusal_of(error), bytes)),
    }
}

/// What came back for one call.
pub struct Back {
    /// The event for the machine.
    pub what: What,
    /// An agent's new state, to be kept with the event.
    pub agent_state: Option<Value>,
    /// What an agent noticed for the graph.
    pub seen: Vec<Seen>,
    /// What the agent could not read.
    pub skips: Vec<Skip>,
    /// All that it could not read.
    pub skipped: u32,
    /// Of an ingest: items and bytes that were read, and bytes that were left.
    pub read: Option<(u32, u64, u64)>,
    /// Why the result was refused, for `errors/quarantine_results.jsonl`.
    pub refused: Option<SchemaError>,
}

impl Back {
    /// An event and nothing beside it.
    pub fn plain(what: What) -> Self {
        Self {
            what,
            agent_state: None,
            seen: vec![],
            skips: vec![],
            skipped: 0,
            read: None,
            refused: None,
        }
    }
}

/// The gate on the way back: bytes of a result to the event that answers the call.
pub fn answered(outgoing: &Outgoing, bytes: &[u8]) -> Back {
    match gate::admit_result(bytes, outgoing.tool, &outgoing.call.call_id) {
        Ok(answer) => admitted(outgoing.reply, answer),
        Err(error) => Back {
            refused: Some(error),
            ..Back::plain(rejected(outgoing.reply))
        },
    }
}

/// The event for a call whose agent is down or said nothing usable.
pub fn failed(reply: ReplyTo) -> What {
    match reply {
        ReplyTo::Ingest { agent, number } => What::Ingested {
            agent,
            number,
            answer: None,
        },
        ReplyTo::Tick { agent, tick, attempt } => What::TickAnswered {
            agent,
            tick,
            attempt,
            answer: TickAnswer::Failed,
        },
        ReplyTo::Action { tick, slot } => What::Executed {
            tick,
            slot,
            reply: ActionReply::Failed(None),
        },
        ReplyTo::Call { call } => What::CallExecuted {
            call,
            reply: ActionReply::Failed(None),
        },
    }
}

fn rejected(reply: ReplyTo) -> What {
    match reply {
        ReplyTo::Ingest { .. } => failed(reply),
        ReplyTo::Tick { agent, tick, attempt } => What::TickAnswered {
            agent,
            tick,
            attempt,
            answer: TickAnswer::Rejected,
        },
        ReplyTo::Action { tick, slot } => What::Executed {
            tick,
            slot,
            reply: ActionReply::Rejected,
        },
        ReplyTo::Call { call } => What::CallExecuted {
            call,
            reply: ActionReply::Rejected,
        },
    }
}

fn admitted(reply: ReplyTo, answer: Answer) -> Back {
    match (reply, answer) {
        (ReplyTo::Ingest { agent, number }, Answer::Ingest(result)) => {
            let answer = Some(Ingest {
                cursor: result.cursor,
                facts: result.facts,
                // An agent that read nothing would be asked for ever.
                more: result.left > 0 && result.taken > 0,
            });
            Back {
                agent_state: Some(result.agent_state).filter(|state| !state.is_null()),
                seen: result.seen,
                skips: result.skips,
                skipped: result.skipped,
                read: Some((result.read, result.taken, result.left)),
                ..Back::plain(What::Ingested {
                    agent,
                    number,
                    answer,
                })
            }
        }
        (ReplyTo::Tick { agent, tick, attempt }, Answer::Tick(result)) => Back::plain(What::TickAnswered {
            agent,
            tick,
            attempt,
            answer: TickAnswer::Answered(result),
        }),
        (ReplyTo::Action { tick, slot }, Answer::Done { result, effects }) => Back::plain(What::Executed {
            tick,
            slot,
            reply: ActionReply::Done { result, effects },
        }),
        (ReplyTo::Action { tick, slot }, Answer::Failed(code)) => Back::plain(What::Executed {
            tick,
            slot,
            reply: ActionReply::Failed(Some(code)),
        }),
        (ReplyTo::Call { call }, Answer::Done { result, effects }) => Back::plain(What::CallExecuted {
            call,
            reply: ActionReply::Done { result, effects },
        }),
        (ReplyTo::Call { call }, Answer::Failed(code)) => Back::plain(What::CallExecuted {
            call,
            reply: ActionReply::Failed(Some(code)),
        }),
        // The tool decides the shape of an answer, and the call names the tool: nothing else can pass the gate.
        (reply, Answer::Failed(_) | Answer::Ingest(_) | Answer::Tick(_) | Answer::Done { .. }) => {
            Back::plain(failed(reply))
        }
    }
}

/// What the journal holds of a signal; its payload as a keyed hash.
pub fn seen_signal(key: &Key, signal: &Signal) -> SeenSignal {
    let bytes = serde_json::to_vec(&signal.payload).unwrap_or_default();
    SeenSignal {
        id: signal.id.clone(),
        kind: signal.kind,
        at: signal.at,
        hash: hex(&key.mac(&[&bytes])),
    }
}

/// What a signal without text means to the machine itself.
pub fn notice(payload: &Payload) -> Option<What> {
    match payload {
        Payload::PhoneUnlock => Some(What::PhoneUnlocked),
        Payload::Dnd(dnd) => Some(What::Dnd {
            active: dnd.active,
            until: dnd.until,
        }),
        Payload::Notification(_)
        | Payload::Mail(_)
        | Payload::Calendar(_)
        | Payload::BankSms(_)
        | Payload::Transaction(_)
        | Payload::Hrv(_)
        | Payload::Sleep(_)
        | Payload::Activity(_)
        | Payload::Location(_) => None,
    }
}

/// The orchestrator's own tools, which need no agent. `None` for a tool of an agent.
pub fn own_tool(ready: &Ready) -> Option<Vec<u8>> {
    let call = ready.dispatch.call();
    let Tool::Orchestrator(tool) = call.tool() else {
        return None;
    };
    let (result, effect) = match tool {
        OrchestratorTool::ShowBrief(brief) => {
            let not_read = |section: &&Section| matches!(section, Section::NotRead { .. });
            let not_read = brief.sections.iter().filter(not_read).count();
            let result = json!({ "sections": brief.sections.len(), "not_read": not_read });
            (result, ToolEffect::CardShow)
        }
        OrchestratorTool::EndPause(EndPause {}) => (json!({}), ToolEffect::PauseEnded),
        OrchestratorTool::RemoveRule(RemoveRule { name }) => {
            let name = name.clone();
            (json!({ "name": name }), ToolEffect::OwnerRuleRemoved { name })
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

/// The bytes with which a fault of a recorded day says that a tool could not.
pub fn tool_error(outgoing: &Outgoing, error: Option<ToolErrorCode>) -> Vec<u8> {
    let result = ToolResult {
        call_id: outgoing.call.call_id.clone(),
        result: None,
        error: Some(error.unwrap_or(ToolErrorCode::Unavailable)),
        effects: vec![],
    };
    serde_json::to_vec(&result).unwrap_or_default()
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
            args,
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
        let outgoing = Outgoing {
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
        let Refusal {
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
