//! Memory: what is kept, for how long, and who read it.
//!
//! What: [`blocks`]. Why: what is kept about somebody should be theirs to see and to end. Not here: forgetting (`web::forget_page`), looking through it and
//! copies (`web::memory_page`).

use super::{SectionBlock, SectionItem};
use chrono_tz::Tz;
use std::collections::BTreeMap;
use surfaces_base::{
    backend::{owner::KeptSummary, settings::ReadingView},
    format, words,
};
use toolcall_schema::{AgentName, RetentionHold, Timestamp};

fn waits_for((why, wall): (RetentionHold, Timestamp), zone: Tz) -> String {
    // With its year, which is what is wrong.
    let day = format::local_date(wall, zone);
    let date = || format::with_year(&format::day_and_month(day), day);
    match why {
        RetentionHold::LaterDay => words::DELETION_WAITS_FOR_A_DAY.say().to_owned(),
        RetentionHold::Ahead => words::clock_may_be_ahead(&date()),
        RetentionHold::Behind => words::clock_is_behind(&date()),
    }
}

/// Sorts of the graph that stand for its owner and for decisions, which have a row of their own.
const INNER_SORTS: [&str; 2] = ["user", "trace"];

/// The page that shows what a sort counts.
fn page_of(sort: &str) -> Option<&'static str> {
    match sort {
        "event" => Some("/agenda"),
        "person" | "conversation" => Some("/people"),
        "transaction" => Some("/money/spending?view=month"),
        "health_snapshot" => Some("/body/days"),
        "action" => Some("/history/days"),
        _ => None,
    }
}

