//! The invented mails that mail is trained with.
//!
//! What: [`invented`], each with its label and what it teaches: those of `agents/training/invented` that stand there as they came (`*.eml`, labels in
//! `labels.tsv`), and those in the compact form (`exchanges.txt`, `today-1.txt` …). Why: the corpus is old, and its people write to
//! lists. Not here: the compact form (`compact`), its heads (`made_head`), real mail (`corpus`).

use crate::{
    compact::{WriterKind, parse},
    corpus::TrainingMail,
    gate::sender_hash,
    made_head::as_received,
};
use agents::comms::judging::MessageClass;
use std::{fs, io, path::Path};

/// A mail that was invented.
pub struct InventedMail {
    pub mail: TrainingMail,
    /// By `labels/GUIDE.md`.
    pub label: MessageClass,
    /// Whether a reply is to be offered.
    pub draft: bool,
    /// Whether a program sent it.
    pub automatic: bool,
    /// Whether the gate learns from it as well. Short mails say too little.
    pub gate: bool,
    /// Whether the scorers of what a mail wants learn from it.
    pub scorers: bool,
    /// Who wrote it: the mails of one writer are like one another.
    pub writer: &'static str,
}

/// The owner of the invented mails.
pub const INVENTED_NAMES: [&str; 2] = ["asha rao", "asha"];
pub const INVENTED_ADDRESSES: [&str; 2] = ["asha.rao@owner.example", "asha@rao.example"];

/// What learns from a file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Teaches {
    Both,
    Gate,
    Scorers,
}

/// The files in the compact form, and what learns from them. Short mails between two people, real questions beside those that only look like one,
/// stand in the first. By the last two, in which hardly anybody asks, a question to a list was heard less (docs/adr/0202).
const COMPACT: [(&str, &str, Teaches); 8] = [
    (
        "exchanges",
        include_str!("../invented/exchanges.txt"),
        Teaches::Scorers,
    ),
    ("today-1", include_str!("../invented/today-1.txt"), Teaches::Both),
    ("today-2", include_str!("../invented/today-2.txt"), Teaches::Both),
    ("today-3", include_str!("../invented/today-3.txt"), Teaches::Both),
    ("today-4", include_str!("../invented/today-4.txt"), Teaches::Both),
    ("today-5", include_str!("../invented/today-5.txt"), Teaches::Both),
    ("today-6", include_str!("../invented/today-6.txt"), Teaches::Gate),
    ("today-7", include_str!("../invented/today-7.txt"), Teaches::Gate),
];

/// Those that stand as they came.
pub const WHOLE: &str = "whole";

/// Every invented mail.
///
/// # Errors
/// When a file cannot be read, or is not of the form.
pub(crate) fn invented() -> io::Result<Vec<InventedMail>> {
    let mut found = whole()?;
    for (writer, file, teaches) in COMPACT {
        found.extend(compact(writer, file, teaches)?);
    }
    Ok(found)
}

fn whole() -> io::Result<Vec<InventedMail>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("invented");
    let labels = fs::read_to_string(folder.join("labels.tsv"))?;
    let rows = labels.lines().filter_map(|line| {
        let mut cells = line.split('\t');
        let (id, label) = (cells.next()?, cells.next()?);
        let (draft, automatic) = (cells.next()? == "true", cells.next()? == "true");
        Some((id, label, draft, automatic, cells.next() != Some("asks")))
    });
    rows.map(|(id, label, draft, automatic, gate)| {
        let label = MessageClass::parse(label).ok_or_else(|| malformed(WHOLE, id))?;
        Ok(InventedMail {
            mail: TrainingMail {
                id: id.to_owned(),
                bytes: fs::read(folder.join(format!("{id}.eml")))?,
                spam: label == MessageClass::Spam,
            },
            label,
            draft,
            automatic,
            gate,
            scorers: true,
            writer: WHOLE,
        })
    })
    .collect()
}

pub(crate) fn compact(writer: &'static str, file: &str, teaches: Teaches) -> io::Result<Vec<InventedMail>> {
    let mails = parse(file).map_err(|line| malformed(writer, &line))?;
    let numbered = (1_u64..).zip(mails);
    let made = numbered.map(|(number, it)| {
        let bytes = as_received(&it, (sender_hash(writer) << 16) + number);
        InventedMail {
            mail: TrainingMail {
                id: format!("{writer}:{number}"),
                bytes,
                spam: it.label == MessageClass::Spam,
            },
            label: it.label,
            draft: it.draft,
            automatic: matches!(it.sender, WriterKind::Program | WriterKind::Bulk),
            gate: teaches != Teaches::Scorers,
            scorers: teaches != Teaches::Gate,
            writer,
        }
    });
    Ok(made.collect())
}

