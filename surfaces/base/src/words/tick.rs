//! One tick on the operator's console: its waterfall, its replay, and two of them beside one another.

use super::{console::trigger_name, surface};
use crate::language::{Text, say, text};
use toolcall_schema::{SubmitAct, Surface, tick::TriggerSource};

/// The page of a tick.
pub const TICK: Text = Text("tick-tick");
/// Two of them.
pub const COMPARE: Text = Text("tick-compare");
/// A tick done again.
pub const REPLAY: Text = Text("tick-replay");

/// Headings of a tick's page.
pub const STEPS: Text = Text("tick-steps");
/// Under the heading: how the rows are used.
pub const STEPS_NOTE: Text = Text("tick-steps-note");
/// Where only the states have times.
pub const NO_EVENTS: Text = Text("tick-no-events");
/// The picture as a table.
pub const AS_TABLE: Text = Text("tick-as-table");
/// Of that table.
pub const STEP_COLUMNS: [Text; 5] = [
    Text("tick-step-columns-step"),
    Text("tick-step-columns-after"),
    Text("tick-step-columns-took"),
    Text("tick-step-columns-came-of-it"),
    Text("tick-step-columns-who"),
];
/// Of what was refused, of the ledger and of the restarts.
pub const AROUND: Text = Text("tick-around");
/// Names of the facts of a tick.
pub const FACTS: [Text; 6] = [
    Text("tick-facts-when"),
    Text("tick-facts-took"),
    Text("tick-facts-longest"),
    Text("tick-facts-ended"),
    Text("tick-facts-trace"),
    Text("tick-facts-tick"),
];
/// What was refused of it.
pub const REFUSED: Text = Text("tick-refused");
/// Nothing was.
pub const NOTHING_REFUSED: Text = Text("tick-nothing-refused");
/// Its entries.
pub const LEDGER: Text = Text("tick-ledger");
/// It has none.
pub const NO_ENTRY: Text = Text("tick-no-entry");
/// Restarts while it ran.
pub const RESTARTS: Text = Text("tick-restarts");
/// None was seen.
pub const NO_RESTART: Text = Text("tick-no-restart");
/// No line is kept.
pub const NO_LINE: Text = Text("tick-no-line");
/// To the whole explanation.
pub const EXPLAINED: Text = Text("tick-explained");
/// To the replay.
pub const STEP_THROUGH: Text = Text("tick-step-through");
/// To the tick before.
pub const OLDER: Text = Text("tick-older");
/// To the tick after.
pub const NEWER: Text = Text("tick-newer");
/// Beside the tick before.
pub const BESIDE_OLDER: Text = Text("tick-beside-older");
/// The field of another one.
pub const BESIDE: Text = Text("tick-beside");
/// The same with the one after it.
pub const BESIDE_NEWER: Text = Text("tick-beside-newer");
/// The column in which two are chosen, and the button below the list.
pub const COMPARE_COLUMN: Text = Text("tick-compare-column");
pub const IN_LIST: Text = Text("tick-in-list");
pub const COMPARE_CHOSEN: Text = Text("tick-compare-chosen");
/// Chooses a tick of a list for one side.
pub fn on_side(side: &str, when: &str) -> String {
    say!("tick-on-side", side, when)
}
/// Above the list from which the second is chosen.
pub fn chosen_left(id: &str) -> String {
    say!("tick-chosen-left", id)
}
/// The button.
pub const COMPARE_NOW: Text = Text("tick-compare-now");

/// What went in.
pub const INPUT: Text = Text("tick-input");
/// What came out.
pub const OUTPUT: Text = Text("tick-output");
/// There is nothing.
pub const NOTHING: Text = Text("tick-nothing");
/// What an agent and the model were asked.
pub const INPUT_NOT_KEPT: Text = Text("tick-input-not-kept");

