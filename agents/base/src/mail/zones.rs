//! The zones of a mail's text: what its writer wrote now, and what stands around it.
//!
//! What: [`split_zones`], from a body to its [`MailZones`]: new text, quotation, attribution line, signature, footer, forwarded part, as
//! the usual clients and languages write them. Why: only new text is judged; a quotation is somebody else's wish. Not here: HTML, whose
//! quotations become marked lines before (`html`); what the new text wants (`comms`).
//!
//! Every line is looked at a bounded number of times, so the time is linear in the length.

/// What a part of a mail's text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MailZone {
    /// Written by the sender for this mail.
    New,
    /// Of an earlier mail.
    Quotation,
    /// The line that says who wrote the quotation.
    Attribution,
    /// Name, address, disclaimer.
    Signature,
    /// What a list or a company appends.
    Footer,
    /// A mail that was sent on, with its head.
    Forwarded,
}

/// A body in zones, in its order; neighbouring lines of one zone are one part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailZones<'a> {
    pub parts: Vec<(MailZone, &'a str)>,
}

impl MailZones<'_> {
    /// The text of one zone, at most `most` bytes of it.
    #[cfg(test)]
    pub fn text(&self, zone: MailZone, most: usize) -> String {
        self.joined(zone, most, "")
    }

    /// The same with an empty line where another zone stood between.
    pub(crate) fn passages(&self, zone: MailZone, most: usize) -> String {
        self.joined(zone, most, "\n")
    }

    fn joined(&self, zone: MailZone, most: usize, between: &str) -> String {
        let mut text = String::new();
        for (_, part) in self.parts.iter().filter(|(is, _)| *is == zone) {
            if !text.is_empty() && text.len() < most {
                text.push_str(between);
            }
            let left = most.saturating_sub(text.len());
            text.push_str(part.get(..part.floor_char_boundary(left)).unwrap_or_default());
            if left < part.len() {
                break;
            }
        }
        text
    }

    pub fn has(&self, zone: MailZone) -> bool {
        self.parts.iter().any(|(is, _)| *is == zone)
    }
}

/// Lines a footer under a ruled line may have.
const FOOTER_LINES: usize = 12;
/// Lines a signature may have under a bare `--`, or under a closing formula.
const SIGNATURE_LINES: usize = 15;
const CLOSING_LINES: usize = 6;
/// Bytes of a line that are compared; longer lines are paragraphs.
const LINE: usize = 320;

