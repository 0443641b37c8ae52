//! The tools of Calendar.

use super::shared::{DescribeArgs, DisplayLabel, ParseArgs};
use crate::{
    ids::{EventId, PersonHash, TaskId},
    names::DeclineReason,
    signal::LocationData,
    tick::{IngestArgs, TickArgs},
    time::Timestamp,
};
use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

/// A way of fewer minutes needs no alert.
pub const WAY_MIN: u32 = 10;
/// Leaving is spoken of from so many minutes before it.
pub const LEAVE_SPAN_MIN: i64 = 60;
/// Its own moment is so many minutes before leaving.
pub const LEAVE_ALERT_MIN: i64 = 15;
/// A meeting is prepared for from so many minutes before it starts.
pub const PREPARE_MIN: i64 = 10;

/// Every tool of Calendar with its typed arguments.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum CalendarTool {
    /// `calendar.ingest`
    Ingest(IngestArgs),
    /// `calendar.tick`
    Tick(TickArgs),
    /// `calendar.travel_aware_alert`
    TravelAwareAlert(TravelAwareAlert),
    /// `calendar.prepare_meeting`
    PrepareMeeting(PrepareMeeting),
    /// `calendar.describe_meeting`
    DescribeMeeting(DescribeMeeting),
    /// `calendar.list_events`
    ListEvents(ListEvents),
    /// `calendar.list_tasks`
    ListTasks(ListTasks),
    /// `calendar.auto_decline`
    AutoDecline(AutoDecline),
    /// `calendar.detect_conflicts`
    DetectConflicts(DetectConflicts),
    /// `calendar.suggest_slots`
    SuggestSlots(SuggestSlots),
    /// `calendar.parse_ics_attachment`
    ParseIcsAttachment(ParseArgs),
    /// `calendar.discard_decline`
    DiscardDecline(DiscardDecline),
    /// `calendar.hold_time`
    HoldTime(HoldTime),
    /// `calendar.describe`
    Describe(DescribeArgs),
}

/// Arguments of `calendar.detect_conflicts`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DetectConflicts {
    /// The owner's local day.
    pub day: NaiveDate,
}

/// Result of `calendar.detect_conflicts`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DetectConflictsResult {
    /// Overlapping pairs, at most 256, in order of the later start.
    pub conflicts: Vec<EventConflict>,
    /// Whether there are more.
    pub truncated: bool,
}

/// Two events that overlap.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventConflict {
    /// The one that starts first.
    pub earlier: EventId,
    /// The one that starts within it.
    pub later: EventId,
    /// Whole minutes for which both last.
    pub overlap_min: u32,
}

/// Arguments of `calendar.suggest_slots`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SuggestSlots {
    /// How long, 5 to 240 minutes.
    pub duration_min: u32,
    /// Not before this instant.
    pub after: Timestamp,
}

/// Result of `calendar.suggest_slots`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SuggestSlotsResult {
    /// The first free times, at most 3, earliest first, one a gap.
    pub slots: Vec<FreeSlot>,
}

/// A free time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FreeSlot {
    pub start: Timestamp,
    pub end: Timestamp,
}

/// Result of `calendar.parse_ics_attachment`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParsedEvents {
    /// The events, at most 256, in order of start.
    pub events: Vec<ParsedEvent>,
    /// Whether there are more.
    pub truncated: bool,
}

/// One event of a file or signal, without its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParsedEvent {
    /// Its (first) instance.
    pub event_id: EventId,
    /// The start of that.
    pub start: Timestamp,
    /// Its end.
    pub end: Timestamp,
    /// Whether it lasts whole days.
    pub all_day: bool,
    /// Whether it comes again.
    pub repeats: bool,
    /// Whether it is cancelled, or declined by the owner.
    pub cancelled: bool,
}

/// Arguments of `calendar.travel_aware_alert`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TravelAwareAlert {
    /// The event to leave for.
    pub event_id: EventId,
    /// Where the owner is; absent: the last place the agent knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_loc: Option<LocationData>,
    /// Minutes kept free before leaving, 0 to 120.
    pub buffer_min: u32,
}

/// Result of `calendar.travel_aware_alert`. Effect: `card_show`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeaveBy {
    /// The event.
    pub event_id: EventId,
    /// Its start.
    pub start: Timestamp,
    /// `start - travel_min - buffer_min`.
    pub leave_by: Timestamp,
    /// Minutes to get there.
    pub travel_min: u32,
}

/// Arguments of `calendar.prepare_meeting`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PrepareMeeting {
    /// An event with others in it.
    pub event_id: EventId,
}

/// Result of `calendar.prepare_meeting`. Effect: `card_show`. Without text: who is there is asked when the card is drawn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PreparedMeeting {
    /// The event.
    pub event_id: EventId,
    pub start: Timestamp,
    pub end: Timestamp,
    /// How many others are invited and did not decline.
    pub others: u32,
    /// Minutes to get there; 0: no way is known.
    pub travel_min: u32,
}

/// Arguments of `calendar.describe_meeting`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DescribeMeeting {
    /// The event.
    pub event_id: EventId,
}

/// People that `calendar.describe_meeting` names.
pub const MEETING_PEOPLE_MAX: usize = 32;

/// Result of `calendar.describe_meeting`. Text from outside, for a surface's memory only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeetingDescription {
    /// The event.
    pub event_id: EventId,
    /// What it is called; absent: it has no title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<DisplayLabel>,
    pub start: Timestamp,
    pub end: Timestamp,
    /// Whether it lasts whole days.
    pub all_day: bool,
    /// Who else is invited and did not decline, at most [`MEETING_PEOPLE_MAX`], in the order of the invitation.
    pub people: Vec<InvitedPerson>,
    /// How many others there are in all.
    pub others: u32,
    /// What its place is called, a call over the network included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<DisplayLabel>,
    /// Minutes to get there; 0: no way is known.
    pub travel_min: u32,
    /// When to leave, with the time that the owner keeps free; absent without a way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leave_by: Option<Timestamp>,
}

