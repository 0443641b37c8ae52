//! What Aura shows: cards, the drawer, the pages on phone and watch, and the local API.
//!
//! What: pure rendering of decisions and traces into words ([`render`]), and a small server on the loopback
//! that puts them on pages and forwards what the owner answers ([`web`]). Why: the owner sees why something was said,
//! or not said, in plain words with real numbers. Not here: decisions (`orchestrator-machine`), storage
//! (`aura-memory`), what an answer does (`surfaces_base::Backend`, implemented by `aura-runtime`).

pub mod push;
pub mod render;
pub mod undoing;
pub mod web;

pub use web::{
    AcceptCatalogue, WebConfig, bind, serve, serve_away, serve_changed_catalogue, serve_documents,
    serve_locked,
};
