//! A fork whose child is a child of this process's own parent.
//!
//! What: [`fork_sibling`]. Why: the service waits for an agent's process, is told when somebody stops it, and has it end with itself, as it would
//! with one that it started. Not here: who asks for one and what the child does (the parent module).
//!
//! `unsafe`: no library of ours wraps this call, and the C library's own `fork` takes no flags.

use nix::{errno::Errno, libc};
use rustix::process::Pid;
use std::{io, ptr};

/// What [`fork_sibling`] asks of `clone`.
pub(crate) const FORK_FLAGS: i32 = libc::CLONE_PARENT | libc::CLONE_CHILD_SETTID | libc::SIGCHLD;

/// Forks; `None` in the child. May be called only while this process has one thread: the child has no other, and a lock that another one
/// held would stay locked.
///
/// # Errors
/// The system gives no process.
pub(crate) fn fork_sibling() -> io::Result<Option<Pid>> {
    let thread = own_thread_number();
    #[cfg(target_arch = "x86_64")]
    let (fourth, fifth) = (thread, ptr::null_mut::<libc::c_int>());
    #[cfg(not(target_arch = "x86_64"))]
    let (fourth, fifth) = (ptr::null_mut::<libc::c_int>(), thread);
    let none = ptr::null_mut::<libc::c_void>();
    #[expect(
        unsafe_code,
        reason = "the child goes on with a copy of this thread, its only one"
    )]
    // SAFETY: without `CLONE_VM` the child has copies of stack and memory, and this process has no other thread that could hold a lock. The
    // kernel writes the child's number where the C library keeps that of its thread, as its own `fork` asks of it.
    let child = unsafe {
        libc::syscall(
            libc::SYS_clone,
            libc::c_long::from(FORK_FLAGS),
            none,
            none,
            fourth,
            fifth,
        )
    };
    match i32::try_from(child) {
        Ok(0) => Ok(None),
        Ok(pid) if pid > 0 => Ok(Pid::from_raw(pid)),
        Ok(_) | Err(_) => Err(Errno::last().into()),
    }
}

/// Where the C library keeps the number of this thread, by which it ends itself in an abort. Null where it is kept elsewhere, or the kernel does
/// not say: then the kernel writes nothing, and an abort is told as a bad access.
fn own_thread_number() -> *mut libc::c_int {
    let mut place: *mut libc::c_int = ptr::null_mut();
    #[cfg(target_env = "gnu")]
    #[expect(unsafe_code, reason = "it asks the kernel for an address")]
    // SAFETY: the kernel writes one pointer, into `place`.
    unsafe {
        libc::prctl(libc::PR_GET_TID_ADDRESS, &raw mut place);
    }
    place
}
