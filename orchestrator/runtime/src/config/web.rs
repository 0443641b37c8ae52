//! `[web]` of `home.toml`: the page beyond the loopback.
//!
//! What: [`WebEndpoints`], under which names devices of the owner's ask, and the address, certificate and key of a listener with TLS. Why: nothing
//! but the loopback is listened on unless the owner says so, and then not in plain. Not here: the port on the loopback (`--port`), the
//! server (`surfaces::web`).

use serde::Deserialize;
use std::{
    io,
    net::SocketAddr,
    path::{Path, PathBuf},
};
use surfaces::web::{BindError, TlsListener, bind_outside, check_keys};

/// What `[web]` says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct WebEndpoints {
    /// Names (`name` or `name:port`) under which the owner's devices ask: directly, or through a reverse proxy of the owner's.
    pub hosts: Vec<String>,
    /// Where to listen beyond the loopback; needs `certificate` and `key`.
    pub listen: Option<SocketAddr>,
    /// PEM file with the certificate chain, its own first.
    pub certificate: Option<PathBuf>,
    /// PEM file with the certificate's key.
    pub key: Option<PathBuf>,
}

impl WebEndpoints {
    /// What makes no sense in it.
    pub(super) fn problem(&self) -> Option<String> {
        let name = |host: &&String| {
            let good = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | ':' | '[' | ']');
            host.is_empty() || host.len() > 255 || !host.chars().all(good)
        };
        if let Some(host) = self.hosts.iter().find(name) {
            return Some(format!(
                "hosts: {host:?} is not a name like \"aura.example\" or \"aura.example:8443\""
            ));
        }
        let loopback = self.listen.is_none_or(|address| address.ip().is_loopback());
        match (&self.certificate, &self.key) {
            (Some(_), Some(_)) if self.listen.is_some() => None,
            // Beyond the loopback: refused where it would be listened on, with a code of its own.
            (None, None) if self.listen.is_none() || !loopback => None,
            (_, _) => Some("needs `listen`, `certificate` and `key` together, or none of them".to_owned()),
        }
    }

    /// With the files' paths from the configuration's folder.
    pub(super) fn under(self, base: &Path) -> Self {
        Self {
            certificate: self.certificate.map(|path| base.join(path)),
            key: self.key.map(|path| base.join(path)),
            ..self
        }
    }

    /// Every name that is admitted, first the one that [`Self::outside`] gives: those without a port also with the one that is listened on, and the address that is
    /// listened on.
    pub fn names(&self) -> Vec<String> {
        let named = |host: &String| self.with_port(host).into_iter().chain([host.clone()]);
        let hosts = self.hosts.iter().flat_map(named);
        hosts.chain(self.reachable()).collect()
    }

    fn with_port(&self, host: &str) -> Option<String> {
        let port = self.listen?.port();
        (!host.contains(':')).then(|| format!("{host}:{port}"))
    }

    /// The address that is listened on, with and without its port, where another device can be told it.
    fn reachable(&self) -> Vec<String> {
        let listen = self.listen.map(|at| (at.ip(), at.port()));
        let Some((ip, port)) = listen.filter(|(ip, _)| !ip.is_unspecified() && !ip.is_loopback()) else {
            return Vec::new();
        };
        let authority = SocketAddr::new(ip, port).to_string();
        let bare = authority.rsplit_once(':').map(|(bare, _)| bare.to_owned());
        [authority].into_iter().chain(bare).collect()
    }

    /// Where another device finds the page.
    pub fn outside(&self) -> Option<String> {
        let host = self.names().into_iter().next()?;
        Some(format!("https://{}", host.strip_suffix(":443").unwrap_or(&host)))
    }

    /// Whether this could be listened with in the place of what was before; the address is tried out and given back.
    ///
    /// # Errors
    /// As [`Self::bind`].
    pub(crate) fn try_after(&self, before: &Self) -> Result<(), BindError> {
        match (self.listen, &self.certificate, &self.key) {
            (Some(address), Some(certificate), Some(key)) => {
                check_keys(certificate, key)?;
                if before.listen == Some(address) {
                    return Ok(());
                }
                let bound = std::net::TcpListener::bind(address).map(drop);
                bound.map_err(|source| {
                    if source.kind() == io::ErrorKind::AddrInUse {
                        BindError::Busy { address }
                    } else {
                        BindError::Io { address, source }
                    }
                })
            }
            (Some(address), _, _) => Err(BindError::NotLoopback { address }),
            (None, _, _) => Ok(()),
        }
    }

    /// Listens beyond the loopback, where that is wanted; with the listener of before where it has the same address.
    ///
    /// # Errors
    /// As [`Self::bind`].
    pub(crate) async fn bind_again(
        &self,
        old: Option<TlsListener>,
    ) -> Result<Option<TlsListener>, BindError> {
        let same = old.filter(|old| old.address().ok() == self.listen);
        match (same, &self.certificate, &self.key) {
            (Some(same), Some(certificate), Some(key)) => same.with_keys(certificate, key).map(Some),
            (same, _, _) => {
                drop(same);
                self.bind().await
            }
        }
    }

    /// Listens beyond the loopback, where that is wanted.
    ///
    /// # Errors
    /// WEB-001 without certificate and key, WEB-002, WEB-024.
    pub async fn bind(&self) -> Result<Option<TlsListener>, BindError> {
        match (self.listen, &self.certificate, &self.key) {
            (Some(address), Some(certificate), Some(key)) => {
                bind_outside(address, certificate, key).await.map(Some)
            }
            (Some(address), _, _) => Err(BindError::NotLoopback { address }),
            (None, _, _) => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn web(text: &str) -> WebEndpoints {
        toml::from_str(text).unwrap()
    }

    #[test]
    fn a_listener_beyond_the_loopback_is_admitted_under_its_names_with_and_without_its_port() {
        let own = web(
            "hosts = [\"aura.home\", \"10.0.0.2:9000\"]\nlisten = \"0.0.0.0:7879\"\ncertificate = \"c\"\nkey = \"k\"",
        );
        assert_eq!(own.problem(), None);
        assert_eq!(own.names(), ["aura.home:7879", "aura.home", "10.0.0.2:9000"]);
        assert_eq!(own.outside().as_deref(), Some("https://aura.home:7879"));
        let proxy = web("hosts = [\"aura.example\"]");
        assert_eq!(
            (proxy.names(), proxy.problem()),
            (vec!["aura.example".to_owned()], None)
        );
        assert_eq!(proxy.outside().as_deref(), Some("https://aura.example"));
        assert_eq!(WebEndpoints::default().outside(), None);
    }

    #[test]
    fn an_address_that_is_listened_on_needs_no_name() {
        for (listen, names, outside) in [
            (
                "192.0.2.5:7879",
                vec!["192.0.2.5:7879", "192.0.2.5"],
                Some("https://192.0.2.5:7879"),
            ),
            (
                "[2001:db8::5]:443",
                vec!["[2001:db8::5]:443", "[2001:db8::5]"],
                Some("https://[2001:db8::5]"),
            ),
            ("0.0.0.0:7879", vec![], None),
            ("[::1]:7879", vec![], None),
        ] {
            let own = web(&format!(
                "listen = \"{listen}\"\ncertificate = \"c\"\nkey = \"k\""
            ));
            assert_eq!(own.problem(), None, "{listen}");
            assert_eq!(own.names(), names, "{listen}");
            assert_eq!(own.outside().as_deref(), outside, "{listen}");
        }
    }

    #[test]
    fn half_of_it_is_named() {
        for text in [
            "certificate = \"c\"\nkey = \"k\"",
            "listen = \"0.0.0.0:1\"\ncertificate = \"c\"",
            "listen = \"127.0.0.1:1\"",
            "hosts = [\"a b\"]",
            "hosts = [\"http://aura\"]",
            "hosts = [\"\"]",
        ] {
            assert!(web(text).problem().is_some(), "{text}");
        }
        // Plain beyond the loopback has a code of its own.
        assert_eq!(web("listen = \"0.0.0.0:1\"").problem(), None);
    }
}
