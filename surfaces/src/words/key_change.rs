//! Words about a change of the folder's key.
//!
//! What: what is said in place of every page while the folder is sealed anew. Why: they stand with all the others. Not here: sealing
//! (`aura-memory`), the page (`web::key_change_page`).

/// The page's title in the browser's list.
pub const KEY_CHANGE_TITLE_PAGE: &str = "Aura: back soon";
/// Its heading.
pub const KEY_CHANGE_TITLE: &str = "The key is being changed";

/// What is going on, and for about how long.
pub fn key_change(seconds: u64) -> String {
    let left = match seconds {
        0..=1 => "a second".to_owned(),
        2..=90 => format!("{seconds} seconds"),
        _ => format!("{} minutes", seconds.div_ceil(60)),
    };
    format!(
        "Everything that Aura keeps is sealed anew. It goes on by itself, at this address, in about {left}."
    )
}
