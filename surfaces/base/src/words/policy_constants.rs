//! What the constants of a policy are called.
//!
//! What: a name for each constant and for each table of them, and the unit beside a number. Why: who tries another policy knows what a number does before its
//! key. Not here: the constants and their ranges (`orchestrator_machine::policy`), which are described in English to programs and in files.

use crate::language::{Text, say};

/// By key.
const NAMES: [(&str, Text); 40] = [
    ("version", Text("policy-constants-version")),
    ("threshold", Text("policy-constants-threshold")),
    ("surface_cost.WATCH", Text("policy-constants-surface-cost-watch")),
    (
        "surface_cost.PHONE_CARD",
        Text("policy-constants-surface-cost-phone-card"),
    ),
    (
        "surface_cost.EARBUD_TTS",
        Text("policy-constants-surface-cost-earbud-tts"),
    ),
    (
        "surface_cost.SILENT",
        Text("policy-constants-surface-cost-silent"),
    ),
    ("cost.confirm", Text("policy-constants-cost-confirm")),
    ("cost.recent_day", Text("policy-constants-cost-recent-day")),
    ("cost.recent_window", Text("policy-constants-cost-recent-window")),
    ("cost.dnd", Text("policy-constants-cost-dnd")),
    ("m.BASELINE", Text("policy-constants-m-baseline")),
    ("m.RECOVERING", Text("policy-constants-m-recovering")),
    ("m.FOCUSED", Text("policy-constants-m-focused")),
    ("m.UNKNOWN", Text("policy-constants-m-unknown")),
    ("m.STRESSED", Text("policy-constants-m-stressed")),
    ("m.stressed_safety", Text("policy-constants-m-stressed-safety")),
    ("m.time_critical", Text("policy-constants-m-time-critical")),
    (
        "priority.MUTE_GROUP_30",
        Text("policy-constants-priority-mute-group-30"),
    ),
    (
        "priority.BREATHE_478",
        Text("policy-constants-priority-breathe-478"),
    ),
    ("priority.NAP_15", Text("policy-constants-priority-nap-15")),
    (
        "priority.PERMIT_LEISURE",
        Text("policy-constants-priority-permit-leisure"),
    ),
    (
        "priority.BATCH_DIGEST",
        Text("policy-constants-priority-batch-digest"),
    ),
    (
        "priority.SHOW_BRIEF",
        Text("policy-constants-priority-show-brief"),
    ),
    (
        "priority.LEAVE_BY_ALERT",
        Text("policy-constants-priority-leave-by-alert"),
    ),
    (
        "priority.PREPARE_MEETING",
        Text("policy-constants-priority-prepare-meeting"),
    ),
    (
        "priority.CATEGORIZE_TXN",
        Text("policy-constants-priority-categorize-txn"),
    ),
    (
        "priority.PROJECT_BALANCE",
        Text("policy-constants-priority-project-balance"),
    ),
    (
        "priority.DRAFT_REPLY",
        Text("policy-constants-priority-draft-reply"),
    ),
    (
        "priority.DECLINE_EVENT",
        Text("policy-constants-priority-decline-event"),
    ),
    (
        "priority.comms_mute",
        Text("policy-constants-priority-comms-mute"),
    ),
    (
        "priority.anomaly_high",
        Text("policy-constants-priority-anomaly-high"),
    ),
    (
        "priority.anomaly_medium",
        Text("policy-constants-priority-anomaly-medium"),
    ),
    (
        "priority.anomaly_low",
        Text("policy-constants-priority-anomaly-low"),
    ),
    ("caps.window_min", Text("policy-constants-caps-window-min")),
    (
        "caps.recovering_min",
        Text("policy-constants-caps-recovering-min"),
    ),
    ("caps.asks_per_day", Text("policy-constants-caps-asks-per-day")),
    ("state.lapse_min", Text("policy-constants-state-lapse-min")),
    (
        "triggers.load_score",
        Text("policy-constants-triggers-load-score"),
    ),
    (
        "triggers.interval_min",
        Text("policy-constants-triggers-interval-min"),
    ),
    ("triggers.valid_min", Text("policy-constants-triggers-valid-min")),
];

/// By the table that a key begins with; empty: none.
const TABLES: [(&str, Text); 8] = [
    ("", Text("policy-constants-of-enough")),
    ("surface_cost", Text("policy-constants-of-places")),
    ("cost", Text("policy-constants-of-costs")),
    ("m", Text("policy-constants-of-states")),
    ("priority", Text("policy-constants-of-worths")),
    ("caps", Text("policy-constants-of-limits")),
    ("state", Text("policy-constants-of-lapse")),
    ("triggers", Text("policy-constants-of-looks")),
];

/// What the numbers of a table do, where their names do not say it.
const TABLES_MEAN: [(&str, Text); 5] = [
    ("", Text("policy-constants-of-enough-means")),
    ("surface_cost", Text("policy-constants-of-places-means")),
    ("cost", Text("policy-constants-of-costs-means")),
    ("m", Text("policy-constants-of-states-means")),
    ("priority", Text("policy-constants-of-worths-means")),
];

fn named(list: &[(&str, Text)], key: &str) -> Option<&'static str> {
    let (_, text) = list.iter().find(|(known, _)| *known == key)?;
    Some(text.say())
}

/// What a constant is called beside the others of its table; one that has no name here is called by its key.
pub fn policy_constant(key: &'static str) -> &'static str {
    named(&NAMES, key).unwrap_or(key)
}

/// What a table of constants is called.
pub fn policy_table(table: &'static str) -> &'static str {
    named(&TABLES, table).unwrap_or(table)
}

/// What the numbers of a table do.
pub fn policy_table_means(table: &str) -> Option<&'static str> {
    named(&TABLES_MEAN, table)
}

/// What a constant is called on its own: `What it is worth: A nap`.
pub fn policy_constant_alone(key: &'static str) -> String {
    match key.rsplit_once('.') {
        Some((table, _)) => say!(
            "policy-constants-alone",
            table = policy_table(table),
            constant = policy_constant(key)
        ),
        None => policy_constant(key).to_owned(),
    }
}

/// The unit of a constant as it stands beside a number.
pub fn policy_unit(unit: &str) -> &str {
    match unit {
        "min" => Text("policy-constants-unit-minutes").say(),
        "points" => Text("policy-constants-unit-points").say(),
        "a day" => Text("policy-constants-unit-cards").say(),
        unit => unit,
    }
}

/// An amount as a policy shows it: `30 min`, `0.45`.
pub fn policy_amount(amount: &str) -> String {
    match amount.split_once(' ') {
        Some((number, unit)) => format!("{number} {}", policy_unit(unit)),
        None => amount.to_owned(),
    }
}
