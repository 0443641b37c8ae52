//! Statements of ISO 20022: CAMT.053, the report CAMT.052 and the notification CAMT.054, of any version.
//!
//! What: [`CamtStatement`], an iterator over what such a file tells. Why: it is what banks of Europe give; the versions differ in where a name and a status
//! stand. Not here: one entry (`camt_entry`), memory and encodings (`xml_input`).

use super::{
    END_OF_DAY, EntryCounter, KnownBalance, SourceLocation, StatementItem, believable,
    camt_entry::{CamtAmount, CamtEntry},
    currency::is_currency,
    dates::of_xml,
    ofx::last4,
    xml_input::XmlInput,
};
use crate::{claim::NO_ACCOUNT, code};
use agents_base::shared::{SOURCE_UNREADABLE, SkipCode};
use chrono_tz::Tz;
use quick_xml::{
    NsReader,
    escape::resolve_predefined_entity,
    events::{BytesRef, BytesStart, Event},
    name::ResolveResult,
};
use std::{collections::VecDeque, io::BufRead};

/// The longest text that is believed, in bytes.
const MAX_FIELD: usize = 1024;
/// The longest name of an element that is one of ours.
const MAX_NAME: usize = 32;
/// Elements within each other; a statement has about twelve.
const MAX_DEPTH: usize = 64;
/// Elements before the message: of an envelope with its header.
const MAX_BEFORE: u32 = 64;
/// An element of another namespace.
const FOREIGN: &str = "?";

/// The elements of the three messages, with that of one account in each.
const MESSAGES: [(&str, &str); 3] = [
    ("/Document/BkToCstmrStmt", "/Stmt"),
    ("/Document/BkToCstmrAcctRpt", "/Rpt"),
    ("/Document/BkToCstmrDbtCdtNtfctn", "/Ntfctn"),
];

/// Whether a namespace is that of one of the messages, in any version or country's rules.
fn is_camt(namespace: &str) -> bool {
    ["camt.052.", "camt.053.", "camt.054."]
        .iter()
        .any(|message| namespace.contains(message))
}

/// Whether a document has one of the messages, by its first bytes in any encoding.
pub(super) fn begins_camt(head: &[u8]) -> bool {
    // Of UTF-16 the letters of names have a 0 beside them.
    let head: Vec<u8> = head.iter().copied().filter(|byte| *byte != 0).collect();
    memchr::memmem::find(&head, b"BkToCstmr").is_some()
}

/// One account's part of a file.
struct CamtAccount {
    last4: String,
    is_card: bool,
    /// Whether a booked balance was told.
    has_booked: bool,
    /// What may be spent, which may count a credit line: told where there is nothing else.
    available: Option<(SourceLocation, KnownBalance)>,
}

impl CamtAccount {
    fn new() -> Self {
        Self {
            last4: NO_ACCOUNT.to_owned(),
            is_card: false,
            has_booked: false,
            available: None,
        }
    }
}

/// A balance, as written.
#[derive(Default)]
struct CamtBalance {
    kind: String,
    /// Of a page that is not the last.
    is_interim: bool,
    amount: CamtAmount,
    way: String,
    as_of: String,
}

/// A file that is read.
pub(crate) struct CamtStatement<R> {
    xml: NsReader<XmlInput<R>>,
    zone: Tz,
    buffer: Vec<u8>,
    /// The names of the open elements, each behind a `/`, and where each begins.
    path: String,
    opened: Vec<usize>,
    /// The text of the innermost element.
    text: String,
    /// The `Ccy` of the innermost element.
    currency: String,
    /// That of the document; empty: it has none.
    namespace: String,
    before: u32,
    /// Whether a message was found.
    seen: bool,
    /// How much of the path is the account's part of the message.
    base: Option<usize>,
    account: CamtAccount,
    balance: CamtBalance,
    entry: Option<CamtEntry>,
    made: EntryCounter,
    out: VecDeque<(SourceLocation, Result<StatementItem, SkipCode>)>,
    over: bool,
}

impl<R: BufRead> CamtStatement<R> {
    /// A file of an owner in `zone`, in UTF-8.
    pub(super) fn new(input: R, zone: Tz) -> Self {
        let mut xml = NsReader::from_reader(XmlInput::new(input));
        let config = xml.config_mut();
        config.expand_empty_elements = true;
        // A bank that forgot to escape a name's sign.
        config.allow_dangling_amp = true;
        Self {
            xml,
            zone,
            buffer: Vec::new(),
            path: String::new(),
            opened: Vec::new(),
            text: String::new(),
            currency: String::new(),
            namespace: String::new(),
            before: 0,
            seen: false,
            base: None,
            account: CamtAccount::new(),
            balance: CamtBalance::default(),
            entry: None,
            made: EntryCounter::default(),
            out: VecDeque::new(),
            over: false,
        }
    }

