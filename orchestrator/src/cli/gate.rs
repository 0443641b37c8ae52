//! `aura gate check`: calls on trial.
//!
//! What: bytes from files or the standard input, one verdict a call. Why: an agent author or operator sees what the gate
//! would say, with code, pointer and limit. Not here: the gate (`toolcall_schema::gate`); nothing is kept or dispatched.

use super::{args::GateCheckArgs, error::CliError, exit::Exit, out::Out};
use serde_json::{Value, json};
use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read as _},
    path::Path,
};
use toolcall_schema::{
    SchemaError, ToolName,
    gate::{self, Clock, MAX_CALL_BYTES},
};

/// What the gate says of one call.
struct Verdict<'a> {
    /// `None`: the standard input.
    file: Option<&'a str>,
    /// From 1; `None` where a file is one call.
    line: Option<u64>,
    why: Why,
}

enum Why {
    Admitted { tool: ToolName, args_hash: String },
    Refused(SchemaError),
}

impl Verdict<'_> {
    fn to_text(&self) -> String {
        let place = match (self.file, self.line) {
            (Some(file), Some(line)) => format!("{file}:{line}"),
            (Some(file), None) => file.to_owned(),
            (None, Some(line)) => format!("line {line}"),
            (None, None) => "standard input".to_owned(),
        };
        match &self.why {
            Why::Admitted { tool, args_hash } => format!("{place}: admitted {tool} (args {args_hash})"),
            Why::Refused(SchemaError {
                code,
                pointer,
                keyword,
                limit,
                message,
            }) => {
                let limit = limit
                    .as_ref()
                    .map_or_else(String::new, |limit| format!(" {limit}"));
                format!("{place}: refused {code} at {pointer:?} ({keyword}{limit}): {message}")
            }
        }
    }

    fn to_json(&self) -> Value {
        let (file, line) = (&self.file, self.line);
        match &self.why {
            Why::Admitted { tool, args_hash } => {
                json!({ "file": file, "line": line, "admitted": true, "tool": tool, "args_hash": args_hash })
            }
            Why::Refused(SchemaError {
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
pub fn run(args: &GateCheckArgs, out: &mut Out) -> Result<Exit, CliError> {
    let clock = args.now.map_or(Clock::Skip, Clock::At);
    let (mut calls, mut refused) = (0_u64, 0_u64);
    for path in &args.files {
        let unreadable = |source| CliError::Input {
            path: path.clone(),
            source,
        };
        let (mut reader, file) = open(path).map_err(unreadable)?;
        let mut number = 0;
        while let Some(bytes) = next(&mut reader, args.raw).map_err(unreadable)? {
            number += 1;
            // A file with one call is one document, whatever follows; an empty line between calls is none.
            if !args.raw && bytes.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            let why = judge(&bytes, clock);
            calls += 1;
            refused += u64::from(matches!(why, Why::Refused(_)));
            let verdict = Verdict {
                file: file.as_deref(),
                line: (!args.raw).then_some(number),
                why,
            };
            if args.format.json {
                out.json(&verdict.to_json())?;
            } else {
                out.text(&verdict.to_text())?;
            }
            if args.raw {
                break;
            }
        }
    }
    if !args.format.json {
        out.text(&format!("{calls} checked, {refused} refused"))?;
    }
    Ok(if refused == 0 { Exit::Ok } else { Exit::Bad })
}

fn open(path: &Path) -> io::Result<(Box<dyn BufRead>, Option<String>)> {
    if path == Path::new("-") {
        return Ok((Box::new(BufReader::new(io::stdin())), None));
    }
    Ok((
        Box::new(BufReader::new(File::open(path)?)),
        Some(path.display().to_string()),
    ))
}

fn judge(bytes: &[u8], clock: Clock) -> Why {
    match gate::admit(bytes, clock) {
        Ok(call) => Why::Admitted {
            tool: call.tool().name(),
            args_hash: call.args_hash().to_owned(),
        },
        Err(refusal) => Why::Refused(refusal.error),
    }
}

/// The bytes of the next call: a line without its end, or all there is (`raw`). Never more than one byte above what the
/// gate takes: the rest of a longer line is passed over, and the gate refuses what was read for its size.
fn next(reader: &mut impl BufRead, raw: bool) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    let mut bounded = reader.by_ref().take(MAX_CALL_BYTES as u64 + 1);
    if raw {
        bounded.read_to_end(&mut bytes)?;
        return Ok(Some(bytes));
    }
    if bounded.read_until(b'\n', &mut bytes)? == 0 {
        return Ok(None);
    }
    if bytes.last() == Some(&b'\n') {
        bytes.pop();
    } else if bytes.len() > MAX_CALL_BYTES {
        skip_line(reader)?;
    }
    Ok(Some(bytes))
}

/// Passes over what is left of a line without keeping it.
fn skip_line(reader: &mut impl BufRead) -> io::Result<()> {
    loop {
        let buffer = reader.fill_buf()?;
        let (passed, over) = match buffer.iter().position(|byte| *byte == b'\n') {
            Some(end) => (end + 1, true),
            None => (buffer.len(), buffer.is_empty()),
        };
        reader.consume(passed);
        if over {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolcall_schema::Code;

    fn lines(text: &[u8]) -> Vec<usize> {
        let mut reader = BufReader::with_capacity(7, text);
        std::iter::from_fn(|| next(&mut reader, false).unwrap())
            .map(|line| line.len())
            .collect()
    }

    #[test]
    fn a_line_is_read_up_to_one_byte_above_the_limit_whatever_its_length() {
        let max = MAX_CALL_BYTES;
        for (lengths, expected) in [
            (vec![0, 3], vec![0, 3]),
            (vec![max, 1], vec![max, 1]),
            (vec![max + 1, 1], vec![max + 1, 1]),
            (vec![3 * max, 1], vec![max + 1, 1]),
        ] {
            let text: Vec<Vec<u8>> = lengths.iter().map(|n| vec![b'x'; *n]).collect();
            let mut text = text.join(&b'\n');
            assert_eq!(lines(&text), expected, "without a last line end");
            text.push(b'\n');
            assert_eq!(lines(&text), expected, "with one");
        }
        assert_eq!(lines(b""), Vec::<usize>::new());
    }

    #[test]
    fn a_call_without_most_members_is_refused_with_code_and_pointer() {
        let Why::Refused(error) = judge(br#"{"call_id":"x"}"#, Clock::Skip) else {
            panic!("admitted")
        };
        assert_eq!((error.code, error.pointer.as_str()), (Code::Gate007, ""));
    }
}
