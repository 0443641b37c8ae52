//! What memory keeps, for the pictures of a week and for spending.
//!
//! Pages draw the payments and measurements that an export holds, not what decisions happened to say about them.

use aura_memory::{
    StoreError, StoreReader,
    graph::{GraphNode, NodeData, NodeKey, NodeType},
};
use chrono::NaiveDate;
use chrono_tz::Tz;
use std::collections::BTreeMap;
use surfaces::backend::{KeptBody, KeptBodyDay, KeptMoney, KeptPayment};
use toolcall_schema::Timestamp;

/// The payments from `since` on.
pub(super) fn money(reader: &StoreReader, since: Timestamp) -> Result<KeptMoney, StoreError> {
    let kept = reader.kept_nodes(NodeType::Transaction, "tx_", since)?;
    Ok(KeptMoney {
        payments: kept.recent.into_iter().filter_map(payment).collect(),
        all: kept.all,
        newest: kept.newest,
    })
}

/// The payments from an instant on and before another, newest first.
pub(super) fn payments(
    reader: &StoreReader,
    span: (Timestamp, Timestamp),
) -> Result<Vec<KeptPayment>, StoreError> {
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
pub(super) fn body(reader: &StoreReader, since: Timestamp) -> Result<KeptBody, StoreError> {
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
pub(super) fn whole_body(
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
