//! The host's loop with tenants that do what a test says.

use super::*;
use crate::{control::ListedOwner, folder_watch::ParkedWatch, service::ParkedTenant, wiring::WiringError};
use agents::contract::SourcePaths;
use aura_memory::{OpenRemoteLog, StoreError, Vault};
use aura_platform::supervise::FatalFailure;
use std::{
    fs,
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
        mpsc as std_mpsc,
    },
};
use surfaces::web::ElsewhereConnection;
use tokio::sync::oneshot;
use toolcall_schema::Timestamp;

type Outcome = Result<TenantEnd, ServiceError>;

/// A tenant that has begun.
struct BegunTenant {
    owner: String,
    link: HostLink,
    outcome: std_mpsc::Sender<Outcome>,
}

impl BegunTenant {
    /// Ends it; without an outcome it panics.
    fn end(self, outcome: Option<Outcome>) {
        if let Some(outcome) = outcome {
            self.outcome.send(outcome).unwrap();
        }
    }
}

/// A host of several owners that serves.
struct RunningHost {
    dir: tempfile::TempDir,
    folders: OwnerFolders,
    requests: mpsc::UnboundedSender<RefreshOwner>,
    begun: mpsc::UnboundedReceiver<BegunTenant>,
    stop: watch::Sender<bool>,
    serving: TaskHandle<Result<(), ServiceError>>,
}

impl RunningHost {
    async fn start(owners: &[&str]) -> Self {
        let host = Self::with_places(usize::MAX).await;
        for owner in owners {
            host.add(owner).await;
        }
        host
    }

    /// A host without owners, which serves so many at once.
    async fn with_places(awake_max: usize) -> Self {
        Self::with_placement(awake_max, None).await
    }

    /// The same of owners whom other hosts have too.
    async fn with_placement(awake_max: usize, placement: Option<Arc<TestPlacement>>) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let folders = OwnerFolders::in_folder(dir.path()).unwrap();
        let lock = folders.lock().unwrap().unwrap();
        let (begin, begun) = mpsc::unbounded_channel();
        let run = move |owner: &OwnerName, link: HostLink| {
            let (outcome, ends) = std_mpsc::channel();
            let owner = owner.to_string();
            let begun = BegunTenant { owner, link, outcome };
            begin.send(begun).map_err(|_| ()).unwrap();
            ends.recv().unwrap()
        };
        let mut host = OwnerHost::new(host_folder(dir.path()), 0).unwrap();
        host.awake_max = awake_max;
        let (to_host, _commands) = control_inbox(&Visits::default());
        let (requests, asked) = mpsc::unbounded_channel();
        let ways = (to_host, requests.clone());
        let mut hosted = HostedOwners::new(folders.clone(), lock, ways, Arc::new(run));
        host.routes = Some(Rc::new(Arc::clone(&hosted.routes)));
        let placement = placement.map(|placement| placement as Arc<dyn OwnerPlacement>);
        hosted.placement.clone_from(&placement);
        host.owners = Some(hosted);
        host.open().await.unwrap();
        if let Some(placement) = placement {
            let shared = SharedOwners {
                placement,
                from_hosts: None,
            };
            host.start_placement(shared).unwrap();
        }
        let (stop, stopped) = watch::channel(false);
        let serving = actix::spawn(host.serve(|_| {}, asked, stopped));
        Self {
            dir,
            folders,
            requests,
            begun,
            stop,
            serving,
        }
    }

    async fn add(&self, owner: &str) {
        fs::create_dir(self.dir.path().join(owner)).unwrap();
        self.refresh(owner).await;
    }

    fn ask(&self, owner: &str) -> oneshot::Receiver<Vec<ListedOwner>> {
        let (reply, told) = oneshot::channel();
        let owner = OwnerName::parse(owner);
        self.requests.send(RefreshOwner { owner, reply }).unwrap();
        told
    }

    async fn refresh(&self, owner: &str) -> Vec<(String, OwnerState)> {
        states(self.ask(owner).await.unwrap())
    }

    async fn next_begun(&mut self) -> BegunTenant {
        self.begun.recv().await.unwrap()
    }

    fn set_paused(&self, owner: &str, paused: bool) {
        let owner = OwnerName::parse(owner).unwrap();
        self.folders.set_paused(&owner, paused).unwrap();
    }
}

fn states(listed: Vec<ListedOwner>) -> Vec<(String, OwnerState)> {
    listed
        .into_iter()
        .map(|owner| (owner.name, owner.state))
        .collect()
}