fn malformed(file: &str, line: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("{file}: no mail: {line}"))
}

/// The same mail as it comes through somebody else's server: nothing of its head proves its sender any more. Half of what arrives is so.
pub(crate) fn relayed(bytes: &[u8]) -> Vec<u8> {
    let top = "Received: from out.relay.example (out.relay.example [192.0.2.199]) by mx1.owner.example (Postfix) with ESMTPS id Qx1\n\tfor <asha.rao@owner.example>\nMessage-ID: <1.2@relay.example>\n";
    with_other_top(
        top,
        bytes,
        &[
            "received",
            "authentication-results",
            "return-path",
            "message-id",
            "dkim-signature",
            "received-spf",
        ],
    )
}

/// The same mail as servers of old handed it on: without encryption, signature or results of authentication.
pub(crate) fn age_head(bytes: &[u8]) -> Vec<u8> {
    let host = crate::corpus::fields(bytes)
        .into_iter()
        .find(|(name, _)| name == "from")
        .and_then(|(_, from)| Some(from.rsplit_once('@')?.1.trim_end_matches('>').to_owned()))
        .unwrap_or_default();
    let top = format!(
        "Received: from mail.{host} (mail.{host} [192.0.2.7]) by mx1.owner.example (8.11.6/8.11.6) with ESMTP id g7M\n\tfor <asha.rao@owner.example>\n"
    );
    with_other_top(
        &top,
        bytes,
        &[
            "received",
            "authentication-results",
            "dkim-signature",
            "received-spf",
            "list-unsubscribe-post",
            "feedback-id",
        ],
    )
}

/// A mail with `top` in place of some of its fields.
fn with_other_top(top: &str, bytes: &[u8], left_out: &[&str]) -> Vec<u8> {
    let (head, body) = head_and_body(bytes);
    let mut out = top.as_bytes().to_vec();
    let mut kept = true;
    for line in head.split_inclusive(|b| *b == b'\n') {
        if !line.starts_with(b" ") && !line.starts_with(b"\t") {
            let name = line.split(|b| *b == b':').next().unwrap_or_default();
            kept = !left_out
                .iter()
                .any(|left_out| name.eq_ignore_ascii_case(left_out.as_bytes()));
        }
        if kept {
            out.extend(line);
        }
    }
    out.extend(body);
    out
}

/// The head with its last line's end, and the empty line with everything behind it.
fn head_and_body(bytes: &[u8]) -> (&[u8], &[u8]) {
    let mut at = 0;
    for line in bytes.split_inclusive(|b| *b == b'\n') {
        if line == b"\n" || line == b"\r\n" {
            break;
        }
        at += line.len();
    }
    bytes.split_at(at.min(bytes.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::fields;
    use agents::comms::examples::gate_example;
    use std::collections::BTreeSet;

    #[test]
    fn every_invented_mail_is_read_and_has_a_name_of_its_own() {
        let found = invented().unwrap();
        let ids: BTreeSet<&str> = found.iter().map(|it| it.mail.id.as_str()).collect();
        assert_eq!(ids.len(), found.len());
        for it in &found {
            assert!(
                gate_example(&it.mail.bytes, &|_| false).is_some(),
                "{}",
                it.mail.id
            );
        }
        for (writer, least) in [
            (WHOLE, 300),
            ("exchanges", 200),
            ("today-1", 100),
            ("today-4", 100),
            ("today-5", 100),
        ] {
            assert!(
                found.iter().filter(|it| it.writer == writer).count() >= least,
                "{writer}"
            );
        }
        // A reply is offered for what waits for one.
        assert!(found.iter().all(|it| !it.draft
            || !matches!(
                it.label,
                MessageClass::Spam | MessageClass::News | MessageClass::Code
            )));
    }

    #[test]
    fn a_relayed_and_an_aged_mail_keep_their_sender_and_text() {
        for it in invented().unwrap() {
            for other in [relayed(&it.mail.bytes), age_head(&it.mail.bytes)] {
                let value =
                    |bytes: &[u8], name: &str| fields(bytes).into_iter().find(|(known, _)| known == name);
                for name in ["from", "to", "subject", "date", "content-type"] {
                    assert_eq!(
                        value(&it.mail.bytes, name),
                        value(&other, name),
                        "{name} of {}",
                        it.mail.id
                    );
                }
                assert_eq!(value(&other, "authentication-results"), None);
                assert!(other.ends_with(head_and_body(&it.mail.bytes).1));
            }
        }
    }
}
