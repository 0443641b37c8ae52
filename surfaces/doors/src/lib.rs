//! Protocols of other people's programs, translated into what they may ask of Aura.
//!
//! What: the Model Context Protocol ([`mcp`]), over HTTP behind Aura's own guard and over standard input. Why: programs speak protocols of
//! their own, and each of them comes down to the verbs of [`surfaces_base::backend::asks`]: none is a way of its own to the machine. Not here: the
//! guard (`surfaces::web`), what a device may ask and what came of it (the backend), the owner's confirm, which no protocol carries.

pub mod mcp;