/// Names of rows.
pub const GATE: Text = Text("tick-gate");
/// Names of rows.
pub const TIE: Text = Text("tick-tie");
/// Names of rows.
pub const DECISION: Text = Text("tick-decision");
/// Names of rows.
pub const DECISION_KEPT: Text = Text("tick-decision-kept");
/// Names of rows.
pub const ANSWER_KEPT: Text = Text("tick-answer-kept");
/// Names of rows.
pub const REQUEST_KEPT: Text = Text("tick-request-kept");
/// Names of rows.
pub const TRACE_KEPT: Text = Text("tick-trace-kept");
/// Names of rows.
pub const OWNER: Text = Text("tick-owner");
/// Names of rows.
pub const SHOWN: Text = Text("tick-shown");
/// It was shown on a surface several times.
pub fn shown_again(on: &str, times: &[String]) -> String {
    say!("tick-shown-again", on, times = times.join(", "))
}
/// Names of rows.
pub const SENTENCE: Text = Text("tick-sentence");
/// Names of rows.
pub const RESTART: Text = Text("tick-restart");
/// Names of rows.
pub const ASKED_FOR: Text = Text("tick-asked-for");

/// What came of a step.
pub const AT_ONCE: Text = Text("tick-at-once");
/// What came of a step.
pub const NOTHING_CHOSEN: Text = Text("tick-nothing-chosen");
/// What came of a step.
pub const KEPT: Text = Text("tick-kept");
/// What came of a step.
pub const NOT_KEPT: Text = Text("tick-not-kept");
/// What came of a step.
pub const DONE: Text = Text("tick-done");
/// What came of a step.
pub const NO_ANSWER: Text = Text("tick-no-answer");
/// What came of a step.
pub const NOT_ASKED: Text = Text("tick-not-asked");
/// What came of a step.
pub const RESTARTED: Text = Text("tick-restarted");

/// Who did a step: the machine, an agent, the gate, the decision itself, the disk, a tool, the owner, the model.
pub const ROLES: [Text; 8] = [
    Text("tick-roles-machine"),
    Text("tick-roles-agent"),
    Text("tick-roles-gate"),
    Text("tick-roles-decision"),
    Text("tick-roles-disk"),
    Text("tick-roles-tool"),
    Text("tick-roles-owner"),
    Text("tick-roles-model"),
];

/// Why the tick began.
pub fn began_by(source: TriggerSource) -> String {
    say!("tick-began-by", trigger_name = trigger_name(source))
}

/// The trigger had to wait.
pub fn had_waited(long: &str) -> String {
    say!("tick-had-waited", long)
}

/// An answer that came when the tick had gone on.
pub fn came_late(long: &str) -> String {
    say!("tick-came-late", long)
}

/// Something whose time is not kept.
pub fn without_time(what: &str) -> String {
    say!("tick-without-time", what)
}

/// A line of the quarantine.
pub fn refused_with(code: &str) -> String {
    say!("tick-refused-with", code)
}

/// What the model said.
pub fn model_said(ok: bool) -> &'static str {
    if ok {
        text("tick-model-said-answered")
    } else {
        text("tick-model-said-could-not-or")
    }
}

/// What the owner did, and where.
pub fn owner_answer(place: Surface, act: SubmitAct) -> String {
    let place = surface(place);
    match act {
        SubmitAct::Confirm => say!("tick-owner-answer-confirmed", place),
        SubmitAct::Dismiss => say!("tick-owner-answer-dismissed", place),
        SubmitAct::Useful => say!("tick-owner-answer-called-useful", place),
        SubmitAct::Edit => say!("tick-owner-answer-corrected", place),
        SubmitAct::LaterQuarter
        | SubmitAct::LaterHour
        | SubmitAct::LaterEvening
        | SubmitAct::LaterTomorrow => say!("tick-owner-answer-put-off", place),
    }
}

/// A card that was seen after the trace was complete.
pub fn seen_later(place: &str, long: &str) -> String {
    say!("tick-seen-later", place, long)
}

