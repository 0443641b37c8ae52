//! Finance: reads bank messages, notices unusual spending and where the balance is heading.
//!
//! What: [`Finance`], the agent, with its codes and its state. Why: the host and the actor see one [`Agent`]. Not here:
//! the shapes of messages (`sources`), categories (`category`), figures (`model`, `stats`), proposals (`tick`), tools
//! (`tools`).

mod category;
mod heard;
mod model;
mod preferences;
mod sources;
mod stats;
#[cfg(test)]
mod tests;
mod tick;
mod tools;

use crate::{
    agent::{Agent, Setup, StateError},
    forget::Keeps,
    shared::{Inbox, Jsonl, Mark, Report, described},
    zone,
};
use chrono::NaiveDate;
use heard::Heard;
use model::{Book, Entered, Row, View};
pub use preferences::Preferences;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use toolcall_schema::{
    AgentName, Timestamp, Tool,
    catalogue::{FinanceTool, shared::ThingId},
    forget::Forget,
    ids::TxnId,
    result::{ToolEffect, ToolErrorCode},
    signal::{Signal, SignalKind},
    tick::{Fact, IngestArgs, IngestResult, SEEN_MAX, Seen, TickArgs, TickResult},
};

/// The codes of Finance, 101 to 199.
mod code {
    use crate::shared::SkipCode;

    /// No bank sent it, or it tells of no payment.
    pub(super) const NOT_A_PAYMENT: SkipCode = SkipCode {
        code: "AGENT-101",
        message: "no payment was found in this message: the bank or its wording is not known, its text was forgotten",
    };
    /// There is no such day, or it has not come yet.
    pub(super) const DATE: SkipCode = SkipCode {
        code: "AGENT-102",
        message: "the date in this message does not exist or is more than a day after the message",
    };
    /// Zero, too large, or its separators are not clear.
    pub(super) const AMOUNT: SkipCode = SkipCode {
        code: "AGENT-103",
        message: "the amount is not more than 0 and at most 10^12 with at most 4 decimals, or not clearly written",
    };
    /// A parsed transaction with fields that are none.
    pub(super) const FIELDS: SkipCode = SkipCode {
        code: "AGENT-104",
        message: "a transaction needs a currency of three capital letters and the last four digits of its account",
    };
}

/// Facts of one answer (its schema).
const MAX_FACTS: usize = 512;
/// Only transactions of this time before an ingest are told as facts.
const FACT_MIN: i64 = 24 * 60;
/// Bytes of JSON that the transactions of the state may take: 1 MiB without what stands around them.
const MAX_STATE_BYTES: usize = 960 * 1024;

/// The agent. Not `Debug`: signals that wait in it hold text.
pub struct Finance {
    setup: Setup,
    inbox: Inbox,
    jsonl: Jsonl,
    book: Book,
    heard: Heard,
    view: View,
    /// What is proposed on a local day, made when something was read: a tick has nothing left to compute.
    proposed: Option<(NaiveDate, TickResult)>,
    /// New payments that memory has not been told of; the newest are told first.
    untold: Vec<TxnId>,
    cursor: u64,
    /// Whether the state differs from the one given out last.
    changed: bool,
}

/// `agent_state` of Finance, version 1. No text.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct State {
    version: Version,
    txns: Vec<Row>,
    files: BTreeMap<String, Mark>,
}

impl Keeps for State {
    const AGENT: AgentName = AgentName::Finance;

    fn forget(&mut self, what: &Forget) {
        self.txns.retain(|row| !row.goes(what));
    }
}

#[derive(Debug, Serialize, Deserialize)]
enum Version {
    #[serde(rename = "finance.v1")]
    V1,
}

impl Finance {
    /// An agent that knows nothing yet.
    pub fn new(setup: Setup) -> Self {
        let book = Book::default();
        Self {
            view: View::of(&book, &setup.owner),
            setup,
            inbox: Inbox::default(),
            jsonl: Jsonl::default(),
            book,
            heard: Heard::default(),
            proposed: None,
            untold: Vec::new(),
            cursor: 0,
            changed: false,
        }
    }

    /// The payments that memory is told of now; what is too much for one answer is told in the next.
    fn tell(&mut self) -> Vec<Seen> {
        let book = &self.book;
        self.untold.retain(|txn| book.get(txn).is_some());
        self.untold.sort_by_key(|txn| book.get(txn).map(|txn| txn.ts));
        let rest = self.untold.len().saturating_sub(SEEN_MAX);
        let now = self.untold.split_off(rest);
        now.into_iter()
            .filter_map(|id| {
                let txn = book.get(&id)?;
                Some(Seen::Payment {
                    at: txn.ts,
                    merchant: txn.merchant.clone(),
                    amount: txn.amount,
                    currency: txn.currency.clone(),
                    account_last4: txn.account_last4.clone(),
                    category: txn.category,
                    txn: id,
                })
            })
            .collect()
    }

    fn state(&self) -> Value {
        let state = State {
            version: Version::V1,
            txns: self.book.rows(MAX_STATE_BYTES),
            files: self.jsonl.marks(),
        };
        // Rows, marks and ids have no shape that JSON lacks; null would mean "unchanged", which is harmless too.
        serde_json::to_value(state).unwrap_or(Value::Null)
    }
}

impl Agent for Finance {
    fn name(&self) -> AgentName {
        AgentName::Finance
    }

    fn restore(&mut self, state: &Value) -> Result<(), StateError> {
        let state = State::deserialize(state).map_err(|source| StateError {
            agent: AgentName::Finance,
            source,
        })?;
        self.book = Book::of_rows(state.txns, &self.setup.key, self.setup.owner.zone);
        self.view = View::of(&self.book, &self.setup.owner);
        self.proposed = None;
        self.jsonl.restore(state.files);
        Ok(())
    }

