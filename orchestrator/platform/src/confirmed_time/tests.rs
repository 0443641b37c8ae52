//! Clocks of a year, worked out by hand: what is confirmed when, and what may be erased.
//!
//! Days are counted from the start of the simulation, 2026-03-01 UTC; a look is written `(day, hour)`. Things are kept for 30 days.

use super::*;

const ZONE: Tz = Tz::UTC;
const KEEP_MS: i64 = 30 * DAY_MS;

fn at(day: i64, hour: i64) -> Timestamp {
    Timestamp::parse("2026-03-01T00:00:00Z")
        .unwrap()
        .plus_ms(day * DAY_MS + hour * HOUR_MS)
}

/// A laptop: its true time, what its clock is off, and since when it is on.
struct Laptop {
    now: Timestamp,
    off_ms: i64,
    boot: u32,
    booted: Timestamp,
    asleep_ms: i64,
    synchronised: bool,
    time: Option<ConfirmedTime>,
}

impl Laptop {
    fn new() -> Self {
        Self {
            now: at(0, 0),
            off_ms: 0,
            boot: 0,
            booted: at(0, 0),
            asleep_ms: 0,
            synchronised: false,
            time: None,
        }
    }

    fn boot(&mut self, when: Timestamp) {
        self.boot += 1;
        (self.now, self.booted, self.asleep_ms) = (when, when, 0);
        self.look(when);
    }

    fn look(&mut self, when: Timestamp) {
        self.now = when;
        let seen = self.evidence();
        let fresh = || ConfirmedTime::begin(&seen, None);
        // As it is kept on disk and read again.
        let kept = self.time.take().unwrap_or_else(fresh);
        let mut time: ConfirmedTime = serde_json::from_str(&serde_json::to_string(&kept).unwrap()).unwrap();
        time.observe(&seen, ZONE);
        self.time = Some(time);
    }

    fn evidence(&self) -> ClockEvidence {
        let total_ms = self.now.since(self.booted);
        ClockEvidence {
            wall: self.now.plus_ms(self.off_ms),
            synchronised: self.synchronised,
            uptime: Uptime {
                boot: self.boot.to_string(),
                total_ms,
                awake_ms: total_ms - self.asleep_ms,
            },
        }
    }

    /// A look each hour until then, that hour included.
    fn looks_until(&mut self, end: Timestamp) {
        while self.now < end {
            let next = self.now.plus_ms(HOUR_MS);
            self.look(next);
        }
    }

    fn sets_its_clock(&mut self, days_ahead: i64) {
        self.off_ms = days_ahead * DAY_MS;
    }

    fn confirmed(&self) -> Timestamp {
        self.time.as_ref().unwrap().confirmed()
    }

    fn waits(&self) -> Option<RetentionHold> {
        self.time.as_ref().unwrap().waits(self.now.plus_ms(self.off_ms))
    }

    fn erases(&self, dated: Timestamp) -> bool {
        let ageing = self.time.as_ref().unwrap().ageing();
        ageing.expired(KEEP_MS).contains(dated)
    }

    fn owner_confirms(&mut self) {
        let seen = self.evidence();
        self.time.as_mut().unwrap().confirm(&seen);
    }
}

#[test]
fn a_laptop_used_on_saturdays_without_network_ages_a_week_late() {
    let mut laptop = Laptop::new();
    for week in 0..=52 {
        laptop.boot(at(7 * week, 10));
        laptop.look(at(7 * week, 12));
        // The Saturday before is borne out by this one.
        let confirmed = at(7 * (week - 1).max(0), 10);
        assert_eq!(laptop.confirmed(), confirmed, "week {week}");
        let waits = (week > 0).then_some(RetentionHold::LaterDay);
        assert_eq!(laptop.waits(), waits, "week {week}");
    }
    // Day 364: confirmed is day 357, so what is older than day 327 10:00 goes.
    assert!(laptop.erases(at(327, 9)));
    assert!(!laptop.erases(at(327, 10)));
}

#[test]
fn a_laptop_used_on_saturdays_with_network_ages_at_once() {
    let mut laptop = Laptop::new();
    laptop.synchronised = true;
    for week in 0..=52 {
        laptop.boot(at(7 * week, 10));
        assert_eq!(
            (laptop.confirmed(), laptop.waits()),
            (at(7 * week, 10), None),
            "week {week}"
        );
    }
}

