//! What the service and the worker of an account of mail say to each other besides.
//!
//! What: [`MailboxTask`], with which such a worker begins; [`MailPart`], what it finds; [`MailOrder`], what it is told while it waits, and
//! [`OrderOutcome`]. Why: the worker of mail stays, and is spoken to again. Not here: what all accounts have in common (`wire`).

use super::{
    uid_set::UidSet,
    wire::{ACCOUNT_FRAME_MAX, LookFailure},
};
use data_encoding::BASE64;
use serde::{Deserialize, Serialize};
use std::fmt;
use toolcall_schema::wire::{VERSION, WireError, decode_frame, encode_frame};

/// Bytes of a draft.
pub const DRAFT_BYTES_MAX: usize = 256 << 10;

/// Mails that are asked for again at once.
pub const WANTED_MAX: usize = 1024;

/// How mail is read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MailboxTask {
    /// Days back that are read of a folder that is new.
    pub days: u32,
    /// Seconds between two looks at all folders.
    pub every_s: u64,
    /// Whether a server that offers no TLS is given the login all the same.
    pub may_be_unsealed: bool,
    /// What need not be fetched again.
    pub known: Vec<KnownFolder>,
    /// What the account's folder in memory is called: the places of mails are of it.
    pub account: String,
    /// How far the marks and moves of all mails are known, of a server that counts them for all folders together (JMAP).
    pub mark: Option<String>,
    /// What is fetched before anything else; that this was done is told as an order of the number 0.
    pub wanted: Vec<WantedMails>,
}

/// Mails that are asked for by their place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WantedMails {
    /// The number of their folder (`agents::fetched_folder_number`).
    pub folder: u64,
    pub uids: UidSet,
}

/// A folder that was read before, whole or in part.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownFolder {
    pub name: String,
    pub uid_validity: u32,
    /// How far its marks are known (`MODSEQ`); 0: they are not.
    pub mod_seq: u64,
    /// All mails up to here are there that are to be. 0, by JMAP: its numbers are made of ids and have no order.
    pub upto: u32,
    /// Those beyond that are there: of a look that broke off, or by JMAP.
    pub held: UidSet,
    /// Those whose text is there.
    pub texts: UidSet,
}

/// Bytes of a mail. Never shown.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct MailBytes(pub Vec<u8>);

impl fmt::Debug for MailBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MailBytes({})", self.0.len())
    }
}

impl From<MailBytes> for String {
    fn from(bytes: MailBytes) -> Self {
        BASE64.encode(&bytes.0)
    }
}

impl TryFrom<String> for MailBytes {
    type Error = data_encoding::DecodeError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        BASE64.decode(text.as_bytes()).map(Self)
    }
}

/// Marks of a mail that the agent weighs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MailMarks {
    pub answered: bool,
    pub seen: bool,
    /// It goes with the next cleaning up.
    pub deleted: bool,
    pub draft: bool,
}

/// A piece of what a look found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "part", rename_all = "snake_case", deny_unknown_fields)]
pub enum MailPart {
    /// What follows is of this folder.
    Folder {
        name: String,
        is_sent: bool,
        uid_validity: u32,
        /// Whether what was known of it goes.
        is_whole: bool,
    },
    /// A mail with its text.
    Mail {
        uid: u32,
        marks: MailMarks,
        bytes: MailBytes,
    },
    /// The head of an older one.
    OldHead { uid: u32, bytes: MailBytes },
    /// Other marks on one whose text is known.
    Marks { uid: u32, marks: MailMarks },
    /// One that is there no more.
    Gone { uid: u32 },
    /// The folder is read up to here.
    ReadUpTo { uid: u32, mod_seq: u64 },
    /// All folders are read so far (JMAP).
    ReadAll { mark: String },
    /// Who wrote a mail that was asked for again, and its id, of a folder of this number.
    HeadAgain { folder: u64, uid: u32, bytes: MailBytes },
}

/// What a worker of mail is told while it waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "order", rename_all = "snake_case", deny_unknown_fields)]
pub enum MailOrder {
    /// Look at all folders now.
    Look,
    /// Fetch who wrote these.
    FetchAgain { number: u64, wanted: Vec<WantedMails> },
    /// Put a message into the folder of drafts, unless one of that id lies there.
    PutDraft {
        number: u64,
        /// With its angle brackets, as it stands in the message.
        message_id: String,
        /// The mail that it answers, by its id: where that lies in the inbox the draft goes to whoever wrote it.
        answers: Option<String>,
        /// Without what says whom it answers.
        message: MailBytes,
    },
    /// Put another text in the place of a draft, unless another program changed that. Its head stays: to whom it goes and what it answers.
    ReplaceDraft {
        number: u64,
        message_id: String,
        /// The draft that is replaced, as the server numbers it.
        version: String,
        /// Without what stays of the head.
        message: MailBytes,
    },
    /// Take the message of that id out of the folder of drafts; of `version` that one alone.
    RemoveDraft {
        number: u64,
        message_id: String,
        version: Option<String>,
    },
}

/// What became of an order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case", deny_unknown_fields)]
pub enum OrderOutcome {
    /// What there is of the mails that were asked for was handed over.
    FetchedAgain,
    /// The draft lies there now, and is numbered so by the server.
    Put { version: Option<String> },
    /// It lay there already.
    WasThere { version: Option<String> },
    /// It is gone.
    Removed,
    /// It was not there.
    WasGone,
    /// Another program put another text in its place. Nothing was changed.
    Changed,
    /// It is marked as deleted and lies there still: the server cannot take one away alone.
    OnlyMarked,
    /// There is no folder of drafts.
    NoDrafts,
    /// The mailbox is full. Nothing was changed.
    Full,
    /// The server said no. Nothing was changed.
    Refused,
    /// It is not known whether it was done: the connection ended.
    Unknown { failure: LookFailure },
}

/// A frame to a worker of mail.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ToMailWorker {
    v: u32,
    order: MailOrder,
}

impl MailOrder {
    pub(super) fn encode(self) -> Result<Vec<u8>, WireError> {
        encode_frame(
            &ToMailWorker {
                v: VERSION,
                order: self,
            },
            ACCOUNT_FRAME_MAX,
        )
    }

    pub(super) fn decode(body: &[u8]) -> Result<Self, WireError> {
        decode_frame(body, ACCOUNT_FRAME_MAX, |frame: &ToMailWorker| u64::from(frame.v))
            .map(|frame| frame.order)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_mails_pass_as_they_are_and_are_never_shown() {
        let part = MailPart::Mail {
            uid: 7,
            marks: MailMarks::default(),
            bytes: MailBytes(vec![0, 255, b'"', b'\n']),
        };
        let text = serde_json::to_string(&part).unwrap();
        assert_eq!(serde_json::from_str::<MailPart>(&text).unwrap(), part);
        assert!(format!("{part:?}").contains("MailBytes(4)"));
        let order = MailOrder::RemoveDraft {
            number: 1,
            message_id: "<a@example.org>".to_owned(),
            version: None,
        };
        let frame = order.clone().encode().unwrap();
        assert_eq!(MailOrder::decode(&frame[4..]).unwrap(), order);
    }
}