/// Somebody who is invited.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InvitedPerson {
    /// As Comms knows whoever writes from that address.
    pub person: PersonHash,
    /// What the invitation calls them, else their address.
    pub name: DisplayLabel,
}

/// Days that one `calendar.list_events` covers at most: six weeks, as a page of a month shows them.
pub const LISTED_DAYS_MAX: u32 = 42;
/// Events, and free times, that one `calendar.list_events` gives at most.
pub const LISTED_MAX: usize = 512;
/// Events that were called off in a list.
pub const CANCELLED_MAX: usize = 64;

/// Arguments of `calendar.list_events`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListEvents {
    /// The first of the owner's local days.
    pub first: NaiveDate,
    /// How many days, 1 to [`LISTED_DAYS_MAX`].
    pub days: u32,
}

/// Result of `calendar.list_events`. Text from outside, for a surface's memory only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventList {
    /// What touches these days, by start, at most [`LISTED_MAX`].
    pub events: Vec<ListedEvent>,
    /// Free times of half an hour and more within working hours, by start, at most [`LISTED_MAX`].
    pub free: Vec<FreeSlot>,
    /// Whether there are more events.
    pub truncated: bool,
    /// What would begin on these days and was called off, by start, at most [`CANCELLED_MAX`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cancelled: Vec<CancelledEvent>,
}

/// An event that was called off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CancelledEvent {
    pub event_id: EventId,
    /// What it is called; absent: it has no title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<DisplayLabel>,
    pub start: Timestamp,
    pub end: Timestamp,
    /// Whether it would last whole days.
    pub all_day: bool,
}

/// One event of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListedEvent {
    /// The event.
    pub event_id: EventId,
    /// What it is called; absent: it has no title, or was posted before the agent started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<DisplayLabel>,
    pub start: Timestamp,
    pub end: Timestamp,
    /// Whether it lasts whole days.
    pub all_day: bool,
    /// Whether its time is in an unknown zone, so that it may be hours off.
    pub uncertain: bool,
    /// Whether it is not certain to happen, or to be attended.
    pub tentative: bool,
    /// Whether the owner is invited and has not answered.
    pub unanswered: bool,
    /// Whether it overlaps another event that makes the owner busy.
    pub clashes: bool,
    /// How many others are invited and did not decline.
    pub others: u32,
    /// What its place is called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<DisplayLabel>,
    /// Minutes to get there; 0: no way is known.
    pub travel_min: u32,
    /// When to leave, with the time that the owner keeps free; absent without a way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leave_by: Option<Timestamp>,
}

/// Arguments of `calendar.list_tasks`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListTasks {
    /// The first of the owner's local days.
    pub first: NaiveDate,
    /// How many days, 1 to [`LISTED_DAYS_MAX`].
    pub days: u32,
}

/// Result of `calendar.list_tasks`. Text from outside, for a surface's memory only.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskList {
    /// Tasks that are due or were done on these days, by day and time; when today is one of these days also what is overdue, first, and
    /// what has no date, last. At most [`LISTED_MAX`].
    pub tasks: Vec<ListedTask>,
    /// Whether there are more.
    pub truncated: bool,
}

/// One task of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListedTask {
    /// The task; of one that repeats this occurrence.
    pub task_id: TaskId,
    /// What it is called; absent: it has no title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<DisplayLabel>,
    /// The list or project that it is in, as its program calls it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub list: Option<DisplayLabel>,
    pub source: TaskFormat,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<TaskPriority>,
    /// The owner's local day on which it is due; absent: it has no date.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due_day: Option<NaiveDate>,
    /// When on that day; absent: any time of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due_at: Option<Timestamp>,
    /// The owner's local day on which it was done; absent: it is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub done_on: Option<NaiveDate>,
    /// Whether another one follows it.
    pub repeats: bool,
    /// Whether its time is in an unknown zone, so that it may be hours off.
    pub uncertain: bool,
}

/// The format that a task was read in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskFormat {
    /// A VTODO of an iCalendar file.
    Icalendar,
    TodoTxt,
    Taskwarrior,
}

/// How a task ranks in its program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskPriority {
    High,
    Medium,
    Low,
}

/// Arguments of `calendar.auto_decline`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AutoDecline {
    /// The event to decline.
    pub event_id: EventId,
    pub reason_template: DeclineReason,
}

/// Result of `calendar.auto_decline`. Effect: one `outbox_file` with an iTIP reply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AutoDeclineResult {
    /// The event.
    pub event_id: EventId,
    /// Bytes of the reply in the outbox.
    pub bytes: u32,
}

/// Arguments and result of `calendar.discard_decline`. Effect: one `outbox_removed`. What is discarded already is discarded again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DiscardDecline {
    /// The event.
    pub event_id: EventId,
}

/// The longest time that is kept free at once, in minutes.
pub const HOLD_MAX_MIN: u32 = 720;

/// Arguments and result of `calendar.hold_time`. Effect: one `outbox_file` with an event, or one `outbox_removed`. What is so already stays so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HoldTime {
    /// From when on; whole minutes count.
    pub start: Timestamp,
    /// How long, 5 to [`HOLD_MAX_MIN`] minutes.
    pub duration_min: u32,
    /// Whether it is kept free, or no longer.
    pub held: bool,
}