#[test]
fn two_looks_of_one_day_or_less_than_20_hours_apart_bear_nothing_out() {
    for (first, second, confirmed) in [
        // The same date; a later date 13 hours on; one 20 hours on.
        (at(3, 2), at(3, 23), false),
        (at(3, 12), at(4, 7), false),
        (at(3, 12), at(4, 8), true),
        // 30 days on, and more.
        (at(3, 0), at(33, 0), true),
        (at(3, 0), at(33, 1), false),
    ] {
        let mut laptop = Laptop::new();
        laptop.boot(at(0, 0));
        laptop.boot(first);
        // Day 3 bears day 0 out.
        assert_eq!(laptop.confirmed(), at(0, 0));
        laptop.boot(second);
        let expected = if confirmed { first } else { at(0, 0) };
        assert_eq!(laptop.confirmed(), expected, "{first} {second}");
    }
}

#[test]
fn ninety_days_off_without_network_wait_for_the_owner() {
    let mut laptop = Laptop::new();
    laptop.boot(at(0, 10));
    laptop.boot(at(1, 10));
    assert_eq!(laptop.confirmed(), at(0, 10));
    for day in 91..=100 {
        laptop.boot(at(day, 10));
        assert_eq!(
            (laptop.confirmed(), laptop.waits()),
            (at(0, 10), Some(RetentionHold::Ahead)),
            "day {day}"
        );
    }
    // What had expired by what was confirmed still goes, and nothing else.
    assert!(laptop.erases(at(-31, 10)));
    assert!(!laptop.erases(at(-30, 10)));
    laptop.owner_confirms();
    assert_eq!((laptop.confirmed(), laptop.waits()), (at(100, 10), None));
    assert!(laptop.erases(at(1, 10)));
    assert!(!laptop.erases(at(91, 10)));
}

#[test]
fn ninety_days_off_with_network_wait_for_an_hour_awake() {
    let mut laptop = Laptop::new();
    laptop.synchronised = true;
    laptop.boot(at(1, 10));
    laptop.boot(at(91, 10));
    assert_eq!(
        (laptop.confirmed(), laptop.waits()),
        (at(1, 10), Some(RetentionHold::Ahead))
    );
    // Half an hour of the first two was slept through.
    laptop.asleep_ms = 90 * MINUTE_MS;
    laptop.look(at(91, 12));
    assert_eq!(laptop.confirmed(), at(1, 10));
    laptop.look(at(91, 13));
    assert_eq!((laptop.confirmed(), laptop.waits()), (at(91, 13), None));
    // Another boot begins the hour again, and so does a clock that was set meanwhile.
    laptop.boot(at(191, 10));
    laptop.boot(at(191, 12));
    assert_eq!(laptop.confirmed(), at(91, 13));
    laptop.sets_its_clock(100);
    laptop.look(at(191, 14));
    assert_eq!(laptop.confirmed(), at(91, 13));
    laptop.look(at(191, 15));
    assert_eq!(laptop.confirmed(), at(291, 15));
}

/// Nothing of what is in order may be erased: `from` is the oldest of it that is younger than 30 days.
fn assert_nothing_young_goes(laptop: &Laptop, from: Timestamp, to: Timestamp) {
    let mut dated = from;
    while dated < to {
        assert!(!laptop.erases(dated), "{dated} goes, true time {}", laptop.now);
        dated = dated.plus_ms(6 * HOUR_MS);
    }
}

