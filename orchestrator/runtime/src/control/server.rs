//! The control socket's server: the service's side.
//!
//! What: [`ControlSocket`], which lets in one request a connection and passes it on to its owner's service, and [`serve`], which answers
//! it there through a [`ControlHandler`]. Why: a request is let in by its secret, and keys only go to the folder's owner, whatever the
//! handler does. Not here: what is done about a request (`control_handler`).

use super::{
    ControlEnvelope, ControlReply, ControlRequest, ProgressSender, RequestProgress,
    cookie::{self, ControlCookie},
    offline::{OfflineJob, OfflineWork},
    path, short_path,
};
use aura_memory::{StoreError, Vault};
use aura_platform::line_frame::{LineEnd, receive_line, to_line};
use std::{
    io,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    rc::Rc,
    sync::Arc,
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, BufReader},
    net::{UnixListener, UnixStream},
    sync::{Mutex, mpsc, watch},
    task::JoinHandle,
};
use zeroize::Zeroizing;

/// A longer request is refused: a workflow with what its agents share from the beginning is the longest.
const REQUEST_BYTES_MAX: usize = 2 << 20;
/// When the next one is taken in after one could not be.
const AGAIN: Duration = Duration::from_millis(200);
/// How many requests to one owner wait at most, e.g. while her machine starts; more wait in the socket's queue.
const WAITING_MAX: usize = 16;

/// The socket of a folder, and the secret beside it; both go when this is dropped.
pub struct ControlSocket {
    dir: PathBuf,
    listener: UnixListener,
    cookie: ControlCookie,
}

impl Drop for ControlSocket {
    fn drop(&mut self) {
        // It may be gone already; a stale one is replaced at the next start.
        let _ = std::fs::remove_file(path(&self.dir));
        cookie::remove(&self.dir);
    }
}

/// A request that was let in, with the connection on which it is answered.
struct AdmittedRequest {
    stream: std::os::unix::net::UnixStream,
    /// Whether who asks is the user that this process runs as.
    owner: bool,
    request: ControlRequest,
}

/// The way of requests to one owner's service.
#[derive(Clone)]
pub struct ControlSender(mpsc::Sender<AdmittedRequest>);

/// Where the requests to one owner's service come in, whichever machine of it is there: it outlives them.
#[derive(Clone)]
pub struct ControlInbox(Arc<Mutex<mpsc::Receiver<AdmittedRequest>>>);

/// The way to one owner's service and its end.
pub fn control_inbox() -> (ControlSender, ControlInbox) {
    let (send, receive) = mpsc::channel(WAITING_MAX);
    (ControlSender(send), ControlInbox(Arc::new(Mutex::new(receive))))
}

/// For which owner a request of the socket is.
pub trait ControlDirectory: 'static {
    /// The way to that owner's service, or why there is none; without a name: to the only one.
    ///
    /// # Errors
    /// What who asked is told.
    fn find(&self, owner: Option<&str>) -> Result<ControlSender, String>;
}

impl ControlDirectory for ControlSender {
    fn find(&self, owner: Option<&str>) -> Result<ControlSender, String> {
        match owner {
            None => Ok(self.clone()),
            Some(_) => Err("one owner is served here, without a name".to_owned()),
        }
    }
}

impl ControlSocket {
    /// Opens the socket of a folder that is this process's alone.
    ///
    /// # Errors
    /// It cannot be made, with its file.
    pub fn bind(dir: &Path) -> Result<Self, StoreError> {
        Self::try_bind(dir).map_err(StoreError::file("open the socket", &path(dir)))
    }

    fn try_bind(dir: &Path) -> io::Result<Self> {
        let path = path(dir);
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
        let cookie = ControlCookie::create(dir)?;
        let (short, _folder) = short_path(dir)?;
        let listener = UnixListener::bind(short)?;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600))?;
        Ok(Self {
            dir: dir.to_owned(),
            listener,
            cookie,
        })
    }

    /// Takes requests in and passes each on to its owner's service, until it is dropped.
    pub async fn route(self, directory: Rc<dyn ControlDirectory>) {
        loop {
            match self.listener.accept().await {
                Ok((stream, _)) => {
                    let (cookie, directory) = (self.cookie.clone(), Rc::clone(&directory));
                    drop(actix::spawn(async move {
                        pass_on(stream, &cookie, &*directory).await;
                    }));
                }
                Err(error) => {
                    // No more descriptors, most likely: who asks waits in the queue until there are some again.
                    tracing::warn!(%error, "the control socket took nobody in");
                    tokio::time::sleep(AGAIN).await;
                }
            }
        }
    }
}

