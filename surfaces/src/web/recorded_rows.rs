//! Acts that have no trace, as rows of what the owner did.
//!
//! What: what was forgotten and copied, edited drafts and changed settings, out of the audit log; all that was changed by one save is one row. Why: a
//! setting is changed as deliberately as a chat is muted. Not here: acts that a trace tells of (`acts_page`), undoing (`settings_page::undo`).

use super::icons::{IconName, icon};
use crate::render::acts::ActContext;
use maud::{Markup, html};
use std::collections::{BTreeMap, BTreeSet};
use surfaces_base::{
    backend::{DisplayNames, owner::AuditAct, settings::DEVICE_ADDED},
    devices::ListedDevice,
    format, words,
};
use toolcall_schema::{Timestamp, catalogue::shared::ThingId, ids::EventId};

/// The settings of the owner's file that one save changed, or one Undo.
struct SettingsChange {
    at: Timestamp,
    ids: Vec<String>,
}

/// How a change stands beside the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ChangeStanding {
    /// The last that was made: the form's Undo takes it back.
    Last,
    /// The last one was an Undo: what it took back can be there again.
    LastUndo,
    /// The newest in force, since the last one was an Undo.
    NewestInForce,
    /// It was taken back.
    TakenBack,
    /// A later change of the same setting took its place.
    ChangedAgain,
    Other,
}

/// By which text of the owner's file, as it is shown, a change can be undone.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SettingsUndo<'a> {
    pub last: Option<&'a str>,
    pub earlier: Option<&'a str>,
}

impl SettingsChange {
    fn is_undo(&self) -> bool {
        self.ids.iter().any(|id| words::is_undone_setting(id))
    }

    fn is_redo(&self) -> bool {
        self.ids.iter().any(|id| words::is_redone_setting(id))
    }

