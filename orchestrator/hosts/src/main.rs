//! The program `aura-hosts`: owners' services that another machine can go on with.
//!
//! What: `run` and `host`, which are those of `aura` with a log, `drain`, `status` and `leave`; which hosts have an owner's key (`grant_command`); every
//! other command as `aura` has it. Why: `aura` is built without any log ([ADR 0199](../../../docs/adr/0199-a-store-that-follows-a-log.md)). Not here: the
//! service (`aura-runtime`), the store that appends (`aura-memory`).

mod grant_command;
mod hand_over;
mod host_command;
mod host_link;
mod hosts_page;
mod log_place;
mod placement;
mod removal_command;
mod settings_sync;

use aura_cli::{
    args::DataDir,
    error::CliError,
    exit::CommandExit,
    out::CommandOutput,
    run::{RunArgs, run_with},
    start::{CommandLine, start},
};
use aura_hosts::{
    ENTRIES_MAX, KeyCipher, LeaseHolder, LeaseKeeper, LeaseName, LogError, to_store_error, wait_for_lease,
};
use aura_memory::{Vault, leave_log};
use aura_platform::clock::Clock;
use clap::{Args, Parser, Subcommand};
use grant_command::{GrantCommand, HostKeyArgs, open_granted_log};
use host_command::{DrainArgs, HostsStatusArgs, LoggedHostArgs};
use log_place::JournalLogArgs;
use removal_command::RemovalArgs;
use rustix::system::uname;
use serde_json::json;
use std::{
    env,
    path::PathBuf,
    process::{self, ExitCode},
};

/// Names the log where the command line does not.
const LOG_VARIABLE: &str = "AURA_JOURNAL_LOG";

/// Serves an owner whose journal stands in a log outside this process.
#[derive(Debug, Parser)]
#[command(name = "aura-hosts", version, arg_required_else_help = true)]
struct HostsCli {
    #[command(subcommand)]
    command: HostsCommand,
}

#[derive(Debug, Subcommand)]
enum HostsCommand {
    /// Serve the owner as soon as no other host does; whoever served her before is refused by the log from then on
    Run(LoggedRunArgs),
    /// Serve owners whom other hosts have too, each by one host at a time
    Host(LoggedHostArgs),
    /// End a host on this machine: the others take its owners over as each service ends
    Drain(DrainArgs),
    /// Say as JSON which hosts live and where the owners are; with --data, who serves that owner, and how far her log and its snapshot are
    Status(LogStatusArgs),
    /// Have a stopped folder follow its log no more; `aura run` serves it then, and it cannot come back to that log
    Leave(DataDir),
    /// Remove an owner on all hosts that the log has: her keys in the log, her grants, and her folder on each of them
    Remove(RemovalArgs),
    #[command(flatten)]
    Granted(GrantCommand),
}

#[derive(Debug, Args)]
struct LogStatusArgs {
    #[command(flatten)]
    log: JournalLogArgs,
    #[command(flatten)]
    hosts: HostsStatusArgs,
    #[command(flatten)]
    data: DataDir,
}

#[derive(Debug, Args)]
struct LoggedRunArgs {
    #[command(flatten)]
    log: JournalLogArgs,
    /// After how many entries a snapshot takes their place in the log
    #[arg(long, value_name = "ENTRIES", default_value_t = ENTRIES_MAX, value_parser = clap::value_parser!(u64).range(1..))]
    log_entries: u64,
    /// Take the owner over from a host that still runs her
    #[arg(long)]
    take_over: bool,
    #[command(flatten)]
    key: HostKeyArgs,
    #[command(flatten)]
    run: RunArgs,
}

impl LogStatusArgs {
    fn print(&self, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
        let address = self.log.address()?;
        if !self.data.is_named() {
            return self.hosts.print(&address, out);
        }
        let vault = self.data.vault()?;
        let keys = KeyCipher::derive(vault.seed());
        let unfit = |error: LogError| CliError::Store(to_store_error(vault.dir(), &error));
        let holder = address
            .open_leases()
            .and_then(|leases| leases.lease(&LeaseName::for_owner(keys.subject()), "").holder())
            .map_err(unfit)?;
        let mut log = address.open_journal(keys.subject()).map_err(unfit)?;
        let end = log.head().map_err(unfit)?;
        let snapshot = log.snapshot().map_err(unfit)?;
        out.json(&json!({
            "served_by": holder.map(|there| keys.open_holder(&there.holder)),
            "last_entry": end.number(),
            "snapshot_holds_entries_to": snapshot.map(|head| head.position.number()),
        }))?;
        Ok(CommandExit::Ok)
    }
}

