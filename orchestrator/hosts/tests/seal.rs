//! What leaves the process, and what of it can be opened.
//!
//! What: entries and snapshots under their keys. Not here: the cipher (`chacha20poly1305`).

use aura_hosts::{EntryCipher, LogPosition, OwnerSubject, SealError, SealedEntry};
use aura_memory::StoreWrite;
use toolcall_schema::ids::OwnerSeed;

fn group() -> Vec<StoreWrite> {
    vec![
        StoreWrite::Event {
            seq: 1,
            at_ms: 1_700_000_000_000,
            json: r#"{"kind":"started"}"#.to_owned(),
        },
        StoreWrite::Policy {
            hash: "0".repeat(64),
            text: "words of hers".to_owned(),
        },
    ]
}

#[test]
fn what_was_sealed_opens_for_its_owner_at_its_place_unchanged_and_as_what_it_is() {
    let (hers, his) = ([1; 32], [2; 32]);
    let cipher = EntryCipher::derive(&OwnerSeed::from_bytes(hers));
    let at = LogPosition::new(7);
    let sealed = cipher.seal_group(at, &group()).unwrap();
    assert_eq!(cipher.open_group(at, &sealed).unwrap(), group());
    // On another host.
    assert_eq!(
        EntryCipher::derive(&OwnerSeed::from_bytes(hers))
            .open_group(at, &sealed)
            .unwrap(),
        group()
    );
    assert_ne!(
        cipher.seal_group(at, &group()).unwrap(),
        sealed,
        "a nonce is used once"
    );

    let other = EntryCipher::derive(&OwnerSeed::from_bytes(his));
    let refused = [
        other.open_group(at, &sealed),
        cipher.open_group(LogPosition::new(6), &sealed),
        cipher.open_group(LogPosition::new(8), &sealed),
    ];
    for refused in refused {
        assert!(matches!(refused, Err(SealError::Foreign(_))), "{refused:?}");
    }
    assert!(
        cipher.open_snapshot(at, sealed.bytes()).is_err(),
        "an entry is no snapshot"
    );
    let snapshot = cipher.seal_snapshot(at, b"state").unwrap();
    assert_eq!(cipher.open_snapshot(at, &snapshot).unwrap().as_slice(), b"state");
    assert!(cipher.open_group(at, &SealedEntry::from_bytes(snapshot)).is_err());
    for place in 0..sealed.bytes().len() {
        let mut changed = sealed.bytes().to_vec();
        changed[place] ^= 1;
        assert!(
            cipher.open_group(at, &SealedEntry::from_bytes(changed)).is_err(),
            "byte {place}"
        );
        let cut = sealed.bytes()[..place].to_vec();
        assert!(
            cipher.open_group(at, &SealedEntry::from_bytes(cut)).is_err(),
            "cut at {place}"
        );
    }
}

#[test]
fn nothing_of_hers_can_be_read_in_what_leaves() {
    let seed = OwnerSeed::from_bytes([1; 32]);
    let cipher = EntryCipher::derive(&seed);
    let sealed = cipher.seal_group(LogPosition::new(1), &group()).unwrap();
    for word in ["words", "hers", "started", "Event", "Policy"] {
        let found = sealed
            .bytes()
            .windows(word.len())
            .any(|part| part == word.as_bytes());
        assert!(!found, "{word}");
    }
    let subject = OwnerSubject::derive(&seed);
    assert_eq!(subject.as_str().len(), 32);
    assert!(
        subject
            .as_str()
            .bytes()
            .all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
    );
    assert_eq!(&subject, cipher.subject());
    assert_ne!(subject, OwnerSubject::derive(&OwnerSeed::from_bytes([2; 32])));
    let shown = format!("{cipher:?} {sealed:?}");
    assert_eq!(
        shown,
        format!("EntryCipher(..) SealedEntry({} bytes)", sealed.bytes().len())
    );
}
