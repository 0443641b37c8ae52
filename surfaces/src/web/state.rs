//! What the handlers share.

use super::ahead_page::{AheadFigures, AheadKey};
use super::{
    access_control::AccessControl,
    connections::StreamRegistry,
    events::EventFeed,
    forgotten_notice::ForgottenNotice,
    hosts::PageNames,
    lately_spent::{MoneyLately, MoneyLatelyKey},
    program_door::ProgramDoor,
    recent_dismissals::RecentDismissals,
    recent_figures::RecentFigures,
    tls::TlsListener,
};
use std::sync::Arc;
use surfaces_base::{
    backend::{Backend, last_result::LastResult},
    devices::DeviceRegistry,
    locale::LocaleSetting,
};
use tokio::sync::{Semaphore, watch};

/// Configuration of the server. `Debug` prints no secret.
pub struct WebConfig {
    /// The paired devices.
    pub devices: Arc<DeviceRegistry>,
    /// Under which names it is reached.
    pub names: PageNames,
    /// Random bytes, new in each process: pages of an earlier process cannot change anything.
    pub nonce: [u8; 16],
    /// How the owner reads.
    pub locale: Arc<LocaleSetting>,
    /// A listener beyond the loopback, with TLS; usually none.
    pub outside: Option<TlsListener>,
    /// What answers at `/mcp`; absent: there is no such route.
    pub mcp: Option<Arc<dyn ProgramDoor>>,
}

impl std::fmt::Debug for WebConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WebConfig")
            .field("names", &self.names)
            .finish_non_exhaustive()
    }
}

/// Shared by all handlers.
pub(super) struct AppState {
    pub(super) backend: Arc<dyn Backend>,
    pub(super) door: Arc<AccessControl>,
    pub(super) connections: StreamRegistry,
    pub(super) feed: EventFeed,
    pub(super) dismissals: RecentDismissals,
    pub(super) figures: RecentFigures,
    pub(super) forgotten: ForgottenNotice,
    /// What comes again and what is left to spend, as it was worked out last.
    pub(super) ahead: LastResult<AheadKey, AheadFigures>,
    /// What Money says of the last weeks, as it was worked out last.
    pub(super) lately: LastResult<MoneyLatelyKey, MoneyLately>,
    pub(super) mcp: Option<Arc<dyn ProgramDoor>>,
    pub(super) stopping: watch::Receiver<bool>,
    /// Room for large posts of a health app.
    pub(super) health_posts: Semaphore,
}
