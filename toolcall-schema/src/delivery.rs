//! Why a server does not have what the owner confirmed.
//!
//! What: [`ChangeRefusal`] of a server, [`DeliveryProblem`] of the whole way there. Why: the worker that writes, the record that is kept and the page that shows it
//! say the same. Not here: delivering (`aura_runtime::accounts`), how it is said (`surfaces_base::words`).

use serde::{Deserialize, Serialize};

/// Why a change is not made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ChangeRefusal {
    /// Somebody changed the event since the owner saw it.
    Changed,
    /// Another program changed the draft since it was put there.
    DraftChanged,
    /// The event, or the draft, is not there any more.
    Gone,
    /// The owner is not among those who are invited.
    NotInvited,
    /// The event is written in a way that is not changed safely.
    Unsafe,
    /// The server says no, with this status.
    Status(u16),
    /// The server says no.
    SaysNo,
    /// The server has no folder for drafts.
    NoDrafts,
    /// The mailbox is full.
    Full,
}

/// Why something is not delivered, or not taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum DeliveryProblem {
    Refused(ChangeRefusal),
    /// Its time has passed.
    TooLate,
    /// The account is another, or may not be written to any more.
    NotAllowed,
}
