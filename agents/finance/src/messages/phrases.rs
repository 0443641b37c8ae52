//! Phrases that any message of a bank may have besides, and those of messages that tell of no payment.
//!
//! What: [`CUT_FROM`] and [`CUT_SENTENCE`], which are cut; [`REFUSALS`] with what each weighs; [`DONE`]. Why: a phrase says more than its
//! words. Signs between the words of a phrase do not count. Not here: single words (`word_lists`).

/// A sentence is cut from one of these phrases on.
#[rustfmt::skip] // Words fill a line.
pub(super) const CUT_FROM: &[&str] = &[
    "not you", "not u", "not done by", "if not", "if you did not", "if you didn't", "if you have not", "if this wasn't",
    "if this was not", "if unauthorised", "if unauthorized", "if u have not", "if u did not", "not by you", "not initiated by you",
    "not made by you", "not authorised by", "not authorized by", "didn't make this", "to block", "sms block", "to report",
    "for dispute", "for disputes", "for queries", "for query", "for any query", "for assistance", "for help", "for support",
    "for details", "for more details", "for clarification", "to know more", "t&c", "t&cs", "terms apply", "click here", "click on",
    "click", "sms help", "call us", "call on", "call at", "never share", "do not share", "don't share", "dont share", "fwd this",
    "forward this", "download the app", "download our app", "to stop", "reply stop", "text stop", "reply help", "reply y",
    "if done by", "if wrong", "agar aapne nahi", "agar aap ne nahi", "yadi aapne nahi", "nicht sie", "falls sie nicht",
    "falls nicht von ihnen", "bei fragen", "bei rückfragen", "suspect fraud", "suspect a fraud", "to dispute", "trxn not done",
    "txn not done", "trxn. not done", "aapne nahi kiya", "not yours", "if suspicious", "for any issue", "for any issues",
    "for complaints", "for grievance", "report issue", "report fraud", "report it", "report immediately", "report at", "report to",
    "wasn't you", "wasnt you", "not me", "if fraud", "kindly report", "pls report", "please report", "pls call", "please call",
    "plz call", "plz report", "contact us", "kindly contact", "please contact", "pls contact", "call customer", "call your bank",
    "call helpline", "call 24x7", "customer care", "helpline", "toll free", "dial *", "agar yeh aapne", "agar ye aapne", "msg data rates", "msg&data rates", "msg and data rates", "message and data rates",
    "spare change", "your round-up", "round-up of",
];

/// A sentence that begins with one of these tells nothing of a payment.
#[rustfmt::skip] // Words fill a line.
pub(super) const CUT_SENTENCE: &[&str] = &[
    "call", "visit", "report", "beware", "download", "contact", "ignore", "note", "tip", "remember", "if", "in case",
    "in the event", "log in", "login", "chat", "please do not", "kindly ignore", "use our", "use the app", "get the app",
    "stay safe", "be alert", "be cautious", "save with", "dispute", "block", "sms", "whatsapp", "questions", "need help", "falls",
    "bitte", "agar", "yadi", "manage", "track your", "to view", "view", "see details", "check your", "please ignore", "do not",
    "don't", "never", "for security", "you can now", "now you can", "earn up to", "insta",
];

/// A code, not a payment.
#[rustfmt::skip] // Words fill a line.
const CODES: &[&str] = &[
    "otp", "otps", "one time password", "one time passcode", "one time pin", "verification code", "security code", "passcode",
    "authentication code", "tan", "mtan", "einmalpasswort", "confirmation code", "use code", "tac",
];

/// It tells what is held, or happened before.
#[rustfmt::skip] // Words fill a line.
const HELD: &[&str] = &[
    "last txn", "last transaction", "last transactions", "fallen below", "dropped below", "unterschritten", "überschritten",
];

