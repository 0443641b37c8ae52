//! What is done to a service, step by step.
//!
//! What: [`ChaosStep`], [`ChaosPlan`] as a file, and [`ChaosDeck`], which draws steps by a seed. Why: what went wrong once can be done again. Not here: how
//! it is done (`fault`, `disk`, `clocks`).

use super::{
    clocks::ClockFault,
    disk::{DiskError, DiskFaultPlan, FaultyCalls, FaultyFiles},
    fault::{FaultTarget, HandOver, ProcessFault},
};
use crate::random::mixed;
use serde::{Deserialize, Serialize};
use std::fmt;
use toolcall_schema::AgentName;

/// A seed and what is done: `aura selftest chaos --plan FILE` does it again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChaosPlan {
    /// Decides what the users of the service do.
    pub(super) seed: u64,
    pub(super) steps: Vec<ChaosStep>,
}

impl ChaosPlan {
    /// Reads a plan from its TOML.
    ///
    /// # Errors
    /// It is none.
    pub fn parse(text: &str) -> Result<Self, toml::de::Error> {
        toml::from_str(text)
    }

    /// As TOML.
    pub fn text(&self) -> String {
        toml::to_string(self).unwrap_or_default()
    }
}

/// One thing that is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ChaosStep {
    /// So long after the service was seen to be well: any moment of a tick, not only its end.
    pub(super) wait_ms: u64,
    #[serde(rename = "do")]
    pub(super) deed: ChaosAction,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum ChaosAction {
    Hurt { part: FaultTarget, fault: ProcessFault },
    HandOver(HandOver),
    Disk(DiskFaultPlan),
    Clock(ClockFault),
}

impl fmt::Display for ChaosAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ChaosAction::Hurt { part, fault } => write!(f, "{part} {fault}"),
            ChaosAction::HandOver(fault) => fault.fmt(f),
            ChaosAction::Disk(fault) => fault.fmt(f),
            ChaosAction::Clock(fault) => fault.fmt(f),
        }
    }
}

const HOUR_S: i64 = 3600;
const DAY_S: i64 = 24 * HOUR_S;

/// Every kind of deed. Numbers that differ from one to the next come from `n`.
fn kinds(n: u64) -> Vec<ChaosAction> {
    let from = |salt: u64, most: u64| mixed(n ^ (salt << 40)) % most;
    let hurt = super::fault::pairs().map(|(part, fault)| ChaosAction::Hurt { part, fault });
    let agents = AgentName::FOUR.into_iter();
    let hand_over =
        agents.flat_map(|agent| [ProcessFault::Kill, ProcessFault::Stop].map(|fault| (agent, fault)));
    let hand_over = hand_over.map(|(agent, fault)| {
        ChaosAction::HandOver(HandOver {
            agent,
            fault,
            after_us: from(1, 12_000),
        })
    });
    let disk = |(salt, (files, calls, error, at_start))| {
        ChaosAction::Disk(DiskFaultPlan {
            files,
            calls,
            error,
            // One in a while, or all from some call on.
            pass: from(salt, 40),
            fail: match from(salt + 20, 4) {
                0 => 1,
                1 => 2,
                2 => 7,
                _ => u64::from(u32::MAX),
            },
            // Long enough for a trace to be written as a file.
            for_ms: 1500 + from(salt + 40, if files == FaultyFiles::Own { 6000 } else { 2500 }),
            at_start,
        })
    };
    let disks = [
        (FaultyFiles::Database, FaultyCalls::Write, DiskError::Io, false),
        (
            FaultyFiles::Database,
            FaultyCalls::Write,
            DiskError::NoSpace,
            false,
        ),
        (FaultyFiles::Database, FaultyCalls::Sync, DiskError::Io, false),
        (FaultyFiles::Own, FaultyCalls::Write, DiskError::Io, false),
        (FaultyFiles::Own, FaultyCalls::Write, DiskError::NoSpace, false),
        (FaultyFiles::Own, FaultyCalls::Sync, DiskError::Io, false),
        (FaultyFiles::All, FaultyCalls::All, DiskError::Io, false),
        (FaultyFiles::All, FaultyCalls::Write, DiskError::NoSpace, false),
        (FaultyFiles::All, FaultyCalls::All, DiskError::Io, true),
        (FaultyFiles::All, FaultyCalls::Write, DiskError::NoSpace, true),
        (FaultyFiles::All, FaultyCalls::Sync, DiskError::Io, true),
    ];
    let disks = (100..).zip(disks).map(disk);
    let clock = |(salt, (ahead_s, at_start))| {
        ChaosAction::Clock(ClockFault::Jump {
            ahead_s,
            at_start,
            for_ms: 2000 + from(salt, 3000),
        })
    };
    let jumps = [HOUR_S, DAY_S, 400 * DAY_S, -DAY_S];
    let jumps = jumps.map(|ahead_s| [(ahead_s, false), (ahead_s, true)]);
    let clocks = (200..).zip(jumps.into_iter().flatten()).map(clock);
    let nights = [
        ChaosAction::Clock(ClockFault::DaylightSaving { begins: true }),
        ChaosAction::Clock(ClockFault::DaylightSaving { begins: false }),
    ];
    hurt.chain(hand_over)
        .chain(disks)
        .chain(clocks)
        .chain(nights)
        .collect()
}

