//! A command that works on a folder's runs where no service does.
//!
//! What: [`work_on`], which opens the folder and answers others on its socket meanwhile. Why: one owner of the folder, also without a
//! service. Not here: what is done with runs (`aura_workflow::host`), services (`service`).

use crate::{
    control::{
        self, ControlHandler, ControlReply, ControlRequest, ControlSocket, ProgressSender, ShutdownSignals,
        control_inbox,
    },
    reads,
};
use aura_memory::{
    Store, StoreError, StoreOptions, StoreWrite, Vault,
    audit::{AuditEntry, AuditSubject, Op},
};
use aura_platform::{clock::Clock, supervise};
use aura_workflow::{
    CloseReason, RunHost, RunHostKind,
    protocol::{RunReply, RunRequest},
};
use std::{io, rc::Rc, sync::Arc, thread};
use surfaces::web::Visits;
use tokio::sync::watch;

/// Works on the runs of a folder on which nobody works. Others ask over the folder's socket meanwhile; a service that starts gets the
/// folder with its runs within 5 s, and `work` is told `Moved`.
///
/// # Errors
/// As [`Store::open`]; STORE-007 when the socket cannot be made.
pub fn work_on<T>(vault: &Vault, work: impl FnOnce(&RunHost) -> T) -> Result<T, StoreError> {
    let options = StoreOptions {
        on_death: Some(Arc::new(|_| supervise::end_process())),
        ..StoreOptions::default()
    };
    let (store, _) = Store::open(vault, options)?;
    let host = RunHost::new(Arc::new(store), RunHostKind::Command, Box::new(|| {}));
    let (end, ended) = watch::channel(false);
    let (ready, is_ready) = std::sync::mpsc::channel();
    let server = thread::Builder::new().name("control".to_owned()).spawn({
        let (host, vault) = (host.clone(), vault.clone());
        move || actix::System::new().block_on(serve(host, vault, ended, ready))
    });
    let path = control::path(vault.dir());
    let server = server.map_err(StoreError::file("open the socket", &path))?;
    let opened = is_ready.recv();
    opened.map_err(|_| StoreError::file("open the socket", &path)(io::ErrorKind::Other.into()))??;
    let done = work(&host);
    host.close(CloseReason::Ends);
    // The server may have ended by itself.
    let _ = end.send(true);
    if server.join().is_err() {
        tracing::error!("the socket's thread panicked");
    }
    Ok(done)
}

async fn serve(
    host: RunHost,
    vault: Vault,
    mut ended: watch::Receiver<bool>,
    ready: std::sync::mpsc::Sender<Result<(), StoreError>>,
) {
    let (stop, mut stopped) = watch::channel(false);
    let (hand_over, mut handed_over) = watch::channel(false);
    let handler = CommandHandler {
        host: host.clone(),
        hand_over,
    };
    let socket = match ControlSocket::bind(vault.dir()) {
        Ok(socket) => socket,
        Err(error) => {
            // Who works is told, and ends.
            let _ = ready.send(Err(error));
            return;
        }
    };
    let (sender, inbox) = control_inbox(&Visits::default());
    let taking_in = actix::spawn(socket.route(Rc::new(sender)));
    let server = control::serve(inbox, Some(vault), handler, ShutdownSignals::stop_only(stop));
    let _ = ready.send(Ok(()));
    let (mut is_stopped, mut is_handed_over) = (false, false);
    loop {
        let host = host.clone();
        tokio::select! {
            _ = ended.wait_for(|end| *end) => break,
            _ = stopped.wait_for(|stop| *stop), if !is_stopped => {
                is_stopped = true;
                drop(tokio::task::spawn_blocking(move || host.interrupt_all()));
            }
            _ = handed_over.wait_for(|over| *over), if !is_handed_over => {
                is_handed_over = true;
                tracing::info!("a service starts: it takes over the folder with its runs");
                drop(tokio::task::spawn_blocking(move || host.close(CloseReason::HandsOver)));
            }
        }
    }
    server.answer_all().await;
    taking_in.abort();
}

/// Answers others.
#[derive(Clone)]
struct CommandHandler {
    host: RunHost,
    hand_over: watch::Sender<bool>,
}

impl ControlHandler for CommandHandler {
    async fn answer(&self, request: ControlRequest, say: &ProgressSender) -> ControlReply {
        if let ControlRequest::Run { run } = request {
            if run == RunRequest::HandOver {
                self.hand_over.send_replace(true);
                return ControlReply::Run(RunReply::Done(None));
            }
            return super::answer(&self.host, run, say).await;
        }
        if let ControlRequest::Record { op, meaning } = request {
            return self.record(op, meaning).await;
        }
        ControlReply::Busy(format!(
            "process {} works on runs of workflows in this folder: try again when they are at rest, or start the service (`aura run`), which takes them over",
            std::process::id()
        ))
    }
}

impl CommandHandler {
    async fn record(&self, op: Op, meaning: AuditSubject) -> ControlReply {
        let store = Arc::clone(self.host.store());
        let at_ms = Clock::real(None).wall().ms();
        let entry = AuditEntry { at_ms, op, meaning };
        let written =
            tokio::task::spawn_blocking(move || reads::write(&store, vec![StoreWrite::Audit(entry)])).await;
        match written {
            Ok(Ok(())) => ControlReply::Recorded,
            Ok(Err(error)) if error.is_temporary() => ControlReply::Busy(error.to_string()),
            Ok(Err(error)) => ControlReply::Error(error.to_string()),
            Err(_) => ControlReply::Error("a bug: recording panicked".to_owned()),
        }
    }
}
