//! The journal of a data folder, folded again.
//!
//! What: [`JournalReplay`], which reads event after event and steps the machine as it was stepped then, and [`SettingsRecord`], the
//! text of the settings that is kept by its hash beside the policy's. Why: a start, a replay, a what-if and an explanation
//! see the same past, under the policy and the settings that were in force then. Not here: writing events (the orchestrator
//! actor), comparing traces (`cli::replay`).

use aura_memory::{StoreError, StoreReader, Vault, demo, erase::JournalCheckpoint};
use orchestrator_machine::{
    Effect, EventKind, MachineEnv, MachineEvent, MachineState, advance,
    env::MachineSettings,
    policy::{DEFAULT_TEXT, Policy},
};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, VecDeque};
use toolcall_schema::{
    Timestamp,
    ids::{OwnerSeed, sha256_hex},
};

/// What the machine is given beside the policy, as it is kept: no secret, no address, no folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SettingsRecord {
    /// The owner's settings.
    pub settings: MachineSettings,
    /// What ids derive from in a demo household or a recorded day; absent: the installation's key, which is not kept here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub day_seed: Option<String>,
}

impl SettingsRecord {
    /// The text that is kept.
    pub fn text(&self) -> String {
        // Names and numbers: serializing cannot fail.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The hash that events name it by.
    pub fn hash(&self) -> String {
        sha256_hex(self.text().as_bytes())
    }
}

/// A journal that cannot be folded. Each names the event.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// An event that this build does not know, or a snapshot.
    #[error(
        "JOUR-001: event {seq} of the journal cannot be read by this version; start the version that wrote it"
    )]
    Unreadable {
        /// Its number.
        seq: u64,
        /// What serde said.
        #[source]
        source: serde_json::Error,
    },
    /// The policy or the settings of an event are not kept, or not as they were.
    #[error("JOUR-002: the {what} {hash} that event {seq} names {problem}; restore the folder from a copy")]
    Text {
        /// The event.
        seq: u64,
        /// `policy` or `settings`.
        what: &'static str,
        /// Its hash.
        hash: String,
        /// What is wrong.
        problem: &'static str,
    },
    /// An older Aura kept no settings.
    #[error(
        "JOUR-003: event {seq} is of an Aura that kept no settings; name the configuration of that time with --home FILE"
    )]
    NoSettings {
        /// The event.
        seq: u64,
    },
    /// Events are missing.
    #[error(
        "JOUR-004: event {expected} of the journal is missing, the next is {found}; restore the folder from a copy"
    )]
    Hole {
        /// The one that should be next.
        expected: u64,
        /// The one that is.
        found: u64,
    },
    /// The folder's key is not there, so ids cannot be made again.
    #[error(
        "JOUR-005: the folder has no installation key, so its ids cannot be made again; restore it from a copy"
    )]
    NoKey,
    /// A newer Aura went on with the folder, by rules that this one does not have.
    #[error(
        "JOUR-007: the folder was last used by an Aura with rules number {found}, and this one knows up to {known}: use the newer program"
    )]
    NewerRules {
        /// The number of the last start.
        found: u32,
        /// The greatest that this build knows.
        known: u32,
    },
}

/// What is known of the past beside the journal itself.
#[derive(Debug, Clone, Default)]
pub struct ReplayContext {
    /// What ids derive from, unless the kept settings say.
    pub seed: Option<OwnerSeed>,
    /// The settings of a time when they were not kept.
    pub settings: Option<MachineSettings>,
}

impl ReplayContext {
    /// What a data folder, and perhaps a configuration, say.
    pub fn for_folder(vault: &Vault, home: Option<&crate::config::HomeConfig>) -> Self {
        let of_demo = home
            .and_then(|home| home.seed.as_deref())
            .filter(|_| demo::is_marked(vault.dir()))
            .map(OwnerSeed::from_day_seed);
        Self {
            seed: Some(of_demo.unwrap_or_else(|| vault.seed().clone())),
            settings: home.map(|home| home.settings.clone()),
        }
    }
}

/// A journal on the way from its beginning, or from a snapshot, to its end.
pub struct JournalReplay {
    reader: StoreReader,
    known: ReplayContext,
    next: u64,
    rows: VecDeque<aura_memory::EventRow>,
    batch: u32,
    env: Option<MachineEnv>,
    to_adopt: Option<MachineEnv>,
    state: Option<MachineState>,
    /// After which of the events that were read together there is a base.
    bases: BTreeSet<u64>,
    differs_until: Option<Timestamp>,
}

