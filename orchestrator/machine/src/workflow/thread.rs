//! What each agent is told, and what its answer says.
//!
//! What: [`document`], the message to an agent out of a run's state; what an answer gives to those who come after; all bounds. Why:
//! session, results, memory and notes go through all steps by one set of rules. Not here: asking ([`super::run::NextAction`]).

use super::{
    SHARED_MAX_BYTES, StepOutcome,
    definition::{StepTask, WorkflowStep},
    event::AgentAnswer,
    proposal, reading,
    run::{PendingWrite, StageMember, StepResult, WorkflowRun},
};
use serde_json::{Map, Value, json};
use toolcall_schema::{
    Timestamp,
    protocol::{
        BaseResponse, EnvelopeOutput, ExecutionMode, NOTE_MAX_BYTES, NOTES_MAX, OutputFormat,
        ProtocolMessage, Recommendation, SemanticVersion, Status,
    },
    rejection::RefusalReason,
};

/// The message that a step's agent is asked with. `None`: the run is not at that step.
pub fn document(run: &WorkflowRun, step: &str, at: Timestamp) -> Option<Value> {
    let stage = run.stage()?;
    let member = stage.members.get(step)?;
    let mode = if stage.step == step {
        ExecutionMode::Sync
    } else {
        ExecutionMode::Parallel
    };
    let step = run.definition().step(step)?;
    match &step.work {
        StepTask::Envelope { .. } => Some(envelope_request(run, step, member)),
        StepTask::Base { .. } => base_request(run, step, member, mode, at),
        StepTask::Ask { proposal } => Some(json!(proposal)),
        StepTask::Read { read } => Some(json!(read)),
        StepTask::Group { .. } => None,
    }
}

/// `survey_002`: a step and how often it was asked.
pub fn agent_id(step: &str, iteration: u16) -> String {
    format!("{}_{iteration:03}", step.replace('-', "_"))
}

fn envelope_request(run: &WorkflowRun, step: &WorkflowStep, member: &StageMember) -> Value {
    let StepTask::Envelope {
        action,
        params,
        paths,
        ..
    } = &step.work
    else {
        return Value::Null;
    };
    let root = run.feature_root().unwrap_or_default();
    let feature = run.started.feature.as_deref().unwrap_or_default();
    let fill = |path: &String| {
        path.replace("{feature_root}", &root)
            .replace("{feature}", feature)
    };
    let mut files: Map<String, Value> = paths
        .iter()
        .map(|(name, path)| (name.clone(), json!(fill(path))))
        .collect();
    files.insert("feature_root".to_owned(), json!(format!("{root}/")));
    let again = &member.again;
    let refused = again
        .refusal
        .as_ref()
        .map(|refusal| format!("The answer before was refused: {refusal}"));
    let owner = again
        .owner
        .as_ref()
        .map(|text| format!("The owner answers: {text}"));
    let last = refused.iter().chain(&owner).filter_map(|text| note(text));
    let notes = run.carried.notes.iter().chain(&again.notes).cloned();
    let mut input = json!({
        "context": {
            "feature_id": feature,
            "workflow": run.definition().name,
            "iteration": member.iteration,
        },
        "paths": files,
        "task": { "action": action, "params": params },
    });
    let notes = bounded(notes.chain(last).collect());
    if let (Value::Object(members), false) = (&mut input, notes.is_empty()) {
        members.insert("prior_context".to_owned(), json!(notes));
    }
    input
}

