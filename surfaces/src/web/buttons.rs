//! The buttons of a card.

use crate::render::card::AnswerButtons;
use maud::{Markup, html};
use surfaces_base::words;
use toolcall_schema::{SubmitAct, Surface};

/// The buttons of a card. The script sends what is on them; without it they do nothing.
pub(super) fn buttons(answers: &AnswerButtons, surface: Surface) -> Markup {
    html! {
        @if !answers.acts.is_empty() {
            div.answers data-card=(answers.card_id) data-trace=(answers.trace_id) data-surface=(surface) data-capability=[answers.capability.as_ref()] {
                @for act in &answers.acts {
                    button type="button" data-act=(act.as_str()) class=(if *act == SubmitAct::Confirm { "main" } else { "side" }) {
                        (words::act(*act, answers.kind))
                    }
                }
                @match answers.later.as_slice() {
                    [] => {},
                    [act] => (later_button(*act, answers)),
                    several => details.later {
                        summary { (words::LATER) }
                        div { @for act in several { (later_button(*act, answers)) } }
                    },
                }
            }
        }
    }
}

fn later_button(act: SubmitAct, answers: &AnswerButtons) -> Markup {
    html! { button.side type="button" data-act=(act.as_str()) { (words::act(act, answers.kind)) } }
}
