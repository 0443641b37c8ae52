//! A few figures of one moment.
//!
//! What: [`ServiceSample`], taken once a minute while the pages are served. Why: a figure without its last hour says little. Not here: keeping
//! the hour (`web::recent_figures`), the whole of the figures (`/metrics`).

use toolcall_schema::Timestamp;

/// The service at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceSample {
    /// When (wall clock).
    pub at: Timestamp,
    /// The owner's time zone, an IANA name.
    pub zone: String,
    /// Ticks begun since the folder was made.
    pub ticks: u64,
    /// Messages and triggers that wait.
    pub waiting: u64,
    /// Calls and results that the gate refused since the start.
    pub refused: u64,
    /// What the service holds in memory, in KiB; absent where the kernel does not say.
    pub memory_kib: Option<u64>,
}
