//! Configuration: the owner's profile and where to read.
//!
//! What: `home.toml` (or `aura.toml`) as typed settings for the machine and the agents. Why: one file says who the owner
//! is and which folders Aura may read. Not here: the policy (its own file), secrets (the installation's key is in the data
//! folder).

mod real;
mod web;

use crate::{
    accounts::{AccountConfig, AccountTable},
    control::host_folder,
    outbound::{
        ntfy::NtfyFile,
        settings::{OutboundConfig, SpeechConfig},
        telemetry::TelemetryFile,
        web_push::WebPushFile,
    },
};
use agents::contract::{AgentSetup, CalendarPreferences, FinancePreferences, OwnerProfile, SourcePaths};
use aura_memory::erase::RetentionPolicy;
use chrono::NaiveTime;
use chrono_tz::Tz;
use orchestrator_machine::env::{DailyWindow, KindWish, MachineSettings};
pub(crate) use real::look_at;
use rust_decimal::Decimal;
use serde::Deserialize;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};
use surfaces_base::{language::Language, locale::ClockStyle, visible::shortened};
use toolcall_schema::{
    ActionKind, Category, SourceKind, Timestamp, ids::OwnerSeed, money::AccountBalance, signal::LocationData,
};
pub use web::WebEndpoints;

/// The largest budget of a month.
pub(crate) const BUDGET_MAX: u64 = 1_000_000_000_000;

/// Whether it can be the budget of a month.
pub(crate) fn is_budget(amount: Decimal) -> bool {
    amount > Decimal::ZERO && amount <= Decimal::from(BUDGET_MAX)
}

/// What the agents' keyed hashes are of, by the folder's seed: a page that hashes as they do uses it too.
pub(crate) const AGENTS_KEY: &str = "agents v1";

/// A configuration that cannot be used. Exit code 3.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file is not there or cannot be read.
    #[error(
        "CONF-001: {path}: cannot be read; start `aura` once to make one, or name a readable file with --home"
    )]
    Unreadable {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    /// Not TOML, an unknown or missing key, or a value of the wrong type; names line and column.
    #[error("CONF-002: {path}: {}", shortened(&source.to_string()))]
    Toml {
        path: PathBuf,
        /// What toml said.
        source: Box<toml::de::Error>,
    },
    /// A value that makes no sense.
    #[error("CONF-003: {path}: {key} {problem}")]
    Value {
        path: PathBuf,
        /// The key.
        key: &'static str,
        /// What is wrong with it and what would be right.
        problem: String,
    },
    /// The policy cannot be used.
    #[error("CONF-004: {path}: {source}")]
    Policy {
        path: PathBuf,
        source: Box<orchestrator_machine::policy::PolicyError>,
    },
}

/// The file as it is written.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct HomeDocument {
    zone: String,
    #[serde(default)]
    clock: ClockStyle,
    #[serde(default)]
    language: LanguageChoice,
    start: Option<Timestamp>,
    seed: Option<String>,
    #[serde(default = "default_ceiling")]
    ceiling: u8,
    #[serde(default = "default_brief")]
    brief_time: String,
    #[serde(default)]
    dnd: Vec<[String; 2]>,
    #[serde(default)]
    addresses: Vec<String>,
    #[serde(default)]
    names: Vec<String>,
    #[serde(default = "default_buffer")]
    buffer_min: u32,
    #[serde(default = "default_sleep")]
    sleep_target_min: u32,
    #[serde(default = "default_p50")]
    rmssd_p50: f64,
    #[serde(default = "default_p10")]
    rmssd_p10: f64,
    home: Option<LocationData>,
    balance: Option<AccountBalance>,
    #[serde(default)]
    sources: SourcesFile,
    #[serde(default)]
    model: ModelFile,
    #[serde(default)]
    web: WebEndpoints,
    #[serde(default)]
    retention: RetentionPolicy,
    #[serde(default)]
    calendar: CalendarPreferences,
    #[serde(default)]
    finance: FinancePreferences,
    #[serde(default)]
    budgets: BTreeMap<Category, Decimal>,
    #[serde(default)]
    kinds: BTreeMap<ActionKind, KindWish>,
    #[serde(default)]
    speech: SpeechConfig,
    ntfy: Option<NtfyFile>,
    #[serde(default)]
    accounts: Vec<AccountTable>,
    #[serde(default)]
    web_push: WebPushFile,
    #[serde(default)]
    telemetry: TelemetryFile,
}

