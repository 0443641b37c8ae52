//! What the owner says about accounts and statements.
//!
//! What: [`Preferences`], the table `[finance]` of the owner's file. Why: every default can be the owner's own. Not here: reading
//! the file (`orchestrator`).

use serde::{Deserialize, Serialize};

/// The owner's wishes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Preferences {}
