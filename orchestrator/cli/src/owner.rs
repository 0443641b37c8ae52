//! `aura host` and `aura owner`: several owners in one process.
//!
//! What: serving them ([`host_with`] also those whom other hosts have too), and adding, listing, pausing and removing one. Why: each owner's folder is as anybody's, and every other command works on
//! one of them (`aura --owner NAME …`). Not here: serving (`aura_runtime::host`), wiping (`memory::wipe`).

use super::{
    args::FormatArgs,
    error::CliError,
    exit::CommandExit,
    init,
    memory::{new_from_file, remove_programs_folder, twice, until_free, wipe_folder},
    out::CommandOutput,
    run::{PORT, require_sandbox},
    service,
};
use aura_memory::{
    Vault, relocate,
    vault::{NewPlace, keyring_answers},
};
use aura_platform::user_folders;
use aura_process::sandbox::limits::{bound_host, default_awake_max};
use aura_runtime::{
    control::{self, ControlReply, ControlRequest, ListedOwner, OwnerState},
    host::{
        OwnerTerms, SharedOwners,
        owner_folders::{OwnerFolders, OwnerName},
        run_owners,
    },
    service::OwnerQuotas,
    settings::WELCOME_FILE,
};
use clap::{Args, Subcommand};
use serde_json::json;
use std::{
    fs::{self, DirBuilder},
    os::unix::fs::DirBuilderExt as _,
    path::PathBuf,
    time::Duration,
};
use surfaces_base::{
    language::{Language, say, text},
    locale,
};

/// Which owners.
#[derive(Debug, Clone, Args)]
pub struct OwnersDir {
    /// The folder with a data folder for each owner [default: $XDG_DATA_HOME/aura-owners, else ~/.local/share/aura-owners]
    #[arg(long, value_name = "DIR", env = OWNERS_VARIABLE, hide_env_values = true)]
    owners: Option<PathBuf>,
}

/// The variable that names the folder of all owners.
pub(super) const OWNERS_VARIABLE: &str = "AURA_OWNERS";

/// That folder, where no flag names it.
pub(super) fn default_owners() -> Option<PathBuf> {
    let named = std::env::var_os(OWNERS_VARIABLE).filter(|dir| !dir.is_empty());
    named
        .map(PathBuf::from)
        .or_else(|| Some(user_folders::data()?.join("aura-owners")))
}

impl OwnersDir {
    fn folders(&self) -> Result<OwnerFolders, CliError> {
        Ok(OwnerFolders::in_folder(
            &self.path().ok_or(CliError::NoDataFolder)?,
        )?)
    }

    /// The folder; absent: neither flag nor environment names one.
    pub fn path(&self) -> Option<PathBuf> {
        let named = self.owners.clone().filter(|dir| !dir.as_os_str().is_empty());
        named.or_else(default_owners)
    }
}

/// Serve several owners until stopped, each under a host name of hers.
#[derive(Debug, Clone, Args)]
pub struct HostArgs {
    #[command(flatten)]
    pub owners: OwnersDir,
    /// The loopback port of all pages; 0 lets the system choose.
    #[arg(long, default_value_t = PORT, env = "AURA_PORT")]
    port: u16,
    /// An owner with nothing due and nobody on her pages is parked after so long, and her service begins again by itself; 0: never
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    park_after: u64,
    /// So many owners are served at once; the others wait until one of them is parked [default: what the memory and the limits of this machine allow]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    awake_max: Option<u32>,
    /// So much of the disk an owner's store may take, at least 16; what does not fit waits, as on a full disk [default: no limit]
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u64).range(16..=1 << 20))]
    owner_disk: Option<u64>,
    /// So many hundredths of one processor an owner may use within a minute; whoever has used hers up waits with signals, asks and changed files, not with her pages [default: no limit]
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    owner_cpu: Option<u32>,
    /// Do not start when the kernel enforces less than the whole sandbox on the agents
    #[arg(long)]
    require_sandbox: bool,
    #[command(flatten)]
    format: FormatArgs,
}

/// `aura owner`
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum OwnerSubcommand {
    /// Make a data folder for one more, and have a running host serve it
    Add(OwnerAddArgs),
    /// Who there is, and how each stands
    List(OwnerListArgs),
    /// Serve one no longer, until `resume`; nothing of hers is removed
    Pause(OwnerNameArgs),
    /// Serve one again that was paused, stopped or could not start
    Resume(OwnerNameArgs),
    /// Take one to the folder of another host, with everything in hers
    Move(OwnerMoveArgs),
    /// Wipe one's data folder: the key, then everything in it
    Remove(OwnerRemoveArgs),
}

