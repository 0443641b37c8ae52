//! What is said where fingers and keys do what buttons do.
//!
//! What: what letting go would do, the sheet of keys, installing, files that another app shared, the watch at rest, muting in the palette, paging and months. Why: one place,
//! ready for another language. Not here: what the buttons say that are pressed by it (`kinds`).

/// By the names under which the script of fingers and keys asks for them.
pub const PHONE_SCRIPT: [(&str, &str); 2] = [
    ("pull", "Pull to look now"),
    ("pull-go", "Let go, and I look now"),
];

/// Heading of the sheet of keys.
pub const KEYS_SHEET: &str = "Keys";
/// What each does. The tab bar's numbers stand before them.
pub const KEYS_DO: [(&str, &str); 5] = [
    ("?", "Show these keys"),
    ("/", "Go to a page, a person, a chat or a day"),
    ("A", "To the card's buttons; Enter presses one"),
    ("L", "Look now"),
    ("Esc", "Close what is open"),
];
/// What the numbers do.
pub const KEYS_SECTIONS: &str = "The sections, in their order";
/// Turns single keys on and off.
pub const KEYS_ON: &str = "Single keys work in this browser";
/// Why somebody would turn them off.
pub const KEYS_ON_MEANS: &str =
    "Turn this off if you speak to your computer. Ctrl K and Esc work all the same.";
/// In the palette: leads to the sheet.
pub const PALETTE_KEY_SHEET: &str = "Show all keys";
/// In the palette: begins to mute a chat.
pub const PALETTE_MUTE: &str = "Mute a chat…";
/// What is typed before a chat's name to mute it.
pub const PALETTE_MUTE_VERB: &str = "mute";
/// Mutes a chat; `{}` is its name.
pub const PALETTE_MUTES: &str = "Mute {} for 8 hours";

/// Has the browser install the app.
pub const INSTALL_APP: &str = "Put Aura on this device";

/// Heading of what another app shared.
pub const SHARED_FILES: &str = "Shared with Aura";
/// What becomes of it.
pub const SHARED_MEANS: &str =
    "Nothing has left your browser yet. What you show me I read as if you had dropped it here.";
/// Takes it.
pub const SHARED_TAKE: &str = "Show it to Aura";
/// Does not.
pub const SHARED_LEAVE: &str = "Leave it";
/// Where it would be taken.
pub const SHARED_NOT_HERE: &str = "I take files only in the browser that Aura itself has opened on its computer, within half an hour. Open it there, and share or drop them again.";

/// A task list that was dropped: it changes.
pub const DROP_TASKS: &str =
    "A list of tasks changes, and I read it where it changes. Choose it below, under “Show my folders”.";

/// Nothing comes in again and again.
pub const NO_INCOME_YET: &str = "I know of no income that comes again, so I cannot say until when your money has to last. After the third time I can.";
/// A payment that comes again and is expected on a day.
pub const PAYMENT_DUE: &str = "due";
/// One that was expected before.
pub const PAYMENT_LATE: &str = "overdue";

/// Shows further rows.
pub const SHOW_MORE_PEOPLE: &str = "Show more";
/// Of a list of months.
pub const MONTHS: &str = "Months";

/// Beside a payment that is expected: how often, and from or to whom it goes.
pub fn due_payment_note(rhythm: &str, comes_in: bool) -> String {
    if comes_in {
        format!("comes in {rhythm}")
    } else {
        format!("goes out {rhythm}")
    }
}