    /// Bytes that were read.
    pub(super) fn read(&mut self) -> u64 {
        self.xml.get_mut().read
    }

    fn place(&mut self) -> SourceLocation {
        SourceLocation::line(self.xml.get_mut().line)
    }

    /// Takes the next piece of the file. False at its end.
    fn step(&mut self) -> Result<bool, SkipCode> {
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.clear();
        self.xml.get_mut().begin_piece();
        let goes_on = match self.xml.read_resolved_event_into(&mut buffer) {
            Ok((namespace, Event::Start(tag))) => {
                let namespace = match namespace {
                    ResolveResult::Bound(namespace) => Some(namespace.as_ref().to_owned()),
                    ResolveResult::Unbound => Some(String::new()),
                    ResolveResult::Unknown(_) => None,
                };
                self.open(&tag, namespace.as_deref())?;
                true
            }
            Ok((_, Event::End(_))) => {
                self.close();
                true
            }
            Ok((_, Event::Text(text))) => {
                self.add_text(&text.into_inner());
                true
            }
            Ok((_, Event::CData(text))) => {
                self.add_text(&text.into_inner());
                true
            }
            Ok((_, Event::GeneralRef(entity))) => {
                self.add_entity(entity);
                true
            }
            Ok((
                _,
                Event::Empty(_) | Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_),
            )) => true,
            Ok((_, Event::Eof)) if self.opened.is_empty() => false,
            Ok((_, Event::Eof)) => return Err(code::BREAKS_OFF),
            Err(quick_xml::Error::Io(_)) => return Err(SOURCE_UNREADABLE),
            Err(_) => return Err(code::BREAKS_OFF),
        };
        self.buffer = buffer;
        Ok(goes_on)
    }

    fn add_text(&mut self, text: &str) {
        let room = MAX_FIELD.saturating_sub(self.text.len());
        self.text.extend(text.chars().take(room));
    }

    /// One that the document defines itself stays as it is written: nothing is ever put in its place.
    fn add_entity(&mut self, entity: BytesRef<'_>) {
        if let Ok(Some(sign)) = entity.resolve_char_ref() {
            return self.text.push(sign);
        }
        let name = entity.into_inner();
        match resolve_predefined_entity(&name) {
            Some(sign) => self.add_text(sign),
            None => self.add_text(&format!("&{name};")),
        }
    }

    fn open(&mut self, tag: &BytesStart<'_>, namespace: Option<&str>) -> Result<(), SkipCode> {
        self.text.clear();
        self.currency.clear();
        let local = tag.local_name();
        let name: &str = local.as_ref();
        if name == "Document" && self.base.is_none() {
            let known = namespace.filter(|namespace| namespace.is_empty() || is_camt(namespace));
            if let Some(known) = known {
                known.clone_into(&mut self.namespace);
            }
        }
        let is_ours = namespace == Some(&self.namespace) && name.len() <= MAX_NAME;
        self.opened.push(self.path.len());
        self.path.push('/');
        self.path.push_str(if is_ours { name } else { FOREIGN });
        if self.opened.len() > MAX_DEPTH {
            return Err(code::BREAKS_OFF);
        }
        if !self.seen {
            self.before += 1;
            self.seen = MESSAGES.iter().any(|(message, _)| self.path.ends_with(message));
            if self.before > MAX_BEFORE && !self.seen {
                return Err(code::NOT_A_STATEMENT);
            }
        }
        let Some(base) = self.base else {
            let begins = |(message, account): &(&str, &str)| {
                let outer = self.path.strip_suffix(account);
                outer.is_some_and(|outer| outer.ends_with(message))
            };
            if MESSAGES.iter().any(begins) {
                self.base = Some(self.path.len());
                self.account = CamtAccount::new();
            }
            return Ok(());
        };
        if let Ok(Some(currency)) = tag.try_get_attribute("Ccy") {
            self.currency.extend(currency.value.chars().take(MAX_NAME));
        }
        match self.path.get(base..).unwrap_or_default() {
            "/Bal" => self.balance = CamtBalance::default(),
            "/Ntry" => self.entry = Some(CamtEntry::new(self.xml.get_mut().line)),
            "/Ntry/NtryDtls/TxDtls" => {
                if let Some(entry) = &mut self.entry {
                    entry.begin_part();
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn close(&mut self) {
        let text = std::mem::take(&mut self.text);
        if let Some(base) = self.base {
            // Taken out, so that what it says can be entered.
            let path = std::mem::take(&mut self.path);
            let below = path.get(base..).unwrap_or_default();
            match (below, text.trim()) {
                ("", _) => {
                    self.base = None;
                    self.end_account();
                }
                ("/Bal", _) => self.end_balance(),
                ("/Ntry", _) => {
                    if let Some(entry) = self.entry.take() {
                        let place = SourceLocation::line(entry.line);
                        for found in entry.payments(&self.account.last4, self.zone) {
                            let item = found.map(|found| self.made.numbered(found, self.zone));
                            self.out
                                .push_back((place.clone(), item.map(StatementItem::Payment)));
                        }
                    }
                }
                // The space around other elements.
                (_, "") => {}
                (field, value) => match (field.strip_prefix("/Ntry"), &mut self.entry) {
                    (Some(field), Some(entry)) => entry.take(field, value, &self.currency),
                    (Some(_) | None, _) => self.take(field, value),
                },
            }
            self.path = path;
        }
        self.path.truncate(self.opened.pop().unwrap_or_default());
        self.currency.clear();
    }

    fn take(&mut self, field: &str, value: &str) {
        let balance = &mut self.balance;
        match field {
            "/Acct/Id/IBAN" | "/Acct/Id/Othr/Id" => self.account.last4 = last4(value),
            "/Acct/Tp/Cd" => self.account.is_card = value == "CARD",
            "/Bal/Tp/CdOrPrtry/Cd" => value.clone_into(&mut balance.kind),
            "/Bal/Tp/SubTp/Cd" => balance.is_interim = value == "INTM",
            "/Bal/Amt" => balance.amount = CamtAmount::new(value, &self.currency),
            "/Bal/CdtDbtInd" => value.clone_into(&mut balance.way),
            "/Bal/Dt/Dt" | "/Bal/Dt/DtTm" => value.clone_into(&mut balance.as_of),
            _ => {}
        }
    }

    /// A card's balance is a debt, and nobody knows whose one without an account is.
    fn end_balance(&mut self) {
        let balance = std::mem::take(&mut self.balance);
        let is_booked = balance.kind == "CLBD";
        let is_closing = !balance.is_interim && (is_booked || balance.kind == "CLAV");
        if !is_closing || self.account.is_card || self.account.last4 == NO_ACCOUNT {
            return;
        }
        let place = self.place();
        match self.known_balance(&balance) {
            Some(known) if is_booked => {
                self.account.has_booked = true;
                self.out.push_back((place, Ok(StatementItem::Balance(known))));
            }
            Some(known) => self.account.available = Some((place, known)),
            None => self.out.push_back((place, Err(code::STATEMENT_ENTRY))),
        }
    }

    fn known_balance(&self, balance: &CamtBalance) -> Option<KnownBalance> {
        let currency = &balance.amount.currency;
        let size = balance.amount.size()?;
        let size = if size.is_zero() { size } else { believable(size)? };
        let amount = match balance.way.as_str() {
            "CRDT" => size,
            "DBIT" => -size,
            _ => return None,
        };
        is_currency(currency).then_some(KnownBalance {
            account_last4: self.account.last4.clone(),
            currency: currency.clone(),
            amount,
            as_of: of_xml(&balance.as_of, (END_OF_DAY, self.zone))?,
        })
    }

    fn end_account(&mut self) {
        let account = std::mem::replace(&mut self.account, CamtAccount::new());
        if let Some((place, known)) = account.available.filter(|_| !account.has_booked) {
            self.out.push_back((place, Ok(StatementItem::Balance(known))));
        }
    }
}

impl<R: BufRead> Iterator for CamtStatement<R> {
    type Item = (SourceLocation, Result<StatementItem, SkipCode>);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(told) = self.out.pop_front() {
                return Some(told);
            }
            if self.over {
                return None;
            }
            let step = match self.step() {
                Err(_) if self.xml.get_mut().is_full() => Err(code::ROW_TOO_LONG),
                step => step,
            };
            let code = match step {
                Ok(true) => continue,
                Ok(false) if self.seen => None,
                Err(code) if self.seen || code == SOURCE_UNREADABLE => Some(code),
                Ok(false) | Err(_) => Some(code::NOT_A_STATEMENT),
            };
            self.over = true;
            if let Some(code) = code {
                let begun = self.entry.take().map(|entry| SourceLocation::line(entry.line));
                let place = begun.unwrap_or_else(|| self.place());
                return Some((place, Err(code)));
            }
        }
    }
}
