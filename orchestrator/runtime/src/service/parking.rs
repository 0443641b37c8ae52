//! When an owner's service ends because nobody needs it.
//!
//! What: [`HostParking`], what a host lends its tenants for that, [`ParkedTenant`], what wakes one, and [`Service::parks`], which waits for the
//! moment. Why: an owner with nothing due costs a host no process and no store
//! ([ADR 0168](../../../../docs/adr/0168-an-owner-with-nothing-due-is-parked.md)). Not here: until when the machine rests
//! (`orchestrator_machine::timers`), waking (`host`).

use super::{Service, ServiceMode};
use crate::{
    backend::ServiceBackend,
    folder_watch::{FolderWatch, ParkedWatch},
    parked_record::FilesState,
};
use agents::contract::SourcePaths;
use aura_memory::vault::KeyPlace;
use orchestrator_machine::timers::rests_until;
use std::time::Duration;
use surfaces::web::Visits;
use tokio::sync::watch;
use toolcall_schema::{Timestamp, ids::OwnerSeed};

/// Whoever is due so soon is not worth an end and a start.
const SOON: Duration = Duration::from_mins(1);

/// How long nobody has been there where others wait for her place.
const FULL: Duration = Duration::from_secs(1);

/// Briefs that are due at one hour are begun within so long, each owner's by her own share of it.
const BRIEFS_SPREAD_MS: i64 = 5 * 60 * 1000;

/// What a host lends its tenants, so that they can be parked.
pub(crate) struct HostParking {
    /// How long nobody has been there.
    pub(crate) after: Duration,
    /// Whether somebody waits for another one's place: then [`FULL`] is long enough.
    pub(crate) is_full: watch::Receiver<bool>,
}

impl HostParking {
    /// Waits until nobody has been there for so long that her place may be another's.
    async fn unneeded(&self, visits: &Visits) {
        let mut is_full = self.is_full.clone();
        tokio::select! {
            () = visits.quiet_for(self.after) => {}
            () = async {
                // A host that has gone ends its tenants.
                let _ = is_full.wait_for(|full| *full).await;
                visits.quiet_for(FULL.min(self.after)).await;
            } => {}
        }
    }
}

/// A tenant that ended because nothing is due.
pub(crate) struct ParkedTenant {
    /// By the wall clock.
    pub(crate) until: Timestamp,
    pub(crate) watch: ParkedWatch,
    /// How her sources stood before they were watched, where that can be told.
    pub(crate) sources: Option<FilesState>,
}

/// How a tenant ended that did not fail.
pub(crate) enum TenantEnd {
    /// Its owner or its host wished so.
    Told,
    Parked(ParkedTenant),
}

impl Service {
    /// Whether what this owner has set up works without her service, so that it may be away: nothing of hers listens, asks a server or waits for
    /// a passphrase.
    fn may_be_away(&self) -> bool {
        let (home, outbound) = (&self.home, &self.home.outbound);
        self.mode == ServiceMode::Run
            && home.accounts.is_empty()
            && home.web.listen.is_none()
            && outbound.ntfy.is_none()
            && outbound.telemetry.is_none()
            && !outbound.speech.enabled
            && !matches!(self.vault.place(), None | Some(KeyPlace::Passphrase { .. }))
    }

    /// Waits until this owner can be parked; for ever where she cannot.
    pub(super) async fn parks(
        &self,
        (parking, folders): (Option<&HostParking>, &FolderWatch),
        visits: &Visits,
        backend: &ServiceBackend,
        sources: &SourcePaths,
    ) -> ParkedTenant {
        let Some(parking) = parking.filter(|_| self.may_be_away()) else {
            return std::future::pending().await;
        };
        loop {
            parking.unneeded(visits).await;
            backend.busy.quiet().await;
            if let Some(until) = rests(backend).await {
                let (folders, sources) = (folders.clone(), sources.clone());
                let watched = tokio::task::spawn_blocking(move || {
                    // Whatever changes after that is seen by the watch; after a start of the host, by this.
                    let state = FilesState::of_sources(&sources);
                    ParkedWatch::begin(&folders, &sources).map(|watch| (watch, state))
                });
                // What came before it was watched is seen now.
                if let (Ok(Some((watch, sources))), Some(_)) = (watched.await, rests(backend).await)
                    && visits.is_quiet()
                {
                    return ParkedTenant {
                        until,
                        watch,
                        sources,
                    };
                }
            }
        }
    }
}

/// Until when (wall clock) this owner's service may be away; `None`: something is under way, or due soon.
async fn rests(backend: &ServiceBackend) -> Option<Timestamp> {
    let look = backend.look().await.ok()?;
    let until = look
        .state
        .wall(rests_until(&look.state, brief_later_ms(&look.env.seed))?);
    let until = match &backend.backups {
        Some(backups) => {
            let backups = backups.clone();
            let due = tokio::task::spawn_blocking(move || backups.next_due())
                .await
                .ok()?;
            due.map_or(until, |due| due.min(until))
        }
        None => until,
    };
    let soon = i64::try_from(SOON.as_millis()).unwrap_or(i64::MAX);
    let is_free = backend.busy.count() == 0 && !backend.runs.is_busy();
    (is_free && until.since(backend.clock.wall()) > soon).then_some(until)
}

/// By how much later than its hour a parked owner's brief is begun, milliseconds below [`BRIEFS_SPREAD_MS`]: the same each day, and another owner's is another.
fn brief_later_ms(seed: &OwnerSeed) -> i64 {
    let [a, b, c, d, ..] = seed.key("spread of briefs v1").mac(&[]);
    i64::from(u32::from_le_bytes([a, b, c, d])) % BRIEFS_SPREAD_MS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn briefs_of_many_owners_begin_all_over_five_minutes() {
        let mut minutes = [0_u32; 5];
        for owner in 0_u8..250 {
            let later = brief_later_ms(&OwnerSeed::from_bytes([owner; 32]));
            minutes[usize::try_from(later / 60_000).unwrap()] += 1;
        }
        // 50 each are expected, with a standard deviation of 6.3: none is four of them away.
        assert!(
            minutes.iter().all(|count| (25..=75).contains(count)),
            "{minutes:?}"
        );
    }
}
