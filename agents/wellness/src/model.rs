//! What Wellness computes: the newest samples, the load score, the owner's condition, how sure it is.
//!
//! What: [`FeatureSample`]s by [`WellnessFeature`], [`load_score`], [`ConditionSince`], [`ScoreHistory`]. Why: formulas checkable by hand, free of
//! clocks and files. Not here: reading (`sources`), what is usual for the owner (`baseline`), nights (`sleep`), what to propose (`tick`). Left to
//! later issues: a learned score, calibration against what the owner says.

use agents_base::contract::OwnerProfile;
use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    f64::consts::TAU,
    ops::RangeInclusive,
};
use toolcall_schema::{
    Timestamp, WellnessState,
    catalogue::wellness::{FeatureName, LOAD_BASE, LoadFeatures},
    forget::{ErasureScope, MeasuredKind},
    milli::Milli,
};

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum WellnessFeature {
    /// RMSSD, milliseconds.
    Rmssd,
    /// Minutes asleep last night.
    Asleep,
    /// Bits over 60 s.
    TypingEntropy,
    /// Switches of program in 60 s.
    AppSwitchRate,
    /// Share of notifications dismissed in 60 min.
    DismissRate,
    /// Minutes of screen in 60 min.
    ScreenOn,
}

impl WellnessFeature {
    /// Its name on the wire.
    fn name(self) -> FeatureName {
        match self {
            WellnessFeature::Rmssd => FeatureName::RmssdMs,
            WellnessFeature::Asleep => FeatureName::AsleepMin,
            WellnessFeature::TypingEntropy => FeatureName::TypingEntropy,
            WellnessFeature::AppSwitchRate => FeatureName::AppSwitchRate,
            WellnessFeature::DismissRate => FeatureName::NotifDismissRate,
            WellnessFeature::ScreenOn => FeatureName::ScreenOnMin,
        }
    }

    /// The feature of a CSV column.
    pub(super) fn of_column(name: &str) -> Option<Self> {
        match name {
            "rmssd_ms" => Some(WellnessFeature::Rmssd),
            "asleep_min" => Some(WellnessFeature::Asleep),
            "typing_entropy" => Some(WellnessFeature::TypingEntropy),
            "app_switch_rate" => Some(WellnessFeature::AppSwitchRate),
            "notif_dismiss_rate" => Some(WellnessFeature::DismissRate),
            "screen_on_min" => Some(WellnessFeature::ScreenOn),
            _ => None,
        }
    }

    /// What is plausible. A night of 0 minutes is a band that was not worn.
    fn plausible(self) -> RangeInclusive<f64> {
        match self {
            WellnessFeature::Rmssd => 3.0..=250.0,
            WellnessFeature::Asleep => 1.0..=1200.0,
            WellnessFeature::TypingEntropy => 0.0..=8.0,
            WellnessFeature::AppSwitchRate => 0.0..=120.0,
            WellnessFeature::DismissRate => 0.0..=1.0,
            WellnessFeature::ScreenOn => 0.0..=60.0,
        }
    }

    /// The kind that the owner forgets it by.
    fn kind(self) -> MeasuredKind {
        match self {
            WellnessFeature::Rmssd => MeasuredKind::HeartRateVariability,
            WellnessFeature::Asleep => MeasuredKind::Sleep,
            WellnessFeature::TypingEntropy
            | WellnessFeature::AppSwitchRate
            | WellnessFeature::DismissRate
            | WellnessFeature::ScreenOn => MeasuredKind::PhoneUse,
        }
    }

    /// How many minutes a sample counts; older is as good as missing.
    fn fresh_min(self) -> i64 {
        match self {
            WellnessFeature::Rmssd => 15,
            WellnessFeature::Asleep => 20 * 60,
            WellnessFeature::TypingEntropy
            | WellnessFeature::AppSwitchRate
            | WellnessFeature::DismissRate
            | WellnessFeature::ScreenOn => 60,
        }
    }
}

/// One plausible measurement.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct FeatureSample {
    feature: WellnessFeature,
    value: f64,
    at: Timestamp,
}

impl FeatureSample {
    /// A sample, unless its value is out of the feature's plausible range (or not a number).
    pub(super) fn new(feature: WellnessFeature, value: f64, at: Timestamp) -> Option<Self> {
        feature
            .plausible()
            .contains(&value)
            .then_some(Self { feature, value, at })
    }

