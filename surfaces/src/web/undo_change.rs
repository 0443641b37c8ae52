//! The button that takes the last change of the settings back, and what that was.
//!
//! What: [`LastChange`], at the end of each form of settings. Why: nobody takes back what is not named. Not here: taking it back (`settings_page::undo`), all
//! changes (`acts_page`).

use super::{error::WebError, recorded_rows::last_change, state::AppState};
use maud::{Markup, html};
use surfaces_base::{backend::settings::HomeFileView, words};

/// The last change of the owner's file.
#[derive(Clone, Copy)]
pub(super) struct LastChange<'a> {
    view: &'a HomeFileView,
    /// What it was; absent: it is no longer known.
    says: Option<&'a str>,
}

/// What the last change was, where it can be taken back or made again.
pub(super) async fn change_to_undo(app: &AppState, view: &HomeFileView) -> Result<Option<String>, WebError> {
    if !view.can_undo {
        return Ok(None);
    }
    Ok(last_change(&app.backend.recorded_acts().await?))
}

impl<'a> LastChange<'a> {
    pub(super) fn new(view: &'a HomeFileView, says: Option<&'a str>) -> Self {
        Self { view, says }
    }

    /// Stands among the buttons of a form.
    pub(super) fn button(self) -> Markup {
        let does = if self.view.is_undone {
            words::FORM_REDO
        } else {
            words::FORM_UNDO
        };
        let label = self.says.map(|says| words::undo_act(does.say(), says));
        html! {
            @if self.view.can_undo { button.plain type="button" data-undo=(self.view.shown) aria-label=[label] { (does) } }
        }
    }

    /// Stands below them.
    pub(super) fn note(self) -> Markup {
        html! {
            @if let Some(says) = self.says.filter(|_| self.view.can_undo) { p.note { (words::last_change(says)) } }
        }
    }
}
