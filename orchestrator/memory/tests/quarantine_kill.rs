//! The quarantine in a process that is killed, and on a disk that is full.
//!
//! What: a child of eight threads that writes, seals and purges until SIGKILL, many times over one folder; a child that may
//! not write any further. Why: whatever happens, each line is whole and what was acknowledged is there. Not here: the rules
//! themselves (`quarantine.rs`).

use aura_memory::quarantine::{
    QuarantineEntry, QuarantineKind, QuarantineLimits, QuarantineLine, QuarantineWriter, list,
};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::{
    collections::BTreeSet,
    env,
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::mpsc,
};
use tempfile::TempDir;
use toolcall_schema::{Timestamp, rejection::RefusalReason};

const KILLED: &str = "AURA_TEST_QUARANTINE_KILLED";
const FULL: &str = "AURA_TEST_QUARANTINE_FULL";

/// Lines before this one are purged all the time.
const YOUNG_MS: i64 = 1000;

fn folder(name: &str) -> Option<PathBuf> {
    env::var_os(name).map(PathBuf::from)
}

/// What a refused call of so many bytes leaves; `id` is its text's beginning.
fn entry(ts_ms: i64, id: &str, bytes: usize) -> QuarantineEntry {
    let why = RefusalReason {
        code: "GATE-003".to_owned(),
        pointer: String::new(),
        message: "not JSON".to_owned(),
    };
    let raw = format!("{id};{}", "x".repeat(bytes));
    QuarantineEntry::new(Timestamp::from_ms(ts_ms), why, "cafe", raw.as_bytes())
}

fn id_of(entry: &QuarantineEntry) -> String {
    entry.raw.split(';').next().unwrap().to_owned()
}

/// Records and waits until it is on disk; tries again while too many wait.
fn record(quarantine: &QuarantineWriter, entry: QuarantineEntry) {
    quarantine.record(QuarantineKind::Calls, entry);
    let (tell, told) = mpsc::channel();
    while quarantine
        .flush(Box::new({
            let tell = tell.clone();
            move || tell.send(()).unwrap()
        }))
        .is_err()
    {
        std::thread::yield_now();
    }
    told.recv().unwrap();
}

