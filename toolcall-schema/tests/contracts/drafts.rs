//! What the run-time validator says of schemas and instances of each draft.
//!
//! What: a table of small cases with every fault they have, and the ways in which a schema is no schema. Why: the drafts
//! differ in what one keyword means, and a schema of another program may be of any. Not here: Aura's own schemas
//! (`schemas.rs`, `differential.rs`).

use serde_json::{Value, json};
use toolcall_schema::validate::{
    self, Document, Draft,
    Draft::{Draft4 as D4, Draft6 as D6, Draft7 as D7, Draft201909 as D19, Draft202012 as D20},
    MAX_FAULTS, SchemaCode, SchemaFault, SchemaFaults, SchemaValidator, ValidatorOptions,
};

fn of(draft: Draft, assert_format: bool) -> ValidatorOptions {
    ValidatorOptions {
        draft: Some(draft),
        assert_format,
    }
}

fn read(text: &str) -> Value {
    validate::parse(text.as_bytes(), Document::Instance).unwrap()
}

fn faults(schema: &Value, instance: &Value, options: ValidatorOptions) -> Vec<SchemaFault> {
    let verdict = SchemaValidator::new(schema, options).and_then(|validator| validator.check(instance));
    verdict.err().map_or_else(Vec::new, |faults| faults.listed)
}

/// Every fault as place and keyword, in the order of the places.
fn told(schema: &str, instance: &str, options: ValidatorOptions) -> Vec<(String, String)> {
    let mut all: Vec<_> = faults(&read(schema), &read(instance), options)
        .into_iter()
        .map(|fault| (fault.pointer, fault.keyword))
        .collect();
    all.sort();
    all
}

/// Draft, schema, instance, and the place and keyword of every fault.
type Case = (
    Draft,
    &'static str,
    &'static str,
    &'static [(&'static str, &'static str)],
);

fn holds(table: &[Case], assert_format: bool) {
    for (draft, schema, instance, want) in table {
        let want: Vec<_> = want
            .iter()
            .map(|(pointer, keyword)| ((*pointer).to_owned(), (*keyword).to_owned()))
            .collect();
        let got = told(schema, instance, of(*draft, assert_format));
        assert_eq!(got, want, "draft {draft}: {schema} and {instance}");
    }
}

