//! The open event streams: which device has how many, and on which surface.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};
use surfaces_base::devices::DeviceId;
use toolcall_schema::Surface;

/// Streams open at once.
const STREAMS_MAX: usize = 32;

/// Of them, of one device.
const STREAMS_OF_ONE_MAX: usize = 8;

/// Of them, of other people's programs: what they hold keeps no page of the owner's from being told.
const STREAMS_OF_PROGRAMS_MAX: usize = 16;

/// The open streams by their number.
#[derive(Default)]
pub(super) struct StreamRegistry(Mutex<OpenStreams>);

#[derive(Default)]
struct OpenStreams {
    last: u64,
    open: BTreeMap<u64, OpenStream>,
}

struct OpenStream {
    reader: StreamReader,
    device: DeviceId,
}

/// Who reads a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StreamReader {
    /// A page of the owner's; one that shows no cards is no surface.
    OwnerPage(Option<Surface>),
    /// A program of somebody else's.
    Program,
}

impl StreamRegistry {
    // A poisoned lock still holds a whole map: each change is one call.
    fn with<T>(&self, change: impl FnOnce(&mut OpenStreams) -> T) -> T {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn add(&self, reader: StreamReader, device: DeviceId) -> Option<u64> {
        self.with(|open| {
            let of_one = open
                .open
                .values()
                .filter(|stream| stream.device == device)
                .count();
            let is_program = |stream: &&OpenStream| stream.reader == StreamReader::Program;
            let has_room = match reader {
                StreamReader::OwnerPage(_) => true,
                StreamReader::Program => {
                    open.open.values().filter(is_program).count() < STREAMS_OF_PROGRAMS_MAX
                }
            };
            if !has_room || open.open.len() >= STREAMS_MAX || of_one >= STREAMS_OF_ONE_MAX {
                return None;
            }
            open.last += 1;
            open.open.insert(open.last, OpenStream { reader, device });
            Some(open.last)
        })
    }

    pub(super) fn remove(&self, connection: u64) {
        self.with(|open| open.open.remove(&connection));
    }

    /// Whether that stream is open, for that surface.
    pub(super) fn has(&self, connection: u64, surface: Surface) -> bool {
        self.with(|open| {
            let stream = open.open.get(&connection);
            stream.is_some_and(|stream| stream.reader == StreamReader::OwnerPage(Some(surface)))
        })
    }
}
