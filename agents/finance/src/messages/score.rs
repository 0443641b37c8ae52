//! Payment or not, which way, and which amount.
//!
//! What: [`judge`], a sum of whole numbers over what was found: each weight stands in a table here. Why: no single word decides, and a
//! sum of whole numbers is the same everywhere. Not here: finding (`money`, `accounts`, `dates`), the words (`words`).

use super::{
    accounts::FoundAccount,
    dates::TokenRange,
    money::FoundAmount,
    phrases::{DONE, REFUSALS},
    several_sums::{in_own_currency, is_aside, is_joined, is_of_bank},
    tense::{is_cheque_returned, is_processed, is_told_done, not_past},
    text::{MessageText, TokenKind},
    words::{AmountRole, VerbStrength, is_account_word, is_card_word, is_giving, is_own_filler, role, verb},
};
use chrono::NaiveDate;
use toolcall_schema::signal::Direction;

/// What speaks for a payment, in points.
mod points {
    /// A verb that says that money went, in the sentence of the amount; in another.
    pub(super) const STRONG_VERB: i32 = 40;
    pub(super) const STRONG_VERB_APART: i32 = 22;
    /// A noun or a word that offers use as well.
    pub(super) const WEAK_VERB: i32 = 22;
    pub(super) const WEAK_VERB_APART: i32 = 10;
    /// A card, an amount and somebody: what else?
    pub(super) const CARD_ALONE: i32 = 22;
    /// Nothing says that money went.
    pub(super) const NO_VERB: i32 = -25;
    /// Words that say it is over.
    pub(super) const DONE: i32 = 6;
    pub(super) const CURRENCY: i32 = 15;
    pub(super) const ACCOUNT: i32 = 20;
    pub(super) const ACCOUNT_WORD: i32 = 10;
    pub(super) const DATE: i32 = 10;
    pub(super) const TIME: i32 = 4;
    pub(super) const REFERENCE: i32 = 12;
    pub(super) const BALANCE: i32 = 10;
    pub(super) const CHANNEL: i32 = 5;
    pub(super) const PAYEE: i32 = 8;
    /// A card's notification with a shop as its title over the sum.
    pub(super) const TITLE: i32 = 65;
    /// A verb of what may come, or did not.
    pub(super) const NO_PAST: i32 = -40;
    /// The sentence of the amount asks.
    pub(super) const QUESTION: i32 = -40;
    /// The day has not come yet.
    pub(super) const AHEAD: i32 = -15;
    /// A debit that was taken back.
    pub(super) const TAKEN_BACK: i32 = -110;
    /// The sentence of the amount invites: what it says of money has not happened.
    pub(super) const INVITES: i32 = -110;
}

/// What was found, to be judged.
pub(super) struct FoundSlots<'a> {
    pub(super) text: &'a MessageText,
    pub(super) amounts: &'a [FoundAmount],
    /// Of each amount, whether its digits have a reading.
    pub(super) readable: &'a [bool],
    pub(super) accounts: &'a [FoundAccount],
    /// The currency of the owner's account.
    pub(super) home: &'a str,
    /// Places where no verb can be.
    pub(super) taken: &'a [TokenRange],
}

/// A verb of a message.
#[derive(Debug, Clone, Copy)]
pub(super) struct VerbHit {
    pub(super) at: usize,
    pub(super) way: Direction,
    pub(super) strength: VerbStrength,
    /// It says what may come, or what did not.
    not_past: bool,
}

/// What a message's amounts and verbs come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MoneyEvent {
    /// The amount, by its number.
    pub(super) main: usize,
    pub(super) way: Option<Direction>,
    pub(super) points: i32,
    /// Whether a second payment stands in it.
    pub(super) second: bool,
    /// Whether the sentence of the amount says strongly that money went.
    pub(super) strong: bool,
}

