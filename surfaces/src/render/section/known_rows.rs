//! Everything that is kept about a person or a chat, as sentences.
//!
//! What: [`known_sorts`], every kept row by its sort. Why: what is told of somebody and what is counted before they are forgotten are the same rows. Not
//! here: who is listed, names (`people`), markup (`web::person_page`).

use super::people::{ROWS_MAX, known_name, nameless, nameless_in, place_name};
use crate::render::{line_of, row};
use chrono::NaiveDate;
use chrono_tz::Tz;
use surfaces_base::{
    backend::{
        DisplayNames,
        people::{KeptAbout, KeptFact, KeptRow},
    },
    format, words,
};
use toolcall_schema::{
    Timestamp,
    catalogue::{learning::LearnedThing, shared::ThingId},
    ids::TraceId,
    trace::Trace,
};

/// One kept row as a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownRow {
    pub says: String,
    /// The decision that it leads to.
    pub trace: Option<TraceId>,
}

/// Kept rows of a sort.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownSort {
    /// Unique on its page.
    pub id: &'static str,
    pub title: &'static str,
    /// How many there are.
    pub all: u64,
    /// The newest, at most [`ROWS_MAX`].
    pub rows: Vec<KnownRow>,
}

/// Everything that is kept about one, by sort; a sort without rows is left out.
pub fn known_sorts(
    about: &LearnedThing,
    kept: &KeptAbout,
    names: &DisplayNames,
    (now, zone): (Timestamp, Tz),
) -> Vec<KnownSort> {
    let sentence = |kept: &KeptRow| known_row(about, kept, names, (now, zone));
    let rows = |rows: &[KeptRow]| rows.iter().take(ROWS_MAX).map(sentence).collect::<Vec<_>>();
    let name = kept.own_name.iter().map(|name| KnownRow {
        says: words::you_call_it(name),
        trace: None,
    });
    let things: Vec<KnownRow> = name.chain(rows(&kept.things)).collect();
    let count = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
    let decisions = kept.traces.iter().map(|trace| {
        let row = row(trace);
        let at = format::clock_on(trace.decision.ts, now, zone);
        let says = if is_of_another(trace, about) {
            words::weighed_beside(&at)
        } else {
            words::did_about(&at, row.what.trim_end_matches('.'), row.ended)
        };
        KnownRow {
            says,
            trace: Some(row.trace_id),
        }
    });
    let sorts = [
        KnownSort {
            id: "known-things",
            title: words::KNOWN_THINGS.say(),
            all: count(kept.things.len() + usize::from(kept.own_name.is_some())),
            rows: things,
        },
        KnownSort {
            id: "known-links",
            title: words::KNOWN_LINKS.say(),
            all: count(kept.links.len()),
            rows: rows(&kept.links),
        },
        KnownSort {
            id: "known-traces",
            title: words::KNOWN_TRACES.say(),
            all: kept.traces_all,
            rows: once_each(decisions),
        },
    ];
    sorts.into_iter().filter(|sort| sort.all > 0).collect()
}

/// Whether a decision names one and was about another thing: what it did stands with that.
fn is_of_another(trace: &Trace, about: &LearnedThing) -> bool {
    let Some((_, subject)) = line_of(&trace.decision) else {
        return false;
    };
    match ThingId::parse(subject.as_str()) {
        Ok(ThingId::Event(_) | ThingId::Txn(_) | ThingId::Merchant(_)) => true,
        Ok(ThingId::Channel(_)) if matches!(about, LearnedThing::Channel(_)) => {
            subject.as_str() != about.as_str()
        }
        // A message does not say whose it is, a brief tells of all.
        Ok(ThingId::Channel(_) | ThingId::Person(_) | ThingId::Item(_)) | Err(_) => false,
    }
}

/// Those that say the same one after another are one row that says how many they are; it leads to the first.
fn once_each(rows: impl Iterator<Item = KnownRow>) -> Vec<KnownRow> {
    let mut found: Vec<(KnownRow, u32)> = Vec::new();
    for row in rows {
        match found.last_mut() {
            Some((last, count)) if last.says == row.says => *count += 1,
            _ => found.push((row, 1)),
        }
    }
    let said = |(row, count): (KnownRow, u32)| match count {
        1 => row,
        count => KnownRow {
            says: words::said_times(&row.says, count),
            ..row
        },
    };
    found.into_iter().map(said).collect()
}

fn known_row(
    about: &LearnedThing,
    row: &KeptRow,
    names: &DisplayNames,
    (now, zone): (Timestamp, Tz),
) -> KnownRow {
    let today = format::local_date(now, zone);
    let date = |day: &NaiveDate| format::date_near(*day, today);
    let name = |about: LearnedThing| known_name(&about, names).unwrap_or_else(|| nameless(&about).to_owned());
    let mut trace = None;
    let says = match &row.fact {
        KeptFact::Writes => words::writer_note(&format::clock_on(row.at, now, zone)),
        KeptFact::ChatDay(day, messages, wanting) => words::chat_day(&date(day), *messages, *wanting),
        KeptFact::Wrote(person, chat, day, messages) => match about {
            LearnedThing::Person(_) => {
                let chat = name(LearnedThing::Channel(chat.clone()));
                words::count_written(None, Some(&chat), &date(day), *messages)
            }
            LearnedThing::Channel(_) => {
                let person = LearnedThing::Person(person.clone());
                let who = known_name(&person, names)
                    .unwrap_or_else(|| nameless_in(&person, place_name(about, names)));
                words::count_written(Some(&who), None, &date(day), *messages)
            }
        },
        KeptFact::CameThrough(day, messages) => words::count_through(&date(day), *messages),
        KeptFact::Action(kind, outcome, of) => {
            trace.clone_from(of);
            words::did_about(
                &format::clock_on(row.at, now, zone),
                words::action(*kind),
                words::outcome_short(*outcome, None),
            )
        }
        KeptFact::ActionOnDay(day) => words::act_on_day(&date(day)),
        KeptFact::Other => words::KNOWN_OTHER.say().to_owned(),
    };
    KnownRow { says, trace }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_decided_the_same_several_times_is_one_row() {
        let row = |says: &str, id: &str| KnownRow {
            says: says.to_owned(),
            trace: TraceId::parse(id).ok(),
        };
        let first = row("07:46: draft a decline (silent).", "tr_000000000001");
        let again = row("07:46: draft a decline (silent).", "tr_000000000002");
        let other = row("07:30: the morning brief (shown).", "tr_000000000003");
        let found = once_each([first.clone(), again, other.clone()].into_iter());
        let twice = KnownRow {
            says: "07:46: draft a decline (silent), 2 times.".to_owned(),
            ..first
        };
        assert_eq!(found, [twice, other]);
    }
}
