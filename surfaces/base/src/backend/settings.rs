//! What the pages need to change the owner's settings.
//!
//! What: the trait [`SettingsBackend`] and the plain values that cross it: the owner's file as a form shows it, a change of it, and what was
//! found to read. Why: the file is the one truth, and only the program that reads it writes it. Not here: the forms (`web::settings_page`),
//! the file (`orchestrator`).

use super::{
    accounts::{AccountChange, AccountView},
    console::{PolicyOutcome, PolicyWish, WhatIfReport},
    home_fields::HomeFieldView,
    source_look::{CsvAnswer, FolderReply, NamedPathReply, PlaceAnswer, SourceLookReply, UnfitFile},
    types::{BackendError, BackendFuture},
};
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, io};
use tokio::sync::mpsc;
use toolcall_schema::{
    AgentName, SourceKind, Timestamp, preview::StatementColumns, rule::OwnerRule, tick::SkippedItem,
};

/// What the forms need from the rest of Aura.
pub trait SettingsBackend: Send + Sync + 'static {
    /// The owner's file as it is now; `None`: pages do not change it, as in the demo.
    fn home_file(&self) -> BackendFuture<Result<Option<HomeFileView>, BackendError>>;
    /// The file where pages do not change it but show it, as in the demo.
    fn shown_home(&self) -> BackendFuture<Result<Option<HomeFileView>, BackendError>>;

    /// Changes the file. `may_add`: whether the browser that asks may have something read that was not. Answered when it is on disk.
    fn change_home(
        &self,
        change: HomeFileChange,
        may_add: bool,
    ) -> BackendFuture<Result<HomeChangeReply, BackendError>>;

    /// How the file would change. Nothing is written.
    fn preview_home(
        &self,
        change: HomeFileChange,
    ) -> BackendFuture<Result<PreviewReply<Vec<ChangedLine>>, BackendError>>;

    /// How the last [`TRIAL_DAYS`] days would have come out with the file changed so. Nothing is written.
    fn try_home(
        &self,
        change: HomeFileChange,
    ) -> BackendFuture<Result<PreviewReply<WhatIfReport>, BackendError>>;

    /// How the last [`TRIAL_DAYS`] days would have come out with one rule more. Nothing is changed.
    fn try_rule(&self, rule: OwnerRule) -> BackendFuture<Result<WhatIfReport, BackendError>>;

    /// Puts back what stood in the file before a change.
    fn undo_home(
        &self,
        shown: String,
        which: UndoneChange,
        may_add: bool,
    ) -> BackendFuture<Result<HomeChangeReply, BackendError>>;

    /// What lies in the usual places of usual programs and is not read yet. Looks at names, reads no message.
    fn found_sources(&self) -> BackendFuture<Vec<FoundSourceView>>;

    /// Looks into a source in a process of its own, and keeps nothing of it.
    /// `columns`: what the owner chose of an export.
    fn look_at_source(
        &self,
        source: SourceRef,
        columns: Option<StatementColumns>,
    ) -> BackendFuture<Result<SourceLookReply, BackendError>>;

    /// Takes in a file that the owner dropped on the page, as its bytes come. It is read once she allows it, and then not kept. `from`: the device of hers that
    /// hands it over and may not allow it; then it waits until she does so elsewhere.
    fn take_dropped(
        &self,
        name: String,
        from: Option<String>,
        bytes: FileBytes,
    ) -> BackendFuture<Result<DroppedReply, BackendError>>;

    /// The names in a folder, by its path below the owner's. That they were asked for is recorded first.
    fn list_folder(&self, below: String) -> BackendFuture<Result<FolderReply, BackendError>>;

    /// The source that a path names, as what its owner says it holds or as what its name and first bytes say. That it was asked for is recorded first.
    fn name_source(
        &self,
        path: String,
        list: Option<SourceKind>,
    ) -> BackendFuture<Result<NamedPathReply, BackendError>>;

    /// Towns of that name. Nothing is asked of the network.
    fn find_towns(&self, name: String) -> BackendFuture<Result<Vec<TownView>, BackendError>>;

    /// Has the owner's desktop start Aura, or not any more. That it was asked for is recorded first.
    fn change_desktop(&self, change: DesktopChange) -> BackendFuture<Result<(), BackendError>>;

    /// Puts a policy into force, if the one that it was compared with still is.
    fn put_policy(&self, wish: PolicyWish) -> BackendFuture<Result<PolicyOutcome, BackendError>>;

    /// Begins to read every source from its beginning once more. What was forgotten and the files still have comes back.
    fn read_again(&self, list: Option<SourceKind>) -> BackendFuture<Result<(), BackendError>>;

    /// How much each agent has read since the start.
    fn reading(&self) -> BackendFuture<Result<BTreeMap<AgentName, ReadingView>, BackendError>>;

    /// Which screen of the welcome comes next; `None`: it is over.
    fn set_welcome(&self, next: Option<u8>) -> BackendFuture<Result<(), BackendError>>;
}

