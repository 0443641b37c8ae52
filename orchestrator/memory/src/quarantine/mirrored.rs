//! Lines of the quarantine that go to other hosts.
//!
//! What: [`LineMirror`], which hears of each line that was written, and [`take_in`], which writes those of another host. Why: who takes an owner over has
//! what was refused before. Not here: when something is taken in (`crate::remote_log`), what programs said, which any process writes (`messages`).

use super::{QuarantineKind, file_path, folder, line_file::LineFile};
use crate::{error::StoreError, files, rows::StoreWrite};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs::File,
    io::{self, BufRead as _, BufReader, ErrorKind},
    path::Path,
    sync::Arc,
};

/// A longer line stays on its host: it would be too large an entry of a log.
pub(super) const MIRRORED_BYTES_MAX: usize = 1 << 20;

/// Told each line that was written, without its end. Must not wait.
pub type LineMirror = Arc<dyn Fn(QuarantineKind, &str) + Send + Sync>;

/// Writes the lines among these writes that are not there yet. To be called while nobody else writes to the quarantine; what cannot be written is logged.
pub(crate) fn take_in<'a>(data_dir: &Path, writes: impl IntoIterator<Item = &'a StoreWrite>) {
    let mut of_kind: BTreeMap<QuarantineKind, Vec<&str>> = BTreeMap::new();
    for write in writes {
        if let StoreWrite::QuarantineLine { kind, line } = write {
            of_kind.entry(*kind).or_default().push(line);
        }
    }
    for (kind, lines) in of_kind {
        if let Err(error) = append_missing(data_dir, kind, lines) {
            tracing::error!(code = error.code(), %error, "lines of the quarantine are not taken in");
        }
    }
}

fn append_missing(data_dir: &Path, kind: QuarantineKind, lines: Vec<&str>) -> Result<(), StoreError> {
    let path = file_path(kind, data_dir);
    files::private_dir(&folder(data_dir))?;
    let there = lines_of(&path).map_err(StoreError::file("read", &path))?;
    let mut file = LineFile::open(&path).map_err(StoreError::file("open", &path))?;
    for line in lines.into_iter().filter(|line| !there.contains(line.as_bytes())) {
        file.append(line.as_bytes())
            .map_err(StoreError::file("write", &path))?;
    }
    file.sync().map_err(StoreError::file("sync", &path))
}

/// The whole lines of a file, at most its 16 MiB; none where there is no file.
fn lines_of(path: &Path) -> io::Result<BTreeSet<Vec<u8>>> {
    match File::open(path) {
        Ok(file) => BufReader::new(file).split(b'\n').collect(),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(BTreeSet::new()),
        Err(error) => Err(error),
    }
}
