//! What is said of the key.
//!
//! What: the section of the page Settings and of the welcome. Not here: what is said while everything is sealed anew (`away`).

use crate::language::Text;

/// It is not in its place.
pub const KEY_IS_LOST: Text = Text("keys-key-is-lost");
/// A sheet opens it too.
pub const SHEET_IS_THERE: Text = Text("keys-sheet-is-there");
/// None does.
pub const SHEET_IS_NOT_THERE: Text = Text("keys-sheet-is-not-there");
/// Makes one.
pub const SHEET_MAKE: Text = Text("keys-sheet-make");
/// What that does.
pub const SHEET_MEANS: Text = Text("keys-sheet-means");
/// Heading of the sheet.
pub const SHEET: Text = Text("keys-sheet");
/// What it is for.
pub const SHEET_SAYS: Text = Text("keys-sheet-says");
/// How it is used.
pub const SHEET_USE: Text = Text("keys-sheet-use");
/// When it is over.
pub const SHEET_ENDS: Text = Text("keys-sheet-ends");
/// Prints it.
pub const SHEET_PRINT: Text = Text("keys-sheet-print");
/// It could not be made.
pub const SHEET_FAILED: Text = Text("keys-sheet-failed");

/// Opens the forms.
pub const KEY_MOVE: Text = Text("keys-key-move");
/// What that does.
pub const KEY_MOVE_MEANS: Text = Text("keys-key-move-means");
/// The field of the passphrase of now.
pub const KEY_CURRENT: Text = Text("keys-key-current");
/// The field of the code, where the key is lost.
pub const SHEET_CODE: Text = Text("keys-sheet-code");
/// In the keyring.
pub const KEY_TO_KEYRING: Text = Text("keys-key-to-keyring");
/// A passphrase.
pub const KEY_NEW_PASSPHRASE: Text = Text("keys-key-new-passphrase");
/// What a good one is.
pub const KEY_PASSPHRASE_MEANS: Text = Text("keys-key-passphrase-means");
/// The button.
pub const KEY_TO_PASSPHRASE: Text = Text("keys-key-to-passphrase");
/// The field of the file.
pub const KEY_FILE: Text = Text("keys-key-file");
/// What a good one is.
pub const KEY_FILE_MEANS: Text = Text("keys-key-file-means");
/// The button.
pub const KEY_TO_FILE: Text = Text("keys-key-to-file");
/// It has begun.
pub const KEY_BEGUN: Text = Text("keys-key-begun");
/// The two passphrases are not the same.
pub const KEY_NOT_SAME: Text = Text("keys-key-not-same");
/// Not the right one.
pub const KEY_WRONG_PASSPHRASE: Text = Text("keys-key-wrong-passphrase");
/// It cannot be kept there.
pub const KEY_REFUSED: Text = Text("keys-key-refused");
/// It did not come about.
pub const KEY_FAILED: Text = Text("keys-key-failed");
/// Why it cannot be changed here.
pub const KEY_NOT_HERE: Text = Text("keys-key-not-here");
