//! The form of a message: what is left of it without its text.
//!
//! What: [`MarkableMessage`], a message in words that the owner can mark, and [`TaughtForm`], positions and keyed hashes of words, learned of
//! one marked message and found again in the next. Why: a wording that nobody foresaw is read after it was shown once, and no word of it is
//! kept. Not here: which forms are kept and for whom (`finance::forms`), reading without a form (the parent module).
//!
//! A form fits word by word: only numbers, days, times, addresses and the payee may differ. So a message that says *declined* where the
//! marked one said *paid* is of another form. A word beside the payee may be taken for a part of it, but none that says that nothing was paid.

use super::{
    AmountSlot, MessageReading, boilerplate,
    dates::{TokenRange, find_dates, find_times},
    phrases::REFUSALS,
    text::{MessageText, TextSpan, TokenKind},
};
use crate::claim::believable;
use rust_decimal::Decimal;
use std::fmt::Write as _;
use toolcall_schema::{
    catalogue::money_questions::{WORDS_MAX, WordRange},
    ids::{SecretKey, hex},
    signal::Direction,
};

/// Parts of a form at most, and words that it must have: fewer would fit to anything.
const PARTS_MAX: usize = 96;
const WORDS_MIN: usize = 3;
/// Tokens of a payee at most.
const PAYEE_MAX: usize = 8;
/// Payments of a message at most.
const PAYMENTS_MAX: usize = 2;
/// Letters of a message that was cut where an SMS ends; one that ends with a full stop was not.
const CUT_LETTERS: std::ops::RangeInclusive<usize> = 150..=160;

/// A word between two white spaces.
pub(crate) struct MarkableWord<'a> {
    pub(crate) text: &'a str,
    /// Whether an amount stands there that can be read.
    pub(crate) amount: bool,
}

/// Where a payment stands in a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PaymentMarks {
    direction: Direction,
    /// Which of the amounts.
    slot: usize,
    payee: Option<TokenRange>,
}

/// A payment as its marks say it.
pub(crate) struct MarkedReading<'a> {
    pub(crate) direction: Direction,
    pub(crate) amount: Decimal,
    pub(crate) currency: &'a str,
    /// Empty when nobody is named.
    pub(crate) payee: &'a str,
}

/// A message in which places can be marked. Not `Debug`: it holds text.
pub(crate) struct MarkableMessage {
    text: MessageText,
    /// Days and times.
    varying: Vec<TokenRange>,
    amounts: Vec<AmountSlot>,
    is_cut: bool,
}

/// A part of a form.
#[derive(Debug, Clone, PartialEq, Eq)]
enum FormPart {
    /// A word, as the first 8 digits of its keyed hash.
    Word(String),
    /// A number, an address, a part of a day.
    Varying,
    /// The amount of the payment with that number.
    Amount(usize),
    /// Its payee: one to eight tokens.
    Payee(usize),
}

/// What a message looks like: no text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TaughtForm {
    parts: Vec<FormPart>,
    /// The way of each payment; none: such a message tells of none.
    directions: Vec<Direction>,
    /// Whether the marked message was cut.
    is_cut: bool,
}

/// A token of a message beside a form.
struct ShapeItem {
    token: usize,
    /// The keyed hash; `None`: it varies.
    word: Option<String>,
}

impl MarkableMessage {
    /// Whether a phrase begins there that says that nothing was paid: "to ASHA declined on".
    fn refuses_at(&self, at: usize) -> bool {
        REFUSALS
            .iter()
            .any(|(weight, phrases)| *weight <= -90 && self.text.is_phrase(at, phrases))
    }

    /// The message that was read so.
    pub(crate) fn new(body: &str, read: &MessageReading) -> Self {
        let mut text = MessageText::new(body);
        boilerplate::cut_boilerplate(&mut text);
        let mut varying: Vec<TokenRange> = find_dates(&text).iter().map(|(range, _)| *range).collect();
        let times = find_times(&text, &varying);
        varying.extend(times.iter().map(|(range, _)| *range));
        let whole = text.written.ends_with(['.', '!']);
        Self {
            is_cut: CUT_LETTERS.contains(&body.chars().count()) && !whole,
            amounts: read.amounts.clone(),
            text,
            varying,
        }
    }

