//! Figures of a model: how fast it answers, and how often its answer is used.
//!
//! What: harvests the questions of recorded days, asks a model's process all of them, with and without the kept prefix, kills it and
//! waits for the next answer. Why: whether a model fits this machine can be measured and not guessed. Not here: the process
//! (`process`), what is asked (`llm_runtime`), goals (`docs/performance.md`).

use super::BenchError;
use aura_days::day::DayScript;
use aura_process::{
    llm::{ModelLaunch, ModelProcess},
    model_supervisor::{self, ModelClient, ModelState, ModelStatus},
};
use llm_runtime::{
    LanguageModel, ModelQuestion, PendingAnswer,
    manifest::{ModelManifest, Template, Tier},
    prompt,
    wire::{FromModel, PromptPiece, RefusalCode, ToModel},
};
use orchestrator_machine::supervision::SupervisedRole;
use rustix::process::{Pid, Signal, kill_process};
use serde::Serialize;
use std::{
    collections::BTreeMap,
    fs,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};
use toolcall_schema::ModelFault;

/// How long loading and each answer are waited for: a large model on a small machine takes its time.
const WAIT: Duration = Duration::from_mins(5);

/// Sorted times in milliseconds, summed up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub(crate) struct LatencySummary {
    /// How many.
    pub count: usize,
    /// Half took no longer.
    pub p50_ms: f64,
    /// 95 of a hundred took no longer.
    pub p95_ms: f64,
    /// The longest.
    pub max_ms: f64,
}

impl LatencySummary {
    fn from_times(mut ms: Vec<f64>) -> Self {
        ms.sort_by(f64::total_cmp);
        let count = ms.len();
        // The nearest rank: the first that a share of all do not exceed.
        let at = |percent: usize| {
            let rank = (count * percent).div_ceil(100);
            ms.get(rank.saturating_sub(1)).copied().unwrap_or(0.0)
        };
        Self {
            count,
            p50_ms: at(50),
            p95_ms: at(95),
            max_ms: at(100),
        }
    }
}

/// What a model showed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct ModelFigures {
    pub name: String,
    /// What it may be asked.
    pub tier: Tier,
    /// Milliseconds of loading.
    pub load_ms: u32,
    /// Tokens of the prefix.
    pub prefix_tokens: u32,
    /// Milliseconds to evaluate it.
    pub prefix_ms: u32,
    /// Milliseconds to read it from the disk at the next start.
    pub prefix_restored_ms: Option<u32>,
    /// Different questions of the recorded days.
    pub questions: usize,
    /// From a question to its first token, the prefix kept.
    pub first_token: LatencySummary,
    /// The same without a kept prefix.
    pub first_token_without_prefix: LatencySummary,
    /// From a question to its answer, as the client sees it.
    pub answer: LatencySummary,
    /// CPU time of the process for an answer: what it takes on a machine that does nothing else. Empty where the kernel does not
    /// tell it.
    pub answer_cpu: LatencySummary,
    /// Tokens of prompts evaluated a second.
    pub prompt_tokens_per_s: f64,
    /// Tokens written a second, in free text.
    pub output_tokens_per_s: f64,
    /// The longest prompt, in tokens.
    pub longest_prompt: u32,
    /// Prompts with more tokens than estimated. Must be 0.
    pub underestimated: usize,
    /// Answers that would be used.
    pub accepted: usize,
    /// Those that would not, by why.
    pub rejected: BTreeMap<&'static str, usize>,
    /// From the kill of the process to its next answer.
    pub killed_to_answer: LatencySummary,
}

/// What is measured.
pub(crate) struct ModelBench {
    /// The model.
    pub manifest: ModelManifest,
    /// How it is started.
    pub launch: ModelLaunch,
    /// Recorded days.
    pub days: Vec<PathBuf>,
    /// How often each question is asked.
    pub rounds: usize,
    /// How often the process is killed.
    pub kills: usize,
    /// A folder for what the days write.
    pub scratch: PathBuf,
    /// For the kept process: the data folder whose choice is this model.
    pub data: PathBuf,
}

