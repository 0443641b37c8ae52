//! The arguments of `aura quarantine`.
//!
//! What: one struct a command, for clap. Why: in a file of their own, being many. Not here: which lines they mean
//! (`select`), what a command does (its file beside this one).

use super::select::{LineSelector, TimeBound, span_ms};
use crate::args::{DataDir, FormatArgs, one_of};
use aura_memory::quarantine::LOST;
use clap::{Args, Subcommand, builder::TypedValueParser};
use std::path::PathBuf;
use surfaces_base::language::{self, say};
use toolcall_schema::{AgentName, Code, QuarantineKind};

/// `aura quarantine`
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum QuarantineCommand {
    /// What was refused, oldest first
    List(QuarantineListArgs),
    /// One line of it with what was refused
    Show(QuarantineShowArgs),
    /// How much was refused: by code, agent, tool and day, and what it takes on the disk
    Stats(QuarantineStatsArgs),
    /// What would pass the gate of today; nothing is done. Exit code 1 when any is still refused
    Replay(QuarantineReplayArgs),
    /// Remove old lines, by the running service or on a stopped folder
    Purge(QuarantinePurgeArgs),
}

/// Which of the four quarantines.
fn kinds() -> impl TypedValueParser<Value = QuarantineKind> {
    one_of(QuarantineKind::ALL, QuarantineKind::as_str, |kind| match kind {
        QuarantineKind::Calls => "Tool calls, by the gate",
        QuarantineKind::Results => "Results of tools, by their schema",
        QuarantineKind::Traces => "Traces, by `trace.v1`",
        QuarantineKind::Messages => "What programs of yours said, by their protocol",
    })
}

/// Which lines.
#[derive(Debug, Clone, Args)]
pub(crate) struct FilterArgs {
    /// Only those with this code, e.g. GATE-009
    #[arg(long, value_name = "CODE", value_parser = code)]
    pub code: Option<String>,
    /// Only those of this agent
    #[arg(long, value_name = "AGENT", value_parser = agent)]
    pub agent: Option<AgentName>,
    /// Only those of this program, by its manifest's name
    #[arg(long, value_name = "NAME")]
    pub program: Option<String>,
    /// Only those from then on: RFC 3339, or so long ago as 90s, 15m, 1h, 2d, 1w
    #[arg(long, value_name = "TIME", value_parser = TimeBound::parse)]
    pub since: Option<TimeBound>,
    /// Only those up to then, as --since
    #[arg(long, value_name = "TIME", value_parser = TimeBound::parse)]
    pub until: Option<TimeBound>,
}

fn code(text: &str) -> Result<String, String> {
    let of_a_program = ["PROGRAM-", "ARTIFACT-"]
        .iter()
        .any(|family| text.starts_with(family));
    if text == LOST || of_a_program || Code::parse(text).is_some() {
        Ok(text.to_owned())
    } else {
        Err(language::text("cli-quarantine-no-such-code").to_owned())
    }
}

fn agent(text: &str) -> Result<AgentName, String> {
    AgentName::parse(text).ok_or_else(|| {
        let names: Vec<&str> = AgentName::ALL.iter().map(|agent| agent.as_str()).collect();
        say!("cli-quarantine-no-such-agent", names = names.join(", "))
    })
}

/// `aura quarantine list`
#[derive(Debug, Clone, Args)]
pub(crate) struct QuarantineListArgs {
    /// What was refused
    #[arg(long, value_parser = kinds(), default_value_t = QuarantineKind::Calls)]
    pub kind: QuarantineKind,
    #[command(flatten)]
    pub filter: FilterArgs,
    /// Only the newest N of them
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub limit: Option<u32>,
    /// Then show new ones as they come, until Ctrl-C; looks twice a second
    #[arg(long)]
    pub follow: bool,
    #[command(flatten)]
    pub data: DataDir,
    #[command(flatten)]
    pub format: FormatArgs,
}

/// `aura quarantine show`
#[derive(Debug, Clone, Args)]
pub(crate) struct QuarantineShowArgs {
    /// The number of the line, from 1, the first 6 or more digits of its sha256, or `last`
    #[arg(value_name = "N|SHA", value_parser = LineSelector::parse)]
    pub line: LineSelector,
    /// What was refused
    #[arg(long, value_parser = kinds(), default_value_t = QuarantineKind::Calls)]
    pub kind: QuarantineKind,
    #[command(flatten)]
    pub data: DataDir,
    #[command(flatten)]
    pub format: FormatArgs,
}

/// `aura quarantine stats`
#[derive(Debug, Clone, Args)]
pub(crate) struct QuarantineStatsArgs {
    #[command(flatten)]
    pub data: DataDir,
    #[command(flatten)]
    pub format: FormatArgs,
}

/// `aura quarantine replay`
#[derive(Debug, Clone, Args)]
pub(crate) struct QuarantineReplayArgs {
    /// Only these: numbers, the first 6 or more digits of their sha256, or `last`
    #[arg(value_name = "N|SHA", value_parser = LineSelector::parse)]
    pub lines: Vec<LineSelector>,
    /// What was refused
    #[arg(long, value_parser = kinds(), default_value_t = QuarantineKind::Calls)]
    pub kind: QuarantineKind,
    #[command(flatten)]
    pub filter: FilterArgs,
    /// Also write each named call as the smallest file that is refused in the same way, with what is expected beside it
    #[arg(
        long,
        value_name = "DIR",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "fixtures/rejections",
        requires = "lines"
    )]
    pub as_fixture: Option<PathBuf>,
    #[command(flatten)]
    pub data: DataDir,
    #[command(flatten)]
    pub format: FormatArgs,
}

/// `aura quarantine purge`
#[derive(Debug, Clone, Args)]
pub(crate) struct QuarantinePurgeArgs {
    /// How old, e.g. 30d, 12h, 2w
    #[arg(long, value_name = "AGE", value_parser = span_ms)]
    pub older_than: i64,
    /// Only say what would go
    #[arg(long)]
    pub dry_run: bool,
    #[command(flatten)]
    pub data: DataDir,
    #[command(flatten)]
    pub format: FormatArgs,
}