#[test]
fn a_keyword_means_what_its_draft_says() {
    const TREE4: &str = r##"{"id": "http://x.test/a", "definitions": {"n": {"id": "#n", "type": "integer"}}, "allOf": [{"$ref": "#n"}]}"##;
    const IF: &str =
        r#"{"if": {"required": ["a"]}, "then": {"required": ["b"]}, "else": {"required": ["c"]}}"#;
    const ANCHOR: &str = r##"{"$ref": "#n", "$defs": {"n": {"$anchor": "n", "type": "integer"}}}"##;
    const RECURSIVE: &str = r##"{"$id": "https://x.test/strict", "$recursiveAnchor": true, "$ref": "tree", "unevaluatedProperties": false,
        "$defs": {"tree": {"$id": "tree", "$recursiveAnchor": true, "properties": {"data": true, "child": {"$recursiveRef": "#"}}}}}"##;
    const DYNAMIC: &str = r##"{"$id": "https://x.test/strict", "$dynamicAnchor": "node", "$ref": "tree", "unevaluatedProperties": false,
        "$defs": {"tree": {"$id": "tree", "$dynamicAnchor": "node", "properties": {"data": true, "child": {"$dynamicRef": "#node"}}}}}"##;
    const EMBEDDED: &str = r#"{"$id": "https://x.test/a", "$ref": "b", "$defs": {"b": {"$id": "https://x.test/b", "type": "null"}}}"#;
    const SIBLING: &str =
        r##"{"$ref": "#/definitions/s", "definitions": {"s": {"type": "string"}}, "maxLength": 1}"##;
    const CLOSED: &str =
        r#"{"patternProperties": {"^x": {"type": "integer"}}, "additionalProperties": false}"#;
    holds(
        &[
            // Exclusive bounds: a flag in draft 4, a number since draft 6.
            (
                D4,
                r#"{"minimum": 5, "exclusiveMinimum": true}"#,
                "5",
                &[("", "exclusiveMinimum")],
            ),
            (D4, r#"{"minimum": 5, "exclusiveMinimum": true}"#, "6", &[]),
            (D4, r#"{"minimum": 5, "exclusiveMinimum": false}"#, "5", &[]),
            (
                D4,
                r#"{"maximum": 5, "exclusiveMaximum": true}"#,
                "5",
                &[("", "exclusiveMaximum")],
            ),
            (D6, r#"{"exclusiveMinimum": 5}"#, "5", &[("", "exclusiveMinimum")]),
            (
                D20,
                r#"{"exclusiveMaximum": 5}"#,
                "5",
                &[("", "exclusiveMaximum")],
            ),
            (D20, r#"{"exclusiveMaximum": 5}"#, "4.5", &[]),
            // Lists by position: a list of items up to 2019-09, prefixItems since 2020-12.
            (
                D4,
                r#"{"items": [{"type": "integer"}]}"#,
                r#"["x", "y"]"#,
                &[("/0", "type")],
            ),
            (
                D7,
                r#"{"items": [{}], "additionalItems": false}"#,
                "[1, 2]",
                &[("", "additionalItems")],
            ),
            (
                D19,
                r#"{"items": [{}], "additionalItems": {"type": "string"}}"#,
                "[1, 2]",
                &[("/1", "type")],
            ),
            (D19, r#"{"prefixItems": [{"type": "string"}]}"#, "[1]", &[]),
            (
                D20,
                r#"{"prefixItems": [{"type": "string"}], "items": {"type": "integer"}}"#,
                r#"[1, "a"]"#,
                &[("/0", "type"), ("/1", "type")],
            ),
            // What must stand beside something.
            (
                D4,
                r#"{"dependencies": {"a": ["b"]}}"#,
                r#"{"a": 1}"#,
                &[("", "required")],
            ),
            (
                D7,
                r#"{"dependencies": {"a": {"required": ["b"]}}}"#,
                r#"{"a": 1}"#,
                &[("", "required")],
            ),
            (
                D19,
                r#"{"dependentRequired": {"a": ["b"]}}"#,
                r#"{"a": 1}"#,
                &[("", "required")],
            ),
            (
                D20,
                r#"{"dependentSchemas": {"a": {"maxProperties": 1}}}"#,
                r#"{"a": 1, "b": 2}"#,
                &[("", "maxProperties")],
            ),
            (D7, r#"{"dependentRequired": {"a": ["b"]}}"#, r#"{"a": 1}"#, &[]),
            // Words that a draft does not know say nothing.
            (D4, r#"{"const": 1}"#, "2", &[]),
            (D4, r#"{"contains": {"type": "string"}}"#, "[]", &[]),
            (D6, IF, "{}", &[]),
            (D7, r#"{"unevaluatedProperties": false}"#, r#"{"a": 1}"#, &[]),
            // Since draft 6.
            (D6, r#"{"const": 1}"#, "1.0", &[]),
            (D6, r#"{"const": false}"#, "0", &[("", "const")]),
            (
                D6,
                r#"{"contains": {"type": "string"}}"#,
                "[1]",
                &[("", "contains")],
            ),
            (
                D6,
                r#"{"propertyNames": {"maxLength": 2}}"#,
                r#"{"abc": 1}"#,
                &[("", "propertyNames")],
            ),
            (
                D6,
                r#"{"properties": {"a": false}}"#,
                r#"{"a": 1}"#,
                &[("/a", "falseSchema")],
            ),
            // Since draft 7.
            (D7, IF, r#"{"a": 1}"#, &[("", "required")]),
            (D7, IF, r#"{"c": 1}"#, &[]),
            // Beside a $ref nothing counted up to draft 7.
            (D4, SIBLING, r#""ab""#, &[]),
            (D7, SIBLING, r#""ab""#, &[]),
            (D19, SIBLING, r#""ab""#, &[("", "maxLength")]),
            // Names and addresses within a schema.
            (D4, TREE4, r#""x""#, &[("", "type")]),
            (D19, ANCHOR, r#""x""#, &[("", "type")]),
            (D20, ANCHOR, "7", &[]),
            (D20, EMBEDDED, "1", &[("", "type")]),
            (D19, RECURSIVE, r#"{"child": {"data": 1}}"#, &[]),
            (D19, RECURSIVE, r#"{"daat": 1}"#, &[("", "unevaluatedProperties")]),
            (D20, DYNAMIC, r#"{"child": {"child": {}}}"#, &[]),
            (D20, DYNAMIC, r#"{"daat": 1}"#, &[("", "unevaluatedProperties")]),
            (
                D20,
                r#"{"$ref": "https://aura.local/schemas/defs.v1.json#/$defs/sha256"}"#,
                r#""zz""#,
                &[("", "pattern")],
            ),
            // What no other word looked at.
            (
                D19,
                r#"{"allOf": [{"properties": {"a": true}}], "unevaluatedProperties": false}"#,
                r#"{"a": 1, "b": 2}"#,
                &[("", "unevaluatedProperties")],
            ),
            (
                D19,
                r#"{"items": [true], "unevaluatedItems": false}"#,
                "[1, 2]",
                &[("", "unevaluatedItems")],
            ),
            (
                D20,
                r#"{"contains": {"type": "string"}, "unevaluatedItems": false}"#,
                r#"["a", 1]"#,
                &[("", "unevaluatedItems")],
            ),
            (
                D20,
                r#"{"contains": {"type": "string"}, "unevaluatedItems": false}"#,
                r#"["a"]"#,
                &[],
            ),
            (
                D19,
                r#"{"contains": {"type": "integer"}, "minContains": 2}"#,
                "[1]",
                &[("", "contains")],
            ),
            (
                D20,
                r#"{"contains": {"type": "integer"}, "maxContains": 1}"#,
                "[1, 2]",
                &[("", "contains")],
            ),
            // The same in every draft.
            (D4, r#"{"not": {"type": "string"}}"#, r#""a""#, &[("", "not")]),
            (D4, r#"{"enum": [1, {"a": [1]}]}"#, r#"{"a": [1.0]}"#, &[]),
            (
                D6,
                r#"{"enum": [1, {"a": [1]}]}"#,
                r#"{"a": [2]}"#,
                &[("", "enum")],
            ),
            (
                D4,
                CLOSED,
                r#"{"x1": "a", "y": 1}"#,
                &[("", "additionalProperties"), ("/x1", "type")],
            ),
            (D7, r#"{"uniqueItems": true}"#, "[1, true]", &[]),
            (D7, r#"{"uniqueItems": true}"#, "[1, 1.0]", &[("", "uniqueItems")]),
            (D4, r#"{"multipleOf": 0.01}"#, "4.355", &[("", "multipleOf")]),
            (
                D20,
                r#"{"oneOf": [{"minimum": 1}, {"minimum": 2}]}"#,
                "3",
                &[("", "oneOf")],
            ),
            (
                D20,
                r#"{"anyOf": [{"type": "null"}, {"type": "string"}]}"#,
                "3",
                &[("", "anyOf")],
            ),
            (
                D20,
                r#"{"minProperties": 2, "maxProperties": 0}"#,
                r#"{"a": 1}"#,
                &[("", "maxProperties"), ("", "minProperties")],
            ),
            (D20, r#"{"minLength": 2}"#, r#""💩""#, &[("", "minLength")]),
            (D20, r#"{"pattern": "^a$"}"#, r#""a\n""#, &[("", "pattern")]),
            (D20, r#"{"pattern": "^\\d$"}"#, r#""१""#, &[("", "pattern")]),
            (D20, r#"{"pattern": "^(?!x)"}"#, r#""xy""#, &[("", "pattern")]),
            // A number without a fraction is an integer however it is written.
            (D4, r#"{"type": "integer"}"#, "1.0", &[]),
            (D20, r#"{"type": ["integer", "null"]}"#, "1.5", &[("", "type")]),
        ],
        false,
    );
}

#[test]
fn formats_and_encodings_refuse_only_when_they_are_asserted() {
    let table: &[Case] = &[
        (
            D4,
            r#"{"format": "date-time"}"#,
            r#""2026-11-03T02:15:00""#,
            &[("", "format")],
        ),
        (D7, r#"{"format": "date"}"#, r#""2026-02-29""#, &[("", "format")]),
        (D19, r#"{"format": "ipv4"}"#, r#""256.1.1.1""#, &[("", "format")]),
        (D20, r#"{"format": "uuid"}"#, r#""x""#, &[("", "format")]),
        (
            D6,
            r#"{"contentEncoding": "base64"}"#,
            r#""!!""#,
            &[("", "contentEncoding")],
        ),
        (
            D7,
            r#"{"contentMediaType": "application/json"}"#,
            r#""{""#,
            &[("", "contentMediaType")],
        ),
    ];
    holds(table, true);
    let silent: Vec<Case> = table
        .iter()
        .map(|(draft, schema, instance, _)| (*draft, *schema, *instance, &[][..]))
        .collect();
    holds(&silent, false);
    holds(
        &[
            (D19, r#"{"contentEncoding": "base64"}"#, r#""!!""#, &[]),
            (D20, r#"{"format": "moon-phase"}"#, r#""x""#, &[]),
            (D20, r#"{"format": "date"}"#, "7", &[]),
        ],
        true,
    );
}

#[test]
fn the_draft_is_what_the_schema_says_unless_it_is_told() {
    let schema =
        json!({"$schema": "http://json-schema.org/draft-04/schema#", "minimum": 5, "exclusiveMinimum": true});
    let refused = |options| !faults(&schema, &json!(5), options).is_empty();
    assert!(refused(ValidatorOptions::default()));
    // A flag is no bound in 2020-12: the schema itself is refused.
    let why = SchemaValidator::new(&schema, of(D20, false)).unwrap_err();
    assert_eq!(
        why.listed
            .iter()
            .map(|f| (f.code, f.pointer.as_str(), f.keyword.as_str()))
            .collect::<Vec<_>>(),
        [(SchemaCode::Schema003, "/exclusiveMinimum", "type")]
    );
    // Without a word it is 2020-12.
    assert_eq!(
        faults(
            &json!({"prefixItems": [false]}),
            &json!([1]),
            ValidatorOptions::default()
        )
        .len(),
        1
    );
}

#[test]
fn a_schema_that_is_none_is_refused_with_every_fault_and_its_place() {
    let table: &[(Draft, &str, &[&str])] = &[
        (D4, r#"{"required": []}"#, &["/required"]),
        (D4, r#"{"properties": {"a": false}}"#, &["/properties/a"]),
        (D6, r#"{"exclusiveMinimum": true}"#, &["/exclusiveMinimum"]),
        (D7, r#"{"type": 7, "minLength": -1}"#, &["/minLength", "/type"]),
        (D19, r#"{"$defs": []}"#, &["/$defs"]),
        (D20, r#"{"items": [{}]}"#, &["/items"]),
        (D20, r#"{"pattern": "("}"#, &["/pattern"]),
        (D20, "7", &[""]),
    ];
    for (draft, schema, places) in table {
        let mut faults = SchemaValidator::new(&read(schema), of(*draft, false))
            .unwrap_err()
            .listed;
        faults.sort_by(|a, b| a.pointer.cmp(&b.pointer));
        faults.dedup_by(|a, b| a.pointer == b.pointer);
        let got: Vec<_> = faults
            .iter()
            .map(|f| (f.code, f.document, f.pointer.as_str()))
            .collect();
        let want: Vec<_> = places
            .iter()
            .map(|place| (SchemaCode::Schema003, Document::Schema, *place))
            .collect();
        assert_eq!(got, want, "draft {draft}: {schema}");
    }
}

#[test]
fn a_reference_that_leads_nowhere_is_named_with_its_place() {
    let table: &[(&str, &str, &str)] = &[
        (
            r##"{"properties": {"a": {"$ref": "#/$defs/b"}}}"##,
            "/properties/a/$ref",
            "#/$defs/b",
        ),
        (r##"{"items": {"$ref": "#b"}}"##, "/items/$ref", "#b"),
        (
            r#"{"allOf": [{"$ref": "https://x.test/b.json"}]}"#,
            "/allOf/0/$ref",
            "https://x.test/b.json",
        ),
        (r#"{"$ref": "file:///etc/passwd"}"#, "/$ref", "file:///etc/passwd"),
        (
            r#"{"$ref": "https://aura.local/schemas/nothing.json"}"#,
            "/$ref",
            "https://aura.local/schemas/nothing.json",
        ),
        (
            r#"{"$schema": "https://x.test/meta"}"#,
            "/$schema",
            "https://x.test/meta",
        ),
    ];
    for (schema, place, target) in table {
        let faults = SchemaValidator::new(&read(schema), ValidatorOptions::default())
            .unwrap_err()
            .listed;
        let got: Vec<_> = faults
            .iter()
            .map(|f| (f.code, f.pointer.as_str(), f.limit.as_deref()))
            .collect();
        assert_eq!(got, [(SchemaCode::Schema004, *place, Some(*target))], "{schema}");
    }
}

#[test]
fn a_fault_says_where_in_the_instance_and_where_in_the_schema() {
    let schema = json!({"properties": {"a": {"$ref": "#/$defs/b"}}, "$defs": {"b": {"minimum": 5}}});
    let want = SchemaFault {
        code: SchemaCode::Schema005,
        document: Document::Instance,
        pointer: "/a".to_owned(),
        schema_pointer: Some("/properties/a/$ref/minimum".to_owned()),
        keyword: "minimum".to_owned(),
        limit: Some("5".to_owned()),
        message: "the number is too small".to_owned(),
    };
    assert_eq!(
        faults(&schema, &json!({"a": 4}), ValidatorOptions::default()),
        [want]
    );
}

#[test]
fn no_word_of_the_instance_stands_in_a_fault() {
    let schemas = [
        json!({"type": "integer"}),
        json!({"enum": [1]}),
        json!({"const": 1}),
        json!({"pattern": "^x$"}),
        json!({"format": "date"}),
        json!({"maxLength": 1}),
        json!({"not": {}}),
        json!(false),
        json!({"anyOf": [{"type": "null"}, {"const": 2}]}),
        json!({"oneOf": [{"type": "null"}]}),
    ];
    let options = of(D20, true);
    for schema in schemas {
        let faults = faults(&schema, &json!("Hilltop"), options);
        assert!(
            !faults.is_empty() && !format!("{faults:?}").contains("Hilltop"),
            "{faults:?}"
        );
    }
    for schema in [
        json!({"additionalProperties": false}),
        json!({"unevaluatedProperties": false}),
        json!({"propertyNames": {"maxLength": 1}}),
        json!({"maxProperties": 0}),
    ] {
        let faults = faults(&schema, &json!({"Hilltop": 1}), options);
        assert!(
            !faults.is_empty() && !format!("{faults:?}").contains("Hilltop"),
            "{faults:?}"
        );
    }
}

#[test]
fn of_many_faults_the_first_thousand_are_listed_and_the_others_counted() {
    let validator =
        SchemaValidator::new(&json!({"items": {"type": "string"}}), ValidatorOptions::default()).unwrap();
    let SchemaFaults { listed, more } = validator.check(&json!(vec![0; MAX_FAULTS + 3])).unwrap_err();
    assert_eq!((listed.len(), more), (MAX_FAULTS, 3));
    assert_eq!(listed.last().unwrap().pointer, format!("/{}", MAX_FAULTS - 1));
}

#[test]
fn what_is_not_strict_json_is_refused_as_the_gate_refuses_it() {
    let table: &[(&[u8], &str, &str, Option<&str>)] = &[
        (b"", "", "syntax", None),
        (b"{} {}", "", "syntax", None),
        (b"{\"a\": {\"b\": 1, \"b\": 2}}", "/a/b", "duplicate key", None),
        (b"[1e400]", "/0", "number", Some("±9007199254740992")),
        (b"\"\xff\"", "", "utf-8", None),
    ];
    for (bytes, pointer, keyword, limit) in table {
        let fault = validate::parse(bytes, Document::Schema)
            .unwrap_err()
            .listed
            .remove(0);
        let got = (
            fault.code,
            fault.document,
            fault.pointer.as_str(),
            fault.keyword.as_str(),
            fault.limit.as_deref(),
        );
        assert_eq!(
            got,
            (
                SchemaCode::Schema001,
                Document::Schema,
                *pointer,
                *keyword,
                *limit
            )
        );
    }
    let large = vec![b' '; validate::MAX_DOCUMENT_BYTES + 1];
    let fault = validate::parse(&large, Document::Line)
        .unwrap_err()
        .listed
        .remove(0);
    assert_eq!(
        (fault.keyword.as_str(), fault.limit.as_deref()),
        ("size", Some("1310720 bytes"))
    );
}

#[test]
fn a_line_is_a_schema_or_the_name_of_one_and_an_instance() {
    let pair = validate::parse_line(json!({"schema": {"type": "null"}, "instance": 1}));
    assert_eq!(pair, Ok((json!({"type": "null"}), json!(1))));
    for name in ["toolcall.v1", "https://aura.local/schemas/toolcall.v1.json"] {
        let (schema, _) = validate::parse_line(json!({"schema": name, "instance": 1})).unwrap();
        assert_eq!(Some(schema), validate::published("toolcall.v1").map(read));
    }
    let table = [
        (json!([1]), "", "type"),
        (json!({"schema": true}), "", "required"),
        (json!({"instance": true}), "", "required"),
        (
            json!({"schema": true, "instance": 1, "note": 1}),
            "",
            "additionalProperties",
        ),
        (json!({"schema": "/etc/passwd", "instance": 1}), "/schema", "enum"),
    ];
    for (line, pointer, keyword) in table {
        let fault = validate::parse_line(line.clone()).unwrap_err().listed.remove(0);
        let got = (
            fault.code,
            fault.document,
            fault.pointer.as_str(),
            fault.keyword.as_str(),
        );
        assert_eq!(
            got,
            (SchemaCode::Schema002, Document::Line, pointer, keyword),
            "{line}"
        );
    }
}

#[test]
fn every_schema_of_aura_is_published_under_its_own_address_and_is_a_schema() {
    for (name, text) in validate::all_published() {
        let schema: Value = serde_json::from_str(text).unwrap();
        assert!(
            SchemaValidator::new(&schema, ValidatorOptions::default()).is_ok(),
            "{name}"
        );
        if let Some(id) = schema.get("$id").and_then(Value::as_str) {
            assert_eq!(validate::published(id), Some(text), "{name}");
        }
        assert_eq!(validate::published(name), Some(text));
    }
}

#[test]
fn a_schema_that_refers_to_itself_for_ever_ends() {
    for schema in [
        json!({"$ref": "#"}),
        json!({"allOf": [{"$ref": "#"}]}),
        json!({"not": {"$ref": "#"}}),
    ] {
        let _ = faults(&schema, &json!({"a": [1, {"b": 2}]}), ValidatorOptions::default());
    }
}
