//! Which settings of the owner's file have a field on the page, and within which limits.
//!
//! What: [`FIELDS`], a row for each; [`value_of`], what a field's text becomes in the file; [`views`], what is in force. Why: a key more is one row. What a
//! value means is checked where the file is read (`config`), so that no form writes what cannot be read. Not here: fields with a form of their own
//! (`settings`), phrases (`surfaces_base::words`).

use crate::{
    config::{BUDGET_MAX, HomeConfig, is_budget},
    outbound::web_push::PushHost,
};
use orchestrator_machine::env::KindWish;
use rust_decimal::Decimal;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use surfaces_base::backend::home_fields::{
    HomeFieldGroup::{
        self, Body, Browsers, Budgets, Collector, Days, Keeping, Kinds, Language, ModelProgram, Money,
        OtherDevices, Phone, Speaking,
    },
    HomeFieldKind::{
        self, Amount, Choice, Choices, Hours, Keep, Made, Place, Secret, Switch, Tenths, Text, Texts, Whole,
    },
    HomeFieldView,
};
use surfaces_base::backend::web_push::WEB_PUSH_HOSTS;
use surfaces_base::words;
use toml_edit::{Array, InlineTable, Value};
use toolcall_schema::ActionKind;

const MODES: &[&str] = &["walk", "metro", "bike", "car"];
const CLOCKS: &[&str] = &["24h", "12h"];
const LANGUAGES: &[&str] = &["browser", "en", "de"];
const WEEKDAYS: &[&str] = &["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
/// How often a kind of card is wanted.
const WISHES: &[&str] = &["usual", "less", "more"];
const SPEED: HomeFieldKind = Tenths { min: 5, max: 10_000 };
const HEART: HomeFieldKind = Tenths { min: 10, max: 3_000 };

/// Key, where it stands, and what it takes.
pub(crate) const FIELDS: &[(&str, HomeFieldGroup, HomeFieldKind)] = &[
    ("language", Language, Choice(LANGUAGES)),
    ("clock", Language, Choice(CLOCKS)),
    ("calendar.before_meetings", Days, Switch),
    ("home", Days, Place),
    ("buffer_min", Days, Whole { min: 0, max: 240 }),
    ("calendar.default_mode", Days, Choice(MODES)),
    ("calendar.speeds_kmh.walk", Days, SPEED),
    ("calendar.speeds_kmh.metro", Days, SPEED),
    ("calendar.speeds_kmh.bike", Days, SPEED),
    ("calendar.speeds_kmh.car", Days, SPEED),
    ("calendar.working_hours", Days, Hours),
    ("calendar.working_days", Days, Choices(WEEKDAYS)),
    ("finance.accounts", Money, Texts),
    ("finance.senders", Money, Texts),
    ("finance.currency", Money, Text),
    ("budgets.groceries", Budgets, Amount),
    ("budgets.food_delivery", Budgets, Amount),
    ("budgets.transport", Budgets, Amount),
    ("budgets.shopping", Budgets, Amount),
    ("budgets.entertainment", Budgets, Amount),
    ("budgets.bills_utilities", Budgets, Amount),
    ("budgets.rent", Budgets, Amount),
    ("budgets.education", Budgets, Amount),
    ("budgets.health", Budgets, Amount),
    ("budgets.travel", Budgets, Amount),
    ("budgets.p2p_transfer", Budgets, Amount),
    ("budgets.subscriptions", Budgets, Amount),
    ("budgets.investment", Budgets, Amount),
    ("budgets.other", Budgets, Amount),
    ("kinds.SHOW_BRIEF", Kinds, Choice(WISHES)),
    ("kinds.DRAFT_REPLY", Kinds, Choice(WISHES)),
    ("kinds.BATCH_DIGEST", Kinds, Choice(WISHES)),
    ("kinds.MUTE_GROUP_30", Kinds, Choice(WISHES)),
    ("kinds.LEAVE_BY_ALERT", Kinds, Choice(WISHES)),
    ("kinds.PREPARE_MEETING", Kinds, Choice(WISHES)),
    ("kinds.DECLINE_EVENT", Kinds, Choice(WISHES)),
    ("kinds.SURFACE_ANOMALY", Kinds, Choice(WISHES)),
    ("kinds.PROJECT_BALANCE", Kinds, Choice(WISHES)),
    ("kinds.BREATHE_478", Kinds, Choice(WISHES)),
    ("kinds.NAP_15", Kinds, Choice(WISHES)),
    ("kinds.PERMIT_LEISURE", Kinds, Choice(WISHES)),
    ("rmssd_p50", Body, HEART),
    ("rmssd_p10", Body, HEART),
    ("retention.traces", Keeping, Keep),
    ("retention.conversations", Keeping, Keep),
    ("retention.events", Keeping, Keep),
    ("retention.runs", Keeping, Keep),
    ("retention.counters", Keeping, Keep),
    ("speech.enabled", Speaking, Switch),
    ("speech.program", Speaking, Text),
    ("speech.voice", Speaking, Text),
    ("speech.player", Speaking, Text),
    ("ntfy.server", Phone, Text),
    ("ntfy.token", Phone, Secret),
    ("ntfy.topic", Phone, Made),
    ("model.worker", ModelProgram, Text),
    ("web.hosts", OtherDevices, Texts),
    ("web.listen", OtherDevices, Text),
    ("web.certificate", OtherDevices, Text),
    ("web.key", OtherDevices, Text),
    ("telemetry.endpoint", Collector, Text),
    ("telemetry.token", Collector, Secret),
    (WEB_PUSH_HOSTS, Browsers, Texts),
];

/// The row of a key.
pub(crate) fn field(key: &str) -> Option<(&'static str, HomeFieldKind)> {
    let row = FIELDS.iter().find(|(known, ..)| *known == key)?;
    Some((row.0, row.2))
}

/// Whether a field starts a program or opens an address.
pub(crate) fn needs_proof(key: &str) -> bool {
    FIELDS
        .iter()
        .any(|(known, group, _)| *known == key && group.needs_proof())
}

/// What a field's text is in the file; `None` within: the key goes.
///
/// # Errors
/// What would be right.
pub(crate) fn value_of(kind: HomeFieldKind, text: &str) -> Result<Option<Value>, String> {
    let text = text.trim();
    let within = |number: i64, min: i64, max: i64| {
        if (min..=max).contains(&number) {
            Ok(number)
        } else {
            Err(())
        }
    };
    Ok(Some(match kind {
        Whole { min, max } => {
            let number = text
                .parse()
                .map_err(|_| ())
                .and_then(|number| within(number, min, max));
            let number = number.map_err(|()| format!("must be a whole number from {min} to {max}"))?;
            Value::from(number)
        }
        Tenths { min, max } => {
            let number = tenths(text).ok_or(()).and_then(|number| within(number, min, max));
            let number = number.map_err(|()| {
                format!(
                    "must be a number from {} to {}, with one digit after the point",
                    tenths_text(min),
                    tenths_text(max)
                )
            })?;
            tenths_text(number)
                .parse()
                .map_err(|_| "cannot be written".to_owned())?
        }
        Choice(known) => one_of(known, text)?.into(),
        Choices(known) => {
            let chosen: Vec<&str> = texts(text).collect();
            if chosen.is_empty() {
                return Err(format!("needs at least one of {}", known.join(", ")));
            }
            let chosen = chosen.into_iter().map(|one| one_of(known, one));
            Value::from(chosen.collect::<Result<Array, String>>()?)
        }
        Texts => Value::from(texts(text).collect::<Array>()),
        Text | Secret | Amount if text.is_empty() => return Ok(None),
        Amount => {
            let amount = Decimal::from_str_exact(text).ok().filter(|sum| is_budget(*sum));
            let amount = amount.filter(|sum| sum.scale() <= 3).ok_or_else(|| {
                format!("must be an amount such as 250.00, more than 0 and at most {BUDGET_MAX}")
            })?;
            Value::from(amount.to_string())
        }
        Text | Secret => text.into(),
        Made => return Err("is made by Aura".to_owned()),
        Keep if words::is_always(text) => "always".into(),
        Keep => {
            let days = text
                .parse::<i64>()
                .map_err(|_| ())
                .and_then(|days| within(days, 1, 3650));
            let days = days.map_err(|()| "must be a number of days from 1 to 3650, or always".to_owned())?;
            Value::from(days)
        }
        Hours => {
            let (from, to) = text
                .split_once('-')
                .ok_or_else(|| "must be two times, such as 09:00-18:00".to_owned())?;
            Value::from([from.trim(), to.trim()].into_iter().collect::<Array>())
        }
        Place if text.is_empty() => return Ok(None),
        Place => {
            let wrong = || "must be degrees north and east, such as 52.52, 13.405".to_owned();
            let (lat, lon) = text.split_once(',').ok_or_else(wrong)?;
            let degrees = |text: &str, most: f64| {
                let degrees: f64 = text.trim().parse().ok()?;
                (degrees.abs() <= most).then_some(degrees)
            };
            let (lat, lon) = degrees(lat, 90.0).zip(degrees(lon, 180.0)).ok_or_else(wrong)?;
            let place: InlineTable = [("lat", lat), ("lon", lon)].into_iter().collect();
            place.into()
        }
        Switch => Value::from(one_of(&["yes", "no"], text)? == "yes"),
    }))
}

fn one_of<'a>(known: &[&'a str], text: &str) -> Result<&'a str, String> {
    let found = known.iter().find(|one| **one == text);
    found
        .copied()
        .ok_or_else(|| format!("must be one of {}", known.join(", ")))
}

