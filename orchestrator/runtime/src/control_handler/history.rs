//! What the owner did, and taking it back, for commands.
//!
//! What: the acts of the last week in sentences, and the undo of one. Why: what a page lists and takes back, a terminal lists and takes back in the same
//! way. Not here: what an act is and by which call it is taken back (`surfaces::render::acts`), that call (`backend::calls`), names, which only
//! pages show.

use super::ServiceControlHandler;
use crate::control::{ActReversal, ControlReply, ListedAct, UndoneAct};
use std::cmp::Reverse;
use surfaces::{
    render::acts::{ActKind, DoneAct, UndoState},
    undoing::{KnownActs, TakingBack, take_back},
};
use surfaces_base::{
    OwnerBackend,
    backend::{BackendError, BackendFuture, DisplayNames, OwnerCallError, deliveries::DeliveryView},
    language::{say, text},
    words,
};
use toolcall_schema::trace::Asker;

/// The acts of the last week, with the outboxes that some of them went to.
struct ListedActs {
    known: KnownActs,
    deliveries: Vec<DeliveryView>,
}

impl ListedActs {
    fn describe(&self, act: &DoneAct) -> ListedAct {
        let (context, names) = (self.known.context(), DisplayNames::default());
        let delivery = self
            .deliveries
            .iter()
            .find(|one| act.id.trace() == Some(&one.trace_id));
        let state = act.undo(&self.known.all, &context);
        let undo = match state {
            UndoState::Offered => ActReversal::Offered,
            // What a dismissal meant can be said again.
            UndoState::Undone(_) | UndoState::Over if matches!(act.act, ActKind::Dismissed(_)) => {
                ActReversal::Nothing
            }
            UndoState::Undone(_) => ActReversal::Undone,
            UndoState::Over => ActReversal::Over,
            UndoState::Nothing => ActReversal::Nothing,
        };
        ListedAct {
            trace_id: act.id.trace().cloned(),
            instruction: act.id.trace().is_none().then(|| act.id.to_string()),
            at: act.at,
            says: delivery
                .and_then(|_| act.says_delivered(&names, context.now, context.zone))
                .unwrap_or_else(|| act.says(&names, act.is_past(state), context.now, context.zone)),
            delivery: delivery.map(words::delivery_says),
            thing: act.thing(),
            undo,
        }
    }

    fn find(&self, beginning: Option<&str>) -> Result<&DoneAct, String> {
        let Some(beginning) = beginning else {
            let (all, context) = (&self.known.all, self.known.context());
            let mut offered = all
                .iter()
                .filter(|act| !act.takes_back() && act.undo(all, &context) == UndoState::Offered);
            return offered
                .next()
                .ok_or_else(|| text("control-nothing-to-undo").to_owned());
        };
        let mut found = self
            .known
            .all
            .iter()
            .filter(|act| act.id.to_string().starts_with(beginning));
        match (found.next(), found.next()) {
            (Some(act), None) => Ok(act),
            (None, _) => Err(say!("control-no-act", beginning)),
            (Some(one), Some(other)) => Err(say!(
                "control-several-acts",
                beginning,
                one = one.id.to_string(),
                other = other.id.to_string()
            )),
        }
    }
}

impl ServiceControlHandler {
    /// What the owner did in the last week, newest first.
    pub(super) async fn history(&self) -> Result<ControlReply, BackendError> {
        let listed = self.listed_acts().await?;
        let of_record = |act: surfaces_base::backend::owner::AuditAct| ListedAct {
            trace_id: None,
            instruction: None,
            at: act.at,
            says: words::audit_act(&act.op, act.kind.as_deref(), act.id.as_deref(), act.count),
            delivery: None,
            thing: None,
            undo: ActReversal::Nothing,
        };
        let recorded = self.backend.recorded_acts().await?.into_iter().map(of_record);
        let (all, zone) = (&listed.known.all, listed.known.context().zone);
        let told = all.iter().filter(|act| !act.stands_with_its_card(all, zone));
        let mut told: Vec<ListedAct> = told.map(|act| listed.describe(act)).collect();
        told.extend(recorded);
        told.sort_by_key(|act| Reverse(act.at));
        Ok(ControlReply::Acts(told))
    }

    /// Takes back the act whose id begins so; `None`: the newest that can be taken back.
    pub(super) async fn undo(&self, beginning: Option<&str>) -> Result<ControlReply, BackendError> {
        let listed = self.listed_acts().await?;
        let act = match listed.find(beginning) {
            Ok(act) => act,
            Err(why) => return Ok(ControlReply::Error(why)),
        };
        let done = |trace_id, was_undone| {
            ControlReply::Undone(Box::new(UndoneAct {
                act: listed.describe(act),
                trace_id,
                was_undone,
            }))
        };
        let end = |call| -> BackendFuture<_> {
            let backend = self.backend.clone();
            Box::pin(async move { backend.owner_call(Asker::OwnerCommand, call, None).await })
        };
        Ok(match take_back(&self.backend, &act.id, end).await? {
            TakingBack::Done(trace) => done(trace, false),
            TakingBack::Already => done(None, true),
            TakingBack::Failed(why) => refusal(why),
            TakingBack::NoSuchAct => refusal(OwnerCallError::NothingToUndo),
        })
    }

    async fn listed_acts(&self) -> Result<ListedActs, BackendError> {
        Ok(ListedActs {
            known: KnownActs::read(&self.backend).await?,
            deliveries: OwnerBackend::deliveries(&self.backend).await,
        })
    }
}

fn refusal(problem: OwnerCallError) -> ControlReply {
    ControlReply::Error(problem.to_string())
}
