//! A host of invented owners.
//!
//! What: the shipped program as a host ([`HostProcess`]), owners with one mail each, and what they are asked. Why: each figure of a host needs one.
//! Not here: the figures (`host`).

use super::BenchError;
use aura_memory::{Vault, vault::NewPlace};
use aura_process::{cpu_time, kib, resident_kib};
use aura_runtime::control::{self, ControlReply, ControlRequest, ListedOwner, OwnerState};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::{
    fs,
    io::{self, BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

/// A tick of the clock that Linux counts processor time in (`USER_HZ`), in milliseconds.
const CLOCK_TICK_MS: u64 = 10;

/// A host that ends with this.
pub(super) struct HostProcess(Child);

impl HostProcess {
    pub(super) fn pid(&self) -> u32 {
        self.0.id()
    }

    /// Has it end as a service manager does, and waits for that.
    pub(super) fn end(mut self) -> Result<(), BenchError> {
        let pid = i32::try_from(self.0.id()).ok().and_then(Pid::from_raw);
        kill_process(pid.ok_or(BenchError::NoAnswer)?, Signal::TERM).map_err(io::Error::from)?;
        self.0.wait()?;
        Ok(())
    }
}

impl Drop for HostProcess {
    fn drop(&mut self) {
        // It may have ended already; its children end with it.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Of sorted figures, the one that so many of a hundred do not exceed.
pub(super) fn percentile(times: &[f64], percent: usize) -> f64 {
    let last = times.len().saturating_sub(1);
    let place = times.len() * percent / 100;
    times.get(place.min(last)).copied().unwrap_or_default()
}

/// A host of the owners in a folder, and its port.
pub(super) fn start(folder: &Path, park_after: &str) -> Result<(HostProcess, u16), BenchError> {
    let mut child = program()?
        .args([
            "host",
            "--port",
            "0",
            "--json",
            "--park-after",
            park_after,
            "--owners",
        ])
        .arg(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()?;
    let out = child.stdout.take();
    let host = HostProcess(child);
    let mut line = String::new();
    if let Some(out) = out {
        BufReader::new(out).read_line(&mut line)?;
    }
    let ready: Value = serde_json::from_str(&line).map_err(|_| BenchError::Child("aura host"))?;
    let port = ready["port"].as_u64().and_then(|port| u16::try_from(port).ok());
    Ok((host, port.ok_or(BenchError::NoAnswer)?))
}

fn program() -> Result<Command, BenchError> {
    let mut command = Command::new(std::env::current_exe()?.with_file_name("aura"));
    command.env("AURA_LOG", "error");
    Ok(command)
}

/// What is an owner's own beside her data folder.
pub(super) fn files_of(data: &Path) -> Result<PathBuf, BenchError> {
    let (Some(folder), Some(name)) = (data.parent(), data.file_name()) else {
        return Err(BenchError::NoAnswer);
    };
    Ok(folder.with_file_name("files").join(name))
}

/// An owner with one mail, whose key lies beside the owners' folder.
pub(super) fn add(data: &Path) -> Result<(), BenchError> {
    let files = files_of(data)?;
    fs::create_dir_all(&files)?;
    Vault::create(data, &NewPlace::File(files.join("key")))?;
    give_mail(data, &files)
}

/// The same by `aura owner add`. How many milliseconds that took.
pub(super) fn add_by_command(data: &Path) -> Result<f64, BenchError> {
    let (Some(folder), Some(name)) = (data.parent(), data.file_name()) else {
        return Err(BenchError::NoAnswer);
    };
    let files = files_of(data)?;
    fs::create_dir_all(&files)?;
    let begun = Instant::now();
    let added = program()?
        .args(["owner", "add"])
        .arg(name)
        .arg("--owners")
        .arg(folder)
        .arg("--key-file")
        .arg(files.join("key"))
        .stdout(Stdio::null())
        .status()?;
    let took = begun.elapsed().as_secs_f64() * 1000.0;
    if !added.success() {
        return Err(BenchError::Child("aura owner add"));
    }
    give_mail(data, &files)?;
    Ok(took)
}

fn give_mail(data: &Path, files: &Path) -> Result<(), BenchError> {
    let inbox = files.join("Inbox");
    fs::write(
        &inbox,
        "From - Tue Nov  3 10:00:00 2026\nFrom: Friend <friend@example.net>\nTo: owner@example.org\nMessage-ID: <m@example.net>\n\
         Date: Tue, 3 Nov 2026 10:00:00 +0000\nSubject: Visit\n\nCan you call me back?\n\n",
    )?;
    let text = format!(
        "zone = \"UTC\"\naddresses = [\"owner@example.org\"]\n[sources]\nmail = [\"{}\"]\n",
        inbox.display()
    );
    Ok(fs::write(data.join("home.toml"), text)?)
}

/// Every owner of a running host.
pub(super) fn states(folder: &Path) -> Result<Vec<ListedOwner>, BenchError> {
    let request = ControlRequest::Owners { again: None };
    match control::ask_holder(&control::host_folder(folder), &request)? {
        Some(ControlReply::Owners(owners)) => {
            if owners.iter().any(|owner| owner.state == OwnerState::Failed) {
                return Err(BenchError::Child("an owner's service"));
            }
            Ok(owners)
        }
        Some(_) | None => Err(BenchError::NotSeen("the host did not say who there is")),
    }
}

/// How many owners stand so.
pub(super) fn standing(folder: &Path, state: OwnerState) -> Result<usize, BenchError> {
    Ok(states(folder)?
        .iter()
        .filter(|owner| owner.state == state)
        .count())
}

pub(super) fn agents_of(data: &Path) -> Result<Vec<u32>, BenchError> {
    let Some(ControlReply::Status(status)) = control::ask(data, &ControlRequest::Status)? else {
        return Ok(Vec::new());
    };
    let reports = status["processes"].as_object().into_iter().flatten();
    let pids = reports.filter_map(|(_, report)| u32::try_from(report["pid"].as_u64()?).ok());
    Ok(pids.collect())
}

pub(super) fn share_kib(pid: u32) -> u64 {
    let shares = fs::read_to_string(format!("/proc/{pid}/smaps_rollup"));
    let share = shares.ok().and_then(|text| kib(&text, "Pss:"));
    share.or_else(|| resident_kib(pid)).unwrap_or_default()
}

/// Milliseconds of processor time that these processes took, those of threads that have ended too.
pub(super) fn cpu_ms(processes: &[u32]) -> u64 {
    let times = processes
        .iter()
        .filter_map(|pid| cpu_time(Path::new(&format!("/proc/{pid}/stat"))));
    u64::try_from(times.sum::<Duration>().as_millis()).unwrap_or(u64::MAX)
}

/// Milliseconds of processor time of a process and of its children that have ended.
pub(super) fn with_ended_children_ms(pid: u32) -> u64 {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // After the name, which may hold anything: 3 is the first field (proc(5)), 14 to 17 are utime, stime, cutime and cstime.
    let after_name = text.rsplit_once(')').map_or("", |(_, after)| after);
    let ticks = after_name.split_whitespace().skip(11).take(4);
    ticks.filter_map(|ticks| ticks.parse::<u64>().ok()).sum::<u64>() * CLOCK_TICK_MS
}

/// Milliseconds of one request for an owner's page, on a connection of its own.
pub(super) fn ask_page(port: u16, owner: &str, token: &str) -> io::Result<f64> {
    let begun = Instant::now();
    get(port, owner, token, "/agenda")?;
    Ok(begun.elapsed().as_secs_f64() * 1000.0)
}

/// One page of an owner's, with its head, on a connection of its own.
pub(super) fn get(port: u16, owner: &str, token: &str, path: &str) -> io::Result<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nHost: {owner}.localhost:{port}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\r\n"
    )?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    if answer.starts_with(b"HTTP/1.1 200") {
        Ok(String::from_utf8_lossy(&answer).into_owned())
    } else {
        Err(io::ErrorKind::InvalidData.into())
    }
}
