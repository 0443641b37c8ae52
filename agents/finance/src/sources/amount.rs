//! The one reader of amounts, for every source.
//!
//! What: [`number`], digits with groups and decimals; [`written`], an amount with sign and currency; [`in_message`], an amount
//! within a sentence. Why: a wrong guess is off by a factor of 100, so whatever has two readings is none. Not here: which
//! amounts are believable (`believable`), commodities of journals (`postings`).

use super::currency::{CurrencySymbol, minor_units};
use agents_base::contract::DecimalSeparator;
use rust_decimal::Decimal;

/// The longest number that is looked at, in bytes.
const MAX_LEN: usize = 40;
/// Decimals that a statement may write; a currency has at most three.
const MAX_DECIMALS: usize = 4;
/// Decimals that ISO 20022 may write, most of them zeros.
const PLAIN_DECIMALS: usize = 5;
/// Decimals that a message may write.
const MESSAGE_DECIMALS: usize = 2;
/// Decimals that a journal may write: prices have many.
const JOURNAL_DECIMALS: usize = 24;

/// Which sign stands before the decimals, where the source says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DecimalMark {
    /// It says nothing: of two kinds of sign the last, of one kind one that can group nothing.
    Unsaid,
    Point,
    Comma,
}

impl From<DecimalSeparator> for DecimalMark {
    fn from(separator: DecimalSeparator) -> Self {
        match separator {
            DecimalSeparator::Point => Self::Point,
            DecimalSeparator::Comma => Self::Comma,
        }
    }
}

/// How a source writes numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NumberStyle {
    mark: DecimalMark,
    /// The most decimals.
    decimals: usize,
    /// Whether three digits behind a sign that stands alone can only be decimals. Else they may be a group of thousands.
    three_are_decimals: bool,
}

impl NumberStyle {
    /// Of a statement in a currency: three digits are decimals where the currency has three.
    pub(super) fn statement(mark: DecimalMark, currency: &str) -> Self {
        Self {
            mark,
            decimals: MAX_DECIMALS,
            three_are_decimals: minor_units(currency) == Some(3),
        }
    }

    /// Of a message of a standard, which names the mark and groups nothing.
    pub(super) fn plain(mark: DecimalMark) -> Self {
        Self {
            mark,
            decimals: PLAIN_DECIMALS,
            three_are_decimals: true,
        }
    }

    /// Of a journal: who names the mark means it.
    pub(super) fn journal(mark: DecimalMark) -> Self {
        Self {
            mark,
            decimals: JOURNAL_DECIMALS,
            three_are_decimals: mark != DecimalMark::Unsaid,
        }
    }
}

/// A number without a sign: `1,23,456.78`, `1'234.50`, `1 234,5`, `.50`. Groups are of three digits, or of two with three last
/// (lakh and crore), which can be read in one way only and so are taken from every source. `None` when it has no reading or
/// more than one.
pub(super) fn number(text: &str, style: NumberStyle) -> Option<Decimal> {
    if text.len() > MAX_LEN {
        return None;
    }
    let (whole, decimals) = parts(text, style.mark)?;
    let digits_only = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    if !digits_only(decimals) || decimals.len() > style.decimals {
        return None;
    }
    // "1.234": one thousand, or a little more than one?
    let may_group = digits_only(whole) && (1..=3).contains(&whole.len()) && !whole.starts_with('0');
    if decimals.len() == 3 && may_group && !style.three_are_decimals {
        return None;
    }
    let whole = match (whole, style.mark) {
        ("", DecimalMark::Point | DecimalMark::Comma) if !decimals.is_empty() => "0".to_owned(),
        _ => ungrouped(whole)?,
    };
    Decimal::from_str_exact(&format!("{whole}.{decimals}0")).ok()
}

/// What stands before and behind the mark of the decimals. `None` when it cannot be told which sign that is.
fn parts(text: &str, mark: DecimalMark) -> Option<(&str, &str)> {
    let whole = (text, "");
    let sole = |sign: char| match text.matches(sign).count() {
        0 => Some(whole),
        1 => text.split_once(sign),
        _ => None,
    };
    match mark {
        DecimalMark::Point => sole('.'),
        DecimalMark::Comma => sole(','),
        DecimalMark::Unsaid => match (text.rfind('.'), text.rfind(',')) {
            (Some(point), Some(comma)) => sole(if point > comma { '.' } else { ',' }),
            // One kind alone groups where it stands twice.
            (Some(_), None) => sole('.').or(Some(whole)),
            (None, Some(_)) => sole(',').or(Some(whole)),
            (None, None) => Some(whole),
        },
    }
}

