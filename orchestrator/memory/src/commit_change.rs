//! What writes change of what pages show.
//!
//! What: [`CommitChange`] of a commit's writes. Why: what was worked out of the store holds until something of it changes. Not here: the versions
//! (`committed`).

use crate::{committed::CommitChange, graph::NodeType, rows::StoreWrite};

impl CommitChange {
    /// What these writes change.
    pub(crate) fn of_writes<'a>(writes: impl Iterator<Item = &'a StoreWrite>) -> Self {
        writes.fold(Self::default(), |before, write| before.and(Self::of_write(write)))
    }

    /// Both together.
    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            content: self.content || other.content,
            payments: self.payments || other.payments,
        }
    }

    fn of_write(write: &StoreWrite) -> Self {
        match write {
            StoreWrite::Node { node, .. } => Self {
                content: true,
                payments: node.data.node_type() == NodeType::Transaction,
            },
            StoreWrite::Trace(_) | StoreWrite::Edge(_) | StoreWrite::Label { .. } => Self {
                content: true,
                payments: false,
            },
            StoreWrite::Event { .. }
            | StoreWrite::Snapshot { .. }
            | StoreWrite::Base(_)
            | StoreWrite::Erasing(_)
            | StoreWrite::Decision { .. }
            | StoreWrite::Ledger(_)
            | StoreWrite::AgentState { .. }
            | StoreWrite::AgentStateChange { .. }
            | StoreWrite::Policy { .. }
            | StoreWrite::Device { .. }
            | StoreWrite::Account { .. }
            | StoreWrite::ConfirmedTime { .. }
            | StoreWrite::Signal(_)
            | StoreWrite::Outbox { .. }
            | StoreWrite::Catalogue { .. }
            | StoreWrite::Audit(_)
            | StoreWrite::Head { .. } => Self::default(),
        }
    }
}