/// Numbers of sentences in which a new line ends none.
pub(super) fn blocks(text: &MessageText) -> Vec<usize> {
    let mut out = Vec::with_capacity(text.len());
    let mut block = 0;
    for at in 0..text.len() {
        let before = at.checked_sub(1);
        let ended = before.is_some_and(|before| {
            text.sentence(before) != text.sentence(at) && text.kind(before) != TokenKind::Line
        });
        block += usize::from(ended);
        out.push(block);
    }
    out
}

/// The main amount, its direction, and what speaks for a payment. `None` without an amount that can be one.
pub(super) fn judge(found: &FoundSlots<'_>) -> Option<MoneyEvent> {
    let text = found.text;
    let blocks = blocks(text);
    let block = |at: usize| blocks.get(at).copied().unwrap_or(usize::MAX);
    let verbs = verbs(found);
    let rank = |i: usize, amount: &FoundAmount| {
        let here = block(amount.range.from);
        let past = |hit: &&VerbHit| block(hit.at) == here && !hit.not_past;
        let strong = verbs
            .iter()
            .filter(past)
            .any(|hit| hit.strength == VerbStrength::Strong);
        let any = verbs.iter().any(|hit| past(&hit));
        let aside = i32::from(is_aside(text, amount.range.from)) * 7;
        i32::from(amount.hint.is_some()) * 3 - aside
            + i32::from(strong) * 4
            + i32::from(any) * 2
            + i32::from(found.readable.get(i) == Some(&true))
    };
    let of_role = |wanted: AmountRole| {
        found
            .amounts
            .iter()
            .enumerate()
            .filter(|(_, amount)| amount.role == wanted)
            .max_by_key(|(i, amount)| (rank(*i, amount), std::cmp::Reverse(*i)))
    };
    let told = |amount: &&(usize, &FoundAmount)| {
        let sentence = text.sentence(amount.1.range.from);
        verbs.iter().any(|hit| {
            text.sentence(hit.at) == sentence && hit.strength == VerbStrength::Strong && !hit.not_past
        })
    };
    let (first, _) = of_role(AmountRole::Transaction)
        .or_else(|| {
            [AmountRole::Fee, AmountRole::Due, AmountRole::Other]
                .into_iter()
                .filter_map(of_role)
                .find(|amount| told(&amount))
        })
        .or_else(|| of_role(AmountRole::Fee))?;
    let main = in_own_currency(found, first).unwrap_or(first);
    let amount = found.amounts.get(main)?;
    let here = block(amount.range.from);
    let past: Vec<VerbHit> = verbs.iter().filter(|hit| !hit.not_past).copied().collect();
    let near: Vec<VerbHit> = past.iter().filter(|hit| block(hit.at) == here).copied().collect();
    let own_card = found
        .accounts
        .iter()
        .any(|account| account.slot.kind == super::accounts::AccountSlotKind::Card);
    let strongest = |hits: &[VerbHit]| hits.iter().map(|hit| hit.strength).max();
    let mut sum = match (strongest(&near), strongest(&past)) {
        (Some(VerbStrength::Strong), _) => points::STRONG_VERB,
        (Some(VerbStrength::Weak), Some(VerbStrength::Strong)) => {
            points::WEAK_VERB.max(points::STRONG_VERB_APART)
        }
        (Some(VerbStrength::Weak), _) => points::WEAK_VERB,
        (None, Some(VerbStrength::Strong)) => points::STRONG_VERB_APART,
        (None, Some(VerbStrength::Weak)) => points::WEAK_VERB_APART,
        (None, None) if own_card && !found.taken.is_empty() => points::CARD_ALONE,
        (None, None) if amount.sign.is_some() && !found.accounts.is_empty() => points::WEAK_VERB,
        (None, None) if place(found).is_some() => 0,
        (None, None) => points::NO_VERB,
    };
    let strong = strongest(&near) == Some(VerbStrength::Strong);
    if asks(text, amount.range.to) {
        sum += points::QUESTION;
    }
    // "Charges of Rs 5 may be levied": what is strong has not happened.
    let strong_ahead = verbs
        .iter()
        .any(|hit| block(hit.at) == here && hit.not_past && hit.strength == VerbStrength::Strong);
    let any_ahead = verbs.iter().any(|hit| block(hit.at) == here && hit.not_past);
    let weak_alone = near.iter().all(|hit| hit.strength == VerbStrength::Weak);
    if (near.is_empty() && any_ahead) || (weak_alone && strong_ahead) {
        sum += points::NO_PAST;
    }
    if (0..text.len()).any(|at| block(at) == here && text.is_phrase(at, DONE)) {
        sum += points::DONE;
    }
    if amount.hint.is_some() {
        sum += points::CURRENCY;
    }
    let worded = (0..text.len())
        .any(|at| !text.is_cut(at) && (is_account_word(text.low(at)) || is_card_word(text.low(at))));
    sum += match (found.accounts.is_empty(), worded) {
        (false, _) => points::ACCOUNT,
        (true, true) => points::ACCOUNT_WORD,
        (true, false) => 0,
    };
    if found
        .amounts
        .iter()
        .any(|amount| amount.role == AmountRole::Balance)
    {
        sum += points::BALANCE;
    }
    let hits = if near.is_empty() { &past } else { &near };
    if is_taken_back(text, hits) || is_cheque_returned(text) {
        sum += points::TAKEN_BACK;
    }
    if invites(text, &blocks, here) {
        sum += points::INVITES;
    }
    let way = direction(found, amount, hits, own_card);
    let second = strong
        && found.amounts.iter().enumerate().any(|(i, other)| {
            let there = block(other.range.from);
            let other_sentence = there != here
                && past.iter().any(|hit| {
                    block(hit.at) == there
                        && hit.strength == VerbStrength::Strong
                        && !is_of_bank(text, hit.at)
                });
            // "£86 spent today" is all of a day.
            let is_total = (other.range.from.saturating_sub(3)..other.range.to + 4)
                .any(|at| matches!(text.low(at), "today" | "month" | "week"));
            i != main
                && !is_total
                && other.role == AmountRole::Transaction
                && other.hint.is_some()
                && (other_sentence && other.digits != amount.digits || is_joined(text, &past, amount, other))
        });
    Some(MoneyEvent {
        main,
        way,
        points: sum,
        second,
        strong,
    })
}

