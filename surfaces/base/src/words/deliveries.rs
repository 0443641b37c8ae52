//! Words about what the owner confirmed, on its way to a server.
//!
//! What: where it stands and why. Why: whether a server has it is told in one sentence, on every page and by every command. Not here: which
//! deliveries there are (`backend::deliveries`).

use super::account_problem;
use crate::{
    backend::deliveries::{DeliveryProgress, DeliveryView},
    language::{Text, say, text},
};
use toolcall_schema::{
    DeclineReason,
    delivery::{ChangeRefusal, DeliveryProblem},
};

/// Where a delivery stands.
pub fn delivery_says(delivery: &DeliveryView) -> String {
    let Some(server) = delivery.server.as_deref() else {
        return text("deliveries-no-calendar").to_owned();
    };
    let (says, problem) = match &delivery.progress {
        DeliveryProgress::Waits(problem) => (say!("deliveries-waits", server), problem.as_ref()),
        DeliveryProgress::Unknown(problem) => (say!("deliveries-unknown", server), problem.as_ref()),
        DeliveryProgress::There => (say!("deliveries-there", server), None),
        DeliveryProgress::IsTakenBack(problem) => (say!("deliveries-taken-back", server), problem.as_ref()),
        DeliveryProgress::Gone => (say!("deliveries-gone", server), None),
        DeliveryProgress::Failed(why) => {
            return format!("{} {}", say!("deliveries-failed", server), refusal(*why));
        }
        DeliveryProgress::Stays(why) => {
            return format!("{} {}", say!("deliveries-stays", server), refusal(*why));
        }
    };
    problem.map_or_else(
        || says.clone(),
        |problem| format!("{says} {}", account_problem(problem)),
    )
}

fn refusal(why: DeliveryProblem) -> String {
    let words = match why {
        DeliveryProblem::Refused(ChangeRefusal::Status(status)) => {
            return say!("deliveries-refused", status = status.to_string());
        }
        DeliveryProblem::Refused(ChangeRefusal::Changed) => text("deliveries-changed"),
        DeliveryProblem::Refused(ChangeRefusal::DraftChanged) => text("deliveries-draft-changed"),
        DeliveryProblem::Refused(ChangeRefusal::Gone) => text("deliveries-event-gone"),
        DeliveryProblem::Refused(ChangeRefusal::NotInvited) => text("deliveries-not-invited"),
        DeliveryProblem::Refused(ChangeRefusal::Unsafe) => text("deliveries-unsafe"),
        DeliveryProblem::Refused(ChangeRefusal::SaysNo) => text("deliveries-says-no"),
        DeliveryProblem::Refused(ChangeRefusal::NoDrafts) => text("deliveries-no-drafts"),
        DeliveryProblem::Refused(ChangeRefusal::Full) => text("deliveries-full"),
        DeliveryProblem::TooLate => text("deliveries-too-late"),
        DeliveryProblem::NotAllowed => text("deliveries-not-allowed"),
    };
    words.to_owned()
}

/// What is written there: what the owner confirms, or nothing; and the buttons that change that.
pub const ACCOUNT_WRITTEN: Text = Text("deliveries-account-written");
pub const ACCOUNT_ONLY_READ: Text = Text("deliveries-account-only-read");
pub const ALLOW_WRITE: Text = Text("deliveries-account-allow-write");
pub const ONLY_READ: Text = Text("deliveries-account-forbid-write");

/// The names of these buttons.
pub fn write_account(name: &str) -> String {
    say!("deliveries-account-write", name)
}

pub fn only_read_account(name: &str) -> String {
    say!("deliveries-account-no-write", name)
}

/// A time is kept free.
pub fn time_held(hours: &str) -> String {
    say!("deliveries-time-held", hours)
}

/// The same, where no server is told of it.
pub fn time_drafted(hours: &str) -> String {
    say!("deliveries-time-drafted", hours)
}

/// It is kept free no longer.
pub fn time_released(hours: &str) -> String {
    say!("deliveries-time-released", hours)
}

/// What keeps a free time free, and for how long.
pub const KEEP_FREE: Text = Text("deliveries-keep-free");

pub fn keep_free_for(minutes: u32) -> String {
    match (minutes / 60, minutes % 60) {
        (0, minutes) => say!("deliveries-for-minutes", minutes),
        (hours, 0) => say!("deliveries-for-hours", hours),
        (hours, minutes) => say!("deliveries-for-hours-and-minutes", hours, minutes),
    }
}

/// The name of such a button.
pub fn keep_free_from(hours: &str, long: &str) -> String {
    say!("deliveries-keep-free-from", hours, long)
}

/// What declines an invitation, what comes of it, and why.
pub const DECLINE: Text = Text("deliveries-decline");
pub const DECLINE_SAYS: Text = Text("deliveries-decline-says");

/// Heading of a decline that is drafted.
pub const YOUR_DECLINE: Text = Text("deliveries-your-decline");
/// Beside an invitation on a list.
pub const DECLINE_IS_DRAFTED: Text = Text("deliveries-decline-is-drafted");

/// The subject of a mail that declines.
pub fn decline_subject(event: &str) -> String {
    say!("deliveries-decline-subject", event)
}

/// The reason as the owner would say it. What is written to whoever invited is the agent's.
pub fn decline_reason(reason: DeclineReason) -> Text {
    match reason {
        DeclineReason::Conflict => Text("deliveries-decline-conflict"),
        DeclineReason::Travel => Text("deliveries-decline-travel"),
        DeclineReason::Focus => Text("deliveries-decline-focus"),
    }
}

/// A draft that a server is to have.
pub fn reply_for_server(who: &str) -> String {
    say!("deliveries-reply", who)
}

/// A decline that a server is told of.
pub fn you_decline(event: &str) -> String {
    say!("deliveries-you-decline", event)
}
