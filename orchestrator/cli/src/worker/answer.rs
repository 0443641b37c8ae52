//! `aura worker answer`: an agent that goes on and does nothing but answer.
//!
//! What: reads frames of the envelope protocol and answers each with the word that it holds. Why: `aura bench workflow` measures the
//! asking, so the program that is asked must cost nothing. Not here: asking it (`programs`), agents that do something
//! (`agents/programs`).

use crate::{error::CliError, exit::CommandExit};
use serde_json::{Value, json};
use std::io::{self, BufRead as _, Write as _};

/// Answers until its input ends.
///
/// # Errors
/// Its output is closed.
pub(super) fn run() -> Result<CommandExit, CliError> {
    let mut stdout = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let Ok(frame) = serde_json::from_str::<Value>(&line?) else {
            continue;
        };
        let Some(word) = frame.pointer("/message/task/params/word") else {
            continue;
        };
        let message = json!({
            "success": true,
            "summary": word,
            "artifacts": [],
            "recommendation": "proceed",
        });
        let answer = json!({ "id": frame.get("id"), "message": message });
        writeln!(stdout, "{answer}")?;
        stdout.flush()?;
    }
    Ok(CommandExit::Ok)
}
