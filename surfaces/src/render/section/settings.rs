//! Settings: what is in force, and where each value is from.
//!
//! What: [`blocks`]. Why: nobody should have to guess which file wins. Not here: changing them (the owner's file), rules and the pause
//! (`web::owner`).

use super::{Block, Item};
use crate::{
    backend::owner::{Settings, Standing},
    words,
};

/// The settings and what else is in force.
pub fn blocks(standing: &Standing) -> Vec<Block> {
    let settings = &standing.settings;
    let dnd: Vec<String> = settings
        .dnd
        .iter()
        .map(|(from, to)| words::span(from, to))
        .collect();
    let (from, to) = &settings.brief;
    let row = |name: &str, key: &str, value: String| Item::new(name, value).note(origin(settings, key));
    let surfaces: Vec<&str> = standing
        .surfaces
        .iter()
        .map(|surface| words::surface(*surface))
        .collect();
    vec![
        Block {
            id: "settings",
            title: words::IN_FORCE,
            says: vec![words::SETTINGS_SAYS.to_owned()],
            items: vec![
                row(words::ZONE, "zone", settings.zone.clone()),
                row(words::CEILING, "ceiling", settings.ceiling.to_string()),
                row(words::BRIEF_TIME, "brief_time", words::span(from, to)),
                row(
                    words::QUIET_HOURS,
                    "dnd",
                    if dnd.is_empty() {
                        words::NO_HOURS.to_owned()
                    } else {
                        dnd.join(", ")
                    },
                ),
            ],
        },
        Block {
            id: "around",
            title: words::AROUND,
            says: Vec::new(),
            items: vec![
                Item::new(words::MODEL, words::model(standing.model)),
                Item::new(
                    words::CONNECTED,
                    if surfaces.is_empty() {
                        words::ONLY_THIS_PAGE.to_owned()
                    } else {
                        surfaces.join(", ")
                    },
                ),
            ],
        },
    ]
}

/// Where a value is from.
fn origin(settings: &Settings, key: &str) -> &'static str {
    match &settings.given {
        None => words::ORIGIN_UNKNOWN,
        Some(given) if given.contains(key) => words::ORIGIN_FILE,
        Some(_) => words::ORIGIN_DEFAULT,
    }
}
