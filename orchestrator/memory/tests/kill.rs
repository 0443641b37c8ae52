//! A process killed in the middle of writing: what it was told is kept is there. One that ends by itself then ends well.

use aura_memory::{Store, StoreOptions, StoreWrite, Vault};
use std::{
    env,
    io::{BufRead as _, BufReader},
    path::Path,
    process::{self, Command, Stdio},
    sync::mpsc,
};
use tempfile::TempDir;

const FOLDER: &str = "AURA_TEST_KILL_FOLDER";
/// The child ends by itself after its first commit.
const ENDS: &str = "AURA_TEST_ENDS";

fn event(seq: u64) -> StoreWrite {
    StoreWrite::Event {
        seq,
        at_ms: 0,
        json: format!("{{\"n\":{seq}}}"),
    }
}

/// The child: writes for ever and says what was acked. Does nothing when it runs as a test of its own.
#[test]
fn child_writes_until_it_is_killed() {
    let Some(folder) = env::var_os(FOLDER) else { return };
    let (store, recovered) =
        Store::open(&Vault::demo(Path::new(&folder)).unwrap(), StoreOptions::default()).unwrap();
    for seq in recovered.next_seq.. {
        let (tell, told) = mpsc::channel();
        store.write(vec![event(seq)]).unwrap();
        store
            .commit(Box::new(move |r| tell.send(r.is_ok()).unwrap()))
            .unwrap();
        assert!(told.recv().unwrap());
        println!("acked {seq}");
        if env::var_os(ENDS).is_some() {
            // The writer is at work on these while the process ends.
            store.write((seq + 1..seq + 1000).map(event).collect()).unwrap();
            process::exit(0);
        }
    }
}

#[test]
fn what_was_acked_survives_kill_nine() {
    let dir = TempDir::new().unwrap();
    let mut acked = 0;
    for round in 1..=3 {
        let mut child = Command::new(env::current_exe().unwrap())
            .args(["--exact", "kill::child_writes_until_it_is_killed", "--nocapture"])
            .env(FOLDER, dir.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = BufReader::new(child.stdout.take().unwrap())
            .lines()
            .map_while(Result::ok)
            .filter_map(|line| line.strip_prefix("acked ").and_then(|n| n.parse::<u64>().ok()));
        acked = said.find(|n| *n >= acked + 20).unwrap();
        child.kill().unwrap();
        // What it still said before it died counts as well.
        acked = said.last().unwrap_or(acked);
        child.wait().unwrap();

        let (_store, recovered) =
            Store::open(&Vault::demo(dir.path()).unwrap(), StoreOptions::default()).unwrap();
        assert!(
            recovered.next_seq > acked,
            "round {round}: acked {acked}, kept {recovered:?}"
        );
        let kept: Vec<_> = (1..recovered.next_seq)
            .map(|n| (n, format!("{{\"n\":{n}}}")))
            .collect();
        assert_eq!(recovered.events, kept);
    }
}

#[test]
fn a_process_that_ends_while_its_store_writes_ends_well() {
    let dir = TempDir::new().unwrap();
    for round in 1..=40 {
        let ended = Command::new(env::current_exe().unwrap())
            .args(["--exact", "kill::child_writes_until_it_is_killed"])
            .envs([(FOLDER, dir.path().as_os_str()), (ENDS, "1".as_ref())])
            .stdout(Stdio::null())
            .status()
            .unwrap();
        assert!(ended.success(), "round {round}: {ended}");
    }
}
