//! Who sends a message, signed.
//!
//! What: [`VapidKey`], this installation's own key, and the header that a push service asks for (RFC 8292). Why: a browser's subscription is bound to the
//! key, so that nobody else can send to it. The key is derived from the folder's seed, as others are: made once, sealed with the folder, in no setting.
//! Not here: the message (`encrypt`).

use p256::SecretKey;
use ring::{
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair},
};
use serde_json::json;
use std::{fmt, sync::Arc};
use toolcall_schema::{Timestamp, ids::OwnerSeed};

/// How long a signature is good: RFC 8292 allows a day.
const GOOD_FOR_MIN: i64 = 12 * 60;

/// Whom a service may ask about these messages. It wants an address; that of the owner is not for it, and this one is nobody's by RFC 6761.
const CONTACT: &str = "https://aura.invalid";

/// The key pair of an installation. `Debug` prints neither half.
#[derive(Clone)]
pub struct VapidKey {
    pair: Arc<EcdsaKeyPair>,
    public: String,
}

impl fmt::Debug for VapidKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("VapidKey(..)")
    }
}

impl VapidKey {
    /// The same for the life of a folder; `None` where the cryptography refuses.
    pub fn of_installation(seed: &OwnerSeed) -> Option<Self> {
        let key = seed.key("web push v1");
        // One in 2^32 is no key: then the next is taken, always the same one.
        let secret = (0..=u8::MAX).find_map(|count| SecretKey::from_slice(&key.mac(&[&[count]])).ok())?;
        Self::of_secret(&secret)
    }

    fn of_secret(secret: &SecretKey) -> Option<Self> {
        let public = super::encrypt::point(&secret.public_key());
        let pair = EcdsaKeyPair::from_private_key_and_public_key(
            &ECDSA_P256_SHA256_FIXED_SIGNING,
            &secret.to_bytes(),
            &public,
            &SystemRandom::new(),
        );
        Some(Self {
            pair: Arc::new(pair.ok()?),
            public: super::BASE64.encode(&public),
        })
    }

    /// The public half, as a browser is told it.
    pub(crate) fn public(&self) -> &str {
        &self.public
    }

    /// The value of `Authorization` for a service; `origin` is `https://` and its host. `None` where signing fails.
    pub(super) fn authorization(&self, origin: &str, now: Timestamp) -> Option<String> {
        let encode = |json: serde_json::Value| super::BASE64.encode(json.to_string().as_bytes());
        let expires = now.plus_min(GOOD_FOR_MIN).ms() / 1000;
        let header = encode(json!({"typ": "JWT", "alg": "ES256"}));
        let claims = encode(json!({"aud": origin, "exp": expires, "sub": CONTACT}));
        let signed = format!("{header}.{claims}");
        let signature = self.pair.sign(&SystemRandom::new(), signed.as_bytes()).ok()?;
        let signature = super::BASE64.encode(signature.as_ref());
        Some(format!("vapid t={signed}.{signature}, k={}", self.public))
    }
}

#[cfg(test)]
mod tests {
    use super::{super::BASE64, *};
    use ring::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};
    use serde_json::Value;

    /// Header and claims of a value of `Authorization`, when its signature is good.
    fn verify(authorization: &str) -> Option<[Value; 2]> {
        let (token, key) = authorization.strip_prefix("vapid t=")?.split_once(", k=")?;
        let (signed, signature) = token.rsplit_once('.')?;
        let (header, claims) = signed.split_once('.')?;
        let bytes = |text: &str| BASE64.decode(text.as_bytes()).unwrap();
        UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, bytes(key))
            .verify(signed.as_bytes(), &bytes(signature))
            .ok()?;
        Some([header, claims].map(|part| serde_json::from_slice(&bytes(part)).unwrap()))
    }

    #[test]
    fn example_of_rfc_8292_is_verified_and_a_changed_one_is_not() {
        let example = "vapid t=eyJ0eXAiOiJKV1QiLCJhbGciOiJFUzI1NiJ9.eyJhdWQiOiJodHRwczovL3B1c2guZXhhbXBsZS5uZXQiLCJleHAiOjE0NTM1MjM3NjgsInN1YiI6\
            Im1haWx0bzpwdXNoQGV4YW1wbGUuY29tIn0.i3CYb7t4xfxCDquptFOepC9GAu_HLGkMlMuCGSK2rpiUfnK9ojFwDXb1JrErtmysazNjjvW2L9OkSSHzvoD1oA, \
            k=BA1Hxzyi1RUM1b5wjxsn7nGxAszw2u61m164i3MrAIxHF6YK5h4SDYic-dRuU_RCPCfA5aq9ojSwk5Y2EmClBPs";
        let [header, claims] = verify(example).unwrap();
        assert_eq!(header, json!({"typ": "JWT", "alg": "ES256"}));
        let said = json!({"aud": "https://push.example.net", "exp": 1_453_523_768, "sub": "mailto:push@example.com"});
        assert_eq!(claims, said);
        assert_eq!(
            verify(&example.replace("aW5n", "aW5o").replace("i3CYb7", "i3CYb8")),
            None
        );
    }

    #[test]
    fn signature_names_the_service_and_half_a_day_and_is_the_installations_own() {
        let key = |seed| VapidKey::of_installation(&OwnerSeed::from_day_seed(seed)).unwrap();
        let now = Timestamp::parse("2026-11-26T08:00:00Z").unwrap();
        let one = key("one");
        let authorization = one.authorization("https://push.example.net", now).unwrap();
        let [header, claims] = verify(&authorization).unwrap();
        assert_eq!(header, json!({"typ": "JWT", "alg": "ES256"}));
        let until = Timestamp::parse("2026-11-26T20:00:00Z").unwrap().ms() / 1000;
        assert_eq!(
            claims,
            json!({"aud": "https://push.example.net", "exp": until, "sub": CONTACT})
        );
        assert!(authorization.ends_with(one.public()));
        assert_eq!(one.public(), key("one").public());
        assert_ne!(one.public(), key("two").public());
        assert_eq!(format!("{one:?}"), "VapidKey(..)");
    }
}
