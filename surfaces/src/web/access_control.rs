//! The state of access control.
//!
//! What: [`AccessControl`], the state of the guard. Why: the service's pages and the page of a changed catalogue let the same devices in by the
//! same checks. Not here: the checks (`guard`), the routes behind them (`shared_routes`).

use super::{
    access::RouteRule, hosts::HostPolicy, limits::RateLimiter, state::WebConfig, visitor::PageTokens,
};
use std::{net::SocketAddr, sync::Arc};
use surfaces_base::{devices::DeviceRegistry, locale::LocaleSetting};

/// Devices, hosts, tokens and rates of a server, and its table of routes.
pub(super) struct AccessControl {
    pub(super) devices: Arc<DeviceRegistry>,
    pub(super) keys: PageTokens,
    pub(super) hosts: HostPolicy,
    pub(super) limits: RateLimiter,
    pub(super) locale: Arc<LocaleSetting>,
    pub(super) routes: &'static [RouteRule],
}

impl AccessControl {
    pub(super) fn new(config: &WebConfig, address: SocketAddr, routes: &'static [RouteRule]) -> Arc<Self> {
        Arc::new(Self {
            devices: Arc::clone(&config.devices),
            keys: PageTokens::new(config.nonce),
            hosts: HostPolicy::new(address, &config.names),
            limits: RateLimiter::default(),
            locale: Arc::clone(&config.locale),
            routes,
        })
    }
}
