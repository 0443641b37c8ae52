//! The description of the API against the server.
//!
//! What: its form, that it has every route and no other, and that each documented request is answered as it says, refusals too. Why: a
//! description that is wrong is worse than none. Not here: what comes of a request. The backend is a double.

use crate::{
    client::{Answer, Server, server},
    live::Events,
    morning::TOKEN,
};
use jsonschema::Validator;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use surfaces::web::access::{ROUTES, RouteAccess};

const DOCUMENT: &str = include_str!("../../../docs/openapi.json");

fn document() -> Value {
    serde_json::from_str(DOCUMENT).unwrap()
}

/// What a JSON pointer names; a reference is followed.
fn at<'a>(document: &'a Value, value: &'a Value) -> &'a Value {
    let Some(to) = value["$ref"].as_str() else {
        return value;
    };
    let found = document.pointer(to.strip_prefix('#').unwrap());
    assert!(found.is_some(), "{to} is not there");
    found.unwrap()
}

/// Each operation: method, path, operation.
fn operations(document: &Value) -> Vec<(String, String, &Map<String, Value>)> {
    let paths = document["paths"].as_object().unwrap();
    paths
        .iter()
        .flat_map(|(path, item)| {
            let item = item.as_object().unwrap();
            item.iter()
                .map(|(method, it)| (method.to_uppercase(), path.clone(), it.as_object().unwrap()))
        })
        .collect()
}

