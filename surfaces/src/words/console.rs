//! The operator's console.

use super::{action, agent};
use crate::backend::console::{DryReplayVerdict, ProcessName, ProcessStatus, QueueName};
use toolcall_schema::{
    AgentName, QuarantineKind, StateName, ledger::LedgerEntry, tick::TriggerSource, timer::TimerName,
    trace::LedgerView, whatif::InterruptionChange,
};

/// The console's name, before each page's own in the title.
pub const CONSOLE: &str = "Aura console";

/// What the navigation is for a screen reader.
pub const CONSOLE_NAV: &str = "Console";

/// Names of the pages, in the order of the navigation.
pub const OVERVIEW: &str = "Overview";
/// What was refused.
pub const QUARANTINE: &str = "Quarantine";
pub const TRACES: &str = "Traces";
/// The seven states.
pub const MACHINE: &str = "Machine";
/// Policy and catalogue.
pub const POLICY: &str = "Policy";
/// Another policy on trial.
pub const WHAT_IF: &str = "What-if";
pub const LEDGER: &str = "Ledger";
/// Runs of workflows.
pub const WORKFLOWS: &str = "Workflows";

/// What is said where nothing is wrong.
pub const ALL_WELL: &str = "All agents answer, and what happens can be written down.";
/// Above what is wrong.
pub const NOT_WELL: &str = "Not as it should be:";

/// Headings of the overview.
pub const PARTS: &str = "Processes";
/// Of the table of processes.
pub const PART_COLUMNS: [&str; 6] = [
    "Process",
    "Standing",
    "Process id",
    "Memory",
    "Started again",
    "Last end",
];
/// Headings of the overview.
pub const QUEUES: &str = "Queues";
/// Of the table of queues.
pub const QUEUE_COLUMNS: [&str; 4] = ["Queue", "Waiting", "At most", "Refused or dropped"];
/// Headings of the overview.
pub const SINCE_START: &str = "Since the start";
/// Headings of the overview.
pub const KEPT: &str = "Kept";
/// Headings of the overview.
pub const IN_FORCE: &str = "In force";

/// The figures since the start, in the order of the view.
pub const COUNTERS: [&str; 8] = [
    "Calls refused",
    "Results refused",
    "Refusals that could not be kept",
    "Commits the disk did not take",
    "Traces kept as files, the store being slow",
    "Events that came too late",
    "Jumps of the wall clock",
    "Items that agents could not read",
];

/// What is kept, in the order of the view.
pub const STORE: [&str; 5] = [
    "On disk",
    "Ticks begun",
    "Events of the journal",
    "Traces",
    "Rows of the attention ledger",
];

/// Version, policy, catalogue, sandbox.
pub const VERSIONS: [&str; 4] = ["Aura", "Policy", "Catalogue", "Sandbox of the agents"];

/// Where a figure is not known.
pub const NOT_KNOWN: &str = "not known";
/// Where something does not count.
pub const NONE: &str = "–";

/// Whose process.
pub fn part(name: ProcessName) -> String {
    match name {
        ProcessName::Service => "The service".to_owned(),
        ProcessName::Agent(name) => format!("Agent {}", agent(name)),
        ProcessName::Model => "The language model".to_owned(),
    }
}

/// The status of a process.
pub fn part_standing(standing: ProcessStatus) -> &'static str {
    match standing {
        ProcessStatus::Running => "runs",
        ProcessStatus::Starting => "is starting",
        ProcessStatus::Resting => "rests after too many failures",
        ProcessStatus::Off => "is not wanted",
        ProcessStatus::Missing => "cannot run: its program is missing or of another version",
    }
}

/// Which queue.
pub fn queue(name: QueueName) -> &'static str {
    match name {
        QueueName::Triggers => "Triggers",
        QueueName::Machine => "Events to the machine",
        QueueName::Memory => "Turns to the store",
        QueueName::Surfaces => "Changes for pages",
        QueueName::Model => "Questions to the model",
    }
}

/// What was refused.
pub fn refused_kind(kind: QuarantineKind) -> &'static str {
    match kind {
        QuarantineKind::Calls => "Calls",
        QuarantineKind::Results => "Results",
        QuarantineKind::Messages => "Messages of programs",
        QuarantineKind::Traces => "Traces",
    }
}

/// The button that judges a line again.
pub const JUDGE: &str = "Judge by today's gate";

/// What the button does, for whoever hesitates.
pub const JUDGE_NOTE: &str = "A dry replay: nothing is done, and its deadline is not judged.";

/// The line is not there any more.
pub const LINE_GONE: &str = "This line was purged meanwhile: load the page again.";

