//! Noticing that the source folders changed.
//!
//! What: tells the machine whose files came, changed or went. Why: what is new is read within a second, and an unchanged
//! folder costs nothing, no line of the journal either. The kernel tells (inotify); a source of which it does not tell (a file system over the
//! network, one that is not there, no watches left) is looked at once a minute, and what only time brings is seen by a look at all of them
//! every quarter of an hour. Not here: reading files (`agents`).

use crate::{
    actors::orchestrator::InjectEvent,
    backend::ServiceBackend,
    folder_watch::{FolderWatch, WatchedSources},
};
use agents::contract::SourcePaths;
use aura_platform::{
    in_flight::{InFlight, InFlightGuard},
    mailbox::send,
};
use notify::{
    Event, EventKind as NotifyKind, RecursiveMode,
    event::{AccessKind, AccessMode},
};
use orchestrator_machine::{EventKind, supervision::SupervisedRole};
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError, Weak,
        atomic::{AtomicBool, Ordering},
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::Duration,
};
use tokio::{
    sync::{Notify, watch},
    time::{Instant, timeout_at},
};
use toolcall_schema::AgentName;

/// How often a source is looked at that the kernel does not tell about.
const LOOK: Duration = Duration::from_mins(1);
/// How often every agent is asked, because the time may have come for what is dated ahead, and for further days of a calendar.
const ALL: Duration = Duration::from_mins(15);
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
pub(crate) fn folders(
    (backend, folders): (ServiceBackend, FolderWatch),
    sources: &SourcePaths,
    ahead: AheadClock,
    mut stopped: watch::Receiver<bool>,
) {
    let mut folders = SourceWatchers::from_sources(&folders, sources);
    let all = match ahead {
        AheadClock::Seldom => ALL,
        AheadClock::Always => LOOK,
    };
    actix::spawn(async move {
        let mut look = tokio::time::interval(all);
        look.tick().await;
        loop {
            // What waits to be told is under way: an owner is not parked meanwhile.
            let (changed, _told) = tokio::select! {
                _ = stopped.wait_for(|stop| *stop) => return,
                changed = folders.changed(&backend.busy) => changed,
                _ = look.tick() => {
                    folders.watch();
                    (AgentName::FOUR.into(), backend.busy.ticket())
                }
            };
            // Whoever has used up her share of the processor waits once, a minute at most, whatever she goes on using; what changes meanwhile is told next.
            if let Some(wait) = backend.cpu_wait() {
                tokio::select! {
                    _ = stopped.wait_for(|stop| *stop) => return,
                    () = tokio::time::sleep(wait) => {}
                }
            }
            for agent in changed {
                change_teller(&backend, agent)();
            }
        }
    });
}

/// Tells the machine that there is something new for an agent. It may outlive the machine, and holds nothing of it.
pub(crate) fn change_teller(backend: &ServiceBackend, agent: AgentName) -> impl Fn() + Send + Sync + 'static {
    let (orchestrator, busy) = (backend.orchestrator.downgrade(), backend.busy.clone());
    move || {
        let Some(orchestrator) = orchestrator.upgrade() else {
            return;
        };
        let message = InjectEvent {
            what: EventKind::SourcesChanged { agent },
            ticket: busy.ticket_to(SupervisedRole::Orchestrator),
        };
        if let Err(error) = send(&orchestrator, "orchestrator", message) {
            tracing::warn!(agent = agent.as_str(), %error, "not told that its folders changed");
        }
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

/// The sources, each looked at by a thread of its own: on a mount that does not answer it hangs there, and nothing else does.
struct SourceWatchers {
    told: Arc<ChangedAgents>,
    looks: Vec<Arc<LookSender>>,
}

/// Has a source looked at.
type LookSender = mpsc::SyncSender<()>;

/// Who tells of changes in a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ToldBy {
    Kernel,
    /// Nobody: it has to be looked at.
    Looks,
}

