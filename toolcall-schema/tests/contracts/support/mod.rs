//! Random instances of a schema, and damage to them.
//!
//! What: [`Generator`], driven by Aura's own schemas and one seed: mostly valid, often at a limit. Why: validators and the gate
//! are held against each other on more calls than anybody writes. Not here: what is compared (the tests).

pub(crate) mod hostile;

use proptest::{
    strategy::{SBoxedStrategy, Strategy as _, ValueTree as _},
    string::string_regex,
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use toolcall_schema::validate;

/// How many cases a test tries: `AURA_CASES`, else its own number.
pub(crate) fn cases(default: u64) -> u64 {
    let asked = std::env::var("AURA_CASES").ok();
    asked.map_or(default, |text| text.parse().unwrap())
}

/// The seed of a run: `AURA_SEED`, else the same each time.
pub(crate) fn seed() -> u64 {
    let asked = std::env::var("AURA_SEED").ok();
    asked.map_or(0x0a07_a001, |text| text.parse().unwrap())
}

/// Instants as people and programs write them, some of which are none.
pub(crate) const INSTANTS: [&str; 16] = [
    "2026-11-03T02:15:00Z",
    "2026-11-03t02:15:00z",
    "2026-11-03T07:45:00+05:30",
    "2026-11-03T02:15:00.5Z",
    "2026-11-03T02:15:00.123456789Z",
    "2016-12-31T23:59:60Z",
    "2026-11-03T02:15:60Z",
    "2026-11-03 02:15:00Z",
    "2026-11-03T02:15:00",
    "2026-11-03T24:00:00Z",
    "2026-02-29T02:15:00Z",
    "0000-01-01T00:00:00Z",
    "9999-12-31T23:59:59Z",
    "2026-11-03T02:15:00+24:00",
    "2026-11-03T02:15Z",
    "2026-11-03T02:15:00Z\n",
];

/// Makes instances.
pub(crate) struct Generator {
    /// Of `SplitMix64`.
    state: u64,
    runner: TestRunner,
    strings: BTreeMap<String, SBoxedStrategy<String>>,
    documents: BTreeMap<String, Value>,
}

impl Generator {
    /// The same seed makes the same instances.
    pub(crate) fn new(seed: u64) -> Self {
        let bytes: Vec<u8> = (1..=4_u64)
            .flat_map(|n| seed.wrapping_mul(n).to_le_bytes())
            .collect();
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
        let documents = validate::all_published()
            .map(|(name, text)| (format!("{name}.json"), serde_json::from_str(text).unwrap()))
            .collect();
        Self {
            state: seed,
            runner: TestRunner::new_with_rng(Config::default(), rng),
            strings: BTreeMap::new(),
            documents,
        }
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Below `n`.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.next() % n.max(1) as u64).unwrap()
    }

    /// Once in `n` times.
    pub(crate) fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// One of them.
    pub(crate) fn one<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())].clone()
    }

    /// An instance of a schema; mostly a valid one.
    pub(crate) fn instance(&mut self, schema: &Value) -> Value {
        let root = schema.clone();
        self.value(&root, schema)
    }

    /// `root` is the document that a reference within `schema` is relative to.
    fn value(&mut self, root: &Value, schema: &Value) -> Value {
        let Value::Object(words) = schema else {
            return json!(self.below(3));
        };
        if let Some(reference) = words.get("$ref").and_then(Value::as_str) {
            let (document, place) = reference.split_once('#').unwrap_or((reference, ""));
            let document = document.trim_start_matches("https://aura.local/schemas/");
            let root = match document.rsplit_once("../").map_or(document, |(_, name)| name) {
                "" => root.clone(),
                name => self.documents[name].clone(),
            };
            let target = root.pointer(place).unwrap().clone();
            return self.value(&root, &target);
        }
        for (word, pick) in [("enum", true), ("anyOf", false), ("oneOf", false)] {
            if let Some(list) = words.get(word).and_then(Value::as_array) {
                let one = self.one(list);
                return if pick { one } else { self.value(root, &one) };
            }
        }
        if let Some(only) = words.get("const") {
            return only.clone();
        }
        let kind = match words.get("type") {
            Some(Value::Array(several)) => self.one(several).as_str().unwrap().to_owned(),
            Some(one) => one.as_str().unwrap().to_owned(),
            None if words.contains_key("maxItems") => "array".to_owned(),
            None => "object".to_owned(),
        };
        match kind.as_str() {
            "object" => self.object(root, words),
            "array" => self.array(root, words),
            "string" => self.string(words),
            "integer" => self.integer(words),
            "number" => self.number(words),
            "boolean" => json!(self.once_in(2)),
            _ => Value::Null,
        }
    }

    fn object(&mut self, root: &Value, words: &Map<String, Value>) -> Value {
        let mut out = Map::new();
        self.apply(root, words, &mut out);
        if let Some(other @ Value::Object(_)) = words.get("additionalProperties") {
            for n in 0..self.below(3) {
                let value = self.value(root, other);
                out.insert(format!("k{n}"), value);
            }
        }
        Value::Object(out)
    }

    /// Puts in what a schema wants of an object, takes out what it forbids.
    fn apply(&mut self, root: &Value, words: &Map<String, Value>, out: &mut Map<String, Value>) {
        let required = |name: &str| {
            let all = words.get("required").and_then(Value::as_array);
            all.is_some_and(|all| all.iter().any(|one| one == name))
        };
        for (name, schema) in words
            .get("properties")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
        {
            if *schema == Value::Bool(false) {
                out.remove(name);
            } else if required(name) || out.contains_key(name) || self.once_in(2) {
                let value = self.value(root, schema);
                out.insert(name.clone(), value);
            }
        }
        for name in words
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            out.entry(name.as_str().unwrap()).or_insert_with(|| json!({}));
        }
        if words.get("additionalProperties") == Some(&Value::Bool(false)) {
            let known = words.get("properties").and_then(Value::as_object);
            out.retain(|name, _| known.is_some_and(|known| known.contains_key(name)));
        }
        let parts = words.get("allOf").and_then(Value::as_array).into_iter().flatten();
        for part in parts.filter_map(Value::as_object).chain(std::iter::once(words)) {
            let branch = match part.get("if").and_then(Value::as_object) {
                Some(condition) => part.get(if holds(condition, out) { "then" } else { "else" }),
                None => None,
            };
            if let Some(branch) = branch.and_then(Value::as_object) {
                self.apply(root, branch, out);
            }
        }
    }

    fn array(&mut self, root: &Value, words: &Map<String, Value>) -> Value {
        let limit = |word: &str, or| {
            words
                .get(word)
                .and_then(Value::as_u64)
                .map_or(or, |n| usize::try_from(n).unwrap())
        };
        let (least, most) = (limit("minItems", 0), limit("maxItems", 3));
        let some = least + self.below(most.min(least + 3) - least + 1);
        // A full list now and then, when it is not large.
        let length = if most <= 32 && self.once_in(16) {
            most
        } else {
            some
        };
        let items = words.get("items").cloned().unwrap_or(json!({}));
        (0..length).map(|_| self.value(root, &items)).collect()
    }

    fn string(&mut self, words: &Map<String, Value>) -> Value {
        if let Some(pattern) = words.get("pattern").and_then(Value::as_str) {
            let strategy = self.strings.entry(pattern.to_owned()).or_insert_with(|| {
                let inner = pattern.trim_start_matches('^').trim_end_matches('$');
                // A digit is one of ten in the expressions of JSON Schema (ECMA 262), and any of the world's in Rust's.
                string_regex(&inner.replace("\\d", "[0-9]")).unwrap().sboxed()
            });
            return json!(strategy.new_tree(&mut self.runner).unwrap().current());
        }
        match words.get("format").and_then(Value::as_str) {
            Some("date-time") if !self.once_in(24) => return json!(self.one(&INSTANTS[..5])),
            Some("date-time") => return json!(self.one(&INSTANTS)),
            Some("date") if !self.once_in(24) => {
                return json!(self.one(&["2026-11-03", "2024-02-29", "1999-12-31"]));
            }
            Some("date") => return json!("2026-02-29"),
            Some("uuid") if !self.once_in(24) => {
                return json!(self.one(&[
                    "550e8400-e29b-41d4-a716-446655440000",
                    "00000000-0000-0000-0000-00000000000F",
                    "550e8400e29b41d4a716446655440000",
                ]));
            }
            Some(_) | None => {}
        }
        let limit = |word: &str, or| {
            words
                .get(word)
                .and_then(Value::as_u64)
                .map_or(or, |n| usize::try_from(n).unwrap())
        };
        let least = limit("minLength", 0);
        let most = limit("maxLength", least + 8);
        let length = match self.below(16) {
            0 => least,
            1 if most <= 500 => most,
            _ => least + self.below(most.min(least + 12) - least + 1),
        };
        let letter = self.one(&["a", "é", "अ", "💩", "\u{0}", "\"", " "]);
        json!(letter.repeat(length))
    }

    fn integer(&mut self, words: &Map<String, Value>) -> Value {
        let limit = |word: &str, or| words.get(word).and_then(Value::as_i64).unwrap_or(or);
        let (least, most) = (limit("minimum", 0), limit("maximum", 1000));
        let width = u64::try_from(most - least).unwrap().saturating_add(1);
        match self.below(8) {
            0 => json!(least),
            1 => json!(most),
            _ => json!(least + i64::try_from(self.next() % width).unwrap()),
        }
    }

    fn number(&mut self, words: &Map<String, Value>) -> Value {
        let limit = |word: &str, or| words.get(word).and_then(Value::as_f64).unwrap_or(or);
        let (least, most) = (limit("minimum", 0.0), limit("maximum", 1000.0));
        let part = f64::from(u32::try_from(self.next() >> 32).unwrap()) / f64::from(u32::MAX);
        let number = match self.below(8) {
            0 => least,
            1 => most,
            _ => least + (most - least) * part,
        };
        validate_number(number)
    }

    /// Breaks something somewhere; now and then what comes out is still valid.
    pub(crate) fn damage(&mut self, instance: &mut Value) {
        let mut places = Vec::new();
        collect(instance, String::new(), &mut places);
        let place = self.one(&places);
        let node = instance.pointer_mut(&place).unwrap();
        match node {
            Value::Object(members) if !self.once_in(4) => self.damage_members(members),
            Value::Array(items) if !self.once_in(4) => match self.below(4) {
                0 if !items.is_empty() => drop(items.pop()),
                1 if !items.is_empty() => items.push(items[0].clone()),
                2 if !items.is_empty() => {
                    let length = self.one(&[9, 17, 33, 65, 129]);
                    *items = items.iter().cloned().cycle().take(length).collect();
                }
                _ => items.push(json!(0)),
            },
            Value::String(text) if !self.once_in(4) => self.damage_text(text),
            Value::Number(number) if !self.once_in(4) => {
                let old = number.as_f64().unwrap();
                let new = self.one(&[
                    old - 1.0,
                    old + 1.0,
                    -old,
                    old + 0.5,
                    old * 1000.0,
                    9_007_199_254_740_992.0,
                ]);
                *node = validate_number(new);
            }
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_)
            | Value::Object(_) => {
                *node = self.one(&[
                    json!(null),
                    json!(true),
                    json!(0),
                    json!(-1),
                    json!(0.5),
                    json!(""),
                    json!([]),
                    json!({}),
                ]);
            }
        }
    }

    fn damage_members(&mut self, members: &mut Map<String, Value>) {
        let names: Vec<String> = members.keys().cloned().collect();
        match self.below(4) {
            0 if !names.is_empty() => drop(members.remove(&self.one(&names))),
            1 if !names.is_empty() => {
                let name = self.one(&names);
                let value = members.remove(&name).unwrap();
                members.insert(name.to_uppercase() + "_", value);
            }
            2 if names.len() > 1 => {
                let (from, to) = (self.one(&names), self.one(&names));
                members.insert(to, members[&from].clone());
            }
            _ => drop(members.insert("note".to_owned(), json!("hello"))),
        }
    }

    fn damage_text(&mut self, text: &mut String) {
        match self.below(8) {
            0 => text.push('\n'),
            1 => *text = text.to_uppercase(),
            2 => drop(text.pop()),
            3 => text.insert(0, ' '),
            4 => text.clear(),
            5 => self.one(&INSTANTS).clone_into(text),
            6 => text.push('١'),
            _ => {
                let length = self.one(&[41, 61, 65, 201, 281, 501]);
                *text = "x".repeat(length);
            }
        }
    }
}

/// What the strict parser would make of a number.
fn validate_number(number: f64) -> Value {
    toolcall_schema::strict::normalise(&json!(number)).into_owned()
}

/// Whether the condition of a tagged object holds: its members are there with their constants.
fn holds(condition: &Map<String, Value>, object: &Map<String, Value>) -> bool {
    let mut required = condition
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    let mut properties = condition
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flatten();
    required.all(|name| object.contains_key(name.as_str().unwrap()))
        && properties.all(|(name, schema)| {
            match (object.get(name), schema.get("const"), schema.get("enum")) {
                (Some(value), Some(only), _) => value == only,
                (Some(value), None, Some(list)) => list.as_array().is_some_and(|list| list.contains(value)),
                (Some(_), None, None) | (None, _, _) => true,
            }
        })
}

fn collect(value: &Value, at: String, places: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                collect(
                    member,
                    format!("{at}/{}", name.replace('~', "~0").replace('/', "~1")),
                    places,
                );
            }
        }
        Value::Array(items) => {
            for (i, item) in items.iter().enumerate() {
                collect(item, format!("{at}/{i}"), places);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
    places.push(at);
}
