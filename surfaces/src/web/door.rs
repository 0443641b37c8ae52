//! What decides who comes in.
//!
//! What: [`Door`], the state of the guard. Why: the service's pages and the page of a changed catalogue let the same devices in by the
//! same checks. Not here: the checks (`guard`), the routes behind them (`guarded`).

use super::{access::Route, hosts::Hosts, limits::Limits, state::WebConfig, visitor::Keys};
use crate::devices::Devices;
use std::{net::SocketAddr, sync::Arc};

/// Devices, hosts, tokens and rates of a server, and its table of routes.
pub(super) struct Door {
    pub(super) devices: Arc<Devices>,
    pub(super) keys: Keys,
    pub(super) hosts: Hosts,
    pub(super) limits: Limits,
    pub(super) routes: &'static [Route],
}

impl Door {
    pub(super) fn new(config: &WebConfig, address: SocketAddr, routes: &'static [Route]) -> Arc<Self> {
        Arc::new(Self {
            devices: Arc::clone(&config.devices),
            keys: Keys::new(config.nonce),
            hosts: Hosts::new(address, &config.name, &config.hosts),
            limits: Limits::default(),
            routes,
        })
    }
}
