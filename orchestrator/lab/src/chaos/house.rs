//! The household that is hurt: its folders and its running service.
//!
//! What: [`ChaosHousehold`] writes a configuration and a policy under which much is done, starts `aura run` on them as often as it ends,
//! and keeps what the service says of actions that leave. Why: what happened is held against what was promised by what the
//! process said before it died. Not here: faults, load.

use super::{
    ChaosModel, ChaosOptions,
    children::try_wait,
    clocks::HouseClock,
    disk::{DiskFaultPlan, FailedCalls, FailingDisk},
    tried,
};
use aura_memory::{Vault, vault::NewPlace};
use aura_runtime::{
    control::{self, ControlReply, ControlRequest},
    service::ServiceError,
};
use chrono_tz::Tz;
use nix::errno::Errno;
use orchestrator_machine::policy::DEFAULT_TEXT;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::{
    collections::BTreeMap,
    fs::{self, OpenOptions},
    io::{self, BufRead as _, BufReader},
    os::unix::fs::DirBuilderExt as _,
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    sync::{Arc, Mutex, PoisonError},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};
use surfaces_base::devices::{DeviceName, DeviceScope};

/// Where the page is and what opens it.
#[derive(Debug, Clone)]
pub(super) struct PageAccess {
    pub(super) port: u16,
    pub(super) token: String,
}

/// How often each action left, by tick and slot.
pub(super) type SentActions = BTreeMap<(u64, String), u32>;

/// The household.
pub(super) struct ChaosHousehold {
    program: PathBuf,
    dir: PathBuf,
    running: Option<(Child, JoinHandle<()>)>,
    door: Arc<Mutex<Option<PageAccess>>>,
    token: Option<String>,
    left: Arc<Mutex<SentActions>>,
    starts: u64,
    clock: HouseClock,
    /// What the disk does to a process that starts before that moment.
    disk: Option<(DiskFaultPlan, Instant)>,
    failing: Vec<FailingDisk>,
    /// How the service ended where its unit does not start it again.
    given_up: Vec<String>,
}

/// What names the file of a process's clock.
const CLOCK: &str = "AURA_TEST_CLOCK";

/// How long a start and an end may take.
const PATIENCE: Duration = Duration::from_mins(1);

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The built-in policy with nothing that keeps a tick from acting: whatever is proposed is worth it, however often.
fn busy_policy() -> String {
    let easier = [
        ("threshold = 0.45", "threshold = 0.1"),
        ("recent_day = 0.25", "recent_day = 0.0"),
        ("recent_window = 0.50", "recent_window = 0.0"),
        ("window_min = 30", "window_min = 0"),
        ("recovering_min = 60", "recovering_min = 0"),
    ];
    easier
        .into_iter()
        .fold(DEFAULT_TEXT.to_owned(), |text, (old, new)| {
            text.replacen(old, new, 1)
        })
}

fn configuration(model: Option<&ChaosModel>) -> String {
    let worker = model.and_then(|model| model.worker.as_ref());
    let worker = worker.map(|worker| format!("[model]\nworker = {:?}\n", worker.to_string_lossy()));
    format!(
        "zone = \"{}\"\nceiling = 5\n{}",
        ChaosHousehold::ZONE,
        worker.unwrap_or_default()
    )
}

/// Brings a model's files into a data folder that is not there yet.
fn bring(models: &Path, data: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.mode(0o700).recursive(true).create(data.join("models"))?;
    for entry in fs::read_dir(models)? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            fs::copy(entry.path(), data.join("models").join(entry.file_name()))?;
        }
    }
    Ok(())
}

impl ChaosHousehold {
    /// Where it is: a zone in which clocks are changed.
    pub(super) const ZONE: Tz = Tz::Europe__Berlin;

