//! What a workflow is: one TOML file.
//!
//! What: [`WorkflowDefinition`], its steps, and [`parse_workflow`], member by member with the line. Why: a run keeps the definition that it was started
//! with, so a file that is edited meanwhile changes nothing. Not here: whether its steps fit together and to the agents
//! ([`super::check`]).

use super::{
    StepOutcome, TransitionTarget,
    proposal::{OwnerProposal, PROPOSALS_MAX},
    reading::{READ_LIMIT_SECONDS, READS_MAX, WorkflowRead},
};
use crate::asks::ASK_WAIT_MIN;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::{collections::BTreeMap, fmt};
use toml::Spanned;
use toolcall_schema::{
    ToolName,
    protocol::{OutputFormat, TaskType, stays_below},
};

/// The longest file, in bytes.
pub const FILE_MAX_BYTES: usize = 256 << 10;
/// The most steps.
pub const STEPS_MAX: usize = 100;

/// A workflow.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorkflowDefinition {
    /// 1 to 40 of `a-z0-9-`.
    pub name: String,
    /// Where its files are, below the project, without a `/` at its end; `{feature}` is what the run is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feature_root: Option<String>,
    /// Askings in a whole run, 1 to 1000.
    pub max_steps: u32,
    /// In the order of the file; those of groups among them.
    pub steps: Vec<WorkflowStep>,
}

/// One step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorkflowStep {
    /// 1 to 40 of `a-z0-9-`, none of `end`, `stop`, `again`, `ask`.
    pub name: String,
    /// What is asked, and of whom.
    pub work: StepTask,
    /// Askings until it has to pass on, 1 to 10.
    pub max_iterations: u16,
    /// For all of them together.
    pub time_limit_seconds: u16,
    /// Where it leads when nothing else is said; absent in a step that belongs to a group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<TransitionTarget>,
    /// Where else, by outcome.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub on: BTreeMap<StepOutcome, TransitionTarget>,
    /// What its agent may propose to the owner while it is asked, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub asks: BTreeMap<String, OwnerProposal>,
    /// What its agent may read of Aura while it is asked, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub reads: BTreeMap<String, WorkflowRead>,
}

/// What is asked in a step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum StepTask {
    /// An agent of the envelope protocol.
    Envelope {
        /// Its manifest's name.
        agent: String,
        /// One that its manifest lists.
        action: String,
        /// Whatever that needs.
        params: Map<String, Value>,
        /// Files that it may need, below the project; `{feature_root}` and `{feature}` are filled in.
        paths: BTreeMap<String, String>,
    },
    /// An agent of the base protocol.
    Base {
        /// Its manifest's name.
        agent: String,
        /// One that its manifest lists.
        task: TaskType,
        /// In words.
        objective: String,
        /// Whatever that needs.
        parameters: Map<String, Value>,
        /// Absent: any.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        output_format: Option<OutputFormat>,
        /// A file in the feature root that the result is written to.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        save: Option<String>,
        /// A whole request that somebody wrote: it is asked as it is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        given: Option<Value>,
    },
    /// The owner, to confirm a call.
    Ask {
        /// The call, and how long it may wait for them.
        proposal: OwnerProposal,
    },
    /// An agent of Aura's own, with a tool that reads.
    Read { read: WorkflowRead },
    /// Other steps, side by side.
    Group {
        /// Their names.
        members: Vec<String>,
    },
}

/// One thing that is wrong with a file: `WORKFLOW-001`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, thiserror::Error)]
#[error("WORKFLOW-001: line {line}: {message}")]
pub struct WorkflowDiagnostic {
    /// From 1.
    pub line: usize,
    /// What, and what to write.
    pub message: String,
}

