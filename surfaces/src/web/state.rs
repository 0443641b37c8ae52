//! What the handlers share.

use super::{connections::Connections, door::Door, feed::Feed, tls::Outside};
use crate::{backend::Backend, devices::Devices};
use std::sync::Arc;
use tokio::sync::watch;

/// What the server must know. `Debug` prints no secret.
pub struct WebConfig {
    /// Who may come in.
    pub devices: Arc<Devices>,
    /// The host name that is this installation's alone, e.g. `aura-abc123.localhost`: cookies know no ports, so that a name which other
    /// programs on this machine share would show them ours.
    pub name: String,
    /// Random bytes, new in each process: pages of an earlier process cannot change anything.
    pub nonce: [u8; 16],
    /// Other hosts (`name` or `name:port`) under which the owner's own devices ask, directly or through a reverse proxy; usually none.
    pub hosts: Vec<String>,
    /// A listener beyond the loopback, with TLS; usually none.
    pub outside: Option<Outside>,
}

impl std::fmt::Debug for WebConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WebConfig")
            .field("name", &self.name)
            .field("hosts", &self.hosts)
            .finish_non_exhaustive()
    }
}

/// What every handler has at hand.
pub(super) struct App {
    pub(super) backend: Arc<dyn Backend>,
    pub(super) door: Arc<Door>,
    pub(super) connections: Connections,
    pub(super) feed: Feed,
    pub(super) stopping: watch::Receiver<bool>,
}
