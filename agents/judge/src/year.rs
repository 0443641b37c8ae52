//! A year of real mail, as one recorded day that lasts a year.
//!
//! What: [`lay_out`], the held-out folders as a Maildir with the folder's other files, for `aura replay`; [`read_cards`], which cards its traces give, and
//! about which mail. Why: a mail judged alone says little about what the owner is interrupted with. Not here: playing the year (the program itself),
//! judging a mail alone (`mail`).
//!
//! Each folder keeps its order, so that an answer comes after its question; when within the year a mail comes is drawn with a fixed seed. The owner looks at
//! the phone six times a day and answers nothing.

use crate::{
    corpus::{CorpusFolder, CorpusMail, MailCorpus},
    estimate::FigureEstimate,
    head::{MailHead, MailboxOwner, as_received},
    random::MmixRandom,
    record::{FigureForm, RecordedFigure},
};
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    fs,
    io::{self, BufRead},
    path::Path,
};
use toolcall_schema::{Timestamp, ids::OwnerSeed};

/// Of `day.toml`: keys of ids follow from it.
const DAY_SEED: &str = "mixed-year";
/// Of the dates.
const SEED: u64 = 2_026;
const DAYS: usize = 365;
const DAY_S: usize = 86_400;
/// When the owner looks at the phone: hours of the day.
const LOOKS: [usize; 6] = [8, 10, 13, 16, 19, 21];

/// A mail of the year.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct YearMail {
    pub folder: CorpusFolder,
    /// Its file's name without the ending.
    pub id: String,
}

/// A card that was shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct YearCard {
    pub at: String,
    pub kind: String,
    /// What it was about; `None`: no mail, or one that is not of the corpus.
    pub mail: Option<YearMail>,
    /// Messages that it says want an answer.
    pub counted: u64,
}

/// Writes `day.toml`, `signals.jsonl`, `owner.jsonl`, `home/` with the Maildir, and `mails.tsv`, which says which item is which mail.
///
/// # Errors
/// A file that cannot be written.
pub fn lay_out(corpus: &MailCorpus, into: &Path) -> io::Result<()> {
    let mailbox = into.join("home/mail");
    for folder in ["cur", "new", "tmp"] {
        fs::create_dir_all(mailbox.join(folder))?;
    }
    let key = OwnerSeed::from_day_seed(DAY_SEED).key("agents v1");
    let mut dice = MmixRandom::new(SEED);
    let mut owner = BTreeSet::new();
    let mut items = String::new();
    for folder in CorpusFolder::ALL {
        let mails: Vec<&CorpusMail> = corpus.mails.iter().filter(|mail| mail.folder == folder).collect();
        let mut seconds: Vec<usize> = mails
            .iter()
            .map(|_| dice.roll(DAYS) * DAY_S + dice.roll(DAY_S))
            .collect();
        seconds.sort_unstable();
        for (number, (mail, second)) in mails.into_iter().zip(seconds).enumerate() {
            let name = format!("{}.{number}", folder.name());
            let (bytes, message_id) = dated(mail, &name, second);
            owner.extend(MailboxOwner::collector(&MailHead::read(&mail.bytes)).addresses);
            fs::write(mailbox.join("new").join(&name), bytes)?;
            let item = key.item(&format!("mail:{message_id}"));
            // Writing to a string cannot fail.
            let _ = writeln!(
                items,
                "{item}\t{}\t{}\t{}",
                folder.name(),
                mail.id,
                instant(second)
            );
        }
    }
    let addresses: Vec<String> = owner.iter().map(|address| format!("{address:?}")).collect();
    let head = format!(
        "zone = \"Europe/Dublin\"\nstart = \"{}\"\nseed = \"{DAY_SEED}\"\nceiling = 3\n",
        instant(0)
    );
    fs::write(into.join("day.toml"), &head)?;
    fs::write(
        into.join("home/home.toml"),
        format!(
            "{head}addresses = [{}]\n\n[sources]\nmail = [\"mail\"]\n",
            addresses.join(", ")
        ),
    )?;
    let mut looks = String::new();
    for day in 0..DAYS {
        for hour in LOOKS {
            let at = instant(day * DAY_S + hour * 3600 + 300);
            let _ = writeln!(
                looks,
                r#"{{"id":"look-{day}-{hour}","at":"{at}","source":"phone","kind":"phone_unlock","payload":{{}}}}"#
            );
        }
    }
    fs::write(into.join("signals.jsonl"), looks)?;
    let connects = format!(
        "{{\"at\":\"{}\",\"act\":\"connect\",\"surface\":\"PHONE_CARD\"}}\n",
        instant(5)
    );
    fs::write(into.join("owner.jsonl"), connects)?;
    fs::write(into.join("mails.tsv"), items)
}

