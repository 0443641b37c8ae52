//! The folders of an account of mail.
//!
//! What: [`list_folders`]: those that are read, with how each stands, and the one for drafts. Why: trash, spam and drafts want nothing of anybody,
//! and a folder that stands as it stood is not opened. Not here: what lies in one (`fetch`).

use super::{
    super::{
        mail_folders::{FOLDER_NAME_MAX, FOLDERS_MAX, FolderUse, LISTED_MAX, use_by_names},
        wire::LookFailure,
    },
    answer::ImapValue,
    session::{CommandPiece, ImapSession},
};
use std::collections::BTreeMap;

/// A folder as the server lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ListedFolder {
    pub(super) name: String,
    pub(super) usage: FolderUse,
    /// How it stands, where the server said so: `UIDVALIDITY`, `UIDNEXT`, `HIGHESTMODSEQ`.
    pub(super) stands: Option<FolderStand>,
}

/// Whether a folder changed shows in these.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct FolderStand {
    pub(super) uid_validity: u32,
    pub(super) uid_next: u32,
    pub(super) mod_seq: u64,
}

/// All folders but those that are left out, the inbox first.
///
/// # Errors
/// [`LookFailure::TooManyFolders`], or what the server does.
pub(super) async fn list_folders(session: &mut ImapSession) -> Result<Vec<ListedFolder>, LookFailure> {
    let mut wanted = Vec::new();
    if session.can("LIST-EXTENDED") || session.can("SPECIAL-USE") {
        if session.can("SPECIAL-USE") {
            wanted.push("SPECIAL-USE");
        }
        if session.can("LIST-STATUS") {
            wanted.push(if session.can("QRESYNC") {
                "STATUS (UIDVALIDITY UIDNEXT HIGHESTMODSEQ)"
            } else {
                "STATUS (UIDVALIDITY UIDNEXT)"
            });
        }
    }
    let command = if wanted.is_empty() {
        "LIST \"\" \"*\"".to_owned()
    } else {
        format!("LIST \"\" \"*\" RETURN ({})", wanted.join(" "))
    };
    let mut found = FoundFolders::default();
    let end = session
        .ask_for(&[CommandPiece::Words(&command)], &mut |data| found.take(&data))
        .await?;
    if !end.is_ok() && !wanted.is_empty() {
        // It says more than it can.
        found = FoundFolders::default();
        let plain = [CommandPiece::Words("LIST \"\" \"*\"")];
        session
            .ask_for(&plain, &mut |data| found.take(&data))
            .await?
            .good()?;
    } else {
        end.good()?;
    }
    found.sorted()
}

#[derive(Default)]
struct FoundFolders {
    folders: BTreeMap<String, FolderUse>,
    stands: BTreeMap<String, FolderStand>,
    listed: usize,
}

impl FoundFolders {
    fn take(&mut self, data: &[ImapValue]) -> Result<(), LookFailure> {
        if let [first, ImapValue::List(attributes), separator, name, ..] = data
            && first.is("LIST")
        {
            self.listed += 1;
            if self.listed > LISTED_MAX {
                return Err(LookFailure::TooManyFolders);
            }
            let Some(name) = folder_name(name) else {
                return Ok(());
            };
            let separator = separator.as_text().unwrap_or_default();
            self.folders
                .insert(name.to_owned(), use_of(name, attributes, separator));
        } else if let [first, name, ImapValue::List(items), ..] = data
            && first.is("STATUS")
            && self.stands.len() <= LISTED_MAX
            && let Some(name) = folder_name(name)
        {
            self.stands.insert(name.to_owned(), stand_of(items));
        }
        Ok(())
    }

    fn sorted(mut self) -> Result<Vec<ListedFolder>, LookFailure> {
        let stands = std::mem::take(&mut self.stands);
        let mut all: Vec<ListedFolder> = self
            .folders
            .into_iter()
            .filter(|(_, usage)| *usage != FolderUse::LeftOut)
            .map(|(name, usage)| ListedFolder {
                stands: stands.get(&name).copied(),
                name,
                usage,
            })
            .collect();
        all.sort_by(|a, b| (a.usage, &a.name).cmp(&(b.usage, &b.name)));
        if all.len() > FOLDERS_MAX {
            return Err(LookFailure::TooManyFolders);
        }
        Ok(all)
    }
}

