//! The owner's file, changed by a form.
//!
//! What: [`HomeFile`], which reads the file with the hash of what it read, and puts a changed text in its place. Why: a form changes what was
//! shown and nothing else, whole or not at all, and only to what can be read again; what stood there before is kept, so that each change can be
//! undone. Not here: the edits themselves (`home_edit`), what the service does afterwards (`settings`).

use crate::{
    accounts::AccountConfig,
    changed_lines::changed_lines,
    config::{ConfigError, HomeConfig},
    earlier_texts::EarlierTexts,
    fresh_file::FreshFile,
    home_edit::{self, HomeEdit, HomeEditError},
};
use std::{
    fs, io,
    io::Write as _,
    path::{Path, PathBuf},
};
use surfaces::web::BindError;
use surfaces_base::backend::settings::ChangedLine;
use toolcall_schema::{Timestamp, ids::sha256_hex};

/// What stood there before the last changes, beside the file.
const EARLIER: &str = "earlier";

/// The same of the last change alone, as builds of before kept it.
const PREVIOUS: &str = "previous";

/// Bytes of a configuration; no owner writes more.
const BYTES_MAX: u64 = 1 << 20;

/// The owner's file, and the data folder that none of its sources may lie in.
#[derive(Debug, Clone)]
pub(crate) struct HomeFile {
    pub(crate) path: PathBuf,
    pub(crate) data: PathBuf,
}

/// The file as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HomeText {
    pub(crate) text: String,
    /// Of the text: 64 hexadecimal digits.
    pub(crate) sha256: String,
}

/// What the file says before and after a change.
#[derive(Debug, Clone)]
pub(crate) struct HomeFileChanged {
    pub(crate) before: HomeConfig,
    pub(crate) after: HomeConfig,
    pub(crate) kind: HomeChangeKind,
}

/// What a change of the file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HomeChangeKind {
    Change,
    /// A change was taken back.
    Undo,
    /// What was taken back is there again.
    Redo,
}

impl HomeFileChanged {
    /// Whether agents, the model or what leads outside are given something else by it: they are told at their start.
    pub(crate) fn needs_restart(&self) -> bool {
        let told = |home: &HomeConfig| serde_json::to_string(&(&home.owner, &home.sources)).ok();
        told(&self.before) != told(&self.after)
            || self.speaks_otherwise()
            || self.notifies_otherwise()
            || self.before.model_worker != self.after.model_worker
            || self.before.accounts != self.after.accounts
            || self.before.outbound.web_push != self.after.outbound.web_push
            || self.tells_a_collector_otherwise()
            || self.opens_otherwise()
    }

    /// Whether other computers find the page otherwise than before.
    fn opens_otherwise(&self) -> bool {
        self.before.web != self.after.web
    }

    /// Whether another program speaks, or one that did not.
    fn speaks_otherwise(&self) -> bool {
        self.before.outbound.speech != self.after.outbound.speech
    }

    fn notifies_otherwise(&self) -> bool {
        self.before.outbound.ntfy != self.after.outbound.ntfy
    }

    /// Whether something is read that was not, a program started that was not, or an address opened that was not.
    pub(crate) fn needs_proof(&self) -> bool {
        self.adds_sources()
            || self.reaches_other_servers()
            || self.accepts_push_services()
            || self.opens_otherwise()
            || (self.speaks_otherwise() && self.after.outbound.speech.enabled)
            || (self.notifies_otherwise() && self.after.outbound.ntfy.is_some())
            || (self.tells_a_collector_otherwise() && self.after.outbound.telemetry.is_some())
            || self.before.model_worker != self.after.model_worker
    }

    fn tells_a_collector_otherwise(&self) -> bool {
        self.before.outbound.telemetry != self.after.outbound.telemetry
    }

    fn accepts_push_services(&self) -> bool {
        let before = &self.before.outbound.web_push.hosts;
        self.after
            .outbound
            .web_push
            .hosts
            .iter()
            .any(|host| !before.contains(host))
    }