/// The language of the owner's texts, as the file names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
pub enum LanguageChoice {
    /// The browser's; of what nobody asked for, the system's.
    #[default]
    #[serde(rename = "browser")]
    Browser,
    #[serde(rename = "en")]
    English,
    #[serde(rename = "de")]
    German,
}

impl LanguageChoice {
    /// As the file names it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Browser => "browser",
            Self::English => Language::English.tag(),
            Self::German => Language::German.tag(),
        }
    }

    /// What was chosen, if anything was.
    pub fn chosen(self) -> Option<Language> {
        match self {
            Self::Browser => None,
            Self::English => Some(Language::English),
            Self::German => Some(Language::German),
        }
    }
}

impl HomeDocument {
    /// A number that no agent can count with, by its key; TOML also has `nan` and `inf`, which JSON has not.
    fn number_problem(&self) -> Option<(&'static str, String)> {
        let heart = [("rmssd_p50", self.rmssd_p50), ("rmssd_p10", self.rmssd_p10)];
        let heart = heart.into_iter().map(|(key, ms)| (key, ms, 1.0, 300.0));
        let place = self
            .home
            .iter()
            .flat_map(|home| [("home", home.lat, -90.0, 90.0), ("home", home.lon, -180.0, 180.0)]);
        let minutes = [
            ("buffer_min", f64::from(self.buffer_min), 0.0, 240.0),
            ("sleep_target_min", f64::from(self.sleep_target_min), 1.0, 1440.0),
        ];
        let mut numbers = heart.chain(place).chain(minutes);
        numbers.find_map(|(key, number, least, most)| {
            let problem = || format!("is {number}; it must be from {least} to {most}");
            (!(least..=most).contains(&number)).then(|| (key, problem()))
        })
    }
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct ModelFile {
    worker: Option<PathBuf>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct SourcesFile {
    mail: Vec<PathBuf>,
    notifications: Vec<PathBuf>,
    contacts: Vec<PathBuf>,
    calendar: Vec<PathBuf>,
    sms: Vec<PathBuf>,
    finance: Vec<PathBuf>,
    receipts: Vec<PathBuf>,
    wellness: Vec<PathBuf>,
    signals: Vec<PathBuf>,
    /// `[sources.paused]`: allowed, and not read for now.
    paused: SourcePaths,
}

fn default_ceiling() -> u8 {
    3
}
fn default_brief() -> String {
    "07:30".to_owned()
}
fn default_buffer() -> u32 {
    15
}
fn default_sleep() -> u32 {
    420
}
fn default_p50() -> f64 {
    42.0
}
fn default_p10() -> f64 {
    24.0
}

/// A checked configuration.
#[derive(Debug, Clone)]
pub struct HomeConfig {
    /// For the machine.
    pub settings: MachineSettings,
    /// For the agents.
    pub owner: OwnerProfile,
    /// For the agents: absolute or relative to the working folder.
    pub sources: SourcePaths,
    /// What was allowed and is not read for now.
    pub paused: SourcePaths,
    /// The day of a demo household: when its clock starts.
    pub start: Option<Timestamp>,
    /// The seed of a recorded day or a demo household.
    pub seed: Option<String>,
    /// Recorded signals of the owner's devices, for the demo.
    pub signals: Vec<PathBuf>,
    /// The program that runs the model; absent: the one beside `aura`.
    pub model_worker: Option<PathBuf>,
    /// The page beyond the loopback.
    pub web: WebEndpoints,
    /// How pages and notifications write times.
    pub clock: ClockStyle,
    /// What pages, notifications and speech are said in.
    pub language: LanguageChoice,
    /// For how long what is remembered is kept.
    pub retention: RetentionPolicy,
    /// What the owner wants to spend in a month at most, by what for. For pages alone: no agent is told.
    pub budgets: BTreeMap<Category, Decimal>,
    /// What is read on servers.
    pub accounts: Vec<AccountConfig>,
    /// Surfaces that are no pages.
    pub outbound: OutboundConfig,
}

impl HomeConfig {
    /// Reads a configuration.
    ///
    /// # Errors
    /// [`ConfigError`] naming file, key, line and remedy.
    pub fn load(path: &Path) -> Result<Self, ConfigError> {
        let text = std::fs::read_to_string(path).map_err(|source| ConfigError::Unreadable {
            path: path.to_owned(),
            source,
        })?;
        Self::from_text(path, &text)
    }

    /// The same of a text that is, or is to be, in that file.
    ///
    /// # Errors
    /// As [`Self::load`].
    pub(crate) fn from_text(path: &Path, text: &str) -> Result<Self, ConfigError> {
        let file: HomeDocument = toml::from_str(text).map_err(|source| ConfigError::Toml {
            path: path.to_owned(),
            source: Box::new(source),
        })?;
        Self::check(path, file)
    }

    /// The default owner of a recorded day that has no `home/`: a zone, nobody's addresses, no sources.
    ///
    /// # Errors
    /// [`ConfigError`] when the zone is not an IANA name.
    pub fn of_day(path: &Path, zone: &str, ceiling: u8) -> Result<Self, ConfigError> {
        let text = format!("zone = {zone:?}\nceiling = {ceiling}\n");
        let file: HomeDocument = toml::from_str(&text).map_err(|source| ConfigError::Toml {
            path: path.to_owned(),
            source: Box::new(source),
        })?;
        Self::check(path, file)
    }

    fn check(path: &Path, file: HomeDocument) -> Result<Self, ConfigError> {
        let bad = |key, problem: String| ConfigError::Value {
            path: path.to_owned(),
            key,
            problem,
        };
        let zone: Tz = file.zone.parse().map_err(|_| {
            bad(
                "zone",
                format!(
                    "{:?} is not an IANA time zone, such as \"Europe/Berlin\"",
                    file.zone
                ),
            )
        })?;
        if file.ceiling > orchestrator_machine::ledger::CEILING_MAX {
            return Err(bad(
                "ceiling",
                format!("is {}; it must be from 0 to 5", file.ceiling),
            ));
        }
        let time = |key, text: &str| {
            NaiveTime::parse_from_str(text, "%H:%M")
                .map_err(|_| bad(key, format!("{text:?} is not a time like \"07:30\"")))
        };
        let brief_from = time("brief_time", &file.brief_time)?;
        let noon = NaiveTime::from_hms_opt(12, 0, 0).unwrap_or(NaiveTime::MIN);
        let dnd = file
            .dnd
            .iter()
            .map(|[from, to]| {
                Ok(DailyWindow {
                    from: time("dnd", from)?,
                    to: time("dnd", to)?,
                })
            })
            .collect::<Result<Vec<_>, ConfigError>>()?;
        if let Some((key, problem)) = file.number_problem() {
            return Err(bad(key, problem));
        }
        if let Some(problem) = file.finance.problem() {
            return Err(bad("finance", problem));
        }
        if let Some((category, amount)) = file.budgets.iter().find(|(_, amount)| !is_budget(**amount)) {
            return Err(bad(
                "budgets",
                format!("{category}: {amount} must be more than 0 and at most {BUDGET_MAX}"),
            ));
        }
        if let Some(problem) = file.web.problem() {
            return Err(bad("web", problem));
        }
        let ntfy = file
            .ntfy
            .map(NtfyFile::check)
            .transpose()
            .map_err(|problem| bad("ntfy", problem))?;
        let web_push = file
            .web_push
            .check()
            .map_err(|problem| bad("web_push", problem))?;
        let telemetry = file
            .telemetry
            .check()
            .map_err(|problem| bad("telemetry", problem))?;
        let accounts = AccountTable::check_all(file.accounts).map_err(|problem| bad("accounts", problem))?;
        let base = path.parent().unwrap_or(Path::new("."));
        let under = |paths: Vec<PathBuf>| once_each(paths.iter().map(|path| base.join(path)));
        let all_under = |mut paths: SourcePaths| {
            for kind in SourceKind::ALL {
                let list = paths.list_mut(*kind);
                *list = under(std::mem::take(list));
            }
            paths
        };
        Ok(Self {
            settings: MachineSettings {
                zone,
                ceiling: file.ceiling,
                brief: DailyWindow {
                    from: brief_from,
                    to: noon,
                },
                dnd,
                model: false,
                // What is as usual is as if it did not stand there.
                kinds: file
                    .kinds
                    .into_iter()
                    .filter(|(_, wish)| *wish != KindWish::Usual)
                    .collect(),
            },
            owner: OwnerProfile {
                zone,
                addresses: file.addresses,
                names: file.names,
                home: file.home,
                buffer_min: file.buffer_min,
                sleep_target_min: file.sleep_target_min,
                rmssd_p50_p10: (file.rmssd_p50, file.rmssd_p10),
                balance: file.balance,
                calendar: file.calendar,
                finance: file.finance,
            },
            sources: SourcePaths {
                mail: under(file.sources.mail),
                notifications: under(file.sources.notifications),
                contacts: under(file.sources.contacts),
                calendar: under(file.sources.calendar),
                sms: under(file.sources.sms),
                finance: under(file.sources.finance),
                receipts: under(file.sources.receipts),
                wellness: under(file.sources.wellness),
            },
            paused: all_under(file.sources.paused),
            start: file.start,
            seed: file.seed,
            signals: under(file.sources.signals),
            model_worker: file.model.worker.map(|path| base.join(path)),
            web: file.web.under(base),
            clock: file.clock,
            language: file.language,
            retention: file.retention,
            budgets: file.budgets,
            accounts,
            outbound: OutboundConfig {
                speech: SpeechConfig {
                    voice: file.speech.voice.map(|voice| base.join(voice)),
                    ..file.speech
                },
                ntfy,
                web_push,
                telemetry,
            },
        })
    }

    /// Whether no source lies in the data folder, or on a host in another owner's, whatever links lead there: what Aura writes is no source
    /// of hers. A source on a mount that does not answer is not in it.
    ///
    /// # Errors
    /// CONF-003.
    pub fn fits(&self, path: &Path, data: &Path) -> Result<(), ConfigError> {
        let closed = closed_to_sources(data);
        let whose = if closed == whole(data) {
            "the data folder"
        } else {
            "the folder of this host's owners"
        };
        let (named, data) = (closed.clone(), real::path_of(&closed));
        let inside = real::paths_of(self.sources.paths())
            .into_iter()
            .find(|(source, real)| whole(source).starts_with(&named) || real.starts_with(&data));
        match inside {
            None => Ok(()),
            Some((source, _)) => Err(ConfigError::Value {
                path: path.to_owned(),
                key: "sources",
                problem: format!(
                    "names {}, which lies in {whose} {}: keep your files outside of it",
                    source.display(),
                    data.display()
                ),
            }),
        }
    }

    /// The machine's settings in a service: a model may be asked whenever there is one.
    pub(crate) fn machine_settings(&self) -> MachineSettings {
        MachineSettings {
            model: true,
            ..self.settings.clone()
        }
    }

    /// What the agents are given.
    pub fn setup(&self, seed: &OwnerSeed) -> AgentSetup {
        AgentSetup {
            key: seed.key(AGENTS_KEY),
            owner: self.owner.clone(),
            sources: self.sources.clone(),
        }
    }
}

/// The folder in which no source may lie: the data folder, or that of all owners where it is one of a host's.
fn closed_to_sources(data: &Path) -> PathBuf {
    let data = whole(data);
    match data.parent() {
        Some(owners) if host_folder(owners).is_dir() => owners.to_owned(),
        Some(_) | None => data,
    }
}

fn whole(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// Paths without those that come again: a folder that is named twice is read once.
fn once_each(paths: impl Iterator<Item = PathBuf>) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = Vec::new();
    for path in paths {
        // Without `//`, `/./` and a slash at the end.
        let path: PathBuf = path.components().collect();
        if all.contains(&path) {
            tracing::warn!("a source is named twice in the configuration: it is read once");
        } else {
            all.push(path);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_named_twice_is_read_once_and_none_may_lie_in_the_data_folder() {
        let home = load(
            "zone = \"UTC\"\n[sources]\nmail = [\"/m/a\", \"/m/b\", \"/m//a/\", \"/m/./b\"]\nsms = [\"/m/a\"]\n",
        )
        .unwrap();
        assert_eq!(home.sources.mail, [PathBuf::from("/m/a"), PathBuf::from("/m/b")]);
        assert_eq!(home.sources.sms, [PathBuf::from("/m/a")]);
        for (data, fits) in [
            ("/d", true),
            ("/m/a/data", true),
            ("/m/ab", true),
            ("/m", false),
            ("/m/a", false),
        ] {
            let answer = home.fits(Path::new("home.toml"), Path::new(data));
            assert_eq!(answer.is_ok(), fits, "{data} {answer:?}");
        }
    }

    #[test]
    fn no_source_lies_in_a_folder_of_another_owner_of_the_same_host() {
        let dir = tempfile::tempdir().unwrap();
        let (asha, jonas) = (dir.path().join("asha"), dir.path().join("jonas"));
        let text = format!(
            "zone = \"UTC\"\n[sources]\nmail = [\"{}/mail\"]\n",
            jonas.display()
        );
        let home = load(&text).unwrap();
        let fits = |data: &Path| home.fits(Path::new("home.toml"), data).is_ok();
        assert!(fits(&asha), "two folders beside each other, and no host");
        std::fs::create_dir(host_folder(dir.path())).unwrap();
        assert!(!fits(&asha));
        assert!(fits(&dir.path().join("x/asha")), "the owners of another host");
    }

    fn load(text: &str) -> Result<HomeConfig, ConfigError> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("home.toml");
        std::fs::write(&path, text).unwrap();
        HomeConfig::load(&path)
    }

    #[test]
    fn defaults_are_those_of_the_specification() {
        let home = load("zone = \"Asia/Kolkata\"").unwrap();
        assert_eq!(home.settings.ceiling, 3);
        assert_eq!(home.owner.buffer_min, 15);
        assert_eq!(
            home.settings.brief.from,
            NaiveTime::from_hms_opt(7, 30, 0).unwrap()
        );
    }

    #[test]
    fn a_bad_value_is_named_with_what_would_be_right() {
        for (text, wanted) in [
            (
                "zone = \"Mars/Base\"",
                "zone \"Mars/Base\" is not an IANA time zone",
            ),
            (
                "zone = \"UTC\"\nceiling = 9",
                "ceiling is 9; it must be from 0 to 5",
            ),
            (
                "zone = \"UTC\"\nbrief_time = \"8\"",
                "brief_time \"8\" is not a time",
            ),
            (
                "zone = \"UTC\"\n[finance]\naccounts = [\"XX8841\"]",
                "\"XX8841\" is not the last four digits",
            ),
            ("zone = \"UTC\"\ncieling = 2", "cieling"),
            (
                "zone = \"UTC\"\nrmssd_p50 = nan",
                "rmssd_p50 is NaN; it must be from 1 to 300",
            ),
            (
                "zone = \"UTC\"\nrmssd_p10 = 0.5",
                "rmssd_p10 is 0.5; it must be from 1 to 300",
            ),
            (
                "zone = \"UTC\"\nhome = { lat = 91.0, lon = 0.0 }",
                "home is 91; it must be from -90 to 90",
            ),
            (
                "zone = \"UTC\"\nhome = { lat = 0.0, lon = -inf }",
                "home is -inf; it must be from -180 to 180",
            ),
            (
                "zone = \"UTC\"\nbuffer_min = 241",
                "buffer_min is 241; it must be from 0 to 240",
            ),
            (
                "zone = \"UTC\"\nsleep_target_min = 0",
                "sleep_target_min is 0; it must be from 1 to 1440",
            ),
            (
                "zone = \"UTC\"\n[calendar]\nworking_hours = [\"18:00\", \"09:00\"]",
                "the first before the second",
            ),
        ] {
            let error = load(text).unwrap_err().to_string();
            assert!(error.contains(wanted), "{error}");
        }
    }
}
