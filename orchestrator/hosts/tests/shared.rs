//! Several owners on several hosts.
//!
//! What: hosts that come, end, die, hang and come back; a request at a host that has not its owner; bad input. Why: each owner is served by one host at
//! a time, and by another one soon after that has gone. Not here: hosts that are killed over and over (`soak`), which shards a host takes (`shards`).

use crate::support::{
    NatsServer,
    hosted::{SharedFolders, SharedHost, free_ports, page_name},
    service::{HttpRequest, command, until},
};
use aura_hosts::{ANSWER_BYTES, ChannelOffer, HostKey, HostPublicKey};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    io::{self, Read as _, Write as _},
    net::TcpStream,
    time::{Duration, Instant},
};

/// What an exit says of a folder that another process has.
const BUSY: Option<i32> = Some(75);

/// A request as another host hands it over.
struct HandedRequest<'a> {
    port: u16,
    to: HostPublicKey,
    owner: &'a str,
    token: &'a str,
}

impl HandedRequest<'_> {
    /// What is answered to the host that has a key; an error where it is not let in.
    fn send(&self, key: &HostKey) -> io::Result<String> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
        let (offer, said) = ChannelOffer::make(key, &self.to).unwrap();
        stream.write_all(&said)?;
        let mut answer = [0; ANSWER_BYTES];
        stream.read_exact(&mut answer)?;
        let channel = offer.accept(&answer).unwrap();
        let (host, token) = (page_name(self.owner), self.token);
        let request = format!(
            "GET /v1/now HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\r\n"
        );
        let sealed = channel.seal_frame(0, request.as_bytes()).unwrap();
        stream.write_all(&u16::try_from(sealed.len()).unwrap().to_be_bytes())?;
        stream.write_all(&sealed)?;
        let mut heard = String::new();
        for number in 0.. {
            let mut length = [0; 2];
            stream.read_exact(&mut length)?;
            let mut sealed = vec![0; usize::from(u16::from_be_bytes(length))];
            stream.read_exact(&mut sealed)?;
            let plain = channel.open_frame(number, &sealed).unwrap();
            if plain.is_empty() {
                break;
            }
            heard.push_str(&String::from_utf8(plain).unwrap());
        }
        Ok(heard)
    }
}

const MUTE: (&str, &str) = ("POST", "/v1/mutes/ch_0000000000000001");

fn muted_for_an_hour() -> Value {
    json!({ "for": "1h" })
}

/// Until each owner is served by one of the hosts, and all by as few as can be.
pub(crate) fn until_shared(hosts: &[&SharedHost], owners: usize) -> Vec<Vec<String>> {
    until("owners who are all served once", || {
        let served: Vec<Vec<String>> = hosts.iter().map(|host| host.served()).collect();
        let mut all: Vec<&String> = served.iter().flatten().collect();
        all.sort();
        all.dedup();
        let count: usize = served.iter().map(Vec::len).sum();
        (all.len() == owners && count == owners && served.iter().all(|some| !some.is_empty()))
            .then_some(served)
    })
}

fn tokens(hosts: &[&SharedHost], names: &[String]) -> BTreeMap<String, String> {
    let token = |name: &String| {
        let token = until("token", || hosts.iter().find_map(|host| host.new_token(name)));
        (name.clone(), token)
    };
    names.iter().map(token).collect()
}

/// What a host answers an owner, asked again while she is on her way.
fn until_answered(host: &SharedHost, owner: &str, token: &str) -> u16 {
    until("answer", || {
        let (status, _) = host.request(owner, token, ("GET", "/v1/now"), None);
        (!matches!(status, 0 | 503)).then_some(status)
    })
}

fn status(log: &str, owners: &SharedHost) -> Value {
    let said = command(&["status", "--log", log, "--owners"])
        .arg(&owners.owners)
        .output()
        .unwrap();
    serde_json::from_slice(&said.stdout).unwrap_or_else(|_| panic!("{said:?}"))
}

