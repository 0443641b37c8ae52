//! Length and body: what frames of every kind have in common.
//!
//! What: a value as JSON with its length before it, one frame's body, and a stream cut into bodies, each with a limit. Why: agents
//! and the model speak over sockets in one way. Not here: what is in a body (the parent module; `llm_runtime::wire`).

use super::{MAX_FRAME_BYTES, WireError, malformed};
use serde::Serialize;

/// The bytes of the length before a body.
pub const HEADER_BYTES: usize = 4;

/// A value as JSON, with its length before it.
///
/// # Errors
/// `WIRE-001` when the JSON has more than `limit` bytes.
pub fn encode_frame<T: Serialize>(value: &T, limit: usize) -> Result<Vec<u8>, WireError> {
    let mut bytes = vec![0; HEADER_BYTES];
    serde_json::to_writer(&mut bytes, value).map_err(|e| malformed(&e))?;
    let body = bytes.len() - HEADER_BYTES;
    let length = u32::try_from(body).ok().filter(|_| body <= limit);
    let length = length.ok_or(WireError::TooLarge { bytes: body, limit })?;
    for (slot, byte) in bytes.iter_mut().zip(length.to_be_bytes()) {
        *slot = byte;
    }
    Ok(bytes)
}

/// The body of exactly one whole frame to or from an agent.
///
/// # Errors
/// `Torn` when bytes are missing, `TooLarge` when there are more than its length says or than a frame may have.
pub fn body(frame: &[u8]) -> Result<&[u8], WireError> {
    let (header, rest) = frame
        .split_first_chunk::<HEADER_BYTES>()
        .ok_or_else(|| WireError::Torn {
            missing: HEADER_BYTES.saturating_sub(frame.len()),
        })?;
    // A length of four bytes fits into a usize here; on a smaller machine it is too large anyway.
    let length = usize::try_from(u32::from_be_bytes(*header)).unwrap_or(usize::MAX);
    if rest.len() < length && length <= MAX_FRAME_BYTES {
        return Err(WireError::Torn {
            missing: length - rest.len(),
        });
    }
    if rest.len() != length || length > MAX_FRAME_BYTES {
        return Err(WireError::TooLarge {
            bytes: rest.len().max(length),
            limit: MAX_FRAME_BYTES,
        });
    }
    Ok(rest)
}

/// Cuts a stream of bytes into bodies. Holds at most one frame and what was pushed last.
#[derive(Debug)]
pub struct FrameDecoder {
    bytes: Vec<u8>,
    /// Bytes at the front that were given out.
    done: usize,
    /// Bytes that a body may have.
    limit: usize,
}

impl Default for FrameDecoder {
    /// For frames to and from an agent.
    fn default() -> Self {
        Self::with_limit(MAX_FRAME_BYTES)
    }
}

impl FrameDecoder {
    /// For bodies of at most `limit` bytes.
    pub fn with_limit(limit: usize) -> Self {
        Self {
            bytes: Vec::new(),
            done: 0,
            limit,
        }
    }

    /// Takes in what was read.
    pub fn push(&mut self, read: &[u8]) {
        self.bytes.drain(..self.done.min(self.bytes.len()));
        self.done = 0;
        self.bytes.extend_from_slice(read);
    }

    /// The next whole body; `None`: read more. A refusal stays: the stream is over.
    ///
    /// # Errors
    /// `WIRE-001`, before the body is waited for.
    pub fn next_body(&mut self) -> Result<Option<&[u8]>, WireError> {
        let rest = self.bytes.get(self.done..).unwrap_or_default();
        let Some((header, rest)) = rest.split_first_chunk::<HEADER_BYTES>() else {
            return Ok(None);
        };
        let length = usize::try_from(u32::from_be_bytes(*header)).unwrap_or(usize::MAX);
        if length > self.limit {
            return Err(WireError::TooLarge {
                bytes: length,
                limit: self.limit,
            });
        }
        let body = rest.get(..length);
        if body.is_some() {
            self.done += HEADER_BYTES + length;
        }
        Ok(body)
    }

    /// To be called at the end of the stream.
    ///
    /// # Errors
    /// `WIRE-002` when a frame was begun and not ended.
    pub fn finish(&self) -> Result<(), WireError> {
        let rest = self.bytes.get(self.done..).unwrap_or_default();
        if rest.is_empty() {
            return Ok(());
        }
        let missing = match rest.split_first_chunk::<HEADER_BYTES>() {
            None => HEADER_BYTES - rest.len(),
            Some((header, rest)) => {
                let length = usize::try_from(u32::from_be_bytes(*header)).unwrap_or(usize::MAX);
                length.saturating_sub(rest.len())
            }
        };
        Err(WireError::Torn { missing })
    }
}
