//! The double's answers to what the pages about people and chats ask.
//!
//! What: Asha, who writes from two addresses, a dentist whom the owner named, a loud chat, a meeting with Asha and eleven strangers more than are named, and
//! nobody else. Not here: any claim.

#![expect(clippy::unwrap_used, reason = "made-up values of fixed shape")]

use crate::morning::{Double, brief_trace, ts};
use chrono::{Datelike, NaiveDate};
use serde_json::json;
use std::collections::BTreeSet;
use std::sync::Arc;
use surfaces_base::backend::{
    BackendError, BackendFuture,
    meetings::{MeetingBackend, MeetingPerson, MeetingView, PlannedEvent, TwoDays},
    people::{GivenName, KeptAbout, KeptFact, KeptRow, KeptSender, MessageWay, PeopleBackend, SenderWays},
};
use toolcall_schema::{
    ActionKind, Timestamp,
    catalogue::{
        calendar::{
            CancelledEvent, EventConflict, EventList, FreeSlot, ListedEvent, ListedTask, MeetingDescription,
            TaskFormat, TaskList, TaskPriority,
        },
        comms::{EvidenceCode, MessageClass, TriagedItem, UrgentReason},
        correspondent::{Correspondent, NameSource, SamePeopleList},
        learning::LearnedThing,
        shared::{DisplayLabel, ThingId},
    },
    ids::{ChannelHash, EventId, ItemId, PersonHash, TaskId},
    milli::Milli,
    tick::Subject,
    trace::{Card, Trace},
};

pub(crate) const ASHA: &str = "pe_0000000000000001";
const ASHA_AT_HOME: &str = "pe_0000000000000003";
const DENTIST: &str = "pe_0000000000000002";
const CHAT: &str = "ch_00000000000000c3";
const MAIL: &str = "it_00000000000000b2";
/// One that waits, of somebody of whom memory counts nothing.
const LATE: &str = "it_0000000000000002";

fn about(id: &str) -> LearnedThing {
    LearnedThing::parse(id).unwrap()
}

impl PeopleBackend for Double {
    fn people(&self) -> BackendFuture<Result<Vec<KeptSender>, BackendError>> {
        let kept = |id: &str, messages, at: &str, own_name: Option<&str>| KeptSender {
            about: about(id),
            messages,
            at: ts(at),
            own_name: own_name.map(str::to_owned),
            wrote_in: None,
        };
        Self::ready(vec![
            kept(ASHA, 31, "2026-11-02T15:00:00Z", None),
            kept(DENTIST, 2, "2026-10-30T08:00:00Z", Some("My dentist")),
            kept(CHAT, 412, "2026-11-03T02:00:00Z", None),
        ])
    }

    fn kept_about(&self, of: LearnedThing) -> BackendFuture<Result<KeptAbout, BackendError>> {
        self.note(format!("kept about {}", of.as_str()));
        let day = NaiveDate::from_ymd_opt(2026, 11, 2).unwrap();
        let row = |fact| KeptRow {
            at: ts("2026-11-02T15:00:00Z"),
            fact,
        };
        let wrote = KeptFact::Wrote(
            PersonHash::parse(ASHA).unwrap(),
            ChannelHash::parse(CHAT).unwrap(),
            day,
            31,
        );
        Self::ready(match of.as_str() {
            ASHA => KeptAbout {
                things: vec![row(KeptFact::Writes)],
                links: vec![row(wrote)],
                ..KeptAbout::default()
            },
            DENTIST => KeptAbout {
                own_name: Some("My dentist".to_owned()),
                things: vec![row(KeptFact::Writes)],
                ..KeptAbout::default()
            },
            CHAT => KeptAbout {
                things: vec![row(KeptFact::ChatDay(day, 412, 3))],
                links: vec![row(wrote)],
                traces: vec![brief_trace()],
                traces_all: 1,
                ..KeptAbout::default()
            },
            _ => KeptAbout::default(),
        })
    }

    /// Asha writes by mail and in a chat; one person of her name in another; what was written in a chat came by a program.
    fn ways(&self, of: BTreeSet<LearnedThing>) -> BackendFuture<Result<SenderWays, BackendError>> {
        let known = [
            (about(ASHA), vec![MessageWay::Mail]),
            (
                about(DENTIST),
                vec![MessageWay::Program("WhatsApp"), MessageWay::Other],
            ),
            (about(CHAT), vec![MessageWay::Program("WhatsApp")]),
        ];
        Self::ready(
            known
                .into_iter()
                .filter(|(about, _)| of.contains(about))
                .collect(),
        )
    }

