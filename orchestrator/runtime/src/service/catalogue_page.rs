//! A start with a catalogue that the owner has to accept first (CAT-001).
//!
//! What: [`Service::open`], which opens the data folder and, where its catalogue is another one, serves the page that says so until the owner
//! has accepted it. Why: an update must not end in a service that nobody can reach. Not here: what differs (`accepted`), the page itself
//! (`surfaces`), a command on a folder without a service, which ends with CAT-001.

use super::{
    Service, ServiceError, ServiceMode, ServiceReady, TenantEvent,
    end::{told_to_end, wait_for},
    offline::ServiceListeners,
};
use crate::{
    accepted::{self, CatalogueError},
    control::{self, ControlHandler, ControlReply, ControlRequest, ProgressSender, ShutdownSignals},
    devices::{self, PageAddress},
    notify,
    wiring::{self, OpenedFolder, WiringError},
};
use aura_memory::{Store, StoreError};
use aura_platform::clock::Clock;
use aura_workflow::protocol::{RunReply, RunRequest};
use orchestrator_machine::MachineEnv;
use std::{
    io,
    sync::{Arc, Weak},
    time::{Duration, Instant},
};
use surfaces::{AcceptCatalogue, WebConfig};
use surfaces_base::{
    DeviceRegistry,
    backend::{BackendError, BackendFuture},
};
use tokio::sync::watch as latch;

/// How long a command may take to hand its folder over, and how often it is looked.
const HAND_OVER: Duration = Duration::from_secs(5);
const HAND_OVER_AGAIN: Duration = Duration::from_millis(20);

impl Service {
    /// The data folder, opened; `None`: the service was told to end while the owner had not accepted the catalogue.
    pub(super) async fn open(
        &mut self,
        env: &MachineEnv,
        listening: &mut ServiceListeners,
    ) -> Result<Option<OpenedFolder>, ServiceError> {
        match self.take_folder(env).await {
            // Everybody in it is invented: nothing of anybody's stands on the tools of before.
            Err(WiringError::Catalogue(error @ CatalogueError::NotAccepted { .. }))
                if self.mode != ServiceMode::Run =>
            {
                tracing::warn!(%error, "the demo goes on with this build's tools");
                let (store, _) = Store::open(&self.vault, self.store_options())?;
                accept(&store).await.map_err(|error| ServiceError::Io {
                    what: "record this build's tools",
                    source: io::Error::other(error),
                })?;
                drop(store);
                Ok(wiring::open(&self.vault, env, self.store_options()).map(Some)?)
            }
            Err(WiringError::Catalogue(error @ CatalogueError::NotAccepted { .. })) => {
                tracing::error!(%error, "the page waits for the owner");
                if !self.wait_for_the_owner(&error, listening).await? {
                    return Ok(None);
                }
                Ok(wiring::open(&self.vault, env, self.store_options()).map(Some)?)
            }
            opened => Ok(opened.map(Some)?),
        }
    }

    /// Opens the folder. A command that works on its runs hands both over.
    async fn take_folder(&self, env: &MachineEnv) -> Result<OpenedFolder, WiringError> {
        let begun = Instant::now();
        let mut is_asked = false;
        loop {
            let opened = wiring::open(&self.vault, env, self.store_options());
            let Err(WiringError::Store(StoreError::Locked { .. })) = &opened else {
                return opened;
            };
            if begun.elapsed() > HAND_OVER {
                return opened;
            }
            if !is_asked {
                let dir = self.vault.dir().to_owned();
                let request = ControlRequest::Run {
                    run: RunRequest::HandOver,
                };
                let asked = tokio::task::spawn_blocking(move || control::ask_holder(&dir, &request)).await;
                if !matches!(asked, Ok(Ok(Some(ControlReply::Run(RunReply::Done(_)))))) {
                    return opened;
                }
                is_asked = true;
            }
            tokio::time::sleep(HAND_OVER_AGAIN).await;
        }
    }

