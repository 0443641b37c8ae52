//! What is said of a setting that the owner changed.
//!
//! What: a sentence for each id by which the audit log names one: `KEY`, `KEY:VALUE`, after `undo.` where a change was taken back. Not here: which ids there
//! are (`orchestrator`), names of fields (`home_fields`), forms (`settings_form`).

use super::{
    AT_LOGIN, DESKTOP, FORM_ADDRESSES, FORM_BALANCE, FORM_NAMES, FORM_SLEEP, IN_MENU, action, category,
    home_choice, home_field, kept_for_days, source_list,
};
use crate::{
    backend::settings::{DEVICE_REMOVED, REDONE, UNDONE},
    format,
    language::{Text, say, text},
};
use chrono::NaiveTime;
use toolcall_schema::{ActionKind, Category, SourceKind};

/// The key of an id without a form of the owner's file: it is not undone with it.
const OF_OTHER_FILES: [&str; 6] = [
    "policy",
    "desktop.at_login",
    "desktop.in_menu",
    "model",
    "push",
    "devices",
];

/// A device that was let in, by its id: its name is known as long as it may come.
pub fn device_let_in(name: &str) -> String {
    say!("settings-form-act-device-added-named", name)
}

/// Whether a change was taken back by it.
pub fn is_undone_setting(id: &str) -> bool {
    id.starts_with(UNDONE)
}

/// Whether a change that was taken back is there again by it.
pub fn is_redone_setting(id: &str) -> bool {
    id.starts_with(REDONE)
}

/// The setting of an id that says its one value: another change of it takes its place.
pub fn single_setting(id: &str) -> Option<&str> {
    let (key, _) = key_of(id);
    (!key.starts_with("sources.") && key != "accounts").then_some(key)
}

/// Whether it is a setting of the owner's file.
pub fn is_home_setting(id: &str) -> bool {
    !OF_OTHER_FILES.contains(&key_of(id).0)
}

fn key_of(id: &str) -> (&str, &str) {
    let begin = [UNDONE, REDONE].into_iter().find(|begin| id.starts_with(begin));
    let id = begin.and_then(|begin| id.strip_prefix(begin)).unwrap_or(id);
    id.split_once(':').unwrap_or((id, ""))
}

/// What was changed, and to what.
pub fn changed_setting(id: &str) -> String {
    let (key, value) = key_of(id);
    let of_its_own = match (key, value) {
        ("policy", _) => Some(text("settings-form-act-policy")),
        ("model", "none") => Some(text("settings-form-act-no-model")),
        ("model", _) => Some(text("settings-form-act-model")),
        ("push", "no") => Some(text("settings-form-act-no-push")),
        ("push", _) => Some(text("settings-form-act-push")),
        ("devices", "removed") => Some(text("settings-form-act-device-removed")),
        ("devices", value) if !value.starts_with("removed") => Some(text("settings-form-act-device-added")),
        _ => None,
    };
    if let Some(says) = of_its_own {
        return says.to_owned();
    }
    if let Some(day) = id.strip_prefix(DEVICE_REMOVED).and_then(|day| day.parse().ok()) {
        return say!(
            "settings-form-act-device-removed-of",
            day = format::weekday_in_full(day)
        );
    }
    if let Some(list) = key.strip_prefix("sources.").and_then(SourceKind::parse) {
        let list = source_list(list);
        return match value {
            "added" => say!("settings-form-act-source-added", list),
            "resumed" => say!("settings-form-act-source-resumed", list),
            "paused" => say!("settings-form-act-source-paused", list),
            _ => say!("settings-form-act-source-removed", list),
        };
    }
    let (setting, is_undo) = (setting_called(key), is_undone_setting(id));
    let no_hours = key == "dnd" && value.is_empty();
    match (value, is_undo) {
        ("yes", false) => say!("settings-form-act-on", setting),
        ("yes", true) => say!("settings-form-act-on-again", setting),
        ("no", false) => say!("settings-form-act-off", setting),
        ("no", true) => say!("settings-form-act-off-again", setting),
        ("", false) if no_hours => say!("settings-form-act-off", setting),
        ("", true) if no_hours => say!("settings-form-act-off-again", setting),
        ("", false) => say!("settings-form-act-changed", setting),
        ("", true) => say!("settings-form-act-as-before", setting),
        (_, false) => say!("settings-form-act-set", setting, value = value_said(key, value)),
        (_, true) => say!(
            "settings-form-act-set-again",
            setting,
            value = value_said(key, value)
        ),
    }
}

