//! Ending a mute, the pause and a rule through the real actors, while a prompt is open.
//!
//! What: a breath is asked for, and the owner ends something while that prompt waits; then the store, the lists and the journal are
//! looked at. Why: what is tested is what runs. Not here: every stage and crash of a call (the
//! machine's `tests/calls.rs`), the page and the command line (`surfaces/tests`, `docs/cli.md`).

use aura_memory::{Store, StoreOptions, StoreReader, Vault};
use aura_platform::{clock::Clock, in_flight::InFlight};
use aura_runtime::{
    accounts::LiveAccounts,
    backend::ServiceBackend,
    config::HomeConfig,
    journal::{JournalReplay, ReplayContext},
    wiring::{self, AgentHosting, OpenedFolder, RunningSystem, SystemParts},
};
use llm_runtime::AbsentModel;
use orchestrator_machine::{
    Effect, MachineEnv, MachineState, cards,
    policy::{DEFAULT_TEXT, Policy},
};
use serde_json::{Value, json};
use std::{collections::BTreeMap, path::Path, sync::Arc};
use surfaces_base::backend::{AnswerReply, AnswerSubmission, Backend, OwnerCall, OwnerCallError};
use toolcall_schema::{
    ActionKind, Outcome, StateName, SubmitAct, Surface, Timestamp, gate,
    ids::{ChannelHash, OwnerSeed, TraceId},
    rule::{OwnerInstruction, OwnerRule, RuleError, RuleName},
    signal::{AdmittedSignal, SignalKind},
    tick::TriggerSource,
    trace::{Asker, RequestedCall, Trace},
};

const SEED: &str = "calls";

