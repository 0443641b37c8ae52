//! What the kernel tells of folders, for everybody in this process.
//!
//! What: [`FolderWatch`], one inotify with one thread, and [`WatchedSources`], the sources of one who waits, watched until it is dropped. Why: a user has few
//! instances of inotify, and a service with ten sources or a host of a hundred owners took one for each. Not here: which source is looked at
//! because the kernel does not tell of it (`watch`), waking a parked owner (`host`).

use crate::watch::{concerned, is_elsewhere, place};
use agents::contract::SourcePaths;
use notify::{Config, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _, event::ModifyKind};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio::sync::Notify;
use toolcall_schema::AgentName;

/// What is told of the sources of one who waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FolderNews {
    /// Whose files came, changed or went.
    pub(crate) agents: BTreeSet<AgentName>,
    /// A folder that was watched is no longer where it was: nobody watches it until it is subscribed to anew.
    pub(crate) is_lost: bool,
}

/// Told by the watch's own thread, which has to go on: it does not wait.
type Teller = Box<dyn Fn(FolderNews) + Send>;

/// The watch of this process.
#[derive(Clone, Default)]
pub(crate) struct FolderWatch(Arc<Mutex<WatchedPlaces>>);

#[derive(Default)]
struct WatchedPlaces {
    /// Begun with the service, or with the first folder when it could not then.
    watcher: Option<RecommendedWatcher>,
    /// How often each folder is wanted, alone and with all below it.
    places: BTreeMap<PathBuf, WantedDepth>,
    subscribers: Arc<Mutex<Subscribers>>,
    last: u64,
}

/// How often a folder is wanted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct WantedDepth {
    alone: usize,
    with_all_below: usize,
}

impl WantedDepth {
    fn of_mode(&mut self, mode: RecursiveMode) -> &mut usize {
        match mode {
            RecursiveMode::Recursive => &mut self.with_all_below,
            RecursiveMode::NonRecursive => &mut self.alone,
        }
    }

    fn mode(self) -> RecursiveMode {
        if self.with_all_below > 0 {
            RecursiveMode::Recursive
        } else {
            RecursiveMode::NonRecursive
        }
    }
}

#[derive(Default)]
struct Subscribers {
    all: BTreeMap<u64, Subscriber>,
    /// Whose each source is, so that a change does not have to be held against those of everybody.
    by_source: BTreeMap<PathBuf, BTreeSet<u64>>,
    /// Whose each watched folder is.
    by_place: BTreeMap<PathBuf, BTreeSet<u64>>,
    /// Folders that were watched and are no longer where they were.
    lost: BTreeSet<PathBuf>,
}

/// One who waits.
struct Subscriber {
    sources: Vec<(AgentName, PathBuf)>,
    places: Vec<(PathBuf, RecursiveMode)>,
    tell: Teller,
}

impl Subscribers {
    fn insert(&mut self, number: u64, subscriber: Subscriber) {
        for (_, source) in &subscriber.sources {
            self.by_source.entry(source.clone()).or_default().insert(number);
        }
        self.all.insert(number, subscriber);
    }

    /// Notes that a subscriber has a folder watched. Whether that had been lost.
    fn note_place(&mut self, number: u64, place: &Path, mode: RecursiveMode) -> bool {
        if let Some(one) = self.all.get_mut(&number) {
            one.places.push((place.to_owned(), mode));
            self.by_place.entry(place.to_owned()).or_default().insert(number);
        }
        self.lost.remove(place)
    }

    fn remove(&mut self, number: u64) -> Vec<(PathBuf, RecursiveMode)> {
        let Some(gone) = self.all.remove(&number) else {
            return Vec::new();
        };
        let take = |index: &mut BTreeMap<PathBuf, BTreeSet<u64>>, path: &Path| {
            if let Some(whose) = index.get_mut(path) {
                whose.remove(&number);
                if whose.is_empty() {
                    index.remove(path);
                }
            }
        };
        for (_, source) in &gone.sources {
            take(&mut self.by_source, source);
        }
        for (place, _) in &gone.places {
            take(&mut self.by_place, place);
        }
        gone.places
    }

