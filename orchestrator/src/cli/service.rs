//! `aura tick`, `aura status`, `aura stop`: commands to a running service.
//!
//! What: asks over the control socket; `tick` also works on a folder without a service. Why: one data folder, one
//! process. Not here: the socket (`control`), the service (`service`).

use super::{
    args::{DataDir, Format, HomeFile},
    error::CliError,
    exit::Exit,
    out::Out,
    run::policy_text,
};
use crate::{
    config::Home,
    control::{self, Reply, Request},
    service,
};
use clap::Args;
use std::path::{Path, PathBuf};
use toolcall_schema::trace::Trace;

/// Look now: one tick, and its trace.
#[derive(Debug, Clone, Args)]
pub struct TickArgs {
    #[command(flatten)]
    home: HomeFile,
    #[command(flatten)]
    data: DataDir,
    /// Another policy than the built-in one, for a folder without a running service.
    #[arg(long, value_name = "FILE", env = "AURA_POLICY")]
    policy: Option<PathBuf>,
    #[command(flatten)]
    format: Format,
}

/// How the running service is.
#[derive(Debug, Clone, Args)]
pub struct StatusArgs {
    #[command(flatten)]
    data: DataDir,
    #[command(flatten)]
    format: Format,
}

/// End the running service.
#[derive(Debug, Clone, Args)]
pub struct StopArgs {
    #[command(flatten)]
    data: DataDir,
    #[command(flatten)]
    format: Format,
}

/// Runs `aura tick`.
///
/// # Errors
/// Configuration, data folder, a service that does not answer.
pub fn tick(args: &TickArgs, out: &mut Out) -> Result<Exit, CliError> {
    let dir = args.data.path()?;
    let trace = match ask(&dir, Request::Tick)? {
        Some(Reply::Trace(trace)) => *trace,
        Some(other) => return Err(unexpected(other)),
        None => {
            let service = service::Service {
                mode: service::Mode::Run,
                home: Home::load(&args.home.path())?,
                policy_text: policy_text(args.policy.as_deref())?,
                dir,
                port: 0,
            };
            service.tick_once()?
        }
    };
    show(&trace, args.format.json, out)?;
    Ok(Exit::Ok)
}

/// Runs `aura status`.
///
/// # Errors
/// No service, or one that does not answer.
pub fn status(args: &StatusArgs, out: &mut Out) -> Result<Exit, CliError> {
    let dir = args.data.path()?;
    match ask(&dir, Request::Status)? {
        Some(Reply::Status(status)) if args.format.json => out.json(&status)?,
        Some(Reply::Status(status)) => {
            let fields = status.as_object().into_iter().flatten();
            let rows: Vec<[String; 2]> = fields.map(|(key, value)| [key.clone(), plain(value)]).collect();
            out.table(["what", "now"], &rows)?;
        }
        Some(other) => return Err(unexpected(other)),
        None => return Err(not_running(&dir)),
    }
    Ok(Exit::Ok)
}

/// Runs `aura stop`.
///
/// # Errors
/// No service, or one that does not answer.
pub fn stop(args: &StopArgs, out: &mut Out) -> Result<Exit, CliError> {
    let dir = args.data.path()?;
    match ask(&dir, Request::Stop)? {
        Some(Reply::Stopping) if args.format.json => out.json(&serde_json::json!({ "stopping": true }))?,
        Some(Reply::Stopping) => out.text("stopping")?,
        Some(other) => return Err(unexpected(other)),
        None => return Err(not_running(&dir)),
    }
    Ok(Exit::Ok)
}

fn ask(dir: &Path, request: Request) -> Result<Option<Reply>, CliError> {
    control::ask(dir, request).map_err(|source| CliError::Input {
        path: control::path(dir),
        source,
    })
}

fn not_running(dir: &Path) -> CliError {
    CliError::NotThere(format!(
        "no service runs on {}; start one with `aura run`",
        dir.display()
    ))
}

fn unexpected(reply: Reply) -> CliError {
    match reply {
        Reply::Error(why) => CliError::NotThere(why),
        Reply::Trace(_) | Reply::Status(_) | Reply::Stopping => {
            CliError::Bug("the service answered something else")
        }
    }
}

fn plain(value: &serde_json::Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// One line about a trace, or its JSON.
pub(super) fn show(trace: &Trace, json: bool, out: &mut Out) -> Result<(), CliError> {
    if json {
        return out.json(trace);
    }
    let reason = trace
        .reason_code
        .map(|reason| format!(" ({reason})"))
        .unwrap_or_default();
    out.text(&format!(
        "tick {:>3}  {:<14} {:<16} {}{reason}  {}",
        trace.decision.tick,
        trace.decision.trigger.source,
        trace.chosen_name(),
        trace.outcome,
        trace.rationale
    ))
}