impl SourceWatchers {
    fn from_sources(watch: &FolderWatch, sources: &SourcePaths) -> Self {
        let told = Arc::new(ChangedAgents::default());
        let mut folders = Self {
            told: told.clone(),
            looks: Vec::new(),
        };
        for agent in AgentName::FOUR {
            for path in sources.only_for(agent).paths() {
                // One look may wait; more would find the same.
                let (look, looks) = mpsc::sync_channel(1);
                let look = Arc::new(look);
                let mut source = WatchedSource {
                    agent,
                    path: path.clone(),
                    folders: watch.clone(),
                    told: told.clone(),
                    look: Arc::downgrade(&look),
                    watched: None,
                };
                let begun = thread::Builder::new()
                    .name("aura-watch".to_owned())
                    .spawn(move || {
                        loop {
                            let next = match source.watch() {
                                ToldBy::Kernel => looks.recv().map_err(RecvTimeoutError::from),
                                ToldBy::Looks => looks.recv_timeout(LOOK),
                            };
                            if next == Err(RecvTimeoutError::Disconnected) {
                                return;
                            }
                        }
                    });
                if begun.is_ok() {
                    folders.looks.push(look);
                } else {
                    tracing::warn!(agent = agent.as_str(), "a folder cannot be watched: no thread");
                }
            }
        }
        folders
    }

    /// Watches what is not watched yet and is there.
    fn watch(&self) {
        self.looks.iter().for_each(|look| look_again(look));
    }

    /// Waits until something changed and is quiet again, which is under way from the change on. Says whose it was.
    async fn changed(&mut self, busy: &InFlight) -> (BTreeSet<AgentName>, InFlightGuard) {
        self.told.some.notified().await;
        let ticket = busy.ticket();
        let last = Instant::now() + AT_MOST;
        while timeout_at(last.min(Instant::now() + QUIET), self.told.some.notified())
            .await
            .is_ok()
        {}
        (self.told.take(), ticket)
    }
}

fn look_again(look: &LookSender) {
    // Full: it hangs, or is about to look anyway.
    let _ = look.try_send(());
}

/// One source.
struct WatchedSource {
    agent: AgentName,
    path: PathBuf,
    folders: FolderWatch,
    told: Arc<ChangedAgents>,
    look: Weak<LookSender>,
    /// While the kernel watches it.
    watched: Option<KernelWatch>,
}

struct KernelWatch {
    _sources: WatchedSources,
    /// What was watched went away, was moved, or what is above it.
    is_lost: Arc<AtomicBool>,
}

impl WatchedSource {
    /// Watches it, when it is there and is not watched yet. Where the kernel does not tell, it may have changed.
    fn watch(&mut self) -> ToldBy {
        if !self.path.exists() {
            if self.watched.take().is_some() {
                self.told.tell([self.agent]);
            }
            // Should it come, it is another folder.
            return ToldBy::Looks;
        }
        self.watched
            .take_if(|watched| watched.is_lost.load(Ordering::SeqCst));
        if self.watched.is_some() {
            if !is_elsewhere(&self.path) {
                return ToldBy::Kernel;
            }
            self.told.tell([self.agent]);
            return ToldBy::Looks;
        }
        let watched = self.begin();
        // What came before it was watched is seen by a look.
        self.told.tell([self.agent]);
        match watched {
            Ok(watched) => {
                self.watched = Some(watched);
                if is_elsewhere(&self.path) {
                    ToldBy::Looks
                } else {
                    ToldBy::Kernel
                }
            }
            Err(error) => {
                tracing::warn!(
                    agent = self.agent.as_str(),
                    kind = ?error.kind,
                    "a folder of this agent cannot be watched (see fs.inotify.max_user_watches): it is looked at once a minute"
                );
                ToldBy::Looks
            }
        }
    }

    fn begin(&self) -> notify::Result<KernelWatch> {
        // A mount that does not answer holds up its own watch, and no other.
        let folders = if is_elsewhere(&self.path) {
            FolderWatch::default()
        } else {
            self.folders.clone()
        };
        let (tell, look) = (self.told.clone(), self.look.clone());
        let is_lost = Arc::new(AtomicBool::new(false));
        let lost = Arc::clone(&is_lost);
        let sources = folders.subscribe(
            &[(self.agent, self.path.clone())],
            Box::new(move |news| {
                tell.tell(news.agents);
                if news.is_lost {
                    lost.store(true, Ordering::SeqCst);
                    // Gone: nobody watches any more.
                    if let Some(look) = look.upgrade() {
                        look_again(&look);
                    }
                }
            }),
        )?;
        Ok(KernelWatch {
            _sources: sources,
            is_lost,
        })
    }
}

