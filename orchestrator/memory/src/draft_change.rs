//! What its owner says about a draft.
//!
//! What: [`DraftChange`], which is a write of the store as well as a word to the outbox. Why: rows and files both know it, and know nothing of one another.
//! Not here: doing it (`outbox`).

use std::fmt;

/// What its owner does with a draft.
#[derive(Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum DraftChange {
    Edit(DraftEdit),
    /// Brings the discarded one of that name back.
    Restore(String),
}

impl DraftChange {
    /// How many bytes of text it carries.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Edit(edit) => edit.text.len(),
            Self::Restore(_) => 0,
        }
    }
}

impl fmt::Debug for DraftChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DraftChange(..)")
    }
}

/// What its owner makes of a draft.
#[derive(Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct DraftEdit {
    pub name: String,
    /// The hash of the text that they saw.
    pub shown: String,
    pub text: String,
}
