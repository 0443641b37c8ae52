//! The constants of a policy: the name, meaning, unit and range of each.
//!
//! What: [`KEYS`]. Why: one table says what a policy may hold; checking, comparing, showing and its JSON schema follow it.
//! Not here: what the constants do (`rank`, `intake`), their values (`policy.toml`).

use serde_json::{Map, Value, json};
use std::{collections::BTreeMap, fmt};
use toolcall_schema::ActionKind;

/// How a constant is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConstantUnit {
    /// A number with at most three decimals; amounts are thousandths.
    Share,
    /// Whole minutes.
    Minutes,
    /// A load score, whole points of 100.
    Points,
    /// A number of cards.
    Cards,
    /// The version of this format.
    Version,
}

impl ConstantUnit {
    /// Its name beside a number; empty for a plain number.
    pub fn as_str(self) -> &'static str {
        match self {
            ConstantUnit::Share | ConstantUnit::Version => "",
            ConstantUnit::Minutes => "min",
            ConstantUnit::Points => "points",
            ConstantUnit::Cards => "a day",
        }
    }
}

/// One constant.
#[derive(Debug, PartialEq, Eq)]
pub struct PolicyConstant {
    /// Table and key, e.g. `cost.confirm`.
    pub path: &'static str,
    /// How it is counted.
    pub unit: ConstantUnit,
    /// The least amount, thousandths for a share.
    pub low: i64,
    /// The greatest amount.
    pub high: i64,
    /// What it means, as a phrase.
    pub means: &'static str,
    /// What it is in a policy that does not name it: in one of before it was a constant.
    pub default: Option<i64>,
}

impl PolicyConstant {
    /// An amount of it as text, without trailing zeros: `0.45`, `30 min`.
    pub fn show(&self, amount: i64) -> DisplayAmount {
        DisplayAmount(self.unit, amount)
    }

    /// Its table, empty for the top, and its name in it.
    pub(super) fn parts(&self) -> (&'static str, &'static str) {
        self.path.rsplit_once('.').unwrap_or(("", self.path))
    }
}

/// An amount as text.
#[derive(Debug, Clone, Copy)]
pub struct DisplayAmount(ConstantUnit, i64);

impl fmt::Display for DisplayAmount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DisplayAmount(unit, amount) = *self;
        match unit {
            ConstantUnit::Share => {
                let text = format!("{}.{:03}", amount / 1000, amount % 1000);
                let short = text.trim_end_matches('0');
                f.write_str(short)?;
                f.write_str(if short.ends_with('.') { "0" } else { "" })
            }
            ConstantUnit::Version => write!(f, "{amount}"),
            ConstantUnit::Minutes | ConstantUnit::Points | ConstantUnit::Cards => {
                write!(f, "{amount} {}", unit.as_str())
            }
        }
    }
}

const fn share(path: &'static str, high: i64, means: &'static str) -> PolicyConstant {
    PolicyConstant {
        path,
        unit: ConstantUnit::Share,
        low: 0,
        high,
        means,
        default: None,
    }
}

const fn whole(
    path: &'static str,
    unit: ConstantUnit,
    low: i64,
    high: i64,
    means: &'static str,
) -> PolicyConstant {
    PolicyConstant {
        path,
        unit,
        low,
        high,
        means,
        default: None,
    }
}

/// So long a reading says how the owner is: Wellness proposes nothing by an older score either (`docs/agents/wellness.md`).
pub(super) const LAPSE_MIN: i64 = 60;
/// Cards a day for what programs ask for, of a policy that does not name it.
pub(super) const ASKS_PER_DAY: i64 = 1;
/// Of a policy that does not name it, in thousandths.
pub(super) const PREPARE_MEETING: i64 = 750;
/// A day.
const DAY_MIN: i64 = 24 * 60;

