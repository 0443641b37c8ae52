//! What the owner confirmed, on its way to a server.
//!
//! What: [`ServerDelivery`], one file of the outbox that a server is to have as well, what becomes of it by each [`DeliveryEvent`], and
//! [`next_step`], what is to be done now. Why: whether something is written twice, or lost, is decided here, by functions of what is known and
//! the time. Not here: doing it (the parent module), keeping it (`aura_memory::accounts`).

use crate::accounts::poll::wait_after;
use agents::comms::drafted_item;
use aura_process::source::{ChangeEnd, ChangeOutcome, LookFailure, ServerChange};
use chrono::NaiveDateTime;
use serde::{Deserialize, Serialize};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    time::Duration,
};
use toolcall_schema::{
    Timestamp,
    delivery::{ChangeRefusal, DeliveryProblem},
    ids::{ItemId, TraceId},
};

const DAY_MS: i64 = 24 * 3_600_000;
/// What is settled is told of for so long, as long as it can be taken back and a day.
const TOLD_MS: i64 = 8 * DAY_MS;
/// What says no time of its own is tried for so long.
const TRIED_MS: i64 = 7 * DAY_MS;
/// Deliveries that are kept.
const RECORDS_MAX: usize = 512;
/// A try that failed is repeated after this time, and twice as long each time.
const AGAIN: Duration = Duration::from_mins(1);

/// What is delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeliveryKind {
    /// Time that the owner keeps free: an event of ours.
    Hold,
    /// The owner's answer in somebody's event.
    Decline,
    /// The draft of a reply to a mail.
    Draft,
}

impl DeliveryKind {
    /// Of a file of the outbox; `None`: no server is to have it.
    pub(super) fn of_file(name: &str) -> Option<Self> {
        if drafted_item(name).is_some() {
            Some(Self::Draft)
        } else if Path::new(name).extension().is_none_or(|ending| ending != "ics") {
            None
        } else if name.starts_with("hold-") {
            Some(Self::Hold)
        } else if name.starts_with("decline-") {
            Some(Self::Decline)
        } else {
            None
        }
    }

    /// The line of its text that says until when it makes sense.
    fn end_line(self) -> Option<&'static str> {
        match self {
            Self::Hold => Some("DTEND:"),
            Self::Decline => Some("DTSTART:"),
            Self::Draft => None,
        }
    }
}

/// Whether it is to be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeliveryWish {
    There,
    /// The owner took it back.
    Gone,
}

/// How far it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case", deny_unknown_fields)]
pub enum DeliveryState {
    /// Nothing of it is there.
    Pending,
    /// It was sent, and nobody knows whether it is there.
    Unknown,
    /// It is there.
    Delivered {
        version: Option<String>,
        /// Of a decline: what the owner's part was before.
        part_before: Option<String>,
    },
    /// It is not there, and not tried again.
    Failed { why: DeliveryProblem },
    /// It was there, and is gone.
    Removed,
    /// It is there, and cannot be taken back.
    Stays { why: DeliveryProblem },
}

/// Where it goes.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DeliveryPlace {
    pub(super) account: String,
    /// The server that the account was on then.
    pub(super) server: String,
    /// The object on it.
    pub(super) path: String,
    /// Of a decline: the event as the owner was shown it.
    pub(super) seen: Option<String>,
}

/// One delivery. Not `Debug`: it holds text of events.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ServerDelivery {
    /// The act that it follows from.
    pub(super) trace_id: TraceId,
    pub(super) kind: DeliveryKind,
    /// The file of the outbox, and what it says.
    pub(super) name: String,
    pub(super) text: String,
    pub(super) asked_at: Timestamp,
    /// From then on it makes no sense any more.
    pub(super) until: Timestamp,
    /// `None`: not looked for yet.
    pub(super) place: Option<DeliveryPlace>,
    pub(super) wish: DeliveryWish,
    pub(super) state: DeliveryState,
    /// Of a draft that is there: the owner changed it since, so that another text is to be there.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) is_edited: bool,
    /// Tries that failed since the last one that did not.
    pub(super) failures: u32,
    pub(super) last_failure: Option<LookFailure>,
    /// When something is to be done about it.
    pub(super) due_at: Timestamp,
    pub(super) changed_at: Timestamp,
}

