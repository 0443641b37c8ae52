//! The sandbox, tried from inside by the built binary.
//!
//! What: what an agent and a program of the owner cannot do, and what they still can. Why: a sandbox that nobody tries is a
//! hope. Where the kernel has Landlock these tests fail when it does not hold; where it has none, what seccomp alone holds is
//! tried, and the closing output says so. Not here: which system calls there are (`process::sandbox::filter`).

#![expect(
    clippy::print_stdout,
    reason = "what this machine cannot try is part of what a run says"
)]

mod programs;
mod socket;

use crate::support::{command::aura, wait::until};
use aura_process::sandbox::{
    LandlockLevel, SandboxLevel,
    probe::{ProbeAttempt, ProbeOutcome, ProbeReport, ProbedSandbox},
};
use landlock::{AccessFs, LandlockStatus, Ruleset, RulesetAttr as _};
use nix::libc;
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, apply_filter};
use std::{
    fs,
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    thread,
};
use tempfile::TempDir;

/// The kernel's version of Landlock by its own system call, whatever Aura says of it; 0: none.
fn kernels_landlock() -> i32 {
    // A thread that ends at once is all that is restricted.
    let asked = thread::spawn(|| {
        let rules = Ruleset::default()
            .handle_access(AccessFs::MakeSock)
            .unwrap()
            .create()
            .unwrap();
        rules.restrict_self().unwrap().landlock
    });
    match asked.join().unwrap() {
        LandlockStatus::Available {
            effective_abi,
            kernel_abi,
        } => kernel_abi.unwrap_or(effective_abi as i32),
        LandlockStatus::NotEnabled | LandlockStatus::NotImplemented => 0,
    }
}

/// A household: a folder of mail, and a secret beside it.
struct House(TempDir);

impl House {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("mail")).unwrap();
        fs::create_dir(dir.path().join("work")).unwrap();
        fs::write(dir.path().join("mail/one.eml"), "Subject: hello\n").unwrap();
        fs::write(dir.path().join("secret"), "secret\n").unwrap();
        Self(dir)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }
}

/// A process beside the sandboxed one, of the same owner.
struct Sibling(Child);

impl Sibling {
    fn new() -> Self {
        Self(Command::new("sleep").arg("60").spawn().unwrap())
    }
}

