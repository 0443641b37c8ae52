//! A rule as a page or a program asks for it: everything but its name.
//!
//! What: [`RuleRequest`], the body of `POST /v1/rules`, and the names that such rules get. Why: a form, a button and a program add a rule in one
//! way, and what stands already is not added twice. Not here: what a rule forbids (`toolcall_schema::rule`).

use chrono::NaiveTime;
use serde::{Deserialize, Serialize};
use toolcall_schema::{
    ActionKind,
    rule::{OwnerRule, RULES_MAX, RuleName},
    tick::Subject,
};

/// The body of `POST /v1/rules`. What it leaves open matches everything.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleRequest {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<ActionKind>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<Subject>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hours: Option<(NaiveTime, NaiveTime)>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub days: Vec<u8>,
}

impl RuleRequest {
    /// The rule under a name.
    pub fn under_name(&self, name: RuleName) -> OwnerRule {
        OwnerRule {
            kinds: self.kind.into_iter().collect(),
            subject: self.subject.clone(),
            hours: self.hours,
            days: self.days.clone(),
            ..OwnerRule::named(name)
        }
    }

    /// Whether a rule says this and nothing else, whatever its name.
    pub(crate) fn is_said_by(&self, rule: &OwnerRule) -> bool {
        *rule == self.under_name(rule.name.clone())
    }

    /// `show-brief-1`, or the next number that is free; `None`: none is.
    pub fn free_name(&self, rules: &[OwnerRule]) -> Option<RuleName> {
        (1..=RULES_MAX + 1)
            .filter_map(|n| RuleName::parse(&format!("{}-{n}", name_stem(self.kind))).ok())
            .find(|name| rules.iter().all(|rule| rule.name != *name))
    }
}

/// Whether a rule about this kind gets such a name.
pub(crate) fn is_name_for(kind: ActionKind, name: &RuleName) -> bool {
    let number = name.as_str().strip_prefix(&name_stem(Some(kind)));
    number
        .and_then(|number| number.strip_prefix('-'))
        .is_some_and(|number| number.parse::<usize>().is_ok())
}

fn name_stem(kind: Option<ActionKind>) -> String {
    kind.map_or_else(
        || "anything".to_owned(),
        |kind| kind.as_str().to_ascii_lowercase().replace('_', "-"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_kind(kind: Option<ActionKind>) -> RuleRequest {
        RuleRequest {
            kind,
            ..RuleRequest::default()
        }
    }

    #[test]
    fn a_rule_of_a_page_gets_the_next_free_name() {
        let name = |kind, names: &[&str]| {
            let taken: Vec<OwnerRule> = names
                .iter()
                .map(|name| OwnerRule::named(RuleName::parse(name).unwrap()))
                .collect();
            of_kind(kind).free_name(&taken).unwrap().to_string()
        };
        assert_eq!(name(Some(ActionKind::ShowBrief), &[]), "show-brief-1");
        assert_eq!(
            name(Some(ActionKind::ShowBrief), &["show-brief-1", "show-brief-3"]),
            "show-brief-2"
        );
        assert_eq!(name(None, &["night"]), "anything-1");
    }

    #[test]
    fn a_name_is_known_by_its_kind_and_number() {
        for (name, wanted) in [
            ("nap-15-1", true),
            ("nap-15-64", true),
            ("nap-15", false),
            ("nap-15-x", false),
            ("nap-151", false),
            ("night", false),
        ] {
            let name = RuleName::parse(name).unwrap();
            assert_eq!(is_name_for(ActionKind::Nap15, &name), wanted, "{name}");
        }
    }

    #[test]
    fn a_rule_says_the_same_under_any_name_and_not_with_an_end() {
        let request = of_kind(Some(ActionKind::Nap15));
        let rule = request.under_name(RuleName::parse("siesta").unwrap());
        assert!(request.is_said_by(&rule));
        let until = toolcall_schema::Timestamp::parse("2026-11-06T12:00:00Z").ok();
        assert!(!request.is_said_by(&OwnerRule {
            until,
            ..rule.clone()
        }));
        assert!(!of_kind(None).is_said_by(&rule));
    }
}
