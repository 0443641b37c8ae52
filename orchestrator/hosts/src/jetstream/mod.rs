//! The log on a NATS server, in `JetStream`.
//!
//! What: [`JetStreamLog`], an owner's log, and [`BusConnection`], what the logs of a process share. Why: it is on several servers when it is
//! acknowledged, and the server itself refuses who lost the owner. Not here: sealing (`seal`), who runs an owner.
//!
//! ```text
//! stream LEASES
//!   l.<owner>                               who runs her, forgotten after six seconds
//!   l.shard-<number>                        who serves the owners of that shard, likewise
//!   l.host-<word>                           a host that lives, with its shards
//! stream KEYS
//!   k.<owner>.<number>                      a data key of hers, sealed; deleted, it is overwritten
//! stream GRANTS
//!   g.<host>.<owner>                        what she granted to the host, sealed to it
//! stream RECORDS
//!   o.<owner>                               her settings and how she stands, sealed
//! stream J017                               one of `shards`, by the owner's subject
//!   j.017.<owner>                           her entries; header Aura-Position, dense from 1
//!   s.017.<owner>.head                      which snapshot is the newest
//!   s.017.<owner>.<name of it>.<part>       its parts
//! ```
//!
//! An entry is published with `Nats-Expected-Last-Subject-Sequence`: the number that the server gave to the entry before. That is the whole lock. There
//! is no consumer: on a stream of many subjects a filtered one is slow, and many of them are a burden. What counts (the last entry, the snapshot) is read
//! from the stream's leader; only the pages of a tail, whose end is known by then, come from whichever replica answers.

mod connection;
mod grants;
mod keys;
mod lease;
mod read;
mod records;
mod snapshot;

pub use connection::{BusConnection, BusOptions, SharedBus};
pub use grants::JetStreamGrants;
pub use lease::JetStreamLeases;
pub use records::JetStreamRecords;

use crate::{
    log::{
        AppendError, JournalLog, LogEntry, LogError, LogPosition, SealedEntry, SnapshotHead, SnapshotParts,
        check_cut, check_dense,
    },
    seal::OwnerSubject,
};
use async_nats::jetstream::{context::PublishErrorKind, message::PublishMessage, stream::Stream};
use connection::unavailable;
use keys::KeyStream;
use std::{collections::BTreeMap, sync::Arc};
use tokio::time::timeout;

/// So often an append is tried within its deadline: an answer that is lost, or a leader that died, costs a part of it only.
const APPEND_TRIES: u32 = 4;

/// The position of an entry, as decimal digits.
const POSITION: &str = "Aura-Position";

/// An entry and where the server has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct StreamPlace {
    position: LogPosition,
    sequence: u64,
}

impl StreamPlace {
    /// Before the first entry.
    const START: Self = Self {
        position: LogPosition::START,
        sequence: 0,
    };
}

/// How an attempt to publish ended.
enum PublishOutcome {
    Stored {
        sequence: u64,
    },
    /// The last message of the subject is another one.
    Refused,
}

/// The log of one owner on a NATS server.
pub struct JetStreamLog {
    bus: Arc<BusConnection>,
    stream: Stream<()>,
    stream_name: String,
    entries: String,
    /// Its subjects begin so.
    snapshots: String,
    keys: KeyStream,
    /// The last entry, as far as this process knows.
    last: Option<StreamPlace>,
    /// The last entry that was read.
    cursor: Option<StreamPlace>,
}

impl std::fmt::Debug for JetStreamLog {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("JetStreamLog")
            .field("entries", &self.entries)
            .finish_non_exhaustive()
    }
}

impl JetStreamLog {
    /// Opens an owner's log, making the stream that it is in.
    ///
    /// # Errors
    /// [`LogError::Unavailable`]; [`LogError::Damaged`] when the stream is not as this makes it, above all when it is one of another number of streams.
    pub fn open(bus: &Arc<BusConnection>, owner: &OwnerSubject) -> Result<Self, LogError> {
        let shard = format!("{:03}", owner.shard(bus.options().shards));
        let stream_name = format!("J{shard}");
        let stream = bus.run(bus.open_stream(&shard))?;
        let keys = KeyStream::open(bus, owner)?;
        let owner = owner.as_str();
        Ok(Self {
            bus: Arc::clone(bus),
            stream,
            stream_name,
            entries: format!("j.{shard}.{owner}"),
            snapshots: format!("s.{shard}.{owner}"),
            keys,
            last: None,
            cursor: None,
        })
    }

    /// Publishes a message behind the one that has the sequence, which is the last of its subject, or behind none.
    async fn publish(
        &self,
        subject: String,
        after: Option<u64>,
        message: PublishMessage,
    ) -> Result<PublishOutcome, LogError> {
        let message = message.expected_stream(&self.stream_name);
        let message = match after {
            Some(sequence) => message.expected_last_subject_sequence(sequence),
            None => message,
        };
        let sent = self.bus.context().send_publish(subject, message).await;
        let answer = match sent {
            Ok(answer) => answer.await,
            Err(error) => Err(error),
        };
        match answer {
            Ok(ack) => Ok(PublishOutcome::Stored {
                sequence: ack.sequence,
            }),
            Err(error) if error.kind() == PublishErrorKind::WrongLastSequence => Ok(PublishOutcome::Refused),
            Err(error) => Err(unavailable(&error)),
        }
    }