/// Whether the files may be changed by another machine, or by a program behind the kernel's back: NFS, SMB, AFS, Ceph, 9P, FUSE.
/// What cannot be told is taken for such.
pub(crate) fn is_elsewhere(path: &Path) -> bool {
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
pub(crate) fn place(source: &Path) -> (&Path, RecursiveMode) {
    if source.is_dir() {
        return (source, RecursiveMode::Recursive);
    }
    let parent = source.parent().filter(|parent| !parent.as_os_str().is_empty());
    (parent.unwrap_or(Path::new(".")), RecursiveMode::NonRecursive)
}

/// Whose files an event is about. Reading is no change: the agents read.
pub(crate) fn concerned(event: &Event, sources: &[(AgentName, PathBuf)]) -> BTreeSet<AgentName> {
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
        let busy = InFlight::default();
        let changed = tokio::time::timeout(Duration::from_secs(20), folders.changed(&busy));
        let (changed, told) = changed.await.unwrap();
        assert_eq!(busy.count(), 1, "it is under way until it is told");
        drop(told);
        changed.into_iter().collect()
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
        let mut folders = SourceWatchers::from_sources(
            &FolderWatch::default(),
            &SourcePaths {
                mail: vec![mail.clone()],
                sms: vec![sms.clone()],
                ..SourcePaths::default()
            },
        );
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
        let mut folders = SourceWatchers::from_sources(
            &FolderWatch::default(),
            &SourcePaths {
                calendar: vec![folder.clone()],
                mail: vec![dir.path().join("not there")],
                ..SourcePaths::default()
            },
        );
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
        let mut source = WatchedSource {
            agent: AgentName::Comms,
            path: folder.clone(),
            folders: FolderWatch::default(),
            told: told.clone(),
            look: Weak::new(),
            watched: None,
        };
        assert_eq!(source.watch(), ToldBy::Kernel);
        assert_eq!(told.take(), [AgentName::Comms].into());
        fs::remove_dir(&folder).unwrap();
        assert_eq!(source.watch(), ToldBy::Looks);
        assert_eq!(told.take(), [AgentName::Comms].into());
        assert_eq!(source.watch(), ToldBy::Looks);
        assert_eq!(told.take(), BTreeSet::new());
    }

    #[tokio::test]
    async fn a_folder_that_takes_the_place_of_a_watched_one_is_watched() {
        let dir = tempfile::tempdir().unwrap();
        let (folder, fresh) = (dir.path().join("mail"), dir.path().join("fresh"));
        fs::create_dir(&folder).unwrap();
        fs::create_dir(&fresh).unwrap();
        let mut folders = SourceWatchers::from_sources(
            &FolderWatch::default(),
            &SourcePaths {
                mail: vec![folder.clone()],
                ..SourcePaths::default()
            },
        );
        watched(&mut folders, &[AgentName::Comms]).await;
        fs::rename(&folder, dir.path().join("old")).unwrap();
        fs::rename(&fresh, &folder).unwrap();
        // That it was moved is told, and that the new one is watched: by then, or at the next look.
        watched(&mut folders, &[AgentName::Comms]).await;
        folders.watch();
        while timeout_at(Instant::now() + QUIET, folders.told.some.notified())
            .await
            .is_ok()
        {}
        folders.told.take();
        fs::write(folder.join("1"), "x").unwrap();
        assert_eq!(next(&mut folders).await, [AgentName::Comms]);
    }

    #[tokio::test]
    async fn a_file_is_read_once_when_its_writer_has_paused() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().to_owned();
        let mut folders = SourceWatchers::from_sources(
            &FolderWatch::default(),
            &SourcePaths {
                calendar: vec![folder.clone()],
                ..SourcePaths::default()
            },
        );
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
        let mut folders = SourceWatchers::from_sources(
            &FolderWatch::default(),
            &SourcePaths {
                wellness: vec![folder.clone()],
                ..SourcePaths::default()
            },
        );
        fs::create_dir(&folder).unwrap();
        folders.watch();
        assert_eq!(next(&mut folders).await, [AgentName::Wellness]);
        fs::write(folder.join("rr.csv"), "x").unwrap();
        assert_eq!(next(&mut folders).await, [AgentName::Wellness]);
    }
}
