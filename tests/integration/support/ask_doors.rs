//! Programs at each door, over kills of the service.
//!
//! What: [`Door`] for REST, the Model Context Protocol by HTTP and by `aura mcp`, the command line, a step of a workflow and a frame of its agent. Why:
//! each goes on with the same key whatever became of the service. Not here: what is claimed of them (`asks_doors`, `asks_kill`, `asks_writes`).

use super::{
    Service,
    plain_http::{http, object},
    wait,
    workflows::Place,
};
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    process::{Child, ChildStdout, Command, Stdio},
    thread,
};

const NEW: &str = "2026-07-28";

/// A step proposes.
const STEP: &str = "rest";
const STEP_ASKS: &str = "name = \"rest\"\n[[step]]\nname = \"pause\"\nkind = \"ask\"\ntool = \"wellness.permit_leisure\"\nargs = { window_min = 90 }\n";
/// An agent of a step does.
const FRAME: &str = "framed";
const FRAME_ASKS: &str = "name = \"framed\"\n[[step]]\nname = \"look\"\nagent = \"framer\"\ntask = \"research\"\nobjective = \"Find what there is\"\n\
    [step.asks.pause]\ntool = \"wellness.permit_leisure\"\nargs = { window_min = 90 }\n";

/// Names what its step does not, and what it does with arguments of its own; tells what it was refused while it works, and ends with the ask.
const FRAMER: &str = r#"while IFS= read -r line; do
said=$(printf '%s' "$line" | tr -d '"{}')
case "$line" in
*'"cancel"'*|*'"state":"queued"'*|*'"state":"asking"'*) continue;;
*'"refused":'*) printf '{"id":%s,"message":{"status":"processing","data":{"summary":"%s"},"meta":{}}}\n' "$id" "$said"; continue;;
*'"state":'*) printf '{"id":%s,"message":{"status":"completed","data":{"summary":"%s"},"meta":{}}}\n' "$id" "$said"; continue;;
esac
id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
printf '{"id":%s,"ask":"nap"}\n{"id":%s,"ask":"pause","args":{"window_min":240}}\n' "$id" "$id"
done
"#;

/// The service as it runs now.
#[derive(Clone)]
pub(crate) struct Running {
    /// Counts the starts.
    pub(crate) life: u64,
    pub(crate) port: u16,
    /// Of the owner's device.
    pub(crate) owner: String,
}

impl Running {
    pub(crate) fn of(service: &Service, life: u64) -> Self {
        Self {
            life,
            port: service.port,
            owner: service.token.clone(),
        }
    }
}

/// Puts the workflows that ask for a break into a project: one whose step does, and one whose agent does.
pub(crate) fn add_workflows_that_ask(place: &Place) {
    for (name, text) in [(STEP, STEP_ASKS), (FRAME, FRAME_ASKS)] {
        fs::write(place.project().join(format!("workflows/{name}.toml")), text).unwrap();
    }
    place.add_agent("framer", FRAMER);
}

/// A door, as one program uses it: every method is told `None` when the service has gone meanwhile.
pub(crate) trait Door {
    /// Proposes under this key, or asks again what came of it.
    fn propose(&mut self, running: &Running, key: &str) -> Option<Value>;
    /// Takes it back, and says what came of it where this protocol does.
    fn cancel(&mut self, running: &Running, key: &str, view: &Value) -> Option<Value>;
    /// Wants something else under a key that it has used, or under none: the refusal that it is told.
    fn want_else(&mut self, running: &Running, key: &str) -> String;
}

/// What is not asked for under a key that was used for a break.
fn nap() -> Value {
    json!({"duration_min": 15})
}

pub(crate) struct RestDoor {
    pub(crate) token: String,
}

impl RestDoor {
    fn request(&self, running: &Running, line: &str, body: &str) -> Option<Value> {
        let head = format!("Authorization: Bearer {}\r\n", self.token);
        let (status, text) = http(running.port, line, &head, body).ok()?;
        // 503: it is stopping or has no time.
        (status != 503).then(|| object(&text)).flatten()
    }
}

impl Door for RestDoor {
    fn propose(&mut self, running: &Running, key: &str) -> Option<Value> {
        let body = json!({"tool": "wellness.permit_leisure", "args": {"window_min": 90}, "key": key});
        self.request(running, "POST /v1/asks", &body.to_string())
    }

    fn cancel(&mut self, running: &Running, _: &str, view: &Value) -> Option<Value> {
        let line = format!("POST /v1/asks/{}/cancel", view["ask"].as_str()?);
        self.request(running, &line, "")
    }

    fn want_else(&mut self, running: &Running, key: &str) -> String {
        let body = json!({"tool": "wellness.start_nap_timer", "args": nap(), "key": key});
        let told = self.request(running, "POST /v1/asks", &body.to_string()).unwrap();
        told["code"].as_str().unwrap().to_owned()
    }
}

