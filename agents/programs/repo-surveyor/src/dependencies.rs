//! What a repository is built on, as its manifests say.
//!
//! What: [`dependencies`] of Cargo.toml, package.json, pyproject.toml, requirements files and go.mod. Why: one list, whatever the
//! language. Not here: what a lock file settled, and manifests of other languages, which are named as not read.

use crate::files::{RepositoryFile, RepositoryTree};
use serde_json::Value;

/// Something that is needed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    /// The version or place that is asked for, as written; `any` when none is.
    pub(crate) wanted: String,
    /// For what: `normal`, `dev`, `build`, `optional`, `indirect`.
    pub(crate) scope: String,
    /// The file that says so.
    pub(crate) manifest: String,
}

/// Manifests that are known and not read.
const OTHERS: &[&str] = &[
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "Gemfile",
    "composer.json",
    "mix.exs",
    "Package.swift",
    "stack.yaml",
];

/// In order of manifests, then as they write them. `unread`: what could not be read.
pub(crate) fn dependencies(tree: &RepositoryTree, unread: &mut Vec<String>) -> Vec<Dependency> {
    let mut found = vec![];
    for file in &tree.files {
        match file.name() {
            "Cargo.toml" => {
                if let Some(manifest) = parsed_toml(file, unread) {
                    cargo(&manifest, file, &mut found);
                }
            }
            "package.json" => {
                if let Some(manifest) = parsed_json(file, unread) {
                    npm(&manifest, file, &mut found);
                }
            }
            "pyproject.toml" => {
                if let Some(manifest) = parsed_toml(file, unread) {
                    python(&manifest, file, &mut found);
                }
            }
            "go.mod" => go(file, &mut found),
            name if name.starts_with("requirements") && ends_with(name, "txt") => {
                let lines = file
                    .text
                    .lines()
                    .filter_map(|line| requirement(line, "normal", file));
                found.extend(lines);
            }
            name if OTHERS.contains(&name) || ends_with(name, "csproj") => {
                unread.push(format!("{}: manifests of this kind are not read", file.path));
            }
            _ => {}
        }
    }
    found
}

fn ends_with(name: &str, ending: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, end)| end == ending)
}

/// A manifest's document; a broken one is remembered once.
pub(crate) fn parsed_toml(file: &RepositoryFile, unread: &mut Vec<String>) -> Option<toml::Table> {
    file.text.parse().map_err(|_| remember(file, "TOML", unread)).ok()
}

/// As [`parsed_toml`].
pub(crate) fn parsed_json(file: &RepositoryFile, unread: &mut Vec<String>) -> Option<Value> {
    serde_json::from_str(&file.text)
        .map_err(|_| remember(file, "JSON", unread))
        .ok()
}

fn remember(file: &RepositoryFile, what: &str, unread: &mut Vec<String>) {
    let sentence = format!("{} is not {what}", file.path);
    if !unread.contains(&sentence) {
        unread.push(sentence);
    }
}

fn cargo(manifest: &toml::Table, file: &RepositoryFile, found: &mut Vec<Dependency>) {
    let workspace = manifest.get("workspace").and_then(|value| value.as_table());
    let targets = manifest.get("target").and_then(|value| value.as_table());
    let targets = targets
        .into_iter()
        .flatten()
        .filter_map(|(_, target)| target.as_table());
    for table in std::iter::once(manifest).chain(workspace).chain(targets) {
        for (section, scope) in [
            ("dependencies", "normal"),
            ("dev-dependencies", "dev"),
            ("build-dependencies", "build"),
        ] {
            let all = table.get(section).and_then(|value| value.as_table());
            for (name, wanted) in all.into_iter().flatten() {
                let member = |member: &str| wanted.get(member).and_then(toml::Value::as_str);
                let inherited = wanted.get("workspace").and_then(toml::Value::as_bool) == Some(true);
                let said = wanted
                    .as_str()
                    .or_else(|| member("version"))
                    .or_else(|| member("path"))
                    .or_else(|| member("git"))
                    .or(inherited.then_some("workspace"));
                found.push(Dependency {
                    name: name.clone(),
                    wanted: said.unwrap_or("any").to_owned(),
                    scope: scope.to_owned(),
                    manifest: file.path.clone(),
                });
            }
        }
    }
}

fn npm(manifest: &Value, file: &RepositoryFile, found: &mut Vec<Dependency>) {
    for (section, scope) in [
        ("dependencies", "normal"),
        ("devDependencies", "dev"),
        ("peerDependencies", "peer"),
        ("optionalDependencies", "optional"),
    ] {
        for (name, wanted) in manifest[section].as_object().into_iter().flatten() {
            found.push(Dependency {
                name: name.clone(),
                wanted: wanted.as_str().unwrap_or("any").to_owned(),
                scope: scope.to_owned(),
                manifest: file.path.clone(),
            });
        }
    }
}

