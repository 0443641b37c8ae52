//! The head that an invented mail would have come with.
//!
//! What: [`as_received`], a whole mail, RFC 5322, of a [`CompactMail`]: fields, parts and encodings as mail programs, shops, senders of campaigns and lists
//! write them. Why: a text is judged with its head, and a scorer that is taught by texts alone learns nothing of what surrounds them.
//! Not here: the texts.
//!
//! A head is made of the kind of sender, the addressees and chance, and never of the label: spam of today comes with as sound a head as what is
//! wanted, and whatever told the two apart here would be learned. The chance is that of the mail's number, so a mail always gets the same head.

use crate::{
    SplitMix64,
    compact::{CompactMail, OwnerPlace, WriterKind},
};

/// The owner, as senders write them.
const OWNER: [&str; 3] = [
    "Asha Rao <asha.rao@owner.example>",
    "asha.rao@owner.example",
    "\"Rao, Asha\" <asha.rao@owner.example>",
];
const OTHERS: [&str; 8] = [
    "Jonas Weibel <jonas.weibel@nord.example>",
    "Miriam <miriam@weststrand.example>",
    "\"Paul O'Dea\" <paul.odea@lanes.example>",
    "devika.s@kettle.example",
    "Tomasz W <tomasz@brook.example>",
    "Ines Calvo <ines.calvo@soto.example>",
    "\"Brandt, Uwe\" <u.brandt@amtsfeld.example>",
    "Leila H. <leila@harbour.example>",
];
/// Servers that many send through.
const RELAYS: [&str; 4] = [
    "mail-ej1-f41.postbridge.example",
    "a27-19.smtp-out.cloudpost.example",
    "mout.webmail.example",
    "o7.ptr2410.sendworks.example",
];
const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

/// What a mail was written with.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MailProgram {
    Thunderbird,
    Gmail,
    Outlook,
    AppleMail,
    Phone,
    Webmail,
    /// A shop's or a service's own.
    Service,
    /// A firm that sends campaigns for others.
    Campaign,
}

/// How the text is carried.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BodyForm {
    Plain,
    PlainAndHtml,
    /// In tables, as programs lay out their mail.
    PlainAndLayout,
    Layout,
}

/// A whole mail. `number` is of the mail alone: it decides everything that is left to chance.
pub(crate) fn as_received(mail: &CompactMail<'_>, number: u64) -> Vec<u8> {
    let mut chance = SplitMix64::new(number);
    let program = program_of(mail.sender, &mut chance);
    let host = mail.address.rsplit_once('@').map_or("", |(_, host)| host);
    let own_server = chance.in_hundred(60);
    let server = if own_server {
        format!(
            "{}.{host}",
            chance.one(&["mail", "out3", "smtp", "mx-out", "mta12"])
        )
    } else {
        chance.one(&RELAYS).to_owned()
    };
    let date = date(&mut chance);
    let unique = format!("{:x}{:x}", chance.below(1 << 30), chance.below(1 << 30));
    let mut head = HeadLines::default();
    head.transport(mail, &server, &date, &unique, &mut chance);
    head.line("Date", &date);
    head.line("From", &format!("{} <{}>", display_name(mail.name), mail.address));
    head.addressees(mail, number, &mut chance);
    head.line("Subject", &encode_words(&subject_of(mail, &mut chance)));
    let id_host = if own_server || chance.in_hundred(60) {
        host
    } else {
        server.split_once('.').map_or(host, |(_, host)| host)
    };
    head.line(
        "Message-ID",
        &format!("<{}>", message_id(program, &unique, id_host)),
    );
    let quotes = mail.body.lines().any(|line| line.starts_with('>'));
    if quotes || (is_answer(mail.subject) && chance.in_hundred(85)) {
        let before = format!("<{unique}.7@owner.example>");
        head.line("In-Reply-To", &before);
        head.line("References", &before);
    }
    head.program(program, &mut chance);
    match mail.sender {
        WriterKind::Program => head.service(host, &mut chance),
        WriterKind::Bulk => head.campaign(host, &server, &unique, &mut chance),
        WriterKind::Person | WriterKind::Desk | WriterKind::List => {}
    }
    let form = body_form(program, &mut chance);
    [head.text, body(mail.body, form, &unique)].concat().into_bytes()
}

