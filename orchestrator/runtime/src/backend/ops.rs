//! What the operator's console asks, answered over the actors.
//!
//! What: [`ConsoleBackend`] for [`ServiceBackend`]: how everything stands, policy, book, what-if. Why: the same state and counters that `/metrics` and `aura
//! status` tell. Not here: what was refused (`refused`), pages (`surfaces`), doing anything.

mod machine;
mod refused;
mod tick;

use super::{ServiceBackend, blocking, decisions::trace_of, health_report::HealthReport, read};
use crate::{book, journal::JournalReplay, policy_edit::with_constants, tick_replay, whatif};
use aura_memory::{
    StoreError, StoreReader, Vault,
    audit::{AuditSubject, Kind},
};
use aura_platform::constants::differences;
use chrono::{Days, NaiveDate, NaiveTime};
use orchestrator_machine::{
    policy::{DEFAULT_TEXT, Policy, PolicyConstant},
    whatif::ImaginedTerms,
};
use std::{
    cmp::Reverse,
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};
use surfaces_base::{
    backend::console::{
        CatalogueView, ConsoleBackend, ConstantChange, ConstantField, DryReplayVerdict, LedgerDay,
        LedgerDayRow, MachineView, PAGE, PolicyTrial, PolicyView, RefusedFilter, RefusedItem, RefusedLine,
        ReplayAnswer, ServiceOverview, ServiceSample, StoreView, TickView, TraceFilter, TraceOrder,
        TracePage, WhatIfQuestion, WhatIfReport, own_time_ms,
    },
    backend::{BackendError, BackendFuture},
};
use toolcall_schema::{
    Timestamp, gate, ids::TraceId, ledger::LedgerEntry, policy_diagnostic::PolicyDiagnostic, trace::Trace,
};

/// How long a tick may be looked for in the journal; the page waits 10 s.
const REPLAY: Duration = Duration::from_secs(8);

/// How long a what-if may decide anew; the page waits 10 s.
const WHAT_IF: Duration = Duration::from_secs(8);

/// Decisions that are looked at for one page; where days are asked for, only theirs are read.
const SCAN_MAX: usize = 2_048;

/// Decisions that are read at a time.
const SCAN: usize = 256;

impl ServiceBackend {
    /// Decides the days that were once more, for as long as the page waits.
    pub(super) async fn decide_days_again(
        &self,
        question: whatif::WhatIfQuery,
    ) -> Result<WhatIfReport, BackendError> {
        self.shows(AuditSubject::all_of(Kind::Traces)).await?;
        let look = self.look().await?;
        let (at, zone) = (look.state.wall(look.at), look.env.settings.zone.name().to_owned());
        let vault = self.vault.clone();
        let answer = blocking(move || {
            let until = Instant::now() + WHAT_IF;
            whatif::answer(JournalReplay::open(&vault, None)?, &question, || {
                Instant::now() < until
            })
        })
        .await?;
        Ok(WhatIfReport { at, zone, answer })
    }
}

/// Everything that is kept of a tick. `clock`: now, and the wall clock minus the timeline.
///
/// # Errors
/// The store cannot be read.
pub(crate) fn kept_tick(
    vault: &Vault,
    id: &TraceId,
    clock: (Timestamp, i64),
) -> Result<Option<TickView>, StoreError> {
    tick_in(&StoreReader::open(vault)?, vault.dir(), id, clock)
}

fn tick_in(
    reader: &StoreReader,
    dir: &Path,
    id: &TraceId,
    clock: (Timestamp, i64),
) -> Result<Option<TickView>, StoreError> {
    let trace = reader.trace(id)?.and_then(|row| trace_of(&row.json));
    trace
        .map(|trace| tick::view(reader, dir, trace, clock))
        .transpose()
}

impl ConsoleBackend for ServiceBackend {
    fn overview(&self) -> BackendFuture<Result<ServiceOverview, BackendError>> {
        let me = self.clone();
        Box::pin(async move {
            let report = HealthReport::gather(&me).await?;
            let ticks = report.ticks();
            let store = read(me.readers.clone(), move |reader| {
                let counts = reader.counts()?;
                Ok(StoreView {
                    bytes: reader.size_bytes(),
                    ticks,
                    events: counts.events,
                    traces: counts.traces,
                    ledger: counts.ledger,
                })
            })
            .await?;
            Ok(report.overview(store))
        })
    }

