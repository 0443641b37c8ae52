//! Whether anybody's program is an agent.
//!
//! What: [`check`], a conformance suite: what it is asked, and what its answers must be. Why: whoever writes an agent wants to
//! know before a workflow does. Not here: running it (`programs`), printing the report (`cli::agent`).

use super::{
    HostAnswer, LaunchContext, ProgramAgent, ProgramHost, host::ProgramRefusal, network::no_recorder,
    oneshot, running::ProcessGroups,
};
use aura_process::WorkerProgram;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};
use std::{fmt, fs, io, path::Path, thread, time::Duration};
use toolcall_schema::{
    Timestamp,
    protocol::{
        self, BaseRequest, BaseResponse, EnvelopeInput, EnvelopeOutput, MessageView, Recommendation,
        SemanticVersion, Status,
        manifest::{Mode, Protocol},
    },
    rejection::RefusalReason,
    rejection::SchemaError,
};

/// One thing that was tried.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConformanceTrial {
    /// What is claimed of the program.
    pub claim: ConformanceClaim,
    /// Whether it holds.
    pub holds: bool,
    /// What it did instead; or how long it took.
    pub detail: TrialDetail,
}

/// What is claimed of a program. JSON and [`fmt::Display`] have it in English.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConformanceClaim {
    /// It answers this action or task type.
    Answers(String),
    /// What it writes of this stays where it belongs.
    KeepsBelowRoot(String),
    IgnoresUnknownMembers,
    /// What it cannot do it does not say to have done.
    ClaimsNothingUndone,
    /// Given half of a document, it ends.
    EndsOnHalf,
    /// The same, given nothing.
    EndsOnNothing,
    AnswersTwoAtOnce,
    GoesOnAfterCancel,
}

/// What a program did. JSON and [`fmt::Display`] have it in English.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TrialDetail {
    /// Nothing is wrong with where it writes.
    Nothing,
    /// It answered after so many milliseconds that it could, or could not.
    Answered { well: bool, ms: u128 },
    /// Its artifact of this number leaves the feature root.
    Leaves(usize),
    /// It gave no answer, or one that was refused.
    Refused(RefusalReason),
}

impl fmt::Display for ConformanceClaim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Answers(what) => write!(f, "answers `{what}` with a message of its protocol"),
            Self::KeepsBelowRoot(what) => write!(f, "keeps artifacts of `{what}` below the feature root"),
            Self::IgnoresUnknownMembers => f.write_str("takes no notice of members that it does not know"),
            Self::ClaimsNothingUndone => f.write_str("does not claim to have done what it cannot do"),
            Self::EndsOnHalf => {
                f.write_str("ends by itself when it is given half a document, and claims no success")
            }
            Self::EndsOnNothing => {
                f.write_str("ends by itself when it is given nothing, and claims no success")
            }
            Self::AnswersTwoAtOnce => f.write_str("answers two askings at once, each under its id"),
            Self::GoesOnAfterCancel => f.write_str("goes on after it was told to cancel something"),
        }
    }
}

impl fmt::Display for TrialDetail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => Ok(()),
            Self::Answered { well: true, ms } => write!(f, "it answered after {ms} ms"),
            Self::Answered { well: false, ms } => write!(f, "it answered that it could not after {ms} ms"),
            Self::Leaves(index) => write!(f, "/artifacts/{index}/path leaves it"),
            Self::Refused(refusal) => write!(f, "{refusal}"),
        }
    }
}

impl Serialize for ConformanceClaim {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Serialize for TrialDetail {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// All that was tried.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConformanceReport {
    /// The agent's name.
    pub agent: String,
    /// In the order in which they were tried.
    pub trials: Vec<ConformanceTrial>,
}

impl ConformanceReport {
    /// Whether everything holds.
    pub fn is_good(&self) -> bool {
        self.trials.iter().all(|trial| trial.holds)
    }
}

/// What a program did when it was asked.
enum TrialOutcome {
    /// An answer that passed.
    Answered {
        /// Whether it says that it could do it.
        well: bool,
        /// Milliseconds.
        ms: u128,
        /// Paths of artifacts that leave the feature root.
        outside: Vec<usize>,
    },
    /// It gave no answer, or one that was refused.
    Not(RefusalReason),
}

impl TrialOutcome {
    fn judge<T: MessageView>(
        answer: Result<HostAnswer<T>, ProgramRefusal>,
        judge: fn(&T) -> (bool, Vec<usize>),
    ) -> Self {
        match answer {
            Ok(HostAnswer { message, measured }) => {
                let (well, outside) = judge(message.view());
                TrialOutcome::Answered {
                    well,
                    ms: u128::from(measured.processing_time_ms),
                    outside,
                }
            }
            Err(refused) => TrialOutcome::Not(refused.why),
        }
    }

