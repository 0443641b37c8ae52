//! The things of a day: zones, settings, subjects, arguments.
//!
//! What: from the numbers of a day (`day`) to what the machine and the second model are told. Why: both are told the same.
//! Not here: telling them (`world`).

use crate::second::{
    day::{Idea, Wish},
    model::{Proposal, Settings},
};
use chrono::NaiveTime;
use orchestrator_machine::{
    MachineEnv,
    env::{self, DailyWindow, KindWish},
    policy::{DEFAULT_TEXT, Policy},
};
use serde_json::{Value, json};
use toolcall_schema::{
    ActionKind, Timestamp, ToolName, WellnessState, gate,
    ids::OwnerSeed,
    milli::Milli,
    rule::{OwnerRule, RuleName},
    tick::{Candidate, IngestFact, Subject},
};

const MINUTE: i64 = 60_000;

pub(crate) fn ts(ms: i64) -> Timestamp {
    Timestamp::from_ms(ms)
}

pub(crate) fn zone(n: usize) -> chrono_tz::Tz {
    [
        chrono_tz::Asia::Kolkata,
        chrono_tz::Europe::Berlin,
        chrono_tz::America::New_York,
        chrono_tz::Pacific::Kiritimati,
        chrono_tz::Pacific::Honolulu,
    ][n]
}

pub(crate) fn quiet(n: usize) -> Vec<(NaiveTime, NaiveTime)> {
    let at = |h, m| NaiveTime::from_hms_opt(h, m, 0).unwrap();
    [
        vec![],
        vec![(at(22, 0), at(2, 30))],
        vec![(at(13, 0), at(14, 0)), (at(23, 30), at(6, 0))],
    ][n]
        .clone()
}

/// Of what the owner wants more, or less.
pub(crate) fn wishes(n: usize) -> Vec<(ActionKind, bool)> {
    [
        vec![],
        vec![(ActionKind::DraftReply, false), (ActionKind::BatchDigest, true)],
        vec![(ActionKind::MuteGroup30, true), (ActionKind::ShowBrief, false)],
    ][n]
        .clone()
}

/// Mornings, and the evenings before the clocks of Berlin change.
pub(crate) fn start(n: usize) -> i64 {
    let texts = [
        "2026-11-03T01:30:00Z",
        "2026-11-03T16:00:00Z",
        "2026-03-28T20:00:00Z",
        "2026-10-24T20:00:00Z",
    ];
    Timestamp::parse(texts[n]).unwrap().ms()
}

pub(crate) fn env_of(settings: &Settings) -> MachineEnv {
    let at = |h, m| NaiveTime::from_hms_opt(h, m, 0).unwrap();
    let span = |(from, to): &(NaiveTime, NaiveTime)| DailyWindow { from: *from, to: *to };
    let wish =
        |(kind, more): &(ActionKind, bool)| (*kind, if *more { KindWish::More } else { KindWish::Less });
    MachineEnv {
        policy: Policy::parse(DEFAULT_TEXT).unwrap(),
        settings: env::MachineSettings {
            zone: settings.zone,
            ceiling: settings.ceiling,
            brief: DailyWindow {
                from: at(7, 30),
                to: at(12, 0),
            },
            dnd: settings.dnd.iter().map(span).collect(),
            model: false,
            kinds: settings.wishes.iter().map(wish).collect(),
        },
        seed: OwnerSeed::from_day_seed("second"),
        catalogue_hash: gate::catalogue_hash().to_owned(),
    }
}

pub(crate) fn subject(kind: ActionKind, other: bool) -> Subject {
    let n = u8::from(other) + 1;
    let text = match kind {
        ActionKind::MuteGroup30 | ActionKind::BatchDigest => format!("ch_{n:016x}"),
        ActionKind::LeaveByAlert | ActionKind::PrepareMeeting | ActionKind::DeclineEvent => {
            format!("ev_{n:016x}")
        }
        ActionKind::DraftReply => format!("it_{n:016x}"),
        ActionKind::SurfaceAnomaly if other => "groceries".to_owned(),
        ActionKind::SurfaceAnomaly => "food_delivery".to_owned(),
        ActionKind::ShowBrief | ActionKind::ProjectBalance => format!("2026-11-0{n}"),
        ActionKind::Breathe478
        | ActionKind::Nap15
        | ActionKind::PermitLeisure
        | ActionKind::CategorizeTxn => "self".to_owned(),
    };
    Subject::parse(&text).unwrap()
}

