//! What a server of mail says, taken apart.
//!
//! What: [`AnswerFramer`], which cuts a stream into answers with their literals, and [`ImapAnswer`], one of them (RFC 9051, section 7). Why: every
//! size is looked at before anything is taken in. Not here: what is asked (`session`), what an answer means (`folders`, `fetch`).

use super::super::wire::LookFailure;

/// Bytes of one answer, its literals among them.
pub(super) const ANSWER_MAX: usize = 1 << 20;
/// Lists, one in another.
const DEPTH_MAX: usize = 32;

/// Cuts what is read into whole answers.
#[derive(Default)]
pub(super) struct AnswerFramer {
    bytes: Vec<u8>,
    /// Where the line begins that is looked through now, and how far that is done.
    line: usize,
    scanned: usize,
}

impl AnswerFramer {
    pub(super) fn push(&mut self, read: &[u8]) {
        self.bytes.extend_from_slice(read);
    }

    /// Whether nothing was read beyond the last answer.
    pub(super) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The next whole answer; `None`: read more.
    ///
    /// # Errors
    /// [`LookFailure::AnswerTooLarge`], as soon as it is announced.
    pub(super) fn next_answer(&mut self) -> Result<Option<Vec<u8>>, LookFailure> {
        loop {
            let rest = self.bytes.get(self.scanned..).unwrap_or_default();
            let Some(end) = rest.iter().position(|byte| *byte == b'\n') else {
                if self.bytes.len() > ANSWER_MAX {
                    return Err(LookFailure::AnswerTooLarge);
                }
                // Within a literal that is not whole yet nothing is looked through.
                self.scanned = self.scanned.max(self.bytes.len());
                return Ok(None);
            };
            let end = self.scanned + end + 1;
            let line = self.bytes.get(self.line..end).unwrap_or_default();
            let literal = if may_hold_literals(&self.bytes) {
                literal_length(line)
            } else {
                None
            };
            let Some(length) = literal else {
                let rest = self.bytes.split_off(end);
                let answer = std::mem::replace(&mut self.bytes, rest);
                (self.line, self.scanned) = (0, 0);
                return Ok(Some(answer));
            };
            let behind = end.saturating_add(length);
            if behind > ANSWER_MAX {
                return Err(LookFailure::AnswerTooLarge);
            }
            if self.bytes.len() < behind {
                // The line before it is looked at once more then.
                self.scanned = end - 1;
                return Ok(None);
            }
            (self.line, self.scanned) = (behind, behind);
        }
    }
}

/// Whether it is data: what follows a status is words for people, in which anything may stand.
fn may_hold_literals(answer: &[u8]) -> bool {
    let Some(rest) = answer.strip_prefix(b"* ") else {
        return false;
    };
    let word = rest.split(|byte| !byte.is_ascii_alphanumeric()).next();
    ImapStatus::of_word(&String::from_utf8_lossy(word.unwrap_or_default())).is_none()
}

/// The bytes that a line announces at its end: `{12}`, `{12+}`.
fn literal_length(line: &[u8]) -> Option<usize> {
    let line = line.strip_suffix(b"\n")?;
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let line = line.strip_suffix(b"}")?;
    let line = line.strip_suffix(b"+").unwrap_or(line);
    let open = line.iter().rposition(|byte| *byte == b'{')?;
    let digits = line.get(open + 1..)?;
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    // What no number of ours can say is too much.
    Some(String::from_utf8_lossy(digits).parse().unwrap_or(usize::MAX))
}

/// How something went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ImapStatus {
    Ok,
    No,
    Bad,
    Bye,
    Preauth,
}

impl ImapStatus {
    fn of_word(word: &str) -> Option<Self> {
        Some(match word.to_ascii_uppercase().as_str() {
            "OK" => Self::Ok,
            "NO" => Self::No,
            "BAD" => Self::Bad,
            "BYE" => Self::Bye,
            "PREAUTH" => Self::Preauth,
            _ => return None,
        })
    }
}

/// One answer. What a server writes for people is left out: it may hold anything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ImapAnswer {
    /// It waits for more of a command.
    More,
    /// How a command went, with the code in brackets.
    Ended {
        tag: String,
        status: ImapStatus,
        code: String,
    },
    /// How it is, whatever was asked.
    Status {
        status: ImapStatus,
        code: String,
    },
    Data(Vec<ImapValue>),
}

/// A piece of data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ImapValue {
    Nil,
    Atom(String),
    /// A string, quoted or not.
    Text(Vec<u8>),
    List(Vec<ImapValue>),
}

impl ImapValue {
    /// The words of an atom or a string; of bytes that are none, `None`.
    pub(super) fn as_text(&self) -> Option<&str> {
        match self {
            Self::Atom(atom) => Some(atom),
            Self::Text(bytes) => std::str::from_utf8(bytes).ok(),
            Self::Nil | Self::List(_) => None,
        }
    }

