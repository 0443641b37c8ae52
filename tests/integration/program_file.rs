//! The built program's file.
//!
//! What: what the loader is told to do with it. Why: how functions are called is chosen by flags that could take that away (docs/adr/0201). Not here: what is
//! packed (`release`).

use std::fs;

/// A number of so many bytes at a place, the smallest byte first.
fn number(file: &[u8], at: u64, bytes: usize) -> u64 {
    let at = usize::try_from(at).unwrap();
    file[at..at + bytes]
        .iter()
        .rev()
        .fold(0, |n, byte| n << 8 | u64::from(*byte))
}

/// Kind, place in the file and size of each segment (`elf(5)`, 64 bits).
fn segments(file: &[u8]) -> Vec<(u64, u64, u64)> {
    let (table, each, count) = (number(file, 32, 8), number(file, 54, 2), number(file, 56, 2));
    (0..count)
        .map(|n| table + n * each)
        .map(|at| {
            (
                number(file, at, 4),
                number(file, at + 8, 8),
                number(file, at + 32, 8),
            )
        })
        .collect()
}

#[test]
fn program_lies_anywhere_and_is_bound_at_its_start_and_read_only_then() {
    const DYNAMIC: u64 = 2;
    const RELRO: u64 = 0x6474_e552;
    const FLAGS_1: u64 = 0x6fff_fffb;
    const NOW: u64 = 1;
    const PIE: u64 = 0x0800_0000;
    let file = fs::read(env!("CARGO_BIN_EXE_aura")).unwrap();
    let segments = segments(&file);
    assert!(segments.iter().any(|(kind, ..)| *kind == RELRO));
    let (_, at, size) = segments.iter().find(|(kind, ..)| *kind == DYNAMIC).unwrap();
    let mut entries = (*at..at + size).step_by(16);
    let flags = entries.find(|at| number(&file, *at, 8) == FLAGS_1).unwrap();
    let flags = number(&file, flags + 8, 8);
    assert_eq!(flags & (NOW | PIE), NOW | PIE, "{flags:x}");
}
