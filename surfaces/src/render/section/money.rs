//! Money: today against what is usual, and where the month ends.
//!
//! What: [`blocks`]. Why: a mirror, not a budget. Not here: what counts as unusual, forecasts (`agents`). Sums are of the
//! payments that memory keeps.

use super::{
    SectionBlock, SectionItem,
    largest_payment::LargestPayment,
    measured, newest,
    unusual_known::{UnusualDay, UnusualKnown},
};
use crate::render::picture::LatelySpent;
use chrono::NaiveDate;
use chrono_tz::Tz;
use serde::Deserialize as _;
use surfaces_base::{
    backend::owner::OwnerStatus,
    backend::{DisplayNames, WeekView},
    format::{self, money},
    words,
};
use toolcall_schema::{
    catalogue::{allowed_spending::AllowedSpending, finance::AnomalyResult},
    ids::TraceId,
    tick::ReadingKey,
    trace::Trace,
};

/// Whether payments wait for a category.
pub(crate) fn has_unsorted(today: &[Trace]) -> bool {
    newest(today, ReadingKey::Uncategorized).is_some_and(|(_, found)| found.value > 0.0)
}

/// The day, the month's end and what was unusual; the traces of today and of the week newest first.
/// `has_balance`: the owner or a statement told what is in the account. `lately`: what went out; `unusual_known`: what was unusual, and what
/// the owner calls usual.
pub(crate) fn blocks(
    today: &[Trace],
    week: &WeekView,
    standing: &OwnerStatus,
    has_balance: bool,
    lately: &LatelySpent,
    unusual_known: (&UnusualKnown, &[AllowedSpending]),
    largest: (&[LargestPayment], &DisplayNames),
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
        unusual(week, zone, unusual_known, largest),
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

/// What a card told, and what the payments tell: a statement may bring days that nobody looked at as they went.
fn unusual(
    week: &WeekView,
    zone: Tz,
    (known, usual): (&UnusualKnown, &[AllowedSpending]),
    (largest, names): (&[LargestPayment], &DisplayNames),
) -> SectionBlock {
    let row = |day: NaiveDate, severity, (category, spent, usual): (_, _, _), currency: &str| {
        let usual = words::unusual(
            words::severity(severity),
            &format::money_rounded(usual, currency),
            &format::date(day),
        );
        SectionItem::new(words::category(category), money(spent, currency)).note(usual)
    };
    let mut told: Vec<(NaiveDate, TraceId, AnomalyResult)> = week
        .traces
        .iter()
        .flat_map(|trace| trace.tool_calls.iter().map(move |call| (trace, call)))
        .filter(|(_, call)| call.tool == "finance.anomaly_flag")
        .filter_map(|(trace, call)| {
            let anomaly = AnomalyResult::deserialize(call.result.as_deref()?).ok()?;
            let day = format::local_date(trace.decision.ts, zone);
            Some((day, trace.trace_id.clone(), anomaly))
        })
        .collect();
    let mut rows: Vec<(NaiveDate, SectionItem)> = Vec::new();
    // What is judged by its category is not told twice, nor what the owner knows about.
    let is_judged = |one: &LargestPayment| {
        let is_found = known.found.iter().any(|found| {
            found.day == one.day && found.anomaly.category == one.category && found.currency == one.currency
        });
        let is_told = told.iter().any(|(day, _, told)| {
            *day == one.day && told.category == one.category && told.currency == one.currency
        });
        let is_usual = usual.iter().any(|row| {
            row.category == one.category && row.currency == one.currency && one.amount <= row.upto
        });
        is_found || is_told || is_usual
    };
    let largest: Vec<&LargestPayment> = largest.iter().filter(|one| !is_judged(one)).collect();
    for UnusualDay {
        day,
        currency,
        severity,
        anomaly,
    } in &known.found
    {
        let is_usual = usual.iter().any(|row| {
            row.category == anomaly.category && row.currency == *currency && anomaly.total <= row.upto
        });
        if is_usual {
            continue;
        }
        let is_it = |told: &(NaiveDate, TraceId, AnomalyResult)| {
            let (on, _, told) = told;
            on == day && told.category == anomaly.category && told.currency == *currency
        };
        let trace = told
            .iter()
            .find(|told| is_it(told))
            .map(|(_, trace, _)| trace.clone());
        // By the whole day; a card told what was known then.
        told.retain(|told| !is_it(told));
        let amounts = (anomaly.category, anomaly.total, anomaly.median);
        let leads = trace.is_none().then_some("/money/spending?view=month");
        let item = row(*day, *severity, amounts, currency);
        rows.push((*day, SectionItem { trace, leads, ..item }));
    }
    rows.extend(told.into_iter().map(|(day, trace, told)| {
        let amounts = (told.category, told.spent_today, told.usual);
        let item = row(day, told.severity, amounts, &told.currency);
        (
            day,
            SectionItem {
                trace: Some(trace),
                ..item
            },
        )
    }));
    rows.extend(largest.into_iter().map(|one| {
        let name = names.get(one.merchant.as_str());
        let name = words::paid_to(name.unwrap_or(words::UNNAMED_MERCHANT.say()));
        let note = words::largest_payment(
            one.is_beside_bills,
            one.days,
            &format::bare_amount(one.times, one.times.scale()),
            &format::date(one.day),
        );
        let item = SectionItem::new(name, money(one.amount, &one.currency)).note(note);
        (one.day, item.leading_to("/money/spending?view=month"))
    }));
    rows.sort_by_key(|(day, _)| std::cmp::Reverse(*day));
    let items: Vec<SectionItem> = rows.into_iter().map(|(_, item)| item).collect();
    let untold = known.untold();
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
