//! Finance: reads what banks, shops and the owner's journal tell of payments, notices unusual spending and where the balance
//! is heading.
//!
//! What: [`FinanceAgent`], the agent, with its codes and its state. Why: the host and the actor see one [`Agent`]. Not here:
//! formats (`sources`), which files are new (`statements`), what is one payment (`matching`), categories (`category`), sums
//! (`view`), figures (`stats`, `forecast`), proposals (`tick`), tools (`tools`).

mod allowed;
mod book;
mod category;
mod claim;
pub mod code;
mod common_shops;
mod forecast;
mod forgotten;
mod forms;
mod matching;
mod merchant_memory;
mod merchant_name;
pub mod messages;
mod payee_names;
mod questions;
mod shops;
mod sources;
mod state;
mod statements;
mod stats;
#[cfg(test)]
#[path = "../../base/src/testing.rs"]
pub mod testing;
#[cfg(test)]
mod tests;
mod tick;
mod tools;
mod unread;
mod view;
mod waiting;

use agents_base::{
    contract::{Agent, AgentSetup, AgentStateError, KeptState, OwnerProfile, state_json},
    mail::MailboxReader,
    shared::{IngestReport, JsonlReader, SignalInbox},
    zone,
};
use allowed::AllowedAmounts;
use book::{EnterOutcome, PaymentBook};
use chrono::NaiveDate;
use claim::CsvReading;
use forms::{LearnedForms, SenderDecisions};
use merchant_memory::MerchantMemory;
use payee_names::PayeeReader;
use questions::MessageQuestions;
use serde_json::Value;
pub use sources::csv_preview::{CSV_HEAD_BYTES, chosen_csv, recognise_csv, written_csv};
pub use sources::recognition::banks::{BankKind, KnownBankExport};
use sources::{FoundPayment, StatementItem};
pub use sources::{statement::is_xml_statement, zipped::holds_statements};
use state::FinanceStateVersion;
pub use state::{FinanceAgentState, balances_in, withdrawn_in};
use statements::StatementFolders;
use std::collections::BTreeMap;
use toolcall_schema::{
    AgentName, Timestamp, Tool,
    catalogue::{
        FinanceTool,
        shared::{ThingId, ThingNames},
    },
    ids::TxnId,
    money::SignedAmount,
    result::{ToolEffect, ToolErrorCode},
    signal::{Signal, SignalKind},
    tick::{GraphObservation, IngestArgs, IngestFact, IngestResult, SEEN_MAX, TickArgs, TickResult},
};
use view::SpendingView;
use waiting::WaitingPayments;

/// Facts of one answer (its schema).
const MAX_FACTS: usize = 512;
/// Only transactions of this time before an ingest are told as facts.
const FACT_MIN: i64 = 24 * 60;
/// Days of mail that are looked through for receipts: as long as payments are kept.
const RECEIPT_DAYS: i64 = 120;
/// A day, in milliseconds.
const DAY_MS: i64 = 24 * 60 * 60 * 1000;
/// Bytes of JSON that the transactions of the state may take: 1 MiB without what stands around them.
const MAX_STATE_BYTES: usize = 960 * 1024;

/// The agent. Not `Debug`: signals that wait in it hold text.
pub struct FinanceAgent {
    setup: AgentSetup,
    inbox: SignalInbox,
    jsonl: JsonlReader,
    statements: StatementFolders,
    receipts: MailboxReader,
    book: PaymentBook,
    heard: MerchantMemory,
    /// After a restart, until the names of payees are known again.
    unnamed: Option<PayeeReader>,
    /// Whose word counts, and what could not be read.
    questions: MessageQuestions,
    /// What the owner calls usual.
    allowed: AllowedAmounts,
    view: SpendingView,
    /// What is proposed on a local day, made when something was read: a tick has nothing left to compute.
    proposed: Option<(NaiveDate, TickResult)>,
    /// New payments not reported to memory yet; the newest go first.
    untold: Vec<TxnId>,
    /// The version of the state that is given out: the older one until memory was told of all payments again.
    version: FinanceStateVersion,
    cursor: u64,
    /// Whether the state differs from the one given out last.
    changed: bool,
    /// Up to when ages count in the next ingest.
    ages_upto: Option<Timestamp>,
}

