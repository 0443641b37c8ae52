//! What senders and chats are called, after a restart too.
//!
//! What: [`NamePlaces`], where the names of people and chats stand; the reading of names that are not in memory from where they stand. Why: no
//! name is kept, and yet the owner is told who waits. Not here: what is named (`model`, `history`), names that are read with their message
//! (`reading`).
//!
//! A name counts only when the message at its place still has the id that is asked for: a mailbox may have been compacted, a file replaced. What
//! moved is read again by the next ingest, which finds its new place. What was posted has no place: its chat is called by its program.

use super::{
    CommsAgent,
    contacts::phone_number,
    learning::name_person,
    record::MessageRecord,
    sources::jsonl::{self, SignalMessage},
};
use agents_base::{
    mail::{
        LocatedSender, bytes_beside_fetched, gone_of_fetched, look_at_fetched, look_at_fetched_again,
        mail_paths_of, sender_at,
    },
    shared::{SourceLocator, paths_of, read_signal_at},
};
use serde::{Deserialize, Serialize};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs::File,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};
use toolcall_schema::{
    Timestamp,
    catalogue::{
        correspondent::PROGRAM_CHAT,
        learning::LearnedThing,
        shared::{DisplayLabel, ThingId, ThingNames},
    },
    forget::ErasureScope,
    ids::{AppHash, ChannelHash, ItemId, PersonHash, SecretKey},
};

/// People and chats whose names' places are kept; beyond it those who were silent longest go.
pub(super) const PLACES_MAX: usize = 512;
/// Paths of mails that are known at most; past it they are looked for anew.
const PATHS_MAX: usize = 4096;

/// Programs that post messages, and what people call them.
const PROGRAMS: [(&str, &str); 20] = [
    ("com.whatsapp", "WhatsApp"),
    ("com.whatsapp.w4b", "WhatsApp"),
    ("org.telegram.messenger", "Telegram"),
    ("org.thoughtcrime.securesms", "Signal"),
    ("com.discord", "Discord"),
    ("com.slack", "Slack"),
    ("com.Slack", "Slack"),
    ("com.microsoft.teams", "Teams"),
    ("com.facebook.orca", "Messenger"),
    ("com.instagram.android", "Instagram"),
    ("com.google.android.apps.messaging", "Messages"),
    ("com.google.android.apps.dynamite", "Google Chat"),
    ("com.google.android.gm", "Gmail"),
    ("com.apple.MobileSMS", "Messages"),
    ("com.samsung.android.messaging", "Messages"),
    ("im.vector.app", "Element"),
    ("ch.threema.app", "Threema"),
    ("com.viber.voip", "Viber"),
    ("jp.naver.line.android", "LINE"),
    ("com.tencent.mm", "WeChat"),
];

/// The file of a locator. It may have been replaced since its folder was looked at.
fn open_same(path: &Path, locator: SourceLocator) -> Option<File> {
    let file = File::open(path).ok()?;
    let is_it = |inode: u64| inode == locator.inode() || locator.as_fetched().is_some();
    let same = file
        .metadata()
        .is_ok_and(|meta| is_it(meta.ino()) && meta.is_file());
    same.then_some(file)
}

/// What people call the program of that keyed hash; `None`: it is none of those that people know.
pub fn program_name(key: &SecretKey, app: &AppHash) -> Option<&'static str> {
    let known = PROGRAMS.iter().find(|(id, _)| key.app(id) == *app)?;
    Some(known.1)
}

/// Where somebody's or a chat's name stands: whose, in which message, when that was sent, where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct NamePlace(LearnedThing, ItemId, i64, SourceLocator);

/// The newest message of each of those who wrote last.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct NamePlaces(Vec<NamePlace>);