    fn message_id(&self, item: ItemId) -> BackendFuture<Option<String>> {
        let is_there = item.as_str() == MAIL;
        Box::pin(std::future::ready(
            is_there.then(|| "CA+1=x/y?z@mail.example.net".to_owned()),
        ))
    }

    fn sender_address(&self, item: ItemId) -> BackendFuture<Option<String>> {
        let is_there = item.as_str() == "it_0000000000000002";
        Box::pin(std::future::ready(
            is_there.then(|| "asha.rao@example.net".to_owned()),
        ))
    }

    fn given_names(&self) -> BackendFuture<Result<Vec<GivenName>, BackendError>> {
        let given = |thing, name: &str| GivenName {
            thing: ThingId::parse(thing).unwrap(),
            name: name.to_owned(),
            at: ts("2026-11-01T08:00:00Z"),
        };
        Self::ready(vec![
            given(DENTIST, "My dentist"),
            given("ch_00000000000000c3", "Garden committee"),
        ])
    }

    /// What the owner said while the test ran.
    fn same_people(&self) -> BackendFuture<Option<SamePeopleList>> {
        let rows = self.same.lock().unwrap().clone();
        Box::pin(std::future::ready(Some(SamePeopleList { rows })))
    }

    fn correspondent(&self, of: ThingId) -> BackendFuture<Option<Correspondent>> {
        let said = |whom: &str, addresses, named_by| Correspondent {
            about: about(whom),
            addresses,
            named_by,
            day: 4,
            waiting: 1,
            waits_since: Some(ts("2026-11-03T00:30:00Z")),
            received: 31,
            answered: 9,
            minutes: Some(20),
            wrote_to: true,
            class: Some(MessageClass::NeedsYou),
            why: Some(EvidenceCode::OftenAnswered),
            corrected: false,
            let_through: Some(whom == CHAT),
        };
        let id = serde_json::to_value(&of).unwrap();
        let said = match id.as_str().unwrap() {
            ASHA | ASHA_AT_HOME | MAIL => Some(said(ASHA, 2, Some(NameSource::Contacts))),
            CHAT => Some(said(CHAT, 1, Some(NameSource::Sender))),
            FORGOTTEN | LATE => Some(Correspondent {
                day: 0,
                waiting: 0,
                waits_since: None,
                received: 0,
                answered: 0,
                minutes: None,
                wrote_to: false,
                class: None,
                why: None,
                ..said(FORGOTTEN, 1, None)
            }),
            _ => None,
        };
        Box::pin(std::future::ready(said))
    }
}

/// Somebody of whom Comms says that there is nothing.
pub(crate) const FORGOTTEN: &str = "pe_00000000000000fe";

/// A meeting at 09:00 in Kolkata, 22 minutes away.
pub(crate) const MEETING: &str = "ev_00000000000000a1";
/// One at 11:00 that was called off.
pub(crate) const CANCELLED: &str = "ev_00000000000000c1";
/// One without a title, a place or anybody else.
pub(crate) const ALONE: &str = "ev_00000000000000a2";

impl MeetingBackend for Double {
    fn meeting(&self, event: EventId) -> BackendFuture<Option<MeetingView>> {
        let person = |id: &str, invited_as: &str, is_known| MeetingPerson {
            person: PersonHash::parse(id).unwrap(),
            invited_as: invited_as.to_owned(),
            is_known,
        };
        let said = MeetingDescription {
            event_id: event.clone(),
            title: None,
            start: ts("2026-11-03T03:30:00Z"),
            end: ts("2026-11-03T04:30:00Z"),
            all_day: false,
            people: Vec::new(),
            others: 0,
            place: None,
            travel_min: 0,
            leave_by: None,
        };
        let alone = MeetingView {
            said: said.clone(),
            people: Vec::new(),
            waiting: Vec::new(),
        };
        let waits = TriagedItem {
            item_id: ItemId::parse(MAIL).unwrap(),
            urgency: Milli(800),
            reason: UrgentReason::Actionable,
            at: ts("2026-11-03T00:30:00Z"),
            channel_hash: ChannelHash::parse(CHAT).unwrap(),
            class: MessageClass::NeedsYou,
        };
        let with = MeetingView {
            said: MeetingDescription {
                others: 14,
                place: DisplayLabel::sanitize("Studio <4>"),
                travel_min: 22,
                leave_by: Some(ts("2026-11-03T02:53:00Z")),
                ..said
            },
            people: vec![
                person(ASHA, "asha@example.net", true),
                person("pe_0000000000000009", "\u{5d0}\u{5e1}\u{5ea}\u{5e8} <b>", false),
            ],
            waiting: vec![waits],
        };
        let found = match event.as_str() {
            MEETING => Some(with),
            ALONE => Some(alone),
            _ => None,
        };
        Box::pin(std::future::ready(found))
    }

