//! What Wellness reads: signals of bands and phones, CSV files, and what health apps export.
//!
//! What: [`signal`], one signal to its samples; [`SourceReading`], what any source says; a file for each format. Why: whatever the source,
//! a [`FeatureSample`] is judged by the range of its feature. Not here: walking folders (`shared`), what a sample changes (`model`).

mod account_archive;
mod accounts;
mod archive;
mod auto_export;
pub(super) mod csv;
mod database;
pub(super) mod exports;
mod fit;
mod gadgetbridge;
mod health;
mod health_connect;
mod health_connect_post;
mod health_post;
mod rmssd;
pub(super) mod tables;
#[cfg(test)]
pub(super) mod tests;
mod times;

pub use accounts::is_health_json;
pub use health_post::HealthPost;

use super::{
    code,
    model::{FeatureSample, WellnessFeature},
    sleep::SleepStretch,
};
use agents_base::shared::{SkipCode, WRONG_PAYLOAD};
use toolcall_schema::{
    Timestamp,
    ids::SecretKey,
    signal::{ActivityData, HrvData, Signal, SignalPayload},
};

/// What a source says.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum SourceReading {
    /// A measurement.
    Sample(FeatureSample),
    /// The heart rate at rest, as a band or a phone works it out for a day.
    Resting(RestingRate),
    /// A stretch of sleep; nights are made of them.
    Asleep(SleepStretch),
}

/// A plausible heart rate at rest. No score is made of it: memory keeps it, and a page shows it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct RestingRate {
    /// Beats a minute.
    pub(super) bpm: f64,
    pub(super) at: Timestamp,
}

impl RestingRate {
    /// # Errors
    /// [`code::RANGE`]: no heart rests at that rate.
    fn new(bpm: f64, at: Timestamp) -> Result<Self, SkipCode> {
        (20.0..=200.0)
            .contains(&bpm)
            .then_some(Self { bpm, at })
            .ok_or(code::RANGE)
    }
}

impl SourceReading {
    /// When it is known.
    fn at(&self) -> Timestamp {
        match self {
            Self::Sample(sample) => sample.at(),
            Self::Resting(rate) => rate.at,
            Self::Asleep(stretch) => stretch.until,
        }
    }
}

/// A sleep that an app adds up itself: so many minutes asleep before `until`. Of one app all files are one source.
fn counted_sleep(
    key: &SecretKey,
    app: &[u8],
    until: Timestamp,
    minutes: f64,
) -> Result<SleepStretch, SkipCode> {
    let plausible = FeatureSample::new(WellnessFeature::Asleep, minutes, until).is_some();
    #[expect(clippy::cast_possible_truncation, reason = "at most 1200 minutes")]
    let ms = plausible
        .then(|| (minutes * 60_000.0).round() as i64)
        .ok_or(code::RANGE)?;
    Ok(SleepStretch {
        from: until.plus_ms(-ms),
        until,
        source: SleepStretch::source(key, app),
        staged: false,
    })
}

/// What one signal says: samples, or of a health app's post a stretch of sleep; each plausible or a skip.
pub(super) fn signal(signal: &Signal) -> Vec<Result<SourceReading, SkipCode>> {
    let mut out = Vec::new();
    let told = match signal.payload() {
        Ok(SignalPayload::Hrv(hrv)) => {
            let resting = hrv.resting_bpm.map(|bpm| RestingRate::new(bpm, signal.at));
            out.extend(resting.map(|rate| rate.map(SourceReading::Resting)));
            let is_rate_alone = hrv.rr_ms.is_none() && hrv.rmssd_ms.is_none() && !out.is_empty();
            (!is_rate_alone)
                .then(|| (WellnessFeature::Rmssd, of_hrv(&hrv)))
                .into_iter()
                .collect()
        }
        Ok(SignalPayload::Sleep(sleep)) => match health_post::stretch_of(signal, &sleep) {
            Some(stretch) if stretch.plausible() => return vec![Ok(SourceReading::Asleep(stretch))],
            Some(_) => return vec![Err(code::RANGE)],
            None => vec![(WellnessFeature::Asleep, Ok(f64::from(sleep.asleep_min)))],
        },
        Ok(SignalPayload::Activity(activity)) => of_activity(&activity),
        Ok(
            SignalPayload::Notification(_)
            | SignalPayload::Mail(_)
            | SignalPayload::Calendar(_)
            | SignalPayload::BankSms(_)
            | SignalPayload::Transaction(_)
            | SignalPayload::PhoneUnlock
            | SignalPayload::Location(_)
            | SignalPayload::Dnd(_),
        )
        | Err(_) => return vec![Err(WRONG_PAYLOAD)],
    };
    out.extend(told.into_iter().map(|(feature, value)| {
        let sample = FeatureSample::new(feature, value?, signal.at).ok_or(code::RANGE)?;
        Ok(SourceReading::Sample(sample))
    }));
    if out.is_empty() {
        out.push(Err(code::NO_VALUE));
    }
    out
}

/// RR intervals are believed before an RMSSD that some other program made of them: only here artefacts are seen.
fn of_hrv(hrv: &HrvData) -> Result<f64, SkipCode> {
    match &hrv.rr_ms {
        Some(intervals) => rmssd::rmssd(intervals).ok_or(code::NO_VALUE),
        None => hrv.rmssd_ms.ok_or(code::NO_VALUE),
    }
}

fn of_activity(activity: &ActivityData) -> Vec<(WellnessFeature, Result<f64, SkipCode>)> {
    [
        (WellnessFeature::TypingEntropy, activity.typing_entropy),
        (WellnessFeature::AppSwitchRate, activity.app_switch_rate),
        (WellnessFeature::DismissRate, activity.notif_dismiss_rate),
        (WellnessFeature::ScreenOn, activity.screen_on_min),
    ]
    .into_iter()
    .filter_map(|(feature, value)| Some((feature, Ok(value?))))
    .collect()
}
