//! The surfaces of a recorded day in a browser.
//!
//! What: [`InBrowser`]: Aura's pages served by the day's own actors, opened in a phone's and a watch's window, seen and
//! tapped there. Why: every journey of a recorded day is then one through the browser. Not here: the day (`aura_days::day`).

use crate::{
    Trouble,
    driver::{Browser, PHONE, Size, WATCH},
    page::{Answer, Page},
    pictures::Album,
};
use aura_days::day::{
    screen::{DayScreen, DirectScreen, ScreenFuture},
    stand_in::PageSubmission,
};
use aura_runtime::backend::ServiceBackend;
use orchestrator_machine::state::{MachinePhase, MachineState};
use serde_json::json;
use std::{
    collections::{BTreeMap, BTreeSet, btree_map::Entry},
    net::SocketAddr,
    sync::Arc,
    time::Duration,
};
use surfaces::{WebConfig, web::PageNames};
use surfaces_base::{DeviceRegistry, backend::Backend};
use tokio::{
    sync::oneshot,
    task::JoinHandle,
    time::{Instant, timeout_at},
};
use toolcall_schema::{Surface, day::SubmitAnswer, ids::CardId};

/// Of the only device of the day's owner.
const SECRET: &str = "a-secret-of-a-browser-that-nobody-else-has";

/// The host name of the day's pages.
const NAME: &str = "aura-days00.localhost";

/// How long the actors may take to hear of a page that came or went.
const PATIENCE: Duration = Duration::from_secs(20);

/// A day's surfaces in a browser.
pub(crate) struct InBrowser {
    browser: Browser,
    pages: BTreeMap<Surface, Page>,
    signed_in: BTreeSet<Surface>,
    server: Option<Server>,
    address: SocketAddr,
    life: u128,
    /// Notifications are no page of ours.
    notifications: DirectScreen,
    /// Where pictures of cards go.
    pub(crate) album: Option<Album>,
    /// Answers given by tapping a button.
    pub(crate) taps: usize,
    /// Decisions that stood on the phone's list at the end of a life.
    pub(crate) listed: usize,
}

struct Server {
    backend: ServiceBackend,
    stop: oneshot::Sender<()>,
    ended: JoinHandle<std::io::Result<()>>,
}

/// A page that is no surface.
const NO_SURFACE: &str = "/devices";

fn path(surface: Surface) -> &'static str {
    if surface == Surface::Watch { "/watch" } else { "/" }
}

fn size(surface: Surface) -> Size {
    if surface == Surface::Watch { WATCH } else { PHONE }
}

impl InBrowser {
    /// A browser without any window yet.
    ///
    /// # Errors
    /// When there is no browser.
    pub(crate) fn start() -> Result<Self, Trouble> {
        Ok(Self {
            browser: Browser::start()?,
            pages: BTreeMap::new(),
            signed_in: BTreeSet::new(),
            server: None,
            address: SocketAddr::from(([127, 0, 0, 1], 0)),
            life: 0,
            notifications: DirectScreen,
            album: None,
            taps: 0,
            listed: 0,
        })
    }

    /// The next day: another address, where nobody is signed in yet.
    pub(crate) fn next_day(&mut self) {
        self.signed_in.clear();
        self.address.set_port(0);
    }

    async fn page(&mut self, surface: Surface) -> Result<&Page, Trouble> {
        let port = self.address.port();
        let base = format!("http://{NAME}:{port}");
        let page = match self.pages.entry(surface) {
            Entry::Occupied(open) => open.into_mut(),
            Entry::Vacant(none) => none.insert(Page::open(&mut self.browser, size(surface), &base).await?),
        };
        if self.signed_in.insert(surface) {
            page.moved(&base);
            let cookie = json!({ "name": format!("aura_{port}"), "value": SECRET, "url": base });
            page.devtools("Network.setCookie", cookie).await?;
            page.go(NO_SURFACE).await?;
        }
        Ok(page)
    }

    /// Waits until the machine knows whether a surface is connected.
    async fn heard(backend: &ServiceBackend, surface: Surface, here: bool) -> Result<(), Trouble> {
        let end = Instant::now() + PATIENCE;
        loop {
            // Whatever a page tells is in flight until the machine has handled it. Listened to before the look.
            let handled = backend.busy.next_quiet();
            backend.busy.quiet().await;
            let look = backend.look().await.map_err(|error| error.to_string())?;
            if look.state.surfaces.contains(&surface) == here {
                return Ok(());
            }
            if timeout_at(end, handled).await.is_err() {
                return Err(format!("the machine never heard that {surface} came or went"));
            }
        }
    }

    /// Waits until the machine counts a card as shown. It stands on the page before the page has asked for what stands beside
    /// it, and that question is what counts (ADR 0183); the day's clock would pass it by.
    async fn counted(backend: &ServiceBackend, card: &CardId, surface: Surface) -> Result<(), Trouble> {
        let end = Instant::now() + PATIENCE;
        loop {
            let handled = backend.busy.next_quiet();
            backend.busy.quiet().await;
            let look = backend.look().await.map_err(|error| error.to_string())?;
            if is_counted(&look.state, card, surface) {
                return Ok(());
            }
            if timeout_at(end, handled).await.is_err() {
                return Err(format!(
                    "the machine never heard that {card} was shown on {surface}"
                ));
            }
        }
    }

