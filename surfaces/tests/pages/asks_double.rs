//! Other people's programs, for a backend without a machine: it remembers what was asked of it and answers from a table.

use crate::morning::Double;
use serde_json::{Value, json};
use surfaces_base::{
    backend::{
        BackendError, BackendFuture,
        asks::{
            AskBackend, AskKind, AskProposal, AskRefusal, AskView, AskWait, AskableThing, AskableTool,
            ProgramClient,
        },
    },
    devices::DeviceId,
};
use toolcall_schema::{AskReport, AskState, ToolName, ids::RequestId};

/// The ask that there is.
pub(crate) const ASK: &str = "rq_0000000000000001";

fn view(state: AskState) -> AskView {
    AskView {
        ask: RequestId::parse(ASK).unwrap(),
        report: AskReport {
            state,
            until: None,
            trace_id: None,
            reason: None,
        },
    }
}

type Answer<T> = BackendFuture<Result<Result<T, AskRefusal>, BackendError>>;

impl AskBackend for Double {
    fn tools_for(&self, _: DeviceId) -> BackendFuture<Result<Vec<AskableTool>, BackendError>> {
        Self::ready(vec![AskableTool {
            tool: ToolName::PermitLeisure,
            kind: AskKind::Propose,
            fixed: json!({"window_min": 90}),
        }])
    }

    /// The key says what becomes of it.
    fn ask(&self, client: ProgramClient, proposal: AskProposal) -> Answer<AskView> {
        self.note(format!("ask {} {proposal:?}", client.door.as_str()));
        Self::ready(match proposal.key.as_str() {
            "over" => Ok(view(AskState::Expired)),
            "other" => Err(AskRefusal::OtherRequest),
            "many" => Err(AskRefusal::TooMany),
            _ => Ok(view(AskState::Queued)),
        })
    }

    fn ask_state(&self, _: DeviceId, ask: RequestId, wait: AskWait) -> Answer<AskView> {
        self.note(format!("state {ask} {} {:?}", wait.up_to.as_secs(), wait.seen));
        let there = ask.as_str() == ASK;
        Self::ready(there.then(|| view(AskState::Asking)).ok_or(AskRefusal::NoSuchAsk))
    }

    fn cancel_ask(&self, client: ProgramClient, ask: RequestId) -> Answer<AskView> {
        self.note(format!("cancel {} {ask}", client.door.as_str()));
        let there = ask.as_str() == ASK;
        Self::ready(
            there
                .then(|| view(AskState::Cancelled))
                .ok_or(AskRefusal::NoSuchAsk),
        )
    }

    fn read(&self, _: DeviceId, tool: ToolName, args: Value) -> Answer<Value> {
        self.note(format!("read {tool} {args}"));
        Self::ready(if tool == ToolName::SuggestSlots {
            Ok(json!({"slots": []}))
        } else {
            Err(AskRefusal::TooOften(7))
        })
    }

    fn device_revoked(&self, device: DeviceId) -> BackendFuture<()> {
        self.note(format!("revoked {}", device.as_str()));
        Box::pin(std::future::ready(()))
    }

    fn askable_things(&self, _: DeviceId) -> Answer<Vec<AskableThing>> {
        Self::ready(Ok(vec![AskableThing {
            id: "ch_00000000000000aa".to_owned(),
            label: "Choir".to_owned(),
        }]))
    }
}