/// It did not happen.
#[rustfmt::skip] // Words fill a line.
const DID_NOT_HAPPEN: &[&str] = &[
    "declined", "failed", "failure", "unsuccessful", "rejected", "bounced", "dishonoured", "dishonored", "could not", "couldn't",
    "not processed", "not been processed", "not completed", "not been completed", "not successful", "unable to", "insufficient",
    "unpaid", "has not been", "was not", "cannot be", "can not be", "no money was", "abgelehnt", "fehlgeschlagen",
    "nicht ausgeführt", "nicht durchgeführt", "asafal", "vifal", "nahi ho", "nahi hua", "not approved", "timed out", "cancelled",
    "canceled", "storniert", "not been debited", "not debited", "not credited", "expired", "fail ho", "fail hua", "nahi ho saka",
    "nahi hui", "zurückgegeben", "zurueckgegeben", "rücklastschrift",
    "ruecklastschrift", "mangels deckung", "disapproved", "did not go", "kam hai", "kam hain", "paryapt nahi", "refused", "sent for clearing", "under collection", "subject to realisation", "subject to realization", "stop payment", "we've stopped", "was stopped", "has been stopped",
];

/// It will happen, perhaps.
#[rustfmt::skip] // Words fill a line.
const MAY_HAPPEN: &[&str] = &[
    "will be", "shall be", "would be", "to be debited", "to be credited", "to be deducted", "to be charged", "to be paid",
    "will get", "will auto", "is scheduled", "your scheduled", "scheduled payment", "scheduled transfer", "will leave", "will go",
    "will come", "tomorrow", "morgen", "scheduled for", "been scheduled", "scheduled on", "upcoming", "wird am", "wird abgebucht",
    "werden abgebucht", "wird eingezogen", "geplant", "vorgemerkt", "kata jayega", "kate jayenge", "kat jayenge", "kat jayega",
    "debit hoga", "debit honge", "is due for", "we'll debit", "we will", "will debit", "set to be", "due to be", "being processed",
    "under process", "under processing", "in process", "has been initiated", "is initiated", "initiated", "is pending", "pending",
    "wird in", "execute on", "jayenge", "jayega", "in progress", "is awaiting", "awaiting", "expected by", "you will receive",
    "you'll receive", "is presented", "will reflect", "once you", "on completing", "maintain sufficient",
    "keep sufficient", "ensure sufficient", "keep balance", "ensure balance", "pre-debit", "ensure money", "ensure funds", "on hold",
    "lien", "has been blocked", "is processing", "buchen wir", "wir buchen", "ziehen wir", "wir ziehen", "coming up", "jayegi", "pre-authorization",
    "pre-authorisation", "preauthorization", "preauthorisation", "pre-auth", "pre authorization", "pre authorisation", "temporary hold",
    "authorization hold", "authorisation hold", "final amount", "kategi", "katega", "subject to approval", "will post", "presented in",
    "first debit on", "ausführung am", "erfasst", "terminiert",
];

/// Somebody asks for it, or asks about it.
#[rustfmt::skip] // Words fill a line.
const ASKED_FOR: &[&str] = &[
    "has requested", "have requested", "is requesting", "requested money", "requests", "requested rs", "requested inr",
    "collect request", "payment request", "money request", "request of", "request for", "request from", "requesting payment",
    "approve", "to approve", "to authorise", "to authorize", "request money", "fordert", "angefordert", "requested a payment",
    "requested payment", "did you", "reply yes", "reply with yes", "was this you", "verify this", "maange hain", "maanga hai",
    "requested", "geben sie", "bestätigen sie", "bitte bestätigen", "freizugeben", "do you recognise", "do you recognize",
    "stoppen", "wird gesperrt", "reply y or n", "reply yes/no", "enter your pin", "enter pin", "to confirm", "to complete", "request to pay", "has asked",
];

