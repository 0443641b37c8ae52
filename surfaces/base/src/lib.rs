//! What every surface rests on: what it may ask of the service, who may ask, and the words.
//!
//! What: the contract with the service ([`Backend`]), paired devices and what each may do, what a push may carry, and every text in English and
//! German with its numbers and dates ([`words`], [`language`], [`mod@format`]). Why: who answers a surface, or only says something, needs no page and
//! no server. Not here: pages, pictures, HTTP (`surfaces`), what an answer does (`aura-runtime`).

pub mod backend;
pub mod day_load;
pub mod devices;
pub mod format;
pub mod language;
pub mod locale;
pub mod passphrase_strength;
pub mod visible;
pub mod words;

pub use backend::{Backend, owner::OwnerBackend};
pub use devices::DeviceRegistry;