/// The wait for the owner is drawn shorter than it was.
pub fn short_wait(long: &str) -> String {
    say!("tick-short-wait", long)
}

/// The longest state, and how long.
pub fn longest(state: &str, long: &str) -> String {
    format!("{state}, {long}")
}

/// A bar, for who cannot see it.
pub fn step_title(name: &str, says: &str) -> String {
    format!("{name}: {says}")
}

/// Headings of a replay.
pub const EVENT: Text = Text("tick-event");
/// Headings of a replay.
pub const CHANGED: Text = Text("tick-changed");
/// Headings of a replay.
pub const EFFECTS: Text = Text("tick-effects");
/// Headings of a replay.
pub const ALL_EVENTS: Text = Text("tick-all-events");
/// Above a replay.
pub const REPLAY_NOTE: Text = Text("tick-replay-note");
/// Nothing changed but the time.
pub const NO_CHANGE: Text = Text("tick-no-change");
/// It asked for nothing.
pub const NO_EFFECT: Text = Text("tick-no-effect");
/// The event before.
pub const EVENT_BEFORE: Text = Text("tick-event-before");
/// The event after.
pub const EVENT_AFTER: Text = Text("tick-event-after");
/// Back to the waterfall.
pub const BACK: Text = Text("tick-back");
/// The events are gone.
pub const REPLAY_NOT_KEPT: Text = Text("tick-replay-not-kept");
/// There are too many.
pub const REPLAY_TOO_LONG: Text = Text("tick-replay-too-long");
/// Of what changed.
pub const CHANGE_COLUMNS: [Text; 3] = [
    Text("tick-change-columns-place"),
    Text("tick-change-columns-before"),
    Text("tick-change-columns-after"),
];
/// Of the events.
pub const EVENT_COLUMNS: [Text; 4] = [
    Text("tick-event-columns-number"),
    Text("tick-event-columns-after"),
    Text("tick-event-columns-event"),
    Text("tick-event-columns-state-after-it"),
];
/// Of the effects.
pub const EFFECT_COLUMNS: [Text; 2] = [
    Text("tick-effect-columns-effect"),
    Text("tick-effect-columns-with"),
];

/// Which of the events.
pub fn event_number(number: usize, of: usize, name: &str) -> String {
    say!("tick-event-number", number, of, name)
}

/// The states around an event.
pub fn from_state_to(before: &str, after: &str) -> String {
    if before == after {
        say!("tick-from-state-to-the-machine-stays", before)
    } else {
        say!("tick-from-state-to-the-machine-goes", before, after)
    }
}

/// Over what the agents answered to two ticks.
pub const COMPARE_AGENTS: Text = Text("tick-compare-agents");
/// Which of that is marked.
pub const COMPARE_AGENTS_NOTE: Text = Text("tick-compare-agents-note");
/// Over the lines of two ticks.
pub const COMPARE_LINES: Text = Text("tick-compare-lines");
/// Of two ticks.
pub const COMPARE_PLACE: Text = Text("tick-compare-place");
/// The one that is not there.
pub const COMPARE_NONE: Text = Text("tick-compare-none");
/// Fields of the form.
pub const LEFT: Text = Text("tick-left");
/// Fields of the form.
pub const RIGHT: Text = Text("tick-right");
/// Which lines are shown.
pub const ALL_LINES: Text = Text("tick-all-lines");
/// Which lines are shown.
pub const DIFFERENT_LINES: Text = Text("tick-different-lines");
/// Marks a line for a screen reader.
pub const DIFFERS: Text = Text("tick-differs");

/// How many lines differ.
pub fn lines_differ(different: usize, of: usize) -> String {
    say!("tick-lines-differ", different, of)
}

