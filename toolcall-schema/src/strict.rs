//! Bytes to a JSON value, strictly, and in one pass where nothing is wrong.
//!
//! What: [`parse`], which refuses what two readers could read differently: duplicate keys, deep nesting, numbers that a
//! double cannot hold. Why: what the gate checked and what an agent reads must be the same thing. Not here: schemas
//! (`toolcall-validators`), codes of refusals (`gate` turns a [`SyntaxFault`] into one).

#[cfg(test)]
mod tests;

use serde::{
    Deserializer,
    de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor},
};
use serde_json::{Map, Number, Value};
use std::{borrow::Cow, cell::RefCell, fmt};

/// Containers within containers: the outermost is 1.
pub const MAX_DEPTH: u8 = 32;

/// The largest magnitude of an integer: a double holds every integer up to 2^53.
pub const MAX_INTEGER: u64 = 1 << 53;

/// What was wrong, in the order in which it is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SyntaxFaultKind {
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
pub struct SyntaxFault {
    pub kind: SyntaxFaultKind,
    /// Where, as a JSON pointer; empty where unknown. A key that is not a short `[a-z0-9_]` name stands as `?`, because
    /// keys may be text from outside.
    pub pointer: String,
}

impl SyntaxFault {
    fn bare(kind: SyntaxFaultKind) -> Self {
        Self {
            kind,
            pointer: String::new(),
        }
    }
}

/// Parses strict JSON of at most `max_bytes`. Numbers without a fraction become integers, however they were written.
///
/// # Errors
/// The first [`SyntaxFault`]: size, then encoding, then whatever comes first in the text.
pub fn parse(bytes: &[u8], max_bytes: usize) -> Result<Value, SyntaxFault> {
    let mut document = DocumentBuffer::default();
    document.read(bytes, max_bytes)?;
    Ok(document.0)
}

/// A value that is read again and again: what has the same shape as before takes the memory of what it replaces,
/// which saves about a third of the cost of a small call.
#[derive(Default)]
pub struct DocumentBuffer(Value);

impl DocumentBuffer {
    /// Reads as [`parse`] does, in place of what was here before. After a fault it is not to be used.
    ///
    /// # Errors
    /// As [`parse`].
    pub fn read(&mut self, bytes: &[u8], max_bytes: usize) -> Result<&mut Value, SyntaxFault> {
        if bytes.len() > max_bytes {
            return Err(SyntaxFault::bare(SyntaxFaultKind::Size));
        }
        let text = std::str::from_utf8(bytes)
            .map_err(|e| SyntaxFault::bare(SyntaxFaultKind::Utf8(e.valid_up_to())))?;
        // Most documents are well formed, so the first reading only says yes or no; a second one says what and where.
        fill(&mut self.0, text, None).or_else(|_| {
            self.0 = Value::Null;
            let blame = RefCell::new(ParseFailure::default());
            fill(&mut self.0, text, Some(&blame)).map_err(|e| blame.into_inner().fault(&e))
        })?;
        Ok(&mut self.0)
    }

    /// Reads a part of a larger document, `depth_left` containers deep at most, for the verdict alone. After a fault it is not to be used.
    pub(crate) fn seed(&mut self, depth_left: u8) -> ValueSeed<'_> {
        ValueSeed {
            slot: &mut self.0,
            depth_left,
            blame: None,
        }
    }

    /// What was read last.
    pub(crate) fn value(&self) -> &Value {
        &self.0
    }
}

fn fill(slot: &mut Value, text: &str, blame: Option<&RefCell<ParseFailure>>) -> serde_json::Result<()> {
    let mut json = serde_json::Deserializer::from_str(text);
    ValueSeed {
        slot,
        depth_left: MAX_DEPTH,
        blame,
    }
    .deserialize(&mut json)?;
    json.end()
}

/// What a failing visitor leaves behind: serde's errors are texts, a refusal needs a kind and a place.
#[derive(Default)]
struct ParseFailure {
    kind: Option<SyntaxFaultKind>,
    /// From the innermost step to the outermost.
    steps: Vec<String>,
}

