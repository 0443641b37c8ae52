//! What is said of the further settings.
//!
//! What: a name and a meaning for each key of the owner's file that has a field. Not here: limits (`orchestrator`), the fields with a form of their own
//! (`settings_form`).

use super::category;
use crate::backend::home_fields::HomeFieldGroup;
use toolcall_schema::Category;

/// Heading of the section.
pub const MORE_SETTINGS: &str = "More settings";
/// Shows what would change.
pub const FORM_PREVIEW: &str = "Show what changes";
/// Above the lines.
pub const PREVIEW_SAYS: &str = "Nothing is saved yet. In your settings file this would change:";
/// Nothing would.
pub const PREVIEW_NOTHING: &str = "Nothing would change.";
/// In the place of a secret that is kept.
pub const SECRET_KEPT: &str = "kept; type to change it";
/// A line that comes.
pub const PREVIEW_NEW: &str = "new";
/// A line that goes.
pub const PREVIEW_OLD: &str = "goes";

/// Why it would not be saved.
pub fn preview_refused(why: &str) -> String {
    format!("It would not be saved: {why}.")
}

/// A group of fields.
pub fn home_group(group: HomeFieldGroup) -> &'static str {
    match group {
        HomeFieldGroup::Days => "Meetings, ways and working days",
        HomeFieldGroup::Money => "Money",
        HomeFieldGroup::Budgets => "Budgets of a month",
        HomeFieldGroup::Body => "Heart rate",
        HomeFieldGroup::Keeping => "How long I keep things",
        HomeFieldGroup::Speaking => "Speaking aloud",
        HomeFieldGroup::Phone => "Notifications on your phone",
        HomeFieldGroup::ModelProgram => "Program of the language model",
        HomeFieldGroup::OtherDevices => "Aura's page on your other devices",
        HomeFieldGroup::Collector => "Your collector of ticks and figures",
        HomeFieldGroup::Browsers => "Notifications in your browsers",
    }
}

/// A word of a choice.
pub fn home_choice(name: &str) -> &str {
    match name {
        "walk" => "on foot",
        "metro" => "by train or bus",
        "bike" => "by bicycle",
        "car" => "by car",
        "mon" => "Monday",
        "tue" => "Tuesday",
        "wed" => "Wednesday",
        "thu" => "Thursday",
        "fri" => "Friday",
        "sat" => "Saturday",
        "sun" => "Sunday",
        other => other,
    }
}

/// The name of a setting, and what it means.
pub fn home_field(key: &str) -> (&str, &'static str) {
    const DAYS: &str = "In days, or the word always.";
    const BUDGET: &str = "What you want to spend on it in a month at most. Empty: no budget.";
    const SPEED: &str = "Kilometres an hour, from door to door.";
    match key {
        "home" => (
            "Where you live",
            "Degrees north and east. From there I count how long a way takes.",
        ),
        "buffer_min" => (
            "Minutes kept free before leaving",
            "I tell you so much earlier when to go.",
        ),
        "calendar.default_mode" => (
            "How you usually travel",
            "Used where an event does not say how you go.",
        ),
        "calendar.speeds_kmh.walk" => ("On foot", SPEED),
        "calendar.speeds_kmh.metro" => ("By train or bus", SPEED),
        "calendar.speeds_kmh.bike" => ("By bicycle", SPEED),
        "calendar.speeds_kmh.car" => ("By car", SPEED),
        "calendar.working_hours" => (
            "Working hours",
            "From and to, such as 09:00-18:00. Within them I look for time to focus.",
        ),
        "calendar.working_days" => ("Working days", "On the others I keep out of your calendar."),
        "calendar.before_meetings" => (
            "Before a meeting",
            "Ten minutes before an event with others in it: who will be there, which of their messages wait for you, where it is and how far. It counts as one of your interruptions, and is left out when you are not to be disturbed.",
        ),
        "finance.accounts" => (
            "Your accounts and cards",
            "The last four digits of each, with commas. What goes from one to another is no expense.",
        ),
        "finance.senders" => (
            "Senders of bank messages",
            "Besides the banks I know, with commas. What these send counts as a payment too.",
        ),
        "finance.currency" => (
            "Currency of your bank's files",
            "Three letters, such as EUR. Used where a file names none.",
        ),
        "rmssd_p50" => (
            "Usual heart-rate variability",
            "In milliseconds (RMSSD), until I have measured enough days of yours.",
        ),
        "rmssd_p10" => (
            "Low heart-rate variability",
            "In milliseconds (RMSSD), what you fall below on one day in ten.",
        ),
        "retention.traces" => ("Decisions and their reasons", DAYS),
        "retention.conversations" => ("Which chats were busy when", DAYS),
        "retention.events" => ("Payments, events and measurements", DAYS),
        "retention.runs" => ("Workflows that are over", DAYS),
        "retention.counters" => ("How often I interrupted", DAYS),
        "speech.enabled" => (
            "Say a sentence aloud",
            "That a card is on your phone. Others may hear it.",
        ),
        "speech.program" => (
            "Program that speaks",
            "By its name or its path. Empty: piper where a voice is named, else espeak-ng.",
        ),
        "speech.voice" => (
            "Voice",
            "The path of a voice file for piper, which ends in .onnx.",
        ),
        "speech.player" => (
            "Program that plays the sound",
            "By its name or its path. Empty: pw-play, else aplay.",
        ),
        "ntfy.server" => (
            "Address of your ntfy server",
            "Your own, such as https://ntfy.example.org. One line of a card is sent there, without a name. Empty: none is sent.",
        ),
        "ntfy.token" => (
            "Access token of that server",
            "Where it asks for one. It is kept in your settings file and not shown again.",
        ),
        "ntfy.topic" => (
            "Subscribe to this topic in the ntfy app",
            "Nobody can guess it, and whoever knows it can read your notifications.",
        ),
        "model.worker" => (
            "Path of the program",
            "Empty: the program aura-llm beside Aura's own.",
        ),
        "web.hosts" => (
            "Names of this computer",
            "Under which your other devices ask, with commas, such as aura.example. Directly, or through a reverse proxy of yours. Empty: this computer alone sees the page.",
        ),
        "web.listen" => (
            "Address to listen on",
            "With its port, such as 0.0.0.0:7443 for every network that this computer is in. It needs a certificate and its key. Empty: nothing but this computer is listened to.",
        ),
        "web.certificate" => (
            "Certificate",
            "The path of a PEM file with the chain, its own certificate first.",
        ),
        "web.key" => (
            "Key of the certificate",
            "The path of a PEM file. Aura reads it and shows it nowhere.",
        ),
        "telemetry.endpoint" => (
            "Address of your collector",
            "One that takes OpenTelemetry over HTTP in JSON, such as http://127.0.0.1:4318; on another computer with https. It is sent codes, counts and times, no names and no texts. Empty: nothing is sent.",
        ),
        "telemetry.token" => (
            "Access token of that collector",
            "Where it asks for one. It is kept in your settings file and not shown again.",
        ),
        "web_push.hosts" => (
            "Push services I may use",
            "By the host in the address that a browser names.",
        ),
        other => {
            let budget = other.strip_prefix("budgets.").and_then(Category::parse);
            budget.map_or((other, ""), |of| (category(of), BUDGET))
        }
    }
}