fn program_of(sender: WriterKind, chance: &mut SplitMix64) -> MailProgram {
    use MailProgram as Program;
    let roll = chance.below(100);
    match sender {
        WriterKind::Person | WriterKind::List => match roll {
            0..18 => Program::Thunderbird,
            18..45 => Program::Gmail,
            45..68 => Program::Outlook,
            68..80 => Program::AppleMail,
            80..92 => Program::Phone,
            _ => Program::Webmail,
        },
        WriterKind::Desk => match roll {
            0..55 => Program::Outlook,
            55..75 => Program::Webmail,
            75..90 => Program::Gmail,
            _ => Program::Thunderbird,
        },
        WriterKind::Program => Program::Service,
        WriterKind::Bulk => Program::Campaign,
    }
}

fn body_form(program: MailProgram, chance: &mut SplitMix64) -> BodyForm {
    let roll = chance.below(100);
    match program {
        MailProgram::Thunderbird | MailProgram::Phone | MailProgram::Webmail => BodyForm::Plain,
        MailProgram::AppleMail if roll < 50 => BodyForm::Plain,
        MailProgram::Gmail | MailProgram::Outlook | MailProgram::AppleMail => BodyForm::PlainAndHtml,
        MailProgram::Service => match roll {
            0..30 => BodyForm::Plain,
            30..45 => BodyForm::PlainAndHtml,
            45..85 => BodyForm::PlainAndLayout,
            _ => BodyForm::Layout,
        },
        MailProgram::Campaign => match roll {
            0..15 => BodyForm::Plain,
            15..25 => BodyForm::PlainAndHtml,
            25..75 => BodyForm::PlainAndLayout,
            _ => BodyForm::Layout,
        },
    }
}

/// An instant of the years 2015 to 2026, as a head has it.
fn date(chance: &mut SplitMix64) -> String {
    let day = chance.below(28) + 1;
    let month = chance.one(&MONTHS);
    let year = 2015 + chance.below(12);
    format!(
        "{}, {day} {month} {year} {:02}:{:02}:{:02} {}",
        weekday(year, month, day),
        chance.below(24),
        chance.below(60),
        chance.below(60),
        chance.one(&["+0000", "+0100", "+0200", "+0530", "-0500", "-0700"]),
    )
}

/// What a day of this century is called, by Sakamoto's rule.
fn weekday(year: usize, month: &str, day: usize) -> &'static str {
    const DAYS: [&str; 7] = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
    const SHIFTS: [usize; 12] = [0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4];
    let month = MONTHS.iter().position(|name| *name == month).unwrap_or_default();
    let year = year - usize::from(month < 2);
    let shift = SHIFTS.get(month).copied().unwrap_or_default();
    DAYS.get((year + year / 4 - year / 100 + year / 400 + shift + day) % 7)
        .copied()
        .unwrap_or_default()
}

fn message_id(program: MailProgram, unique: &str, host: &str) -> String {
    match program {
        MailProgram::Gmail => format!("CA+{unique}@mail.{host}"),
        MailProgram::Outlook => format!("{unique}.PROD@{host}"),
        MailProgram::AppleMail | MailProgram::Phone => format!("{}@{host}", unique.to_uppercase()),
        MailProgram::Thunderbird | MailProgram::Webmail => format!("{unique}-1@{host}"),
        MailProgram::Service => format!("{unique}.JavaMail.app@{host}"),
        MailProgram::Campaign => format!("20.{unique}.cmp@{host}"),
    }
}

