//! The mailboxes of an account of mail (RFC 8621, 2).
//!
//! What: [`list_mailboxes`]: those that are read, and the one for drafts. Why: by their roles, or else their names, trash, spam and drafts are told apart. Not here:
//! what lies in one (`emails`).

use super::{
    super::{
        mail_folders::{FOLDER_NAME_MAX, FOLDERS_MAX, FolderUse, LISTED_MAX, use_by_names},
        wire::LookFailure,
    },
    session::{JmapSession, is_id},
};
use serde::Deserialize;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

/// Mailboxes one in another.
const DEPTH_MAX: usize = 16;

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
struct MailboxObject {
    id: String,
    name: String,
    parent_id: Option<String>,
    role: Option<String>,
}

#[derive(Deserialize)]
struct MailboxesAnswer {
    list: Vec<MailboxObject>,
}

/// A mailbox, with its name and those that it lies in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ListedMailbox {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) usage: FolderUse,
    /// The server says what it is for.
    has_role: bool,
}

/// All mailboxes but those that are left out, the inbox first.
///
/// # Errors
/// [`LookFailure::TooManyFolders`], or what the server does.
pub(super) async fn list_mailboxes(session: &mut JmapSession<'_>) -> Result<Vec<ListedMailbox>, LookFailure> {
    let arguments = json!({ "ids": null, "properties": ["id", "name", "parentId", "role"] });
    let found: MailboxesAnswer = session.call("Mailbox/get", arguments).await?.or_failure()?;
    sorted(found.list)
}

fn sorted(list: Vec<MailboxObject>) -> Result<Vec<ListedMailbox>, LookFailure> {
    if list.len() > LISTED_MAX {
        return Err(LookFailure::TooManyFolders);
    }
    let is_name = |name: &str| !name.is_empty() && !name.chars().any(char::is_control);
    let good = list
        .into_iter()
        .filter(|one| is_id(&one.id) && is_name(&one.name));
    let by_id: BTreeMap<String, MailboxObject> = good.map(|one| (one.id.clone(), one)).collect();
    let mut all: Vec<ListedMailbox> = by_id
        .values()
        .filter_map(|one| {
            let listed = listed(one, &by_id)?;
            (listed.usage != FolderUse::LeftOut && listed.name.len() <= FOLDER_NAME_MAX).then_some(listed)
        })
        .collect();
    all.sort_by(|a, b| (a.usage, !a.has_role, &a.name, &a.id).cmp(&(b.usage, !b.has_role, &b.name, &b.id)));
    // A name is a folder's in memory: of two that have one the first is read.
    let mut names = BTreeSet::new();
    all.retain(|one| names.insert(one.name.clone()));
    if all.len() > FOLDERS_MAX {
        return Err(LookFailure::TooManyFolders);
    }
    Ok(all)
}

/// `None`: it lies in itself, or too deep.
fn listed(one: &MailboxObject, by_id: &BTreeMap<String, MailboxObject>) -> Option<ListedMailbox> {
    let above = std::iter::successors(Some(one), |below| by_id.get(below.parent_id.as_ref()?));
    let mut chain: Vec<&MailboxObject> = above.take(DEPTH_MAX + 1).collect();
    if chain.len() > DEPTH_MAX {
        return None;
    }
    chain.reverse();
    let usage = match one.role.as_deref() {
        Some("inbox") => FolderUse::Inbox,
        Some("drafts") => FolderUse::Drafts,
        Some("sent") => FolderUse::Sent,
        Some("archive") => FolderUse::Other,
        Some(role) if is_left_out(role) => FolderUse::LeftOut,
        Some(_) | None
            if chain
                .iter()
                .any(|above| above.role.as_deref().is_some_and(is_left_out)) =>
        {
            FolderUse::LeftOut
        }
        Some(_) | None => use_by_names(chain.iter().map(|above| above.name.to_lowercase()).collect()),
    };
    let name = if usage == FolderUse::Inbox {
        "INBOX".to_owned()
    } else {
        let names: Vec<&str> = chain.iter().map(|above| above.name.as_str()).collect();
        names.join("/")
    };
    Some(ListedMailbox {
        id: one.id.clone(),
        name,
        usage,
        has_role: one.role.is_some(),
    })
}

/// Roles of mailboxes that want nothing of anybody, or hold what lies elsewhere as well (RFC 8621, 10.5).
fn is_left_out(role: &str) -> bool {
    [
        "trash",
        "junk",
        "all",
        "flagged",
        "important",
        "scheduled",
        "snoozed",
        "templates",
        "memos",
    ]
    .contains(&role)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(id: &str, name: &str, parent: Option<&str>, role: Option<&str>) -> MailboxObject {
        MailboxObject {
            id: id.to_owned(),
            name: name.to_owned(),
            parent_id: parent.map(str::to_owned),
            role: role.map(str::to_owned),
        }
    }

    #[test]
    fn mailboxes_are_told_apart_by_their_roles_and_else_by_their_names() {
        let all = sorted(vec![
            object("a", "Eingang", None, Some("inbox")),
            object("b", "Bozze", None, Some("drafts")),
            object("c", "Gesendet", None, None),
            object("d", "Rust", Some("e"), None),
            object("e", "Lists", None, Some("subscribed")),
            object("f", "Cestino", None, Some("trash")),
            object("g", "old", Some("f"), None),
            object("h", "Drafts", Some("a"), None),
            object("i", "Papierkorb", None, None),
            object("../x", "evil", None, None),
            object("j", "a\nb", None, None),
            // In each other, and one that says a name again.
            object("k", "loop", Some("l"), None),
            object("l", "loop", Some("k"), None),
            object("m", "Lists", None, None),
        ])
        .unwrap();
        let named: Vec<(&str, &str, FolderUse)> = all
            .iter()
            .map(|one| (one.id.as_str(), one.name.as_str(), one.usage))
            .collect();
        assert_eq!(
            named,
            [
                ("a", "INBOX", FolderUse::Inbox),
                ("c", "Gesendet", FolderUse::Sent),
                ("e", "Lists", FolderUse::Other),
                ("d", "Lists/Rust", FolderUse::Other),
                ("b", "Bozze", FolderUse::Drafts),
                ("h", "Eingang/Drafts", FolderUse::Drafts),
            ]
        );
        let many: Vec<MailboxObject> = (0..600)
            .map(|n| object(&format!("f{n}"), &format!("f{n}"), None, None))
            .collect();
        assert_eq!(sorted(many), Err(LookFailure::TooManyFolders));
    }
}
