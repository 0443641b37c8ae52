//! Deletions that are asked for on a page.
//!
//! What: [`PageDeletions`], which pages ask, and [`serve_deletions`], which counts, waits until nobody has called it off, and has it done. Why: a person may change
//! her mind for a moment. Not here: what goes and how (`removing`), the page (`surfaces`).
//!
//! What waits is kept in memory alone: where the service ends within those seconds nothing goes, and nothing was said to have gone.

use crate::{
    control::{DeletionRequest, ProgressSender},
    kept_things,
    removing::{DataRemover, RemovalError, RemovalOutcome, blocking},
};
use aura_memory::StoreReader;
use futures_util::future::OptionFuture;
use std::{collections::BTreeSet, future::Future, pin::Pin};
use surfaces_base::{
    backend::{
        BackendError,
        forgetting::{CALL_OFF_WITHIN, ForgetChoice, ForgetStage, Forgetting, RemovedBySort},
    },
    format,
};
use tokio::{
    sync::{mpsc, oneshot},
    time::{Instant, sleep_until},
};
use toolcall_schema::{
    catalogue::shared::ThingId,
    forget::{ErasureScope, TimeSpan},
};

/// Requests that wait; one owner makes no more at once.
const WAITING_MAX: usize = 8;

/// How pages ask for deletions.
#[derive(Debug, Clone)]
pub struct PageDeletions {
    requests: mpsc::Sender<PageDeletionRequest>,
}

/// What a page has forgotten.
#[derive(Debug, Clone)]
pub struct PageDeletion {
    pub what: ForgetChoice,
    /// The other addresses of somebody who is forgotten.
    pub others: Vec<ThingId>,
}

/// A question of a page, and who waits for the answer.
pub(crate) enum PageDeletionRequest {
    Count(PageDeletion, oneshot::Sender<Result<RemovedBySort, BackendError>>),
    Begin(PageDeletion, oneshot::Sender<Option<Forgetting>>),
    CallOff(oneshot::Sender<Option<Forgetting>>),
    Look(oneshot::Sender<Option<Forgetting>>),
}

impl PageDeletions {
    /// With the requests for [`serve_deletions`].
    pub(crate) fn new() -> (Self, mpsc::Receiver<PageDeletionRequest>) {
        let (requests, received) = mpsc::channel(WAITING_MAX);
        (Self { requests }, received)
    }

    async fn ask<T>(
        &self,
        request: impl FnOnce(oneshot::Sender<T>) -> PageDeletionRequest,
    ) -> Result<T, BackendError> {
        let (reply, replied) = oneshot::channel();
        self.requests
            .try_send(request(reply))
            .map_err(|_| BackendError::Busy)?;
        replied.await.map_err(|_| BackendError::Stopping)
    }

    /// How many of each sort would go.
    ///
    /// # Errors
    /// Busy or stopping.
    pub async fn count(&self, what: PageDeletion) -> Result<RemovedBySort, BackendError> {
        self.ask(|reply| PageDeletionRequest::Count(what, reply)).await?
    }

    /// Begins one, unless one is under way: which is.
    ///
    /// # Errors
    /// Busy or stopping.
    pub async fn begin(&self, what: PageDeletion) -> Result<Option<Forgetting>, BackendError> {
        self.ask(|reply| PageDeletionRequest::Begin(what, reply)).await
    }

    /// Calls off what waits.
    ///
    /// # Errors
    /// Busy or stopping.
    pub async fn call_off(&self) -> Result<Option<Forgetting>, BackendError> {
        self.ask(PageDeletionRequest::CallOff).await
    }

    /// What is under way, or came of the last.
    ///
    /// # Errors
    /// Busy or stopping.
    pub async fn look(&self) -> Result<Option<Forgetting>, BackendError> {
        self.ask(PageDeletionRequest::Look).await
    }
}

