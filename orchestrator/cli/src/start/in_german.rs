//! Nothing that a command says to people in German is English.
//!
//! What: many commands, each in both languages over the same folder, with their refusals. Why: a text beside the catalogue is found here, whoever adds it. Not here:
//! what a command says (its own tests), help (`help_words`), a running service (`cli_help` of the integration tests).

use super::{CommandLine as _, ErrorForm};
use crate::{
    Cli, clap_words::refusal_in_words, error::CliError, error_pages::code_in, exit::CommandExit,
    out::testing::written,
};
use aura_days::day::DayScript;
use serde_json::Value;
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};
use surfaces_base::{
    language::{Language, spoken},
    locale,
};
use tempfile::TempDir;

/// Words that stand in English sentences and in no German one, nor in a name.
const ENGLISH: [&str; 46] = [
    "a", "the", "of", "and", "not", "with", "is", "are", "were", "to", "that", "this", "it", "its", "has",
    "have", "no", "be", "been", "by", "from", "or", "than", "which", "there", "here", "what", "when", "must",
    "cannot", "could", "would", "silent", "card", "shown", "none", "nothing", "yes", "found", "given",
    "removed", "invalid", "expected", "choose", "write", "read",
];

/// What a command says to people, with what it is refused with.
fn output_in(language: Language, words: &[String]) -> String {
    locale::speaking(language, || {
        let all = std::iter::once("aura".to_owned()).chain(words.iter().cloned());
        let cli = match Cli::read_words(all.map(Into::into).collect()) {
            Ok(cli) => cli,
            Err(refusal) => return refusal_in_words(&refusal),
        };
        let mut refused = None;
        let told = written(|out| {
            if let Err(error) = cli.run(out) {
                refused = Some(error);
            }
        });
        let refused = refused.filter(|error: &CliError| error.exit() != CommandExit::Ok);
        match refused {
            Some(error) => told + &ErrorForm::Line.render(&error.with_causes(), error.exit().code()),
            None => told,
        }
    })
}

/// A line that may hold English: it has a code, whose English sentence is a record, or the system's own reason; it is of a schema, or what a refused call was
/// recorded with.
fn is_record(line: &str) -> bool {
    let begins = |beginning: &str| line.trim_start().starts_with(beginning);
    code_in(line).is_some() || line.contains("(os error ") || begins("\"") || begins("Meldung  ")
}

fn words_of(line: &str) -> impl Iterator<Item = &str> {
    // What stands in quotes or backticks is typed, or comes from a file.
    let outside = line.split('`').step_by(2);
    outside.flat_map(|part| part.split(|c: char| !(c.is_alphanumeric() || "-_./=<>\"„“§:".contains(c))))
}

/// Lines of the German words that are English.
fn english_lines(english: &str, german: &str) -> Vec<String> {
    let same: BTreeSet<&str> = english.lines().map(str::trim).collect();
    let is_english = |line: &&str| {
        let has_words =
            words_of(line).any(|word| word.len() > 2 && word.bytes().all(|b| b.is_ascii_lowercase()));
        let repeats = has_words && same.contains(line.trim());
        repeats || words_of(line).any(|word| ENGLISH.contains(&word.trim_end_matches([':', '.'])))
    };
    german
        .lines()
        .filter(|line| !is_record(line))
        .filter(is_english)
        .map(str::to_owned)
        .collect()
}

