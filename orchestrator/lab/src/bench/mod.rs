//! Figures: what a tick and the gate cost.
//!
//! What: runs the real parts on the calling thread many times and reads the thread's CPU clock. Why: a figure is worth
//! what its command does; this one says it. Not here: goals (`docs/performance.md`), timed tests (there are none).

pub(crate) mod actors;
pub(crate) mod agents;
pub(crate) mod ask;
pub(crate) mod files;
pub(crate) mod first_day;
pub(crate) mod footprint;
pub(crate) mod health;
pub(crate) mod host;
mod hosted_owners;
pub(crate) mod idle;
pub(crate) mod mail;
pub(crate) mod memory;
pub(crate) mod model;
pub(crate) mod morning_peak;
pub(crate) mod promises;
pub(crate) mod served;
mod shipped;
pub(crate) mod store;
mod threads;
pub(crate) mod web;
pub(crate) mod workflow;

use aura_days::{
    DayFaults,
    simulator::{Simulator, SimulatorStart, TurnStore},
};
use aura_runtime::config::HomeConfig;
use orchestrator_machine::{EventKind, MachineEnv, MachineState, policy::Policy};
use rustix::time::{ClockId, clock_gettime};
use serde::Serialize;
use std::hint::black_box;
use toolcall_schema::{Surface, Timestamp, ToolCall, ToolName, gate, ids::OwnerSeed, trace::Trace};

/// Figures of one thing, in nanoseconds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct CpuFigures {
    /// What was measured.
    pub what: String,
    /// How many times.
    pub count: usize,
    /// CPU time of the thread per operation: the mean over all.
    pub cpu_mean_ns: f64,
    /// CPU time of one batch per operation: the median over the batches.
    pub cpu_median_ns: f64,
    /// The same: the 99th of a hundred.
    pub cpu_p99_ns: f64,
    /// The same: the least and the most.
    pub cpu_min_max_ns: (f64, f64),
}

/// The thread's CPU time in nanoseconds.
fn cpu_ns() -> i64 {
    let t = clock_gettime(ClockId::ThreadCPUTime);
    t.tv_sec * 1_000_000_000 + t.tv_nsec
}

/// The CPU time of the whole process in nanoseconds.
fn cpu_ns_of_process() -> i64 {
    let t = clock_gettime(ClockId::ProcessCPUTime);
    t.tv_sec * 1_000_000_000 + t.tv_nsec
}

/// Sums up the nanoseconds per operation of each batch of `per_batch` operations.
fn figures(what: &str, mut batches: Vec<f64>, per_batch: usize) -> CpuFigures {
    batches.sort_by(f64::total_cmp);
    let at = |share: f64| {
        // The share is between 0 and 1, so the index is within the slice.
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "an index within the slice"
        )]
        let index = ((batches.len().saturating_sub(1)) as f64 * share).round() as usize;
        batches.get(index).copied().unwrap_or(0.0)
    };
    CpuFigures {
        what: what.to_owned(),
        count: batches.len() * per_batch,
        cpu_mean_ns: batches.iter().sum::<f64>() / batches.len().max(1) as f64,
        cpu_median_ns: at(0.5),
        cpu_p99_ns: at(0.99),
        cpu_min_max_ns: (at(0.0), at(1.0)),
    }
}

/// Operations between two readings of the clock: reading it costs some 200 ns.
const PER_BATCH: usize = 100;

/// Times two operations in turn, batch by batch, so that a slow phase of the machine falls on both.
fn interleaved(
    count: usize,
    (a_name, mut a): (&str, impl FnMut()),
    (b_name, mut b): (&str, impl FnMut()),
) -> [CpuFigures; 2] {
    let time = |op: &mut dyn FnMut()| {
        let begun = cpu_ns();
        for _ in 0..PER_BATCH {
            op();
        }
        (cpu_ns() - begun) as f64 / PER_BATCH as f64
    };
    let (mut of_a, mut of_b) = (Vec::new(), Vec::new());
    for round in 0..count.div_ceil(PER_BATCH) + 10 {
        let (ns_a, ns_b) = (time(&mut a), time(&mut b));
        // The first ten warm the caches up.
        if round >= 10 {
            of_a.push(ns_a);
            of_b.push(ns_b);
        }
    }
    [figures(a_name, of_a, PER_BATCH), figures(b_name, of_b, PER_BATCH)]
}

/// One tool's gate beside the parser alone, on the same bytes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct GateFigures {
    /// Which tool.
    pub tool: String,
    /// The call's size.
    pub bytes: usize,
    /// Bytes to admitted call.
    pub gate: CpuFigures,
    /// `serde_json::from_slice::<Value>` on the same bytes, batch by batch in turn.
    pub parser: CpuFigures,
    /// Median over median.
    pub ratio: f64,
}

