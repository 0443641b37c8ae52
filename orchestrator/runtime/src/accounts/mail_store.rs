//! Where mail of an account lies for the Comms agent.
//!
//! What: [`MailStore`], a Maildir for each folder with the marks in the names, beside it an mbox of the heads of older mail, in the memory of this
//! computer and within a bound. Why: the agent reads it as any other mail, and no byte of it is on a disk. Not here: fetching it
//! (`aura_process::source`), which memory (`memory_files`).

use super::memory_files::{made_anew, put_file};
use agents::FETCHED_HEADS;
use aura_process::source::{KnownFolder, MailMarks, MailPart};
use std::{
    collections::{BTreeMap, VecDeque},
    fs::{self, DirBuilder, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _},
    path::PathBuf,
};
use toolcall_schema::ids::sha256_hex;

/// Bytes of mail of all accounts together.
pub(super) const MAIL_BYTES_MAX: u64 = 64 << 20;
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
    /// The folder that parts are of.
    open: String,
    /// Mails with their text by when they came.
    oldest: VecDeque<(String, u32)>,
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
    format!("{uid}.aura:2,{flags}")
}

/// A folder's path has no text of the server in it.
fn folder_path(name: &str, is_sent: bool) -> String {
    let key: String = sha256_hex(name.as_bytes()).chars().take(16).collect();
    if name == "INBOX" {
        name.to_owned()
    } else if is_sent {
        // By this ending the agent knows what the owner wrote.
        format!("{key}.Sent")
    } else {
        key
    }
}

fn on_pages(bytes: usize) -> u64 {
    u64::try_from(bytes).unwrap_or(u64::MAX).div_ceil(PAGE) * PAGE
}

impl MailStore {
    pub(super) fn new(root: Option<PathBuf>, bytes_max: u64) -> Self {
        Self {
            root,
            bytes_max,
            ..Self::default()
        }
    }

    /// What need not be fetched again.
    pub(super) fn known_folders(&self) -> Vec<KnownFolder> {
        let known = self.folders.values().map(|folder| folder.known.clone());
        known.collect()
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
                folder.add_head(&bytes.0)?;
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
                return Ok((0, usize::from(self.remove(&open, uid)?)));
            }
            MailPart::ReadUpTo { uid, mod_seq } => {
                if let Some(folder) = self.folders.get_mut(&self.open) {
                    (folder.known.upto, folder.known.mod_seq) = (uid, mod_seq);
                    folder.known.held.clear();
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
        let root = self.root.as_ref().ok_or(io::ErrorKind::Unsupported)?;
        name.clone_into(&mut self.open);
        if !is_whole && self.folders.contains_key(name) {
            return Ok(());
        }
        self.oldest.retain(|(folder, _)| folder != name);
        let path = root.join(folder_path(name, is_sent));
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

impl StoredFolder {
    fn add_head(&self, head: &[u8]) -> io::Result<()> {
        let mut file = OpenOptions::new()
            .append(true)
            .create(true)
            .mode(0o600)
            .open(self.path.join(FETCHED_HEADS))?;
        file.write_all(&[SEPARATOR, head, b"\n"].concat())
    }

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
    use std::path::Path;

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
        let other = folder_path("../../x", false);
        assert!(other.bytes().all(|c| c.is_ascii_hexdigit()), "{other}");
        let mut expected = vec![
            "INBOX/cur/7.aura:2,RS".to_owned(),
            "INBOX/heads.mbox".to_owned(),
            format!("{other}/cur/1.aura:2,"),
            format!("{other}/heads.mbox"),
            format!("{}/heads.mbox", folder_path("Sent", true)),
        ];
        expected.sort();
        assert_eq!(files(dir.path()), expected);
        assert!(dir.path().join(folder_path("Sent", true)).join("new").is_dir());
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
        assert_eq!(files(dir.path()), ["INBOX/cur/1.aura:2,", "INBOX/heads.mbox"]);
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
}
