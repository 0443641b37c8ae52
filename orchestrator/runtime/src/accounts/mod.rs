//! The owner's accounts on servers.
//!
//! What: [`AccountConfig`], as the owner's file names them; [`LiveAccounts`], which looks at each when its time has come. Why: a calendar that
//! lies on a server is read where it is, and nobody exports files twice. Not here: reading one (`aura_process::source`), the rows of the
//! page (`surfaces`).

mod broker;
mod cache;
mod deliveries;
mod live;
mod logins;
mod mail_session;
mod mail_store;
mod memory_files;
mod money_access;
mod poll;
mod requests;
mod sign_in;
mod sign_in_flow;
mod token_revocation;
mod trial;
mod views;
mod worker_request;

pub(crate) use deliveries::REPLIES;
pub use deliveries::{DeliveryKind, ServerDeliveryReport};
pub use live::{AccountReport, LiveAccounts};
pub(crate) use memory_files::AccountFiles;
pub(crate) use poll::poll_accounts;
pub use requests::{AccountCommand, AccountSecret};
pub use sign_in::SignInConfig;
pub(crate) use sign_in::TokenRenewals;
pub(crate) use trial::WantedAccount;

use aura_process::source::{AccountProtocol, ServerPlace};
use serde::Deserialize;
use surfaces_base::backend::sign_in::SignInDraft;
use toolcall_schema::accounts::ServerAccountKind;

/// Accounts in one file.
const ACCOUNTS_MAX: usize = 16;
/// Characters of a name.
const NAME_MAX: usize = 40;
/// Days of mail that are read at first, as they are and at most.
const DAYS: u32 = 30;
const DAYS_MAX: u32 = 3650;
/// What an account of mail is not called: by such a name of a folder the Comms agent knows mail that the owner sent.
const SENT_NAMES: [&str; 3] = ["sent", "sent-mail", "gesendet"];
/// Minutes between two looks, as they are and at most.
const EVERY_MIN: u32 = 15;
const EVERY_MIN_CALENDARS: u32 = 1;
const EVERY_MIN_NAMES: u32 = 60;
const EVERY_MIN_MONEY: u32 = 6 * 60;
const EVERY_MIN_MAX: u32 = 24 * 60;

/// `[[accounts]]`
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AccountTable {
    name: String,
    kind: ServerAccountKind,
    address: String,
    user: Option<String>,
    #[serde(default)]
    private: bool,
    every: Option<u32>,
    days: Option<u32>,
    certificate: Option<String>,
    #[serde(default)]
    paused: bool,
    #[serde(default)]
    write: bool,
    keep_free: Option<String>,
    sign_in: Option<SignInDraft>,
}

/// How what lies there is spoken to.
pub(crate) fn protocol_of(kind: ServerAccountKind) -> AccountProtocol {
    match kind {
        ServerAccountKind::CalendarAddress => AccountProtocol::CalendarAddress,
        ServerAccountKind::CalDav => AccountProtocol::CalDav,
        ServerAccountKind::CardDav => AccountProtocol::CardDav,
        ServerAccountKind::Imap => AccountProtocol::Imap,
        ServerAccountKind::Jmap => AccountProtocol::Jmap,
        ServerAccountKind::SimpleFin => AccountProtocol::SimpleFin,
        ServerAccountKind::HomeAssistant => AccountProtocol::HomeAssistant,
    }
}

/// Minutes between two looks, where nobody says otherwise. A calendar that did not change is one small answer; banks are asked by others for others.
fn usual_every_min(kind: ServerAccountKind) -> u32 {
    match kind {
        ServerAccountKind::CalDav => EVERY_MIN_CALENDARS,
        ServerAccountKind::CalendarAddress | ServerAccountKind::Imap | ServerAccountKind::Jmap => EVERY_MIN,
        ServerAccountKind::CardDav | ServerAccountKind::HomeAssistant => EVERY_MIN_NAMES,
        ServerAccountKind::SimpleFin => EVERY_MIN_MONEY,
    }
}

