//! Series: what is left of events when rules are expanded and what replaces instances is applied.
//!
//! What: [`expand`]. Why: a file says when something was meant to be and, elsewhere, when it will be; only both together
//! are an instance. Not here: rules (`recurrence`), what an instance is (`model`), which copy of an event counts (`event_index`).

use super::{
    model::{EventInstance, instance_id},
    recurrence::{InstantRange, starts},
    rrule::StepBudget,
    sources::{
        ics::{CalendarEvent, OverrideTarget},
        values::{EventDuration, EventTime},
    },
};
use agents_base::shared::SkipCode;
use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use std::collections::{BTreeMap, BTreeSet};
use toolcall_schema::{
    Timestamp,
    ids::{EventId, SecretKey},
};

/// One copy of an event, and whether it came as a signal.
pub(crate) type EventCopy<'a> = (&'a CalendarEvent, bool);

/// An instance and where it comes from.
#[derive(Clone)]
pub(crate) struct FoundInstance<'a> {
    /// As it will be.
    pub(crate) instance: EventInstance,
    /// What says so.
    pub(crate) event: &'a CalendarEvent,
    /// When it was meant to start.
    pub(crate) original: DateTime<Utc>,
}

/// What the expansion of events depends on.
#[derive(Clone, Copy)]
pub(crate) struct ExpansionContext<'t> {
    /// For the names of instances.
    pub(crate) key: &'t SecretKey,
    /// The zone of floating times.
    pub(crate) owner: Tz,
    /// What instances touch.
    pub(crate) span: InstantRange,
}

/// What replaces instances of a series.
struct InstanceOverride<'a> {
    copy: EventCopy<'a>,
    original: DateTime<Utc>,
    /// How far the instances after it move on the wall, when it speaks for them.
    following: Option<TimeDelta>,
}

/// The instances of all events that touch the span, in order of start: rules expanded, overrides applied, cancelled and declined
/// ones left out. `copies` are sorted by UID, the series before what replaces its instances. `trouble` is called for each rule that
/// cannot be expanded.
pub(crate) fn expand<'a>(
    copies: &[EventCopy<'a>],
    terms: ExpansionContext<'_>,
    trouble: &mut dyn FnMut(&CalendarEvent, SkipCode),
) -> Vec<FoundInstance<'a>> {
    let mut expansion = SeriesExpansion {
        terms,
        budget: StepBudget::default(),
        found: BTreeMap::new(),
    };
    for series in copies.chunk_by(|a, b| a.0.uid == b.0.uid) {
        expansion.series(series, trouble);
    }
    let mut found: Vec<FoundInstance<'a>> = expansion.found.into_values().collect();
    found.sort_by(|a, b| {
        let order = |f: &FoundInstance<'a>| (f.instance.start, f.instance.end);
        (order(a), &a.instance.id).cmp(&(order(b), &b.instance.id))
    });
    found
}

/// What would begin within the span and was called off, with its id, by start: events that do not repeat, and single instances.
pub(crate) fn cancelled<'a>(
    copies: &[EventCopy<'a>],
    terms: ExpansionContext<'_>,
) -> Vec<(EventId, DateTime<Utc>, &'a CalendarEvent)> {
    let off = copies.iter().filter(|(event, _)| event.cancelled);
    let found = off.filter_map(|(event, _)| {
        let start = event.start.instant(terms.owner);
        let original = match event.replaces {
            Some(OverrideTarget { following: true, .. }) => return None,
            Some(replaces) => replaces.original.instant(&event.start, terms.owner),
            None if event.rules.is_empty() && event.extra.is_empty() => start,
            None => return None,
        };
        let is_within = terms.span.from <= start && start < terms.span.to;
        is_within.then(|| (instance_id(terms.key, &event.uid, original), start, *event))
    });
    let mut found: Vec<_> = found.collect();
    found.sort_by(|a, b| (a.1, &a.0).cmp(&(b.1, &b.0)));
    found
}

struct SeriesExpansion<'a, 't> {
    terms: ExpansionContext<'t>,
    budget: StepBudget,
    found: BTreeMap<EventId, FoundInstance<'a>>,
}

