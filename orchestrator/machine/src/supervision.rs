//! How often what is started again, and what happens past that.
//!
//! What: the supervision table ([`SupervisedRole::restart_policy`]), the one decision over it, [`decide_restart`], and [`Backoff`], by which everything that is
//! tried again rests, in the table or not. Why: actors and processes fail by
//! the same rules, and the rules can be read, tested and explained without anything failing. Not here: performing it
//! (`aura_platform::supervise`, `aura_process`), reading time.
//!
//! Each role fails alone: nothing else is stopped for it. Escalating means that the process ends with code 70, and
//! whoever started it starts it again: the machine is rebuilt from its journal. It is the only way in which one failure
//! ends another's life.

use std::{collections::VecDeque, time::Duration};

/// What can fail by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SupervisedRole {
    /// The machine's own actor.
    Orchestrator,
    /// The store's writer.
    Memory,
    /// The actor that knows who is connected.
    Surfaces,
    /// The actor before the quarantine's files.
    Quarantine,
    /// The model's client.
    Model,
    /// The actor before an agent.
    Agent,
    /// An agent's process.
    AgentProcess,
    /// The model's process.
    ModelProcess,
}

/// One row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RestartPolicy {
    /// As logs and health name it.
    pub name: &'static str,
    /// So many restarts ...
    pub restarts: usize,
    /// ... within so many milliseconds; the next failure within them is past the limit.
    pub window_ms: u64,
    /// The first restart is at once; before the second this many milliseconds pass, and it doubles.
    pub pause_ms: u64,
    /// What happens past the limit.
    pub past: OnLimitExceeded,
    /// How many milliseconds it has to end when it is asked to, before it is killed.
    pub grace_ms: u64,
}

/// What happens past the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnLimitExceeded {
    /// The whole process ends.
    Escalate,
    /// It rests and is started again; the rest doubles with each failure of the last [`REMEMBERED_MS`].
    Rest {
        /// The first, in milliseconds.
        first_ms: u64,
        /// The longest, in milliseconds.
        most_ms: u64,
    },
}

/// Failures count for the length of a rest for so many milliseconds.
pub const REMEMBERED_MS: u64 = 600_000;

/// Failures that are remembered at most.
const FAILURES_MAX: usize = 64;

impl SupervisedRole {
    /// Every role.
    pub const ALL: [SupervisedRole; 8] = [
        SupervisedRole::Orchestrator,
        SupervisedRole::Memory,
        SupervisedRole::Surfaces,
        SupervisedRole::Quarantine,
        SupervisedRole::Model,
        SupervisedRole::Agent,
        SupervisedRole::AgentProcess,
        SupervisedRole::ModelProcess,
    ];

    /// Its row of the table.
    pub fn restart_policy(self) -> RestartPolicy {
        let actor = |name| RestartPolicy {
            name,
            restarts: 5,
            window_ms: 10_000,
            pause_ms: 20,
            past: OnLimitExceeded::Escalate,
            grace_ms: 1000,
        };
        match self {
            // Not patched up: a new process rebuilds it from the journal.
            SupervisedRole::Orchestrator => RestartPolicy {
                restarts: 0,
                ..actor("orchestrator")
            },
            // What it was given is lost with it, so the process ends as well.
            SupervisedRole::Memory => RestartPolicy {
                restarts: 0,
                ..actor("memory")
            },
            SupervisedRole::Surfaces => actor("surfaces"),
            SupervisedRole::Quarantine => actor("quarantine"),
            SupervisedRole::Model => actor("model"),
            SupervisedRole::Agent => actor("agent"),
            // An agent that cannot live is missed in the ticks, and is no reason to end the others.
            SupervisedRole::AgentProcess => RestartPolicy {
                past: OnLimitExceeded::Rest {
                    first_ms: 1000,
                    most_ms: 60_000,
                },
                ..actor("agent process")
            },
            // Each failure can cost a whole budget, and nobody misses more than a sentence: it rests sooner and longer.
            SupervisedRole::ModelProcess => RestartPolicy {
                restarts: 3,
                window_ms: 60_000,
                past: OnLimitExceeded::Rest {
                    first_ms: 10_000,
                    most_ms: 600_000,
                },
                ..actor("model process")
            },
        }
    }
}

