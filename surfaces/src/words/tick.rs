//! One tick on the operator's console: its waterfall, its replay, and two of them beside one another.

use super::{console::trigger_name, surface};
use toolcall_schema::{SubmitAct, Surface, tick::TriggerSource};

/// The page of a tick.
pub const TICK: &str = "Tick";
/// Two of them.
pub const COMPARE: &str = "Two ticks";
/// A tick done again.
pub const REPLAY: &str = "Tick, event by event";

/// Headings of a tick's page.
pub const STEPS: &str = "Steps";
/// Under the heading: how the rows are used.
pub const STEPS_NOTE: &str = "Open a step to see what went in and what came out. A mark without length is an instant: it took no time, or none is kept.";
/// Where only the states have times.
pub const NO_EVENTS: &str = "The journal keeps the events of this tick no more, or the clock was set since: only its states have a time.";
/// The picture as a table.
pub const AS_TABLE: &str = "As a table";
/// Of that table.
pub const STEP_COLUMNS: [&str; 5] = ["Step", "After", "Took", "Came of it", "Who"];
/// Of what was refused, of the ledger and of the restarts.
pub const AROUND: &str = "Around it";
/// Names of the facts of a tick.
pub const FACTS: [&str; 6] = ["When", "Took", "Longest", "Ended", "Trace", "Tick"];
/// What was refused of it.
pub const REFUSED: &str = "Refused";
/// Nothing was.
pub const NOTHING_REFUSED: &str = "refused nothing of it; its work takes no time of its own";
/// Its entries.
pub const LEDGER: &str = "Attention";
/// It has none.
pub const NO_ENTRY: &str = "It moved no token.";
/// Restarts while it ran.
pub const RESTARTS: &str = "Restarts";
/// None was seen.
pub const NO_RESTART: &str = "None was seen within a minute of it.";
/// No line is kept.
pub const NO_LINE: &str = "Nothing of it is in quarantine.";
/// To the whole explanation.
pub const EXPLAINED: &str = "Why it came out so";
/// To the replay.
pub const STEP_THROUGH: &str = "Step through it";
/// To the tick before.
pub const OLDER: &str = "Tick before";
/// To the tick after.
pub const NEWER: &str = "Tick after";
/// Beside the tick before.
pub const BESIDE_OLDER: &str = "Compare with the tick before";
/// The field of another one.
pub const BESIDE: &str = "Compare with, by its trace id";
/// The button.
pub const COMPARE_NOW: &str = "Compare";

/// What went in.
pub const INPUT: &str = "In";
/// What came out.
pub const OUTPUT: &str = "Out";
/// There is nothing.
pub const NOTHING: &str = "Nothing.";
/// What an agent and the model were asked.
pub const INPUT_NOT_KEPT: &str = "What was asked is kept nowhere; the replay makes it again.";

/// Names of rows.
pub const GATE: &str = "Gate";
/// Names of rows.
pub const TIE: &str = "The model breaks a tie";
/// Names of rows.
pub const DECISION: &str = "Decision";
/// Names of rows.
pub const DECISION_KEPT: &str = "Decision on disk";
/// Names of rows.
pub const ANSWER_KEPT: &str = "Answer on disk";
/// Names of rows.
pub const REQUEST_KEPT: &str = "Request on disk";
/// Names of rows.
pub const TRACE_KEPT: &str = "Trace on disk";
/// Names of rows.
pub const OWNER: &str = "The owner is asked";
/// Names of rows.
pub const SHOWN: &str = "Card shown";
/// Names of rows.
pub const SENTENCE: &str = "The model's sentence";
/// Names of rows.
pub const RESTART: &str = "Aura";
/// Names of rows.
pub const ASKED_FOR: &str = "Asked for";

/// What came of a step.
pub const AT_ONCE: &str = "began at once";
/// What came of a step.
pub const NOTHING_CHOSEN: &str = "nothing was chosen";
/// What came of a step.
pub const KEPT: &str = "on disk";
/// What came of a step.
pub const NOT_KEPT: &str = "the disk did not take it";
/// What came of a step.
pub const DONE: &str = "done";
/// What came of a step.
pub const NO_ANSWER: &str = "no answer";
/// What came of a step.
pub const NOT_ASKED: &str = "was not asked";
/// What came of a step.
pub const RESTARTED: &str = "was started again";

