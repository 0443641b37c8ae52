//! Memory: what is kept, for how long, and who read it.
//!
//! What: [`blocks`]. Why: what is kept about somebody should be theirs to see and to end. Not here: forgetting (`aura memory`); it is
//! done at the terminal because it takes the folder and cannot be undone.

use super::{Block, Item};
use crate::{format, owner::Kept, words};
use chrono_tz::Tz;

/// What is kept, what was read today, and the commands.
pub fn blocks(kept: &Kept, zone: Tz) -> Vec<Block> {
    let mut sorts: Vec<Item> = kept
        .sorts
        .iter()
        .map(|sort| {
            Item::new(words::kept_sort(&sort.name), sort.count.to_string()).note(words::kept_for(
                sort.days,
                &format::date(format::local_date(sort.oldest, zone)),
            ))
        })
        .collect();
    sorts.push(Item::new(words::DECISIONS, kept.traces.to_string()).note(words::kept_days(kept.trace_days)));
    sorts.push(Item::new(words::JOURNAL_EVENTS, kept.events.to_string()));
    sorts.push(Item::new(words::OWN_NAMES, kept.names.to_string()));
    sorts.push(Item::new(words::ON_DISK, words::kibibytes(kept.bytes)));
    let audit: Vec<Item> = kept
        .audit
        .iter()
        .map(|(what, times)| Item::new(words::audit(what), times.to_string()))
        .collect();
    let commands = words::MEMORY_COMMANDS
        .iter()
        .map(|(what, command)| Item::new(*what, "").note(*command))
        .collect();
    vec![
        Block {
            id: "kept",
            title: words::WHAT_IS_KEPT,
            says: vec![words::KEPT_SAYS.to_owned()],
            items: sorts,
        },
        Block {
            id: "audit",
            title: words::WHO_LOOKED,
            says: if audit.is_empty() {
                vec![words::NOBODY_LOOKED.to_owned()]
            } else {
                vec![words::AUDIT_SAYS.to_owned()]
            },
            items: audit,
        },
        Block {
            id: "commands",
            title: words::TAKE_OR_FORGET,
            says: vec![words::COMMANDS_SAYS.to_owned()],
            items: commands,
        },
    ]
}
