//! Writing what an agent answered: all of it or nothing, below the feature root and nowhere else.
//!
//! What: [`FeatureRoot`], a feature root below a project; [`FeatureRoot::plan`], what would be written, as [`FileChange`]s; [`FeatureRoot::apply`] and
//! [`FeatureRoot::undo`]. Why: an agent says what is to be written and never writes, so what it says has to be checked against the files
//! as they are, be seen before it happens, survive a kill anywhere, and be taken back. Not here: one folder and its files
//! (`folder`), the order of the steps (`edit`), which answers are written at all (`toolcall_schema::protocol::Output::applies`).

mod edit;
mod folder;
mod names;
#[cfg(test)]
mod tests;

use super::refusal;
use edit::FileEdit;
use folder::{FolderEntry, HeldFolder};
pub use orchestrator_machine::workflow::event::FileChange;
use similar::TextDiff;
use std::{path::Path, time::Duration};
use toolcall_schema::{
    protocol::{Artifact, Operation},
    rejection::RefusalReason,
};

/// The most artifacts of one answer.
pub const ARTIFACTS_MAX: usize = 256;

/// The changes as people read them: a unified diff.
pub fn diff(changes: &[FileChange]) -> String {
    let one = |change: &FileChange| {
        let before = change.before.as_deref().unwrap_or_default();
        let from = change.before.as_ref().map(|_| format!("a/{}", change.path));
        let diff = TextDiff::configure()
            // Two large files without a line in common take for ever; past it the diff is correct and not the shortest.
            .timeout(Duration::from_secs(1))
            .diff_lines(before, &change.after);
        diff.unified_diff()
            .header(
                from.as_deref().unwrap_or("/dev/null"),
                &format!("b/{}", change.path),
            )
            .to_string()
    };
    changes.iter().map(one).collect()
}

/// A feature root. It need not be there: it is made when something is written.
pub struct FeatureRoot {
    project: HeldFolder,
    root: Vec<String>,
}

impl FeatureRoot {
    /// `root`: from the project's folder, `specs/005-user-auth`, also with a `/` at its end.
    ///
    /// # Errors
    /// `ARTIFACT-001` when the root does not stay below the project, `ARTIFACT-006` when the project's folder cannot be opened.
    pub fn open(project: &Path, root: &str) -> Result<Self, RefusalReason> {
        let root = root.strip_suffix('/').unwrap_or(root);
        let root = names::words(root).ok_or_else(|| {
            refusal::new(
                "ARTIFACT-001",
                "the feature root must be a folder below the project, such as specs/005-user-auth",
            )
        })?;
        let project = HeldFolder::open(project)
            .map_err(|errno| folder::wrong("open the project's folder", "", errno))?;
        Ok(Self { project, root })
    }

    /// What these artifacts would change, against the files as they are; in their order. Writes nothing.
    ///
    /// # Errors
    /// `ARTIFACT-001` a path that leaves the feature root, `-002` a file to create that is there or one to update that is not, `-003`
    /// names that collide, `-004` what is no plain text file or lies behind a link, `-007` too many, or what is no text.
    pub fn plan(&self, artifacts: &[Artifact]) -> Result<Vec<FileChange>, RefusalReason> {
        if artifacts.len() > ARTIFACTS_MAX {
            let message =
                format!("more than {ARTIFACTS_MAX} artifacts; send fewer, or do it in several steps");
            return Err(refusal::at("ARTIFACT-007", "/artifacts", message));
        }
        let paths = self.paths(artifacts)?;
        names::collide(&paths)?;
        let root = self.root_as_it_is()?;
        let one = |((index, path), artifact): ((usize, &Vec<String>), &Artifact)| {
            plan(root.as_ref(), path, artifact).map_err(|why| at(index, why))
        };
        paths.iter().enumerate().zip(artifacts).map(one).collect()
    }