/// `aura owner add`
#[derive(Debug, Clone, Args)]
pub(crate) struct OwnerAddArgs {
    #[command(flatten)]
    named: OwnerNameArgs,
    /// Keep her key in this file of 32 bytes, made when it is not there [default: the system's keyring, else ~/.config/aura/owners/NAME.key]
    #[arg(long, value_name = "FILE", group = "place")]
    key_file: Option<PathBuf>,
    /// Make her key from a passphrase, which is asked for twice: her folder is then locked after each start until she comes to her page
    #[arg(long, group = "place")]
    passphrase: bool,
    /// The same with the passphrase in the first line of this file
    #[arg(long, value_name = "FILE", group = "place")]
    new_passphrase_file: Option<PathBuf>,
}

/// `aura owner list`
#[derive(Debug, Clone, Args)]
pub(crate) struct OwnerListArgs {
    #[command(flatten)]
    owners: OwnersDir,
    #[command(flatten)]
    format: FormatArgs,
}

/// One owner.
#[derive(Debug, Clone, Args)]
pub(crate) struct OwnerNameArgs {
    /// Small letters, digits and hyphens: her pages are at NAME.localhost
    #[arg(value_parser = owner_name)]
    name: OwnerName,
    #[command(flatten)]
    owners: OwnersDir,
    #[command(flatten)]
    format: FormatArgs,
}

/// `aura owner move`
#[derive(Debug, Clone, Args)]
pub(crate) struct OwnerMoveArgs {
    #[command(flatten)]
    named: OwnerNameArgs,
    /// The folder with that host's owners; it may be on another disk
    #[arg(long, value_name = "DIR")]
    to: PathBuf,
}

/// `aura owner remove`
#[derive(Debug, Clone, Args)]
pub(crate) struct OwnerRemoveArgs {
    #[command(flatten)]
    named: OwnerNameArgs,
    /// Do not ask
    #[arg(long)]
    yes: bool,
    /// Only list what would be removed
    #[arg(long)]
    dry_run: bool,
}

fn owner_name(name: &str) -> Result<OwnerName, &'static str> {
    OwnerName::parse(name).ok_or_else(|| text("cli-owner-name-shape"))
}

/// Runs `aura host`.
///
/// # Errors
/// The port, or another host on the folder.
pub(crate) fn host(args: &HostArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    host_with(args, None, out)
}

/// The same, where other hosts may have the same owners: `shared` says which of them are served here.
///
/// # Errors
/// As `aura host`.
pub fn host_with(
    args: &HostArgs,
    shared: Option<SharedOwners>,
    out: &mut CommandOutput,
) -> Result<CommandExit, CliError> {
    require_sandbox(args.require_sandbox)?;
    let folders = args.owners.folders()?;
    let awake_max = args.awake_max.and_then(|most| usize::try_from(most).ok());
    let awake_max = awake_max.unwrap_or_else(default_awake_max);
    bound_host(awake_max)?;
    let mut told = Ok(());
    let terms = OwnerTerms {
        awake_max,
        park_after: (args.park_after > 0).then(|| Duration::from_secs(args.park_after)),
        quotas: OwnerQuotas {
            store_bytes_max: args.owner_disk.map(|mib| mib << 20),
            cpu_percent: args.owner_cpu,
        },
    };
    let reader = locale::current();
    let mut tell = |port: u16, count: usize| {
        if args.format.json {
            out.json(&json!({ "port": port, "owners": count, "folder": folders.dir() }))
        } else {
            out.text(&say!(
                "cli-owner-host",
                count,
                folder = folders.dir().display().to_string(),
                port = port.to_string()
            ))
        }
    };
    // As in `run`.
    locale::speaking(Language::English, || {
        run_owners(folders.dir(), args.port, terms, shared, |port, count| {
            told = locale::speaking(reader, || tell(port, count));
        })
    })?;
    told?;
    Ok(CommandExit::Ok)
}

/// Runs `aura owner`.
///
/// # Errors
/// A name that nobody has, or somebody has already; a folder that cannot be used.
pub(crate) fn run(command: &OwnerSubcommand, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    match command {
        OwnerSubcommand::Add(args) => add(args, out),
        OwnerSubcommand::List(args) => list(args, out),
        OwnerSubcommand::Pause(args) => set_paused(args, true, out),
        OwnerSubcommand::Resume(args) => set_paused(args, false, out),
        OwnerSubcommand::Move(args) => relocate_owner(args, out),
        OwnerSubcommand::Remove(args) => remove(args, out),
    }
}

