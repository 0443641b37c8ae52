//! The real formats that Comms reads: mails (`eml`) and notifications (`jsonl`).

pub mod eml;
pub mod jsonl;