/// A setting within a sentence.
fn setting_called(key: &str) -> String {
    let quoted = |label: &str| say!("settings-form-act-called", label);
    match key {
        "ceiling" => text("settings-form-act-ceiling").to_owned(),
        "brief_time" => text("settings-form-act-brief").to_owned(),
        "dnd" => text("settings-form-act-quiet").to_owned(),
        "zone" => text("settings-form-act-zone").to_owned(),
        "accounts" => text("settings-form-act-accounts").to_owned(),
        "finance.csv" => text("settings-form-act-columns").to_owned(),
        "calendar.places" => text("settings-form-act-places").to_owned(),
        "sleep_target_min" => quoted(FORM_SLEEP.say()),
        "names" => quoted(FORM_NAMES.say()),
        "addresses" => quoted(FORM_ADDRESSES.say()),
        "balance" => quoted(FORM_BALANCE.say()),
        "desktop.at_login" => quoted(&in_section(AT_LOGIN)),
        "desktop.in_menu" => quoted(&in_section(IN_MENU)),
        other => {
            let of = |table: &str| other.strip_prefix(table);
            if let Some(of) = of("budgets.").and_then(Category::parse) {
                say!("settings-form-act-budget", of = category(of))
            } else if let Some(of) = of("kinds.").and_then(ActionKind::parse) {
                say!("settings-form-act-kind", of = action(of))
            } else if of("retention.").is_some() {
                say!("settings-form-act-keep", of = home_field(other).0)
            } else {
                quoted(home_field(other).0)
            }
        }
    }
}

fn in_section(switch: Text) -> String {
    format!("{}: {}", DESKTOP.say(), switch.say())
}

/// What a setting says now.
fn value_said(key: &str, value: &str) -> String {
    match key {
        "brief_time" => hour(value),
        "dnd" | "calendar.working_hours" => value.split('.').map(span).collect::<Vec<_>>().join(", "),
        "calendar.working_days" => value.split('.').map(home_choice).collect::<Vec<_>>().join(", "),
        "sleep_target_min" | "buffer_min" => value.parse().map_or_else(|_| value.to_owned(), format::minutes),
        _ if key.starts_with("calendar.speeds_kmh.") => say!("settings-form-act-speed", value),
        _ if key.starts_with("retention.") => match value.parse::<u32>() {
            Ok(days) => say!("settings-form-act-days", days),
            Err(_) => kept_for_days(value).to_owned(),
        },
        _ => home_choice(value).to_owned(),
    }
}

fn span(text: &str) -> String {
    let (from, to) = text.split_once('-').unwrap_or((text, ""));
    format!("{}–{}", hour(from), hour(to))
}

fn hour(text: &str) -> String {
    NaiveTime::parse_from_str(text, "%H:%M").map_or_else(|_| text.to_owned(), format::time_of_day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{language::Language, locale::speaking};

    #[test]
    fn change_of_a_setting_says_which_and_what_it_says_now() {
        for (id, english, german) in [
            (
                "dnd:22:00-07:00",
                "You set quiet hours to 22:00–07:00.",
                "Du hast die Ruhezeiten auf 22:00–07:00 gestellt.",
            ),
            (
                "dnd:22:00-07:00.13:00-14:00",
                "You set quiet hours to 22:00–07:00, 13:00–14:00.",
                "Du hast die Ruhezeiten auf 22:00–07:00, 13:00–14:00 gestellt.",
            ),
            (
                "dnd",
                "You turned quiet hours off.",
                "Du hast die Ruhezeiten ausgeschaltet.",
            ),
            (
                "undo.brief_time:07:30",
                "You set the morning brief back to 07:30.",
                "Du hast den Morgenüberblick wieder auf 07:30 gestellt.",
            ),
            (
                "calendar.before_meetings:yes",
                "You turned “Before a meeting” on.",
                "Du hast „Vor einem Treffen“ eingeschaltet.",
            ),
            (
                "model:none",
                "You turned the language model off.",
                "Du hast das Sprachmodell ausgeschaltet.",
            ),
            (
                "push:yes",
                "You let me notify a browser.",
                "Du lässt mich einen Browser benachrichtigen.",
            ),
            (
                "devices:removed",
                "You shut a device out.",
                "Du hast ein Gerät ausgesperrt.",
            ),
            (
                "devices:removed.2026-11-03",
                "You shut out a device that you had let in on Tuesday 3 November.",
                "Du hast ein Gerät ausgesperrt, das du am Dienstag, 3. November hereingelassen hattest.",
            ),
            (
                "devices:added.dev_00000000000000000000000000000001",
                "You let a device in.",
                "Du hast ein Gerät hereingelassen.",
            ),
            (
                "redo.brief_time:07:30",
                "You set the morning brief to 07:30.",
                "Du hast den Morgenüberblick auf 07:30 gestellt.",
            ),
            (
                "undo.names",
                "You put “Names others call you by” back as before.",
                "Du hast „Namen, mit denen andere dich rufen“ wieder so eingestellt wie vorher.",
            ),
            (
                "sources.mail:added",
                "You let me read a source: Mail.",
                "Du hast mich eine Quelle lesen lassen: Mail.",
            ),
            (
                "sleep_target_min:450",
                "You set “Hours of sleep you want” to 7 h 30 min.",
                "Du hast „Stunden Schlaf, die du willst“ auf 7 h 30 min gestellt.",
            ),
            (
                "retention.traces:30",
                "You set how long I keep “Decisions and their reasons” to 30 days.",
                "Du hast die Dauer, für die ich „Entscheidungen und ihre Gründe“ behalte, auf 30 Tage gestellt.",
            ),
        ] {
            assert_eq!(
                speaking(Language::English, || changed_setting(id)),
                english,
                "{id}"
            );
            assert_eq!(speaking(Language::German, || changed_setting(id)), german, "{id}");
        }
    }
}
