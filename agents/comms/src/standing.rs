//! Who a mail's owner is, and what is known of its sender.
//!
//! What: [`OwnerIdentity`] and [`SenderStanding`]. Why: what a mail is depends on both, and neither stands in it. Not here: where the standing comes from
//! (`history`, `own_threads`), what follows from it (`judging`).

/// By which names and addresses others mean the owner, in lower case.
#[derive(Debug, Clone, Copy)]
pub struct OwnerIdentity<'a> {
    pub names: &'a [String],
    pub addresses: &'a [String],
}

/// What the owner's history says of a sender. The default is a sender nobody knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SenderStanding {
    /// The owner wrote to this sender.
    pub wrote_to: bool,
    /// Mails of this sender that the owner answered.
    pub answered: u32,
    /// Those that the owner saw and did not answer.
    pub ignored: u32,
    /// What the owner taught, in thousandths.
    pub taught: i32,
    /// This mail answers one of the owner's.
    pub answers_owner: bool,
    /// Mails of the owner's are known, so that one which says it answers another may be false.
    pub knows_own_mail: bool,
    /// The owner always lets this sender through.
    pub let_through: bool,
}

impl SenderStanding {
    /// Whether the owner knows this sender by an own act.
    pub(super) fn is_known(self) -> bool {
        self.wrote_to || self.answered > 0
    }
}
