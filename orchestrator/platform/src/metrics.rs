//! Figures for a monitoring system, in the text format of Prometheus.
//!
//! What: [`METRICS`], counted where things happen, and [`FigureShare::text`] for `GET /metrics`. Why: an operator sees over weeks
//! what `status` shows for a moment. Every label is a name of ours from a closed list: never a text from outside. Not here:
//! the page that serves it (`surfaces`), what each means for the operator (`docs/operating.md`).
//!
//! Figures are of the process, from its start, and of all owners that it serves together: no owner has a label. Those that live elsewhere
//! (health, ledger, quarantine) are read when asked for, and of the other owners once a minute ([`FigureShare`]).

use crate::health::ServiceHealth;
use aura_memory::quarantine::QuarantineHealth;
use orchestrator_machine::{MachineState, supervision::SupervisedRole};
use prometheus_client::{
    encoding::text::encode,
    metrics::{counter::Counter, family::Family, gauge::Gauge, histogram::Histogram, info::Info},
    registry::{Metric, Registry},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        LazyLock, Mutex, PoisonError,
        atomic::{AtomicI64, AtomicU64, Ordering},
    },
};
use toolcall_schema::{
    AgentName, Code, ModelFault, Outcome,
    trace::{LedgerView, RationaleSource, Trace},
};

/// One name of ours and its value, also of ours.
type OneLabel = [(&'static str, &'static str); 1];
type TwoLabels = [(&'static str, &'static str); 2];
type CountMetric = Counter<u64, AtomicU64>;
type GaugeMetric = Gauge<i64, AtomicI64>;

/// All figures of this process.
pub static METRICS: LazyLock<ServiceMetrics> = LazyLock::new(ServiceMetrics::new);

/// A figure as it is documented.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DescribedMetric {
    /// As a monitoring system reads it, without what its type adds (`_total`, `_bucket`).
    pub name: String,
    /// `counter`, `gauge`, `histogram` or `info`.
    pub kind: String,
    pub means: &'static str,
}

/// Figures with what each means.
struct DescribedRegistry {
    registry: Registry,
    described: Vec<DescribedMetric>,
}

impl DescribedRegistry {
    fn register(&mut self, name: &'static str, means: &'static str, metric: impl Metric) {
        self.described.push(DescribedMetric {
            name: format!("{PREFIX}_{name}"),
            kind: metric.metric_type().as_str().to_owned(),
            means,
        });
        self.registry.register(name, means, metric);
    }
}

/// What all names begin with.
const PREFIX: &str = "aura";

/// The figures. Cloning one of them shares it.
pub struct ServiceMetrics {
    registry: DescribedRegistry,
    ticks: Family<TwoLabels, CountMetric>,
    states: Family<OneLabel, Histogram, fn() -> Histogram>,
    rationales: Family<OneLabel, CountMetric>,
    refused: Family<TwoLabels, CountMetric>,
    not_taken: Family<OneLabel, CountMetric>,
    restarts: Family<OneLabel, CountMetric>,
    outbound: Family<TwoLabels, CountMetric>,
    model_answers: Family<OneLabel, CountMetric>,
    model_tokens: Family<OneLabel, CountMetric>,
    model_seconds: Histogram,
    read: ScrapedMetrics,
    shares: Mutex<BTreeMap<u64, OwnerFigures>>,
    last_share: AtomicU64,
}

/// What is kept elsewhere and read when somebody asks.
#[derive(Default)]
struct ScrapedMetrics {
    ignored: CountMetric,
    raw_traces: CountMetric,
    failed_commits: CountMetric,
    clock_jumps: CountMetric,
    dropped_triggers: CountMetric,
    skipped: Family<OneLabel, CountMetric>,
    quarantine_lost: Family<OneLabel, CountMetric>,
    waiting_triggers: GaugeMetric,
    in_flight: GaugeMetric,
    waiting: Family<OneLabel, GaugeMetric>,
    journal_up: GaugeMetric,
    agents_up: Family<OneLabel, GaugeMetric>,
    tokens: Family<OneLabel, GaugeMetric>,
    ceiling: GaugeMetric,
    surfaces: GaugeMetric,
    model_up: GaugeMetric,
    sandbox_whole: GaugeMetric,
    landlock_abi: GaugeMetric,
}

