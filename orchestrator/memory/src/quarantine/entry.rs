//! What stands on a line of the quarantine.
//!
//! What: [`QuarantineEntry`], what was refused and why, and [`LostEntries`], how many entries are missing. Why: one type for the writer, the
//! readers and the replay. Not here: files (`writer`, `read`).

use super::LOST;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::{Deserialize, Serialize};
use toolcall_schema::{
    AgentName, Timestamp,
    ids::{CallId, TraceId, sha256_hex},
    protocol::manifest::Protocol,
    rejection::RefusalReason,
};

/// How `raw` is to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RawEncoding {
    /// The bytes are not UTF-8.
    Base64,
}

/// One line: what was refused and why.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuarantineEntry {
    /// When it was refused.
    pub ts: Timestamp,
    /// Which rule was broken.
    pub code: String,
    /// Where in the document.
    pub pointer: String,
    /// A plain sentence.
    pub message: String,
    /// Whose it was, as far as known.
    pub agent: Option<AgentName>,
    /// Which tool, as far as known: `mute_channel`.
    pub tool: Option<String>,
    /// Which call, as far as known.
    pub call_id: Option<CallId>,
    /// In which tick.
    pub trace_id: Option<TraceId>,
    /// Which program of the owner's said it, by its manifest's name. Absent: none of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// In which protocol. Absent: no program said it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protocol: Option<Protocol>,
    /// Under which catalogue.
    pub catalogue_hash: String,
    /// SHA-256 of the bytes that were refused.
    pub sha256: String,
    /// How many they were.
    pub bytes: u64,
    /// The bytes as text, private leaves replaced.
    pub raw: String,
    /// Absent: `raw` is the text itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw_encoding: Option<RawEncoding>,
}

/// Without what came from outside: entries may end up in a log.
impl std::fmt::Debug for QuarantineEntry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("QuarantineEntry")
            .field("ts", &self.ts)
            .field("code", &self.code)
            .field("sha256", &self.sha256)
            .field("bytes", &self.bytes)
            .finish_non_exhaustive()
    }
}

impl QuarantineEntry {
    /// An entry for the refused bytes. Who and which stay open: set the fields that are known.
    pub fn new(ts: Timestamp, why: impl Into<RefusalReason>, catalogue_hash: &str, refused: &[u8]) -> Self {
        let why = why.into();
        let blank = Self {
            ts,
            code: why.code,
            pointer: why.pointer,
            message: why.message,
            agent: None,
            tool: None,
            call_id: None,
            trace_id: None,
            program: None,
            protocol: None,
            catalogue_hash: catalogue_hash.to_owned(),
            sha256: sha256_hex(refused),
            bytes: refused.len() as u64,
            raw: String::new(),
            raw_encoding: None,
        };
        blank.showing(refused)
    }

    /// Replaces what is kept, e.g. by the same with private leaves hidden. Hash and length stay those of what was
    /// refused.
    #[must_use]
    pub fn showing(self, raw: &[u8]) -> Self {
        let (raw, raw_encoding) = match std::str::from_utf8(raw) {
            Ok(text) => (text.to_owned(), None),
            Err(_) => (STANDARD.encode(raw), Some(RawEncoding::Base64)),
        };
        Self {
            raw,
            raw_encoding,
            ..self
        }
    }

    /// The bytes that were refused, if the line still has them: a line whose private leaves were hidden has other bytes
    /// than those its hash and length are of.
    pub fn verbatim(&self) -> Option<Vec<u8>> {
        let bytes = match self.raw_encoding {
            None => self.raw.clone().into_bytes(),
            Some(RawEncoding::Base64) => STANDARD.decode(&self.raw).ok()?,
        };
        (bytes.len() as u64 == self.bytes && sha256_hex(&bytes) == self.sha256).then_some(bytes)
    }
}

/// A line that says how many entries before it were lost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LostEntries {
    /// When the last of them was refused.
    pub ts: Timestamp,
    /// `QUAR-001`.
    pub code: String,
    /// How many.
    pub dropped: u64,
}

impl LostEntries {
    /// So many entries were lost up to then.
    pub(super) fn new(ts: Timestamp, dropped: u64) -> Self {
        Self {
            ts,
            code: LOST.to_owned(),
            dropped,
        }
    }
}
