//! The language model behind a bounded trait.
//!
//! What: what a model is asked ([`question`], [`prompt`]), how its answer is read and checked ([`fact_check`], [`facts`]), who answers
//! ([`LanguageModel`]), and what a model file is ([`manifest`]). Why: a small model's own prose is not to be trusted; a pick among
//! sentences that are already true is, and a sentence whose every number is quoted. Not here: decisions, and anything that must not fail.

mod fact_check;
mod facts;
mod language_model;
pub mod manifest;
#[cfg(feature = "native")]
pub mod native;
pub mod prompt;
pub mod question;
pub mod wire;

pub use language_model::{
    AbsentModel, LanguageModel, ModelText, PendingAnswer, RecordedReply, ScriptedModel,
};
pub use question::{ModelAnswer, ModelQuestion};
