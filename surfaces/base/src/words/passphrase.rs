//! What is said of a passphrase.
//!
//! What: how good one is, and what helps who forgot theirs. Why: nobody can tell by looking, and a forgotten one is no end while I run. Not here: the
//! rest of the page about the key (`keys`).

use crate::language::Text;

/// Fewer characters than it must have.
pub const PASSPHRASE_SHORT: Text = Text("passphrase-short");
/// Guessed within days.
pub const PASSPHRASE_WEAK: Text = Text("passphrase-weak");
/// It will do.
pub const PASSPHRASE_FAIR: Text = Text("passphrase-fair");
/// Nobody guesses it.
pub const PASSPHRASE_STRONG: Text = Text("passphrase-strong");
/// The way out while the service runs.
pub const PASSPHRASE_FORGOTTEN: Text = Text("passphrase-forgotten");
/// Shows that it is the owner who asks.
pub const PROOF_SHOW: Text = Text("passphrase-proof-show");
/// What that is good for.
pub const PROOF_MEANS: Text = Text("passphrase-proof-means");
/// It was the right one.
pub const PROOF_GOOD: Text = Text("passphrase-proof-good");
/// Back to where it is needed.
pub const PROOF_ON: Text = Text("passphrase-proof-on");
