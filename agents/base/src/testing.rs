//! What the tests of all agents share: an invented owner, questions, signals. Each crate of an agent takes this file into its tests.

#![expect(
    clippy::missing_panics_doc,
    clippy::missing_errors_doc,
    reason = "a test fails by panicking, and reads the error itself"
)]

use agents_base::{
    contract::{Agent, AgentSetup, OwnerProfile, SourcePaths},
    host::AgentHost,
};
use chrono_tz::Tz;
use serde_json::{Value, json};
use toolcall_schema::{
    Authority, Timestamp, ToolName, WellnessState,
    gate::{self, AdmittedAnswer},
    ids::{CallId, OwnerSeed},
    result::ToolErrorCode,
    signal::Signal,
    tick::{IngestArgs, IngestResult, Subject, TickArgs, Trigger, TriggerSource, UserState},
};

/// An owner in Kolkata who reads nothing.
pub fn setup() -> AgentSetup {
    AgentSetup {
        key: OwnerSeed::from_day_seed("test").key("agents"),
        owner: OwnerProfile {
            zone: Tz::Asia__Kolkata,
            addresses: vec!["Rohan@Example.org".to_owned()],
            names: vec!["Rohan".to_owned()],
            home: None,
            buffer_min: 15,
            sleep_target_min: 420,
            rmssd_p50_p10: (42.0, 24.0),
            balance: None,
            calendar: agents_base::contract::CalendarPreferences::default(),
            finance: agents_base::contract::FinancePreferences::default(),
        },
        sources: SourcePaths::default(),
    }
}

pub fn t(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

/// A question at `at` after an interval, with nothing known about the owner.
pub fn question(at: Timestamp) -> TickArgs {
    TickArgs {
        tick: 1,
        trigger: Trigger {
            source: TriggerSource::Interval,
            subject: None,
            at,
            valid_until: at.plus_min(10),
        },
        user: UserState {
            load_score: None,
            state: WellnessState::Unknown,
            in_focus: false,
            in_meeting: false,
            dnd: false,
            active_channel: None,
            brief_due: false,
            zone: "Asia/Kolkata".to_owned(),
        },
        rules: Vec::new(),
    }
}

pub fn triggered(at: Timestamp, source: TriggerSource, subject: Subject) -> TickArgs {
    let mut args = question(at);
    args.trigger.source = source;
    args.trigger.subject = Some(subject);
    args
}

pub fn signal(id: &str, at: Timestamp, kind: &str, payload: &Value) -> Signal {
    let signal = json!({"id": id, "at": at, "source": "phone", "kind": kind, "payload": payload});
    serde_json::from_value(signal).unwrap()
}

pub fn ingest(agent: &mut impl Agent, at: Timestamp) -> IngestResult {
    let args = IngestArgs {
        cursor: 0,
        signal_ids: Vec::new(),
    };
    agent.ingest(&args, at)
}

/// Asks an agent for one of its tools that only looks, as the orchestrator would: through its gate and back through
/// ours. The result, which fits the tool's schema and came without effects, or the tool's error.
pub fn ask(
    host: &mut AgentHost,
    tool: ToolName,
    args: &Value,
    at: Timestamp,
) -> Result<Value, ToolErrorCode> {
    let raw = called(tool.agent().as_str(), tool.tool(), args, false, at);
    let served = host.call(&raw, Authority::Auto, at).unwrap();
    let id = CallId::parse("t_abcdefghij").unwrap();
    match gate::admit_result(&served.result, tool, &id).unwrap() {
        AdmittedAnswer::Done { result, effects } => {
            assert_eq!(effects, []);
            Ok(result)
        }
        AdmittedAnswer::Failed(error) => Err(error),
        AdmittedAnswer::Tick(_) | AdmittedAnswer::Ingest(_) => panic!("{tool} only looks"),
    }
}

/// The bytes of a call stamped at `ts`.
pub fn called(agent: &str, tool: &str, args: &Value, confirm: bool, ts: Timestamp) -> Vec<u8> {
    let call = json!({
        "call_id": "t_abcdefghij", "agent": agent, "tool": tool, "args": args, "ts": ts, "confirm_required": confirm,
    });
    serde_json::to_vec(&call).unwrap()
}