    /// The kind that the owner forgets it by.
    pub(super) fn kind(&self) -> MeasuredKind {
        self.feature.kind()
    }

    /// When it was measured.
    pub(super) fn at(&self) -> Timestamp {
        self.at
    }

    /// The value of an RMSSD.
    pub(super) fn rmssd(&self) -> Option<f64> {
        (self.feature == WellnessFeature::Rmssd).then_some(self.value)
    }

    /// The minutes of a sleep.
    pub(super) fn sleep_min(&self) -> Option<f64> {
        (self.feature == WellnessFeature::Asleep).then_some(self.value)
    }
}

/// Ends of sleep at most so far apart, in milliseconds, are of one night.
const NIGHT_MS: i64 = 12 * 3_600_000;

/// The newest sample of each feature.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct NewestSamples(BTreeMap<WellnessFeature, (f64, Timestamp)>);

/// What a sample was to [`NewestSamples::take`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SampleOutcome {
    /// The newest of its feature, and it counts at this instant.
    Fresh,
    /// The newest of its feature, but too old to count.
    Stale,
    /// Not newer than what is known.
    Known,
}

impl NewestSamples {
    /// Removes the samples to be forgotten.
    pub(super) fn forget(&mut self, what: &ErasureScope) {
        self.0.retain(|_, (_, at)| !what.covers_time(*at));
    }

    /// Removes everything of a kind.
    pub(super) fn forget_kind(&mut self, kind: MeasuredKind) {
        self.0.retain(|feature, _| feature.kind() != kind);
    }

    /// When the newest sample of a kind was measured.
    pub(super) fn newest_of(&self, kind: MeasuredKind) -> Option<Timestamp> {
        let of_kind = self.0.iter().filter(|(feature, _)| feature.kind() == kind);
        of_kind.map(|(_, (_, at))| *at).max()
    }

    /// Takes a sample in when it is newer than the one that is known.
    pub(super) fn take(&mut self, sample: FeatureSample, at: Timestamp) -> SampleOutcome {
        if self
            .0
            .get(&sample.feature)
            .is_some_and(|(_, known)| *known >= sample.at)
        {
            return SampleOutcome::Known;
        }
        self.put(sample, at)
    }

    fn put(&mut self, sample: FeatureSample, at: Timestamp) -> SampleOutcome {
        self.0.insert(sample.feature, (sample.value, sample.at));
        if self.fresh(sample.feature, at).is_some() {
            SampleOutcome::Fresh
        } else {
            SampleOutcome::Stale
        }
    }

    /// Takes the last sleep in, made of stretches: it grows while they are read, so it stands for what is known of the same night
    /// (12 hours before or after).
    pub(super) fn take_night(&mut self, minutes: f64, end: Timestamp, at: Timestamp) -> SampleOutcome {
        let Some(night) = FeatureSample::new(
            WellnessFeature::Asleep,
            minutes.min(*WellnessFeature::Asleep.plausible().end()),
            end,
        ) else {
            return SampleOutcome::Known;
        };
        match self.0.get(&WellnessFeature::Asleep) {
            Some(known) if *known == (night.value, night.at) => SampleOutcome::Known,
            Some((_, known)) if known.since(end) > NIGHT_MS => SampleOutcome::Known,
            Some(_) | None => self.put(night, at),
        }
    }

    /// The value of a feature that counts at this instant.
    pub(super) fn fresh(&self, feature: WellnessFeature, at: Timestamp) -> Option<f64> {
        self.0
            .get(&feature)
            .filter(|(_, measured)| at.since(*measured) <= feature.fresh_min() * 60_000)
            .map(|(value, _)| *value)
    }

    /// Given measurements as if they were made at `at`; those that are not plausible are left out.
    pub(super) fn from_given(features: &LoadFeatures, at: Timestamp) -> Self {
        let given = [
            (WellnessFeature::Rmssd, features.rmssd_ms),
            (WellnessFeature::Asleep, features.asleep_min),
            (WellnessFeature::TypingEntropy, features.typing_entropy),
            (WellnessFeature::AppSwitchRate, features.app_switch_rate),
            (WellnessFeature::DismissRate, features.notif_dismiss_rate),
            (WellnessFeature::ScreenOn, features.screen_on_min),
        ];
        let values = given
            .into_iter()
            .filter_map(|(feature, value)| Some((feature, (value?, at))));
        Self(values.collect()).plausible()
    }

