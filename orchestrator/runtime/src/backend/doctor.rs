//! Looking after itself, by the command that does.
//!
//! What: [`DoctorBackend`] for [`ServiceBackend`]: `aura doctor --json` in a process of its own, which is killed when nobody waits for it any more. Why: the page says what the command says.
//! Not here: the checks (`aura_cli::doctor`).

use super::ServiceBackend;
use aura_process::{ChildProcess, WorkerProgram};
use serde::Deserialize;
use std::{
    io,
    os::fd::OwnedFd,
    process::{Command, Stdio},
};
use surfaces_base::backend::{
    BackendError, BackendFuture,
    doctor::{DoctorBackend, DoctorCheck},
};
use tokio::{io::AsyncReadExt as _, net::unix::pipe};

#[derive(Deserialize)]
struct DoctorOutput {
    checks: Vec<DoctorCheck>,
}

impl DoctorBackend for ServiceBackend {
    fn look_after(&self) -> BackendFuture<Result<Option<Vec<DoctorCheck>>, BackendError>> {
        let me = self.clone();
        Box::pin(async move {
            let Some(editor) = &me.settings else {
                return Ok(None);
            };
            let Ok(_one) = me.doctor_look.try_lock() else {
                return Err(BackendError::Busy);
            };
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
            let said = run_to_its_end(&mut command).await.map_err(|error| {
                tracing::warn!(%error, "the look after itself could not be started");
                BackendError::Store
            })?;
            // Its exit code says no more than its report.
            let report: DoctorOutput = serde_json::from_slice(&said).map_err(|_| BackendError::Store)?;
            Ok(Some(report.checks))
        })
    }
}

/// What a program says until it ends. Dropped before, it kills the program: the page's deadline does.
async fn run_to_its_end(command: &mut Command) -> io::Result<Vec<u8>> {
    let mut child = ChildProcess::spawn(command)?;
    let mut said = Vec::new();
    if let Some(out) = child.take_stdout() {
        let mut out = pipe::Receiver::from_owned_fd(OwnedFd::from(out))?;
        out.read_to_end(&mut said).await?;
    }
    child.wait_async().await?;
    Ok(said)
}
