//! What leaves the process, and what of it can be opened.
//!
//! What: entries and snapshots under their keys. Not here: the cipher (`chacha20poly1305`).

use aura_hosts::{
    EntryCipher, KeyCipher, LogPosition, OwnerSubject, PartPlace, SealError, SealedEntry, key_number,
};
use aura_memory::{StoreWrite, WRITES_FORMAT};
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

/// A data key of an owner's, and that key sealed.
fn cipher_of(seed: [u8; 32], number: u32) -> (EntryCipher, Vec<u8>) {
    let keys = KeyCipher::derive(&OwnerSeed::from_bytes(seed));
    let sealed = keys.make_key(number).unwrap();
    (keys.open_key(number, &sealed).unwrap(), sealed)
}

#[test]
fn what_was_sealed_opens_for_its_owner_at_its_place_unchanged_and_as_what_it_is() {
    let (hers, his) = ([1; 32], [2; 32]);
    let (cipher, key) = cipher_of(hers, 3);
    let at = LogPosition::new(7);
    let sealed = cipher.seal_group(at, &group()).unwrap();
    assert_eq!(cipher.open_group(at, &sealed).unwrap(), group());
    // On another host.
    let there = KeyCipher::derive(&OwnerSeed::from_bytes(hers));
    let opened = there.open_key(3, &key).unwrap();
    assert_eq!(opened.open_group(at, &sealed).unwrap(), group());
    assert_eq!(key_number(sealed.bytes()), Some(3));
    assert_ne!(
        cipher.seal_group(at, &group()).unwrap(),
        sealed,
        "a nonce is used once"
    );

    // Another owner does not open her key, nor has it another number.
    let others = KeyCipher::derive(&OwnerSeed::from_bytes(his));
    assert!(others.open_key(3, &key).is_err() && there.open_key(4, &key).is_err());
    let (other, _) = cipher_of(his, 3);
    let (later, _) = cipher_of(hers, 3);
    let refused = [
        other.open_group(at, &sealed),
        later.open_group(at, &sealed),
        cipher.open_group(LogPosition::new(6), &sealed),
        cipher.open_group(LogPosition::new(8), &sealed),
    ];
    for refused in refused {
        assert!(matches!(refused, Err(SealError::Foreign(_))), "{refused:?}");
    }
    let place = PartPlace::first(at).unwrap();
    assert!(
        cipher.open_part(place, sealed.bytes()).is_err(),
        "an entry is no part of a snapshot"
    );
    let part = cipher.seal_part(place, b"state").unwrap();
    assert_eq!(cipher.open_part(place, &part).unwrap().as_slice(), b"state");
    for other in [
        PartPlace { part: 1, ..place },
        PartPlace {
            is_last: true,
            ..place
        },
        PartPlace {
            position: LogPosition::new(8),
            ..place
        },
        PartPlace::first(at).unwrap(),
    ] {
        assert!(cipher.open_part(other, &part).is_err(), "{other:?}");
    }
    assert!(cipher.open_group(at, &SealedEntry::from_bytes(part)).is_err());
    // The number of the key says which one is tried.
    for place in 4..sealed.bytes().len() {
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
    let (cipher, _) = cipher_of([1; 32], 1);
    let keys = KeyCipher::derive(&seed);
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
    assert_eq!(&subject, keys.subject());
    assert_ne!(subject, OwnerSubject::derive(&OwnerSeed::from_bytes([2; 32])));
    let shown = format!("{cipher:?} {keys:?} {sealed:?}");
    assert_eq!(
        shown,
        format!(
            "EntryCipher(..) KeyCipher(..) SealedEntry({} bytes)",
            sealed.bytes().len()
        )
    );
}

#[test]
fn entry_of_a_newer_version_is_refused_whole_and_one_of_before_is_read() {
    let (cipher, _) = cipher_of([1; 32], 1);
    let at = LogPosition::new(1);
    let known = serde_json::to_string(&group()).unwrap();
    for format in [WRITES_FORMAT + 1, u32::MAX] {
        for writes in [known.as_str(), r#"[{"Unheard":{}}]"#, "7"] {
            let plain = format!(r#"{{"format":{format},"writes":{writes},"more":1}}"#);
            let entry = cipher.seal_plain(at, plain.as_bytes()).unwrap();
            let refused = cipher.open_group(at, &entry);
            assert!(
                matches!(refused, Err(SealError::Newer(_, found)) if found == format),
                "{refused:?}"
            );
        }
    }
    let before = cipher.seal_plain(at, known.as_bytes()).unwrap();
    assert_eq!(cipher.open_group(at, &before).unwrap(), group());
}
