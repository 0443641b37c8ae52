//! A rule tried on what was shown, before it is made.
//!
//! What: [`try_rule`]. Why: "tell me when not to" should say what it would have changed. It asks the rule itself, as the machine does
//! (`toolcall_schema::rule`), at the moment of each decision. Not here: what was shown (`backend`).

use chrono_tz::Tz;
use serde::Serialize;
use surfaces_base::{
    backend::owner::{RecentCards, ShownCard},
    format, words,
};
use toolcall_schema::{ActionKind, Timestamp, ids::TraceId, rule::OwnerRule};

/// Examples that are named.
pub const EXAMPLES_MAX: usize = 5;

/// What a rule would have changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RuleTrial {
    /// Cards that it would have kept back.
    pub cards: usize,
    /// From when on that is known (wall clock).
    pub since: Timestamp,
    /// The newest of them, at most [`EXAMPLES_MAX`].
    pub examples: Vec<TrialExample>,
    /// The same for a person.
    pub says: String,
}

/// A card that would have been kept back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TrialExample {
    /// Its decision.
    pub trace_id: TraceId,
    /// When it was decided (wall clock).
    pub at: Timestamp,
    /// What it was.
    pub kind: ActionKind,
}

/// The cards of `shown` that `rule` forbids at the moment they were decided. A rule that ends or begins at an instant is tried as if it
/// had always stood: it is asked about what it would have changed.
pub fn try_rule(rule: &OwnerRule, shown: &RecentCards, zone: Tz) -> RuleTrial {
    let always = OwnerRule {
        from: None,
        until: None,
        ..rule.clone()
    };
    let forbidden = |card: &&ShownCard| {
        let local = card.at.utc().with_timezone(&zone).naive_local();
        always.forbids(card.kind, &card.subject, card.at, (local.date(), local.time()))
    };
    let cards: Vec<&ShownCard> = shown.cards.iter().filter(forbidden).collect();
    let since = format::date(format::local_date(shown.since, zone));
    RuleTrial {
        cards: cards.len(),
        since: shown.since,
        says: words::rule_tried(cards.len(), shown.cards.len(), &since),
        examples: cards
            .into_iter()
            .take(EXAMPLES_MAX)
            .map(|card| TrialExample {
                trace_id: card.trace_id.clone(),
                at: card.at,
                kind: card.kind,
            })
            .collect(),
    }
}