/// Measures a model.
///
/// # Errors
/// A day that cannot be played, a process that does not answer.
pub(crate) fn measure(subject: &ModelBench) -> Result<ModelFigures, BenchError> {
    let questions = harvest(subject)?;
    let mut figures = asked(subject, &questions)?;
    figures.killed_to_answer = actix::System::new().block_on(killed(subject, &questions))?;
    Ok(figures)
}

/// A model that only listens.
struct ListeningModel {
    tier: Tier,
    heard: Arc<Mutex<Vec<ModelQuestion>>>,
}

impl LanguageModel for ListeningModel {
    fn tier(&self) -> Option<Tier> {
        Some(self.tier)
    }

    fn ask(&mut self, _tick: u64, question: &ModelQuestion) -> PendingAnswer {
        let mut heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        if !heard.contains(question) {
            heard.push(question.clone());
        }
        PendingAnswer::absent()
    }
}

/// Every different question of the recorded days; for a model that may write also under a policy that knows no combination.
fn harvest(subject: &ModelBench) -> Result<Vec<ModelQuestion>, BenchError> {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let tier = subject.manifest.tier;
    let model = || -> Box<dyn LanguageModel> {
        let heard = Arc::clone(&heard);
        Box::new(ListeningModel { tier, heard })
    };
    for (number, path) in subject.days.iter().enumerate() {
        let mut script = DayScript::read(path)?;
        script.set_model(true);
        script.play_with(&subject.scratch.join(number.to_string()), &model)?;
        if tier == Tier::Write {
            script.forget_rules()?;
            script.play_with(&subject.scratch.join(format!("{number}-novel")), &model)?;
        }
    }
    let heard = heard.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(heard.clone())
}

/// A conversation that counts its frames.
struct BenchConversation {
    process: ModelProcess,
    n: u64,
    load_ms: u32,
}

/// An answer with its times.
struct TimedAnswer {
    text: Result<String, RefusalCode>,
    prompt_tokens: u32,
    reused_tokens: u32,
    output_tokens: u32,
    first_token_ms: u32,
    total_ms: u32,
    wall_ms: f64,
    cpu_ms: Option<f64>,
}

/// The CPU time of all threads of a process so far, in milliseconds.
fn cpu_ms(pid: u32) -> Option<f64> {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).ok()?;
    let ns = tasks.flatten().map(|task| {
        let text = fs::read_to_string(task.path().join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse::<f64>().ok()
    });
    Some(ns.sum::<Option<f64>>()? / 1e6)
}

impl BenchConversation {
    fn start(launch: &ModelLaunch) -> Result<Self, BenchError> {
        let mut process = ModelProcess::start(launch)?;
        match process.next(WAIT)? {
            FromModel::Ready { load_ms, .. } => Ok(Self {
                process,
                n: 0,
                load_ms,
            }),
            FromModel::Prefixed { .. }
            | FromModel::Answer { .. }
            | FromModel::Refused { .. }
            | FromModel::Pong { .. } => Err(BenchError::ModelSilent),
        }
    }

    fn number(&mut self) -> u64 {
        self.n += 1;
        self.n
    }

    fn prefix(&mut self, template: Template, tier: Tier) -> Result<(u32, bool, u32), BenchError> {
        let n = self.number();
        let pieces = prompt::prefix(template, tier);
        self.process.send(&ToModel::Prefix { n, pieces })?;
        match self.process.next(WAIT)? {
            FromModel::Prefixed {
                tokens, restored, ms, ..
            } => Ok((tokens, restored, ms)),
            FromModel::Ready { .. }
            | FromModel::Answer { .. }
            | FromModel::Refused { .. }
            | FromModel::Pong { .. } => Err(BenchError::ModelSilent),
        }
    }