fn state(owner: &str, state: OwnerState) -> Vec<(String, OwnerState)> {
    vec![(owner.to_owned(), state)]
}

fn in_system(test: impl Future<Output = ()>) {
    actix::System::new().block_on(test);
}

fn locked() -> ServiceError {
    let dir = PathBuf::from("asha");
    ServiceError::Wiring(WiringError::Store(StoreError::Locked { dir, pid: None }))
}

#[test]
fn whoever_is_told_to_end_before_the_host_listens_has_no_connections_and_no_error() {
    in_system(async {
        let dir = tempfile::tempdir().unwrap();
        let mut host = OwnerHost::new(dir.path().to_owned(), 0).unwrap();
        let tenant = host.prepare(ALONE);
        let (say, has) = oneshot::channel();
        let run = |link: HostLink| {
            actix::System::new().block_on(async move {
                // As while its folder is opened.
                link.told_to_end().await;
                let _ = say.send(link.connections().await.is_some());
                Ok(TenantEnd::Told)
            })
        };
        host.start(tenant, run);
        let (_requests, asked) = mpsc::unbounded_channel();
        let (_stop, stopped) = watch::channel(true);
        assert!(host.serve(|_| {}, asked, stopped).await.is_ok());
        assert!(!has.await.unwrap());
    });
}

#[test]
fn an_end_counts_more_than_a_port_that_is_there() {
    in_system(async {
        let dir = tempfile::tempdir().unwrap();
        let mut host = OwnerHost::new(dir.path().to_owned(), 0).unwrap();
        let tenant = host.prepare(ALONE);
        host.open().await.unwrap();
        assert!(tenant.link.connections().await.is_some());
        tenant.end.send(true).unwrap();
        for _ in 0..64 {
            assert!(tenant.link.connections().await.is_none());
        }
    });
}

#[test]
fn an_owner_who_is_wanted_again_while_she_ends_is_started_after_it() {
    in_system(async {
        let mut host = RunningHost::start(&["asha"]).await;
        let first = host.next_begun().await;
        host.set_paused("asha", true);
        let paused = host.ask("asha");
        first.link.told_to_end().await;
        host.set_paused("asha", false);
        let resumed = host.ask("asha");
        // By the time that this is answered, both were heard.
        let (reply, heard) = oneshot::channel();
        let only_list = RefreshOwner { owner: None, reply };
        host.requests.send(only_list).unwrap();
        heard.await.unwrap();
        first.end(Some(Ok(TenantEnd::Told)));
        for reply in [paused, resumed] {
            assert_eq!(states(reply.await.unwrap()), state("asha", OwnerState::Starting));
        }
        // Whoever stops by herself is taken up again as well.
        let second = host.next_begun().await;
        second.link.tell(TenantEvent::Ready(None));
        second.link.tell(TenantEvent::Ending);
        second.link.tell(TenantEvent::Locked);
        while host.refresh("jonas").await != state("asha", OwnerState::Locked) {}
        let resumed = host.ask("asha");
        let (reply, heard) = oneshot::channel();
        host.requests.send(RefreshOwner { owner: None, reply }).unwrap();
        heard.await.unwrap();
        second.end(Some(Ok(TenantEnd::Told)));
        assert_eq!(
            states(resumed.await.unwrap()),
            state("asha", OwnerState::Starting)
        );
        host.next_begun().await;
    });
}

#[test]
fn whoever_fails_by_what_passes_is_started_again_and_others_are_when_asked() {
    in_system(async {
        let mut host = RunningHost::start(&["asha"]).await;
        // A folder in use, then a bug; she rests for one second, then for two.
        host.next_begun().await.end(Some(Err(locked())));
        host.next_begun().await.end(None);
        host.next_begun().await.end(Some(Err(ServiceError::NotADemo)));
        while host.refresh("jonas").await != state("asha", OwnerState::Failed) {}
        assert!(host.begun.try_recv().is_err());
        assert_eq!(host.refresh("asha").await, state("asha", OwnerState::Starting));
        let last = host.next_begun().await;
        assert_eq!(last.owner, "asha");
        fs::remove_dir(host.dir.path().join("asha")).unwrap();
        last.end(Some(Ok(TenantEnd::Told)));
        while !host.refresh("jonas").await.is_empty() {}
    });
}

