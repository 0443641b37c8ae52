//! The program's files, as far as they are mapped.
//!
//! What: [`unmap_program`]. Why: a start runs through four times as much of the program as a service at rest, and what was mapped once counts as memory
//! of the process until somebody takes it away. Not here: memory that was freed (`heap`).
//!
//! `unsafe`: no library of ours wraps this call.

use rustix::mm::{Advice, madvise};
use std::{fs, io, ops::Range, ptr};

/// Takes the pages of the program and of its libraries out of this process that are as the files have them. What runs next is mapped again, from the
/// kernel's memory of the file: some hundred faults, half a millisecond.
///
/// # Errors
/// The kernel tells nothing of this process, or takes a mapping for another than it told of.
pub fn unmap_program() -> io::Result<()> {
    for mapping in unwritten(&fs::read_to_string("/proc/self/smaps")?) {
        let start = ptr::with_exposed_provenance_mut(mapping.start);
        #[expect(unsafe_code, reason = "it names memory by its address")]
        // SAFETY: it is of a file, cannot be written, and no page of it is a copy: whoever reads it next reads the same bytes of the file.
        unsafe {
            madvise(start, mapping.len(), Advice::LinuxDontNeed)?;
        }
    }
    Ok(())
}

/// The private mappings of files that cannot be written and hold nothing but the file: what the loader wrote into one is kept nowhere else.
fn unwritten(smaps: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut of_file = None;
    for line in smaps.lines() {
        let mut fields = line.split_ascii_whitespace();
        let (Some(first), second) = (fields.next(), fields.next()) else {
            continue;
        };
        if first == "Anonymous:" && second == Some("0") {
            found.extend(of_file.take());
        } else if !first.ends_with(':') {
            let is_fixed = second.is_some_and(|rights| {
                rights.starts_with('r') && rights.ends_with('p') && !rights.contains('w')
            });
            let is_file = fields.nth(3).is_some_and(|path| path.starts_with('/'));
            of_file = addresses(first).filter(|_| is_fixed && is_file);
        }
    }
    found
}

fn addresses(text: &str) -> Option<Range<usize>> {
    let (start, end) = text.split_once('-')?;
    Some(usize::from_str_radix(start, 16).ok()?..usize::from_str_radix(end, 16).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_file_has_is_taken_away() {
        let smaps = "\
1000-3000 r--p 00000000 fe:00 7 /usr/bin/aura
Rss:                   8 kB
Anonymous:             0 kB
3000-5000 r-xp 00002000 fe:00 7 /usr/bin/aura with a blank
Anonymous:             0 kB
VmFlags: rd ex mr mw me
5000-6000 r--p 00004000 fe:00 7 /usr/bin/aura
Anonymous:             4 kB
6000-7000 rw-p 00005000 fe:00 7 /usr/bin/aura
Anonymous:             0 kB
7000-8000 rw-p 00000000 00:00 0 [heap]
Anonymous:             0 kB
8000-9000 r--s 00000000 fe:00 9 /home/me/a shared file
Anonymous:             0 kB
9000-a000 r-xp 00000000 00:00 0 [vdso]
Anonymous:             0 kB
a000-b000 r--p 00000000 00:00 0
Anonymous:             0 kB
";
        assert_eq!(unwritten(smaps), [0x1000..0x3000, 0x3000..0x5000]);
    }

    /// KiB of files that are mapped (proc(5)).
    fn file_kib() -> u64 {
        let status = fs::read_to_string("/proc/self/status").unwrap();
        let rest = status.split_once("RssFile:").unwrap().1;
        rest.split_ascii_whitespace().next().unwrap().parse().unwrap()
    }

    #[test]
    fn program_goes_on_with_less_of_itself() {
        let words = ["as", "before"].map(str::to_owned);
        let before = file_kib();
        unmap_program().unwrap();
        let after = file_kib();
        assert!(after < before, "{before} {after}");
        assert_eq!(words.join(" "), "as before");
    }
}