    fn ask(
        &mut self,
        pieces: Vec<PromptPiece>,
        grammar: Option<String>,
        max_tokens: u16,
    ) -> Result<TimedAnswer, BenchError> {
        let n = self.number();
        let before = cpu_ms(self.process.pid());
        let begun = Instant::now();
        self.process.send(&ToModel::Ask {
            n,
            pieces,
            grammar,
            max_tokens,
            budget_ms: u32::try_from(WAIT.as_millis()).unwrap_or(u32::MAX),
        })?;
        let frame = self.process.next(WAIT)?;
        let wall_ms = begun.elapsed().as_secs_f64() * 1000.0;
        let cpu_ms = before.and_then(|before| Some(cpu_ms(self.process.pid())? - before));
        match frame {
            FromModel::Answer {
                text,
                prompt_tokens,
                reused_tokens,
                output_tokens,
                first_token_ms,
                total_ms,
                ..
            } => Ok(TimedAnswer {
                text: Ok(text),
                prompt_tokens,
                reused_tokens,
                output_tokens,
                first_token_ms,
                total_ms,
                wall_ms,
                cpu_ms,
            }),
            FromModel::Refused { code, .. } => Ok(TimedAnswer {
                text: Err(code),
                prompt_tokens: 0,
                reused_tokens: 0,
                output_tokens: 0,
                first_token_ms: 0,
                total_ms: 0,
                wall_ms,
                cpu_ms,
            }),
            FromModel::Ready { .. } | FromModel::Prefixed { .. } | FromModel::Pong { .. } => {
                Err(BenchError::ModelSilent)
            }
        }
    }
}

fn asked(subject: &ModelBench, questions: &[ModelQuestion]) -> Result<ModelFigures, BenchError> {
    let (template, tier) = (subject.manifest.template, subject.manifest.tier);
    // Nothing is kept on the disk yet: the first process evaluates everything.
    let mut cold = BenchConversation::start(&ModelLaunch {
        state: None,
        ..subject.launch.clone()
    })?;
    let mut without = Vec::new();
    for question in questions {
        let whole = [
            prompt::prefix(template, tier),
            prompt::suffix(template, tier, question),
        ]
        .concat();
        let answered = cold.ask(whole, Some(question.grammar()), question.max_tokens())?;
        without.push(f64::from(answered.first_token_ms));
    }
    let (prefix_tokens, _, prefix_ms) = cold.prefix(template, tier)?;
    let prefix_estimate: usize = prompt::prefix(template, tier)
        .iter()
        .map(|piece| {
            if piece.special {
                1
            } else {
                prompt::tokens_at_most(&piece.text)
            }
        })
        .sum();
    let (mut first, mut all, mut cpu) = (Vec::new(), Vec::new(), Vec::new());
    let (mut evaluated, mut evaluated_ms) = (0_u32, 0_u32);
    let (mut longest, mut underestimated, mut accepted) = (0, 0, 0);
    let mut rejected: BTreeMap<&'static str, usize> = BTreeMap::new();
    for round in 0..subject.rounds {
        for question in questions {
            let rest = prompt::suffix(template, tier, question);
            let answered = cold.ask(rest, Some(question.grammar()), question.max_tokens())?;
            first.push(f64::from(answered.first_token_ms));
            all.push(answered.wall_ms);
            cpu.extend(answered.cpu_ms);
            evaluated += answered.prompt_tokens - answered.reused_tokens.min(answered.prompt_tokens);
            evaluated_ms += answered.first_token_ms;
            longest = longest.max(answered.prompt_tokens);
            // Marks after the task are at most eight tokens.
            let estimate = prefix_estimate + prompt::tokens_at_most(&question.task()) + 8;
            underestimated += usize::from(round == 0 && answered.prompt_tokens as usize > estimate);
            if round == 0 {
                let text = answered.text.map_err(|_| ModelFault::Failed);
                match text.and_then(|text| question.parse_answer(&text)) {
                    Ok(_) => accepted += 1,
                    Err(fault) => *rejected.entry(fault.as_str()).or_default() += 1,
                }
            }
        }
    }
    // What it says there is of no use; the marks after it are those of any question.
    let mut free = prompt::suffix(template, tier, &ModelQuestion::choose(&[]));
    if let Some(task) = free.first_mut() {
        "Tell a long story about a quiet morning in a small town.".clone_into(&mut task.text);
    }
    let written = cold.ask(free, None, 60)?;
    let writing_ms = written.total_ms.saturating_sub(written.first_token_ms).max(1);
    let load_ms = cold.load_ms;
    drop(cold);
    // One process leaves its prefix on the disk, the next one finds it there.
    let mut restored_ms = None;
    for _ in 0..2 {
        let (_, restored, ms) = BenchConversation::start(&subject.launch)?.prefix(template, tier)?;
        restored_ms = restored.then_some(ms);
    }
    Ok(ModelFigures {
        name: subject.manifest.name.clone(),
        tier: subject.manifest.tier,
        load_ms,
        prefix_tokens,
        prefix_ms,
        prefix_restored_ms: restored_ms,
        questions: questions.len(),
        first_token: LatencySummary::from_times(first),
        first_token_without_prefix: LatencySummary::from_times(without),
        answer: LatencySummary::from_times(all),
        answer_cpu: LatencySummary::from_times(cpu),
        prompt_tokens_per_s: f64::from(evaluated) * 1000.0 / f64::from(evaluated_ms.max(1)),
        output_tokens_per_s: f64::from(written.output_tokens.saturating_sub(1)) * 1000.0
            / f64::from(writing_ms),
        longest_prompt: longest,
        underestimated,
        accepted,
        rejected,
        killed_to_answer: LatencySummary::default(),
    })
}

