//! What a repository is made of: an agent of the base communication schema.
//!
//! What: [`run`], one request in, one response out, for the task types `research` (languages, entry points, dependencies),
//! `architect` (modules, who uses whom, cycles) and `test` (where tests are and where none are). Why: it shows an agent in Rust
//! that knows nothing of Aura but the schema. Not here: judging what it finds.

mod dependencies;
mod entries;
mod files;
mod languages;
mod modules;
mod tests_found;

use files::RepositoryTree;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::{
    collections::BTreeMap,
    io::{self, Read as _, Write as _},
    path::Path,
    process::ExitCode,
    time::Instant,
};

/// The most findings in an answer; the rest is counted.
const MOST_FINDINGS: usize = 1000;

/// What of a request matters here.
#[derive(Deserialize)]
struct SurveyRequest {
    request: SurveyBody,
}

#[derive(Deserialize)]
struct SurveyBody {
    task: RequestTask,
    parameters: RequestParameters,
}

#[derive(Deserialize)]
struct RequestTask {
    #[serde(rename = "type")]
    kind: String,
}

#[derive(Deserialize)]
struct RequestParameters {
    /// The repository's folder, from the working folder; absent: the working folder.
    path: Option<String>,
}

/// What was found, before it is an answer.
#[derive(Debug, Default, PartialEq)]
struct SurveyFindings {
    summary: String,
    findings: Vec<Value>,
    /// Files that the findings were read from.
    citations: Vec<String>,
    next_context: Map<String, Value>,
    /// What could not be read, in words.
    unread: Vec<String>,
}

/// Reads a request from standard input and prints the response. 2: it was no request.
pub fn run() -> ExitCode {
    let mut text = String::new();
    let request = io::stdin()
        .read_to_string(&mut text)
        .map_err(|error| error.to_string())
        .and_then(|_| serde_json::from_str::<SurveyRequest>(&text).map_err(|error| error.to_string()));
    let (answer, code) = match request {
        Ok(request) => (answer(&request), ExitCode::SUCCESS),
        Err(error) => {
            // Nobody is there to answer: whoever reads the log is told.
            let _ = writeln!(io::stderr(), "not a request: {error}");
            return ExitCode::from(2);
        }
    };
    match writeln!(io::stdout(), "{answer}") {
        Ok(()) => code,
        Err(_) => ExitCode::FAILURE,
    }
}

fn answer(request: &SurveyRequest) -> Value {
    let begun = Instant::now();
    let asked = &request.request;
    let survey: fn(&RepositoryTree) -> SurveyFindings = match asked.task.kind.as_str() {
        "research" => research,
        "architect" => modules::architect,
        "test" => tests_found::tests,
        _ => {
            return failed("unknown_task", "I can do research, architect and test", begun);
        }
    };
    let folder = asked.parameters.path.as_deref().unwrap_or(".");
    match RepositoryTree::read(Path::new(folder)) {
        Ok(tree) => respond(survey(&tree), &tree, begun),
        Err(error) => failed(
            "unreadable",
            &format!(
                "parameters.path must be a folder that I may read: {}",
                error.kind()
            ),
            begun,
        ),
    }
}

/// Whole: `completed`. With something left out or unreadable: `partial`, and `errors` say what.
fn respond(found: SurveyFindings, tree: &RepositoryTree, begun: Instant) -> Value {
    let SurveyFindings {
        summary,
        mut findings,
        citations,
        next_context,
        unread,
    } = found;
    let mut errors: Vec<Value> = unread
        .iter()
        .map(|what| json!({"code": "unreadable", "message": what}))
        .collect();
    if tree.left_out > 0 {
        let left = tree.left_out;
        errors.push(json!({"code": "too_many", "message": format!("{left} files were not looked at")}));
    }
    if findings.len() > MOST_FINDINGS {
        let all = findings.len();
        errors.push(
            json!({"code": "too_many", "message": format!("the first {MOST_FINDINGS} of {all} findings")}),
        );
        findings.truncate(MOST_FINDINGS);
    }
    let known = tree.files.iter().filter(|file| file.language.is_some()).count();
    let confidence = (known > 0).then(|| known as f64 / tree.files.len() as f64);
    let mut data = json!({"summary": summary, "findings": findings, "citations": citations});
    if let (Some(confidence), Some(data)) = (confidence, data.as_object_mut()) {
        // The share of files whose language is known.
        data.insert(
            "confidence_score".to_owned(),
            json!((confidence * 100.0).round() / 100.0),
        );
    }
    json!({
        "status": if errors.is_empty() { "completed" } else { "partial" },
        "data": data,
        "errors": errors,
        "next_context": next_context,
        "meta": {"processing_time_ms": milliseconds(begun)},
    })
}

fn failed(code: &str, message: &str, begun: Instant) -> Value {
    json!({
        "status": "failed",
        "data": {},
        "errors": [{"code": code, "message": message}],
        "meta": {"processing_time_ms": milliseconds(begun)},
    })
}