/// Who did a step: the machine, an agent, the gate, the decision itself, the disk, a tool, the owner, the model.
pub const ROLES: [&str; 8] = [
    "machine", "agent", "gate", "decision", "disk", "tool", "owner", "model",
];

/// Why the tick began.
pub fn began_by(source: TriggerSource) -> String {
    format!("Began: {}", trigger_name(source))
}

/// The trigger had to wait.
pub fn had_waited(long: &str) -> String {
    format!("had waited {long}")
}

/// An answer that came when the tick had gone on.
pub fn came_late(long: &str) -> String {
    format!("answered {long} too late")
}

/// Something whose time is not kept.
pub fn without_time(what: &str) -> String {
    format!("{what}; when is not kept")
}

/// A line of the quarantine.
pub fn refused_with(code: &str) -> String {
    format!("refused: {code}")
}

/// What the model said.
pub fn model_said(ok: bool) -> &'static str {
    if ok {
        "answered"
    } else {
        "could not, or not in time"
    }
}

/// What the owner did, and where.
pub fn owner_answer(place: Surface, act: SubmitAct) -> String {
    let what = match act {
        SubmitAct::Confirm => "confirmed",
        SubmitAct::Dismiss => "dismissed",
        SubmitAct::Useful => "called useful",
        SubmitAct::Edit => "corrected",
        SubmitAct::LaterQuarter
        | SubmitAct::LaterHour
        | SubmitAct::LaterEvening
        | SubmitAct::LaterTomorrow => "put off",
    };
    format!("{what} {}", surface(place))
}

/// A card that was seen after the trace was complete.
pub fn seen_later(place: &str, long: &str) -> String {
    format!("{place}, {long} after the trace")
}

