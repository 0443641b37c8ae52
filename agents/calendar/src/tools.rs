//! What the tools of Calendar that carry out an action do: arguments and instances to a result and effects.
//!
//! What: one function a tool. Why: tools are functions; what they want done is data. Not here: tools that only look
//! (`queries`), performing effects (the supervisor), checking arguments (the gate).

use super::{
    decline_draft::decline_file,
    model::{EventInstance, leave_by, travel_min},
    sources::{ics::CalendarEvent, owned},
};
use chrono::{DateTime, Utc};
use toolcall_schema::{
    DeclineReason, Timestamp,
    catalogue::calendar::{
        AutoDecline, AutoDeclineResult, HoldTime, LeaveBy, PrepareMeeting, PreparedMeeting, TravelAwareAlert,
    },
    ids::EventId,
    result::{ToolEffect, ToolErrorCode},
    signal::LocationData,
};

/// Bytes of a content line before it is folded (RFC 5545, 3.1).
const LINE: usize = 75;

/// Says when to leave for an event. `place` is where the owner is when the arguments do not say.
///
/// # Errors
/// `not_found` for an unknown event, `too_late` when one should have left before `at`.
pub(crate) fn travel_aware_alert(
    instances: &[EventInstance],
    place: Option<LocationData>,
    args: &TravelAwareAlert,
    at: Timestamp,
) -> Result<(LeaveBy, Vec<ToolEffect>), ToolErrorCode> {
    let instance = find(instances, &args.event_id)?;
    let travel_min = travel_min(instance.travel, args.user_loc.or(place));
    let leave_by = leave_by(instance.start, travel_min, args.buffer_min);
    if leave_by < at {
        return Err(ToolErrorCode::TooLate);
    }
    let result = LeaveBy {
        event_id: instance.id.clone(),
        start: instance.start,
        leave_by,
        travel_min,
    };
    Ok((result, vec![ToolEffect::CardShow]))
}

/// Says that a meeting begins soon. `place` is where the owner is.
///
/// # Errors
/// `not_found` for an unknown event or one without others, `too_late` when it is over at `at`.
pub(crate) fn prepare_meeting(
    instances: &[EventInstance],
    place: Option<LocationData>,
    args: &PrepareMeeting,
    at: Timestamp,
) -> Result<(PreparedMeeting, Vec<ToolEffect>), ToolErrorCode> {
    let instance = find(instances, &args.event_id)?;
    if !instance.is_meeting() {
        return Err(ToolErrorCode::NotFound);
    }
    if instance.end.max(instance.start) <= at {
        return Err(ToolErrorCode::TooLate);
    }
    let result = PreparedMeeting {
        event_id: instance.id.clone(),
        start: instance.start,
        end: instance.end,
        others: instance.others,
        travel_min: travel_min(instance.travel, place),
    };
    Ok((result, vec![ToolEffect::CardShow]))
}

/// An event as a decline must name it.
#[derive(Clone, Copy)]
pub(crate) struct DeclineTarget<'a> {
    /// The event of the file.
    pub(crate) event: &'a CalendarEvent,
    /// The original start, when it is one of a series.
    pub(crate) original: Option<DateTime<Utc>>,
}

/// Writes an iTIP reply (RFC 5546) that declines an event into the outbox. `invitation` is what is known of it; nothing
/// after a restart for an event that came as a signal.
///
/// # Errors
/// `not_found` for an unknown event or one without an open invitation, `too_late` when it has begun, `text_unknown` when the
/// invitation came as a signal that was not read since the agent started.
pub(crate) fn auto_decline(
    instances: &[EventInstance],
    invitation: Option<DeclineTarget<'_>>,
    args: &AutoDecline,
    at: Timestamp,
) -> Result<(AutoDeclineResult, Vec<ToolEffect>), ToolErrorCode> {
    let instance = find(instances, &args.event_id)?;
    if instance.start <= at {
        return Err(ToolErrorCode::TooLate);
    }
    let invitation = invitation.ok_or(ToolErrorCode::TextUnknown)?;
    let open = invitation.event.invited.as_ref();
    let owned::OpenInvitation { owner, organizer } = open.ok_or(ToolErrorCode::NotFound)?.as_ref();
    let comment = match args.reason_template {
        DeclineReason::Conflict => "I have another appointment at that time.",
        DeclineReason::Travel => "I cannot be there in time.",
        DeclineReason::Focus => "I keep that time free for focused work.",
    };
    let mut lines = vec![
        "BEGIN:VCALENDAR".to_owned(),
        "VERSION:2.0".to_owned(),
        "PRODID:-//Aura//Aura//EN".to_owned(),
        "METHOD:REPLY".to_owned(),
        "BEGIN:VEVENT".to_owned(),
        format!("UID:{}", escaped(&invitation.event.uid)),
        format!("DTSTAMP:{}", basic(at.utc())),
        format!("SEQUENCE:{}", invitation.event.sequence),
        format!("DTSTART:{}", basic(instance.start.utc())),
    ];
    lines.extend(
        invitation
            .original
            .map(|original| format!("RECURRENCE-ID:{}", basic(original))),
    );
    lines.extend([
        format!("ORGANIZER:{}", single_line(organizer)),
        format!("ATTENDEE;PARTSTAT=DECLINED:mailto:{}", single_line(owner)),
        format!("COMMENT:{comment}"),
        "END:VEVENT".to_owned(),
        "END:VCALENDAR".to_owned(),
    ]);
    let text: String = lines.iter().map(|line| folded(line)).collect();
    let result = AutoDeclineResult {
        event_id: instance.id.clone(),
        bytes: u32::try_from(text.len()).unwrap_or(u32::MAX),
    };
    let effect = ToolEffect::OutboxFile {
        name: decline_file(&instance.id),
        text,
    };
    Ok((result, vec![effect]))
}

