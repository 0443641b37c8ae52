//! How the owner's acts and own mails reach the history.
//!
//! What: the four tools of learning, and what is noted of messages and own mails. Why: each way in which something is learned stands on one
//! page. Not here: what is kept and what it weighs (`history`), reading (`mod`).

use super::{
    CommsAgent, MessageRecord,
    history::{LabelAct, LabelKeys, ROWS_MAX, SenderHistory, TaughtLabel},
    model::MessageWindow,
    own_threads::OwnThread,
};
use agents_base::{mail::OwnMailHead, shared::SourceLocator};
use chrono::Timelike as _;
use chrono_tz::Tz;
use std::collections::BTreeMap;
use toolcall_schema::{
    ActionKind, Timestamp,
    catalogue::{
        comms::{EvidenceCode, MessageClass},
        learning::{
            CorrectLearned, CorrectedLearned, LearnFromAct, LearnResult, LearnedList, LearnedRow,
            LearnedThing, ResetLearned, ResetResult, TeachingAct,
        },
    },
    ids::{ChannelHash, ItemId, PersonHash},
    result::ToolErrorCode,
    tick::Subject,
};

/// Names of people that are in memory at most.
const NAMES_MAX: usize = 4096;

/// A card mutes a chat for so long: a mute that ends before was taken back.
pub(super) const CARD_MUTE_SECONDS: u32 = 1800;

/// Mails that are known as named by others while there is more to read, at most.
const NAMED_EARLY_MAX: usize = 50_000;

/// Rows of people whom the owner waits for, at most.
const WAITING_MAX: usize = 24;

/// A mail of the owner's own, or their mail program's word that they answered.
pub(super) struct OwnMail {
    /// Its name, where it has one.
    pub(super) mail: Option<ItemId>,
    /// Whether it asks something of those it goes to.
    pub(super) asks: bool,
    /// What it answers.
    pub(super) answers: Vec<ItemId>,
    pub(super) at: Timestamp,
    /// To whom it goes.
    pub(super) to: Vec<PersonHash>,
    /// Whether it is certain that the owner wrote it: only then it teaches.
    pub(super) certain: bool,
    /// Whether `at` is when the owner answered.
    pub(super) timed: bool,
    /// Where it stands.
    pub(super) locator: Option<SourceLocator>,
}

/// What labels on a message are about.
pub(super) fn keys_of(item: &MessageRecord, zone: Tz) -> LabelKeys {
    LabelKeys {
        person: item.person.clone(),
        thread: item.thread.clone(),
        list: list_of(item),
        hour: hour_of(item.at, zone),
        class: item.class,
    }
}

/// The mailing list or the chat of a message; a mail folder is neither.
fn list_of(item: &MessageRecord) -> Option<ChannelHash> {
    let chat = || (!item.mail).then(|| item.channel.clone());
    item.list.clone().or_else(chat)
}

/// What labels on a mail are about before it is judged.
pub(super) fn keys_of_mail(
    (person, thread, list): (&PersonHash, &ItemId, Option<&ChannelHash>),
    at: Timestamp,
    zone: Tz,
) -> LabelKeys {
    LabelKeys {
        person: Some(person.clone()),
        thread: Some(thread.clone()),
        list: list.cloned(),
        hour: hour_of(at, zone),
        class: MessageClass::NeedsYou,
    }
}

/// What labels on a whole chat are about.
pub(super) fn keys_of_channel(channel: &ChannelHash, at: Timestamp, zone: Tz) -> LabelKeys {
    LabelKeys {
        person: None,
        thread: None,
        list: Some(channel.clone()),
        hour: hour_of(at, zone),
        class: MessageClass::Group,
    }
}

fn hour_of(at: Timestamp, zone: Tz) -> u8 {
    u8::try_from(at.utc().with_timezone(&zone).hour()).unwrap_or(0)
}

