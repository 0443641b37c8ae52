//! A wall clock that is set, forward and back.
//!
//! What: `ClockSet` against every promise about time. Why: a dead battery, a wrong zone or a time server moves the clock
//! by years, and nobody's prompt, pause or budget may move with it. Not here: noticing the jump (`orchestrator`'s clock),
//! its way through the actors (`tests/bad_input`).

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use chrono::NaiveTime;
use orchestrator_machine::{
    Effect, Env, Event, State, What, cards,
    effect::{Outgoing, ReplyTo},
    env::{Settings, Span},
    event::{Ingest, TickAnswer},
    next_due,
    policy::{DEFAULT_TEXT, Policy},
    step,
};
use serde_json::json;
use toolcall_schema::{
    ActionKind, AgentName, Outcome, ReasonCode, StateName, Surface, Timestamp, WellnessState,
    ids::{ChannelHash, OwnerSeed},
    milli::Milli,
    names::SubmitAct,
    tick::{Candidate, Subject, TickResult, TickStatus, TriggerSource},
};

const SECOND: i64 = 1000;
const HOUR: i64 = 3600 * SECOND;
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

fn ts(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

/// The afternoon on which everything here begins; the owner lives in Kolkata.
fn afternoon() -> Timestamp {
    ts("2026-11-03T15:00:00+05:30")
}

struct Machine {
    env: Env,
    state: State,
    at: Timestamp,
    out: Vec<Effect>,
}

impl Machine {
    /// Started, and every agent has read what there was: nothing.
    fn started(wall: Timestamp) -> Self {
        let at = |h, m| NaiveTime::from_hms_opt(h, m, 0).unwrap();
        let env = Env {
            policy: Policy::parse(DEFAULT_TEXT).unwrap(),
            settings: Settings {
                zone: chrono_tz::Asia::Kolkata,
                ceiling: 3,
                brief: Span {
                    from: at(7, 30),
                    to: at(12, 0),
                },
                dnd: vec![],
                model: false,
            },
            seed: OwnerSeed::of_day("clock"),
            catalogue_hash: "0".repeat(64),
        };
        let state = State::new(&env, wall);
        let (policy_hash, catalogue_hash) = (env.policy.hash().to_owned(), env.catalogue_hash.clone());
        let mut machine = Self {
            env,
            state,
            at: wall,
            out: vec![],
        };
        machine.tell(What::Started {
            wall,
            policy_hash,
            catalogue_hash,
        });
        machine.read_nothing();
        machine
    }

    fn tell(&mut self, what: What) {
        let event = Event { at: self.at, what };
        let (state, effects) = step(&self.env, self.state.clone(), event);
        self.state = state;
        self.out = effects;
    }

    /// So much later, on the timeline.
    fn wait(&mut self, ms: i64) {
        self.at = self.at.plus_ms(ms);
        self.tell(What::Time);
    }

    fn set_clock(&mut self, jump_ms: i64) {
        let wall = self.state.wall(self.at).plus_ms(jump_ms);
        self.tell(What::ClockSet { wall });
        assert_eq!(self.state.wall(self.at), wall);
    }

    fn calls(&self) -> Vec<Outgoing> {
        let calls = self.out.iter().filter_map(|effect| {
            let Effect::Call(outgoing) = effect else {
                return None;
            };
            Some((**outgoing).clone())
        });
        calls.collect()
    }

    fn read_nothing(&mut self) {
        for call in self.calls() {
            if let ReplyTo::Ingest { agent, number } = call.reply {
                let answer = Some(Ingest {
                    cursor: 0,
                    facts: vec![],
                });
                self.tell(What::Ingested {
                    agent,
                    number,
                    answer,
                });
            }
        }
    }

    /// `DRAFT_REPLY` waits for a confirmation on the phone, where it was shown. In BASELINE M is 1: 0.85 × 0.85 − 0.20 −
    /// 0.05 = 0.473.
    fn prompted() -> Self {
        let mut machine = Self::started(afternoon());
        machine.state.known.state = Some(WellnessState::Baseline);
        machine.tell(What::Connected {
            surface: Surface::PhoneCard,
        });
        machine.tell(What::PhoneUnlocked);
        let draft = Candidate {
            kind: ActionKind::DraftReply,
            subject: Subject::parse("it_0000000000000001").unwrap(),
            confidence: Milli(850),
            args: json!({"item_id": "it_0000000000000001", "tone": "casual", "length_max": 280}),
            valid_until: None,
        };
        for call in machine.calls() {
            let ReplyTo::Tick { agent, tick, attempt } = call.reply else {
                continue;
            };
            let answer = TickAnswer::Answered(TickResult {
                candidates: Vec::from_iter((agent == AgentName::Comms).then(|| draft.clone())),
                readings: vec![],
                status: TickStatus::Ok,
            });
            machine.tell(What::TickAnswered {
                agent,
                tick,
                attempt,
                answer,
            });
        }
        machine.tell(What::Committed { tick: 1, ok: true });
        assert_eq!(machine.state.phase.name(), StateName::AwaitingConfirm);
        let card_id = cards::current(&machine.state).unwrap().card_id;
        machine.tell(What::Shown {
            card_id,
            surface: Surface::PhoneCard,
        });
        machine
    }

    fn confirm(&mut self) {
        let card = cards::current(&self.state).unwrap();
        self.tell(What::Submitted {
            request: 1,
            card_id: card.card_id,
            surface: Surface::PhoneCard,
            act: SubmitAct::Confirm,
            capability: Some(card.prompts[0].capability.clone()),
        });
    }
}

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
        let timers = |state: &State| {
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
        machine.tell(What::Time);
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
        machine.tell(What::Paused { until });
        machine
            .state
            .mutes_wall
            .insert(channel, afternoon().plus_min(120));
        machine
            .state
            .courses_wall
            .insert(trace_id, afternoon().plus_min(120));
        let lasting = |state: &State| {
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
        machine.tell(What::ClockSet { wall: ts(set_to) });
        let briefs = machine.state.ticks;
        assert_eq!((machine.state.brief_wall, briefs), (ts(next), triggers), "{wall}");
        if triggers == 1 {
            let call = machine.calls().remove(0);
            let source = &call.call.args["trigger"]["source"];
            assert_eq!(*source, TriggerSource::BriefTime.as_str(), "{wall}");
        }
    }
}
