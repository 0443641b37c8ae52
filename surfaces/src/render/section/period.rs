//! A day, a week or a month that a page is about.
//!
//! What: [`Period`] and the days it covers. Why: agenda and spending turn pages alike. Not here: the links (`web::periods`).

use chrono::{Datelike, Days, Months, NaiveDate};
use serde::Deserialize;
use surfaces_base::{format, words};

/// How much is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Period {
    #[default]
    Day,
    /// From Monday on.
    Week,
    Month,
}

impl Period {
    pub(crate) const ALL: [Self; 3] = [Self::Day, Self::Week, Self::Month];

    /// As the address has it, and as it is called.
    pub(crate) fn parts(self) -> (&'static str, &'static str) {
        match self {
            Self::Day => ("day", words::PERIOD_DAY.say()),
            Self::Week => ("week", words::PERIOD_WEEK.say()),
            Self::Month => ("month", words::PERIOD_MONTH.say()),
        }
    }

    /// The first day of the period that a day is in, and the first after it.
    pub(crate) fn bounds(self, day: NaiveDate) -> (NaiveDate, NaiveDate) {
        let first = match self {
            Self::Day => day,
            Self::Week => monday(day),
            Self::Month => day.with_day(1).unwrap_or(day),
        };
        let next = match self {
            Self::Day => first.succ_opt(),
            Self::Week => first.checked_add_days(Days::new(7)),
            Self::Month => first.checked_add_months(Months::new(1)),
        };
        (first, next.unwrap_or(first))
    }

    /// The same in whole weeks: a month is the six weeks in which it lies. The first day, and how many.
    pub(crate) fn in_weeks(self, day: NaiveDate) -> (NaiveDate, u32) {
        let (first, _) = self.bounds(day);
        match self {
            Self::Day => (first, 1),
            Self::Week => (first, 7),
            Self::Month => (monday(first), 42),
        }
    }

    /// A day of the period before and of the one after.
    pub(crate) fn neighbours(self, day: NaiveDate) -> (NaiveDate, NaiveDate) {
        let (before, after) = match self {
            Self::Day => (day.pred_opt(), day.succ_opt()),
            Self::Week => (
                day.checked_sub_days(Days::new(7)),
                day.checked_add_days(Days::new(7)),
            ),
            Self::Month => (
                day.checked_sub_months(Months::new(1)),
                day.checked_add_months(Months::new(1)),
            ),
        };
        (before.unwrap_or(day), after.unwrap_or(day))
    }

    /// What the period around a day is called.
    pub(crate) fn title(self, day: NaiveDate, today: NaiveDate) -> String {
        let (first, next) = self.bounds(day);
        match self {
            Self::Day => format::whole_date(day),
            Self::Week => words::from_to(
                &format::date_near(first, today),
                &format::date_near(next.pred_opt().unwrap_or(next), today),
            ),
            Self::Month => format::month_and_year(day),
        }
    }
}

fn monday(of: NaiveDate) -> NaiveDate {
    let back = Days::new(u64::from(of.weekday().num_days_from_monday()));
    of.checked_sub_days(back).unwrap_or(of)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    #[test]
    fn a_week_begins_on_monday_and_a_month_on_its_first() {
        // 3 November 2026 is a Tuesday, 1 November a Sunday.
        let of = |period: Period| period.bounds(day("2026-11-03"));
        assert_eq!(of(Period::Day), (day("2026-11-03"), day("2026-11-04")));
        assert_eq!(of(Period::Week), (day("2026-11-02"), day("2026-11-09")));
        assert_eq!(of(Period::Month), (day("2026-11-01"), day("2026-12-01")));
    }

    #[test]
    fn a_month_in_weeks_has_six_of_them() {
        assert_eq!(Period::Month.in_weeks(day("2026-11-03")), (day("2026-10-26"), 42));
        // February 2027 begins on a Monday and has four weeks; six are shown all the same.
        assert_eq!(Period::Month.in_weeks(day("2027-02-28")), (day("2027-02-01"), 42));
        assert_eq!(Period::Week.in_weeks(day("2026-11-01")), (day("2026-10-26"), 7));
    }

    #[test]
    fn the_month_before_a_long_ones_end_is_the_month_before() {
        let of = |period: Period, text: &str| period.neighbours(day(text));
        assert_eq!(
            of(Period::Month, "2026-03-31"),
            (day("2026-02-28"), day("2026-04-30"))
        );
        assert_eq!(
            of(Period::Week, "2026-11-03"),
            (day("2026-10-27"), day("2026-11-10"))
        );
        let end = NaiveDate::MAX;
        assert_eq!(Period::Day.neighbours(end), (end.pred_opt().unwrap(), end));
    }
}
