//! What Wellness proposes and shows.
//!
//! What: [`tick`], the newest samples and scores to at most one candidate, and readings. Pure. Why: the choice between
//! interventions is a sum one can check by hand. Not here: caps, scores and surfaces (the machine).

use super::model::{
    DROP_MIN, NewestSamples, OwnerCondition, RECOVERING_BELOW, STRESSED_FROM, ScoreHistory, WellnessFeature,
    baseline, rmssd_z, sleep_debt_min,
};
use agents_base::{contract::OwnerProfile, zone};
use serde_json::json;
use toolcall_schema::{
    ActionKind, Timestamp,
    catalogue::wellness::Intervention,
    ids::ChannelHash,
    milli::Milli,
    tick::{ActiveRule, Candidate, ReadingKey, SignalReading, Subject, TickArgs, TickResult, TickStatus},
};

/// Minutes after which a score proposes nothing any more: nobody knows how the owner is now.
const SCORE_FRESH_MIN: i64 = 60;
/// Minutes of sleep below which a nap helps.
const SHORT_SLEEP_MIN: f64 = 360.0;

/// At most one candidate, and the readings that are fresh.
pub(super) fn tick(
    (newest, history, owner): (&NewestSamples, &ScoreHistory, &OwnerProfile),
    args: &TickArgs,
    at: Timestamp,
) -> TickResult {
    let score = history
        .newest()
        .filter(|(scored_at, _)| at.since(*scored_at) <= SCORE_FRESH_MIN * 60_000)
        .map(|(_, score)| score);
    let readings = readings((newest, history, owner), score, at);
    TickResult {
        candidates: score
            .and_then(|score| candidate((newest, history, owner), score, args, at))
            .into_iter()
            .collect(),
        status: if readings.is_empty() {
            TickStatus::NoData
        } else {
            TickStatus::Ok
        },
        readings,
    }
}

fn candidate(
    (newest, history, owner): (&NewestSamples, &ScoreHistory, &OwnerProfile),
    score: u8,
    args: &TickArgs,
    at: Timestamp,
) -> Option<Candidate> {
    let channel = args
        .user
        .active_channel
        .as_ref()
        .filter(|channel| !muted(args, channel, at));
    let asked = InterventionQuery {
        score,
        channel: channel.is_some(),
        focus: args.user.in_focus,
        busy: args.user.in_meeting,
    };
    let (best, _) = select((newest, history, owner), asked, at)?;
    let (kind, subject, args) = match best {
        Intervention::Mute => {
            let channel = channel?;
            let args = json!({ "channel_hash": channel, "ttl_seconds": 1800 });
            (ActionKind::MuteGroup30, Subject::from(channel), args)
        }
        Intervention::Breathe => (ActionKind::Breathe478, Subject::of_self(), json!({ "cycles": 4 })),
        Intervention::Nap => (
            ActionKind::Nap15,
            Subject::of_self(),
            json!({ "duration_min": 15 }),
        ),
        Intervention::Leisure => (
            ActionKind::PermitLeisure,
            Subject::of_self(),
            json!({ "window_min": 90 }),
        ),
    };
    let above = |feature, from| newest.fresh(feature, at).is_some_and(|value| value >= from);
    let strong = score >= STRESSED_FROM
        && above(WellnessFeature::AppSwitchRate, 10.0)
        && above(WellnessFeature::TypingEntropy, 4.5);
    Some(Candidate {
        kind,
        subject,
        confidence: history.confidence(strong),
        args,
        valid_until: None,
        evidence: vec![],
        let_through: false,
    })
}

fn muted(args: &TickArgs, channel: &ChannelHash, at: Timestamp) -> bool {
    args.rules.iter().any(|rule| match rule {
        ActiveRule::Mute {
            channel: muted,
            until,
        } => muted == channel && *until > at,
        ActiveRule::Forbidden { .. } | ActiveRule::ForbiddenPerson { .. } => false,
    })
}

/// What is asked about when an intervention is chosen; the rest is what was read.
#[derive(Debug, Clone, Copy)]
pub(super) struct InterventionQuery {
    /// 0 to 100.
    pub(super) score: u8,
    /// Whether a loud channel is there that is not muted.
    pub(super) channel: bool,
    /// Whether a focus block is on.
    pub(super) focus: bool,
    /// Whether an event is on.
    pub(super) busy: bool,
}