/// The list that a mail came through: its name and its host.
fn list_of(number: u64) -> (String, String) {
    (format!("members{number}"), format!("lists{number}.example"))
}

fn is_answer(subject: &str) -> bool {
    ["re:", "aw:", "sv:", "rif:"].iter().any(|begin| {
        subject
            .get(..begin.len())
            .is_some_and(|it| it.eq_ignore_ascii_case(begin))
    })
}

/// Whether it comes through a mailing list: what a person writes to its address does, too.
fn through_list(mail: &CompactMail<'_>) -> bool {
    match mail.sender {
        WriterKind::List => true,
        WriterKind::Person | WriterKind::Desk => mail.owner == OwnerPlace::List,
        WriterKind::Program | WriterKind::Bulk => false,
    }
}

/// Lists put their tag before a subject that has none.
fn subject_of(mail: &CompactMail<'_>, chance: &mut SplitMix64) -> String {
    if through_list(mail) && !mail.subject.contains('[') && chance.in_hundred(35) {
        format!("[members] {}", mail.subject)
    } else {
        mail.subject.to_owned()
    }
}

/// A name before an address: quoted where it holds what may not stand there.
fn display_name(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, ' ' | '-' | '\'' | '_' | '&');
    if name.is_ascii() && !name.chars().all(plain) {
        format!("\"{}\"", name.replace('"', "'"))
    } else {
        encode_words(name)
    }
}

/// A text beyond ASCII as RFC 2047 has it, else as it stands.
fn encode_words(text: &str) -> String {
    if text.is_ascii() {
        return text.to_owned();
    }
    let words = text.split(' ').map(|word| {
        let letters: String = word
            .bytes()
            .map(|byte| {
                if byte.is_ascii_alphanumeric() {
                    char::from(byte).to_string()
                } else {
                    format!("={byte:02X}")
                }
            })
            .collect();
        letters
    });
    // One encoded word after the other, each below 75 characters.
    let mut lines: Vec<String> = vec![String::new()];
    for word in words {
        match lines.last_mut() {
            Some(last) if last.is_empty() => last.push_str(&word),
            Some(last) if last.len() + word.len() < 50 => {
                last.push('_');
                last.push_str(&word);
            }
            _ => lines.push(format!("_{word}")),
        }
    }
    let lines: Vec<String> = lines.iter().map(|line| format!("=?UTF-8?Q?{line}?=")).collect();
    lines.join("\n ")
}

/// The lines of a head that is being made.
#[derive(Default)]
struct HeadLines {
    text: String,
}

impl HeadLines {
    fn line(&mut self, name: &str, value: &str) {
        for part in [name, ": ", value, "\n"] {
            self.text.push_str(part);
        }
    }

    /// What servers write above a mail.
    fn transport(
        &mut self,
        mail: &CompactMail<'_>,
        server: &str,
        date: &str,
        unique: &str,
        chance: &mut SplitMix64,
    ) {
        let host = mail.address.rsplit_once('@').map_or("", |(_, host)| host);
        let bounce = match mail.sender {
            WriterKind::Program | WriterKind::Bulk if chance.in_hundred(60) => {
                format!("bounce+{unique}@{host}")
            }
            WriterKind::Person
            | WriterKind::Desk
            | WriterKind::List
            | WriterKind::Program
            | WriterKind::Bulk => mail.address.to_owned(),
        };
        if chance.in_hundred(70) {
            self.line("Return-Path", &format!("<{bounce}>"));
        }
        let with = if chance.in_hundred(92) { "ESMTPS" } else { "ESMTP" };
        self.line(
            "Received",
            &format!(
                "from {server} ({server} [192.0.2.{}])\n\tby mx1.owner.example (Postfix) with {with} id {unique}\n\tfor <asha.rao@owner.example>; {date}",
                chance.below(250)
            ),
        );
        if chance.in_hundred(75) {
            let dmarc = if chance.in_hundred(80) {
                format!(";\n\tdmarc=pass header.from={host}")
            } else {
                String::new()
            };
            self.line(
                "Authentication-Results",
                &format!(
                    "mx1.owner.example;\n\tdkim=pass header.d={host};\n\tspf=pass smtp.mailfrom={host}{dmarc}"
                ),
            );
        }
        if chance.in_hundred(70) {
            self.line(
                "DKIM-Signature",
                &format!(
                    "v=1; a=rsa-sha256; c=relaxed/relaxed; d={host}; s=s1;\n\th=from:to:subject:date; bh={unique}=; b={unique}"
                ),
            );
        }
    }