/// `aura bench gate`: each tool's example call, and a refused one.
pub(crate) fn gate(count: usize) -> Vec<GateFigures> {
    let ts = Timestamp::from_ms(1_762_137_900_000);
    let seed = OwnerSeed::from_day_seed("bench");
    let mut calls: Vec<(String, Vec<u8>)> = ToolName::ALL
        .iter()
        .map(|tool| {
            let columns = tool.columns();
            let call = ToolCall {
                call_id: seed.call_id(toolcall_schema::ids::IdPurpose::ActionCall, 1, tool.as_str(), 0),
                agent: columns.agent,
                tool: tool.tool().to_owned(),
                args: serde_json::from_str(tool.examples().valid).unwrap_or_default(),
                ts,
                confirm_required: columns.confirm == toolcall_schema::Confirm::Always,
                expected_surface: Some(columns.surface),
                deadline_ms: Some(2000),
            };
            (tool.as_str().to_owned(), call.to_bytes())
        })
        .collect();
    // The gate reads into the memory of the call before: here that is never a call of the same tool.
    let in_turn: Vec<Vec<u8>> = calls.iter().map(|(_, bytes)| bytes.clone()).collect();
    calls.push(("refused: unknown field".to_owned(), refused_call()));
    let alone = calls
        .into_iter()
        .map(|(tool, bytes)| gate_of(tool, &[bytes], ts, count));
    let all = gate_of("every tool in turn".to_owned(), &in_turn, ts, count);
    alone.chain([all]).collect()
}

/// Times the gate beside the parser on these calls, one after the other.
fn gate_of(tool: String, calls: &[Vec<u8>], now: Timestamp, count: usize) -> GateFigures {
    let (mut to_gate, mut to_parser) = (calls.iter().cycle(), calls.iter().cycle());
    let [gate, parser] = interleaved(
        count,
        ("gate: bytes to admitted call", || {
            let bytes = black_box(to_gate.next().map_or(&[][..], Vec::as_slice));
            let _ = black_box(gate::admit(bytes, gate::GateClock::At(now)));
        }),
        ("serde_json::from_slice::<Value>", || {
            let bytes = black_box(to_parser.next().map_or(&[][..], Vec::as_slice));
            let _ = black_box(serde_json::from_slice::<serde_json::Value>(bytes));
        }),
    );
    GateFigures {
        tool,
        bytes: calls.iter().map(Vec::len).sum::<usize>() / calls.len().max(1),
        ratio: gate.cpu_median_ns / parser.cpu_median_ns,
        gate,
        parser,
    }
}

fn refused_call() -> Vec<u8> {
    br#"{"call_id":"t_0000000001","agent":"comms","tool":"mute_channel","args":{"channel_hash":"ch_0000000000000001","ttl_seconds":1800},"ts":"2025-11-03T02:45:00.000Z","confirm_required":true,"extra":1}"#.to_vec()
}