/// Whether a sentence begins by telling the owner what to do for a reward or a loan: "Spend Rs 5 and get", "Get a loan credited to".
fn invites(text: &MessageText, blocks: &[usize], here: usize) -> bool {
    let mut words = (0..text.len()).filter(|at| {
        blocks.get(*at) == Some(&here) && !text.is_cut(*at) && text.kind(*at) == TokenKind::Word
    });
    let Some(first) = words.next() else { return false };
    match text.low(first) {
        "get" | "avail" | "enjoy" | "win" | "earn" | "claim" => true,
        "spend" | "use" | "pay" | "shop" | "swipe" | "buy" => words.any(|at| {
            matches!(text.low(at), "and" | "to")
                && matches!(
                    text.low(at + 1),
                    "get" | "earn" | "save" | "win" | "receive" | "enjoy"
                )
        }),
        _ => false,
    }
}

/// Whether a sentence ends with a question mark.
fn asks(text: &MessageText, from: usize) -> bool {
    let sentence = text.sentence(from);
    let end = (from..text.len())
        .take_while(|at| text.sentence(*at) == sentence)
        .last();
    end.is_some_and(|end| !text.is_cut(end) && text.is_sign(end, &['?']))
}

/// Points for the parts besides.
pub(super) fn extras(read: &super::MessageReading, received: NaiveDate) -> i32 {
    [
        (read.date.is_some_and(|date| date > received), points::AHEAD),
        (read.date.is_some(), points::DATE),
        (read.time.is_some(), points::TIME),
        (read.reference.is_some(), points::REFERENCE),
        (read.channel.is_some(), points::CHANNEL),
        (read.payee.is_some(), points::PAYEE),
    ]
    .into_iter()
    .map(|(has, points)| if has { points } else { 0 })
    .sum()
}

