//! Real clients of the Model Context Protocol, beside a running service.
//!
//! What: `mcp` and `fastmcp` for Python, over HTTP in both versions and through `aura mcp`, list tools, read, and propose with a client that
//! accepts whatever it is asked; nothing happens before the owner's own button is pressed. Why: what programs of others do is seen only with
//! programs of others. Not here: each answer (`surfaces/doors`), the guard (`surfaces`), what waits and when (the machine's `tests/asks.rs`).

use crate::support::{Service, token, wait};
use serde_json::{Value, json};
use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::mpsc,
    thread,
};
use toolcall_schema::ToolName;

/// The Python that `scripts/deps.sh clients` has installed them for.
fn python() -> PathBuf {
    let cache = std::env::var_os("XDG_CACHE_HOME").map_or_else(
        || PathBuf::from(std::env::var_os("HOME").unwrap()).join(".cache"),
        PathBuf::from,
    );
    let python = cache.join("aura-tools/mcp-clients-2.3.0-4.2.3/bin/python");
    assert!(
        python.exists(),
        "the clients are not there: scripts/deps.sh clients"
    );
    python
}

/// Without a calendar nobody knows when somebody is free.
const CALENDAR: &str = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//example//EN\r\nBEGIN:VEVENT\r\nUID:a1\r\nDTSTAMP:20260101T000000Z\r\n\
    DTSTART:20260105T090000Z\r\nDTEND:20260105T100000Z\r\nSUMMARY:Talk\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";

struct Household {
    _dir: tempfile::TempDir,
    service: Service,
    token: String,
    url: String,
}

impl Household {
    fn new() -> Self {
        Self::with("", None)
    }

    /// With as many cards a day as there may be, one after the other.
    fn with_many_cards() -> Self {
        let policy = include_str!("../../orchestrator/machine/src/policy.toml");
        let policy = policy.replacen("window_min = 30", "asks_per_day = 5\nwindow_min = 0", 1);
        Self::with("ceiling = 5\n", Some(&policy))
    }

    fn with(more: &str, policy: Option<&str>) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let (home, data) = (dir.path().join("home.toml"), dir.path().join("data"));
        if let Some(policy) = policy {
            fs::write(dir.path().join("policy.toml"), policy).unwrap();
        }
        fs::write(
            &home,
            format!("zone = \"UTC\"\n{more}[sources]\ncalendar = [\"home.ics\"]\n"),
        )
        .unwrap();
        fs::write(dir.path().join("home.ics"), CALENDAR).unwrap();
        let service = Service::start(&home, &data);
        let token = token::program_token(&data, "Claude", [ToolName::SuggestSlots, ToolName::PermitLeisure]);
        let url = format!("http://127.0.0.1:{}/mcp", service.port);
        Self {
            _dir: dir,
            service,
            token,
            url,
        }
    }

    /// A connection on which a message was sent.
    fn send(&self, more: &str, message: &str) -> TcpStream {
        let mut stream = TcpStream::connect(("127.0.0.1", self.service.port)).unwrap();
        let head = format!(
            "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\n{more}Content-Length: {}\r\nConnection: close\r\n\r\n",
            self.service.port,
            self.token,
            message.len()
        );
        stream.write_all(format!("{head}{message}").as_bytes()).unwrap();
        stream
    }

    /// What the service answers to a message of the older version.
    fn post(&self, message: &str) -> String {
        let mut answer = String::new();
        self.send("", message).read_to_string(&mut answer).unwrap();
        answer
    }
}

/// A program that tells what happens to it, a line each.
struct Program {
    child: Child,
    lines: mpsc::Receiver<Value>,
    heard: Vec<Value>,
}

