//! The control socket: how the command line talks to a running service.
//!
//! What: a Unix socket `aura.sock` in the data folder, or in `.host` beside it where a host serves several owners, mode 0600, one JSON request and one JSON reply a line; each request carries the
//! secret that stands in a file beside it (`cookie`). Why: commands work while the service holds the folder. Not here: the
//! socket's two ends (`server`, `client`), what is done about a request (`control_handler`), commands that only read (they open the store beside it).

mod acts;
mod client;
mod cookie;
mod offline;
mod progress;
mod server;

pub use acts::{ActReversal, ListedAct, UndoneAct};
pub use client::{ControlError, ask, ask_holder, ask_patiently, keys};
pub use offline::{OfflineJob, OfflineOutcome, OfflineWork};
pub use progress::ProgressSender;
pub(crate) use server::control_inbox;
pub use server::{
    ControlDirectory, ControlHandler, ControlInbox, ControlSender, ControlServer, ControlSocket,
    ShutdownSignals, serve,
};

use crate::{
    accounts::{AccountCommand, AccountReport},
    devices::PairingInvitation,
};
use aura_memory::{
    audit::{AuditSubject, Op},
    erase::RemovedCounts,
    export::ImportCounts,
    graph::NodeKey,
    quarantine::PurgeCounts,
    vault::KeyChange,
};
use aura_platform::{
    health::{ReadProgress, ServiceHealth},
    retention_clock::ClockReport,
};
use aura_workflow::{
    journal::JournalLine,
    protocol::{RunReply, RunRequest},
};
use chrono_tz::Tz;
use orchestrator_machine::{
    MachineEnv, MachineState,
    asks::{AskerId, WaitingAsks},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs::File,
    io,
    os::fd::AsRawFd as _,
    path::{Path, PathBuf},
    time::Duration,
};
use surfaces_base::{
    backend::sign_in::SignInBegun,
    devices::{AskGrant, DeviceId, DeviceName, DeviceScope, DeviceToken, GrantedThing, ListedDevice},
    language::Language,
};
use toolcall_schema::{
    ActionKind, AgentName, AskReport, SourceKind, Timestamp, ToolName,
    catalogue::{
        comms::MessageClass,
        learning::{LearnedList, LearnedThing},
    },
    forget::{MeasuredKind, TimeSpan},
    ids::{ChannelHash, RequestId},
    rule::{OwnerRule, RuleName},
    trace::Trace,
};

/// What a program asked for, and how far that is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListedAsk {
    pub ask: RequestId,
    /// Which device asked; absent: a program over this socket.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<AskerId>,
    /// What for; absent where only its state was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<ActionKind>,
    pub report: AskReport,
}

impl ListedAsk {
    /// One of this socket's.
    pub(crate) fn of_socket(ask: RequestId, report: AskReport) -> Self {
        Self {
            ask,
            device: None,
            kind: None,
            report,
        }
    }

    /// All that the machine knows of.
    pub(crate) fn all(asks: &WaitingAsks, report: impl Fn(&RequestId) -> Option<AskReport>) -> Vec<Self> {
        let open = asks.open.iter().filter_map(|ask| {
            Some(Self {
                ask: ask.id.clone(),
                device: ask.origin.as_ref().map(|origin| origin.device.clone()),
                kind: Some(ask.kind),
                report: report(&ask.id)?,
            })
        });
        let ended = asks.ended.iter().map(|ask| Self {
            ask: ask.id.clone(),
            device: ask.origin.as_ref().map(|origin| origin.device.clone()),
            kind: Some(ask.kind),
            report: ask.end.clone(),
        });
        open.chain(ended).collect()
    }
}

