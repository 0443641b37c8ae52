//! Typed identifiers.
//!
//! What: every id that crosses a boundary, parsed on the way in, kept without an allocation of its own. Why: an id that holds text from outside, or an id
//! of the wrong sort, cannot be written. Not here: how agents key their hashes (`agents`), how the machine counts
//! ticks (`orchestrator-machine`).

use hmac::{Hmac, Mac, digest::KeyInit};
use serde::{Deserialize, Deserializer, Serialize, de::Visitor};
use sha2::{Digest, Sha256};
use smol_str::{SmolStr, format_smolstr};
use std::fmt;
use zeroize::Zeroizing;

/// A string that is not an id of the wanted shape.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a {what}: expected {shape}")]
pub struct IdError {
    /// Which id was wanted, e.g. `call id`.
    pub what: &'static str,
    /// Its shape in words or as a pattern.
    pub shape: &'static str,
}

/// How the characters after an id's prefix are checked.
#[derive(Clone, Copy)]
enum IdTail {
    Base36(usize),
    Hex(usize),
}

impl IdTail {
    fn admits(self, tail: &[u8]) -> bool {
        match self {
            IdTail::Base36(n) => {
                tail.len() == n && tail.iter().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
            }
            IdTail::Hex(n) => tail.len() == n && tail.iter().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')),
        }
    }
}

/// Reads text and parses it, without a copy of the text in between: ids are read in every gated call.
pub(crate) fn parsed<'de, D: Deserializer<'de>, T, E: fmt::Display>(
    d: D,
    parse: fn(&str) -> Result<T, E>,
) -> Result<T, D::Error> {
    struct TextVisitor<F>(F);
    impl<T, E: fmt::Display> Visitor<'_> for TextVisitor<fn(&str) -> Result<T, E>> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("text")
        }

        fn visit_str<X: serde::de::Error>(self, text: &str) -> Result<T, X> {
            (self.0)(text).map_err(X::custom)
        }
    }
    d.deserialize_str(TextVisitor(parse))
}

macro_rules! typed_id {
    ($(#[$doc:meta])* $name:ident, $what:literal, $prefix:literal, $tail:expr, $shape:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        #[serde(transparent)]
        pub struct $name(SmolStr);

        impl $name {
            /// Parses an id.
            ///
            /// # Errors
            /// [`IdError`] when the text has another shape.
            pub fn parse(text: &str) -> Result<Self, IdError> {
                match text.strip_prefix($prefix) {
                    Some(tail) if $tail.admits(tail.as_bytes()) => Ok(Self(SmolStr::new(text))),
                    _ => Err(IdError { what: $what, shape: $shape }),
                }
            }

            /// The id as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                parsed(d, Self::parse)
            }
        }
    };
}

typed_id!(
    /// One tool call (`^t_[a-z0-9]{10}$`, ADR-0009).
    CallId, "call id", "t_", IdTail::Base36(10), "^t_[a-z0-9]{10}$"
);
typed_id!(
    /// One decision and its trace (`^tr_[a-z0-9]{12}$`). One per tick.
    TraceId, "trace id", "tr_", IdTail::Base36(12), "^tr_[a-z0-9]{12}$"
);
typed_id!(
    /// One card shown to the owner (`^c_[a-z0-9]{12}$`).
    CardId, "card id", "c_", IdTail::Base36(12), "^c_[a-z0-9]{12}$"
);
typed_id!(
    /// A chat channel, as a keyed hash of its name (`^ch_[0-9a-f]{16}$`).
    ChannelHash, "channel hash", "ch_", IdTail::Hex(16), "^ch_[0-9a-f]{16}$"
);
typed_id!(
    /// A message, mail or notification, as a keyed hash (`^it_[0-9a-f]{16}$`).
    ItemId, "item id", "it_", IdTail::Hex(16), "^it_[0-9a-f]{16}$"
);
typed_id!(
    /// One instance of a calendar event, as a keyed hash of its UID and start (`^ev_[0-9a-f]{16}$`).
    EventId, "event id", "ev_", IdTail::Hex(16), "^ev_[0-9a-f]{16}$"
);
typed_id!(
    /// One occurrence of a task, as a keyed hash of its UID and of when it was meant (`^tk_[0-9a-f]{16}$`).
    TaskId, "task id", "tk_", IdTail::Hex(16), "^tk_[0-9a-f]{16}$"
);
typed_id!(
    /// A bank transaction, as a keyed hash of what identifies it (`^tx_[0-9a-f]{16}$`).
    TxnId, "transaction id", "tx_", IdTail::Hex(16), "^tx_[0-9a-f]{16}$"
);
typed_id!(
    /// A merchant, as a keyed hash of its normalised name (`^mh_[0-9a-f]{16}$`).
    MerchantHash, "merchant hash", "mh_", IdTail::Hex(16), "^mh_[0-9a-f]{16}$"
);

