//! Programs of the owner's that are agents.
//!
//! What: [`ProgramAgent`], a manifest with its folders, and `Place`, where one is started; asking one is [`host`], writing what one answers
//! [`feature`]. Why: an agent can be written in any language and is trusted in none. Not here: the messages
//! (`toolcall_schema::protocol`), which agent is asked what and when (`workflow`), the sandbox (`aura worker exec`).

mod bounds;
pub mod check;
mod ending;
pub mod feature;
pub mod host;
mod network;
mod oneshot;
mod persistent;
mod refusal;
mod rules;
mod running;

pub use host::{AskTerms, HostAnswer, ProgramHost};
pub use network::ConnectionRecorder;

use crate::text_file::read_bounded_text;
use aura_process::{WorkerProgram, sandbox::limits::owners_umask};
use running::ProcessGroups;
use std::{
    collections::BTreeSet,
    env, io,
    os::unix::process::CommandExt as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};
use toolcall_schema::protocol::manifest::{
    MANIFEST_MAX_BYTES, NetworkReach, ProgramManifest, ProgramManifestError,
};

/// A program that is an agent, and where it lives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramAgent {
    /// What its owner says of it.
    pub manifest: ProgramManifest,
    /// The manifest's own folder, from which its paths go.
    pub folder: PathBuf,
    /// Folders that it may read: those in which the paths that it is given must lie.
    pub roots: Vec<PathBuf>,
}

/// A manifest that cannot be taken up.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// It cannot be read.
    #[error("PROGRAM-001: {path} cannot be read", path = path.display())]
    Unreadable {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    /// It is no manifest.
    #[error("{path}: {source}", path = path.display())]
    Manifest {
        path: PathBuf,
        #[source]
        source: ProgramManifestError,
    },
    /// One of its roots is no folder.
    #[error("PROGRAM-001: {path}: roots[{index}] must be a folder that is there", path = path.display())]
    Root {
        /// Which manifest.
        path: PathBuf,
        /// Which root, from 0.
        index: usize,
        #[source]
        source: io::Error,
    },
}

impl ProgramAgent {
    /// Reads a manifest, and finds its folders.
    ///
    /// # Errors
    /// [`LoadError`], `PROGRAM-001`.
    pub fn load(path: &Path) -> Result<Self, LoadError> {
        let unreadable = |source| LoadError::Unreadable {
            path: path.to_owned(),
            source,
        };
        let text = read_bounded_text(path, MANIFEST_MAX_BYTES).map_err(unreadable)?;
        let manifest = ProgramManifest::parse(&text).map_err(|source| LoadError::Manifest {
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

    /// The command that becomes the program, in its sandbox and within its limits. It dies with the thread that starts it.
    fn command(&self, place: &LaunchContext<'_>) -> Command {
        let manifest = &self.manifest;
        let mut command = Command::new(&place.program.0);
        command.arg0("aura").args(["worker", "exec"]);
        command.args(["--parent", &std::process::id().to_string()]);
        let limits = manifest.limits;
        command.args(["--memory", &limits.memory_mib.to_string()]);
        command.args(["--cpu", &limits.cpu_s.to_string()]);
        if let Some(umask) = owners_umask() {
            command.args(["--umask", &format!("{umask:03o}")]);
        }
        for path in self.readable() {
            command.arg("--read").arg(path);
        }
        command.arg("--folder").arg(place.project);
        command.arg("--write").arg(place.scratch);
        match &manifest.network {
            NetworkReach::All(false) => {}
            NetworkReach::All(true) => {
                command.arg("--network");
            }
            NetworkReach::Hosts(_) => {
                command.arg("--own-network");
            }
        }
        command.env_clear();
        for name in &manifest.env {
            if let Some(value) = env::var_os(name) {
                // Its value never stands on a command line, which everybody on the machine can read.
                command.args(["--env", name]).env(name, value);
            }
        }
        command.arg("--").args(self.words());
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Its roots, its manifest's folder, and the folders of the files that its command names. Of what stands beside this program only itself.
    fn readable(&self) -> BTreeSet<PathBuf> {
        let (words, shipped) = (self.words(), self.shipped());
        let files = words.iter().filter(|word| word.is_absolute() && word.is_file());
        let own = files.filter(|file| Some(*file) != shipped.as_ref());
        let folders = own.filter_map(|file| file.parent().map(Path::to_owned));
        folders
            .chain([self.folder.clone()])
            .chain(self.roots.iter().cloned())
            .chain(shipped.clone())
            .collect()
    }

    /// A program that comes with Aura: its bare name stands beside this program.
    fn shipped(&self) -> Option<PathBuf> {
        let name = self.manifest.command.first().filter(|word| !word.contains('/'))?;
        let there = env::current_exe().ok()?.parent()?.join(name);
        there.is_file().then_some(there)
    }

    /// The command line: the program, and those of its arguments that name files beside the manifest, from where they are.
    fn words(&self) -> Vec<PathBuf> {
        let beside = |index: usize, word: &String| {
            let there = self.folder.join(word);
            // A program by its bare name comes with Aura, or is the system's.
            let own = if index == 0 {
                word.contains('/')
            } else {
                there.is_file()
            };
            let shipped = (index == 0).then(|| self.shipped()).flatten();
            let other = || shipped.unwrap_or_else(|| PathBuf::from(word));
            if own { there } else { other() }
        };
        let words = self.manifest.command.iter().enumerate();
        words.map(|(index, word)| beside(index, word)).collect()
    }
}

/// Where a program is started.
struct LaunchContext<'a> {
    /// This very program, which becomes the agent's.
    program: &'a WorkerProgram,
    /// Its working folder. Of that it may read its roots.
    project: &'a Path,
    /// The one folder that it may write to: `HOME` and `TMPDIR`.
    scratch: &'a Path,
    /// Those that run.
    groups: &'a ProcessGroups,
    /// Told of their connections.
    record: &'a ConnectionRecorder,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsStr;

    #[test]
    fn values_of_variables_are_on_no_command_line() {
        let dir = tempfile::tempdir().unwrap();
        let manifest = dir.path().join("agent.toml");
        // The one variable that every test has, and one that none has.
        let text = "name = \"tried\"\nprotocol = \"envelope\"\nskills = [\"agent-protocol\"]\n\
                    command = [\"sh\"]\nactions = [\"try\"]\nenv = [\"PATH\", \"AURA_NOT_THERE\"]\n";
        std::fs::write(&manifest, text).unwrap();
        let place = LaunchContext {
            program: &WorkerProgram::default(),
            project: dir.path(),
            scratch: dir.path(),
            groups: &ProcessGroups::default(),
            record: &network::no_recorder(),
        };
        let command = ProgramAgent::load(&manifest).unwrap().command(&place);
        let value = env::var_os("PATH").unwrap();
        let args: Vec<&OsStr> = command.get_args().collect();
        let at = args.iter().position(|arg| *arg == "--env").unwrap();
        assert_eq!(args[at + 1], "PATH");
        let value_text = value.to_str().unwrap();
        assert!(!args.iter().any(|arg| arg.to_str().unwrap().contains(value_text)));
        assert_eq!(args.iter().filter(|arg| **arg == "--env").count(), 1);
        let given: Vec<_> = command.get_envs().collect();
        assert_eq!(given, [(OsStr::new("PATH"), Some(value.as_os_str()))]);
    }
}