/// The digits of a whole number whose groups are those of thousands (3) or of lakh and crore (2, the last 3), all by the same
/// sign.
fn ungrouped(whole: &str) -> Option<String> {
    let is_sign = |c: char| !c.is_ascii_digit();
    let mut signs = whole.chars().filter(|c| is_sign(*c));
    if let Some(first) = signs.next()
        && (!is_group_sign(first) || signs.any(|sign| sign != first))
    {
        return None;
    }
    let groups: Vec<&str> = whole.split(is_sign).collect();
    let (first, rest) = groups.split_first()?;
    let Some((last, middle)) = rest.split_last() else {
        return (!first.is_empty()).then(|| (*first).to_owned());
    };
    let thousands = first.len() <= 3 && middle.iter().all(|group| group.len() == 3);
    let lakhs = first.len() <= 2 && middle.iter().all(|group| group.len() == 2);
    let proper = !first.is_empty() && !first.starts_with('0') && last.len() == 3;
    (proper && (thousands || lakhs)).then(|| groups.concat())
}

fn is_group_sign(c: char) -> bool {
    is_space(c) || matches!(c, '.' | ',' | '\'' | '’')
}

/// Spaces that group digits.
pub(super) fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\u{a0}' | '\u{2009}' | '\u{202f}')
}

/// An amount within a sentence, which may end behind it, in a currency of two decimals whose country writes a point before them. A
/// comma before three digits groups, as banks of India write; any other clear way is read too.
pub(super) fn in_message(text: &str) -> Option<Decimal> {
    in_message_of(text, "INR", false)
}

/// An amount within a sentence, in a currency. `comma`: its country writes a comma before decimals.
pub(crate) fn in_message_of(text: &str, currency: &str, comma: bool) -> Option<Decimal> {
    let text = text.trim_end_matches(['.', ',', '\'', '’']);
    if text.starts_with(['.', ',']) {
        return None;
    }
    let three = minor_units(currency) == Some(3);
    let style = |mark| NumberStyle {
        mark,
        decimals: if three { 3 } else { MESSAGE_DECIMALS },
        three_are_decimals: three,
    };
    let usual = if comma {
        DecimalMark::Comma
    } else {
        DecimalMark::Point
    };
    number(text, style(usual)).or_else(|| number(text, style(DecimalMark::Unsaid)))
}

/// Currencies whose countries write a comma before decimals.
const COMMAS: &str = "ARS BRL CLP COP CZK DKK HUF IDR ISK NOK PLN RON RSD RUB SEK TRY UAH UYU VND XAF XOF";

/// Whether amounts of a message in this currency have a comma before their decimals: by its country; in euros, which are written
/// either way, when one of them can be read in no other.
pub(crate) fn has_decimal_comma<'a>(currency: &str, mut amounts: impl Iterator<Item = &'a str>) -> bool {
    let comma = |text: &str| {
        text.rsplit_once(',')
            .is_some_and(|(_, last)| (1..=2).contains(&last.len()))
    };
    COMMAS.split(' ').any(|code| code == currency) || (currency == "EUR" && amounts.any(comma))
}

/// What a cell or field says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct WrittenAmount {
    /// Below 0, in parentheses, or marked as a debit.
    pub(super) negative: bool,
    pub(super) size: Decimal,
    /// The currency that stands with it.
    pub(super) symbol: Option<CurrencySymbol>,
}