    /// Whether it can be asked about: an amount in it can be read, and it is not too long.
    pub(crate) fn is_askable(&self) -> bool {
        let spans = self.word_spans();
        (1..=WORDS_MAX).contains(&spans.len()) && spans.iter().any(|span| self.amount_in(*span).is_some())
    }

    /// Its words.
    pub(crate) fn words(&self) -> impl Iterator<Item = MarkableWord<'_>> {
        self.word_spans().into_iter().map(|span| MarkableWord {
            text: self.text.written_at(span),
            amount: self.amount_in(span).is_some(),
        })
    }

    fn word_spans(&self) -> Vec<TextSpan> {
        let written = &self.text.written;
        let mut out = Vec::new();
        let mut start = 0;
        for (at, c) in written
            .char_indices()
            .chain(std::iter::once((written.len(), ' ')))
        {
            if c.is_whitespace() {
                if at > start {
                    out.push(TextSpan { start, end: at });
                }
                start = at + c.len_utf8();
            }
        }
        out
    }

    /// The readable amount that stands in a place.
    fn amount_in(&self, place: TextSpan) -> Option<usize> {
        self.amounts.iter().position(|slot| {
            slot.value.and_then(believable).is_some()
                && slot.place.start < place.end
                && place.start < slot.place.end
        })
    }

    /// The bytes of some words; `None` when there are no such words.
    fn span_of(&self, range: WordRange) -> Option<TextSpan> {
        let (from, to) = (usize::from(range.from), usize::from(range.to));
        let spans = self.word_spans();
        let words = spans.get(from..to)?;
        Some(TextSpan {
            start: words.first()?.start,
            end: words.last()?.end,
        })
    }

    /// The tokens of a place, without signs at its ends.
    fn tokens_in(&self, place: TextSpan) -> Option<TokenRange> {
        let is_of = |at: &usize| {
            let token = self.text.tokens.get(*at).map(|token| token.span);
            !self.is_sign(*at) && token.is_some_and(|span| span.start >= place.start && span.end <= place.end)
        };
        let from = (0..self.text.len()).find(is_of)?;
        let last = (0..self.text.len()).rev().find(is_of)?;
        Some(TokenRange { from, to: last + 1 })
    }

    fn is_sign(&self, at: usize) -> bool {
        match self.text.kind(at) {
            TokenKind::Sign(_) | TokenKind::Line => true,
            TokenKind::Word | TokenKind::Number | TokenKind::Mixed | TokenKind::Address | TokenKind::Link => {
                false
            }
        }
    }

    /// A payment of which the owner marked the places; `None` when no amount can be read there, or nobody stands there.
    pub(crate) fn marks(
        &self,
        direction: Direction,
        amount: WordRange,
        payee: Option<WordRange>,
    ) -> Option<PaymentMarks> {
        let slot = self.amount_in(self.span_of(amount)?)?;
        let payee = match payee {
            Some(range) => Some(
                self.tokens_in(self.span_of(range)?)
                    .filter(|range| range.to - range.from <= 4 * PAYEE_MAX)?,
            ),
            None => None,
        };
        Some(PaymentMarks {
            direction,
            slot,
            payee,
        })
    }

    /// What a payment's places say.
    pub(crate) fn reading(&self, marks: &PaymentMarks) -> Option<MarkedReading<'_>> {
        let slot = self.amounts.get(marks.slot)?;
        let payee = marks.payee.map_or("", |range| {
            self.text.written_at(self.text.span(range.from, range.to))
        });
        Some(MarkedReading {
            direction: marks.direction,
            amount: slot.value.and_then(believable)?,
            currency: &slot.currency,
            payee,
        })
    }

    /// The token of an amount's digits.
    fn digits_of(&self, slot: usize) -> Option<usize> {
        let place = self.amounts.get(slot)?.place;
        (0..self.text.len()).find(|at| {
            let span = self.text.tokens.get(*at).map(|token| token.span);
            self.text.kind(*at) == TokenKind::Number
                && span.is_some_and(|span| span.start >= place.start && span.end <= place.end)
        })
    }

    /// The tokens by which forms are compared: no signs, nothing of what any message says, no half word at the end.
    fn shape(&self, key: &SecretKey) -> Vec<ShapeItem> {
        let mut items: Vec<ShapeItem> = (0..self.text.len())
            .filter(|at| !self.is_sign(*at) && !self.text.is_cut(*at))
            .map(|token| {
                let varies = self.text.kind(token) != TokenKind::Word
                    || self.varying.iter().any(|range| range.has(token));
                ShapeItem {
                    token,
                    word: (!varies).then(|| word_hash(key, self.text.low(token))),
                }
            })
            .collect();
        if self.is_cut {
            items.pop();
        }
        items
    }

    /// The form of this message. `None` when it is too short or too long for one, or a mark stands in what any message says.
    pub(crate) fn learn(&self, key: &SecretKey, marks: &[PaymentMarks]) -> Option<TaughtForm> {
        let mut parts: Vec<FormPart> = Vec::new();
        for item in self.shape(key) {
            let amount = marks
                .iter()
                .position(|mark| self.digits_of(mark.slot) == Some(item.token));
            let payee = marks
                .iter()
                .position(|mark| mark.payee.is_some_and(|range| range.has(item.token)));
            let part = match (amount, payee, item.word) {
                (Some(nth), _, _) => FormPart::Amount(nth),
                (None, Some(nth), _) => FormPart::Payee(nth),
                (None, None, Some(word)) => FormPart::Word(word),
                (None, None, None) => FormPart::Varying,
            };
            // A payee is one part, however long it is.
            let more = matches!(part, FormPart::Payee(_)) && parts.last() == Some(&part);
            if !more {
                parts.push(part);
            }
        }
        let form = TaughtForm {
            parts,
            directions: marks.iter().map(|mark| mark.direction).collect(),
            is_cut: self.is_cut,
        };
        let named = marks.iter().enumerate().filter(|(_, mark)| mark.payee.is_some());
        let payees: Vec<usize> = named.map(|(nth, _)| nth).collect();
        let again = || self.find(key, &form).is_some_and(|found| found == marks);
        (form.is_sound() && form.payees() == payees && again()).then_some(form)
    }

    /// The payments that stand where a form says; `None` when this message is of another form.
    pub(crate) fn find(&self, key: &SecretKey, form: &TaughtForm) -> Option<Vec<PaymentMarks>> {
        if form.is_cut && !self.is_cut {
            return None;
        }
        let items = self.shape(key);
        let mut found = FormPlaces {
            amounts: vec![None; form.directions.len()],
            payees: vec![None; form.directions.len()],
        };
        let fit = FormFit {
            message: self,
            items: &items,
            form,
        };
        if !fit.fits(0, 0, 0, &mut found) {
            return None;
        }
        let places = found.amounts.into_iter().zip(found.payees);
        form.directions
            .iter()
            .zip(places)
            .map(|(direction, (slot, payee))| {
                Some(PaymentMarks {
                    direction: *direction,
                    slot: slot?,
                    payee,
                })
            })
            .collect()
    }
}

