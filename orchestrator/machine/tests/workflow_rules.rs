//! The rules of workflows, one by one.
//!
//! What: what a file may say, where outcomes lead, what each agent is told. Why: each rule is a sentence of `docs/agents/workflows.md`,
//! with its example here. Not here: what holds of every run (`workflow.rs`).

#![expect(clippy::unwrap_used, reason = "a helper of a test may panic")]

use orchestrator_machine::workflow::{
    definition::{WorkflowDefinition, parse_workflow},
    event::{AgentAnswer, FileChange, RunEvent, RunEventKind, RunStart, StepAttempt, StepMetrics},
    run::{NextAction, PendingWrite, RunEnd, RunPhase, StopReason, WorkflowRun},
    thread,
};
use serde_json::{Value, json};
use toolcall_schema::{
    Timestamp,
    protocol::{Artifact, BaseRequest, EnvelopeInput, Operation, ProtocolMessage},
    rejection::RefusalReason,
};

/// Every sort of step.
const SPECIFY: &str = include_str!("support/specify.toml");

fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

const T0: &str = "2026-11-03T08:00:00Z";

fn event(what: RunEventKind) -> RunEvent {
    RunEvent { at: at(T0), what }
}

fn begin(text: &str) -> WorkflowRun {
    let definition: WorkflowDefinition = parse_workflow(text).unwrap().definition;
    WorkflowRun::begin_run(&event(RunEventKind::Started(Box::new(RunStart {
        run: "550e8400-e29b-41d4-a716-446655440000".to_owned(),
        project: "/project".to_owned(),
        definition,
        feature: Some("005-user-auth".to_owned()),
        query: "Specify the login".to_owned(),
        shared: json!({ "language": "en", "draft": 1 })
            .as_object()
            .unwrap()
            .clone(),
    }))))
    .unwrap()
}

fn of(step: &str, iteration: u16) -> StepAttempt {
    StepAttempt {
        step: step.to_owned(),
        iteration,
    }
}

/// The step is asked and answers.
fn ask(run: &mut WorkflowRun, step: &str, iteration: u16, answer: Value) {
    let answer = if answer.get("status").is_some() {
        AgentAnswer::Base { response: answer }
    } else if answer.get("code").is_some() {
        AgentAnswer::Refused {
            refusal: serde_json::from_value(answer).unwrap(),
        }
    } else {
        AgentAnswer::Envelope { output: answer }
    };
    let (of, measured) = (of(step, iteration), StepMetrics::default());
    run.apply_event(&event(RunEventKind::Asked(of.clone()))).unwrap();
    let claimed = None;
    run.apply_event(&event(RunEventKind::Ended {
        of,
        answer,
        measured,
        claimed,
    }))
    .unwrap();
}

fn output(success: bool, recommendation: &str, notes: &[&str]) -> Value {
    json!({ "success": success, "summary": "S.", "artifacts": [], "notes": notes, "recommendation": recommendation })
}

fn document(run: &WorkflowRun, step: &str) -> Value {
    thread::document(run, step, at(T0)).unwrap()
}

#[test]
fn an_envelope_is_the_seeds_with_paths_filled_in_and_the_notes_of_the_step_before() {
    let mut run = begin(SPECIFY);
    assert_eq!(run.next_action(), NextAction::Ask(vec![of("write", 1)]));
    ask(
        &mut run,
        "write",
        1,
        output(true, "proceed", &["Spec complete", "3 edge cases identified"]),
    );
    let input = document(&run, "validate");
    assert_eq!(
        input,
        json!({
            "context": { "feature_id": "005-user-auth", "workflow": "specify", "iteration": 1 },
            "paths": {
                "feature_root": "specs/005-user-auth/",
                "spec": "specs/005-user-auth/spec.md",
                "checks": "check-modules/spec-checks.md",
            },
            "task": { "action": "validate", "params": { "strict": true } },
            "prior_context": ["Spec complete", "3 edge cases identified"],
        })
    );
    assert!(ProtocolMessage::<EnvelopeInput>::try_from_value(input).is_ok());
}

