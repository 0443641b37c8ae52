//! What Aura finds when it looks after itself.
//!
//! What: [`DoctorBackend`], and what crosses it. Why: what is wrong is named where its remedy is. Not here: looking (the command `aura doctor`), sentences
//! (`words`).

use super::{BackendError, BackendFuture};
use serde::{Deserialize, Serialize};

/// What looking after itself needs from the rest of Aura.
pub trait DoctorBackend: Send + Sync + 'static {
    /// Looks; nothing is changed. `None`: not on this folder.
    fn look_after(&self) -> BackendFuture<Result<Option<Vec<DoctorCheck>>, BackendError>>;
}

/// One check, as `aura doctor` names it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct DoctorCheck {
    /// `source`, `space`, …
    pub name: String,
    pub level: DoctorLevel,
    /// What was found, for who knows the program.
    pub what: String,
}

/// How bad a finding is; the worst one decides how `aura doctor` exits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DoctorLevel {
    Ok,
    Warn,
    Bad,
}