/// How the files end in which the agents find what lies there.
fn file_ending(kind: ServerAccountKind) -> &'static str {
    match kind {
        ServerAccountKind::CalendarAddress | ServerAccountKind::CalDav => "ics",
        ServerAccountKind::CardDav => "vcf",
        ServerAccountKind::Imap | ServerAccountKind::Jmap => "eml",
        ServerAccountKind::SimpleFin => "ofx",
        ServerAccountKind::HomeAssistant => "csv",
    }
}

/// Whether what lies there is kept sealed: a laptop offline must know its day, and nothing else (`docs/adr/0132`, `docs/adr/0135`).
fn is_kept(kind: ServerAccountKind) -> bool {
    match kind {
        ServerAccountKind::CalendarAddress | ServerAccountKind::CalDav => true,
        ServerAccountKind::CardDav
        | ServerAccountKind::Imap
        | ServerAccountKind::Jmap
        | ServerAccountKind::SimpleFin
        | ServerAccountKind::HomeAssistant => false,
    }
}

/// Whether a token of the owner's provider can be shown there.
fn signs_in(kind: ServerAccountKind) -> bool {
    match kind {
        ServerAccountKind::CalDav
        | ServerAccountKind::CardDav
        | ServerAccountKind::Imap
        | ServerAccountKind::Jmap => true,
        ServerAccountKind::CalendarAddress
        | ServerAccountKind::SimpleFin
        | ServerAccountKind::HomeAssistant => false,
    }
}

/// A place of such an account.
fn place_of(kind: ServerAccountKind, address: &str) -> Option<ServerPlace> {
    if kind == ServerAccountKind::Imap {
        ServerPlace::parse_imap(address)
    } else {
        ServerPlace::parse(address)
    }
}

/// Whether it is up to 40 small letters, digits, `-` and `_`.
fn is_name(name: &str) -> bool {
    let is_sign = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'-' || c == b'_';
    (1..=NAME_MAX).contains(&name.len()) && name.bytes().all(is_sign)
}

/// Whether the Comms agent tells an account of that name from a folder of mail that the owner sent.
fn is_apart(kind: ServerAccountKind, name: &str) -> bool {
    !kind.is_mail() || !SENT_NAMES.contains(&name)
}

/// A SHA-256 fingerprint as it is compared; `None`: it is none.
fn fingerprint(typed: &str) -> Option<String> {
    let hash = typed.replace([':', ' '], "").to_ascii_lowercase();
    (hash.len() == 64 && hash.bytes().all(|c| c.is_ascii_hexdigit())).then_some(hash)
}

/// An account that the owner named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountConfig {
    /// Small letters, digits, `-` and `_`.
    pub name: String,
    pub kind: ServerAccountKind,
    pub place: ServerPlace,
    pub user: Option<String>,
    /// Whether it may be on this computer or in a network of one's own.
    pub is_private: bool,
    /// Minutes between two looks.
    pub every_min: u32,
    /// Days of mail that are read at first; of calendars nothing.
    pub days: u32,
    /// SHA-256 of the one certificate that is trusted.
    pub certificate: Option<String>,
    pub is_paused: bool,
    /// Whether what the owner confirmed is written there too.
    pub is_writable: bool,
    /// The calendar that time which is kept free goes to, by its name or its path there; of one account at most.
    pub keep_free: Option<String>,
    /// How the owner signs in by her provider; absent: she has a password.
    pub sign_in: Option<SignInConfig>,
}

impl AccountTable {
    /// All of a file, checked.
    ///
    /// # Errors
    /// What is wrong, in words.
    pub(crate) fn check_all(tables: Vec<Self>) -> Result<Vec<AccountConfig>, String> {
        if tables.len() > ACCOUNTS_MAX {
            return Err(format!("are {}; at most {ACCOUNTS_MAX} are read", tables.len()));
        }
        let mut all: Vec<AccountConfig> = Vec::new();
        for table in tables {
            let account = table.check()?;
            if all.iter().any(|known| known.name == account.name) {
                return Err(format!(
                    "name {:?} twice: give each a name of its own",
                    account.name
                ));
            }
            if account.keep_free.is_some() && all.iter().any(|known| known.keep_free.is_some()) {
                return Err(format!(
                    "{}: `keep_free` stands at another account too: time that is kept free goes to one calendar",
                    account.name
                ));
            }
            all.push(account);
        }
        Ok(all)
    }

