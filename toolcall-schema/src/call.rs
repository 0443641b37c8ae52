//! Tool calls before and after the gate.
//!
//! What: [`ToolCall`], the envelope of ADR-0009 as we build it, [`AdmittedCall`], which only the gate makes, and
//! [`Dispatch`], which joins it with an authority. Why: what is dispatched has passed, and an unconfirmed call that needs a
//! confirmation cannot be written. Not here: the checks (`gate`).

use crate::{
    canonical,
    catalogue::Tool,
    ids::CallId,
    names::{AgentName, Confirm, Surface},
    rejection::{Code, SchemaError},
    time::Timestamp,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::{Arc, OnceLock};

/// The envelope `toolcall.v1`, as the orchestrator stamps it. Its bytes still have to pass the gate.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ToolCall {
    /// Derived, see [`crate::ids::OwnerSeed::call_id`].
    pub call_id: CallId,
    /// Whose tool.
    pub agent: AgentName,
    /// The tool's name without the agent, e.g. `mute_channel`.
    pub tool: String,
    /// Its arguments.
    pub args: Arc<Value>,
    /// When it was stamped.
    pub ts: Timestamp,
    /// Must be the catalogue's word.
    pub confirm_required: bool,
    /// Must be the tool's surface or SILENT.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected_surface: Option<Surface>,
    /// 50 to 10000 ms; absent means 2000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadline_ms: Option<u32>,
}

impl ToolCall {
    /// The bytes that travel.
    pub fn to_bytes(&self) -> Vec<u8> {
        /// Most calls fit; growing step by step would copy them again and again.
        const USUAL: usize = 512;
        let mut bytes = Vec::with_capacity(USUAL);
        match serde_json::to_writer(&mut bytes, self) {
            Ok(()) => bytes,
            // Serializing this struct cannot fail: its keys are strings and its writer is memory. Were it to, the empty
            // bytes would be refused by the gate.
            Err(_) => Vec::new(),
        }
    }
}

/// On whose word an admitted call may run. A call whose catalogue column says `always` needs `Confirmed`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Authority {
    /// The catalogue says that it runs without asking.
    Auto,
    /// The owner redeemed the capability of its card.
    Confirmed,
}

/// A call that passed the gate. Cannot be built or deserialized elsewhere:
///
/// ```compile_fail
/// use toolcall_schema::{AdmittedCall, gate};
/// let admitted = gate::admit(b"{}", gate::GateClock::Skip).unwrap();
/// let copied = AdmittedCall { ..admitted };
/// ```
///
/// ```compile_fail
/// let admitted: toolcall_schema::AdmittedCall = serde_json::from_str("{}").unwrap();
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct AdmittedCall {
    pub(crate) call_id: CallId,
    pub(crate) tool: Tool,
    pub(crate) ts: Timestamp,
    pub(crate) confirm_required: bool,
    pub(crate) expected_surface: Option<Surface>,
    pub(crate) deadline_ms: u32,
    pub(crate) args_hash: ArgsHash,
}

/// Computed when first asked for: most calls are ticks, whose hash nobody wants.
#[derive(Debug, Clone, Default)]
pub(crate) struct ArgsHash(OnceLock<String>);

impl PartialEq for ArgsHash {
    /// Follows from the arguments, which are compared beside it.
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl AdmittedCall {
    /// The call's id.
    pub fn call_id(&self) -> &CallId {
        &self.call_id
    }

    /// The tool with its typed arguments.
    pub fn tool(&self) -> &Tool {
        &self.tool
    }

    /// The arguments as they are written from their types: integers as integers, instants in UTC with milliseconds.
    pub fn args(&self) -> Value {
        self.tool.args()
    }

    /// When it was stamped.
    pub fn ts(&self) -> Timestamp {
        self.ts
    }

    /// How long an answer is waited for: the call's own deadline (absent: 2000 ms), at most 5000 ms.
    pub fn deadline_ms(&self) -> u32 {
        self.deadline_ms.min(5000)
    }

    /// Whether the catalogue demands a confirmation.
    pub fn confirm_required(&self) -> bool {
        self.confirm_required
    }

    /// SHA-256 of the canonical JSON (RFC 8785) of the arguments, 64 hexadecimal digits.
    pub fn args_hash(&self) -> &str {
        self.args_hash.0.get_or_init(|| canonical::hash(&self.args()))
    }

    /// On whose word it may run: `Confirmed` where the catalogue says `always`.
    pub(crate) fn authority_needed(&self) -> Authority {
        match self.tool.name().columns().confirm {
            Confirm::Always => Authority::Confirmed,
            Confirm::Never => Authority::Auto,
        }
    }

    /// Checks that the arguments are the ones that the owner confirmed.
    ///
    /// # Errors
    /// `GATE-012` when the hash differs.
    pub fn require_args_hash(&self, confirmed: &str) -> Result<(), SchemaError> {
        if self.args_hash() == confirmed {
            return Ok(());
        }
        Err(SchemaError {
            code: Code::Gate012,
            pointer: "/args".to_owned(),
            keyword: "args_hash".to_owned(),
            limit: None,
            message: "these are not the arguments that the card was made from; ask the owner again"
                .to_owned(),
        })
    }
}

/// What an absent `deadline_ms` means.
pub(crate) const DEFAULT_DEADLINE_MS: u32 = 2000;

/// An admitted call with the authority to run it: the only thing a dispatcher takes.
///
/// ```compile_fail
/// # fn any<T>() -> T { loop {} }
/// use toolcall_schema::{AdmittedCall, Authority, Dispatch};
/// let unconfirmed = Dispatch { call: any::<AdmittedCall>(), authority: Authority::Auto };
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Dispatch {
    call: AdmittedCall,
    authority: Authority,
}

impl Dispatch {
    /// Joins a call and an authority.
    ///
    /// # Errors
    /// `GATE-010` when the catalogue says `always` and the owner has not confirmed.
    pub fn new(call: AdmittedCall, authority: Authority) -> Result<Self, SchemaError> {
        if call.authority_needed() == Authority::Confirmed && authority == Authority::Auto {
            return Err(SchemaError {
                code: Code::Gate010,
                pointer: "/confirm_required".to_owned(),
                keyword: "authority".to_owned(),
                limit: Some(Confirm::Always.as_str().to_owned()),
                message: "this tool runs only after the owner confirmed; show a card first".to_owned(),
            });
        }
        Ok(Self { call, authority })
    }

    /// The call.
    pub fn call(&self) -> &AdmittedCall {
        &self.call
    }

    /// On whose word it runs.
    pub fn authority(&self) -> Authority {
        self.authority
    }
}
