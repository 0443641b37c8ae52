//! Which of some events that clash can move, and to when.
//!
//! What: [`movable`], a pure function over what Calendar lists. Why: what nobody else is in can be put elsewhere without asking anybody. Not here: which events clash and
//! which times are free (Calendar), markup (`web::clash`).

use toolcall_schema::{
    Timestamp,
    catalogue::calendar::{EventList, ListedEvent},
    ids::EventId,
};

/// Free times that are offered.
const OFFERED_MAX: usize = 3;
/// A time is offered from a quarter of an hour on, in milliseconds.
const STEP_MS: i64 = 15 * 60_000;

/// An event, and when there is time for it instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MovableEvent {
    pub event: EventId,
    /// Whether nobody else is in it; else the others have to be asked.
    pub alone: bool,
    /// As long as it lasts, earliest first, one in each gap.
    pub free: Vec<(Timestamp, Timestamp)>,
}

/// The first of the events in which nobody else is, else the last of them, with the free times that are long enough. `None`: none of them is listed with an hour, or no
/// time is free.
pub(crate) fn movable(list: &EventList, clashing: &[&EventId], now: Timestamp) -> Option<MovableEvent> {
    let of = |id: &&EventId| list.events.iter().find(|event| event.event_id == **id);
    let timed: Vec<&ListedEvent> = clashing
        .iter()
        .filter_map(of)
        .filter(|event| !event.all_day && event.end > event.start)
        .collect();
    let alone = timed.iter().find(|event| event.others == 0);
    let event = alone.or(timed.last())?;
    let lasts = event.end.since(event.start);
    let free: Vec<(Timestamp, Timestamp)> = list
        .free
        .iter()
        .map(|slot| (quarter_from(slot.start.max(now)), slot.end))
        .filter(|(from, to)| to.since(*from) >= lasts)
        .map(|(from, _)| (from, from.plus_ms(lasts)))
        .take(OFFERED_MAX)
        .collect();
    (!free.is_empty()).then(|| MovableEvent {
        event: event.event_id.clone(),
        alone: alone.is_some(),
        free,
    })
}

/// The next full quarter of an hour: zones lie whole quarters apart.
pub(crate) fn quarter_from(at: Timestamp) -> Timestamp {
    let over = at.ms().rem_euclid(STEP_MS);
    if over == 0 { at } else { at.plus_ms(STEP_MS - over) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolcall_schema::catalogue::calendar::FreeSlot;

    fn t(text: &str) -> Timestamp {
        Timestamp::parse(&format!("2026-11-03T{text}Z")).unwrap()
    }

    fn id(n: u32) -> EventId {
        EventId::parse(&format!("ev_{n:016}")).unwrap()
    }

    fn event(n: u32, (start, end): (&str, &str), others: u32) -> ListedEvent {
        ListedEvent {
            event_id: id(n),
            title: None,
            start: t(start),
            end: t(end),
            all_day: false,
            uncertain: false,
            tentative: false,
            unanswered: false,
            clashes: true,
            others,
            place: None,
            travel_min: 0,
            leave_by: None,
        }
    }

    fn list(events: Vec<ListedEvent>) -> EventList {
        let slot = |from: &str, to: &str| FreeSlot {
            start: t(from),
            end: t(to),
        };
        EventList {
            events,
            free: vec![
                slot("08:00:00", "09:00:00"),
                slot("10:00:00", "10:30:00"),
                slot("12:10:00", "13:30:00"),
                slot("16:00:00", "18:00:00"),
            ],
            truncated: false,
            cancelled: Vec::new(),
        }
    }

    #[test]
    fn what_nobody_else_is_in_moves_to_where_it_fits() {
        let (one, two) = (id(1), id(2));
        let pair = [&one, &two];
        let (early, late) = (("14:00:00", "15:00:00"), ("14:30:00", "15:00:00"));
        for (others, moves, alone, free) in [
            // An hour, from 08:22 on: of 08:00 to 09:00 half an hour is left, at 12:15 there is room.
            (
                (0, 3),
                1,
                true,
                vec![("12:15:00", "13:15:00"), ("16:00:00", "17:00:00")],
            ),
            // Half an hour.
            (
                (3, 0),
                2,
                true,
                vec![
                    ("08:30:00", "09:00:00"),
                    ("10:00:00", "10:30:00"),
                    ("12:15:00", "12:45:00"),
                ],
            ),
            // Others are in both: of the one that came later they can be asked.
            (
                (3, 2),
                2,
                false,
                vec![
                    ("08:30:00", "09:00:00"),
                    ("10:00:00", "10:30:00"),
                    ("12:15:00", "12:45:00"),
                ],
            ),
        ] {
            let list = list(vec![event(1, early, others.0), event(2, late, others.1)]);
            let free = free.iter().map(|(from, to)| (t(from), t(to))).collect();
            let expected = MovableEvent {
                event: id(moves),
                alone,
                free,
            };
            assert_eq!(movable(&list, &pair, t("08:22:00")), Some(expected), "{others:?}");
        }
        let mut whole = list(vec![event(1, ("00:00:00", "23:59:00"), 0)]);
        whole.events[0].all_day = true;
        assert_eq!(movable(&whole, &pair, t("08:22:00")), None);
        let busy = EventList {
            free: vec![],
            ..list(vec![event(1, early, 0)])
        };
        assert_eq!(movable(&busy, &pair, t("08:22:00")), None);
    }
}
