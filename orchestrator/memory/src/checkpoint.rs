//! The write-ahead log, moved into the database beside the writer.
//!
//! What: [`Checkpointer`], asked after each commit. Why: SQLite moves a log of a thousand pages within the commit that passes them, and who
//! waits for that commit waits for the move and its sync as well: up to a second while a year is deleted. Not here: cutting the log to
//! nothing (`crate::writer`).

use crate::{Vault, database, schema};
use rusqlite::Connection;
use std::{
    cell::Cell,
    path::Path,
    thread::{self, JoinHandle},
};

/// From so many new pages on the log is moved: SQLite's own limit.
const PAGES: i32 = 1000;
/// From so many pages on a log has to begin anew, which it does not by itself while somebody commits during each move.
const LONG: i32 = 8 * PAGES;
/// So many new pages are moved within a commit, where the log has to begin anew: some milliseconds.
const FEW: i32 = 64;
/// From so many pages on (256 MiB) whoever commits waits until all of it is moved: commits of many rows, one after the other, would let it
/// grow until the disk is full.
const MOST: i32 = 64 * PAGES;

thread_local! {
    /// Pages in the log after the last commit of this thread.
    static LOG: Cell<i32> = const { Cell::new(0) };
}

/// Has SQLite say how long the log is, in place of moving it within a commit.
pub(crate) fn watch(conn: &Connection) {
    conn.wal_hook(Some(|_, pages| {
        LOG.set(pages);
        Ok(())
    }));
}

/// Moves the log of a writer's connection that is [watched](watch).
#[derive(Default)]
pub(crate) struct Checkpointer {
    moving: Option<JoinHandle<()>>,
    /// How long the log was when the last move began.
    begun_at: i32,
    /// It begins anew at this length at the latest, where that is more than [`LONG`]: somebody read it at the last try.
    long_at: i32,
}

impl Checkpointer {
    /// Begins to move the log when it is long; on the thread that committed.
    pub(crate) fn after_commit(&mut self, conn: &Connection, vault: &Vault, file: &Path) {
        let pages = LOG.get();
        if pages < self.begun_at {
            // It begins anew once all of it is in the database.
            (self.begun_at, self.long_at) = (0, 0);
        }
        if pages >= self.long_at.max(MOST) {
            self.join();
            self.move_within(conn, pages);
            return;
        }
        let fresh = pages.saturating_sub(self.begun_at);
        let is_due = fresh >= PAGES || self.is_long();
        if !is_due || self.is_moving() {
            return;
        }
        if self.is_long() && fresh <= FEW {
            // All but these are there already.
            self.move_within(conn, pages);
            return;
        }
        self.begun_at = pages;
        let (key, file) = (vault.database_key(schema::FILE), file.to_owned());
        let moving = thread::Builder::new()
            .name("aura-checkpoint".to_owned())
            .spawn(move || {
                if let Err(error) = database::checkpoint_beside(&key, &file) {
                    tracing::debug!(code = error.code(), %error, "the log is moved later");
                }
            });
        // Without a thread it is tried again when the log has grown as much again.
        self.moving = moving.ok();
    }

    /// Moves what is not moved yet on the thread that committed, so that the next page begins the log anew unless somebody reads it.
    fn move_within(&mut self, conn: &Connection, pages: i32) {
        (self.begun_at, self.long_at) = (pages, pages.saturating_add(PAGES));
        if let Err(error) = conn.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(())) {
            tracing::debug!(%error, "the log is moved later");
        }
    }

    /// Whether the log has to begin anew before anything is written that nobody waits for.
    fn is_long(&self) -> bool {
        LOG.get() >= self.long_at.max(LONG)
    }

    /// Whether what nobody waits for is to wait: it would lengthen a log that is being moved or has to begin anew.
    pub(crate) fn holds_back(&self) -> bool {
        self.is_moving() || self.is_long()
    }

    fn is_moving(&self) -> bool {
        self.moving.as_ref().is_some_and(|moving| !moving.is_finished())
    }

    /// Waits for the end of a move.
    pub(crate) fn join(&mut self) {
        if let Some(moving) = self.moving.take() {
            // A panic in it is in the log; the next move does what it left.
            drop(moving.join());
        }
    }
}

impl Drop for Checkpointer {
    fn drop(&mut self) {
        self.join();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Store, StoreOptions};
    use tempfile::TempDir;

    /// Rows of a hundred kilobytes, 25 pages each.
    fn write(conn: &Connection, rows: usize) {
        for _ in 0..rows {
            conn.execute("INSERT INTO large (bytes) VALUES (zeroblob(100000))", [])
                .unwrap();
        }
    }

