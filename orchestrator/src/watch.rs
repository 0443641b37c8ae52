//! Noticing that the source folders changed.
//!
//! What: tells the machine whose files came, changed or went. Why: what is new is read within a second, and an unchanged
//! folder costs nothing. The kernel tells (inotify); what it does not tell (a file system over the network, a source that
//! was not there, no watches left) is seen by a look once a minute. Not here: reading files (`agents`).

use crate::backend::Actors;
use agents::agent::Sources;
use notify::{
    Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher,
    event::{AccessKind, AccessMode},
};
use orchestrator_machine::What;
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tokio::{
    sync::{Notify, watch},
    time::{Instant, timeout_at},
};
use toolcall_schema::AgentName;

/// How often every agent is asked to look, for what the kernel does not tell, and because a new minute may have come for
/// items that are dated ahead.
const LOOK: Duration = Duration::from_mins(1);
/// A folder is read when nothing happened in it for so long, because a program may still be writing,
const QUIET: Duration = Duration::from_millis(250);
/// or, when something happens all the time, so long after the first.
const AT_MOST: Duration = Duration::from_secs(2);

/// Watches until told to stop; the first look is the machine's own, at its start.
pub fn folders(backend: Actors, sources: &Sources, mut stopped: watch::Receiver<bool>) {
    let mut folders = Folders::of(sources);
    actix::spawn(async move {
        let mut look = tokio::time::interval(LOOK);
        look.tick().await;
        loop {
            let changed = tokio::select! {
                _ = stopped.wait_for(|stop| *stop) => return,
                changed = folders.changed() => changed,
                _ = look.tick() => {
                    folders.watch();
                    AgentName::FOUR.into()
                }
            };
            for agent in changed {
                if let Err(error) = backend.happened(What::Poked { agent }) {
                    tracing::warn!(agent = agent.as_str(), %error, "not told that its folders changed");
                }
            }
        }
    });
}

/// Whose files changed, as the kernel told and nobody has taken yet.
#[derive(Default)]
struct Told {
    agents: Mutex<BTreeSet<AgentName>>,
    some: Notify,
}

impl Told {
    fn tell(&self, agents: impl IntoIterator<Item = AgentName>) {
        let mut agents = agents.into_iter().peekable();
        if agents.peek().is_some() {
            let mut told = self.agents.lock().unwrap_or_else(PoisonError::into_inner);
            told.extend(agents);
            self.some.notify_one();
        }
    }

    fn take(&self) -> BTreeSet<AgentName> {
        std::mem::take(&mut *self.agents.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The sources, and those of them that the kernel watches.
struct Folders {
    sources: Arc<Vec<(AgentName, PathBuf)>>,
    told: Arc<Told>,
    /// `None` where the system has none to give: then only the look of each minute is left.
    watcher: Option<RecommendedWatcher>,
    watched: BTreeSet<PathBuf>,
}

impl Folders {
    fn of(sources: &Sources) -> Self {
        let sources: Arc<Vec<_>> = Arc::new(
            AgentName::FOUR
                .into_iter()
                .flat_map(|agent| {
                    let of = sources.of(agent);
                    of.paths().map(|path| (agent, path.clone())).collect::<Vec<_>>()
                })
                .collect(),
        );
        let told = Arc::new(Told::default());
        let (whose, tell) = (sources.clone(), told.clone());
        let watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
            // An error is about a path that went or a full queue: everybody looks.
            let Ok(event) = event else {
                return tell.tell(AgentName::FOUR);
            };
            tell.tell(concerned(&event, &whose));
        });
        let mut folders = Self {
            sources,
            told,
            watcher: watcher
                .inspect_err(|_| {
                    tracing::warn!("no folder can be watched here: each is looked at once a minute");
                })
                .ok(),
            watched: BTreeSet::new(),
        };
        folders.watch();
        folders
    }

    /// Watches what is not watched yet and is there.
    fn watch(&mut self) {
        let Some(watcher) = &mut self.watcher else { return };
        for (agent, source) in self.sources.iter() {
            if !source.exists() {
                // Should it come, it is another folder.
                self.watched.remove(source);
                continue;
            }
            if self.watched.contains(source) {
                continue;
            }
            let (path, mode) = place(source);
            match watcher.watch(path, mode) {
                Ok(()) => {
                    self.watched.insert(source.clone());
                }
                Err(_) => {
                    tracing::warn!(
                        agent = agent.as_str(),
                        "a folder of this agent cannot be watched (see fs.inotify.max_user_watches): it is looked at once a minute"
                    );
                }
            }
        }
    }

    /// Waits until something changed and is quiet again. Says whose it was.
    async fn changed(&mut self) -> BTreeSet<AgentName> {
        self.told.some.notified().await;
        let last = Instant::now() + AT_MOST;
        while timeout_at(last.min(Instant::now() + QUIET), self.told.some.notified())
            .await
            .is_ok()
        {}
        self.told.take()
    }
}

/// What is watched for a source: a folder with all below it; for a file the folder around it, because programs put a new
/// file in the place of the old one.
fn place(source: &Path) -> (&Path, RecursiveMode) {
    if source.is_dir() {
        return (source, RecursiveMode::Recursive);
    }
    let parent = source.parent().filter(|parent| !parent.as_os_str().is_empty());
    (parent.unwrap_or(Path::new(".")), RecursiveMode::NonRecursive)
}

/// Whose files an event is about. Reading is no change: the agents read.
fn concerned(event: &Event, sources: &[(AgentName, PathBuf)]) -> BTreeSet<AgentName> {
    if event.need_rescan() {
        return AgentName::FOUR.into();
    }
    let written = match event.kind {
        EventKind::Access(AccessKind::Close(AccessMode::Write))
        | EventKind::Create(_)
        | EventKind::Modify(_)
        | EventKind::Remove(_)
        | EventKind::Any
        | EventKind::Other => true,
        EventKind::Access(_) => false,
    };
    let below = |source: &Path| event.paths.iter().any(|path| path.starts_with(source));
    sources
        .iter()
        .filter(|(_, source)| written && below(source))
        .map(|(agent, _)| *agent)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs, io::Write};

