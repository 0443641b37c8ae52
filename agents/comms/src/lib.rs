//! Comms: mail and notifications.
//!
//! What: [`CommsAgent`], the agent: bursts, mentions, digests, drafts. Why: a person gets hundreds of messages a day and few
//! want something. Not here: training the classifier (`agents/training`), muting itself (the supervisor performs it).

mod alike;
pub mod classifier;
pub(crate) mod contacts;
mod correspondents;
mod counts;
pub mod examples;
pub mod features;
mod folding;
mod forgotten;
mod hashes;
mod history;
pub mod intent;
pub mod judging;
mod learning;
mod let_through;
pub mod mail_class;
mod mail_cues;
mod mail_lexicon;
mod mail_pieces;
mod mail_sentences;
mod mail_settled;
mod mail_text;
mod mail_vocabulary;
pub mod message;
mod model;
mod names;
mod namesakes;
mod older;
mod own_threads;
mod reading;
mod record;
mod same_person;
mod seen_mail;
mod sources;
pub mod spam_gate;
mod spam_look;
mod standing;
mod state;
mod tick;
mod tools;
mod words;

use agents_base::{
    contract::{Agent, AgentSetup, AgentStateError, KeptState, state_json},
    mail::{MailboxReader, MboxPosition},
    shared::{IngestReport, JsonlReader, SignalInbox, SourceLocator, answer, described},
};
pub use contacts::{CARD_PROPERTIES, ContactCount, count_contacts};
use contacts::{ContactBook, MergedPeople};
use counts::MessageCounts;
use forgotten::ForgottenThings;
use hashes::HashCache;
use history::SenderHistory;
use learning::{OwnMail, name_person};
use let_through::LetThroughRules;
use model::MessageWindow;
use names::NamePlaces;
pub use names::program_name;
use namesakes::Namesakes;
use own_threads::OwnThreads;
use reading::MessageChange;
use record::MessageRecord;
use same_person::SamePeople;
use serde_json::Value;
pub use state::CommsAgentState;
use state::CommsAgentStateRef;
pub use state::fetched_mails;
use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    sync::Arc,
};
use toolcall_schema::{
    AgentName, Timestamp, Tool,
    catalogue::{
        CommsTool,
        comms::DescribedMessages,
        shared::{DescribeResult, ThingId, ThingNames},
    },
    forget::ErasureScope,
    ids::{ChannelHash, ItemId, PersonHash, hex},
    result::{ToolEffect, ToolErrorCode},
    signal::Signal,
    tick::{IngestArgs, IngestFact, IngestResult, TickArgs, TickResult},
};
pub use tools::{draft_file, drafted_item};

/// Facts in one answer.
const MAX_FACTS: usize = 512;
/// Files whose marks are kept in the state.
const MAX_MARKS: usize = 2048;

/// The agent.
pub struct CommsAgent {
    setup: AgentSetup,
    /// Lower-case names and addresses of the owner.
    names: Vec<String>,
    addresses: Vec<String>,
    /// A keyed hash of both.
    judges_for: String,
    inbox: SignalInbox,
    notifications: JsonlReader,
    /// `None` only while they are read.
    mails: Option<MailboxReader>,
    window: MessageWindow,
    counts: MessageCounts,
    /// Display names of the senders of the window's items. In memory only.
    senders: BTreeMap<ItemId, String>,
    /// What people are called whose messages were read. In memory only.
    people: BTreeMap<PersonHash, String>,
    /// The addresses that they write mail from. In memory only.
    written_from: BTreeMap<PersonHash, String>,
    /// Where mails lay when they were looked for last: a look at the file there is cheaper than at a whole folder.
    last_paths: BTreeMap<SourceLocator, PathBuf>,
    /// Where these names stand.
    places: NamePlaces,
    /// Messages whose sender was sought in vain among mail that was fetched. In memory only.
    not_fetched: BTreeSet<ItemId>,
    /// Bytes beside what was fetched when they were sought. In memory only.
    beside_fetched: u64,
    /// What the owner calls people.
    contacts: ContactBook,
    /// What was read of contacts before the first ingest, to be told with it.
    early_contacts: Option<IngestReport>,
    /// Who is one person by the owner's word.
    same: SamePeople,
    /// Who is one person at several addresses, by contacts and the owner's word.
    merged: Arc<MergedPeople>,
    /// What was learned of senders, lists and chats.
    history: SenderHistory,
    /// Whom the owner always lets through.
    let_through: LetThroughRules,
    /// The owner's own mails.
    own_threads: OwnThreads,
    /// Mails that others name, as long as there is more to read: a folder with answers may be read before the owner's own. In memory only.
    named_early: BTreeSet<ItemId>,
    /// Mails that are not to come back.
    forgotten: ForgottenThings,
    /// Names of the window's channels. In memory only.
    channels: BTreeMap<ChannelHash, String>,
    /// Through which program each sender and chat of a name came first.
    namesakes: RefCell<Namesakes>,
    /// Keyed hashes of names that come again and again. In memory only.
    hashes: HashCache,
    cursor: u64,
    /// Whether the state changed since it was last given out.
    changed: bool,
    /// Up to when ages count in the next ingest.
    ages_upto: Option<Timestamp>,
}