/// What today's gate says.
pub fn verdict(verdict: &DryReplayVerdict) -> String {
    match verdict {
        DryReplayVerdict::Passes => "It would pass today.".to_owned(),
        DryReplayVerdict::PassesOtherwise => {
            "It would pass but for what is not replayed: its deadline, a confirmation, what was asked."
                .to_owned()
        }
        DryReplayVerdict::Refused { same: true, .. } => "Still refused, for the same reason.".to_owned(),
        DryReplayVerdict::Refused { same: false, .. } => "Still refused, for another reason:".to_owned(),
        DryReplayVerdict::Redacted => {
            "It cannot be judged: private leaves were hidden, so the refused bytes are not there any more."
                .to_owned()
        }
        DryReplayVerdict::NoCall => {
            "It cannot be judged: the line does not say which call it answers.".to_owned()
        }
        DryReplayVerdict::Cut => "It cannot be judged: only its beginning is kept.".to_owned(),
    }
}

/// Before the marked leaf, for a screen reader.
pub const WRONG_HERE: &str = "wrong here: ";
/// The place is not in what is kept.
pub const NEAREST: &str = "What the pointer names is not there: what should hold it is marked.";

/// What is no JSON, and from where on.
pub fn no_json(line: usize, column: usize, ends: bool) -> String {
    if ends {
        format!("It is no JSON: it ends too soon, at line {line}, byte {column}.")
    } else {
        format!("It is no JSON from line {line}, byte {column} on.")
    }
}

/// What is no text, and from where on.
pub fn no_text(byte: Option<usize>) -> String {
    byte.map_or_else(
        || "It is no text, and is shown as base64.".to_owned(),
        |byte| format!("It is no text (UTF-8) from byte {byte} on, counted from 0, and is shown as base64."),
    )
}

/// The form that chooses.
pub const FILTER: &str = "Show";
/// The choice that chooses nothing.
pub const ANY: &str = "any";
/// Names of the fields.
pub const KIND: &str = "Kind";
/// Names of the fields.
pub const CODE: &str = "Code";
/// Names of the fields.
pub const AGENT: &str = "Agent";
/// Names of the fields.
pub const AGENT_STATUS: &str = "Its part";
/// Names of the fields.
pub const OUTCOME: &str = "Outcome";
/// Names of the fields.
pub const REASON: &str = "Reason";
/// Names of the fields.
pub const TRIGGER: &str = "Trigger";
/// Names of the fields.
pub const FROM: &str = "From day";
/// Names of the fields.
pub const TO: &str = "To day";
/// Names of the fields.
pub const TRACE_ID: &str = "Trace id";

/// Of the table of decisions.
pub const TRACE_COLUMNS: [&str; 6] = ["When", "What", "Ended", "Trigger", "Agents", "Took"];
/// No decision passes the filter.
pub const NO_TRACE: &str = "No decision of that kind.";
/// To the next page.
pub const OLDER: &str = "Older";
/// All four agents answered.
pub const ALL_ANSWERED: &str = "all answered";

/// How many decisions are shown, and of how many.
pub fn traces_shown(shown: usize, looked_at: usize) -> String {
    format!("{shown} of {looked_at} decisions looked at, newest first.")
}

/// A trigger, as an item of a list.
pub fn trigger_name(source: TriggerSource) -> &'static str {
    match source {
        TriggerSource::PhoneUnlock => "Phone unlocked",
        TriggerSource::CommsBurst => "A loud chat",
        TriggerSource::Transaction => "A payment",
        TriggerSource::LoadCrossed => "Load past 70",
        TriggerSource::BriefTime => "Time of the brief",
        TriggerSource::AlertAt => "An event near",
        TriggerSource::MuteEnded => "A mute ended",
        TriggerSource::RuleEnded => "A pause or a rule ended",
        TriggerSource::WindowEnded => "The window ended",
        TriggerSource::Later => "Put off until then",
        TriggerSource::Interval => "The regular look",
        TriggerSource::Owner => "The owner asked",
        TriggerSource::Call => "The owner did it",
    }
}

/// A state's name on the console.
pub fn state_name(state: StateName) -> &'static str {
    match state {
        StateName::Idle => "Idle",
        StateName::Listening => "Listening",
        StateName::Deliberating => "Deliberating",
        StateName::AwaitingConfirm => "Awaiting confirmation",
        StateName::Executing => "Executing",
        StateName::LoggingTrace => "Logging the trace",
        StateName::Cooldown => "Cooldown",
    }
}