/// So many seconds after the year began.
fn instant(second: usize) -> Timestamp {
    // 1 January 2026, 00:00 UTC.
    let begin = Timestamp::from_ms(1_767_225_600_000);
    begin.plus_ms(i64::try_from(second).unwrap_or(0) * 1000)
}

/// The mail with its new date, and its `Message-ID`; one without gets one of its name.
fn dated(mail: &CorpusMail, name: &str, second: usize) -> (Vec<u8>, String) {
    let received = as_received(&mail.bytes);
    let head = MailHead::read(&received);
    let found = head.values("message-id").next().unwrap_or_default();
    let found = found
        .trim()
        .trim_start_matches('<')
        .split('>')
        .next()
        .unwrap_or_default();
    let date = instant(second).utc().to_rfc2822();
    let mut bytes = format!("Date: {date}\n").into_bytes();
    let id = if found.is_empty() {
        let made = format!("{name}@corpus.example");
        bytes.extend_from_slice(format!("Message-ID: <{made}>\n").as_bytes());
        made
    } else {
        found.to_owned()
    };
    let no_id = found.is_empty();
    // A mail that says it was received years before it was written looks forged.
    bytes.extend(head.received_at(&date));
    let moved = ["date", "received"];
    bytes.extend(head.filtered(|field| !(moved.contains(&field) || (no_id && field == "message-id"))));
    (bytes, id)
}

/// The cards of a year's traces, one trace a line, as `aura replay DIR --json` prints them. `items`: the year's `mails.tsv`.
///
/// # Errors
/// Traces that cannot be read.
pub fn read_cards(traces: impl BufRead, items: &str) -> io::Result<Vec<YearCard>> {
    let mails: BTreeMap<&str, YearMail> = items.lines().filter_map(year_mail).collect();
    let mut cards = Vec::new();
    for line in traces.lines() {
        let line = line?;
        // Nearly all ticks are silent, and a year has 37,000.
        if !line.contains("\"chosen\"") {
            continue;
        }
        let trace: Value = serde_json::from_str(&line)?;
        let Some(chosen) = trace
            .pointer("/decision/chosen")
            .filter(|it| it.get("card_id").is_some())
        else {
            continue;
        };
        let text = |of: &Value, name: &str| {
            of.get(name)
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned()
        };
        cards.push(YearCard {
            at: text(&trace, "ts"),
            kind: text(chosen, "kind"),
            mail: mails.get(text(chosen, "subject").as_str()).cloned(),
            counted: trace
                .pointer("/tool_calls/0/args/sections/0/actionable")
                .and_then(Value::as_u64)
                .unwrap_or(0),
        });
    }
    Ok(cards)
}

fn year_mail(line: &str) -> Option<(&str, YearMail)> {
    let mut fields = line.split('\t');
    let (item, folder, id) = (fields.next()?, fields.next()?, fields.next()?);
    let folder = CorpusFolder::ALL.into_iter().find(|it| it.name() == folder)?;
    Some((
        item,
        YearMail {
            folder,
            id: id.to_owned(),
        },
    ))
}

/// What the year's cards come to.
pub fn figures(cards: &[YearCard]) -> Vec<RecordedFigure> {
    let about = |folder| {
        let of = |card: &&YearCard| card.mail.as_ref().is_some_and(|mail| mail.folder == folder);
        cards.iter().filter(of).count()
    };
    let named = cards.iter().filter(|card| card.mail.is_some()).count();
    let row = |figure: &str, hits, n| {
        RecordedFigure::new(
            "mixed year, played by aura",
            figure,
            FigureForm::Whole,
            FigureEstimate::of_proportion(hits, n),
        )
    };
    vec![
        row("days with a card", days_with_a_card(cards), DAYS),
        row("cards about one mail", named, cards.len()),
        row("of these about spam", about(CorpusFolder::Spam), named),
        row("of these about hard-ham-1", about(CorpusFolder::HardHam), named),
    ]
}

fn days_with_a_card(cards: &[YearCard]) -> usize {
    let days: BTreeSet<&str> = cards.iter().filter_map(|card| card.at.get(..10)).collect();
    days.len()
}

