//! Having more read, and bringing an export back.
//!
//! What: the owner's sources and further files read to their end by the agents, and sources that are read from now on; the look at an export before the machine ends for it. Not
//! here: reading (`agents`), taking an export in (`aura_memory::export`).

use super::{ServiceControlHandler, accounts::settings_changed, error_text, refused};
use crate::{
    control::{ControlReply, ProgressSender, RequestProgress},
    reading::{self, ReadingError},
    removing::{RemovalError, blocking},
    settings::source_ref,
};
use agents::contract::{AgentSetup, SourcePaths};
use aura_memory::export::{self, ImportError};
use aura_platform::health::ReadProgress;
use std::{
    collections::BTreeMap,
    fs::File,
    path::{Path, PathBuf},
};
use surfaces_base::{
    backend::{BackendError, settings::HomeFileChange},
    language::{say, text},
};
use toolcall_schema::{AgentName, SourceKind};

/// Opens an export that is to be brought back. It is read twice, so it is a regular file.
///
/// # Errors
/// [`RemovalError::Failed`]
pub(crate) fn open_export(path: &Path) -> Result<File, RemovalError> {
    let failed = |why: String| {
        let path = path.display().to_string();
        RemovalError::Failed(say!("control-file-not-read", path, why))
    };
    match std::fs::metadata(path) {
        Ok(meta) if meta.is_file() => File::open(path).map_err(|error| failed(error.to_string())),
        Ok(_) => Err(failed(text("control-no-regular-file").to_owned())),
        Err(error) => Err(failed(error.to_string())),
    }
}

impl From<ImportError> for RemovalError {
    fn from(error: ImportError) -> Self {
        if let ImportError::Store(error) = error {
            error.into()
        } else {
            RemovalError::Failed(error.to_string())
        }
    }
}

impl ServiceControlHandler {
    /// Has the sources read to their end, and more files this once. `again`: from their beginning, those of one agent or all.
    pub(super) async fn import(
        &self,
        more: Vec<(SourceKind, PathBuf)>,
        (again, only): (bool, Option<AgentName>),
        say: &ProgressSender,
    ) -> Result<ControlReply, RemovalError> {
        let mut sources = self.setup.sources.clone();
        for (kind, path) in more {
            if path.starts_with(self.store.vault().dir()) {
                let path = path.display().to_string();
                return Err(RemovalError::Failed(say!("control-in-data-folder", path)));
            }
            sources.list_mut(kind).push(path);
        }
        let before = if again {
            self.removing.read_again(only, say).await?
        } else {
            self.backend.look().await?.health
        };
        // One after the other: an agent is given the files of one import.
        let _turn = self.removing.turn(say).await?;
        let differ = |agent: &AgentName| sources.only_for(*agent) != self.setup.sources.only_for(*agent);
        let agents: Vec<AgentName> = AgentName::FOUR.into_iter().filter(differ).collect();
        let mut read = Ok(());
        for agent in &agents {
            read = read.and(self.give(*agent, &sources).await);
        }
        if read.is_ok() {
            let mut tell = |readings: &BTreeMap<AgentName, ReadProgress>| {
                say.progress(RequestProgress::Reading(readings.clone()));
            };
            let done = reading::to_the_end(&self.backend, &mut tell).await;
            read = done.map(drop).map_err(|error| match error {
                // Its process is started again meanwhile.
                ReadingError::Silent { agent } => {
                    RemovalError::Busy(say!("control-agent-silent", agent = agent.as_str()))
                }
                ReadingError::Backend(error) => RemovalError::from(error),
            });
        }
        for agent in &agents {
            read = read.and(self.give(*agent, &self.setup.sources).await);
        }
        read?;
        let health = self.backend.look().await?.health;
        Ok(ControlReply::Imported(Box::new(health.read_since(&before))))
    }

    /// Adds sources to the owner's file, and has the service take it up.
    pub(super) async fn allow(
        &self,
        sources: &[(SourceKind, PathBuf)],
    ) -> Result<ControlReply, BackendError> {
        let Some(editor) = &self.backend.settings else {
            return Ok(refused(text("control-no-file-of-owner")));
        };
        let shown = match editor.view() {
            Ok(view) => view.shown,
            Err(error) => return Ok(ControlReply::Config(error_text(&error))),
        };
        let allow = sources.iter().filter_map(|(kind, path)| source_ref(*kind, path));
        let change = HomeFileChange {
            shown,
            allow: allow.collect(),
            ..HomeFileChange::default()
        };
        let at = self.backend.clock.wall();
        let changed = editor.change(change, &[], at, true).await;
        settings_changed(changed, ControlReply::Allowed)
    }

    /// Looks whether the file is a raw export, then waits until the machine can end for a while.
    pub(super) async fn room_for_import(
        &self,
        file: PathBuf,
        say: &ProgressSender,
    ) -> Result<(), RemovalError> {
        blocking(move || Ok(export::check(open_export(&file)?)?)).await?;
        self.removing.make_room(say).await
    }

    /// Gives an agent what it is to read.
    async fn give(&self, agent: AgentName, sources: &SourcePaths) -> Result<(), RemovalError> {
        let setup = AgentSetup {
            sources: sources.only_for(agent),
            ..self.setup.clone()
        };
        let given = self.backend.agents.set_up(agent, setup).await;
        given.map_err(|_| RemovalError::Busy(say!("control-agent-down", agent = agent.as_str())))
    }
}