#[test]
fn a_clock_400_days_ahead_for_an_hour_erases_nothing() {
    let mut laptop = Laptop::new();
    laptop.boot(at(0, 0));
    laptop.looks_until(at(10, 5));
    // By dates alone: day 9 00:00 was borne out at day 10 00:00.
    assert_eq!(laptop.confirmed(), at(9, 0));
    laptop.sets_its_clock(400);
    laptop.look(at(10, 6));
    assert_eq!(
        (laptop.confirmed(), laptop.waits()),
        (at(9, 0), Some(RetentionHold::Ahead))
    );
    assert_nothing_young_goes(&laptop, at(-20, 6), at(500, 0));
    laptop.sets_its_clock(0);
    laptop.look(at(10, 7));
    assert_eq!((laptop.confirmed(), laptop.waits()), (at(9, 0), None));
    // Corrected at day 10 07:00, which day 11 03:00 bears out; from there each day at midnight, when the one before began.
    laptop.looks_until(at(11, 3));
    assert_eq!(laptop.confirmed(), at(10, 7));
    laptop.looks_until(at(13, 0));
    assert_eq!(laptop.confirmed(), at(12, 0));
    // What is dated day 410 ages from day 10 07:00: it goes when day 40 07:00 is over and borne out, at day 42 00:00.
    for (day, goes) in [(41, false), (42, true)] {
        laptop.looks_until(at(day, 0));
        assert_eq!(laptop.confirmed(), at(day - 1, 0));
        assert_eq!(laptop.erases(at(410, 6)), goes, "day {day}");
        assert_nothing_young_goes(&laptop, at(day - 30, 0), at(day, 0));
        assert!(!laptop.erases(at(409, 0)) && !laptop.erases(at(411, 0)));
    }
}

#[test]
fn a_start_with_a_clock_400_days_ahead_erases_nothing() {
    let mut laptop = Laptop::new();
    laptop.synchronised = true;
    laptop.boot(at(10, 0));
    laptop.synchronised = false;
    laptop.sets_its_clock(400);
    laptop.boot(at(10, 1));
    assert_eq!(
        (laptop.confirmed(), laptop.waits()),
        (at(10, 0), Some(RetentionHold::Ahead))
    );
    // What was written then is known from the journal, had the look not been kept.
    laptop.time.as_mut().unwrap().recorded(at(410, 2));
    laptop.synchronised = true;
    laptop.sets_its_clock(0);
    laptop.boot(at(10, 3));
    assert_eq!((laptop.confirmed(), laptop.waits()), (at(10, 3), None));
    assert_nothing_young_goes(&laptop, at(-20, 3), at(500, 0));
    laptop.boot(at(41, 0));
    laptop.look(at(41, 2));
    assert_eq!(laptop.confirmed(), at(41, 2));
    assert!(laptop.erases(at(410, 1)) && laptop.erases(at(410, 2)));
    assert!(!laptop.erases(at(11, 3)));
}

#[test]
fn a_clock_400_days_ahead_for_three_days_erases_nothing() {
    let mut laptop = Laptop::new();
    laptop.boot(at(0, 0));
    laptop.looks_until(at(10, 5));
    laptop.sets_its_clock(400);
    laptop.looks_until(at(13, 5));
    assert_eq!(
        (laptop.confirmed(), laptop.waits()),
        (at(9, 0), Some(RetentionHold::Ahead))
    );
    // Not by a later date, however often it is seen.
    laptop.boot(at(13, 6));
    assert_eq!(laptop.confirmed(), at(9, 0));
    laptop.sets_its_clock(0);
    laptop.boot(at(13, 7));
    assert_nothing_young_goes(&laptop, at(-17, 7), at(500, 0));
    laptop.looks_until(at(14, 3));
    assert_eq!((laptop.confirmed(), laptop.waits()), (at(13, 7), None));
    laptop.looks_until(at(44, 0));
    assert!(!laptop.erases(at(411, 0)));
    laptop.looks_until(at(45, 0));
    assert!(laptop.erases(at(410, 5)) && laptop.erases(at(413, 5)));
}

#[test]
fn a_clock_back_in_1970_erases_nothing_and_what_it_dated_ages_from_its_correction() {
    let mut laptop = Laptop::new();
    laptop.boot(at(0, 0));
    laptop.looks_until(at(10, 5));
    let wrong = Timestamp::from_ms(0).since(at(10, 6));
    laptop.off_ms = wrong;
    laptop.boot(at(10, 6));
    laptop.looks_until(at(11, 6));
    assert_eq!(
        (laptop.confirmed(), laptop.waits()),
        (at(9, 0), Some(RetentionHold::Behind))
    );
    let (first, last) = (Timestamp::from_ms(0), Timestamp::from_ms(DAY_MS));
    assert!(!laptop.erases(first) && !laptop.erases(last));
    assert_nothing_young_goes(&laptop, at(-20, 0), at(11, 0));
    // Expired by what is confirmed, day 9: it goes all the same.
    assert!(laptop.erases(at(-22, 0)));
    laptop.off_ms = 0;
    laptop.boot(at(11, 7));
    assert!(!laptop.erases(first) && !laptop.erases(last));
    // Borne out at day 12 03:00; gone after day 41 07:00 is borne out, which is at day 43 00:00.
    laptop.looks_until(at(12, 3));
    assert_eq!((laptop.confirmed(), laptop.waits()), (at(11, 7), None));
    laptop.looks_until(at(42, 0));
    assert!(!laptop.erases(first) && !laptop.erases(last));
    laptop.looks_until(at(43, 0));
    assert!(laptop.erases(first) && laptop.erases(last));
}

