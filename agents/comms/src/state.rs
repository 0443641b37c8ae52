//! What Comms keeps from one start to the next.
//!
//! What: [`CommsAgentState`], hashes, numbers and instants, without a word of text. Why: what was read is known after a restart. Not here: names of
//! senders and chats, of which only the places are kept (`names`).

use super::{
    contacts::MergedPeople, counts::MessageCounts, forgotten::ForgottenThings, history::SenderHistory,
    let_through::LetThroughRules, model::MessageWindow, names::NamePlaces, namesakes::Namesakes,
    own_threads::OwnThreads, same_person::SamePeople,
};
use agents_base::{contract::KeptState, mail::MboxPosition, shared::ReadMark};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use toolcall_schema::{AgentName, forget::ErasureScope};

/// `agent_state.v1` of Comms.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommsAgentState {
    pub(super) cursor: u64,
    pub(super) window: MessageWindow,
    /// Absent in states of before messages were counted: they are counted from the window.
    #[serde(default)]
    pub(super) counts: Option<MessageCounts>,
    /// Absent in states of before anything was learned.
    #[serde(default)]
    pub(super) history: SenderHistory,
    /// Absent where nobody is let through.
    #[serde(default, skip_serializing_if = "LetThroughRules::is_empty")]
    pub(super) let_through: LetThroughRules,
    /// Absent in states of before the owner's own questions were kept.
    #[serde(default)]
    pub(super) own_threads: OwnThreads,
    /// Absent in states of before names were found again after a restart.
    #[serde(default)]
    pub(super) places: NamePlaces,
    /// People with several addresses, by the owner's contacts and word; absent where there is none.
    #[serde(default, skip_serializing_if = "MergedPeople::is_empty")]
    pub(super) merged: MergedPeople,
    /// Who is one person by the owner's word; absent where nobody is.
    #[serde(default, skip_serializing_if = "SamePeople::is_empty")]
    pub(super) same: SamePeople,
    /// Through which program each sender and chat of a name came first; absent where nothing came through any.
    #[serde(default, skip_serializing_if = "Namesakes::is_empty")]
    pub(super) namesakes: Namesakes,
    /// Mails that are not to come back; absent where there is none.
    #[serde(default, skip_serializing_if = "ForgottenThings::is_empty")]
    pub(super) forgotten: ForgottenThings,
    pub(super) marks: BTreeMap<String, ReadMark>,
    /// Of mbox files.
    #[serde(default)]
    pub(super) mailboxes: BTreeMap<String, MboxPosition>,
    /// A keyed hash of the owner's names and addresses, by which messages were judged; absent in states of before it was kept.
    #[serde(default)]
    pub(super) judged_for: Option<String>,
}

impl CommsAgentState {
    /// As if no file were read: for an owner of other names and addresses each message means something else.
    pub(super) fn judge_anew(&mut self) {
        self.marks.clear();
        self.mailboxes.clear();
        self.history.read_own_mail_again();
    }
}

impl KeptState for CommsAgentState {
    const AGENT: AgentName = AgentName::Comms;
    const ROWS: &'static [&'static str] = &[
        "/window/items",
        "/window/older/items",
        "/counts/rows",
        "/history/counted",
        "/own_threads",
        "/places",
    ];

    fn forget(&mut self, what: &ErasureScope) {
        // Whoever is forgotten is forgotten at all their addresses.
        let all: MergedPeople = self.same.added_to(self.merged.clone().into()).into();
        let what = &all.widen(what);
        self.merged.forget(what);
        self.same.forget(what);
        self.namesakes.forget(what);
        let (gone, older) = self.window.forget(what);
        for mail in gone.iter().chain(&older).filter(|gone| gone.mail) {
            self.forgotten.note(&mail.item_id, mail.at);
        }
        self.forgotten.note_things(what);
        if let Some(counts) = &mut self.counts {
            counts.forget(what, &gone);
        }
        self.places.forget(what, &gone);
        self.places.forget(what, &older);
        self.history.forget(what);
        self.let_through.forget(what);
        for mail in self.own_threads.forget(what) {
            self.forgotten.note(&mail.mail, mail.at);
        }
    }

    fn clear_read_marks(&mut self) {
        self.judge_anew();
        self.forgotten.clear();
    }
}

/// Where mails stand that were fetched from servers and whose senders have to be named: the folder's number and the UID, the newest first. Empty for
/// what is no state of Comms.
pub fn fetched_mails(state: &Value) -> Vec<(u64, u32)> {
    let Ok(state) = CommsAgentState::from_json(state) else {
        return Vec::new();
    };
    let window = state.window.restored();
    let items = window.all_items().map(|item| (item.at.ms(), item.locator));
    let mut found: Vec<(i64, (u64, u32))> = items
        .chain(state.places.locators())
        .filter_map(|(ms, locator)| Some((ms, locator?.as_fetched()?)))
        .collect();
    found.sort_unstable_by_key(|(ms, _)| std::cmp::Reverse(*ms));
    found.into_iter().map(|(_, mail)| mail).collect()
}

/// The same, as it is written: the window is not copied for it.
#[derive(Serialize)]
pub(super) struct CommsAgentStateRef<'a> {
    pub(super) cursor: u64,
    pub(super) window: &'a MessageWindow,
    pub(super) counts: &'a MessageCounts,
    pub(super) history: &'a SenderHistory,
    #[serde(skip_serializing_if = "LetThroughRules::is_empty")]
    pub(super) let_through: &'a LetThroughRules,
    pub(super) own_threads: &'a OwnThreads,
    pub(super) places: &'a NamePlaces,
    #[serde(skip_serializing_if = "MergedPeople::is_empty")]
    pub(super) merged: MergedPeople,
    #[serde(skip_serializing_if = "SamePeople::is_empty")]
    pub(super) same: &'a SamePeople,
    #[serde(skip_serializing_if = "Namesakes::is_empty")]
    pub(super) namesakes: &'a Namesakes,
    #[serde(skip_serializing_if = "ForgottenThings::is_empty")]
    pub(super) forgotten: &'a ForgottenThings,
    pub(super) marks: BTreeMap<String, ReadMark>,
    pub(super) mailboxes: BTreeMap<String, MboxPosition>,
    pub(super) judged_for: &'a str,
}
