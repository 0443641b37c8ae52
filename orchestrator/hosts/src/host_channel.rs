//! A sealed channel between two hosts.
//!
//! What: [`ChannelOffer`], by which a host begins one with another, [`answer_offer`], by which that one lets it in, and [`HostChannel`], which seals what
//! goes over it. Why: a connection that is handed over carries requests with the tokens in them. Not here: sockets (the program), what a host's key is
//! else for (`host_key`).
//!
//! It is `Noise_IK_25519_ChaChaPoly_SHA256` (the Noise protocol framework, revision 34) with the key pairs that hosts have. Whoever begins has to know the
//! other's public key, and says its own sealed; who is not known gets no answer. Each channel has keys of its own, which nobody has who steals a host's key
//! later.
//!
//! ```text
//! offer: 96 bytes    answer: 48 bytes    then, each way: <length: 2> <sealed, at most 16 KiB and 16 bytes>; an empty one is the end
//! ```

use crate::{
    host_key::{HostKey, HostPublicKey},
    seal::random,
};
use chacha20poly1305::{
    ChaCha20Poly1305, KeyInit as _,
    aead::{Aead as _, Payload},
};
use curve25519_dalek::MontgomeryPoint;
use sha2::{Digest as _, Sha256};
use snow::{
    Builder, HandshakeState, StatelessTransportState,
    params::{CipherChoice, DHChoice, HashChoice},
    resolvers::CryptoResolver,
    types::{Cipher, Dh, Hash, Random},
};
use zeroize::Zeroizing;

/// Bytes of what begins a channel.
pub const OFFER_BYTES: usize = 96;
/// Bytes of what answers it.
pub const ANSWER_BYTES: usize = 48;
/// Bytes of what is sealed at once, at most.
pub const FRAME_BYTES_MAX: usize = 16 << 10;
/// Bytes that sealing adds.
pub const FRAME_SEAL: usize = 16;

const PROTOCOL: &str = "Noise_IK_25519_ChaChaPoly_SHA256";
const PROLOGUE: &[u8] = b"aura handed-over connection v1";

/// What was begun with another host and is not answered yet.
pub struct ChannelOffer(HandshakeState);

/// What two hosts have in common for one connection. Frames are numbered from 0, each way by itself.
pub struct HostChannel(StatelessTransportState);

impl ChannelOffer {
    /// Begins a channel with a host. `None`: its key is none, or the system has no random numbers.
    pub fn make(key: &HostKey, to: &HostPublicKey) -> Option<(Self, Vec<u8>)> {
        let builder = builder(key)?.remote_public_key(to.bytes()).ok()?;
        let mut state = builder.build_initiator().ok()?;
        let mut offer = vec![0; OFFER_BYTES];
        let written = state.write_message(&[], &mut offer).ok()?;
        (written == OFFER_BYTES).then_some((Self(state), offer))
    }

    /// The channel, by the answer of that host; `None`: somebody else answered.
    pub fn accept(mut self, answer: &[u8]) -> Option<HostChannel> {
        self.0.read_message(answer, &mut []).ok()?;
        self.0.into_stateless_transport_mode().ok().map(HostChannel)
    }
}

/// A channel for a host that is known, and what it is answered; `None`: it gets nothing.
pub fn answer_offer(
    key: &HostKey,
    offer: &[u8],
    is_known: impl FnOnce(&HostPublicKey) -> bool,
) -> Option<(HostChannel, Vec<u8>)> {
    let mut state = builder(key)?.build_responder().ok()?;
    state.read_message(offer, &mut []).ok()?;
    let from = state.get_remote_static()?.try_into().ok()?;
    if !is_known(&HostPublicKey::from_bytes(from)) {
        return None;
    }
    let mut answer = vec![0; ANSWER_BYTES];
    let written = state.write_message(&[], &mut answer).ok()?;
    let channel = state.into_stateless_transport_mode().ok().map(HostChannel)?;
    (written == ANSWER_BYTES).then_some((channel, answer))
}

impl HostChannel {
    /// Seals the frame of that number; `None`: it is too long.
    pub fn seal_frame(&self, number: u64, plain: &[u8]) -> Option<Vec<u8>> {
        if plain.len() > FRAME_BYTES_MAX {
            return None;
        }
        let mut sealed = vec![0; plain.len() + FRAME_SEAL];
        self.0.write_message(number, plain, &mut sealed).ok()?;
        Some(sealed)
    }

