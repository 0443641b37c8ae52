//! The double's answers to trials of the ways to the owner.
//!
//! What: the phone is reached, the watch is not there, speech fails. Not here: any claim.

use crate::morning::Double;
use surfaces_base::backend::{
    BackendError, BackendFuture,
    notify::{NotifyBackend, NotifyChannel, NotifyOutcome},
};

impl NotifyBackend for Double {
    fn try_channel(&self, channel: NotifyChannel) -> BackendFuture<Result<NotifyOutcome, BackendError>> {
        self.note(format!("try {channel:?}"));
        Self::ready(match channel {
            NotifyChannel::Browser | NotifyChannel::Phone => NotifyOutcome::Sent,
            NotifyChannel::Watch => NotifyOutcome::NobodyThere,
            NotifyChannel::Speech => NotifyOutcome::Failed("the speech program failed".to_owned()),
        })
    }
}
