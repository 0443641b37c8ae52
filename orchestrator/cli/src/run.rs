//! `aura run` and `aura demo`: the service.
//!
//! What: reads the configuration, starts [`Service`] and prints the page's address. Why: two commands, one service. Not
//! here: what a service consists of (`service`).

use super::{
    args::{DataDir, FormatArgs, HomeFileArg},
    demo_household,
    device::invite,
    error::CliError,
    exit::CommandExit,
    first_start,
    out::CommandOutput,
};
use aura_memory::{OpenRemoteLog, Vault, check_free, demo};
use aura_process::sandbox::{
    SandboxError,
    limits::bound_service,
    probe::{ProbeProgram, ProbedSandbox, measure},
};
use aura_runtime::{
    config::HomeConfig,
    control::host_folder,
    control_handler::ReloadFiles,
    host::run_alone,
    service::{OwnerQuotas, Service, ServiceMode, ServiceReady},
};
use clap::Args;
use orchestrator_machine::policy::DEFAULT_TEXT;
use rustix::process::setsid;
use std::{
    io,
    path::{Path, PathBuf},
};
use surfaces_base::{
    language::{Language, say, text},
    locale,
};

/// The page's port when none is named.
pub(super) const PORT: u16 = 7878;

/// Serve the owner's own folders until stopped.
#[derive(Debug, Clone, Args)]
pub struct RunArgs {
    #[command(flatten)]
    home: HomeFileArg,
    #[command(flatten)]
    data: DataDir,
    /// The loopback port of the page; 0 lets the system choose.
    #[arg(long, default_value_t = PORT, env = "AURA_PORT")]
    port: u16,
    /// Another policy [default: policy.toml beside the configuration where it is there, else the built-in one]
    #[arg(long, value_name = "FILE", env = "AURA_POLICY")]
    policy: Option<PathBuf>,
    /// Do not start when the kernel enforces less than the whole sandbox on the agents
    #[arg(long)]
    require_sandbox: bool,
    /// Leave the terminal's session once the key is there
    #[arg(long, hide = true)]
    detached: bool,
    #[command(flatten)]
    format: FormatArgs,
}

/// Serve the bundled household on its own day.
#[derive(Debug, Clone, Args)]
pub(crate) struct DemoArgs {
    /// Another household: a folder with home.toml, or that file. Without it the one in this program is written beside --data.
    #[arg(long, value_name = "PATH")]
    home: Option<PathBuf>,
    /// Where the demo keeps its data; not the owner's.
    #[arg(long, value_name = "DIR", default_value = ".aura/demo")]
    data: PathBuf,
    /// The loopback port of the page; 0 lets the system choose.
    #[arg(long, default_value_t = PORT, env = "AURA_PORT")]
    port: u16,
    /// Begin the day at once instead of with the first page.
    #[arg(long)]
    headless: bool,
    /// Begin the day anew: removes what an earlier demo left in its data folder.
    #[arg(long)]
    fresh: bool,
    /// Do not start when the kernel enforces less than the whole sandbox on the agents
    #[arg(long)]
    require_sandbox: bool,
    #[command(flatten)]
    format: FormatArgs,
}

/// Runs `aura run`.
///
/// # Errors
/// Configuration, data folder, port.
pub(crate) fn run(args: &RunArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    run_with(args, |_| Ok(None), out)
}

/// The same, where the store may follow a log outside the process: `find_log` is asked for it before anything of the service begins, and may wait.
///
/// # Errors
/// As `aura run`; what `find_log` returns; STORE-018 and STORE-019.
pub fn run_with(
    args: &RunArgs,
    find_log: impl FnOnce(&Vault) -> Result<Option<OpenRemoteLog>, CliError>,
    out: &mut CommandOutput,
) -> Result<CommandExit, CliError> {
    require_sandbox(args.require_sandbox)?;
    let files = ReloadFiles {
        home: args.home.path(),
        policy: args.policy.clone(),
    };
    let policy_text = files.policy_text()?;
    let vault = if args.home.named().is_some() || files.home.exists() {
        None
    } else {
        Some(first_start::prepare(&args.home, &args.data)?)
    };
    let home = HomeConfig::load(&files.home)?;
    let vault = vault.map_or_else(|| first_start::prepare(&args.home, &args.data), Ok)?;
    check_no_host(vault.dir())?;
    if args.detached {
        // A passphrase was asked for before it; the end of the terminal is no end of the service.
        setsid().map_err(io::Error::from)?;
    }
    let remote_log = find_log(&vault)?;
    let service = Service {
        mode: ServiceMode::Run,
        home,
        files,
        policy_text,
        vault,
        host_name: None,
        quotas: OwnerQuotas::default(),
        remote_log,
    };
    serve(service, args.port, args.format.json, out)
}

