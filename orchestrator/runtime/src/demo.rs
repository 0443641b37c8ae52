//! The recorded devices of the demo household.

use std::path::{Path, PathBuf};
use toolcall_schema::{gate, signal::AdmittedSignal};

/// A file of a recorded day or household that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("DAY-005: {path}: cannot be read; a recorded day is a folder with day.toml and signals.jsonl")]
pub struct UnreadableFile {
    pub path: PathBuf,
    #[source]
    pub source: std::io::Error,
}

/// The signals of a JSONL file, by time: for the demo household's devices.
///
/// # Errors
/// [`UnreadableFile`] naming file and line.
pub(crate) fn device_signals(path: &Path) -> Result<Vec<AdmittedSignal>, UnreadableFile> {
    let unreadable = |source| UnreadableFile {
        path: path.to_owned(),
        source,
    };
    let text = std::fs::read_to_string(path).map_err(unreadable)?;
    let mut signals = Vec::new();
    for (index, line) in text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
    {
        let signal = gate::admit_signal(line.as_bytes()).map_err(|error| {
            unreadable(std::io::Error::new(
                std::io::ErrorKind::InvalidData,
                format!("line {}: {error}", index + 1),
            ))
        })?;
        signals.push(signal);
    }
    signals.sort_by_key(|admitted| admitted.signal().at);
    Ok(signals)
}
