//! `aura replay`: a recorded day, or the journal of a data folder, again.
//!
//! What: plays a folder with `day.toml` through the real actors, or folds a data folder's journal through the machine, and
//! prints one trace per tick. Why: every decision can be made again to the same bytes. Not here: playing (`day`).

use super::{
    args::{Format, HomeFile},
    error::CliError,
    exit::Exit,
    out::Out,
    service::show,
};
use crate::{
    config::Home,
    day::{PlayError, Script, differences},
    wiring::WiringError,
};
use aura_memory::{Installation, Reader, demo};
use clap::Args;
use orchestrator_machine::{Effect, Env, Event, State, policy::Policy, step};
use std::path::{Path, PathBuf};
use toolcall_schema::ids::OwnerSeed;

/// Play a recorded day, or a data folder's journal, again.
#[derive(Debug, Clone, Args)]
pub struct ReplayArgs {
    /// A folder with day.toml, or a data folder.
    path: PathBuf,
    /// Keep what the day writes in this folder (it must be new); else it is thrown away.
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
    #[command(flatten)]
    home: HomeFile,
    #[command(flatten)]
    format: Format,
}

/// Runs `aura replay`. A day that differs from its `expected.json` ends with 1.
///
/// # Errors
/// A folder that cannot be read, named by file and line.
pub fn run(args: &ReplayArgs, out: &mut Out) -> Result<Exit, CliError> {
    if !args.path.join("day.toml").exists() {
        return journal(args, out);
    }
    let script = Script::read(&args.path)?;
    let traces = match &args.keep {
        Some(dir) if dir.exists() => {
            return Err(CliError::Usage(format!(
                "{} exists; --keep needs a new folder",
                dir.display()
            )));
        }
        Some(dir) => script.play(dir)?,
        None => {
            let dir = Temporary::new()?;
            script.play(&dir.0)?
        }
    };
    for trace in &traces {
        show(trace, args.format.json, out)?;
    }
    let Some(expected) = &script.day.expected else {
        return Ok(Exit::Ok);
    };
    let wrong = differences(expected, &traces);
    for line in &wrong {
        tracing::error!("{line}");
    }
    if wrong.is_empty() {
        tracing::info!(ticks = traces.len(), "as expected");
        Ok(Exit::Ok)
    } else {
        Ok(Exit::Bad)
    }
}

/// Rebuilds the traces of a data folder from its journal alone.
fn journal(args: &ReplayArgs, out: &mut Out) -> Result<Exit, CliError> {
    let dir = &args.path;
    let reader = Reader::open(dir)?;
    let events = reader.events(1, u64::MAX)?;
    let home = Home::load(&args.home.path())?;
    let seed = seed_of(dir, &home)?;
    let mut state: Option<State> = None;
    let mut env: Option<Env> = None;
    for row in events {
        let event: Event = serde_json::from_str(&row.json)
            .map_err(|source| PlayError::from(WiringError::Journal { seq: row.seq, source }))?;
        if let orchestrator_machine::What::Started {
            policy_hash,
            catalogue_hash,
            ..
        } = &event.what
        {
            let text = reader.policy(policy_hash)?.ok_or_else(|| {
                CliError::NotThere(format!(
                    "the policy {policy_hash} of event {} is not in the store",
                    row.seq
                ))
            })?;
            let policy = Policy::parse(&text).map_err(|source| crate::config::ConfigError::Policy {
                path: dir.clone(),
                source: Box::new(source),
            })?;
            env = Some(Env {
                policy,
                settings: home.settings.clone(),
                seed: seed.clone(),
                catalogue_hash: catalogue_hash.clone(),
            });
        }
        let Some(env) = &env else { continue };
        let before = state.take().unwrap_or_else(|| State::new(env, event.at));
        let (after, effects) = step(env, before, event);
        state = Some(after);
        for effect in effects {
            if let Effect::KeepTrace(trace) = effect {
                show(&trace, args.format.json, out)?;
            }
        }
    }
    Ok(Exit::Ok)
}

/// The seed that the folder's ids derive from: a demo's is its household's.
fn seed_of(dir: &Path, home: &Home) -> Result<OwnerSeed, CliError> {
    if let (Some(seed), true) = (&home.seed, demo::is_marked(dir)) {
        return Ok(OwnerSeed::of_day(seed));
    }
    let installation = Installation::load(dir)?;
    let missing = || {
        CliError::NotThere(format!(
            "{} has no key, so its ids cannot be made again",
            dir.display()
        ))
    };
    Ok(installation.ok_or_else(missing)?.seed().clone())
}

/// A folder that is removed when it is dropped.
struct Temporary(PathBuf);

impl Temporary {
    fn new() -> Result<Self, CliError> {
        let dir = std::env::temp_dir().join(format!("aura-replay-{}", uuid::Uuid::new_v4().simple()));
        std::fs::create_dir(&dir)?;
        Ok(Self(dir))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir_all(&self.0) {
            tracing::warn!(%error, "a temporary folder could not be removed");
        }
    }
}
