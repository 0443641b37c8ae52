//! What the contracts promise, as those who read and write them see it.
//!
//! What: one file for each part: schemas, validators against the reference (`differential`, `by_type`), the gate, what strangers' documents cost
//! (`memory`), wire and recipes. Why one program: each program of tests would link the reference validator once more. Not here: the parts' own
//! tests (`src`).

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests fail by panicking, as tests do"
)]

mod by_type;
mod differential;
mod drafts;
mod gate;
mod memory;
mod protocol;
mod recipes;
mod schemas;
mod strictness;
mod support;
