//! Executing a run: what is next is done, and written down.
//!
//! What: [`go_on`], a thin loop over [`World`]. Why: it decides nothing, so that a process that is killed anywhere in it leaves a journal
//! that the next one goes on with. Not here: what is next (`orchestrator_machine::workflow`), who may execute a run ([`super::execution`]).

use super::{Journal, Stop, WorkflowError, journal::Line};
use aura_platform::clock::Clock;
use orchestrator_machine::workflow::{
    definition::Step,
    event::{Answer, At, Change, Claimed, Measured, Refusal, What},
    run::{How, Next, Run, Writing},
    thread::document,
};
use serde_json::Value;
use std::{
    collections::BTreeSet,
    sync::mpsc::{self, Sender},
    thread,
    time::Duration,
};

/// Of the messages that say how far an agent is, so many of one asking are written down.
const PROGRESS_MAX: u32 = 1000;

/// All that is outside: programs and files.
pub trait World: Sync {
    /// Asks a step's agent. `seen` is told what it says before its answer.
    fn ask(&self, step: &Step, document: &Value, limit: Duration, seen: &mut dyn FnMut(&Value)) -> Reply;

    /// What would be written of an asking's answer, against the files as they are.
    ///
    /// # Errors
    /// Why it cannot be.
    fn plan(&self, run: &Run, of: &At, writing: &Writing) -> Result<Vec<Change>, Refusal>;

    /// Writes all of it or nothing; what is written already stays.
    ///
    /// # Errors
    /// Why not: nothing is written then.
    fn apply(&self, run: &Run, changes: &[Change]) -> Result<(), Refusal>;

    /// Ends whatever is being asked.
    fn end(&self);
}

/// What came of an asking.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// The answer.
    pub answer: Answer,
    /// What it took.
    pub measured: Measured,
    /// What the agent says that it took.
    pub claimed: Option<Claimed>,
}

/// How a run is executed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Options {
    /// Stop before anything is written.
    pub dry_run: bool,
}

/// Where a run came to.
#[derive(Debug, Clone, PartialEq)]
pub enum Came {
    /// Its end.
    Over(How),
    /// A question to its owner.
    Waiting,
    /// A step that failed.
    Stopped,
    /// Something that would be written.
    Held(Vec<Change>),
    /// Somebody ended this process; the run can be resumed.
    Interrupted,
}

/// What a thread says.
enum Said {
    Progress(At, Value),
    Reply(At, Reply),
    /// Look whether it is to end.
    Look,
}

/// Does what is next until nothing is. `tell` is told of each event that is written down.
///
/// # Errors
/// The journal cannot be written, or `tell` says so.
pub fn go_on<E: From<WorkflowError>>(
    journal: &mut Journal,
    world: &impl World,
    options: Options,
    stop: &Stop,
    tell: &mut dyn FnMut(&Line) -> Result<(), E>,
) -> Result<Came, E> {
    let clock = Clock::real(None);
    let (say, said) = mpsc::channel();
    stop.wakes({
        let say = say.clone();
        move || {
            // Nobody listens any more when the run has come to its end.
            let _ = say.send(Said::Look);
        }
    });
    thread::scope(|scope| {
        let mut asking: BTreeSet<At> = BTreeSet::new();
        let mut note = |journal: &mut Journal, what: What| match journal.append(clock.wall(), what) {
            Ok(line) => tell(&line),
            // Somebody ended the run meanwhile, which the next look says.
            Err(WorkflowError::Illegal(_)) if matches!(journal.run().next(), Next::Over(_)) => Ok(()),
            Err(error) => Err(error.into()),
        };
        let came = loop {
            if stop.is_asked() {
                break Ok(Came::Interrupted);
            }
            let step = match journal.run().next() {
                Next::Ask(open) => {
                    let mut begun = Ok(());
                    for at in open {
                        if asking.contains(&at) || begun.is_err() {
                            continue;
                        }
                        begun = note(journal, What::Asked(at.clone()));
                        if let (Ok(()), Some(ask)) = (&begun, asking_of(journal.run(), &at, &clock)) {
                            let say = say.clone();
                            asking.insert(at.clone());
                            scope.spawn(move || perform(world, at, &ask, &say));
                        }
                    }
                    begun.and_then(|()| match said.recv() {
                        Ok(Said::Progress(of, response)) => note(journal, What::Progressed { of, response }),
                        Ok(Said::Reply(of, _)) if stop.is_asked() => {
                            asking.remove(&of);
                            Ok(())
                        }
                        Ok(Said::Reply(of, reply)) => {
                            asking.remove(&of);
                            let Reply {
                                answer,
                                measured,
                                claimed,
                            } = reply;
                            note(
                                journal,
                                What::Ended {
                                    of,
                                    answer,
                                    measured,
                                    claimed,
                                },
                            )
                        }
                        Ok(Said::Look) | Err(_) => Ok(()),
                    })
                }
                Next::Write(of, writing) => match world.plan(journal.run(), &of, &writing) {
                    Ok(changes) if options.dry_run => break Ok(Came::Held(changes)),
                    Ok(changes) => note(journal, What::Applying { of, changes }),
                    Err(refusal) => note(journal, What::Unwritten { of, refusal }),
                },
                Next::Apply(of, changes) => match world.apply(journal.run(), &changes) {
                    Ok(()) => note(journal, What::Applied(of)),
                    Err(refusal) => note(journal, What::Unwritten { of, refusal }),
                },
                Next::Wait(until) if clock.wall() >= until => note(journal, What::Expired),
                Next::Wait(_) => break Ok(Came::Waiting),
                Next::Stopped => break Ok(Came::Stopped),
                Next::Over(how) => break Ok(Came::Over(how)),
            };
            if let Err(error) = step {
                break Err(error);
            }
        };
        // Also a program that its thread was about to start: those that answer are counted, not those that were ended.
        while !asking.is_empty() {
            world.end();
            if let Ok(Said::Reply(of, _)) = said.recv_timeout(Duration::from_millis(20)) {
                asking.remove(&of);
            }
        }
        if came.as_ref().is_ok_and(|came| *came == Came::Interrupted) {
            // Who ended this process may have ended the run.
            journal.refresh()?;
            if let Next::Over(how) = journal.run().next() {
                return Ok(Came::Over(how));
            }
        }
        came
    })
}

/// One asking, with all that a thread needs for it.
struct Ask {
    step: Step,
    document: Value,
    limit: Duration,
}

fn asking_of(run: &Run, at: &At, clock: &Clock) -> Option<Ask> {
    let step = run.definition().step(&at.step)?;
    Some(Ask {
        document: document(run, &at.step, clock.wall())?,
        limit: Duration::from_millis(run.left_ms(step)),
        step: step.clone(),
    })
}

fn perform(world: &impl World, at: At, ask: &Ask, say: &Sender<Said>) {
    let mut left = PROGRESS_MAX;
    let mut seen = |response: &Value| {
        if left > 0 {
            left -= 1;
            let _ = say.send(Said::Progress(at.clone(), response.clone()));
        }
    };
    let reply = world.ask(&ask.step, &ask.document, ask.limit, &mut seen);
    // The run may have come to its end meanwhile: then nobody wants to know.
    let _ = say.send(Said::Reply(at, reply));
}
