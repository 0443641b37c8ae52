//! What holds of every run of every workflow.
//!
//! What: random workflows with random answers, an owner who answers or does not, and a process that dies after any event. Why: a run
//! that goes on for ever, asks twice or ends otherwise after a crash would be found by nobody's example. Not here: single rules
//! (`workflow_rules.rs`), real programs.

#![expect(
    clippy::unwrap_used,
    clippy::wildcard_enum_match_arm,
    reason = "a helper of a test may panic"
)]

use orchestrator_machine::workflow::{
    StepOutcome, TransitionTarget,
    definition::{StepTask, WorkflowDefinition, WorkflowStep},
    event::{AgentAnswer, FileChange, RunEvent, RunEventKind, RunStart, StepAttempt, StepMetrics},
    run::{IllegalEvent, NextAction, PendingWrite, RunEnd, RunPhase, StopReason, WorkflowRun},
};
use proptest::{collection::vec, prelude::*};
use serde_json::{Map, json};
use std::collections::{BTreeMap, BTreeSet};
use toolcall_schema::{Timestamp, protocol::TaskType, rejection::RefusalReason};

const NAMES: [&str; 4] = ["a", "b", "c", "d"];
const ENVELOPE: [StepOutcome; 4] = [
    StepOutcome::Proceed,
    StepOutcome::Retry,
    StepOutcome::Escalate,
    StepOutcome::Refused,
];
const BASE: [StepOutcome; 4] = [
    StepOutcome::Completed,
    StepOutcome::Partial,
    StepOutcome::Failed,
    StepOutcome::Refused,
];

fn target() -> impl Strategy<Value = TransitionTarget> {
    prop_oneof![
        4 => (0..4_usize).prop_map(|index| TransitionTarget::Step(NAMES[index].to_owned())),
        1 => Just(TransitionTarget::End),
        1 => Just(TransitionTarget::Stop),
        2 => Just(TransitionTarget::Again),
        1 => Just(TransitionTarget::Ask),
    ]
}

fn work(envelope: bool, task: TaskType) -> StepTask {
    if envelope {
        StepTask::Envelope {
            agent: "x".to_owned(),
            action: "do".to_owned(),
            params: Map::new(),
            paths: BTreeMap::new(),
        }
    } else {
        StepTask::Base {
            agent: "y".to_owned(),
            task,
            objective: "Find something out".to_owned(),
            parameters: Map::new(),
            output_format: None,
            save: Some("out.md".to_owned()),
            given: None,
        }
    }
}

/// Four steps, the third of which may be a group of two.
fn definition() -> impl Strategy<Value = WorkflowDefinition> {
    let step = (any::<bool>(), 1..4_u16, vec((0..4_usize, target()), 0..4));
    (vec(step, 4), any::<bool>(), 5..60_u32).prop_map(|(all, grouped, max_steps)| {
        let mut steps: Vec<WorkflowStep> = Vec::new();
        for (index, (envelope, max_iterations, on)) in all.into_iter().enumerate() {
            let group = grouped && index == 2;
            let next = NAMES.get(index + 1).map_or(TransitionTarget::End, |name| {
                TransitionTarget::Step((*name).to_owned())
            });
            let on = if group {
                BTreeMap::new()
            } else {
                let may = if envelope { ENVELOPE } else { BASE };
                on.into_iter()
                    .map(|(outcome, target)| (may[outcome], target))
                    .collect()
            };
            let member = |name: &str, envelope, task| WorkflowStep {
                name: name.to_owned(),
                work: work(envelope, task),
                max_iterations,
                time_limit_seconds: 60,
                next: None,
                on: BTreeMap::new(),
                asks: BTreeMap::new(),
                reads: BTreeMap::new(),
            };
            if group {
                steps.push(member("m1", envelope, TaskType::Research));
                steps.push(member("m2", false, TaskType::Test));
            }
            steps.push(WorkflowStep {
                name: NAMES[index].to_owned(),
                work: if group {
                    StepTask::Group {
                        members: vec!["m1".to_owned(), "m2".to_owned()],
                    }
                } else {
                    work(envelope, TaskType::Research)
                },
                max_iterations,
                time_limit_seconds: 60,
                next: Some(next),
                on,
                asks: BTreeMap::new(),
                reads: BTreeMap::new(),
            });
        }
        WorkflowDefinition {
            name: "any".to_owned(),
            feature_root: Some("specs/{feature}".to_owned()),
            max_steps,
            steps,
        }
    })
}