/// Headings of the machine's page.
pub const STATES: &str = "State";
/// Headings of the machine's page.
pub const TIMERS: &str = "Waits for";
/// Of the table of timers.
pub const TIMER_COLUMNS: [&str; 3] = ["What", "When", "In"];
/// Begins what is said of a brief that something forbids at its hour.
pub const BRIEF_NOTE: &str = "The morning brief:";
/// A timer that is due.
pub const DUE: &str = "due";
/// Headings of the machine's page.
pub const TRIGGERS: &str = "Triggers that wait";
/// Of the table of triggers.
pub const TRIGGER_COLUMNS: [&str; 2] = ["Trigger", "Since"];
/// Headings of the machine's page.
pub const ATTENTION: &str = "Attention and quiet";
/// No trigger waits.
pub const NO_TRIGGER: &str = "None.";
/// Marks the current state for a screen reader.
pub const NOW: &str = "now";

/// The machine is idle.
pub fn idle_since(last_event: &str) -> String {
    format!("It waits for a reason to think. The last event came at {last_event}.")
}

/// The machine is at work.
pub fn at_work(state: StateName, long: &str, trigger: TriggerSource) -> String {
    format!(
        "{} for {long}. This tick began with: {}.",
        state_name(state),
        trigger_name(trigger)
    )
}

/// A question to the owner waits.
pub fn pending(kind: toolcall_schema::ActionKind, shown: bool) -> String {
    let shown = if shown { "shown" } else { "not shown anywhere yet" };
    format!("The owner is asked: {} ({shown}).", action(kind))
}

/// Tokens of the day.
pub fn tokens(ledger: &LedgerView) -> String {
    let LedgerView {
        ceiling,
        free,
        reserved,
        settled,
        refunded,
        ..
    } = ledger;
    format!("{free} of {ceiling} free, {reserved} held, {settled} spent, {refunded} given back.")
}

/// Pause, do not disturb, and where a page is open.
pub const PAUSED_UNTIL: &str = "Paused until";
/// Pause, do not disturb, and where a page is open.
pub const DND: &str = "Do not disturb";
/// Pause, do not disturb, and where a page is open.
pub const SURFACES_OPEN: &str = "Pages open";
/// A switch.
pub const ON: &str = "on";
/// A switch.
pub const OFF: &str = "off";

/// What waits for a time.
pub fn timer(name: TimerName) -> String {
    let of = |name: AgentName, what: &str| format!("{} {what}", agent(name));
    match name {
        TimerName::State(state) => format!("{} ends", state_name(state)),
        TimerName::Reading(name) => of(name, "has read its sources"),
        TimerName::Call => "What the owner asked for is done".to_owned(),
        TimerName::Ask => "What a program asked for lapses".to_owned(),
        TimerName::Interval => "The regular look".to_owned(),
        TimerName::Retry => "What had to wait is tried again".to_owned(),
        TimerName::Later => "What was put off comes back".to_owned(),
        TimerName::Brief => "The morning brief".to_owned(),
        TimerName::Alert => "An event near".to_owned(),
        TimerName::Mute => "A muted chat comes back".to_owned(),
        TimerName::Pause => "The pause ends".to_owned(),
        TimerName::Dnd => "Do not disturb ends".to_owned(),
        TimerName::Rule => "A rule ends".to_owned(),
        TimerName::Course => "A course ends".to_owned(),
        TimerName::Card => "A card is over".to_owned(),
        TimerName::Window => "The window after a card ends".to_owned(),
        TimerName::Recovering => "The quiet time after stress ends".to_owned(),
        TimerName::Lapse => "The last heart reading is too old to count".to_owned(),
    }
}

/// Where the policy comes from.
pub fn policy_origin(built_in: bool, differences: usize) -> String {
    match (built_in, differences) {
        (true, _) => "The built-in policy is in force.".to_owned(),
        (false, 0) => "A policy of your own is in force; its constants are the built-in ones.".to_owned(),
        (false, 1) => "A policy of your own is in force; one constant differs.".to_owned(),
        (false, more) => format!("A policy of your own is in force; {more} constants differ."),
    }
}
/// Of the table of constants.
pub const CONSTANT_COLUMNS: [&str; 4] = ["Constant", "Built-in", "In force", "Means"];
/// Headings of the policy's page.
pub const DIFFERENCES: &str = "What differs from the built-in policy";
/// Headings of the policy's page.
pub const POLICY_TEXT: &str = "Its text";
/// Headings of the policy's page.
pub const CATALOGUE: &str = "Catalogue";
/// Of the table of tools.
pub const TOOL_COLUMNS: [&str; 6] = [
    "Tool",
    "Confirmation",
    "Class",
    "Surface",
    "Effects",
    "What it does",
];
/// SHA-256 of something.
pub const HASH: &str = "SHA-256";