/// Until two hosts have as many shards each.
fn until_even(log: &str, owners: &SharedHost) {
    until("even shares", || {
        let said = status(log, owners);
        let hosts = said["hosts"].as_array()?;
        let is_even = hosts.len() == 2 && hosts.iter().all(|host| host["shards"] == 8);
        (is_even && said["shards_taken"] == 16).then_some(())
    });
}

#[test]
fn owners_go_on_with_the_hosts_that_live_and_any_host_takes_anybodys_request() {
    let server = NatsServer::start();
    let log = format!("nats://127.0.0.1:{}", server.port);
    let folders = SharedFolders::new(6);
    folders.add_all(2);
    let ports = free_ports(2);
    let addresses: Vec<String> = ports.iter().map(|port| format!("127.0.0.1:{port}")).collect();
    let peers = [0, 1].map(|host| folders.peer(host, &addresses[host]));
    let keys = [0, 1].map(|host| folders.host_key(host).0);
    let start = |host: usize| {
        let more = [
            "--log",
            &log,
            "--log-streams",
            "4",
            "--address",
            &addresses[host],
            "--hosts",
            &peers[1 - host],
            "--host-key",
            keys[host].to_str().unwrap(),
        ];
        SharedHost::start(&folders.of_host(host), &more)
    };
    let first = start(0);
    until_shared(&[&first], 6);
    // Another one joins, and has its share.
    let second = start(1);
    until_even(&log, &first);
    let served = until_shared(&[&first, &second], 6);
    let tokens = tokens(&[&first, &second], &folders.names);
    let said = status(&log, &first);
    for owner in &served[1] {
        assert_eq!(said["owners"][owner]["process"], second.process(), "{said}");
    }

    // Each of them takes the requests of all, and answers nobody by another one's token.
    for host in [&first, &second] {
        for owner in &folders.names {
            assert_eq!(until_answered(host, owner, &tokens[owner]), 200);
            let others = tokens.iter().find(|(name, _)| *name != owner).unwrap().1;
            assert_eq!(host.request(owner, others, ("GET", "/v1/now"), None).0, 401);
        }
    }
    let (owner, by_first) = (&served[1][0], &served[0][0]);
    // What another host hands over goes no further, and a stranger gets nothing there.
    let second_key = HostKey::load(&folders.host_key(1).0).unwrap();
    for (name, status) in [(owner, "503"), (by_first, "200")] {
        let handed = HandedRequest {
            port: ports[0],
            to: folders.host_key(0).1,
            owner: name,
            token: &tokens[name],
        };
        let answer = handed.send(&second_key).unwrap();
        assert_eq!(answer.split(' ').nth(1), Some(status), "{answer}");
        assert!(handed.send(&HostKey::generate().unwrap()).is_err());
        let host = page_name(name);
        let plain = HttpRequest {
            port: ports[0],
            host: Some(&host),
            token: &tokens[name],
            headers: "",
            patience: Duration::from_secs(20),
        };
        assert_eq!(plain.send("GET", "/v1/now", None).0, 0);
    }
    assert_eq!(
        first
            .request(owner, &tokens[owner], MUTE, Some(&muted_for_an_hour()))
            .0,
        200
    );

    // The second one dies. What it acknowledged is with the first.
    drop(second);
    let died = Instant::now();
    until("owner of a host that died", || {
        let (status, _) = first.request(by_first, &tokens[by_first], ("GET", "/v1/now"), None);
        assert_eq!(status, 200, "those of the living are served on");
        let (status, traces) = first.request(owner, &tokens[owner], ("GET", "/v1/traces?limit=5"), None);
        (status == 200 && !traces.as_array().unwrap().is_empty()).then_some(())
    });
    assert!(died.elapsed() < Duration::from_secs(20), "{:?}", died.elapsed());

    // It comes back, and this one ends: nobody is with neither for long.
    let mut second = start(1);
    until_even(&log, &first);
    until_shared(&[&first, &second], 6);
    let drained = command(&["drain", "--owners"])
        .arg(&first.owners)
        .output()
        .unwrap();
    assert!(drained.status.success(), "{drained:?}");
    assert_eq!(first.end(), Some(0));
    let ended = Instant::now();
    until_shared(&[&second], 6);
    assert!(
        ended.elapsed() < Duration::from_secs(8),
        "a lease that was given back: {:?}",
        ended.elapsed()
    );
    assert!(!second.has_ended());
}

