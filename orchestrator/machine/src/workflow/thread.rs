//! What each agent is told, and what its answer says.
//!
//! What: [`document`], the message to an agent out of a run's state; what an answer gives to those who come after; all bounds. Why:
//! session, results, memory and notes go through all steps by one set of rules. Not here: asking ([`super::run::Next`]).

use super::{
    Outcome, SHARED_MAX_BYTES,
    definition::{Step, Work},
    event::{Answer, Refusal},
    run::{Member, Run, Said, Writing},
};
use serde_json::{Map, Value, json};
use toolcall_schema::{
    Timestamp,
    protocol::{
        ExecutionMode, Message, NOTE_MAX_BYTES, NOTES_MAX, Output, OutputFormat, Recommendation, Response,
        Status, Version,
    },
};

/// The message that a step's agent is asked with. `None`: the run is not at that step.
pub fn document(run: &Run, step: &str, at: Timestamp) -> Option<Value> {
    let stage = run.stage()?;
    let member = stage.members.get(step)?;
    let mode = if stage.step == step {
        ExecutionMode::Sync
    } else {
        ExecutionMode::Parallel
    };
    let step = run.definition().step(step)?;
    match &step.work {
        Work::Envelope { .. } => Some(envelope(run, step, member)),
        Work::Base { .. } => base(run, step, member, mode, at),
        Work::Group { .. } => None,
    }
}

/// `survey_002`: a step and how often it was asked.
pub fn agent_id(step: &str, iteration: u16) -> String {
    format!("{}_{iteration:03}", step.replace('-', "_"))
}

fn envelope(run: &Run, step: &Step, member: &Member) -> Value {
    let Work::Envelope {
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

fn base(run: &Run, step: &Step, member: &Member, mode: ExecutionMode, at: Timestamp) -> Option<Value> {
    let Work::Base {
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
                "version": Version::OURS.to_string(),
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

fn previous_results(run: &Run) -> Vec<Value> {
    let one = |finished: &super::run::Finished| json!({ "agent_id": finished.agent_id, "timestamp": finished.at, "result": finished.result });
    run.finished.iter().map(one).collect()
}

/// What an answer says. One that would make the shared memory too large is not taken.
pub(super) fn said(
    step: &Step,
    answer: &Answer,
    shared: &Map<String, Value>,
    at: Timestamp,
) -> Result<Said, &'static str> {
    let nothing = |outcome, summary: String| Said {
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
        (Work::Envelope { .. } | Work::Base { .. }, Answer::Refused { refusal }) => {
            Ok(nothing(Outcome::Refused, String::new()).refused(refusal.clone()))
        }
        (Work::Envelope { .. }, Answer::Envelope { output }) => {
            let message = Message::<Output>::of(output.clone()).map_err(|_| "it is no output envelope")?;
            let view = message.view();
            let outcome = match view.recommendation {
                Recommendation::Proceed => Outcome::Proceed,
                Recommendation::Retry => Outcome::Retry,
                Recommendation::Escalate => Outcome::Escalate,
            };
            let result = json!({ "summary": view.summary, "notes": view.notes });
            Ok(Said {
                notes: view.notes.clone(),
                result: result.as_object().cloned(),
                ..nothing(outcome, view.summary.clone())
            })
        }
        (Work::Base { .. }, Answer::Base { response }) => {
            let message = Message::<Response>::of(response.clone()).map_err(|_| "it is no response")?;
            let view = message.view();
            let outcome = match view.status {
                Status::Completed => Outcome::Completed,
                Status::Partial => Outcome::Partial,
                Status::Failed => Outcome::Failed,
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
            let fits = merged(shared, &share).is_some();
            let said = Said {
                next_context,
                shared: share,
                result: response.get("data").and_then(Value::as_object).cloned(),
                ..nothing(outcome, summary)
            };
            Ok(if fits { said } else { said.refused(too_large()) })
        }
        (Work::Envelope { .. }, Answer::Base { .. })
        | (Work::Base { .. }, Answer::Envelope { .. })
        | (Work::Group { .. }, _) => Err("the answer is of another protocol"),
    }
}

/// What an answer has to be written, when it was taken.
pub(super) fn writing(step: &Step, answer: &Answer, said: &Said) -> Option<Writing> {
    if said.refusal.is_some() {
        return None;
    }
    match (&step.work, answer) {
        (Work::Envelope { .. }, Answer::Envelope { output }) => {
            let message = Message::<Output>::of(output.clone()).ok()?;
            let view = message.view();
            let some = view.applies() && !view.artifacts.is_empty();
            some.then(|| Writing::Artifacts(view.artifacts.clone()))
        }
        (
            Work::Base {
                save: Some(path),
                output_format,
                ..
            },
            Answer::Base { response },
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
            Some(Writing::Save { path, content })
        }
        (Work::Envelope { .. } | Work::Base { .. } | Work::Group { .. }, _) => None,
    }
}

/// The message of an answer, if there is one.
pub(super) fn message(answer: &Answer) -> Option<&Value> {
    match answer {
        Answer::Envelope { output } => Some(output),
        Answer::Base { response } => Some(response),
        Answer::Refused { .. } => None,
    }
}

/// Shared memory with some of its members replaced, and those taken out that are null; `None`: it would be too large.
pub(super) fn merged(shared: &Map<String, Value>, more: &Map<String, Value>) -> Option<Map<String, Value>> {
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

pub(super) fn too_large() -> Refusal {
    Refusal {
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
