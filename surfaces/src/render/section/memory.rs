//! Memory: what is kept, for how long, and who read it.
//!
//! What: [`blocks`]. Why: what is kept about somebody should be theirs to see and to end. Not here: forgetting (`web::forget_page`), looking through it and
//! copies (`web::memory_page`).

use super::{SectionBlock, SectionItem};
use crate::{backend::owner::KeptSummary, format, words};
use chrono_tz::Tz;
use toolcall_schema::{RetentionHold, Timestamp};

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

/// What is kept, what was done with it today, and last. `now`: by the wall clock.
pub fn blocks(kept: &KeptSummary, now: Timestamp, zone: Tz) -> Vec<SectionBlock> {
    let mut sorts: Vec<SectionItem> = kept
        .sorts
        .iter()
        .map(|sort| {
            SectionItem::new(words::kept_sort(&sort.name), sort.count.to_string()).note(words::kept_for(
                sort.days,
                &format::date(format::local_date(sort.oldest, zone)),
            ))
        })
        .collect();
    sorts.push(
        SectionItem::new(words::DECISIONS.say(), kept.traces.to_string())
            .note(words::kept_days(kept.trace_days)),
    );
    sorts.push(SectionItem::new(
        words::JOURNAL_EVENTS.say(),
        kept.events.to_string(),
    ));
    sorts.push(SectionItem::new(words::OWN_NAMES.say(), kept.names.to_string()));
    sorts.push(SectionItem::new(
        words::ON_DISK.say(),
        words::kibibytes(kept.bytes),
    ));
    let audit: Vec<SectionItem> = kept
        .audit
        .iter()
        .map(|(what, times)| SectionItem::new(words::audit(what), times.to_string()))
        .collect();
    let acts = kept.acts.iter().map(|act| {
        let says = words::audit_act(&act.op, act.kind.as_deref(), act.count);
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
            let blocks = blocks(&kept(why), wall, chrono_tz::Asia::Kolkata);
            let said: Vec<&str> = blocks[0].says.iter().skip(1).map(String::as_str).collect();
            assert_eq!(said.len(), usize::from(says.is_some()), "{said:?}");
            assert!(says.is_none_or(|says| said[0].contains(says)), "{said:?}");
        }
    }
}
