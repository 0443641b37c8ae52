//! How a process that has a database open ends.
//!
//! What: [`initialize`] starts `SQLite` and registers what ends the process. Why: at exit SQLCipher frees its provider, its mutexes and
//! its heap, even while another thread still seals a page (SIGSEGV after everything was safe). The kernel takes all of it back anyway, and
//! what was acknowledged is on the disk. Not here: what a process does before it ends.

use std::sync::Once;

static STARTED: Once = Once::new();

/// Starts `SQLite`, once. From then on an exit ends the process before SQLCipher's own handler runs.
pub(crate) fn initialize() {
    STARTED.call_once(|| {
        // OpenSSL would register a handler of its own at its first use, after ours and so before it.
        openssl_sys::init();
        #[expect(
            unsafe_code,
            reason = "SQLCipher registers its handler here, and ours has to come later"
        )]
        // SAFETY: the call takes nothing, may be made from any thread, and opening a database makes it anyway.
        let started = unsafe { rusqlite::ffi::sqlite3_initialize() };
        // Opening the first database says what failed.
        if started == rusqlite::ffi::SQLITE_OK {
            exit::end_before_sqlcipher();
        }
    });
}

#[cfg(target_env = "gnu")]
mod exit {
    use std::{
        ffi::{c_int, c_void},
        ptr,
    };

    #[expect(
        unsafe_code,
        reason = "no library of ours registers a handler that is told the exit code"
    )]
    // SAFETY: glibc's signatures. The handler is a function of this program, which is never unloaded, and reads no argument.
    unsafe extern "C" {
        safe fn on_exit(handler: extern "C" fn(c_int, *mut c_void), argument: *mut c_void) -> c_int;
        safe fn _exit(code: c_int) -> !;
    }

    /// Registers [`end`]: handlers run in the reverse order of their registration, so SQLCipher's is not reached.
    pub(super) fn end_before_sqlcipher() {
        if on_exit(end, ptr::null_mut()) != 0 {
            tracing::warn!(
                "no room for an exit handler: an exit during a write may end by SIGSEGV, with nothing lost"
            );
        }
    }

    /// Ends the process with the code it was to end with. Rust has written out its standard output before handlers run.
    extern "C" fn end(code: c_int, _: *mut c_void) {
        _exit(code)
    }
}

#[cfg(not(target_env = "gnu"))]
mod exit {
    /// Nothing: only glibc tells a handler the exit code. SQLCipher's handler runs.
    pub(super) fn end_before_sqlcipher() {}
}
