//! The operator's console.

use super::{action, agent};
use crate::backend::console::{DryReplayVerdict, ProcessEndView, ProcessName, ProcessStatus, QueueName};
use crate::{
    format,
    language::{Text, name_or_word, say, text},
};
use std::borrow::Cow;
use toolcall_schema::{
    ActionKind, QuarantineKind, ReasonCode, StateName,
    ledger::LedgerEntry,
    process_end::ProcessEndCause,
    tick::TriggerSource,
    timer::TimerName,
    trace::LedgerView,
    whatif::{InterruptionChange, InterruptionReason, NotChosenReason},
};

/// The console's name, before each page's own in the title.
pub const CONSOLE: Text = Text("console-console");

/// What the navigation is for a screen reader.
pub const CONSOLE_NAV: Text = Text("console-console-nav");

/// Names of the pages, in the order of the navigation.
pub const OVERVIEW: Text = Text("console-overview");
/// What was refused.
pub const QUARANTINE: Text = Text("console-quarantine");
pub const TRACES: Text = Text("console-traces");
/// The seven states.
pub const MACHINE: Text = Text("console-machine");
/// Policy and catalogue.
pub const POLICY: Text = Text("console-policy");
/// Another policy on trial.
pub const WHAT_IF: Text = Text("console-what-if");
pub const LEDGER: Text = Text("console-ledger");
/// Runs of workflows.
pub const WORKFLOWS: Text = Text("console-workflows");

/// What is said where nothing is wrong.
pub const ALL_WELL: Text = Text("console-all-well");
/// Above what is wrong.
pub const NOT_WELL: Text = Text("console-not-well");

/// Headings of the overview.
pub const PARTS: Text = Text("console-parts");
/// Of the table of processes.
pub const PART_COLUMNS: [Text; 6] = [
    Text("console-part-columns-process"),
    Text("console-part-columns-standing"),
    Text("console-part-columns-process-id"),
    Text("console-part-columns-memory"),
    Text("console-part-columns-started-again"),
    Text("console-part-columns-last-end"),
];
/// Headings of the overview.
pub const QUEUES: Text = Text("console-queues");
/// Of the table of queues.
pub const QUEUE_COLUMNS: [Text; 4] = [
    Text("console-queue-columns-queue"),
    Text("console-queue-columns-waiting"),
    Text("console-queue-columns-at-most"),
    Text("console-queue-columns-refused-or-dropped"),
];
/// Headings of the overview.
pub const SINCE_START: Text = Text("console-since-start");
/// Headings of the overview.
pub const KEPT: Text = Text("console-kept");
/// Headings of the overview.
pub const IN_FORCE: Text = Text("console-in-force");

/// The figures since the start, in the order of the view.
pub const COUNTERS: [Text; 8] = [
    Text("console-counters-calls-refused"),
    Text("console-counters-results-refused"),
    Text("console-counters-refusals-that-could"),
    Text("console-counters-commits-the-disk"),
    Text("console-counters-traces-kept-as"),
    Text("console-counters-events-that-came"),
    Text("console-counters-jumps-of-the"),
    Text("console-counters-items-that-agents"),
];

/// What is kept, in the order of the view.
pub const STORE: [Text; 5] = [
    Text("console-store-on-disk"),
    Text("console-store-ticks-begun"),
    Text("console-store-events-of-the"),
    Text("console-store-traces"),
    Text("console-store-rows-of-the"),
];

/// Version, policy, catalogue, sandbox.
pub const VERSIONS: [Text; 4] = [
    Text("console-versions-aura"),
    Text("console-versions-policy"),
    Text("console-versions-catalogue"),
    Text("console-versions-sandbox-of-the"),
];

/// Where a figure is not known.
pub const NOT_KNOWN: Text = Text("console-not-known");
/// Where something does not count.
pub const NONE: &str = "–";

/// Whose process.
pub fn part(name: ProcessName) -> String {
    match name {
        ProcessName::Service => text("console-part-the-service").to_owned(),
        ProcessName::Agent(name) => say!("console-part-agent", agent = agent(name)),
        ProcessName::Model => text("console-part-the-language-model").to_owned(),
    }
}