    /// The phone's list of the day holds each decision.
    async fn compare_list(&mut self) -> Result<(), Trouble> {
        let signed_in = self.signed_in.first().and_then(|surface| self.pages.get(surface));
        let Some((page, server)) = signed_in.zip(self.server.as_ref()) else {
            return Ok(());
        };
        let traces = server.backend.traces(200).await;
        let wanted = traces.map_err(|error| error.to_string())?.len();
        let count = "const done = arguments[0]; fetch('/fragment/now').then((r) => r.text()).then((text) => \
            done(new DOMParser().parseFromString(text, 'text/html').querySelectorAll('ol.day > li').length))\
            .catch((error) => done(String(error)));";
        let got = page.run_async(count, vec![]).await?;
        if got != json!(wanted) {
            return Err(format!("the phone lists {got} decisions and there are {wanted}"));
        }
        self.listed += wanted;
        Ok(())
    }
}

/// Whether this card was shown there, as the machine counts.
fn is_counted(state: &MachineState, card: &CardId, surface: Surface) -> bool {
    if let MachinePhase::AwaitingConfirm { decided, shown, .. } = &state.phase
        && decided
            .decision
            .chosen
            .as_ref()
            .is_some_and(|chosen| chosen.card_id == *card)
    {
        return shown.contains(&surface);
    }
    let mut open = state.cards.iter().filter(|open| open.card.card_id == *card);
    open.all(|open| open.shown)
}

/// The answer by the name that a recorded day has for it.
fn answer(answer: &Answer, wanted: Option<SubmitAnswer>) -> Option<SubmitAnswer> {
    match (answer.word.as_str(), wanted) {
        // Whether a token came back is in the ledger, not in the reply.
        ("accepted", Some(SubmitAnswer::Refunded)) => Some(SubmitAnswer::Refunded),
        ("accepted", _) => Some(SubmitAnswer::Accepted),
        (code, _) => SubmitAnswer::parse(code),
    }
}

impl DayScreen for InBrowser {
    fn begin<'a>(&'a mut self, backend: &'a ServiceBackend) -> ScreenFuture<'a, ()> {
        Box::pin(async move {
            let listener = surfaces::bind(self.address).await;
            let listener = listener.map_err(|error| error.to_string())?;
            self.address = listener.local_addr().map_err(|error| error.to_string())?;
            self.life += 1;
            let (stop, stopped) = oneshot::channel::<()>();
            let config = WebConfig {
                devices: Arc::new(DeviceRegistry::fixed(SECRET)),
                names: PageNames {
                    own: NAME.to_owned(),
                    added: vec![],
                    is_one_of_several: false,
                },
                // Another process's pages are no longer ours.
                nonce: self.life.to_le_bytes(),
                locale: Arc::clone(&backend.locale),
                outside: None,
                mcp: None,
            };
            let page: Arc<dyn Backend> = Arc::new(backend.clone());
            let ended = actix::spawn(surfaces::serve(listener, config, page, async {
                let _ = stopped.await;
            }));
            self.server = Some(Server {
                backend: backend.clone(),
                stop,
                ended,
            });
            Ok(())
        })
    }

    fn connect<'a>(&'a mut self, backend: &'a ServiceBackend, surface: Surface) -> ScreenFuture<'a, ()> {
        if surface == Surface::Push {
            return self.notifications.connect(backend, surface);
        }
        Box::pin(async move {
            let page = self.page(surface).await?;
            // After a restart the page is still open, and comes back by itself.
            let open = page.run("return document.body.dataset.surface || '';").await?;
            if !matches!(open.as_str(), Some("phone" | "watch")) {
                page.go(path(surface)).await?;
            }
            Self::heard(backend, surface, true).await
        })
    }

    fn disconnect<'a>(&'a mut self, backend: &'a ServiceBackend, surface: Surface) -> ScreenFuture<'a, ()> {
        if surface == Surface::Push {
            return self.notifications.disconnect(backend, surface);
        }
        Box::pin(async move {
            self.page(surface).await?.go(NO_SURFACE).await?;
            Self::heard(backend, surface, false).await
        })
    }

    fn see<'a>(
        &'a mut self,
        backend: &'a ServiceBackend,
        card: CardId,
        surface: Surface,
    ) -> ScreenFuture<'a, ()> {
        if surface == Surface::Push {
            return self.notifications.see(backend, card, surface);
        }
        Box::pin(async move {
            self.page(surface).await?.until_card(&card).await?;
            Self::counted(backend, &card, surface).await?;
            if let Some((album, page)) = self.album.as_mut().zip(self.pages.get(&surface)) {
                album.take(page, surface).await?;
            }
            Ok(())
        })
    }

    fn submit<'a>(
        &'a mut self,
        backend: &'a ServiceBackend,
        submitted: &'a PageSubmission,
    ) -> ScreenFuture<'a, Option<SubmitAnswer>> {
        if submitted.surface == Surface::Push {
            return self.notifications.submit(backend, submitted);
        }
        Box::pin(async move {
            let (card, act) = (&submitted.card_id, submitted.act.as_str());
            let honest = submitted
                .wanted
                .is_none_or(|wanted| matches!(wanted, SubmitAnswer::Accepted | SubmitAnswer::Refunded));
            let page = self.page(submitted.surface).await?;
            let tapped = if honest { page.tap(card, act).await? } else { None };
            let back = if let Some(back) = tapped {
                self.taps += 1;
                back
            } else {
                let body = json!({
                    "act": act, "surface": submitted.surface.as_str(), "capability": submitted.capability,
                });
                page.send(&format!("/v1/cards/{card}/answer"), &body).await?
            };
            backend.busy.quiet().await;
            Ok(answer(&back, submitted.wanted))
        })
    }

    fn end(&mut self) -> ScreenFuture<'_, ()> {
        Box::pin(async move {
            self.compare_list().await?;
            if let Some(server) = self.server.take() {
                drop(server.backend);
                let _ = server.stop.send(());
                let ended = server.ended.await.map_err(|error| error.to_string())?;
                ended.map_err(|error| error.to_string())?;
            }
            Ok(())
        })
    }
}
