//! The built binary, run once.
//!
//! What: [`aura`], with nothing of this machine's environment. Why: one way to run a command and see all of what it did, so
//! that only what a test names is found. Not here: a service that goes on running (`support`), any claim.

use serde_json::Value;
use std::{
    io::Write as _,
    process::{Command, Stdio},
    thread,
};

/// Runs a command: its exit code, standard output and standard error.
pub(crate) fn aura(args: &[&str], input: &[u8]) -> (Option<i32>, String, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_aura"))
        .args(args)
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let done = thread::scope(|scope| {
        // Beside the reading, so that neither side waits for the other. A command that does not read its input closes it.
        scope.spawn(move || drop(stdin.write_all(input)));
        child.wait_with_output().unwrap()
    });
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (done.status.code(), text(done.stdout), text(done.stderr))
}

/// Runs a command that must do what it was asked: what it prints.
pub(crate) fn aura_ok(args: &[&str]) -> String {
    let (code, out, err) = aura(args, b"");
    assert_eq!(code, Some(0), "{args:?}: {err}");
    out
}

/// What `--json` prints, one value a line.
pub(crate) fn json_lines(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}
