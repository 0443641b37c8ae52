//! What a project holds: agents and workflows.
//!
//! What: [`ProjectFolder`], a folder with `agents.d/*.toml` and `workflows/*.toml`. Why: commands name both by their names alone. Not here:
//! what a workflow is (`orchestrator_machine::workflow::definition`), what a manifest is (`programs`).

use super::WorkflowError;
use crate::{programs::ProgramAgent, text_file::read_bounded_text};
use orchestrator_machine::workflow::definition::{self, ParsedWorkflow, WorkflowDiagnostic};
use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};
use toolcall_schema::protocol::{TaskType, manifest::ProgramManifest};

/// A project's folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectFolder {
    folder: PathBuf,
}

impl ProjectFolder {
    /// Finds it.
    ///
    /// # Errors
    /// `WORKFLOW-006` when it is no folder.
    pub fn open(folder: &Path) -> Result<Self, WorkflowError> {
        let wrong = |source| WorkflowError::Project {
            path: folder.to_owned(),
            what: "must be a project's folder, with agents.d in it: use --project DIR",
            source,
        };
        let folder = folder.canonicalize().map_err(|error| wrong(Some(error)))?;
        if !folder.is_dir() {
            return Err(wrong(None));
        }
        Ok(Self { folder })
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Its agents by name. A project without `agents.d` has none.
    ///
    /// # Errors
    /// A manifest that cannot be taken up; `WORKFLOW-006` when two have the same name.
    pub fn agents(&self) -> Result<BTreeMap<String, ProgramAgent>, WorkflowError> {
        let mut agents = BTreeMap::new();
        for path in tomls(&self.folder.join("agents.d"))? {
            let agent = ProgramAgent::load(&path)?;
            if agents.insert(agent.manifest.name.clone(), agent).is_some() {
                return Err(WorkflowError::Project {
                    path,
                    what: "has the name of another manifest: give it a name of its own",
                    source: None,
                });
            }
        }
        Ok(agents)
    }

    /// The files of its workflows, by name.
    ///
    /// # Errors
    /// `WORKFLOW-006` when the folder cannot be read.
    pub fn workflows(&self) -> Result<Vec<PathBuf>, WorkflowError> {
        tomls(&self.folder.join("workflows"))
    }

    /// The file of a workflow, by its name or its path.
    pub fn workflow(&self, name: &str) -> PathBuf {
        if definition::is_name(name) {
            self.folder.join("workflows").join(format!("{name}.toml"))
        } else {
            PathBuf::from(name)
        }
    }

    /// Reads a workflow and holds it against the agents.
    ///
    /// # Errors
    /// `WORKFLOW-006` when the file cannot be read. What is wrong with it are findings.
    pub fn read(
        &self,
        path: &Path,
        agents: &BTreeMap<String, ProgramAgent>,
    ) -> Result<Result<ParsedWorkflow, Vec<WorkflowDiagnostic>>, WorkflowError> {
        let text =
            read_bounded_text(path, definition::FILE_MAX_BYTES).map_err(|error| WorkflowError::Project {
                path: path.to_owned(),
                what: "cannot be read: `aura workflow list` says which workflows there are",
                source: Some(error),
            })?;
        let manifests: Vec<ProgramManifest> = agents.values().map(|agent| agent.manifest.clone()).collect();
        Ok(definition::parse_workflow(&text).and_then(|parsed| {
            let findings = parsed.check(&manifests);
            if findings.is_empty() {
                Ok(parsed)
            } else {
                Err(findings)
            }
        }))
    }
}

/// The agent that serves a task type: the one that is named, else the first by name.
pub fn serving<'a>(
    agents: &'a BTreeMap<String, ProgramAgent>,
    named: Option<&str>,
    task: TaskType,
) -> Option<&'a ProgramAgent> {
    agents
        .values()
        .filter(|agent| named.is_none_or(|name| agent.manifest.name == name))
        .find(|agent| agent.manifest.task_types.contains(&task))
}

/// The files that end so, sorted; none when there is no such folder.
fn tomls(folder: &Path) -> Result<Vec<PathBuf>, WorkflowError> {
    let unreadable = |error| WorkflowError::Project {
        path: folder.to_owned(),
        what: "cannot be read",
        source: Some(error),
    };
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(vec![]),
        Err(error) => return Err(unreadable(error)),
    };
    let mut paths = entries
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<Vec<_>, _>>()
        .map_err(unreadable)?;
    paths.retain(|path| path.extension().is_some_and(|end| end == "toml") && path.is_file());
    paths.sort();
    Ok(paths)
}
