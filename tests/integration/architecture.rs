//! The house rules as code.
//!
//! What: who may know whom, which paths the map names, which codes have a page, how long a file may be. Why: a rule nobody checks is a wish. Not here: style that clippy and rustfmt know.

mod circles;
mod walks;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Every file of the project below a folder, without build results.
fn files(dir: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            if !matches!(name.as_str(), "target" | ".git" | ".aura" | "node_modules") {
                files(&path, out);
            }
        } else {
            out.push(path);
        }
    }
}

fn all_files() -> Vec<PathBuf> {
    let mut out = Vec::new();
    files(&root(), &mut out);
    out
}

/// The folders of our packages, the validators' too, which is a workspace of its own.
fn members() -> Vec<String> {
    let table: toml::Table = read("Cargo.toml").parse().unwrap();
    let members = table["workspace"]["members"].as_array().unwrap();
    let named = members.iter().map(|member| member.as_str().unwrap().to_owned());
    named.chain(["toolcall-schema/validators".to_owned()]).collect()
}

/// Their names.
fn packages() -> BTreeSet<String> {
    let name = |member: String| {
        let table: toml::Table = read(format!("{member}/Cargo.toml")).parse().unwrap();
        table["package"]["name"].as_str().unwrap().to_owned()
    };
    members().into_iter().map(name).collect()
}

/// The crates of ours that a manifest names in one of its sections.
fn ours_in(manifest: &str, section: &str) -> BTreeSet<String> {
    let table: toml::Table = manifest.parse().unwrap();
    let deps = table
        .get(section)
        .and_then(|deps| deps.as_table())
        .cloned()
        .unwrap_or_default();
    packages()
        .into_iter()
        .filter(|name| deps.contains_key(name))
        .collect()
}

const SECTIONS: [&str; 3] = ["dependencies", "dev-dependencies", "build-dependencies"];

/// The crates of the orchestrator above `machine` and `memory`, lowest first.
const ORDER: [&str; 7] = ["platform", "process", "workflow", "runtime", "days", "cli", "lab"];

#[test]
fn siblings_never_know_each_other() {
    let allowed: BTreeMap<&str, &[&str]> = BTreeMap::from([
        ("toolcall-schema/validators", &[][..]),
        ("toolcall-schema", &["toolcall-validators"][..]),
        (
            "toolcall-schema/fuzz",
            &["agents", "llm-runtime", "surfaces", "toolcall-schema"][..],
        ),
        (
            "orchestrator/hosts",
            &[
                "aura-cli",
                "aura-hosts",
                "aura-memory",
                "aura-platform",
                "aura-runtime",
                "surfaces",
                "surfaces-base",
                "toolcall-schema",
            ][..],
        ),
        ("orchestrator/machine", &["toolcall-schema"][..]),
        ("orchestrator/memory", &["toolcall-schema"][..]),
        (
            "agents",
            &[
                "agents-base",
                "agents-calendar",
                "agents-comms",
                "agents-finance",
                "agents-wellness",
                "toolcall-schema",
            ][..],
        ),
        ("agents/base", &["toolcall-schema"][..]),
        ("agents/calendar", &["agents-base", "toolcall-schema"][..]),
        ("agents/comms", &["agents-base", "toolcall-schema"][..]),
        ("agents/finance", &["agents-base", "toolcall-schema"][..]),
        ("agents/wellness", &["agents-base", "toolcall-schema"][..]),
        ("agents/judge", &["agents", "toolcall-schema"][..]),
        ("agents/programs/repo-surveyor", &[][..]),
        ("agents/training", &["agents"][..]),
        ("llm-runtime", &["toolcall-schema"][..]),
        ("surfaces", &["surfaces-base", "toolcall-schema"][..]),
        ("surfaces/base", &["toolcall-schema"][..]),
        (
            "surfaces/doors",
            &["surfaces", "surfaces-base", "toolcall-schema"][..],
        ),
    ]);
    // The others stand on one another in an order, which has a test of its own.
    let others = members().into_iter().filter(|member| {
        let is_ordered = member
            .strip_prefix("orchestrator/")
            .is_some_and(|name| ORDER.contains(&name));
        !is_ordered && member != "orchestrator" && !allowed.contains_key(member.as_str())
    });
    assert_eq!(
        others.collect::<Vec<_>>(),
        Vec::<String>::new(),
        "nobody says whom they may know"
    );
    for (folder, may) in allowed {
        let manifest = read(Path::new(folder).join("Cargo.toml"));
        for section in SECTIONS {
            let has = ours_in(&manifest, section);
            let extra: Vec<_> = has.iter().filter(|name| !may.contains(&name.as_str())).collect();
            assert!(extra.is_empty(), "{folder} may not depend on {extra:?}");
        }
    }
}

