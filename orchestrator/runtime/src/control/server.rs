//! The control socket's server: the service's side.
//!
//! What: [`serve`], which takes in one request a connection and answers it through a [`ControlHandler`]. Why: a request is let in by
//! its secret, and keys only go to the folder's owner, whatever the handler does. Not here: what is done about a request (`control_handler`).

use super::ProgressSender;
use super::{
    ControlEnvelope, ControlReply, ControlRequest, RequestProgress,
    cookie::{self, ControlCookie},
    offline::{OfflineJob, OfflineWork},
    path, short_path,
};
use aura_memory::Vault;
use aura_platform::line_frame::{LineEnd, receive_line, to_line};
use std::{
    io,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, BufReader},
    net::{UnixListener, UnixStream},
    sync::{mpsc, watch},
    task::JoinHandle,
};
use zeroize::Zeroizing;

/// A longer request is refused: a workflow with what its agents share from the beginning is the longest.
const REQUEST_BYTES_MAX: usize = 2 << 20;
/// When the next one is taken in after one could not be.
const AGAIN: Duration = Duration::from_millis(200);

/// Removes the socket and its secret when the service ends.
pub struct SocketGuard {
    dir: PathBuf,
    accepting: JoinHandle<()>,
    /// Closed when nobody is taken in any more and all are answered.
    answered: mpsc::Receiver<()>,
}

impl SocketGuard {
    /// Takes nobody in any more, and waits until who was taken in is answered, at most so long.
    pub async fn answer_all(mut self, limit: Duration) {
        self.accepting.abort();
        let _ = tokio::time::timeout(limit, self.answered.recv()).await;
    }
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
    /// Work without the machine, where its handler says that it begins.
    pub offline: mpsc::UnboundedSender<OfflineJob>,
}

impl ShutdownSignals {
    /// Of a service whose handler begins no work without the machine.
    pub fn by_stop(stop: watch::Sender<bool>) -> Self {
        let (offline, _) = mpsc::unbounded_channel();
        Self { stop, offline }
    }
}

/// Serves the socket of a data folder that is this process's alone; `vault`: the keys that are handed over, when there are any.
///
/// # Errors
/// When the socket cannot be made.
pub fn serve(
    dir: &Path,
    vault: Option<Vault>,
    handler: impl ControlHandler,
    ends: ShutdownSignals,
) -> io::Result<SocketGuard> {
    let dir = dir.to_owned();
    let path = path(&dir);
    match std::fs::remove_file(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let cookie = ControlCookie::create(&dir)?;
    let (short, _folder) = short_path(&dir)?;
    let listener = UnixListener::bind(short)?;
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600))?;
    let (answering, answered) = mpsc::channel(1);
    let accepting = actix::spawn(async move {
        loop {
            match listener.accept().await {
                Ok((stream, _)) => {
                    let answer = answer(
                        stream,
                        cookie.clone(),
                        vault.clone(),
                        handler.clone(),
                        ends.clone(),
                    );
                    let answering = answering.clone();
                    drop(actix::spawn(async move {
                        answer.await;
                        drop(answering);
                    }));
                }
                Err(error) => {
                    // No more descriptors, most likely: who asks waits in the queue until there are some again.
                    tracing::warn!(%error, "the control socket took nobody in");
                    tokio::time::sleep(AGAIN).await;
                }
            }
        }
    });
    Ok(SocketGuard {
        dir,
        accepting,
        answered,
    })
}

async fn answer(
    stream: UnixStream,
    cookie: ControlCookie,
    vault: Option<Vault>,
    handler: impl ControlHandler,
    ends: ShutdownSignals,
) {
    let owner = stream
        .peer_cred()
        .is_ok_and(|peer| peer.uid() == rustix::process::getuid().as_raw());
    let (read, mut write) = stream.into_split();
    // It may hold a key.
    let mut line = Zeroizing::new(Vec::new());
    let mut read = BufReader::new(read);
    // A request of another version is not told from one without the secret.
    let request = match receive_line(&mut read, REQUEST_BYTES_MAX, &mut line).await {
        Ok(LineEnd::Whole) => serde_json::from_slice::<ControlEnvelope<ControlRequest>>(&line)
            .ok()
            .filter(|envelope| cookie.is(&envelope.cookie))
            .map(|envelope| envelope.request)
            .ok_or(()),
        Ok(LineEnd::Torn | LineEnd::TooLong) => Err(()),
        Err(_) => return,
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
        Ok(request @ (ControlRequest::KeyChange { .. } | ControlRequest::ImportExport { .. })) if owner => {
            let work = if let ControlRequest::KeyChange { change } = &request {
                Some(OfflineWork::KeyChange(change.clone()))
            } else if let ControlRequest::ImportExport { file } = &request {
                Some(OfflineWork::Import(file.clone()))
            } else {
                None
            };
            let (say, said) = mpsc::unbounded_channel();
            let answer = async move { handler.answer(request, &ProgressSender::to(say)).await };
            let room = tell_and_wait(&mut write, &mut read, said, answer).await;
            if room == ControlReply::OfflineBegins
                && let Some(work) = work
            {
                let job = OfflineJob::new(work, read.into_inner(), write);
                // The service may be ending: who asked sees that by the connection.
                let _ = ends.offline.send(job);
                return;
            }
            room
        }
        Ok(
            ControlRequest::Pair { .. }
            | ControlRequest::Open
            | ControlRequest::DeviceAdd { .. }
            | ControlRequest::DeviceGrant { .. }
            | ControlRequest::KeyChange { .. }
            | ControlRequest::ImportExport { .. },
        ) if !owner => ControlReply::Error("only the folder's owner does that".to_owned()),
        Ok(request) => {
            let (say, said) = mpsc::unbounded_channel();
            let answer = async move { handler.answer(request, &ProgressSender::to(say)).await };
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
            reply = &mut answer => {
                // What was said before it is told before it.
                while let Ok(progress) = said.try_recv() {
                    tell(write, &ControlReply::Underway(progress)).await;
                }
                return reply;
            }
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
    // Who asked may have gone.
    let _ = write.write_all(&to_line(reply).unwrap_or_default()).await;
}
