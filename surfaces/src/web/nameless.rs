//! What one is called whom nobody names, where no message stands beside them.
//!
//! What: [`named_by_place`]. Why: a mute and an act know only whose they are; by the chat where somebody writes they are called as everywhere else. Not here: the
//! words (`render::section::people`), names that somebody gave (the agents).

use super::{error::WebError, state::AppState};
use crate::render::section::people::{known_name, places, thing_of};
use std::collections::BTreeSet;
use surfaces_base::{backend::DisplayNames, words};
use toolcall_schema::catalogue::{learning::LearnedThing, shared::ThingId};

/// So many are looked up for one page.
const LOOKED_UP_MAX: usize = 16;

/// The names, with *Somebody in …* for each person, and each sender of a message, whom they do not name.
pub(super) async fn named_by_place(
    app: &AppState,
    names: DisplayNames,
    things: impl IntoIterator<Item = ThingId>,
) -> Result<DisplayNames, WebError> {
    let mut called = Vec::new();
    let nameless: BTreeSet<ThingId> = things.into_iter().collect();
    for thing in nameless {
        let (id, about) = match &thing {
            ThingId::Person(person) => (
                person.as_str().to_owned(),
                Some(LearnedThing::Person(person.clone())),
            ),
            ThingId::Item(item) => (item.as_str().to_owned(), None),
            ThingId::Channel(_) | ThingId::Event(_) | ThingId::Txn(_) | ThingId::Merchant(_) => continue,
        };
        if names.get(&id).is_some() || called.len() == LOOKED_UP_MAX {
            continue;
        }
        let about = match about {
            Some(about) => Some(about),
            None => app
                .backend
                .correspondent(thing.clone())
                .await
                .map(|said| said.about),
        };
        let chat = match about {
            Some(chat @ LearnedThing::Channel(_)) => Some(chat),
            Some(person @ LearnedThing::Person(_)) => {
                let kept = app.backend.kept_about(person.clone()).await?;
                let mut chats = places(&person, &kept).into_iter();
                let loudest = chats.next().map(|(chat, _)| chat);
                // In which of several a message was written is not told: none is better than another's.
                let is_sure = matches!(thing, ThingId::Person(_)) || chats.next().is_none();
                loudest.filter(|_| is_sure)
            }
            None => None,
        };
        let Some(chat) = chat else { continue };
        let of_chat = app.backend.names(BTreeSet::from([thing_of(&chat)])).await;
        if let Some(name) = known_name(&chat, &of_chat) {
            called.push((id, words::somebody_in(&name)));
        }
    }
    Ok(names.with_nameless(called))
}
