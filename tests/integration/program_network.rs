//! A program that may reach some hosts, started by the built binary.
//!
//! What: curl and Python, as they are, reach the host that a manifest names and nobody else; there is no other way out. Why: a program is
//! held to what its owner wrote down. Not here: what the proxy understands (`aura_workflow::programs`), all of the network or none
//! (`sandbox.rs`).

use aura_process::WorkerProgram;
use aura_workflow::programs::{ConnectionRecorder, ProgramAgent, ProgramHost};
use serde_json::json;
use std::{
    fs::{self, Permissions},
    io::{Read as _, Write as _},
    net::TcpListener,
    os::unix::{
        fs::{PermissionsExt as _, chown},
        process::CommandExt as _,
    },
    path::PathBuf,
    process::Command,
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};
use tempfile::TempDir;
use toolcall_schema::rejection::RefusalReason;

/// A stand-in for a server: it answers every request with the same word.
fn stand_in() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut request = [0; 4096];
            let _ = stream.read(&mut request);
            let _ =
                stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nfound");
        }
    });
    port
}

/// What a program says that runs this script, and to whom it was connected.
fn run(network: &str, script: &str) -> (Result<String, RefusalReason>, Vec<String>) {
    let dir = TempDir::new().unwrap();
    let at = |path: &str| dir.path().join(path);
    fs::create_dir_all(at("agents.d")).unwrap();
    fs::create_dir_all(at("specs/one")).unwrap();
    let script = format!(
        "said=$({script})\nprintf '{{\"success\":true,\"summary\":\"%s\",\"artifacts\":[],\"recommendation\":\"proceed\"}}' \"$said\""
    );
    fs::write(at("agents.d/run.sh"), script).unwrap();
    let manifest = format!(
        "name = \"tried\"\nprotocol = \"envelope\"\nskills = [\"agent-protocol\"]\ncommand = [\"sh\", \"run.sh\"]\n\
         actions = [\"try\"]\nroots = [\"../specs\"]\n{network}\n"
    );
    fs::write(at("agents.d/tried.toml"), manifest).unwrap();
    let agent = ProgramAgent::load(&at("agents.d/tried.toml")).unwrap();
    let recorded = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&recorded);
    let record: ConnectionRecorder = Arc::new(move |host| {
        kept.lock().unwrap().push(host.to_string());
        true
    });
    let program = WorkerProgram(PathBuf::from(env!("CARGO_BIN_EXE_aura")));
    let host = ProgramHost::new(program, dir.path().to_owned(), at("scratch"), None).recording(record);
    let input = json!({
        "context": { "feature_id": "one", "workflow": "trial", "iteration": 1 },
        "paths": { "feature_root": "specs/one" },
        "task": { "action": "try", "params": {} },
    });
    let answered = host.envelope(&agent, &input, Duration::from_secs(30));
    let said = answered.map(|answer| answer.message.value()["summary"].as_str().unwrap().to_owned());
    let recorded = recorded.lock().unwrap().clone();
    (said, recorded)
}

const PYTHON: &str = "import urllib.request as u; print(u.urlopen(\\\"URL\\\", timeout=9).read().decode())";

#[test]
fn ordinary_programs_reach_the_hosts_that_a_manifest_names() {
    let host = format!("127.0.0.1:{}", stand_in());
    let network = format!("network = [\"{host}\"]\nprivate = true");
    let python = PYTHON.replace("URL", &format!("http://{host}/"));
    for script in [
        format!("curl -s http://{host}/"),
        // Through CONNECT, as for https.
        format!("curl -s -p http://{host}/"),
        format!("python3 -c \"{python}\""),
    ] {
        let (said, recorded) = run(&network, &script);
        assert_eq!(said.as_deref().ok(), Some("found"), "{script}: {said:?}");
        assert_eq!(recorded, std::slice::from_ref(&host), "{script}");
    }
    // Its standard input is what it is asked, as without.
    let (said, _) = run(&network, "head -c 2 | tr -d '\\n\"'");
    assert_eq!(said.unwrap(), "{");
}

