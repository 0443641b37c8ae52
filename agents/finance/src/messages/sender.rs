//! Who sent a message, by its header.
//!
//! What: [`SenderKind`], [`identity`], and whether a message's wording agrees with its sender. Why: whoever has a bank's name in their own
//! may write what a bank writes. Not here: what the message says, and whether the owner accepted the sender.
//!
//! India's operators put two letters for themselves and their region before a header of six signs, and since 2024 one letter
//! for its purpose behind it: `VK-HDFCBK`, `AX-SBIINB-S`. Headers are registered: nobody else can send from one.

/// A bank that is known.
#[derive(Debug, PartialEq, Eq)]
struct KnownSender {
    /// Its headers, as apps that read banks' messages list them.
    headers: &'static [&'static str],
    /// How messages name it, in small letters.
    names: &'static [&'static str],
}

const fn bank(headers: &'static [&'static str], names: &'static [&'static str]) -> KnownSender {
    KnownSender { headers, names }
}

static BANKS: [KnownSender; 12] = [
    bank(&["HDFCBK", "HDFCBN", "HDFCSB"], &["hdfc"]),
    bank(
        &[
            "SBIINB", "SBIUPI", "SBIBNK", "SBIPSG", "SBIYNO", "SBISMS", "SBICRD", "ATMSBI", "CBSSBI",
        ],
        &["sbi", "state bank of india"],
    ),
    bank(
        &["ICICIB", "ICICIT", "ICICIC", "ICICIS", "ICICIP", "ICICBA"],
        &["icici"],
    ),
    bank(&["AXISBK", "AXISBN", "AXISMB", "AXISCC"], &["axis"]),
    bank(&["KOTAKB", "KOTMAH", "KOTKBK"], &["kotak"]),
    bank(&["PNBSMS", "PNBBNK", "PNBUPI"], &["pnb", "punjab national bank"]),
    bank(&["INDUSB"], &["indusind"]),
    bank(
        &["BOBTXN", "BOBSMS", "BOBIBN", "BBRODR"],
        &["bob", "bank of baroda"],
    ),
    bank(&["YESBNK", "YESBKN"], &["yes bank"]),
    bank(&["IDFCFB", "IDFCBK", "IDFCBN"], &["idfc"]),
    bank(&["AUBANK", "AUBNKS"], &["au bank", "au small finance bank"]),
    bank(&["RBLBNK", "RBLCRD", "RBLBKR"], &["rbl"]),
];

/// Who a sender is, as far as its form says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SenderKind {
    /// The registered header of a bank that is known.
    Bank,
    /// Another header of an Indian operator.
    Operator,
    /// A name of letters and digits, as banks elsewhere send from.
    Name,
    /// A number of three to six digits.
    ShortCode,
    /// A telephone number: anybody.
    Phone,
    /// A header of advertisements (`-P`) or of the government (`-G`).
    Advertisement,
    /// Nothing is said.
    Unknown,
}

impl SenderKind {
    pub(super) fn of(from: &str) -> Self {
        let header = header(from);
        if matches!(header.purpose, Some('P' | 'G')) {
            return Self::Advertisement;
        }
        if bank_of(from).is_some() {
            return Self::Bank;
        }
        let digits = header.name.bytes().filter(u8::is_ascii_digit).count();
        let letters = header.name.chars().filter(|c| c.is_alphabetic()).count();
        match (letters, digits) {
            (0, 0) => Self::Unknown,
            (0, 3..=6) => Self::ShortCode,
            (0, _) => Self::Phone,
            _ if header.operator || header.purpose.is_some() => Self::Operator,
            _ => Self::Name,
        }
    }

    /// What it says for a payment.
    pub(super) fn points(self) -> i32 {
        match self {
            Self::Bank => 25,
            Self::Operator => 10,
            Self::Name | Self::ShortCode => 5,
            Self::Unknown => 0,
            Self::Phone => -15,
            Self::Advertisement => -100,
        }
    }

