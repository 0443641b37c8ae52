//! Figures: one question to four actors at once, and an agent that is killed.
//!
//! What: bare actix, the same actors under supervision, the agents in this process and in processes of their own, in turn
//! in one run. Why: what supervision and processes cost is a ratio, and this machine's speed is not. Not here: what agents
//! do within a tick (`tick`).

use super::{BenchError, SEED, cpu_ns_of_process};
use actix::{Actor, Addr, Context, Handler, Message, Supervised};
use agents::{
    actor::AgentsPort,
    contract::AgentCall,
    host::{AgentHost, ServedCall},
    registry,
};
use aura_process::{AgentStatusRegistry, ForkServer};
use aura_runtime::{
    config::HomeConfig,
    fault_plan::{FaultPlan, NoFaults},
    wiring::{self, AgentHosting},
};
use orchestrator_machine::supervision::SupervisedRole;
use rustix::process::{Pid, Signal, kill_process};
use serde::Serialize;
use std::{
    fs,
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::time::timeout;
use toolcall_schema::{
    AgentName, Authority, Dispatch, Timestamp, ToolCall, ToolName, WellnessState,
    gate::{self, GateClock as Now},
    ids::{IdPurpose, OwnerSeed},
    tick::{TickArgs, Trigger, TriggerSource, UserState},
};

/// Questions between two readings of the clock.
const BATCH: usize = 100;
/// How long a question to four may take.
const DEADLINE: Duration = Duration::from_secs(2);
/// How often each agent's process is killed: below the limit past which it rests.
const KILLS: usize = 4;

/// How many questions to all four at once are answered in a second.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct FanOut {
    /// Who is asked.
    pub what: &'static str,
    /// How many questions.
    pub count: usize,
    /// The median over batches of 100.
    pub per_second: f64,
    /// The slowest and the fastest batch.
    pub slowest_fastest: (f64, f64),
    /// CPU time of one question to all four, in microseconds, this process and the agents' processes together: the median
    /// over batches of 100.
    pub cpu_us: f64,
}

/// What `aura bench actors` says.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct ActorFigures {
    /// In the order in which they took their turns.
    pub fan_out: Vec<FanOut>,
    /// Supervised echo over bare echo.
    pub supervised_to_bare: f64,
    /// The agents' actors over bare actors that do the same work.
    pub agents_to_bare: f64,
    /// From the kill of an agent's process to its next answer.
    pub killed: KillFigures,
}

/// From the kill of an agent's process to its next answer, in milliseconds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct KillFigures {
    /// How many kills.
    pub count: usize,
    /// The median.
    pub median_ms: f64,
    /// The shortest and the longest.
    pub min_max_ms: (f64, f64),
}

/// An actor that gives back what it is asked.
struct EchoActor;

/// Any number.
#[derive(Message)]
#[rtype(result = "u64")]
struct EchoRequest(u64);

impl Actor for EchoActor {
    type Context = Context<Self>;
}

impl Supervised for EchoActor {}

impl Handler<EchoRequest> for EchoActor {
    type Result = u64;

    fn handle(&mut self, EchoRequest(number): EchoRequest, _: &mut Context<Self>) -> u64 {
        number
    }
}

/// A bare actor around an agent's host.
struct BareActor(AgentHost);

/// Dispatched bytes, and when.
#[derive(Message)]
#[rtype(result = "Option<ServedCall>")]
struct DispatchedCall(Box<AgentCall>);

impl Actor for BareActor {
    type Context = Context<Self>;
}

impl Handler<DispatchedCall> for BareActor {
    type Result = Option<ServedCall>;

    fn handle(&mut self, DispatchedCall(call): DispatchedCall, _: &mut Context<Self>) -> Self::Result {
        self.0.call(&call.raw, call.dispatch.authority(), call.at)
    }
}

/// The same question to each of the four.
struct FanOutCalls {
    ingests: Vec<(Dispatch, Vec<u8>)>,
    ticks: Vec<(Dispatch, Vec<u8>)>,
}

fn ready((dispatch, bytes): &(Dispatch, Vec<u8>), wall: Timestamp) -> Box<AgentCall> {
    Box::new(AgentCall::new(dispatch.clone(), bytes.clone(), wall))
}

