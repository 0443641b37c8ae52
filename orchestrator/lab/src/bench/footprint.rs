//! How much memory a service takes, process by process.
//!
//! What: starts the bundled household as a service of its own, waits until its first card was decided, and reads what the kernel says of
//! each process. Why: pages that processes share are counted once (proportional share), and a small model is most of all of it.
//! Not here: what is too much (`docs/performance.md`).

use super::BenchError;
use aura_process::{fork_server::process_of, kib, resident_kib};
use aura_runtime::control::{self, ControlReply, ControlRequest};
use serde::Serialize;
use serde_json::Value;
use std::{
    fs, io,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

/// How long the service has to come to rest after its first card.
const WAIT: Duration = Duration::from_mins(2);
const LOOK: Duration = Duration::from_millis(200);
/// How long it rests before it is measured.
const AT_REST: Duration = Duration::from_secs(12);

/// One process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct ProcessFootprint {
    pub what: String,
    /// Resident, in KiB.
    pub rss_kib: u64,
    /// Its proportional share, in KiB; absent where the kernel does not tell this user.
    pub pss_kib: Option<u64>,
    /// Of its share what no file holds, in KiB. The rest is the program, of which the kernel maps as much as it likes at once: that part differs from one
    /// copy of the same file to another.
    pub own_kib: Option<u64>,
}

/// A service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct ServiceFootprint {
    /// The model that answers in it; absent: none.
    pub model: Option<String>,
    /// The supervisor first.
    pub processes: Vec<ProcessFootprint>,
    /// The sum of what is resident: shared pages count in each.
    pub rss_kib: u64,
    /// The sum of the shares; absent where one is.
    pub pss_kib: Option<u64>,
    /// The sum of what no file holds; absent where one is.
    pub own_kib: Option<u64>,
}

/// A service that ends with this.
struct ServiceProcess(Child);

impl Drop for ServiceProcess {
    fn drop(&mut self) {
        // It may have ended already; its children end with it.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Measures the household in a new data folder, with or without a model's file.
///
/// # Errors
/// A service that does not start, or does not come to rest.
pub(crate) fn measure(
    home: &Path,
    data: &Path,
    model: Option<(&str, &PathBuf)>,
) -> Result<ServiceFootprint, BenchError> {
    let io = |source| BenchError::Service {
        what: "could not be started",
        source,
    };
    let models = data.join("models");
    fs::create_dir_all(&models).map_err(io)?;
    let name = model.map(|(name, _)| name);
    if let Some((_, file)) = model {
        let to = models.join(file.file_name().unwrap_or_default());
        // On another disk it has to be copied.
        fs::hard_link(file, &to)
            .or_else(|_| fs::copy(file, &to).map(drop))
            .map_err(io)?;
    }
    aura_memory::chosen::choose(data, name)?;
    let child = Command::new(std::env::current_exe()?.with_file_name("aura"))
        .args(["demo", "--headless", "--port", "0", "--home"])
        .arg(home)
        .arg("--data")
        .arg(data)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(io)?;
    let mut service = ServiceProcess(child);
    let status = at_rest(&mut service, data, model.is_some())?;
    // By then it has given back what its start freed.
    std::thread::sleep(AT_REST);
    let mut processes = vec![measure_process("supervisor", service.0.id())?];
    if let Some(pid) = process_of(service.0.id(), None) {
        processes.push(measure_process("forks", pid)?);
    }
    for (agent, report) in status["processes"].as_object().into_iter().flatten() {
        processes.extend(pid(report).map(|pid| measure_process(agent, pid)).transpose()?);
    }
    processes.extend(
        pid(&status["model"])
            .map(|pid| measure_process("model", pid))
            .transpose()?,
    );
    Ok(ServiceFootprint {
        model: name.map(str::to_owned),
        rss_kib: processes.iter().map(|process| process.rss_kib).sum(),
        pss_kib: processes.iter().map(|process| process.pss_kib).sum(),
        own_kib: processes.iter().map(|process| process.own_kib).sum(),
        processes,
    })
}

fn pid(report: &Value) -> Option<u32> {
    u32::try_from(report["pid"].as_u64()?).ok()
}

/// Waits until a tick is over, and the model was asked if there is one.
fn at_rest(service: &mut ServiceProcess, data: &Path, model: bool) -> Result<Value, BenchError> {
    let begun = Instant::now();
    while begun.elapsed() < WAIT {
        std::thread::sleep(LOOK);
        if service.0.try_wait()?.is_some() {
            return Err(BenchError::Child("the service"));
        }
        let Ok(Some(ControlReply::Status(status))) = control::ask(data, &ControlRequest::Status) else {
            continue;
        };
        let over = status["ticks"].as_u64() > Some(0) && status["state"] == "Idle";
        let asked = !model || status["model"]["answers"].as_u64() > Some(0);
        if over && asked {
            return Ok(status);
        }
    }
    Err(BenchError::NoAnswer)
}

fn measure_process(what: &str, pid: u32) -> Result<ProcessFootprint, BenchError> {
    let rss_kib = resident_kib(pid);
    let shares = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).ok();
    let share = |name: &str| shares.as_deref().and_then(|text| kib(text, name));
    Ok(ProcessFootprint {
        what: what.to_owned(),
        rss_kib: rss_kib.ok_or(BenchError::Service {
            what: "ended while it was measured",
            source: io::ErrorKind::NotFound.into(),
        })?,
        pss_kib: share("Pss:"),
        own_kib: share("Pss_Anon:"),
    })
}
