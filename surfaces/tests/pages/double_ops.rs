//! The console's half of the double.
//!
//! What: figures, refused lines and an answer to each question, all made up. Why: the pages are tested without actors. Not here: any claim.

use super::{Double, double_ticks, ts};
use surfaces_base::{
    backend::console::{
        CatalogueView, ConsoleBackend, ConstantChange, ConstantField, DryReplayVerdict, LedgerDay,
        LedgerDayRow, MachineView, PAGE, PendingQuestion, PolicyTrial, PolicyView, ProcessEndView,
        ProcessName, ProcessStatus, ProcessView, QueueName, QueueView, RefusedFilter, RefusedItem,
        RefusedLine, ReplayAnswer, ServiceCounters, ServiceOverview, ServiceSample, StoreView, TickView,
        TimerView, TraceFilter, TraceOrder, TracePage, WhatIfQuestion, WhatIfReport, own_time_ms,
    },
    backend::{BackendError, BackendFuture, HealthFlag},
};
use toolcall_schema::{
    ActionKind, AgentName, QuarantineKind, StateName,
    ids::TraceId,
    ledger::LedgerEntry,
    milli::Milli,
    policy_diagnostic::PolicyDiagnostic,
    process_end::ProcessEndCause,
    tick::{Subject, TriggerSource},
    timer::TimerName,
    trace::{LedgerView, StateVisit},
    whatif::{
        InterruptionChange, InterruptionDifference, InterruptionReason, NotChosenReason, WhatIfAnswer,
        WhatIfDay,
    },
};

fn day() -> chrono::NaiveDate {
    "2026-11-03".parse().unwrap()
}

fn refused(number: u64, code: &str, pointer: &str, raw: &str) -> RefusedItem {
    RefusedItem {
        line: RefusedLine {
            kind: QuarantineKind::Calls,
            number,
            sha256: "ab".repeat(32),
        },
        at: ts("2026-11-03T02:10:00Z"),
        code: code.to_owned(),
        pointer: pointer.to_owned(),
        message: "no such argument".to_owned(),
        agent: Some(AgentName::Comms),
        tool: Some("mute\u{1b}[2J<i>".to_owned()),
        program: None,
        trace_id: Some(TraceId::parse("tr_brief0000001").unwrap()),
        bytes: 99,
        raw: raw.to_owned(),
        base64: None,
    }
}

