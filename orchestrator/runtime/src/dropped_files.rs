//! Files that the owner drops on a page.
//!
//! What: [`DroppedFiles`], which keeps them in the memory of this computer until they are read once. Why: a browser gives bytes and no path, and what
//! readers open is a path; no disk has to hold a copy of hers for that. Not here: what is in them (`source_look`), reading (`control_handler`).

use crate::{memory_folder::memory_folder, sources};
use std::{
    fs::{self, File, OpenOptions, Permissions},
    io::Write as _,
    os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};
use surfaces_base::backend::settings::{
    DROPPED_BYTES_MAX, DroppedFileView, DroppedReply, DroppedStage, FileBytes, FilePiece, FoundSourceView,
    HANDED_BYTES_MAX, HANDED_MAX, HandedFileView,
};
use tempfile::TempDir;
use toolcall_schema::{SourceKind, ids::sha256_hex};

/// Bytes of all files that are there at once.
const ALL_BYTES_MAX: u64 = 2 * DROPPED_BYTES_MAX;
/// Files that wait for their owner's word, and for how long.
const OFFERED_MAX: usize = 64;
const OFFERED_FOR: Duration = Duration::from_mins(30);
/// For how long those wait that a device handed over: it may be away from this computer until the evening.
const HANDED_FOR: Duration = Duration::from_hours(24);
/// Files that are told about after they were read.
const TOLD_MAX: usize = 16;
/// Characters of a file's name.
const NAME_MAX: usize = 120;

/// The files, over all machines of a process. The last clone takes them with it.
#[derive(Debug, Clone, Default)]
pub(crate) struct DroppedFiles(Arc<Mutex<DroppedState>>);

#[derive(Debug, Default)]
struct DroppedState {
    room: Option<TempDir>,
    files: Vec<DroppedFile>,
}

#[derive(Debug)]
struct DroppedFile {
    path: PathBuf,
    bytes: u64,
    stage: FileStage,
    /// A device handed it over; only the owner's proven browser drops files to be allowed at once.
    handed: Option<HandedFile>,
}

#[derive(Debug)]
struct HandedFile {
    /// The device's name.
    from: String,
    /// What it is; `None` until all of it came.
    found: Option<FoundSourceView>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FileStage {
    /// Its owner has not said whether it may be read.
    Offered(Instant),
    Queued(SourceKind),
    Reading(SourceKind),
    Read(SourceKind),
    /// It was not read, and is not there any more.
    Failed(SourceKind),
}

impl FileStage {
    fn holds_room(self) -> bool {
        match self {
            Self::Offered(_) | Self::Queued(_) | Self::Reading(_) => true,
            Self::Read(_) | Self::Failed(_) => false,
        }
    }
}

impl DroppedFile {
    /// Since when it waits for its owner's word, where it does.
    fn offered(&self) -> Option<Instant> {
        match self.stage {
            FileStage::Offered(since) => Some(since),
            FileStage::Queued(_) | FileStage::Reading(_) | FileStage::Read(_) | FileStage::Failed(_) => None,
        }
    }
}

impl DroppedFiles {
    fn state(&self) -> MutexGuard<'_, DroppedState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a file in, for the service of that data folder, and says what it is. `from`: the device that hands it over. Blocks until its last byte came.
    pub(crate) fn take(
        &self,
        data: &Path,
        (name, from): (&str, Option<String>),
        bytes: &mut FileBytes,
    ) -> DroppedReply {
        let name = clean_name(name);
        let is_handed = from.is_some();
        let path = match self.receive(data, (&name, from), bytes) {
            Ok(path) => path,
            Err(reply) => return reply,
        };
        let reply = reply_for(&path, name.clone());
        if is_handed {
            if let DroppedReply::Source(found) = reply {
                self.wait_for_owner(&path, found);
                return DroppedReply::Waits(name);
            }
            self.remove(&path);
            return reply;
        }
        if !matches!(reply, DroppedReply::Source(_) | DroppedReply::Contacts(_)) {
            self.remove(&path);
        }
        reply
    }