    async fn next(folders: &mut Folders) -> Vec<AgentName> {
        let changed = tokio::time::timeout(Duration::from_secs(20), folders.changed());
        changed.await.unwrap().into_iter().collect()
    }

    #[tokio::test]
    async fn only_the_agent_whose_folder_changed_is_noticed() {
        let dir = tempfile::tempdir().unwrap();
        let (mail, sms) = (dir.path().join("mail"), dir.path().join("sms.jsonl"));
        fs::create_dir_all(mail.join("new")).unwrap();
        fs::write(&sms, "one\n").unwrap();
        let mut folders = Folders::of(&Sources {
            mail: vec![mail.clone()],
            sms: vec![sms.clone()],
            ..Sources::default()
        });
        fs::write(mail.join("new/1"), "x").unwrap();
        assert_eq!(next(&mut folders).await, [AgentName::Comms]);
        // Reading changes nothing; a new file in the place of the old one does.
        fs::read(mail.join("new/1")).unwrap();
        fs::read(&sms).unwrap();
        let fresh = dir.path().join("fresh");
        fs::write(&fresh, "one\ntwo\n").unwrap();
        fs::rename(&fresh, &sms).unwrap();
        assert_eq!(next(&mut folders).await, [AgentName::Finance]);
        // A file beside it is nobody's.
        fs::write(dir.path().join("other"), "x").unwrap();
        fs::remove_file(mail.join("new/1")).unwrap();
        assert_eq!(next(&mut folders).await, [AgentName::Comms]);
    }

    #[tokio::test]
    async fn a_file_is_read_once_when_its_writer_has_paused() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().to_owned();
        let mut folders = Folders::of(&Sources {
            calendar: vec![folder.clone()],
            ..Sources::default()
        });
        let mut file = fs::File::create(folder.join("a.ics")).unwrap();
        for _ in 0..100 {
            file.write_all(b"BEGIN:VEVENT\n").unwrap();
        }
        drop(file);
        assert_eq!(next(&mut folders).await, [AgentName::Calendar]);
        assert_eq!(folders.told.take(), BTreeSet::new());
    }

    #[tokio::test]
    async fn a_source_that_comes_later_is_watched_from_the_next_look_on() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("later");
        let mut folders = Folders::of(&Sources {
            wellness: vec![folder.clone()],
            ..Sources::default()
        });
        assert!(folders.watched.is_empty());
        fs::create_dir(&folder).unwrap();
        folders.watch();
        fs::write(folder.join("rr.csv"), "x").unwrap();
        assert_eq!(next(&mut folders).await, [AgentName::Wellness]);
    }
}
