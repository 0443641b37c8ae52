//! What Aura decides with, and what it would have decided with something else.
//!
//! What: policy and catalogue in force, the answer to a what-if, and putting another policy into force. Why: a trace names both by their hashes; here is
//! what they say. Not here: what the constants do (`orchestrator-machine`).

use crate::backend::types::ChangedLine;
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
    /// Every constant that may be changed, in the order of the file.
    pub fields: Vec<PolicyField>,
    /// Whether another one can be put into force from a page.
    pub can_change: bool,
    /// The catalogue; its tools are this build's.
    pub catalogue: CatalogueView,
}

/// A constant as a field shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyField {
    /// Table and key: `cost.confirm`.
    pub key: &'static str,
    /// What it means.
    pub means: &'static str,
    /// What it is counted in; empty: a plain number.
    pub unit: &'static str,
    /// In force, and the least and the greatest that it may be, as numbers.
    pub value: String,
    pub low: String,
    pub high: String,
    /// Whether it has no decimals; else at most three.
    pub is_whole: bool,
}

/// A constant of two policies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConstantChange {
    /// Its key.
    pub key: &'static str,
    /// In the first.
    pub before: String,
    /// In the second.
    pub after: String,
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

/// The other policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PolicyDraft {
    /// Its text, at most [`POLICY_BYTES_MAX`].
    Text(String),
    /// The one in force with these constants, each by its key as it was typed.
    Fields(BTreeMap<String, String>),
}

/// What is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WhatIfQuestion {
    pub policy: PolicyDraft,
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

/// Another policy on trial: what it changes, and what it would have changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyTrial {
    /// SHA-256 of the one in force, which it was compared with.
    pub shown: String,
    /// Its text.
    pub text: String,
    /// Constants that differ from those in force.
    pub differences: Vec<ConstantChange>,
    /// Lines that differ; empty where there are too many lines to compare.
    pub lines: Vec<ChangedLine>,
    /// Whether it can be put into force from a page.
    pub can_change: bool,
    pub report: WhatIfReport,
}

/// A policy that is to be put into force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyChange {
    /// SHA-256 of the one that its owner saw in force.
    pub shown: String,
    /// The new one's text, at most [`POLICY_BYTES_MAX`].
    pub policy: String,
}

/// What became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PolicyReply {
    /// It is in force as soon as Aura is idle. `file`: where it stands, as a page may show it.
    Taken { file: String },
    /// Another one is in force meanwhile.
    Changed,
    /// It cannot be used.
    Bad(Vec<PolicyDiagnostic>),
    /// It could not be written or taken up: why.
    Failed(String),
    /// No page changes it here, as in the demo.
    Nothing,
}