    /// Whether any measurement counts at this instant.
    pub(super) fn any_fresh(&self, at: Timestamp) -> bool {
        self.0.keys().any(|feature| self.fresh(*feature, at).is_some())
    }

    /// The same without values that no source could have given (of a state that was tampered with).
    pub(super) fn plausible(mut self) -> Self {
        self.0
            .retain(|feature, (value, _)| feature.plausible().contains(value));
        self
    }
}

/// The owner's median and 10th percentile of RMSSD in milliseconds; those of a population when not sensible.
pub(super) fn baseline(owner: &OwnerProfile) -> (f64, f64) {
    let (p50, p10) = owner.rmssd_p50_p10;
    if p50.is_finite() && p10.is_finite() {
        (p50, p10)
    } else {
        (42.0, 24.0)
    }
}

/// How far an RMSSD is from the owner's median: `(rmssd - p50) / max(1, p50 - p10)`.
pub(super) fn rmssd_z(rmssd_ms: f64, owner: &OwnerProfile) -> f64 {
    let (p50, p10) = baseline(owner);
    (rmssd_ms - p50) / (p50 - p10).max(1.0)
}

/// Minutes of sleep missing: `max(0, target - asleep)`.
pub(super) fn sleep_debt_min(asleep_min: f64, owner: &OwnerProfile) -> f64 {
    (f64::from(owner.sleep_target_min) - asleep_min).max(0.0)
}

/// The load score, 0 to 100; at most 70 without an RMSSD. `hour` is the local hour with its minutes as fraction.
///
/// ```text
/// 38 - 16 z + 0.06 debt + 4.5 (entropy - 3) + 1.6 max(0, switches - 6) + 12 max(0, dismissed - 0.3)
///    + 0.15 max(0, screen - 20) + 4 max(0, cos(2 pi hour / 24))
/// ```
///
/// rounded half away from zero. What is missing adds nothing. The last term is evening and night: the cosine is 1 at
/// midnight.
pub(super) fn load_score(newest: &NewestSamples, at: Timestamp, hour: f64, owner: &OwnerProfile) -> u8 {
    let measured = terms(newest, at, owner)
        .into_iter()
        .fold(LOAD_BASE, |sum, (_, points)| sum + points);
    let sum = measured + 4.0 * (TAU * hour / 24.0).cos().max(0.0);
    let has_rmssd = newest.fresh(WellnessFeature::Rmssd, at).is_some();
    let ceiling = if has_rmssd { 100.0 } else { 70.0 };
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clamped to 0 to 100 just before"
    )]
    let score = sum.clamp(0.0, ceiling).round() as u8;
    score
}

/// The points of each measurement in [`load_score`]; 0 for what is missing.
fn terms(newest: &NewestSamples, at: Timestamp, owner: &OwnerProfile) -> [(WellnessFeature, f64); 6] {
    let fresh = |feature| newest.fresh(feature, at);
    let above = |feature, default: f64, from: f64| (fresh(feature).unwrap_or(default) - from).max(0.0);
    let z = fresh(WellnessFeature::Rmssd).map_or(0.0, |rmssd| rmssd_z(rmssd, owner));
    let debt = fresh(WellnessFeature::Asleep).map_or(0.0, |asleep| sleep_debt_min(asleep, owner));
    let entropy = fresh(WellnessFeature::TypingEntropy).unwrap_or(3.0);
    [
        (WellnessFeature::Rmssd, -16.0 * z),
        (WellnessFeature::Asleep, 0.06 * debt),
        (WellnessFeature::TypingEntropy, 4.5 * (entropy - 3.0)),
        (
            WellnessFeature::AppSwitchRate,
            1.6 * above(WellnessFeature::AppSwitchRate, 4.0, 6.0),
        ),
        (
            WellnessFeature::DismissRate,
            12.0 * above(WellnessFeature::DismissRate, 0.3, 0.3),
        ),
        (
            WellnessFeature::ScreenOn,
            0.15 * above(WellnessFeature::ScreenOn, 20.0, 20.0),
        ),
    ]
}

