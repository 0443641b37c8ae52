//! What every agent's kept state can do.

use serde::{Serialize, de::DeserializeOwned};
use toolcall_schema::{AgentName, forget::ErasureScope};

/// A state that an agent keeps from one start to the next.
pub(crate) trait KeptState: Serialize + DeserializeOwned {
    const AGENT: AgentName;

    /// Removes what the owner wants forgotten.
    fn forget(&mut self, what: &ErasureScope);

    /// Removes the record of how far files were read.
    fn clear_read_marks(&mut self);
}