fn texts(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(str::trim).filter(|one| !one.is_empty())
}

/// `4.5` as 45.
fn tenths(text: &str) -> Option<i64> {
    let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit()) && !text.is_empty();
    if !digits(whole) || !digits(part) || part.len() > 1 {
        return None;
    }
    whole
        .parse::<i64>()
        .ok()?
        .checked_mul(10)?
        .checked_add(part.parse().ok()?)
}

/// 45 as `4.5`.
fn tenths_text(tenths: i64) -> String {
    format!("{}.{}", tenths / 10, tenths % 10)
}

/// What is in force.
pub(crate) fn views(home: &HomeConfig) -> Vec<HomeFieldView> {
    let owner = &home.owner;
    let (p50, p10) = owner.rmssd_p50_p10;
    let (speech, ntfy) = (&home.outbound.speech, home.outbound.ntfy.as_ref());
    let collector = home.outbound.telemetry.as_ref();
    let in_force = json!({
        "language": home.language.as_str(), "clock": home.clock, "home": owner.home, "buffer_min": owner.buffer_min, "rmssd_p50": p50, "rmssd_p10": p10,
        "calendar": owner.calendar, "finance": owner.finance, "retention": home.retention,
        "budgets": home.budgets, "kinds": kinds_in_force(home),
        "speech": speech, "model": { "worker": home.model_worker },
        "ntfy": ntfy.map(|ntfy| json!({
            "server": ntfy.server(), "topic": ntfy.topic, "token": ntfy.has_token().then_some("kept"),
        })),
        "telemetry": collector.map(|collector| json!({
            "endpoint": collector.endpoint(), "token": collector.has_token().then_some("kept"),
        })),
        "web": {
            "hosts": home.web.hosts, "listen": home.web.listen,
            "certificate": home.web.certificate, "key": home.web.key,
        },
        "web_push": { "hosts": home.outbound.web_push.hosts.iter().map(PushHost::as_str).collect::<Vec<_>>() },
    });
    let view = |&(key, group, kind): &(&'static str, _, _)| {
        let value = in_force.pointer(&format!("/{}", key.replace('.', "/")));
        HomeFieldView {
            key,
            group,
            kind,
            value: value.map(|value| field_text(kind, value)).unwrap_or_default(),
        }
    };
    FIELDS.iter().map(view).collect()
}

