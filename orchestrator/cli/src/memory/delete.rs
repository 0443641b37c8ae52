//! `aura memory delete` and `purge`.
//!
//! What: forgetting, and letting go of what was kept long enough. Why: what the owner wants gone is gone from everywhere that Aura
//! writes, and is seen before it goes. Not here: doing it (`aura_runtime::deletion`, in a running service `aura_runtime::removing`).

use super::{
    super::{
        error::CliError,
        exit::CommandExit,
        line::in_line,
        moments::{instant, midnight},
        out::CommandOutput,
        records::local,
        service,
        sure::sure,
    },
    look::{FolderSelection, key},
};
use aura_memory::{Store, StoreOptions, Vault, erase::RemovedCounts, graph::NodeKey};
use aura_platform::{clock::Clock, retention_clock::ClockReport};
use aura_runtime::{
    config::HomeConfig,
    control::{ControlReply, ControlRequest, DeletionRequest},
    deletion, erase, housekeeping,
    journal::ReplayContext,
    removing::{self, RemovalOutcome},
};
use chrono::{Days, NaiveDate};
use chrono_tz::Tz;
use clap::Args;
use serde_json::json;
use surfaces_base::language::{say, text};
use toolcall_schema::{
    Timestamp,
    forget::{ErasureScope, MeasuredKind, THING_MIN},
};

/// `aura memory delete`
#[derive(Debug, Clone, Args)]
#[command(group = clap::ArgGroup::new("what").required(true).multiple(true))]
pub(crate) struct DeleteArgs {
    /// Keys to forget. A person takes along the chats nobody else wrote in; a merchant its payments; a trace its action
    #[arg(value_parser = key, group = "what", conflicts_with = "everything")]
    keys: Vec<NodeKey>,
    /// From then on: RFC 3339, a local date, or a local time as `2026-11-03 08:15`
    #[arg(long, value_name = "TIME", group = "what", conflicts_with = "everything")]
    from: Option<String>,
    /// Until before then, in the same ways [default: now]
    #[arg(long, value_name = "TIME", requires = "from")]
    to: Option<String>,
    /// One local day
    #[arg(long, value_name = "YYYY-MM-DD", group = "what", conflicts_with_all = ["from", "everything"])]
    day: Option<NaiveDate>,
    /// Everything measured of one kind, with what was decided by it: sleep, load, `heart_rate_variability`, `resting_heart_rate` or `phone_use`
    #[arg(long, value_name = "KIND", value_parser = parse_measured, group = "what", conflicts_with = "everything")]
    measured: Vec<MeasuredKind>,
    /// All of it
    #[arg(long, group = "what")]
    everything: bool,
    /// Only say what would go
    #[arg(long)]
    dry_run: bool,
    /// Do not ask
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    on: FolderSelection,
}

/// `aura memory purge`
#[derive(Debug, Clone, Args)]
pub(crate) struct MemoryPurgeArgs {
    /// Only say what would go
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    on: FolderSelection,
}

/// Runs `aura memory delete`.
///
/// # Errors
/// Nothing has gone when the service or the folder cannot be used.
pub(super) fn run(args: &DeleteArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let home = args.on.home()?;
    let vault = args.on.data.vault()?;
    let zone = erase::zone(&vault, home.as_ref());
    let what = args.deletion(zone)?;
    let json = args.on.format.json;
    let place = DeletionTarget { vault: &vault, home };
    if args.dry_run {
        say(RemovalStage::WouldGo, &place.would_go(&what, zone)?, json, out)?;
        return Ok(CommandExit::Ok);
    }
    if !args.yes && !json {
        say(RemovalStage::Goes, &place.would_go(&what, zone)?, false, out)?;
    }
    if !sure(args.yes, json, &args.question(zone), out)? {
        out.text(text("cli-memory-nothing-removed"))?;
        return Ok(CommandExit::Bad);
    }
    say(RemovalStage::Gone, &place.delete(&what, zone)?, json, out)?;
    if !json {
        out.text(text("cli-memory-own-folders-stay"))?;
    }
    Ok(CommandExit::Ok)
}

/// A data folder, with a service on it or without one.
struct DeletionTarget<'a> {
    vault: &'a Vault,
    home: Option<HomeConfig>,
}

