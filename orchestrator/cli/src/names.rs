//! Names of closed vocabularies, for people.
//!
//! What: what stands in a table for a name of a vocabulary: in English the name itself, as scripts cut it out; in another language the word that pages have for it, or one of
//! `cli-names`. Why: `silent` or `key_change` says nothing to who reads German. Not here: JSON, which has the names everywhere; values that are typed.

use aura_memory::{
    audit::{Kind, Op},
    export::{Action, Class, Profile},
    graph::{EdgeType, NodeType, SearchField},
};
use orchestrator_machine::workflow::StepOutcome;
use serde_json::Value;
use std::borrow::Cow;
use surfaces_base::{
    devices::DeviceScope,
    language::{Text, name_or_word},
    words::{self, console},
};
use toolcall_schema::{
    ActionKind, AgentName, Category, Class as CardClass, Confirm, Outcome, QuarantineKind, ReasonCode,
    Surface, ToolName, WellnessState, catalogue::EffectName, tick::TriggerSource, trace::Trace,
};

/// What started a tick.
pub(super) fn trigger(source: TriggerSource) -> Cow<'static, str> {
    name_or_word(source.as_str(), || console::trigger_name(source))
}

/// What a tick chose: a kind of card, a tool that was asked for by its name, or nothing.
pub(super) fn chosen(trace: &Trace) -> Cow<'static, str> {
    let name = trace.chosen_name();
    name_or_word(name, || match ActionKind::parse(name) {
        Some(kind) => words::action(kind),
        None if ToolName::parse(name).is_some() => name,
        None => Text("cli-names-nothing-chosen").say(),
    })
}

/// How a tick ended.
pub(super) fn ended(trace: &Trace) -> Cow<'static, str> {
    name_or_word(trace.outcome.as_str(), || words::ended_short(trace))
}

/// Why it ended so.
pub(super) fn reason(code: ReasonCode) -> Cow<'static, str> {
    name_or_word(code.as_str(), || words::reason_short(code))
}

/// What a card proposes.
pub(super) fn action(kind: ActionKind) -> Cow<'static, str> {
    name_or_word(kind.as_str(), || words::action(kind))
}

/// An agent, by what it looks after.
pub(super) fn agent(agent: AgentName) -> Cow<'static, str> {
    name_or_word(agent.as_str(), || words::agent(agent))
}

/// The same by its name in a record, which may be of another version.
pub(super) fn agent_named(name: &str) -> Cow<'_, str> {
    match AgentName::parse(name) {
        Some(known) => agent(known),
        None => Cow::Borrowed(name),
    }
}

/// Whether a tool asks first.
pub(super) fn confirm(confirm: Confirm) -> Cow<'static, str> {
    name_or_word(confirm.as_str(), || words::tool_confirm(confirm))
}

/// What kind of card a tool makes.
pub(super) fn class(class: CardClass) -> Cow<'static, str> {
    name_or_word(class.as_str(), || words::tool_class(class))
}

/// Where a card is shown.
pub(super) fn surface(surface: Surface) -> Cow<'static, str> {
    name_or_word(surface.as_str(), || words::surface(surface))
}

/// What a tool's result may ask for.
pub(super) fn effect(effect: EffectName) -> Cow<'static, str> {
    name_or_word(effect.as_str(), || words::tool_effect(effect))
}

/// Which quarantine.
pub(super) fn quarantine(kind: QuarantineKind) -> Cow<'static, str> {
    name_or_word(kind.as_str(), || console::refused_kind(kind))
}

/// What a device may do.
pub(super) fn scope(scope: DeviceScope) -> Cow<'static, str> {
    name_or_word(scope.as_str(), || words::scope(scope))
}

/// What was done with something that is kept.
pub(super) fn operation(op: Op) -> &'static str {
    match op {
        Op::Read => Text("cli-names-op-read"),
        Op::Write => Text("cli-names-op-write"),
        Op::Delete => Text("cli-names-op-delete"),
        Op::Purge => Text("cli-names-op-purge"),
        Op::Export => Text("cli-names-op-export"),
        Op::Import => Text("cli-names-op-import"),
        Op::Backup => Text("cli-names-op-backup"),
        Op::Restore => Text("cli-names-op-restore"),
        Op::KeyChange => Text("cli-names-op-key-change"),
        Op::Label => Text("cli-names-op-label"),
        Op::Send => Text("cli-names-op-send"),
        Op::Recovered => Text("cli-names-op-recovered"),
    }
    .say()
}

