//! A double of what programs ask, and of what they may read of Aura itself. No person in it is real.

use aura_doors::mcp::ResourceBackend;
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    future::ready,
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};
use surfaces_base::{
    backend::{
        BackendError, BackendFuture, NowView, UiEvent,
        asks::{
            AskBackend, AskKind, AskProposal, AskRefusal, AskView, AskWait, AskableThing, AskableTool,
            ProgramClient,
        },
        console::{CatalogueView, ConstantField, PolicyView},
    },
    devices::DeviceId,
};
use tokio::sync::{broadcast, watch};
use toolcall_schema::{
    AskReport, AskState, Timestamp, ToolName,
    ids::{RequestId, TraceId},
    trace::Trace,
};

pub(crate) const ASK: &str = "rq_00000000000000a1";

/// One owner, whose one ask is in `state`.
pub(crate) struct AsksDouble {
    pub(crate) state: watch::Sender<AskState>,
    /// A wait ends at once without a change, as after 20 s.
    pub(crate) impatient: AtomicBool,
    pub(crate) waiting: watch::Sender<usize>,
    pub(crate) asked: AtomicUsize,
    pub(crate) log: Mutex<Vec<String>>,
    /// The answer to an ask or a read, in place of a good one.
    pub(crate) refusal: Mutex<Option<AskRefusal>>,
    /// By key: whose ask it is.
    keys: Mutex<BTreeMap<String, DeviceId>>,
    pub(crate) changes: broadcast::Sender<UiEvent>,
}

impl Default for AsksDouble {
    fn default() -> Self {
        Self {
            state: watch::Sender::new(AskState::Queued),
            impatient: AtomicBool::default(),
            waiting: watch::Sender::new(0),
            asked: AtomicUsize::default(),
            log: Mutex::default(),
            refusal: Mutex::default(),
            keys: Mutex::default(),
            changes: broadcast::Sender::new(16),
        }
    }
}

impl AsksDouble {
    pub(crate) fn log(&self) -> Vec<String> {
        self.log.lock().unwrap().clone()
    }

    fn note(&self, line: String) {
        self.log.lock().unwrap().push(line);
    }

    fn view(&self) -> AskView {
        view_of(*self.state.borrow())
    }

    fn is_of(&self, device: &DeviceId) -> bool {
        self.keys.lock().unwrap().values().any(|owner| owner == device)
    }
}

fn view_of(state: AskState) -> AskView {
    AskView {
        ask: RequestId::parse(ASK).unwrap(),
        report: AskReport {
            state,
            until: (!state.is_over()).then(|| ts("2026-11-03T03:15:00Z")),
            trace_id: None,
            reason: None,
        },
    }
}

pub(crate) fn ts(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

fn now<T: Send + 'static>(value: T) -> BackendFuture<T> {
    Box::pin(ready(value))
}

impl AskBackend for AsksDouble {
    fn tools_for(&self, device: DeviceId) -> BackendFuture<Result<Vec<AskableTool>, BackendError>> {
        let tool = |tool, kind, fixed| AskableTool { tool, kind, fixed };
        now(Ok(match device.as_str() {
            "dev_nothing" => vec![],
            _ => vec![
                tool(
                    ToolName::MuteChannel,
                    AskKind::Propose,
                    json!({"ttl_seconds": 1800}),
                ),
                tool(ToolName::SuggestSlots, AskKind::Read, json!({})),
                tool(
                    ToolName::StartNapTimer,
                    AskKind::Propose,
                    json!({"duration_min": 15}),
                ),
            ],
        }))
    }

    fn ask(
        &self,
        client: ProgramClient,
        proposal: AskProposal,
    ) -> BackendFuture<Result<Result<AskView, AskRefusal>, BackendError>> {
        if let Some(refusal) = *self.refusal.lock().unwrap() {
            return now(Ok(Err(refusal)));
        }
        self.asked.fetch_add(1, Ordering::Relaxed);
        let mut keys = self.keys.lock().unwrap();
        if keys.insert(proposal.key, client.device.clone()).is_none() {
            self.note(format!(
                "ask {} {} {} {}",
                client.device.as_str(),
                client.door.as_str(),
                proposal.tool,
                proposal.args
            ));
        }
        now(Ok(Ok(self.view())))
    }

