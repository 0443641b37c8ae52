//! What asking a program costs.
//!
//! What: a trivial agent asked many times, started for each asking beside the bare program, and as one that goes on; a whole step of a
//! run with it, journal and all; and a thousand askings of it at once, each with a word of its own. Why: what Aura adds to a step must not be what a workflow waits for.
//! Not here: what agents do with their time.

use super::BenchError;
use aura_memory::{Store, StoreOptions, Vault};
use aura_platform::clock::Clock;
use aura_process::WorkerProgram;
use aura_workflow::{
    ProjectFolder, RunJournal, RunOptions, RunOutcome, StopRequest, WorkflowError,
    execution::RunExecution,
    programs::{ProgramAgent, ProgramHost},
};
use orchestrator_machine::workflow::{
    event::{RunEventKind, RunStart},
    run::RunEnd,
};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::{
    env,
    fmt::Write as _,
    fs,
    io::{self, Write as _},
    path::Path,
    process::{Command, Stdio},
    sync::{Arc, Barrier},
    thread,
    time::{Duration, Instant},
};
use toolcall_schema::rejection::RefusalReason;

/// The answer of the program in shell.
const ANSWER: &str = r#"{"success":true,"summary":"w","artifacts":[],"recommendation":"proceed"}"#;

/// Askings at once.
pub(crate) const AT_ONCE: usize = 1000;

/// Wall time of one sort of asking, in microseconds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct AskFigures {
    /// What was asked.
    pub what: &'static str,
    /// How many times.
    pub count: usize,
    /// Half of them took at most so long.
    pub p50_us: f64,
    /// 99 of 100 took at most so long.
    pub p99_us: f64,
    /// The shortest and the longest.
    pub min_max_us: (f64, f64),
}

/// Many askings of one program at once.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct AtOnce {
    /// How many were asked.
    pub asked: usize,
    /// How many got the answer with their own word.
    pub answered: usize,
    /// Seconds from the first asking to the last answer.
    pub seconds: f64,
}

/// All of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct WorkflowFigures {
    /// The bare program, the same in its sandbox, the one that goes on, a step of a run with that.
    pub asked: Vec<AskFigures>,
    /// A thousand at once.
    pub at_once: AtOnce,
}

fn summarise(what: &'static str, mut times: Vec<Duration>) -> AskFigures {
    times.sort_unstable();
    let us = |time: Option<&Duration>| time.map_or(0.0, |time| time.as_secs_f64() * 1e6);
    let at = |percent: usize| us(times.get(times.len().saturating_sub(1) * percent / 100));
    AskFigures {
        what,
        count: times.len(),
        p50_us: at(50),
        p99_us: at(99),
        min_max_us: (us(times.first()), us(times.last())),
    }
}

fn input(word: &str) -> Value {
    json!({
        "context": { "feature_id": "one", "workflow": "bench", "iteration": 1 },
        "paths": { "feature_root": "specs/one" },
        "task": { "action": "answer", "params": { "word": word } },
    })
}

/// A project in `dir` with the two trivial agents.
fn project(dir: &Path) -> io::Result<()> {
    for folder in ["agents.d", "specs/one", "programs"] {
        fs::create_dir_all(dir.join(folder))?;
    }
    fs::write(
        dir.join("programs/answer.sh"),
        format!("cat >/dev/null; echo '{ANSWER}'"),
    )?;
    let aura = env::current_exe()?;
    for (name, mode, command) in [
        ("once", "once", json!(["sh", "../programs/answer.sh"])),
        ("lines", "lines", json!([aura, "worker", "answer"])),
    ] {
        let text = format!(
            "name = \"{name}\"\nprotocol = \"envelope\"\nmode = \"{mode}\"\nskills = [\"agent-protocol\"]\n\
             command = {command}\nactions = [\"answer\"]\nroots = [\"../specs\"]\n"
        );
        fs::write(dir.join(format!("agents.d/{name}.toml")), text)?;
    }
    Ok(())
}

/// Steps of a run, the most that a workflow may have.
const STEPS: usize = 100;

