//! What is said where fingers and keys do what buttons do.
//!
//! What: what letting go would do, the sheet of keys, installing, files that another app shared or a device hands over, the watch at rest, muting in the palette, paging and months. Why: one place,
//! ready for another language. Not here: what the buttons say that are pressed by it (`kinds`).

use crate::language::{Text, say};

/// By the names under which the script of fingers and keys asks for them.
pub const PHONE_SCRIPT: [(&str, Text); 5] = [
    ("pull", Text("phone-pull")),
    ("pull-go", Text("phone-pull-go")),
    ("shared-lost", Text("phone-shared-lost")),
    ("notice", Text("notice-label")),
    ("close", super::CLOSE),
];

/// Heading of the sheet of keys.
pub const KEYS_SHEET: Text = Text("phone-keys-sheet");
/// What each does. The tab bar's numbers stand before them.
pub const KEYS_DO: [(&str, Text); 6] = [
    ("?", Text("phone-keys-show")),
    ("/", Text("phone-keys-go")),
    ("J K", Text("phone-keys-rows")),
    ("A", Text("phone-keys-answer")),
    ("U", Text("phone-keys-undo")),
    ("L", Text("phone-keys-look")),
];
/// What the numbers do.
pub const KEYS_SECTIONS: Text = Text("phone-keys-sections");
/// Turns single keys on and off.
pub const KEYS_ON: Text = Text("phone-keys-on");
/// Why somebody would turn them off.
pub const KEYS_ON_MEANS: Text = Text("phone-keys-on-means");
/// In the palette: leads to the sheet.
pub const PALETTE_KEY_SHEET: Text = Text("phone-palette-key-sheet");
/// In the palette: begins to mute a chat.
pub const PALETTE_MUTE: Text = Text("phone-palette-mute");
/// What is typed before a chat's name to mute it.
pub const PALETTE_MUTE_VERB: Text = Text("phone-palette-mute-verb");
/// Mutes a chat; `{}` is its name.
pub const PALETTE_MUTES: Text = Text("phone-palette-mutes");

/// Has the browser install the app.
pub const INSTALL_APP: Text = Text("phone-install-app");

/// Heading of what another app shared.
pub const SHARED_FILES: Text = Text("phone-shared-files");
/// What becomes of it.
pub const SHARED_MEANS: Text = Text("phone-shared-means");
/// Takes it.
pub const SHARED_TAKE: Text = Text("phone-shared-take");
/// Does not.
pub const SHARED_LEAVE: Text = Text("phone-shared-leave");
/// Where it would be taken.
pub const SHARED_WAITS: Text = Text("phone-shared-waits");
/// Has it wait.
pub const SHARED_HAND_OVER: Text = Text("phone-shared-hand-over");
/// Where a browser that may allow nothing hands a file over.
pub const HAND_OVER: Text = Text("phone-hand-over");
pub const HAND_OVER_MEANS: Text = Text("phone-hand-over-means");
/// It waits.
pub const HANDED_WAITS: Text = Text("phone-handed-waits");
/// It is read where it lies.
pub const HANDED_LIES_ELSEWHERE: Text = Text("phone-handed-lies-elsewhere");
/// Over files that wait.
pub const HANDED: Text = Text("phone-handed");

/// Which device a file came from, and how large it is.
pub fn handed_from(from: &str, size: &str) -> String {
    say!("phone-handed-from", from, size)
}

/// So many of so many bytes wait at most.
pub fn handed_no_room(files: usize, bytes: u64) -> String {
    say!("phone-handed-no-room", files, megabytes = bytes >> 20)
}

/// A task list that was dropped: it changes.
pub const DROP_TASKS: Text = Text("phone-drop-tasks");

/// A payment that comes again and is expected on a day.
pub const PAYMENT_DUE: Text = Text("phone-payment-due");
/// One that was expected before.
pub const PAYMENT_LATE: Text = Text("phone-payment-late");

/// Shows further rows.
pub const SHOW_MORE_PEOPLE: Text = Text("phone-show-more-people");
/// Of a list of months.
pub const MONTHS: Text = Text("phone-months");

/// Beside a payment that is expected: how often, and from or to whom it goes.
pub fn due_payment_note(rhythm: &str, comes_in: bool) -> String {
    if comes_in {
        say!("phone-due-comes-in", rhythm)
    } else {
        say!("phone-due-goes-out", rhythm)
    }
}
