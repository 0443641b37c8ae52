//! What pages ask of the store again and again, worked out once for each change.
//!
//! What: [`StoreResults`]. Why: a week's decisions are parsed, all that is kept counted and the slowest ticks sorted only when something new is kept. Each look is
//! recorded all the same. Not here: working them out (`week`, `owner`, `ops`).

use aura_memory::{ContentCounts, ContentVersion, graph::GraphStats};
use chrono::NaiveDate;
use chrono_tz::Tz;
use std::sync::Arc;
use surfaces_base::backend::{
    KeptBody, KeptMoney,
    console::{TraceFilter, TracePage},
    last_result::LastResult,
};
use toolcall_schema::trace::Trace;

/// The last seven days, as memory keeps them.
#[derive(Debug)]
pub(super) struct KeptWeek {
    /// Newest first.
    pub(super) traces: Arc<[Trace]>,
    pub(super) money: KeptMoney,
    pub(super) body: KeptBody,
}

/// Results by the version of what is kept.
#[derive(Debug, Default)]
pub struct StoreResults {
    /// Of a local day in the owner's zone.
    pub(super) week: LastResult<(ContentVersion, NaiveDate, Tz), KeptWeek>,
    pub(super) stats: LastResult<ContentVersion, (GraphStats, ContentCounts)>,
    /// How many payments.
    pub(super) payments: LastResult<ContentVersion, u64>,
    pub(super) slowest: LastResult<(ContentVersion, TraceFilter), TracePage>,
}
