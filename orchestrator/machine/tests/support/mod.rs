//! A machine with one owner in Kolkata, driven by hand.
//!
//! What: [`Machine`], started in an afternoon, and brought to an open prompt. Why: the tests of one promise each need the
//! same way there. Not here: random days (`properties`), recorded days (`tests/days` of the workspace).

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use chrono::NaiveTime;
use orchestrator_machine::{
    Effect, EventKind, MachineEnv, MachineEvent, MachineState, cards,
    effect::{OutgoingCall, ReplyTo, SubmissionVerdict},
    env::{DailyWindow, MachineSettings},
    event::{IngestedFacts, TickAnswer},
    policy::{DEFAULT_TEXT, Policy},
    step,
};
use serde_json::json;
use std::sync::LazyLock;
use toolcall_schema::{
    ActionKind, AgentName, StateName, Surface, Timestamp, WellnessState,
    catalogue::comms::EvidenceCode,
    ids::{CardId, OwnerSeed},
    milli::Milli,
    names::SubmitAct,
    tick::{Candidate, Subject, TickResult, TickStatus},
    trace::{Card, Decision, Trace},
    validate::{self, SchemaValidator, ValidatorOptions},
};

/// Whether `decision.v1` admits a decision.
pub(crate) fn is_admitted(decision: &Decision) -> bool {
    static SCHEMA: LazyLock<SchemaValidator> = LazyLock::new(|| {
        let schema = serde_json::from_str(validate::published("decision.v1").unwrap()).unwrap();
        let options = ValidatorOptions {
            draft: None,
            assert_format: true,
        };
        SchemaValidator::new(&schema, options).unwrap()
    });
    SCHEMA.check(&serde_json::to_value(decision).unwrap()).is_ok()
}

