//! Mail that was fetched from a server into memory.
//!
//! What: how it lies there ([`fetched_folder`], [`FETCHED_HEADS`], [`FETCHED_AGAIN`]), the place of a mail that stays the same ([`place_of_fetched`]) and
//! finding mails by it; [`look_at_fetched`], the senders of all mails of a source. Why: what lies in memory lies elsewhere after each start, and whose
//! mail it is stands in it all the same. Not here: reading it as mail (`mail`), putting it there (the runtime), fetching it (`aura_process::source`).

use super::{LocatedSender, MailListing, listing::MailFormats, mbox::MboxReader, sender_at, sender_of_head};
use crate::shared::{IngestReport, SourceLocator};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, File},
    io::BufReader,
    path::{Path, PathBuf},
};
use toolcall_schema::{Timestamp, ids::sha256_hex};

/// In each folder of fetched mail: an mbox of heads.
pub const FETCHED_HEADS: &str = "heads.mbox";

/// Beside the folders: an mbox of the heads of mails that were asked for by their place. It is not read as mail, as no file is whose name begins so.
pub const FETCHED_AGAIN: &str = ".again.mbox";

/// Beside the folders: which mails went from the server, a line each with the number of their folder and their UID.
pub const FETCHED_GONE: &str = ".gone";

/// Behind a mail's UID, in the name of its file.
pub const FETCHED_FILE: &str = ".aura:2,";

