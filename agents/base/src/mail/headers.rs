//! Where a mail comes from: what its head says before a word of it is read.
//!
//! What: [`MailOrigin`]: sent by a program or through a list, to how many, what servers say about its sender, what it answers, and what is
//! odd about its head. Why: a head tells a feed, a bill and a person apart more surely than words. Not here: what that means for
//! the owner (`comms`).
//!
//! No host, address or list is named here; hosts are only compared with one another.

use super::local_parts::{is_feed, is_no_reply, is_role};
use chrono::Datelike;
use mail_parser::{HeaderName, HeaderValue, Host, Message};
use std::net::{IpAddr, Ipv4Addr};

/// Headers that are looked at; more are somebody's attempt.
const MOST: usize = 512;
/// Ids of earlier mails that are kept.
const REFERENCES: usize = 64;
/// Addressees from which a mail goes to many.
const MANY: usize = 8;
/// Signs that a head can have, for training and judging alike.
pub const SIGNS: usize = 24;

/// Why a mail is a program's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AutomaticSign {
    /// `Auto-Submitted`, `X-Auto-Response-Suppress`, `Feedback-ID`, an empty `Return-Path`.
    Declared,
    /// `Precedence: bulk` or `junk`, `List-Unsubscribe` without a list to write to.
    Bulk,
    /// An address that nobody reads.
    NoReply,
    /// A feed made into mail.
    Feed,
}

/// What the receiving servers say about the sender.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SenderProof {
    #[default]
    Unknown,
    /// `Authentication-Results` pass for the sender's organisation.
    Pass,
    /// They fail: somebody else wrote this name.
    Fail,
}

/// What a head says. Not `Debug`: nothing of it may be logged.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct MailOrigin {
    pub automatic: Option<AutomaticSign>,
    /// A program's answer to a mail, which says that it came.
    pub auto_replied: bool,
    /// It came through a mailing list.
    pub list: bool,
    /// The list's name, lower case: to be kept as a keyed hash only.
    pub list_id: Option<String>,
    /// The address that its list is written to, lower case: nobody's own.
    pub list_address: Option<String>,
    /// It says how to unsubscribe.
    pub unsubscribe: bool,
    /// Addresses of `Cc`, lower case.
    pub cc: Vec<String>,
    /// A server before said that it is spam.
    pub upstream_spam: bool,
    pub proof: SenderProof,
    /// `References` and `In-Reply-To`, the newest last, at most 64.
    pub references: Vec<String>,
    /// A firm's desk wrote it rather than a person: its address names a role, or it is laid out in tables and answers nothing.
    pub business: bool,
    /// It holds the line of a server that took it in.
    pub received: bool,
    /// A desk wrote it and laid it out in tables: a program filled it in, whatever its head says.
    pub template: bool,
    /// It holds a link to a page.
    pub linked: bool,
    /// Servers of today handed it on: under a signature, with results of authentication, or encrypted.
    pub modern: bool,
    /// What is odd or sound about the head, by [`HeadSign`].
    pub signs: u32,
}

/// Something about a head that speaks for or against its sender.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum HeadSign {
    /// Bytes beyond ASCII in the subject, without an encoding.
    RawSubject = 0,
    /// The same in the sender.
    RawSender = 1,
    /// The subject is in capitals.
    Capitals = 2,
    /// The subject ends in a word behind many blanks.
    Padded = 3,
    /// The subject has an exclamation mark.
    Exclaims = 4,
    /// To eight addresses or more.
    Many = 5,
    /// Three digits or more in the sender's local part.
    Digits = 6,
    /// The sender has no name.
    Nameless = 7,
    /// The message id has no host.
    NoIdHost = 8,
    /// Answers are to go to another organisation.
    ReplyElsewhere = 9,
    /// Marked as urgent.
    Priority = 10,
    /// It says `Re:` and answers nothing.
    FakeReply = 11,
    /// Dated more than three hours after it was received.
    Future = 12,
    /// Dated more than two days before.
    Past = 13,
    /// A link to a number instead of a name.
    NumberLink = 14,
    /// A link with a user name or a port.
    OddLink = 15,
    /// A form to fill in.
    Form = 16,
    /// A server without a reverse name handed over what neither goes to many nor answers, and its sender does not stand by it.
    Unnamed = 17,
    /// Another program wrote it than the one that its head has the manner of, or it bears a date that no clock shows.
    Pretends = 18,
    /// A server that handed it over has, by reverse look-up, a name of the sender's organisation.
    Delivered = 19,
    /// One says so of itself.
    Greeted = 20,
    /// The message id is of the sender's organisation.
    OwnId = 21,
    /// It answers a mail.
    Answers = 22,
    /// A link to the sender's organisation.
    OwnLink = 23,
}

