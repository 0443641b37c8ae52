//! What Finance asks its owner: whose word counts, and what a message means that could not be read.
//!
//! What: [`MessageQuestions`], what each message is by its sender and by the forms that were taught, and the tools of the page Money. Why: nothing of
//! an unknown sender counts before the owner says so, and a wording that nobody foresaw is taught once. Not here: reading (`messages`, `sources`),
//! what is kept of an answer (`forms`), the texts (`unread`).

use super::{
    FinanceAgent, book, code,
    forms::{LearnedForms, SenderDecisions},
    messages::{
        self, SenderKind,
        forms::{MarkableMessage, PaymentMarks},
    },
    sources::{self, FoundPayment, KnownBalance, SourcedPayment, UnreadSource},
    unread::{UnreadMessage, UnreadMessages},
    waiting::{self, WaitingPayments},
};
use agents_base::shared::{SkipCode, described};
use chrono_tz::Tz;
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};
use toolcall_schema::{
    Timestamp,
    catalogue::{
        money_questions::{
            AnswerQuestion, AnsweredQuestion, DescribedMoney, JudgeSender, JudgedSender, MessageWord,
            MessageWords, MoneyQuestions, PaymentSenderRow, SenderAcceptance, UnreadRow,
        },
        shared::{DescribeArgs, DisplayLabel, ThingId},
    },
    ids::{ChannelHash, SecretKey, TxnId},
    result::ToolErrorCode,
    signal::Signal,
};

/// Senders of one answer (its schema).
const SENDERS_MAX: usize = 32;
/// Currencies of one sender (its schema).
const CURRENCIES_MAX: usize = 4;
/// Senders' names that are in memory.
const NAMES_MAX: usize = 256;

/// Whose word counts, how messages are read, and which could not be. Not `Debug`: it holds text.
pub(super) struct MessageQuestions {
    /// What senders told who are not accepted.
    pub(super) waiting: WaitingPayments,
    pub(super) decisions: SenderDecisions,
    pub(super) forms: LearnedForms,
    pub(super) unread: UnreadMessages,
    /// Senders' names by their hashes, in memory only.
    names: BTreeMap<String, String>,
    /// Senders that the settings name.
    by_settings: Vec<String>,
    /// Headers of the known banks: they count by themselves.
    by_table: BTreeSet<String>,
}

/// What a signal told.
pub(super) struct SortedPayments {
    /// Its sender, when that one is not accepted.
    pub(super) waits_for: Option<String>,
    pub(super) payments: Vec<FoundPayment>,
    pub(super) balance: Option<KnownBalance>,
}

impl MessageQuestions {
    /// Nothing is known but `senders`, whom the settings name.
    pub(super) fn new(key: &SecretKey, senders: &[String]) -> Self {
        let hash = |sender: &str| waiting::sender_hash(key, &messages::identity(sender));
        Self {
            waiting: WaitingPayments::default(),
            decisions: SenderDecisions::default(),
            forms: LearnedForms::default(),
            unread: UnreadMessages::default(),
            names: BTreeMap::new(),
            by_settings: senders.iter().map(|sender| hash(sender)).collect(),
            by_table: messages::known_headers().map(hash).collect(),
        }
    }

    /// Everybody whose waiting payments are to be entered.
    pub(super) fn accepted(&self) -> Vec<String> {
        let decided = self.decisions.senders().filter(|(_, counts)| *counts);
        let decided = decided.map(|(sender, _)| sender.to_owned());
        self.by_settings.iter().cloned().chain(decided).collect()
    }

    /// Whether what a sender tells counts.
    fn standing(&self, sender: &str) -> SenderAcceptance {
        match self.decisions.of(sender) {
            Some(true) => SenderAcceptance::Counts,
            Some(false) => SenderAcceptance::NotABank,
            None if self.is_known(sender) => SenderAcceptance::Counts,
            None => SenderAcceptance::Undecided,
        }
    }

    /// Whether it counts without a decision.
    fn is_known(&self, sender: &str) -> bool {
        self.by_table.contains(sender) || self.by_settings.iter().any(|known| known == sender)
    }

