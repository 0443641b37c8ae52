//! The messages of the other two protocols, from bytes.
//!
//! What: the seeds' own schemas and examples, single faults with their code and place, what is kept of what is not known. Why:
//! anybody's agent is held to this and to nothing else. Not here: running agents.

use serde_json::{Value, json};
use std::path::Path;
use toolcall_schema::protocol::{
    BaseRequest, BaseResponse, EnvelopeInput, EnvelopeOutput, ExecutionMode, MAX_MESSAGE_BYTES, MessageView,
    Operation, Recommendation, Status, TaskType, parse_message,
};
use toolcall_validators as schemas;

fn file(path: &str) -> Vec<u8> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures");
    std::fs::read(root.join(path)).unwrap()
}

fn value(path: &str) -> Value {
    serde_json::from_slice(&file(path)).unwrap()
}

/// The code, the place and the keyword of a refusal.
fn refusal<T: MessageView>(bytes: &[u8]) -> (String, String, String) {
    let error = parse_message::<T>(bytes)
        .map(|message| message.value().clone())
        .unwrap_err();
    (error.code.to_string(), error.pointer, error.keyword)
}

#[test]
fn the_schemas_of_the_base_protocol_are_the_seeds_byte_for_byte() {
    for (ours, seed) in [
        (schemas::BaseRequest::SCHEMA, "seeds/base_request.schema.json"),
        (schemas::BaseResponse::SCHEMA, "seeds/base_response.schema.json"),
    ] {
        assert_eq!(ours.as_bytes(), file(seed), "{seed}");
    }
}

#[test]
fn the_seeds_examples_pass_and_say_what_they_say() {
    let request = parse_message::<BaseRequest>(&file("seeds/base_request.example.json")).unwrap();
    let view = request.view();
    assert_eq!(
        (view.mode(), view.request.task.kind, view.meta.agent_id.as_str()),
        (ExecutionMode::Parallel, TaskType::Research, "research_001")
    );
    let constraints = view.request.task.constraints;
    assert_eq!((constraints.iterations(), constraints.seconds()), (3, 180));

    let input = parse_message::<EnvelopeInput>(&file("seeds/envelope_input.example.json")).unwrap();
    assert_eq!(input.view().task.action, "validate");
    assert_eq!(
        input.view().prior_context,
        ["Spec complete", "3 edge cases identified"]
    );

    let output = parse_message::<EnvelopeOutput>(&file("seeds/envelope_output.example.json")).unwrap();
    let view = output.view();
    assert_eq!(
        (view.recommendation, view.artifacts[0].operation, view.applies()),
        (Recommendation::Proceed, Operation::Update, true)
    );
}

#[test]
fn the_examples_of_the_skill_are_messages() {
    parse_message::<EnvelopeInput>(&file("agent-protocol/examples/input.json")).unwrap();
    parse_message::<EnvelopeOutput>(&file("agent-protocol/examples/output.json")).unwrap();
}

#[test]
fn what_is_absent_has_its_stated_meaning() {
    let request = json!({
        "meta": { "version": "1.4.2", "timestamp": "2026-11-03T07:45:00Z",
                  "session_id": "550e8400-e29b-41d4-a716-446655440000", "agent_id": "a" },
        "request": { "task": { "type": "test", "objective": "try it all", "constraints": {} }, "parameters": {} },
        "context": { "user_query": "", "previous_results": [] },
    });
    let request = parse_message::<BaseRequest>(request.to_string().as_bytes()).unwrap();
    let constraints = request.view().request.task.constraints;
    assert_eq!(
        (
            request.view().mode(),
            constraints.iterations(),
            constraints.seconds()
        ),
        (ExecutionMode::Sync, 1, 120)
    );
}

#[test]
fn what_is_not_known_is_kept() {
    let said = json!({
        "status": "partial",
        "data": { "findings": [1, { "x": null }], "mood": "fine" },
        "meta": { "tokens_used": 12, "gpu": "none" },
        "signed": true,
    });
    let response = parse_message::<BaseResponse>(said.to_string().as_bytes()).unwrap();
    assert_eq!(response.view().status, Status::Partial);
    assert_eq!(response.value(), &said);
}

/// The example with one thing changed: where, and to what. `None`: the member is removed.
fn with(example: &str, pointer: &str, new: Option<Value>) -> Vec<u8> {
    let mut value = value(example);
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    let parent = value.pointer_mut(parent).unwrap();
    match (parent, new) {
        (Value::Object(members), Some(new)) => drop(members.insert(key.to_owned(), new)),
        (Value::Object(members), None) => drop(members.remove(key)),
        (Value::Array(items), Some(new)) => items[key.parse::<usize>().unwrap()] = new,
        (parent, new) => unreachable!("{parent} {new:?}"),
    }
    value.to_string().into_bytes()
}

