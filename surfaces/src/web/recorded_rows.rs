//! Acts that have no trace, as rows of what the owner did.
//!
//! What: what was forgotten and copied, edited drafts and changed settings, out of the audit log; all that was changed by one save is one row. Why: a
//! setting is changed as deliberately as a chat is muted. Not here: acts that a trace tells of (`acts_page`), undoing (`settings_page::undo`).

use super::icons::{IconName, icon};
use crate::{
    backend::{DisplayNames, owner::AuditAct},
    format,
    render::acts::ActContext,
    words,
};
use maud::{Markup, html};
use std::collections::{BTreeMap, BTreeSet};
use toolcall_schema::{Timestamp, catalogue::shared::ThingId};

/// The settings of the owner's file that one save changed, or one Undo.
struct SettingsChange {
    at: Timestamp,
    ids: Vec<String>,
    is_undo: bool,
}

impl SettingsChange {
    fn says(&self) -> String {
        let each: Vec<String> = self.ids.iter().map(|id| words::changed_setting(id)).collect();
        each.join(" ")
    }
}

/// The things that have names.
pub(super) fn recorded_things(acts: &[AuditAct]) -> BTreeSet<ThingId> {
    let of_drafts = acts.iter().filter(|act| act.kind.as_deref() == Some("draft"));
    of_drafts
        .filter_map(|act| ThingId::parse(act.id.as_deref()?).ok())
        .collect()
}

/// Each with its time. `undo`: the text of the owner's file that is shown, where its last change can be undone.
pub(super) fn recorded_rows(
    acts: &[AuditAct],
    names: &DisplayNames,
    context: &ActContext<'_>,
    undo: Option<&str>,
) -> Vec<(Timestamp, Markup)> {
    let home_setting = |act: &&AuditAct| setting_of(act).is_some_and(words::is_home_setting);
    let plain = acts.iter().filter(|act| !home_setting(act)).map(|act| {
        let draft = act.id.as_deref().filter(|_| act.kind.as_deref() == Some("draft"));
        let says = match draft.and_then(|item| names.get(item)) {
            Some(whom) => words::edited_draft(whom),
            // What was forgotten is not said.
            None => words::audit_act(&act.op, act.kind.as_deref(), act.id.as_deref(), act.count),
        };
        (act.at, row(&says, act.at, None, None, context))
    });
    let mut rows: Vec<(Timestamp, Markup)> = plain.collect();
    let mut taken_back = None;
    for (place, change) in settings_changes(acts).iter().enumerate() {
        // Who undoes an undo has the change again.
        let ended: Option<Timestamp> = taken_back.take();
        if change.is_undo && ended.is_none() {
            taken_back = Some(change.at);
        }
        let undo = undo.filter(|_| place == 0);
        rows.push((change.at, row(&change.says(), change.at, ended, undo, context)));
    }
    rows
}

/// What the last save, or Undo, changed.
pub(super) fn last_change(acts: &[AuditAct]) -> Option<String> {
    settings_changes(acts).first().map(SettingsChange::says)
}

/// Which setting it changed, where it did.
fn setting_of(act: &AuditAct) -> Option<&str> {
    act.id
        .as_deref()
        .filter(|_| act.kind.as_deref() == Some("settings"))
}

/// Newest first.
fn settings_changes(acts: &[AuditAct]) -> Vec<SettingsChange> {
    let mut changes: BTreeMap<Timestamp, Vec<String>> = BTreeMap::new();
    for act in acts {
        if let Some(id) = setting_of(act).filter(|id| words::is_home_setting(id)) {
            changes.entry(act.at).or_default().push(id.to_owned());
        }
    }
    let change = |(at, ids): (Timestamp, Vec<String>)| SettingsChange {
        at,
        is_undo: ids.iter().any(|id| words::is_undone_setting(id)),
        ids,
    };
    changes.into_iter().rev().map(change).collect()
}

fn row(
    says: &str,
    at: Timestamp,
    ended: Option<Timestamp>,
    undo: Option<&str>,
    context: &ActContext<'_>,
) -> Markup {
    html! {
        li {
            p.head {
                bdi.what { (says) }
                @if let Some(shown) = undo {
                    button.plain type="button" data-undo=(shown) aria-label=(words::undo_act(words::UNDO.say(), says)) {
                        (icon(IconName::Undo)) (words::UNDO)
                    }
                }
            }
            p.note { (format::clock_on(at, context.now, context.zone)) }
            @if ended.is_some() { p.note { (words::UNDONE_NOW) } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setting(at: i64, id: &str) -> AuditAct {
        AuditAct {
            at: Timestamp::from_ms(at),
            op: "write".to_owned(),
            kind: Some("settings".to_owned()),
            count: None,
            id: Some(id.to_owned()),
        }
    }

    /// The newest alone is undone, as by the bar of the page: what stood before it is not known any more. Undone again, it is in force.
    #[test]
    fn newest_change_of_settings_has_undo_and_says_what_was_taken_back() {
        let context = ActContext::of_messages(Timestamp::from_ms(5000), chrono_tz::UTC);
        let mut acts = vec![
            setting(1000, "ceiling:2"),
            setting(2000, "dnd:22:00-07:00"),
            setting(2000, "brief_time:08:00"),
            setting(3000, "undo.dnd"),
            // Of no file of the owner's.
            setting(4000, "desktop.at_login:yes"),
        ];
        let told = |acts: &[AuditAct]| {
            let mut rows = recorded_rows(acts, &DisplayNames::default(), &context, Some("0f"));
            rows.sort_by_key(|(at, _)| *at);
            let told = |(_, row): (Timestamp, Markup)| {
                let text = row.into_string();
                (
                    text.contains("data-undo=\"0f\""),
                    text.contains(words::UNDONE_NOW.say()),
                )
            };
            rows.into_iter().map(told).collect::<Vec<_>>()
        };
        assert_eq!(
            told(&acts),
            [(false, false), (false, true), (true, false), (false, false)]
        );
        acts.push(setting(4500, "undo.dnd:22:00-07:00"));
        assert_eq!(
            told(&acts),
            [
                (false, false),
                (false, false),
                (false, true),
                (false, false),
                (true, false)
            ]
        );
        let text = recorded_rows(&acts, &DisplayNames::default(), &context, None)
            .into_iter()
            .map(|(_, row)| row.into_string())
            .collect::<String>();
        assert!(
            text.contains("You set quiet hours to 22:00–07:00. You set the morning brief to 08:00."),
            "{text}"
        );
    }
}
