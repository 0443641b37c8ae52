//! Where mail of an account lies for the Comms agent.
//!
//! What: [`MailStore`], a Maildir for each folder with the marks in the names, beside it an mbox of the heads of older mail, in the memory of this
//! computer and within a bound. Why: the agent reads it as any other mail, and no byte of it is on a disk. Not here: fetching it
//! (`aura_process::source`), which memory (`memory_files`).

use super::memory_files::{made_anew, put_file};
use agents::{
    FETCHED_AGAIN, FETCHED_FILE, FETCHED_GONE, FETCHED_HEADS, fetched_folder, fetched_folder_number,
};
use aura_process::source::{KnownFolder, MailMarks, MailPart, UidSet, WANTED_MAX, WantedMails};
use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    fs::{self, DirBuilder, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
};

/// Bytes of mail of all accounts together.
pub(super) const MAIL_BYTES_MAX: u64 = 64 << 20;
/// Bytes of the heads of an account that were asked for again.
const AGAIN_BYTES_MAX: u64 = 1 << 20;
/// A file in memory takes whole pages.
const PAGE: u64 = 4096;
/// Before each head in an mbox: a date that every reader takes for one.
const SEPARATOR: &[u8] = b"From aura Thu Jan  1 00:00:00 1970\n";

/// The mails of an account.
#[derive(Default)]
pub(super) struct MailStore {
    /// Absent: there is no memory for it.
    root: Option<PathBuf>,
    bytes_max: u64,
    folders: BTreeMap<String, StoredFolder>,
    /// How far all of them are known, where the server counts for all together.
    mark: Option<String>,
    /// The folder that parts are of.
    open: String,
    /// Mails with their text by when they came.
    oldest: VecDeque<(String, u32)>,
    /// Mails that were asked for again over the connection there is, and those that came, by their folder's number.
    asked_again: BTreeSet<(u64, u32)>,
    again: BTreeSet<(u64, u32)>,
    again_bytes: u64,
    /// Whether all that came again had room.
    are_all_again: bool,
    /// Mails that the server was asked for again by their place and does not have, as far as their folder is one of this account.
    absent: BTreeSet<(u64, u32)>,
    /// Mails that went since the agent was told last, by the number of their folder.
    gone: BTreeSet<(u64, u32)>,
    /// Those that the agent was told of.
    told_gone: BTreeSet<(u64, u32)>,
}

#[derive(Default)]
struct StoredFolder {
    known: KnownFolder,
    path: PathBuf,
    mails: BTreeMap<u32, StoredMail>,
    heads: usize,
    head_bytes: u64,
}

struct StoredMail {
    marks: MailMarks,
    bytes: u64,
}

/// A mail's file.
fn file_name(uid: u32, marks: MailMarks) -> String {
    let letters = [
        (marks.draft, 'D'),
        (marks.answered, 'R'),
        (marks.seen, 'S'),
        (marks.deleted, 'T'),
    ];
    let flags: String = letters
        .into_iter()
        .filter_map(|(is_set, letter)| is_set.then_some(letter))
        .collect();
    format!("{uid}{FETCHED_FILE}{flags}")
}

fn on_pages(bytes: usize) -> u64 {
    u64::try_from(bytes).unwrap_or(u64::MAX).div_ceil(PAGE) * PAGE
}

impl MailStore {
    pub(super) fn new(root: Option<PathBuf>, bytes_max: u64) -> Self {
        Self {
            root,
            bytes_max,
            are_all_again: true,
            ..Self::default()
        }
    }

    /// What need not be fetched again.
    pub(super) fn known_folders(&self) -> Vec<KnownFolder> {
        let known = self.folders.values().map(|folder| folder.known.clone());
        known.collect()
    }

    /// How far all of them are known.
    pub(super) fn mark(&self) -> Option<String> {
        self.mark.clone()
    }

    /// The names of its folders, as the server has them.
    pub(super) fn folders(&self) -> Vec<String> {
        self.folders.keys().cloned().collect()
    }

    /// How many mails are known.
    pub(super) fn mails(&self) -> usize {
        let each = self.folders.values();
        each.map(|folder| folder.mails.len() + folder.heads).sum()
    }

    fn bytes(&self) -> u64 {
        let each = self.folders.values().map(|folder| {
            let mails: u64 = folder.mails.values().map(|mail| mail.bytes).sum();
            mails.saturating_add(folder.head_bytes)
        });
        each.sum()
    }

