//! `aura quarantine`: what was refused.
//!
//! What: the lines of one quarantine, and one of them whole. Why: the operator sees which calls were refused and why. Not
//! here: the files (`aura_memory::quarantine`); making text from outside harmless, which [`Out`] does for everything.

use super::{
    args::{QuarantineCommand, QuarantineListArgs, QuarantineShowArgs},
    error::CliError,
    exit::Exit,
    out::Out,
};
use aura_memory::quarantine::{self, Entry, Line};
use serde::Serialize;
use serde_json::{Value, json};
use toolcall_schema::ids::{CallId, TraceId};

/// Runs `aura quarantine …`.
///
/// # Errors
/// [`CliError`] when the folder or the file cannot be read, or has no such line.
pub fn run(command: &QuarantineCommand, out: &mut Out) -> Result<Exit, CliError> {
    match command {
        QuarantineCommand::List(args) => list(args, out),
        QuarantineCommand::Show(args) => show(args, out),
    }
}

/// Printed line by line: the file may be long.
fn list(args: &QuarantineListArgs, out: &mut Out) -> Result<Exit, CliError> {
    let mut lines = quarantine::list(&args.data.path()?, args.kind.into())?.peekable();
    if !args.format.json {
        out.text(&if lines.peek().is_none() {
            "Nothing was refused.".to_owned()
        } else {
            row(["n", "time (UTC)", "code", "tool", "bytes", "pointer"].map(str::to_owned))
        })?;
    }
    for line in lines {
        let (n, line) = line?;
        if args.format.json {
            out.json(&document(n, &line))?;
        } else {
            out.text(&summary(n, &line))?;
        }
    }
    Ok(Exit::Ok)
}

fn show(args: &QuarantineShowArgs, out: &mut Out) -> Result<Exit, CliError> {
    let none = || {
        CliError::NotThere(format!(
            "there is no line {}: `aura quarantine list` shows those there are",
            args.n
        ))
    };
    let line = quarantine::show(&args.data.path()?, args.kind.into(), args.n)?.ok_or_else(none)?;
    if args.format.json {
        out.json(&document(args.n, &line))?;
        return Ok(Exit::Ok);
    }
    match &line {
        Line::Entry(entry) => out.text(&whole(entry))?,
        Line::Lost(_) | Line::Unreadable { .. } | Line::Torn { .. } => out.text(&summary(args.n, &line))?,
    }
    Ok(Exit::Ok)
}

fn row([n, ts, code, tool, bytes, pointer]: [String; 6]) -> String {
    format!("{n:>5}  {ts:<24}  {code:<10}  {tool:<28}  {bytes:>8}  {pointer}")
}

fn summary(n: u64, line: &Line) -> String {
    let other = |ts: String, code: &str, what: String| {
        row([
            n.to_string(),
            ts,
            code.to_owned(),
            what,
            String::new(),
            String::new(),
        ])
    };
    match line {
        Line::Entry(entry) => row([
            n.to_string(),
            entry.ts.to_string(),
            entry.code.clone(),
            tool(entry),
            entry.bytes.to_string(),
            format!("{:?}", entry.pointer),
        ]),
        Line::Lost(lost) => other(
            lost.ts.to_string(),
            &lost.code,
            format!("{} were lost here", lost.dropped),
        ),
        Line::Unreadable { bytes } => {
            other("-".to_owned(), "-", format!("not a line of ours, {bytes} bytes"))
        }
        Line::Torn { bytes } => other("-".to_owned(), "-", format!("unfinished, {bytes} bytes")),
    }
}

fn tool(entry: &Entry) -> String {
    let agent = entry.agent.map_or("?", |agent| agent.as_str());
    format!("{agent}.{}", entry.tool.as_deref().unwrap_or("?"))
}

fn whole(entry: &Entry) -> String {
    fn known(value: Option<&str>) -> &str {
        value.unwrap_or("not known")
    }
    let raw = if entry.raw_encoding.is_some() {
        "raw (base64)"
    } else {
        "raw"
    };
    let facts = [
        ("time", entry.ts.to_string()),
        ("code", entry.code.clone()),
        ("pointer", format!("{:?}", entry.pointer)),
        ("message", entry.message.clone()),
        ("tool", tool(entry)),
        (
            "call",
            known(entry.call_id.as_ref().map(CallId::as_str)).to_owned(),
        ),
        (
            "trace",
            known(entry.trace_id.as_ref().map(TraceId::as_str)).to_owned(),
        ),
        ("catalogue", entry.catalogue_hash.clone()),
        ("sha256", entry.sha256.clone()),
        ("bytes", entry.bytes.to_string()),
        // A line end in it is a character like any other here.
        (raw, entry.raw.replace('\n', "\\n")),
    ];
    let lines: Vec<String> = facts
        .iter()
        .map(|(name, value)| format!("{name:<12}  {value}"))
        .collect();
    lines.join("\n")
}

fn document(n: u64, line: &Line) -> Value {
    #[derive(Serialize)]
    struct Numbered<'a> {
        n: u64,
        entry: &'a Entry,
    }
    match line {
        Line::Entry(entry) => json!(Numbered { n, entry }),
        Line::Lost(lost) => json!({ "n": n, "lost": lost }),
        Line::Unreadable { bytes } => json!({ "n": n, "unreadable": { "bytes": bytes } }),
        Line::Torn { bytes } => json!({ "n": n, "torn": { "bytes": bytes } }),
    }
}