/// Points for a shop as the title of a card's notification.
pub(super) fn title(is: bool) -> i32 {
    if is { points::TITLE } else { 0 }
}

/// What speaks against a payment: of each kind of phrase the one occurrence that weighs most. A phrase within a name written in
/// capitals is a part of the name.
pub(super) fn refusals(
    text: &MessageText,
    event: &MoneyEvent,
    main_at: usize,
    name: Option<TokenRange>,
) -> i32 {
    let blocks = blocks(text);
    let here = blocks.get(main_at).copied();
    let says = |words: &[&str]| (0..text.len()).any(|at| !text.is_cut(at) && words.contains(&text.low(at)));
    let returned_to = (0..text.len()).any(|at| {
        matches!(text.low(at), "reversed" | "refunded") && matches!(text.low(at + 1), "to" | "into")
    });
    let came_back = event.strong
        && matches!(event.way, Some(Direction::Credit | Direction::Refund))
        && says(&[
            "reversal",
            "refund",
            "refunded",
            "reversed",
            "zurückgegeben",
            "rücklastschrift",
        ])
        && (says(&["credited", "gutgeschrieben"]) || returned_to);
    // "A pending charge of $5 was made": the bank has it, and books it later.
    let is_charge = |at: usize| {
        text.low(at) == "pending"
            && matches!(text.low(at + 1), "charge" | "purchase" | "transaction")
            && is_told_done(text, at + 1)
    };
    // "It'll appear on your statement as NAME".
    let is_where = |at: usize| text.low(at) == "statement" && text.low(at.wrapping_sub(2)) == "on";
    let named =
        |at: usize| name.is_some_and(|range| range.has(at)) && text.raw(at).starts_with(char::is_uppercase);
    REFUSALS
        .iter()
        .map(|(weight, phrases)| {
            let hits: Vec<i32> = (0..text.len())
                .filter(|at| !text.is_cut(*at) && !named(*at) && text.is_phrase(*at, phrases))
                .filter(|at| !is_charge(*at) && !is_where(*at))
                .map(|at| {
                    let apart = blocks.get(at).copied() != here;
                    match weight {
                        // What failed is why it came back.
                        ..=-100 if came_back && phrases.contains(&"failed") => weight / 4,
                        // Codes and failures speak of the whole message.
                        ..=-100 => *weight,
                        // "Rs 5 debited for the mandate of".
                        -89..=-80 if event.strong => weight / 4,
                        -99..=-90 if apart && event.strong => weight / 4,
                        -79.. if event.strong => weight / if apart { 6 } else { 3 },
                        _ => *weight,
                    }
                })
                .collect();
            // One word of an offer may be a name; several are an offer.
            let strongest = hits.iter().min().copied().unwrap_or(0);
            let sum: i32 = hits.iter().sum();
            strongest.max(*weight) + (sum - strongest).max(weight / 2)
        })
        .sum()
}

