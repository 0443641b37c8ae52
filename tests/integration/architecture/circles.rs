//! Which file uses which, and whether that goes in circles.
//!
//! What: the `use` graph of each crate, read from its sources. Why: what two folders need from one another stands in neither, and a reader
//! can take a folder by itself. Circles within one folder are allowed, and so is what a module and its own children use of one another.
//! Not here: crates, whose circles cargo refuses.

use super::{files, members, root};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

/// A module by the names that lead to it; none: the crate's root.
type ModulePath = Vec<String>;

/// The modules of one crate.
#[derive(Default)]
struct CrateModules {
    /// What each uses by `use` or by a path in its code.
    paths: BTreeMap<ModulePath, Vec<Vec<String>>>,
    /// Names that each hands on, and from where.
    handed_on: BTreeMap<ModulePath, BTreeMap<String, Vec<String>>>,
}

impl CrateModules {
    fn read(src: &Path) -> Self {
        let mut all = Vec::new();
        files(src, &mut all);
        let mut modules = Self::default();
        for path in all {
            let names = path.strip_prefix(src).unwrap().with_extension("");
            let mut names: ModulePath = names.iter().map(|part| part.to_string_lossy().into()).collect();
            let is_test = names.iter().any(|name| name == "tests" || name == "bin");
            if path.extension().is_none_or(|end| end != "rs") || is_test {
                continue;
            }
            if names == ["lib"] || names == ["main"] || names.last().is_some_and(|name| name == "mod") {
                names.pop();
            }
            modules.add(names, &code_of(&fs::read_to_string(&path).unwrap()));
        }
        modules
    }

    fn add(&mut self, module: ModulePath, code: &str) {
        let (mut paths, mut handed_on) = (Vec::new(), BTreeMap::new());
        let mut rest = String::new();
        let mut left = code;
        while let Some((before, statement, after)) = next_use(left) {
            rest.push_str(before);
            let is_handed_on = before.trim_end().ends_with("pub")
                || before.trim_end().ends_with("pub(crate)")
                || before.trim_end().ends_with("pub(super)");
            for path in expand(statement) {
                if is_handed_on {
                    handed_on.insert(path.last().cloned().unwrap_or_default(), path);
                } else {
                    paths.push(path);
                }
            }
            left = after;
        }
        rest.push_str(left);
        paths.extend(paths_in(&rest));
        self.paths.insert(module.clone(), paths);
        self.handed_on.insert(module, handed_on);
    }

    /// The module in which what a path names is defined; `None`: another crate's.
    fn target(&self, from: &ModulePath, path: &[String], depth: usize) -> Option<ModulePath> {
        let mut path = path.iter();
        let mut at = from.clone();
        let mut next = path.next()?;
        match next.as_str() {
            "crate" => {
                at.clear();
                next = path.next()?;
            }
            "self" => next = path.next()?,
            "super" => {
                while next == "super" {
                    at.pop()?;
                    next = path.next()?;
                }
            }
            child => {
                at.push(child.to_owned());
                if !self.paths.contains_key(&at) {
                    return None;
                }
                let Some(after) = path.next() else { return Some(at) };
                next = after;
            }
        }
        loop {
            at.push(next.clone());
            if !self.paths.contains_key(&at) {
                at.pop();
                break;
            }
            match path.next() {
                Some(after) => next = after,
                None => return Some(at),
            }
        }
        match self.handed_on[&at].get(next) {
            Some(origin) if depth < 6 => self.target(&at, origin, depth + 1).or(Some(at)),
            Some(_) | None => Some(at),
        }
    }

    /// Who uses whom, without what goes between a module and its own.
    fn graph(&self) -> BTreeMap<ModulePath, BTreeSet<ModulePath>> {
        let of = |module: &ModulePath, paths: &Vec<Vec<String>>| {
            let targets = paths.iter().filter_map(|path| self.target(module, path, 0));
            targets
                .filter(|target| !target.starts_with(module) && !module.starts_with(target))
                .collect()
        };
        let graph = self.paths.iter();
        graph
            .map(|(module, paths)| (module.clone(), of(module, paths)))
            .collect()
    }
}

