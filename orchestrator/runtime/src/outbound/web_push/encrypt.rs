//! A message that only one browser can read.
//!
//! What: [`encrypt`], the body that a push service carries (RFC 8291, in the coding `aes128gcm` of RFC 8188). Why: the service of a browser's maker
//! sees that something comes and how long it is, and no word of it. Pure but for the random key and salt of each message. Not here: who sends it
//! (`vapid`), where to (`endpoint`).

use p256::{PublicKey, SecretKey, elliptic_curve::sec1::ToSec1Point as _};
use ring::{
    aead::{AES_128_GCM, Aad, LessSafeKey, Nonce, UnboundKey},
    error::Unspecified,
    hkdf::{HKDF_SHA256, KeyType, Salt},
};
use rustix::rand::{GetRandomFlags, getrandom};

/// Bytes of a body that every push service takes (RFC 8030, section 7.2), and of the one record that it is.
pub(super) const BODY_MAX: usize = 4096;
const SALT: usize = 16;
const POINT: usize = 65;
/// Salt, size of a record, length of the key's name, and the name: our public key.
const HEADER: usize = SALT + 4 + 1 + POINT;
const TAG: usize = 16;
/// Bytes of a message: a record also holds the sign that it is the last one.
pub(super) const MESSAGE_MAX: usize = BODY_MAX - HEADER - TAG - 1;
/// The sign of the last record.
const LAST: u8 = 2;

/// Why a message was not encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum EncryptError {
    #[error("the message is longer than {MESSAGE_MAX} bytes")]
    TooLong,
    /// The system has no randomness, or the cryptography refused.
    #[error("the message cannot be encrypted")]
    Failed,
}

impl From<Unspecified> for EncryptError {
    fn from(_: Unspecified) -> Self {
        Self::Failed
    }
}

/// The keys of one browser's subscription: a point on the curve, and its secret.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct BrowserKeys {
    public: PublicKey,
    auth: [u8; 16],
}

impl BrowserKeys {
    /// As a browser gives them: base64url without padding. `None`: no point on the curve P-256, or a secret of another length.
    pub(super) fn parse(p256dh: &str, auth: &str) -> Option<Self> {
        let decode = |text: &str| super::BASE64.decode(text.as_bytes()).ok();
        let point = decode(p256dh).filter(|point| point.len() == POINT && point.first() == Some(&4))?;
        Some(Self {
            public: PublicKey::from_sec1_bytes(&point).ok()?,
            auth: decode(auth)?.try_into().ok()?,
        })
    }
}

/// The body for a message.
///
/// # Errors
/// [`EncryptError`]
pub(super) fn encrypt(message: &[u8], to: &BrowserKeys) -> Result<Vec<u8>, EncryptError> {
    let mut salt = [0; SALT];
    fill_random(&mut salt)?;
    encrypt_with(message, to, &random_key()?, salt)
}

/// A key of the curve, new for each message.
fn random_key() -> Result<SecretKey, EncryptError> {
    // One in 2^32 tries is no key.
    for _ in 0..4 {
        let mut bytes = [0; 32];
        fill_random(&mut bytes)?;
        if let Ok(key) = SecretKey::from_slice(&bytes) {
            return Ok(key);
        }
    }
    Err(EncryptError::Failed)
}

fn fill_random(bytes: &mut [u8]) -> Result<(), EncryptError> {
    // Up to 256 bytes come whole.
    getrandom(bytes, GetRandomFlags::empty()).map_err(|_| EncryptError::Failed)?;
    Ok(())
}

/// RFC 8291, section 3.4, with a given key and salt.
fn encrypt_with(
    message: &[u8],
    to: &BrowserKeys,
    ours: &SecretKey,
    salt: [u8; SALT],
) -> Result<Vec<u8>, EncryptError> {
    if message.len() > MESSAGE_MAX {
        return Err(EncryptError::TooLong);
    }
    let (theirs, own) = (point(&to.public), point(&ours.public_key()));
    let shared = ours.diffie_hellman(&to.public);
    let mut info = b"WebPush: info\0".to_vec();
    info.extend_from_slice(&theirs);
    info.extend_from_slice(&own);
    let secret: [u8; 32] = derive(&to.auth, shared.raw_secret_bytes(), &info)?;
    encrypt_record(message, &secret, salt, &own)
}

/// A public key as 65 bytes: uncompressed, as browsers and services write it.
pub(super) fn point(key: &PublicKey) -> Vec<u8> {
    key.to_sec1_point(false).as_bytes().to_vec()
}

