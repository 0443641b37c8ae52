//! What `aura status` says to a person.
//!
//! What: [`sentences`], out of the report that `--json` prints whole. Why: who asks how it is wants to know what runs, what waits for her and what is
//! wrong, and not thirty figures. Not here: asking for the report (`service`).

use super::{import::skip_line, out::count_words, source::failing};
use aura_runtime::{
    accounts::{AccountReport, DeliveryKind, ServerDeliveryReport},
    control::OwnerSettings,
};
use serde::Deserialize;
use std::collections::BTreeMap;
use surfaces_base::{backend::deliveries::DeliveryProgress, format, words};
use toolcall_schema::{tick::SkippedItem, trace::LedgerView};

/// What could not be read that is named, at most.
const SKIPS_SHOWN: usize = 8;

/// What of the report is told. The rest is figures.
#[derive(Debug, Deserialize)]
pub(super) struct StatusReport {
    state: String,
    ledger: LedgerView,
    prompt_open: bool,
    health: ReportedHealth,
    quarantine: ReportedQuarantine,
    processes: BTreeMap<String, ReportedProcess>,
    model: ReportedModel,
    clock: ReportedClock,
    sandbox: String,
    #[serde(default)]
    accounts: Vec<AccountReport>,
    #[serde(default)]
    deliveries: Vec<ServerDeliveryReport>,
}

#[derive(Debug, Deserialize)]
struct ReportedHealth {
    journal_down: bool,
    refused_calls: u64,
    refused_results: u64,
    skipped: BTreeMap<String, ReportedSkips>,
}

#[derive(Debug, Deserialize)]
struct ReportedSkips {
    count: u64,
    #[serde(default)]
    last: Vec<SkippedItem>,
}

#[derive(Debug, Deserialize)]
struct ReportedQuarantine {
    failing: bool,
}

#[derive(Debug, Deserialize)]
struct ReportedProcess {
    pid: Option<u32>,
    restarts: u64,
    rests: bool,
}

#[derive(Debug, Deserialize)]
struct ReportedModel {
    name: Option<String>,
    standing: String,
}

#[derive(Debug, Deserialize)]
struct ReportedClock {
    waits: Option<serde_json::Value>,
}

/// How it is, what is asked of the owner, and what is wrong with what to do about it.
pub(super) fn sentences(report: &StatusReport, said: &OwnerSettings) -> Vec<String> {
    let mut all = vec![running(report, said)];
    let ledger = &report.ledger;
    all.push(format!(
        "{} of {} interruptions left today.",
        ledger.free, ledger.ceiling
    ));
    if report.prompt_open {
        all.push("A question to you is open: `aura open` shows it.".to_owned());
    }
    if let Some(until) = said.paused_until {
        all.push(format!(
            "Paused until {}; `aura pause off` ends it.",
            format::clock_on(until, said.at, said.zone)
        ));
    }
    let muted = said.mutes.values().filter(|until| **until > said.at).count();
    all.extend(count_line(
        said.rules.len(),
        "rule of yours stands",
        "rules of yours stand",
        "aura rule list",
    ));
    all.extend(count_line(
        muted,
        "chat is muted",
        "chats are muted",
        "aura mute list",
    ));
    all.push(agents(report));
    all.push(model(&report.model));
    all.extend(report.accounts.iter().map(|one| account(one, said)));
    all.extend(report.deliveries.iter().filter_map(delivery));
    all.extend(wrong(report));
    all
}

/// When it was reached, and what fails with what to do about it.
fn account(report: &AccountReport, said: &OwnerSettings) -> String {
    let name = &report.name;
    if report.is_paused {
        return format!("{name}: paused; `aura source resume {name}` goes on.");
    }
    let reached = report
        .reached_at
        .map(|at| format::clock_on(at, said.at, said.zone));
    let reached = words::account_reached(reached.as_deref());
    failing(report).map_or_else(
        || format!("{name}: {reached}"),
        |(says, todo)| format!("{name}: {says} {todo} {reached}"),
    )
}

