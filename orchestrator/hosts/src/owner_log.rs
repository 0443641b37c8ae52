//! A log as the store's writer is given it.
//!
//! What: [`open_with`], which makes of any [`JournalLog`] what a store follows. Why: the store knows neither sealing nor where a log is kept, and a log
//! knows nothing of a store. Not here: when something is appended or replaced by a snapshot (`aura-memory`).
//!
//! The owner's data keys lie in the log, sealed with what her seed leads to. What is sealed names its key. A new key seals all that follows; the old ones
//! are destroyed when nothing is left that they open.

use crate::{
    log::{AppendError, JournalLog, LogError, LogPosition, PART_BYTES_MAX, SealedEntry, SnapshotHead},
    roots::LogRoots,
    seal::{EntryCipher, KeyCipher, OwnerSubject, PART_SEAL, PartPlace, SealError, key_number, snapshot_id},
};
use aura_memory::{
    LogPage, LoggedWrites, OpenRemoteLog, RemoteLog, RemoteSnapshot, StoreError, StoreWrite, Vault,
};
use std::{
    collections::BTreeMap,
    io::{self, Read},
    path::{Path, PathBuf},
    sync::Arc,
};
use zeroize::Zeroizing;

/// What the log has to take at least: what follows from one event may hold the states of agents, 1 MiB each as JSON within JSON.
pub const ENTRY_BYTES_MIN: usize = 4 << 20;

/// How many entries a log has after its snapshot before there is a new one.
pub const ENTRIES_MAX: u64 = 4096;

/// How often a key is made where another process makes one at the same time.
const KEY_TRIES: u32 = 5;

/// How a store opens the log of its owner, by her subject. A snapshot takes the place of so many entries.
pub fn open_with<L, F>(entries_max: u64, open: F) -> OpenRemoteLog
where
    L: JournalLog + Send + 'static,
    F: Fn(&OwnerSubject) -> Result<L, LogError> + Send + Sync + 'static,
{
    Arc::new(move |vault: &Vault| {
        let seal = KeyCipher::derive_with(vault.seed(), &LogRoots::of_folder(vault)?);
        let dir = vault.dir().to_owned();
        let log = open(seal.subject()).map_err(|error| to_store_error(&dir, &error))?;
        if log.entry_bytes_max() < ENTRY_BYTES_MIN {
            let what = "the log takes no entries of 4 MiB: raise what its server takes (`max_payload: 8MB`)";
            return Err(StoreError::LogUnfit { dir, what });
        }
        let mut log = OwnerLog {
            log,
            seal,
            keys: BTreeMap::new(),
            dir,
            entries_max,
        };
        log.read_keys()?;
        if log.keys.is_empty() {
            log.make_key()?;
        }
        Ok(Box::new(log) as Box<dyn RemoteLog>)
    })
}

/// The log of one owner, sealed.
struct OwnerLog<L> {
    log: L,
    seal: KeyCipher,
    /// Those that are there; the last one seals.
    keys: BTreeMap<u32, EntryCipher>,
    dir: PathBuf,
    entries_max: u64,
}

impl<L: JournalLog> OwnerLog<L> {
    fn store_error(&self, error: &LogError) -> StoreError {
        to_store_error(&self.dir, error)
    }

    fn read_keys(&mut self) -> Result<(), StoreError> {
        let keys = self.log.keys().map_err(|error| self.store_error(&error))?;
        let open = |(number, sealed): (u32, Vec<u8>)| Ok((number, self.seal.open_key(number, &sealed)?));
        let keys: Result<_, SealError> = keys.into_iter().map(open).collect();
        self.keys = keys.map_err(|error| of_seal(&self.dir, &error))?;
        Ok(())
    }

    /// Makes a key with the next number, unless another process makes one meanwhile.
    fn make_key(&mut self) -> Result<(), StoreError> {
        let last = self.keys.keys().next_back().copied().unwrap_or_default();
        for _ in 0..KEY_TRIES {
            let number = last.saturating_add(1);
            let sealed = self.seal.make_key(number);
            let sealed = sealed.map_err(|error| of_seal(&self.dir, &error))?;
            let added = self.log.add_key(number, &sealed);
            let is_added = added.map_err(|error| self.store_error(&error))?;
            self.read_keys()?;
            if is_added || self.keys.keys().next_back() > Some(&last) {
                return Ok(());
            }
        }
        Err(StoreError::LogAway)
    }

    fn newest_key(&self) -> Result<&EntryCipher, StoreError> {
        let newest = self.keys.values().next_back();
        newest.ok_or_else(|| unfit(&self.dir, NO_KEY))
    }

