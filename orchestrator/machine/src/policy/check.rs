//! Reading a policy's text, with the place of each mistake.
//!
//! What: [`read_constants`], from text to the amount of each constant, or to every mistake with line, column and remedy. Why: a
//! policy is used whole or not at all, and who wrote it is told all that is wrong at once. Not here: the table of constants
//! (`keys`), what they do.

use super::keys::{ConstantUnit, KEYS, PolicyConstant};
use std::{collections::BTreeMap, fmt, ops::Range};
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};
use toolcall_schema::{ActionKind, policy_diagnostic::PolicyDiagnostic};

/// A longer text is no policy.
pub const BYTES_MAX: usize = 64 * 1024;
/// At most this many combinations of kinds are known.
pub(super) const RULES_MAX: usize = 64;

/// A policy that cannot be used: at least one finding, in the order of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyError {
    /// The first.
    pub first: PolicyDiagnostic,
    /// The others.
    pub more: Vec<PolicyDiagnostic>,
}

impl PolicyError {
    /// All of them.
    pub fn findings(&self) -> impl Iterator<Item = &PolicyDiagnostic> {
        std::iter::once(&self.first).chain(&self.more)
    }
}

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.first.fmt(f)?;
        match self.more.len() {
            0 => Ok(()),
            more => write!(f, " (and {more} more: `aura policy check` lists them)"),
        }
    }
}

impl std::error::Error for PolicyError {}

/// The text being read, and what was found so far, by its place in it.
struct DiagnosticCollector<'a> {
    text: &'a str,
    found: Vec<(usize, PolicyDiagnostic)>,
}

impl DiagnosticCollector<'_> {
    fn report(&mut self, at: usize, code: &'static str, message: String) {
        let before = self.text.get(..at).unwrap_or(self.text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        self.found.push((
            at,
            PolicyDiagnostic {
                code,
                line,
                column,
                message,
            },
        ));
    }
}

/// The amount of each constant of [`KEYS`].
pub(super) fn read_constants(text: &str) -> Result<BTreeMap<&'static str, i64>, PolicyError> {
    let mut place = DiagnosticCollector { text, found: vec![] };
    let mut amounts = BTreeMap::new();
    if text.len() > BYTES_MAX {
        let message = format!("a policy has at most {BYTES_MAX} bytes; this is another file");
        place.report(BYTES_MAX, "POLICY-006", message);
    } else {
        match DeTable::parse(text) {
            Ok(top) => tables(&mut place, &top, &mut amounts),
            Err(error) => {
                let at = error.span().map_or(0, |span| span.start);
                let why = error.message().lines().next().unwrap_or_default();
                place.report(at, "POLICY-001", format!("not TOML: {why}"));
            }
        }
    }
    // What is missing has no place of its own: it comes last.
    place
        .found
        .sort_by_key(|(at, finding)| (finding.code == "POLICY-003", *at));
    let mut findings = place.found.into_iter().map(|(_, finding)| finding);
    match findings.next() {
        None => Ok(amounts),
        Some(first) => Err(PolicyError {
            first,
            more: findings.collect(),
        }),
    }
}

fn tables(
    place: &mut DiagnosticCollector<'_>,
    top: &Spanned<DeTable<'_>>,
    amounts: &mut BTreeMap<&'static str, i64>,
) {
    let names: Vec<&'static str> = KEYS
        .iter()
        .map(|key| key.parts().0)
        .filter(|name| !name.is_empty())
        .collect();
    let (mut here, mut inner) = (Vec::new(), Vec::new());
    for (name, value) in top.get_ref() {
        match value.get_ref().as_table() {
            Some(table) if name.get_ref() == "rules" => rules(place, table),
            Some(table) if names.contains(&name.get_ref().as_ref()) => {
                inner.push((name.get_ref().as_ref(), value.span(), table));
            }
            Some(_) | None => here.push((name, value)),
        }
    }
    members(place, "", 0..0, here, amounts);
    let mut seen: Vec<&str> = Vec::new();
    for (name, span, table) in inner {
        seen.push(name);
        members(place, name, span, table.iter().collect(), amounts);
    }
    let mut missing: Vec<&str> = Vec::new();
    for key in KEYS.iter().filter(|key| !seen.contains(&key.parts().0)) {
        match (key.default, key.parts().0) {
            (Some(default), _) => drop(amounts.insert(key.path, default)),
            (None, "") => {}
            (None, table) => missing.push(table),
        }
    }
    missing.dedup();
    for name in missing {
        let message = format!("the table [{name}] is missing; copy it from `aura policy show --default`");
        place.report(place.text.len(), "POLICY-003", message);
    }
}