/// What is kept, who read what, what was done with it today, and last. `now`: by the wall clock.
pub(crate) fn blocks(
    kept: &KeptSummary,
    reading: &BTreeMap<AgentName, ReadingView>,
    now: Timestamp,
    zone: Tz,
) -> Vec<SectionBlock> {
    let mut sorts: Vec<SectionItem> = kept
        .sorts
        .iter()
        .filter(|sort| !INNER_SORTS.contains(&sort.name.as_str()))
        .map(|sort| {
            let note = words::kept_for(sort.days, &format::date(format::local_date(sort.oldest, zone)));
            SectionItem {
                leads: page_of(&sort.name),
                ..SectionItem::new(words::kept_sort(&sort.name), words::in_groups(sort.count)).note(note)
            }
        })
        .collect();
    sorts.push(
        SectionItem::new(words::DECISIONS.say(), kept.traces.to_string())
            .note(words::kept_days(kept.trace_days))
            .leading_to("/history/days"),
    );
    if kept.names > 0 {
        sorts.push(SectionItem::new(words::OWN_NAMES.say(), kept.names.to_string()).leading_to("/people"));
    }
    sorts.push(SectionItem::new(
        words::ON_DISK.say(),
        words::disk_size(kept.bytes),
    ));
    let audit: Vec<SectionItem> = kept
        .audit
        .iter()
        .map(|(what, times)| SectionItem::new(words::audit(what), times.to_string()))
        .collect();
    let readers: Vec<SectionItem> = AgentName::FOUR
        .into_iter()
        .filter_map(|agent| {
            let read = reading.get(&agent)?;
            let of_today = |at: &Timestamp| format::local_date(*at, zone) == format::local_date(now, zone);
            let at = format::clock_on(read.at.filter(of_today)?, now, zone);
            let has = match read.today {
                0 => words::NOTHING_NEW_TODAY.say().to_owned(),
                today => words::read_so_far(agent, today),
            };
            let row = SectionItem::new(words::reader(agent), has);
            Some(row.note(words::read_last(Some(&at))))
        })
        .collect();
    let acts = kept.acts.iter().map(|act| {
        let says = words::audit_act(&act.op, act.kind.as_deref(), act.id.as_deref(), act.count);
        SectionItem::new(says, format::clock_on(act.at, now, zone))
    });
    vec![
        SectionBlock {
            id: "kept",
            title: words::WHAT_IS_KEPT.say(),
            says: std::iter::once(words::KEPT_SAYS.say().to_owned())
                .chain(kept.waits.map(|waits| waits_for(waits, zone)))
                .collect(),
            items: sorts,
        },
        SectionBlock {
            id: "readers",
            title: words::READERS.say(),
            says: vec![if readers.is_empty() {
                words::READERS_NONE.say().to_owned()
            } else {
                words::READERS_SAYS.say().to_owned()
            }],
            items: readers,
        },
        SectionBlock {
            id: "audit",
            title: words::WHO_LOOKED.say(),
            says: if audit.is_empty() {
                vec![words::NOBODY_LOOKED.say().to_owned()]
            } else {
                vec![words::AUDIT_SAYS.say().to_owned()]
            },
            items: audit,
        },
        SectionBlock {
            id: "acts",
            title: words::ACTS.say(),
            says: vec![],
            items: acts.collect(),
        },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use surfaces_base::backend::owner::KeptSortCount;

    #[test]
    fn each_part_that_read_today_says_how_much_and_when() {
        let now = Timestamp::parse("2026-11-06T12:00:00Z").unwrap();
        let read = |today, at: Option<&str>| ReadingView {
            items: 99,
            today,
            at: at.map(|at| Timestamp::parse(at).unwrap()),
            ..ReadingView::default()
        };
        let reading = BTreeMap::from([
            (AgentName::Comms, read(12, Some("2026-11-06T10:20:00Z"))),
            (AgentName::Finance, read(0, Some("2026-11-06T10:21:00Z"))),
            // Yesterday, and not at all.
            (AgentName::Calendar, read(0, Some("2026-11-05T23:59:00Z"))),
            (AgentName::Wellness, read(0, None)),
        ]);
        let rows = |reading| {
            let blocks = blocks(&KeptSummary::default(), reading, now, chrono_tz::UTC);
            let block = blocks.into_iter().find(|block| block.id == "readers").unwrap();
            let rows = block
                .items
                .into_iter()
                .map(|item| (item.name, item.value, item.note));
            (block.says, rows.collect::<Vec<_>>())
        };
        let (says, all) = rows(&reading);
        assert_eq!(says, [words::READERS_SAYS.say()]);
        let row =
            |name: &str, value: &str, note: &str| (name.to_owned(), value.to_owned(), Some(note.to_owned()));
        assert_eq!(
            all,
            [
                row("Mail and chats", "12 messages", "Looked at last at 10:20."),
                row("Money", "Nothing new today", "Looked at last at 10:21."),
            ]
        );
        assert_eq!(
            rows(&BTreeMap::new()),
            (vec![words::READERS_NONE.say().to_owned()], vec![])
        );
    }

    #[test]
    fn each_count_leads_to_what_it_counts_and_inner_ones_are_left_to_the_console() {
        let sort = |name: &str| KeptSortCount {
            name: name.to_owned(),
            count: 2,
            days: None,
            oldest: Timestamp::from_ms(0),
        };
        let kept = KeptSummary {
            sorts: vec![sort("user"), sort("person"), sort("trace"), sort("app")],
            events: 95,
            ..KeptSummary::default()
        };
        let blocks = blocks(&kept, &BTreeMap::new(), Timestamp::from_ms(0), chrono_tz::UTC);
        let rows: Vec<_> = blocks[0]
            .items
            .iter()
            .map(|item| (item.name.as_str(), item.leads))
            .collect();
        assert_eq!(
            rows,
            [
                ("People and shops", Some("/people")),
                ("Programs", None),
                ("What I decided, with the reasons", Some("/history/days")),
                ("On disk", None),
            ]
        );
    }

    #[test]
    fn a_clock_that_is_not_confirmed_is_named_with_its_year_and_what_ends_the_waiting() {
        let wall = Timestamp::parse("2027-12-28T22:00:00Z").unwrap();
        let kept = |why: Option<RetentionHold>| KeptSummary {
            waits: why.map(|why| (why, wall)),
            ..KeptSummary::default()
        };
        for (why, says) in [
            (None, None),
            (
                Some(RetentionHold::LaterDay),
                Some("a later date will confirm it"),
            ),
            // 22:00 UTC is the next day in Kolkata.
            (
                Some(RetentionHold::Ahead),
                Some("29 December 2027, which may be wrong"),
            ),
            (
                Some(RetentionHold::Behind),
                Some("29 December 2027, earlier than before"),
            ),
        ] {
            let blocks = blocks(&kept(why), &BTreeMap::new(), wall, chrono_tz::Asia::Kolkata);
            let said: Vec<&str> = blocks[0].says.iter().skip(1).map(String::as_str).collect();
            assert_eq!(said.len(), usize::from(says.is_some()), "{said:?}");
            assert!(says.is_none_or(|says| said[0].contains(says)), "{said:?}");
        }
    }
}