/// The currency of a statement that names none.
fn usual_currency(owner: &OwnerProfile) -> Option<&str> {
    let of_balance = owner.balance.as_ref().map(|balance| balance.currency.as_str());
    owner.finance.currency.as_deref().or(of_balance)
}

impl FinanceAgent {
    /// An agent that knows nothing yet.
    pub fn new(setup: AgentSetup) -> Self {
        let book = PaymentBook::new(&setup.key, setup.owner.zone, &setup.owner.finance.accounts);
        Self {
            view: SpendingView::new(&book, &setup.owner),
            questions: MessageQuestions::new(&setup.key, &setup.owner.finance.senders),
            allowed: AllowedAmounts::default(),
            statements: StatementFolders::default(),
            receipts: MailboxReader::of_last(RECEIPT_DAYS * DAY_MS),
            setup,
            inbox: SignalInbox::default(),
            jsonl: JsonlReader::default(),
            book,
            heard: MerchantMemory::default(),
            unnamed: None,
            proposed: None,
            untold: Vec::new(),
            version: FinanceStateVersion::V3,
            cursor: 0,
            changed: false,
            ages_upto: None,
        }
    }

    /// What the marks of statements depend on besides the files.
    fn wishes_digest(&self) -> String {
        let owner = &self.setup.owner;
        statements::preferences_digest(&owner.finance, usual_currency(owner))
    }

    /// Takes the payments to report to memory now; what does not fit into one answer follows in the next.
    fn take_seen(&mut self) -> Vec<GraphObservation> {
        let book = &self.book;
        self.untold.retain(|txn| book.get(txn).is_some());
        self.untold.sort_by_key(|txn| book.get(txn).map(|txn| txn.ts));
        let rest = self.untold.len().saturating_sub(SEEN_MAX);
        let now = self.untold.split_off(rest);
        if self.version == FinanceStateVersion::V2 && self.untold.is_empty() {
            self.version = FinanceStateVersion::V3;
            self.changed = true;
        }
        now.into_iter()
            .filter_map(|id| {
                let txn = book.get(&id)?;
                Some(GraphObservation::Payment {
                    at: txn.ts,
                    merchant: txn.merchant.clone(),
                    amount: SignedAmount::new(txn.amount, txn.direction.flow()),
                    currency: txn.currency.clone(),
                    account_last4: txn.account_last4.clone(),
                    category: txn.category,
                    txn: id,
                })
            })
            .collect()
    }

    /// The new payments of the last day, the newest 512; between own accounts nothing was paid.
    fn facts(&self, new: &[TxnId], at: Timestamp) -> Vec<IngestFact> {
        let recent = at.plus_min(-FACT_MIN);
        let mut facts: Vec<(Timestamp, &TxnId)> = new
            .iter()
            .filter_map(|id| Some((self.book.get(id)?, id)))
            .filter(|(txn, _)| !txn.transfer && txn.ts > recent)
            .map(|(txn, id)| (txn.ts.min(at), id))
            .collect();
        facts.sort();
        facts.drain(..facts.len().saturating_sub(MAX_FACTS));
        facts
            .into_iter()
            .map(|(at, txn)| IngestFact::Transaction { txn: txn.clone(), at })
            .collect()
    }