#[test]
fn a_step_that_is_entered_by_a_branch_goes_on_counting_and_past_its_limit_the_owner_is_asked() {
    let mut run = begin(SPECIFY);
    for iteration in 1..=2 {
        ask(&mut run, "write", iteration, output(true, "proceed", &[]));
        ask(&mut run, "validate", 1, output(true, "retry", &["Gap in 2"]));
    }
    let RunPhase::Waiting { question, .. } = &run.phase else {
        unreachable!("{:?}", run.phase)
    };
    assert_eq!(
        (question.step.as_str(), question.notes.clone(), question.until),
        ("write", vec!["Gap in 2".to_owned()], at("2026-11-10T08:00:00Z"))
    );
    run.apply_event(&event(RunEventKind::Answered {
        text: "Leave gap 2".to_owned(),
    }))
    .unwrap();
    assert_eq!(run.next_action(), NextAction::Ask(vec![of("write", 3)]));
    assert_eq!(
        document(&run, "write")["prior_context"],
        json!(["Gap in 2", "The owner answers: Leave gap 2"])
    );
}

#[test]
fn outcomes_lead_where_the_defaults_say() {
    let refused = json!({ "code": "PROGRAM-006", "pointer": "", "message": "nothing" });
    let retry = || output(false, "retry", &["n"]);
    for (answers, phase) in [
        (vec![retry(), retry()], "waiting"),
        (vec![refused.clone(), refused.clone()], "stopped"),
        (vec![retry(), refused.clone()], "stopped"),
        (vec![output(false, "escalate", &[])], "waiting"),
        (vec![retry()], "working"),
        (vec![refused, output(true, "proceed", &[])], "working"),
    ] {
        let mut run = begin(SPECIFY);
        for (answer, iteration) in answers.iter().zip(1..) {
            ask(&mut run, "write", iteration, answer.clone());
        }
        let is = match run.phase {
            RunPhase::Working(_) => "working",
            RunPhase::Waiting { .. } => "waiting",
            RunPhase::Stopped { .. } => "stopped",
            RunPhase::Over(_) => "over",
        };
        assert_eq!(is, phase, "{answers:?}");
    }
}

#[test]
fn a_refused_answer_is_told_to_the_agent_that_is_asked_again() {
    let mut run = begin(SPECIFY);
    let refused = json!({ "code": "PROTO-002", "pointer": "/artifacts", "message": "missing" });
    ask(&mut run, "write", 1, refused);
    assert_eq!(
        document(&run, "write"),
        json!({
            "context": { "feature_id": "005-user-auth", "workflow": "specify", "iteration": 2 },
            "paths": { "feature_root": "specs/005-user-auth/" },
            "task": { "action": "write", "params": {} },
            "prior_context": ["The answer before was refused: PROTO-002 at \"/artifacts\": missing"],
        })
    );
}

#[test]
fn a_request_has_session_results_memory_and_the_next_context_of_the_step_before_alone() {
    const TEXT: &str = r#"name = "look"
[[step]]
name = "find-out"
agent = "surveyor"
task = "research"
objective = "Find what {feature} touches"
[[step]]
name = "try"
agent = "surveyor"
task = "test"
objective = "Say what to test"
parameters = { depth = 2 }
output_format = "markdown"
max_iterations = 2
time_limit_seconds = 60
[[step]]
name = "last"
agent = "surveyor"
task = "test"
objective = "Say what is left"
"#;
    let mut run = begin(TEXT);
    let found = json!({
        "status": "completed",
        "data": { "findings": [1], "summary": "Three places" },
        "next_context": { "seen": ["a"], "shared_memory": { "draft": null, "size": 3 } },
        "meta": { "tokens_used": 5 },
    });
    ask(&mut run, "find-out", 1, found);
    let request = document(&run, "try");
    assert_eq!(
        request,
        json!({
            "meta": {
                "version": "1.0.0",
                "timestamp": "2026-11-03T08:00:00.000Z",
                "session_id": "550e8400-e29b-41d4-a716-446655440000",
                "agent_id": "try_001",
                "parent_agent_id": "workflow_look",
                "execution_mode": "sync",
            },
            "request": {
                "task": {
                    "type": "test",
                    "objective": "Say what to test",
                    "constraints": { "max_iterations": 2, "time_limit_seconds": 60, "output_format": "markdown" },
                },
                "parameters": { "depth": 2 },
            },
            "context": {
                "user_query": "Specify the login",
                "previous_results": [{
                    "agent_id": "find_out_001",
                    "timestamp": "2026-11-03T08:00:00.000Z",
                    "result": { "findings": [1], "summary": "Three places" },
                }],
                "shared_memory": { "language": "en", "size": 3 },
                "next_context": { "seen": ["a"] },
            },
        })
    );
    assert!(ProtocolMessage::<BaseRequest>::try_from_value(request).is_ok());
    // Its own next_context goes into a re-ask, and not past the next step.
    let failed = json!({
        "status": "failed", "data": { "summary": "no" }, "next_context": { "at": 7 }, "meta": {},
    });
    ask(&mut run, "try", 1, failed);
    assert_eq!(
        document(&run, "try")["context"]["next_context"],
        json!({ "at": 7 })
    );
    ask(
        &mut run,
        "try",
        2,
        json!({ "status": "partial", "data": {}, "meta": {} }),
    );
    assert_eq!(document(&run, "last")["context"].get("next_context"), None);
    ask(
        &mut run,
        "last",
        1,
        json!({ "status": "completed", "data": {}, "meta": {} }),
    );
    assert_eq!(run.next_action(), NextAction::Over(RunEnd::Completed));
}