fn t0() -> Timestamp {
    Timestamp::parse("2026-11-03T08:00:00Z").unwrap()
}

fn event(what: RunEventKind) -> RunEvent {
    RunEvent { at: t0(), what }
}

fn started(definition: WorkflowDefinition) -> RunEvent {
    event(RunEventKind::Started(Box::new(RunStart {
        run: "00000000-0000-4000-8000-000000000001".to_owned(),
        project: "/project".to_owned(),
        definition,
        feature: Some("005".to_owned()),
        query: "Go".to_owned(),
        shared: Map::new(),
    })))
}

/// What everybody outside does: a number decides everything, by what happened so far and not by who is faster.
#[derive(Clone, Copy, Debug)]
struct World {
    seed: u64,
    /// Of a group, who ends first.
    backwards: bool,
    owner_answers: usize,
    resumes: usize,
}

impl World {
    fn pick(self, step: &str, nth: usize, of: usize) -> usize {
        let mut hash = self.seed ^ 0x9e37_79b9_7f4a_7c15;
        for byte in step.bytes().chain(nth.to_le_bytes()) {
            hash = (hash ^ u64::from(byte))
                .wrapping_mul(0x0100_0000_01b3)
                .rotate_left(23);
        }
        usize::try_from(hash >> 7).unwrap_or(0) % of
    }

    fn answer(self, run: &WorkflowRun, step: &str, nth: usize) -> AgentAnswer {
        let refused = || AgentAnswer::Refused {
            refusal: RefusalReason {
                code: "PROGRAM-005".to_owned(),
                pointer: String::new(),
                message: "it ended with exit code 3".to_owned(),
            },
        };
        let memory = json!({ (step.to_owned()): nth });
        if let Some(StepTask::Envelope { .. }) = run.definition().step(step).map(|step| &step.work) {
            let outcome = ENVELOPE[self.pick(step, nth, 4)];
            if outcome == StepOutcome::Refused {
                return refused();
            }
            let success = outcome == StepOutcome::Proceed || self.pick(step, nth + 1000, 2) == 0;
            let artifact =
                json!({ "path": format!("{step}.md"), "operation": "create", "content": format!("{nth}") });
            return AgentAnswer::Envelope {
                output: json!({
                    "success": success, "summary": format!("{step} {nth}"), "artifacts": [artifact],
                    "notes": [format!("of {step}")], "recommendation": outcome,
                }),
            };
        }
        let outcome = BASE[self.pick(step, nth, 4)];
        if outcome == StepOutcome::Refused {
            return refused();
        }
        AgentAnswer::Base {
            response: json!({
                "status": outcome, "data": { "summary": format!("{step} {nth}") },
                "next_context": { "from": step, "shared_memory": memory }, "meta": {},
            }),
        }
    }
}

fn count(events: &[RunEvent], is: impl Fn(&RunEventKind) -> bool) -> usize {
    events.iter().filter(|event| is(&event.what)).count()
}

fn ended_of(events: &[RunEvent], step: &str) -> usize {
    count(
        events,
        |what| matches!(what, RunEventKind::Ended { of, .. } if of.step == step),
    )
}

fn replayed(journal: &[RunEvent]) -> WorkflowRun {
    let (first, rest) = journal.split_first().unwrap();
    let mut run = WorkflowRun::begin_run(first).unwrap();
    for event in rest {
        run.apply_event(event).unwrap();
    }
    run
}

