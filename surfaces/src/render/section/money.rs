//! Money: today against what is usual, and where the month ends.
//!
//! What: [`blocks`]. Why: a mirror, not a budget. Not here: what counts as unusual, forecasts (`agents`). Sums are of the
//! payments that memory keeps; a category is named when Finance found it unusual.

use super::{SectionBlock, SectionItem, measured, newest, unusual_known::UnusualKnown};
use crate::render::picture::LatelySpent;
use chrono_tz::Tz;
use serde::Deserialize as _;
use surfaces_base::{
    backend::WeekView,
    backend::owner::OwnerStatus,
    format::{self, money},
    words,
};
use toolcall_schema::{catalogue::finance::AnomalyResult, tick::ReadingKey, trace::Trace};

/// Whether payments wait for a category.
pub(crate) fn has_unsorted(today: &[Trace]) -> bool {
    newest(today, ReadingKey::Uncategorized).is_some_and(|(_, found)| found.value > 0.0)
}

/// The day, the month's end and what was unusual; the traces of today and of the week newest first.
/// `has_balance`: the owner or a statement told what is in the account. `lately`: what went out; `known`: how far it can be told what is unusual.
pub(crate) fn blocks(
    today: &[Trace],
    week: &WeekView,
    standing: &OwnerStatus,
    has_balance: bool,
    (lately, known): (&LatelySpent, &UnusualKnown),
) -> Vec<SectionBlock> {
    let zone = format::zone(&standing.settings.zone);
    let rows = |traces: &[Trace], keys: &[ReadingKey]| -> Vec<SectionItem> {
        // That every payment has a category is not worth a row, nor that a day which goes on has less than a whole one.
        let is_of_some =
            |key: ReadingKey| matches!(key, ReadingKey::Uncategorized | ReadingKey::VersusUsualPct);
        let says_something = |key: ReadingKey, value: f64| !is_of_some(key) || value > 0.0;
        keys.iter()
            .filter_map(|key| newest(traces, *key).filter(|(_, found)| says_something(*key, found.value)))
            .map(|found| measured(found, zone))
            .collect()
    };
    // First the sum of the bars below: a morning on which nothing was paid yet says little.
    let in_week = lately.in_week();
    let in_week = in_week.map(|spent| SectionItem::new(words::SPENT_IN_SEVEN_DAYS.say(), spent));
    let spent = lately.today(&week.money);
    let spent = spent.map(|spent| {
        SectionItem::new(words::reading(ReadingKey::SpentToday), spent).leading_to("/money/spending")
    });
    let mut items: Vec<SectionItem> = in_week.into_iter().chain(spent).collect();
    items.extend(rows(
        today,
        &[ReadingKey::VersusUsualPct, ReadingKey::Uncategorized],
    ));
    vec![
        SectionBlock {
            id: "today",
            title: words::SPENT_LATELY.say(),
            says: if items.is_empty() {
                vec![words::NOTHING_SPENT_KNOWN.say().to_owned()]
            } else {
                Vec::new()
            },
            items,
        },
        months_end(today, zone, has_balance),
        unusual(week, zone, known),
    ]
}

/// Where the month ends; one sentence where that cannot be said.
fn months_end(today: &[Trace], zone: Tz, has_balance: bool) -> SectionBlock {
    let items: Vec<SectionItem> = [ReadingKey::BalanceEndOfMonth, ReadingKey::DaysToZero]
        .into_iter()
        .filter_map(|key| newest(today, key).map(|found| measured(found, zone)))
        .collect();
    let says = match (items.is_empty(), has_balance) {
        (false, _) => Vec::new(),
        (true, false) => vec![words::MONTHS_END_NO_BALANCE.say().to_owned()],
        (true, true) => vec![words::MONTHS_END_TOO_EARLY.say().to_owned()],
    };
    SectionBlock {
        id: "forecast",
        title: words::MONTHS_END.say(),
        says,
        items,
    }
}

fn unusual(week: &WeekView, zone: Tz, known: &UnusualKnown) -> SectionBlock {
    let items: Vec<SectionItem> = week
        .traces
        .iter()
        .flat_map(|trace| trace.tool_calls.iter().map(move |call| (trace, call)))
        .filter(|(_, call)| call.tool == "finance.anomaly_flag")
        .filter_map(|(trace, call)| {
            let anomaly = AnomalyResult::deserialize(call.result.as_deref()?).ok()?;
            let note = words::unusual(
                words::severity(anomaly.severity),
                &money(anomaly.usual, &anomaly.currency),
                &format::date(format::local_date(trace.decision.ts, zone)),
            );
            Some(SectionItem {
                trace: Some(trace.trace_id.clone()),
                ..SectionItem::new(
                    words::category(anomaly.category),
                    money(anomaly.spent_today, &anomaly.currency),
                )
                .note(note)
            })
        })
        .collect();
    let untold = known.untold(zone);
    let nothing = if untold.is_empty() {
        words::NOTHING_UNUSUAL
    } else {
        words::NOTHING_UNUSUAL_SO_FAR
    };
    let rests_on = known.rests_on().filter(|_| items.is_empty());
    let nothing = (items.is_empty() && known.is_any_told()).then(|| nothing.say().to_owned());
    SectionBlock {
        id: "unusual",
        title: words::UNUSUAL_LATELY.say(),
        says: nothing.into_iter().chain(rests_on).chain(untold).collect(),
        items,
    }
}