/// Begins the id under which a change of a setting is recorded that was undone, and one that is there again.
pub const UNDONE: &str = "undo.";
/// Begins the id of a device that was let in; its own id follows.
pub const DEVICE_ADDED: &str = "devices:added.";
/// Begins the id of a device that was shut out; the day on which it had been let in follows.
pub const DEVICE_REMOVED: &str = "devices:removed.";
pub const REDONE: &str = "redo.";

/// Which change of the owner's file is undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UndoneChange {
    /// The last one, which may be an Undo itself.
    #[default]
    Last,
    /// The newest one that is in force.
    Earlier,
}

/// The owner's file as a form shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HomeFileView {
    /// The hash of the text that this was read from.
    pub shown: String,
    pub values: HomeValues,
    /// The further settings, one field each.
    pub fields: Vec<HomeFieldView>,
    /// The town near the owner's home.
    pub home_town: Option<String>,
    /// In the order of the file.
    pub sources: Vec<SourceView>,
    /// What is read on servers, in the order of the file.
    pub accounts: Vec<AccountView>,
    /// Whether there is a change that can be undone.
    pub can_undo: bool,
    /// Whether the last change was an Undo: undoing has what was taken back there again.
    pub is_undone: bool,
    /// Whether the last change was an Undo, and the newest one in force can be undone as well.
    pub can_undo_earlier: bool,
    /// Which screen of the welcome comes next; `None`: it is over, or there never was one.
    pub welcome: Option<u8>,
    /// Notifications that are set up beside the page.
    pub has_ntfy: bool,
    pub has_speech: bool,
    /// How the desktop starts Aura; absent where there is none.
    pub desktop: Option<DesktopView>,
    /// What became of the files that were dropped since the start.
    pub dropped: Vec<DroppedFileView>,
    /// Files that devices handed over and that wait for the owner's word, oldest first.
    pub handed: Vec<HandedFileView>,
}

/// A town that its owner may live in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TownView {
    /// With its country, and with the spelling that was looked for.
    pub name: String,
    /// As the field `home` takes it.
    pub place: String,
}

/// Bytes of a dropped file.
pub const DROPPED_BYTES_MAX: u64 = 128 << 20;

/// Bytes of all files that devices handed over and that wait, and how many wait at most.
pub const HANDED_BYTES_MAX: u64 = 32 << 20;
pub const HANDED_MAX: usize = 8;

/// A file that a device handed over: what it is, whose it came from, and how large it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HandedFileView {
    pub found: FoundSourceView,
    /// The device's name, as its owner gave it.
    pub from: String,
    pub bytes: u64,
}

/// The bytes of a file as they come; an error where they end too early.
pub type FileBytes = mpsc::Receiver<io::Result<FilePiece>>;

/// A piece of a file. One without an end was stopped on its way, and is not whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FilePiece {
    Bytes(Bytes),
    /// All of it came.
    End,
}

