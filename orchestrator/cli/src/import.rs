//! `aura import`: everything is read now, with somebody watching.
//!
//! What: asks the agents to read the owner's sources, and further files once, to their end. Why: years of mail, statements
//! and health data are read in one go, with a bar for each agent; stopped, it goes on where it was. Not here: reading
//! (`agents`), asking (`reading`), what was forgotten meanwhile (`left_out`), exports of Aura's own (`aura memory import`).

mod left_out;

use super::{
    args::{FormatArgs, one_of},
    error::CliError,
    exit::CommandExit,
    line::{OpenOnce, in_line},
    names,
    out::CommandOutput,
    service::{self, ServiceFolderArgs},
};
use agents::skip_codes::is_for_age;
use aura_platform::health::ServiceHealth;
use aura_runtime::{
    control::{
        self, ControlError, ControlHandler as _, ControlReply, ControlRequest, ProgressSender,
        RequestProgress,
    },
    sources,
};
use clap::{Args, builder::TypedValueParser};
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};
use surfaces_base::{
    language::{name_or_word, say, text},
    words,
};
use tokio::sync::mpsc;
use toolcall_schema::{AgentName, SourceKind, Timestamp, tick::SkippedItem};

/// How long a running service may take to take up a source, and how often it is asked.
const TAKEN_UP_WITHIN: Duration = Duration::from_secs(20);
const AGAIN: Duration = Duration::from_millis(100);

/// Read everything now: your sources, and further files once
#[derive(Debug, Clone, Args)]
pub(crate) struct ImportArgs {
    /// Files and folders that are read this once, beside those of home.toml; contacts are added to it, and read from now on
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// What they are, where their names do not say it
    #[arg(long = "as", value_name = "KIND", value_parser = kinds(), requires = "paths")]
    kind: Option<SourceKind>,
    /// Read all sources from their beginning: what you deleted and your own folders still have comes back
    #[arg(long)]
    again: bool,
    #[command(flatten)]
    folder: ServiceFolderArgs,
    #[command(flatten)]
    format: FormatArgs,
}

/// Runs `aura import`.
///
/// # Errors
/// A path that is not there or not known, configuration, data folder, an agent that does not answer.
pub(crate) fn run(args: &ImportArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let more = args
        .paths
        .iter()
        .map(|path| named(path, args.kind))
        .collect::<Result<Vec<_>, CliError>>()?;
    // Who reads what is named; nobody: all do.
    let asked: Vec<AgentName> = more.iter().map(|(kind, _)| kind.agent()).collect();
    let dir = args.folder.dir()?;
    let starts_anew = allow_contacts(args, &dir, &more)?;
    let begun = Instant::now();
    let bars = ProgressBars::new();
    let request = ControlRequest::Import {
        more,
        again: args.again,
        only: None,
    };
    let mut vault = OpenOnce::default();
    let (reply, vault, zone) = in_line(|| {
        let running = loop {
            let reply = control::ask_patiently(&dir, &request, &mut |progress| bars.show(progress));
            let is_away = matches!(
                reply,
                Ok(None | Some(ControlReply::Busy(_))) | Err(ControlError::NoAnswer(_))
            );
            if !(is_away && starts_anew && begun.elapsed() < TAKEN_UP_WITHIN) {
                break reply?;
            }
            thread::sleep(AGAIN);
        };
        let service = args
            .folder
            .service_on(vault.get(|| args.folder.vault_or_new())?)?;
        let (vault, zone) = (service.vault.clone(), service.home.settings.zone);
        let reply = match running {
            Some(reply) => reply,
            None => service.run_offline(true, async |handler| {
                let (say, mut said) = mpsc::unbounded_channel();
                let answer = async { handler.answer(request.clone(), &ProgressSender::to(say)).await };
                let show = async {
                    while let Some(progress) = said.recv().await {
                        bars.show(progress);
                    }
                };
                tokio::join!(answer, show).0
            })?,
        };
        Ok((reply, vault, zone))
    })?;
    bars.clear();
    let ControlReply::Imported(health) = reply else {
        return Err(service::unexpected(reply));
    };
    let left_out = left_out::since(&vault)?;
    let asked = if asked.is_empty() {
        AgentName::FOUR.to_vec()
    } else {
        asked
    };
    show(&health, &asked, left_out, args.format, out)?;
    if let Some(at) = left_out.filter(|_| !args.format.json) {
        out.text(&left_out::sentence(at, zone))?;
    }
    match unread(&health) {
        None => Ok(CommandExit::Ok),
        Some(sentence) => Err(CliError::NotThere(sentence)),
    }
}