    /// Appends, again while nobody answers: an entry that is there already is found by its bytes.
    async fn append_in_tries(
        &mut self,
        expected: LogPosition,
        entry: &SealedEntry,
    ) -> Result<LogPosition, AppendError> {
        let patience = self.bus.options().deadline / APPEND_TRIES;
        for _ in 1..APPEND_TRIES {
            match timeout(patience, self.append_entry(expected, entry)).await {
                Ok(Err(AppendError::Log(LogError::Unavailable(_)))) | Err(_) => {}
                Ok(answered) => return answered,
            }
        }
        let last_try = timeout(patience, self.append_entry(expected, entry)).await;
        last_try.unwrap_or_else(|late| Err(unavailable(&late).into()))
    }

    /// Appends behind `expected`, which is known or looked for.
    async fn append_entry(
        &mut self,
        expected: LogPosition,
        entry: &SealedEntry,
    ) -> Result<LogPosition, AppendError> {
        let known = self.last.take().filter(|last| last.position == expected);
        let last = match known {
            Some(last) => last,
            None => self.read_last().await?,
        };
        if last.position != expected {
            return self.resolve_conflict(expected, last, entry).await;
        }
        let position = expected.next();
        let message = PublishMessage::build()
            .payload(entry.bytes().to_vec().into())
            .header(POSITION, position.to_string());
        match self
            .publish(self.entries.clone(), Some(last.sequence), message)
            .await?
        {
            PublishOutcome::Stored { sequence } => {
                self.last = Some(StreamPlace { position, sequence });
                Ok(position)
            }
            PublishOutcome::Refused => {
                let last = self.read_last().await?;
                self.resolve_conflict(expected, last, entry).await
            }
        }
    }

    /// The log does not end where it was to: because of the same append, whose answer was lost, or of another host.
    async fn resolve_conflict(
        &mut self,
        expected: LogPosition,
        last: StreamPlace,
        entry: &SealedEntry,
    ) -> Result<LogPosition, AppendError> {
        let conflict = AppendError::Conflict { head: last.position };
        let position = expected.next();
        if last.position < position {
            return Err(conflict);
        }
        let there = match self.find(position, last).await {
            Ok(there) => there,
            // It was cut, so a snapshot was made after it: not by who has not heard of it.
            Err(LogError::Cut { .. }) => return Err(conflict),
            Err(error) => return Err(error.into()),
        };
        if there.payload[..] != *entry.bytes() {
            return Err(conflict);
        }
        self.last = Some(last).filter(|last| last.position == position);
        Ok(position)
    }
}

impl JournalLog for JetStreamLog {
    fn entry_bytes_max(&self) -> usize {
        self.bus.message_bytes_max()
    }

    fn head(&mut self) -> Result<LogPosition, LogError> {
        let bus = Arc::clone(&self.bus);
        bus.run(async { Ok(self.read_last().await?.position) })
    }

    fn append(&mut self, expected: LogPosition, entry: &SealedEntry) -> Result<LogPosition, AppendError> {
        let (bytes, bytes_max) = (entry.bytes().len(), self.entry_bytes_max());
        if bytes > bytes_max {
            return Err(AppendError::TooLarge { bytes, bytes_max });
        }
        let bus = Arc::clone(&self.bus);
        bus.run(self.append_in_tries(expected, entry))
    }

    fn tail(&mut self, after: LogPosition, at_most: usize) -> Result<Vec<LogEntry>, LogError> {
        let bus = Arc::clone(&self.bus);
        let page = bus.run(self.read_tail(after, at_most))?;
        check_dense(after, &page)?;
        Ok(page)
    }

    fn put_snapshot(&mut self, position: LogPosition, parts: &mut SnapshotParts<'_>) -> Result<(), LogError> {
        let bus = Arc::clone(&self.bus);
        bus.run(async {
            let head = self.read_last().await?.position;
            if position > head {
                return Err(LogError::Beyond { position, head });
            }
            self.write_snapshot(position, parts).await
        })
    }

    fn snapshot(&mut self) -> Result<Option<SnapshotHead>, LogError> {
        let bus = Arc::clone(&self.bus);
        bus.run(async { Ok(self.snapshot_head().await?.map(|(head, _)| head)) })
    }

    fn snapshot_part(&mut self, of: &SnapshotHead, part: u64) -> Result<Vec<u8>, LogError> {
        let bus = Arc::clone(&self.bus);
        bus.run(self.read_part(of, part))
    }

    fn cut(&mut self, before: LogPosition) -> Result<(), LogError> {
        let bus = Arc::clone(&self.bus);
        bus.run(async {
            let held = self.snapshot_head().await?.map(|(head, _)| head.position);
            check_cut(before, held)?;
            let last = self.read_last().await?;
            if last == StreamPlace::START {
                return Ok(());
            }
            let first_kept = match self.find(before.min(last.position), last).await {
                Ok(message) => message.sequence,
                // They are gone already.
                Err(LogError::Cut { .. }) => return Ok(()),
                Err(error) => return Err(error),
            };
            let purge = self.stream.purge().filter(&self.entries).sequence(first_kept);
            purge.await.map(drop).map_err(|error| unavailable(&error))
        })
    }

    fn keys(&mut self) -> Result<BTreeMap<u32, Vec<u8>>, LogError> {
        self.keys.read()
    }

    fn add_key(&mut self, number: u32, sealed: &[u8]) -> Result<bool, LogError> {
        self.keys.add(number, sealed)
    }

    fn destroy_keys(&mut self, before: u32) -> Result<(), LogError> {
        self.keys.destroy(before)
    }
}
