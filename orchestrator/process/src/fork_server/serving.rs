//! The process that agents' processes are forked from: its own side.
//!
//! What: [`serve_forks`], which forks one for each request and comes back in the child. Why: a child has what was written into memory before, and
//! nothing of an owner's, because nothing of anybody's ever comes here. Not here: who asks (the parent module), what the child does then
//! (`worker`).

use super::{ForkRequest, REQUEST_MAX, process_name, sibling::fork_sibling};
use crate::{
    ProcessLimits,
    descriptors::{Stdio, receive_stdio},
    sandbox::{self, SandboxProfile},
    worker::{WorkerError, limit},
};
use nix::unistd::{dup2_stderr, dup2_stdin, dup2_stdout};
use rustix::{
    io::Errno,
    net::{SendFlags, send},
    process::setpgid,
    thread::set_name,
};
use std::{ffi::CString, io, os::fd::AsFd as _};
use toolcall_schema::AgentName;

/// What the child is to be.
pub struct ForkedAgent {
    pub agent: AgentName,
    pub limits: ProcessLimits,
}

/// Forks an agent's process for each request on the standard input, which only somebody who started this process can send. `Some` in the
/// child, whose standard input, output and error are those that came with the request; `None` when nobody can ask any more.
///
/// # Errors
/// [`WorkerError`]: the process ends.
pub fn serve_forks() -> Result<Option<ForkedAgent>, WorkerError> {
    take_name(None)?;
    // Before anything is read.
    sandbox::enter(&SandboxProfile::ForkServer)?;
    let stdin = io::stdin();
    loop {
        let mut room = [0; REQUEST_MAX];
        let Some((message, stdio)) = receive_stdio(stdin.as_fd(), &mut room)? else {
            return Ok(None);
        };
        let request: ForkRequest = serde_json::from_slice(message).map_err(WorkerError::Setup)?;
        let answer = match fork_sibling() {
            Ok(None) => return become_agent(&request, stdio).map(Some),
            Ok(Some(pid)) => pid.as_raw_nonzero().get(),
            Err(error) => -error.raw_os_error().unwrap_or(Errno::AGAIN.raw_os_error()),
        };
        // The child alone has them now, before anybody can ask it anything.
        drop(stdio);
        let sent = send(stdin.as_fd(), &answer.to_ne_bytes(), SendFlags::NOSIGNAL);
        sent.map_err(io::Error::from)?;
    }
}

/// The child's first lines: nothing of its parent's is left to it but memory.
fn become_agent(request: &ForkRequest, stdio: Stdio) -> Result<ForkedAgent, WorkerError> {
    // Who asked does the same, whoever comes first.
    setpgid(None, None).map_err(limit("its process group"))?;
    let [input, output, error] = stdio;
    let moved = dup2_stdin(&input)
        .and_then(|()| dup2_stdout(&output))
        .and_then(|()| dup2_stderr(&error));
    moved.map_err(|errno| WorkerError::Socket(errno.into()))?;
    take_name(Some(request.agent))?;
    Ok(ForkedAgent {
        agent: request.agent,
        limits: ProcessLimits {
            memory_mib: request.memory_mib,
            cpu_s: request.cpu_s,
        },
    })
}

/// The command line that the kernel tells is the same for all.
fn take_name(of: Option<AgentName>) -> Result<(), WorkerError> {
    let name = CString::new(process_name(of)).unwrap_or_default();
    set_name(&name).map_err(limit("its name"))
}
