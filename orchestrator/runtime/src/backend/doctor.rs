//! Looking after itself, by the command that does.
//!
//! What: [`DoctorBackend`] for [`ServiceBackend`]: `aura doctor --json` in a process of its own, which ends with it. Why: the page says what the command says.
//! Not here: the checks (`aura_cli::doctor`).

use super::ServiceBackend;
use aura_process::WorkerProgram;
use serde::Deserialize;
use std::{
    io::Read as _,
    process::{Command, Stdio},
    sync::atomic::{AtomicBool, Ordering},
};
use surfaces::backend::{
    BackendError, BackendFuture,
    doctor::{DoctorBackend, DoctorCheck},
};

/// Whether a look is under way: one at a time.
static LOOKS: AtomicBool = AtomicBool::new(false);

/// Bytes of a report; more is none.
const REPORT_BYTES_MAX: u64 = 1 << 20;

#[derive(Deserialize)]
struct DoctorOutput {
    checks: Vec<DoctorCheck>,
}

/// Runs the command, and reads what it says. Blocks.
fn look(mut command: Command) -> Result<Vec<DoctorCheck>, BackendError> {
    let mut child = command.spawn().map_err(|error| {
        tracing::warn!(%error, "the look after itself could not be started");
        BackendError::Store
    })?;
    let mut said = Vec::new();
    let read = child
        .stdout
        .take()
        .map(|out| out.take(REPORT_BYTES_MAX).read_to_end(&mut said));
    // It ends by itself: its exit code says no more than its report.
    let ended = child.wait();
    if !matches!((read, ended), (Some(Ok(_)), Ok(_))) {
        return Err(BackendError::Store);
    }
    let report: DoctorOutput = serde_json::from_slice(&said).map_err(|_| BackendError::Store)?;
    Ok(report.checks)
}

impl DoctorBackend for ServiceBackend {
    fn look_after(&self) -> BackendFuture<Result<Option<Vec<DoctorCheck>>, BackendError>> {
        let me = self.clone();
        Box::pin(async move {
            let Some(editor) = &me.settings else {
                return Ok(None);
            };
            if LOOKS.swap(true, Ordering::SeqCst) {
                return Err(BackendError::Busy);
            }
            let mut command = Command::new(WorkerProgram::default().0);
            command
                .args(["doctor", "--json", "--home"])
                .arg(&editor.file.path)
                .arg("--data")
                .arg(&editor.file.data)
                .args(editor.key_arguments())
                .stdin(Stdio::null())
                .stdout(Stdio::piped())
                .stderr(Stdio::null());
            // Also where nobody waits for it any more.
            let looked = tokio::task::spawn_blocking(move || {
                let looked = look(command);
                LOOKS.store(false, Ordering::SeqCst);
                looked
            });
            looked.await.map_err(|_| BackendError::Stopping)?.map(Some)
        })
    }
}
