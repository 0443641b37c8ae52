//! Every key of the owner's file, for the reference of settings.
//!
//! What: [`described_settings`], each key with what it takes, what holds without it and what it means. Why: the site is written by the program, so that it
//! cannot speak of a key that is not there. Not here: the table of keys with a field on the page (`home_fields`), reading the file (`config`).

use crate::{
    config::{ConfigError, HomeConfig},
    home_fields,
};
use std::{collections::BTreeMap, path::Path};
use surfaces_base::{
    backend::home_fields::{HomeFieldGroup, HomeFieldKind},
    words,
};

/// One key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DescribedSetting {
    /// With dots: `calendar.default_mode`.
    pub key: &'static str,
    /// What may stand there.
    pub takes: String,
    /// What holds where the file does not say it; empty: nothing.
    pub default: String,
    pub means: String,
    /// Whether something new is put there on a page only in the browser that Aura opened.
    pub needs_proof: bool,
}

/// The keys that have a form of their own or none, with what they take and mean. A test holds them against the file.
pub(crate) const OTHER_SETTINGS: &[(&str, &str, &str)] = &[
    (
        "zone",
        "an IANA name such as \"Europe/Berlin\"; needed",
        "The time zone that you live by.",
    ),
    (
        "ceiling",
        "a whole number, 0 to 5",
        "Interruptions a day, at most.",
    ),
    (
        "brief_time",
        "a time such as \"07:30\"",
        "From when on the morning brief may come.",
    ),
    (
        "dnd",
        "a list of two times each: [[\"22:00\", \"07:00\"]]",
        "Quiet hours.",
    ),
    (
        "names",
        "a list of texts",
        "What others call you, by which a message is known to mean you.",
    ),
    ("addresses", "a list of mail addresses", "Your own addresses."),
    ("sleep_target_min", "minutes", "How long you want to sleep."),
    (
        "balance",
        "{ amount = \"1200.50\", currency = \"EUR\", as_of = an instant }",
        "What was in the account when; what came since is added.",
    ),
    (
        "sources.mail",
        "a list of files and folders",
        "Mail: Maildir, mbox, `.eml`.",
    ),
    (
        "sources.notifications",
        "a list of files",
        "Notifications of messengers, as lines of JSON.",
    ),
    (
        "sources.contacts",
        "a list of files and folders",
        "vCards, which name people as you call them.",
    ),
    (
        "sources.calendar",
        "a list of files and folders",
        "Calendars and lists of tasks.",
    ),
    (
        "sources.sms",
        "a list of files",
        "Text messages, those of banks among them.",
    ),
    (
        "sources.finance",
        "a list of files and folders",
        "Statements and journals.",
    ),
    (
        "sources.receipts",
        "a list of files and folders",
        "Mails with receipts.",
    ),
    (
        "sources.wellness",
        "a list of files and folders",
        "Exports of bands and health apps.",
    ),
    (
        "sources.signals",
        "a list of files",
        "Recorded signals of a demo household.",
    ),
    (
        "sources.paused",
        "a table with the same lists",
        "What was allowed and is not read for now.",
    ),
    (
        "accounts",
        "a list of tables [[accounts]]: name, kind, address, user, private, write, keep_free, every, days, certificate, paused",
        "Accounts on servers that are read, and written to where you say so; the page and `aura source add` write one.",
    ),
    (
        "finance.csv",
        "a list of tables [[finance.csv]]",
        "How a bank's CSV file is read; the page asks and writes one.",
    ),
    (
        "calendar.places",
        "a table of minutes by place",
        "How far places without coordinates are; the page asks and writes it.",
    ),
    ("start", "an instant", "When the day of a demo household begins."),
    ("seed", "a text", "The seed of a demo household."),
    (
        "ntfy.answers",
        "made by Aura",
        "The topic on which your phone's answers come back.",
    ),
    (
        "kinds.CATEGORIZE_TXN",
        "\"usual\", \"less\" or \"more\"",
        "Sorting payments, which is never shown.",
    ),
];