impl<'a> SeriesExpansion<'a, '_> {
    fn series(&mut self, copies: &[EventCopy<'a>], trouble: &mut dyn FnMut(&CalendarEvent, SkipCode)) {
        let master = copies.iter().find(|(event, _)| event.replaces.is_none()).copied();
        // Of a series that is cancelled nothing is left.
        if master.is_some_and(|(event, _)| event.cancelled) {
            return;
        }
        let mut replacing: Vec<InstanceOverride<'a>> = copies
            .iter()
            .filter_map(|copy| Some(self.replacing(*copy, copy.0.replaces?, master)))
            .collect();
        replacing.sort_by_key(|r| r.original);
        if let Some(master) = master {
            self.expand_rules(master, &replacing, trouble);
        }
        let singles: BTreeSet<DateTime<Utc>> = replacing
            .iter()
            .filter(|r| r.following.is_none())
            .map(|r| r.original)
            .collect();
        for r in &replacing {
            if r.following.is_none() || !singles.contains(&r.original) {
                let (event, _) = r.copy;
                let start = event.start.instant(self.terms.owner);
                self.add(r.copy, r.original, start, event.lasts);
            }
        }
    }

    fn replacing(
        &self,
        copy: EventCopy<'a>,
        replaces: OverrideTarget,
        master: Option<EventCopy<'a>>,
    ) -> InstanceOverride<'a> {
        let (event, _) = copy;
        let owner = self.terms.owner;
        let start = event.start.instant(owner);
        let series = master.map(|(master, _)| &master.start);
        let original = replaces.original.instant(series.unwrap_or(&event.start), owner);
        // Wall-clock time of the series: what moved from 9:00 to 10:00 stays at 10:00 when the clocks change.
        let zone = series.unwrap_or(&event.start).zone();
        let moved = zone.local(start, owner) - zone.local(original, owner);
        InstanceOverride {
            copy,
            original,
            following: replaces.following.then_some(moved),
        }
    }

    fn expand_rules(
        &mut self,
        master: EventCopy<'a>,
        replacing: &[InstanceOverride<'a>],
        trouble: &mut dyn FnMut(&CalendarEvent, SkipCode),
    ) {
        let (event, _) = master;
        let owner = self.terms.owner;
        let zone = event.start.zone();
        let span = self.originals(event, replacing);
        let starts = starts(event.into(), owner, span, &mut self.budget, &mut |code| {
            trouble(event, code);
        });
        for (original, own_length) in starts {
            if replacing.iter().any(|r| r.original == original) {
                continue;
            }
            let before = |r: &&InstanceOverride<'a>| r.following.is_some() && r.original < original;
            match replacing.iter().rev().find(before) {
                Some(r) => {
                    let moved = r.following.unwrap_or_default();
                    let local = zone.local(original, owner).checked_add_signed(moved);
                    if let Some(local) = local {
                        let start = zone.resolve(local, owner);
                        self.add(r.copy, original, start, r.copy.0.lasts);
                    }
                }
                None => self.add(master, original, original, own_length.unwrap_or(event.lasts)),
            }
        }
    }

    /// Where the original starts lie whose instances may touch the span: earlier by what they last and move.
    fn originals(&self, event: &CalendarEvent, replacing: &[InstanceOverride<'a>]) -> InstantRange {
        let day = TimeDelta::days(1);
        let (mut before, mut after) = (event.lasts.most(), TimeDelta::zero());
        for lasts in event.extra.iter().filter_map(|(_, lasts)| *lasts) {
            before = before.max(lasts.most());
        }
        for r in replacing {
            if let Some(moved) = r.following {
                before = before.max(moved + r.copy.0.lasts.most() + day);
                after = after.max(day - moved);
            }
        }
        InstantRange {
            from: self
                .terms
                .span
                .from
                .checked_sub_signed(before)
                .unwrap_or(self.terms.span.from),
            to: self
                .terms
                .span
                .to
                .checked_add_signed(after)
                .unwrap_or(self.terms.span.to),
        }
    }

    fn add(
        &mut self,
        copy: EventCopy<'a>,
        original: DateTime<Utc>,
        start: DateTime<Utc>,
        lasts: EventDuration,
    ) {
        let (event, posted) = copy;
        if event.cancelled || event.declined {
            return;
        }
        let end = lasts.end(start, event.start.zone(), self.terms.owner);
        if start >= self.terms.span.to || end < self.terms.span.from {
            return;
        }
        let id = instance_id(self.terms.key, &event.uid, original);
        let instance = EventInstance {
            series: self.terms.key.event(&event.uid, ""),
            start: Timestamp::from(start),
            end: Timestamp::from(end),
            focus: event.focus,
            transparent: event.transparent,
            all_day: matches!(event.start, EventTime::Day(_)),
            uncertain: event.uncertain,
            tentative: event.tentative,
            // Nobody leaves for a time that may be hours off, and nothing is answered for it.
            travel: event.travel.filter(|_| !event.uncertain),
            created: event.created,
            unanswered: event.invited.is_some() && !event.uncertain,
            others: event.invitees.as_ref().map_or(0, |invitees| invitees.others),
            posted,
            id: id.clone(),
        };
        self.found.insert(
            id,
            FoundInstance {
                instance,
                event,
                original,
            },
        );
    }
}