/// What was found of a form so far.
struct FormPlaces {
    amounts: Vec<Option<usize>>,
    payees: Vec<Option<TokenRange>>,
}

/// A message beside a form.
struct FormFit<'a> {
    message: &'a MarkableMessage,
    items: &'a [ShapeItem],
    form: &'a TaughtForm,
}

impl FormFit<'_> {
    /// Whether the rest of the form fits to the rest of the message. `behind`: parts since the last mark.
    fn fits(&self, part: usize, at: usize, behind: usize, found: &mut FormPlaces) -> bool {
        let Some(wanted) = self.form.parts.get(part) else {
            // Of a cut message one more or one less word was seen.
            return at == self.items.len() || self.form.is_cut;
        };
        let Some(item) = self.items.get(at) else {
            let left = self.form.parts.get(part..).unwrap_or_default();
            let marked = left
                .iter()
                .any(|part| matches!(part, FormPart::Amount(_) | FormPart::Payee(_)));
            return self.message.is_cut && !marked && behind > 0;
        };
        match wanted {
            FormPart::Word(hash) => {
                item.word.as_ref() == Some(hash) && self.fits(part + 1, at + 1, behind + 1, found)
            }
            FormPart::Varying => item.word.is_none() && self.fits(part + 1, at + 1, behind + 1, found),
            FormPart::Amount(nth) => {
                let slots = 0..self.message.amounts.len();
                let slot = slots.into_iter().find(|slot| {
                    self.message.digits_of(*slot) == Some(item.token)
                        && self
                            .message
                            .amounts
                            .get(*slot)
                            .is_some_and(|slot| slot.value.and_then(believable).is_some())
                });
                if let Some(place) = found.amounts.get_mut(*nth) {
                    *place = slot;
                }
                slot.is_some() && self.fits(part + 1, at + 1, 0, found)
            }
            FormPart::Payee(nth) => (1..=PAYEE_MAX).any(|len| {
                let Some(last) = self.items.get(at + len - 1) else {
                    return false;
                };
                if (item.token..=last.token).any(|at| self.message.refuses_at(at)) {
                    return false;
                }
                if let Some(place) = found.payees.get_mut(*nth) {
                    *place = Some(TokenRange {
                        from: item.token,
                        to: last.token + 1,
                    });
                }
                self.fits(part + 1, at + len, 0, found)
            }),
        }
    }
}

