//! What kind of account a journal's account is.
//!
//! What: [`DeclaredAccounts`], the kinds that a journal declares and the usual English names; [`AccountAliases`], the names that it replaces.
//! Why: a journal may be written in any language, and an account of an unknown kind would lose its money without a word. Not
//! here: what an entry says (`postings`), the directives' syntax (`journal`, `beancount`).

use regex::{Regex, RegexBuilder};
use std::{borrow::Cow, collections::BTreeMap};

/// Accounts whose kind a journal may declare; of more the declaration is left out.
const MAX_DECLARED: usize = 8192;
/// Aliases that may be in force.
const MAX_ALIASES: usize = 256;
/// The longest name of an account, in bytes: aliases may make names longer and longer.
const MAX_NAME: usize = 1024;
/// Bytes that an alias's compiled pattern may take.
const MAX_PATTERN: usize = 64 * 1024;

/// What an account's balance means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AccountKind {
    /// Assets and liabilities: the owner's own accounts.
    Own,
    Expense,
    Income,
    Equity,
}

impl AccountKind {
    /// By the letter or word of hledger's tag `type:`.
    pub(super) fn parse(text: &str) -> Option<Self> {
        match text.to_ascii_lowercase().as_str() {
            "a" | "asset" | "c" | "cash" | "l" | "liability" => Some(Self::Own),
            "x" | "expense" => Some(Self::Expense),
            "r" | "revenue" | "g" | "gain" => Some(Self::Income),
            "e" | "equity" | "v" | "conversion" => Some(Self::Equity),
            _ => None,
        }
    }
}

/// The kinds that a journal declares.
#[derive(Debug, Default)]
pub(super) struct DeclaredAccounts {
    declared: BTreeMap<String, AccountKind>,
}

impl DeclaredAccounts {
    /// Takes a declaration; it holds for the accounts below it too.
    pub(super) fn declare(&mut self, account: &str, kind: AccountKind) {
        if self.declared.len() < MAX_DECLARED {
            self.declared.insert(account.to_owned(), kind);
        }
    }

    /// The kind of an account: as the nearest account above it was declared, else by the usual first part of its name.
    pub(super) fn kind(&self, account: &str) -> Option<AccountKind> {
        let mut name = account;
        loop {
            if let Some(kind) = self.declared.get(name) {
                return Some(*kind);
            }
            match name.rsplit_once(':') {
                Some((above, _)) => name = above,
                None => break,
            }
        }
        match name.trim().to_lowercase().as_str() {
            "asset" | "assets" | "liability" | "liabilities" | "debt" | "debts" => Some(AccountKind::Own),
            "expense" | "expenses" => Some(AccountKind::Expense),
            "income" | "revenue" | "revenues" => Some(AccountKind::Income),
            "equity" => Some(AccountKind::Equity),
            _ => None,
        }
    }
}

#[derive(Debug, Clone)]
enum AccountAlias {
    /// An account, and those below it.
    Name(String, String),
    /// Every part of a name that fits.
    Pattern(Regex, String),
}

/// An alias that cannot be followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BadAlias;

/// hledger's aliases, in the order in which they were declared.
#[derive(Debug, Clone, Default)]
pub(super) struct AccountAliases(Vec<AccountAlias>);

