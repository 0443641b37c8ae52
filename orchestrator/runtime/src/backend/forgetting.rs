//! What the page Memory asks about forgetting, answered by who removes things.
//!
//! What: [`ForgettingBackend`] for [`ServiceBackend`]. Why: beside the owner's other questions (`owner`), in a file of its own. Not here: waiting and
//! removing (`crate::page_deletions`).

use super::ServiceBackend;
use crate::page_deletions::{PageDeletion, PageDeletions};
use std::{collections::BTreeSet, future::Future};
use surfaces::render::section::same_people::other_addresses;
use surfaces_base::backend::{
    BackendError, BackendFuture,
    forgetting::{ForgetChoice, Forgetting, ForgettingBackend, RemovedBySort},
    people::PeopleBackend as _,
};
use toolcall_schema::catalogue::{learning::LearnedThing, shared::ThingId};

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

impl ServiceBackend {
    /// The same with all that counts as one person by the owner's word.
    async fn with_other_addresses(&self, what: ForgetChoice) -> PageDeletion {
        let others = match &what {
            ForgetChoice::Thing(ThingId::Person(person)) => {
                let about = LearnedThing::Person(person.clone());
                let list = self.same_people().await.unwrap_or_default();
                other_addresses(&list, &about)
            }
            ForgetChoice::Thing(_)
            | ForgetChoice::Day(_)
            | ForgetChoice::Kind(_)
            | ForgetChoice::Measured(_)
            | ForgetChoice::Everything => BTreeSet::new(),
        };
        PageDeletion {
            what,
            others: others.into_iter().map(ThingId::Person).collect(),
        }
    }
}

impl ForgettingBackend for ServiceBackend {
    fn count_forgettable(
        &self,
        what: ForgetChoice,
    ) -> BackendFuture<Result<Option<RemovedBySort>, BackendError>> {
        let me = self.clone();
        self.ask_deletions(move |deletions| async move {
            let whole = me.with_other_addresses(what).await;
            deletions.count(whole).await.map(Some)
        })
    }

    fn forget_soon(&self, what: ForgetChoice) -> BackendFuture<Result<Option<Forgetting>, BackendError>> {
        let me = self.clone();
        self.ask_deletions(move |deletions| async move {
            let whole = me.with_other_addresses(what).await;
            deletions.begin(whole).await
        })
    }

    fn call_off(&self) -> BackendFuture<Result<Option<Forgetting>, BackendError>> {
        self.ask_deletions(|deletions| async move { deletions.call_off().await })
    }

    fn forgetting(&self) -> BackendFuture<Result<Option<Forgetting>, BackendError>> {
        self.ask_deletions(|deletions| async move { deletions.look().await })
    }
}
