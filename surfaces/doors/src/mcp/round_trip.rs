//! What a program carries back when it repeats a call: `requestState`, and a task's id.
//!
//! What: both sealed, bound to the device, and `requestState` to the tool and its arguments. Why: a program may send back anything it likes.
//! Neither is good once only, and need not be: which ask it names stands in it, and an ask is done once whoever looks it up. Not here: the
//! seal (`rmcp`), what is done with it (`calls`).

use rmcp::model::{RequestStateCodec, SealOptions};
use serde::{Deserialize, Serialize};
use std::time::Duration;
use surfaces_base::devices::DeviceId;
use toolcall_schema::{Timestamp, ids::RequestId};

/// How long a `requestState` is good: as long as an ask waits.
const STATE_LIVES: Duration = Duration::from_hours(1);

/// How often a call is held again before its program is told where to look instead. Clients give up after ten.
pub(super) const ROUNDS_MAX: u8 = 8;

/// What stands in a `requestState`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct CallRound {
    pub(super) ask: RequestId,
    /// How often the call was repeated.
    pub(super) round: u8,
}

/// What stands in a task's id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct TaskKey {
    pub(super) ask: RequestId,
    /// When the task was made (wall clock).
    pub(super) at: Timestamp,
}

/// Seals and opens them.
pub(super) struct RoundTrips(pub(super) RequestStateCodec);

fn call_binding(device: &DeviceId, about: &str) -> Vec<u8> {
    format!("call\n{}\n{about}", device.as_str()).into_bytes()
}

fn task_binding(device: &DeviceId) -> Vec<u8> {
    format!("task\n{}", device.as_str()).into_bytes()
}

impl RoundTrips {
    /// A `requestState` for this call of this device. `None`: it could not be written, which a struct of text and numbers always can.
    pub(super) fn seal_call(&self, round: &CallRound, device: &DeviceId, about: &str) -> Option<String> {
        let binding = call_binding(device, about);
        let options = SealOptions::new().associated_data(&binding).ttl(STATE_LIVES);
        self.0.seal_json_with(round, &options).ok()
    }

    /// `None`: altered, too old, of another device or of another call. Which of them is nobody's business.
    pub(super) fn open_call(&self, state: &str, device: &DeviceId, about: &str) -> Option<CallRound> {
        self.0.open_json_with(state, &call_binding(device, about)).ok()
    }

    /// A task's id for this device.
    pub(super) fn seal_task(&self, task: &TaskKey, device: &DeviceId) -> Option<String> {
        let binding = task_binding(device);
        self.0
            .seal_json_with(task, &SealOptions::new().associated_data(&binding))
            .ok()
    }

    /// `None`: no task of this device.
    pub(super) fn open_task(&self, id: &str, device: &DeviceId) -> Option<TaskKey> {
        self.0.open_json_with(id, &task_binding(device)).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_good_for_its_device_and_its_call_alone_and_only_as_it_was() {
        let trips = RoundTrips(RequestStateCodec::try_new([7; 32]).unwrap());
        let others = RoundTrips(RequestStateCodec::try_new([8; 32]).unwrap());
        let (one, other) = (DeviceId::from_text("dev_a"), DeviceId::from_text("dev_b"));
        let round = CallRound {
            ask: RequestId::parse("rq_00000000000000a1").unwrap(),
            round: 3,
        };
        let state = trips.seal_call(&round, &one, "mute").unwrap();
        assert_eq!(trips.open_call(&state, &one, "mute"), Some(round));
        assert_eq!(trips.open_call(&state, &other, "mute"), None);
        assert_eq!(trips.open_call(&state, &one, "nap"), None);
        assert_eq!(others.open_call(&state, &one, "mute"), None);
        assert_eq!(trips.open_task(&state, &one), None);
        for index in 0..state.len() {
            let mut bytes = state.clone().into_bytes();
            bytes[index] ^= 1;
            let altered = String::from_utf8_lossy(&bytes);
            assert_eq!(trips.open_call(&altered, &one, "mute"), None, "byte {index}");
        }
        for state in ["", "rs1", "rs1..", "rs2.a.b.c", &state[..state.len() - 1]] {
            assert_eq!(trips.open_call(state, &one, "mute"), None, "{state}");
        }
    }

    #[test]
    fn a_task_is_its_devices_own() {
        let trips = RoundTrips(RequestStateCodec::try_new([7; 32]).unwrap());
        let (one, other) = (DeviceId::from_text("dev_a"), DeviceId::from_text("dev_b"));
        let task = TaskKey {
            ask: RequestId::parse("rq_00000000000000a1").unwrap(),
            at: Timestamp::parse("2026-11-03T02:15:00Z").unwrap(),
        };
        let id = trips.seal_task(&task, &one).unwrap();
        assert_eq!(trips.open_task(&id, &one), Some(task));
        assert_eq!(trips.open_task(&id, &other), None);
        assert_eq!(trips.open_call(&id, &one, "mute"), None);
    }
}
