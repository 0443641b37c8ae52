//! Which posted signals were read.
//!
//! What: [`SignalKey`], by which a signal is known again, and [`ReadSignal`], its row. Why: who posts a signal twice must not have it
//! counted twice, and what was not read must be readable when it is posted again. Not here: offering signals to agents
//! (`aura_runtime::delivery`). The row stands in the commit of the answer that read the signal, and is kept as long as what it told.

use crate::{StoreReader, error::StoreError};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use toolcall_schema::{
    ids::{OwnerSeed, hex},
    signal::Signal,
};

/// A keyed hash of a signal's source, kind and id: 32 hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SignalKey(String);

impl SignalKey {
    /// The key of a signal under an installation's seed.
    pub fn from_signal(seed: &OwnerSeed, signal: &Signal) -> Self {
        let mac = seed.key("signal id v1").mac(&[
            signal.source.as_bytes(),
            signal.kind.as_str().as_bytes(),
            signal.id.as_str().as_bytes(),
        ]);
        Self(hex(mac.get(..16).unwrap_or_default()))
    }

    /// The text in the table.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// What became of a signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum SignalFate {
    /// An agent read it, and the answer is in the journal.
    Read,
    /// It ended its agent's process three times and is never offered again.
    Refused,
}

/// The row of a signal that is done with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadSignal {
    pub key: SignalKey,
    /// When it happened, milliseconds since 1970 UTC.
    pub at_ms: i64,
    /// What became of it.
    pub fate: SignalFate,
}

impl StoreReader {
    /// What became of these signals; those that are not named were neither read nor refused.
    ///
    /// # Errors
    /// STORE-003 or STORE-007.
    pub fn signal_fates<'a>(
        &self,
        keys: impl IntoIterator<Item = &'a SignalKey>,
    ) -> Result<BTreeMap<SignalKey, SignalFate>, StoreError> {
        let mut found = BTreeMap::new();
        for key in keys {
            let sql = "SELECT refused FROM signals WHERE key = ?1";
            let fates = self.rows(sql, &[&key.as_str()], |row| {
                let refused: bool = row.get(0)?;
                Ok(Some(if refused {
                    SignalFate::Refused
                } else {
                    SignalFate::Read
                }))
            })?;
            found.extend(fates.first().map(|fate| (key.clone(), *fate)));
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        AgeReference, Store, StoreOptions, StoreWrite, Vault,
        erase::{ErasurePoint, RetentionPolicy, UnfinishedRows},
    };
    use serde_json::json;
    use toolcall_schema::{Timestamp, forget::ErasureScope};

    fn signal(source: &str, kind: &str, id: &str) -> Signal {
        let signal =
            json!({"id": id, "at": "2026-11-03T12:00:00Z", "source": source, "kind": kind, "payload": {}});
        serde_json::from_value(signal).unwrap()
    }

    #[test]
    fn a_signal_is_known_by_source_kind_and_id_and_by_no_text_of_them() {
        let seed = OwnerSeed::from_day_seed("one");
        let key = |signal: &Signal| SignalKey::from_signal(&seed, signal);
        let one = signal("phone", "mail", "n-1");
        assert_eq!(key(&one), key(&signal("phone", "mail", "n-1")));
        for other in [
            signal("watch", "mail", "n-1"),
            signal("phone", "hrv", "n-1"),
            signal("phone", "mail", "n-2"),
        ] {
            assert_ne!(key(&one), key(&other));
        }
        assert_ne!(
            key(&one),
            SignalKey::from_signal(&OwnerSeed::from_day_seed("other"), &one)
        );
        assert_eq!(key(&one).as_str().len(), 32);
    }

    #[test]
    fn fates_are_kept_as_long_as_what_the_signals_told() {
        let dir = tempfile::TempDir::new().unwrap();
        let vault = Vault::ephemeral(dir.path()).unwrap();
        let seed = OwnerSeed::from_day_seed("one");
        let key = |n: i64| SignalKey::from_signal(&seed, &signal("phone", "mail", &format!("n-{n}")));
        let keys: Vec<SignalKey> = (0..4).map(key).collect();
        let day = |n: i64| {
            Timestamp::parse("2026-11-03T12:00:00Z")
                .unwrap()
                .plus_min(n * 1440)
        };
        let (store, _) = Store::open(&vault, StoreOptions::default()).unwrap();
        // 0 and 1 are 100 and 91 days old on the last day, 3 was refused.
        let rows = [(0, 0), (1, 9), (2, 60), (3, 70)].map(|(n, on)| {
            StoreWrite::Signal(ReadSignal {
                key: key(n),
                at_ms: day(on).ms(),
                fate: if n == 3 {
                    SignalFate::Refused
                } else {
                    SignalFate::Read
                },
            })
        });
        // The same again changes nothing: one that was read is never refused later.
        let again = StoreWrite::Signal(ReadSignal {
            key: key(2),
            at_ms: 0,
            fate: SignalFate::Refused,
        });
        store.write(rows.into_iter().chain([again]).collect()).unwrap();
        drop(store);
        let fates = || -> Vec<Option<SignalFate>> {
            let reader = StoreReader::open(&vault).unwrap();
            let found = reader.signal_fates(&keys).unwrap();
            keys.iter().map(|key| found.get(key).copied()).collect()
        };
        let (read, refused) = (Some(SignalFate::Read), Some(SignalFate::Refused));
        assert_eq!(fates(), [read, read, read, refused]);
        let remove = |rows: &dyn Fn(&StoreReader) -> crate::erase::RowRemoval| {
            let (store, _) = Store::open(&vault, StoreOptions::default()).unwrap();
            store.remove(rows(&StoreReader::open(&vault).unwrap())).unwrap();
        };
        remove(&|reader| {
            reader
                .old_graph_rows(&RetentionPolicy::default(), &AgeReference::at(day(100)))
                .unwrap()
        });
        assert_eq!(
            fates(),
            [None, None, read, refused],
            "payments are kept for 90 days"
        );
        let rows = UnfinishedRows {
            cut: ErasurePoint {
                at: day(100),
                event: 0,
                tick: 0,
                call: 0,
            },
            zone: chrono_tz::Tz::UTC,
            graph_gone: false,
            erasure: None,
        };
        remove(&|reader| {
            reader
                .graph_rows(&ErasureScope::within(day(65), day(75)), &rows)
                .unwrap()
        });
        assert_eq!(fates(), [None, None, read, None]);
    }
}