/// When one of a role failed, in milliseconds since any fixed moment, oldest first: at most 64.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FailureHistory(VecDeque<u64>);

impl FailureHistory {
    /// It failed at that moment.
    pub fn record_failure(&mut self, at_ms: u64) {
        self.0.push_back(at_ms);
        if self.0.len() > FAILURES_MAX {
            self.0.pop_front();
        }
    }

    fn within(&self, ms: u64, now_ms: u64) -> usize {
        self.0
            .iter()
            .filter(|at| now_ms.saturating_sub(**at) < ms)
            .count()
    }
}

/// What is done about a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RestartDecision {
    /// It is started again.
    Restart {
        /// After so many milliseconds.
        after_ms: u64,
        /// Whether that is a rest: it failed past its limit.
        rest: bool,
    },
    /// The process ends.
    Escalate,
}

/// What is done about the last failure of `history`, which was just now.
pub fn decide_restart(role: SupervisedRole, history: &FailureHistory, now_ms: u64) -> RestartDecision {
    let row = role.restart_policy();
    let recent = history.within(row.window_ms, now_ms);
    if recent <= row.restarts {
        let after_ms = recent
            .checked_sub(2)
            .map_or(0, |n| pause_ms(row.pause_ms, u64::MAX, n));
        return RestartDecision::Restart {
            after_ms,
            rest: false,
        };
    }
    match row.past {
        OnLimitExceeded::Escalate => RestartDecision::Escalate,
        OnLimitExceeded::Rest { first_ms, most_ms } => {
            let over = history.within(REMEMBERED_MS, now_ms) - row.restarts;
            RestartDecision::Restart {
                after_ms: pause_ms(first_ms, most_ms, over - 1),
                rest: true,
            }
        }
    }
}

/// Pauses between tries: each is twice as long as the one before, up to the longest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backoff {
    pub first: Duration,
    pub longest: Duration,
}

impl Backoff {
    /// The pause after so many failures beside the first.
    pub fn pause(self, more_failures: u32) -> Duration {
        let doubled = 1_u32.checked_shl(more_failures).unwrap_or(u32::MAX);
        self.first.saturating_mul(doubled).min(self.longest)
    }
}

/// The pause that follows one of this length.
pub fn longer_pause(pause: Duration, longest: Duration) -> Duration {
    pause.saturating_mul(2).min(longest)
}

