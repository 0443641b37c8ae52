//! Artifacts on a real disk: where they may go, what may be there, and what a kill, a race and a full disk leave.

use super::{folder::PLAIN, names::OURS, *};
use std::{
    collections::BTreeMap,
    env, fs,
    os::unix::fs::{PermissionsExt as _, symlink},
    path::PathBuf,
    process::{Command, Stdio},
    sync::atomic::{AtomicBool, Ordering},
    thread,
};
use tempfile::TempDir;

const ROOT: &str = "specs/one";

fn artifact(operation: Operation, path: &str, content: &str) -> Artifact {
    Artifact {
        path: path.to_owned(),
        operation,
        content: content.to_owned(),
    }
}

fn create(path: &str, content: &str) -> Artifact {
    artifact(Operation::Create, path, content)
}

fn update(path: &str, content: &str) -> Artifact {
    artifact(Operation::Update, path, content)
}

/// A project whose feature root holds these files.
fn project(files: &[(&str, &str)]) -> (TempDir, FeatureRoot) {
    let dir = TempDir::new().unwrap();
    for (path, text) in files {
        let path = dir.path().join(ROOT).join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let feature = FeatureRoot::open(dir.path(), ROOT).unwrap();
    (dir, feature)
}

/// Everything below a folder: files with their text, links with `-> target`, folders with a `/` and nothing.
fn tree(dir: &Path) -> BTreeMap<String, String> {
    fn walk(dir: &Path, at: &str, out: &mut BTreeMap<String, String>) {
        for entry in fs::read_dir(dir).unwrap().map(Result::unwrap) {
            let name = format!("{at}{}", entry.file_name().to_string_lossy());
            let kind = entry.file_type().unwrap();
            if kind.is_dir() {
                out.insert(format!("{name}/"), String::new());
                walk(&entry.path(), &format!("{name}/"), out);
            } else if kind.is_symlink() {
                let target = fs::read_link(entry.path()).unwrap();
                out.insert(name, format!("-> {}", target.display()));
            } else if kind.is_file() {
                out.insert(name, fs::read_to_string(entry.path()).unwrap_or_default());
            } else {
                // Reading a pipe would wait.
                out.insert(name, "neither".to_owned());
            }
        }
    }
    let mut out = BTreeMap::new();
    walk(dir, "", &mut out);
    out
}

fn is(entries: &[(&str, &str)]) -> BTreeMap<String, String> {
    let entries = entries.iter();
    entries
        .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))
        .collect()
}

/// With a file system that exchanges two files in one step, and with one that does not.
fn on_both(test: impl Fn()) {
    for plain in [false, true] {
        PLAIN.set(plain);
        test();
    }
}

#[test]
fn what_was_planned_is_written_seen_and_taken_back() {
    on_both(written_seen_and_taken_back);
}

fn written_seen_and_taken_back() {
    let (dir, feature) = project(&[("spec.md", "one\n"), ("kept.md", "kept\n")]);
    let root = dir.path().join(ROOT);
    fs::set_permissions(root.join("spec.md"), fs::Permissions::from_mode(0o600)).unwrap();
    let before = tree(dir.path());
    let changes = feature
        .plan(&[
            update("spec.md", "two\n"),
            // The feature root's own words are taken away.
            create("specs/one/notes/a/list.md", "new\n"),
        ])
        .unwrap();
    let change = |path: &str, before: Option<&str>, after: &str| FileChange {
        path: path.to_owned(),
        before: before.map(str::to_owned),
        after: after.to_owned(),
    };
    assert_eq!(
        changes,
        [
            change("spec.md", Some("one\n"), "two\n"),
            change("notes/a/list.md", None, "new\n")
        ]
    );
    assert_eq!(
        diff(&changes),
        "--- a/spec.md\n+++ b/spec.md\n@@ -1 +1 @@\n-one\n+two\n--- /dev/null\n+++ b/notes/a/list.md\n@@ -0,0 +1 @@\n+new\n"
    );
    assert_eq!(tree(dir.path()), before, "a plan writes nothing");
    let after = is(&[
        ("kept.md", "kept\n"),
        ("notes/", ""),
        ("notes/a/", ""),
        ("notes/a/list.md", "new\n"),
        ("spec.md", "two\n"),
    ]);
    // Twice: what is done stays.
    for _ in 0..2 {
        feature.apply(&changes).unwrap();
        assert_eq!(tree(&root), after);
    }
    let mode = |path: &str| fs::metadata(root.join(path)).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode("spec.md"), 0o600, "an update keeps the mode");
    for _ in 0..2 {
        feature.undo(&changes).unwrap();
        assert_eq!(tree(dir.path()), before);
    }
}

