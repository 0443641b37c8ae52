//! What is said of the further settings.
//!
//! What: a name and a meaning for each key of the owner's file that has a field. Not here: limits (`orchestrator`), the fields with a form of their own
//! (`settings_form`).

use super::{KIND_AS_USUAL, KIND_GROUP, KIND_LESS, KIND_MEANS, KIND_MORE, action, category};
use crate::backend::home_fields::HomeFieldGroup;
use crate::language::{Language, Text, say, text};
use toolcall_schema::{ActionKind, Category};

/// Heading of the section.
pub const MORE_SETTINGS: Text = Text("home-fields-more-settings");
/// Shows what would change.
pub const FORM_PREVIEW: Text = Text("home-fields-form-preview");
/// Above the lines.
pub const PREVIEW_SAYS: Text = Text("home-fields-preview-says");
/// Nothing would.
pub const PREVIEW_NOTHING: Text = Text("home-fields-preview-nothing");
/// In the place of a secret that is kept.
pub const SECRET_KEPT: Text = Text("home-fields-secret-kept");
/// A line that comes.
pub const PREVIEW_NEW: Text = Text("home-fields-preview-new");
/// A line that goes.
pub const PREVIEW_OLD: Text = Text("home-fields-preview-old");

/// In place of a number of days: never deleted.
pub const ALWAYS: Text = Text("home-fields-always");

/// For how many days, as the field shows it.
pub fn kept_for_days(value: &str) -> &str {
    if value == "always" { ALWAYS.say() } else { value }
}

/// Whether what was typed is the word of one of the languages.
pub fn is_always(typed: &str) -> bool {
    Language::ALL
        .into_iter()
        .any(|language| crate::locale::speaking(language, || ALWAYS == typed))
}

/// Why it would not be saved.
pub fn preview_refused(why: &str) -> String {
    say!("home-fields-preview-refused", why)
}

/// A group of fields.
pub fn home_group(group: HomeFieldGroup) -> &'static str {
    match group {
        HomeFieldGroup::Language => text("home-fields-home-group-language"),
        HomeFieldGroup::Days => text("home-fields-home-group-meetings-ways-and"),
        HomeFieldGroup::Money => text("home-fields-home-group-money"),
        HomeFieldGroup::Budgets => text("home-fields-home-group-budgets-of-a"),
        HomeFieldGroup::Kinds => KIND_GROUP.say(),
        HomeFieldGroup::Body => text("home-fields-home-group-heart-rate"),
        HomeFieldGroup::Keeping => text("home-fields-home-group-how-long-i"),
        HomeFieldGroup::Speaking => text("home-fields-home-group-speaking-aloud"),
        HomeFieldGroup::Phone => text("home-fields-home-group-notifications-on-your"),
        HomeFieldGroup::ModelProgram => text("home-fields-home-group-program-of-the"),
        HomeFieldGroup::OtherDevices => text("home-fields-home-group-auras-page-on"),
        HomeFieldGroup::Collector => text("telemetry-group"),
        HomeFieldGroup::Browsers => text("home-fields-home-group-notifications-in-your"),
    }
}

/// A word of a choice.
pub fn home_choice(name: &str) -> &str {
    match name {
        "24h" => "18:30",
        "12h" => "6:30 pm",
        "browser" => text("home-fields-home-choice-browser"),
        "en" => Language::English.own_name(),
        "de" => Language::German.own_name(),
        "walk" => text("home-fields-home-choice-on-foot"),
        "metro" => text("home-fields-home-choice-by-train-or"),
        "bike" => text("home-fields-home-choice-by-bicycle"),
        "car" => text("home-fields-home-choice-by-car"),
        "mon" => text("home-fields-home-choice-monday"),
        "tue" => text("home-fields-home-choice-tuesday"),
        "wed" => text("home-fields-home-choice-wednesday"),
        "thu" => text("home-fields-home-choice-thursday"),
        "fri" => text("home-fields-home-choice-friday"),
        "sat" => text("home-fields-home-choice-saturday"),
        "sun" => text("home-fields-home-choice-sunday"),
        "yes" => text("source-look-yes"),
        "no" => text("source-look-no"),
        "usual" => KIND_AS_USUAL.say(),
        "less" => KIND_LESS.say(),
        "more" => KIND_MORE.say(),
        other => other,
    }
}