/// The cards as a list for people, one a line: when, which kind, which mail, how many messages it counts.
pub fn list(cards: &[YearCard]) -> String {
    let mut out = String::new();
    for card in cards {
        let mail = card.mail.as_ref();
        let (folder, id) = mail.map_or(("-", "-"), |mail| (mail.folder.name(), mail.id.as_str()));
        let _ = writeln!(
            out,
            "{}\t{}\t{folder}\t{id}\t{}",
            card.at, card.kind, card.counted
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mail(folder: CorpusFolder, id: &str, text: &str) -> CorpusMail {
        CorpusMail {
            folder,
            id: id.to_owned(),
            bytes: text.as_bytes().to_vec(),
        }
    }

    #[test]
    fn a_mail_gets_its_new_date_and_keeps_its_name() {
        let named = mail(
            CorpusFolder::Spam,
            "a",
            "From x\nReceived: from a by b\n\tfor c; Mon, 1 Jul 2002 10:00:01 +0000\nDate: Mon, 1 Jul 2002 10:00:00 +0000\nMessage-Id: <a@b.example>\nX-Spam-Flag: YES\nFrom: c@d.example\n\nhello\n",
        );
        let (bytes, id) = dated(&named, "spam-2.0", 90_061);
        assert_eq!(id, "a@b.example");
        assert_eq!(
            String::from_utf8(bytes).unwrap(),
            "Date: Fri, 2 Jan 2026 01:01:01 +0000\nReceived: from a by b\n\tfor c; Fri, 2 Jan 2026 01:01:01 +0000\n\
             Message-Id: <a@b.example>\nFrom: c@d.example\n\nhello\n"
        );
        let nameless = mail(CorpusFolder::Spam, "a", "From: c@d.example\n\nhello\n");
        let (bytes, id) = dated(&nameless, "spam-2.7", 0);
        assert_eq!(id, "spam-2.7@corpus.example");
        assert!(
            String::from_utf8(bytes)
                .unwrap()
                .contains("\nMessage-ID: <spam-2.7@corpus.example>\nFrom:")
        );
    }

    #[test]
    fn a_year_is_laid_out_and_its_cards_are_named() {
        let corpus = MailCorpus {
            mails: vec![
                mail(
                    CorpusFolder::EasyHam,
                    "h1",
                    "From: c@d.example\nTo: jm@box.example\nMessage-ID: <h1@x>\n\nhi\n",
                ),
                mail(
                    CorpusFolder::EasyHam,
                    "h2",
                    "From: c@d.example\nMessage-ID: <h2@x>\n\nhi\n",
                ),
                mail(
                    CorpusFolder::Spam,
                    "s1",
                    "From: e@f.example\nMessage-ID: <s1@x>\n\nbuy\n",
                ),
            ],
        };
        let folder = std::env::temp_dir().join(format!("aura-judge-year-{}", std::process::id()));
        lay_out(&corpus, &folder).unwrap();
        let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
        let (items, home) = (read("mails.tsv"), read("home/home.toml"));
        assert_eq!(read("signals.jsonl").lines().count(), 6 * 365);
        assert_eq!(fs::read_dir(folder.join("home/mail/new")).unwrap().count(), 3);
        fs::remove_dir_all(&folder).unwrap();
        assert!(home.contains("addresses = [\"jm@box.example\"]\n"), "{home}");
        let of: Vec<Vec<&str>> = items.lines().map(|line| line.split('\t').collect()).collect();
        let [h1, h2, s1] = of.as_slice() else {
            panic!("{items}");
        };
        // A folder keeps its order.
        assert!(h1[3] < h2[3], "{items}");
        let traces = format!(
            "{}\n{}\n{}\n",
            r#"{"ts":"2026-01-02T07:30:00.000Z","decision":{"chosen":{"kind":"SHOW_BRIEF","subject":"2026-01-02","card_id":"c_1"}},"tool_calls":[{"args":{"sections":[{"section":"messages","actionable":2}]}}]}"#,
            format_args!(
                r#"{{"ts":"2026-01-02T09:00:00.000Z","decision":{{"chosen":{{"kind":"DRAFT_REPLY","subject":"{}","card_id":"c_2"}}}}}}"#,
                s1[0]
            ),
            r#"{"ts":"2026-01-02T09:15:00.000Z","decision":{"candidates":[]}}"#,
        );
        let cards = read_cards(traces.as_bytes(), &items).unwrap();
        let spam = YearMail {
            folder: CorpusFolder::Spam,
            id: "s1".to_owned(),
        };
        let told: Vec<_> = cards
            .iter()
            .map(|card| (card.kind.as_str(), card.mail.as_ref(), card.counted))
            .collect();
        assert_eq!(told, [("SHOW_BRIEF", None, 2), ("DRAFT_REPLY", Some(&spam), 0)]);
        let shares: Vec<_> = figures(&cards)
            .iter()
            .map(|it| it.estimate.map(|it| (it.n, it.value)))
            .collect();
        assert_eq!(
            shares,
            [
                Some((365, 1.0 / 365.0)),
                Some((2, 0.5)),
                Some((1, 1.0)),
                Some((1, 0.0))
            ]
        );
    }
}