    fn machine(&self) -> BackendFuture<Result<MachineView, BackendError>> {
        let me = self.clone();
        Box::pin(async move {
            me.shows(AuditSubject::all_of(Kind::Ledger)).await?;
            Ok(machine::view(&*me.look().await?))
        })
    }

    fn refused(&self, filter: RefusedFilter) -> BackendFuture<Result<Vec<RefusedItem>, BackendError>> {
        let vault = self.vault.clone();
        blocking(move || refused::newest(vault.dir(), &filter))
    }

    fn dry_replay(&self, line: RefusedLine) -> BackendFuture<Result<Option<DryReplayVerdict>, BackendError>> {
        let vault = self.vault.clone();
        blocking(move || refused::replayed(vault.dir(), &line))
    }

    fn recorded_tick(&self, id: TraceId) -> BackendFuture<Result<Option<TickView>, BackendError>> {
        let me = self.clone();
        Box::pin(async move {
            me.shows(AuditSubject::one(Kind::Trace, id.as_str())).await?;
            let look = me.look().await?;
            let (at, offset_ms) = (look.state.wall(look.at), look.state.wall_offset_ms);
            let vault = me.vault.clone();
            let view = read(me.readers.clone(), move |reader| {
                tick_in(reader, vault.dir(), &id, (at, offset_ms))
            })
            .await?;
            let restarts = HealthReport::gather(&me).await?.restarts();
            Ok(view.map(|view| view.with_restarts(&restarts)))
        })
    }

    fn replay_tick(&self, id: TraceId, step: usize) -> BackendFuture<Result<ReplayAnswer, BackendError>> {
        let me = self.clone();
        Box::pin(async move {
            me.shows(AuditSubject::one(Kind::Trace, id.as_str())).await?;
            let offset_ms = me.look().await?.state.wall_offset_ms;
            let vault = me.vault.clone();
            let found = read(me.readers.clone(), move |reader| {
                let trace = reader.trace(&id)?.and_then(|row| trace_of(&row.json));
                let Some(trace) = trace.filter(|trace| trace.decision.call.is_none()) else {
                    return Ok(None);
                };
                let events = tick::events(reader, &trace, offset_ms)?;
                Ok(Some((trace, events.and_then(|events| Some(events.first()?.seq)))))
            })
            .await?;
            let Some((trace, first)) = found else {
                return Ok(ReplayAnswer::NotKept);
            };
            blocking(move || {
                let until = Instant::now() + REPLAY;
                let journal = JournalReplay::open(&vault, None)?;
                tick_replay::replay(journal, &trace, (first, step), || Instant::now() < until)
            })
            .await
        })
    }

    fn sample(&self) -> BackendFuture<Result<ServiceSample, BackendError>> {
        let me = self.clone();
        Box::pin(async move { Ok(HealthReport::gather(&me).await?.sample()) })
    }

    fn find_traces(&self, filter: TraceFilter) -> BackendFuture<Result<TracePage, BackendError>> {
        let me = self.clone();
        Box::pin(async move {
            me.shows(AuditSubject::all_of(Kind::Traces)).await?;
            let results = Arc::clone(&me.results);
            read(me.readers.clone(), move |reader| match filter.order {
                TraceOrder::Newest => find_traces(reader, &filter),
                TraceOrder::Slowest => {
                    let key = (reader.content_version()?, filter);
                    let page = results
                        .slowest
                        .get_or_try_init(key, || find_slowest(reader, &filter))?;
                    Ok(page.as_ref().clone())
                }
            })
            .await
        })
    }