/// Holds each command's words in German against those in English, and names the lines that are English.
fn hold(commands: &[&[&str]], fill: impl Fn(&str) -> String) {
    let mut wrong = Vec::new();
    for command in commands {
        let words: Vec<String> = command.iter().map(|word| fill(word)).collect();
        let (english, german) = (
            output_in(Language::English, &words),
            output_in(Language::German, &words),
        );
        let lines = english_lines(&english, &german);
        wrong.extend(
            lines
                .into_iter()
                .map(|line| format!("{}: {line}", command.join(" "))),
        );
        assert!(!german.trim().is_empty(), "{command:?} says nothing");
    }
    assert!(
        wrong.is_empty(),
        "{} lines are English:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert_eq!(spoken(), Language::English);
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A folder with what was recorded on that day.
fn recorded(day: &str) -> (TempDir, String) {
    let dir = TempDir::new().unwrap();
    let data = dir.path().join("data");
    DayScript::read(&root().join("fixtures/days").join(day))
        .unwrap()
        .play(&data)
        .unwrap();
    let data = data.to_str().unwrap().to_owned();
    (dir, data)
}

/// The first text under this name, however deep.
fn text_under<'a>(name: &str, value: &'a Value) -> Option<&'a str> {
    match value {
        Value::Object(members) => {
            let own = members.get(name).and_then(Value::as_str);
            own.or_else(|| members.values().find_map(|below| text_under(name, below)))
        }
        Value::Array(items) => items.iter().find_map(|below| text_under(name, below)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

#[test]
fn commands_over_what_is_kept_say_nothing_in_english() {
    let (_dir, data) = recorded("budget-exhausted");
    let (_other, refusals) = recorded("invalid-call");
    let english = output_in(
        Language::English,
        &["memory", "search", "action", "--json", "--data", &data].map(str::to_owned),
    );
    let found: Value = serde_json::from_str(english.lines().next().unwrap()).unwrap();
    let key = text_under("key", &found).expect("a key").to_owned();
    let fill = |word: &str| match word {
        "DATA" => data.clone(),
        "REFUSALS" => refusals.clone(),
        "KEY" => key.clone(),
        other => other.to_owned(),
    };
    hold(
        &[
            &["trace", "list", "--data", "DATA"],
            &["trace", "list", "--day", "2020-01-01", "--data", "DATA"],
            &["trace", "show", "last", "--data", "DATA"],
            &["trace", "show", "tr_zzz", "--data", "DATA"],
            &["trace", "why", "last", "--data", "DATA"],
            &["trace", "why", "--at", "08:30", "--data", "DATA"],
            &["ledger", "--data", "DATA"],
            &["ledger", "--day", "2020-01-01", "--data", "DATA"],
            &["memory", "stats", "--data", "DATA"],
            &["memory", "search", "action", "--data", "DATA"],
            &["memory", "search", "nowhere", "--data", "DATA"],
            &["memory", "show", "KEY", "--data", "DATA"],
            &["memory", "show", "unknown", "--data", "DATA"],
            &["memory", "audit", "list", "--data", "DATA"],
            &["memory", "audit", "heads", "--now", "--data", "DATA"],
            &["memory", "audit", "verify", "--data", "DATA"],
            &["memory", "audit", "prove", "99999", "--data", "DATA"],
            &["memory", "scan", "--data", "DATA"],
            &["quarantine", "list", "--data", "REFUSALS"],
            &["quarantine", "list", "--kind", "traces", "--data", "REFUSALS"],
            &["quarantine", "show", "1", "--data", "REFUSALS"],
            &["quarantine", "show", "77", "--data", "REFUSALS"],
            &["quarantine", "stats", "--data", "REFUSALS"],
            &["quarantine", "replay", "--data", "REFUSALS"],
            &["replay", "DATA"],
            &["replay", "DATA", "--verify"],
            &["replay", "DATA", "--what-if", "default"],
            &["model", "list", "--data", "DATA"],
            &["inbox", "list", "--data", "DATA"],
            &["workflow", "status", "--data", "DATA"],
            &["workflow", "status", "none", "--data", "DATA"],
            &["policy", "show", "--table", "--data", "DATA"],
            &["rule", "list", "--data", "DATA"],
            &["rule", "show", "none", "--data", "DATA"],
            &["mute", "list", "--data", "DATA"],
            &["pause", "show", "--data", "DATA"],
            &["device", "list", "--data", "DATA"],
            &["status", "--data", "DATA"],
            &["stop", "--data", "DATA"],
            &["clock", "show", "--data", "DATA"],
        ],
        fill,
    );
}

#[test]
fn commands_over_files_say_nothing_in_english() {
    let dir = TempDir::new().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    fs::write(path("bad-policy.toml"), "version = 1\nnope = 2\n").unwrap();
    fs::write(path("calls.ndjson"), "{\"call_id\":\"x\"}\n").unwrap();
    fs::write(path("schema.json"), "{\"type\":\"string\",\"maxLength\":2}").unwrap();
    fs::write(path("instance.json"), "\"long\"").unwrap();
    fs::write(path("sums"), "aa  aura_99.0.0_amd64.deb\n").unwrap();
    fs::create_dir_all(path("project/workflows")).unwrap();
    fs::create_dir_all(path("project/agents.d")).unwrap();
    fs::create_dir_all(path("owners")).unwrap();
    fs::write(path("project/workflows/bad.toml"), "name = 3\n").unwrap();
    let policy = root().join("orchestrator/machine/src/policy.toml");
    let day = root().join("fixtures/days/budget-exhausted");
    let project = root().join("fixtures/project");
    let fill = |word: &str| match word {
        "POLICY" => policy.to_str().unwrap().to_owned(),
        "DAY" => day.to_str().unwrap().to_owned(),
        "PROJECT" => project.to_str().unwrap().to_owned(),
        word => match word.strip_prefix("FILE:") {
            Some(name) => path(name),
            None => word.to_owned(),
        },
    };
    hold(
        &[
            &["policy", "check", "POLICY"],
            &["policy", "check", "FILE:bad-policy.toml"],
            &["policy", "show", "--default", "--table"],
            &["policy", "diff", "default", "POLICY"],
            &["policy", "diff", "default", "FILE:bad-policy.toml"],
            &["workflow", "list", "--project", "PROJECT"],
            &["workflow", "check", "--project", "PROJECT"],
            &["workflow", "check", "--project", "FILE:project"],
            &["gate", "check", "FILE:calls.ndjson"],
            &["gate", "check", "FILE:none"],
            &["schema", "validate", "FILE:schema.json", "FILE:instance.json"],
            &["schema", "list"],
            &["schema", "show", "none"],
            &["catalogue"],
            &["catalogue", "wellness.guide_breathing"],
            &["owner", "list", "--owners", "FILE:owners"],
            &["update", "check", "FILE:sums"],
            &["trace", "list", "--data", "FILE:none"],
            &["status", "--data", "FILE:none"],
            &["replay", "DAY"],
            &["help", "NOPE-1"],
        ],
        fill,
    );
}

#[test]
fn what_cannot_be_read_of_a_command_line_is_refused_in_german() {
    hold(
        &[
            &["trace", "show", "X!"],
            &["trace", "list", "--limit", "x"],
            &["trace", "list", "--limit", "0"],
            &["trace", "list", "--day", "x"],
            &["trace", "why"],
            &["catalogue", "none"],
            &["catalogue", "--lock", "--diff", "x"],
            &["gate", "check", "--now", "x"],
            &["schema", "validate", "--draft", "x", "y"],
            &["ask", "none"],
            &["ask", "comms.mute_channel", "--args", "{"],
            &["ask", "--state", "x"],
            &["ask", "--list", "--wait", "9d"],
            &["device", "add", "n", "--scope", "x"],
            &["device", "add", "n", "--scope", "ask", "--tools", "x"],
            &["device", "allow", "d", "x"],
            &["pair", "--scope", "ask"],
            &["pair", "--name", ""],
            &["import", "--as", "x", "y"],
            &["learned", "correct", "x", "news"],
            &["learned", "correct", "pe_0123456789abcdef", "x"],
            &["learned", "reset"],
            &["mute", "start", "x"],
            &["mute", "start", "ch_0123456789abcdef", "--for", "x"],
            &["mute", "end", "ch_0123456789abcdef", "--idempotency-key", " "],
            &["rule", "add", "X!"],
            &["rule", "add", "x", "--kind", "x"],
            &["rule", "add", "x", "--channel", "x"],
            &["rule", "add", "x", "--hours", "x"],
            &["rule", "add", "x", "--days", "x"],
            &["rule", "add", "x", "--from", "x"],
            &["memory", "audit", "list", "--op", "x"],
            &["memory", "audit", "list", "--kind", "x"],
            &["memory", "audit", "list", "--id", "?"],
            &["memory", "audit", "check", "p", "--public-key", "x"],
            &["memory", "audit", "prove", "x"],
            &["memory", "show", "?"],
            &["memory", "search", "x", "--type", "x"],
            &["memory", "label", "k", ""],
            &["memory", "delete", "--measured", "x"],
            &["memory", "export", "--profile", "x"],
            &["quarantine", "list", "--code", "x"],
            &["quarantine", "list", "--agent", "x"],
            &["quarantine", "list", "--since", "x"],
            &["quarantine", "list", "--kind", "x"],
            &["quarantine", "show", "0"],
            &["quarantine", "show", "x"],
            &["quarantine", "purge", "--older-than", "x"],
            &["tick", "--wait", "999"],
            &["owner", "add", "X!"],
            &["source", "add", "x"],
            &["workflow", "run", "x", "--feature", "/"],
            &["agent", "new", "X!"],
            &["completions", "x"],
            &["nonsense"],
            &["trace", "nonsense"],
            &["status", "--nonsense"],
            &["mute"],
        ],
        str::to_owned,
    );
}
