//! A lease on a NATS server.
//!
//! What: [`JetStreamLease`], a message that the server forgets when it is not published again. Why: the time is one server's, whatever the hosts' clocks
//! say. Not here: what it is for (`crate::lease`).

use super::connection::{BusConnection, unavailable};
use crate::{
    lease::{LEASE, OwnerLease},
    log::LogError,
    seal::OwnerSubject,
};
use async_nats::jetstream::{
    context::PublishErrorKind,
    message::{PublishMessage, StreamMessage},
    stream::{Config, RawMessageErrorKind, StorageType, Stream},
};
use std::sync::Arc;

/// The stream of all leases.
const STREAM: &str = "LEASES";

/// An owner's lease on a NATS server.
pub struct JetStreamLease {
    bus: Arc<BusConnection>,
    stream: Stream<()>,
    subject: String,
    holder: String,
    /// Which message is this holder's, as far as it knows.
    held: Option<u64>,
}

impl JetStreamLease {
    /// `holder`: a word that no other process has.
    ///
    /// # Errors
    /// [`LogError::Unavailable`]
    pub fn open(bus: &Arc<BusConnection>, owner: &OwnerSubject, holder: &str) -> Result<Self, LogError> {
        let config = Config {
            name: STREAM.to_owned(),
            subjects: vec!["l.*".to_owned()],
            storage: StorageType::File,
            num_replicas: bus.options().replicas,
            max_age: LEASE,
            max_messages_per_subject: 1,
            ..Config::default()
        };
        let stream = bus.shared_stream(config)?;
        Ok(Self {
            bus: Arc::clone(bus),
            stream,
            subject: format!("l.{}", owner.as_str()),
            holder: holder.to_owned(),
            held: None,
        })
    }

    /// Publishes it behind the message with this number (0: behind none), or behind whichever is there. `false`: another one is there.
    async fn publish(&mut self, after: Option<u64>) -> Result<bool, LogError> {
        let message = PublishMessage::build()
            .payload(self.holder.clone().into())
            .expected_stream(STREAM);
        let message = match after {
            Some(after) => message.expected_last_subject_sequence(after),
            None => message,
        };
        let sent = self
            .bus
            .context()
            .send_publish(self.subject.clone(), message)
            .await;
        let answer = match sent {
            Ok(answer) => answer.await,
            Err(error) => Err(error),
        };
        match answer {
            Ok(ack) => {
                self.held = Some(ack.sequence);
                Ok(true)
            }
            Err(error) if error.kind() == PublishErrorKind::WrongLastSequence => Ok(false),
            Err(error) => Err(unavailable(&error)),
        }
    }

    /// The one that is there.
    async fn message(&self) -> Result<Option<StreamMessage>, LogError> {
        match self.stream.get_last_raw_message_by_subject(&self.subject).await {
            Ok(message) => Ok(Some(message)),
            Err(error) if error.kind() == RawMessageErrorKind::NoMessageFound => Ok(None),
            Err(error) => Err(unavailable(&error)),
        }
    }

    async fn try_publish(&mut self) -> Result<bool, LogError> {
        if let Some(held) = self.held.take()
            && self.publish(Some(held)).await?
        {
            return Ok(true);
        }
        match self.message().await? {
            None => self.publish(Some(0)).await,
            // Its own, whose answer was lost.
            Some(there) if there.payload == self.holder.as_bytes() => {
                self.publish(Some(there.sequence)).await
            }
            Some(_) => Ok(false),
        }
    }
}

impl OwnerLease for JetStreamLease {
    fn try_hold(&mut self) -> Result<bool, LogError> {
        let bus = Arc::clone(&self.bus);
        bus.run(self.try_publish())
    }

    fn seize(&mut self) -> Result<(), LogError> {
        let bus = Arc::clone(&self.bus);
        bus.run(self.publish(None)).map(drop)
    }

    fn holder(&mut self) -> Result<Option<String>, LogError> {
        let there = self.bus.run(self.message())?;
        Ok(there.map(|message| String::from_utf8_lossy(&message.payload).into_owned()))
    }

    fn release(&mut self) -> Result<(), LogError> {
        let Some(held) = self.held.take() else {
            return Ok(());
        };
        let bus = Arc::clone(&self.bus);
        let deleted = bus.run(self.stream.delete_message(held));
        deleted.map(drop).map_err(|error| unavailable(&error))
    }
}
