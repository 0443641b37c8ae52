//! Taking back what the owner did, as often as it takes.
//!
//! What: [`KnownActs`], the acts of a week with what they are held against, and [`take_back`]. Why: a page, a command and a notification take an act back in one
//! way, also while its agent hangs. Not here: whether and by which call it can be taken back (`render::undo`), making that call (the backend).

use crate::render::{
    acts::{self, ActContext, ActId, DoneAct},
    undo::{UndoStep, undo_step, undone_by},
};
use std::collections::BTreeMap;
use surfaces_base::backend::{Backend, BackendError, BackendFuture, NowView, OwnerCall, OwnerCallError};
use toolcall_schema::{
    Timestamp,
    catalogue::shared::ThingId,
    ids::{ChannelHash, TraceId},
    rule::OwnerInstruction,
};

/// The owner's acts of a week, with what they are held against.
#[derive(Debug, Clone)]
pub struct KnownActs {
    /// Newest first.
    pub all: Vec<DoneAct>,
    mutes: BTreeMap<ChannelHash, Timestamp>,
    now: NowView,
}

impl KnownActs {
    /// As they are now.
    ///
    /// # Errors
    /// What the backend says.
    pub async fn read(backend: &(impl Backend + ?Sized)) -> Result<Self, BackendError> {
        let (mutes, now) = (backend.status().await?.mutes, backend.now().await?);
        Ok(Self {
            all: acts::acts(&backend.acts().await?, &now.untraced),
            mutes,
            now,
        })
    }

    /// One of them, or an older one that has a trace.
    ///
    /// # Errors
    /// What the backend says.
    pub async fn find(
        &self,
        backend: &(impl Backend + ?Sized),
        id: &ActId,
    ) -> Result<Option<DoneAct>, BackendError> {
        if let Some(act) = self.all.iter().find(|act| act.id == *id) {
            return Ok(Some(act.clone()));
        }
        let Some(trace) = id.trace() else { return Ok(None) };
        let trace = backend.trace(trace.clone()).await?;
        Ok(trace.and_then(|trace| DoneAct::from_trace(&trace, &self.now.untraced)))
    }

    /// What is in force beside them.
    pub fn context(&self) -> ActContext<'_> {
        ActContext::new(&self.now, &self.mutes)
    }
}

/// What became of taking an act back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TakingBack {
    NoSuchAct,
    /// It was taken back before.
    Already,
    /// By the call of this trace; absent: by none.
    Done(Option<TraceId>),
    Failed(OwnerCallError),
}

/// Takes an act back by `end`. An agent that hung is started again meanwhile, and asked once more: it may have done it all the same, and what was done to the same
/// thing since the owner looked is another act.
///
/// # Errors
/// What the backend says.
pub async fn take_back(
    backend: &(impl Backend + ?Sized),
    id: &ActId,
    mut end: impl FnMut(OwnerCall) -> BackendFuture<Result<Result<TraceId, OwnerCallError>, BackendError>>,
) -> Result<TakingBack, BackendError> {
    let mut is_last = false;
    loop {
        let known = KnownActs::read(backend).await?;
        let Some(act) = known.find(backend, id).await? else {
            return Ok(TakingBack::NoSuchAct);
        };
        let call = match undo_step(&act, &known.all, &known.context()) {
            Ok(UndoStep::Call(call)) => call,
            Ok(UndoStep::Already) => return Ok(TakingBack::Already),
            Ok(UndoStep::AddRule(rule)) => {
                let given = backend.instruct(OwnerInstruction::Rule { rule }).await?;
                return Ok(match given {
                    Ok(()) => TakingBack::Done(None),
                    Err(why) => TakingBack::Failed(OwnerCallError::NoRule(why)),
                });
            }
            Ok(UndoStep::RestoreDraft(of)) => {
                // Its agent offers no other one then.
                if let ThingId::Item(item) = &of {
                    match end(OwnerCall::RestoreReply(item.clone())).await? {
                        Ok(_) => {}
                        Err(OwnerCallError::NoAnswer) if !is_last => {
                            is_last = true;
                            continue;
                        }
                        Err(why) => return Ok(TakingBack::Failed(why)),
                    }
                }
                return Ok(if backend.restore_draft(of).await? {
                    TakingBack::Done(None)
                } else {
                    TakingBack::Failed(OwnerCallError::UndoTooLate)
                });
            }
            Err(why) => return Ok(TakingBack::Failed(why)),
        };
        match undone_by(end(call).await?) {
            Ok(Some(trace)) => return Ok(TakingBack::Done(Some(trace))),
            Ok(None) => return Ok(TakingBack::Already),
            Err(OwnerCallError::NoAnswer) if !is_last => is_last = true,
            Err(why) => return Ok(TakingBack::Failed(why)),
        }
    }
}
