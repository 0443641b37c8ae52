//! The only way from a value to an export.
//!
//! What: a type for each class of field, and [`FieldRedactor`], which alone can write them. Why: a field that has no class has no way
//! into an export; it does not compile. Not here: the table (`class`), which field has which class (`rows`).

use super::class::{Action, Class, ProfileRules};
use rust_decimal::{Decimal, RoundingStrategy};
use serde::Serialize;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use toolcall_schema::{Timestamp, cell::GridCell, money::SignedAmount};

/// Amounts are rounded to this when they are not to be exact.
const ROUGH_AMOUNT: u32 = 500;
/// Cells are this much wider when they are not to be exact: 10 km.
const ROUGH_CELLS: i32 = 50;

/// Writes fields by a table and counts what it removed.
pub(super) struct FieldRedactor<'t> {
    pub(super) table: &'t ProfileRules,
    removed: BTreeMap<Class, u64>,
}

impl<'t> FieldRedactor<'t> {
    pub(super) fn new(table: &'t ProfileRules) -> Self {
        let removed = BTreeMap::new();
        Self { table, removed }
    }

    /// What was removed or coarsened, and how often.
    pub(super) fn removed(&self) -> Vec<RedactionCount> {
        let count = |(class, count): (&Class, &u64)| RedactionCount {
            class: *class,
            action: self.table.action(*class),
            count: *count,
        };
        self.removed.iter().map(count).collect()
    }

    /// The exact form, the rough one where there is one, or nothing.
    fn decide(
        &mut self,
        class: Class,
        exact: impl FnOnce() -> String,
        rough: Option<String>,
    ) -> Option<String> {
        let action = self.table.action(class);
        if action == Action::Keep {
            return Some(exact());
        }
        *self.removed.entry(class).or_default() += 1;
        match action {
            Action::Coarsen => rough,
            Action::Keep | Action::Remove => None,
        }
    }
}

/// How often a profile removed or coarsened a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct RedactionCount {
    /// The class.
    pub class: Class,
    /// What was done.
    pub action: Action,
    /// How often.
    pub count: u64,
}

/// A value with its class. `None`: it is not shown.
pub(super) trait RedactField {
    fn redacted(self, censor: &mut FieldRedactor<'_>) -> Option<String>;
}

/// JSON of names and numbers, which cannot fail.
pub(super) fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned())
}

/// Tells nothing of the eight: a type, an outcome, a count.
pub(super) struct PlainField<T>(pub(super) T);
/// A moment.
pub(super) struct TimeField(pub(super) Timestamp);
/// What this installation knows a thing by.
pub(super) struct KeyField<'a>(pub(super) &'a str);
/// What this export knows a thing by: its key where keys are shown, else a number.
pub(super) struct NameField<'a>(pub(super) &'a str, pub(super) i64);
/// A value of a class that has no rough form.
pub(super) struct ClassField<T>(pub(super) Class, pub(super) T);
/// An amount.
pub(super) struct MoneyField(pub(super) SignedAmount);
/// A place.
pub(super) struct PlaceField(pub(super) GridCell);
/// JSON that is kept as text, of a class.
pub(super) struct JsonField<'a>(pub(super) Class, pub(super) &'a str);
/// What the owner calls a thing of a class; a telephone number may stand in it.
pub(super) struct LabelField<'a>(pub(super) Class, pub(super) &'a str);
/// Fields of its own.
pub(super) struct NestedFields(pub(super) String);

impl<T: Serialize> RedactField for PlainField<T> {
    fn redacted(self, _censor: &mut FieldRedactor<'_>) -> Option<String> {
        Some(json(&self.0))
    }
}

impl RedactField for TimeField {
    fn redacted(self, censor: &mut FieldRedactor<'_>) -> Option<String> {
        Some(if censor.table.exact_times {
            json(&self.0)
        } else {
            json(&self.0.utc().date_naive())
        })
    }
}

impl RedactField for KeyField<'_> {
    fn redacted(self, censor: &mut FieldRedactor<'_>) -> Option<String> {
        censor.table.keys.then(|| json(&self.0))
    }
}

impl RedactField for NameField<'_> {
    fn redacted(self, censor: &mut FieldRedactor<'_>) -> Option<String> {
        let Self(key, row) = self;
        Some(if censor.table.keys {
            json(&key)
        } else {
            json(&format!("n_{row}"))
        })
    }
}

impl<T: Serialize> RedactField for ClassField<T> {
    fn redacted(self, censor: &mut FieldRedactor<'_>) -> Option<String> {
        censor.decide(self.0, || json(&self.1), None)
    }
}

impl RedactField for MoneyField {
    fn redacted(self, censor: &mut FieldRedactor<'_>) -> Option<String> {
        let step = Decimal::from(ROUGH_AMOUNT);
        let steps = (self.0.size() / step).round_dp_with_strategy(0, RoundingStrategy::MidpointAwayFromZero);
        let rough = json(&self.0.with_size((steps * step).normalize()));
        censor.decide(Class::Money, || json(&self.0), Some(rough))
    }
}