    /// Builds it in an empty folder and starts its service.
    pub(super) fn build(options: &ChaosOptions, dir: &Path) -> Result<Self, ServiceError> {
        let write = |name: &str, text: &str| fs::write(dir.join(name), text);
        let built = write("home.toml", &configuration(options.model.as_ref()))
            .and_then(|()| write("policy.toml", &busy_policy()))
            .and_then(|()| match &options.model {
                Some(model) => bring(&model.folder, &dir.join("data")),
                None => Ok(()),
            });
        built.map_err(tried("write the household"))?;
        // Everybody in it is invented, and no keyring is to be asked.
        Vault::create(&dir.join("data"), &NewPlace::File(dir.join("key")))?;
        let mut house = Self {
            program: options.program.clone(),
            dir: dir.to_owned(),
            running: None,
            door: Arc::default(),
            token: None,
            left: Arc::default(),
            starts: 0,
            clock: HouseClock::new(dir).map_err(tried("write the household"))?,
            disk: None,
            failing: vec![],
            given_up: vec![],
        };
        house.start()?;
        Ok(house)
    }

    pub(super) fn dir(&self) -> &Path {
        &self.dir
    }

    pub(super) fn data(&self) -> PathBuf {
        self.dir.join("data")
    }

    pub(super) fn starts(&self) -> u64 {
        self.starts
    }

    /// The service's process, while it has not been seen to have ended.
    pub(super) fn pid(&self) -> Option<Pid> {
        let (child, _) = self.running.as_ref()?;
        Pid::from_raw(i32::try_from(child.id()).ok()?)
    }

    /// Where its page is now.
    pub(super) fn door(&self) -> Option<PageAccess> {
        lock(&self.door).clone()
    }

    /// The door, for who comes while it changes.
    pub(super) fn doors(&self) -> Arc<Mutex<Option<PageAccess>>> {
        Arc::clone(&self.door)
    }

    /// Which actions left, as far as the service said.
    pub(super) fn sent_actions(&self) -> SentActions {
        lock(&self.left).clone()
    }

    /// The size of the largest file that is written now, in bytes.
    pub(super) fn largest_file(&self) -> Result<u64, ServiceError> {
        let sizes = |dir: PathBuf| -> io::Result<u64> {
            let mut largest = 0;
            for entry in fs::read_dir(dir)? {
                largest = largest.max(entry?.metadata()?.len());
            }
            Ok(largest)
        };
        // The journal's next page is the first that does not fit.
        sizes(self.data())
            .map(|size| size / 2)
            .map_err(tried("look at the data folder"))
    }

