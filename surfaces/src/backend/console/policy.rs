//! What Aura decides with, and what it would have decided with something else.
//!
//! What: policy and catalogue in force, and the answer to a what-if. Why: a trace names both by their hashes; here is what they say. Not
//! here: what the constants do (`orchestrator-machine`), putting another policy into force (`aura policy reload`).

use chrono::NaiveDate;
use toolcall_schema::{Timestamp, whatif::WhatIfAnswer};

/// Bytes of a policy that is tried: the built-in one has 7 KiB.
pub const POLICY_BYTES_MAX: usize = 64 * 1024;

/// Policy and catalogue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyView {
    /// SHA-256 of the policy's text.
    pub hash: String,
    /// The text with its comments.
    pub text: String,
    /// Whether it is the built-in one.
    pub built_in: bool,
    /// Constants that differ from the built-in ones.
    pub differences: Vec<ConstantChange>,
    /// The catalogue; its tools are this build's.
    pub catalogue: CatalogueView,
}

/// A constant of two policies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConstantChange {
    /// Its key.
    pub key: &'static str,
    /// In the built-in policy.
    pub built_in: String,
    /// In the one in force.
    pub in_force: String,
    /// What it means.
    pub means: &'static str,
}

/// The catalogue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogueView {
    /// SHA-256 of this build's.
    pub hash: String,
    /// SHA-256 of the one that was accepted for this folder; a service does not start on another one.
    pub accepted: Option<String>,
}

/// What is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WhatIfQuestion {
    /// The other policy's text, at most [`POLICY_BYTES_MAX`].
    pub policy: String,
    /// The first local day that is decided anew; absent: all.
    pub from: Option<NaiveDate>,
    /// The last one, itself included; absent: all.
    pub to: Option<NaiveDate>,
}

/// The answer, with when and where it was put together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WhatIfReport {
    /// Wall clock.
    pub at: Timestamp,
    /// The owner's time zone, an IANA name.
    pub zone: String,
    pub answer: WhatIfAnswer,
}
