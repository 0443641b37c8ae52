//! Settings that a page changes.
//!
//! What: [`SettingsEditor`], which pages ask, and what becomes of a change of the owner's file. Why: a form that is saved is in force. Not here: making one
//! change after another and having the service take it up (`serving`), the file (`home_file`), the forms (`surfaces`).

mod serving;
mod unfit;
pub(crate) use serving::serve_settings;
use unfit::unfit_value;

use crate::{
    accounts::{AccountFiles, TokenRenewals},
    config::{ConfigError, HomeConfig},
    desktop_entry::DesktopEntries,
    dropped_files::DroppedFiles,
    gazetteer::town_near,
    home_edit::HomeEdit,
    home_fields,
    home_file::{HomeFile, HomeFileChanged, HomeFileError},
    reading_totals::ReadingTotals,
    source_look::SourceLooks,
    sources,
};
use agents::contract::CsvMapping;
use aura_memory::vault::{KeyChange, KeyPlace};
use aura_platform::user_folders;
use std::{
    collections::BTreeMap,
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};
use surfaces_base::{
    backend::{
        BackendError,
        console::{PolicyOutcome, PolicyWish},
        settings::{
            BalanceView, ChangedLine, DesktopChange, DesktopView, DroppedReply, FileBytes, FoundSourceView,
            HomeChangeReply, HomeFileChange, HomeFileView, HomeValues, PreviewReply, SourceRef, SourceState,
            SourceView, UndoneChange,
        },
    },
    language::{say, text},
    locale::{self, Locale},
};
use tokio::sync::{
    mpsc::{self, error::TrySendError},
    oneshot,
};
use toolcall_schema::{AgentName, SourceKind, Timestamp};

/// Changes that wait; no owner makes more at once.
const WAITING_MAX: usize = 8;

/// Where the welcome's next screen is noted, beside the configuration.
pub const WELCOME_FILE: &str = "welcome";

/// How pages have the owner's file changed.
#[derive(Debug, Clone)]
pub struct SettingsEditor {
    pub(crate) file: HomeFile,
    key: Option<KeyPlace>,
    work: mpsc::Sender<SettingsRequest>,
    pub(crate) looks: SourceLooks,
    pub(crate) kept: KeptOverStarts,
    /// Whether the key is not where it was to be at this start.
    pub(crate) key_failed: bool,
}

/// What outlives the machine, which starts anew when settings change.
#[derive(Debug, Clone, Default)]
pub(crate) struct KeptOverStarts {
    pub(crate) totals: ReadingTotals,
    pub(crate) dropped: DroppedFiles,
    /// Where calendars of accounts lie.
    pub(crate) accounts: AccountFiles,
    /// Renewed tokens that could not be written.
    pub(crate) renewals: TokenRenewals,
    /// Where the key is to be after the next start.
    pub(crate) key_wish: Arc<Mutex<Option<KeyPlace>>>,
}

/// The file of a household that pages only show.
///
/// # Errors
/// When it cannot be read.
pub(crate) fn view_only(path: PathBuf, data: PathBuf) -> Result<HomeFileView, ConfigError> {
    view(&HomeFile { path, data }, None)
}

pub(crate) enum SettingsWork {
    Change(Box<HomeFileChange>, Vec<CsvMapping>, Timestamp),
    Undo(String, UndoneChange),
}

/// What a page wants.
pub(crate) enum SettingsRequest {
    /// The file changed, and who waits for it.
    Change {
        work: SettingsWork,
        may_add: bool,
        /// Who is told why not.
        reader: Locale,
        reply: oneshot::Sender<HomeChangeReply>,
    },
    /// A policy in force.
    PutPolicy {
        wish: PolicyWish,
        reply: oneshot::Sender<Result<PolicyOutcome, BackendError>>,
    },
    /// Every source read from its beginning, or those of one agent.
    ReadAgain(Option<AgentName>),
    /// The dropped files that may be read.
    ReadDropped,
    /// What stood in the file long before goes; the time is now.
    LetGoOfEarlier(Timestamp),
    /// The folder sealed with a key in another place.
    ChangeKey(Box<KeyChange>),
}

