//! That something was forgotten is said once.
//!
//! What: [`ForgottenNotice`]. Why: what came of a deletion is news on the page that asked for it, and on the next visit where nobody was there to read it;
//! after that it says nothing any more. Not here: how far a deletion is (the backend), how it is said (`forget_page`).

use std::sync::{Mutex, PoisonError};
use surfaces_base::backend::forgetting::{ForgetStage, Forgetting};

/// Which deletions were begun on pages, and what of them was said.
#[derive(Default)]
pub(super) struct ForgottenNotice(Mutex<NoticeState>);

#[derive(Default)]
struct NoticeState {
    begun: u64,
    /// Of which deletion the end was said.
    told: Option<(u64, Forgetting)>,
}

/// What a page says of the last deletion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DeletionNews {
    pub(super) now: Option<Forgetting>,
    /// With this the page, while it is open, asks again for what came after.
    pub(super) since: u64,
}

impl ForgottenNotice {
    /// Another deletion begins: what comes of it is news, also where it comes to the same.
    pub(super) fn begin(&self) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.begun = state.begun.wrapping_add(1);
    }

    /// What a page has to say. `since`: the page is open already, and says nothing of what was over when it was opened.
    pub(super) fn news(&self, now: Option<Forgetting>, since: Option<u64>) -> DeletionNews {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let begun = state.begun;
        let is_over = |now: &Forgetting| match now.stage {
            ForgetStage::Waits(_) | ForgetStage::Goes => false,
            ForgetStage::Gone(_) | ForgetStage::CalledOff | ForgetStage::Failed(_) => true,
        };
        let now = now.filter(|now| {
            let told = Some((begun, now.clone()));
            let is_old = since.map_or(state.told == told, |since| since == begun);
            if is_over(now) && !is_old {
                state.told = told;
            }
            !(is_over(now) && is_old)
        });
        let since = since.unwrap_or_else(|| begun.wrapping_sub(u64::from(now.is_some())));
        DeletionNews { now, since }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use surfaces_base::backend::forgetting::{CALL_OFF_WITHIN, ForgetChoice, RemovedBySort};

    #[test]
    fn what_came_of_it_is_said_on_an_open_page_and_on_one_visit_of_each_deletion() {
        let gone = Forgetting {
            what: ForgetChoice::Everything,
            stage: ForgetStage::Gone(RemovedBySort::new()),
        };
        let notice = ForgottenNotice::default();
        let said = |since| notice.news(Some(gone.clone()), since).now.is_some();
        let before = notice.news(None, None);
        assert_eq!(before.now, None);
        // The page that asked looks as often as it likes.
        notice.begin();
        assert!(said(Some(before.since)) && said(Some(before.since)));
        let visit = notice.news(Some(gone.clone()), None);
        assert_eq!(visit.now, None);
        assert!(!said(Some(visit.since)), "also when that page looks again");
        // Another deletion that comes to the same, and nobody was there.
        notice.begin();
        let visit = notice.news(Some(gone.clone()), None);
        assert_eq!(visit.now, Some(gone.clone()));
        assert!(said(Some(visit.since)), "it stays on the page that said it");
        assert!(!said(None));
        // What goes on is said on every page.
        let waits = Forgetting {
            stage: ForgetStage::Waits(CALL_OFF_WITHIN),
            ..gone.clone()
        };
        let visit = notice.news(Some(waits.clone()), None);
        assert_eq!(visit.now, Some(waits));
        assert!(said(Some(visit.since)));
    }
}