/// Wall time of each step of a run with the agent that goes on: asked, journalled twice on disk, decided.
fn steps(dir: &Path, runs: usize) -> Result<Vec<Duration>, BenchError> {
    let mut text = String::from("name = \"bench\"\nfeature_root = \"specs/{feature}\"\n");
    for n in 0..STEPS {
        let step = format!(
            "[[step]]\nname = \"s{n}\"\nagent = \"lines\"\naction = \"answer\"\nparams = {{ word = \"w\" }}\n"
        );
        // Writing to a text cannot fail.
        let _ = text.write_str(&step);
    }
    let path = dir.join("bench.toml");
    let prepare = |source| BenchError::Service {
        what: "cannot be given a workflow",
        source,
    };
    fs::write(&path, text).map_err(prepare)?;
    let project = ProjectFolder::open(dir)?;
    let vault = Vault::ephemeral(&dir.join("data"))?;
    let (store, _) = Store::open(&vault, StoreOptions::default())?;
    let store = Arc::new(store);
    let read = project.read(&path, &project.agents()?)?;
    let parsed = read.map_err(|_| prepare(io::Error::other("the workflow has findings")))?;
    let mut times = vec![];
    for _ in 0..runs {
        let started = RunStart {
            run: uuid::Uuid::new_v4().to_string(),
            project: project.folder().display().to_string(),
            definition: parsed.definition.clone(),
            feature: Some("one".to_owned()),
            query: "bench".to_owned(),
            shared: Map::new(),
        };
        let id = started.run.clone();
        RunJournal::begin(&store, started, Clock::real(None).wall())?;
        let mut ends = vec![];
        let came = RunExecution::take(&store, &id, None)?.run_until_blocked(
            RunOptions::default(),
            &StopRequest::default(),
            &mut |line| {
                if matches!(line.what, RunEventKind::Ended { .. }) {
                    ends.push(Instant::now());
                }
                Ok::<(), WorkflowError>(())
            },
        )?;
        if came != RunOutcome::Over(RunEnd::Completed) || ends.len() != STEPS {
            return Err(BenchError::NoAnswer);
        }
        // The first step starts the program.
        times.extend(
            ends.iter()
                .zip(ends.iter().skip(1))
                .map(|(one, next)| *next - *one),
        );
    }
    Ok(times)
}

/// The program alone: no sandbox, no limits, no checks.
fn bare(dir: &Path, document: &str) -> io::Result<()> {
    let mut child = Command::new("sh")
        .arg(dir.join("programs/answer.sh"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(document.as_bytes())?;
    }
    child.wait_with_output().map(drop)
}

/// `aura bench workflow`: in the empty folder `dir`; `count` askings of the program that is started for each.
///
/// # Errors
/// An agent that gave no answer.
pub(crate) fn workflow(dir: &Path, count: usize) -> Result<WorkflowFigures, BenchError> {
    let prepare = |source| BenchError::Service {
        what: "cannot be given a project",
        source,
    };
    project(dir).map_err(prepare)?;
    let load = |name: &str| {
        let agent = ProgramAgent::load(&dir.join(format!("agents.d/{name}.toml")));
        agent.map_err(|error| prepare(io::Error::other(error)))
    };
    let (once, lines) = (load("once")?, load("lines")?);
    let host = ProgramHost::new(
        WorkerProgram::default(),
        dir.to_owned(),
        dir.join("scratch"),
        None,
    );
    let limit = Duration::from_mins(1);
    let ask = |agent: &ProgramAgent, word: &str| -> Result<(Duration, bool), RefusalReason> {
        let input = input(word);
        let begun = Instant::now();
        let answered = host.envelope(agent, &input, limit)?;
        let own = answered.message.view().summary == word;
        Ok((begun.elapsed(), own))
    };

    let (mut alone, mut started, mut kept) = (vec![], vec![], vec![]);
    for round in 0..count + 10 {
        let begun = Instant::now();
        bare(dir, &input("w").to_string()).map_err(prepare)?;
        let bare = begun.elapsed();
        let (asked, _) = ask(&once, "w")?;
        // The first ones warm the caches up.
        if round >= 10 {
            alone.push(bare);
            started.push(asked);
        }
    }
    for round in 0..count * 10 + 10 {
        let (asked, _) = ask(&lines, "w")?;
        if round >= 10 {
            kept.push(asked);
        }
    }

    let stepped = steps(dir, count.div_ceil(STEPS))?;

    let together = Barrier::new(AT_ONCE + 1);
    let at_once = thread::scope(|scope| -> Result<AtOnce, BenchError> {
        let mut threads = vec![];
        for n in 0..AT_ONCE {
            let (together, ask, lines) = (&together, &ask, &lines);
            let asking = move || {
                together.wait();
                ask(lines, &format!("word {n}")).is_ok_and(|(_, own)| own)
            };
            let thread = thread::Builder::new().stack_size(256 << 10);
            threads.push(thread.spawn_scoped(scope, asking).map_err(prepare)?);
        }
        together.wait();
        let begun = Instant::now();
        let answers = threads.into_iter().map(|thread| thread.join().unwrap_or(false));
        let answered = answers.filter(|own| *own).count();
        Ok(AtOnce {
            asked: AT_ONCE,
            answered,
            seconds: begun.elapsed().as_secs_f64(),
        })
    })?;
    Ok(WorkflowFigures {
        asked: vec![
            summarise("sh alone: started, read, ended", alone),
            summarise("the same as an agent, mode once", started),
            summarise("an agent that goes on, mode lines", kept),
            summarise("a step of a run with it, journal on disk", stepped),
        ],
        at_once,
    })
}
