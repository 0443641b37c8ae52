//! Executing a run: what is next is done, and written down.
//!
//! What: [`run_until_blocked`], a thin loop over [`StepExecutor`]. Why: it decides nothing, so that a process that is killed anywhere in it leaves a journal
//! that the next one goes on with. Not here: what is next (`orchestrator_machine::workflow`), who may execute a run ([`super::execution`]).

use super::{RunJournal, StopRequest, WorkflowError, journal::JournalLine};
use aura_platform::clock::Clock;
use orchestrator_machine::workflow::{
    definition::WorkflowStep,
    event::{AgentAnswer, FileChange, ReportedMetrics, RunEventKind, StepAttempt, StepMetrics},
    proposal::{ProposalSource, proposal_source},
    run::{NextAction, PendingWrite, RunEnd, WorkflowRun},
    thread::document,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{
    collections::BTreeSet,
    sync::mpsc::{self, Sender},
    thread,
    time::Duration,
};
use toolcall_schema::rejection::RefusalReason;

/// Of the messages that say how far an agent is, so many of one asking are written down.
const PROGRESS_MAX: u32 = 1000;

/// All that is outside: programs and files.
pub(crate) trait StepExecutor: Sync {
    /// Asks a step's agent, or the owner. `seen` is told what an agent says before its answer.
    fn ask(&self, ask: &StepAsk, seen: &mut dyn FnMut(&Value)) -> StepReply;

    /// What would be written of an asking's answer, against the files as they are.
    ///
    /// # Errors
    /// Why it cannot be.
    fn plan(
        &self,
        run: &WorkflowRun,
        of: &StepAttempt,
        writing: &PendingWrite,
    ) -> Result<Vec<FileChange>, RefusalReason>;

    /// Writes all of it or nothing; what is written already stays.
    ///
    /// # Errors
    /// Why not: nothing is written then.
    fn apply(&self, run: &WorkflowRun, changes: &[FileChange]) -> Result<(), RefusalReason>;

    /// Ends whatever is being asked, for good: nothing is asked after it.
    fn end(&self);
}

/// What came of an asking.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StepReply {
    /// The answer.
    pub answer: AgentAnswer,
    /// What it took.
    pub measured: StepMetrics,
    /// What the agent says that it took.
    pub claimed: Option<ReportedMetrics>,
}

/// How a run is executed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RunOptions {
    /// Stop before anything is written.
    pub dry_run: bool,
}

/// Where a run came to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunOutcome {
    /// Its end.
    Over(RunEnd),
    /// A question to its owner.
    Waiting,
    /// A step that failed.
    Stopped,
    /// Something that would be written.
    Held(Vec<FileChange>),
    /// Somebody ended this process; the run can be resumed.
    Interrupted,
}

/// What a thread says.
enum WorkerMessage {
    Progress(StepAttempt, Value),
    Reply(StepAttempt, StepReply),
    /// Look whether it is to end.
    Look,
}