/// A message of the newer version; with its key it is the same ask.
fn message(id: u64, method: &str, mut params: Value, key: &str) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": NEW,
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {"extensions": {"io.modelcontextprotocol/tasks": {}}},
        "local.aura/idempotencyKey": key,
    });
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

/// What `tools/call` answered, as the other doors say it.
fn task_view(answer: &Value) -> Option<Value> {
    let result = answer.get("result")?;
    if let Some(task) = result["taskId"].as_str() {
        return Some(json!({"state": "queued", "task": task}));
    }
    let view = result["structuredContent"].clone();
    // A refusal is a text: too many wait.
    Some(if view.is_object() {
        view
    } else {
        json!({"code": result["content"][0]["text"]})
    })
}

pub(crate) struct HttpDoor {
    pub(crate) token: String,
}

impl HttpDoor {
    pub(crate) fn request(
        &self,
        running: &Running,
        method: &str,
        about: &str,
        params: Value,
        key: &str,
    ) -> Option<Value> {
        let head = format!(
            "Authorization: Bearer {}\r\nAccept: application/json, text/event-stream\r\nMCP-Protocol-Version: {NEW}\r\n\
             Mcp-Method: {method}\r\nMcp-Name: {about}\r\n",
            self.token
        );
        let body = message(1, method, params, key).to_string();
        let (_, text) = http(running.port, "POST /mcp", &head, &body).ok()?;
        object(&text)
    }
}

fn leisure() -> Value {
    json!({"name": "wellness_permit_leisure", "arguments": {}})
}

const NAP_TOOL: &str = "wellness_start_nap_timer";

fn nap_call() -> Value {
    json!({"name": NAP_TOOL, "arguments": {}})
}

/// The text of a call that is answered with a refusal.
fn refusal_in(answer: &Value) -> String {
    let result = &answer["result"];
    assert_eq!(result["isError"], true, "{answer}");
    result["content"][0]["text"].as_str().unwrap().to_owned()
}

impl Door for HttpDoor {
    fn propose(&mut self, running: &Running, key: &str) -> Option<Value> {
        let answer = self.request(running, "tools/call", "wellness_permit_leisure", leisure(), key);
        task_view(&answer?)
    }

    fn cancel(&mut self, running: &Running, key: &str, view: &Value) -> Option<Value> {
        let task = view["task"].as_str()?;
        self.request(running, "tasks/cancel", task, json!({"taskId": task}), key);
        None
    }

    fn want_else(&mut self, running: &Running, key: &str) -> String {
        let answer = self.request(running, "tools/call", NAP_TOOL, nap_call(), key);
        refusal_in(&answer.unwrap())
    }
}

/// `aura mcp`, one process for each life of the service.
pub(crate) struct StdioDoor {
    token: String,
    process: Option<(u64, Child, BufReader<ChildStdout>)>,
    next: u64,
}

impl StdioDoor {
    pub(crate) fn new(token: String) -> Self {
        Self {
            token,
            process: None,
            next: 0,
        }
    }

    fn request(&mut self, running: &Running, method: &str, params: Value, key: &str) -> Option<Value> {
        if self
            .process
            .as_ref()
            .is_none_or(|(life, ..)| *life != running.life)
        {
            self.end();
            let mut child = Command::new(env!("CARGO_BIN_EXE_aura"))
                .args(["mcp", "--url", &format!("http://127.0.0.1:{}/mcp", running.port)])
                .env("AURA_DEVICE_TOKEN", &self.token)
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            let lines = BufReader::new(child.stdout.take().unwrap());
            self.process = Some((running.life, child, lines));
        }
        self.next += 1;
        let asked = message(self.next, method, params, key);
        let (_, child, lines) = self.process.as_mut()?;
        writeln!(child.stdin.as_mut()?, "{asked}").ok()?;
        let mut line = String::new();
        if lines.read_line(&mut line).ok()? == 0 {
            self.end();
            return None;
        }
        let answer = object(&line)?;
        assert!(answer["id"].is_null() || answer["id"] == asked["id"], "{answer}");
        Some(answer)
    }

    fn end(&mut self) {
        if let Some((_, mut child, _)) = self.process.take() {
            // It may have ended by itself.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl Drop for StdioDoor {
    fn drop(&mut self) {
        self.end();
    }
}

impl Door for StdioDoor {
    fn propose(&mut self, running: &Running, key: &str) -> Option<Value> {
        let answer = self.request(running, "tools/call", leisure(), key)?;
        task_view(&answer)
    }

    fn cancel(&mut self, running: &Running, key: &str, view: &Value) -> Option<Value> {
        let task = json!({"taskId": view["task"].as_str()?});
        self.request(running, "tasks/cancel", task, key);
        None
    }

    fn want_else(&mut self, running: &Running, key: &str) -> String {
        let answer = self.request(running, "tools/call", nap_call(), key);
        refusal_in(&answer.unwrap())
    }
}

pub(crate) struct CommandDoor<'a> {
    pub(crate) place: &'a Place,
}

impl CommandDoor<'_> {
    fn ask(&self, args: &[&str]) -> Option<Value> {
        let done = self.place.run(&[&["ask", "--json"], args].concat());
        object(&String::from_utf8(done.stdout).unwrap())
    }
}