/// Reads one request, lets it in by its secret, and passes it on.
async fn pass_on(stream: UnixStream, cookie: &ControlCookie, directory: &dyn ControlDirectory) {
    let owner = stream
        .peer_cred()
        .is_ok_and(|peer| peer.uid() == rustix::process::getuid().as_raw());
    // It may hold a key.
    let mut line = Zeroizing::new(Vec::new());
    // Nothing more is sent than the line.
    let mut read = BufReader::new(stream);
    // A request of another version is not told from one without the secret.
    let admitted = match receive_line(&mut read, REQUEST_BYTES_MAX, &mut line).await {
        Ok(LineEnd::Whole) => serde_json::from_slice::<ControlEnvelope<ControlRequest>>(&line)
            .ok()
            .filter(|envelope| cookie.is(&envelope.cookie)),
        Ok(LineEnd::Torn | LineEnd::TooLong) => None,
        Err(_) => return,
    };
    let mut stream = read.into_inner();
    let Some(ControlEnvelope {
        cookie: _,
        owner: named,
        request,
    }) = admitted
    else {
        let reply = ControlReply::Error(
            "not a request of this service's owner; use the command line of the same version".to_owned(),
        );
        return tell(&mut stream, &reply).await;
    };
    match directory.find(named.as_deref()) {
        Ok(ControlSender(way)) => match stream.into_std() {
            Ok(stream) => {
                // A service that has ended drops the connection: who asked sees that.
                let _ = way
                    .send(AdmittedRequest {
                        stream,
                        owner,
                        request,
                    })
                    .await;
            }
            Err(error) => tracing::warn!(%error, "a request could not be passed on"),
        },
        Err(why) => tell(&mut stream, &ControlReply::Error(why)).await,
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

/// Answers what comes in; ends when it is dropped.
pub struct ControlServer {
    accepting: JoinHandle<()>,
    /// Closed when nobody is taken in any more and all are answered.
    answered: mpsc::Receiver<()>,
}

impl ControlServer {
    /// Takes nobody in any more, and waits until who was taken in is answered, at most so long.
    pub async fn answer_all(mut self, limit: Duration) {
        self.accepting.abort();
        let _ = tokio::time::timeout(limit, self.answered.recv()).await;
    }
}

impl Drop for ControlServer {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

/// Answers the requests to one owner's service; `vault`: the keys that are handed over, when there are any.
pub fn serve(
    inbox: ControlInbox,
    vault: Option<Vault>,
    handler: impl ControlHandler,
    ends: ShutdownSignals,
) -> ControlServer {
    let (answering, answered) = mpsc::channel(1);
    let accepting = actix::spawn(async move {
        // Another machine's server lets go of it when it ends.
        let mut inbox = inbox.0.lock().await;
        while let Some(admitted) = inbox.recv().await {
            let answer = answer(admitted, vault.clone(), handler.clone(), ends.clone());
            let answering = answering.clone();
            drop(actix::spawn(async move {
                answer.await;
                drop(answering);
            }));
        }
    });
    ControlServer { accepting, answered }
}

async fn answer(
    admitted: AdmittedRequest,
    vault: Option<Vault>,
    handler: impl ControlHandler,
    ends: ShutdownSignals,
) {
    let AdmittedRequest {
        stream,
        owner,
        request,
    } = admitted;
    let Ok(stream) = UnixStream::from_std(stream) else {
        tracing::warn!("a request could not be answered");
        return;
    };
    let (mut read, mut write) = stream.into_split();
    let reply = if request == ControlRequest::Stop {
        // Told first: what answers ends with the service, which may be ending already.
        tell(&mut write, &ControlReply::Stopping).await;
        let _ = ends.stop.send(true);
        return;
    } else if owner && request == ControlRequest::Keys {
        // Only to who could read the folder anyway, and never as a reply that could be logged.
        if let Some(vault) = vault {
            let _ = write.write_all(&vault.hand_over()).await;
        }
        return;
    } else if !owner && is_the_owners(&request) {
        ControlReply::Error("only the folder's owner does that".to_owned())
    } else {
        let work = offline_work(&request);
        let (say, said) = mpsc::unbounded_channel();
        let answer = async move { handler.answer(request, &ProgressSender::to(say)).await };
        let room = tell_and_wait(&mut write, &mut read, said, answer).await;
        if room == ControlReply::OfflineBegins
            && let Some(work) = work
        {
            let job = OfflineJob::new(work, read, write);
            // The service may be ending: who asked sees that by the connection.
            let _ = ends.offline.send(job);
            return;
        }
        room
    };
    tell(&mut write, &reply).await;
}

/// What lets somebody in, or is done with the folder itself.
fn is_the_owners(request: &ControlRequest) -> bool {
    matches!(
        request,
        ControlRequest::Pair { .. }
            | ControlRequest::Open
            | ControlRequest::DeviceAdd { .. }
            | ControlRequest::DeviceGrant { .. }
            | ControlRequest::KeyChange { .. }
            | ControlRequest::ImportExport { .. }
    )
}

/// What is done while no machine runs.
fn offline_work(request: &ControlRequest) -> Option<OfflineWork> {
    if let ControlRequest::KeyChange { change } = request {
        Some(OfflineWork::KeyChange(change.clone()))
    } else if let ControlRequest::ImportExport { file } = request {
        Some(OfflineWork::Import(file.clone()))
    } else {
        None
    }
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
