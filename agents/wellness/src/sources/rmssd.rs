//! RMSSD from RR intervals.
//!
//! What: [`BeatSums`], the root mean square of successive differences after artefacts were taken out, and [`RmssdWindows`] of 5
//! minutes of it. Why: one missed beat in a window doubles the figure. Not here: what an RMSSD means for the owner (`model`).
//!
//! Definition and length of a window: Task Force of the European Society of Cardiology and the North American Society of
//! Pacing and Electrophysiology, "Heart rate variability", Circulation 93 (1996), 1043-1065. The 20 % rule is the usual
//! filter for beats that are not normal ones.

use super::super::{
    code,
    model::{FeatureSample, WellnessFeature},
};
use agents_base::shared::SkipCode;
use toolcall_schema::Timestamp;

/// Intervals outside of these milliseconds (200 to 30 beats a minute) are no heartbeats.
const INTERVAL_MS: std::ops::RangeInclusive<f64> = 300.0..=2000.0;
/// An interval that differs from the last kept one by more than this share of it is an artefact.
const JUMP: f64 = 0.2;
/// So many refused intervals in a row, each within [`JUMP`] of the one before, are the heart's new pace: the kept one was the artefact.
const NEW_PACE: u32 = 3;
/// Differences below which nothing is said.
const MIN_DIFFERENCES: u32 = 20;
/// A mean interval below this (110 beats a minute) is exercise: its low RMSSD says nothing about stress.
const AT_REST_MS: f64 = 60_000.0 / 110.0;
/// A window, and how far beats may lie apart before something is missing between them.
const WINDOW_MS: i64 = 5 * 60_000;
const GAP_MS: i64 = 3_000;

/// The sums behind an RMSSD, beat by beat.
#[derive(Debug, Clone, Default)]
pub(super) struct BeatSums {
    /// The last kept interval.
    kept: Option<f64>,
    /// Whether it came just before.
    neighbour: bool,
    /// The last interval that could be one, and how many of those were refused in a row.
    last: Option<f64>,
    refused: u32,
    squares: f64,
    differences: u32,
    sum: f64,
    count: u32,
}

impl BeatSums {
    /// Takes the next interval, in milliseconds. It is dropped when it is outside 300 to 2000 ms, or differs from the last
    /// kept one by more than 20 %; of three in a row that agree with each other the third is kept.
    pub(super) fn beat(&mut self, rr: f64) {
        if !INTERVAL_MS.contains(&rr) {
            return self.gap();
        }
        let near = |to: Option<f64>| to.is_some_and(|to| (rr - to).abs() <= JUMP * to);
        let stays = self.kept.is_none() || near(self.kept);
        self.refused = match (stays, near(self.last)) {
            (true, _) => 0,
            (false, true) => self.refused + 1,
            (false, false) => 1,
        };
        self.last = Some(rr);
        if !stays && self.refused < NEW_PACE {
            self.neighbour = false;
            return;
        }
        if let (Some(kept), true) = (self.kept, self.neighbour) {
            self.squares += (rr - kept) * (rr - kept);
            self.differences += 1;
        }
        (self.kept, self.neighbour, self.refused) = (Some(rr), true, 0);
        self.sum += rr;
        self.count += 1;
    }

    /// Something is missing here: the next interval has no neighbour before it.
    pub(super) fn gap(&mut self) {
        self.neighbour = false;
    }

    /// `sqrt(mean((rr[i] - rr[i-1])^2))` over the neighbours that both stayed, in milliseconds. `None` when fewer than 20
    /// differences stayed, as of a band off the wrist, and above 110 beats a minute.
    pub(super) fn rmssd(&self) -> Option<f64> {
        let at_rest = self.sum >= AT_REST_MS * f64::from(self.count);
        (self.differences >= MIN_DIFFERENCES && at_rest)
            .then(|| (self.squares / f64::from(self.differences)).sqrt())
    }
}

/// RMSSD of a series without gaps, in milliseconds; see [`BeatSums`].
pub(super) fn rmssd(rr_ms: &[f64]) -> Option<f64> {
    let mut beats = BeatSums::default();
    for rr in rr_ms {
        beats.beat(*rr);
    }
    beats.rmssd()
}

