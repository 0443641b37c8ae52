//! The head of a mail, as far as a judge needs it.
//!
//! What: [`MailHead`], fields and the addresses in them; [`as_received`] and [`subject_and_text_alone`], the two forms in which a mail is judged;
//! [`MailboxOwner`], whose mailbox it lay in. Why: the judge reads mails by itself, so that a mistake of the agent's parser is the agent's.
//! Not here: judging (`agents::comms`).

use std::collections::BTreeSet;

/// Fields that remain when a mail is reduced to subject and text.
const TEXT_ALONE: [&str; 8] = [
    "from",
    "to",
    "cc",
    "subject",
    "date",
    "mime-version",
    "content-type",
    "content-transfer-encoding",
];

/// Local parts that the corpus gave to those who collected it.
const COLLECTORS: [&str; 3] = ["yyyy", "zzzz", "jm"];

/// A field of a head.
struct HeadField<'a> {
    /// Lower case.
    name: String,
    /// All its lines.
    raw: &'a [u8],
}

impl HeadField<'_> {
    /// What stands behind the colon, on one line.
    fn value(&self) -> String {
        let text = String::from_utf8_lossy(self.raw);
        let value = text.split_once(':').map_or("", |(_, value)| value);
        value.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

/// An address with the name beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedAddress {
    /// As written; empty without one.
    pub name: String,
    /// Lower case.
    pub address: String,
}

/// The fields of a mail's head, and its body.
pub struct MailHead<'a> {
    fields: Vec<HeadField<'a>>,
    body: &'a [u8],
}

impl<'a> MailHead<'a> {
    /// Splits a mail. A line `From …` of an mbox at the top is left out.
    pub fn read(bytes: &'a [u8]) -> Self {
        let mut fields: Vec<HeadField<'a>> = Vec::new();
        let (mut place, mut begun) = (0, 0);
        for (number, line) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
            let start = place;
            place += line.len();
            if line.iter().all(|byte| matches!(byte, b'\r' | b'\n')) {
                return Self {
                    fields,
                    body: bytes.get(place..).unwrap_or_default(),
                };
            }
            if number == 0 && line.starts_with(b"From ") {
                continue;
            }
            let folded = line.first().is_some_and(|byte| matches!(byte, b' ' | b'\t'));
            if let (true, Some(field)) = (folded, fields.last_mut()) {
                field.raw = bytes.get(begun..place).unwrap_or_default();
                continue;
            }
            let name = line.split(|byte| *byte == b':').next().unwrap_or_default();
            begun = start;
            fields.push(HeadField {
                name: String::from_utf8_lossy(name).trim().to_lowercase(),
                raw: line,
            });
        }
        Self { fields, body: &[] }
    }

    /// The values of a field, the first first. `name` is in lower case.
    pub fn values(&self, name: &str) -> impl Iterator<Item = String> {
        self.fields
            .iter()
            .filter(move |field| field.name == name)
            .map(HeadField::value)
    }

    /// The addresses in all fields of a name.
    pub fn addresses(&self, name: &str) -> Vec<NamedAddress> {
        self.values(name).flat_map(|value| addresses(&value)).collect()
    }

    /// The `Received` fields with another date.
    pub(crate) fn received_at(&self, date: &str) -> Vec<u8> {
        let mut out = Vec::new();
        for field in self.fields.iter().filter(|field| field.name == "received") {
            let text = String::from_utf8_lossy(field.raw);
            let way = text.rsplit_once(';').map_or(text.trim_end(), |(way, _)| way);
            out.extend_from_slice(format!("{way}; {date}\n").as_bytes());
        }
        out
    }

    /// The mail without the fields that `keep` refuses.
    pub(crate) fn filtered(&self, keep: impl Fn(&str) -> bool) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.body.len() + 1024);
        for field in self.fields.iter().filter(|field| keep(&field.name)) {
            out.extend_from_slice(field.raw);
        }
        out.push(b'\n');
        out.extend_from_slice(self.body);
        out
    }
}

/// A mail as its owner's server would hand it over: without the mbox line, and without the verdicts of the filter that the corpus was
/// collected with, which are no evidence.
pub fn as_received(bytes: &[u8]) -> Vec<u8> {
    MailHead::read(bytes).filtered(|name| !name.starts_with("x-spam"))
}

/// A mail of which nothing is left but sender, addressees, subject, date and text.
pub(crate) fn subject_and_text_alone(bytes: &[u8]) -> Vec<u8> {
    MailHead::read(bytes).filtered(|name| TEXT_ALONE.contains(&name))
}

/// The addresses of a field such as `To`.
fn addresses(value: &str) -> Vec<NamedAddress> {
    let (mut parts, mut part) = (Vec::new(), String::new());
    let (mut quoted, mut comment) = (false, 0_usize);
    for letter in value.chars() {
        match letter {
            '"' if comment == 0 => quoted = !quoted,
            '(' if !quoted => comment += 1,
            ')' if !quoted => comment = comment.saturating_sub(1),
            ',' | ';' if !quoted && comment == 0 => parts.push(std::mem::take(&mut part)),
            _ if comment > 0 => {}
            _ => part.push(letter),
        }
    }
    parts.push(part);
    let address_of = |text: &str| {
        let address = text.trim().trim_matches(['<', '>', '\'']).to_lowercase();
        address.contains('@').then_some(address)
    };
    parts
        .iter()
        .filter_map(|part| match part.rsplit_once('<') {
            Some((name, rest)) => Some(NamedAddress {
                name: name.trim().trim_matches('\'').to_owned(),
                address: address_of(rest.split('>').next().unwrap_or_default())?,
            }),
            None => Some(NamedAddress {
                name: String::new(),
                address: address_of(part.split_whitespace().find(|word| word.contains('@'))?)?,
            }),
        })
        .collect()
}

