//! Settings: what is in force, and where each value is from.
//!
//! What: [`blocks`]. Why: nobody should have to guess which file wins. Not here: changing them (the owner's file), rules and the pause
//! (`web::owner`).

use super::{SectionBlock, SectionItem};
use surfaces_base::{
    backend::owner::{OwnerStatus, SettingsInForce},
    format, words,
};
use toolcall_schema::Surface;

/// The settings and what else is in force.
pub(crate) fn blocks(standing: &OwnerStatus) -> Vec<SectionBlock> {
    let settings = &standing.settings;
    let dnd: Vec<String> = settings
        .dnd
        .iter()
        .map(|span| words::span(&format::time_of_day(span.from), &format::time_of_day(span.to)))
        .collect();
    let (from, to) = &settings.brief;
    let row =
        |name: &str, key: &str, value: String| SectionItem::new(name, value).note(origin(settings, key));
    let surfaces: Vec<&str> = standing
        .surfaces
        .iter()
        .map(|surface| match surface {
            // This page is not the one on which a card comes.
            Surface::PhoneCard => words::OPEN_PAGE.say(),
            Surface::Watch | Surface::EarbudTts | Surface::Push | Surface::Silent => words::surface(*surface),
        })
        .collect();
    vec![
        SectionBlock {
            id: "settings",
            title: words::IN_FORCE.say(),
            says: vec![words::SETTINGS_SAYS.say().to_owned()],
            items: vec![
                row(words::ZONE.say(), "zone", settings.zone.clone()),
                row(words::CEILING.say(), "ceiling", settings.ceiling.to_string()),
                row(words::BRIEF_TIME.say(), "brief_time", words::span(from, to)),
                row(
                    words::QUIET_HOURS.say(),
                    "dnd",
                    if dnd.is_empty() {
                        words::NO_HOURS.say().to_owned()
                    } else {
                        dnd.join(", ")
                    },
                ),
            ],
        },
        SectionBlock {
            id: "around",
            title: words::AROUND.say(),
            says: Vec::new(),
            items: vec![
                SectionItem::new(words::MODEL.say(), words::model(standing.model)),
                SectionItem::new(
                    words::CONNECTED.say(),
                    if surfaces.is_empty() {
                        words::ONLY_THIS_PAGE.say().to_owned()
                    } else {
                        surfaces.join(", ")
                    },
                ),
            ],
        },
    ]
}

/// Where a value is from.
fn origin(settings: &SettingsInForce, key: &str) -> &'static str {
    match &settings.given {
        None => words::ORIGIN_UNKNOWN.say(),
        Some(given) if given.contains(key) => words::ORIGIN_FILE.say(),
        Some(_) => words::ORIGIN_DEFAULT.say(),
    }
}