#[test]
fn nobody_is_started_while_the_host_ends() {
    in_system(async {
        let mut host = RunningHost::start(&["asha"]).await;
        let asha = host.next_begun().await;
        host.stop.send(true).unwrap();
        asha.link.told_to_end().await;
        fs::create_dir(host.dir.path().join("jonas")).unwrap();
        assert_eq!(host.refresh("jonas").await.len(), 1, "asha alone");
        asha.end(Some(Err(locked())));
        let ended = tokio::time::timeout(Duration::from_secs(10), host.serving).await;
        assert!(ended.unwrap().unwrap().is_ok());
        assert!(host.begun.try_recv().is_err());
        let left: Vec<_> = fs::read_dir(host_folder(host.dir.path()))
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        assert_eq!(left, ["lock"], "the socket has gone with the host");
    });
}

#[test]
fn whoever_waits_for_her_turn_has_no_thread_and_who_is_visited_is_the_next() {
    in_system(async {
        let dir = tempfile::tempdir().unwrap();
        let folders = OwnerFolders::in_folder(dir.path()).unwrap();
        let lock = folders.lock().unwrap().unwrap();
        let (begin, begun) = std_mpsc::channel();
        let run = move |owner: &OwnerName, link: HostLink| {
            begin.send((owner.to_string(), link)).unwrap();
            Ok(TenantEnd::Told)
        };
        let mut host = OwnerHost::new(host_folder(dir.path()), 0).unwrap();
        let (to_host, _commands) = control_inbox(&Visits::default());
        let (requests, _asked) = mpsc::unbounded_channel();
        host.owners = Some(HostedOwners::new(
            folders,
            lock,
            (to_host, requests),
            Arc::new(run),
        ));
        let room = std::thread::available_parallelism().unwrap().get();
        let names: Vec<String> = (0..room + 3).map(|n| format!("owner-{n:04}")).collect();
        for name in &names {
            fs::create_dir(dir.path().join(name)).unwrap();
            host.refresh(OwnerName::parse(name).unwrap());
        }
        assert!(host.give_turns(), "three wait");
        let mut first: Vec<_> = begun.iter().take(room).collect();
        first.sort_by(|a, b| a.0.cmp(&b.0));
        assert!(first.iter().map(|(owner, _)| owner).eq(&names[..room]));
        assert!(host.give_turns());
        assert!(begun.try_recv().is_err());

        // The first of those who wait is told to end, the last is visited.
        let [paused, other, visited] = [0, 1, 2].map(|n| {
            let owner = OwnerName::parse(&names[room + n]).unwrap();
            let state = host.owners.as_ref().unwrap().tenant_of(&owner);
            let TenantState::Running(number) = state else {
                panic!("{state:?}")
            };
            number
        });
        host.tenants[&paused].tell_to_end();
        let _visit = host.tenants[&visited].tenant.link.visits.begin();
        // Whoever is visited waits for none of those to whom nobody came.
        assert!(host.give_turns(), "one waits");
        assert_eq!(begun.recv().unwrap().0, names[room + 2]);
        host.end_start(first[0].1.number);
        assert!(host.give_turns(), "one waits");
        assert!(begun.try_recv().is_err());
        host.end_start(visited);
        assert!(!host.give_turns());
        assert_eq!(begun.recv().unwrap().1.number, other);
        while let Some((number, news)) = host.heard.recv().await {
            if number == paused {
                assert!(matches!(news, TenantEvent::Ended));
                break;
            }
        }
        host.on_ended(paused);
        assert!(!host.tenants.contains_key(&paused));
        assert!(begun.try_recv().is_err(), "she never began");
    });
}

#[test]
fn whoever_finds_no_place_waits_until_another_is_parked_and_a_locked_folder_takes_none() {
    in_system(async {
        let mut host = RunningHost::with_places(2).await;
        for owner in ["asha", "jonas", "miriam"] {
            host.add(owner).await;
        }
        let (asha, jonas) = (host.next_begun().await, host.next_begun().await);
        for served in [&asha, &jonas] {
            served.link.tell(TenantEvent::Ready(None));
        }
        while !host
            .refresh("miriam")
            .await
            .contains(&("jonas".to_owned(), OwnerState::Serving))
        {}
        assert!(host.begun.try_recv().is_err(), "both places are taken");
        // Hers needs no memory to speak of until the passphrase is there.
        asha.link.tell(TenantEvent::Locked);
        let miriam = host.next_begun().await;
        assert_eq!(miriam.owner, "miriam");
        miriam.link.tell(TenantEvent::Ready(None));
        host.add("thabo").await;
        assert!(host.begun.try_recv().is_err());
        let tomorrow = Clock::real(None).wall().plus_ms(24 * 60 * 60 * 1000);
        jonas.end(Some(Ok(parked(tomorrow, None))));
        assert_eq!(host.next_begun().await.owner, "thabo");
    });
}