/// Tokens and time that one answer of the model's process cost.
#[derive(Debug, Clone, Copy)]
pub struct ModelUse {
    pub prompt_tokens: u32,
    /// Those of them that were kept from an earlier prompt.
    pub reused_tokens: u32,
    pub output_tokens: u32,
    /// Milliseconds from the question to the whole answer.
    pub total_ms: u32,
}

/// What is not counted here but read when the figures are asked for.
pub struct CurrentFigures<'a> {
    pub state: &'a MachineState,
    pub health: &'a ServiceHealth,
    /// Messages on their way between parts.
    pub in_flight: usize,
    /// Messages that wait in each bounded mailbox.
    pub waiting: &'a [(SupervisedRole, usize)],
    pub quarantine: QuarantineHealth,
    /// Whether every part of the agents' sandbox is enforced.
    pub sandbox_whole: bool,
    /// The version of Landlock on the agents; 0: none.
    pub landlock_abi: i32,
    /// Whether the language model answers.
    pub model_up: bool,
}

/// What was read last of one owner's service.
struct OwnerFigures {
    health: ServiceHealth,
    ledger: LedgerView,
    dropped_triggers: u64,
    waiting_triggers: usize,
    surfaces: usize,
    in_flight: usize,
    waiting: BTreeMap<SupervisedRole, usize>,
    quarantine: QuarantineHealth,
    sandbox_whole: bool,
    landlock_abi: i32,
    model_up: bool,
}

/// One owner's share of the figures, until it is dropped.
pub struct FigureShare {
    metrics: &'static ServiceMetrics,
    number: u64,
}

impl FigureShare {
    /// What is read of her service now.
    pub fn record(&self, now: &CurrentFigures<'_>) {
        let figures = OwnerFigures {
            health: now.health.clone(),
            ledger: now.state.ledger.view(),
            dropped_triggers: now.state.queue_dropped,
            waiting_triggers: now.state.queue.len(),
            surfaces: now.state.surfaces.len(),
            in_flight: now.in_flight,
            waiting: now.waiting.iter().copied().collect(),
            quarantine: now.quarantine,
            sandbox_whole: now.sandbox_whole,
            landlock_abi: now.landlock_abi,
            model_up: now.model_up,
        };
        let mut shares = self.metrics.shares.lock().unwrap_or_else(PoisonError::into_inner);
        shares.insert(self.number, figures);
    }

    /// All figures of the process as text, hers as they are now.
    pub fn text(&self, now: &CurrentFigures<'_>) -> String {
        self.record(now);
        self.metrics.text()
    }
}

impl Drop for FigureShare {
    fn drop(&mut self) {
        let mut shares = self.metrics.shares.lock().unwrap_or_else(PoisonError::into_inner);
        shares.remove(&self.number);
    }
}

/// Upper bounds in seconds: the deadlines of the states are among them (80 ms, 1 s, 5 s, 8 s, 60 s).
const BOUNDS: [f64; 14] = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.08, 0.25, 0.5, 1.0, 2.5, 5.0, 8.0, 30.0, 60.0,
];

fn state_histogram() -> Histogram {
    Histogram::new(BOUNDS)
}

impl ServiceMetrics {
    fn new() -> Self {
        let states = Family::new_with_constructor(state_histogram as fn() -> Histogram);
        let mut metrics = Self {
            registry: DescribedRegistry {
                registry: Registry::with_prefix(PREFIX),
                described: Vec::new(),
            },
            ticks: Family::default(),
            states,
            rationales: Family::default(),
            refused: Family::default(),
            not_taken: Family::default(),
            restarts: Family::default(),
            outbound: Family::default(),
            model_answers: Family::default(),
            model_tokens: Family::default(),
            model_seconds: Histogram::new(BOUNDS),
            read: ScrapedMetrics::default(),
            shares: Mutex::default(),
            last_share: AtomicU64::new(0),
        };
        metrics.register();
        metrics
    }

