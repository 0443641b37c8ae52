//! `aura tick`, `aura status`, `aura stop`: commands to a running service.
//!
//! What: asks over the control socket; `tick` also works on a folder without a service. Why: one data folder, one
//! process. Not here: the socket (`control`), the service (`service`).

use super::{
    args::{DataDir, FormatArgs, HomeFileArg},
    error::CliError,
    exit::CommandExit,
    line::{OpenOnce, in_line, tell},
    names,
    out::CommandOutput,
    records::zone,
    status::{self, StatusReport},
};
use aura_memory::Vault;
use aura_platform::clock::Clock;
use aura_runtime::{
    config::HomeConfig,
    control::{
        self, ControlHandler as _, ControlReply, ControlRequest, OwnerSettings, ProgressSender,
        RequestProgress,
    },
    control_handler::ReloadFiles,
    journal::JournalReplay,
    service::{OwnerQuotas, Service, ServiceMode},
};
use clap::Args;
use std::path::{Path, PathBuf};
use surfaces::render::explanation::DecisionReasons;
use surfaces_base::{
    language::{Language, name_or_word, say, text},
    locale,
};
use toolcall_schema::trace::Trace;

/// What a command to a folder needs when no service runs on it.
#[derive(Debug, Clone, Args)]
pub(crate) struct ServiceFolderArgs {
    #[command(flatten)]
    home: HomeFileArg,
    #[command(flatten)]
    data: DataDir,
    /// Another policy than the built-in one, for a folder without a running service.
    #[arg(long, value_name = "FILE", env = "AURA_POLICY")]
    policy: Option<PathBuf>,
}

impl ServiceFolderArgs {
    /// The owner's file.
    pub(super) fn home(&self) -> PathBuf {
        self.home.path()
    }

    /// The data folder.
    ///
    /// # Errors
    /// As [`DataDir::path`].
    pub(super) fn dir(&self) -> Result<PathBuf, CliError> {
        self.data.path()
    }

    /// The folder with its key; it must be there.
    ///
    /// # Errors
    /// As [`DataDir::vault`].
    pub(super) fn vault(&self) -> Result<Vault, CliError> {
        self.data.vault()
    }

    /// The same, made when it is not there.
    ///
    /// # Errors
    /// As [`DataDir::vault_or_new`].
    pub(super) fn vault_or_new(&self) -> Result<Vault, CliError> {
        self.data.vault_or_new()
    }

    /// A service that could run on the folder.
    ///
    /// # Errors
    /// The home file or the policy is refused.
    pub(super) fn service_on(&self, vault: Vault) -> Result<Service, CliError> {
        let files = ReloadFiles {
            home: self.home.path(),
            policy: self.policy.clone(),
        };
        Ok(Service {
            mode: ServiceMode::Run,
            home: HomeConfig::load(&files.home)?,
            policy_text: files.policy_text()?,
            files,
            vault,
            host_name: None,
            quotas: OwnerQuotas::default(),
            remote_log: None,
        })
    }

    /// Asks the service that runs on the folder, or runs one for this request.
    ///
    /// # Errors
    /// Configuration, data folder, a service that does not answer.
    pub(super) fn ask(&self, request: &ControlRequest) -> Result<ControlReply, CliError> {
        self.ask_on(request, || self.vault_or_new())
    }

    /// The same of what is in the folder: none is made for it.
    ///
    /// # Errors
    /// STORE-004 where there is none; as [`Self::ask`].
    pub(super) fn ask_existing(&self, request: &ControlRequest) -> Result<ControlReply, CliError> {
        self.ask_on(request, || self.vault())
    }

    fn ask_on(
        &self,
        request: &ControlRequest,
        open: impl Fn() -> Result<Vault, CliError>,
    ) -> Result<ControlReply, CliError> {
        let dir = self.dir()?;
        let long = matches!(request, ControlRequest::Tick { .. });
        let mut vault = OpenOnce::default();
        let reply = in_line(|| {
            if let Some(reply) = ask(&dir, request)? {
                return Ok(reply);
            }
            let service = self.service_on(vault.get(&open)?)?;
            let reader = locale::current();
            // It works as one that was started would; only the answer is for who asks it here.
            Ok(locale::speaking(Language::English, || {
                service.run_offline(long, async |handler| {
                    let say = ProgressSender::default();
                    locale::speaking_during(reader, handler.answer(request.clone(), &say)).await
                })
            })?)
        })?;
        accepted(reply)
    }

    /// Says something, and gives what then stands.
    ///
    /// # Errors
    /// As [`Self::ask`].
    pub(super) fn tell(&self, request: &ControlRequest) -> Result<OwnerSettings, CliError> {
        let reply = self.ask(request)?;
        if let ControlReply::Standing(standing) = reply {
            Ok(standing)
        } else {
            Err(unexpected(reply))
        }
    }

    /// What the owner has said, without changing anything: from the service, or from the journal of a stopped folder.
    ///
    /// # Errors
    /// Data folder, journal.
    pub(super) fn standing(&self) -> Result<OwnerSettings, CliError> {
        let dir = self.dir()?;
        match ask(&dir, &ControlRequest::Standing)? {
            Some(ControlReply::Standing(standing)) => return Ok(standing),
            Some(other) => return Err(unexpected(other)),
            None => {}
        }
        let home = self
            .home
            .path()
            .exists()
            .then(|| HomeConfig::load(&self.home.path()))
            .transpose()?;
        let mut journal = JournalReplay::open(&self.data.vault()?, home.as_ref())?;
        journal.run()?;
        match journal.into_parts() {
            (Some(state), Some(env)) => {
                let last = Some((state.at, state.wall_offset_ms));
                Ok(OwnerSettings::from_state(&state, &env, Clock::real(last).wall()))
            }
            (_, _) => Err(CliError::NotThere(text("cli-service-nothing-started").to_owned())),
        }
    }
}

