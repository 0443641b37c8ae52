//! The control socket: how the command line talks to a running service.
//!
//! What: a Unix socket `aura.sock` in the data folder, mode 0600, one JSON request and one JSON reply a line; each request carries the
//! secret that stands in a file beside it (`cookie`). Why: commands work while the service holds the folder. Not here: what is done
//! about a request (`desk`), commands that only read (they open the store beside it).

mod cookie;
mod key_change;

pub use key_change::{KeyChangeJob, KeyChangeOutcome};

use crate::{devices::PairingInvitation, removing::ProgressSender, sources::SourceKind};
use aura_memory::{
    Vault,
    audit::{AuditSubject, Op},
    erase::RemovedCounts,
    graph::NodeKey,
    quarantine::PurgeCounts,
    vault::KeyChange,
};
use aura_platform::{
    health::{ReadProgress, ServiceHealth},
    retention_clock::ClockReport,
};
use chrono_tz::Tz;
use cookie::ControlCookie;
use orchestrator_machine::{MachineEnv, MachineState};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{
    collections::BTreeMap,
    io,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    time::Duration,
};
use surfaces::devices::{DeviceId, DeviceName, DeviceScope, DeviceToken, ListedDevice};
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader},
    net::{UnixListener, UnixStream},
    sync::{mpsc, watch},
};
use toolcall_schema::{
    AgentName, Timestamp,
    forget::TimeSpan,
    ids::ChannelHash,
    rule::{OwnerRule, RuleName},
    trace::Trace,
};
use zeroize::Zeroizing;

/// What can be asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
    /// A mute less.
    MuteEnd {
        /// Of which chat.
        channel: ChannelHash,
        /// The same again gets the first outcome.
        key: Option<String>,
    },
    /// A new code that lets a browser in.
    Pair {
        /// What it may do.
        scope: DeviceScope,
        /// In place of what it calls itself.
        name: Option<DeviceName>,
    },
    /// Let a program in.
    DeviceAdd {
        /// What the owner calls it.
        name: DeviceName,
        /// What it may do.
        scope: DeviceScope,
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
    /// Go on with this build's catalogue.
    CatalogueAccept,
    /// Sign a head of the audit log now.
    Head,
    /// Up to when time is confirmed.
    Clock,
    /// The owner says that the clock is right.
    ClockConfirm,
    /// Remove quarantine lines that are older, by the owner's clock.
    QuarantinePurge {
        /// Than so many milliseconds.
        older_than_ms: i64,
        /// Only count them.
        dry_run: bool,
    },
}

/// How far something is that takes a while.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RequestProgress {
    /// It waits, or works, and that is why.
    Waiting(String),
    /// So far agents have read.
    Reading(BTreeMap<AgentName, ReadProgress>),
}

/// What the owner wants forgotten.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeletionRequest {
    /// Things, with what belongs to them.
    pub keys: Vec<NodeKey>,
    /// What happened then.
    pub span: Option<TimeSpan>,
}

/// A request as it is sent.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ControlEnvelope<R> {
    /// The service's secret.
    cookie: String,
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
    /// The machine makes room for a change of the key.
    KeyChangeBegins,
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
    /// Up to when time is confirmed, after what was asked for.
    Clock(ClockReport),
    /// What was removed from the quarantine, or would be.
    QuarantinePurged(PurgeCounts),
    /// It could not be done, and why.
    Error(String),
    /// It cannot be done now, and why; later it may be.
    Busy(String),
    /// The configuration or the policy cannot be used; the old one stays.
    Config(String),
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
    pub fn of(state: &MachineState, env: &MachineEnv, at: Timestamp) -> Self {
        Self {
            at,
            zone: env.settings.zone,
            paused_until: state.paused_until_wall.filter(|until| *until > at),
            rules: state.rules.clone(),
            mutes: state.mutes_wall.clone(),
        }
    }
}

/// A longer request is refused.
const REQUEST_BYTES_MAX: u64 = 1 << 16;

/// The folder's keys are at most so long.
const KEYS_BYTES_MAX: usize = 96;

/// How long an answer may take, but for a tick's.
pub(crate) const WAIT: Duration = Duration::from_secs(150);

