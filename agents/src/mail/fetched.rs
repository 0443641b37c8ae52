//! Mail that was fetched from a server into memory.
//!
//! What: [`look_at_fetched`], the senders of all mails in folders that hold [`FETCHED_HEADS`]. Why: what lies in memory lies elsewhere after each
//! start, and whose mail it is stands in it all the same. Not here: reading it as mail (`mail`), putting it there (the runtime).

use super::{LocatedSender, MailListing, listing::MailFormats, mbox::MboxReader, sender_at, sender_of_head};
use crate::shared::IngestReport;
use std::{fs::File, io::BufReader, path::Path};
use toolcall_schema::Timestamp;

/// In each folder of fetched mail: an mbox of heads.
pub const FETCHED_HEADS: &str = "heads.mbox";

/// Gives `take` who wrote each mail of a source, where that was fetched; `false`: it takes no more.
pub(crate) fn look_at_fetched(source: &Path, take: &mut impl FnMut(LocatedSender) -> bool) {
    let folders = std::fs::read_dir(source).into_iter().flatten().flatten();
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
        let Ok(opened) = File::open(&file.path) else {
            continue;
        };
        if !file.path.ends_with(FETCHED_HEADS) {
            if sender_at(opened, 0).is_some_and(|found| !take(found)) {
                return;
            }
            continue;
        }
        let mut heads = MboxReader::new(BufReader::new(opened), 0, 0);
        while let Ok(Some(entry)) = heads.next_mail() {
            if sender_of_head(&entry.bytes).is_some_and(|found| !take(found)) {
                return;
            }
        }
    }
}
