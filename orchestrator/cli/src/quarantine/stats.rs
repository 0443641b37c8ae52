//! `aura quarantine stats`: how much was refused.
//!
//! What: counts of all lines by code, agent, tool and day, what they take on the disk, and what the running service lost.
//! Why: one look tells a single fault from a flood, and a flood from a full disk. Not here: the lines themselves (`list`).

use super::{args::QuarantineStatsArgs, words};
use crate::{error::CliError, exit::CommandExit, names, out::CommandOutput, service};
use aura_memory::quarantine::{DiskUsage, QuarantineHealth, QuarantineKind, QuarantineLine, list, on_disk};
use aura_runtime::control::{ControlReply, ControlRequest};
use chrono::NaiveDate;
use serde::{Deserialize as _, Serialize};
use std::{collections::BTreeMap, path::Path};
use surfaces_base::language::{say, text};
use toolcall_schema::Timestamp;

/// One kind.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
struct KindStats {
    entries: u64,
    lost: u64,
    unreadable: u64,
    oldest: Option<Timestamp>,
    newest: Option<Timestamp>,
    by_code: BTreeMap<String, u64>,
    by_agent: BTreeMap<String, u64>,
    by_tool: BTreeMap<String, u64>,
    by_day: BTreeMap<NaiveDate, u64>,
}

impl KindStats {
    fn count(&mut self, line: &QuarantineLine) {
        if let Some(ts) = line.ts() {
            self.oldest = Some(self.oldest.map_or(ts, |oldest| oldest.min(ts)));
            self.newest = Some(self.newest.map_or(ts, |newest| newest.max(ts)));
        }
        match line {
            QuarantineLine::Entry(entry) => {
                let agent = entry.agent.map_or("?", |agent| agent.as_str());
                self.entries += 1;
                *self.by_code.entry(entry.code.clone()).or_default() += 1;
                *self.by_agent.entry(agent.to_owned()).or_default() += 1;
                *self.by_tool.entry(words::tool(entry)).or_default() += 1;
                *self.by_day.entry(entry.ts.utc().date_naive()).or_default() += 1;
            }
            QuarantineLine::Lost(lost) => self.lost += lost.dropped,
            QuarantineLine::Unreadable { .. } => self.unreadable += 1,
            // It is being written.
            QuarantineLine::Torn { .. } => {}
        }
    }

    fn lines(&self, kind: QuarantineKind, disk: DiskUsage) -> Vec<String> {
        let DiskUsage {
            files,
            bytes,
            torn_files,
        } = disk;
        let mut lines = vec![say!(
            "cli-quarantine-stats",
            kind = names::quarantine(kind),
            entries = self.entries,
            lost = self.lost,
            unreadable = self.unreadable,
            bytes,
            files,
            torn = torn_files
        )];
        if let (Some(oldest), Some(newest)) = (self.oldest, self.newest) {
            let (from, to) = (oldest.to_string(), newest.to_string());
            lines.push(format!("  {}", say!("cli-quarantine-from-to", from, to)));
        }
        let names = [
            text("cli-quarantine-by-code"),
            text("cli-quarantine-by-agent"),
            text("cli-quarantine-by-tool"),
            text("cli-quarantine-by-day"),
        ];
        let [code, agent, tool, day] = names;
        let width = names
            .map(|name| name.chars().count())
            .into_iter()
            .fold(6, usize::max);
        let mut table = |name: &str, counts: Vec<(String, u64)>| {
            lines.extend(
                counts
                    .into_iter()
                    .map(|(key, count)| format!("  {name:<width$}  {key:<32}  {count:>8}")),
            );
        };
        let owned =
            |map: &BTreeMap<String, u64>| map.iter().map(|(key, count)| (key.clone(), *count)).collect();
        table(code, owned(&self.by_code));
        table(agent, owned(&self.by_agent));
        table(tool, owned(&self.by_tool));
        table(
            day,
            self.by_day
                .iter()
                .map(|(day, count)| (day.to_string(), *count))
                .collect(),
        );
        lines
    }
}

#[derive(Serialize)]
struct StatsDocument<'a> {
    #[serde(flatten)]
    stats: &'a KindStats,
    disk: DiskUsage,
}

