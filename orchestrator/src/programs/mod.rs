//! Programs of the owner's that are agents.
//!
//! What: [`Agent`], a manifest with its folders, and [`Agent::ask`]: one document in, one document out, in the sandbox and within
//! limits. Why: an agent can be written in any language and is trusted in none. Not here: the messages
//! (`toolcall_schema::protocol`), what is done with an answer, the sandbox (`aura worker exec`).

pub mod check;

use crate::process::{Program, lines::Lines};
use rustix::process::{Pid, Signal, kill_process_group};
use std::{
    env,
    io::{self, Read, Write as _},
    os::unix::process::{CommandExt as _, ExitStatusExt as _},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};
use toolcall_schema::protocol::{
    MAX_MESSAGE_BYTES,
    manifest::{Manifest, ManifestError},
};

/// A program that is an agent, and where it lives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agent {
    /// What its owner says of it.
    pub manifest: Manifest,
    /// The manifest's own folder, which it may read.
    pub folder: PathBuf,
    /// Folders that it may read beside its own: those in which the paths that it is given must lie.
    pub roots: Vec<PathBuf>,
}

/// A manifest that cannot be taken up.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// It cannot be read.
    #[error("PROGRAM-001 {path} cannot be read", path = path.display())]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// It is no manifest.
    #[error("{path}: {source}", path = path.display())]
    Manifest {
        /// Which.
        path: PathBuf,
        /// Why.
        #[source]
        source: ManifestError,
    },
    /// One of its roots is no folder.
    #[error("PROGRAM-001 {path}: roots[{index}] must be a folder that is there", path = path.display())]
    Root {
        /// Which manifest.
        path: PathBuf,
        /// Which root, from 0.
        index: usize,
        /// Why.
        #[source]
        source: io::Error,
    },
}

/// Why a program gave no answer.
#[derive(Debug, thiserror::Error)]
pub enum Silence {
    /// It could not be started.
    #[error(
        "PROGRAM-002 it cannot be started: check command, and that the program is there and may be executed"
    )]
    Start(#[source] io::Error),
    /// It wrote more than a message may have.
    #[error("PROGRAM-003 it wrote more than 4 MiB to its standard output, and was ended")]
    TooMuch,
    /// It did not end in time.
    #[error(
        "PROGRAM-004 it did not end within {0} s, and was ended; raise limits.wall_s, or have it do less"
    )]
    Late(u32),
    /// It ended with another code than 0.
    #[error("PROGRAM-005 it ended with {0}; what it wrote to its standard error is in the log")]
    Failed(String),
    /// It ended well and wrote nothing.
    #[error("PROGRAM-006 it ended with 0 and wrote nothing; an answer is one JSON document")]
    Nothing,
}

impl Silence {
    /// Its code, with a page in `docs/errors`.
    pub fn code(&self) -> &'static str {
        match self {
            Silence::Start(_) => "PROGRAM-002",
            Silence::TooMuch => "PROGRAM-003",
            Silence::Late(_) => "PROGRAM-004",
            Silence::Failed(_) => "PROGRAM-005",
            Silence::Nothing => "PROGRAM-006",
        }
    }
}

/// What a program answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// All that it wrote to its standard output.
    pub bytes: Vec<u8>,
    /// From its start to its end.
    pub took: Duration,
}

impl Agent {
    /// Reads a manifest, and finds its folders.
    ///
    /// # Errors
    /// [`LoadError`], `PROGRAM-001`.
    pub fn load(path: &Path) -> Result<Self, LoadError> {
        let unreadable = |source| LoadError::Unreadable {
            path: path.to_owned(),
            source,
        };
        let text = std::fs::read_to_string(path).map_err(unreadable)?;
        let manifest = Manifest::parse(&text).map_err(|source| LoadError::Manifest {
            path: path.to_owned(),
            source,
        })?;
        let folder = path.canonicalize().map_err(unreadable)?;
        let folder = folder.parent().unwrap_or(Path::new("/")).to_owned();
        let root = |(index, root): (usize, &String)| {
            folder
                .join(root)
                .canonicalize()
                .and_then(|root| root.read_dir().map(|_| root))
                .map_err(|source| LoadError::Root {
                    path: path.to_owned(),
                    index,
                    source,
                })
        };
        let roots = manifest
            .roots
            .iter()
            .enumerate()
            .map(root)
            .collect::<Result<_, _>>()?;
        Ok(Self {
            manifest,
            folder,
            roots,
        })
    }

