//! `aura agent ask|poll|stream|stop`: agents of the base protocol without a workflow.
//!
//! What: requests become a run of one step, or of one group; its response is printed, waited for, or followed. Why: what is asked of an
//! agent alone goes by the same rules as in a workflow, outlives a crash and can be looked at. Not here: what a response is made
//! of (`workflow::response`).

use super::{
    args::{DataDir, FormatArgs},
    error::CliError,
    exit::CommandExit,
    input::InputFile,
    out::CommandOutput,
    runs,
    workflow::{OneRunArgs, ProjectDir},
};
use aura_memory::Vault;
use aura_platform::clock::Clock;
use aura_workflow::{
    RunHistory, RunOutcome, WorkflowError, project,
    protocol::RunRequest,
    response::{response, status},
};
use clap::Args;
use orchestrator_machine::workflow::{
    TransitionTarget,
    definition::{StepTask, WorkflowDefinition, WorkflowStep},
    event::{RunEvent, RunEventKind, RunStart},
    run::WorkflowRun,
};
use serde_json::{Map, Value};
use std::{collections::BTreeMap, path::PathBuf};
use surfaces_base::language::{say, text};
use toolcall_schema::protocol::{
    self, BaseRequest, ExecutionMode, MAX_MESSAGE_BYTES, ProtocolMessage, Status,
};

/// The most requests at once.
const REQUESTS_MAX: usize = 64;

/// `aura agent ask`
#[derive(Debug, Clone, Args)]
pub(crate) struct AgentAskArgs {
    /// Requests of the base protocol, each a file, or - for the standard input; several say "parallel" each
    #[arg(required = true, value_name = "REQUEST.json")]
    requests: Vec<PathBuf>,
    /// Who is asked [default: the first by name that serves the task's type]
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Wait for what comes of it also when it says "async"
    #[arg(long)]
    wait: bool,
    #[command(flatten)]
    project: ProjectDir,
    #[command(flatten)]
    data: DataDir,
    #[command(flatten)]
    format: FormatArgs,
}

/// Runs `aura agent ask`.
///
/// # Errors
/// A request that is none, nobody who can be asked, a data folder that cannot be used.
pub(crate) fn ask(args: &AgentAskArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    if args.requests.len() > REQUESTS_MAX {
        return Err(CliError::Usage(say!(
            "cli-agent-requests-max",
            max = REQUESTS_MAX
        )));
    }
    let mut requests = Vec::new();
    for path in &args.requests {
        let bytes = InputFile::open(path)?.whole(MAX_MESSAGE_BYTES)?;
        let read = protocol::parse_message::<BaseRequest>(&bytes);
        requests.push(read.map_err(|error| WorkflowError::Request {
            path: path.clone(),
            error: Box::new(error),
        })?);
    }
    let modes: Vec<ExecutionMode> = requests.iter().map(|request| request.view().mode()).collect();
    if modes.len() > 1 && modes.iter().any(|mode| *mode != ExecutionMode::Parallel) {
        return Err(CliError::Usage(text("cli-agent-all-parallel").to_owned()));
    }
    let project = args.project.open()?;
    let agents = project.agents()?;
    let definition = definition(&requests, |task| {
        let agent = project::serving(&agents, args.agent.as_deref(), task);
        let agent = agent.map(|agent| agent.manifest.name.clone());
        agent.ok_or_else(|| WorkflowError::Nobody {
            what: match &args.agent {
                Some(name) => format!("{name} for {task}"),
                None => format!("for {task}"),
            },
        })
    })?;
    let first = requests
        .first()
        .map(|request| request.view().context.user_query.clone());
    let started = RunStart {
        run: uuid::Uuid::new_v4().to_string(),
        project: project.folder().display().to_string(),
        definition,
        feature: None,
        query: first.unwrap_or_default(),
        shared: Map::new(),
    };
    let vault = args.data.vault_or_new()?;
    let id = started.run.clone();
    if modes.contains(&ExecutionMode::Async) && !args.wait {
        let event = RunEvent {
            at: Clock::real(None).wall(),
            what: RunEventKind::Started(Box::new(started.clone())),
        };
        let pending = response(&WorkflowRun::begin_run(&event).map_err(WorkflowError::from)?);
        runs::leave(&vault, started)?;
        return print(&pending, args.format, out);
    }
    let request = RunRequest::Begin {
        started: Box::new(started),
        dry_run: false,
    };
    let came = runs::drive(&vault, request, &mut |_| Ok(()))?;
    let exit = print(&look(&vault, &id)?, args.format, out)?;
    // It can be gone on with by its id, and has no answer yet.
    Ok(if came == Some(RunOutcome::Interrupted) {
        CommandExit::Bad
    } else {
        exit
    })
}