    fn agenda(&self, first: NaiveDate, days: u32) -> BackendFuture<Option<EventList>> {
        self.note(format!("agenda {first} {days}"));
        // Before this year no calendar was read.
        let list = (first.year() >= 2026).then(listed);
        Box::pin(std::future::ready(list))
    }

    fn tasks(&self, first: NaiveDate, days: u32) -> BackendFuture<Option<TaskList>> {
        let last = first + chrono::Days::new(u64::from(days) - 1);
        let list = (first.year() >= 2026).then(|| listed_tasks(first, last));
        Box::pin(std::future::ready(list))
    }

    /// Both meetings of today, which overlap, and one of tomorrow without a name.
    fn two_days(&self) -> BackendFuture<Result<TwoDays, BackendError>> {
        let event = |id: &str, start: &str, end: &str, place: Option<&str>| PlannedEvent {
            id: EventId::parse(id).unwrap(),
            start: ts(start),
            end: ts(end),
            all_day: false,
            place: place.map(str::to_owned),
        };
        let (start, end) = ("2026-11-03T03:30:00Z", "2026-11-03T04:30:00Z");
        Self::ready(TwoDays {
            at: self.view.lock().unwrap().at,
            events: vec![
                event(MEETING, start, end, Some("Studio <4>")),
                event(ALONE, "2026-11-03T04:00:00Z", "2026-11-03T05:00:00Z", None),
                event(
                    "ev_00000000000000a3",
                    "2026-11-04T05:00:00Z",
                    "2026-11-04T05:30:00Z",
                    None,
                ),
            ],
            conflicts: vec![EventConflict {
                earlier: EventId::parse(MEETING).unwrap(),
                later: EventId::parse(ALONE).unwrap(),
                overlap_min: 30,
            }],
        })
    }

    fn clashes(&self, event: EventId, _: Timestamp) -> BackendFuture<Vec<EventId>> {
        let other = if event.as_str() == MEETING { ALONE } else { MEETING };
        Box::pin(std::future::ready(vec![EventId::parse(other).unwrap()]))
    }

    fn event_decisions(&self, event: EventId) -> BackendFuture<Result<Vec<Trace>, BackendError>> {
        let named = |trace: &&Trace| json!(trace).to_string().contains(event.as_str());
        Self::ready(self.traces.iter().filter(named).cloned().collect())
    }
}

/// Tuesday 3 November in Kolkata: a holiday, the meeting at 9 with another that begins within it, a night at work, free from 10:30 to noon.
fn listed() -> EventList {
    let event = |id: &str, title: Option<&str>, start: &str, end: &str| ListedEvent {
        event_id: EventId::parse(id).unwrap(),
        title: title.and_then(DisplayLabel::sanitize),
        start: ts(start),
        end: ts(end),
        all_day: false,
        uncertain: false,
        tentative: false,
        unanswered: false,
        clashes: false,
        others: 0,
        place: None,
        travel_min: 0,
        leave_by: None,
    };
    EventList {
        events: vec![
            ListedEvent {
                all_day: true,
                ..event(
                    "ev_00000000000000b1",
                    Some("Diwali"),
                    "2026-11-02T18:30:00Z",
                    "2026-11-03T18:30:00Z",
                )
            },
            ListedEvent {
                clashes: true,
                others: 14,
                place: DisplayLabel::sanitize("Studio <4>"),
                travel_min: 22,
                leave_by: Some(ts("2026-11-03T02:53:00Z")),
                ..event(
                    MEETING,
                    Some("Loom <demo>"),
                    "2026-11-03T03:30:00Z",
                    "2026-11-03T04:30:00Z",
                )
            },
            ListedEvent {
                clashes: true,
                unanswered: true,
                tentative: true,
                ..event(ALONE, None, "2026-11-03T04:00:00Z", "2026-11-03T05:00:00Z")
            },
            event(
                "ev_00000000000000b2",
                Some("Night shift"),
                "2026-11-03T16:30:00Z",
                "2026-11-03T20:30:00Z",
            ),
        ],
        free: vec![FreeSlot {
            start: ts("2026-11-03T05:00:00Z"),
            end: ts("2026-11-03T06:30:00Z"),
        }],
        truncated: false,
        cancelled: vec![CancelledEvent {
            event_id: EventId::parse(CANCELLED).unwrap(),
            title: DisplayLabel::sanitize("Dentist <x>"),
            start: ts("2026-11-03T05:30:00Z"),
            end: ts("2026-11-03T06:00:00Z"),
            all_day: false,
        }],
    }
}

