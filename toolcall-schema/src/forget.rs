//! What the owner wants to be forgotten.
//!
//! What: [`ErasureScope`], a span of time, a set of ids or a kind of measurement, and the question whether something falls under it. Why: store,
//! machine and agents forget the same. Not here: doing it (`aura-memory`, `orchestrator-machine`, `agents`).

use crate::{names::closed_enum, time::Timestamp};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeSet, ops::Bound};

/// A stretch of the wall clock, `from` included, `to` not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimeSpan {
    /// From then.
    pub from: Timestamp,
    /// Until before then.
    pub to: Timestamp,
}

impl TimeSpan {
    /// Whether an instant lies in it.
    pub fn contains(self, at: Timestamp) -> bool {
        self.from <= at && at < self.to
    }
}

closed_enum!(
    /// A kind of what is measured of the owner, forgotten as a whole.
    MeasuredKind {
        /// RMSSD.
        HeartRateVariability = "heart_rate_variability",
        /// Beats a minute at rest.
        RestingHeartRate = "resting_heart_rate",
        /// Minutes asleep, and nights.
        Sleep = "sleep",
        /// Typing, switching, dismissing, screen time.
        PhoneUse = "phone_use",
        /// The load score, which is made of the others.
        Load = "load",
    }
);

impl MeasuredKind {
    /// How its values stand in the readings of decisions, in facts and in the arguments of calls.
    fn texts(self) -> &'static [&'static str] {
        match self {
            MeasuredKind::HeartRateVariability => {
                &[r#""key":"rmssd_ms""#, r#""key":"rmssd_z""#, r#""rmssd_ms":"#]
            }
            MeasuredKind::RestingHeartRate => &[r#""resting_bpm":"#],
            MeasuredKind::Sleep => &[
                r#""key":"sleep_min""#,
                r#""key":"sleep_debt_min""#,
                r#""asleep_min":"#,
            ],
            MeasuredKind::PhoneUse => &[
                r#""key":"typing_entropy""#,
                r#""key":"app_switch_rate""#,
                r#""key":"dismiss_rate""#,
                r#""key":"screen_on_min""#,
                r#""typing_entropy":"#,
                r#""app_switch_rate":"#,
                r#""notif_dismiss_rate":"#,
                r#""screen_on_min":"#,
            ],
            MeasuredKind::Load => &[
                r#""key":"load_score""#,
                r#""key":"load_drop""#,
                r#""fact":"load""#,
            ],
        }
    }
}

/// What is to be forgotten: everything of a span, and everything that names one of some things.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErasureScope {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span: Option<TimeSpan>,
    /// Ids (hashes of people, chats, merchants; ids of events, payments, traces), and other texts that tell of nothing else.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub things: BTreeSet<String>,
    /// Everything that was measured of a kind. How it stands in texts is among `things`.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub measured: BTreeSet<MeasuredKind>,
}

/// An id is at least so long; a shorter word would be found where it is not meant.
pub const THING_MIN: usize = 10;

impl ErasureScope {
    /// Everything from one instant until before another.
    pub fn within(from: Timestamp, to: Timestamp) -> Self {
        Self {
            span: Some(TimeSpan { from, to }),
            ..Self::default()
        }
    }

    /// Everything that names one of these ids; shorter ones than [`THING_MIN`] are left out.
    pub fn naming(ids: impl IntoIterator<Item = String>) -> Self {
        Self {
            things: ids.into_iter().filter(|id| id.len() >= THING_MIN).collect(),
            ..Self::default()
        }
    }

    /// The same, and everything that was measured of these kinds, with what was decided by it.
    #[must_use]
    pub fn and_measured(mut self, kinds: impl IntoIterator<Item = MeasuredKind>) -> Self {
        for kind in kinds {
            self.things
                .extend(kind.texts().iter().map(|text| (*text).to_owned()));
            self.measured.insert(kind);
        }
        self
    }

    /// All there is.
    pub fn everything() -> Self {
        Self::within(Timestamp::from_ms(i64::MIN), Timestamp::from_ms(i64::MAX))
    }

    /// Whether it is [`Self::everything`].
    pub fn is_everything(&self) -> bool {
        self.span == Self::everything().span
    }

    /// Whether what happened at an instant of the wall clock goes.
    pub fn covers_time(&self, at: Timestamp) -> bool {
        self.span.is_some_and(|span| span.contains(at))
    }

    /// Whether a thing goes.
    pub fn covers_thing(&self, id: &str) -> bool {
        self.things.contains(id)
    }

    /// Whether a text names a thing that goes. One pass over the text, however many things there are.
    pub fn mentions_thing(&self, text: &str) -> bool {
        if self.things.len() <= FEW {
            return self.things.iter().any(|id| text.contains(id.as_str()));
        }
        let Some(firsts) = self.first_letters() else {
            return true;
        };
        let mut places = text.char_indices().filter(|(_, letter)| firsts.contains(letter));
        places.any(|(at, _)| text.get(at..).is_some_and(|rest| self.begins_with_thing(rest)))
    }

