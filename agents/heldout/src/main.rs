//! Writes the figures of the held-out half into `docs/agents/comms.md`.
//!
//! What: `cargo run --locked -p agents-heldout [-- --check]`. Why: a page that says other figures than the program is worse than none.
//! Not here: the figures (`agents_heldout`).

use std::{fs, io, path::Path, process::ExitCode};

fn main() -> io::Result<ExitCode> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/agents/comms.md");
    let text = fs::read_to_string(&page)?;
    let Some(now) = agents_heldout::with_figures(&text) else {
        return Err(io::Error::other("the page has no place for figures"));
    };
    if std::env::args().any(|argument| argument == "--check") {
        return Ok(if now == text {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        });
    }
    fs::write(&page, now)?;
    Ok(ExitCode::SUCCESS)
}