    fn register(&mut self) {
        let (to, read) = (&mut self.registry, &self.read);
        let version = [("version", env!("CARGO_PKG_VERSION"))];
        to.register("build", "The version that runs", Info::new(version));
        to.register(
            "ticks",
            "Ticks that ended, by outcome and reason",
            self.ticks.clone(),
        );
        to.register(
            "state_seconds",
            "Time spent in each state of a tick",
            self.states.clone(),
        );
        to.register(
            "rationales",
            "Sentences on traces, by where they came from",
            self.rationales.clone(),
        );
        to.register(
            "refused",
            "What the gate refused, by kind and code",
            self.refused.clone(),
        );
        to.register(
            "not_taken",
            "Messages that an actor's full mailbox did not take",
            self.not_taken.clone(),
        );
        to.register("restarts", "Parts that were started again", self.restarts.clone());
        to.register(
            "outbound",
            "What went to surfaces that are no pages and came back, by way and result",
            self.outbound.clone(),
        );
        to.register(
            "model_answers",
            "Questions to the language model, by what came of them",
            self.model_answers.clone(),
        );
        to.register(
            "model_tokens",
            "Tokens of the language model: of prompts, of those that were kept from before, of answers",
            self.model_tokens.clone(),
        );
        to.register(
            "model_seconds",
            "Time from a question to the language model until its answer",
            self.model_seconds.clone(),
        );
        to.register(
            "model_up",
            "1 while the language model answers",
            read.model_up.clone(),
        );
        to.register(
            "ignored_events",
            "Events that came too late to mean anything",
            read.ignored.clone(),
        );
        to.register(
            "raw_traces",
            "Traces kept as files because the store was slow",
            read.raw_traces.clone(),
        );
        to.register(
            "failed_commits",
            "Commits that the disk did not take",
            read.failed_commits.clone(),
        );
        to.register(
            "clock_jumps",
            "Times the wall clock was set",
            read.clock_jumps.clone(),
        );
        to.register(
            "dropped_triggers",
            "Triggers dropped because too many waited",
            read.dropped_triggers.clone(),
        );
        to.register(
            "skipped_items",
            "Items that an agent could not read",
            read.skipped.clone(),
        );
        to.register(
            "quarantine_lost",
            "Refused things that could not be kept, by why",
            read.quarantine_lost.clone(),
        );
        to.register(
            "waiting_triggers",
            "Triggers that wait for their tick",
            read.waiting_triggers.clone(),
        );
        to.register(
            "in_flight",
            "Messages on their way between parts",
            read.in_flight.clone(),
        );
        to.register(
            "waiting",
            "Messages to an actor that wait in its mailbox or are being handled",
            read.waiting.clone(),
        );
        to.register(
            "journal_up",
            "1 while the journal can be written",
            read.journal_up.clone(),
        );
        to.register("agent_up", "1 while an agent answers", read.agents_up.clone());
        to.register(
            "ledger_tokens",
            "Interruptions of the day, by how they stand",
            read.tokens.clone(),
        );
        to.register(
            "ledger_ceiling",
            "Interruptions that a day has",
            read.ceiling.clone(),
        );
        to.register(
            "connected_surfaces",
            "Surfaces with an open page",
            read.surfaces.clone(),
        );
        to.register(
            "sandbox_whole",
            "1 when all of the agents' sandbox is enforced",
            read.sandbox_whole.clone(),
        );
        to.register(
            "landlock_abi",
            "The version of Landlock on the agents; 0: none",
            read.landlock_abi.clone(),
        );
    }

    /// Each figure, in the order in which `/metrics` has them.
    pub fn descriptions(&self) -> &[DescribedMetric] {
        &self.registry.described
    }

