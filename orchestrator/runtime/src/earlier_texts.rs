//! What stood in the owner's file before its last changes.
//!
//! What: [`EarlierTexts`], the text before each change by the hash of the text that the change led to, and what an Undo took back, in one file beside the
//! owner's. Why: when the newest change is undone, the one before it is the newest in force and can be undone as well; what was changed by hand meanwhile has
//! another hash, so that nobody's change is taken back with it. Nothing is kept that no Undo leads to any more, and nothing for longer than the history
//! lists it: what was taken out of the file may have been a secret. Not here: changing the file (`home_file`).

use serde::{Deserialize, Serialize};
use std::{fs, io, path::Path};
use toolcall_schema::{Timestamp, ids::sha256_hex};

/// So many are kept.
const KEPT_MAX: usize = 16;

/// For so long, in milliseconds: as long as the history lists a change.
const KEPT_MS: i64 = 7 * 24 * 60 * 60 * 1000;

/// One change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct EarlierText {
    /// The hash of the text that it led to.
    after: String,
    before: String,
    /// When it was first seen here; `None`: not yet.
    #[serde(default)]
    since: Option<Timestamp>,
}

/// What the last Undo took back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct TakenBackText {
    text: String,
    #[serde(default)]
    since: Option<Timestamp>,
}

/// What Aura wrote.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EarlierTexts {
    /// The hash of the text that was written last.
    written: Option<String>,
    /// The last changes, newest last.
    changes: Vec<EarlierText>,
    /// Where the last one was an Undo.
    #[serde(default)]
    taken_back: Option<TakenBackText>,
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

    /// What the last Undo took back; `None`: the last change was none.
    pub(crate) fn taken_back(&self) -> Option<&str> {
        self.taken_back.as_ref().map(|taken| taken.text.as_str())
    }

    /// Whether the file says what Aura wrote last, so that an Undo takes back nobody else's change. `now`: the hash of what it says.
    pub(crate) fn is_as_written(&self, now: &str) -> bool {
        self.written.as_deref() == Some(now)
    }

    /// With one change more.
    pub(crate) fn with_change(mut self, before: &str, text: &str) -> Self {
        let after = sha256_hex(text.as_bytes());
        self.changes.retain(|change| change.after != after);
        self.changes.push(EarlierText {
            after,
            before: before.to_owned(),
            since: None,
        });
        self.changes.drain(..self.changes.len().saturating_sub(KEPT_MAX));
        self.with_written(text, None)
    }

    /// With `text` in the file, in the place of what an Undo took back, if it was one.
    pub(crate) fn with_written(mut self, text: &str, taken_back: Option<&str>) -> Self {
        self.written = Some(sha256_hex(text.as_bytes()));
        self.taken_back = taken_back.map(|text| TakenBackText {
            text: text.to_owned(),
            since: None,
        });
        self.keep_reachable();
        self
    }

    /// Those to which no Undo leads any more go.
    fn keep_reachable(&mut self) {
        let taken_back = self.taken_back().map(|text| sha256_hex(text.as_bytes()));
        let mut open: Vec<String> = self.written.iter().cloned().chain(taken_back).collect();
        let mut reached: Vec<String> = Vec::new();
        while let Some(after) = open.pop() {
            if !reached.contains(&after) {
                open.extend(self.text_before(&after).map(|text| sha256_hex(text.as_bytes())));
                reached.push(after);
            }
        }
        self.changes.retain(|change| reached.contains(&change.after));
    }

    /// As they are to be kept at that time, `now` being the hash of what the file says; none: nothing is to be kept.
    pub(crate) fn kept_at(mut self, at: Timestamp, now: &str) -> Option<Self> {
        let is_kept = |since: Option<Timestamp>| since.is_none_or(|since| at.since(since) < KEPT_MS);
        self.changes.retain(|change| is_kept(change.since));
        self.taken_back = self.taken_back.filter(|taken| is_kept(taken.since));
        let taken_back = self.taken_back.iter_mut().map(|taken| &mut taken.since);
        for since in self
            .changes
            .iter_mut()
            .map(|change| &mut change.since)
            .chain(taken_back)
        {
            since.get_or_insert(at);
        }
        self.keep_reachable();
        let is_empty = self.changes.is_empty() && self.taken_back.is_none();
        Some(self).filter(|kept| !is_empty && kept.is_as_written(now))
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

    /// What is kept of a secret that was taken out of the file: as much as an Undo leads to, for a week, and nothing after a change by hand.
    #[test]
    fn what_no_undo_leads_to_any_more_is_let_go() {
        let dir = tempfile::tempdir().unwrap();
        let file = HomeFile {
            path: dir.path().join("home.toml"),
            data: dir.path().join("data"),
        };
        let (earlier, previous) = (
            dir.path().join("home.toml.earlier"),
            dir.path().join("home.toml.previous"),
        );
        let start = || {
            fs::write(&file.path, TEXT).unwrap();
            fs::write(&previous, TEXT).unwrap();
            let _ = fs::remove_file(&earlier);
        };
        let change = |n| {
            file.change(&shown(&file), &[HomeEdit::Ceiling(n)], false)
                .unwrap();
        };
        let kept = |n: u8| {
            let text = fs::read_to_string(&earlier).unwrap_or_default();
            text.contains(&format!("ceiling = {n}"))
        };
        let at = |hours: i64| Timestamp::from_ms(1_800_000_000_000).plus_min(60 * hours);
        let let_go = |hours| file.let_go_of_earlier(at(hours)).unwrap();
        start();
        change(3);
        let_go(0);
        assert!(kept(2) && !previous.exists());
        // What was taken back and then changed otherwise comes back by nothing.
        file.undo(&shown(&file), false).unwrap();
        assert!(kept(3));
        change(4);
        assert!(kept(2) && !kept(3));
        let_go(1);
        let_go(7 * 24);
        assert!(kept(2) && file.can_undo(&shown(&file)));
        let_go(7 * 24 + 1);
        assert!(!earlier.exists() && !file.can_undo(&shown(&file)));
        start();
        change(3);
        fs::write(&file.path, TEXT.replace("UTC", "Europe/Berlin")).unwrap();
        let_go(0);
        assert!(!earlier.exists());
    }
}
