//! The control socket's server: the service's side.
//!
//! What: [`ControlSocket`], which lets in one request a connection and passes it on to its owner's service, and [`serve`], which answers
//! it there through a [`ControlHandler`]. Why: a request is let in by its secret, and keys only go to the folder's owner, whatever the
//! handler does. Not here: what is done about a request (`control_handler`).

use super::{
    ControlEnvelope, ControlReply, ControlRequest, ProgressSender, RequestProgress,
    cookie::ControlCookie,
    offline::{OfflineJob, OfflineWork},
    path, short_path,
};
use aura_memory::{StoreError, Vault};
use aura_platform::line_frame::{LineEnd, receive_line, to_line};
use std::{
    fs, io,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
    rc::Rc,
    sync::Arc,
    time::Duration,
};
use surfaces::web::{VisitGuard, VisitQueue, Visits};
use surfaces_base::{
    language::{Language, Text, text},
    locale,
};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, BufReader},
    net::{UnixListener, UnixStream},
    sync::{
        Mutex,
        mpsc::{self, error::TrySendError},
        watch,
    },
    task::JoinHandle,
};
use zeroize::Zeroizing;

/// A longer request is refused: a workflow with what its agents share from the beginning is the longest.
const REQUEST_BYTES_MAX: usize = 2 << 20;
/// How long who connects may take to send a request.
const REQUEST_LIMIT: Duration = Duration::from_secs(10);
/// When the next one is taken in after one could not be.
const AGAIN: Duration = Duration::from_millis(200);
/// For how long who was taken in is answered after all else has ended.
const ANSWERED: Duration = Duration::from_secs(1);
/// How many requests to one owner wait at most, e.g. while her machine starts; one more is told to try again.
const WAITING_MAX: usize = 16;

/// The socket of a folder, and the secret beside it; both go when this is dropped.
pub struct ControlSocket {
    dir: PathBuf,
    /// While it is open, no other file gets the number of its own.
    listener: UnixListener,
    file: FileNumber,
    cookie: ControlCookie,
}

/// Device and inode of a file.
type FileNumber = (u64, u64);

fn file_number(path: &Path) -> io::Result<FileNumber> {
    let meta = fs::symlink_metadata(path)?;
    Ok((meta.dev(), meta.ino()))
}

impl Drop for ControlSocket {
    fn drop(&mut self) {
        // The next process may have the folder already, with a socket and a secret of its own.
        let path = path(&self.dir);
        if file_number(&path).is_ok_and(|found| found == self.file) {
            // A stale one is replaced at the next start.
            let _ = fs::remove_file(path);
        }
        self.cookie.remove(&self.dir);
    }
}

/// A request that was let in, with the connection on which it is answered.
struct AdmittedRequest {
    stream: std::os::unix::net::UnixStream,
    /// Whether who asks is the user that this process runs as.
    is_same_user: bool,
    request: ControlRequest,
    language: Language,
    /// From when it is passed on until it is answered.
    visit: VisitGuard,
}

/// The way of requests to one owner's service.
#[derive(Clone)]
pub struct ControlSender {
    waiting: mpsc::Sender<AdmittedRequest>,
    visits: Visits,
}

/// Where the requests to one owner's service come in, whichever machine of it is there: it outlives them.
#[derive(Clone)]
pub struct ControlInbox(Arc<Mutex<VisitQueue<AdmittedRequest>>>);

impl ControlInbox {
    /// Lets go of the service that waited last and has ended: what would wake it holds on to its thread's descriptors.
    pub(crate) fn forget_service(&self) {
        if let Ok(mut waiting) = self.0.try_lock() {
            waiting.forget_waiter();
        }
    }
}

/// The way to one owner's service and its end. Each request is a visit until it is answered.
pub(crate) fn control_inbox(visits: &Visits) -> (ControlSender, ControlInbox) {
    let (waiting, receive) = mpsc::channel(WAITING_MAX);
    let visits = visits.clone();
    (
        ControlSender { waiting, visits },
        ControlInbox(Arc::new(Mutex::new(VisitQueue::from(receive)))),
    )
}

/// For which owner a request of the socket is.
pub trait ControlDirectory: 'static {
    /// The way to that owner's service, or why there is none; without a name: to the only one.
    ///
    /// # Errors
    /// What who asked is told.
    fn find(&self, owner: Option<&str>) -> Result<ControlSender, Text>;
}

impl ControlDirectory for ControlSender {
    fn find(&self, owner: Option<&str>) -> Result<ControlSender, Text> {
        match owner {
            None => Ok(self.clone()),
            Some(_) => Err(Text("control-one-owner")),
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
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
        let cookie = ControlCookie::create(dir)?;
        let (short, _folder) = short_path(dir)?;
        let listener = UnixListener::bind(short)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600))?;
        Ok(Self {
            dir: dir.to_owned(),
            file: file_number(&path)?,
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
                    tracing::warn!(%error, "the control socket could not accept a connection");
                    tokio::time::sleep(AGAIN).await;
                }
            }
        }
    }
}