/// Runs `aura quarantine stats`.
///
/// # Errors
/// [`CliError`] when the folder cannot be read.
pub(super) fn run(args: &QuarantineStatsArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let dir = args.data.path()?;
    let mut all = Vec::new();
    for kind in QuarantineKind::ALL {
        let mut stats = KindStats::default();
        for line in list(&dir, *kind)? {
            stats.count(&line?.1);
        }
        all.push((*kind, stats, on_disk(&dir, *kind)?));
    }
    let service = health(&dir)?;
    if args.format.json {
        let mut document: BTreeMap<&str, serde_json::Value> = BTreeMap::new();
        for (kind, stats, disk) in &all {
            let one = StatsDocument { stats, disk: *disk };
            let value = serde_json::to_value(&one).map_err(|_| CliError::Bug("statistics have no JSON"))?;
            document.insert(kind.as_str(), value);
        }
        document.insert("service", serde_json::json!(service));
        out.json(&document)?;
        return Ok(CommandExit::Ok);
    }
    for (kind, stats, disk) in &all {
        for line in stats.lines(*kind, *disk) {
            out.text(&line)?;
        }
    }
    out.text(&match service {
        None => text("cli-quarantine-no-service").to_owned(),
        Some(QuarantineHealth {
            written,
            overflowed,
            failed,
            purged,
            failing,
            ..
        }) => {
            if failing {
                say!(
                    "cli-quarantine-service-failing",
                    written,
                    overflowed,
                    failed,
                    purged
                )
            } else {
                say!("cli-quarantine-service", written, overflowed, failed, purged)
            }
        }
    })?;
    Ok(CommandExit::Ok)
}

/// What the running service counts; `None`: none runs.
///
/// # Errors
/// [`CliError`] when it does not answer as it should.
pub(crate) fn health(dir: &Path) -> Result<Option<QuarantineHealth>, CliError> {
    match service::ask(dir, &ControlRequest::Status)? {
        Some(ControlReply::Status(status)) => QuarantineHealth::deserialize(&status["quarantine"])
            .map(Some)
            .map_err(|_| CliError::NotThere(text("cli-quarantine-other-version").to_owned())),
        Some(other) => Err(service::unexpected(other)),
        None => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aura_memory::quarantine::{LostEntries, QuarantineEntry};
    use toolcall_schema::{AgentName, rejection::RefusalReason};

    #[test]
    fn lines_are_counted_by_code_agent_tool_and_utc_day() {
        let entry = |at: &str, code: &str, agent, tool: Option<&str>| {
            let why = RefusalReason {
                code: code.to_owned(),
                pointer: String::new(),
                message: String::new(),
            };
            QuarantineLine::Entry(Box::new(QuarantineEntry {
                agent,
                tool: tool.map(str::to_owned),
                ..QuarantineEntry::new(Timestamp::parse(at).unwrap(), why, "cafe", b"x")
            }))
        };
        let lost = LostEntries {
            ts: Timestamp::parse("2026-11-05T00:00:00Z").unwrap(),
            code: "QUAR-001".to_owned(),
            dropped: 7,
        };
        let mut stats = KindStats::default();
        for line in [
            entry(
                "2026-11-03T23:59:59.999Z",
                "GATE-009",
                Some(AgentName::Comms),
                Some("mute_channel"),
            ),
            entry("2026-11-04T00:00:00Z", "GATE-009", Some(AgentName::Comms), None),
            entry("2026-11-04T05:00:00Z", "GATE-003", None, None),
            QuarantineLine::Lost(lost),
            QuarantineLine::Unreadable { bytes: 3 },
            QuarantineLine::Torn { bytes: 3 },
        ] {
            stats.count(&line);
        }
        let counts = |pairs: &[(&str, u64)]| pairs.iter().map(|(key, n)| ((*key).to_owned(), *n)).collect();
        let day = |day| NaiveDate::from_ymd_opt(2026, 11, day).unwrap();
        let expected = KindStats {
            entries: 3,
            lost: 7,
            unreadable: 1,
            oldest: Timestamp::parse("2026-11-03T23:59:59.999Z").ok(),
            newest: Timestamp::parse("2026-11-05T00:00:00Z").ok(),
            by_code: counts(&[("GATE-003", 1), ("GATE-009", 2)]),
            by_agent: counts(&[("?", 1), ("comms", 2)]),
            by_tool: counts(&[("?.?", 1), ("comms.?", 1), ("comms.mute_channel", 1)]),
            by_day: BTreeMap::from([(day(3), 1), (day(4), 2)]),
        };
        assert_eq!(stats, expected);
    }
}