    fn addressees(&mut self, mail: &CompactMail<'_>, number: u64, chance: &mut SplitMix64) {
        let owner = chance.one(&OWNER);
        let (name, host) = list_of(number);
        let list = format!("{name}@{host}");
        let first = chance.below(OTHERS.len());
        let other = |at: usize| {
            OTHERS
                .get((first + at) % OTHERS.len())
                .copied()
                .unwrap_or_default()
        };
        match mail.owner {
            OwnerPlace::Alone => {
                self.line("To", owner);
                // Who answers one person through a list leaves the list in copy.
                if mail.sender == WriterKind::List {
                    self.line("Cc", &list);
                }
            }
            OwnerPlace::Several => {
                let more = 1 + chance.below(3);
                let mut to: Vec<&str> = (0..more).map(other).collect();
                to.insert(chance.below(more + 1), owner);
                self.line("To", &to.join(",\n "));
                if chance.in_hundred(25) {
                    self.line("Cc", other(more));
                }
            }
            OwnerPlace::Copy => {
                self.line("To", other(0));
                let cc = if chance.in_hundred(40) {
                    format!("{},\n {owner}", other(1))
                } else {
                    owner.to_owned()
                };
                self.line("Cc", &cc);
            }
            OwnerPlace::List if mail.sender == WriterKind::Bulk || mail.sender == WriterKind::Program => {
                self.line("To", &format!("subscribers@{host}"));
            }
            OwnerPlace::List => self.line("To", &list),
        }
        if through_list(mail) {
            self.line("List-Id", &format!("<{name}.{host}>"));
            if chance.in_hundred(85) {
                self.line("List-Post", &format!("<mailto:{list}>"));
            }
            if chance.in_hundred(80) {
                self.line("List-Unsubscribe", &format!("<mailto:{name}-leave@{host}>"));
            }
            if chance.in_hundred(70) {
                self.line("Precedence", "list");
            }
        }
    }

    fn program(&mut self, program: MailProgram, chance: &mut SplitMix64) {
        match program {
            MailProgram::Thunderbird => {
                self.line("User-Agent", "Mozilla Thunderbird");
                self.line("Content-Language", chance.one(&["en-GB", "de-CH", "en-US"]));
            }
            MailProgram::Outlook => {
                self.line("Thread-Index", "AdqTk3x1");
                self.line("Accept-Language", chance.one(&["en-GB, en-US", "de-DE, en-US"]));
                self.line("X-MS-Has-Attach", "");
            }
            MailProgram::AppleMail => self.line("X-Mailer", "Apple Mail (2.3774.600.62)"),
            MailProgram::Phone => self.line(
                "X-Mailer",
                chance.one(&["iPhone Mail (21F90)", "K-9 Mail for Android"]),
            ),
            MailProgram::Webmail => self.line("User-Agent", "Roundcube Webmail/1.6.6"),
            MailProgram::Gmail | MailProgram::Service | MailProgram::Campaign => {}
        }
    }

