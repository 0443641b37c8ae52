//! `aura quarantine`: what was refused.
//!
//! What: the lines of one quarantine, now and as they come, one of them whole, purging; `stats` and `replay` beside this
//! file. Why: the operator sees which calls were refused and why. Not here: the files (`aura_memory::quarantine`); making
//! text from outside harmless, which [`CommandOutput`] does for everything.

pub(crate) mod args;
mod fixture;
mod replay;
mod select;
pub(super) mod stats;
mod words;

use super::{
    error::CliError,
    exit::CommandExit,
    line::{OpenOnce, in_line},
    out::CommandOutput,
    service,
};
use args::{QuarantineCommand, QuarantineListArgs, QuarantinePurgeArgs, QuarantineShowArgs};
use aura_memory::{
    StoreError, StoreReader,
    quarantine::{QuarantineLine, QuarantineReader, purge_stopped},
};
use aura_platform::{clock::Clock, retention_clock::FolderTime};
use aura_runtime::control::{ControlReply, ControlRequest};
use chrono_tz::Tz;
use select::LineFilter;
use std::{collections::VecDeque, time::Duration};
use surfaces_base::language::{say, text};

/// How often `list --follow` looks for new lines.
const FOLLOW_EVERY: Duration = Duration::from_millis(500);

/// Runs `aura quarantine …`.
///
/// # Errors
/// [`CliError`] when the folder or the file cannot be read, or has no such line.
pub(crate) fn run(command: &QuarantineCommand, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    match command {
        QuarantineCommand::List(args) => list(args, out),
        QuarantineCommand::Show(args) => show(args, out),
        QuarantineCommand::Stats(args) => stats::run(args, out),
        QuarantineCommand::Replay(args) => replay::run(args, out),
        QuarantineCommand::Purge(args) => purge(args, out),
    }
}

/// Prints lines as they are read: the files may be long.
struct LinePrinter<'a> {
    out: &'a mut CommandOutput,
    json: bool,
    any: bool,
}

impl LinePrinter<'_> {
    fn line(&mut self, n: u64, line: &QuarantineLine) -> Result<(), CliError> {
        if self.json {
            return self.out.json(&words::document(n, line));
        }
        if !std::mem::replace(&mut self.any, true) {
            self.out.text(&words::head())?;
        }
        self.out.text(&words::summary(n, line))
    }
}

fn list(args: &QuarantineListArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let filter = LineFilter::new(&args.filter, Clock::real(None).wall());
    let mut lines = QuarantineReader::open(&args.data.path()?, args.kind)?;
    let mut printer = LinePrinter {
        out,
        json: args.format.json,
        any: false,
    };
    let mut newest = VecDeque::new();
    loop {
        let next = lines.next_line()?;
        // Who follows waits for the rest of an unfinished line.
        let next = if args.follow {
            next
        } else {
            next.or_else(|| lines.torn())
        };
        let Some((n, line)) = next else { break };
        if !filter.admits(&line) {
            continue;
        }
        let Some(limit) = args.limit else {
            printer.line(n, &line)?;
            continue;
        };
        newest.push_back((n, line));
        if newest.len() > limit as usize {
            newest.pop_front();
        }
    }
    for (n, line) in newest {
        printer.line(n, &line)?;
    }
    if args.follow {
        loop {
            while let Some((n, line)) = lines.next_line()? {
                if filter.admits(&line) {
                    printer.line(n, &line)?;
                }
            }
            std::thread::sleep(FOLLOW_EVERY);
        }
    }
    if !printer.any && !args.format.json {
        out.text(if filter == LineFilter::default() {
            text("cli-quarantine-nothing")
        } else {
            text("cli-quarantine-nothing-of-that")
        })?;
    }
    Ok(CommandExit::Ok)
}

fn show(args: &QuarantineShowArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let (n, line) = args.line.find(&args.data.path()?, args.kind)?;
    if args.format.json {
        out.json(&words::document(n, &line))?;
        return Ok(CommandExit::Ok);
    }
    match &line {
        QuarantineLine::Entry(entry) => out.finding(&words::whole(entry))?,
        QuarantineLine::Lost(_) | QuarantineLine::Unreadable { .. } | QuarantineLine::Torn { .. } => {
            out.text(&words::summary(n, &line))?;
        }
    }
    Ok(CommandExit::Ok)
}

/// The one who writes the files removes from them: the service if one runs, else this process under the folder's lock.
fn purge(args: &QuarantinePurgeArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let dir = args.data.path()?;
    let request = ControlRequest::QuarantinePurge {
        older_than_ms: args.older_than,
        dry_run: args.dry_run,
    };
    let mut vault = OpenOnce::default();
    let purged = in_line(|| match service::ask(&dir, &request)? {
        Some(ControlReply::QuarantinePurged(purged)) => Ok(purged),
        Some(other) => Err(service::unexpected(other)),
        None => {
            let kept = match vault
                .get(|| args.data.vault_if_any())?
                .map(|vault| StoreReader::open(&vault))
            {
                None | Some(Err(StoreError::Missing { .. })) => None,
                Some(reader) => reader?.confirmed_time()?,
            };
            let time = FolderTime::look(&Clock::real(None), Tz::UTC, kept.as_deref(), None);
            let older = time.older_than(args.older_than);
            Ok(purge_stopped(&dir, older, args.dry_run)?)
        }
    })?;
    if args.format.json {
        out.json(&serde_json::json!({ "dry_run": args.dry_run, "purged": purged }))?;
    } else {
        let (lines, bytes, files) = (purged.lines, purged.bytes, purged.files);
        out.text(&if args.dry_run {
            say!("cli-quarantine-would-purge", lines, bytes, files)
        } else {
            say!("cli-quarantine-purged", lines, bytes, files)
        })?;
    }
    Ok(CommandExit::Ok)
}