impl DeletionTarget<'_> {
    fn known(&self) -> ReplayContext {
        ReplayContext::for_folder(self.vault, self.home.as_ref())
    }

    fn would_go(&self, what: &DeletionRequest, zone: Tz) -> Result<RemovedCounts, CliError> {
        let request = ControlRequest::Delete {
            what: what.clone(),
            dry_run: true,
        };
        if let Some((removed, _)) = removed(self.vault, &request)? {
            return Ok(removed);
        }
        let forget = removing::forget_of(self.vault, what)?;
        let now = Clock::real(None).wall();
        Ok(deletion::count(self.vault, &self.known(), &forget, now, zone)?)
    }

    fn delete(&self, what: &DeletionRequest, zone: Tz) -> Result<RemovedCounts, CliError> {
        let request = ControlRequest::Delete {
            what: what.clone(),
            dry_run: false,
        };
        in_line(|| {
            if let Some((removed, _)) = removed(self.vault, &request)? {
                return Ok(removed);
            }
            let (store, _) = Store::open(self.vault, StoreOptions::default())?;
            let forget = removing::forget_of(self.vault, what)?;
            Ok(deletion::on_stopped(&store, &self.known(), &forget, zone)?)
        })
    }

    fn purge(&self, dry_run: bool) -> Result<(RemovedCounts, Option<ClockReport>), CliError> {
        let retention = self.home.as_ref().map(|home| home.retention).unwrap_or_default();
        let clock = Clock::real(None);
        in_line(|| {
            if let Some(gone) = removed(self.vault, &ControlRequest::Purge { dry_run })? {
                return Ok(gone);
            }
            let (known, zone) = (self.known(), erase::zone(self.vault, self.home.as_ref()));
            if dry_run {
                let time = housekeeping::folder_time(self.vault, &known, zone, &clock)?;
                let removed = housekeeping::count_old(self.vault, &retention, &time.ageing())?;
                return Ok((removed, Some(time.report())));
            }
            let (store, _) = Store::open(self.vault, StoreOptions::default())?;
            let (removed, report) = housekeeping::on_stopped(&store, &known, zone, &retention, &clock)?;
            Ok((removed, Some(report)))
        })
    }
}

/// Has the service that runs on the folder remove things; `None`: none runs there.
fn removed(vault: &Vault, request: &ControlRequest) -> Result<Option<RemovalOutcome>, CliError> {
    match service::ask_patiently(vault.dir(), request)? {
        Some(ControlReply::Removed { removed, clock }) => Ok(Some((removed, clock))),
        Some(other) => Err(service::unexpected(other)),
        None => Ok(None),
    }
}

impl DeleteArgs {
    fn deletion(&self, zone: Tz) -> Result<DeletionRequest, CliError> {
        let span = match (&self.from, self.day) {
            _ if self.everything => ErasureScope::everything().span,
            (Some(from), _) => {
                let to = match &self.to {
                    Some(to) => moment(to, zone)?,
                    None => Clock::real(None).wall(),
                };
                ErasureScope::within(moment(from, zone)?, to).span
            }
            (None, Some(day)) => {
                let next = day.checked_add_days(Days::new(1)).unwrap_or(day);
                let ends = midnight(day, zone).zip(midnight(next, zone));
                ends.and_then(|(from, to)| ErasureScope::within(from, to).span)
            }
            (None, None) => None,
        };
        if span.is_some_and(|span| span.to <= span.from) {
            return Err(CliError::Usage(text("cli-memory-to-not-after-from").to_owned()));
        }
        if let Some(key) = self.keys.iter().find(|key| key.as_str().len() < THING_MIN) {
            return Err(CliError::Usage(say!(
                "cli-memory-key-too-short",
                key = key.to_string()
            )));
        }
        Ok(DeletionRequest {
            keys: self.keys.clone(),
            span,
            measured: self.measured.iter().copied().collect(),
        })
    }