impl SettingsEditor {
    /// For the file at `path` and a data folder, with the requests for [`serve_settings`].
    pub(crate) fn new(
        path: PathBuf,
        data: PathBuf,
        key: Option<KeyPlace>,
        kept: KeptOverStarts,
    ) -> (Self, mpsc::Receiver<SettingsRequest>) {
        let file = HomeFile { path, data };
        let (work, requests) = mpsc::channel(WAITING_MAX);
        let looks = SourceLooks::default();
        kept.totals.begin();
        let wish = kept
            .key_wish
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        let key_failed = wish.is_some() && wish != key;
        if wish.is_some()
            && !key_failed
            && let Some(Err(error)) = desktop(&file, key.as_ref()).map(|entries| entries.renew())
        {
            tracing::warn!(%error, "the desktop's entries name the key's old place");
        }
        (
            Self {
                file,
                key,
                work,
                looks,
                kept,
                key_failed,
            },
            requests,
        )
    }

    /// The file as a form shows it.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn view(&self) -> Result<HomeFileView, ConfigError> {
        let (dropped, handed) = (self.kept.dropped.views(), self.kept.dropped.handed());
        view(&self.file, self.key.as_ref()).map(|view| HomeFileView {
            dropped,
            handed,
            ..view
        })
    }

    /// Takes in a file that was dropped on a page.
    ///
    /// # Errors
    /// When the service is busy.
    pub(crate) async fn take_dropped(
        &self,
        name: String,
        from: Option<String>,
        mut bytes: FileBytes,
    ) -> Result<DroppedReply, BackendError> {
        let (dropped, data) = (self.kept.dropped.clone(), self.file.data.clone());
        let taken = tokio::task::spawn_blocking(move || dropped.take(&data, (&name, from), &mut bytes));
        let reply = taken.await.map_err(|_| BackendError::Busy)?;
        if matches!(reply, DroppedReply::Waits(_)) {
            self.kept.dropped.remove_in_a_day();
        }
        Ok(reply)
    }

    /// Takes the dropped files out of what a change allows: they stand in no list.
    pub(crate) fn split_dropped(&self, change: &mut HomeFileChange) -> Vec<SourceRef> {
        let is_dropped = |source: &mut SourceRef| self.kept.dropped.is_offered(Path::new(&source.path));
        change.allow.extract_if(.., is_dropped).collect()
    }

    /// What could be read and is not.
    pub(crate) fn find_new_sources(&self) -> Vec<FoundSourceView> {
        let read = self
            .file
            .read()
            .and_then(|now| HomeConfig::from_text(&self.file.path, &now.text));
        let read: Vec<PathBuf> = read.map_or_else(
            |_| Vec::new(),
            |home| home.sources.paths().chain(home.paused.paths()).cloned().collect(),
        );
        let is_new = |path: &Path| !read.iter().any(|known| path.starts_with(known));
        sources::found_here()
            .unwrap_or_default()
            .into_iter()
            .filter(|found| is_new(&found.path))
            .filter_map(|found| {
                let place = place_of(&found.path);
                let source = source_ref(found.kind, &found.path)?;
                let program = found.program.to_owned();
                Some(FoundSourceView {
                    source,
                    program,
                    place,
                })
            })
            .collect()
    }

    /// Notes which screen of the welcome comes next.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn set_welcome(&self, next: Option<u8>) -> io::Result<()> {
        let path = self.file.path.with_file_name(WELCOME_FILE);
        match next {
            Some(screen) => fs::write(path, format!("{screen}\n")),
            None => match fs::remove_file(path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
                removed => removed,
            },
        }
    }

    /// Changes the file, and has dropped files read.
    ///
    /// # Errors
    /// Busy or stopping.
    pub async fn change(
        &self,
        change: HomeFileChange,
        dropped: &[SourceRef],
        at: Timestamp,
        may_add: bool,
    ) -> Result<HomeChangeReply, BackendError> {
        // Before the change, after which the machine may start anew: the next one begins with them.
        for source in dropped {
            self.kept.dropped.queue(Path::new(&source.path), source.list);
        }
        let changes_file = HomeFileChange {
            shown: change.shown.clone(),
            ..HomeFileChange::default()
        } != change;
        let changed = if changes_file {
            self.change_file(change, at, may_add).await
        } else {
            Ok(HomeChangeReply::Taken {
                restarts: false,
                shown: change.shown,
            })
        };
        match &changed {
            Ok(HomeChangeReply::Taken { restarts: true, .. }) => {}
            Ok(HomeChangeReply::Taken { restarts: false, .. }) => {
                if !dropped.is_empty() {
                    self.send(SettingsRequest::ReadDropped)?;
                }
            }
            Ok(
                HomeChangeReply::Changed(_)
                | HomeChangeReply::Refused(_)
                | HomeChangeReply::NotAllowed
                | HomeChangeReply::Nothing,
            )
            | Err(_) => {
                for source in dropped {
                    self.kept.dropped.offer_again(Path::new(&source.path));
                }
            }
        }
        changed
    }

    async fn change_file(
        &self,
        change: HomeFileChange,
        at: Timestamp,
        may_add: bool,
    ) -> Result<HomeChangeReply, BackendError> {
        if let Some(why) = unfit_value(&change) {
            return Ok(HomeChangeReply::Refused(why));
        }
        let mut mappings = Vec::new();
        for answer in &change.csv {
            match self.answered_mapping(answer, at).await? {
                Ok(mapping) => mappings.push(mapping),
                Err(why) => return Ok(HomeChangeReply::Refused(why.to_owned())),
            }
        }
        self.ask(SettingsWork::Change(Box::new(change), mappings, at), may_add)
            .await
    }

    /// How the file would change. Blocks.
    pub(crate) fn preview_change(
        &self,
        change: &HomeFileChange,
        at: Timestamp,
    ) -> PreviewReply<(Vec<ChangedLine>, HomeConfig)> {
        match self.file.preview(&change.shown, &edits(change, &[], at)) {
            Ok(preview) => PreviewReply::Shown(preview),
            Err(HomeFileError::Changed) => PreviewReply::Changed,
            Err(HomeFileError::Config(error)) => PreviewReply::Refused(problem(&error)),
            Err(HomeFileError::Edit(error)) => PreviewReply::Refused(error.in_words()),
            Err(error) => PreviewReply::Refused(error.to_string()),
        }
    }

    /// Undoes a change.
    ///
    /// # Errors
    /// Busy or stopping.
    pub async fn undo(
        &self,
        shown: String,
        which: UndoneChange,
        may_add: bool,
    ) -> Result<HomeChangeReply, BackendError> {
        self.ask(SettingsWork::Undo(shown, which), may_add).await
    }

    /// How another process of this program comes by the folder's key: a file is named, a keyring asked, a passphrase by the running service.
    pub(crate) fn key_arguments(&self) -> Vec<OsString> {
        match &self.key {
            Some(KeyPlace::File { path }) => vec!["--key-file".into(), path.into()],
            Some(KeyPlace::Keyring { .. } | KeyPlace::Passphrase { .. }) | None => vec![],
        }
    }

    /// Has the owner's desktop start Aura, or not any more. Blocks.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub(crate) fn change_desktop(&self, change: DesktopChange) -> io::Result<()> {
        let Some(entries) = desktop(&self.file, self.key.as_ref()) else {
            return Ok(());
        };
        if let Some(on) = change
            .at_login
            .filter(|on| !on || entries.starts_at_login().is_some())
        {
            entries.set_at_login(on)?;
        }
        if let Some(on) = change.in_menu {
            entries.set_in_menu(on)?;
        }
        Ok(())
    }

    /// Puts a policy into force.
    ///
    /// # Errors
    /// Busy or stopping.
    pub(crate) async fn put_policy(&self, wish: PolicyWish) -> Result<PolicyOutcome, BackendError> {
        let (reply, told) = oneshot::channel();
        self.send(SettingsRequest::PutPolicy { wish, reply })?;
        told.await.map_err(|_| BackendError::Busy)?
    }

    /// Begins to read every source from its beginning, or those of one agent.
    ///
    /// # Errors
    /// [`BackendError::Busy`]: too many changes wait, or the service stops.
    pub fn read_again(&self, only: Option<AgentName>) -> Result<(), BackendError> {
        self.send(SettingsRequest::ReadAgain(only))
    }

    /// Lets go of what stood in the file more than a week ago. What has no room now is asked for again soon.
    pub(crate) fn let_go_of_earlier(&self, at: Timestamp) {
        let _ = self.send(SettingsRequest::LetGoOfEarlier(at));
    }

    /// Begins to keep the key elsewhere.
    pub(crate) fn change_key(&self, change: KeyChange) -> Result<(), BackendError> {
        let place = change.place().clone();
        self.send(SettingsRequest::ChangeKey(Box::new(change)))?;
        *self.kept.key_wish.lock().unwrap_or_else(PoisonError::into_inner) = Some(place);
        Ok(())
    }

    fn send(&self, request: SettingsRequest) -> Result<(), BackendError> {
        self.work.try_send(request).map_err(|failure| match failure {
            TrySendError::Full(_) => BackendError::Busy,
            // The machine ends, perhaps to start with changed settings: nothing was begun.
            TrySendError::Closed(_) => BackendError::Stopping,
        })
    }

    async fn ask(&self, work: SettingsWork, may_add: bool) -> Result<HomeChangeReply, BackendError> {
        let (reply, told) = oneshot::channel();
        let reader = locale::current();
        self.send(SettingsRequest::Change {
            work,
            may_add,
            reader,
            reply,
        })?;
        told.await.map_err(|_| BackendError::Busy)
    }
}

