//! What Wellness's tools give back.
//!
//! What: [`started`], when a course, a nap or a break ends; [`load_score`], [`select`], [`correlation`], [`recovery`], the
//! figures that can be asked for. Why: a tool that waited would block its agent; the end is an effect that the supervisor
//! performs. Not here: ringing (the supervisor), the guidance itself (surfaces), the formulas (`model`).

use super::{
    model::{self, NewestSamples, ScoreHistory},
    tick::{self, InterventionQuery},
};
use agents_base::{contract::OwnerProfile, zone};
use toolcall_schema::{
    Timestamp,
    catalogue::{
        WellnessTool,
        wellness::{
            ComputeLoadScore, CorrelationCheck, CorrelationResult, CourseStarted, GuideBreathing,
            InterventionResult, InterventionSelect, LoadDriver, LoadScored, PermitLeisure, RecoveryCheck,
            RecoveryResult, StartNapTimer,
        },
    },
    milli::Milli,
    result::ToolErrorCode,
};

/// Drivers that a score names.
const MAX_DRIVERS: usize = 3;
/// Pairs below which ranks say nothing.
const MIN_PAIRS: usize = 3;
/// One round of breathing: in for 4 s, hold for 7 s, out for 8 s.
const ROUND_MS: i64 = 19_000;

/// When the course ends that the tool starts at `at`; `None` for the tools that start none.
pub(super) fn started(tool: &WellnessTool, at: Timestamp) -> Option<CourseStarted> {
    let ends_at = match tool {
        WellnessTool::GuideBreathing(GuideBreathing { cycles }) => at.plus_ms(i64::from(*cycles) * ROUND_MS),
        WellnessTool::StartNapTimer(StartNapTimer { duration_min }) => at.plus_min(i64::from(*duration_min)),
        WellnessTool::PermitLeisure(PermitLeisure { window_min }) => at.plus_min(i64::from(*window_min)),
        WellnessTool::Ingest(_)
        | WellnessTool::Tick(_)
        | WellnessTool::ComputeLoadScore(_)
        | WellnessTool::InterventionSelect(_)
        | WellnessTool::CorrelationCheck(_)
        | WellnessTool::RecoveryCheck(_) => return None,
    };
    Some(CourseStarted { ends_at })
}

/// The load score of given measurements, or of the newest that count at `at`.
///
/// # Errors
/// `not_enough_data` when none is given or counts, or when the owner's baseline makes the points larger than can be said.
pub(super) fn load_score(
    newest: &NewestSamples,
    owner: &OwnerProfile,
    args: &ComputeLoadScore,
    at: Timestamp,
) -> Result<LoadScored, ToolErrorCode> {
    let given = args
        .features
        .as_ref()
        .map(|features| NewestSamples::from_given(features, at));
    let newest = given.as_ref().unwrap_or(newest);
    if !newest.any_fresh(at) {
        return Err(ToolErrorCode::NotEnoughData);
    }
    let drivers = model::drivers(newest, at, owner).into_iter().take(MAX_DRIVERS);
    let drivers = drivers.map(|(feature, points, share)| {
        Some(LoadDriver {
            feature,
            points: Milli::from_f64(points)?,
            share: Milli::from_f64(share)?,
        })
    });
    Ok(LoadScored {
        load_score: model::load_score(newest, at, zone::local_hour(at, owner.zone), owner),
        drivers: drivers
            .collect::<Option<_>>()
            .ok_or(ToolErrorCode::NotEnoughData)?,
    })
}

/// The intervention that fits a score, by what was read of sleep and of the last scores.
pub(super) fn select(
    known: (&NewestSamples, &ScoreHistory, &OwnerProfile),
    args: &InterventionSelect,
    at: Timestamp,
) -> InterventionResult {
    let asked = InterventionQuery {
        score: args.score,
        channel: args.active_channel.is_some(),
        focus: args.in_focus,
        busy: args.in_meeting,
    };
    let best = tick::select(known, asked, at);
    InterventionResult {
        kind: best.map(|(kind, _)| kind),
        utility: best
            .and_then(|(_, utility)| Milli::from_f64(utility))
            .unwrap_or_default(),
    }
}

/// Spearman's rho: Pearson's correlation of the ranks, equal values with the mean of their ranks.
///
/// # Errors
/// `not_enough_data` with fewer than 3 pairs, or when one side does not vary.
pub(super) fn correlation(args: &CorrelationCheck) -> Result<CorrelationResult, ToolErrorCode> {
    let n = args.samples.len();
    let ranked = |side: fn(&[f64; 2]) -> f64| ranks(&args.samples.iter().map(side).collect::<Vec<_>>());
    let (x, y) = (ranked(|[x, _]| *x), ranked(|[_, y]| *y));
    let mean = f64::midpoint(1.0, n as f64);
    let sum = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| (a - mean) * (b - mean)).sum() };
    let spread = (sum(&x, &x) * sum(&y, &y)).sqrt();
    if n < MIN_PAIRS || spread <= 0.0 {
        return Err(ToolErrorCode::NotEnoughData);
    }
    let rho = (sum(&x, &y) / spread).clamp(-1.0, 1.0);
    Ok(CorrelationResult {
        rho: Milli::from_f64(rho).ok_or(ToolErrorCode::NotEnoughData)?,
        n: u32::try_from(n).unwrap_or(u32::MAX),
    })
}

/// The rank of each value from 1, equal values with the mean of theirs.
fn ranks(values: &[f64]) -> Vec<f64> {
    let rank = |value: &f64| {
        let below = values.iter().filter(|other| *other < value).count();
        let above = values.iter().filter(|other| *other > value).count();
        let equal = values.len() - below - above;
        below as f64 + f64::midpoint(1.0, equal as f64)
    };
    values.iter().map(rank).collect()
}

/// Whether given scores, or those that were computed, have come down from a peak.
///
/// # Errors
/// `not_enough_data` without a score.
pub(super) fn recovery(
    history: &ScoreHistory,
    args: &RecoveryCheck,
) -> Result<RecoveryResult, ToolErrorCode> {
    let scores = args.scores.clone().unwrap_or_else(|| history.scores());
    let (recovered, newest, drop) = model::recovery(&scores).ok_or(ToolErrorCode::NotEnoughData)?;
    Ok(RecoveryResult {
        recovered,
        newest,
        drop,
    })
}