/// What follows a name in the line above a quotation.
const WROTE: &[&str] = &[
    "wrote",
    "writes",
    "said",
    "schrieb",
    "écrit",
    "ecrit",
    "escribió",
    "escribio",
    "scritto",
    "scrisse",
    "escreveu",
    "skrev",
    "schreef",
    "napisał",
    "napisała",
    "пишет",
    "писал",
    "написал",
    "kirjoitti",
    "yazdı",
    "ने लिखा",
    "写道",
    "寫道",
    "のメッセージ",
];
/// How such a line begins when it has a date.
const OPENERS: &[&str] = &[
    "on ",
    "am ",
    "le ",
    "el ",
    "il ",
    "em ",
    "op ",
    "den ",
    "på ",
    "dne ",
    "w dniu",
    "dnia",
    "в ",
    "at ",
    "quoting ",
    "zitat von ",
    "citando ",
    "quoted from",
];
/// What stands between dashes above an earlier mail.
const ORIGINAL: &[&str] = &[
    "original message",
    "original appointment",
    "reply message",
    "ursprüngliche nachricht",
    "original-nachricht",
    "originalnachricht",
    "message d'origine",
    "message d’origine",
    "message original",
    "mensaje original",
    "mensagem original",
    "messaggio originale",
    "oorspronkelijk bericht",
    "ursprungligt meddelande",
    "oprindelig meddelelse",
    "opprinnelig melding",
    "alkuperäinen viesti",
    "исходное сообщение",
    "wiadomość oryginalna",
    "original mail",
    "मूल संदेश",
    "原始邮件",
    "元のメッセージ",
];
/// The same above a mail that is sent on.
const FORWARDED: &[&str] = &[
    "forwarded message",
    "begin forwarded message",
    "forwarded by",
    "weitergeleitete nachricht",
    "anfang der weitergeleiteten",
    "weitergeleitet von",
    "message transféré",
    "début du message",
    "mensaje reenviado",
    "mensagem encaminhada",
    "messaggio inoltrato",
    "inizio messaggio inoltrato",
    "doorgestuurd bericht",
    "vidarebefordrat",
    "videresendt",
    "пересылаемое сообщение",
    "転送",
    "转发",
];
/// Names of header fields in the languages of mail programs: of the sender, and of the other lines of a head.
const FROM: &[&str] = &[
    "from:",
    "von:",
    "de:",
    "da:",
    "van:",
    "från:",
    "fra:",
    "от:",
    "od:",
    "lähettäjä:",
    "发件人:",
    "发件人：",
    "差出人:",
];
const FIELDS: &[&str] = &[
    "sent:",
    "date:",
    "to:",
    "cc:",
    "subject:",
    "reply-to:",
    "gesendet:",
    "datum:",
    "an:",
    "betreff:",
    "envoyé:",
    "envoyé :",
    "à:",
    "à :",
    "objet:",
    "objet :",
    "date :",
    "enviado:",
    "enviado el:",
    "para:",
    "asunto:",
    "fecha:",
    "enviada em:",
    "assunto:",
    "data:",
    "inviato:",
    "a:",
    "oggetto:",
    "verzonden:",
    "aan:",
    "onderwerp:",
    "skickat:",
    "till:",
    "ämne:",
    "sendt:",
    "til:",
    "emne:",
    "отправлено:",
    "кому:",
    "тема:",
    "дата:",
    "wysłano:",
    "do:",
    "temat:",
    "发送时间:",
    "收件人:",
    "主题:",
];
/// What telephones and programs append.
const SENT_FROM: &[&str] = &[
    "sent from my ",
    "sent from mail for",
    "sent from outlook",
    "sent from yahoo",
    "sent via ",
    "get outlook for",
    "von meinem ",
    "gesendet von ",
    "gesendet mit ",
    "envoyé de mon",
    "envoyé depuis",
    "enviado desde mi",
    "enviado do meu",
    "inviato da ",
    "verstuurd vanaf",
    "skickat från",
    "sendt fra",
    "do you yahoo!?",
    "sent on the go",
];
/// How a disclaimer begins.
const DISCLAIMERS: &[&str] = &[
    "this e-mail and any",
    "this email and any",
    "this message and any",
    "this message is intended",
    "this e-mail is intended",
    "this email is intended",
    "this communication is",
    "the information contained in this",
    "the information in this e",
    "the contents of this e",
    "confidentiality notice",
    "disclaimer:",
    "this e-mail may contain",
    "this email may contain",
    "this message may contain",
    "diese e-mail enthält",
    "diese nachricht enthält",
    "ce message et",
    "este mensaje",
    "este correo",
    "please consider the environment",
    "you received this message because you are subscribed",
];
/// What closes a letter; a name follows.
const CLOSINGS: &[&str] = &[
    "regards",
    "best regards",
    "kind regards",
    "warm regards",
    "kindest regards",
    "with best regards",
    "with kind regards",
    "best wishes",
    "all the best",
    "sincerely",
    "yours sincerely",
    "yours faithfully",
    "yours truly",
    "sincerely yours",
    "cheers",
    "yours",
    "best",
    "love",
    "mit freundlichen grüßen",
    "mit freundlichem gruß",
    "freundliche grüße",
    "viele grüße",
    "liebe grüße",
    "beste grüße",
    "gruß",
    "grüße",
    "mfg",
    "vg",
    "lg",
    "cordialement",
    "bien à vous",
    "amicalement",
    "saludos",
    "un saludo",
    "atentamente",
    "cordiali saluti",
    "distinti saluti",
    "met vriendelijke groet",
    "atenciosamente",
    "med vänliga hälsningar",
    "mvh",
];

