//! What happened in a run, in words.
//!
//! What: one line an event. Why: whoever watches a run reads what the journal says, and no more. Not here: the same as JSON.

use aura_workflow::journal::JournalLine;
use orchestrator_machine::workflow::event::{AgentAnswer, FileChange, RunEventKind, StepAttempt};
use serde_json::{Value, json};
use surfaces_base::language::{self, say};
use toolcall_schema::Timestamp;

/// One event.
pub(crate) fn line(line: &JournalLine) -> String {
    format!("{}  {}", clock(line.at), what(&line.what))
}

/// The time of day in UTC.
fn clock(at: Timestamp) -> String {
    at.utc().format("%H:%M:%S").to_string()
}

fn what(what: &RunEventKind) -> String {
    let of = |at: &StepAttempt| format!("{:<16} {:>2} ", at.step, at.iteration);
    match what {
        RunEventKind::Started(started) => {
            let feature = started.feature.as_deref().unwrap_or_default();
            say!(
                "cli-workflow-run-of",
                run = &started.run,
                workflow = &started.definition.name,
                feature
            )
        }
        RunEventKind::Asked(at) => format!("{} {}", of(at), language::text("cli-workflow-asked")),
        RunEventKind::Progressed { of: at, response } => format!("{} {}", of(at), text(response, "/status")),
        RunEventKind::Ended {
            of: at,
            answer,
            measured,
            ..
        } => {
            let said = match answer {
                AgentAnswer::Envelope { output } => {
                    format!(
                        "{}: {}",
                        text(output, "/recommendation"),
                        text(output, "/summary")
                    )
                }
                AgentAnswer::Base { response } => {
                    let summary = text(response, "/data/summary");
                    let problem = text(response, "/errors/0/message");
                    let words = if summary.is_empty() { problem } else { summary };
                    format!("{}: {words}", text(response, "/status"))
                }
                AgentAnswer::Ask { ask, report } => format!("{ask}: {}", report.state.as_str()),
                AgentAnswer::Read { answer } => json!(answer).to_string(),
                AgentAnswer::Refused { refusal } => {
                    say!("cli-workflow-refused", refusal = refusal.to_string())
                }
            };
            format!("{} {said} ({} ms)", of(at), measured.processing_time_ms)
        }
        RunEventKind::Applying { of: at, changes } => {
            format!(
                "{} {}",
                of(at),
                say!("cli-workflow-writes", paths = paths(changes))
            )
        }
        RunEventKind::Applied(at) => format!("{} {}", of(at), language::text("cli-workflow-has-written")),
        RunEventKind::Unwritten { of: at, refusal } => {
            let refusal = refusal.to_string();
            format!("{} {}", of(at), say!("cli-workflow-not-written", refusal))
        }
        RunEventKind::Announced => language::text("cli-workflow-announced").to_owned(),
        RunEventKind::Dismissed => language::text("cli-workflow-dismissed").to_owned(),
        RunEventKind::Answered { text } => say!("cli-workflow-answered", answer = one_line(text)),
        RunEventKind::Expired => language::text("cli-workflow-expired").to_owned(),
        RunEventKind::Resumed => language::text("cli-workflow-resumed").to_owned(),
        RunEventKind::Cancelled => language::text("cli-workflow-cancelled").to_owned(),
        RunEventKind::Undone => language::text("cli-workflow-undone").to_owned(),
    }
}

/// The paths of changes, one after another.
pub(crate) fn paths(changes: &[FileChange]) -> String {
    let paths: Vec<&str> = changes.iter().map(|change| change.path.as_str()).collect();
    paths.join(", ")
}

fn text(value: &Value, pointer: &str) -> String {
    one_line(value.pointer(pointer).and_then(Value::as_str).unwrap_or_default())
}

/// A text on one line.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
