//! A change of the key that is asked for on the socket.
//!
//! What: [`KeyChangeJob`], the change with the connection of who asked. Why: the machine ends meanwhile, and with it everything that answers
//! on the socket; who asked is still told what came of it. Not here: doing it (`service::key_change`).

use super::ControlReply;
use aura_memory::vault::KeyChange;
use aura_platform::line_frame::to_line;
use std::{io::Write as _, os::unix::net::UnixStream, time::Duration};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};

/// Who asked does not keep the change waiting.
const TELL_LIMIT: Duration = Duration::from_secs(1);

/// A change of the key that has its turn.
pub struct KeyChangeJob {
    /// What is changed.
    pub change: KeyChange,
    asker: Option<UnixStream>,
}

/// What came of a change: told when this is dropped, at the latest with the service.
pub struct KeyChangeOutcome {
    /// Who asked.
    pub job: KeyChangeJob,
    /// What they are told.
    pub reply: ControlReply,
}

impl Drop for KeyChangeOutcome {
    fn drop(&mut self) {
        self.job.tell(&self.reply);
    }
}

impl KeyChangeJob {
    /// With the connection on which it was asked for.
    pub(super) fn new(change: KeyChange, read: OwnedReadHalf, write: OwnedWriteHalf) -> Self {
        let asker = read.reunite(write).ok().and_then(|stream| stream.into_std().ok());
        let asker = asker.filter(|stream| {
            let blocking = stream.set_nonblocking(false);
            blocking.is_ok() && stream.set_write_timeout(Some(TELL_LIMIT)).is_ok()
        });
        Self { change, asker }
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