#[test]
fn the_crates_of_the_orchestrator_stand_on_one_another_in_one_order() {
    for (index, name) in ORDER.iter().enumerate() {
        let manifest = read(format!("orchestrator/{name}/Cargo.toml"));
        for section in SECTIONS {
            let has = ours_in(&manifest, section);
            for above in ORDER.iter().skip(index) {
                let above = format!("aura-{above}");
                assert!(!has.contains(&above), "orchestrator/{name}, {section}: {above}");
            }
        }
    }
    let binary = ours_in(&read("orchestrator/Cargo.toml"), "dependencies");
    assert!(
        !binary.contains("aura-lab"),
        "what hurts and measures is no part of aura"
    );
}

/// Who draws pages, and who stands below them.
#[test]
fn nothing_below_the_runtime_knows_pages_and_nothing_that_ships_knows_what_does_not() {
    let has = |name: &str| {
        let manifest = read(format!("orchestrator/{name}/Cargo.toml"));
        SECTIONS
            .iter()
            .flat_map(|section| ours_in(&manifest, section))
            .collect::<BTreeSet<_>>()
    };
    for name in ORDER {
        let has = has(name);
        for unshipped in UNSHIPPED {
            assert!(
                !has.contains(unshipped.1),
                "orchestrator/{name} depends on {}",
                unshipped.1
            );
        }
        // `workflow` has the words of a question in common with the pages.
        let pages: &[&str] = match name {
            "platform" | "process" => &["aura-doors", "surfaces", "surfaces-base"],
            "workflow" => &["aura-doors", "surfaces"],
            _ => &[],
        };
        for page in pages {
            assert!(!has.contains(*page), "orchestrator/{name} depends on {page}");
        }
    }
}

/// Crates that `aura` and `aura-lab` are not built from: folder and name.
const UNSHIPPED: [(&str, &str); 3] = [
    ("agents/judge", "agents-judge"),
    ("agents/training", "agents-training"),
    ("orchestrator/hosts", "aura-hosts"),
];

#[test]
fn the_pure_core_knows_no_actors_no_clock_and_no_files() {
    for folder in ["toolcall-schema", "orchestrator/machine"] {
        let manifest = read(Path::new(folder).join("Cargo.toml"));
        let table: toml::Table = manifest.parse().unwrap();
        let has = table["dependencies"].as_table().unwrap();
        for banned in [
            "actix", "tokio", "rusqlite", "axum", "rustix", "nix", "libc", "tracing", "rand",
        ] {
            assert!(!has.contains_key(banned), "{folder} depends on {banned}");
        }
    }
    let sources = shipped_sources().into_iter().filter(|(path, _)| {
        path.starts_with("orchestrator/machine/src/") || path.starts_with("toolcall-schema/src/")
    });
    for (path, text) in sources {
        for banned in ["Instant::now", "SystemTime", "HashMap", "HashSet"] {
            assert!(!text.contains(banned), "{path} uses {banned}");
        }
        for used in circles::used_paths(&text) {
            let used: Vec<&str> = used.iter().map(String::as_str).collect();
            let is_outside = match used[..] {
                // An address is a value.
                ["std", "net", name] => !["IpAddr", "Ipv4Addr", "Ipv6Addr"].contains(&name),
                ["std", part, ..] => ["env", "fs", "os", "process", "thread"].contains(&part),
                _ => false,
            };
            assert!(!is_outside, "{path} uses {}", used.join("::"));
        }
        for banned in [
            "std::env",
            "std::fs",
            "std::process",
            "std::thread",
            "TcpStream",
            "UdpSocket",
        ] {
            assert!(!text.contains(banned), "{path} uses {banned}");
        }
    }
}

