//! `aura replay --what-if`: the days that were, decided under another policy.
//!
//! What: leads a second machine through a journal and says which interruptions it would have added, dropped or moved, and
//! why. Why: a changed number is judged by days that were, not by hope. Not here: how the second machine is led
//! (`orchestrator_machine::whatif`).

use super::{error::CliError, exit::Exit, out::Out};
use crate::journal::Journal;
use chrono::NaiveDate;
use chrono_tz::Tz;
use orchestrator_machine::{
    Effect, State,
    policy::Policy,
    whatif::{Pair, WhatIf},
};
use serde::Serialize;
use std::collections::BTreeMap;
use surfaces::format;
use toolcall_schema::{
    ActionKind, ReasonCode, Surface, Timestamp,
    milli::Milli,
    tick::Subject,
    trace::{Chosen, Considered, Decision, Trace},
};

/// What was asked.
pub struct Question {
    /// The other policy.
    pub policy: Policy,
    /// The first day that is decided anew; absent: all.
    pub from: Option<NaiveDate>,
    /// The last day, itself included; absent: all.
    pub to: Option<NaiveDate>,
}

/// How an interruption differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Change {
    Added,
    Removed,
    Moved,
    Changed,
}

/// One interruption that differs.
#[derive(Debug, PartialEq, Serialize)]
struct Difference {
    change: Change,
    /// When: as recorded, or for an added one under the other policy.
    at: Timestamp,
    /// Under the other policy, when it moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    moved_to: Option<Timestamp>,
    tick: u64,
    kind: ActionKind,
    subject: Subject,
    /// Under the policy that shows it.
    score: Option<Milli>,
    why: String,
}

/// One local day.
#[derive(Debug, Default, Serialize)]
struct Day {
    date: NaiveDate,
    recorded: usize,
    what_if: usize,
    differences: Vec<Difference>,
    #[serde(skip)]
    zone: Option<Tz>,
    /// Decided to be shown as recorded, and not over; whether under the other policy too.
    #[serde(skip)]
    open: BTreeMap<u64, bool>,
}

#[derive(Serialize)]
struct Answer<'a> {
    policy_hash: &'a str,
    days: &'a [Day],
    recorded: usize,
    what_if: usize,
    added: usize,
    removed: usize,
    moved: usize,
    changed: usize,
}

/// Answers the question for a journal.
///
/// # Errors
/// When the journal cannot be folded.
pub fn run(mut journal: Journal, question: &Question, json: bool, out: &mut Out) -> Result<Exit, CliError> {
    let mut days: BTreeMap<NaiveDate, Day> = BTreeMap::new();
    let mut other = WhatIf::new(question.policy.clone());
    while let Some((_, event)) = journal.read()? {
        let Some(env) = journal.env().cloned() else {
            continue;
        };
        let before = journal
            .state()
            .cloned()
            .unwrap_or_else(|| State::new(&env, event.at));
        let effects = journal.happen(event.clone());
        let (today, _) = env.local(before.wall(event.at));
        if question.to.is_some_and(|to| to < today) {
            break;
        }
        if question.from.is_some_and(|from| today < from) {
            continue;
        }
        for effect in &effects {
            if let Effect::KeepTrace(trace) = effect {
                let (date, _) = env.local(trace.decision.ts);
                if let Some(day) = days.get_mut(&date) {
                    day.ended(trace);
                }
            }
        }
        if let Some(pair) = other.follow(&env, &before, &event, &effects) {
            let zone = env.settings.zone;
            let (date, _) = env.local(pair.real.ts);
            let day = days.entry(date).or_insert_with(|| Day {
                date,
                zone: Some(zone),
                ..Day::default()
            });
            day.take(&pair, env.policy.threshold(), question.policy.threshold());
        }
    }
    let mut days: Vec<Day> = days.into_values().collect();
    for day in &mut days {
        day.join_moved();
    }
    say(&question.policy, &days, json, out)?;
    Ok(Exit::Ok)
}

/// What would be shown.
fn shown(decision: &Decision) -> Option<&Chosen> {
    let surface = |chosen: &&Chosen| chosen.kind.tool().columns().surface != Surface::Silent;
    decision.chosen.as_ref().filter(surface)
}

/// The candidate that a decision chose, or would have had to.
fn candidate<'a>(decision: &'a Decision, chosen: &Chosen) -> Option<&'a Considered> {
    decision
        .candidates
        .iter()
        .find(|c| c.kind == chosen.kind && c.subject == chosen.subject)
}