/// What a dropped file is. Its name is told as the page may show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DroppedReply {
    /// It can be read: its path is good until then.
    Source(FoundSourceView),
    /// A device handed it over: it waits.
    Waits(String),
    /// Nothing in it can be read as it is.
    Unfit(UnfitFile, String),
    /// A calendar, which changes.
    Calendar(String),
    /// A list of tasks, which changes as well.
    Tasks(String),
    /// An address book, whose names are read anew at each start: what is in it can be looked at, and it is read where it lies.
    Contacts(FoundSourceView),
    /// Nobody knows what it is.
    Unknown(String),
    /// More than [`DROPPED_BYTES_MAX`], or than is left for all of them.
    TooLarge,
    /// There is no memory for it, or not all of it came.
    NoRoom,
}

/// A dropped file that may be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DroppedFileView {
    pub name: String,
    pub kind: SourceKind,
    pub stage: DroppedStage,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DroppedStage {
    Reading,
    Read,
    Failed,
}

/// How the owner's desktop starts Aura.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DesktopView {
    /// `None`: it cannot, because its key is asked for at each start.
    pub at_login: Option<bool>,
    /// Whether Aura stands among the programs.
    pub in_menu: bool,
}

/// A change of it: what is absent stays.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DesktopChange {
    pub at_login: Option<bool>,
    pub in_menu: Option<bool>,
}

/// The values that a form changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HomeValues {
    pub zone: String,
    pub names: Vec<String>,
    pub addresses: Vec<String>,
    pub ceiling: u8,
    /// `07:30`
    pub brief_time: String,
    pub quiet: Vec<(String, String)>,
    pub sleep_target_min: u32,
    pub balance: Option<BalanceView>,
}

/// What is in the account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BalanceView {
    pub amount: String,
    /// ISO 4217.
    pub currency: String,
}

/// A file or folder in a list of sources.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceRef {
    pub list: SourceKind,
    pub path: String,
}

/// A source that is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceView {
    pub source: SourceRef,
    /// Where it is, below the owner's folder: `~/Maildir`; elsewhere its name alone.
    pub place: String,
    pub state: SourceState,
}

/// How a source stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceState {
    There,
    Missing,
    /// It is on a disk that does not answer.
    Unanswered,
    /// It was allowed, and is not read for now.
    Paused,
}

/// Something that could be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundSourceView {
    pub source: SourceRef,
    /// Whose it usually is, in words.
    pub program: String,
    /// As in [`SourceView`].
    pub place: String,
}

/// Bytes of a source that are still to be read, and the most there were.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SourceRestView {
    pub left: u64,
    pub most: u64,
}

/// How much one agent has read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReadingView {
    /// Items that were kept.
    pub items: u64,
    /// Of them those of today.
    pub today: u64,
    /// Bytes that are still to be read, and the most there were since there were none.
    pub left: u64,
    pub most_left: u64,
    /// The same of each source of which something is left, by [`toolcall_schema::tick::source_key`] of its path.
    pub rests: BTreeMap<String, SourceRestView>,
    /// When it read last (wall clock); `None`: not since the start.
    pub at: Option<Timestamp>,
    /// What could not be read, all of it, and the last ones.
    pub skipped: u64,
    pub skips: Vec<SkippedItem>,
    /// Statements that are left out until their owner answers what they do not say.
    pub asked: Vec<AskedStatement>,
}

/// A statement that does not say everything: none of it counts until its owner answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskedStatement {
    /// The path of the source that it is, or lies in.
    pub source: String,
    /// Where it is itself, and what it is called.
    pub path: String,
    pub name: String,
}

/// A change as a page sends it: what is absent stays.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HomeFileChange {
    /// The hash of the text that the page showed.
    pub shown: String,
    pub zone: Option<String>,
    pub names: Option<Vec<String>>,
    pub addresses: Option<Vec<String>>,
    pub ceiling: Option<u8>,
    pub brief_time: Option<String>,
    pub quiet: Option<Vec<[String; 2]>>,
    pub sleep_target_min: Option<u32>,
    pub balance: Option<BalanceView>,
    /// Further settings by their key, as [`HomeFieldView`] shows them.
    pub more: BTreeMap<String, String>,
    pub allow: Vec<SourceRef>,
    pub remove: Vec<SourceRef>,
    /// What is not read for now, and what is again.
    pub pause: Vec<SourceRef>,
    pub resume: Vec<SourceRef>,
    /// What becomes of accounts on servers.
    pub accounts: Vec<AccountChange>,
    /// What its owner says of banks' exports that do not say it themselves.
    pub csv: Vec<CsvAnswer>,
    /// How far places of the calendar are.
    pub places: Vec<PlaceAnswer>,
}