    fn name(&mut self, sender: &str, name: String) {
        while self.names.len() >= NAMES_MAX && !self.names.contains_key(sender) {
            self.names.pop_first();
        }
        self.names.insert(sender.to_owned(), name);
    }

    /// Says of a signal what counts, what waits and what is a question. `at`: now.
    ///
    /// # Errors
    /// The code of the skip.
    pub(super) fn sort(
        &mut self,
        signal: &Signal,
        read: Result<SourcedPayment, UnreadSource>,
        (key, zone): (&SecretKey, Tz),
        at: Timestamp,
    ) -> Result<SortedPayments, SkipCode> {
        match read {
            Ok(found) => self.sort_read(found, key),
            Err(unread) => self.sort_unread(signal, &unread, (key, zone), at),
        }
    }

    fn sort_read(&mut self, found: SourcedPayment, key: &SecretKey) -> Result<SortedPayments, SkipCode> {
        let mut sorted = SortedPayments {
            waits_for: None,
            payments: vec![found.payment],
            balance: found.balance,
        };
        if let Some(name) = found.sender {
            let sender = waiting::sender_hash(key, &name);
            match self.standing(&sender) {
                SenderAcceptance::Counts => {}
                SenderAcceptance::NotABank => return Err(code::SENDER),
                SenderAcceptance::Undecided => {
                    self.name(&sender, name);
                    sorted.waits_for = Some(sender);
                }
            }
        }
        Ok(sorted)
    }

    fn sort_unread(
        &mut self,
        signal: &Signal,
        unread: &UnreadSource,
        (key, zone): (&SecretKey, Tz),
        at: Timestamp,
    ) -> Result<SortedPayments, SkipCode> {
        let Some((read, sms)) = unread.message.as_deref() else {
            return Err(unread.code);
        };
        if read.amounts.is_empty() {
            return Err(unread.code);
        }
        let name = messages::identity(&sms.from);
        let sender = waiting::sender_hash(key, &name);
        let standing = self.standing(&sender);
        if standing == SenderAcceptance::NotABank {
            return Err(unread.code);
        }
        let counts = read.sender == SenderKind::Bank || standing == SenderAcceptance::Counts;
        let is_question = unread.is_question(read, counts);
        if !is_question && self.forms.of(&sender).next().is_none() {
            return Err(unread.code);
        }
        let text = MarkableMessage::new(&sms.body, read);
        let known = self.forms.of(&sender).find_map(|form| text.find(key, form));
        let held = UnreadMessage {
            sender,
            at: signal.at,
            held_since: at,
            text,
            read: read.clone(),
            counts,
        };
        if let Some(marks) = known {
            let payments = held.payments(&marks, zone);
            if payments.is_empty() {
                return Err(code::NOT_A_PAYMENT);
            }
            if !counts {
                self.name(&held.sender, name);
            }
            return Ok(SortedPayments {
                balance: payments
                    .first()
                    .filter(|_| counts)
                    .and_then(|payment| sources::balance(read, payment, signal.at)),
                payments,
                waits_for: (!counts).then_some(held.sender),
            });
        }
        if is_question && held.text.is_askable() && signal.at >= book::oldest(at) {
            self.name(&held.sender, name);
            let id = key.item(&format!("bank message|{}", signal.id));
            self.unread.hold(id, held);
        }
        Err(unread.code)
    }