/// As a tenant ends that is parked: until then, and until a file of that folder changes.
fn parked(until: Timestamp, mail: Option<&Path>) -> TenantEnd {
    let sources = SourcePaths {
        mail: mail.map(Path::to_owned).into_iter().collect(),
        ..SourcePaths::default()
    };
    let watch = ParkedWatch::begin(&FolderWatch::default(), &sources).unwrap();
    TenantEnd::Parked(ParkedTenant {
        until,
        watch,
        sources: None,
    })
}

#[test]
fn whoever_is_parked_is_started_by_who_comes_by_what_changes_and_by_the_time() {
    in_system(async {
        let mut host = RunningHost::start(&["asha"]).await;
        let mail = tempfile::tempdir().unwrap();
        let wall = || Clock::real(None).wall();
        let tomorrow = wall().plus_ms(24 * 60 * 60 * 1000);
        let first = host.next_begun().await;
        let number = first.link.number;
        first.link.tell(TenantEvent::Ready(None));
        first.link.tell(TenantEvent::Ending);
        first.end(Some(Ok(parked(tomorrow, Some(mail.path())))));
        while host.refresh("jonas").await != state("asha", OwnerState::Parked) {}
        assert_eq!(host.refresh("asha").await, state("asha", OwnerState::Parked));
        assert!(
            host.begun.try_recv().is_err(),
            "a look at her folder starts nobody"
        );
        fs::write(mail.path().join("1.eml"), "x").unwrap();
        let second = host.next_begun().await;
        assert_eq!(second.link.number, number, "her names lead to it");

        // Who came while she ended is not left waiting.
        let visit = second.link.visits.begin();
        second.end(Some(Ok(parked(tomorrow, None))));
        let third = host.next_begun().await;
        drop(visit);
        let visits = third.link.visits.clone();
        third.end(Some(Ok(parked(tomorrow, None))));
        while host.refresh("jonas").await != state("asha", OwnerState::Parked) {}
        let visit = visits.begin();
        let fourth = host.next_begun().await;
        drop(visit);

        // What is due by now.
        fourth.end(Some(Ok(parked(wall(), None))));
        let fifth = host.next_begun().await;
        // A pause reaches who is parked, and nobody starts her.
        fifth.end(Some(Ok(parked(tomorrow, None))));
        while host.refresh("jonas").await != state("asha", OwnerState::Parked) {}
        host.set_paused("asha", true);
        assert_eq!(host.refresh("asha").await, state("asha", OwnerState::Paused));
        host.set_paused("asha", false);
        assert_eq!(host.refresh("asha").await, state("asha", OwnerState::Starting));
        assert_ne!(host.next_begun().await.link.number, number);
    });
}

/// Says who is here as a test does.
struct TestPlacement {
    terms: Mutex<BTreeMap<String, u64>>,
    changes: watch::Sender<u64>,
    services: Arc<AtomicUsize>,
    servable: Mutex<Vec<String>>,
    has_ended: AtomicBool,
}

/// Counts a service that has not ended.
struct CountedService(Arc<AtomicUsize>);

impl Drop for CountedService {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl TestPlacement {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            terms: Mutex::default(),
            changes: watch::channel(0).0,
            services: Arc::default(),
            servable: Mutex::default(),
            has_ended: AtomicBool::new(false),
        })
    }

    fn set_term(&self, owner: &str, term: Option<u64>) {
        let mut terms = self.terms.lock().unwrap();
        match term {
            Some(term) => drop(terms.insert(owner.to_owned(), term)),
            None => drop(terms.remove(owner)),
        }
        self.changes.send_modify(|count| *count += 1);
    }

    fn servable(&self) -> Vec<String> {
        self.servable.lock().unwrap().clone()
    }

    fn services(&self) -> usize {
        self.services.load(Ordering::SeqCst)
    }
}

impl OwnerPlacement for TestPlacement {
    fn begin_placement(&self) -> std::io::Result<watch::Receiver<u64>> {
        Ok(self.changes.subscribe())
    }