    /// The letters that things begin with; `None`: there is an empty one, which stands everywhere.
    fn first_letters(&self) -> Option<Vec<char>> {
        let mut firsts: Vec<char> = Vec::new();
        let mut next = self.things.first();
        while let Some(thing) = next {
            let first = thing.chars().next()?;
            firsts.push(first);
            // The first that begins with a later letter.
            let later = |thing: &&String| thing.chars().next() > Some(first);
            let beyond = first.to_string() + char::MAX.encode_utf8(&mut [0; 4]);
            let mut rest = self
                .things
                .range::<str, _>((Bound::Excluded(beyond.as_str()), Bound::Unbounded));
            next = rest.find(later);
        }
        Some(firsts)
    }

    /// Whether a text begins with a thing. The last thing in order that is not behind the text shares with it all that any thing does
    /// with which the text begins: so each look shortens the text until a thing is the whole of it.
    fn begins_with_thing(&self, text: &str) -> bool {
        let mut start = text;
        let until = |start| (Bound::Unbounded, Bound::Included(start));
        while let Some(thing) = self.things.range::<str, _>(until(start)).next_back() {
            if text.starts_with(thing.as_str()) {
                return true;
            }
            let shared = text.char_indices().zip(thing.chars());
            let end = shared.take_while(|((_, a), b)| a == b).last();
            let Some(((at, letter), _)) = end else {
                return false;
            };
            start = text.get(..at + letter.len_utf8()).unwrap_or_default();
        }
        false
    }
}

/// So few things are looked for one after the other.
const FEW: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_holds_its_beginning_and_not_its_end() {
        let at = Timestamp::from_ms;
        let forget = ErasureScope::within(at(10), at(20));
        let held: Vec<i64> = [9, 10, 19, 20]
            .into_iter()
            .filter(|ms| forget.covers_time(at(*ms)))
            .collect();
        assert_eq!(held, [10, 19]);
        assert!(!forget.is_everything() && ErasureScope::everything().is_everything());
        // The first instant of the year 1 and the last second of the year 9999.
        for ms in [-62_135_596_800_000, 253_402_300_799_000] {
            assert!(ErasureScope::everything().covers_time(at(ms)));
        }
    }

    #[test]
    fn things_are_found_as_ids_and_in_texts_and_short_words_are_not_taken() {
        let forget = ErasureScope::naming(["ch_0123456789abcdef".to_owned(), "self".to_owned()]);
        assert!(forget.covers_thing("ch_0123456789abcdef") && !forget.covers_thing("self"));
        assert!(
            forget.mentions_thing("{\"subject\":\"ch_0123456789abcdef\"}")
                && !forget.mentions_thing("myself")
        );
        assert!(!forget.covers_time(Timestamp::from_ms(0)));
    }

    #[test]
    fn a_kind_of_measurement_goes_with_what_was_decided_by_it() {
        let sleep = ErasureScope::default().and_measured([MeasuredKind::Sleep]);
        for (text, goes) in [
            (r#"{"key":"sleep_min","value":402.0}"#, true),
            (r#"{"key":"sleep_debt_min","value":18.0}"#, true),
            (r#"{"features":{"asleep_min":402}}"#, true),
            (r#"{"key":"rmssd_ms","value":38.0}"#, false),
            (r#"{"kind":"sleep"}"#, false),
            (r#"{"resting_bpm":54}"#, false),
            (r#"{"load_score":null}"#, false),
        ] {
            assert_eq!(sleep.mentions_thing(text), goes, "{text}");
        }
        assert!(
            MeasuredKind::ALL
                .iter()
                .flat_map(|kind| kind.texts())
                .all(|text| text.len() >= THING_MIN)
        );
        let text = serde_json::to_string(&sleep).unwrap();
        assert_eq!(serde_json::from_str::<ErasureScope>(&text).unwrap(), sleep);
    }

    #[test]
    fn many_things_are_found_in_one_pass_as_few_are() {
        // More than are looked for one by one, some the beginning of another, some of letters beyond ASCII.
        let mut things: Vec<String> = (0..40).map(|n| format!("tx_{n:016x}")).collect();
        things.extend(
            [
                "\"spent_today\",\"value\":12.0",
                "\"spent_today\",\"value\":12.05",
                "mh_é000000000000",
                "ω-thing-of-ten",
            ]
            .map(str::to_owned),
        );
        let forget = ErasureScope::naming(things.clone());
        assert!(forget.things.len() > FEW);
        let one_by_one = |text: &str| things.iter().any(|thing| text.contains(thing.as_str()));
        for (text, names) in [
            ("", false),
            ("tx_0000000000000027", true),
            ("tx_0000000000000028", false),
            ("tx_000000000000002", false),
            ("about tx_tx_0000000000000003.", true),
            ("{\"key\":\"spent_today\",\"value\":12.07}", true),
            ("{\"key\":\"spent_today\",\"value\":12}", false),
            ("mh_é00000000000", false),
            ("für mh_é000000000000ß", true),
            ("ωω-thing-of-ten", true),
            ("zzz", false),
        ] {
            assert_eq!(forget.mentions_thing(text), names, "{text}");
            assert_eq!(one_by_one(text), names, "{text}");
        }
    }
}
