//! The way to the page about somebody.
//!
//! What: [`SenderLink`], from an id on a card, in a drawer or in an act. Why: a name leads somewhere wherever it stands. Not here: the page
//! (`web::person_page`).

use crate::backend::DisplayNames;
use toolcall_schema::catalogue::shared::ThingId;

/// The way from elsewhere to the page about somebody.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SenderLink {
    /// A person, a chat, or a message, which leads to who sent it.
    pub thing: ThingId,
    /// May be a name from outside.
    pub name: String,
}

impl SenderLink {
    /// To whom an id leads; `None`: it is of nobody who writes, or nobody names it now.
    pub fn from_id(id: &str, names: &DisplayNames) -> Option<Self> {
        let thing = ThingId::parse(id).ok()?;
        let writes = match &thing {
            ThingId::Item(_) | ThingId::Channel(_) | ThingId::Person(_) => true,
            ThingId::Event(_) | ThingId::Txn(_) | ThingId::Merchant(_) => false,
        };
        let name = names.get(id).filter(|_| writes)?.to_owned();
        Some(Self { thing, name })
    }
}