/// The status of a process.
pub fn part_standing(standing: ProcessStatus) -> &'static str {
    match standing {
        ProcessStatus::Running => text("console-part-standing-runs"),
        ProcessStatus::Starting => text("console-part-standing-is-starting"),
        ProcessStatus::Resting => text("console-part-standing-rests-after-too"),
        ProcessStatus::Off => text("console-part-standing-is-not-wanted"),
        ProcessStatus::Missing => text("console-part-standing-cannot-run-its"),
    }
}

/// How a process ended.
pub fn process_end(end: ProcessEndView) -> String {
    let cause = match end.cause {
        ProcessEndCause::NotStarted => text("console-end-not-started").to_owned(),
        ProcessEndCause::SocketFailed => text("console-end-socket-failed").to_owned(),
        ProcessEndCause::Closed => text("console-end-closed").to_owned(),
        ProcessEndCause::Hung => text("console-end-hung").to_owned(),
        ProcessEndCause::Stopped => text("console-end-stopped").to_owned(),
        ProcessEndCause::CannotWork(code) => say!("console-end-cannot-work", code),
        ProcessEndCause::BadFrame(code) => say!("console-end-bad-frame", code),
    };
    match (end.exit_code, end.signal) {
        (Some(number), _) => say!("console-end-exit-code", cause, number),
        (None, Some(number)) => say!("console-end-signal", cause, number),
        (None, None) => cause,
    }
}

/// Which queue.
pub fn queue(name: QueueName) -> &'static str {
    match name {
        QueueName::Triggers => text("console-queue-triggers"),
        QueueName::Machine => text("console-queue-events-to-the"),
        QueueName::Memory => text("console-queue-turns-to-the"),
        QueueName::Surfaces => text("console-queue-changes-for-pages"),
        QueueName::Model => text("console-queue-questions-to-the"),
    }
}

/// What was refused.
pub fn refused_kind(kind: QuarantineKind) -> &'static str {
    match kind {
        QuarantineKind::Calls => text("console-refused-kind-calls"),
        QuarantineKind::Results => text("console-refused-kind-results"),
        QuarantineKind::Messages => text("console-refused-kind-messages-of-programs"),
        QuarantineKind::Traces => text("console-refused-kind-traces"),
    }
}

/// The button that judges a line again.
pub const JUDGE: Text = Text("console-judge");

/// What the button does, for whoever hesitates.
pub const JUDGE_NOTE: Text = Text("console-judge-note");

/// The line is not there any more.
pub const LINE_GONE: Text = Text("console-line-gone");

/// What today's gate says.
pub fn verdict(verdict: &DryReplayVerdict) -> String {
    match verdict {
        DryReplayVerdict::Passes => text("console-verdict-it-would-pass").to_owned(),
        DryReplayVerdict::PassesOtherwise => text("console-verdict-it-would-pass-2").to_owned(),
        DryReplayVerdict::Refused { same: true, .. } => text("console-verdict-still-refused-for").to_owned(),
        DryReplayVerdict::Refused { same: false, .. } => {
            text("console-verdict-still-refused-for-2").to_owned()
        }
        DryReplayVerdict::Redacted => text("console-verdict-it-cannot-be").to_owned(),
        DryReplayVerdict::NoCall => text("console-verdict-it-cannot-be-2").to_owned(),
        DryReplayVerdict::Cut => text("console-verdict-it-cannot-be-3").to_owned(),
    }
}

/// Before the marked leaf, for a screen reader.
pub const WRONG_HERE: Text = Text("console-wrong-here");
/// The place is not in what is kept.
pub const NEAREST: Text = Text("console-nearest");

/// What is no JSON, and from where on.
pub fn no_json(line: usize, column: usize, ends: bool) -> String {
    if ends {
        say!("console-no-json-it-is-no", line, column)
    } else {
        say!("console-no-json-it-is-no-2", line, column)
    }
}

/// What is no text, and from where on.
pub fn no_text(byte: Option<usize>) -> String {
    byte.map_or_else(
        || text("console-no-text-it-is-no").to_owned(),
        |byte| say!("console-no-text-it-is-no-2", byte),
    )
}