    /// Reads what is new: signals, and unless only these are asked for, files. Ages count up to `aged`.
    fn read(&mut self, files: bool, (at, aged): (Timestamp, Timestamp), report: &mut IngestReport) {
        let Self {
            setup,
            book,
            heard,
            questions,
            changed,
            ..
        } = self;
        let (zone, sources) = (setup.owner.zone, &setup.sources);
        let currency = setup
            .owner
            .balance
            .as_ref()
            .map_or("INR", |balance| &balance.currency);
        let mut new = 0;
        for (id, claim) in questions.waiting.take(&questions.accepted()) {
            *changed = true;
            if book.enter_claim(id, claim, aged) != EnterOutcome::TooOld {
                new += 1;
                report.keep();
            }
        }
        let mut balances = Vec::new();
        let mut finished = Vec::new();
        let mut enter = |found: FoundPayment,
                         (signal, reading): (Option<&Signal>, Option<&CsvReading>),
                         report: &mut IngestReport| {
            let name = found.merchant.clone();
            let claim = match book.enter_read(found, reading, aged) {
                EnterOutcome::New(claim) => {
                    report.keep();
                    new += 1;
                    // Readers ask between batches, so there may be some more than these.
                    if new >= SEEN_MAX / 2 {
                        report.close();
                    }
                    claim
                }
                EnterOutcome::Known(claim) => claim,
                EnterOutcome::TooOld => return Err(code::TOO_OLD),
            };
            heard.name_payee(book, &claim, &name);
            if let Some(signal) = signal {
                heard.note(signal, claim);
            }
            Ok(())
        };
        let mut told = Vec::new();
        let mut take = |signal: &Signal, report: &mut IngestReport| {
            let read = sources::read(signal, zone, currency);
            let sorted = questions.sort(signal, read, (&setup.key, zone), at)?;
            if let Some(sender) = sorted.waits_for {
                let payments = sorted.payments.into_iter();
                told.extend(payments.map(|payment| (sender.clone(), payment)));
                return Err(code::SENDER);
            }
            for payment in sorted.payments {
                enter(payment, (Some(signal), None), report)?;
            }
            balances.extend(sorted.balance);
            Ok(())
        };
        let sms: &[_] = if files { &sources.sms } else { &[] };
        self.jsonl.read(sms, at, report, &mut |signal, place, report| {
            if let Err(code) = take(signal, report) {
                report.skip(code, place.item, place.line);
            }
        });
        for signal in self
            .inbox
            .take(at, &[SignalKind::BankSms, SignalKind::Transaction], report)
        {
            if let Err(code) = take(&signal, report) {
                report.skip(code, signal.id.as_str(), None);
            }
        }
        if files {
            let currency = usual_currency(&setup.owner);
            let wishes = ((&setup.owner.finance, currency), zone);
            let read = self.statements.read(
                &sources.finance,
                wishes,
                at,
                report,
                &mut |told, reading, report| match told {
                    StatementItem::Payment(found) => enter(found, (None, reading), report).is_ok(),
                    StatementItem::Balance(known) => {
                        balances.push(known);
                        true
                    }
                },
            );
            finished.extend(read);
            let mut mails = Vec::new();
            let mut present = Vec::new();
            for source in &sources.receipts {
                let mut take = |found: agents_base::mail::FoundMail| {
                    let read = sources::receipt::read(&found.mail, found.sent);
                    mails.extend(read.map(|read| (read, found.place)));
                };
                present.extend(self.receipts.read(source, (at, aged), report, &mut take));
            }
            self.receipts.keep(&present);
            for (mail, (file, line)) in mails {
                if let Err(code) = mail.and_then(|found| enter(found, (None, None), report)) {
                    report.skip(code, &file, line);
                }
            }
        }
        for (sender, payment) in told {
            let (id, claim) = book.claim_of(payment);
            *changed |= questions.waiting.add(&sender, id, claim);
        }
        for reading in &finished {
            book.withdraw_replaced(reading);
        }
        for known in balances {
            book.note_balance(known);
        }
    }

    /// Reads a slice of the sources for the names of payees, after a restart. Bytes that are left.
    fn read_payee_names(&mut self, at: Timestamp) -> u64 {
        let Some(reader) = &mut self.unnamed else { return 0 };
        let left = reader.read_more(&self.setup, (&self.book, &mut self.heard), at);
        if left == 0 {
            self.unnamed = None;
        }
        left
    }

