//! What was decided, as the store has it.
//!
//! What: the decisions of today, one of them, and one that is decided once more under another moment. Why: a page reads what is on disk and never waits for the
//! machine's turn. Not here: how the machine decides again (`crate::whatif`), pictures of a week (`week`).

use super::{ServiceBackend, blocking, read, read_unfolded};
use crate::{actors::orchestrator::LastTick, journal::JournalReplay, whatif};
use aura_memory::audit::{AuditSubject, Kind};
use std::time::{Duration, Instant};
use surfaces_base::backend::{BackendError, DecidedAgain};
use toolcall_schema::{Timestamp, ids::TraceId, trace::Trace, whatif::ImaginedMoment};

/// How long a moment that is decided once more may be looked for; the page waits 10 s.
const DECIDE_AGAIN: Duration = Duration::from_secs(8);

/// Reads a stored trace. Never on a thread of the actors: a page may want more than a thousand, and the machine would wait for it.
pub(super) fn trace_of(json: &str) -> Option<Trace> {
    debug_assert!(
        actix::Arbiter::try_current().is_none(),
        "a trace is parsed on a thread of the actors"
    );
    serde_json::from_str(json)
        .inspect_err(|error| tracing::error!(%error, "a stored trace cannot be read"))
        .ok()
}

impl ServiceBackend {
    /// What the newest stored trace says: after a start, and after a removal.
    pub(super) async fn stored_last_tick(&self) -> Option<LastTick> {
        let last = read_unfolded(self.readers.clone(), |reader| {
            let rows = reader.traces(1, None)?;
            Ok(rows.first().and_then(|row| trace_of(&row.json)))
        });
        Some(LastTick::from_trace(&last.await.ok()??))
    }

    /// At most so many of the newest, of the ledger's day.
    pub(super) async fn decisions_of_today(&self, limit: usize) -> Result<Vec<Trace>, BackendError> {
        self.shows(AuditSubject::all_of(Kind::Traces)).await?;
        let look = self.look().await?;
        let today = look.state.ledger.view().day;
        // A day more, for whoever crossed a zone.
        let since = surfaces_base::format::midnight(today, look.env.settings.zone).plus_min(-24 * 60);
        read_unfolded(self.readers.clone(), move |reader| {
            let Some((first, _)) = reader.ticks_between(since, Timestamp::from_ms(i64::MAX))? else {
                return Ok(Vec::new());
            };
            let rows = reader.traces_and_calls_from(limit, None, first)?;
            let traces = rows.iter().filter_map(|row| trace_of(&row.json));
            Ok(traces
                .filter(|trace| trace.decision.ledger_before.day == today)
                .collect())
        })
        .await
    }

    /// Whether there is one of before that instant; nothing of it is told.
    pub(super) async fn has_decided_before(&self, before: Timestamp) -> Result<bool, BackendError> {
        read_unfolded(self.readers.clone(), move |reader| {
            reader.has_decided_before(before)
        })
        .await
    }

    pub(super) async fn stored_decision(&self, id: TraceId) -> Result<Option<Trace>, BackendError> {
        self.shows(AuditSubject::one(Kind::Trace, id.as_str())).await?;
        read(self.readers.clone(), move |reader| {
            Ok(reader.trace(&id)?.and_then(|row| trace_of(&row.json)))
        })
        .await
    }

    pub(super) async fn decided_again(
        &self,
        id: TraceId,
        at: Timestamp,
        otherwise: ImaginedMoment,
    ) -> Result<DecidedAgain, BackendError> {
        self.shows(AuditSubject::one(Kind::Trace, id.as_str())).await?;
        let vault = self.vault.clone();
        blocking(move || {
            let until = Instant::now() + DECIDE_AGAIN;
            let journal = JournalReplay::open(&vault, None)?;
            whatif::moment(journal, &id, at, otherwise, || Instant::now() < until)
        })
        .await
    }
}