/// PEP 621 and PEP 735.
fn python(manifest: &toml::Table, file: &RepositoryFile, found: &mut Vec<Dependency>) {
    let strings = |value: &toml::Value| -> Vec<String> {
        let all = value.as_array().into_iter().flatten();
        all.filter_map(|text| text.as_str().map(str::to_owned)).collect()
    };
    let project = manifest.get("project");
    let listed = project.and_then(|project| project.get("dependencies"));
    let mut groups = vec![("normal", listed.map(strings).unwrap_or_default())];
    let optional = project.and_then(|project| project.get("optional-dependencies")?.as_table());
    let dev = manifest
        .get("dependency-groups")
        .and_then(|value| value.as_table());
    groups.extend(
        optional
            .into_iter()
            .flatten()
            .map(|(_, list)| ("optional", strings(list))),
    );
    groups.extend(dev.into_iter().flatten().map(|(_, list)| ("dev", strings(list))));
    for (scope, list) in groups {
        found.extend(list.iter().filter_map(|line| requirement(line, scope, file)));
    }
}

/// A line as PEP 508 writes it: `name[extra] >= 1 ; marker`.
fn requirement(line: &str, scope: &str, file: &RepositoryFile) -> Option<Dependency> {
    let line = line.split('#').next().unwrap_or_default();
    let line = line.split(';').next().unwrap_or_default().trim();
    let end = line.find(|c: char| !(c.is_ascii_alphanumeric() || "-_.".contains(c)));
    let (name, rest) = line.split_at(end.unwrap_or(line.len()));
    // A line of options such as `-r other.txt` names no package.
    if name.is_empty() || name.starts_with('-') {
        return None;
    }
    let rest = rest.trim();
    let rest = rest
        .strip_prefix('[')
        .and_then(|rest| rest.split_once(']'))
        .map_or(rest, |(_, rest)| rest.trim());
    Some(Dependency {
        name: name.to_owned(),
        wanted: if rest.is_empty() { "any" } else { rest }.to_owned(),
        scope: scope.to_owned(),
        manifest: file.path.clone(),
    })
}

fn go(file: &RepositoryFile, found: &mut Vec<Dependency>) {
    let mut inside = false;
    for line in file.text.lines().map(str::trim) {
        let wanted = match line.strip_prefix("require") {
            Some(rest) if rest.trim() == "(" => {
                inside = true;
                continue;
            }
            Some(rest) => rest.trim(),
            None if line == ")" => {
                inside = false;
                continue;
            }
            None if inside => line,
            None => continue,
        };
        let (words, comment) = wanted.split_once("//").unwrap_or((wanted, ""));
        if let Some((name, version)) = words.trim().split_once(' ') {
            let indirect = comment.trim() == "indirect";
            found.push(Dependency {
                name: name.to_owned(),
                wanted: version.to_owned(),
                scope: if indirect { "indirect" } else { "normal" }.to_owned(),
                manifest: file.path.clone(),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(path: &str, text: &str) -> Vec<(String, String, String)> {
        let file = RepositoryFile {
            path: path.to_owned(),
            text: text.to_owned(),
            bytes: 0,
            language: None,
        };
        let tree = RepositoryTree {
            files: vec![file],
            left_out: 0,
        };
        let mut unread = vec![];
        let found = dependencies(&tree, &mut unread);
        assert!(unread.is_empty(), "{unread:?}");
        found
            .into_iter()
            .map(|found| (found.name, found.wanted, found.scope))
            .collect()
    }

    #[test]
    fn each_manifest_is_read_as_its_own_rules_say() {
        for (path, text, expected) in [
            (
                "Cargo.toml",
                "[dependencies]\na = \"1\"\nb = { path = \"../b\" }\nc.workspace = true\n[dev-dependencies]\nd = { version = \"2\" }\n[target.'cfg(unix)'.dependencies]\ne = \"3\"\n",
                vec![
                    ("a", "1", "normal"),
                    ("b", "../b", "normal"),
                    ("c", "workspace", "normal"),
                    ("d", "2", "dev"),
                    ("e", "3", "normal"),
                ],
            ),
            (
                "package.json",
                r#"{"dependencies":{"x":"^1.0.0"},"devDependencies":{"y":"*"}}"#,
                vec![("x", "^1.0.0", "normal"), ("y", "*", "dev")],
            ),
            (
                "pyproject.toml",
                "[project]\ndependencies = [\"a>=1\", \"b[x] ~= 2 ; python_version < '3.9'\"]\n[project.optional-dependencies]\nweb = [\"c\"]\n",
                vec![
                    ("a", ">=1", "normal"),
                    ("b", "~= 2", "normal"),
                    ("c", "any", "optional"),
                ],
            ),
            (
                "requirements-dev.txt",
                "# a comment\n-r other.txt\nd==4  # why\n\ne\n",
                vec![("d", "==4", "normal"), ("e", "any", "normal")],
            ),
            (
                "go.mod",
                "module m\n\ngo 1.22\n\nrequire f v1.2.3\nrequire (\n\tg v0.1.0 // indirect\n)\n",
                vec![("f", "v1.2.3", "normal"), ("g", "v0.1.0", "indirect")],
            ),
        ] {
            let expected: Vec<_> = expected
                .into_iter()
                .map(|(name, wanted, scope)| (name.to_owned(), wanted.to_owned(), scope.to_owned()))
                .collect();
            assert_eq!(of(path, text), expected, "{path}");
        }
    }
}