impl CommsAgent {
    /// An agent that has read nothing yet.
    pub fn new(setup: AgentSetup) -> Self {
        let lower = |texts: &[String]| texts.iter().map(|t| t.trim().to_lowercase()).collect::<Vec<_>>();
        let addresses = lower(&setup.owner.addresses);
        let names = lower(&setup.owner.names);
        let mails = MailboxReader::of_last(model::WINDOW_MS)
            .reaching_back(older::WAITING_MS)
            .keyed(setup.key.clone());
        let identity = [b"owner".as_slice()]
            .into_iter()
            .chain(names.iter().map(String::as_bytes))
            .chain([b"at".as_slice()])
            .chain(addresses.iter().map(String::as_bytes));
        let mac = setup.key.mac(&identity.collect::<Vec<_>>());
        Self {
            judges_for: hex(mac.get(..8).unwrap_or_default()),
            names,
            inbox: SignalInbox::default(),
            notifications: JsonlReader::default(),
            mails: Some(mails.with_own_mail(addresses.clone())),
            addresses,
            counts: MessageCounts::new(setup.owner.zone),
            setup,
            window: MessageWindow::default(),
            senders: BTreeMap::new(),
            people: BTreeMap::new(),
            written_from: BTreeMap::new(),
            last_paths: BTreeMap::new(),
            places: NamePlaces::default(),
            not_fetched: BTreeSet::new(),
            beside_fetched: 0,
            contacts: ContactBook::default(),
            early_contacts: None,
            same: SamePeople::default(),
            merged: Arc::default(),
            history: SenderHistory::default(),
            let_through: LetThroughRules::default(),
            own_threads: OwnThreads::default(),
            named_early: BTreeSet::new(),
            forgotten: ForgottenThings::default(),
            channels: BTreeMap::new(),
            namesakes: RefCell::default(),
            hashes: HashCache::default(),
            cursor: 0,
            changed: false,
            ages_upto: None,
        }
    }

    #[cfg(test)]
    fn window(&self) -> &MessageWindow {
        &self.window
    }

    /// Applies one change. Counts it as read when it was new and recent.
    fn apply(
        &mut self,
        change: MessageChange,
        aged: Timestamp,
        report: &mut IngestReport,
    ) -> Option<IngestFact> {
        if change.mail().is_some_and(|mail| self.forgotten.holds(mail)) {
            return None;
        }
        if !model::is_recent(change.at(), aged) {
            if older::may_wait(change.at(), aged) {
                self.apply_older(change);
            }
            return None;
        }
        match change {
            MessageChange::Answers(own) => {
                self.unlearn_own(&own);
                self.note_own_mail(&own);
                self.changed |= !own.answers.is_empty() || !own.to.is_empty();
                for id in own.answers {
                    self.window.mail_answered(id, own.at);
                }
                None
            }
            MessageChange::New(item, names) => {
                if !self.window.knows(&item.item_id) {
                    self.note_received(&item, &names.sender);
                }
                if item.read && !self.window.get(&item.item_id).is_some_and(|known| known.read) {
                    self.note_read(&item);
                    self.changed = true;
                }
                self.note_named(&names.named);
                self.count(&item, report);
                self.note_place(&item);
                self.senders.insert(item.item_id.clone(), names.sender);
                if let Some((person, address)) = item.person.as_ref().zip(names.address) {
                    name_person(&mut self.written_from, person, &address);
                }
                self.channels.insert(item.channel.clone(), names.channel);
                self.window.insert(item)
            }
            MessageChange::Wrote(item) => {
                if !self.window.knows(&item.item_id) {
                    self.note_own_message(&item.channel, item.at);
                }
                self.count(&item, report);
                self.window.channel_answered(&item.channel, item.at);
                self.window.insert(item)
            }
        }
    }