impl LoggedRunArgs {
    /// Serves the owner as soon as no other host does.
    fn serve(&self, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
        let address = self.log.address()?;
        // Given back when the service has ended.
        let mut keeper = None;
        let find_log = |vault: &Vault| {
            let keys = KeyCipher::derive(vault.seed());
            let unfit = |error: LogError| CliError::Store(to_store_error(vault.dir(), &error));
            let holder = keys
                .seal_holder(&this_process())
                .map_err(|error| unfit(LogError::Unavailable(error.to_string())))?;
            let name = LeaseName::for_owner(keys.subject());
            let open = || Ok(address.open_leases()?.lease(&name, &holder));
            let lease = if self.take_over {
                let mut lease = open().map_err(unfit)?;
                lease.seize().map_err(unfit)?;
                lease
            } else {
                wait_for_lease(open).map_err(unfit)?
            };
            keeper = Some(LeaseKeeper::start(lease, end_replaced)?);
            Ok(Some(open_granted_log(&address, &self.key, self.log_entries)))
        };
        let ended = run_with(&self.run, find_log, out);
        drop(keeper);
        ended
    }
}

fn this_process() -> LeaseHolder {
    LeaseHolder {
        host: uname().nodename().to_string_lossy().into_owned(),
        process: process::id(),
        since: Clock::real(None).wall().to_string(),
    }
}

fn end_replaced() {
    tracing::error!("STORE-017: another host has begun with this owner: the process ends");
    process::exit(i32::from(CommandExit::Busy.code()));
}

impl CommandLine for HostsCli {
    fn log_level(&self) -> &'static str {
        match self.command {
            // Its client tells of each try to reach a server; the log says once that it does not answer.
            HostsCommand::Run(_) | HostsCommand::Host(_) => "info,async_nats=off",
            HostsCommand::Drain(_)
            | HostsCommand::Status(_)
            | HostsCommand::Leave(_)
            | HostsCommand::Remove(_)
            | HostsCommand::Granted(_) => "warn,async_nats=off",
        }
    }

    fn unlogged_below(&self) -> Option<PathBuf> {
        match &self.command {
            HostsCommand::Host(args) => args.owners_folder(),
            HostsCommand::Run(_)
            | HostsCommand::Drain(_)
            | HostsCommand::Status(_)
            | HostsCommand::Leave(_)
            | HostsCommand::Remove(_)
            | HostsCommand::Granted(_) => None,
        }
    }

    fn run(&self, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
        match &self.command {
            HostsCommand::Run(args) => args.serve(out),
            HostsCommand::Host(args) => args.serve(out),
            HostsCommand::Drain(args) => args.ask(out),
            HostsCommand::Status(args) => args.print(out),
            HostsCommand::Leave(data) => {
                leave_log(&data.vault()?)?;
                Ok(CommandExit::Ok)
            }
            HostsCommand::Remove(args) => args.remove(out),
            HostsCommand::Granted(command) => command.run(out),
        }
    }
}

/// Whether a command is one of this program's; every other one is `aura`'s: a service starts processes of its own program.
fn is_ours(words: &[String]) -> bool {
    let Some(word) = words.first() else { return true };
    let names_log = || {
        let named = words
            .iter()
            .any(|word| word == "--log" || word.starts_with("--log="));
        named || env::var_os(LOG_VARIABLE).is_some()
    };
    match word.as_str() {
        "run" | "host" | "drain" | "leave" | "remove" | "join" | "grant" | "grants" | "revoke" | "--help"
        | "-h" | "--version" => true,
        // Without a log, how the service of this folder stands.
        "status" => names_log(),
        _ => false,
    }
}

fn main() -> ExitCode {
    let words = env::args_os().skip(1);
    let words: Vec<String> = words.map(|word| word.to_string_lossy().into_owned()).collect();
    if is_ours(&words) {
        start::<HostsCli>()
    } else {
        start::<aura_cli::Cli>()
    }
}