    fn state(&self) -> Value {
        // An older version tells memory of all payments again.
        let untold = match self.version {
            FinanceStateVersion::V2 => &[],
            FinanceStateVersion::V3 => &self.untold[..],
        };
        let (waiting, forms) = (self.questions.waiting.rows(), self.questions.forms.rows());
        let around = serde_json::to_string(&(&waiting, &forms, &self.book.forgotten, &self.book.shops))
            .map_or(0, |json| json.len());
        let (txns, cut) = self.book.rows(MAX_STATE_BYTES.saturating_sub(around), untold);
        let state = FinanceAgentState {
            version: self.version,
            txns,
            cut,
            files: self.jsonl.marks(),
            balances: self.book.balances().collect(),
            statements: self.statements.marks(),
            wishes: self.wishes_digest(),
            untold: untold.to_vec(),
            waiting,
            forms,
            senders: self.questions.decisions.rows(),
            allowed: self.allowed.clone(),
            shops: self.book.shops.clone(),
            forgotten: self.book.forgotten.clone(),
            forgotten_balances: self.book.forgotten_balances.clone(),
            withdrawn: self.book.withdrawn.clone(),
        };
        // Rows, marks and ids have no shape that JSON lacks; null would mean "unchanged", which is harmless too.
        state_json::<FinanceAgentState>(&state).unwrap_or(Value::Null)
    }
}

impl Agent for FinanceAgent {
    fn name(&self) -> AgentName {
        AgentName::Finance
    }

    fn restore(&mut self, state: &Value) -> Result<(), AgentStateError> {
        let state = FinanceAgentState::from_json(state)?;
        self.book.shops = state.shops;
        self.book.restore(state.txns, state.balances, state.cut);
        let finance = &self.setup.owner.finance;
        self.questions = MessageQuestions::new(&self.setup.key, &finance.senders);
        self.questions.waiting = WaitingPayments::restore(state.waiting);
        self.questions.forms = LearnedForms::restore(state.forms);
        self.questions.decisions = SenderDecisions::restore(state.senders);
        self.allowed = state.allowed;
        self.book.forgotten = state.forgotten.cut_to_limits();
        self.book.forgotten_balances = state.forgotten_balances;
        self.book.withdrawn = state.withdrawn;
        self.version = state.version;
        self.untold = match state.version {
            FinanceStateVersion::V2 => self.book.reported(),
            FinanceStateVersion::V3 => state.untold,
        };
        if state.wishes == self.wishes_digest() {
            self.statements.restore(state.statements);
        } else {
            self.statements.restore(BTreeMap::new());
        }
        self.view = SpendingView::new(&self.book, &self.setup.owner);
        self.proposed = None;
        self.jsonl.restore(state.files);
        self.unnamed = Some(PayeeReader::new(RECEIPT_DAYS * DAY_MS));
        Ok(())
    }

    fn names(&self) -> ThingNames {
        self.heard.names_in(&self.book)
    }

    fn take_names(&mut self, names: ThingNames) {
        for (thing, name) in names {
            if let ThingId::Merchant(merchant) = thing {
                self.heard.name_of(merchant, &name);
            }
        }
    }

    fn accept(&mut self, signals: Vec<Signal>) {
        self.inbox.accept(signals);
    }

    fn count_ages(&mut self, upto: Option<Timestamp>) {
        self.ages_upto = upto;
    }