    fn receive(
        &self,
        data: &Path,
        (name, from): (&str, Option<String>),
        bytes: &mut FileBytes,
    ) -> Result<PathBuf, DroppedReply> {
        let (path, mut left) = {
            let mut state = self.state();
            state.let_go(Instant::now());
            let handed = from.is_some().then(|| state.handed_room()).transpose()?;
            let room = state.room(data).ok_or(DroppedReply::NoRoom)?;
            let folder = room.join(uuid::Uuid::new_v4().simple().to_string());
            fs::create_dir(&folder).map_err(|_| DroppedReply::NoRoom)?;
            let path = folder.join(name);
            let left = ALL_BYTES_MAX.saturating_sub(state.bytes());
            // From now on it counts, so that many at once do not take more than one after the other.
            state.files.push(DroppedFile {
                path: path.clone(),
                bytes: 0,
                stage: FileStage::Offered(Instant::now()),
                handed: from.map(|from| HandedFile { from, found: None }),
            });
            (path, left.min(handed.unwrap_or(DROPPED_BYTES_MAX)))
        };
        let received = write(&path, &mut left, bytes, |written| {
            let mut state = self.state();
            if let Some(file) = state.files.iter_mut().find(|file| file.path == path) {
                file.bytes = written;
            }
        });
        match received {
            Ok(()) => Ok(path),
            Err(reply) => {
                self.remove(&path);
                Err(reply)
            }
        }
    }

    fn wait_for_owner(&self, path: &Path, found: FoundSourceView) {
        let mut state = self.state();
        let file = state.files.iter_mut().find(|file| file.path == path);
        if let Some(handed) = file.and_then(|file| file.handed.as_mut()) {
            handed.found = Some(found);
        }
    }

    fn remove(&self, path: &Path) {
        remove_file(path);
        self.state().files.retain(|file| file.path != path);
    }

    /// Whether this is a file that waits for its owner's word.
    pub(crate) fn is_offered(&self, path: &Path) -> bool {
        let is_it = |file: &DroppedFile| file.path == path && matches!(file.stage, FileStage::Offered(_));
        self.state().files.iter().any(is_it)
    }

    /// Its owner allows that it is read.
    pub(crate) fn queue(&self, path: &Path, kind: SourceKind) {
        self.set(path, FileStage::Queued(kind));
    }

    /// She is asked again: what she said with it was not taken.
    pub(crate) fn offer_again(&self, path: &Path) {
        self.set(path, FileStage::Offered(Instant::now()));
    }

    fn set(&self, path: &Path, stage: FileStage) {
        if let Some(file) = self.state().files.iter_mut().find(|file| file.path == path) {
            file.stage = stage;
        }
    }

    /// What a machine that ended was reading is to be read by the next.
    pub(crate) fn queue_unfinished(&self) {
        for file in &mut self.state().files {
            if let FileStage::Reading(kind) = file.stage {
                file.stage = FileStage::Queued(kind);
            }
        }
    }

    /// Those that are to be read now.
    pub(crate) fn begin(&self) -> Vec<(SourceKind, PathBuf)> {
        let mut begun = Vec::new();
        for file in &mut self.state().files {
            if let FileStage::Queued(kind) = file.stage {
                file.stage = FileStage::Reading(kind);
                begun.push((kind, file.path.clone()));
            }
        }
        begun
    }

    /// They were read, or could not be: none of them is kept.
    pub(crate) fn finish(&self, files: &[(SourceKind, PathBuf)], is_read: bool) {
        for (kind, path) in files {
            remove_file(path);
            let stage = if is_read {
                FileStage::Read(*kind)
            } else {
                FileStage::Failed(*kind)
            };
            self.set(path, stage);
        }
        let mut state = self.state();
        let done = |file: &DroppedFile| !file.stage.holds_room();
        let mut over = state
            .files
            .iter()
            .filter(|file| done(file))
            .count()
            .saturating_sub(TOLD_MAX);
        state.files.retain(|file| {
            let goes = over > 0 && done(file);
            over -= usize::from(goes);
            !goes
        });
    }

    /// What a device handed over goes after a day, also where nobody looks.
    pub(crate) fn remove_in_a_day(&self) {
        // Whoever ends takes the files with it meanwhile.
        let state = Arc::downgrade(&self.0);
        tokio::spawn(async move {
            tokio::time::sleep(HANDED_FOR + Duration::from_secs(1)).await;
            if let Some(state) = state.upgrade() {
                Self(state).state().remove_stale(Instant::now(), 0);
            }
        });
    }