    /// Tells everybody whom an event is about; an error is about a path that went or a full queue, and everybody looks.
    fn tell(&mut self, event: &notify::Result<Event>) {
        let event = match event {
            Ok(event) if !event.need_rescan() => event,
            Ok(_) | Err(_) => {
                let news = FolderNews {
                    agents: AgentName::FOUR.into(),
                    is_lost: false,
                };
                self.all.values().for_each(|one| (one.tell)(news.clone()));
                return;
            }
        };
        let above = event.paths.iter().flat_map(|path| path.ancestors());
        let mut numbers: BTreeSet<u64> = above
            .filter_map(|path| self.by_source.get(path))
            .flatten()
            .copied()
            .collect();
        let lost = self.lost_by(event);
        let losers: BTreeSet<u64> = lost
            .iter()
            .filter_map(|place| self.by_place.get(place))
            .flatten()
            .copied()
            .collect();
        self.lost.extend(lost);
        numbers.extend(&losers);
        for (number, one) in numbers
            .iter()
            .filter_map(|number| Some((number, self.all.get(number)?)))
        {
            let news = FolderNews {
                agents: concerned(event, &one.sources),
                is_lost: losers.contains(number),
            };
            if news.is_lost || !news.agents.is_empty() {
                (one.tell)(news);
            }
        }
    }

    /// The watched folders that are no longer where they were, because they or one above them went or were moved.
    fn lost_by(&self, event: &Event) -> Vec<PathBuf> {
        let goes = matches!(
            event.kind,
            EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(_))
        );
        let gone = event.paths.iter().filter(|_| goes);
        let below = gone.flat_map(|gone| {
            let from_there = self.by_place.range(gone.clone()..);
            from_there.take_while(move |(place, _)| place.starts_with(gone))
        });
        below.map(|(place, _)| place.clone()).collect()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl FolderWatch {
    /// The kernel's watch is there before anybody else takes the last one that it lends.
    pub(crate) fn begin() -> Self {
        let folders = Self::default();
        if let Err(error) = lock(&folders.0).begin() {
            tracing::warn!(kind = ?error.kind, "no folder can be watched (see fs.inotify.max_user_instances): each is looked at once a minute, and nobody is parked");
        }
        folders
    }

    /// Watches these sources, which are there. Blocks while large folders are walked.
    ///
    /// # Errors
    /// A folder is not there, or there are no watches left.
    pub(crate) fn subscribe(
        &self,
        sources: &[(AgentName, PathBuf)],
        tell: Teller,
    ) -> notify::Result<WatchedSources> {
        let (mut resolved, mut places) = (Vec::new(), Vec::new());
        for (agent, path) in sources {
            let (place, mode) = place(path);
            let whole = place.canonicalize().map_err(notify::Error::io)?;
            let source = match path.file_name() {
                Some(name) if mode == RecursiveMode::NonRecursive => whole.join(name),
                Some(_) | None => whole.clone(),
            };
            resolved.push((*agent, source));
            places.push((whole, mode));
        }
        let number = {
            let mut watched = lock(&self.0);
            watched.last += 1;
            let subscriber = Subscriber {
                sources: resolved,
                places: Vec::new(),
                tell,
            };
            // Before the first folder is watched, so that no change is missed.
            lock(&watched.subscribers).insert(watched.last, subscriber);
            watched.last
        };
        let watch = WatchedSources {
            folders: self.clone(),
            number,
        };
        for (place, mode) in places {
            lock(&self.0).add(number, &place, mode)?;
        }
        Ok(watch)
    }
}

impl WatchedPlaces {
    fn begin(&mut self) -> notify::Result<&mut RecommendedWatcher> {
        if self.watcher.is_none() {
            let subscribers = Arc::clone(&self.subscribers);
            let tell = move |event: notify::Result<Event>| lock(&subscribers).tell(&event);
            // Links below a folder lead where its agent cannot read, and would have one folder go by two names.
            let config = Config::default().with_follow_symlinks(false);
            self.watcher = Some(RecommendedWatcher::new(tell, config)?);
        }
        self.watcher
            .as_mut()
            .ok_or_else(|| notify::Error::generic("no watch"))
    }