/// Every constant, in the order of the file.
pub const KEYS: [PolicyConstant; 40] = [
    whole(
        "version",
        ConstantUnit::Version,
        1,
        1,
        "the version of this format",
    ),
    share("threshold", 1000, "the least score that passes, itself included"),
    share("surface_cost.WATCH", 1000, "what a line on the watch costs"),
    share("surface_cost.PHONE_CARD", 1000, "what a card on the phone costs"),
    share("surface_cost.EARBUD_TTS", 1000, "what a spoken sentence costs"),
    share("surface_cost.SILENT", 1000, "what costs nobody's attention costs"),
    share("cost.confirm", 1000, "asking for a confirmation"),
    share(
        "cost.recent_day",
        1000,
        "for each time the same was shown or done today",
    ),
    share(
        "cost.recent_window",
        1000,
        "for each time the same was shown or done within the window",
    ),
    share(
        "cost.dnd",
        1000,
        "while do not disturb is on, anywhere but on the watch",
    ),
    share("m.BASELINE", 5000, "how much a candidate counts in BASELINE"),
    share("m.RECOVERING", 5000, "how much a candidate counts in RECOVERING"),
    share("m.FOCUSED", 5000, "how much a candidate counts in FOCUSED"),
    share(
        "m.UNKNOWN",
        5000,
        "how much a candidate counts when the state is not known",
    ),
    share("m.STRESSED", 5000, "how much a candidate counts in STRESSED"),
    share(
        "m.stressed_safety",
        5000,
        "how much a safety kind counts in STRESSED",
    ),
    share(
        "m.time_critical",
        5000,
        "how much a leave-by, or the digest that ends a mute, counts outside RECOVERING",
    ),
    share("priority.MUTE_GROUP_30", 1000, "what muting a chat is worth"),
    share("priority.BREATHE_478", 1000, "what a breathing break is worth"),
    share("priority.NAP_15", 1000, "what a nap is worth"),
    share("priority.PERMIT_LEISURE", 1000, "what a break is worth"),
    share("priority.BATCH_DIGEST", 1000, "what a digest is worth"),
    share("priority.SHOW_BRIEF", 1000, "what the morning brief is worth"),
    share("priority.LEAVE_BY_ALERT", 1000, "what a leave-by is worth"),
    PolicyConstant {
        default: Some(PREPARE_MEETING),
        ..share(
            "priority.PREPARE_MEETING",
            1000,
            "what preparing for a meeting is worth",
        )
    },
    share("priority.CATEGORIZE_TXN", 1000, "what sorting payments is worth"),
    share(
        "priority.PROJECT_BALANCE",
        1000,
        "what the balance at the month's end is worth",
    ),
    share("priority.DRAFT_REPLY", 1000, "what a drafted reply is worth"),
    share("priority.DECLINE_EVENT", 1000, "what a drafted decline is worth"),
    share(
        "priority.comms_mute",
        1000,
        "what muting a chat is worth when only Comms proposes it",
    ),
    share(
        "priority.anomaly_high",
        1000,
        "what very unusual spending is worth",
    ),
    share("priority.anomaly_medium", 1000, "what unusual spending is worth"),
    share(
        "priority.anomaly_low",
        1000,
        "what slightly unusual spending is worth",
    ),
    whole(
        "caps.window_min",
        ConstantUnit::Minutes,
        0,
        DAY_MIN,
        "in so long at most one proactive surface is shown",
    ),
    whole(
        "caps.recovering_min",
        ConstantUnit::Minutes,
        0,
        DAY_MIN,
        "so long nothing proactive is shown after entering RECOVERING",
    ),
    PolicyConstant {
        default: Some(ASKS_PER_DAY),
        ..whole(
            "caps.asks_per_day",
            ConstantUnit::Cards,
            0,
            5,
            "so many cards a day ask what programs want, of the day's tokens",
        )
    },
    PolicyConstant {
        default: Some(LAPSE_MIN),
        ..whole(
            "state.lapse_min",
            ConstantUnit::Minutes,
            1,
            DAY_MIN,
            "without a newer reading for so long the state is UNKNOWN",
        )
    },
    whole(
        "triggers.load_score",
        ConstantUnit::Points,
        1,
        100,
        "crossing it upwards starts a tick",
    ),
    whole(
        "triggers.interval_min",
        ConstantUnit::Minutes,
        1,
        DAY_MIN,
        "so often a tick starts by the clock",
    ),
    whole(
        "triggers.valid_min",
        ConstantUnit::Minutes,
        1,
        DAY_MIN,
        "so long a trigger makes sense",
    ),
];

/// The constants as a JSON Schema (2020-12), for editors.
pub fn schema() -> Value {
    let may_be_missing = |table: &str, name: &str| {
        let key = KEYS.iter().find(|key| key.parts() == (table, name));
        key.is_some_and(|key| key.default.is_some())
    };
    let mut tables: BTreeMap<&str, Map<String, Value>> = BTreeMap::new();
    let mut top = Map::new();
    for key in &KEYS {
        let (table, name) = key.parts();
        let number = |amount: i64| match key.unit {
            ConstantUnit::Share => json!(toolcall_schema::milli::Milli(amount).to_f64()),
            ConstantUnit::Minutes | ConstantUnit::Points | ConstantUnit::Cards | ConstantUnit::Version => {
                json!(amount)
            }
        };
        let whole = key.unit != ConstantUnit::Share;
        let property = json!({
            "type": if whole { "integer" } else { "number" },
            "minimum": number(key.low),
            "maximum": number(key.high),
            "description": key.means,
        });
        let place = if table.is_empty() {
            &mut top
        } else {
            tables.entry(table).or_default()
        };
        place.insert(name.to_owned(), property);
    }
    let closed = |table: &str, properties: Map<String, Value>| {
        let names = properties.iter().filter(|(name, of)| {
            // A table may be missing when all of it may.
            let needs = of.get("required").and_then(Value::as_array);
            !may_be_missing(table, name) && needs.is_none_or(|needs| !needs.is_empty())
        });
        let required: Vec<&String> = names.map(|(name, _)| name).collect();
        json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        })
    };
    for (name, properties) in tables {
        top.insert(name.to_owned(), closed(name, properties));
    }
    let kinds: Vec<&str> = ActionKind::ALL.iter().map(|kind| kind.as_str()).collect();
    let rule = json!({ "type": "array", "items": { "enum": kinds }, "minItems": 2, "maxItems": kinds.len() });
    let mut schema = closed("", top);
    // May be missing, and holds no constant.
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        let known = json!({
            "type": "array",
            "items": rule,
            "maxItems": super::check::RULES_MAX,
            "description": "combinations of kinds that are not novel",
        });
        let rules =
            json!({ "type": "object", "properties": { "known": known }, "additionalProperties": false });
        properties.insert("rules".to_owned(), rules);
    }
    if let Value::Object(members) = &mut schema {
        members.insert(
            "$schema".to_owned(),
            json!("https://json-schema.org/draft/2020-12/schema"),
        );
        members.insert("title".to_owned(), json!("the policy of Aura"));
    }
    schema
}