/// Splits a body into its zones. Total; linear in the length of `body`.
pub(crate) fn split_zones(body: &str) -> MailZones<'_> {
    let mut lines: Vec<MailLine<'_>> = body.split_inclusive('\n').map(MailLine::new).collect();
    if let Some(mark) = unusual_mark(&lines) {
        for line in &mut lines {
            line.marked = line.text.trim_start().starts_with(mark);
        }
    }
    let mut zones = vec![MailZone::New; lines.len()];
    let mut at = 0;
    // What everything from here on is, unless it is quoted by a sign.
    let mut rest = None;
    while let Some(line) = lines.get(at) {
        let step = match rest {
            Some(MailZone::Forwarded) => (MailZone::Forwarded, 1, rest),
            // A quotation without signs does not end; what is quoted by signs in it is the same.
            Some(MailZone::Quotation) => (MailZone::Quotation, 1, rest),
            _ => zone_of(&lines, at, line, rest),
        };
        let (zone, count, then) = step;
        for zone_of_line in zones.iter_mut().skip(at).take(count) {
            *zone_of_line = zone;
        }
        rest = then;
        at += count.max(1);
    }
    close_letter(&lines, &mut zones);
    MailZones {
        parts: joined(body, &lines, &zones),
    }
}

/// The zone of a line, how many lines it holds for, and what the rest is from there on.
fn zone_of(
    lines: &[MailLine<'_>],
    at: usize,
    line: &MailLine<'_>,
    rest: Option<MailZone>,
) -> (MailZone, usize, Option<MailZone>) {
    // Every other line of most mails.
    if line.text.trim().is_empty() {
        return (rest.unwrap_or(MailZone::New), 1, rest);
    }
    let left = lines.len() - at;
    if line.is_quoted() {
        return (MailZone::Quotation, 1, rest);
    }
    let low = line.lower();
    if is_ruled_by(&low, FORWARDED) {
        return (MailZone::Forwarded, 1, Some(MailZone::Forwarded));
    }
    if is_ruled_by(&low, ORIGINAL) {
        return (MailZone::Quotation, 1, Some(MailZone::Quotation));
    }
    if begins_head(lines, at, &low) {
        // Under new text it is the mail that is answered; alone it was sent on.
        let written = lines.iter().take(at).any(|line| !line.text.trim().is_empty());
        let zone = if written {
            MailZone::Quotation
        } else {
            MailZone::Forwarded
        };
        return (zone, 1, Some(zone));
    }
    if let Some((count, unmarked)) = attribution(lines, at, &low) {
        return (
            MailZone::Attribution,
            count,
            if unmarked { Some(MailZone::Quotation) } else { rest },
        );
    }
    if let Some(zone) = rest {
        return (zone, 1, rest);
    }
    let text = line.text.trim_end_matches(['\r', '\n']);
    let signed =
        text == "-- " || (matches!(text.trim_end(), "--" | "—" | "__") && left <= SIGNATURE_LINES + 1);
    if signed || low.starts_with("-----begin pgp signature") {
        return (MailZone::Signature, 1, Some(MailZone::Signature));
    }
    if low.starts_with("-----begin pgp signed") {
        let blank = lines
            .iter()
            .skip(at)
            .take(6)
            .position(|line| line.text.trim().is_empty());
        return (MailZone::Footer, blank.unwrap_or(1).max(1), None);
    }
    if begins_with_one(&low, SENT_FROM) && low.len() < 80 {
        return (MailZone::Signature, 1, None);
    }
    if begins_with_one(&low, DISCLAIMERS) {
        let blank = lines.iter().skip(at).position(|line| line.text.trim().is_empty());
        return (MailZone::Footer, blank.unwrap_or(left).max(1), None);
    }
    if is_rule(text.trim()) && left <= FOOTER_LINES && at > 0 {
        let links = |line: &MailLine<'_>| {
            let low = line.lower();
            ["http", "www.", "unsubscribe", "mailing list", "@"]
                .iter()
                .any(|sign| low.contains(sign))
        };
        if lines.iter().skip(at + 1).any(links) {
            return (MailZone::Footer, 1, Some(MailZone::Footer));
        }
    }
    (MailZone::New, 1, None)
}

