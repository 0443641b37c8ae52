//! Rules that agents keep, beside those that forbid.
//!
//! What: [`AgentRules`]: whom the owner always lets through, who is one person, which spending is usual. Why: wherever rules stand, these stand below
//! them, each with the way to take it back. Not here: rules that forbid (`owner`), each of these by itself (`let_through`, `same_person`, `usual_spending`).

use super::{let_through, same_person, state::AppState, usual_spending};
use maud::{Markup, html};
use surfaces_base::backend::DisplayNames;
use toolcall_schema::catalogue::{
    allowed_spending::AllowedSpendingList, correspondent::SamePeopleList, learning::LearnedList,
    shared::ThingId,
};

/// What agents say of them; `None`: one does not say.
pub(super) struct AgentRules {
    learned: Option<LearnedList>,
    same: Option<SamePeopleList>,
    usual: Option<AllowedSpendingList>,
}

impl AgentRules {
    pub(super) async fn ask(app: &AppState) -> Self {
        // At once: an agent that does not answer is waited for once.
        let (learned, same, usual) = tokio::join!(
            app.backend.learned(),
            app.backend.same_people(),
            app.backend.allowed_spending()
        );
        Self { learned, same, usual }
    }

    /// Whether there is none, as far as agents say.
    pub(super) fn is_empty(&self) -> bool {
        self.learned
            .as_ref()
            .is_some_and(|list| list.let_through.is_empty())
            && self.same.as_ref().is_some_and(|list| list.rows.is_empty())
            && self.usual.as_ref().is_some_and(|list| list.rows.is_empty())
    }

    /// Whom a page with the rows has to name.
    pub(super) fn to_name(&self) -> impl Iterator<Item = ThingId> {
        let_through::to_name(self.learned.as_ref()).chain(same_person::to_name(self.same.as_ref()))
    }

    pub(super) fn rows(&self, names: &DisplayNames) -> Markup {
        html! {
            (let_through::rows(self.learned.as_ref(), names))
            (same_person::rows(self.same.as_ref(), names))
            (usual_spending::rows(self.usual.as_ref()))
        }
    }
}
