//! A wall clock that is set, forward and back.
//!
//! What: `ClockSet` against every promise about time. Why: a dead battery, a wrong zone or a time server moves the clock
//! by years, and nobody's prompt, pause or budget may move with it. Not here: noticing the jump (`orchestrator`'s clock),
//! its way through the actors (`tests/bad_input`).

use crate::support::{HOUR, Machine, SECOND, afternoon, ts};
use orchestrator_machine::{Effect, EventKind, MachineState, next_due};
use serde_json::json;
use toolcall_schema::{Outcome, ReasonCode, StateName, ids::ChannelHash, tick::TriggerSource};

const DAY: i64 = 24 * HOUR;
/// By how much the clock is set: by a breath, an hour, a day and a year, each way.
const JUMPS_MS: [i64; 8] = [
    2 * SECOND,
    -2 * SECOND,
    HOUR,
    -HOUR,
    DAY,
    -DAY,
    365 * DAY,
    -365 * DAY,
];

#[test]
fn an_open_prompt_accepts_for_its_60_s_and_is_then_over() {
    for jump_ms in JUMPS_MS {
        let mut machine = Machine::prompted();
        machine.wait(10 * SECOND);
        let before = machine.state.phase.clone();
        machine.set_clock(jump_ms);
        assert_eq!(machine.state.phase, before, "{jump_ms}");
        machine.wait(50 * SECOND - 1);
        let mut late = Machine {
            env: machine.env.clone(),
            state: machine.state.clone(),
            at: machine.at,
            out: vec![],
            sent: 0,
        };
        machine.confirm();
        assert_eq!(machine.state.phase.name(), StateName::Executing, "{jump_ms}");

        late.wait(1);
        let trace = late.out.iter().find_map(|effect| {
            let Effect::KeepTrace(trace) = effect else {
                return None;
            };
            Some((trace.outcome, trace.reason_code))
        });
        assert_eq!(
            trace,
            Some((Outcome::Dismissed, Some(ReasonCode::ConfirmTimeout))),
            "{jump_ms}"
        );
    }
}

#[test]
fn what_runs_on_the_timeline_stays_where_it_is() {
    for jump_ms in JUMPS_MS {
        let mut machine = Machine::prompted();
        let timers = |state: &MachineState| {
            (
                state.at,
                state.interval_at,
                state.window_until,
                state.history.clone(),
                next_due(state).is_some(),
            )
        };
        let before = timers(&machine.state);
        machine.set_clock(jump_ms);
        assert_eq!(timers(&machine.state), before, "{jump_ms}");
        // Shown at 15:00:00: the window is closed for 30 minutes of real time, the interval comes after 15.
        assert_eq!(machine.state.window_until, Some(afternoon().plus_min(30)));
        assert_eq!(machine.state.interval_at, afternoon().plus_min(15));
        // An event of an earlier time does not turn it back.
        machine.at = machine.at.plus_ms(-HOUR);
        machine.tell(EventKind::Time);
        assert_eq!(machine.state.at, afternoon());
    }
}

#[test]
fn what_was_promised_for_a_time_lasts_that_time() {
    for jump_ms in JUMPS_MS {
        let mut machine = Machine::started(afternoon());
        let channel: ChannelHash = serde_json::from_value(json!("ch_0000000000000001")).unwrap();
        let trace_id = machine.env.seed.trace_id(1);
        let until = Some(afternoon().plus_min(120));
        machine.tell(EventKind::Paused { until });
        machine
            .state
            .mutes_wall
            .insert(channel, afternoon().plus_min(120));
        machine
            .state
            .courses_wall
            .insert(trace_id, afternoon().plus_min(120));
        let lasting = |state: &MachineState| {
            (
                state.paused_until_wall.is_some(),
                state.mutes_wall.len(),
                state.courses_wall.len(),
            )
        };
        machine.wait(HOUR);
        machine.set_clock(jump_ms);
        machine.wait(HOUR - 1);
        assert_eq!(lasting(&machine.state), (true, 1, 1), "{jump_ms}");
        machine.wait(1);
        assert_eq!(lasting(&machine.state), (false, 0, 0), "{jump_ms}");
    }
}

#[test]
fn a_tick_that_the_owner_asked_for_waits_for_its_turn() {
    for jump_ms in JUMPS_MS {
        let mut machine = Machine::prompted();
        let prompted = machine.state.ticks;
        machine.tell(EventKind::OwnerTick);
        machine.set_clock(jump_ms);
        // The prompt is dismissed after its 60 s.
        machine.wait(60 * SECOND);
        machine.tell(EventKind::TraceKept {
            trace_id: machine.env.seed.trace_id(1),
            ok: true,
        });
        machine.wait(SECOND);
        let owners = |machine: &Machine| {
            machine
                .calls()
                .into_iter()
                .any(|call| call.call.args["trigger"]["source"] == TriggerSource::Owner.as_str())
        };
        assert_eq!(machine.state.ticks, prompted + 1, "{jump_ms}");
        assert!(owners(&machine), "{jump_ms}");
    }
}

#[test]
fn the_ledgers_day_never_goes_back_and_opens_once() {
    let mut machine = Machine::started(afternoon());
    let opened = |machine: &Machine| {
        machine
            .out
            .iter()
            .filter(|effect| matches!(effect, Effect::Ledger(_)))
            .count()
    };
    for (jump_ms, day, rows) in [
        (-DAY, "2026-11-03", 0),
        (DAY, "2026-11-03", 0),
        (DAY, "2026-11-04", 1),
        (-DAY, "2026-11-04", 0),
        (DAY, "2026-11-04", 0),
        // 15:00 and nine hours more is midnight.
        (9 * HOUR, "2026-11-05", 1),
    ] {
        machine.set_clock(jump_ms);
        assert_eq!(
            (
                machine.state.ledger.view().day.to_string().as_str(),
                opened(&machine)
            ),
            (day, rows),
            "{jump_ms}"
        );
    }
}

#[test]
fn the_brief_comes_at_its_hour_of_the_new_day() {
    for (wall, set_to, next, triggers) in [
        // A year ahead: not a year without a brief.
        (
            "2027-11-03T15:00:00+05:30",
            "2026-11-03T15:00:00+05:30",
            "2026-11-04T07:30:00+05:30",
            0,
        ),
        // A dead battery until the time server answered: this morning's is long over.
        (
            "2020-01-01T00:00:00+05:30",
            "2026-11-03T15:00:00+05:30",
            "2026-11-04T07:30:00+05:30",
            0,
        ),
        // Over its hour by five minutes: due, within the 10 minutes that a trigger is valid.
        (
            "2026-11-03T07:25:00+05:30",
            "2026-11-03T07:35:00+05:30",
            "2026-11-04T07:30:00+05:30",
            1,
        ),
        // Back over its hour: today's is not given twice.
        (
            "2026-11-03T08:00:00+05:30",
            "2026-11-03T07:00:00+05:30",
            "2026-11-04T07:30:00+05:30",
            0,
        ),
    ] {
        let mut machine = Machine::started(ts(wall));
        machine.tell(EventKind::ClockSet { wall: ts(set_to) });
        let briefs = machine.state.ticks;
        assert_eq!((machine.state.brief_wall, briefs), (ts(next), triggers), "{wall}");
        if triggers == 1 {
            let call = machine.calls().remove(0);
            let source = &call.call.args["trigger"]["source"];
            assert_eq!(*source, TriggerSource::BriefTime.as_str(), "{wall}");
        }
    }
}
