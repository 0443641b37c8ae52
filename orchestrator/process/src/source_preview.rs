//! Looking into a source that the owner has not allowed yet, in a process of its own.
//!
//! What: [`preview_in_child`], which starts one, gives it one file or folder and waits for its one answer; [`serve_preview`], its own side. Why:
//! what comes from outside is parsed where it can reach nothing but itself, and what was seen goes with the process. Not here: what is counted
//! (`agents::source_preview`), where sources are looked for (the runtime).

use super::{
    ChildProcess, ProcessLimits, WorkerProgram,
    blocking_frames::{BlockingFrames, UntilDeadline},
    sandbox::{self, SandboxProfile},
    worker::{WorkerError, more_cpu},
};
use agents::{
    contract::AgentSetup,
    source_preview::{SourcePreview, preview_source},
};
use serde::{Deserialize, Serialize};
use std::{
    io::{self, Read, Write},
    os::unix::net::UnixStream,
    time::{Duration, Instant},
};
use toolcall_schema::{
    AgentName, Timestamp,
    preview::StatementColumns,
    wire::{FrameDecoder, MAX_FRAME_BYTES, VERSION, WireError, decode_frame, encode_frame},
};

/// What such a process may use: an mbox is looked at in pieces, a statement is read as its agent reads it.
pub const PREVIEW_LIMITS: ProcessLimits = ProcessLimits {
    memory_mib: 768,
    cpu_s: 8,
};

/// How long a look may take.
pub const PREVIEW_WITHIN: Duration = Duration::from_secs(12);

/// After so long the process answers with what it has seen: before it is ended for its time on the processor.
const PREVIEW_ANSWERS_AFTER: Duration = Duration::from_secs(5);

/// A look that came to nothing.
#[derive(Debug, thiserror::Error)]
pub enum PreviewError {
    /// The process could not be started, or spoken to.
    #[error("the look could not be taken")]
    Process(#[from] io::Error),
    /// It wrote something that is no frame.
    #[error(transparent)]
    Wire(#[from] WireError),
    /// It ended without an answer: the file ended it, or it took too much.
    #[error("the look ended without an answer")]
    Ended,
}

/// The one frame to the process.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PreviewRequest {
    v: u32,
    agent: AgentName,
    setup: AgentSetup,
    at: Timestamp,
    /// What the owner chose of an export.
    columns: Option<StatementColumns>,
}

/// The one frame from it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PreviewAnswer {
    v: u32,
    /// What is enforced on it, in words.
    sandbox: String,
    preview: Option<SourcePreview>,
}

/// Has a process of its own look at the sources that `setup` names, as of `at`; `columns`: what the owner chose of an export. Blocks for [`PREVIEW_WITHIN`] at most, on a thread that must live as
/// long: the kernel ends the process with it.
///
/// # Errors
/// [`PreviewError`]
pub fn preview_in_child(
    program: &WorkerProgram,
    agent: AgentName,
    setup: &AgentSetup,
    at: Timestamp,
    columns: Option<StatementColumns>,
) -> Result<Option<SourcePreview>, PreviewError> {
    let until = Instant::now() + PREVIEW_WITHIN;
    // What it would say may be of the file: nobody is told.
    let (mut command, ours) = program.command(&["preview"])?;
    let mut process = ChildProcess::spawn(&mut command)?;
    drop(command);
    let answer = ask(
        ours,
        until,
        &PreviewRequest {
            v: VERSION,
            agent,
            setup: setup.clone(),
            at,
            columns,
        },
    );
    let _ = process.end();
    let answer = answer?;
    tracing::debug!(
        sandbox = answer.sandbox,
        "a source was looked at before it is allowed"
    );
    Ok(answer.preview)
}

fn ask(ours: UnixStream, until: Instant, request: &PreviewRequest) -> Result<PreviewAnswer, PreviewError> {
    ours.set_write_timeout(Some(PREVIEW_WITHIN))?;
    let stream = UntilDeadline { stream: ours, until };
    let mut frames = BlockingFrames::new(stream, FrameDecoder::default());
    frames.send(&encode_frame(request, MAX_FRAME_BYTES)?)?;
    let answer = frames.next_frame::<_, PreviewError>(|body| {
        decode_frame(body, MAX_FRAME_BYTES, |answer: &PreviewAnswer| {
            u64::from(answer.v)
        })
    });
    answer?.ok_or(PreviewError::Ended)
}

/// Looks at the sources that its one frame names, from within the agents' sandbox, and answers.
///
/// # Errors
/// [`WorkerError`]: it ends without an answer.
pub fn serve_preview(limits: ProcessLimits, stream: impl Read + Write) -> Result<(), WorkerError> {
    let mut frames = BlockingFrames::new(stream, FrameDecoder::default());
    let request = frames.next_frame::<_, WorkerError>(|body| {
        decode_frame(body, MAX_FRAME_BYTES, |request: &PreviewRequest| {
            u64::from(request.v)
        })
    })?;
    let Some(PreviewRequest {
        v: _,
        agent,
        setup,
        at,
        columns,
    }) = request
    else {
        return Ok(());
    };
    // Before anything from outside is read. From here on only that one source can be opened.
    let read_only = setup.sources.paths().cloned().collect();
    let sandbox = sandbox::enter(&SandboxProfile::Agent { read_only })?.to_string();
    more_cpu(limits)?;
    let begun = Instant::now();
    let is_over = || begun.elapsed() > PREVIEW_ANSWERS_AFTER;
    let preview = preview_source(agent, setup, at, columns.as_ref(), &is_over);
    let answer = PreviewAnswer {
        v: VERSION,
        sandbox,
        preview,
    };
    frames.send(&encode_frame(&answer, MAX_FRAME_BYTES)?)?;
    Ok(())
}