/// A file whose members are each as they have to be.
#[derive(Debug, Clone, PartialEq)]
pub struct ParsedWorkflow {
    /// What it says.
    pub definition: WorkflowDefinition,
    /// The line of each step's name.
    pub(super) lines: BTreeMap<String, usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WorkflowFile {
    name: Spanned<String>,
    feature_root: Option<Spanned<String>>,
    max_steps: Option<Spanned<u32>>,
    #[serde(default)]
    step: Vec<FileStep>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileStep {
    name: Spanned<String>,
    kind: Option<StepWord>,
    tool: Option<String>,
    args: Option<Map<String, Value>>,
    wait_min: Option<u16>,
    #[serde(default)]
    asks: BTreeMap<String, OwnerProposal>,
    #[serde(default)]
    reads: BTreeMap<String, WorkflowRead>,
    agent: Option<String>,
    action: Option<String>,
    params: Option<Map<String, Value>>,
    paths: Option<BTreeMap<String, String>>,
    task: Option<TaskType>,
    objective: Option<String>,
    parameters: Option<Map<String, Value>>,
    output_format: Option<OutputFormat>,
    save: Option<String>,
    parallel: Option<Vec<String>>,
    max_iterations: Option<u16>,
    time_limit_seconds: Option<u16>,
    next: Option<TransitionTarget>,
    #[serde(default)]
    on: BTreeMap<StepOutcome, TransitionTarget>,
}

/// The kind of a step that its other members do not say.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum StepWord {
    Ask,
    Read,
}

/// Whether it is a name: 1 to 40 of `a-z0-9-`.
pub fn is_name(text: &str) -> bool {
    let may = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (1..=40).contains(&text.len()) && text.bytes().all(may)
}

/// Whether it can be a feature's id, which becomes a folder: 1 to 64 of `A-Za-z0-9._-`, the first no point.
pub fn is_feature(text: &str) -> bool {
    let may = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    (1..=64).contains(&text.len()) && !text.starts_with('.') && text.bytes().all(may)
}

/// A path with what stands for something filled in by something harmless; `None`: something else stands there.
fn fill_placeholders(path: &str) -> Option<String> {
    let path = path.replace("{feature_root}", "f").replace("{feature}", "f");
    (!path.contains(['{', '}'])).then_some(path)
}

/// Reads one.
///
/// # Errors
/// All that is wrong with its members, or the first thing that is no TOML of a workflow.
pub fn parse_workflow(text: &str) -> Result<ParsedWorkflow, Vec<WorkflowDiagnostic>> {
    if text.len() > FILE_MAX_BYTES {
        let message = format!("the file has more than {FILE_MAX_BYTES} bytes: split the workflow");
        return Err(vec![WorkflowDiagnostic { line: 1, message }]);
    }
    let line = |at: usize| text.get(..at).unwrap_or_default().split('\n').count();
    let file: WorkflowFile = toml::from_str(text).map_err(|error| {
        vec![WorkflowDiagnostic {
            line: error.span().map_or(1, |span| line(span.start)),
            message: error.message().trim_end().replace('\n', "; "),
        }]
    })?;
    let mut findings = Vec::new();
    let mut must = |holds: bool, at: usize, message: &dyn fmt::Display| {
        if !holds {
            let (line, message) = (line(at), message.to_string());
            findings.push(WorkflowDiagnostic { line, message });
        }
    };
    must(
        is_name(file.name.get_ref()),
        file.name.span().start,
        &"name must be 1 to 40 of a-z, 0-9 and -",
    );
    let feature_root = file.feature_root.map(|root| {
        let at = root.span().start;
        let root = root.into_inner().trim_end_matches('/').to_owned();
        let filled = root.replace("{feature}", "f");
        must(
            stays_below(&filled) && !filled.contains(['{', '}']),
            at,
            &"feature_root must be a path below the project, with {feature} for what the run is given",
        );
        root
    });
    let max_steps = file.max_steps.map_or(100, |most| {
        must(
            (1..=1000).contains(most.get_ref()),
            most.span().start,
            &"max_steps must be 1 to 1000",
        );
        most.into_inner()
    });
    must(
        (1..=STEPS_MAX).contains(&file.step.len()),
        file.name.span().start,
        &format!("a workflow has 1 to {STEPS_MAX} steps: write [[step]]"),
    );
    let mut lines = BTreeMap::new();
    let mut steps = Vec::new();
    for step in file.step {
        let at = step.name.span().start;
        let name = step.name.get_ref().clone();
        let told = |message: &str| format!("step {name}: {message}");
        let free =
            is_name(&name) && matches!(TransitionTarget::from(name.clone()), TransitionTarget::Step(_));
        must(
            free,
            at,
            &told("its name must be 1 to 40 of a-z, 0-9 and -, and not end, stop, again or ask"),
        );
        must(
            lines.insert(name.clone(), line(at)).is_none(),
            at,
            &told("another step has this name"),
        );
        match step.try_into_step() {
            Ok(step) => {
                for message in step.faults(feature_root.is_some()) {
                    must(false, at, &told(message));
                }
                steps.push(step);
            }
            Err(message) => must(false, at, &told(message)),
        }
    }
    if !findings.is_empty() {
        return Err(findings);
    }
    let mut definition = WorkflowDefinition {
        name: file.name.into_inner(),
        feature_root,
        max_steps,
        steps,
    };
    definition.link_steps();
    Ok(ParsedWorkflow { definition, lines })
}

impl FileStep {
    /// Whether it says something of an agent or a group.
    fn says_more(&self) -> bool {
        let more = [
            self.agent.is_some(),
            self.action.is_some(),
            self.params.is_some(),
            self.paths.is_some(),
            self.task.is_some(),
            self.objective.is_some(),
            self.parameters.is_some(),
            self.output_format.is_some(),
            self.save.is_some(),
            self.parallel.is_some(),
            self.max_iterations.is_some(),
            self.time_limit_seconds.is_some(),
            !self.asks.is_empty(),
            !self.reads.is_empty(),
        ];
        more.contains(&true)
    }

