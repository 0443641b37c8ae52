//! A program that is started for each asking.
//!
//! What: [`ask`], one document in, one out, in the sandbox and within limits. Why: the simplest agent is a filter, in any language.
//! Not here: what the documents say (`host`), programs that go on (`persistent`).

use super::{LaunchContext, ProgramAgent, refusal, running::RunningProgram};
use std::{
    io::{Read as _, Write as _},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};
use toolcall_schema::{protocol::MAX_MESSAGE_BYTES, rejection::RefusalReason};

/// What a program answered.
pub(super) struct ProgramAnswer {
    /// All that it wrote to its standard output.
    pub(super) bytes: Vec<u8>,
    /// From its start to its end.
    pub(super) took: Duration,
}

/// It gave no answer.
pub(super) struct NoAnswer {
    pub(super) why: RefusalReason,
    /// What it had written, as far as it was read.
    pub(super) said: Vec<u8>,
}

impl From<RefusalReason> for NoAnswer {
    fn from(why: RefusalReason) -> Self {
        Self { why, said: vec![] }
    }
}

/// Gives it one document and waits for what it writes until it ends, at most `limit`.
///
/// # Errors
/// [`NoAnswer`]; nothing of the program runs any more then.
pub(super) fn ask(
    agent: &ProgramAgent,
    place: &LaunchContext<'_>,
    document: &[u8],
    limit: Duration,
) -> Result<ProgramAnswer, NoAnswer> {
    let begun = Instant::now();
    let running = RunningProgram::start(agent, place);
    let mut running = running.map_err(|error| refusal::not_started(&error))?;
    let (stdin, stdout) = (running.take_stdin(), running.child.take_stdout());
    let document = document.to_vec();
    // Both ends at once: a program that answers before it has read everything would wait for us as we wait for it. What it
    // does not read is not its fault; the threads end with the pipes.
    thread::spawn(move || stdin.map(|mut pipe| pipe.write_all(&document)));
    let (tell, told) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let most = MAX_MESSAGE_BYTES as u64 + 1;
        let read = stdout.map_or(Ok(0), |pipe| pipe.take(most).read_to_end(&mut bytes));
        // Nobody listens any more when the time is over.
        let _ = tell.send(read.map(|_| bytes));
    });
    let said = told.recv_timeout(limit).map_err(|_| refusal::late(limit))?;
    let bytes = said.map_err(|error| refusal::not_started(&error))?;
    let why = if bytes.len() > MAX_MESSAGE_BYTES {
        refusal::too_much()
    } else {
        match running.ended(begun + limit) {
            None => refusal::late(limit),
            Some(status) if !status.success() => refusal::ended(running.why(Some(status))),
            Some(_) if bytes.iter().all(u8::is_ascii_whitespace) => refusal::nothing(),
            Some(_) => {
                let took = begun.elapsed();
                return Ok(ProgramAnswer { bytes, took });
            }
        }
    };
    Err(NoAnswer { why, said: bytes })
}