    /// The settings that have one value.
    fn settings(&self) -> impl Iterator<Item = &str> {
        self.ids.iter().filter_map(|id| words::single_setting(id))
    }

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

/// Each with its time.
pub(super) fn recorded_rows(
    acts: &[AuditAct],
    (names, devices): (&DisplayNames, &[ListedDevice]),
    context: &ActContext<'_>,
    undo: SettingsUndo<'_>,
) -> Vec<(Timestamp, Markup)> {
    let let_in = |act: &AuditAct| {
        let id = act.id.as_deref()?.strip_prefix(DEVICE_ADDED)?;
        devices.iter().find(|device| device.id.as_str() == id)
    };
    let home_setting = |act: &&AuditAct| setting_of(act).is_some_and(words::is_home_setting);
    let plain = acts.iter().filter(|act| !home_setting(act)).map(|act| {
        let draft = act.id.as_deref().filter(|_| act.kind.as_deref() == Some("draft"));
        let named = let_in(act).map(|device| words::device_let_in(device.name.as_str()));
        let says = named.unwrap_or_else(|| match draft.and_then(|of| Some((of, names.get(of)?))) {
            Some((of, event)) if EventId::parse(of).is_ok() => words::edited_decline(event),
            Some((_, whom)) => words::edited_draft(whom),
            // What was forgotten is not said.
            None => words::audit_act(&act.op, act.kind.as_deref(), act.id.as_deref(), act.count),
        });
        (
            act.at,
            row(
                &says,
                act.at,
                ChangeStanding::Other,
                SettingsUndo::default(),
                context,
            ),
        )
    });
    let changes = settings_changes(acts);
    let settings = changes.iter().zip(standings(&changes));
    let settings = settings
        .map(|(change, standing)| (change.at, row(&change.says(), change.at, standing, undo, context)));
    plain.chain(settings).collect()
}

/// How each stands, newest first.
fn standings(changes: &[SettingsChange]) -> Vec<ChangeStanding> {
    let mut found = vec![ChangeStanding::Other; changes.len()];
    let mut in_force: Vec<usize> = Vec::new();
    // The change that was taken back last, and the Undo that did it.
    let mut taken_back: Option<(usize, usize)> = None;
    for (place, change) in changes.iter().enumerate().rev() {
        if change.is_redo() {
            if let Some((change, undo)) = taken_back.take() {
                set(&mut found, change, ChangeStanding::Other);
                set(&mut found, undo, ChangeStanding::TakenBack);
                in_force.push(change);
            }
        } else if change.is_undo() {
            taken_back = in_force.pop().map(|change| (change, place));
            if let Some((change, _)) = taken_back {
                set(&mut found, change, ChangeStanding::TakenBack);
            }
        } else {
            taken_back = None;
            in_force.push(place);
        }
    }
    for (depth, place) in in_force.iter().enumerate() {
        let settings: BTreeSet<&str> = changes
            .get(*place)
            .into_iter()
            .flat_map(SettingsChange::settings)
            .collect();
        let later = in_force
            .iter()
            .skip(depth + 1)
            .filter_map(|later| changes.get(*later));
        if later
            .flat_map(SettingsChange::settings)
            .any(|setting| settings.contains(setting))
        {
            set(&mut found, *place, ChangeStanding::ChangedAgain);
        }
    }
    if changes.first().is_some_and(SettingsChange::is_undo)
        && let Some(newest) = in_force.last()
    {
        set(&mut found, *newest, ChangeStanding::NewestInForce);
    }
    let last = changes.first().filter(|change| change.is_undo());
    set(
        &mut found,
        0,
        last.map_or(ChangeStanding::Last, |_| ChangeStanding::LastUndo),
    );
    found
}

fn set(standings: &mut [ChangeStanding], place: usize, standing: ChangeStanding) {
    if let Some(known) = standings.get_mut(place) {
        *known = standing;
    }
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
    let change = |(at, ids)| SettingsChange { at, ids };
    changes.into_iter().rev().map(change).collect()
}

fn row(
    says: &str,
    at: Timestamp,
    standing: ChangeStanding,
    undo: SettingsUndo<'_>,
    context: &ActContext<'_>,
) -> Markup {
    let (shown, which, button) = match standing {
        ChangeStanding::Last => (undo.last, None, words::UNDO),
        ChangeStanding::LastUndo => (undo.last, None, words::REDO_CHANGE),
        ChangeStanding::NewestInForce => (undo.earlier, Some("earlier"), words::UNDO),
        ChangeStanding::TakenBack | ChangeStanding::ChangedAgain | ChangeStanding::Other => {
            (None, None, words::UNDO)
        }
    };
    html! {
        li {
            p.head {
                bdi.what dir="ltr" { (says) }
                @if let Some(shown) = shown {
                    button.plain type="button" data-undo=(shown) data-which=[which] aria-label=(words::undo_act(button.say(), says)) {
                        (icon(IconName::Undo)) (button)
                    }
                }
            }
            p.note { (format::clock_on(at, context.now, context.zone)) }
            @if standing == ChangeStanding::TakenBack { p.note { (words::UNDONE_NOW) } }
            @if standing == ChangeStanding::ChangedAgain { p.note { (words::CHANGED_AGAIN) } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use surfaces_base::devices::{DeviceId, DeviceName, DeviceScope};

    fn setting(at: i64, id: &str) -> AuditAct {
        AuditAct {
            at: Timestamp::from_ms(at),
            op: "write".to_owned(),
            kind: Some("settings".to_owned()),
            count: None,
            id: Some(id.to_owned()),
        }
    }

    /// What is beside each row, the oldest first: which Undo, and what it says of itself.
    fn rows_beside(acts: &[AuditAct]) -> Vec<&'static str> {
        let context = ActContext::of_messages(Timestamp::from_ms(9000), chrono_tz::UTC);
        let undo = SettingsUndo {
            last: Some("0f"),
            earlier: Some("0f"),
        };
        let mut rows = recorded_rows(acts, (&DisplayNames::default(), &[]), &context, undo);
        rows.sort_by_key(|(at, _)| *at);
        let told = |(_, row): (Timestamp, Markup)| {
            let text = row.into_string();
            if text.contains("data-which=\"earlier\"") {
                "undo earlier"
            } else if text.contains(words::REDO_CHANGE.say()) {
                "redo"
            } else if text.contains("data-undo=\"0f\"") {
                "undo"
            } else if text.contains(words::UNDONE_NOW.say()) {
                "undone"
            } else if text.contains(words::CHANGED_AGAIN.say()) {
                "changed again"
            } else {
                ""
            }
        };
        rows.into_iter().map(told).collect()
    }

    /// The newest has Undo, as by the bar of the page; when that is taken back, the one before it has it again. Undone again, it is in force.
    #[test]
    fn newest_change_in_force_has_undo_and_each_says_how_it_stands() {
        let mut acts = vec![
            setting(1000, "ceiling:2"),
            setting(2000, "dnd:22:00-07:00"),
            setting(2000, "brief_time:08:00"),
            // Of no file of the owner's.
            setting(2500, "desktop.at_login:yes"),
        ];
        assert_eq!(rows_beside(&acts), ["", "undo", ""]);
        acts.push(setting(3000, "undo.dnd"));
        assert_eq!(rows_beside(&acts), ["undo earlier", "undone", "", "redo"]);
        acts.push(setting(4000, "redo.dnd:22:00-07:00"));
        assert_eq!(rows_beside(&acts), ["", "", "", "undone", "undo"]);
        acts.push(setting(5000, "ceiling:3"));
        assert_eq!(
            rows_beside(&acts),
            ["changed again", "", "", "undone", "", "undo"]
        );
        // Both changes of the ceiling are taken back, one after the other.
        acts.push(setting(6000, "undo.ceiling:2"));
        assert_eq!(
            rows_beside(&acts),
            ["", "undo earlier", "", "undone", "", "undone", "redo"]
        );
        acts.push(setting(7000, "undo.dnd"));
        acts.push(setting(8000, "undo.ceiling:1"));
        assert_eq!(
            rows_beside(&acts),
            ["undone", "undone", "", "undone", "", "undone", "", "", "redo"]
        );
        // Two sources of one list stand beside each other.
        let sources = [
            setting(1000, "sources.mail:added"),
            setting(2000, "sources.mail:added"),
        ];
        assert_eq!(rows_beside(&sources), ["", "undo"]);
    }

    /// A device that may still come has its name; one that is gone had it with itself.
    #[test]
    fn device_that_was_let_in_is_named_as_long_as_it_may_come() {
        let id = DeviceId::from_text("dev_00000000000000000000000000000001");
        let device = ListedDevice {
            name: DeviceName::parse("Asha's tablet").unwrap(),
            scope: DeviceScope::Owner,
            paired_at: Timestamp::from_ms(2000),
            last_seen: chrono::NaiveDate::MIN,
            asks: None,
            id,
        };
        let acts = [setting(
            2000,
            "devices:added.dev_00000000000000000000000000000001",
        )];
        let context = ActContext::of_messages(Timestamp::from_ms(5000), chrono_tz::UTC);
        for (listed, says) in [
            (std::slice::from_ref(&device), "You let a device in: Asha"),
            (&[], "You let a device in."),
        ] {
            let rows = recorded_rows(
                &acts,
                (&DisplayNames::default(), listed),
                &context,
                SettingsUndo::default(),
            );
            let text: String = rows.into_iter().map(|(_, row)| row.into_string()).collect();
            assert!(text.contains(says), "{says}: {text}");
        }
    }

    #[test]
    fn what_one_save_changed_is_one_row() {
        let context = ActContext::of_messages(Timestamp::from_ms(5000), chrono_tz::UTC);
        let acts = [
            setting(2000, "dnd:22:00-07:00"),
            setting(2000, "brief_time:08:00"),
        ];
        let rows = recorded_rows(
            &acts,
            (&DisplayNames::default(), &[]),
            &context,
            SettingsUndo::default(),
        );
        let text: String = rows.into_iter().map(|(_, row)| row.into_string()).collect();
        assert!(
            text.contains("You set quiet hours to 22:00–07:00. You set the morning brief to 08:00."),
            "{text}"
        );
    }
}