/// What happened to one delivery.
pub(super) enum DeliveryEvent {
    /// It is known where it goes.
    Placed(DeliveryPlace),
    /// It is not known yet, or cannot be done for now.
    NotYet,
    /// A worker is about to do what is to be done.
    Begun,
    /// What the worker said, and how the delivery was when it began.
    Answered {
        before: Box<ServerDelivery>,
        end: ChangeEnd,
    },
    /// The owner changed the draft: it says this now.
    Edited { text: String },
    /// The owner takes it back.
    TakenBack,
    /// Its server answers again, or the owner logged in anew.
    Reachable,
    /// It may not be written there.
    NotAllowed,
    /// No server has to do with it.
    NoServer,
    /// Its time has passed.
    TooLate,
}

/// What is to be done about a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DeliveryStep {
    /// Find out where it goes.
    FindPlace,
    /// Have a worker make its change.
    Change,
    /// Give it up.
    GiveUp,
}

impl ServerDelivery {
    /// Of a file of the outbox; `None`: no server is to have it.
    pub(super) fn new(trace_id: &TraceId, name: &str, text: &str, at: Timestamp) -> Option<Self> {
        let kind = DeliveryKind::of_file(name)?;
        // Each act's event is one of its own there, also when the same time is kept free once more.
        let text = match kind {
            DeliveryKind::Hold => with_uid(text, &format!("aura-{trace_id}")),
            DeliveryKind::Decline | DeliveryKind::Draft => text.to_owned(),
        };
        let end = kind.end_line();
        let line = end.and_then(|end| text.lines().find_map(|line| line.strip_prefix(end)));
        let until = line
            .and_then(|moment| NaiveDateTime::parse_from_str(moment.trim(), "%Y%m%dT%H%M%SZ").ok())
            .map(|moment| Timestamp::from_ms(moment.and_utc().timestamp_millis()));
        Some(Self {
            trace_id: trace_id.clone(),
            kind,
            name: name.to_owned(),
            text,
            asked_at: at,
            until: until.unwrap_or_else(|| at.plus_ms(TRIED_MS)),
            place: None,
            wish: DeliveryWish::There,
            state: DeliveryState::Pending,
            is_edited: false,
            failures: 0,
            last_failure: None,
            due_at: at,
            changed_at: at,
        })
    }

    /// Whether nothing is to be done about it.
    pub(super) fn is_settled(&self) -> bool {
        match (&self.state, self.wish) {
            (DeliveryState::Pending | DeliveryState::Unknown, _)
            | (DeliveryState::Delivered { .. }, DeliveryWish::Gone) => false,
            (DeliveryState::Delivered { .. }, DeliveryWish::There) => !self.is_edited,
            (DeliveryState::Failed { .. } | DeliveryState::Removed | DeliveryState::Stays { .. }, _) => true,
        }
    }

    /// Of a draft that is to be put there: the message that it answers. One that is there already says it itself.
    pub(super) fn answered_item(&self) -> Option<ItemId> {
        drafted_item(&self.name).filter(|_| self.wish == DeliveryWish::There && !self.is_edited)
    }

    /// What is asked of its server of calendars now.
    pub(super) fn change(&self) -> Option<ServerChange> {
        let place = self.place.as_ref()?;
        let path = place.path.clone();
        let (text, is_unknown) = (self.text.clone(), self.state == DeliveryState::Unknown);
        let (version, part) = match &self.state {
            DeliveryState::Delivered { version, part_before } => (version.clone(), part_before.clone()),
            DeliveryState::Pending
            | DeliveryState::Unknown
            | DeliveryState::Failed { .. }
            | DeliveryState::Removed
            | DeliveryState::Stays { .. } => (None, None),
        };
        Some(match (self.kind, self.wish) {
            (DeliveryKind::Hold, DeliveryWish::There) => ServerChange::PutEvent {
                path,
                text,
                is_repeat: is_unknown,
            },
            (DeliveryKind::Hold, DeliveryWish::Gone) => ServerChange::RemoveEvent { path, text, version },
            (DeliveryKind::Decline, DeliveryWish::There) => ServerChange::Decline {
                path,
                reply: text,
                seen: place.seen.clone()?,
            },
            (DeliveryKind::Draft, _) => return None,
            (DeliveryKind::Decline, DeliveryWish::Gone) => ServerChange::TakeBackDecline {
                path,
                reply: text,
                // Only an open invitation is declined.
                part: part.unwrap_or_else(|| "NEEDS-ACTION".to_owned()),
            },
        })
    }

