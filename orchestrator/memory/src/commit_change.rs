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
        if let StoreWrite::Node { node, .. } = write {
            return Self {
                content: true,
                payments: node.data.node_type() == NodeType::Transaction,
            };
        }
        let content = matches!(
            write,
            StoreWrite::Trace(_) | StoreWrite::Edge(_) | StoreWrite::Label { .. }
        );
        Self {
            content,
            payments: false,
        }
    }
}