/// Whose mailbox a mail is judged as part of.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MailboxOwner {
    /// Names by which others speak to the owner, lower case.
    pub names: Vec<String>,
    /// Lower case.
    pub addresses: Vec<String>,
}

impl MailboxOwner {
    /// The one to whom the mail is addressed: the first address of `To`.
    pub fn addressee(head: &MailHead<'_>) -> Self {
        let first = head.addresses("to").into_iter().next();
        let addresses: BTreeSet<String> = first.into_iter().map(|to| to.address).collect();
        Self::named(head, addresses)
    }

    /// Whoever collected the mail: where it was delivered last, and the names that the corpus gave its collectors.
    pub fn collector(head: &MailHead<'_>) -> Self {
        let delivered = head.addresses("delivered-to").into_iter().take(1);
        let mut found: BTreeSet<String> = delivered.map(|to| to.address).collect();
        for field in &head.fields {
            let value = field.value();
            let words = value.split(|c: char| c.is_whitespace() || "<>(),;\"'".contains(c));
            found.extend(words.map(str::to_lowercase).filter(|word| is_collector(word)));
        }
        Self::named(head, found)
    }

    /// With the names that stand beside the addresses in `To` and `Cc`.
    fn named(head: &MailHead<'_>, addresses: BTreeSet<String>) -> Self {
        let mut names = BTreeSet::new();
        for to in ["to", "cc"].into_iter().flat_map(|name| head.addresses(name)) {
            if addresses.contains(&to.address) && !to.name.contains('@') {
                let name = to.name.to_lowercase();
                // `Moss, Jay` is spoken to as Jay.
                let called = name.split_once(',').map_or(name.as_str(), |(_, first)| first);
                names.extend(called.split_whitespace().next().map(str::to_owned));
                names.insert(name);
            }
        }
        names.remove("");
        Self {
            names: names.into_iter().collect(),
            addresses: addresses.into_iter().collect(),
        }
    }
}

/// `jm@…`, `yyyy-list@…`, `zzzz+a@…`.
pub(crate) fn is_collector(word: &str) -> bool {
    let Some((local, host)) = word.split_once('@') else {
        return false;
    };
    host.contains('.')
        && COLLECTORS.iter().any(|name| {
            local
                .strip_prefix(name)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '+']))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAIL: &[u8] = b"From ann@a.example  Mon Jan  5 10:00:00 2026\nReturn-Path: <ann@a.example>\nDelivered-To: zzzz@box.example\n\
Delivered-To: list@lists.example\nReceived: from a.example (a.example [192.0.2.1]) by box.example\n\tfor <jm-list@box.example>; Mon\n\
X-Spam-Status: No, hits=-2\n\ttests=NONE\nFrom: Ann <ann@a.example>\nTo: \"Moss, Jay\" <JM@box.example>,\n list@lists.example (the, list)\n\
Subject: a\n b\nList-Id: <list.lists.example>\n\nX-Spam-Status: in the text\nbye\n";

    #[test]
    fn a_head_is_split_and_unfolded() {
        let head = MailHead::read(MAIL);
        assert_eq!(head.values("subject").collect::<Vec<_>>(), ["a b"]);
        assert_eq!(
            head.values("return-path").collect::<Vec<_>>(),
            ["<ann@a.example>"]
        );
        assert_eq!(head.values("from").collect::<Vec<_>>(), ["Ann <ann@a.example>"]);
        assert_eq!(head.body, b"X-Spam-Status: in the text\nbye\n");
        let named = |name: &str, address: &str| NamedAddress {
            name: name.to_owned(),
            address: address.to_owned(),
        };
        assert_eq!(
            head.addresses("to"),
            [
                named("Moss, Jay", "jm@box.example"),
                named("", "list@lists.example")
            ]
        );
    }

    #[test]
    fn the_corpus_filter_has_no_say() {
        let text = String::from_utf8(as_received(MAIL)).unwrap();
        assert!(text.starts_with("Return-Path: <ann@a.example>\nDelivered-To:"));
        assert!(!text.contains("hits=-2") && !text.contains("tests=NONE"));
        assert!(text.contains("List-Id:") && text.ends_with("\n\nX-Spam-Status: in the text\nbye\n"));
    }

    #[test]
    fn text_alone_has_no_other_field() {
        assert_eq!(
            String::from_utf8(subject_and_text_alone(MAIL)).unwrap(),
            "From: Ann <ann@a.example>\nTo: \"Moss, Jay\" <JM@box.example>,\n list@lists.example (the, list)\nSubject: a\n b\n\n\
             X-Spam-Status: in the text\nbye\n"
        );
    }

    #[test]
    fn the_owner_is_the_addressee_or_the_collector() {
        let head = MailHead::read(MAIL);
        let addressee = MailboxOwner::addressee(&head);
        assert_eq!(addressee.addresses, ["jm@box.example"]);
        // Where it was delivered on its way is no address of the owner's.
        let collector = MailboxOwner::collector(&head);
        assert_eq!(
            collector.addresses,
            ["jm-list@box.example", "jm@box.example", "zzzz@box.example"]
        );
        assert_eq!(collector.names, ["jay", "moss, jay"]);
        assert!(!is_collector("jmoss@box.example") && !is_collector("jm@"));
    }
}
