//! Who has what, in a file and on a server.
//!
//! What: two hosts that want one lease, and the list of all. Why: one of them has it. Not here: a lease that runs out, which a killed host leaves
//! (`takeover`), who takes which shard (`shared`).

use crate::support::NatsServer;
use aura_hosts::{
    HostLease, LeaseHold, LeaseName, LeaseTable, LeaseText, OwnerSubject, SqliteLeases,
    jetstream::JetStreamLeases, random_word,
};
use toolcall_schema::ids::OwnerSeed;

fn on_owner(number: u8) -> LeaseName {
    LeaseName::for_owner(&OwnerSubject::derive(&OwnerSeed::from_bytes([number; 32])))
}

fn is_held(lease: &mut dyn HostLease) -> bool {
    lease.try_hold().unwrap() != LeaseHold::Others
}

fn one_host_has_it(leases: &dyn LeaseTable) {
    let (here, there) = (random_word().unwrap(), random_word().unwrap());
    let open = |number, holder: &str| leases.lease(&on_owner(number), holder);
    let (mut first, mut second) = (open(0, &here), open(0, &there));
    assert_eq!(first.try_hold().unwrap(), LeaseHold::Begun);
    for _ in 0..3 {
        assert_eq!(first.try_hold().unwrap(), LeaseHold::Kept);
        assert_eq!(second.try_hold().unwrap(), LeaseHold::Others);
    }
    assert!(
        is_held(open(1, &there).as_mut()),
        "another owner's is another one"
    );
    // An answer that was lost: its process asks again.
    assert!(is_held(open(0, &here).as_mut()));
    assert!(is_held(first.as_mut()));
    // Nobody gives back what another one has.
    second.release().unwrap();
    assert!(!is_held(second.as_mut()));
    first.release().unwrap();
    assert_eq!(second.try_hold().unwrap(), LeaseHold::Begun);
    assert!(!is_held(first.as_mut()));
    first.seize().unwrap();
    assert!(is_held(first.as_mut()));
    assert!(!is_held(second.as_mut()));
}

fn all_are_listed_with_what_they_say(leases: &dyn LeaseTable) {
    let word = random_word().unwrap();
    let (shard, host) = (LeaseName::for_shard(7), LeaseName::for_host(&word));
    assert_eq!(leases.list().unwrap(), []);
    let (mut of_shard, mut of_host) = (leases.lease(&shard, &word), leases.lease(&host, &word));
    for said in ["{}", "{\"a\": \"b c\"}"] {
        of_host.set_text(said.to_owned());
        assert!(is_held(of_host.as_mut()));
        let kept = LeaseText {
            holder: word.clone(),
            text: said.to_owned(),
        };
        assert_eq!(leases.lease(&host, "").holder().unwrap(), Some(kept));
    }
    assert!(is_held(of_shard.as_mut()));
    let listed = leases.list().unwrap();
    assert_eq!(listed, [host, shard]);
    assert_eq!(
        listed.iter().filter_map(LeaseName::shard).collect::<Vec<_>>(),
        [7]
    );
    assert_eq!(listed.iter().filter(|name| name.is_host()).count(), 1);
    of_host.release().unwrap();
    of_shard.release().unwrap();
    assert_eq!(leases.list().unwrap(), []);
}

#[test]
fn one_host_has_a_lease_in_a_file() {
    let dir = tempfile::tempdir().unwrap();
    let leases = SqliteLeases::open(&dir.path().join("log.db")).unwrap();
    all_are_listed_with_what_they_say(&leases);
    one_host_has_it(&leases);
}

#[test]
fn one_host_has_a_lease_on_a_server() {
    let server = NatsServer::start();
    let leases = JetStreamLeases::open(&server.connect()).unwrap();
    all_are_listed_with_what_they_say(&leases);
    one_host_has_it(&leases);
}
