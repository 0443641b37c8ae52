//! The control socket: how the command line talks to a running service.
//!
//! What: a Unix socket `aura.sock` in the data folder, mode 0600, one JSON request and one JSON reply a line. Why: commands
//! work while the service holds the folder. Not here: commands that only read (they open the store beside it).

use crate::backend::Actors;
use orchestrator_machine::{What, state::Phase};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{
    io,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    time::Duration,
};
use surfaces::backend::{Backend, BackendError, LiveKind};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{UnixListener, UnixStream},
    sync::watch,
};
use toolcall_schema::trace::Trace;

/// What can be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub enum Request {
    /// One tick now; the reply is its trace.
    Tick,
    /// How the service is.
    Status,
    /// End.
    Stop,
}

/// What is answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Reply {
    /// The trace of the tick that was asked for.
    Trace(Box<Trace>),
    /// How the service is.
    Status(Value),
    /// The service ends.
    Stopping,
    /// It could not be done, and why.
    Error(String),
}

/// A longer request is refused.
const REQUEST_BYTES_MAX: u64 = 4096;

/// How long a tick may take: a prompt may wait 60 s for the owner, and another tick may be running.
const TICK_WAIT: Duration = Duration::from_secs(150);

/// Where the socket is.
pub fn path(dir: &Path) -> PathBuf {
    dir.join("aura.sock")
}

/// Removes the socket when the service ends.
pub struct Socket(PathBuf);

impl Drop for Socket {
    fn drop(&mut self) {
        // It may be gone already; a stale one is replaced at the next start.
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Serves the socket of a data folder whose lock is held.
///
/// # Errors
/// When the socket cannot be made, e.g. because the folder's path is longer than the system allows (107 bytes).
pub fn serve(dir: &Path, backend: Actors, stop: watch::Sender<bool>) -> io::Result<Socket> {
    let path = path(dir);
    match std::fs::remove_file(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let listener = UnixListener::bind(&path)?;
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600))?;
    actix::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            actix::spawn(answer(stream, backend.clone(), stop.clone()));
        }
    });
    Ok(Socket(path))
}

async fn answer(stream: UnixStream, backend: Actors, stop: watch::Sender<bool>) {
    let (read, mut write) = stream.into_split();
    let mut line = String::new();
    let mut read = BufReader::new(read.take(REQUEST_BYTES_MAX));
    if read.read_line(&mut line).await.is_err() {
        return;
    }
    let reply = match serde_json::from_str::<Request>(&line) {
        Ok(Request::Tick) => match tokio::time::timeout(TICK_WAIT, tick(&backend)).await {
            Ok(Ok(trace)) => Reply::Trace(Box::new(trace)),
            Ok(Err(error)) => Reply::Error(error.to_string()),
            Err(_) => {
                Reply::Error("the tick did not end in time; `aura trace list` shows it later".to_owned())
            }
        },
        Ok(Request::Status) => match status(&backend).await {
            Ok(status) => Reply::Status(status),
            Err(error) => Reply::Error(error.to_string()),
        },
        Ok(Request::Stop) => {
            // The service may be ending already.
            let _ = stop.send(true);
            Reply::Stopping
        }
        Err(_) => Reply::Error("not a request; use the command line of the same version".to_owned()),
    };
    let mut bytes = serde_json::to_vec(&reply).unwrap_or_default();
    bytes.push(b'\n');
    // Who asked may have gone.
    let _ = write.write_all(&bytes).await;
}

/// Asks for a tick and waits for its trace. Not for others: one that was running already is let end first.
///
/// # Errors
/// Busy or stopping.
pub async fn tick(backend: &Actors) -> Result<Trace, BackendError> {
    let mut live = backend.events();
    let before = backend.look().await?.state.ticks;
    backend.happened(What::OwnerTick)?;
    loop {
        let heard = live.recv().await;
        let LiveKind::Tick(trace_id) = (match heard {
            Ok(live) => live.what,
            Err(tokio::sync::broadcast::error::RecvError::Lagged(_)) => continue,
            Err(tokio::sync::broadcast::error::RecvError::Closed) => return Err(BackendError::Stopping),
        }) else {
            continue;
        };
        let Some(trace) = kept(backend, trace_id).await? else {
            continue;
        };
        if trace.decision.tick > before
            && trace.decision.trigger.source == toolcall_schema::tick::TriggerSource::Owner
        {
            return Ok(trace);
        }
    }
}

/// The trace once it is on disk; it is told when it is handed to the store.
async fn kept(
    backend: &Actors,
    trace_id: toolcall_schema::ids::TraceId,
) -> Result<Option<Trace>, BackendError> {
    for _ in 0..40 {
        if let Some(trace) = backend.trace(trace_id.clone()).await? {
            return Ok(Some(trace));
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Ok(None)
}

async fn status(backend: &Actors) -> Result<Value, BackendError> {
    let look = backend.look().await?;
    let state = &look.state;
    Ok(serde_json::json!({
        "state": state.phase.name(),
        "at": state.wall(look.at),
        "ticks": state.ticks,
        "waiting_triggers": state.queue.len(),
        "dropped_triggers": state.queue_dropped,
        "ledger": state.ledger.view(),
        "surfaces": state.surfaces,
        "muted_channels": state.mutes_wall.len(),
        "prompt_open": matches!(state.phase, Phase::AwaitingConfirm { .. }),
        "in_flight": backend.busy.count(),
        "policy_hash": look.env.policy.hash(),
        "catalogue_hash": look.env.catalogue_hash,
        "health": look.health,
    }))
}

/// Asks a running service; `None` when none runs on that folder.
///
/// # Errors
/// When the service does not answer as it should.
pub fn ask(dir: &Path, request: Request) -> io::Result<Option<Reply>> {
    use std::io::{BufRead, Write};
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
    stream.set_read_timeout(Some(TICK_WAIT + Duration::from_secs(5)))?;
    let mut line = serde_json::to_vec(&request)?;
    line.push(b'\n');
    stream.write_all(&line)?;
    let mut answer = String::new();
    std::io::BufReader::new(stream).read_line(&mut answer)?;
    Ok(Some(serde_json::from_str(&answer)?))
}
