//! Reading an owner's entries.
//!
//! What: the last one, the one at a position, and pages. Why: the server numbers the messages of all owners of a stream together, so a position is
//! looked for. Not here: snapshots.

use super::{JetStreamLog, POSITION, StreamPlace, connection::unavailable};
use crate::log::{LogEntry, LogError, LogPosition, SealedEntry};
use async_nats::{
    HeaderMap, StatusCode,
    jetstream::{message::StreamMessage, stream::RawMessageErrorKind},
};
use futures_util::StreamExt as _;
use std::cmp::Ordering;
use tokio::time::timeout;

/// So many entries are asked for at once.
const BATCH: usize = 256;

impl JetStreamLog {
    /// The last entry, from the stream's leader.
    pub(super) async fn read_last(&mut self) -> Result<StreamPlace, LogError> {
        let last = match self.last_message(&self.entries).await? {
            Some(message) => place_of(&message.headers, message.sequence)?,
            None => StreamPlace::START,
        };
        self.last = Some(last);
        Ok(last)
    }

    /// The last message of a subject, from the stream's leader.
    pub(super) async fn last_message(&self, subject: &str) -> Result<Option<StreamMessage>, LogError> {
        match self.stream.get_last_raw_message_by_subject(subject).await {
            Ok(message) => Ok(Some(message)),
            Err(error) if error.kind() == RawMessageErrorKind::NoMessageFound => Ok(None),
            Err(error) => Err(unavailable(&error)),
        }
    }

    /// The first entry that the server numbered so or higher, from the stream's leader. There is one.
    async fn next_message(&self, sequence: u64) -> Result<StreamMessage, LogError> {
        let next = self.stream.raw_message_builder().sequence(sequence);
        let next = next.next_by_subject(&self.entries).send().await;
        next.map_err(|error| unavailable(&error))
    }

    /// The entry at a position that is not after the last one.
    pub(super) async fn find(
        &self,
        wanted: LogPosition,
        last: StreamPlace,
    ) -> Result<StreamMessage, LogError> {
        // One of these has it. The lower end also where the first is: it is looked at first.
        let (mut low, mut high) = (1, last.sequence);
        let mut probe = low;
        while low <= high {
            let message = self.next_message(probe).await?;
            let found = place_of(&message.headers, message.sequence)?;
            match found.position.cmp(&wanted) {
                Ordering::Equal => return Ok(message),
                Ordering::Less => low = found.sequence.saturating_add(1),
                Ordering::Greater if probe == 1 => {
                    let first = found.position;
                    return Err(LogError::Cut { first, wanted });
                }
                Ordering::Greater => high = probe.saturating_sub(1),
            }
            probe = low + high.saturating_sub(low) / 2;
        }
        Err(LogError::Damaged(format!(
            "there is no entry {wanted}, but one before and one after"
        )))
    }

    /// The entries after a position, at most so many.
    pub(super) async fn read_tail(
        &mut self,
        after: LogPosition,
        at_most: usize,
    ) -> Result<Vec<LogEntry>, LogError> {
        let last = self.read_last().await?;
        let head = last.position;
        if after > head {
            return Err(LogError::Beyond {
                position: after,
                head,
            });
        }
        let left = usize::try_from(head.number() - after.number()).unwrap_or(usize::MAX);
        let count = left.min(at_most);
        let mut page = Vec::with_capacity(count.min(BATCH));
        if count == 0 {
            return Ok(page);
        }
        let known = self.cursor.filter(|cursor| cursor.position == after);
        let mut next = match known {
            Some(cursor) => cursor.sequence + 1,
            None if after == LogPosition::START => 1,
            None => self.find(after.next(), last).await?.sequence,
        };
        while page.len() < count {
            let before = page.len();
            self.read_batch(next, (count - before).min(BATCH), &mut page)
                .await?;
            if page.len() == before {
                // The replica that answered has not come so far: the leader has.
                let message = self.next_message(next).await?;
                self.take_in(&message.headers, message.sequence, &message.payload, &mut page)?;
            }
            if let (Some(first), true) = (page.first(), before == 0) {
                let (first, wanted) = (first.position, after.next());
                if first > wanted {
                    return Err(LogError::Cut { first, wanted });
                }
            }
            next = self.cursor.map_or(next, |cursor| cursor.sequence + 1);
        }
        Ok(page)
    }

    /// Asks for entries at once; fewer may come.
    async fn read_batch(
        &mut self,
        from: u64,
        count: usize,
        page: &mut Vec<LogEntry>,
    ) -> Result<(), LogError> {
        let client = self.bus.client();
        let inbox = client.new_inbox();
        let mut answers = client
            .subscribe(inbox.clone())
            .await
            .map_err(|error| unavailable(&error))?;
        let request = serde_json::json!({"seq": from, "next_by_subj": self.entries, "batch": count});
        let subject = format!("$JS.API.DIRECT.GET.{}", self.stream_name);
        let sent = client
            .publish_with_reply(subject, inbox, request.to_string().into())
            .await;
        sent.map_err(|error| unavailable(&error))?;
        for _ in 0..=count {
            let answer = timeout(self.bus.options().deadline, answers.next()).await;
            let Ok(Some(answer)) = answer else {
                return Err(LogError::Unavailable(
                    "no answer to what was to be read".to_owned(),
                ));
            };
            let (None, Some(headers)) = (answer.status, &answer.headers) else {
                return match answer.status {
                    // The end, or there is none.
                    Some(StatusCode::NOT_FOUND) => Ok(()),
                    Some(status) if status.as_u16() == 204 => Ok(()),
                    other => Err(LogError::Unavailable(format!("the server answered {other:?}"))),
                };
            };
            let sequence = headers
                .get("Nats-Sequence")
                .and_then(|value| value.as_str().parse().ok());
            let sequence =
                sequence.ok_or_else(|| LogError::Damaged("an entry without a sequence".to_owned()))?;
            self.take_in(headers, sequence, &answer.payload, page)?;
        }
        Ok(())
    }

    fn take_in(
        &mut self,
        headers: &HeaderMap,
        sequence: u64,
        payload: &[u8],
        page: &mut Vec<LogEntry>,
    ) -> Result<(), LogError> {
        let place = place_of(headers, sequence)?;
        self.cursor = Some(place);
        page.push(LogEntry {
            position: place.position,
            entry: SealedEntry::from_bytes(payload.to_vec()),
        });
        Ok(())
    }
}

/// Where an entry stands.
fn place_of(headers: &HeaderMap, sequence: u64) -> Result<StreamPlace, LogError> {
    let position = headers
        .get(POSITION)
        .and_then(|value| value.as_str().parse().ok());
    let position =
        position.ok_or_else(|| LogError::Damaged(format!("message {sequence} has no position")))?;
    Ok(StreamPlace {
        position: LogPosition::new(position),
        sequence,
    })
}