impl MailOrigin {
    pub fn has(&self, sign: HeadSign) -> bool {
        self.signs & (1 << sign as u32) != 0
    }

    /// Whether the head says that it goes to many: it came through a list, or says how to leave one, or that a program sent it.
    pub fn is_announced(&self) -> bool {
        self.list || self.unsubscribe || self.automatic.is_some()
    }

    /// How many signs there are of a sender who stands by it: a server, a message id, a link of his organisation.
    pub fn stands_by(&self) -> usize {
        let signs = [
            self.has(HeadSign::Delivered) || self.has(HeadSign::Greeted),
            self.has(HeadSign::OwnId),
            self.has(HeadSign::OwnLink),
        ];
        signs.into_iter().filter(|is| *is).count()
    }

    pub fn set(&mut self, sign: HeadSign, is: bool) {
        self.signs |= u32::from(is) << sign as u32;
    }
}

/// Reads the head of a mail. `from` is its sender's address in lower case, `named`: it has a display name.
pub fn origin_of(message: &Message<'_>, from: &str, named: bool) -> MailOrigin {
    let head = HeadFields::read(message);
    let (local, host) = from.rsplit_once('@').unwrap_or((from, ""));
    let organisation = organisation(host);
    let mut origin = MailOrigin {
        list: head.list,
        list_id: head.list_id.clone(),
        list_address: head.list_address.clone(),
        unsubscribe: head.unsubscribe,
        cc: addresses(message.all_cc()),
        upstream_spam: head.upstream_spam,
        proof: head.proof(organisation),
        references: references(message),
        automatic: None,
        auto_replied: head.auto_replied,
        business: is_role(local),
        received: message.received().is_some(),
        template: false,
        linked: false,
        modern: head.modern || head.results.is_some(),
        signs: 0,
    };
    origin.automatic = head.automatic(local);
    // A signature of the sender's organisation is worth a server of its own.
    origin.set(HeadSign::Delivered, origin.proof == SenderProof::Pass);
    let subject = message.subject().unwrap_or_default();
    // UTF-8 in a head is allowed since RFC 6532; other bytes are not.
    let raw = |name: HeaderName<'static>| {
        message.header(name.clone()).is_some() && message.header_raw(name).is_none()
    };
    origin.set(HeadSign::RawSubject, raw(HeaderName::Subject));
    origin.set(HeadSign::RawSender, raw(HeaderName::From));
    origin.set(HeadSign::Capitals, in_capitals(subject));
    origin.set(
        HeadSign::Padded,
        is_padded(message.header_raw(HeaderName::Subject).unwrap_or_default()),
    );
    origin.set(HeadSign::Exclaims, subject.contains('!'));
    origin.set(
        HeadSign::Many,
        message
            .all_to()
            .chain(message.all_cc())
            .flat_map(|to| to.iter())
            .take(MANY)
            .count()
            >= MANY,
    );
    origin.set(
        HeadSign::Digits,
        local.bytes().filter(u8::is_ascii_digit).count() >= 3,
    );
    origin.set(HeadSign::Nameless, !named);
    origin.set(HeadSign::Priority, head.urgent);
    origin.set(HeadSign::Answers, !origin.references.is_empty());
    let begins_re = subject
        .trim_start()
        .get(..3)
        .is_some_and(|begin| begin.eq_ignore_ascii_case("re:"));
    origin.set(HeadSign::FakeReply, begins_re && origin.references.is_empty());
    let id = message.message_id().unwrap_or_default();
    let pretends = head.outlook.contradicts(is_outlook_id(id)) && !head.list;
    origin.set(HeadSign::Pretends, pretends || has_odd_date(message));
    if !id.is_empty() {
        let id_host = id.rsplit_once('@').map_or("", |(_, host)| host);
        origin.set(HeadSign::NoIdHost, !id_host.contains('.'));
        origin.set(
            HeadSign::OwnId,
            !organisation.is_empty() && is_of(id_host, organisation),
        );
    }
    let reply = message
        .reply_to()
        .and_then(|to| to.first())
        .and_then(|to| to.address());
    let elsewhere = reply
        .and_then(|reply| reply.rsplit_once('@'))
        .is_some_and(|(_, host)| !is_of(host, organisation));
    origin.set(HeadSign::ReplyElsewhere, elsewhere && !head.list);
    servers(message, organisation, &mut origin);
    let stands_by = origin.has(HeadSign::Delivered)
        || (origin.has(HeadSign::Greeted) && origin.has(HeadSign::OwnId))
        || origin.has(HeadSign::Answers);
    origin.set(
        HeadSign::Unnamed,
        head.unnamed && !stands_by && !origin.is_announced(),
    );
    dates(message, &mut origin);
    origin
}