impl ParseFailure {
    fn fault(self, error: &serde_json::Error) -> SyntaxFault {
        // serde_json reports a number like 1e999 as a syntax error of this wording.
        let number = || error.to_string().starts_with("number out of range");
        let kind = match self.kind {
            Some(kind) => kind,
            None if number() => SyntaxFaultKind::Number,
            None => SyntaxFaultKind::Syntax(error.line(), error.column()),
        };
        SyntaxFault {
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

/// Reads one value into a slot.
pub(crate) struct ValueSeed<'s> {
    slot: &'s mut Value,
    depth_left: u8,
    /// Where a fault is noted; `None` when only the verdict is wanted.
    blame: Option<&'s RefCell<ParseFailure>>,
}

/// What a container needs to read its values, once its slot is taken apart.
#[derive(Clone, Copy)]
struct ContainerContext<'s> {
    depth_left: u8,
    blame: Option<&'s RefCell<ParseFailure>>,
}

impl<'s> ContainerContext<'s> {
    fn value(self, slot: &'s mut Value) -> ValueSeed<'s> {
        ValueSeed {
            slot,
            depth_left: self.depth_left,
            blame: self.blame,
        }
    }

    fn step(self, step: impl FnOnce() -> String) {
        if let Some(blame) = self.blame {
            blame.borrow_mut().steps.push(step());
        }
    }

    fn refuse<E: Error>(self, kind: SyntaxFaultKind) -> E {
        if let Some(blame) = self.blame {
            blame.borrow_mut().kind = Some(kind);
        }
        E::custom("refused")
    }
}

impl<'s> ValueSeed<'s> {
    fn refuse<E: Error>(&self, kind: SyntaxFaultKind) -> E {
        let (depth_left, blame) = (self.depth_left, self.blame);
        ContainerContext { depth_left, blame }.refuse(kind)
    }

    /// The slot, and what its values need.
    fn open<E: Error>(self) -> Result<(&'s mut Value, ContainerContext<'s>), E> {
        let Some(depth_left) = self.depth_left.checked_sub(1) else {
            return Err(self.refuse(SyntaxFaultKind::Depth));
        };
        let blame = self.blame;
        Ok((self.slot, ContainerContext { depth_left, blame }))
    }
}

impl<'de> DeserializeSeed<'de> for ValueSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<(), D::Error> {
        d.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ValueSeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        *self.slot = Value::Null;
        Ok(())
    }

    fn visit_bool<E>(self, v: bool) -> Result<(), E> {
        *self.slot = Value::Bool(v);
        Ok(())
    }

    fn visit_u64<E: Error>(self, v: u64) -> Result<(), E> {
        if v > MAX_INTEGER {
            return Err(self.refuse(SyntaxFaultKind::Number));
        }
        *self.slot = v.into();
        Ok(())
    }

    fn visit_i64<E: Error>(self, v: i64) -> Result<(), E> {
        if v.unsigned_abs() > MAX_INTEGER {
            return Err(self.refuse(SyntaxFaultKind::Number));
        }
        *self.slot = v.into();
        Ok(())
    }

    fn visit_f64<E: Error>(self, v: f64) -> Result<(), E> {
        // Every double beyond 2^53 is an integer.
        if !v.is_finite() || v.abs() > MAX_INTEGER as f64 {
            return Err(self.refuse(SyntaxFaultKind::Number));
        }
        *self.slot = whole(v).map_or_else(|| Value::from(v), Value::from);
        Ok(())
    }

    fn visit_str<E>(self, v: &str) -> Result<(), E> {
        if let Value::String(text) = self.slot {
            text.clear();
            text.push_str(v);
            return Ok(());
        }
        *self.slot = Value::String(v.to_owned());
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let (slot, within) = self.open()?;
        if !slot.is_array() {
            *slot = Value::Array(Vec::new());
        }
        let Value::Array(out) = slot else { return Ok(()) };
        let mut count = 0;
        loop {
            if count == out.len() {
                out.push(Value::Null);
            }
            let Some(slot) = out.get_mut(count) else { break };
            let more = items
                .next_element_seed(within.value(slot))
                .inspect_err(|_| within.step(|| count.to_string()))?;
            if more.is_none() {
                break;
            }
            count += 1;
        }
        out.truncate(count);
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let (slot, within) = self.open()?;
        if slot.as_object().is_none_or(|old| old.len() > ReusedMembers::MOST) {
            *slot = Value::Object(Map::new());
        }
        let Value::Object(out) = slot else { return Ok(()) };
        let mut reused = ReusedMembers::new(out);
        while let Some(member) = members.next_key_seed(MemberKeySeed {
            out,
            reused: &mut reused,
        })? {
            match member {
                MemberSlot::Reused(slot) => members.next_value_seed(within.value(slot))?,
                MemberSlot::Repeated => return Err(within.refuse(SyntaxFaultKind::DuplicateKey)),
                MemberSlot::New(key) => {
                    reused.forget_the_rest(out);
                    // By byte order a repeated key comes before a fault of its value. For the verdict alone the order
                    // does not matter, and inserting finds the repetition without a search of its own.
                    if within.blame.is_some() && out.contains_key(&key) {
                        within.step(|| step(&key));
                        return Err(within.refuse(SyntaxFaultKind::DuplicateKey));
                    }
                    let mut value = Value::Null;
                    members
                        .next_value_seed(within.value(&mut value))
                        .inspect_err(|_| within.step(|| step(&key)))?;
                    if out.insert(key, value).is_some() {
                        return Err(within.refuse(SyntaxFaultKind::DuplicateKey));
                    }
                }
            }
        }
        reused.forget_the_rest(out);
        Ok(())
    }
}

/// Which members of the object that was here before have come again.
struct ReusedMembers {
    /// How many there were, [`Self::MOST`] at most; 0 once those that did not come again are gone.
    of: usize,
    /// How many have come again.
    count: usize,
    /// Where their values lie. Nothing is put in or taken out while they are looked for, so that no value moves: the
    /// address tells a repeated key from the first, and the map finds the key faster than a search with a counter.
    seen: [usize; Self::MOST],
}

impl ReusedMembers {
    const MOST: usize = 32;

