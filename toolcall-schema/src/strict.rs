//! Bytes to a JSON value, strictly, and in one pass where nothing is wrong.
//!
//! What: [`parse`], which refuses what two readers could read differently: duplicate keys, deep nesting, numbers that a
//! double cannot hold. Why: what the gate checked and what an agent reads must be the same thing. Not here: schemas
//! (`toolcall-validators`), codes of refusals (`gate` turns a [`Fault`] into one).

use serde::{
    Deserializer,
    de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor},
};
use serde_json::{Map, Number, Value};
use std::{cell::RefCell, fmt};

/// Containers within containers: the outermost is 1.
pub const MAX_DEPTH: u8 = 32;

/// The largest magnitude of an integer: a double holds every integer up to 2^53.
pub const MAX_INTEGER: u64 = 1 << 53;

/// What was wrong, in the order in which it is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// More bytes than allowed.
    Size,
    /// Not UTF-8; the offset of the first bad byte.
    Utf8(usize),
    /// Not JSON, or something after it; line and column, from 1.
    Syntax(usize, usize),
    /// The same key twice in one object.
    DuplicateKey,
    /// Nested deeper than [`MAX_DEPTH`].
    Depth,
    /// A number that is not finite, or an integer beyond ±[`MAX_INTEGER`].
    Number,
}

/// The first thing, by byte order, that is wrong with a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// What.
    pub kind: FaultKind,
    /// Where, as a JSON pointer; empty where unknown. A key that is not a short `[a-z0-9_]` name stands as `?`, because
    /// keys may be text from outside.
    pub pointer: String,
}

impl Fault {
    fn bare(kind: FaultKind) -> Self {
        Self {
            kind,
            pointer: String::new(),
        }
    }
}

/// Parses strict JSON of at most `max_bytes`. Numbers without a fraction become integers, however they were written.
///
/// # Errors
/// The first [`Fault`]: size, then encoding, then whatever comes first in the text.
pub fn parse(bytes: &[u8], max_bytes: usize) -> Result<Value, Fault> {
    if bytes.len() > max_bytes {
        return Err(Fault::bare(FaultKind::Size));
    }
    let text = std::str::from_utf8(bytes).map_err(|e| Fault::bare(FaultKind::Utf8(e.valid_up_to())))?;
    // Most documents are well formed, so the first reading only says yes or no; a second one says what and where.
    read(text, None).or_else(|_| {
        let blame = RefCell::new(Blame::default());
        read(text, Some(&blame)).map_err(|e| blame.into_inner().fault(&e))
    })
}

fn read(text: &str, blame: Option<&RefCell<Blame>>) -> serde_json::Result<Value> {
    let mut json = serde_json::Deserializer::from_str(text);
    let value = Strict {
        depth_left: MAX_DEPTH,
        blame,
    }
    .deserialize(&mut json)?;
    json.end().map(|()| value)
}

/// What a failing visitor leaves behind: serde's errors are texts, a refusal needs a kind and a place.
#[derive(Default)]
struct Blame {
    kind: Option<FaultKind>,
    /// From the innermost step to the outermost.
    steps: Vec<String>,
}

impl Blame {
    fn fault(self, error: &serde_json::Error) -> Fault {
        // serde_json reports a number like 1e999 as a syntax error of this wording.
        let number = || error.to_string().starts_with("number out of range");
        let kind = match self.kind {
            Some(kind) => kind,
            None if number() => FaultKind::Number,
            None => FaultKind::Syntax(error.line(), error.column()),
        };
        Fault {
            kind,
            pointer: self.steps.iter().rev().fold(String::new(), |p, s| p + "/" + s),
        }
    }
}

/// A key as it may stand in a pointer.
fn step(key: &str) -> String {
    let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_';
    if (1..=32).contains(&key.len()) && key.bytes().all(plain) {
        key.to_owned()
    } else {
        "?".to_owned()
    }
}

#[derive(Clone, Copy)]
struct Strict<'a> {
    depth_left: u8,
    /// Where a fault is noted; `None` when only the verdict is wanted.
    blame: Option<&'a RefCell<Blame>>,
}

impl Strict<'_> {
    fn refuse<E: Error>(self, kind: FaultKind) -> E {
        if let Some(blame) = self.blame {
            blame.borrow_mut().kind = Some(kind);
        }
        E::custom("refused")
    }

    fn within(self, step: impl FnOnce() -> String) {
        if let Some(blame) = self.blame {
            blame.borrow_mut().steps.push(step());
        }
    }

    fn deeper<E: Error>(self) -> Result<Self, E> {
        match self.depth_left.checked_sub(1) {
            Some(depth_left) => Ok(Self { depth_left, ..self }),
            None => Err(self.refuse(FaultKind::Depth)),
        }
    }
}

