//! What hurts and measures Aura: benchmarks, `selftest chaos`, `selftest model-swap`, and their commands.
//!
//! Not here: anything that the binary `aura` needs.

pub mod bench;
pub mod chaos;
pub mod cli;
pub mod model_swap;
pub mod random;
