//! `aura policy`: the constants that Aura decides with.
//!
//! What: checks a policy, shows one, compares two, puts one into force. Why: a changed number can be named before and after
//! it counts. Not here: what the constants do (`orchestrator_machine::policy`), what another policy would have decided
//! (`replay`).

use super::{
    args::{DataDir, FormatArgs},
    error::CliError,
    exit::CommandExit,
    out::CommandOutput,
    service::{ask, not_running, unexpected},
};
use aura_memory::StoreReader;
use aura_platform::constants::differences;
use aura_runtime::{
    config::ConfigError,
    control::{ControlReply, ControlRequest},
};
use clap::{Args, Subcommand};
use orchestrator_machine::policy::{DEFAULT_TEXT, Policy, schema};
use serde::Serialize;
use std::path::{Path, PathBuf};
use surfaces_base::{
    language::{self, Language, name_or_word, say, spoken, text},
    words,
};
use toolcall_schema::{ids::sha256_hex, policy_diagnostic::PolicyDiagnostic};

/// `aura policy`
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum PolicyCommand {
    /// Say all that is wrong with a policy, by line
    Check(PolicyCheckArgs),
    /// Print a policy: the one in force, the built-in one, or one by its hash
    Show(PolicyShowArgs),
    /// What differs between two policies, by constant
    Diff(PolicyDiffArgs),
    /// Let the running service read policy and settings again
    Reload(PolicyReloadArgs),
    /// Print the JSON Schema of a policy, for editors
    Schema,
}

/// `aura policy check`
#[derive(Debug, Clone, Args)]
pub(crate) struct PolicyCheckArgs {
    /// The policy
    file: PathBuf,
    #[command(flatten)]
    format: FormatArgs,
}

/// `aura policy show`
#[derive(Debug, Clone, Args)]
pub(crate) struct PolicyShowArgs {
    /// The built-in policy, whatever is in force
    #[arg(long, conflicts_with = "hash")]
    default: bool,
    /// The one that traces name by this hash; its beginning is enough
    #[arg(long, value_name = "HASH")]
    hash: Option<String>,
    /// Each constant with value, range and meaning instead of the text
    #[arg(long)]
    table: bool,
    #[command(flatten)]
    data: DataDir,
    #[command(flatten)]
    format: FormatArgs,
}

/// `aura policy diff`
#[derive(Debug, Clone, Args)]
pub(crate) struct PolicyDiffArgs {
    /// A file, a hash, or `default`
    a: String,
    /// A file, a hash, or `default`
    b: String,
    #[command(flatten)]
    data: DataDir,
    #[command(flatten)]
    format: FormatArgs,
}

/// `aura policy reload`
#[derive(Debug, Clone, Args)]
pub(crate) struct PolicyReloadArgs {
    #[command(flatten)]
    data: DataDir,
    #[command(flatten)]
    format: FormatArgs,
}

/// Runs `aura policy …`.
///
/// # Errors
/// A file or a hash that is not there, a policy that cannot be used.
pub(crate) fn run(command: &PolicyCommand, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    match command {
        PolicyCommand::Check(args) => check(args, out),
        PolicyCommand::Show(args) => show(args, out),
        PolicyCommand::Diff(args) => diff(args, out),
        PolicyCommand::Reload(args) => reload(args, out),
        PolicyCommand::Schema => {
            out.json(&schema())?;
            Ok(CommandExit::Ok)
        }
    }
}

#[derive(Serialize)]
struct PolicyCheckReport<'a> {
    file: &'a Path,
    good: bool,
    hash: String,
    findings: Vec<PolicyDiagnostic>,
}

fn check(args: &PolicyCheckArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let text = read(&args.file)?;
    let findings: Vec<PolicyDiagnostic> = match Policy::parse(&text) {
        Ok(_) => vec![],
        Err(error) => error.findings().cloned().collect(),
    };
    let checked = PolicyCheckReport {
        file: &args.file,
        good: findings.is_empty(),
        hash: sha256_hex(text.as_bytes()),
        findings,
    };
    if args.format.json {
        out.json(&checked)?;
    } else if checked.good {
        out.text(&say!(
            "cli-policy-good",
            path = args.file.display().to_string(),
            hash = &checked.hash
        ))?;
    } else {
        for finding in &checked.findings {
            let PolicyDiagnostic {
                code,
                line,
                column,
                message,
            } = finding;
            out.finding(&format!(
                "{}:{line}:{column}: {code}: {message}",
                args.file.display()
            ))?;
        }
    }
    Ok(if checked.good {
        CommandExit::Ok
    } else {
        CommandExit::Bad
    })
}