    fn add(&mut self, number: u64, place: &Path, mode: RecursiveMode) -> notify::Result<()> {
        let before = self.places.get(place).copied().unwrap_or_default();
        *self.places.entry(place.to_owned()).or_default().of_mode(mode) += 1;
        let is_lost = lock(&self.subscribers).note_place(number, place, mode);
        let is_watched = match mode {
            RecursiveMode::Recursive => before.with_all_below > 0,
            RecursiveMode::NonRecursive => before != WantedDepth::default(),
        };
        if (is_watched && !is_lost) || self.is_covered(place) {
            return Ok(());
        }
        let mode = self.places.get(place).copied().unwrap_or_default().mode();
        self.begin()?.watch(place, mode)
    }

    /// Whether a folder above it is watched with all below.
    fn is_covered(&self, place: &Path) -> bool {
        let subscribers = lock(&self.subscribers);
        let mut above = place.ancestors().skip(1);
        above.any(|above| {
            let wanted = self
                .places
                .get(above)
                .is_some_and(|wanted| wanted.with_all_below > 0);
            wanted && !subscribers.lost.contains(above)
        })
    }

    fn remove(&mut self, place: &Path, mode: RecursiveMode) {
        let Some(wanted) = self.places.get_mut(place) else {
            return;
        };
        let before = *wanted;
        let count = wanted.of_mode(mode);
        *count = count.saturating_sub(1);
        let left = *wanted;
        if left == WantedDepth::default() {
            self.places.remove(place);
            lock(&self.subscribers).lost.remove(place);
        } else if left.mode() == before.mode() {
            return;
        }
        if self.is_covered(place) {
            return;
        }
        let Some(watcher) = &mut self.watcher else { return };
        // A folder that went has no watch any more. With one that was watched with all below it, what others want there goes too.
        let _ = watcher.unwatch(place);
        let below = self.places.range(place.to_owned()..);
        for (below, wanted) in below.take_while(|(below, _)| below.starts_with(place)) {
            if before.with_all_below > 0 && watcher.watch(below, wanted.mode()).is_err() {
                tracing::warn!("a folder is no longer watched: it is looked at every quarter of an hour");
            }
        }
    }
}

/// The sources of one who waits, watched until this is dropped.
pub(crate) struct WatchedSources {
    folders: FolderWatch,
    number: u64,
}

impl Drop for WatchedSources {
    fn drop(&mut self) {
        let mut watched = lock(&self.folders.0);
        let places = lock(&watched.subscribers).remove(self.number);
        for (place, mode) in places {
            watched.remove(&place, mode);
        }
    }
}

/// Waits for any change in a parked owner's sources.
pub(crate) struct ParkedWatch {
    _sources: WatchedSources,
    changed: Arc<Notify>,
}

impl ParkedWatch {
    /// Watches an owner's sources. `None`: of one of them the kernel does not tell, because it is not there, lies on another machine, or there
    /// are no watches left; then its owner has to be served, who looks. Blocks while large folders are walked.
    pub(crate) fn begin(folders: &FolderWatch, sources: &SourcePaths) -> Option<Self> {
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
        let changed = Arc::new(Notify::new());
        let tell = Arc::clone(&changed);
        match folders.subscribe(&sources, Box::new(move |_| tell.notify_one())) {
            Ok(watched) => Some(Self {
                _sources: watched,
                changed,
            }),
            Err(error) => {
                tracing::warn!(kind = ?error.kind, "a parked owner's folder cannot be watched: she is served on");
                None
            }
        }
    }