    fn term(&self, owner: &OwnerName) -> Option<u64> {
        self.terms.lock().unwrap().get(owner.as_str()).copied()
    }

    fn open_log(&self) -> OpenRemoteLog {
        Arc::new(|_| Err(StoreError::LogAway))
    }

    fn bring_settings(&self, _owner: &OwnerName, _vault: &Vault) -> Result<bool, StoreError> {
        Ok(true)
    }

    fn set_servable(&self, owners: &[OwnerName]) {
        let names = owners.iter().map(OwnerName::to_string).collect();
        *self.servable.lock().unwrap() = names;
    }

    fn begin_service(&self, _owner: &OwnerName) -> Box<dyn Send> {
        self.services.fetch_add(1, Ordering::SeqCst);
        Box::new(CountedService(Arc::clone(&self.services)))
    }

    fn take_connection(&self, _owner: &OwnerName, _connection: ElsewhereConnection) {}

    fn end(&self) {
        self.has_ended.store(true, Ordering::SeqCst);
    }
}

#[test]
fn owner_is_started_when_she_comes_from_another_host_and_ended_when_she_goes_to_one() {
    in_system(async {
        let placement = TestPlacement::new();
        let mut host = RunningHost::with_placement(usize::MAX, Some(Arc::clone(&placement))).await;
        host.add("asha").await;
        assert_eq!(host.refresh("asha").await, state("asha", OwnerState::Elsewhere));
        assert!(host.begun.try_recv().is_err());
        placement.set_term("asha", Some(1));
        let first = host.next_begun().await;
        assert_eq!(placement.services(), 1);
        first.link.tell(TenantEvent::Ready(None));
        // It was told to end, and she is here again before it has.
        placement.set_term("asha", None);
        first.link.told_to_end().await;
        assert_eq!(placement.services(), 1, "another host waits until it has ended");
        placement.set_term("asha", Some(2));
        first.end(Some(Ok(TenantEnd::Told)));
        let second = host.next_begun().await;
        assert_eq!(placement.services(), 1);

        // Nothing is due. She is parked in this term, and started once in another.
        let tomorrow = Clock::real(None).wall().plus_ms(24 * 60 * 60 * 1000);
        second.end(Some(Ok(parked(tomorrow, None))));
        while host.refresh("jonas").await != state("asha", OwnerState::Parked) {}
        assert_eq!(placement.services(), 0);
        placement.set_term("asha", Some(2));
        assert_eq!(host.refresh("asha").await, state("asha", OwnerState::Parked));
        placement.set_term("asha", Some(3));
        let third = host.next_begun().await;

        // The log refuses her: she rests, and another host has her by then.
        third.link.tell(TenantEvent::Broken(FatalFailure::Fenced));
        third.link.told_to_end().await;
        placement.set_term("asha", None);
        third.end(Some(Ok(TenantEnd::Told)));
        while host.refresh("jonas").await != state("asha", OwnerState::Elsewhere) {}
        assert_eq!(placement.services(), 0);
        assert!(!placement.has_ended.load(Ordering::SeqCst));
        host.stop.send(true).unwrap();
        assert!(host.serving.await.unwrap().is_ok());
        assert!(placement.has_ended.load(Ordering::SeqCst));
    });
}

#[test]
fn owner_who_cannot_be_served_here_is_for_other_hosts_until_somebody_has_mended_it() {
    in_system(async {
        let placement = TestPlacement::new();
        let mut host = RunningHost::with_placement(usize::MAX, Some(Arc::clone(&placement))).await;
        host.add("asha").await;
        while placement.servable() != ["asha"] {
            host.refresh("jonas").await;
        }
        placement.set_term("asha", Some(1));
        host.next_begun().await.end(Some(Err(ServiceError::NotADemo)));
        while !placement.servable().is_empty() {
            host.refresh("jonas").await;
        }
        // Another host has her, and this one does not take that for a repair.
        placement.set_term("asha", None);
        while host.refresh("jonas").await != state("asha", OwnerState::Elsewhere) {}
        let listed = host.ask("jonas").await.unwrap();
        assert!(listed[0].why.is_some(), "it says why she is not served here");
        assert_eq!(placement.servable(), Vec::<String>::new());
        assert_eq!(host.refresh("asha").await, state("asha", OwnerState::Elsewhere));
        while placement.servable() != ["asha"] {
            host.refresh("jonas").await;
        }
    });
}
