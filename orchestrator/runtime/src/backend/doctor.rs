//! Looking after itself, by the command that does.
//!
//! What: [`DoctorBackend`] for [`ServiceBackend`]: `aura doctor --json` in a process of its own, which is killed when nobody waits for it any more. Why: the page says what the command says.
//! Not here: the checks (`aura_cli::doctor`).

use super::ServiceBackend;
use aura_process::WorkerProgram;
use serde::Deserialize;
use std::process::Stdio;
use surfaces::backend::{
    BackendError, BackendFuture,
    doctor::{DoctorBackend, DoctorCheck},
};

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
            let ended = tokio::process::Command::new(WorkerProgram::default().0)
                .args(["doctor", "--json", "--home"])
                .arg(&editor.file.path)
                .arg("--data")
                .arg(&editor.file.data)
                .args(editor.key_arguments())
                .stdin(Stdio::null())
                .stderr(Stdio::null())
                // The page's deadline ends it: dropped with its request.
                .kill_on_drop(true)
                .output()
                .await
                .map_err(|error| {
                    tracing::warn!(%error, "the look after itself could not be started");
                    BackendError::Store
                })?;
            // Its exit code says no more than its report.
            let report: DoctorOutput =
                serde_json::from_slice(&ended.stdout).map_err(|_| BackendError::Store)?;
            Ok(Some(report.checks))
        })
    }
}