    /// Carries out `finance.list_questions`.
    fn list(&self) -> MoneyQuestions {
        let forms = self.forms.senders();
        let waiting = self.waiting.senders();
        let decided = self.decisions.senders().map(|(sender, _)| sender);
        let all: BTreeSet<&str> = forms
            .keys()
            .copied()
            .chain(waiting.keys().copied())
            .chain(decided)
            .collect();
        let mut senders: Vec<PaymentSenderRow> = all
            .into_iter()
            .filter_map(|sender| {
                let claims = waiting.get(sender).map(Vec::as_slice).unwrap_or_default();
                let currencies: BTreeSet<&String> = claims.iter().map(|claim| &claim.currency).collect();
                Some(PaymentSenderRow {
                    channel_hash: channel(sender)?,
                    standing: self.standing(sender),
                    waiting: count(claims.len()),
                    currencies: currencies.into_iter().take(CURRENCIES_MAX).cloned().collect(),
                    newest: claims.iter().map(|claim| claim.ts).max(),
                    forms: forms.get(sender).copied().unwrap_or(0),
                })
            })
            .collect();
        senders.sort_by_key(|row| {
            let asks = row.standing == SenderAcceptance::Undecided && row.waiting > 0;
            (Reverse(asks), Reverse(row.newest), row.channel_hash.clone())
        });
        senders.truncate(SENDERS_MAX);
        let messages = self.unread.newest_first().into_iter().filter_map(|(id, held)| {
            Some(UnreadRow {
                item_id: id.clone(),
                channel_hash: channel(&held.sender)?,
                at: held.at,
            })
        });
        MoneyQuestions {
            senders,
            messages: messages.collect(),
        }
    }

    /// Carries out `finance.judge_sender`.
    ///
    /// # Errors
    /// `not_found` for a sender of whom nothing is known, or whose word counts by itself.
    fn judge(&mut self, args: &JudgeSender, at: Timestamp) -> Result<JudgedSender, ToolErrorCode> {
        let sender = tail(&args.channel_hash);
        let waits = self.waiting.senders().get(sender).map_or(0, Vec::len);
        let is_there = waits > 0
            || self.decisions.of(sender).is_some()
            || self.forms.of(sender).next().is_some()
            || self.unread.of(sender).next().is_some();
        let counts = match args.standing {
            SenderAcceptance::Counts => Some(true),
            SenderAcceptance::NotABank => Some(false),
            SenderAcceptance::Undecided => None,
        };
        if !is_there || (self.is_known(sender) && counts.is_some()) {
            return Err(ToolErrorCode::NotFound);
        }
        match counts {
            Some(true) => self.unread.count_sender(sender),
            Some(false) => self.unread.drop_sender(sender),
            None => {
                self.forms.unlearn(sender);
            }
        }
        self.decisions.decide(sender, counts, at);
        Ok(JudgedSender {
            channel_hash: args.channel_hash.clone(),
            standing: self.standing(sender),
            entered: if counts == Some(true) { count(waits) } else { 0 },
        })
    }
}

impl UnreadMessage {
    /// The payments at some marks.
    fn payments(&self, marks: &[PaymentMarks], zone: Tz) -> Vec<FoundPayment> {
        let readings = marks.iter().filter_map(|mark| self.text.reading(mark));
        readings
            .map(|marked| sources::marked_payment(&self.read, &marked, self.at, zone))
            .collect()
    }
}

impl FinanceAgent {
    /// Carries out `finance.list_questions`.
    pub(super) fn list_questions(&mut self, at: Timestamp) -> MoneyQuestions {
        self.questions.unread.prune(at);
        self.questions.list()
    }

    /// Carries out `finance.judge_sender`.
    ///
    /// # Errors
    /// `not_found` for a sender of whom nothing is known, or whose word counts by itself.
    pub(super) fn judge_sender(
        &mut self,
        args: &JudgeSender,
        at: Timestamp,
    ) -> Result<JudgedSender, ToolErrorCode> {
        let judged = self.questions.judge(args, at)?;
        self.changed = true;
        Ok(judged)
    }

