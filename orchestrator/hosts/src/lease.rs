//! Who may begin with what.
//!
//! What: [`HostLease`], which one host holds for a while: on an owner, on a shard of the owners, or on its own place among the hosts ([`LeaseName`]);
//! [`LeaseTable`], where they are kept; [`LeaseKeeper`], which renews one beside a service. Why: another host begins when this one has died, and not
//! before. Nothing rests on it but that: the log refuses whoever lost an owner, whatever a clock says. Not here: where they are kept (`sqlite_lease`,
//! `jetstream`), who takes which shard (`shards`), the log.

use crate::{log::LogError, seal::OwnerSubject};
use std::{
    sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    thread::{self, JoinHandle},
    time::Duration,
};

/// For how long a host that renews nothing keeps what it has.
pub const LEASE: Duration = Duration::from_secs(6);
/// How often it is renewed.
pub(crate) const RENEW: Duration = Duration::from_millis(1500);
/// How often who waits for it looks.
pub(crate) const LOOK: Duration = Duration::from_millis(500);

/// What a lease is on.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct LeaseName(String);

const SHARD: &str = "shard-";
const HOST: &str = "host-";

impl LeaseName {
    /// On one owner.
    pub fn for_owner(owner: &OwnerSubject) -> Self {
        Self(owner.as_str().to_owned())
    }

    /// On the owners of one shard.
    pub fn for_shard(number: u16) -> Self {
        Self(format!("{SHARD}{number:05}"))
    }

    /// On a host's place among the living; `word`: its own.
    pub fn for_host(word: &str) -> Self {
        Self(format!("{HOST}{word}"))
    }

    /// Which shard it is on.
    pub fn shard(&self) -> Option<u16> {
        self.0.strip_prefix(SHARD)?.parse().ok()
    }

    /// Whether it is on a host's place.
    pub fn is_host(&self) -> bool {
        self.0.starts_with(HOST)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// As it was kept.
    pub(crate) fn from_kept(name: String) -> Self {
        Self(name)
    }
}

/// How a lease stands after it was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeaseHold {
    /// It was this host's, and is for another while.
    Kept,
    /// It is from now on: another host may have had it in between.
    Begun,
    /// Another host has it.
    Others,
}

/// A right that one host has, for [`LEASE`] at a time.
pub trait HostLease: Send {
    /// Takes it, or keeps it.
    ///
    /// # Errors
    /// [`LogError::Unavailable`]
    fn try_hold(&mut self) -> Result<LeaseHold, LogError>;

    /// What others read of it, from when it is held next.
    fn set_text(&mut self, text: String);

    /// Takes it from whoever has it.
    ///
    /// # Errors
    /// [`LogError::Unavailable`]
    fn seize(&mut self) -> Result<(), LogError>;

    /// Who has it.
    ///
    /// # Errors
    /// [`LogError::Unavailable`]
    fn holder(&mut self) -> Result<Option<LeaseText>, LogError>;

    /// Gives it back, so that another host need not wait until it has run out.
    ///
    /// # Errors
    /// [`LogError::Unavailable`]
    fn release(&mut self) -> Result<(), LogError>;
}

/// Where the leases of all hosts are.
pub trait LeaseTable: Send {
    /// A lease, for a host that says this word of itself, which no other process has.
    fn lease(&self, name: &LeaseName, holder: &str) -> Box<dyn HostLease>;

    /// Those that somebody has.
    ///
    /// # Errors
    /// [`LogError::Unavailable`]
    fn list(&self) -> Result<Vec<LeaseName>, LogError>;
}

/// What is kept of a lease.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeaseText {
    /// A word that no other process has, without a space.
    pub holder: String,
    /// What it says to others.
    pub text: String,
}

impl LeaseText {
    pub(crate) fn parse(kept: &str) -> Self {
        let (holder, text) = kept.split_once(' ').unwrap_or((kept, ""));
        Self {
            holder: holder.to_owned(),
            text: text.to_owned(),
        }
    }

    pub(crate) fn to_kept(&self) -> String {
        if self.text.is_empty() {
            self.holder.clone()
        } else {
            format!("{} {}", self.holder, self.text)
        }
    }
}

/// Waits until no other host has it, and holds it then.
///
/// # Errors
/// What is wrong with the place where it is kept. One that does not answer is asked again.
pub fn wait_for_lease<F>(open: F) -> Result<Box<dyn HostLease>, LogError>
where
    F: Fn() -> Result<Box<dyn HostLease>, LogError>,
{
    let (mut lease, mut is_told) = (None, false);
    loop {
        match try_hold(&mut lease, &open) {
            Ok(Some(held)) => return Ok(held),
            Ok(None) if is_told => {}
            Ok(None) => {
                tracing::info!(
                    "another host runs this owner: this one waits until that has died or given her back"
                );
                is_told = true;
            }
            Err(error @ LogError::Unavailable(_)) => {
                tracing::warn!(%error, "who runs this owner is not known: it is asked again");
            }
            Err(error) => return Err(error),
        }
        thread::sleep(LOOK);
    }
}

fn try_hold(
    lease: &mut Option<Box<dyn HostLease>>,
    open: impl Fn() -> Result<Box<dyn HostLease>, LogError>,
) -> Result<Option<Box<dyn HostLease>>, LogError> {
    let mut asked = match lease.take() {
        Some(lease) => lease,
        None => open()?,
    };
    let hold = asked.try_hold();
    if matches!(hold, Ok(LeaseHold::Kept | LeaseHold::Begun)) {
        return Ok(Some(asked));
    }
    *lease = Some(asked);
    hold.map(|_| None)
}

/// Renews a lease until it is dropped, which gives it back.
pub struct LeaseKeeper {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl LeaseKeeper {
    /// `on_loss` is called when another host has it.
    ///
    /// # Errors
    /// When there is no room for a thread.
    pub fn start(mut lease: Box<dyn HostLease>, on_loss: fn()) -> std::io::Result<Self> {
        let (stop, stopped) = channel();
        let keep = move || {
            keep(lease.as_mut(), &stopped, on_loss);
            if let Err(error) = lease.release() {
                tracing::debug!(%error, "the lease runs out by itself");
            }
        };
        let thread = thread::Builder::new().name("aura-lease".to_owned()).spawn(keep)?;
        Ok(Self {
            stop: Some(stop),
            thread: Some(thread),
        })
    }
}

impl Drop for LeaseKeeper {
    fn drop(&mut self) {
        self.stop.take();
        if self.thread.take().is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the keeper of the lease panicked");
        }
    }
}

fn keep(lease: &mut dyn HostLease, stopped: &Receiver<()>, on_loss: fn()) {
    while stopped.recv_timeout(RENEW) == Err(RecvTimeoutError::Timeout) {
        match lease.try_hold() {
            Ok(LeaseHold::Kept | LeaseHold::Begun) => {}
            Ok(LeaseHold::Others) => on_loss(),
            // Whoever takes the owner meanwhile is told apart by the log.
            Err(error) => tracing::warn!(%error, "the lease is not renewed"),
        }
    }
}
