//! What is said of a passphrase.
//!
//! What: how good one is, and what helps who forgot theirs. Why: nobody can tell by looking, and a forgotten one is no end while I run. Not here: the
//! rest of the page about the key (`keys`).

/// Fewer characters than it must have.
pub const PASSPHRASE_SHORT: &str = "Too short: at least twelve characters.";
/// Guessed within days.
pub const PASSPHRASE_WEAK: &str = "Easy to guess. Take four words that do not belong together.";
/// It will do.
pub const PASSPHRASE_FAIR: &str = "Good enough. One more word makes it strong.";
/// Nobody guesses it.
pub const PASSPHRASE_STRONG: &str = "Strong.";
/// The way out while the service runs.
pub const PASSPHRASE_FORGOTTEN: &str = "Forgotten? As long as I run, make a recovery sheet below: its code opens what I keep, here too in place of the passphrase.";
/// Shows that it is the owner who asks.
pub const PROOF_SHOW: &str = "It is me";
/// What that is good for.
pub const PROOF_MEANS: &str = "On this computer, your passphrase does the same: for half an hour this browser may allow folders, start programs and change the key.";
/// It was the right one.
pub const PROOF_GOOD: &str = "Good for half an hour.";
/// Back to where it is needed.
pub const PROOF_ON: &str = "Go on in Settings";
