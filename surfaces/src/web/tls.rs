//! The TLS listener beyond the loopback.
//!
//! What: [`bind_outside`], a listener on any address with the keys of TLS. Why: nothing leaves the machine unencrypted.
//! Not here: the loopback's listener (`web::bind`), connections (`net`).

use super::{error::BindError, net};
use std::{io, net::SocketAddr, path::Path, sync::Arc};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{
        self, ServerConfig,
        crypto::ring,
        pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _},
        version::TLS13,
    },
};

/// A listener that speaks TLS 1.3 and nothing else.
pub struct TlsListener {
    pub(super) listener: std::net::TcpListener,
    pub(super) acceptor: TlsAcceptor,
}

impl TlsListener {
    /// A second handle to the listener, for the next server.
    ///
    /// # Errors
    /// What the system says.
    pub fn try_clone(&self) -> io::Result<Self> {
        Ok(Self {
            listener: self.listener.try_clone()?,
            acceptor: self.acceptor.clone(),
        })
    }

    /// The same listener with other keys.
    ///
    /// # Errors
    /// WEB-024 when they cannot be used.
    pub fn with_keys(self, certificate: &Path, key: &Path) -> Result<Self, BindError> {
        Ok(Self {
            acceptor: load_keys(certificate, key)?,
            ..self
        })
    }

    /// Where it listens.
    ///
    /// # Errors
    /// What the system says.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

/// Whether a certificate chain and its key, as PEM files, can be used together.
///
/// # Errors
/// WEB-024 when they cannot.
pub fn check_keys(certificate: &Path, key: &Path) -> Result<(), BindError> {
    load_keys(certificate, key).map(drop)
}

fn load_keys(certificate: &Path, key: &Path) -> Result<TlsAcceptor, BindError> {
    let bad = |path: &Path, what: &'static str| BindError::Certificate {
        path: path.to_owned(),
        what,
    };
    let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_file_iter(certificate)
        .and_then(Iterator::collect)
        .map_err(|_| bad(certificate, "is no PEM file with certificates that can be read"))?;
    let private = PrivateKeyDer::from_pem_file(key)
        .map_err(|_| bad(key, "is no PEM file with a private key that can be read"))?;
    let config = configured(chain, private).map_err(|_| {
        bad(
            certificate,
            "holds no certificate, or none that belongs to the key",
        )
    })?;
    Ok(TlsAcceptor::from(Arc::new(config)))
}

/// Listens on an address beyond the loopback, with a certificate chain and its key as PEM files. They are read at the start alone.
///
/// # Errors
/// [`BindError`]: WEB-024 when certificate or key cannot be used, WEB-002 when the port is taken.
pub async fn bind_outside(
    address: SocketAddr,
    certificate: &Path,
    key: &Path,
) -> Result<TlsListener, BindError> {
    let acceptor = load_keys(certificate, key)?;
    let io = |source| BindError::Io { address, source };
    Ok(TlsListener {
        listener: net::listen(address).await?.into_std().map_err(io)?,
        acceptor,
    })
}

fn configured(
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
) -> Result<ServerConfig, rustls::Error> {
    let provider = Arc::new(ring::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&TLS13])?
        .with_no_client_auth()
        .with_single_cert(chain, key)?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}