    /// The key that something was sealed with, which may be a new one.
    fn key_of(&mut self, sealed: &[u8], position: LogPosition) -> Result<&EntryCipher, StoreError> {
        let number = key_number(sealed);
        let number = number.ok_or_else(|| of_seal(&self.dir, &SealError::Foreign(position)))?;
        if !self.keys.contains_key(&number) {
            self.read_keys()?;
        }
        // Destroyed since it was read: what is left of the log is asked for again.
        self.keys.get(&number).ok_or(StoreError::LogAway)
    }

    fn open_entry(&mut self, position: LogPosition, entry: SealedEntry) -> Result<LoggedWrites, StoreError> {
        let writes = self.key_of(entry.bytes(), position)?.open_group(position, &entry);
        Ok(LoggedWrites {
            position: position.number(),
            writes: writes.map_err(|error| of_seal(&self.dir, &error))?,
            sealed: entry.into_bytes(),
        })
    }

    /// Destroys the keys that open neither the snapshot nor an entry.
    fn destroy_unused_keys(&mut self) -> Result<(), StoreError> {
        let Some(head) = self.log.snapshot().map_err(|error| self.store_error(&error))? else {
            return Ok(());
        };
        let of_snapshot = self.log.snapshot_part(&head, 0);
        let of_snapshot = of_snapshot.map_err(|error| self.store_error(&error))?;
        let before_first = LogPosition::new(head.position.number().saturating_sub(1));
        let first = self.log.tail(before_first, 1);
        let first = first.map_err(|error| self.store_error(&error))?;
        let of_first = first.first().map(|entry| entry.entry.bytes());
        let used = [Some(of_snapshot.as_slice()), of_first];
        let used = used.into_iter().flatten().filter_map(key_number).min();
        let destroyed = self.log.destroy_keys(used.unwrap_or_default());
        destroyed.map_err(|error| self.store_error(&error))
    }
}

impl<L: JournalLog + Send> RemoteLog for OwnerLog<L> {
    fn seal(&mut self, position: u64, writes: &[&StoreWrite]) -> Result<Vec<u8>, StoreError> {
        let sealed = self.newest_key()?.seal_group(LogPosition::new(position), writes);
        let entry = sealed.map_err(|error| of_seal(&self.dir, &error))?;
        Ok(entry.into_bytes())
    }

    fn salt(&mut self, position: u64, entry: &[u8]) -> Result<[u8; 32], StoreError> {
        let position = LogPosition::new(position);
        Ok(self.key_of(entry, position)?.salt(position, entry))
    }

    fn append(&mut self, position: u64, entry: &[u8]) -> Result<(), StoreError> {
        let expected = LogPosition::new(position.saturating_sub(1));
        let entry = SealedEntry::from_bytes(entry.to_vec());
        match self.log.append(expected, &entry) {
            Ok(_) => Ok(()),
            Err(error @ AppendError::Conflict { .. }) => {
                tracing::error!(%error, "the log refuses this host");
                Err(StoreError::Fenced)
            }
            Err(error @ AppendError::TooLarge { .. }) => {
                tracing::error!(%error, "the log does not take what is to be written");
                let what =
                    "what is to be written is larger than an entry may be: raise what the log's server takes";
                Err(unfit(&self.dir, what))
            }
            Err(AppendError::Log(error)) => Err(self.store_error(&error)),
        }
    }

    fn read_after(&mut self, position: u64, at_most: usize) -> Result<LogPage, StoreError> {
        let page = match self.log.tail(LogPosition::new(position), at_most) {
            Ok(page) => page,
            Err(LogError::Cut { .. }) => return Ok(LogPage::Cut),
            Err(error) => return Err(self.store_error(&error)),
        };
        let opened = page
            .into_iter()
            .map(|entry| self.open_entry(entry.position, entry.entry));
        Ok(LogPage::Entries(opened.collect::<Result<_, _>>()?))
    }

    fn entries_max(&self) -> u64 {
        self.entries_max
    }

    fn snapshot(&mut self) -> Result<Option<RemoteSnapshot<'_>>, StoreError> {
        let head = self.log.snapshot().map_err(|error| self.store_error(&error))?;
        Ok(head.map(|head| RemoteSnapshot {
            position: head.position.number(),
            content: Box::new(SnapshotReader {
                log: self,
                head,
                next: 0,
                id: None,
                plain: Zeroizing::default(),
                read: 0,
            }),
        }))
    }

    fn put_snapshot(&mut self, position: u64, content: &mut dyn Read) -> Result<(), StoreError> {
        let at = LogPosition::new(position);
        let place = PartPlace::first(at).map_err(|error| of_seal(&self.dir, &error))?;
        let newest = self.keys.values().next_back();
        let mut parts = SealedParts {
            content,
            cipher: newest.ok_or_else(|| unfit(&self.dir, NO_KEY))?,
            place,
            ahead: Zeroizing::default(),
        };
        let kept = self.log.put_snapshot(at, &mut parts);
        kept.and_then(|()| self.log.cut(at))
            .map_err(|error| self.store_error(&error))?;
        self.destroy_unused_keys()
    }

    fn renew_key(&mut self) -> Result<(), StoreError> {
        self.make_key()
    }
}