/// The measurements that move the score, the strongest first, of equals in the order of the formula: name, points, and
/// share of the sum of all points without their signs.
pub(super) fn drivers(
    newest: &NewestSamples,
    at: Timestamp,
    owner: &OwnerProfile,
) -> Vec<(FeatureName, f64, f64)> {
    let mut moving = terms(newest, at, owner).to_vec();
    moving.retain(|(_, points)| points.abs() > 0.0);
    moving.sort_by(|(_, a), (_, b)| b.abs().total_cmp(&a.abs()));
    let all: f64 = moving.iter().map(|(_, points)| points.abs()).sum();
    let named = moving
        .into_iter()
        .map(|(feature, points)| (feature.name(), points, points.abs() / all));
    named.collect()
}

/// From this score on the owner is stressed.
pub(super) const STRESSED_FROM: u8 = 70;
/// Stress ends below this score.
const STRESSED_UNTIL: u8 = 65;
/// Recovery begins below this score.
pub(super) const RECOVERING_BELOW: u8 = 60;
/// and at least this far below the recent peak.
pub(super) const DROP_MIN: u8 = 10;
/// Scores that make the recent past, the newest included.
const RECENT: usize = 6;
/// Scores there must be before a recovery is believed.
const RECENT_MIN: usize = 4;
/// How long a recovery lasts, in minutes.
const RECOVERY_MIN: i64 = 60;

/// The owner's condition. `FOCUSED` is put on top by the orchestrator, `UNKNOWN` is the absence of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum OwnerCondition {
    Baseline,
    Stressed,
    Recovering,
}

impl From<OwnerCondition> for WellnessState {
    fn from(condition: OwnerCondition) -> Self {
        match condition {
            OwnerCondition::Baseline => WellnessState::Baseline,
            OwnerCondition::Stressed => WellnessState::Stressed,
            OwnerCondition::Recovering => WellnessState::Recovering,
        }
    }
}

/// A condition and when it was entered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ConditionSince {
    pub(super) condition: OwnerCondition,
    pub(super) entered_at: Timestamp,
}

impl ConditionSince {
    /// The same at a later instant: a recovery is over 60 minutes after it was entered.
    pub(super) fn at(self, at: Timestamp) -> Self {
        let over = self.entered_at.plus_min(RECOVERY_MIN);
        if self.condition == OwnerCondition::Recovering && at >= over {
            Self {
                condition: OwnerCondition::Baseline,
                entered_at: over,
            }
        } else {
            self
        }
    }
}

/// Whether a score is that of a recovery, after `count` recent scores with that highest one.
fn is_recovery(count: usize, peak: Option<u8>, score: u8) -> bool {
    count >= RECENT_MIN
        && score < RECOVERING_BELOW
        && peak.is_some_and(|peak| peak >= STRESSED_FROM && peak.saturating_sub(score) >= DROP_MIN)
}

/// Of scores, oldest first: whether they have come down, the newest, and how far it is below the highest of the last 6.
/// `None` without scores.
pub(super) fn recovery(scores: &[u8]) -> Option<(bool, u8, u8)> {
    let newest = *scores.last()?;
    let recent = scores.get(scores.len().saturating_sub(RECENT)..)?;
    let peak = recent.iter().copied().max();
    let drop = peak.unwrap_or(newest).saturating_sub(newest);
    Some((is_recovery(recent.len(), peak, newest), newest, drop))
}

/// Scores that are kept.
const MAX_SCORES: usize = 96;
/// Days that are remembered to have had data.
const MAX_DAYS: usize = 32;

/// The scores so far and what they mean.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ScoreHistory {
    /// Oldest first, at most 96.
    scores: VecDeque<(Timestamp, u8)>,
    /// Local days with a score, or with an RMSSD of a baseline that counts; the newest 32.
    days: BTreeSet<NaiveDate>,
    standing: Option<ConditionSince>,
    /// When a recovery was entered last: a peak from before it gives no second one.
    recovered_at: Option<Timestamp>,
}

impl ScoreHistory {
    /// Removes the scores to be forgotten and what followed from them. A running recovery is no score and stays.
    pub(super) fn forget(&mut self, what: &ErasureScope) {
        self.scores.retain(|(at, _)| !what.covers_time(*at));
        let spoils = |day: NaiveDate| {
            let noon = day
                .and_hms_opt(12, 0, 0)
                .map(|noon| Timestamp::from(noon.and_utc()));
            noon.is_some_and(|noon| what.covers_time(noon))
        };
        self.days.retain(|day| !spoils(*day));
        let running = |standing: &ConditionSince| standing.condition == OwnerCondition::Recovering;
        self.standing = self
            .standing
            .filter(|standing| running(standing) || !what.covers_time(standing.entered_at));
        self.recovered_at = self.recovered_at.filter(|at| !what.covers_time(*at));
    }

