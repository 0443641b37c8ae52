//! What an owner's data keys are sealed with, beside her seed.
//!
//! What: [`LogRoots`], the random numbers that make of her seed the keys of her log, as her folders and grants hold them. Why: her seed never changes, and
//! a host that had it must not open what comes after it was taken back. Not here: sealing (`seal`), when there is another root (the program).

use crate::seal::{SealError, random};
use aura_memory::{StoreError, Vault};
use std::fmt;
use zeroize::Zeroizing;

/// Bytes of a root.
const ROOT: usize = 32;
/// More than two are there only where somebody was interrupted that often.
const ROOTS_MAX: usize = 16;

/// One root. Wiped when dropped.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct LogRoot(pub(crate) Zeroizing<[u8; ROOT]>);

impl LogRoot {
    /// That of a log from which no host was ever taken: the seed alone leads to its keys.
    pub(crate) fn is_first(&self) -> bool {
        *self.0 == [0; ROOT]
    }
}

/// The roots that count, the newest last: one, and more while one takes the place of another.
#[derive(Clone, PartialEq, Eq)]
pub struct LogRoots(Vec<LogRoot>);

impl fmt::Debug for LogRoots {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LogRoots({})", self.0.len())
    }
}

/// Those of a log from which no host was ever taken.
impl Default for LogRoots {
    fn default() -> Self {
        Self(vec![LogRoot(Zeroizing::new([0; ROOT]))])
    }
}

impl LogRoots {
    /// Those that an owner's folder holds.
    ///
    /// # Errors
    /// STORE-007 when they cannot be read, STORE-019 when they were changed.
    pub fn of_folder(vault: &Vault) -> Result<Self, StoreError> {
        let Some(kept) = vault.log_roots()? else {
            return Ok(Self::default());
        };
        Self::from_bytes(&kept).ok_or_else(|| StoreError::LogUnfit {
            dir: vault.dir().to_owned(),
            what: "its file log-roots is damaged: have the owner granted to this host again",
        })
    }

    /// Keeps them in an owner's folder; on disk when this returns.
    ///
    /// # Errors
    /// STORE-007 when they cannot be written.
    pub fn keep_in(&self, vault: &Vault) -> Result<(), StoreError> {
        vault.keep_log_roots(&self.to_bytes())
    }

    /// The same and a new one.
    ///
    /// # Errors
    /// When the system has no random numbers.
    pub fn with_new(&self) -> Result<Self, SealError> {
        let fresh = LogRoot(Zeroizing::new(random()?));
        // Those of attempts that were interrupted long ago have sealed nothing that is left.
        let kept = self.0.iter().rev().take(ROOTS_MAX - 1).rev().cloned();
        Ok(Self(kept.chain([fresh]).collect()))
    }

    /// The newest alone.
    #[must_use]
    pub fn newest(&self) -> Self {
        Self(self.0.last().cloned().into_iter().collect())
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &LogRoot> {
        self.0.iter()
    }

    pub(crate) fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        let mut bytes = Zeroizing::new(Vec::with_capacity(ROOTS_MAX * ROOT));
        for root in &self.0 {
            bytes.extend_from_slice(&*root.0);
        }
        bytes
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (roots, rest) = bytes.as_chunks::<ROOT>();
        let is_whole = rest.is_empty() && (1..=ROOTS_MAX).contains(&roots.len());
        let roots = roots.iter().map(|root| LogRoot(Zeroizing::new(*root)));
        is_whole.then(|| Self(roots.collect()))
    }
}