/// A part of a field.
#[derive(Debug, PartialEq, Eq)]
enum AmountToken<'a> {
    Number(&'a str),
    Minus,
    Plus,
    Open,
    Close,
    Word(&'a str),
}

/// An amount with its sign: `-1,234.56`, `1.234,56-`, `(12.00)`, `₹ 12.00 Dr`, `EUR 5`. `None` for what has another part, two
/// signs (`3.50-CR`), two numbers (`1e3`) or two currencies.
pub(super) fn written(text: &str, style: NumberStyle) -> Option<WrittenAmount> {
    let mut found = WrittenAmount {
        negative: false,
        size: Decimal::ZERO,
        symbol: None,
    };
    let (mut numbers, mut signs, mut open) = (0, 0, false);
    let tokens = tokens(text)?;
    let last = tokens.len().checked_sub(1)?;
    for (i, token) in tokens.into_iter().enumerate() {
        match token {
            AmountToken::Number(digits) => {
                found.size = number(digits, style)?;
                numbers += 1;
            }
            // A sign stands before the number, or last.
            AmountToken::Minus | AmountToken::Plus if numbers == 0 || i == last => {
                found.negative = token == AmountToken::Minus;
                signs += 1;
            }
            AmountToken::Open if numbers == 0 && !open => open = true,
            AmountToken::Close if numbers == 1 && open => {
                open = false;
                found.negative = true;
                signs += 1;
            }
            AmountToken::Word(word) => match word.trim_end_matches('.').to_ascii_lowercase().as_str() {
                "dr" => {
                    found.negative = true;
                    signs += 1;
                }
                "cr" => signs += 1,
                _ if found.symbol.is_none() => found.symbol = Some(CurrencySymbol::parse(word)?),
                _ => return None,
            },
            AmountToken::Minus | AmountToken::Plus | AmountToken::Open | AmountToken::Close => return None,
        }
    }
    (numbers == 1 && signs <= 1 && !open).then_some(found)
}

fn tokens(text: &str) -> Option<Vec<AmountToken<'_>>> {
    let mut rest = text.trim();
    let mut out = Vec::new();
    while let Some(first) = rest.chars().next() {
        let one = first.len_utf8();
        let (token, used) = match first {
            '-' | '−' => (AmountToken::Minus, one),
            '+' => (AmountToken::Plus, one),
            '(' => (AmountToken::Open, one),
            ')' => (AmountToken::Close, one),
            _ if first.is_ascii_digit() || matches!(first, '.' | ',') => {
                let digits = rest.get(..digits_end(rest))?;
                (AmountToken::Number(digits), digits.len())
            }
            _ if is_word(first) => {
                let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
                // "Rs." has a point of its own.
                let point = usize::from(first.is_alphabetic() && rest.get(end..)?.starts_with('.'));
                (AmountToken::Word(rest.get(..end + point)?), end + point)
            }
            _ => return None,
        };
        out.push(token);
        rest = rest.get(used..)?.trim_start();
    }
    Some(out)
}

/// Where the digits end with which a text begins. A space or an apostrophe groups digits where digits follow.
pub(super) fn digits_end(text: &str) -> usize {
    let end = text.char_indices().find(|(i, c)| {
        let behind = text.get(i + c.len_utf8()..).unwrap_or_default();
        let groups =
            (is_space(*c) || matches!(c, '\'' | '’')) && behind.starts_with(|c: char| c.is_ascii_digit());
        !(c.is_ascii_digit() || matches!(c, '.' | ',') || groups)
    });
    end.map_or(text.len(), |(i, _)| i)
}

