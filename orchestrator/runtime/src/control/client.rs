//! The control socket's client: a command that asks a running service.
//!
//! What: [`ask`] and [`keys`], which block. Why: commands work while the service holds the folder. Not here: the service's side
//! (`server`), commands on a folder without one (`reads`, `deletion`).

use super::{
    ControlEnvelope, ControlReply, ControlRequest, RequestProgress, WAIT, cookie, host_folder, short_path,
};
use aura_platform::line_frame::{LineEnd, read_line, to_line};
use aura_workflow::protocol::RunRequest;
use std::{
    ffi::OsStr,
    io::{self, BufReader, Read as _, Write as _},
    os::unix::net::UnixStream,
    path::Path,
    thread,
    time::{Duration, Instant},
};
use surfaces_base::language::{self, text};
use zeroize::Zeroizing;

/// The folder's keys are at most so long.
const KEYS_BYTES_MAX: usize = 96;
/// A longer reply is not read: no trace is as long.
const REPLY_BYTES_MAX: usize = 1 << 26;
/// For how long a machine that is away is asked again, and how often: changed settings are taken up within a second or two.
const AWAY_LIMIT: Duration = Duration::from_secs(10);
const AWAY_AGAIN: Duration = Duration::from_millis(100);

/// A service that did not do what it was asked, for a reason of the conversation itself.
#[derive(Debug, thiserror::Error)]
pub enum ControlError {
    /// It gave no answer.
    #[error("{}", text("control-service-silent"))]
    NoAnswer(#[from] io::Error),
    /// It refused to be asked at all.
    #[error("{0}")]
    Refused(String),
    /// It answered what this version does not know.
    #[error("{}", text("control-service-other-version"))]
    NotUnderstood(#[source] serde_json::Error),
}

impl ControlRequest {
    /// How long its answer may take; `None`: as long as a run takes.
    fn limit(&self) -> Option<Duration> {
        if let ControlRequest::Tick { within_ms } = self {
            return Some(Duration::from_millis(*within_ms));
        }
        let follows = matches!(
            self,
            ControlRequest::Run {
                run: RunRequest::Begin { .. } | RunRequest::Resume { .. } | RunRequest::Follow { .. },
            }
        );
        (!follows).then_some(WAIT)
    }
}

/// Asks a running service, again while its machine is away; `None` when none runs on that folder.
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
    let begun = Instant::now();
    loop {
        match ask_once(dir, request, underway)? {
            Some(ControlReply::Away(_)) if begun.elapsed() < AWAY_LIMIT => thread::sleep(AWAY_AGAIN),
            Some(ControlReply::Away(why)) => return Ok(Some(ControlReply::Busy(why))),
            reply => return Ok(reply),
        }
    }
}

fn ask_once(
    dir: &Path,
    request: &ControlRequest,
    underway: &mut dyn FnMut(RequestProgress),
) -> Result<Option<ControlReply>, ControlError> {
    match sent(dir, request)? {
        Some(stream) => reply(stream, underway).map(Some),
        None => Ok(None),
    }
}

/// The last reply; those before it are told.
fn reply(
    stream: UnixStream,
    underway: &mut dyn FnMut(RequestProgress),
) -> Result<ControlReply, ControlError> {
    let (mut stream, mut line) = (BufReader::new(stream), Vec::new());
    loop {
        // Without its end the service died while it said it.
        if read_line(&mut stream, REPLY_BYTES_MAX, &mut line)? != LineEnd::Whole {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
        }
        let reply = serde_json::from_slice(&line).map_err(ControlError::NotUnderstood)?;
        let ControlReply::Underway(progress) = reply else {
            return Ok(reply);
        };
        underway(progress);
    }
}

/// The keys of the folder from the service that runs on it; none while they are changed, `None` when none runs.
///
/// # Errors
/// When the service does not answer.
pub fn keys(dir: &Path) -> Result<Option<Zeroizing<Vec<u8>>>, ControlError> {
    let Some(stream) = sent(dir, &ControlRequest::Keys)? else {
        return Ok(None);
    };
    let mut keys = Zeroizing::new(Vec::with_capacity(KEYS_BYTES_MAX));
    stream.take(KEYS_BYTES_MAX as u64).read_to_end(&mut keys)?;
    Ok(Some(keys))
}

/// Asks who has that very folder open, and no host of several owners; `None` when nobody answers there.
///
/// # Errors
/// As [`ask`].
pub fn ask_holder(dir: &Path, request: &ControlRequest) -> Result<Option<ControlReply>, ControlError> {
    match connect(dir)? {
        Some(stream) => reply(send(stream, dir, None, request)?, &mut |_| {}).map(Some),
        None => Ok(None),
    }
}

/// Sends a request to the service of a folder, or to the host of several owners above it; `None` when neither runs.
fn sent(dir: &Path, request: &ControlRequest) -> Result<Option<UnixStream>, ControlError> {
    if let Some(stream) = connect(dir)? {
        return Ok(Some(send(stream, dir, None, request)?));
    }
    let dir = std::path::absolute(dir)?;
    let (Some(host), Some(owner)) = (dir.parent(), dir.file_name().and_then(OsStr::to_str)) else {
        return Ok(None);
    };
    let host = host_folder(host);
    if !is_served(&host, owner)? {
        return Ok(None);
    }
    match connect(&host)? {
        Some(stream) => Ok(Some(send(stream, &host, Some(owner), request)?)),
        None => Ok(None),
    }
}

/// Whether a host runs there, and has that owner's folder in use: else a command works on the folder itself, as on anybody's.
fn is_served(host: &Path, owner: &str) -> Result<bool, ControlError> {
    let Some(stream) = connect(host)? else {
        return Ok(false);
    };
    let listed = send(stream, host, None, &ControlRequest::Owners { again: None })?;
    let listed = reply(listed, &mut |_| {})?;
    // A host of another version, for one: it says what to do.
    if let ControlReply::Error(why) = listed {
        return Err(ControlError::Refused(why));
    }
    let ControlReply::Owners(owners) = listed else {
        return Err(io::Error::from(io::ErrorKind::InvalidData).into());
    };
    Ok(owners
        .iter()
        .any(|one| one.name == owner && one.state.is_in_use()))
}

fn connect(dir: &Path) -> io::Result<Option<UnixStream>> {
    match short_path(dir).and_then(|(path, _folder)| UnixStream::connect(path)) {
        Ok(stream) => Ok(Some(stream)),
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused
            ) =>
        {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Sends a request with the secret that stands in the folder of the socket.
fn send(
    mut stream: UnixStream,
    dir: &Path,
    owner: Option<&str>,
    request: &ControlRequest,
) -> io::Result<UnixStream> {
    stream.set_read_timeout(request.limit().map(|limit| limit + Duration::from_secs(5)))?;
    let cookie = cookie::read(dir)?;
    let owner = owner.map(str::to_owned);
    // It may hold a key.
    let line = Zeroizing::new(to_line(&ControlEnvelope {
        cookie,
        owner,
        language: language::spoken(),
        request,
    })?);
    stream.write_all(&line)?;
    Ok(stream)
}
