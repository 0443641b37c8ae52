//! Leases on a NATS server.
//!
//! What: [`JetStreamLeases`]: a lease is a message that the server forgets when it is not published again. Why: the time is one server's, whatever the
//! hosts' clocks say. Not here: what they are for (`crate::lease`).

use super::connection::{BusConnection, unavailable};
use crate::{
    lease::{HostLease, LEASE, LeaseHold, LeaseName, LeaseTable, LeaseText},
    log::LogError,
};
use async_nats::jetstream::{
    self, ErrorCode,
    context::{PublishError, PublishErrorKind},
    message::{PublishMessage, StreamMessage},
    stream::{Config, RawMessageErrorKind, StorageType, Stream},
};
use futures_util::TryStreamExt as _;
use std::{error::Error as _, sync::Arc};

/// The stream of all leases.
const STREAM: &str = "LEASES";
/// Their subjects begin so.
const SUBJECT: &str = "l.";

/// All leases of a NATS server.
#[derive(Clone)]
pub struct JetStreamLeases {
    bus: Arc<BusConnection>,
    stream: Stream<()>,
}

impl JetStreamLeases {
    /// Opens their stream, making it when it is not there.
    ///
    /// # Errors
    /// [`LogError::Unavailable`]
    pub fn open(bus: &Arc<BusConnection>) -> Result<Self, LogError> {
        let config = Config {
            name: STREAM.to_owned(),
            subjects: vec![format!("{SUBJECT}*")],
            storage: StorageType::File,
            num_replicas: bus.options().replicas,
            max_age: LEASE,
            max_messages_per_subject: 1,
            ..Config::default()
        };
        Ok(Self {
            bus: Arc::clone(bus),
            stream: bus.shared_stream(config)?,
        })
    }
}

impl LeaseTable for JetStreamLeases {
    fn lease(&self, name: &LeaseName, holder: &str) -> Box<dyn HostLease> {
        Box::new(JetStreamLease {
            bus: Arc::clone(&self.bus),
            stream: self.stream.clone(),
            subject: format!("{SUBJECT}{}", name.as_str()),
            own: LeaseText::parse(holder),
            held: None,
        })
    }

    fn list(&self) -> Result<Vec<LeaseName>, LogError> {
        self.bus.run(async {
            let info = self.stream.info_with_subjects(format!("{SUBJECT}*")).await;
            let mut subjects = info.map_err(|error| unavailable(&error))?;
            let mut names = Vec::new();
            while let Some((subject, _)) = subjects.try_next().await.map_err(|error| unavailable(&error))? {
                let name = subject.strip_prefix(SUBJECT).unwrap_or_default();
                names.push(LeaseName::from_kept(name.to_owned()));
            }
            names.sort();
            Ok(names)
        })
    }
}

/// One lease on a NATS server.
struct JetStreamLease {
    bus: Arc<BusConnection>,
    stream: Stream<()>,
    subject: String,
    own: LeaseText,
    /// Which message is this holder's, as far as it knows.
    held: Option<u64>,
}

impl JetStreamLease {
    /// Publishes it behind the message with this number (0: behind none), or behind whichever is there. `false`: another one is there.
    async fn publish(&mut self, after: Option<u64>) -> Result<bool, LogError> {
        let message = PublishMessage::build()
            .payload(self.own.to_kept().into())
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
            // Another host takes it at this moment: its message is on its way to the other servers.
            Err(error) if after == Some(0) && is_overtaken(&error) => Ok(false),
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

    async fn try_publish(&mut self) -> Result<LeaseHold, LogError> {
        if let Some(held) = self.held.take()
            && self.publish(Some(held)).await?
        {
            return Ok(LeaseHold::Kept);
        }
        let after = match self.message().await? {
            None => 0,
            // Its own, whose answer was lost.
            Some(there) if parse(&there.payload).holder == self.own.holder => there.sequence,
            Some(_) => return Ok(LeaseHold::Others),
        };
        let is_held = self.publish(Some(after)).await?;
        Ok(if is_held {
            LeaseHold::Begun
        } else {
            LeaseHold::Others
        })
    }
}

fn is_overtaken(error: &PublishError) -> bool {
    let said = error
        .source()
        .and_then(|source| source.downcast_ref::<jetstream::Error>());
    said.is_some_and(|said| said.error_code() == ErrorCode::STREAM_WRONG_LAST_SEQUENCE_CONSTANT)
}

fn parse(payload: &[u8]) -> LeaseText {
    LeaseText::parse(&String::from_utf8_lossy(payload))
}

impl HostLease for JetStreamLease {
    fn try_hold(&mut self) -> Result<LeaseHold, LogError> {
        let bus = Arc::clone(&self.bus);
        bus.run(self.try_publish())
    }

    fn set_text(&mut self, text: String) {
        self.own.text = text;
    }

    fn seize(&mut self) -> Result<(), LogError> {
        let bus = Arc::clone(&self.bus);
        bus.run(self.publish(None)).map(drop)
    }

    fn holder(&mut self) -> Result<Option<LeaseText>, LogError> {
        let there = self.bus.run(self.message())?;
        Ok(there.map(|message| parse(&message.payload)))
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
