//! The smallest call that is refused in the same way.
//!
//! What: [`minimal`], delta debugging over JSON members or over bytes; [`write`], the file and what is expected of it. Why:
//! a refusal that was seen once is a test for ever, without the owner's text in it. Not here: judging (`gate`), which calls
//! (`replay`).

use aura_memory::quarantine::QuarantineEntry;
use serde_json::{Value, json};
use std::{
    fs::OpenOptions,
    io::{self, Write as _},
    path::{Path, PathBuf},
};
use toolcall_schema::{
    SchemaError,
    gate::{self, GateClock},
};

/// So many smaller calls are tried at most.
const TRIES_MAX: u32 = 20_000;

/// The smallest call found that is refused with the same code, place, keyword, limit and sentence. The sentence names line
/// and column of a syntax error, so of such a call only what follows is cut.
pub(super) fn minimal(bytes: &[u8], error: &SchemaError) -> Vec<u8> {
    let mut tries = TRIES_MAX;
    let mut same = |bytes: &[u8]| {
        let left = tries > 0;
        tries = tries.saturating_sub(1);
        left && gate::admit(bytes, GateClock::Skip).is_err_and(|refusal| refusal.error == *error)
    };
    let json = serde_json::from_slice::<Value>(bytes).ok();
    match json.filter(|document| same(&text_of(document))) {
        Some(mut document) => {
            while smaller(&mut document, &mut same) {}
            text_of(&document)
        }
        None => shorter(bytes.to_vec(), &mut same),
    }
}

fn text_of(document: &Value) -> Vec<u8> {
    document.to_string().into_bytes()
}

/// One pass over all members and items, outer ones first: what is not needed goes, texts are shortened.
fn smaller(document: &mut Value, same: &mut impl FnMut(&[u8]) -> bool) -> bool {
    let mut pointers = Vec::new();
    collect(document, "", &mut pointers);
    let mut changed = false;
    for pointer in pointers {
        let mut try_with = |change: &dyn Fn(&mut Value) -> Option<()>| {
            let mut candidate = document.clone();
            let kept = change(&mut candidate).is_some() && same(&text_of(&candidate));
            if kept {
                *document = candidate;
            }
            changed |= kept;
            kept
        };
        if try_with(&|candidate| remove(candidate, &pointer)) {
            continue;
        }
        let halve = |candidate: &mut Value| {
            let Value::String(text) = candidate.pointer_mut(&pointer)? else {
                return None;
            };
            let half = text.chars().count() / 2;
            let shorter: String = text.chars().take(half).collect();
            let is_shorter = shorter.len() < text.len();
            *text = shorter;
            is_shorter.then_some(())
        };
        while try_with(&halve) {}
    }
    changed
}

