//! Comms: mail and notifications.
//!
//! What: [`CommsAgent`], the agent: bursts, mentions, digests, drafts. Why: a person gets hundreds of messages a day and few
//! want something. Not here: training the classifier (`agents/training`), muting itself (the supervisor performs it).

pub mod classifier;
mod counts;
pub mod features;
mod folding;
mod hashes;
mod history;
pub mod intent;
pub mod judging;
mod learning;
pub mod mail_class;
mod mail_cues;
pub mod message;
mod model;
mod sources;
pub mod spam_gate;
mod state;
mod tick;
mod tools;
mod words;

use crate::{
    contract::{Agent, AgentSetup, AgentStateError},
    mail::{MailboxReader, MboxPosition, eml::ParsedMail},
    shared::{IngestReport, JsonlReader, SignalInbox, SkipCode, answer, described},
};
use counts::MessageCounts;
use hashes::HashCache;
use history::SenderHistory;
use intent::judge;
use judging::{OwnerIdentity, class_of, judge_mail};
use learning::{OwnMail, keys_of_mail};
use model::{MessageRecord, MessageWindow};
use serde::Deserialize;
use serde_json::Value;
use sources::jsonl::{self, SignalMessage};
pub(crate) use state::CommsAgentState;
use state::CommsAgentStateRef;
use std::{collections::BTreeMap, path::Path};
use toolcall_schema::{
    AgentName, Timestamp, Tool,
    catalogue::{CommsTool, shared::ThingId},
    ids::{ChannelHash, ItemId, PersonHash},
    result::{ToolEffect, ToolErrorCode},
    signal::{NotificationData, Signal, SignalKind},
    tick::{IngestArgs, IngestFact, IngestResult, TickArgs, TickResult},
};

/// It is not among the messages of the last 24 hours.
const TOO_OLD: SkipCode = SkipCode {
    code: "AGENT-017",
    message: "these messages are older than 24 hours: Comms judges and counts messages of the last day",
};

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
    /// What was learned of senders, lists and chats.
    history: SenderHistory,
    /// Names of the window's channels. In memory only.
    channels: BTreeMap<ChannelHash, String>,
    /// Keyed hashes of names that come again and again. In memory only.
    hashes: HashCache,
    cursor: u64,
    /// Whether the state changed since it was last given out.
    changed: bool,
    /// Up to when ages count in the next ingest.
    ages_upto: Option<Timestamp>,
}

/// What a message does to the window.
enum MessageChange {
    /// A new item, with its names.
    New(MessageRecord, DisplayedNames),
    /// The owner wrote a mail: what it answers is answered.
    Answers(OwnMail),
    /// The owner wrote in a chat: a message like others, and those before it are answered.
    Wrote(MessageRecord),
}

/// What a message's sender and channel are called.
struct DisplayedNames {
    sender: String,
    channel: String,
}

impl MessageChange {
    fn at(&self) -> Timestamp {
        match self {
            MessageChange::New(item, _) | MessageChange::Wrote(item) => item.at,
            MessageChange::Answers(own) => own.at,
        }
    }
}

