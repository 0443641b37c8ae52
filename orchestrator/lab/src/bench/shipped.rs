//! The shipped program as a process of its own.
//!
//! What: [`ShippedService`], started on a folder, asked over its socket and over HTTP, ended when it is dropped. Why: what runs on the owner's
//! machine is measured, and nothing of its insides. Not here: what is measured (`promises`, `idle`).

use super::{
    BenchError,
    memory::aura,
    web::{HttpClient, token},
};
use aura_process::fork_server::process_of;
use aura_runtime::control::{self, ControlReply, ControlRequest};
use serde_json::Value;
use std::{
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Child, Stdio},
    thread,
    time::{Duration, Instant},
};
use toolcall_schema::AgentName;

/// How long anything may take.
pub(super) const WAIT: Duration = Duration::from_mins(2);
/// How often it is looked whether something is so.
pub(super) const LOOK: Duration = Duration::from_millis(50);

/// The shipped program on a folder, with a device of the owner's.
pub(super) struct ShippedService {
    child: Child,
    pub(super) http: HttpClient,
    pub(super) data: PathBuf,
}

impl Drop for ShippedService {
    fn drop(&mut self) {
        // It may have ended already; its children end with it.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl ShippedService {
    /// Starts `aura run` on a household of its own.
    pub(super) fn start(home: &Path, data: &Path) -> Result<Self, BenchError> {
        Self::start_as(&["run"], home, data)
    }

    /// Starts a demo on the household's own day, which begins at once.
    pub(super) fn start_demo(home: &Path, data: &Path) -> Result<Self, BenchError> {
        Self::start_as(&["demo", "--headless"], home, data)
    }

    fn start_as(command: &[&str], home: &Path, data: &Path) -> Result<Self, BenchError> {
        let mut child = aura(data)?
            .args(command)
            .args(["--port", "0", "--json", "--home"])
            .arg(home)
            .arg("--data")
            .arg(data)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()?;
        let mut line = String::new();
        if let Some(out) = child.stdout.take() {
            BufReader::new(out).read_line(&mut line)?;
        }
        let ready: Value = serde_json::from_str(&line).map_err(|_| BenchError::Child("the service"))?;
        let page = ready["page"].as_str().unwrap_or_default();
        let service = Self {
            http: HttpClient::of(page, &token(data)?)?,
            child,
            data: data.to_owned(),
        };
        // A post before that waits for an agent that is being started.
        service.until(|status| {
            AgentName::FOUR
                .iter()
                .all(|agent| status["processes"][agent.as_str()]["pid"].is_u64())
        })?;
        Ok(service)
    }

    /// Milliseconds from a post to its 202.
    pub(super) fn post(&self, signals: &Value) -> Result<f64, BenchError> {
        let body = signals.to_string();
        let begun = Instant::now();
        self.http.post("/v1/signals", &body)?;
        Ok(begun.elapsed().as_secs_f64() * 1000.0)
    }

    /// The latest traces, as `aura trace list` has them.
    pub(super) fn traces(&self, count: u64) -> Result<Vec<Value>, BenchError> {
        let done = aura(&self.data)?
            .args(["trace", "list", "--json", "--limit", &count.to_string(), "--data"])
            .arg(&self.data)
            .stderr(Stdio::null())
            .output()?;
        let lines = String::from_utf8_lossy(&done.stdout);
        let traces: Result<Vec<Value>, _> = lines.lines().map(serde_json::from_str).collect();
        traces.map_err(|_| BenchError::Child("aura trace list"))
    }

    /// Ends it, and waits until the folder is free.
    pub(super) fn stop(self) -> Result<(), BenchError> {
        control::ask(&self.data, &ControlRequest::Stop)?;
        let end = Instant::now() + WAIT;
        while !aura_memory::is_free(&self.data)? && Instant::now() < end {
            thread::sleep(LOOK);
        }
        Ok(())
    }

    /// The supervisor's process, and all that it started.
    pub(super) fn processes(&self) -> Result<Vec<(String, u32)>, BenchError> {
        let status = self.status()?;
        let pid = |report: &Value| u32::try_from(report["pid"].as_u64()?).ok();
        let agents = status["processes"].as_object().into_iter().flatten();
        let agents = agents.filter_map(|(agent, report)| Some((agent.clone(), pid(report)?)));
        let model = pid(&status["model"]).map(|pid| ("model".to_owned(), pid));
        let forks = process_of(self.child.id(), None).map(|pid| ("forks".to_owned(), pid));
        let supervisor = [("supervisor".to_owned(), self.child.id())];
        Ok(supervisor
            .into_iter()
            .chain(forks)
            .chain(agents)
            .chain(model)
            .collect())
    }

    pub(super) fn status(&self) -> Result<Value, BenchError> {
        match control::ask(&self.data, &ControlRequest::Status)? {
            Some(ControlReply::Status(status)) => Ok(status),
            Some(_) | None => Err(BenchError::NoAnswer),
        }
    }

    pub(super) fn until(&self, is_so: impl Fn(&Value) -> bool) -> Result<Value, BenchError> {
        let end = Instant::now() + WAIT;
        while Instant::now() < end {
            let status = self.status()?;
            if is_so(&status) {
                return Ok(status);
            }
            thread::sleep(LOOK);
        }
        Err(BenchError::NoAnswer)
    }
}
