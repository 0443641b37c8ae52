//! Schemas and types cannot drift apart.
//!
//! What: for the arguments and the result of every tool, (1) instances made from the schema, and damaged ones that it
//! still admits, are read by the type and written again as the same canonical JSON; (2) members, required members and
//! lists of names are the same on both sides, as serde's own errors tell them; (3) text that is a label is marked as
//! private. Why: a schema that admits what the type refuses, or a member that only one of them knows, would show in
//! service. Not here: bounds of numbers, which only the schemas have.

use super::{table::for_each_tool, *};
use crate::{canonical, gate};
use proptest::{prelude::*, test_runner::RngSeed};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value, json};
use std::{collections::BTreeSet, sync::LazyLock};

/// Whose schema and type are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SchemaSide {
    Arguments,
    Result,
}

/// Whether the schema admits the value.
fn admits(name: ToolName, part: SchemaSide, value: &Value) -> bool {
    macro_rules! by_name {
        ($($name:ident = $wire:literal, $agent:ident($tools:ident::$variant:ident),
            $args:ident => $result:ident: $answer:ident($type:ty),
            $confirm:ident $class:ident $surface:ident [$($effect:ident),*], $adr:literal, $description:literal;)+) => {
            match (name, part) {
                $((ToolName::$name, SchemaSide::Arguments) => schemas::$args::check(value).is_ok(),
                (ToolName::$name, SchemaSide::Result) => schemas::$result::check(value).is_ok()),+
            }
        };
    }
    for_each_tool!(by_name)
}

/// The value as its type writes it again, or why the type does not read it.
fn reread(name: ToolName, part: SchemaSide, value: &Value) -> Result<Value, String> {
    use crate::tick::{IngestResult, TickResult};
    fn by<T: DeserializeOwned + Serialize>(value: &Value, _: impl Fn(T) -> Tool) -> Result<Value, String> {
        typed::<T>(value)
    }
    fn typed<T: DeserializeOwned + Serialize>(value: &Value) -> Result<Value, String> {
        let typed = T::deserialize(value).map_err(|e| e.to_string())?;
        Ok(serde_json::to_value(typed).unwrap())
    }
    macro_rules! by_name {
        ($($name:ident = $wire:literal, $agent:ident($tools:ident::$variant:ident),
            $args:ident => $result:ident: $answer:ident($type:ty),
            $confirm:ident $class:ident $surface:ident [$($effect:ident),*], $adr:literal, $description:literal;)+) => {
            match (name, part) {
                $((ToolName::$name, SchemaSide::Arguments) => by(value, |args| Tool::$agent($tools::$variant(args))),
                (ToolName::$name, SchemaSide::Result) => typed::<$type>(value)),+
            }
        };
    }
    for_each_tool!(by_name)
}

/// The schema, with shared shapes put in.
fn schema(name: ToolName, part: SchemaSide) -> Value {
    let doc = name.doc();
    let text = if part == SchemaSide::Arguments {
        doc.args_schema
    } else {
        doc.result_schema
    };
    let defs = serde_json::from_str(schemas::DEFS).unwrap();
    lock::resolve_refs(&serde_json::from_str(text).unwrap(), &defs, 16)
}

/// Every tool's two schemas.
static EVERY: LazyLock<Vec<(ToolName, SchemaSide, Value)>> = LazyLock::new(|| {
    let parts = |name: &ToolName| {
        [SchemaSide::Arguments, SchemaSide::Result].map(|part| (*name, part, schema(*name, part)))
    };
    ToolName::ALL.iter().flat_map(parts).collect()
});

/// Choices, one after the other: the same list makes the same instance. When they run out, all is full and first.
struct ChoiceSequence<'a>(std::slice::Iter<'a, u32>);

impl ChoiceSequence<'_> {
    fn below(&mut self, n: usize) -> usize {
        usize::try_from(*self.0.next().unwrap_or(&0)).unwrap() % n.max(1)
    }

    fn one<'v, T>(&mut self, of: &'v [T]) -> &'v T {
        &of[self.below(of.len())]
    }
}

