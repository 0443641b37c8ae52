//! Whom the owner of a mail had written to before it came.
//!
//! What: [`MailCorrespondence`], from all mails of the corpus to a sender's [`SenderStanding`] at an instant. Why: who answered somebody once is no stranger
//! to him, and the corpus holds what its collectors and their friends wrote. Not here: what follows from it (`agents::comms::judging`).

use crate::{
    corpus::CorpusMail,
    head::{MailHead, MailboxOwner, is_collector},
};
use agents::comms::judging::SenderStanding;
use chrono::DateTime;
use std::collections::{BTreeMap, BTreeSet};

/// What stands for all addresses of those who collected the corpus.
const COLLECTOR: &str = "collector";

/// A mail that somebody wrote.
struct SentMail {
    /// Seconds since 1970.
    at: i64,
    /// To whom, in `To` and `Cc`.
    to: BTreeSet<String>,
    /// Its name.
    id: Option<String>,
    /// Whose mail it answers.
    answers: Option<String>,
}

/// What everybody wrote, by author.
pub struct MailCorrespondence {
    sent: BTreeMap<String, Vec<SentMail>>,
}

impl MailCorrespondence {
    /// Reads the heads of all mails. One without a date that can be read tells nothing.
    pub fn read(mails: &[CorpusMail]) -> Self {
        let heads: Vec<MailHead<'_>> = mails.iter().map(|mail| MailHead::read(&mail.bytes)).collect();
        let authors: BTreeMap<String, String> = heads
            .iter()
            .filter_map(|head| Some((bare_id(&head.values("message-id").next()?), author(head)?)))
            .collect();
        let mut sent: BTreeMap<String, Vec<SentMail>> = BTreeMap::new();
        for head in &heads {
            let (Some(author), Some(at)) = (author(head), instant(head)) else {
                continue;
            };
            let to = ["to", "cc"].into_iter().flat_map(|name| head.addresses(name));
            let answered = head.values("in-reply-to").next().map(|id| bare_id(&id));
            sent.entry(person(&author).to_owned())
                .or_default()
                .push(SentMail {
                    at,
                    to: to.map(|to| to.address).collect(),
                    id: head.values("message-id").next().map(|id| bare_id(&id)),
                    answers: answered.and_then(|id| authors.get(&id).cloned()),
                });
        }
        Self { sent }
    }

    /// What the owner of a mail had made of its sender before. How much they left unanswered is not known.
    pub fn standing(&self, head: &MailHead<'_>, owner: &MailboxOwner) -> SenderStanding {
        let (Some(sender), Some(at)) = (author(head), instant(head)) else {
            return SenderStanding::default();
        };
        let owners: BTreeSet<&str> = owner.addresses.iter().map(|address| person(address)).collect();
        let before = owners
            .into_iter()
            .filter_map(|owner| self.sent.get(owner))
            .flatten()
            .filter(|mail| mail.at < at);
        let fields = ["references", "in-reply-to"];
        let named: BTreeSet<String> = fields
            .into_iter()
            .flat_map(|name| head.values(name))
            .flat_map(|value| value.split_whitespace().map(bare_id).collect::<Vec<_>>())
            .collect();
        let mut standing = SenderStanding::default();
        for mail in before {
            standing.knows_own_mail = true;
            standing.answers_owner |= mail.id.as_ref().is_some_and(|id| named.contains(id));
            let answers = mail.answers.as_ref() == Some(&sender);
            standing.wrote_to |= answers || mail.to.contains(&sender);
            standing.answered += u32::from(answers);
        }
        standing
    }
}

/// The sender's address.
fn author(head: &MailHead<'_>) -> Option<String> {
    head.addresses("from").into_iter().next().map(|from| from.address)
}

fn person(address: &str) -> &str {
    if is_collector(address) { COLLECTOR } else { address }
}

fn instant(head: &MailHead<'_>) -> Option<i64> {
    let date = head.values("date").next()?;
    DateTime::parse_from_rfc2822(&date)
        .ok()
        .map(|date| date.timestamp())
}

/// The first id of a field.
fn bare_id(value: &str) -> String {
    let first = value.split_whitespace().find(|word| word.starts_with('<'));
    first.unwrap_or(value).trim_matches(['<', '>']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::CorpusFolder;

    fn mail(head: &str) -> CorpusMail {
        CorpusMail {
            folder: CorpusFolder::EasyHam,
            id: "1".to_owned(),
            bytes: format!("{head}\n\ntext\n").into_bytes(),
        }
    }

    #[test]
    fn who_was_written_to_before_is_known_and_who_is_written_to_later_is_not() {
        let from_ann = |day: u32| {
            format!(
                "From: Ann <ann@a.example>\nTo: jm@box.example\nMessage-ID: <a{day}@a.example>\nDate: {day} Jan 2026 10:00:00 +0000"
            )
        };
        let answer = "From: jm@box.example\nTo: list@lists.example\nIn-Reply-To: <a5@a.example>\nDate: 6 Jan 2026 10:00:00 +0000";
        let letter = "From: zzzz-list@box.example\nTo: bo@b.example\nDate: 6 Jan 2026 10:00:00 +0000";
        let mails = [mail(&from_ann(5)), mail(answer), mail(letter), mail(&from_ann(7))];
        let known = MailCorrespondence::read(&mails);
        let owner = MailboxOwner {
            names: Vec::new(),
            addresses: vec!["jm@box.example".to_owned()],
        };
        let standing = |mail: &CorpusMail| known.standing(&MailHead::read(&mail.bytes), &owner);
        assert_eq!(standing(&mails[0]), SenderStanding::default());
        let answered = SenderStanding {
            wrote_to: true,
            answered: 1,
            knows_own_mail: true,
            ..SenderStanding::default()
        };
        assert_eq!(standing(&mails[3]), answered);
        let from_bo = |date: &str| mail(&format!("From: bo@b.example\nTo: jm@box.example\n{date}"));
        let written = SenderStanding {
            wrote_to: true,
            knows_own_mail: true,
            ..SenderStanding::default()
        };
        assert_eq!(standing(&from_bo("Date: 6 Jan 2026 10:00:01 +0000")), written);
        assert_eq!(standing(&from_bo("Date: some day")), SenderStanding::default());
        // Another's correspondence is his own.
        let other = MailboxOwner {
            names: Vec::new(),
            addresses: vec!["cy@c.example".to_owned()],
        };
        let head = MailHead::read(&mails[3].bytes);
        assert_eq!(known.standing(&head, &other), SenderStanding::default());
    }
}