    /// The words of each artifact's path, without those of the feature root.
    fn paths(&self, artifacts: &[Artifact]) -> Result<Vec<Vec<String>>, RefusalReason> {
        let one = |(index, artifact): (usize, &Artifact)| {
            let words = names::words(&artifact.path).ok_or_else(|| {
                at(index, refusal::new(
                    "ARTIFACT-001",
                    "the path must stay below the feature root: relative, its parts 1 to 255 bytes, none of them . or .., none beginning with .aura-, no character that is invisible or turns text around, none of \\ < > : \" | ? *, no dot or space at a part's end, no name of a device such as CON",
                ))
            })?;
            if artifact.content.contains('\0') {
                let message = "the content holds a NUL character, so it is no text";
                let pointer = format!("/artifacts/{index}/content");
                return Err(refusal::at("ARTIFACT-007", &pointer, message));
            }
            let rest = words
                .strip_prefix(self.root.as_slice())
                .filter(|rest| !rest.is_empty());
            Ok(rest.map_or_else(|| words.clone(), <[String]>::to_vec))
        };
        artifacts.iter().enumerate().map(one).collect()
    }

    /// `None`: it is not there.
    fn root_as_it_is(&self) -> Result<Option<HeldFolder>, RefusalReason> {
        self.project.descend(&self.root)
    }

    /// Makes the changes: all or none. On disk when this returns. May be repeated after a kill: what is done already stays.
    ///
    /// # Errors
    /// `ARTIFACT-005` when a file is neither as before nor as after, `-006` when the system refuses (no space, no permission): then
    /// everything is as it was; `-004` as for [`FeatureRoot::plan`].
    pub fn apply(&self, changes: &[FileChange]) -> Result<(), RefusalReason> {
        let edits: Vec<FileEdit<'_>> = changes.iter().map(FileEdit::forward).collect();
        let done = edit::all(&self.project, &self.root, &edits, &mut || {});
        if done.is_err() {
            // What an attempt that was killed had done goes as well. The reason is the first one.
            let as_after = |(_, edit): &(_, &FileEdit<'_>)| {
                edit::is_done(&self.project, &self.root, edit, &mut || {}) == Ok(true)
            };
            let back = changes.iter().zip(&edits).filter(as_after);
            let back: Vec<FileEdit<'_>> = back.map(|(change, _)| FileEdit::backward(change)).collect();
            edit::all(&self.project, &self.root, &back, &mut || {})?;
        }
        done
    }

    /// Takes the changes back: all or none. May be repeated. Folders that this leaves empty go as well.
    ///
    /// # Errors
    /// `ARTIFACT-005` when a file is no longer what was written, else as [`FeatureRoot::apply`].
    pub fn undo(&self, changes: &[FileChange]) -> Result<(), RefusalReason> {
        let edits: Vec<FileEdit<'_>> = changes.iter().map(FileEdit::backward).collect();
        edit::all(&self.project, &self.root, &edits, &mut || {})
    }
}

fn at(index: usize, why: RefusalReason) -> RefusalReason {
    RefusalReason {
        pointer: format!("/artifacts/{index}/path"),
        ..why
    }
}

fn plan(
    root: Option<&HeldFolder>,
    path: &[String],
    artifact: &Artifact,
) -> Result<FileChange, RefusalReason> {
    let change = |before| FileChange {
        path: path.join("/"),
        before,
        after: artifact.content.clone(),
    };
    let refused = |message: &str| Err(refusal::new("ARTIFACT-002", message));
    let not_there = || match artifact.operation {
        Operation::Create => Ok(change(None)),
        Operation::Update => refused("there is no such file to update; create it"),
    };
    let (Some(root), Some((name, folders))) = (root, path.split_last()) else {
        return not_there();
    };
    names::spelled_otherwise(root, path)?;
    let Some(folder) = root.descend(folders)? else {
        return not_there();
    };
    match (folder.look(name)?, artifact.operation) {
        (FolderEntry::Nothing, _) => not_there(),
        (_, Operation::Create) => refused("there is something of that name already; update it"),
        (FolderEntry::Text(file), Operation::Update) => Ok(change(Some(file.text))),
        (FolderEntry::Other(what), Operation::Update) => Err(folder::unfit(name, what)),
    }
}