/// Reads one request, lets it in by its secret, and passes it on.
async fn pass_on(stream: UnixStream, cookie: &ControlCookie, directory: &dyn ControlDirectory) {
    let is_same_user = stream
        .peer_cred()
        .is_ok_and(|peer| peer.uid() == rustix::process::getuid().as_raw());
    // It may hold a key.
    let mut line = Zeroizing::new(Vec::new());
    // Nothing more is sent than the line.
    let mut read = BufReader::new(stream);
    // A request of another version is not told from one without the secret.
    let received = receive_line(&mut read, REQUEST_BYTES_MAX, &mut line);
    let admitted = match tokio::time::timeout(REQUEST_LIMIT, received).await {
        Ok(Ok(LineEnd::Whole)) => serde_json::from_slice::<ControlEnvelope<ControlRequest>>(&line)
            .ok()
            .filter(|envelope| cookie.is(&envelope.cookie)),
        Ok(Ok(LineEnd::Torn | LineEnd::TooLong)) => None,
        Ok(Err(_)) | Err(_) => return,
    };
    let mut stream = read.into_inner();
    let Some(ControlEnvelope {
        cookie: _,
        owner: named,
        language,
        request,
    }) = admitted
    else {
        let reply = ControlReply::Error(
            "not a request of this service's owner; use the command line of the same version".to_owned(),
        );
        return tell(&mut stream, &reply).await;
    };
    let way = match directory.find(named.as_deref()) {
        Ok(way) => way,
        Err(why) => {
            let why = locale::speaking(language, || why.say());
            return tell(&mut stream, &ControlReply::Error(why.to_owned())).await;
        }
    };
    // Before it waits: a service that ends because nobody is there sees it.
    let visit = way.visits.begin();
    match way.waiting.try_reserve() {
        Ok(room) => match stream.into_std() {
            Ok(stream) => room.send(AdmittedRequest {
                stream,
                is_same_user,
                request,
                language,
                visit,
            }),
            Err(error) => tracing::warn!(%error, "a request could not be passed on"),
        },
        Err(TrySendError::Full(())) => {
            let why = locale::speaking(language, || text("control-too-many-commands"));
            tell(&mut stream, &ControlReply::Away(why.to_owned())).await;
        }
        // A service that has ended drops the connection: who asked sees that.
        Err(TrySendError::Closed(())) => {}
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
    pub(crate) fn stop_only(stop: watch::Sender<bool>) -> Self {
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
    /// Leaves who comes from now on to the next server of the same inbox.
    pub(crate) fn take_in_no_more(&self) {
        self.accepting.abort();
    }

    /// Takes nobody in any more, and waits until who was taken in is answered, at most 1 s.
    pub(crate) async fn answer_all(mut self) {
        self.take_in_no_more();
        let _ = tokio::time::timeout(ANSWERED, self.answered.recv()).await;
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
        while let Some(admitted) = inbox.next().await {
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
        is_same_user,
        request,
        language,
        visit: _visit,
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
    } else if is_same_user && request == ControlRequest::Keys {
        // Only to who could read the folder anyway, and never as a reply that could be logged.
        if let Some(vault) = vault {
            let _ = write.write_all(&vault.hand_over()).await;
        }
        return;
    } else if !is_same_user && is_the_owners(&request) {
        let why = locale::speaking(language, || text("control-owner-only"));
        ControlReply::Error(why.to_owned())
    } else {
        let work = offline_work(&request);
        let (say, said) = mpsc::unbounded_channel();
        let answer = async move { handler.answer(request, &ProgressSender::to(say)).await };
        let answer = locale::speaking_during(language.into(), answer);
        let room = tell_and_wait(&mut write, &mut read, said, answer).await;
        if room == ControlReply::OfflineBegins
            && let Some(work) = work
        {
            let job = OfflineJob::new(work, language, read, write);
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
    // The requester may be gone.
    let _ = write.write_all(&to_line(reply).unwrap_or_default()).await;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_system(test: impl Future<Output = ()>) {
        actix::System::new().block_on(test);
    }

    #[test]
    fn a_process_that_ends_late_leaves_the_next_ones_socket_and_secret() {
        in_system(async {
            let dir = tempfile::tempdir().unwrap();
            let old = ControlSocket::bind(dir.path()).unwrap();
            let new = ControlSocket::bind(dir.path()).unwrap();
            drop(old);
            let secret = super::super::cookie::read(dir.path()).unwrap();
            assert!(new.cookie.is(&secret));
            let (short, _folder) = short_path(dir.path()).unwrap();
            UnixStream::connect(short).await.unwrap();
            drop(new);
            let left = fs::read_dir(dir.path()).unwrap().count();
            assert_eq!(left, 0, "its own go with it");
        });
    }

    #[test]
    fn one_request_more_than_may_wait_is_told_to_try_again() {
        in_system(async {
            let dir = tempfile::tempdir().unwrap();
            let socket = ControlSocket::bind(dir.path()).unwrap();
            // Nobody takes requests out of this inbox.
            let (way, inbox) = control_inbox(&Visits::default());
            let routing = actix::spawn(socket.route(Rc::new(way)));
            let send = || async {
                let (short, _folder) = short_path(dir.path()).unwrap();
                let mut stream = UnixStream::connect(short).await.unwrap();
                let line = to_line(&ControlEnvelope {
                    cookie: super::super::cookie::read(dir.path()).unwrap(),
                    owner: None,
                    language: Language::default(),
                    request: ControlRequest::Status,
                });
                stream.write_all(&line.unwrap()).await.unwrap();
                stream
            };
            let mut waiting = Vec::new();
            for _ in 0..=WAITING_MAX {
                waiting.push(send().await);
            }
            // One of them finds no room; which is the system's to choose.
            let mut answers: Vec<_> = waiting
                .iter_mut()
                .map(|stream| {
                    Box::pin(async move {
                        let mut answer = String::new();
                        stream.read_to_string(&mut answer).await.unwrap();
                        answer
                    })
                })
                .collect();
            let (answer, _, _) = futures_util::future::select_all(answers.drain(..)).await;
            let reply: ControlReply = serde_json::from_str(&answer).unwrap();
            assert!(matches!(reply, ControlReply::Away(_)), "{reply:?}");
            let waits = inbox.0.lock().await.len();
            assert_eq!(waits, WAITING_MAX);
            routing.abort();
        });
    }
}