    #[test]
    fn a_long_log_is_moved_beside_the_writer_and_begins_anew() {
        let dir = TempDir::new().unwrap();
        let vault = Vault::ephemeral(dir.path()).unwrap();
        drop(Store::open(&vault, StoreOptions::default()).unwrap());
        let (key, file) = (vault.database_key(schema::FILE), dir.path().join(schema::FILE));
        let conn = database::reopen_for_writing(&key, &file).unwrap();
        watch(&conn);
        conn.execute("CREATE TABLE large (bytes BLOB)", []).unwrap();
        let mut checkpoints = Checkpointer::default();

        // 30 rows are some 750 pages: nothing is moved yet.
        write(&conn, 30);
        checkpoints.after_commit(&conn, &vault, &file);
        assert!((750..1000).contains(&LOG.get()), "{}", LOG.get());
        assert!(checkpoints.moving.is_none());

        // No commit moves it, however long it gets.
        write(&conn, 50);
        assert!(LOG.get() >= 2000, "{}", LOG.get());
        checkpoints.after_commit(&conn, &vault, &file);
        checkpoints.join();
        write(&conn, 1);
        assert!(LOG.get() < 100, "the log begins anew: {}", LOG.get());

        // Who reads holds it: it is not tried at each commit.
        checkpoints.after_commit(&conn, &vault, &file);
        let reader = database::open_reading(&key, &file).unwrap();
        reader.execute_batch("BEGIN; SELECT count(*) FROM large").unwrap();
        write(&conn, 45);
        checkpoints.after_commit(&conn, &vault, &file);
        assert!(checkpoints.moving.is_some());
        checkpoints.join();
        write(&conn, 1);
        checkpoints.after_commit(&conn, &vault, &file);
        assert!(checkpoints.moving.is_none());
        drop(reader);
    }

    #[test]
    fn commits_of_many_rows_one_after_the_other_do_not_let_the_log_grow_for_ever() {
        let dir = TempDir::new().unwrap();
        let vault = Vault::ephemeral(dir.path()).unwrap();
        drop(Store::open(&vault, StoreOptions::default()).unwrap());
        let (key, file) = (vault.database_key(schema::FILE), dir.path().join(schema::FILE));
        let mut conn = database::reopen_for_writing(&key, &file).unwrap();
        watch(&conn);
        conn.execute("CREATE TABLE large (bytes BLOB)", []).unwrap();
        let mut checkpoints = Checkpointer::default();
        // Each commit is of some 2,500 pages, and the next one comes while those before it are moved: 75,000 pages in all.
        let (mut longest, mut begun_anew) = (0, 0);
        for _ in 0..30 {
            let before = LOG.get();
            let tx = conn.transaction().unwrap();
            write(&tx, 100);
            tx.commit().unwrap();
            begun_anew += usize::from(LOG.get() < before);
            longest = longest.max(LOG.get());
            checkpoints.after_commit(&conn, &vault, &file);
        }
        assert!(longest < MOST + 3000, "{longest}");
        // However fast the moves beside it were.
        assert!(begun_anew >= 1);
    }

    #[test]
    fn a_log_that_is_committed_to_during_each_move_begins_anew_too() {
        let dir = TempDir::new().unwrap();
        let vault = Vault::ephemeral(dir.path()).unwrap();
        drop(Store::open(&vault, StoreOptions::default()).unwrap());
        let (key, file) = (vault.database_key(schema::FILE), dir.path().join(schema::FILE));
        let mut conn = database::reopen_for_writing(&key, &file).unwrap();
        watch(&conn);
        conn.execute("CREATE TABLE large (bytes BLOB)", []).unwrap();
        let mut checkpoints = Checkpointer::default();
        let tx = conn.transaction().unwrap();
        write(&tx, 330);
        tx.commit().unwrap();
        assert!(checkpoints.holds_back(), "{}", LOG.get());
        // Who reads its end lets all of it be moved and holds the log as a commit during the move does: the next page is written behind it.
        let reader = database::open_reading(&key, &file).unwrap();
        reader.execute_batch("BEGIN; SELECT count(*) FROM large").unwrap();
        checkpoints.after_commit(&conn, &vault, &file);
        checkpoints.join();
        write(&conn, 1);
        assert!(LOG.get() > LONG, "{}", LOG.get());
        drop(reader);
        checkpoints.after_commit(&conn, &vault, &file);
        assert!(
            !checkpoints.holds_back(),
            "what is new was moved within the commit"
        );
        write(&conn, 1);
        assert!(LOG.get() < 100, "the log begins anew: {}", LOG.get());
    }
}
