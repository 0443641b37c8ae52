//! In which state of the owner each kind of action can be chosen.
//!
//! What: every kind in every state, at the best confidence its agent ever states, against a table worked out by hand. Why:
//! a kind that can never be chosen is dead, and one that can be chosen where it should not is noise. Not here: the
//! arithmetic, which is in `docs/kinds-and-states.md`; the caps, which no score overcomes (`explore`).

use crate::proof::common::{Bench, candidate, default_env, hash, ts};
use orchestrator_machine::{Effect, EventKind};
use serde_json::json;
use toolcall_schema::{
    ActionKind, AgentName, Surface, Timestamp, WellnessState,
    ids::{ChannelHash, EventId},
    tick::{IngestFact, TriggerSource},
    trace::Decision,
};

/// What a row of the table is about beside its kind.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Case {
    Plain,
    /// Proposed by Comms alone.
    FromComms,
    /// The tick was started by the end of the channel's mute.
    MuteEnded,
    /// The anomaly's severity.
    Severity(&'static str),
}

use Case::{FromComms, MuteEnded, Plain, Severity};

/// Kind, case, best confidence in thousandths, and the score in BASELINE, STRESSED, FOCUSED, UNKNOWN and RECOVERING (after
/// its hour of silence) in thousandths. Chosen where it is at least 450.
const TABLE: [(ActionKind, Case, i64, [i64; 5]); 17] = [
    (ActionKind::MuteGroup30, Plain, 850, [700, 1040, 445, 700, 190]),
    (ActionKind::MuteGroup30, FromComms, 600, [270, 102, 144, 270, 18]),
    (ActionKind::Breathe478, Plain, 850, [700, 1040, 445, 700, 190]),
    (ActionKind::Nap15, Plain, 850, [600, 940, 345, 600, 90]),
    (ActionKind::PermitLeisure, Plain, 850, [600, 260, 345, 600, 90]),
    (ActionKind::BatchDigest, Plain, 800, [480, 208, 276, 480, 72]),
    (ActionKind::BatchDigest, MuteEnded, 800, [480, 480, 480, 480, 72]),
    // 0.2335, 0.30575: half a thousandth is shown rounded away from zero.
    (ActionKind::ShowBrief, Plain, 850, [523, 234, 306, 523, 89]),
    (ActionKind::LeaveByAlert, Plain, 850, [480, 480, 480, 480, 72]),
    // 0.2725: half a thousandth is shown rounded away from zero.
    (ActionKind::PrepareMeeting, Plain, 900, [475, 205, 273, 475, 70]),
    (ActionKind::CategorizeTxn, Plain, 850, [680, 408, 476, 680, 272]),
    (
        ActionKind::SurfaceAnomaly,
        Severity("high"),
        900,
        [655, 313, 399, 655, 142],
    ),
    (
        ActionKind::SurfaceAnomaly,
        Severity("medium"),
        800,
        [520, 232, 304, 520, 88],
    ),
    (
        ActionKind::SurfaceAnomaly,
        Severity("low"),
        400,
        [40, -56, -32, 40, -104],
    ),
    (ActionKind::ProjectBalance, Plain, 850, [523, 234, 306, 523, 89]),
    (ActionKind::DraftReply, Plain, 850, [473, 184, 256, 473, 39]),
    (ActionKind::DeclineEvent, Plain, 850, [473, 184, 256, 473, 39]),
];

const STATES: [WellnessState; 5] = [
    WellnessState::Baseline,
    WellnessState::Stressed,
    WellnessState::Focused,
    WellnessState::Unknown,
    WellnessState::Recovering,
];

fn owner(kind: ActionKind) -> AgentName {
    match kind {
        ActionKind::MuteGroup30 | ActionKind::Breathe478 | ActionKind::Nap15 | ActionKind::PermitLeisure => {
            AgentName::Wellness
        }
        ActionKind::BatchDigest | ActionKind::ShowBrief | ActionKind::DraftReply => AgentName::Comms,
        ActionKind::LeaveByAlert | ActionKind::PrepareMeeting | ActionKind::DeclineEvent => {
            AgentName::Calendar
        }
        ActionKind::CategorizeTxn | ActionKind::SurfaceAnomaly | ActionKind::ProjectBalance => {
            AgentName::Finance
        }
    }
}

