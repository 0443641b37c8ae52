//! Money: today against what is usual, and where the month ends.
//!
//! What: [`blocks`]. Why: a mirror, not a budget. Not here: what counts as unusual, forecasts (`agents`). Sums are of the
//! payments that memory keeps; a category is named when Finance found it unusual.

use super::{SectionBlock, SectionItem, measured, newest};
use crate::{
    backend::owner::OwnerStatus,
    backend::{KeptMoney, WeekView},
    format::{self, money},
    render::picture,
    words,
};
use chrono::NaiveDate;
use chrono_tz::Tz;
use serde::Deserialize as _;
use toolcall_schema::{catalogue::finance::AnomalyResult, tick::ReadingKey, trace::Trace};

/// Days before one that can be unusual (`agents`, `finance::stats`).
const UNUSUAL_AFTER_DAYS: u32 = 7;

/// How many days lie between the first payment that is kept and today, where that are too few for anything to be unusual.
pub(crate) fn days_too_few(kept: &KeptMoney, today: NaiveDate, zone: Tz) -> Option<u32> {
    let is_all = u64::try_from(kept.payments.len()).is_ok_and(|count| count >= kept.all);
    let first = kept.payments.iter().map(|payment| payment.at).min();
    let first = first.filter(|_| is_all)?;
    let days = (today - format::local_date(first, zone)).num_days();
    u32::try_from(days).ok().filter(|days| *days < UNUSUAL_AFTER_DAYS)
}

/// Whether payments wait for a category.
pub(crate) fn has_unsorted(today: &[Trace]) -> bool {
    newest(today, ReadingKey::Uncategorized).is_some_and(|(_, found)| found.value > 0.0)
}

/// The day, the month's end and what was unusual; the traces of today and of the week newest first.
/// `has_balance`: the owner or a statement told what is in the account. `days_too_few`: nothing can be unusual yet.
pub(crate) fn blocks(
    today: &[Trace],
    week: &WeekView,
    standing: &OwnerStatus,
    has_balance: bool,
    days_too_few: Option<u32>,
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
    let in_week = picture::spent_in_week(week, zone);
    let in_week = in_week.map(|spent| SectionItem::new(words::SPENT_IN_SEVEN_DAYS.say(), spent));
    let spent = picture::spent_today(week, zone);
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
        unusual(week, zone, days_too_few),
    ]
}

/// Whether payments are kept in more than one currency: what is unusual is looked for in one.
fn is_mixed(kept: &KeptMoney) -> bool {
    let first = kept.payments.first().map(|payment| &payment.currency);
    kept.payments
        .iter()
        .any(|payment| Some(&payment.currency) != first)
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

fn unusual(week: &WeekView, zone: Tz, days_too_few: Option<u32>) -> SectionBlock {
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
    let one_currency = is_mixed(&week.money).then(|| words::UNUSUAL_IN_ONE_CURRENCY.say().to_owned());
    SectionBlock {
        id: "unusual",
        title: words::UNUSUAL_LATELY.say(),
        says: if items.is_empty() {
            let nothing = days_too_few.map_or_else(
                || words::NOTHING_UNUSUAL.say().to_owned(),
                words::unusual_too_early,
            );
            std::iter::once(nothing).chain(one_currency).collect()
        } else {
            one_currency.into_iter().collect()
        },
        items,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::KeptPayment;
    use toolcall_schema::{Category, Timestamp, ids::MerchantHash};

    fn paid(at: &str) -> KeptPayment {
        KeptPayment {
            at: Timestamp::parse(at).unwrap(),
            amount: "-5".parse().unwrap(),
            currency: "INR".to_owned(),
            merchant: MerchantHash::parse("mh_0000000000000001").unwrap(),
            category: Category::Other,
            account_last4: String::new(),
        }
    }

    #[test]
    fn nothing_is_unusual_before_seven_days_are_known() {
        let zone = chrono_tz::Asia::Kolkata;
        let today = NaiveDate::from_ymd_opt(2026, 11, 10).unwrap();
        for (payments, kept_in_all, days) in [
            // 20:00 UTC on the 3rd is the 4th in Kolkata: six days before the 10th. An hour and a half earlier it is the 3rd, seven days before.
            (&["2026-11-03T20:00:00Z"][..], 1, Some(6)),
            (&["2026-11-03T18:29:00Z"][..], 1, None),
            (&["2026-11-09T20:00:00Z", "2026-11-09T10:00:00Z"][..], 2, Some(1)),
            (&["2026-11-10T03:00:00Z"][..], 1, Some(0)),
            // Others are kept, of which these days do not tell.
            (&["2026-11-10T03:00:00Z"][..], 2, None),
            (&[][..], 0, None),
        ] {
            let kept = KeptMoney {
                payments: payments.iter().map(|at| paid(at)).collect(),
                all: kept_in_all,
                newest: None,
            };
            assert_eq!(
                days_too_few(&kept, today, zone),
                days,
                "{payments:?} of {kept_in_all}"
            );
        }
    }

    #[test]
    fn too_few_days_are_said_in_words() {
        for (days, says) in [
            (0, "So far I know none."),
            (1, "So far I know one."),
            (6, "So far I know 6."),
        ] {
            let block = unusual(&week(&[]), chrono_tz::UTC, Some(days));
            assert!(block.says.concat().ends_with(says), "{:?}", block.says);
        }
        let nothing = "Nothing unusual came up.";
        assert_eq!(
            unusual(&week(&["INR", "INR"]), chrono_tz::UTC, None).says,
            [nothing]
        );
        // What is not looked at is said.
        let mixed = unusual(&week(&["INR", "EUR"]), chrono_tz::UTC, None).says;
        let one =
            "I look for this in one currency: that of your balance, or else the one you spend in most often.";
        assert_eq!(mixed, [nothing, one]);
    }

    fn week(currencies: &[&str]) -> WeekView {
        let paid_in = |currency: &&str| KeptPayment {
            currency: (*currency).to_owned(),
            ..paid("2026-11-09T20:00:00Z")
        };
        WeekView {
            at: Timestamp::from_ms(0),
            zone: "UTC".to_owned(),
            traces: std::sync::Arc::new([]),
            events: Vec::new(),
            money: KeptMoney {
                payments: currencies.iter().map(paid_in).collect(),
                ..KeptMoney::default()
            },
            body: crate::backend::KeptBody::default(),
        }
    }
}