/// An instance that the schema admits, in the form that the type writes. A keyword that is not known here is a panic: the
/// generator may not be silent about what it does not cover.
fn instance(schema: &Value, choose: &mut ChoiceSequence<'_>) -> Value {
    let members = schema.as_object().unwrap();
    for keyword in members.keys() {
        assert!(
            KEYWORDS.contains(&keyword.as_str()),
            "the generator does not know {keyword}"
        );
    }
    if let Some(value) = schema.get("const") {
        return value.clone();
    }
    if let Some(values) = schema.get("enum") {
        return choose.one(values.as_array().unwrap()).clone();
    }
    match schema["type"].as_str() {
        Some("object") => object(schema, choose),
        Some("array") => {
            let (least, most) = (
                bound(schema, "minItems", 0.0),
                bound(schema, "maxItems", 0.0).min(4.0),
            );
            let sizes: Vec<usize> = (0..=4)
                .filter(|n| (least..=most.max(least)).contains(&(*n as f64)))
                .collect();
            // Not empty when choices have run out, so that what is in a list is seen.
            let size = *choose.one(&sizes.iter().rev().copied().collect::<Vec<_>>());
            (0..size).map(|_| instance(&schema["items"], choose)).collect()
        }
        Some("string") => text(schema, choose),
        Some("integer") => {
            let (low, high) = (bound(schema, "minimum", 0.0), bound(schema, "maximum", 0.0));
            let value = *choose.one(&[high, low, f64::midpoint(low, high).floor()]);
            serde_json::from_str(&format!("{value:.0}")).unwrap()
        }
        Some("number") => {
            let (low, high) = (bound(schema, "minimum", 0.0), bound(schema, "maximum", 0.0));
            let middle = (f64::midpoint(low, high) * 1000.0).round() / 1000.0;
            json!(*choose.one(&[high, low, middle, (low + 0.001).min(high)]))
        }
        Some("boolean") => json!(choose.below(2) == 0),
        Some(other) => panic!("the generator does not know the type {other}"),
        // An agent's state: an object of its own, or null.
        None => choose.one(&[json!({"any": 1}), Value::Null]).clone(),
    }
}

const KEYWORDS: [&str; 21] = [
    "$schema",
    "$id",
    "title",
    "type",
    "required",
    "properties",
    "additionalProperties",
    "allOf",
    "anyOf",
    "const",
    "enum",
    "items",
    "minItems",
    "maxItems",
    "minimum",
    "maximum",
    "pattern",
    "format",
    "minLength",
    "maxLength",
    "maxProperties",
];

fn bound(schema: &Value, keyword: &str, absent: f64) -> f64 {
    schema.get(keyword).and_then(Value::as_f64).unwrap_or(absent)
}

fn object(schema: &Value, choose: &mut ChoiceSequence<'_>) -> Value {
    // A tagged union: each case is the `then` of one `if` on the tag.
    if let Some(cases) = schema.get("allOf").and_then(Value::as_array) {
        return instance(&choose.one(cases)["then"], choose);
    }
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return json!({"any": 1});
    };
    let mut required = names(schema.get("required"));
    // Of several members at least one: the schema lists the names of which one case must be there.
    if let Some(cases) = schema.get("anyOf").and_then(Value::as_array) {
        let case = choose.one(cases).as_object().unwrap();
        assert!(
            case.keys().eq(["required"]),
            "the generator does not know an anyOf of more than required members"
        );
        required.append(&mut names(case.get("required")));
    }
    let mut out = Map::new();
    for (key, member) in properties {
        if required.contains(key) || choose.below(2) == 0 {
            out.insert(key.clone(), instance(member, choose));
        }
    }
    Value::Object(out)
}