impl NamePlaces {
    /// Notes where the names of a message stand.
    pub(super) fn note(&mut self, item: &MessageRecord) {
        let Some(locator) = item.locator else { return };
        let chat = (!item.mail).then(|| LearnedThing::Channel(item.channel.clone()));
        let person = item.person.clone().map(LearnedThing::Person);
        for thing in person.into_iter().chain(chat) {
            let place = NamePlace(thing, item.item_id.clone(), item.at.ms(), locator);
            match self.0.iter_mut().find(|known| known.0 == place.0) {
                Some(known) if known.2 > place.2 => {}
                Some(known) => *known = place,
                None => self.0.push(place),
            }
        }
        self.let_oldest_go();
    }

    fn let_oldest_go(&mut self) {
        while self.0.len() > PLACES_MAX {
            let oldest = self.0.iter().enumerate().min_by_key(|(_, known)| known.2);
            let Some(oldest) = oldest.map(|(place, _)| place) else {
                break;
            };
            self.0.swap_remove(oldest);
        }
    }

    /// Notes where the name of somebody stands whom the owner asked something; whoever wrote is named there instead. False: nothing new.
    pub(super) fn note_asked(
        &mut self,
        person: &PersonHash,
        mail: &ItemId,
        at: Timestamp,
        locator: SourceLocator,
    ) -> bool {
        let thing = LearnedThing::Person(person.clone());
        let place = NamePlace(thing, mail.clone(), at.ms(), locator);
        match self.0.iter_mut().find(|known| known.0 == place.0) {
            Some(known) if known.1 != place.1 || *known == place => return false,
            Some(known) => *known = place,
            None => self.0.push(place),
        }
        self.let_oldest_go();
        true
    }

    /// When each message was sent, and where it stands.
    pub(super) fn locators(&self) -> impl Iterator<Item = (i64, Option<SourceLocator>)> {
        self.0
            .iter()
            .map(|NamePlace(_, _, ms, locator)| (*ms, Some(*locator)))
    }

    fn get(&self, thing: &LearnedThing) -> Option<(SourceLocator, &ItemId)> {
        let known = self.0.iter().find(|known| known.0 == *thing)?;
        Some((known.3, &known.1))
    }

    /// Removes what the owner wants forgotten; `gone`: the messages that went with it.
    pub(super) fn forget(&mut self, what: &ErasureScope, gone: &[MessageRecord]) {
        self.0.retain(|NamePlace(thing, item, ms, _)| {
            !what.covers_thing(thing.as_str())
                && !what.covers_thing(item.as_str())
                && !what.covers_time(Timestamp::from_ms(*ms))
                && !gone.iter().any(|record| record.item_id == *item)
        });
    }
}

impl CommsAgent {
    /// Reads the names of these that are not in memory, where they still stand.
    pub(super) fn read_names(&mut self, ids: &[ThingId]) {
        self.read_contacts_early();
        self.name_folders();
        let wanted: BTreeMap<SourceLocator, ItemId> = ids
            .iter()
            .filter_map(|id| self.place_of_name(id))
            .map(|(locator, item)| (locator, item.clone()))
            .collect();
        if wanted.is_empty() {
            return;
        }
        self.read_places(wanted);
        self.read_fetched_names(ids);
    }

    /// Names who sent what stands at these places.
    pub(super) fn read_places(&mut self, wanted: BTreeMap<SourceLocator, ItemId>) {
        let places: BTreeSet<SourceLocator> = wanted.keys().copied().collect();
        let mut mails: BTreeMap<SourceLocator, PathBuf> = BTreeMap::new();
        for source in &self.setup.sources.mail {
            mails.extend(mail_paths_of(&places, source));
        }
        let inodes: BTreeSet<u64> = places.iter().map(|locator| locator.inode()).collect();
        let mut lines: BTreeMap<u64, PathBuf> = BTreeMap::new();
        for source in &self.setup.sources.notifications {
            lines.extend(paths_of(&inodes, source, &|_| false));
        }
        for (locator, item) in wanted {
            let open = |path: Option<&PathBuf>| open_same(path?, locator);
            if let Some(file) = open(mails.get(&locator)) {
                self.read_mail_name(file, locator.offset(), &item);
            }
            if let Some(file) = open(lines.get(&locator.inode())) {
                self.read_signal_names(file, locator.offset(), &item);
            }
        }
    }