    fn new(out: &Map<String, Value>) -> Self {
        Self {
            of: out.len(),
            count: 0,
            seen: [0; Self::MOST],
        }
    }

    fn has(&self, value: &Value) -> bool {
        let place = std::ptr::from_ref(value).addr();
        self.seen.iter().take(self.count).any(|seen| *seen == place)
    }

    /// Notes that this one has come again; false if it had already.
    fn note(&mut self, value: &Value) -> bool {
        if self.has(value) {
            return false;
        }
        let Some(next) = self.seen.get_mut(self.count) else {
            return false;
        };
        *next = std::ptr::from_ref(value).addr();
        self.count += 1;
        true
    }

    /// Removes what has not come again; from then on every key is new.
    fn forget_the_rest(&mut self, out: &mut Map<String, Value>) {
        if self.of == 0 {
            return;
        }
        if self.count == 0 {
            out.clear();
        } else if self.count < self.of {
            // Looked up before the first is taken out, which moves the others.
            let seen_bits = |bits, value| (bits << 1) | u64::from(self.has(value));
            let mut bits = out.values().rev().fold(0_u64, seen_bits);
            out.retain(|_, _| {
                let keep = bits & 1 == 1;
                bits >>= 1;
                keep
            });
        }
        self.of = 0;
        self.count = 0;
    }
}

/// Where the value of a key goes.
enum MemberSlot<'s> {
    /// Over the value of the same key of the object that was here before.
    Reused(&'s mut Value),
    /// Nowhere: the key has come already.
    Repeated,
    /// Into the object.
    New(String),
}

/// Reads a key and looks for it among the members to be reused.
struct MemberKeySeed<'s, 'r> {
    out: &'s mut Map<String, Value>,
    reused: &'r mut ReusedMembers,
}

impl<'de, 's> DeserializeSeed<'de> for MemberKeySeed<'s, '_> {
    type Value = MemberSlot<'s>;

    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<MemberSlot<'s>, D::Error> {
        d.deserialize_str(self)
    }
}

impl<'s> Visitor<'_> for MemberKeySeed<'s, '_> {
    type Value = MemberSlot<'s>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<MemberSlot<'s>, E> {
        if self.reused.of == 0 {
            return Ok(MemberSlot::New(key.to_owned()));
        }
        match self.out.get_mut(key) {
            None => Ok(MemberSlot::New(key.to_owned())),
            Some(value) if self.reused.note(value) => Ok(MemberSlot::Reused(value)),
            Some(_) => Ok(MemberSlot::Repeated),
        }
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
pub fn normalise(value: &Value) -> Cow<'_, Value> {
    // Nearly always it is that already, and copying it costs more than looking.
    if is_normal(value) {
        Cow::Borrowed(value)
    } else {
        Cow::Owned(normalised(value))
    }
}

/// Whether [`parse`] would give this value for its own JSON, `depth_left` containers deep at most.
pub(crate) fn is_strict(value: &Value, depth_left: u8) -> bool {
    match value {
        Value::Number(n) => is_strict_number(n),
        Value::Array(items) => depth_left > 0 && items.iter().all(|item| is_strict(item, depth_left - 1)),
        Value::Object(members) => {
            depth_left > 0 && members.values().all(|value| is_strict(value, depth_left - 1))
        }
        Value::Null | Value::Bool(_) | Value::String(_) => true,
    }
}

fn is_strict_number(n: &Number) -> bool {
    match (n.as_u64(), n.as_i64(), n.as_f64()) {
        (Some(n), _, _) => n <= MAX_INTEGER,
        (None, Some(n), _) => n.unsigned_abs() <= MAX_INTEGER,
        // A double without a fraction becomes an integer.
        (None, None, Some(n)) => n.abs() <= MAX_INTEGER as f64 && whole(n).is_none(),
        (None, None, None) => false,
    }
}

fn is_normal(value: &Value) -> bool {
    match value {
        Value::Number(n) => !n.is_f64() || n.as_f64().and_then(whole).is_none(),
        Value::Array(items) => items.iter().all(is_normal),
        Value::Object(members) => members.values().all(is_normal),
        Value::Null | Value::Bool(_) | Value::String(_) => true,
    }
}

fn normalised(value: &Value) -> Value {
    match value {
        Value::Number(n) => Value::Number(normal_number(n)),
        Value::Array(items) => Value::Array(items.iter().map(normalised).collect()),
        Value::Object(members) => {
            Value::Object(members.iter().map(|(k, v)| (k.clone(), normalised(v))).collect())
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
