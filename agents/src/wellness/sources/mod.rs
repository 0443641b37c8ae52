//! What Wellness reads: signals of bands and phones, CSV files, and what health apps export.
//!
//! What: [`signal`], one signal to its samples; [`Told`], what any source says; a file for each format. Why: whatever the source,
//! a [`Sample`] is judged by the range of its feature. Not here: walking folders (`shared`), what a sample changes (`model`).

pub(super) mod csv;
pub(super) mod exports;
mod fit;
mod gadgetbridge;
mod health;
mod rmssd;
#[cfg(test)]
pub(super) mod tests;
mod times;
mod zipped;

use super::{
    code,
    model::{Feature, Sample},
    sleep::Stretch,
};
use crate::shared::{SkipCode, WRONG_PAYLOAD};
use toolcall_schema::{
    Timestamp,
    signal::{ActivityData, HrvData, Signal, SignalPayload},
};

/// What a source says.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Told {
    /// A measurement.
    Sample(Sample),
    /// A stretch of sleep; nights are made of them.
    Asleep(Stretch),
}

impl Told {
    /// When it is known.
    fn at(&self) -> Timestamp {
        match self {
            Self::Sample(sample) => sample.at(),
            Self::Asleep(stretch) => stretch.until,
        }
    }
}

/// The samples of one signal, each plausible or a skip.
pub(super) fn signal(signal: &Signal) -> Vec<Result<Sample, SkipCode>> {
    let told = match signal.payload() {
        Ok(SignalPayload::Hrv(hrv)) => vec![(Feature::Rmssd, of_hrv(&hrv))],
        Ok(SignalPayload::Sleep(sleep)) => vec![(Feature::Asleep, Ok(f64::from(sleep.asleep_min)))],
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
    if told.is_empty() {
        return vec![Err(code::NO_VALUE)];
    }
    told.into_iter()
        .map(|(feature, value)| Sample::new(feature, value?, signal.at).ok_or(code::RANGE))
        .collect()
}

/// RR intervals are believed before an RMSSD that some other program made of them: only here artefacts are seen.
fn of_hrv(hrv: &HrvData) -> Result<f64, SkipCode> {
    match &hrv.rr_ms {
        Some(intervals) => rmssd::rmssd(intervals).ok_or(code::NO_VALUE),
        None => hrv.rmssd_ms.ok_or(code::NO_VALUE),
    }
}

fn of_activity(activity: &ActivityData) -> Vec<(Feature, Result<f64, SkipCode>)> {
    [
        (Feature::TypingEntropy, activity.typing_entropy),
        (Feature::AppSwitchRate, activity.app_switch_rate),
        (Feature::DismissRate, activity.notif_dismiss_rate),
        (Feature::ScreenOn, activity.screen_on_min),
    ]
    .into_iter()
    .filter_map(|(feature, value)| Some((feature, Ok(value?))))
    .collect()
}