fn read(file: &Path) -> Result<String, CliError> {
    std::fs::read_to_string(file).map_err(|source| CliError::Input {
        path: file.to_owned(),
        source,
    })
}

#[derive(Serialize)]
struct PolicyRow {
    key: &'static str,
    value: String,
    low: String,
    high: String,
    means: &'static str,
}

fn show(args: &PolicyShowArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let text = match (&args.hash, args.default) {
        (Some(hash), _) => by_hash(hash, &args.data)?,
        (None, true) => DEFAULT_TEXT.to_owned(),
        (None, false) => in_force(&args.data)?,
    };
    if !args.table && !args.format.json {
        out.text(text.trim_end())?;
        return Ok(CommandExit::Ok);
    }
    let policy = usable(Path::new("policy"), &text)?;
    let rows: Vec<PolicyRow> = policy
        .constants()
        .map(|(key, amount)| PolicyRow {
            key: key.path,
            value: key.show(amount).to_string(),
            low: key.show(key.low).to_string(),
            high: key.show(key.high).to_string(),
            means: key.means,
        })
        .collect();
    if args.format.json {
        out.json(&serde_json::json!({ "hash": policy.hash(), "text": text, "constants": rows }))?;
    } else {
        let cells: Vec<[String; 4]> = rows
            .iter()
            .map(|row| {
                let range = say!(
                    "cli-policy-range",
                    low = amount_in_words(&row.low),
                    high = amount_in_words(&row.high)
                );
                [
                    row.key.to_owned(),
                    amount_in_words(&row.value),
                    range,
                    meaning(row.key, row.means),
                ]
            })
            .collect();
        out.table(
            [
                language::text("cli-policy-column-constant"),
                language::text("cli-policy-column-value"),
                language::text("cli-policy-column-range"),
                language::text("cli-policy-column-means"),
            ],
            &cells,
        )?;
    }
    Ok(CommandExit::Ok)
}

fn diff(args: &PolicyDiffArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let [a, b] = [&args.a, &args.b].map(|name| {
        let text = named(name, &args.data)?;
        usable(Path::new(name), &text)
    });
    let (a, b) = (a?, b?);
    let differences = differences(&a, &b);
    if args.format.json {
        out.json(&serde_json::json!({ "a": a.hash(), "b": b.hash(), "differences": differences }))?;
    } else if differences.is_empty() {
        out.text(if a.hash() == b.hash() {
            text("cli-policy-same-text")
        } else {
            text("cli-policy-same-constants")
        })?;
    } else {
        let cells: Vec<[String; 4]> = differences
            .iter()
            .map(|d| {
                [
                    d.key.to_owned(),
                    amount_in_words(&d.a),
                    amount_in_words(&d.b),
                    meaning(d.key, d.means),
                ]
            })
            .collect();
        out.table(
            [
                text("cli-policy-column-constant"),
                text("cli-policy-column-from"),
                text("cli-policy-column-to"),
                text("cli-policy-column-means"),
            ],
            &cells,
        )?;
    }
    Ok(CommandExit::Ok)
}

fn reload(args: &PolicyReloadArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let dir = args.data.path()?;
    let reloaded = match ask(&dir, &ControlRequest::Reload)? {
        Some(ControlReply::Reloaded(reloaded)) => reloaded,
        Some(other) => return Err(unexpected(other)),
        None => return Err(not_running(&dir)),
    };
    if args.format.json {
        out.json(&reloaded)?;
        return Ok(CommandExit::Ok);
    }
    let hash = short(&reloaded.policy_hash);
    out.text(&match (reloaded.policy_changed, reloaded.settings_changed) {
        (false, false) => text("cli-policy-nothing-changed").to_owned(),
        (true, false) => say!("cli-policy-in-force-policy", hash),
        (false, true) => text("cli-policy-in-force-settings").to_owned(),
        (true, true) => say!("cli-policy-in-force-both", hash),
    })?;
    if reloaded.settings_changed {
        out.text(text("cli-policy-read-at-start"))?;
    }
    Ok(CommandExit::Ok)
}

/// What a constant does: pages have its name in the other languages.
fn meaning(key: &'static str, means: &str) -> String {
    match spoken() {
        Language::English => means.to_owned(),
        Language::German => words::policy_constant_alone(key),
    }
}