/// Events are read so many at a time.
const BATCH: u32 = 256;

impl JournalReplay {
    /// From the first event on.
    pub fn new(reader: StoreReader, known: ReplayContext) -> Self {
        Self {
            reader,
            known,
            next: 1,
            rows: VecDeque::new(),
            batch: BATCH,
            env: None,
            to_adopt: None,
            state: None,
            bases: BTreeSet::new(),
            differs_until: None,
        }
    }

    /// The journal of a data folder. `home` is needed only for what an older Aura wrote.
    ///
    /// # Errors
    /// When the store cannot be opened.
    pub fn open(vault: &Vault, home: Option<&crate::config::HomeConfig>) -> Result<Self, JournalError> {
        Ok(Self::new(
            StoreReader::open(vault)?,
            ReplayContext::for_folder(vault, home),
        ))
    }

    /// Goes on from a state: that after the event `seq`.
    ///
    /// # Errors
    /// When the policy or the settings that were in force are not kept.
    pub(crate) fn go_on_from(&mut self, seq: u64, state: MachineState) -> Result<(), JournalError> {
        self.next = seq.saturating_add(1);
        if let Some(hashes) = &state.started {
            let (policy, settings, catalogue) = (&hashes.policy, &hashes.settings, hashes.catalogue.clone());
            self.env = Some(self.env_of(seq, policy, settings, catalogue)?);
            if let Some(reload) = &state.reload {
                let catalogue = hashes.catalogue.clone();
                self.to_adopt = Some(self.env_of(seq, &reload.policy, &reload.settings, catalogue)?);
            }
        }
        self.state = Some(state);
        Ok(())
    }

    /// What is kept beside the journal.
    pub fn reader(&self) -> &StoreReader {
        &self.reader
    }

    /// The state so far; absent before the first event.
    pub fn state(&self) -> Option<&MachineState> {
        self.state.as_ref()
    }

    /// The policy, settings and seed in force; absent before the first start.
    pub fn env(&self) -> Option<&MachineEnv> {
        self.env.as_ref()
    }

    /// The state at the end, and the surroundings then.
    pub fn into_parts(self) -> (Option<MachineState>, Option<MachineEnv>) {
        (self.state, self.env)
    }

    /// The next event, with what it puts into force; it has not happened yet.
    ///
    /// # Errors
    /// [`JournalError`]; what came before stays as it is.
    pub fn read(&mut self) -> Result<Option<(u64, MachineEvent)>, JournalError> {
        if self.rows.is_empty() {
            self.rows = self.more()?.into();
            if let (Some(first), Some(last)) = (self.rows.front(), self.rows.back()) {
                // Behind the events: what is written with one of them is there too.
                let bases = self.reader.base_numbers(first.seq..=last.seq)?;
                self.bases = bases.into_iter().collect();
            }
        }
        let Some(row) = self.rows.pop_front() else {
            return Ok(None);
        };
        if row.seq != self.next {
            // Where events were erased or kept long enough, a base stands in their place.
            if !self.take_base(row.seq - 1)? {
                return Err(JournalError::Hole {
                    expected: self.next,
                    found: row.seq,
                });
            }
        }
        self.next = row.seq + 1;
        let event: MachineEvent = serde_json::from_str(&row.json)
            .map_err(|source| JournalError::Unreadable { seq: row.seq, source })?;
        if let EventKind::Started {
            policy_hash,
            catalogue_hash,
            settings_hash,
            ..
        } = &event.what
        {
            self.env = Some(self.env_of(row.seq, policy_hash, settings_hash, catalogue_hash.clone())?);
            self.to_adopt = None;
        }
        if let EventKind::Reloaded {
            policy_hash,
            settings_hash,
        } = &event.what
        {
            let catalogue = self.env.as_ref().map(|env| env.catalogue_hash.clone());
            let catalogue = catalogue.unwrap_or_default();
            self.to_adopt = Some(self.env_of(row.seq, policy_hash, settings_hash, catalogue)?);
        }
        Ok(Some((row.seq, event)))
    }