    /// As it is after that. `None`: nothing is left of it. `chance` spreads tries.
    pub(super) fn after(mut self, event: DeliveryEvent, now: Timestamp, chance: u64) -> Option<Self> {
        match event {
            DeliveryEvent::Placed(place) => self.place = Some(place),
            DeliveryEvent::NotYet => self.put_off(None, now, chance),
            DeliveryEvent::Begun => {
                // From here on a kill leaves open whether it is there. What is taken away is known to be gone when it is asked for again.
                if self.state == DeliveryState::Pending {
                    self.state = DeliveryState::Unknown;
                }
            }
            DeliveryEvent::Answered { before, end } => return self.answered(&before, end, now, chance),
            DeliveryEvent::Edited { text } => {
                self.text = text;
                let is_there = matches!(&self.state, DeliveryState::Delivered { version: Some(_), .. });
                if is_there && self.wish == DeliveryWish::There {
                    (self.is_edited, self.failures) = (true, 0);
                    (self.due_at, self.changed_at) = (now, now);
                }
            }
            DeliveryEvent::TakenBack => match &self.state {
                DeliveryState::Pending | DeliveryState::Failed { .. } => return None,
                DeliveryState::Unknown | DeliveryState::Delivered { .. } => {
                    self.wish = DeliveryWish::Gone;
                    self.failures = 0;
                    (self.due_at, self.changed_at) = (now, now);
                }
                DeliveryState::Removed | DeliveryState::Stays { .. } => {}
            },
            DeliveryEvent::Reachable => {
                if !self.is_settled() {
                    self.due_at = now;
                }
            }
            DeliveryEvent::NoServer => return None,
            DeliveryEvent::NotAllowed => self.give_up(DeliveryProblem::NotAllowed, now),
            DeliveryEvent::TooLate => self.give_up(DeliveryProblem::TooLate, now),
        }
        Some(self)
    }

    fn give_up(&mut self, why: DeliveryProblem, now: Timestamp) {
        self.state = match self.wish {
            DeliveryWish::There => DeliveryState::Failed { why },
            DeliveryWish::Gone => DeliveryState::Stays { why },
        };
        self.changed_at = now;
    }

    fn put_off(&mut self, failure: Option<LookFailure>, now: Timestamp, chance: u64) {
        let after_s = match &failure {
            Some(LookFailure::TooOften { after_s }) => after_s.unwrap_or(0),
            Some(_) | None => 0,
        };
        let wait = wait_after(AGAIN, self.failures, chance).max(Duration::from_secs(u64::from(after_s)));
        self.failures = self.failures.saturating_add(1);
        self.last_failure = failure.or(self.last_failure.take());
        let wait = i64::try_from(wait.as_millis()).unwrap_or(DAY_MS).min(DAY_MS);
        self.due_at = now.plus_ms(wait);
    }