/// What can be asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub enum ControlRequest {
    /// One tick now; the reply is its trace.
    Tick {
        /// For how long its end is waited for, in milliseconds.
        within_ms: u64,
    },
    /// How the service is.
    Status,
    Stop,
    /// The folder's keys, in place of a reply, so that a passphrase is typed once.
    Keys,
    Delete {
        what: DeletionRequest,
        /// Only say what would go.
        dry_run: bool,
    },
    /// Have all sources read to their end.
    Import {
        /// Files and folders that are read this once, beside the sources.
        more: Vec<(SourceKind, PathBuf)>,
        /// From their beginning: what was deleted and they still have comes back.
        again: bool,
        /// Of one agent alone; absent: of all.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        only: Option<AgentName>,
    },
    /// Have these read from now on: they are added to the owner's file.
    Allow {
        sources: Vec<(SourceKind, PathBuf)>,
    },
    /// Let go of what was kept long enough.
    Purge {
        /// Only say what would go.
        dry_run: bool,
    },
    /// The owner's name for a thing, or none any more.
    Label {
        /// The thing.
        of: NodeKey,
        /// At most 80 characters.
        text: Option<String>,
    },
    /// Look again which model is chosen.
    Model,
    /// Read policy and settings again.
    Reload,
    /// What the owner has said: pause and rules.
    Standing,
    /// Quiet until then, or no longer.
    Pause {
        /// Wall clock; absent: no longer.
        until: Option<Timestamp>,
    },
    /// A rule, in place of one of the same name.
    RuleSet {
        /// The rule.
        rule: OwnerRule,
    },
    /// A rule less.
    RuleRemove {
        name: RuleName,
    },
    /// A mute more, of a chat; a person is muted by a rule.
    Mute {
        channel: ChannelHash,
        /// For how long, 60 to 86400.
        seconds: u32,
        /// The same again gets the first outcome.
        key: Option<String>,
    },
    /// A mute less.
    MuteEnd {
        /// Of which chat.
        channel: ChannelHash,
        /// The same again gets the first outcome.
        key: Option<String>,
    },
    /// What a program wants done, if the owner confirms it on a card.
    Ask {
        tool: ToolName,
        /// Its arguments.
        args: Value,
        /// The same again is the same ask, and gets its state.
        key: String,
        /// For how many minutes it waits; absent: an hour.
        wait_min: Option<u16>,
    },
    /// How far an ask of this socket's is, held back until it is over, 3 s at most.
    AskState {
        ask: RequestId,
        /// Whether it is held back.
        wait: bool,
    },
    /// Take an ask of this socket's back.
    AskCancel {
        ask: RequestId,
    },
    /// What programs asked for: what waits, and the last ends.
    Asks,
    /// What the owner did in the last week.
    History,
    /// Take an act of the owner's back.
    Undo {
        /// Of the id of its trace; absent: the newest that can be taken back.
        beginning: Option<String>,
    },
    /// What Comms learned.
    Learned,
    /// What a sender's, a list's or a chat's messages are to the owner.
    LearnedCorrect {
        about: LearnedThing,
        class: MessageClass,
    },
    /// Unlearn one, or everything.
    LearnedReset {
        about: Option<LearnedThing>,
    },
    /// A new code that lets a browser in.
    Pair {
        /// What it may do.
        scope: DeviceScope,
        /// In place of what it calls itself.
        name: Option<DeviceName>,
    },
    /// A new code for the browser of who asks from her own session: it lets an owner's device in, or shows that one is hers.
    Open,
    /// Let a program in.
    DeviceAdd {
        /// What the owner calls it.
        name: DeviceName,
        /// What it may do.
        scope: DeviceScope,
        /// What it may name, where it asks.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        asks: Option<AskGrant>,
    },
    /// Tick something for a device that asks, or take the tick away.
    DeviceGrant {
        id: DeviceId,
        thing: GrantedThing,
        allowed: bool,
    },
    /// Who may come in.
    Devices,
    /// Shut one out.
    DeviceRevoke {
        id: DeviceId,
    },
    /// Record that something kept is read, or taken away as a copy.
    Record {
        /// Which of the two.
        op: Op,
        meaning: AuditSubject,
    },
    /// Seal the folder anew, with a new key.
    KeyChange {
        /// From which place of the key to which.
        change: KeyChange,
    },
    /// Bring a raw export back.
    ImportExport {
        /// A regular file, with its whole path.
        file: PathBuf,
    },
    /// Go on with this build's catalogue.
    CatalogueAccept,
    /// Sign a head of the audit log now.
    Head,
    /// Up to when time is confirmed.
    Clock,
    /// The owner says that the clock is right.
    ClockConfirm,
    /// Something of a run of a workflow.
    Run {
        run: RunRequest,
    },
    /// Of a host of several owners: who there is, after it has looked at the folder of one again.
    Owners {
        /// One that was added, paused, taken up again or is to be removed.
        again: Option<String>,
    },
    /// Something of the owner's accounts on servers.
    Account {
        asked: AccountCommand,
    },
    /// Remove quarantine lines that are older, by the owner's clock.
    QuarantinePurge {
        /// Than so many milliseconds.
        older_than_ms: i64,
        /// Only count them.
        dry_run: bool,
    },
}