/// RFC 8188 with one record: the header and what was sealed.
fn encrypt_record(
    message: &[u8],
    secret: &[u8],
    salt: [u8; SALT],
    key_name: &[u8],
) -> Result<Vec<u8>, EncryptError> {
    let key: [u8; 16] = derive(&salt, secret, b"Content-Encoding: aes128gcm\0")?;
    // The nonce of the first record, which is the only one: the key is used once.
    let nonce: [u8; 12] = derive(&salt, secret, b"Content-Encoding: nonce\0")?;
    let mut record = message.to_vec();
    record.push(LAST);
    LessSafeKey::new(UnboundKey::new(&AES_128_GCM, &key)?).seal_in_place_append_tag(
        Nonce::assume_unique_for_key(nonce),
        Aad::empty(),
        &mut record,
    )?;
    let record_size = u32::try_from(BODY_MAX).map_err(|_| EncryptError::Failed)?;
    let name_length = u8::try_from(key_name.len()).map_err(|_| EncryptError::Failed)?;
    let mut body = salt.to_vec();
    body.extend_from_slice(&record_size.to_be_bytes());
    body.push(name_length);
    body.extend_from_slice(key_name);
    body.append(&mut record);
    Ok(body)
}

/// HKDF with SHA-256.
fn derive<const N: usize>(salt: &[u8], secret: &[u8], info: &[u8]) -> Result<[u8; N], EncryptError> {
    struct Length(usize);
    impl KeyType for Length {
        fn len(&self) -> usize {
            self.0
        }
    }
    let mut out = [0; N];
    let key = Salt::new(HKDF_SHA256, salt).extract(secret);
    key.expand(&[info], Length(N))?.fill(&mut out)?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::{super::BASE64, *};

    fn bytes(text: &str) -> Vec<u8> {
        BASE64.decode(text.as_bytes()).unwrap()
    }

    const P256DH: &str =
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4";
    const AUTH: &str = "BTBZMqHH6r4Tts7J_aSIgg";

    #[test]
    fn message_of_rfc_8291_appendix_a_is_encrypted_to_its_bytes() {
        let to = BrowserKeys::parse(P256DH, AUTH).unwrap();
        let ours = SecretKey::from_slice(&bytes("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw")).unwrap();
        let salt = bytes("DGv6ra1nlYgDCS1FRnbzlw").try_into().unwrap();
        let body = encrypt_with(b"When I grow up, I want to be a watermelon", &to, &ours, salt).unwrap();
        assert_eq!(
            BASE64.encode(&body),
            "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_y\
             l95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
        );
    }

    #[test]
    fn record_of_rfc_8188_is_encrypted_to_its_bytes() {
        let body = encrypt_record(
            b"I am the walrus",
            &bytes("yqdlZ-tYemfogSmv7Ws5PQ"),
            bytes("I1BsxtFttlv3u_Oo94xnmw").try_into().unwrap(),
            b"",
        );
        assert_eq!(
            BASE64.encode(&body.unwrap()),
            "I1BsxtFttlv3u_Oo94xnmwAAEAAA-NAVub2qFgBEuQKRapoZu-IxkIva3MEB1PD-ly8Thjg"
        );
    }

    #[test]
    fn body_is_at_most_what_every_service_takes_and_no_two_are_alike() {
        let to = BrowserKeys::parse(P256DH, AUTH).unwrap();
        let longest = encrypt(&vec![b'x'; MESSAGE_MAX], &to).unwrap();
        assert_eq!(longest.len(), BODY_MAX);
        assert_eq!(
            encrypt(&vec![b'x'; MESSAGE_MAX + 1], &to),
            Err(EncryptError::TooLong)
        );
        assert_ne!(encrypt(b"same", &to).unwrap(), encrypt(b"same", &to).unwrap());
    }

    #[test]
    fn what_is_no_point_on_the_curve_is_no_key() {
        let mut off_curve = bytes(P256DH);
        off_curve[64] ^= 1;
        let mut compressed = bytes(P256DH);
        compressed.truncate(33);
        compressed[0] = 2;
        for (p256dh, auth) in [
            (BASE64.encode(&off_curve), AUTH.to_owned()),
            (BASE64.encode(&compressed), AUTH.to_owned()),
            (BASE64.encode(&[0]), AUTH.to_owned()),
            (BASE64.encode(&[4; 65]), AUTH.to_owned()),
            (P256DH.replace('_', "/"), AUTH.to_owned()),
            (format!("{P256DH}="), AUTH.to_owned()),
            (String::new(), AUTH.to_owned()),
            (P256DH.to_owned(), String::new()),
            (P256DH.to_owned(), BASE64.encode(&[7; 15])),
        ] {
            assert!(BrowserKeys::parse(&p256dh, &auth).is_none(), "{p256dh} {auth}");
        }
    }
}