/// Does what is next until nothing is. `tell` is told of each event that is written down.
///
/// # Errors
/// The journal cannot be written, or `tell` says so.
pub(crate) fn run_until_blocked<E: From<WorkflowError>>(
    journal: &mut RunJournal,
    world: &impl StepExecutor,
    options: RunOptions,
    stop: &StopRequest,
    tell: &mut dyn FnMut(&JournalLine) -> Result<(), E>,
) -> Result<RunOutcome, E> {
    let clock = Clock::real(None);
    let (say, said) = mpsc::channel();
    stop.wakes({
        let say = say.clone();
        move || {
            // Nobody listens any more when the run has come to its end.
            let _ = say.send(WorkerMessage::Look);
        }
    });
    thread::scope(|scope| {
        let mut asking: BTreeSet<StepAttempt> = BTreeSet::new();
        let mut note = |journal: &mut RunJournal, what: RunEventKind| match journal.append(clock.wall(), what)
        {
            Ok(line) => tell(&line),
            // Somebody ended the run meanwhile, which the next look says.
            Err(WorkflowError::Illegal(_)) if matches!(journal.run().next_action(), NextAction::Over(_)) => {
                Ok(())
            }
            Err(error) => Err(error.into()),
        };
        let came = loop {
            if stop.is_asked() {
                break Ok(RunOutcome::Interrupted);
            }
            let step = match journal.run().next_action() {
                NextAction::Ask(open) => {
                    let mut begun = Ok(());
                    for at in open {
                        if asking.contains(&at) || begun.is_err() {
                            continue;
                        }
                        begun = note(journal, RunEventKind::Asked(at.clone()));
                        if let (Ok(()), Some(ask)) = (&begun, asking_of(journal.run(), &at, &clock)) {
                            let say = say.clone();
                            asking.insert(at.clone());
                            scope.spawn(move || perform(world, at, &ask, &say));
                        }
                    }
                    begun.and_then(|()| match said.recv() {
                        Ok(WorkerMessage::Progress(of, response)) => {
                            note(journal, RunEventKind::Progressed { of, response })
                        }
                        Ok(WorkerMessage::Reply(of, _)) if stop.is_asked() => {
                            asking.remove(&of);
                            Ok(())
                        }
                        Ok(WorkerMessage::Reply(of, reply)) => {
                            asking.remove(&of);
                            let StepReply {
                                answer,
                                measured,
                                claimed,
                            } = reply;
                            note(
                                journal,
                                RunEventKind::Ended {
                                    of,
                                    answer,
                                    measured,
                                    claimed,
                                },
                            )
                        }
                        Ok(WorkerMessage::Look) | Err(_) => Ok(()),
                    })
                }
                NextAction::Write(of, writing) => match world.plan(journal.run(), &of, &writing) {
                    Ok(changes) if options.dry_run => break Ok(RunOutcome::Held(changes)),
                    Ok(changes) => note(journal, RunEventKind::Applying { of, changes }),
                    Err(refusal) => note(journal, RunEventKind::Unwritten { of, refusal }),
                },
                NextAction::Apply(of, changes) => match world.apply(journal.run(), &changes) {
                    Ok(()) => note(journal, RunEventKind::Applied(of)),
                    Err(refusal) => note(journal, RunEventKind::Unwritten { of, refusal }),
                },
                NextAction::Wait(until) if clock.wall() >= until => note(journal, RunEventKind::Expired),
                NextAction::Wait(_) => break Ok(RunOutcome::Waiting),
                NextAction::Stopped => break Ok(RunOutcome::Stopped),
                NextAction::Over(how) => break Ok(RunOutcome::Over(how)),
            };
            if let Err(error) = step {
                break Err(error);
            }
        };
        // Also a program that its thread was about to start.
        if !asking.is_empty() {
            world.end();
        }
        // The sender here lives: this ends when all have answered.
        while !asking.is_empty() {
            match said.recv() {
                Ok(WorkerMessage::Reply(of, _)) => drop(asking.remove(&of)),
                Ok(WorkerMessage::Progress(..) | WorkerMessage::Look) => {}
                Err(_) => break,
            }
        }
        if came.as_ref().is_ok_and(|came| *came == RunOutcome::Interrupted) {
            // Who ended this process may have ended the run.
            journal.refresh()?;
            if let NextAction::Over(how) = journal.run().next_action() {
                return Ok(RunOutcome::Over(how));
            }
        }
        came
    })
}

/// One asking, with all that a thread needs for it.
pub(crate) struct StepAsk {
    pub(crate) step: WorkflowStep,
    pub(crate) document: Value,
    pub(crate) limit: Duration,
    /// Who it is to the owner, where it proposes something.
    pub(crate) source: ProposalSource,
}

fn asking_of(run: &WorkflowRun, at: &StepAttempt, clock: &Clock) -> Option<StepAsk> {
    let step = run.definition().step(&at.step)?;
    Some(StepAsk {
        document: document(run, &at.step, clock.wall())?,
        limit: Duration::from_millis(run.remaining_ms(step)),
        source: proposal_source(run, &at.step)?,
        step: step.clone(),
    })
}

fn perform(world: &impl StepExecutor, at: StepAttempt, ask: &StepAsk, say: &Sender<WorkerMessage>) {
    let mut left = PROGRESS_MAX;
    let mut seen = |response: &Value| {
        if left > 0 {
            left -= 1;
            let _ = say.send(WorkerMessage::Progress(at.clone(), response.clone()));
        }
    };
    let reply = world.ask(ask, &mut seen);
    // The run may have come to its end meanwhile: then nobody wants to know.
    let _ = say.send(WorkerMessage::Reply(at, reply));
}
