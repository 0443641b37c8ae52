//! What memory keeps, for the pictures of a week and for spending.
//!
//! Pages draw the payments and measurements that an export holds, not what decisions happened to say about them.

use super::{ServiceBackend, decisions::trace_of, read, store_results::KeptWeek};
use aura_memory::{
    StoreError, StoreReader,
    audit::{AuditSubject, Kind},
    graph::{GraphNode, NodeData, NodeKey, NodeType},
};
use chrono::NaiveDate;
use chrono_tz::Tz;
use std::{cmp::Reverse, collections::BTreeMap, sync::Arc};
use surfaces_base::{
    backend::{
        BackendError, EventTimes, KeptBody, KeptBodyDay, KeptMoney, KeptPayment, KeptVersion, WeekView,
    },
    format::{local_date, midnight},
};
use toolcall_schema::{Timestamp, trace::Trace};

/// Traces of a week: one each quarter of an hour, and as many again for other reasons.
const WEEK_TRACES: usize = 7 * 96 * 2;

/// Days back from now that seven local days lie in, whatever the zone.
const WEEK_DAYS: i64 = 8;

impl ServiceBackend {
    /// The last seven days: what was decided, paid and measured, and the events that are known.
    pub(super) async fn kept_week(&self) -> Result<WeekView, BackendError> {
        self.shows(AuditSubject::all_of(Kind::Traces)).await?;
        self.shows(AuditSubject::all_of(Kind::Graph)).await?;
        let look = self.look().await?;
        let (at, zone) = (look.state.wall(look.at), look.env.settings.zone);
        let results = Arc::clone(&self.results);
        let week = read(self.readers.clone(), move |reader| {
            // Before what is read: what comes in meanwhile makes that newer than it says, never older.
            let key = (reader.content_version()?, local_date(at, zone), zone);
            results.week.get_or_try_init(key, || week(reader, at, zone))
        })
        .await?;
        let known = &look.state.known;
        let events = known.events_wall.iter().map(|(id, times)| EventTimes {
            id: id.clone(),
            start: times.start,
            end: times.end,
            focus: times.focus,
            leave_by: known.alerts_wall.get(id).map(|alert| alert.leave_by),
        });
        Ok(WeekView {
            at,
            zone: zone.name().to_owned(),
            events: events.collect(),
            traces: Arc::clone(&week.traces),
            money: week.money.clone(),
            body: week.body.clone(),
        })
    }

    pub(super) async fn kept_body(&self, since: Timestamp) -> Result<KeptBody, BackendError> {
        self.shows(AuditSubject::all_of(Kind::Graph)).await?;
        let look = self.look().await?;
        let (now, zone) = (look.state.wall(look.at), look.env.settings.zone);
        read(self.readers.clone(), move |reader| {
            whole_body(reader, (since, now), zone)
        })
        .await
    }

    /// The version of the payments.
    pub(super) async fn kept_payments_version(&self) -> Result<KeptVersion, BackendError> {
        self.shows(AuditSubject::all_of(Kind::Graph)).await?;
        let version = read(self.readers.clone(), StoreReader::payments_version).await?;
        Ok(KeptVersion {
            opening: version.opening,
            number: version.number,
        })
    }

    /// The payments from an instant on and before another, newest first.
    pub(super) async fn kept_payments(
        &self,
        from: Timestamp,
        to: Timestamp,
    ) -> Result<Vec<KeptPayment>, BackendError> {
        self.shows(AuditSubject::all_of(Kind::Graph)).await?;
        read(self.readers.clone(), move |reader| payments(reader, (from, to))).await
    }
}