/// The form that chooses.
pub const FILTER: Text = Text("console-filter");
/// The choice that chooses nothing.
pub const ANY: Text = Text("console-any");
/// Names of the fields.
pub const KIND: Text = Text("console-kind");
/// Names of the fields.
pub const CODE: Text = Text("console-code");
/// Names of the fields.
pub const AGENT: Text = Text("console-agent");
/// Names of the fields.
pub const AGENT_STATUS: Text = Text("console-agent-status");
/// Names of the fields.
pub const OUTCOME: Text = Text("console-outcome");
/// Names of the fields.
pub const REASON: Text = Text("console-reason");
/// Names of the fields.
pub const TRIGGER: Text = Text("console-trigger");
/// Names of the fields.
pub const FROM: Text = Text("console-from");
/// Names of the fields.
pub const TO: Text = Text("console-to");
/// Names of the fields.
pub const TRACE_ID: Text = Text("console-trace-id");

/// Of the table of decisions.
pub const TRACE_COLUMNS: [Text; 6] = [
    Text("console-trace-columns-when"),
    Text("console-trace-columns-what"),
    Text("console-trace-columns-ended"),
    Text("console-trace-columns-trigger"),
    Text("console-trace-columns-agents"),
    Text("console-trace-columns-took"),
];
/// No decision passes the filter.
pub const NO_TRACE: Text = Text("console-no-trace");
/// To the next page.
pub const OLDER: Text = Text("console-older");
/// All four agents answered.
pub const ALL_ANSWERED: Text = Text("console-all-answered");
/// The same where none was asked.
pub const NOBODY_ASKED: Text = Text("console-nobody-asked");

/// How many decisions are shown, and of how many.
pub fn traces_shown(shown: usize, looked_at: usize) -> String {
    say!("console-traces-shown", shown, looked_at)
}

/// A trigger, as an item of a list.
pub fn trigger_name(source: TriggerSource) -> &'static str {
    match source {
        TriggerSource::PhoneUnlock => text("console-trigger-name-phone-unlocked"),
        TriggerSource::CommsBurst => text("console-trigger-name-a-loud-chat"),
        TriggerSource::Transaction => text("console-trigger-name-a-payment"),
        TriggerSource::LoadCrossed => text("console-trigger-name-load-past-70"),
        TriggerSource::BriefTime => text("console-trigger-name-time-of-the"),
        TriggerSource::AlertAt => text("console-trigger-name-an-event-near"),
        TriggerSource::MuteEnded => text("console-trigger-name-a-mute-ended"),
        TriggerSource::RuleEnded => text("console-trigger-name-a-pause-or"),
        TriggerSource::WindowEnded => text("console-trigger-name-the-window-ended"),
        TriggerSource::Later => text("console-trigger-name-put-off-until"),
        TriggerSource::Interval => text("console-trigger-name-the-regular-look"),
        TriggerSource::Owner => text("console-trigger-name-the-owner-asked"),
        TriggerSource::Call => text("console-trigger-name-the-owner-did"),
    }
}

/// A state's name on the console.
pub fn state_name(state: StateName) -> &'static str {
    match state {
        StateName::Idle => text("console-state-name-idle"),
        StateName::Listening => text("console-state-name-listening"),
        StateName::Deliberating => text("console-state-name-deliberating"),
        StateName::AwaitingConfirm => text("console-state-name-awaiting-confirmation"),
        StateName::Executing => text("console-state-name-executing"),
        StateName::LoggingTrace => text("console-state-name-logging-the-trace"),
        StateName::Cooldown => text("console-state-name-cooldown"),
    }
}

/// Headings of the machine's page.
pub const STATES: Text = Text("console-states");
/// Headings of the machine's page.
pub const TIMERS: Text = Text("console-timers");
/// Of the table of timers.
pub const TIMER_COLUMNS: [Text; 3] = [
    Text("console-timer-columns-what"),
    Text("console-timer-columns-when"),
    Text("console-timer-columns-in"),
];
/// Begins what is said of a brief that something forbids at its hour.
pub const BRIEF_NOTE: Text = Text("console-brief-note");
/// A timer that is due.
pub const DUE: Text = Text("console-due");
/// Headings of the machine's page.
pub const TRIGGERS: Text = Text("console-triggers");
/// Of the table of triggers.
pub const TRIGGER_COLUMNS: [Text; 2] = [
    Text("console-trigger-columns-trigger"),
    Text("console-trigger-columns-since"),
];
/// Headings of the machine's page.
pub const ATTENTION: Text = Text("console-attention");
/// No trigger waits.
pub const NO_TRIGGER: Text = Text("console-no-trigger");
/// Marks the current state for a screen reader.
pub const NOW: Text = Text("console-now");