/// `1 test`, `2 tests`.
fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

fn milliseconds(begun: Instant) -> u64 {
    u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX)
}

/// How much there is.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct SizeCount {
    files: usize,
    lines: usize,
    bytes: u64,
}

/// The languages, the one with most lines first.
fn languages_of(tree: &RepositoryTree) -> Vec<(&'static str, SizeCount)> {
    let mut by_name: BTreeMap<&'static str, SizeCount> = BTreeMap::new();
    for file in &tree.files {
        if let Some(language) = file.language {
            let count = by_name.entry(language).or_default();
            count.files += 1;
            count.lines += file.text.lines().count();
            count.bytes += file.bytes;
        }
    }
    let mut counts: Vec<_> = by_name.into_iter().collect();
    counts.sort_by_key(|(name, count)| (std::cmp::Reverse(count.lines), *name));
    counts
}

fn research(tree: &RepositoryTree) -> SurveyFindings {
    let mut found = SurveyFindings::default();
    let languages = languages_of(tree);
    for (name, count) in &languages {
        found.findings.push(json!({
            "kind": "language", "name": name, "files": count.files, "lines": count.lines, "bytes": count.bytes,
        }));
    }
    let entries = entries::entry_points(tree, &mut found.unread);
    found.findings.extend(
        entries
            .iter()
            .map(|entry| json!({"kind": "entry_point", "path": entry.path, "what": entry.what})),
    );
    let dependencies = dependencies::dependencies(tree, &mut found.unread);
    for dependency in &dependencies {
        found.findings.push(json!({
            "kind": "dependency", "name": dependency.name, "wanted": dependency.wanted, "for": dependency.scope,
            "manifest": dependency.manifest,
        }));
        if !found.citations.contains(&dependency.manifest) {
            found.citations.push(dependency.manifest.clone());
        }
    }
    let main = languages
        .first()
        .map_or("no known language".to_owned(), |(name, count)| {
            format!("mostly {name} ({})", self::count(count.lines, "line", "lines"))
        });
    found.summary = format!(
        "{}, {main}; {}, {}.",
        count(tree.files.len(), "file", "files"),
        count(entries.len(), "entry point", "entry points"),
        count(dependencies.len(), "dependency", "dependencies")
    );
    let names: Vec<&str> = languages.iter().map(|(name, _)| *name).collect();
    let paths: Vec<&str> = entries.iter().map(|entry| entry.path.as_str()).collect();
    found.next_context.insert("languages".to_owned(), json!(names));
    found.next_context.insert("entry_points".to_owned(), json!(paths));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn ask(kind: &str, path: &Path) -> Value {
        let request = json!({"request": {"task": {"type": kind}, "parameters": {"path": path}}});
        let mut answer = answer(&serde_json::from_value(request).unwrap());
        answer["meta"]["processing_time_ms"] = json!(0);
        answer
    }

    #[test]
    fn a_small_repository_is_described_whole() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("src")).unwrap();
        fs::write(
            dir.path().join("Cargo.toml"),
            "[package]\nname = \"small\"\n[dependencies]\nserde = \"1\"\n",
        )
        .unwrap();
        fs::write(dir.path().join("src/main.rs"), "fn main() {}\n").unwrap();
        assert_eq!(
            ask("research", dir.path()),
            json!({
                "status": "completed",
                "data": {
                    "summary": "2 files, mostly TOML (4 lines); 1 entry point, 1 dependency.",
                    "findings": [
                        {"kind": "language", "name": "TOML", "files": 1, "lines": 4, "bytes": 52},
                        {"kind": "language", "name": "Rust", "files": 1, "lines": 1, "bytes": 13},
                        {"kind": "entry_point", "path": "src/main.rs", "what": "binary small"},
                        {"kind": "dependency", "name": "serde", "wanted": "1", "for": "normal", "manifest": "Cargo.toml"},
                    ],
                    "citations": ["Cargo.toml"],
                    "confidence_score": 1.0,
                },
                "errors": [],
                "next_context": {"languages": ["TOML", "Rust"], "entry_points": ["src/main.rs"]},
                "meta": {"processing_time_ms": 0},
            })
        );
    }

    #[test]
    fn a_manifest_that_cannot_be_read_makes_the_answer_partial() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("package.json"), "{").unwrap();
        let answer = ask("research", dir.path());
        assert_eq!(answer["status"], "partial");
        assert_eq!(
            answer["errors"],
            json!([{"code": "unreadable", "message": "package.json is not JSON"}])
        );
    }

    #[test]
    fn what_it_cannot_do_failed_and_says_why() {
        let dir = tempfile::tempdir().unwrap();
        for (kind, path, code) in [
            ("ux_design", dir.path(), "unknown_task"),
            ("research", Path::new("/nonexistent"), "unreadable"),
        ] {
            let answer = ask(kind, path);
            assert_eq!(
                (&answer["status"], &answer["errors"][0]["code"]),
                (&json!("failed"), &json!(code))
            );
        }
    }
}
