//! Writes the model of the classifier.
//!
//! What: `cargo run --release --locked -p agents-training [-- --check]`: makes the model again, and writes or compares it. Why: one
//! command. Not here: how (`agents_training`).

use std::{fs, io, path::Path, process::ExitCode};

fn main() -> io::Result<ExitCode> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../src/comms/classifier.bin");
    let model = agents_training::model();
    if std::env::args().any(|argument| argument == "--check") {
        let same = fs::read(&path)? == model;
        return Ok(if same {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        });
    }
    fs::write(&path, model)?;
    Ok(ExitCode::SUCCESS)
}