    fn policy(&self) -> BackendFuture<Result<PolicyView, BackendError>> {
        let me = self.clone();
        Box::pin(async move {
            me.shows(AuditSubject::all_of(Kind::Settings)).await?;
            let look = me.look().await?;
            let hash = look.env.policy.hash().to_owned();
            let asked = hash.clone();
            let (text, accepted) = read(me.readers.clone(), move |reader| {
                Ok((reader.policy(&asked)?, reader.catalogue()?))
            })
            .await?;
            let built_in = Policy::parse(DEFAULT_TEXT).ok();
            Ok(PolicyView {
                built_in: built_in.as_ref().is_some_and(|built_in| built_in.hash() == hash),
                differences: built_in
                    .map_or_else(Vec::new, |built_in| constants(&built_in, &look.env.policy)),
                constants: look
                    .env
                    .policy
                    .constants()
                    // Of the format, and nothing to try.
                    .filter(|(constant, _)| constant.path != "version")
                    .map(constant_field)
                    .collect(),
                text: text.ok_or(BackendError::Store)?,
                hash,
                catalogue: CatalogueView {
                    hash: gate::catalogue_hash().to_owned(),
                    accepted,
                },
            })
        })
    }

    fn what_if(
        &self,
        question: WhatIfQuestion,
    ) -> BackendFuture<Result<Result<PolicyTrial, Vec<PolicyDiagnostic>>, BackendError>> {
        let me = self.clone();
        Box::pin(async move {
            let text = with_constants(&question.policy, &question.constants);
            let policy = match Policy::parse(&text) {
                Ok(policy) => policy,
                Err(error) => return Ok(Err(error.findings().cloned().collect())),
            };
            let look = me.look().await?;
            let (in_force, differences) = (
                look.env.policy.hash().to_owned(),
                constants(&look.env.policy, &policy),
            );
            let question = whatif::WhatIfQuery {
                terms: ImaginedTerms::of_policy(policy),
                from: question.from,
                to: question.to,
            };
            let report = me.decide_days_again(question).await?;
            Ok(Ok(PolicyTrial {
                report,
                text,
                in_force,
                differences,
            }))
        })
    }

    fn book(&self, day: Option<NaiveDate>) -> BackendFuture<Result<LedgerDay, BackendError>> {
        let me = self.clone();
        Box::pin(async move {
            me.shows(AuditSubject::all_of(Kind::Ledger)).await?;
            let look = me.look().await?;
            let today = look.state.ledger.view();
            let day = day.unwrap_or(today.day);
            let (rows, newest) = read(me.readers.clone(), move |reader| {
                Ok((reader.ledger_rows(day)?, newest_ceiling(reader, day)?))
            })
            .await?;
            let opened = rows.iter().rev().find(|row| row.entry == LedgerEntry::Ceiling);
            let ceiling = if day == today.day {
                Some(today.ceiling)
            } else {
                newest.or(opened.map(|row| row.tokens))
            };
            let free: Vec<u8> = ceiling.map_or_else(Vec::new, |ceiling| {
                book::free_after(day, ceiling, &rows).collect()
            });
            Ok(LedgerDay {
                at: look.state.wall(look.at),
                zone: look.env.settings.zone.name().to_owned(),
                day,
                account: ceiling.map(|ceiling| book::account(day, ceiling, &rows)),
                rows: (rows.iter().enumerate())
                    .map(|(n, row)| LedgerDayRow {
                        at: Timestamp::from_ms(row.at_ms),
                        entry: row.entry,
                        tokens: row.tokens,
                        trace_id: row.trace_id.clone(),
                        free: free.get(n).copied(),
                    })
                    .collect(),
            })
        })
    }
}

/// A page of what passes the filter. A trace that cannot be read does not hide the others.
fn find_traces(reader: &StoreReader, filter: &TraceFilter) -> Result<TracePage, aura_memory::StoreError> {
    let mut page = TracePage {
        traces: Vec::new(),
        next: filter.before,
        looked_at: 0,
    };
    let Some(first) = page_of_days(reader, filter, &mut page.next)? else {
        return Ok(TracePage { next: None, ..page });
    };
    // A page ends behind a tick: the calls that were asked for after it stand before it, under its number.
    let mut behind_a_tick = true;
    loop {
        let rows = reader.traces_and_calls_from(SCAN, page.next, first)?;
        let last = rows.len() < SCAN;
        for row in rows {
            if page.traces.len() >= PAGE && behind_a_tick {
                return Ok(page);
            }
            behind_a_tick = row.call.is_none();
            page.looked_at += 1;
            page.next = Some(row.tick);
            page.traces
                .extend(trace_of(&row.json).filter(|trace| filter.admits(trace)));
        }
        if last {
            return Ok(TracePage { next: None, ..page });
        }
        if page.looked_at >= SCAN_MAX {
            return Ok(page);
        }
    }
}