impl Door for CommandDoor<'_> {
    fn propose(&mut self, _: &Running, key: &str) -> Option<Value> {
        let args = ["wellness.permit_leisure", "--args", r#"{"window_min":90}"#];
        self.ask(&[&args[..], &["--idempotency-key", key]].concat())
    }

    fn cancel(&mut self, _: &Running, _: &str, view: &Value) -> Option<Value> {
        self.ask(&["--cancel", view["ask"].as_str()?])
    }

    fn want_else(&mut self, _: &Running, key: &str) -> String {
        let args = nap().to_string();
        let args = [
            "ask",
            "wellness.start_nap_timer",
            "--args",
            &args,
            "--idempotency-key",
            key,
        ];
        let done = self.place.run(&args);
        assert_eq!(done.status.code(), Some(1), "{done:?}");
        String::from_utf8(done.stderr).unwrap()
    }
}

/// A run for each key, which is left to who executes it.
pub(crate) struct WorkflowDoor<'a> {
    place: &'a Place,
    workflow: &'static str,
    runs: BTreeMap<String, (String, Child)>,
}

impl<'a> WorkflowDoor<'a> {
    /// A step proposes.
    pub(crate) fn step(place: &'a Place) -> Self {
        Self::of(place, STEP)
    }

    /// An agent proposes while its step asks it.
    pub(crate) fn frame(place: &'a Place) -> Self {
        Self::of(place, FRAME)
    }

    fn of(place: &'a Place, workflow: &'static str) -> Self {
        let runs = BTreeMap::new();
        Self {
            place,
            workflow,
            runs,
        }
    }

    /// What its agent told of what it was refused.
    fn refusal_of_frame(&self) -> String {
        wait::until("a refusal", || {
            let done = self.place.run(&["workflow", "log", "last", "--json"]);
            let text = String::from_utf8(done.stdout).unwrap();
            let told = text.lines().find(|line| line.contains("refused:"));
            told.map(str::to_owned)
        })
    }

    /// The id of its workflow's newest run.
    fn newest(&self) -> Option<String> {
        let done = self.place.run(&["workflow", "status", "--json"]);
        let text = String::from_utf8(done.stdout).unwrap();
        let mut runs = text.lines().filter_map(object);
        let run = runs.find(|run| run["workflow"] == self.workflow)?;
        Some(run["run"].as_str()?.to_owned())
    }
}

impl Door for WorkflowDoor<'_> {
    fn propose(&mut self, _: &Running, key: &str) -> Option<Value> {
        if !self.runs.contains_key(key) {
            let before = self.newest();
            let mut child = self
                .place
                .aura(&["workflow", "run", self.workflow, "--json"])
                .stdout(Stdio::piped())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            let mut line = String::new();
            let mut lines = BufReader::new(child.stdout.take().unwrap());
            lines.read_line(&mut line).unwrap();
            // Nobody reads on, and it writes little.
            let run = object(&line).and_then(|line| Some(line["run"].as_str()?.to_owned()));
            let run = run.or_else(|| self.newest().filter(|run| Some(run) != before.as_ref()));
            let Some(run) = run else {
                child.wait().unwrap();
                return None;
            };
            thread::spawn(move || lines.read_to_string(&mut String::new()));
            self.runs.insert(key.to_owned(), (run, child));
        }
        let (run, _) = &self.runs[key];
        let asker = format!("run_{}", run.replace('-', ""));
        let done = self.place.run(&["ask", "--list", "--json"]);
        let text = String::from_utf8(done.stdout).unwrap();
        let mut asks = text.lines().filter_map(object);
        asks.find(|ask| ask["device"] == json!(asker))
    }

    fn cancel(&mut self, _: &Running, key: &str, _: &Value) -> Option<Value> {
        let (run, child) = self.runs.get_mut(key)?;
        let done = self.place.run(&["workflow", "cancel", run]);
        // It may have come to its end meanwhile.
        if done.status.code() != Some(75) {
            wait::exit_within(child, wait::PATIENCE);
        }
        None
    }

    fn want_else(&mut self, _: &Running, _: &str) -> String {
        if self.workflow == FRAME {
            return self.refusal_of_frame();
        }
        let other = STEP_ASKS.replace("\"rest\"", "\"other\"").replace("90", "240");
        let file = self.place.project().join("workflows/other.toml");
        fs::write(&file, other).unwrap();
        let done = self.place.run(&["workflow", "run", "other"]);
        // A file that is wrong would be in the way of the others' check.
        fs::remove_file(file).unwrap();
        assert!(!done.status.success(), "{done:?}");
        String::from_utf8(done.stderr).unwrap()
    }
}

impl Drop for WorkflowDoor<'_> {
    fn drop(&mut self) {
        for (_, child) in self.runs.values_mut() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
