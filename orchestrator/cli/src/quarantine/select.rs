//! Which lines a command is about.
//!
//! What: [`LineSelector`], one line by number or hash; [`LineFilter`], by code, agent and time; [`TimeBound`], a time or so long ago. Why:
//! `list`, `show` and `replay` choose in the same way. Not here: reading lines (`aura_memory::quarantine`).

use super::args::FilterArgs;
use crate::error::CliError;
use aura_memory::quarantine::{QuarantineEntry, QuarantineKind, QuarantineLine, list};
use std::path::Path;
use surfaces_base::language::{self, say};
use toolcall_schema::{AgentName, Timestamp};

/// One line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum LineSelector {
    /// By its number, from 1.
    Number(u64),
    /// By the beginning of its SHA-256.
    Sha(String),
    /// The newest, by the word `last`.
    Last,
}

/// So many digits of a hash are enough.
const SHA_MIN: usize = 6;

impl LineSelector {
    /// Digits alone are a number; six hexadecimal digits or more a hash.
    ///
    /// # Errors
    /// What would be right.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        if text == "last" {
            return Ok(Self::Last);
        }
        match text.parse::<u64>() {
            Ok(0) => return Err(language::text("cli-quarantine-from-one").to_owned()),
            Ok(n) => return Ok(Self::Number(n)),
            Err(_) => {}
        }
        let hex = text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        if hex && (SHA_MIN..=64).contains(&text.len()) {
            Ok(Self::Sha(text.to_owned()))
        } else {
            Err(language::text("cli-quarantine-no-line-name").to_owned())
        }
    }

    /// The line that is meant. The same bytes may have been refused more than once: then the newest.
    ///
    /// # Errors
    /// [`CliError`] when there is none, when a hash fits different bytes, or when the file cannot be read.
    pub(crate) fn find(
        &self,
        data_dir: &Path,
        kind: QuarantineKind,
    ) -> Result<(u64, QuarantineLine), CliError> {
        let mut found: Option<(u64, QuarantineLine)> = None;
        for line in list(data_dir, kind)? {
            let (n, line) = line?;
            let fits = match (self, &line) {
                (Self::Number(number), _) => n == *number,
                (Self::Last, _) => true,
                (Self::Sha(sha), QuarantineLine::Entry(entry)) => entry.sha256.starts_with(sha),
                (
                    Self::Sha(_),
                    QuarantineLine::Lost(_) | QuarantineLine::Unreadable { .. } | QuarantineLine::Torn { .. },
                ) => false,
            };
            if !fits {
                continue;
            }
            if *self != Self::Last
                && let (Some((_, QuarantineLine::Entry(one))), QuarantineLine::Entry(other)) = (&found, &line)
                && one.sha256 != other.sha256
            {
                return Err(CliError::Usage(
                    language::text("cli-quarantine-more-than-one").to_owned(),
                ));
            }
            found = Some((n, line));
        }
        found.ok_or_else(|| {
            let kind = kind.as_str();
            CliError::NotThere(match self {
                Self::Number(n) => say!("cli-quarantine-no-line-number", number = n.to_string(), kind),
                Self::Sha(sha) => say!("cli-quarantine-no-line-sha", sha, kind),
                Self::Last => say!("cli-quarantine-no-line", kind),
            })
        })
    }
}

/// A time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TimeBound {
    /// That one.
    At(Timestamp),
    /// So many milliseconds ago.
    Ago(i64),
}

impl TimeBound {
    /// RFC 3339, or as [`span_ms`].
    ///
    /// # Errors
    /// What would be right.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        if let Ok(at) = Timestamp::parse(text) {
            return Ok(Self::At(at));
        }
        span_ms(text)
            .map(Self::Ago)
            .map_err(|_| language::text("cli-quarantine-no-time").to_owned())
    }

    fn at(self, now: Timestamp) -> Timestamp {
        match self {
            Self::At(at) => at,
            Self::Ago(ms) => now.plus_ms(-ms),
        }
    }
}

/// Milliseconds of a span like `90s`, `15m`, `1h`, `2d`, `1w`.
///
/// # Errors
/// What would be right.
pub(super) fn span_ms(text: &str) -> Result<i64, String> {
    let wrong = || language::text("cli-quarantine-no-span").to_owned();
    let unit_ms = match text.chars().last() {
        Some('s') => 1000,
        Some('m') => 60_000,
        Some('h') => 3_600_000,
        Some('d') => 24 * 3_600_000,
        Some('w') => 7 * 24 * 3_600_000,
        Some(_) | None => return Err(wrong()),
    };
    let count: u32 = text
        .strip_suffix(|c: char| c.is_ascii_lowercase())
        .filter(|digits| digits.bytes().all(|b| b.is_ascii_digit()))
        .and_then(|digits| digits.parse().ok())
        .ok_or_else(wrong)?;
    Ok(i64::from(count) * unit_ms)
}