/// With what it was done.
pub(super) fn audited(kind: Kind) -> &'static str {
    match kind {
        Kind::Trace => Text("cli-names-kind-trace"),
        Kind::Traces => Text("cli-names-kind-traces"),
        Kind::Node => Text("cli-names-kind-node"),
        Kind::Graph => Text("cli-names-kind-graph"),
        Kind::Person => Text("cli-names-kind-person"),
        Kind::Span => Text("cli-names-kind-span"),
        Kind::Rule => Text("cli-names-kind-rule"),
        Kind::Pause => Text("cli-names-kind-pause"),
        Kind::Call => Text("cli-names-kind-call"),
        Kind::Settings => Text("cli-names-kind-settings"),
        Kind::Ledger => Text("cli-names-kind-ledger"),
        Kind::Audit => Text("cli-names-kind-audit"),
        Kind::Key => Text("cli-names-kind-key"),
        Kind::Memory => Text("cli-names-kind-memory"),
        Kind::Notification => Text("cli-names-kind-notification"),
        Kind::Telemetry => Text("cli-names-kind-telemetry"),
        Kind::Connection => Text("cli-names-kind-connection"),
        Kind::Draft => Text("cli-names-kind-draft"),
        Kind::Folder => Text("cli-names-kind-folder"),
    }
    .say()
}

/// What is remembered.
pub(super) fn node(of: NodeType) -> &'static str {
    match of {
        NodeType::User => Text("cli-names-node-user"),
        NodeType::Event => Text("cli-names-node-event"),
        NodeType::App => Text("cli-names-node-app"),
        NodeType::Person => Text("cli-names-node-person"),
        NodeType::Place => Text("cli-names-node-place"),
        NodeType::Transaction => Text("cli-names-node-transaction"),
        NodeType::Conversation => Text("cli-names-node-conversation"),
        NodeType::HealthSnapshot => Text("cli-names-node-health-snapshot"),
        NodeType::Action => Text("cli-names-node-action"),
        NodeType::Trace => Text("cli-names-node-trace"),
    }
    .say()
}

/// How two things that are remembered belong together.
pub(super) fn edge(of: EdgeType) -> &'static str {
    match of {
        EdgeType::Attended => Text("cli-names-edge-attended"),
        EdgeType::SentTo => Text("cli-names-edge-sent-to"),
        EdgeType::LocatedAt => Text("cli-names-edge-located-at"),
        EdgeType::PaidTo => Text("cli-names-edge-paid-to"),
        EdgeType::TalkedAbout => Text("cli-names-edge-talked-about"),
        EdgeType::FeltDuring => Text("cli-names-edge-felt-during"),
        EdgeType::TriggeredBy => Text("cli-names-edge-triggered-by"),
        EdgeType::ConfirmedByUser => Text("cli-names-edge-confirmed-by-user"),
    }
    .say()
}

/// In what a searched word was found.
pub(super) fn field(field: SearchField) -> &'static str {
    match field {
        SearchField::Label => Text("cli-names-field-label"),
        SearchField::Type => Text("cli-names-field-type"),
        SearchField::Key => Text("cli-names-field-key"),
        SearchField::Kind => Text("cli-names-field-kind"),
        SearchField::Subject => Text("cli-names-field-subject"),
        SearchField::Outcome => Text("cli-names-field-outcome"),
        SearchField::Category => Text("cli-names-field-category"),
        SearchField::Amount => Text("cli-names-field-amount"),
        SearchField::State => Text("cli-names-field-state"),
        SearchField::Day => Text("cli-names-field-day"),
        SearchField::Sentence => Text("cli-names-field-sentence"),
    }
    .say()
}

/// A field of what is remembered.
pub(super) fn kept_field(name: &str) -> Cow<'_, str> {
    let word = match name {
        "end" => Text("cli-names-kept-end"),
        "focus" => Text("cli-names-kept-focus"),
        "cancelled" => Text("cli-names-kept-cancelled"),
        "merchant" => Text("cli-names-kept-merchant"),
        "cell" => Text("cli-names-kept-cell"),
        "amount" => Text("cli-names-kept-amount"),
        "currency" => Text("cli-names-kept-currency"),
        "account_last4" => Text("cli-names-kept-account-last4"),
        "category" => Text("cli-names-kept-category"),
        "channel" => Text("cli-names-kept-channel"),
        "day" => Text("cli-names-kept-day"),
        "messages" => Text("cli-names-kept-messages"),
        "actionable" => Text("cli-names-kept-actionable"),
        "score" => Text("cli-names-kept-score"),
        "state" => Text("cli-names-kept-state"),
        "rmssd_ms" => Text("cli-names-kept-rmssd-ms"),
        "resting_bpm" => Text("cli-names-kept-resting-bpm"),
        "sleep_min" => Text("cli-names-kept-sleep-min"),
        "kind" => Text("cli-names-kept-kind"),
        "subject" => Text("cli-names-kept-subject"),
        "surface" => Text("cli-names-kept-surface"),
        "outcome" => Text("cli-names-kept-outcome"),
        "tick" => Text("cli-names-kept-tick"),
        "reason" => Text("cli-names-kept-reason"),
        "chosen" => Text("cli-names-kept-chosen"),
        other => return Cow::Borrowed(other),
    };
    Cow::Borrowed(word.say())
}

