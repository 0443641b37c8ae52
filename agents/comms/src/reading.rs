//! Reading mail and notifications: from what a source holds to a change of the window.
//!
//! What: the three ways in, and [`MessageChange`], what a message does to the window. Why: every message is judged once, where it is read. Not
//! here: what is done with a change, the agent's tools (`mod`), one source's format (`mail`, `sources`), judging (`judging`, `intent`).

use super::{
    CommsAgent,
    contacts::phone_number,
    intent::{self, judge},
    judging::{OwnerIdentity, SenderStanding, asks_others, class_of, judge_mail},
    learning::{OwnMail, keys_of_mail},
    message, model, older,
    record::MessageRecord,
    sources::jsonl::{self, SignalMessage},
};
use agents_base::{
    mail::eml::ParsedMail,
    shared::{IngestReport, SkipCode, SourceLocator},
};
use std::{collections::BTreeMap, path::Path};
use toolcall_schema::{
    Timestamp,
    catalogue::learning::LearnedThing,
    ids::ItemId,
    signal::{NotificationData, Signal, SignalKind},
};

/// It is not among the messages of the last 24 hours, and does not say who waits.
const TOO_OLD: SkipCode = SkipCode {
    code: "AGENT-017",
    message: "these messages are older than 24 hours: Comms judges and counts messages of the last day",
};

/// Earlier mails of a thread that are looked for among the owner's, the newest.
const NAMED: usize = 8;
/// What a message does to the window.
pub(super) enum MessageChange {
    /// A new item, with its names.
    New(MessageRecord, DisplayedNames),
    /// The owner wrote a mail: what it answers is answered.
    Answers(OwnMail),
    /// The owner wrote in a chat: a message like others, and those before it are answered.
    Wrote(MessageRecord),
}

/// What a message's sender and channel are called, and which mails of the owner's it answers.
pub(super) struct DisplayedNames {
    pub(super) sender: String,
    pub(super) channel: String,
    /// The mails that it names: of the owner's own it answers each.
    pub(super) named: Vec<ItemId>,
    /// Of a mail: where it was written from.
    pub(super) address: Option<String>,
}

impl MessageChange {
    fn read_at(self, locator: Option<SourceLocator>) -> Self {
        match self {
            MessageChange::New(item, names) => MessageChange::New(MessageRecord { locator, ..item }, names),
            MessageChange::Wrote(item) => MessageChange::Wrote(MessageRecord { locator, ..item }),
            MessageChange::Answers(own) => MessageChange::Answers(OwnMail { locator, ..own }),
        }
    }

    /// Whether it says who waits, or that somebody waits no more, though it is more than a day old.
    fn may_wait(&self, aged: Timestamp) -> bool {
        let says = match self {
            MessageChange::New(item, _) => item.intent == intent::Intent::Actionable,
            MessageChange::Wrote(_) | MessageChange::Answers(_) => true,
        };
        says && older::may_wait(self.at(), aged)
    }

    pub(super) fn at(&self) -> Timestamp {
        match self {
            MessageChange::New(item, _) | MessageChange::Wrote(item) => item.at,
            MessageChange::Answers(own) => own.at,
        }
    }

    /// The mail that tells of it: of an answer that only a mailbox's flag tells of, the one that was answered.
    pub(super) fn mail(&self) -> Option<&ItemId> {
        match self {
            MessageChange::New(item, _) => item.mail.then_some(&item.item_id),
            MessageChange::Answers(own) => own.mail.as_ref().or(own.answers.first()),
            MessageChange::Wrote(_) => None,
        }
    }
}

