//! What `aura status` says to a person.
//!
//! What: [`sentences`], out of the report that `--json` prints whole. Why: who asks how it is wants to know what runs, what waits for her and what is
//! wrong, and not thirty figures. Not here: asking for the report (`service`).

use super::{import::skip_line, source::failing};
use aura_runtime::{
    accounts::{AccountReport, DeliveryKind, ServerDeliveryReport},
    control::OwnerSettings,
};
use serde::Deserialize;
use std::collections::BTreeMap;
use surfaces_base::{
    backend::deliveries::DeliveryProgress,
    format,
    language::{say, text},
    words,
};
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
    all.push(say!(
        "cli-status-interruptions",
        free = ledger.free,
        ceiling = ledger.ceiling
    ));
    if report.prompt_open {
        all.push(text("cli-status-question").to_owned());
    }
    if let Some(until) = said.paused_until {
        all.push(say!(
            "cli-status-paused",
            until = format::clock_on(until, said.at, said.zone)
        ));
    }
    let muted = said.mutes.values().filter(|until| **until > said.at).count();
    let rules = said.rules.len();
    all.extend((rules > 0).then(|| say!("cli-status-rules", count = rules)));
    all.extend((muted > 0).then(|| say!("cli-status-muted", count = muted)));
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
        return say!("cli-status-account-paused", name);
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
        DeliveryKind::Hold => text("cli-status-hold"),
        DeliveryKind::Decline => text("cli-status-decline"),
        DeliveryKind::Draft => text("cli-status-draft"),
    };
    let view = report.view();
    let is_open = !matches!(view.progress, DeliveryProgress::There | DeliveryProgress::Gone);
    is_open.then(|| format!("{what}: {}", words::delivery_says(&view)))
}

fn running(report: &StatusReport, said: &OwnerSettings) -> String {
    let now = format::clock(said.at, said.zone);
    match report.state.as_str() {
        "Idle" | "Cooldown" => say!("cli-status-runs-idle", now),
        "Listening" => say!("cli-status-runs-listening", now),
        "AwaitingConfirm" => say!("cli-status-runs-waiting", now),
        "Executing" => say!("cli-status-runs-executing", now),
        _ => say!("cli-status-runs-deciding", now),
    }
}

/// Those that do not run are named, and those that had to be started again.
fn agents(report: &StatusReport) -> String {
    let told: Vec<String> = report
        .processes
        .iter()
        .filter_map(|(name, process)| match process {
            ReportedProcess { rests: true, .. } => Some(say!("cli-status-agent-rests", name)),
            ReportedProcess { pid: None, .. } => Some(say!("cli-status-agent-being-started", name)),
            ReportedProcess { restarts: 0, .. } => None,
            ReportedProcess { restarts, .. } => {
                Some(say!("cli-status-agent-started-again", name, count = *restarts))
            }
        })
        .collect();
    if told.is_empty() {
        text("cli-status-agents-answer").to_owned()
    } else {
        say!("cli-status-agents", told = told.join("; "))
    }
}

fn model(model: &ReportedModel) -> String {
    let name = model.name.as_deref().unwrap_or_default();
    match model.standing.as_str() {
        "ready" => say!("cli-status-model-ready", name),
        "starting" => say!("cli-status-model-starting", name),
        "resting" => say!("cli-status-model-rests", name),
        "off" => text("cli-status-model-off").to_owned(),
        "no_file" => say!("cli-status-model-no-file", name),
        "no_worker" => text("cli-status-model-no-worker").to_owned(),
        _ => text("cli-status-model-unusable").to_owned(),
    }
}

fn wrong(report: &StatusReport) -> Vec<String> {
    let health = &report.health;
    let skipped: u64 = health.skipped.values().map(|skips| skips.count).sum();
    let refused = health.refused_calls + health.refused_results;
    let mut all = Vec::new();
    if health.journal_down || report.quarantine.failing {
        all.push(text("cli-status-disk").to_owned());
    }
    if refused > 0 {
        all.push(say!("cli-status-refused", count = refused));
    }
    if skipped > 0 {
        all.push(say!("cli-status-skipped", count = skipped));
        let of_agents = health.skipped.iter();
        let skips: Vec<(&String, &SkippedItem)> = of_agents
            .flat_map(|(agent, skips)| skips.last.iter().map(move |skip| (agent, skip)))
            .take(SKIPS_SHOWN)
            .collect();
        all.extend(skips.iter().map(|(agent, skip)| skip_line(agent, skip)));
        let first = skips.first();
        all.extend(first.map(|(_, skip)| say!("cli-status-help", code = &skip.code)));
    }
    if report.clock.waits.is_some() {
        all.push(text("cli-status-clock").to_owned());
    }
    if report.sandbox.contains("partly") || report.sandbox.contains("no ") {
        all.push(say!("cli-status-sandbox", sandbox = &report.sandbox));
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