    fn accept(&mut self, signals: Vec<Signal>) {
        self.inbox.accept(signals);
    }

    fn ingest(&mut self, args: &IngestArgs, at: Timestamp) -> IngestResult {
        let Self {
            setup,
            book,
            heard,
            untold,
            ..
        } = self;
        let (key, zone) = (&setup.key, setup.owner.zone);
        let mut report = Report::default();
        let mut facts = Vec::new();
        let mut enter =
            |signal: &Signal, item: &str, line: Option<u64>, report: &mut Report| match sources::read(
                signal, zone,
            ) {
                Err(code) => report.skip(code, item, line),
                Ok(found) => {
                    let (ts, name) = (found.ts, found.merchant.clone());
                    match book.enter(found, key, zone, at) {
                        Entered::New(txn) => {
                            report.keep();
                            heard.note(signal, &txn, name, book);
                            untold.push(txn.clone());
                            facts.push(Fact::Transaction { txn, at: ts });
                        }
                        Entered::Known(txn) => heard.note(signal, &txn, name, book),
                        Entered::TooOld => {}
                    }
                }
            };
        let marks = self.jsonl.marks();
        self.jsonl.read(
            &setup.sources.sms,
            at,
            &mut report,
            &mut |signal, place, report| {
                enter(signal, place.item, place.line, report);
            },
        );
        for signal in self
            .inbox
            .take(at, &[SignalKind::BankSms, SignalKind::Transaction], &mut report)
        {
            enter(&signal, signal.id.as_str(), None, &mut report);
        }
        let pruned = book.prune(at, key, zone);
        if pruned {
            heard.prune(book);
        }
        if pruned || !facts.is_empty() {
            self.view = View::of(book, &setup.owner);
            self.proposed = None;
        }
        let today = zone::local_date(at, zone);
        if self.proposed.as_ref().is_none_or(|(day, _)| *day != today) {
            self.proposed = Some((today, tick::tick(&self.view, today)));
        }
        let changed = pruned || !facts.is_empty() || self.changed || marks != self.jsonl.marks();
        let asked_again = args.cursor != self.cursor;
        self.cursor = self.cursor.max(args.cursor).saturating_add(u64::from(changed));
        self.changed = false;
        let recent = at.plus_min(-FACT_MIN);
        facts.retain(|fact| matches!(fact, Fact::Transaction { at, .. } if *at > recent));
        facts.drain(..facts.len().saturating_sub(MAX_FACTS));
        IngestResult {
            cursor: self.cursor,
            facts,
            seen: self.tell(),
            read: report.read,
            skipped: report.skipped,
            skips: report.skips,
            taken: report.taken,
            left: report.left,
            agent_state: if changed || asked_again {
                self.state()
            } else {
                Value::Null
            },
        }
    }

    fn tick(&self, _args: &TickArgs, at: Timestamp) -> TickResult {
        let today = zone::local_date(at, self.setup.owner.zone);
        match &self.proposed {
            Some((day, result)) if *day == today => result.clone(),
            Some(_) | None => tick::tick(&self.view, today),
        }
    }

    fn act(&mut self, tool: &Tool, _at: Timestamp) -> Result<(Value, Vec<ToolEffect>), ToolErrorCode> {
        let (result, effects) = match tool {
            Tool::Finance(FinanceTool::Categorize(args)) => {
                let categorized = tools::categorize(&mut self.book, args)?;
                self.view = View::of(&self.book, &self.setup.owner);
                self.proposed = None;
                self.changed = true;
                (serde_json::to_value(categorized), Vec::new())
            }
            Tool::Finance(FinanceTool::AnomalyFlag(args)) => {
                let (book, view) = (&self.book, &self.view);
                let anomaly = tools::anomaly_flag((book, view), (&self.setup.key, &self.setup.owner), args)?;
                (serde_json::to_value(anomaly), vec![ToolEffect::CardShow])
            }
            Tool::Finance(FinanceTool::PredictEomBalance(args)) => {
                let forecast = tools::predict_eom_balance(&self.view, args)?;
                (serde_json::to_value(forecast), vec![ToolEffect::CardShow])
            }
            Tool::Finance(FinanceTool::ParseSms(args)) => {
                let txn = self.heard.txn(&args.source_id, SignalKind::BankSms);
                (serde_json::to_value(tools::parsed(&self.book, txn)?), Vec::new())
            }
            Tool::Finance(FinanceTool::ParseGmailReceipt(args)) => {
                let txn = self.heard.txn(&args.source_id, SignalKind::Transaction);
                (serde_json::to_value(tools::parsed(&self.book, txn)?), Vec::new())
            }
            Tool::Finance(FinanceTool::SuggestSubstitution(args)) => {
                let known = (&self.book, &self.view);
                let found = tools::suggest_substitution(known, (&self.setup.key, &self.setup.owner), args)?;
                (serde_json::to_value(found), Vec::new())
            }
            Tool::Finance(FinanceTool::Describe(args)) => {
                let name = |id: &ThingId| match id {
                    ThingId::Txn(txn) => self.heard.name(&self.book.get(txn)?.merchant),
                    ThingId::Merchant(merchant) => self.heard.name(merchant),
                    ThingId::Item(_) | ThingId::Channel(_) | ThingId::Event(_) => None,
                };
                (serde_json::to_value(described(&args.ids, name)), Vec::new())
            }
            Tool::Finance(FinanceTool::Ingest(_) | FinanceTool::Tick(_))
            | Tool::Comms(_)
            | Tool::Calendar(_)
            | Tool::Wellness(_)
            | Tool::Orchestrator(_) => return Err(ToolErrorCode::Unavailable),
        };
        Ok((result.map_err(|_| ToolErrorCode::Unavailable)?, effects))
    }
}