fn child(test: &str, variable: &str, dir: &Path) -> Child {
    // A file that would grow past its limit raises SIGXFSZ, which ends a process that does not ignore it.
    Command::new("sh")
        .args(["-c", "trap '' XFSZ; exec \"$0\" --exact \"$1\" --nocapture"])
        .arg(env::current_exe().unwrap())
        .arg(test)
        .env(variable, dir)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// The child: eight threads write lines of very different lengths, old and young ones, a ninth purges the old ones. Does
/// nothing when it runs as a test of its own.
#[test]
fn child_writes_seals_and_purges_until_it_is_killed() {
    let Some(dir) = folder(KILLED) else { return };
    let limits = QuarantineLimits {
        part_bytes: 300_000,
        ..QuarantineLimits::DEFAULT
    };
    let quarantine = QuarantineWriter::open_with(&dir, limits).unwrap();
    let run = std::process::id();
    std::thread::scope(|scope| {
        for thread in 0..8_usize {
            let quarantine = &quarantine;
            scope.spawn(move || {
                for n in 0.. {
                    let id = format!("{run}-{thread}-{n}");
                    let ts = if (n + thread) % 3 == 0 { 1 } else { YOUNG_MS };
                    record(
                        quarantine,
                        entry(ts, &id, (n * 7919 + thread * 104_729) % 200_000),
                    );
                    if ts == YOUNG_MS {
                        println!("acked {id};");
                    }
                }
            });
        }
        scope.spawn(|| {
            loop {
                let (tell, told) = mpsc::channel();
                let before = Timestamp::from_ms(YOUNG_MS);
                let asked = quarantine.purge(
                    before,
                    false,
                    Box::new(move |done| tell.send(done.is_ok()).unwrap()),
                );
                assert!(asked.is_err() || told.recv().unwrap());
            }
        });
    });
}

#[test]
fn eight_threads_and_kill_nine_leave_whole_lines_and_all_that_was_acknowledged() {
    let dir = TempDir::new().unwrap();
    let mut acked = BTreeSet::new();
    let mut torn = 0;
    for round in 0..20_usize {
        let mut child = child(
            "quarantine_kill::child_writes_seals_and_purges_until_it_is_killed",
            KILLED,
            dir.path(),
        );
        let mut said = BufReader::new(child.stdout.take().unwrap())
            .lines()
            .map_while(Result::ok)
            .filter_map(|line| Some(line.split_once("acked ")?.1.strip_suffix(';')?.to_owned()));
        // At another moment each time: after 1 to 60 lines.
        acked.extend(said.by_ref().take(1 + round * 37 % 60));
        child.kill().unwrap();
        // What it still said before it died counts as well.
        acked.extend(said);
        child.wait().unwrap();

        let mut kept = BTreeSet::new();
        for line in list(dir.path(), QuarantineKind::Calls).unwrap() {
            match line.unwrap().1 {
                QuarantineLine::Entry(entry) => {
                    // Bytes and hash are those of what was refused: nothing of the line is missing.
                    assert!(entry.verbatim().is_some());
                    assert!(kept.insert(id_of(&entry)), "twice: {}", id_of(&entry));
                }
                QuarantineLine::Torn { .. } => torn += 1,
                other @ (QuarantineLine::Lost(_) | QuarantineLine::Unreadable { .. }) => {
                    panic!("round {round}: {other:?}")
                }
            }
        }
        let missing: Vec<_> = acked.difference(&kept).collect();
        assert!(
            missing.is_empty(),
            "round {round}: {missing:?} of {} acked",
            acked.len()
        );
    }
    assert!(acked.len() > 300, "{} acked, {torn} torn", acked.len());
    // The next start sets aside what is torn.
    drop(QuarantineWriter::open(dir.path()).unwrap());
    let whole = |line: QuarantineLine| matches!(line, QuarantineLine::Entry(_));
    assert!(
        list(dir.path(), QuarantineKind::Calls)
            .unwrap()
            .all(|line| whole(line.unwrap().1))
    );
}

/// The child: may write 100 KB a file, then as much as it likes.
#[test]
fn child_writes_to_a_full_disk() {
    let Some(dir) = folder(FULL) else { return };
    let unlimited = getrlimit(Resource::Fsize);
    let quarantine = QuarantineWriter::open(&dir).unwrap();
    setrlimit(
        Resource::Fsize,
        Rlimit {
            current: Some(100_000),
            ..unlimited
        },
    )
    .unwrap();
    for n in 0..20 {
        record(&quarantine, entry(n, &n.to_string(), 30_000));
    }
    let full = quarantine.health();
    setrlimit(Resource::Fsize, unlimited).unwrap();
    for n in 20..25 {
        record(&quarantine, entry(n, &n.to_string(), 30_000));
    }
    let free = quarantine.health();
    println!(
        "counted {} {} {} {} {} {}",
        full.written, full.failed, full.failing, free.written, free.failed, free.failing
    );
}

#[test]
fn full_disk_leaves_whole_lines_and_their_number_and_goes_on_when_there_is_room() {
    let dir = TempDir::new().unwrap();
    let mut child = child("quarantine_kill::child_writes_to_a_full_disk", FULL, dir.path());
    let counted: Vec<String> = BufReader::new(child.stdout.take().unwrap())
        .lines()
        .map_while(Result::ok)
        .filter_map(|line| Some(line.split_once("counted ")?.1.to_owned()))
        .collect();
    child.wait().unwrap();
    // Three lines of 30 KB are below 100 KB, the fourth is cut off: 17 of 20 are lost, and 5 follow.
    assert_eq!(counted, ["3 17 true 8 17 false"]);
    let mut ids = Vec::new();
    for line in list(dir.path(), QuarantineKind::Calls).unwrap() {
        match line.unwrap().1 {
            QuarantineLine::Entry(entry) => ids.push(id_of(&entry)),
            QuarantineLine::Lost(lost) => ids.push(format!("lost {}", lost.dropped)),
            other @ (QuarantineLine::Unreadable { .. } | QuarantineLine::Torn { .. }) => panic!("{other:?}"),
        }
    }
    // How many are lost is a short line of its own, for which there is room below 100 KB.
    let first: Vec<String> = ["0", "1", "2", "lost 1"].map(str::to_owned).to_vec();
    assert_eq!(ids[..4], first, "{ids:?}");
    let lost: u64 = ids
        .iter()
        .filter_map(|id| id.strip_prefix("lost ")?.parse::<u64>().ok())
        .sum();
    assert_eq!(lost, 17, "{ids:?}");
    assert_eq!(
        ids[ids.len() - 5..],
        ["20", "21", "22", "23", "24"].map(str::to_owned)
    );
}
