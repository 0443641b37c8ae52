//! Waiting in line for a data folder.
//!
//! What: [`in_line`], which does a piece of work again while another process holds the folder, until a deadline. Why: two commands at
//! once are no mistake of their owner's; the second waits, and says for whom. Not here: commands to a running service (`service`).

use super::error::CliError;
use aura_memory::StoreError;
use std::{
    io::Write as _,
    thread,
    time::{Duration, Instant},
};
use surfaces_base::language::{say, text};

/// How long a command waits for its turn, and how often it looks whether it has come.
const PATIENCE: Duration = Duration::from_secs(10);
const AGAIN: Duration = Duration::from_millis(50);
/// Who waits longer than this is told for what.
const SILENT: Duration = Duration::from_millis(500);

/// Does `work` again for as long as another process works on the folder, at most 10 s. It must look for a running service each
/// time: one may have started meanwhile.
///
/// # Errors
/// Those of `work`; STORE-001 when the folder was in use all the time.
pub(super) fn in_line<T>(mut work: impl FnMut() -> Result<T, CliError>) -> Result<T, CliError> {
    let begun = Instant::now();
    let mut told = false;
    loop {
        let error = match work() {
            Err(error) if begun.elapsed() < PATIENCE => error,
            done => return done,
        };
        let Some(StoreError::Locked { pid, .. }) = error.of_store() else {
            return Err(error);
        };
        if !told && begun.elapsed() >= SILENT {
            told = true;
            tell(&pid.map_or_else(
                || text("cli-common-waiting-for-another").to_owned(),
                |pid| say!("cli-common-waiting-for-process", pid = pid.to_string()),
            ));
        }
        thread::sleep(AGAIN);
    }
}

/// What is opened when it is needed, and once: whoever waits in line types a passphrase once.
pub(super) struct OpenOnce<T>(Option<T>);

impl<T> Default for OpenOnce<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T: Clone> OpenOnce<T> {
    /// What is open, or what `open` gives.
    ///
    /// # Errors
    /// Those of `open`.
    pub(super) fn get(&mut self, open: impl FnOnce() -> Result<T, CliError>) -> Result<T, CliError> {
        match &self.0 {
            Some(opened) => Ok(opened.clone()),
            None => Ok(self.0.insert(open()?).clone()),
        }
    }
}

/// Tells whoever waits for what; not on the standard output, which is for results.
pub(super) fn tell(what: &str) {
    // With the standard error gone there is nobody to tell.
    let _ = writeln!(std::io::stderr(), "aura: {what}");
}