impl RedactField for PlaceField {
    fn redacted(self, censor: &mut FieldRedactor<'_>) -> Option<String> {
        let rough = json(&self.0.coarser(ROUGH_CELLS));
        censor.decide(Class::Location, || json(&self.0), Some(rough))
    }
}

impl RedactField for JsonField<'_> {
    fn redacted(self, censor: &mut FieldRedactor<'_>) -> Option<String> {
        let Self(class, text) = self;
        // What is stored is JSON; were it not, the export would not be either.
        let exact = || match serde_json::from_str::<&RawValue>(text) {
            Ok(_) => text.to_owned(),
            Err(_) => "null".to_owned(),
        };
        censor.decide(class, exact, None)
    }
}

impl RedactField for LabelField<'_> {
    fn redacted(self, censor: &mut FieldRedactor<'_>) -> Option<String> {
        let Self(class, text) = self;
        let kept = censor.decide(class, || text.to_owned(), None)?;
        let phones = phones(&kept);
        if phones.is_empty() {
            return Some(json(&kept));
        }
        let mut shown = String::new();
        let mut rest = 0;
        for (from, to) in phones {
            let number = kept.get(from..to).unwrap_or_default();
            shown.push_str(kept.get(rest..from).unwrap_or_default());
            let number = censor.decide(Class::Phone, || number.to_owned(), None);
            shown.push_str(number.as_deref().unwrap_or("(number)"));
            rest = to;
        }
        shown.push_str(kept.get(rest..).unwrap_or_default());
        Some(json(&shown))
    }
}

impl RedactField for NestedFields {
    fn redacted(self, _censor: &mut FieldRedactor<'_>) -> Option<String> {
        Some(self.0)
    }
}

impl<T: RedactField> RedactField for Option<T> {
    fn redacted(self, censor: &mut FieldRedactor<'_>) -> Option<String> {
        self?.redacted(censor)
    }
}

/// Where telephone numbers stand in a text: 7 to 15 digits (E.164) with no letters between them, as bytes from and to.
fn phones(text: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut run: Option<(usize, usize, usize)> = None;
    let between = |c: char| matches!(c, ' ' | '-' | '.' | '/' | '(' | ')' | '\u{a0}' | '\u{202f}');
    for (at, c) in text.char_indices().chain([(text.len(), 'x')]) {
        run = match run {
            // Digits of any script: a number can be written in its owner's.
            _ if c.is_numeric() => {
                let (from, _, digits) = run.unwrap_or((at, at, 0));
                Some((from, at + c.len_utf8(), digits + 1))
            }
            None if c == '+' => Some((at, at + 1, 0)),
            Some(_) if between(c) => run,
            Some((from, to, digits)) => {
                // Longer ones are removed too: two numbers in a row are no reason to keep both.
                found.extend((digits >= 7).then_some((from, to)));
                (c == '+').then_some((at, at + 1, 0))
            }
            None => None,
        };
    }
    found
}

/// One object out of fields, each with its class.
macro_rules! fields {
    ($censor:expr; $($name:literal: $value:expr),* $(,)?) => {{
        let mut parts: Vec<String> = Vec::new();
        $(if let Some(shown) = $crate::export::censor::RedactField::redacted($value, $censor) {
            parts.push(format!("\"{}\":{shown}", $name));
        })*
        $crate::export::censor::NestedFields(format!("{{{}}}", parts.join(",")))
    }};
}
pub(super) use fields;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn telephone_numbers_are_found_as_people_write_them() {
        for (text, wanted) in [
            ("Mum +91 98765 43210", vec!["+91 98765 43210"]),
            ("+919876543210", vec!["+919876543210"]),
            ("(022) 2345-6789, home", vec!["022) 2345-6789"]),
            ("call 9876543 or 1234567", vec!["9876543", "1234567"]),
            ("९८७६५४३२१०", vec!["९८७६५४३२१०"]),
            ("flat 12, floor 3", vec![]),
            ("2026-11", vec![]),
            ("+", vec![]),
            ("", vec![]),
        ] {
            let found: Vec<_> = phones(text).into_iter().map(|(a, b)| &text[a..b]).collect();
            assert_eq!(found, wanted, "{text}");
        }
    }

    #[test]
    fn amounts_and_places_are_coarsened_as_the_table_says() {
        let table = super::super::Profile::Friend.table();
        let mut censor = FieldRedactor::new(table);
        for (amount, wanted) in [
            ("212.50", "0"),
            ("250", "500"),
            ("4500", "4500"),
            ("1749.99", "1500"),
            ("-1749.99", "-1500"),
            ("+250", "+500"),
        ] {
            let money = MoneyField(amount.parse().unwrap()).redacted(&mut censor);
            assert_eq!(money, Some(format!("\"{wanted}\"")), "{amount}");
        }
        let cell = |row, column| PlaceField(GridCell { row, column });
        assert_eq!(
            cell(7, -1).redacted(&mut censor).as_deref(),
            Some(r#"{"row":0,"column":-50}"#)
        );
        let counts: Vec<_> = censor.removed().iter().map(|r| (r.class, r.count)).collect();
        assert_eq!(counts, [(Class::Location, 1), (Class::Money, 6)]);
    }
}