#[test]
fn every_path_that_the_map_names_exists() {
    let map = read("ARCHITECTURE.md");
    let mut named = 0;
    for quoted in map.split('`').skip(1).step_by(2) {
        let looks_like_a_path = quoted.contains('/')
            && quoted
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"/._-".contains(&b))
            && !quoted.starts_with('/');
        if looks_like_a_path {
            named += 1;
            assert!(
                root().join(quoted).exists(),
                "ARCHITECTURE.md names {quoted}, which does not exist"
            );
        } else if Path::new(quoted).extension().is_some_and(|end| end == "rs") {
            // Beside one that was named with its folder.
            let is_there = all_files()
                .iter()
                .any(|path| path.file_name().is_some_and(|name| name == quoted));
            assert!(is_there, "ARCHITECTURE.md names {quoted}, which does not exist");
        }
    }
    assert!(named > 10, "the map names paths");
}

#[test]
fn every_code_in_the_sources_has_its_page_and_every_page_its_code() {
    let families = [
        "GATE", "RESULT", "CONFIRM", "SIGNAL", "TRACE", "STORE", "JOUR", "QUAR", "WEB", "WIRE", "DAY",
        "AGENT", "CONF", "SCHEMA", "CAT", "SANDBOX", "MODEL", "PROTO", "PROGRAM", "WORKFLOW", "ARTIFACT",
        "AUDIT", "EXPORT", "CALL", "PUSH", "ASK", "GRANT", "BUS",
    ];
    let is_code = |text: &str| {
        text.split_once('-').is_some_and(|(family, number)| {
            families.contains(&family) && number.len() == 3 && number.bytes().all(|b| b.is_ascii_digit())
        })
    };
    let mut in_sources = BTreeSet::new();
    for path in all_files()
        .iter()
        .filter(|path| path.extension().is_some_and(|e| e == "rs" || e == "ftl"))
    {
        // Tests may name codes that do not exist.
        if path.components().any(|part| part.as_os_str() == "tests") {
            continue;
        }
        let text = fs::read_to_string(path).unwrap();
        let words = text.split(|c: char| !(c.is_ascii_uppercase() || c.is_ascii_digit() || c == '-'));
        in_sources.extend(words.filter(|word| is_code(word)).map(str::to_owned));
    }
    let pages: BTreeSet<String> = fs::read_dir(root().join("docs/errors"))
        .unwrap()
        .map(|entry| {
            entry
                .unwrap()
                .path()
                .file_stem()
                .unwrap()
                .to_string_lossy()
                .into_owned()
        })
        .filter(|name| is_code(name))
        .collect();
    let missing: Vec<_> = in_sources.difference(&pages).collect();
    assert!(missing.is_empty(), "no page in docs/errors for {missing:?}");
    let orphans: Vec<_> = pages.difference(&in_sources).collect();
    assert!(orphans.is_empty(), "pages without a code: {orphans:?}");
}

#[test]
fn every_test_that_the_threat_model_and_the_map_name_exists() {
    let sources: Vec<String> = all_files()
        .iter()
        .filter(|path| path.extension().is_some_and(|e| e == "rs"))
        .map(read)
        .collect();
    let declares = |name: &str| {
        let declared = format!("fn {name}(");
        sources.iter().any(|text| text.contains(&declared))
    };
    let model = read("docs/threat-model.md");
    let map = read("ARCHITECTURE.md");
    let (_, invariants) = map.split_once("## Invariants").unwrap();
    let (invariants, _) = invariants.split_once("\n## ").unwrap();
    assert!(tests_named(&model).len() > 20, "{:?}", tests_named(&model));
    let missing: Vec<_> = [tests_named(&model), tests_named(invariants)]
        .concat()
        .into_iter()
        .filter(|name| !declares(name))
        .collect();
    assert!(missing.is_empty(), "no such test: {missing:?}");
    let without: Vec<_> = (1..=10)
        .filter(|number| {
            let (_, text) = invariants.split_once(&format!("\n{number}. ")).unwrap();
            let text = text.split(&format!("\n{}. ", number + 1)).next().unwrap();
            tests_named(text).is_empty()
        })
        .collect();
    assert!(without.is_empty(), "invariants without a test: {without:?}");
}

