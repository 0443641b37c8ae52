//! What programs ask for, in the second model.
//!
//! What: what waits, and how each ends. Why: the pages 0085 and 0136 of `docs/adr`, written down apart from the machine. Not here: asking the owner for it (`weigh`).

use crate::second::model::{Asked, Model, Out};
use toolcall_schema::{ActionKind, AskState, Outcome, ReasonCode, tick::Subject};

const MINUTE: i64 = 60_000;

impl Model {
    /// A program asks; five of those without a device wait at most, each for so many minutes.
    pub(crate) fn ask(&mut self, kind: ActionKind, subject: Subject, minutes: i64) {
        if self.asks.len() < 5 {
            let until = self.at + minutes * MINUTE;
            self.asks.push(Asked { kind, subject, until });
        }
    }

    /// Whether it is on the open card, or about to be.
    pub(crate) fn is_asked_now(&self, ask: &Asked) -> bool {
        let prompt = self.prompt.as_ref().map(|prompt| (prompt.kind, &prompt.subject));
        let lost = self.lost_about.as_ref().map(|(kind, subject)| (*kind, subject));
        [prompt, lost].contains(&Some((ask.kind, &ask.subject)))
    }

    /// A program takes back what it asked for.
    pub(crate) fn take_back(&mut self, n: usize) {
        let ask = self.asks.remove(n);
        self.asks_over.push((ask.kind, AskState::Cancelled));
    }

    /// Nobody stands behind a card any more: unseen it was never asked, seen it is void.
    pub(crate) fn prompt_taken_back(&mut self) {
        let asks = &self.asks;
        let is_wanted = |prompt: &Out| {
            asks.iter()
                .any(|ask| (ask.kind, &ask.subject) == (prompt.kind, &prompt.subject))
        };
        if let Some(prompt) = self.prompt.take_if(|prompt| prompt.asked && !is_wanted(prompt)) {
            let outcome = if prompt.shown {
                Outcome::Dismissed
            } else {
                Outcome::Silent
            };
            self.close(&prompt, outcome, Some(ReasonCode::Superseded));
        }
    }

    /// One card a day is for what programs ask, and never the last free token.
    pub(crate) fn asks_have_had_theirs(&self, free: u8) -> bool {
        free <= 1 || self.ask_cards.iter().any(|tick| self.accounts.has_card(*tick))
    }

    pub(crate) fn asks_lapse(&mut self) {
        let at = self.at;
        let mut over = vec![];
        for ask in std::mem::take(&mut self.asks) {
            if ask.until > at || self.is_asked_now(&ask) {
                self.asks.push(ask);
            } else {
                over.push(ask);
            }
        }
        over.sort_by_key(|ask| ask.until);
        let over = over.into_iter().map(|ask| (ask.kind, AskState::Expired));
        self.asks_over.extend(over);
    }

    /// The card about something is over: so is whatever was asked for of it, unless nobody could answer.
    pub(crate) fn asks_end(
        &mut self,
        kind: ActionKind,
        subject: &Subject,
        outcome: Outcome,
        reason: Option<ReasonCode>,
    ) {
        let state = match (outcome, reason) {
            (Outcome::Confirmed | Outcome::ExecutedAuto, _) => AskState::Done,
            (Outcome::Failed, _) => AskState::Refused,
            (Outcome::Dismissed, Some(ReasonCode::ConfirmTimeout)) => AskState::Expired,
            (Outcome::Silent, _) | (Outcome::Dismissed, Some(ReasonCode::Superseded | ReasonCode::Later)) => {
                return;
            }
            (Outcome::Dismissed, _) => AskState::Dismissed,
        };
        for ask in std::mem::take(&mut self.asks) {
            if (ask.kind, &ask.subject) == (kind, subject) {
                self.asks_over.push((kind, state));
            } else {
                self.asks.push(ask);
            }
        }
    }
}
