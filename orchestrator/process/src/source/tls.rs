//! TLS on a stream that is connected already.
//!
//! What: [`client_config`], which trusts this computer's certificates, or one that the owner accepted; [`failure_of`], what a handshake that
//! failed says. Why: the system's certificates are files, so that they are read before the sandbox is entered. Not here: HTTP (`http`), IMAP (`imap`).

use super::wire::{AccountProtocol, AccountRequest, LookFailure};
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
    client::{
        danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
        verify_server_name,
    },
    crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature},
    pki_types::{CertificateDer, ServerName, UnixTime},
    server::ParsedCertificate,
};
use std::{io, sync::Arc};
use toolcall_schema::ids::sha256_hex;

/// How a server is to show who it is; `None`: it is not spoken to over TLS.
///
/// # Errors
/// [`LookFailure::Untrusted`] where this computer has no certificates at all.
pub(super) fn client_config(request: &AccountRequest) -> Result<Option<Arc<ClientConfig>>, LookFailure> {
    // A server of mail may begin it later.
    let is_mail = request.protocol == AccountProtocol::Imap;
    if !request.place.is_tls && !is_mail {
        return Ok(None);
    }
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|_| LookFailure::NoTls)?;
    let mut config = if let Some(pin) = &request.pin {
        let pinned = PinnedCertificate {
            sha256: pin.to_ascii_lowercase(),
            provider,
        };
        builder
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(pinned))
            .with_no_client_auth()
    } else {
        let mut roots = RootCertStore::empty();
        // One that cannot be read is left out, as every program does.
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        if roots.is_empty() {
            return Err(LookFailure::Untrusted);
        }
        builder.with_root_certificates(roots).with_no_client_auth()
    };
    if !is_mail {
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
    }
    Ok(Some(Arc::new(config)))
}

/// Trusts one certificate, whoever made it and however old it is, for a host that it names.
#[derive(Debug)]
struct PinnedCertificate {
    sha256: String,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for PinnedCertificate {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        verify_server_name(&ParsedCertificate::try_from(end_entity)?, server_name)?;
        if sha256_hex(end_entity) == self.sha256 {
            Ok(ServerCertVerified::assertion())
        } else {
            Err(CertificateError::ApplicationVerificationFailure.into())
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(
            message,
            cert,
            dss,
            &self.provider.signature_verification_algorithms,
        )
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(
            message,
            cert,
            dss,
            &self.provider.signature_verification_algorithms,
        )
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider
            .signature_verification_algorithms
            .supported_schemes()
    }
}

/// What a handshake that failed says of the server.
pub(super) fn failure_of(error: &io::Error) -> LookFailure {
    let tls = error.get_ref().and_then(|inner| inner.downcast_ref::<Error>());
    let Some(tls) = tls else {
        return if error.kind() == io::ErrorKind::TimedOut {
            LookFailure::Silent
        } else {
            LookFailure::Broken
        };
    };
    let Error::InvalidCertificate(why) = tls else {
        return LookFailure::NoTls;
    };
    let is_other_name = matches!(
        why,
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. }
    );
    let is_out_of_date = matches!(
        why,
        CertificateError::Expired
            | CertificateError::ExpiredContext { .. }
            | CertificateError::NotValidYet
            | CertificateError::NotValidYetContext { .. }
    );
    if is_other_name {
        LookFailure::OtherName
    } else if is_out_of_date {
        LookFailure::OutOfDate
    } else if *why == CertificateError::ApplicationVerificationFailure {
        LookFailure::NotPinned
    } else {
        LookFailure::Untrusted
    }
}
