//! `aura selftest`: what this build promises, tried here.
//!
//! `crash` kills recorded days at every write and prints what was lost, so that the guarantee can be checked on this machine; the others
//! are carried out by `aura-lab`. Not here: what is tried (`aura_days::crash`).

use super::{
    args::FormatArgs, error::CliError, exit::CommandExit, lab::LabArgs, out::CommandOutput,
    temporary::TemporaryFolder,
};
use aura_days::{
    crash::{CrashDay, CrashReport},
    day::PlayError,
};
use aura_runtime::demo::UnreadableFile;
use clap::{Args, Subcommand};
use std::{
    io::{IsTerminal as _, Write as _},
    path::{Path, PathBuf},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use surfaces_base::{
    language::{Language, say, text},
    locale,
};

/// `aura selftest`
#[derive(Debug, Clone, Subcommand)]
pub enum SelftestCommand {
    /// Kill recorded days at every write, go on, and count what was lost
    Crash(CrashArgs),
    /// Hurt every part of a living service under load, its disk and its clock too, and count what was lost
    Chaos(LabArgs),
    /// Play recorded days without a model and with scripted, random and hostile ones: only the sentence may differ
    ModelSwap(LabArgs),
}

/// `aura selftest crash`
#[derive(Debug, Clone, Args)]
pub struct CrashArgs {
    /// The recorded days: folders with day.toml
    #[arg(long, value_name = "DIR", default_value = "fixtures/days")]
    days: PathBuf,
    /// Only every N-th point
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    every: u32,
    /// Where the data folders of the points are made and removed [default: /dev/shm, else the temporary folder]
    #[arg(long, value_name = "DIR")]
    scratch: Option<PathBuf>,
    #[command(flatten)]
    format: FormatArgs,
}

/// Runs `aura selftest`. Anything lost or different ends with 1.
///
/// # Errors
/// A folder without recorded days, or that cannot be read or written.
pub fn run(command: &SelftestCommand, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    match command {
        SelftestCommand::Crash(args) => crash(args, out),
        SelftestCommand::Chaos(args) => args.run(&["selftest", "chaos"]),
        SelftestCommand::ModelSwap(args) => args.run(&["selftest", "model-swap"]),
    }
}

fn crash(args: &CrashArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    if cfg!(debug_assertions) {
        tracing::warn!("a debug build: this takes long");
    }
    let folders = day_folders(&args.days)?;
    // A day is recorded in English, whoever plays it.
    let days: Vec<CrashDay> = locale::speaking(Language::English, || {
        folders
            .iter()
            .map(|path| CrashDay::read(path))
            .collect::<Result<_, _>>()
    })?;
    let scratch = scratch(args.scratch.as_deref())?;
    let report = walk(&days, usize::try_from(args.every).unwrap_or(1), scratch.path())?;
    if args.format.json {
        out.json(&report)?;
    } else {
        let rows = [
            (text("cli-selftest-points"), report.points),
            (text("cli-selftest-lost-confirms"), report.lost_confirms),
            (text("cli-selftest-double-actions"), report.double_actions),
            (text("cli-selftest-free-interruptions"), report.free_interruptions),
            (text("cli-selftest-lost-traces"), report.lost_traces),
            (text("cli-selftest-unmade-traces"), report.unmade_traces),
            (text("cli-selftest-unknown-not-said"), report.unknown_not_said),
            (text("cli-selftest-lost-drafts"), report.lost_drafts),
            (text("cli-selftest-failed-starts"), report.failed_starts),
        ];
        out.table(["", ""], &rows.map(|(what, n)| [what.to_owned(), n.to_string()]))?;
    }
    for line in &report.wrong {
        tracing::error!("{line}");
    }
    Ok(if report.is_good() {
        CommandExit::Ok
    } else {
        CommandExit::Bad
    })
}

/// The recorded days of a folder, by name.
///
/// # Errors
/// The folder cannot be read, or holds none.
pub fn day_folders(dir: &Path) -> Result<Vec<PathBuf>, CliError> {
    let unreadable = |source| {
        PlayError::from(UnreadableFile {
            path: dir.to_owned(),
            source,
        })
    };
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(dir).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.join("day.toml").exists() {
            paths.push(path);
        }
    }
    paths.sort();
    if paths.is_empty() {
        return Err(unreadable(std::io::ErrorKind::NotFound.into()).into());
    }
    Ok(paths)
}

/// All points on all cores.
fn walk(days: &[CrashDay], every: usize, scratch: &Path) -> Result<CrashReport, CliError> {
    let points: Vec<(&CrashDay, usize)> = days
        .iter()
        .flat_map(|day| (0..day.points()).map(move |point| (day, point)))
        .step_by(every)
        .collect();
    let (next, sum) = (AtomicUsize::new(0), Mutex::new(Ok(CrashReport::default())));
    let cores = std::thread::available_parallelism().map_or(1, Into::into);
    let bar = std::io::stderr().is_terminal();
    let reader = locale::current();
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                while let Some((day, point)) = points.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let tried = day.try_point(*point, scratch);
                    let mut sum = sum.lock().unwrap_or_else(PoisonError::into_inner);
                    match (&mut *sum, tried) {
                        (Ok(sum), Ok(report)) => {
                            sum.add(report);
                            if bar && sum.points % 100 == 0 {
                                // A bar that cannot be drawn is none.
                                let (done, of) = (sum.points, points.len());
                                let says =
                                    locale::speaking(reader, || say!("cli-selftest-progress", done, of));
                                let _ = write!(std::io::stderr(), "\r{says}");
                            }
                        }
                        (Ok(_), Err(error)) => *sum = Err(error),
                        (Err(_), _) => return,
                    }
                }
            });
        }
    });
    if bar {
        let _ = writeln!(std::io::stderr());
    }
    Ok(sum.into_inner().unwrap_or_else(PoisonError::into_inner)?)
}

/// A temporary folder for recorded days: in memory where there is such a place, because nothing that is tried on them needs a slow disk.
///
/// # Errors
/// When it cannot be made.
pub fn scratch(named: Option<&Path>) -> Result<TemporaryFolder, CliError> {
    let memory = Path::new("/dev/shm");
    TemporaryFolder::new(named.or_else(|| memory.is_dir().then_some(memory)))
}
