//! Figures of what other people's programs read.
//!
//! What: the shipped program on the bundled household, and devices of scope `ask` that look for free times: by Aura's own routes, by the Model Context
//! Protocol over HTTP, and through `aura mcp`; each time from the request to its whole answer. Why: a program that reads waits for the record of it,
//! which is on disk first. Not here: goals (`docs/performance.md`), what a proposal waits for, which is its owner.

use super::{
    BenchError,
    memory::aura,
    shipped::ShippedService,
    web::{HttpClient, LatencySpan, span},
};
use aura_runtime::control::{self, ControlReply, ControlRequest};
use serde_json::{Value, json};
use std::{
    io::{BufRead as _, BufReader, Write as _},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Stdio},
    time::{Duration, Instant},
};
use surfaces_base::devices::{AskGrant, DeviceName, DeviceScope};
use toolcall_schema::ToolName;

/// Reads of one device that are timed: an hour has sixty.
const OF_ONE: usize = 50;
/// How often the first read of a device is tried: the calendar may be read still.
const TRIES: usize = 8;
/// Between two of them.
const PACE: Duration = Duration::from_millis(500);

/// Measures so many reads by each door, in `dir`, which must be new.
///
/// # Errors
/// A service that does not start or answer.
pub(crate) fn reads(home_file: &Path, count: usize, dir: &Path) -> Result<[LatencySpan; 3], BenchError> {
    let service = ShippedService::start_demo(home_file, &dir.join("asked"))?;
    // The morning's own card is over.
    service.until(|status| status["ticks"].as_u64() > Some(0) && status["state"] == "Idle")?;
    let args = json!({"duration_min": 60, "after": "2026-11-03T09:00:00Z"});
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "calendar_suggest_slots", "arguments": args}});
    let plain = json!({"tool": "calendar.suggest_slots", "args": args});
    let timed = |what: &str, open: &dyn Fn(String) -> Result<ReadDoor, BenchError>| {
        let mut ms = Vec::new();
        while ms.len() < count {
            let mut door = open(token(&service.data)?)?;
            door.first_read()?;
            for _ in 0..OF_ONE.min(count - ms.len()) {
                let begun = Instant::now();
                door.read()?;
                ms.push(begun.elapsed().as_secs_f64() * 1000.0);
            }
        }
        Ok::<_, BenchError>(span(what, ms))
    };
    let http = |path: &'static str, body: &Value, token: &str| {
        let client = service.http.with_token(token);
        Ok(ReadDoor::Http(client, path, body.to_string()))
    };
    let figures = [
        timed("POST /v1/reads", &|token| http("/v1/reads", &plain, &token))?,
        timed("tools/call over HTTP", &|token| http("/mcp", &call, &token))?,
        timed("tools/call through aura mcp", &|token| {
            StdioProgram::start(&service, &token, &call).map(ReadDoor::Stdio)
        })?,
    ];
    service.stop()?;
    Ok(figures)
}

/// A new device that may look for free times.
fn token(data: &Path) -> Result<String, BenchError> {
    let request = ControlRequest::DeviceAdd {
        name: DeviceName::parse("bench").ok_or(BenchError::NoAnswer)?,
        scope: DeviceScope::Ask,
        asks: Some(AskGrant::of_tools([ToolName::SuggestSlots])),
    };
    match control::ask(data, &request)? {
        Some(ControlReply::DeviceAdded { token, .. }) => Ok(token.text().to_owned()),
        Some(_) | None => Err(BenchError::NoAnswer),
    }
}

/// A program and what it sends.
enum ReadDoor {
    Http(HttpClient, &'static str, String),
    Stdio(StdioProgram),
}

impl ReadDoor {
    /// One read, to the end of its answer.
    fn read(&mut self) -> Result<(), BenchError> {
        let told = match self {
            Self::Http(client, path, body) => client.post_text(path, body)?.1,
            Self::Stdio(program) => program.answer()?,
        };
        if told.contains("\"slots\"") {
            Ok(())
        } else {
            Err(BenchError::NoAnswer)
        }
    }

    /// The first read of a device, which looks for its earlier ones in the audit log.
    fn first_read(&mut self) -> Result<(), BenchError> {
        for _ in 1..TRIES {
            if self.read().is_ok() {
                return Ok(());
            }
            std::thread::sleep(PACE);
        }
        self.read()
    }
}

/// `aura mcp`, as a client starts it.
struct StdioProgram {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    line: String,
}

impl StdioProgram {
    fn start(service: &ShippedService, token: &str, call: &Value) -> Result<Self, BenchError> {
        let mut child = aura(&service.data)?
            .args(["mcp", "--url", &format!("{}/mcp", service.http.origin())])
            .env("AURA_DEVICE_TOKEN", token)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(BenchError::Child("aura mcp"));
        };
        Ok(Self {
            child,
            input,
            output: BufReader::new(output),
            line: format!("{call}\n"),
        })
    }

    fn answer(&mut self) -> Result<String, BenchError> {
        self.input.write_all(self.line.as_bytes())?;
        let mut answer = String::new();
        self.output.read_line(&mut answer)?;
        Ok(answer)
    }
}

impl Drop for StdioProgram {
    fn drop(&mut self) {
        // It may have ended with its input.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