/// Has it removed, or counted, by the days of the owner's zone now and by what is remembered now.
async fn remove(
    removing: &DataRemover,
    PageDeletion { what, others }: PageDeletion,
    dry_run: bool,
) -> Result<RemovalOutcome, RemovalError> {
    let asked = match what {
        ForgetChoice::Everything => DeletionRequest {
            span: ErasureScope::everything().span,
            ..DeletionRequest::default()
        },
        ForgetChoice::Day(day) => {
            let zone = removing.zone().await?;
            let next = day.succ_opt().unwrap_or(day);
            let span = Some(TimeSpan {
                from: format::midnight(day, zone),
                to: format::midnight(next, zone),
            });
            DeletionRequest {
                span,
                ..DeletionRequest::default()
            }
        }
        ForgetChoice::Thing(thing) => DeletionRequest {
            keys: std::iter::once(&thing)
                .chain(&others)
                .filter_map(kept_things::key_of)
                .collect(),
            ..DeletionRequest::default()
        },
        ForgetChoice::Measured(kind) => DeletionRequest {
            measured: BTreeSet::from([kind]),
            ..DeletionRequest::default()
        },
        ForgetChoice::Kind(kind) => {
            let vault = removing.vault().clone();
            let keys = blocking(move || Ok(kept_things::keys(&StoreReader::open(&vault)?, kind)?)).await?;
            DeletionRequest {
                keys,
                ..DeletionRequest::default()
            }
        }
    };
    removing.delete(asked, dry_run, &ProgressSender::default()).await
}

/// How a deletion stands at this moment: of one that waits, how long it can still be called off.
fn stands(now: Option<&Forgetting>, due: Option<Instant>) -> Option<Forgetting> {
    let mut now = now.cloned()?;
    if let Some(due) = due {
        now.stage = ForgetStage::Waits(due.saturating_duration_since(Instant::now()));
    }
    Some(now)
}

/// A deletion that runs.
type RunningDeletion = Pin<Box<dyn Future<Output = Result<RemovalOutcome, RemovalError>>>>;

/// Answers until it is dropped.
pub(crate) async fn serve_deletions(
    mut requests: mpsc::Receiver<PageDeletionRequest>,
    removing: DataRemover,
) {
    let mut now: Option<Forgetting> = None;
    let mut others: Vec<ThingId> = Vec::new();
    let mut due: Option<Instant> = None;
    let mut running: Option<RunningDeletion> = None;
    loop {
        tokio::select! {
            // What was called off before its time came does not go, also where a count took longer.
            biased;
            request = requests.recv() => match request {
                None => return,
                Some(PageDeletionRequest::Count(what, reply)) => {
                    let counted = remove(&removing, what, true).await;
                    let counted = counted.map(|(removed, _)| removed.0).map_err(|_| BackendError::Busy);
                    let _ = reply.send(counted);
                }
                Some(PageDeletionRequest::Begin(asked, reply)) => {
                    if due.is_none() && running.is_none() {
                        due = Some(Instant::now() + CALL_OFF_WITHIN);
                        others = asked.others;
                        now = Some(Forgetting { what: asked.what, stage: ForgetStage::Waits(CALL_OFF_WITHIN) });
                    }
                    let _ = reply.send(stands(now.as_ref(), due));
                }
                Some(PageDeletionRequest::CallOff(reply)) => {
                    if due.take().is_some()
                        && let Some(now) = &mut now
                    {
                        now.stage = ForgetStage::CalledOff;
                    }
                    let _ = reply.send(now.clone());
                }
                Some(PageDeletionRequest::Look(reply)) => {
                    let _ = reply.send(stands(now.as_ref(), due));
                }
            },
            () = sleep_until(due.unwrap_or_else(Instant::now)), if due.is_some() => {
                due = None;
                if let Some(now) = &mut now {
                    now.stage = ForgetStage::Goes;
                    let removing = removing.clone();
                    let what = PageDeletion {
                        what: now.what.clone(),
                        others: std::mem::take(&mut others),
                    };
                    running = Some(Box::pin(async move { remove(&removing, what, false).await }));
                }
            }
            Some(done) = OptionFuture::from(running.as_mut()) => {
                running = None;
                if let Some(now) = &mut now {
                    now.stage = match done {
                        Ok((removed, _)) => ForgetStage::Gone(removed.0),
                        Err(RemovalError::Busy(why) | RemovalError::Failed(why)) => ForgetStage::Failed(why),
                    };
                }
            }
        }
    }
}
