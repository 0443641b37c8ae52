//! The service: `aura run` and `aura demo`.
//!
//! What: opens the data folder, starts the actors, the page and the control socket, looks at the folders, and ends
//! cleanly. Why: one place says what a running Aura consists of. Not here: actors (`wiring`), pages (`surfaces`), the
//! command line's words (`cli`).

use crate::{
    actors::orchestrator::Stop,
    busy::Busy,
    clock::Clock,
    config::{ConfigError, Home},
    control::{self, Reply, Request},
    day,
    desk::{Desk, Files},
    faults::Faults,
    housekeeping, notify,
    process::{Program, keeper},
    runs,
    supervise::watchdog,
    watch,
    wiring::{self, Agents, Parts, System, WiringError},
};
use aura_memory::{StoreError, Vault, Write};
use llm_runtime::Absent;
use orchestrator_machine::{Env, policy::Policy, state::Phase};
use std::{
    net::{Ipv4Addr, SocketAddr},
    os::unix::net::UnixStream,
    path::PathBuf,
    sync::Arc,
    time::Duration,
};
use surfaces::{WebConfig, backend::Backend, web::BindError};
use tokio::sync::{oneshot, watch as latch};
use toolcall_schema::{
    Timestamp, gate,
    ids::{OwnerSeed, hex},
};

/// Which of the two services.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// The owner's own folders, the real clock.
    Run,
    /// The bundled household on its own day; its clock begins with the first page, or at once.
    Demo {
        /// At once.
        headless: bool,
    },
}

/// What a service is started with.
pub struct Service {
    /// Which.
    pub mode: Mode,
    /// The configuration.
    pub home: Home,
    /// Where configuration and policy were read, and are read again.
    pub files: Files,
    /// The policy's text.
    pub policy_text: String,
    /// The data folder.
    pub vault: Vault,
    /// The loopback port; 0 lets the system choose.
    pub port: u16,
}

/// A service that could not be started.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// Configuration or policy.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The data folder.
    #[error(transparent)]
    Wiring(#[from] WiringError),
    /// The page's port.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// The device signals of the demo household.
    #[error(transparent)]
    Play(#[from] day::PlayError),
    /// The demo household has no clock or seed.
    #[error(
        "CONF-005 the demo household's home.toml needs `start` and `seed`; copy them from fixtures/home/home.toml"
    )]
    NotADemo,
    /// The system refused something.
    #[error("{what}")]
    Io {
        /// What was tried.
        what: &'static str,
        /// Why it failed.
        #[source]
        source: std::io::Error,
    },
}

impl From<StoreError> for ServiceError {
    fn from(error: StoreError) -> Self {
        ServiceError::Wiring(error.into())
    }
}

/// What a started service says of itself.
pub struct Ready {
    /// The page's address with its token: whoever knows it is the owner.
    pub page: String,
    /// The data folder.
    pub dir: PathBuf,
}

/// How long the service takes at most to end.
const DRAIN: Duration = Duration::from_secs(4);

/// How long an agent's process is waited for; its own grace is shorter.
const PROCESS_ENDS: Duration = Duration::from_millis(1500);

/// How often folders are looked at for changes.
const LOOK: Duration = Duration::from_secs(2);

impl Service {
    /// Runs until SIGTERM, SIGINT or `aura stop`. `ready` is called once, when the page can be opened.
    ///
    /// # Errors
    /// [`ServiceError`] when it cannot start.
    pub fn run(mut self, ready: impl FnOnce(Ready)) -> Result<(), ServiceError> {
        let mut ready = Some(ready);
        loop {
            // A system of its own each time: when it is dropped, nothing of it holds the folder any more.
            let ended = actix::System::new().block_on(self.serve(&mut ready))?;
            match ended {
                Ended::Stop => return Ok(()),
                Ended::Night => {}
                Ended::Aside(asked) => {
                    tracing::info!("the folder is left to a command");
                    if actix::System::new().block_on(aside(&self.vault, asked))? == Ends::Stop {
                        return Ok(());
                    }
                }
            }
            self.read_again();
        }
    }

    /// What a reload put into force is in the files.
    fn read_again(&mut self) {
        match (Home::load(&self.files.home), self.files.policy_text()) {
            (Ok(home), Ok(text)) if Policy::parse(&text).is_ok() => {
                self.home = home;
                self.policy_text = text;
            }
            _ => tracing::warn!("settings and policy could not be read again: those from before stay"),
        }
    }

