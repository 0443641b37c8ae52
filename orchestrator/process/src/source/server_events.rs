//! What a server says by itself, one event after the other (`text/event-stream`, as HTML has it).
//!
//! What: [`ServerEvents`]. Why: news is heard at once, and nothing is asked meanwhile. Not here: asking for it (`http`), what an event means (`jmap`).

use hyper::{
    body::{Body as _, Incoming},
    client::conn::http1::SendRequest,
};
use std::{future::poll_fn, pin::Pin};

/// Bytes of a line.
const LINE_MAX: usize = 64 << 10;

/// An answer that goes on.
pub(super) struct ServerEvents {
    /// The connection stands as long as this does.
    _sender: SendRequest<String>,
    body: Incoming,
    lines: ServerEventLines,
}

impl ServerEvents {
    pub(super) fn new(sender: SendRequest<String>, body: Incoming) -> Self {
        Self {
            _sender: sender,
            body,
            lines: ServerEventLines::default(),
        }
    }

    /// The names of the events that come next, however long that takes; a comment, as servers send one to be heard, has none. `None`: it ended. Nothing is lost
    /// where the waiting is broken off.
    pub(super) async fn next_events(&mut self) -> Option<Vec<String>> {
        loop {
            let frame = poll_fn(|context| Pin::new(&mut self.body).poll_frame(context)).await?;
            let frame = frame.ok()?;
            if let Some(data) = frame.data_ref() {
                return self.lines.take(data);
            }
        }
    }
}

/// Lines of a stream, as far as they came.
#[derive(Default)]
struct ServerEventLines {
    line: Vec<u8>,
    event: String,
    has_data: bool,
}

impl ServerEventLines {
    /// The events that are whole with these bytes; `None`: a line is too long.
    fn take(&mut self, bytes: &[u8]) -> Option<Vec<String>> {
        let mut events = Vec::new();
        for byte in bytes {
            if *byte != b'\n' {
                self.line.push(*byte);
                if self.line.len() > LINE_MAX {
                    return None;
                }
                continue;
            }
            let line = std::mem::take(&mut self.line);
            let line = String::from_utf8_lossy(&line);
            let line = line.trim_end_matches('\r');
            let (field, value) = line.split_once(':').unwrap_or((line, ""));
            match field {
                // An event ends; one without data is none.
                "" if line.is_empty() => {
                    let event = std::mem::take(&mut self.event);
                    if std::mem::take(&mut self.has_data) {
                        events.push(event);
                    }
                }
                "event" => value.trim_start().clone_into(&mut self.event),
                "data" => self.has_data = true,
                _ => {}
            }
        }
        Some(events)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_heard_however_they_are_cut_and_comments_are_none() {
        let mut lines = ServerEventLines::default();
        assert_eq!(lines.take(b": hello\n\nevent: st").unwrap(), [""; 0]);
        assert_eq!(lines.take(b"ate\r\nid: 7\r\nda").unwrap(), [""; 0]);
        let rest = b"ta: {}\r\n\r\nevent: ping\ndata: {\"interval\":300}\n\nevent: empty\n\n";
        assert_eq!(lines.take(rest).unwrap(), ["state", "ping"]);
        assert_eq!(lines.take(&vec![b'x'; LINE_MAX + 1]), None);
    }
}
