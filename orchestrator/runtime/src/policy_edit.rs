//! A policy with some of its constants changed, as a form has them.
//!
//! What: [`with_fields`], which edits the text, and [`fields`], what the form shows. Why: who tries a number keeps the comments and the order of her file. What a
//! constant may be is checked where a policy is read, so that a form and a file are told the same. Pure. Not here: the constants (`orchestrator_machine::policy`).

use orchestrator_machine::policy::{ConstantUnit, KEYS, Policy, PolicyConstant};
use std::collections::BTreeMap;
use surfaces::backend::{console::PolicyField, settings::ChangedLine};
use toml_edit::{DocumentMut, Item, Table, TableLike, Value};
use toolcall_schema::policy_diagnostic::PolicyDiagnostic;

/// Lines of one policy times those of another that are compared: both with some thousand.
const COMPARED_MAX: usize = 4_000_000;

/// Every constant but the format's version, which nobody chooses.
pub(crate) fn fields(policy: &Policy) -> Vec<PolicyField> {
    let constants = policy
        .constants()
        .filter(|(key, _)| key.unit != ConstantUnit::Version);
    constants
        .map(|(key, amount)| PolicyField {
            key: key.path,
            means: key.means,
            unit: key.unit.as_str(),
            value: number(key, amount),
            low: number(key, key.low),
            high: number(key, key.high),
            is_whole: key.unit != ConstantUnit::Share,
        })
        .collect()
}

/// An amount without its unit.
fn number(key: &PolicyConstant, amount: i64) -> String {
    let shown = key.show(amount).to_string();
    shown.split(' ').next().unwrap_or_default().to_owned()
}

/// The text with these constants. One that is no number stands there as it was typed, so that reading it says what is wrong and where.
///
/// # Errors
/// A text that is no TOML, or a key that is none of a policy.
pub(crate) fn with_fields(
    text: &str,
    typed: &BTreeMap<String, String>,
) -> Result<String, Vec<PolicyDiagnostic>> {
    let wrong = |message: String| {
        vec![PolicyDiagnostic {
            code: "POLICY-001",
            line: 1,
            column: 1,
            message,
        }]
    };
    let policy = Policy::parse(text).map_err(|error| error.findings().cloned().collect::<Vec<_>>())?;
    let in_force: BTreeMap<&str, String> = policy
        .constants()
        .map(|(key, amount)| (key.path, number(key, amount)))
        .collect();
    let mut document: DocumentMut = text
        .parse()
        .map_err(|_| wrong("the policy in force is no TOML".to_owned()))?;
    for (path, typed) in typed {
        let typed = typed.trim();
        let Some(key) = KEYS.iter().find(|key| key.path == path.as_str()) else {
            return Err(wrong("a constant that no policy has".to_owned()));
        };
        if in_force.get(key.path).is_some_and(|value| value == typed) {
            continue;
        }
        let (table, name) = key.path.rsplit_once('.').unwrap_or(("", key.path));
        let root = document.as_table_mut();
        let table: &mut dyn TableLike = if table.is_empty() {
            root
        } else {
            root.entry(table)
                .or_insert_with(|| Item::Table(Table::new()))
                .as_table_like_mut()
                .ok_or_else(|| wrong("a table is written in a way that a form cannot change".to_owned()))?
        };
        let is_number = |value: &Value| value.is_integer() || value.is_float();
        let mut value = typed
            .parse::<Value>()
            .ok()
            .filter(is_number)
            .unwrap_or_else(|| Value::from(typed));
        match table.get_mut(name) {
            Some(Item::Value(old)) => {
                *value.decor_mut() = old.decor().clone();
                *old = value;
            }
            Some(_) => return Err(wrong("a constant is written as a table".to_owned())),
            None => {
                table.insert(name, Item::Value(value));
            }
        }
    }
    Ok(document.to_string())
}

/// The lines that differ; none where there are too many to compare.
pub(crate) fn compared_lines(before: &str, after: &str) -> Vec<ChangedLine> {
    if before.lines().count().saturating_mul(after.lines().count()) > COMPARED_MAX {
        return Vec::new();
    }
    crate::home_file::changed_lines(before, after)
}

#[cfg(test)]
mod tests {
    use super::*;
    use orchestrator_machine::policy::DEFAULT_TEXT;

    fn edited(typed: &[(&str, &str)]) -> Result<String, Vec<PolicyDiagnostic>> {
        let typed = typed
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect();
        with_fields(DEFAULT_TEXT, &typed)
    }

    #[test]
    fn fields_are_the_constants_of_the_file_as_numbers() {
        let policy = Policy::parse(DEFAULT_TEXT).unwrap();
        let fields = fields(&policy);
        assert_eq!(fields.len(), KEYS.len() - 1);
        let of = |key: &str| fields.iter().find(|field| field.key == key).unwrap();
        let threshold = of("threshold");
        assert_eq!(
            (
                threshold.value.as_str(),
                threshold.low.as_str(),
                threshold.high.as_str(),
                threshold.is_whole
            ),
            ("0.45", "0", "1", false)
        );
        let window = of("caps.window_min");
        assert_eq!(
            (
                window.value.as_str(),
                window.unit,
                window.high.as_str(),
                window.is_whole
            ),
            ("30", "min", "1440", true)
        );
    }

    #[test]
    fn edit_changes_its_constant_and_leaves_every_comment() {
        let text = edited(&[
            ("cost.confirm", "0.1"),
            ("threshold", "0.45"),
            ("caps.window_min", "45"),
        ])
        .unwrap();
        let wanted = DEFAULT_TEXT
            .replace("confirm = 0.05 ", "confirm = 0.1 ")
            .replace("window_min = 30 ", "window_min = 45 ");
        assert_eq!(text, wanted);
        assert_eq!(edited(&[]).unwrap(), DEFAULT_TEXT);
        let lines = compared_lines(DEFAULT_TEXT, &text);
        assert_eq!(lines.len(), 4, "{lines:?}");
        assert!(Policy::parse(&text).is_ok());
    }

    #[test]
    fn what_is_no_amount_is_named_where_it_stands() {
        for typed in ["1.5", "-1", "much", "", "0.4501", "1e3", "nan"] {
            let text = edited(&[("threshold", typed)]).unwrap();
            let error = Policy::parse(&text).unwrap_err();
            let finding = error.findings().next().unwrap();
            assert!(
                finding.line > 1 && finding.message.contains("threshold"),
                "{typed}: {finding}"
            );
        }
        assert!(edited(&[("threshold.x", "1")]).is_err());
        assert!(edited(&[("rules.known", "1")]).is_err());
    }
}