fn base_request(
    run: &WorkflowRun,
    step: &WorkflowStep,
    member: &StageMember,
    mode: ExecutionMode,
    at: Timestamp,
) -> Option<Value> {
    let StepTask::Base {
        task,
        objective,
        parameters,
        output_format,
        given,
        ..
    } = &step.work
    else {
        return None;
    };
    let again = &member.again;
    let mut document = given.clone().unwrap_or_else(|| {
        let feature = run.started.feature.as_deref().unwrap_or_default();
        let root = run.feature_root().unwrap_or_default();
        let objective = objective
            .replace("{feature_root}", &root)
            .replace("{feature}", feature);
        let mut constraints = json!({
            "max_iterations": step.max_iterations,
            "time_limit_seconds": step.time_limit_seconds,
        });
        if let (Some(format), Value::Object(members)) = (output_format, &mut constraints) {
            members.insert("output_format".to_owned(), json!(format));
        }
        json!({
            "meta": {
                "version": SemanticVersion::OURS.to_string(),
                "timestamp": at,
                "session_id": run.started.run,
                "agent_id": agent_id(&step.name, member.iteration),
                "parent_agent_id": format!("workflow_{}", run.definition().name.replace('-', "_")),
                "execution_mode": mode,
            },
            "request": {
                "task": { "type": task, "objective": objective, "constraints": constraints },
                "parameters": parameters,
            },
            "context": {
                "user_query": run.started.query,
                "previous_results": previous_results(run),
                "shared_memory": run.shared,
            },
        })
    });
    let context = document.get_mut("context")?.as_object_mut()?;
    let mut tell = |name: &str, value: Value| context.insert(name.to_owned(), value);
    if given.is_none() && run.dropped > 0 {
        tell("dropped_results", json!(run.dropped));
    }
    let next_context = if again.next_context.is_empty() {
        &run.carried.next_context
    } else {
        &again.next_context
    };
    if !next_context.is_empty() {
        tell("next_context", json!(next_context));
    }
    if let Some(refusal) = &again.refusal {
        tell("refused", json!(refusal));
    }
    if let Some(owner) = &again.owner {
        tell("owner_answer", json!(owner));
    }
    Some(document)
}

fn previous_results(run: &WorkflowRun) -> Vec<Value> {
    let one = |finished: &super::run::FinishedStep| json!({ "agent_id": finished.agent_id, "timestamp": finished.at, "result": finished.result });
    run.finished.iter().map(one).collect()
}

/// What an answer says. One that would make the shared memory too large is not taken.
pub(super) fn read_answer(
    step: &WorkflowStep,
    answer: &AgentAnswer,
    shared: &Map<String, Value>,
    at: Timestamp,
) -> Result<StepResult, &'static str> {
    let nothing = |outcome, summary: String| StepResult {
        outcome,
        summary,
        notes: vec![],
        next_context: Map::new(),
        shared: Map::new(),
        result: None,
        refusal: None,
        at,
    };
    match (&step.work, answer) {
        (
            StepTask::Envelope { .. } | StepTask::Base { .. } | StepTask::Ask { .. } | StepTask::Read { .. },
            AgentAnswer::Refused { refusal },
        ) => Ok(nothing(StepOutcome::Refused, String::new()).into_refused(refusal.clone())),
        (StepTask::Ask { .. }, AgentAnswer::Ask { report, .. }) => {
            let nothing = nothing(StepOutcome::Refused, String::new());
            proposal::end_of_proposal(&step.work, report, nothing).ok_or("the owner has not decided")
        }
        (StepTask::Read { read }, AgentAnswer::Read { answer }) => {
            let nothing = nothing(StepOutcome::Refused, String::new());
            Ok(reading::result_of_read(read, answer, nothing))
        }
        (StepTask::Envelope { .. }, AgentAnswer::Envelope { output }) => {
            let message = ProtocolMessage::<EnvelopeOutput>::try_from_value(output.clone())
                .map_err(|_| "it is no output envelope")?;
            let view = message.view();
            let outcome = match view.recommendation {
                Recommendation::Proceed => StepOutcome::Proceed,
                Recommendation::Retry => StepOutcome::Retry,
                Recommendation::Escalate => StepOutcome::Escalate,
            };
            let result = json!({ "summary": view.summary, "notes": view.notes });
            Ok(StepResult {
                notes: view.notes.clone(),
                result: result.as_object().cloned(),
                ..nothing(outcome, view.summary.clone())
            })
        }
        (StepTask::Base { .. }, AgentAnswer::Base { response }) => {
            let message = ProtocolMessage::<BaseResponse>::try_from_value(response.clone())
                .map_err(|_| "it is no response")?;
            let view = message.view();
            let outcome = match view.status {
                Status::Completed => StepOutcome::Completed,
                Status::Partial => StepOutcome::Partial,
                Status::Failed => StepOutcome::Failed,
                Status::Pending | Status::Processing => return Err("its last response is not over"),
            };
            let problem = view.errors.iter().find_map(|problem| problem.message.clone());
            let summary = view.data.summary.clone().or(problem).unwrap_or_default();
            let mut next_context = view.next_context.clone();
            let share = match next_context.get("shared_memory") {
                Some(Value::Object(_)) => next_context.remove("shared_memory"),
                Some(_) | None => None,
            };
            let share = share
                .and_then(|share| share.as_object().cloned())
                .unwrap_or_default();
            let fits = merge_shared(shared, &share).is_some();
            let said = StepResult {
                next_context,
                shared: share,
                result: response.get("data").and_then(Value::as_object).cloned(),
                ..nothing(outcome, summary)
            };
            Ok(if fits {
                said
            } else {
                said.into_refused(too_large())
            })
        }
        (
            StepTask::Envelope { .. },
            AgentAnswer::Base { .. } | AgentAnswer::Ask { .. } | AgentAnswer::Read { .. },
        )
        | (
            StepTask::Base { .. },
            AgentAnswer::Envelope { .. } | AgentAnswer::Ask { .. } | AgentAnswer::Read { .. },
        )
        | (
            StepTask::Ask { .. },
            AgentAnswer::Envelope { .. } | AgentAnswer::Base { .. } | AgentAnswer::Read { .. },
        )
        | (
            StepTask::Read { .. },
            AgentAnswer::Envelope { .. } | AgentAnswer::Base { .. } | AgentAnswer::Ask { .. },
        )
        | (StepTask::Group { .. }, _) => Err("the answer is of another protocol"),
    }
}

