//! The language models that a page gets, chooses, tries and removes.
//!
//! What: [`ModelBackend`], and what crosses it. Why: a model is a large file from elsewhere: its size is said before, and how far it is meanwhile. Not here:
//! files, downloads and trials (the backend), sentences (`words`).

use super::{BackendError, BackendFuture};
use serde::{Deserialize, Serialize};
use toolcall_schema::ModelFileStatus;

/// What the page needs from the rest of Aura.
pub trait ModelBackend: Send + Sync + 'static {
    /// What there is; `None`: not on this folder.
    fn models(&self) -> BackendFuture<Result<Option<ModelsView>, BackendError>>;

    /// Does something with one, or begins to. One thing at a time: what is under way goes on instead.
    fn act_on_model(&self, act: ModelAct) -> BackendFuture<Result<Option<ModelsView>, BackendError>>;
}

/// What the owner wants with a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "act", content = "name", rename_all = "snake_case", deny_unknown_fields)]
pub enum ModelAct {
    Get(String),
    Use(String),
    Try(String),
    Remove(String),
    UseNone,
}

/// The models that are known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelsView {
    pub models: Vec<ModelView>,
    /// Which of them is asked; `None`: none is.
    pub chosen: Option<String>,
    /// What is under way, or came of it last.
    pub work: Option<ModelWork>,
}

/// A model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelView {
    pub name: String,
    pub bytes: u64,
    pub licence: String,
    /// Where it comes from.
    pub origin: String,
    pub file: ModelFileStatus,
}

/// Something that takes a while.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelWork {
    pub name: String,
    pub stage: ModelStage,
}

/// How far it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelStage {
    /// Bytes so far of all.
    Getting(u64, u64),
    Trying,
    Got,
    /// Milliseconds of loading, and until the answer.
    Tried(u32, u32),
    /// It did not work, and why, for who knows the program.
    Failed(String),
    /// It is asked now, so it stays.
    InUse,
    Removed,
}

impl ModelStage {
    /// Whether it goes on.
    pub fn is_running(&self) -> bool {
        matches!(self, ModelStage::Getting(..) | ModelStage::Trying)
    }
}
