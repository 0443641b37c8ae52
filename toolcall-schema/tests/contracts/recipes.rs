//! The recipes for senders of signals, held against what the gate admits.
//!
//! What: each JSON and each shell block of `docs/recipes`. Why: who copies a recipe must not be the first to run it. Not here: the other
//! programs of the recipes, which are not at hand (each page says so).

use std::{
    io::Write as _,
    path::Path,
    process::{Command, Stdio},
};
use toolcall_schema::{Timestamp, gate::admit_signal};

/// Page, language and text of every block.
fn blocks() -> Vec<(String, String, String)> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/recipes");
    let mut blocks = Vec::new();
    for page in std::fs::read_dir(dir).unwrap() {
        let page = page.unwrap().path();
        let (name, text) = (
            page.display().to_string(),
            std::fs::read_to_string(&page).unwrap(),
        );
        // Every second part stands between two fences.
        for block in text.split("```").skip(1).step_by(2) {
            let (language, body) = block.split_once('\n').unwrap();
            blocks.push((name.clone(), language.to_owned(), body.to_owned()));
        }
    }
    blocks
}

#[test]
fn every_body_in_a_recipe_is_a_signal_that_is_taken_whole() {
    let blocks = blocks();
    let mut pages = std::collections::BTreeSet::new();
    for (page, _, body) in blocks.iter().filter(|(_, language, _)| language == "json") {
        let admitted =
            admit_signal(body.trim().as_bytes()).unwrap_or_else(|error| panic!("{page}: {error:?}"));
        let mut written: serde_json::Value = serde_json::from_str(body).unwrap();
        // The same moment, in whatever zone it is written.
        let at = Timestamp::parse(written["at"].as_str().unwrap()).unwrap();
        written["at"] = serde_json::to_value(at).unwrap();
        assert_eq!(
            serde_json::to_value(admitted.signal()).unwrap(),
            written,
            "{page}: nothing of it is lost"
        );
        pages.insert(page.clone());
    }
    // What all need, and each of the four senders.
    assert_eq!(pages.len(), 5, "{pages:?}");
}

#[test]
fn every_command_in_a_recipe_can_be_read_by_a_shell() {
    let mut read = 0;
    for (page, _, script) in blocks().iter().filter(|(_, language, _)| language == "sh") {
        let mut shell = Command::new("sh")
            .arg("-n")
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        shell.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
        assert!(shell.wait().unwrap().success(), "{page}:\n{script}");
        read += 1;
    }
    assert!(read >= 4, "{read}");
}

#[test]
fn every_request_in_a_recipe_says_that_its_body_is_json() {
    let mut pages = Vec::new();
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/recipes");
    for page in std::fs::read_dir(dir).unwrap() {
        let page = page.unwrap().path();
        let text = std::fs::read_to_string(&page).unwrap().to_ascii_lowercase();
        // Once for each address that a signal is sent to, in whatever form the sender takes a header.
        let sent = text.matches("/v1/signals").count();
        let marked = text
            .lines()
            .filter(|line| {
                let header = line.replace(['"', '`'], "");
                header.contains("content-type: application/json") && header.contains("authorization")
                    || header.trim() == "content-type: application/json"
            })
            .count();
        assert_eq!(sent, marked, "{}", page.display());
        pages.extend((sent > 0).then_some(page));
    }
    assert_eq!(pages.len(), 4, "{pages:?}");
}

/// `aura-signal` of the recipe for KDE Connect, as it is written, with a stand-in for curl that keeps what it is given.
#[test]
fn the_script_for_kde_connect_sends_a_signal_with_its_token_and_no_quotation_of_the_owners_shell() {
    let dir = std::env::temp_dir().join(format!("aura-recipe-{}", std::process::id()));
    std::fs::create_dir_all(dir.join(".config/aura")).unwrap();
    let write = |name: &str, text: &str| std::fs::write(dir.join(name), text).unwrap();
    write(
        ".config/aura/sender.env",
        "AURA_URL=http://127.0.0.1:8377\nAURA_TOKEN=secret\n",
    );
    write(
        "curl",
        "#!/bin/sh\nprintf '%s\\n' \"$@\" > \"$HOME/arguments\"\nexec cat > \"$HOME/body\"\n",
    );
    let (_, _, script) = blocks()
        .into_iter()
        .find(|(_, _, body)| body.contains("# aura-signal KIND"))
        .unwrap();
    write("aura-signal", &script);
    let path = format!("{}:/usr/bin:/bin", dir.display());
    let done = Command::new("sh")
        .args([
            "-c",
            "chmod +x \"$HOME/curl\" && sh \"$HOME/aura-signal\" dnd '{\"active\":true}'",
        ])
        .env("HOME", &dir)
        .env("PATH", path)
        .status()
        .unwrap();
    assert!(done.success());
    let read = |name: &str| std::fs::read_to_string(dir.join(name)).unwrap();
    let admitted = admit_signal(read("body").as_bytes()).unwrap();
    assert_eq!(admitted.signal().payload, serde_json::json!({"active": true}));
    let arguments = read("arguments");
    assert!(
        arguments
            .lines()
            .any(|line| line == "http://127.0.0.1:8377/v1/signals"),
        "{arguments}"
    );
    for header in ["Authorization: Bearer secret", "Content-Type: application/json"] {
        assert!(arguments.lines().any(|line| line == header), "{arguments}");
    }
    std::fs::remove_dir_all(dir).unwrap();
}
