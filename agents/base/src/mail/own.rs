//! Mails that the owner wrote, found in folders that are older than what is judged.
//!
//! What: [`OwnMailFinder`], which looks at the head of a mail that is too old to be judged, and [`OwnMailHead`]. Why: whom the owner ever wrote
//! to stands in their sent mail of years. Not here: what follows from it (`comms`).
//!
//! Anybody can write the owner's address into `From`. A mail is the owner's own for certain when it lies in a folder of sent mail,
//! or when it never travelled: what comes from outside was handed over by a server, which says so in `Received`.

use crate::shared::guarded;
use mail_parser::{HeaderName, MessageParser};
use std::{path::Path, sync::LazyLock};
use toolcall_schema::Timestamp;

/// Folders of sent mail, whatever their case, with or without a point before them.
const SENT: [&str; 9] = [
    "sent",
    "sent mail",
    "sent items",
    "sent messages",
    "sent-mail",
    "gesendet",
    "gesendete objekte",
    "envoy\u{e9}s",
    "enviados",
];

/// Addressees of one mail that are looked at.
const MOST: usize = 64;

/// The head of a mail that the owner wrote.
pub struct OwnMailHead {
    /// `Message-ID` without the angle brackets.
    pub message_id: Option<String>,
    pub sent: Timestamp,
    /// The addresses of `To` and `Cc`, lower case.
    pub to: Vec<String>,
    /// Whether it is certain that the owner wrote it.
    pub certain: bool,
}

/// Looks for the owner's own among mails that are not judged.
#[derive(Default)]
pub(super) struct OwnMailFinder {
    /// The owner's addresses, lower case.
    pub(super) addresses: Vec<String>,
    pub(super) found: Vec<OwnMailHead>,
}

impl OwnMailFinder {
    /// Looks at the head of a mail that is not judged.
    pub(super) fn look_at(&mut self, head: &[u8], sent_folder: bool) {
        // In an archive this is done for every mail: bytes first.
        if self.addresses.iter().any(|own| names(head, own))
            && let Some(own) = guarded(|| own_head(head, &self.addresses, sent_folder)).flatten()
        {
            self.found.push(own);
        }
    }
}

/// Whether a head holds an address, whatever its case.
fn names(head: &[u8], address: &str) -> bool {
    !address.is_empty()
        && head
            .windows(address.len())
            .any(|part| part.eq_ignore_ascii_case(address.as_bytes()))
}

fn own_head(head: &[u8], addresses: &[String], sent_folder: bool) -> Option<OwnMailHead> {
    static HEADS: LazyLock<MessageParser> = LazyLock::new(|| {
        MessageParser::new()
            .header_address(HeaderName::From)
            .header_address(HeaderName::To)
            .header_address(HeaderName::Cc)
            .header_id(HeaderName::MessageId)
            .header_date(HeaderName::Date)
            .header_received(HeaderName::Received)
            .default_header_ignore()
    });
    let message = HEADS.parse_headers(head)?;
    let from = message.from()?.first()?.address()?.trim().to_lowercase();
    addresses.contains(&from).then_some(())?;
    let to = [message.to(), message.cc()];
    let to = to.into_iter().flatten().flat_map(|list| list.iter());
    Some(OwnMailHead {
        message_id: message.message_id().map(str::to_owned),
        sent: super::eml::sent(head)?,
        to: to
            .filter_map(|address| Some(address.address()?.trim().to_lowercase()))
            .take(MOST)
            .collect(),
        certain: sent_folder
            || !message
                .headers()
                .iter()
                .any(|header| header.name == HeaderName::Received),
    })
}

/// Whether a file of a source lies in a folder of sent mail, or is one.
pub(crate) fn is_in_sent_folder(source: &Path, file: &Path) -> bool {
    let parts = source.file_name().into_iter().chain(file.iter());
    parts.filter_map(|part| part.to_str()).any(is_sent_folder)
}

/// Whether a folder of mail, or an mbox, is called as those of sent mail.
pub fn is_sent_folder(name: &str) -> bool {
    let name = name.strip_suffix(".mbox").unwrap_or(name).trim_start_matches('.');
    let last = name.rsplit_once('.').map_or(name, |(_, last)| last);
    SENT.iter().any(|sent| last.to_lowercase() == *sent)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "From: Rohan <rohan@example.org>\nTo: Asha <Asha@example.com>, bo@example.net\nCc: rohan@example.org\n\
        Date: Mon, 2 Nov 2020 10:00:00 +0000\nSubject: x\n";

    fn found(head: &str, sent_folder: bool) -> Option<(Vec<String>, bool)> {
        let mut finder = OwnMailFinder {
            addresses: vec!["rohan@example.org".to_owned()],
            found: Vec::new(),
        };
        finder.look_at(head.as_bytes(), sent_folder);
        finder.found.pop().map(|own| (own.to, own.certain))
    }

    #[test]
    fn only_what_never_travelled_or_lies_with_sent_mail_is_certainly_the_owners() {
        let to = || {
            ["asha@example.com", "bo@example.net", "rohan@example.org"]
                .map(str::to_owned)
                .to_vec()
        };
        let travelled = format!("Received: from a by b; Mon, 2 Nov 2020 10:00:01 +0000\n{HEAD}");
        let others = HEAD.replace("From: Rohan <rohan@", "From: Rohan <rohan.@");
        for (head, sent_folder, expected) in [
            (HEAD, false, Some((to(), true))),
            (&travelled, false, Some((to(), false))),
            (&travelled, true, Some((to(), true))),
            (&others, true, None),
            ("From: rohan@example.org\nTo: a@example.com\n", true, None),
            ("", true, None),
        ] {
            assert_eq!(found(head, sent_folder), expected, "{head}");
        }
    }

    #[test]
    fn folders_of_sent_mail_are_known_by_their_names() {
        for (source, file, sent) in [
            ("/mail", "Sent/cur/1.eml", true),
            ("/mail", ".Sent Items/cur/1", true),
            ("/mail", ".Archive.sent/cur/1", true),
            ("/mail/Sent.mbox", "", true),
            ("/mail", "Gesendet", true),
            ("/mail", "INBOX/cur/sent.eml", false),
            ("/mail", "Presents/cur/1", false),
            ("/mail", "INBOX/cur/1.host:2,S", false),
        ] {
            assert_eq!(
                is_in_sent_folder(Path::new(source), Path::new(file)),
                sent,
                "{source} {file}"
            );
        }
    }
}
