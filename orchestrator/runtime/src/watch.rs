//! Noticing that the source folders changed.
//!
//! What: tells the machine whose files came, changed or went. Why: what is new is read within a second, and an unchanged
//! folder costs nothing, no line of the journal either. The kernel tells (inotify); what it does not tell (a file system over the
//! network, a source that was not there, no watches left) is seen by a look once a minute, and what only time brings by one
//! every quarter of an hour. Not here: reading files (`agents`).

use crate::backend::ServiceBackend;
use agents::contract::SourcePaths;
use notify::{
    Event, EventKind as NotifyKind, RecommendedWatcher, RecursiveMode, Watcher,
    event::{AccessKind, AccessMode},
};
use orchestrator_machine::EventKind;
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError, mpsc},
    thread,
    time::Duration,
};
use tokio::{
    sync::{Notify, watch},
    time::{Instant, timeout_at},
};
use toolcall_schema::AgentName;

/// How often sources are tried that the kernel does not tell about.
const LOOK: Duration = Duration::from_mins(1);
/// Every agent is asked at each fifteenth of these looks, because the time may have come for what is dated ahead, and for further
/// days of a calendar.
const ALL_AT: u32 = 15;
/// A folder is read when nothing happened in it for so long, because a program may still be writing,
const QUIET: Duration = Duration::from_millis(250);
/// or, when something happens all the time, so long after the first.
const AT_MOST: Duration = Duration::from_secs(2);

/// What is dated ahead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AheadClock {
    /// Little, by clocks that differ.
    Seldom,
    /// A whole day, which comes minute by minute: the demo household's.
    Always,
}

/// Watches until told to stop; the first look is the machine's own, at its start.
pub fn folders(
    backend: ServiceBackend,
    sources: &SourcePaths,
    ahead: AheadClock,
    mut stopped: watch::Receiver<bool>,
) {
    let mut folders = SourceWatchers::from_sources(sources);
    let all_at = match ahead {
        AheadClock::Seldom => ALL_AT,
        AheadClock::Always => 1,
    };
    actix::spawn(async move {
        let mut look = tokio::time::interval(LOOK);
        look.tick().await;
        let mut looks: u32 = 0;
        loop {
            let changed = tokio::select! {
                _ = stopped.wait_for(|stop| *stop) => return,
                changed = folders.changed() => changed,
                _ = look.tick() => {
                    looks = (looks + 1) % all_at;
                    folders.watch();
                    if looks == 0 { AgentName::FOUR.into() } else { BTreeSet::new() }
                }
            };
            for agent in changed {
                tell_changed(&backend, agent);
            }
        }
    });
}

/// Tells the machine that there is something new for an agent.
pub(crate) fn tell_changed(backend: &ServiceBackend, agent: AgentName) {
    if let Err(error) = backend.inject_event(EventKind::SourcesChanged { agent }) {
        tracing::warn!(agent = agent.as_str(), %error, "not told that its folders changed");
    }
}

/// Whose files changed, as the kernel told and nobody has taken yet.
#[derive(Default)]
struct ChangedAgents {
    agents: Mutex<BTreeSet<AgentName>>,
    some: Notify,
}

impl ChangedAgents {
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

/// The sources, each watched by a thread of its own: on a mount that does not answer it hangs there, and nothing else does.
struct SourceWatchers {
    told: Arc<ChangedAgents>,
    looks: Vec<mpsc::SyncSender<()>>,
}

impl SourceWatchers {
    fn from_sources(sources: &SourcePaths) -> Self {
        let told = Arc::new(ChangedAgents::default());
        let mut folders = Self {
            told: told.clone(),
            looks: Vec::new(),
        };
        for agent in AgentName::FOUR {
            for path in sources.only_for(agent).paths() {
                // One look may wait; more would find the same.
                let (look, looks) = mpsc::sync_channel(1);
                let mut source = WatchedSource::new(agent, path.clone(), told.clone());
                let begun = thread::Builder::new()
                    .name("aura-watch".to_owned())
                    .spawn(move || {
                        while looks.recv().is_ok() {
                            source.watch();
                        }
                    });
                if begun.is_ok() {
                    folders.looks.push(look);
                } else {
                    tracing::warn!(agent = agent.as_str(), "a folder cannot be watched: no thread");
                }
            }
        }
        folders.watch();
        folders
    }

