//! An owner's snapshot, in parts.
//!
//! What: writing one and reading the newest. Why: it is larger than a message, and whoever reads finds the old one or the new one, whole. Not here:
//! what is in it.
//!
//! The parts come first, under a name of their own, then the head that names them; it is published behind the head that was read, so that of two who
//! write at once the older one gives way. What is older than the parts is removed last.

use super::{JetStreamLog, PublishOutcome};
use crate::log::{LogError, LogPosition, LogSnapshot};
use async_nats::jetstream::message::PublishMessage;
use serde::{Deserialize, Serialize};

/// The largest part.
const PART_BYTES_MAX: usize = 256 << 10;

/// Others who write or remove at the same time are looked for again so often.
const TRIES: usize = 5;

/// What names the parts of a snapshot.
#[derive(Debug, Serialize, Deserialize)]
struct SnapshotHead {
    position: u64,
    name: String,
    parts: usize,
    bytes: usize,
}

impl JetStreamLog {
    pub(super) async fn snapshot_position(&self) -> Result<Option<LogPosition>, LogError> {
        let head = self.snapshot_head().await?;
        Ok(head.map(|(head, _)| LogPosition::new(head.position)))
    }

    /// The newest head, with the number that the server gave it.
    async fn snapshot_head(&self) -> Result<Option<(SnapshotHead, u64)>, LogError> {
        let Some(message) = self.last_message(&format!("{}.head", self.snapshots)).await? else {
            return Ok(None);
        };
        let head = serde_json::from_slice(&message.payload)
            .map_err(|error| LogError::Damaged(format!("the head of the snapshot: {error}")))?;
        Ok(Some((head, message.sequence)))
    }

    pub(super) async fn write_snapshot(&self, position: LogPosition, sealed: &[u8]) -> Result<(), LogError> {
        for _ in 0..TRIES {
            let before = self.snapshot_head().await?;
            if before
                .as_ref()
                .is_some_and(|(head, _)| head.position > position.number())
            {
                return Ok(());
            }
            // The parts are written after that head was read, each time: whoever wrote it removes what is older than its own.
            let (head, first_part) = self.write_parts(position, sealed).await?;
            let payload = serde_json::to_vec(&head).map_err(|error| LogError::Damaged(error.to_string()))?;
            let message = PublishMessage::build().payload(payload.into());
            let subject = format!("{}.head", self.snapshots);
            let after = before.map_or(0, |(_, sequence)| sequence);
            if let PublishOutcome::Stored { sequence } = self.publish(subject, Some(after), message).await? {
                let purge = self.stream.purge().filter(format!("{}.>", self.snapshots));
                if let Err(error) = purge.sequence(first_part.unwrap_or(sequence)).await {
                    // It takes room until the next one is written.
                    tracing::debug!(%error, "an old snapshot was not removed");
                }
                return Ok(());
            }
        }
        Err(others_write())
    }

    /// Publishes the parts; the head that names them, and the number that the server gave to the first.
    async fn write_parts(
        &self,
        position: LogPosition,
        sealed: &[u8],
    ) -> Result<(SnapshotHead, Option<u64>), LogError> {
        // A word that nobody else has.
        let name = self
            .bus
            .client()
            .new_inbox()
            .rsplit('.')
            .next()
            .unwrap_or_default()
            .to_owned();
        let (mut first_part, mut parts) = (None, 0);
        for part in sealed.chunks(PART_BYTES_MAX.min(self.bus.message_bytes_max())) {
            let message = PublishMessage::build().payload(part.to_vec().into());
            let subject = format!("{}.{name}.{parts}", self.snapshots);
            if let PublishOutcome::Stored { sequence } = self.publish(subject, None, message).await? {
                first_part.get_or_insert(sequence);
            }
            parts += 1;
        }
        let head = SnapshotHead {
            position: position.number(),
            name,
            parts,
            bytes: sealed.len(),
        };
        Ok((head, first_part))
    }

    pub(super) async fn read_snapshot(&self) -> Result<Option<LogSnapshot>, LogError> {
        // The one that lacked a part when it was read.
        let mut lacking = None;
        'newest: for _ in 0..TRIES {
            let Some((head, _)) = self.snapshot_head().await? else {
                return Ok(None);
            };
            if lacking.as_ref() == Some(&head.name) {
                return Err(LogError::Damaged("a part of the snapshot is missing".to_owned()));
            }
            // How much there will be is the server's word.
            let mut sealed = Vec::new();
            for part in 0..head.parts {
                let subject = format!("{}.{}.{part}", self.snapshots, head.name);
                let Some(message) = self.last_message(&subject).await? else {
                    // Removed for a newer one, unless it is still the newest.
                    lacking = Some(head.name);
                    continue 'newest;
                };
                sealed.extend_from_slice(&message.payload);
            }
            if sealed.len() != head.bytes {
                return Err(LogError::Damaged("the snapshot is not whole".to_owned()));
            }
            return Ok(Some(LogSnapshot {
                position: LogPosition::new(head.position),
                sealed,
            }));
        }
        Err(others_write())
    }
}

fn others_write() -> LogError {
    LogError::Unavailable("others write snapshots all the time".to_owned())
}
