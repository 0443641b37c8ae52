//! Connections for reading that stay open between two questions.
//!
//! What: [`ReaderPool`], which belongs to an open [`crate::Store`] and lends a [`StoreReader`] to one question at a time. Why: a new connection reads
//! the whole schema first, which took a third of a page's processor time. Not here: what is asked (`reader`), reading a folder that nobody
//! writes to (`StoreReader::open`).

use crate::{behind, error::StoreError, reader::StoreReader, schema, vault::Vault};
use std::{
    fs, io,
    os::unix::fs::MetadataExt as _,
    path::Path,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// So many stay open. Each keeps the schema in memory, some 100 KiB, and no page of the database.
const IDLE_MAX: usize = 4;

/// Readers of one folder's store. Their connections are closed before the writer closes or reopens its own: the last one to close empties the log, and
/// after a failed write nothing that SQLite keeps of it may be believed.
#[derive(Debug)]
pub struct ReaderPool {
    vault: Vault,
    idle: Mutex<IdleReaders>,
}

#[derive(Debug, Default)]
struct IdleReaders {
    readers: Vec<PooledReader>,
    /// Whoever was lent before the last [`ReaderPool::discard`] does not come back.
    generation: u64,
    is_closed: bool,
}

#[derive(Debug)]
struct PooledReader {
    reader: StoreReader,
    file: FileIdentity,
    generation: u64,
}

/// Which file it is, whatever its name: while it is open, no other has this identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FileIdentity {
    device: u64,
    inode: u64,
}

impl FileIdentity {
    fn read(path: &Path) -> io::Result<Self> {
        let meta = fs::metadata(path)?;
        Ok(Self {
            device: meta.dev(),
            inode: meta.ino(),
        })
    }
}

impl StoreReader {
    /// Waits for what the last commit left to be written behind it.
    pub(crate) fn wait_until_folded(&self, dir: &Path) -> Result<(), StoreError> {
        if self.version < schema::BEHIND_SINCE {
            return Ok(());
        }
        behind::wait_until_folded(&self.conn, dir).map_err(|e| StoreError::sql(&self.file, e).unrepaired())
    }

    /// Keeps no page of the database in memory.
    pub(crate) fn forget_pages(&self) -> rusqlite::Result<()> {
        self.conn.release_memory()
    }
}

impl ReaderPool {
    pub(crate) fn new(vault: &Vault) -> Self {
        Self {
            vault: vault.clone(),
            idle: Mutex::default(),
        }
    }

    /// Asks the store something, after what its last commit left to be written behind it. Blocks.
    ///
    /// # Errors
    /// As [`StoreReader::open`], and what the question fails with.
    pub fn read<T>(
        &self,
        question: impl FnOnce(&StoreReader) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.read_unfolded(|reader| {
            reader.wait_until_folded(self.vault.dir())?;
            question(reader)
        })
    }