/// Around Tuesday 3 November: one at half past nine, one that day, one of Sunday, one that was done, two without a date; and one of Friday.
fn listed_tasks(first: NaiveDate, last: NaiveDate) -> TaskList {
    let day = |day| NaiveDate::from_ymd_opt(2026, 11, day).unwrap();
    let task = |id: u32, title: Option<&str>, list: Option<&str>, due: Option<u32>| ListedTask {
        task_id: TaskId::parse(&format!("tk_00000000000000{id:02}")).unwrap(),
        title: title.and_then(DisplayLabel::sanitize),
        list: list.and_then(DisplayLabel::sanitize),
        source: TaskFormat::Icalendar,
        priority: None,
        due_day: due.map(day),
        due_at: None,
        done_on: None,
        repeats: false,
        uncertain: false,
    };
    let all = vec![
        ListedTask {
            source: TaskFormat::Taskwarrior,
            ..task(1, Some("Renew the <passport>"), Some("Papers"), Some(1))
        },
        ListedTask {
            priority: Some(TaskPriority::High),
            repeats: true,
            ..task(2, Some("Water the plants"), Some("Home · balcony"), Some(3))
        },
        ListedTask {
            due_at: Some(ts("2026-11-03T04:00:00Z")),
            ..task(3, Some("Call the school"), None, Some(3))
        },
        task(4, Some("Book the train"), None, Some(6)),
        ListedTask {
            source: TaskFormat::TodoTxt,
            ..task(5, Some("Learn to juggle"), Some("@evening"), None)
        },
        task(6, None, None, None),
        ListedTask {
            source: TaskFormat::TodoTxt,
            done_on: Some(day(3)),
            ..task(7, Some("Buy stamps"), None, Some(4))
        },
    ];
    let days = first..=last;
    let with_today = days.contains(&day(3));
    let stands = |task: &ListedTask| match (task.done_on, task.due_day) {
        (Some(done), _) => days.contains(&done),
        (None, Some(due)) => days.contains(&due) || (with_today && due < day(3)),
        (None, None) => with_today,
    };
    TaskList {
        tasks: all.into_iter().filter(stands).collect(),
        truncated: false,
    }
}

/// The card before it, ten minutes earlier.
pub(crate) fn meeting_card() -> Card {
    let mut card = crate::morning::brief_card();
    let decision = Arc::make_mut(&mut card.decision);
    decision.trigger = serde_json::from_value(json!({
        "source": "alert_at", "subject": MEETING, "at": "2026-11-03T03:20:00Z", "valid_until": "2026-11-03T03:30:00Z"
    }))
    .unwrap();
    decision.ts = ts("2026-11-03T03:20:00Z");
    let chosen = decision.chosen.as_mut().unwrap();
    chosen.kind = ActionKind::PrepareMeeting;
    chosen.subject = Subject::parse(MEETING).unwrap();
    chosen.companion = None;
    card.tool_calls = serde_json::from_value(json!([
        {"call_id": "t_meeting001", "tool": "calendar.prepare_meeting", "args": {"event_id": MEETING},
         "result": {"event_id": MEETING, "start": "2026-11-03T03:30:00Z", "end": "2026-11-03T04:30:00Z",
                    "others": 14, "travel_min": 22}}
    ]))
    .unwrap();
    card.valid_until = ts("2026-11-03T03:30:00Z");
    card
}