/// A closing formula near the end of the new text, with a few short lines behind it, begins a signature.
fn close_letter(lines: &[MailLine<'_>], zones: &mut [MailZone]) {
    let written: Vec<usize> = (0..lines.len())
        .rev()
        .filter(|at| zones.get(*at) == Some(&MailZone::New))
        .filter(|at| lines.get(*at).is_some_and(|line| !line.text.trim().is_empty()))
        .take(CLOSING_LINES)
        .collect();
    let closing = written.iter().rev().find(|at| {
        lines.get(**at).is_some_and(|line| {
            let low = line.lower();
            let low = low.trim_end_matches([',', '.', '!', '-', ' ']);
            CLOSINGS.contains(&low)
        })
    });
    let Some(from) = closing else { return };
    let short = |at: &usize| {
        lines
            .get(*at)
            .is_some_and(|line| line.text.trim().len() <= 80 && !line.text.contains('?'))
    };
    if written.iter().filter(|at| *at > from).all(short) {
        for at in written.iter().filter(|at| *at >= from) {
            if let Some(zone) = zones.get_mut(*at) {
                *zone = MailZone::Signature;
            }
        }
    }
}

fn joined<'a>(body: &'a str, lines: &[MailLine<'a>], zones: &[MailZone]) -> Vec<(MailZone, &'a str)> {
    let mut parts: Vec<(MailZone, &str)> = Vec::new();
    let (mut begin, mut end) = (0, 0);
    for (at, line) in lines.iter().enumerate() {
        end += line.text.len();
        if zones.get(at + 1) != zones.get(at) {
            if let (Some(zone), Some(part)) = (zones.get(at), body.get(begin..end)) {
                parts.push((*zone, part));
            }
            begin = end;
        }
    }
    parts
}

/// The signs before lines of a quotation where they are none of the usual: those at two lines at least behind a line that says who wrote, as
/// `--]` or `=>`.
fn unusual_mark<'a>(lines: &[MailLine<'a>]) -> Option<&'a str> {
    let said = |line: &MailLine<'a>| {
        line.text.trim_end().ends_with(':') && WROTE.iter().any(|word| line.lower().contains(word))
    };
    let at = lines.iter().position(said)?;
    let mut behind = lines
        .iter()
        .skip(at + 1)
        .filter(|line| !line.text.trim().is_empty());
    let (first, second) = (behind.next()?, behind.next()?);
    let text = first.text.trim_start();
    let mark = text.get(..text.find(|c: char| !c.is_ascii_punctuation())?)?;
    let is_mark =
        (1..=4).contains(&mark.len()) && mark.ends_with(['>', ']', '|', '}', ':', '=', '+', '#', '%', '!']);
    (is_mark && !first.is_quoted() && second.text.trim_start().starts_with(mark)).then_some(mark)
}

/// A line with its end.
struct MailLine<'a> {
    text: &'a str,
    /// It begins with the mail's own sign of quotations.
    marked: bool,
}