    /// A step that calls one of Aura's own tools, whose `next` may still be absent.
    fn try_into_call(self, kind: StepWord) -> Result<WorkflowStep, &'static str> {
        let says_more = self.says_more();
        let tool = self.tool.ok_or("it needs a tool")?;
        let tool = ToolName::parse(&tool).ok_or("the catalogue has no such tool")?;
        let args = self.args.ok_or("it needs args")?;
        let (work, time_limit_seconds) = match kind {
            StepWord::Ask if says_more => {
                return Err(
                    "a step of kind ask has name, tool, args, wait_min, next and on, and nothing else",
                );
            }
            StepWord::Read if says_more || self.wait_min.is_some() => {
                return Err("a step of kind read has name, tool, args, next and on, and nothing else");
            }
            StepWord::Ask => {
                let wait_min = self.wait_min.unwrap_or(ASK_WAIT_MIN);
                let proposal = OwnerProposal { tool, args, wait_min };
                (StepTask::Ask { proposal }, 120)
            }
            StepWord::Read => {
                let read = WorkflowRead { tool, args };
                (StepTask::Read { read }, READ_LIMIT_SECONDS)
            }
        };
        Ok(WorkflowStep {
            name: self.name.into_inner(),
            work,
            max_iterations: 1,
            time_limit_seconds,
            next: self.next,
            on: self.on,
            asks: BTreeMap::new(),
            reads: BTreeMap::new(),
        })
    }

    /// The step that is meant, whose `next` may still be absent.
    fn try_into_step(mut self) -> Result<WorkflowStep, &'static str> {
        let proposes = self.tool.is_some() || self.args.is_some() || self.wait_min.is_some();
        match self.kind.take() {
            Some(kind) => return self.try_into_call(kind),
            None if proposes => {
                return Err("tool, args and wait_min go with kind = \"ask\" or kind = \"read\"");
            }
            None => {}
        }
        let base_only = self.objective.is_some()
            || self.parameters.is_some()
            || self.output_format.is_some()
            || self.save.is_some();
        let envelope_only = self.params.is_some() || self.paths.is_some();
        let asks = self.max_iterations.is_some()
            || self.time_limit_seconds.is_some()
            || !self.asks.is_empty()
            || !self.reads.is_empty();
        let work = match (self.action, self.task, self.parallel, self.agent) {
            (Some(action), None, None, Some(agent)) => {
                if base_only {
                    return Err(
                        "objective, parameters, output_format and save go with task, not with action",
                    );
                }
                StepTask::Envelope {
                    agent,
                    action,
                    params: self.params.unwrap_or_default(),
                    paths: self.paths.unwrap_or_default(),
                }
            }
            (None, Some(task), None, Some(agent)) => {
                if envelope_only {
                    return Err("params and paths go with action, not with task");
                }
                StepTask::Base {
                    agent,
                    task,
                    objective: self.objective.ok_or("it needs an objective")?,
                    parameters: self.parameters.unwrap_or_default(),
                    output_format: self.output_format,
                    save: self.save,
                    given: None,
                }
            }
            (None, None, Some(members), None) => {
                if base_only || envelope_only || asks {
                    return Err("a group has name, parallel, next and on; the rest belongs to its members");
                }
                StepTask::Group { members }
            }
            (..) => {
                return Err(
                    "it needs agent and action (envelope), agent and task (base), kind = \"ask\" or \"read\", or parallel (a group)",
                );
            }
        };
        Ok(WorkflowStep {
            name: self.name.into_inner(),
            work,
            max_iterations: self.max_iterations.unwrap_or(1),
            time_limit_seconds: self.time_limit_seconds.unwrap_or(120),
            next: self.next,
            on: self.on,
            asks: self.asks,
            reads: self.reads,
        })
    }
}