fn verbs(found: &FoundSlots<'_>) -> Vec<VerbHit> {
    let text = found.text;
    let mut out = Vec::new();
    for at in 0..text.len() {
        if text.is_cut(at)
            || found.taken.iter().any(|range| range.has(at))
            || text.kind(at) != TokenKind::Word
        {
            continue;
        }
        let word = text.low(at);
        let next = text.low(at + 1);
        let left = (matches!(word, "left" | "leaving") && next == "your")
            || (word == "taken" && next == "from")
            || (matches!(word, "go" | "goes" | "went") && next == "out");
        // "Money In R50", as a heading.
        let heading = |way: &str| {
            let marked = text.raw(at + 1) == way || text.is_sign(at + 2, &[':']);
            matches!(word, "money" | "cash") && marked && next.eq_ignore_ascii_case(way)
        };
        let left = left || heading("Out");
        let cash_in = word == "cash" && text.is_sign(at + 1, &['-']) && text.low(at + 2) == "in";
        let came = matches!(word, "come" | "comes" | "came") && matches!(next, "in" | "into")
            || heading("In")
            || cash_in;
        // "Give Ksh3,000 cash to": money that is paid in.
        let paid_in = word == "give" && (at + 1..at + 6).any(|at| text.low(at) == "cash");
        // The columns of a book, before an amount: "Soll 120,00 EUR".
        let column = matches!(word, "soll" | "haben")
            && text.raw(at).starts_with(char::is_uppercase)
            && found
                .amounts
                .iter()
                .any(|amount| amount.hint.is_some() && amount.range.from == at + 1);
        let meaning = if column {
            let way = if word == "soll" {
                Direction::Debit
            } else {
                Direction::Credit
            };
            Some((way, VerbStrength::Strong))
        } else if paid_in || came {
            Some((Direction::Credit, VerbStrength::Strong))
        } else if left {
            Some((Direction::Debit, VerbStrength::Strong))
        } else {
            verb(word)
        };
        let Some((way, mut strength)) = meaning else {
            continue;
        };
        // "Fixed deposit of Rs 5 booked": the owner's own money, put away.
        if word == "deposit" && matches!(text.low(at.wrapping_sub(1)), "fixed" | "term" | "recurring") {
            continue;
        }
        // "Txn ID 44": a number, not what happened.
        if matches!(word, "txn" | "trxn" | "trx" | "tran" | "transaction")
            && matches!(next, "id" | "no" | "number" | "ref" | "code")
        {
            continue;
        }
        let noun = matches!(word, "debit" | "credit");
        if noun
            && (is_card_word(next) || role(next).is_some() || matches!(next, "score" | "facility" | "line"))
        {
            continue;
        }
        if noun
            && (matches!(next, "alert" | "transaction" | "txn" | "advice" | "notification")
                || text.is_sign(at + 1, &[':', '!'])
                || text.kind(at + 1) == TokenKind::Line)
            && !is_left_to_spend(text, at)
        {
            strength = VerbStrength::Strong;
        }
        let done = matches!(
            word,
            "payment"
                | "pmt"
                | "transfer"
                | "purchase"
                | "transaction"
                | "txn"
                | "trxn"
                | "withdrawal"
                | "top-up"
                | "charge"
                | "lodgement"
        ) && is_told_done(text, at);
        // "Has a credit of Rs 5", "Credit Transfer" as a heading.
        let had = noun
            && (matches!(text.low(at.wrapping_sub(1)), "a")
                && matches!(text.low(at.wrapping_sub(2)), "has" | "had")
                || (at == 0 && next == "transfer"));
        if done || had || (matches!(word, "refund" | "reversal") && is_processed(text, at)) {
            strength = VerbStrength::Strong;
        }
        // `CR` behind a balance says that the account is not overdrawn.
        if matches!(word, "cr" | "dr") {
            let amount = found.amounts.iter().find(|amount| amount.range.to == at);
            if amount.is_some_and(|amount| amount.role != AmountRole::Transaction) {
                continue;
            }
            if amount.is_some()
                || matches!(text.low(at.wrapping_sub(1)), "is" | "and" | "been")
                || matches!(next, "amt" | "amount")
                || found.accounts.iter().any(|account| account.range.to == at)
            {
                strength = VerbStrength::Strong;
            }
        }
        // "purchase", "payment" and others of an amount: "purchase of Rs 5 at".
        out.push(VerbHit {
            at,
            way,
            strength,
            not_past: not_past(text, at),
        });
    }
    out
}

/// Whether a `credit` is what may still be spent: "available credit".
fn is_left_to_spend(text: &MessageText, at: usize) -> bool {
    at.checked_sub(1)
        .is_some_and(|before| role(text.low(before)) == Some(AmountRole::Balance))
}