    /// Those that devices handed over and that wait, oldest first.
    pub(crate) fn handed(&self) -> Vec<HandedFileView> {
        let mut state = self.state();
        state.remove_stale(Instant::now(), 0);
        let view = |file: &DroppedFile| {
            let HandedFile { from, found } = file.handed.as_ref()?;
            let found = found.clone().filter(|_| file.offered().is_some())?;
            Some(HandedFileView {
                found,
                from: from.clone(),
                bytes: file.bytes,
            })
        };
        state.files.iter().filter_map(view).collect()
    }

    /// What became of those that may be read.
    pub(crate) fn views(&self) -> Vec<DroppedFileView> {
        let view = |file: &DroppedFile| {
            let (kind, stage) = match file.stage {
                FileStage::Offered(_) => return None,
                FileStage::Queued(kind) | FileStage::Reading(kind) => (kind, DroppedStage::Reading),
                FileStage::Read(kind) => (kind, DroppedStage::Read),
                FileStage::Failed(kind) => (kind, DroppedStage::Failed),
            };
            let name = file.path.file_name()?.to_string_lossy().into_owned();
            Some(DroppedFileView { name, kind, stage })
        };
        self.state().files.iter().filter_map(view).collect()
    }
}

impl DroppedState {
    fn bytes(&self) -> u64 {
        self.files
            .iter()
            .filter(|file| file.stage.holds_room())
            .map(|file| file.bytes)
            .sum()
    }

    /// How many bytes a device may hand over now.
    fn handed_room(&self) -> Result<u64, DroppedReply> {
        let waits = |file: &&DroppedFile| file.handed.is_some() && file.stage.holds_room();
        let waiting: Vec<u64> = self.files.iter().filter(waits).map(|file| file.bytes).collect();
        if waiting.len() >= HANDED_MAX {
            return Err(DroppedReply::NoRoom);
        }
        Ok(HANDED_BYTES_MAX.saturating_sub(waiting.iter().sum()))
    }

    /// Removes what nobody has said a word about, so that one more has room.
    fn let_go(&mut self, now: Instant) {
        let dropped = |file: &&DroppedFile| file.handed.is_none() && file.offered().is_some();
        let count = self.files.iter().filter(dropped).count() + 1;
        self.remove_stale(now, count.saturating_sub(OFFERED_MAX));
    }

    /// Removes what waited too long, and so many of the oldest that were dropped.
    fn remove_stale(&mut self, now: Instant, mut over: usize) {
        self.files.retain(|file| {
            let Some(since) = file.offered() else {
                return true;
            };
            let waited = now.saturating_duration_since(since);
            let goes = if file.handed.is_some() {
                waited > HANDED_FOR
            } else {
                let goes = over > 0 || waited > OFFERED_FOR;
                over = over.saturating_sub(usize::from(goes));
                goes
            };
            if goes {
                remove_file(&file.path);
            }
            !goes
        });
    }

    /// The folder, made on a file system in memory; `None`: there is none.
    fn room(&mut self, data: &Path) -> Option<&Path> {
        if self.room.is_none() {
            self.room = room_in(&memory_folder()?, data);
        }
        self.room.as_ref().map(TempDir::path)
    }
}

/// A folder of this service's own. What an earlier one of the same data folder left, which was killed, goes.
fn room_in(memory: &Path, data: &Path) -> Option<TempDir> {
    let digest = sha256_hex(data.as_os_str().as_encoded_bytes());
    let prefix = format!("aura-dropped-{}-", digest.get(..12)?);
    for left in fs::read_dir(memory).ok()?.flatten() {
        if left.file_name().to_string_lossy().starts_with(&prefix) {
            // Another user's of that name stays, and does no harm.
            let _ = fs::remove_dir_all(left.path());
        }
    }
    // Its owner's alone, and of a name that was not there.
    let mut builder = tempfile::Builder::new();
    builder.permissions(Permissions::from_mode(0o700));
    builder.prefix(&prefix).tempdir_in(memory).ok()
}

/// Writes what comes, and tells how much there is so far.
fn write(
    path: &Path,
    left: &mut u64,
    bytes: &mut FileBytes,
    mut tell: impl FnMut(u64),
) -> Result<(), DroppedReply> {
    let made = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path);
    let mut file: File = made.map_err(|_| DroppedReply::NoRoom)?;
    let mut written = 0;
    loop {
        // The browser went away in the middle, or its owner stopped it.
        let chunk = match bytes.blocking_recv() {
            Some(Ok(FilePiece::Bytes(chunk))) => chunk,
            Some(Ok(FilePiece::End)) => return Ok(()),
            Some(Err(_)) | None => return Err(DroppedReply::NoRoom),
        };
        let more = chunk.len() as u64;
        *left = left.checked_sub(more).ok_or(DroppedReply::TooLarge)?;
        file.write_all(&chunk).map_err(|_| DroppedReply::NoRoom)?;
        written += more;
        tell(written);
    }
}