/// Every kind once in some order, then all again in another.
pub(super) struct ChaosDeck {
    seed: u64,
    round: u64,
    drawn: u64,
    left: Vec<ChaosAction>,
}

impl ChaosDeck {
    pub(super) fn new(seed: u64) -> Self {
        Self {
            seed,
            round: 0,
            drawn: 0,
            left: vec![],
        }
    }

    pub(super) fn draw(&mut self) -> ChaosStep {
        self.drawn += 1;
        let wait_ms = mixed(self.seed ^ self.drawn) % 1500;
        loop {
            if let Some(deed) = self.left.pop() {
                return ChaosStep { wait_ms, deed };
            }
            self.round += 1;
            let key = |index: usize| mixed(self.seed ^ (self.round << 32) ^ index as u64);
            let all = kinds(mixed(self.seed ^ (self.round << 16)));
            let mut all: Vec<(u64, ChaosAction)> = all
                .into_iter()
                .enumerate()
                .map(|(index, deed)| (key(index), deed))
                .collect();
            all.sort_unstable_by_key(|(key, _)| *key);
            self.left = all.into_iter().map(|(_, deed)| deed).collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_kind_comes_once_before_any_comes_again_and_is_named_like_no_other() {
        let all: BTreeSet<String> = kinds(7).iter().map(ChaosAction::to_string).collect();
        // 33 pairs of part and fault, 8 hand-overs, 11 disks, 8 jumps, 2 nights.
        assert_eq!(all.len(), 62);
        let mut deck = ChaosDeck::new(7);
        for _ in 0..3 {
            let round: BTreeSet<String> = (0..all.len()).map(|_| deck.draw().deed.to_string()).collect();
            assert_eq!(round, all);
        }
    }

    #[test]
    fn a_plan_is_read_as_it_was_written_and_a_seed_always_draws_the_same() {
        let draw = |seed| {
            let mut deck = ChaosDeck::new(seed);
            let steps = (0..70).map(|_| deck.draw()).collect();
            ChaosPlan { seed, steps }
        };
        let plan = draw(3);
        assert_eq!(ChaosPlan::parse(&plan.text()).unwrap(), plan);
        assert_eq!(draw(3), plan);
        assert_ne!(draw(4).steps, plan.steps);
    }

    #[test]
    fn a_plan_written_by_hand_is_read() {
        let text = r#"
            seed = 5
            [[steps]]
            wait_ms = 10
            do.hurt = { part = { agent = "comms" }, fault = "kill" }
            [[steps]]
            wait_ms = 0
            do.disk = { files = "own", calls = "sync", error = "EIO", pass = 0, fail = 1, for_ms = 500, at_start = false }
            [[steps]]
            wait_ms = 0
            do.clock = { daylight-saving = { begins = true } }
        "#;
        let plan = ChaosPlan::parse(text).unwrap();
        let names: Vec<String> = plan.steps.iter().map(|step| step.deed.to_string()).collect();
        assert_eq!(
            names,
            [
                "comms kill",
                "disk own files sync EIO",
                "clock into daylight saving"
            ]
        );
    }
}