    fn check(self) -> Result<AccountConfig, String> {
        let name = self.name;
        if !is_name(&name) {
            return Err(format!(
                "{name:?} is no name: take up to {NAME_MAX} small letters, digits, - and _"
            ));
        }
        let (is_mail, is_imap) = (self.kind.is_mail(), self.kind == ServerAccountKind::Imap);
        let example = if is_imap {
            "imaps://mail.example.org"
        } else {
            "https://dav.example.org/"
        };
        let place = place_of(self.kind, &self.address).ok_or_else(|| {
            format!("{name}: `address` is no address of a server, such as \"{example}\"; a login stands in the vault, not in it")
        })?;
        if !is_apart(self.kind, &name) {
            return Err(format!(
                "{name:?} is what mail programs call a folder: give the account another name"
            ));
        }
        if self.days.is_some() && !is_mail {
            return Err(format!("{name}: `days` is of mail alone"));
        }
        let days = self.days.unwrap_or(DAYS);
        if !(1..=DAYS_MAX).contains(&days) {
            return Err(format!(
                "{name}: `days` is {days}; it must be from 1 to {DAYS_MAX}"
            ));
        }
        // IMAP is sealed by STARTTLS, or the worker refuses.
        if !is_imap && !place.is_tls && !self.private {
            return Err(format!(
                "{name}: `http://` is not sealed on its way: write `https://`, or `private = true` for a server in your own network"
            ));
        }
        let every_min = self.every.unwrap_or(usual_every_min(self.kind));
        if !(1..=EVERY_MIN_MAX).contains(&every_min) {
            return Err(format!(
                "{name}: `every` is {every_min} minutes; it must be from 1 to {EVERY_MIN_MAX}"
            ));
        }
        if self.keep_free.is_some() && self.kind != ServerAccountKind::CalDav {
            return Err(format!(
                "{name}: `keep_free` names a calendar of CalDAV: take it away"
            ));
        }
        if self.write && !self.kind.takes_writes() {
            return Err(format!(
                "{name}: only calendars of CalDAV and mail are written to: take `write` away"
            ));
        }
        let sign_in = self
            .sign_in
            .map(|draft| SignInConfig::check(draft, &name, self.private));
        let sign_in = sign_in.transpose()?;
        if sign_in.is_some() && !signs_in(self.kind) {
            return Err(format!(
                "{name}: `sign_in` is of `caldav`, `carddav`, `imap` and `jmap` alone"
            ));
        }
        if sign_in.is_some() && is_imap && self.user.is_none() {
            return Err(format!(
                "{name}: mail with `sign_in` wants `user`, which is your mail address"
            ));
        }
        let no_hash = || format!("{name}: `certificate` is no SHA-256 fingerprint of 64 hexadecimal digits");
        let certificate = self
            .certificate
            .map(|text| fingerprint(&text).ok_or_else(no_hash))
            .transpose()?;
        Ok(AccountConfig {
            name,
            kind: self.kind,
            place,
            user: self.user,
            is_private: self.private,
            every_min,
            days,
            certificate,
            is_paused: self.paused,
            is_writable: self.write,
            keep_free: self.keep_free,
            sign_in,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(text: &str) -> Result<Vec<AccountConfig>, String> {
        #[derive(Deserialize)]
        struct Document {
            accounts: Vec<AccountTable>,
        }
        let document: Document = toml::from_str(text).map_err(|error| error.to_string())?;
        AccountTable::check_all(document.accounts)
    }

    #[test]
    fn accounts_are_read_with_what_is_usual() {
        let found = checked(
            "[[accounts]]\nname = \"work\"\nkind = \"caldav\"\naddress = \"https://dav.example.org/kim/\"\nuser = \"kim\"\n\
             [[accounts]]\nname = \"team\"\nkind = \"calendar address\"\naddress = \"webcal://example.org/team.ics\"\nevery = 60\n\
             certificate = \"AB:CD:EF:01:23:45:67:89:AB:CD:EF:01:23:45:67:89:AB:CD:EF:01:23:45:67:89:AB:CD:EF:01:23:45:67:89\"\n\
             [[accounts]]\nname = \"home\"\nkind = \"imap\"\naddress = \"imaps://mail.example.org\"\nuser = \"kim\"\n\
             [[accounts]]\nname = \"old\"\nkind = \"imap\"\naddress = \"imap://mail.example.org\"\ndays = 365\n",
        )
        .unwrap();
        let [work, team, home, old] = &found[..] else {
            panic!("{found:?}")
        };
        assert_eq!(
            (work.kind, work.every_min, work.place.port),
            (ServerAccountKind::CalDav, 1, 443)
        );
        assert_eq!((team.every_min, team.place.path.as_str()), (60, "/team.ics"));
        assert_eq!(
            (home.kind, home.days, home.place.port),
            (ServerAccountKind::Imap, 30, 993)
        );
        assert_eq!((old.days, old.place.port, old.place.is_tls), (365, 143, false));
        assert_eq!(
            team.certificate.as_deref(),
            Some("abcdef0123456789".repeat(4).as_str())
        );
    }

    #[test]
    fn accounts_that_make_no_sense_are_refused_with_what_would() {
        let table = |more: &str| {
            format!(
                "[[accounts]]\nname = \"a\"\nkind = \"caldav\"\naddress = \"https://example.org/\"\n{more}"
            )
        };
        let mail = |name: &str, more: &str| {
            format!(
                "[[accounts]]\nname = \"{name}\"\nkind = \"imap\"\naddress = \"mail.example.org\"\n{more}"
            )
        };
        let twice = table(&table(""));
        for (text, wanted) in [
            (twice.as_str(), "twice"),
            (&table("every = 0\n"), "from 1 to 1440"),
            (&table("certificate = \"12\"\n"), "64 hexadecimal digits"),
            (&table("password = \"x\"\n"), "password"),
            (
                &table("write = true\n").replace("\"caldav\"", "\"calendar address\""),
                "take `write` away",
            ),
            (
                &table("write = true\n").replace("\"caldav\"", "\"carddav\""),
                "take `write` away",
            ),
            (
                &table("write = true\n").replace("\"caldav\"", "\"simplefin\""),
                "take `write` away",
            ),
            (
                &table("keep_free = \"Work\"\n").replace("\"caldav\"", "\"carddav\""),
                "a calendar of CalDAV",
            ),
            (
                &[
                    table("keep_free = \"Work\"\n"),
                    table("keep_free = \"Home\"\n").replace("\"a\"", "\"b\""),
                ]
                .concat(),
                "one calendar",
            ),
            (&table("").replace("\"a\"", "\"../a\""), "is no name"),
            (&table("").replace("https://", "http://"), "private = true"),
            (
                &table("").replace("https://", "https://kim:secret@"),
                "is no address",
            ),
            (&table("").replace("caldav", "pop3"), "caldav"),
            (&table("").replace("caldav", "imap"), "imaps://mail.example.org"),
            (&table("days = 9\n"), "of mail alone"),
            (
                &table("[accounts.sign_in]\nclient_id = \"a\"\n"),
                "wants an `issuer`",
            ),
            (
                &table("[accounts.sign_in]\nclient_id = \"a\"\npassword = \"s\"\n"),
                "unknown field",
            ),
            (
                &table("[accounts.sign_in]\nclient_id = \"a\"\nissuer = \"https://login.example/\"\n")
                    .replace("\"caldav\"", "\"simplefin\""),
                "of `caldav`, `carddav`, `imap` and `jmap`",
            ),
            (
                &mail(
                    "a",
                    "[accounts.sign_in]\nclient_id = \"a\"\nissuer = \"https://login.example/\"\n",
                ),
                "wants `user`",
            ),
            (&mail("a", "days = 4000\n"), "from 1 to 3650"),
            (&mail("sent", ""), "another name"),
        ] {
            let error = checked(text).unwrap_err();
            assert!(error.contains(wanted), "{error}");
            assert!(!error.contains("secret"), "{error}");
        }
    }
}
