//! What Comms reads beside mail folders: signals (`jsonl`).

pub mod jsonl;
