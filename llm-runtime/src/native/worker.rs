//! Two threads and a queue: one reads frames, one works on them.
//!
//! What: [`run`]. Why: a ping is answered and a newer question stops the older while llama.cpp is busy. Not here: what is done with
//! a question (`engine`), starting (the parent module).

use super::{
    NativeError,
    cancellation::CancellationToken,
    engine::{EngineError, EngineRequest, InferenceEngine},
};
use crate::wire::{self, FromModel, PromptPiece, RefusalCode, ToModel};
use crossbeam_channel::{Receiver, Sender, bounded};
use std::{
    io::{self, Write as _},
    net::Shutdown,
    os::unix::net::UnixStream,
    sync::{Mutex, PoisonError},
    thread,
    time::Instant,
};

/// Frames that wait. The reader waits when there are more: each question stops those before it, so the queue empties at once.
const QUEUE: usize = 8;

/// What the reader hands over.
enum WorkItem {
    Prefix {
        n: u64,
        pieces: Vec<PromptPiece>,
    },
    Ask {
        n: u64,
        pieces: Vec<PromptPiece>,
        grammar: Option<String>,
        max_tokens: u16,
        budget_ms: u32,
        came: Instant,
        number: u64,
    },
}

/// The service, to which both threads write.
pub(super) struct ServiceConnection<'a> {
    stream: &'a UnixStream,
    /// One frame after the other.
    writing: Mutex<()>,
}

impl<'a> ServiceConnection<'a> {
    pub(super) fn new(stream: &'a UnixStream) -> Self {
        Self {
            stream,
            writing: Mutex::new(()),
        }
    }

    pub(super) fn send(&self, frame: &FromModel) -> Result<(), NativeError> {
        let bytes = frame.encode()?;
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut stream = self.stream;
        stream.write_all(&bytes)?;
        Ok(())
    }
}

/// Ends the conversation when the model's thread is done, or panics: the reader wakes, and the service sees it.
struct HangupGuard<'a>(&'a UnixStream);

impl Drop for HangupGuard<'_> {
    fn drop(&mut self) {
        let _ = self.0.shutdown(Shutdown::Both);
    }
}

/// Answers frames until the service says stop or closes the stream.
pub(super) fn run(
    mut engine: InferenceEngine<'_>,
    brake: &CancellationToken,
    service: &ServiceConnection<'_>,
) -> Result<(), NativeError> {
    let (to_work, work) = bounded(QUEUE);
    thread::scope(|scope| {
        let reader = scope.spawn(move || {
            let outcome = read(service, brake, &to_work);
            // Whatever it was, nobody waits for an answer any more.
            brake.end();
            outcome
        });
        let hangup = HangupGuard(service.stream);
        let worked = work_off(&mut engine, &work, service);
        drop(hangup);
        // Lets go of the queue, should the reader wait for a place in it.
        drop(work);
        let read = reader
            .join()
            .unwrap_or_else(|_| Err(io::Error::other("its reader panicked").into()));
        worked.and(read)
    })
}

/// The reader's thread.
fn read(
    service: &ServiceConnection<'_>,
    brake: &CancellationToken,
    work: &Sender<WorkItem>,
) -> Result<(), NativeError> {
    let mut stream = service.stream;
    let mut decoder = wire::decoder();
    let mut number = 0;
    while let Some(frame) = decoder.read_frame::<_, NativeError>(&mut stream, ToModel::decode)? {
        let item = match frame {
            ToModel::Stop => return Ok(()),
            ToModel::Ping { n } => {
                service.send(&FromModel::Pong { n })?;
                continue;
            }
            ToModel::Prefix { n, pieces } => WorkItem::Prefix { n, pieces },
            ToModel::Ask {
                n,
                pieces,
                grammar,
                max_tokens,
                budget_ms,
            } => {
                number += 1;
                brake.came(number);
                WorkItem::Ask {
                    n,
                    pieces,
                    grammar,
                    max_tokens,
                    budget_ms,
                    came: Instant::now(),
                    number,
                }
            }
        };
        if work.send(item).is_err() {
            break;
        }
    }
    Ok(())
}

/// The model's thread: one thing at a time, in the order in which they came.
fn work_off(
    engine: &mut InferenceEngine<'_>,
    work: &Receiver<WorkItem>,
    service: &ServiceConnection<'_>,
) -> Result<(), NativeError> {
    for item in work {
        let (n, done) = match &item {
            WorkItem::Prefix { n, pieces } => (*n, engine.set_prefix(*n, pieces)),
            WorkItem::Ask {
                n,
                pieces,
                grammar,
                max_tokens,
                budget_ms,
                came,
                number,
            } => {
                let question = EngineRequest {
                    n: *n,
                    pieces,
                    grammar: grammar.as_deref(),
                    max_tokens: *max_tokens,
                    budget_ms: *budget_ms,
                    came: *came,
                    number: *number,
                };
                (*n, engine.ask(&question))
            }
        };
        let frame = match done {
            Ok(frame) => frame,
            Err(EngineError::Ended) => return Ok(()),
            Err(EngineError::Refused(code, why)) => FromModel::Refused { n, code, why },
        };
        match service.send(&frame) {
            // An answer that fits no frame: no honest model writes it.
            Err(NativeError::Wire(_)) => {
                let why = "the answer is too long for a frame".to_owned();
                let code = RefusalCode::NotText;
                service.send(&FromModel::Refused { n, code, why })?;
            }
            sent => sent?,
        }
    }
    Ok(())
}
