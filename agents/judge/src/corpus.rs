//! The real mails by which Aura is judged, as they lie outside the repository.
//!
//! What: [`MailCorpus`], the three held-out folders of the `SpamAssassin` corpus, and [`labels`], what two readers said of 300 of them. Why: no text
//! of a real mail is in this repository. Not here: fetching them (`scripts/judge-data.sh`), the folders that are trained on (`agents/training`).

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};
use toolcall_schema::catalogue::comms::MessageClass;

/// A folder of the corpus that nobody trains on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CorpusFolder {
    EasyHam,
    HardHam,
    Spam,
}

impl CorpusFolder {
    pub const ALL: [Self; 3] = [Self::EasyHam, Self::HardHam, Self::Spam];

    /// Its name in the corpus.
    pub fn name(self) -> &'static str {
        match self {
            Self::EasyHam => "easy-ham-2",
            Self::HardHam => "hard-ham-1",
            Self::Spam => "spam-2",
        }
    }
}

/// A mail of the corpus. Not `Debug`: its text goes nowhere.
pub struct CorpusMail {
    pub folder: CorpusFolder,
    /// Its file's name without the ending.
    pub id: String,
    pub bytes: Vec<u8>,
}

/// All mails of the held-out folders, in the order of their names.
pub struct MailCorpus {
    pub mails: Vec<CorpusMail>,
}

/// A folder that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("failed to read {}: run `make judge`, which fetches it", .path.display())]
pub struct CorpusUnreadable {
    path: PathBuf,
    #[source]
    source: io::Error,
}

impl MailCorpus {
    /// Reads the folders below `data`, as `scripts/judge-data.sh` lays them out.
    ///
    /// # Errors
    /// A folder or file that cannot be read, or an empty folder.
    pub fn read(data: &Path) -> Result<Self, CorpusUnreadable> {
        let mut mails = Vec::new();
        for folder in CorpusFolder::ALL {
            let path = data.join("mail").join(folder.name());
            let unreadable = |path: &Path, source: io::Error| CorpusUnreadable {
                path: path.to_owned(),
                source,
            };
            let listed = fs::read_dir(&path).map_err(|source| unreadable(&path, source))?;
            let mut files: Vec<PathBuf> = listed
                .filter_map(|entry| Some(entry.ok()?.path()))
                .filter(|file| file.extension().is_some_and(|ending| ending == "txt"))
                .collect();
            if files.is_empty() {
                return Err(unreadable(&path, io::ErrorKind::NotFound.into()));
            }
            files.sort();
            for file in files {
                let bytes = fs::read(&file).map_err(|source| unreadable(&file, source))?;
                let id = file.file_stem().unwrap_or_default();
                mails.push(CorpusMail {
                    folder,
                    id: id.to_string_lossy().into_owned(),
                    bytes,
                });
            }
        }
        Ok(Self { mails })
    }
}

/// Which mails were drawn together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LabelledSuite {
    /// Addressed to one person, who is the owner.
    Addressed,
    /// Any others; the owner is whoever collected the mail.
    Random,
}

/// What two readers said of a mail, apart from each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MailLabel {
    pub suite: LabelledSuite,
    pub first: MessageClass,
    pub second: MessageClass,
}

/// The labels by the mail's id. A line that is none is left out; a test counts them.
pub fn labels() -> BTreeMap<&'static str, MailLabel> {
    include_str!("../labels/easy-ham-2.tsv")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(label)
        .collect()
}

fn label(line: &'static str) -> Option<(&'static str, MailLabel)> {
    let mut fields = line.split('\t');
    let id = fields.next()?;
    let suite = match fields.next()? {
        "addressed" => LabelledSuite::Addressed,
        "random" => LabelledSuite::Random,
        _ => return None,
    };
    let (first, second) = (
        MessageClass::parse(fields.next()?)?,
        MessageClass::parse(fields.next()?)?,
    );
    Some((id, MailLabel { suite, first, second }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_of_the_300_labels_is_read() {
        let labels = labels();
        let of = |suite| labels.values().filter(|label| label.suite == suite).count();
        assert_eq!(
            (of(LabelledSuite::Addressed), of(LabelledSuite::Random)),
            (150, 150)
        );
        // GUIDE.md: two readings that agree on 98 of a hundred.
        let agree = labels
            .values()
            .filter(|label| label.first == label.second)
            .count();
        assert_eq!(agree, 294);
    }
}
