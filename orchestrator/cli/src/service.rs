//! `aura tick`, `aura status`, `aura stop`: commands to a running service.
//!
//! What: asks over the control socket; `tick` also works on a folder without a service. Why: one data folder, one
//! process. Not here: the socket (`control`), the service (`service`).

use super::{
    args::{DataDir, Format, HomeFile},
    error::CliError,
    exit::Exit,
    line::{in_line, tell},
    out::Out,
};
use aura_memory::StoreError;
use aura_platform::clock::Clock;
use aura_runtime::{
    config::Home,
    control::{self, ControlHandler as _, Progress, Reply, Request, Standing},
    desk::Files,
    journal::Journal,
    removing::Say,
    service::{Mode, Service},
};
use clap::Args;
use std::path::{Path, PathBuf};
use toolcall_schema::trace::Trace;

/// What a command to a folder needs when no service runs on it.
#[derive(Debug, Clone, Args)]
pub struct Folder {
    #[command(flatten)]
    home: HomeFile,
    #[command(flatten)]
    data: DataDir,
    /// Another policy than the built-in one, for a folder without a running service.
    #[arg(long, value_name = "FILE", env = "AURA_POLICY")]
    policy: Option<PathBuf>,
}

impl Folder {
    /// The data folder.
    ///
    /// # Errors
    /// As [`DataDir::path`].
    pub(super) fn dir(&self) -> Result<PathBuf, CliError> {
        self.data.path()
    }

    /// A service that could run on the folder.
    ///
    /// # Errors
    /// Configuration, data folder.
    pub(super) fn service(&self) -> Result<Service, CliError> {
        let files = Files {
            home: self.home.path(),
            policy: self.policy.clone(),
        };
        Ok(Service {
            mode: Mode::Run,
            home: Home::load(&files.home)?,
            policy_text: files.policy_text()?,
            files,
            vault: self.data.vault_or_new()?,
            port: 0,
        })
    }

    /// Asks the service that runs on the folder, or runs one for this request.
    ///
    /// # Errors
    /// Configuration, data folder, a service that does not answer.
    pub(super) fn ask(&self, request: &Request) -> Result<Reply, CliError> {
        let dir = self.dir()?;
        let long = matches!(request, Request::Tick { .. });
        let reply = in_line(|| match ask(&dir, request)? {
            Some(reply) => Ok(reply),
            None => Ok(self.service()?.once(long, async |desk| {
                desk.answer(request.clone(), &Say::default()).await
            })?),
        })?;
        match reply {
            Reply::Error(why) => Err(CliError::NotThere(why)),
            Reply::Busy(why) => Err(CliError::Busy(why)),
            Reply::Config(why) => Err(CliError::Refused(why)),
            Reply::Trace(_)
            | Reply::Status(_)
            | Reply::Stopping
            | Reply::Underway(_)
            | Reply::Imported(_)
            | Reply::Removed { .. }
            | Reply::KeyChangeBegins
            | Reply::KeyChanged
            | Reply::Labelled
            | Reply::Reloaded(_)
            | Reply::Standing(_)
            | Reply::ModelLooked
            | Reply::Recorded
            | Reply::Clock(_)
            | Reply::QuarantinePurged(_)
            | Reply::Invitation(_)
            | Reply::DeviceAdded { .. }
            | Reply::Devices(_) => Ok(reply),
        }
    }

    /// Says something, and gives what then stands.
    ///
    /// # Errors
    /// As [`Self::ask`].
    pub(super) fn tell(&self, request: &Request) -> Result<Standing, CliError> {
        let reply = self.ask(request)?;
        if let Reply::Standing(standing) = reply {
            Ok(standing)
        } else {
            Err(unexpected(reply))
        }
    }

    /// What the owner has said, without changing anything: from the service, or from the journal of a stopped folder.
    ///
    /// # Errors
    /// Data folder, journal.
    pub(super) fn standing(&self) -> Result<Standing, CliError> {
        let dir = self.dir()?;
        match ask(&dir, &Request::Standing)? {
            Some(Reply::Standing(standing)) => return Ok(standing),
            Some(other) => return Err(unexpected(other)),
            None => {}
        }
        let home = self
            .home
            .path()
            .exists()
            .then(|| Home::load(&self.home.path()))
            .transpose()?;
        let mut journal = Journal::open(&self.data.vault()?, home.as_ref())?;
        journal.run()?;
        match journal.into_parts() {
            (Some(state), Some(env)) => {
                let last = Some((state.at, state.wall_offset_ms));
                Ok(Standing::of(&state, &env, Clock::real(last).wall()))
            }
            (_, _) => Err(CliError::NotThere(
                "nothing was ever started in this folder".to_owned(),
            )),
        }
    }
}

/// Look now: one tick, and its trace.
#[derive(Debug, Clone, Args)]
pub struct TickArgs {
    /// Wait at most so many seconds for its end; a tick that asks you something waits up to 60 s for your answer
    #[arg(long, value_name = "SECONDS", default_value_t = 90, value_parser = clap::value_parser!(u64).range(1..=150))]
    wait: u64,
    #[command(flatten)]
    folder: Folder,
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
    let reply = args.folder.ask(&Request::Tick {
        within_ms: args.wait * 1000,
    })?;
    let Reply::Trace(trace) = reply else {
        return Err(unexpected(reply));
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
    match ask(&dir, &Request::Status)? {
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
    match ask(&dir, &Request::Stop)? {
        Some(Reply::Stopping) if args.format.json => out.json(&serde_json::json!({ "stopping": true }))?,
        Some(Reply::Stopping) => out.text("stopping")?,
        Some(other) => return Err(unexpected(other)),
        None => return Err(not_running(&dir)),
    }
    // Another service can be started as soon as this has ended.
    in_line(|| {
        if aura_memory::is_free(&dir)? {
            return Ok(Exit::Ok);
        }
        let (dir, pid) = (dir.clone(), None);
        Err(StoreError::Locked { dir, pid }.into())
    })
}

pub(super) fn ask(dir: &Path, request: &Request) -> Result<Option<Reply>, CliError> {
    Ok(control::ask(dir, request)?)
}

/// The same, for what may take a while; who asks is told what the service waits for.
pub(super) fn ask_patiently(dir: &Path, request: &Request) -> Result<Option<Reply>, CliError> {
    let mut last = String::new();
    let mut underway = |progress: Progress| {
        if let Progress::Waiting(why) = progress
            && last != why
        {
            tell(&why);
            last = why;
        }
    };
    Ok(control::ask_patiently(dir, request, &mut underway)?)
}

pub(super) fn not_running(dir: &Path) -> CliError {
    CliError::NotThere(format!(
        "no service runs on {}; start one with `aura run`",
        dir.display()
    ))
}

pub(super) fn unexpected(reply: Reply) -> CliError {
    match reply {
        Reply::Error(why) => CliError::NotThere(why),
        Reply::Busy(why) => CliError::Busy(why),
        Reply::Config(why) => CliError::Refused(why),
        Reply::Trace(_)
        | Reply::Status(_)
        | Reply::Stopping
        | Reply::Underway(_)
        | Reply::Imported(_)
        | Reply::Removed { .. }
        | Reply::KeyChangeBegins
        | Reply::KeyChanged
        | Reply::Labelled
        | Reply::Reloaded(_)
        | Reply::Standing(_)
        | Reply::ModelLooked
        | Reply::Recorded
        | Reply::Clock(_)
        | Reply::QuarantinePurged(_)
        | Reply::Invitation(_)
        | Reply::DeviceAdded { .. }
        | Reply::Devices(_) => CliError::Bug("the service answered something else"),
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
