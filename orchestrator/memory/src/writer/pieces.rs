//! What is written in pieces of its own, between two commits.
//!
//! What: slices of what is to go, events of runs, drafts that their owner edits. Why: nobody who waits for a commit waits for them. Where the store follows
//! a log, the latter two were sent as a group before, and what became of them is told here. Not here: groups and when what is written (`super`).

use super::{
    CommitAttempt, CommitFailure, SLICE_AGAIN, SLICE_BESIDE_CHECKPOINT, StoreWriter, WriterExit, fenced,
    keep_pages, lost, tell_one,
};
use crate::{
    committed::{CommitChange, commit},
    error::StoreError,
    outbox,
    remote_log::LogGate,
    store::CAPACITY,
    workflows::{self, AppendOutcome, RunAck, RunWrite},
};
use rusqlite::TransactionBehavior;
use std::{sync::atomic::Ordering, time::Instant};

impl StoreWriter {
    /// The next of each that is due. [`WriterExit::Closed`]: it can go on.
    pub(super) fn write_pieces(&mut self) -> WriterExit {
        let mut ended = WriterExit::Closed;
        if self.folds_now() {
            ended = self.fold();
        }
        if ended == WriterExit::Closed && self.slice_at.is_none_or(|at| at <= Instant::now()) {
            ended = self.slice();
        }
        if ended == WriterExit::Closed {
            ended = self.write_run();
        }
        if ended == WriterExit::Closed {
            ended = self.change_draft();
        }
        if ended == WriterExit::Closed {
            ended = self.renew_log_key();
        }
        ended
    }

    /// Writes all that waits, when nothing more can come.
    pub(super) fn end(&mut self) -> WriterExit {
        let mut ended = self.flush();
        // A log that does not answer is not waited for again with each of these: who asked is told that nothing was written.
        if self.log.as_ref().is_some_and(LogGate::is_unanswered) {
            return ended;
        }
        if ended == WriterExit::Closed && self.left_behind > 0 {
            ended = self.fold();
        }
        while ended == WriterExit::Closed && !self.runs.is_empty() {
            ended = self.write_run();
        }
        while ended == WriterExit::Closed && !self.drafts.is_empty() {
            ended = self.change_draft();
        }
        ended
    }

    /// Commits what waits, if anything does. [`WriterExit::Closed`]: it can go on.
    fn flush_backlog(&mut self) -> WriterExit {
        if self.backlog.is_empty() {
            WriterExit::Closed
        } else {
            self.flush()
        }
    }

    /// Changes the next draft that its owner edited, or brings it back. [`WriterExit::Closed`]: it can go on.
    fn change_draft(&mut self) -> WriterExit {
        let Some((change, ack)) = self.drafts.pop_front() else {
            return WriterExit::Closed;
        };
        // A turn's change of the outbox is done again with each try of its commit: done after the edit, it would take the edit back.
        let ended = self.flush_backlog();
        if ended != WriterExit::Closed {
            return ended;
        }
        let waiting = self.held;
        let answer = if self.backlog.is_empty() {
            // With a log it is done already, with the group before it: done again, it says what became of it.
            outbox::change_draft(self.vault.dir(), &change)
        } else {
            Err(StoreError::QueueFull {
                waiting,
                limit: CAPACITY,
            })
        };
        tell_one(|| ack(answer));
        ended
    }

    /// Seals with a new key what goes into the log outside from now on, for the next who asked. [`WriterExit::Closed`]: it can go on.
    fn renew_log_key(&mut self) -> WriterExit {
        let Some(ack) = self.renewals.pop_front() else {
            return WriterExit::Closed;
        };
        // What is in the log and not committed would count as committed.
        let mut ended = self.flush_backlog();
        if ended != WriterExit::Closed {
            return ended;
        }
        let waiting = self.held;
        let renewed = match &mut self.log {
            Some(_) if !self.backlog.is_empty() => Err(CommitFailure::Disk(StoreError::QueueFull {
                waiting,
                limit: CAPACITY,
            })),
            Some(log) => log.renew_key().map_err(CommitFailure::of_log),
            None => Ok(()),
        };
        let renewed = renewed
            .and_then(|()| self.open_if_closed())
            .and_then(|()| Ok(self.commit_place()?));
        let answer = match renewed {
            Ok(()) => Ok(()),
            Err(CommitFailure::Lost) => {
                ended = lost();
                Err(StoreError::Stopped)
            }
            // Nobody is told anything any more.
            Err(CommitFailure::Fenced(error)) => return fenced(&error),
            Err(CommitFailure::Disk(error)) => Err(error),
        };
        tell_one(|| ack(answer));
        ended
    }