/// Whether the debit that a message tells of was taken back.
fn is_taken_back(text: &MessageText, hits: &[VerbHit]) -> bool {
    let back = hits
        .iter()
        .find(|hit| matches!(text.low(hit.at), "reversed" | "reversal" | "returned"));
    let Some(back) = back else { return false };
    let debited = hits.iter().any(|hit| {
        hit.at < back.at && matches!(text.low(hit.at), "debited" | "spent" | "withdrawn" | "deducted")
    });
    let to = (back.at + 1..text.len().min(back.at + 12))
        .any(|at| matches!(text.low(at), "to" | "in" | "into" | "credited"));
    let credited = hits.iter().any(|hit| text.low(hit.at) == "credited");
    debited && !to && !credited
}

/// Whether an own account follows here: `your A/c`, `you`.
fn is_own_behind(text: &MessageText, at: usize) -> bool {
    let word = text.low(at);
    if word == "you" {
        return true;
    }
    if !matches!(
        word,
        "your"
            | "ur"
            | "my"
            | "yr"
            | "ihr"
            | "ihrem"
            | "ihre"
            | "dein"
            | "deinem"
            | "deine"
            | "aapke"
            | "apke"
    ) {
        return false;
    }
    (at + 1..at + 8)
        .take_while(|at| is_own_filler(text.low(*at)) || matches!(text.kind(*at), TokenKind::Sign('.')))
        .any(|at| is_account_word(text.low(at)) || is_card_word(text.low(at)))
}

/// Whether the owner got it, where the verb stands at the end, as in German and Hindi: `auf Ihr Konto … überwiesen`, `NAME hat dir …
/// geschickt`, `aapke khate mein … bheje`.
fn ends_at_owner(text: &MessageText, start: usize, verb: usize) -> bool {
    let sentence = text.sentence(verb);
    (start..verb)
        .filter(|at| text.sentence(*at) == sentence)
        .any(|at| match text.low(at) {
            "dir" | "ihnen" | "aapko" | "apko" => true,
            "auf" => is_own_behind(text, at + 1),
            "mein" | "me" | "mai" => (1..6)
                .filter_map(|back| at.checked_sub(back))
                .any(|own| is_own_behind(text, own) && text.low(own) != "you"),
            _ => false,
        })
}

/// Which way the money went.
fn direction(
    found: &FoundSlots<'_>,
    amount: &FoundAmount,
    hits: &[VerbHit],
    own_card: bool,
) -> Option<Direction> {
    let text = found.text;
    let marked = matches!(text.low(amount.range.to), "cr" | "dr");
    if let Some(sign) = amount.sign.filter(|_| marked) {
        return Some(sign);
    }
    // What came back came in, whatever it was before.
    if hits.iter().any(|hit| {
        matches!(
            text.low(hit.at),
            "refund" | "refunded" | "reversal" | "reversed" | "returned" | "rückerstattung" | "erstattung"
        )
    }) {
        return Some(Direction::Credit);
    }
    let nearest = |strength: VerbStrength| {
        hits.iter()
            .filter(|hit| hit.strength == strength)
            .min_by_key(|hit| {
                let distance = if hit.at < amount.range.from {
                    amount.range.from - hit.at
                } else {
                    hit.at + 1 - amount.range.to.min(hit.at + 1)
                };
                // What stands in the amount's own sentence comes first, and the first of equals.
                (
                    text.sentence(hit.at) != text.sentence(amount.range.from),
                    distance,
                    hit.at,
                )
            })
    };
    let strong = nearest(VerbStrength::Strong).map(|hit| way_of(text, *hit));
    let weak = nearest(VerbStrength::Weak).map(|hit| way_of(text, *hit));
    strong
        .or(amount.sign)
        .or(weak)
        .or_else(|| place(found))
        .or(own_card.then_some(Direction::Debit))
}

/// The way that the word before the first account says.
fn place(found: &FoundSlots<'_>) -> Option<Direction> {
    let text = found.text;
    let mut before = found.accounts.first()?.range.from.checked_sub(1)?;
    while is_own_filler(text.low(before)) || matches!(text.low(before), "your" | "my" | "ur") {
        before = before.checked_sub(1)?;
    }
    match text.low(before) {
        "from" | "von" => Some(Direction::Debit),
        "to" | "into" | "in" | "auf" => Some(Direction::Credit),
        _ => None,
    }
}

