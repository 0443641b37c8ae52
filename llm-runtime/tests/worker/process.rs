//! Speaking with `aura-llm`.
//!
//! What: [`Worker`], one process with its socket. Why: every test starts one. Not here: what is asked.

use llm_runtime::wire::{self, End, FrameDecoder, FromModel, PromptPiece, RefusalCode, ToModel};
use std::{
    fs,
    io::{ErrorKind, Read as _, Write as _},
    net::Shutdown,
    os::{fd::OwnedFd, unix::net::UnixStream},
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

/// A wait that only a hang outlasts.
const LONG: Duration = Duration::from_mins(2);

pub(crate) struct Worker {
    child: Child,
    stream: UnixStream,
    decoder: FrameDecoder,
}

impl Worker {
    pub(crate) fn start(model: &Path, flags: &[&str]) -> Self {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let child = Command::new(env!("CARGO_BIN_EXE_aura-llm"))
            .arg("--model")
            .arg(model)
            .args(flags)
            .env("GGML_NO_BACKTRACE", "1")
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        ours.set_read_timeout(Some(LONG)).unwrap();
        Self {
            child,
            stream: ours,
            decoder: wire::decoder(),
        }
    }

    /// Started, and its model loaded.
    pub(crate) fn ready(model: &Path, flags: &[&str]) -> Self {
        let mut worker = Self::start(model, flags);
        let ready = worker.next();
        assert!(matches!(ready, FromModel::Ready { .. }), "{ready:?}");
        worker
    }

    pub(crate) fn send(&mut self, frame: &ToModel) {
        self.write(&frame.encode().unwrap());
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).unwrap();
    }

    /// Nothing more is said.
    pub(crate) fn close(&mut self) {
        self.stream.shutdown(Shutdown::Write).unwrap();
    }

    pub(crate) fn next(&mut self) -> FromModel {
        let mut buffer = [0; 4096];
        loop {
            if let Some(body) = self.decoder.next_body().unwrap() {
                return FromModel::decode(body).unwrap();
            }
            let count = self.stream.read(&mut buffer).unwrap();
            assert!(count > 0, "it ended: {:?}", self.child.wait());
            self.decoder.push(&buffer[..count]);
        }
    }

    /// Whether it says nothing for a while.
    pub(crate) fn is_silent(&mut self) -> bool {
        self.stream
            .set_read_timeout(Some(Duration::from_millis(300)))
            .unwrap();
        let read = self.stream.read(&mut [0; 1]);
        read.is_err_and(|error| matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut))
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
    }

    /// SIGSTOP; returns when every thread has stopped.
    pub(crate) fn stop(&self) {
        let pid = self.child.id().to_string();
        assert!(
            Command::new("kill")
                .args(["-STOP", &pid])
                .status()
                .unwrap()
                .success()
        );
        let threads = format!("/proc/{pid}/task");
        let runs = |thread: fs::DirEntry| {
            let stat = fs::read_to_string(thread.path().join("stat")).unwrap();
            // The letter behind the name, which stands in brackets.
            !stat.rsplit_once(") ").unwrap().1.starts_with('T')
        };
        while fs::read_dir(&threads)
            .unwrap()
            .any(|thread| runs(thread.unwrap()))
        {
            thread::yield_now();
        }
    }

    /// Its exit code; `None`: a signal ended it.
    pub(crate) fn exit(&mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Started without a socket: its exit code and what it says.
pub(crate) fn by_hand(args: &[&str]) -> (Option<i32>, String) {
    let done = Command::new(env!("CARGO_BIN_EXE_aura-llm"))
        .args(args)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_eq!(done.stdout, b"");
    (done.status.code(), String::from_utf8(done.stderr).unwrap())
}

pub(crate) fn text(text: &str) -> PromptPiece {
    PromptPiece {
        special: false,
        text: text.to_owned(),
    }
}

pub(crate) fn of_template(text: &str) -> PromptPiece {
    PromptPiece {
        special: true,
        text: text.to_owned(),
    }
}

/// With time enough.
pub(crate) fn ask(n: u64, pieces: Vec<PromptPiece>, grammar: Option<&str>, max_tokens: u16) -> ToModel {
    ToModel::Ask {
        n,
        pieces,
        grammar: grammar.map(str::to_owned),
        max_tokens,
        budget_ms: 60_000,
    }
}

pub(crate) struct Answer {
    pub(crate) n: u64,
    pub(crate) text: String,
    pub(crate) end: End,
    pub(crate) prompt_tokens: u32,
    pub(crate) reused_tokens: u32,
    pub(crate) output_tokens: u32,
    pub(crate) first_token_ms: u32,
    pub(crate) total_ms: u32,
}

pub(crate) fn answer(frame: FromModel) -> Answer {
    match frame {
        FromModel::Answer {
            n,
            text,
            end,
            prompt_tokens,
            reused_tokens,
            output_tokens,
            first_token_ms,
            total_ms,
        } => Answer {
            n,
            text,
            end,
            prompt_tokens,
            reused_tokens,
            output_tokens,
            first_token_ms,
            total_ms,
        },
        other => panic!("no answer: {other:?}"),
    }
}

pub(crate) fn refusal(frame: FromModel) -> (u64, RefusalCode) {
    match frame {
        FromModel::Refused { n, code, why } => {
            assert!(!why.is_empty());
            (n, code)
        }
        other => panic!("not refused: {other:?}"),
    }
}
