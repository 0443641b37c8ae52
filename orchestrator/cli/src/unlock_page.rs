//! The page on which a passphrase is typed, or the key's place put right, where there is a screen and no terminal.
//!
//! What: [`start_from_page`], which serves it until the service runs. Why: who clicks on Aura among her programs has no terminal to type in. Not here: the page
//! (`surfaces`), the same in a host of several owners (`aura_runtime::host`), starting the service (`open`).

use super::{browser, error::CliError};
use aura_memory::{
    StoreError, Vault,
    vault::{KeyPrompt, NoPrompt, Passphrase},
};
use aura_runtime::{devices::PairingInvitation, host::UnlockTries};
use std::{
    ffi::OsString,
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};
use surfaces::web::{AwaitedKey, PageNames, UnlockFolder, UnlockReply};
use surfaces_base::{
    backend::{BackendError, BackendFuture, backups::BackupPassphrase},
    language::text,
};
use tokio::sync::{mpsc, oneshot};

/// The page's name: the installation's own one is sealed with everything else.
const NAME: &str = "aura.localhost";
/// How long is waited for somebody who types.
const PATIENCE: Duration = Duration::from_mins(10);

/// Opens the page, and starts the service with what was typed; the browser goes on to its pages by itself.
///
/// # Errors
/// STORE-001 when another process works on the folder; no browser opens; nobody typed the passphrase; as `start`.
pub(super) fn start_from_page(
    (dir, awaited): (&Path, AwaitedKey),
    browser: &[OsString],
    start: impl Fn(Option<TypedKey<'_>>) -> Result<PairingInvitation, CliError> + Send + Sync + 'static,
) -> Result<PairingInvitation, CliError> {
    aura_memory::check_free(dir)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let listener = surfaces::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))
            .await
            .map_err(|error| CliError::Refused(error.to_string()))?;
        let address = format!("http://{NAME}:{}/", listener.local_addr()?.port());
        let (started, mut told) = mpsc::unbounded_channel();
        let place = match &awaited {
            AwaitedKey::Passphrase => "a passphrase",
            AwaitedKey::Key { .. } => "its place",
        };
        let unlock = Arc::new(StartingUnlock {
            dir: dir.to_owned(),
            awaited,
            start: Arc::new(start),
            tries: UnlockTries::default(),
            started,
        });
        let (stop, stopped) = oneshot::channel::<()>();
        let names = PageNames {
            own: NAME.to_owned(),
            ..PageNames::default()
        };
        let page = tokio::spawn(surfaces::serve_locked(
            listener,
            None,
            names,
            unlock,
            async move {
                let _ = stopped.await;
            },
        ));
        let browser = browser.to_vec();
        let shown = tokio::task::spawn_blocking(move || browser::open(&browser, &address));
        if !shown.await.unwrap_or(false) {
            return Err(CliError::from(StoreError::KeyAway {
                place: place.to_owned(),
                what: "no browser opens to ask for it: use a terminal, or name a file with --passphrase-file or --key-file"
                    .to_owned(),
            }));
        }
        let invitation = tokio::time::timeout(PATIENCE, told.recv()).await;
        // What the page answers is sent before it ends.
        let _ = stop.send(());
        let _ = page.await;
        invitation.ok().flatten().unwrap_or_else(|| {
            Err(CliError::Busy(text("cli-unlock-page-nobody").to_owned()))
        })
    })
}

/// What somebody typed.
#[derive(Clone, Copy)]
pub(super) enum TypedKey<'a> {
    Passphrase(&'a str),
    /// The code of the recovery sheet.
    Code(&'a str),
}

impl TypedKey<'_> {
    pub(super) fn words(&self) -> &str {
        let (Self::Passphrase(words) | Self::Code(words)) = self;
        words
    }

    /// With these the service reads it from its input.
    pub(super) fn arguments(self) -> &'static [&'static str] {
        match self {
            Self::Passphrase(_) => &["--passphrase-file", "/dev/stdin"],
            Self::Code(_) => &["--recovery-file", "/dev/stdin"],
        }
    }
}

impl KeyPrompt for TypedKey<'_> {
    fn passphrase(&self) -> Result<Option<Passphrase>, StoreError> {
        let Self::Passphrase(words) = self else {
            return Ok(None);
        };
        Ok(Some(Passphrase::new((*words).to_owned())))
    }

    fn key_file(&self) -> Option<&Path> {
        None
    }

    fn recovery_code(&self) -> Result<Option<Passphrase>, StoreError> {
        let Self::Code(words) = self else {
            return Ok(None);
        };
        Ok(Some(Passphrase::new((*words).to_owned())))
    }
}

/// Starts the service with what was typed; with nothing where the key is in its place.
type StartService = dyn Fn(Option<TypedKey<'_>>) -> Result<PairingInvitation, CliError> + Send + Sync;

/// Tries what is typed one after the other, and starts the service with the right one.
struct StartingUnlock {
    dir: PathBuf,
    awaited: AwaitedKey,
    start: Arc<StartService>,
    tries: UnlockTries,
    started: mpsc::UnboundedSender<Result<PairingInvitation, CliError>>,
}

impl UnlockFolder for StartingUnlock {
    fn awaited(&self) -> AwaitedKey {
        self.awaited.clone()
    }

    fn unlock(&self, words: Option<BackupPassphrase>) -> BackendFuture<Result<UnlockReply, BackendError>> {
        let (dir, start) = (self.dir.clone(), Arc::clone(&self.start));
        let (tries, started) = (self.tries.clone(), self.started.clone());
        let is_passphrase = self.awaited == AwaitedKey::Passphrase;
        Box::pin(async move {
            // It starts also where who typed it did not wait for the answer.
            let attempt = move || {
                let typed = words.as_ref().map(|words| {
                    if is_passphrase {
                        TypedKey::Passphrase(&words.0)
                    } else {
                        TypedKey::Code(&words.0)
                    }
                });
                // Here, where she can be told; the service opens the folder for itself.
                let opened = match &typed {
                    Some(typed) => Vault::open(&dir, typed),
                    None => Vault::open(&dir, &NoPrompt),
                };
                match opened
                    .map(drop)
                    .map_err(CliError::from)
                    .and_then(|()| start(typed))
                {
                    Ok(invitation) => {
                        let address = invitation.address.text().to_owned();
                        let _ = started.send(Ok(invitation));
                        Ok(UnlockReply::At(address))
                    }
                    Err(CliError::Store(StoreError::WrongKey { .. } | StoreError::KeyAway { .. })) => {
                        Ok(UnlockReply::Wrong)
                    }
                    Err(error) => {
                        let _ = started.send(Err(error));
                        Err(BackendError::Store)
                    }
                }
            };
            tries.run(attempt).await?
        })
    }
}
