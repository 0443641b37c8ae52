//! The palette: one field for pages, people, chats, events, payments, days and what is done most; and the sheet of single keys.
//!
//! What: their markup. Why: whoever knows what they want types it. Not here: what they do (`assets/aura.js`, `assets/phone.js`), what is found
//! by a name (`palette_find`).

use super::{
    icons::{IconName, icon},
    shell::AppSection,
};
use maud::{Markup, html};
use surfaces_base::{language::Language, locale, words};

pub(super) fn palette() -> Markup {
    let doing = [
        ("2h", words::PALETTE_QUIET_HOURS.say()),
        ("tomorrow", words::PALETTE_QUIET_DAY.say()),
        ("off", words::PALETTE_SPEAK.say()),
    ];
    html! {
        dialog #palette aria-labelledby="palette-title" {
            form method="dialog" { button.close type="submit" aria-label=(words::CLOSE) { (icon(IconName::Close)) (words::CLOSE) } }
            h2 #palette-title .visually-hidden { (words::PALETTE) }
            input type="search" role="combobox" aria-expanded="true" aria-controls="palette-list" aria-autocomplete="list"
                aria-label=(words::PALETTE_FIELD) placeholder=(words::PALETTE_FIELD) autocomplete="off" spellcheck="false" maxlength="60" autofocus;
            ul #palette-list role="listbox" aria-label=(words::PALETTE_FOUND) data-verb=(words::PALETTE_MUTE_VERB) data-quiets=(words::PALETTE_MUTES) {
                @for (address, name) in AppSection::pages().chain(words::PALETTE_PAGES.map(|(address, name)| (address, name.say()))) {
                    li role="option" aria-selected="false" data-go=(address) data-words=[other_words(address)] { (name) }
                }
                @for (time, name) in doing { li role="option" aria-selected="false" data-quiet=(time) { (name) } }
                li role="option" aria-selected="false" data-fills=(words::PALETTE_MUTE_VERB) { (words::PALETTE_MUTE) }
                li role="option" aria-selected="false" data-look-now { (words::PALETTE_LOOK) }
                li role="option" aria-selected="false" data-keys { (words::PALETTE_KEY_SHEET) }
            }
            p.none hidden { (words::PALETTE_NOTHING) }
            p.note { (words::PALETTE_KEYS) }
        }
    }
}

/// What a page is also looked for by: its words in each language, and its name in the others.
fn other_words(address: &str) -> Option<String> {
    let in_language = |language: Language| {
        locale::speaking(language, || {
            let named = AppSection::pages().find(|(page, _)| *page == address);
            let own = words::PALETTE_PAGES
                .into_iter()
                .find(|(page, _)| *page == address);
            let also = words::PALETTE_WORDS
                .into_iter()
                .find(|(page, _)| *page == address);
            let name = named.map(|(_, name)| name).or(own.map(|(_, name)| name.say()));
            [name, also.map(|(_, also)| also.say())]
        })
    };
    let all: Vec<&str> = Language::ALL
        .into_iter()
        .flat_map(in_language)
        .flatten()
        .collect();
    (!all.is_empty()).then(|| all.join(" ").to_lowercase())
}

/// What single keys do, and the box that turns them off: WCAG 2.1.4 asks for it.
pub(super) fn key_sheet() -> Markup {
    html! {
        dialog #keys aria-labelledby="keys-title" {
            form method="dialog" { button.close type="submit" aria-label=(words::CLOSE) { (icon(IconName::Close)) (words::CLOSE) } }
            h2 #keys-title { (words::KEYS_SHEET) }
            dl {
                div { dt { kbd { "1" } "–" kbd { (AppSection::pages_in_bar()) } } dd { (words::KEYS_SECTIONS) } }
                @for (key, does) in words::KEYS_DO { div { dt { @for key in key.split(' ') { kbd { (key) } " " } } dd { (does) } } }
            }
            label { input type="checkbox" data-keys-on checked; (words::KEYS_ON) }
            p.note { (words::KEYS_ON_MEANS) }
        }
    }
}