/// A long series cut into windows of 5 minutes, which begin at full ones of the clock.
#[derive(Debug, Default)]
pub(super) struct RmssdWindows {
    beats: BeatSums,
    /// When the last beat was.
    last: Option<Timestamp>,
}

/// The end of a window: its last beat, and its RMSSD when it has one.
pub(super) type WindowEnd = (Timestamp, Option<f64>);

/// The sample of a window.
///
/// # Errors
/// The code of the skip: it has no value, or one that is not plausible.
pub(super) fn sample((at, value): WindowEnd) -> Result<FeatureSample, SkipCode> {
    FeatureSample::new(WellnessFeature::Rmssd, value.ok_or(code::NO_VALUE)?, at).ok_or(code::RANGE)
}

impl RmssdWindows {
    /// Takes an interval that ended at `at`. Gives the window before when this one opens another.
    pub(super) fn beat(&mut self, at: Timestamp, rr: f64) -> Option<WindowEnd> {
        let window = |at: Timestamp| at.ms().div_euclid(WINDOW_MS);
        let closed = match self.last {
            Some(last) if window(last) != window(at) => self.close(),
            Some(_) | None => None,
        };
        #[expect(
            clippy::cast_possible_truncation,
            reason = "saturates, and such an interval is dropped"
        )]
        let apart = rr as i64;
        if self
            .last
            .is_some_and(|last| !(0..=apart.saturating_add(GAP_MS)).contains(&at.since(last)))
        {
            self.beats.gap();
        }
        self.last = Some(at);
        self.beats.beat(rr);
        closed
    }

    /// Ends the window; `None` when there was no beat.
    pub(super) fn close(&mut self) -> Option<WindowEnd> {
        let beats = std::mem::take(&mut self.beats);
        self.last.take().map(|last| (last, beats.rmssd()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// 800, 810, 800, 810, …: every difference is 10 ms.
    fn steady(n: usize) -> Vec<f64> {
        (0..n).map(|i| if i % 2 == 0 { 800.0 } else { 810.0 }).collect()
    }

    fn with(at: usize, value: f64, mut rr: Vec<f64>) -> Vec<f64> {
        rr.insert(at, value);
        rr
    }

    #[test]
    fn agrees_with_series_worked_out_by_hand() {
        // 31 intervals whose differences alternate +25, -28: 15 of each, mean square (625 + 784) / 2 = 704.5.
        let morning: Vec<f64> = (0..31)
            .scan(864.0, |rr, i| {
                let now = *rr;
                *rr += if i % 2 == 0 { 25.0 } else { -28.0 };
                Some(now)
            })
            .collect();
        let after = |first: f64| with(0, first, steady(40));
        for (name, rr, expected) in [
            ("every difference 10", steady(21), Some(10.0)),
            ("19 differences are too few", steady(20), None),
            ("alternating +25 and -28", morning, Some(704.5_f64.sqrt())),
            // A missed beat of 1610 ms in the middle of 41 is dropped with both of its differences: 38 of 10 stay.
            ("a missed beat", with(20, 1610.0, steady(40)), Some(10.0)),
            ("an impossible beat", with(20, 250.0, steady(40)), Some(10.0)),
            ("not a number", with(20, f64::NAN, steady(40)), Some(10.0)),
            // 20 % of 800 is 160: 960 stays (difference 160), then 800 is 16.7 % below 960 and stays too. 40 intervals
            // 800, 810, … with 960 after the 21st (800): 20 tens, +160, 960 -> 810 = -150, 18 tens of 810, 800, …:
            // (38 * 100 + 160^2 + 150^2) / 40 = (3800 + 25600 + 22500) / 40 = 1297.5.
            (
                "a jump of exactly 20 %",
                with(21, 960.0, steady(40)),
                Some(1297.5_f64.sqrt()),
            ),
            ("a jump just above 20 %", with(21, 961.0, steady(40)), Some(10.0)),
            // The first interval is a missed beat: the third of the others is the heart's pace, and all from there count.
            ("a missed beat first", after(1600.0), Some(10.0)),
            ("half an interval first", after(400.0), Some(10.0)),
            // 500, 510, … is 119 a minute: exercise.
            ("exercise", steady(40).iter().map(|rr| rr - 300.0).collect(), None),
            ("off the wrist", vec![0.0; 100], None),
            ("nothing", Vec::new(), None),
        ] {
            match (rmssd(&rr), expected) {
                (Some(got), Some(want)) => assert!((got - want).abs() < 1e-9, "{name}: {got} {want}"),
                (got, want) => assert_eq!(got, want, "{name}"),
            }
        }
    }

    /// Numbers of a linear congruential generator, 0 to 1: the same in every run.
    fn noise(seed: u64) -> impl FnMut() -> f64 {
        let mut state = seed;
        move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f64 / f64::from(1_u32 << 24)
        }
    }

    /// 300 beats at 70 a minute with breathing and noise, and the same with `wrong` of 300 missed (two intervals as one) or
    /// early (one 35 % short, the next as much longer).
    fn night(seed: u64, wrong: f64) -> (Vec<f64>, Vec<f64>) {
        let mut random = noise(seed);
        let clean: Vec<f64> = (0..300)
            .map(|i| 857.0 + 40.0 * (f64::from(i) / 4.5).sin() + 40.0 * (random() - 0.5))
            .collect();
        let mut dirty = Vec::new();
        let mut beats = clean.iter().copied().peekable();
        while let Some(rr) = beats.next() {
            let event = random();
            match beats.peek().copied() {
                Some(next) if event < wrong / 600.0 => {
                    dirty.push(rr + next);
                    beats.next();
                }
                Some(next) if event < wrong / 300.0 => {
                    dirty.extend([rr * 0.65, next + rr * 0.35]);
                    beats.next();
                }
                Some(_) | None => dirty.push(rr),
            }
        }
        (clean, dirty)
    }

    /// Without any rejection.
    fn plain(rr: &[f64]) -> f64 {
        let squares: f64 = rr.windows(2).map(|w| (w[1] - w[0]).powi(2)).sum();
        (squares / (rr.len() - 1) as f64).sqrt()
    }

    #[test]
    fn stays_within_a_tenth_when_one_beat_in_twenty_is_missed_or_early() {
        for seed in 0..100 {
            let (clean, dirty) = night(seed, 15.0);
            let truth = plain(&clean);
            assert!(
                (rmssd(&clean).unwrap() - truth).abs() < 1e-9,
                "{seed}: nothing clean is taken out"
            );
            let found = rmssd(&dirty).unwrap();
            assert!((found / truth - 1.0).abs() < 0.1, "{seed}: {found} for {truth}");
            assert!(
                plain(&dirty) > 1.5 * truth,
                "{seed}: and without rejection it is far off"
            );
        }
    }

    #[test]
    fn a_long_series_is_cut_at_full_five_minutes_and_at_gaps() {
        // A beat a second from 23:58 on: 120 beats, then from 00:00 on 60, a minute of nothing, 20 more; all 1000 and 1010.
        let start = 86_400_000 - 120_000;
        let times = (0..180).chain(240..260).map(|s| start + s * 1000);
        let mut windows = RmssdWindows::default();
        let mut closed = Vec::new();
        for (i, ms) in times.enumerate() {
            // Across the gap the interval is another one: counted, it would be a difference of 100.
            let rr = 1000.0 + 10.0 * (i % 2) as f64 + if i >= 180 { 90.0 } else { 0.0 };
            closed.extend(windows.beat(Timestamp::from_ms(ms), rr));
        }
        closed.extend(windows.close());
        assert_eq!(
            closed,
            [
                (Timestamp::from_ms(86_400_000 - 1000), Some(10.0)),
                (Timestamp::from_ms(start + 259_000), Some(10.0)),
            ]
        );
        assert_eq!(windows.close(), None);
    }

    proptest! {
        #[test]
        fn is_never_negative_infinite_or_not_a_number(rr in proptest::collection::vec(any::<f64>(), 0..200)) {
            if let Some(value) = rmssd(&rr) {
                prop_assert!(value.is_finite() && value >= 0.0);
            }
        }

        #[test]
        fn beats_that_cannot_be_do_not_change_it(
            rr in proptest::collection::vec(600.0..700.0, 60..80),
            bad in prop_oneof![Just(0.0), Just(2500.0), Just(f64::NAN), -500.0..299.0],
        ) {
            // Put at the end, it takes no difference of two good beats away.
            let before = rmssd(&rr);
            prop_assert_eq!(rmssd(&with(rr.len(), bad, rr.clone())), before);
        }
    }
}