pub(crate) const SECOND: i64 = 1000;
pub(crate) const HOUR: i64 = 3600 * SECOND;
pub(crate) fn ts(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

/// The afternoon on which everything here begins; the owner lives in Kolkata.
pub(crate) fn afternoon() -> Timestamp {
    ts("2026-11-03T15:00:00+05:30")
}

#[derive(Clone)]
pub(crate) struct Machine {
    pub(crate) env: MachineEnv,
    pub(crate) state: MachineState,
    pub(crate) at: Timestamp,
    pub(crate) out: Vec<Effect>,
    /// Calls of chosen actions so far.
    pub(crate) sent: usize,
}

impl Machine {
    /// Started, and every agent has read what there was: nothing.
    pub(crate) fn started(wall: Timestamp) -> Self {
        let at = |h, m| NaiveTime::from_hms_opt(h, m, 0).unwrap();
        let env = MachineEnv {
            policy: Policy::parse(DEFAULT_TEXT).unwrap(),
            settings: MachineSettings {
                zone: chrono_tz::Asia::Kolkata,
                ceiling: 3,
                brief: DailyWindow {
                    from: at(7, 30),
                    to: at(12, 0),
                },
                dnd: vec![],
                model: false,
                kinds: std::collections::BTreeMap::new(),
            },
            seed: OwnerSeed::from_day_seed("clock"),
            catalogue_hash: "0".repeat(64),
        };
        let state = MachineState::new(&env, wall);
        let (policy_hash, catalogue_hash) = (env.policy.hash().to_owned(), env.catalogue_hash.clone());
        let mut machine = Self {
            env,
            state,
            at: wall,
            out: vec![],
            sent: 0,
        };
        machine.tell(EventKind::Started {
            wall,
            policy_hash,
            catalogue_hash,
            settings_hash: String::new(),
            kept_ticks: 0,
            rules_number: orchestrator_machine::RULES_NUMBER,
        });
        machine.read_nothing();
        machine
    }

    pub(crate) fn tell(&mut self, what: EventKind) {
        let event = MachineEvent { at: self.at, what };
        let (state, effects) = step(&self.env, self.state.clone(), event);
        self.state = state;
        self.out = effects;
        let action = |call: &OutgoingCall| matches!(call.reply, ReplyTo::Action { .. });
        self.sent += self.calls().iter().filter(|call| action(call)).count();
    }

    /// So much later, on the timeline.
    pub(crate) fn wait(&mut self, ms: i64) {
        self.at = self.at.plus_ms(ms);
        self.tell(EventKind::Time);
    }

    pub(crate) fn set_clock(&mut self, jump_ms: i64) {
        let wall = self.state.wall(self.at).plus_ms(jump_ms);
        self.tell(EventKind::ClockSet { wall });
        assert_eq!(self.state.wall(self.at), wall);
    }

    pub(crate) fn calls(&self) -> Vec<OutgoingCall> {
        let calls = self.out.iter().filter_map(|effect| {
            let Effect::Call(outgoing) = effect else {
                return None;
            };
            Some((**outgoing).clone())
        });
        calls.collect()
    }

    pub(crate) fn read_nothing(&mut self) {
        for call in self.calls() {
            if let ReplyTo::Ingest { agent, number } = call.reply {
                let answer = Some(IngestedFacts {
                    cursor: 0,
                    facts: vec![],
                    more: false,
                });
                self.tell(EventKind::Ingested {
                    agent,
                    number,
                    answer,
                });
            }
        }
    }

    /// `DRAFT_REPLY` waits for a confirmation on the phone, where it was shown. In BASELINE M is 1: 0.85 × 0.85 − 0.20 −
    /// 0.05 = 0.473.
    pub(crate) fn prompted() -> Self {
        let mut machine = Self::started(afternoon());
        machine.state.known.state = Some(WellnessState::Baseline);
        machine.tell(EventKind::Connected {
            surface: Surface::PhoneCard,
        });
        let draft = Candidate {
            kind: ActionKind::DraftReply,
            subject: Subject::parse("it_0000000000000001").unwrap(),
            confidence: Milli(850),
            args: json!({"item_id": "it_0000000000000001", "tone": "casual", "length_max": 280}),
            valid_until: None,
            evidence: vec![EvidenceCode::AsksQuestion, EvidenceCode::Named],
            let_through: false,
        };
        machine.proposed(AgentName::Comms, &draft);
        machine.tell(EventKind::Committed { tick: 1, ok: true });
        assert_eq!(machine.state.phase.name(), StateName::AwaitingConfirm);
        let card_id = cards::current_card(&machine.state).unwrap().card_id;
        machine.tell(EventKind::Shown {
            card_id,
            surface: Surface::PhoneCard,
        });
        machine
    }

    /// The phone is unlocked, and one agent proposes one thing.
    pub(crate) fn proposed(&mut self, by: AgentName, what: &Candidate) {
        self.tell(EventKind::PhoneUnlocked);
        for call in self.calls() {
            let ReplyTo::Tick { agent, tick, attempt } = call.reply else {
                continue;
            };
            let answer = TickAnswer::Answered(TickResult {
                candidates: Vec::from_iter((agent == by).then(|| what.clone())),
                readings: vec![],
                status: TickStatus::Ok,
            });
            self.tell(EventKind::TickAnswered {
                agent,
                tick,
                attempt,
                answer,
            });
        }
    }

    /// The open prompt's card.
    pub(crate) fn card(&self) -> Card {
        cards::current_card(&self.state).unwrap()
    }

    /// The owner confirms on the phone what it shows.
    pub(crate) fn confirm(&mut self) -> SubmissionVerdict {
        let card = self.card();
        let capability = card.prompts[0].capability.clone();
        self.submit(
            &card.card_id,
            Surface::PhoneCard,
            SubmitAct::Confirm,
            Some(&capability),
        )
    }

    pub(crate) fn submit(
        &mut self,
        card_id: &CardId,
        surface: Surface,
        act: SubmitAct,
        capability: Option<&str>,
    ) -> SubmissionVerdict {
        self.tell(EventKind::Submitted {
            request: 1,
            card_id: card_id.clone(),
            surface,
            act,
            capability: capability.map(str::to_owned),
        });
        // A confirmation is answered when it is on disk.
        self.verdict().unwrap_or_else(|| {
            self.tell(EventKind::Committed { tick: 1, ok: true });
            self.verdict().unwrap()
        })
    }

    fn verdict(&self) -> Option<SubmissionVerdict> {
        self.out.iter().find_map(|effect| {
            let Effect::Reply { request: 1, verdict } = effect else {
                return None;
            };
            Some(*verdict)
        })
    }

    /// The trace that was just kept.
    pub(crate) fn trace(&self) -> Option<Trace> {
        self.out.iter().find_map(|effect| {
            let Effect::KeepTrace(trace) = effect else {
                return None;
            };
            Some((**trace).clone())
        })
    }
}