fn ts(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

fn start() -> Timestamp {
    ts("2026-11-03T14:28:00+05:30")
}

struct Afternoon {
    busy: InFlight,
    system: RunningSystem,
}

impl Afternoon {
    async fn begin(dir: &Path) -> Self {
        let busy = InFlight::default();
        let clock = Clock::at_rest(start(), busy.clone());
        let home = HomeConfig::of_day(Path::new("day.toml"), "Asia/Kolkata", 3).unwrap();
        let seed = OwnerSeed::from_day_seed(SEED);
        let vault = Vault::demo(dir).unwrap();
        let (store, _) = Store::open(&vault, StoreOptions::default()).unwrap();
        let env = Arc::new(MachineEnv {
            policy: Policy::parse(DEFAULT_TEXT).unwrap(),
            settings: home.settings.clone(),
            seed: seed.clone(),
            catalogue_hash: gate::catalogue_hash().to_owned(),
        });
        let system = wiring::start(SystemParts {
            env,
            vault,
            opened: OpenedFolder {
                store,
                state: None,
                next_seq: 1,
                kept_ticks: 0,
                confirmed_time: None,
                agent_states: BTreeMap::new(),
            },
            setup: home.setup(&seed),
            agents: AgentHosting::Inline,
            clock,
            busy: busy.clone(),
            faults: std::sync::Arc::new(aura_runtime::fault_plan::NoFaults),
            model: Box::new(AbsentModel),
            model_board: aura_process::model_supervisor::ModelStatus::default(),
            policy_text: DEFAULT_TEXT.to_owned(),
            day_seed: None,
            accounts: LiveAccounts::default(),
        })
        .unwrap();
        busy.quiet().await;
        system.backend.connected(Surface::PhoneCard, 1);
        busy.quiet().await;
        Self { busy, system }
    }

    fn backend(&self) -> &ServiceBackend {
        &self.system.backend
    }

    async fn post(&self, signals: Vec<AdmittedSignal>) {
        self.backend().signals(signals).await.unwrap();
        self.busy.quiet().await;
    }

    async fn state(&self) -> Arc<MachineState> {
        self.backend().look().await.unwrap().state
    }

    /// The prompt that is open, shown on the phone.
    async fn shown(&self, kind: ActionKind) {
        let card = cards::current_card(&*self.state().await).unwrap();
        assert_eq!(
            card.decision.chosen.as_ref().map(|chosen| chosen.kind),
            Some(kind)
        );
        self.backend().card_shown(card.card_id, Surface::PhoneCard);
        self.busy.quiet().await;
    }

    async fn confirm(&self) {
        let card = cards::current_card(&*self.state().await).unwrap();
        let submission = AnswerSubmission {
            card_id: card.card_id,
            surface: Surface::PhoneCard,
            act: SubmitAct::Confirm,
            capability: card.prompts.first().map(|prompt| prompt.capability.clone()),
        };
        let reply = self.backend().answer(submission).await.unwrap();
        assert_eq!(
            reply,
            AnswerReply::Accepted {
                outcome: None,
                again_at: None
            }
        );
        self.busy.quiet().await;
    }

    async fn end_mute(&self, channel: &ChannelHash, key: &str) -> Result<TraceId, OwnerCallError> {
        self.end(OwnerCall::Unmute(channel.clone()), key).await
    }

    async fn end(&self, what: OwnerCall, key: &str) -> Result<TraceId, OwnerCallError> {
        let done = self.backend().end(what, Some(key.to_owned()));
        let done = done.await.unwrap();
        self.busy.quiet().await;
        done
    }
}

fn signal(id: &str, kind: SignalKind, payload: &Value) -> AdmittedSignal {
    let signal = json!({ "id": id, "at": start(), "source": "test", "kind": kind, "payload": payload });
    gate::admit_signal(signal.to_string().as_bytes()).unwrap()
}

/// 30 messages in one chat, then a load of 72 with strong signs: MUTE 1.0 × 0.65 × 1.4 − 0.15 = 0.760.
async fn mute(day: &Afternoon) -> ChannelHash {
    let say = |n: u32| {
        let payload =
            json!({"app": "org.example.chat", "channel": "Hostel 5", "sender": "Joss", "text": "haha"});
        signal(&format!("n{n}"), SignalKind::Notification, &payload)
    };
    day.post((0..30).map(say).collect()).await;
    let activity = json!({
        "typing_entropy": 5.0, "app_switch_rate": 14, "notif_dismiss_rate": 0.5, "screen_on_min": 30
    });
    day.post(vec![
        signal("sleep", SignalKind::Sleep, &json!({"asleep_min": 420})),
        signal("hrv", SignalKind::Hrv, &json!({"rmssd_ms": 33})),
        signal("activity", SignalKind::Activity, &activity),
    ])
    .await;
    let mut state = day.state().await;
    if state.phase.name() == StateName::Cooldown {
        // The burst's own tick is just over.
        let clock = &day.backend().clock;
        clock.set(clock.next_waiter().unwrap());
        day.busy.quiet().await;
        state = day.state().await;
    }
    assert_eq!(state.phase.name(), StateName::AwaitingConfirm);
    day.shown(ActionKind::MuteGroup30).await;
    day.confirm().await;
    let muted = day.state().await.mutes_wall.clone();
    muted.keys().next().cloned().unwrap()
}

#[test]
fn a_mute_is_ended_while_a_prompt_is_open_and_the_journal_makes_its_trace_again() {
    let dir = tempfile::tempdir().unwrap();
    let vault = Vault::demo(dir.path()).unwrap();
    actix::System::new().block_on(async {
        let day = Afternoon::begin(dir.path()).await;
        let channel = mute(&day).await;
        let clock = &day.backend().clock;
        clock.set(clock.next_waiter().unwrap());
        day.busy.quiet().await;
        day.backend().tick().await.unwrap();
        day.busy.quiet().await;
        day.shown(ActionKind::Breathe478).await;
        let before = day.state().await;

        let trace_id = day.end_mute(&channel, "once").await.unwrap();
        let after = day.state().await;
        assert_eq!(after.phase, before.phase, "the prompt is still open");
        assert_eq!((after.mutes_wall.len(), after.ticks), (0, before.ticks));
        // The same again gets the first outcome; another request finds no mute.
        assert_eq!(day.end_mute(&channel, "once").await, Ok(trace_id.clone()));
        assert_eq!(
            day.end_mute(&channel, "twice").await,
            Err(OwnerCallError::NotMuted)
        );

        let reader = StoreReader::open(&vault).unwrap();
        let row = reader.trace(&trace_id).unwrap().unwrap();
        let trace: Trace = serde_json::from_str(&row.json).unwrap();
        gate::check_trace(&trace).unwrap();
        assert_eq!(
            (trace.outcome, trace.decision.trigger.source),
            (Outcome::Confirmed, TriggerSource::Call)
        );
        let (number, asker) = (2, Asker::OwnerPage);
        assert_eq!(trace.decision.call, Some(RequestedCall { number, asker }));
        // The first call told Comms of the mute that was confirmed. It stands behind the tick that is going on, and not among the ticks.
        let all = reader.traces_and_calls(9, None).unwrap();
        let listed: Vec<(u64, Option<u64>)> = all.iter().map(|row| (row.tick, row.call)).collect();
        assert_eq!(listed, [(3, Some(2)), (2, Some(1)), (2, None), (1, None)]);
        assert_eq!(reader.traces(9, None).unwrap().len(), 2);
        // Page by page nothing is left out.
        let first = reader.traces_and_calls(1, None).unwrap();
        let second = reader
            .traces_and_calls(1, first.last().map(|row| row.tick))
            .unwrap();
        let listed: Vec<(u64, Option<u64>)> = first
            .iter()
            .chain(&second)
            .map(|row| (row.tick, row.call))
            .collect();
        assert_eq!(listed, [(3, Some(2)), (2, Some(1)), (2, None), (1, None)]);
        assert_eq!(made_again(&vault), 4);
    });
}

#[test]
fn the_pause_and_a_rule_are_ended_by_tools_while_a_prompt_is_open() {
    let dir = tempfile::tempdir().unwrap();
    let vault = Vault::demo(dir.path()).unwrap();
    actix::System::new().block_on(async {
        let day = Afternoon::begin(dir.path()).await;
        mute(&day).await;
        let clock = &day.backend().clock;
        clock.set(clock.next_waiter().unwrap());
        day.busy.quiet().await;
        day.backend().tick().await.unwrap();
        day.busy.quiet().await;
        day.shown(ActionKind::Breathe478).await;
        let name = RuleName::parse("evening-1").unwrap();
        let rule = OwnerRule {
            kinds: vec![ActionKind::DraftReply],
            ..OwnerRule::named(name.clone())
        };
        let until = clock.wall().plus_min(60);
        for word in [OwnerInstruction::Pause { until }, OwnerInstruction::Rule { rule }] {
            day.backend().instruct(word).await.unwrap().unwrap();
        }
        day.busy.quiet().await;
        let before = day.state().await;
        assert_eq!((before.paused_until_wall, before.rules.len()), (Some(until), 1));

        let other = RuleName::parse("evening-2").unwrap();
        let unknown = OwnerCallError::NoRule(RuleError::Unknown);
        assert_eq!(day.end(OwnerCall::RemoveRule(other), "other").await, Err(unknown));
        let pause = day.end(OwnerCall::EndPause, "pause").await.unwrap();
        let rule = day
            .end(OwnerCall::RemoveRule(name.clone()), "rule")
            .await
            .unwrap();
        let after = day.state().await;
        assert_eq!(after.phase, before.phase, "the prompt is still open");
        assert_eq!((after.paused_until_wall, after.rules.len()), (None, 0));
        // The same again gets the first outcome; another request finds nothing to end.
        assert_eq!(day.end(OwnerCall::EndPause, "pause").await, Ok(pause.clone()));
        assert_eq!(
            day.end(OwnerCall::RemoveRule(name.clone()), "rule").await,
            Ok(rule.clone())
        );
        assert_eq!(
            day.end(OwnerCall::EndPause, "again").await,
            Err(OwnerCallError::NotPaused)
        );
        assert_eq!(day.end(OwnerCall::RemoveRule(name), "again").await, Err(unknown));

        let reader = StoreReader::open(&vault).unwrap();
        for (number, trace_id, tool, args) in [
            // The first told Comms of what was confirmed.
            (2, pause, "orchestrator.end_pause", json!({})),
            (3, rule, "orchestrator.remove_rule", json!({"name": "evening-1"})),
        ] {
            let row = reader.trace(&trace_id).unwrap().unwrap();
            let trace: Trace = serde_json::from_str(&row.json).unwrap();
            gate::check_trace(&trace).unwrap();
            let asker = Asker::OwnerPage;
            assert_eq!(trace.decision.call, Some(RequestedCall { number, asker }));
            assert_eq!(trace.outcome, Outcome::Confirmed);
            let calls: Vec<(&str, &Value)> = trace
                .tool_calls
                .iter()
                .map(|call| (call.tool.as_str(), &*call.args))
                .collect();
            assert_eq!(calls, [(tool, &args)]);
        }
        assert_eq!(made_again(&vault), 5);
    });
}

/// The pages' lists are parsed where they are read: this thread is the machine's, and where one is parsed on it the debug build panics.
#[test]
fn what_pages_read_of_traces_is_parsed_on_no_thread_of_the_actors() {
    let dir = tempfile::tempdir().unwrap();
    actix::System::new().block_on(async {
        let day = Afternoon::begin(dir.path()).await;
        mute(&day).await;
        assert!(actix::Arbiter::try_current().is_some(), "this is such a thread");
        let listed = day.backend().traces(9).await.unwrap();
        let week = day.backend().week().await.unwrap().traces;
        // Two ticks, and the lesson of the confirmed mute.
        assert_eq!((listed.len(), week.len()), (3, 2));
        let one = day.backend().trace(listed[0].trace_id.clone()).await.unwrap();
        assert_eq!(one.as_ref(), listed.first());
    });
}

/// How many traces the journal makes, each with the bytes that are stored.
fn made_again(vault: &Vault) -> usize {
    let known = ReplayContext {
        seed: Some(OwnerSeed::from_day_seed(SEED)),
        settings: None,
    };
    let mut journal = JournalReplay::new(StoreReader::open(vault).unwrap(), known);
    let mut made = 0;
    while let Some((_, event)) = journal.read().unwrap() {
        for effect in journal.apply(event) {
            if let Effect::KeepTrace(trace) = effect {
                let row = journal.reader().trace(&trace.trace_id).unwrap().unwrap();
                assert_eq!(serde_json::to_string(&trace).unwrap(), row.json);
                made += 1;
            }
        }
    }
    made
}