    /// Gives it one document and waits for what it writes until it ends. `scratch`: the only folder that it may write to, its
    /// working folder.
    ///
    /// # Errors
    /// [`Silence`]; nothing of the program runs any more then.
    pub fn ask(&self, document: &[u8], scratch: &Path) -> Result<Answer, Silence> {
        let begun = Instant::now();
        let mut running = Running(self.command(scratch).spawn().map_err(Silence::Start)?);
        let Running(child) = &mut running;
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let document = document.to_vec();
        // Both ends at once: a program that answers before it has read everything would wait for us as we wait for it. What it
        // does not read is not its fault; the threads end with the pipes.
        thread::spawn(move || stdin.map(|mut pipe| pipe.write_all(&document)));
        let name = self.manifest.name.clone();
        thread::spawn(move || stderr.map(|pipe| log(&name, pipe)));
        let (tell, told) = mpsc::channel();
        thread::spawn(move || {
            let mut bytes = Vec::new();
            let most = MAX_MESSAGE_BYTES as u64 + 1;
            let read = stdout.map_or(Ok(0), |pipe| pipe.take(most).read_to_end(&mut bytes));
            // Nobody listens any more when the time is over.
            let _ = tell.send(read.map(|_| bytes));
        });
        let limit = Duration::from_secs(u64::from(self.manifest.limits.wall_s));
        let late = || Silence::Late(self.manifest.limits.wall_s);
        let bytes = told
            .recv_timeout(limit)
            .map_err(|_| late())?
            .map_err(Silence::Start)?;
        if bytes.len() > MAX_MESSAGE_BYTES {
            return Err(Silence::TooMuch);
        }
        let status = running.ended(begun + limit).ok_or_else(late)?;
        if !status.success() {
            let how = status.code().map(|code| format!("exit code {code}"));
            let how = how.or_else(|| status.signal().map(|signal| format!("signal {signal}")));
            return Err(Silence::Failed(how.unwrap_or_default()));
        }
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return Err(Silence::Nothing);
        }
        Ok(Answer {
            bytes,
            took: begun.elapsed(),
        })
    }

    fn command(&self, scratch: &Path) -> Command {
        let manifest = &self.manifest;
        let mut command = Command::new(Program::default().0);
        command.arg0("aura").args(["worker", "exec"]);
        let limits = manifest.limits;
        command.args(["--memory", &limits.memory_mib.to_string()]);
        command.args(["--cpu", &limits.cpu_s.to_string()]);
        for path in std::iter::once(&self.folder).chain(&self.roots) {
            command.arg("--read").arg(path);
        }
        command.arg("--write").arg(scratch);
        if manifest.network {
            command.arg("--network");
        }
        for name in &manifest.env {
            if let Ok(value) = env::var(name) {
                command.args(["--env", &format!("{name}={value}")]);
            }
        }
        command.arg("--").args(self.words());
        command
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        command
    }

    /// The command line: the program, and those of its arguments that name files beside the manifest, from where they are.
    fn words(&self) -> Vec<PathBuf> {
        let beside = |index: usize, word: &String| {
            let there = self.folder.join(word);
            // A program by its bare name is the system's.
            let own = if index == 0 {
                word.contains('/')
            } else {
                there.is_file()
            };
            if own { there } else { PathBuf::from(word) }
        };
        let words = self.manifest.command.iter().enumerate();
        words.map(|(index, word)| beside(index, word)).collect()
    }
}

/// A program that runs. Dropping it ends it and all that it started.
struct Running(Child);

impl Running {
    /// Waits until it has ended; `None`: it has not by then.
    fn ended(&mut self, until: Instant) -> Option<std::process::ExitStatus> {
        loop {
            // Its output is closed, so it has ended or is about to; what it started may hold on.
            if let Ok(Some(status)) = self.0.try_wait() {
                return Some(status);
            }
            if Instant::now() >= until {
                return None;
            }
            thread::park_timeout(Duration::from_millis(1));
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(pid) = i32::try_from(self.0.id()).ok().and_then(Pid::from_raw) {
            // The group also when the program itself has ended: what it started goes with it.
            let _ = kill_process_group(pid, Signal::KILL);
        }
        let _ = self.0.wait();
    }
}

/// Logs what it says to its owner, in lines of bounded length and number.
fn log(name: &str, mut pipe: impl Read) {
    let (mut lines, mut bytes) = (Lines::default(), [0; 4096]);
    while let Ok(count @ 1..) = pipe.read(&mut bytes) {
        for line in lines.push(bytes.get(..count).unwrap_or_default()) {
            tracing::info!(agent = name, ?line, "a program says");
        }
    }
    if let Some(line) = lines.end() {
        tracing::info!(agent = name, ?line, "a program says");
    }
}
