//! Recorded days through the real actors.
//!
//! What: reads a folder with `day.toml` and plays it under a virtual clock: signals are posted, the owner's stand-in
//! connects and answers as pages do, faults happen, and one trace per tick comes out. Why: what is tested is what runs.
//! Not here: the folder's format (`toolcall_schema::day`), the machine alone (`tests/`).

use crate::{
    actors::orchestrator::{Happened, Post, Stop},
    backend::Actors,
    busy::Busy,
    clock::Clock,
    config::{ConfigError, Home},
    faults::Faults,
    journal::JournalError,
    rig::Rig,
    wiring::{self, Agents, Parts, System, WiringError},
};
use llm_runtime::{Reply, Scripted};
use orchestrator_machine::{
    Env, What, cards,
    policy::{DEFAULT_TEXT, Policy},
    state::Phase,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::Arc,
};
use surfaces::backend::Backend;
use tokio::sync::oneshot;
use toolcall_schema::{
    Surface, Timestamp,
    day::{Act, DayError, Expected, OwnerAct, Parts as Texts, RecordedDay},
    gate,
    ids::{CardId, OwnerSeed},
    names::SubmitAct,
    rule::OwnerRule,
    signal::Signal,
    trace::{Card, Trace},
};

/// A day that cannot be played.
#[derive(Debug, thiserror::Error)]
pub enum PlayError {
    /// A file of the folder cannot be read.
    #[error("DAY-005 {path}: cannot be read; a recorded day is a folder with day.toml and signals.jsonl")]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// A file of the folder is not what it should be.
    #[error("{dir}: {source}")]
    Day {
        /// The folder.
        dir: PathBuf,
        /// File, line and reason.
        source: DayError,
    },
    /// Its `home/` or its policy cannot be used.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The actors could not be built.
    #[error(transparent)]
    Wiring(#[from] WiringError),
    /// The actors went away while the day was played: a bug.
    #[error("the actors ended before the day did")]
    Ended,
}

/// A recorded day, read.
pub struct Script {
    /// Its files.
    pub day: RecordedDay,
    home: Home,
    policy: Policy,
    policy_text: String,
}

/// The longest a day may last after its last entry before it is cut: one minute.
const TAIL_MS: i64 = 60_000;

impl Script {
    /// Reads the folder of a recorded day.
    ///
    /// # Errors
    /// [`PlayError`] naming file and line.
    pub fn read(dir: &Path) -> Result<Self, PlayError> {
        let text = |name: &str| -> Result<Option<String>, PlayError> {
            let path = dir.join(name);
            match std::fs::read_to_string(&path) {
                Ok(text) => Ok(Some(text)),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
                Err(source) => Err(PlayError::Unreadable { path, source }),
            }
        };
        let need = |name: &str| -> Result<String, PlayError> {
            text(name)?.ok_or_else(|| PlayError::Unreadable {
                path: dir.join(name),
                source: std::io::ErrorKind::NotFound.into(),
            })
        };
        let (day, signals) = (need("day.toml")?, need("signals.jsonl")?);
        let (owner, replies) = (text("owner.jsonl")?, text("replies.jsonl")?);
        let (faults, expected) = (text("faults.jsonl")?, text("expected.json")?);
        let day = toolcall_schema::day::load(&Texts {
            day: &day,
            signals: &signals,
            owner: owner.as_deref().unwrap_or_default(),
            replies: replies.as_deref().unwrap_or_default(),
            faults: faults.as_deref().unwrap_or_default(),
            expected: expected.as_deref(),
        })
        .map_err(|source| PlayError::Day {
            dir: dir.to_owned(),
            source,
        })?;
        let home_file = dir.join("home").join("home.toml");
        let mut home = if home_file.exists() {
            Home::load(&home_file)?
        } else {
            Home::of_day(&dir.join("day.toml"), day.day.zone.name(), day.day.ceiling)?
        };
        home.settings.ceiling = day.day.ceiling;
        home.settings.model = !day.replies.is_empty();
        let policy_text = match &day.day.policy {
            Some(name) => need(name)?,
            None => DEFAULT_TEXT.to_owned(),
        };
        let policy = Policy::parse(&policy_text).map_err(|source| ConfigError::Policy {
            path: dir.join(day.day.policy.as_deref().unwrap_or("policy.toml")),
            source: Box::new(source),
        })?;
        Ok(Self {
            day,
            home,
            policy,
            policy_text,
        })
    }

