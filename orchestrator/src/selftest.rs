//! `aura selftest`: what this build promises, tried on this machine.
//!
//! What: [`crash`], which kills recorded days at every write; [`model_swap`], which plays them with other models;
//! [`chaos`], which hurts a living service. Why: who runs Aura for years wants to see for himself that it
//! survives a power cut. Not here: the command (`cli::selftest`).

pub mod chaos;
pub mod crash;
pub mod model_swap;
mod witness;

/// A number that looks like any other (`SplitMix64`: Steele, Lea, Flood, 2014), the same for the same one.
fn mixed(n: u64) -> u64 {
    let mut z = n.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}
