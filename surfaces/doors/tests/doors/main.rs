//! The doors from outside: requests as programs send them, over a double of the backend.
//!
//! What: whole answers to whole requests. Why: these are the claims of `docs/mcp.md`. Not here: the guard (`surfaces`), real clients and the
//! service itself (`tests/integration/mcp.rs`).

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod asks_double;
mod calls;
mod client;
mod lists;
mod stdio;
