//! What memory keeps, for the pictures of a week.
//!
//! Pages draw the payments and measurements that an export holds, not what decisions happened to say about them.

use aura_memory::{
    StoreError, StoreReader,
    graph::{NodeData, NodeType},
};
use surfaces::backend::{KeptBody, KeptBodyDay, KeptMoney, KeptPayment};
use toolcall_schema::Timestamp;

/// The payments from `since` on.
pub(super) fn money(reader: &StoreReader, since: Timestamp) -> Result<KeptMoney, StoreError> {
    let kept = reader.kept_nodes(NodeType::Transaction, "tx_", since)?;
    let payments = kept.recent.into_iter().filter_map(|node| {
        let NodeData::Transaction { amount, currency, .. } = node.data else {
            return None;
        };
        Some(KeptPayment {
            at: node.at,
            amount,
            currency,
        })
    });
    Ok(KeptMoney {
        payments: payments.collect(),
        all: kept.all,
        newest: kept.newest,
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
    })
}
