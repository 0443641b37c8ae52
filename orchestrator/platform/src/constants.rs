//! What differs between two policies.
//!
//! What: [`differences`], constant by constant. Why: the command line and the operator's console compare alike. Not here: what a constant
//! does (`orchestrator_machine::policy`).

use orchestrator_machine::policy::Policy;
use serde::Serialize;

/// A constant that differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConstantDifference {
    /// Its key.
    pub key: &'static str,
    /// In the first policy.
    pub a: String,
    /// In the second.
    pub b: String,
    /// What it means.
    pub means: &'static str,
}

/// Every constant that differs, in the order of the policy.
pub fn differences(a: &Policy, b: &Policy) -> Vec<ConstantDifference> {
    let mut differences: Vec<ConstantDifference> = a
        .constants()
        .zip(b.constants())
        .filter(|((_, a), (_, b))| a != b)
        .map(|((key, a), (_, b))| ConstantDifference {
            key: key.path,
            a: key.show(a).to_string(),
            b: key.show(b).to_string(),
            means: key.means,
        })
        .collect();
    if a.known_combinations() != b.known_combinations() {
        let [a, b] = [a, b].map(|policy| {
            policy.known_combinations().map_or_else(
                || "every combination".to_owned(),
                |rules| format!("{} combinations", rules.len()),
            )
        });
        let means = "combinations of kinds that are not novel";
        differences.push(ConstantDifference {
            key: "rules.known",
            a,
            b,
            means,
        });
    }
    differences
}