/// The wait for the owner is drawn shorter than it was.
pub fn short_wait(long: &str) -> String {
    format!("The owner was asked for {long}. That stretch is drawn shorter than it was.")
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
pub const EVENT: &str = "Event";
/// Headings of a replay.
pub const CHANGED: &str = "What it changed in the machine";
/// Headings of a replay.
pub const EFFECTS: &str = "What the machine asked for";
/// Headings of a replay.
pub const ALL_EVENTS: &str = "All events";
/// Above a replay.
pub const REPLAY_NOTE: &str =
    "Done again by the pure machine from the journal. Nothing is carried out, and nothing is changed.";
/// Nothing changed but the time.
pub const NO_CHANGE: &str = "Nothing.";
/// It asked for nothing.
pub const NO_EFFECT: &str = "Nothing.";
/// The event before.
pub const EVENT_BEFORE: &str = "Event before";
/// The event after.
pub const EVENT_AFTER: &str = "Event after";
/// Back to the waterfall.
pub const BACK: &str = "Back to the tick";
/// The events are gone.
pub const REPLAY_NOT_KEPT: &str = "This cannot be done again: its events are gone, other rules held then, or it is a call that was asked for.";
/// There are too many.
pub const REPLAY_TOO_LONG: &str =
    "This tick is too far back in the journal to be reached while a page waits.";
/// Of what changed.
pub const CHANGE_COLUMNS: [&str; 3] = ["Place", "Before", "After"];
/// Of the events.
pub const EVENT_COLUMNS: [&str; 4] = ["Number", "After", "Event", "State after it"];
/// Of the effects.
pub const EFFECT_COLUMNS: [&str; 2] = ["Effect", "With"];

/// Which of the events.
pub fn event_number(number: usize, of: usize, name: &str) -> String {
    format!("Event {number} of {of}: {name}")
}

/// The states around an event.
pub fn from_state_to(before: &str, after: &str) -> String {
    if before == after {
        format!("The machine stays in {before}.")
    } else {
        format!("The machine goes from {before} to {after}.")
    }
}

/// Of two ticks.
pub const COMPARE_PLACE: &str = "Place";
/// The one that is not there.
pub const COMPARE_NONE: &str = "Name two ticks by their trace ids.";
/// Fields of the form.
pub const LEFT: &str = "Left";
/// Fields of the form.
pub const RIGHT: &str = "Right";
/// Which lines are shown.
pub const ALL_LINES: &str = "Show the lines that are the same as well";
/// Which lines are shown.
pub const DIFFERENT_LINES: &str = "Show only the lines that differ";
/// Marks a line for a screen reader.
pub const DIFFERS: &str = "differs: ";

/// How many lines differ.
pub fn lines_differ(different: usize, of: usize) -> String {
    format!("{different} of {of} lines differ.")
}

/// Headings of the overview.
pub const LAST_HOUR: &str = "The last hour";
/// Names of the figures.
pub const SPARKS: [&str; 4] = [
    "Ticks a minute",
    "Waiting",
    "Refused a minute",
    "Memory of the service, MiB",
];
/// Of the table behind them.
pub const SPARK_COLUMNS: [&str; 5] = [
    "At",
    "Ticks a minute",
    "Waiting",
    "Refused a minute",
    "Memory, MiB",
];
/// There is only one figure, or none.
pub const SPARKS_SOON: &str = "One figure a minute is kept while Aura runs. The first two make a line.";

/// Since when figures are kept.
pub fn sparks_since(since: &str) -> String {
    format!("One figure a minute since {since}, in memory only.")
}

/// The newest, the least and the most of a figure.
pub fn spark_says(now: u64, least: u64, most: u64) -> String {
    format!("{now} now, {least} to {most}")
}

/// A figure that is not known.
pub const SPARK_NOT_KNOWN: &str = "not known";

/// Headings of the overview.
pub const SEEN_RESTARTS: &str = "Started again";
/// No restart was seen.
pub const NO_SEEN_RESTART: &str = "Nothing was started again in that time.";
/// To the decisions of those minutes.
pub const TICKS_THEN: &str = "ticks of these minutes";

/// A process that was started again between two looks.
pub fn started_again(name: &str, from: &str, to: &str) -> String {
    format!("{name}, between {from} and {to}:")
}

/// Headings of the overview.
pub const TAIL: &str = "Newest decisions of today";
/// There is none yet.
pub const NO_TAIL: &str = "None yet.";
/// The button that holds the list.
pub const HOLD: &str = "Pause the list";

/// Over the list of decisions.
pub const SHORTCUTS: &str = "Often asked";
/// A shortcut.
pub const SLOWEST_TODAY: &str = "Today, slowest first";
/// A shortcut.
pub const SLOWEST_MORNING: &str = "This morning, slowest first";
/// A shortcut.
pub const SLOWEST_YESTERDAY: &str = "Yesterday, slowest first";
/// Fields of the filter.
pub const FROM_TIME: &str = "From time";
/// Fields of the filter.
pub const TO_TIME: &str = "Before time";
/// Fields of the filter.
pub const ORDER: &str = "Order";
/// An order that the filter offers.
pub const NEWEST_FIRST: &str = "Newest first";
/// An order that the filter offers.
pub const SLOWEST_FIRST: &str = "Slowest first";
/// Headings of the saved filters.
pub const SAVED: &str = "Saved filters";
/// The field of a filter's name.
pub const SAVE_AS: &str = "Name of this filter";
/// The button.
pub const SAVE: &str = "Save";
/// Takes a saved filter away.
pub const REMOVE: &str = "Remove";
/// Where they are kept.
pub const SAVED_NOTE: &str = "Kept in this browser only.";

/// How many decisions are shown, slowest first.
pub fn slowest_shown(shown: usize, looked_at: usize) -> String {
    format!("{shown} of {looked_at} ticks looked at, slowest first.")
}

/// How long a tick took, and where.
pub fn took(long: &str, state: &str, in_it: &str) -> String {
    if long == in_it {
        format!("{long}, all of it {state}")
    } else {
        format!("{long}, {in_it} of it {state}")
    }
}

/// From a what-if to the owner's page of one month.
pub const MONTH: &str = "For the owner: other settings on the last 30 days, with fields";
