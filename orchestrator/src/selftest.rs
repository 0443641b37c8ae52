//! `aura selftest`: what this build promises, tried on this machine.
//!
//! What: [`crash`], which kills recorded days at every write; [`model_swap`], which plays them with other models;
//! [`chaos`], which hurts a living service. Why: who runs Aura for years wants to see for himself that it
//! survives a power cut. Not here: the command (`cli::selftest`).

pub mod chaos;
pub mod crash;
pub mod model_swap;
mod witness;
