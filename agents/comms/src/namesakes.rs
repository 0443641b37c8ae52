//! One name in two programs.
//!
//! What: [`Namesakes`], through which program each sender and each chat of a name came first. Why: a notification tells of its sender a name, which
//! whoever writes may choose: who takes the name of somebody known in another program is not taken for them, and a chat that is muted in one program is
//! heard in another. Not here: names (`names`), who is one person all the same (`same_person`, `contacts`).

use super::{CommsAgent, MessageRecord, contacts::phone_number, reading::sender_key};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use toolcall_schema::{
    catalogue::learning::LearnedThing,
    forget::ErasureScope,
    ids::{AppHash, ChannelHash, PersonHash},
    signal::NotificationData,
};

/// Senders and chats at most. Whoever comes after is known by the name alone.
const MOST: usize = 4000;

/// Who came first under a name keeps the hash of the name; under the same name in another program they have one of that program.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    from = "BTreeMap<AppHash, Vec<LearnedThing>>",
    into = "BTreeMap<AppHash, Vec<LearnedThing>>"
)]
pub(crate) struct Namesakes(BTreeMap<LearnedThing, AppHash>);

impl Namesakes {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Through which program who has the hash of a name came first.
    fn program(&self, thing: &LearnedThing) -> Option<&AppHash> {
        self.0.get(thing)
    }

    /// Notes who came first under a name: neither those who came after nor, beyond [`MOST`], anybody.
    pub(super) fn note(&mut self, thing: LearnedThing, app: &AppHash) {
        if self.0.len() < MOST {
            self.0.entry(thing).or_insert_with(|| app.clone());
        }
    }

    /// Where there is no room for another, lets those go of whom nothing else is kept.
    pub(super) fn make_room(&mut self, is_kept: impl Fn(&LearnedThing) -> bool) {
        if self.0.len() >= MOST {
            self.0.retain(|thing, _| is_kept(thing));
        }
    }

    pub(crate) fn forget(&mut self, what: &ErasureScope) {
        self.0.retain(|thing, app| {
            !what.is_everything() && !what.covers_thing(thing.as_str()) && !what.covers_thing(app.as_str())
        });
    }
}

impl From<BTreeMap<AppHash, Vec<LearnedThing>>> for Namesakes {
    fn from(rows: BTreeMap<AppHash, Vec<LearnedThing>>) -> Self {
        let of_program = |(app, things): (AppHash, Vec<LearnedThing>)| {
            things.into_iter().map(move |thing| (thing, app.clone()))
        };
        Self(rows.into_iter().flat_map(of_program).collect())
    }
}

impl From<Namesakes> for BTreeMap<AppHash, Vec<LearnedThing>> {
    fn from(first: Namesakes) -> Self {
        let mut rows: Self = BTreeMap::new();
        for (thing, app) in first.0 {
            rows.entry(app).or_default().push(thing);
        }
        rows
    }
}

/// Who wrote a notification and in which chat.
pub(super) struct NotificationIds {
    pub(super) app: AppHash,
    pub(super) channel: ChannelHash,
    pub(super) person: PersonHash,
}

impl CommsAgent {
    /// Who wrote, and in which chat: by the name alone for those who came first under it, else by program and name. A number is whose it is in
    /// every program.
    pub(super) fn ids_of(&self, notification: &NotificationData) -> NotificationIds {
        let app = self.hashes.app(&self.setup.key, &notification.app);
        let chat = notification.chat();
        let sender = sender_key(&notification.sender);
        let channel = |name: &str| self.hashes.channel(&self.setup.key, name);
        let person = |name: &str| self.hashes.person(&self.setup.key, name);
        let within = |name: &str| self.within_program(notification, &app, name);
        let is_chat_taken =
            phone_number(chat).is_none() && self.is_taken(LearnedThing::Channel(channel(chat)), &app);
        let is_sender_taken =
            phone_number(&sender).is_none() && self.is_taken(LearnedThing::Person(person(&sender)), &app);
        NotificationIds {
            channel: channel(&if is_chat_taken {
                within(chat)
            } else {
                chat.to_owned()
            }),
            person: person(&if is_sender_taken { within(&sender) } else { sender }),
            app,
        }
    }

    /// Whether a name came first through another program. Where it never came, it comes through this one first.
    fn is_taken(&self, thing: LearnedThing, app: &AppHash) -> bool {
        let mut namesakes = self.namesakes.borrow_mut();
        if let Some(first) = namesakes.program(&thing) {
            return first != app && !self.is_one_program(first, app);
        }
        namesakes.make_room(|thing| self.is_kept(thing));
        namesakes.note(thing, app);
        false
    }

    /// Whether people call both by one name: the program on the phone and the one on the desk.
    fn is_one_program(&self, one: &AppHash, other: &AppHash) -> bool {
        let [one, other] = [one, other].map(|app| self.program_of(app));
        one.is_some() && one == other
    }

    /// A name as that of a program alone.
    fn within_program(&self, notification: &NotificationData, app: &AppHash, name: &str) -> String {
        let program = self.program_of(app).unwrap_or(&notification.app);
        format!("{program}\0{name}")
    }

    /// Whether there are messages of somebody or of a chat, or something is kept of earlier ones.
    fn is_kept(&self, thing: &LearnedThing) -> bool {
        let is_in = |item: &MessageRecord| match thing {
            LearnedThing::Person(person) => item.person.as_ref() == Some(person),
            LearnedThing::Channel(channel) => item.channel == *channel,
        };
        self.window.all_items().any(is_in) || self.history.counted_of(thing).is_some()
    }

    /// Takes those of whom there are messages as the first under their names: a state of before says nothing of it.
    pub(super) fn namesakes_from_window(&self) -> Namesakes {
        let mut first = Namesakes::default();
        for item in self.window.all_items() {
            let Some(app) = &item.app else { continue };
            first.note(LearnedThing::Channel(item.channel.clone()), app);
            if let Some(person) = &item.person {
                first.note(LearnedThing::Person(person.clone()), app);
            }
        }
        first
    }
}