/// The first tick that may lie within the days of a filter, with the cursor set behind the last one; `None`: there is none. A decision is kept a minute after it
/// began at most, days of any zone begin within a day of UTC's, and a clock is rarely set by one.
fn page_of_days(
    reader: &StoreReader,
    filter: &TraceFilter,
    before: &mut Option<u64>,
) -> Result<Option<u64>, StoreError> {
    if filter.from.is_none() && filter.to.is_none() {
        return Ok(Some(0));
    }
    let midnight = |day: NaiveDate| Timestamp::from(day.and_time(NaiveTime::MIN).and_utc());
    let from = filter.from.and_then(|day| day.checked_sub_days(Days::new(2)));
    let to = filter.to.and_then(|day| day.checked_add_days(Days::new(3)));
    let from = from.map_or(Timestamp::from_ms(i64::MIN), midnight);
    let to = to.map_or(Timestamp::from_ms(i64::MAX), midnight);
    let Some((first, last)) = reader.ticks_between(from, to)? else {
        return Ok(None);
    };
    let behind = last.saturating_add(1);
    *before = Some(before.map_or(behind, |before| before.min(behind)));
    Ok(Some(first))
}

/// A page of those that took longest, of all that are looked at.
fn find_slowest(reader: &StoreReader, filter: &TraceFilter) -> Result<TracePage, aura_memory::StoreError> {
    let mut page = TracePage {
        traces: Vec::new(),
        next: None,
        looked_at: 0,
    };
    let mut before = filter.before;
    let Some(first) = page_of_days(reader, filter, &mut before)? else {
        return Ok(page);
    };
    loop {
        let rows = reader.traces_from(SCAN, before, first)?;
        before = rows.last().map(|row| row.tick);
        let is_last = rows.len() < SCAN;
        page.looked_at += rows.len();
        let found = rows.iter().filter_map(|row| trace_of(&row.json));
        page.traces.extend(found.filter(|trace| filter.admits(trace)));
        // The sort is stable: of those that took as long, the newest comes first.
        page.traces
            .sort_by_key(|trace: &Trace| Reverse(own_time_ms(trace)));
        page.traces.truncate(PAGE);
        if is_last || page.looked_at >= SCAN_MAX {
            return Ok(page);
        }
    }
}

/// The ceiling that the newest decision of a day saw.
fn newest_ceiling(reader: &StoreReader, day: NaiveDate) -> Result<Option<u8>, aura_memory::StoreError> {
    let filter = TraceFilter {
        from: Some(day),
        to: Some(day),
        ..TraceFilter::default()
    };
    let page = find_traces(reader, &filter)?;
    Ok(page.traces.first().map(|trace| trace.ledger_after.ceiling))
}

fn constants(before: &Policy, after: &Policy) -> Vec<ConstantChange> {
    let of = |it: aura_platform::constants::ConstantDifference| ConstantChange {
        key: it.key,
        before: it.a,
        after: it.b,
    };
    differences(before, after).into_iter().map(of).collect()
}

/// A constant as a policy writes it, with its unit apart.
fn constant_field((constant, amount): (&'static PolicyConstant, i64)) -> ConstantField {
    let shown = constant.show(amount).to_string();
    let unit = constant.unit.as_str();
    ConstantField {
        key: constant.path,
        value: shown.strip_suffix(unit).unwrap_or(&shown).trim_end().to_owned(),
        unit,
        means: constant.means,
    }
}

#[cfg(test)]
mod tests {
    use ::surfaces_base::words::{policy_constant, policy_table};
    use orchestrator_machine::policy::KEYS;

    #[test]
    fn a_page_has_a_name_for_each_constant_and_its_table() {
        for constant in &KEYS {
            let table = constant.path.rsplit_once('.').map_or("", |(table, _)| table);
            assert_ne!(policy_constant(constant.path), constant.path);
            assert_ne!(policy_table(table), table, "{}", constant.path);
        }
    }
}