fn text(schema: &Value, choose: &mut ChoiceSequence<'_>) -> Value {
    let of = |texts: &[&str], choose: &mut ChoiceSequence<'_>| json!(choose.one(texts));
    match schema.get("format").and_then(Value::as_str) {
        Some("date") => return of(&["2026-11-03", "1970-01-01", "9999-12-31", "2024-02-29"], choose),
        Some("date-time") => return of(&["2026-11-03T02:15:00.000Z", "1970-01-01T00:00:00.000Z"], choose),
        Some(other) => panic!("the generator does not know the format {other}"),
        None => {}
    }
    match schema.get("pattern").and_then(Value::as_str) {
        None | Some("^\\P{Cc}*$") => of(&["Grüße an alle 🎉", "x", " "], choose),
        Some(hex) if hex.starts_with("^(") && hex.ends_with(")_[0-9a-f]{16}$") => {
            let prefixes: Vec<&str> = hex["^(".len()..hex.len() - ")_[0-9a-f]{16}$".len()]
                .split('|')
                .collect();
            json!(format!("{}_00112233445566aa", choose.one(&prefixes)))
        }
        Some(hex) if hex.ends_with("_[0-9a-f]{16}$") => json!(format!("{}_00112233445566aa", &hex[1..3])),
        Some("^[0-9a-f]{16}$") => json!("00112233445566aa"),
        Some("^[A-Za-z0-9_.:@-]{1,64}$") => of(&["mail-17", "A", "a@b.example:9_x"], choose),
        Some("^[a-z0-9_:-]{1,40}$") => of(&["self", "ch_00112233445566aa", "2026-11-03"], choose),
        Some("^[a-z0-9-]{1,40}$") => of(&["evening-1", "-"], choose),
        Some("^[A-Za-z0-9_+/-]{1,64}$") => of(&["Asia/Kolkata", "UTC"], choose),
        Some("^[A-Z]{3}$") => of(&["INR", "EUR"], choose),
        Some("^[0-9]{4}$") => of(&["0042", "8841"], choose),
        Some("^[0-9]{1,15}(\\.[0-9]{1,8})?$") => of(&["212.50", "0", "999999999999999.12345678"], choose),
        Some("^[-+]?[0-9]{1,15}(\\.[0-9]{1,8})?$") => {
            of(&["-212.50", "+0.5", "999999999999999.12345678"], choose)
        }
        Some("^-?[0-9]{1,15}(\\.[0-9]{1,8})?$") => of(&["-212.50", "0", "999999999999999.12345678"], choose),
        Some("^tr_[a-z0-9]{12}$") => json!("tr_k6ve37ba7sw2"),
        Some("^AGENT-[0-2][0-9]{2}$") => of(&["AGENT-004", "AGENT-201"], choose),
        Some(other) => panic!("the generator does not know the pattern {other}"),
    }
}

fn names(list: Option<&Value>) -> BTreeSet<String> {
    let items = list.and_then(Value::as_array).into_iter().flatten();
    items.map(|name| name.as_str().unwrap().to_owned()).collect()
}