impl<'de> DeserializeSeed<'de> for Strict<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<Value, D::Error> {
        d.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, v: bool) -> Result<Value, E> {
        Ok(Value::Bool(v))
    }

    fn visit_u64<E: Error>(self, v: u64) -> Result<Value, E> {
        if v <= MAX_INTEGER {
            Ok(v.into())
        } else {
            Err(self.refuse(FaultKind::Number))
        }
    }

    fn visit_i64<E: Error>(self, v: i64) -> Result<Value, E> {
        if v.unsigned_abs() <= MAX_INTEGER {
            Ok(v.into())
        } else {
            Err(self.refuse(FaultKind::Number))
        }
    }

    fn visit_f64<E: Error>(self, v: f64) -> Result<Value, E> {
        // Every double beyond 2^53 is an integer.
        if !v.is_finite() || v.abs() > MAX_INTEGER as f64 {
            return Err(self.refuse(FaultKind::Number));
        }
        Ok(whole(v).map_or_else(|| Value::from(v), Value::from))
    }

    fn visit_str<E>(self, v: &str) -> Result<Value, E> {
        Ok(Value::String(v.to_owned()))
    }

    fn visit_string<E>(self, v: String) -> Result<Value, E> {
        Ok(Value::String(v))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let inner = self.deeper()?;
        let mut out = Vec::new();
        while let Some(item) = items
            .next_element_seed(inner)
            .inspect_err(|_| self.within(|| out.len().to_string()))?
        {
            out.push(item);
        }
        Ok(Value::Array(out))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let inner = self.deeper()?;
        let mut out = Map::new();
        while let Some(key) = members.next_key::<String>()? {
            // By byte order a repeated key comes before a fault of its value. For the verdict alone the order does not
            // matter, and inserting finds the repetition without a search of its own.
            if self.blame.is_some() && out.contains_key(&key) {
                self.within(|| step(&key));
                return Err(self.refuse(FaultKind::DuplicateKey));
            }
            let value = members
                .next_value_seed(inner)
                .inspect_err(|_| self.within(|| step(&key)))?;
            if out.insert(key, value).is_some() {
                return Err(self.refuse(FaultKind::DuplicateKey));
            }
        }
        Ok(Value::Object(out))
    }
}

/// A double without a fraction as an integer, within ±2^53.
fn whole(v: f64) -> Option<i64> {
    // Bounded by the test, so the cast is exact.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "bounded to ±2^53 on the same line"
    )]
    (v.fract() == 0.0 && v.abs() <= MAX_INTEGER as f64).then_some(v as i64)
}

/// The same value with every number without a fraction as an integer, as [`parse`] gives it.
pub fn normalise(value: &Value) -> Value {
    match value {
        Value::Number(n) => Value::Number(normal_number(n)),
        Value::Array(items) => Value::Array(items.iter().map(normalise).collect()),
        Value::Object(members) => {
            Value::Object(members.iter().map(|(k, v)| (k.clone(), normalise(v))).collect())
        }
        Value::Null | Value::Bool(_) | Value::String(_) => value.clone(),
    }
}

fn normal_number(n: &Number) -> Number {
    if n.is_f64() {
        n.as_f64().and_then(whole).map_or_else(|| n.clone(), Number::from)
    } else {
        n.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn fault(text: &str) -> (FaultKind, String) {
        let fault = parse(text.as_bytes(), 1000).unwrap_err();
        (fault.kind, fault.pointer)
    }

    #[test]
    fn names_the_first_fault_by_byte_order_and_its_place() {
        use FaultKind::{Depth, DuplicateKey, Number, Syntax};
        let deep = |n: usize| "[".repeat(n) + &"]".repeat(n);
        let table: &[(&str, FaultKind, &str)] = &[
            ("", Syntax(1, 0), ""),
            ("{", Syntax(1, 1), ""),
            ("{} {}", Syntax(1, 4), ""),
            (r#"{"a":1,}"#, Syntax(1, 8), ""),
            (r#"{"a":[1,nul]}"#, Syntax(1, 12), "/a/1"),
            (r#""\ud800""#, Syntax(1, 8), ""),
            ("NaN", Syntax(1, 1), ""),
            (r#"{"a":1,"a":2}"#, DuplicateKey, "/a"),
            (r#"{"a":{"b":[{"c":1,"c":1}]}}"#, DuplicateKey, "/a/b/0/c"),
            (r#"{"My Mail":{"x":1,"x":1}}"#, DuplicateKey, "/?/x"),
            (r#"{"a":1,"a":1e999}"#, DuplicateKey, "/a"),
            (r#"{"a":1,"a":2,"b":nul}"#, DuplicateKey, "/a"),
            (r#"{"a":1,"a":{"b":1,"b":2}}"#, DuplicateKey, "/a"),
            (r#"{"a":{"b":1,"b":2},"a":1}"#, DuplicateKey, "/a/b"),
            (r#"{"a":1e999,"a":1}"#, Number, "/a"),
            (r#"{"a":9007199254740993}"#, Number, "/a"),
            (r#"{"a":-9007199254740993}"#, Number, "/a"),
            ("[123456789012345678901234567890]", Number, "/0"),
            ("-1e999", Number, ""),
        ];
        for (text, kind, pointer) in table {
            assert_eq!(fault(text), (*kind, (*pointer).to_owned()), "{text}");
        }
        assert_eq!(fault(&deep(33)), (Depth, "/0".repeat(32)));
        assert!(parse(deep(32).as_bytes(), 1000).is_ok());
    }

    #[test]
    fn size_comes_before_encoding_and_encoding_before_syntax() {
        assert_eq!(parse(&[0xff, 0xff], 1).unwrap_err(), Fault::bare(FaultKind::Size));
        assert_eq!(parse(b"{\xff", 9).unwrap_err(), Fault::bare(FaultKind::Utf8(1)));
    }

    #[test]
    fn whole_numbers_become_integers_however_they_are_written() {
        let value = parse(b"[20.0, 1e3, -0.0, 0.5, 9007199254740992]", 100).unwrap();
        assert_eq!(value, json!([20, 1000, 0, 0.5, 9_007_199_254_740_992_i64]));
        assert_eq!(normalise(&json!({"a": [20.0, 1.5]})), json!({"a": [20, 1.5]}));
    }
}