/// Without comments and without the tests at its end.
pub(super) fn code_of(text: &str) -> String {
    let end = text.find("\n#[cfg(test)]\nmod tests {").unwrap_or(text.len());
    let lines = text[..end]
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

/// The paths of every `use` in a file.
pub(super) fn used_paths(text: &str) -> Vec<Vec<String>> {
    let code = code_of(text);
    let (mut left, mut paths) = (code.as_str(), Vec::new());
    while let Some((_, statement, after)) = next_use(left) {
        paths.extend(expand(statement));
        left = after;
    }
    paths
}

/// What stands before the next `use`, its paths, and what follows it.
fn next_use(code: &str) -> Option<(&str, &str, &str)> {
    let starts = code.match_indices("use ").map(|(at, _)| at);
    let mut starts = starts.filter(|at| *at == 0 || !code.as_bytes()[at - 1].is_ascii_alphanumeric());
    let at =
        starts.find(|at| code[..*at].trim_end_matches(' ').ends_with(['\n', 'b', ')', '{']) || *at == 0)?;
    let (statement, after) = code[at + 4..].split_once(';')?;
    Some((&code[..at], statement, after))
}

/// The single paths of a `use`.
fn expand(statement: &str) -> Vec<Vec<String>> {
    let Some((head, rest)) = statement.split_once('{') else {
        let path = statement.split(" as ").next().unwrap_or_default();
        return vec![
            path.split("::")
                .map(|name| name.trim().to_owned())
                .filter(|name| name != "self")
                .collect(),
        ];
    };
    let head: Vec<String> = head
        .split("::")
        .map(|name| name.trim().to_owned())
        .filter(|name| !name.is_empty())
        .collect();
    let inner = rest.rsplit_once('}').map_or(rest, |(inner, _)| inner);
    let (mut depth, mut parts, mut part) = (0, Vec::new(), String::new());
    for letter in inner.chars() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if letter == ',' && depth == 0 {
            parts.push(std::mem::take(&mut part));
        } else {
            part.push(letter);
        }
    }
    parts.push(part);
    let parts = parts.iter().filter(|part| !part.trim().is_empty());
    parts
        .flat_map(|part| expand(part))
        .map(|path| head.iter().cloned().chain(path).collect())
        .collect()
}

/// The paths that stand in code: `crate::a::B`, `super::a::b()`, `child::c`.
fn paths_in(code: &str) -> Vec<Vec<String>> {
    let words =
        code.split(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_' || letter == ':'));
    let paths = words.filter(|word| word.contains("::") && !word.starts_with(':'));
    paths
        .map(|word| {
            word.split("::")
                .filter(|name| !name.is_empty())
                .map(str::to_owned)
                .collect::<Vec<_>>()
        })
        .filter(|path| {
            path.first()
                .is_some_and(|name| name.starts_with(|letter: char| letter.is_ascii_lowercase()))
        })
        .collect()
}

/// The modules that each reaches.
fn reached(graph: &BTreeMap<ModulePath, BTreeSet<ModulePath>>, from: &ModulePath) -> BTreeSet<ModulePath> {
    let (mut seen, mut waiting) = (BTreeSet::new(), vec![from]);
    while let Some(module) = waiting.pop() {
        for next in graph.get(module).into_iter().flatten() {
            if seen.insert(next.clone()) {
                waiting.push(next);
            }
        }
    }
    seen
}

/// The circles of a crate that go over more than one folder.
fn circles_across_folders(modules: &CrateModules) -> BTreeSet<Vec<String>> {
    let graph = modules.graph();
    let all: BTreeMap<_, _> = graph
        .keys()
        .map(|module| (module, reached(&graph, module)))
        .collect();
    let mut circles = BTreeSet::new();
    for (module, reach) in &all {
        let circle: Vec<_> = reach
            .iter()
            .filter(|other| all[other].contains(*module))
            .collect();
        let folder = |module: &ModulePath| module[..module.len().saturating_sub(1)].to_vec();
        let folders: BTreeSet<_> = circle.iter().map(|module| folder(module)).collect();
        if folders.len() > 1 {
            circles.insert(circle.iter().map(|module| module.join("/")).collect());
        }
    }
    circles
}

/// The folders of the workspace's libraries.
fn crates() -> Vec<PathBuf> {
    members()
        .into_iter()
        .map(|member| root().join(member))
        .filter(|folder| folder.join("src/lib.rs").is_file())
        .collect()
}

#[test]
fn no_circle_of_files_goes_over_more_than_one_folder() {
    for folder in crates() {
        let circles = circles_across_folders(&CrateModules::read(&folder.join("src")));
        assert!(circles.is_empty(), "{}: {circles:#?}", folder.display());
    }
}

#[test]
fn a_circle_over_two_folders_is_found_also_through_a_name_that_is_handed_on() {
    let mut modules = CrateModules::default();
    let name = |path: &str| {
        path.split('/')
            .filter(|name| !name.is_empty())
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    for (module, code) in [
        ("", "mod store;\nmod audit;\n"),
        ("store", "use crate::{audit::Log, other::{Thing as T, self}};\n"),
        ("audit", "mod log;\npub use log::Log;\n"),
        ("audit/log", "fn rows() { crate::store::rows() }\n"),
    ] {
        modules.add(name(module), code);
    }
    let found = circles_across_folders(&modules);
    assert_eq!(
        found,
        BTreeSet::from([vec!["audit/log".to_owned(), "store".to_owned()]])
    );
    // What goes between a module and its own child is none, nor is one within a folder.
    let mut modules = CrateModules::default();
    for (module, code) in [
        ("", ""),
        ("store", "mod rows;\nuse rows::Row;\n"),
        ("store/rows", "use super::Store;\n"),
        ("one", "use crate::two::Two;\n"),
        ("two", "use super::one::One;\n"),
    ] {
        modules.add(name(module), code);
    }
    assert_eq!(circles_across_folders(&modules), BTreeSet::new());
}