    pub(super) fn as_bytes(&self) -> Option<&[u8]> {
        match self {
            Self::Atom(atom) => Some(atom.as_bytes()),
            Self::Text(bytes) => Some(bytes),
            Self::Nil | Self::List(_) => None,
        }
    }

    pub(super) fn as_list(&self) -> Option<&[Self]> {
        match self {
            Self::List(values) => Some(values),
            Self::Nil | Self::Atom(_) | Self::Text(_) => None,
        }
    }

    pub(super) fn as_number<N: std::str::FromStr>(&self) -> Option<N> {
        self.as_text()?.parse().ok()
    }

    /// Whether it is this word, in any case.
    pub(super) fn is(&self, word: &str) -> bool {
        self.as_text().is_some_and(|text| text.eq_ignore_ascii_case(word))
    }
}

impl ImapAnswer {
    /// Of one whole answer.
    ///
    /// # Errors
    /// [`LookFailure::Broken`]
    pub(super) fn parse(answer: &[u8]) -> Result<Self, LookFailure> {
        if answer.first() == Some(&b'+') {
            return Ok(Self::More);
        }
        if let Some(data) = answer.strip_prefix(b"* ")
            && may_hold_literals(answer)
        {
            let mut reader = ValueReader { rest: data };
            let values = reader.values(0)?;
            return if reader.rest.is_empty() {
                Ok(Self::Data(values))
            } else {
                Err(LookFailure::Broken)
            };
        }
        let line = String::from_utf8_lossy(answer);
        let mut words = line.trim_end().splitn(3, ' ');
        let (tag, status) = (words.next(), words.next().and_then(ImapStatus::of_word));
        let (Some(tag), Some(status)) = (tag, status) else {
            return Err(LookFailure::Broken);
        };
        let code = code_of(words.next().unwrap_or_default());
        Ok(if tag == "*" {
            Self::Status { status, code }
        } else {
            let tag = tag.to_owned();
            Self::Ended { tag, status, code }
        })
    }
}

/// What stands in brackets before the words for people.
fn code_of(text: &str) -> String {
    let inside = text.strip_prefix('[').and_then(|text| text.split_once(']'));
    inside.map(|(code, _)| code.to_owned()).unwrap_or_default()
}

struct ValueReader<'a> {
    rest: &'a [u8],
}