/// The kept process is killed, and a question is asked at once.
async fn killed(subject: &ModelBench, questions: &[ModelQuestion]) -> Result<LatencySummary, BenchError> {
    let mut times = Vec::new();
    let mut questions = questions.iter().cycle();
    while times.len() < subject.kills {
        let status = ModelStatus::default();
        let setup = model_supervisor::ModelSetup {
            data: subject.data.clone(),
            worker: subject.launch.worker.clone(),
            program: subject.launch.program.clone(),
            only: Some(subject.manifest.name.clone()),
        };
        let (mut model, ended) = model_supervisor::start(setup, status.clone());
        // Past its restarts it would rest.
        for _ in 0..SupervisedRole::ModelProcess.restart_policy().restarts {
            let Some(question) = questions.next() else {
                return Ok(LatencySummary::default());
            };
            let pid = ready(&status).await?;
            let begun = Instant::now();
            // It was there just now.
            let _ = kill_process(pid, Signal::KILL);
            answered(&mut model, question, begun).await?;
            times.push(begun.elapsed().as_secs_f64() * 1000.0);
        }
        drop(model);
        let _ = ended.await;
    }
    Ok(LatencySummary::from_times(times))
}

/// Asks until there is an answer: a question that was asked before the death was noticed fails with it.
async fn answered(
    model: &mut ModelClient,
    question: &ModelQuestion,
    begun: Instant,
) -> Result<(), BenchError> {
    loop {
        let said = match model.ask(0, question) {
            PendingAnswer::Later(text) => text.await,
            PendingAnswer::After { text, .. } => text,
        };
        if said.is_ok() {
            return Ok(());
        }
        if begun.elapsed() > WAIT {
            return Err(BenchError::ModelSilent);
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

async fn ready(status: &ModelStatus) -> Result<Pid, BenchError> {
    let begun = Instant::now();
    loop {
        let report = status.report();
        let pid = report.pid.and_then(|pid| Pid::from_raw(i32::try_from(pid).ok()?));
        if let Some(pid) = pid.filter(|_| report.standing == ModelState::Ready) {
            return Ok(pid);
        }
        if begun.elapsed() > WAIT {
            return Err(BenchError::ModelSilent);
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_times_is_the_nearest_rank() {
        let times = LatencySummary::from_times((1..=20).rev().map(f64::from).collect());
        let expected = LatencySummary {
            count: 20,
            p50_ms: 10.0,
            p95_ms: 19.0,
            max_ms: 20.0,
        };
        assert_eq!(times, expected);
        assert_eq!(LatencySummary::from_times(vec![]), LatencySummary::default());
    }
}
