//! A recorded day through the real actors.
//!
//! What: [`DayPlayback`], which builds the actors on a data folder under a clock that it sets, posts the signals, lets the
//! stand-in act as pages do, and builds them again after a restart. Why: what is tested is what runs. Not here: what the
//! acts come to (`stand_in`).

use super::{
    DayOutcome, DayScript, PlayError,
    screen::DayScreen,
    stand_in::{DayEntry, ScriptedAct, StandIn, entries},
};
use crate::DayFaults;
use aura_memory::{SignalKey, StoreOptions, StoreReader, Vault};
use aura_platform::{clock::Clock, in_flight::InFlight};
use aura_process::model_supervisor;
use aura_runtime::{
    accounts::LiveAccounts,
    actors::orchestrator::{InjectEvent, PostSignals, PostedSignal, ReloadSettings, Stop},
    journal::{JournalError, SettingsRecord},
    wiring::{self, AgentHosting, RunningSystem, SystemParts, WiringError},
};
use llm_runtime::LanguageModel;
use orchestrator_machine::{EventKind, cards, state::MachinePhase, supervision::SupervisedRole};
use std::{
    collections::{BTreeSet, VecDeque},
    path::Path,
    sync::Arc,
};
use tokio::sync::oneshot;
use toolcall_schema::{Surface, Timestamp, ids::OwnerSeed, signal::AdmittedSignal, trace::Trace};

/// The longest a day may last after its last entry before it is cut: one minute.
const TAIL_MS: i64 = 60_000;

/// A day on its way.
pub(super) struct DayPlayback<'a> {
    script: &'a DayScript,
    model: &'a dyn Fn() -> Box<dyn LanguageModel>,
    owner: DayOwner<'a>,
    left: VecDeque<(Timestamp, DayEntry<'a>)>,
    now: Timestamp,
    wall: Timestamp,
    surprises: Vec<String>,
}

impl<'a> DayPlayback<'a> {
    /// The day's beginning.
    pub(super) fn new(
        script: &'a DayScript,
        model: &'a dyn Fn() -> Box<dyn LanguageModel>,
        screen: &'a mut dyn DayScreen,
    ) -> Self {
        Self {
            script,
            model,
            owner: DayOwner {
                stand_in: StandIn::new(script.home.clone()),
                screen,
            },
            left: entries(&script.day),
            now: script.day.day.start,
            wall: script.day.day.start,
            surprises: Vec::new(),
        }
    }

    /// To its end.
    pub(super) fn play(mut self, dir: &Path) -> Result<DayOutcome, PlayError> {
        let vault = Vault::demo(dir).map_err(WiringError::from)?;
        let mut again = BTreeSet::new();
        loop {
            // What one life leaves behind goes with its runtime.
            let life = actix::System::new().block_on(self.live(&vault, again));
            if let Some(traces) = life? {
                return Ok(DayOutcome {
                    traces,
                    surprises: self.surprises,
                });
            }
            again = self.owner.stand_in.began_again();
        }
    }

    /// From a start to a restart (nothing yet) or to the day's end (its traces).
    async fn live(
        &mut self,
        vault: &Vault,
        connected: BTreeSet<Surface>,
    ) -> Result<Option<Vec<Trace>>, PlayError> {
        let busy = InFlight::default();
        let clock = Clock::at_rest(self.now, busy.clone());
        clock.set_wall(self.wall);
        let mut life = ServiceInstance {
            system: self.start(vault, &clock, &busy)?,
            busy,
            clock,
        };
        let begun = self.owner.screen.begin(&life.system.backend).await;
        begun.map_err(PlayError::Screen)?;
        life.settle(&mut self.owner).await?;
        for surface in connected {
            self.owner.stand_in.connect(surface);
            life.act(ScriptedAct::Connect(surface), self.script, &mut self.owner)
                .await?;
        }
        while let Some((at, entry)) = self.left.pop_front() {
            life.advance(at, &mut self.owner).await?;
            let deed = match entry {
                DayEntry::Signals(signals) => {
                    life.post(signals)?;
                    life.settle(&mut self.owner).await?;
                    continue;
                }
                DayEntry::Act(act) => self.owner.stand_in.does(act, life.clock.wall()),
            };
            match deed {
                Ok(ScriptedAct::Restart(ms)) => {
                    self.now = life.clock.at().plus_ms(ms);
                    self.wall = life.clock.wall().plus_ms(ms);
                    self.owner.screen.end().await.map_err(PlayError::Screen)?;
                    life.stop().await?;
                    return Ok(None);
                }
                Ok(deed) => {
                    let surprise = life.act(deed, self.script, &mut self.owner).await?;
                    self.surprises.extend(surprise);
                }
                Err(surprise) => self.surprises.push(surprise),
            }
        }
        life.rest(&mut self.owner).await?;
        self.owner.screen.end().await.map_err(PlayError::Screen)?;
        life.stop().await?;
        traces(vault).map(Some)
    }