/// A mandate, a limit, a beneficiary.
#[rustfmt::skip] // Words fill a line.
const MANDATES: &[&str] = &[
    "mandate created", "mandate is created", "mandate has been", "mandate registered", "mandate is registered", "mandate for",
    "mandate set", "mandate of", "mandate towards", "mandate cancelled", "mandate revoked", "mandate is", "mandate was",
    "mandate request", "e-mandate", "emandate", "autopay created", "autopay is", "autopay set", "autopay has been",
    "autopay registered", "autopay activated", "auto pay set", "successfully created", "is created", "has been created",
    "has been registered", "successfully registered", "been set up", "is set up", "mandat erteilt", "sepa-mandat", "limit has been",
    "limit changed", "standing instruction registered", "standing instruction has", "standing instruction set", "instruction set", "si registered", "set up for",
    "has been activated", "been enhanced", "been increased", "has been set to", "increased to", "registered for", "beneficiary added",
    "beneficiary has", "payee added", "payee has been", "added as", "set up a", "request for", "service request", "complaint",
    "has been dispatched", "application",
];

/// It is owed.
#[rustfmt::skip] // Words fill a line.
const OWED: &[&str] = &[
    "is due", "due on", "due date", "falls due", "fall due", "due by", "total due", "amount due", "min due", "minimum due",
    "minimum amount", "overdue", "bill generated", "bill is", "bill of", "bill for", "bill dated", "your bill", "statement", "stmt",
    "pay by", "pay now", "pay before", "reminder", "last date", "fällig", "rechnung über", "ihre rechnung", "bill amount",
    "bill amt", "payable by", "due in", "bharna", "kist", "please pay", "kindly pay", "pls pay", "outstanding", "invoice",
    "pay your", "clear your", "repay", "baki hai", "bakaya", "due hai", "bill due", "emi due", "is unbilled", "due for payment",
    "min amt due", "total amt due", "amt due", "maturity", "matures", "will mature", "attracts", "non maintenance",
    "non-maintenance", "is payable", "to avoid",
];

/// It is offered.
#[rustfmt::skip] // Words fill a line.
const OFFERED: &[&str] = &[
    "offer", "offers", "pre-approved", "preapproved", "pre approved", "eligible", "eligibility", "apply", "apply now", "avail now",
    "avail loan", "avail offer", "to avail", "avail of", "avail the", "avail a", "avail instant", "avail your", "get up to",
    "get upto", "get rs", "get inr", "get flat", "get a", "get an", "get instant", "win", "earn", "hurry", "cashback up",
    "cashback upto", "cashback of up", "% off", "off on", "discount", "sale", "exclusive", "congratulations", "congrats", "upgrade",
    "loan offer", "personal loan", "instant loan", "limited period", "valid till", "valid until", "shop for", "shop now",
    "on spending", "minimum spend", "min spend", "lucky", "voucher", "gift card", "no cost emi", "convert", "0% interest",
    "angebot", "gutschein", "jetzt sichern", "up to", "upto", "paayein", "paaye", "jeeto", "jeetein", "free", "invest now",
    "invest in", "start sip", "insure", "will earn", "you can earn", "could win", "chance to", "guaranteed", "lowest", "get your",
    "recharge now", "flat", "order now", "book now", "bis zu", "gewinnen", "milega", "milenge", "claim", "refer",
    "worth of", "earned", "points", "reward points", "for spends", "activate", "unlock", "is waiting", "spend and get", "per month",
    "kyc", "low balance", "is low", "instantly", "clicks", "passbook", "contribution of",
];

/// Why a message tells of no payment, and what that weighs.
pub(super) const REFUSALS: [(i32, &[&str]); 8] = [
    (-130, CODES),
    (-110, HELD),
    (-110, DID_NOT_HAPPEN),
    (-90, MAY_HAPPEN),
    (-95, ASKED_FOR),
    (-85, MANDATES),
    (-70, OWED),
    (-60, OFFERED),
];

/// Phrases that say that a payment is over and done.
#[rustfmt::skip] // Words fill a line.
pub(super) const DONE: &[&str] = &[
    "has been", "have been", "is debited", "is credited", "was debited", "was credited", "was used", "successful", "successfully",
    "confirmed", "thank you for", "you have", "you've", "wurde", "wurden", "ho gaya", "ho gaye", "hua hai", "hue hain", "gaye hain",
    "gaya hai", "is successful", "was successful", "safal", "gayi", "kiya", "ist erfolgt", "ist ausgeführt",
];
