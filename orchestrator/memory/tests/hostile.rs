//! A quarantine file is read whatever is in it.
//!
//! What: the reader as a fuzz target, which as a plain test replays its corpus (`__fuzz__`) and some random bytes; its memory.
//! Why: the file lies in the owner's folder, and a full disk, a kill or a hand may have left anything in it. Not here: what is
//! written (`quarantine.rs`).

use allocation_counter::measure;
use aura_memory::quarantine::{QuarantineKind, file_path, list, show};
use bolero::check;
use std::{fs, path::Path};
use tempfile::TempDir;

fn folder() -> TempDir {
    let dir = TempDir::new().unwrap();
    fs::create_dir(dir.path().join("errors")).unwrap();
    dir
}

/// How many lines there are; each is read twice.
fn read(dir: &Path) -> u64 {
    let mut count = 0;
    for line in list(dir, QuarantineKind::Calls).unwrap() {
        let (number, line) = line.unwrap();
        count += 1;
        assert_eq!(number, count);
        if count < 4 {
            assert_eq!(show(dir, QuarantineKind::Calls, number).unwrap(), Some(line));
        }
    }
    count
}

#[test]
fn a_quarantine_file_is_read_to_its_end() {
    let dir = folder();
    check!(name = "a_quarantine_file_is_read_to_its_end").for_each(|bytes: &[u8]| {
        fs::write(file_path(QuarantineKind::Calls, dir.path()), bytes).unwrap();
        let lines = bytes.split_inclusive(|byte| *byte == b'\n').count() as u64;
        assert_eq!(read(dir.path()), lines);
    });
}

#[test]
fn a_quarantine_file_of_64_kib_takes_less_than_10_mib() {
    let dir = folder();
    let size = 64 * 1024;
    let deep = br#"{"ts":"#.repeat(size / 6);
    for bytes in [
        vec![b'['; size],
        vec![b'\n'; size],
        vec![0xff; size],
        vec![0; size],
        deep,
        b"{}\n".repeat(size / 3),
    ] {
        fs::write(file_path(QuarantineKind::Calls, dir.path()), &bytes).unwrap();
        let cost = measure(|| assert!(read(dir.path()) > 0));
        assert!(cost.bytes_max <= 10 * 1024 * 1024, "{cost:?}");
    }
}
