//! Names of files, as words.
//!
//! What: which paths stay below a folder by their words, and which names are one name on another system. Why: a feature folder is
//! checked out on systems that know no case, and a path is refused before any file is touched. Not here: links (`folder`).

use super::{at, folder::HeldFolder, refusal};
use std::{borrow::Cow, collections::BTreeMap};
use surfaces_base::visible::visible;
use toolcall_schema::{protocol::stays_below, rejection::RefusalReason};
use unicode_normalization::UnicodeNormalization as _;

/// What the names of files that are being written begin with.
pub(super) const OURS: &str = ".aura-";

/// Names that are devices on Windows, in any folder and with any ending.
const DEVICES: [&str; 6] = ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"];

/// The parts of a path that stays below by its words, and that is the same path to every system and to whoever looks at it; `None`
/// for any other.
pub(super) fn words(path: &str) -> Option<Vec<String>> {
    let words: Vec<String> = path.split('/').map(str::to_owned).collect();
    let ours = words.iter().any(|word| fold(word).starts_with(OURS));
    let one = words.iter().all(|word| is_one_everywhere(word));
    (stays_below(path) && !ours && one).then_some(words)
}

/// Whether a name hides nothing and turns nothing around, and is no device and no other name on a system that has such.
fn is_one_everywhere(word: &str) -> bool {
    // `CON.txt` is the device as well.
    let stem = word.split('.').next().unwrap_or_default().trim_end();
    let device = DEVICES.iter().any(|device| stem.eq_ignore_ascii_case(device));
    let numbered = stem.get(..3).is_some_and(|start| {
        ["COM", "LPT"]
            .iter()
            .any(|device| start.eq_ignore_ascii_case(device))
            && matches!(
                stem.get(3..),
                Some(
                    "0" | "1"
                        | "2"
                        | "3"
                        | "4"
                        | "5"
                        | "6"
                        | "7"
                        | "8"
                        | "9"
                        | "\u{b9}"
                        | "\u{b2}"
                        | "\u{b3}"
                )
            )
    });
    !device
        && !numbered
        && !word.ends_with(['.', ' '])
        && !word.contains(['<', '>', ':', '"', '|', '?', '*'])
        && matches!(visible(word), Cow::Borrowed(_))
}

/// A name as a system sees it that knows neither case nor how a letter is composed.
fn fold(name: &str) -> String {
    let composed: String = name.nfc().collect();
    caseless::default_case_fold_str(&composed).nfc().collect()
}

fn collision(message: &str) -> RefusalReason {
    refusal::new("ARTIFACT-003", message)
}

/// Whether all these files can stand beside each other anywhere: no two are one, none is a folder of another, no folder is spelled in
/// two ways.
///
/// # Errors
/// `ARTIFACT-003`
pub(super) fn collide(paths: &[Vec<String>]) -> Result<(), RefusalReason> {
    enum EntryKind<'a> {
        File,
        Folder(&'a [String]),
    }
    let mut seen: BTreeMap<Vec<String>, EntryKind<'_>> = BTreeMap::new();
    for (index, path) in paths.iter().enumerate() {
        let folded: Vec<String> = path.iter().map(|word| fold(word)).collect();
        for depth in 1..=path.len() {
            let (Some(exact), Some(key)) = (path.get(..depth), folded.get(..depth)) else {
                continue;
            };
            let message = match (seen.get(key), depth == path.len()) {
                (None, file) => {
                    let is = if file {
                        EntryKind::File
                    } else {
                        EntryKind::Folder(exact)
                    };
                    seen.insert(key.to_vec(), is);
                    continue;
                }
                (Some(EntryKind::Folder(other)), false) if *other == exact => continue,
                (Some(EntryKind::Folder(_)), false) => {
                    "a folder is spelled in two ways by two artifacts; spell it in one"
                }
                (Some(EntryKind::File), true) => {
                    "two artifacts have this name, but for case or composition; send each file once"
                }
                (Some(EntryKind::File), false) | (Some(EntryKind::Folder(_)), true) => {
                    "one artifact is a folder of another; give it another name"
                }
            };
            return Err(at(index, collision(message)));
        }
    }
    Ok(())
}

/// Whether something is there whose name differs from the path's only in case or composition.
///
/// # Errors
/// `ARTIFACT-003`, or what opening and listing a folder can end with.
pub(super) fn spelled_otherwise(root: &HeldFolder, path: &[String]) -> Result<(), RefusalReason> {
    let mut here = root.again()?;
    for word in path {
        if here.has(word)? {
            match here.descend(std::slice::from_ref(word)) {
                Ok(Some(folder)) => here = folder,
                // A file: it is the last word, or whoever opens the folder says so.
                Ok(None) | Err(_) => return Ok(()),
            }
            continue;
        }
        let folded = fold(word);
        if here.names()?.iter().any(|name| fold(name) == folded) {
            return Err(collision(
                "something is there whose name differs from this one only in case or composition; take its name, or another one",
            ));
        }
        return Ok(());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_one_somewhere_collide() {
        let collides = |paths: &[&str]| {
            let paths: Vec<_> = paths.iter().map(|path| words(path).unwrap()).collect();
            collide(&paths).err().map(|why| why.pointer)
        };
        for (paths, expected) in [
            (&["a", "b"][..], None),
            (&["a/b", "a/c", "a/d/e"], None),
            (&["a", "A"], Some("/artifacts/1/path")),
            // U+00E9, and e with U+0301: one letter, composed and not.
            (&["\u{e9}.md", "e\u{301}.md"], Some("/artifacts/1/path")),
            // The German sharp s folds to ss.
            (&["stra\u{df}e", "x", "STRASSE"], Some("/artifacts/2/path")),
            (&["a", "a/b"], Some("/artifacts/1/path")),
            (&["a/b", "A"], Some("/artifacts/1/path")),
            (&["a/b", "A/c"], Some("/artifacts/1/path")),
            (&["a/b/c", "a/B"], Some("/artifacts/1/path")),
            (&["a.b", "a"], None),
        ] {
            assert_eq!(collides(paths).as_deref(), expected, "{paths:?}");
        }
    }

    #[test]
    fn names_of_our_own_are_nobody_elses() {
        assert_eq!(words("a/b").unwrap(), ["a", "b"]);
        for path in [".aura-x", "a/.AURA-1.tmp", "../a", "a//b", "/a", ""] {
            assert_eq!(words(path), None, "{path:?}");
        }
    }

    #[test]
    fn names_that_mean_something_else_somewhere_are_refused() {
        for path in [
            "notes\u{202e}txt.exe",
            "a/\u{2066}b",
            "a\u{200b}b",
            "a\u{2028}b",
            "\u{61c}a",
            "CON",
            "a/con.md",
            "Nul.tar.gz",
            "aux .txt",
            "com1",
            "LPT9.md",
            "COM\u{b9}",
            "conin$",
            "a.",
            "a /b",
            "a:b",
            "what?",
        ] {
            assert_eq!(words(path), None, "{path:?}");
        }
        for path in [
            "console",
            "com",
            "com10",
            "a.con",
            "lpt/x",
            "nullable.rs",
            "\u{e9}.md",
            "auxiliary/b c",
        ] {
            assert!(words(path).is_some(), "{path:?}");
        }
    }
}