impl FanOutCalls {
    fn of_tick(home: &HomeConfig, wall: Timestamp) -> Result<Self, BenchError> {
        let tick = TickArgs {
            tick: 1,
            trigger: Trigger {
                source: TriggerSource::PhoneUnlock,
                subject: None,
                at: wall,
                valid_until: wall.plus_min(10),
            },
            user: UserState {
                load_score: None,
                state: WellnessState::Unknown,
                in_focus: false,
                in_meeting: false,
                dnd: false,
                active_channel: None,
                brief_due: true,
                zone: home.settings.zone.name().to_owned(),
            },
            rules: vec![],
        };
        let tick = serde_json::to_value(tick).unwrap_or_default();
        let ingest = serde_json::json!({ "cursor": 0, "signal_ids": [] });
        let ask = |tool: Option<ToolName>, args: &serde_json::Value| {
            let tool = tool.ok_or(BenchError::NoAnswer)?;
            let call = ToolCall {
                call_id: OwnerSeed::from_day_seed(SEED).call_id(IdPurpose::TickCall, 1, tool.as_str(), 0),
                agent: tool.agent(),
                tool: tool.tool().to_owned(),
                args: args.clone().into(),
                ts: wall,
                confirm_required: false,
                expected_surface: None,
                deadline_ms: Some(2000),
            };
            let bytes = call.to_bytes();
            let admitted = gate::admit(&bytes, Now::At(wall)).map_err(|_| BenchError::NoAnswer)?;
            let dispatch = Dispatch::new(admitted, Authority::Auto).map_err(|_| BenchError::NoAnswer)?;
            Ok((dispatch, bytes))
        };
        let four = AgentName::FOUR.into_iter();
        Ok(Self {
            ingests: four
                .clone()
                .map(|agent| ask(ToolName::ingest_of(agent), &ingest))
                .collect::<Result<_, BenchError>>()?,
            ticks: four
                .map(|agent| ask(ToolName::tick_of(agent), &tick))
                .collect::<Result<_, BenchError>>()?,
        })
    }
}

/// Four answers at once, or none in time.
async fn four<T>(asked: impl Iterator<Item = impl Future<Output = Option<T>>>) -> Result<(), BenchError> {
    let mut asked = asked;
    let (Some(a), Some(b), Some(c), Some(d)) = (asked.next(), asked.next(), asked.next(), asked.next())
    else {
        return Err(BenchError::NoAnswer);
    };
    match timeout(DEADLINE, async { tokio::join!(a, b, c, d) }).await {
        Ok((Some(_), Some(_), Some(_), Some(_))) => Ok(()),
        Ok(_) | Err(_) => Err(BenchError::NoAnswer),
    }
}

/// How many a second, and the CPU microseconds of one, over one batch. `registry`: the processes that work as well.
async fn batch(
    registry: &AgentStatusRegistry,
    ask: impl AsyncFn() -> Result<(), BenchError>,
) -> Result<(f64, f64), BenchError> {
    let (begun, cpu) = (Instant::now(), cpu_ns_with(registry));
    for _ in 0..BATCH {
        ask().await?;
    }
    let spent = (cpu_ns_with(registry) - cpu) as f64 / 1000.0;
    Ok((BATCH as f64 / begun.elapsed().as_secs_f64(), spent / BATCH as f64))
}

/// CPU time of this process and of those on the registry, in nanoseconds (Linux: `/proc/PID/schedstat`; elsewhere theirs is
/// missing).
fn cpu_ns_with(registry: &AgentStatusRegistry) -> i64 {
    let of = |pid: u32| -> Option<i64> {
        let text = fs::read_to_string(format!("/proc/{pid}/schedstat")).ok()?;
        text.split(' ').next()?.parse().ok()
    };
    let theirs = registry
        .reports()
        .into_values()
        .filter_map(|report| of(report.pid?));
    cpu_ns_of_process() + theirs.sum::<i64>()
}

/// Median, least and most.
fn spread(mut all: Vec<f64>) -> (f64, f64, f64) {
    all.sort_by(f64::total_cmp);
    let at = |index: usize| all.get(index).copied().unwrap_or(0.0);
    (at(all.len() / 2), at(0), at(all.len().saturating_sub(1)))
}

/// `aura bench actors`: `rounds` batches of 100 questions to each sort of four in turn, on the ingested household.
///
/// # Errors
/// [`BenchError`] when a process cannot be started or does not answer.
pub(crate) fn actors(home: &HomeConfig, wall: Timestamp, rounds: usize) -> Result<ActorFigures, BenchError> {
    actix::System::new().block_on(run(home, wall, rounds))
}

