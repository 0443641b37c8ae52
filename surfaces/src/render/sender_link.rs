//! The way to the page about somebody or about an event.
//!
//! What: [`SenderLink`], from an id on a card, in a drawer or in an act. Why: a name leads somewhere wherever it stands. Not here: the page
//! (`web::person_page`, `web::meeting_page`).

use surfaces_base::backend::DisplayNames;
use toolcall_schema::catalogue::shared::ThingId;

/// The way from elsewhere to the page about somebody, or about an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SenderLink {
    /// A person, a chat, an event, or a message, which leads to who sent it.
    pub thing: ThingId,
    /// May be a name from outside.
    pub name: String,
}

impl SenderLink {
    /// Where an id leads; `None`: there is no page about such a thing, or nobody names it now.
    pub(crate) fn from_id(id: &str, names: &DisplayNames) -> Option<Self> {
        let thing = ThingId::parse(id).ok()?;
        let has_page = match &thing {
            ThingId::Item(_) | ThingId::Channel(_) | ThingId::Person(_) | ThingId::Event(_) => true,
            ThingId::Txn(_) | ThingId::Merchant(_) => false,
        };
        let name = names.get(id).filter(|_| has_page)?.to_owned();
        Some(Self { thing, name })
    }

    /// The folder of its page.
    pub fn section(&self) -> &'static str {
        page_folder(&self.thing)
    }
}

/// The folder of the page about a thing.
pub(crate) fn page_folder(thing: &ThingId) -> &'static str {
    match thing {
        ThingId::Event(_) => "/calendar/",
        ThingId::Item(_)
        | ThingId::Channel(_)
        | ThingId::Person(_)
        | ThingId::Txn(_)
        | ThingId::Merchant(_) => "/people/",
    }
}