/// A host has all its owners' folders, also of those who are parked or paused.
fn check_no_host(data: &Path) -> Result<(), CliError> {
    let host = data.parent().map(host_folder).filter(|host| host.is_dir());
    host.map_or(Ok(()), |host| Ok(check_free(&host)?))
}

/// Runs `aura demo`.
///
/// # Errors
/// Configuration, data folder, port.
pub(crate) fn demo(args: &DemoArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    require_sandbox(args.require_sandbox)?;
    let file = match &args.home {
        Some(home) if home.is_dir() => home.join("home.toml"),
        Some(home) => home.clone(),
        None => demo_household::write(&args.data)?,
    };
    let home = HomeConfig::load(&file)?;
    if args.fresh {
        begin_anew(&args.data)?;
    }
    let service = Service {
        mode: ServiceMode::Demo {
            headless: args.headless,
        },
        home,
        files: ReloadFiles {
            home: file,
            policy: None,
        },
        policy_text: DEFAULT_TEXT.to_owned(),
        vault: Vault::demo(&args.data)?,
        host_name: None,
        quotas: OwnerQuotas::default(),
        remote_log: None,
    };
    serve(service, args.port, args.format.json, out)
}

/// Whether the agents' sandbox is as it must be: a child enters it and tries.
pub(super) fn require_sandbox(required: bool) -> Result<(), CliError> {
    if !required {
        return Ok(());
    }
    let report = measure(ProbedSandbox::Agent, &ProbeProgram::Aura).map_err(|source| SandboxError::Step {
        step: "try it in a child",
        source,
    })?;
    let level = report.level;
    if report.is_whole() {
        Ok(())
    } else if level.is_whole() {
        let not_held = report.surprises_in_words();
        Err(SandboxError::NotHeld { level, not_held }.into())
    } else {
        Err(SandboxError::NotWhole { level }.into())
    }
}

/// Removes the data folder of an earlier demo; never one that a demo did not make, nor one in use.
fn begin_anew(dir: &Path) -> Result<(), CliError> {
    if demo::remove(dir)? {
        return Ok(());
    }
    Err(CliError::Usage(say!(
        "cli-run-not-of-the-demo",
        folder = dir.display().to_string()
    )))
}

fn serve(service: Service, port: u16, json: bool, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    bound_service()?;
    let mode = service.mode;
    let mut told = Ok(());
    let reader = locale::current();
    // The service speaks as its owner chose, and where nobody asks as records do; who started it is told in the command's language.
    locale::speaking(Language::English, || {
        run_alone(service, port, |ready| {
            told = locale::speaking(reader, || tell(&ready, mode, json, out));
        })
    })?;
    told?;
    Ok(CommandExit::Ok)
}

fn tell(
    ready: &ServiceReady,
    mode: ServiceMode,
    json: bool,
    out: &mut CommandOutput,
) -> Result<(), CliError> {
    if json {
        let code = ready.pair.as_ref().map(|invitation| &invitation.code);
        return out.json(&serde_json::json!({ "page": ready.page, "pair": code, "data": ready.dir }));
    }
    match &ready.pair {
        Some(invitation) => invite(invitation, out)?,
        None => out.text(&say!("cli-run-page", address = &ready.page))?,
    }
    out.text(&say!(
        "cli-run-data-folder",
        folder = ready.dir.display().to_string()
    ))?;
    match mode {
        ServiceMode::Run => {}
        ServiceMode::Demo { headless: false } => {
            out.text(text("cli-run-morning-begins"))?;
        }
        ServiceMode::Demo { headless: true } => {
            out.text(text("cli-run-morning-has-begun"))?;
        }
    }
    out.text(text("cli-run-stop"))
}
