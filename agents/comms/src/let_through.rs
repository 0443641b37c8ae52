//! Whom the owner always lets through.
//!
//! What: [`LetThroughRules`], the people and chats, and `comms.let_through`. Why: the owner's own word, kept as ids alone, bounded, and gone with
//! whom it names. Not here: which messages it marks (`tick`), what a mark is worth (the machine), what was learned (`history`).

use super::{CommsAgent, MessageRecord, contacts::MergedPeople, reading::channel_of_folder};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeSet, path::Path};
use toolcall_schema::{
    catalogue::{
        correspondent::{LET_THROUGH_MAX, LetThrough},
        learning::LearnedThing,
    },
    forget::ErasureScope,
    ids::{ChannelHash, PersonHash},
    result::ToolErrorCode,
};

/// People, by the address that was named, and chats.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct LetThroughRules(BTreeSet<LearnedThing>);

impl LetThroughRules {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The people whom it names.
    pub(super) fn people(&self) -> impl Iterator<Item = &PersonHash> {
        self.0.iter().filter_map(|about| match about {
            LearnedThing::Person(person) => Some(person),
            LearnedThing::Channel(_) => None,
        })
    }

    /// Whether a chat is let through, or a person at any of their addresses.
    pub(super) fn names(&self, about: &LearnedThing, merged: &MergedPeople) -> bool {
        match about {
            LearnedThing::Person(person) => merged
                .all(person)
                .any(|one| self.0.contains(&LearnedThing::Person(one.clone()))),
            LearnedThing::Channel(_) => self.0.contains(about),
        }
    }

    /// Whether a message is let through by its sender or its chat. What came through a list, or whose sender did not send it, never is.
    pub(super) fn lets(&self, item: &MessageRecord, merged: &MergedPeople) -> bool {
        if self.is_empty() || item.list.is_some() || item.forged {
            return false;
        }
        let sender = item.person.clone().map(LearnedThing::Person);
        let chat = (!item.mail).then(|| LearnedThing::Channel(item.channel.clone()));
        sender.iter().chain(&chat).any(|about| self.names(about, merged))
    }

    /// Whom the owner sees, each person once.
    pub(super) fn list(&self, merged: &MergedPeople) -> Vec<LearnedThing> {
        let firsts: BTreeSet<LearnedThing> = self
            .0
            .iter()
            .map(|about| match about {
                LearnedThing::Person(person) => LearnedThing::Person(merged.first(person).clone()),
                LearnedThing::Channel(_) => about.clone(),
            })
            .collect();
        firsts.into_iter().take(LET_THROUGH_MAX).collect()
    }

    /// Removes whom the owner wants forgotten.
    pub(crate) fn forget(&mut self, what: &ErasureScope) {
        self.0
            .retain(|about| !what.is_everything() && !what.covers_thing(about.as_str()));
    }

    fn remove(&mut self, about: &LearnedThing, merged: &MergedPeople) {
        match about {
            LearnedThing::Person(person) => {
                for one in merged.all(person) {
                    self.0.remove(&LearnedThing::Person(one.clone()));
                }
            }
            LearnedThing::Channel(_) => {
                self.0.remove(about);
            }
        }
    }
}

impl CommsAgent {
    /// Carries out `comms.let_through`.
    ///
    /// # Errors
    /// `not_found` for a list or a folder of mail, `unavailable` when as many are let through as may be.
    pub(super) fn let_through(&mut self, args: &LetThrough) -> Result<LetThrough, ToolErrorCode> {
        // Who is one person at several addresses is read with them.
        self.read_contacts_early();
        if args.always {
            if !self.may_be_let_through(&args.about) {
                return Err(ToolErrorCode::NotFound);
            }
            if !self.let_through.names(&args.about, &self.merged) {
                if self.let_through.0.len() >= LET_THROUGH_MAX {
                    return Err(ToolErrorCode::Unavailable);
                }
                self.let_through.0.insert(args.about.clone());
                self.changed = true;
            }
        } else {
            self.let_through.remove(&args.about, &self.merged);
            self.changed = true;
        }
        Ok(args.clone())
    }

    /// Whether somebody is let through; `None`: it is a list or a folder of mail, as far as that is known.
    pub(super) fn is_let_through(&self, about: &LearnedThing) -> Option<bool> {
        self.may_be_let_through(about)
            .then(|| self.let_through.names(about, &self.merged))
    }

    fn may_be_let_through(&self, about: &LearnedThing) -> bool {
        match about {
            LearnedThing::Person(_) => true,
            LearnedThing::Channel(channel) => !self.is_mail_place(channel),
        }
    }

    /// Whether it is a folder of mail or a mailing list, as far as the configuration and the last day tell.
    fn is_mail_place(&self, channel: &ChannelHash) -> bool {
        let holds = |item: &MessageRecord| {
            item.mail && (item.channel == *channel || item.list.as_ref() == Some(channel))
        };
        self.is_mail_folder(channel) || self.window.all_items().any(holds)
    }

    /// Whether it is one of the configured folders of mail.
    pub(super) fn is_mail_folder(&self, channel: &ChannelHash) -> bool {
        let is_it =
            |source: &Path| self.hashes.channel(&self.setup.key, &channel_of_folder(source)) == *channel;
        let mut folders = self.setup.sources.mail.iter();
        folders.any(|source| is_it(source.as_path()))
    }
}