/// A service that did not do what it was asked, for a reason of the conversation itself.
#[derive(Debug, thiserror::Error)]
pub enum ControlError {
    /// It gave no answer.
    #[error("the service on this folder gave no answer; it may be starting or ending: try again")]
    NoAnswer(#[from] io::Error),
    /// It answered what this version does not know.
    #[error("the service on this folder gives answers of another version: restart it with this one")]
    NotUnderstood(#[source] serde_json::Error),
}

impl ControlRequest {
    /// How long its answer may take.
    fn limit(&self) -> Duration {
        if let ControlRequest::Tick { within_ms } = self {
            Duration::from_millis(*within_ms)
        } else {
            WAIT
        }
    }
}

/// When the next one is taken in after one could not be.
const AGAIN: Duration = Duration::from_millis(200);

/// Where the socket is.
pub fn path(dir: &Path) -> PathBuf {
    dir.join("aura.sock")
}

/// Removes the socket and its secret when the service ends.
pub struct SocketGuard {
    dir: PathBuf,
}

impl Drop for SocketGuard {
    fn drop(&mut self) {
        // It may be gone already; a stale one is replaced at the next start.
        let _ = std::fs::remove_file(path(&self.dir));
        cookie::remove(&self.dir);
    }
}

/// Answers what the socket does not answer itself.
pub trait ControlHandler: Clone + 'static {
    /// What comes of a request. `say` is told what is waited for.
    fn answer(&self, request: ControlRequest, say: &ProgressSender) -> impl Future<Output = ControlReply>;
}

/// What ends a service, or makes it step back.
#[derive(Clone)]
pub struct ShutdownSignals {
    /// To end.
    pub stop: watch::Sender<bool>,
    /// A change of the key, where its handler says that it begins.
    pub key_change: mpsc::UnboundedSender<KeyChangeJob>,
}

impl ShutdownSignals {
    /// Of a service whose handler begins no change of the key.
    pub fn by_stop(stop: watch::Sender<bool>) -> Self {
        let (key_change, _) = mpsc::unbounded_channel();
        Self { stop, key_change }
    }
}

/// Serves the socket of a data folder that is this process's alone; `vault`: the keys that are handed over, when there are any.
///
/// # Errors
/// When the socket cannot be made, e.g. because the folder's path is longer than the system allows (107 bytes).
pub fn serve(
    dir: &Path,
    vault: Option<Vault>,
    desk: impl ControlHandler,
    ends: ShutdownSignals,
) -> io::Result<SocketGuard> {
    let dir = dir.to_owned();
    let path = path(&dir);
    match std::fs::remove_file(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let cookie = ControlCookie::create(&dir)?;
    let listener = UnixListener::bind(&path)?;
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600))?;
    actix::spawn(async move {
        loop {
            match listener.accept().await {
                Ok((stream, _)) => drop(actix::spawn(answer(
                    stream,
                    cookie.clone(),
                    vault.clone(),
                    desk.clone(),
                    ends.clone(),
                ))),
                Err(error) => {
                    // No more descriptors, most likely: who asks waits in the queue until there are some again.
                    tracing::warn!(%error, "the control socket took nobody in");
                    tokio::time::sleep(AGAIN).await;
                }
            }
        }
    });
    Ok(SocketGuard { dir })
}

async fn answer(
    stream: UnixStream,
    cookie: ControlCookie,
    vault: Option<Vault>,
    desk: impl ControlHandler,
    ends: ShutdownSignals,
) {
    let owner = stream
        .peer_cred()
        .is_ok_and(|peer| peer.uid() == rustix::process::getuid().as_raw());
    let (read, mut write) = stream.into_split();
    // It may hold a key.
    let mut line = Zeroizing::new(String::new());
    let mut read = BufReader::new(read.take(REQUEST_BYTES_MAX));
    if read.read_line(&mut line).await.is_err() {
        return;
    }
    // A request of another version is not told from one without the secret.
    let request = match serde_json::from_str::<ControlEnvelope<ControlRequest>>(&line) {
        Ok(envelope) if cookie.is(&envelope.cookie) => Ok(envelope.request),
        Ok(_) | Err(_) => Err(()),
    };
    let reply = match request {
        Ok(ControlRequest::Stop) => {
            // The service may be ending already.
            let _ = ends.stop.send(true);
            ControlReply::Stopping
        }
        // Only to who could read the folder anyway, and never as a reply that could be logged.
        Ok(ControlRequest::Keys) if owner => {
            if let Some(vault) = vault {
                let _ = write.write_all(&vault.hand_over()).await;
            }
            return;
        }
        Ok(ControlRequest::KeyChange { change }) if owner => {
            let (say, said) = mpsc::unbounded_channel();
            let request = ControlRequest::KeyChange {
                change: change.clone(),
            };
            let answer = async move { desk.answer(request, &ProgressSender::to(say)).await };
            let room = tell_and_wait(&mut write, &mut read, said, answer).await;
            if room == ControlReply::KeyChangeBegins {
                let job = KeyChangeJob::new(change, read.into_inner().into_inner(), write);
                // The service may be ending: who asked sees that by the connection.
                let _ = ends.key_change.send(job);
                return;
            }
            room
        }
        Ok(
            ControlRequest::Pair { .. } | ControlRequest::DeviceAdd { .. } | ControlRequest::KeyChange { .. },
        ) if !owner => ControlReply::Error("only the folder's owner does that".to_owned()),
        Ok(request) => {
            let (say, said) = mpsc::unbounded_channel();
            let answer = async move { desk.answer(request, &ProgressSender::to(say)).await };
            tell_and_wait(&mut write, &mut read, said, answer).await
        }
        Err(()) => ControlReply::Error(
            "not a request of this service's owner; use the command line of the same version".to_owned(),
        ),
    };
    tell(&mut write, &reply).await;
}