    /// Which of these mails, by their folder's number, the newest first, are neither here nor were asked for again over the connection there is. From
    /// now on they were.
    pub(super) fn ask_again(&mut self, account: &str, mails: &[(u64, u32)]) -> Vec<WantedMails> {
        let here: BTreeMap<u64, &StoredFolder> = self
            .folders
            .values()
            .filter_map(|folder| {
                let name = folder.path.file_name()?.to_str()?;
                Some((fetched_folder_number(account, name), folder))
            })
            .collect();
        let is_here = |(folder, uid): &(u64, u32)| {
            here.get(folder)
                .is_some_and(|folder| folder.mails.contains_key(uid))
        };
        let missing = mails.iter().filter(|mail| {
            !is_here(mail) && !self.again.contains(*mail) && !self.asked_again.contains(*mail)
        });
        let missing: BTreeSet<(u64, u32)> = missing.take(WANTED_MAX).copied().collect();
        let mut wanted: BTreeMap<u64, UidSet> = BTreeMap::new();
        for (folder, uid) in &missing {
            wanted.entry(*folder).or_default().insert(*uid);
        }
        self.asked_again.extend(missing);
        let wanted = wanted.into_iter();
        wanted
            .map(|(folder, uids)| WantedMails { folder, uids })
            .collect()
    }

    /// There is another connection: what was asked for over the one before may never have come.
    pub(super) fn clear_asked(&mut self) {
        self.asked_again.clear();
    }

    /// All that the server has of these mails came: the others went while nobody looked.
    pub(super) fn note_absent(&mut self, wanted: &[WantedMails]) {
        if !self.are_all_again {
            return;
        }
        let places = wanted
            .iter()
            .flat_map(|mails| mails.uids.iter().map(|uid| (mails.folder, uid)));
        let absent = places.filter(|place| !self.again.contains(place));
        self.absent = absent.collect();
    }