/// Each kind of card, and how often it is wanted.
fn kinds_in_force(home: &HomeConfig) -> BTreeMap<ActionKind, KindWish> {
    let wish = |kind: &ActionKind| home.settings.kinds.get(kind).copied().unwrap_or(KindWish::Usual);
    ActionKind::ALL.iter().map(|kind| (*kind, wish(kind))).collect()
}

fn field_text(kind: HomeFieldKind, value: &Json) -> String {
    match (kind, value) {
        (_, Json::Null) => String::new(),
        (Switch, value) => (if value == &Json::Bool(true) { "yes" } else { "no" }).to_owned(),
        (Place, value) => {
            let part = |name: &str| value.get(name).map(Json::to_string).unwrap_or_default();
            format!("{}, {}", part("lat"), part("lon"))
        }
        (Hours, Json::Array(times)) => join(times, "-"),
        (_, Json::Array(texts)) => join(texts, ", "),
        (_, Json::String(text)) => text.clone(),
        (_, value) => value.to_string(),
    }
}

fn join(texts: &[Json], between: &str) -> String {
    let texts: Vec<&str> = texts.iter().filter_map(Json::as_str).collect();
    texts.join(between)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        home_edit::{self, HomeEdit},
        setting_reference::OTHER_SETTINGS,
    };
    use std::{collections::BTreeSet, path::Path};

    /// Why a key has no field in the table: it has a form of its own, or none on purpose.
    const ELSEWHERE: &[(&str, &str)] = &[
        ("zone", "a form of its own"),
        ("ceiling", "a form of its own"),
        ("brief_time", "a form of its own"),
        ("dnd", "a form of its own"),
        ("names", "a form of its own"),
        ("addresses", "a form of its own"),
        ("sleep_target_min", "a form of its own"),
        ("balance", "a form of its own"),
        ("sources.mail", "allowed, paused and taken away as a source"),
        (
            "sources.notifications",
            "allowed, paused and taken away as a source",
        ),
        ("sources.contacts", "allowed, paused and taken away as a source"),
        ("sources.calendar", "allowed, paused and taken away as a source"),
        ("sources.sms", "allowed, paused and taken away as a source"),
        ("sources.finance", "allowed, paused and taken away as a source"),
        ("sources.receipts", "allowed, paused and taken away as a source"),
        ("sources.wellness", "allowed, paused and taken away as a source"),
        ("sources.paused", "a source's button"),
        ("accounts", "a form of its own, paused and taken away as a source"),
        ("finance.csv", "asked where a bank's file is looked at"),
        ("calendar.places", "asked where a calendar is looked at"),
        ("sources.signals", "none: recorded days of who develops Aura"),
        ("start", "none: demo households alone"),
        ("seed", "none: demo households alone"),
        ("ntfy.answers", "made together with the topic"),
        ("kinds.CATEGORIZE_TXN", "none: it is never shown"),
    ];

    /// The keys that a table of the file takes, as the reader itself names them where it refuses one.
    fn keys(table: &str) -> Vec<String> {
        let whole = match table {
            // What must stand beside it.
            "" => "zone = \"UTC\"\nnothing_of_that_name = 1\n".to_owned(),
            table => format!("zone = \"UTC\"\n[{table}]\nnothing_of_that_name = 1\n"),
        };
        let error = HomeConfig::from_text(Path::new("home.toml"), &whole)
            .unwrap_err()
            .to_string();
        let (_, named) = error
            .split_once("expected ")
            .unwrap_or_else(|| panic!("{table}: {error}"));
        let named = named.lines().next().unwrap_or_default();
        named.split('`').skip(1).step_by(2).map(str::to_owned).collect()
    }

    #[test]
    fn every_key_of_the_file_has_a_form_or_a_reason_why_not() {
        let with_form: BTreeSet<&str> = FIELDS.iter().map(|(key, ..)| *key).collect();
        let elsewhere: BTreeSet<&str> = ELSEWHERE.iter().map(|(key, _)| *key).collect();
        assert!(with_form.is_disjoint(&elsewhere));
        // What the site's reference says of these.
        let described: BTreeSet<&str> = OTHER_SETTINGS.iter().map(|(key, ..)| *key).collect();
        assert_eq!(described, elsewhere);
        let tables = [
            "sources",
            "model",
            "web",
            "retention",
            "calendar",
            "finance",
            "speech",
            "ntfy",
            "web_push",
            "telemetry",
            "budgets",
            "kinds",
        ];
        let mut all: BTreeSet<String> = BTreeSet::new();
        for key in keys("") {
            if tables.contains(&key.as_str()) {
                all.extend(keys(&key).into_iter().map(|inner| format!("{key}.{inner}")));
            } else {
                all.insert(key);
            }
        }
        if all.remove("calendar.speeds_kmh") {
            all.extend(
                keys("calendar.speeds_kmh")
                    .into_iter()
                    .map(|inner| format!("calendar.speeds_kmh.{inner}")),
            );
        }
        let known: BTreeSet<String> = with_form.union(&elsewhere).map(|key| (*key).to_owned()).collect();
        assert_eq!(all, known);
        for (key, ..) in FIELDS {
            let (label, means) = surfaces_base::words::home_field(key);
            assert!(
                !label.is_empty() && means.ends_with('.'),
                "{key}: {label} {means}"
            );
            assert!(label != *key, "{key} has no name");
        }
    }

    #[test]
    fn text_of_a_field_is_read_again_as_it_was_written_and_all_around_it_stays() {
        let text = "# mine\nzone = \"UTC\" # here\n\n[calendar]\ndefault_mode = \"bike\" # always\n";
        for (key, value) in [
            ("clock", "12h"),
            ("home", "52.52, 13.405"),
            ("buffer_min", "20"),
            ("calendar.default_mode", "walk"),
            ("calendar.speeds_kmh.walk", "5.1"),
            ("calendar.working_hours", "08:30-16:00"),
            ("calendar.working_days", "mon, sat"),
            ("finance.accounts", "8841, 0007"),
            ("finance.senders", "MPESA"),
            ("finance.currency", "EUR"),
            ("budgets.groceries", "250.00"),
            ("budgets.p2p_transfer", "0.5"),
            ("kinds.DRAFT_REPLY", "less"),
            ("kinds.SHOW_BRIEF", "more"),
            ("rmssd_p50", "51.5"),
            ("retention.traces", "60"),
            ("retention.events", "always"),
            ("speech.enabled", "yes"),
            ("speech.program", "say-it"),
            ("model.worker", "/opt/aura-llm"),
            ("web_push.hosts", "push.example.net, *.push.example.org"),
            ("telemetry.endpoint", "https://collector.example:4318"),
            ("web.hosts", "aura.example, aura.example:8443"),
        ] {
            let edit = HomeEdit::Field(key.to_owned(), value.to_owned());
            let changed = home_edit::apply(text, Path::new("/"), &[edit]).unwrap();
            let home = HomeConfig::from_text(Path::new("home.toml"), &changed).unwrap();
            let view = views(&home).into_iter().find(|view| view.key == key).unwrap();
            assert_eq!(view.value, value, "{changed}");
            assert!(changed.contains("# mine\nzone = \"UTC\" # here\n"), "{changed}");
            assert!(changed.contains("# always"), "{changed}");
        }
    }

    #[test]
    fn what_is_beyond_a_limit_is_refused_with_what_would_be_right() {
        for (key, value, says) in [
            ("buffer_min", "241", "from 0 to 240"),
            ("buffer_min", "1.5", "whole number"),
            ("calendar.speeds_kmh.car", "0.4", "from 0.5 to 1000.0"),
            ("calendar.speeds_kmh.car", "1e3", "from 0.5 to 1000.0"),
            ("budgets.rent", "0", "more than 0"),
            ("kinds.NAP_15", "never", "one of usual, less, more"),
            ("budgets.rent", "-5", "more than 0"),
            ("budgets.rent", "1000000000000.01", "at most 1000000000000"),
            ("budgets.rent", "12,50", "such as 250.00"),
            ("budgets.rent", "1.0001", "such as 250.00"),
            ("calendar.default_mode", "rocket", "one of walk"),
            ("clock", "25h", "one of 24h, 12h"),
            ("calendar.working_days", "", "at least one"),
            ("calendar.working_hours", "nine", "two times"),
            ("retention.traces", "0", "from 1 to 3650"),
            ("home", "91, 0", "degrees"),
            ("home", "north", "degrees"),
            ("speech.enabled", "maybe", "one of yes, no"),
        ] {
            let (_, kind) = field(key).unwrap();
            let refused = value_of(kind, value).unwrap_err();
            assert!(refused.contains(says), "{key} {value}: {refused}");
        }
        assert!(field("ntfy.answers").is_none() && field("").is_none());
        assert!(matches!(value_of(Amount, " "), Ok(None)));
        assert!(value_of(Made, "a-topic-of-my-own-choice").is_err());
    }
}