    fn detail(&self) -> TrialDetail {
        match self {
            TrialOutcome::Answered { well, ms, .. } => TrialDetail::Answered { well: *well, ms: *ms },
            TrialOutcome::Not(refusal) => TrialDetail::Refused(refusal.clone()),
        }
    }
}

/// Tries a program. `project` is its working folder, `empty` a folder for the trial: it may read the part of it in which the small
/// example lies, and write to another; `at` stands in the requests.
///
/// # Errors
/// The folder cannot be written, or the manifest's example cannot be read or is no message.
pub fn check(
    agent: &ProgramAgent,
    project: &Path,
    empty: &Path,
    at: Timestamp,
) -> Result<ConformanceReport, io::Error> {
    let (feature, scratch) = (empty.join("feature"), empty.join("scratch"));
    fs::create_dir_all(&feature)?;
    fs::create_dir_all(&scratch)?;
    let mut agent = agent.clone();
    agent.roots.push(feature.canonicalize()?);
    let suite = ConformanceSuite {
        host: ProgramHost::new(
            WorkerProgram::default(),
            project.to_owned(),
            scratch.join("host"),
            None,
        ),
        agent: &agent,
        project,
        feature: &feature,
        scratch: &scratch,
        limit: Duration::from_secs(u64::from(agent.manifest.limits.wall_s)),
        at,
    };
    let example = suite.example()?;
    let mut trials = vec![];
    let mut claim = |claim: ConformanceClaim, holds: bool, detail: TrialDetail| {
        trials.push(ConformanceTrial { claim, holds, detail });
    };

    for (what, message) in suite.all_that_it_can_be_asked(&example) {
        let did = suite.ask(&message);
        claim(
            ConformanceClaim::Answers(what.clone()),
            matches!(did, TrialOutcome::Answered { .. }),
            did.detail(),
        );
        if let TrialOutcome::Answered { outside, .. } = &did {
            claim(
                ConformanceClaim::KeepsBelowRoot(what),
                outside.is_empty(),
                outside
                    .first()
                    .map_or(TrialDetail::Nothing, |index| TrialDetail::Leaves(*index)),
            );
        }
    }

    let mut more = example.clone();
    if let Value::Object(members) = &mut more {
        members.insert("x_unknown".to_owned(), json!({ "deep": [1, 2, 3] }));
    }
    let did = suite.ask(&more);
    claim(
        ConformanceClaim::IgnoresUnknownMembers,
        matches!(did, TrialOutcome::Answered { .. }),
        did.detail(),
    );

    let did = suite.ask(&suite.unknown(&example));
    claim(
        ConformanceClaim::ClaimsNothingUndone,
        !matches!(did, TrialOutcome::Answered { well: true, .. }),
        did.detail(),
    );

    match agent.manifest.mode {
        Mode::Once => {
            let cut = example.to_string();
            let cut = cut.get(..cut.len() / 2).unwrap_or_default();
            for (ends, bytes) in [
                (ConformanceClaim::EndsOnHalf, cut.as_bytes()),
                (ConformanceClaim::EndsOnNothing, b""),
            ] {
                let did = suite.ask_bytes(bytes);
                claim(
                    ends,
                    match &did {
                        TrialOutcome::Answered { well, .. } => !well,
                        TrialOutcome::Not(refusal) => {
                            !matches!(refusal.code.as_str(), "PROGRAM-003" | "PROGRAM-004")
                        }
                    },
                    did.detail(),
                );
            }
        }
        Mode::Lines => {
            let (one, other) = thread::scope(|scope| {
                let one = scope.spawn(|| suite.ask(&example));
                let other = suite.ask(&example);
                (one.join().ok(), other)
            });
            claim(
                ConformanceClaim::AnswersTwoAtOnce,
                matches!(
                    (&one, &other),
                    (Some(TrialOutcome::Answered { .. }), TrialOutcome::Answered { .. })
                ),
                other.detail(),
            );
            // Dropped at once: it is told to cancel it.
            drop(suite.host.long(&agent).ask(&example, suite.limit));
            let did = suite.ask(&example);
            claim(
                ConformanceClaim::GoesOnAfterCancel,
                matches!(did, TrialOutcome::Answered { .. }),
                did.detail(),
            );
        }
    }
    Ok(ConformanceReport {
        agent: agent.manifest.name.clone(),
        trials,
    })
}

struct ConformanceSuite<'a> {
    host: ProgramHost,
    agent: &'a ProgramAgent,
    project: &'a Path,
    feature: &'a Path,
    scratch: &'a Path,
    limit: Duration,
    at: Timestamp,
}

