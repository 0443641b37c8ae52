//! Messages of banks: what they tell, whoever sent them and in whatever words.
//!
//! What: [`read_message`], a message to what it tells ([`MessageReading`]): amounts, accounts, day, payee, reference and channel, each
//! found by itself with its place in the text, and whether all of it is a payment. Why: no wording of a sentence is known here,
//! so a new one is read as well as an old one. Not here: what becomes of a payment (`sources`, `book`), statements.

#[cfg(test)]
mod abroad;
mod accounts;
mod between_signs;
mod boilerplate;
mod dates;
pub(crate) mod forms;
#[cfg(test)]
mod kinds;
mod money;
mod name_letters;
mod narration;
mod no_names;
mod payee;
mod phrases;
mod reference;
mod score;
mod sender;
mod several_sums;
mod shop_town;
mod tense;
#[cfg(test)]
mod tests;
mod text;
#[cfg(test)]
mod titles;
mod word_lists;
mod words;

pub use accounts::{AccountSlot, AccountSlotKind};
pub use money::AmountSlot;
pub use payee::PayeeSlot;
pub use reference::{MessageChannel, ReferenceSlot};
pub use sender::SenderKind;
pub(super) use sender::{identity, known_headers};
pub use text::TextSpan;
pub use words::AmountRole;

use super::{claim::believable, sources::amount};
use accounts::FoundAccount;
use chrono::{Days, NaiveDate, NaiveTime};
use dates::{DateOrder, TokenRange};
use payee::FoundPlaces;
use rust_decimal::Decimal;
use score::FoundSlots;
use text::{MessageText, TokenKind};
use toolcall_schema::signal::Direction;

/// The longest message that is looked at, in bytes: ten concatenated SMS.
const MAX_BODY: usize = 1600;
/// Points from which a message is a payment.
const PAYMENT: i32 = 60;
/// Points from which one with money in it is worth a question.
const QUESTION: i32 = 40;

/// What is known about the owner besides the message.
#[derive(Debug, Clone, Copy)]
pub struct MessageContext<'a> {
    /// The local day on which the message came.
    pub received: NaiveDate,
    /// The currency of the owner's accounts, ISO 4217: what `Rs` and `$` mean, and in which order a date is written.
    pub currency: &'a str,
}

/// What a message comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageVerdict {
    /// It tells of one payment, with its amount and direction.
    Payment,
    /// There is money in it, and it cannot be read for sure.
    Question,
    /// It tells of no payment.
    Nothing,
}

/// What was read in a message. Holds text: nothing of it may be kept or shown but what a schema names.
#[derive(Clone, PartialEq, Eq)]
pub struct MessageReading {
    pub verdict: MessageVerdict,
    /// What speaks for a payment, less what speaks against it.
    pub score: i32,
    pub sender: SenderKind,
    /// In their order.
    pub amounts: Vec<AmountSlot>,
    /// Which of the amounts was paid or received.
    pub main: Option<usize>,
    pub direction: Option<Direction>,
    pub own_account: Option<AccountSlot>,
    pub other_account: Option<AccountSlot>,
    pub payee: Option<PayeeSlot>,
    /// The day that the message names, at most one day after it came.
    pub date: Option<NaiveDate>,
    /// A date is named, and it is no day or has not come yet.
    pub wrong_date: bool,
    pub time: Option<NaiveTime>,
    pub reference: Option<ReferenceSlot>,
    pub channel: Option<MessageChannel>,
    /// Whether an amount in a currency stands in it, and nothing says that none was paid.
    pub speaks_of_money: bool,
}

impl MessageReading {
    /// The amount that was paid or received.
    pub fn amount(&self) -> Option<&AmountSlot> {
        self.amounts.get(self.main?)
    }

    /// What the account holds after it, with its currency.
    pub fn balance(&self) -> Option<(Decimal, &str)> {
        let slot = self
            .amounts
            .iter()
            .find(|slot| slot.role == AmountRole::Balance)?;
        Some((slot.value?, &slot.currency))
    }

