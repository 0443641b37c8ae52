//! Recorded days through the real actors.
//!
//! What: reads a folder with `day.toml` and plays it under a virtual clock (`player`): signals are posted, the owner's
//! stand-in connects and answers as pages do (`stand_in`), faults happen, and one trace per tick comes out. Why: what is
//! tested is what runs. Not here: the folder's format (`toolcall_schema::day`), the machine alone (`tests/`).

pub mod alone;
mod player;
pub mod screen;
pub mod stand_in;

use crate::DayFaults;
use crate::simulator::Simulator;
use aura_runtime::{
    config::{ConfigError, HomeConfig},
    demo::UnreadableFile,
    wiring::WiringError,
};
use llm_runtime::{LanguageModel, RecordedReply, ScriptedModel, manifest::Tier};
use orchestrator_machine::{
    MachineEnv,
    policy::{DEFAULT_TEXT, Policy},
};
use player::DayPlayback;
use screen::{DayScreen, DirectScreen};
use stand_in::StandIn;
use std::path::{Path, PathBuf};
use toolcall_schema::{
    day::{DayError, DayTexts as Texts, ExpectedTrace, RecordedDay},
    gate,
    ids::OwnerSeed,
    trace::Trace,
};

/// A day that cannot be played.
#[derive(Debug, thiserror::Error)]
pub enum PlayError {
    #[error(transparent)]
    Unreadable(#[from] UnreadableFile),
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
    /// What the owner looks at could not do its part.
    #[error("{0}")]
    Screen(String),
}

/// A recorded day, read.
pub struct DayScript {
    /// Its files.
    pub day: RecordedDay,
    pub(crate) home: HomeConfig,
    policy: Policy,
    pub(crate) policy_text: String,
}

/// What came of a day.
#[derive(Debug, Clone, PartialEq)]
pub struct DayOutcome {
    /// One per tick.
    pub traces: Vec<Trace>,
    /// Answers to the owner that were not those of `owner.jsonl`: one sentence each.
    pub surprises: Vec<String>,
}

impl DayScript {
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
                Err(source) => Err(UnreadableFile { path, source }.into()),
            }
        };
        let need = |name: &str| -> Result<String, PlayError> {
            text(name)?.ok_or_else(|| {
                UnreadableFile {
                    path: dir.join(name),
                    source: std::io::ErrorKind::NotFound.into(),
                }
                .into()
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
            HomeConfig::load(&home_file)?
        } else {
            HomeConfig::of_day(&dir.join("day.toml"), day.day.zone.name(), day.day.ceiling)?
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

    /// The machine's surroundings on that day, with a configuration that may have changed since its start.
    pub(crate) fn env(&self, home: &HomeConfig) -> MachineEnv {
        MachineEnv {
            policy: self.policy.clone(),
            settings: home.settings.clone(),
            seed: OwnerSeed::from_day_seed(&self.day.day.seed),
            catalogue_hash: gate::catalogue_hash().to_owned(),
        }
    }

    /// The day's beginning on the machine without actors and disk.
    pub fn simulator(&self) -> Simulator {
        let faults = DayFaults::new(self.day.faults.clone());
        Simulator::new(&self.home, self.env(&self.home), self.day.day.start, faults)
    }

    /// The owner at the day's beginning, for who plays it on a [`Simulator`].
    pub fn stand_in(&self) -> StandIn {
        StandIn::new(self.home.clone())
    }

    /// Plays the day in a data folder, which should be empty, and gives one trace per tick.
    ///
    /// # Errors
    /// [`PlayError`]
    pub fn play(&self, dir: &Path) -> Result<Vec<Trace>, PlayError> {
        Ok(self.played(dir)?.traces)
    }

    /// [`DayScript::play`], with what the owner was answered.
    ///
    /// # Errors
    /// [`PlayError`]
    pub fn played(&self, dir: &Path) -> Result<DayOutcome, PlayError> {
        self.played_on(dir, &mut DirectScreen)
    }

    /// [`DayScript::played`], seen and answered on this screen.
    ///
    /// # Errors
    /// [`PlayError`]
    pub fn played_on(&self, dir: &Path, screen: &mut dyn DayScreen) -> Result<DayOutcome, PlayError> {
        let replies = self.day.replies.iter().map(|reply| {
            let after_ms = reply.after_ms;
            let text = reply.answer.clone().ok();
            (reply.tick, RecordedReply { after_ms, text })
        });
        // One that may write may be asked everything.
        let recorded = ScriptedModel::new(Tier::Write, replies);
        DayPlayback::new(self, &|| Box::new(recorded.clone()), screen).play(dir)
    }

    /// [`DayScript::played`] with another model than the recorded one, made anew at each start.
    ///
    /// # Errors
    /// [`PlayError`]
    pub fn play_with(
        &self,
        dir: &Path,
        model: &dyn Fn() -> Box<dyn LanguageModel>,
    ) -> Result<DayOutcome, PlayError> {
        DayPlayback::new(self, model, &mut DirectScreen).play(dir)
    }

    /// The day under a policy that knows no combination of kinds: any two that stand out together are novel.
    ///
    /// # Errors
    /// [`PlayError`] when the day's policy has its rules elsewhere than at its end.
    pub fn forget_rules(&mut self) -> Result<(), PlayError> {
        let constants = self.policy_text.split("[rules]").next().unwrap_or_default();
        let text = format!("{constants}[rules]\nknown = []\n");
        self.policy = Policy::parse(&text).map_err(|source| ConfigError::Policy {
            path: "policy.toml".into(),
            source: Box::new(source),
        })?;
        self.policy_text = text;
        Ok(())
    }

    /// Whether a model is asked on that day.
    pub fn set_model(&mut self, asked: bool) {
        self.home.settings.model = asked;
    }
}

/// How a played day differs from its `expected.json`: one sentence per difference, none when they agree.
pub fn differences(expected: &[ExpectedTrace], played: &DayOutcome) -> Vec<String> {
    let got: Vec<ExpectedTrace> = played.traces.iter().map(ExpectedTrace::of).collect();
    let mut out = played.surprises.clone();
    if expected.len() != got.len() {
        out.push(format!(
            "{} ticks were expected, {} happened",
            expected.len(),
            got.len()
        ));
    }
    for (wanted, got) in expected.iter().zip(&got).filter(|(wanted, got)| wanted != got) {
        let text = |value: &ExpectedTrace| serde_json::to_string(value).unwrap_or_default();
        out.push(format!(
            "tick {}: expected {}\n        but got {}",
            wanted.tick,
            text(wanted),
            text(got)
        ));
    }
    out
}