#[test]
fn nobody_else_is_reached_by_the_proxy_or_beside_it() {
    let port = stand_in();
    let host = format!("127.0.0.1:{port}");
    let (named, public) = (
        format!("network = [\"example.org:443\", \"{host}\"]\nprivate = true"),
        format!("network = [\"{host}\"]"),
    );
    for (network, script, wanted) in [
        (
            &named,
            format!("curl -s http://127.0.0.1:{}/ | cut -c1-11", port ^ 1),
            "PROGRAM-009",
        ),
        (
            &named,
            "curl -s http://example.com/ | cut -c1-11".to_owned(),
            "PROGRAM-009",
        ),
        (
            &public,
            format!("curl -s http://{host}/ | cut -c1-11"),
            "PROGRAM-010",
        ),
        // Beside the proxy is nothing: another network, where nobody listens and no name is known.
        (
            &named,
            format!("curl -s --noproxy '*' http://{host}/; echo $?"),
            "7",
        ),
        (
            &named,
            "curl -s --noproxy '*' -m 5 http://192.0.2.1/; echo $?".to_owned(),
            "7",
        ),
        (
            &named,
            "curl -s --noproxy '*' http://example.org/; echo $?".to_owned(),
            "6",
        ),
        // What the agents' sandbox denies is denied as before.
        (&named, "unshare -r true 2>/dev/null; echo $?".to_owned(), "1"),
    ] {
        let (said, _) = run(network, &script);
        assert_eq!(said.as_deref().ok(), Some(wanted), "{script}: {said:?}");
    }
    // One that fails is told of with what it was refused.
    let (said, recorded) = run(&named, "curl -s https://example.com/ || kill -9 $$");
    let why = said.unwrap_err();
    assert_eq!(why.code, "PROGRAM-005");
    assert!(
        why.message
            .contains("PROGRAM-009: the manifest does not name example.com:443"),
        "{why}"
    );
    assert!(recorded.is_empty());
}

/// The tests may be root's, who may write what an ordinary user may not.
#[test]
fn an_ordinary_users_programs_have_a_network_of_their_own_too() {
    const NOBODY: u32 = 65_534;
    if !rustix::process::getuid().is_root() {
        return;
    }
    let host = format!("127.0.0.1:{}", stand_in());
    let dir = TempDir::new().unwrap();
    let at = |path: &str| dir.path().join(path);
    fs::create_dir(at("agents.d")).unwrap();
    let manifest = format!(
        "name = \"tried\"\nprotocol = \"envelope\"\nskills = [\"agent-protocol\"]\ncommand = [\"sh\", \"run.sh\"]\n\
         actions = [\"try\"]\nnetwork = [\"{host}\"]\nprivate = true\n"
    );
    fs::write(at("agents.d/tried.toml"), manifest).unwrap();
    let script = format!(
        "cat >/dev/null\n[ \"$(curl -s -p http://{host}/)\" = found ] || exit 9\n\
         echo '{{\"success\":true,\"summary\":\"found\",\"artifacts\":[],\"recommendation\":\"proceed\"}}'"
    );
    fs::write(at("agents.d/run.sh"), script).unwrap();
    for path in ["", "agents.d", "agents.d/tried.toml", "agents.d/run.sh"] {
        chown(at(path), Some(NOBODY), Some(NOBODY)).unwrap();
    }
    // The folder in which it was built may be closed to others.
    fs::copy(env!("CARGO_BIN_EXE_aura"), at("aura")).unwrap();
    fs::set_permissions(at("aura"), Permissions::from_mode(0o755)).unwrap();
    let checked = Command::new(at("aura"))
        .args(["agent", "check", "agents.d/tried.toml"])
        .current_dir(dir.path())
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("HOME", dir.path())
        .uid(NOBODY)
        .gid(NOBODY)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&checked.stdout);
    let first = said
        .lines()
        .find(|line| line.contains("answers `try`"))
        .unwrap_or_default();
    assert!(first.starts_with("ok"), "{said}");
}
