//! The program that runs the model.
//!
//! What: `aura-llm --model FILE [--state DIR] [--context N] [--sandbox TEXT]`, frames over the socket on its standard input. Why: a
//! program of its own, so that nothing else of Aura contains llama.cpp. Not here: limits and sandbox: `aura worker llm` sets them and
//! becomes this program; started by hand it has neither.

use llm_runtime::native::{WorkerConfig, serve};
use rustix::process::{DumpableBehavior, set_dumpable_behavior};
use std::{
    env,
    ffi::OsString,
    io::{self, Write as _},
    os::{
        fd::{AsFd as _, OwnedFd},
        unix::net::UnixStream,
    },
    process::ExitCode,
};

/// Done, as it was told to.
const OK: u8 = 0;
/// The model cannot be used, or a frame is none.
const BAD: u8 = 1;
/// Started by somebody else.
const USAGE: u8 = 2;

fn main() -> ExitCode {
    // What it is asked is the owner's business: no other program of the same user looks into it. A kernel that knows no such thing is no
    // reason not to answer.
    let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
    ExitCode::from(match config(env::args_os().skip(1)) {
        None => say(
            USAGE,
            "usage: aura-llm --model FILE [--state DIR] [--context N] [--sandbox TEXT], started by the service",
        ),
        Some(config) => match service() {
            Err(_) => say(
                USAGE,
                "aura-llm speaks over the socket on its standard input: use `aura run`",
            ),
            Ok(stream) => match serve(&config, &stream) {
                Ok(()) => OK,
                Err(error) => say(BAD, &error.to_string()),
            },
        },
    })
}

fn say(code: u8, text: &str) -> u8 {
    // Nobody is left to be told when this fails.
    let _ = writeln!(io::stderr(), "{text}");
    code
}

fn config(mut args: impl Iterator<Item = OsString>) -> Option<WorkerConfig> {
    let mut config = WorkerConfig {
        model: OsString::new().into(),
        state: None,
        context: 1024,
        sandbox: "none".to_owned(),
    };
    while let Some(flag) = args.next() {
        let value = args.next()?;
        match flag.to_str()? {
            "--model" => config.model = value.into(),
            "--state" => config.state = Some(value.into()),
            "--context" => config.context = value.to_str()?.parse().ok()?,
            "--sandbox" => value.to_str()?.clone_into(&mut config.sandbox),
            _ => return None,
        }
    }
    (!config.model.as_os_str().is_empty()).then_some(config)
}

/// The socket on the standard input.
fn service() -> io::Result<UnixStream> {
    let fd: OwnedFd = io::stdin().as_fd().try_clone_to_owned()?;
    let stream = UnixStream::from(fd);
    // What is no connected socket has no peer.
    stream.peer_addr()?;
    Ok(stream)
}