#[test]
fn a_group_is_joined_by_task_type_in_the_order_of_names_and_written_when_all_have_answered() {
    let text = SPECIFY.replace("name = \"both\"", "name = \"both\"\nnext = \"last\"")
        + "\n[[step]]\nname = \"last\"\nagent = \"surveyor\"\ntask = \"test\"\nobjective = \"Say what is left\"\n";
    let mut run = begin(&text);
    ask(&mut run, "write", 1, output(true, "proceed", &[]));
    ask(&mut run, "validate", 1, output(true, "proceed", &["Fine"]));
    assert_eq!(
        run.next_action(),
        NextAction::Ask(vec![of("survey", 1), of("tests", 1)])
    );
    assert_eq!(document(&run, "tests")["meta"]["execution_mode"], "parallel");
    let said = |summary: &str, value: u8| {
        json!({
            "status": "completed", "data": { "summary": summary },
            "next_context": { "from": summary, "shared_memory": { "last": value } }, "meta": {},
        })
    };
    // The later name ends first, and its value is the one that stays.
    ask(&mut run, "tests", 1, said("Tests", 2));
    assert_eq!(run.next_action(), NextAction::Ask(vec![of("survey", 1)]));
    ask(&mut run, "survey", 1, said("Survey", 1));
    let writing = PendingWrite::Save {
        path: "tests.md".to_owned(),
        content: "Tests\n".to_owned(),
    };
    assert_eq!(run.next_action(), NextAction::Write(of("tests", 1), writing));
    let changes = vec![FileChange {
        path: "tests.md".to_owned(),
        before: None,
        after: "Tests\n".to_owned(),
    }];
    run.apply_event(&event(RunEventKind::Applying {
        of: of("tests", 1),
        changes: changes.clone(),
    }))
    .unwrap();
    assert_eq!(
        run.next_action(),
        NextAction::Apply(of("tests", 1), changes.clone())
    );
    assert!(
        run.apply_event(&event(RunEventKind::Cancelled)).is_err(),
        "not while files are written"
    );
    run.apply_event(&event(RunEventKind::Applied(of("tests", 1))))
        .unwrap();
    let context = document(&run, "last")["context"].clone();
    assert_eq!(
        (&context["next_context"], &context["shared_memory"]),
        (
            &json!({ "research": { "from": "Survey" }, "test": { "from": "Tests" } }),
            &json!({ "language": "en", "draft": 1, "last": 2 })
        )
    );
    let ids: Vec<&Value> = context["previous_results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|result| &result["agent_id"])
        .collect();
    assert_eq!(ids, ["write_001", "validate_001", "survey_001", "tests_001"]);
    assert_eq!(run.net_changes(), changes);
}

#[test]
fn of_a_group_only_those_that_failed_are_asked_again_after_a_stop() {
    let text = SPECIFY.split("[[step]]").collect::<Vec<_>>();
    let text = format!(
        "{}[[step]]{}[[step]]{}[[step]]{}",
        text[0], text[3], text[4], text[5]
    );
    let mut run = begin(&text);
    let failed = json!({ "status": "failed", "data": { "summary": "no" }, "meta": {} });
    ask(&mut run, "survey", 1, failed.clone());
    ask(&mut run, "tests", 1, failed);
    assert!(matches!(
        &run.phase,
        RunPhase::Stopped {
            why: StopReason::Outcome { .. },
            ..
        }
    ));
    run.apply_event(&event(RunEventKind::Resumed)).unwrap();
    assert_eq!(
        run.next_action(),
        NextAction::Ask(vec![of("survey", 2), of("tests", 2)])
    );
    let done = json!({ "status": "completed", "data": {}, "meta": {} });
    ask(&mut run, "survey", 2, done);
    let refused = json!({ "code": "PROGRAM-004", "pointer": "", "message": "late" });
    ask(&mut run, "tests", 2, refused);
    // One of two: partial, which goes on.
    assert_eq!(run.next_action(), NextAction::Over(RunEnd::Completed));
}

#[test]
fn only_what_succeeded_and_wants_no_other_attempt_is_written() {
    let artifact = Artifact {
        path: "spec.md".to_owned(),
        operation: Operation::Create,
        content: "x".to_owned(),
    };
    for (success, recommendation, written) in [
        (true, "proceed", true),
        (true, "escalate", true),
        (true, "retry", false),
        (false, "retry", false),
        (false, "escalate", false),
    ] {
        let mut run = begin(SPECIFY);
        let mut answer = output(success, recommendation, &[]);
        answer["artifacts"] = json!([{ "path": "spec.md", "operation": "create", "content": "x" }]);
        ask(&mut run, "write", 1, answer);
        let writes = run.next_action()
            == NextAction::Write(of("write", 1), PendingWrite::Artifacts(vec![artifact.clone()]));
        assert_eq!(writes, written, "{success} {recommendation}");
    }
}

#[test]
fn what_is_too_large_is_refused_and_old_results_make_room() {
    let steps = (0..40).map(|index| {
        format!("[[step]]\nname = \"s{index}\"\nagent = \"surveyor\"\ntask = \"test\"\nobjective = \"Say what to test\"\n")
    });
    let text = format!("name = \"long\"\n{}", steps.collect::<String>());
    let mut run = begin(&text);
    for index in 0..35 {
        let name = format!("s{index}");
        ask(
            &mut run,
            &name,
            1,
            json!({ "status": "completed", "data": {}, "meta": {} }),
        );
    }
    let context = document(&run, "s35")["context"].clone();
    let results = context["previous_results"].as_array().unwrap();
    assert_eq!(
        (
            results.len(),
            &results[0]["agent_id"],
            &context["dropped_results"]
        ),
        (32, &json!("s3_001"), &json!(3))
    );
    // Beside 34 bytes: {"a":"","draft":1,"language":"en"}.
    for (bytes, refused) in [((256 << 10) - 34, None), ((256 << 10) - 33, Some("PROTO-007"))] {
        let mut run = begin(&text);
        let memory = json!({ "shared_memory": { "a": "x".repeat(bytes) } });
        let response = json!({ "status": "completed", "data": {}, "next_context": memory, "meta": {} });
        ask(&mut run, "s0", 1, response);
        let code = run.latest["s0"]
            .refusal
            .as_ref()
            .map(|refusal| refusal.code.as_str());
        assert_eq!(code, refused, "{bytes}");
    }
}

#[test]
fn a_question_is_announced_once_and_answered_once_and_in_time() {
    let mut run = begin(SPECIFY);
    ask(&mut run, "write", 1, output(false, "escalate", &["Which login?"]));
    run.apply_event(&event(RunEventKind::Announced)).unwrap();
    assert!(run.apply_event(&event(RunEventKind::Announced)).is_err());
    run.apply_event(&event(RunEventKind::Dismissed)).unwrap();
    assert!(
        matches!(run.next_action(), NextAction::Wait(_)),
        "it is not answered by that"
    );
    let late = |what| RunEvent {
        at: at("2026-11-10T08:00:00Z"),
        what,
    };
    let text = || "By mail".to_owned();
    assert!(run.apply_event(&event(RunEventKind::Expired)).is_err());
    assert!(
        run.apply_event(&late(RunEventKind::Answered { text: text() }))
            .is_err()
    );
    let mut unanswered = run.clone();
    unanswered.apply_event(&late(RunEventKind::Expired)).unwrap();
    assert_eq!(unanswered.next_action(), NextAction::Over(RunEnd::Expired));
    run.apply_event(&event(RunEventKind::Answered { text: text() }))
        .unwrap();
    assert!(
        run.apply_event(&event(RunEventKind::Answered { text: text() }))
            .is_err()
    );
    // Its iterations were used up; the answer allows one more.
    assert_eq!(run.next_action(), NextAction::Ask(vec![of("write", 2)]));
}

#[test]
fn a_run_that_asked_as_often_as_it_may_stops_for_good() {
    let mut run = begin(&SPECIFY.replacen("feature_root", "max_steps = 1\nfeature_root", 1));
    ask(&mut run, "write", 1, output(true, "proceed", &[]));
    assert!(matches!(
        &run.phase,
        RunPhase::Stopped {
            why: StopReason::MaxSteps,
            ..
        }
    ));
    assert!(run.apply_event(&event(RunEventKind::Resumed)).is_err());
    assert!(run.apply_event(&event(RunEventKind::Undone)).is_ok());
}

#[test]
fn the_time_limit_is_for_all_iterations_of_a_step() {
    // 120 s where nothing is said, and two iterations.
    for (took_ms, left_ms) in [(119_999, Some(1)), (120_000, None)] {
        let mut run = begin(SPECIFY);
        run.apply_event(&event(RunEventKind::Asked(of("write", 1))))
            .unwrap();
        run.apply_event(&event(RunEventKind::Ended {
            of: of("write", 1),
            answer: AgentAnswer::Envelope {
                output: output(false, "retry", &[]),
            },
            measured: StepMetrics {
                processing_time_ms: took_ms,
                messages: 1,
            },
            claimed: None,
        }))
        .unwrap();
        let step = run.definition().step("write").unwrap();
        let left =
            (run.next_action() == NextAction::Ask(vec![of("write", 2)])).then(|| run.remaining_ms(step));
        assert_eq!(left, left_ms, "{took_ms}");
    }
}

#[test]
fn statuses_of_one_asking_go_on_and_never_back() {
    let mut run = begin(
        "name = \"x\"\n[[step]]\nname = \"s\"\nagent = \"surveyor\"\ntask = \"test\"\nobjective = \"Say what to test\"\n",
    );
    let say = |status: &str| RunEventKind::Progressed {
        of: of("s", 1),
        response: json!({ "status": status, "data": {}, "meta": {} }),
    };
    assert!(
        run.apply_event(&event(say("pending"))).is_err(),
        "it was not asked"
    );
    run.apply_event(&event(RunEventKind::Asked(of("s", 1)))).unwrap();
    for (status, taken) in [
        ("pending", true),
        ("processing", true),
        ("processing", true),
        ("pending", false),
        ("completed", false),
    ] {
        assert_eq!(run.apply_event(&event(say(status))).is_ok(), taken, "{status}");
    }
}

#[test]
fn what_a_run_changed_is_told_once_a_file() {
    let change = |path: &str, before: Option<&str>, after: &str| FileChange {
        path: path.to_owned(),
        before: before.map(str::to_owned),
        after: after.to_owned(),
    };
    let mut run = begin(SPECIFY);
    run.changes = vec![
        change("b.md", Some("1"), "2"),
        change("a.md", None, "x"),
        change("b.md", Some("2"), "3"),
        change("c.md", Some("1"), "2"),
        change("c.md", Some("2"), "1"),
    ];
    assert_eq!(
        run.net_changes(),
        [change("a.md", None, "x"), change("b.md", Some("1"), "3")]
    );
}

#[test]
fn an_answer_of_another_protocol_makes_no_sense() {
    let mut run = begin(SPECIFY);
    run.apply_event(&event(RunEventKind::Asked(of("write", 1))))
        .unwrap();
    let ended = |answer| {
        event(RunEventKind::Ended {
            of: of("write", 1),
            answer,
            measured: StepMetrics::default(),
            claimed: None,
        })
    };
    let response = json!({ "status": "completed", "data": {}, "meta": {} });
    let before = run.clone();
    assert!(run.apply_event(&ended(AgentAnswer::Base { response })).is_err());
    assert!(
        run.apply_event(&ended(AgentAnswer::Envelope { output: json!({}) }))
            .is_err()
    );
    assert_eq!(run, before);
    let refusal = RefusalReason {
        code: "PROGRAM-006".to_owned(),
        pointer: String::new(),
        message: "nothing".to_owned(),
    };
    assert!(run.apply_event(&ended(AgentAnswer::Refused { refusal })).is_ok());
}