impl CommsAgent {
    pub(super) fn read_notifications(
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
                Ok(change) if !model::is_recent(signal.at, aged) && !change.may_wait(aged) => {
                    old.entry(place.item.to_owned()).or_insert((place.line, 0)).1 += 1;
                }
                Ok(change) => changes.push(change.read_at(place.locator)),
                Err(code) => report.skip(code, place.item, place.line),
            },
        );
        self.notifications = reader;
        for (file, (line, count)) in old {
            report.skip_many(TOO_OLD, &file, line, count);
        }
        changes
    }

    pub(super) fn read_signals(
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

    pub(super) fn read_mails(
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
            let channel = channel_of_folder(source);
            present.extend(mails.read(source, (at, aged), report, &mut |found| {
                let mut change = self
                    .mail(&found.mail, &channel, found.sent, &found.content)
                    .read_at(found.locator);
                let replied = match &mut change {
                    MessageChange::New(item, _) => {
                        item.read = found.read;
                        found.answered.then(|| OwnMail {
                            mail: None,
                            asks: false,
                            answers: vec![item.item_id.clone()],
                            at: found.sent,
                            to: Vec::new(),
                            certain: true,
                            timed: false,
                            locator: None,
                        })
                    }
                    MessageChange::Answers(own) => {
                        own.certain |= found.in_sent_folder;
                        if !own.certain {
                            // It came from elsewhere under the owner's address: whoever wrote it, nobody was answered by it here.
                            own.answers.clear();
                        }
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
        changes.extend(self.settled_elsewhere(at));
        changes
    }

    /// Of mails that wait and went from their server: the owner removed them there, so nobody waits any more. It teaches nothing.
    fn settled_elsewhere(&mut self, at: Timestamp) -> Vec<MessageChange> {
        let waiting = self.window.all_items().filter(|item| item.important());
        let places: Vec<(SourceLocator, ItemId)> = waiting
            .filter_map(|item| Some((item.locator?, item.item_id.clone())))
            .collect();
        let gone = self.gone_from_servers(&places).into_iter();
        gone.map(|item| {
            MessageChange::Answers(OwnMail {
                mail: None,
                asks: false,
                answers: vec![item],
                at,
                to: Vec::new(),
                certain: false,
                timed: false,
                locator: None,
            })
        })
        .collect()
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
        let channel = notification.chat();
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
        let own = self.names.contains(&notification.sender.trim().to_lowercase());
        let ids = self.ids_of(notification);
        let item = MessageRecord {
            item_id: self.setup.key.item(signal.id.as_str()),
            channel: ids.channel,
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
            person: (!own).then_some(ids.person),
            app: Some(ids.app),
            class: class_of(judgement.intent),
            evidence: Vec::new(),
            no_draft: false,
            forged: false,
            locator: None,
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
                channel: channel.to_owned(),
                named: Vec::new(),
                address: None,
            };
            MessageChange::New(item, names)
        }
    }

    /// A mail sent at `sent`; `fallback` names it when it has no `Message-ID`.
    fn mail(&self, mail: &ParsedMail, channel: &str, sent: Timestamp, fallback: &str) -> MessageChange {
        if self.addresses.contains(&mail.from) {
            let identity = OwnerIdentity {
                names: &self.names,
                addresses: &self.addresses,
            };
            return MessageChange::Answers(OwnMail {
                mail: mail.message_id.as_deref().map(|id| self.mail_item(id)),
                asks: asks_others(mail, &identity),
                answers: mail.answers.iter().map(|id| self.mail_item(id)).collect(),
                at: sent,
                to: self.people_at(&mail.to),
                certain: !mail.travelled,
                timed: true,
                locator: None,
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
        let named = mail.origin.references.iter().rev().take(NAMED);
        let named: Vec<ItemId> = named.map(|id| self.mail_item(id)).collect();
        let answers_owner = !self.own_threads.among(&named).is_empty();
        let owner = OwnerIdentity {
            names: &self.names,
            addresses: &self.addresses,
        };
        let keys = keys_of_mail((&person, &thread, list.as_ref()), sent, self.setup.owner.zone);
        let learned = self.history.standing(&keys);
        let sender = LearnedThing::Person(person.clone());
        let let_through = list.is_none() && self.let_through.names(&sender, &self.merged);
        let standing = SenderStanding {
            answers_owner,
            knows_own_mail: !self.own_threads.is_empty(),
            let_through,
            // What was learned holds nothing back of whom the owner lets through.
            taught: if let_through {
                learned.taught.max(0)
            } else {
                learned.taught
            },
            ..learned
        };
        let judgement = judge_mail(mail, &owner, standing);
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
            forged: judgement.forged,
            locator: None,
        };
        let names = DisplayedNames {
            sender: mail.sender.clone(),
            channel: channel.to_owned(),
            named,
            address: Some(mail.from.clone()),
        };
        MessageChange::New(item, names)
    }

    pub(super) fn mail_item(&self, message_id: &str) -> ItemId {
        self.setup.key.item(&format!("mail:{message_id}"))
    }
}

/// What a sender of a chat is known by: a number by its digits, however it is spaced, else the name in lower case.
pub(super) fn sender_key(sender: &str) -> String {
    phone_number(sender).unwrap_or_else(|| sender.trim().to_lowercase())
}

/// What the mail of a source is called: by its folder's name, the same on every machine.
pub(super) fn channel_of_folder(source: &Path) -> String {
    format!("mail:{}", last_name(source))
}

/// The last part of a path.
fn last_name(path: &Path) -> String {
    path.file_name()
        .map(|n| n.to_string_lossy().into_owned())
        .unwrap_or_default()
}
