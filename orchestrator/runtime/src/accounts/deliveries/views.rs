//! How a delivery stands, for pages and commands.
//!
//! What: [`ServerDeliveryReport`]. Why: whoever asks is told in the same words everywhere, and no text of an event. Not here: the words (`surfaces`).

use super::record::{DeliveryKind, DeliveryState, DeliveryWish, ServerDelivery};
use aura_process::source::LookFailure;
use serde::{Deserialize, Serialize};
use surfaces_base::backend::deliveries::{DeliveryProgress, DeliveryView};
use toolcall_schema::{Timestamp, ids::TraceId};

/// One delivery, without what it says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerDeliveryReport {
    /// The act that it follows from.
    pub trace_id: TraceId,
    pub kind: DeliveryKind,
    /// Absent while it is not known where it goes.
    pub account: Option<String>,
    pub server: Option<String>,
    pub wish: DeliveryWish,
    pub state: DeliveryState,
    /// Why the last try failed.
    pub failure: Option<LookFailure>,
    pub asked_at: Timestamp,
    pub changed_at: Timestamp,
}

impl ServerDelivery {
    /// `None`: it may be no server's.
    pub(super) fn report(&self) -> Option<ServerDeliveryReport> {
        if self.place.is_none() && self.kind != DeliveryKind::Hold {
            return None;
        }
        Some(ServerDeliveryReport {
            trace_id: self.trace_id.clone(),
            kind: self.kind,
            account: self.place.as_ref().map(|place| place.account.clone()),
            server: self.place.as_ref().map(|place| host_of(&place.server)),
            wish: self.wish,
            state: if self.is_edited {
                DeliveryState::Pending
            } else {
                self.state.clone()
            },
            failure: self.last_failure.clone(),
            asked_at: self.asked_at,
            changed_at: self.changed_at,
        })
    }
}

/// A server without its scheme.
fn host_of(server: &str) -> String {
    let (_, host) = server.split_once("://").unwrap_or(("", server));
    host.to_owned()
}

impl ServerDeliveryReport {
    /// As pages show it.
    pub fn view(&self) -> DeliveryView {
        let is_wanted = self.wish == DeliveryWish::There;
        let problem = self.failure.clone();
        let progress = match &self.state {
            DeliveryState::Pending => DeliveryProgress::Waits(problem),
            DeliveryState::Unknown if is_wanted => DeliveryProgress::Unknown(problem),
            DeliveryState::Delivered { .. } if is_wanted => DeliveryProgress::There,
            DeliveryState::Unknown | DeliveryState::Delivered { .. } => {
                DeliveryProgress::IsTakenBack(problem)
            }
            DeliveryState::Failed { why } => DeliveryProgress::Failed(*why),
            DeliveryState::Removed => DeliveryProgress::Gone,
            DeliveryState::Stays { why } => DeliveryProgress::Stays(*why),
        };
        DeliveryView {
            trace_id: self.trace_id.clone(),
            server: self.server.clone(),
            progress,
        }
    }
}