/// The name of a setting, and what it means.
pub fn home_field(key: &str) -> (&str, &'static str) {
    const DAYS: Text = Text("home-fields-days");
    const BUDGET: Text = Text("home-fields-budget");
    const SPEED: Text = Text("home-fields-speed");
    match key {
        "clock" => (
            text("home-fields-home-field-clock"),
            text("home-fields-home-field-clock-means"),
        ),
        "language" => (
            text("home-fields-home-field-language"),
            text("home-fields-home-field-language-means"),
        ),
        "home" => (
            text("home-fields-home-field-where-you-live"),
            text("home-fields-home-field-degrees-north-and"),
        ),
        "buffer_min" => (
            text("home-fields-home-field-minutes-kept-free"),
            text("home-fields-home-field-i-tell-you"),
        ),
        "calendar.default_mode" => (
            text("home-fields-home-field-how-you-usually"),
            text("home-fields-home-field-used-where-an"),
        ),
        "calendar.speeds_kmh.walk" => (text("home-fields-home-field-on-foot"), SPEED.say()),
        "calendar.speeds_kmh.metro" => (text("home-fields-home-field-by-train-or"), SPEED.say()),
        "calendar.speeds_kmh.bike" => (text("home-fields-home-field-by-bicycle"), SPEED.say()),
        "calendar.speeds_kmh.car" => (text("home-fields-home-field-by-car"), SPEED.say()),
        "calendar.working_hours" => (
            text("home-fields-home-field-working-hours"),
            text("home-fields-home-field-from-and-to"),
        ),
        "calendar.working_days" => (
            text("home-fields-home-field-working-days"),
            text("home-fields-home-field-on-the-others"),
        ),
        "calendar.before_meetings" => (
            text("home-fields-home-field-before-a-meeting"),
            text("home-fields-home-field-ten-minutes-before"),
        ),
        "finance.accounts" => (
            text("home-fields-home-field-your-accounts-and"),
            text("home-fields-home-field-the-last-four"),
        ),
        "finance.senders" => (
            text("home-fields-home-field-senders-of-bank"),
            text("home-fields-home-field-besides-the-banks"),
        ),
        "finance.currency" => (
            text("home-fields-home-field-currency-of-your"),
            text("home-fields-home-field-three-letters-such"),
        ),
        "rmssd_p50" => (
            text("home-fields-home-field-usual-heart-rate"),
            text("home-fields-home-field-in-milliseconds-rmssd"),
        ),
        "rmssd_p10" => (
            text("home-fields-home-field-low-heart-rate"),
            text("home-fields-home-field-in-milliseconds-rmssd-2"),
        ),
        "retention.traces" => (text("home-fields-home-field-decisions-and-their"), DAYS.say()),
        "retention.conversations" => (text("home-fields-home-field-which-chats-were"), DAYS.say()),
        "retention.events" => (text("home-fields-home-field-payments-events-and"), DAYS.say()),
        "retention.runs" => (text("home-fields-home-field-workflows-that-are"), DAYS.say()),
        "retention.counters" => (text("home-fields-home-field-how-often-i"), DAYS.say()),
        "speech.enabled" => (
            text("home-fields-home-field-say-a-sentence"),
            text("home-fields-home-field-that-a-card"),
        ),
        "speech.program" => (
            text("home-fields-home-field-program-that-speaks"),
            text("home-fields-home-field-by-its-name"),
        ),
        "speech.voice" => (
            text("home-fields-home-field-voice"),
            text("home-fields-home-field-the-path-of"),
        ),
        "speech.player" => (
            text("home-fields-home-field-program-that-plays"),
            text("home-fields-home-field-by-its-name-2"),
        ),
        "ntfy.server" => (
            text("home-fields-home-field-address-of-your"),
            text("home-fields-home-field-your-own-such"),
        ),
        "ntfy.token" => (
            text("home-fields-home-field-access-token-of"),
            text("home-fields-home-field-where-it-asks"),
        ),
        "ntfy.topic" => (
            text("home-fields-home-field-subscribe-to-this"),
            text("home-fields-home-field-nobody-can-guess"),
        ),
        "model.worker" => (
            text("home-fields-home-field-path-of-the"),
            text("home-fields-home-field-empty-the-program"),
        ),
        "web.hosts" => (
            text("home-fields-home-field-names-of-this"),
            text("home-fields-home-field-under-which-your"),
        ),
        "web.listen" => (
            text("home-fields-home-field-address-to-listen"),
            text("home-fields-home-field-with-its-port"),
        ),
        "web.certificate" => (
            text("home-fields-home-field-certificate"),
            text("home-fields-home-field-the-path-of-2"),
        ),
        "web.key" => (
            text("home-fields-home-field-key-of-the"),
            text("home-fields-home-field-the-path-of-3"),
        ),
        "telemetry.endpoint" => (text("telemetry-endpoint"), text("telemetry-endpoint-means")),
        "telemetry.token" => (text("telemetry-token"), text("telemetry-token-means")),
        "web_push.hosts" => (
            text("home-fields-home-field-push-services-i"),
            text("home-fields-home-field-by-the-host"),
        ),
        other => {
            let budget = other.strip_prefix("budgets.").and_then(Category::parse);
            let kind = other.strip_prefix("kinds.").and_then(ActionKind::parse);
            match (budget, kind) {
                (Some(of), _) => (category(of), BUDGET.say()),
                (None, Some(of)) => (action(of), KIND_MEANS.say()),
                (None, None) => (other, ""),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn always_is_understood_in_each_language() {
        for (typed, is_word) in [("always", true), ("immer", true), ("365", false), ("", false)] {
            assert_eq!(is_always(typed), is_word, "{typed}");
        }
    }
}
