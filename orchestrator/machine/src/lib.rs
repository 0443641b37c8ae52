//! The pure decision core of Aura: seven states, one function.
//!
//! What: [`step::step`]`(env, state, event) -> (state, effects)`, total, without clock, I/O or randomness. Why: whatever
//! Aura does can be replayed from the journal to the same bytes and tested without side effects. Not here: actors,
//! files, sockets, time (`orchestrator`), how things look (`surfaces`).
//!
//! # State × event × barrier
//!
//! | State | Leaves on | At its deadline | What must be on disk before the effect leaves |
//! |---|---|---|---|
//! | Idle | a valid trigger while nothing is being read → Listening | none | nothing: tick and ingest calls are pure and may be repeated |
//! | Listening | the fourth `TickAnswered` → Deliberating | 2000 ms → Deliberating with what arrived | nothing |
//! | Deliberating, a tie | `TieBroken` → Deliberating | 1200 ms → the order of scores decides | nothing: nothing is decided |
//! | Deliberating | nothing chosen → LoggingTrace at once; else `Committed` → AwaitingConfirm or Executing | 1500 ms → do nothing, LoggingTrace | the decision, before a prompt is shown or an auto call dispatched |
//! | AwaitingConfirm | `Submitted` confirm → Executing; dismiss, edit → LoggingTrace | 8 s watch, 60 s phone, from the decision → dismissed | (see Executing) |
//! | Executing | `Committed` (after a confirm) dispatches; `Executed` → LoggingTrace | 5000 ms → `tool_failed` | the redemption, before the call is dispatched |
//! | LoggingTrace | `TraceKept` → Cooldown | 700 ms for the model's sentence; 1000 ms → raw file, Cooldown | result and trace, before the card of an auto action is shown |
//! | Cooldown | nothing | 1000 ms → Idle | nothing |
//!
//! Calls that somebody asks for go their own way beside these states: the table is in [`calls`]. What a program asks
//! for waits until a tick has asked the owner: [`asks`].
//!
//! An event that makes no sense in a state is answered by [`effect::Effect::Ignored`] and changes nothing. Any state may
//! take: signals, facts, connects, `Shown`, feedback on cards, pause, rules, ceiling, `Started` (which goes on from where
//! the journal ends). Deadlines live in the state and `step` passes them itself before it looks at the event, so there
//! are no timers to cancel; [`step::next_due`] says when to call again.

mod answers;
pub mod asks;
pub mod call_rights;
pub mod calls;
pub mod capability;
mod caps;
pub mod cards;
mod choose;
mod deliberate;
pub mod effect;
pub mod env;
pub mod event;
mod execute;
mod flow;
pub mod forget;
pub mod instructed;
mod intake;
pub mod later;
pub mod ledger;
mod lessons;
mod meetings;
pub mod policy;
mod rank;
pub mod rationale;
mod record;
mod reopen;
mod resume;
pub mod retry;
mod rules_number;
pub mod state;
pub mod step;
pub mod supervision;
pub mod timers;
pub mod whatif;
pub mod workflow;

pub use effect::Effect;
pub use env::MachineEnv;
pub use event::{EventKind, MachineEvent};
pub use rules_number::RULES_NUMBER;
pub use state::MachineState;
pub use step::{advance, next_due, step};