    fn answered(mut self, before: &Self, end: ChangeEnd, now: Timestamp, chance: u64) -> Option<Self> {
        let is_put = before.wish == DeliveryWish::There;
        match end {
            ChangeEnd::Answered(outcome) => {
                (self.failures, self.last_failure) = (0, None);
                (self.due_at, self.changed_at) = (now, now);
                let is_edit = is_put && std::mem::take(&mut self.is_edited);
                self.state = match (outcome, is_put) {
                    // Its owner sent it or took it away in another program.
                    (ChangeOutcome::Refused(ChangeRefusal::Gone), true) if is_edit => DeliveryState::Removed,
                    (ChangeOutcome::Refused(ChangeRefusal::DraftChanged), true) if is_edit => {
                        DeliveryState::Stays {
                            why: DeliveryProblem::Refused(ChangeRefusal::DraftChanged),
                        }
                    }
                    // The text before is there still.
                    (ChangeOutcome::Refused(_), true) if is_edit => self.state,
                    (ChangeOutcome::Done { version, part_before }, true) => {
                        DeliveryState::Delivered { version, part_before }
                    }
                    (ChangeOutcome::Done { .. }, false) => DeliveryState::Removed,
                    // Taken back meanwhile, and never there.
                    (ChangeOutcome::Refused(_), true) if self.wish == DeliveryWish::Gone => return None,
                    (ChangeOutcome::Refused(why), true) => DeliveryState::Failed {
                        why: DeliveryProblem::Refused(why),
                    },
                    (ChangeOutcome::Refused(why), false) => DeliveryState::Stays {
                        why: DeliveryProblem::Refused(why),
                    },
                };
                if self.is_settled()
                    && let Some(place) = &mut self.place
                {
                    place.seen = None;
                }
            }
            ChangeEnd::Failed {
                failure,
                is_perhaps_made,
            } => {
                if is_put && !is_perhaps_made && before.state == DeliveryState::Pending {
                    if self.wish == DeliveryWish::Gone {
                        return None;
                    }
                    self.state = DeliveryState::Pending;
                }
                self.put_off(Some(failure), now, chance);
            }
        }
        Some(self)
    }

    fn step(&self, now: Timestamp) -> DeliveryStep {
        if self.wish == DeliveryWish::There && self.state == DeliveryState::Pending && self.until <= now {
            DeliveryStep::GiveUp
        } else if self.place.is_none() {
            DeliveryStep::FindPlace
        } else {
            DeliveryStep::Change
        }
    }
}

/// The same event under another UID.
fn with_uid(text: &str, uid: &str) -> String {
    let lines = text.lines().map(|line| match line.strip_prefix("UID:") {
        Some(_) => format!("UID:{uid}\r\n"),
        None => format!("{line}\r\n"),
    });
    lines.collect()
}

/// All deliveries, by the act that they follow from.
pub(super) type DeliveryRecords = BTreeMap<TraceId, ServerDelivery>;

/// What is to be done now, the oldest first; or when something is.
pub(super) fn next_step(
    records: &DeliveryRecords,
    now: Timestamp,
) -> (Option<(TraceId, DeliveryStep)>, Option<Timestamp>) {
    let mut open: Vec<&ServerDelivery> = records.values().filter(|one| !one.is_settled()).collect();
    open.sort_by_key(|one| (one.asked_at, one.trace_id.clone()));
    // What was taken back and is asked for again waits until that is done.
    let mut names = BTreeSet::new();
    open.retain(|one| names.insert(one.name.as_str()));
    let due = open.iter().find(|one| one.due_at <= now);
    let step = due.map(|one| (one.trace_id.clone(), one.step(now)));
    (step, open.iter().map(|one| one.due_at).min())
}

/// Those of which nothing is told any more, and where there are too many the oldest that are settled.
pub(super) fn outdated(records: &DeliveryRecords, now: Timestamp) -> Vec<TraceId> {
    let mut settled: Vec<&ServerDelivery> = records.values().filter(|one| one.is_settled()).collect();
    settled.sort_by_key(|one| (one.changed_at, one.trace_id.clone()));
    let surplus = records.len().saturating_sub(RECORDS_MAX);
    let is_old =
        |(number, one): &(usize, &ServerDelivery)| *number < surplus || now.since(one.changed_at) > TOLD_MS;
    settled
        .into_iter()
        .enumerate()
        .filter(is_old)
        .map(|(_, one)| one.trace_id.clone())
        .collect()
}

/// Whether one more is taken.
pub(super) fn has_room(records: &DeliveryRecords) -> bool {
    records.values().filter(|one| !one.is_settled()).count() < RECORDS_MAX
}

#[cfg(test)]
mod tests;