    /// Reads the names that are not known yet among mail that was fetched from a server: it lies elsewhere after each start.
    fn read_fetched_names(&mut self, ids: &[ThingId]) {
        self.seek_anew();
        let left = ids.iter().filter_map(|id| self.place_of_name(id));
        let mut left: BTreeSet<ItemId> = left.map(|(_, item)| item.clone()).collect();
        left.retain(|item| !self.not_fetched.contains(item));
        let left = self.find_fetched(left);
        // They are not sought again before there is other mail.
        self.not_fetched.extend(left);
    }

    /// What was sought in vain is sought again where there is more than there was then.
    fn seek_anew(&mut self) {
        let sources = self.setup.sources.mail.iter();
        let beside = sources.map(|source| bytes_beside_fetched(source)).sum();
        if std::mem::replace(&mut self.beside_fetched, beside) != beside {
            self.not_fetched.clear();
        }
    }

    /// Names who sent these among mail that was fetched from servers, and returns those that are not there.
    fn find_fetched(&mut self, mut left: BTreeSet<ItemId>) -> BTreeSet<ItemId> {
        let mut found = Vec::new();
        for source in &self.setup.sources.mail {
            if left.is_empty() {
                break;
            }
            look_at_fetched(source, &mut |mail| {
                let item = self.mail_item(mail.message_id.as_deref().unwrap_or(&mail.content));
                if left.remove(&item) {
                    found.push((item, mail));
                }
                !left.is_empty()
            });
        }
        for (item, mail) in found {
            self.name_people(&item, mail);
        }
        left
    }

    /// The Message-ID of a mail that lies where it was read; it is kept nowhere.
    pub(super) fn message_id(&self, item: &ItemId) -> Option<DisplayLabel> {
        let record = self.window.get(item).filter(|record| record.mail)?;
        let locator = record.locator?;
        let places = BTreeSet::from([locator]);
        let sources = &self.setup.sources.mail;
        let mut paths = sources
            .iter()
            .filter_map(|source| mail_paths_of(&places, source).remove(&locator));
        let file = paths.next().and_then(|path| open_same(&path, locator));
        let there = file.and_then(|file| sender_at(file, locator.offset())?.message_id);
        let id = there
            .filter(|id| self.mail_item(id) == *item)
            .or_else(|| self.fetched_message_id(item))?;
        // A longer one is nobody's link; one that is cut would be of another mail.
        DisplayLabel::parse(&id).ok()
    }

    /// The address that a mail was written from: from memory, else from where the mail lies. It is kept nowhere.
    pub(super) fn sender_address(&mut self, item: &ItemId) -> Option<DisplayLabel> {
        let record = self.window.get(item).filter(|record| record.mail)?;
        let (person, locator) = (record.person.clone()?, record.locator);
        if !self.written_from.contains_key(&person)
            && let Some(locator) = locator
        {
            self.read_places(BTreeMap::from([(locator, item.clone())]));
        }
        if !self.written_from.contains_key(&person) && !self.not_fetched.contains(item) {
            let left = self.find_fetched(BTreeSet::from([item.clone()]));
            self.not_fetched.extend(left);
        }
        DisplayLabel::parse(self.written_from.get(&person)?).ok()
    }

    /// Mails that lie no longer where they were read: their file is gone, or their server said since the start that they went.
    pub(super) fn gone_mails(&mut self, ids: &[ThingId]) -> Vec<ItemId> {
        let place = |id: &ThingId| {
            let ThingId::Item(item) = id else { return None };
            let record = self.window.get(item).filter(|record| record.mail)?;
            Some((record.locator?, item.clone()))
        };
        let places = ids.iter().filter_map(place);
        let (fetched, files) = places.partition(|(locator, _)| locator.as_fetched().is_some());
        let mut gone = self.gone_files(files);
        gone.extend(self.gone_from_servers(&fetched));
        gone
    }