/// Tells who asked what is waited for, until the answer is there. Where who asked has gone, whoever answers can tell by that.
async fn tell_and_wait(
    write: &mut (impl AsyncWrite + Unpin),
    read: &mut (impl AsyncRead + Unpin),
    mut said: mpsc::UnboundedReceiver<RequestProgress>,
    answer: impl Future<Output = ControlReply>,
) -> ControlReply {
    tokio::pin!(answer);
    let mut byte = [0; 1];
    let mut listens = true;
    loop {
        tokio::select! {
            biased;
            reply = &mut answer => return reply,
            Some(progress) = said.recv() => tell(write, &ControlReply::Underway(progress)).await,
            // Nothing more is sent by who asked: this ends when the other side closes.
            _ = read.read(&mut byte), if listens => {
                listens = false;
                said.close();
            }
        }
    }
}

async fn tell(write: &mut (impl AsyncWrite + Unpin), reply: &ControlReply) {
    let mut bytes = serde_json::to_vec(reply).unwrap_or_default();
    bytes.push(b'\n');
    // Who asked may have gone.
    let _ = write.write_all(&bytes).await;
}

/// Asks a running service; `None` when none runs on that folder.
///
/// # Errors
/// When the service does not answer as it should.
pub fn ask(dir: &Path, request: &ControlRequest) -> Result<Option<ControlReply>, ControlError> {
    ask_patiently(dir, request, &mut |_| {})
}

/// The same; `underway` is told how far it is, as often as the service says.
///
/// # Errors
/// As [`ask`].
pub fn ask_patiently(
    dir: &Path,
    request: &ControlRequest,
    underway: &mut dyn FnMut(RequestProgress),
) -> Result<Option<ControlReply>, ControlError> {
    use std::io::BufRead;
    let Some(stream) = sent(dir, request)? else {
        return Ok(None);
    };
    let mut lines = std::io::BufReader::new(stream);
    loop {
        let mut answer = String::new();
        lines.read_line(&mut answer)?;
        let reply = understood(&answer)?;
        let ControlReply::Underway(progress) = reply else {
            return Ok(Some(reply));
        };
        underway(progress);
    }
}

/// A line of the service's; without its end it died while it said it.
fn understood(line: &str) -> Result<ControlReply, ControlError> {
    if !line.ends_with('\n') {
        return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
    }
    serde_json::from_str(line).map_err(ControlError::NotUnderstood)
}

/// The keys of the folder from the service that runs on it; none while they are changed, `None` when none runs.
///
/// # Errors
/// When the service does not answer.
pub fn keys(dir: &Path) -> io::Result<Option<Zeroizing<Vec<u8>>>> {
    use std::io::Read;
    let Some(stream) = sent(dir, &ControlRequest::Keys)? else {
        return Ok(None);
    };
    let mut keys = Zeroizing::new(Vec::with_capacity(KEYS_BYTES_MAX));
    stream.take(KEYS_BYTES_MAX as u64).read_to_end(&mut keys)?;
    Ok(Some(keys))
}

/// Sends a request; `None` when no service runs on that folder.
fn sent(dir: &Path, request: &ControlRequest) -> io::Result<Option<std::os::unix::net::UnixStream>> {
    use std::io::Write;
    let mut stream = match std::os::unix::net::UnixStream::connect(path(dir)) {
        Ok(stream) => stream,
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused
            ) =>
        {
            return Ok(None);
        }
        Err(error) => return Err(error),
    };
    stream.set_read_timeout(Some(request.limit() + Duration::from_secs(5)))?;
    let cookie = cookie::read(dir)?;
    // It may hold a key.
    let mut line = Zeroizing::new(serde_json::to_vec(&ControlEnvelope { cookie, request })?);
    line.push(b'\n');
    stream.write_all(&line)?;
    Ok(Some(stream))
}
