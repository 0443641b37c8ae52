//! What a folder of mail is for.
//!
//! What: [`FolderUse`], and what names say of it. Why: trash, spam and drafts want nothing of anybody, on whatever server they lie. Not here: what a
//! server says of its folders (`imap`, `jmap`).

/// Folders that are read.
pub(super) const FOLDERS_MAX: usize = 512;
/// Folders that are listed.
pub(super) const LISTED_MAX: usize = 4096;
/// Bytes of a folder's name.
pub(super) const FOLDER_NAME_MAX: usize = 1000;

/// How a folder is used (RFC 6154, RFC 8621), or that it is the inbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FolderUse {
    Inbox,
    Sent,
    Other,
    Drafts,
    /// Nothing of it is read.
    LeftOut,
}

/// By its name and those of the folders that it lies in, the outermost first, in small letters.
pub(super) fn use_by_names(mut names: Vec<String>) -> FolderUse {
    let last = names.pop().unwrap_or_default();
    let is_left_out = |name: &String| agents::is_left_out_folder(name);
    if agents::is_drafts_folder(&last) {
        FolderUse::Drafts
    } else if is_left_out(&last) || names.iter().any(is_left_out) {
        FolderUse::LeftOut
    } else if agents::is_sent_folder(&last) {
        FolderUse::Sent
    } else {
        FolderUse::Other
    }
}