/// The pointers of all that stands below, parents first, the last item of a list first.
fn collect(value: &Value, at: &str, out: &mut Vec<String>) {
    let mut below: Vec<(String, &Value)> = Vec::new();
    match value {
        Value::Object(members) => {
            let step = |key: &String| format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"));
            below.extend(members.iter().map(|(key, value)| (step(key), value)));
        }
        Value::Array(items) => {
            let step = |(i, value)| (format!("{at}/{i}"), value);
            below.extend(items.iter().enumerate().rev().map(step));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
    for (pointer, value) in below {
        out.push(pointer.clone());
        collect(value, &pointer, out);
    }
}

fn remove(document: &mut Value, pointer: &str) -> Option<()> {
    let (parent, step) = pointer.rsplit_once('/')?;
    match document.pointer_mut(parent)? {
        Value::Object(members) => members
            .remove(&step.replace("~1", "/").replace("~0", "~"))
            .map(|_| ()),
        Value::Array(items) => {
            let i = step.parse().ok().filter(|i: &usize| *i < items.len())?;
            items.remove(i);
            Some(())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

/// Cuts out pieces of half the length, a quarter and so on, then of every small length until nothing more can go.
fn shorter(mut bytes: Vec<u8>, same: &mut impl FnMut(&[u8]) -> bool) -> Vec<u8> {
    const SMALL: usize = 16;
    let mut size = bytes.len() / 2;
    while size > SMALL {
        cut(&mut bytes, size, same);
        size /= 2;
    }
    while (1..=SMALL).rev().any(|size| cut(&mut bytes, size, same)) {}
    bytes
}

/// Cuts out every piece of a length that is not needed; whether there was one.
fn cut(bytes: &mut Vec<u8>, size: usize, same: &mut impl FnMut(&[u8]) -> bool) -> bool {
    let (mut at, before) = (0, bytes.len());
    while at < bytes.len() {
        let mut candidate = bytes.clone();
        candidate.drain(at..bytes.len().min(at + size));
        if same(&candidate) {
            *bytes = candidate;
        } else {
            // Small pieces anywhere, large ones side by side.
            at += size.div_ceil(16);
        }
    }
    bytes.len() < before
}

/// Writes `<code>-<keyword>-<sha256>.json` with the call, and beside it `.expected` with code and pointer.
///
/// # Errors
/// The path that could not be written, one that is there already included, and why.
pub(super) fn write(
    dir: &Path,
    entry: &QuarantineEntry,
    error: &SchemaError,
    call: &[u8],
) -> Result<PathBuf, (PathBuf, io::Error)> {
    let keyword = error.keyword.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    let sha = entry.sha256.get(..8).unwrap_or_default();
    let path = dir.join(format!("{}-{keyword}-{sha}.json", error.code));
    let expected = json!({ "code": error.code, "pointer": error.pointer }).to_string() + "\n";
    for (path, bytes) in [
        (&path, call),
        (&path.with_extension("expected"), expected.as_bytes()),
    ] {
        OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(path)
            .and_then(|mut file| file.write_all(bytes))
            .map_err(|error| (path.clone(), error))?;
    }
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(call: &[u8]) -> String {
        let error = gate::admit(call, GateClock::Skip).unwrap_err().error;
        String::from_utf8(minimal(call, &error)).unwrap()
    }

    const MUTE: &str = r#""call_id":"t_abcde01234","confirm_required":true"#;

    #[test]
    fn what_the_refusal_does_not_need_is_gone() {
        let args = |args: &str| {
            format!(
                r#"{{"agent":"comms","args":{{{args}}},{MUTE},"tool":"mute_channel","ts":"2026-11-03T02:15:00Z"}}"#
            )
        };
        let hash = r#""channel_hash":"ch_00112233445566aa""#;
        for (call, expected) in [
            // `deadline_ms` is optional and the reason is unknown, whatever it says.
            (
                args(&format!(
                    r#"{hash},"reason":"because it is loud","ttl_seconds":1800"#
                ))
                .replace(r#""tool""#, r#""deadline_ms":5000,"tool""#),
                args(&format!(r#"{hash},"reason":"","ttl_seconds":1800"#)),
            ),
            (
                args(r#""channel_hash":"my family","ttl_seconds":1800"#),
                args(r#""channel_hash":"","ttl_seconds":1800"#),
            ),
            (r#"{"a":"long text","b":[1,2]}"#.to_owned(), "{}".to_owned()),
            // No JSON document: what follows the fault is cut.
            (r#"{"a":1,} and more of it"#.to_owned(), r#"{"a":1,}"#.to_owned()),
        ] {
            assert_eq!(of(call.as_bytes()), expected, "{call}");
        }
    }

    #[test]
    fn a_key_that_stands_twice_stays_twice() {
        let call = r#"{"call_id":"t_abcde01234","tool":"mute_channel","tool":"draft_reply","args":{}}"#;
        assert_eq!(of(call.as_bytes()), r#"{"tool":"","tool""#);
    }

    #[test]
    fn a_fixture_is_written_once_with_what_is_expected() {
        let dir = tempfile::tempdir().unwrap();
        let error = gate::admit(b"{}", GateClock::Skip).unwrap_err().error;
        // SHA-256 of "{}" begins with 44136fa3.
        let entry = QuarantineEntry::new(toolcall_schema::Timestamp::from_ms(0), &error, "cafe", b"{}");
        let path = write(dir.path(), &entry, &error, b"{}").unwrap();
        assert_eq!(path, dir.path().join("GATE-007-required-44136fa3.json"));
        let read = |path: &Path| std::fs::read_to_string(path).unwrap();
        assert_eq!(
            (read(&path), read(&path.with_extension("expected"))),
            (
                "{}".to_owned(),
                "{\"code\":\"GATE-007\",\"pointer\":\"\"}\n".to_owned()
            )
        );
        let (again, why) = write(dir.path(), &entry, &error, b"{}").unwrap_err();
        assert_eq!((again, why.kind()), (path, io::ErrorKind::AlreadyExists));
    }
}