/// Changes the file where no service reads it.
pub(crate) fn change_file(file: &HomeFile, change: HomeFileChange, at: Timestamp) -> HomeChangeReply {
    make(
        file,
        None,
        &SettingsWork::Change(Box::new(change), Vec::new(), at),
        true,
    )
    .0
}

/// The reply, and what changed where something did.
fn make(
    file: &HomeFile,
    key: Option<&KeyPlace>,
    work: &SettingsWork,
    may_add: bool,
) -> (HomeChangeReply, Option<HomeFileChanged>) {
    let made = match work {
        SettingsWork::Change(change, mappings, at) => {
            file.change(&change.shown, &edits(change, mappings, *at), may_add)
        }
        SettingsWork::Undo(shown, UndoneChange::Last) => file.undo(shown, may_add),
        SettingsWork::Undo(shown, UndoneChange::Earlier) => file.undo_earlier(shown, may_add),
    };
    let error = match made {
        Ok(changed) => {
            let taken = HomeChangeReply::Taken {
                restarts: false,
                shown: file.read().map(|now| now.sha256).unwrap_or_default(),
            };
            return (taken, Some(changed));
        }
        Err(error) => error,
    };
    let reply = match error {
        HomeFileError::Changed => view(file, key).map_or_else(
            |error| HomeChangeReply::Refused(problem(&error)),
            |now| HomeChangeReply::Changed(Box::new(now)),
        ),
        HomeFileError::NeedsProof => HomeChangeReply::NotAllowed,
        HomeFileError::NothingToUndo => HomeChangeReply::Nothing,
        HomeFileError::Config(error) => HomeChangeReply::Refused(problem(&error)),
        HomeFileError::Edit(error) => HomeChangeReply::Refused(error.in_words()),
        HomeFileError::Outside(error) => HomeChangeReply::Refused(error.to_string()),
        HomeFileError::Write(error) => {
            HomeChangeReply::Refused(say!("control-file-not-written", why = error.kind().to_string()))
        }
    };
    (reply, None)
}