impl<'a> MailLine<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, marked: false }
    }

    /// What is compared: in lower case without the blanks around it.
    fn lower(&self) -> String {
        let text = self.text.trim();
        text.get(..text.floor_char_boundary(LINE))
            .unwrap_or_default()
            .to_lowercase()
    }

    /// Whether it begins with `>`, after initials or a name as well (`JM>`, `Rohan> `), or with `| `; `>From` is a mailbox's way to write From.
    fn is_quoted(&self) -> bool {
        if self.marked {
            return true;
        }
        let text = self.text.trim_start_matches([' ', '\t', '\u{a0}']);
        if text.starts_with(">From ") && text.len() == self.text.len() {
            return false;
        }
        let bare = text.trim_start_matches(|c: char| c.is_ascii_alphabetic());
        let initials = text.len() - bare.len();
        (initials <= 4 && bare.starts_with('>'))
            // "Rohan> "
            || (initials <= 12 && (bare.starts_with("> ") || bare.trim_end() == ">"))
            || (initials == 0 && (bare.starts_with("| ") || bare.starts_with("&gt;")))
    }
}

/// Whether a line begins with one of these. Most of them begin with another letter, and each line of each mail is asked for all of them.
fn begins_with_one(low: &str, begins: &[&str]) -> bool {
    let Some(first) = low.as_bytes().first() else {
        return false;
    };
    begins
        .iter()
        .any(|begin| begin.as_bytes().first() == Some(first) && low.starts_with(begin))
}

/// Whether it holds one of these titles between dashes, or as a sentence with a colon.
fn is_ruled_by(low: &str, titles: &[&str]) -> bool {
    let framed = low.starts_with("--")
        || low.starts_with("__")
        || low.starts_with("==")
        || low.ends_with(':')
        || low.ends_with("--");
    framed
        && low.len() < 120
        && titles.iter().any(|title| {
            low.trim_start_matches(['-', '_', '=', ' ', '>', '*'])
                .starts_with(title)
        })
}

/// Whether a mail's head begins here: `From:` and two other fields within five lines, in one of the languages.
fn begins_head(lines: &[MailLine<'_>], at: usize, low: &str) -> bool {
    let low = low.trim_start_matches('*');
    if !begins_with_one(low, FROM) {
        return false;
    }
    let fields = lines
        .iter()
        .skip(at + 1)
        .filter(|line| !line.text.trim().is_empty())
        .take(5)
        .filter(|line| {
            let low = line.lower();
            begins_with_one(low.trim_start_matches('*'), FIELDS)
        });
    fields.count() >= 2
}

/// The lines of an attribution, and whether what follows is quoted without a sign.
fn attribution(lines: &[MailLine<'_>], at: usize, low: &str) -> Option<(usize, bool)> {
    let opened = begins_with_one(low, OPENERS);
    // Nearly every line leaves here.
    if !opened && !ends_attribution(low) {
        return None;
    }
    let mut text = low.to_owned();
    let mut count = 1;
    // Long ones are wrapped.
    while !ends_attribution(&text) {
        let next = lines.get(at + count).filter(|line| !line.is_quoted())?;
        if !opened || count == 3 || text.len() > LINE || next.text.trim().is_empty() {
            return None;
        }
        text.push(' ');
        text.push_str(&next.lower());
        count += 1;
    }
    let said = WROTE.iter().any(|word| text.contains(word));
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let named = text.contains('@') || digits >= 6;
    let quoted = lines
        .iter()
        .skip(at + count)
        .take(3)
        .find(|line| !line.text.trim().is_empty())
        .is_some_and(MailLine::is_quoted);
    if quoted && (said || named || digits > 0) {
        Some((count, false))
    } else if said && opened && named && text.len() < LINE {
        Some((count, true))
    } else {
        None
    }
}

fn ends_attribution(text: &str) -> bool {
    text.ends_with([':', '：']) || text.ends_with("...") && text.contains("said")
}

/// A line that is drawn: twenty or more of one sign.
fn is_rule(text: &str) -> bool {
    text.len() >= 20
        && text.chars().next().is_some_and(|first| {
            matches!(first, '_' | '-' | '=' | '*' | '~' | '#') && text.chars().all(|c| c == first)
        })
}
