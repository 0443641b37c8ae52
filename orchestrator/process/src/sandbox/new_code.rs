//! Memory that was written and becomes code.
//!
//! What: [`deny`] keeps it out of this process and not of its children; [`attempt`] tries it. Why: a bug that writes into the service's
//! memory must not be able to run what it wrote, while programs of the owner's that compile as they run (Node) still can. Not here: agents
//! and the model, whose filters of system calls refuse it (`filter`).
//!
//! `unsafe`: no library of ours wraps these calls, and a filter would hold for the children too.

use nix::libc;
use std::{io, ptr};

/// Refuses it from now on, for this process alone. A kernel before Linux 6.6 cannot, and says so: then nothing changes.
pub(super) fn deny() {
    let mask = libc::PR_MDWE_REFUSE_EXEC_GAIN | libc::PR_MDWE_NO_INHERIT;
    #[expect(
        unsafe_code,
        reason = "numbers only; it takes a right away and touches no memory"
    )]
    // SAFETY: the call reads its integer arguments and sets flags of this process.
    let done = unsafe { libc::prctl(libc::PR_SET_MDWE, libc::c_ulong::from(mask), 0_u64, 0_u64, 0_u64) };
    if done != 0 {
        tracing::warn!(error = %io::Error::last_os_error(), "this kernel cannot keep new code out of the service");
    }
}

/// Asks for a page that can be written and executed, and gives it back.
pub(super) fn attempt() -> io::Result<()> {
    const PAGE: usize = 4096;
    let rights = libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC;
    let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    #[expect(unsafe_code, reason = "a page of its own that nobody uses")]
    // SAFETY: the kernel chooses an address that is free; only that page is unmapped, and nothing points into it.
    unsafe {
        let page = libc::mmap(ptr::null_mut(), PAGE, rights, kind, -1, 0);
        if page == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        libc::munmap(page, PAGE);
    }
    Ok(())
}
