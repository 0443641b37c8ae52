//! From the process's start to its exit code.
//!
//! What: [`start`]. Why: one place turns errors and panics into exit codes and sends logs to the standard error. Not here:
//! the commands.

use super::{Cli, exit::Exit, out};
use clap::Parser as _;
use rustix::process::{DumpableBehavior, Resource, Rlimit, getrlimit, set_dumpable_behavior, setrlimit};
use std::{
    io::{IsTerminal as _, Write as _},
    panic::{AssertUnwindSafe, PanicHookInfo},
    process::ExitCode,
};
use surfaces::visible::visible;
use tracing_subscriber::EnvFilter;

/// Reads the command line and does what it says.
pub fn start() -> ExitCode {
    // clap writes help, version and usage errors itself and ends with 0 or 2.
    let cli = Cli::parse();
    let filter = EnvFilter::try_from_env("AURA_LOG").unwrap_or_else(|_| EnvFilter::new(cli.log_level()));
    let logs = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr);
    let format = std::env::var("AURA_LOG_FORMAT").unwrap_or_default();
    if format == "json" {
        logs.json().with_span_list(false).init();
    } else {
        logs.with_ansi(std::io::stderr().is_terminal()).init();
        if !matches!(format.as_str(), "" | "text") {
            tracing::warn!("AURA_LOG_FORMAT is neither json nor text: logs are text");
        }
    }
    if let Err(error) = no_core_dumps() {
        tracing::warn!(%error, "a crash may leave a copy of this process's memory, with the folder's key in it");
    }
    std::panic::set_hook(Box::new(tell_panic));
    let done = std::panic::catch_unwind(AssertUnwindSafe(|| cli.run(&mut out::Out::stdout())));
    match done {
        Ok(Ok(exit)) => exit.into(),
        Ok(Err(error)) => {
            if error.exit() != Exit::Ok {
                tell(&format!("aura: {}", error.with_causes()));
            }
            error.exit().into()
        }
        Err(_) => Exit::Bug.into(),
    }
}

/// What a crash leaves behind must not hold a key: neither a file nor what a handler of the system's would be given.
fn no_core_dumps() -> std::io::Result<()> {
    let limit = getrlimit(Resource::Core);
    setrlimit(
        Resource::Core,
        Rlimit {
            current: Some(0),
            maximum: limit.maximum,
        },
    )?;
    set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    Ok(())
}

/// Where it happened, never the message: a panic's message may quote text from outside.
fn tell_panic(info: &PanicHookInfo<'_>) {
    let place = info
        .location()
        .map_or_else(String::new, |at| format!("{}:{}", at.file(), at.line()));
    let thread = std::thread::current();
    tracing::error!(
        at = place,
        thread = thread.name().unwrap_or("unnamed"),
        "a part of aura panicked: this is a bug"
    );
}

fn tell(text: &str) {
    for line in text.lines() {
        // With the standard error gone there is nowhere left to say so.
        let _ = writeln!(std::io::stderr(), "{}", visible(line));
    }
}