fn add(args: &OwnerAddArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let OwnerNameArgs { name, owners, format } = &args.named;
    let folders = owners.folders()?;
    let dir = folders.folder(name);
    if dir.exists() {
        return Err(CliError::Usage(say!(
            "cli-owner-there-already",
            name = name.as_str()
        )));
    }
    let place = place(args)?;
    DirBuilder::new().recursive(true).mode(0o700).create(&dir)?;
    if let Err(error) = Vault::create(&dir, &place) {
        // Without a key it is nobody's, and its name stays free. Whatever is in it stays.
        let _ = fs::remove_dir(&dir);
        return Err(error.into());
    }
    init::write_first(&folders.files(name).home)?;
    // Her page begins with its welcome.
    fs::write(dir.join(WELCOME_FILE), "1\n")?;
    let owners = look_again(&folders, Some(name))?;
    if format.json {
        let state = owners.as_deref().and_then(|owners| state_of(owners, name));
        out.json(
            &json!({ "name": name.as_str(), "folder": dir, "served": owners.is_some(), "state": state }),
        )?;
    } else {
        out.text(&say!(
            "cli-owner-added",
            name = name.as_str(),
            folder = dir.display().to_string()
        ))?;
        out.text(&describe_state(owners.as_deref(), name, false))?;
    }
    Ok(CommandExit::Ok)
}

/// Where her key is to be.
fn place(args: &OwnerAddArgs) -> Result<NewPlace, CliError> {
    if args.passphrase {
        return Ok(NewPlace::Passphrase(twice()?));
    }
    if let Some(file) = &args.new_passphrase_file {
        return Ok(NewPlace::Passphrase(new_from_file(file)?));
    }
    if let Some(file) = &args.key_file {
        return Ok(NewPlace::File(std::path::absolute(file)?));
    }
    default_place(&args.named.name)
}

/// Where the key of a new owner is where nobody says.
pub(super) fn default_place(name: &OwnerName) -> Result<NewPlace, CliError> {
    if keyring_answers() {
        return Ok(NewPlace::Keyring);
    }
    let folder = user_folders::config()
        .ok_or(CliError::NoDataFolder)?
        .join("aura/owners");
    DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
    Ok(NewPlace::File(folder.join(format!("{name}.key"))))
}

/// Has a running host look at an owner's folder again; `None`: no host runs.
pub(super) fn look_again(
    folders: &OwnerFolders,
    owner: Option<&OwnerName>,
) -> Result<Option<Vec<ListedOwner>>, CliError> {
    let request = ControlRequest::Owners {
        again: owner.map(ToString::to_string),
    };
    match control::ask_holder(&control::host_folder(folders.dir()), &request)? {
        None => Ok(None),
        Some(ControlReply::Owners(owners)) => Ok(Some(owners)),
        Some(other) => Err(service::unexpected(other)),
    }
}

fn list(args: &OwnerListArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let folders = args.owners.folders()?;
    let served = look_again(&folders, None)?.unwrap_or_default();
    let mut rows: Vec<(String, Option<OwnerState>, Option<String>)> = Vec::new();
    for name in folders.names()? {
        let row = match served.iter().find(|owner| owner.name == name.as_str()) {
            Some(owner) => (Some(owner.state), owner.why.clone()),
            None if folders.is_paused(&name) => (Some(OwnerState::Paused), None),
            None => (None, None),
        };
        rows.push((name.to_string(), row.0, row.1));
    }
    for (name, state, why) in &rows {
        if args.format.json {
            let state = state.map_or("not served", OwnerState::as_str);
            out.json(&json!({ "name": name, "state": state, "why": why }))?;
        } else {
            let why = why.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
            out.finding(&format!("{name}  {}{why}", state_in_words(*state)))?;
        }
    }
    if rows.is_empty() && !args.format.json {
        out.text(text("cli-owner-nobody"))?;
    }
    Ok(CommandExit::Ok)
}

/// `None`: no host serves her.
fn state_in_words(state: Option<OwnerState>) -> &'static str {
    match state {
        None => text("cli-owner-state-not-served"),
        Some(OwnerState::Starting) => text("cli-owner-state-starting"),
        Some(OwnerState::Serving) => text("cli-owner-state-serving"),
        Some(OwnerState::Parked) => text("cli-owner-state-parked"),
        Some(OwnerState::Locked) => text("cli-owner-state-locked"),
        Some(OwnerState::Paused) => text("cli-owner-state-paused"),
        Some(OwnerState::Stopped) => text("cli-owner-state-stopped"),
        Some(OwnerState::Failed) => text("cli-owner-state-failed"),
        Some(OwnerState::Elsewhere) => text("cli-owner-state-elsewhere"),
    }
}