    /// What is done once a night, while nobody works on the folder.
    fn keep_house(&self) {
        let (zone, now) = (self.home.settings.zone, Clock::real(None).wall());
        if self.mode != Mode::Run || !housekeeping::is_due(&self.vault, zone, now).unwrap_or(false) {
            return;
        }
        match housekeeping::run(&self.vault, Some(&self.home), &self.home.retention, now, false) {
            Ok(removed) => tracing::info!(?removed, "kept long enough"),
            Err(error) => tracing::error!(%error, "what was kept long enough could not be removed"),
        }
    }

    /// The machine's surroundings and the clock, for a data folder.
    fn environment(&self) -> Result<(Env, OwnerSeed), ServiceError> {
        let secret = self.vault.seed().clone();
        let seed = match (self.mode, &self.home.seed) {
            (Mode::Run, _) => secret.clone(),
            (Mode::Demo { .. }, Some(seed)) => OwnerSeed::of_day(seed),
            (Mode::Demo { .. }, None) => return Err(ServiceError::NotADemo),
        };
        let policy = Policy::parse(&self.policy_text).map_err(|source| ConfigError::Policy {
            path: self.files.policy_name().to_owned(),
            source: Box::new(source),
        })?;
        let env = Env {
            policy,
            settings: self.home.of_a_service(),
            seed,
            catalogue_hash: gate::catalogue_hash().to_owned(),
        };
        Ok((env, secret))
    }

    async fn serve(&mut self, ready: &mut Option<impl FnOnce(Ready)>) -> Result<Ended, ServiceError> {
        self.keep_house();
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, self.port));
        let _full = full_is_an_error()?;
        let (env, secret) = self.environment()?;
        let opened = wiring::open(&self.vault, &env)?;
        // After the lock, before anything moves: a busy port leaves the folder as it was.
        let listener = surfaces::bind(address).await?;
        let last = opened
            .state
            .as_ref()
            .map(|state| (state.at, state.wall_offset_ms));
        let clock = match self.mode {
            Mode::Run => Clock::real(last),
            Mode::Demo { .. } => {
                let start = self.home.start.ok_or(ServiceError::NotADemo)?;
                Clock::from_day(last.map_or(start, |(at, _)| at))
            }
        };
        let devices = self.devices()?;
        watchdog::watch("main").map_err(|source| ServiceError::Io {
            what: "start the watchdog's thread",
            source,
        })?;
        let env = Arc::new(env);
        let model_board = keeper::Board::default();
        let (model, model_ended) = keeper::start(
            keeper::Setup {
                data: self.vault.dir().to_owned(),
                worker: self.home.model_worker.clone(),
                program: Program::default(),
                only: None,
            },
            model_board.clone(),
        );
        let mut system = wiring::start(Parts {
            setup: self.home.setup(&env.seed),
            env,
            vault: self.vault.clone(),
            opened,
            agents: Agents::Processes(Program::default()),
            clock: clock.clone(),
            busy: Busy::default(),
            faults: Faults::default(),
            model: Box::new(model),
            model_board,
            policy_text: self.policy_text.clone(),
            day_seed: self.day_seed(),
        })?;
        system.processes.push(model_ended);
        let backend = system.backend.clone();
        let desk = self.desk(&system);
        let (stop, stopped) = latch::channel(false);
        let asked = control::Aside::default();
        let control =
            control::serve(&self.vault, desk.clone(), stop.clone(), asked.clone()).map_err(|source| {
                ServiceError::Io {
                    what: "open the control socket in the data folder",
                    source,
                }
            })?;
        let port = listener
            .local_addr()
            .map_err(|source| ServiceError::Io {
                what: "read the page's address",
                source,
            })?
            .port();
        let token = hex(&secret.key("page token v1").mac(&[]));
        let web = WebConfig {
            token: token.clone(),
            nonce: *uuid::Uuid::new_v4().as_bytes(),
            hosts: vec![],
        };
        let page: Arc<dyn Backend> = Arc::new(backend.clone());
        let page_stop = wait_for(stopped.clone());
        let page = actix::spawn(surfaces::serve(listener, web, page, page_stop));
        notify::watchdog(backend.clone(), stopped.clone());
        watch::folders(backend.clone(), self.home.sources.clone(), LOOK, stopped.clone());
        runs::watch(backend.clone(), stopped.clone());
        if matches!(self.mode, Mode::Demo { .. }) {
            devices_post(backend.clone(), clock.clone(), devices);
        }
        if self.mode == (Mode::Demo { headless: true }) {
            clock.begin();
        }
        // Should it start again, the page is where it was.
        self.port = port;
        if let Some(ready) = ready.take() {
            ready(Ready {
                page: format!("http://127.0.0.1:{port}/?token={token}"),
                dir: self.vault.dir().to_owned(),
            });
        }
        notify::ready();
        let night = night(self.mode, self.vault.clone(), backend.clone());
        let by_night = end_of(stopped, desk, night).await?;
        drop(backend);
        notify::stopping();
        // Whoever asked first, all are told.
        let _ = stop.send(true);
        let drained = tokio::time::timeout(DRAIN, drain(system, page)).await;
        if drained.is_err() {
            tracing::warn!("not everything ended in time");
        }
        drop(control);
        Ok(match asked.asked() {
            Some(stream) => Ended::Aside(stream),
            None if by_night => Ended::Night,
            None => Ended::Stop,
        })
    }

    /// One request on a folder without a running service: all of it runs, but for page and socket.
    ///
    /// # Errors
    /// [`ServiceError`]; the folder stays as it was.
    pub fn once(self, request: Request) -> Result<Reply, ServiceError> {
        actix::System::new().block_on(async move {
            let (env, _) = self.environment()?;
            let opened = wiring::open(&self.vault, &env)?;
            let last = opened
                .state
                .as_ref()
                .map(|state| (state.at, state.wall_offset_ms));
            let env = Arc::new(env);
            let system = wiring::start(Parts {
                setup: self.home.setup(&env.seed),
                env,
                vault: self.vault.clone(),
                opened,
                agents: Agents::Processes(Program::default()),
                clock: Clock::real(last),
                busy: Busy::default(),
                faults: Faults::default(),
                model: Box::new(Absent),
                model_board: keeper::Board::default(),
                policy_text: self.policy_text.clone(),
                day_seed: self.day_seed(),
            })?;
            let reply = self.desk(&system).answer(request).await;
            drain_machine(system).await;
            Ok(reply)
        })
    }

    fn desk(&self, system: &System) -> Desk {
        Desk {
            backend: system.backend.clone(),
            store: system.store.clone(),
            files: self.files.clone(),
            day_seed: self.day_seed(),
        }
    }

    /// What the ids derive from, in the demo.
    fn day_seed(&self) -> Option<String> {
        match self.mode {
            Mode::Run => None,
            Mode::Demo { .. } => self.home.seed.clone(),
        }
    }

    fn devices(&self) -> Result<Vec<day::Checked>, ServiceError> {
        let mut signals = Vec::new();
        for path in &self.home.signals {
            signals.extend(day::device_signals(path)?);
        }
        signals.sort_by_key(|(signal, _)| signal.at);
        Ok(signals)
    }
}