/// What a server does not have, or still has, and why; nothing of what is as the owner wants it.
fn delivery(report: &ServerDeliveryReport) -> Option<String> {
    let what = match report.kind {
        DeliveryKind::Hold => "Time kept free",
        DeliveryKind::Decline => "A decline",
        DeliveryKind::Draft => "A draft of a reply",
    };
    let view = report.view();
    let is_open = !matches!(view.progress, DeliveryProgress::There | DeliveryProgress::Gone);
    is_open.then(|| format!("{what}: {}", words::delivery_says(&view)))
}

fn running(report: &StatusReport, said: &OwnerSettings) -> String {
    let doing = match report.state.as_str() {
        "Idle" | "Cooldown" => "nothing is to be decided now",
        "Listening" => "it asks its agents",
        "AwaitingConfirm" => "it waits for your answer",
        "Executing" => "it does what you confirmed",
        _ => "it decides",
    };
    let now = format::clock(said.at, said.zone);
    format!("Aura runs; {doing} ({now}).")
}

fn count_line(count: usize, one: &str, more: &str, command: &str) -> Option<String> {
    (count > 0).then(|| format!("{}: `{command}`.", count_words(count, one, more)))
}

/// Those that do not run are named, and those that had to be started again.
fn agents(report: &StatusReport) -> String {
    let told: Vec<String> = report
        .processes
        .iter()
        .filter_map(|(name, process)| {
            let what = match process {
                ReportedProcess { rests: true, .. } => "failed too often and rests".to_owned(),
                ReportedProcess { pid: None, .. } => "is being started".to_owned(),
                ReportedProcess { restarts: 0, .. } => return None,
                ReportedProcess { restarts, .. } => format!("was started again ({restarts} so far)"),
            };
            Some(format!("{name} {what}"))
        })
        .collect();
    if told.is_empty() {
        "All agents answer.".to_owned()
    } else {
        format!("Agents: {}.", told.join("; "))
    }
}

fn model(model: &ReportedModel) -> String {
    let name = model.name.as_deref().unwrap_or_default();
    match model.standing.as_str() {
        "ready" => format!("The language model {name} answers."),
        "starting" => format!("The language model {name} is being loaded."),
        "resting" => format!("The language model {name} failed too often and rests."),
        "off" => "No language model: sentences are templates.".to_owned(),
        "no_file" => format!(
            "The language model {name} is not here: sentences are templates; `aura model fetch` gets it."
        ),
        "no_worker" => "The program of the language model is not here: sentences are templates.".to_owned(),
        _ => "The language model that was chosen cannot be used: `aura model list` says why.".to_owned(),
    }
}

