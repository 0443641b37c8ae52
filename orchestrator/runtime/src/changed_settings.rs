//! What a change of the owner's file was, as the audit log names it.
//!
//! What: [`changed_settings`], an id for each setting that changed: its key, and what it says now where that is a number, an hour or a word of ours. Why: a
//! change is an act of the owner's and stands dated among the others; a name, an address, a path or an amount is in no log. Not here: making the
//! change (`settings`), its sentence (`surfaces_base::words`).

use crate::{
    config::HomeConfig,
    home_fields,
    home_file::{HomeChangeKind, HomeFileChanged},
};
use chrono::NaiveTime;
use serde_json::Value;
use std::path::PathBuf;
use surfaces_base::backend::{
    home_fields::{HomeFieldKind, HomeFieldView},
    settings::{REDONE, UNDONE},
};
use toolcall_schema::SourceKind;

/// An id for each setting that differs.
pub(crate) fn changed_settings(changed: &HomeFileChanged) -> Vec<String> {
    let HomeFileChanged { before, after, kind } = changed;
    let forms = [ceiling, brief_hour, quiet_hours, sleep_target].map(|of| (of(before), of(after)));
    let forms = forms.into_iter().filter(|(was, is)| was != is);
    let fields = home_fields::views(before)
        .into_iter()
        .zip(home_fields::views(after));
    let fields = fields.filter(|(was, is)| was.value != is.value);
    let (was, is) = (&before.owner, &after.owner);
    let untold = [
        ("zone", was.zone != is.zone),
        ("names", was.names != is.names),
        ("addresses", was.addresses != is.addresses),
        ("balance", was.balance != is.balance),
        ("finance.csv", was.finance.csv != is.finance.csv),
        ("calendar.places", ways(before) != ways(after)),
        ("accounts", before.accounts != after.accounts),
    ];
    let untold = untold.into_iter().filter(|(_, differs)| *differs);
    let sources = SourceKind::ALL.iter().flat_map(|&kind| {
        let changes = source_changes(kind, before, after).into_iter();
        changes.map(move |what| format!("sources.{kind}:{what}"))
    });
    let ids = forms
        .map(|(_, (key, value))| id_of(key, &value))
        .chain(fields.map(|(_, field)| id_of(field.key, &told_value(&field))))
        .chain(untold.map(|(key, _)| key.to_owned()))
        .chain(sources);
    let begin = match kind {
        HomeChangeKind::Change => "",
        HomeChangeKind::Undo => UNDONE,
        HomeChangeKind::Redo => REDONE,
    };
    ids.map(|id| format!("{begin}{id}")).collect()
}

/// How long the owner's ways take, as the file has it.
fn ways(home: &HomeConfig) -> Option<Value> {
    let calendar = serde_json::to_value(&home.owner.calendar).ok()?;
    calendar.get("places").cloned()
}

fn id_of(key: &str, value: &str) -> String {
    if value.is_empty() {
        key.to_owned()
    } else {
        format!("{key}:{value}")
    }
}

fn ceiling(home: &HomeConfig) -> (&'static str, String) {
    ("ceiling", home.settings.ceiling.to_string())
}

fn brief_hour(home: &HomeConfig) -> (&'static str, String) {
    ("brief_time", hour(home.settings.brief.from))
}

/// Spans with a point between them.
fn quiet_hours(home: &HomeConfig) -> (&'static str, String) {
    let spans = home.settings.dnd.iter();
    let spans: Vec<String> = spans
        .map(|span| format!("{}-{}", hour(span.from), hour(span.to)))
        .collect();
    ("dnd", spans.join("."))
}

fn sleep_target(home: &HomeConfig) -> (&'static str, String) {
    ("sleep_target_min", home.owner.sleep_target_min.to_string())
}

fn hour(time: NaiveTime) -> String {
    time.format("%H:%M").to_string()
}

/// What a field says now, where it is none of the owner's own words; a list with points between.
fn told_value(field: &HomeFieldView) -> String {
    match field.kind {
        HomeFieldKind::Whole { .. }
        | HomeFieldKind::Tenths { .. }
        | HomeFieldKind::Choice(_)
        | HomeFieldKind::Choices(_)
        | HomeFieldKind::Keep
        | HomeFieldKind::Hours
        | HomeFieldKind::Switch => field.value.replace(", ", "."),
        HomeFieldKind::Amount
        | HomeFieldKind::Texts
        | HomeFieldKind::Text
        | HomeFieldKind::Place
        | HomeFieldKind::Secret
        | HomeFieldKind::Made => String::new(),
    }
}

/// What became of the sources of a kind, each thing once.
fn source_changes(kind: SourceKind, before: &HomeConfig, after: &HomeConfig) -> Vec<&'static str> {
    let is_in = |list: &[PathBuf], path: &PathBuf| list.contains(path);
    let (was_read, was_paused) = (before.sources.list(kind), before.paused.list(kind));
    let (is_read, is_paused) = (after.sources.list(kind), after.paused.list(kind));
    let begun = |path: &&PathBuf| !is_in(was_read, path);
    let known = |path: &PathBuf| is_in(was_read, path) || is_in(was_paused, path);
    [
        ("added", is_read.iter().filter(begun).any(|path| !known(path))),
        ("resumed", is_read.iter().filter(begun).any(known)),
        ("paused", is_paused.iter().any(|path| !is_in(was_paused, path))),
        (
            "removed",
            was_read
                .iter()
                .chain(was_paused)
                .any(|path| !is_in(is_read, path) && !is_in(is_paused, path)),
        ),
    ]
    .into_iter()
    .filter_map(|(what, is_so)| is_so.then_some(what))
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn home(text: &str) -> HomeConfig {
        HomeConfig::from_text(Path::new("/home/asha/aura/home.toml"), text).unwrap()
    }

    #[test]
    fn each_setting_that_differs_is_named_and_what_is_the_owners_own_is_not_told() {
        let before = "zone = \"UTC\"\nceiling = 2\ndnd = [[\"22:00\", \"07:00\"]]\nnames = [\"asha\"]\n[sources]\nmail = [\"/m/one\"]\n";
        let after = "zone = \"UTC\"\nceiling = 3\nbrief_time = \"08:15\"\ndnd = []\nnames = [\"asha\", \"ash\"]\n\
            buffer_min = 20\n[calendar]\nbefore_meetings = true\n[budgets]\ngroceries = \"250.00\"\n\
            [sources]\nmail = [\"/m/two\"]\npaused = { mail = [\"/m/one\"] }\n";
        let changed = HomeFileChanged {
            before: home(before),
            after: home(after),
            kind: HomeChangeKind::Change,
        };
        let ids = [
            "ceiling:3",
            "brief_time:08:15",
            "dnd",
            "calendar.before_meetings:yes",
            "buffer_min:20",
            "budgets.groceries",
            "names",
            "sources.mail:added",
            "sources.mail:paused",
        ];
        assert_eq!(changed_settings(&changed), ids);
        let back = HomeFileChanged {
            before: changed.after,
            after: changed.before,
            kind: HomeChangeKind::Undo,
        };
        let ids = changed_settings(&back);
        assert!(ids.contains(&"undo.dnd:22:00-07:00".to_owned()), "{ids:?}");
        assert!(ids.contains(&"undo.sources.mail:resumed".to_owned()), "{ids:?}");
        assert!(ids.contains(&"undo.sources.mail:removed".to_owned()), "{ids:?}");
        let same = HomeFileChanged {
            before: home(before),
            after: home(before),
            kind: HomeChangeKind::Undo,
        };
        assert!(changed_settings(&same).is_empty());
    }
}