/// Adds address books to the owner's file: names are never kept, so they are read at each start. Whether a running service takes that up now.
fn allow_contacts(args: &ImportArgs, dir: &Path, more: &[(SourceKind, PathBuf)]) -> Result<bool, CliError> {
    let is_contacts = |named: &&(SourceKind, PathBuf)| named.0 == SourceKind::Contacts;
    let sources: Vec<(SourceKind, PathBuf)> = more.iter().filter(is_contacts).cloned().collect();
    if sources.is_empty() {
        return Ok(false);
    }
    let request = ControlRequest::Allow {
        sources: sources.clone(),
    };
    match service::ask(dir, &request)? {
        Some(ControlReply::Allowed) => Ok(true),
        Some(reply) => Err(service::unexpected(reply)),
        None => match sources::allow(&args.folder.home(), dir, &sources) {
            Ok(()) => Ok(false),
            Err(sources::AllowError::Config(error)) => Err(error.into()),
            Err(sources::AllowError::Write(why)) => Err(CliError::NotThere(why)),
        },
    }
}

/// Whose sources were not all read to their end, in a sentence; `None`: all were.
fn unread(health: &ServiceHealth) -> Option<String> {
    let cut_short = |agent: &AgentName| {
        let left = health.reading.get(agent).is_some_and(|reading| reading.left > 0);
        let skipped = health.skipped.get(agent);
        left || skipped.is_some_and(|skipped| skipped.cut_short > 0)
    };
    let agents: Vec<&str> = AgentName::FOUR
        .into_iter()
        .filter(cut_short)
        .map(AgentName::as_str)
        .collect();
    (!agents.is_empty()).then(|| say!("cli-import-unread", agents = agents.join(", ")))
}

/// The kinds of sources, with what each holds.
fn kinds() -> impl TypedValueParser<Value = SourceKind> {
    one_of(SourceKind::ALL, SourceKind::as_str, |kind| match kind {
        SourceKind::Mail => text("cli-import-kind-mail"),
        SourceKind::Notifications => text("cli-import-kind-notifications"),
        SourceKind::Contacts => text("cli-import-kind-contacts"),
        SourceKind::Calendar => text("cli-import-kind-calendar"),
        SourceKind::Sms => text("cli-import-kind-sms"),
        SourceKind::Finance => text("cli-import-kind-finance"),
        SourceKind::Receipts => text("cli-import-kind-receipts"),
        SourceKind::Wellness => text("cli-import-kind-wellness"),
    })
}

/// What a path is, and where.
fn named(path: &Path, said: Option<SourceKind>) -> Result<(SourceKind, PathBuf), CliError> {
    let there = path.canonicalize().map_err(|source| CliError::Input {
        path: path.to_owned(),
        source,
    })?;
    if let Some(unfit) = sources::unfit(&there) {
        return Err(CliError::Usage(format!(
            "{}: {}",
            path.display(),
            words::unfit_file(unfit)
        )));
    }
    match said.or_else(|| sources::kind_of(&there)) {
        Some(SourceKind::Calendar) => Err(CliError::Usage(text("cli-import-is-calendar").to_owned())),
        Some(kind) => Ok((kind, there)),
        None => Err(CliError::Usage(say!(
            "cli-import-unknown-kind",
            path = path.display().to_string()
        ))),
    }
}

/// A bar for each agent, on a terminal.
struct ProgressBars {
    all: MultiProgress,
    of: BTreeMap<AgentName, ProgressBar>,
}

impl ProgressBars {
    fn new() -> Self {
        let all = MultiProgress::new();
        let style = ProgressStyle::with_template(
            "{msg:<9} {wide_bar} {bytes}/{total_bytes} {binary_bytes_per_sec} {eta}",
        );
        let of = AgentName::FOUR
            .into_iter()
            .map(|agent| {
                let bar = all.add(ProgressBar::new(0)).with_message(agent.as_str());
                let bar = match &style {
                    Ok(style) => bar.with_style(style.clone()),
                    Err(_) => bar,
                };
                (agent, bar)
            })
            .collect();
        Self { all, of }
    }

    fn show(&self, progress: RequestProgress) {
        let RequestProgress::Reading(readings) = progress else {
            return;
        };
        for (agent, bar) in &self.of {
            let reading = readings.get(agent).copied().unwrap_or_default();
            bar.set_length(reading.bytes.saturating_add(reading.left));
            bar.set_position(reading.bytes);
        }
    }