/// What is read, in sealed parts.
struct SealedParts<'a> {
    content: &'a mut dyn Read,
    cipher: &'a EntryCipher,
    place: PartPlace,
    /// The part that was read last: whether it is the last one shows with the next.
    ahead: Zeroizing<Vec<u8>>,
}

impl SealedParts<'_> {
    fn read_part(&mut self) -> io::Result<Zeroizing<Vec<u8>>> {
        let mut plain = Zeroizing::new(Vec::with_capacity(PART_BYTES_MAX - PART_SEAL));
        let most = (PART_BYTES_MAX - PART_SEAL) as u64;
        (&mut self.content).take(most).read_to_end(&mut plain)?;
        Ok(plain)
    }

    fn seal_next(&mut self) -> Result<Vec<u8>, LogError> {
        let unread = |error: io::Error| LogError::Unavailable(format!("the folder cannot be read: {error}"));
        if self.place.part == 0 {
            self.ahead = self.read_part().map_err(unread)?;
        }
        let after = self.read_part().map_err(unread)?;
        self.place.is_last = after.is_empty();
        let sealed = self.cipher.seal_part(self.place, &self.ahead);
        self.place.part += 1;
        self.ahead = after;
        sealed.map_err(|error| LogError::Unavailable(error.to_string()))
    }
}

impl Iterator for SealedParts<'_> {
    type Item = Result<Vec<u8>, LogError>;

    fn next(&mut self) -> Option<Self::Item> {
        (!self.place.is_last).then(|| self.seal_next())
    }
}

/// What a snapshot holds, part by part.
struct SnapshotReader<'a, L> {
    log: &'a mut OwnerLog<L>,
    head: SnapshotHead,
    next: u64,
    /// As the first part says.
    id: Option<[u8; 16]>,
    plain: Zeroizing<Vec<u8>>,
    read: usize,
}

impl<L: JournalLog> SnapshotReader<'_, L> {
    fn read_part(&mut self) -> Result<(), StoreError> {
        let position = self.head.position;
        let sealed = self.log.log.snapshot_part(&self.head, self.next);
        let sealed = sealed.map_err(|error| self.log.store_error(&error))?;
        let place = PartPlace {
            id: self.id.or_else(|| snapshot_id(&sealed)).unwrap_or_default(),
            position,
            part: self.next,
            is_last: self.next + 1 == self.head.parts,
        };
        let plain = self.log.key_of(&sealed, position)?.open_part(place, &sealed);
        self.plain = plain.map_err(|error| of_seal(&self.log.dir, &error))?;
        (self.id, self.read) = (Some(place.id), 0);
        self.next += 1;
        Ok(())
    }
}

impl<L: JournalLog> Read for SnapshotReader<'_, L> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.read == self.plain.len() && self.next < self.head.parts {
            self.read_part().map_err(io::Error::other)?;
        }
        let mut rest = self.plain.get(self.read..).unwrap_or_default();
        let taken = rest.read(buffer)?;
        self.read += taken;
        Ok(taken)
    }
}

const NO_KEY: &str = "the log has no key that opens what is in it";

fn unfit(dir: &Path, what: &'static str) -> StoreError {
    StoreError::LogUnfit {
        dir: dir.to_owned(),
        what,
    }
}

/// What a store says of a log's error.
pub fn to_store_error(dir: &Path, error: &LogError) -> StoreError {
    tracing::warn!(%error, "the log outside this process");
    match error {
        LogError::Unavailable(_) => StoreError::LogAway,
        // As one that does not answer: her folder and the log are well.
        #[cfg(feature = "jetstream")]
        LogError::Refused(_) => StoreError::LogAway,
        LogError::Damaged(_) => unfit(dir, "the log is damaged, or is no log of this kind"),
        LogError::Cut { .. } | LogError::NoSnapshot { .. } => {
            unfit(dir, "the log lacks entries that its snapshot does not hold")
        }
        LogError::Beyond { .. } => unfit(
            dir,
            "the log ends before what this folder holds: it is another one, or has lost what it had acknowledged",
        ),
    }
}

fn of_seal(dir: &Path, error: &SealError) -> StoreError {
    tracing::error!(%error, "the log outside this process");
    match error {
        SealError::Foreign(_) => unfit(dir, "the log was not sealed with this owner's key"),
        SealError::ForeignKey(_) => unfit(
            dir,
            "the log was not sealed with this owner's key, or her hosts were changed: have her granted to this host again",
        ),
        SealError::Unreadable(..) | SealError::Newer(..) => StoreError::NewerLog { dir: dir.to_owned() },
        SealError::Unwritable(_) | SealError::NoRandom(_) | SealError::TooLong | SealError::WeakKey => {
            unfit(dir, "what is to be written cannot be sealed")
        }
    }
}
