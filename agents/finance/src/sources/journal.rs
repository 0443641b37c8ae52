//! Journals of hledger and ledger.
//!
//! What: [`HledgerSyntax`], the syntax of their lines. Why: who keeps a journal has sorted already. A subset: entries with everything
//! that may stand in them, `include`, `account` with its type, `alias`, `commodity`, `decimal-mark`, `D`, `P`, `Y`, `apply year`,
//! `apply account`, comments. Not here: what an entry means (`postings`); periodic and automated entries and timeclock, which are
//! left out, as hledger does where they are not asked for.

use super::{
    SourceLocation,
    accounts::{AccountAliases, AccountKind, BadAlias},
    amount::DecimalMark,
    currency::symbols_of,
    entries::{JournalItems, JournalSyntax, OpenJournal},
    postings::{JournalEntry, JournalPosting, amounts, money},
};
use crate::code;
use chrono::NaiveDate;
use std::{borrow::Cow, collections::BTreeMap};

/// Commodities whose style is remembered.
const MAX_STYLES: usize = 256;

/// A journal of hledger or ledger.
pub(crate) type HledgerJournal = JournalItems<HledgerSyntax>;

/// What earlier lines said about those that follow.
#[derive(Default)]
pub(crate) struct HledgerSyntax {
    scope: DirectiveScope,
    /// Those of the files that include this one.
    outer: Vec<DirectiveScope>,
    styles: BTreeMap<String, DecimalMark>,
    /// The account whose directive is being read.
    account: Option<String>,
    /// Within `comment` and `end comment`.
    comment: bool,
}

/// What holds until the end of a file, and in the files it includes.
#[derive(Default, Clone)]
struct DirectiveScope {
    year: Option<i32>,
    /// The commodity of amounts without one.
    usual: String,
    mark: Option<DecimalMark>,
    aliases: AccountAliases,
    /// What stands before all names of accounts.
    parents: Vec<String>,
}

impl JournalSyntax for HledgerSyntax {
    fn line(&mut self, open: &mut OpenJournal, line: &str, place: SourceLocation) {
        if self.comment {
            self.comment = line.trim() != "end comment";
            return;
        }
        if line.starts_with([' ', '\t']) {
            self.indented(open, line.trim());
            return;
        }
        open.close();
        self.account = None;
        let word = line.split_whitespace().next().unwrap_or_default();
        let rest = line.get(word.len()..).unwrap_or_default().trim();
        let head = line.starts_with(|c: char| c.is_ascii_digit());
        match word {
            "include" | "!include" => {
                let depth = open.inputs.depth();
                if let Err(code) = open.inputs.include(rest) {
                    open.skip(place, code);
                } else if open.inputs.depth() > depth {
                    self.outer.push(self.scope.clone());
                }
            }
            "alias" => {
                if let Err(BadAlias) = self.scope.aliases.declare(rest) {
                    open.skip(place, code::DIRECTIVE);
                }
            }
            "account" => {
                let (name, comment) = account_line(rest);
                self.account = self.name(name);
                self.declare(open, comment);
            }
            _ if head => match self.head(line, place.line) {
                Some(entry) => open.entry = Some(entry),
                None => open.skip(place, code::JOURNAL_ENTRY),
            },
            _ => self.directive(word, rest, line),
        }
    }

    fn leave(&mut self) {
        if let Some(scope) = self.outer.pop() {
            self.scope = scope;
        }
    }
}

impl HledgerSyntax {
    /// A line of an entry or of a directive.
    fn indented(&mut self, open: &mut OpenJournal, line: &str) {
        if let Some(mut entry) = open.entry.take() {
            self.posting(line, &mut entry);
            open.entry = Some(entry);
        } else if self.account.is_some() {
            self.declare(open, line.trim_start_matches(';'));
        } else if let Some(format) = line.strip_prefix("format ") {
            // Of other directives only a commodity's format is kept.
            drop(self.style(format));
        }
    }

    /// A directive that says how later lines are read.
    fn directive(&mut self, word: &str, rest: &str, line: &str) {
        let scope = &mut self.scope;
        match word {
            "comment" => self.comment = true,
            "commodity" => drop(self.style(rest)),
            "decimal-mark" => {
                scope.mark = Some(if rest.starts_with(',') {
                    DecimalMark::Comma
                } else {
                    DecimalMark::Point
                });
            }
            "D" => {
                if let Some(commodity) = self.style(rest) {
                    self.scope.usual = commodity;
                }
            }
            "year" => scope.year = rest.parse().ok(),
            "apply" => {
                if let Some(year) = rest.strip_prefix("year") {
                    scope.year = year.trim().parse().ok();
                } else if let Some(parent) = rest.strip_prefix("account") {
                    scope.parents.push(parent.trim().to_owned());
                }
            }
            "end" if rest.starts_with("apply year") => scope.year = None,
            "end" if rest.starts_with("apply account") => drop(scope.parents.pop()),
            "end" if rest.starts_with("aliases") => scope.aliases.clear(),
            _ => {
                if let Some(year) = line.strip_prefix('Y').map(str::trim).filter(|year| is_year(year)) {
                    scope.year = year.parse().ok();
                }
            }
        }
    }

