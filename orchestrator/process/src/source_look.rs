//! Looking at source folders that may hang.
//!
//! What: [`SourceLook`], which files and folders a list of paths names now. Why: a mount over the network that does not answer must hold
//! up nothing but its own look. Not here: reading them (the agent's process), watching them (`watch`).

use std::{fs, os::unix::fs::MetadataExt as _, path::PathBuf, thread, time::Duration};
use tokio::sync::oneshot;

/// Device and number of each path; `None`: there is nothing.
pub(super) type FileIdentities = Vec<Option<(u64, u64)>>;

/// How long a look may take. After that what was seen last counts.
const LOOK: Duration = Duration::from_millis(250);

/// The sources of an agent.
pub(super) struct SourceLook {
    paths: Vec<PathBuf>,
    last: FileIdentities,
    /// A look that has not come back. While it is out no other is begun: each would hang where it does.
    out: Option<oneshot::Receiver<FileIdentities>>,
    look: fn(&[PathBuf]) -> FileIdentities,
    limit: Duration,
}

impl SourceLook {
    pub(super) fn new(paths: Vec<PathBuf>) -> Self {
        Self {
            last: vec![None; paths.len()],
            paths,
            out: None,
            look,
            limit: LOOK,
        }
    }

    /// What they are now, or were when they could be looked at last.
    pub(super) async fn now(&mut self) -> FileIdentities {
        if self.out.is_none() {
            let (tell, told) = oneshot::channel();
            let (paths, look) = (self.paths.clone(), self.look);
            // A thread of its own, which nobody waits for at the end: the runtime's would be waited for.
            let begun = thread::Builder::new()
                .name("aura-sources".to_owned())
                // The requester may be gone.
                .spawn(move || drop(tell.send(look(&paths))));
            self.out = begun.is_ok().then_some(told);
        }
        if let Some(out) = &mut self.out
            && let Ok(found) = tokio::time::timeout(self.limit, out).await
        {
            self.out = None;
            self.last = found.unwrap_or_else(|_| std::mem::take(&mut self.last));
        }
        self.last.clone()
    }
}

fn look(paths: &[PathBuf]) -> FileIdentities {
    let one = |path: &PathBuf| fs::metadata(path).ok().map(|meta| (meta.dev(), meta.ino()));
    paths.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    static LOOKS: AtomicUsize = AtomicUsize::new(0);

    /// A mount that never answers after the first look.
    fn hangs(paths: &[PathBuf]) -> FileIdentities {
        while LOOKS.fetch_add(1, Ordering::SeqCst) > 0 {
            thread::park();
        }
        look(paths)
    }

    #[tokio::test]
    async fn a_mount_that_hangs_holds_up_nobody_and_one_thread() {
        let dir = tempfile::tempdir().unwrap();
        let mut sources = SourceLook::new(vec![dir.path().to_owned(), dir.path().join("none")]);
        let there = sources.now().await;
        assert!(matches!(there.as_slice(), [Some(_), None]), "{there:?}");
        (sources.look, sources.limit) = (hangs, Duration::from_millis(1));
        LOOKS.store(1, Ordering::SeqCst);
        for _ in 0..20 {
            assert_eq!(sources.now().await, there);
        }
        assert_eq!(LOOKS.load(Ordering::SeqCst), 2, "one thread hangs, not twenty");
    }
}
