//! What fails, worked out by hand, and a process that meets it.

use super::*;

#[test]
fn a_pattern_of_calls_fails_over_and_over_on_the_files_that_are_meant() {
    let fates = |files, databases: &[bool]| {
        let fault = DiskFaultPlan {
            files,
            calls: FaultyCalls::All,
            error: DiskError::Io,
            pass: 1,
            fail: 2,
            for_ms: 1,
            at_start: false,
        };
        let mut seen = 0;
        let fate = |database: &bool| match fault.fate(*database, &mut seen) {
            CallFate::Passes => '.',
            CallFate::Fails { first: true } => 'X',
            CallFate::Fails { first: false } => 'x',
        };
        databases.iter().map(fate).collect::<String>()
    };
    assert_eq!(
        fates(FaultyFiles::All, &[true, false, true, false, true]),
        ".Xx.X"
    );
    assert_eq!(
        fates(FaultyFiles::Database, &[true, false, true, false, true]),
        "..X.x"
    );
    assert_eq!(
        fates(FaultyFiles::Own, &[true, false, true, false, false]),
        "x.xXx"
    );
}

#[test]
fn databases_are_told_from_our_own_files_by_name() {
    for (name, expected) in [
        ("aura.db", true),
        ("aura.db-wal", true),
        ("workflows.db-journal", true),
        ("traces/raw/tr_1.json", false),
        ("outbox/reply.eml", false),
    ] {
        assert_eq!(is_database(Path::new(name)), expected, "{name}");
    }
}

#[test]
#[cfg(target_arch = "x86_64")]
fn a_process_finds_the_disk_as_the_fault_says() {
    let dir = tempfile::tempdir().unwrap();
    let mut child = std::process::Command::new("/bin/sh")
        .args(["-c", "read line; echo x > new"])
        .current_dir(dir.path())
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let fault = DiskFaultPlan {
        files: FaultyFiles::Own,
        calls: FaultyCalls::Write,
        error: DiskError::NoSpace,
        pass: 1,
        fail: 1,
        for_ms: 10_000,
        at_start: false,
    };
    let pid = rustix::process::Pid::from_raw(child.id().cast_signed()).unwrap();
    let disk = FailingDisk::begin(pid, fault, dir.path(), Instant::now() + Duration::from_secs(10));
    let mut to = child.stdin.take().unwrap();
    // The file is made, its two bytes find room for one, and the second is written again.
    std::io::Write::write_all(&mut to, b"1\n").unwrap();
    drop(to);
    let file = dir.path().join("new");
    while fs::read_to_string(&file).unwrap_or_default().len() < 2 {
        thread::yield_now();
    }
    let failed = disk.end().unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(failed, FailedCalls::from([("write new".to_owned(), 1)]));
    assert_eq!(fs::read_to_string(file).unwrap(), "x\n");
}
