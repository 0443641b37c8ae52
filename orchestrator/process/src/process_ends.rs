//! How and when a process failed.
//!
//! What: [`ProcessEnds`], the last ends of one process, each with its time. Why: reports say how the last one ended, and the console beside a slow tick
//! when a process was started again. Not here: what ends it (`link`), what follows (`supervisor`).

use super::{child_process::in_words, link::ExitReason};
use aura_platform::clock::BootInstant;
use serde::{Serialize, Serializer};
use std::{collections::VecDeque, fmt, process::ExitStatus};
use toolcall_schema::process_end::ProcessEndCause;

/// Ends that are remembered of one process.
const ENDS_MAX: usize = 32;

/// One end, after which the process was started again. Shown and serialised as a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessEnd {
    pub at: BootInstant,
    pub cause: ProcessEndCause,
    pub status: Option<ExitStatus>,
    said: String,
}

impl ProcessEnd {
    /// It ends now.
    pub(super) fn now(reason: &ExitReason, status: Option<ExitStatus>) -> Self {
        Self {
            at: BootInstant::now(),
            cause: match reason {
                ExitReason::Start(_) => ProcessEndCause::NotStarted,
                ExitReason::Socket(_) => ProcessEndCause::SocketFailed,
                ExitReason::Closed => ProcessEndCause::Closed,
                ExitReason::Hung(_) => ProcessEndCause::Hung,
                ExitReason::Stopped => ProcessEndCause::Stopped,
                ExitReason::Refused(code) => ProcessEndCause::CannotWork(code),
                ExitReason::Wire(error) => ProcessEndCause::BadFrame(error.code().as_str()),
            },
            status,
            said: reason.to_string(),
        }
    }
}

impl fmt::Display for ProcessEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.status {
            Some(status) => write!(f, "{} ({})", self.said, in_words(status)),
            None => f.write_str(&self.said),
        }
    }
}

/// The last ends of a process, newest last. Serialised as the last one alone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProcessEnds(VecDeque<ProcessEnd>);

impl ProcessEnds {
    pub(super) fn note(&mut self, end: ProcessEnd) {
        if self.0.len() == ENDS_MAX {
            self.0.pop_front();
        }
        self.0.push_back(end);
    }

    /// All that are remembered, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &ProcessEnd> {
        self.0.iter()
    }

    pub fn last(&self) -> Option<&ProcessEnd> {
        self.0.back()
    }
}

impl Serialize for ProcessEnds {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.last().map(ToString::to_string).serialize(to)
    }
}

#[cfg(test)]
mod tests {
    use super::{ENDS_MAX, ProcessEnd, ProcessEndCause, ProcessEnds};
    use crate::link::ExitReason;
    use std::{os::unix::process::ExitStatusExt as _, process::ExitStatus};

    #[test]
    fn the_last_ends_are_remembered_and_the_newest_is_told() {
        let mut ends = ProcessEnds::default();
        assert_eq!(serde_json::to_value(&ends).unwrap(), serde_json::Value::Null);
        for _ in 0..ENDS_MAX {
            ends.note(ProcessEnd::now(&ExitReason::Hung("answer to a call"), None));
        }
        ends.note(ProcessEnd::now(
            &ExitReason::Closed,
            Some(ExitStatus::from_raw(9)),
        ));
        assert_eq!(ends.iter().count(), ENDS_MAX);
        assert_eq!(ends.last().map(|end| end.cause), Some(ProcessEndCause::Closed));
        assert_eq!(serde_json::to_value(&ends).unwrap(), "it ended (signal 9)");
    }
}
