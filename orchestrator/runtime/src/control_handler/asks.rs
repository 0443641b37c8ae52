//! What programs ask over the owner's own socket.
//!
//! What: proposing, the state of an ask, taking one back, the list for the owner. Why: `aura ask` is a door as any other, without a device. Not
//! here: programs with a device's token (`backend::asks`), what waits (`orchestrator_machine::asks`).

use super::{ServiceControlHandler, refused};
use crate::control::{ControlReply, ListedAsk};
use orchestrator_machine::{asks::report_of_any, calls::CallRefusal};
use serde_json::Value;
use std::time::Duration;
use surfaces_base::{
    backend::{
        BackendError,
        asks::{AskRefusal, AskWait},
    },
    language::{say, text},
};
use toolcall_schema::{ToolName, ids::RequestId};

/// A state is held back no longer: the socket's own time is a little more.
const HELD: Duration = Duration::from_secs(3);

impl ServiceControlHandler {
    /// Has a program's wish wait for the owner; answered when it is on disk.
    pub(super) async fn ask(
        &self,
        tool: ToolName,
        args: Value,
        key: &str,
        wait_min: Option<u16>,
    ) -> Result<ControlReply, BackendError> {
        let asked = self.backend.ask_for_program(tool, args, key, wait_min).await?;
        Ok(match asked {
            Ok((ask, report)) => ControlReply::Asked(ListedAsk::of_socket(ask, report)),
            Err(CallRefusal::Arguments) => {
                ControlReply::Error(say!("control-ask-arguments", tool = tool.as_str()))
            }
            Err(CallRefusal::NotOnRequest) => {
                ControlReply::Error(say!("control-ask-not-on-request", tool = tool.as_str()))
            }
            Err(CallRefusal::OtherRequest) => refused(text("control-ask-other-request")),
            Err(CallRefusal::TooMany) => ControlReply::Busy(text("control-ask-too-many").to_owned()),
            Err(CallRefusal::NoSuchAsk) => ControlReply::Error(AskRefusal::NoSuchAsk.to_string()),
            Err(CallRefusal::NotKept) => ControlReply::Busy(text("control-request-not-written").to_owned()),
        })
    }

    /// How far an ask of this socket's is; held back until it is over where who asks waits.
    pub(super) async fn ask_state(&self, ask: RequestId, wait: bool) -> Result<ControlReply, BackendError> {
        let wait = AskWait {
            up_to: if wait { HELD } else { Duration::ZERO },
            seen: None,
        };
        Ok(match self.backend.await_ask(ask.clone(), None, wait).await? {
            Ok(report) => ControlReply::Asked(ListedAsk::of_socket(ask, report)),
            Err(refusal) => ControlReply::Error(refusal.to_string()),
        })
    }

    /// Takes an ask of this socket's back; answered when that is on disk.
    pub(super) async fn cancel_ask(&self, ask: RequestId) -> Result<ControlReply, BackendError> {
        Ok(match self.backend.cancel(ask.clone(), None).await? {
            Ok(report) => ControlReply::Asked(ListedAsk::of_socket(ask, report)),
            Err(CallRefusal::NoSuchAsk) => ControlReply::Error(AskRefusal::NoSuchAsk.to_string()),
            Err(
                CallRefusal::NotKept
                | CallRefusal::TooMany
                | CallRefusal::Arguments
                | CallRefusal::NotOnRequest
                | CallRefusal::OtherRequest,
            ) => ControlReply::Busy(text("control-not-written-to-disk").to_owned()),
        })
    }

    /// What programs asked for, those with a device as well.
    pub(super) async fn asks(&self) -> Result<ControlReply, BackendError> {
        let look = self.backend.look().await?;
        if !look.state.asks.ended.is_empty() {
            self.backend.flush_ends().await?;
        }
        let report = |ask: &RequestId| report_of_any(&look.state, ask);
        Ok(ControlReply::Asks(ListedAsk::all(&look.state.asks, report)))
    }
}
