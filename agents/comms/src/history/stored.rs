//! The history as it stands in the state: hashes, numbers and names of closed lists.
//!
//! What: [`StoredHistory`], rows without names of fields. Why: thousands of rows have to fit 256 KiB. Not here: what is done with them
//! (`history`). A state that is not in order of time, or too long, is put in order and cut.

use super::{COUNTED_MAX, CountedMessages, LabelAct, LabelKeys, SenderHistory, TaughtLabel};
use serde::{Deserialize, Serialize};
use toolcall_schema::{
    Timestamp,
    catalogue::{comms::MessageClass, learning::LearnedThing},
    ids::{ChannelHash, ItemId, PersonHash, TraceId},
};

/// [`SenderHistory`] in rows.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StoredHistory {
    labels: Vec<LabelRow>,
    counted: Vec<CountedRow>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    own_mail_until: Option<Timestamp>,
}

/// The second, who, thread, list, hour, class and act by their numbers, trace.
#[derive(Serialize, Deserialize)]
struct LabelRow(
    i64,
    Option<PersonHash>,
    Option<ItemId>,
    Option<ChannelHash>,
    u8,
    u8,
    u8,
    Option<TraceId>,
);

/// Numbers of classes in a state: new ones at the end.
const CLASSES: [MessageClass; 9] = [
    MessageClass::NeedsYou,
    MessageClass::Group,
    MessageClass::Date,
    MessageClass::Bill,
    MessageClass::Code,
    MessageClass::News,
    MessageClass::Talk,
    MessageClass::Waiting,
    MessageClass::Spam,
];

/// Numbers of acts in a state: new ones at the end.
const ACTS: [LabelAct; 8] = [
    LabelAct::Confirmed,
    LabelAct::Useful,
    LabelAct::Dismissed,
    LabelAct::Edited,
    LabelAct::NotAbout,
    LabelAct::Muted,
    LabelAct::Answered,
    LabelAct::Corrected,
];

fn number<T: PartialEq>(all: &[T], one: &T) -> u8 {
    let place = all.iter().position(|known| known == one);
    place
        .and_then(|place| u8::try_from(place).ok())
        .unwrap_or(u8::MAX)
}

/// Who, first and last second, received, read, answered, timed answers, their minutes, whether the owner wrote to them.
#[derive(Serialize, Deserialize)]
struct CountedRow(LearnedThing, i64, i64, u32, u32, u32, u32, u32, u8);

impl From<SenderHistory> for StoredHistory {
    fn from(history: SenderHistory) -> Self {
        let labels = history.labels.into_iter().map(|label| {
            let keys = label.keys;
            LabelRow(
                label.at.ms().div_euclid(1000),
                keys.person,
                keys.thread,
                keys.list,
                keys.hour,
                number(&CLASSES, &keys.class),
                number(&ACTS, &label.act),
                label.trace,
            )
        });
        let counted = history.counted.into_iter().map(|(about, counted)| {
            CountedRow(
                about,
                counted.first.ms().div_euclid(1000),
                counted.last.ms().div_euclid(1000),
                counted.received,
                counted.read,
                counted.answered,
                counted.timed,
                counted.minutes,
                u8::from(counted.wrote_to),
            )
        });
        StoredHistory {
            labels: labels.collect(),
            counted: counted.collect(),
            own_mail_until: history.own_mail_until,
        }
    }
}

impl From<StoredHistory> for SenderHistory {
    fn from(stored: StoredHistory) -> Self {
        let mut labels: Vec<TaughtLabel> = stored
            .labels
            .into_iter()
            .filter_map(
                |LabelRow(second, person, thread, list, hour, class, act, trace)| {
                    let keys = LabelKeys {
                        person,
                        thread,
                        list,
                        hour: hour.min(23),
                        class: *CLASSES.get(usize::from(class))?,
                    };
                    Some(TaughtLabel {
                        at: seconds(second),
                        keys,
                        act: *ACTS.get(usize::from(act))?,
                        trace,
                    })
                },
            )
            .collect();
        labels.sort_by_key(|label| label.at);
        let counted = stored.counted.into_iter().map(
            |CountedRow(about, first, last, received, read, answered, timed, minutes, wrote_to)| {
                let counted = CountedMessages {
                    first: seconds(first),
                    last: seconds(last),
                    received,
                    read,
                    answered,
                    timed,
                    minutes,
                    wrote_to: wrote_to != 0,
                };
                (about, counted)
            },
        );
        let mut history = SenderHistory {
            labels: labels.into(),
            counted: counted.collect(),
            own_mail_until: stored.own_mail_until,
            ..SenderHistory::default()
        };
        let over = history.counted.len().saturating_sub(COUNTED_MAX);
        history.drop_counted(over);
        history.settle();
        history
    }
}

fn seconds(seconds: i64) -> Timestamp {
    Timestamp::from_ms(seconds.saturating_mul(1000))
}
