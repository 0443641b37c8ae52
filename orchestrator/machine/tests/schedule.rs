//! What is due by the clock, and nobody was there.
//!
//! What: each schedule against a restart, a suspend and a clock that was set: which ticks start, which triggers the next
//! trace names as stale. Why: a laptop that slept for two days must neither catch up in a burst nor forget what it
//! promised. Not here: what else a set clock moves (`clock`), the same through the actors (`fixtures/days`).

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::support::{HOUR, Machine, SECOND, ts};
use chrono::NaiveTime;
use orchestrator_machine::{
    EventKind,
    effect::ReplyTo,
    event::{IngestedFacts, TickAnswer},
    retry::CandidateRetry,
    state::{LeaveAlert, MachinePhase},
};
use serde_json::json;
use toolcall_schema::{
    ActionKind, AgentName, Timestamp, WellnessState,
    ids::{ChannelHash, EventId},
    rule::{OwnerRule, RuleName},
    tick::{
        IngestFact, Subject, TickResult, TickStatus,
        TriggerSource::{self, AlertAt, BriefTime, Interval, MuteEnded, Owner, RuleEnded, WindowEnded},
    },
};

const MINUTE: i64 = 60 * SECOND;

/// The machine starts at 07:22 in Kolkata; the interval comes at 07:37.
fn begin() -> Timestamp {
    ts("2026-11-03T07:22:00+05:30")
}

/// Nobody is there from here on.
fn away() -> Timestamp {
    begin().plus_min(5)
}