/// What is gathered in one pass over the fields.
#[derive(Default)]
struct HeadFields {
    list: bool,
    list_id: Option<String>,
    list_address: Option<String>,
    unsubscribe: bool,
    post: bool,
    declared: bool,
    auto_replied: bool,
    bulk: bool,
    upstream_spam: bool,
    urgent: bool,
    modern: bool,
    /// See [`is_unnamed`].
    unnamed: bool,
    outlook: OutlookTraces,
    /// The first `Authentication-Results`: those below may be anybody's.
    results: Option<String>,
}

impl HeadFields {
    fn read(message: &Message<'_>) -> Self {
        let mut head = Self::default();
        for (name, value) in message.headers_raw().take(MOST) {
            head.field(name, value.trim());
        }
        head
    }

    fn field(&mut self, name: &str, value: &str) {
        let begins = |text: &str| {
            value
                .get(..text.len())
                .is_some_and(|begin| begin.eq_ignore_ascii_case(text))
        };
        let is = |text: &str| name.eq_ignore_ascii_case(text);
        // By the first letter, because most fields are none of these.
        match name.as_bytes().first().map(u8::to_ascii_lowercase) {
            Some(b'a') if is("Auto-Submitted") => {
                self.declared |= !begins("no");
                self.auto_replied |= begins("auto-replied");
            }
            Some(b'a') if is("Authentication-Results") && self.results.is_none() => {
                self.results = Some(value.chars().take(2048).collect::<String>().to_lowercase());
            }
            Some(b'a') if is("ARC-Seal") => self.modern = true,
            Some(b'd') if is("DKIM-Signature") => self.modern = true,
            Some(b'f') if is("Feedback-ID") => self.bulk = true,
            Some(b'i') if is("Importance") => self.urgent |= begins("high"),
            Some(b'l') if is("List-Unsubscribe") => self.unsubscribe = true,
            Some(b'l') if is("List-Post") => {
                self.post |= !begins("no");
                let address = value.trim_start_matches('<').strip_prefix("mailto:");
                let address = address.and_then(|rest| rest.split(['>', '?']).next());
                self.list_address = address.map(|it| it.chars().take(200).collect::<String>().to_lowercase());
            }
            Some(b'l') if is("List-Id") => {
                self.list = true;
                let id = value
                    .rsplit_once('<')
                    .map_or(value, |(_, id)| id)
                    .trim_end_matches('>');
                self.list_id = Some(id.chars().take(200).collect::<String>().to_lowercase());
            }
            Some(b'm') if is("Mailing-List") => self.list = true,
            Some(b'p') if is("Precedence") => {
                self.bulk |= begins("bulk") || begins("junk");
                self.list |= begins("list");
            }
            Some(b'p') if is("Priority") => self.urgent |= begins("urgent"),
            // RFC 3848, and what servers write of TLS.
            Some(b'r') if is("Received") => {
                let upper = value.to_ascii_uppercase();
                self.modern |= ["ESMTPS", "UTF8SMTPS", "LMTPS", "VERSION=TLS"]
                    .iter()
                    .any(|with| upper.contains(with));
                self.unnamed |= is_unnamed(&upper);
            }
            Some(b'r') if is("Return-Path") => self.declared |= value == "<>",
            Some(b'x') if is("X-Auto-Response-Suppress") || is("X-Autoreply") || is("X-Autogenerated") => {
                self.declared = true;
            }
            Some(b'x') if is("X-BeenThere") || is("X-Mailing-List") => self.list = true,
            Some(b'x') if is("X-Mailer") => {
                self.outlook.claimed |= begins("Microsoft Outlook") || begins("Microsoft Office Outlook");
                self.outlook.express |= begins("Microsoft Outlook Express");
            }
            Some(b'x') if is("X-MimeOLE") => self.outlook.signed = true,
            Some(b't') if is("Thread-Index") => self.outlook.threaded = true,
            Some(b'x') if is("X-Priority") => self.urgent |= begins("1") || begins("2"),
            Some(b'x') if is("X-MSMail-Priority") => self.urgent |= begins("high"),
            // Nobody marks his own mail as spam, so a forged verdict harms its sender only.
            Some(b'x') if is("X-Spam-Flag") || is("X-Spam-Status") || is("X-Spam") => {
                self.upstream_spam |= begins("yes");
            }
            _ => {}
        }
    }