    /// Watches what is not watched yet and is there.
    fn watch(&self) {
        for look in &self.looks {
            // Full: it hangs, or is about to look anyway.
            let _ = look.try_send(());
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

/// One source.
struct WatchedSource {
    agent: AgentName,
    path: PathBuf,
    told: Arc<ChangedAgents>,
    /// While the kernel watches it.
    watcher: Option<RecommendedWatcher>,
}

impl WatchedSource {
    fn new(agent: AgentName, path: PathBuf, told: Arc<ChangedAgents>) -> Self {
        Self {
            agent,
            path,
            told,
            watcher: None,
        }
    }

    /// Watches it, when it is there and is not watched yet. Where the kernel does not tell, it may have changed.
    fn watch(&mut self) {
        if !self.path.exists() {
            if self.watcher.take().is_some() {
                self.told.tell([self.agent]);
            }
            // Should it come, it is another folder.
            return;
        }
        if self.watcher.is_some() {
            if is_elsewhere(&self.path) {
                self.told.tell([self.agent]);
            }
            return;
        }
        let whose = [(self.agent, self.path.clone())];
        let tell = self.told.clone();
        let watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
            // An error is about a path that went or a full queue: everybody looks.
            let Ok(event) = event else {
                return tell.tell(AgentName::FOUR);
            };
            tell.tell(concerned(&event, &whose));
        });
        let (path, mode) = place(&self.path);
        let watched = watcher.and_then(|mut watcher| watcher.watch(path, mode).map(|()| watcher));
        if let Ok(watcher) = watched {
            self.watcher = Some(watcher);
            // What came before it was watched is seen by a look.
            self.told.tell([self.agent]);
        } else {
            self.told.tell([self.agent]);
            tracing::warn!(
                agent = self.agent.as_str(),
                "a folder of this agent cannot be watched (see fs.inotify.max_user_watches): it is looked at once a minute"
            );
        }
    }
}

/// Whether the files may be changed by another machine, or by a program behind the kernel's back: NFS, SMB, AFS, Ceph, 9P, FUSE.
/// What cannot be told is taken for such.
fn is_elsewhere(path: &Path) -> bool {
    const KINDS: [u64; 8] = [
        0x6969,
        0x517b,
        0xfe53_4d42,
        0xff53_4d42,
        0x5346_414f,
        0x00c3_6400,
        0x0102_1997,
        0x6573_5546,
    ];
    rustix::fs::statfs(path).map_or(true, |fs| {
        // The kernel's number has 32 bits, whatever the width and sign of the field.
        u64::try_from(i128::from(fs.f_type) & 0xffff_ffff).is_ok_and(|kind| KINDS.contains(&kind))
    })
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
        NotifyKind::Access(AccessKind::Close(AccessMode::Write))
        | NotifyKind::Create(_)
        | NotifyKind::Modify(_)
        | NotifyKind::Remove(_)
        | NotifyKind::Any
        | NotifyKind::Other => true,
        NotifyKind::Access(_) => false,
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

    async fn next(folders: &mut SourceWatchers) -> Vec<AgentName> {
        let changed = tokio::time::timeout(Duration::from_secs(20), folders.changed());
        changed.await.unwrap().into_iter().collect()
    }

    /// Until all of them are watched, which is told.
    async fn watched(folders: &mut SourceWatchers, agents: &[AgentName]) {
        let mut left: BTreeSet<_> = agents.iter().copied().collect();
        while !left.is_empty() {
            for agent in next(folders).await {
                left.remove(&agent);
            }
        }
    }

    #[tokio::test]
    async fn only_the_agent_whose_folder_changed_is_noticed() {
        let dir = tempfile::tempdir().unwrap();
        let (mail, sms) = (dir.path().join("mail"), dir.path().join("sms.jsonl"));
        fs::create_dir_all(mail.join("new")).unwrap();
        fs::write(&sms, "one\n").unwrap();
        let mut folders = SourceWatchers::from_sources(&SourcePaths {
            mail: vec![mail.clone()],
            sms: vec![sms.clone()],
            ..SourcePaths::default()
        });
        watched(&mut folders, &[AgentName::Comms, AgentName::Finance]).await;
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
    async fn a_look_at_watched_folders_that_did_not_change_tells_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().to_owned();
        let mut folders = SourceWatchers::from_sources(&SourcePaths {
            calendar: vec![folder.clone()],
            mail: vec![dir.path().join("not there")],
            ..SourcePaths::default()
        });
        watched(&mut folders, &[AgentName::Calendar]).await;
        assert!(!is_elsewhere(&folder));
        for _ in 0..3 {
            folders.watch();
        }
        // Whatever the looks told comes before this.
        fs::write(folder.join("a.ics"), "x").unwrap();
        assert_eq!(next(&mut folders).await, [AgentName::Calendar]);
        assert_eq!(folders.told.take(), BTreeSet::new());
    }

    #[tokio::test]
    async fn a_source_that_goes_is_told_once() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("mail");
        fs::create_dir(&folder).unwrap();
        let told = Arc::new(ChangedAgents::default());
        let mut source = WatchedSource::new(AgentName::Comms, folder.clone(), told.clone());
        source.watch();
        assert_eq!(told.take(), [AgentName::Comms].into());
        fs::remove_dir(&folder).unwrap();
        source.watch();
        assert_eq!(told.take(), [AgentName::Comms].into());
        source.watch();
        assert_eq!(told.take(), BTreeSet::new());
    }

    #[tokio::test]
    async fn a_file_is_read_once_when_its_writer_has_paused() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().to_owned();
        let mut folders = SourceWatchers::from_sources(&SourcePaths {
            calendar: vec![folder.clone()],
            ..SourcePaths::default()
        });
        watched(&mut folders, &[AgentName::Calendar]).await;
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
        let mut folders = SourceWatchers::from_sources(&SourcePaths {
            wellness: vec![folder.clone()],
            ..SourcePaths::default()
        });
        fs::create_dir(&folder).unwrap();
        folders.watch();
        assert_eq!(next(&mut folders).await, [AgentName::Wellness]);
        fs::write(folder.join("rr.csv"), "x").unwrap();
        assert_eq!(next(&mut folders).await, [AgentName::Wellness]);
    }
}