#[test]
fn each_fault_of_a_request_is_refused_at_its_place() {
    let example = "seeds/base_request.example.json";
    let s = |text: &str| Some(json!(text));
    for (pointer, new, code, place, keyword) in [
        ("/meta", None, "PROTO-002", "", "required"),
        ("/meta/version", s("1.0"), "PROTO-002", "/meta/version", "pattern"),
        (
            "/meta/version",
            s("\u{967}.0.0"),
            "PROTO-002",
            "/meta/version",
            "pattern",
        ),
        (
            "/meta/version",
            s("2.0.0"),
            "PROTO-003",
            "/meta/version",
            "version",
        ),
        (
            "/meta/version",
            s("01.0.0"),
            "PROTO-003",
            "/meta/version",
            "version",
        ),
        (
            "/meta/timestamp",
            s("yesterday"),
            "PROTO-002",
            "/meta/timestamp",
            "format",
        ),
        (
            "/meta/session_id",
            s("550e8400-e29b-41d4-a716"),
            "PROTO-002",
            "/meta/session_id",
            "format",
        ),
        (
            "/meta/execution_mode",
            s("later"),
            "PROTO-002",
            "/meta/execution_mode",
            "enum",
        ),
        (
            "/request/task/type",
            s("dance"),
            "PROTO-002",
            "/request/task/type",
            "enum",
        ),
        (
            "/request/task/objective",
            s("short"),
            "PROTO-002",
            "/request/task/objective",
            "minLength",
        ),
        (
            "/request/task/constraints/max_iterations",
            Some(json!(11)),
            "PROTO-002",
            "/request/task/constraints/max_iterations",
            "maximum",
        ),
        (
            "/request/task/constraints/time_limit_seconds",
            Some(json!(29)),
            "PROTO-002",
            "/request/task/constraints/time_limit_seconds",
            "minimum",
        ),
        (
            "/request/parameters",
            Some(json!([])),
            "PROTO-002",
            "/request/parameters",
            "type",
        ),
        (
            "/context/previous_results",
            Some(json!([3])),
            "PROTO-002",
            "/context/previous_results/0",
            "type",
        ),
    ] {
        let expected = (code.to_owned(), place.to_owned(), keyword.to_owned());
        assert_eq!(
            refusal::<BaseRequest>(&with(example, pointer, new.clone())),
            expected,
            "{pointer} {new:?}"
        );
    }
}

#[test]
fn each_fault_of_a_response_is_refused_at_its_place() {
    let good = json!({ "status": "failed", "data": { "confidence_score": 1 }, "errors": [{}], "meta": {} });
    parse_message::<BaseResponse>(good.to_string().as_bytes()).unwrap();
    for (member, new, code, place, keyword) in [
        ("status", json!("done"), "PROTO-002", "/status", "enum"),
        (
            "data",
            json!({ "confidence_score": 1.01 }),
            "PROTO-002",
            "/data/confidence_score",
            "maximum",
        ),
        (
            "data",
            json!({ "citations": {} }),
            "PROTO-002",
            "/data/citations",
            "type",
        ),
        (
            "errors",
            json!([{ "code": 7 }]),
            "PROTO-002",
            "/errors/0/code",
            "type",
        ),
        ("errors", json!([]), "PROTO-004", "/status", "rule"),
        (
            "meta",
            json!({ "tokens_used": 1.5 }),
            "PROTO-002",
            "/meta/tokens_used",
            "type",
        ),
    ] {
        let mut bad = good.clone();
        bad[member] = new;
        let expected = (code.to_owned(), place.to_owned(), keyword.to_owned());
        assert_eq!(
            refusal::<BaseResponse>(bad.to_string().as_bytes()),
            expected,
            "{bad}"
        );
    }
}

#[test]
fn an_input_may_name_several_files_at_once_and_be_about_no_feature() {
    let input = "seeds/envelope_input.example.json";
    for files in [
        json!([]),
        json!(["specs/a.md"]),
        json!(["specs/a.md", "specs/b.md"]),
    ] {
        let message =
            parse_message::<EnvelopeInput>(&with(input, "/paths/spec", Some(files.clone()))).unwrap();
        assert_eq!(
            serde_json::to_value(&message.view().paths["spec"]).unwrap(),
            files
        );
    }
    let message =
        parse_message::<EnvelopeInput>(&with(input, "/context/feature_id", Some(Value::Null))).unwrap();
    assert_eq!(message.view().context.feature_id, None);
}