    /// Whether an account is read that was not, or at another place, or trusted otherwise, or written to that was only read.
    fn reaches_other_servers(&self) -> bool {
        let reached = |account: &AccountConfig| AccountConfig {
            is_paused: false,
            every_min: 0,
            days: 0,
            // Within what is written to anyway.
            keep_free: None,
            ..account.clone()
        };
        let before: Vec<AccountConfig> = self.before.accounts.iter().map(reached).collect();
        self.after.accounts.iter().map(reached).any(|account| {
            // What was written to may be only read at any time.
            let written = AccountConfig {
                is_writable: true,
                ..account.clone()
            };
            !before.contains(&account) && !before.contains(&written)
        })
    }

    fn adds_sources(&self) -> bool {
        // What is paused was allowed once.
        let before: Vec<&PathBuf> = self
            .before
            .sources
            .paths()
            .chain(self.before.paused.paths())
            .collect();
        self.after.sources.paths().any(|path| !before.contains(&path))
    }
}

/// A change that was not made.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HomeFileError {
    /// It cannot be read, or what stands there cannot be used.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// It is not what was shown.
    #[error("the file was changed meanwhile")]
    Changed,
    /// The edit does not fit the file.
    #[error(transparent)]
    Edit(#[from] HomeEditError),
    /// There is nothing that could be undone.
    #[error("there is no change to undo")]
    NothingToUndo,
    /// It adds a source, starts a program or opens an address, and nobody showed to be the owner.
    #[error("it needs a proof of the owner")]
    NeedsProof,
    /// The page could not be listened for as it says.
    #[error(transparent)]
    Outside(#[from] BindError),
    /// It cannot be written.
    #[error("the file cannot be written")]
    Write(#[from] io::Error),
}

impl HomeFile {
    /// The file as it is now.
    ///
    /// # Errors
    /// CONF-001.
    pub(crate) fn read(&self) -> Result<HomeText, ConfigError> {
        let unreadable = |source| ConfigError::Unreadable {
            path: self.path.clone(),
            source,
        };
        let length = fs::metadata(&self.path).map_err(unreadable)?.len();
        if length > BYTES_MAX {
            return Err(unreadable(io::Error::from(io::ErrorKind::FileTooLarge)));
        }
        let text = fs::read_to_string(&self.path).map_err(unreadable)?;
        let sha256 = sha256_hex(text.as_bytes());
        Ok(HomeText { text, sha256 })
    }

    /// Whether the last change can be undone: not where the file was changed otherwise since. `now`: the hash of what the file says.
    pub(crate) fn can_undo(&self, now: &str) -> bool {
        let earlier = self.earlier();
        earlier.is_as_written(now) && (earlier.taken_back().is_some() || earlier.text_before(now).is_some())
    }

    /// Whether the last change was an Undo, so that undoing it has what was taken back there again.
    pub(crate) fn is_undone(&self, now: &str) -> bool {
        let earlier = self.earlier();
        earlier.is_as_written(now) && earlier.taken_back().is_some()
    }

    /// Whether the newest change in force can be undone beside the last one, which was an Undo itself. `now`: the hash of what the file says.
    pub(crate) fn can_undo_earlier(&self, now: &str) -> bool {
        self.is_undone(now) && self.earlier().text_before(now).is_some()
    }

    /// Makes these edits in the text with that hash. `may_add`: whether what needs a proof of the owner may be done.
    ///
    /// # Errors
    /// [`HomeFileError`]; the file stays as it was.
    pub(crate) fn change(
        &self,
        shown: &str,
        edits: &[HomeEdit],
        may_add: bool,
    ) -> Result<HomeFileChanged, HomeFileError> {
        let now = self.read_as_shown(shown)?;
        let text = home_edit::apply(&now.text, self.base(), edits)?;
        self.put(&now, &text, HomeChangeKind::Change, may_add)
    }

    /// The lines that these edits change in the text with that hash. Nothing is written.
    ///
    /// # Errors
    /// As [`Self::change`].
    pub(crate) fn preview(
        &self,
        shown: &str,
        edits: &[HomeEdit],
    ) -> Result<(Vec<ChangedLine>, HomeConfig), HomeFileError> {
        let now = self.read_as_shown(shown)?;
        let text = home_edit::apply(&now.text, self.base(), edits)?;
        let home = HomeConfig::from_text(&self.path, &text)?;
        home.fits(&self.path, &self.data)?;
        let mut lines = changed_lines(&now.text, &text);
        lines.retain(|line| !line.text.trim().is_empty());
        Ok((lines, home))
    }

    /// Puts back what stood there before the last change. Undone again, the change is there again.
    ///
    /// # Errors
    /// As [`Self::change`].
    pub(crate) fn undo(&self, shown: &str, may_add: bool) -> Result<HomeFileChanged, HomeFileError> {
        let now = self.read_as_shown(shown)?;
        let earlier = self.earlier();
        match earlier.taken_back() {
            Some(text) if earlier.is_as_written(&now.sha256) => {
                self.put(&now, text, HomeChangeKind::Redo, may_add)
            }
            _ => self.take_back(&earlier, &now, may_add),
        }
    }

    /// Puts back what stood there before the newest change that is in force.
    ///
    /// # Errors
    /// As [`Self::change`].
    pub(crate) fn undo_earlier(&self, shown: &str, may_add: bool) -> Result<HomeFileChanged, HomeFileError> {
        let now = self.read_as_shown(shown)?;
        self.take_back(&self.earlier(), &now, may_add)
    }

    fn take_back(
        &self,
        earlier: &EarlierTexts,
        now: &HomeText,
        may_add: bool,
    ) -> Result<HomeFileChanged, HomeFileError> {
        let before = earlier
            .text_before(&now.sha256)
            .filter(|_| earlier.is_as_written(&now.sha256))
            .ok_or(HomeFileError::NothingToUndo)?;
        self.put(now, before, HomeChangeKind::Undo, may_add)
    }

    /// Lets go of what no Undo leads to any more, and of what stood there more than a week before `at`.
    ///
    /// # Errors
    /// What cannot be read or written.
    pub(crate) fn let_go_of_earlier(&self, at: Timestamp) -> Result<(), HomeFileError> {
        self.remove_beside(PREVIOUS)?;
        let (earlier, now) = (self.earlier(), self.read()?);
        match earlier.clone().kept_at(at, &now.sha256) {
            Some(kept) if kept == earlier => {}
            Some(kept) => {
                let real = fs::canonicalize(&self.path)?;
                replace(&self.file_beside(EARLIER), &kept.to_text()?, &real)?;
            }
            None => self.remove_beside(EARLIER)?,
        }
        Ok(())
    }

    fn remove_beside(&self, ending: &str) -> io::Result<()> {
        match fs::remove_file(self.file_beside(ending)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    fn earlier(&self) -> EarlierTexts {
        EarlierTexts::read(&self.file_beside(EARLIER))
    }

    fn read_as_shown(&self, shown: &str) -> Result<HomeText, HomeFileError> {
        let now = self.read()?;
        if now.sha256 == shown {
            Ok(now)
        } else {
            Err(HomeFileError::Changed)
        }
    }

    fn put(
        &self,
        now: &HomeText,
        text: &str,
        kind: HomeChangeKind,
        may_add: bool,
    ) -> Result<HomeFileChanged, HomeFileError> {
        let changed = HomeFileChanged {
            before: HomeConfig::from_text(&self.path, &now.text)?,
            after: HomeConfig::from_text(&self.path, text)?,
            kind,
        };
        changed.after.fits(&self.path, &self.data)?;
        if changed.needs_proof() && !may_add {
            return Err(HomeFileError::NeedsProof);
        }
        if changed.opens_otherwise() {
            changed.after.web.try_after(&changed.before.web)?;
        }
        if text != now.text {
            // Where a link leads, so that the link stays one.
            let real = fs::canonicalize(&self.path)?;
            let earlier = match kind {
                HomeChangeKind::Change => self.earlier().with_change(&now.text, text),
                HomeChangeKind::Undo => self.earlier().with_written(text, Some(&now.text)),
                HomeChangeKind::Redo => self.earlier().with_written(text, None),
            };
            replace(&self.file_beside(EARLIER), &earlier.to_text()?, &real)?;
            if self.read()?.sha256 != now.sha256 {
                return Err(HomeFileError::Changed);
            }
            replace(&real, text, &real)?;
        }
        Ok(changed)
    }

    fn base(&self) -> &Path {
        folder_of(&self.path)
    }

    fn file_beside(&self, ending: &str) -> PathBuf {
        let mut name = self.path.file_name().unwrap_or_default().to_owned();
        name.push(".");
        name.push(ending);
        self.path.with_file_name(name)
    }
}

/// Whole or not at all, readable for whom `like` is.
pub(crate) fn replace(file: &Path, text: &str, like: &Path) -> io::Result<()> {
    let folder = folder_of(file);
    let mut fresh = FreshFile::create_in(folder)?;
    fresh.as_file().write_all(text.as_bytes())?;
    fresh
        .as_file()
        .set_permissions(fs::metadata(like)?.permissions())?;
    fresh.as_file().sync_all()?;
    fresh.replace(file)?;
    fs::File::open(folder)?.sync_all()
}

/// The folder of a file, also of one that is named without a folder: `home.toml`.
fn folder_of(file: &Path) -> &Path {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        Some(_) | None => Path::new("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    use toolcall_schema::SourceKind;

    const TEXT: &str = "# mine\nzone = \"UTC\"\nceiling = 2 # enough\n";

    fn file(dir: &Path) -> HomeFile {
        let path = dir.join("home.toml");
        fs::write(&path, TEXT).unwrap();
        let data = dir.join("data");
        HomeFile { path, data }
    }

    fn shown(file: &HomeFile) -> String {
        file.read().unwrap().sha256
    }

    #[test]
    fn change_is_whole_keeps_what_was_there_and_can_be_undone_and_done_again() {
        let dir = tempfile::tempdir().unwrap();
        let file = file(dir.path());
        fs::set_permissions(&file.path, fs::Permissions::from_mode(0o600)).unwrap();
        assert!(!file.can_undo(&shown(&file)));
        assert!(matches!(
            file.undo(&shown(&file), true),
            Err(HomeFileError::NothingToUndo)
        ));
        let changed = file
            .change(&shown(&file), &[HomeEdit::Ceiling(4)], false)
            .unwrap();
        assert_eq!(
            (changed.before.settings.ceiling, changed.after.settings.ceiling),
            (2, 4)
        );
        assert!(!changed.needs_restart() && !changed.adds_sources());
        let after = TEXT.replace("= 2", "= 4");
        assert_eq!(file.read().unwrap().text, after);
        assert_eq!(
            fs::metadata(&file.path).unwrap().permissions().mode() & 0o777,
            0o600
        );
        assert_eq!(
            fs::metadata(file.file_beside(EARLIER))
                .unwrap()
                .permissions()
                .mode()
                & 0o777,
            0o600
        );
        file.undo(&shown(&file), false).unwrap();
        assert_eq!(file.read().unwrap().text, TEXT);
        file.undo(&shown(&file), false).unwrap();
        assert_eq!(file.read().unwrap().text, after);
    }

    #[test]
    fn file_that_changed_meanwhile_or_would_make_no_sense_stays_as_it_is() {
        let dir = tempfile::tempdir().unwrap();
        let file = file(dir.path());
        let before = shown(&file);
        let by_hand = TEXT.replace("enough", "not enough");
        fs::write(&file.path, &by_hand).unwrap();
        let late = file.change(&before, &[HomeEdit::Ceiling(4)], false);
        assert!(matches!(late, Err(HomeFileError::Changed)), "{late:?}");
        for edit in [
            HomeEdit::Ceiling(6),
            HomeEdit::Zone("Mars/Base".to_owned()),
            HomeEdit::BriefTime("8".to_owned()),
            HomeEdit::AddSource(SourceKind::Mail, file.data.join("mail")),
        ] {
            let refused = file.change(&shown(&file), std::slice::from_ref(&edit), true);
            assert!(
                matches!(refused, Err(HomeFileError::Config(ConfigError::Value { .. }))),
                "{edit:?}: {refused:?}"
            );
        }
        assert_eq!(file.read().unwrap().text, by_hand);
        assert!(!file.can_undo(&shown(&file)));
    }

    #[test]
    fn source_is_added_only_where_that_is_allowed_and_undoing_its_removal_adds_it() {
        let dir = tempfile::tempdir().unwrap();
        let file = file(dir.path());
        let add = [HomeEdit::AddSource(SourceKind::Mail, dir.path().join("mail"))];
        let refused = file.change(&shown(&file), &add, false);
        assert!(matches!(refused, Err(HomeFileError::NeedsProof)), "{refused:?}");
        assert!(file.change(&shown(&file), &add, true).unwrap().needs_restart());
        let remove = [HomeEdit::RemoveSource(SourceKind::Mail, dir.path().join("mail"))];
        file.change(&shown(&file), &remove, false).unwrap();
        let refused = file.undo(&shown(&file), false);
        assert!(matches!(refused, Err(HomeFileError::NeedsProof)), "{refused:?}");
        assert!(file.undo(&shown(&file), true).unwrap().adds_sources());
    }

    #[test]
    fn what_starts_a_program_or_opens_an_address_needs_a_proof_and_no_line_shows_a_secret() {
        let dir = tempfile::tempdir().unwrap();
        let file = file(dir.path());
        let server = |address: &str| HomeEdit::Field("ntfy.server".to_owned(), address.to_owned());
        let topics = || HomeEdit::NtfyTopics {
            topic: "t".repeat(32),
            answers: "a".repeat(32),
        };
        let token = HomeEdit::Field("ntfy.token".to_owned(), "tk_secret".to_owned());
        let worker = HomeEdit::Field("model.worker".to_owned(), "/opt/aura-llm".to_owned());
        // A token for no server would be lost and be said to be saved.
        let alone = file.change(&shown(&file), &[token.clone(), topics()], true);
        assert!(matches!(alone, Err(HomeFileError::Edit(_))), "{alone:?}");
        for edits in [vec![server("https://ntfy.example.org"), topics()], vec![worker]] {
            let refused = file.change(&shown(&file), &edits, false);
            assert!(matches!(refused, Err(HomeFileError::NeedsProof)), "{refused:?}");
            assert!(file.change(&shown(&file), &edits, true).unwrap().needs_restart());
        }
        let home = HomeConfig::load(&file.path).unwrap();
        let first = home.outbound.ntfy.unwrap();
        assert_eq!(
            (first.server(), first.topic.as_str(), first.has_token()),
            ("https://ntfy.example.org", "t".repeat(32).as_str(), false)
        );
        // Topics that are there stay: the phone knows them.
        let other = HomeEdit::NtfyTopics {
            topic: "x".repeat(32),
            answers: "y".repeat(32),
        };
        let edits = [server("https://other.example.org"), token, other];
        let (lines, _) = file.preview(&shown(&file), &edits).unwrap();
        assert!(
            lines.iter().any(|line| line.text.contains("other.example.org")),
            "{lines:?}"
        );
        assert!(!format!("{lines:?}").contains("tk_secret"), "{lines:?}");
        file.change(&shown(&file), &edits, true).unwrap();
        let second = HomeConfig::load(&file.path).unwrap().outbound.ntfy.unwrap();
        assert_eq!(
            (second.server(), &second.topic, second.has_token()),
            ("https://other.example.org", &first.topic, true)
        );
        // An address that is taken out opens nothing, and takes the table with it.
        let off = [server(""), topics()];
        let (lines, _) = file.preview(&shown(&file), &off).unwrap();
        for secret in ["tk_secret", first.topic.as_str()] {
            assert!(!format!("{lines:?}").contains(secret), "{lines:?}");
        }
        file.change(&shown(&file), &off, false).unwrap();
        assert!(!file.read().unwrap().text.contains("ntfy"));
    }

    #[test]
    fn push_service_is_accepted_only_where_that_is_allowed_and_given_up_anywhere() {
        let dir = tempfile::tempdir().unwrap();
        let file = file(dir.path());
        let set = |hosts: &str| [HomeEdit::Field("web_push.hosts".to_owned(), hosts.to_owned())];
        let refused = file.change(&shown(&file), &set("push.example.net"), false);
        assert!(matches!(refused, Err(HomeFileError::NeedsProof)), "{refused:?}");
        let accepted = file
            .change(&shown(&file), &set("push.example.net"), true)
            .unwrap();
        assert!(accepted.needs_restart() && !accepted.adds_sources());
        assert!(
            file.change(&shown(&file), &set(""), false)
                .unwrap()
                .needs_restart()
        );
        // Undone, it would be accepted again.
        let refused = file.undo(&shown(&file), false);
        assert!(matches!(refused, Err(HomeFileError::NeedsProof)), "{refused:?}");
        for wrong in ["127.0.0.1", "push", "https://push.example.net", "*.com"] {
            let refused = file.change(&shown(&file), &set(wrong), true);
            assert!(
                matches!(refused, Err(HomeFileError::Config(_))),
                "{wrong}: {refused:?}"
            );
        }
    }

    #[test]
    fn page_is_opened_to_other_computers_only_by_its_owner_and_only_as_can_be_listened() {
        let dir = tempfile::tempdir().unwrap();
        let file = file(dir.path());
        let set = |pairs: &[(&str, &str)]| -> Vec<HomeEdit> {
            let edit = |(key, text): &(&str, &str)| HomeEdit::Field((*key).to_owned(), (*text).to_owned());
            pairs.iter().map(edit).collect()
        };
        let hosts = set(&[("web.hosts", "aura.example")]);
        let refused = file.change(&shown(&file), &hosts, false);
        assert!(matches!(refused, Err(HomeFileError::NeedsProof)), "{refused:?}");
        let opened = file.change(&shown(&file), &hosts, true).unwrap();
        assert!(opened.needs_restart());
        assert_eq!(opened.after.web.names(), ["aura.example"]);
        // Closing it is for its owner as well: another device could lock the others out.
        let closed = file.change(&shown(&file), &set(&[("web.hosts", "")]), false);
        assert!(matches!(closed, Err(HomeFileError::NeedsProof)), "{closed:?}");
        let whole = |certificate| {
            set(&[
                ("web.listen", "127.0.0.1:0"),
                ("web.certificate", certificate),
                ("web.key", certificate),
            ])
        };
        fs::write(dir.path().join("empty.pem"), "").unwrap();
        for wrong in [
            set(&[("web.listen", "0.0.0.0:0")]),
            whole("nowhere.pem"),
            whole("empty.pem"),
        ] {
            let refused = file.change(&shown(&file), &wrong, true);
            assert!(matches!(refused, Err(HomeFileError::Outside(_))), "{refused:?}");
        }
        for wrong in [
            set(&[("web.listen", "127.0.0.1:0")]),
            set(&[("web.listen", "everywhere")]),
            set(&[("web.hosts", "http://aura.example")]),
            set(&[("web.key", "key.pem")]),
        ] {
            let refused = file.change(&shown(&file), &wrong, true);
            assert!(matches!(refused, Err(HomeFileError::Config(_))), "{refused:?}");
        }
        let text = file.read().unwrap().text;
        assert!(text.starts_with(TEXT), "{text}");
        assert!(text.ends_with("[web]\nhosts = [\"aura.example\"]\n"), "{text}");
    }

    #[test]
    fn file_that_is_named_without_a_folder_lies_in_this_one() {
        for (file, folder) in [
            ("home.toml", "."),
            ("./home.toml", "."),
            ("a/home.toml", "a"),
            ("/home.toml", "/"),
        ] {
            assert_eq!(folder_of(Path::new(file)), Path::new(folder));
        }
    }

    #[test]
    fn link_to_the_file_stays_a_link() {
        let dir = tempfile::tempdir().unwrap();
        let mut file = file(dir.path());
        let link = dir.path().join("link.toml");
        symlink(&file.path, &link).unwrap();
        let real = std::mem::replace(&mut file.path, link.clone());
        file.change(&shown(&file), &[HomeEdit::Ceiling(0)], false)
            .unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert!(fs::read_to_string(real).unwrap().contains("ceiling = 0 # enough"));
    }
}
