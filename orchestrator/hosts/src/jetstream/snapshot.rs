//! An owner's snapshot, in parts.
//!
//! What: writing one and reading the newest. Why: it is larger than a message, and whoever reads finds the old one or the new one, whole. Not here:
//! what is in it.
//!
//! The parts come first, under a name of their own, then the head that names them; it is published behind the head that was read, so that of two who
//! write at once one gives way, and tries again. What is older than the parts is removed last.

use super::{JetStreamLog, PublishOutcome};
use crate::{
    log::{LogError, LogPosition, SnapshotHead, SnapshotParts, lacking_part},
    random_word,
};
use async_nats::jetstream::message::PublishMessage;
use serde::{Deserialize, Serialize};

/// What names the parts of a snapshot, as it is published.
#[derive(Debug, Serialize, Deserialize)]
struct HeadMessage {
    position: u64,
    name: String,
    parts: u64,
}

impl JetStreamLog {
    /// The newest head, with the number that the server gave it.
    pub(super) async fn snapshot_head(&self) -> Result<Option<(SnapshotHead, u64)>, LogError> {
        let Some(message) = self.last_message(&format!("{}.head", self.snapshots)).await? else {
            return Ok(None);
        };
        let HeadMessage {
            position,
            name,
            parts,
        } = serde_json::from_slice(&message.payload)
            .map_err(|error| LogError::Damaged(format!("the head of the snapshot: {error}")))?;
        let position = LogPosition::new(position);
        let head = SnapshotHead {
            position,
            name,
            parts,
        };
        Ok(Some((head, message.sequence)))
    }

    pub(super) async fn write_snapshot(
        &self,
        position: LogPosition,
        parts: &mut SnapshotParts<'_>,
    ) -> Result<(), LogError> {
        // Before the parts are written: whoever publishes another head meanwhile removes what is older than its own parts.
        let before = self.snapshot_head().await?;
        if before.as_ref().is_some_and(|(head, _)| head.position > position) {
            return Ok(());
        }
        let (head, first_part) = self.write_parts(position, parts).await?;
        let payload = serde_json::to_vec(&head).map_err(|error| LogError::Damaged(error.to_string()))?;
        let message = PublishMessage::build().payload(payload.into());
        let subject = format!("{}.head", self.snapshots);
        let after = before.map_or(0, |(_, sequence)| sequence);
        let PublishOutcome::Stored { sequence } = self.publish(subject, Some(after), message).await? else {
            return Err(LogError::Unavailable(
                "another snapshot was written meanwhile".to_owned(),
            ));
        };
        let purge = self.stream.purge().filter(format!("{}.>", self.snapshots));
        if let Err(error) = purge.sequence(first_part.unwrap_or(sequence)).await {
            // It takes room until the next one is written.
            tracing::debug!(%error, "an old snapshot was not removed");
        }
        Ok(())
    }

    /// Publishes the parts; the head that names them, and the number that the server gave to the first.
    async fn write_parts(
        &self,
        position: LogPosition,
        parts: &mut SnapshotParts<'_>,
    ) -> Result<(HeadMessage, Option<u64>), LogError> {
        let name = random_word()?;
        let (mut first_part, mut count) = (None, 0);
        for part in parts {
            let message = PublishMessage::build().payload(part?.into());
            let subject = format!("{}.{name}.{count}", self.snapshots);
            if let PublishOutcome::Stored { sequence } = self.publish(subject, None, message).await? {
                first_part.get_or_insert(sequence);
            }
            count += 1;
        }
        let head = HeadMessage {
            position: position.number(),
            name,
            parts: count,
        };
        Ok((head, first_part))
    }

    pub(super) async fn read_part(&self, of: &SnapshotHead, part: u64) -> Result<Vec<u8>, LogError> {
        let subject = format!("{}.{}.{part}", self.snapshots, of.name);
        if let Some(message) = self.last_message(&subject).await? {
            return Ok(message.payload.to_vec());
        }
        let newest = self.snapshot_head().await?;
        Err(lacking_part(of, newest.as_ref().map(|(head, _)| head)))
    }
}