fn load(state: WellnessState, at: Timestamp) -> IngestFact {
    IngestFact::Load {
        // Below 70, so that the score alone starts no tick.
        score: 60,
        state,
        entered_at: at,
        at,
    }
}

/// A morning with watch and phone at hand, no caps, and the owner in a state.
fn morning(state: WellnessState) -> Bench {
    let mut bench = Bench::started(default_env(), ts("2026-11-03T08:00:00+05:30"));
    let at = bench.at;
    for surface in [Surface::Watch, Surface::PhoneCard] {
        bench.happen(EventKind::Connected { surface });
    }
    match state {
        WellnessState::Focused => bench.learn(
            AgentName::Calendar,
            IngestFact::EventChanged {
                event: EventId::parse(&hash("ev", 99)).unwrap(),
                start: at,
                end: at.plus_min(300),
                focus: true,
            },
        ),
        WellnessState::Baseline
        | WellnessState::Stressed
        | WellnessState::Unknown
        | WellnessState::Recovering => bench.learn(AgentName::Wellness, load(state, at)),
    }
    if state == WellnessState::Recovering {
        // Read again, so that the state outlives the hour of silence, which begins with the first reading.
        bench.wait_until(at.plus_min(50));
        bench.learn(AgentName::Wellness, load(state, bench.at));
        bench.wait_until(at.plus_min(61));
    }
    bench
}

/// Ends the tick that is being listened to, silently.
fn settle(bench: &mut Bench) {
    let to = bench.at.plus_ms(10_000);
    bench.wait_until(to);
}

/// The decision about one candidate in a state.
fn decision(kind: ActionKind, case: Case, confidence: i64, state: WellnessState) -> Decision {
    let mut bench = morning(state);
    settle(&mut bench);
    if case == MuteEnded {
        mute_until_now(&mut bench);
    } else {
        bench.happen(EventKind::PhoneUnlocked);
    }
    let mut one = candidate(kind, 1, confidence, bench.at);
    if let Severity(severity) = case {
        one.args = json!({"category": "food_delivery", "severity": severity, "day": "2026-11-03", "window_days": 30});
    }
    let agent = if case == FromComms {
        AgentName::Comms
    } else {
        owner(kind)
    };
    bench.out.clear();
    bench.answer_tick(&[(agent, one)]);
    let mut made = bench.out.into_iter().filter_map(|effect| {
        let Effect::KeepDecision(decision) = effect else {
            return None;
        };
        Some(std::sync::Arc::unwrap_or_clone(decision))
    });
    let made = made.next().unwrap();
    assert_eq!(made.trigger.source == TriggerSource::MuteEnded, case == MuteEnded);
    made
}

/// A mute of the channel that ends now, set by an earlier action.
fn mute_until_now(bench: &mut Bench) {
    let channel = ChannelHash::parse(&hash("ch", 1)).unwrap();
    let until = bench.at.plus_ms(1);
    bench.state.mutes_wall.insert(channel, until);
    let to = bench.at.plus_ms(1);
    bench.wait_until(to);
}

#[test]
fn each_kind_is_chosen_in_exactly_the_states_of_the_table() {
    let mut wrong = Vec::new();
    for (kind, case, confidence, scores) in TABLE {
        for (state, score) in STATES.into_iter().zip(scores) {
            let made = decision(kind, case, confidence, state);
            assert_eq!(made.user.state, state, "the owner is in the state that is meant");
            let considered = made.candidates.first().unwrap();
            let got = (
                considered.removed,
                considered.score.as_ref().map(|parts| parts.score.0),
                made.chosen.map(|chosen| chosen.kind),
            );
            let wanted = (None, Some(score), (score >= 450).then_some(kind));
            if got != wanted {
                wrong.push(format!("{kind} {case:?} {state:?}: {got:?}, wanted {wanted:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn the_table_has_every_kind_and_each_can_be_chosen_somewhere() {
    for kind in ActionKind::ALL {
        let best = TABLE
            .iter()
            .filter(|(k, ..)| k == kind)
            .flat_map(|(.., scores)| scores)
            .max();
        assert!(
            best.is_some_and(|best| *best >= 450),
            "{kind} can never be chosen"
        );
    }
}