/// A workflow of these requests alone: one step, or a group.
fn definition(
    requests: &[ProtocolMessage<BaseRequest>],
    agent_for: impl Fn(protocol::TaskType) -> Result<String, WorkflowError>,
) -> Result<WorkflowDefinition, WorkflowError> {
    let alone = requests.len() == 1;
    let mut steps = Vec::new();
    for (request, index) in requests.iter().zip(1..) {
        let task = &request.view().request.task;
        steps.push(WorkflowStep {
            name: if alone {
                "ask".to_owned()
            } else {
                format!("ask-{index:02}")
            },
            work: StepTask::Base {
                agent: agent_for(task.kind)?,
                task: task.kind,
                objective: task.objective.clone(),
                parameters: Map::new(),
                output_format: task.constraints.output_format,
                save: None,
                given: Some(request.value().clone()),
            },
            max_iterations: task.constraints.iterations().into(),
            time_limit_seconds: task.constraints.seconds(),
            next: alone.then_some(TransitionTarget::End),
            on: BTreeMap::new(),
            asks: BTreeMap::new(),
            reads: BTreeMap::new(),
        });
    }
    let max_steps = steps.iter().map(|step| u32::from(step.max_iterations)).sum();
    if !alone {
        steps.push(WorkflowStep {
            name: "all".to_owned(),
            work: StepTask::Group {
                members: steps.iter().map(|step| step.name.clone()).collect(),
            },
            max_iterations: 1,
            time_limit_seconds: 120,
            next: Some(TransitionTarget::End),
            on: BTreeMap::new(),
            asks: BTreeMap::new(),
            reads: BTreeMap::new(),
        });
    }
    Ok(WorkflowDefinition {
        name: "ask".to_owned(),
        feature_root: None,
        max_steps,
        steps,
    })
}

/// `aura agent poll`: the response as it is now.
///
/// # Errors
/// No such run.
pub(crate) fn poll(args: &OneRunArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let (vault, id, format) = args.find()?;
    print(&look(&vault, &id)?, format, out)
}

/// `aura agent stream`: each response as it comes, until it is over.
///
/// # Errors
/// No such run.
pub(crate) fn stream(args: &OneRunArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let (vault, id, format) = args.find()?;
    let mut shown = Value::Null;
    let mut exit = CommandExit::Ok;
    let mut show = |run: &WorkflowRun, out: &mut CommandOutput| -> Result<(), CliError> {
        let now = response(run);
        if now != shown {
            exit = print(&now, format, out)?;
            shown = now;
        }
        Ok(())
    };
    let mut run: Option<WorkflowRun> = None;
    let request = RunRequest::Follow { run: id, from: 0 };
    runs::drive(&vault, request, &mut |line| {
        let event = RunEvent {
            at: line.at,
            what: line.what,
        };
        match &mut run {
            None => run = Some(WorkflowRun::begin_run(&event).map_err(WorkflowError::from)?),
            Some(run) => run.apply_event(&event).map_err(WorkflowError::from)?,
        }
        run.as_ref().map_or(Ok(()), |run| show(run, out))
    })?;
    Ok(exit)
}

/// `aura agent stop`: ends it, whoever executes it.
///
/// # Errors
/// No such run, or it is over.
pub(crate) fn stop(args: &OneRunArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let (vault, id, format) = args.find()?;
    runs::ask_line(&vault, &RunRequest::Cancel { run: id.clone() })?;
    print(&look(&vault, &id)?, format, out)?;
    Ok(CommandExit::Ok)
}

fn look(vault: &Vault, id: &str) -> Result<Value, WorkflowError> {
    Ok(response(RunHistory::open(vault, id)?.run()))
}

/// A response, which is JSON for people as well; 1 when it failed.
fn print(response: &Value, format: FormatArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    if format.json {
        out.json(response)?;
    } else {
        out.text(&format!("{response:#}"))?;
    }
    Ok(if status(response) == Status::Failed {
        CommandExit::Bad
    } else {
        CommandExit::Ok
    })
}
