//! RMSSD from RR intervals.
//!
//! What: [`rmssd`], the root mean square of successive differences after artefacts were taken out. Why: one missed beat
//! in a window doubles the figure. Not here: what an RMSSD means for the owner (`model`).

/// Intervals outside of these milliseconds (200 to 30 beats a minute) are no heartbeats.
const INTERVAL_MS: std::ops::RangeInclusive<f64> = 300.0..=2000.0;
/// An interval that differs from the last kept one by more than this share of it is an artefact.
const JUMP: f64 = 0.2;
/// Differences below which nothing is said.
const MIN_DIFFERENCES: u32 = 20;

/// RMSSD in milliseconds: `sqrt(mean((rr[i] - rr[i-1])^2))` over the neighbours that both stayed.
///
/// An interval is dropped when it is outside 300 to 2000 ms, or differs from the last kept one by more than 20 %.
/// `None` when fewer than 20 differences stay, as of a band off the wrist.
pub(super) fn rmssd(rr_ms: &[f64]) -> Option<f64> {
    let mut kept: Option<f64> = None;
    let mut neighbour = false;
    let (mut squares, mut differences) = (0.0, 0_u32);
    for rr in rr_ms {
        let stays = INTERVAL_MS.contains(rr) && kept.is_none_or(|last| (rr - last).abs() <= JUMP * last);
        if stays {
            if let (Some(last), true) = (kept, neighbour) {
                squares += (rr - last) * (rr - last);
                differences += 1;
            }
            kept = Some(*rr);
        }
        neighbour = stays;
    }
    (differences >= MIN_DIFFERENCES).then(|| (squares / f64::from(differences)).sqrt())
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
            ("off the wrist", vec![0.0; 100], None),
            ("nothing", Vec::new(), None),
        ] {
            match (rmssd(&rr), expected) {
                (Some(got), Some(want)) => assert!((got - want).abs() < 1e-9, "{name}: {got} {want}"),
                (got, want) => assert_eq!(got, want, "{name}"),
            }
        }
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