    /// Applies one change of more than a day ago: who asked something then waits, until it was answered. It is counted nowhere, and teaches nothing.
    fn apply_older(&mut self, change: MessageChange) {
        match change {
            MessageChange::Answers(own) => {
                self.unlearn_own(&own);
                let is_forgotten = |person: &PersonHash| self.forgotten.holds_person(person, own.at);
                if !own.to.first().is_some_and(is_forgotten) {
                    self.note_question(&own);
                }
                for id in own.answers {
                    self.changed |= self.window.mail_answered_before(id, own.at);
                }
            }
            MessageChange::New(item, names) => {
                if self.forgotten.holds_things_of(&item) {
                    return;
                }
                self.note_named(&names.named);
                let (id, person, channel) = (item.item_id.clone(), item.person.clone(), item.channel.clone());
                self.changed |= self.window.take_older(item);
                if !self.window.knows(&id) {
                    return;
                }
                if let Some((person, address)) = person.as_ref().zip(names.address) {
                    name_person(&mut self.written_from, person, &address);
                }
                if let Some(person) = &person {
                    name_person(&mut self.people, person, &names.sender);
                }
                self.senders.insert(id, names.sender);
                self.channels.insert(channel, names.channel);
            }
            MessageChange::Wrote(item) => {
                self.changed |= self.window.channel_answered_before(&item.channel, item.at);
            }
        }
    }

    /// Removes a mail of the owner's that was read before they said that its address is theirs.
    fn unlearn_own(&mut self, own: &OwnMail) {
        if let Some(mail) = own.mail.as_ref().filter(|mail| self.window.knows(mail)) {
            let only_it = ErasureScope::naming([mail.as_str().to_owned()]);
            let (counted, _) = self.window.forget(&only_it);
            self.counts.forget(&only_it, &counted);
            self.changed = true;
        }
    }

    /// Counts a message that is new, or one that is judged otherwise than before.
    fn count(&mut self, item: &MessageRecord, report: &mut IngestReport) {
        if !self.window.knows(&item.item_id) {
            self.changed = true;
            if self.counts.add(item) {
                report.keep();
            }
        } else if self.window.will_judge_again(item) {
            self.counts.judged_again(item);
        }
    }

    /// Notes where a message's names stand.
    fn note_place(&mut self, item: &MessageRecord) {
        self.changed |= item.locator.is_some() && self.window.locator_of(item) != item.locator;
        self.places.note(item);
    }

    fn mailbox_positions(&self) -> BTreeMap<String, MboxPosition> {
        self.mails.as_ref().map(MailboxReader::places).unwrap_or_default()
    }

    fn state(&self) -> Value {
        let mut marks = self.notifications.marks();
        while marks.len() > MAX_MARKS {
            marks.pop_first();
        }
        let mut mailboxes = self.mailbox_positions();
        while mailboxes.len() > MAX_MARKS {
            mailboxes.pop_first();
        }
        let namesakes = self.namesakes.borrow();
        let state = CommsAgentStateRef {
            cursor: self.cursor,
            window: &self.window,
            counts: &self.counts,
            history: &self.history,
            let_through: &self.let_through,
            own_threads: &self.own_threads,
            places: &self.places,
            merged: self.merged_in_state(),
            same: &self.same,
            namesakes: &namesakes,
            forgotten: &self.forgotten,
            marks,
            mailboxes,
            judged_for: &self.judges_for,
        };
        // Ids, numbers and enums: serializing them cannot fail. Null would only mean "unchanged".
        state_json::<CommsAgentState>(&state).unwrap_or(Value::Null)
    }
}

