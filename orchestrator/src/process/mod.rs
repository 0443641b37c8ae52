//! Processes of Aura beside its own.
//!
//! What: what a child process may do. Why: whatever reads data from outside does so where it can harm nothing. Not here:
//! decisions, effects.

pub mod sandbox;