/// Why the history moves a confidence, the owner's acts first.
pub(super) fn evidence_of(history: &SenderHistory, keys: &LabelKeys) -> Vec<EvidenceCode> {
    let mut evidence = Vec::new();
    if history.shift(keys) != 0 {
        evidence.push(EvidenceCode::Taught);
    }
    let things = [
        keys.person.clone().map(LearnedThing::Person),
        keys.list.clone().map(LearnedThing::Channel),
    ];
    let whys = things
        .into_iter()
        .flatten()
        .filter_map(|about| history.treated_as(&about));
    evidence.extend(
        whys.map(|(_, why)| why)
            .filter(|why| *why != EvidenceCode::Taught),
    );
    evidence.dedup();
    let standing = history.standing(keys);
    if keys.person.is_some() && !standing.wrote_to && standing.answered == 0 {
        evidence.push(EvidenceCode::UnknownSender);
    }
    evidence
}

impl CommsAgent {
    /// Whether an address is the owner's.
    fn is_own(&self, address: &str) -> bool {
        self.addresses.iter().any(|own| own == address)
    }

    /// The people among some addresses who are not the owner.
    pub(super) fn people_at<'a>(&self, addresses: impl IntoIterator<Item = &'a String>) -> Vec<PersonHash> {
        let others = addresses.into_iter().filter(|address| !self.is_own(address));
        others.map(|address| self.setup.key.person(address)).collect()
    }

    /// The owner wrote this mail long ago: whom they know.
    pub(super) fn note_old_own_mail(&mut self, head: &OwnMailHead) {
        if !head.certain || !self.history.is_own_mail_new(head.sent) {
            return;
        }
        let people = self.people_at(&head.to);
        if let Some(id) = &head.message_id {
            let id = self.mail_item(id);
            // Its text is not read: whether it asks is not known.
            let mail = OwnThread {
                at: head.sent,
                to: people.first().cloned(),
                asks: false,
                answered: self.named_early.contains(&id),
                mail: id,
            };
            self.changed |= self.own_threads.note(mail);
        }
        for person in people {
            self.history.wrote_to(person, head.sent);
            self.changed = true;
        }
    }

    /// A message that was not known before came.
    pub(super) fn note_received(&mut self, item: &MessageRecord, sender: &str) {
        let Some(person) = &item.person else { return };
        self.history
            .received(&LearnedThing::Person(person.clone()), item.at);
        if let Some(list) = list_of(item) {
            self.history.received(&LearnedThing::Channel(list), item.at);
        }
        name_person(&mut self.people, person, sender);
    }

    /// The owner opened a mail that was known as unread.
    pub(super) fn note_read(&mut self, item: &MessageRecord) {
        if let Some(person) = &item.person {
            self.history.read(&LearnedThing::Person(person.clone()), item.at);
        }
    }

    /// Notes an own mail, and where it stands if it asks something: whoever does not answer it is waited for. It teaches nothing.
    pub(super) fn note_question(&mut self, own: &OwnMail) {
        let Some(mail) = own.mail.as_ref().filter(|_| own.certain) else {
            return;
        };
        let names_it = |item: &MessageRecord| item.thread.as_ref() == Some(mail);
        let answered = self.named_early.contains(mail) || self.window.items().iter().any(names_it);
        self.changed |= self.own_threads.note(OwnThread {
            mail: mail.clone(),
            at: own.at,
            to: own.to.first().cloned(),
            asks: own.asks,
            answered,
        });
        if let (true, Some(to), Some(locator)) = (own.asks, own.to.first(), own.locator) {
            self.changed |= self.places.note_asked(to, mail, own.at, locator);
        }
    }

    /// Others name these mails: of the owner's own they are answered.
    pub(super) fn note_named(&mut self, named: &[ItemId]) {
        self.changed |= self.own_threads.answer(named);
        if self.named_early.len() < NAMED_EARLY_MAX {
            self.named_early.extend(named.iter().cloned());
        }
    }

    /// The owner wrote a mail.
    pub(super) fn note_own_mail(&mut self, own: &OwnMail) {
        if !own.certain {
            return;
        }
        self.note_question(own);
        for person in &own.to {
            self.history.wrote_to(person.clone(), own.at);
        }
        let zone = self.setup.owner.zone;
        for id in own.answers.iter().filter(|id| !self.window.is_mail_answered(id)) {
            // Of an older one it is not learned how fast it was answered.
            let known = self.window.get_recent(id);
            let keys = match (known, own.to.first()) {
                (Some(item), _) => keys_of(item, zone),
                // What it answers is older than a day: its sender is whom it goes to.
                (None, Some(person)) => LabelKeys {
                    person: Some(person.clone()),
                    thread: None,
                    list: None,
                    hour: hour_of(own.at, zone),
                    class: MessageClass::NeedsYou,
                },
                (None, None) => continue,
            };
            let minutes = known.filter(|_| own.timed).map(|item| minutes(item.at, own.at));
            self.history.answered(keys, own.at, minutes);
        }
    }

    /// The owner wrote in a chat: an answer to the newest message there that waits for one.
    pub(super) fn note_own_message(&mut self, channel: &ChannelHash, at: Timestamp) {
        let Some(item) = self.window.newest_unanswered(channel, at) else {
            return;
        };
        let (keys, minutes) = (keys_of(item, self.setup.owner.zone), minutes(item.at, at));
        self.history.answered(keys, at, Some(minutes));
    }

    /// Carries out `comms.learn_from_act`.
    ///
    /// # Errors
    /// `not_found` for a message that is not known any more.
    pub(super) fn learn_from_act(
        &mut self,
        args: &LearnFromAct,
        at: Timestamp,
    ) -> Result<LearnResult, ToolErrorCode> {
        let zone = self.setup.owner.zone;
        let lesson = lesson(args, &self.window, at, zone)?;
        // Who dismisses the card of a message and then says that it was judged wrong has said one thing.
        let said_before = |keys: &LabelKeys, act: LabelAct| {
            let item = ItemId::parse(args.subject.as_str()).ok();
            item.and_then(|item| self.window.get(&item))
                .is_some_and(|item| act == LabelAct::Dismissed && self.history.is_taught(keys, act, item.at))
        };
        if let Some((keys, act)) = lesson.filter(|(keys, act)| !said_before(keys, *act)) {
            let label = TaughtLabel {
                at,
                keys,
                act,
                trace: Some(args.trace_id.clone()),
            };
            self.changed |= self.history.teach(label);
        }
        Ok(LearnResult {
            labels: self.history.labels(),
        })
    }

    /// Carries out `comms.list_learned`: what was learned, then whom the owner asked and who has not answered.
    pub(super) fn list_learned(&self, at: Timestamp) -> LearnedList {
        let mut list = self.history.list();
        let rows = self.own_threads.waiting(at).filter_map(|mail| {
            Some(LearnedRow {
                about: LearnedThing::Person(self.merged.first(mail.to.as_ref()?).clone()),
                class: MessageClass::Waiting,
                why: EvidenceCode::AsksQuestion,
                corrected: false,
                received: 0,
                answered: 0,
                // So far.
                minutes: Some(minutes(mail.at, at)),
                shift: 0,
            })
        });
        let mut waiting: Vec<LearnedRow> = Vec::new();
        for row in rows {
            if !waiting.iter().any(|known| known.about == row.about) {
                waiting.push(row);
            }
        }
        list.rows
            .truncate(ROWS_MAX.saturating_sub(waiting.len().min(WAITING_MAX)));
        list.rows.extend(waiting.into_iter().take(WAITING_MAX));
        list.let_through = self.let_through.list(&self.merged);
        list
    }

    /// Unlearns that a message was not for the owner: that was said when it was let go, then.
    pub(super) fn unlearn_refusal(&mut self, item: &ItemId, since: Timestamp) {
        if let Some(item) = self.window.get(item) {
            let keys = keys_of(item, self.setup.owner.zone);
            self.history.unteach(&keys, LabelAct::Dismissed, since);
        }
    }

    /// Unlearns that a card's mute was wanted: it was taken back before its end.
    pub(super) fn unlearn_mute(&mut self, channel: &ChannelHash, at: Timestamp) {
        let since = at.plus_ms(-1000 * i64::from(CARD_MUTE_SECONDS));
        self.changed |= self.history.unteach_mute(channel, since);
    }

    /// Carries out `comms.correct_learned`.
    pub(super) fn correct_learned(&mut self, args: &CorrectLearned, at: Timestamp) -> CorrectedLearned {
        self.history.correct(&args.about, args.class, at);
        self.changed = true;
        CorrectedLearned {
            about: args.about.clone(),
            class: args.class,
        }
    }

    /// Carries out `comms.reset_learned`.
    pub(super) fn reset_learned(&mut self, args: &ResetLearned) -> ResetResult {
        let removed = self.history.reset(args.about.as_ref());
        self.changed = true;
        ResetResult { removed }
    }
}