impl AccountAliases {
    /// Takes `OLD = NEW` or `/PATTERN/ = REPLACEMENT`, in which `\1` stands for what the pattern's first group found.
    pub(super) fn declare(&mut self, text: &str) -> Result<(), BadAlias> {
        if self.0.len() >= MAX_ALIASES || text.len() > MAX_NAME {
            return Err(BadAlias);
        }
        let alias = if let Some(rest) = text.strip_prefix('/') {
            let (pattern, rest) = rest.split_once('/').ok_or(BadAlias)?;
            let (_, replacement) = rest.split_once('=').ok_or(BadAlias)?;
            let pattern = RegexBuilder::new(pattern)
                .case_insensitive(true)
                .size_limit(MAX_PATTERN)
                .build()
                .map_err(|_| BadAlias)?;
            AccountAlias::Pattern(pattern, expansion(replacement.trim()))
        } else {
            let (old, new) = text.split_once('=').ok_or(BadAlias)?;
            AccountAlias::Name(old.trim().to_owned(), new.trim().to_owned())
        };
        self.0.push(alias);
        Ok(())
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// The name of an account after all aliases, the latest first. `None` when it becomes too long.
    pub(super) fn applied<'a>(&self, account: &'a str) -> Option<Cow<'a, str>> {
        let mut name = Cow::Borrowed(account);
        for alias in self.0.iter().rev() {
            let replaced = match alias {
                AccountAlias::Name(old, new) => match name.strip_prefix(old.as_str()) {
                    Some(rest) if rest.is_empty() || rest.starts_with(':') => Some(format!("{new}{rest}")),
                    Some(_) | None => None,
                },
                AccountAlias::Pattern(pattern, replacement) => {
                    match pattern.replace_all(&name, replacement.as_str()) {
                        Cow::Owned(replaced) => Some(replaced),
                        Cow::Borrowed(_) => None,
                    }
                }
            };
            if let Some(replaced) = replaced {
                name = Cow::Owned(replaced);
            }
            if name.len() > MAX_NAME {
                return None;
            }
        }
        Some(name)
    }
}

/// A replacement in the notation of the library: `\1` is `${1}`, and a dollar is one.
fn expansion(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek().copied()) {
            ('\\', Some(digit)) if digit.is_ascii_digit() => {
                out.extend(["${", digit.encode_utf8(&mut [0; 4]), "}"]);
                chars.next();
            }
            ('$', _) => out.push_str("$$"),
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_is_of_the_kind_declared_nearest_above_it() {
        let mut accounts = DeclaredAccounts::default();
        accounts.declare("Aktiva", AccountKind::Own);
        accounts.declare("Aktiva:Verrechnung", AccountKind::Equity);
        for (account, kind) in [
            ("Aktiva", Some(AccountKind::Own)),
            ("Aktiva:Bank", Some(AccountKind::Own)),
            ("Aktiva:Verrechnung:2026", Some(AccountKind::Equity)),
            ("Aktivatausch", None),
            ("Assets:Bank", Some(AccountKind::Own)),
            ("liabilities", Some(AccountKind::Own)),
            ("revenues:salary", Some(AccountKind::Income)),
            ("Aufwand:Essen", None),
        ] {
            assert_eq!(accounts.kind(account), kind, "{account}");
        }
        for (text, kind) in [
            ("A", Some(AccountKind::Own)),
            ("Cash", Some(AccountKind::Own)),
            ("x", Some(AccountKind::Expense)),
            ("Revenue", Some(AccountKind::Income)),
            ("V", Some(AccountKind::Equity)),
            ("Q", None),
        ] {
            assert_eq!(AccountKind::parse(text), kind, "{text}");
        }
    }

    #[test]
    fn aliases_are_applied_latest_first_and_each_to_what_the_last_made() {
        let mut aliases = AccountAliases::default();
        for alias in [
            "bank = assets:bank",
            r"/^(.+):(.+)gas$/ = expenses:\2gas:\1",
            "giro = bank:giro 8841",
        ] {
            aliases.declare(alias).unwrap();
        }
        for (account, name) in [
            ("giro", "assets:bank:giro 8841"),
            ("bank:fees", "assets:bank:fees"),
            ("banking", "banking"),
            ("House:Natural Gas", "expenses:Natural gas:House"),
        ] {
            assert_eq!(aliases.applied(account).as_deref(), Some(name), "{account}");
        }
        for bad in ["no sign", "/open = x", "/(/ = x", r"/\w{500}{500}/ = x"] {
            assert_eq!(aliases.declare(bad), Err(BadAlias), "{bad}");
        }
        let mut longer = AccountAliases::default();
        for _ in 0..MAX_ALIASES {
            longer.declare(r"/(.+)/ = \1\1").unwrap();
        }
        assert_eq!(longer.declare("a = b"), Err(BadAlias));
        assert_eq!(longer.applied("x"), None);
        longer.clear();
        assert_eq!(longer.applied("x").as_deref(), Some("x"));
    }
}
