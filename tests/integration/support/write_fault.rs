//! What goes wrong at a service's writes, from outside.
//!
//! What: [`WriteFault`], by strace. Why: nothing of a test is in the binary. Not here: any claim.

use super::Service;
use std::{
    io::{BufRead as _, BufReader},
    process::{Child, ChildStderr, Command, Stdio},
};

/// A fault at the writes of a service, until it is dropped.
pub(crate) struct WriteFault {
    strace: Child,
    _said: BufReader<ChildStderr>,
}

impl WriteFault {
    /// Kills it at its n-th write from now on.
    pub(crate) fn kill_at(service: &Service, n: u64) -> Self {
        Self::inject(service, &format!("signal=KILL:when={n}"))
    }

    /// Its disk takes nothing more.
    pub(crate) fn full_disk(service: &Service) -> Self {
        Self::inject(service, "error=ENOSPC")
    }

    /// Each of its writes takes 10 ms longer.
    pub(crate) fn slow_disk(service: &Service) -> Self {
        Self::inject(service, "delay_enter=10000")
    }

    fn inject(service: &Service, fault: &str) -> Self {
        let mut strace = Command::new("strace")
            .args(["-f", "-o", "/dev/null", "-e", "trace=pwrite64", "-e"])
            .arg(format!("inject=pwrite64:{fault}"))
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

impl Drop for WriteFault {
    fn drop(&mut self) {
        // It ends with whom it watches, and may have; what it watches goes on without it.
        let _ = self.strace.kill();
        let _ = self.strace.wait();
    }
}