/// How a folder of a server is called in memory: no text of the server is in it.
pub fn fetched_folder(name: &str, is_sent: bool) -> String {
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

/// The number of a folder of an account, both as they are called in memory. With a mail's UID it is a place that is the same after each start.
pub fn fetched_folder_number(account: &str, folder: &str) -> u64 {
    let hash = sha256_hex(format!("{account}/{folder}").as_bytes());
    let bits = hash.get(..16).and_then(|bits| u64::from_str_radix(bits, 16).ok());
    SourceLocator::fetched(bits.unwrap_or(0), 0).inode()
}

fn name_of(path: &Path) -> Option<&str> {
    path.file_name()?.to_str()
}

fn uid_of(file: &str) -> Option<u32> {
    file.split_once(FETCHED_FILE)?.0.parse().ok()
}

/// The place of a mail that lies so; `None`: it was not fetched.
pub(super) fn place_of_fetched(file: &Path) -> Option<SourceLocator> {
    let uid = uid_of(name_of(file)?)?;
    let cur = file.parent().filter(|cur| cur.ends_with("cur"))?;
    let folder = cur.parent()?;
    let number = fetched_folder_number(name_of(folder.parent()?)?, name_of(folder)?);
    Some(SourceLocator::fetched(number, uid))
}

/// Where mails of these places lie in a source now.
pub(super) fn paths_of_fetched(
    wanted: &BTreeSet<SourceLocator>,
    source: &Path,
) -> BTreeMap<SourceLocator, PathBuf> {
    let mut found = BTreeMap::new();
    let folders: BTreeSet<u64> = wanted
        .iter()
        .filter_map(|place| Some(place.as_fetched()?.0))
        .collect();
    let Some(account) = name_of(source).filter(|_| !folders.is_empty()) else {
        return found;
    };
    for folder in fs::read_dir(source).into_iter().flatten().flatten() {
        let folder = folder.path();
        let number = name_of(&folder).map(|name| fetched_folder_number(account, name));
        let Some(number) = number.filter(|number| folders.contains(number)) else {
            continue;
        };
        let files = fs::read_dir(folder.join("cur")).into_iter().flatten().flatten();
        found.extend(files.filter_map(|file| {
            let uid = uid_of(file.file_name().to_str()?)?;
            let place = SourceLocator::fetched(number, uid);
            wanted.contains(&place).then(|| (place, file.path()))
        }));
    }
    found
}

/// Mails of a source that went from their server, by the number of their folder and their UID.
pub fn gone_of_fetched(source: &Path) -> BTreeSet<(u64, u32)> {
    let lines = fs::read_to_string(source.join(FETCHED_GONE)).unwrap_or_default();
    let places = lines.lines().filter_map(|line| {
        let (folder, uid) = line.split_once(' ')?;
        Some((folder.parse().ok()?, uid.parse().ok()?))
    });
    places.collect()
}

/// Bytes of what lies beside the folders of a source, mails that were asked for again and which went. Where they are others, more may be found than before.
pub fn bytes_beside_fetched(source: &Path) -> u64 {
    let bytes = |file: &str| fs::metadata(source.join(file)).map_or(0, |meta| meta.len());
    bytes(FETCHED_AGAIN) + bytes(FETCHED_GONE)
}

/// Gives `take` who wrote each mail of a source that was asked for again; `false`: it takes no more. Whether it would have taken more.
pub fn look_at_fetched_again(source: &Path, take: &mut impl FnMut(LocatedSender) -> bool) -> bool {
    look_at_heads(&source.join(FETCHED_AGAIN), take)
}

fn look_at_heads(file: &Path, take: &mut impl FnMut(LocatedSender) -> bool) -> bool {
    let Ok(opened) = File::open(file) else {
        return true;
    };
    let mut heads = MboxReader::new(BufReader::new(opened), 0, 0);
    while let Ok(Some(entry)) = heads.next_mail() {
        if sender_of_head(&entry.bytes).is_some_and(|found| !take(found)) {
            return false;
        }
    }
    true
}

/// Gives `take` who wrote each mail of a source, where that was fetched; `false`: it takes no more.
pub fn look_at_fetched(source: &Path, take: &mut impl FnMut(LocatedSender) -> bool) {
    if !look_at_fetched_again(source, take) {
        return;
    }
    let folders = fs::read_dir(source).into_iter().flatten().flatten();
    if !folders
        .map(|folder| folder.path())
        .any(|folder| folder.join(FETCHED_HEADS).is_file())
    {
        return;
    }
    let mut report = IngestReport::default();
    let listing = MailListing::walk(
        source,
        &MailFormats::new(source),
        Timestamp::from_ms(0),
        &mut report,
    );
    for file in &listing.files {
        let is_more = if file.path.ends_with(FETCHED_HEADS) {
            look_at_heads(&file.path, take)
        } else {
            let found = File::open(&file.path)
                .ok()
                .and_then(|opened| sender_at(opened, 0));
            found.is_none_or(&mut *take)
        };
        if !is_more {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn place_is_of_account_folder_and_uid_alone_and_leads_to_the_file() {
        let memory = tempfile::tempdir().unwrap();
        let file = |account: &str, folder: &str, name: &str| {
            memory.path().join(account).join(folder).join("cur").join(name)
        };
        let seen = file("home", "INBOX", "7.aura:2,S");
        let place = place_of_fetched(&seen).unwrap();
        let number = fetched_folder_number("home", "INBOX");
        assert_eq!(place.as_fetched(), Some((number, 7)));
        assert_eq!(place.offset(), 0);
        assert!(place.inode() < 1 << 53);
        assert_eq!(place_of_fetched(&file("home", "INBOX", "7.aura:2,")), Some(place));
        for other in [
            file("work", "INBOX", "7.aura:2,"),
            file("home", &fetched_folder("Lists", false), "7.aura:2,"),
            file("home", "INBOX", "8.aura:2,"),
        ] {
            assert_ne!(place_of_fetched(&other), Some(place), "{}", other.display());
        }
        for own in [
            file("home", "INBOX", "7.host:2,"),
            memory.path().join("7.aura:2,"),
        ] {
            assert_eq!(place_of_fetched(&own), None);
        }
        fs::create_dir_all(seen.parent().unwrap()).unwrap();
        fs::write(&seen, "").unwrap();
        let wanted = BTreeSet::from([place, SourceLocator::fetched(number, 9)]);
        let found = paths_of_fetched(&wanted, &memory.path().join("home"));
        assert_eq!(found, BTreeMap::from([(place, seen)]));
        assert_eq!(
            paths_of_fetched(&wanted, &memory.path().join("work")),
            BTreeMap::new()
        );
    }

    #[test]
    fn folders_are_called_by_hashes_but_for_the_inbox() {
        assert_eq!(fetched_folder("INBOX", false), "INBOX");
        let other = fetched_folder("../../x", false);
        assert!(other.bytes().all(|c| c.is_ascii_hexdigit()), "{other}");
        assert_eq!(fetched_folder("../../x", true), format!("{other}.Sent"));
    }
}