/// A date of TOML would become an object that nobody means.
fn has_date(value: &Value) -> bool {
    match value {
        Value::Object(members) => members
            .iter()
            .any(|(name, value)| name.starts_with("$__toml") || has_date(value)),
        Value::Array(values) => values.iter().any(has_date),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

impl WorkflowStep {
    /// What of its members is not as it has to be.
    fn faults(&self, rooted: bool) -> Vec<&'static str> {
        let mut faults = Vec::new();
        let mut must = |holds: bool, message| {
            if !holds {
                faults.push(message);
            }
        };
        must(
            (1..=10).contains(&self.max_iterations),
            "max_iterations must be 1 to 10",
        );
        must(
            self.asks.len() <= PROPOSALS_MAX && self.asks.keys().all(|name| is_name(name)),
            "asks has at most 8 proposals, each with a name of 1 to 40 of a-z, 0-9 and -",
        );
        must(
            self.reads.len() <= READS_MAX && self.reads.keys().all(|name| is_name(name)),
            "reads has at most 8 reads, each with a name of 1 to 40 of a-z, 0-9 and -",
        );
        let proposals = self.asks.values().filter_map(OwnerProposal::fault);
        for fault in proposals.chain(self.reads.values().filter_map(WorkflowRead::fault)) {
            must(false, fault);
        }
        let undated = |members: &Map<String, Value>| !members.values().any(has_date);
        match &self.work {
            StepTask::Envelope { params, paths, .. } => {
                must(
                    (1..=3600).contains(&self.time_limit_seconds),
                    "time_limit_seconds must be 1 to 3600",
                );
                must(rooted, "the workflow needs feature_root for an agent that writes");
                must(
                    !paths.contains_key("feature_root"),
                    "paths.feature_root is always given: take it out",
                );
                let fits = |path: &String| {
                    fill_placeholders(path).is_some_and(|path| stays_below(path.trim_end_matches('/')))
                };
                must(
                    paths.values().all(fits),
                    "paths must lie below the project; only {feature_root} and {feature} are filled in",
                );
                must(undated(params), "params hold a date: write it as text");
            }
            StepTask::Base {
                objective,
                parameters,
                save,
                ..
            } => {
                must(
                    (30..=300).contains(&self.time_limit_seconds),
                    "time_limit_seconds must be 30 to 300",
                );
                must(
                    objective.chars().count() >= 10,
                    "its objective must have at least 10 characters",
                );
                must(
                    rooted || save.is_none(),
                    "the workflow needs feature_root for save",
                );
                must(
                    save.as_deref().is_none_or(stays_below),
                    "save must be a path below the feature root",
                );
                must(undated(parameters), "parameters hold a date: write it as text");
            }
            StepTask::Ask { proposal } => {
                if let Some(fault) = proposal.fault() {
                    must(false, fault);
                }
            }
            StepTask::Read { read } => {
                if let Some(fault) = read.fault() {
                    must(false, fault);
                }
            }
            StepTask::Group { members } => {
                must((2..=16).contains(&members.len()), "a group has 2 to 16 members");
            }
        }
        faults
    }

    /// The manifest's name of the agent that is asked; a group asks none, and neither does who asks the owner or reads.
    pub fn agent(&self) -> Option<&str> {
        match &self.work {
            StepTask::Envelope { agent, .. } | StepTask::Base { agent, .. } => Some(agent),
            StepTask::Ask { .. } | StepTask::Read { .. } | StepTask::Group { .. } => None,
        }
    }
}

impl WorkflowDefinition {
    /// Says of each step that does not which comes next: the one after it in the file that belongs to no group.
    fn link_steps(&mut self) {
        let grouped: Vec<bool> = self
            .steps
            .iter()
            .map(|step| self.is_grouped(&step.name))
            .collect();
        let mut after = TransitionTarget::End;
        for (step, grouped) in self.steps.iter_mut().zip(grouped).rev() {
            if !grouped {
                let next = std::mem::replace(&mut after, TransitionTarget::Step(step.name.clone()));
                step.next.get_or_insert(next);
            }
        }
    }

    /// The step of a name.
    pub fn step(&self, name: &str) -> Option<&WorkflowStep> {
        self.steps.iter().find(|step| step.name == name)
    }

    /// Whether it belongs to a group.
    pub fn is_grouped(&self, name: &str) -> bool {
        self.steps.iter().any(|step| match &step.work {
            StepTask::Group { members } => members.iter().any(|member| member == name),
            StepTask::Envelope { .. }
            | StepTask::Base { .. }
            | StepTask::Ask { .. }
            | StepTask::Read { .. } => false,
        })
    }

    /// Where a run begins: the first step that belongs to no group.
    pub fn first(&self) -> Option<&WorkflowStep> {
        self.steps.iter().find(|step| !self.is_grouped(&step.name))
    }

    /// Where a run's files are, for a feature.
    pub fn root_for(&self, feature: Option<&str>) -> Option<String> {
        let root = self.feature_root.as_ref()?;
        Some(root.replace("{feature}", feature.unwrap_or_default()))
    }
}