/// The machine is idle.
pub fn idle_since(last_event: &str) -> String {
    say!("console-idle-since", last_event)
}

/// The machine is at work.
pub fn at_work(state: StateName, long: &str, trigger: TriggerSource) -> String {
    say!(
        "console-at-work",
        state_name = state_name(state),
        long,
        trigger_name = trigger_name(trigger)
    )
}

/// A question to the owner waits.
pub fn pending(kind: toolcall_schema::ActionKind, shown: bool) -> String {
    let shown = if shown {
        text("console-pending-shown")
    } else {
        text("console-pending-not-shown-anywhere")
    };
    say!("console-pending-the-owner-is", action = action(kind), shown)
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
    } = *ledger;
    say!("console-tokens", free, ceiling, reserved, settled, refunded)
}

/// Pause, do not disturb, and where a page is open.
pub const PAUSED_UNTIL: Text = Text("console-paused-until");
/// Pause, do not disturb, and where a page is open.
pub const DND: Text = Text("console-dnd");
/// Pause, do not disturb, and where a page is open.
pub const SURFACES_OPEN: Text = Text("console-surfaces-open");
/// A switch.
pub const ON: Text = Text("console-on");
/// A switch.
pub const OFF: Text = Text("console-off");

/// What waits for a time.
pub fn timer(name: TimerName) -> String {
    match name {
        TimerName::State(state) => say!("console-timer-ends", state_name = state_name(state)),
        TimerName::Reading(name) => say!("console-timer-has-read-its", agent = agent(name)),
        TimerName::Call => text("console-timer-what-the-owner").to_owned(),
        TimerName::Ask => text("console-timer-what-a-program").to_owned(),
        TimerName::Interval => text("console-timer-the-regular-look").to_owned(),
        TimerName::Retry => text("console-timer-what-had-to").to_owned(),
        TimerName::Later => text("console-timer-what-was-put").to_owned(),
        TimerName::Brief => text("console-timer-the-morning-brief").to_owned(),
        TimerName::Alert => text("console-timer-an-event-near").to_owned(),
        TimerName::Mute => text("console-timer-a-muted-chat").to_owned(),
        TimerName::Pause => text("console-timer-the-pause-ends").to_owned(),
        TimerName::Dnd => text("console-timer-do-not-disturb").to_owned(),
        TimerName::Rule => text("console-timer-a-rule-ends").to_owned(),
        TimerName::Course => text("console-timer-a-course-ends").to_owned(),
        TimerName::Card => text("console-timer-a-card-is").to_owned(),
        TimerName::Window => text("console-timer-the-window-after").to_owned(),
        TimerName::Recovering => text("console-timer-the-quiet-time").to_owned(),
        TimerName::Lapse => text("console-timer-the-last-heart").to_owned(),
    }
}

/// Where the policy comes from.
pub fn policy_origin(built_in: bool, differences: usize) -> String {
    match (built_in, differences) {
        (true, _) => text("console-policy-origin-the-built-in").to_owned(),
        (false, 0) => text("console-policy-origin-a-policy-of").to_owned(),
        (false, 1) => text("console-policy-origin-a-policy-of-2").to_owned(),
        (false, more) => say!("console-policy-origin-a-policy-of-3", more),
    }
}
/// Of the table of constants.
pub const CONSTANT_COLUMNS: [Text; 3] = [
    Text("console-constant-columns-constant"),
    Text("console-constant-columns-built-in"),
    Text("console-constant-columns-in-force"),
];
/// Headings of the policy's page.
pub const DIFFERENCES: Text = Text("console-differences");
/// Headings of the policy's page.
pub const POLICY_TEXT: Text = Text("console-policy-text");
/// Headings of the policy's page.
pub const CATALOGUE: Text = Text("console-catalogue");
/// Of the table of tools.
pub const TOOL_COLUMNS: [Text; 6] = [
    Text("console-tool-columns-tool"),
    Text("console-tool-columns-confirmation"),
    Text("console-tool-columns-class"),
    Text("console-tool-columns-surface"),
    Text("console-tool-columns-effects"),
    Text("console-tool-columns-what-it-does"),
];
/// SHA-256 of something.
pub const HASH: Text = Text("console-hash");