impl Drop for Sibling {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

/// Runs a line of the shell, in which `$0` is the binary.
fn shell(line: &str, args: &[&str]) -> Output {
    Command::new("/bin/sh")
        .args(["-c", line, env!("CARGO_BIN_EXE_aura")])
        .args(args)
        .env_clear()
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

#[test]
fn an_agent_reads_its_input_and_can_do_nothing_else() {
    let (house, sibling) = (House::new(), Sibling::new());
    let done = shell(
        // Whoever starts Aura may have left files open; `env -i` because a shell adds variables of its own.
        r#"exec 7<"$2"; exec env -i "$0" worker probe --json --read "$1" --other "$2" --process "$3""#,
        &[
            &house.text("mail"),
            &house.text("secret"),
            &sibling.0.id().to_string(),
        ],
    );
    let said = String::from_utf8(done.stdout).unwrap();
    let report: ProbeReport = serde_json::from_str(&said)
        .unwrap_or_else(|_| panic!("{said:?}: {}", String::from_utf8_lossy(&done.stderr)));
    let abi = kernels_landlock();
    println!("the agents' sandbox on this kernel: {}", report.level);
    if abi == 0 {
        println!(
            "THIS KERNEL HAS NO LANDLOCK: reading other files is not denied, and only seccomp was tried"
        );
    }
    // Without Landlock a filter of system calls cannot tell one file from another.
    let of_files = [
        ProbeAttempt::ReadOther,
        ProbeAttempt::ListOther,
        ProbeAttempt::ReadProcess,
    ];
    let expected: &[ProbeAttempt] = if abi == 0 { &of_files } else { &[] };
    assert_eq!(report.surprises(), expected, "{report:?}");
    let landlock = if abi == 0 {
        LandlockLevel::No
    } else {
        LandlockLevel::Fully { abi }
    };
    let level = SandboxLevel {
        landlock,
        seccomp: true,
    };
    assert_eq!((report.inside, report.level), (ProbedSandbox::Agent, level));
    let tried: Vec<ProbeAttempt> = report.tried.iter().map(|(attempt, _)| *attempt).collect();
    assert_eq!(tried.len(), OF_AN_AGENT + 4, "{tried:?}");
    assert!(tried.contains(&ProbeAttempt::ReadOwn) && tried.contains(&ProbeAttempt::Exec));
    assert_eq!(done.status.code(), Some(i32::from(abi == 0)));
}

/// What an agent tries beside the four things that take an input of its own.
const OF_AN_AGENT: usize = 35;

/// An account's worker may besides only take descriptors from its standard input: all else must come out as for an agent.
#[test]
fn worker_of_an_account_makes_and_connects_no_socket() {
    let house = House::new();
    let done = shell(
        r#"exec env -i "$0" worker probe --profile source --json --other "$1""#,
        &[&house.text("secret")],
    );
    let said = String::from_utf8(done.stdout).unwrap();
    let report: ProbeReport = serde_json::from_str(&said)
        .unwrap_or_else(|_| panic!("{said:?}: {}", String::from_utf8_lossy(&done.stderr)));
    assert_eq!(report.inside, ProbedSandbox::Source);
    assert!(report.level.seccomp, "{report:?}");
    for attempt in [
        ProbeAttempt::Tcp,
        ProbeAttempt::Listen,
        ProbeAttempt::Udp,
        ProbeAttempt::Unix,
        ProbeAttempt::PairOfStreams,
        ProbeAttempt::Fork,
        ProbeAttempt::Exec,
        ProbeAttempt::Write,
    ] {
        assert!(
            report.tried.contains(&(attempt, ProbeOutcome::Denied)),
            "{attempt}: {report:?}"
        );
    }
    if kernels_landlock() > 0 {
        assert!(report.surprises().is_empty(), "{report:?}");
    }
}

#[test]
fn an_agent_that_was_given_an_environment_does_not_start() {
    let done = Command::new(env!("CARGO_BIN_EXE_aura"))
        .args(["worker", "probe"])
        .env_clear()
        .env("AURA_DATA", "somewhere")
        .output()
        .unwrap();
    let said = String::from_utf8(done.stderr).unwrap();
    assert_eq!(
        (done.status.code(), done.stdout, said.trim_end()),
        (
            Some(3),
            vec![],
            "aura: SANDBOX-002: the process was given 1 environment variables; start it with none"
        )
    );
}

/// Runs a line of bash as a program of the owner's, with a folder of its own.
fn program(house: &House, flags: &[&str], line: &str) -> Output {
    let work = house.text("work");
    let args = ["worker", "exec", "--write", work.as_str()];
    let bash = ["--", "bash", "-c", line];
    Command::new(env!("CARGO_BIN_EXE_aura"))
        .args(args)
        .args(flags)
        .args(bash)
        .env_clear()
        .env("SECRET", "of the service")
        .env("NAME", "value")
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

#[test]
fn a_program_works_in_its_folder_and_nowhere_else() {
    let (house, sibling) = (House::new(), Sibling::new());
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let tcp = format!(
        "exec 3<>/dev/tcp/127.0.0.1/{}",
        listener.local_addr().unwrap().port()
    );
    let (mail, secret) = (house.text("mail"), house.text("secret"));
    let reads = |path: &str| format!("read -r line < {path} && echo $line");
    let pid = sibling.0.id();
    let landlock = kernels_landlock() > 0;
    if !landlock {
        println!("THIS KERNEL HAS NO LANDLOCK: files outside a program's folders are not denied");
    }
    let reading = ["--read", mail.as_str()];
    let input = reads(&format!("{mail}/one.eml"));
    let cases: Vec<(&str, &[&str], String, Option<&str>)> = vec![
        (
            "its folder",
            &[],
            "echo kept > note && cat note".into(),
            Some("kept\n"),
        ),
        (
            "a process of its own",
            &[],
            "bash -c 'echo started'".into(),
            Some("started\n"),
        ),
        (
            "its environment",
            &["--env", "NAME", "--env", "NOT_THERE"],
            "echo $NAME ${SECRET-none} ${NOT_THERE-none} $PATH".into(),
            Some("value none none /usr/local/bin:/usr/bin:/bin\n"),
        ),
        (
            "what it may read",
            &reading,
            input.clone(),
            Some("Subject: hello\n"),
        ),
        (
            "the network, with --network",
            &["--network"],
            tcp.clone(),
            Some(""),
        ),
        ("the network", &[], tcp, None),
        (
            "name spaces",
            &[],
            "unshare -m true || unshare -r true".into(),
            None,
        ),
    ];
    let of_files: Vec<(&str, &[&str], String, Option<&str>)> = vec![
        ("the secret", &[], reads(&secret), None),
        ("what it may not read", &[], input, None),
        (
            "writing what it may read",
            &reading,
            format!("echo > {mail}/one.eml"),
            None,
        ),
        ("writing beside it", &[], format!("echo > {secret}2"), None),
        ("truncating", &[], format!(": > {secret}"), None),
        (
            "another process",
            &[],
            reads(&format!("/proc/{pid}/status")),
            None,
        ),
    ];
    for (what, flags, line, expected) in cases.into_iter().chain(of_files.into_iter().filter(|_| landlock)) {
        let done = program(&house, flags, &line);
        let (out, err) = (
            String::from_utf8(done.stdout).unwrap(),
            String::from_utf8(done.stderr).unwrap(),
        );
        match expected {
            Some(text) => assert_eq!(
                (out.as_str(), done.status.success()),
                (text, true),
                "{what}: {err}"
            ),
            None => assert_eq!(
                (out.as_str(), done.status.success()),
                ("", false),
                "{what}: {err}"
            ),
        }
    }
    assert_eq!(fs::read_to_string(house.path("secret")).unwrap(), "secret\n");
}

/// Root could make a device in a folder of its own; and one that somebody else put there can be opened, but not spoken to.
#[test]
fn a_program_makes_no_device_in_its_folder_and_speaks_to_none() {
    if !rustix::process::getuid().is_root() || kernels_landlock() < 5 {
        println!("NOT ROOT, OR LANDLOCK OLDER THAN ABI 5: devices in a program's folder were not tried");
        return;
    }
    let house = House::new();
    let device = house.text("work/zero");
    let made = Command::new("mknod").args([&device, "c", "1", "5"]).status();
    assert!(made.unwrap().success());
    // Unlike the null device, whose every ioctl is refused by its driver in other words.
    let outside = Command::new("stty").args(["-F", &device]).output().unwrap();
    assert!(
        String::from_utf8_lossy(&outside.stderr).contains("Inappropriate ioctl"),
        "{outside:?}"
    );
    for (line, says) in [
        (format!("stty -F {device}"), "Permission denied"),
        (
            format!("mknod {} c 1 5", house.text("work/other")),
            "not permitted",
        ),
        (
            format!("mknod {} b 7 0", house.text("work/disk")),
            "not permitted",
        ),
    ] {
        let done = program(&house, &[], &line);
        let err = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(!done.status.success(), "{line}");
        assert!(
            err.contains(says) || err.contains("Permission denied"),
            "{line}: {err}"
        );
    }
    for name in ["work/other", "work/disk"] {
        assert!(!house.path(name).exists(), "{name}");
    }
}

#[test]
fn a_program_has_the_limits_it_was_given_and_its_own_exit_code() {
    let house = House::new();
    let limits = [
        "--memory",
        "512",
        "--cpu",
        "7",
        "--file-size",
        "3",
        "--open-files",
        "50",
    ];
    let done = program(
        &house,
        &limits,
        "ulimit -v; ulimit -d; ulimit -t; ulimit -f; ulimit -n; ulimit -c; exit 5",
    );
    // Address space is not limited; KiB of memory, seconds, KiB, descriptors, no core.
    assert_eq!(
        (
            String::from_utf8(done.stdout).unwrap().as_str(),
            done.status.code()
        ),
        ("unlimited\n524288\n7\n3072\n50\n0\n", Some(5)),
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
}

#[test]
fn a_program_inherits_no_descriptor() {
    let house = House::new();
    let done = shell(
        r#"exec 7<"$1"; exec "$0" worker exec -- bash -c 'cat <&7'"#,
        &[&house.text("secret")],
    );
    assert_eq!(
        (
            String::from_utf8(done.stdout).unwrap().as_str(),
            done.status.success()
        ),
        ("", false)
    );
}

#[test]
fn a_program_that_cannot_be_started_is_named() {
    let (code, out, err) = aura(&["worker", "exec", "--", "/nowhere/program"], b"");
    let last = err.lines().last().unwrap();
    assert_eq!((code, out.as_str()), (Some(2), ""), "{err}");
    assert!(
        last.starts_with(
            "aura: SANDBOX-003: the program /nowhere/program could not be started in its sandbox"
        ),
        "{err}"
    );
}

#[test]
fn a_bare_name_that_is_nowhere_is_told_where_it_was_looked_for() {
    let (code, _, err) = aura(&["worker", "exec", "--", "aura-nowhere"], b"");
    assert_eq!(code, Some(2), "{err}");
    assert!(
        err.contains("aura-nowhere could not be started in its sandbox: it lies neither beside aura nor in /usr/local/bin"),
        "{err}"
    );
}

#[test]
fn programs_sandbox_is_tried_where_the_system_has_no_program() {
    let done = Command::new(env!("CARGO_BIN_EXE_aura"))
        .args(["doctor", "--json", "--data", "/nonexistent/aura"])
        .env_clear()
        .env("PATH", "/nowhere")
        .output()
        .unwrap();
    let told: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
    let programs = told["checks"]
        .as_array()
        .unwrap()
        .iter()
        .find(|check| check["name"] == "programs");
    assert_ne!(programs.unwrap()["level"], "bad", "{told}");
}

/// Runs something as on a kernel that lacks some system calls, and says so in its way.
fn on_a_kernel_without<T: Send + 'static>(
    calls: &'static [i64],
    run: impl FnOnce() -> T + Send + 'static,
) -> T {
    // A filter holds for the thread that asks, and for the processes it starts.
    let thread = thread::spawn(move || {
        let rules = calls.iter().map(|call| (*call, vec![])).collect();
        let missing = SeccompAction::Errno(libc::ENOSYS.unsigned_abs());
        let arch = std::env::consts::ARCH.try_into().unwrap();
        let filter = SeccompFilter::new(rules, SeccompAction::Allow, missing, arch).unwrap();
        apply_filter(&BpfProgram::try_from(filter).unwrap()).unwrap();
        run()
    });
    thread.join().unwrap()
}

const LANDLOCK: &[i64] = &[libc::SYS_landlock_create_ruleset];
const SECCOMP: &[i64] = &[libc::SYS_seccomp];
const BOTH: &[i64] = &[libc::SYS_landlock_create_ruleset, libc::SYS_seccomp];

fn probe() -> Output {
    Command::new(env!("CARGO_BIN_EXE_aura"))
        .args(["worker", "probe", "--json"])
        .env_clear()
        .output()
        .unwrap()
}

#[test]
fn what_an_older_kernel_does_not_enforce_is_said_and_found_out() {
    let landlock = match kernels_landlock() {
        0 => LandlockLevel::No,
        abi => LandlockLevel::Fully { abi },
    };
    let nothing_of = |attempts: &[ProbeAttempt], report: &ProbeReport| {
        let surprises = report.surprises();
        assert!(
            attempts.iter().all(|attempt| surprises.contains(attempt)),
            "{report:?}"
        );
    };
    for (missing, level, not_denied) in [
        (
            LANDLOCK,
            SandboxLevel {
                landlock: LandlockLevel::No,
                seccomp: true,
            },
            &[ProbeAttempt::ReadOther, ProbeAttempt::ListOther][..],
        ),
        (
            SECCOMP,
            SandboxLevel {
                landlock,
                seccomp: false,
            },
            &[ProbeAttempt::Udp, ProbeAttempt::Unix],
        ),
        (
            BOTH,
            SandboxLevel::NONE,
            &[
                ProbeAttempt::ReadOther,
                ProbeAttempt::Write,
                ProbeAttempt::Tcp,
                ProbeAttempt::Fork,
                ProbeAttempt::Exec,
            ],
        ),
    ] {
        let done = on_a_kernel_without(missing, probe);
        let report: ProbeReport = serde_json::from_slice(&done.stdout).unwrap_or_else(|_| panic!("{done:?}"));
        assert_eq!((report.level, done.status.code()), (level, Some(1)));
        nothing_of(not_denied, &report);
    }
}

#[test]
fn a_program_whose_sandbox_is_required_does_not_start_in_part_of_it() {
    let done = on_a_kernel_without(LANDLOCK, || {
        Command::new(env!("CARGO_BIN_EXE_aura"))
            .args(["worker", "exec", "--require-sandbox", "--", "echo", "started"])
            .env_clear()
            .output()
            .unwrap()
    });
    let said = String::from_utf8(done.stderr).unwrap();
    assert_eq!((done.status.code(), done.stdout), (Some(3), vec![]), "{said}");
    assert!(
        said.starts_with("aura: SANDBOX-001: ") && said.contains("no Landlock, seccomp"),
        "{said}"
    );
}

/// What `aura doctor` finds of a sandbox: how bad, and what.
fn doctor(name: &str) -> (String, String) {
    let dir = tempfile::tempdir().unwrap();
    let (_, out, err) = aura(&["doctor", "--json", "--data", path(dir.path())], b"");
    let found: serde_json::Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out}{err}"));
    let checks = found["checks"].as_array().unwrap();
    let sandbox = checks.iter().find(|check| check["name"] == name).unwrap();
    let text = |key: &str| sandbox[key].as_str().unwrap().to_owned();
    (text("level"), text("what"))
}

#[test]
fn doctor_names_every_sandbox_differently() {
    let dir = tempfile::tempdir().unwrap();
    let (_, out, err) = aura(&["doctor", "--json", "--data", path(dir.path())], b"");
    let found: serde_json::Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out}{err}"));
    let checks = found["checks"].as_array().unwrap();
    for name in ["sandbox", "account sandbox", "programs"] {
        let many = checks.iter().filter(|check| check["name"] == name).count();
        assert_eq!(many, 1, "{name}: {out}");
    }
}

#[test]
fn doctor_is_content_with_a_whole_sandbox_and_warns_of_part_of_one() {
    let part = (
        "warn".to_owned(),
        "no Landlock, seccomp: a broken parser could do more than read its own folder; not as it must be: read another file, list another folder, read what another process is".to_owned(),
    );
    let here = match kernels_landlock() {
        0 => part.clone(),
        abi => (
            "ok".to_owned(),
            format!("Landlock ABI {abi} fully, seccomp; {OF_AN_AGENT} attempts came out as they must"),
        ),
    };
    assert_eq!(doctor("sandbox"), here);
    assert_eq!(on_a_kernel_without(LANDLOCK, || doctor("sandbox")), part);
    let (level, what) = doctor("programs");
    if kernels_landlock() >= 6 {
        assert_eq!(level, "ok", "{what}");
    }
    let (level, what) = on_a_kernel_without(LANDLOCK, || doctor("programs"));
    assert_eq!(level, "warn");
    assert!(
        what.starts_with("no Landlock, seccomp: a program of yours could do more than its manifest says; not as it must be: read another file"),
        "{what}"
    );
}

/// `aura run` on a folder of its own.
fn service(dir: &Path, flags: &[&str]) -> Command {
    let home = dir.join("home.toml");
    fs::write(&home, "zone = \"UTC\"\n").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_aura"));
    command
        .args(["run", "--port", "0", "--json", "--home"])
        .arg(home)
        .arg("--data")
        .arg(dir.join("data"))
        .args(flags)
        .env_clear()
        .env("AURA_KEY_FILE", dir.join("key-file"));
    command
}

/// What a started service says of its agents' sandbox, once all four run; then it is ended.
fn said_by(mut service: Child, data: &Path) -> serde_json::Value {
    let said = until("four running agents", || {
        let (_, out, _) = aura(&["status", "--json", "--data", path(data)], b"");
        let status: serde_json::Value = serde_json::from_str(&out).unwrap_or_default();
        let running = status["processes"].as_object()?;
        let all = running.len() == 4 && running.values().all(|one| one["pid"].is_u64());
        all.then(|| status["sandbox"].clone())
    });
    service.kill().unwrap();
    service.wait().unwrap();
    said
}

#[test]
fn a_service_says_what_holds_of_its_agents_and_starts_with_less_only_when_it_may() {
    let whole = match kernels_landlock() {
        0 => "no Landlock, seccomp".to_owned(),
        abi => format!("Landlock ABI {abi} fully, seccomp"),
    };
    let dir = tempfile::tempdir().unwrap();
    let started = service(dir.path(), &[])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    assert_eq!(said_by(started, &dir.path().join("data")), whole.as_str());
    if whole.ends_with("fully, seccomp") {
        let flags = &["--require-sandbox"];
        let started = service(dir.path(), flags)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        assert_eq!(said_by(started, &dir.path().join("data")), whole.as_str());
    }
    let mut part = service(dir.path(), &[]);
    let started = on_a_kernel_without(LANDLOCK, move || {
        part.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    });
    assert_eq!(said_by(started, &dir.path().join("data")), "no Landlock, seccomp");
    let mut required = service(dir.path(), &["--require-sandbox"]);
    let refused = on_a_kernel_without(LANDLOCK, move || required.output().unwrap());
    let said = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(
        (refused.status.code(), refused.stdout),
        (Some(3), vec![]),
        "{said}"
    );
    // It was asked for JSON.
    let told: serde_json::Value = serde_json::from_str(said.lines().last().unwrap()).unwrap();
    assert_eq!(told["error"]["code"], "SANDBOX-001", "{said}");
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}
