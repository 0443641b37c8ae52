//! Where paths lead when links are followed.
//!
//! What: [`path_of`] and [`paths_of`]. Why: two names of one folder are one folder. Not here: what must not lie where (`config`).

use std::{
    fs,
    path::{Path, PathBuf},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

/// A mount that does not answer is waited for so long.
const LIMIT: Duration = Duration::from_secs(1);

/// The path without links; what of it is not there yet stays as it is named.
pub(super) fn path_of(path: &Path) -> PathBuf {
    let whole = super::whole(path);
    let there = whole
        .ancestors()
        .find_map(|above| Some((above, fs::canonicalize(above).ok()?)));
    let Some((above, real)) = there else { return whole };
    match whole.strip_prefix(above) {
        Ok(rest) if !rest.as_os_str().is_empty() => real.join(rest),
        Ok(_) | Err(_) => real,
    }
}

/// The same of several, each with its name; those of a mount that does not answer are left out.
pub(super) fn paths_of<'a>(paths: impl Iterator<Item = &'a PathBuf>) -> Vec<(PathBuf, PathBuf)> {
    paths_by(paths, path_of, LIMIT)
}

/// What a look at each says; those of a mount that does not answer are left out.
pub(crate) fn look_at<T: Send + 'static>(paths: &[PathBuf], look: fn(&Path) -> T) -> Vec<(PathBuf, T)> {
    paths_by(paths.iter(), look, LIMIT)
}

fn paths_by<'a, T: Send + 'static>(
    paths: impl Iterator<Item = &'a PathBuf>,
    path_of: fn(&Path) -> T,
    limit: Duration,
) -> Vec<(PathBuf, T)> {
    let (tell, told) = mpsc::channel();
    for path in paths {
        let (tell, path) = (tell.clone(), path.clone());
        // A thread that nobody waits for: it may hang for ever. Without one the path is not followed.
        let _ = thread::Builder::new()
            .name("aura-paths".to_owned())
            .spawn(move || {
                let real = path_of(&path);
                // Who asked may have given up.
                let _ = tell.send((path, real));
            });
    }
    drop(tell);
    let until = Instant::now() + limit;
    let mut found = Vec::new();
    while let Ok(one) = told.recv_timeout(until.saturating_duration_since(Instant::now())) {
        found.push(one);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_are_followed_and_what_is_not_there_keeps_its_name() {
        let dir = tempfile::tempdir().unwrap();
        let real = dir.path().canonicalize().unwrap();
        fs::create_dir(real.join("data")).unwrap();
        symlink("data", real.join("link")).unwrap();
        for (path, leads) in [
            ("data", "data"),
            ("link", "data"),
            ("link/traces/raw", "data/traces/raw"),
            ("data/../link/traces", "data/traces"),
            ("none/at/all", "none/at/all"),
        ] {
            assert_eq!(path_of(&real.join(path)), real.join(leads), "{path}");
        }
    }

    #[test]
    fn a_mount_that_does_not_answer_is_not_waited_for() {
        /// The first of two never answers.
        fn hangs(path: &Path) -> PathBuf {
            while path == Path::new("/hangs") {
                thread::park();
            }
            path.to_owned()
        }
        let paths = ["/hangs", "/answers"].map(PathBuf::from);
        let answers = PathBuf::from("/answers");
        // Long enough for the one that answers, on any machine.
        let found = paths_by(paths.iter(), hangs, Duration::from_secs(2));
        assert_eq!(found, [(answers.clone(), answers)]);
    }
}
