//! The ticks of the console's double.
//!
//! What: the brief's tick with every time that can be kept, and one event of it done again, all made up. Why: the waterfall's lengths are worked out by
//! hand from these times. Not here: any claim.

use super::{brief_trace, silent_trace, ts};
use serde_json::{Value, json};
use surfaces_base::backend::console::{
    AnswerEnding, LedgerDayRow, ProcessName, ProcessRestart, ReplayedEffect, ReplayedStep, ServiceSample,
    TickEvent, TickEventKind, TickReplay, TickView,
};
use toolcall_schema::{
    AgentName, StateName, Surface, Timestamp, ids::TraceId, ledger::LedgerEntry, trace::Trace,
};

/// An instant of the morning: seconds of 02:15, UTC.
fn instant(seconds: &str) -> Timestamp {
    ts(&format!("2026-11-03T02:15:{seconds}Z"))
}

fn event(seq: u64, seconds: &str, kind: TickEventKind, what: &Value) -> TickEvent {
    TickEvent {
        seq,
        at: instant(seconds),
        kind,
        json: json!({"at": instant(seconds), "what": what}),
    }
}

fn answered(seq: u64, seconds: &str, agent: AgentName, ending: AnswerEnding) -> TickEvent {
    let answer = match ending {
        AnswerEnding::Answered => json!({"answered": {"candidates": [], "readings": [], "status": "ok"}}),
        AnswerEnding::Failed => json!("failed"),
        AnswerEnding::Rejected => json!("rejected"),
    };
    let what = json!({"event": "tick_answered", "agent": agent, "tick": 12, "attempt": 1, "answer": answer});
    event(
        seq,
        seconds,
        TickEventKind::AgentAnswered { agent, ending },
        &what,
    )
}

/// The brief's events: Finance answers last, both tools are called when the decision is on disk, and the card is seen three seconds later.
pub(crate) fn brief_events() -> Vec<TickEvent> {
    let executed = |seq, seconds, companion| {
        let slot = if companion { "companion" } else { "primary" };
        let what = json!({"event": "executed", "tick": 12, "slot": slot});
        event(
            seq,
            seconds,
            TickEventKind::Executed { companion, ok: true },
            &what,
        )
    };
    vec![
        answered(101, "00.060", AgentName::Comms, AnswerEnding::Answered),
        answered(102, "00.090", AgentName::Wellness, AnswerEnding::Answered),
        answered(103, "00.120", AgentName::Calendar, AnswerEnding::Answered),
        answered(104, "00.350", AgentName::Finance, AnswerEnding::Failed),
        event(
            105,
            "00.405",
            TickEventKind::Committed { ok: true },
            &json!({"event": "committed", "tick": 12, "ok": true}),
        ),
        executed(106, "00.440", false),
        executed(107, "00.455", true),
        event(
            108,
            "00.472",
            TickEventKind::TraceKept { ok: true },
            &json!({"event": "trace_kept", "trace_id": "tr_brief0000001", "ok": true}),
        ),
        event(
            109,
            "03.460",
            TickEventKind::Shown {
                surface: Surface::PhoneCard,
            },
            &json!({"event": "shown", "card_id": super::CARD, "surface": "PHONE_CARD"}),
        ),
    ]
}

/// Finance failed while the brief asked it.
pub(crate) fn finance_restart() -> ProcessRestart {
    ProcessRestart {
        name: ProcessName::Agent(AgentName::Finance),
        at: instant("00.250"),
    }
}

/// A tick without anything around it.
pub(crate) fn bare_view(trace: Trace, events: Option<Vec<TickEvent>>) -> TickView {
    TickView {
        at: ts("2026-11-03T17:00:00Z"),
        trace,
        events,
        refused: vec![],
        ledger: vec![],
        restarts: vec![],
        older: None,
        newer: None,
    }
}

/// The brief with its events, refused lines and entries, and the silent look after it, whose events are gone.
pub(super) fn view(
    id: &TraceId,
    refused: Vec<surfaces_base::backend::console::RefusedItem>,
) -> Option<TickView> {
    let (brief, silent) = (brief_trace(), silent_trace());
    if *id == brief.trace_id {
        let row = |seconds, entry| LedgerDayRow {
            at: instant(seconds),
            entry,
            tokens: 1,
            trace_id: Some(id.clone()),
            free: None,
        };
        return Some(TickView {
            refused,
            ledger: vec![
                row("00.400", LedgerEntry::Reserve),
                row("03.460", LedgerEntry::Settle),
            ],
            restarts: vec![finance_restart()],
            newer: Some(silent.trace_id),
            ..bare_view(brief, Some(brief_events()))
        });
    }
    (*id == silent.trace_id).then(|| TickView {
        older: Some(brief.trace_id),
        ..bare_view(silent, None)
    })
}

/// Three events of the brief; the last stands for all after it.
pub(super) fn replay(step: usize) -> TickReplay {
    let step = step.min(2);
    let named = |seq, seconds, name: &str, state| ReplayedStep {
        seq,
        at: instant(seconds),
        name: name.to_owned(),
        state,
    };
    TickReplay {
        steps: vec![
            named(100, "00.010", "phone_unlocked", StateName::Listening),
            named(101, "00.060", "tick_answered", StateName::Listening),
            named(104, "00.350", "tick_answered", StateName::Deliberating),
        ],
        chosen: step,
        event: json!({"at": instant("00.350"), "what": {"event": "tick_answered", "agent": "finance", "answer": "failed"}}),
        before: json!({"phase": {"state": "Listening", "answers": {"comms": "x<b>"}}, "ticks": 12}),
        after: json!({"phase": {"state": "Deliberating", "answers": {"comms": "x<b>"}}, "ticks": 12}),
        effects: vec![
            ReplayedEffect {
                name: "keep_decision",
                detail: json!({"trace_id": "tr_brief0000001"}),
            },
            ReplayedEffect {
                name: "rest",
                detail: Value::Null,
            },
        ],
    }
}

/// A figure of the morning.
pub(super) fn sample(now: Timestamp, zone: &str) -> ServiceSample {
    ServiceSample {
        at: now,
        zone: zone.to_owned(),
        ticks: 12,
        waiting: 3,
        refused: 1,
        memory_kib: Some(2049),
    }
}
