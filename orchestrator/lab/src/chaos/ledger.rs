//! What devices and the owner were told is safe, written down outside the service.
//!
//! [`AckLedger`] notes each payment and message that was answered 202, and each rule, pause and end of a mute that was confirmed.
//! [`AckLedger::compare`] holds it against what the commands export from the folder: the service's own word is not asked. Not here:
//! asking (`check`).

use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    mem,
    process::Output,
};
use toolcall_schema::Timestamp;

/// The acknowledgements, and what was sent to get them.
#[derive(Debug, Clone, Default)]
pub(super) struct AckLedger {
    next: u64,
    /// Sent and not yet acknowledged: sent again, with the same ids, until it is.
    pending: Vec<(String, Value)>,
    sent: BTreeSet<String>,
    acknowledged: BTreeSet<String>,
    /// Said to be gone, and on the way there: what becomes of these is not known until the command ends.
    deleted: BTreeSet<String>,
    /// Payments of the last export, with their keys: what can be deleted next.
    erasable: Vec<(String, String)>,
    imports: u64,
    /// By name whether the rule stands, and of which change it is known; absent: nobody confirmed the last one.
    rules: BTreeMap<String, (bool, u64)>,
    changes: u64,
    /// Messages that were sent and not acknowledged: sent again, with the same ids, until they are.
    unread: Option<MessagePost>,
    /// Whether those were sent while the clock was ahead: then they may be read and not counted.
    may_be_old: bool,
    /// By chat, how many messages were sent, and how many of them acknowledged.
    messages: BTreeMap<&'static str, (u64, u64)>,
    posts: u64,
    /// Mutes that were said to be ended: the chat's hash, and until when it was muted.
    ended_mutes: BTreeSet<(String, String)>,
    /// Whether the pause is over, and of which change that is known; absent: nobody confirmed the last one.
    unpaused: Option<u64>,
    /// Commands that ended in a way that trying again does not explain.
    refused: BTreeSet<String>,
}

/// Payments in one post.
const BATCH: u64 = 2;
/// Every so many posts, one that was acknowledged is sent once more.
const AGAIN: u64 = 8;

/// Payments in one file that is imported.
const IMPORTED: u64 = 3;

/// A bank's message of now.
fn sms(id: &str, amount: &str, now: Timestamp) -> Value {
    json!({
        "id": id, "at": now, "source": "phone", "kind": "bank_sms",
        "payload": {
            "from": "VK-ICICIB",
            "body": format!(
                "INR {amount} spent on ICICI Bank Card XX5530 at CORNER SHOP on {}",
                now.utc().format("%d-%b-%y")
            ),
        }
    })
}

/// The chats whose messages are counted here.
pub(super) const CHATS: [&str; 3] = ["Ledger one", "Ledger two", "Ledger three"];
/// Messages in one post.
const MESSAGES: u64 = 4;

/// What a chat's program sends at once.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct MessagePost {
    chat: &'static str,
    pub(super) body: Value,
}

/// What a phone sends at once.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SignalPost {
    amounts: Vec<String>,
    pub(super) body: Value,
}

/// What the folder holds.
#[derive(Debug, Default)]
pub(super) struct StoredContents {
    /// How often each amount is there.
    pub(super) payments: BTreeMap<String, u32>,
    /// By amount the key of a payment.
    pub(super) keys: BTreeMap<String, String>,
    /// The rules that stand.
    pub(super) rules: BTreeSet<String>,
    /// How many messages are counted of each of [`CHATS`].
    pub(super) messages: BTreeMap<&'static str, u64>,
    /// Muted chats by their hashes, and until when.
    pub(super) mutes: BTreeSet<(String, String)>,
    /// Whether Aura is paused.
    pub(super) is_paused: bool,
}

/// What is wrong with what is kept, one line each.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct LedgerDifferences {
    pub(super) lost: Vec<String>,
    pub(super) doubled: Vec<String>,
    pub(super) undeleted: Vec<String>,
    pub(super) rules: Vec<String>,
}

impl AckLedger {
    /// What a phone sends next: payments of amounts that nothing else has, or those that were not acknowledged yet.
    pub(super) fn post(&mut self, now: Timestamp) -> SignalPost {
        if self.pending.is_empty() {
            for _ in 0..BATCH {
                self.next += 1;
                let amount = format!("{}.37", 700_000 + self.next);
                let signal = sms(&format!("ledger-{}", self.next), &amount, now);
                self.sent.insert(amount.clone());
                self.pending.push((amount, signal));
            }
        }
        SignalPost {
            amounts: self.pending.iter().map(|(amount, _)| amount.clone()).collect(),
            body: Value::Array(self.pending.iter().map(|(_, signal)| signal.clone()).collect()),
        }
    }

