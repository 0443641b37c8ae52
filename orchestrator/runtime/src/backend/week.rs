//! What memory keeps, for the pictures of a week and for spending.
//!
//! Pages draw the payments and measurements that an export holds, not what decisions happened to say about them.

use super::{ServiceBackend, decisions::trace_of, read};
use aura_memory::{
    StoreError, StoreReader,
    audit::{AuditSubject, Kind},
    graph::{GraphNode, NodeData, NodeKey, NodeType},
};
use chrono::NaiveDate;
use chrono_tz::Tz;
use std::collections::BTreeMap;
use surfaces::backend::{BackendError, EventTimes, KeptBody, KeptBodyDay, KeptMoney, KeptPayment, WeekView};
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
        let since = look.state.wall(look.at).plus_min(-WEEK_DAYS * 24 * 60);
        let (traces, money, body) = read(self.vault.clone(), move |reader| {
            let rows = reader.traces(WEEK_TRACES, None)?;
            let traces: Vec<Trace> = rows.iter().filter_map(|row| trace_of(&row.json)).collect();
            Ok((traces, money(reader, since)?, body(reader, since)?))
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
            at: look.state.wall(look.at),
            zone: look.env.settings.zone.name().to_owned(),
            events: events.collect(),
            traces,
            money,
            body,
        })
    }

    pub(super) async fn kept_body(&self, since: Timestamp) -> Result<KeptBody, BackendError> {
        self.shows(AuditSubject::all_of(Kind::Graph)).await?;
        let look = self.look().await?;
        let (now, zone) = (look.state.wall(look.at), look.env.settings.zone);
        read(self.vault.clone(), move |reader| {
            whole_body(reader, (since, now), zone)
        })
        .await
    }

    /// The payments from an instant on and before another, newest first.
    pub(super) async fn kept_payments(
        &self,
        from: Timestamp,
        to: Timestamp,
    ) -> Result<Vec<KeptPayment>, BackendError> {
        self.shows(AuditSubject::all_of(Kind::Graph)).await?;
        read(self.vault.clone(), move |reader| payments(reader, (from, to))).await
    }
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
            rmssd_ms, sleep_min, ..
        } = node.data
        else {
            return None;
        };
        Some(KeptBodyDay {
            at: node.at,
            rmssd_ms,
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
    let first = surfaces::format::local_date(since, zone);
    let days: Vec<NaiveDate> = first
        .iter_days()
        .take_while(|day| *day <= surfaces::format::local_date(now, zone))
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