/// What stands in such a field.
pub(super) fn kept_value(field: &str, value: &Value) -> String {
    let written = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let word = match (field, value) {
        (_, Value::Bool(true)) => Some(Text("cli-names-true").say()),
        (_, Value::Bool(false)) => Some(Text("cli-names-false").say()),
        ("kind" | "chosen", _) => ActionKind::parse(&written).map(words::action),
        ("outcome", _) => Outcome::parse(&written).map(|outcome| words::outcome_short(outcome, None)),
        ("reason", _) => ReasonCode::parse(&written).map(words::reason_short),
        ("surface", _) => Surface::parse(&written).map(words::surface),
        ("state", _) => WellnessState::parse(&written).map(words::wellness),
        ("category", _) => Category::parse(&written).map(words::category),
        (_, _) => None,
    };
    name_or_word(&written, || word.unwrap_or(&written)).into_owned()
}

/// For whom an export is.
pub(super) fn profile(profile: Profile) -> &'static str {
    match profile {
        Profile::Raw => Text("cli-names-profile-raw"),
        Profile::Friend => Text("cli-names-profile-friend"),
        Profile::Clinician => Text("cli-names-profile-clinician"),
        Profile::Minimal => Text("cli-names-profile-minimal"),
    }
    .say()
}

/// What an export leaves out or says roughly.
pub(super) fn export_class(class: Class) -> &'static str {
    match class {
        Class::Channel => Text("cli-names-class-channel"),
        Class::Location => Text("cli-names-class-location"),
        Class::Health => Text("cli-names-class-health"),
        Class::Text => Text("cli-names-class-text"),
        Class::Phone => Text("cli-names-class-phone"),
        Class::Money => Text("cli-names-class-money"),
        Class::Person => Text("cli-names-class-person"),
        Class::Merchant => Text("cli-names-class-merchant"),
    }
    .say()
}

/// What an export does with it.
pub(super) fn export_action(action: Action) -> &'static str {
    match action {
        Action::Keep => Text("cli-names-export-keep"),
        Action::Coarsen => Text("cli-names-export-coarsen"),
        Action::Remove => Text("cli-names-export-remove"),
    }
    .say()
}

/// How an asking of a step came out.
pub(super) fn step(outcome: StepOutcome) -> &'static str {
    match outcome {
        StepOutcome::Proceed => Text("cli-names-step-proceed"),
        StepOutcome::Retry => Text("cli-names-step-retry"),
        StepOutcome::Escalate => Text("cli-names-step-escalate"),
        StepOutcome::Completed => Text("cli-names-step-completed"),
        StepOutcome::Partial => Text("cli-names-step-partial"),
        StepOutcome::Failed => Text("cli-names-step-failed"),
        StepOutcome::Refused => Text("cli-names-step-refused"),
        StepOutcome::Done => Text("cli-names-step-done"),
        StepOutcome::Dismissed => Text("cli-names-step-dismissed"),
        StepOutcome::Expired => Text("cli-names-step-expired"),
        StepOutcome::Cancelled => Text("cli-names-step-cancelled"),
        StepOutcome::Unknown => Text("cli-names-step-unknown"),
    }
    .say()
}

#[cfg(test)]
mod tests {
    use super::*;
    use surfaces_base::{language::Language, locale};

    /// What stands in an English table is the name, byte for byte, and German has a word of its own.
    fn hold<T: Copy>(all: &[T], name: impl Fn(T) -> String, word: impl Fn(T) -> String) {
        for one in all {
            assert_eq!(word(*one), name(*one));
            let german = locale::speaking(Language::German, || word(*one));
            assert_ne!(german, name(*one));
        }
    }

    #[test]
    fn english_tables_have_the_names_and_german_ones_words() {
        macro_rules! vocabulary {
            ($all:expr, $word:path) => {
                hold(&$all, |one| one.to_string(), |one| $word(one).to_owned())
            };
        }
        vocabulary!(Op::ALL, operation);
        vocabulary!(NodeType::ALL, node);
        vocabulary!(EdgeType::ALL, edge);
        vocabulary!(Profile::ALL, profile);
        vocabulary!(Class::ALL, export_class);
        vocabulary!(Action::ALL, export_action);
        // A person is one in both languages, and a pause.
        for kind in Kind::ALL {
            assert_eq!(audited(*kind), kind.as_str());
        }
        for kind in ActionKind::ALL {
            assert_eq!(action(*kind), kind.as_str());
        }
        assert_eq!(surface(Surface::PhoneCard), "PHONE_CARD");
        for (field, value) in [
            ("focus", Value::Bool(true)),
            ("kind", "SHOW_BRIEF".into()),
            ("tick", 7.into()),
        ] {
            let written = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            assert_eq!(
                (kept_field(field).as_ref(), kept_value(field, &value)),
                (field, written)
            );
        }
        let german = locale::speaking(Language::German, || [agent_named("comms"), agent_named("?")]);
        assert_eq!(german, ["Nachrichten", "?"]);
    }
}