    /// Opens the frame of that number; `None`: it is another one, or was changed.
    pub fn open_frame(&self, number: u64, sealed: &[u8]) -> Option<Vec<u8>> {
        let mut plain = vec![0; sealed.len().checked_sub(FRAME_SEAL)?];
        self.0.read_message(number, sealed, &mut plain).ok()?;
        Some(plain)
    }
}

fn builder(key: &HostKey) -> Option<Builder<'_>> {
    let builder = Builder::with_resolver(PROTOCOL.parse().ok()?, Box::new(HostCrypto));
    builder
        .prologue(PROLOGUE)
        .ok()?
        .local_private_key(key.secret())
        .ok()
}

/// What the protocol is made of: the crates that are here already.
struct HostCrypto;

impl CryptoResolver for HostCrypto {
    fn resolve_rng(&self) -> Option<Box<dyn Random>> {
        Some(Box::new(SystemRandom))
    }

    fn resolve_dh(&self, choice: &DHChoice) -> Option<Box<dyn Dh>> {
        let pair = KeyPair25519 {
            secret: Zeroizing::default(),
            public: [0; 32],
        };
        matches!(choice, DHChoice::Curve25519).then(|| Box::new(pair) as Box<dyn Dh>)
    }

    fn resolve_hash(&self, choice: &HashChoice) -> Option<Box<dyn Hash>> {
        matches!(choice, HashChoice::SHA256).then(|| Box::new(NoiseSha256(Sha256::new())) as Box<dyn Hash>)
    }

    fn resolve_cipher(&self, choice: &CipherChoice) -> Option<Box<dyn Cipher>> {
        matches!(choice, CipherChoice::ChaChaPoly)
            .then(|| Box::new(NoiseChaCha(ChaCha20Poly1305::new(&[0; 32].into()))) as Box<dyn Cipher>)
    }
}

struct SystemRandom;

impl Random for SystemRandom {
    fn try_fill_bytes(&mut self, dest: &mut [u8]) -> Result<(), snow::Error> {
        for part in dest.chunks_mut(32) {
            let random = random::<32>().map_err(|_| snow::Error::Rng)?;
            part.copy_from_slice(random.get(..part.len()).ok_or(snow::Error::Rng)?);
        }
        Ok(())
    }
}

/// X25519 (RFC 7748).
struct KeyPair25519 {
    secret: Zeroizing<[u8; 32]>,
    public: [u8; 32],
}

/// The first 32 bytes; what is shorter never is a key.
fn key_bytes(bytes: &[u8]) -> [u8; 32] {
    bytes.first_chunk().copied().unwrap_or_default()
}

impl Dh for KeyPair25519 {
    fn name(&self) -> &'static str {
        "25519"
    }

    fn pub_len(&self) -> usize {
        32
    }

    fn priv_len(&self) -> usize {
        32
    }

    fn set(&mut self, privkey: &[u8]) {
        self.secret = Zeroizing::new(key_bytes(privkey));
        self.public = MontgomeryPoint::mul_base_clamped(*self.secret).0;
    }

    fn generate(&mut self, rng: &mut dyn Random) -> Result<(), snow::Error> {
        let mut secret = Zeroizing::new([0; 32]);
        rng.try_fill_bytes(&mut secret[..])?;
        self.set(&secret[..]);
        Ok(())
    }

    fn pubkey(&self) -> &[u8] {
        &self.public
    }

    fn privkey(&self) -> &[u8] {
        &self.secret[..]
    }

    fn dh(&self, pubkey: &[u8], out: &mut [u8]) -> Result<(), snow::Error> {
        let shared = MontgomeryPoint(key_bytes(pubkey)).mul_clamped(*self.secret).0;
        // Of a key of small order: everybody would come to the same.
        if shared == [0; 32] {
            return Err(snow::Error::Dh);
        }
        out.get_mut(..32).ok_or(snow::Error::Dh)?.copy_from_slice(&shared);
        Ok(())
    }
}

struct NoiseSha256(Sha256);

impl Hash for NoiseSha256 {
    fn name(&self) -> &'static str {
        "SHA256"
    }

    fn block_len(&self) -> usize {
        64
    }

    fn hash_len(&self) -> usize {
        32
    }

    fn reset(&mut self) {
        self.0 = Sha256::new();
    }

    fn input(&mut self, data: &[u8]) {
        self.0.update(data);
    }

    fn result(&mut self, out: &mut [u8]) {
        let hash = self.0.finalize_reset();
        if let Some(room) = out.get_mut(..hash.len()) {
            room.copy_from_slice(&hash);
        }
    }
}