/// Removes a file with the folder that was made for it.
fn remove_file(path: &Path) {
    if let Some(folder) = path.parent()
        && let Err(error) = fs::remove_dir_all(folder)
    {
        tracing::warn!(%error, "a dropped file could not be removed from memory");
    }
}

/// A name that is one name, as a page may show it. Its ending stays: it says what the file is.
fn clean_name(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let mut name: String = last.chars().filter(|c| !c.is_control()).collect();
    // A name that begins with a dot is hidden from readers.
    name = name.trim_start_matches('.').trim().to_owned();
    let over = name.chars().count().saturating_sub(NAME_MAX);
    // A file system takes 255 bytes.
    let mut name: String = name.chars().skip(over).collect();
    while name.len() > 255 {
        name.remove(0);
    }
    if name.is_empty() { "file".to_owned() } else { name }
}

fn reply_for(path: &Path, name: String) -> DroppedReply {
    if let Some(unfit) = sources::unfit(path) {
        return DroppedReply::Unfit(unfit, name);
    }
    let ends_in = |wanted: &str| {
        path.extension()
            .is_some_and(|ending| ending.eq_ignore_ascii_case(wanted))
    };
    let is_table = ends_in("csv");
    // A table that no rule knows may be a statement: the look tells.
    match sources::kind_of(path).or(is_table.then_some(SourceKind::Finance)) {
        Some(SourceKind::Calendar) if ends_in("ics") => DroppedReply::Calendar(name),
        // The other formats of calendars hold tasks alone.
        Some(SourceKind::Calendar) => DroppedReply::Tasks(name),
        Some(kind) => match crate::settings::source_ref(kind, path) {
            Some(source) => {
                let found = FoundSourceView {
                    source,
                    program: name,
                    place: String::new(),
                };
                if kind == SourceKind::Contacts {
                    DroppedReply::Contacts(found)
                } else {
                    DroppedReply::Source(found)
                }
            }
            None => DroppedReply::Unknown(name),
        },
        None => DroppedReply::Unknown(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use surfaces_base::backend::source_look::UnfitFile;
    use tokio::sync::mpsc;

    /// How a file ends.
    #[derive(Clone, Copy, PartialEq, Eq)]
    enum Ending {
        Whole,
        /// The connection broke.
        Cut,
        /// Its owner stopped it.
        Stopped,
    }

    fn stream_of(chunks: &[&[u8]], ending: Ending) -> FileBytes {
        let (send, bytes) = mpsc::channel(chunks.len() + 1);
        for chunk in chunks {
            send.try_send(Ok(FilePiece::Bytes(chunk.to_vec().into())))
                .unwrap();
        }
        let last = match ending {
            Ending::Whole => Ok(FilePiece::End),
            Ending::Cut => Err(std::io::ErrorKind::ConnectionReset.into()),
            Ending::Stopped => return bytes,
        };
        send.try_send(last).unwrap();
        bytes
    }

    /// A room in a folder of the test's, so that one without `/dev/shm` runs it too.
    fn empty_room(folder: &Path) -> DroppedFiles {
        let dropped = DroppedFiles::default();
        dropped.state().room = room_in(folder, Path::new("/data"));
        dropped
    }

    fn source(reply: DroppedReply) -> PathBuf {
        let DroppedReply::Source(found) = reply else {
            panic!("{reply:?}")
        };
        PathBuf::from(found.source.path)
    }

    #[test]
    fn a_file_is_kept_until_it_was_read_and_no_longer() {
        let folder = tempfile::tempdir().unwrap();
        let dropped = empty_room(folder.path());
        let data = Path::new("/data");
        let reply = dropped.take(
            data,
            ("C:\\Users\\x\\May.csv", None),
            &mut stream_of(&[b"Date,Payee", b",Amount EUR\n"], Ending::Whole),
        );
        let path = source(reply);
        assert_eq!(fs::read(&path).unwrap(), b"Date,Payee,Amount EUR\n");
        assert!(path.ends_with("May.csv") && dropped.is_offered(&path));
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&path), 0o600);
        assert_eq!(mode(path.ancestors().nth(2).unwrap()), 0o700);
        assert_eq!((dropped.views(), dropped.begin()), (vec![], vec![]));

        dropped.queue(&path, SourceKind::Finance);
        assert!(!dropped.is_offered(&path));
        let begun = dropped.begin();
        assert_eq!(begun, [(SourceKind::Finance, path.clone())]);
        assert_eq!(dropped.begin(), []);
        // The machine started anew in the middle.
        dropped.queue_unfinished();
        assert_eq!(dropped.begin(), begun);
        dropped.finish(&begun, true);
        assert!(!path.exists());
        let view = |stage| DroppedFileView {
            name: "May.csv".to_owned(),
            kind: SourceKind::Finance,
            stage,
        };
        assert_eq!(dropped.views(), [view(DroppedStage::Read)]);
        drop(dropped);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn what_cannot_be_read_is_told_and_not_kept() {
        let folder = tempfile::tempdir().unwrap();
        let dropped = empty_room(folder.path());
        let take = |name: &str, bytes: &[u8]| {
            dropped.take(
                Path::new("/data"),
                (name, None),
                &mut stream_of(&[bytes], Ending::Whole),
            )
        };
        let photo = take("a.jpg", b"\xFF\xD8\xFF\xE0");
        assert_eq!(photo, DroppedReply::Unfit(UnfitFile::Picture, "a.jpg".to_owned()));
        let calendar = take("b.ics", b"BEGIN:VCALENDAR\r\n");
        assert_eq!(calendar, DroppedReply::Calendar("b.ics".to_owned()));
        for (file, bytes) in [
            ("todo.txt", &b"(A) Call the plumber\n"[..]),
            ("pending.data", b"[description:\"x\"]\n"),
        ] {
            assert_eq!(take(file, bytes), DroppedReply::Tasks(file.to_owned()));
        }
        assert_eq!(take("c.xyz", b"?"), DroppedReply::Unknown("c.xyz".to_owned()));
        // An address book is looked into, and goes with what nobody says a word about.
        let book = take("people.vcf", b"BEGIN:VCARD\r\nFN:Asha\r\nEND:VCARD\r\n");
        let DroppedReply::Contacts(found) = book else {
            panic!("{book:?}")
        };
        let path = PathBuf::from(found.source.path);
        assert!(found.source.list == SourceKind::Contacts && dropped.is_offered(&path));
        dropped.remove(&path);
        for ending in [Ending::Cut, Ending::Stopped] {
            let cut = dropped.take(
                Path::new("/data"),
                ("d.csv", None),
                &mut stream_of(&[b"Date"], ending),
            );
            assert_eq!(cut, DroppedReply::NoRoom);
        }
        let megabyte = vec![b' '; 1 << 20];
        let many = vec![&megabyte[..]; usize::try_from(DROPPED_BYTES_MAX >> 20).unwrap() + 1];
        let large = dropped.take(
            Path::new("/data"),
            ("e.csv", None),
            &mut stream_of(&many, Ending::Whole),
        );
        assert_eq!(large, DroppedReply::TooLarge);
        assert!(dropped.state().files.is_empty());
        let room = dropped.state().room.as_ref().unwrap().path().to_owned();
        assert_eq!(fs::read_dir(room).unwrap().count(), 0);
    }

    #[test]
    fn what_nobody_says_a_word_about_goes() {
        let folder = tempfile::tempdir().unwrap();
        let dropped = empty_room(folder.path());
        let take = || {
            source(dropped.take(
                Path::new("/data"),
                ("a.ofx", None),
                &mut stream_of(&[b"OFXHEADER:100"], Ending::Whole),
            ))
        };
        let first = take();
        for _ in 1..OFFERED_MAX {
            take();
        }
        assert!(first.exists());
        take();
        assert!(!first.exists());
        let later = Instant::now() + OFFERED_FOR + Duration::from_secs(1);
        dropped.state().let_go(later);
        assert!(dropped.state().files.is_empty());
    }

    #[test]
    fn what_a_device_hands_over_waits_a_day_within_bounds_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let dropped = empty_room(folder.path());
        let hand_over = |name: &str, chunks: &[&[u8]]| {
            let from = Some("phone".to_owned());
            dropped.take(
                Path::new("/data"),
                (name, from),
                &mut stream_of(chunks, Ending::Whole),
            )
        };
        assert_eq!(
            hand_over("May.csv", &[b"Date,Payee"]),
            DroppedReply::Waits("May.csv".to_owned())
        );
        let waiting = dropped.handed();
        let [one] = waiting.as_slice() else {
            panic!("{waiting:?}")
        };
        assert_eq!(
            (one.found.program.as_str(), one.from.as_str(), one.bytes),
            ("May.csv", "phone", 10)
        );
        let path = PathBuf::from(&one.found.source.path);
        assert!(dropped.is_offered(&path) && path.exists());
        // What cannot be read as it is is not kept, nor an address book, which is read where it lies.
        assert!(matches!(
            hand_over("people.vcf", &[b"BEGIN:VCARD\r\nFN:Asha\r\nEND:VCARD\r\n"]),
            DroppedReply::Contacts(_)
        ));
        assert_eq!(
            hand_over("b.ics", &[b"BEGIN:VCALENDAR\r\n"]),
            DroppedReply::Calendar("b.ics".to_owned())
        );
        let megabyte = vec![b' '; 1 << 20];
        let many = vec![&megabyte[..]; usize::try_from(HANDED_BYTES_MAX >> 20).unwrap()];
        assert_eq!(hand_over("large.csv", &many), DroppedReply::TooLarge);
        for _ in 1..HANDED_MAX {
            hand_over("a.csv", &[b"Date"]);
        }
        assert_eq!(hand_over("a.csv", &[b"Date"]), DroppedReply::NoRoom);
        // It takes no place of those that are dropped, and outlives them.
        dropped
            .state()
            .let_go(Instant::now() + OFFERED_FOR + Duration::from_secs(1));
        assert_eq!(dropped.handed().len(), HANDED_MAX);
        dropped.queue(&path, SourceKind::Finance);
        assert_eq!(dropped.handed().len(), HANDED_MAX - 1);
        dropped.finish(&dropped.begin(), true);
        dropped
            .state()
            .let_go(Instant::now() + HANDED_FOR + Duration::from_secs(1));
        assert_eq!(dropped.handed(), []);
    }

    #[test]
    fn a_room_that_a_killed_service_left_goes_and_anothers_stays() {
        let folder = tempfile::tempdir().unwrap();
        let left = room_in(folder.path(), Path::new("/data")).unwrap().keep();
        let other = room_in(folder.path(), Path::new("/other")).unwrap().keep();
        let _room = room_in(folder.path(), Path::new("/data")).unwrap();
        assert!(!left.exists() && other.exists());
    }

    #[test]
    fn a_name_is_one_name_with_its_ending() {
        for (given, expected) in [
            ("May.csv", "May.csv"),
            ("../../etc/passwd", "passwd"),
            ("C:\\a\\b.ofx", "b.ofx"),
            (".hidden.csv", "hidden.csv"),
            ("a\u{7}b.csv", "ab.csv"),
            ("..", "file"),
            ("", "file"),
        ] {
            assert_eq!(clean_name(given), expected);
        }
        let long = clean_name(&format!("{}.csv", "ü".repeat(400)));
        assert!(long.ends_with("ü.csv") && long.chars().count() == NAME_MAX);
    }
}
