//! What is written of a workflow's run.
//!
//! What: [`RunWrite`], an event or whether the run goes on. Why: rows and the journals of runs both know it, and know nothing of one another. Not here:
//! doing it, and reading it (`workflows`).

/// Where a run stands, said with each event so that lists need not read journals. What the journal says counts.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunSummary {
    /// The run's id.
    pub run: String,
    /// The workflow's name.
    pub workflow: String,
    /// What it works on.
    pub feature: Option<String>,
    /// In one word.
    pub phase: String,
    /// Until when its question can be answered, milliseconds since 1970 UTC; only of a run that waits.
    pub until_ms: Option<i64>,
    /// When it began.
    pub started_ms: i64,
    /// When something happened last.
    pub last_ms: i64,
}

/// What is written of a run.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum RunWrite {
    /// One event, and where the run stands after it.
    Append {
        /// Its number.
        n: u64,
        /// The event.
        json: String,
        /// Where the run stands then.
        summary: RunSummary,
    },
    /// Whether the next service takes a run up.
    GoesOn {
        /// Its id.
        run: String,
        goes_on: bool,
    },
}
