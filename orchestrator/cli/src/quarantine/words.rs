//! A line of the quarantine in words and as JSON.
//!
//! What: the row of a list, the whole of an entry, the document of either. Why: every command says the same of a line. Not
//! here: making text from outside harmless, which [`super::Out`] does for everything.

use aura_memory::quarantine::{QuarantineEntry, QuarantineLine};
use serde::Serialize;
use serde_json::{Value, json};
use surfaces_base::language::{say, text};
use toolcall_schema::ids::{CallId, TraceId};

/// The head of a list.
pub(super) fn head() -> String {
    let names = [
        text("cli-quarantine-column-n"),
        text("cli-quarantine-column-time"),
        text("cli-quarantine-column-code"),
        text("cli-quarantine-column-tool"),
        text("cli-quarantine-column-bytes"),
        text("cli-quarantine-column-pointer"),
    ];
    row(names.map(str::to_owned))
}

fn row([n, ts, code, tool, bytes, pointer]: [String; 6]) -> String {
    format!("{n:>5}  {ts:<24}  {code:<10}  {tool:<28}  {bytes:>8}  {pointer}")
}

pub(super) fn summary(n: u64, line: &QuarantineLine) -> String {
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
        QuarantineLine::Entry(entry) => row([
            n.to_string(),
            entry.ts.to_string(),
            entry.code.clone(),
            tool(entry),
            entry.bytes.to_string(),
            format!("{:?}", entry.pointer),
        ]),
        QuarantineLine::Lost(lost) => other(
            lost.ts.to_string(),
            &lost.code,
            say!("cli-quarantine-lost", count = lost.dropped),
        ),
        QuarantineLine::Unreadable { bytes } => other(
            "-".to_owned(),
            "-",
            say!("cli-quarantine-unreadable", bytes = *bytes),
        ),
        QuarantineLine::Torn { bytes } => {
            let says = say!("cli-quarantine-torn", bytes = *bytes);
            other("-".to_owned(), "-", says)
        }
    }
}

pub(super) fn tool(entry: &QuarantineEntry) -> String {
    if let Some(program) = &entry.program {
        return program.clone();
    }
    let agent = entry.agent.map_or("?", |agent| agent.as_str());
    format!("{agent}.{}", entry.tool.as_deref().unwrap_or("?"))
}

pub(super) fn whole(entry: &QuarantineEntry) -> String {
    fn known(value: Option<&str>) -> &str {
        value.unwrap_or_else(|| text("cli-quarantine-not-known"))
    }
    let raw = if entry.raw_encoding.is_some() {
        text("cli-quarantine-raw-base64")
    } else {
        text("cli-quarantine-raw")
    };
    let facts = [
        (text("cli-quarantine-time"), entry.ts.to_string()),
        (text("cli-quarantine-code"), entry.code.clone()),
        (text("cli-quarantine-pointer"), format!("{:?}", entry.pointer)),
        (text("cli-quarantine-message"), entry.message.clone()),
        (
            if entry.program.is_some() {
                text("cli-quarantine-program")
            } else {
                text("cli-quarantine-tool")
            },
            tool(entry),
        ),
        (
            text("cli-quarantine-call"),
            known(entry.call_id.as_ref().map(CallId::as_str)).to_owned(),
        ),
        (
            text("cli-quarantine-trace"),
            known(entry.trace_id.as_ref().map(TraceId::as_str)).to_owned(),
        ),
        (text("cli-quarantine-catalogue"), entry.catalogue_hash.clone()),
        ("sha256", entry.sha256.clone()),
        (text("cli-quarantine-bytes"), entry.bytes.to_string()),
        // A line end in it is a character like any other here.
        (raw, entry.raw.replace('\n', "\\n")),
    ];
    let lines: Vec<String> = facts
        .iter()
        .map(|(name, value)| format!("{name:<12}  {value}"))
        .collect();
    lines.join("\n")
}

pub(super) fn document(n: u64, line: &QuarantineLine) -> Value {
    #[derive(Serialize)]
    struct NumberedEntry<'a> {
        n: u64,
        entry: &'a QuarantineEntry,
    }
    match line {
        QuarantineLine::Entry(entry) => json!(NumberedEntry { n, entry }),
        QuarantineLine::Lost(lost) => json!({ "n": n, "lost": lost }),
        QuarantineLine::Unreadable { bytes } => json!({ "n": n, "unreadable": { "bytes": bytes } }),
        QuarantineLine::Torn { bytes } => json!({ "n": n, "torn": { "bytes": bytes } }),
    }
}
