//! A folder that is held, and what lies in it.
//!
//! What: [`HeldFolder`], a descriptor; every step from it is one name, followed by the kernel beneath it and over no link (`openat2`).
//! Why: no name can lead out, whatever anybody does to the tree meanwhile. Not here: the order of the steps (`edit`).

use super::refusal;
use aura_process::sandbox::limits::owners_umask;
use rustix::{
    fs::{self as sys, AtFlags, Dir, FileType, Mode, OFlags, RenameFlags, ResolveFlags},
    io::Errno,
};
use std::{
    fs::File,
    io::{Read as _, Write as _},
    os::fd::{AsFd as _, OwnedFd},
    path::Path,
};
use toolcall_schema::{protocol::MAX_MESSAGE_BYTES, rejection::RefusalReason};

/// Beneath the folder, over no link of either sort.
const HOW: ResolveFlags = ResolveFlags::BENEATH
    .union(ResolveFlags::NO_SYMLINKS)
    .union(ResolveFlags::NO_MAGICLINKS);

#[cfg(test)]
thread_local! {
    /// As if the file system knew plain renames alone.
    pub(super) static PLAIN: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// A folder that is held.
pub(super) struct HeldFolder(OwnedFd);

/// What has a name in a folder.
pub(super) enum FolderEntry {
    Nothing,
    /// A plain file of text with one name.
    Text(TextFile),
    /// Anything else, in words.
    Other(&'static str),
}

pub(super) struct TextFile {
    pub(super) text: String,
    mode: Mode,
}

/// The system refused a step.
pub(super) fn wrong(doing: &str, name: &str, errno: Errno) -> RefusalReason {
    match errno {
        Errno::LOOP | Errno::XDEV => unfit(name, "a link, or behind one"),
        Errno::NOTDIR => unfit(name, "no folder"),
        errno => refusal::new(
            "ARTIFACT-006",
            format!(
                "the system refused to {doing} {name:?} ({errno}); make room or give permission, then resume"
            ),
        ),
    }
}

pub(super) fn unfit(name: &str, what: &str) -> RefusalReason {
    refusal::new(
        "ARTIFACT-004",
        format!("{name:?} is {what}; only plain text files with one name and plain folders are written to"),
    )
}

/// What the owner's own umask leaves of a mode, where this process has another one.
fn owners_mode(mode: u32) -> Option<Mode> {
    owners_umask().map(|umask| Mode::from_raw_mode(mode & !umask))
}

impl HeldFolder {
    /// Any folder of the owner's, links followed: the project's.
    pub(super) fn open(path: &Path) -> Result<Self, Errno> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        sys::open(path, flags, Mode::empty()).map(Self)
    }

    /// The same folder, held once more.
    pub(super) fn again(&self) -> Result<Self, RefusalReason> {
        self.0
            .try_clone()
            .map(Self)
            .map_err(|error| refusal::new("ARTIFACT-006", format!("a folder cannot be held: {error}")))
    }

    fn open_at(&self, name: &str, flags: OFlags, mode: Mode) -> Result<OwnedFd, Errno> {
        // Interrupted, or somebody renamed a folder meanwhile: the kernel asks to try again.
        for _ in 0..16 {
            match sys::openat2(
                &self.0,
                name,
                flags | OFlags::CLOEXEC | OFlags::NOFOLLOW,
                mode,
                HOW,
            ) {
                Err(Errno::INTR | Errno::AGAIN) => {}
                done => return done,
            }
        }
        Err(Errno::AGAIN)
    }

    fn child(&self, name: &str) -> Result<Self, Errno> {
        self.open_at(name, OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty())
            .map(Self)
    }

    /// The folder so many names down; `None`: it is not there.
    pub(super) fn descend(&self, names: &[String]) -> Result<Option<Self>, RefusalReason> {
        let mut here = self.again()?;
        for name in names {
            here = match here.child(name) {
                Ok(folder) => folder,
                Err(Errno::NOENT) => return Ok(None),
                Err(errno) => return Err(wrong("open the folder", name, errno)),
            };
        }
        Ok(Some(here))
    }

    /// The folder so many names down, made as far as it is not there; `made` is told the depth of each that is.
    pub(super) fn descend_making(
        &self,
        names: &[String],
        made: &mut impl FnMut(usize),
    ) -> Result<Self, RefusalReason> {
        let mut here = self.again()?;
        for (depth, name) in names.iter().enumerate() {
            let mut is_ours = false;
            if let Err(errno) = here.child(name).map(|_| ())
                && errno == Errno::NOENT
            {
                match sys::mkdirat(&here.0, name.as_str(), Mode::from_raw_mode(0o755)) {
                    Ok(()) => {
                        is_ours = true;
                        made(depth);
                    }
                    // Somebody was faster.
                    Err(Errno::EXIST) => {}
                    Err(errno) => return Err(wrong("make the folder", name, errno)),
                }
                here.sync()?;
            }
            here = here
                .child(name)
                .map_err(|errno| wrong("open the folder", name, errno))?;
            if let Some(mode) = owners_mode(0o755).filter(|_| is_ours) {
                sys::fchmod(&here.0, mode).map_err(|errno| wrong("set the mode of", name, errno))?;
            }
        }
        Ok(here)
    }

    /// Whether anything has that name.
    pub(super) fn has(&self, name: &str) -> Result<bool, RefusalReason> {
        match sys::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(_) => Ok(true),
            Err(Errno::NOENT) => Ok(false),
            Err(errno) => Err(wrong("look at", name, errno)),
        }
    }

    /// Names in it that are text.
    pub(super) fn names(&self) -> Result<Vec<String>, RefusalReason> {
        let list = || -> Result<Vec<String>, Errno> {
            let mut names = vec![];
            for entry in Dir::read_from(&self.0)? {
                names.extend(entry?.file_name().to_str().map(str::to_owned));
            }
            Ok(names)
        };
        list().map_err(|errno| wrong("list the folder of", "", errno))
    }

    /// What has that name, read in full if it is a plain file of text.
    pub(super) fn look(&self, name: &str) -> Result<FolderEntry, RefusalReason> {
        // Without waiting for whoever writes to a pipe.
        let file = match self.open_at(name, OFlags::RDONLY | OFlags::NONBLOCK, Mode::empty()) {
            Ok(file) => file,
            Err(Errno::NOENT) => return Ok(FolderEntry::Nothing),
            Err(Errno::LOOP) => return Ok(FolderEntry::Other("a link")),
            Err(Errno::NXIO) => return Ok(FolderEntry::Other("no plain file")),
            Err(errno) => return Err(wrong("open", name, errno)),
        };
        let stat = sys::fstat(&file).map_err(|errno| wrong("look at", name, errno))?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            return Ok(FolderEntry::Other("no plain file"));
        }
        if stat.st_nlink > 1 {
            return Ok(FolderEntry::Other("a file with several names (hard links)"));
        }
        let mut bytes = vec![];
        let most = MAX_MESSAGE_BYTES as u64 + 1;
        if let Err(error) = File::from(file).take(most).read_to_end(&mut bytes) {
            return Err(refusal::new(
                "ARTIFACT-006",
                format!("the system refused to read {name:?} ({error})"),
            ));
        }
        if bytes.len() as u64 == most {
            return Ok(FolderEntry::Other("a file of more than 4 MiB"));
        }
        Ok(match String::from_utf8(bytes) {
            Ok(text) => FolderEntry::Text(TextFile {
                text,
                mode: Mode::from_raw_mode(stat.st_mode & 0o777),
            }),
            Err(_) => FolderEntry::Other("no text in UTF-8"),
        })
    }

    /// Writes a new file, which is on disk when this returns; for `place`, with the mode of the
    /// one that is there.
    pub(super) fn write_new(
        &self,
        name: &str,
        place: &str,
        text: &str,
        like: Option<&TextFile>,
    ) -> Result<(), RefusalReason> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
        let file = self
            .open_at(name, flags, Mode::from_raw_mode(0o644))
            .map_err(|errno| wrong("make", place, errno))?;
        if let Some(mode) = like.map(|like| like.mode).or_else(|| owners_mode(0o644)) {
            sys::fchmod(&file, mode).map_err(|errno| wrong("set the mode of", place, errno))?;
        }
        let mut file = File::from(file);
        let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
        written.map_err(|error| {
            let errno = error.raw_os_error().map_or(Errno::IO, Errno::from_raw_os_error);
            wrong("write", place, errno)
        })
    }

    /// Gives what is there a name that nobody has; `EXIST` when somebody has it.
    pub(super) fn rename_new(&self, from: &str, to: &str, step: &mut dyn FnMut()) -> Result<(), Errno> {
        if let Some(done) = self.in_one_step(from, to, RenameFlags::NOREPLACE) {
            return done;
        }
        match sys::linkat(&self.0, from, &self.0, to, AtFlags::empty()) {
            Ok(()) => {
                step();
                sys::unlinkat(&self.0, from, AtFlags::empty())
            }
            Err(errno @ (Errno::EXIST | Errno::NOENT)) => Err(errno),
            // No second names either: only what comes in this moment is replaced.
            Err(_) => match sys::statat(&self.0, to, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(_) => Err(Errno::EXIST),
                Err(Errno::NOENT) => sys::renameat(&self.0, from, &self.0, to),
                Err(errno) => Err(errno),
            },
        }
    }

    /// Exchanges two. Where the file system cannot, what is in the `place` goes by the name `spare` meanwhile, so that nothing that
    /// somebody put there is replaced unseen; [`Self::finish_exchange`] brings back what a kill leaves.
    pub(super) fn exchange(
        &self,
        other: &str,
        place: &str,
        spare: &str,
        step: &mut dyn FnMut(),
    ) -> Result<(), Errno> {
        if let Some(done) = self.in_one_step(other, place, RenameFlags::EXCHANGE) {
            return done;
        }
        sys::renameat(&self.0, place, &self.0, spare)?;
        step();
        if let Err(errno) = self.rename_new(other, place, step) {
            // Somebody was faster, or it cannot be done: what was there is not given up.
            self.rename_new(spare, place, step)?;
            return Err(errno);
        }
        step();
        sys::renameat(&self.0, spare, &self.0, other)
    }

    /// Brings to an end what a kill has left of [`Self::exchange`] and [`Self::rename_new`]: the place has its file again, under one name.
    pub(super) fn finish_exchange(
        &self,
        other: &str,
        place: &str,
        spare: &str,
        step: &mut dyn FnMut(),
    ) -> Result<(), Errno> {
        for name in [spare, other] {
            if self.is_same(name, place)? {
                step();
                sys::unlinkat(&self.0, name, AtFlags::empty())?;
            }
        }
        if self.id(spare)?.is_none() {
            return Ok(());
        }
        step();
        if self.id(place)?.is_none() {
            self.rename_new(spare, place, step)
        } else if self.id(other)?.is_none() {
            // The other one is in its place.
            sys::renameat(&self.0, spare, &self.0, other)
        } else {
            Ok(())
        }
    }

    /// Whether two names are of one file.
    fn is_same(&self, one: &str, other: &str) -> Result<bool, Errno> {
        Ok(self.id(one)?.is_some_and(|one| self.id(other) == Ok(Some(one))))
    }

    fn id(&self, name: &str) -> Result<Option<(u64, u64)>, Errno> {
        match sys::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some((stat.st_dev, stat.st_ino))),
            Err(Errno::NOENT) => Ok(None),
            Err(errno) => Err(errno),
        }
    }

    /// `None`: NFS, FUSE and some others know no such rename.
    fn in_one_step(&self, from: &str, to: &str, flags: RenameFlags) -> Option<Result<(), Errno>> {
        #[cfg(test)]
        if PLAIN.get() {
            return None;
        }
        match sys::renameat_with(&self.0, from, &self.0, to, flags) {
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => None,
            done => Some(done),
        }
    }

    pub(super) fn remove(&self, name: &str) -> Result<(), RefusalReason> {
        match sys::unlinkat(&self.0, name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(errno) => Err(wrong("remove", name, errno)),
        }
    }

    /// Removes a folder in it if it is empty; whether there is none now.
    pub(super) fn remove_empty(&self, name: &str) -> bool {
        matches!(
            sys::unlinkat(&self.0, name, AtFlags::REMOVEDIR),
            Ok(()) | Err(Errno::NOENT)
        )
    }

    /// Makes what happened to names in it last.
    pub(super) fn sync(&self) -> Result<(), RefusalReason> {
        sys::fsync(self.0.as_fd()).map_err(|errno| wrong("sync the folder of", "", errno))
    }
}
