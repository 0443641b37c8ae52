//! Who uses the service while it is hurt.
//!
//! What: [`LoadGenerator`], seven threads: an owner who asks for tick after tick, a watch and a phone that confirm what they are asked,
//! devices that send the signals of the recorded days as if they were of now, a phone that sends payments and messages until each is
//! acknowledged, an owner who changes rules, pauses Aura and ends mutes, somebody who imports files and deletes payments, and somebody who runs other commands beside the service. Why: a service at rest survives anything. Not
//! here: faults, what is made of what was seen (`verdict`).

use super::{
    clocks,
    house::{ChaosHousehold, PageAccess},
    http,
    ledger::{AckLedger, StoredContents},
    traces::TraceObserver,
    wall,
};
use crate::random::mixed;
use aura_memory::StoreError;
use aura_runtime::control::{self, ControlReply, ControlRequest};
use serde_json::{Value, json};
use std::{
    collections::BTreeSet,
    path::Path,
    process::{Command, Stdio},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};
use toolcall_schema::{
    AgentName, Timestamp,
    day::RecordedDay,
    ids::TraceId,
    names::AgentStatus,
    rule::RuleName,
    signal::{AdmittedSignal, Signal, SignalKind},
};

/// A tick that was asked for and got its trace.
#[derive(Debug, Clone)]
pub(super) struct SeenTick {
    pub(super) began: Instant,
    pub(super) ended: Instant,
    pub(super) trace: TraceId,
    pub(super) tick: u64,
    /// Whether all four agents answered.
    pub(super) whole: bool,
}

/// What the users were told.
#[derive(Debug, Clone, Default)]
pub(super) struct LoadOutcome {
    pub(super) asked: u64,
    pub(super) traces: Vec<SeenTick>,
    /// The cards whose confirmation was accepted.
    pub(super) confirmed: BTreeSet<String>,
    /// Traces that were kept at some time.
    pub(super) kept: TraceObserver,
    /// What else was acknowledged.
    pub(super) ledger: AckLedger,
}

struct LoadShared {
    over: AtomicBool,
    told: Mutex<LoadOutcome>,
    door: Arc<Mutex<Option<PageAccess>>>,
    signals: Vec<RecordedSignal>,
    sent: AtomicU64,
    commands: AtomicU64,
}

/// A recorded signal, and when its day began.
struct RecordedSignal {
    signal: Signal,
    day: Timestamp,
}

/// The users.
pub(super) struct LoadGenerator {
    shared: Arc<LoadShared>,
    threads: Vec<JoinHandle<()>>,
}

/// Between two imports.
const ARCHIVED_S: u64 = 6;

/// So many rules stand when Aura is paused for a moment.
const PAUSED_WITH: usize = 4;

/// Signals in one batch of a flood: as many as the service takes.
const BATCH: usize = 256;

