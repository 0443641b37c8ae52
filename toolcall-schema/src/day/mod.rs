//! The files of a recorded day.
//!
//! What: typed `day.toml`, `signals.jsonl`, `owner.jsonl`, `replies.jsonl`, `faults.jsonl` and `expected.json`, read from
//! text with [`load`]. Why: a scenario is a folder, and a mistake in it is named by file and line instead of changing the day. Not here:
//! reading folders and playing a day (`orchestrator`).

mod load;

#[cfg(test)]
mod tests;

use crate::{
    catalogue::{ToolName, learning::LearnedThing},
    milli::Milli,
    names::{ActionKind, AgentName, Outcome, ReasonCode, SubmitAct, Surface, closed_enum},
    result::ToolErrorCode,
    rule::RuleName,
    tick::{Subject, TriggerSource},
    time::Timestamp,
    trace::Trace,
};
use chrono::NaiveTime;
use chrono_tz::Tz;
pub use load::{DayTexts, RecordedDay, load};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{collections::BTreeMap, fmt};

closed_enum!(
    /// The codes of recorded days. Each has a page `docs/errors/<code>.md`.
    DayCode {
        /// Not TOML, or not strict JSON.
        Day001 = "DAY-001",
        /// Not what the file's schema says.
        Day002 = "DAY-002",
        /// Out of order: an instant before the one above it, or a tick that is not after the one above it.
        Day003 = "DAY-003",
        /// Before the day's start.
        Day004 = "DAY-004",
        /// A file cannot be read, or a required one is missing. Said by whoever reads the folder, never by [`load`].
        Day005 = "DAY-005",
    }
);

/// The files of a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DayFile {
    /// `day.toml`
    Day,
    /// `signals.jsonl`
    Signals,
    /// `owner.jsonl`
    Owner,
    /// `replies.jsonl`
    Replies,
    /// `faults.jsonl`
    Faults,
    /// `expected.json`
    Expected,
}

impl DayFile {
    /// The file's name in the day's folder.
    pub fn name(self) -> &'static str {
        match self {
            DayFile::Day => "day.toml",
            DayFile::Signals => "signals.jsonl",
            DayFile::Owner => "owner.jsonl",
            DayFile::Replies => "replies.jsonl",
            DayFile::Faults => "faults.jsonl",
            DayFile::Expected => "expected.json",
        }
    }
}

/// A mistake in a recorded day.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct DayError {
    /// What sort of mistake.
    pub code: DayCode,
    /// In which file.
    pub file: DayFile,
    /// In which line, from 1; in `expected.json` the entry, from 1; 0 for the whole file.
    pub line: usize,
    /// Where in the line, as a JSON pointer; empty for the whole line.
    pub pointer: String,
    /// What to do. Never holds a value of the file.
    pub message: String,
}

impl fmt::Display for DayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.file.name())?;
        if self.line > 0 {
            write!(f, ":{}", self.line)?;
        }
        if !self.pointer.is_empty() {
            write!(f, " at {}", self.pointer)?;
        }
        write!(f, ": {}", self.message)
    }
}

/// `day.toml`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DayHeader {
    /// The owner's time zone.
    pub zone: Tz,
    /// When the day starts, as RFC 3339 in quotes.
    pub start: Timestamp,
    /// What ids and keys are derived from, `^[a-z0-9_-]{1,64}$`.
    pub seed: String,
    /// Attention tokens a day, 0 to 5.
    pub ceiling: u8,
    /// A policy file beside `day.toml`; absent: the built-in policy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
}

/// One line of `owner.jsonl`: `{"at": …, "act": …, …}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnerAct {
    pub at: Timestamp,
    pub act: OwnerActKind,
}