/// The intervention that fits best with its utility; `None` when nothing is better than doing nothing.
pub(super) fn select(
    (newest, history, owner): (&NewestSamples, &ScoreHistory, &OwnerProfile),
    asked: InterventionQuery,
    at: Timestamp,
) -> Option<(Intervention, f64)> {
    let settled = history
        .standing(at)
        .is_some_and(|standing| standing.condition == OwnerCondition::Baseline);
    let hour = zone::local_hour(at, owner.zone);
    best(&InterventionContext {
        score: asked.score,
        drop: history.drop(),
        asleep_min: newest.fresh(WellnessFeature::Asleep, at),
        channel: asked.channel,
        focus: asked.focus,
        busy: asked.busy,
        night: !(7.0..21.0).contains(&hour),
        // Focus outranks BASELINE: who works with focus is not told to take a break.
        settled: settled && !asked.focus,
    })
}

/// What the choice of an intervention looks at.
#[derive(Debug, Clone, Copy)]
struct InterventionContext {
    /// 0 to 100.
    score: u8,
    /// Below the highest of the last 6 scores.
    drop: u8,
    asleep_min: Option<f64>,
    /// Whether a loud channel is there that is not muted.
    channel: bool,
    focus: bool,
    busy: bool,
    /// Local hours 21 to 6.
    night: bool,
    /// BASELINE and not in a focus block.
    settled: bool,
}

/// The intervention with the highest utility above 0; of equals the first.
///
/// Indicators are 0 or 1: spike (score ≥ 70), mod (60 to 69), low (< 50), rec (drop ≥ 10 and score < 60), ch, f, b;
/// short = `min(1, (360 - asleep) / 120)` below 360 minutes.
fn best(look: &InterventionContext) -> Option<(Intervention, f64)> {
    let is = |indicator: bool| if indicator { 1.0 } else { 0.0 };
    let spike = is(look.score >= STRESSED_FROM);
    let moderate = is((60..STRESSED_FROM).contains(&look.score));
    let low = is(look.score < 50);
    let recovered = is(look.drop >= DROP_MIN && look.score < RECOVERING_BELOW);
    let short = look
        .asleep_min
        .map_or(0.0, |asleep| ((SHORT_SLEEP_MIN - asleep) / 120.0).clamp(0.0, 1.0));
    let (channel, focus, busy) = (is(look.channel), is(look.focus), is(look.busy));
    let load = f64::from(look.score) / 100.0;
    [
        (
            Intervention::Mute,
            look.channel,
            -1.0 + 1.6 * spike + 1.4 * channel * spike - 0.6 * (1.0 - channel),
        ),
        (
            Intervention::Breathe,
            true,
            -0.5 + 1.3 * spike + 0.4 * load - 0.7 * busy + 0.2 * focus,
        ),
        (
            Intervention::Nap,
            !look.night,
            -1.2 + 1.1 * moderate + 1.0 * short - 1.5 * focus - 1.5 * busy,
        ),
        (
            Intervention::Leisure,
            look.settled && look.drop >= DROP_MIN,
            -1.0 + 1.4 * recovered + 0.5 * low - 0.3 * busy,
        ),
    ]
    .into_iter()
    .filter(|(_, possible, utility)| *possible && *utility > 1e-9)
    .fold(
        None,
        |best: Option<(Intervention, f64)>, (kind, _, utility)| match best {
            Some((_, highest)) if utility <= highest => best,
            Some(_) | None => Some((kind, utility)),
        },
    )
}