/// A name that can be sent back; it is a label, and no path is made of it.
fn folder_name(name: &ImapValue) -> Option<&str> {
    let name = name.as_text()?;
    let is_plain = !name.is_empty() && name.len() <= FOLDER_NAME_MAX && !name.contains(['\0', '\r', '\n']);
    // Its name is the same in any case.
    is_plain.then(|| {
        if name.eq_ignore_ascii_case("INBOX") {
            "INBOX"
        } else {
            name
        }
    })
}

fn use_of(name: &str, attributes: &[ImapValue], separator: &str) -> FolderUse {
    let has = |wanted: &[&str]| {
        attributes
            .iter()
            .any(|attribute| wanted.iter().any(|word| attribute.is(word)))
    };
    if has(&["\\Noselect", "\\NonExistent"]) {
        return FolderUse::LeftOut;
    }
    if name == "INBOX" {
        return FolderUse::Inbox;
    }
    if has(&["\\Drafts"]) {
        return FolderUse::Drafts;
    }
    if has(&["\\Trash", "\\Junk", "\\All", "\\Flagged", "\\Important"]) {
        return FolderUse::LeftOut;
    }
    if has(&["\\Sent"]) {
        return FolderUse::Sent;
    }
    let parts: Vec<String> = if separator.is_empty() {
        vec![name.to_lowercase()]
    } else {
        name.split(separator).map(str::to_lowercase).collect()
    };
    use_by_names(parts)
}

fn stand_of(items: &[ImapValue]) -> FolderStand {
    let number = |word: &str| {
        let mut pairs = items.chunks(2);
        let pair = pairs.find(|pair| pair.first().is_some_and(|name| name.is(word)))?;
        pair.get(1)?.as_number::<u64>()
    };
    let short = |word: &str| number(word).and_then(|number| u32::try_from(number).ok());
    FolderStand {
        uid_validity: short("UIDVALIDITY").unwrap_or(0),
        uid_next: short("UIDNEXT").unwrap_or(0),
        mod_seq: number("HIGHESTMODSEQ").unwrap_or(0),
    }
}

#[cfg(test)]
mod tests {
    use super::{super::answer::ImapAnswer, *};

    fn found(answers: &[&str]) -> Result<Vec<ListedFolder>, LookFailure> {
        let mut found = FoundFolders::default();
        for answer in answers {
            match ImapAnswer::parse(answer.as_bytes()) {
                Ok(ImapAnswer::Data(data)) => found.take(&data)?,
                other => panic!("{other:?}"),
            }
        }
        found.sorted()
    }

    #[test]
    fn folders_are_told_apart_by_what_the_server_says_and_else_by_their_names() {
        let all = found(&[
            "* LIST (\\HasChildren \\Noselect) \"/\" Lists\r\n",
            "* LIST () \"/\" Lists/rust\r\n",
            "* LIST (\\Sent) \"/\" \"Posta inviata\"\r\n",
            "* LIST (\\Junk) \"/\" Strange\r\n",
            "* LIST () \".\" INBOX.Trash\r\n",
            "* LIST () \"/\" Papierkorb/old\r\n",
            "* LIST () \"/\" \"Gesendete Objekte\"\r\n",
            "* LIST (\\All) \"/\" \"[Gmail]/All Mail\"\r\n",
            "* LIST (\\Drafts) \"/\" Bozze\r\n",
            "* LIST () \"/\" inbox\r\n",
            "* LIST () NIL ../../x\r\n",
            "* STATUS inbox (UIDVALIDITY 7 UIDNEXT 12 HIGHESTMODSEQ 715194045007)\r\n",
        ])
        .unwrap();
        let named: Vec<(&str, FolderUse)> = all
            .iter()
            .map(|folder| (folder.name.as_str(), folder.usage))
            .collect();
        assert_eq!(
            named,
            [
                ("INBOX", FolderUse::Inbox),
                ("Gesendete Objekte", FolderUse::Sent),
                ("Posta inviata", FolderUse::Sent),
                ("../../x", FolderUse::Other),
                ("Lists/rust", FolderUse::Other),
                ("Bozze", FolderUse::Drafts),
            ]
        );
        let stand = FolderStand {
            uid_validity: 7,
            uid_next: 12,
            mod_seq: 715_194_045_007,
        };
        assert_eq!(all[0].stands, Some(stand));
    }

    #[test]
    fn too_many_folders_are_refused_and_names_that_no_command_can_hold_are_passed_over() {
        let lines: Vec<String> = (0..600).map(|n| format!("* LIST () \"/\" f{n}\r\n")).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        assert_eq!(found(&lines), Err(LookFailure::TooManyFolders));
        assert_eq!(found(&["* LIST () \"/\" {3}\r\na\nb\r\n"]).unwrap(), []);
    }
}