#[test]
fn a_feature_root_that_is_not_there_is_made_by_writing_and_stays_below_the_project() {
    let dir = TempDir::new().unwrap();
    let feature = FeatureRoot::open(dir.path(), "specs/new/").unwrap();
    let changes = feature.plan(&[create("spec.md", "")]).unwrap();
    assert_eq!(tree(dir.path()), is(&[]));
    feature.apply(&changes).unwrap();
    let after = is(&[("specs/", ""), ("specs/new/", ""), ("specs/new/spec.md", "")]);
    assert_eq!(tree(dir.path()), after);
    for root in [
        "",
        "/",
        ".",
        "..",
        "/etc",
        "../x",
        "specs/../../x",
        "specs//x",
        "a\\b",
    ] {
        let why = FeatureRoot::open(dir.path(), root).err().map(|why| why.code);
        assert_eq!(why.as_deref(), Some("ARTIFACT-001"), "{root:?}");
    }
}

#[test]
fn each_bad_artifact_is_refused_with_its_code_and_place_and_nothing_is_written() {
    let (dir, feature) = project(&[
        ("spec.md", "x"),
        ("folder/file.md", "x"),
        ("once.md", "x"),
        ("large.md", &"x".repeat((4 << 20) + 1)),
        ("Upper.md", "x"),
        ("\u{e9}.md", "x"),
    ]);
    let root = dir.path().join(ROOT);
    fs::write(dir.path().join("outside.md"), "x").unwrap();
    fs::create_dir(dir.path().join("elsewhere")).unwrap();
    fs::write(root.join("bytes.md"), [0xFF]).unwrap();
    fs::hard_link(root.join("once.md"), root.join("twice.md")).unwrap();
    symlink("spec.md", root.join("link.md")).unwrap();
    symlink("nowhere.md", root.join("dangling.md")).unwrap();
    symlink("../../elsewhere", root.join("leads-out")).unwrap();
    symlink("folder", root.join("leads-in")).unwrap();
    assert!(
        Command::new("mkfifo")
            .arg(root.join("pipe"))
            .status()
            .unwrap()
            .success()
    );
    let before = tree(dir.path());
    let good = || create("good.md", "");
    let many: Vec<Artifact> = (0..257).map(|n| create(&format!("{n}.md"), "")).collect();
    for (artifacts, code, pointer) in [
        (
            vec![good(), create("../outside.md", "")],
            "ARTIFACT-001",
            "/artifacts/1/path",
        ),
        (
            vec![create("/etc/passwd", "")],
            "ARTIFACT-001",
            "/artifacts/0/path",
        ),
        (vec![create("a/../../b", "")], "ARTIFACT-001", "/artifacts/0/path"),
        (vec![create("a\\b", "")], "ARTIFACT-001", "/artifacts/0/path"),
        (vec![create("a\nb", "")], "ARTIFACT-001", "/artifacts/0/path"),
        (
            vec![create("specs/one/../two/x", "")],
            "ARTIFACT-001",
            "/artifacts/0/path",
        ),
        (vec![create("x/.aura-1", "")], "ARTIFACT-001", "/artifacts/0/path"),
        (
            vec![good(), create("spec.md", "")],
            "ARTIFACT-002",
            "/artifacts/1/path",
        ),
        (vec![create("folder", "")], "ARTIFACT-002", "/artifacts/0/path"),
        (
            vec![create("dangling.md", "")],
            "ARTIFACT-002",
            "/artifacts/0/path",
        ),
        (
            vec![good(), update("other.md", "")],
            "ARTIFACT-002",
            "/artifacts/1/path",
        ),
        (
            vec![update("other/spec.md", "")],
            "ARTIFACT-002",
            "/artifacts/0/path",
        ),
        (vec![create("upper.md", "")], "ARTIFACT-003", "/artifacts/0/path"),
        (
            vec![create("FOLDER/new.md", "")],
            "ARTIFACT-003",
            "/artifacts/0/path",
        ),
        (vec![update("SPEC.md", "")], "ARTIFACT-003", "/artifacts/0/path"),
        (
            vec![create("e\u{301}.md", "")],
            "ARTIFACT-003",
            "/artifacts/0/path",
        ),
        (
            vec![good(), create("GOOD.md", "")],
            "ARTIFACT-003",
            "/artifacts/1/path",
        ),
        (
            vec![good(), create("specs/one/good.md", "")],
            "ARTIFACT-003",
            "/artifacts/1/path",
        ),
        (
            vec![good(), create("good.md/x", "")],
            "ARTIFACT-003",
            "/artifacts/1/path",
        ),
        (vec![update("link.md", "")], "ARTIFACT-004", "/artifacts/0/path"),
        (
            vec![create("leads-out/x.md", "")],
            "ARTIFACT-004",
            "/artifacts/0/path",
        ),
        (
            vec![create("leads-in/x.md", "")],
            "ARTIFACT-004",
            "/artifacts/0/path",
        ),
        (vec![create("spec.md/x", "")], "ARTIFACT-004", "/artifacts/0/path"),
        (vec![update("folder", "")], "ARTIFACT-004", "/artifacts/0/path"),
        (vec![update("pipe", "")], "ARTIFACT-004", "/artifacts/0/path"),
        (vec![update("twice.md", "")], "ARTIFACT-004", "/artifacts/0/path"),
        (vec![update("bytes.md", "")], "ARTIFACT-004", "/artifacts/0/path"),
        (vec![update("large.md", "")], "ARTIFACT-004", "/artifacts/0/path"),
        (many, "ARTIFACT-007", "/artifacts"),
        (
            vec![good(), create("b", "a\0b")],
            "ARTIFACT-007",
            "/artifacts/1/content",
        ),
    ] {
        let why = feature.plan(&artifacts).unwrap_err();
        let named = artifacts.last().map(|last| last.path.clone());
        assert_eq!(
            (why.code.as_str(), why.pointer.as_str()),
            (code, pointer),
            "{named:?}: {why}"
        );
    }
    assert_eq!(tree(dir.path()), before);
}

