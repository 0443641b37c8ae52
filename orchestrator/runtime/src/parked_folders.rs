//! The sources of owners who are parked.
//!
//! What: [`ParkedFolders`], one watch of the kernel's for all owners of a host whose services are away, and [`ParkedWatch`], one owner's part in
//! it. Why: whoever is parked is woken by a file that came, changed or went; a watch for each owner would take a thread and one of few
//! instances of inotify. Not here: the sources of an owner who is served (`watch`), waking (`host`).

use crate::watch::{concerned, is_elsewhere, place};
use agents::contract::SourcePaths;
use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};
use std::{
    collections::{BTreeMap, BTreeSet, btree_map::Entry},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio::sync::Notify;
use toolcall_schema::AgentName;

/// The watch of all parked owners.
#[derive(Clone, Default)]
pub(crate) struct ParkedFolders(Arc<Mutex<WatchedFolders>>);

#[derive(Default)]
struct WatchedFolders {
    /// Begun with the host, or with the first owner when it could not then.
    watcher: Option<RecommendedWatcher>,
    /// How often each folder is wanted, and how deep it is watched.
    places: BTreeMap<PathBuf, (RecursiveMode, usize)>,
    owners: Arc<Mutex<WatchedOwners>>,
    last: u64,
}

#[derive(Default)]
struct WatchedOwners {
    all: BTreeMap<u64, WatchedOwner>,
    /// Whose each source is, so that a change does not have to be held against those of every owner.
    by_source: BTreeMap<PathBuf, BTreeSet<u64>>,
}

impl WatchedOwners {
    fn insert(&mut self, number: u64, owner: WatchedOwner) {
        for (_, source) in &owner.sources {
            self.by_source.entry(source.clone()).or_default().insert(number);
        }
        self.all.insert(number, owner);
    }

    fn remove(&mut self, number: u64) {
        let Some(owner) = self.all.remove(&number) else {
            return;
        };
        for (_, source) in owner.sources {
            if let Entry::Occupied(mut entry) = self.by_source.entry(source) {
                entry.get_mut().remove(&number);
                if entry.get().is_empty() {
                    entry.remove();
                }
            }
        }
    }

    /// Tells everybody whose sources an event is about; an error is about a path that went or a full queue, and everybody looks.
    fn tell(&self, event: &notify::Result<notify::Event>) {
        let event = match event {
            Ok(event) if !event.need_rescan() => event,
            Ok(_) | Err(_) => {
                self.all.values().for_each(|owner| owner.changed.notify_one());
                return;
            }
        };
        let above = event.paths.iter().flat_map(|path| path.ancestors());
        let numbers: BTreeSet<u64> = above
            .filter_map(|path| self.by_source.get(path))
            .flatten()
            .copied()
            .collect();
        for owner in numbers.iter().filter_map(|number| self.all.get(number)) {
            if !concerned(event, &owner.sources).is_empty() {
                owner.changed.notify_one();
            }
        }
    }
}

/// What one owner waits for.
struct WatchedOwner {
    sources: Vec<(AgentName, PathBuf)>,
    changed: Arc<Notify>,
}

/// One owner's sources, watched until this is dropped.
pub(crate) struct ParkedWatch {
    folders: ParkedFolders,
    number: u64,
    places: Vec<PathBuf>,
    changed: Arc<Notify>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl ParkedFolders {
    /// The kernel's watch is there before owners who are served take the last one that it lends.
    pub(crate) fn begin() -> Self {
        let folders = Self::default();
        if let Err(error) = lock(&folders.0).begin() {
            tracing::warn!(kind = ?error.kind, "no folder can be watched (see fs.inotify.max_user_instances): nobody is parked until one can");
        }
        folders
    }

    /// Watches an owner's sources. `None`: of one of them the kernel does not tell, because it is not there, lies on another machine, or there
    /// are no watches left; then its owner has to be served, who looks. Blocks while large folders are walked.
    pub(crate) fn watch(&self, sources: &SourcePaths) -> Option<ParkedWatch> {
        let sources: Vec<(AgentName, PathBuf)> = AgentName::FOUR
            .into_iter()
            .flat_map(|agent| {
                let paths = sources.only_for(agent);
                let paths: Vec<PathBuf> = paths.paths().cloned().collect();
                paths.into_iter().map(move |path| (agent, path))
            })
            .collect();
        if sources
            .iter()
            .any(|(_, path)| !path.exists() || is_elsewhere(path))
        {
            return None;
        }
        let (number, changed) = {
            let mut folders = lock(&self.0);
            folders.last += 1;
            let (number, changed) = (folders.last, Arc::new(Notify::new()));
            let owner = WatchedOwner {
                sources: sources.clone(),
                changed: Arc::clone(&changed),
            };
            lock(&folders.owners).insert(number, owner);
            (number, changed)
        };
        let mut watch = ParkedWatch {
            folders: self.clone(),
            number,
            places: Vec::new(),
            changed,
        };
        let mut folders = lock(&self.0);
        for (_, path) in &sources {
            let (place, mode) = place(path);
            if let Err(error) = folders.add(place, mode) {
                drop(folders);
                tracing::warn!(kind = ?error.kind, "a parked owner's folder cannot be watched: she is served on");
                return None;
            }
            watch.places.push(place.to_owned());
        }
        drop(folders);
        Some(watch)
    }
}

impl WatchedFolders {
    fn begin(&mut self) -> notify::Result<()> {
        if self.watcher.is_none() {
            let owners = Arc::clone(&self.owners);
            self.watcher = Some(notify::recommended_watcher(
                move |event: notify::Result<notify::Event>| lock(&owners).tell(&event),
            )?);
        }
        Ok(())
    }

    fn add(&mut self, place: &Path, mode: RecursiveMode) -> notify::Result<()> {
        self.begin()?;
        let Some(watcher) = &mut self.watcher else {
            return Ok(());
        };
        match self.places.entry(place.to_owned()) {
            Entry::Occupied(mut entry) => {
                let (watched, count) = entry.get_mut();
                if *watched == RecursiveMode::NonRecursive && mode == RecursiveMode::Recursive {
                    watcher.watch(place, mode)?;
                    *watched = mode;
                }
                *count += 1;
            }
            Entry::Vacant(entry) => {
                watcher.watch(place, mode)?;
                entry.insert((mode, 1));
            }
        }
        Ok(())
    }

    fn remove(&mut self, place: PathBuf) {
        let Entry::Occupied(mut entry) = self.places.entry(place) else {
            return;
        };
        entry.get_mut().1 -= 1;
        if entry.get().1 == 0 {
            let (place, _) = entry.remove_entry();
            if let Some(watcher) = &mut self.watcher {
                // A folder that went has no watch any more.
                let _ = watcher.unwatch(&place);
            }
        }
    }
}

impl ParkedWatch {
    /// Waits until a file of hers came, changed or went since she is watched.
    pub(crate) async fn changed(&self) {
        self.changed.notified().await;
    }
}

impl Drop for ParkedWatch {
    fn drop(&mut self) {
        let mut folders = lock(&self.folders.0);
        lock(&folders.owners).remove(self.number);
        for place in std::mem::take(&mut self.places) {
            folders.remove(place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs, time::Duration};

    async fn is_woken(watch: &ParkedWatch) -> bool {
        tokio::time::timeout(Duration::from_secs(20), watch.changed())
            .await
            .is_ok()
    }

    fn nobody_is_watched(folders: &ParkedFolders) -> bool {
        let folders = lock(&folders.0);
        let owners = lock(&folders.owners);
        owners.all.is_empty() && owners.by_source.is_empty()
    }

    fn mail_in(folder: &Path) -> SourcePaths {
        SourcePaths {
            mail: vec![folder.to_owned()],
            ..SourcePaths::default()
        }
    }

    #[tokio::test]
    async fn a_parked_owner_is_woken_by_her_own_files_alone_also_below_a_folder() {
        let dir = tempfile::tempdir().unwrap();
        let (asha, jonas) = (dir.path().join("asha"), dir.path().join("jonas"));
        fs::create_dir_all(asha.join("new")).unwrap();
        fs::create_dir_all(&jonas).unwrap();
        fs::write(jonas.join("Inbox"), "one").unwrap();
        let folders = ParkedFolders::default();
        let hers = folders.watch(&mail_in(&asha)).unwrap();
        let his = folders.watch(&mail_in(&jonas.join("Inbox"))).unwrap();
        // Beside his file, and reading hers, is nobody's change.
        fs::write(jonas.join("other"), "x").unwrap();
        fs::read_dir(&asha).unwrap().count();
        fs::write(asha.join("new/1"), "x").unwrap();
        assert!(is_woken(&hers).await);
        fs::write(jonas.join("Inbox"), "two").unwrap();
        assert!(is_woken(&his).await);
        drop(hers);
        drop(his);
        assert!(lock(&folders.0).places.is_empty());
        assert!(nobody_is_watched(&folders));
    }

    #[test]
    fn whoever_has_a_source_that_is_not_there_is_not_parked() {
        let dir = tempfile::tempdir().unwrap();
        let folders = ParkedFolders::default();
        assert!(folders.watch(&mail_in(&dir.path().join("later"))).is_none());
        assert!(nobody_is_watched(&folders));
    }

    #[tokio::test]
    async fn a_folder_that_two_owners_watch_is_watched_until_both_are_gone() {
        let dir = tempfile::tempdir().unwrap();
        let folders = ParkedFolders::default();
        let (one, other) = (
            folders.watch(&mail_in(dir.path())).unwrap(),
            folders.watch(&mail_in(dir.path())).unwrap(),
        );
        drop(one);
        fs::write(dir.path().join("1.eml"), "x").unwrap();
        assert!(is_woken(&other).await);
    }
}