/// A file that may not grow any more (`ulimit -f`) is then an error of the write, like a full disk, and not the end of this
/// process by SIGXFSZ.
fn full_is_an_error() -> Result<tokio::signal::unix::Signal, ServiceError> {
    let signal = tokio::signal::unix::SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw());
    tokio::signal::unix::signal(signal).map_err(|source| ServiceError::Io {
        what: "listen for signals of the system",
        source,
    })
}

async fn wait_for(mut stopped: latch::Receiver<bool>) {
    // The sender lives as long as the service.
    let _ = stopped.wait_for(|stop| *stop).await;
}

/// Why a service is no longer there.
enum Ended {
    /// It was told to end.
    Stop,
    /// A command needs the folder for itself.
    Aside(UnixStream),
    /// It is night, and nothing is going on.
    Night,
}

/// Whether to go on.
#[derive(PartialEq, Eq)]
enum Ends {
    Stop,
    GoOn,
}

/// Leaves the folder to who asked, once nothing holds it any more, until they are done; or until this process is told to end.
async fn aside(vault: &Vault, asked: UnixStream) -> Result<Ends, ServiceError> {
    use tokio::signal::unix::{SignalKind, signal};
    let io = |source| ServiceError::Io {
        what: "listen for signals of the system",
        source,
    };
    let mut term = signal(SignalKind::terminate()).map_err(io)?;
    // A process that is ending may hold it for a moment longer.
    for _ in 0..FREE_TRIES {
        if aura_memory::is_free(vault.dir())? {
            break;
        }
        tokio::time::sleep(FREE_AGAIN).await;
    }
    notify::ready();
    tokio::select! {
        () = control::leave(asked) => Ok(Ends::GoOn),
        _ = term.recv() => Ok(Ends::Stop),
        _ = tokio::signal::ctrl_c() => Ok(Ends::Stop),
    }
}

/// How often it is looked whether the folder is free, and how long is waited in between: 5 s in all.
const FREE_TRIES: u32 = 250;
const FREE_AGAIN: Duration = Duration::from_millis(20);

/// How often it is looked whether it is night.
const NIGHT_AGAIN: Duration = Duration::from_mins(1);