fn is_word(c: char) -> bool {
    c.is_alphabetic() || matches!(c, '$' | '\u{20a0}'..='\u{20cf}' | '£' | '¥' | '฿' | '৳')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(amount: Option<Decimal>) -> Option<String> {
        amount.map(|amount| amount.normalize().to_string())
    }

    #[test]
    fn amounts_of_messages_are_read_with_any_clear_grouping_and_nothing_else() {
        for (text, expected) in [
            ("76", Some("76")),
            ("212.50", Some("212.5")),
            ("6,400.00", Some("6400")),
            ("1,234", Some("1234")),
            ("1,23,456.78", Some("123456.78")),
            ("12,34,56,789", Some("123456789")),
            ("12,34,567.00", Some("1234567")),
            ("1,234,567.8", Some("1234567.8")),
            ("1'234.50", Some("1234.5")),
            ("1’234’567", Some("1234567")),
            ("1 234 567.89", Some("1234567.89")),
            ("1.234,56", Some("1234.56")),
            ("1.234.567", Some("1234567")),
            ("12,50", Some("12.5")),
            ("1,23", Some("1.23")),
            ("500.", Some("500")),
            // One kind of sign, three digits after the point: thousands or decimals, nobody knows.
            ("1.234", None),
            ("1,2345", None),
            ("1234,567", None),
            ("12,34,56", None),
            ("123,45,678", None),
            ("0,123", None),
            ("1,234'567", None),
            (",5", None),
            (".5", None),
            ("", None),
            ("1.2.3", None),
            ("1..2", None),
            ("1 2", None),
            ("12345678901234567890123456789012345", None),
        ] {
            assert_eq!(told(in_message(text)).as_deref(), expected, "{text:?}");
        }
    }

    /// What a statement writes, with the mark that its mapping names: below 0 or not, and the size.
    #[test]
    fn awkward_amounts_of_statements_are_read_in_the_one_way_there_is_or_not_at_all() {
        use DecimalMark::{Comma, Point, Unsaid};
        for (text, mark, currency, expected) in [
            ("-3.50", Point, "USD", Some("-3.5")),
            ("-3,50", Comma, "EUR", Some("-3.5")),
            ("3,50-", Comma, "EUR", Some("-3.5")),
            ("−3.50", Point, "USD", Some("-3.5")),
            ("(3.50)", Point, "USD", Some("-3.5")),
            ("($3.50)", Point, "USD", Some("-3.5")),
            ("$(3.50)", Point, "USD", Some("-3.5")),
            ("-$1,234.50", Point, "USD", Some("-1234.5")),
            ("$-1,234.50", Point, "USD", Some("-1234.5")),
            ("₹ 12.00 Dr", Point, "INR", Some("-12")),
            ("12.00Cr.", Point, "INR", Some("12")),
            ("Rs.210.00", Point, "INR", Some("210")),
            ("Rs. 12,34,567.00", Point, "INR", Some("1234567")),
            ("1.234,56 €", Comma, "EUR", Some("1234.56")),
            ("1\u{a0}234,56", Comma, "EUR", Some("1234.56")),
            ("1'234.50", Point, "CHF", Some("1234.5")),
            ("1,234", Point, "USD", Some("1234")),
            ("1.234", Comma, "EUR", Some("1234")),
            ("1.234", Point, "KWD", Some("1.234")),
            ("0.500", Point, "USD", Some("0.5")),
            ("1234.567", Point, "USD", Some("1234.567")),
            ("1.5000", Point, "USD", Some("1.5")),
            (".50", Point, "USD", Some("0.5")),
            ("5.", Point, "USD", Some("5")),
            ("+85,000.00", Unsaid, "INR", Some("85000")),
            ("-45,50", Unsaid, "INR", Some("-45.5")),
            ("0", Point, "USD", Some("0")),
            // The other mark than the mapping names: 100 times too large, if it were taken for a group.
            ("-3,50", Point, "USD", None),
            ("-3.50", Comma, "EUR", None),
            ("1.234,56", Point, "EUR", None),
            ("1,234.56", Comma, "EUR", None),
            // Groups of no country.
            ("1,5000", Point, "USD", None),
            ("12,34,56", Point, "INR", None),
            ("1234,567", Point, "USD", None),
            ("0,123", Point, "USD", None),
            ("1,234 567", Point, "USD", None),
            // A group or decimals?
            ("1.234", Point, "USD", None),
            ("1,234", Comma, "EUR", None),
            ("1.234", Unsaid, "USD", None),
            ("1,234", Unsaid, "USD", None),
            // Two signs, two numbers, two currencies, something else.
            ("3.50-CR", Point, "INR", None),
            ("-3.50 Dr", Point, "INR", None),
            ("--3.50", Point, "USD", None),
            ("(-3.50)", Point, "USD", None),
            ("(3.50", Point, "USD", None),
            ("3.50)", Point, "USD", None),
            ("1e3", Point, "USD", None),
            ("1E+3", Point, "USD", None),
            ("3.50 4.50", Point, "USD", None),
            ("3 - 2", Point, "USD", None),
            ("$ 3.50 EUR", Point, "USD", None),
            ("3.50*", Point, "USD", None),
            ("3.50 points", Point, "USD", None),
            ("1.23456", Point, "USD", None),
            ("1_000", Point, "USD", None),
            ("١٢", Point, "USD", None),
            ("-", Point, "USD", None),
            ("", Point, "USD", None),
            ("n/a", Point, "USD", None),
        ] {
            let read = written(text, NumberStyle::statement(mark, currency)).map(|read| {
                let size = if read.negative { -read.size } else { read.size };
                size.normalize().to_string()
            });
            assert_eq!(read.as_deref(), expected, "{text:?} {mark:?} {currency}");
        }
    }

    #[test]
    fn the_currency_that_stands_with_an_amount_is_told() {
        for (text, fits, other) in [
            ("$ 5", "CAD", "EUR"),
            ("5.00 EUR", "EUR", "USD"),
            ("Rs 5", "NPR", "USD"),
        ] {
            let read = written(text, NumberStyle::statement(DecimalMark::Point, "EUR")).unwrap();
            let symbol = read.symbol.unwrap();
            assert!(symbol.fits(fits) && !symbol.fits(other), "{text}");
        }
    }

    #[test]
    fn a_journal_that_names_its_mark_means_it() {
        for (text, mark, expected) in [
            ("1.234", DecimalMark::Point, Some("1.234")),
            ("1,234", DecimalMark::Point, Some("1234")),
            ("1,00,000.00", DecimalMark::Point, Some("100000")),
            ("1.000,00", DecimalMark::Comma, Some("1000")),
            ("1,000.", DecimalMark::Unsaid, Some("1000")),
            ("12.34567890", DecimalMark::Unsaid, Some("12.3456789")),
            ("5,5", DecimalMark::Unsaid, Some("5.5")),
            ("1,000", DecimalMark::Unsaid, None),
            ("1.000", DecimalMark::Unsaid, None),
            ("1,00", DecimalMark::Point, None),
        ] {
            let read = number(text, NumberStyle::journal(mark));
            assert_eq!(told(read).as_deref(), expected, "{text} {mark:?}");
        }
    }
}