/// What the owner, a surface of the owner's, or a program does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "act", deny_unknown_fields, rename_all = "snake_case")]
pub enum OwnerActKind {
    /// A surface connects.
    Connect {
        /// Which; not SILENT.
        surface: Surface,
    },
    /// A surface goes away.
    Disconnect {
        /// Which; not SILENT.
        surface: Surface,
    },
    /// The prompt of a tick is confirmed.
    Confirm(CardSubmission),
    /// The prompt of a tick is dismissed.
    Dismiss(CardSubmission),
    /// A card was useful.
    Useful(CardSubmission),
    /// The prompt of a tick is corrected, which dismisses it.
    Edit(CardSubmission),
    /// The card of a tick is put off.
    Later {
        /// Until when: one of [`SubmitAct::LATER`].
        choice: SubmitAct,
        surface: Surface,
        /// Whose card, from 1.
        tick: u64,
        /// As in [`CardSubmission`].
        #[serde(default, skip_serializing_if = "Option::is_none")]
        capability: Option<Wrong>,
        /// As in [`CardSubmission`].
        #[serde(default, skip_serializing_if = "Option::is_none")]
        answer: Option<SubmitAnswer>,
    },
    /// "Tell me when not to": members of [`crate::rule::OwnerRule`], with one kind.
    Rule {
        /// Its name.
        name: RuleName,
        /// Only this kind.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        kind: Option<ActionKind>,
        /// Only about this.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        subject: Option<Subject>,
        /// Only in these hours of the owner's day, `["22:00", "07:00"]`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        hours: Option<(NaiveTime, NaiveTime)>,
        /// Only on these days, 1 = Monday to 7; empty: every day.
        #[serde(default)]
        days: Vec<u8>,
    },
    /// Quiet for a time.
    Pause {
        /// 1 to 1440.
        minutes: u32,
    },
    /// A mute is ended, before its time.
    EndMute {
        /// Whose card it was confirmed on, from 1.
        tick: u64,
    },
    /// The pause is ended, before its time.
    EndPause {},
    /// A rule is taken back.
    EndRule {
        /// Which rule.
        name: RuleName,
    },
    /// That a card was put off is taken back, before its time.
    UndoLater {
        /// Whose card, from 1.
        tick: u64,
    },
    /// Somebody, or a chat, is always let through, or no longer.
    LetThrough { about: LearnedThing, always: bool },
    /// A program asks for something that the owner has to confirm.
    Ask {
        /// The program's name for it.
        key: String,
        /// What is to be done.
        tool: ToolName,
        /// With which arguments.
        args: Value,
        /// For how many minutes it waits, 1 to 1440; absent: an hour.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        wait_min: Option<u16>,
    },
    /// The owner's configuration is changed and read again.
    Settings {
        /// The owner travels.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        zone: Option<Tz>,
        /// Attention tokens a day, 0 to 5.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ceiling: Option<u8>,
    },
    /// The computer's clock is set. The instants of the day's files go on as if it had not been.
    Clock {
        /// By how much, -1440 to 1440.
        minutes: i32,
    },
    /// The process stands still. What comes meanwhile is handed over afterwards.
    Suspend {
        /// For how long, 1 to 10080.
        minutes: u32,
    },
    /// Aura is stopped, and started on the same folder. What comes meanwhile is handed over afterwards; the surfaces that
    /// were connected connect again.
    Restart {
        /// After how long, 0 to 10080.
        minutes: u32,
    },
}

/// What is submitted on a card.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CardSubmission {
    /// On the watch or the phone; "Useful" without it: on the phone.
    #[serde(default = "phone")]
    pub surface: Surface,
    /// Whose card, from 1.
    pub tick: u64,
    /// What is wrong with the capability; absent: it is that of the card on that surface.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capability: Option<Wrong>,
    /// What must be answered; absent: anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<SubmitAnswer>,
}

fn phone() -> Surface {
    Surface::PhoneCard
}

closed_enum!(
    /// How a submitted capability is wrong.
    Wrong {
        /// Its first digit is another.
        Altered = "altered",
        /// There is none.
        Absent = "absent",
        /// It is that of the same card on the other surface.
        Foreign = "foreign",
    }
);

closed_enum!(
    /// What a submission is answered.
    SubmitAnswer {
        /// It counts.
        Accepted = "accepted",
        /// It counts, and a token came back.
        Refunded = "refunded",
        /// There is no such card, or it asks nothing.
        Confirm001 = "CONFIRM-001",
        /// The capability is not that of this card on this surface.
        Confirm002 = "CONFIRM-002",
        /// Too late.
        Confirm003 = "CONFIRM-003",
        /// Answered already, and differently.
        Confirm004 = "CONFIRM-004",
        /// Not asked on this surface.
        Confirm005 = "CONFIRM-005",
        /// It cannot be put off, or not once more.
        Confirm006 = "CONFIRM-006",
    }
);