#[test]
fn a_file_that_somebody_changed_since_is_left_alone_and_so_are_the_others() {
    type Meddle = fn(&Path);
    let rewritten: Meddle = |root| fs::write(root.join("b.md"), "theirs").unwrap();
    let removed: Meddle = |root| fs::remove_file(root.join("b.md")).unwrap();
    let linked: Meddle = |root| {
        fs::remove_file(root.join("b.md")).unwrap();
        symlink("a.md", root.join("b.md")).unwrap();
    };
    let named_twice: Meddle = |root| fs::hard_link(root.join("b.md"), root.join("d.md")).unwrap();
    let came: Meddle = |root| fs::write(root.join("new.md"), "theirs").unwrap();
    for (name, meddle, code) in [
        ("rewritten", rewritten, "ARTIFACT-005"),
        ("removed", removed, "ARTIFACT-005"),
        ("came", came, "ARTIFACT-005"),
        ("linked", linked, "ARTIFACT-004"),
        ("named twice", named_twice, "ARTIFACT-004"),
    ] {
        let (dir, feature) = project(&[("a.md", "a"), ("b.md", "b"), ("c.md", "c")]);
        let changes = feature
            .plan(&[
                update("a.md", "A"),
                create("folder/x.md", "X"),
                update("b.md", "B"),
                create("new.md", "N"),
                update("c.md", "C"),
            ])
            .unwrap();
        meddle(&dir.path().join(ROOT));
        let before = tree(dir.path());
        let why = feature.apply(&changes).unwrap_err();
        assert_eq!(why.code, code, "{name}: {why}");
        assert_eq!(tree(dir.path()), before, "{name}");
    }
}

/// What `changes_of_every_sort` writes over and beside.
const OLD: [(&str, &str); 2] = [("a.md", "a\n"), ("z.md", "z\n")];

fn changes_of_every_sort(feature: &FeatureRoot) -> Vec<FileChange> {
    let artifacts = [
        update("a.md", "A\n"),
        create("deep/er/new.md", "new\n"),
        create("m.md", "m\n"),
        update("z.md", "Z\n"),
    ];
    feature.plan(&artifacts).unwrap()
}

/// Meddles at each step in turn, until there are no more steps; how many there are.
fn at_each_step(
    mut meddle: impl FnMut(&Path),
    mut check: impl FnMut(usize, &Path, Result<(), RefusalReason>),
) -> usize {
    for wanted in 0.. {
        let (dir, feature) = project(&OLD);
        let changes = changes_of_every_sort(&feature);
        let edits: Vec<FileEdit<'_>> = changes.iter().map(FileEdit::forward).collect();
        let mut step = 0;
        let done = edit::all(&feature.project, &feature.root, &edits, &mut || {
            if step == wanted {
                meddle(&dir.path().join(ROOT));
            }
            step += 1;
        });
        check(wanted, dir.path(), done);
        if step <= wanted {
            return step;
        }
    }
    0
}