#[test]
fn a_jump_of_ten_days_within_one_boot_needs_twenty_hours_that_passed() {
    let mut laptop = Laptop::new();
    laptop.boot(at(0, 0));
    laptop.looks_until(at(5, 1));
    assert_eq!(laptop.confirmed(), at(4, 0));
    laptop.sets_its_clock(10);
    laptop.looks_until(at(5, 19));
    // The clock shows day 15, but since day 5 00:00, where it was right, less than 20 hours have passed.
    assert_eq!(
        (laptop.confirmed(), laptop.waits()),
        (at(4, 0), Some(RetentionHold::LaterDay))
    );
    // Day 5 is borne out by what the clock shows as day 15 20:00; that itself by its next day, 20 hours on.
    laptop.looks_until(at(5, 20));
    assert_eq!(laptop.confirmed(), at(5, 0));
    laptop.looks_until(at(6, 15));
    assert_eq!(laptop.confirmed(), at(5, 0));
    laptop.looks_until(at(6, 16));
    assert_eq!(laptop.confirmed(), at(15, 20));
}

#[test]
fn a_folder_that_began_with_a_wrong_clock_keeps_what_the_right_one_dates() {
    let mut laptop = Laptop::new();
    laptop.sets_its_clock(400);
    laptop.boot(at(0, 0));
    laptop.sets_its_clock(0);
    laptop.boot(at(1, 0));
    laptop.looks_until(at(3, 0));
    assert_eq!(
        (laptop.confirmed(), laptop.waits()),
        (at(400, 0), Some(RetentionHold::Behind))
    );
    assert_nothing_young_goes(&laptop, at(1, 0), at(3, 0));
    laptop.owner_confirms();
    assert_eq!((laptop.confirmed(), laptop.waits()), (at(3, 0), None));
    assert_nothing_young_goes(&laptop, at(1, 0), at(3, 0));
    assert!(!laptop.erases(at(400, 0)));
    laptop.looks_until(at(36, 0));
    assert!(laptop.erases(at(400, 0)));
}

#[test]
fn a_folder_of_an_earlier_aura_goes_on_from_its_journal_as_far_as_the_clock_agrees() {
    let mut laptop = Laptop::new();
    for (recorded, off_days, confirmed) in [
        (at(-1, 0), 0, at(-1, 0)),
        // The journal is right and the clock ahead; the journal is ahead and the clock right.
        (at(-1, 0), 400, at(-1, 0)),
        (at(400, 0), 0, at(0, 0)),
    ] {
        laptop.sets_its_clock(off_days);
        laptop.time = Some(ConfirmedTime::begin(&laptop.evidence(), Some(recorded)));
        assert_eq!(laptop.confirmed(), confirmed, "{recorded} {off_days}");
    }
}

#[test]
fn a_journal_that_rested_is_no_clock_that_was_behind() {
    let mut laptop = Laptop::new();
    laptop.boot(at(0, 0));
    laptop.owner_confirms();
    laptop.time.as_mut().unwrap().recorded(at(-40, 0));
    laptop.look(at(0, 1));
    assert!(laptop.erases(at(-40, 0)) && laptop.erases(at(-31, 0)));
}

#[test]
fn an_hour_more_is_kept_and_a_minute_more_is_not() {
    let mut laptop = Laptop::new();
    laptop.synchronised = true;
    laptop.boot(at(0, 0));
    let kept = laptop.time.clone().unwrap();
    for (minutes, worth) in [(1, false), (59, false), (60, true)] {
        laptop.time = Some(kept.clone());
        laptop.look(at(0, 0).plus_ms(minutes * MINUTE_MS));
        assert_eq!(
            laptop.time.as_ref().unwrap().is_worth_keeping(&kept),
            worth,
            "{minutes}"
        );
    }
}
