//! What stood in the owner's file before its last changes.
//!
//! What: [`EarlierTexts`], the text before each change by the hash of the text that the change led to, in one file beside the owner's. Why: when the newest
//! change is undone, the one before it is the newest in force and can be undone as well; what was changed by hand meanwhile has another hash, so that
//! nobody's change is taken back with it. Not here: changing the file (`home_file`).

use serde::{Deserialize, Serialize};
use std::{fs, io, path::Path};
use toolcall_schema::ids::sha256_hex;

/// So many are kept.
const KEPT_MAX: usize = 16;

/// One change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct EarlierText {
    /// The hash of the text that it led to.
    after: String,
    before: String,
}

/// The last changes, newest last.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct EarlierTexts(Vec<EarlierText>);

impl EarlierTexts {
    /// As that file has them; none where it cannot be read.
    pub(crate) fn read(path: &Path) -> Self {
        let text = fs::read_to_string(path).ok();
        text.and_then(|text| serde_json::from_str(&text).ok())
            .unwrap_or_default()
    }

    /// The text before the newest change that led to a text with that hash.
    pub(crate) fn text_before(&self, after: &str) -> Option<&str> {
        let change = self.0.iter().rfind(|change| change.after == after)?;
        Some(change.before.as_str())
    }

    /// With one more.
    pub(crate) fn with_change(mut self, before: &str, after: &str) -> Self {
        let after = sha256_hex(after.as_bytes());
        self.0.retain(|change| change.after != after);
        self.0.push(EarlierText {
            after,
            before: before.to_owned(),
        });
        self.0.drain(..self.0.len().saturating_sub(KEPT_MAX));
        self
    }

    /// As the file has them.
    ///
    /// # Errors
    /// Never for what is here.
    pub(crate) fn to_text(&self) -> io::Result<String> {
        Ok(serde_json::to_string(self)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        home_edit::HomeEdit,
        home_file::{HomeChangeKind, HomeFile, HomeFileError},
    };

    const TEXT: &str = "# mine\nzone = \"UTC\"\nceiling = 2 # enough\n";

    fn shown(file: &HomeFile) -> String {
        file.read().unwrap().sha256
    }

    /// Two changes are undone one after the other; what was changed by hand in between is not taken back with them.
    #[test]
    fn earlier_change_is_undone_when_the_newer_one_is() {
        let dir = tempfile::tempdir().unwrap();
        let file = HomeFile {
            path: dir.path().join("home.toml"),
            data: dir.path().join("data"),
        };
        fs::write(&file.path, TEXT).unwrap();
        let ceiling = |n| {
            file.change(&shown(&file), &[HomeEdit::Ceiling(n)], false)
                .unwrap()
        };
        let says = |n: u8| TEXT.replace("= 2", &format!("= {n}"));
        let can = || file.can_undo_earlier(&shown(&file));
        assert_eq!(
            (ceiling(3).kind, ceiling(4).kind),
            (HomeChangeKind::Change, HomeChangeKind::Change)
        );
        // The last change has its own Undo.
        assert!(!can());
        assert_eq!(
            file.undo(&shown(&file), false).unwrap().kind,
            HomeChangeKind::Undo
        );
        assert!(can());
        assert_eq!(
            file.undo(&shown(&file), false).unwrap().kind,
            HomeChangeKind::Redo
        );
        assert!(!can());
        file.undo(&shown(&file), false).unwrap();
        assert_eq!(file.read().unwrap().text, says(3));
        assert_eq!(
            file.undo_earlier(&shown(&file), false).unwrap().kind,
            HomeChangeKind::Undo
        );
        assert_eq!(file.read().unwrap().text, TEXT);
        assert!(!can());
        let none = file.undo_earlier(&shown(&file), false);
        assert!(matches!(none, Err(HomeFileError::NothingToUndo)), "{none:?}");
        // And that is taken back as every Undo is.
        assert_eq!(
            file.undo(&shown(&file), false).unwrap().kind,
            HomeChangeKind::Redo
        );
        assert_eq!(file.read().unwrap().text, says(3));

        ceiling(5);
        fs::write(&file.path, says(5).replace("enough", "not enough")).unwrap();
        ceiling(1);
        file.undo(&shown(&file), false).unwrap();
        assert!(!can(), "{}", file.read().unwrap().text);
    }
}