async fn run(home: &HomeConfig, wall: Timestamp, rounds: usize) -> Result<ActorFigures, BenchError> {
    let questions = FanOutCalls::of_tick(home, wall)?;
    let setup = home.setup(&OwnerSeed::from_day_seed(SEED));
    let bare: Vec<Addr<EchoActor>> = (0..4).map(|_| EchoActor.start()).collect();
    let supervised: Vec<Addr<EchoActor>> = (0..4)
        .map(|_| wiring::supervised(SupervisedRole::Surfaces, EchoActor))
        .collect();
    let hosts: Vec<Addr<BareActor>> = AgentName::FOUR
        .into_iter()
        .filter_map(|name| Some(BareActor(AgentHost::new(registry::build(name, setup.clone())?)).start()))
        .collect();
    let no_faults: Arc<dyn FaultPlan> = Arc::new(NoFaults);
    let inline = wiring::agents(AgentHosting::Inline, &setup, &no_faults)?;
    let processes = AgentHosting::Processes(ForkServer::of_service());
    let processes = wiring::agents(processes, &setup, &no_faults)?;

    let to_echo = async |actors: &[Addr<EchoActor>]| {
        four(
            actors
                .iter()
                .map(|actor| async { actor.send(EchoRequest(1)).await.ok() }),
        )
        .await
    };
    let to_bare = async |asks: &[(Dispatch, Vec<u8>)]| {
        let asked = hosts.iter().zip(asks);
        four(asked.map(|(host, ask)| async move {
            host.send(DispatchedCall(ready(ask, wall))).await.ok().flatten()
        }))
        .await
    };
    let to_port = async |port: &AgentsPort, asks: &[(Dispatch, Vec<u8>)]| {
        four(
            asks.iter()
                .map(|ask| async { port.ask(ready(ask, wall)).await.ok() }),
        )
        .await
    };
    // A first look at the household takes longer than any of what is measured.
    to_bare(&questions.ingests).await?;
    to_port(&inline.port, &questions.ingests).await?;
    to_port(&processes.port, &questions.ingests).await?;

    let mut rates: [Vec<(f64, f64)>; 5] = Default::default();
    let (ticks, nobody) = (&questions.ticks, AgentStatusRegistry::default());
    for round in 0..rounds + 2 {
        let one = [
            batch(&nobody, async || to_echo(&bare).await).await?,
            batch(&nobody, async || to_echo(&supervised).await).await?,
            batch(&nobody, async || to_bare(ticks).await).await?,
            batch(&nobody, async || to_port(&inline.port, ticks).await).await?,
            batch(&processes.registry, async || {
                to_port(&processes.port, ticks).await
            })
            .await?,
        ];
        // The first two warm the caches up.
        if round >= 2 {
            for (all, one) in rates.iter_mut().zip(one) {
                all.push(one);
            }
        }
    }
    let killed = killed(&processes.port, &processes.registry, ticks, wall).await?;
    let names = [
        "bare actix, echo",
        "supervised, echo",
        "bare actix, the agents' work",
        "agents in this process",
        "agents in four processes",
    ];
    let fan_out: Vec<FanOut> = names
        .into_iter()
        .zip(rates)
        .map(|(what, rates)| {
            let count = rates.len() * BATCH;
            let (rates, cpu): (Vec<f64>, Vec<f64>) = rates.into_iter().unzip();
            let (per_second, slowest, fastest) = spread(rates);
            let (cpu_us, ..) = spread(cpu);
            FanOut {
                what,
                count,
                per_second,
                slowest_fastest: (slowest, fastest),
                cpu_us,
            }
        })
        .collect();
    let rate = |index: usize| fan_out.get(index).map_or(0.0, |one| one.per_second);
    Ok(ActorFigures {
        supervised_to_bare: rate(1) / rate(0),
        agents_to_bare: rate(3) / rate(2),
        fan_out,
        killed,
    })
}

/// Kills each agent's process a few times and asks until it answers again.
async fn killed(
    port: &AgentsPort,
    registry: &AgentStatusRegistry,
    ticks: &[(Dispatch, Vec<u8>)],
    wall: Timestamp,
) -> Result<KillFigures, BenchError> {
    let mut all = Vec::new();
    for _ in 0..KILLS {
        for ask in ticks {
            let agent = ask.0.call().tool().name().agent();
            let pid = registry.reports().get(&agent).and_then(|report| report.pid);
            let pid = pid.and_then(|pid| Pid::from_raw(i32::try_from(pid).ok()?));
            let begun = Instant::now();
            kill_process(pid.ok_or(BenchError::NoAnswer)?, Signal::KILL).map_err(|_| BenchError::NoAnswer)?;
            let answered = async {
                // Who was asked while it died is told so at once.
                while port.ask(ready(ask, wall)).await.is_err() {
                    tokio::task::yield_now().await;
                }
            };
            timeout(DEADLINE, answered)
                .await
                .map_err(|_| BenchError::NoAnswer)?;
            all.push(begun.elapsed().as_secs_f64() * 1000.0);
        }
    }
    let count = all.len();
    let (median_ms, least, most) = spread(all);
    Ok(KillFigures {
        count,
        median_ms,
        min_max_ms: (least, most),
    })
}