impl Program {
    fn start(how: &str, house: &Household) -> Self {
        let mut child = Command::new(python())
            .arg("tests/integration/mcp/clients.py")
            .args([how, &house.url, env!("CARGO_BIN_EXE_aura")])
            .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
            .env("AURA_DEVICE_TOKEN", &house.token)
            .env("NO_PROXY", "127.0.0.1,localhost")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (tell, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                let said = serde_json::from_str(&line).unwrap_or(Value::from(line));
                if tell.send(said).is_err() {
                    break;
                }
            }
        });
        Self {
            child,
            lines,
            heard: Vec::new(),
        }
    }

    /// The next line that has this member.
    fn until(&mut self, member: &str) -> Value {
        loop {
            let next = self.lines.recv_timeout(wait::PATIENCE);
            let line = next.unwrap_or_else(|error| panic!("no {member}: {error}; heard {:?}", self.heard));
            self.heard.push(line.clone());
            if line.get(member).is_some() {
                return line;
            }
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const TOOLS: [&str; 4] = [
    "calendar_suggest_slots",
    "wellness_permit_leisure",
    "aura_askable_things",
    "aura_ask_state",
];

/// The client proposes and accepts everything; the owner decides when the card is there.
fn proposes(how: &str, version: Option<&str>, shows_the_page: bool, confirms: bool) {
    let house = Household::new();
    let _phone = house.service.phone();
    let mut program = Program::start(how, &house);
    if let Some(version) = version {
        assert_eq!(program.until("version")["version"], version);
    }
    let mut tools: Vec<String> = serde_json::from_value(program.until("tools")["tools"].clone()).unwrap();
    tools.sort();
    let mut expected = TOOLS;
    expected.sort_unstable();
    assert_eq!(tools, expected);
    let slots = program.until("slots");
    assert_eq!(slots["slots"]["slots"].as_array().unwrap().len(), 3, "{slots}");
    program.until("proposing");
    if shows_the_page {
        let shown = program.until("shown");
        let page = shown["shown"].as_str().unwrap();
        assert_eq!(shown["mode"], "url");
        assert!(
            page.starts_with("http://aura-")
                && page.ends_with(&format!(".localhost:{}/", house.service.port))
        );
    }
    let card = house.service.look_until_asked();
    let chosen = &card["decision"]["chosen"];
    assert_eq!(
        (&chosen["kind"], &chosen["asker"]),
        (&json!("PERMIT_LEISURE"), &json!("program"))
    );
    // The program has accepted, and the card is still a question.
    let trace = format!("/v1/traces/{}", card["decision"]["trace_id"].as_str().unwrap());
    assert_eq!(
        house.service.request("GET", &trace, None).0,
        404,
        "it is not decided"
    );
    let end = if confirms {
        house.service.confirm(&card);
        "done"
    } else {
        let path = format!("/v1/cards/{}/answer", card["card_id"].as_str().unwrap());
        let body = json!({"act": "dismiss", "surface": "PHONE_CARD", "capability": card["prompts"][0]["capability"]});
        house.service.until("dismissal", |service| {
            service.request("GET", "/fragment/now?c=1", None);
            (service.request("POST", &path, Some(&body)).0 == 200).then_some(())
        });
        "dismissed"
    };
    let said = program.until("end");
    assert_eq!(
        (&said["end"]["state"], &said["is_error"]),
        (&json!(end), &json!(false)),
        "{said}"
    );
    let capability = card["prompts"][0]["capability"].as_str().unwrap();
    let heard = Value::from(program.heard.clone()).to_string();
    assert!(!heard.contains(capability), "the program was given what confirms");
    let outcome = house.service.until("trace", |service| {
        let (status, trace) = service.request("GET", &trace, None);
        (status == 200).then(|| trace["outcome"].clone())
    });
    assert_eq!(outcome, if confirms { "confirmed" } else { "dismissed" });
}

#[test]
fn the_newest_python_client_is_shown_the_owners_page_and_moves_nothing() {
    proposes("new", Some("2026-07-28"), true, true);
}

#[test]
fn a_client_of_the_older_version_waits_for_the_owner() {
    proposes("old", Some("2025-11-25"), false, true);
}

#[test]
fn a_client_that_starts_aura_mcp_has_what_its_token_has() {
    proposes("stdio", Some("2026-07-28"), true, false);
}

#[test]
fn fastmcp_moves_nothing_either() {
    proposes("fast", None, true, true);
}

#[test]
fn a_client_that_closes_while_the_owner_confirms_has_what_was_first() {
    let house = Household::with_many_cards();
    let _phone = house.service.phone();
    let head =
        "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: wellness_permit_leisure\r\n";
    let mut ends = Vec::new();
    // By turns who is first; four cards are theirs on this day.
    for turn in 0..4 {
        let message = json!({"jsonrpc": "2.0", "id": turn, "method": "tools/call", "params": {
            "name": "wellness_permit_leisure", "arguments": {}, "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
                "io.modelcontextprotocol/clientCapabilities": {},
                "local.aura/idempotencyKey": format!("turn {turn}")}}});
        let held = house.send(head, &message.to_string());
        let card = house.service.look_until_asked();
        house.service.request("GET", "/fragment/now?c=1", None);
        let path = format!("/v1/cards/{}/answer", card["card_id"].as_str().unwrap());
        let yes = json!({"act": "confirm", "surface": "PHONE_CARD", "capability": card["prompts"][0]["capability"]});
        let confirm = || house.service.request("POST", &path, Some(&yes)).0;
        let status = if turn % 2 == 0 {
            thread::scope(|scope| {
                let confirming = scope.spawn(confirm);
                drop(held);
                confirming.join().unwrap()
            })
        } else {
            drop(held);
            confirm()
        };
        let id = card["decision"]["trace_id"].as_str().unwrap();
        let trace = house.service.until("an end", |service| {
            let (found, trace) = service.request("GET", &format!("/v1/traces/{id}"), None);
            (found == 200).then_some(trace)
        });
        let ran = trace["tool_calls"].as_array().unwrap().len();
        // She was told yes, and it was done; or that it is too late, and nothing was.
        let wanted = if status == 200 {
            ("confirmed", 1)
        } else {
            ("dismissed", 0)
        };
        assert_eq!(
            (trace["outcome"].as_str().unwrap(), ran),
            wanted,
            "{status}: {trace}"
        );
        ends.push(status);
    }
    println!("the owner was told {ends:?}");
}

#[test]
fn aura_mcp_needs_a_token_and_sends_it_nowhere_else() {
    let run = |args: &[&str], token: &str| {
        let mut child = Command::new(env!("CARGO_BIN_EXE_aura"))
            .arg("mcp")
            .args(args)
            .env_clear()
            .env("AURA_DEVICE_TOKEN", token)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let ask = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";
        // A command that does not read its input closes it.
        let _ = child.stdin.take().unwrap().write_all(ask.as_bytes());
        let done = child.wait_with_output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (done.status.code(), text(&done.stdout), text(&done.stderr))
    };
    let (code, _, why) = run(&[], "");
    assert!(
        code == Some(2) && why.contains("aura device add NAME --scope ask"),
        "{why}"
    );
    let (code, _, why) = run(&["--url", "https://example.org/mcp"], "a-token");
    assert!(
        code == Some(2) && why.contains("not an address of this computer"),
        "{why}"
    );
    let (code, _, why) = run(&["--token-file", "/nowhere/token"], "");
    assert!(code == Some(2) && why.contains("/nowhere/token"), "{why}");
    // Nobody listens at a port of a service that has ended.
    let house = Household::new();
    let (url, token) = (house.url.clone(), house.token.clone());
    let (code, said, _) = run(&["--url", &url], &token);
    assert!(code == Some(0) && said.contains("\"result\":{}"), "{said}");
    let (_, said, _) = run(&["--url", &url], "another-token");
    assert!(said.contains("WEB-003"), "{said}");
    drop(house);
    let (code, said, _) = run(&["--url", &url], &token);
    assert!(code == Some(0) && said.contains("is it running?"), "{said}");
    assert!(!said.contains(&token), "{said}");
}

#[test]
fn the_script_of_the_documentation_runs_as_it_stands() {
    let house = Household::new();
    let slots = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"calendar_suggest_slots","arguments":{"duration_min":60,"after":"2026-01-05T08:00:00Z"}}}"#;
    house.service.until("a calendar that was read", |_| {
        house.post(slots).contains("structuredContent").then_some(())
    });
    let bin = Path::new(env!("CARGO_BIN_EXE_aura")).parent().unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let done = Command::new(python())
        .arg("docs/examples/mcp_ask.py")
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .env("AURA_DEVICE_TOKEN", &house.token)
        .env("AURA_MCP_URL", &house.url)
        .env("PATH", path)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&done.stdout);
    let why = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{said}{why}");
    assert!(said.contains("It may: calendar_suggest_slots"), "{said}");
    assert_eq!(
        said.lines().filter(|line| line.starts_with("Free: ")).count(),
        3,
        "{said}"
    );
}
