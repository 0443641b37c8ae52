//! What programs do in a day of the second model.
//!
//! What: the two events, told to both. Not here: what becomes of them (`second::asks`, the machine).

use super::World;
use crate::second::things::{asked_thing, subject};
use orchestrator_machine::EventKind;
use toolcall_schema::trace::Asker;

impl World {
    /// A program asks for a call that the owner has to confirm.
    pub(super) fn propose(&mut self, n: usize, other: bool, minutes: i64) {
        let (kind, tool, args) = asked_thing(n, other);
        self.requests += 1;
        let key = self.env.seed.key("request");
        let what = EventKind::CallRequested {
            request: self.requests,
            id: key.request("program", &self.requests.to_string()),
            asker: Asker::Program,
            origin: None,
            tool,
            args,
            wait_min: Some(u16::try_from(minutes).unwrap()),
        };
        self.tell(what, |model| model.ask(kind, subject(kind, other), minutes));
    }

    /// A program takes back one of those that wait.
    pub(super) fn take_back(&mut self, n: usize) {
        let place = n % self.state.asks.open.len().max(1);
        let Some(ask) = self.state.asks.open.get(place) else {
            return;
        };
        self.requests += 1;
        let (request, id) = (self.requests, ask.id.clone());
        let what = EventKind::AskCancelled {
            request,
            id,
            origin: None,
        };
        // What ends meanwhile is no longer there to be taken back.
        let waits = self.model.asks.len();
        self.tell(what, |model| {
            if model.asks.len() == waits {
                model.take_back(place);
            }
        });
    }
}
