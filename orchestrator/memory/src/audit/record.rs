//! One record: what was done, to what, and the bytes that stand for it in the tree.
//!
//! What: [`AuditEntry`], what a caller says; [`AuditSubject`], which can be erased; [`AuditRecord`], as it is kept; the canonical bytes of
//! both. Why: erasing must destroy what a record says and leave every proof as it was, so a leaf holds only a *commitment*
//! to the meaning. Not here: the tree (`tree`), the table (`log`).
//!
//! ```text
//! meaning     {"count":3,"id":"tr_000000000001","kind":"trace"}      RFC 8785; what is not there is left out
//! commitment  HMAC-SHA256(blind, meaning)                            blind: 32 random bytes, one for each record
//! leaf        aura.audit.v1 ⏎ <seq> ⏎ <at_ms> ⏎ <op> ⏎ <commitment, 64 hexadecimal digits> ⏎
//! chain       HMAC-SHA256 under a key of the installation, over the chain value before and the leaf
//! ```
//!
//! Without its blind a commitment says nothing, not even to who guesses the meaning: 2^256 blinds fit each guess.

use super::{hexed::HexBytes, tree::Sha256Hash};
use serde::{Deserialize, Serialize};
use toolcall_schema::ids::{hex, hmac_sha256};

named!(
    /// What was done.
    Op {
        /// Something kept was shown to somebody.
        Read = "read",
        /// Something was kept.
        Write = "write",
        /// The owner had something erased.
        Delete = "delete",
        /// What is kept only for a time was erased at its end.
        Purge = "purge",
        /// A copy was made to be taken away.
        Export = "export",
        /// An export was taken in, or the owner's sources were read from their beginning.
        Import = "import",
        /// A sealed copy of the folder was made.
        Backup = "backup",
        /// The folder was made from a sealed copy.
        Restore = "restore",
        /// Key or passphrase were changed.
        KeyChange = "key_change",
        /// The owner gave something a name, or took it away.
        Label = "label",
        /// Something was sent to another machine, or tried to.
        Send = "send",
        /// A damaged store was set aside and what could be read was taken over.
        Recovered = "recovered",
    }
);

named!(
    /// What it was done to.
    Kind {
        /// One trace.
        Trace = "trace",
        /// The list of traces.
        Traces = "traces",
        /// One node of the graph.
        Node = "node",
        /// The graph: a search, a list, figures.
        Graph = "graph",
        /// A person, with all that is known of them.
        Person = "person",
        /// A span of time.
        Span = "span",
        /// A rule of the owner.
        Rule = "rule",
        /// The pause.
        Pause = "pause",
        /// A tool that the owner had called.
        Call = "call",
        /// Policy and settings.
        Settings = "settings",
        /// The attention ledger.
        Ledger = "ledger",
        /// The audit log itself.
        Audit = "audit",
        /// The key of the folder.
        Key = "key",
        /// All that is kept.
        Memory = "memory",
        /// A notification; its id is the machine that it was sent to.
        Notification = "notification",
        /// Ticks and figures for a collector; its id is the machine that they were sent to.
        Telemetry = "telemetry",
        /// What a program of the owner's is connected to; its id is the host and its port.
        Connection = "connection",
        /// The draft of a reply in the outbox.
        Draft = "draft",
        /// The names in a folder of the owner's, who chooses a source.
        Folder = "folder",
    }
);

/// An id as it may stand in a record: 1 to 64 of `A-Za-z0-9_.:@-`. No text from outside has that shape by accident, and
/// none is put here on purpose: what the owner searched for is not recorded.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TargetId(String);

impl TargetId {
    /// Takes an id.
    ///
    /// # Errors
    /// The rule, when it has another shape.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        let fits = |b: u8| b.is_ascii_alphanumeric() || b"_.:@-".contains(&b);
        if (1..=64).contains(&text.len()) && text.bytes().all(fits) {
            Ok(Self(text.to_owned()))
        } else {
            Err("an id of 1 to 64 characters out of A-Z a-z 0-9 _ . : @ -")
        }
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for TargetId {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text)
    }
}

impl From<TargetId> for String {
    fn from(id: TargetId) -> Self {
        id.0
    }
}

/// What a record is about. Erased with what it speaks of.
///
/// Its fields stand in the order of their names, so that its JSON is canonical (RFC 8785).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AuditSubject {
    /// How many rows it touched, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// Which one; absent: all of that kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<TargetId>,
    /// What it was done to.
    pub kind: Kind,
}

impl AuditSubject {
    /// All of a kind.
    pub fn all_of(kind: Kind) -> Self {
        Self {
            count: None,
            id: None,
            kind,
        }
    }

    /// One of a kind. An id of another shape is left out: a record that says less is better than an act without one.
    pub fn one(kind: Kind, id: &str) -> Self {
        Self {
            id: TargetId::parse(id).ok(),
            ..Self::all_of(kind)
        }
    }