    /// Carries out `finance.answer_question`. What the owner says was paid counts at the next look, whoever sent the message.
    ///
    /// # Errors
    /// `text_unknown` when the message is not held any more, `not_found` when no payment stands at the marks.
    pub(super) fn answer_question(
        &mut self,
        args: &AnswerQuestion,
        at: Timestamp,
    ) -> Result<AnsweredQuestion, ToolErrorCode> {
        let (key, zone) = (&self.setup.key, self.setup.owner.zone);
        let questions = &mut self.questions;
        questions.unread.prune(at);
        let held = questions
            .unread
            .get(&args.item_id)
            .ok_or(ToolErrorCode::TextUnknown)?;
        let marks: Vec<PaymentMarks> = args
            .payments
            .iter()
            .map(|marked| held.text.marks(marked.direction, marked.amount, marked.payee))
            .collect::<Option<_>>()
            .ok_or(ToolErrorCode::NotFound)?;
        let payments = held.payments(&marks, zone);
        let form = held.text.learn(key, &marks);
        let sender = held.sender.clone();
        questions.unread.take(&args.item_id);
        let learned = form.is_some();
        let mut others = Vec::new();
        if let Some(form) = form {
            let same = questions.unread.of(&sender);
            let same: Vec<_> = same
                .filter_map(|(id, held)| Some((id.clone(), held.text.find(key, &form)?)))
                .collect();
            for (id, marks) in same {
                others.extend(questions.unread.take(&id).map(|held| (held, marks)));
            }
            questions.forms.teach(&sender, at, form);
        }
        let also = count(others.len());
        let mut txn_ids: Vec<TxnId> = Vec::new();
        for payment in payments {
            txn_ids.extend(self.enter_marked(payment, at));
        }
        for (held, marks) in others {
            for payment in held.payments(&marks, zone) {
                if held.counts {
                    self.enter_marked(payment, at);
                } else {
                    let (id, claim) = self.book.claim_of(payment);
                    self.questions.waiting.add(&held.sender, id, claim);
                }
            }
        }
        self.changed = true;
        Ok(AnsweredQuestion {
            txn_ids,
            learned,
            also,
        })
    }

    /// Enters a payment that its owner marked, and remembers what its payee is called.
    fn enter_marked(&mut self, payment: FoundPayment, at: Timestamp) -> Option<TxnId> {
        let name = payment.merchant.clone();
        let claim = match self.book.enter(payment, at) {
            book::EnterOutcome::New(claim) | book::EnterOutcome::Known(claim) => claim,
            book::EnterOutcome::TooOld => return None,
        };
        self.heard.name_payee(&self.book, &claim, &name);
        Some(claim)
    }

    /// Carries out `finance.describe`.
    pub(super) fn describe(&mut self, args: &DescribeArgs, at: Timestamp) -> DescribedMoney {
        self.questions.unread.prune(at);
        let questions = &self.questions;
        let words = |id: &ThingId| match id {
            ThingId::Item(item) => {
                let held = questions.unread.get(item)?;
                let words = held.text.words().filter_map(|word| {
                    Some(MessageWord {
                        // Each word has its place, also one that cannot be shown.
                        text: DisplayLabel::sanitize(word.text).or_else(|| DisplayLabel::sanitize("?"))?,
                        amount: word.amount,
                    })
                });
                Some(MessageWords {
                    item_id: item.clone(),
                    words: words.collect(),
                })
            }
            ThingId::Channel(_)
            | ThingId::Event(_)
            | ThingId::Txn(_)
            | ThingId::Merchant(_)
            | ThingId::Person(_) => None,
        };
        let ids: BTreeSet<&ThingId> = args.ids.iter().collect();
        let texts: Vec<MessageWords> = ids.into_iter().filter_map(words).collect();
        let (book, heard) = (&self.book, &self.heard);
        let named = described(&args.ids, |id| match id {
            ThingId::Txn(txn) => heard.name(&book.get(txn)?.merchant),
            ThingId::Merchant(merchant) => heard.name(merchant),
            ThingId::Channel(sender) => questions.names.get(tail(sender)).map(String::as_str),
            ThingId::Item(_) | ThingId::Event(_) | ThingId::Person(_) => None,
        });
        let is_text = |id: &ThingId| match id {
            ThingId::Item(item) => texts.iter().any(|text| text.item_id == *item),
            ThingId::Channel(_)
            | ThingId::Event(_)
            | ThingId::Txn(_)
            | ThingId::Merchant(_)
            | ThingId::Person(_) => false,
        };
        DescribedMoney {
            labels: named.labels,
            unknown: named.unknown.into_iter().filter(|id| !is_text(id)).collect(),
            texts,
        }
    }
}

/// A sender's hash as an id.
fn channel(sender: &str) -> Option<ChannelHash> {
    ChannelHash::parse(&format!("ch_{sender}")).ok()
}

/// An id as a sender's hash.
fn tail(channel: &ChannelHash) -> &str {
    channel.as_str().trim_start_matches("ch_")
}

fn count(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}
