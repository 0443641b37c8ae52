//! Changing one thing on a server, as its owner confirmed.
//!
//! What: [`ServerChange`], [`change_account`], which has a worker make it, and what became of it. Why: whoever asks must know whether it is done,
//! will never be done, or may have been done, and each change can be asked for again without being made twice. Not here: making it
//! (`caldav_change`), when it is asked for (the runtime).

use super::{
    AccountRequest, AccountWorker, LookFailure, WorkerEnd,
    wire::{FromAccountWorker, PART_BYTES_MAX},
};
use crate::WorkerProgram;
use serde::{Deserialize, Serialize};
use std::{fmt, net::TcpStream, time::Instant};
use toolcall_schema::delivery::ChangeRefusal;

/// What is to be changed. Never shown: it holds text of events.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "snake_case", deny_unknown_fields)]
pub enum ServerChange {
    /// An event of ours is to be there.
    PutEvent {
        path: String,
        text: String,
        /// It may be there already: that is looked at first.
        is_repeat: bool,
    },
    /// An event of ours is to be gone.
    RemoveEvent {
        path: String,
        text: String,
        /// The version that was put; absent: it is not known, and only what still says what was put goes.
        version: Option<String>,
    },
    /// The owner declines an event.
    Decline {
        path: String,
        /// The iTIP reply that says so.
        reply: String,
        /// The event as the owner was shown it.
        seen: String,
    },
    /// The owner takes that back.
    TakeBackDecline {
        path: String,
        reply: String,
        /// What the owner's part was before: a `PARTSTAT`.
        part: String,
    },
}

impl fmt::Debug for ServerChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::PutEvent { .. } => "PutEvent(..)",
            Self::RemoveEvent { .. } => "RemoveEvent(..)",
            Self::Decline { .. } => "Decline(..)",
            Self::TakeBackDecline { .. } => "TakeBackDecline(..)",
        })
    }
}

impl ServerChange {
    /// Whether it fits the frame to a worker.
    fn is_bounded(&self) -> bool {
        let texts = match self {
            Self::PutEvent { text, .. } | Self::RemoveEvent { text, .. } => [text.as_str(), ""],
            Self::Decline { reply, seen, .. } => [reply.as_str(), seen.as_str()],
            Self::TakeBackDecline { reply, .. } => [reply.as_str(), ""],
        };
        texts.iter().map(|text| text.len()).sum::<usize>() <= PART_BYTES_MAX + (64 << 10)
    }
}

/// What became of a change that was answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ChangeOutcome {
    /// It is so now, by this request or an earlier one.
    Done {
        /// The version that is there now, as the server calls it.
        version: Option<String>,
        /// What the owner's part was before, of a decline.
        part_before: Option<String>,
    },
    /// It is not so, and asking again would not help.
    Refused(ChangeRefusal),
}

/// How asking for a change ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangeEnd {
    /// The server answered.
    Answered(ChangeOutcome),
    /// It did not.
    Failed {
        failure: LookFailure,
        /// Whether the change may have been made all the same.
        is_perhaps_made: bool,
    },
}

/// Has a worker make a change on connections that `connect` opens. Blocks as [`super::read_account`] does.
pub fn change_account(
    program: &WorkerProgram,
    name: &str,
    request: &AccountRequest,
    connect: &mut dyn FnMut() -> Result<TcpStream, LookFailure>,
) -> ChangeEnd {
    let mut is_perhaps_made = false;
    if !request.change.as_ref().is_some_and(ServerChange::is_bounded) {
        return ChangeEnd::Failed {
            failure: LookFailure::TooLarge,
            is_perhaps_made,
        };
    }
    let until = Instant::now() + super::LOOK_WITHIN;
    let ended = AccountWorker::start(program, name).and_then(|worker| {
        let ended = worker.converse(request, until, connect, &mut |frame| {
            if matches!(frame, FromAccountWorker::Changing) {
                is_perhaps_made = true;
                Ok(())
            } else {
                // Nothing else is asked of it.
                Err(LookFailure::Broken)
            }
        });
        worker.end(&ended);
        ended
    });
    match ended {
        Ok(WorkerEnd::Changed(outcome)) => ChangeEnd::Answered(outcome),
        Ok(WorkerEnd::Read(_) | WorkerEnd::Answered(_)) => ChangeEnd::Failed {
            failure: LookFailure::WorkerEnded,
            is_perhaps_made,
        },
        Err(failure) => ChangeEnd::Failed {
            failure,
            is_perhaps_made,
        },
    }
}
