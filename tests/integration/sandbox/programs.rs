//! What programs of every sort try in the sandbox of a program.
//!
//! What: the attempts of `aura worker probe`, made by this binary, Python, Node and a static program, with the network and without,
//! as root and as an ordinary user. Why: what one language does not try, another one does. Not here: the attempts
//! (`process::sandbox::probe`, `attempts.c`).

use super::kernels_landlock;
use aura_process::sandbox::{
    LandlockLevel,
    probe::{ProbeAttempt, ProbeOutcome, ProbeReport, ProbedSandbox, is_installed},
};
use std::{
    fs::{self, Permissions},
    os::unix::{fs::PermissionsExt as _, process::CommandExt as _},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};
use tempfile::TempDir;

/// An ordinary user that owns nothing.
const NOBODY: u32 = 12345;

/// A folder that everybody can read, with this binary and a static program in it.
struct Programs {
    dir: TempDir,
    has_static: bool,
}

impl Programs {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let open = || Permissions::from_mode(0o755);
        fs::set_permissions(dir.path(), open()).unwrap();
        let aura = dir.path().join("aura");
        fs::copy(env!("CARGO_BIN_EXE_aura"), &aura).unwrap();
        fs::set_permissions(&aura, open()).unwrap();
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/integration/sandbox/attempts.c");
        let compiled = Command::new("cc")
            .args(["-static", "-O1", "-pthread", "-o"])
            .arg(dir.path().join("attempts"))
            .arg(source)
            .stderr(Stdio::null())
            .status();
        let has_static = compiled.is_ok_and(|status| status.success());
        if has_static {
            fs::set_permissions(dir.path().join("attempts"), open()).unwrap();
        }
        Self { dir, has_static }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Whoever is installed here, and how many attempts each makes at least.
    fn all(&self) -> Vec<(String, usize)> {
        let mut all = vec![("aura".to_owned(), 37)];
        for (name, program, attempts) in [("python", "python3", 44), ("node", "node", 25)] {
            if is_installed(program) {
                all.push((name.to_owned(), attempts));
            } else {
                println!("{program} IS NOT INSTALLED: nothing was tried with it");
            }
        }
        if self.has_static {
            all.push((super::path(&self.path("attempts")).to_owned(), 44));
        } else {
            println!("NO C COMPILER WITH A STATIC LIBRARY: nothing was tried by a static program");
        }
        all
    }

    fn probe(&self, user: Option<u32>, flags: &[&str]) -> (Option<i32>, ProbeReport) {
        let mut command = Command::new(self.path("aura"));
        command
            .args(["worker", "probe", "--json"])
            .args(flags)
            .env_clear()
            .stdin(Stdio::null());
        if let Some(user) = user {
            command.uid(user).gid(user).current_dir("/");
        }
        let done = command.output().unwrap();
        let report = serde_json::from_slice(&done.stdout).unwrap_or_else(|_| panic!("{flags:?}: {done:?}"));
        (done.status.code(), report)
    }
}

/// This user, and where that is root an ordinary one too.
fn users() -> Vec<Option<u32>> {
    if rustix::process::getuid().is_root() {
        vec![None, Some(NOBODY)]
    } else {
        println!("NOT ROOT: what root could do more was not tried");
        vec![None]
    }
}

#[test]
fn no_program_leaves_its_sandbox_whoever_tries_and_as_whom() {
    let programs = Programs::new();
    let abi = kernels_landlock();
    if abi < 6 {
        println!("THIS KERNEL HAS LANDLOCK ABI {abi}: only what seccomp enforces was tried");
    }
    // What is Landlock's, and from which ABI on.
    let since = [
        (ProbeAttempt::ReadOther, 1),
        (ProbeAttempt::ListOther, 1),
        (ProbeAttempt::ReadProcess, 1),
        (ProbeAttempt::Write, 1),
        (ProbeAttempt::Truncate, 3),
        (ProbeAttempt::Signal, 6),
        // Also the kernel's own, for who is not root.
        (ProbeAttempt::MakeDevice, 1),
        (ProbeAttempt::Ptrace, 1),
    ];
    let of_landlock = |attempt: &ProbeAttempt| since.iter().any(|(one, from)| one == attempt && abi < *from);
    for user in users() {
        for (by, attempts) in programs.all() {
            for network in [false, true] {
                let mut flags = vec!["--profile", "program", "--by", &by];
                flags.extend(network.then_some("--network"));
                let (code, report) = programs.probe(user, &flags);
                let inside = if network {
                    ProbedSandbox::ProgramWithNetwork
                } else {
                    ProbedSandbox::Program
                };
                assert_eq!(report.inside, inside);
                let surprises = report.surprises();
                let unexpected: Vec<_> = surprises.iter().filter(|attempt| !of_landlock(attempt)).collect();
                assert!(
                    unexpected.is_empty(),
                    "{by} as {user:?}, network {network}: {unexpected:?}"
                );
                assert!(report.tried.len() >= attempts, "{by}: {report:?}");
                if abi >= 6 {
                    assert_eq!(code, Some(0));
                    assert_eq!(report.level.landlock, LandlockLevel::Fully { abi });
                }
                println!(
                    "{by} as {user:?}, network {network}: {} attempts, {}",
                    report.tried.len(),
                    report.level
                );
            }
        }
    }
}