/// What an answer has to be written, when it was taken.
pub(super) fn pending_write(
    step: &WorkflowStep,
    answer: &AgentAnswer,
    said: &StepResult,
) -> Option<PendingWrite> {
    if said.refusal.is_some() {
        return None;
    }
    match (&step.work, answer) {
        (StepTask::Envelope { .. }, AgentAnswer::Envelope { output }) => {
            let message = ProtocolMessage::<EnvelopeOutput>::try_from_value(output.clone()).ok()?;
            let view = message.view();
            let some = view.applies() && !view.artifacts.is_empty();
            some.then(|| PendingWrite::Artifacts(view.artifacts.clone()))
        }
        (
            StepTask::Base {
                save: Some(path),
                output_format,
                ..
            },
            AgentAnswer::Base { response },
        ) if said.outcome.is_good() => {
            let data = response.get("data")?;
            let summary = data.get("summary").and_then(Value::as_str);
            let content = match (output_format, summary) {
                (Some(OutputFormat::Markdown) | None, Some(summary)) => format!("{}\n", summary.trim_end()),
                (Some(OutputFormat::Json | OutputFormat::StructuredData), _) | (_, None) => {
                    format!("{data:#}\n")
                }
            };
            let path = path.clone();
            Some(PendingWrite::Save { path, content })
        }
        (
            StepTask::Envelope { .. }
            | StepTask::Base { .. }
            | StepTask::Ask { .. }
            | StepTask::Read { .. }
            | StepTask::Group { .. },
            _,
        ) => None,
    }
}

/// The message of an answer, if there is one.
pub(super) fn answer_message(answer: &AgentAnswer) -> Option<&Value> {
    match answer {
        AgentAnswer::Envelope { output } => Some(output),
        AgentAnswer::Base { response } => Some(response),
        AgentAnswer::Ask { .. } | AgentAnswer::Read { .. } | AgentAnswer::Refused { .. } => None,
    }
}

/// Shared memory with some of its members replaced, and those taken out that are null; `None`: it would be too large.
pub(super) fn merge_shared(
    shared: &Map<String, Value>,
    more: &Map<String, Value>,
) -> Option<Map<String, Value>> {
    let mut all = shared.clone();
    for (name, value) in more {
        if value.is_null() {
            all.remove(name);
        } else {
            all.insert(name.clone(), value.clone());
        }
    }
    let fits = more.is_empty() || Value::Object(all.clone()).to_string().len() <= SHARED_MAX_BYTES;
    fits.then_some(all)
}

pub(super) fn too_large() -> RefusalReason {
    RefusalReason {
        code: "PROTO-007".to_owned(),
        pointer: "/next_context/shared_memory".to_owned(),
        message: "the shared memory would be larger than 256 KiB; take members out with null, or write a file and name it".to_owned(),
    }
}

/// A text as a note: nothing if it is blank, and cut at the limit.
pub(super) fn note(text: &str) -> Option<String> {
    let end = text.floor_char_boundary(NOTE_MAX_BYTES);
    let text = text.get(..end).unwrap_or_default();
    (!text.trim().is_empty()).then(|| text.to_owned())
}

/// The last 64 notes.
pub(super) fn bounded(mut notes: Vec<String>) -> Vec<String> {
    let more = notes.len().saturating_sub(NOTES_MAX);
    notes.drain(..more);
    notes
}