impl ValueReader<'_> {
    /// All values up to the end of a list, or of the answer.
    fn values(&mut self, depth: usize) -> Result<Vec<ImapValue>, LookFailure> {
        let mut found = Vec::new();
        while let Some(first) = self.rest.first() {
            match first {
                b' ' | b'\r' | b'\n' => self.skip(1),
                b')' if depth > 0 => {
                    self.skip(1);
                    return Ok(found);
                }
                b'(' if depth < DEPTH_MAX => {
                    self.skip(1);
                    found.push(ImapValue::List(self.values(depth + 1)?));
                }
                b'(' | b')' => return Err(LookFailure::Broken),
                b'"' => found.push(self.quoted()?),
                b'{' => found.push(self.literal()?),
                b'~' if self.rest.get(1) == Some(&b'{') => {
                    self.skip(1);
                    found.push(self.literal()?);
                }
                _ => found.push(self.atom()),
            }
        }
        if depth == 0 {
            Ok(found)
        } else {
            Err(LookFailure::Broken)
        }
    }

    fn skip(&mut self, bytes: usize) {
        self.rest = self.rest.get(bytes..).unwrap_or_default();
    }

    fn quoted(&mut self) -> Result<ImapValue, LookFailure> {
        let mut text = Vec::new();
        let mut bytes = self.rest.iter().enumerate().skip(1);
        while let Some((at, byte)) = bytes.next() {
            match byte {
                b'"' => {
                    self.skip(at + 1);
                    return Ok(ImapValue::Text(text));
                }
                b'\\' => text.extend(bytes.next().map(|(_, byte)| byte)),
                byte => text.push(*byte),
            }
        }
        Err(LookFailure::Broken)
    }

    fn literal(&mut self) -> Result<ImapValue, LookFailure> {
        let end = self.rest.iter().position(|byte| *byte == b'\n');
        let end = end.ok_or(LookFailure::Broken)? + 1;
        let line = self.rest.get(..end).unwrap_or_default();
        let length = literal_length(line).ok_or(LookFailure::Broken)?;
        let text = self.rest.get(end..end.saturating_add(length));
        let text = text.ok_or(LookFailure::Broken)?.to_vec();
        self.skip(end + length);
        Ok(ImapValue::Text(text))
    }

    /// A word; what stands in brackets belongs to it: `BODY[HEADER.FIELDS (DATE)]<0>`.
    fn atom(&mut self) -> ImapValue {
        let mut end = 0;
        while let Some(byte) = self.rest.get(end) {
            match byte {
                b' ' | b'(' | b')' | b'"' | b'\r' | b'\n' => break,
                b'[' => {
                    let behind = self.rest.get(end..).unwrap_or_default();
                    let closes = behind
                        .iter()
                        .position(|byte| matches!(byte, b']' | b'\r' | b'\n'));
                    let is_closed = closes.is_some_and(|at| behind.get(at) == Some(&b']'));
                    end += if is_closed {
                        closes.unwrap_or_default() + 1
                    } else {
                        1
                    };
                }
                _ => end += 1,
            }
        }
        let word = String::from_utf8_lossy(self.rest.get(..end).unwrap_or_default()).into_owned();
        self.skip(end);
        if word.eq_ignore_ascii_case("NIL") {
            ImapValue::Nil
        } else {
            ImapValue::Atom(word)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn framed(pieces: &[&[u8]]) -> Result<Vec<Vec<u8>>, LookFailure> {
        let mut framer = AnswerFramer::default();
        let mut found = Vec::new();
        for piece in pieces {
            framer.push(piece);
            while let Some(answer) = framer.next_answer()? {
                found.push(answer);
            }
        }
        Ok(found)
    }

    #[test]
    fn stream_is_cut_into_answers_wherever_it_is_torn() {
        let text = b"* OK hello {5}\r\n* 1 FETCH (BODY[1] {7}\r\na\r\nb)\r\n UID 7)\r\nA1 OK done\r\n";
        let whole = framed(&[text]).unwrap();
        assert_eq!(whole.len(), 3);
        assert_eq!(whole[1], b"* 1 FETCH (BODY[1] {7}\r\na\r\nb)\r\n UID 7)\r\n");
        let bytes: Vec<&[u8]> = text.chunks(1).collect();
        assert_eq!(framed(&bytes).unwrap(), whole);
    }

    #[test]
    fn answer_that_announces_or_brings_too_much_is_refused_before_it_is_taken_in() {
        for text in [
            "* 1 FETCH (BODY[1] {2147483648}\r\n".to_owned(),
            "* 1 FETCH (BODY[1] {99999999999999999999999}\r\n".to_owned(),
            "* SEARCH ".to_owned() + &"1 ".repeat(ANSWER_MAX / 2),
        ] {
            assert_eq!(framed(&[text.as_bytes()]), Err(LookFailure::AnswerTooLarge));
        }
        // Half a line is waited for.
        assert_eq!(framed(&[b"* 1 FET"]), Ok(vec![]));
    }

    #[test]
    fn answers_are_taken_apart_and_words_for_people_left_out() {
        let atom = |word: &str| ImapValue::Atom(word.to_owned());
        let text = |word: &str| ImapValue::Text(word.as_bytes().to_vec());
        for (answer, expected) in [
            ("+ idling\r\n", ImapAnswer::More),
            (
                "A7 NO [AUTHENTICATIONFAILED] Wrong (secret) words\r\n",
                ImapAnswer::Ended {
                    tag: "A7".to_owned(),
                    status: ImapStatus::No,
                    code: "AUTHENTICATIONFAILED".to_owned(),
                },
            ),
            (
                "* ok [UIDVALIDITY 3857529045] UIDs valid\r\n",
                ImapAnswer::Status {
                    status: ImapStatus::Ok,
                    code: "UIDVALIDITY 3857529045".to_owned(),
                },
            ),
            (
                "* LIST (\\HasNoChildren \\Sent) \"/\" \"a \\\"b\\\\\"\r\n",
                ImapAnswer::Data(vec![
                    atom("LIST"),
                    ImapValue::List(vec![atom("\\HasNoChildren"), atom("\\Sent")]),
                    text("/"),
                    text("a \"b\\"),
                ]),
            ),
            (
                "* 3 FETCH (BODY[HEADER.FIELDS (DATE FROM)]<0> {4}\r\nx)\r\n FLAGS () X nil)\r\n",
                ImapAnswer::Data(vec![
                    atom("3"),
                    atom("FETCH"),
                    ImapValue::List(vec![
                        atom("BODY[HEADER.FIELDS (DATE FROM)]<0>"),
                        text("x)\r\n"),
                        atom("FLAGS"),
                        ImapValue::List(vec![]),
                        atom("X"),
                        ImapValue::Nil,
                    ]),
                ]),
            ),
        ] {
            assert_eq!(ImapAnswer::parse(answer.as_bytes()), Ok(expected), "{answer}");
        }
        let deep = format!("* 1 FETCH {}\r\n", "(".repeat(40));
        for broken in [
            deep.as_str(),
            "* 1 FETCH (\r\n",
            "* 1 FETCH )\r\n",
            "* LIST () \"/\r\n",
            "A1 MAYBE\r\n",
            "220 mail.example ESMTP\r\n",
            "\r\n",
        ] {
            assert_eq!(
                ImapAnswer::parse(broken.as_bytes()),
                Err(LookFailure::Broken),
                "{broken}"
            );
        }
    }
}
