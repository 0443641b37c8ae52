//! A kill at a write, from outside.
//!
//! What: [`WriteKiller`], by strace. Why: nothing of a test is in the binary. Not here: any claim.

use super::Service;
use std::{
    io::{BufRead as _, BufReader},
    process::{Child, ChildStderr, Command, Stdio},
};

/// Kills a service at its n-th write from now on.
pub(crate) struct WriteKiller {
    strace: Child,
    _said: BufReader<ChildStderr>,
}

impl WriteKiller {
    pub(crate) fn new(service: &Service, n: u64) -> Self {
        let mut strace = Command::new("strace")
            .args(["-f", "-o", "/dev/null", "-e", "trace=pwrite64", "-e"])
            .arg(format!("inject=pwrite64:signal=KILL:when={n}"))
            .args(["-p", &service.pid().as_raw_nonzero().to_string()])
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = BufReader::new(strace.stderr.take().unwrap());
        let mut line = String::new();
        said.read_line(&mut line).unwrap();
        assert!(line.contains(" attached"), "{line}");
        Self { strace, _said: said }
    }
}

impl Drop for WriteKiller {
    fn drop(&mut self) {
        // It ends with whom it watches, and may have.
        let _ = self.strace.kill();
        let _ = self.strace.wait();
    }
}