/// The names of tests in a document.
fn tests_named(document: &str) -> Vec<&str> {
    let quoted = document.split('`').skip(1).step_by(2);
    quoted
        .filter(|name| name.len() >= 20 && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_'))
        .collect()
}

#[test]
fn no_source_file_exceeds_700_lines() {
    for path in all_files()
        .iter()
        .filter(|path| path.extension().is_some_and(|e| e == "rs"))
    {
        let lines = fs::read_to_string(path).unwrap().lines().count();
        assert!(
            lines <= 700,
            "{} has {lines} lines: look for the two things in it",
            path.display()
        );
    }
}

#[test]
fn every_file_begins_with_a_header() {
    for path in all_files()
        .iter()
        .filter(|path| path.extension().is_some_and(|e| e == "rs"))
    {
        let text = fs::read_to_string(path).unwrap();
        assert!(
            text.starts_with("//!"),
            "{} does not say what it is",
            path.display()
        );
    }
}

/// Where the wall clock is read: for decisions in one place; beside it to date a repair.
const READS_THE_WALL_CLOCK: [&str; 3] = [
    "orchestrator/memory/src/repair.rs",
    "orchestrator/memory/src/store.rs",
    "orchestrator/platform/src/clock.rs",
];

#[test]
fn the_wall_clock_is_read_where_it_is_said_and_nowhere_else() {
    let reads = |code: &str| {
        ["SystemTime::now", "Utc::now", "Local::now"]
            .iter()
            .any(|now| code.contains(now))
    };
    let found = shipped_sources().into_iter().filter(|(_, code)| reads(code));
    let paths: Vec<String> = found.map(|(path, _)| path).collect();
    assert_eq!(paths, READS_THE_WALL_CLOCK);
}

#[test]
fn actors_are_started_by_the_wiring_alone() {
    let starts = |code: &str| {
        let is_of_actors = code.contains("actix");
        code.contains("supervise::start(")
            || code.contains("Supervisor::start(")
            || is_of_actors && code.contains(".start()")
    };
    let found = shipped_sources().into_iter().filter(|(_, code)| starts(code));
    let paths: Vec<String> = found.map(|(path, _)| path).collect();
    assert_eq!(paths, ["orchestrator/runtime/src/wiring.rs"]);
}

#[test]
fn no_crate_holds_more_than_a_fifth_of_what_ships() {
    let members = members();
    let mut lines: BTreeMap<&str, usize> = BTreeMap::new();
    let sources = shipped_sources();
    let ships = |path: &str| !UNSHIPPED.iter().any(|(folder, _)| path.starts_with(folder));
    for (path, code) in sources.iter().filter(|(path, _)| ships(path)) {
        let within = members
            .iter()
            .filter(|member| path.starts_with(&format!("{member}/")));
        let crate_of = within.max_by_key(|member| member.len()).unwrap();
        *lines.entry(crate_of).or_default() += code.lines().filter(|line| !line.trim().is_empty()).count();
    }
    let all: usize = lines.values().sum();
    let too_large: Vec<_> = lines.iter().filter(|(_, lines)| **lines * 5 > all).collect();
    assert!(too_large.is_empty(), "of {all} lines: {too_large:?}");
}

/// The code of every crate that ships, without tests and comments, by its path in the project.
fn shipped_sources() -> Vec<(String, String)> {
    let mut paths = Vec::new();
    for folder in [
        "orchestrator",
        "agents",
        "surfaces",
        "llm-runtime",
        "toolcall-schema",
    ] {
        files(&root().join(folder), &mut paths);
    }
    let named = paths.into_iter().map(|path| {
        let name = path.strip_prefix(root()).unwrap().to_string_lossy().into_owned();
        (name, path)
    });
    let is_shipped = |name: &str| {
        let is_test = [
            "/tests/",
            "tests.rs",
            "/benches/",
            "/fuzz/",
            "/heldout/",
            "/training/",
            "/examples/",
            "orchestrator/lab/",
        ];
        Path::new(name).extension().is_some_and(|end| end == "rs")
            && !is_test.iter().any(|part| name.contains(part))
    };
    let mut sources: Vec<_> = named
        .filter(|(name, _)| is_shipped(name))
        .map(|(name, path)| (name, circles::code_of(&fs::read_to_string(path).unwrap())))
        .collect();
    sources.sort();
    assert!(sources.len() > 400, "{} files", sources.len());
    sources
}