/// Look now: one tick, and its trace.
#[derive(Debug, Clone, Args)]
pub(crate) struct TickCommandArgs {
    /// Wait at most so many seconds for its end; a tick that asks you something waits up to 60 s for your answer
    #[arg(long, value_name = "SECONDS", default_value_t = 90, value_parser = clap::value_parser!(u64).range(1..=150))]
    wait: u64,
    #[command(flatten)]
    folder: ServiceFolderArgs,
    #[command(flatten)]
    format: FormatArgs,
}

/// How the running service is.
#[derive(Debug, Clone, Args)]
pub(crate) struct StatusArgs {
    #[command(flatten)]
    data: DataDir,
    #[command(flatten)]
    format: FormatArgs,
}

/// End the running service.
#[derive(Debug, Clone, Args)]
pub(crate) struct StopArgs {
    #[command(flatten)]
    data: DataDir,
    #[command(flatten)]
    format: FormatArgs,
}

/// Runs `aura tick`.
///
/// # Errors
/// Configuration, data folder, a service that does not answer.
pub(crate) fn tick(args: &TickCommandArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let reply = args.folder.ask(&ControlRequest::Tick {
        within_ms: args.wait * 1000,
    })?;
    let ControlReply::Trace(trace) = reply else {
        return Err(unexpected(reply));
    };
    show(&trace, args.format.json, out)?;
    Ok(CommandExit::Ok)
}

/// Runs `aura status`.
///
/// # Errors
/// No service, or one that does not answer.
pub(crate) fn status(args: &StatusArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let dir = args.data.path()?;
    match ask(&dir, &ControlRequest::Status)? {
        Some(ControlReply::Status(report)) if args.format.json => out.json(&report)?,
        Some(ControlReply::Status(report)) => {
            let said = match ask(&dir, &ControlRequest::Standing)? {
                Some(ControlReply::Standing(said)) => said,
                Some(other) => return Err(unexpected(other)),
                None => return Err(not_running(&dir)),
            };
            let report: StatusReport =
                serde_json::from_value(report).map_err(|_| CliError::Bug("a status of another shape"))?;
            for sentence in status::sentences(&report, &said) {
                out.text(&sentence)?;
            }
        }
        Some(other) => return Err(unexpected(other)),
        None => return Err(not_running(&dir)),
    }
    Ok(CommandExit::Ok)
}

/// Runs `aura stop`.
///
/// # Errors
/// No service, or one that does not answer.
pub(crate) fn stop(args: &StopArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let dir = args.data.path()?;
    match ask(&dir, &ControlRequest::Stop)? {
        Some(ControlReply::Stopping) if args.format.json => {
            out.json(&serde_json::json!({ "stopping": true }))?;
        }
        Some(ControlReply::Stopping) => out.text(text("cli-service-stopping"))?,
        Some(other) => return Err(unexpected(other)),
        None => return Err(not_running(&dir)),
    }
    // Another service can be started as soon as this has ended.
    in_line(|| Ok(aura_memory::check_free(&dir)?))?;
    Ok(CommandExit::Ok)
}

pub(super) fn ask(dir: &Path, request: &ControlRequest) -> Result<Option<ControlReply>, CliError> {
    Ok(control::ask(dir, request)?)
}

/// The same, for what may take a while; who asks is told what the service waits for.
pub(super) fn ask_patiently(dir: &Path, request: &ControlRequest) -> Result<Option<ControlReply>, CliError> {
    let mut last = String::new();
    let mut underway = |progress: RequestProgress| {
        if let RequestProgress::Waiting(why) = progress
            && last != why
        {
            tell(&why);
            last = why;
        }
    };
    Ok(control::ask_patiently(dir, request, &mut underway)?)
}

pub(super) fn not_running(dir: &Path) -> CliError {
    CliError::NotThere(say!(
        "cli-service-not-running",
        folder = dir.display().to_string()
    ))
}

/// A reply that is no refusal.
///
/// # Errors
/// What was refused, with its exit code.
fn accepted(reply: ControlReply) -> Result<ControlReply, CliError> {
    if let ControlReply::Error(why) = reply {
        Err(CliError::NotThere(why))
    } else if let ControlReply::Busy(why) = reply {
        Err(CliError::Busy(why))
    } else if let ControlReply::Config(why) = reply {
        Err(CliError::Refused(why))
    } else {
        Ok(reply)
    }
}

pub(super) fn unexpected(reply: ControlReply) -> CliError {
    match accepted(reply) {
        Err(refused) => refused,
        Ok(_) => CliError::Bug("the service answered something else"),
    }
}

/// How it ended and why; the sentence that the trace has is a record.
fn why_in_words(trace: &Trace) -> String {
    let reasons = DecisionReasons::from_trace(trace, zone(trace));
    [Some(reasons.outcome), reasons.reason]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(" ")
}

/// One line about a trace, or its JSON.
pub(super) fn show(trace: &Trace, json: bool, out: &mut CommandOutput) -> Result<(), CliError> {
    if json {
        return out.json(trace);
    }
    let reason = trace
        .reason_code
        .map(|reason| format!(" ({})", names::reason(reason)))
        .unwrap_or_default();
    out.text(&format!(
        "{} {:>3}  {:<14} {:<16} {}{reason}  {}",
        text("cli-service-tick"),
        trace.decision.tick,
        names::trigger(trace.decision.trigger.source),
        names::chosen(trace),
        names::ended(trace),
        name_or_word(&trace.rationale, || why_in_words(trace))
    ))
}
