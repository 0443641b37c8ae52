//! The host runs the gate again.

use crate::{
    calendar::CalendarAgent,
    comms::CommsAgent,
    contract::Agent,
    host::AgentHost,
    testing::{called, question, setup, t},
};
use serde_json::{Value, json};
use toolcall_schema::{
    Authority, ToolName,
    gate::{self, AdmittedAnswer, admit_result},
    ids::CallId,
    tick::{TickResult, TickStatus},
};

const AT: &str = "2026-11-03T12:00:00Z";

fn host() -> AgentHost {
    AgentHost::new(Box::new(CommsAgent::new(setup())))
}

fn tick_call(agent: &str) -> Vec<u8> {
    called(
        agent,
        "tick",
        &serde_json::to_value(question(t(AT))).unwrap(),
        false,
        t(AT),
    )
}

#[test]
fn answers_a_call_with_a_result_that_its_gate_admits() {
    let served = host().call(&tick_call("comms"), Authority::Auto, t(AT)).unwrap();
    let id = CallId::parse("t_abcdefghij").unwrap();
    let answer = admit_result(&served.result, ToolName::CommsTick, &id);
    let nothing = TickResult {
        candidates: vec![],
        readings: vec![],
        status: TickStatus::NoData,
    };
    assert_eq!(answer, Ok(AdmittedAnswer::Tick(nothing)));
}

#[test]
fn gives_no_answer_to_what_its_gate_refuses() {
    let mute = json!({"channel_hash": "ch_0123456789abcdef", "ttl_seconds": 1800});
    let late = t(AT).plus_ms(2000);
    for (raw, authority, at, claim) in [
        (b"{".to_vec(), Authority::Auto, t(AT), "not JSON"),
        (tick_call("calendar"), Authority::Auto, t(AT), "another agent's"),
        (tick_call("comms"), Authority::Auto, late, "its deadline passed"),
        (
            called("comms", "mute_channel", &mute, true, t(AT)),
            Authority::Auto,
            t(AT),
            "not confirmed",
        ),
        (
            called("comms", "mute_channel", &json!({"ttl_seconds": 1}), true, t(AT)),
            Authority::Confirmed,
            t(AT),
            "wrong arguments",
        ),
    ] {
        assert_eq!(host().call(&raw, authority, at), None, "{claim}");
    }
    let confirmed = called("comms", "mute_channel", &mute, true, t(AT));
    assert!(host().call(&confirmed, Authority::Confirmed, t(AT)).is_some());
}

#[test]
fn a_tool_that_cannot_answers_with_its_code() {
    let args = json!({"since": AT});
    let raw = called("comms", "batch_summarize", &args, false, t(AT));
    let served = host().call(&raw, Authority::Auto, t(AT)).unwrap();
    let expected = json!({"call_id": "t_abcdefghij", "error": "not_enough_data", "effects": []});
    assert_eq!(serde_json::from_slice::<Value>(&served.result).unwrap(), expected);
}

#[test]
fn everything_that_comms_and_calendar_say_of_the_household_passes_the_gates_schemas() {
    let home = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/home");
    let mut setup = setup();
    setup.owner.addresses = vec!["kavin@example.org".to_owned()];
    setup.owner.names = vec!["kavin".to_owned()];
    setup.sources.mail = vec![home.join("mail")];
    setup.sources.notifications = vec![home.join("notifications.jsonl"), home.join("missing.jsonl")];
    setup.sources.calendar = vec![home.join("calendar")];
    let at = t("2026-11-03T07:45:00+05:30");
    let id = CallId::parse("t_abcdefghij").unwrap();
    let agents: [(Box<dyn Agent>, ToolName, ToolName, usize); 2] = [
        (
            Box::new(CommsAgent::new(setup.clone())),
            ToolName::CommsIngest,
            ToolName::CommsTick,
            2,
        ),
        (
            Box::new(CalendarAgent::new(setup)),
            ToolName::CalendarIngest,
            ToolName::CalendarTick,
            3,
        ),
    ];
    for (agent, ingest, tick, candidates) in agents {
        let name = agent.name();
        let mut host = AgentHost::new(agent);
        let args = json!({"cursor": 0, "signal_ids": []});
        let raw = called(name.as_str(), "ingest", &args, false, at);
        let served = host.call(&raw, Authority::Auto, at).unwrap();
        assert!(admit_result(&served.result, ingest, &id).is_ok(), "{name} ingest");
        let mut args = question(at);
        args.user.brief_due = true;
        let raw = called(
            name.as_str(),
            "tick",
            &serde_json::to_value(args).unwrap(),
            false,
            at,
        );
        let served = host.call(&raw, Authority::Auto, at).unwrap();
        let Ok(AdmittedAnswer::Tick(answer)) = admit_result(&served.result, tick, &id) else {
            panic!("{name} tick");
        };
        assert_eq!(answer.candidates.len(), candidates, "{name}");
        for candidate in answer.candidates {
            let tool = candidate.kind.tool();
            let confirm = tool.columns().confirm == toolcall_schema::Confirm::Always;
            let admitted = gate::pre_admit(tool, &candidate.args, confirm).unwrap();
            if tool != ToolName::ShowBrief {
                let args = admitted.args;
                let raw = called(name.as_str(), tool.tool(), &args, confirm, at);
                let served = host.call(&raw, Authority::Confirmed, at).unwrap();
                let done = admit_result(&served.result, tool, &id);
                assert!(
                    matches!(done, Ok(AdmittedAnswer::Done { .. })),
                    "{tool:?}: {done:?}"
                );
            }
        }
    }
}