typed_id!(
    /// Somebody who wrote, as a keyed hash of the name or address (`^pe_[0-9a-f]{16}$`).
    PersonHash, "person hash", "pe_", IdTail::Hex(16), "^pe_[0-9a-f]{16}$"
);
typed_id!(
    /// A program that messages came through, as a keyed hash of its name (`^ap_[0-9a-f]{16}$`).
    AppHash, "app hash", "ap_", IdTail::Hex(16), "^ap_[0-9a-f]{16}$"
);

typed_id!(
    /// A request to have a tool called, as a keyed hash of who asks and of the key that they chose (`^rq_[0-9a-f]{16}$`).
    RequestId, "request id", "rq_", IdTail::Hex(16), "^rq_[0-9a-f]{16}$"
);

/// The id a source gave a signal: 1 to 64 of `A-Za-z0-9_.:@-`. Repeating one is harmless: ingestion is idempotent.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct SignalId(SmolStr);

impl SignalId {
    /// Parses a signal id.
    ///
    /// # Errors
    /// [`IdError`] when it is empty, longer than 64 bytes or has another character.
    pub fn parse(text: &str) -> Result<Self, IdError> {
        let ok = (1..=64).contains(&text.len())
            && text
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b':' | b'@' | b'-'));
        if ok {
            Ok(Self(SmolStr::new(text)))
        } else {
            Err(IdError {
                what: "signal id",
                shape: "^[A-Za-z0-9_.:@-]{1,64}$",
            })
        }
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SignalId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for SignalId {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        parsed(d, Self::parse)
    }
}

/// What a derived id is for; part of what is hashed, so two purposes never collide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdPurpose {
    /// A [`TraceId`].
    Trace,
    /// A [`CardId`].
    Card,
    /// The [`CallId`] of an agent's `tick`.
    TickCall,
    /// The [`CallId`] of an agent's `ingest`.
    IngestCall,
    /// The [`CallId`] of the chosen action.
    ActionCall,
    /// The [`CallId`] of a call that was asked for.
    RequestedCall,
    /// The [`TraceId`] of a call that was asked for.
    RequestedTrace,
}

impl IdPurpose {
    fn tag(self) -> &'static str {
        match self {
            IdPurpose::Trace => "trace",
            IdPurpose::Card => "card",
            IdPurpose::TickCall => "tick",
            IdPurpose::IngestCall => "ingest",
            IdPurpose::ActionCall => "action",
            IdPurpose::RequestedCall => "requested call",
            IdPurpose::RequestedTrace => "requested trace",
        }
    }
}

/// The secret from which all ids of an installation are derived. 32 bytes; never printed, wiped when dropped.
#[derive(Clone, PartialEq, Eq)]
pub struct OwnerSeed(Zeroizing<[u8; 32]>);

impl fmt::Debug for OwnerSeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OwnerSeed(..)")
    }
}

impl OwnerSeed {
    /// A seed from its bytes (the installation's random seed).
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(Zeroizing::new(bytes))
    }

    /// The seed of a recorded day: SHA-256 of `aura.day:` and the `seed` of `day.toml`, so that replays agree.
    pub fn from_day_seed(seed: &str) -> Self {
        Self::from_bytes(Sha256::digest(format!("aura.day:{seed}")).into())
    }

    /// A key for one use, HMAC-SHA256 of the use's name under the seed.
    pub fn key(&self, usage: &str) -> SecretKey {
        SecretKey(hmac_sha256(&self.0, &[usage.as_bytes()]))
    }

    fn base36(&self, purpose: IdPurpose, tick: u64, part: &str, attempt: u64, len: usize) -> SmolStr {
        /// The most digits that are asked for; so many fit into 63 bits.
        const MOST: usize = 12;
        let mut hashed = Sha256::new();
        for piece in [
            &self.0[..],
            purpose.tag().as_bytes(),
            b":",
            format_smolstr!("{tick}").as_bytes(),
            b":",
            part.as_bytes(),
            b":",
            format_smolstr!("{attempt}").as_bytes(),
        ] {
            hashed.update(piece);
        }
        let whole = hashed
            .finalize()
            .iter()
            .take(16)
            .fold(0_u128, |acc, byte| acc << 8 | u128::from(*byte));
        // Its last digits are those of what is left by the power of the base: one division of 128 bits in place of one a digit.
        let mut value = u64::try_from(whole % 36_u128.pow(12)).unwrap_or_default();
        let digits = (0..len.min(MOST)).map(|_| {
            // `value % 36` is below 36, so the index is in range.
            let digit = b"0123456789abcdefghijklmnopqrstuvwxyz"[(value % 36) as usize];
            value /= 36;
            char::from(digit)
        });
        digits.collect()
    }

    /// Derives the trace id of a tick.
    pub fn trace_id(&self, tick: u64) -> TraceId {
        TraceId(format_smolstr!(
            "tr_{}",
            self.base36(IdPurpose::Trace, tick, "", 0, 12)
        ))
    }

    /// Derives the trace id of a call that was asked for, by its own number.
    pub fn call_trace_id(&self, call: u64) -> TraceId {
        TraceId(format_smolstr!(
            "tr_{}",
            self.base36(IdPurpose::RequestedTrace, call, "", 0, 12)
        ))
    }

    /// Derives the card id of a tick.
    pub fn card_id(&self, tick: u64) -> CardId {
        CardId(format_smolstr!(
            "c_{}",
            self.base36(IdPurpose::Card, tick, "", 0, 12)
        ))
    }

    /// Derives a call id from the tick (or ingest) number, purpose, tool name and attempt.
    pub fn call_id(&self, purpose: IdPurpose, number: u64, tool: &str, attempt: u64) -> CallId {
        CallId(format_smolstr!(
            "t_{}",
            self.base36(purpose, number, tool, attempt, 10)
        ))
    }
}

