//! Heads: one signed line that stands for the whole log up to a point.
//!
//! What: [`AuditKeys`], [`SignedTreeHead`] and [`InclusionProof`], with their checks, which need no store. Why: a log that only its keeper holds can
//! be cut off or written anew; a head that the owner has copied elsewhere shows both. Not here: when heads are made (`log`),
//! holding them against the log (`verify`).
//!
//! A head's signature (Ed25519) is over these lines, each ended by a line feed: `aura.audit.head.v1`, the day, the size, the
//! root and the chain value in hexadecimal digits.

use super::{
    hexed::HexBytes,
    record::AuditRecord,
    tree::{self, Sha256Hash},
};
use chrono::NaiveDate;
use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};
use serde::{Deserialize, Serialize};
use toolcall_schema::ids::{OwnerSeed, SecretKey};

/// The keys of an installation's log.
#[derive(Clone)]
pub struct AuditKeys {
    chain: SecretKey,
    signing: SigningKey,
}

impl std::fmt::Debug for AuditKeys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("AuditKeys(..)")
    }
}

impl AuditKeys {
    /// Derived from the installation's seed, so that they are as lasting as its ids.
    pub fn derive(seed: &OwnerSeed) -> Self {
        Self {
            chain: seed.key("audit chain v1"),
            signing: SigningKey::from_bytes(&seed.key("audit head v1").mac(&[])),
        }
    }

    /// With it anybody can check the installation's heads and proofs.
    pub fn public_key(&self) -> HexBytes<32> {
        HexBytes(self.signing.verifying_key().to_bytes())
    }

    /// The chain value after a leaf.
    pub(super) fn chain(&self, before: &Sha256Hash, leaf: &[u8]) -> Sha256Hash {
        self.chain.mac(&[before, leaf])
    }

    /// Signs a head.
    pub(super) fn sign_head(
        &self,
        day: NaiveDate,
        size: u64,
        root: Sha256Hash,
        chain: Sha256Hash,
    ) -> SignedTreeHead {
        let mut head = SignedTreeHead {
            day,
            size,
            root: HexBytes(root),
            chain: HexBytes(chain),
            signature: HexBytes([0; 64]),
            public_key: self.public_key(),
        };
        head.signature = HexBytes(self.signing.sign(head.signed_text().as_bytes()).to_bytes());
        head
    }
}

/// A point of the log, signed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignedTreeHead {
    /// The owner's local day that it closes.
    pub day: NaiveDate,
    /// How many records there were.
    pub size: u64,
    /// The tree's root over them.
    pub root: HexBytes<32>,
    /// The chain value after the last of them.
    pub chain: HexBytes<32>,
    /// Over all of it.
    pub signature: HexBytes<64>,
    /// Whose signature it is.
    pub public_key: HexBytes<32>,
}

impl SignedTreeHead {
    fn signed_text(&self) -> String {
        let Self {
            day,
            size,
            root,
            chain,
            ..
        } = self;
        format!("aura.audit.head.v1\n{day}\n{size}\n{root}\n{chain}\n")
    }

    /// Whether the signature is that of its key over its text.
    pub(crate) fn is_signed(&self) -> bool {
        VerifyingKey::from_bytes(&self.public_key.0).is_ok_and(|key| {
            let signature = Signature::from_bytes(&self.signature.0);
            key.verify_strict(self.signed_text().as_bytes(), &signature)
                .is_ok()
        })
    }
}

/// That a record is in the log which a head stands for; checked without the store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InclusionProof {
    /// The record; its meaning only where it was asked for.
    pub record: AuditRecord,
    /// The hashes beside its way to the root, from below.
    pub path: Vec<HexBytes<32>>,
    /// The head.
    pub head: SignedTreeHead,
}

/// Why a proof does not hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ProofError {
    /// The head was not signed with the key it names.
    #[error("the head is not signed by the key it names")]
    Signature,
    /// What is revealed is not what was committed to.
    #[error("the meaning is not the one that the record commits to")]
    Meaning,
    /// The path does not lead to the root.
    #[error("the record is not in the log that the head stands for")]
    Path,
}

impl InclusionProof {
    /// Holds all of it together. Who made the head is for the caller to compare: its public key.
    ///
    /// # Errors
    /// What does not hold.
    pub fn check(&self) -> Result<(), ProofError> {
        let path: Vec<Sha256Hash> = self.path.iter().map(|hash| hash.0).collect();
        let leaf = tree::leaf_hash(&self.record.leaf());
        let index = self.record.seq.checked_sub(1).ok_or(ProofError::Path)?;
        if !self.head.is_signed() {
            Err(ProofError::Signature)
        } else if !self.record.keeps_its_commitment() {
            Err(ProofError::Meaning)
        } else if !tree::is_included(&leaf, index, self.head.size, &path, &self.head.root.0) {
            Err(ProofError::Path)
        } else {
            Ok(())
        }
    }
}