/// Goes on with a journal until nothing is to be done, as a runner does that has just been started.
fn drive(events: &mut Vec<RunEvent>, world: World) -> WorkflowRun {
    let mut run = replayed(events);
    let mut in_flight: BTreeSet<StepAttempt> = BTreeSet::new();
    loop {
        assert!(events.len() < 2000, "it goes on for ever");
        let write = |what: RunEventKind| RunEvent {
            at: if what == RunEventKind::Expired {
                t0().plus_ms(7 * 24 * 3600 * 1000)
            } else {
                t0()
            },
            what,
        };
        let what = match run.next_action() {
            NextAction::Ask(open) => {
                if let Some(at) = open.iter().find(|at| !in_flight.contains(*at)) {
                    in_flight.insert(at.clone());
                    RunEventKind::Asked(at.clone())
                } else {
                    let of = if world.backwards {
                        open.last()
                    } else {
                        open.first()
                    };
                    let of = of.unwrap().clone();
                    in_flight.remove(&of);
                    RunEventKind::Ended {
                        answer: world.answer(&run, &of.step, ended_of(events, &of.step)),
                        of,
                        measured: StepMetrics {
                            processing_time_ms: 10,
                            messages: 1,
                        },
                        claimed: None,
                    }
                }
            }
            NextAction::Write(of, writing) => {
                let nth = ended_of(events, &of.step);
                assert!(may_write(events, &of), "what did not succeed is written");
                if world.pick(&of.step, nth + 2000, 5) == 0 {
                    let refusal = RefusalReason {
                        code: "ARTIFACT-001".to_owned(),
                        pointer: String::new(),
                        message: "it is there".to_owned(),
                    };
                    RunEventKind::Unwritten { of, refusal }
                } else {
                    let change = |path: &str, after: &str| FileChange {
                        path: path.to_owned(),
                        before: None,
                        after: after.to_owned(),
                    };
                    let changes = match &writing {
                        PendingWrite::Artifacts(all) => {
                            all.iter().map(|one| change(&one.path, &one.content)).collect()
                        }
                        PendingWrite::Save { path, content } => vec![change(path, content)],
                    };
                    RunEventKind::Applying { of, changes }
                }
            }
            NextAction::Apply(of, _) => RunEventKind::Applied(of),
            NextAction::Wait(_) => {
                if count(events, |what| matches!(what, RunEventKind::Answered { .. })) < world.owner_answers {
                    RunEventKind::Answered {
                        text: "Go on".to_owned(),
                    }
                } else {
                    RunEventKind::Expired
                }
            }
            NextAction::Stopped => {
                let resumes = count(events, |what| *what == RunEventKind::Resumed);
                let can = matches!(
                    &run.phase,
                    RunPhase::Stopped {
                        why: StopReason::Outcome { .. },
                        ..
                    }
                );
                if resumes == world.resumes || !can {
                    return run;
                }
                RunEventKind::Resumed
            }
            NextAction::Over(_) => return run,
        };
        let event = write(what);
        run.apply_event(&event).unwrap();
        events.push(event);
        let owner = count(events, |what| {
            matches!(what, RunEventKind::Answered { .. } | RunEventKind::Resumed)
        });
        holds(&run, owner);
    }
}

/// The last answer of that step succeeded and does not want another attempt.
fn may_write(events: &[RunEvent], at: &StepAttempt) -> bool {
    let last = events.iter().rev().find_map(|event| match &event.what {
        RunEventKind::Ended { of, answer, .. } if of == at => Some(answer),
        _ => None,
    });
    match last {
        Some(AgentAnswer::Envelope { output }) => {
            output["success"] == true && output["recommendation"] != "retry"
        }
        Some(AgentAnswer::Base { response }) => response["status"] != "failed",
        Some(AgentAnswer::Ask { .. } | AgentAnswer::Read { .. } | AgentAnswer::Refused { .. }) | None => {
            false
        }
    }
}

fn holds(run: &WorkflowRun, owner: usize) {
    assert!(run.asked <= run.definition().max_steps);
    for (name, member) in run.stage().into_iter().flat_map(|stage| &stage.members) {
        let most = usize::from(run.definition().step(name).unwrap().max_iterations);
        let waiting = usize::from(matches!(run.phase, RunPhase::Waiting { .. }));
        assert!(usize::from(member.iteration) <= most + owner + waiting);
    }
}

fn world() -> impl Strategy<Value = World> {
    (any::<u64>(), 0..3_usize, 0..3_usize).prop_map(|(seed, owner_answers, resumes)| World {
        seed,
        backwards: false,
        owner_answers,
        resumes,
    })
}

fn fits(definition: &WorkflowDefinition) -> bool {
    definition.faults().is_empty()
}

