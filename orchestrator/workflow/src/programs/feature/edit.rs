//! Changing several files as if they were one.
//!
//! What: [`all`]: look, write beside, swap in, clean up; and back again when any step fails. Why: either every file is as it is to be
//! or none is changed, also with a full disk, and a kill anywhere leaves each file as before or as after, so that the same call
//! again goes on. Not here: which changes (`Feature::plan`), one folder (`folder`).
//!
//! A file that is there is exchanged with the new one in one step, and what came out is looked at: if somebody changed it in the
//! meantime it is exchanged back. So nothing that Aura did not plan for is ever lost. A file system that exchanges nothing takes three
//! steps, between which a kill leaves a file under another name until the same call again.

use super::{
    FileChange,
    folder::{FolderEntry, HeldFolder, TextFile, unfit, wrong},
    names::OURS,
    refusal,
};
use rustix::io::Errno;
use toolcall_schema::{ids::sha256_hex, rejection::RefusalReason};

/// One file: what stands in it and what is to; absent: it is not there.
pub(super) struct FileEdit<'a> {
    path: Vec<String>,
    from: Option<&'a str>,
    to: Option<&'a str>,
}

impl<'a> FileEdit<'a> {
    pub(super) fn forward(change: &'a FileChange) -> Self {
        Self {
            path: change.path.split('/').map(str::to_owned).collect(),
            from: change.before.as_deref(),
            to: Some(&change.after),
        }
    }

    pub(super) fn backward(change: &'a FileChange) -> Self {
        Self {
            from: Some(&change.after),
            to: change.before.as_deref(),
            ..Self::forward(change)
        }
    }

    fn name(&self) -> &str {
        self.path.last().map_or("", String::as_str)
    }

    fn folders(&self) -> &[String] {
        self.path.split_last().map_or(&[], |(_, folders)| folders)
    }

    /// Where its other content stands while it is written; the same for each attempt, so that what a kill left is found.
    fn beside(&self) -> String {
        self.ours("tmp")
    }

    /// Where the old content stands for a moment on a file system that exchanges nothing.
    fn spare(&self) -> String {
        self.ours("old")
    }

    fn ours(&self, end: &str) -> String {
        let hash = sha256_hex(self.name().as_bytes());
        format!("{OURS}{}.{end}", hash.get(..16).unwrap_or_default())
    }

    fn changed(&self) -> RefusalReason {
        refusal::new(
            "ARTIFACT-005",
            format!(
                "{:?} is neither as it was when this was planned nor as it is to be; somebody changed it: put it back, or do without",
                self.path.join("/")
            ),
        )
    }
}

/// A step that is to be done, and where.
struct PendingEdit<'e, 'a> {
    edit: &'e FileEdit<'a>,
    folder: HeldFolder,
    beside: String,
    /// Whose place it takes.
    like: Option<TextFile>,
    stands: SideFile,
}

/// What stands beside a place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SideFile {
    /// The new content, or part of it.
    New,
    /// The old one: the new one is in its place.
    Old,
    /// What somebody else wrote, and it could not be put back.
    Foreign,
}