/// The decisions, payments and measurements of the last seven days.
fn week(reader: &StoreReader, at: Timestamp, zone: Tz) -> Result<KeptWeek, StoreError> {
    let since = at.plus_min(-WEEK_DAYS * 24 * 60);
    let yesterday = local_date(at, zone).pred_opt().map(|day| midnight(day, zone));
    let rows = reader.traces(WEEK_TRACES, None)?;
    let mut traces: Vec<Trace> = rows.iter().filter_map(|row| trace_of(&row.json)).collect();
    traces.retain(|trace| trace.decision.ts >= since);
    traces.sort_by_key(|trace| Reverse(trace.decision.ts));
    // Pictures need what was read and done; the rest is most of it.
    for old in traces
        .iter_mut()
        .filter(|trace| Some(trace.decision.ts) < yesterday)
    {
        Arc::make_mut(&mut old.decision).candidates = Vec::new();
        old.state_path = Vec::new();
    }
    Ok(KeptWeek {
        traces: traces.into(),
        money: money(reader, since)?,
        body: body(reader, since)?,
    })
}

/// The payments from `since` on.
fn money(reader: &StoreReader, since: Timestamp) -> Result<KeptMoney, StoreError> {
    let kept = reader.kept_nodes(NodeType::Transaction, "tx_", since)?;
    Ok(KeptMoney {
        payments: kept.recent.into_iter().filter_map(payment).collect(),
        all: kept.all,
        newest: kept.newest,
    })
}

/// The payments from an instant on and before another, newest first.
fn payments(reader: &StoreReader, span: (Timestamp, Timestamp)) -> Result<Vec<KeptPayment>, StoreError> {
    let kept = reader.nodes_between(NodeType::Transaction, "tx_", span)?;
    Ok(kept.into_iter().filter_map(payment).collect())
}

fn payment(node: GraphNode) -> Option<KeptPayment> {
    let NodeData::Transaction {
        merchant,
        amount,
        currency,
        account_last4,
        category,
    } = node.data
    else {
        return None;
    };
    Some(KeptPayment {
        at: node.at,
        amount,
        currency,
        merchant,
        category,
        account_last4,
    })
}

/// The days from `since` on.
fn body(reader: &StoreReader, since: Timestamp) -> Result<KeptBody, StoreError> {
    let kept = reader.kept_nodes(NodeType::HealthSnapshot, "hd_", since)?;
    let days = kept.recent.into_iter().filter_map(|node| {
        let NodeData::HealthSnapshot {
            rmssd_ms,
            resting_bpm,
            sleep_min,
            ..
        } = node.data
        else {
            return None;
        };
        Some(KeptBodyDay {
            at: node.at,
            rmssd_ms,
            resting_bpm,
            sleep_min,
        })
    });
    Ok(KeptBody {
        days: days.collect(),
        all: kept.all,
        newest: kept.newest,
        loads: Vec::new(),
        tags: BTreeMap::new(),
    })
}

/// The same with the load scores from `since` on, oldest first, and what the owner said of the local days from then to `now`.
fn whole_body(
    reader: &StoreReader,
    (since, now): (Timestamp, Timestamp),
    zone: Tz,
) -> Result<KeptBody, StoreError> {
    let scored = reader.kept_nodes(NodeType::HealthSnapshot, "hs_", since)?;
    let loads = scored.recent.into_iter().filter_map(|node| {
        let NodeData::HealthSnapshot { score, .. } = node.data else {
            return None;
        };
        Some((node.at, score?))
    });
    let first = local_date(since, zone);
    let days: Vec<NaiveDate> = first
        .iter_days()
        .take_while(|day| *day <= local_date(now, zone))
        .collect();
    let keys: Vec<NodeKey> = days.iter().map(|day| NodeKey::body(*day)).collect();
    let named = reader.own_names(&keys)?;
    let tags = days.iter().zip(&keys).filter_map(|(day, key)| {
        let (_, tag) = named.iter().find(|(known, _)| known == key)?;
        Some((*day, tag.clone()))
    });
    Ok(KeptBody {
        loads: loads.collect(),
        tags: tags.collect(),
        ..body(reader, since)?
    })
}