    fn start(&self, vault: &Vault, clock: &Clock, busy: &InFlight) -> Result<RunningSystem, PlayError> {
        let script = self.script;
        let env = Arc::new(script.env(&self.owner.stand_in.home));
        let opened = wiring::open(vault, &env, StoreOptions::default())?;
        let seed = &script.day.day.seed;
        Ok(wiring::start(SystemParts {
            env,
            vault: vault.clone(),
            opened,
            setup: self.owner.stand_in.home.setup(&OwnerSeed::from_day_seed(seed)),
            agents: AgentHosting::Inline,
            clock: clock.clone(),
            busy: busy.clone(),
            faults: Arc::new(DayFaults::new(script.day.faults.clone())),
            model: (self.model)(),
            model_board: model_supervisor::ModelStatus::default(),
            policy_text: script.policy_text.clone(),
            day_seed: Some(seed.clone()),
            accounts: LiveAccounts::default(),
        })?)
    }
}

/// The owner of the day, and what they look at.
struct DayOwner<'a> {
    stand_in: StandIn,
    screen: &'a mut dyn DayScreen,
}

/// One life of the actors.
struct ServiceInstance {
    system: RunningSystem,
    busy: InFlight,
    clock: Clock,
}

impl ServiceInstance {
    /// Does what an act comes to; says what was wrong with the answer, if one was wanted.
    async fn act(
        &mut self,
        deed: ScriptedAct,
        script: &DayScript,
        owner: &mut DayOwner<'_>,
    ) -> Result<Option<String>, PlayError> {
        let (screen, backend) = (&mut owner.screen, &self.system.backend);
        match deed {
            ScriptedAct::Connect(surface) => screen
                .connect(backend, surface)
                .await
                .map_err(PlayError::Screen)?,
            ScriptedAct::Disconnect(surface) => screen
                .disconnect(backend, surface)
                .await
                .map_err(PlayError::Screen)?,
            ScriptedAct::Submit(submitted) => {
                let got = screen
                    .submit(backend, &submitted)
                    .await
                    .map_err(PlayError::Screen)?;
                self.settle(owner).await?;
                return Ok(submitted.surprise(got));
            }
            ScriptedAct::Say(what) => self.tell(what)?,
            ScriptedAct::Settings => self.reload(script, &owner.stand_in)?,
            ScriptedAct::Clock(ms) => {
                self.clock.set_wall(self.clock.wall().plus_ms(ms));
                // It notices with whatever comes next.
                self.tell(EventKind::Time)?;
            }
            ScriptedAct::Suspend(ms) => self.clock.set(self.clock.at().plus_ms(ms)),
            // The life ends with it: see `live`.
            ScriptedAct::Restart(_) => {}
        }
        self.settle(owner).await?;
        Ok(None)
    }

    fn post(&self, signals: Vec<AdmittedSignal>) -> Result<(), PlayError> {
        let (reply, _read) = oneshot::channel();
        let seed = self.system.backend.vault.seed();
        let posted = signals.into_iter().map(|signal| PostedSignal {
            key: SignalKey::from_signal(seed, signal.signal()),
            signal,
            fate: None,
        });
        let post = PostSignals {
            signals: posted.collect(),
            reply,
            ticket: self.busy.ticket_to(SupervisedRole::Orchestrator),
        };
        let orchestrator = &self.system.backend.orchestrator;
        orchestrator.try_send(post).map_err(|_| PlayError::Ended)
    }

