//! Stopping llama.cpp in the middle of an evaluation.
//!
//! What: [`CancellationToken`], which llama.cpp asks before each step of a graph, and the cast that tells it to. Why: one evaluation of a long
//! prompt takes seconds, and neither a deadline nor a newer question can wait for it. Not here: what is said then (`worker`).
//!
//! The safe crate has no way to set the callback, so the parameters that it wraps are written through a pointer. Its version is
//! pinned exactly, size and alignment are checked at build time, and a test reads through the same pointer what a safe setter wrote.

use llama_cpp_2::context::params::LlamaContextParams;
use llama_cpp_sys_2::llama_context_params;
use std::{
    ffi::c_void,
    sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst},
    time::{Duration, Instant},
};

/// No deadline; no question.
const NEVER: u64 = u64::MAX;

/// Why an evaluation was stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CancelReason {
    /// The service wants the process to end.
    Ended,
    /// A newer question came.
    Newer,
    /// Its time is over.
    Deadline,
}

/// What stops an evaluation. One thread evaluates, another says that it must stop.
#[derive(Debug)]
pub(super) struct CancellationToken {
    start: Instant,
    /// Microseconds from `start`.
    deadline_us: AtomicU64,
    /// The question that is worked on.
    working: AtomicU64,
    /// The newest one that came.
    newest: AtomicU64,
    ended: AtomicBool,
}

impl CancellationToken {
    pub(super) fn new() -> Self {
        Self {
            start: Instant::now(),
            deadline_us: AtomicU64::new(NEVER),
            working: AtomicU64::new(NEVER),
            newest: AtomicU64::new(0),
            ended: AtomicBool::new(false),
        }
    }

    /// A question came. Questions are numbered upwards, from 1.
    pub(super) fn came(&self, question: u64) {
        self.newest.store(question, SeqCst);
    }

    /// The service wants the process to end.
    pub(super) fn end(&self) {
        self.ended.store(true, SeqCst);
    }

    /// From now on this question is worked on, until then.
    pub(super) fn work_on(&self, question: u64, deadline: Instant) {
        let us = deadline.saturating_duration_since(self.start).as_micros();
        self.deadline_us.store(u64::try_from(us).unwrap_or(NEVER), SeqCst);
        self.working.store(question, SeqCst);
    }

    /// From now on something is worked on that only an end stops.
    pub(super) fn work_on_prefix(&self) {
        self.deadline_us.store(NEVER, SeqCst);
        self.working.store(NEVER, SeqCst);
    }

    /// Whether what is worked on must stop.
    pub(super) fn stopped(&self) -> Option<CancelReason> {
        let now_us = || u64::try_from(self.start.elapsed().as_micros()).unwrap_or(NEVER);
        if self.ended.load(SeqCst) {
            Some(CancelReason::Ended)
        } else if self.newest.load(SeqCst) > self.working.load(SeqCst) {
            Some(CancelReason::Newer)
        } else if now_us() >= self.deadline_us.load(SeqCst) {
            Some(CancelReason::Deadline)
        } else {
            None
        }
    }

    /// Parameters of a context that asks this brake.
    pub(super) fn attach(&'static self, mut params: LlamaContextParams) -> LlamaContextParams {
        let raw = raw_of(&mut params);
        // SAFETY: `raw` points to the one field of `params`, see `raw_of`. The brake lives as long as the process, and all that is
        // done through the pointer is reading atomics.
        unsafe {
            (*raw).abort_callback = Some(must_stop);
            (*raw).abort_callback_data = std::ptr::from_ref(self).cast_mut().cast();
        }
        params
    }
}

const _: () = assert!(
    size_of::<LlamaContextParams>() == size_of::<llama_context_params>()
        && align_of::<LlamaContextParams>() == align_of::<llama_context_params>(),
    "llama-cpp-2 wraps something else than llama_context_params"
);

/// The wrapped parameters: a struct whose only field is as large as itself begins where the field begins.
fn raw_of(params: &mut LlamaContextParams) -> *mut llama_context_params {
    std::ptr::from_mut(params).cast()
}

/// Asked by llama.cpp between the steps of a graph.
unsafe extern "C" fn must_stop(brake: *mut c_void) -> bool {
    // SAFETY: `attach` is the only one that names this function, and it names a brake that lives for ever beside it.
    let brake = unsafe { &*brake.cast::<CancellationToken>() };
    brake.stopped().is_some()
}

/// A deadline so many milliseconds after a moment.
pub(super) fn after(moment: Instant, ms: u32) -> Instant {
    moment + Duration::from_millis(u64::from(ms))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::num::NonZeroU32;

    #[test]
    fn what_a_safe_setter_wrote_is_read_through_the_cast_and_the_other_way_round() {
        let brake: &'static CancellationToken = Box::leak(Box::new(CancellationToken::new()));
        let mut params = LlamaContextParams::default()
            .with_n_ctx(NonZeroU32::new(777))
            .with_n_threads(3);
        let raw = raw_of(&mut params);
        // SAFETY: as in `attach`.
        unsafe {
            assert_eq!(((*raw).n_ctx, (*raw).n_threads), (777, 3));
            assert!((*raw).abort_callback.is_none());
            (*raw).n_batch = 55;
        }
        assert_eq!(params.n_batch(), 55);
        let mut params = brake.attach(params);
        let raw = raw_of(&mut params);
        // SAFETY: as in `attach`.
        unsafe {
            let (asked, data) = ((*raw).abort_callback.unwrap(), (*raw).abort_callback_data);
            assert!(!asked(data));
            brake.end();
            assert!(asked(data));
        }
    }

    #[test]
    fn a_question_is_stopped_by_an_end_a_newer_one_or_its_deadline_and_a_prefix_by_an_end_alone() {
        let brake = CancellationToken::new();
        let (past, later) = (brake.start, after(Instant::now(), 60_000));
        brake.came(1);
        brake.work_on(1, later);
        assert_eq!(brake.stopped(), None);
        brake.work_on(1, past);
        assert_eq!(brake.stopped(), Some(CancelReason::Deadline));
        brake.came(2);
        assert_eq!(brake.stopped(), Some(CancelReason::Newer));
        brake.work_on(2, later);
        assert_eq!(brake.stopped(), None);
        brake.work_on_prefix();
        brake.came(3);
        assert_eq!(brake.stopped(), None);
        brake.end();
        assert_eq!(brake.stopped(), Some(CancelReason::Ended));
    }
}
