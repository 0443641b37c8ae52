//! What a workflow proposes to its owner.
//!
//! What: what a file may say of it, where each end leads, and that an asking keeps its key over a crash and has another one the next time.
//! Why: each rule is a sentence of `docs/agents/workflows.md`. Not here: what becomes of an ask (`asks.rs`), the same beside a service
//! (`tests/integration/asks_workflow.rs`).

#![expect(clippy::panic, clippy::unwrap_used, reason = "a helper of a test may panic")]

use orchestrator_machine::workflow::{
    definition::parse_workflow,
    event::{AgentAnswer, RunEvent, RunEventKind, RunStart, StepAttempt, StepMetrics},
    proposal::proposal_source,
    run::{NextAction, RunEnd, WorkflowRun},
};
use serde_json::Map;
use toolcall_schema::{AskReport, AskState, Timestamp, ids::RequestId, protocol::manifest::ProgramManifest};

const REST: &str = r#"name = "rest"

[[step]]
name = "pause"
kind = "ask"
tool = "wellness.permit_leisure"
args = { window_min = 90 }
next = "breathe"
on = { dismissed = "breathe", expired = "end" }

[[step]]
name = "breathe"
kind = "ask"
tool = "wellness.guide_breathing"
args = { cycles = 4 }
wait_min = 20
on = { cancelled = "pause" }
"#;

fn event(what: RunEventKind) -> RunEvent {
    RunEvent {
        at: Timestamp::parse("2026-11-03T08:00:00Z").unwrap(),
        what,
    }
}

fn begin() -> WorkflowRun {
    let definition = parse_workflow(REST).unwrap().definition;
    WorkflowRun::begin_run(&event(RunEventKind::Started(Box::new(RunStart {
        run: "550e8400-e29b-41d4-a716-446655440000".to_owned(),
        project: "/project".to_owned(),
        definition,
        feature: None,
        query: "Rest".to_owned(),
        shared: Map::new(),
    }))))
    .unwrap()
}

fn asked(run: &mut WorkflowRun) -> (StepAttempt, String) {
    let NextAction::Ask(open) = run.next_action() else {
        panic!("nothing is to be asked: {:?}", run.next_action());
    };
    run.apply_event(&event(RunEventKind::Asked(open[0].clone())))
        .unwrap();
    let key = proposal_source(run, &open[0].step).unwrap().key;
    (open[0].clone(), key)
}

fn ended(of: &StepAttempt, state: AskState) -> RunEvent {
    event(RunEventKind::Ended {
        of: of.clone(),
        answer: AgentAnswer::Ask {
            ask: RequestId::parse("rq_0000000000000001").unwrap(),
            report: AskReport {
                state,
                until: None,
                trace_id: None,
                reason: None,
            },
        },
        measured: StepMetrics::default(),
        claimed: None,
    })
}

#[test]
fn each_end_of_a_proposal_is_an_outcome_and_leads_where_the_file_says() {
    let stopped = NextAction::Stopped;
    let next = |step: &str| {
        NextAction::Ask(vec![StepAttempt {
            step: step.to_owned(),
            iteration: 1,
        }])
    };
    for (state, leads) in [
        (AskState::Done, next("breathe")),
        (AskState::Dismissed, next("breathe")),
        (AskState::Expired, NextAction::Over(RunEnd::Completed)),
        (AskState::Cancelled, stopped.clone()),
        (AskState::Refused, stopped.clone()),
        (AskState::Unknown, stopped),
    ] {
        let mut run = begin();
        let (of, _) = asked(&mut run);
        for open in [AskState::Queued, AskState::Asking] {
            assert!(run.apply_event(&ended(&of, open)).is_err(), "{open:?} is no end");
        }
        run.apply_event(&ended(&of, state)).unwrap();
        assert_eq!(run.next_action(), leads, "{state:?}");
    }
}

