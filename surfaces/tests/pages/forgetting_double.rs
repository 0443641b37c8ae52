//! The double's answers about forgetting.
//!
//! What: made-up counts, and one deletion that is only noted. Not here: any claim.

#![expect(clippy::unwrap_used, reason = "made-up values of fixed shape")]

use crate::morning::Double;
use surfaces_base::backend::{
    BackendError, BackendFuture,
    forgetting::{CALL_OFF_WITHIN, ForgetChoice, ForgetStage, Forgetting, ForgettingBackend, RemovedBySort},
};

/// What would go, whatever is chosen.
pub(crate) fn removed() -> RemovedBySort {
    [("nodes", 12), ("traces", 1), ("events", 40)]
        .map(|(sort, count)| (sort.to_owned(), count))
        .into()
}

impl ForgettingBackend for Double {
    fn count_forgettable(
        &self,
        what: ForgetChoice,
    ) -> BackendFuture<Result<Option<RemovedBySort>, BackendError>> {
        self.note(format!("count {what:?}"));
        Self::ready(Some(removed()))
    }

    fn forget_soon(&self, what: ForgetChoice) -> BackendFuture<Result<Option<Forgetting>, BackendError>> {
        self.note(format!("forget {what:?}"));
        let stage = ForgetStage::Waits(CALL_OFF_WITHIN);
        let now = Some(Forgetting { what, stage });
        self.forgetting.lock().unwrap().clone_from(&now);
        Self::ready(now)
    }

    fn call_off(&self) -> BackendFuture<Result<Option<Forgetting>, BackendError>> {
        let mut now = self.forgetting.lock().unwrap();
        if let Some(now) = now.as_mut() {
            now.stage = ForgetStage::CalledOff;
        }
        Self::ready(now.clone())
    }

    fn forgetting(&self) -> BackendFuture<Result<Option<Forgetting>, BackendError>> {
        Self::ready(self.forgetting.lock().unwrap().clone())
    }
}
