//! The catalogue in words: what `aura catalogue` shows and what the catalogue's hash covers.
//!
//! What: per tool a description, the schemas and the private leaves, and all of it as JSON, as a hash and as the lock
//! file. Why: an agent author reads it, and a changed word or schema changes the hash that every trace names. Not here:
//! the columns (the parent module), examples (`examples`).

use super::{EffectName, ToolName};
use crate::{canonical, ids::sha256_hex};
use serde_json::{Value, json};
use std::{fmt::Write, sync::LazyLock};
use toolcall_validators as schemas;

/// The texts of one tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToolDoc {
    /// What it does, in one sentence.
    pub description: &'static str,
    /// The JSON Schema (2020-12) of its arguments.
    pub args_schema: &'static str,
    /// The JSON Schema (2020-12) of its result.
    pub result_schema: &'static str,
}

impl ToolName {
    /// Where text stands that may not be kept in a quarantine, as JSON pointers into the call or the result; `*` is any
    /// item of a list. No tool has text in its arguments; the file that goes to the owner's outbox is private.
    pub fn private_leaves(self) -> &'static [&'static str] {
        if self.columns().effects.contains(&EffectName::OutboxFile) {
            &["/effects/*/text"]
        } else {
            &[]
        }
    }

    /// The tool's texts.
    pub fn doc(self) -> ToolDoc {
        macro_rules! doc {
            ($args:ident, $result:ident, $description:literal) => {
                ToolDoc {
                    description: $description,
                    args_schema: schemas::$args::SCHEMA,
                    result_schema: schemas::$result::SCHEMA,
                }
            };
        }
        match self {
            ToolName::CommsIngest => doc!(
                IngestArgs,
                IngestResult,
                "Reads new mail and notifications and says what was new, as facts without text."
            ),
            ToolName::CommsTick => doc!(
                TickArgs,
                TickResult,
                "Proposes what to do about the messages that were read."
            ),
            ToolName::MuteChannel => doc!(
                MuteChannelArgs,
                MuteChannelResult,
                "Mutes one channel for a time."
            ),
            ToolName::BatchSummarize => doc!(
                BatchSummarizeArgs,
                BatchSummarizeResult,
                "Counts the messages since an instant and names the most urgent ones."
            ),
            ToolName::DraftReply => doc!(
                DraftReplyArgs,
                DraftReplyResult,
                "Drafts a reply to one message into the outbox; nothing is sent."
            ),
            ToolName::CalendarIngest => doc!(
                IngestArgs,
                IngestResult,
                "Reads new calendar data and says what changed, as facts without text."
            ),
            ToolName::CalendarTick => doc!(
                TickArgs,
                TickResult,
                "Proposes what to do about the events of the day."
            ),
            ToolName::TravelAwareAlert => doc!(
                TravelAwareAlertArgs,
                TravelAwareAlertResult,
                "Says when to leave for an event."
            ),
            ToolName::AutoDecline => doc!(
                AutoDeclineArgs,
                AutoDeclineResult,
                "Drafts a decline of one event into the outbox; nothing is sent."
            ),
            ToolName::FinanceIngest => doc!(
                IngestArgs,
                IngestResult,
                "Reads new bank messages and statements and says what was new, as facts without text."
            ),
            ToolName::FinanceTick => doc!(
                TickArgs,
                TickResult,
                "Proposes what to do about spending and balance."
            ),
            ToolName::Categorize => doc!(
                CategorizeArgs,
                CategorizeResult,
                "Gives each transaction one of the fourteen categories."
            ),
            ToolName::AnomalyFlag => doc!(
                AnomalyFlagArgs,
                AnomalyFlagResult,
                "Says how unusual a day's spending in a category is."
            ),
            ToolName::PredictEomBalance => doc!(
                PredictEomBalanceArgs,
                PredictEomBalanceResult,
                "Estimates the balance at the end of the month."
            ),
            ToolName::WellnessIngest => doc!(
                IngestArgs,
                IngestResult,
                "Reads new heart-rate, sleep and activity data and says what it means, as facts."
            ),
            ToolName::WellnessTick => doc!(
                TickArgs,
                TickResult,
                "Proposes what would help at the present load."
            ),
            ToolName::GuideBreathing => doc!(
                GuideBreathingArgs,
                StartedResult,
                "Guides rounds of 4-7-8 breathing."
            ),
            ToolName::StartNapTimer => doc!(StartNapTimerArgs, StartedResult, "Starts a nap timer."),
            ToolName::PermitLeisure => doc!(
                PermitLeisureArgs,
                StartedResult,
                "Says that a break is fine now, for a time."
            ),
            ToolName::ShowBrief => doc!(ShowBriefArgs, ShowBriefResult, "Shows the morning brief."),
        }
    }
}

/// One tool as it stands in `aura catalogue --json`.
fn entry(name: ToolName) -> Value {
    let (columns, doc) = (name.columns(), name.doc());
    // A schema that were not JSON would not have compiled; its text is the fallback.
    let schema = |text: &'static str| serde_json::from_str(text).unwrap_or(Value::from(text));
    json!({
        "name": name,
        "description": doc.description,
        "confirm": columns.confirm,
        "class": columns.class,
        "surface": columns.surface,
        "effects": columns.effects,
        "private": name.private_leaves(),
        "args": schema(doc.args_schema),
        "result": schema(doc.result_schema),
    })
}

/// The whole catalogue as JSON, tools in the order of [`ToolName::ALL`], with the shapes that the schemas refer to.
pub fn catalogue_json() -> Value {
    json!({
        "defs": serde_json::from_str(schemas::DEFS).unwrap_or(Value::from(schemas::DEFS)),
        "tools": ToolName::ALL.iter().map(|name| entry(*name)).collect::<Vec<_>>(),
    })
}

/// SHA-256 over the canonical JSON of the catalogue: names, descriptions, columns, schemas. 64 hexadecimal digits.
pub fn catalogue_hash() -> &'static str {
    static HASH: LazyLock<String> = LazyLock::new(|| canonical::hash(&catalogue_json()));
    &HASH
}

/// The catalogue as it was last accepted: the text of `catalogue.lock` at the time of the build.
pub const CATALOGUE_LOCK: &str = include_str!("../../catalogue.lock");

/// What `catalogue.lock` must hold: the catalogue's hash, then each tool with the hash of its entry.
pub fn catalogue_lock() -> String {
    let mut lock = format!(
        "catalogue {}\ndefs {}\n",
        catalogue_hash(),
        sha256_hex(schemas::DEFS.as_bytes())
    );
    for name in ToolName::ALL {
        // Writing to a string cannot fail.
        let _ = writeln!(lock, "{name} {}", canonical::hash(&entry(*name)));
    }
    lock
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn catalogue_lock_matches_the_code() {
        assert_eq!(
            catalogue_lock(),
            CATALOGUE_LOCK,
            "the catalogue changed: see `aura catalogue accept`"
        );
    }
}