/// Which lines are meant.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct LineFilter {
    code: Option<String>,
    agent: Option<AgentName>,
    program: Option<String>,
    since: Option<Timestamp>,
    until: Option<Timestamp>,
}

impl LineFilter {
    /// What was asked for, as of now.
    pub(super) fn new(args: &FilterArgs, now: Timestamp) -> Self {
        Self {
            code: args.code.clone(),
            agent: args.agent,
            program: args.program.clone(),
            since: args.since.map(|when| when.at(now)),
            until: args.until.map(|when| when.at(now)),
        }
    }

    /// Whether a line is meant. One that says neither code nor time is meant only when nothing is asked for.
    pub(super) fn admits(&self, line: &QuarantineLine) -> bool {
        match line {
            QuarantineLine::Entry(entry) => self.admits_entry(entry),
            QuarantineLine::Lost(lost) => {
                self.agent.is_none() && self.program.is_none() && self.fits(&lost.code, lost.ts)
            }
            QuarantineLine::Unreadable { .. } | QuarantineLine::Torn { .. } => *self == Self::default(),
        }
    }

    /// Whether an entry is meant.
    pub(super) fn admits_entry(&self, entry: &QuarantineEntry) -> bool {
        self.agent.is_none_or(|agent| entry.agent == Some(agent))
            && self
                .program
                .as_ref()
                .is_none_or(|name| entry.program.as_ref() == Some(name))
            && self.fits(&entry.code, entry.ts)
    }

    fn fits(&self, code: &str, ts: Timestamp) -> bool {
        self.code.as_deref().is_none_or(|wanted| wanted == code)
            && self.since.is_none_or(|since| ts >= since)
            && self.until.is_none_or(|until| ts <= until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aura_memory::quarantine::LostEntries;
    use toolcall_schema::rejection::RefusalReason;

    #[test]
    fn a_line_is_named_by_its_number_or_by_six_digits_of_its_hash() {
        for (text, expected) in [
            ("1", Some(LineSelector::Number(1))),
            ("last", Some(LineSelector::Last)),
            ("123456", Some(LineSelector::Number(123_456))),
            ("00ab12", Some(LineSelector::Sha("00ab12".to_owned()))),
            ("0", None),
            ("ab12", None),
            ("ABCDEF", None),
            ("-1", None),
            ("", None),
        ] {
            assert_eq!(LineSelector::parse(text).ok(), expected, "{text}");
        }
    }

    #[test]
    fn a_span_is_a_number_and_a_unit() {
        for (text, expected) in [
            ("90s", Some(90_000)),
            ("15m", Some(900_000)),
            ("1h", Some(3_600_000)),
            ("30d", Some(2_592_000_000)),
            ("2w", Some(1_209_600_000)),
            ("0d", Some(0)),
            ("d", None),
            ("1.5h", None),
            ("-1h", None),
            ("+1h", None),
            ("1y", None),
            ("5000000000s", None),
            ("1٣h", None),
            ("", None),
        ] {
            assert_eq!(span_ms(text).ok(), expected, "{text}");
        }
    }

    #[test]
    fn a_filter_is_all_of_what_was_asked_with_both_ends() {
        let at = Timestamp::from_ms;
        let why = RefusalReason {
            code: "GATE-009".to_owned(),
            pointer: String::new(),
            message: String::new(),
        };
        let entry = QuarantineLine::Entry(Box::new(QuarantineEntry {
            agent: Some(AgentName::Comms),
            ..QuarantineEntry::new(at(100), why, "cafe", b"x")
        }));
        let lost = QuarantineLine::Lost(LostEntries {
            ts: at(100),
            code: "QUAR-001".to_owned(),
            dropped: 1,
        });
        let torn = QuarantineLine::Torn { bytes: 1 };
        let none = LineFilter::default();
        let code = |code: &str| LineFilter {
            code: Some(code.to_owned()),
            ..LineFilter::default()
        };
        let agent = |agent| LineFilter {
            agent: Some(agent),
            ..LineFilter::default()
        };
        let time = |since, until| LineFilter {
            since: Some(at(since)),
            until: Some(at(until)),
            ..LineFilter::default()
        };
        for (filter, expected) in [
            (none, [true, true, true]),
            (code("GATE-009"), [true, false, false]),
            (code("QUAR-001"), [false, true, false]),
            (agent(AgentName::Comms), [true, false, false]),
            (agent(AgentName::Finance), [false, false, false]),
            (time(100, 100), [true, true, false]),
            (time(101, 200), [false, false, false]),
            (time(0, 99), [false, false, false]),
        ] {
            let got = [&entry, &lost, &torn].map(|line| filter.admits(line));
            assert_eq!(got, expected, "{filter:?}");
        }
        let args = FilterArgs {
            code: None,
            agent: None,
            program: None,
            since: Some(TimeBound::Ago(40)),
            until: Some(TimeBound::At(at(7))),
        };
        assert_eq!(LineFilter::new(&args, at(100)), time(60, 7));
    }
}