/// Until a night has come in which nothing is going on; the demo's day has none.
async fn night(mode: Mode, vault: Vault, backend: crate::backend::Actors) {
    loop {
        tokio::time::sleep(NIGHT_AGAIN).await;
        if mode != Mode::Run {
            continue;
        }
        let Ok(look) = backend.look().await else { continue };
        let (zone, now) = (look.env.settings.zone, look.state.wall(look.at));
        let resting = matches!(look.state.phase, Phase::Idle) && look.state.queue.is_empty();
        if resting && housekeeping::is_due(&vault, zone, now).unwrap_or(false) {
            return;
        }
    }
}

/// Until a signal of the system, `aura stop` or the night, which is true. SIGHUP reads policy and settings again.
async fn end_of(
    stopped: latch::Receiver<bool>,
    desk: Desk,
    night: impl Future<Output = ()>,
) -> Result<bool, ServiceError> {
    use tokio::signal::unix::{SignalKind, signal};
    let io = |source| ServiceError::Io {
        what: "listen for signals of the system",
        source,
    };
    let mut term = signal(SignalKind::terminate()).map_err(io)?;
    let mut again = signal(SignalKind::hangup()).map_err(io)?;
    let reload = async {
        while again.recv().await.is_some() {
            notify::reloading();
            match desk.answer(Request::Reload).await {
                Reply::Reloaded(_) => tracing::info!("SIGHUP: policy and settings were read again"),
                Reply::Config(why) | Reply::Error(why) => {
                    tracing::error!("SIGHUP: nothing was changed: {why}");
                }
                Reply::Trace(_)
                | Reply::Status(_)
                | Reply::Stopping
                | Reply::Aside
                | Reply::Labelled
                | Reply::ModelLooked
                | Reply::Standing(_)
                | Reply::Recorded
                | Reply::QuarantinePurged(_) => {}
            }
            notify::ready();
        }
    };
    tokio::select! {
        _ = term.recv() => tracing::info!("SIGTERM"),
        _ = tokio::signal::ctrl_c() => tracing::info!("SIGINT"),
        () = wait_for(stopped) => tracing::info!("asked to stop"),
        () = reload => tracing::warn!("no more signals of the system"),
        () = night => {
            tracing::info!("it is night: what was kept long enough goes");
            return Ok(true);
        }
    }
    Ok(false)
}

/// The page first, then the machine.
async fn drain(system: System, page: tokio::task::JoinHandle<std::io::Result<()>>) {
    let _ = page.await;
    drain_machine(system).await;
}

/// The machine, then what is still to be written, then the agents' processes.
async fn drain_machine(system: System) {
    let System {
        backend,
        store,
        quarantine,
        processes,
    } = system;
    let (told, heard) = oneshot::channel();
    let day = backend.look().await.map(|look| look.state.ledger.view().day);
    let _ = backend.orchestrator.send(Stop).await;
    if let Ok(day) = day
        && let Err(error) = store.write(vec![Write::Head { day }])
    {
        tracing::warn!(code = error.code(), %error, "no head of the audit log at the end");
    }
    let asked = store.commit(Box::new(move |result| {
        let _ = told.send(result);
    }));
    if asked.is_ok() {
        let _ = heard.await;
    }
    let (told, heard) = oneshot::channel();
    let asked = quarantine.flush(Box::new(move || {
        let _ = told.send(());
    }));
    if asked.is_ok() {
        let _ = heard.await;
    }
    // The actors hold the places that keep the processes, and the backend holds the actors.
    drop(backend);
    for ended in processes {
        // What does not end by itself is killed; what that misses dies with this process.
        if tokio::time::timeout(PROCESS_ENDS, ended).await.is_err() {
            tracing::warn!("an agent's process did not end in time");
        }
    }
}

/// The demo household's devices: what is recorded for one moment is posted together when that moment has come.
fn devices_post(backend: crate::backend::Actors, clock: Clock, devices: Vec<day::Checked>) {
    actix::spawn(async move {
        let begun: Timestamp = clock.at();
        let due: Vec<day::Checked> = devices
            .into_iter()
            .filter(|(signal, _)| signal.at >= begun)
            .collect();
        for batch in due.chunk_by(|(a, _), (b, _)| a.at == b.at) {
            if let Some((first, _)) = batch.first() {
                let _woken = clock.sleep_until(first.at).await;
            }
            let signals = batch.iter().map(|(signal, _)| signal.clone()).collect();
            if let Err(error) = backend.signals(signals).await {
                tracing::warn!(%error, "a signal of the demo household was not taken");
            }
        }
    });
}