    fn ingest(&mut self, args: &IngestArgs, at: Timestamp) -> IngestResult {
        let mut report = IngestReport::default();
        let marks = (self.jsonl.marks(), self.statements.marks());
        let had_untold = !self.untold.is_empty();
        if self.untold.len() >= SEEN_MAX {
            // What is read has to be told before it may go.
            report.close();
        }
        let aged = self.ages_upto.take().map_or(at, |upto| upto.min(at));
        self.read(args.signal_ids.is_empty(), (at, aged), &mut report);
        self.book.prune(aged);
        self.questions.waiting.prune(book::oldest(aged));
        self.questions.unread.prune(at);
        let mut news = self.book.settle();
        let mut facts = Vec::new();
        if news {
            let told = self.book.take_unreported();
            facts = self.facts(&told, at);
            self.untold.extend(told);
        }
        let seen = self.take_seen();
        news |= self.book.keep_newest(&self.untold);
        if news {
            self.heard.prune(&self.book);
            self.view = SpendingView::new(&self.book, &self.setup.owner);
            self.proposed = None;
            if self.book.first_whole_day().is_some() {
                report.note(code::BOOK_FULL, "payments");
            }
        }
        let today = zone::local_date(at, self.setup.owner.zone);
        if self.proposed.as_ref().is_none_or(|(day, _)| *day != today) {
            self.proposed = Some((today, tick::tick(&self.view, &self.allowed, today)));
        }
        let changed =
            news || had_untold || self.changed || marks != (self.jsonl.marks(), self.statements.marks());
        if args.signal_ids.is_empty() && report.has_room() {
            report.leave_more(self.read_payee_names(at));
        }
        let asked_again = args.cursor != self.cursor;
        self.cursor = self.cursor.max(args.cursor).saturating_add(u64::from(changed));
        self.changed = false;
        let state = (changed || asked_again).then(|| self.state());
        report.into_result(self.cursor, (facts, seen), Some(self.book.len()), state)
    }

    fn tick(&self, _args: &TickArgs, at: Timestamp) -> TickResult {
        let today = zone::local_date(at, self.setup.owner.zone);
        match &self.proposed {
            Some((day, result)) if *day == today => result.clone(),
            Some(_) | None => tick::tick(&self.view, &self.allowed, today),
        }
    }

    fn act(&mut self, tool: &Tool, at: Timestamp) -> Result<(Value, Vec<ToolEffect>), ToolErrorCode> {
        let (result, effects) = match tool {
            Tool::Finance(FinanceTool::Categorize(args)) => {
                let categorized = tools::categorize(&mut self.book, args)?;
                self.view = SpendingView::new(&self.book, &self.setup.owner);
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
                self.read_payee_names(at);
                (serde_json::to_value(self.describe(args, at)), Vec::new())
            }
            Tool::Finance(FinanceTool::ListQuestions(_)) => {
                (serde_json::to_value(self.list_questions(at)), Vec::new())
            }
            Tool::Finance(FinanceTool::JudgeSender(args)) => {
                (serde_json::to_value(self.judge_sender(args, at)?), Vec::new())
            }
            Tool::Finance(FinanceTool::AnswerQuestion(args)) => {
                (serde_json::to_value(self.answer_question(args, at)?), Vec::new())
            }
            Tool::Finance(FinanceTool::AllowSpending(args)) => {
                (serde_json::to_value(self.allow_spending(args)?), Vec::new())
            }
            Tool::Finance(FinanceTool::ListAllowedSpending(_)) => {
                (serde_json::to_value(self.list_allowed_spending()), Vec::new())
            }
            Tool::Finance(FinanceTool::SortShop(args)) => {
                (serde_json::to_value(self.sort_shop(args)?), Vec::new())
            }
            Tool::Finance(FinanceTool::Ingest(_) | FinanceTool::Tick(_))
            | Tool::Comms(_)
            | Tool::Calendar(_)
            | Tool::Wellness(_)
            | Tool::Orchestrator(_) => return Err(ToolErrorCode::Unavailable),
        };
        Ok((result.map_err(|_| ToolErrorCode::Unavailable)?, effects))
    }

    fn state_after_act(&mut self, _at: Timestamp) -> Option<Value> {
        std::mem::take(&mut self.changed).then(|| self.state())
    }
}
