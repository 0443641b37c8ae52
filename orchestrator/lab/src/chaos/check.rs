//! What the folder holds, asked of the commands.
//!
//! What: [`kept`], what is exported, and [`unlike`], what `aura replay --verify` finds; both also beside the service. Why: after each fault it
//! is known whether that one cost anything. Not here: what was promised (`ledger`).

use super::{
    house::ChaosHousehold,
    ledger::{CHATS, StoredContents},
    tried,
};
use aura_memory::{Vault, vault::NoPrompt};
use aura_runtime::service::ServiceError;
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    process::{Command, Output},
    thread,
    time::{Duration, Instant},
};
use toolcall_schema::money::SignedAmount;

/// How long a folder that is busy is waited for.
const PATIENCE: Duration = Duration::from_mins(1);

/// Runs a command as often as it says that it should be tried again.
fn done(command: impl Fn() -> Command) -> io::Result<Output> {
    let until = Instant::now() + PATIENCE;
    loop {
        let done = command().output()?;
        if done.status.code() != Some(75) || Instant::now() > until {
            return Ok(done);
        }
        thread::park_timeout(Duration::from_millis(200));
    }
}

/// What is exported now.
pub(super) fn stored(house: &ChaosHousehold) -> Result<StoredContents, ServiceError> {
    let mut kept = payments(house).map_err(tried("export the memory"))?;
    kept.rules = rules(house).map_err(tried("list the rules"))?;
    let muted = listed(house, &["mute", "list", "--json"]).map_err(tried("list the mutes"))?;
    let text = |mute: &Value, name| {
        mute.get(name)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    kept.mutes = muted
        .iter()
        .map(|mute| (text(mute, "channel"), text(mute, "until")))
        .collect();
    let paused = listed(house, &["pause", "show", "--json"]).map_err(tried("look at the pause"))?;
    kept.is_paused = paused
        .iter()
        .any(|pause| pause.get("paused_until").is_some_and(|until| !until.is_null()));
    Ok(kept)
}

/// The documents that a command prints.
fn listed(house: &ChaosHousehold, line: &[&str]) -> io::Result<Vec<Value>> {
    let listed = done(|| {
        let mut command = house.command(line);
        command.arg("--data").arg(house.data());
        command
    })?;
    if !listed.status.success() {
        return Err(failure(&listed));
    }
    let lines = listed
        .stdout
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty());
    lines.map(|line| Ok(serde_json::from_slice(line)?)).collect()
}

/// The hashes of the chats whose messages are counted.
fn chats(house: &ChaosHousehold) -> io::Result<BTreeMap<String, &'static str>> {
    let vault = Vault::open(&house.data(), &NoPrompt).map_err(io::Error::other)?;
    let key = vault.seed().key("agents v1");
    Ok(CHATS
        .into_iter()
        .map(|chat| (key.channel(chat).to_string(), chat))
        .collect())
}

fn payments(house: &ChaosHousehold) -> io::Result<StoredContents> {
    let file = house.dir().join("ledger-export.json");
    // An export replaces nothing.
    let _ = fs::remove_file(&file);
    let exported = done(|| {
        let mut command = house.command(&["memory", "export", "--out"]);
        command.arg(&file).arg("--data").arg(house.data());
        command
    })?;
    if !exported.status.success() {
        return Err(failure(&exported));
    }
    let export: Value = serde_json::from_slice(&fs::read(&file)?)?;
    let mut kept = StoredContents::default();
    let chats = chats(house)?;
    for node in export
        .get("nodes")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        let channel = node.pointer("/data/channel").and_then(Value::as_str);
        if let Some(chat) = channel.and_then(|channel| chats.get(channel)) {
            let count = node.pointer("/data/messages").and_then(Value::as_u64);
            *kept.messages.entry(*chat).or_default() += count.unwrap_or_default();
        }
        let amount = node.pointer("/data/amount").and_then(Value::as_str);
        if let Some(amount) = amount.and_then(|text| text.parse::<SignedAmount>().ok()) {
            let amount = format!("{:.2}", amount.size());
            if let Some(key) = node.get("id").and_then(Value::as_str) {
                kept.keys.insert(amount.clone(), key.to_owned());
            }
            *kept.payments.entry(amount).or_default() += 1;
        }
    }
    Ok(kept)
}

/// The names of the rules that stand.
fn rules(house: &ChaosHousehold) -> io::Result<BTreeSet<String>> {
    let listed = done(|| {
        let mut command = house.command(&["rule", "list", "--json", "--data"]);
        command.arg(house.data());
        command
    })?;
    if !listed.status.success() {
        return Err(failure(&listed));
    }
    let text = String::from_utf8_lossy(&listed.stdout);
    // One document, or one a line.
    let found = text
        .split('"')
        .filter(|word| word.starts_with("chaos-"))
        .map(str::to_owned);
    Ok(found.collect())
}

fn failure(done: &Output) -> io::Error {
    let text = String::from_utf8_lossy(&done.stderr).into_owned();
    io::Error::other(format!("it ended with {:?}: {text}", done.status.code()))
}

/// What `aura replay --verify` finds in the folder, one line each.
pub(super) fn unlike(house: &ChaosHousehold) -> Result<Vec<String>, ServiceError> {
    let done = done(|| {
        let mut command = house.command(&["replay", "--verify", "--json"]);
        command.arg(house.data());
        command
    });
    let done = done.map_err(tried("make the traces again"))?;
    let lines = done.stdout.split(|byte| *byte == b'\n');
    let found: Vec<Value> = lines
        .filter_map(|line| serde_json::from_slice(line).ok())
        .collect();
    let said_of = |line: &Value| {
        let of = |name| line.get(name).and_then(Value::as_str).unwrap_or_default();
        format!("trace {}: {}", of("trace_id"), of("problem"))
    };
    let mut unlike: Vec<String> = found
        .iter()
        .filter(|line| line.get("code").is_some())
        .map(said_of)
        .collect();
    if unlike.is_empty() && !done.status.success() {
        unlike.push(format!("the journal cannot be replayed: {}", failure(&done)));
    }
    Ok(unlike)
}