    /// The program with these arguments.
    pub(super) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(args).env(CLOCK, self.clock.file());
        command
    }

    /// The same for who runs commands beside it.
    pub(super) fn commands(&self) -> impl Fn(&[&str]) -> Command + Send + use<> {
        let (program, clock) = (self.program.clone(), self.clock.file().to_owned());
        move |args| {
            let mut command = Command::new(&program);
            command.args(args).env(CLOCK, &clock);
            command
        }
    }

    /// The file that says how far its clock is ahead.
    pub(super) fn clock(&self) -> &Path {
        self.clock.file()
    }

    /// Sets the clock of its processes ahead.
    pub(super) fn set_clock(&self, ahead_ms: i64) -> Result<(), ServiceError> {
        self.clock
            .set(ahead_ms)
            .map_err(tried("set the household's clock"))
    }

    /// How the service ended where its unit does not start it again; each is told once.
    pub(super) fn take_given_up(&mut self) -> Vec<String> {
        std::mem::take(&mut self.given_up)
    }

    /// The door of a service that is ready. Its users are let in once: devices outlive their service.
    fn door_of(&mut self, ready: &Value) -> Option<PageAccess> {
        let page = ready.get("page")?.as_str()?;
        let (_, port) = page.strip_suffix('/')?.rsplit_once(':')?;
        let port = port.parse().ok()?;
        if self.token.is_none() {
            let request = ControlRequest::DeviceAdd {
                name: DeviceName::parse("Users")?,
                scope: DeviceScope::Owner,
                asks: None,
            };
            let Ok(Some(ControlReply::DeviceAdded { token, .. })) = control::ask(&self.data(), &request)
            else {
                return None;
            };
            self.token = Some(token.text().to_owned());
        }
        let token = self.token.clone()?;
        Some(PageAccess { port, token })
    }

    /// Starts the service and waits until it is ready. As its unit does, again after every end but those that need the owner: these are noted.
    pub(super) fn start(&mut self) -> Result<(), ServiceError> {
        let until = Instant::now() + PATIENCE;
        loop {
            match self.start_once() {
                Err(error) if Instant::now() < until => {
                    let Some(ended) = self.ended()? else {
                        return Err(error);
                    };
                    self.note_end(ended);
                    tracing::debug!(%error, %ended, "the start failed: once more");
                    thread::park_timeout(Duration::from_millis(200));
                }
                done => return done,
            }
        }
    }

    /// The same while the disk fails until that moment, in every process that starts before it. What failed.
    pub(super) fn start_with(
        &mut self,
        fault: DiskFaultPlan,
        until: Instant,
    ) -> Result<Result<FailedCalls, Errno>, ServiceError> {
        self.disk = Some((fault, until));
        let started = self.start();
        thread::park_timeout(until.saturating_duration_since(Instant::now()));
        self.disk = None;
        let mut all = Ok(FailedCalls::new());
        for failing in self.failing.drain(..) {
            match (&mut all, failing.end()) {
                (Ok(all), Ok(failed)) => all.extend(failed),
                (all, Err(errno)) => *all = Err(errno),
                (Err(_), Ok(_)) => {}
            }
        }
        match started {
            // It may have needed a disk that does not fail.
            Err(_) => self.start_if_ended().map(|()| all),
            Ok(()) => Ok(all),
        }
    }

    /// Kills the service.
    pub(super) fn kill(&mut self) -> Result<(), ServiceError> {
        self.failing.clear();
        if let Some((child, _)) = &mut self.running {
            let killed = child.kill().and_then(|()| child.wait());
            killed.map_err(tried("kill the service"))?;
        }
        self.closed();
        Ok(())
    }

    /// What needs the owner is started again here all the same, so that the rest can be seen.
    fn note_end(&mut self, ended: ExitStatus) {
        if let Some(code @ 2..=4) = ended.code() {
            self.given_up.push(format!(
                "the service ended with {code}, and its unit does not start it again"
            ));
        }
    }

    /// What the process that was started last ended with; `None`: it has not.
    fn ended(&mut self) -> Result<Option<ExitStatus>, ServiceError> {
        let Some((child, _)) = &mut self.running else {
            return Ok(None);
        };
        // It has closed its output, or said something else and goes on.
        for _ in 0..100 {
            if let Some(ended) = try_wait(child)? {
                return Ok(Some(ended));
            }
            thread::park_timeout(Duration::from_millis(20));
        }
        Ok(None)
    }

    fn start_once(&mut self) -> Result<(), ServiceError> {
        let log = OpenOptions::new()
            .create(true)
            .append(true)
            .open(self.dir.join("service.log"));
        let mut log = log.map_err(tried("open the service's log"))?;
        let child = self
            .command(&["run", "--port", "0", "--json", "--home"])
            .arg(self.dir.join("home.toml"))
            .arg("--policy")
            .arg(self.dir.join("policy.toml"))
            .arg("--data")
            .arg(self.data())
            .env("AURA_LOG_FORMAT", "json")
            .env("AURA_LOG", "info")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let mut child = child.map_err(tried("start the service"))?;
        let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        if let (Some((fault, until)), Some(pid)) = (self.disk, pid)
            && Instant::now() < until
        {
            self.failing
                .push(FailingDisk::begin(pid, fault, &self.data(), until));
        }
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let left = Arc::clone(&self.left);
        // Read to its end, so that what was said before a kill is not lost, and the service never waits for its log.
        let reading = thread::spawn(move || {
            for line in stderr
                .into_iter()
                .flat_map(|pipe| BufReader::new(pipe).split(b'\n'))
            {
                let Ok(line) = line else { return };
                note(&line, &left);
                // The log is for who looks afterwards.
                let _ = io::Write::write_all(&mut log, &[line.as_slice(), b"\n"].concat());
            }
        });
        let mut line = String::new();
        let said = stdout.map(|pipe| BufReader::new(pipe).read_line(&mut line));
        self.starts += 1;
        self.running = Some((child, reading));
        let door = serde_json::from_str::<Value>(&line)
            .ok()
            .and_then(|ready| self.door_of(&ready));
        if door.is_none() {
            let ended = said.is_some_and(|said| said.is_ok_and(|bytes| bytes == 0));
            let why = if ended {
                "it ended before it was ready"
            } else {
                "it said something else"
            };
            return Err(tried("wait for the service to be ready; see service.log")(
                io::Error::other(why),
            ));
        }
        *lock(&self.door) = door;
        Ok(())
    }

    /// Starts the service again when it has ended.
    pub(super) fn start_if_ended(&mut self) -> Result<(), ServiceError> {
        let Some((child, _)) = &mut self.running else {
            return self.start();
        };
        let Some(ended) = try_wait(child)? else {
            return Ok(());
        };
        self.note_end(ended);
        self.closed();
        self.start()
    }

    fn closed(&mut self) {
        *lock(&self.door) = None;
        if let Some((_, reading)) = self.running.take() {
            // A reader that panicked has nothing more to say.
            let _ = reading.join();
        }
    }

    /// Ends the service in order.
    pub(super) fn stop(&mut self) -> Result<(), ServiceError> {
        self.start_if_ended()?;
        let (Some(pid), Some((child, _))) = (self.pid(), &mut self.running) else {
            return Ok(());
        };
        let asked = kill_process(pid, Signal::TERM).map_err(io::Error::from);
        asked.map_err(tried("ask the service to end"))?;
        let until = Instant::now() + PATIENCE;
        while try_wait(child)?.is_none() {
            if Instant::now() > until {
                let source = io::Error::other("it has not ended 60 s after SIGTERM");
                return Err(tried("end the service")(source));
            }
            thread::park_timeout(Duration::from_millis(10));
        }
        self.closed();
        Ok(())
    }
}

