//! The owner's accounts on servers.
//!
//! What: [`AccountConfig`], as the owner's file names them; [`LiveAccounts`], which looks at each when its time has come. Why: a calendar that
//! lies on a server is read where it is, and nobody exports files twice. Not here: reading one (`aura_process::source`), the rows of the
//! page (`surfaces`).

mod broker;
mod cache;
mod deliveries;
mod live;
mod memory_files;
mod requests;
mod views;

pub use deliveries::{DeliveryKind, DeliveryReport};
pub(crate) use live::poll_accounts;
pub use live::{AccountReport, LiveAccounts};
pub(crate) use memory_files::AccountFiles;
pub use requests::{AccountCommand, AccountSecret};
pub use views::problem_of;

use aura_process::source::{AccountProtocol, ServerPlace};
use serde::{Deserialize, Serialize};

/// Accounts in one file.
const ACCOUNTS_MAX: usize = 16;
/// Characters of a name.
const NAME_MAX: usize = 40;
/// Minutes between two looks, as they are and at most.
const EVERY_MIN: u32 = 15;
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
    certificate: Option<String>,
    #[serde(default)]
    paused: bool,
    #[serde(default)]
    write: bool,
}

/// What lies there, as the file names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ServerAccountKind {
    #[serde(rename = "calendar address")]
    CalendarAddress,
    #[serde(rename = "caldav")]
    CalDav,
}

impl ServerAccountKind {
    pub(crate) fn protocol(self) -> AccountProtocol {
        match self {
            Self::CalendarAddress => AccountProtocol::CalendarAddress,
            Self::CalDav => AccountProtocol::CalDav,
        }
    }

    /// As the file writes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::CalendarAddress => "calendar address",
            Self::CalDav => "caldav",
        }
    }
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
    /// SHA-256 of the one certificate that is trusted.
    pub certificate: Option<String>,
    pub is_paused: bool,
    /// Whether what the owner confirmed is written there too.
    pub is_writable: bool,
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
            all.push(account);
        }
        Ok(all)
    }

    fn check(self) -> Result<AccountConfig, String> {
        let name = self.name;
        let is_sign = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'-' || c == b'_';
        if !(1..=NAME_MAX).contains(&name.len()) || !name.bytes().all(is_sign) {
            return Err(format!(
                "{name:?} is no name: take up to {NAME_MAX} small letters, digits, - and _"
            ));
        }
        let place = ServerPlace::parse(&self.address).ok_or_else(|| {
            format!("{name}: `address` is no address of a server, such as \"https://dav.example.org/\"; a login stands in the vault, not in it")
        })?;
        if !place.is_tls && !self.private {
            return Err(format!(
                "{name}: `http://` is not sealed on its way: write `https://`, or `private = true` for a server in your own network"
            ));
        }
        let every_min = self.every.unwrap_or(EVERY_MIN);
        if !(1..=EVERY_MIN_MAX).contains(&every_min) {
            return Err(format!(
                "{name}: `every` is {every_min} minutes; it must be from 1 to {EVERY_MIN_MAX}"
            ));
        }
        if self.write && self.kind != ServerAccountKind::CalDav {
            return Err(format!(
                "{name}: `write` is for `kind = \"caldav\"`: a calendar at an address is only read"
            ));
        }
        let certificate = self
            .certificate
            .map(|text| text.replace([':', ' '], "").to_ascii_lowercase());
        if let Some(hash) = &certificate
            && (hash.len() != 64 || !hash.bytes().all(|c| c.is_ascii_hexdigit()))
        {
            return Err(format!(
                "{name}: `certificate` is no SHA-256 fingerprint of 64 hexadecimal digits"
            ));
        }
        Ok(AccountConfig {
            name,
            kind: self.kind,
            place,
            user: self.user,
            is_private: self.private,
            every_min,
            certificate,
            is_paused: self.paused,
            is_writable: self.write,
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
             certificate = \"AB:CD:EF:01:23:45:67:89:AB:CD:EF:01:23:45:67:89:AB:CD:EF:01:23:45:67:89:AB:CD:EF:01:23:45:67:89\"\n",
        )
        .unwrap();
        let [work, team] = &found[..] else {
            panic!("{found:?}")
        };
        assert_eq!(
            (work.kind, work.every_min, work.place.port),
            (ServerAccountKind::CalDav, 15, 443)
        );
        assert_eq!((team.every_min, team.place.path.as_str()), (60, "/team.ics"));
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
        let twice = table(&table(""));
        for (text, wanted) in [
            (twice.as_str(), "twice"),
            (&table("every = 0\n"), "from 1 to 1440"),
            (&table("certificate = \"12\"\n"), "64 hexadecimal digits"),
            (&table("password = \"x\"\n"), "password"),
            (
                &table("write = true\n").replace("\"caldav\"", "\"calendar address\""),
                "only read",
            ),
            (&table("").replace("\"a\"", "\"../a\""), "is no name"),
            (&table("").replace("https://", "http://"), "private = true"),
            (
                &table("").replace("https://", "https://kim:secret@"),
                "is no address",
            ),
            (&table("").replace("caldav", "imap"), "caldav"),
        ] {
            let error = checked(text).unwrap_err();
            assert!(error.contains(wanted), "{error}");
            assert!(!error.contains("secret"), "{error}");
        }
    }
}