    /// Whether it can send in India alone.
    pub(super) fn is_indian(self) -> bool {
        match self {
            Self::Bank | Self::Operator => true,
            Self::Name | Self::ShortCode | Self::Phone | Self::Advertisement | Self::Unknown => false,
        }
    }
}

/// The parts of a sender.
struct SenderHeader<'a> {
    /// Whether an operator's two letters stood before it.
    operator: bool,
    name: &'a str,
    /// The letter behind it, in capitals.
    purpose: Option<char>,
}

fn header(from: &str) -> SenderHeader<'_> {
    let from = from.trim();
    let letter = |part: &str| {
        let mut chars = part.chars();
        chars
            .next()
            .filter(|c| c.is_ascii_alphabetic() && chars.next().is_none())
            .map(|c| c.to_ascii_uppercase())
    };
    let is_operator = |part: &str| part.len() == 2 && part.bytes().all(|b| b.is_ascii_alphabetic());
    let parts: Vec<&str> = from.split('-').collect();
    match parts.as_slice() {
        [operator, name] if is_operator(operator) => SenderHeader {
            operator: true,
            name,
            purpose: None,
        },
        [name, purpose] if letter(purpose).is_some_and(|c| "STPG".contains(c)) => SenderHeader {
            operator: false,
            name,
            purpose: letter(purpose),
        },
        [operator, name, purpose]
            if is_operator(operator) && letter(purpose).is_some_and(|c| "STPG".contains(c)) =>
        {
            SenderHeader {
                operator: true,
                name,
                purpose: letter(purpose),
            }
        }
        _ => SenderHeader {
            operator: false,
            name: from,
            purpose: None,
        },
    }
}

/// What tells one sender from another: of an operator's header its name alone, for the same bank sends over several operators.
pub(crate) fn identity(from: &str) -> String {
    header(from).name.trim().to_uppercase()
}

/// The headers of all known banks.
pub(crate) fn known_headers() -> impl Iterator<Item = &'static str> {
    BANKS.iter().flat_map(|bank| bank.headers).copied()
}

/// The known bank that sent a message. `None` for any other sender, and for headers of advertisements and of the government.
fn bank_of(from: &str) -> Option<&'static KnownSender> {
    let header = header(from);
    if matches!(header.purpose, Some('P' | 'G')) {
        return None;
    }
    BANKS.iter().find(|bank| {
        bank.headers
            .iter()
            .any(|known| known.eq_ignore_ascii_case(header.name))
    })
}

/// Whether a message in small letters agrees with its sender: no known bank sent it, or it speaks of that one.
pub(super) fn agrees(from: &str, lower: &str) -> bool {
    bank_of(from).is_none_or(|bank| bank.agrees(lower))
}

/// Words that stand between a bank's name and its account: "HDFC Bank Credit Card".
const BETWEEN: [&str; 8] = [
    "bank", "first", "ltd", "credit", "debit", "savings", "one", "your",
];
/// Words of an account.
const ACCOUNTS: [&str; 6] = ["a/c", "ac", "acct", "account", "card", "acc"];
/// An opening such as "HDFC Bank:" is not longer, in bytes.
const MAX_OPENING: usize = 24;

impl KnownSender {
    /// Whether a message in small letters agrees with its sender: where it opens with a bank's name, says whose its first
    /// account is, or is signed, one of these is the sender's bank. Most messages have one of them, some none.
    fn agrees(&'static self, lower: &str) -> bool {
        let opening = lower.find(':').filter(|at| *at <= MAX_OPENING);
        let places = [
            opening.and_then(|at| lower.get(..at)).and_then(named_last),
            before_account(lower).and_then(named_last),
            named_last(lower.trim_end_matches(['.', '!', ' ']))
                .filter(|(_, before)| before.trim_end().ends_with(['-', '.', ':', ')', '?', '!'])),
        ];
        let mut banks = places.into_iter().flatten().map(|(bank, _)| bank).peekable();
        banks.peek().is_none() || banks.any(|bank| bank == self)
    }
}