impl Agent for CommsAgent {
    fn name(&self) -> AgentName {
        AgentName::Comms
    }

    fn restore(&mut self, state: &Value) -> Result<(), AgentStateError> {
        let mut state = CommsAgentState::from_json(state)?;
        if state.judged_for.as_ref() != Some(&self.judges_for) {
            if state.judged_for.is_some() {
                state.judge_anew();
            }
            self.changed = true;
        }
        self.cursor = state.cursor;
        self.window = state.window.restored();
        let zone = self.setup.owner.zone;
        self.counts = match state.counts {
            Some(counts) => counts.in_zone(zone),
            None => MessageCounts::from_records(self.window.items(), zone),
        };
        self.history = state.history;
        self.let_through = state.let_through;
        self.own_threads = state.own_threads;
        self.forgotten = state.forgotten;
        self.places = state.places;
        self.same = state.same;
        self.namesakes = RefCell::new(if state.namesakes.is_empty() {
            self.namesakes_from_window()
        } else {
            state.namesakes
        });
        let groups: Vec<Vec<PersonHash>> = state.merged.into();
        self.contacts.restore(groups.clone());
        self.merge_people(self.same.added_to(groups).into());
        self.notifications.restore(state.marks);
        if let Some(mails) = &mut self.mails {
            mails.restore(state.mailboxes);
        }
        Ok(())
    }

    fn names(&self) -> ThingNames {
        self.known_names()
    }

    fn take_names(&mut self, names: ThingNames) {
        self.take_known_names(names);
    }

    fn accept(&mut self, signals: Vec<Signal>) {
        self.inbox.accept(signals);
    }

    fn count_ages(&mut self, upto: Option<Timestamp>) {
        self.ages_upto = upto;
    }

    fn ingest(&mut self, args: &IngestArgs, at: Timestamp) -> IngestResult {
        let mut report = IngestReport::default();
        let aged = self.ages_upto.take().map_or(at, |upto| upto.min(at));
        let marks = (self.notifications.marks(), self.mailbox_positions());
        let files = args.signal_ids.is_empty();
        let mut changes = Vec::new();
        if files {
            // Before any message: it is judged by who wrote it.
            self.read_contacts(&mut report);
            changes.extend(self.read_notifications((at, aged), &mut report));
        }
        changes.extend(self.read_signals((at, aged), &mut report));
        if files {
            // There may be mail that was not there before.
            self.not_fetched.clear();
            changes.extend(self.read_mails((at, aged), &mut report));
            let old = self
                .mails
                .as_mut()
                .map(MailboxReader::take_own)
                .unwrap_or_default();
            for own in old {
                self.note_old_own_mail(&own);
            }
            if report.left == 0 {
                self.history.own_mail_known_until(aged.plus_ms(-model::WINDOW_MS));
            }
        }
        // Bursts are found in order of time, whatever order the sources have.
        changes.sort_by_key(MessageChange::at);
        let mut facts: Vec<IngestFact> = Vec::new();
        for change in changes {
            facts.extend(self.apply(change, aged, &mut report));
        }
        if report.left == 0 {
            self.named_early.clear();
        }
        self.counts.tell_uncounted(&mut report);
        let seen = self.counts.take_seen(&self.merged);
        self.changed |= !seen.is_empty();
        self.counts.prune(aged);
        self.changed |= self.forgotten.prune(aged);
        facts.truncate(MAX_FACTS);
        if self.window.prune(aged) {
            self.changed = true;
            let window = &self.window;
            self.senders.retain(|id, _| window.knows(id));
            self.let_channels_go();
        }
        self.changed |= marks != (self.notifications.marks(), self.mailbox_positions());
        // An asker with another cursor has not got our last state.
        let give = self.changed || args.cursor != self.cursor;
        if give {
            self.history.fit();
            self.cursor = self.cursor.max(args.cursor).saturating_add(1);
            self.changed = false;
        }
        let state = give.then(|| self.state());
        report.into_result(self.cursor, (facts, seen), Some(self.window.items().len()), state)
    }

    fn tick(&self, args: &TickArgs, at: Timestamp) -> TickResult {
        let known = tick::KnownMessages {
            window: &self.window,
            history: &self.history,
            let_through: &self.let_through,
            merged: &self.merged,
        };
        tick::tick(known, args, self.setup.owner.zone, at)
    }

