//! `aura init`: a first configuration.
//!
//! What: finds mail, calendars, journals and health data where their programs usually keep them, asks about each, and
//! writes `home.toml`. Why: a new owner should not have to know where khal keeps its calendars; nothing is read that was not
//! agreed to. Not here: where things usually are (`sources`), what the file means (`config`).

use super::{
    args::{FormatArgs, HomeFileArg},
    error::CliError,
    exit::CommandExit,
    out::CommandOutput,
};
use aura_runtime::{
    config::HomeConfig,
    fresh_file::FreshFile,
    sources::{self, FoundSource},
};
use chrono_tz::Tz;
use clap::Args;
use std::{
    env, fs,
    io::{self, Write as _},
    path::Path,
};
use surfaces_base::language::{say, text};
use toolcall_schema::SourceKind;

/// Find your folders, ask, and write a first configuration
#[derive(Debug, Clone, Args)]
pub(crate) struct InitArgs {
    #[command(flatten)]
    home: HomeFileArg,
    /// Take everything that is found, and ask nothing
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    format: FormatArgs,
}

/// What goes into the file.
struct InitAnswers {
    zone: Tz,
    names: Vec<String>,
    addresses: Vec<String>,
    sources: Vec<FoundSource>,
}

/// Runs `aura init`.
///
/// # Errors
/// There is a configuration already, nobody can be asked, or it cannot be written.
pub(crate) fn run(args: &InitArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let file = args.home.path();
    if file.exists() {
        return Err(CliError::NotThere(say!(
            "cli-init-there-already",
            file = file.display().to_string()
        )));
    }
    if args.format.json && !args.yes {
        return Err(CliError::Usage(text("cli-init-nobody-asked").to_owned()));
    }
    let found = sources::found_here().ok_or(CliError::NoDataFolder)?;
    let answers = if args.yes {
        InitAnswers {
            zone: local_zone(),
            names: Vec::new(),
            addresses: Vec::new(),
            sources: found,
        }
    } else {
        ask(found, out)?
    };
    write(&file, &configuration(&answers))?;
    if args.format.json {
        let sources: Vec<_> = answers
            .sources
            .iter()
            .map(|found| serde_json::json!({ "kind": found.kind.as_str(), "path": found.path }))
            .collect();
        out.json(&serde_json::json!({ "file": file, "zone": answers.zone.name(), "sources": sources }))?;
    } else {
        out.text(&say!(
            "cli-init-written",
            file = file.display().to_string(),
            count = answers.sources.len()
        ))?;
    }
    Ok(CommandExit::Ok)
}

fn ask(found: Vec<FoundSource>, out: &mut CommandOutput) -> Result<InitAnswers, CliError> {
    let here = local_zone();
    let zone = loop {
        let said = line(out, &say!("cli-init-your-zone", zone = here.name()))?;
        if said.is_empty() {
            break here;
        }
        match said.parse() {
            Ok(zone) => break zone,
            Err(_) => out.text(text("cli-init-no-zone"))?,
        }
    };
    let names = list(&line(out, text("cli-init-your-names"))?);
    let addresses = list(&line(out, text("cli-init-your-addresses"))?);
    if found.is_empty() {
        out.text(text("cli-init-nothing-found"))?;
    }
    let mut sources = Vec::new();
    for one in found {
        let question = say!(
            "cli-init-read-it",
            kind = one.kind.as_str(),
            program = one.program,
            path = one.path.display().to_string()
        );
        let said = line(out, &question)?.to_lowercase();
        if matches!(said.as_str(), "" | "y" | "yes" | "j" | "ja") {
            sources.push(one);
        }
    }
    Ok(InitAnswers {
        zone,
        names,
        addresses,
        sources,
    })
}

/// One answer. Nothing is written when the input ends before the last question.
fn line(out: &mut CommandOutput, question: &str) -> Result<String, CliError> {
    out.text(question)?;
    let mut line = String::new();
    let read = io::stdin()
        .read_line(&mut line)
        .map_err(|source| CliError::Input {
            path: "-".into(),
            source,
        })?;
    if read == 0 {
        return Err(CliError::Usage(text("cli-init-answers-ended").to_owned()));
    }
    Ok(line.trim().to_owned())
}

fn list(text: &str) -> Vec<String> {
    text.split(',')
        .map(str::trim)
        .filter(|one| !one.is_empty())
        .map(str::to_owned)
        .collect()
}

/// The system's zone, by `TZ` or the link `/etc/localtime`; UTC where neither names one.
fn local_zone() -> Tz {
    let named = env::var("TZ")
        .ok()
        .and_then(|name| name.trim_start_matches(':').parse().ok());
    let linked = || {
        let target = fs::read_link("/etc/localtime").ok()?;
        let (_, name) = target.to_str()?.split_once("zoneinfo/")?;
        name.parse().ok()
    };
    named.or_else(linked).unwrap_or(Tz::UTC)
}

/// The file, with what can be changed in it.
fn configuration(answers: &InitAnswers) -> String {
    let quoted = |text: &str| toml::Value::from(text).to_string();
    let all = |texts: &[String]| {
        let texts: Vec<String> = texts.iter().map(|text| quoted(text)).collect();
        format!("[{}]", texts.join(", "))
    };
    let head = format!(
        "# Who you are and what Aura may read. Aura reads nothing that is not named here.\n\
         zone = {}\n\
         # Names and addresses by which others mention you.\n\
         names = {}\n\
         addresses = {}\n\
         # Interruptions a day, 0 to 5, and when the morning brief may come.\n\
         ceiling = 3\n\
         brief_time = \"07:30\"\n\n\
         # Files and folders, relative to this file.\n\
         [sources]\n",
        quoted(answers.zone.name()),
        all(&answers.names),
        all(&answers.addresses),
    );
    let lines = SourceKind::ALL.iter().map(|kind| {
        let paths: Vec<String> = answers
            .sources
            .iter()
            .filter(|found| found.kind == *kind)
            .map(|found| found.path.to_string_lossy().into_owned())
            .collect();
        format!("{} = {}\n", kind.as_str(), all(&paths))
    });
    head + &lines.collect::<String>()
}

/// A first configuration that reads nothing.
///
/// # Errors
/// There is one already, or it cannot be written.
pub(super) fn write_first(file: &Path) -> Result<(), CliError> {
    let answers = InitAnswers {
        zone: local_zone(),
        names: Vec::new(),
        addresses: Vec::new(),
        sources: Vec::new(),
    };
    write(file, &configuration(&answers))
}

/// Whole or not at all, and only what can be read again.
fn write(file: &Path, text: &str) -> Result<(), CliError> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut fresh = FreshFile::create_in(folder)?;
    fresh.as_file().write_all(text.as_bytes())?;
    HomeConfig::load(fresh.path())?;
    fresh.as_file().sync_all()?;
    fresh.name_new(file)?;
    Ok(())
}