impl LoadGenerator {
    pub(super) fn start(house: &ChaosHousehold, days: &[RecordedDay], seed: u64) -> Self {
        let mut signals = vec![];
        for day in days {
            // Do not disturb would keep everything from happening.
            let all = day.signals.iter().map(AdmittedSignal::signal);
            let loud = all.filter(|signal| signal.kind != SignalKind::Dnd);
            signals.extend(loud.map(|signal| RecordedSignal {
                signal: signal.clone(),
                day: day.day.start,
            }));
        }
        let shared = Arc::new(LoadShared {
            over: AtomicBool::new(false),
            told: Mutex::default(),
            door: house.doors(),
            signals,
            sent: AtomicU64::new(seed << 32),
            commands: AtomicU64::new(seed << 32),
        });
        let data = house.data();
        let user = |what: Box<dyn Fn(&LoadShared) + Send>| {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                while !shared.over.load(Ordering::Relaxed) {
                    what(&shared);
                }
            })
        };
        let threads = vec![
            user(Box::new(move |shared| owner(shared, &data))),
            user(Box::new(devices)),
            user(Box::new({
                let clock = house.clock().to_owned();
                move |shared| phone(shared, &clock)
            })),
            user(Box::new({
                let data = house.data();
                move |shared| rules(shared, &data)
            })),
            user(Box::new({
                let (aura, data) = (house.commands(), house.data());
                move |shared| commands(shared, &aura, &data)
            })),
            user(Box::new({
                let (aura, dir) = (house.commands(), house.dir().to_owned());
                move |shared| archive(shared, &aura, &dir)
            })),
            user(Box::new(watch)),
        ];
        Self { shared, threads }
    }

    /// When the first such tick ended.
    pub(super) fn first(&self, which: impl FnMut(&&SeenTick) -> bool) -> Option<Instant> {
        let told = self.shared.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.traces.iter().find(which).map(|seen| seen.ended)
    }

    /// One post that this agent reads; payments where it reads these.
    pub(super) fn post_to(&self, agent: AgentName) {
        if agent == AgentName::Finance {
            pay(&self.shared);
        } else {
            self.batch(agent, 4);
        }
    }

    /// These can be deleted from now on.
    pub(super) fn note_keys(&self, kept: &StoredContents) {
        with_ledger(&self.shared, |ledger| ledger.note_keys(kept));
    }

    /// What the users were told so far.
    pub(super) fn ledger(&self) -> AckLedger {
        with_ledger(&self.shared, |ledger| ledger.clone())
    }

    /// One batch that is all for this agent.
    pub(super) fn flood(&self, agent: AgentName) {
        self.batch(agent, BATCH);
    }

    fn batch(&self, agent: AgentName, length: usize) {
        let Some(door) = self.shared.door() else { return };
        let mine: Vec<&RecordedSignal> = self
            .shared
            .signals
            .iter()
            .filter(|recorded| recorded.signal.kind.reader() == agent)
            .collect();
        let batch: Vec<Value> = (0..length).filter_map(|_| self.shared.signal(&mine)).collect();
        // Refused while too much waits is an answer, too.
        let _ = http::ask("POST", "/v1/signals", &door, Some(&Value::Array(batch)));
    }

    /// Ends; what the users were told.
    pub(super) fn stop(self) -> LoadOutcome {
        self.shared.over.store(true, Ordering::Relaxed);
        for thread in self.threads {
            // One that panicked saw what it saw.
            let _ = thread.join();
        }
        self.shared
            .told
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

impl LoadShared {
    fn door(&self) -> Option<PageAccess> {
        self.door.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn told(&self, note: impl FnOnce(&mut LoadOutcome)) {
        note(&mut self.told.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// One of these as if it were of now, with an id of its own.
    fn signal(&self, of: &[&RecordedSignal]) -> Option<Value> {
        let n = self.sent.fetch_add(1, Ordering::Relaxed);
        let index = usize::try_from(mixed(n))
            .unwrap_or_default()
            .checked_rem(of.len())?;
        let RecordedSignal { signal, day } = of.get(index)?;
        let mut value = serde_json::to_value(signal).ok()?;
        let now = wall();
        let shift = now.since(*day);
        shifted(&mut value, shift);
        *value.get_mut("id")? = json!(format!("c{n}"));
        *value.get_mut("at")? = json!(now);
        Some(value)
    }
}

/// Every moment in it, so much later.
fn shifted(value: &mut Value, ms: i64) {
    match value {
        Value::String(text) => {
            if let Ok(at) = Timestamp::parse(text) {
                *value = json!(at.plus_ms(ms));
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| shifted(item, ms)),
        Value::Object(fields) => fields.values_mut().for_each(|field| shifted(field, ms)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Asks for a tick, and then for the next.
fn owner(shared: &LoadShared, data: &Path) {
    let began = Instant::now();
    shared.told(|told| told.asked += 1);
    match control::ask(data, &ControlRequest::Tick { within_ms: 45_000 }) {
        Ok(Some(ControlReply::Trace(trace))) => {
            let status = &trace.decision.agent_status;
            let whole = AgentName::FOUR
                .iter()
                .all(|agent| status.get(agent) == Some(&AgentStatus::Answered));
            let seen = SeenTick {
                began,
                ended: Instant::now(),
                tick: trace.decision.tick,
                trace: trace.trace_id,
                whole,
            };
            shared.told(|told| told.traces.push(seen));
        }
        // Not there, or not able to: later.
        Ok(_) | Err(_) => thread::park_timeout(Duration::from_millis(50)),
    }
}

/// Sends some signals.
fn devices(shared: &LoadShared) {
    thread::park_timeout(Duration::from_millis(200));
    let Some(door) = shared.door() else { return };
    let all: Vec<&RecordedSignal> = shared.signals.iter().collect();
    let batch: Vec<Value> = (0..4).filter_map(|_| shared.signal(&all)).collect();
    // Lost while the service is away: devices send again, these do not.
    let _ = http::ask("POST", "/v1/signals", &door, Some(&Value::Array(batch)));
}

/// Sends payments until each is acknowledged, and some once more.
fn phone(shared: &LoadShared, clock: &Path) {
    thread::park_timeout(Duration::from_millis(100));
    pay(shared);
    message(shared, clock);
}

/// One post of messages.
fn message(shared: &LoadShared, clock: &Path) {
    let Some(door) = shared.door() else { return };
    let was_right = clocks::is_right(clock);
    let post = with_ledger(shared, |ledger| ledger.messages(wall()));
    let answer = http::ask("POST", "/v1/signals", &door, Some(&post.body));
    with_ledger(shared, |ledger| {
        // A clock that is ahead makes them older than a day: read, and named as not counted (AGENT-017).
        if !was_right || !clocks::is_right(clock) {
            ledger.messages_may_be_old(&post);
        }
        if answer.is_some_and(|(status, _)| status == 202) {
            ledger.messages_read(&post);
        }
    });
}

/// One post of payments.
fn pay(shared: &LoadShared) {
    let Some(door) = shared.door() else { return };
    let post = with_ledger(shared, |ledger| ledger.post(wall()));
    let answer = http::ask("POST", "/v1/signals", &door, Some(&post.body));
    if answer.is_some_and(|(status, _)| status == 202)
        && with_ledger(shared, |ledger| ledger.acknowledge(&post))
    {
        // Known already: it changes nothing, whatever the answer.
        let _ = http::ask("POST", "/v1/signals", &door, Some(&post.body));
    }
}

/// Adds and removes rules that keep nothing back.
fn rules(shared: &LoadShared, data: &Path) {
    thread::park_timeout(Duration::from_millis(300));
    let (name, stands) = with_ledger(shared, AckLedger::rule);
    let rule = json!({ "name": name, "kinds": ["PERMIT_LEISURE"], "hours": ["03:00:00", "03:01:00"] });
    let request = match (RuleName::parse(&name), serde_json::from_value(rule)) {
        (Ok(_), Ok(rule)) if stands => ControlRequest::RuleSet { rule },
        (Ok(name), _) => ControlRequest::RuleRemove { name },
        (Err(_), _) => return,
    };
    let answer = control::ask(data, &request);
    let Ok(Some(ControlReply::Standing(standing))) = answer else {
        return;
    };
    with_ledger(shared, |ledger| ledger.rule_changed(name, stands));
    // A mute that is there is ended, by the way.
    if let Some((channel, until)) = standing.mutes.into_iter().find(|(_, until)| *until > standing.at) {
        let end = ControlRequest::MuteEnd {
            channel: channel.clone(),
            key: None,
        };
        if matches!(control::ask(data, &end), Ok(Some(ControlReply::Standing(_)))) {
            with_ledger(shared, |ledger| {
                ledger.mute_ended(channel.to_string(), until.to_string());
            });
        }
    }
    // A pause that is as short as it may be.
    if stands && standing.rules.len() == PAUSED_WITH {
        with_ledger(shared, AckLedger::pause_changes);
        let until = Some(standing.at.plus_ms(60_000));
        let paused = control::ask(data, &ControlRequest::Pause { until });
        let ended = control::ask(data, &ControlRequest::Pause { until: None });
        if paused.is_ok() && matches!(ended, Ok(Some(ControlReply::Standing(_)))) {
            with_ledger(shared, AckLedger::pause_ended);
        }
    }
}

/// Runs commands beside the service, one behind the other.
fn commands(shared: &LoadShared, aura: &impl Fn(&[&str]) -> Command, data: &Path) {
    const LINES: &[&[&str]] = &[
        &["status", "--json"],
        &["memory", "stats", "--json"],
        &["trace", "list", "--json"],
        &["rule", "list", "--json"],
        &["ledger", "--json"],
        &["mute", "list", "--json"],
        &["clock", "show", "--json"],
        &["quarantine", "list", "--json"],
        &["memory", "audit", "verify", "--json"],
        &["memory", "purge", "--dry-run", "--json"],
        &["memory", "purge", "--json"],
        &["quarantine", "purge", "--older-than", "30d", "--json"],
        &["pause", "show", "--json"],
        &["memory", "delete", "--everything", "--dry-run", "--json"],
    ];
    thread::park_timeout(Duration::from_millis(400));
    let n = shared.commands.fetch_add(1, Ordering::Relaxed);
    let index = usize::try_from(mixed(n)).unwrap_or_default() % LINES.len();
    let Some(line) = LINES.get(index) else { return };
    let done = aura(line).arg("--data").arg(data).stdin(Stdio::null()).output();
    if let Ok(done) = done {
        with_ledger(shared, |ledger| {
            ledger.command(&format!("aura {}", line.join(" ")), &done);
        });
    }
}

/// Imports a file, then deletes a payment, by commands beside the service.
fn archive(shared: &LoadShared, aura: &impl Fn(&[&str]) -> Command, dir: &Path) {
    for _ in 0..ARCHIVED_S * 10 {
        if shared.over.load(Ordering::Relaxed) {
            return;
        }
        thread::park_timeout(Duration::from_millis(100));
    }
    let data = dir.join("data");
    let run = |line: &[&str], file: &Path| {
        let mut command = aura(line);
        command.arg(file).arg("--data").arg(&data).stdin(Stdio::null());
        command
    };
    let (amounts, text) = with_ledger(shared, |ledger| ledger.import(wall()));
    // What was read to its end under one name is not read again.
    let file = dir.join(format!("import-{}.jsonl", amounts.join("-")));
    let mut import = run(&["import", "--json", "--as", "sms"], &file);
    import.arg("--home").arg(dir.join("home.toml"));
    if std::fs::write(&file, text).is_ok()
        && let Ok(done) = import.output()
    {
        with_ledger(shared, |ledger| {
            ledger.command("aura import", &done);
            // One that the clock makes too old is named as skipped (AGENT-115), and not in.
            if done.status.success() && read_by_finance(&done.stdout) == amounts.len() as u64 {
                ledger.imported(amounts);
            }
        });
    }
    // What goes with it has to have been seen; where it cannot be now, the next time.
    if look_at_traces(shared, &data).is_err() {
        return;
    }
    let Some((amount, key)) = with_ledger(shared, AckLedger::delete) else {
        return;
    };
    shared.told(|told| told.kept.deletion_begins());
    if let Ok(done) = run(&["memory", "delete", "--yes"], Path::new(&key)).output() {
        with_ledger(shared, |ledger| {
            ledger.command("aura memory delete", &done);
            if done.status.success() {
                ledger.deleted(amount);
            }
        });
    }
    // Where it cannot be seen now, more is excused.
    let _ = look_at_traces(shared, &data);
}

/// How many items Finance took in, by what the import said.
fn read_by_finance(said: &[u8]) -> u64 {
    let said = serde_json::from_slice::<Value>(said).unwrap_or_default();
    said.pointer("/agents/finance/items")
        .and_then(Value::as_u64)
        .unwrap_or_default()
}

fn look_at_traces(shared: &LoadShared, data: &Path) -> Result<(), StoreError> {
    let mut kept = TraceObserver::default();
    shared.told(|told| kept = told.kept.clone());
    let looked = kept.look(data);
    if looked.is_ok() {
        shared.told(|told| told.kept = kept);
    }
    looked
}

fn with_ledger<T>(shared: &LoadShared, change: impl FnOnce(&mut AckLedger) -> T) -> T {
    let mut told = shared.told.lock().unwrap_or_else(PoisonError::into_inner);
    change(&mut told.ledger)
}

/// Listens on both surfaces, looks at what is there, confirms what is asked, and finds every card useful.
fn watch(shared: &LoadShared) {
    let Some(door) = shared.door() else {
        thread::park_timeout(Duration::from_millis(50));
        return;
    };
    // The streams stay open as long as these live.
    let (Some((_phone, on_phone)), Some((_watch, on_watch))) =
        (http::listen(&door, "phone"), http::listen(&door, "watch"))
    else {
        thread::park_timeout(Duration::from_millis(50));
        return;
    };
    let parts = [
        format!("/fragment/now?c={on_phone}"),
        format!("/fragment/watch?c={on_watch}"),
    ];
    while !shared.over.load(Ordering::Relaxed) {
        if look(shared, &door, &parts).is_none() {
            return;
        }
        thread::park_timeout(Duration::from_millis(20));
    }
}

/// `None`: the service is gone.
fn look(shared: &LoadShared, door: &PageAccess, parts: &[String]) -> Option<()> {
    let (_, now) = http::ask("GET", "/v1/now", door, None)?;
    let Some(id) = now
        .get("card")
        .and_then(|card| card.get("card_id"))
        .and_then(Value::as_str)
    else {
        return Some(());
    };
    for part in parts {
        http::ask("GET", part, door, None)?;
    }
    let path = format!("/v1/cards/{id}/answer");
    let prompts = now
        .get("card")
        .and_then(|card| card.get("prompts"))
        .and_then(Value::as_array);
    let answer = match prompts.and_then(|prompts| prompts.first()) {
        Some(prompt) => json!({
            "act": "confirm",
            "surface": prompt.get("surface"),
            "capability": prompt.get("capability"),
        }),
        None => json!({ "act": "useful", "surface": "PHONE_CARD" }),
    };
    let (status, _) = http::ask("POST", &path, door, Some(&answer))?;
    if status == 200 && answer.get("act").and_then(Value::as_str) == Some("confirm") {
        shared.told(|told| {
            told.confirmed.insert(id.to_owned());
        });
        // Gives its token back, so that the day has more of them. Refused while the action runs: then it is gone.
        let useful = json!({ "act": "useful", "surface": "PHONE_CARD" });
        thread::park_timeout(Duration::from_millis(100));
        http::ask("POST", &path, door, Some(&useful))?;
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_moment_of_a_signal_moves_and_nothing_else_does() {
        let mut value = json!({
            "at": "2026-11-03T08:00:00.000Z",
            "payload": { "start": "2026-11-03T09:30:00.000Z", "title": "2026", "n": 5, "days": ["2026-11-03"] },
        });
        shifted(&mut value, 24 * 3_600_000 + 1000);
        let expected = json!({
            "at": "2026-11-04T08:00:01.000Z",
            "payload": { "start": "2026-11-04T09:30:01.000Z", "title": "2026", "n": 5, "days": ["2026-11-03"] },
        });
        assert_eq!(value, expected);
    }
}
