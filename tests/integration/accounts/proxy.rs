//! A proxy of ours before a server that speaks no TLS.
//!
//! What: [`CuttingProxy`], which passes requests on, and does with the answers to those that change something what a test says. Why: what is sent and
//! never answered is what may be done twice. Not here: any claim.

use std::{
    io::{Read as _, Write as _},
    net::{Shutdown, TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
        mpsc::Sender,
    },
    thread,
};

use super::bad_servers::request;

/// What becomes of the answer to a change that the server made.
pub(super) enum AnswerFate {
    Passed,
    /// The connection is cut.
    Cut,
    /// It never comes; who listens is told that the change was made.
    Withheld(Sender<()>),
}

/// It ends with the process.
pub(super) struct CuttingProxy {
    pub(super) port: u16,
    fate: Arc<Mutex<AnswerFate>>,
    changes: Arc<AtomicUsize>,
}

impl CuttingProxy {
    /// Before the server on this port.
    pub(super) fn before(server: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let proxy = Self {
            port: listener.local_addr().unwrap().port(),
            fate: Arc::new(Mutex::new(AnswerFate::Passed)),
            changes: Arc::default(),
        };
        let (fate, changes) = (Arc::clone(&proxy.fate), Arc::clone(&proxy.changes));
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (stream, fate, changes) = (stream.unwrap(), Arc::clone(&fate), Arc::clone(&changes));
                thread::spawn(move || pass_on(stream, server, &fate, &changes));
            }
        });
        proxy
    }

    pub(super) fn address(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    pub(super) fn set(&self, fate: AnswerFate) {
        *self.fate.lock().unwrap() = fate;
    }

    /// How many requests came to the server that change something.
    pub(super) fn changes(&self) -> usize {
        self.changes.load(Ordering::SeqCst)
    }
}

/// One request and its answer.
fn pass_on(mut stream: TcpStream, server: u16, fate: &Mutex<AnswerFate>, changes: &AtomicUsize) {
    let Some(asked) = request(&mut stream) else { return };
    // The server closes when it has answered, and so does this.
    let asked = asked.replacen("\r\n", "\r\nConnection: close\r\n", 1);
    let Ok(mut to) = TcpStream::connect(("127.0.0.1", server)) else {
        return;
    };
    to.write_all(asked.as_bytes()).unwrap();
    let mut answer = Vec::new();
    let _ = to.read_to_end(&mut answer);
    if asked.starts_with("PUT ") || asked.starts_with("DELETE ") {
        changes.fetch_add(1, Ordering::SeqCst);
        match &*fate.lock().unwrap() {
            AnswerFate::Passed => {}
            AnswerFate::Cut => return,
            AnswerFate::Withheld(told) => {
                let _ = told.send(());
                // Whoever waits for it ends first.
                thread::spawn(move || stream.read(&mut [0]));
                return;
            }
        }
    }
    let _ = stream.write_all(&answer);
    let _ = stream.shutdown(Shutdown::Write);
}
