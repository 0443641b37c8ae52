//! Beyond the loopback: TLS or nothing.
//!
//! What: a certificate of our own making, a real client of TLS. Why: what leaves the machine is sealed. Not here: which addresses the
//! configuration may name (`aura_runtime::config`).

use crate::{
    client::{server_with, within},
    morning::TOKEN,
};
use std::{path::Path, sync::Arc};
use surfaces::web::{BindError, TlsListener, bind_outside};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};
use tokio_rustls::{
    TlsConnector,
    rustls::{
        ClientConfig, RootCertStore,
        crypto::ring,
        pki_types::{CertificateDer, ServerName},
        version::TLS13,
    },
};

/// Writes a new certificate for a name and its key into a folder.
fn certificate(dir: &Path, name: &str) -> CertificateDer<'static> {
    let made = rcgen::generate_simple_self_signed([name.to_owned()]).unwrap();
    std::fs::write(dir.join("certificate.pem"), made.cert.pem()).unwrap();
    std::fs::write(dir.join("key.pem"), made.signing_key.serialize_pem()).unwrap();
    made.cert.der().clone()
}

async fn outside(dir: &Path) -> Result<TlsListener, BindError> {
    let any = ([127, 0, 0, 1], 0).into();
    bind_outside(any, &dir.join("certificate.pem"), &dir.join("key.pem")).await
}

#[tokio::test]
async fn beyond_the_loopback_pages_are_served_by_tls_alone() {
    let dir = tempfile::tempdir().unwrap();
    let trusted = certificate(dir.path(), "aura.example");
    let listener = outside(dir.path()).await.unwrap();
    let address = listener.address().unwrap();
    let server = server_with("brief", |config| config.outside = Some(listener)).await;

    let mut roots = RootCertStore::empty();
    roots.add(trusted).unwrap();
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&TLS13])
        .unwrap();
    let client = TlsConnector::from(Arc::new(
        builder.with_root_certificates(roots).with_no_client_auth(),
    ));
    let name = ServerName::try_from("aura.example").unwrap();
    let request = format!(
        "GET /v1/ledger HTTP/1.1\r\nhost: aura.example\r\nauthorization: Bearer {TOKEN}\r\nconnection: close\r\n\r\n"
    );

    let stream = TcpStream::connect(address).await.unwrap();
    let mut stream = within(client.connect(name, stream)).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    within(stream.read_to_end(&mut answer)).await.unwrap();
    assert!(
        answer.starts_with(b"HTTP/1.1 200 OK"),
        "{}",
        String::from_utf8_lossy(&answer)
    );

    // Plain words get no answer of HTTP.
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    let _ = within(stream.read_to_end(&mut answer)).await;
    assert!(
        !answer.starts_with(b"HTTP"),
        "{}",
        String::from_utf8_lossy(&answer)
    );
    assert_eq!(
        server.get("/v1/ledger").await.status,
        200,
        "the loopback stays as it is"
    );
}

#[tokio::test]
async fn a_certificate_that_cannot_be_used_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let said = |refused: Result<TlsListener, BindError>| refused.err().unwrap().to_string();
    assert!(said(outside(dir.path()).await).starts_with("WEB-024: "));
    certificate(dir.path(), "aura.example");
    let other = tempfile::tempdir().unwrap();
    certificate(other.path(), "aura.example");
    let any = ([127, 0, 0, 1], 0).into();
    let mixed = bind_outside(
        any,
        &dir.path().join("certificate.pem"),
        &other.path().join("key.pem"),
    )
    .await;
    assert!(said(mixed).contains("belongs to the key"));
}