    /// The same without that wait, for questions about anything but the graph.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn read_unfolded<T>(
        &self,
        question: impl FnOnce(&StoreReader) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let (idle, generation) = {
            let mut idle = self.idle();
            (idle.readers.pop(), idle.generation)
        };
        let is_there = |pooled: &PooledReader| {
            FileIdentity::read(&pooled.reader.file).is_ok_and(|file| file == pooled.file)
        };
        let pooled = match idle.filter(is_there) {
            Some(pooled) => pooled,
            None => self.open(generation)?,
        };
        // A connection on which a question failed is not asked another one.
        let answer = question(&pooled.reader)?;
        self.take_back(pooled);
        Ok(answer)
    }

    fn open(&self, generation: u64) -> Result<PooledReader, StoreError> {
        let reader = StoreReader::open_unfolded(&self.vault)?;
        let file = FileIdentity::read(&reader.file).map_err(StoreError::file("look at", &reader.file))?;
        Ok(PooledReader {
            reader,
            file,
            generation,
        })
    }

    fn take_back(&self, pooled: PooledReader) {
        // What was read stays nowhere.
        if pooled.reader.forget_pages().is_err() {
            return;
        }
        let mut idle = self.idle();
        if !idle.is_closed && idle.generation == pooled.generation && idle.readers.len() < IDLE_MAX {
            idle.readers.push(pooled);
        }
    }

    /// Closes all that are idle now, and each of the others when its question is answered.
    pub(crate) fn discard(&self) {
        let readers = {
            let mut idle = self.idle();
            idle.generation += 1;
            std::mem::take(&mut idle.readers)
        };
        drop(readers);
    }

    /// The same, for good: whoever asks from now on opens a connection and closes it.
    pub(crate) fn close(&self) {
        self.idle().is_closed = true;
        self.discard();
    }

    #[cfg(test)]
    pub(crate) fn idle_count(&self) -> usize {
        self.idle().readers.len()
    }

    fn idle(&self) -> MutexGuard<'_, IdleReaders> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Store, StoreOptions, StoreWrite, vault::NewPlace};
    use std::{fs, sync::Arc};

    fn folder() -> (tempfile::TempDir, Vault) {
        let dir = tempfile::tempdir().unwrap();
        let place = NewPlace::File(dir.path().join("test.key"));
        let vault = Vault::create(&dir.path().join("data"), &place).unwrap();
        (dir, vault)
    }

    fn event(seq: u64) -> Vec<StoreWrite> {
        vec![StoreWrite::Event {
            seq,
            at_ms: 1,
            json: "{}".to_owned(),
        }]
    }

    fn events(pool: &ReaderPool) -> u64 {
        pool.read(|reader| Ok(reader.counts()?.events)).unwrap()
    }

    #[test]
    fn a_connection_that_stays_open_sees_each_commit_and_no_more_than_four_stay() {
        let (_dir, vault) = folder();
        let (store, _) = Store::open(&vault, StoreOptions::default()).unwrap();
        let pool = store.readers();
        for seq in 1..=3 {
            store.write(event(seq)).unwrap();
            store.commit_now().unwrap();
            assert_eq!(events(&pool), seq);
            assert_eq!(pool.idle_count(), 1, "one after the other is one connection");
        }
        fn nested(pool: &ReaderPool, depth: usize) {
            let read = pool.read(|_| {
                if depth > 1 {
                    nested(pool, depth - 1);
                }
                Ok(())
            });
            read.unwrap();
        }
        nested(&pool, 6);
        assert_eq!(pool.idle_count(), IDLE_MAX);
    }

    #[test]
    fn a_question_that_fails_leaves_no_connection_and_one_about_another_file_gets_a_new_one() {
        let (_dir, vault) = folder();
        let (store, _) = Store::open(&vault, StoreOptions::default()).unwrap();
        let pool = store.readers();
        assert!(pool.read(|_| Err::<(), _>(StoreError::Stopped)).is_err());
        assert_eq!(pool.idle_count(), 0);
        assert_eq!(events(&pool), 0);
        let file = vault.dir().join(schema::FILE);
        let aside = file.with_extension("aside");
        fs::rename(&file, &aside).unwrap();
        assert!(
            matches!(pool.read(StoreReader::counts), Err(StoreError::Missing { .. })),
            "not the file that has another name now"
        );
        fs::rename(&aside, &file).unwrap();
        assert_eq!(events(&pool), 0);
    }

    #[test]
    fn the_log_is_emptied_beside_idle_connections_and_gone_when_the_store_closes() {
        let (_dir, vault) = folder();
        let (store, _) = Store::open(&vault, StoreOptions::default()).unwrap();
        let pool = store.readers();
        let log = vault.dir().join(schema::FILE).with_extension("db-wal");
        store.write(event(1)).unwrap();
        store.commit_now().unwrap();
        assert_eq!(events(&pool), 1);
        store.empty_log().unwrap();
        assert_eq!(fs::metadata(&log).unwrap().len(), 0);
        store.write(event(2)).unwrap();
        store.commit_now().unwrap();
        // Who is asked while the store closes does not keep its connection.
        pool.read(|_| {
            drop(store);
            Ok(())
        })
        .unwrap();
        assert_eq!(pool.idle_count(), 0);
        assert_eq!(events(&pool), 2, "a closed pool answers");
        assert_eq!(pool.idle_count(), 0);
        let (store, _) = Store::open(&vault, StoreOptions::default()).unwrap();
        let pool = store.readers();
        assert_eq!(events(&pool), 2);
        assert_eq!(pool.idle_count(), 1);
        drop(store);
        assert!(!log.exists(), "the last connection was the writer's");
        assert_eq!(Arc::strong_count(&pool), 1);
    }
}
