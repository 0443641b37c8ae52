//! What Aura shows: cards, the drawer, the pages on phone and watch, and the local API.
//!
//! What: pure rendering of decisions and traces into words ([`render`], [`words`]), and a small server on the loopback
//! that puts them on pages and forwards what the owner answers ([`web`]). Why: the owner sees why something was said,
//! or not said, in plain words with real numbers. Not here: decisions (`orchestrator-machine`), storage
//! (`aura-memory`), what an answer does ([`backend::Backend`], implemented by `orchestrator`).

pub mod backend;
pub mod devices;
pub mod format;
pub mod language;
pub mod locale;
pub mod push;
pub mod render;
pub mod undoing;
pub mod visible;
pub mod web;
pub mod words;

pub use backend::{Backend, owner::OwnerBackend};
pub use devices::DeviceRegistry;
pub use web::{
    AcceptCatalogue, WebConfig, bind, serve, serve_away, serve_changed_catalogue, serve_documents,
    serve_locked,
};