impl Drop for ChaosHousehold {
    fn drop(&mut self) {
        self.failing.clear();
        if let Some((child, _)) = &mut self.running {
            // Also when something failed: nothing goes on running behind it.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Counts an action that leaves.
fn note(line: &[u8], left: &Mutex<SentActions>) {
    let Ok(line) = serde_json::from_slice::<Value>(line) else {
        return;
    };
    let field = |name: &str| line.get("fields").and_then(|fields| fields.get(name));
    if field("message").and_then(Value::as_str) == Some("an action leaves")
        && let (Some(tick), Some(slot)) = (
            field("tick").and_then(Value::as_u64),
            field("slot").and_then(Value::as_str),
        )
    {
        *lock(left).entry((tick, slot.to_owned())).or_default() += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use orchestrator_machine::policy::Policy;

    #[test]
    fn the_busy_policy_is_a_policy_and_another_one_in_five_places() {
        let text = busy_policy();
        Policy::parse(&text).unwrap();
        let changed = text
            .lines()
            .zip(DEFAULT_TEXT.lines())
            .filter(|(new, old)| new != old);
        assert_eq!(changed.count(), 5);
    }

    #[test]
    fn only_the_line_of_an_action_that_leaves_is_counted() {
        let left = Mutex::default();
        for line in [
            r#"{"fields":{"message":"an action leaves","tick":7,"slot":"Primary"}}"#,
            r#"{"fields":{"message":"an action leaves","tick":7,"slot":"Primary"}}"#,
            r#"{"fields":{"message":"a tick ended","tick":7,"slot":"Primary"}}"#,
            "not JSON",
        ] {
            note(line.as_bytes(), &left);
        }
        assert_eq!(*lock(&left), SentActions::from([((7, "Primary".to_owned()), 2)]));
    }
}