    fn tell(&self, what: EventKind) -> Result<(), PlayError> {
        let message = InjectEvent {
            what,
            ticket: self.busy.ticket_to(SupervisedRole::Orchestrator),
        };
        let orchestrator = &self.system.backend.orchestrator;
        orchestrator.try_send(message).map_err(|_| PlayError::Ended)
    }

    /// As the service does it, with settings that need no file.
    fn reload(&self, script: &DayScript, stand_in: &StandIn) -> Result<(), PlayError> {
        let env = script.env(&stand_in.home);
        let settings = SettingsRecord {
            settings: env.settings.clone(),
            day_seed: Some(script.day.day.seed.clone()),
        };
        let kept = self.system.store.put_policy(settings.hash(), settings.text());
        kept.map_err(WiringError::from)?;
        let reload = ReloadSettings {
            env: Arc::new(env),
            settings_hash: settings.hash(),
            ticket: self.busy.ticket_to(SupervisedRole::Orchestrator),
        };
        let orchestrator = &self.system.backend.orchestrator;
        orchestrator.try_send(reload).map_err(|_| PlayError::Ended)
    }

    /// One minute more, and until the machine is idle.
    async fn rest(&mut self, owner: &mut DayOwner<'_>) -> Result<(), PlayError> {
        self.advance(self.clock.at().plus_ms(TAIL_MS), owner).await?;
        loop {
            let look = self.system.backend.look().await;
            let look = look.map_err(|_| PlayError::Ended)?;
            let Some(next) = self
                .clock
                .next_waiter()
                .filter(|_| !matches!(look.state.phase, MachinePhase::Idle))
            else {
                return Ok(());
            };
            self.clock.set(next);
            self.settle(owner).await?;
        }
    }

    /// Lets the clock run.
    async fn advance(&mut self, to: Timestamp, owner: &mut DayOwner<'_>) -> Result<(), PlayError> {
        while let Some(next) = self.clock.next_waiter().filter(|next| *next <= to) {
            self.clock.set(next);
            self.settle(owner).await?;
        }
        self.clock.set(to);
        self.settle(owner).await
    }

    /// Until nothing is in flight and the stand-in has seen what there is to see.
    async fn settle(&mut self, owner: &mut DayOwner<'_>) -> Result<(), PlayError> {
        loop {
            self.busy.quiet().await;
            let look = self.system.backend.look().await;
            let look = look.map_err(|_| PlayError::Ended)?;
            let Some(card) = cards::current_card(&look.state) else {
                return Ok(());
            };
            let card_id = card.card_id.clone();
            let new = owner.stand_in.look(card);
            if new.is_empty() {
                return Ok(());
            }
            for surface in new {
                let backend = &self.system.backend;
                let seen = owner.screen.see(backend, card_id.clone(), surface).await;
                seen.map_err(PlayError::Screen)?;
            }
        }
    }

    /// Drains: everything is on disk and in the quarantine's files.
    async fn stop(self) -> Result<(), PlayError> {
        let (told, heard) = oneshot::channel();
        let asked = self.system.quarantine.flush(Box::new(move || {
            let _ = told.send(());
        }));
        if asked.is_ok() {
            // An error means that the thread is gone, and with it nothing more can be written.
            let _ = heard.await;
        }
        let (told, heard) = oneshot::channel();
        self.system
            .store
            .commit(Box::new(move |result| drop(told.send(result))))
            .map_err(WiringError::from)?;
        let _ = heard.await;
        let _ = self.system.backend.orchestrator.send(Stop).await;
        Ok(())
    }
}

/// One trace per tick, the first first.
fn traces(vault: &Vault) -> Result<Vec<Trace>, PlayError> {
    let reader = StoreReader::open(vault).map_err(WiringError::from)?;
    let rows = reader.traces(usize::MAX >> 1, None).map_err(WiringError::from)?;
    let traces = rows.iter().rev().map(|row| {
        serde_json::from_str(&row.json).map_err(|source| {
            let seq = row.tick;
            WiringError::from(JournalError::Unreadable { seq, source }).into()
        })
    });
    traces.collect()
}