impl Day {
    fn take(&mut self, pair: &Pair, real_threshold: Milli, other_threshold: Milli) {
        let (real, other) = (shown(&pair.real), shown(&pair.other));
        self.recorded += usize::from(real.is_some());
        self.what_if += usize::from(other.is_some());
        if real.is_some() {
            self.open.insert(pair.real.tick, pair.is_same());
        }
        if pair.is_same() {
            return;
        }
        let made = |change, by: &Decision, chosen: &Chosen, why| Difference {
            change,
            at: by.ts,
            moved_to: None,
            tick: by.tick,
            kind: chosen.kind,
            subject: chosen.subject.clone(),
            score: candidate(by, chosen).and_then(|c| Some(c.score.as_ref()?.score)),
            why,
        };
        if let (Some(a), Some(b)) = (real, other)
            && (a.kind, &a.subject) == (b.kind, &b.subject)
        {
            let with = |chosen: &Chosen| {
                chosen
                    .companion
                    .map_or_else(|| "alone".to_owned(), |kind| format!("with {kind}"))
            };
            let why = format!("{}, was {}", with(b), with(a));
            self.differences.push(made(Change::Changed, &pair.other, b, why));
            return;
        }
        if let Some(chosen) = real {
            let why = format!("now {}", against(&pair.other, chosen, other_threshold));
            self.differences
                .push(made(Change::Removed, &pair.real, chosen, why));
        }
        if let Some(chosen) = other {
            let why = format!("was {}", against(&pair.real, chosen, real_threshold));
            self.differences
                .push(made(Change::Added, &pair.other, chosen, why));
        }
    }

    /// A decision whose time was over before it was on disk was nobody's interruption.
    fn ended(&mut self, trace: &Trace) {
        let Some(same) = self.open.remove(&trace.decision.tick) else {
            return;
        };
        if trace.decision.chosen.is_none() {
            self.recorded -= 1;
            self.what_if -= usize::from(same);
        }
    }

    /// What was dropped at one time and added at another on the same day has moved.
    fn join_moved(&mut self) {
        let mut left: Vec<Difference> = Vec::new();
        for difference in std::mem::take(&mut self.differences) {
            let opposite = match difference.change {
                Change::Added => Change::Removed,
                Change::Removed => Change::Added,
                Change::Moved | Change::Changed => {
                    left.push(difference);
                    continue;
                }
            };
            let pair = left.iter_mut().find(|old| {
                old.change == opposite && (old.kind, &old.subject) == (difference.kind, &difference.subject)
            });
            let Some(old) = pair else {
                left.push(difference);
                continue;
            };
            let (removed_why, to) = if opposite == Change::Removed {
                (old.why.clone(), difference.at)
            } else {
                let to = old.at;
                old.at = difference.at;
                (difference.why, to)
            };
            old.change = Change::Moved;
            old.moved_to = Some(to);
            old.why = removed_why;
        }
        left.sort_by_key(|difference| (difference.at, difference.tick));
        self.differences = left;
    }
}

/// Why a decision did not choose something.
fn against(decision: &Decision, chosen: &Chosen, threshold: Milli) -> String {
    let Some(considered) = candidate(decision, chosen) else {
        return "not proposed".to_owned();
    };
    if let Some(reason) = considered.removed {
        return match (reason, &considered.rule) {
            (ReasonCode::Rule, Some(rule)) => format!("{reason} {rule}"),
            (_, _) => reason.to_string(),
        };
    }
    match (&considered.score, &decision.chosen) {
        (Some(score), None) => format!(
            "{} at {}, threshold {threshold}",
            ReasonCode::BelowThreshold,
            score.score
        ),
        (Some(score), Some(first)) if score.score < threshold => {
            format!(
                "{} at {}, and {} was chosen",
                ReasonCode::BelowThreshold,
                score.score,
                first.kind
            )
        }
        (_, Some(first)) => format!("behind {}", first.kind),
        (None, None) => "not scored".to_owned(),
    }
}

fn say(policy: &Policy, days: &[Day], json: bool, out: &mut Out) -> Result<(), CliError> {
    let count = |change| {
        let of = |day: &Day| day.differences.iter().filter(|d| d.change == change).count();
        days.iter().map(of).sum()
    };
    let answer = Answer {
        policy_hash: policy.hash(),
        days,
        recorded: days.iter().map(|day| day.recorded).sum(),
        what_if: days.iter().map(|day| day.what_if).sum(),
        added: count(Change::Added),
        removed: count(Change::Removed),
        moved: count(Change::Moved),
        changed: count(Change::Changed),
    };
    if json {
        return out.json(&answer);
    }
    for day in days {
        out.text(&format!(
            "{}  {} interruptions, what if {}",
            day.date, day.recorded, day.what_if
        ))?;
        for difference in &day.differences {
            out.text(&format!("  {}", line(difference, day.zone.unwrap_or(Tz::UTC))))?;
        }
    }
    let Answer {
        recorded,
        what_if,
        added,
        removed,
        moved,
        changed,
        ..
    } = answer;
    out.text(&format!(
        "{} days: {recorded} interruptions, what if {what_if}; {added} added, {removed} removed, {moved} moved, {changed} changed",
        days.len()
    ))
}

fn line(difference: &Difference, zone: Tz) -> String {
    let Difference {
        change,
        at,
        moved_to,
        kind,
        subject,
        score,
        why,
        ..
    } = difference;
    let clock = |at: Timestamp| format::clock(at, zone);
    let sign = match change {
        Change::Added => '+',
        Change::Removed => '-',
        Change::Moved | Change::Changed => '~',
    };
    let to = moved_to.map_or_else(String::new, |to| format!(" → {}", clock(to)));
    let score = score.map_or_else(String::new, |score| format!(" score {score}"));
    format!("{sign} {}{to} {kind} {subject}{score} ({why})", clock(*at))
}