    /// The post was answered 202. Whether it is to be sent once more.
    pub(super) fn acknowledge(&mut self, post: &SignalPost) -> bool {
        self.pending.retain(|(amount, _)| !post.amounts.contains(amount));
        self.acknowledged.extend(post.amounts.iter().cloned());
        self.next.is_multiple_of(AGAIN * BATCH)
    }

    /// The lines of a file to be imported, and what they tell of.
    pub(super) fn import(&mut self, now: Timestamp) -> (Vec<String>, String) {
        self.imports += 1;
        let first = self.imports * IMPORTED;
        let amounts: Vec<String> = (first..first + IMPORTED)
            .map(|n| format!("{}.37", 8_000_000 + n))
            .collect();
        let lines = amounts
            .iter()
            .map(|amount| sms(&format!("import-{amount}"), amount, now).to_string() + "\n");
        let text = lines.collect();
        self.sent.extend(amounts.iter().cloned());
        (amounts, text)
    }

    /// The command that imported these said that they are in.
    pub(super) fn imported(&mut self, amounts: Vec<String>) {
        self.acknowledged.extend(amounts);
    }

    /// What an export holds can be deleted.
    pub(super) fn note_keys(&mut self, kept: &StoredContents) {
        let mine = kept
            .keys
            .iter()
            .filter(|(amount, _)| self.acknowledged.contains(*amount));
        self.erasable = mine.map(|(amount, key)| (amount.clone(), key.clone())).collect();
    }

    /// A payment to be deleted: amount and key. From now on nobody knows whether it is there.
    pub(super) fn delete(&mut self) -> Option<(String, String)> {
        let (amount, key) = self.erasable.pop()?;
        self.acknowledged.remove(&amount);
        Some((amount, key))
    }

    /// The command that deleted it said that it is gone.
    pub(super) fn deleted(&mut self, amount: String) {
        self.deleted.insert(amount);
    }

    /// The next rule to be changed: its name, and whether it is to stand afterwards. Nobody knows its state until it is
    /// confirmed.
    pub(super) fn rule(&mut self) -> (String, bool) {
        let n = self.next % 8;
        let name = format!("chaos-{n}");
        let stands = self.rules.remove(&name).is_some_and(|(stands, _)| stands);
        (name, !stands)
    }

    /// The change of a rule was confirmed.
    pub(super) fn rule_changed(&mut self, name: String, stands: bool) {
        self.changes += 1;
        self.rules.insert(name, (stands, self.changes));
    }

    /// What a chat's program sends next: new messages, or those that were not acknowledged yet.
    pub(super) fn messages(&mut self, now: Timestamp) -> MessagePost {
        if let Some(post) = &self.unread {
            return post.clone();
        }
        self.posts += 1;
        let [one_chat, another, third] = CHATS;
        let chat = match self.posts % 3 {
            0 => one_chat,
            1 => another,
            _ => third,
        };
        let one = |n: u64| {
            let id = format!("message-{}-{n}", self.posts);
            let payload =
                json!({ "app": "org.example.chat", "channel": chat, "sender": "Joss", "text": "so good" });
            json!({ "id": id, "at": now, "source": "phone", "kind": "notification", "payload": payload })
        };
        let post = MessagePost {
            chat,
            body: (0..MESSAGES).map(one).collect(),
        };
        self.messages.entry(chat).or_default().0 += MESSAGES;
        self.unread = Some(post.clone());
        post
    }

    /// The messages were sent while the clock was ahead.
    pub(super) fn messages_may_be_old(&mut self, post: &MessagePost) {
        self.may_be_old |= self.unread.as_ref() == Some(post);
    }

    /// The messages were answered 202.
    pub(super) fn messages_read(&mut self, post: &MessagePost) {
        if self.unread.as_ref() == Some(post) {
            self.unread = None;
            if !mem::take(&mut self.may_be_old) {
                self.messages.entry(post.chat).or_default().1 += MESSAGES;
            }
        }
    }

    /// The command that ended a mute said that it is over.
    pub(super) fn mute_ended(&mut self, channel: String, until: String) {
        self.ended_mutes.insert((channel, until));
    }

    /// The pause is being changed: nobody knows what stands until it is confirmed.
    pub(super) fn pause_changes(&mut self) {
        self.unpaused = None;
    }

    /// The end of the pause was confirmed.
    pub(super) fn pause_ended(&mut self) {
        self.changes += 1;
        self.unpaused = Some(self.changes);
    }