impl TaughtForm {
    /// Whether it is found in the same messages.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        self.parts == other.parts && self.is_cut == other.is_cut
    }

    /// Whether it says enough, and no more than a form may.
    fn is_sound(&self) -> bool {
        let words = self
            .parts
            .iter()
            .filter(|part| matches!(part, FormPart::Word(_)))
            .count();
        let mut amounts: Vec<usize> = self
            .parts
            .iter()
            .filter_map(|part| match part {
                FormPart::Amount(nth) => Some(*nth),
                FormPart::Word(_) | FormPart::Varying | FormPart::Payee(_) => None,
            })
            .collect();
        amounts.sort_unstable();
        let payees = self.payees();
        words >= WORDS_MIN
            && self.parts.len() <= PARTS_MAX
            && self.directions.len() <= PAYMENTS_MAX
            && amounts.into_iter().eq(0..self.directions.len())
            && payees.windows(2).all(|pair| pair.first() < pair.last())
            && payees.iter().all(|nth| *nth < self.directions.len())
            // Where a cut message ends within a payee, nobody knows how long it is.
            && !(self.is_cut && matches!(self.parts.last(), Some(FormPart::Payee(_))))
    }

    /// Which payments name a payee, sorted.
    fn payees(&self) -> Vec<usize> {
        let mut payees: Vec<usize> = self
            .parts
            .iter()
            .filter_map(|part| match part {
                FormPart::Payee(nth) => Some(*nth),
                FormPart::Word(_) | FormPart::Varying | FormPart::Amount(_) => None,
            })
            .collect();
        payees.sort_unstable();
        payees
    }

    /// As it is kept: the ways of its payments, whether it was cut, its parts.
    pub(crate) fn row(&self) -> (Vec<Direction>, bool, String) {
        let mut parts = String::new();
        for part in &self.parts {
            if !parts.is_empty() {
                parts.push(' ');
            }
            // Writing to a string cannot fail.
            let _ = match part {
                FormPart::Word(hash) => write!(parts, "{hash}"),
                FormPart::Varying => write!(parts, "*"),
                FormPart::Amount(nth) => write!(parts, "${nth}"),
                FormPart::Payee(nth) => write!(parts, "@{nth}"),
            };
        }
        (self.directions.clone(), self.is_cut, parts)
    }

    /// What was kept; `None` when it is no form.
    pub(crate) fn from_row((directions, is_cut, parts): (Vec<Direction>, bool, &str)) -> Option<Self> {
        let nth = |text: &str| text.parse::<usize>().ok();
        let parts = parts
            .split(' ')
            .take(PARTS_MAX + 1)
            .map(|part| match part.split_at_checked(1)? {
                ("*", "") => Some(FormPart::Varying),
                ("$", number) => nth(number).map(FormPart::Amount),
                ("@", number) => nth(number).map(FormPart::Payee),
                _ => {
                    let is_hash = part.len() == 8
                        && part
                            .bytes()
                            .all(|b| b.is_ascii_digit() || matches!(b, b'a'..=b'f'));
                    is_hash.then(|| FormPart::Word(part.to_owned()))
                }
            })
            .collect::<Option<Vec<FormPart>>>()?;
        let form = Self {
            parts,
            directions,
            is_cut,
        };
        form.is_sound().then_some(form)
    }
}

/// A word of a form: the first 8 digits of its keyed hash.
fn word_hash(key: &SecretKey, word: &str) -> String {
    let mac = key.mac(&[b"message form", word.as_bytes()]);
    hex(mac.get(..4).unwrap_or_default())
}
