//! How old things are.
//!
//! What: [`AgeReference`], the moment up to which ages count and the dates that a wrong clock gave; [`ExpiredRanges`], the dates that were kept long
//! enough. Why: everything that removes by age asks here, so that no clock erases. Not here: which moment is borne out
//! (`aura_platform::confirmed_time`).

use std::ops::Range;
use toolcall_schema::Timestamp;

/// What ages are counted by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgeReference {
    /// The last moment that is borne out. Ages count up to it.
    pub now: Timestamp,
    /// Dates that do not say when something was written.
    pub misdated: Vec<MisdatedPeriod>,
}

/// What was written while the clock showed these dates is of another time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MisdatedPeriod {
    /// The first of these dates.
    pub from: Timestamp,
    /// The first date after them.
    pub to: Timestamp,
    /// When the clock was corrected: what has these dates ages from then. `None`: not yet, and it does not age.
    pub since: Option<Timestamp>,
}

impl AgeReference {
    /// By a clock that never was wrong.
    pub fn at(now: Timestamp) -> Self {
        Self {
            now,
            misdated: vec![],
        }
    }

    /// The dates of what has been kept for longer than so many milliseconds.
    pub fn expired(&self, keep_ms: i64) -> ExpiredRanges {
        let before = self.now.ms().saturating_sub(keep_ms);
        let (gone, kept): (Vec<_>, Vec<_>) = self
            .misdated
            .iter()
            .partition(|dates| dates.since.is_some_and(|since| since.ms() < before));
        let mut expired: Vec<Range<i64>> = std::iter::once(i64::MIN..before)
            .chain(gone.into_iter().map(MisdatedPeriod::range))
            .collect();
        for dates in kept.into_iter().map(MisdatedPeriod::range) {
            expired = expired
                .into_iter()
                .flat_map(|range| {
                    [
                        range.start..range.end.min(dates.start),
                        range.start.max(dates.end)..range.end,
                    ]
                })
                .filter(|range| range.start < range.end)
                .collect();
        }
        ExpiredRanges(expired)
    }
}

impl MisdatedPeriod {
    fn range(&self) -> Range<i64> {
        self.from.ms()..self.to.ms()
    }
}

/// The dates of what goes, as ranges of milliseconds since 1970. They may overlap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpiredRanges(Vec<Range<i64>>);

impl From<Timestamp> for ExpiredRanges {
    /// Everything before a moment.
    fn from(before: Timestamp) -> Self {
        Self(std::iter::once(i64::MIN..before.ms()).collect())
    }
}

impl ExpiredRanges {
    /// The ranges.
    pub fn ranges(&self) -> impl Iterator<Item = (i64, i64)> + '_ {
        self.0.iter().map(|range| (range.start, range.end))
    }

    /// The whole days (UTC) among them, as first day and first day after.
    pub(crate) fn days(&self) -> impl Iterator<Item = (String, String)> + '_ {
        let day = |ms: i64| Timestamp::from_ms(ms).utc().date_naive();
        self.ranges().map(move |(from, to)| {
            let first = match from.checked_sub(1) {
                Some(before) => day(before).succ_opt().unwrap_or_default().to_string(),
                None => String::new(),
            };
            (first, day(to).to_string())
        })
    }

    /// Whether a date is among them.
    pub fn contains(&self, at: Timestamp) -> bool {
        self.0.iter().any(|range| range.contains(&at.ms()))
    }

    /// Whether some dates of a span, its ends included, are among them.
    pub(crate) fn overlaps(&self, oldest: Timestamp, newest: Timestamp) -> bool {
        let mut ranges = self.0.iter();
        ranges.any(|range| range.start <= newest.ms() && oldest.ms() < range.end)
    }

    /// Whether all dates of a span, its ends included, are in one of them.
    pub(crate) fn covers(&self, oldest: Timestamp, newest: Timestamp) -> bool {
        let mut ranges = self.0.iter();
        ranges.any(|range| range.contains(&oldest.ms()) && range.contains(&newest.ms()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: i64 = 86_400_000;

    fn misdated(from: i64, to: i64, since: Option<i64>) -> MisdatedPeriod {
        let at = |day: i64| Timestamp::from_ms(day * DAY);
        MisdatedPeriod {
            from: at(from),
            to: at(to),
            since: since.map(at),
        }
    }

    #[test]
    fn what_a_wrong_clock_dated_ages_from_its_correction() {
        // Days since 1970; day 1000 is today, kept for 30 days: what is older than day 970 goes.
        for (misdated, expected) in [
            (vec![], vec![(i64::MIN, 970)]),
            // Dated ahead, corrected 29, 30 and 31 days ago.
            (vec![misdated(1400, 1401, Some(971))], vec![(i64::MIN, 970)]),
            (vec![misdated(1400, 1401, Some(970))], vec![(i64::MIN, 970)]),
            (
                vec![misdated(1400, 1401, Some(969))],
                vec![(i64::MIN, 970), (1400, 1401)],
            ),
            // In 1970, not corrected yet, corrected 10 and 31 days ago.
            (vec![misdated(0, 3, None)], vec![(i64::MIN, 0), (3, 970)]),
            (vec![misdated(0, 3, Some(990))], vec![(i64::MIN, 0), (3, 970)]),
            (vec![misdated(0, 3, Some(969))], vec![(i64::MIN, 970), (0, 3)]),
            // Across the border, and of two that overlap the one that is not to go wins.
            (vec![misdated(960, 980, Some(985))], vec![(i64::MIN, 960)]),
            (
                vec![misdated(100, 200, Some(900)), misdated(150, 300, None)],
                vec![(i64::MIN, 150), (300, 970), (100, 150)],
            ),
        ] {
            let ageing = AgeReference {
                now: Timestamp::from_ms(1000 * DAY),
                misdated,
            };
            let got: Vec<_> = ageing.expired(30 * DAY).ranges().collect();
            let ms = |day: i64| if day == i64::MIN { day } else { day * DAY };
            let expected: Vec<_> = expected
                .into_iter()
                .map(|(from, to)| (ms(from), ms(to)))
                .collect();
            assert_eq!(got, expected, "{ageing:?}");
        }
    }

    #[test]
    fn only_whole_days_go_where_days_are_counted() {
        let half = DAY / 2;
        let days = |from, to| {
            ExpiredRanges(std::iter::once(from..to).collect())
                .days()
                .collect::<Vec<_>>()
        };
        let text = |from: &str, to: &str| (from.to_owned(), to.to_owned());
        assert_eq!(days(i64::MIN, half), [text("", "1970-01-01")]);
        assert_eq!(days(i64::MIN, DAY), [text("", "1970-01-02")]);
        assert_eq!(days(DAY, 3 * DAY), [text("1970-01-02", "1970-01-04")]);
        assert_eq!(days(half, 3 * DAY + half), [text("1970-01-02", "1970-01-04")]);
    }

    #[test]
    fn a_file_goes_whole_where_one_range_has_all_its_dates() {
        let expired = ExpiredRanges(vec![0..10, 20..30]);
        let at = Timestamp::from_ms;
        for (oldest, newest, touches, covers) in [
            (0, 9, true, true),
            (9, 10, true, false),
            (10, 19, false, false),
            (19, 20, true, false),
            (5, 25, true, false),
            (20, 29, true, true),
            (30, 40, false, false),
        ] {
            assert_eq!(
                (
                    expired.overlaps(at(oldest), at(newest)),
                    expired.covers(at(oldest), at(newest))
                ),
                (touches, covers),
                "{oldest} to {newest}"
            );
        }
    }
}