/// The catalogue that was accepted, where it is another one.
pub const ACCEPTED: Text = Text("console-accepted");

/// How the catalogue stands to the one that was accepted.
pub fn catalogue_standing(hash: &str, accepted: Option<&str>) -> &'static str {
    match accepted {
        Some(accepted) if accepted == hash => text("console-catalogue-standing-this-builds-catalogue"),
        Some(_) => text("console-catalogue-standing-another-catalogue-was"),
        None => text("console-catalogue-standing-no-catalogue-is"),
    }
}

/// The field of the policy.
pub const WHAT_IF_POLICY: Text = Text("console-what-if-policy");
/// The field of its file.
pub const WHAT_IF_FILE: Text = Text("console-what-if-file");
/// The button.
pub const WHAT_IF_ASK: Text = Text("console-what-if-ask");
/// The policy cannot be used.
pub const WHAT_IF_BAD: Text = Text("console-what-if-bad");
/// No day has a decision.
pub const WHAT_IF_NO_DAY: Text = Text("console-what-if-no-day");
/// The time was not enough.
pub const WHAT_IF_CUT: Text = Text("console-what-if-cut");
/// Of the table of differences.
pub const WHAT_IF_COLUMNS: [Text; 4] = [
    Text("console-what-if-columns-when"),
    Text("console-what-if-columns-change"),
    Text("console-what-if-columns-what"),
    Text("console-what-if-columns-why"),
];
/// A day on which nothing differs.
pub const WHAT_IF_SAME: Text = Text("console-what-if-same");

/// Where in a policy something is wrong.
pub fn finding(line: usize, column: usize) -> String {
    say!("console-finding", line, column)
}

/// Interruptions as they were and as they would be.
pub fn what_if_counts(recorded: usize, what_if: usize) -> String {
    say!("console-what-if-counts", recorded, what_if)
}

/// The sums of all days.
pub fn what_if_sums(
    days: usize,
    recorded: usize,
    what_if: usize,
    [added, removed, moved, changed]: [usize; 4],
) -> String {
    let days = if days == 1 {
        text("console-what-if-sums-one-day").to_owned()
    } else {
        say!("console-what-if-sums-days", days)
    };
    say!(
        "console-what-if-sums-interruptions-what-if",
        days,
        recorded,
        what_if,
        added,
        removed,
        moved,
        changed
    )
}

/// How an interruption differs.
pub fn change(change: InterruptionChange) -> &'static str {
    match change {
        InterruptionChange::Added => text("console-change-added"),
        InterruptionChange::Removed => text("console-change-removed"),
        InterruptionChange::Moved => text("console-change-moved"),
        InterruptionChange::Changed => text("console-change-changed"),
    }
}

/// What happened to a token.
pub fn entry(entry: LedgerEntry) -> &'static str {
    match entry {
        LedgerEntry::Ceiling => text("console-entry-the-day-begins"),
        LedgerEntry::Reserve => text("console-entry-held-for-a"),
        LedgerEntry::Settle => text("console-entry-spent-it-was"),
        LedgerEntry::Release => text("console-entry-released-it-was"),
        LedgerEntry::Refund => text("console-entry-given-back-it"),
        LedgerEntry::Forfeit => text("console-entry-not-given-back"),
    }
}

/// The day of the book.
pub const DAY: Text = Text("console-day");
/// Of the table of entries.
pub const BOOK_COLUMNS: [Text; 5] = [
    Text("console-book-columns-when"),
    Text("console-book-columns-entry"),
    Text("console-book-columns-tokens"),
    Text("console-book-columns-free-then"),
    Text("console-book-columns-decision"),
];
/// Nothing happened to the day's attention.
pub const BOOK_EMPTY: Text = Text("console-book-empty");
/// The ceiling is not known.
pub const BOOK_NO_CEILING: Text = Text("console-book-no-ceiling");

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
    let sums = say!(
        "console-conserved-free-held-spent",
        free,
        reserved,
        settled,
        refunded,
        // As a word: it may be below zero.
        sum = sum.to_string()
    );
    if sum == i32::from(ceiling) {
        say!("console-conserved-it-adds-up", sums, ceiling)
    } else {
        say!("console-conserved-it-does-not", sums, ceiling)
    }
}

