//! Length and body: what frames of every kind have in common.
//!
//! What: a value as JSON with its version in it and its length before it, and a stream cut into bodies, each with a limit; blocking
//! readers and those that wait otherwise take in a stream in one way. Why: agents and the model speak over sockets in one way. Not
//! here: what is in a body (the parent module; `llm_runtime::wire`), sockets.

use super::{MAX_FRAME_BYTES, VERSION, WireError, malformed};
use serde::{Deserialize, Serialize};
use std::io;

/// The bytes of the length before a body.
pub const HEADER_BYTES: usize = 4;
/// Bytes that are read at once.
const READ_BYTES: usize = 16 * 1024;
/// The largest buffer that a decoder keeps once all in it was given out.
const KEPT_BYTES: usize = 64 * 1024;
/// Most frames fit: they are written without growing.
const FRAME_BYTES: usize = 1024;

/// A value as JSON, with its length before it.
///
/// # Errors
/// `WIRE-001` when the JSON has more than `limit` bytes.
pub fn encode_frame<T: Serialize>(value: &T, limit: usize) -> Result<Vec<u8>, WireError> {
    let mut bytes = Vec::with_capacity(FRAME_BYTES);
    bytes.extend([0; HEADER_BYTES]);
    serde_json::to_writer(&mut bytes, value).map_err(|e| malformed(&e))?;
    let body = bytes.len() - HEADER_BYTES;
    let length = u32::try_from(body).ok().filter(|_| body <= limit);
    let length = length.ok_or(WireError::TooLarge { bytes: body, limit })?;
    for (slot, byte) in bytes.iter_mut().zip(length.to_be_bytes()) {
        *slot = byte;
    }
    Ok(bytes)
}

/// Only the version, of a frame that cannot be read otherwise.
#[derive(Deserialize)]
struct FrameVersion {
    v: u64,
}

/// A value from a body, without its length. That it is of another version is told before what else is wrong with it.
///
/// # Errors
/// `WIRE-001`, `WIRE-003` or `WIRE-004`.
pub fn decode_frame<'a, T: Deserialize<'a>>(
    body: &'a [u8],
    limit: usize,
    version: impl Fn(&T) -> u64,
) -> Result<T, WireError> {
    if body.len() > limit {
        return Err(WireError::TooLarge {
            bytes: body.len(),
            limit,
        });
    }
    let frame = serde_json::from_slice::<T>(body);
    let found = match &frame {
        Ok(frame) => Some(version(frame)),
        Err(_) => serde_json::from_slice::<FrameVersion>(body).ok().map(|v| v.v),
    };
    match found.filter(|found| *found != u64::from(VERSION)) {
        Some(found) => Err(WireError::Version { found }),
        None => frame.map_err(|e| malformed(&e)),
    }
}

/// The body's length. One of four bytes fits into a usize here; on a smaller machine it is too large anyway.
fn body_length(header: [u8; HEADER_BYTES]) -> usize {
    usize::try_from(u32::from_be_bytes(header)).unwrap_or(usize::MAX)
}

/// Cuts a stream of bytes into bodies. Holds at most one frame and what was read last.
#[derive(Debug)]
pub struct FrameDecoder {
    /// What was read, then room for what is read next: the stream writes into it, and nothing is zeroed or copied for a read.
    bytes: Vec<u8>,
    /// Bytes at the front that were given out.
    done: usize,
    /// Bytes at the front that were read.
    filled: usize,
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
            filled: 0,
            limit,
        }
    }

    /// Takes in what was read.
    pub fn push(&mut self, read: &[u8]) {
        self.make_room(read.len());
        let room = self.bytes.get_mut(self.filled..).unwrap_or_default();
        if let Some(room) = room.get_mut(..read.len()) {
            room.copy_from_slice(read);
            self.filled += read.len();
        }
    }

    /// Forgets what was given out, and has room for so many bytes more.
    fn make_room(&mut self, more: usize) {
        if self.done > 0 {
            self.bytes.copy_within(self.done..self.filled, 0);
            self.filled -= self.done;
            self.done = 0;
        }
        if self.filled == 0 && self.bytes.len() > KEPT_BYTES {
            self.bytes = Vec::new();
        }
        let needed = self.filled + more;
        if self.bytes.len() < needed {
            self.bytes.resize(needed, 0);
        }
    }

    /// What was read and not given out.
    fn rest(&self) -> &[u8] {
        self.bytes.get(self.done..self.filled).unwrap_or_default()
    }

    /// Takes in what one read of a stream brings; `false`: the stream is over.
    ///
    /// # Errors
    /// The stream's.
    pub fn take_in(&mut self, read: impl FnOnce(&mut [u8]) -> io::Result<usize>) -> io::Result<bool> {
        self.make_room(READ_BYTES);
        let room = self.bytes.get_mut(self.filled..).unwrap_or_default();
        let most = room.len();
        match read(room) {
            Ok(0) => Ok(false),
            Ok(count) => {
                self.filled += count.min(most);
                Ok(true)
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(true),
            // Whoever is on the other side is gone.
            Err(error) if error.kind() == io::ErrorKind::ConnectionReset => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// The next frame of a stream that blocks; `None`: the stream is over.
    ///
    /// # Errors
    /// The stream's, or why what it brings is no frame.
    pub fn read_frame<T, E: From<io::Error> + From<WireError>>(
        &mut self,
        stream: &mut impl io::Read,
        decode: impl FnOnce(&[u8]) -> Result<T, WireError>,
    ) -> Result<Option<T>, E> {
        loop {
            if let Some(body) = self.next_body()? {
                return Ok(Some(decode(body)?));
            }
            if !self.take_in(|buffer| stream.read(buffer))? {
                self.finish()?;
                return Ok(None);
            }
        }
    }

    /// The next whole body; `None`: read more. A refusal stays: the stream is over.
    ///
    /// # Errors
    /// `WIRE-001`, before the body is waited for.
    pub fn next_body(&mut self) -> Result<Option<&[u8]>, WireError> {
        let rest = self.bytes.get(self.done..self.filled).unwrap_or_default();
        let Some((header, rest)) = rest.split_first_chunk::<HEADER_BYTES>() else {
            return Ok(None);
        };
        let length = body_length(*header);
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
        let rest = self.rest();
        if rest.is_empty() {
            return Ok(());
        }
        let missing = match rest.split_first_chunk::<HEADER_BYTES>() {
            None => HEADER_BYTES - rest.len(),
            Some((header, rest)) => body_length(*header).saturating_sub(rest.len()),
        };
        Err(WireError::Torn { missing })
    }
}