    /// Removes all scores and what followed from them. A running recovery is no score and stays.
    pub(super) fn forget_scores(&mut self) {
        self.scores.clear();
        self.days.clear();
        self.recovered_at = None;
        let running = |standing: &ConditionSince| standing.condition == OwnerCondition::Recovering;
        self.standing = self.standing.filter(running);
    }

    /// Adds a score and gives the condition that follows.
    ///
    /// STRESSED from 70 on until below 65. RECOVERING when the score is below 60 and at least 10 below the highest of
    /// the last 6 scores, which is 70 or more and newer than the last recovery; there must be 4 scores. It lasts 60
    /// minutes from entry, or until STRESSED. Else BASELINE.
    pub(super) fn add(&mut self, score: u8, at: Timestamp, day: NaiveDate) -> ConditionSince {
        self.scores.push_back((at, score));
        self.scores.drain(..self.scores.len().saturating_sub(MAX_SCORES));
        self.add_days([day]);
        let before = self.standing.map(|standing| standing.at(at));
        let was = |condition| before.is_some_and(|standing| standing.condition == condition);
        let condition =
            if score >= STRESSED_FROM || (was(OwnerCondition::Stressed) && score >= STRESSED_UNTIL) {
                OwnerCondition::Stressed
            } else if was(OwnerCondition::Recovering) || self.comes_down(score) {
                OwnerCondition::Recovering
            } else {
                OwnerCondition::Baseline
            };
        let entered_at = before
            .filter(|standing| standing.condition == condition)
            .map_or(at, |standing| standing.entered_at);
        if condition == OwnerCondition::Recovering {
            self.recovered_at = Some(entered_at);
        }
        let standing = ConditionSince {
            condition,
            entered_at,
        };
        self.standing = Some(standing);
        standing
    }

    /// Remembers days that had data.
    pub(super) fn add_days(&mut self, days: impl IntoIterator<Item = NaiveDate>) {
        self.days.extend(days);
        while self.days.len() > MAX_DAYS {
            self.days.pop_first();
        }
    }

    fn comes_down(&self, score: u8) -> bool {
        let peak = self
            .recent()
            .filter(|(at, _)| self.recovered_at.is_none_or(|recovered| *at > recovered))
            .map(|(_, score)| score)
            .max();
        is_recovery(self.recent().count(), peak, score)
    }

    /// The scores, oldest first.
    pub(super) fn scores(&self) -> Vec<u8> {
        self.scores.iter().map(|(_, score)| *score).collect()
    }

    fn recent(&self) -> impl Iterator<Item = (Timestamp, u8)> {
        self.scores.iter().rev().take(RECENT).copied()
    }

    /// The newest score and when it was computed.
    pub(super) fn newest(&self) -> Option<(Timestamp, u8)> {
        self.scores.back().copied()
    }

    /// How far the newest score is below the highest of the last 6.
    pub(super) fn drop(&self) -> u8 {
        let peak = self.recent().map(|(_, score)| score).max().unwrap_or(0);
        self.newest().map_or(0, |(_, score)| peak.saturating_sub(score))
    }

    /// The condition at an instant; `None` before the first score.
    pub(super) fn standing(&self, at: Timestamp) -> Option<ConditionSince> {
        self.standing.map(|standing| standing.at(at))
    }

    /// How sure a proposal can be, by days of data n: `min(0.85, 0.50 + 0.05 n)`; with less than 7 days and less than 7
    /// scores 0.40, or 0.65 when the signal is `strong`.
    pub(super) fn confidence(&self, strong: bool) -> Milli {
        let n = self.days.len();
        if n < 7 && self.scores.len() < 7 {
            Milli(if strong { 650 } else { 400 })
        } else {
            Milli(i64::try_from(n).map_or(850, |n| (500 + 50 * n).min(850)))
        }
    }

    /// The same within its limits (of a state that was tampered with).
    pub(super) fn bounded(mut self) -> Self {
        self.scores.drain(..self.scores.len().saturating_sub(MAX_SCORES));
        for (_, score) in &mut self.scores {
            *score = (*score).min(100);
        }
        self.add_days([]);
        self
    }
}