pub(crate) fn args(idea: &Idea) -> Value {
    let about = subject(idea.kind, idea.other);
    let mut args = match idea.kind {
        ActionKind::MuteGroup30 => json!({"channel_hash": about, "ttl_seconds": 1800}),
        ActionKind::Breathe478 => json!({"cycles": 4}),
        ActionKind::Nap15 => json!({"duration_min": 15}),
        ActionKind::PermitLeisure => json!({"window_min": 90}),
        ActionKind::BatchDigest => json!({"channel_hash": about, "since": "2026-11-03T01:00:00Z"}),
        ActionKind::ShowBrief => {
            json!({"sections": [{"section": "messages", "total": 3, "actionable": 1}]})
        }
        ActionKind::LeaveByAlert => json!({"event_id": about, "buffer_min": 15}),
        ActionKind::PrepareMeeting => json!({"event_id": about}),
        ActionKind::CategorizeTxn => json!({"txn_ids": ["tx_0000000000000001"]}),
        ActionKind::SurfaceAnomaly => {
            json!({"category": about, "severity": idea.severity, "day": "2026-11-03", "window_days": 30})
        }
        ActionKind::ProjectBalance => json!({"day": "2026-11-03"}),
        ActionKind::DraftReply => json!({"item_id": about, "tone": "casual", "length_max": 280}),
        ActionKind::DeclineEvent => json!({"event_id": about, "reason_template": "conflict"}),
    };
    if !idea.sound {
        // Nothing unknown passes; the sections of a brief are put together whoever says them.
        match args.get_mut("sections").and_then(Value::as_array_mut) {
            Some(sections) => sections.push(json!({"section": "unknown"})),
            None => args["unknown"] = json!(true),
        }
    }
    args
}

/// One of the four things that a program may ask for, about one of two chats where it is about one.
pub(crate) fn asked_thing(n: usize, other: bool) -> (ActionKind, ToolName, Value) {
    let channel = subject(ActionKind::MuteGroup30, other);
    match n {
        0 => (
            ActionKind::MuteGroup30,
            ToolName::MuteChannel,
            json!({"channel_hash": channel, "ttl_seconds": 1800}),
        ),
        1 => (
            ActionKind::Breathe478,
            ToolName::GuideBreathing,
            json!({"cycles": 4}),
        ),
        2 => (
            ActionKind::Nap15,
            ToolName::StartNapTimer,
            json!({"duration_min": 15}),
        ),
        _ => (
            ActionKind::PermitLeisure,
            ToolName::PermitLeisure,
            json!({"window_min": 90}),
        ),
    }
}

pub(crate) fn rule(wish: &Wish, wall: i64) -> OwnerRule {
    let half = |n: u32| NaiveTime::from_hms_opt(n / 2, n % 2 * 30, 0).unwrap();
    OwnerRule {
        kinds: wish.kinds.clone(),
        subject: wish.about.map(|(kind, other)| subject(kind, other)),
        hours: wish.hours.map(|(from, to)| (half(from), half(to))),
        days: wish.days.clone(),
        until: wish.for_min.map(|minutes| ts(wall + minutes * MINUTE)),
        ..OwnerRule::named(RuleName::parse(&format!("rule-{}", wish.name)).unwrap())
    }
}

pub(crate) fn load(state: WellnessState, wall: i64) -> IngestFact {
    IngestFact::Load {
        score: if state == WellnessState::Stressed { 75 } else { 40 },
        state,
        entered_at: ts(wall),
        at: ts(wall),
    }
}

pub(crate) fn candidate(idea: &Idea, wall: i64) -> Candidate {
    Candidate {
        kind: idea.kind,
        subject: subject(idea.kind, idea.other),
        confidence: Milli(idea.confidence),
        args: args(idea),
        valid_until: idea.valid_min.map(|minutes| ts(wall + minutes * MINUTE)),
        evidence: vec![],
        let_through: idea.let_through,
    }
}

pub(crate) fn proposal(idea: &Idea, wall: i64) -> Proposal {
    Proposal {
        agent: idea.agent,
        kind: idea.kind,
        subject: subject(idea.kind, idea.other),
        confidence: idea.confidence,
        severity: idea.severity,
        sound: idea.sound,
        valid_until: idea.valid_min.map(|minutes| wall + minutes * MINUTE),
        let_through: idea.let_through,
    }
}
