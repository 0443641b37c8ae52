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

/// What Aura wrote.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EarlierTexts {
    /// The hash of the text that was written last; `None`: before this was kept.
    written: Option<String>,
    /// The last changes, newest last.
    changes: Vec<EarlierText>,
}

impl EarlierTexts {
    /// As that file has them; none where it cannot be read.
    pub(crate) fn read(path: &Path) -> Self {
        let text = fs::read_to_string(path).ok();
        text.and_then(|text| serde_json::from_str(&text).ok())
            .unwrap_or_default()
    }

    /// The text before the newest change that led to a text with that hash.
    pub(crate) fn text_before(&self, after: &str) -> Option<&str> {
        let change = self.changes.iter().rfind(|change| change.after == after)?;
        Some(change.before.as_str())
    }

    /// Whether the file says what Aura wrote last, so that an Undo takes back nobody else's change. `now`: the hash of what it says.
    pub(crate) fn is_as_written(&self, now: &str) -> bool {
        self.written.as_deref().is_none_or(|written| written == now)
    }

    /// With that as what was written last.
    pub(crate) fn with_written(mut self, text: &str) -> Self {
        self.written = Some(sha256_hex(text.as_bytes()));
        self
    }

    /// With one change more.
    pub(crate) fn with_change(mut self, before: &str, after: &str) -> Self {
        let after = sha256_hex(after.as_bytes());
        self.changes.retain(|change| change.after != after);
        self.changes.push(EarlierText {
            after,
            before: before.to_owned(),
        });
        self.changes.drain(..self.changes.len().saturating_sub(KEPT_MAX));
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

    /// What somebody wrote by hand after the last change is not taken back with it, and what is changed after that can be undone again.
    #[test]
    fn change_by_hand_is_never_taken_back() {
        let dir = tempfile::tempdir().unwrap();
        let file = HomeFile {
            path: dir.path().join("home.toml"),
            data: dir.path().join("data"),
        };
        fs::write(&file.path, TEXT).unwrap();
        let change = |n| file.change(&shown(&file), &[HomeEdit::Ceiling(n)], false);
        change(3).unwrap();
        file.undo(&shown(&file), false).unwrap();
        assert!(file.can_undo(&shown(&file)));
        let by_hand = TEXT.replace("UTC", "Europe/Berlin");
        fs::write(&file.path, &by_hand).unwrap();
        assert!(!file.can_undo(&shown(&file)));
        let refused = file.undo(&shown(&file), false);
        assert!(
            matches!(refused, Err(HomeFileError::NothingToUndo)),
            "{refused:?}"
        );
        assert_eq!(file.read().unwrap().text, by_hand);
        change(1).unwrap();
        assert!(file.can_undo(&shown(&file)));
        file.undo(&shown(&file), false).unwrap();
        assert_eq!(file.read().unwrap().text, by_hand);
    }
}