    fn question(&self, zone: Tz) -> String {
        let what = if self.everything {
            text("cli-memory-everything").to_owned()
        } else {
            let mut what: Vec<String> = self.keys.iter().map(ToString::to_string).collect();
            let measured = self.measured.iter();
            what.extend(measured.map(|kind| say!("cli-memory-all-measured", kind = kind.to_string())));
            what.extend(self.day.map(|day| {
                say!(
                    "cli-memory-the-day",
                    day = day.to_string(),
                    zone = zone.to_string()
                )
            }));
            what.extend(self.from.as_ref().map(|from| {
                let to = self.to.as_deref().unwrap_or(text("cli-memory-now"));
                say!("cli-memory-the-time", from, to, zone = zone.to_string())
            }));
            what.join(text("cli-memory-and"))
        };
        say!("cli-memory-type-yes", what)
    }
}

fn parse_measured(text: &str) -> Result<MeasuredKind, String> {
    MeasuredKind::parse(text).ok_or_else(|| {
        let known: Vec<&str> = MeasuredKind::ALL.iter().map(|kind| kind.as_str()).collect();
        say!("cli-memory-one-of", known = known.join(", "))
    })
}

/// A moment that was named; a date is its midnight.
fn moment(text: &str, zone: Tz) -> Result<Timestamp, CliError> {
    let today = Clock::real(None).wall().utc().with_timezone(&zone).date_naive();
    let named = match text.parse::<NaiveDate>() {
        Ok(day) => midnight(day, zone),
        Err(_) => instant(text, today, zone),
    };
    named.ok_or_else(|| CliError::Usage(say!("cli-memory-no-moment", text = format!("{text:?}"))))
}

/// Runs `aura memory purge`.
///
/// # Errors
/// The service or the folder cannot be used.
pub(super) fn purge(args: &MemoryPurgeArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let place = DeletionTarget {
        vault: &args.on.data.vault()?,
        home: args.on.home()?,
    };
    let (removed, time) = place.purge(args.dry_run)?;
    let stage = if args.dry_run {
        RemovalStage::WouldGo
    } else {
        RemovalStage::Gone
    };
    say(stage, &removed, args.on.format.json, out)?;
    if let Some(time) = time.filter(|_| !args.on.format.json) {
        let zone = erase::zone(place.vault, place.home.as_ref());
        out.text(&say!(
            "cli-memory-kept-long-enough",
            at = local(time.confirmed, zone)
        ))?;
        if let Some(why) = super::super::clock::waits(&time, zone) {
            out.text(&why)?;
        }
    }
    Ok(CommandExit::Ok)
}

/// How far a removal is.
#[derive(Clone, Copy)]
enum RemovalStage {
    WouldGo,
    Goes,
    Gone,
}

impl RemovalStage {
    fn as_str(self) -> &'static str {
        match self {
            Self::WouldGo => "would_go",
            Self::Goes => "goes",
            Self::Gone => "gone",
        }
    }
}

fn say(
    stage: RemovalStage,
    removed: &RemovedCounts,
    json: bool,
    out: &mut CommandOutput,
) -> Result<(), CliError> {
    if json {
        return out.json(&json!({ stage.as_str(): removed }));
    }
    let counted = removed.0.iter();
    let counted: Vec<String> = counted.map(|(sort, count)| counted_sort(sort, *count)).collect();
    let what = if counted.is_empty() {
        text("cli-memory-nothing").to_owned()
    } else {
        counted.join(", ")
    };
    out.text(&match stage {
        RemovalStage::WouldGo => say!("cli-memory-would-go", what),
        RemovalStage::Goes => say!("cli-memory-goes", what),
        RemovalStage::Gone => say!("cli-memory-gone", what),
    })
}

fn counted_sort(sort: &str, count: u64) -> String {
    match sort {
        "nodes" => say!("cli-memory-count-nodes", count),
        "measurements" => say!("cli-memory-count-measurements", count),
        "agents' notes" => say!("cli-memory-count-notes", count),
        "edges" => say!("cli-memory-count-edges", count),
        "labels" => say!("cli-memory-count-labels", count),
        "decisions" => say!("cli-memory-count-decisions", count),
        "traces" => say!("cli-memory-count-traces", count),
        "ledger rows" => say!("cli-memory-count-ledger-rows", count),
        "drafts" => say!("cli-memory-count-drafts", count),
        "runs" => say!("cli-memory-count-runs", count),
        "quarantine lines" => say!("cli-memory-count-quarantine-lines", count),
        "events" => say!("cli-memory-count-events", count),
        "damaged stores" => say!("cli-memory-count-damaged-stores", count),
        other => format!("{count} {other}"),
    }
}
