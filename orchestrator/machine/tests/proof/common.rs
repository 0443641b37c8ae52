//! A machine with quick agents.
//!
//! What: [`Bench`], which steps the machine and answers every ingest with nothing read, and candidates that pass their
//! tools' schemas. Why: each proof says only what it is about. Not here: what is proven.

use chrono::NaiveTime;
use orchestrator_machine::{
    Effect, EventKind, MachineEnv, MachineEvent, MachineState, advance,
    effect::ReplyTo,
    env::{DailyWindow, MachineSettings},
    event::{ActionReply, IngestedFacts, TickAnswer},
    next_due,
    policy::{DEFAULT_TEXT, Policy},
};
use serde_json::{Value, json};
use toolcall_schema::{
    ActionKind, AgentName, Timestamp, gate,
    ids::OwnerSeed,
    milli::Milli,
    tick::{Candidate, IngestFact, Subject, TickResult, TickStatus},
};

pub(crate) fn ts(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

/// The owner lives in Kolkata, has three tokens a day and no do-not-disturb windows; the brief may be offered from 07:30
/// to 12:00; no model.
pub(crate) fn env(policy: &str) -> MachineEnv {
    let at = |h, m| NaiveTime::from_hms_opt(h, m, 0).unwrap();
    MachineEnv {
        policy: Policy::parse(policy).unwrap(),
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
        seed: OwnerSeed::from_day_seed("proof"),
        catalogue_hash: gate::catalogue_hash().to_owned(),
    }
}

pub(crate) fn default_env() -> MachineEnv {
    env(DEFAULT_TEXT)
}

/// An id of a family, e.g. `ch_0000000000000001`.
pub(crate) fn hash(prefix: &str, n: u32) -> String {
    format!("{prefix}_{n:016x}")
}

/// An action about the `n`-th thing of its sort, with arguments that pass its tool's schema.
pub(crate) fn candidate(kind: ActionKind, n: u32, confidence: i64, at: Timestamp) -> Candidate {
    let (channel, event, item) = (hash("ch", n), hash("ev", n), hash("it", n));
    let (subject, args): (&str, Value) = match kind {
        ActionKind::MuteGroup30 => (&channel, json!({"channel_hash": channel, "ttl_seconds": 1800})),
        ActionKind::Breathe478 => ("self", json!({"cycles": 4})),
        ActionKind::Nap15 => ("self", json!({"duration_min": 15})),
        ActionKind::PermitLeisure => ("self", json!({"window_min": 90})),
        ActionKind::BatchDigest => (&channel, json!({"channel_hash": channel, "since": at})),
        ActionKind::ShowBrief => (
            "2026-11-03",
            json!({"sections": [{"section": "messages", "total": 3, "actionable": 1}]}),
        ),
        ActionKind::LeaveByAlert => (&event, json!({"event_id": event, "buffer_min": 15})),
        ActionKind::PrepareMeeting => (&event, json!({"event_id": event})),
        ActionKind::CategorizeTxn => ("self", json!({"txn_ids": [hash("tx", n)]})),
        ActionKind::SurfaceAnomaly => (
            "food_delivery",
            json!({"category": "food_delivery", "severity": "high", "day": "2026-11-03", "window_days": 30}),
        ),
        ActionKind::ProjectBalance => ("all", json!({"day": "2026-11-03"})),
        ActionKind::DraftReply => (
            &item,
            json!({"item_id": item, "tone": "casual", "length_max": 280}),
        ),
        ActionKind::DeclineEvent => (&event, json!({"event_id": event, "reason_template": "conflict"})),
    };
    Candidate {
        kind,
        subject: Subject::parse(subject).unwrap(),
        confidence: Milli(confidence),
        args,
        valid_until: None,
        evidence: vec![],
        let_through: false,
    }
}

/// An agent's answer with these candidates.
pub(crate) fn answer(candidates: Vec<Candidate>) -> TickAnswer {
    TickAnswer::Answered(TickResult {
        candidates,
        readings: vec![],
        status: TickStatus::Ok,
    })
}

/// A machine whose agents read at once and nothing.
pub(crate) struct Bench {
    pub(crate) env: MachineEnv,
    pub(crate) state: MachineState,
    pub(crate) at: Timestamp,
    /// All effects so far.
    pub(crate) out: Vec<Effect>,
}

impl Bench {
    pub(crate) fn started(env: MachineEnv, at: Timestamp) -> Self {
        let state = MachineState::new(&env, at);
        let mut bench = Self {
            env,
            state,
            at,
            out: vec![],
        };
        bench.start();
        bench
    }

    /// Starts, for the first time or again.
    pub(crate) fn start(&mut self) {
        self.start_with(0);
    }

    /// The same, with a trace of that tick kept.
    pub(crate) fn start_with(&mut self, kept_ticks: u64) {
        let (policy_hash, catalogue_hash) =
            (self.env.policy.hash().to_owned(), self.env.catalogue_hash.clone());
        let wall = self.at;
        self.happen(EventKind::Started {
            wall,
            policy_hash,
            catalogue_hash,
            settings_hash: String::new(),
            kept_ticks,
            rules_number: orchestrator_machine::RULES_NUMBER,
        });
    }

    pub(crate) fn happen(&mut self, what: EventKind) {
        self.happen_with(what, &[]);
    }

    /// Something happens; ingests that follow are answered, the first one of `facts`' agent with them.
    fn happen_with(&mut self, what: EventKind, facts: &[(AgentName, IngestFact)]) {
        let effects = advance(&self.env, &mut self.state, MachineEvent { at: self.at, what });
        let asked: Vec<(AgentName, u64)> = effects
            .iter()
            .filter_map(|effect| {
                let Effect::Call(call) = effect else { return None };
                let ReplyTo::Ingest { agent, number } = call.reply else {
                    return None;
                };
                Some((agent, number))
            })
            .collect();
        self.out.extend(effects);
        for (agent, number) in asked {
            let facts = facts.iter().filter(|(whose, _)| *whose == agent);
            self.happen(EventKind::Ingested {
                agent,
                number,
                answer: Some(IngestedFacts {
                    cursor: number,
                    facts: facts.map(|(_, fact)| fact.clone()).collect(),
                    more: false,
                }),
            });
        }
    }

    /// An agent says something after reading.
    pub(crate) fn learn(&mut self, agent: AgentName, fact: IngestFact) {
        self.happen_with(EventKind::SourcesChanged { agent }, &[(agent, fact)]);
    }

    /// Lets the clock run to an instant; what is due on the way happens at its own time.
    pub(crate) fn wait_until(&mut self, to: Timestamp) {
        while let Some(due) = next_due(&self.state).filter(|due| *due <= to) {
            self.at = self.at.max(due);
            self.happen(EventKind::Time);
        }
        self.at = self.at.max(to);
        self.happen(EventKind::Time);
    }

    /// The four answer the tick that is being asked about.
    pub(crate) fn answer_tick(&mut self, candidates: &[(AgentName, Candidate)]) {
        let tick = self.state.ticks;
        for agent in AgentName::FOUR {
            let own = candidates.iter().filter(|(whose, _)| *whose == agent);
            let answer = answer(own.map(|(_, candidate)| candidate.clone()).collect());
            self.happen(EventKind::TickAnswered {
                agent,
                tick,
                attempt: 0,
                answer,
            });
        }
    }
}

/// A tool that did what it was asked.
pub(crate) fn done() -> ActionReply {
    ActionReply::Done {
        result: json!({}),
        effects: vec![],
    }
}