    /// The mark of an amount whose commodity's style is known.
    fn mark_of(&self, amount: &str) -> DecimalMark {
        let names = |name: &str| {
            !name.is_empty()
                && (amount.contains(name) || symbols_of(name).any(|sign| contains_sign(amount, sign)))
        };
        let named = self.styles.iter().find(|(name, _)| names(name));
        let bare = || {
            let number = |c: char| c.is_ascii_digit() || c.is_whitespace() || "-+.,='’".contains(c);
            amount
                .chars()
                .all(number)
                .then(|| self.styles.get(&self.scope.usual))?
        };
        named
            .map(|(_, mark)| mark)
            .or_else(bare)
            .copied()
            .unwrap_or(DecimalMark::Unsaid)
    }

    /// The full name of an account that an entry names. `None` when it is too long.
    fn name(&self, account: &str) -> Option<String> {
        let parents = self.scope.parents.iter().map(String::as_str);
        let name: Vec<&str> = parents.chain([account]).collect();
        self.scope.aliases.applied(&name.join(":")).map(Cow::into_owned)
    }

    /// Takes the type of an account from its directive's comment: `type:A`.
    fn declare(&self, open: &mut OpenJournal, comment: &str) {
        let mut tags = comment.split(',').filter_map(|tag| tag.split_once("type:"));
        let kind = tags.find_map(|(_, kind)| AccountKind::parse(kind.trim()));
        if let (Some(account), Some(kind)) = (&self.account, kind) {
            open.accounts.declare(account, kind);
        }
    }

    /// Remembers how numbers of a commodity are written: `1.000,00 EUR`. The commodity.
    fn style(&mut self, format: &str) -> Option<String> {
        let format = format.split(';').next().unwrap_or_default();
        let mark = match (format.rfind('.'), format.rfind(',')) {
            (Some(point), Some(comma)) if comma > point => DecimalMark::Comma,
            (Some(_), Some(_)) => DecimalMark::Point,
            // One kind alone marks the decimals, but for one that stands twice.
            (None, Some(_)) if format.matches(',').count() == 1 => DecimalMark::Comma,
            (None, Some(_)) => DecimalMark::Point,
            (Some(_), None) if format.matches('.').count() == 1 => DecimalMark::Point,
            (Some(_), None) => DecimalMark::Comma,
            (None, None) => DecimalMark::Unsaid,
        };
        let commodity = money(format, mark, "")?.currency;
        if mark != DecimalMark::Unsaid && self.styles.len() < MAX_STYLES {
            self.styles.insert(commodity.clone(), mark);
        }
        Some(commodity)
    }

    /// The first line of an entry: `2026-11-03=2026-11-05 * (123) payee | note ; comment`.
    fn head(&self, line: &str, at: u64) -> Option<JournalEntry> {
        let line = line.split(';').next().unwrap_or_default();
        let end = line.find(char::is_whitespace).unwrap_or(line.len());
        let (dates, rest) = (line.get(..end)?, line.get(end..)?.trim());
        let date = date(dates.split('=').next()?, self.scope.year)?;
        let rest = rest.strip_prefix(['*', '!']).unwrap_or(rest).trim();
        let (reference, payee) = match rest.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
            Some((code, payee)) => (super::narration::number(code), payee),
            None => (None, rest),
        };
        Some(JournalEntry {
            line: at,
            date,
            payee: payee.split('|').next().unwrap_or_default().trim().to_owned(),
            reference,
            postings: Vec::new(),
            broken: false,
        })
    }

    /// A line of an entry: `* account  amount ; comment`.
    fn posting(&self, line: &str, entry: &mut JournalEntry) {
        let line = line.split(';').next().unwrap_or_default().trim();
        let line = line.strip_prefix(['*', '!']).unwrap_or(line).trim();
        // A virtual posting is no money.
        if line.is_empty() || line.starts_with(['(', '[']) {
            return;
        }
        let end = line
            .find("  ")
            .into_iter()
            .chain(line.find('\t'))
            .min()
            .unwrap_or(line.len());
        let (account, amount) = (
            line.get(..end).unwrap_or_default(),
            line.get(end..).unwrap_or_default(),
        );
        let mark = self.scope.mark.unwrap_or_else(|| self.mark_of(amount));
        match (self.name(account), amounts(amount, mark, &self.scope.usual)) {
            (Some(account), Some((amount, cost))) => entry.postings.push(JournalPosting {
                account,
                amount,
                cost,
            }),
            (None, _) | (_, None) => entry.broken = true,
        }
    }
}

/// An account's name in its directive, and the comment: the name ends at two spaces, a tab or a semicolon.
fn account_line(text: &str) -> (&str, &str) {
    let end = [text.find("  "), text.find('\t'), text.find(';')]
        .into_iter()
        .flatten()
        .min()
        .unwrap_or(text.len());
    (
        text.get(..end).unwrap_or_default().trim(),
        text.get(end..).unwrap_or_default(),
    )
}

fn contains_sign(amount: &str, sign: &str) -> bool {
    amount.to_lowercase().contains(sign)
}

fn is_year(text: &str) -> bool {
    text.len() == 4 && text.bytes().all(|b| b.is_ascii_digit())
}

/// A date by `-`, `/` or `.`, year first, or without a year.
fn date(text: &str, year: Option<i32>) -> Option<NaiveDate> {
    let parts: Vec<&str> = text.split(['-', '/', '.']).collect();
    let number = |text: &str| text.parse::<u32>().ok();
    match parts.as_slice() {
        [y, m, d] if y.len() == 4 => NaiveDate::from_ymd_opt(y.parse().ok()?, number(m)?, number(d)?),
        [m, d] => NaiveDate::from_ymd_opt(year?, number(m)?, number(d)?),
        _ => None,
    }
}
