//! An owner's data keys.
//!
//! What: a message for each, in a stream of their own. Why: what was removed from the log cannot be opened by whoever finds it in the server's files, once
//! the key is overwritten; the streams of entries have the server delete nothing by itself. Not here: what a key opens (`seal`).

use super::connection::{BusConnection, unavailable};
use crate::{log::LogError, seal::OwnerSubject};
use async_nats::jetstream::{
    context::PublishErrorKind,
    message::{PublishMessage, StreamMessage},
    stream::{RawMessageErrorKind, Stream},
};
use std::{collections::BTreeMap, sync::Arc};

/// The stream of all keys.
const STREAM: &str = "KEYS";

/// All messages whose subjects are so, in the order in which they came, from the stream's leader.
pub(super) async fn messages_under(
    stream: &Stream<()>,
    subjects: &str,
) -> Result<Vec<StreamMessage>, LogError> {
    messages_after(stream, subjects, 0).await
}

/// Those of them that came after a number of the stream's, in order.
pub(super) async fn messages_after(
    stream: &Stream<()>,
    subjects: &str,
    after: u64,
) -> Result<Vec<StreamMessage>, LogError> {
    let (mut found, mut from) = (Vec::new(), after + 1);
    loop {
        let next = stream.raw_message_builder().sequence(from);
        let message = match next.next_by_subject(subjects).send().await {
            Ok(message) => message,
            Err(error) if error.kind() == RawMessageErrorKind::NoMessageFound => return Ok(found),
            Err(error) => return Err(unavailable(&error)),
        };
        from = message.sequence + 1;
        found.push(message);
    }
}

/// The keys of one owner.
pub(super) struct KeyStream {
    bus: Arc<BusConnection>,
    stream: Stream<()>,
    /// Her subjects begin so.
    subjects: String,
}

impl KeyStream {
    pub(super) fn open(bus: &Arc<BusConnection>, owner: &OwnerSubject) -> Result<Self, LogError> {
        let stream = bus.newest_of_each(STREAM, "k.*.*")?;
        Ok(Self {
            bus: Arc::clone(bus),
            stream,
            subjects: format!("k.{}", owner.as_str()),
        })
    }

    pub(super) fn read(&self) -> Result<BTreeMap<u32, Vec<u8>>, LogError> {
        let messages = self.bus.run(self.messages())?;
        let keys = messages
            .into_iter()
            .map(|(number, message)| (number, message.payload.to_vec()));
        Ok(keys.collect())
    }

    async fn messages(&self) -> Result<Vec<(u32, StreamMessage)>, LogError> {
        let found = messages_under(&self.stream, &format!("{}.*", self.subjects)).await?;
        let numbered = |message: StreamMessage| {
            let number = message.subject.rsplit('.').next();
            let number = number.and_then(|number| number.parse().ok());
            let number = number.ok_or_else(|| LogError::Damaged("a key without a number".to_owned()))?;
            Ok((number, message))
        };
        found.into_iter().map(numbered).collect()
    }

    pub(super) fn add(&self, number: u32, sealed: &[u8]) -> Result<bool, LogError> {
        let message = PublishMessage::build()
            .payload(sealed.to_vec().into())
            .expected_stream(STREAM)
            .expected_last_subject_sequence(0);
        let subject = format!("{}.{number}", self.subjects);
        let answer = self.bus.run(async {
            let sent = self.bus.context().send_publish(subject, message).await?;
            sent.await
        });
        match answer {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == PublishErrorKind::WrongLastSequence => Ok(false),
            Err(error) => Err(unavailable(&error)),
        }
    }

    /// The server overwrites what it deletes in this way.
    pub(super) fn destroy(&self, before: u32) -> Result<(), LogError> {
        self.bus.run(async {
            for (number, message) in self.messages().await? {
                if number < before {
                    let deleted = self.stream.delete_message(message.sequence).await;
                    deleted.map_err(|error| unavailable(&error))?;
                }
            }
            Ok(())
        })
    }
}
