//! What was sorted at once.
//!
//! What: [`sorted_payments`], how many payments a decision sorted, and as what. Why: what was done without asking says what it did. Not here: the words
//! (`words::shop_category`), what the owner says of a shop (`acts`).

use serde::Deserialize as _;
use surfaces_base::words;
use toolcall_schema::{
    ToolName,
    catalogue::finance::CategorizeResult,
    trace::{CallRecord, Trace},
};

/// `None`: the decision sorted nothing.
pub(super) fn sorted_payments(trace: &Trace) -> Option<String> {
    let is_it = |call: &&CallRecord| ToolName::parse(&call.tool) == Some(ToolName::Categorize);
    let call = trace.tool_calls.iter().find(is_it)?;
    let sorted = CategorizeResult::deserialize(call.result.as_deref()?).ok()?;
    Some(words::payments_sorted(
        sorted.categories.iter().map(|one| one.category),
    ))
}