    /// Those that went from their server and lie in no other of its folders.
    pub(super) fn gone_from_servers(&mut self, places: &[(SourceLocator, ItemId)]) -> BTreeSet<ItemId> {
        if places.iter().all(|(locator, _)| locator.as_fetched().is_none()) {
            return BTreeSet::new();
        }
        self.seek_anew();
        let sources = self.setup.sources.mail.iter();
        let gone: BTreeSet<(u64, u32)> = sources.flat_map(|source| gone_of_fetched(source)).collect();
        let went = places
            .iter()
            .filter(|(locator, _)| locator.as_fetched().is_some_and(|place| gone.contains(&place)));
        let (mut nowhere, unknown): (BTreeSet<ItemId>, BTreeSet<ItemId>) = went
            .map(|(_, item)| item.clone())
            .partition(|item| self.not_fetched.contains(item));
        let left = self.find_fetched(unknown);
        self.not_fetched.extend(left.iter().cloned());
        nowhere.extend(left);
        nowhere
    }

    fn gone_files(&mut self, places: Vec<(SourceLocator, ItemId)>) -> Vec<ItemId> {
        if places.is_empty() {
            return Vec::new();
        }
        let mut gone: Vec<_> = places
            .into_iter()
            .filter(|place| !self.lies_at_last(place))
            .collect();
        if gone.is_empty() {
            return Vec::new();
        }
        let wanted: BTreeSet<SourceLocator> = gone.iter().map(|(locator, _)| *locator).collect();
        if self.last_paths.len() + wanted.len() > PATHS_MAX {
            self.last_paths.clear();
        }
        for source in &self.setup.sources.mail {
            self.last_paths.extend(mail_paths_of(&wanted, source));
        }
        gone.retain(|place| !self.lies_at_last(place));
        gone.into_iter().map(|(_, item)| item).collect()
    }

    /// Whether a mail lies where it lay when it was looked for last.
    fn lies_at_last(&self, (locator, item): &(SourceLocator, ItemId)) -> bool {
        let file = self
            .last_paths
            .get(locator)
            .and_then(|path| open_same(path, *locator));
        let found = file.and_then(|file| sender_at(file, locator.offset()));
        found.is_some_and(|found| {
            self.mail_item(found.message_id.as_deref().unwrap_or(&found.content)) == *item
        })
    }

    /// The Message-ID of a mail that was asked for again.
    fn fetched_message_id(&self, item: &ItemId) -> Option<String> {
        let mut found = None;
        for source in &self.setup.sources.mail {
            let is_more = look_at_fetched_again(source, &mut |mail| {
                found = mail.message_id.filter(|id| self.mail_item(id) == *item);
                found.is_none()
            });
            if !is_more {
                break;
            }
        }
        found
    }

