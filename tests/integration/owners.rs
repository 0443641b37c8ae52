//! Several owners on one host, through the built binary.
//!
//! What: who is reached under which name, that nothing of one owner's opens anything of another's, kills of the host, owners that cannot start,
//! one who floods. Why: the host knows one port and one socket; everything else is each owner's own. Not here: one owner (`kill`, `operating`).

mod hosted;
mod quotas;
mod restarts;

use crate::support::{Service, command::aura, wait};
use aura_process::fork_server::process_of;
use hosted::{Hosted, mail_from, only};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::{
    collections::BTreeSet,
    fs,
    io::{Read as _, Write as _},
    net::TcpStream,
    os::unix::{fs::MetadataExt as _, net::UnixDatagram},
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

/// One request under a name, as it is: status line, head and body.
fn ask(port: u16, host: &str, path: &str, more: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nHost: {host}\r\n{more}Connection: close\r\n\r\n"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

fn status(answer: &str) -> u16 {
    answer.split(' ').nth(1).unwrap().parse().unwrap()
}

/// The processes that a process has started, and theirs.
fn descendants(of: u32) -> Vec<u32> {
    let mut found = vec![of];
    let mut next = 0;
    while let Some(parent) = found.get(next).copied() {
        next += 1;
        for task in fs::read_dir(format!("/proc/{parent}/task"))
            .into_iter()
            .flatten()
            .flatten()
        {
            let children = fs::read_to_string(task.path().join("children")).unwrap_or_default();
            found.extend(children.split_whitespace().map(|pid| pid.parse::<u32>().unwrap()));
        }
    }
    found.remove(0);
    found
}

/// How many threads of a process have a name.
fn threads_named(pid: u32, name: &str) -> usize {
    let tasks = fs::read_dir(format!("/proc/{pid}/task"))
        .into_iter()
        .flatten()
        .flatten();
    let names = tasks.filter_map(|task| fs::read_to_string(task.path().join("comm")).ok());
    names.filter(|found| found.trim_end() == name).count()
}

/// Whether a process's memory holds a text.
fn memory_has(pid: u32, text: &str) -> bool {
    let maps = fs::read_to_string(format!("/proc/{pid}/maps")).unwrap_or_default();
    let Ok(memory) = fs::File::open(format!("/proc/{pid}/mem")) else {
        return false;
    };
    maps.lines()
        .filter(|line| line.contains(" rw-p ") || line.contains(" rw-"))
        .any(|line| {
            let (from, to) = line.split(' ').next().unwrap().split_once('-').unwrap();
            let at = |text: &str| u64::from_str_radix(text, 16).unwrap();
            let mut bytes = vec![0; usize::try_from(at(to) - at(from)).unwrap()];
            // What is reserved and not there cannot be read.
            let read = std::os::unix::fs::FileExt::read_at(&memory, &mut bytes, at(from)).unwrap_or_default();
            bytes[..read]
                .windows(text.len())
                .any(|window| window == text.as_bytes())
        })
}

#[test]
fn two_owners_have_cards_of_their_own_and_a_kill_of_the_host_loses_neither() {
    let hosted = Hosted::new();
    for owner in ["asha", "jonas"] {
        hosted.add(owner);
    }
    let host = hosted.start();
    let (asha, jonas) = (hosted.service(&host, "asha"), hosted.service(&host, "jonas"));
    let (asha_page, asha_card) = asha.ask_owner();
    assert_eq!(jonas.now()["card"], Value::Null, "no card of another owner");
    let (jonas_page, jonas_card) = jonas.ask_owner();
    assert_ne!(asha_card["card_id"], jonas_card["card_id"]);
    asha.confirm(&asha_card);
    assert_eq!(until_confirmed(&asha), 1);
    drop((asha_page, jonas_page));
    drop(host);

    let host = hosted.start();
    let (asha, jonas) = (hosted.service(&host, "asha"), hosted.service(&host, "jonas"));
    let again = jonas.now()["card"].clone();
    assert_eq!(again["card_id"], jonas_card["card_id"], "the same card");
    assert_eq!(
        again["prompts"], jonas_card["prompts"],
        "the same deadline and capability"
    );
    let _page = jonas.phone();
    jonas.confirm(&again);
    for service in [&asha, &jonas] {
        assert_eq!(until_confirmed(service), 1);
    }
}

/// How many of the last decisions were confirmed and done, once there is one.
fn until_confirmed(service: &Service) -> usize {
    service.until("a confirmed trace", |service| {
        let (_, traces) = service.request("GET", "/v1/traces?limit=5", None);
        let confirmed = traces
            .as_array()?
            .iter()
            .filter(|trace| trace["outcome"] == "confirmed");
        Some(confirmed.count()).filter(|count| *count > 0)
    })
}

#[test]
fn an_owner_is_chosen_by_the_host_name_alone_and_her_devices_open_nothing_elsewhere() {
    let hosted = Hosted::new();
    for owner in ["asha", "jonas"] {
        hosted.add(owner);
    }
    let host = hosted.start();
    let (asha, jonas) = (hosted.service(&host, "asha"), hosted.service(&host, "jonas"));
    let port = host.port;
    let bearer = |service: &Service| format!("Authorization: Bearer {}\r\n", service.token);
    let cookie = |service: &Service| format!("Cookie: aura_{port}={}\r\n", service.token);
    for (name, own, other) in [("asha", &asha, &jonas), ("jonas", &jonas, &asha)] {
        let at = format!("{name}.localhost:{port}");
        for (more, expected) in [
            (bearer(own), 200),
            (cookie(own), 200),
            (bearer(other), 401),
            (cookie(other), 401),
            (format!("X-Forwarded-Host: {at}\r\n{}", bearer(other)), 401),
            (String::new(), 401),
        ] {
            assert_eq!(
                status(&ask(port, &at, "/v1/now", &more)),
                expected,
                "{name}: {more}"
            );
        }
    }
    // Nobody's names get one answer, whoever asks, and it says nothing of who there is.
    let nobody = ask(port, "miriam.localhost", "/", "");
    assert_eq!(status(&nobody), 421, "{nobody}");
    for (name, path) in [
        ("127.0.0.1".to_owned(), "/asha/"),
        (format!("localhost:{port}"), "/v1/now"),
        ("asha".to_owned(), "/"),
        ("asha.localhost.example".to_owned(), "/"),
        ("x.asha.localhost".to_owned(), "/"),
        (".host".to_owned(), "/"),
        ("../asha".to_owned(), "/"),
    ] {
        assert_eq!(ask(port, &name, path, &bearer(&asha)), nobody, "{name}");
    }
    assert!(!nobody.contains("asha") && !nobody.contains("jonas"));
    // A connection that begins under one name gets nothing under another, also not under one that is nobody's, and ends there: a proxy
    // opens another one.
    for (name, service) in [
        ("jonas.localhost", &jonas),
        ("127.0.0.1", &asha),
        ("localhost", &asha),
    ] {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        write!(
            stream,
            "GET /healthz HTTP/1.1\r\nHost: asha.localhost:{port}\r\n\r\n"
        )
        .unwrap();
        stream.read_exact(&mut [0; 12]).unwrap();
        write!(
            stream,
            "GET /v1/now HTTP/1.1\r\nHost: {name}:{port}\r\n{}\r\n",
            bearer(service)
        )
        .unwrap();
        let mut rest = String::new();
        stream.read_to_string(&mut rest).unwrap();
        assert!(
            rest.contains("HTTP/1.1 421") && rest.contains("WEB-030") && rest.contains("connection: close"),
            "{name}: {rest}"
        );
    }
}

#[test]
fn nothing_of_one_owner_is_in_anything_that_another_reaches() {
    let hosted = Hosted::new();
    for owner in ["asha", "jonas"] {
        hosted.add(owner);
    }
    let host = hosted.start();
    let (asha, jonas) = (hosted.service(&host, "asha"), hosted.service(&host, "jonas"));
    for (owner, service) in [("asha", &asha), ("jonas", &jonas)] {
        service.until("her mail and her meeting are read", |service| {
            let page = |path: &str| service.request("GET", path, None).1.to_string();
            (page("/chats").contains(&only(owner, "Friend"))
                && page("/agenda").contains(&only(owner, "Meeting")))
            .then_some(())
        });
    }
    for (owner, service, other) in [("asha", &asha, "jonas"), ("jonas", &jonas, "asha")] {
        let (code, status, why) = aura(
            &["status", "--json", "--data", hosted.data(owner).to_str().unwrap()],
            b"",
        );
        assert_eq!(code, Some(0), "{why}");
        let status: Value = serde_json::from_str(&status).unwrap();
        let agents: BTreeSet<u64> = status["processes"]
            .as_object()
            .unwrap()
            .values()
            .filter_map(|process| process["pid"].as_u64())
            .collect();
        assert_eq!(agents.len(), 4, "{status}");
        for agent in agents {
            for what in ["Friend", "Subject", "Body", "Meeting"] {
                let text = only(other, what);
                assert!(
                    !memory_has(u32::try_from(agent).unwrap(), &text),
                    "{text} in an agent of {owner}"
                );
            }
        }
        for path in [
            "/",
            "/chats",
            "/agenda",
            "/memory",
            "/history",
            "/metrics",
            "/doctor",
            "/v1/traces",
            "/ops",
        ] {
            let (_, page) = service.request("GET", path, None);
            let page = page.to_string();
            assert!(
                !page.contains(other) && !page.contains("QuokkaBody"),
                "{owner}: {path}: {page}"
            );
        }
        let (_, metrics) = service.request("GET", "/metrics", None);
        assert!(
            !metrics.to_string().contains(owner),
            "no owner's name among the figures"
        );
        // Both owners' ceilings of three.
        assert!(
            metrics.as_str().unwrap().contains("aura_ledger_ceiling 6\n"),
            "{metrics}"
        );
        for command in [
            &["status"][..],
            &["trace", "list", "--json"],
            &["history", "--json"],
            &["device", "list"],
            &["memory", "stats"],
            &["doctor"],
        ] {
            let data = hosted.data(owner);
            let args = [command, &["--data", data.to_str().unwrap()]].concat();
            let (_, said, why) = aura(&args, b"");
            for text in [said, why] {
                assert!(!text.contains(other), "{owner}: {command:?}: {text}");
            }
        }
        for file in files_below(&hosted.data(owner)) {
            let bytes = fs::read(&file).unwrap_or_default();
            for what in ["Friend", "Subject", "Body", "Meeting"] {
                let text = only(other, what);
                let is_there = bytes.windows(text.len()).any(|window| window == text.as_bytes());
                assert!(!is_there, "{text} in {}", file.display());
            }
        }
    }
    // Each agent's memory was there to be looked at: hers holds what is hers.
    let held = descendants(host.child.id())
        .into_iter()
        .any(|pid| memory_has(pid, &only("asha", "Meeting")));
    assert!(
        held,
        "no agent holds its own owner's meeting: the search finds nothing"
    );
    let log = fs::read_to_string(&host.log).unwrap();
    assert!(
        !log.contains("asha") && !log.contains("jonas") && !log.contains("Quokka"),
        "{log}"
    );
}

fn files_below(dir: &Path) -> Vec<PathBuf> {
    let (mut found, mut below) = (Vec::new(), vec![dir.to_owned()]);
    while let Some(path) = below.pop() {
        for entry in fs::read_dir(path).unwrap().flatten() {
            let kind = entry.file_type().unwrap();
            if kind.is_dir() {
                below.push(entry.path());
            } else if kind.is_file() {
                found.push(entry.path());
            }
        }
    }
    found
}

#[test]
fn owners_that_cannot_start_and_owners_that_come_and_go_leave_the_others_as_they_are() {
    let hosted = Hosted::new();
    for owner in ["asha", "broken", "keyless"] {
        hosted.add(owner);
    }
    fs::write(hosted.data("broken").join("home.toml"), "zone = 7\n").unwrap();
    fs::remove_file(hosted.0.path().join("keyless.key")).unwrap();
    let words = hosted.0.path().join("words");
    fs::write(&words, "correct horse battery\n").unwrap();
    let (code, _, why) = hosted.command(
        "add",
        "miriam",
        &["--new-passphrase-file", words.to_str().unwrap()],
    );
    assert_eq!(code, Some(0), "{why}");
    let host = hosted.start();
    let asha = hosted.service(&host, "asha");
    for (owner, state) in [("broken", "failed"), ("keyless", "failed"), ("miriam", "locked")] {
        hosted.until_state(owner, state);
    }
    assert_eq!(status(&ask(host.port, "broken.localhost", "/", "")), 421);

    // A folder with a passphrase says so, under its owner's name, and opens there.
    let at = format!("miriam.localhost:{}", host.port);
    let page = ask(host.port, &at, "/", "Accept: text/html\r\n");
    assert!(
        status(&page) == 503 && page.contains("Aura is locked") && page.contains("WEB-031"),
        "{page}"
    );
    let unlock = |words: &str| {
        let body = format!("passphrase={words}");
        let mut stream = TcpStream::connect(("127.0.0.1", host.port)).unwrap();
        write!(
            stream,
            "POST /unlock HTTP/1.1\r\nHost: {at}\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        status(&answer)
    };
    assert_eq!(unlock("wrong"), 403);
    assert_eq!(hosted.states()[3], ("miriam".to_owned(), "locked".to_owned()));
    // What she is served with is what stands in her file by then.
    let home = hosted.data("miriam").join("home.toml");
    fs::write(&home, "zone = \"UTC\"\n[web]\nhosts = [\"miriam.example\"]\n").unwrap();
    assert_eq!(unlock("correct+horse+battery"), 303);
    let miriam = hosted.service(&host, "miriam");
    assert_eq!(miriam.now()["card"], Value::Null);
    assert_eq!(status(&ask(host.port, "miriam.example", "/healthz", "")), 200);

    // One more comes, one is paused and comes back, one is removed.
    hosted.add("jonas");
    let jonas = hosted.service(&host, "jonas");
    assert_eq!(hosted.command("pause", "jonas", &[]).0, Some(0));
    assert!(
        hosted
            .states()
            .contains(&("jonas".to_owned(), "paused".to_owned()))
    );
    assert_eq!(status(&ask(host.port, "jonas.localhost", "/", "")), 421);
    // Commands work on a folder that is not served as on anybody's.
    let folder = hosted.data("jonas");
    let (code, _, why) = aura(&["memory", "stats", "--data", folder.to_str().unwrap()], b"");
    assert_eq!(code, Some(0), "{why}");
    let (code, said, _) = hosted.command("resume", "jonas", &[]);
    assert!(
        code == Some(0) && said.starts_with("jonas's service starts"),
        "{said}"
    );
    hosted.until_state("jonas", "serving");
    let (code, dry, _) = hosted.command("remove", "jonas", &["--dry-run"]);
    assert!(
        code == Some(0) && dry.contains("files would be removed, the key first."),
        "{dry}"
    );
    jonas.now();
    assert_eq!(hosted.command("remove", "jonas", &["--yes"]).0, Some(0));
    assert!(!hosted.data("jonas").exists());
    assert!(hosted.states().iter().all(|(name, _)| name != "jonas"));
    asha.now();

    // Another host cannot have the same folder.
    let second = Command::new(env!("CARGO_BIN_EXE_aura"))
        .args(["host", "--port", "0", "--owners"])
        .arg(hosted.owners())
        .output()
        .unwrap();
    assert_eq!(second.status.code(), Some(75));
    assert_eq!(
        fs::metadata(hosted.owners().join(".host/aura.sock"))
            .unwrap()
            .mode()
            & 0o777,
        0o600
    );
    let log = fs::read_to_string(&host.log).unwrap();
    assert!(
        ["asha", "broken", "keyless", "miriam", "jonas"]
            .iter()
            .all(|name| !log.contains(name)),
        "{log}"
    );
}

#[test]
fn an_owner_moves_to_another_host_on_another_disk_and_goes_on_there() {
    let (first, second) = (Hosted::new(), Hosted::on_another_disk());
    first.add("asha");
    first.add("jonas");
    let (from, to) = (first.start(), second.start());
    let mut asha = first.service(&from, "asha");
    let (there, data) = (second.owners(), first.data("asha"));
    let traces = |data: &Path| {
        let (code, said, why) = aura(
            &["memory", "stats", "--json", "--data", data.to_str().unwrap()],
            b"",
        );
        assert_eq!(code, Some(0), "{why}");
        let stats: Value = serde_json::from_str(&said).unwrap();
        stats["traces"].as_u64().unwrap()
    };
    let (page, card) = asha.ask_owner();
    drop(page);
    let before = traces(&data);
    let (code, said, why) = first.command("move", "asha", &["--to", there.to_str().unwrap()]);
    assert_eq!(code, Some(0), "{why}");
    assert!(said.contains(second.data("asha").to_str().unwrap()), "{said}");
    // The one serves her, with what she had, to the browser that she had let in; the other knows nothing of her any more.
    second.until_state("asha", "serving");
    assert!(traces(&second.data("asha")) >= before);
    asha.port = to.port;
    let same = asha.now()["card"].clone();
    assert_eq!(
        (&same["card_id"], &same["prompts"]),
        (&card["card_id"], &card["prompts"])
    );
    let _page = asha.phone();
    asha.confirm(&card);
    assert_eq!(until_confirmed(&asha), 1, "the same button on the other side");
    assert!(!data.exists());
    assert_eq!(status(&ask(from.port, "asha.localhost", "/", "")), 421);
    assert_eq!(first.states(), [("jonas".to_owned(), "serving".to_owned())]);
    first.service(&from, "jonas").now();
    // Nobody takes another's place.
    second.add("jonas");
    let (code, _, why) = first.command("move", "jonas", &["--to", there.to_str().unwrap()]);
    assert!(code == Some(2) && why.contains("already"), "{why}");
    first.until_state("jonas", "serving");
}

#[test]
fn a_service_of_her_own_is_refused_to_an_owner_whom_a_host_has_also_while_she_rests() {
    let hosted = Hosted::new();
    hosted.add("asha");
    let host = hosted.start();
    hosted.until_state("asha", "serving");
    let (code, _, why) = hosted.command("pause", "asha", &[]);
    assert_eq!(code, Some(0), "{why}");
    let data = hosted.data("asha");
    let home = data.join("home.toml");
    let run = [
        "run",
        "--port",
        "0",
        "--data",
        data.to_str().unwrap(),
        "--home",
        home.to_str().unwrap(),
    ];
    let (code, _, why) = aura(&run, b"");
    assert!(code == Some(75) && why.contains("STORE-001"), "{code:?}: {why}");
    drop(host);
}

/// What a service manager is told, without the moment.
fn told(manager: &UnixDatagram) -> String {
    let mut bytes = [0; 512];
    let count = manager.recv(&mut bytes).unwrap();
    let text = std::str::from_utf8(&bytes[..count]).unwrap();
    text.lines()
        .filter(|line| !line.starts_with("MONOTONIC_USEC="))
        .collect()
}

#[test]
fn a_host_whose_only_owner_is_locked_lives_and_reads_settings_again_at_once() {
    let hosted = Hosted::new();
    let socket = hosted.0.path().join("manager");
    let manager = UnixDatagram::bind(&socket).unwrap();
    // Less than the 30 s after which a host says that it is ready whoever has not answered.
    manager.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let environment = [
        ("NOTIFY_SOCKET", socket.to_str().unwrap()),
        // Signs of life every half second.
        ("WATCHDOG_USEC", "1000000"),
    ];
    let words = hosted.0.path().join("words");
    fs::write(&words, "correct horse battery\n").unwrap();
    let mut host = hosted.start_with(&environment, 0);
    assert_eq!(told(&manager), "READY=1");
    for _ in 0..3 {
        assert_eq!(told(&manager), "WATCHDOG=1", "of a host without an owner");
    }
    let words = words.to_str().unwrap();
    let (code, said, why) = hosted.command("add", "miriam", &["--new-passphrase-file", words]);
    assert_eq!(code, Some(0), "{why}");
    assert!(said.contains("miriam's service starts"), "{said}");
    let next_but_life = || loop {
        let said = told(&manager);
        if said != "WATCHDOG=1" {
            return said;
        }
    };
    let waits = next_but_life();
    assert!(
        waits.starts_with("STATUS=") && waits.contains("WEB-031"),
        "{waits}"
    );
    for _ in 0..3 {
        assert_eq!(told(&manager), "WATCHDOG=1", "while she is locked");
    }
    let pid = Pid::from_raw(i32::try_from(host.child.id()).unwrap()).unwrap();
    kill_process(pid, Signal::HUP).unwrap();
    assert_eq!(next_but_life(), "RELOADING=1");
    assert_eq!(next_but_life(), "READY=1");
    kill_process(pid, Signal::TERM).unwrap();
    assert_eq!(next_but_life(), "STOPPING=1");
    let exit = wait::exit_within(&mut host.child, Duration::from_secs(10));
    assert_eq!(exit.code(), Some(0));
}

#[test]
fn commands_for_an_owner_say_what_has_come_of_them() {
    let hosted = Hosted::new();
    // Without a key nothing is left that would take the name.
    let nowhere = hosted.0.path().join("not-there/key");
    let (code, _, why) = hosted.command("add", "asha", &["--key-file", nowhere.to_str().unwrap()]);
    assert!(code != Some(0) && !hosted.data("asha").exists(), "{why}");
    hosted.add("asha");
    for (what, says) in [
        (
            "pause",
            "No host runs, and none will serve asha until `aura owner resume asha`.",
        ),
        ("resume", "No host runs: `aura host` serves asha."),
    ] {
        let (code, said, _) = hosted.command(what, "asha", &[]);
        assert_eq!((code, said.trim_end()), (Some(0), says));
    }
    fs::write(hosted.data("asha").join("home.toml"), "zone = 7\n").unwrap();
    let _host = hosted.start();
    hosted.until_state("asha", "failed");
    let (code, said, _) = hosted.command("pause", "asha", &[]);
    assert_eq!(
        (code, said.trim_end()),
        (Some(0), "asha is not served, until `aura owner resume asha`.")
    );
}

#[test]
fn whoever_has_nothing_due_is_parked_and_comes_back_with_a_visit_or_a_mail() {
    let hosted = Hosted::new();
    hosted.add("asha");
    let host = hosted.start_with(&[], 1);
    let asha = hosted.service(&host, "asha");
    asha.until("her mail is read", |service| {
        let (_, chats) = service.request("GET", "/chats", None);
        chats.to_string().contains(&only("asha", "Friend")).then_some(())
    });
    // What agents are forked from is everybody's, and stays.
    let forks = |pid: &u32| process_of(host.child.id(), None) == Some(*pid);
    let processes = || {
        descendants(host.child.id())
            .iter()
            .filter(|pid| !forks(pid))
            .count()
    };
    assert!(processes() >= 4, "her agents");
    let until_parked = || {
        hosted.until_state("asha", "parked");
        wait::until("her processes have ended", || (processes() == 0).then_some(()));
        // Whatever watched her thread has ended with it: it would take her for blocked, and end the host.
        wait::until("nobody watches her", || {
            (threads_named(host.child.id(), "watchdog") == 0).then_some(())
        });
    };
    until_parked();

    // The first request is answered, and by her name.
    let (status, chats) = asha.request("GET", "/chats", None);
    assert_eq!(status, 200);
    assert!(chats.to_string().contains(&only("asha", "Friend")), "{chats}");
    until_parked();

    // So is a command.
    let data = hosted.data("asha");
    let (code, status, why) = aura(&["status", "--json", "--data", data.to_str().unwrap()], b"");
    assert_eq!(code, Some(0), "{why}");
    let status: Value = serde_json::from_str(&status).unwrap();
    assert_eq!(status["health"]["clock_jumps"], 0, "{status}");
    until_parked();

    // A mail wakes her, though nobody asks.
    mail_from(&hosted, "asha", "Other");
    hosted.until_state("asha", "serving");
    asha.until("it is read", |service| {
        let (_, chats) = service.request("GET", "/chats", None);
        chats.to_string().contains("Other").then_some(())
    });
}