    /// What services write so that no answer comes back; one in eight writes nothing of the kind.
    fn service(&mut self, host: &str, chance: &mut SplitMix64) {
        if chance.in_hundred(12) {
            return;
        }
        if chance.in_hundred(50) {
            self.line("Auto-Submitted", "auto-generated");
        }
        if chance.in_hundred(30) {
            self.line("X-Auto-Response-Suppress", "All");
        }
        if chance.in_hundred(35) {
            self.line("Feedback-ID", &format!("tx.441:{host}"));
        }
        if chance.in_hundred(35) {
            self.line("List-Unsubscribe", &format!("<https://{host}/settings/mail>"));
        }
        if chance.in_hundred(10) {
            self.line("Precedence", "bulk");
        }
    }

    /// How a campaign says that it goes to many.
    fn campaign(&mut self, host: &str, server: &str, unique: &str, chance: &mut SplitMix64) {
        self.line(
            "List-Unsubscribe",
            &format!("<https://{host}/u/{unique}>, <mailto:leave@{host}>"),
        );
        if chance.in_hundred(70) {
            self.line("List-Unsubscribe-Post", "List-Unsubscribe=One-Click");
        }
        if chance.in_hundred(40) {
            self.line("Feedback-ID", &format!("c{unique}:{server}"));
        }
        if chance.in_hundred(35) {
            self.line("List-Id", &format!("<{unique}.{server}>"));
        }
        if chance.in_hundred(35) {
            self.line("Precedence", "bulk");
        }
        if chance.in_hundred(30) {
            self.line("X-Campaign", unique);
        }
    }
}

/// The rest of the head, an empty line and the text.
fn body(text: &str, form: BodyForm, unique: &str) -> String {
    let plain =
        format!("Content-Type: text/plain; charset=UTF-8\nContent-Transfer-Encoding: 8bit\n\n{text}\n");
    let page = || {
        format!(
            "Content-Type: text/html; charset=UTF-8\nContent-Transfer-Encoding: 8bit\n\n{}\n",
            html(text, form)
        )
    };
    match form {
        BodyForm::Plain => format!("MIME-Version: 1.0\n{plain}"),
        BodyForm::Layout => format!("MIME-Version: 1.0\n{}", page()),
        BodyForm::PlainAndHtml | BodyForm::PlainAndLayout => format!(
            "MIME-Version: 1.0\nContent-Type: multipart/alternative; boundary=\"b{unique}\"\n\n--b{unique}\n{plain}--b{unique}\n{}--b{unique}--\n",
            page()
        ),
    }
}