/// What is wrong, without the file's name: the page says which file.
fn problem(error: &ConfigError) -> String {
    match error {
        ConfigError::Value { key, problem, .. } => {
            say!("control-value-unusable", key = *key, problem = problem.as_str())
        }
        ConfigError::Unreadable { .. } => text("control-file-not-readable").to_owned(),
        ConfigError::Toml { .. } | ConfigError::Policy { .. } => text("control-file-unusable").to_owned(),
    }
}

fn edits(change: &HomeFileChange, mappings: &[CsvMapping], at: Timestamp) -> Vec<HomeEdit> {
    let HomeFileChange {
        shown: _,
        zone,
        names,
        addresses,
        ceiling,
        brief_time,
        quiet,
        sleep_target_min,
        balance,
        more,
        allow,
        remove,
        pause,
        resume,
        accounts,
        csv: _,
        places,
    } = change.clone();
    let balance = balance.map(|BalanceView { amount, currency }| HomeEdit::Balance {
        amount,
        currency,
        as_of: at.to_string(),
    });
    // 122 random bits each: whoever can guess a topic can read it.
    let random = || uuid::Uuid::new_v4().simple().to_string();
    let topics = more
        .keys()
        .any(|key| key.starts_with("ntfy."))
        .then(|| HomeEdit::NtfyTopics {
            topic: random(),
            answers: random(),
        });
    [
        zone.map(HomeEdit::Zone),
        names.map(HomeEdit::Names),
        addresses.map(HomeEdit::Addresses),
        ceiling.map(HomeEdit::Ceiling),
        brief_time.map(HomeEdit::BriefTime),
        quiet.map(HomeEdit::QuietHours),
        sleep_target_min.map(HomeEdit::SleepTarget),
        balance,
    ]
    .into_iter()
    .flatten()
    .chain(more.into_iter().map(|(key, text)| HomeEdit::Field(key, text)))
    .chain(topics)
    .chain(
        places
            .into_iter()
            .map(|answer| HomeEdit::Place(answer.place, answer.minutes)),
    )
    .chain(
        mappings
            .iter()
            .cloned()
            .map(|mapping| HomeEdit::AddMapping(Box::new(mapping))),
    )
    .chain(
        allow
            .into_iter()
            .map(|source| HomeEdit::AddSource(source.list, from_home(&source.path))),
    )
    .chain(
        remove
            .into_iter()
            .map(|source| HomeEdit::RemoveSource(source.list, source.path.into())),
    )
    .chain(
        pause
            .into_iter()
            .map(|source| HomeEdit::PauseSource(source.list, source.path.into())),
    )
    .chain(
        resume
            .into_iter()
            .map(|source| HomeEdit::ResumeSource(source.list, source.path.into())),
    )
    .chain(
        accounts
            .into_iter()
            .map(|change| HomeEdit::Account(Box::new(change))),
    )
    .collect()
}