/// How far something is that takes a while.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RequestProgress {
    /// It waits, or works, and that is why.
    Waiting(String),
    /// So far agents have read.
    Reading(BTreeMap<AgentName, ReadProgress>),
    /// That happened in the run that is begun, resumed or followed.
    Run(Box<JournalLine>),
}

/// What the owner wants forgotten.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeletionRequest {
    /// Things, with what belongs to them.
    pub keys: Vec<NodeKey>,
    /// What happened then.
    pub span: Option<TimeSpan>,
    /// Everything that was measured of these kinds.
    #[serde(default)]
    pub measured: BTreeSet<MeasuredKind>,
}

/// A request as it is sent.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ControlEnvelope<R> {
    /// The service's secret.
    cookie: String,
    /// Whose service is asked, on the socket of a host of several owners.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    owner: Option<String>,
    /// In which language the answer is read.
    #[serde(default)]
    language: Language,
    request: R,
}

/// What is answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ControlReply {
    /// The trace of the tick that was asked for.
    Trace(Box<Trace>),
    /// How the service is.
    Status(Value),
    /// The service ends.
    Stopping,
    /// It is not done yet. Another reply follows.
    Underway(RequestProgress),
    /// All sources were read to their end, but for what is named there: what is new since it was asked for.
    Imported(Box<ServiceHealth>),
    /// What went, or would go.
    Removed {
        /// How much.
        removed: RemovedCounts,
        /// Up to when time is confirmed, where things went by their age.
        clock: Option<ClockReport>,
    },
    /// The machine makes room: what was asked for is done while it is away.
    OfflineBegins,
    /// A raw export was brought back.
    ExportImported(ImportCounts),
    /// The folder is sealed with a new key.
    KeyChanged,
    /// The name is kept.
    Labelled,
    /// It looks which model is chosen.
    ModelLooked,
    /// What a reload changes, from the next Idle on.
    Reloaded(ReloadReport),
    /// What the owner has said, after what was asked for.
    Standing(OwnerSettings),
    /// What Comms has learned, after what was asked for.
    Learned(LearnedList),
    /// What the owner did, newest first.
    Acts(Vec<ListedAct>),
    /// It was taken back, now or before.
    Undone(Box<UndoneAct>),
    /// How far it is what a program asked for.
    Asked(ListedAsk),
    /// What programs asked for, the oldest first: what waits, then what is over.
    Asks(Vec<ListedAsk>),
    /// A code that is open now.
    Invitation(PairingInvitation),
    /// A program may come in; its token is told here alone.
    DeviceAdded {
        device: ListedDevice,
        /// Its secret.
        token: DeviceToken,
    },
    /// Who may come in, after what was asked for.
    Devices(Vec<ListedDevice>),
    /// It is recorded, on disk.
    Recorded,
    /// They stand in the owner's file, and are read from now on.
    Allowed,
    /// Up to when time is confirmed, after what was asked for.
    Clock(ClockReport),
    /// What was removed from the quarantine, or would be.
    QuarantinePurged(PurgeCounts),
    /// How accounts on servers stand.
    Accounts(Vec<AccountReport>),
    /// What the owner does next to sign in.
    SignIn(SignInBegun),
    /// The owners of a host, by name.
    Owners(Vec<ListedOwner>),
    /// What came of what was asked of a run.
    Run(RunReply),
    /// It could not be done, and why.
    Error(String),
    /// It cannot be done now, and why; later it may be.
    Busy(String),
    /// The machine is away for a moment, and why: nothing was begun, and the same may be asked again.
    Away(String),
    /// The configuration or the policy cannot be used; the old one stays.
    Config(String),
}

