//! What Aura decides with, and what it would have decided with something else.
//!
//! What: policy and catalogue in force, and the answer to a what-if. Why: a trace names both by their hashes; here is what they say. Not
//! here: what the constants do (`orchestrator-machine`), putting another policy into force (the backend).

use chrono::NaiveDate;
use std::collections::BTreeMap;
use toolcall_schema::{Timestamp, policy_diagnostic::PolicyDiagnostic, whatif::WhatIfAnswer};

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
    /// Every constant in force, in the order of the table.
    pub constants: Vec<ConstantField>,
    /// The catalogue; its tools are this build's.
    pub catalogue: CatalogueView,
}

/// A constant of two policies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConstantChange {
    /// Its key.
    pub key: &'static str,
    /// In the one it is compared with.
    pub before: String,
    pub after: String,
}

/// A constant as a form shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConstantField {
    /// Table and key: `cost.confirm`.
    pub key: &'static str,
    /// As a policy writes it.
    pub value: String,
    /// `min`, `points`, or nothing.
    pub unit: &'static str,
    /// What it means, in English to programs; pages have names of their own for it.
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
    /// Constants that are other ones in it, by their keys, as a policy would write them.
    pub constants: BTreeMap<String, String>,
    /// The first local day that is decided anew; absent: all.
    pub from: Option<NaiveDate>,
    /// The last one, itself included; absent: all.
    pub to: Option<NaiveDate>,
}

/// A policy that was tried.
#[derive(Debug, Clone, PartialEq)]
pub struct PolicyTrial {
    pub report: WhatIfReport,
    /// Its text.
    pub text: String,
    /// The hash of the policy in force.
    pub in_force: String,
    /// What differs from the one in force.
    pub differences: Vec<ConstantChange>,
}

/// A policy that is to be in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyWish {
    pub text: String,
    /// The hash of the one that it was compared with.
    pub shown: String,
}

/// What came of a wish.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PolicyOutcome {
    /// Its hash; it counts from the next tick on.
    InForce(String),
    /// It cannot be used.
    Unusable(Vec<PolicyDiagnostic>),
    /// Another one is in force, or in the file, than it was compared with.
    Changed,
    /// The service was started without a file for it, so that the next start would know nothing of it.
    NoFile,
    /// The file could not be written, or not be taken up; the old one stands in it.
    NotWritten,
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