#[test]
fn no_agent_leaves_its_sandbox_as_an_ordinary_user_either() {
    let programs = Programs::new();
    for user in users() {
        let (_, report) = programs.probe(user, &[]);
        if kernels_landlock() > 0 {
            assert!(report.is_whole(), "{user:?}: {report:?}");
        }
    }
}

#[test]
fn the_model_and_the_service_keep_their_bounds_whoever_runs_them() {
    let programs = Programs::new();
    for user in users() {
        let (_, report) = programs.probe(user, &["--profile", "model"]);
        let surprises = report.surprises();
        // What Landlock would deny, where there is none: see the programs' test.
        assert!(
            kernels_landlock() < 6 || surprises.is_empty(),
            "{user:?}: {surprises:?}"
        );
        for bound in [
            ProbeAttempt::NewCode,
            ProbeAttempt::MemoryBeyond,
            ProbeAttempt::TasksBeyond,
            ProbeAttempt::OpenToOthers,
        ] {
            let came = report.tried.iter().find(|(attempt, _)| *attempt == bound);
            assert_eq!(came, Some(&(bound, ProbeOutcome::Denied)), "{user:?}");
            let (code, report) = programs.probe(user, &["--profile", "service"]);
            let came = report.tried.iter().find(|(attempt, _)| *attempt == bound);
            let since_linux_6_6 = bound != ProbeAttempt::NewCode || kernels_landlock() >= 4;
            assert!(
                !since_linux_6_6 || (came, code) == (Some(&(bound, ProbeOutcome::Denied)), Some(0)),
                "{user:?}: {report:?}"
            );
        }
    }
}

#[test]
fn node_and_python_work_within_the_limits_that_nobody_set() {
    let dir = tempfile::tempdir().unwrap();
    let run = |program: &str, args: &[&str]| {
        let done = Command::new(env!("CARGO_BIN_EXE_aura"))
            .args([
                "worker",
                "exec",
                "--write",
                super::path(dir.path()),
                "--",
                program,
            ])
            .args(args)
            .env_clear()
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let err = String::from_utf8_lossy(&done.stderr).into_owned();
        (String::from_utf8(done.stdout).unwrap(), err)
    };
    // A worker and WebAssembly, which reserves gigabytes of addresses.
    let node = "const { Worker } = require('worker_threads');\
        const memory = new WebAssembly.Memory({ initial: 1, maximum: 65536 });\
        const worker = new Worker('require(\"worker_threads\").parentPort.postMessage(1)', { eval: true });\
        worker.on('message', () => console.log(memory.buffer.byteLength));";
    if is_installed("node") {
        assert_eq!(run("node", &["-e", node]), ("65536\n".to_owned(), String::new()));
    }
    let python = "import asyncio, subprocess, tempfile, threading\n\
        threading.Thread(target=print).start()\n\
        tempfile.NamedTemporaryFile().write(b'x')\n\
        asyncio.run(asyncio.sleep(0))\n\
        subprocess.run(['true'], check=True)\n";
    if is_installed("python3") {
        assert_eq!(run("python3", &["-c", python]), ("\n".to_owned(), String::new()));
    }
}

#[test]
fn tools_that_copy_and_unpack_still_do() {
    let dir = tempfile::tempdir().unwrap();
    let script = "set -e; cd \"$HOME\"; echo one > a; cp a b; mv b c; sed -i s/one/two/ c; touch d; touch a; \
        mkdir deep; cp -r a deep; ln -s a link; tar cf all.tar a c; mkdir out; tar xf all.tar -C out --no-same-owner; \
        cat out/c; rm -r deep out; timeout 5 true";
    let done = Command::new(env!("CARGO_BIN_EXE_aura"))
        .args([
            "worker",
            "exec",
            "--write",
            super::path(dir.path()),
            "--",
            "bash",
            "-c",
            script,
        ])
        .env_clear()
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_eq!(
        (
            String::from_utf8_lossy(&done.stdout).as_ref(),
            done.status.success()
        ),
        ("two\n", true),
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
}