/// One owner of a host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListedOwner {
    pub name: String,
    pub state: OwnerState,
    /// Why she failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// How an owner stands with her host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OwnerState {
    /// Her folder is being opened.
    Starting,
    Serving,
    /// Nothing of hers is due and nobody is there: her service begins again with whatever comes first.
    Parked,
    /// Until she types her passphrase.
    Locked,
    /// Until `aura owner resume`.
    Paused,
    /// Ended by `aura stop`.
    Stopped,
    /// Her service could not start.
    Failed,
    /// Another host of hers serves her, or will.
    Elsewhere,
}

impl OwnerState {
    /// Whether her folder is her service's, or will be.
    pub(crate) fn is_in_use(self) -> bool {
        match self {
            OwnerState::Starting | OwnerState::Serving | OwnerState::Parked | OwnerState::Locked => true,
            // What a command wrote here would be in no log of hers.
            OwnerState::Elsewhere => true,
            OwnerState::Paused | OwnerState::Stopped | OwnerState::Failed => false,
        }
    }

    /// As it is printed.
    pub fn as_str(self) -> &'static str {
        match self {
            OwnerState::Starting => "starting",
            OwnerState::Serving => "serving",
            OwnerState::Parked => "parked",
            OwnerState::Locked => "locked",
            OwnerState::Paused => "paused",
            OwnerState::Stopped => "stopped",
            OwnerState::Failed => "failed",
            OwnerState::Elsewhere => "elsewhere",
        }
    }
}

/// What a reload changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReloadReport {
    /// Of the policy.
    pub policy_hash: String,
    /// Whether it is another one.
    pub policy_changed: bool,
    /// Of the settings.
    pub settings_hash: String,
    /// Whether they are others.
    pub settings_changed: bool,
}

/// What the owner has said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnerSettings {
    /// Now, on Aura's wall clock.
    pub at: Timestamp,
    /// The owner's zone.
    pub zone: Tz,
    /// Until when Aura is paused; absent: it is not.
    pub paused_until: Option<Timestamp>,
    /// The rules, oldest first.
    pub rules: Vec<OwnerRule>,
    /// Muted chats, and until when.
    pub mutes: BTreeMap<ChannelHash, Timestamp>,
}

impl OwnerSettings {
    /// Of a state, under settings, at an instant of the wall clock.
    pub fn from_state(state: &MachineState, env: &MachineEnv, at: Timestamp) -> Self {
        Self {
            at,
            zone: env.settings.zone,
            paused_until: state.paused_until_wall.filter(|until| *until > at),
            rules: state.rules.clone(),
            mutes: state.mutes_wall.clone(),
        }
    }
}

/// How long an answer may take, but for a tick's.
pub(crate) const WAIT: Duration = Duration::from_secs(150);

/// Where the socket is.
pub fn path(dir: &Path) -> PathBuf {
    dir.join("aura.sock")
}

/// Where a host of several owners has its socket: a folder beside theirs, which no owner's name is.
pub fn host_folder(owners: &Path) -> PathBuf {
    owners.join(".host")
}

/// The system takes no longer path for a socket.
const SOCKET_PATH_MAX: usize = 107;

/// A path of the socket that the system takes, for as long as the folder's descriptor beside it is open.
///
/// # Errors
/// The folder is not there or cannot be opened.
fn short_path(dir: &Path) -> io::Result<(PathBuf, Option<File>)> {
    let whole = path(dir);
    if whole.as_os_str().len() <= SOCKET_PATH_MAX {
        return Ok((whole, None));
    }
    let folder = File::open(dir)?;
    let through = PathBuf::from(format!("/proc/self/fd/{}", folder.as_raw_fd()));
    Ok((path(&through), Some(folder)))
}
