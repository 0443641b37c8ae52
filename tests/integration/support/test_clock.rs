//! A service whose clock a test sets.
//!
//! What: [`TestClock`], the file that `AURA_TEST_CLOCK` names. Why: an hour, or a wrong year, in no time. Not here: any claim.

use std::{fs, path::PathBuf, process::Command};

/// How far the clock of whatever is started by it is ahead.
pub(crate) struct TestClock(PathBuf);

impl TestClock {
    /// One that is right, in this file.
    pub(crate) fn new(file: PathBuf) -> Self {
        let clock = Self(file);
        clock.set_ahead(0);
        clock
    }

    /// Read by who runs at each look; a service's own deadlines go by it from its next start.
    pub(crate) fn set_ahead(&self, ms: i64) {
        // Whole or not at all: it is read meanwhile.
        let next = self.0.with_extension("next");
        fs::write(&next, ms.to_string()).unwrap();
        fs::rename(next, &self.0).unwrap();
    }

    /// Has a command go by it.
    pub(crate) fn of<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command.env("AURA_TEST_CLOCK", &self.0)
    }
}