    /// Serves the page. False: told to end.
    async fn wait_for_the_owner(
        &mut self,
        error: &CatalogueError,
        listening: &mut ServiceListeners,
    ) -> Result<bool, ServiceError> {
        let (store, recovered) = Store::open(&self.vault, self.store_options())?;
        let diff = accepted::diff(self.vault.dir(), recovered.catalogue.as_ref())
            .map_err(WiringError::Catalogue)?
            .unwrap_or_default();
        let store = Arc::new(store);
        let Some(connections) = listening.inside(self.page_names()).await else {
            return Ok(false);
        };
        let outside = listening.outside(&self.home.web).await?;
        listening.reopen();
        let name = self.page_name();
        let address = PageAddress {
            page: format!("http://{name}:{}", connections.address().port()),
            outside: self.home.web.outside(),
        };
        let devices = devices::open(
            &self.vault,
            &store,
            Clock::real(None),
            self.home.settings.zone,
            &listening.proofs,
        )?;
        let (stop, stopped) = latch::channel(false);
        let (accept, mut accepted) = latch::channel(false);
        let accept = Arc::new(CatalogueAcceptance {
            store: Arc::downgrade(&store),
            accepted: accept,
        });
        let handler = WaitingHandler {
            devices: devices.clone(),
            address: address.clone(),
            why: error.to_string(),
            accept: accept.clone(),
        };
        let control = self.serve_control(&listening.link, handler, ShutdownSignals::stop_only(stop.clone()));
        let web = WebConfig {
            devices: devices.clone(),
            names: self.page_names(),
            nonce: *uuid::Uuid::new_v4().as_bytes(),
            locale: Arc::new(self.locale()),
            outside,
            mcp: None,
        };
        let page_stop = wait_for(stopped.clone());
        let page = actix::spawn(async move {
            surfaces::serve_changed_catalogue(connections, web, &diff, accept, page_stop).await
        });
        let first = if listening.is_first() {
            Some(ServiceReady {
                pair: self.first_code(&address, &devices)?,
                page: format!("{}/", address.page),
                dir: self.vault.dir().to_owned(),
            })
        } else {
            None
        };
        listening.link.tell(TenantEvent::Ready(first));
        notify::waiting(
            "waits on its page for the owner to accept changed tools (CAT-001)",
            listening.link.clone(),
            stopped.clone(),
        );
        let go_on = tokio::select! {
            done = accepted.wait_for(|accepted| *accepted) => done.is_ok(),
            () = told_to_end(stopped, &listening.link) => false,
        };
        let _ = stop.send(true);
        // The answer to who accepted is sent before the page ends.
        let _ = page.await;
        control.answer_all().await;
        if !go_on {
            listening.link.tell(TenantEvent::Ending);
        }
        Ok(go_on)
    }
}

/// Records this build's catalogue; done when it is on disk.
async fn accept(store: &Store) -> Result<(), BackendError> {
    let heard = accepted::accept(store).map_err(|_| BackendError::Store)?;
    match heard.await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(_)) | Err(_) => Err(BackendError::Store),
    }
}

/// Accepts for the page and for `aura catalogue accept`.
struct CatalogueAcceptance {
    /// Weak: a connection that is still open must not keep the folder.
    store: Weak<Store>,
    accepted: latch::Sender<bool>,
}

impl AcceptCatalogue for CatalogueAcceptance {
    fn accept(&self) -> BackendFuture<Result<(), BackendError>> {
        let store = self.store.upgrade().ok_or(BackendError::Stopping);
        let told = self.accepted.clone();
        Box::pin(async move {
            accept(&*store?).await?;
            tracing::info!("the owner accepted the catalogue");
            told.send_replace(true);
            Ok(())
        })
    }
}

/// Answers commands while the page waits: devices are let in, everything else is told why it cannot be done yet.
#[derive(Clone)]
struct WaitingHandler {
    devices: Arc<DeviceRegistry>,
    address: PageAddress,
    why: String,
    accept: Arc<CatalogueAcceptance>,
}

impl ControlHandler for WaitingHandler {
    async fn answer(&self, request: ControlRequest, _say: &ProgressSender) -> ControlReply {
        if request == ControlRequest::CatalogueAccept {
            let accepted = self.accept.accept().await;
            return accepted.map_or_else(
                |error| ControlReply::Busy(format!("{error}: try again")),
                |()| ControlReply::Recorded,
            );
        }
        match devices::answer(&self.devices, Some(&self.address), request).await {
            Ok(Ok(reply)) => reply,
            Ok(Err(_other)) => ControlReply::Error(self.why.clone()),
            Err(error) => ControlReply::Busy(format!("{error}: try again")),
        }
    }
}