/// A 32-byte key for keyed hashes and capabilities; never printed. Serialized only into the first frame to a process of
/// Aura's own ([`crate::wire::ToAgent::Begin`]), never onto a disk.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SecretKey([u8; 32]);

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretKey(..)")
    }
}

impl SecretKey {
    /// HMAC-SHA256 over the parts, each preceded by its length so that parts cannot run together.
    pub fn mac(&self, parts: &[&[u8]]) -> [u8; 32] {
        with_length_prefixes(parts, |framed| hmac_sha256(&self.0, framed))
    }

    /// Whether that is the [`SecretKey::mac`] of the parts, as 64 lower-case hexadecimal digits. Takes the same time whatever differs.
    pub fn verify_hex(&self, parts: &[&[u8]], submitted: &str) -> bool {
        let Some(mac) = unhex(submitted) else {
            return false;
        };
        with_length_prefixes(parts, |framed| {
            keyed_mac(&self.0, framed).verify_slice(&mac).is_ok()
        })
    }

    fn hex16(&self, parts: &[&[u8]]) -> String {
        hex(&self.mac(parts)[..8])
    }

    /// The keyed hash of a channel's name.
    pub fn channel(&self, name: &str) -> ChannelHash {
        ChannelHash(format_smolstr!(
            "ch_{}",
            self.hex16(&[b"channel", name.as_bytes()])
        ))
    }

    /// The keyed hash of who wrote: a name, or an address.
    pub fn person(&self, name: &str) -> PersonHash {
        PersonHash(format_smolstr!(
            "pe_{}",
            self.hex16(&[b"person", name.as_bytes()])
        ))
    }

    /// The keyed hash of a program.
    pub fn app(&self, name: &str) -> AppHash {
        AppHash(format_smolstr!("ap_{}", self.hex16(&[b"app", name.as_bytes()])))
    }

    /// The keyed hash that names a message.
    pub fn item(&self, source_id: &str) -> ItemId {
        ItemId(format_smolstr!(
            "it_{}",
            self.hex16(&[b"item", source_id.as_bytes()])
        ))
    }

    /// The keyed hash that names an event instance: UID and start.
    pub fn event(&self, uid: &str, start: &str) -> EventId {
        EventId(format_smolstr!(
            "ev_{}",
            self.hex16(&[b"event", uid.as_bytes(), start.as_bytes()])
        ))
    }

    /// The keyed hash that names an occurrence of a task: UID and when it was meant, empty for one that does not repeat.
    pub fn task(&self, uid: &str, original: &str) -> TaskId {
        TaskId(format_smolstr!(
            "tk_{}",
            self.hex16(&[b"task", uid.as_bytes(), original.as_bytes()])
        ))
    }

    /// The keyed hash that names a transaction.
    pub fn txn(&self, identity: &str) -> TxnId {
        TxnId(format_smolstr!(
            "tx_{}",
            self.hex16(&[b"txn", identity.as_bytes()])
        ))
    }

    /// The keyed hash of a request: who asks, and the key that they chose.
    pub fn request(&self, asker: &str, idempotency_key: &str) -> RequestId {
        RequestId(format_smolstr!(
            "rq_{}",
            self.hex16(&[b"request", asker.as_bytes(), idempotency_key.as_bytes()])
        ))
    }

