//! Whether a rule of the owner's fits those that stand.
//!
//! What: [`check_new`], [`has_rule`]. Why: page and command line refuse the same. Not here: what a rule itself may say
//! (`toolcall_schema::rule`), what it does (the machine).

use toolcall_schema::rule::{OwnerRule, RULES_MAX, RuleError, RuleName};

/// Whether a rule can be added to those that stand.
///
/// # Errors
/// RULE-001, RULE-002.
pub(crate) fn check_new(rule: &OwnerRule, rules: &[OwnerRule]) -> Result<(), RuleError> {
    rule.check()?;
    if rules.len() >= RULES_MAX && !has_rule(&rule.name, rules) {
        return Err(RuleError::TooMany);
    }
    Ok(())
}

/// Whether a rule of that name stands.
pub(crate) fn has_rule(name: &RuleName, rules: &[OwnerRule]) -> bool {
    rules.iter().any(|rule| rule.name == *name)
}