/// Why a benchmark says nothing.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BenchError {
    /// The tick that is measured is not the one that is meant.
    #[error(
        "the measured tick chose {chosen} and the gate refused {refused}: the household is not the bundled one"
    )]
    NotTheTick {
        /// What it chose.
        chosen: String,
        /// How much was refused.
        refused: usize,
    },
    /// An actor or an agent's process gave no answer in time.
    #[error("an agent gave no answer in time: nothing is measured")]
    NoAnswer,
    /// A host of many owners did not come to this in time.
    #[error("{0} in time: nothing is measured")]
    NotSeen(&'static str),
    /// The agents that are measured could not be started.
    #[error(transparent)]
    Wiring(#[from] aura_runtime::wiring::WiringError),
    /// The store that is measured could not be used.
    #[error(transparent)]
    Store(#[from] aura_memory::StoreError),
    /// The journal that is measured could not be read.
    #[error(transparent)]
    Journal(#[from] aura_runtime::journal::JournalError),
    /// An erasure that is measured could not be planned.
    #[error(transparent)]
    Deletion(#[from] aura_runtime::deletion::DeletionError),
    /// A file or process of the measurement's could not be made.
    #[error("a file or process of the measurement's could not be made")]
    Io(#[from] std::io::Error),
    /// The service did not answer.
    #[error(transparent)]
    Control(#[from] aura_runtime::control::ControlError),
    /// A command that is measured failed.
    #[error("{0} failed: nothing is measured")]
    Child(&'static str),
    /// A recorded day whose questions are asked could not be played.
    #[error(transparent)]
    Day(#[from] aura_days::day::PlayError),
    /// The model that is measured did not answer.
    #[error(transparent)]
    Model(#[from] aura_process::llm::ModelProcessError),
    /// It said nothing in time, or what was not asked for.
    #[error("the model that is measured did not answer what it was asked in time")]
    ModelSilent,
    /// A program that is measured gave no answer.
    #[error("the program that is measured was refused: {0}")]
    Program(#[from] toolcall_schema::rejection::RefusalReason),
    /// The run that is measured could not be executed.
    #[error(transparent)]
    Workflow(#[from] aura_workflow::WorkflowError),
    /// A request of the measurement's failed.
    #[error("a request to the service or the browser failed: {0}")]
    Http(#[from] Box<ureq::Error>),
    /// The service that is measured failed.
    #[error("the service {what}: nothing is measured")]
    Service {
        /// What became of it.
        what: &'static str,
        /// The system's reason.
        #[source]
        source: std::io::Error,
    },
}

impl From<ureq::Error> for BenchError {
    fn from(error: ureq::Error) -> Self {
        BenchError::Http(Box::new(error))
    }
}

/// `aura bench tick`: the household's morning tick from trigger to kept trace, on ingested signals: four gated tick calls,
/// the decision, two gated action calls (brief and leave-by), the trace built, validated and serialized as it is kept. Each tick starts
/// from the same state, so none of them is cut short by a cap.
///
/// # Errors
/// [`BenchError`] when the tick does not end with the bundled card.
pub(crate) fn tick(
    home: &HomeConfig,
    policy: Policy,
    wall: Timestamp,
    count: usize,
) -> Result<CpuFigures, BenchError> {
    let (mut simulator, before) = morning(home, policy, wall, OwnerSeed::from_day_seed(SEED), None);
    let mut batches = Vec::with_capacity(count);
    for round in 0..count + 200 {
        simulator.set_state(&before);
        simulator.take_traces();
        let begun = cpu_ns();
        simulator.inject(EventKind::PhoneUnlocked);
        let ns = (cpu_ns() - begun) as f64;
        black_box(simulator.traces());
        the_brief(&simulator)?;
        // The first ones warm the caches up.
        if round >= 200 {
            batches.push(ns);
        }
    }
    Ok(figures(
        "full tick: four agents in process, decision, two actions, trace",
        batches,
        1,
    ))
}

/// The seed of every benchmark's ids.
const SEED: &str = "bench";

/// The household on the morning whose first tick is measured, with a phone connected, and the machine's state then; written
/// to a store whose next event has this number. `seed`: of the folder of that store, or the service would give the same ticks other ids.
fn morning(
    home: &HomeConfig,
    policy: Policy,
    wall: Timestamp,
    seed: OwnerSeed,
    store: Option<(u64, Box<dyn TurnStore>)>,
) -> (Simulator, MachineState) {
    let env = MachineEnv {
        policy,
        settings: home.settings.clone(),
        seed,
        catalogue_hash: gate::catalogue_hash().to_owned(),
    };
    let mut begin = SimulatorStart::new(&env, wall);
    if let Some((next_seq, store)) = store {
        (begin.next_seq, begin.store) = (next_seq, Some(store));
    }
    let mut simulator = Simulator::resume(home, env, wall, DayFaults::default(), begin);
    simulator.inject(EventKind::Connected {
        surface: Surface::PhoneCard,
    });
    let before = simulator.state().clone();
    (simulator, before)
}

/// Whether the tick that ended is the one that is meant.
fn the_brief(simulator: &Simulator) -> Result<&Trace, BenchError> {
    let wrong = |chosen: &str| BenchError::NotTheTick {
        chosen: chosen.to_owned(),
        refused: simulator.refused(),
    };
    let trace = simulator.traces().last().ok_or_else(|| wrong("nothing at all"))?;
    if simulator.is_done() && trace.chosen_name() == "SHOW_BRIEF" && simulator.refused() == 0 {
        Ok(trace)
    } else {
        Err(wrong(trace.chosen_name()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aura_memory::StoreWrite;
    use aura_runtime::executor::TurnRecord;
    use orchestrator_machine::policy::DEFAULT_TEXT;
    use std::{cell::RefCell, ops::ControlFlow, path::Path, rc::Rc};

    /// Remembers the traces that were to be kept.
    struct KeptTraces(Rc<RefCell<Vec<String>>>);

    impl TurnStore for KeptTraces {
        fn persist(&mut self, turn: TurnRecord, _state: &MachineState) -> ControlFlow<()> {
            self.0
                .borrow_mut()
                .extend(turn.writes.into_iter().filter_map(|write| {
                    if let StoreWrite::Trace(row) = write {
                        Some(row.json)
                    } else {
                        None
                    }
                }));
            ControlFlow::Continue(())
        }

        fn barrier(&mut self) -> bool {
            true
        }
    }

    #[test]
    fn a_trace_is_kept_byte_by_byte_as_it_is_serialized() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/home/home.toml");
        let home = HomeConfig::load(&file).unwrap();
        let wall = home.start.unwrap().plus_ms(10_000);
        let kept = Rc::default();
        let store: Box<dyn TurnStore> = Box::new(KeptTraces(Rc::clone(&kept)));
        let policy = Policy::parse(DEFAULT_TEXT).unwrap();
        let (mut simulator, _) = morning(
            &home,
            policy,
            wall,
            OwnerSeed::from_day_seed(SEED),
            Some((1, store)),
        );
        simulator.inject(EventKind::PhoneUnlocked);
        let traces: Vec<String> = simulator
            .traces()
            .iter()
            .map(|trace| serde_json::to_string(trace).unwrap())
            .collect();
        assert!(!traces.is_empty());
        assert_eq!(*kept.borrow(), traces);
    }
}