    /// A tick ended with this trace.
    pub fn tick(&self, trace: &Trace) {
        let reason = trace.reason_code.map_or("none", |reason| reason.as_str());
        let outcome: Outcome = trace.outcome;
        self.ticks
            .get_or_create(&[("outcome", outcome.as_str()), ("reason", reason)])
            .inc();
        for visit in &trace.state_path {
            let seconds = visit.ms.max(0) as f64 / 1000.0;
            self.states
                .get_or_create(&[("state", visit.state.as_str())])
                .observe(seconds);
        }
        let source = match (trace.rationale_source, &trace.rationale_rejected) {
            (RationaleSource::Model, _) => "model",
            (RationaleSource::Template, None) => "template",
            (RationaleSource::Template, Some(_)) => "fallback",
        };
        self.rationales.get_or_create(&[("source", source)]).inc();
    }

    /// The gate refused something.
    pub fn refused(&self, kind: &'static str, code: Code) {
        self.refused
            .get_or_create(&[("kind", kind), ("code", code.as_str())])
            .inc();
    }

    /// An actor did not take a message.
    pub(crate) fn not_taken(&self, by: &'static str) {
        self.not_taken.get_or_create(&[("by", by)]).inc();
    }

    /// A surface that is no page did something, or could not.
    pub fn outbound(&self, way: &'static str, result: &'static str) {
        self.outbound
            .get_or_create(&[("way", way), ("result", result)])
            .inc();
    }

    /// The same of several things at once.
    pub fn outbound_many(&self, way: &'static str, result: &'static str, count: u64) {
        self.outbound
            .get_or_create(&[("way", way), ("result", result)])
            .inc_by(count);
    }

    /// A part was started again.
    pub fn restarted(&self, part: &'static str) {
        self.restarts.get_or_create(&[("part", part)]).inc();
    }

    /// A question to the model came to an answer that is used, or to none.
    pub fn model_said(&self, fault: Option<ModelFault>) {
        let result = fault.map_or("used", ModelFault::as_str);
        self.model_answers.get_or_create(&[("result", result)]).inc();
    }

    /// What an answer of the model's process cost.
    pub fn model_worked(&self, used: ModelUse) {
        for (of, tokens) in [
            ("prompt", used.prompt_tokens),
            ("reused", used.reused_tokens),
            ("output", used.output_tokens),
        ] {
            self.model_tokens
                .get_or_create(&[("tokens", of)])
                .inc_by(u64::from(tokens));
        }
        self.model_seconds.observe(f64::from(used.total_ms) / 1000.0);
    }

    /// An owner's service begins: what is read of it is added to what is read of the others.
    pub fn share(&'static self) -> FigureShare {
        let number = self.last_share.fetch_add(1, Ordering::Relaxed);
        FigureShare {
            metrics: self,
            number,
        }
    }