/// Every place of a value, from the root on.
fn places(value: &Value, at: &str, out: &mut Vec<String>) {
    out.push(at.to_owned());
    let mut below = |key: String, value: &Value| places(value, &format!("{at}/{key}"), out);
    match value {
        Value::Object(members) => members.iter().for_each(|(key, value)| below(key.clone(), value)),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .for_each(|(i, value)| below(i.to_string(), value)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Puts something else in one place, or adds or removes a member there.
fn damage(value: &mut Value, choose: &mut ChoiceSequence<'_>) {
    let mut all = Vec::new();
    places(value, "", &mut all);
    let Some(place) = value.pointer_mut(choose.one(&all).as_str()) else {
        return;
    };
    let others = [
        json!(null),
        json!(true),
        json!(-1),
        json!(0),
        json!(0.5),
        json!(1e3),
        json!(255),
        json!(256),
        json!(4_294_967_296_u64),
        json!(9_007_199_254_740_992_u64),
        json!(1e9),
        json!(""),
        json!("x"),
        json!("2026-11-03"),
        json!("1969-12-31T23:59:59Z"),
        json!("2016-12-31T23:59:60Z"),
        json!("2026-11-03t02:15:00.123456+05:30"),
        json!("0001-01-01T00:00:00Z"),
        json!("0000-01-01"),
        json!("00012.5"),
        json!("999999999999999.99999999"),
        json!("it_00112233445566aa"),
        json!("comms"),
        json!([]),
        json!({}),
    ];
    let other = choose.one(&others).clone();
    let Some(members) = place.as_object_mut().filter(|_| choose.below(2) == 0) else {
        *place = other;
        return;
    };
    let keys: Vec<String> = members.keys().cloned().collect();
    if choose.below(2) == 0 || keys.is_empty() {
        members.insert("probe".to_owned(), json!(1));
    } else {
        members.remove(choose.one(&keys));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_a_schema_admits_its_type_reads_and_writes_unchanged(choices in prop::collection::vec(any::<u32>(), 0..64)) {
        for (name, part, schema) in &*EVERY {
            let (name, part) = (*name, *part);
            let mut choose = ChoiceSequence(choices.iter());
            let mut value = instance(schema, &mut choose);
            prop_assert!(admits(name, part, &value), "{name} {part:?} {value}");
            let again = reread(name, part, &value).unwrap_or_else(|e| panic!("{name} {part:?}: {e}\n{value}"));
            prop_assert_eq!(canonical::hash(&again), canonical::hash(&value), "{} {:?} {} {}", name, part, again, value);
            for _ in 0..8 {
                let mut damaged = value.clone();
                damage(&mut damaged, &mut choose);
                if admits(name, part, &damaged) {
                    // The gate writes whole numbers as integers before anything is read.
                    let again = reread(name, part, &crate::strict::normalise(&damaged));
                    let again = again.unwrap_or_else(|e| panic!("{name} {part:?}: {e}\n{damaged}"));
                    prop_assert!(admits(name, part, &again), "{name} {part:?} {damaged} became {again}");
                    value = again;
                }
            }
        }
    }
}

/// What serde says that it expects at a place: the names between backquotes after "expected".
fn expected(error: &str) -> BTreeSet<String> {
    let tail = error.split_once("expected ").map_or("", |(_, tail)| tail);
    tail.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// Compares members, required members and lists of names of schema and type, below one place of a whole instance.
/// `union`: of one case of a tagged union the members of all; its type may read them at once.
fn compare(
    name: ToolName,
    part: SchemaSide,
    schema: &Value,
    union: Option<&BTreeSet<String>>,
    whole: &Value,
    at: &str,
    seen: &mut usize,
) {
    let case = format!("{name} {part:?} {at}");
    let with = |value: Value| {
        let mut changed = whole.clone();
        *changed.pointer_mut(at).unwrap() = value;
        reread(name, part, &changed)
    };
    let here = whole.pointer(at).unwrap();
    if schema.get("enum").is_some() {
        let error = with(json!("probe")).unwrap_err();
        // What the type knows and takes here: a list may be shorter than its type's, when the type refuses the rest.
        let mut taken = expected(&error);
        taken.retain(|name| with(json!(name)).is_ok());
        assert_eq!(taken, names(schema.get("enum")), "{case}: {error}");
        *seen += 1;
        return;
    }
    if let Some(items) = schema.get("items") {
        for i in 0..here.as_array().unwrap().len() {
            compare(name, part, items, None, whole, &format!("{at}/{i}"), seen);
        }
        return;
    }
    if let Some(cases) = schema.get("allOf").and_then(Value::as_array) {
        let mut tags = BTreeSet::new();
        let members = |one: &Value| one["then"]["properties"].as_object().unwrap().clone();
        let every: BTreeSet<String> = cases
            .iter()
            .flat_map(|one| members(one).into_iter().map(|(key, _)| key))
            .collect();
        for one in cases {
            let full = instance(&one["then"], &mut ChoiceSequence([].iter()));
            let (tag, constant) = one["if"]["properties"]
                .as_object()
                .unwrap()
                .iter()
                .next()
                .unwrap();
            tags.insert(constant["const"].as_str().unwrap().to_owned());
            let mut changed = whole.clone();
            *changed.pointer_mut(at).unwrap() = full.clone();
            compare(name, part, &one["then"], Some(&every), &changed, at, seen);
            let mut unknown = full;
            unknown[tag] = json!("probe");
            let error = with(unknown).unwrap_err();
            assert_eq!(
                expected(&error),
                names(schema["properties"][tag].get("enum")),
                "{case}: {error}"
            );
        }
        let tag = schema["properties"].as_object().unwrap().keys().next().unwrap();
        assert_eq!(tags, names(schema["properties"][tag].get("enum")), "{case}");
        return;
    }
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return;
    };
    // The tag of a case is a name; a member that is there only when it is true is no tag.
    let without_tag = |keys: &mut dyn Iterator<Item = &String>| -> BTreeSet<String> {
        keys.filter(|key| !properties[*key].get("const").is_some_and(Value::is_string))
            .cloned()
            .collect()
    };
    let mut more = here.clone();
    more["probe"] = json!(1);
    let error = with(more).unwrap_err();
    assert!(
        error.contains("unknown field"),
        "{case}: the type takes any member: {error}"
    );
    let found = expected(&error);
    assert!(
        found == without_tag(&mut properties.keys()) || Some(&found) == union,
        "{case}: {error}"
    );
    let required = names(schema.get("required"));
    for (key, member) in properties {
        let mut less = here.clone();
        less.as_object_mut().unwrap().remove(key);
        assert_eq!(
            with(less).is_err(),
            required.contains(key),
            "{case}: required {key}"
        );
        compare(name, part, member, None, whole, &format!("{at}/{key}"), seen);
    }
    *seen += 1;
}

#[test]
fn members_required_members_and_lists_are_the_same_in_schema_and_type() {
    for (name, part, schema) in &*EVERY {
        let (name, part) = (*name, *part);
        let whole = instance(schema, &mut ChoiceSequence([].iter()));
        let mut seen = 0;
        compare(name, part, schema, None, &whole, "", &mut seen);
        assert!(seen > 0, "{name} {part:?}: nothing was compared");
    }
}

#[test]
fn every_free_text_of_a_call_and_its_result_is_marked_as_private() {
    const CLOSED: [&str; 4] = ["pattern", "enum", "const", "format"];
    fn texts(schema: &Value, at: &str, out: &mut Vec<String>) {
        let is_label = schema["$ref"].as_str().is_some_and(|r| r.ends_with("/label"));
        let is_open = schema["type"] == "string" && CLOSED.iter().all(|word| schema.get(word).is_none());
        if is_label || is_open {
            out.push(at.to_owned());
        }
        for (key, member) in schema
            .get("properties")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
        {
            texts(member, &format!("{at}/{key}"), out);
        }
        if let Some(items) = schema.get("items") {
            texts(items, &format!("{at}/*"), out);
        }
    }
    for name in ToolName::ALL {
        let mut found = Vec::new();
        texts(
            &serde_json::from_str(name.doc().args_schema).unwrap(),
            "/args",
            &mut found,
        );
        texts(
            &serde_json::from_str(name.doc().result_schema).unwrap(),
            "/result",
            &mut found,
        );
        let marked: Vec<&str> = name
            .private_leaves()
            .iter()
            .copied()
            .filter(|p| !p.starts_with("/effects"))
            .collect();
        assert_eq!(found, marked, "{name}");
    }
}

#[test]
fn a_refused_describe_result_keeps_no_label() {
    let key = crate::ids::OwnerSeed::from_day_seed("x").key("quarantine");
    let bytes = br#"{"call_id":"t_abcde01234","result":{"labels":[{"id":"it_00112233445566aa","label":"Wim"}],"unknown":"all"},"effects":[]}"#;
    let (raw, _) = gate::redact(bytes, Some(ToolName::CommsDescribe), &key);
    assert!(!raw.contains("Wim") && raw.contains("[private: 3 bytes"), "{raw}");
}
