//! What Comms reads beside mail folders: signals (`jsonl`).

pub(super) mod jsonl;
