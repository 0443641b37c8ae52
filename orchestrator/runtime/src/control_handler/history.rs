//! What the owner did, and taking it back, for commands.
//!
//! What: the acts of the last week in sentences, and the undo of one. Why: what a page lists and takes back, a terminal lists and takes back in the same
//! way. Not here: what an act is and by which call it is taken back (`surfaces::render::acts`), that call (`backend::calls`), names, which only
//! pages show.

use super::ServiceControlHandler;
use crate::control::{ActReversal, ControlReply, ListedAct, UndoneAct};
use std::{cmp::Reverse, collections::BTreeMap};
use surfaces::{
    Backend as _, OwnerBackend,
    backend::{BackendError, DisplayNames, NowView, OwnerCallError, deliveries::DeliveryView},
    render::{
        acts::{self, ActContext, ActKind, DoneAct, UndoState},
        undo::{UndoStep, undo_step, undone_by},
    },
    words,
};
use toolcall_schema::{Timestamp, ids::ChannelHash, trace::Asker};

/// The acts of the last week, with what they are held against.
struct KnownActs {
    acts: Vec<DoneAct>,
    deliveries: Vec<DeliveryView>,
    now: NowView,
    mutes: BTreeMap<ChannelHash, Timestamp>,
}

impl KnownActs {
    fn context(&self) -> ActContext<'_> {
        ActContext::new(&self.now, &self.mutes)
    }

    fn describe(&self, act: &DoneAct) -> ListedAct {
        let (context, names) = (self.context(), DisplayNames::default());
        let delivery = self
            .deliveries
            .iter()
            .find(|one| act.id.trace() == Some(&one.trace_id));
        let undo = match act.undo(&self.acts, &context) {
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
                .unwrap_or_else(|| {
                    let is_undone = undo == ActReversal::Undone;
                    act.says(&names, is_undone, context.now, context.zone)
                }),
            delivery: delivery.map(words::delivery_says),
            thing: act.thing(),
            undo,
        }
    }

    fn find(&self, beginning: Option<&str>) -> Result<&DoneAct, String> {
        let Some(beginning) = beginning else {
            let mut offered = self
                .acts
                .iter()
                .filter(|act| act.undo(&self.acts, &self.context()) == UndoState::Offered);
            return offered
                .next()
                .ok_or_else(|| "nothing that you did can be taken back now".to_owned());
        };
        let mut found = self
            .acts
            .iter()
            .filter(|act| act.id.to_string().starts_with(beginning));
        match (found.next(), found.next()) {
            (Some(act), None) => Ok(act),
            (None, _) => Err(format!(
                "no act of yours begins with {beginning}: `aura history` lists them"
            )),
            (Some(one), Some(other)) => Err(format!(
                "more than one act begins with {beginning}: {}, {}",
                one.id, other.id
            )),
        }
    }
}

impl ServiceControlHandler {
    /// What the owner did in the last week, newest first.
    pub(super) async fn history(&self) -> Result<ControlReply, BackendError> {
        let known = self.known_acts().await?;
        let of_record = |act: surfaces::backend::owner::AuditAct| ListedAct {
            trace_id: None,
            instruction: None,
            at: act.at,
            says: words::audit_act(&act.op, act.kind.as_deref(), act.count),
            delivery: None,
            thing: None,
            undo: ActReversal::Nothing,
        };
        let recorded = self.backend.recorded_acts().await?.into_iter().map(of_record);
        let zone = known.context().zone;
        let told = known
            .acts
            .iter()
            .filter(|act| !act.stands_with_its_card(&known.acts, zone));
        let mut listed: Vec<ListedAct> = told.map(|act| known.describe(act)).collect();
        listed.extend(recorded);
        listed.sort_by_key(|act| Reverse(act.at));
        Ok(ControlReply::Acts(listed))
    }

    /// Takes back the act whose id begins so; `None`: the newest that can be taken back.
    pub(super) async fn undo(&self, beginning: Option<&str>) -> Result<ControlReply, BackendError> {
        let known = self.known_acts().await?;
        let act = match known.find(beginning) {
            Ok(act) => act,
            Err(why) => return Ok(ControlReply::Error(why)),
        };
        let done = |trace_id| {
            ControlReply::Undone(Box::new(UndoneAct {
                act: known.describe(act),
                trace_id,
            }))
        };
        let call = match undo_step(act, &known.acts, &known.context()) {
            Ok(UndoStep::Already) => return Ok(done(None)),
            Ok(UndoStep::Call(call)) => call,
            Err(problem) => return Ok(refusal(problem)),
        };
        let called = self.backend.owner_call(Asker::OwnerCommand, call, None).await?;
        Ok(undone_by(called).map_or_else(refusal, done))
    }

    async fn known_acts(&self) -> Result<KnownActs, BackendError> {
        let status = OwnerBackend::status(&self.backend).await?;
        let now = self.backend.now().await?;
        Ok(KnownActs {
            acts: acts::acts(&self.backend.acts().await?, &now.untraced),
            deliveries: OwnerBackend::deliveries(&self.backend).await,
            now,
            mutes: status.mutes,
        })
    }
}

fn refusal(problem: OwnerCallError) -> ControlReply {
    ControlReply::Error(problem.to_string())
}
