//! What devices and the owner were told is safe, written down outside the service.
//!
//! [`Ledger`] notes each payment that was answered 202 and each rule that was confirmed. [`judge`] compares it with what the
//! commands export from the folder afterwards: the service's own word is not asked.

use super::{Report, house::House, tried};
use crate::service::ServiceError;
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    process::Output,
};
use toolcall_schema::{Timestamp, money::SignedAmount};

/// The acknowledgements, and what was sent to get them.
#[derive(Debug, Clone, Default)]
pub(super) struct Ledger {
    next: u64,
    /// Sent and not yet acknowledged: sent again, with the same ids, until it is.
    pending: Vec<(String, Value)>,
    sent: BTreeSet<String>,
    acknowledged: BTreeSet<String>,
    /// By name whether the rule stands; absent: nobody confirmed the last change.
    rules: BTreeMap<String, bool>,
    /// Commands that ended in a way that trying again does not explain.
    refused: BTreeSet<String>,
}

/// Payments in one post.
const BATCH: u64 = 2;
/// Every so many posts, one that was acknowledged is sent once more.
const AGAIN: u64 = 8;

impl Ledger {
    /// What a phone sends next: payments of amounts that nothing else has, or those that were not acknowledged yet.
    pub(super) fn post(&mut self, now: Timestamp) -> Value {
        if self.pending.is_empty() {
            for _ in 0..BATCH {
                self.next += 1;
                let amount = format!("{}.37", 700_000 + self.next);
                let signal = json!({
                    "id": format!("ledger-{}", self.next), "at": now, "source": "phone", "kind": "bank_sms",
                    "payload": {
                        "from": "VK-ICICIB",
                        "body": format!(
                            "INR {amount} spent on ICICI Bank Card XX5530 at CORNER SHOP on {}",
                            now.utc().format("%d-%b-%y")
                        ),
                    }
                });
                self.sent.insert(amount.clone());
                self.pending.push((amount, signal));
            }
        }
        Value::Array(self.pending.iter().map(|(_, signal)| signal.clone()).collect())
    }

    /// The post was answered 202. Whether it is to be sent once more.
    pub(super) fn acknowledge(&mut self) -> bool {
        self.acknowledged
            .extend(self.pending.drain(..).map(|(amount, _)| amount));
        self.next.is_multiple_of(AGAIN * BATCH)
    }

    /// The next rule to be changed: its name, and whether it is to stand afterwards. Nobody knows its state until it is
    /// confirmed.
    pub(super) fn rule(&mut self) -> (String, bool) {
        let n = self.next % 8;
        let name = format!("chaos-{n}");
        let stands = self.rules.remove(&name).unwrap_or(false);
        (name, !stands)
    }

    /// The change of a rule was confirmed.
    pub(super) fn rule_changed(&mut self, name: String, stands: bool) {
        self.rules.insert(name, stands);
    }

    /// How a command ended beside the service: with 0, or with 75 (busy, try again).
    pub(super) fn command(&mut self, line: &str, done: &Output) {
        if !matches!(done.status.code(), Some(0 | 75)) {
            let said = String::from_utf8_lossy(&done.stderr);
            let first = said.lines().next().unwrap_or_default();
            self.refused
                .insert(format!("{line} ended with {:?}: {first}", done.status.code()));
        }
    }
}

/// Compares the ledger with what the folder holds.
pub(super) fn judge(
    house: &House,
    ledger: &Ledger,
    report: &mut Report,
) -> Result<Vec<String>, ServiceError> {
    let kept = payments(house)?;
    let mut wrong = vec![];
    for amount in &ledger.acknowledged {
        if !kept.contains_key(amount) {
            report.lost_payments += 1;
            wrong.push(format!(
                "the payment of {amount} was answered 202 and is not in memory"
            ));
        }
    }
    for (amount, times) in kept.iter().filter(|(_, times)| **times > 1) {
        if ledger.sent.contains(amount) {
            report.doubled_payments += 1;
            wrong.push(format!("the payment of {amount} is in memory {times} times"));
        }
    }
    let standing = rules(house)?;
    for (name, stands) in &ledger.rules {
        if standing.contains(name) != *stands {
            report.lost_rules += 1;
            wrong.push(format!(
                "rule {name}: confirmed to stand: {stands}, and it does not"
            ));
        }
    }
    report.payments = ledger.acknowledged.len() as u64;
    wrong.extend(ledger.refused.iter().cloned());
    report.refused_commands = ledger.refused.len() as u64;
    Ok(wrong)
}

/// The payments of an export, how often each amount is there.
fn payments(house: &House) -> Result<BTreeMap<String, u32>, ServiceError> {
    let file = house.dir().join("ledger-export.json");
    let done = house
        .command(&["memory", "export", "--out"])
        .arg(&file)
        .arg("--data")
        .arg(house.data())
        .output();
    let exported = done
        .and_then(|done| {
            if done.status.success() {
                fs::read(&file)
            } else {
                Err(io::Error::other(
                    String::from_utf8_lossy(&done.stderr).into_owned(),
                ))
            }
        })
        .and_then(|bytes| Ok(serde_json::from_slice::<Value>(&bytes)?));
    let export = exported.map_err(tried("export the memory"))?;
    let mut kept = BTreeMap::new();
    for node in export
        .get("nodes")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        let amount = node.pointer("/data/amount").and_then(Value::as_str);
        if let Some(amount) = amount.and_then(|text| text.parse::<SignedAmount>().ok()) {
            *kept.entry(format!("{:.2}", amount.size())).or_default() += 1;
        }
    }
    Ok(kept)
}

/// The names of the rules that stand.
fn rules(house: &House) -> Result<BTreeSet<String>, ServiceError> {
    let done = house
        .command(&["rule", "list", "--json", "--data"])
        .arg(house.data())
        .output();
    let done = done.map_err(tried("list the rules"))?;
    let text = String::from_utf8_lossy(&done.stdout);
    // One document, or one a line.
    let found = text
        .split('"')
        .filter(|word| word.starts_with("chaos-"))
        .map(str::to_owned);
    Ok(found.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_acknowledged_is_sent_again_and_what_is_counts() {
        let now = Timestamp::parse("2026-11-03T08:00:00.000Z").unwrap();
        let mut ledger = Ledger::default();
        let first = ledger.post(now);
        assert_eq!(ledger.post(now), first);
        assert!(!ledger.acknowledge());
        assert_ne!(ledger.post(now), first);
        assert_eq!(
            ledger.acknowledged,
            BTreeSet::from(["700001.37".to_owned(), "700002.37".to_owned()])
        );
        assert_eq!(ledger.sent.len(), 4);
    }
}