/// The table `[rules]`, which may be missing: combinations of kinds.
fn rules(place: &mut DiagnosticCollector<'_>, table: &DeTable<'_>) {
    for (name, value) in table {
        if name.get_ref() != "known" {
            let message = format!("unknown key {}; [rules] may hold known", short(name.get_ref()));
            place.report(name.span().start, "POLICY-002", message);
            continue;
        }
        let kinds = |row: &DeValue<'_>| {
            let row = row
                .as_array()
                .filter(|row| (2..=ActionKind::ALL.len()).contains(&row.len()))?;
            let kind = |kind: &Spanned<DeValue<'_>>| ActionKind::parse(kind.get_ref().as_str()?);
            row.iter().map(kind).collect::<Option<Vec<_>>>()
        };
        let rows = value.get_ref().as_array();
        let rows = rows
            .filter(|rows| rows.len() <= RULES_MAX && rows.iter().all(|row| kinds(row.get_ref()).is_some()));
        if rows.is_none() {
            let message = format!(
                "rules.known must be a list of at most {RULES_MAX} lists of two or more action kinds such as [\"SHOW_BRIEF\", \
                 \"LEAVE_BY_ALERT\"]"
            );
            place.report(value.span().start, "POLICY-004", message);
        }
    }
}

type TomlMember<'t, 'i> = (&'t Spanned<std::borrow::Cow<'i, str>>, &'t Spanned<DeValue<'i>>);

/// One table's members against the constants of that table.
fn members(
    place: &mut DiagnosticCollector<'_>,
    table: &str,
    span: Range<usize>,
    given: Vec<TomlMember<'_, '_>>,
    amounts: &mut BTreeMap<&'static str, i64>,
) {
    let keys: Vec<&'static PolicyConstant> = KEYS.iter().filter(|key| key.parts().0 == table).collect();
    let mut seen: Vec<&str> = Vec::new();
    for (name, value) in given {
        let Some(key) = keys.iter().find(|key| key.parts().1 == name.get_ref().as_ref()) else {
            let known: Vec<&str> = keys.iter().map(|key| key.parts().1).collect();
            let message = format!(
                "unknown key {}; {} may hold {}",
                short(name.get_ref()),
                if table.is_empty() {
                    "the top".to_owned()
                } else {
                    format!("[{table}]")
                },
                known.join(", ")
            );
            place.report(name.span().start, "POLICY-002", message);
            continue;
        };
        seen.push(key.parts().1);
        match amount(key, value.get_ref()) {
            Ok(amount) => drop(amounts.insert(key.path, amount)),
            Err((code, message)) => place.report(value.span().start, code, message),
        }
    }
    for key in keys.iter().filter(|key| !seen.contains(&key.parts().1)) {
        if let Some(default) = key.default {
            amounts.insert(key.path, default);
            continue;
        }
        let message = format!(
            "{} is missing: {}, from {} to {}",
            key.path,
            key.means,
            key.show(key.low),
            key.show(key.high)
        );
        place.report(span.start, "POLICY-003", message);
    }
}

/// What the file says, quoted and bounded.
fn short(text: &str) -> String {
    let bounded: String = text.chars().take(40).collect();
    format!("{bounded:?}")
}

fn amount(key: &PolicyConstant, value: &DeValue<'_>) -> Result<i64, (&'static str, String)> {
    let wrong = || {
        let wanted = match key.unit {
            ConstantUnit::Share => "a number such as 0.45",
            ConstantUnit::Minutes | ConstantUnit::Points | ConstantUnit::Cards | ConstantUnit::Version => {
                "a whole number"
            }
        };
        ("POLICY-004", format!("{} must be {wanted}", key.path))
    };
    let outside = || {
        let (low, high) = (key.show(key.low), key.show(key.high));
        ("POLICY-005", format!("{} must be from {low} to {high}", key.path))
    };
    let whole = value
        .as_integer()
        .map(|number| i64::from_str_radix(number.as_str(), number.radix()).map_err(|_| outside()));
    let found = match (key.unit, whole) {
        (ConstantUnit::Share, Some(whole)) => whole?.checked_mul(1000).ok_or_else(outside)?,
        (
            ConstantUnit::Minutes | ConstantUnit::Points | ConstantUnit::Cards | ConstantUnit::Version,
            Some(whole),
        ) => whole?,
        (ConstantUnit::Share, None) => {
            let number: f64 = value
                .as_float()
                .and_then(|number| number.as_str().parse().ok())
                .ok_or_else(wrong)?;
            let milli = toolcall_schema::milli::Milli::from_f64(number).ok_or_else(outside)?;
            if (number - milli.to_f64()).abs() > 1e-9 {
                let message = format!(
                    "{} has more than three decimals, which are all that count",
                    key.path
                );
                return Err(("POLICY-005", message));
            }
            milli.0
        }
        (
            ConstantUnit::Minutes | ConstantUnit::Points | ConstantUnit::Cards | ConstantUnit::Version,
            None,
        ) => return Err(wrong()),
    };
    if (key.low..=key.high).contains(&found) {
        Ok(found)
    } else {
        Err(outside())
    }
}