    /// Takes a part in, and gives how many mails are new and how many went.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn take(&mut self, part: MailPart) -> io::Result<(usize, usize)> {
        match part {
            MailPart::Folder {
                name,
                is_sent,
                uid_validity,
                is_whole,
            } => {
                self.open_folder(&name, is_sent, uid_validity, is_whole)?;
                return Ok((0, 0));
            }
            MailPart::Mail { uid, marks, bytes } => {
                let room = on_pages(bytes.0.len());
                let Some(folder) = self.folders.get_mut(&self.open) else {
                    return Ok((0, 0));
                };
                if folder.mails.contains_key(&uid) {
                    return Ok((0, 0));
                }
                put_file(&folder.path.join("cur"), &file_name(uid, marks), &[&bytes.0])?;
                folder.mails.insert(uid, StoredMail { marks, bytes: room });
                folder.known.texts.insert(uid);
                folder.known.held.insert(uid);
                self.oldest.push_back((self.open.clone(), uid));
                self.make_room()?;
                return Ok((1, 0));
            }
            MailPart::OldHead { uid, bytes } => {
                let half = self.bytes_max / 2;
                let heads: u64 = self.folders.values().map(|folder| folder.head_bytes).sum();
                let Some(folder) = self.folders.get_mut(&self.open) else {
                    return Ok((0, 0));
                };
                let length = u64::try_from(bytes.0.len() + SEPARATOR.len() + 1).unwrap_or(u64::MAX);
                // The newest come first.
                if heads.saturating_add(length) > half || !folder.known.held.insert(uid) {
                    return Ok((0, 0));
                }
                add_head(&folder.path.join(FETCHED_HEADS), &bytes.0)?;
                folder.heads += 1;
                folder.head_bytes += length;
                return Ok((1, 0));
            }
            MailPart::Marks { uid, marks } => {
                if let Some(folder) = self.folders.get_mut(&self.open) {
                    folder.mark(uid, marks)?;
                }
            }
            MailPart::Gone { uid } => {
                let open = self.open.clone();
                if let Some(folder) = self.folders.get_mut(&open) {
                    folder.known.held.remove(uid);
                }
                self.gone
                    .extend(self.folder_number(&open).map(|number| (number, uid)));
                return Ok((0, usize::from(self.remove(&open, uid)?)));
            }
            MailPart::ReadUpTo { uid, mod_seq } => {
                if let Some(folder) = self.folders.get_mut(&self.open) {
                    (folder.known.upto, folder.known.mod_seq) = (uid, mod_seq);
                    let held = folder.known.held.iter();
                    folder.known.held = held.filter(|held| *held > uid).collect();
                }
            }
            MailPart::ReadAll { mark } => self.mark = Some(mark),
            MailPart::HeadAgain { folder, uid, bytes } => {
                let root = self.root.as_ref().ok_or(io::ErrorKind::Unsupported)?;
                let length = u64::try_from(bytes.0.len() + SEPARATOR.len() + 1).unwrap_or(u64::MAX);
                let all = self.again_bytes.saturating_add(length);
                self.are_all_again &= all <= AGAIN_BYTES_MAX;
                if all <= AGAIN_BYTES_MAX && self.again.insert((folder, uid)) {
                    add_head(&root.join(FETCHED_AGAIN), &bytes.0)?;
                    self.again_bytes = all;
                }
            }
        }
        Ok((0, 0))
    }

    fn open_folder(
        &mut self,
        name: &str,
        is_sent: bool,
        uid_validity: u32,
        is_whole: bool,
    ) -> io::Result<()> {
        let root = self.root.clone().ok_or(io::ErrorKind::Unsupported)?;
        name.clone_into(&mut self.open);
        if !is_whole && self.folders.contains_key(name) {
            return Ok(());
        }
        let before = self.folders.get(name).map(|folder| folder.known.uid_validity);
        if before.is_some_and(|before| before != uid_validity) {
            self.clear_gone(name)?;
        }
        self.oldest.retain(|(folder, _)| folder != name);
        let path = root.join(fetched_folder(name, is_sent));
        made_anew(&path)?;
        for part in ["cur", "new", "tmp"] {
            DirBuilder::new().mode(0o700).create(path.join(part))?;
        }
        // By this file the agent knows what it is.
        put_file(&path, FETCHED_HEADS, &[])?;
        let known = KnownFolder {
            name: name.to_owned(),
            uid_validity,
            ..KnownFolder::default()
        };
        let folder = StoredFolder {
            known,
            path,
            ..StoredFolder::default()
        };
        self.folders.insert(name.to_owned(), folder);
        Ok(())
    }

    /// Leaves word for the agent which mails went from the server, and says whether any did. Once all folders were read: by then one that was moved
    /// lies in its new folder.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn tell_gone(&mut self) -> io::Result<bool> {
        let own: BTreeSet<u64> = self
            .folders
            .keys()
            .filter_map(|name| self.folder_number(name))
            .collect();
        let absent = std::mem::take(&mut self.absent).into_iter();
        self.gone
            .extend(absent.filter(|(folder, _)| own.contains(folder)));
        let gone: BTreeSet<(u64, u32)> = std::mem::take(&mut self.gone)
            .difference(&self.told_gone)
            .copied()
            .collect();
        let (Some(root), false) = (&self.root, gone.is_empty()) else {
            return Ok(false);
        };
        let lines: Vec<String> = gone
            .iter()
            .map(|(folder, uid)| format!("{folder} {uid}\n"))
            .collect();
        let mut options = OpenOptions::new();
        let mut file = options
            .append(true)
            .create(true)
            .mode(0o600)
            .open(root.join(FETCHED_GONE))?;
        file.write_all(lines.concat().as_bytes())?;
        self.told_gone.extend(gone);
        Ok(true)
    }

    fn folder_number(&self, folder: &str) -> Option<u64> {
        let account = self.root.as_ref()?.file_name()?.to_str()?;
        let name = self.folders.get(folder)?.path.file_name()?.to_str()?;
        Some(fetched_folder_number(account, name))
    }

    /// The server counts a folder anew: what is said to have gone from it is another mail now.
    fn clear_gone(&mut self, folder: &str) -> io::Result<()> {
        let number = self.folder_number(folder);
        let (Some(root), Some(number)) = (&self.root, number) else {
            return Ok(());
        };
        for places in [&mut self.gone, &mut self.told_gone] {
            places.retain(|(of, _)| *of != number);
        }
        let gone = root.join(FETCHED_GONE);
        let of_folder = format!("{number} ");
        let lines = fs::read_to_string(&gone).unwrap_or_default();
        let kept = lines.split_inclusive('\n');
        let kept: String = kept.filter(|line| !line.starts_with(&of_folder)).collect();
        if gone.exists() {
            fs::write(gone, kept)
        } else {
            Ok(())
        }
    }

    /// Removes the oldest mails, until all have room.
    fn make_room(&mut self) -> io::Result<()> {
        while self.bytes() > self.bytes_max
            && let Some((folder, uid)) = self.oldest.pop_front()
        {
            self.remove_file(&folder, uid)?;
        }
        Ok(())
    }

    fn remove(&mut self, folder: &str, uid: u32) -> io::Result<bool> {
        self.oldest
            .retain(|(name, known)| (name.as_str(), *known) != (folder, uid));
        self.remove_file(folder, uid)
    }

    fn remove_file(&mut self, folder: &str, uid: u32) -> io::Result<bool> {
        let Some(folder) = self.folders.get_mut(folder) else {
            return Ok(false);
        };
        folder.known.texts.remove(uid);
        let Some(mail) = folder.mails.remove(&uid) else {
            return Ok(false);
        };
        super::memory_files::remove_file(&folder.path.join("cur"), &file_name(uid, mail.marks))?;
        Ok(true)
    }

    /// Removes the folders that are there no more, and gives how many mails went with them.
    ///
    /// # Errors
    /// They cannot be removed.
    pub(super) fn keep_folders(&mut self, there: &[String]) -> io::Result<usize> {
        let gone = self.folders.extract_if(.., |name, _| !there.contains(name));
        let gone: Vec<StoredFolder> = gone.map(|(_, folder)| folder).collect();
        let mut mails = 0;
        for folder in gone {
            mails += folder.mails.len() + folder.heads;
            fs::remove_dir_all(&folder.path)?;
        }
        let folders = &self.folders;
        self.oldest.retain(|(name, _)| folders.contains_key(name));
        Ok(mails)
    }
}