/// The way of a verb by what stands around it.
fn way_of(text: &MessageText, hit: VerbHit) -> Direction {
    let word = text.low(hit.at);
    let sentence = text.sentence(hit.at);
    let end = (hit.at..text.len())
        .find(|at| text.sentence(*at) != sentence && text.kind(*at) != TokenKind::Line)
        .unwrap_or(text.len())
        .min(hit.at + 24);
    let start = hit.at.saturating_sub(10);
    let back = |n: usize| hit.at.checked_sub(n).map_or("", |at| text.low(at));
    if is_giving(word) {
        let noun = matches!(word, "payment" | "transfer");
        if noun && matches!(back(1), "incoming" | "inward") {
            return Direction::Credit;
        }
        // "You were paid £5 by NAME".
        if matches!(back(1), "were" | "are" | "been") && (2..=3).any(|n| back(n) == "you") {
            return Direction::Credit;
        }
        let owner_gives = !noun && (1..=3).any(|n| matches!(back(n), "you" | "you've" | "aapne" | "sie"));
        let from_own = (start..end).any(|at| {
            matches!(text.low(at), "from" | "von" | "vom")
                && (is_own_behind(text, at + 1)
                    || is_account_word(text.low(at + 1))
                    || (1..5)
                        .take_while(|n| is_own_filler(text.low(at + n)))
                        .any(|n| is_account_word(text.low(at + n))))
        });
        let to_own = (hit.at + 1..end).any(|at| {
            let leads = match text.low(at) {
                "to" | "towards" | "into" | "in" | "an" | "auf" => true,
                // "Your payment of Rs 5 for your card": what is owed there is less.
                "for" => noun && text.low(hit.at.wrapping_sub(1)) == "your",
                _ => false,
            };
            leads && is_own_behind(text, at + 1)
        }) || matches!(text.low(hit.at + 1), "you" | "u");
        if (to_own || ends_at_owner(text, start, hit.at)) && !owner_gives && !from_own {
            return Direction::Credit;
        }
        return hit.way;
    }
    match word {
        "credited" => {
            // To whom it was sent.
            let to_other = (hit.at + 1..end.min(hit.at + 5))
                .any(|at| matches!(text.low(at), "beneficiary" | "beneficiary's" | "payee" | "bene"));
            if to_other {
                Direction::Debit
            } else {
                Direction::Credit
            }
        }
        "received" | "recd" | "rcvd" | "rec'd" => {
            let from_you = text.phrase(hit.at + 1, "from you").is_some();
            let for_bill = (hit.at + 1..end.min(hit.at + 4)).any(|at| {
                matches!(text.low(at), "for" | "towards" | "against")
                    && !is_own_behind(text, at + 1)
            }) && (start..hit.at)
                .any(|at| matches!(text.low(at), "payment" | "premium" | "recharge" | "we"))
                && !(hit.at..end).any(|at| is_card_word(text.low(at)) || is_account_word(text.low(at)))
                // "Payment received for GHS 5 from Bo": somebody else paid it.
                && !(hit.at + 1..end).any(|at| text.low(at) == "from" && !is_own_behind(text, at + 1));
            // "Your EMI of Rs 5 has been received": by whom it was owed to.
            let instalment = (0..hit.at)
                .filter(|at| text.sentence(*at) == sentence)
                .any(|at| matches!(text.low(at), "emi" | "instalment" | "installment" | "premium"));
            if from_you || for_bill || instalment {
                Direction::Debit
            } else {
                Direction::Credit
            }
        }
        // "added to your tag from Acct": out of the account.
        "added" | "loaded" => {
            let from_own = (hit.at + 1..end).any(|at| {
                text.low(at) == "from" && (is_account_word(text.low(at + 1)) || is_own_behind(text, at + 1))
            });
            if from_own { Direction::Debit } else { hit.way }
        }
        // "deposited by you", "collected from".
        "collected" | "charged" | "recovered" => Direction::Debit,
        _ => hit.way,
    }
}
