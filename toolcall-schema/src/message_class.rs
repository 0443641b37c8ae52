//! What a message is, and why it counts as that.
//!
//! What: [`MessageClass`] and [`EvidenceCode`]. Why: candidates and traces name them as tools do, so they stand below both. Not here: deciding it (`agents`), how
//! it is said (`surfaces_base::words`).

use crate::names::closed_enum;

closed_enum!(
    /// What a message is, in the words that people have for it. The machine knows `Intent` alone.
    MessageClass {
        /// A person waits for the owner.
        NeedsYou = "needs_you",
        /// It asks everybody of a group.
        Group = "group",
        /// A date to agree on.
        Date = "date",
        /// A bill, or something with a deadline.
        Bill = "bill",
        /// A security code or a confirmation.
        Code = "code",
        /// Sent to many, or by a program.
        News = "news",
        /// Anything else between people.
        Talk = "talk",
        /// The owner asked and has no answer yet.
        Waiting = "waiting",
        /// Advertising or fraud that the owner did not ask for.
        Spam = "spam",
    }
);

closed_enum!(
    /// Why a message has its class: which rule or feature. Codes only, never a word of the message.
    EvidenceCode {
        /// A program sent it, by its headers.
        AutomaticSender = "automatic_sender",
        /// It came through a mailing list.
        ListMail = "list_mail",
        /// Its sender takes no replies.
        NoReplySender = "no_reply_sender",
        /// The owner's own server called it spam.
        UpstreamSpam = "upstream_spam",
        /// The owner has never written to its sender.
        UnknownSender = "unknown_sender",
        /// Its text looks like spam.
        SpamText = "spam_text",
        /// It does not come from whom it says.
        ForgedSender = "forged_sender",
        /// It asks a question.
        AsksQuestion = "asks_question",
        /// It asks for something to be done.
        AsksFavour = "asks_favour",
        /// It is to the owner alone.
        AddressedAlone = "addressed_alone",
        /// It names the owner.
        Named = "named",
        /// The owner only gets a copy.
        CopiedOnly = "copied_only",
        /// It answers a mail of the owner's.
        AnswersOwner = "answers_owner",
        /// It names a deadline.
        NamesDeadline = "names_deadline",
        /// It names an amount of money.
        NamesAmount = "names_amount",
        /// It holds a security code.
        NamesCode = "names_code",
        /// It proposes a time.
        ProposesTime = "proposes_time",
        /// It thanks and wants nothing.
        ThanksOnly = "thanks_only",
        /// Its sender or list was never answered.
        NeverAnswered = "never_answered",
        /// Its sender is often answered.
        OftenAnswered = "often_answered",
        /// The owner's own acts on cards taught it.
        Taught = "taught",
    }
);