#[test]
fn owner_who_waits_for_her_turn_is_reached_under_each_of_her_names() {
    let folders = SharedFolders::new(3);
    folders.add_all(1);
    let log = folders.log_file();
    let one_at_a_time = ["--log", log.to_str().unwrap(), "--awake-max", "1"];
    let host = SharedHost::start(&folders.of_host(0), &one_at_a_time);
    for owner in &folders.names {
        assert_eq!(until_answered(&host, owner, "nobody's token"), 401);
    }
}

#[test]
fn host_that_hung_ends_the_services_of_owners_it_lost_and_goes_on() {
    let folders = SharedFolders::new(4);
    folders.add_all(2);
    let log = folders.log_file();
    let log = log.to_str().unwrap();
    let start = |host: usize| SharedHost::start(&folders.of_host(host), &["--log", log]);
    let mut first = start(0);
    until_shared(&[&first], 4);
    let tokens = tokens(&[&first], &folders.names);
    first.signal(Signal::STOP);
    let second = start(1);
    let served = until_shared(&[&second], 4);
    let owner = &served[0][0];
    assert_eq!(
        second
            .request(owner, &tokens[owner], MUTE, Some(&muted_for_an_hour()))
            .0,
        200
    );
    first.signal(Signal::CONT);
    // What it answers from now on is not its own word.
    let (status, reply) = first.request(owner, &tokens[owner], MUTE, Some(&muted_for_an_hour()));
    assert!(
        !(200..300).contains(&status),
        "a host that lost her answered {status}: {reply}"
    );
    let served = until_shared(&[&first, &second], 4);
    assert!(!first.has_ended());
    for (host, served) in [(&first, &served[0]), (&second, &served[1])] {
        for owner in served {
            assert_eq!(until_answered(host, owner, &tokens[owner]), 200);
        }
    }
    // Neither was told of the other's address.
    let owner = &served[1][0];
    let said = until("name of the other host", || {
        let (status, said) = first.request(owner, &tokens[owner], ("GET", "/v1/now"), None);
        (status == 421).then_some(said)
    });
    assert_eq!(said["code"], "WEB-032", "{said}");
}

#[test]
fn folder_that_one_host_alone_has_and_hosts_that_divide_otherwise_harm_nobody() {
    let folders = SharedFolders::new(3);
    for name in &folders.names {
        folders.add(0, name);
    }
    folders.add(1, &folders.names[0]);
    let log = folders.log_file();
    let log = log.to_str().unwrap();
    let start = |host: usize, more: &[&str]| {
        SharedHost::start(&folders.of_host(host), &[&["--log", log][..], more].concat())
    };
    let first = start(0, &[]);
    until_shared(&[&first], 3);
    // The same folder twice.
    let twice = command(&["host", "--port", "0", "--log", log, "--owners"])
        .arg(&first.owners)
        .output()
        .unwrap();
    assert_eq!(twice.status.code(), BUSY, "{twice:?}");
    // Another count of shards: it has nobody, and the first goes on.
    let mut other = start(1, &["--shards", "8"]);
    until("record of the other", || {
        (status(log, &first)["hosts"].as_array()?.len() == 2).then_some(())
    });
    assert_eq!(other.served(), Vec::<String>::new());
    assert!(!other.has_ended());
    assert_eq!(first.served().len(), 3);
    drop(other);
}