    fn nothing(sender: SenderKind) -> Self {
        Self {
            verdict: MessageVerdict::Nothing,
            score: 0,
            sender,
            amounts: Vec::new(),
            main: None,
            direction: None,
            own_account: None,
            other_account: None,
            payee: None,
            date: None,
            wrong_date: false,
            time: None,
            reference: None,
            channel: None,
            speaks_of_money: false,
        }
    }
}

/// A message in the letters in which the places of its slots count.
pub fn normalized(body: &str) -> String {
    text::normalized(body)
}

/// Reads one message. Pure, and linear in its length.
pub fn read_message(from: &str, body: &str, context: &MessageContext<'_>) -> MessageReading {
    let sender = sender::SenderKind::of(from);
    if body.len() > MAX_BODY || sender == SenderKind::Advertisement {
        return MessageReading::nothing(sender);
    }
    let mut text = MessageText::new(body);
    boilerplate::cut_boilerplate(&mut text);
    if !sender::agrees(from, text.lower()) {
        return MessageReading::nothing(sender);
    }
    let found_dates = dates::find_dates(&text);
    let mut taken: Vec<TokenRange> = found_dates.iter().map(|(range, _)| *range).collect();
    let found_times = dates::find_times(&text, &taken);
    taken.extend(found_times.iter().map(|(range, _)| *range));
    let accounts = accounts::find_accounts(&text, &taken);
    let mut no_amount = taken.clone();
    no_amount.extend(accounts.iter().map(|account| account.range));
    let found_amounts = money::find_amounts(&text, &no_amount);
    let home = if sender.is_indian() {
        "INR"
    } else {
        context.currency
    };
    let usual = found_amounts
        .iter()
        .find_map(|amount| amount.hint)
        .map_or_else(|| home.to_owned(), |hint| hint.resolved(home));
    let comma = amount::has_decimal_comma(&usual, found_amounts.iter().map(|amount| amount.digits.as_str()));
    let cut_off = is_cut_off(body, comma);
    let amounts: Vec<AmountSlot> = found_amounts
        .iter()
        .map(|found| {
            let currency = found
                .hint
                .map_or_else(|| usual.clone(), |hint| hint.resolved(home));
            let whole = !(cut_off && found.range.to == text.len());
            AmountSlot {
                value: amount::in_message_of(&found.digits, &currency, comma)
                    .filter(|_| whole)
                    .map(|value| value.normalize()),
                currency,
                role: found.role,
                place: text.span(found.range.from, found.range.to),
            }
        })
        .collect();
    let readable: Vec<bool> = amounts
        .iter()
        .map(|slot| slot.value.and_then(believable).is_some())
        .collect();
    let slots = FoundSlots {
        text: &text,
        amounts: &found_amounts,
        readable: &readable,
        accounts: &accounts,
        home,
        taken: &taken,
    };
    let mut reading = MessageReading::nothing(sender);
    let Some(mut event) = score::judge(&slots) else {
        reading.amounts = amounts;
        return reading;
    };
    let main_at = found_amounts
        .get(event.main)
        .map_or(0, |amount| amount.range.from);
    let order = DateOrder::of_currency(&usual);
    let latest = context
        .received
        .checked_add_days(Days::new(1))
        .unwrap_or(context.received);
    let told: Vec<_> = found_dates
        .iter()
        .filter(|(range, _)| !text.is_cut(range.from))
        .collect();
    // "Charges for the quarter ended 31/03 on 01/04".
    let ends_period = |range: &TokenRange| {
        let before = range.from.checked_sub(1).map_or("", |at| text.low(at));
        matches!(before, "ended" | "ending" | "upto" | "till" | "until")
    };
    let has_own = told.iter().any(|(range, _)| !ends_period(range));
    let days: Vec<Option<NaiveDate>> = told
        .iter()
        .filter(|(range, _)| !has_own || !ends_period(range))
        .map(|(_, parts)| parts.resolved(order, latest))
        .collect();
    reading.date = days.iter().flatten().next().copied();
    reading.wrong_date = reading.date.is_none() && !days.is_empty();
    reading.time = found_times
        .iter()
        .find(|(range, _)| !text.is_cut(range.from))
        .map(|(_, time)| *time);
    taken.extend(found_amounts.iter().map(|amount| amount.range));
    let places = FoundPlaces {
        taken: &taken,
        accounts: &accounts,
    };
    let way = event.way.unwrap_or(Direction::Debit);
    let payee = payee::find_payee(&text, &places, way, main_at, from);
    let titled = between_signs::title_over_sum(&text, &places, main_at, from).is_some();
    event.strong |= titled;
    reading.reference = reference::find_reference(&text, &places);
    let own = own_account(&text, &accounts, way);
    let card = own.is_some_and(|own| own.slot.kind == AccountSlotKind::Card);
    reading.channel = reference::find_channel(&text, card);
    let name = payee.as_ref().map(|payee| tokens_of(&text, payee.place));
    let named = payee.is_some();
    reading.payee = payee;
    let parts = event.points + score::extras(&reading, context.received) + score::title(titled);
    let refusals = score::refusals(&text, &event, main_at, name);
    reading.score = parts + refusals + sender.points();
    let in_currency = found_amounts
        .get(event.main)
        .is_some_and(|amount| amount.hint.is_some());
    reading.speaks_of_money = in_currency && refusals == 0 && parts >= 0;
    reading.main = Some(event.main);
    reading.direction = event
        .way
        .or(titled.then_some(Direction::Debit))
        .map(|way| refined(&text, way, amounts.get(event.main), named));
    reading.own_account = own.map(|own| own.slot.clone());
    reading.other_account = accounts
        .iter()
        .find(|other| own.is_some_and(|own| own.range != other.range && own.slot.digits != other.slot.digits))
        .map(|other| other.slot.clone());
    let sure =
        reading.score >= PAYMENT && readable.get(event.main) == Some(&true) && reading.direction.is_some();
    reading.verdict = if sure && !event.second {
        MessageVerdict::Payment
    } else if reading.score
        >= if sender == SenderKind::Phone {
            PAYMENT
        } else {
            QUESTION
        }
    {
        MessageVerdict::Question
    } else {
        MessageVerdict::Nothing
    };
    reading.amounts = amounts;
    reading
}

