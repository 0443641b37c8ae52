//! Grants on a NATS server.
//!
//! What: [`JetStreamGrants`], a message for each, in a stream of their own. Why: a host finds all that is for it by the beginning of a subject, an owner all
//! that is hers by its end. Not here: what is in a grant (`crate::owner_grant`).

use super::{
    connection::{BusConnection, unavailable},
    keys::messages_under,
};
use crate::{
    grants::{GrantStore, place_of},
    host_key::HostAddress,
    log::LogError,
    owner_grant::{GrantPlace, SealedGrant},
    seal::OwnerSubject,
};
use async_nats::jetstream::{
    message::{PublishMessage, StreamMessage},
    stream::Stream,
};
use std::sync::Arc;

/// The stream of all grants.
const STREAM: &str = "GRANTS";

/// All grants on a NATS server.
pub struct JetStreamGrants {
    bus: Arc<BusConnection>,
    stream: Stream<()>,
}

fn subject_of(place: &GrantPlace) -> String {
    format!("g.{}.{}", place.host.as_str(), place.owner.as_str())
}

impl JetStreamGrants {
    /// Opens the stream, making it.
    ///
    /// # Errors
    /// [`LogError::Unavailable`].
    pub fn open(bus: &Arc<BusConnection>) -> Result<Self, LogError> {
        let stream = bus.newest_of_each(STREAM, "g.*.*")?;
        Ok(Self {
            bus: Arc::clone(bus),
            stream,
        })
    }

    fn find(&self, subjects: &str) -> Result<Vec<SealedGrant>, LogError> {
        let messages = self.bus.run(messages_under(&self.stream, subjects))?;
        let grant = |message: StreamMessage| {
            let mut names = message.subject.split('.').skip(1);
            let place = place_of(names.next().unwrap_or_default(), names.next().unwrap_or_default())?;
            Ok(SealedGrant::from_bytes(place, &message.payload))
        };
        messages.into_iter().map(grant).collect()
    }
}

impl GrantStore for JetStreamGrants {
    fn put_grant(&mut self, grant: &SealedGrant) -> Result<(), LogError> {
        let message = PublishMessage::build()
            .payload(grant.to_bytes().into())
            .expected_stream(STREAM);
        let answer = self.bus.run(async {
            let sent = self.bus.context().send_publish(subject_of(&grant.place), message);
            sent.await?.await
        });
        answer.map(drop).map_err(|error| unavailable(&error))
    }

    fn grants_for(&mut self, host: &HostAddress) -> Result<Vec<SealedGrant>, LogError> {
        self.find(&format!("g.{}.*", host.as_str()))
    }

    fn grants_of(&mut self, owner: &OwnerSubject) -> Result<Vec<SealedGrant>, LogError> {
        self.find(&format!("g.*.{}", owner.as_str()))
    }

    /// The server overwrites what it deletes in this way.
    fn remove_grant(&mut self, place: &GrantPlace) -> Result<(), LogError> {
        self.bus.run(async {
            for message in messages_under(&self.stream, &subject_of(place)).await? {
                let deleted = self.stream.delete_message(message.sequence).await;
                deleted.map_err(|error| unavailable(&error))?;
            }
            Ok(())
        })
    }
}