/// What stands before the first account.
fn before_account(lower: &str) -> Option<&str> {
    let mut at = 0;
    for word in lower.split(' ') {
        if ACCOUNTS.contains(&word.trim_end_matches(['.', ':', ','])) {
            return lower.get(..at);
        }
        at += word.len() + 1;
    }
    None
}

/// The bank with whose name a text ends, and what stands before it. Words that may follow a name do not count.
fn named_last(text: &str) -> Option<(&'static KnownSender, &str)> {
    let mut text = text.trim_end();
    loop {
        let found = BANKS.iter().find_map(|bank| {
            let before = bank.names.iter().find_map(|name| text.strip_suffix(name))?;
            let whole = !before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '@' | '_'));
            whole.then_some((bank, before))
        });
        if found.is_some() {
            return found;
        }
        let (before, last) = text.rsplit_once(' ')?;
        if !BETWEEN.contains(&last) {
            return None;
        }
        text = before.trim_end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_compared_whole() {
        for (from, name) in [
            ("VK-HDFCBK", Some("hdfc")),
            ("ax-sbiinb-s", Some("sbi")),
            ("JD-SBIUPI-T", Some("sbi")),
            ("YESBNK", Some("yes bank")),
            (" IDFCFB-S ", Some("idfc")),
            // Advertisements, the government, numbers, names.
            ("VK-HDFCBK-P", None),
            ("VK-HDFCBK-G", None),
            ("VK-HDFCBK-S-S", None),
            ("V-HDFCBK", None),
            ("V1-HDFCBK", None),
            ("VK-HDFCBKX", None),
            ("VK-HDFC", None),
            ("HDFC", None),
            ("+919800000000", None),
            ("Bob", None),
            ("Mrs Axis", None),
            ("industries", None),
            ("Kotaku News", None),
            ("AD-KOTAKU", None),
            ("Pnbhousing", None),
            ("", None),
            ("-", None),
        ] {
            let found = bank_of(from).and_then(|bank| bank.names.first().copied());
            assert_eq!(found, name, "{from}");
        }
        let headers: Vec<&&str> = BANKS.iter().flat_map(|bank| bank.headers).collect();
        let distinct: std::collections::BTreeSet<&&&str> = headers.iter().collect();
        assert!(headers.len() == distinct.len() && headers.iter().all(|header| header.len() == 6));
    }

    #[test]
    fn wording_and_sender_agree() {
        let hdfc = bank_of("VK-HDFCBK").unwrap();
        for (body, agrees) in [
            ("sent rs.5 from hdfc bank a/c *8841 to dev@ybl", true),
            ("rs.5 debited from a/c *8841 to dev", true),
            // The other side's bank, an address, a part of a word.
            ("rs.5 debited from a/c *8841 to sbi life insurance", true),
            ("rs.5 sent from hdfc bank a/c *8841 to zomato@icici", true),
            ("rs.5 debited from a/c *8841 credited to sbi a/c x2207", true),
            (
                "rs.5 transferred to sbi a/c x2207 from a/c *8841. -hdfc bank",
                true,
            ),
            ("hdfc bank: rs.5 sent to axis bank card xx7788", true),
            ("rs.5 paid at taxis stand from a/c *8841", true),
            ("sent rs.5 from sbi a/c x2207 to dev", false),
            ("rs.5 debited from a/c x2207 to dev. -sbi", false),
            ("icici bank acct xx5530 debited for rs 5", false),
            ("rs.5 spent on axis bank credit card xx7788", false),
            ("bob: paid rs.5 from a/c xx3412 to dev", false),
        ] {
            assert_eq!(hdfc.agrees(body), agrees, "{body}");
        }
    }
}
