//! The program `aura-hosts`: an owner's service that another machine can go on with.
//!
//! What: `run`, which is `aura run` with a log, and `leave`; every other command as `aura` has it. Why: `aura` is built without any log
//! ([ADR 0199](../../../docs/adr/0199-a-store-that-follows-a-log.md)). Not here: the service (`aura-runtime`), the store that appends (`aura-memory`).

use aura_cli::{
    args::DataDir,
    error::CliError,
    exit::CommandExit,
    out::CommandOutput,
    run::{RunArgs, run_with},
    start::{CommandLine, start},
};
use aura_hosts::{
    LeaseKeeper, LogError, OwnerLease, OwnerSubject, SqliteLease, SqliteLog, holder_name,
    jetstream::{BusConnection, BusOptions, JetStreamLease, JetStreamLog},
    open_with, to_store_error, wait_for_lease,
};
use aura_memory::{OpenRemoteLog, Vault, leave_log};
use clap::{Args, Parser, Subcommand};
use std::{
    env,
    path::PathBuf,
    process::{self, ExitCode},
};

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
    /// Have a stopped folder follow its log no more; `aura run` serves it then, and it never follows one again
    Leave(DataDir),
}

#[derive(Debug, Args)]
struct LoggedRunArgs {
    /// The log: a file, or a NATS server as nats://HOST:PORT
    #[arg(long, value_name = "LOG", env = "AURA_JOURNAL_LOG")]
    log: String,
    /// In how many streams the owners of a NATS server are; never changes
    #[arg(long, value_name = "COUNT", default_value_t = 256)]
    log_streams: u16,
    /// How many NATS servers have each stream
    #[arg(long, value_name = "COUNT", default_value_t = 1)]
    log_replicas: usize,
    /// Take the owner over from a host that still runs her
    #[arg(long)]
    take_over: bool,
    #[command(flatten)]
    run: RunArgs,
}

/// Where a log is, and who runs whom.
#[derive(Clone)]
enum LogAddress {
    File(PathBuf),
    Server(BusOptions),
}

impl LogAddress {
    fn open_log(&self) -> OpenRemoteLog {
        match self.clone() {
            LogAddress::File(file) => open_with(move |owner| SqliteLog::open(&file, owner)),
            LogAddress::Server(options) => {
                open_with(move |owner| JetStreamLog::open(&BusConnection::open(options.clone())?, owner))
            }
        }
    }

    fn open_lease(&self, owner: &OwnerSubject, holder: &str) -> Result<Box<dyn OwnerLease>, LogError> {
        Ok(match self {
            LogAddress::File(file) => Box::new(SqliteLease::open(file, owner, holder)?),
            LogAddress::Server(options) => {
                let bus = BusConnection::open(options.clone())?;
                Box::new(JetStreamLease::open(&bus, owner, holder)?)
            }
        })
    }
}

impl LoggedRunArgs {
    fn log_address(&self) -> LogAddress {
        if !self.log.contains("://") {
            return LogAddress::File(PathBuf::from(&self.log));
        }
        LogAddress::Server(BusOptions {
            address: self.log.clone(),
            shards: self.log_streams,
            replicas: self.log_replicas,
            ..BusOptions::default()
        })
    }

    /// Serves the owner as soon as no other host does.
    fn serve(&self, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
        let address = self.log_address();
        // Given back when the service has ended.
        let mut keeper = None;
        let find_log = |vault: &Vault| {
            let owner = OwnerSubject::derive(vault.seed());
            let unfit = |error: LogError| CliError::Store(to_store_error(vault.dir(), &error));
            let holder = holder_name().map_err(unfit)?;
            let open = || address.open_lease(&owner, &holder);
            let lease = if self.take_over {
                let mut lease = open().map_err(unfit)?;
                lease.seize().map_err(unfit)?;
                lease
            } else {
                wait_for_lease(open).map_err(unfit)?
            };
            keeper = Some(LeaseKeeper::start(lease, end_replaced)?);
            Ok(Some(address.open_log()))
        };
        let ended = run_with(&self.run, find_log, out);
        drop(keeper);
        ended
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
            HostsCommand::Run(_) => "info,async_nats=off",
            HostsCommand::Leave(_) => "warn",
        }
    }

    fn run(&self, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
        match &self.command {
            HostsCommand::Run(args) => args.serve(out),
            HostsCommand::Leave(data) => {
                leave_log(&data.vault()?)?;
                Ok(CommandExit::Ok)
            }
        }
    }
}

/// Every other command is `aura`'s: a service starts processes of its own program.
fn main() -> ExitCode {
    match env::args_os().nth(1) {
        Some(word) if !["run", "leave", "--help", "-h", "--version"].contains(&&*word.to_string_lossy()) => {
            start::<aura_cli::Cli>()
        }
        _ => start::<HostsCli>(),
    }
}