/// What is promised for 07:30, three minutes later.
fn due() -> Timestamp {
    begin().plus_min(8)
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Schedule {
    Interval,
    Brief,
    /// Leave by 07:45.
    Alert,
    MuteEnd,
    PauseEnd,
    RuleEnd,
    /// A leave-by of 07:45 waits for the window.
    WindowEnd,
    /// A leave-by of 11:30 does.
    WindowEndLongBefore,
    DoNotDisturbEnd,
}

const ALL: [Schedule; 9] = [
    Schedule::Interval,
    Schedule::Brief,
    Schedule::Alert,
    Schedule::MuteEnd,
    Schedule::PauseEnd,
    Schedule::RuleEnd,
    Schedule::WindowEnd,
    Schedule::WindowEndLongBefore,
    Schedule::DoNotDisturbEnd,
];

#[derive(Debug, Clone, Copy, PartialEq)]
enum Absence {
    /// Stopped, and started again so many milliseconds later.
    Restart(i64),
    /// The process stood still for so long.
    Suspend(i64),
    /// The clock was set by so much.
    Clock(i64),
}

fn event(n: u8) -> EventId {
    serde_json::from_value(json!(format!("ev_000000000000000{n}"))).unwrap()
}

/// Everything but one schedule is out of the way.
fn promised(schedules: &[Schedule]) -> Machine {
    let mut machine = Machine::started(begin());
    if !schedules.contains(&Schedule::Brief) {
        machine.env.settings.brief.from = NaiveTime::from_hms_opt(5, 0, 0).unwrap();
        machine.state.brief_wall = ts("2026-11-09T05:00:00+05:30");
    }
    for schedule in schedules {
        let alerts = &mut machine.state.known.alerts_wall;
        match schedule {
            // 15 minutes after the start, in any case.
            Schedule::Interval => assert_eq!(machine.state.interval_at, begin().plus_min(15)),
            Schedule::Brief => assert_eq!(machine.state.brief_wall, due()),
            Schedule::Alert => {
                let (alert_at, leave_by) = (due(), due().plus_min(15));
                let done = false;
                alerts.insert(
                    event(1),
                    LeaveAlert {
                        alert_at,
                        leave_by,
                        done,
                    },
                );
            }
            Schedule::MuteEnd => {
                let channel: ChannelHash = serde_json::from_value(json!("ch_0000000000000001")).unwrap();
                machine.state.mutes_wall.insert(channel, due());
            }
            Schedule::PauseEnd => machine.tell(EventKind::Paused { until: Some(due()) }),
            Schedule::RuleEnd => {
                let rule = OwnerRule {
                    until: Some(due()),
                    ..OwnerRule::named(RuleName::parse("visit").unwrap())
                };
                machine.tell(EventKind::RuleSet { rule });
            }
            Schedule::WindowEnd | Schedule::WindowEndLongBefore => {
                let minutes = if *schedule == Schedule::WindowEnd { 15 } else { 240 };
                let leave_by = due().plus_min(minutes);
                let (alert_at, done) = (begin(), true);
                alerts.insert(
                    event(2),
                    LeaveAlert {
                        alert_at,
                        leave_by,
                        done,
                    },
                );
                machine.state.retries = vec![CandidateRetry {
                    kind: ActionKind::LeaveByAlert,
                    subject: Subject::from(&event(2)),
                    at: due(),
                    until_wall: None,
                }];
            }
            Schedule::DoNotDisturbEnd => machine.tell(EventKind::Dnd {
                active: true,
                until: Some(due()),
            }),
        }
    }
    machine.wait(away().since(begin()));
    assert_eq!(machine.state.ticks, 0, "{schedules:?}");
    machine
}

fn absent(machine: &mut Machine, absence: Absence) {
    match absence {
        Absence::Restart(ms) => {
            machine.at = machine.at.plus_ms(ms);
            let (policy_hash, catalogue_hash) = (
                machine.env.policy.hash().to_owned(),
                machine.env.catalogue_hash.clone(),
            );
            machine.tell(EventKind::Started {
                wall: machine.state.wall(machine.at),
                policy_hash,
                catalogue_hash,
                settings_hash: String::new(),
                kept_ticks: 0,
                rules_number: orchestrator_machine::RULES_NUMBER,
            });
        }
        Absence::Suspend(ms) => machine.wait(ms),
        Absence::Clock(ms) => machine.set_clock(ms),
    }
}

/// Lets agents that know nothing answer until the machine rests; gives each tick's trigger and the stale ones that its
/// trace names.
fn ticks(machine: &mut Machine) -> Vec<(TriggerSource, Vec<TriggerSource>)> {
    let mut ticks = Vec::new();
    for _ in 0..32 {
        for call in machine.calls() {
            match call.reply {
                ReplyTo::Ingest { agent, number } => machine.tell(EventKind::Ingested {
                    agent,
                    number,
                    answer: Some(IngestedFacts {
                        cursor: 0,
                        facts: vec![],
                        more: false,
                    }),
                }),
                ReplyTo::Tick { agent, tick, attempt } => machine.tell(EventKind::TickAnswered {
                    agent,
                    tick,
                    attempt,
                    answer: TickAnswer::Answered(TickResult {
                        candidates: vec![],
                        readings: vec![],
                        status: TickStatus::NoData,
                    }),
                }),
                ReplyTo::Action { .. } | ReplyTo::Call { .. } => panic!("nothing is ever chosen here"),
            }
        }
        if let Some(trace) = machine.trace() {
            let stale = &trace.decision.stale_triggers;
            ticks.push((
                trace.decision.trigger.source,
                stale.iter().map(|stale| stale.source).collect(),
            ));
            machine.tell(EventKind::TraceKept {
                trace_id: trace.trace_id,
                ok: true,
            });
            machine.wait(SECOND);
        } else if machine.calls().is_empty() {
            assert_eq!(machine.state.phase, MachinePhase::Idle);
            return ticks;
        }
    }
    panic!("a burst: {ticks:?}");
}

/// What starts after the absence, and what the first trace afterwards names as stale: the owner asks for one tick more, so
/// that there is a trace.
fn after(schedules: &[Schedule], absence: Absence) -> (Vec<TriggerSource>, Vec<TriggerSource>) {
    let mut machine = promised(schedules);
    absent(&mut machine, absence);
    let mut ran = ticks(&mut machine);
    machine.tell(EventKind::OwnerTick);
    ran.extend(ticks(&mut machine));
    let stale = ran.iter().flat_map(|(_, stale)| stale.clone()).collect();
    assert_eq!(
        ran.pop().map(|(source, _)| source),
        Some(Owner),
        "{schedules:?} {absence:?}"
    );
    (ran.into_iter().map(|(source, _)| source).collect(), stale)
}

#[test]
fn what_was_missed_runs_once_while_it_makes_sense_and_is_named_where_it_does_not() {
    let (restart, suspend) = (Absence::Restart, Absence::Suspend);
    let short = [restart(5 * MINUTE), suspend(5 * MINUTE)];
    let two_hours = [restart(2 * HOUR), suspend(2 * HOUR)];
    let two_days = [restart(48 * HOUR), suspend(48 * HOUR)];
    for schedule in ALL {
        // The trigger it starts, if any; whether it still makes sense two hours later; whether a clock moves it.
        let (source, in_two_hours, of_the_clock) = match schedule {
            // 07:37, and on the timeline: five minutes after 07:27 it is not due.
            Schedule::Interval => (None, false, false),
            Schedule::Brief => (Some(BriefTime), false, true),
            Schedule::Alert => (Some(AlertAt), false, true),
            // Promised for so long, so the clock does not end them.
            Schedule::MuteEnd => (Some(MuteEnded), false, false),
            Schedule::PauseEnd => (Some(RuleEnded), false, false),
            Schedule::RuleEnd => (Some(RuleEnded), false, true),
            // The window is on the timeline.
            Schedule::WindowEnd => (Some(WindowEnded), false, false),
            Schedule::WindowEndLongBefore => (Some(WindowEnded), true, false),
            Schedule::DoNotDisturbEnd => (None, false, false),
        };
        let it: Vec<_> = source.into_iter().collect();
        for absence in short {
            // Two minutes late.
            assert_eq!(
                after(&[schedule], absence),
                (it.clone(), vec![]),
                "{schedule:?} {absence:?}"
            );
        }
        for absence in two_hours {
            // The interval was missed seven times and runs once.
            let (ran, stale) = after(&[schedule], absence);
            let mut sorted = ran.clone();
            sorted.sort_unstable();
            let mut want = vec![Interval];
            want.extend(it.iter().filter(|_| in_two_hours));
            want.sort_unstable();
            assert_eq!(sorted, want, "{schedule:?} {absence:?}");
            let named: Vec<_> = it.iter().copied().filter(|_| !in_two_hours).collect();
            assert_eq!(stale, named, "{schedule:?} {absence:?}");
        }
        for absence in two_days {
            assert_eq!(
                after(&[schedule], absence),
                (vec![Interval], it.clone()),
                "{schedule:?} {absence:?}"
            );
        }
        // 08:27: what the clock was set over is 57 minutes late.
        let named: Vec<_> = it.iter().copied().filter(|_| of_the_clock).collect();
        assert_eq!(
            after(&[schedule], Absence::Clock(HOUR)),
            (vec![], named),
            "{schedule:?}"
        );
        // 06:27: nothing is due.
        assert_eq!(
            after(&[schedule], Absence::Clock(-HOUR)),
            (vec![], vec![]),
            "{schedule:?}"
        );
    }
}

#[test]
fn after_two_days_there_is_one_tick_whatever_was_promised() {
    for absence in [Absence::Restart(48 * HOUR), Absence::Suspend(48 * HOUR)] {
        let (ran, mut stale) = after(&ALL, absence);
        assert_eq!(ran, [Interval], "{absence:?}");
        stale.sort_unstable();
        // One waits for the window at a time, and the ends of a pause and of a rule are one trigger.
        let mut want = [BriefTime, AlertAt, MuteEnded, RuleEnded, WindowEnded];
        want.sort_unstable();
        assert_eq!(stale, want, "{absence:?}");
    }
}

#[test]
fn the_interval_and_the_brief_go_on_from_the_return() {
    for absence in [Absence::Restart(48 * HOUR), Absence::Suspend(48 * HOUR)] {
        let mut machine = promised(&[Schedule::Brief]);
        absent(&mut machine, absence);
        assert_eq!(
            (machine.state.interval_at, machine.state.brief_wall),
            // Back at 07:27 on the 5th: a quarter of an hour later, and at 07:30 the same day.
            (ts("2026-11-05T07:42:00+05:30"), ts("2026-11-05T07:30:00+05:30")),
            "{absence:?}"
        );
    }
}

/// Wellness read the load so many minutes ago.
fn read_load(machine: &mut Machine, ago_min: i64, score: u8) {
    machine.tell(EventKind::SourcesChanged {
        agent: AgentName::Wellness,
    });
    let number = machine.calls().into_iter().find_map(|call| match call.reply {
        ReplyTo::Ingest {
            agent: AgentName::Wellness,
            number,
        } => Some(number),
        ReplyTo::Ingest { .. } | ReplyTo::Tick { .. } | ReplyTo::Action { .. } | ReplyTo::Call { .. } => None,
    });
    let at = machine.state.wall(machine.at).plus_min(-ago_min);
    machine.tell(EventKind::Ingested {
        agent: AgentName::Wellness,
        number: number.unwrap(),
        answer: Some(IngestedFacts {
            cursor: 1,
            facts: vec![IngestFact::Load {
                score,
                state: if score >= 70 {
                    WellnessState::Stressed
                } else {
                    WellnessState::Baseline
                },
                entered_at: at,
                at,
            }],
            more: false,
        }),
    });
}

fn known(machine: &Machine) -> (Option<WellnessState>, Option<u8>) {
    (machine.state.known.state, machine.state.known.load_score)
}

#[test]
fn what_was_read_of_the_owner_counts_for_an_hour() {
    const LOW: (Option<WellnessState>, Option<u8>) = (Some(WellnessState::Baseline), Some(40));
    // How many minutes old it is when it comes (negative: dated ahead), how many later somebody looks, whether it is known then.
    for (ago, later, is_known) in [
        (0, 59, true),
        (0, 60, false),
        (10, 49, true),
        (10, 50, false),
        (59, 0, true),
        (60, 0, false),
        (2000, 0, false),
        (-5, 59, true),
        (-5, 60, false),
    ] {
        let mut machine = Machine::started(begin());
        read_load(&mut machine, ago, 40);
        machine.wait(later * MINUTE);
        let wanted = if is_known { LOW } else { (None, None) };
        assert_eq!(known(&machine), wanted, "{ago} min old, {later} min later");
    }
    // A newer one counts from its own time, and a clock that is set takes nothing away.
    let mut machine = Machine::started(begin());
    read_load(&mut machine, 0, 40);
    machine.wait(30 * MINUTE);
    read_load(&mut machine, 0, 40);
    machine.set_clock(5 * HOUR);
    machine.wait(59 * MINUTE);
    assert_eq!(known(&machine), LOW);
    machine.wait(MINUTE);
    assert_eq!(known(&machine), (None, None));
}

#[test]
fn stress_after_readings_that_had_stopped_is_news_again() {
    let mut machine = Machine::started(begin());
    let mut ticks = vec![];
    // Stress at 07:22; more of it at 07:52 crosses no line; at 09:02, 70 min after the last reading, it does.
    for minutes in [0, 30, 70] {
        machine.wait(minutes * MINUTE);
        // The regular look that was due meanwhile.
        machine.wait(20 * SECOND);
        let before = machine.state.ticks;
        read_load(&mut machine, 0, 80);
        machine.wait(10 * SECOND);
        ticks.push(machine.state.ticks - before);
    }
    assert_eq!(ticks, [1, 0, 1]);
}