    fn clear(&self) {
        // The terminal may be gone; the result is printed all the same.
        let _ = self.all.clear();
    }
}

fn show(
    health: &ServiceHealth,
    asked: &[AgentName],
    left_out: Option<Timestamp>,
    format: FormatArgs,
    out: &mut CommandOutput,
) -> Result<(), CliError> {
    let of = |agent: AgentName| {
        let reading = health.reading.get(&agent).copied().unwrap_or_default();
        let skipped = health.skipped.get(&agent).cloned().unwrap_or_default();
        (agent, reading, skipped)
    };
    if format.json {
        let agents: BTreeMap<&str, _> = AgentName::FOUR
            .map(of)
            .into_iter()
            .map(|(agent, reading, skipped)| {
                let one = serde_json::json!({
                    "items": reading.items, "bytes": reading.bytes,
                    "skipped": skipped.count, "skips": skipped.last,
                });
                (agent.as_str(), one)
            })
            .collect();
        return out.json(&serde_json::json!({ "agents": agents, "left_out_since": left_out }));
    }
    let rows = AgentName::FOUR.map(of).map(|(agent, reading, skipped)| {
        [
            names::agent(agent).into_owned(),
            reading.items.to_string(),
            indicatif::BinaryBytes(reading.bytes).to_string(),
            skipped.count.to_string(),
        ]
    });
    let head = [
        text("cli-import-column-agent"),
        text("cli-import-column-new-items"),
        text("cli-import-column-read"),
        text("cli-import-column-skipped"),
    ];
    out.table(head, &rows)?;
    let is_untouched = |agent: &AgentName| {
        let (_, reading, skipped) = of(*agent);
        reading.bytes == 0 && reading.items == 0 && skipped.count == 0
    };
    if asked.iter().all(is_untouched) {
        out.text(text("cli-import-nothing"))?;
    }
    let mut for_age = false;
    for (agent, _, skipped) in AgentName::FOUR.map(of) {
        let mut named: u64 = 0;
        for skip in &skipped.last {
            for_age |= is_for_age(&skip.code);
            named += u64::from(skip.count.max(1));
            out.text(&skip_line(agent.as_str(), skip))?;
        }
        let unnamed = skipped.count.saturating_sub(named);
        if unnamed > 0 && named > 0 {
            let agent = names::agent(agent).into_owned();
            out.text(&say!("cli-import-unnamed", agent, count = unnamed))?;
        }
    }
    if for_age {
        out.text(text("cli-import-for-age"))?;
    }
    Ok(())
}

/// What an agent could not read, where, and why.
pub(super) fn skip_line(agent: &str, skip: &SkippedItem) -> String {
    let place = match skip.line {
        Some(line) => say!("cli-import-item-line", item = &skip.item, line = line.to_string()),
        None => skip.item.clone(),
    };
    let many = match skip.count {
        0 | 1 => String::new(),
        count => format!(" ({count})"),
    };
    let agent = names::agent_named(agent);
    let why = name_or_word(&skip.message, || {
        words::skip_reason(&skip.code).unwrap_or(&skip.message)
    });
    format!("{agent}: {} {place}{many}: {why}", skip.code)
}

#[cfg(test)]
mod tests {
    use super::*;
    use aura_platform::health::ReadProgress;

    #[test]
    fn a_source_that_was_not_read_to_its_end_is_said_and_a_bad_item_is_not_one() {
        let skip = |code: &str| SkippedItem {
            code: code.to_owned(),
            item: "some".to_owned(),
            line: None,
            count: 1,
            message: String::new(),
        };
        for (code, left, says) in [
            ("AGENT-010", 0, None),
            ("AGENT-001", 0, Some("(finance)")),
            ("AGENT-002", 0, Some("(finance)")),
            ("AGENT-006", 0, Some("(finance)")),
            ("AGENT-010", 1, Some("(finance)")),
        ] {
            let mut health = ServiceHealth::default();
            health.skipped(AgentName::Finance, 1, vec![skip(code)]);
            let progress = ReadProgress {
                answers: 1,
                left,
                ..ReadProgress::default()
            };
            health.reading.insert(AgentName::Finance, progress);
            let sentence = unread(&health);
            assert_eq!(sentence.is_some(), says.is_some(), "{code} {left}");
            assert!(sentence.unwrap_or_default().contains(says.unwrap_or_default()));
        }
        assert_eq!(unread(&ServiceHealth::default()), None);
    }
}