    /// The machine's surroundings on that day.
    fn env(&self) -> Env {
        Env {
            policy: self.policy.clone(),
            settings: self.home.settings.clone(),
            seed: OwnerSeed::of_day(&self.day.day.seed),
            catalogue_hash: gate::catalogue_hash().to_owned(),
        }
    }

    /// The day's beginning on the machine without actors and disk.
    pub fn rig(&self) -> Rig {
        let faults = Faults::new(self.day.faults.clone());
        Rig::new(&self.home, self.env(), self.day.day.start, faults)
    }

    /// Plays the day in a data folder, which should be empty, and gives one trace per tick.
    ///
    /// # Errors
    /// [`PlayError`]
    pub fn play(&self, dir: &Path) -> Result<Vec<Trace>, PlayError> {
        actix::System::new().block_on(self.run(dir))
    }

    async fn run(&self, dir: &Path) -> Result<Vec<Trace>, PlayError> {
        let day = &self.day.day;
        let busy = Busy::default();
        let clock = Clock::at_rest(day.start, busy.clone());
        let env = Arc::new(self.env());
        let replies = self.day.replies.iter().map(|reply| {
            (
                reply.tick,
                Reply {
                    after_ms: reply.after_ms,
                    text: reply.answer.clone().ok(),
                },
            )
        });
        let opened = wiring::open(dir, &env)?;
        let system = wiring::start(Parts {
            env,
            dir: dir.to_owned(),
            opened,
            setup: self.home.setup(&OwnerSeed::of_day(&day.seed)),
            agents: Agents::Inline,
            clock: clock.clone(),
            busy: busy.clone(),
            faults: Faults::new(self.day.faults.clone()),
            model: Box::new(Scripted::new(replies)),
            policy_text: self.policy_text.clone(),
            day_seed: Some(day.seed.clone()),
        })?;
        let mut player = Player {
            owner: Owner {
                backend: system.backend.clone(),
                connected: BTreeSet::new(),
                seen: BTreeSet::new(),
                cards: BTreeMap::new(),
            },
            busy,
            clock,
        };
        let last = player.play(&self.day).await?;
        player.rest(last).await?;
        finish(system).await
    }
}

/// Drains: everything is on disk and in the quarantine's files.
async fn finish(system: System) -> Result<Vec<Trace>, PlayError> {
    let (told, heard) = oneshot::channel();
    let asked = system.quarantine.flush(Box::new(move || {
        let _ = told.send(());
    }));
    if asked.is_ok() {
        // An error means that the thread is gone, and with it nothing more can be written.
        let _ = heard.await;
    }
    let (told, heard) = oneshot::channel();
    system
        .store
        .commit(Box::new(move |result| drop(told.send(result))))
        .map_err(WiringError::from)?;
    let _ = heard.await;
    let dir = system.backend.dir.clone();
    let _ = system.backend.orchestrator.send(Stop).await;
    let reader = aura_memory::Reader::open(&dir).map_err(WiringError::from)?;
    let rows = reader.traces(usize::MAX >> 1, None).map_err(WiringError::from)?;
    let traces = rows.iter().rev().map(|row| {
        serde_json::from_str(&row.json).map_err(|source| {
            let seq = row.tick;
            WiringError::from(JournalError::Unreadable { seq, source }).into()
        })
    });
    traces.collect()
}

struct Player {
    owner: Owner,
    busy: Busy,
    clock: Clock,
}

impl Player {
    /// Lets the clock run from entry to entry; gives the time of the last one.
    async fn play(&mut self, day: &RecordedDay) -> Result<Timestamp, PlayError> {
        let mut times: BTreeSet<Timestamp> = day.signals.iter().map(|signal| signal.at).collect();
        times.extend(day.owner.iter().map(|act| act.at));
        let mut last = day.day.start;
        self.settle().await?;
        for at in times {
            self.advance(at).await?;
            // Each passed `signal.v1` when the day was read, so its payload is there.
            let batch: Vec<_> = day
                .signals
                .iter()
                .filter(|signal| signal.at == at)
                .filter_map(|signal| Some((signal.clone(), signal.payload().ok()?)))
                .collect();
            if !batch.is_empty() {
                let (reply, _read) = oneshot::channel();
                let post = Post {
                    signals: batch,
                    reply,
                    ticket: self.busy.ticket(),
                };
                self.owner
                    .backend
                    .orchestrator
                    .try_send(post)
                    .map_err(|_| PlayError::Ended)?;
                self.settle().await?;
            }
            for act in day.owner.iter().filter(|act| act.at == at) {
                self.owner.act(act, &self.busy)?;
                self.settle().await?;
            }
            last = last.max(at);
        }
        Ok(last)
    }