    /// With how many rows it touched.
    #[must_use]
    pub fn with_count(self, count: u64) -> Self {
        Self {
            count: Some(count),
            ..self
        }
    }

    /// The commitment to it under a blind.
    pub fn commitment(&self, blind: &Sha256Hash) -> Sha256Hash {
        // Names and numbers: serializing cannot fail.
        let text = serde_json::to_vec(self).unwrap_or_default();
        hmac_sha256(blind, &[&text])
    }
}

impl From<Kind> for AuditSubject {
    fn from(kind: Kind) -> Self {
        Self::all_of(kind)
    }
}

/// What a caller has recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditEntry {
    /// When, milliseconds since 1970 UTC. Before the last record's time it counts as that.
    pub at_ms: i64,
    /// What was done.
    pub op: Op,
    /// To what.
    pub meaning: AuditSubject,
}

/// A meaning with the blind that its commitment was made with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RevealedSubject {
    /// The meaning.
    pub meaning: AuditSubject,
    /// The blind.
    pub blind: HexBytes<32>,
}

/// One record as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AuditRecord {
    /// Its number, from 1.
    pub seq: u64,
    /// When, milliseconds since 1970 UTC; never before the record before it.
    pub at_ms: i64,
    /// What was done.
    pub op: Op,
    /// To the meaning.
    pub commitment: HexBytes<32>,
    /// The meaning; absent: it was erased, or is not shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revealed: Option<RevealedSubject>,
}

impl AuditRecord {
    /// The bytes of its leaf.
    pub fn leaf(&self) -> Vec<u8> {
        leaf(self.seq, self.at_ms, self.op, &self.commitment.0)
    }

    /// Whether what is revealed is what was committed to; so it is where nothing is revealed.
    pub(crate) fn keeps_its_commitment(&self) -> bool {
        self.revealed
            .as_ref()
            .is_none_or(|revealed| revealed.meaning.commitment(&revealed.blind.0) == self.commitment.0)
    }
}

/// The bytes of a leaf.
pub(super) fn leaf(seq: u64, at_ms: i64, op: Op, commitment: &Sha256Hash) -> Vec<u8> {
    format!("aura.audit.v1\n{seq}\n{at_ms}\n{op}\n{}\n", hex(commitment)).into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn canonical_bytes_are_as_documented() {
        let meaning = AuditSubject::one(Kind::Trace, "tr_000000000001").with_count(3);
        assert_eq!(
            serde_json::to_string(&meaning).unwrap(),
            r#"{"count":3,"id":"tr_000000000001","kind":"trace"}"#
        );
        assert_eq!(
            serde_json::to_string(&AuditSubject::all_of(Kind::Memory)).unwrap(),
            r#"{"kind":"memory"}"#
        );
        let text = leaf(7, -5, Op::KeyChange, &[0xab; 32]);
        let wanted = format!("aura.audit.v1\n7\n-5\nkey_change\n{}\n", "ab".repeat(32));
        assert_eq!(String::from_utf8(text).unwrap(), wanted);
    }

    #[test]
    fn a_commitment_is_hmac_sha256_and_binds_the_meaning() {
        // Worked out with another implementation: HMAC-SHA256, key 32 times 0x01, over {"kind":"memory"}.
        let wanted = "641c0b356d24f4088319c30973f4c647a9a126ef4bd242859d7787340e8250f0";
        assert_eq!(
            hex(&AuditSubject::all_of(Kind::Memory).commitment(&[1; 32])),
            wanted
        );
        let all = [
            AuditSubject::all_of(Kind::Trace),
            AuditSubject::all_of(Kind::Traces),
            AuditSubject::one(Kind::Trace, "a"),
            AuditSubject::one(Kind::Trace, "b"),
            AuditSubject::one(Kind::Trace, "a").with_count(0),
        ];
        for (n, one) in all.iter().enumerate() {
            for other in &all[..n] {
                assert_ne!(
                    one.commitment(&[1; 32]),
                    other.commitment(&[1; 32]),
                    "{one:?} {other:?}"
                );
            }
            assert_ne!(one.commitment(&[1; 32]), one.commitment(&[2; 32]), "{one:?}");
        }
    }

    #[test]
    fn a_name_stands_for_itself_and_text_is_no_id() {
        for op in Op::ALL {
            assert_eq!(Op::parse(op.as_str()), Some(*op));
            assert_eq!(serde_json::to_value(op).unwrap(), op.as_str());
        }
        for kind in Kind::ALL {
            assert_eq!(Kind::parse(kind.as_str()), Some(*kind));
        }
        for bad in ["", "two words", "Ä", "a\n", &"x".repeat(65)] {
            assert!(TargetId::parse(bad).is_err(), "{bad:?}");
        }
        assert!(TargetId::parse(&"x".repeat(64)).is_ok());
    }
}
