//! What is put off, in the second model.
//!
//! What: [`Later`], and when each comes back, how often, and what a set clock makes of it. Why: one page of `docs/adr` (0106), written down apart from the
//! machine. Not here: what a tick does with it (`weigh`), which answer counts (`model`).

use crate::second::model::{Model, Out};
use chrono::{Days, NaiveDate, NaiveTime, TimeZone};
use chrono_tz::Tz;
use orchestrator_machine::later::PostponedCard;
use toolcall_schema::{ActionKind, names::SubmitAct, tick::Subject};

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;

/// What the owner put off.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Later {
    /// Whose card it was.
    pub(crate) tick: u64,
    pub(crate) kind: ActionKind,
    pub(crate) subject: Subject,
    /// How often in a row.
    pub(crate) times: u8,
    pub(crate) choice: SubmitAct,
    /// Wall clock.
    pub(crate) due: i64,
    pub(crate) until: i64,
    /// Something stood against it when its time had come.
    pub(crate) held: bool,
}

impl Model {
    /// The wall clock was set, by so much.
    pub(crate) fn clock_of_later(&mut self, before: i64, jump: i64) {
        for index in 0..self.later.len() {
            let one = self.later[index].clone();
            let lasting = matches!(one.choice, SubmitAct::LaterQuarter | SubmitAct::LaterHour);
            let anew = self.due(one.choice);
            let one = &mut self.later[index];
            if lasting || one.held || one.due <= before {
                one.due += jump;
                one.until += jump;
            } else if anew < one.due {
                one.due = anew;
                one.until = anew + 4 * HOUR;
            }
        }
    }

    /// When something comes back that is put off now (wall clock).
    fn due(&self, choice: SubmitAct) -> i64 {
        let wall = self.wall();
        // By the owner's clock: the evening at 18:00, the next day at 07:30.
        let next = |days: u64, hour, minute| {
            let time = NaiveTime::from_hms_opt(hour, minute, 0).unwrap();
            (days..days + 3)
                .map(|days| instant(self.local().date() + Days::new(days), time, self.settings.zone))
                .find(|at| *at > wall)
                .unwrap()
        };
        match choice {
            SubmitAct::LaterQuarter => wall + 15 * MINUTE,
            SubmitAct::LaterHour => wall + 60 * MINUTE,
            SubmitAct::LaterEvening => next(0, 18, 0),
            SubmitAct::LaterTomorrow
            | SubmitAct::Confirm
            | SubmitAct::Dismiss
            | SubmitAct::Useful
            | SubmitAct::Edit => next(1, 7, 30),
        }
    }

    /// Three times in a row, sixteen things at once, nothing that a program asked for.
    pub(crate) fn next_times(&self, out: &Out) -> Option<u8> {
        let same = |one: &&Later| (one.kind, &one.subject) == (out.kind, &out.subject);
        let waiting = self.later.iter().find(same);
        let times = 1 + out.put_off.max(waiting.map_or(0, |one| one.times));
        let room = waiting.is_some() || self.later.len() < 16;
        (times <= 3 && room && !out.asked).then_some(times)
    }

    pub(crate) fn put_off(&mut self, out: &Out, choice: SubmitAct) {
        let times = self.next_times(out).unwrap();
        let due = self.due(choice);
        self.later
            .retain(|one| (one.kind, &one.subject) != (out.kind, &out.subject));
        self.later.push(Later {
            tick: out.tick,
            kind: out.kind,
            subject: out.subject.clone(),
            times,
            choice,
            due,
            until: due + 4 * HOUR,
            held: false,
        });
    }

    /// The owner takes it back: its time is now, and it counts as put off once less, but once. Whether the agents are being asked already is the
    /// machine's word.
    pub(crate) fn undo_later(&mut self, tick: u64, waits: bool) {
        let wall = self.wall();
        let Some(one) = self.later.iter_mut().find(|one| one.tick == tick) else {
            return assert!(!waits, "nothing of tick {tick} waits");
        };
        assert!(waits || one.due <= wall, "too early: {one:?}");
        if waits {
            (one.due, one.until) = (wall, wall + 4 * HOUR);
            one.times = one.times.max(2) - 1;
        }
    }

    /// Both agree about what waits. What was not asked for again in time, or may not be in time, is given up: when is the machine's word.
    pub(crate) fn agree_on_later(&mut self, machine: &[PostponedCard]) {
        let wall = self.wall();
        let there = |one: &Later| {
            let same = |card: &PostponedCard| (card.kind, &card.subject) == (one.kind, &one.subject);
            machine.iter().any(same)
        };
        self.later
            .retain(|one| there(one) || !(one.held || one.until <= wall));
        let naive: Vec<_> = self
            .later
            .iter()
            .map(|one| (one.kind, &one.subject, one.times))
            .collect();
        let machine: Vec<_> = machine
            .iter()
            .map(|card| (card.kind, &card.subject, card.times))
            .collect();
        assert_eq!(machine, naive, "what is put off");
    }
}

/// When the owner's clock shows a time on a date; a time that is left out is the first one after it, in quarters of an hour.
fn instant(date: NaiveDate, time: NaiveTime, zone: Tz) -> i64 {
    (0..=16)
        .find_map(|quarters| {
            let naive = date.and_time(time) + chrono::TimeDelta::minutes(15 * quarters);
            zone.from_local_datetime(&naive).earliest()
        })
        .unwrap()
        .timestamp_millis()
}