fn existing(args: &OwnerNameArgs) -> Result<OwnerFolders, CliError> {
    let folders = args.owners.folders()?;
    if folders.has(&args.name) {
        return Ok(folders);
    }
    Err(CliError::NotThere(say!(
        "cli-owner-not-there",
        name = args.name.as_str()
    )))
}

fn set_paused(args: &OwnerNameArgs, paused: bool, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let folders = existing(args)?;
    folders.set_paused(&args.name, paused)?;
    let owners = look_again(&folders, Some(&args.name))?;
    if args.format.json {
        let state = owners.as_deref().and_then(|owners| state_of(owners, &args.name));
        out.json(&json!({ "name": args.name.as_str(), "paused": paused, "state": state }))?;
    } else {
        out.text(&describe_state(owners.as_deref(), &args.name, paused))?;
    }
    Ok(CommandExit::Ok)
}

/// How an owner stands, as a host says; `None`: it does not know her.
fn state_of(owners: &[ListedOwner], name: &OwnerName) -> Option<&'static str> {
    let owner = owners.iter().find(|owner| owner.name == name.as_str())?;
    Some(owner.state.as_str())
}

/// What has come of a command for one owner. `owners`: as the host says, where one runs.
fn describe_state(owners: Option<&[ListedOwner]>, name: &OwnerName, is_paused: bool) -> String {
    let name = name.as_str();
    let Some(owners) = owners else {
        return if is_paused {
            say!("cli-owner-no-host-paused", name)
        } else {
            say!("cli-owner-no-host", name)
        };
    };
    let Some(owner) = owners.iter().find(|owner| owner.name == name) else {
        return say!("cli-owner-not-hosted", name);
    };
    match owner.state {
        OwnerState::Starting => say!("cli-owner-starting", name),
        OwnerState::Serving => say!("cli-owner-serving", name),
        OwnerState::Parked => say!("cli-owner-parked", name),
        OwnerState::Locked => say!("cli-owner-locked", name),
        OwnerState::Paused => say!("cli-owner-paused", name),
        OwnerState::Stopped => say!("cli-owner-stopped", name),
        OwnerState::Elsewhere => say!("cli-owner-elsewhere", name),
        OwnerState::Failed => {
            let why = owner.why.as_deref().unwrap_or(text("cli-owner-log-says-why"));
            say!("cli-owner-failed", name, why)
        }
    }
}

fn relocate_owner(args: &OwnerMoveArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let OwnerNameArgs { name, format, .. } = &args.named;
    let (from, to) = (args.named.owners.folders()?, OwnerFolders::in_folder(&args.to)?);
    let (old, new) = (from.folder(name), to.folder(name));
    if !relocate::is_interrupted(&old) {
        existing(&args.named)?;
    }
    if from.has(name) && new.exists() {
        return Err(CliError::Usage(say!(
            "cli-owner-there-already-in",
            name = name.as_str(),
            folder = to.dir().display().to_string()
        )));
    }
    // Neither host begins her service in between.
    let was_paused = from.is_paused(name);
    if from.has(name) {
        from.set_paused(name, true)?;
        look_again(&from, Some(name))?;
    }
    let moved = until_free(|| relocate::relocate(&old, &new));
    let has_her = if moved.is_ok() { &to } else { &from };
    has_her.set_paused(name, was_paused)?;
    let owners = look_again(has_her, Some(name))?;
    moved?;
    look_again(&from, Some(name))?;
    remove_programs_folder(&old)?;
    if format.json {
        let state = owners.as_deref().and_then(|owners| state_of(owners, name));
        out.json(
            &json!({ "name": name.as_str(), "folder": new, "served": owners.is_some(), "state": state }),
        )?;
    } else {
        out.text(&say!(
            "cli-owner-moved",
            name = name.as_str(),
            folder = new.display().to_string()
        ))?;
        out.text(&describe_state(owners.as_deref(), name, was_paused))?;
    }
    Ok(CommandExit::Ok)
}

fn remove(args: &OwnerRemoveArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let folders = existing(&args.named)?;
    let (dir, format) = (folders.folder(&args.named.name), args.named.format);
    let exit = wipe_folder(&dir, (args.yes, args.dry_run), format, out)?;
    if exit == CommandExit::Ok && !args.dry_run {
        fs::remove_dir(&dir)?;
        look_again(&folders, Some(&args.named.name))?;
    }
    Ok(exit)
}