    fn automatic(&self, local: &str) -> Option<AutomaticSign> {
        if self.declared {
            Some(AutomaticSign::Declared)
        } else if is_feed(local) {
            Some(AutomaticSign::Feed)
        } else if is_no_reply(local) {
            Some(AutomaticSign::NoReply)
        } else if (self.bulk || self.unsubscribe) && !self.list && !self.post {
            Some(AutomaticSign::Bulk)
        } else {
            None
        }
    }

    /// DMARC decides; without it a DKIM signature or a path of the sender's organisation.
    fn proof(&self, organisation: &str) -> SenderProof {
        let Some(results) = &self.results else {
            return SenderProof::Unknown;
        };
        let verdict = |method: &str, of: &str| {
            results
                .split(';')
                .filter_map(|result| result.trim().strip_prefix(method)?.strip_prefix('='))
                .any(|result| result.starts_with(of) && (method == "dmarc" || result.contains(organisation)))
        };
        if verdict("dmarc", "pass") || verdict("dkim", "pass") || verdict("spf", "pass") {
            SenderProof::Pass
        } else if verdict("dmarc", "fail") {
            SenderProof::Fail
        } else {
            SenderProof::Unknown
        }
    }
}

/// What Outlook leaves in a head; who imitates it often forgets a part.
#[derive(Default, Clone, Copy)]
struct OutlookTraces {
    /// `X-Mailer` names a program of Microsoft's, …
    claimed: bool,
    /// … and this one.
    express: bool,
    /// `X-MimeOLE`, which it wrote until 2010, …
    signed: bool,
    /// … and `Thread-Index`, which it writes since.
    threaded: bool,
}

impl OutlookTraces {
    /// Whether a message id of its form stands there and nothing says that it wrote the mail, or it is named and left nothing.
    fn contradicts(self, has_its_id: bool) -> bool {
        let left = self.signed || self.threaded;
        if has_its_id {
            !self.claimed && !left
        } else {
            self.claimed && !self.express && !left
        }
    }
}

