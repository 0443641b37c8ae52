//! What hurts and measures Aura: benchmarks, `selftest chaos`, `selftest model-swap`, and their commands.
//!
//! Not here: anything that the binary `aura` needs.

mod bench;
pub mod chaos;
pub mod cli;
pub mod dovecot;
mod model_swap;
mod random;
