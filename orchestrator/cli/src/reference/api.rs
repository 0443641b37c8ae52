//! The API for programs.
//!
//! What: [`page`], `docs/openapi.json` as a page: each request with who may make it, what it takes and what comes back. Why: the file is for machines. Not here:
//! pages for people (`docs/surfaces.md`).

use super::{ReferencePage, code, plain, table};
use crate::error::CliError;
use serde_json::{Map, Value};
use std::fmt::Write as _;
use surfaces::web::API_DOCUMENT;

/// The page.
pub(super) fn page() -> Result<ReferencePage, CliError> {
    let document: Value =
        serde_json::from_str(API_DOCUMENT).map_err(|_| CliError::Bug("the API's document is no JSON"))?;
    let said = |value: &Value| plain(value.as_str().unwrap_or_default());
    let requests: Vec<(String, &Value)> = members(&document["paths"])
        .flat_map(|(path, methods)| {
            members(methods)
                .map(move |(method, request)| (format!("{} {path}", method.to_uppercase()), request))
        })
        .collect();
    let mut text = format!(
        "# The API\n\n{}\n\nThe running service has the same as OpenAPI at `/v1/openapi.json`; here it is [as a file](../openapi.json).\n\n{}",
        said(&document["info"]["description"]),
        table(
            ["Request", "Who", "Does"],
            requests
                .iter()
                .map(|(name, request)| [code(name), scopes(request), said(&request["summary"])]),
        )
    );
    for (name, request) in &requests {
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "\n## `{name}`\n\n{}.\n",
            said(&request["summary"]).trim_end_matches('.')
        );
        let description = said(&request["description"]);
        if !description.is_empty() {
            let _ = write!(text, "\n{description}\n");
        }
        let _ = write!(text, "\nWho: {}.\n", scopes(request));
        let parameters: Vec<[String; 4]> = request["parameters"]
            .as_array()
            .map_or_else(Vec::new, |all| all.iter().map(parameter).collect());
        if !parameters.is_empty() {
            let _ = write!(
                text,
                "\n{}",
                table(["Parameter", "In", "Takes", "Means"], parameters)
            );
        }
        let bodies: Vec<String> = members(&request["requestBody"]["content"])
            .map(|(kind, body)| format!("{} as {}", shape(&body["schema"]), code(kind)))
            .collect();
        if !bodies.is_empty() {
            let _ = write!(text, "\nBody: {}.\n", bodies.join(", or "));
        }
        let answers = members(&request["responses"]).map(|(status, answer)| {
            let answer = resolve(&document, answer);
            let shapes = members(&answer["content"]).map(|(_, body)| shape(&body["schema"]));
            let shapes: Vec<String> = shapes.filter(|shape| !shape.is_empty()).collect();
            [code(status), shapes.join(", "), said(&answer["description"])]
        });
        let _ = write!(text, "\n{}", table(["Answer", "Shape", "Means"], answers));
    }
    Ok(ReferencePage {
        path: "api.md".to_owned(),
        text,
    })
}

fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flat_map(Map::iter)
}

/// Which scopes may make a request.
fn scopes(request: &Value) -> String {
    let mut named: Vec<String> = request["security"]
        .as_array()
        .into_iter()
        .flatten()
        .flat_map(members)
        .flat_map(|(_, scopes)| scopes.as_array().into_iter().flatten())
        .filter_map(|scope| scope.as_str().map(code))
        .collect();
    named.sort();
    named.dedup();
    if named.is_empty() {
        "everybody".to_owned()
    } else {
        named.join(" or ")
    }
}

fn parameter(value: &Value) -> [String; 4] {
    let text = |name: &str| value[name].as_str().unwrap_or_default();
    let needed = if value["required"] == true { ", needed" } else { "" };
    [
        code(text("name")),
        text("in").to_owned(),
        shape(&value["schema"]) + needed,
        plain(text("description")),
    ]
}

/// What a schema is, in a word.
fn shape(schema: &Value) -> String {
    if let Some(name) = schema["$ref"].as_str() {
        return code(name.rsplit('/').next().unwrap_or(name));
    }
    let kind = schema["type"].as_str().unwrap_or_default();
    match kind {
        "array" => format!("a list of {}", shape(&schema["items"])),
        "object" => {
            let names: Vec<String> = members(&schema["properties"])
                .map(|(name, _)| code(name))
                .collect();
            if names.is_empty() {
                "an object".to_owned()
            } else {
                format!("an object with {}", names.join(", "))
            }
        }
        _ => schema["pattern"]
            .as_str()
            .map_or_else(|| kind.to_owned(), |pattern| format!("{kind} {}", code(pattern))),
    }
}

/// The value itself, or what it refers to within the document.
fn resolve<'a>(document: &'a Value, value: &'a Value) -> &'a Value {
    let pointer = value["$ref"].as_str().and_then(|name| name.strip_prefix('#'));
    pointer
        .and_then(|pointer| document.pointer(pointer))
        .unwrap_or(value)
}