/// Discards the draft of a decline.
pub(crate) fn discard_decline(event: &EventId) -> ToolEffect {
    ToolEffect::OutboxRemoved {
        name: decline_file(event),
    }
}

/// Writes an event that keeps a time free into the outbox, or takes it out.
///
/// # Errors
/// `too_late` for a time that is over at `at`.
pub(crate) fn hold_time(
    args: &HoldTime,
    at: Timestamp,
) -> Result<(HoldTime, Vec<ToolEffect>), ToolErrorCode> {
    let start = Timestamp::from_ms(args.start.ms() - args.start.ms().rem_euclid(60_000));
    let end = start.plus_min(i64::from(args.duration_min));
    let begin = start.utc().format("%Y%m%dt%H%Mz");
    let name = format!("hold-{begin}-{}.ics", args.duration_min);
    let result = HoldTime {
        start,
        ..args.clone()
    };
    if !args.held {
        return Ok((result, vec![ToolEffect::OutboxRemoved { name }]));
    }
    if end <= at {
        return Err(ToolErrorCode::TooLate);
    }
    let lines = [
        "BEGIN:VCALENDAR".to_owned(),
        "VERSION:2.0".to_owned(),
        "PRODID:-//Aura//Aura//EN".to_owned(),
        "BEGIN:VEVENT".to_owned(),
        format!("UID:aura-hold-{begin}-{}", args.duration_min),
        format!("DTSTAMP:{}", basic(at.utc())),
        format!("DTSTART:{}", basic(start.utc())),
        format!("DTEND:{}", basic(end.utc())),
        "SUMMARY:Kept free".to_owned(),
        "TRANSP:OPAQUE".to_owned(),
        "END:VEVENT".to_owned(),
        "END:VCALENDAR".to_owned(),
    ];
    let text = lines.iter().map(|line| folded(line)).collect();
    Ok((result, vec![ToolEffect::OutboxFile { name, text }]))
}

/// A meeting: nobody leaves for an all-day event, and none is in conflict.
fn find<'a>(
    instances: &'a [EventInstance],
    id: &toolcall_schema::ids::EventId,
) -> Result<&'a EventInstance, ToolErrorCode> {
    instances
        .iter()
        .find(|i| i.id == *id && !i.all_day)
        .ok_or(ToolErrorCode::NotFound)
}

fn basic(at: DateTime<Utc>) -> String {
    at.format("%Y%m%dT%H%M%SZ").to_string()
}

/// A TEXT value (RFC 5545, 3.3.11).
pub(super) fn escaped(text: &str) -> String {
    single_line(
        &text
            .replace('\\', "\\\\")
            .replace(';', "\\;")
            .replace(',', "\\,")
            .replace('\n', "\\n"),
    )
}

/// Text from outside must not begin a line of its own.
fn single_line(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).collect()
}

/// A content line with its line ends, folded at 75 bytes between characters.
pub(super) fn folded(line: &str) -> String {
    let mut out = String::with_capacity(line.len() + 4);
    let mut width = 0;
    for c in line.chars() {
        if width + c.len_utf8() > LINE {
            out.push_str("\r\n ");
            width = 1;
        }
        out.push(c);
        width += c.len_utf8();
    }
    out.push_str("\r\n");
    out
}