    /// One minute more, and until the machine is idle.
    async fn rest(&mut self, last: Timestamp) -> Result<(), PlayError> {
        self.advance(last.plus_ms(TAIL_MS)).await?;
        loop {
            let look = self.owner.backend.look().await.map_err(|_| PlayError::Ended)?;
            let Some(next) = self
                .clock
                .next_waiter()
                .filter(|_| !matches!(look.state.phase, Phase::Idle))
            else {
                return Ok(());
            };
            self.clock.set(next);
            self.settle().await?;
        }
    }

    async fn advance(&mut self, to: Timestamp) -> Result<(), PlayError> {
        while let Some(next) = self.clock.next_waiter().filter(|next| *next <= to) {
            self.clock.set(next);
            self.settle().await?;
        }
        self.clock.set(to);
        self.settle().await
    }

    /// Until nothing is in flight and the owner's stand-in has seen what there is to see.
    async fn settle(&mut self) -> Result<(), PlayError> {
        loop {
            self.busy.quiet().await;
            if !self.owner.look().await? {
                return Ok(());
            }
        }
    }
}

/// The owner's stand-in: does what pages do, through the same backend.
struct Owner {
    backend: Actors,
    connected: BTreeSet<Surface>,
    seen: BTreeSet<(CardId, Surface)>,
    cards: BTreeMap<u64, Card>,
}

impl Owner {
    /// Looks at the connected surfaces; true when something new was seen.
    async fn look(&mut self) -> Result<bool, PlayError> {
        let look = self.backend.look().await.map_err(|_| PlayError::Ended)?;
        let Some(card) = cards::current(&look.state) else {
            return Ok(false);
        };
        self.cards.insert(card.decision.tick, card.clone());
        let mut new = false;
        for surface in &self.connected {
            let here = if card.prompts.is_empty() {
                *surface == Surface::PhoneCard
            } else {
                card.prompts.iter().any(|prompt| prompt.surface == *surface)
            };
            if here && self.seen.insert((card.card_id.clone(), *surface)) {
                self.backend.shown(card.card_id.clone(), *surface);
                new = true;
            }
        }
        Ok(new)
    }