    fn act(&mut self, tool: &Tool, at: Timestamp) -> Result<(Value, Vec<ToolEffect>), ToolErrorCode> {
        let Tool::Comms(tool) = tool else {
            return Err(ToolErrorCode::Unavailable);
        };
        match tool {
            CommsTool::MuteChannel(args) => {
                let (result, effects) = tools::mute_channel(args, at);
                answer(&result, effects)
            }
            CommsTool::UnmuteChannel(args) => {
                let (result, effects) = tools::unmute_channel(args);
                self.unlearn_mute(&args.channel_hash, at);
                answer(&result, effects)
            }
            CommsTool::BatchSummarize(args) => {
                let (result, effects) = tools::batch_summarize(&self.window, args, at)?;
                answer(&result, effects)
            }
            CommsTool::DraftReply(args) => {
                self.read_names(&[ThingId::Item(args.item_id.clone())]);
                let sender = self.sender_name(&args.item_id);
                let sender = sender.as_deref();
                let (result, effects) = tools::draft_reply(&self.window, args, sender, at)?;
                self.window.mark_drafted(&args.item_id, true);
                self.changed = true;
                answer(&result, effects)
            }
            CommsTool::Classify(args) => answer(&tools::classify(&self.window, args)?, Vec::new()),
            CommsTool::Snooze(args) => {
                let result = tools::snooze(&mut self.window, args, at)?;
                self.changed = true;
                answer(&result, Vec::new())
            }
            CommsTool::TakeBack(args) => {
                let (result, effects, since) = tools::take_back(&mut self.window, args);
                if let Some(since) = since {
                    self.unlearn_refusal(&args.item_id, since);
                }
                self.changed = true;
                answer(&result, effects)
            }
            CommsTool::TriageInbox(args) => {
                let result = tools::triage_inbox(&self.window, args, self.setup.owner.zone, at)?;
                answer(&result, Vec::new())
            }
            CommsTool::Describe(args) => {
                let (names, marks) = self.names_apart(&args.ids);
                let name = |id: &ThingId| names.get(id).map(String::as_str);
                let DescribeResult { labels, unknown } = described(&args.ids, name);
                let mark = |id: &ThingId| marks.get(id).map(String::as_str);
                let marks = described(&args.ids, mark).labels;
                let (message_id, address) = match args.ids.as_slice() {
                    [ThingId::Item(item)] => (self.message_id(item), self.sender_address(item)),
                    _ => (None, None),
                };
                let described = DescribedMessages {
                    labels,
                    marks: Some(marks).filter(|marks| !marks.is_empty()),
                    unknown,
                    message_id,
                    address,
                    gone: Some(self.gone_mails(&args.ids)).filter(|gone| !gone.is_empty()),
                };
                answer(&described, Vec::new())
            }
            CommsTool::DescribeCorrespondent(args) => {
                answer(&self.describe_correspondent(args, at)?, Vec::new())
            }
            CommsTool::LetThrough(args) => answer(&self.let_through(args)?, Vec::new()),
            CommsTool::SamePerson(args) => answer(&self.same_person(args)?, Vec::new()),
            CommsTool::ListSamePeople(_) => answer(&self.list_same_people(), Vec::new()),
            CommsTool::LearnFromAct(args) => answer(&self.learn_from_act(args, at)?, Vec::new()),
            CommsTool::ListLearned(_) => answer(&self.list_learned(at), Vec::new()),
            CommsTool::CorrectLearned(args) => answer(&self.correct_learned(args, at), Vec::new()),
            CommsTool::ResetLearned(args) => answer(&self.reset_learned(args), Vec::new()),
            // The host answers these two itself.
            CommsTool::Ingest(_) | CommsTool::Tick(_) => Err(ToolErrorCode::Unavailable),
        }
    }

    fn state_after_act(&mut self, _at: Timestamp) -> Option<Value> {
        std::mem::take(&mut self.changed).then(|| self.state())
    }
}

#[cfg(test)]
#[path = "../../base/src/testing.rs"]
pub mod testing;
#[cfg(test)]
mod tests;
