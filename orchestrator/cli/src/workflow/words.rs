//! What happened in a run, in words.
//!
//! What: one line an event. Why: whoever watches a run reads what the journal says, and no more. Not here: the same as JSON.

use aura_workflow::journal::Line;
use orchestrator_machine::workflow::event::{Answer, At, Change, What};
use serde_json::Value;
use toolcall_schema::Timestamp;

/// One event.
pub(crate) fn line(line: &Line) -> String {
    format!("{}  {}", clock(line.at), what(&line.what))
}

/// The time of day in UTC.
fn clock(at: Timestamp) -> String {
    at.utc().format("%H:%M:%S").to_string()
}

fn what(what: &What) -> String {
    let of = |at: &At| format!("{:<16} {:>2} ", at.step, at.iteration);
    match what {
        What::Started(started) => {
            let feature = started.feature.as_deref().unwrap_or_default();
            format!("run {} of {} {feature}", started.run, started.definition.name)
        }
        What::Asked(at) => format!("{} asked", of(at)),
        What::Progressed { of: at, response } => format!("{} {}", of(at), text(response, "/status")),
        What::Ended {
            of: at,
            answer,
            measured,
            ..
        } => {
            let said = match answer {
                Answer::Envelope { output } => {
                    format!(
                        "{}: {}",
                        text(output, "/recommendation"),
                        text(output, "/summary")
                    )
                }
                Answer::Base { response } => {
                    let summary = text(response, "/data/summary");
                    let problem = text(response, "/errors/0/message");
                    let words = if summary.is_empty() { problem } else { summary };
                    format!("{}: {words}", text(response, "/status"))
                }
                Answer::Refused { refusal } => format!("refused: {refusal}"),
            };
            format!("{} {said} ({} ms)", of(at), measured.processing_time_ms)
        }
        What::Applying { of: at, changes } => format!("{} writes {}", of(at), paths(changes)),
        What::Applied(at) => format!("{} has written", of(at)),
        What::Unwritten { of: at, refusal } => format!("{} is not written: {refusal}", of(at)),
        What::Announced => "you were told of the question".to_owned(),
        What::Dismissed => "you put the announcement away; the question stands".to_owned(),
        What::Answered { text } => format!("you answered: {}", one_line(text)),
        What::Expired => "nobody answered in time".to_owned(),
        What::Resumed => "resumed".to_owned(),
        What::Cancelled => "cancelled".to_owned(),
        What::Undone => "undone: the files are as they were before".to_owned(),
    }
}

/// The paths of changes, one after another.
pub(crate) fn paths(changes: &[Change]) -> String {
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