impl CommsAgent {
    /// An agent that has read nothing yet.
    pub fn new(setup: AgentSetup) -> Self {
        let lower = |texts: &[String]| texts.iter().map(|t| t.trim().to_lowercase()).collect::<Vec<_>>();
        let addresses = lower(&setup.owner.addresses);
        let mails = MailboxReader::of_last(model::WINDOW_MS).keyed(setup.key.clone());
        Self {
            names: lower(&setup.owner.names),
            inbox: SignalInbox::default(),
            notifications: JsonlReader::default(),
            mails: Some(mails.with_own_mail(addresses.clone())),
            addresses,
            counts: MessageCounts::new(setup.owner.zone),
            setup,
            window: MessageWindow::default(),
            senders: BTreeMap::new(),
            people: BTreeMap::new(),
            history: SenderHistory::default(),
            channels: BTreeMap::new(),
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

    fn read_notifications(
        &mut self,
        (at, aged): (Timestamp, Timestamp),
        report: &mut IngestReport,
    ) -> Vec<MessageChange> {
        let mut changes = Vec::new();
        // The first of each file, and how many there are.
        let mut old: BTreeMap<String, (Option<u64>, u32)> = BTreeMap::new();
        // The reader is taken out so that the closure may look at the rest of the agent.
        let mut reader = std::mem::take(&mut self.notifications);
        reader.read(
            &self.setup.sources.notifications,
            at,
            report,
            &mut |signal, place, report| match self.change_of(signal) {
                Ok(_) if !model::is_recent(signal.at, aged) => {
                    old.entry(place.item.to_owned()).or_insert((place.line, 0)).1 += 1;
                }
                Ok(change) => changes.push(change),
                Err(code) => report.skip(code, place.item, place.line),
            },
        );
        self.notifications = reader;
        for (file, (line, count)) in old {
            report.skip_many(TOO_OLD, &file, line, count);
        }
        changes
    }

    fn read_signals(
        &mut self,
        (at, aged): (Timestamp, Timestamp),
        report: &mut IngestReport,
    ) -> Vec<MessageChange> {
        let mut changes = Vec::new();
        let kinds = [SignalKind::Notification, SignalKind::Mail];
        for signal in self.inbox.take(at, &kinds, report) {
            match self.change_of(&signal) {
                Ok(_) if !model::is_recent(signal.at, aged) => report.skip(TOO_OLD, signal.id.as_str(), None),
                Ok(change) => changes.push(change),
                Err(code) => report.skip(code, signal.id.as_str(), None),
            }
        }
        changes
    }

    fn read_mails(
        &mut self,
        (at, aged): (Timestamp, Timestamp),
        report: &mut IngestReport,
    ) -> Vec<MessageChange> {
        let mut changes = Vec::new();
        let mut present = Vec::new();
        // Taken out so that the closure may look at the rest of the agent.
        let Some(mut mails) = self.mails.take() else {
            return changes;
        };
        for source in &self.setup.sources.mail {
            let channel = format!("mail:{}", last_name(source));
            present.extend(mails.read(source, (at, aged), report, &mut |found| {
                let mut change = self.mail(&found.mail, &channel, found.sent, &found.content);
                let replied = match &mut change {
                    MessageChange::New(item, _) => {
                        item.read = found.read;
                        found.answered.then(|| OwnMail {
                            answers: vec![item.item_id.clone()],
                            at: found.sent,
                            to: Vec::new(),
                            certain: true,
                            timed: false,
                        })
                    }
                    MessageChange::Answers(own) => {
                        own.certain |= found.in_sent_folder;
                        None
                    }
                    MessageChange::Wrote(_) => None,
                };
                changes.push(change);
                changes.extend(replied.map(MessageChange::Answers));
            }));
        }
        mails.keep(&present);
        self.mails = Some(mails);
        changes
    }

    fn change_of(&self, signal: &Signal) -> Result<MessageChange, SkipCode> {
        Ok(match jsonl::message(signal)? {
            SignalMessage::Notification(notification) => self.notification(signal, &notification),
            SignalMessage::Mail(mail) => {
                let channel = format!("mail:{}", signal.source);
                let mut change = self.mail(&mail, &channel, signal.at, signal.id.as_str());
                // A program posted it: the owner's own folders alone teach.
                if let MessageChange::Answers(own) = &mut change {
                    own.certain = false;
                }
                change
            }
        })
    }

    fn notification(&self, signal: &Signal, notification: &NotificationData) -> MessageChange {
        let channel = if notification.channel.is_empty() {
            &notification.app
        } else {
            &notification.channel
        };
        let judgement = judge(
            &message::JudgedMessage {
                text: &notification.text,
                sender: &notification.sender,
                sender_host: None,
                channel,
                to_owner: false,
                bulk: false,
            },
            &self.names,
        );
        let sender = notification.sender.trim().to_lowercase();
        let own = self.names.contains(&sender);
        let item = MessageRecord {
            item_id: self.setup.key.item(signal.id.as_str()),
            channel: self.hashes.channel(&self.setup.key, channel),
            at: signal.at,
            intent: judgement.intent,
            urgency: judgement.urgency,
            mention: judgement.mention,
            mail: false,
            answered: own,
            drafted: false,
            read: false,
            verb: judgement.verb,
            thread: None,
            list: None,
            person: (!own).then(|| self.hashes.person(&self.setup.key, &sender)),
            app: Some(self.hashes.app(&self.setup.key, &notification.app)),
            class: class_of(judgement.intent),
            evidence: Vec::new(),
            no_draft: false,
        };
        if own {
            MessageChange::Wrote(MessageRecord {
                intent: intent::Intent::Social,
                class: class_of(intent::Intent::Social),
                urgency: toolcall_schema::milli::Milli(200),
                mention: false,
                ..item
            })
        } else {
            let names = DisplayedNames {
                sender: notification.sender.clone(),
                channel: channel.clone(),
            };
            MessageChange::New(item, names)
        }
    }

    /// A mail sent at `sent`; `fallback` names it when it has no `Message-ID`.
    fn mail(&self, mail: &ParsedMail, channel: &str, sent: Timestamp, fallback: &str) -> MessageChange {
        if self.addresses.contains(&mail.from) {
            return MessageChange::Answers(OwnMail {
                answers: mail.answers.iter().map(|id| self.mail_item(id)).collect(),
                at: sent,
                to: self.people_at(&mail.to),
                certain: !mail.travelled,
                timed: true,
            });
        }
        let item_id = self.mail_item(mail.message_id.as_deref().unwrap_or(fallback));
        let thread = mail
            .answers
            .first()
            .map_or_else(|| item_id.clone(), |id| self.mail_item(id));
        let list = mail.origin.list_id.as_deref();
        let list = list.map(|list| self.hashes.channel(&self.setup.key, &format!("list:{list}")));
        let person = self.hashes.person(&self.setup.key, &mail.from);
        let owner = OwnerIdentity {
            names: &self.names,
            addresses: &self.addresses,
        };
        let keys = keys_of_mail((&person, &thread, list.as_ref()), sent, self.setup.owner.zone);
        let judgement = judge_mail(mail, &owner, self.history.standing(&keys));
        let item = MessageRecord {
            item_id,
            channel: self.hashes.channel(&self.setup.key, channel),
            at: sent,
            intent: judgement.intent,
            urgency: judgement.urgency,
            mention: judgement.mention,
            mail: true,
            answered: false,
            drafted: false,
            read: false,
            verb: judgement.verb,
            thread: Some(thread),
            list,
            person: Some(person),
            app: None,
            class: judgement.class,
            evidence: judgement.evidence,
            no_draft: !judgement.may_draft,
        };
        let names = DisplayedNames {
            sender: mail.sender.clone(),
            channel: channel.to_owned(),
        };
        MessageChange::New(item, names)
    }

    fn mail_item(&self, message_id: &str) -> ItemId {
        self.setup.key.item(&format!("mail:{message_id}"))
    }

    /// Applies one change. Counts it as read when it was new and recent.
    fn apply(
        &mut self,
        change: MessageChange,
        aged: Timestamp,
        report: &mut IngestReport,
    ) -> Option<IngestFact> {
        if !model::is_recent(change.at(), aged) {
            return None;
        }
        match change {
            MessageChange::Answers(own) => {
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
                self.count(&item, report);
                self.senders.insert(item.item_id.clone(), names.sender);
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

    fn places(&self) -> BTreeMap<String, MboxPosition> {
        self.mails.as_ref().map(MailboxReader::places).unwrap_or_default()
    }

    fn state(&self) -> Value {
        let mut marks = self.notifications.marks();
        while marks.len() > MAX_MARKS {
            marks.pop_first();
        }
        let mut mailboxes = self.places();
        while mailboxes.len() > MAX_MARKS {
            mailboxes.pop_first();
        }
        let state = CommsAgentStateRef {
            cursor: self.cursor,
            window: &self.window,
            counts: &self.counts,
            history: &self.history,
            marks,
            mailboxes,
        };
        // Ids, numbers and enums: serializing them cannot fail. Null would only mean "unchanged".
        serde_json::to_value(state).unwrap_or(Value::Null)
    }
}

/// The last part of a path: a folder's name, the same on every machine.
fn last_name(path: &Path) -> String {
    path.file_name()
        .map(|n| n.to_string_lossy().into_owned())
        .unwrap_or_default()
}

impl Agent for CommsAgent {
    fn name(&self) -> AgentName {
        AgentName::Comms
    }

    fn restore(&mut self, state: &Value) -> Result<(), AgentStateError> {
        let state = CommsAgentState::deserialize(state).map_err(|source| AgentStateError {
            agent: AgentName::Comms,
            source,
        })?;
        self.cursor = state.cursor;
        self.window = state.window.restored();
        let zone = self.setup.owner.zone;
        self.counts = match state.counts {
            Some(counts) => counts.in_zone(zone),
            None => MessageCounts::from_records(self.window.items(), zone),
        };
        self.history = state.history;
        self.notifications.restore(state.marks);
        if let Some(mails) = &mut self.mails {
            mails.restore(state.mailboxes);
        }
        Ok(())
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
        let marks = (self.notifications.marks(), self.places());
        let files = args.signal_ids.is_empty();
        let mut changes = Vec::new();
        if files {
            changes.extend(self.read_notifications((at, aged), &mut report));
        }
        changes.extend(self.read_signals((at, aged), &mut report));
        if files {
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
        self.counts.tell_uncounted(&mut report);
        let seen = self.counts.take_seen();
        self.changed |= !seen.is_empty();
        self.counts.prune(aged);
        facts.truncate(MAX_FACTS);
        if self.window.prune(aged) {
            self.changed = true;
            let window = &self.window;
            self.senders.retain(|id, _| window.knows(id));
            self.channels.retain(|channel, _| window.has_channel(channel));
        }
        self.changed |= marks != (self.notifications.marks(), self.places());
        // An asker with another cursor has not got our last state.
        let give = self.changed || args.cursor != self.cursor;
        if give {
            self.history.fit();
            self.cursor = self.cursor.max(args.cursor).saturating_add(1);
            self.changed = false;
        }
        IngestResult {
            cursor: self.cursor,
            facts,
            seen,
            read: report.read,
            skipped: report.skipped,
            skips: report.skips,
            taken: report.taken,
            left: report.left,
            agent_state: if give { self.state() } else { Value::Null },
        }
    }

    fn tick(&self, args: &TickArgs, at: Timestamp) -> TickResult {
        tick::tick((&self.window, &self.history), args, self.setup.owner.zone, at)
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
                answer(&result, effects)
            }
            CommsTool::BatchSummarize(args) => {
                let (result, effects) = tools::batch_summarize(&self.window, args, at)?;
                answer(&result, effects)
            }
            CommsTool::DraftReply(args) => {
                let sender = self.senders.get(&args.item_id).map(String::as_str);
                let (result, effects) = tools::draft_reply(&self.window, args, sender, at)?;
                self.window.mark_drafted(&args.item_id);
                self.changed = true;
                answer(&result, effects)
            }
            CommsTool::Classify(args) => answer(&tools::classify(&self.window, args)?, Vec::new()),
            CommsTool::Snooze(args) => {
                let result = tools::snooze(&mut self.window, args, at)?;
                self.changed = true;
                answer(&result, Vec::new())
            }
            CommsTool::TriageInbox(args) => {
                let result = tools::triage_inbox(&self.window, args, self.setup.owner.zone, at)?;
                answer(&result, Vec::new())
            }
            CommsTool::Describe(args) => {
                let name = |id: &ThingId| match id {
                    ThingId::Item(item) => self.senders.get(item).map(String::as_str),
                    ThingId::Channel(channel) => self.channels.get(channel).map(String::as_str),
                    ThingId::Person(person) => self.people.get(person).map(String::as_str),
                    ThingId::Event(_) | ThingId::Txn(_) | ThingId::Merchant(_) => None,
                };
                answer(&described(&args.ids, name), Vec::new())
            }
            CommsTool::LearnFromAct(args) => answer(&self.learn_from_act(args, at)?, Vec::new()),
            CommsTool::ListLearned(_) => answer(&self.history.list(), Vec::new()),
            CommsTool::CorrectLearned(args) => answer(&self.correct_learned(args, at), Vec::new()),
            CommsTool::ResetLearned(args) => answer(&self.reset_learned(args), Vec::new()),
            // The host answers these two itself.
            CommsTool::Ingest(_) | CommsTool::Tick(_) => Err(ToolErrorCode::Unavailable),
        }
    }
}

#[cfg(test)]
mod tests;