    fn ask_state(
        &self,
        device: DeviceId,
        _: RequestId,
        wait: AskWait,
    ) -> BackendFuture<Result<Result<AskView, AskRefusal>, BackendError>> {
        if !self.is_of(&device) {
            return now(Ok(Err(AskRefusal::NoSuchAsk)));
        }
        let view = self.view();
        if wait.up_to.is_zero() || self.impatient.load(Ordering::Relaxed) {
            return now(Ok(Ok(view)));
        }
        let mut state = self.state.subscribe();
        let waiting = self.waiting.clone();
        waiting.send_modify(|count| *count += 1);
        Box::pin(async move {
            let seen = wait.seen;
            let now = state.wait_for(|state| Some(*state) != seen).await;
            Ok(Ok(view_of(now.map_or(view.report.state, |state| *state))))
        })
    }

    fn cancel_ask(
        &self,
        client: ProgramClient,
        _: RequestId,
    ) -> BackendFuture<Result<Result<AskView, AskRefusal>, BackendError>> {
        if !self.is_of(&client.device) {
            return now(Ok(Err(AskRefusal::NoSuchAsk)));
        }
        self.note(format!(
            "cancel {} {}",
            client.door.as_str(),
            client.device.as_str()
        ));
        self.state.send_if_modified(|state| {
            let open = !state.is_over();
            if open {
                *state = AskState::Cancelled;
            }
            open
        });
        now(Ok(Ok(self.view())))
    }

    fn read(
        &self,
        device: DeviceId,
        tool: ToolName,
        args: Value,
    ) -> BackendFuture<Result<Result<Value, AskRefusal>, BackendError>> {
        if let Some(refusal) = *self.refusal.lock().unwrap() {
            return now(Ok(Err(refusal)));
        }
        self.note(format!("read {} {tool} {args}", device.as_str()));
        now(Ok(Ok(json!({"slots": [
            {"start": "2026-11-03T09:00:00.000Z", "end": "2026-11-03T10:00:00.000Z"}
        ]}))))
    }

    fn askable_things(
        &self,
        _: DeviceId,
    ) -> BackendFuture<Result<Result<Vec<AskableThing>, AskRefusal>, BackendError>> {
        now(Ok(Ok(vec![AskableThing {
            id: "ch_00000000000000b2".to_owned(),
            label: "Five-a-side".to_owned(),
        }])))
    }

    fn device_revoked(&self, _: DeviceId) -> BackendFuture<()> {
        now(())
    }
}

impl ResourceBackend for AsksDouble {
    fn now_view(&self) -> BackendFuture<Result<NowView, BackendError>> {
        let ledger =
            json!({"day": "2026-11-03", "ceiling": 3, "free": 2, "reserved": 0, "settled": 1, "refunded": 0});
        now(Ok(NowView {
            at: ts("2026-11-03T02:15:00Z"),
            zone: "Asia/Kolkata".to_owned(),
            card: None,
            asked_by: vec![],
            is_refunded: false,
            ceiling_from_midnight: None,
            ledger: serde_json::from_value(ledger).unwrap(),
            dnd: false,
            paused_until: None,
            rules: vec![],
            untraced: surfaces_base::backend::UntracedActs::default(),
            last_silent: None,
            next_possible: None,
            looks_again: ts("2026-11-03T02:30:00Z"),
            listens_at: Some("home.example".to_owned()),
            collector: None,
            health: vec![],
        }))
    }

    fn policy_view(&self) -> BackendFuture<Result<PolicyView, BackendError>> {
        now(Ok(PolicyView {
            hash: "a".repeat(64),
            text: "# a note of the owner's".to_owned(),
            built_in: true,
            differences: vec![],
            constants: vec![ConstantField {
                key: "caps.window_min",
                value: "30".to_owned(),
                unit: "min",
                means: "so long nothing is shown after a card",
            }],
            catalogue: CatalogueView {
                hash: "b".repeat(64),
                accepted: None,
            },
        }))
    }

    fn one_trace(&self, _: TraceId) -> BackendFuture<Result<Option<Trace>, BackendError>> {
        now(Ok(None))
    }

    fn changes(&self) -> broadcast::Receiver<UiEvent> {
        self.changes.subscribe()
    }
}