impl ConformanceSuite<'_> {
    /// The manifest's example, or a small one of ours.
    fn example(&self) -> Result<Value, io::Error> {
        let bad = |error: SchemaError| io::Error::new(io::ErrorKind::InvalidData, error);
        let Some(name) = &self.agent.manifest.example else {
            return self.small();
        };
        let bytes = fs::read(self.agent.folder.join(name))?;
        Ok(match self.agent.manifest.protocol {
            Protocol::Base => protocol::parse_message::<BaseRequest>(&bytes)
                .map_err(bad)?
                .value()
                .clone(),
            Protocol::Envelope => protocol::parse_message::<EnvelopeInput>(&bytes)
                .map_err(bad)?
                .value()
                .clone(),
        })
    }

    fn small(&self) -> Result<Value, io::Error> {
        let manifest = &self.agent.manifest;
        Ok(match manifest.protocol {
            Protocol::Base => json!({
                "meta": {
                    "version": SemanticVersion::OURS.to_string(),
                    "timestamp": self.at,
                    "session_id": "00000000-0000-4000-8000-000000000000",
                    "agent_id": manifest.name,
                    "execution_mode": "sync",
                },
                "request": {
                    "task": {
                        "type": manifest.task_types.first(),
                        "objective": "Say what you would do with a small example",
                        "constraints": { "max_iterations": 1, "time_limit_seconds": 30 },
                    },
                    "parameters": {},
                },
                "context": { "user_query": "Is this an agent?", "previous_results": [], "shared_memory": {} },
            }),
            Protocol::Envelope => {
                let root = self.feature;
                let spec = root.join("spec.md");
                fs::write(
                    &spec,
                    "# A small example\n\n## Goal\n\nSomebody can try an agent.\n",
                )?;
                json!({
                    "context": { "feature_id": "000-example", "workflow": "check", "iteration": 1 },
                    "paths": { "feature_root": root, "spec": spec },
                    "task": { "action": manifest.actions.first(), "params": {} },
                    "prior_context": ["This is a trial"],
                })
            }
        })
    }

    /// The example with each action or task type that the manifest lists.
    fn all_that_it_can_be_asked(&self, example: &Value) -> Vec<(String, Value)> {
        let manifest = &self.agent.manifest;
        let with = |pointer: &str, what: &str| {
            let mut message = example.clone();
            if let Some(place) = message.pointer_mut(pointer) {
                *place = json!(what);
            }
            (what.to_owned(), message)
        };
        match manifest.protocol {
            Protocol::Base => {
                let types = manifest.task_types.iter();
                types
                    .map(|kind| with("/request/task/type", kind.as_str()))
                    .collect()
            }
            Protocol::Envelope => {
                let actions = manifest.actions.iter();
                actions.map(|action| with("/task/action", action)).collect()
            }
        }
    }

    /// Something that the manifest does not list.
    fn unknown(&self, example: &Value) -> Value {
        let mut message = example.clone();
        let (pointer, what) = match self.agent.manifest.protocol {
            Protocol::Base => ("/request/task/type", "juggle"),
            Protocol::Envelope => ("/task/action", "juggle-with-the-moon"),
        };
        if let Some(place) = message.pointer_mut(pointer) {
            *place = json!(what);
        }
        message
    }

    fn ask(&self, message: &Value) -> TrialOutcome {
        let (agent, limit) = (self.agent, self.limit);
        match agent.manifest.protocol {
            Protocol::Base => TrialOutcome::judge(
                self.host.base_freely(agent, message, limit, None, &mut |_| {}),
                base,
            ),
            Protocol::Envelope => {
                TrialOutcome::judge(self.host.envelope_freely(agent, message, limit), envelope)
            }
        }
    }

    /// Whatever it is given: only a program that is started for it can be given anything.
    fn ask_bytes(&self, bytes: &[u8]) -> TrialOutcome {
        let place = LaunchContext {
            program: &WorkerProgram::default(),
            project: self.project,
            scratch: self.scratch,
            groups: &ProcessGroups::default(),
            record: &no_recorder(),
        };
        let answer = match oneshot::ask(self.agent, &place, bytes, self.limit) {
            Ok(answer) => answer,
            Err(silent) => return TrialOutcome::Not(silent.why),
        };
        let well = match self.agent.manifest.protocol {
            Protocol::Base => {
                protocol::parse_message::<BaseResponse>(&answer.bytes).map(|message| base(message.view()).0)
            }
            Protocol::Envelope => protocol::parse_message::<EnvelopeOutput>(&answer.bytes)
                .map(|message| envelope(message.view()).0),
        };
        match well {
            Ok(well) => TrialOutcome::Answered {
                well,
                ms: answer.took.as_millis(),
                outside: vec![],
            },
            Err(error) => TrialOutcome::Not(error.into()),
        }
    }
}

/// Whether it says that it could do it, and which artifacts leave the feature root.
fn base(response: &BaseResponse) -> (bool, Vec<usize>) {
    (
        matches!(response.status, Status::Completed | Status::Partial),
        vec![],
    )
}

fn envelope(output: &EnvelopeOutput) -> (bool, Vec<usize>) {
    let well = output.success && output.recommendation == Recommendation::Proceed;
    let paths = output.artifacts.iter().enumerate();
    let outside = paths.filter(|(_, artifact)| !protocol::stays_below(&artifact.path));
    (well, outside.map(|(index, _)| index).collect())
}