/// Whether a message fills its SMS to the last letter and ends in a digit: then digits may be missing, unless these are cents.
fn is_cut_off(body: &str, comma: bool) -> bool {
    let full = matches!(body.chars().count(), 160 | 70);
    let cents = body
        .rsplit_once(if comma { ',' } else { '.' })
        .is_some_and(|(_, behind)| behind.len() == 2);
    full && body.ends_with(|c: char| c.is_ascii_digit()) && !cents
}

/// The tokens of a place.
fn tokens_of(text: &MessageText, place: TextSpan) -> TokenRange {
    let from = text
        .tokens
        .iter()
        .position(|token| token.span.start >= place.start)
        .unwrap_or(0);
    let to = text
        .tokens
        .iter()
        .position(|token| token.span.start >= place.end)
        .unwrap_or(text.len());
    TokenRange { from, to }
}

/// The owner's account: of a debit the first that nothing was paid to, of a credit the first that nothing came from.
fn own_account<'a>(
    text: &MessageText,
    accounts: &'a [FoundAccount],
    way: Direction,
) -> Option<&'a FoundAccount> {
    let credit = match way {
        Direction::Credit | Direction::Refund => true,
        Direction::Debit | Direction::Fee => false,
    };
    let other = |account: &&FoundAccount| {
        let sentence = text.sentence(account.range.from);
        let mut led = None;
        for back in 1..=6 {
            let Some(at) = account
                .range
                .from
                .checked_sub(back)
                .filter(|at| text.sentence(*at) == sentence)
            else {
                break;
            };
            if accounts.iter().any(|other| other.range.has(at)) {
                break;
            }
            match text.low(at) {
                "your" | "ur" | "my" | "aapke" | "ihrem" | "ihr" => return false,
                word @ ("to" | "from" | "by" | "towards" | "beneficiary") => {
                    led = Some(word.to_owned());
                    break;
                }
                "in" | "on" | "using" | "via" => break,
                _ => {}
            }
        }
        let debited_to = led.as_deref() == Some("to")
            && (2..=8)
                .filter_map(|back| account.range.from.checked_sub(back))
                .any(|at| text.low(at) == "debited" && text.low(at + 1) == "to");
        let credited = text.low(account.range.to) == "credited" && !credit;
        match led.as_deref() {
            Some("to" | "towards" | "beneficiary") => !credit && !debited_to,
            Some("from" | "by") => credit,
            _ => credited,
        }
    };
    // A number in parentheses or behind a comma, directly behind a name, is that person's.
    let of_name = |account: &&FoundAccount| {
        let before = account.range.from.checked_sub(2);
        before.is_some_and(|before| {
            let bare = matches!(text.kind(before + 2), TokenKind::Mixed | TokenKind::Number);
            (text.is_sign(before + 1, &['(']) || (bare && text.is_sign(before + 1, &[','])))
                && text.raw(before).starts_with(char::is_uppercase)
                && !words::is_own_filler(text.low(before))
        })
    };
    // "Paid to NAME acc..1234", "from NAME acc..1234": theirs.
    let of_payee = |account: &&FoundAccount| {
        let before = account.range.from.checked_sub(1);
        other(account)
            && !matches!(text.low(account.range.from), "from" | "von" | "to")
            && before.is_some_and(|before| {
                let word = text.low(before);
                text.kind(before) == TokenKind::Word
                    && text.raw(before).starts_with(char::is_uppercase)
                    && !words::is_own_filler(word)
                    && !words::is_bank_word(word)
                    && !words::is_account_word(word)
                    && !words::is_card_word(word)
            })
    };
    // "Paid to NAME for account 4412009": the number of what was paid for.
    let of_bill = |account: &&FoundAccount| {
        let range = account.range;
        let shown = matches!(text.kind(range.to - 1), TokenKind::Number | TokenKind::Mixed)
            && range.to - range.from == 2;
        let whole = text.low(range.to - 1).len() > 6;
        !credit && shown && whole && range.from.checked_sub(1).is_some_and(|at| text.low(at) == "for")
    };
    // "From: 5521", "To: 8830": the word says whose it is.
    let of_other = |account: &&FoundAccount| match text.low(account.range.from) {
        "to" => !credit,
        "from" | "von" => credit,
        _ => false,
    };
    // "via PayNow-Mobile xxxx8812".
    let of_phone = |account: &&FoundAccount| {
        let before = account.range.from.checked_sub(1);
        before.is_some_and(|at| matches!(text.low(at), "mobile" | "phone"))
    };
    let theirs = |account: &&FoundAccount| {
        account.is_phone
            || of_phone(account)
            || of_name(account)
            || of_payee(account)
            || of_bill(account)
            || of_other(account)
    };
    let mut own = accounts.iter().filter(|account| !theirs(account));
    own.clone().find(|account| !other(account)).or(own.next())
}

/// A credit that speaks of a refund is one; a small debit that speaks of a fee and names nobody is one.
fn refined(text: &MessageText, way: Direction, amount: Option<&AmountSlot>, named: bool) -> Direction {
    let has = |words: &[&str]| (0..text.len()).any(|at| !text.is_cut(at) && words.contains(&text.low(at)));
    let small = amount
        .and_then(|slot| slot.value)
        .is_some_and(|value| value < Decimal::ONE_HUNDRED);
    match way {
        Direction::Credit
            if has(&[
                "refund",
                "refunded",
                "reversed",
                "reversal",
                "rückerstattung",
                "erstattung",
            ]) =>
        {
            Direction::Refund
        }
        Direction::Debit
            if small
                && !named
                && has(&[
                    "fee",
                    "fees",
                    "charge",
                    "charges",
                    "chrg",
                    "chrgs",
                    "chg",
                    "chgs",
                    "gebühr",
                    "gebühren",
                    "entgelt",
                ]) =>
        {
            Direction::Fee
        }
        Direction::Debit | Direction::Credit | Direction::Refund | Direction::Fee => way,
    }
}