/// `again` out of a group and unreachable groups are no workflows.
fn sound() -> impl Strategy<Value = WorkflowDefinition> {
    definition().prop_filter("the steps fit together", fits)
}

/// All that can be said at a moment, sensible or not.
fn anything() -> impl Strategy<Value = RunEventKind> {
    let of = (0..6_usize, 1..4_u16).prop_map(|(step, iteration)| StepAttempt {
        step: ["a", "b", "c", "m1", "m2", "nobody"][step].to_owned(),
        iteration,
    });
    let refusal = RefusalReason {
        code: "PROGRAM-006".to_owned(),
        pointer: String::new(),
        message: "nothing".to_owned(),
    };
    let answers = vec![
        AgentAnswer::Refused {
            refusal: refusal.clone(),
        },
        AgentAnswer::Envelope {
            output: json!({"success": true, "summary": "", "artifacts": [], "recommendation": "proceed"}),
        },
        AgentAnswer::Envelope { output: json!({}) },
        AgentAnswer::Base {
            response: json!({"status": "completed", "data": {}, "meta": {}}),
        },
        AgentAnswer::Base {
            response: json!({"status": "pending", "data": {}, "meta": {}}),
        },
    ];
    (of, 0..13_usize, prop::sample::select(answers)).prop_map(move |(of, kind, answer)| match kind {
        0 | 1 => RunEventKind::Asked(of),
        2 | 3 => RunEventKind::Ended {
            of,
            answer,
            measured: StepMetrics::default(),
            claimed: None,
        },
        4 => RunEventKind::Progressed {
            of,
            response: json!({"status": "processing", "data": {}, "meta": {}}),
        },
        5 => RunEventKind::Applying { of, changes: vec![] },
        6 => RunEventKind::Applied(of),
        7 => RunEventKind::Unwritten {
            of,
            refusal: refusal.clone(),
        },
        8 => RunEventKind::Announced,
        9 => RunEventKind::Answered {
            text: "yes".to_owned(),
        },
        10 => RunEventKind::Expired,
        11 => RunEventKind::Resumed,
        _ => RunEventKind::Dismissed,
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn every_run_comes_to_an_end_and_its_journal_tells_all(definition in sound(), world in world()) {
        let mut events = vec![started(definition)];
        let run = drive(&mut events, world);
        let at_rest = matches!(run.phase, RunPhase::Over(RunEnd::Completed | RunEnd::Expired) | RunPhase::Stopped { .. });
        prop_assert!(at_rest);
        let lines: Vec<String> = events.iter().map(|event| serde_json::to_string(event).unwrap()).collect();
        let back: Vec<RunEvent> = lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
        prop_assert_eq!(&back, &events);
        prop_assert_eq!(replayed(&back), run);
    }

    #[test]
    fn a_process_that_dies_after_any_event_changes_nothing(definition in sound(), world in world()) {
        let mut events = vec![started(definition)];
        let whole = drive(&mut events, world);
        let ended = |events: &[RunEvent]| count(events, |what| matches!(what, RunEventKind::Ended { .. }));
        for kept in 1..events.len() {
            let mut again = events[..kept].to_vec();
            let resumed = drive(&mut again, world);
            prop_assert_eq!(&resumed, &whole, "killed after {} events", kept);
            prop_assert_eq!(ended(&again), ended(&events), "nothing that was answered is asked again");
        }
    }

    #[test]
    fn who_is_faster_in_a_group_does_not_show(mut definition in sound(), world in world()) {
        definition.max_steps = 1000;
        let forwards = drive(&mut vec![started(definition.clone())], world);
        let backwards = drive(&mut vec![started(definition)], World { backwards: true, ..world });
        prop_assert_eq!(forwards, backwards);
    }

    #[test]
    fn an_event_that_makes_no_sense_changes_nothing(definition in sound(), all in vec(anything(), 1..60)) {
        let mut run = WorkflowRun::begin_run(&started(definition)).unwrap();
        for what in all {
            let before = run.clone();
            let name = what.name();
            match run.apply_event(&event(what)) {
                Ok(()) => {}
                Err(IllegalEvent { event, .. }) => {
                    prop_assert_eq!(event, name);
                    prop_assert_eq!(&run, &before);
                }
            }
        }
    }
}