fn view(file: &HomeFile, key: Option<&KeyPlace>) -> Result<HomeFileView, ConfigError> {
    let now = file.read()?;
    let mut home = HomeConfig::from_text(&file.path, &now.text)?;
    let fields = home_fields::views(&home);
    let hour = |time: chrono::NaiveTime| time.format("%H:%M").to_string();
    let values = HomeValues {
        zone: home.settings.zone.name().to_owned(),
        names: home.owner.names,
        addresses: home.owner.addresses,
        ceiling: home.settings.ceiling,
        brief_time: hour(home.settings.brief.from),
        quiet: home
            .settings
            .dnd
            .iter()
            .map(|span| (hour(span.from), hour(span.to)))
            .collect(),
        sleep_target_min: home.owner.sleep_target_min,
        balance: home.owner.balance.map(|balance| BalanceView {
            amount: balance.amount.to_string(),
            currency: balance.currency,
        }),
    };
    let mut listed = Vec::new();
    for &kind in SourceKind::ALL {
        listed.extend(home.sources.list_mut(kind).drain(..).map(|path| (kind, path)));
    }
    let paths: Vec<PathBuf> = listed.iter().map(|(_, path)| path.clone()).collect();
    let states = states(&paths);
    let mut paused = Vec::new();
    for &kind in SourceKind::ALL {
        paused.extend(
            home.paused
                .list_mut(kind)
                .drain(..)
                .map(|path| (kind, path, true)),
        );
    }
    let read = listed.into_iter().map(|(kind, path)| (kind, path, false));
    let sources = read.chain(paused).map(|(kind, path, is_paused)| SourceView {
        state: if is_paused {
            SourceState::Paused
        } else {
            states.get(&path).copied().unwrap_or(SourceState::Unanswered)
        },
        place: place_of(&path),
        source: SourceRef {
            list: kind,
            path: path.to_string_lossy().into_owned(),
        },
    });
    let welcome = fs::read_to_string(file.path.with_file_name(WELCOME_FILE)).ok();
    Ok(HomeFileView {
        can_undo: file.can_undo(&now.sha256),
        is_undone: file.is_undone(&now.sha256),
        can_undo_earlier: file.can_undo_earlier(&now.sha256),
        shown: now.sha256,
        values,
        fields,
        home_town: home.owner.home.and_then(town_near),
        sources: sources.collect(),
        accounts: Vec::new(),
        welcome: welcome.and_then(|screen| screen.trim().parse().ok()),
        has_ntfy: home.outbound.ntfy.is_some(),
        has_speech: home.outbound.speech.enabled,
        desktop: desktop(file, key).map(|entries| DesktopView {
            at_login: entries.starts_at_login(),
            in_menu: entries.is_in_menu(),
        }),
        dropped: Vec::new(),
        handed: Vec::new(),
    })
}

fn desktop(file: &HomeFile, key: Option<&KeyPlace>) -> Option<DesktopEntries> {
    DesktopEntries::new(&file.path, &file.data, key)
}

/// Whether each is there, as far as its disk answers.
fn states(paths: &[PathBuf]) -> BTreeMap<PathBuf, SourceState> {
    let looked = crate::config::look_at(paths, Path::exists);
    let state = |there| {
        if there {
            SourceState::There
        } else {
            SourceState::Missing
        }
    };
    looked
        .into_iter()
        .map(|(path, there)| (path, state(there)))
        .collect()
}

/// A path as a page may show it.
pub(crate) fn place_of(path: &Path) -> String {
    sources::place_below(path, &user_folders::home().unwrap_or_default())
}

/// A path as the owner typed it: `~/Documents` begins in her folder.
pub(crate) fn from_home(path: &str) -> PathBuf {
    match (path.strip_prefix("~/"), user_folders::home()) {
        (Some(below), Some(home)) => home.join(below),
        (Some(_), None) | (None, _) => path.into(),
    }
}

/// A source as pages name it; `None`: its path is no text.
pub(crate) fn source_ref(kind: SourceKind, path: &Path) -> Option<SourceRef> {
    let path = path.to_str()?.to_owned();
    Some(SourceRef { list: kind, path })
}