/// Whether an id has the form that Outlook writes: 12, 8 and 8 hexadecimal digits between dollars.
fn is_outlook_id(id: &str) -> bool {
    let mut parts = id.split('@').next().unwrap_or_default().split('$');
    let lengths = [12, 8, 8].map(|length| {
        parts
            .next()
            .is_some_and(|part| part.len() == length && part.bytes().all(|b| b.is_ascii_hexdigit()))
    });
    lengths.into_iter().all(|is| is) && parts.next().is_none()
}

/// Whether its date is in a zone that is no quarter of an hour from another, or on a day that had another name.
fn has_odd_date(message: &Message<'_>) -> bool {
    let (Some(date), Some(raw)) = (message.date(), message.header_raw(HeaderName::Date)) else {
        return false;
    };
    let day =
        chrono::NaiveDate::from_ymd_opt(i32::from(date.year), u32::from(date.month), u32::from(date.day));
    let named: Option<chrono::Weekday> = raw.split_once(',').and_then(|(name, _)| name.trim().parse().ok());
    let other_day = day.zip(named).is_some_and(|(day, named)| day.weekday() != named);
    let minutes = u32::from(date.tz_minute) + 60 * u32::from(date.tz_hour);
    other_day || minutes % 15 != 0 || minutes > 14 * 60
}

fn references(message: &Message<'_>) -> Vec<String> {
    let mut ids = texts(message.references());
    for id in texts(message.in_reply_to()) {
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    let over = ids.len().saturating_sub(REFERENCES);
    ids.split_off(over)
}

/// The first ids of a field.
pub fn texts(value: &HeaderValue<'_>) -> Vec<String> {
    match value {
        HeaderValue::Text(one) => vec![one.to_string()],
        HeaderValue::TextList(list) => list
            .iter()
            .take(4 * REFERENCES)
            .map(ToString::to_string)
            .collect(),
        HeaderValue::Address(_)
        | HeaderValue::DateTime(_)
        | HeaderValue::ContentType(_)
        | HeaderValue::Received(_)
        | HeaderValue::Empty => Vec::new(),
    }
}

/// The addresses of fields, lower case.
pub fn addresses<'a>(fields: impl Iterator<Item = &'a mail_parser::Address<'a>>) -> Vec<String> {
    fields
        .flat_map(|field| field.iter())
        .filter_map(|one| one.address())
        .take(1024)
        .map(str::to_lowercase)
        .collect()
}

/// Whether servers that handed the mail over are of the sender's organisation.
fn servers(message: &Message<'_>, organisation: &str, origin: &mut MailOrigin) {
    if organisation.is_empty() {
        return;
    }
    for received in message.received_all().take(16) {
        let reverse = received.from_iprev.as_deref().unwrap_or_default();
        origin.set(HeadSign::Delivered, is_of(reverse, organisation));
        let names = [&received.from, &received.helo];
        let greeted = names.into_iter().flatten().any(|host| match host {
            Host::Name(name) => is_of(name, organisation),
            Host::IpAddr(_) => false,
        });
        origin.set(HeadSign::Greeted, greeted);
    }
}

/// Whether a `Received` line, in capitals, took the mail from a public address that has no name by reverse look-up. Postfix and Sendmail write
/// `FROM greeting (NAME [ADDRESS])`; who signed in may come from anywhere; other servers write names elsewhere or do not look.
fn is_unnamed(line: &str) -> bool {
    let Some((greeting, rest)) = line
        .strip_prefix("FROM ")
        .and_then(|from| from.trim_start().split_once(char::is_whitespace))
    else {
        return false;
    };
    let looked_up = rest
        .trim_start()
        .strip_prefix('(')
        .and_then(|seen| seen.split_once(']'))
        .and_then(|(seen, _)| seen.split_once('['));
    let Some((name, address)) = looked_up else {
        return false;
    };
    let public = address
        .parse::<Ipv4Addr>()
        .is_ok_and(|ip| !ip.is_private() && !ip.is_loopback() && !ip.is_link_local());
    let elsewhere = ["EXIM", "MICROSOFT SMTPSVC", "ESMTPA", "ESMTPSA", "AUTHENTICATED"];
    !greeting.is_empty()
        && public
        && !name.contains('.')
        && !elsewhere.iter().any(|other| line.contains(other))
}