    /// Writes which entry of the log outside is the last: it holds nothing that is not committed.
    fn commit_place(&mut self) -> Result<(), StoreError> {
        let (Some(log), Some(conn)) = (&self.log, self.conn.as_mut()) else {
            return Ok(());
        };
        let file = &self.file;
        let committed = self
            .committed
            .after(self.committed.groups, CommitChange::default())
            .in_log(log.end());
        let done = conn
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(|e| StoreError::sql(file, e))
            .and_then(|tx| commit(tx, committed, self.faults.as_deref(), file));
        match done {
            Ok(committed) => {
                self.committed = committed;
                Ok(())
            }
            Err(error) => {
                self.fail(CommitAttempt::Run);
                Err(error)
            }
        }
    }

    /// Takes out a slice of what is to go. [`WriterExit::Closed`]: it can go on.
    fn slice(&mut self) -> WriterExit {
        if self.shared.abandoned.load(Ordering::Acquire) {
            // Who asked is told by that.
            self.removals.clear();
        }
        if self.removals.is_empty() {
            return WriterExit::Closed;
        }
        if self.checkpoints.holds_back() {
            self.slice_at = Some(Instant::now() + SLICE_BESIDE_CHECKPOINT);
            return WriterExit::Closed;
        }
        self.slice_at = None;
        match self.open_if_closed().and_then(|()| Ok(self.commit_slice()?)) {
            Ok(()) => {
                if let Some(removing) = self.removals.pop_front_if(|removing| removing.is_done()) {
                    tell_one(|| removing.tell());
                }
                WriterExit::Closed
            }
            Err(CommitFailure::Lost) => lost(),
            Err(CommitFailure::Fenced(error)) => fenced(&error),
            Err(CommitFailure::Disk(error)) => {
                tracing::warn!(code = error.code(), %error, "what is to go could not be removed, it is tried again");
                self.shared.failed_commits.fetch_add(1, Ordering::Relaxed);
                if self.conn.is_some() {
                    self.fail(CommitAttempt::Slice);
                }
                self.slice_at = Some(Instant::now() + SLICE_AGAIN);
                WriterExit::Closed
            }
        }
    }

    fn commit_slice(&mut self) -> Result<(), StoreError> {
        let file = &self.file;
        let sql = |e| StoreError::sql(file, e);
        let (Some(conn), Some(removing)) = (self.conn.as_mut(), self.removals.front_mut()) else {
            return Ok(());
        };
        keep_pages(conn, &mut self.kept_for_many, true).map_err(sql)?;
        let begun = Instant::now();
        let tx = conn
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(sql)?;
        removing.slice(&tx).map_err(sql)?;
        let committed = self.committed.after(self.committed.groups, CommitChange::ANY);
        self.committed = commit(tx, committed, self.faults.as_deref(), file)?;
        removing.committed();
        removing.pace(begun.elapsed());
        self.shared.commits.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// Writes the next that waits of a run. [`WriterExit::Closed`]: it can go on.
    fn write_run(&mut self) -> WriterExit {
        let Some((write, ack)) = self.runs.pop_front() else {
            return WriterExit::Closed;
        };
        if self.log.is_some() {
            return self.tell_logged_run(&write, ack);
        }
        let mut ended = WriterExit::Closed;
        let written = self.open_if_closed().and_then(|()| Ok(self.commit_run(&write)?));
        let answer = match written {
            Ok(outcome) => Ok(outcome),
            Err(CommitFailure::Lost) => {
                ended = lost();
                Err(StoreError::Stopped)
            }
            // Nobody is told anything any more.
            Err(CommitFailure::Fenced(error)) => return fenced(&error),
            Err(CommitFailure::Disk(error)) => {
                self.shared.failed_commits.fetch_add(1, Ordering::Relaxed);
                if self.conn.is_some() {
                    self.fail(CommitAttempt::Run);
                }
                Err(error)
            }
        };
        tell_one(|| ack(answer));
        ended
    }

    /// Tells what became of something of a run that was sent as a group before it, as other hosts have it. [`WriterExit::Closed`]: it can go on.
    fn tell_logged_run(&mut self, write: &RunWrite, ack: RunAck) -> WriterExit {
        let ended = self.flush_backlog();
        if ended != WriterExit::Closed {
            return ended;
        }
        let waiting = self.held;
        let answer = match &self.conn {
            Some(conn) if self.backlog.is_empty() => {
                workflows::find_outcome(conn, write).map_err(|e| StoreError::sql(&self.file, e))
            }
            Some(_) | None => Err(StoreError::QueueFull {
                waiting,
                limit: CAPACITY,
            }),
        };
        tell_one(|| ack(answer));
        ended
    }

    fn commit_run(&mut self, write: &RunWrite) -> Result<AppendOutcome, StoreError> {
        let file = &self.file;
        let sql = |e| StoreError::sql(file, e);
        let conn = self.conn.as_mut().ok_or(StoreError::Stopped)?;
        let tx = conn
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(sql)?;
        let outcome = workflows::apply(&tx, write).map_err(sql)?;
        if outcome == AppendOutcome::Written {
            let committed = self
                .committed
                .after(self.committed.groups, CommitChange::default());
            self.committed = commit(tx, committed, self.faults.as_deref(), file)?;
            self.shared.commits.fetch_add(1, Ordering::Relaxed);
        }
        Ok(outcome)
    }
}
