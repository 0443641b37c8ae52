//! Frames over a stream that blocks.
//!
//! What: [`BlockingFrames`], for a worker's own side, and with [`UntilDeadline`] for whoever started one and waits where it asks. Why: one
//! loop reads them all. Not here: the decoder (`toolcall_schema::wire`), frames beside other work (`link`).

use std::{
    io::{self, Read, Write},
    os::unix::net::UnixStream,
    time::Instant,
};
use toolcall_schema::wire::{FrameDecoder, WireError};

/// A stream, and what was read of its next frame.
pub(super) struct BlockingFrames<S> {
    stream: S,
    decoder: FrameDecoder,
}

impl<S> BlockingFrames<S> {
    pub(super) fn new(stream: S, decoder: FrameDecoder) -> Self {
        Self { stream, decoder }
    }
}

impl<S: Read> BlockingFrames<S> {
    /// The next frame; `None` at the end of the stream.
    ///
    /// # Errors
    /// The stream's, or why what it brings is no frame.
    pub(super) fn next_frame<T, E: From<io::Error> + From<WireError>>(
        &mut self,
        decode: impl FnOnce(&[u8]) -> Result<T, WireError>,
    ) -> Result<Option<T>, E> {
        self.decoder.read_frame(&mut self.stream, decode)
    }
}

impl<S: Write> BlockingFrames<S> {
    /// Sends the bytes of a frame.
    ///
    /// # Errors
    /// The stream's.
    pub(super) fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.write_all(bytes)
    }
}

impl BlockingFrames<UntilDeadline> {
    /// Moves the deadline.
    pub(super) fn wait_until(&mut self, until: Instant) {
        self.stream.until = until;
    }
}

/// A stream whose reads end in an error at a time, however slowly it is fed, and whose writes have their own limit.
pub(super) struct UntilDeadline {
    pub(super) stream: UnixStream,
    pub(super) until: Instant,
}

impl Read for UntilDeadline {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.stream.set_read_timeout(Some(left))?;
        self.stream.read(buffer)
    }
}

impl Write for UntilDeadline {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}