struct NoiseChaCha(ChaCha20Poly1305);

/// 32 bits of zeros and the number, the lowest byte first (section 12.3 of the framework).
fn noise_nonce(number: u64) -> [u8; 12] {
    let mut nonce = [0; 12];
    nonce[4..].copy_from_slice(&number.to_le_bytes());
    nonce
}

impl Cipher for NoiseChaCha {
    fn name(&self) -> &'static str {
        "ChaChaPoly"
    }

    fn set(&mut self, key: &[u8; 32]) {
        self.0 = ChaCha20Poly1305::new(&(*key).into());
    }

    fn encrypt(&self, nonce: u64, authtext: &[u8], plaintext: &[u8], out: &mut [u8]) -> usize {
        let payload = Payload {
            msg: plaintext,
            aad: authtext,
        };
        // Only more than 256 GiB are refused, and room that is too small: nothing is sealed then, and the other host refuses it.
        let sealed = self
            .0
            .encrypt(&noise_nonce(nonce).into(), payload)
            .unwrap_or_default();
        if let Some(room) = out.get_mut(..sealed.len()) {
            room.copy_from_slice(&sealed);
        }
        sealed.len()
    }

    fn decrypt(
        &self,
        nonce: u64,
        authtext: &[u8],
        ciphertext: &[u8],
        out: &mut [u8],
    ) -> Result<usize, snow::Error> {
        let payload = Payload {
            msg: ciphertext,
            aad: authtext,
        };
        let plain = self.0.decrypt(&noise_nonce(nonce).into(), payload);
        let plain = plain.map_err(|_| snow::Error::Decrypt)?;
        let room = out.get_mut(..plain.len()).ok_or(snow::Error::Input)?;
        room.copy_from_slice(&plain);
        Ok(plain.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seal::unhex;
    use toolcall_schema::ids::hex;

    fn channels(a: &HostKey, b: &HostKey) -> (HostChannel, HostChannel) {
        let (offer, said) = ChannelOffer::make(a, &b.public()).unwrap();
        let (there, answer) = answer_offer(b, &said, |from| *from == a.public()).unwrap();
        (offer.accept(&answer).unwrap(), there)
    }

    #[test]
    fn what_goes_over_a_channel_is_opened_once_in_its_place_and_by_its_two_hosts_alone() {
        let (a, b) = (HostKey::generate().unwrap(), HostKey::generate().unwrap());
        let (here, there) = channels(&a, &b);
        let (_, another) = channels(&a, &b);
        let long = vec![7; FRAME_BYTES_MAX];
        for (number, plain) in [b"GET / HTTP/1.1".as_slice(), b"", &long].into_iter().enumerate() {
            let number = number as u64;
            let sealed = here.seal_frame(number, plain).unwrap();
            assert_eq!(sealed.len(), plain.len() + FRAME_SEAL);
            assert!(plain.is_empty() || !sealed.windows(plain.len()).any(|part| part == plain));
            assert_eq!(there.open_frame(number, &sealed).unwrap(), plain);
            assert!(there.open_frame(number + 1, &sealed).is_none());
            // Neither back to whom it is from nor on another connection of the same two.
            assert!(here.open_frame(number, &sealed).is_none());
            assert!(another.open_frame(number, &sealed).is_none());
            let mut changed = sealed.clone();
            changed[plain.len() / 2] ^= 1;
            assert!(there.open_frame(number, &changed).is_none());
            assert!(there.open_frame(number, &sealed[1..]).is_none());
        }
        assert!(here.seal_frame(9, &vec![0; FRAME_BYTES_MAX + 1]).is_none());
        assert!(here.open_frame(9, b"short").is_none());
    }

    #[test]
    fn who_is_not_known_or_asks_for_another_host_gets_nothing() {
        let [a, b, c] = [(); 3].map(|()| HostKey::generate().unwrap());
        let (offer, said) = ChannelOffer::make(&a, &b.public()).unwrap();
        assert!(answer_offer(&b, &said, |from| *from == c.public()).is_none());
        // Meant for another host.
        assert!(answer_offer(&c, &said, |_| true).is_none());
        for at in 0..said.len() {
            let mut changed = said.clone();
            changed[at] ^= 1;
            assert!(answer_offer(&b, &changed, |_| true).is_none(), "byte {at}");
        }
        assert!(answer_offer(&b, &said[1..], |_| true).is_none());
        assert!(answer_offer(&b, &[0; OFFER_BYTES], |_| true).is_none());
        // Another host's answer is none.
        let (_, to_c) = ChannelOffer::make(&a, &c.public()).unwrap();
        let (_, by_c) = answer_offer(&c, &to_c, |_| true).unwrap();
        assert!(offer.accept(&by_c).is_none());
    }

    #[test]
    fn what_is_said_is_what_the_framework_has() {
        // Test vectors of Cacophony, another implementation.
        let bytes = |text: &str| unhex(text).unwrap();
        let prologue = bytes("4a6f686e2047616c74");
        let begin = |secret, ephemeral| (bytes(secret), bytes(ephemeral));
        let (here, here_once) = begin(
            "e61ef9919cde45dd5f82166404bd08e38bceb5dfdfded0a34c8df7ed542214d1",
            "893e28b9dc6ca8d611ab664754b8ceb7bac5117349a4439a6b0569da977c464a",
        );
        let (there, there_once) = begin(
            "4a3acbfdb163dec651dfa3194dece676d437029c62a408b4c5ea9114246e4893",
            "bbdb4cdbd309f1a1f2e1456967fe288cadd6f712d65dc7b7793d5e63da6b375b",
        );
        let of_there = bytes("31e0303fd6418d2f8c0e78b91f22e8caed0fbe48656dcf4767e4834f701b8f62");
        let builder = || Builder::with_resolver(PROTOCOL.parse().unwrap(), Box::new(HostCrypto));
        let first = builder()
            .prologue(&prologue)
            .unwrap()
            .local_private_key(&here)
            .unwrap();
        let first = first.fixed_ephemeral_key_for_testing_only(&here_once);
        let mut first = first
            .remote_public_key(&of_there)
            .unwrap()
            .build_initiator()
            .unwrap();
        let second = builder()
            .prologue(&prologue)
            .unwrap()
            .local_private_key(&there)
            .unwrap();
        let second = second.fixed_ephemeral_key_for_testing_only(&there_once);
        let mut second = second.build_responder().unwrap();
        let mut pass = |payload: &str, said: &str, back: bool| {
            let (from, to) = if back {
                (&mut second, &mut first)
            } else {
                (&mut first, &mut second)
            };
            let (mut message, mut heard) = ([0; 256], [0; 256]);
            let written = from.write_message(&bytes(payload), &mut message).unwrap();
            assert_eq!(hex(&message[..written]), said);
            let read = to.read_message(&message[..written], &mut heard).unwrap();
            assert_eq!(hex(&heard[..read]), payload);
        };
        pass(
            "4c756477696720766f6e204d69736573",
            "ca35def5ae56cec33dc2036731ab14896bc4c75dbb07a61f879f8e3afa4c7944718da798efbcd91528520204f904b9bd6c7413dccdc214d951e15253e39987f18146e8cd0873654207148333479d4d16c289f0294b29960a72f48e0b7bba2e89083169825e59642148d492020664ccf7",
            false,
        );
        pass(
            "4d757272617920526f746862617264",
            "95ebc60d2b1fa672c1f46a8aa265ef51bfe38e7ccb39ec5be34069f1448088435361e70b2ed446e6c9ec387d1d6b3b840f194e373979d241b203c4acafccf5",
            true,
        );
        let [first, second] =
            [first, second].map(|state| HostChannel(state.into_stateless_transport_mode().unwrap()));
        let frame = bytes("462e20412e20486179656b");
        let sealed = first.seal_frame(0, &frame).unwrap();
        assert_eq!(
            hex(&sealed),
            "050e9f3c8fac16b68dbce8f8c4bfbf6617c897f9ada4aa29aa19c8"
        );
        assert_eq!(second.open_frame(0, &sealed).unwrap(), frame);
        let sealed = second.seal_frame(0, &bytes("4361726c204d656e676572")).unwrap();
        assert_eq!(
            hex(&sealed),
            "344233a6cabb7141d80f3da2fedc311d9646bbb0f505afe403a667"
        );
        let sealed = second
            .seal_frame(1, &bytes("457567656e2042f6686d20766f6e2042617765726b"))
            .unwrap();
        assert_eq!(
            hex(&sealed),
            "029bead1b40992327044d409d9a1f3ad8f36c3c452775d557e18bbeb2e8dfcead32d514024"
        );
    }
}
