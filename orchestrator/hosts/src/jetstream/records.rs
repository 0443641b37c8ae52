//! The records of owners on a NATS server.
//!
//! What: [`JetStreamRecords`], a message for each owner, in a stream of their own. Why: the stream's sequence is the order that all hosts see alike. Not
//! here: what is in a record (`crate::owner_record`).

use super::{
    connection::{BusConnection, unavailable},
    keys::messages_after,
};
use crate::{
    log::LogError,
    records::{RecordStore, SealedRecord, to_record},
    seal::OwnerSubject,
};
use async_nats::jetstream::{
    context::PublishErrorKind,
    message::{PublishMessage, StreamMessage},
    stream::Stream,
};
use std::sync::Arc;

/// The stream of all records.
const STREAM: &str = "RECORDS";

/// All records on a NATS server.
pub struct JetStreamRecords {
    bus: Arc<BusConnection>,
    stream: Stream<()>,
}

fn subject_of(owner: &OwnerSubject) -> String {
    format!("o.{}", owner.as_str())
}

impl JetStreamRecords {
    /// Opens the stream, making it.
    ///
    /// # Errors
    /// [`LogError::Unavailable`].
    pub fn open(bus: &Arc<BusConnection>) -> Result<Self, LogError> {
        let stream = bus.newest_of_each(STREAM, "o.*")?;
        Ok(Self {
            bus: Arc::clone(bus),
            stream,
        })
    }

    fn find(&self, subjects: &str, after: u64) -> Result<Vec<SealedRecord>, LogError> {
        let messages = self.bus.run(messages_after(&self.stream, subjects, after))?;
        let record = |message: StreamMessage| {
            let owner = message.subject.strip_prefix("o.").unwrap_or_default();
            to_record(owner, message.sequence, message.payload.to_vec())
        };
        messages.into_iter().map(record).collect()
    }
}

impl RecordStore for JetStreamRecords {
    fn put_record(
        &mut self,
        owner: &OwnerSubject,
        expected: u64,
        sealed: &[u8],
    ) -> Result<Option<u64>, LogError> {
        let message = PublishMessage::build()
            .payload(sealed.to_vec().into())
            .expected_stream(STREAM)
            .expected_last_subject_sequence(expected);
        let answer = self.bus.run(async {
            let sent = self.bus.context().send_publish(subject_of(owner), message);
            sent.await?.await
        });
        match answer {
            Ok(answer) => Ok(Some(answer.sequence)),
            Err(error) if error.kind() == PublishErrorKind::WrongLastSequence => Ok(None),
            Err(error) => Err(unavailable(&error)),
        }
    }

    fn record_of(&mut self, owner: &OwnerSubject) -> Result<Option<SealedRecord>, LogError> {
        let found = self.find(&subject_of(owner), 0)?;
        Ok(found.into_iter().next())
    }

    fn records_after(&mut self, number: u64) -> Result<Vec<SealedRecord>, LogError> {
        self.find("o.*", number)
    }
}
