//! Words for when the machine is away.
//!
//! What: what is said in place of every page while the folder is sealed anew or an export is brought back. Why: they stand with all the
//! others. Not here: doing either (`aura-memory`), the page (`web::away_page`).

/// The page's title in the browser's list.
pub const AWAY_TITLE_PAGE: &str = "Aura: back soon";
/// Its heading while the folder's key is changed.
pub const KEY_CHANGE_TITLE: &str = "The key is being changed";
/// Its heading while an export is brought back.
pub const IMPORT_TITLE: &str = "An export is being brought back";

/// What is going on while the folder is sealed anew, and for about how long.
pub fn key_change(seconds: u64) -> String {
    format!("Everything that Aura keeps is sealed anew. {}", back_in(seconds))
}

/// What is going on while an export is brought back, and for about how long.
pub fn import_of_export(seconds: u64) -> String {
    format!("What an export holds is added to memory. {}", back_in(seconds))
}

/// Its heading while settings are taken up.
pub const NEW_SETTINGS_TITLE: &str = "Aura is taking up your settings";

/// What is going on while settings are taken up, and for about how long.
pub fn new_settings(seconds: u64) -> String {
    format!("What you changed is put into force. {}", back_in(seconds))
}

fn back_in(seconds: u64) -> String {
    let left = match seconds {
        0..=1 => "a second".to_owned(),
        2..=90 => format!("{seconds} seconds"),
        _ => format!("{} minutes", seconds.div_ceil(60)),
    };
    format!("It goes on by itself, at this address, in about {left}.")
}
