//! A run as a response of the base protocol.
//!
//! What: [`response`]: pending, processing, then what came of it; of several requests joined by their tasks' types. Why: whoever asked
//! agents, and not a workflow, looks at responses. Not here: how a run goes on.

use orchestrator_machine::workflow::{
    definition::{StepTask, WorkflowStep},
    run::{MemberState, RunPhase, StepSnapshot, WorkflowRun},
};
use serde_json::{Map, Value, json};
use toolcall_schema::{protocol::Status, rejection::RefusalReason};

/// The run's response as it is now, with the run's id as `id`. Its status only moves forward.
pub fn response(run: &WorkflowRun) -> Value {
    let steps = run.definition().steps.iter();
    let asked: Vec<(&WorkflowStep, Value)> = steps
        .filter(|step| matches!(step.work, StepTask::Base { .. }))
        .map(|step| (step, of_step(run, step)))
        .collect();
    let mut response = match asked.as_slice() {
        [(_, one)] => one.clone(),
        many => joined(many),
    };
    if let Value::Object(members) = &mut response {
        members.insert("id".to_owned(), json!(run.started.run));
    }
    response
}

/// Its status.
pub fn status(response: &Value) -> Status {
    let text = response.get("status").and_then(Value::as_str).unwrap_or_default();
    Status::parse(text).unwrap_or(Status::Pending)
}

fn of_step(run: &WorkflowRun, step: &WorkflowStep) -> Value {
    let Some(latest) = run.latest.get(&step.name) else {
        return if is_at_rest(run) {
            failed(&run_ended())
        } else {
            with_status(None, Status::Pending)
        };
    };
    let doing = match &run.phase {
        RunPhase::Working(stage) => stage.members.get(&step.name).map(|member| &member.doing),
        RunPhase::Waiting { .. } | RunPhase::Stopped { .. } | RunPhase::Over(_) => None,
    };
    match (latest.outcome, doing) {
        (None, _) if is_at_rest(run) => failed(&run_ended()),
        // It is asked, or will be once more.
        (None, _) | (Some(_), Some(MemberState::ToAsk | MemberState::Asked { .. })) => {
            with_status(latest.message.as_ref(), Status::Processing)
        }
        (Some(_), _) => last_response(latest),
    }
}

/// Nothing more comes by itself.
fn is_at_rest(run: &WorkflowRun) -> bool {
    match &run.phase {
        RunPhase::Working(_) => false,
        RunPhase::Waiting { .. } | RunPhase::Stopped { .. } | RunPhase::Over(_) => true,
    }
}

fn run_ended() -> RefusalReason {
    RefusalReason {
        code: "WORKFLOW-002".to_owned(),
        pointer: String::new(),
        message: "it was ended before it had answered".to_owned(),
    }
}

fn last_response(latest: &StepSnapshot) -> Value {
    let mut response = match (&latest.refusal, &latest.message) {
        (Some(refusal), _) => failed(refusal),
        (None, Some(message)) => with_claims_apart(message.clone()),
        (None, None) => failed(&run_ended()),
    };
    if let (Some(measured), Some(Value::Object(meta))) = (latest.measured, response.get_mut("meta")) {
        meta.insert(
            "processing_time_ms".to_owned(),
            json!(measured.processing_time_ms),
        );
    }
    response
}

/// All that the agent says of itself stands in `meta.claimed`, because nobody checked it.
fn with_claims_apart(mut response: Value) -> Value {
    if let Some(Value::Object(meta)) = response.get_mut("meta") {
        let claimed = std::mem::take(meta);
        if !claimed.is_empty() {
            meta.insert("claimed".to_owned(), Value::Object(claimed));
        }
    }
    response
}

fn failed(refusal: &RefusalReason) -> Value {
    json!({
        "status": Status::Failed,
        "data": { "summary": refusal.to_string() },
        "errors": [{
            "code": refusal.code, "message": refusal.message, "details": { "pointer": refusal.pointer },
        }],
        "meta": {},
    })
}

/// What was said last, under another status: it may be the answer of an asking that is repeated.
fn with_status(message: Option<&Value>, status: Status) -> Value {
    let mut response = message
        .cloned()
        .map_or_else(|| json!({ "data": {}, "meta": {} }), with_claims_apart);
    if let Value::Object(members) = &mut response {
        members.insert("status".to_owned(), json!(status));
    }
    response
}

/// All completed: completed. None done at all: failed. Else, when all are over: partial.
fn joined(asked: &[(&WorkflowStep, Value)]) -> Value {
    let statuses: Vec<Status> = asked.iter().map(|(_, response)| status(response)).collect();
    let all = |is: fn(&Status) -> bool| statuses.iter().all(is);
    let status = if all(|status| *status == Status::Pending) {
        Status::Pending
    } else if !all(|status| status.is_final()) {
        Status::Processing
    } else if all(|status| *status == Status::Completed) {
        Status::Completed
    } else if all(|status| *status == Status::Failed) {
        Status::Failed
    } else {
        Status::Partial
    };
    let done = statuses
        .iter()
        .filter(|status| **status == Status::Completed)
        .count();
    let mut results: Map<String, Value> = Map::new();
    for (step, response) in asked {
        if let StepTask::Base { task, .. } = &step.work {
            let of_type = results.entry(task.as_str()).or_insert_with(|| json!([]));
            if let Value::Array(all) = of_type {
                all.push(response.clone());
            }
        }
    }
    let errors = asked
        .iter()
        .filter_map(|(_, response)| response.get("errors")?.as_array());
    let errors: Vec<&Value> = errors.flatten().collect();
    json!({
        "status": status,
        "data": { "summary": format!("{done} of {} completed", asked.len()) },
        "results": results,
        "errors": errors,
        "meta": {},
    })
}