fn wrong(report: &StatusReport) -> Vec<String> {
    let health = &report.health;
    let skipped: u64 = health.skipped.values().map(|skips| skips.count).sum();
    let refused = health.refused_calls + health.refused_results;
    let mut all = Vec::new();
    if health.journal_down || report.quarantine.failing {
        all.push(
            "The disk takes nothing: nothing is shown or done until it does. `aura doctor` says more."
                .to_owned(),
        );
    }
    if refused > 0 {
        all.push(format!(
            "{refused} calls or results were refused: `aura quarantine list`."
        ));
    }
    if skipped > 0 {
        all.push(format!("{skipped} times something could not be read."));
        let of_agents = health.skipped.iter();
        let skips: Vec<(&String, &SkippedItem)> = of_agents
            .flat_map(|(agent, skips)| skips.last.iter().map(move |skip| (agent, skip)))
            .take(SKIPS_SHOWN)
            .collect();
        all.extend(skips.iter().map(|(agent, skip)| skip_line(agent, skip)));
        let first = skips.first();
        all.extend(first.map(|(_, skip)| format!("`aura help {}` says what to do about it.", skip.code)));
    }
    if report.clock.waits.is_some() {
        all.push("Nothing is deleted by its age for now: `aura clock show` says why.".to_owned());
    }
    if report.sandbox.contains("partly") || report.sandbox.contains("no ") {
        all.push(format!(
            "The sandbox is not whole ({}): `aura doctor` says more.",
            report.sandbox
        ));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use toolcall_schema::Timestamp;

    fn report(change: impl FnOnce(&mut serde_json::Value)) -> StatusReport {
        let process = json!({ "pid": 7, "restarts": 0, "rests": false, "last_end": null });
        let mut report = json!({
            "state": "Idle",
            "ledger": { "day": "2026-11-03", "ceiling": 3, "free": 2, "reserved": 0, "settled": 1, "refunded": 0 },
            "prompt_open": false,
            "health": { "journal_down": false, "refused_calls": 0, "refused_results": 0, "skipped": {} },
            "quarantine": { "failing": false },
            "processes": { "calendar": process, "comms": process },
            "model": { "name": null, "standing": "off" },
            "clock": { "waits": null },
            "sandbox": "Landlock ABI 6 fully, seccomp",
        });
        change(&mut report);
        serde_json::from_value(report).unwrap()
    }

    fn said() -> OwnerSettings {
        OwnerSettings {
            at: Timestamp::parse("2026-11-03T08:15:00Z").unwrap(),
            zone: chrono_tz::Tz::UTC,
            paused_until: None,
            rules: Vec::new(),
            mutes: BTreeMap::new(),
        }
    }

    #[test]
    fn where_all_is_well_four_lines_say_so() {
        assert_eq!(
            sentences(&report(|_| {}), &said()),
            [
                "Aura runs; nothing is to be decided now (08:15).",
                "2 of 3 interruptions left today.",
                "All agents answer.",
                "No language model: sentences are templates.",
            ]
        );
    }

    #[test]
    fn model_that_is_not_here_is_no_fault_and_can_be_had() {
        for (standing, said) in [
            (
                "no_file",
                "The language model smollm2 is not here: sentences are templates; `aura model fetch` gets it.",
            ),
            (
                "no_worker",
                "The program of the language model is not here: sentences are templates.",
            ),
            (
                "unknown",
                "The language model that was chosen cannot be used: `aura model list` says why.",
            ),
        ] {
            let reported = ReportedModel {
                name: Some("smollm2".to_owned()),
                standing: standing.to_owned(),
            };
            assert_eq!(model(&reported), said);
        }
    }

    #[test]
    fn what_is_wrong_is_named_with_the_command_that_says_more() {
        let report = report(|report| {
            report["state"] = json!("AwaitingConfirm");
            report["prompt_open"] = json!(true);
            report["health"] = json!({
                "journal_down": false, "refused_calls": 2, "refused_results": 1,
                "skipped": { "finance": { "count": 4, "last": [
                    { "code": "AGENT-104", "item": "bank.csv", "line": 7, "count": 3, "message": "no amount" },
                ] } },
            });
            report["processes"]["calendar"]["rests"] = json!(true);
            report["model"] = json!({ "name": "qwen", "standing": "ready" });
            report["clock"]["waits"] = json!("ahead");
            report["sandbox"] = json!("no Landlock, seccomp");
        });
        let paused = Timestamp::parse("2026-11-03T18:00:00Z").unwrap();
        let said = OwnerSettings {
            paused_until: Some(paused),
            ..said()
        };
        assert_eq!(
            sentences(&report, &said),
            [
                "Aura runs; it waits for your answer (08:15).",
                "2 of 3 interruptions left today.",
                "A question to you is open: `aura open` shows it.",
                "Paused until 18:00; `aura pause off` ends it.",
                "Agents: calendar failed too often and rests.",
                "The language model qwen answers.",
                "3 calls or results were refused: `aura quarantine list`.",
                "4 times something could not be read.",
                "finance: AGENT-104 bank.csv, line 7 (3): no amount",
                "`aura help AGENT-104` says what to do about it.",
                "Nothing is deleted by its age for now: `aura clock show` says why.",
                "The sandbox is not whole (no Landlock, seccomp): `aura doctor` says more.",
            ]
        );
    }
}
