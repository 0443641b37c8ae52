//! What Comms keeps from one start to the next.
//!
//! What: [`State`], hashes, numbers and instants, without a word of text. Why: what was read is known after a restart. Not here: names of
//! senders and chats, which are known only while it runs (`mod`).

use super::{counts::Counts, model::Window};
use crate::{contract::KeptState, mail::Place, shared::Mark};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use toolcall_schema::{AgentName, forget::ErasureScope};

/// `agent_state.v1` of Comms.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct State {
    pub(super) cursor: u64,
    pub(super) window: Window,
    /// Absent in states of before messages were counted: they are counted from the window.
    #[serde(default)]
    pub(super) counts: Option<Counts>,
    pub(super) marks: BTreeMap<String, Mark>,
    /// Of mbox files.
    #[serde(default)]
    pub(super) mailboxes: BTreeMap<String, Place>,
}

impl KeptState for State {
    const AGENT: AgentName = AgentName::Comms;

    fn forget(&mut self, what: &ErasureScope) {
        let gone = self.window.forget(what);
        if let Some(counts) = &mut self.counts {
            counts.forget(what, &gone);
        }
    }

    fn clear_read_marks(&mut self) {
        self.marks.clear();
        self.mailboxes.clear();
    }
}

/// The same, as it is written: the window is not copied for it.
#[derive(Serialize)]
pub(super) struct StateRef<'a> {
    pub(super) cursor: u64,
    pub(super) window: &'a Window,
    pub(super) counts: &'a Counts,
    pub(super) marks: BTreeMap<String, Mark>,
    pub(super) mailboxes: BTreeMap<String, Place>,
}