#[test]
fn a_change_by_somebody_else_between_any_two_steps_is_never_lost() {
    on_both(never_lost);
}

fn never_lost() {
    let mut outcomes = BTreeMap::new();
    let steps = at_each_step(
        |root| fs::write(root.join("z.md"), "theirs\n").unwrap(),
        |step, project, done| {
            let now = tree(&project.join(ROOT));
            assert_eq!(
                now.keys().filter(|name| name.contains(OURS)).count(),
                0,
                "step {step}: nothing of ours is left: {now:?}"
            );
            let is_new = now.get("a.md").is_some_and(|text| text == "A\n");
            let all_or_none =
                is_new == now.contains_key("deep/er/new.md") && is_new == now.contains_key("m.md");
            assert!(
                all_or_none && is_new == done.is_ok(),
                "step {step}: {done:?} {now:?}"
            );
            // Theirs came last, or before ours was swapped in, which was noticed.
            let theirs = now.get("z.md").is_some_and(|text| text == "theirs\n");
            *outcomes.entry((done.is_ok(), theirs)).or_insert(0) += 1;
        },
    );
    assert!(steps > 10, "{steps}");
    // Ok without theirs: only the round in which nobody meddled.
    assert_eq!(outcomes.get(&(true, false)), Some(&1), "{outcomes:?}");
    assert!(
        outcomes.contains_key(&(true, true)) && outcomes.contains_key(&(false, true)),
        "{outcomes:?}"
    );
    assert_eq!(outcomes.get(&(false, false)), None, "{outcomes:?}");
}

#[test]
fn a_folder_that_becomes_a_link_between_any_two_steps_leads_nowhere() {
    let outside = TempDir::new().unwrap();
    at_each_step(
        |root| {
            let _ = fs::rename(root.join("deep"), root.join("moved"));
            let _ = symlink(outside.path(), root.join("deep"));
        },
        |step, _, _| assert_eq!(tree(outside.path()), is(&[]), "step {step}"),
    );
}

#[test]
fn a_racing_thread_that_swaps_a_folder_for_a_link_gets_nothing_out() {
    let outside = TempDir::new().unwrap();
    let (dir, feature) = project(&[("folder/a.md", "a")]);
    let root = dir.path().join(ROOT);
    let over = AtomicBool::new(false);
    let (mut written, mut refused) = (0, 0);
    thread::scope(|scope| {
        scope.spawn(|| {
            let (folder, aside) = (root.join("folder"), root.join("aside"));
            while !over.load(Ordering::Relaxed) {
                let _ = fs::rename(&folder, &aside);
                let _ = symlink(outside.path(), &folder);
                let _ = fs::remove_file(&folder);
                let _ = fs::rename(&aside, &folder);
            }
        });
        for n in 0..400 {
            let artifacts = [create(&format!("folder/{n}.md"), "x")];
            match feature
                .plan(&artifacts)
                .and_then(|changes| feature.apply(&changes))
            {
                Ok(()) => written += 1,
                Err(_) => refused += 1,
            }
        }
        over.store(true, Ordering::Relaxed);
    });
    assert_eq!(
        tree(outside.path()),
        is(&[]),
        "{written} written, {refused} refused"
    );
    assert_eq!(written + refused, 400);
}

/// Runs a test of this file as a child, in a shell, with a variable that says what it is to do.
fn child(test: &str, variable: &str, value: &str, before: &str) -> Option<i32> {
    let status = Command::new("sh")
        .args(["-c", &format!("{before} exec \"$0\" --exact \"$1\" --nocapture")])
        .arg(env::current_exe().unwrap())
        .arg(format!("programs::feature::tests::{test}"))
        .env(variable, value)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    status.code()
}

/// A second project on the disk, for a child that is told where.
fn left_by_a_child(dir: &Path) -> (FeatureRoot, Vec<FileChange>) {
    let feature = FeatureRoot::open(dir, ROOT).unwrap();
    let changes = fs::read(dir.join("changes.json")).unwrap();
    (feature, serde_json::from_slice(&changes).unwrap())
}

/// Says at which step a child aborts.
const ABORT: &str = "AURA_TEST_ABORT";

