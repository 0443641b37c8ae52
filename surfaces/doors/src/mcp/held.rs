//! Calls that are held back until the owner has decided, and the keys under which they asked.
//!
//! What: [`HeldCalls`], those that are answered later, so that they can be taken back and none has all places; [`AskKeys`], so that a call
//! that is repeated is the same ask. Why: neither may be lost track of by a program that polls, closes or comes a thousand times. Not here:
//! waiting (`calls`).

use serde_json::Value;
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use surfaces_base::devices::DeviceId;
use tokio::sync::Notify;
use uuid::Uuid;

/// Calls of one device that are held back at once. How many of all are is the backend's to say: it holds them.
const HELD_OF_ONE_MAX: usize = 8;

/// The calls that are held back.
#[derive(Default)]
pub(super) struct HeldCalls(Mutex<HeldTable>);

#[derive(Default)]
struct HeldTable {
    last: u64,
    open: BTreeMap<u64, HeldEntry>,
}

struct HeldEntry {
    device: DeviceId,
    request: Value,
    taken_back: Arc<Notify>,
}

impl HeldCalls {
    // A poisoned lock still holds a whole table: each change is one call.
    fn table(&self) -> MutexGuard<'_, HeldTable> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// `None`: so many are held already that this one is answered at once.
    pub(super) fn begin(&self, device: &DeviceId, request: Value) -> Option<HeldCall<'_>> {
        let mut table = self.table();
        let of_one = table.open.values().filter(|held| held.device == *device).count();
        if of_one >= HELD_OF_ONE_MAX {
            return None;
        }
        table.last += 1;
        let number = table.last;
        let taken_back = Arc::new(Notify::new());
        table.open.insert(
            number,
            HeldEntry {
                device: device.clone(),
                request,
                taken_back: Arc::clone(&taken_back),
            },
        );
        Some(HeldCall {
            calls: self,
            number,
            taken_back,
        })
    }

    /// The device takes its request of that id back.
    pub(super) fn cancel(&self, device: &DeviceId, request: &Value) {
        let table = self.table();
        let same = |held: &&HeldEntry| held.device == *device && held.request == *request;
        for held in table.open.values().filter(same) {
            held.taken_back.notify_one();
        }
    }
}

/// One of them, until it is dropped.
pub(super) struct HeldCall<'a> {
    calls: &'a HeldCalls,
    number: u64,
    taken_back: Arc<Notify>,
}

impl HeldCall<'_> {
    /// Done when its program has taken it back.
    pub(super) async fn taken_back(&self) {
        self.taken_back.notified().await;
    }
}

impl Drop for HeldCall<'_> {
    fn drop(&mut self) {
        self.calls.table().open.remove(&self.number);
    }
}

/// Asks whose end was not told yet, at most.
const KEYS_MAX: usize = 256;

/// The idempotency key of each call, by device and by what it asks for. Until its end was told, a call that comes again is the same ask.
#[derive(Default)]
pub(super) struct AskKeys(Mutex<BTreeMap<(DeviceId, String), String>>);

impl AskKeys {
    /// The key of what a device asks for.
    pub(super) fn key_of(&self, device: &DeviceId, about: &str) -> String {
        let mut keys = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let place = (device.clone(), about.to_owned());
        if let Some(key) = keys.get(&place) {
            return key.clone();
        }
        if keys.len() >= KEYS_MAX {
            // Any of them: what it stood for is then asked a second time, and still makes one card.
            keys.pop_first();
        }
        let key = format!("mcp-{}", Uuid::new_v4().simple());
        keys.insert(place, key.clone());
        key
    }

    /// Its end was told: the same again is another ask.
    pub(super) fn forget(&self, device: &DeviceId, about: &str) {
        let mut keys = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        keys.remove(&(device.clone(), about.to_owned()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn one_device_holds_eight_and_another_as_many() {
        let calls = HeldCalls::default();
        let device = |number: usize| DeviceId::from_text(&format!("dev_{number}"));
        let mut held = Vec::new();
        for number in 0..2 {
            let taken: Vec<_> = (0..1000)
                .filter_map(|id| calls.begin(&device(number), json!(id)))
                .collect();
            assert_eq!(taken.len(), 8, "device {number}");
            held.extend(taken);
        }
        held.truncate(15);
        assert!(calls.begin(&device(1), json!(0)).is_some());
    }

    #[tokio::test]
    async fn a_call_is_taken_back_by_its_own_device_and_id_alone() {
        let calls = HeldCalls::default();
        let (one, other) = (DeviceId::from_text("dev_a"), DeviceId::from_text("dev_b"));
        let held = calls.begin(&one, json!(7)).unwrap();
        calls.cancel(&other, &json!(7));
        calls.cancel(&one, &json!("7"));
        let waits = tokio::select! {
            biased;
            () = held.taken_back() => false,
            () = std::future::ready(()) => true,
        };
        assert!(waits);
        calls.cancel(&one, &json!(7));
        held.taken_back().await;
    }

    #[test]
    fn a_repeated_call_has_its_key_until_its_end_was_told() {
        let keys = AskKeys::default();
        let (one, other) = (DeviceId::from_text("dev_a"), DeviceId::from_text("dev_b"));
        let first = keys.key_of(&one, "mute");
        assert_eq!(first, keys.key_of(&one, "mute"));
        assert_ne!(first, keys.key_of(&one, "nap"));
        assert_ne!(first, keys.key_of(&other, "mute"));
        keys.forget(&other, "mute");
        assert_eq!(first, keys.key_of(&one, "mute"));
        keys.forget(&one, "mute");
        assert_ne!(first, keys.key_of(&one, "mute"));
        assert!(first.len() <= surfaces_base::backend::asks::ASK_KEY_MAX);
        for number in 0..1000 {
            keys.key_of(&one, &number.to_string());
        }
        assert_eq!(keys.0.lock().unwrap().len(), KEYS_MAX);
    }
}