/// Why an interruption differs: in English the names of the vocabulary, as the command line prints them.
pub fn what_if_why(why: &InterruptionReason) -> String {
    let with = |kind: Option<ActionKind>| match kind {
        None => text("console-why-alone").to_owned(),
        Some(kind) => say!("console-why-with", kind = action_name(kind)),
    };
    match why {
        InterruptionReason::Companion { now, was } => {
            say!("console-why-companion", now = with(*now), was = with(*was))
        }
        InterruptionReason::Now(why) => say!("console-why-now", why = not_chosen(why)),
        InterruptionReason::Was(why) => say!("console-why-was", why = not_chosen(why)),
    }
}

fn not_chosen(why: &NotChosenReason) -> String {
    match why {
        NotChosenReason::NotProposed => text("console-why-not-proposed").to_owned(),
        NotChosenReason::Removed(reason, rule) => {
            let reason = reason_name(*reason);
            match rule {
                Some(rule) => say!("console-why-by-rule", reason, rule),
                None => reason.into_owned(),
            }
        }
        NotChosenReason::BelowThreshold { score, threshold } => say!(
            "console-why-below",
            reason = reason_name(ReasonCode::BelowThreshold),
            score = format::thousandths(*score),
            threshold = format::thousandths(*threshold)
        ),
        NotChosenReason::BelowThresholdWhile { score, chosen } => say!(
            "console-why-below-while",
            reason = reason_name(ReasonCode::BelowThreshold),
            score = format::thousandths(*score),
            kind = action_name(*chosen)
        ),
        NotChosenReason::Behind(kind) => say!("console-why-behind", kind = action_name(*kind)),
        NotChosenReason::NotScored => text("console-why-not-scored").to_owned(),
    }
}

fn action_name(kind: ActionKind) -> Cow<'static, str> {
    name_or_word(kind.as_str(), || action(kind))
}

fn reason_name(code: ReasonCode) -> Cow<'static, str> {
    name_or_word(code.as_str(), || super::reason_short(code))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{language::Language, locale};
    use chrono::NaiveDate;
    use toolcall_schema::milli::Milli;

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

    #[test]
    fn reason_of_a_difference_is_its_record_in_english_and_words_in_german() {
        let kind = ActionKind::ShowBrief;
        let score = Milli::from_f64(0.664).unwrap();
        let not_chosen = [
            NotChosenReason::NotProposed,
            NotChosenReason::Removed(ReasonCode::CapDaily, None),
            NotChosenReason::Removed(ReasonCode::Rule, Some("evenings".to_owned())),
            NotChosenReason::BelowThreshold {
                score,
                threshold: score,
            },
            NotChosenReason::BelowThresholdWhile { score, chosen: kind },
            NotChosenReason::Behind(kind),
            NotChosenReason::NotScored,
        ];
        let companions = [(None, Some(kind)), (Some(kind), None)];
        let now = not_chosen.clone().map(InterruptionReason::Now).into_iter();
        let was = not_chosen.map(InterruptionReason::Was).into_iter();
        let changed = companions.map(|(now, was)| InterruptionReason::Companion { now, was });
        for why in now.chain(was).chain(changed) {
            assert_eq!(what_if_why(&why), why.to_string());
            let german = locale::speaking(Language::German, || what_if_why(&why));
            assert!(
                !german.contains("SHOW_BRIEF") && german != why.to_string(),
                "{german}"
            );
        }
        let below = InterruptionReason::Now(NotChosenReason::BelowThreshold {
            score,
            threshold: score,
        });
        let german = locale::speaking(Language::German, || what_if_why(&below));
        assert_eq!(
            german,
            "jetzt nicht wichtig genug: 0,664 bei einer Schwelle von 0,664"
        );
    }
}