/// Makes all edits or none. `step` is called before each change of the disk.
///
/// # Errors
/// `ARTIFACT-004` to `-006`.
pub(super) fn all(
    project: &HeldFolder,
    root: &[String],
    edits: &[FileEdit<'_>],
    step: &mut dyn FnMut(),
) -> Result<(), RefusalReason> {
    let mut open = vec![];
    for edit in edits {
        if !is_done(project, root, edit, step)? {
            open.push(edit);
        }
    }
    let mut made: Vec<Vec<String>> = vec![];
    let mut todo: Vec<PendingEdit<'_, '_>> = vec![];
    let done = stage(project, root, &open, &mut made, &mut todo, step)
        .and_then(|()| todo.iter_mut().try_for_each(|one| one.swap(step)));
    if let Err(why) = done {
        let back = todo.iter_mut().rev().try_for_each(|one| one.back(step));
        for path in made.iter().rev() {
            remove_folder(project, path, step);
        }
        // Then the same call again finds each file as before or as after.
        return back.and(Err(why));
    }
    for one in &todo {
        step();
        one.folder.remove(&one.beside)?;
        one.folder.sync()?;
    }
    // Also of those that were done before a kill.
    for edit in edits.iter().filter(|edit| edit.to.is_none()) {
        let path: Vec<String> = root.iter().chain(edit.folders()).cloned().collect();
        let mut left = path.as_slice();
        while left.len() > root.len() && remove_folder(project, left, step) {
            left = left.split_last().map_or(&[], |(_, folders)| folders);
        }
    }
    Ok(())
}

/// Whether an edit is done already. Removes what an attempt that was killed has left beside it.
///
/// # Errors
/// `ARTIFACT-005` when the file is neither as before nor as after, `-004` and `-006`.
pub(super) fn is_done(
    project: &HeldFolder,
    root: &[String],
    edit: &FileEdit<'_>,
    step: &mut dyn FnMut(),
) -> Result<bool, RefusalReason> {
    let folders: Vec<String> = root.iter().chain(edit.folders()).cloned().collect();
    let text = match project.descend(&folders)? {
        None => None,
        Some(folder) => is_there(&folder, edit, step)?,
    };
    if text.as_deref() == edit.to {
        return Ok(true);
    }
    if text.as_deref() == edit.from {
        return Ok(false);
    }
    Err(edit.changed())
}

/// What stands in a file now. Removes what an attempt that was killed has left beside it.
fn is_there(
    folder: &HeldFolder,
    edit: &FileEdit<'_>,
    step: &mut dyn FnMut(),
) -> Result<Option<String>, RefusalReason> {
    let beside = edit.beside();
    folder
        .finish_exchange(&beside, edit.name(), &edit.spare(), step)
        .map_err(|errno| wrong("put back", edit.name(), errno))?;
    match folder.look(&beside)? {
        FolderEntry::Nothing => {}
        FolderEntry::Text(left) => {
            let ours = edit.from == Some(&left.text) || edit.to.is_some_and(|to| to.starts_with(&left.text));
            if !ours {
                return Err(unfit(&beside, "not what Aura wrote there"));
            }
            step();
            folder.remove(&beside)?;
        }
        FolderEntry::Other(what) => return Err(unfit(&beside, what)),
    }
    match folder.look(edit.name())? {
        FolderEntry::Nothing => Ok(None),
        FolderEntry::Text(file) => Ok(Some(file.text)),
        FolderEntry::Other(what) => Err(unfit(edit.name(), what)),
    }
}

/// Writes everything beside its place.
fn stage<'e, 'a>(
    project: &HeldFolder,
    root: &[String],
    edits: &[&'e FileEdit<'a>],
    made: &mut Vec<Vec<String>>,
    todo: &mut Vec<PendingEdit<'e, 'a>>,
    step: &mut dyn FnMut(),
) -> Result<(), RefusalReason> {
    for edit in edits {
        let folders: Vec<String> = root.iter().chain(edit.folders()).cloned().collect();
        step();
        let folder = project.descend_making(&folders, &mut |depth| {
            made.extend(folders.get(..=depth).map(<[String]>::to_vec));
        })?;
        let like = match folder.look(edit.name())? {
            FolderEntry::Text(file) => Some(file),
            FolderEntry::Nothing => None,
            FolderEntry::Other(what) => return Err(unfit(edit.name(), what)),
        };
        let one = PendingEdit {
            edit,
            folder,
            beside: edit.beside(),
            like,
            stands: SideFile::New,
        };
        // Before it is written: a half of it is to be removed as well.
        todo.push(one);
        if let (Some(one), Some(to)) = (todo.last(), edit.to) {
            step();
            one.folder
                .write_new(&one.beside, edit.name(), to, one.like.as_ref())?;
        }
    }
    Ok(())
}

impl PendingEdit<'_, '_> {
    /// Puts the new content into its place, and what stood there beside it.
    fn swap(&mut self, step: &mut dyn FnMut()) -> Result<(), RefusalReason> {
        step();
        self.turn(self.edit.from, self.edit.to, step)?;
        self.stands = SideFile::Old;
        self.folder.sync()
    }

    /// Takes it back, as far as it was done.
    fn back(&mut self, step: &mut dyn FnMut()) -> Result<(), RefusalReason> {
        match self.stands {
            SideFile::New => {}
            SideFile::Old => {
                step();
                self.turn(self.edit.to, self.edit.from, step)?;
            }
            SideFile::Foreign => return Ok(()),
        }
        step();
        self.folder.remove(&self.beside)?;
        self.folder.sync()
    }

    /// In one step, where the file system can: `to`, which stands beside, comes into the place, and what is there goes beside. If that is
    /// not `from`, back.
    fn turn(
        &mut self,
        from: Option<&str>,
        to: Option<&str>,
        step: &mut dyn FnMut(),
    ) -> Result<(), RefusalReason> {
        let (place, beside, folder) = (self.edit.name(), self.beside.as_str(), &self.folder);
        let spare = self.edit.spare();
        let done = match (from.is_some(), to.is_some()) {
            (false, false) => Ok(()),
            (false, true) => folder.rename_new(beside, place, step),
            (true, true) => folder.exchange(beside, place, &spare, step),
            (true, false) => folder.rename_new(place, beside, step),
        };
        match done {
            Ok(()) => {}
            Err(Errno::EXIST | Errno::NOENT) => {
                // Somebody took the place in the moment in which it was free: what it held was to go, and goes.
                if from.is_some()
                    && matches!(folder.look(&spare), Ok(FolderEntry::Text(file)) if Some(file.text.as_str()) == from)
                {
                    step();
                    folder.remove(&spare)?;
                }
                return Err(self.edit.changed());
            }
            Err(errno) => return Err(wrong("put into its place", place, errno)),
        }
        let Some(from) = from else { return Ok(()) };
        if matches!(folder.look(beside), Ok(FolderEntry::Text(file)) if file.text == from) {
            return Ok(());
        }
        let again = if to.is_some() {
            folder.exchange(beside, place, &spare, step)
        } else {
            folder.rename_new(beside, place, step)
        };
        if let Err(errno) = again {
            self.stands = SideFile::Foreign;
            return Err(wrong("put back", place, errno));
        }
        Err(self.edit.changed())
    }
}

/// Removes a folder if it is empty; whether there is none now.
fn remove_folder(project: &HeldFolder, path: &[String], step: &mut dyn FnMut()) -> bool {
    let Some((name, above)) = path.split_last() else {
        return false;
    };
    step();
    match project.descend(above) {
        Ok(Some(folder)) => folder.remove_empty(name),
        Ok(None) => true,
        Err(_) => false,
    }
}