    /// What these are called, as far as it is in memory: people as the owner's contacts call them, else as they call themselves.
    pub(super) fn names_of<'a>(&self, ids: &'a [ThingId]) -> BTreeMap<&'a ThingId, String> {
        let name = |id: &ThingId| match id {
            ThingId::Item(item) => self.sender_name(item),
            ThingId::Channel(channel) => match self.channels.get(channel) {
                // A chat with a number is called as the contacts call whose it is.
                Some(name) => self.contact_of_number(name).or_else(|| Some(name.clone())),
                None => self.by_program(channel),
            },
            ThingId::Person(person) => self.person_name(person),
            ThingId::Event(_) | ThingId::Txn(_) | ThingId::Merchant(_) => None,
        };
        ids.iter().filter_map(|id| Some((id, name(id)?))).collect()
    }

    /// What messages, people and chats are called that are known here, as far as it is in memory.
    pub(super) fn known_names(&self) -> ThingNames {
        let mut people: BTreeSet<&PersonHash> = self.history.people().collect();
        people.extend(self.window.all_items().filter_map(|item| item.person.as_ref()));
        let senders = self.senders.iter().filter(|(item, _)| self.window.knows(item));
        let channels = self
            .channels
            .iter()
            .filter(|(channel, _)| self.knows_channel(channel));
        let people = self.people.iter().filter(|(person, _)| people.contains(person));
        let senders = senders.map(|(item, name)| (ThingId::Item(item.clone()), name));
        let channels = channels.map(|(channel, name)| (ThingId::Channel(channel.clone()), name));
        let people = people.map(|(person, name)| (ThingId::Person(person.clone()), name));
        let all = senders.chain(channels).chain(people);
        all.map(|(thing, name)| (thing, name.clone())).collect()
    }

    /// Takes up what is called how.
    pub(super) fn take_known_names(&mut self, names: ThingNames) {
        for (thing, name) in names {
            match thing {
                ThingId::Item(item) => drop(self.senders.insert(item, name)),
                ThingId::Channel(channel) => drop(self.channels.insert(channel, name)),
                ThingId::Person(person) => name_person(&mut self.people, &person, &name),
                ThingId::Event(_) | ThingId::Txn(_) | ThingId::Merchant(_) => {}
            }
        }
    }

    /// Whether there are messages of a chat, or something is kept of earlier ones.
    fn knows_channel(&self, channel: &ChannelHash) -> bool {
        let about = LearnedThing::Channel(channel.clone());
        self.window.has_channel(channel) || self.history.counted_of(&about).is_some()
    }

    /// Drops the names of chats of which nothing is kept any more.
    pub(super) fn let_channels_go(&mut self) {
        let mut channels = std::mem::take(&mut self.channels);
        channels.retain(|channel, _| self.knows_channel(channel));
        self.channels = channels;
    }

    /// What the sender of a message is called.
    pub(super) fn sender_name(&self, item: &ItemId) -> Option<String> {
        let person = self.window.get(item).and_then(|known| known.person.as_ref());
        let contact = person.and_then(|person| self.contacts.name(person));
        let name = contact.or_else(|| self.senders.get(item).map(String::as_str));
        name.map(str::to_owned)
    }

    /// What somebody is called, at any of their addresses; at this one first, where contacts do not name them.
    fn person_name(&self, person: &PersonHash) -> Option<String> {
        let name = self.contact_name(person).or_else(|| {
            let mut all = std::iter::once(person).chain(self.merged.all(person));
            all.find_map(|one| self.people.get(one).map(String::as_str))
        });
        name.map(str::to_owned)
    }

    /// What the owner's contacts call somebody, at any of their addresses.
    fn contact_name(&self, person: &PersonHash) -> Option<&str> {
        self.merged.all(person).find_map(|one| self.contacts.name(one))
    }

    pub(super) fn contact_of_number(&self, text: &str) -> Option<String> {
        let person = self.hashes.person(&self.setup.key, &phone_number(text)?);
        self.contacts.name(&person).map(str::to_owned)
    }

    /// Folders of mail are called as they are configured.
    fn name_folders(&mut self) {
        for source in &self.setup.sources.mail {
            let name = super::reading::channel_of_folder(source);
            let channel = self.hashes.channel(&self.setup.key, &name);
            self.channels.entry(channel).or_insert(name);
        }
    }

    /// Where a name stands that is not in memory.
    fn place_of_name(&self, id: &ThingId) -> Option<(SourceLocator, &ItemId)> {
        match id {
            ThingId::Item(item) if self.sender_name(item).is_none() => {
                let known = self.window.get(item)?;
                Some((known.locator?, &known.item_id))
            }
            ThingId::Person(person)
                if self.contact_name(person).is_none() && !self.people.contains_key(person) =>
            {
                let mut all = std::iter::once(person).chain(self.merged.all(person));
                all.find_map(|one| self.place_of_person(one))
            }
            ThingId::Channel(channel) if !self.channels.contains_key(channel) => self
                .newest_place(&|item| item.channel == *channel && !item.mail)
                .or_else(|| self.places.get(&LearnedThing::Channel(channel.clone()))),
            ThingId::Item(_)
            | ThingId::Person(_)
            | ThingId::Channel(_)
            | ThingId::Event(_)
            | ThingId::Txn(_)
            | ThingId::Merchant(_) => None,
        }
    }

    /// Where somebody's address stands, whether their name is known or not.
    pub(super) fn place_of_mail(&self, id: &ThingId) -> Option<(SourceLocator, &ItemId)> {
        match id {
            ThingId::Item(item) => {
                let known = self.window.get(item)?;
                Some((known.locator?, &known.item_id))
            }
            ThingId::Person(person) => self.place_of_person(person),
            ThingId::Channel(_) | ThingId::Event(_) | ThingId::Txn(_) | ThingId::Merchant(_) => None,
        }
    }

    fn place_of_person(&self, person: &PersonHash) -> Option<(SourceLocator, &ItemId)> {
        self.newest_place(&|item| item.person.as_ref() == Some(person))
            .or_else(|| self.places.get(&LearnedThing::Person(person.clone())))
    }

    fn newest_place(&self, is: &dyn Fn(&MessageRecord) -> bool) -> Option<(SourceLocator, &ItemId)> {
        let mut items = self.window.all_items().rev();
        items.find_map(|item| Some((item.locator.filter(|_| is(item))?, &item.item_id)))
    }

    fn read_mail_name(&mut self, file: File, offset: u64, item: &ItemId) {
        let Some(found) = sender_at(file, offset) else {
            return;
        };
        let id = found.message_id.as_deref().unwrap_or(&found.content);
        if self.mail_item(id) == *item {
            self.name_people(item, found);
        }
    }

    /// Names the sender of a mail; of a mail of the owner's own, those it went to who are not named yet.
    fn name_people(&mut self, item: &ItemId, found: LocatedSender) {
        if !self.addresses.contains(&found.from) {
            return self.name_mail_sender(item, &found.from, found.sender);
        }
        for (address, name) in found.to {
            let person = self.hashes.person(&self.setup.key, &address);
            if !self.addresses.contains(&address) && !self.people.contains_key(&person) {
                name_person(&mut self.people, &person, &name);
            }
        }
    }

    fn read_signal_names(&mut self, file: File, offset: u64, item: &ItemId) {
        let Some(signal) = read_signal_at(file, offset) else {
            return;
        };
        match jsonl::message(&signal) {
            Ok(SignalMessage::Notification(notification))
                if self.setup.key.item(signal.id.as_str()) == *item =>
            {
                let ids = self.ids_of(&notification);
                self.channels.insert(ids.channel, notification.chat().to_owned());
                self.name_sender(item, &ids.person, notification.sender);
            }
            Ok(SignalMessage::Mail(mail)) => {
                let id = mail.message_id.as_deref().unwrap_or(signal.id.as_str());
                if self.mail_item(id) == *item {
                    self.name_mail_sender(item, &mail.from, mail.sender.clone());
                }
            }
            Ok(SignalMessage::Notification(_)) | Err(_) => {}
        }
    }

    fn name_mail_sender(&mut self, item: &ItemId, from: &str, sender: String) {
        let person = self.hashes.person(&self.setup.key, from);
        if from.contains('@') {
            name_person(&mut self.written_from, &person, from);
        }
        self.name_sender(item, &person, sender);
    }

    fn name_sender(&mut self, item: &ItemId, person: &PersonHash, sender: String) {
        name_person(&mut self.people, person, &sender);
        if self.window.knows(item) {
            self.senders.insert(item.clone(), sender);
        }
    }

    /// What a chat without a name is called: by the program that posts its messages, if that is one of those that people know.
    pub(super) fn by_program(&self, channel: &ChannelHash) -> Option<String> {
        let mut items = self.window.all_items().rev();
        let app = items.find(|item| item.channel == *channel)?.app.as_ref()?;
        Some(format!("{}{PROGRAM_CHAT}", self.program_of(app)?))
    }

    /// What people call a program, if it is one of those that they know.
    pub(super) fn program_of(&self, app: &AppHash) -> Option<&'static str> {
        let mut known = PROGRAMS.iter();
        let known = known.find(|(id, _)| self.hashes.app(&self.setup.key, id) == *app)?;
        Some(known.1)
    }
}
