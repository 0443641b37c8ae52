//! What a workflow reads of Aura.
//!
//! What: what a file may say of it, where its answer leads, and what those who come after are told. Why: each rule is a sentence of
//! `docs/agents/workflows.md`. Not here: whether a workflow may, and the record (`tests/integration/asks_workflow.rs`).

#![expect(clippy::panic, clippy::unwrap_used, reason = "a helper of a test may panic")]

use orchestrator_machine::workflow::{
    definition::parse_workflow,
    event::{AgentAnswer, RunEvent, RunEventKind, RunStart, StepAttempt, StepMetrics},
    reading::WorkflowRead,
    run::{NextAction, WorkflowRun},
    thread::document,
};
use serde_json::{Map, Value, json};
use toolcall_schema::{Timestamp, ToolName, protocol::manifest::ProgramManifest, rejection::RefusalReason};

const FREE: &str = r#"name = "free"

[[step]]
name = "when"
kind = "read"
tool = "calendar.suggest_slots"
args = { duration_min = 60, after = "{now}" }
next = "look"

[[step]]
name = "look"
agent = "liner"
task = "research"
objective = "Find what there is"

[step.reads.clashes]
tool = "calendar.detect_conflicts"
args = { day = "{today}" }
"#;

fn at() -> Timestamp {
    Timestamp::parse("2026-11-03T08:00:00Z").unwrap()
}

fn event(what: RunEventKind) -> RunEvent {
    RunEvent { at: at(), what }
}

fn agents() -> [ProgramManifest; 2] {
    ["once", "lines"].map(|mode| {
        let name = if mode == "once" { "guide" } else { "liner" };
        let text = format!(
            "name = \"{name}\"\nprotocol = \"base\"\nmode = \"{mode}\"\ncommand = [\"guide\"]\ntask_types = [\"research\"]\n"
        );
        ProgramManifest::parse(&text).unwrap()
    })
}

/// A run of which the first step is being asked.
fn asked() -> (WorkflowRun, StepAttempt) {
    let mut run = WorkflowRun::begin_run(&event(RunEventKind::Started(Box::new(RunStart {
        run: "550e8400-e29b-41d4-a716-446655440000".to_owned(),
        project: "/project".to_owned(),
        definition: parse_workflow(FREE).unwrap().definition,
        feature: None,
        query: "When".to_owned(),
        shared: Map::new(),
    }))))
    .unwrap();
    let NextAction::Ask(open) = run.next_action() else {
        panic!("nothing is to be asked");
    };
    run.apply_event(&event(RunEventKind::Asked(open[0].clone())))
        .unwrap();
    (run, open[0].clone())
}

fn ended(of: &StepAttempt, answer: AgentAnswer) -> RunEvent {
    event(RunEventKind::Ended {
        of: of.clone(),
        answer,
        measured: StepMetrics::default(),
        claimed: None,
    })
}

fn answer() -> Map<String, Value> {
    let slots = json!({"slots": [{"start": "2026-11-03T09:00:00.000Z", "end": "2026-11-03T10:00:00.000Z"}]});
    slots.as_object().unwrap().clone()
}

#[test]
fn what_was_read_is_the_steps_result_and_goes_to_those_who_come_after() {
    let (mut run, of) = asked();
    run.apply_event(&ended(&of, AgentAnswer::Read { answer: answer() }))
        .unwrap();
    let NextAction::Ask(open) = run.next_action() else {
        panic!("it leads on");
    };
    assert_eq!(open[0].step, "look");
    let told = document(&run, "look", at()).unwrap();
    let before = &told["context"]["previous_results"];
    assert_eq!(before[0]["result"], json!(answer()), "{before}");
}

#[test]
fn what_may_not_be_read_stops_the_run_and_another_answer_is_none_of_a_read() {
    let (mut run, of) = asked();
    let output = json!({"success": true, "summary": "x", "artifacts": [], "recommendation": "proceed"});
    assert!(
        run.apply_event(&ended(&of, AgentAnswer::Envelope { output }))
            .is_err()
    );
    let refusal = RefusalReason {
        code: "ASK-001".to_owned(),
        pointer: String::new(),
        message: "not allowed".to_owned(),
    };
    run.apply_event(&ended(&of, AgentAnswer::Refused { refusal }))
        .unwrap();
    assert_eq!(run.next_action(), NextAction::Stopped);
}

#[test]
fn a_moment_and_a_day_are_filled_in_as_whole_texts_and_nothing_else() {
    let read = WorkflowRead {
        tool: ToolName::SuggestSlots,
        args: json!({"duration_min": 60, "after": "{now}", "day": "{today}", "other": "x{now}"})
            .as_object()
            .unwrap()
            .clone(),
    };
    assert_eq!(
        read.arguments("2026-11-03T08:00:00.000Z", "2026-11-03"),
        json!({"duration_min": 60, "after": "2026-11-03T08:00:00.000Z", "day": "2026-11-03", "other": "x{now}"})
    );
}

#[test]
fn a_file_reads_what_programs_may_read_and_by_an_agent_that_goes_on() {
    let found = |text: &str| match parse_workflow(text) {
        Ok(parsed) => parsed.check(&agents()),
        Err(findings) => findings,
    };
    assert_eq!(found(FREE), vec![]);
    let example = include_str!("../../../docs/examples/free-hour.toml");
    assert_eq!(found(example), vec![], "the example of the documentation");
    let reads = "[step.reads.clashes]\ntool = \"calendar.detect_conflicts\"\nargs = { day = \"{today}\" }\n";
    let many: String = (0..9)
        .map(|n| reads.replace("clashes", &format!("r{n}")))
        .collect();
    for (from, to, wrong) in [
        (
            "calendar.suggest_slots",
            "wellness.permit_leisure",
            "none that a program may read with",
        ),
        (
            "calendar.suggest_slots",
            "calendar.list_events",
            "none that a program may read with",
        ),
        (
            "calendar.suggest_slots",
            "calendar.steal",
            "the catalogue has no such tool",
        ),
        ("\"{now}\"", "\"soon\"", "its args must be those of its tool"),
        (
            "\"{now}\"",
            "\"{tomorrow}\"",
            "its args must be those of its tool",
        ),
        ("next = \"look\"", "wait_min = 5", "and nothing else"),
        ("next = \"look\"", "max_iterations = 2", "and nothing else"),
        (
            "next = \"look\"",
            "next = \"look\"\non = { dismissed = \"end\" }",
            "on.dismissed never happens in it",
        ),
        (
            "next = \"look\"",
            "next = \"look\"\non = { refused = \"again\" }",
            "cannot be again",
        ),
        ("liner", "guide", "cannot propose or read anything meanwhile"),
        (
            "calendar.detect_conflicts",
            "comms.mute_channel",
            "none that a program may read with",
        ),
        (reads, &many, "reads has at most 8 reads"),
    ] {
        let findings = found(&FREE.replacen(from, to, 1));
        assert!(
            findings.iter().any(|finding| finding.message.contains(wrong)),
            "{wrong}: {findings:?}"
        );
    }
}