/// One line of `replies.jsonl`: what the scripted model answers in a tick.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptedReply {
    /// In which tick, from 1.
    pub tick: u64,
    /// How long it takes.
    pub after_ms: u32,
    /// `text` or `error` of the line.
    pub answer: Result<String, ReplyError>,
}

closed_enum!(
    /// How the scripted model fails.
    ReplyError {
        /// Its process ends.
        Crashed = "crashed",
        /// There is no model.
        Unavailable = "unavailable",
    }
);

/// One line of `faults.jsonl`: `{"tick": …, "fault": …, …}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InjectedFault {
    /// In which tick, from 1.
    pub tick: u64,
    /// What goes wrong.
    pub fault: InjectedFaultKind,
}

/// What goes wrong. Where a `tool` may be named and is not, the fault hits the agent's answer to the tick.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "fault", deny_unknown_fields, rename_all = "snake_case")]
pub enum InjectedFaultKind {
    /// The agent does not answer.
    Silent {
        agent: AgentName,
        /// In which call.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tool: Option<ToolName>,
    },
    /// The agent answers late.
    SlowMs {
        agent: AgentName,
        /// How late.
        ms: u32,
        /// In which call.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tool: Option<ToolName>,
    },
    /// The agent's process ends.
    Panic {
        agent: AgentName,
        /// In which call.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tool: Option<ToolName>,
    },
    /// These bytes take the place of the agent's result.
    RawResult {
        agent: AgentName,
        /// At most 64 KiB.
        raw: String,
        /// In which call.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tool: Option<ToolName>,
    },
    /// These bytes take the place of the call that Executing stamps.
    RawCall {
        /// At most 128 KiB, so that a call that is too large can be written.
        raw: String,
        /// Of which agent, when two calls are sent; absent: the primary one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent: Option<AgentName>,
    },
    /// The tool that carries the action out fails.
    ToolError {
        /// Of which agent, when two calls are sent; absent: the primary one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent: Option<AgentName>,
        /// How; absent: `unavailable`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<ToolErrorCode>,
    },
    /// The store is slow or fails.
    Disk {
        /// How long its commits take; absent: they fail.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        for_ms: Option<u32>,
    },
}

/// One entry of `expected.json`: what a trace must say, without ids and hashes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExpectedTrace {
    /// The tick's number, from 1.
    pub tick: u64,
    /// Why it started.
    pub trigger: TriggerSource,
    /// The kind, or `do_nothing`.
    pub chosen: String,
    /// Where the action was shown or asked for; SILENT for `do_nothing`.
    pub surface: Surface,
    /// How it ended.
    pub outcome: Outcome,
    /// Why; `null` for `executed_auto` and `confirmed`.
    #[serde(default)]
    pub reason_code: Option<ReasonCode>,
    /// What removed which kind before scoring.
    pub caps: BTreeMap<ActionKind, ReasonCode>,
    /// The scores, three decimals.
    pub scores: BTreeMap<ActionKind, Milli>,
    /// Free tokens after the tick.
    pub tokens_after: u8,
}

impl ExpectedTrace {
    /// What a trace says. `surface` is where the owner confirmed it, else where it was to be shown; where two candidates
    /// are of one kind, the better one counts.
    pub fn of(trace: &Trace) -> Self {
        let decision = &trace.decision;
        let mut caps = BTreeMap::new();
        let mut scores = BTreeMap::new();
        for candidate in &decision.candidates {
            if let Some(reason) = candidate.removed {
                caps.entry(candidate.kind).or_insert(reason);
            }
            if let Some(parts) = &candidate.score {
                scores.entry(candidate.kind).or_insert(parts.score);
            }
        }
        let meant = decision
            .chosen
            .as_ref()
            .map_or(Surface::Silent, |chosen| chosen.surface);
        Self {
            tick: decision.tick,
            trigger: decision.trigger.source,
            chosen: trace.chosen_name().to_owned(),
            surface: meant,
            outcome: trace.outcome,
            reason_code: trace.reason_code,
            caps,
            scores,
            tokens_after: trace.ledger_after.free,
        }
    }
}
