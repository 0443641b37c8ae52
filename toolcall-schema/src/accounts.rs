//! The owner's accounts on servers.
//!
//! What: [`ServerAccountKind`], what lies on a server, and [`LookFailure`], why it cannot be read. Why: the worker of an account, the service, the
//! command line and the pages speak of both. Not here: how either is said (`surfaces_base::words`), reading (`orchestrator`).

use crate::names::{SourceKind, closed_enum};
use serde::{Deserialize, Serialize};

closed_enum!(
    /// What lies there, as the owner's file names it.
    ServerAccountKind {
        /// One iCalendar file at an address.
        CalendarAddress = "calendar address",
        /// Calendars, by CalDAV.
        CalDav = "caldav",
        /// Address books, by CardDAV.
        CardDav = "carddav",
        /// Folders of mail, by IMAP.
        Imap = "imap",
        /// Folders of mail, by JMAP.
        Jmap = "jmap",
        /// Bank accounts with their payments, by SimpleFIN.
        SimpleFin = "simplefin",
        /// One sensor of Home Assistant that says how long somebody slept.
        HomeAssistant = "home assistant",
    }
);

impl ServerAccountKind {
    /// The list of sources that its like on this computer stands in.
    pub fn list(self) -> SourceKind {
        match self {
            Self::CalendarAddress | Self::CalDav => SourceKind::Calendar,
            Self::CardDav => SourceKind::Contacts,
            Self::Imap | Self::Jmap => SourceKind::Mail,
            Self::SimpleFin => SourceKind::Finance,
            Self::HomeAssistant => SourceKind::Wellness,
        }
    }

    /// Whether what the owner confirms can be written there.
    pub fn takes_writes(self) -> bool {
        match self {
            Self::CalDav | Self::Imap | Self::Jmap => true,
            Self::CalendarAddress | Self::CardDav | Self::SimpleFin | Self::HomeAssistant => false,
        }
    }

    /// Whether mail lies there.
    pub fn is_mail(self) -> bool {
        self.list() == SourceKind::Mail
    }
}

/// Why an account cannot be read. What was known of it stays.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "why", rename_all = "snake_case", deny_unknown_fields)]
pub enum LookFailure {
    /// Nobody knows the host.
    UnknownHost,
    /// It cannot be connected to.
    Unreachable,
    /// Its name leads to this computer or into a network of one's own, and the owner did not say that it may.
    NotPublic,
    /// It sends elsewhere, to a host that nobody accepted: `https://host`, and where on it.
    Elsewhere { host: String, path: String },
    /// Its certificate is for another name.
    OtherName,
    /// Its certificate is of nobody whom this computer trusts.
    Untrusted,
    /// Its certificate has expired, or is of a time to come.
    OutOfDate,
    /// Its certificate is not the one that was accepted.
    NotPinned,
    /// It speaks no TLS.
    NoTls,
    /// It refuses the login.
    LoginRefused,
    /// It wants a login, and there is none.
    LoginMissing,
    /// It did not answer in time.
    Silent,
    /// It sends more than is taken.
    TooLarge,
    /// What it sends breaks off, or is not what it says it is.
    Broken,
    /// There is no calendar.
    NoCalendar,
    /// There is no address book.
    NoAddressBook,
    /// There is no bank account.
    NoMoney,
    /// Nothing there gives out mail by JMAP.
    NoJmap,
    /// There is no such sensor, or it measures no time.
    NoSensor,
    /// It refuses the request, by a status of HTTP.
    Refused { status: u16 },
    /// It wants to be asked less often.
    TooOften { after_s: Option<u32> },
    /// The worker ended before it was done.
    WorkerEnded,
    /// This computer has no memory in which what is found could lie.
    NoMemory,
    /// More folders of mail than are read.
    TooManyFolders,
    /// A server of mail that seals nothing.
    NotSealed,
    /// A server of mail that takes logins in no way that is spoken here.
    NoPasswords,
    /// A server of mail that says no to what is asked, in a word of its own that is not told on.
    SaysNo,
    /// One answer of a server of mail is larger than any that is asked for.
    AnswerTooLarge,
}

impl LookFailure {
    /// Takes out where on another host it sends: a secret address may stand in it.
    pub fn clear_path(&mut self) {
        if let Self::Elsewhere { host: _, path } = self {
            path.clear();
        }
    }
}
