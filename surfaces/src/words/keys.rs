//! What is said of the key.
//!
//! What: the section of the page Settings and of the welcome. Not here: what is said while everything is sealed anew (`away`).

/// It is not in its place.
pub const KEY_IS_LOST: &str =
    "The key was not in its place: your recovery sheet opened what I keep. Choose a new place below.";
/// A sheet opens it too.
pub const SHEET_IS_THERE: &str = "There is a recovery sheet. If you do not have it any more, make a new one: the old one then opens nothing.";
/// None does.
pub const SHEET_IS_NOT_THERE: &str =
    "There is no recovery sheet. With one, on paper in a drawer, a lost key is no loss.";
/// Makes one.
pub const SHEET_MAKE: &str = "Make a recovery sheet";
/// What that does.
pub const SHEET_MEANS: &str = "I show it once, to print or to write down, and keep no copy of it.";
/// Heading of the sheet.
pub const SHEET: &str = "Recovery sheet of Aura";
/// What it is for.
pub const SHEET_SAYS: &str = "Whoever has this code and the computer's disk can read what Aura keeps. Keep it where you keep your passport, and not beside the computer.";
/// How it is used.
pub const SHEET_USE: &str = "When Aura does not find its key at its start, it asks for this code. Capital letters, dashes and spaces do not matter. After that choose a new place for the key in the settings.";
/// When it is over.
pub const SHEET_ENDS: &str = "It ends when you make another, or keep the key elsewhere.";
/// Prints it.
pub const SHEET_PRINT: &str = "Print";
/// It could not be made.
pub const SHEET_FAILED: &str = "The sheet could not be made. What I keep is as it was.";

/// Opens the forms.
pub const KEY_MOVE: &str = "Keep the key elsewhere";
/// What that does.
pub const KEY_MOVE_MEANS: &str = "I make a new key, read it back, and seal everything anew; only then I let go of the old one. That takes a moment, in which I do not answer. A recovery sheet from before opens nothing after that.";
/// The field of the passphrase of now.
pub const KEY_CURRENT: &str = "Your passphrase as it is now";
/// The field of the code, where the key is lost.
pub const SHEET_CODE: &str = "The code of your recovery sheet";
/// In the keyring.
pub const KEY_TO_KEYRING: &str = "Keep it in this computer's keyring";
/// A passphrase.
pub const KEY_NEW_PASSPHRASE: &str = "New passphrase";
/// What a good one is.
pub const KEY_PASSPHRASE_MEANS: &str = "At least twelve characters: four words that do not belong together are good. I ask for it at each start, and cannot start by myself when you log in.";
/// The button.
pub const KEY_TO_PASSPHRASE: &str = "Make it from this passphrase";
/// The field of the file.
pub const KEY_FILE: &str = "File, from your home folder (~) or with its whole path";
/// What a good one is.
pub const KEY_FILE_MEANS: &str = "On a stick or another disk, which is there whenever I start.";
/// The button.
pub const KEY_TO_FILE: &str = "Keep it in this file";
/// It has begun.
pub const KEY_BEGUN: &str =
    "I seal everything anew. I am away for a moment, and this page goes on by itself.";
/// The two passphrases are not the same.
pub const KEY_NOT_SAME: &str = "The two passphrases are not the same, or too short.";
/// Not the right one.
pub const KEY_WRONG_PASSPHRASE: &str = "That is not your passphrase as it is now.";
/// It cannot be kept there.
pub const KEY_REFUSED: &str = "The key cannot be kept there. Nothing was changed.";
/// It did not come about.
pub const KEY_FAILED: &str = "The key was not changed: something else had opened what I keep. Try again.";
/// Why it cannot be changed here.
pub const KEY_NOT_HERE: &str = "The key's place can be changed, and a sheet be made, only in the browser that Aura itself has opened on this computer, within half an hour.";
