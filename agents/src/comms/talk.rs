//! What memory is told of messages.
//!
//! What: [`talks`], who wrote how much in which chat on which day. Why: the day so far in absolute numbers, so that telling it
//! twice is telling it once. Not here: what a message said; nobody keeps that.

use super::{
    Change,
    intent::Intent,
    model::{Item, Window},
};
use crate::zone::local_date;
use chrono::NaiveDate;
use chrono_tz::Tz;
use std::collections::{BTreeMap, BTreeSet};
use toolcall_schema::{
    Timestamp,
    ids::{AppHash, ChannelHash, PersonHash},
    tick::{SEEN_MAX, Seen},
};

/// The chats and days in which something was new.
#[derive(Default)]
pub(super) struct Touched(BTreeSet<(ChannelHash, PersonHash, NaiveDate)>);

impl Touched {
    /// Notes a change before it is applied.
    pub(super) fn note(&mut self, change: &Change, zone: Tz) {
        let item = match change {
            Change::New(item, _) | Change::Wrote(item) => item,
            Change::Answers(..) => return,
        };
        if let Some(person) = &item.person {
            self.0
                .insert((item.channel.clone(), person.clone(), local_date(item.at, zone)));
        }
    }
}

#[derive(Default)]
struct Day {
    all: u32,
    actionable: u32,
    app: Option<AppHash>,
    by: BTreeMap<PersonHash, (u32, Timestamp)>,
}

/// What is to be told of the chats that were touched, from all of the window; at most [`SEEN_MAX`], the newest.
pub(super) fn talks(window: &Window, touched: &Touched, zone: Tz) -> Vec<Seen> {
    if touched.0.is_empty() {
        return Vec::new();
    }
    let mut days: BTreeMap<(&ChannelHash, NaiveDate), Day> = BTreeMap::new();
    for item in window.items() {
        count(
            days.entry((&item.channel, local_date(item.at, zone)))
                .or_default(),
            item,
        );
    }
    let mut seen: Vec<(Timestamp, Seen)> = touched
        .0
        .iter()
        .filter_map(|(channel, person, date)| {
            let day = days.get(&(channel, *date))?;
            let (messages, at) = day.by.get(person)?;
            let talk = Seen::Talk {
                channel: channel.clone(),
                app: day.app.clone(),
                person: person.clone(),
                day: *date,
                at: *at,
                messages: *messages,
                all: day.all,
                actionable: day.actionable,
            };
            Some((*at, talk))
        })
        .collect();
    seen.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
    seen.truncate(SEEN_MAX);
    seen.into_iter().map(|(_, talk)| talk).collect()
}

fn count(day: &mut Day, item: &Item) {
    day.all += 1;
    day.actionable += u32::from(item.intent == Intent::Actionable);
    if day.app.is_none() {
        day.app.clone_from(&item.app);
    }
    if let Some(person) = &item.person {
        let of = day.by.entry(person.clone()).or_insert((0, item.at));
        *of = (of.0 + 1, of.1.max(item.at));
    }
}