/// Adds a head to an mbox.
fn add_head(mbox: &Path, head: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    let mut file = options.append(true).create(true).mode(0o600).open(mbox)?;
    file.write_all(&[SEPARATOR, head, b"\n"].concat())
}

impl StoredFolder {
    fn mark(&mut self, uid: u32, marks: MailMarks) -> io::Result<()> {
        let Some(mail) = self.mails.get_mut(&uid).filter(|mail| mail.marks != marks) else {
            return Ok(());
        };
        let cur = self.path.join("cur");
        fs::rename(
            cur.join(file_name(uid, mail.marks)),
            cur.join(file_name(uid, marks)),
        )?;
        mail.marks = marks;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aura_process::source::MailBytes;

    fn folder(name: &str, uid_validity: u32, is_whole: bool) -> MailPart {
        MailPart::Folder {
            name: name.to_owned(),
            is_sent: name.contains("Sent"),
            uid_validity,
            is_whole,
        }
    }

    fn mail(uid: u32, bytes: usize) -> MailPart {
        MailPart::Mail {
            uid,
            marks: MailMarks::default(),
            bytes: MailBytes(vec![b'x'; bytes]),
        }
    }

    fn head(uid: u32, bytes: usize) -> MailPart {
        MailPart::OldHead {
            uid,
            bytes: MailBytes(vec![b'y'; bytes]),
        }
    }

    fn files(root: &Path) -> Vec<String> {
        let mut found = Vec::new();
        let mut left = vec![root.to_owned()];
        while let Some(path) = left.pop() {
            for entry in fs::read_dir(path).unwrap() {
                let entry = entry.unwrap();
                if entry.file_type().unwrap().is_dir() {
                    left.push(entry.path());
                } else {
                    let path = entry.path();
                    found.push(path.strip_prefix(root).unwrap().to_str().unwrap().to_owned());
                }
            }
        }
        found.sort();
        found
    }

    fn store(bytes_max: u64) -> (tempfile::TempDir, MailStore) {
        let dir = tempfile::tempdir().unwrap();
        let store = MailStore::new(Some(dir.path().to_owned()), bytes_max);
        (dir, store)
    }

    #[test]
    fn mails_lie_as_in_a_maildir_and_marks_stand_in_their_names() {
        let (dir, mut store) = store(1 << 20);
        let marks = MailMarks {
            answered: true,
            seen: true,
            ..MailMarks::default()
        };
        for part in [
            folder("INBOX", 3, true),
            mail(7, 10),
            mail(8, 10),
            head(2, 5),
            head(2, 5),
            MailPart::Marks { uid: 7, marks },
            MailPart::Marks { uid: 99, marks },
            MailPart::Gone { uid: 8 },
            MailPart::ReadUpTo { uid: 8, mod_seq: 5 },
            // A name is no path, and no text of it is in one.
            folder("../../x", 1, true),
            mail(1, 10),
            folder("Sent", 1, true),
        ] {
            store.take(part).unwrap();
        }
        let told = dir.path().join(FETCHED_GONE);
        assert!(!told.exists(), "not before all folders were read");
        assert!(store.tell_gone().unwrap() && !store.tell_gone().unwrap());
        let other = fetched_folder("../../x", false);
        assert!(other.bytes().all(|c| c.is_ascii_hexdigit()), "{other}");
        let mut expected = vec![
            "INBOX/cur/7.aura:2,RS".to_owned(),
            "INBOX/heads.mbox".to_owned(),
            format!("{other}/cur/1.aura:2,"),
            format!("{other}/heads.mbox"),
            format!("{}/heads.mbox", fetched_folder("Sent", true)),
        ];
        expected.sort();
        expected.insert(0, FETCHED_GONE.to_owned());
        assert_eq!(files(dir.path()), expected);
        let account = dir.path().file_name().unwrap().to_str().unwrap();
        let gone = fs::read_to_string(&told).unwrap();
        assert_eq!(gone, format!("{} 8\n", fetched_folder_number(account, "INBOX")));
        assert!(dir.path().join(fetched_folder("Sent", true)).join("new").is_dir());
        assert_eq!((store.mails(), store.folders().len()), (3, 3));
        let inbox = store
            .known_folders()
            .into_iter()
            .find(|known| known.name == "INBOX")
            .unwrap();
        assert_eq!((inbox.upto, inbox.mod_seq, inbox.held.is_empty()), (8, 5, true));
        assert_eq!(inbox.texts, [7].into_iter().collect());

        // Another UIDVALIDITY: whole again, nothing is there twice.
        store.take(folder("INBOX", 4, true)).unwrap();
        store.take(mail(1, 10)).unwrap();
        assert_eq!(store.keep_folders(&["INBOX".to_owned()]).unwrap(), 1);
        let left = [FETCHED_GONE, "INBOX/cur/1.aura:2,", "INBOX/heads.mbox"];
        assert_eq!(files(dir.path()), left);
        assert_eq!(fs::read_to_string(&told).unwrap(), "");
    }

    #[test]
    fn oldest_mails_go_when_all_have_no_room_and_heads_take_half_of_it() {
        let (dir, mut store) = store(4 * PAGE);
        store.take(folder("INBOX", 3, true)).unwrap();
        for uid in 1..=6 {
            assert_eq!(store.take(mail(uid, 10)).unwrap(), (1, 0));
        }
        let mut expected = ["3", "4", "5", "6"]
            .map(|uid| format!("INBOX/cur/{uid}.aura:2,"))
            .to_vec();
        expected.push("INBOX/heads.mbox".to_owned());
        assert_eq!(files(dir.path()), expected);
        let length = usize::try_from(PAGE).unwrap();
        assert_eq!(store.take(head(9, length)).unwrap(), (1, 0));
        assert_eq!(store.take(head(8, length)).unwrap(), (0, 0));
        let text = fs::read(dir.path().join("INBOX/heads.mbox")).unwrap();
        assert!(text.starts_with(SEPARATOR) && text.ends_with(b"y\n"));
    }

    #[test]
    fn mails_that_are_not_here_are_asked_for_again_once_over_each_connection() {
        let (dir, mut store) = store(1 << 20);
        store.take(folder("INBOX", 3, true)).unwrap();
        store.take(mail(7, 10)).unwrap();
        let inbox = fetched_folder_number("home", "INBOX");
        let mails = [(inbox, 7), (inbox, 9), (inbox, 8), (5, 1)];
        let wanted = |folder, uids: &[u32]| WantedMails {
            folder,
            uids: uids.iter().copied().collect(),
        };
        let missing = store.ask_again("home", &mails);
        assert_eq!(missing, [wanted(5, &[1]), wanted(inbox, &[8, 9])]);
        assert_eq!(store.ask_again("home", &mails), []);
        let again = |uid| MailPart::HeadAgain {
            folder: inbox,
            uid,
            bytes: MailBytes(b"From: a@example.com\r\n\r\n".to_vec()),
        };
        for uid in [9, 9] {
            assert_eq!(store.take(again(uid)).unwrap(), (0, 0));
        }
        let text = fs::read_to_string(dir.path().join(FETCHED_AGAIN)).unwrap();
        assert_eq!(text.matches("a@example.com").count(), 1);
        store.clear_asked();
        assert_eq!(
            store.ask_again("home", &mails),
            [wanted(5, &[1]), wanted(inbox, &[8])]
        );
    }
}