    /// Goes on from the base after the event `seq`; `false`: there is none. A deletion beside this writes one before it takes events out.
    fn take_base(&mut self, seq: u64) -> Result<bool, JournalError> {
        let Some(base) = self.reader.base(seq)? else {
            return Ok(false);
        };
        let state =
            serde_json::from_str(&base.json).map_err(|source| JournalError::Unreadable { seq, source })?;
        self.differs_until = differs_until(&base).or(self.differs_until);
        let rows = std::mem::take(&mut self.rows);
        self.go_on_from(seq, state)?;
        self.rows = rows;
        Ok(true)
    }

    /// The last event that was read; 0: none.
    pub fn last(&self) -> u64 {
        self.next.saturating_sub(1)
    }

    /// Until when (wall clock) what is folded may differ from what was decided, because an erasure took away what it was decided by.
    pub fn differs_until(&self) -> Option<Timestamp> {
        self.differs_until
    }

    /// Lets the event that was read happen.
    pub fn apply(&mut self, event: MachineEvent) -> Vec<Effect> {
        let Some(env) = &self.env else { return vec![] };
        let state = self.state.get_or_insert_with(|| MachineState::new(env, event.at));
        let effects = advance(env, state, event);
        if effects
            .iter()
            .any(|effect| matches!(effect, Effect::Adopt { .. }))
            && let Some(next) = self.to_adopt.take()
        {
            self.env = Some(next);
        }
        // An erasure at this moment changed the state that everything after it was decided from.
        let last = self.last();
        if self.bases.contains(&last)
            && let Err(error) = self.take_base(last)
        {
            tracing::warn!(%error, "a base of the journal was passed over");
        }
        effects
    }

    /// To the end.
    ///
    /// # Errors
    /// [`JournalError`]
    pub fn run(&mut self) -> Result<(), JournalError> {
        while let Some((_, event)) = self.read()? {
            self.apply(event);
        }
        Ok(())
    }

    /// The next rows. Where a batch cannot be read they are read one by one, so that all before the damage is seen.
    fn more(&mut self) -> Result<Vec<aura_memory::EventRow>, JournalError> {
        match self.reader.events_from(self.next, self.batch) {
            Err(_) if self.batch > 1 => {
                self.batch = 1;
                Ok(self.reader.events_from(self.next, 1)?)
            }
            other => Ok(other?),
        }
    }

    fn env_of(
        &self,
        seq: u64,
        policy: &str,
        settings: &str,
        catalogue: String,
    ) -> Result<MachineEnv, JournalError> {
        let text = |what: &'static str, hash: &str| {
            let wrong = |problem| JournalError::Text {
                seq,
                what,
                hash: hash.chars().take(64).collect(),
                problem,
            };
            let text = self.reader.policy(hash)?.ok_or_else(|| wrong("is not kept"))?;
            if sha256_hex(text.as_bytes()) == hash {
                Ok(text)
            } else {
                Err(wrong("was changed"))
            }
        };
        let strange = |what: &'static str, hash: &str| JournalError::Text {
            seq,
            what,
            hash: hash.to_owned(),
            problem: "is of another version",
        };
        let built_in = sha256_hex(DEFAULT_TEXT.as_bytes()) == policy;
        let policy_text = if built_in {
            DEFAULT_TEXT.to_owned()
        } else {
            text("policy", policy)?
        };
        let policy = Policy::parse(&policy_text).map_err(|_| strange("policy", policy))?;
        let (settings, day_seed) = if settings.is_empty() {
            let settings = self.known.settings.clone();
            (settings.ok_or(JournalError::NoSettings { seq })?, None)
        } else {
            let kept: SettingsRecord = serde_json::from_str(&text("settings", settings)?)
                .map_err(|_| strange("settings", settings))?;
            (kept.settings, kept.day_seed)
        };
        let of_day = day_seed.as_deref().map(OwnerSeed::from_day_seed);
        let seed = of_day
            .or_else(|| self.known.seed.clone())
            .ok_or(JournalError::NoKey)?;
        Ok(MachineEnv {
            policy,
            settings,
            seed,
            catalogue_hash: catalogue,
        })
    }
}

/// How long after a state that had to forget something decisions may differ from those that were made: what was shown counts so long.
const DIFFERS_MS: i64 = 36 * 3_600_000;

/// Until when a fold may differ from what was decided, after going on from a base.
fn differs_until(base: &JournalCheckpoint) -> Option<Timestamp> {
    base.forgot.then(|| base.at.plus_ms(DIFFERS_MS))
}