fn readings(
    (newest, history, owner): (&NewestSamples, &ScoreHistory, &OwnerProfile),
    score: Option<u8>,
    at: Timestamp,
) -> Vec<SignalReading> {
    // Three decimals, so that traces hold no noise of the last binary digit.
    let reading =
        |key, value: f64| Milli::from_f64(value).map(|value| SignalReading::new(key, value.to_f64()));
    let fresh = |feature| newest.fresh(feature, at);
    let plain = |key, feature| fresh(feature).and_then(|value| reading(key, value));
    let rmssd = fresh(WellnessFeature::Rmssd);
    let (p50, p10) = baseline(owner);
    [
        score.and_then(|score| reading(ReadingKey::LoadScore, f64::from(score))),
        rmssd.and_then(|rmssd| {
            Some(SignalReading {
                low: Some(p10),
                high: Some(p50 * 1.5),
                ..reading(ReadingKey::RmssdMs, rmssd)?
            })
        }),
        rmssd.and_then(|rmssd| reading(ReadingKey::RmssdZ, rmssd_z(rmssd, owner))),
        plain(ReadingKey::SleepMin, WellnessFeature::Asleep),
        fresh(WellnessFeature::Asleep)
            .and_then(|asleep| reading(ReadingKey::SleepDebtMin, sleep_debt_min(asleep, owner))),
        plain(ReadingKey::TypingEntropy, WellnessFeature::TypingEntropy),
        plain(ReadingKey::AppSwitchRate, WellnessFeature::AppSwitchRate),
        plain(ReadingKey::DismissRate, WellnessFeature::DismissRate),
        plain(ReadingKey::ScreenOnMin, WellnessFeature::ScreenOn),
        score
            .filter(|_| history.drop() > 0)
            .and_then(|_| reading(ReadingKey::LoadDrop, f64::from(history.drop()))),
    ]
    .into_iter()
    .flatten()
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOOK: InterventionContext = InterventionContext {
        score: 40,
        drop: 0,
        asleep_min: None,
        channel: false,
        focus: false,
        busy: false,
        night: false,
        settled: true,
    };

    #[test]
    fn the_highest_utility_above_nothing_decides() {
        for (name, look, expected) in [
            // MUTE -1.0 + 1.6 + 1.4 = 2.0 against BREATHE -0.5 + 1.3 + 0.312 = 1.112.
            (
                "78 with a channel",
                InterventionContext {
                    score: 78,
                    channel: true,
                    ..LOOK
                },
                Some(Intervention::Mute),
            ),
            // MUTE -1.0 + 1.6 - 0.6 = 0 is not possible without a channel.
            (
                "78 without",
                InterventionContext { score: 78, ..LOOK },
                Some(Intervention::Breathe),
            ),
            // BREATHE 1.112 - 0.7 = 0.412 in a meeting.
            (
                "78 in a meeting",
                InterventionContext {
                    score: 78,
                    busy: true,
                    ..LOOK
                },
                Some(Intervention::Breathe),
            ),
            // NAP -1.2 + 1.1 + (360 - 300) / 120 = 0.4; BREATHE -0.5 + 0.26 = -0.24.
            (
                "65 after 300 min",
                InterventionContext {
                    score: 65,
                    asleep_min: Some(300.0),
                    ..LOOK
                },
                Some(Intervention::Nap),
            ),
            (
                "the same at night",
                InterventionContext {
                    score: 65,
                    asleep_min: Some(300.0),
                    night: true,
                    ..LOOK
                },
                None,
            ),
            (
                "the same in focus",
                InterventionContext {
                    score: 65,
                    asleep_min: Some(300.0),
                    focus: true,
                    ..LOOK
                },
                None,
            ),
            // NAP -1.2 + 1.1 + (360 - 348) / 120 = 0: not above nothing.
            (
                "65 after 348 min",
                InterventionContext {
                    score: 65,
                    asleep_min: Some(348.0),
                    ..LOOK
                },
                None,
            ),
            // PERMIT -1.0 + 1.4 + 0.5 = 0.9.
            (
                "45 after a drop of 15",
                InterventionContext {
                    score: 45,
                    drop: 15,
                    ..LOOK
                },
                Some(Intervention::Leisure),
            ),
            (
                "a drop of 9",
                InterventionContext {
                    score: 45,
                    drop: 9,
                    ..LOOK
                },
                None,
            ),
            (
                "not settled",
                InterventionContext {
                    score: 45,
                    drop: 15,
                    settled: false,
                    ..LOOK
                },
                None,
            ),
            // PERMIT -1.0 + 1.4 - 0.3 = 0.1 at 55 in a meeting; at 60 rec is over: -1.0.
            (
                "55 in a meeting",
                InterventionContext {
                    score: 55,
                    drop: 15,
                    busy: true,
                    ..LOOK
                },
                Some(Intervention::Leisure),
            ),
            (
                "60 after a drop",
                InterventionContext {
                    score: 60,
                    drop: 15,
                    ..LOOK
                },
                None,
            ),
            ("nothing unusual", LOOK, None),
        ] {
            assert_eq!(best(&look).map(|(kind, _)| kind), expected, "{name}");
        }
    }
}
