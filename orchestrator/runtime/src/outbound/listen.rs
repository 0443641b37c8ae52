//! Listening: what the notification's buttons send back.
//!
//! What: a thread of its own reads the answers' topic, line by line, and what a button sent goes to the machine as a page's answer does.
//! Why: Aura opens the connection, so nothing has to reach this computer from outside. Lost connections are opened again after the
//! last message that was read; the machine answers a repeat as the first time. Not here: what a line says (`surfaces::push`), whether
//! an answer counts (the machine).

use super::{OutboundTimeouts, ntfy::NtfyServer, push_undo::PushedActs};
use crate::backend::ServiceBackend;
use crate::outbound_health::OutboundHealth;
use aura_platform::line_frame::{LineEnd, read_line_skipping};
use crossbeam_channel::{Receiver, RecvTimeoutError, bounded};
use std::{
    io::{self, BufRead, BufReader},
    thread,
};
use surfaces::push::{self, LINE_MAX, TopicEvent, UndoRight};
use surfaces_base::backend::{AnswerReply, AnswerSubmission, Backend};
use tokio::sync::{mpsc, watch};

/// Where reading begins at a start: no question lives longer.
const AT_FIRST: &str = "1m";
/// Answers that may wait for the machine.
const WAITING: usize = 32;

/// Listens until told to stop.
///
/// # Errors
/// The system gives no thread.
pub(super) fn start(
    ntfy: &NtfyServer,
    patience: OutboundTimeouts,
    backend: &ServiceBackend,
    mut stopped: watch::Receiver<bool>,
) -> io::Result<()> {
    let (answers, mut heard) = mpsc::channel(WAITING);
    backend.outbound.listens_at(ntfy.host());
    // Closed when this is told to stop; nothing is ever sent.
    let (alive, stop) = bounded::<()>(0);
    let listener = NtfyListener {
        ntfy: ntfy.clone(),
        patience,
        health: backend.outbound.clone(),
        answers,
        stop,
        since: AT_FIRST.to_owned(),
    };
    thread::Builder::new()
        .name("push answers".to_owned())
        .spawn(move || listener.run())?;
    let backend = backend.clone();
    let mut pushed = PushedActs::new(ntfy, patience, &backend);
    actix::spawn(async move {
        let _alive = alive;
        loop {
            let heard = tokio::select! {
                _ = stopped.wait_for(|stop| *stop) => return,
                heard = heard.recv() => heard,
            };
            let result = match heard {
                None => return,
                Some(HeardPress::Answer(submission)) => {
                    let right = pushed.right(&submission).await;
                    match backend.answer(submission).await {
                        Ok(AnswerReply::Accepted { .. }) => {
                            pushed.offer(right);
                            "accepted"
                        }
                        Ok(AnswerReply::Refused { .. }) => "refused",
                        Err(_) => "dropped",
                    }
                }
                Some(HeardPress::Undo(right)) => pushed.take_back(&right).await,
            };
            backend.outbound.count("answers", result);
        }
    });
    Ok(())
}

/// A button that was pressed.
enum HeardPress {
    Answer(AnswerSubmission),
    Undo(UndoRight),
}

/// The thread that reads.
struct NtfyListener {
    ntfy: NtfyServer,
    patience: OutboundTimeouts,
    health: OutboundHealth,
    answers: mpsc::Sender<HeardPress>,
    stop: Receiver<()>,
    since: String,
}

impl NtfyListener {
    fn run(mut self) {
        let agent = self.ntfy.agent();
        let mut pause = self.patience.pause;
        loop {
            match self.ntfy.stream(&agent, &self.since, self.patience.silence) {
                Ok(stream) => {
                    self.health.listening(false);
                    pause = self.patience.pause;
                    self.read(BufReader::new(stream));
                }
                Err(error) => {
                    self.health.listening(true);
                    tracing::warn!(%error, "answers to notifications are not heard");
                }
            }
            self.health.count("answers", "reconnect");
            if self.stop.recv_timeout(pause) == Err(RecvTimeoutError::Disconnected) {
                return;
            }
            pause = OutboundTimeouts::longer(pause);
        }
    }

    /// Until the connection ends.
    fn read(&mut self, mut stream: impl BufRead) {
        let mut line = Vec::new();
        // What is too long is no answer: its beginning is counted as one that cannot be read.
        while let Ok(LineEnd::Whole | LineEnd::TooLong) = read_line_skipping(&mut stream, LINE_MAX, &mut line)
        {
            if self.answers.is_closed() {
                return;
            }
            let read = push::read(&line);
            if let Some(id) = read.id {
                self.since = id;
            }
            let press = match read.says {
                TopicEvent::Alive => continue,
                TopicEvent::Unreadable => {
                    self.health.count("answers", "unreadable");
                    continue;
                }
                TopicEvent::Pressed(submission) => HeardPress::Answer(submission),
                TopicEvent::TakenBack(right) => HeardPress::Undo(right),
            };
            if self.answers.try_send(press).is_err() {
                self.health.count("answers", "dropped");
            }
        }
    }
}