/// The catalogue that was accepted, where it is another one.
pub const ACCEPTED: &str = "Accepted";

/// How the catalogue stands to the one that was accepted.
pub fn catalogue_standing(hash: &str, accepted: Option<&str>) -> &'static str {
    match accepted {
        Some(accepted) if accepted == hash => "This build's catalogue is the one accepted for this folder.",
        Some(_) => {
            "Another catalogue was accepted for this folder; the next start shows what differs, and asks."
        }
        None => "No catalogue is recorded for this folder yet.",
    }
}

/// The field of the policy.
pub const WHAT_IF_POLICY: &str = "A whole policy, at most 64 KiB";
/// The field of its file.
pub const WHAT_IF_FILE: &str = "Or from a file";
/// The button.
pub const WHAT_IF_ASK: &str = "What if?";
/// The policy cannot be used.
pub const WHAT_IF_BAD: &str = "This policy cannot be used:";
/// No day has a decision.
pub const WHAT_IF_NO_DAY: &str = "No decision of these days is in the journal.";
/// The time was not enough.
pub const WHAT_IF_CUT: &str = "There was time for these days only: choose a later first day.";
/// Of the table of differences.
pub const WHAT_IF_COLUMNS: [&str; 4] = ["When", "Change", "What", "Why"];
/// A day on which nothing differs.
pub const WHAT_IF_SAME: &str = "The same.";

/// Where in a policy something is wrong.
pub fn finding(line: usize, column: usize) -> String {
    format!("line {line}, column {column}")
}

/// Interruptions as they were and as they would be.
pub fn what_if_counts(recorded: usize, what_if: usize) -> String {
    format!("{recorded} interruptions; what if: {what_if}")
}

/// The sums of all days.
pub fn what_if_sums(
    days: usize,
    recorded: usize,
    what_if: usize,
    [added, removed, moved, changed]: [usize; 4],
) -> String {
    let days = if days == 1 {
        "One day".to_owned()
    } else {
        format!("{days} days")
    };
    format!(
        "{days}: {recorded} interruptions, what if {what_if}; {added} added, {removed} removed, {moved} moved, {changed} changed."
    )
}

/// How an interruption differs.
pub fn change(change: InterruptionChange) -> &'static str {
    match change {
        InterruptionChange::Added => "added",
        InterruptionChange::Removed => "removed",
        InterruptionChange::Moved => "moved",
        InterruptionChange::Changed => "changed",
    }
}

/// What happened to a token.
pub fn entry(entry: LedgerEntry) -> &'static str {
    match entry {
        LedgerEntry::Ceiling => "the day begins",
        LedgerEntry::Reserve => "held for a card",
        LedgerEntry::Settle => "spent: it was shown",
        LedgerEntry::Release => "released: it was not shown",
        LedgerEntry::Refund => "given back: it was useful",
        LedgerEntry::Forfeit => "not given back",
    }
}

/// The day of the book.
pub const DAY: &str = "Day";
/// Of the table of entries.
pub const BOOK_COLUMNS: [&str; 5] = ["When", "LedgerEntry", "Tokens", "Free then", "Decision"];
/// Nothing happened to the day's attention.
pub const BOOK_EMPTY: &str = "No entry on this day.";
/// The ceiling is not known.
pub const BOOK_NO_CEILING: &str = "No decision of this day is kept, so its ceiling is not known.";

/// Whether the account adds up.
pub fn conserved(account: &LedgerView) -> String {
    let LedgerView {
        ceiling,
        free,
        reserved,
        settled,
        refunded,
        ..
    } = *account;
    let sum = i32::from(free) + i32::from(reserved) + i32::from(settled) - i32::from(refunded);
    let sums = format!("{free} free + {reserved} held + {settled} spent − {refunded} given back = {sum}");
    if sum == i32::from(ceiling) {
        format!("It adds up: {sums}, and the day has {ceiling}.")
    } else {
        format!(
            "It does not add up: {sums}, and the day has {ceiling}. Please report this with the rows below."
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::NaiveDate;

    #[test]
    fn an_account_that_does_not_add_up_is_said() {
        let account = |free, reserved, settled, refunded| LedgerView {
            day: NaiveDate::from_ymd_opt(2026, 11, 3).unwrap(),
            ceiling: 3,
            free,
            reserved,
            settled,
            refunded,
        };
        for (book, good) in [
            (account(3, 0, 0, 0), true),
            (account(1, 1, 1, 0), true),
            (account(3, 0, 1, 1), true),
            (account(3, 1, 0, 0), false),
            (account(0, 0, 1, 0), false),
        ] {
            assert_eq!(conserved(&book).starts_with("It adds up:"), good, "{book:?}");
        }
    }
}