    /// How a command ended beside the service: with 0, with 75 (busy, try again), or because that is not there at the moment.
    pub(super) fn command(&mut self, line: &str, done: &Output) {
        let said = String::from_utf8_lossy(&done.stderr);
        let first = said.lines().next().unwrap_or_default();
        let is_away = done.status.code() == Some(1) && first.contains("no service runs on");
        if !matches!(done.status.code(), Some(0 | 75)) && !is_away {
            self.refused
                .insert(format!("{line} ended with {:?}: {first}", done.status.code()));
        }
    }

    /// Payments that are in: acknowledged or imported, and not deleted.
    pub(super) fn payments(&self) -> u64 {
        self.acknowledged.len() as u64
    }

    pub(super) fn deletions(&self) -> u64 {
        self.deleted.len() as u64
    }

    pub(super) fn imports(&self) -> u64 {
        self.imports
    }

    /// Commands that were refused, one line each.
    pub(super) fn refused(&self) -> impl Iterator<Item = &String> {
        self.refused.iter()
    }

    /// What `kept` lacks or has twice. It was read while users went on: `later` is this ledger afterwards, and what changed in between is not
    /// compared.
    pub(super) fn compare(&self, later: &Self, kept: &StoredContents) -> LedgerDifferences {
        let mut lost: Vec<String> = self
            .acknowledged
            .iter()
            .filter(|amount| later.acknowledged.contains(*amount) && !kept.payments.contains_key(*amount))
            .map(|amount| format!("the payment of {amount} was said to be in and is not in memory"))
            .collect();
        let counted = |chat| kept.messages.get(chat).copied().unwrap_or_default();
        lost.extend(
            self.messages
                .iter()
                .filter(|(chat, (_, read))| counted(**chat) < *read)
                .map(|(chat, (_, read))| {
                    format!(
                        "{read} messages of {chat} were said to be in, and memory counts {}",
                        counted(*chat)
                    )
                }),
        );
        let undeleted = self
            .deleted
            .iter()
            .filter(|amount| kept.payments.contains_key(*amount))
            .map(|amount| format!("the payment of {amount} was said to be gone and is in memory"))
            .collect();
        let mut doubled: Vec<String> = kept
            .payments
            .iter()
            .filter(|(amount, times)| **times > 1 && later.sent.contains(*amount))
            .map(|(amount, times)| format!("the payment of {amount} is in memory {times} times"))
            .collect();
        let sent = |chat| later.messages.get(chat).map_or(0, |(sent, _)| *sent);
        doubled.extend(
            kept.messages
                .iter()
                .filter(|(chat, counted)| **counted > sent(**chat))
                .map(|(chat, counted)| {
                    format!(
                        "{} messages of {chat} were sent, and memory counts {counted}",
                        sent(*chat)
                    )
                }),
        );
        let mut rules: Vec<String> = self
            .rules
            .iter()
            .filter(|(name, known)| later.rules.get(*name) == Some(*known))
            .filter(|(name, (stands, _))| kept.rules.contains(*name) != *stands)
            .map(|(name, (stands, _))| format!("rule {name}: confirmed to stand: {stands}, and it does not"))
            .collect();
        let muted = self.ended_mutes.intersection(&kept.mutes);
        rules.extend(muted.map(|(channel, until)| {
            format!("the mute of {channel} until {until} was said to be ended and stands")
        }));
        if kept.is_paused && self.unpaused.is_some() && self.unpaused == later.unpaused {
            rules.push("the pause was said to be ended and stands".to_owned());
        }
        LedgerDifferences {
            lost,
            doubled,
            undeleted,
            rules,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_acknowledged_is_sent_again_and_what_is_counts() {
        let now = Timestamp::parse("2026-11-03T08:00:00.000Z").unwrap();
        let mut ledger = AckLedger::default();
        let first = ledger.post(now);
        assert_eq!(ledger.post(now), first);
        assert!(!ledger.acknowledge(&first));
        let second = ledger.post(now);
        assert_ne!(second, first);
        // Two sent the first at once: only one of them is the second's.
        ledger.acknowledge(&first);
        assert_eq!(ledger.post(now), second);
        assert_eq!(
            ledger.acknowledged,
            BTreeSet::from(["700001.37".to_owned(), "700002.37".to_owned()])
        );
        assert_eq!(ledger.sent.len(), 4);
    }

    #[test]
    fn what_was_promised_and_is_not_kept_is_told() {
        let now = Timestamp::parse("2026-11-03T08:00:00.000Z").unwrap();
        let mut ledger = AckLedger::default();
        let post = ledger.post(now);
        ledger.acknowledge(&post);
        let (name, stands) = ledger.rule();
        ledger.rule_changed(name.clone(), stands);
        let kept = |payments: &[(&str, u32)], rules: &[&String]| StoredContents {
            payments: payments
                .iter()
                .map(|(amount, times)| ((*amount).to_owned(), *times))
                .collect(),
            rules: rules.iter().copied().cloned().collect(),
            keys: payments
                .iter()
                .map(|(amount, _)| ((*amount).to_owned(), format!("tx_{amount}")))
                .collect(),
            ..StoredContents::default()
        };
        let good = kept(&[("700001.37", 1), ("700002.37", 1), ("5.00", 2)], &[&name]);
        assert_eq!(ledger.compare(&ledger, &good), LedgerDifferences::default());
        let bad = ledger.compare(&ledger, &kept(&[("700001.37", 2)], &[]));
        assert_eq!(
            [bad.lost.len(), bad.doubled.len(), bad.rules.len()],
            [1, 1, 1],
            "{bad:?}"
        );
        // Its rule was changed while that was read.
        let mut later = ledger.clone();
        let (_, stands) = later.rule();
        assert!(!stands);
        assert!(ledger.compare(&later, &kept(&[], &[])).rules.is_empty());
    }

    #[test]
    fn what_was_imported_is_expected_and_what_was_deleted_is_not() {
        let now = Timestamp::parse("2026-11-03T08:00:00.000Z").unwrap();
        let mut ledger = AckLedger::default();
        let (amounts, text) = ledger.import(now);
        assert_eq!((amounts.len(), text.lines().count()), (3, 3));
        assert_eq!(ledger.compare(&ledger, &StoredContents::default()).lost.len(), 0);
        ledger.imported(amounts.clone());
        assert_eq!(ledger.compare(&ledger, &StoredContents::default()).lost.len(), 3);
        let keys = amounts
            .iter()
            .map(|amount| (amount.clone(), format!("tx_{amount}")));
        let all = StoredContents {
            payments: amounts.iter().map(|amount| (amount.clone(), 1)).collect(),
            keys: keys.collect(),
            ..StoredContents::default()
        };
        ledger.note_keys(&all);
        let before = ledger.clone();
        let (gone, key) = ledger.delete().unwrap();
        assert_eq!(key, format!("tx_{gone}"));
        // On its way: there or not.
        assert_eq!(before.compare(&ledger, &StoredContents::default()).lost.len(), 2);
        assert_eq!(ledger.compare(&ledger, &all), LedgerDifferences::default());
        ledger.deleted(gone);
        assert_eq!(ledger.compare(&ledger, &all).undeleted.len(), 1);
    }

    #[test]
    fn messages_count_once_and_what_the_owner_ended_stays_ended() {
        let now = Timestamp::parse("2026-11-03T08:00:00.000Z").unwrap();
        let mut ledger = AckLedger::default();
        let post = ledger.messages(now);
        assert_eq!(post.body.as_array().unwrap().len(), 4);
        assert_eq!(ledger.messages(now), post, "sent again until it is read");
        let kept = |count: u64| StoredContents {
            messages: BTreeMap::from([(post.chat, count)]),
            ..StoredContents::default()
        };
        // Not acknowledged: all or nothing of it may be in, and never more.
        for (count, lost, doubled) in [(0, 0, 0), (4, 0, 0), (5, 0, 1)] {
            let found = ledger.compare(&ledger, &kept(count));
            assert_eq!(
                (found.lost.len(), found.doubled.len()),
                (lost, doubled),
                "{count}"
            );
        }
        ledger.messages_read(&post);
        ledger.messages_read(&post);
        for (count, lost, doubled) in [(3, 1, 0), (4, 0, 0), (5, 0, 1)] {
            let found = ledger.compare(&ledger, &kept(count));
            assert_eq!(
                (found.lost.len(), found.doubled.len()),
                (lost, doubled),
                "{count}"
            );
        }
        let next = ledger.messages(now);
        assert_ne!(next.chat, post.chat);
        // Read while the clock was ahead: counted or not.
        ledger.messages_may_be_old(&next);
        ledger.messages_read(&next);
        let neither = StoredContents {
            messages: BTreeMap::from([(post.chat, 4)]),
            ..StoredContents::default()
        };
        assert_eq!(ledger.compare(&ledger, &neither), LedgerDifferences::default());

        let mute = ("ch_1".to_owned(), "2026-11-03T08:30:00.000Z".to_owned());
        let stands = StoredContents {
            mutes: BTreeSet::from([mute.clone()]),
            is_paused: true,
            ..kept(4)
        };
        assert_eq!(ledger.compare(&ledger, &stands).rules.len(), 0);
        ledger.mute_ended(mute.0, mute.1);
        ledger.pause_ended();
        assert_eq!(ledger.compare(&ledger, &stands).rules.len(), 2);
        // Paused anew while that was read.
        let mut later = ledger.clone();
        later.pause_changes();
        assert_eq!(ledger.compare(&later, &stands).rules.len(), 1);
    }
}
