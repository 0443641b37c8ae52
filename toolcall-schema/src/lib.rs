//! The contracts of Aura: ids, vocabularies, signals, the tool catalogue, the gate, decisions and traces.
//!
//! What: every type that crosses a boundary, and the one place where raw JSON becomes an admitted call. Why: agents and
//! orchestrator exchange only what passed here. Not here: I/O, clocks, actors, decisions.

pub mod accounts;
pub mod agent_state;
mod ask_report;
pub mod call;
pub mod canonical;
pub mod catalogue;
pub mod cell;
pub mod day;
pub mod delivery;
pub mod forget;
pub mod gate;
pub mod ids;
mod key_place;
pub mod ledger;
pub mod message_class;
pub mod milli;
pub mod money;
pub mod names;
pub mod policy_diagnostic;
pub mod preview;
pub mod process_end;
pub mod protocol;
pub mod rejection;
pub mod result;
pub mod rule;
pub mod signal;
pub mod spending_anomaly;
pub mod strict;
pub mod tick;
pub mod time;
pub mod timer;
pub mod trace;
pub mod validate;
pub mod whatif;
pub mod wire;

pub use ask_report::AskReport;
pub use call::{AdmittedCall, Authority, Dispatch, ToolCall};
pub use catalogue::{Tool, ToolName};
pub use key_place::KeyPlaceKind;
pub use names::*;
pub use rejection::{Code, SchemaError};
pub use time::Timestamp;