    /// The keyed hash of a merchant's normalised name.
    pub fn merchant(&self, name: &str) -> MerchantHash {
        MerchantHash(format_smolstr!(
            "mh_{}",
            self.hex16(&[b"merchant", name.as_bytes()])
        ))
    }
}

/// HMAC-SHA256 of the parts, one behind the other.
pub fn hmac_sha256(key: &[u8; 32], parts: &[&[u8]]) -> [u8; 32] {
    keyed_mac(key, parts).finalize().into_bytes().into()
}

/// HMAC fills a key up to its block with zeros; given a whole block it cannot fail.
fn keyed_mac(key: &[u8; 32], parts: &[&[u8]]) -> Hmac<Sha256> {
    let mut block = hmac::digest::Key::<Hmac<Sha256>>::default();
    for (filled, byte) in block.iter_mut().zip(key) {
        *filled = *byte;
    }
    let mut mac = <Hmac<Sha256> as KeyInit>::new(&block);
    for part in parts {
        mac.update(part);
    }
    mac
}

/// Each part behind its length.
fn with_length_prefixes<T>(parts: &[&[u8]], work: impl FnOnce(&[&[u8]]) -> T) -> T {
    let lengths: Vec<[u8; 8]> = parts
        .iter()
        .map(|part| (part.len() as u64).to_be_bytes())
        .collect();
    let framed: Vec<&[u8]> = lengths
        .iter()
        .map(<[u8; 8]>::as_slice)
        .zip(parts.iter().copied())
        .flat_map(|(n, p)| [n, p])
        .collect();
    work(&framed)
}

/// 32 bytes from 64 lower-case hexadecimal digits.
fn unhex(text: &str) -> Option<[u8; 32]> {
    let digit = |digit: &u8| match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    };
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    let bytes: Option<Vec<u8>> = pairs
        .iter()
        .map(|[high, low]| Some(digit(high)? << 4 | digit(low)?))
        .collect();
    bytes.filter(|_| rest.is_empty())?.try_into().ok()
}

/// Lower-case hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut out = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        out.push(char::from(DIGITS[usize::from(byte >> 4)]));
        out.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
    out
}

/// SHA-256 of some bytes as 64 hexadecimal digits.
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mac_is_the_one_of_rfc_4231_and_only_its_own_digits_pass() {
        // RFC 4231, test case 2: a key shorter than the block is filled with zeros, so 32 bytes say the same as 4.
        let mut key = [0; 32];
        key[..4].copy_from_slice(b"Jefe");
        assert_eq!(
            hex(&hmac_sha256(&key, &[b"what do ya want ", b"for nothing?"])),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
        let key = SecretKey(key);
        let (parts, other): (&[&[u8]], &[&[u8]]) = (&[b"a", b"bc"], &[b"ab", b"c"]);
        let good = hex(&key.mac(parts));
        assert!(key.verify_hex(parts, &good));
        assert!(!key.verify_hex(other, &good));
        let last = if good.ends_with('0') { "1" } else { "0" };
        for bad in [
            String::new(),
            good[1..].to_owned(),
            format!("{good}0"),
            format!("{}{last}", &good[..63]),
            good.to_uppercase() + "x",
            "0".repeat(64),
            "é".repeat(32),
        ] {
            assert!(!key.verify_hex(parts, &bad), "{bad:?}");
        }
    }

    #[test]
    fn derived_ids_have_the_shapes_of_the_schemas() {
        let seed = OwnerSeed::from_day_seed("morning");
        assert!(TraceId::parse(seed.trace_id(1).as_str()).is_ok());
        assert!(CardId::parse(seed.card_id(1).as_str()).is_ok());
        let call = seed.call_id(IdPurpose::TickCall, 1, "comms.tick", 0);
        assert!(CallId::parse(call.as_str()).is_ok());
        assert_ne!(call, seed.call_id(IdPurpose::ActionCall, 1, "comms.tick", 0));
        assert_ne!(call, seed.call_id(IdPurpose::TickCall, 1, "comms.tick", 1));
    }

    #[test]
    fn call_id_refuses_upper_case_length_and_newline() {
        for bad in ["t_ABCDEFGHIJ", "t_abc", "t_abcdefghij\n", "x_abcdefghij", ""] {
            assert!(CallId::parse(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn keyed_parts_cannot_run_together() {
        let key = OwnerSeed::from_day_seed("x").key("test");
        assert_ne!(key.mac(&[b"ab", b"c"]), key.mac(&[b"a", b"bc"]));
    }
}
