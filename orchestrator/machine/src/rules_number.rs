//! The number of the rules by which this build decides.
//!
//! What: [`RULES_NUMBER`]. Why: a journal is folded again by the code of today, which makes the same of it only where the same
//! rules were in force; `Started` records the number, so that nobody compares what cannot be the same. Not here: where
//! a journal is cut between two numbers (`aura_runtime::journal`), the policy, whose hash is recorded beside it.
//!
//! It is raised by every release that changes what `step`, the scores or the canonical form do (`docs/adr/0045`).
//!
//! | Number | What changed |
//! |---|---|
//! | 1 | the first; journals of that time do not name it |
//! | 2 | a state without readings lapses and costs nothing (0046), digests wait for the window (0048), safety prompts have one (0049), numbers as in RFC 8785, an ingest's answer counts however late it comes (0053), candidates carry evidence into the trace (0074), an act on a card of Comms is told to Comms by a call (0075), what a program asks for is a candidate of ticks (0085), what the owner puts off comes back (0106) and is taken back (0125), what the owner always lets through needs no score (0113), a kind is wanted more or less (0126), the last 128 cards are remembered in place of 64 (0103), when a card was answered and what was instructed is remembered (0159), a meeting that is told of late is due at once and asked about again where Calendar could not say, or when what stood against it ends (0191), a call of which nothing was done is begun anew by the same request (0206) |

/// Of this build.
pub const RULES_NUMBER: u32 = 2;

/// Of journals of before the number was recorded.
pub(crate) fn unrecorded() -> u32 {
    1
}
