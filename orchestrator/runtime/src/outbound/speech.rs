//! The earbud: one sentence aloud.
//!
//! What: finds the owner's speech program and has it say what the machine announces. Why: a child process without a shell, with its
//! text on standard input and a deadline, can hang or die and costs a sentence. Not here: whether anything is said (the machine), the
//! words (`surfaces_base::words`).

use super::{OutboundTimeouts, SpeechConfig};
use crate::backend::ServiceBackend;
use aura_process::ChildProcess;
use std::sync::Arc;
use std::{
    env,
    ffi::{OsStr, OsString},
    os::fd::OwnedFd,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Duration,
};
use surfaces_base::{language::Language, locale, words};
use tokio::{
    io::AsyncWriteExt,
    net::unix::pipe,
    sync::{broadcast::error::RecvError, watch},
    time::timeout,
};

/// What a speech program may see of our environment: what it needs to find the sound.
const ENVIRONMENT: [&str; 7] = [
    "PATH",
    "HOME",
    "LANG",
    "XDG_RUNTIME_DIR",
    "PULSE_SERVER",
    "PIPEWIRE_REMOTE",
    "ALSA_CONFIG_PATH",
];

/// Why nothing can be said.
#[derive(Debug, thiserror::Error)]
pub enum SpeechError {
    /// A program or the voice is not there.
    #[error("{what} is not here; install it, name another under [speech], or set enabled = false")]
    Missing { what: String },
    /// The program could not be started or talked to.
    #[error("the speech program cannot be used")]
    Io(#[from] std::io::Error),
    /// It ended with an error.
    #[error("the speech program failed")]
    Failed,
    /// It was killed.
    #[error("the speech program did not end in time and was killed")]
    Hangs,
}

/// A speech program that is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SpeechEngine {
    /// Speaks by itself.
    Espeak {
        /// Its path.
        program: PathBuf,
    },
    /// Writes a sound file that a player plays.
    Piper {
        /// Its path.
        program: PathBuf,
        /// The voice's file.
        voice: PathBuf,
        /// The player's path.
        player: PathBuf,
    },
}

impl SpeechConfig {
    /// The program that is meant, when it is there.
    ///
    /// # Errors
    /// [`SpeechError::Missing`]
    pub fn engine(&self) -> Result<SpeechEngine, SpeechError> {
        let named = |named: &Option<PathBuf>, names: [&str; 2]| {
            let names = named
                .as_ref()
                .map_or_else(|| names.map(PathBuf::from).to_vec(), |one| vec![one.clone()]);
            let first = names
                .first()
                .map(|name| name.display().to_string())
                .unwrap_or_default();
            let found = names.iter().find_map(|name| find(name));
            found.ok_or(SpeechError::Missing { what: first })
        };
        let Some(voice) = &self.voice else {
            let program = named(&self.program, ["espeak-ng", "espeak-ng"])?;
            return Ok(SpeechEngine::Espeak { program });
        };
        if !voice.is_file() {
            let what = voice.display().to_string();
            return Err(SpeechError::Missing { what });
        }
        Ok(SpeechEngine::Piper {
            program: named(&self.program, ["piper", "piper"])?,
            voice: voice.clone(),
            player: named(&self.player, ["pw-play", "aplay"])?,
        })
    }
}

/// A program by path, or by name in the folders of `PATH`.
fn find(name: &Path) -> Option<PathBuf> {
    if name.components().count() > 1 {
        return name.is_file().then(|| name.to_owned());
    }
    let path = env::var_os("PATH")?;
    env::split_paths(&path)
        .map(|dir| dir.join(name))
        .find(|file| file.is_file())
}

impl SpeechEngine {
    /// Says a sentence; ends when it was said, failed, or was killed after `at_most`.
    ///
    /// # Errors
    /// [`SpeechError`]
    pub async fn say(
        &self,
        (language, sentence): (Language, &str),
        at_most: Duration,
    ) -> Result<(), SpeechError> {
        match self {
            SpeechEngine::Espeak { program } => {
                run(
                    program,
                    &["-v", language.tag(), "--stdin"].map(OsStr::new),
                    sentence,
                    at_most,
                )
                .await
            }
            SpeechEngine::Piper {
                program,
                voice,
                player,
            } => {
                let folder = tempfile::tempdir()?;
                let file: OsString = folder.path().join("sentence.wav").into();
                let write = [OsStr::new("-m"), voice.as_os_str(), OsStr::new("-f"), &file];
                run(program, &write, sentence, at_most).await?;
                run(player, &[&file], "", at_most).await
            }
        }
    }
}

/// Runs a program to its end, or to ours.
async fn run(program: &Path, args: &[&OsStr], text: &str, at_most: Duration) -> Result<(), SpeechError> {
    let kept = ENVIRONMENT
        .iter()
        .filter_map(|name| Some((name, env::var_os(name)?)));
    let mut command = Command::new(program);
    command
        .args(args)
        .env_clear()
        .envs(kept)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut child = ChildProcess::spawn(&mut command)?;
    if let Ok(ended) = timeout(at_most, tell(&mut child, text)).await {
        return ended;
    }
    // Waited for, so that there are never two.
    child.end_async().await;
    Err(SpeechError::Hangs)
}

async fn tell(child: &mut ChildProcess, text: &str) -> Result<(), SpeechError> {
    if let Some(stdin) = child.take_stdin() {
        let mut stdin = pipe::Sender::from_owned_fd(OwnedFd::from(stdin))?;
        // Whoever needs no text may have closed it: what counts is how it ends.
        let _ = stdin.write_all(text.as_bytes()).await;
    }
    if child.wait_async().await?.success() {
        Ok(())
    } else {
        Err(SpeechError::Failed)
    }
}

/// Says what is announced, one sentence at a time, until told to stop.
pub(super) fn start(
    engine: SpeechEngine,
    patience: OutboundTimeouts,
    backend: &ServiceBackend,
    mut stopped: watch::Receiver<bool>,
) {
    let (mut announced, health) = (backend.announced.subscribe(), backend.outbound.clone());
    let setting = Arc::clone(&backend.locale);
    actix::spawn(async move {
        loop {
            let kind = tokio::select! {
                _ = stopped.wait_for(|stop| *stop) => return,
                kind = announced.recv() => kind,
            };
            let kind = match kind {
                Ok(kind) => kind,
                Err(RecvError::Lagged(_)) => {
                    health.count("speech", "dropped");
                    continue;
                }
                Err(RecvError::Closed) => return,
            };
            let locale = setting.for_notices();
            let sentence = locale::speaking(locale, || words::earbud(kind));
            let said = tokio::select! {
                _ = stopped.wait_for(|stop| *stop) => return,
                said = engine.say((locale.language, &sentence), patience.speech) => said,
            };
            health.speech(said.is_err());
            health.count("speech", if said.is_ok() { "done" } else { "failed" });
            if let Err(error) = said {
                tracing::warn!(%error, "a sentence was not said");
            }
        }
    });
}