/// Every key, in the order of their names.
///
/// # Errors
/// A file that only names a zone cannot be read: a bug.
pub fn described_settings() -> Result<Vec<DescribedSetting>, ConfigError> {
    let bare = HomeConfig::from_text(Path::new("home.toml"), "zone = \"UTC\"\n")?;
    let defaults: BTreeMap<&str, String> = home_fields::views(&bare)
        .into_iter()
        .map(|view| (view.key, view.value))
        .collect();
    let with_field = home_fields::FIELDS.iter().map(|(key, group, kind)| {
        let (label, means) = words::home_field(key);
        DescribedSetting {
            key,
            takes: takes(*kind),
            default: defaults.get(key).cloned().unwrap_or_default(),
            means: format!("{label}. {means}"),
            needs_proof: HomeFieldGroup::needs_proof(*group),
        }
    });
    let others = OTHER_SETTINGS.iter().map(|(key, takes, means)| DescribedSetting {
        key,
        takes: (*takes).to_owned(),
        default: default_of(key, &bare),
        means: (*means).to_owned(),
        needs_proof: is_read(key),
    });
    let mut all: Vec<DescribedSetting> = with_field.chain(others).collect();
    all.sort_by_key(|setting| setting.key);
    Ok(all)
}

/// Whether a key without a field names what is read.
fn is_read(key: &str) -> bool {
    let source = key.strip_prefix("sources.");
    key == "accounts" || source.is_some_and(|source| source != "paused")
}

/// What holds of the keys without a field.
fn default_of(key: &str, bare: &HomeConfig) -> String {
    match key {
        "ceiling" => bare.settings.ceiling.to_string(),
        "brief_time" => bare.settings.brief.from.format("%H:%M").to_string(),
        "sleep_target_min" => bare.owner.sleep_target_min.to_string(),
        _ => String::new(),
    }
}

/// What a field's value is in the file.
fn takes(kind: HomeFieldKind) -> String {
    let tenth = |tenths: i64| format!("{}.{}", tenths / 10, tenths % 10);
    let listed = |names: &[&str]| {
        let quoted: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
        quoted.join(", ")
    };
    match kind {
        HomeFieldKind::Whole { min, max } => format!("a whole number, {min} to {max}"),
        HomeFieldKind::Tenths { min, max } => {
            format!("a number with one decimal, {} to {}", tenth(min), tenth(max))
        }
        HomeFieldKind::Amount => "an amount such as \"250.00\"".to_owned(),
        HomeFieldKind::Choice(names) => format!("one of {}", listed(names)),
        HomeFieldKind::Choices(names) => format!("a list of {}", listed(names)),
        HomeFieldKind::Texts => "a list of texts".to_owned(),
        HomeFieldKind::Text => "a text".to_owned(),
        HomeFieldKind::Keep => "days, 1 to 3650, or \"always\"".to_owned(),
        HomeFieldKind::Hours => "two times: [\"09:00\", \"18:00\"]".to_owned(),
        HomeFieldKind::Place => "{ lat = degrees north, lon = degrees east }".to_owned(),
        HomeFieldKind::Switch => "true or false".to_owned(),
        HomeFieldKind::Secret => "a text that no page shows again".to_owned(),
        HomeFieldKind::Made => "made by Aura".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_key_is_described_once_and_says_what_it_takes() {
        let all = described_settings().unwrap();
        assert_eq!(all.len(), home_fields::FIELDS.len() + OTHER_SETTINGS.len());
        for pair in all.windows(2) {
            assert!(pair[0].key < pair[1].key, "{}", pair[1].key);
        }
        for setting in &all {
            assert!(!setting.takes.is_empty(), "{}", setting.key);
            assert!(setting.means.ends_with('.'), "{}: {}", setting.key, setting.means);
        }
        let row = |key: &str| all.iter().find(|setting| setting.key == key).unwrap().clone();
        assert_eq!(
            row("buffer_min").takes + &row("buffer_min").default,
            "a whole number, 0 to 24015"
        );
        assert_eq!(row("ceiling").default, "3");
        assert_eq!(row("calendar.default_mode").default, "car");
        for (key, needs_proof) in [
            ("speech.program", true),
            ("accounts", true),
            ("sources.mail", true),
            // What is paused was allowed once.
            ("sources.paused", false),
            ("clock", false),
        ] {
            assert_eq!(row(key).needs_proof, needs_proof, "{key}");
        }
    }
}