#[test]
fn an_asking_keeps_its_key_over_a_crash_and_the_next_one_has_another() {
    let mut run = begin();
    let (of, first) = asked(&mut run);
    assert_eq!(
        asked(&mut run),
        (of.clone(), first.clone()),
        "a process was killed"
    );
    assert_eq!(run.remaining_ms(&run.definition().steps[0].clone()), 75 * 60_000);
    run.apply_event(&ended(&of, AskState::Done)).unwrap();
    let (breathe, second) = asked(&mut run);
    run.apply_event(&ended(&breathe, AskState::Cancelled)).unwrap();
    // By `on`, past the one asking that a step has: the owner says in the inbox whether to go on.
    run.apply_event(&event(RunEventKind::Answered {
        text: "go on".to_owned(),
    }))
    .unwrap();
    let (again, third) = asked(&mut run);
    assert_eq!((again.step.as_str(), again.iteration), ("pause", 2));
    let keys = [first, second, third];
    assert!(
        keys[0] != keys[1] && keys[1] != keys[2] && keys[0] != keys[2],
        "{keys:?}"
    );
}

#[test]
fn what_a_file_may_propose_is_what_a_card_names() {
    let agent = ProgramManifest::parse(
        "name = \"guide\"\nprotocol = \"base\"\ncommand = [\"guide\"]\ntask_types = [\"research\"]\n",
    )
    .unwrap();
    let lines = ProgramManifest::parse(
        "name = \"liner\"\nprotocol = \"base\"\nmode = \"lines\"\ncommand = [\"guide\"]\ntask_types = [\"research\"]\n",
    )
    .unwrap();
    let agents = [agent, lines];
    let found = |text: &str| match parse_workflow(text) {
        Ok(parsed) => parsed.check(&agents),
        Err(findings) => findings,
    };
    assert_eq!(found(REST), vec![]);
    let research = "[[step]]\nname = \"look\"\nagent = \"liner\"\ntask = \"research\"\nobjective = \"Find what there is\"\n";
    let asks = "[step.asks.pause]\ntool = \"wellness.permit_leisure\"\nargs = { window_min = 90 }\n";
    assert_eq!(found(&format!("name = \"ok\"\n{research}{asks}")), vec![]);
    let many: String = (0..9).map(|n| asks.replace("pause", &format!("p{n}"))).collect();
    for (text, wrong) in [
        (
            REST.replacen("window_min = 90", "window_min = 240", 1),
            "its args must be those",
        ),
        (
            REST.replacen("wellness.permit_leisure", "comms.snooze", 1),
            "none that a program may propose",
        ),
        (
            REST.replacen("wellness.permit_leisure", "calendar.suggest_slots", 1),
            "none that a program may propose",
        ),
        (
            REST.replacen("wellness.permit_leisure", "wellness.steal", 1),
            "the catalogue has no such tool",
        ),
        (
            REST.replacen("wait_min = 20", "wait_min = 1441", 1),
            "wait_min must be 1 to 1440",
        ),
        (
            REST.replacen("wait_min = 20", "max_iterations = 2", 1),
            "and nothing else",
        ),
        (
            REST.replacen("kind = \"ask\"\n", "", 1),
            "tool, args and wait_min go with kind",
        ),
        (
            REST.replacen("dismissed = ", "retry = ", 1),
            "on.retry never happens in it",
        ),
        (
            REST.replacen("dismissed = \"breathe\"", "dismissed = \"again\"", 1),
            "cannot be again",
        ),
        (
            format!("name = \"no\"\n{}{asks}", research.replace("liner", "guide")),
            "cannot propose or read anything meanwhile",
        ),
        (
            format!("name = \"no\"\n{research}{many}"),
            "asks has at most 8 proposals",
        ),
        (
            format!("name = \"no\"\n{research}{}", asks.replace("90", "91")),
            "its args must be those",
        ),
    ] {
        let findings = found(&text);
        assert!(
            findings.iter().any(|finding| finding.message.contains(wrong)),
            "{wrong}: {findings:?}"
        );
    }
}
