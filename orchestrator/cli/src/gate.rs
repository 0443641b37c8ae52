//! `aura gate check`: calls on trial.
//!
//! What: bytes from files or the standard input, one verdict a call. Why: an agent author or operator sees what the gate
//! would say, with code, pointer and limit. Not here: the gate (`toolcall_schema::gate`); nothing is kept or dispatched.

use super::{
    args::GateCheckArgs,
    error::CliError,
    exit::CommandExit,
    input::{self, InputFile},
    out::CommandOutput,
};
use serde_json::{Value, json};
use surfaces_base::language::{say, text};
use toolcall_schema::{
    SchemaError, ToolName,
    gate::{self, GateClock, MAX_CALL_BYTES},
};

/// What the gate says of one call.
struct GateVerdict<'a> {
    /// `None`: the standard input.
    file: Option<&'a str>,
    /// From 1; `None` where a file is one call.
    line: Option<u64>,
    why: GateOutcome,
}

enum GateOutcome {
    Admitted { tool: ToolName, args_hash: String },
    Refused(SchemaError),
}

impl GateVerdict<'_> {
    fn to_text(&self) -> String {
        let place = match (self.file, self.line) {
            (Some(file), Some(line)) => format!("{file}:{line}"),
            (Some(file), None) => file.to_owned(),
            (None, Some(line)) => say!("cli-gate-line", line = line.to_string()),
            (None, None) => text("cli-gate-standard-input").to_owned(),
        };
        match &self.why {
            GateOutcome::Admitted { tool, args_hash } => {
                say!("cli-gate-admitted", place, tool = tool.as_str(), hash = args_hash)
            }
            GateOutcome::Refused(error) => say!(
                "cli-gate-refused",
                place,
                code = error.code.as_str(),
                pointer = format!("{:?}", error.pointer),
                rule = error.broken_rule(),
                message = &error.message
            ),
        }
    }

    fn to_json(&self) -> Value {
        let (file, line) = (&self.file, self.line);
        match &self.why {
            GateOutcome::Admitted { tool, args_hash } => {
                json!({ "file": file, "line": line, "admitted": true, "tool": tool, "args_hash": args_hash })
            }
            GateOutcome::Refused(SchemaError {
                code,
                pointer,
                keyword,
                limit,
                message,
            }) => json!({
                "file": file, "line": line, "admitted": false, "code": code, "pointer": pointer,
                "keyword": keyword, "limit": limit, "message": message,
            }),
        }
    }
}

/// Runs `aura gate check`.
///
/// # Errors
/// [`CliError::Input`] when a file cannot be read.
pub(crate) fn run(args: &GateCheckArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let clock = args.now.map_or(GateClock::Skip, GateClock::At);
    let (mut calls, mut refused) = (0_u64, 0_u64);
    for path in &args.files {
        let mut input = InputFile::open(path)?;
        let mut number = 0;
        while let Some(bytes) = next(&mut input, args.raw)? {
            number += 1;
            // A file with one call is one document, whatever follows; an empty line between calls is none.
            if !args.raw && input::is_blank(&bytes) {
                continue;
            }
            let why = judge(&bytes, clock);
            calls += 1;
            refused += u64::from(matches!(why, GateOutcome::Refused(_)));
            let verdict = GateVerdict {
                file: input.name(),
                line: (!args.raw).then_some(number),
                why,
            };
            if args.format.json {
                out.json(&verdict.to_json())?;
            } else {
                out.finding(&verdict.to_text())?;
            }
            if args.raw {
                break;
            }
        }
    }
    if !args.format.json {
        out.text(&say!(
            "cli-gate-checked",
            calls = calls.to_string(),
            refused = refused.to_string()
        ))?;
    }
    Ok(if refused == 0 {
        CommandExit::Ok
    } else {
        CommandExit::Bad
    })
}

/// The bytes of the next call: a line, or all there is (`raw`).
fn next(input: &mut InputFile, raw: bool) -> Result<Option<Vec<u8>>, CliError> {
    if raw {
        return input.whole(MAX_CALL_BYTES).map(Some);
    }
    input.line(MAX_CALL_BYTES)
}

fn judge(bytes: &[u8], clock: GateClock) -> GateOutcome {
    match gate::admit(bytes, clock) {
        Ok(call) => GateOutcome::Admitted {
            tool: call.tool().name(),
            args_hash: call.args_hash().to_owned(),
        },
        Err(refusal) => GateOutcome::Refused(refusal.error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolcall_schema::Code;

    #[test]
    fn a_call_without_most_members_is_refused_with_code_and_pointer() {
        let GateOutcome::Refused(error) = judge(br#"{"call_id":"x"}"#, GateClock::Skip) else {
            panic!("admitted")
        };
        assert_eq!((error.code, error.pointer.as_str()), (Code::Gate007, ""));
    }
}
