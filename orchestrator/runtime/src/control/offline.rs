//! Work on the folder that is asked for on the socket and done while no machine runs.
//!
//! What: [`OfflineJob`], the work with the connection of who asked. Why: the machine ends meanwhile, and with it everything that answers
//! on the socket; who asked is still told what came of it. Not here: doing it (`service::offline`).

use super::{ControlReply, RequestProgress};
use aura_memory::vault::KeyChange;
use aura_platform::line_frame::to_line;
use std::{io::Write as _, os::unix::net::UnixStream, path::PathBuf, time::Duration};
use surfaces_base::language::Language;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};

/// Who asked does not keep the work waiting.
const TELL_LIMIT: Duration = Duration::from_secs(1);

/// What is done while no machine runs.
#[derive(Debug, Clone)]
pub enum OfflineWork {
    /// The folder is sealed anew.
    KeyChange(KeyChange),
    /// This raw export is brought back.
    Import(PathBuf),
    /// Nothing: the machine starts with what the owner's file says now.
    Settings,
}

/// Work that has its turn.
pub struct OfflineJob {
    /// What is done.
    pub work: OfflineWork,
    /// In which language who asked is told.
    pub(crate) language: Language,
    asker: Option<UnixStream>,
}

/// What came of it: told when this is dropped, at the latest with the service.
pub struct OfflineOutcome {
    /// Who asked.
    pub job: OfflineJob,
    /// What they are told.
    pub reply: ControlReply,
}

impl Drop for OfflineOutcome {
    fn drop(&mut self) {
        self.job.tell(&self.reply);
    }
}

impl OfflineJob {
    /// With the connection on which it was asked for.
    pub(super) fn new(
        work: OfflineWork,
        language: Language,
        read: OwnedReadHalf,
        write: OwnedWriteHalf,
    ) -> Self {
        let asker = read.reunite(write).ok().and_then(|stream| stream.into_std().ok());
        let asker = asker.filter(|stream| {
            let blocking = stream.set_nonblocking(false);
            blocking.is_ok() && stream.set_write_timeout(Some(TELL_LIMIT)).is_ok()
        });
        Self {
            work,
            language,
            asker,
        }
    }

    /// That nobody on the socket asked for.
    pub(crate) fn unasked(work: OfflineWork) -> Self {
        Self {
            work,
            language: Language::default(),
            asker: None,
        }
    }

    /// Tells who asked how far it is.
    pub(crate) fn progress(&mut self, what: String) {
        self.tell(&ControlReply::Underway(RequestProgress::Waiting(what)));
    }

    /// Tells who asked, if they are still there.
    fn tell(&mut self, reply: &ControlReply) {
        let line = to_line(reply).unwrap_or_default();
        let told = self.asker.as_mut().map(|asker| asker.write_all(&line));
        if told.is_some_and(|told| told.is_err()) {
            self.asker = None;
        }
    }
}