/// An amount with its unit.
fn amount_in_words(amount: &str) -> String {
    let words = || match amount.split_once(' ') {
        Some(("every", _)) => text("cli-policy-every-combination").to_owned(),
        Some((count, "combinations")) => say!("cli-policy-combinations", count),
        Some(_) | None => words::policy_amount(amount),
    };
    name_or_word(amount, words).into_owned()
}

fn short(hash: &str) -> &str {
    hash.get(..12).unwrap_or(hash)
}

fn usable(name: &Path, text: &str) -> Result<Policy, CliError> {
    Policy::parse(text).map_err(|source| {
        let path = name.to_owned();
        let source = Box::new(source);
        ConfigError::Policy { path, source }.into()
    })
}

/// A policy that is named by a file, or `default`.
///
/// # Errors
/// A file that cannot be read, or that is no policy.
pub(super) fn by_file(name: &str) -> Result<Policy, CliError> {
    let path = Path::new(name);
    let text = if name == "default" {
        DEFAULT_TEXT.to_owned()
    } else {
        read(path)?
    };
    usable(path, &text)
}

/// The text of a policy by a name on the command line.
fn named(name: &str, data: &DataDir) -> Result<String, CliError> {
    let path = Path::new(name);
    if name == "default" {
        Ok(DEFAULT_TEXT.to_owned())
    } else if !path.exists() && name.len() >= HASH_MIN && name.bytes().all(|b| b.is_ascii_hexdigit()) {
        by_hash(name, data)
    } else {
        read(path)
    }
}

/// So many digits of a hash are enough to name one.
const HASH_MIN: usize = 8;

fn by_hash(hash: &str, data: &DataDir) -> Result<String, CliError> {
    if hash.len() >= HASH_MIN && sha256_hex(DEFAULT_TEXT.as_bytes()).starts_with(hash) {
        return Ok(DEFAULT_TEXT.to_owned());
    }
    let dir = data.path()?;
    let found = if hash.len() < HASH_MIN {
        None
    } else {
        StoreReader::open(&data.vault()?)?.policy_like(hash)?
    };
    // Settings are kept in the same place; they are no TOML with constants.
    found.filter(|text| !text.starts_with('{')).ok_or_else(|| {
        CliError::NotThere(say!(
            "cli-policy-no-such-hash",
            folder = dir.display().to_string()
        ))
    })
}

/// The policy of a folder: the running service's, else that of the newest decision; the built-in one where nothing is yet.
fn in_force(data: &DataDir) -> Result<String, CliError> {
    let dir = data.path()?;
    let running = match ask(&dir, &ControlRequest::Status)? {
        Some(ControlReply::Status(status)) => status["policy_hash"].as_str().map(str::to_owned),
        Some(other) => return Err(unexpected(other)),
        None => None,
    };
    if running.is_none() && !dir.join("aura.db").exists() {
        return Ok(DEFAULT_TEXT.to_owned());
    }
    let records = super::records::StoreAccess::open(&data.vault()?)?;
    let newest = || Ok::<_, CliError>(records.newest()?.map(|trace| trace.decision.policy_hash.clone()));
    let Some(hash) = running.map_or_else(newest, |hash| Ok(Some(hash)))? else {
        return Ok(DEFAULT_TEXT.to_owned());
    };
    if hash == sha256_hex(DEFAULT_TEXT.as_bytes()) {
        return Ok(DEFAULT_TEXT.to_owned());
    }
    let missing = || {
        let folder = dir.display().to_string();
        CliError::NotThere(say!("cli-policy-not-kept", hash = &hash, folder))
    };
    records.reader.policy(&hash)?.ok_or_else(missing)
}

#[cfg(test)]
mod tests {
    use super::*;
    use orchestrator_machine::policy::KEYS;

    #[test]
    fn the_schema_has_every_constant_and_no_other() {
        let schema = schema();
        let mut found = 0;
        let properties = schema["properties"].as_object().unwrap();
        for (name, property) in properties.iter().filter(|(name, _)| *name != "rules") {
            found += match property["properties"].as_object() {
                Some(table) => table.len(),
                None => usize::from(KEYS.iter().any(|key| key.path == name)),
            };
        }
        assert_eq!(found, KEYS.len());
        assert_eq!(
            schema["properties"]["caps"]["properties"]["window_min"]["maximum"],
            1440
        );
        assert_eq!(schema["properties"]["threshold"]["maximum"], 1.0);
    }
}