/// Everything a hostile call would try on a page, and three that are told apart.
fn lines() -> Vec<RefusedItem> {
    let hostile =
        "{\"x\":\"</pre><script>alert(1)</script>\u{0}\u{1b}]0;evil\u{7}\u{9b}\u{202e}\r\n\u{feff}\"}";
    vec![
        refused(1, "GATE-009", "/args/<b>\u{202e}", hostile),
        refused(
            2,
            "GATE-009",
            "/args/ttl_seconds",
            r#"{"args":{"ttl_seconds":-1,"z":2},"agent":"comms"}"#,
        ),
        RefusedItem {
            agent: Some(AgentName::Finance),
            ..refused(3, "GATE-003", "", r#"{"args":{},}"#)
        },
        RefusedItem {
            line: RefusedLine {
                kind: QuarantineKind::Messages,
                number: 1,
                sha256: "cd".repeat(32),
            },
            agent: None,
            program: Some("writer<b>".to_owned()),
            base64: Some(Some(2)),
            ..refused(4, "PROTO-001", "", "e30=")
        },
    ]
}

impl ConsoleBackend for Double {
    fn overview(&self) -> BackendFuture<Result<ServiceOverview, BackendError>> {
        let now = self.view.lock().unwrap();
        let part = |name, standing, pid| ProcessView {
            name,
            standing,
            pid,
            restarts: 2,
            last_end: Some(ProcessEndView {
                cause: ProcessEndCause::Closed,
                exit_code: None,
                signal: Some(9),
            }),
            memory_kib: None,
        };
        Self::ready(ServiceOverview {
            at: now.at,
            zone: now.zone.clone(),
            version: "9.9.9",
            policy_hash: "a".repeat(64),
            catalogue_hash: "b".repeat(64),
            health: vec![HealthFlag::AgentDown(AgentName::Finance)],
            counters: ServiceCounters {
                failed_commits: 4242,
                ..ServiceCounters::default()
            },
            parts: vec![
                ProcessView {
                    memory_kib: Some(2049),
                    ..part(ProcessName::Service, ProcessStatus::Running, Some(7))
                },
                part(
                    ProcessName::Agent(AgentName::Finance),
                    ProcessStatus::Resting,
                    None,
                ),
            ],
            restarts: vec![double_ticks::finance_restart()],
            queues: vec![QueueView {
                name: QueueName::Triggers,
                waiting: 3,
                bound: 256,
                lost: Some(1),
            }],
            store: StoreView::default(),
            sandbox: "Landlock ABI 4 fully, seccomp".to_owned(),
        })
    }

    /// Scene "mute": a question is open for two seconds; else idle.
    fn machine(&self) -> BackendFuture<Result<MachineView, BackendError>> {
        let now = self.view.lock().unwrap();
        let asks = now.card.as_ref().is_some_and(|card| !card.prompts.is_empty());
        let visit = |state, at, ms| StateVisit {
            state,
            at: ts(at),
            ms,
        };
        Self::ready(MachineView {
            at: now.at,
            zone: now.zone.clone(),
            state: if asks {
                StateName::AwaitingConfirm
            } else {
                StateName::Idle
            },
            since: asks.then(|| ts("2026-11-03T17:01:47Z")),
            last_event: ts("2026-11-03T02:30:00Z"),
            path: if asks {
                vec![
                    visit(StateName::Listening, "2026-11-03T17:01:46Z", 40),
                    visit(StateName::AwaitingConfirm, "2026-11-03T17:01:47Z", 2000),
                ]
            } else {
                vec![]
            },
            trigger: asks.then_some(TriggerSource::CommsBurst),
            timers: vec![TimerView {
                name: TimerName::Interval,
                at: now.at.plus_ms(90_000),
            }],
            brief: crate::owner_double::forbidden_brief(),
            pending: asks.then_some(PendingQuestion {
                kind: ActionKind::MuteGroup30,
                shown: true,
            }),
            queue: vec![(TriggerSource::Transaction, ts("2026-11-03T02:30:30Z"))],
            ledger: now.ledger.clone(),
            paused_until: None,
            dnd: true,
            surfaces: vec![],
        })
    }

    fn refused(&self, filter: RefusedFilter) -> BackendFuture<Result<Vec<RefusedItem>, BackendError>> {
        Self::ready(lines().into_iter().filter(|line| filter.admits(line)).collect())
    }

    /// The first line is refused for another reason now, the second passes, others are gone.
    fn dry_replay(&self, line: RefusedLine) -> BackendFuture<Result<Option<DryReplayVerdict>, BackendError>> {
        self.note(format!("{line:?}"));
        Self::ready(match line.number {
            1 => Some(DryReplayVerdict::Refused {
                code: "GATE-007".to_owned(),
                pointer: "/<b>".to_owned(),
                message: "no such member".to_owned(),
                same: false,
            }),
            2 => Some(DryReplayVerdict::Passes),
            _ => None,
        })
    }

    fn recorded_tick(&self, id: TraceId) -> BackendFuture<Result<Option<TickView>, BackendError>> {
        let refused = lines()
            .into_iter()
            .filter(|line| line.trace_id.as_ref() == Some(&id));
        Self::ready(double_ticks::view(&id, refused.collect()))
    }

    /// The brief can be done again, and nothing else.
    fn replay_tick(&self, id: TraceId, step: usize) -> BackendFuture<Result<ReplayAnswer, BackendError>> {
        Self::ready(if id.as_str() == "tr_brief0000001" {
            ReplayAnswer::Replayed(Box::new(double_ticks::replay(step)))
        } else {
            ReplayAnswer::NotKept
        })
    }

    fn sample(&self) -> BackendFuture<Result<ServiceSample, BackendError>> {
        let now = self.view.lock().unwrap();
        Self::ready(double_ticks::sample(now.at, &now.zone))
    }

    /// One more page follows, as long as nobody is on it.
    fn find_traces(&self, filter: TraceFilter) -> BackendFuture<Result<TracePage, BackendError>> {
        self.note(format!("{filter:?}"));
        let admitted = self.traces.iter().filter(|trace| filter.admits(trace));
        let mut traces: Vec<_> = admitted.take(PAGE).cloned().collect();
        let is_slowest = filter.order == TraceOrder::Slowest;
        if is_slowest {
            traces.sort_by_key(|trace| std::cmp::Reverse(own_time_ms(trace)));
        }
        Self::ready(TracePage {
            traces,
            next: (filter.before.is_none() && !is_slowest).then_some(12),
            looked_at: 2,
        })
    }

    fn policy(&self) -> BackendFuture<Result<PolicyView, BackendError>> {
        Self::ready(PolicyView {
            hash: "a".repeat(64),
            text: "# <why>\nthreshold = 0.5\n".to_owned(),
            built_in: false,
            differences: vec![ConstantChange {
                key: "threshold",
                before: "0.45".to_owned(),
                after: "0.5".to_owned(),
            }],
            constants: [
                ("version", "1", ""),
                ("threshold", "0.5", ""),
                ("caps.window_min", "30", "min"),
            ]
            .map(|(key, value, unit)| ConstantField {
                key,
                value: value.to_owned(),
                unit,
                means: "as programs are told",
            })
            .into(),
            catalogue: CatalogueView {
                hash: "b".repeat(64),
                accepted: Some("b".repeat(64)),
            },
        })
    }

    /// A policy that begins with a `!` is a bad one.
    fn what_if(
        &self,
        question: WhatIfQuestion,
    ) -> BackendFuture<Result<Result<PolicyTrial, Vec<PolicyDiagnostic>>, BackendError>> {
        self.note(format!("what if {:?} {:?}", question.from, question.to));
        for (key, value) in &question.constants {
            self.note(format!("with {key} = {value}"));
        }
        if question.policy.starts_with('!') {
            return Self::ready(Err(vec![PolicyDiagnostic {
                code: "POLICY-001",
                line: 1,
                column: 1,
                message: "no TOML: <b>".to_owned(),
            }]));
        }
        let answer = WhatIfAnswer {
            policy_hash: "c".repeat(64),
            recorded: 2,
            what_if: 1,
            added: 0,
            removed: 1,
            moved: 0,
            changed: 0,
            of_other_rules: 0,
            days: vec![WhatIfDay {
                date: day(),
                recorded: 2,
                what_if: 1,
                zone: None,
                differences: vec![InterruptionDifference {
                    change: InterruptionChange::Removed,
                    at: ts("2026-11-03T02:15:00Z"),
                    moved_to: None,
                    tick: 1,
                    kind: ActionKind::ShowBrief,
                    subject: Subject::date(day()),
                    score: Some(Milli(664)),
                    why: InterruptionReason::Now(NotChosenReason::BelowThreshold {
                        score: Milli::from_f64(0.664).unwrap(),
                        threshold: Milli::from_f64(0.7).unwrap(),
                    }),
                }],
            }],
            cut: true,
        };
        Self::ready(Ok(PolicyTrial {
            report: WhatIfReport {
                at: ts("2026-11-03T17:00:00Z"),
                zone: "Asia/Kolkata".to_owned(),
                answer,
            },
            text: "# <tried>\nthreshold = 0.7\n".to_owned(),
            in_force: "a".repeat(64),
            differences: vec![ConstantChange {
                key: "threshold",
                before: "0.5".to_owned(),
                after: "0.7".to_owned(),
            }],
        }))
    }

    fn book(&self, asked: Option<chrono::NaiveDate>) -> BackendFuture<Result<LedgerDay, BackendError>> {
        let row = |entry, tokens, free| LedgerDayRow {
            at: ts("2026-11-03T02:15:00Z"),
            entry,
            tokens,
            trace_id: Some(TraceId::parse("tr_brief0000001").unwrap()),
            free: Some(free),
        };
        let there = asked.is_none_or(|asked| asked == day());
        Self::ready(LedgerDay {
            at: ts("2026-11-03T17:00:00Z"),
            zone: "Asia/Kolkata".to_owned(),
            day: asked.unwrap_or(day()),
            account: there.then(|| LedgerView {
                day: day(),
                ceiling: 3,
                free: 2,
                reserved: 0,
                settled: 1,
                refunded: 0,
            }),
            rows: if there {
                vec![row(LedgerEntry::Reserve, 1, 2), row(LedgerEntry::Settle, 1, 2)]
            } else {
                vec![]
            },
        })
    }
}
