//! What the page Memory asks about forgetting, answered by who removes things.
//!
//! What: [`ForgettingBackend`] for [`ServiceBackend`]. Why: beside the owner's other questions (`owner`), in a file of its own. Not here: waiting and
//! removing (`crate::page_deletions`).

use super::ServiceBackend;
use crate::page_deletions::PageDeletions;
use std::future::Future;
use surfaces::backend::{
    BackendError, BackendFuture,
    forgetting::{ForgetChoice, Forgetting, ForgettingBackend, RemovedBySort},
};

impl ServiceBackend {
    /// Asks who removes things, where a page may.
    fn ask_deletions<T: Send + 'static, F: Future<Output = Result<Option<T>, BackendError>> + Send>(
        &self,
        ask: impl FnOnce(PageDeletions) -> F + Send + 'static,
    ) -> BackendFuture<Result<Option<T>, BackendError>> {
        let deletions = self.deletions.clone();
        Box::pin(async move {
            match deletions {
                Some(deletions) => ask(deletions).await,
                None => Ok(None),
            }
        })
    }
}

impl ForgettingBackend for ServiceBackend {
    fn count_forgettable(
        &self,
        what: ForgetChoice,
    ) -> BackendFuture<Result<Option<RemovedBySort>, BackendError>> {
        self.ask_deletions(move |deletions| async move { deletions.count(what).await.map(Some) })
    }

    fn forget_soon(&self, what: ForgetChoice) -> BackendFuture<Result<Option<Forgetting>, BackendError>> {
        self.ask_deletions(move |deletions| async move { deletions.begin(what).await })
    }

    fn call_off(&self) -> BackendFuture<Result<Option<Forgetting>, BackendError>> {
        self.ask_deletions(|deletions| async move { deletions.call_off().await })
    }

    fn forgetting(&self) -> BackendFuture<Result<Option<Forgetting>, BackendError>> {
        self.ask_deletions(|deletions| async move { deletions.look().await })
    }
}