/// Headings of the overview.
pub const LAST_HOUR: Text = Text("tick-last-hour");
/// Names of the figures.
pub const SPARKS: [Text; 4] = [
    Text("tick-sparks-ticks-a-minute"),
    Text("tick-sparks-waiting"),
    Text("tick-sparks-refused-a-minute"),
    Text("tick-sparks-memory-of-the"),
];
/// Of the table behind them.
pub const SPARK_COLUMNS: [Text; 5] = [
    Text("tick-spark-columns-at"),
    Text("tick-spark-columns-ticks-a-minute"),
    Text("tick-spark-columns-waiting"),
    Text("tick-spark-columns-refused-a-minute"),
    Text("tick-spark-columns-memory-mib"),
];
/// There is only one figure, or none.
pub const SPARKS_SOON: Text = Text("tick-sparks-soon");

/// Since when figures are kept.
pub fn sparks_since(since: &str) -> String {
    say!("tick-sparks-since", since)
}

/// After the newest of a figure: that it is that, and the least and the most.
pub fn spark_says(least: u64, most: u64) -> String {
    say!("tick-spark-says", least, most)
}

/// A figure that is not known.
pub const SPARK_NOT_KNOWN: Text = Text("tick-spark-not-known");

/// Headings of the overview.
pub const SEEN_RESTARTS: Text = Text("tick-seen-restarts");
/// No restart was seen.
pub const NO_SEEN_RESTART: Text = Text("tick-no-seen-restart");
/// To the decisions of those minutes.
pub const TICKS_THEN: Text = Text("tick-ticks-then");

/// A process that was started again.
pub fn started_again(name: &str, at: &str) -> String {
    say!("tick-started-again", name, at)
}

/// What came of asking an agent, which was started again so long after it was asked.
pub fn started_again_while_asked(says: &str, long: &str) -> String {
    say!("tick-started-again-while-asked", says, long)
}

/// Headings of the overview.
pub const TAIL: Text = Text("tick-tail");
/// There is none yet.
pub const NO_TAIL: Text = Text("tick-no-tail");
/// The button that holds the list.
pub const HOLD: Text = Text("tick-hold");

/// Over the list of decisions.
pub const SHORTCUTS: Text = Text("tick-shortcuts");
/// A shortcut.
pub const SLOWEST_TODAY: Text = Text("tick-slowest-today");
/// A shortcut.
pub const SLOWEST_MORNING: Text = Text("tick-slowest-morning");
/// A shortcut.
pub const SLOWEST_YESTERDAY: Text = Text("tick-slowest-yesterday");
/// Fields of the filter.
pub const FROM_TIME: Text = Text("tick-from-time");
/// Fields of the filter.
pub const TO_TIME: Text = Text("tick-to-time");
/// Fields of the filter.
pub const ORDER: Text = Text("tick-order");
/// An order that the filter offers.
pub const NEWEST_FIRST: Text = Text("tick-newest-first");
/// An order that the filter offers.
pub const SLOWEST_FIRST: Text = Text("tick-slowest-first");
/// Headings of the saved filters.
pub const SAVED: Text = Text("tick-saved");
/// The field of a filter's name.
pub const SAVE_AS: Text = Text("tick-save-as");
/// The button.
pub const SAVE: Text = Text("tick-save");
/// Takes a saved filter away.
pub const REMOVE: Text = Text("tick-remove");
/// Where they are kept.
pub const SAVED_NOTE: Text = Text("tick-saved-note");

/// How many decisions are shown, slowest first.
pub fn slowest_shown(shown: usize, looked_at: usize) -> String {
    say!("tick-slowest-shown", shown, looked_at)
}

/// How long a tick took, and where.
pub fn took(long: &str, state: &str, in_it: &str) -> String {
    if long == in_it {
        say!("tick-took-all-of-it", long, state)
    } else {
        say!("tick-took-of-it", long, in_it, state)
    }
}

/// From a what-if to the owner's page of one month.
pub const MONTH: Text = Text("tick-month");