    fn act(&mut self, act: &OwnerAct, busy: &Busy) -> Result<(), PlayError> {
        match &act.act {
            Act::Connect { surface } => {
                self.connected.insert(*surface);
                self.backend.connected(*surface, 1);
            }
            Act::Disconnect { surface } => {
                self.connected.remove(surface);
                self.backend.disconnected(*surface, 1);
            }
            Act::Confirm { surface, tick } => self.submit(*tick, *surface, SubmitAct::Confirm, busy)?,
            Act::Dismiss { surface, tick } => self.submit(*tick, *surface, SubmitAct::Dismiss, busy)?,
            Act::Edit { surface, tick } => self.submit(*tick, *surface, SubmitAct::Edit, busy)?,
            Act::Useful { surface, tick } => {
                self.submit(
                    *tick,
                    surface.unwrap_or(Surface::PhoneCard),
                    SubmitAct::Useful,
                    busy,
                )?;
            }
            Act::Rule {
                name,
                kind,
                subject,
                hours,
                days,
            } => {
                let rule = OwnerRule {
                    kinds: kind.iter().copied().collect(),
                    subject: subject.clone(),
                    hours: *hours,
                    days: days.clone(),
                    ..OwnerRule::named(name.clone())
                };
                self.tell(What::RuleSet { rule }, busy)?;
            }
            Act::Pause { minutes } => {
                let until = Some(act.at.plus_min(i64::from(*minutes)));
                self.tell(What::Paused { until }, busy)?;
            }
        }
        Ok(())
    }

    /// Answers the card of a tick with the capability it was shown with; a card that never was is answered all the same,
    /// so that the refusal shows.
    fn submit(&self, tick: u64, surface: Surface, act: SubmitAct, busy: &Busy) -> Result<(), PlayError> {
        let Some(card) = self.cards.get(&tick) else {
            return Ok(());
        };
        let prompt = card.prompts.iter().find(|prompt| prompt.surface == surface);
        let (reply, _verdict) = oneshot::channel();
        let submit = crate::actors::orchestrator::Submit {
            card_id: card.card_id.clone(),
            surface,
            act,
            capability: prompt.map(|prompt| prompt.capability.clone()),
            reply,
            ticket: busy.ticket(),
        };
        self.backend
            .orchestrator
            .try_send(submit)
            .map_err(|_| PlayError::Ended)
    }

    fn tell(&self, what: What, busy: &Busy) -> Result<(), PlayError> {
        let message = Happened {
            what,
            ticket: busy.ticket(),
        };
        self.backend
            .orchestrator
            .try_send(message)
            .map_err(|_| PlayError::Ended)
    }
}

/// How a played day differs from its `expected.json`: one sentence per difference, none when they agree.
pub fn differences(expected: &[Expected], traces: &[Trace]) -> Vec<String> {
    let got: Vec<Expected> = traces.iter().map(Expected::of).collect();
    let mut out = Vec::new();
    if expected.len() != got.len() {
        out.push(format!(
            "{} ticks were expected, {} happened",
            expected.len(),
            got.len()
        ));
    }
    for (wanted, got) in expected.iter().zip(&got).filter(|(wanted, got)| wanted != got) {
        let text = |value: &Expected| serde_json::to_string(value).unwrap_or_default();
        out.push(format!(
            "tick {}: expected {}\n        but got {}",
            wanted.tick,
            text(wanted),
            text(got)
        ));
    }
    out
}

/// A signal with its payload, both checked.
pub type Checked = (Signal, toolcall_schema::signal::Payload);

/// The signals of a JSONL file with their payloads checked: for the demo household's devices.
///
/// # Errors
/// [`PlayError`] naming file and line.
pub fn device_signals(path: &Path) -> Result<Vec<Checked>, PlayError> {
    let unreadable = |source| PlayError::Unreadable {
        path: path.to_owned(),
        source,
    };
    let text = std::fs::read_to_string(path).map_err(unreadable)?;
    let mut signals = Vec::new();
    for (index, line) in text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
    {
        let signal = gate::admit_signal(line.as_bytes()).map_err(|error| {
            unreadable(std::io::Error::new(
                std::io::ErrorKind::InvalidData,
                format!("line {}: {error}", index + 1),
            ))
        })?;
        signals.push(signal);
    }
    signals.sort_by_key(|(signal, _)| signal.at);
    Ok(signals)
}
