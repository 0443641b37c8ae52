//! The palette: one field for pages, people, chats, days and what is done most.
//!
//! What: its markup. Why: whoever knows what they want types it. Not here: what it does (`assets/aura.js`).

use super::shell::AppSection;
use crate::{format, words};
use maud::{Markup, html};

pub(super) fn palette() -> Markup {
    let doing = [
        ("2h", words::PALETTE_QUIET_HOURS.say()),
        ("tomorrow", words::PALETTE_QUIET_DAY.say()),
        ("off", words::PALETTE_SPEAK.say()),
    ];
    html! {
        dialog #palette aria-labelledby="palette-title" {
            h2 #palette-title .visually-hidden { (words::PALETTE) }
            input type="search" role="combobox" aria-expanded="true" aria-controls="palette-list" aria-autocomplete="list"
                aria-label=(words::PALETTE_FIELD) placeholder=(words::PALETTE_FIELD) autocomplete="off" spellcheck="false" maxlength="60" autofocus;
            ul #palette-list role="listbox" aria-label=(words::PALETTE_FOUND) data-days=(words::PALETTE_DAYS) data-months=(format::months()) data-day=(words::PALETTE_DAY) {
                @for (address, name) in AppSection::pages().chain(words::PALETTE_PAGES.map(|(address, name)| (address, name.say()))) { li role="option" aria-selected="false" data-go=(address) { (name) } }
                @for (time, name) in doing { li role="option" aria-selected="false" data-quiet=(time) { (name) } }
                li role="option" aria-selected="false" data-look-now { (words::PALETTE_LOOK) }
            }
            p.none hidden { (words::PALETTE_NOTHING) }
            p.note { (words::PALETTE_KEYS) }
        }
    }
}