#[test]
fn a_kill_at_any_step_leaves_what_the_same_call_brings_to_its_end() {
    if let Ok(told) = env::var(ABORT) {
        let (step, dir) = told.split_once(' ').unwrap();
        let (wanted, dir): (usize, _) = (step.parse().unwrap(), PathBuf::from(dir));
        PLAIN.set(dir.join("plain").exists());
        let (feature, changes) = left_by_a_child(&dir);
        let edits: Vec<FileEdit<'_>> = if dir.join("undo").exists() {
            changes.iter().map(FileEdit::backward).collect()
        } else {
            changes.iter().map(FileEdit::forward).collect()
        };
        let mut step = 0;
        let done = edit::all(&feature.project, &feature.root, &edits, &mut || {
            if step == wanted {
                std::process::abort();
            }
            step += 1;
        });
        std::process::exit(if done.is_ok() { 7 } else { 8 });
    }
    on_both(killed_at_each_step);
}

fn killed_at_each_step() {
    const TEST: &str = "a_kill_at_any_step_leaves_what_the_same_call_brings_to_its_end";
    let old = [("a.md", "a\n"), ("z.md", "z\n")];
    let new = [
        ("a.md", "A\n"),
        ("deep/", ""),
        ("deep/er/", ""),
        ("deep/er/new.md", "new\n"),
        ("m.md", "m\n"),
        ("z.md", "Z\n"),
    ];
    for (undo, goal, other) in [(false, &new[..], &old[..]), (true, &old[..], &new[..])] {
        let mut kills = 0;
        loop {
            let (dir, feature) = project(&OLD);
            let changes = changes_of_every_sort(&feature);
            fs::write(
                dir.path().join("changes.json"),
                serde_json::to_vec(&changes).unwrap(),
            )
            .unwrap();
            if PLAIN.get() {
                fs::write(dir.path().join("plain"), "").unwrap();
            }
            if undo {
                feature.apply(&changes).unwrap();
                fs::write(dir.path().join("undo"), "").unwrap();
            }
            let told = format!("{kills} {}", dir.path().display());
            let code = child(TEST, ABORT, &told, "");
            let root = dir.path().join(ROOT);
            // Each file is as before or as after, whenever it was.
            for (path, text) in tree(&root)
                .iter()
                .filter(|(path, _)| !path.ends_with('/') && !path.contains(OURS))
            {
                let may = |of: &[(&str, &str)]| of.contains(&(path.as_str(), text.as_str()));
                assert!(may(&old) || may(&new), "{kills}: {path} {text:?}");
            }
            if code == Some(7) {
                break;
            }
            assert_eq!(code, None, "step {kills}: it aborted");
            let again = |back: bool| {
                if back {
                    feature.undo(&changes)
                } else {
                    feature.apply(&changes)
                }
            };
            again(undo).unwrap();
            assert_eq!(tree(&root), is(goal), "step {kills}");
            again(!undo).unwrap();
            assert_eq!(tree(&root), is(other), "step {kills}");
            kills += 1;
        }
        assert!(kills > 10, "{kills}");
    }
}

#[test]
fn a_full_disk_leaves_everything_as_it_was() {
    const VARIABLE: &str = "AURA_TEST_FULL";
    if let Ok(dir) = env::var(VARIABLE) {
        let (feature, changes) = left_by_a_child(Path::new(&dir));
        let why = feature.apply(&changes).unwrap_err();
        let named = why.code == "ARTIFACT-006" && why.message.contains("z.md");
        std::process::exit(if named { 9 } else { 8 });
    }
    let (dir, feature) = project(&OLD);
    let large = "x".repeat(64 << 10);
    let artifacts = [
        update("a.md", "A\n"),
        create("deep/new.md", "new\n"),
        update("z.md", &large),
    ];
    let changes = feature.plan(&artifacts).unwrap();
    fs::write(
        dir.path().join("changes.json"),
        serde_json::to_vec(&changes).unwrap(),
    )
    .unwrap();
    let before = tree(dir.path());
    // A file may grow to 16 KiB at most, and the signal that says so is ignored: writing fails as on a full disk.
    let told = dir.path().display().to_string();
    let code = child(
        "a_full_disk_leaves_everything_as_it_was",
        VARIABLE,
        &told,
        "trap '' XFSZ; ulimit -f 32;",
    );
    assert_eq!(code, Some(9));
    assert_eq!(tree(dir.path()), before);
}
