//! Words for when the machine is away.
//!
//! What: what is said in place of every page while the folder is sealed anew or an export is brought back. Why: they stand with all the
//! others. Not here: doing either (`aura-memory`), the page (`web::away_page`).

use crate::language::{Text, say, text};

/// The page's title in the browser's list.
pub const AWAY_TITLE_PAGE: Text = Text("away-away-title-page");
/// Its heading while the folder's key is changed.
pub const KEY_CHANGE_TITLE: Text = Text("away-key-change-title");
/// Its heading while an export is brought back.
pub const IMPORT_TITLE: Text = Text("away-import-title");

/// What is going on while the folder is sealed anew, and for about how long.
pub fn key_change(seconds: u64) -> String {
    say!("away-key-change", back_in = back_in(seconds))
}

/// What is going on while an export is brought back, and for about how long.
pub fn import_of_export(seconds: u64) -> String {
    say!("away-import-of-export", back_in = back_in(seconds))
}

/// Its heading while settings are taken up.
pub const NEW_SETTINGS_TITLE: Text = Text("away-new-settings-title");

/// What is going on while settings are taken up, and for about how long.
pub fn new_settings(seconds: u64) -> String {
    say!("away-new-settings", back_in = back_in(seconds))
}

/// The page's title in the browser's list while a folder waits for its passphrase.
pub const LOCKED_TITLE_PAGE: Text = Text("away-locked-title-page");
/// Its heading.
pub const LOCKED_TITLE: Text = Text("away-locked-title");
/// Why nothing else is shown.
pub const LOCKED_SAYS: Text = Text("away-locked-says");
/// The field's label.
pub const LOCKED_PASSPHRASE: Text = Text("away-locked-passphrase");
/// The button.
pub const LOCKED_OPEN: Text = Text("away-locked-open");
/// Above the form after a try.
pub const LOCKED_WRONG: Text = Text("away-locked-wrong");
/// The key of the folder is not in its place.
pub const KEY_AWAY_TITLE: Text = Text("away-key-away-title");
/// Where it is kept, and what brings it back.
pub const KEY_AWAY_KEYRING: Text = Text("away-key-away-keyring");
pub const KEY_AWAY_KEYRING_REMEDY: Text = Text("away-key-away-keyring-remedy");
pub const KEY_AWAY_FILE: Text = Text("away-key-away-file");
pub const KEY_AWAY_FILE_REMEDY: Text = Text("away-key-away-file-remedy");
/// Looks again.
pub const KEY_AWAY_AGAIN: Text = Text("away-key-away-again");
/// It was not there.
pub const KEY_AWAY_STILL: Text = Text("away-key-away-still");
/// The other way in.
pub const KEY_AWAY_SHEET: Text = Text("away-key-away-sheet");
pub const KEY_AWAY_CODE: Text = Text("away-key-away-code");
pub const KEY_AWAY_WRONG_CODE: Text = Text("away-key-away-wrong-code");
/// There is no other way.
pub const KEY_AWAY_NO_SHEET: Text = Text("away-key-away-no-sheet");
/// Once it was the right one.
pub const LOCKED_OPENED: Text = Text("away-locked-opened");
/// The way on, where the browser does not take it by itself.
pub const LOCKED_GO_ON: Text = Text("away-locked-go-on");

fn back_in(seconds: u64) -> String {
    let left = match seconds {
        0..=1 => text("away-back-in-a-second").to_owned(),
        2..=90 => say!("away-back-in-seconds", seconds),
        _ => say!("away-back-in-minutes", value = seconds.div_ceil(60)),
    };
    say!("away-back-in-it-goes-on", left)
}
