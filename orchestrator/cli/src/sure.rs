//! Asking before something cannot be undone.
//!
//! What: [`sure`]. Why: one question, one answer that counts, everywhere. Not here: what is asked about.

use super::{error::CliError, out::CommandOutput};
use std::io;
use surfaces_base::language::text;

/// Whether somebody typed `yes`, or the same in the language that is spoken, or said `--yes` before. Anything else is no.
///
/// # Errors
/// [`CliError::Usage`] with `--json`, where nobody can be asked.
pub(super) fn sure(yes: bool, json: bool, question: &str, out: &mut CommandOutput) -> Result<bool, CliError> {
    if yes {
        return Ok(true);
    }
    if json {
        return Err(CliError::Usage(text("cli-common-nobody-to-ask").to_owned()));
    }
    out.text(question)?;
    let mut line = String::new();
    io::stdin()
        .read_line(&mut line)
        .map_err(|source| CliError::Input {
            path: "-".into(),
            source,
        })?;
    Ok(["yes", text("cli-common-yes")].contains(&line.trim()))
}