/// Whether its date lies far from the time it was received.
fn dates(message: &Message<'_>, origin: &mut MailOrigin) {
    let received = message.received().and_then(|received| received.date.as_ref());
    if let (Some(date), Some(received)) = (message.date(), received) {
        let late = received.to_timestamp().saturating_sub(date.to_timestamp());
        origin.set(HeadSign::Future, late < -3 * 3600);
        origin.set(HeadSign::Past, late > 2 * 24 * 3600);
    }
}

/// Notes what the links say. `links` are addresses of pages.
pub(crate) fn note_links<'a>(links: impl Iterator<Item = &'a str>, from: &str, origin: &mut MailOrigin) {
    let organisation = organisation(from.rsplit_once('@').map_or("", |(_, host)| host));
    for link in links {
        let Some((_, rest)) = link.split_once("://") else {
            continue;
        };
        let whole = rest
            .split(['/', '?', '#', '"', '\'', '<', '>', ')'])
            .next()
            .unwrap_or_default();
        let (user, host) = whole
            .rsplit_once('@')
            .map_or((false, whole), |(_, host)| (true, host));
        let (host, port) = host
            .rsplit_once(':')
            .map_or((host, ""), |(host, port)| (host, port));
        let number =
            host.parse::<IpAddr>().is_ok() || (host.len() >= 8 && host.bytes().all(|b| b.is_ascii_digit()));
        origin.set(HeadSign::NumberLink, number);
        origin.set(HeadSign::OddLink, user || !matches!(port, "" | "80" | "443"));
        origin.set(
            HeadSign::OwnLink,
            !organisation.is_empty() && is_of(host, organisation),
        );
    }
}

/// At least eight letters, four fifths of them capitals.
fn in_capitals(subject: &str) -> bool {
    let (mut letters, mut capitals) = (0, 0);
    for c in subject.chars().filter(|c| c.is_alphabetic()) {
        letters += 1;
        capitals += usize::from(c.is_uppercase());
    }
    letters >= 8 && 5 * capitals >= 4 * letters
}

/// A last word behind five blanks.
fn is_padded(subject: &str) -> bool {
    subject.trim().contains("     ")
}

/// The part of a host that an organisation registers: its last two labels, or three below a country's `co`, `com`, `ac` and their like.
pub(crate) fn organisation(host: &str) -> &str {
    let mut dots = host.trim_end_matches('.').rmatch_indices('.').map(|(at, _)| at);
    let (Some(last), second, third) = (dots.next(), dots.next(), dots.next()) else {
        return "";
    };
    let label = host.get(second.map_or(0, |at| at + 1)..last).unwrap_or_default();
    let country = host.len() - last == 3;
    let shared = country
        && matches!(
            label,
            "co" | "com" | "org" | "net" | "ac" | "gov" | "edu" | "ne" | "or" | "go" | "gob" | "nic"
        );
    let begin = if shared { third } else { second };
    host.get(begin.map_or(0, |at| at + 1)..).unwrap_or(host)
}

/// Whether a host belongs to an organisation.
fn is_of(host: &str, organisation: &str) -> bool {
    let host = host.trim_end_matches('.');
    let Some(at) = host.len().checked_sub(organisation.len()) else {
        return false;
    };
    host.get(at..)
        .is_some_and(|end| end.eq_ignore_ascii_case(organisation))
        && (at == 0 || host.as_bytes().get(at - 1) == Some(&b'.'))
}