/// What an act on a card teaches; `None`: nothing.
fn lesson(
    args: &LearnFromAct,
    window: &MessageWindow,
    at: Timestamp,
    zone: Tz,
) -> Result<Option<(LabelKeys, LabelAct)>, ToolErrorCode> {
    let act = match (args.kind, args.act) {
        (ActionKind::MuteGroup30, TeachingAct::Confirmed) => LabelAct::Muted,
        // That a mute was not wanted, or was, says nothing about what else to show of the chat.
        (
            ActionKind::MuteGroup30,
            TeachingAct::Useful | TeachingAct::Dismissed | TeachingAct::Edited | TeachingAct::NotAbout,
        ) => return Ok(None),
        (
            ActionKind::BatchDigest
            | ActionKind::DraftReply
            | ActionKind::Breathe478
            | ActionKind::Nap15
            | ActionKind::PermitLeisure
            | ActionKind::ShowBrief
            | ActionKind::LeaveByAlert
            | ActionKind::PrepareMeeting
            | ActionKind::CategorizeTxn
            | ActionKind::SurfaceAnomaly
            | ActionKind::ProjectBalance
            | ActionKind::DeclineEvent,
            act,
        ) => act.into(),
    };
    let keys = if let Ok(item) = ItemId::parse(args.subject.as_str()) {
        keys_of(window.get(&item).ok_or(ToolErrorCode::NotFound)?, zone)
    } else if let Ok(channel) = ChannelHash::parse(args.subject.as_str()) {
        keys_of_channel(&channel, at, zone)
    } else {
        return Ok(None);
    };
    Ok(Some((keys, act)))
}

/// Remembers what somebody is called, as long as this runs.
pub(super) fn name_person(names: &mut BTreeMap<PersonHash, String>, person: &PersonHash, name: &str) {
    if names.len() >= NAMES_MAX && !names.contains_key(person) {
        names.pop_first();
    }
    names.insert(person.clone(), name.to_owned());
}

fn minutes(from: Timestamp, to: Timestamp) -> u32 {
    u32::try_from(to.since(from) / 60_000).unwrap_or(0)
}

/// What the history has to say of what a candidate is about: how much it moves the confidence, and why.
pub(super) fn judged_subject(
    history: &SenderHistory,
    window: &MessageWindow,
    subject: &Subject,
    at: Timestamp,
    zone: Tz,
) -> (i32, Vec<EvidenceCode>) {
    let item = ItemId::parse(subject.as_str())
        .ok()
        .and_then(|id| window.get(&id));
    let channel = || ChannelHash::parse(subject.as_str()).ok();
    let keys = match item {
        Some(item) => Some(keys_of(item, zone)),
        None => channel().map(|channel| keys_of_channel(&channel, at, zone)),
    };
    keys.map_or((0, Vec::new()), |keys| {
        (history.shift(&keys), evidence_of(history, &keys))
    })
}