    /// Everything as text. What is kept elsewhere is as each owner's service was read last: counts are sums over the owners, and a part is up
    /// when it is up for each of them.
    fn text(&self) -> String {
        let shares = self.shares.lock().unwrap_or_else(PoisonError::into_inner);
        let read = &self.read;
        let sum = |of: &dyn Fn(&OwnerFigures) -> u64| shares.values().map(of).fold(0, u64::saturating_add);
        let all = |of: &dyn Fn(&OwnerFigures) -> bool| i64::from(shares.values().all(of));
        let gauge = |gauge: &GaugeMetric, value: u64| {
            gauge.set(i64::try_from(value).unwrap_or(i64::MAX));
        };
        read.model_up.set(all(&|one| one.model_up));
        set(&read.ignored, sum(&|one| one.health.ignored));
        set(&read.raw_traces, sum(&|one| one.health.raw_traces));
        set(&read.failed_commits, sum(&|one| one.health.failed_commits));
        set(&read.clock_jumps, sum(&|one| one.health.clock_jumps));
        set(&read.dropped_triggers, sum(&|one| one.dropped_triggers));
        for agent in AgentName::FOUR {
            let label = [("agent", agent.as_str())];
            let skipped =
                |one: &OwnerFigures| one.health.skipped.get(&agent).map_or(0, |skipped| skipped.count);
            set(&read.skipped.get_or_create(&label), sum(&skipped));
            let is_up = |one: &OwnerFigures| !one.health.down.get(&agent).copied().unwrap_or(false);
            read.agents_up.get_or_create(&label).set(all(&is_up));
        }
        for (why, value) in [
            ("too_many_waited", sum(&|one| one.quarantine.overflowed)),
            ("not_written", sum(&|one| one.quarantine.failed)),
        ] {
            set(&read.quarantine_lost.get_or_create(&[("why", why)]), value);
        }
        for (how, tokens) in [
            ("free", sum(&|one| one.ledger.free.into())),
            ("reserved", sum(&|one| one.ledger.reserved.into())),
            ("settled", sum(&|one| one.ledger.settled.into())),
            ("refunded", sum(&|one| one.ledger.refunded.into())),
        ] {
            gauge(&read.tokens.get_or_create(&[("tokens", how)]), tokens);
        }
        gauge(&read.ceiling, sum(&|one| one.ledger.ceiling.into()));
        gauge(&read.waiting_triggers, sum(&|one| one.waiting_triggers as u64));
        gauge(&read.in_flight, sum(&|one| one.in_flight as u64));
        gauge(&read.surfaces, sum(&|one| one.surfaces as u64));
        let roles: BTreeSet<SupervisedRole> = shares
            .values()
            .flat_map(|one| one.waiting.keys().copied())
            .collect();
        for role in roles {
            let waiting = sum(&|one| one.waiting.get(&role).map_or(0, |waiting| *waiting as u64));
            let label = [("actor", role.restart_policy().name)];
            gauge(&read.waiting.get_or_create(&label), waiting);
        }
        read.journal_up.set(all(&|one| !one.health.journal_down));
        read.sandbox_whole.set(all(&|one| one.sandbox_whole));
        let abi = shares.values().map(|one| one.landlock_abi).min();
        read.landlock_abi.set(i64::from(abi.unwrap_or_default()));
        let mut text = String::new();
        // Writing into a text cannot fail.
        let _ = encode(&mut text, &self.registry.registry);
        text
    }
}

fn set(count: &CountMetric, value: u64) {
    count.inner().store(value, Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_operators_table_has_every_figure_and_no_other() {
        let metrics = ServiceMetrics::new();
        // One with a label is written only when it has counted something.
        let (answers, tokens) = (&metrics.model_answers, &metrics.model_tokens);
        for family in [
            &metrics.rationales,
            &metrics.not_taken,
            &metrics.restarts,
            answers,
            tokens,
        ] {
            family.get_or_create(&[("a", "b")]).inc();
        }
        for family in [&metrics.ticks, &metrics.refused, &metrics.outbound] {
            family.get_or_create(&[("a", "b"), ("c", "d")]).inc();
        }
        metrics.states.get_or_create(&[("a", "b")]).observe(1.0);
        let read = &metrics.read;
        for family in [&read.skipped, &read.quarantine_lost] {
            family.get_or_create(&[("a", "b")]).inc();
        }
        for family in [&read.agents_up, &read.tokens, &read.waiting] {
            family.get_or_create(&[("a", "b")]).set(1);
        }
        let mut text = String::new();
        encode(&mut text, &metrics.registry.registry).unwrap();
        let types = text
            .lines()
            .filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next());
        let figures: BTreeSet<&str> = types.collect();
        let manual = include_str!("../../../docs/operating.md");
        let rows = manual
            .lines()
            .filter_map(|line| line.strip_prefix("| `aura_")?.split_once('`'));
        let table: BTreeSet<String> = rows.map(|(name, _)| format!("aura_{name}")).collect();
        assert_eq!(figures, table.iter().map(String::as_str).collect());
        assert_eq!(figures.len(), 29);
        let alerts = include_str!("../../../docs/alerts.yml");
        let named: BTreeSet<&str> = alerts
            .split(|c: char| !c.is_ascii_lowercase() && c != '_')
            .filter(|word| word.starts_with("aura_"))
            .map(|word| word.trim_end_matches("_total"))
            .collect();
        assert!(named.len() > 5 && named.is_subset(&figures), "{named:?}");
        let described: BTreeSet<&str> = metrics
            .descriptions()
            .iter()
            .map(|one| one.name.as_str())
            .collect();
        assert_eq!(described, figures);
    }
}