/// The same in milliseconds.
fn pause_ms(first_ms: u64, longest_ms: u64, more_failures: usize) -> u64 {
    let backoff = Backoff {
        first: Duration::from_millis(first_ms),
        longest: Duration::from_millis(longest_ms),
    };
    let pause = backoff.pause(u32::try_from(more_failures).unwrap_or(u32::MAX));
    u64::try_from(pause.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_the_longest_however_many_failures_there_are() {
        let backoff = Backoff {
            first: Duration::from_millis(50),
            longest: Duration::from_secs(1),
        };
        let ms = [0, 1, 4, 5, 31, 32, u32::MAX].map(|failures| backoff.pause(failures).as_millis());
        assert_eq!(ms, [50, 100, 800, 1000, 1000, 1000, 1000]);
        let longer = |ms| longer_pause(Duration::from_millis(ms), backoff.longest).as_millis();
        assert_eq!([100, 600, 1000].map(longer), [200, 1000, 1000]);
    }

    /// The decision after each of these failures.
    fn decisions(role: SupervisedRole, failures_ms: &[u64]) -> Vec<RestartDecision> {
        let mut history = FailureHistory::default();
        let one = |at: &u64| {
            history.record_failure(*at);
            decide_restart(role, &history, *at)
        };
        failures_ms.iter().map(one).collect()
    }

    fn restart(after_ms: u64) -> RestartDecision {
        RestartDecision::Restart {
            after_ms,
            rest: false,
        }
    }

    fn rest(after_ms: u64) -> RestartDecision {
        RestartDecision::Restart { after_ms, rest: true }
    }

    #[test]
    fn five_restarts_in_ten_seconds_the_first_at_once_and_then_the_process_ends() {
        for role in [
            SupervisedRole::Surfaces,
            SupervisedRole::Quarantine,
            SupervisedRole::Model,
            SupervisedRole::Agent,
        ] {
            assert_eq!(
                decisions(role, &[0, 10, 20, 30, 40, 9_999]),
                [
                    restart(0),
                    restart(20),
                    restart(40),
                    restart(80),
                    restart(160),
                    RestartDecision::Escalate
                ],
                "{role:?}"
            );
        }
    }

    #[test]
    fn a_failure_that_is_ten_seconds_old_counts_no_more() {
        assert_eq!(
            decisions(SupervisedRole::Surfaces, &[0, 1, 2, 3, 4, 10_000]).last(),
            Some(&restart(160)),
            "the first has left the window: five are in it"
        );
        assert_eq!(
            decisions(SupervisedRole::Surfaces, &[0, 10_000]),
            [restart(0), restart(0)]
        );
    }

    #[test]
    fn the_machines_own_actor_and_the_stores_writer_are_never_restarted() {
        for role in [SupervisedRole::Orchestrator, SupervisedRole::Memory] {
            assert_eq!(decisions(role, &[5]), [RestartDecision::Escalate], "{role:?}");
        }
    }

    #[test]
    fn an_agents_process_rests_longer_and_longer_and_never_ends_the_others() {
        assert_eq!(
            decisions(
                SupervisedRole::AgentProcess,
                &[0, 0, 0, 0, 0, 0, 1000, 3000, 7000]
            ),
            [
                restart(0),
                restart(20),
                restart(40),
                restart(80),
                restart(160),
                rest(1000),
                rest(2000),
                rest(4000),
                rest(8000)
            ]
        );
        // 64 are remembered: 59 past the limit, and still no more than a minute.
        let storm = decisions(SupervisedRole::AgentProcess, &[0; 200]);
        assert_eq!(storm.last(), Some(&rest(60_000)));
        assert!(!storm.contains(&RestartDecision::Escalate));
    }

    #[test]
    fn the_models_process_rests_after_three_restarts_in_a_minute_and_never_ends_the_service() {
        assert_eq!(
            decisions(
                SupervisedRole::ModelProcess,
                &[0, 1_750, 3_500, 5_250, 17_000, 40_000]
            ),
            [
                restart(0),
                restart(20),
                restart(40),
                rest(10_000),
                rest(20_000),
                rest(40_000)
            ]
        );
        assert_eq!(
            decisions(SupervisedRole::ModelProcess, &[0; 64]).last(),
            Some(&rest(600_000))
        );
        // Failures a minute apart are restarts, each at once.
        assert_eq!(
            decisions(SupervisedRole::ModelProcess, &[0, 60_000, 120_000]),
            [restart(0); 3]
        );
    }

    #[test]
    fn a_rest_is_short_again_after_ten_quiet_minutes() {
        let mut failures = vec![0; 20];
        failures.extend([600_000; 6]);
        assert_eq!(
            decisions(SupervisedRole::AgentProcess, &failures).last(),
            Some(&rest(1000))
        );
    }

    #[test]
    fn each_role_has_a_name_of_its_own() {
        let names: std::collections::BTreeSet<_> = SupervisedRole::ALL
            .iter()
            .map(|role| role.restart_policy().name)
            .collect();
        assert_eq!(names.len(), SupervisedRole::ALL.len());
    }
}
