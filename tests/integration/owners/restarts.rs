//! A host that starts again, and folders that were copied.
//!
//! What: who was parked stays so, what came meanwhile is seen, and a copy of a folder is no harm to the one it was made of. Why: a host of thousands would
//! start each of them else. Not here: kills (`owners`).

use super::{
    ask, descendants, files_below,
    hosted::{Hosted, mail_from, only},
    status,
};
use crate::support::{Service, command::aura, wait};
use std::{collections::BTreeMap, fs, os::unix::fs::MetadataExt as _, path::PathBuf, process::Command};

fn until_read(service: &Service, sender: &str) {
    service.until("the mail is read", |service| {
        let (_, chats) = service.request("GET", "/chats", None);
        chats.to_string().contains(sender).then_some(())
    });
}

/// When each file of an owner's folder was written last.
fn written(hosted: &Hosted, owner: &str) -> BTreeMap<PathBuf, (i64, i64)> {
    let files = files_below(&hosted.data(owner)).into_iter();
    files
        .map(|file| {
            let meta = fs::metadata(&file).unwrap();
            (file, (meta.mtime(), meta.mtime_nsec()))
        })
        .collect()
}

#[test]
fn a_host_that_starts_again_starts_nobody_who_was_parked_and_sees_what_came_meanwhile() {
    let hosted = Hosted::new();
    for owner in ["asha", "jonas"] {
        hosted.add(owner);
    }
    let host = hosted.start_with(&[], 1);
    let mut services = ["asha", "jonas"].map(|owner| hosted.service(&host, owner));
    for (owner, service) in ["asha", "jonas"].into_iter().zip(&services) {
        until_read(service, &only(owner, "Friend"));
    }
    for owner in ["asha", "jonas"] {
        hosted.until_state(owner, "parked");
    }
    host.end();
    for owner in ["asha", "jonas"] {
        // What the owners of a host decided is what the machine alone decides.
        let data = hosted.data(owner);
        let (code, said, why) = aura(&["replay", data.to_str().unwrap(), "--verify"], b"");
        assert_eq!(code, Some(0), "{said}{why}");
    }
    // To look at a folder may leave something beside its store: she is started and parked again once more.
    let host = hosted.start_with(&[], 1);
    for owner in ["asha", "jonas"] {
        hosted.until_state(owner, "parked");
    }
    host.end();
    let before = written(&hosted, "asha");
    mail_from(&hosted, "jonas", "Late");

    let host = hosted.start_with(&[], 1);
    let parked = ("asha".to_owned(), "parked".to_owned());
    assert_eq!(hosted.states()[0], parked, "at once");
    for service in &mut services {
        service.port = host.port;
    }
    // He is started for his mail, though nobody asks for a page.
    wait::until("he is started", || {
        (!descendants(host.child.id()).is_empty()).then_some(())
    });
    until_read(&services[1], "Late");
    assert_eq!(hosted.states()[0], parked);
    assert_eq!(written(&hosted, "asha"), before, "nothing of hers was opened");
    // She comes back with a visit.
    until_read(&services[0], &only("asha", "Friend"));
}

#[test]
fn a_folder_that_was_copied_while_it_was_served_harms_neither_its_owner_nor_the_others() {
    let hosted = Hosted::new();
    for owner in ["asha", "jonas"] {
        hosted.add(owner);
    }
    let host = hosted.start();
    let (asha, jonas) = (hosted.service(&host, "asha"), hosted.service(&host, "jonas"));
    until_read(&asha, &only("asha", "Friend"));
    let copied = Command::new("cp")
        .arg("-a")
        .args([hosted.data("asha"), hosted.data("twin")])
        .status()
        .unwrap();
    assert!(copied.success());
    let (code, _, why) = hosted.command("resume", "twin", &[]);
    assert_eq!(code, Some(0), "{why}");
    // A copy of a store that is written to is whole, or it is not served: nothing between.
    let state = wait::until("the copy is served or is not", || {
        let states = hosted.states().into_iter();
        states
            .filter(|(name, _)| name == "twin")
            .map(|(_, state)| state)
            .find(|state| state == "serving" || state == "failed")
    });
    let at = |owner: &str| format!("{owner}.localhost:{}", host.port);
    let page = status(&ask(host.port, &at("twin"), "/healthz", ""));
    assert_eq!(page, if state == "serving" { 200 } else { 421 });
    // Whoever is let in by one of them is not by another owner.
    let bearer = format!("Authorization: Bearer {}\r\n", asha.token);
    assert_eq!(status(&ask(host.port, &at("jonas"), "/v1/now", &bearer)), 401);
    mail_from(&hosted, "asha", "Later");
    until_read(&asha, "Later");
    jonas.now();
    assert_eq!(hosted.command("remove", "twin", &["--yes"]).0, Some(0));
    // What was removed was the copy: its owner's key and files are there.
    mail_from(&hosted, "asha", "Last");
    until_read(&asha, "Last");
    host.end();
    let host = hosted.start();
    let again = hosted.service(&host, "asha");
    until_read(&again, "Last");
}

#[test]
fn an_owner_who_was_removed_comes_back_from_her_backup_as_she_was() {
    let hosted = Hosted::new();
    for owner in ["asha", "jonas"] {
        hosted.add(owner);
    }
    let host = hosted.start();
    let (asha, jonas) = (hosted.service(&host, "asha"), hosted.service(&host, "jonas"));
    until_read(&asha, &only("asha", "Friend"));
    let (_page, card) = asha.ask_owner();
    let path = |name: &str| hosted.0.path().join(name).to_str().unwrap().to_owned();
    fs::write(path("pass"), "seven quiet lamps\n").unwrap();
    let backup_key = ["--backup-passphrase-file", &path("pass")];
    let run = |args: &[&str]| {
        let (code, said, why) = aura(&[args, &backup_key].concat(), b"");
        assert_eq!(code, Some(0), "{args:?}: {said}{why}");
    };
    let data = hosted.data("asha").to_str().unwrap().to_owned();
    run(&["memory", "backup", &path("asha.backup"), "--data", &data]);
    assert_eq!(hosted.command("remove", "asha", &["--yes"]).0, Some(0));
    run(&[
        "memory",
        "restore",
        &path("asha.backup"),
        "--data",
        &data,
        "--file",
        &path("new.key"),
    ]);
    let (code, _, why) = hosted.command("resume", "asha", &[]);
    assert_eq!(code, Some(0), "{why}");
    let again = hosted.service(&host, "asha");
    until_read(&again, &only("asha", "Friend"));
    // The question that was open is open, under the same name.
    assert_eq!(again.now()["card"]["card_id"], card["card_id"]);
    jonas.now();
}
