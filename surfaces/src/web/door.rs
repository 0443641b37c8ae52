//! What decides who comes in.
//!
//! What: [`Door`], the state of the guard, and the routes that need nothing else: pairing, and what makes the pages an app. Why: the
//! service's pages and the page of a changed catalogue let the same devices in by the same checks. Not here: the checks (`guard`).

use super::{
    WebConfig,
    access::Route,
    devices_page,
    guard::{self, Keys},
    hosts::Hosts,
    limits::Limits,
    shell,
};
use crate::devices::Devices;
use axum::{Router, extract::DefaultBodyLimit, middleware, routing::get};
use std::{net::SocketAddr, sync::Arc};

/// Bytes of a body, where a route says nothing else.
const BODY_BYTES_MAX: usize = 4 * 1024;

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

    /// These routes and the door's own, behind the guard.
    pub(super) fn guarding(self: &Arc<Self>, routes: Router) -> Router {
        let own = Router::new()
            .route("/offline", get(shell::offline))
            .route("/sw.js", get(shell::worker))
            .route("/manifest.webmanifest", get(shell::manifest))
            .route("/pair", get(devices_page::pair_page).post(devices_page::pair))
            .route("/assets/{name}", get(shell::asset))
            .with_state(Arc::clone(self));
        routes
            .merge(own)
            .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
            .layer(middleware::from_fn_with_state(Arc::clone(self), guard::guard))
    }
}