fn refs(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                match value.as_str().filter(|_| name == "$ref") {
                    Some(to) => found.push(to.to_owned()),
                    None => refs(value, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| refs(item, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[test]
fn the_document_is_openapi_3_1() {
    let document = document();
    assert!(document["openapi"].as_str().unwrap().starts_with("3.1."));
    for member in ["/info/title", "/info/version"] {
        assert!(document.pointer(member).is_some_and(Value::is_string), "{member}");
    }
    let mut found = Vec::new();
    refs(&document, &mut found);
    for to in found {
        assert!(to.starts_with('#'), "{to} leads elsewhere");
        let pointer = to.trim_start_matches('#');
        assert!(document.pointer(pointer).is_some(), "{to} leads nowhere");
    }
    let schemes = document["components"]["securitySchemes"].as_object().unwrap();
    let mut ids = BTreeSet::new();
    for (method, path, operation) in operations(&document) {
        let name = format!("{method} {path}");
        assert!(path.starts_with('/'), "{name}");
        assert!(
            ids.insert(operation["operationId"].as_str().unwrap()),
            "{name}: its id is taken"
        );
        for (status, reply) in operation["responses"].as_object().unwrap() {
            let good = status == "default" || matches!(status.parse(), Ok(100..600_u16));
            assert!(good, "{name}: {status}");
            assert!(
                at(&document, reply)["description"].is_string(),
                "{name}: {status} has no description"
            );
        }
        let no_list = Vec::new();
        let parameters = operation
            .get("parameters")
            .map_or(&no_list, |list| list.as_array().unwrap());
        let in_path: BTreeSet<&str> = parameters
            .iter()
            .filter(|parameter| parameter["in"] == "path")
            .map(|parameter| {
                assert_eq!(parameter["required"], true, "{name}");
                parameter["name"].as_str().unwrap()
            })
            .collect();
        let wanted = path
            .split('{')
            .skip(1)
            .map(|part| part.split('}').next().unwrap());
        assert_eq!(in_path, wanted.collect(), "{name}");
        for way in operation["security"].as_array().unwrap() {
            for scheme in way.as_object().unwrap().keys() {
                assert!(schemes.contains_key(scheme), "{name}: {scheme}");
            }
        }
        let changes = method != "GET";
        let by_page = operation["security"]
            .as_array()
            .unwrap()
            .iter()
            .find(|way| way.get("cookie").is_some());
        let with_page = by_page.is_some_and(|way| way.get("page").is_some());
        assert!(
            by_page.is_none() || with_page == changes,
            "{name}: the page's token"
        );
    }
}

/// The routes that programs use, with who may come: what is not under these names is for people and answers HTML.
fn routes() -> BTreeSet<(String, String, String)> {
    let program = ["/v1/", "/events", "/metrics", "/healthz", "/readyz"];
    let of_programs = ROUTES
        .iter()
        .filter(|route| program.iter().any(|start| route.path.starts_with(start)));
    let named = of_programs.map(|route| {
        let scope = match route.access {
            RouteAccess::Open => "open",
            RouteAccess::Needs(scope) => scope.as_str(),
            // A protocol of its own: it is described by itself.
            RouteAccess::AnyOf(_) => "programs",
        };
        (route.method.to_owned(), route.path.to_owned(), scope.to_owned())
    });
    named.collect()
}

#[test]
fn every_route_for_programs_stands_in_the_document_with_its_scope_and_every_other_way_round() {
    let document = document();
    let described = operations(&document)
        .into_iter()
        .map(|(method, path, operation)| {
            let mut scopes: BTreeSet<&str> = BTreeSet::new();
            for way in operation["security"].as_array().unwrap() {
                let names = way
                    .as_object()
                    .unwrap()
                    .values()
                    .flat_map(|list| list.as_array().unwrap());
                scopes.extend(names.map(|name| name.as_str().unwrap()));
            }
            let scope = scopes.into_iter().collect::<Vec<_>>().join(" ");
            (
                method,
                path,
                if scope.is_empty() {
                    "open".to_owned()
                } else {
                    scope
                },
            )
        });
    assert_eq!(described.collect::<BTreeSet<_>>(), routes());
}

#[test]
fn the_contracts_in_the_document_are_the_gates_own() {
    /// Without its address, and with references into the document.
    fn bundled(name: &str, value: Value) -> Value {
        match value {
            Value::Object(members) => {
                let kept = members
                    .into_iter()
                    .filter(|(key, value)| !(matches!(key.as_str(), "$id" | "$schema") && value.is_string()));
                let kept = kept.map(|(key, value)| match value.as_str().filter(|_| key == "$ref") {
                    Some(to) => {
                        let (file, rest) = to.split_once('#').unwrap_or((to, ""));
                        let of = if file.is_empty() {
                            name
                        } else {
                            file.trim_end_matches(".json")
                        };
                        (key, Value::from(format!("#/components/schemas/{of}{rest}")))
                    }
                    None => (key, bundled(name, value)),
                });
                Value::Object(kept.collect())
            }
            Value::Array(items) => items.into_iter().map(|item| bundled(name, item)).collect(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value,
        }
    }
    let document = document();
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../toolcall-schema/src/schemas");
    for name in ["defs.v1", "signal.v1", "decision.v1", "card.v1", "trace.v1"] {
        let text = std::fs::read_to_string(folder.join(format!("{name}.json"))).unwrap();
        let own = bundled(name, serde_json::from_str(&text).unwrap());
        assert_eq!(
            document["components"]["schemas"][name], own,
            "{name}: take the new one over"
        );
    }
}

/// Judges a reply by the document.
struct Judge {
    document: Value,
    made: BTreeMap<String, Validator>,
    seen: BTreeSet<(String, String)>,
}

impl Judge {
    fn new() -> Self {
        Self {
            document: document(),
            made: BTreeMap::new(),
            seen: BTreeSet::new(),
        }
    }

    /// The validator of a schema of the document. The document's schemas become its definitions.
    fn validator(&mut self, schema: &Value) -> &Validator {
        let key = schema.to_string();
        let schemas = &self.document["components"]["schemas"];
        self.made.entry(key).or_insert_with(|| {
            let whole = json!({
                "$schema": "https://json-schema.org/draft/2020-12/schema", "allOf": [schema], "$defs": schemas
            });
            let text = whole.to_string().replace("#/components/schemas/", "#/$defs/");
            jsonschema::options()
                .should_validate_formats(true)
                .build(&serde_json::from_str(&text).unwrap())
                .unwrap()
        })
    }

    /// The reply is one that the document names, with such a body.
    fn judge(&mut self, id: &str, responses: &Value, answer: &Answer) {
        let status = answer.status.to_string();
        let name = if responses.get(&status).is_some() {
            status.as_str()
        } else {
            "default"
        };
        assert!(
            name != "default" || matches!(answer.status, 429 | 500 | 503 | 504),
            "{id}: {status} is not described: {}",
            answer.body
        );
        self.seen.insert((id.to_owned(), name.to_owned()));
        let reply = at(&self.document, &responses[name]).clone();
        let Some(content) = reply.get("content").and_then(Value::as_object) else {
            assert_eq!(answer.body, "", "{id}: {status}");
            return;
        };
        let kind = answer
            .head
            .lines()
            .find_map(|line| line.strip_prefix("content-type: "))
            .unwrap();
        let kind = kind.split(';').next().unwrap();
        assert!(content.contains_key(kind), "{id}: {status} as {kind}");
        let schema = &content[kind];
        if kind == "application/json" {
            let body: Value = serde_json::from_str(&answer.body).unwrap();
            let schema = schema["schema"].clone();
            let validator = self.validator(&schema);
            let wrong: Vec<String> = validator
                .iter_errors(&body)
                .map(|error| format!("{}: {error}", error.instance_path()))
                .collect();
            assert!(wrong.is_empty(), "{id}: {status}: {wrong:#?}\n{}", answer.body);
        }
    }
}

/// A path with the examples of its parameters.
fn filled(path: &str, operation: &Map<String, Value>) -> String {
    let mut filled = path.to_owned();
    let mut query = Vec::new();
    for parameter in operation
        .get("parameters")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        let name = parameter["name"].as_str().unwrap();
        let example = &parameter["example"];
        let text = example
            .as_str()
            .map_or_else(|| example.to_string(), str::to_owned);
        if parameter["in"] == "path" {
            filled = filled.replace(&format!("{{{name}}}"), &text);
        } else {
            query.push(format!("{name}={text}"));
        }
    }
    if query.is_empty() {
        filled
    } else {
        format!("{filled}?{}", query.join("&"))
    }
}

/// A stream has no end: its head and its first event.
async fn stream(server: &Server) -> Answer {
    let mut page = Events::open(server, "app").await;
    page.until("event: hello").await;
    Answer {
        status: 200,
        head: "content-type: text/event-stream".to_owned(),
        body: String::new(),
    }
}

#[tokio::test]
async fn each_documented_request_is_answered_as_the_document_says() {
    let mut judge = Judge::new();
    let document = document();
    for scene in ["brief", "mute", "quiet", "asks", "acts"] {
        let server = server(scene).await;
        let asking = crate::asks::asking_token(&server).await;
        for (method, path, operation) in operations(&document) {
            let id = operation["operationId"].as_str().unwrap();
            let responses = &operation["responses"];
            // What programs ask is no owner's to ask.
            let is_asked = operation["security"].to_string().contains(r#"["ask"]"#);
            let token = if is_asked { asking.as_str() } else { TOKEN };
            let address = filled(&path, operation);
            let line = format!("{method} {address}");
            let example = operation
                .get("requestBody")
                .map(|body| &body["content"]["application/json"]);
            let body = example.map_or_else(String::new, |example| {
                let schema = example["schema"].clone();
                let value = &example["example"];
                assert!(judge.validator(&schema).is_valid(value), "{id}: its own example");
                value.to_string()
            });
            let good = if id == "events" {
                stream(&server).await
            } else {
                server.request_as(token, &line, &body).await
            };
            judge.judge(id, responses, &good);
            // Nobody, and somebody from elsewhere.
            let open = operation["security"].as_array().unwrap().is_empty();
            if !open {
                let nobody = server.raw(&line, &server.host(), &body).await;
                assert_eq!(nobody.status, 401, "{id}");
                judge.judge(id, responses, &nobody);
            }
            let elsewhere = server.raw(&line, "host: evil.example\n", &body).await;
            assert_eq!(elsewhere.status, 403, "{id}");
            judge.judge(id, responses, &elsewhere);
            if example.is_some() {
                for wrong in ["no JSON".to_owned(), "{}".to_owned(), " ".repeat(300 * 1024)] {
                    let refused = server.request_as(token, &line, &wrong).await;
                    judge.judge(id, responses, &refused);
                }
                let headers = format!(
                    "{}authorization: Bearer {token}\ncontent-type: text/plain\n",
                    server.host()
                );
                let refused = server.raw(&line, &headers, &body).await;
                assert_eq!(refused.status, 415, "{id}");
                judge.judge(id, responses, &refused);
            }
            if path.contains('{') {
                for strange in ["x", "%00", "zzzzzzzzzzzz"] {
                    let (head, tail) = (path.split('{').next().unwrap(), path.split('}').nth(1).unwrap());
                    let other = format!("{head}{strange}{tail}");
                    let line = format!("{method} {other}");
                    let answer = server.request_as(token, &line, &body).await;
                    judge.judge(id, responses, &answer);
                }
            }
            if path == "/v1/traces" {
                judge.judge(id, responses, &server.get("/v1/traces?limit=many").await);
            }
            if id == "events" {
                judge.judge(id, responses, &server.get("/events?surface=fridge").await);
            }
        }
        // What programs ask and is not taken, or over already.
        let asks = &document["paths"]["/v1/asks"]["post"]["responses"];
        for (tool, key) in [
            ("wellness.permit_leisure", "over"),
            ("wellness.permit_leisure", "other"),
            ("wellness.permit_leisure", "many"),
            ("comms.no_tool", "a"),
        ] {
            let body = json!({"tool": tool, "args": {}, "key": key}).to_string();
            let answer = server.request_as(&asking, "POST /v1/asks", &body).await;
            judge.judge("ask", asks, &answer);
        }
        let state = &document["paths"]["/v1/asks/{id}"]["get"]["responses"];
        let line = format!("GET /v1/asks/{}?wait=long", crate::asks_double::ASK);
        judge.judge("ask_state", state, &server.request_as(&asking, &line, "").await);
        let reads = &document["paths"]["/v1/reads"]["post"]["responses"];
        let often = r#"{"tool":"calendar.detect_conflicts","args":{}}"#;
        let answer = server.request_as(&asking, "POST /v1/reads", often).await;
        judge.judge("read", reads, &answer);
        // The owner's answers that are not taken.
        let answers = &document["paths"]["/v1/cards/{card_id}/answer"]["post"]["responses"];
        let confirm = r#"{"act":"confirm","surface":"PHONE_CARD"}"#;
        let path = format!("/v1/cards/{}/answer", crate::morning::CARD);
        judge.judge("answer_card", answers, &server.post(&path, confirm).await);
        let mutes = &document["paths"]["/v1/mutes/{about}/end"]["post"]["responses"];
        let other = server.post("/v1/mutes/ch_0000000000000002/end", "").await;
        judge.judge("end_mute", mutes, &other);
        let mute = &document["paths"]["/v1/mutes/{about}"]["post"]["responses"];
        let person = server
            .post("/v1/mutes/pe_0000000000000001", r#"{"for":"8h"}"#)
            .await;
        judge.judge("mute", mute, &person);
        if scene == "acts" {
            // Another service: a device may ask for so much in a second and no more, and a quiet machine is there by now.
            let server = crate::client::server(scene).await;
            let edits = &document["paths"]["/v1/messages/{message}/draft"]["post"]["responses"];
            let shown = "0".repeat(64);
            for text in ["x".repeat(20_000), " ".to_owned(), "Later".to_owned()] {
                let body = json!({"text": text, "shown": shown}).to_string();
                let refused = server.post("/v1/messages/it_00000000000000b2/draft", &body).await;
                judge.judge("edit_draft", edits, &refused);
            }
            let declines = &document["paths"]["/v1/events/{event}/draft"]["post"]["responses"];
            *server.double.decline.lock().unwrap() = Some(crate::meetings::decline("No."));
            for (text, shown) in [
                ("x".repeat(20_000), &shown),
                (" ".to_owned(), &shown),
                ("Later".to_owned(), &shown),
                (
                    "Later".to_owned(),
                    &toolcall_schema::ids::sha256_hex(b"BEGIN:VCALENDAR\r\n"),
                ),
            ] {
                let body = json!({"text": text, "shown": shown}).to_string();
                let answer = server.post("/v1/events/ev_00000000000000b2/draft", &body).await;
                judge.judge("edit_decline", declines, &answer);
            }
            // By then the mute is over.
            server.double.view.lock().unwrap().at = crate::morning::ts("2026-11-03T18:00:00Z");
            let acts = &document["paths"]["/v1/acts/{id}/undo"]["post"]["responses"];
            let late = server.post("/v1/acts/tr_mute00000001/undo", "").await;
            judge.judge("undo_act", acts, &late);
            // A rule that says the same stands already.
            let standing = serde_json::from_value(json!({"name": "night", "kinds": ["SHOW_BRIEF"]}));
            server.double.view.lock().unwrap().rules = vec![standing.unwrap()];
            let rules = &document["paths"]["/v1/rules"]["post"]["responses"];
            let same = server.post("/v1/rules", r#"{"kind":"SHOW_BRIEF"}"#).await;
            judge.judge("add_rule", rules, &same);
        }
        let runs = &document["paths"]["/v1/workflows/{id}/dismiss"]["post"]["responses"];
        let other = format!(
            "/v1/workflows/{}/dismiss",
            crate::morning::RUN.replace("0b8f", "0b8e")
        );
        judge.judge("dismiss_run", runs, &server.post(&other, "").await);
        judge.judge(
            "trace",
            &document["paths"]["/v1/traces/{id}"]["get"]["responses"],
            &server
                .get(&format!("/v1/traces/{}", crate::morning::PANICKING))
                .await,
        );
    }
    // Every reply that the document names was seen, but for those that need a broken or a full house.
    let named = operations(&document).into_iter().flat_map(|(_, _, operation)| {
        let id = operation["operationId"].as_str().unwrap();
        let statuses = operation["responses"].as_object().unwrap().keys();
        statuses.map(move |status| (id.to_owned(), status.clone()))
    });
    let unseen: BTreeSet<(String, String)> = named
        .filter(|one| one.1 != "default" && !judge.seen.contains(one))
        .collect();
    // The double removes no rule, and has no device that could be revoked.
    let broken = [
        ("add_rule", "409"),
        // Sent by a double of its own: `sent`.
        ("health_auto_export", "413"),
        ("health_auto_export", "429"),
        ("health_auto_export", "503"),
        ("health_connect", "413"),
        ("health_connect", "429"),
        ("health_connect", "503"),
        ("healthz", "503"),
        ("mute", "409"),
        ("pause", "409"),
        // Sent by an agent that knows too little: `asks_api`.
        ("read", "404"),
        ("readyz", "503"),
        ("remove_rule", "204"),
        ("revoke_device", "204"),
        // Sent by a double of its own: `sent`.
        ("signals", "429"),
        ("signals", "503"),
    ];
    assert_eq!(
        unseen,
        broken
            .map(|(id, status)| (id.to_owned(), status.to_owned()))
            .into()
    );
}