#[test]
fn each_fault_of_an_envelope_is_refused_at_its_place() {
    let input = "seeds/envelope_input.example.json";
    for (pointer, new, place, keyword) in [
        ("/paths", None, "", "required"),
        (
            "/context/iteration",
            Some(json!(0)),
            "/context/iteration",
            "minimum",
        ),
        (
            "/context/feature_id",
            Some(json!("")),
            "/context/feature_id",
            "minLength",
        ),
        ("/paths/spec", Some(json!(7)), "/paths/spec", "type"),
        ("/paths/spec", Some(json!(null)), "/paths/spec", "type"),
        (
            "/paths/spec",
            Some(json!(["a.md", ""])),
            "/paths/spec/1",
            "minLength",
        ),
        (
            "/paths/spec",
            Some(json!(["a.md", ["b.md"]])),
            "/paths/spec/1",
            "type",
        ),
        ("/context/feature_id", None, "/context", "required"),
        (
            "/context/workflow",
            Some(json!(null)),
            "/context/workflow",
            "type",
        ),
        ("/task/action", None, "/task", "required"),
        ("/prior_context", Some(json!("notes")), "/prior_context", "type"),
    ] {
        let expected = ("PROTO-002".to_owned(), place.to_owned(), keyword.to_owned());
        assert_eq!(
            refusal::<EnvelopeInput>(&with(input, pointer, new.clone())),
            expected,
            "{pointer} {new:?}"
        );
    }
    let output = "seeds/envelope_output.example.json";
    for (pointer, new, code, place, keyword) in [
        ("/summary", None, "PROTO-002", "", "required"),
        (
            "/recommendation",
            Some(json!("skip")),
            "PROTO-002",
            "/recommendation",
            "enum",
        ),
        (
            "/success",
            Some(json!(false)),
            "PROTO-004",
            "/recommendation",
            "rule",
        ),
        (
            "/artifacts/0/operation",
            Some(json!("delete")),
            "PROTO-002",
            "/artifacts/0/operation",
            "enum",
        ),
        (
            "/artifacts/0/path",
            Some(json!("")),
            "PROTO-002",
            "/artifacts/0/path",
            "minLength",
        ),
        (
            "/artifacts",
            Some(json!([
                { "path": "a.md", "operation": "create", "content": "" },
                { "path": "a.md", "operation": "update", "content": "x" },
            ])),
            "PROTO-004",
            "/artifacts/1/path",
            "rule",
        ),
    ] {
        let expected = (code.to_owned(), place.to_owned(), keyword.to_owned());
        assert_eq!(
            refusal::<EnvelopeOutput>(&with(output, pointer, new.clone())),
            expected,
            "{pointer} {new:?}"
        );
    }
}

#[test]
fn artifacts_apply_only_after_a_success_that_wants_no_other_attempt() {
    let output = |success: bool, recommendation: &str| {
        let text =
            json!({ "success": success, "summary": "", "artifacts": [], "recommendation": recommendation });
        let message = parse_message::<EnvelopeOutput>(text.to_string().as_bytes());
        message.map(|message| message.view().applies()).ok()
    };
    for (success, recommendation, applies) in [
        (true, "proceed", Some(true)),
        (true, "escalate", Some(true)),
        (true, "retry", Some(false)),
        (false, "retry", Some(false)),
        (false, "escalate", Some(false)),
        (false, "proceed", None),
    ] {
        assert_eq!(
            output(success, recommendation),
            applies,
            "{success} {recommendation}"
        );
    }
}

#[test]
fn what_is_not_one_strict_document_is_refused_before_any_schema() {
    let good = file("seeds/envelope_output.example.json");
    let twice = [good.as_slice(), b" ", &good].concat();
    let deep = [b"[".repeat(40), b"]".repeat(40)].concat();
    let long = vec![b' '; MAX_MESSAGE_BYTES + 1];
    for (bytes, keyword) in [
        (&b""[..], "syntax"),
        (b"not JSON", "syntax"),
        (b"\xff{}", "utf-8"),
        (br#"{"success":true,"success":false}"#, "duplicate key"),
        (&twice, "syntax"),
        (&deep, "depth"),
        (br#"{"n":1e400}"#, "number"),
        (&long, "size"),
    ] {
        let (code, _, found) = refusal::<EnvelopeOutput>(bytes);
        assert_eq!((code.as_str(), found.as_str()), ("PROTO-001", keyword));
    }
}
