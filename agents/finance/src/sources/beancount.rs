//! Journals of beancount.
//!
//! What: [`BeancountSyntax`], the syntax of their lines. Why: its entries are hledger's with another syntax. A subset: transactions
//! with flags, texts, tags, links, metadata, costs and prices, the names of the root accounts, and `include`. Not here: what an entry means (`postings`); other directives, which say nothing about payments, and arithmetic in amounts.

use super::{
    SourceLocation,
    accounts::AccountKind,
    amount::DecimalMark,
    entries::{JournalItems, JournalSyntax, OpenJournal},
    postings::{JournalEntry, JournalPosting, amounts},
};
use crate::code;
use agents_base::shared::SkipCode;
use chrono::NaiveDate;

/// A journal of beancount.
pub(crate) type BeancountJournal = JournalItems<BeancountSyntax>;

/// No line says anything about those that follow its entry.
#[derive(Default)]
pub(crate) struct BeancountSyntax;

impl JournalSyntax for BeancountSyntax {
    fn line(&mut self, open: &mut OpenJournal, line: &str, place: SourceLocation) {
        let line = without_comment(line);
        if line.trim().is_empty() {
            return;
        }
        if line.starts_with([' ', '\t']) {
            if let Some(entry) = &mut open.entry {
                posting(line.trim(), entry);
            }
            return;
        }
        open.close();
        if let Some(path) = line.strip_prefix("include ") {
            if let Err(code) = open.inputs.include(path.trim().trim_matches('"')) {
                open.skip(place, code);
            }
        } else if let Some((account, kind)) = root(line) {
            open.accounts.declare(account, kind);
        } else if line.starts_with(|c: char| c.is_ascii_digit()) {
            match head(line, place.line) {
                Ok(entry) => open.entry = entry,
                Err(code) => open.skip(place, code),
            }
        }
    }
}

/// The name and kind of a root account: `option "name_assets" "Vermoegen"`.
fn root(line: &str) -> Option<(&str, AccountKind)> {
    let mut texts = line.strip_prefix("option ")?.split('"').skip(1).step_by(2);
    let kind = match texts.next()? {
        "name_assets" | "name_liabilities" => AccountKind::Own,
        "name_expenses" => AccountKind::Expense,
        "name_income" => AccountKind::Income,
        "name_equity" => AccountKind::Equity,
        _ => return None,
    };
    Some((texts.next()?, kind))
}

/// The first line of a dated directive: `2026-11-03 * "Payee" "Narration" #tag ^link`. `None` for another directive.
fn head(line: &str, at: u64) -> Result<Option<JournalEntry>, SkipCode> {
    let (date, rest) = line.split_once(char::is_whitespace).ok_or(code::JOURNAL_ENTRY)?;
    let date =
        NaiveDate::parse_from_str(&date.replace('/', "-"), "%Y-%m-%d").map_err(|_| code::JOURNAL_ENTRY)?;
    let rest = rest.trim();
    let word = rest
        .split(|c: char| c.is_whitespace() || c == '"')
        .next()
        .unwrap_or_default();
    if !(word.is_empty()
        || matches!(
            word,
            "txn" | "*" | "!" | "&" | "#" | "?" | "%" | "P" | "S" | "T" | "C" | "U" | "R" | "M"
        ))
    {
        return Ok(None);
    }
    let texts: Vec<&str> = rest.split('"').skip(1).step_by(2).collect();
    // With one text only, it is the narration.
    let payee = texts.first().copied().unwrap_or_default();
    Ok(Some(JournalEntry {
        line: at,
        date,
        payee: payee.trim().to_owned(),
        reference: rest
            .split_whitespace()
            .filter_map(|word| word.strip_prefix('^'))
            .find_map(super::narration::number),
        postings: Vec::new(),
        broken: false,
    }))
}

/// A line of an entry: `! Account  amount {cost} @ price`, or `key: value`.
fn posting(line: &str, entry: &mut JournalEntry) {
    let line = line
        .strip_prefix(['*', '!', '&', '?', '%'])
        .unwrap_or(line)
        .trim();
    // Accounts begin with a capital, keys of metadata do not; tags and links may stand on lines of their own.
    if line.starts_with(|c: char| c.is_lowercase() || c == '#' || c == '^') {
        return;
    }
    let end = line.find(char::is_whitespace).unwrap_or(line.len());
    let (account, amount) = (
        line.get(..end).unwrap_or_default(),
        line.get(end..).unwrap_or_default(),
    );
    match amounts(amount, DecimalMark::Point, "") {
        Some((amount, cost)) => entry.postings.push(JournalPosting {
            account: account.to_owned(),
            amount,
            cost,
        }),
        None => entry.broken = true,
    }
}

/// A line up to a `;` that stands in no text.
fn without_comment(line: &str) -> &str {
    let mut quoted = false;
    let end = line.char_indices().find(|(_, c)| {
        quoted ^= *c == '"';
        *c == ';' && !quoted
    });
    end.and_then(|(at, _)| line.get(..at)).unwrap_or(line)
}
