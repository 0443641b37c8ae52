//! The operator's console over the real service.
//!
//! What: `aura run` with its agents' processes, a decision and a line of the quarantine, seen through the console's pages. Why: the pages'
//! own tests have a double; here the figures are real. Not here: markup and filters (`surfaces/tests/pages/ops.rs`).

use crate::support::{Service, command::aura, write_fault::WriteFault};
use serde_json::{Value, json};
use std::{
    io::{BufRead as _, BufReader, Read, Write},
    net::TcpStream,
};
use toolcall_schema::ids::sha256_hex;

/// One request with the owner's token: status and text.
fn ask(service: &Service, line: &str, body: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(("127.0.0.1", service.port)).unwrap();
    write!(
        stream,
        "{line} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        service.port,
        service.token,
        body.len()
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
}

fn page(service: &Service, path: &str) -> String {
    let (status, body) = ask(service, &format!("GET {path}"), "");
    assert_eq!(status, 200, "{path}: {body}");
    body
}

/// A call without its time to live, as the quarantine keeps one.
fn refused_call() -> (String, String) {
    let call = json!({
        "call_id": "t_0000000001", "agent": "comms", "tool": "mute_channel",
        "args": {"channel_hash": "ch_0000000000000001"}, "ts": "2026-11-03T02:45:00.000Z", "confirm_required": true
    })
    .to_string();
    let sha = sha256_hex(call.as_bytes());
    let line = json!({
        "ts": "2026-11-03T02:45:00.000Z", "code": "GATE-009", "pointer": "/args/ttl_seconds",
        "message": "kept by an older build", "agent": "comms", "tool": "mute_channel", "call_id": "t_0000000001",
        "trace_id": null, "catalogue_hash": "0".repeat(64), "sha256": sha, "bytes": call.len(), "raw": call
    });
    (line.to_string() + "\n", sha)
}

#[test]
fn the_console_shows_what_really_is_and_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let (home, data) = (dir.path().join("home.toml"), dir.path().join("data"));
    std::fs::write(&home, "zone = \"UTC\"\n").unwrap();
    let service = Service::start(&home, &data);
    let (line, sha) = refused_call();
    std::fs::write(data.join("errors/quarantine_calls.jsonl"), &line).unwrap();
    let folder = data.to_str().unwrap();

    // A decision: nothing is known, so it is silent.
    assert_eq!(ask(&service, "POST /v1/tick", "").0, 202);
    let trace = service.until("trace", |service| {
        let (_, traces) = service.request("GET", "/v1/traces", None);
        traces[0]["trace_id"].as_str().map(str::to_owned)
    });

    // The same processes and hashes as `aura status` names.
    let (_, status, _) = aura(&["status", "--data", folder, "--json"], b"");
    let status: Value = serde_json::from_str(&status).unwrap();
    let overview = page(&service, "/ops");
    for agent in ["comms", "calendar", "finance", "wellness"] {
        let pid = &status["processes"][agent]["pid"];
        let cell = format!(r#"<td data-label="Process id">{pid}</td>"#);
        assert!(
            pid.is_u64() && overview.contains(&cell),
            "{agent}: {pid}: {overview}"
        );
    }
    for hash in ["policy_hash", "catalogue_hash"] {
        assert!(
            overview.contains(&format!("title=\"{}\"", status[hash].as_str().unwrap())),
            "{hash}"
        );
    }

    // The same moment once more, by the journal: with more attention and later there was nothing to say either.
    let again = format!("POST /fragment/trace/{trace}/again");
    let (status, said) = ask(&service, &again, &json!({"more": "1", "later": "60"}).to_string());
    assert!(
        status == 200 && said.contains("It would have come out the same."),
        "{said}"
    );

    let machine = service.until("idle machine", |service| {
        let body = page(service, "/ops/machine");
        body.contains(r#"<li aria-current="step">Idle"#).then_some(body)
    });
    for timer in ["The regular look</th>", "The morning brief</th>"] {
        assert!(machine.contains(timer), "{timer}: {machine}");
    }

    let found = page(&service, "/ops/traces?trigger=owner&outcome=silent");
    assert!(
        found.contains(&format!("href=\"/ops/traces/{trace}\"")),
        "{found}"
    );
    assert!(page(&service, "/ops/traces?outcome=confirmed").contains("No decision of that kind."));

    // Slowest first, and each step with the times that the journal keeps.
    let slowest = page(&service, "/ops/traces?order=slowest&trigger=owner");
    assert!(
        slowest.contains("1 of 1 tick looked at, slowest first.")
            && slowest.contains(&format!("href=\"/ops/traces/{trace}\"")),
        "{slowest}"
    );
    let tick = service.until("the trace's event", |service| {
        let body = page(service, &format!("/ops/traces/{trace}"));
        body.contains("Trace on disk: on disk").then_some(body)
    });
    for agent in ["Comms", "Calendar", "Finance", "Wellness"] {
        assert!(tick.contains(&format!("{agent}: answered")), "{agent}: {tick}");
    }
    assert!(!tick.contains("keeps the events of this tick no more"), "{tick}");

    // Done again by the machine: its first event begins it, its last ends it.
    let first = page(&service, &format!("/ops/traces/{trace}/replay"));
    assert!(
        first.contains("The machine goes from Idle to Listening."),
        "{first}"
    );
    service.until("the end of the cooldown in the journal", |service| {
        let last = page(service, &format!("/ops/traces/{trace}/replay?step=64"));
        last.contains("The machine goes from Cooldown to Idle.")
            .then_some(())
    });
    let same = page(&service, &format!("/ops/compare?left={trace}&right={trace}"));
    assert!(same.contains("0 of "), "{same}");

    let quarantine = page(&service, "/ops/quarantine?code=GATE-009&agent=comms");
    // The member is missing: what should hold it is marked.
    assert!(
        quarantine.contains("kept by an older build")
            && quarantine.contains("</span>&quot;args&quot;: {</mark>"),
        "{quarantine}"
    );
    let named =
        |number: &str, sha: &str| json!({"kind": "calls", "number": number, "sha256": sha}).to_string();
    let replay = "POST /fragment/ops/quarantine/replay";
    let (_, said) = ask(&service, replay, &named("1", &sha));
    assert!(said.contains("Still refused"), "{said}");
    for gone in [named("2", &sha), named("1", &"0".repeat(64))] {
        assert!(
            ask(&service, replay, &gone).1.contains("purged meanwhile"),
            "{gone}"
        );
    }

    let policy = page(&service, "/ops/policy");
    for shown in [
        "The built-in policy is in force.",
        "is the one accepted for this folder.",
        "threshold = 0.45",
    ] {
        assert!(policy.contains(shown), "{shown}");
    }

    // The policy that was in force gives the days that were; one that is none is named by its place.
    let (_, default, _) = aura(&["policy", "show", "--default"], b"");
    let question = json!({"policy": default, "from": "", "to": ""}).to_string();
    let (status, answer) = ask(&service, "POST /fragment/ops/what-if", &question);
    assert!(
        status == 200 && answer.contains("0 added, 0 removed, 0 moved, 0 changed."),
        "{answer}"
    );
    let wrong = json!({"policy": default.replace("threshold = 0.45", "threshold = 4.5")}).to_string();
    let (_, answer) = ask(&service, "POST /fragment/ops/what-if", &wrong);
    let place = default
        .lines()
        .position(|line| line.starts_with("threshold"))
        .unwrap()
        + 1;
    assert!(
        answer.contains(&format!(" line {place}, column 13: ")),
        "{answer}"
    );

    let book = page(&service, "/ops/ledger");
    assert!(
        book.contains("It adds up: 3 free + 0 held + 0 spent − 0 given back = 3, and the day has 3."),
        "{book}"
    );

    // Nothing was changed by any of it, and that it was read is recorded.
    assert_eq!(
        std::fs::read_to_string(data.join("errors/quarantine_calls.jsonl")).unwrap(),
        line
    );
    let (_, log, _) = aura(&["memory", "audit", "list", "--data", folder, "--json"], b"");
    for kind in ["traces", "ledger", "settings"] {
        assert!(log.contains(&format!("\"kind\":\"{kind}\"")), "{kind}: {log}");
    }
}

/// The id of the next tick of which a page's stream tells.
fn told_tick(stream: &mut BufReader<TcpStream>) -> String {
    let mut is_tick = false;
    loop {
        let mut line = String::new();
        assert!(stream.read_line(&mut line).unwrap() > 0, "the stream has ended");
        let line = line.trim_end();
        if let Some(id) = line.strip_prefix("data: ").filter(|_| is_tick) {
            return id.to_owned();
        }
        is_tick = line == "event: tick";
    }
}

/// Else the newest decision would come with the one after it.
#[test]
fn a_tick_of_which_a_page_is_told_can_be_read_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home.toml");
    std::fs::write(&home, "zone = \"UTC\"\n").unwrap();
    let service = Service::start(&home, &dir.path().join("data"));
    let mut stream = BufReader::new(service.phone());
    let _slow = WriteFault::slow_disk(&service);
    for _ in 0..4 {
        assert_eq!(service.request("POST", "/v1/tick", None).0, 202);
        let told = told_tick(&mut stream);
        assert!(
            page(&service, "/ops").contains(&told),
            "{told} is not on the console"
        );
        assert_eq!(service.request("GET", &format!("/v1/traces/{told}"), None).0, 200);
    }
}
