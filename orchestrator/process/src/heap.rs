//! Memory that was freed and that the allocator still holds.
//!
//! What: [`give_back_freed`]. Why: glibc keeps what threads freed for the next ones, some half a MiB for each that ended; a host of many owners has
//! more of these than of anything else. Not here: who holds memory.
//!
//! `unsafe`: no library of ours wraps this call.

/// Gives the kernel what was freed, for all threads; milliseconds. Does nothing with another C library than glibc.
pub fn give_back_freed() {
    #[cfg(target_env = "gnu")]
    #[expect(unsafe_code, reason = "it takes a number and touches freed memory alone")]
    // SAFETY: the allocator locks what it looks through, and gives back pages that nothing points into.
    unsafe {
        nix::libc::malloc_trim(0);
    }
}

#[cfg(all(test, target_env = "gnu"))]
mod tests {
    use super::*;
    use crate::resident_kib;
    use std::process;

    #[test]
    fn what_lies_freed_below_what_is_used_is_given_back() {
        let mut pieces: Vec<Box<[u8; 1000]>> = (0..60_000).map(|_| Box::new([1; 1000])).collect();
        // The allocator by itself gives back only what lies above everything that is used.
        let last = pieces.pop();
        drop(pieces);
        let before = resident_kib(process::id()).unwrap();
        give_back_freed();
        let after = resident_kib(process::id()).unwrap();
        assert!(before - after > 40_000, "{before} {after}");
        drop(last);
    }
}