/// Entries of a list, and characters of a text, that a page may send.
const ENTRIES_MAX: usize = 64;
const TEXT_MAX: usize = 1024;

impl HomeFileChange {
    /// Whether every text is one line of a sensible length, and every list short.
    pub fn is_bounded(&self) -> bool {
        let text = |text: &str| text.chars().count() <= TEXT_MAX && !text.contains(char::is_control);
        let list = |list: &Option<Vec<String>>| {
            let texts = list.iter().flatten();
            list.as_ref().is_none_or(|list| list.len() <= ENTRIES_MAX)
                && texts.into_iter().all(|one| text(one))
        };
        let sources = |sources: &[SourceRef]| {
            sources.len() <= ENTRIES_MAX && sources.iter().all(|source| text(&source.path))
        };
        let quiet = self.quiet.as_deref().unwrap_or_default();
        let single = [&self.zone, &self.brief_time];
        single.into_iter().flatten().all(|one| text(one))
            && list(&self.names)
            && list(&self.addresses)
            && quiet.len() <= ENTRIES_MAX
            && quiet.iter().flatten().all(|time| text(time))
            && self
                .balance
                .as_ref()
                .is_none_or(|balance| text(&balance.amount) && text(&balance.currency))
            && self.more.len() <= ENTRIES_MAX
            && self.more.iter().all(|(key, value)| text(key) && text(value))
            && sources(&self.allow)
            && sources(&self.remove)
            && sources(&self.pause)
            && sources(&self.resume)
            && self.accounts.len() <= ENTRIES_MAX
            && self.accounts.iter().flat_map(AccountChange::texts).all(text)
            && self.places.len() <= ENTRIES_MAX
            && self.places.iter().all(|answer| text(&answer.place))
            && self.csv.len() <= ENTRIES_MAX
            && self.csv.iter().all(|answer| {
                let columns = answer.columns.iter().flat_map(StatementColumns::names);
                let said = answer.currency.as_deref().into_iter().chain(columns);
                text(&answer.path) && said.into_iter().all(text)
            })
    }
}

/// A line of the owner's file that a change takes out or puts in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedLine {
    pub is_new: bool,
    pub text: String,
}

/// Days that a change of the settings is tried on, today the last.
pub const TRIAL_DAYS: u64 = 30;

/// How a change would come out: of the file, the lines in its order, none where nothing changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PreviewReply<T> {
    Shown(T),
    /// The file is not what was shown.
    Changed,
    /// It makes no sense there, and why.
    Refused(String),
    /// No file that pages change.
    Nothing,
}

impl<T> PreviewReply<T> {
    /// The same with what is shown turned into something else.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> PreviewReply<U> {
        match self {
            PreviewReply::Shown(shown) => PreviewReply::Shown(change(shown)),
            PreviewReply::Changed => PreviewReply::Changed,
            PreviewReply::Refused(why) => PreviewReply::Refused(why),
            PreviewReply::Nothing => PreviewReply::Nothing,
        }
    }
}

/// What came of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HomeChangeReply {
    /// It is in the file. `restarts`: Aura is away for a moment to take it up; `shown`: the hash of the text as it is now.
    Taken { restarts: bool, shown: String },
    /// The file is not what was shown; this is what it says now.
    Changed(Box<HomeFileView>),
    /// It makes no sense there, and why.
    Refused(String),
    /// It would have something read that was not, and that was not allowed.
    NotAllowed,
    /// There is no change that could be undone, or no file that pages change.
    Nothing,
}
