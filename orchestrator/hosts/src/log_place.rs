//! Where a log is, as a command line says it.
//!
//! What: [`JournalLogArgs`], and [`LogServersArgs`] of a command that may be given no log; [`LogAddress`], which opens what is there. Why: every command
//! finds a log in the same way, and none sends a password to a server that it should not. Not here: what is done with a log (`main`, `host_command`,
//! `grant_command`).

use crate::LOG_VARIABLE;
use aura_cli::error::CliError;
use aura_hosts::{
    JournalLog, LEASE, LeaseTable, LogAccess, LogAccessError, LogError, LogServers, OwnerSubject,
    RecordStore, SqliteLeases, SqliteLog, SqliteRecords,
    jetstream::{BusOptions, JetStreamLeases, JetStreamLog, JetStreamRecords, SharedBus},
    open_with,
};
use aura_memory::OpenRemoteLog;
use clap::Args;
use std::{path::PathBuf, sync::Arc, time::Duration};

#[derive(Debug, Args)]
pub(crate) struct JournalLogArgs {
    /// The log: a file, or NATS servers as tls://HOST:PORT with commas between; nats://HOST:PORT on this machine
    #[arg(long, value_name = "LOG", env = LOG_VARIABLE)]
    log: String,
    #[command(flatten)]
    servers: LogServersArgs,
}

#[derive(Debug, Args)]
pub(crate) struct LogServersArgs {
    /// A file of mode 0600 by which NATS servers let this host in: TOML with user and password, or token, or certificate and key; and roots, the certificates that they are known by
    #[arg(long = "log-access", value_name = "FILE", env = "AURA_JOURNAL_LOG_ACCESS")]
    access: Option<PathBuf>,
    /// Use NATS servers on other machines without TLS, or without a password: nobody else is on that network
    #[arg(long = "log-network-closed")]
    is_network_closed: bool,
    /// In how many streams the owners of a NATS server are; never changes
    #[arg(long = "log-streams", value_name = "COUNT", default_value_t = 256)]
    streams: u16,
    /// How many NATS servers have each stream
    #[arg(long = "log-replicas", value_name = "COUNT", default_value_t = 1)]
    replicas: usize,
}

/// Where a log is, and who runs whom.
#[derive(Clone)]
pub(crate) enum LogAddress {
    File(PathBuf),
    Server(Arc<SharedBus>),
}

fn unguarded(error: &LogAccessError) -> CliError {
    CliError::Usage(error.to_string())
}

impl LogAddress {
    /// Whether what is there lets this host in. A server that does not answer is waited for later.
    ///
    /// # Errors
    /// BUS-003
    fn check(&self) -> Result<(), CliError> {
        match self {
            Self::File(_) => Ok(()),
            Self::Server(bus) => match bus.connection() {
                Err(LogError::Refused(error)) => Err(CliError::NotThere(error.to_string())),
                Ok(_) | Err(_) => Ok(()),
            },
        }
    }

    pub(crate) fn open_log(&self, entries_max: u64) -> OpenRemoteLog {
        match self.clone() {
            Self::File(file) => open_with(entries_max, move |owner| SqliteLog::open(&file, owner)),
            Self::Server(bus) => open_with(entries_max, move |owner| {
                JetStreamLog::open(&bus.connection()?, owner)
            }),
        }
    }

    pub(crate) fn open_journal(&self, owner: &OwnerSubject) -> Result<Box<dyn JournalLog>, LogError> {
        Ok(match self {
            Self::File(file) => Box::new(SqliteLog::open(file, owner)?),
            Self::Server(bus) => Box::new(JetStreamLog::open(&bus.connection()?, owner)?),
        })
    }

    pub(crate) fn open_records(&self) -> Result<Box<dyn RecordStore>, LogError> {
        Ok(match self {
            Self::File(file) => Box::new(SqliteRecords::open(file)?),
            Self::Server(bus) => Box::new(JetStreamRecords::open(&bus.connection()?)?),
        })
    }

    pub(crate) fn open_leases(&self) -> Result<Box<dyn LeaseTable>, LogError> {
        Ok(match self {
            Self::File(file) => Box::new(SqliteLeases::open(file)?),
            Self::Server(bus) => Box::new(JetStreamLeases::open(&bus.connection()?)?),
        })
    }
}

impl JournalLogArgs {
    /// # Errors
    /// BUS-001, BUS-002, BUS-003
    pub(crate) fn address(&self) -> Result<LogAddress, CliError> {
        self.servers.address_of(&self.log)
    }

    /// For leases, by a connection of their own: one that is asked for too long has run out.
    ///
    /// # Errors
    /// BUS-001, BUS-002
    pub(crate) fn leases_address(&self) -> Result<LogAddress, CliError> {
        self.servers.address_within(&self.log, LEASE / 4)
    }
}

impl LogServersArgs {
    /// # Errors
    /// BUS-001, BUS-002, BUS-003
    pub(crate) fn address_of(&self, log: &str) -> Result<LogAddress, CliError> {
        let address = self.address_within(log, BusOptions::default().deadline)?;
        address.check()?;
        Ok(address)
    }

    /// `deadline`: how long one answer may take.
    fn address_within(&self, log: &str, deadline: Duration) -> Result<LogAddress, CliError> {
        if !log.contains("://") {
            return Ok(LogAddress::File(PathBuf::from(log)));
        }
        let (servers, access) = self.access_to(log).map_err(|error| unguarded(&error))?;
        Ok(LogAddress::Server(Arc::new(SharedBus::new(BusOptions {
            servers,
            access,
            shards: self.streams,
            replicas: self.replicas,
            deadline,
        }))))
    }

    fn access_to(&self, log: &str) -> Result<(LogServers, LogAccess), LogAccessError> {
        let servers = LogServers::parse(log)?;
        let named = self.access.as_deref().map(LogAccess::load);
        let access = named.transpose()?.unwrap_or_default();
        access.check_guarded(&servers, self.is_network_closed)?;
        Ok((servers, access))
    }
}
