//! The real formats that Comms reads: mails (`eml`), many of them in one file (`mbox`), and notifications (`jsonl`).

pub mod eml;
pub mod jsonl;
pub mod mbox;