    /// Waits until a file of hers came, changed or went since she is watched.
    pub(crate) async fn changed(&self) {
        self.changed.notified().await;
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

    fn nobody_is_watched(folders: &FolderWatch) -> bool {
        let folders = lock(&folders.0);
        let subscribers = lock(&folders.subscribers);
        folders.places.is_empty()
            && subscribers.all.is_empty()
            && subscribers.by_source.is_empty()
            && subscribers.by_place.is_empty()
            && subscribers.lost.is_empty()
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
        let folders = FolderWatch::default();
        let hers = ParkedWatch::begin(&folders, &mail_in(&asha)).unwrap();
        let his = ParkedWatch::begin(&folders, &mail_in(&jonas.join("Inbox"))).unwrap();
        // Beside his file, and reading hers, is nobody's change.
        fs::write(jonas.join("other"), "x").unwrap();
        fs::read_dir(&asha).unwrap().count();
        fs::write(asha.join("new/1"), "x").unwrap();
        assert!(is_woken(&hers).await);
        fs::write(jonas.join("Inbox"), "two").unwrap();
        assert!(is_woken(&his).await);
        drop(hers);
        drop(his);
        assert!(nobody_is_watched(&folders));
    }

    #[test]
    fn whoever_has_a_source_that_is_not_there_is_not_parked() {
        let dir = tempfile::tempdir().unwrap();
        let folders = FolderWatch::default();
        assert!(ParkedWatch::begin(&folders, &mail_in(&dir.path().join("later"))).is_none());
        assert!(nobody_is_watched(&folders));
    }

    #[tokio::test]
    async fn a_folder_that_two_owners_watch_is_watched_until_both_are_gone() {
        let dir = tempfile::tempdir().unwrap();
        let folders = FolderWatch::default();
        let (one, other) = (
            ParkedWatch::begin(&folders, &mail_in(dir.path())).unwrap(),
            ParkedWatch::begin(&folders, &mail_in(dir.path())).unwrap(),
        );
        drop(one);
        fs::write(dir.path().join("1.eml"), "x").unwrap();
        assert!(is_woken(&other).await);
    }

    #[tokio::test]
    async fn a_folder_within_another_is_watched_whichever_of_the_two_goes_first() {
        let dir = tempfile::tempdir().unwrap();
        let (outer, inner) = (dir.path().join("mail"), dir.path().join("mail/lists"));
        fs::create_dir_all(&inner).unwrap();
        fs::write(inner.join("Inbox"), "one").unwrap();
        let folders = FolderWatch::default();
        for inner_first in [true, false] {
            for inner_stays in [true, false] {
                let within = || ParkedWatch::begin(&folders, &mail_in(&inner.join("Inbox"))).unwrap();
                let around = || ParkedWatch::begin(&folders, &mail_in(&outer)).unwrap();
                let (a, b) = if inner_first {
                    let within = within();
                    (around(), within)
                } else {
                    (around(), within())
                };
                let stays = if inner_stays {
                    drop(a);
                    b
                } else {
                    drop(b);
                    a
                };
                fs::write(inner.join("Inbox"), "more").unwrap();
                assert!(is_woken(&stays).await, "{inner_first} {inner_stays}");
            }
        }
        assert!(nobody_is_watched(&folders));
    }

    #[tokio::test]
    async fn whoever_names_a_folder_by_a_link_and_whoever_names_it_by_itself_are_both_told() {
        let dir = tempfile::tempdir().unwrap();
        let (folder, link) = (dir.path().join("mail"), dir.path().join("link"));
        fs::create_dir(&folder).unwrap();
        std::os::unix::fs::symlink(&folder, &link).unwrap();
        let folders = FolderWatch::default();
        let by_itself = ParkedWatch::begin(&folders, &mail_in(&folder)).unwrap();
        let by_link = ParkedWatch::begin(&folders, &mail_in(&link)).unwrap();
        fs::write(folder.join("1.eml"), "x").unwrap();
        assert!(is_woken(&by_itself).await && is_woken(&by_link).await);
    }

    #[tokio::test]
    async fn of_two_with_one_folder_that_is_replaced_both_are_told_and_watch_the_new_one() {
        let dir = tempfile::tempdir().unwrap();
        let (folder, fresh) = (dir.path().join("mail"), dir.path().join("fresh"));
        fs::create_dir(&folder).unwrap();
        fs::create_dir(&fresh).unwrap();
        let folders = FolderWatch::default();
        let begin = || ParkedWatch::begin(&folders, &mail_in(&folder)).unwrap();
        let (one, other) = (begin(), begin());
        fs::rename(&folder, dir.path().join("old")).unwrap();
        assert!(is_woken(&one).await && is_woken(&other).await);
        fs::rename(&fresh, &folder).unwrap();
        // Each begins anew, as `watch` and a host do.
        let one = {
            drop(one);
            begin()
        };
        let other = {
            drop(other);
            begin()
        };
        fs::write(folder.join("1.eml"), "x").unwrap();
        assert!(is_woken(&one).await && is_woken(&other).await);
    }
}