/// The text as a page: a paragraph each, lines that begin with `>` as a quotation, addresses of the web as links.
fn html(text: &str, form: BodyForm) -> String {
    let safe = text.replace('&', "&amp;").replace('<', "&lt;");
    let mut out = String::new();
    let mut quoted = false;
    for line in safe.lines() {
        let (is_quoted, line) = match line.strip_prefix('>') {
            Some(rest) => (true, rest.trim_start()),
            None => (false, line),
        };
        if is_quoted != quoted {
            out.push_str(if is_quoted {
                "<blockquote type=\"cite\">"
            } else {
                "</blockquote>"
            });
            quoted = is_quoted;
        }
        let pieces: Vec<String> = line
            .split(' ')
            .map(|piece| {
                if piece.starts_with("https://") || piece.starts_with("http://") {
                    format!("<a href=\"{piece}\">{piece}</a>")
                } else {
                    piece.to_owned()
                }
            })
            .collect();
        if line.is_empty() {
            out.push_str("<br>\n");
        } else {
            for part in ["<div>", &pieces.join(" "), "</div>\n"] {
                out.push_str(part);
            }
        }
    }
    if quoted {
        out.push_str("</blockquote>");
    }
    match form {
        BodyForm::PlainAndLayout | BodyForm::Layout => format!(
            "<html><body><table role=\"presentation\" width=\"100%\"><tr><td>{out}</td></tr></table></body></html>"
        ),
        BodyForm::Plain | BodyForm::PlainAndHtml => {
            format!("<html><body><div dir=\"ltr\">{out}</div></body></html>")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::fields;
    use agents::comms::{
        examples::gate_example,
        judging::{MessageClass, OwnerIdentity, SenderStanding, judge_bytes},
    };

    fn mail(label: MessageClass, sender: WriterKind, owner: OwnerPlace, body: &str) -> CompactMail<'_> {
        CompactMail {
            label,
            sender,
            owner,
            draft: false,
            name: "Zoë Lind",
            address: "zoe@soup.example",
            subject: "Grüße: which pot, and which lid for the larger of the two pots?",
            body,
        }
    }

    #[test]
    fn a_day_has_its_name() {
        for (year, month, day, name) in [
            (2026, "Nov", 3, "Tue"),
            (2024, "Feb", 28, "Wed"),
            (2015, "Jan", 1, "Thu"),
        ] {
            assert_eq!(weekday(year, month, day), name);
        }
    }

    #[test]
    fn a_head_is_of_its_number_and_never_of_the_label() {
        let senders = [
            WriterKind::Person,
            WriterKind::Desk,
            WriterKind::List,
            WriterKind::Program,
            WriterKind::Bulk,
        ];
        for number in 0..200 {
            for sender in senders {
                let of = |label| as_received(&mail(label, sender, OwnerPlace::Alone, "Which pot?"), number);
                assert_eq!(of(MessageClass::Spam), of(MessageClass::NeedsYou));
            }
        }
        let first = as_received(
            &mail(MessageClass::Talk, WriterKind::Person, OwnerPlace::Alone, "x"),
            1,
        );
        let second = as_received(
            &mail(MessageClass::Talk, WriterKind::Person, OwnerPlace::Alone, "x"),
            2,
        );
        assert_ne!(first, second);
    }

    #[test]
    fn what_is_made_is_read_as_it_was_written() {
        for number in 0..200 {
            let made = as_received(
                &mail(
                    MessageClass::Talk,
                    WriterKind::Program,
                    OwnerPlace::Several,
                    "> the pot\n> and its lid\n\nSoup & <bread>, see https://soup.example/x now",
                ),
                number,
            );
            let text = String::from_utf8(made.clone()).unwrap();
            let fields = fields(&made);
            let value = |name: &str| {
                let mut of = fields.iter().filter(|(known, _)| known == name);
                (of.next().map(|(_, value)| value.clone()), of.next().is_none())
            };
            for name in [
                "from",
                "to",
                "date",
                "subject",
                "message-id",
                "mime-version",
                "content-type",
            ] {
                assert!(
                    matches!(value(name), (Some(_), true)),
                    "{name} of {number}\n{text}"
                );
            }
            assert!(text.lines().all(|line| line.len() < 400), "{text}");
            // Words that are quoted are not its own.
            let example = gate_example(&made, &|_| false).unwrap();
            assert!(
                example.sender.starts_with("zoe@soup.example zo\u{eb} lind")
                    || example.sender.contains("Zo\u{eb}")
            );
            let names = ["asha".to_owned()];
            let addresses = ["asha.rao@owner.example".to_owned()];
            let owner = OwnerIdentity {
                names: &names,
                addresses: &addresses,
            };
            assert!(judge_bytes(&made, &owner, &SenderStanding::default()).is_some());
        }
    }

    #[test]
    fn letters_beyond_ascii_are_encoded() {
        assert_eq!(encode_words("soup"), "soup");
        assert_eq!(encode_words("Re: soup, and pots"), "Re: soup, and pots");
        assert_eq!(display_name("Lind, Bo"), "\"Lind, Bo\"");
        assert_eq!(display_name("Zoë, Bo"), "=?UTF-8?Q?Zo=C3=AB=2C_Bo?=");
        assert_eq!(encode_words("Zoë"), "=?UTF-8?Q?Zo=C3=AB?=");
        assert_eq!(encode_words("ö ä"), "=?UTF-8?Q?=C3=B6_=C3=A4?=");
    }
}
