//! What a bank writes into a statement about a payment.
//!
//! What: [`read`], the payee and the payment's own number out of a narration such as `UPI/P2M/431200100200/SWIGGY/ybl`. Why:
//! the payee is one part of many, and the number is what a message of the same payment shows too. Not here: messages
//! (`finance::messages`).

use super::{PaymentOrdinal, recognition::fold};
use crate::merchant_name::MerchantName;
use chrono::NaiveDate;
use toolcall_schema::ids::sha256_hex;

/// What a payment's own number has: those of UPI and IMPS have twelve digits.
const NUMBER_DIGITS: std::ops::RangeInclusive<usize> = 9..=22;

/// Parts that tell how a payment was made, not to whom.
const HOW: [&str; 34] = [
    "ach", "atm", "atw", "autopay", "bil", "billpay", "by", "card", "cr", "d", "dr", "ecs", "ecom", "emi",
    "imps", "inb", "ib", "mb", "mmt", "mob", "nach", "neft", "p2a", "p2m", "pay", "payment", "pos",
    "purchase", "rtgs", "si", "to", "trf", "txn", "upi",
];

/// What exports write where nothing is known of a payment, as [`fold`] leaves it.
const NOTHING_KNOWN: [&str; 29] = [
    "empty",
    "k a",
    "keine",
    "keine angabe",
    "keine beschreibung",
    "kein verwendungszweck",
    "n a",
    "na",
    "nan",
    "nessuna descrizione",
    "nicht angegeben",
    "nil",
    "no description",
    "no description available",
    "no details",
    "no memo",
    "no name",
    "no payee",
    "none",
    "not applicable",
    "not available",
    "not provided",
    "null",
    "ohne verwendungszweck",
    "sans libelle",
    "sin descripcion",
    "undefined",
    "unbekannt",
    "unknown",
];

/// Whether a text only says that nothing is known: it is empty, signs alone, or one of the words for that.
pub(super) fn is_nothing(told: &str) -> bool {
    let words = fold(told);
    words.is_empty() || NOTHING_KNOWN.contains(&words.as_str())
}

/// The payee's normalised name and the payment's own number.
pub(super) fn read(told: &str) -> (MerchantName, Option<String>) {
    let number = number(told);
    if is_nothing(told) {
        return (MerchantName::default(), number);
    }
    // No bank writes markup between its parts: it belongs to the name.
    let separators: &[char] = if told.contains(['<', '>']) {
        &[]
    } else {
        &['/', '|', ':', '*']
    };
    let parts: Vec<&str> = told
        .split(separators)
        .flat_map(|part| {
            // A hyphen parts a narration only where it parts channels: "UPI-SWIGGY-swiggy@ybl".
            let channel = part.split('-').next().is_some_and(is_how);
            if channel {
                part.split('-').collect()
            } else {
                vec![part]
            }
        })
        .map(str::trim)
        .collect();
    let named = if parts.len() == 1 {
        parts.first().copied()
    } else {
        let says = |part: &&&str| !is_how(part) && part.chars().filter(|c| c.is_alphabetic()).count() >= 3;
        let plain = |part: &&&str| !part.chars().any(|c| c.is_ascii_digit());
        parts
            .iter()
            .filter(says)
            .find(plain)
            .or_else(|| parts.iter().find(says))
            .copied()
    };
    let words: Vec<&str> = named
        .unwrap_or_default()
        .split_whitespace()
        .skip_while(|word| is_how(word))
        .filter(|word| !is_number(word))
        .collect();
    (MerchantName::new(&words.join(" ")), number)
}

/// The payment's own number in a text.
pub(super) fn number(text: &str) -> Option<String> {
    text.split(|c: char| !c.is_ascii_alphanumeric())
        .find(|word| is_number(word))
        .map(str::to_ascii_uppercase)
}

/// Whether a word is a number of a payment: digits, after at most eight letters or not.
fn is_number(word: &str) -> bool {
    let digits = word.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    word.len() - digits.len() <= 8
        && NUMBER_DIGITS.contains(&digits.len())
        && digits.bytes().all(|b| b.is_ascii_digit())
}

fn is_how(part: &str) -> bool {
    let part = part.trim().trim_end_matches('.');
    HOW.iter().any(|how| how.eq_ignore_ascii_case(part))
}

/// Which entry it is by the bank's own id, on the day that the bank writes. No id, and one of zeros, tells nothing.
pub(super) fn which(id: &str, day: NaiveDate) -> PaymentOrdinal {
    let id = id.trim();
    if id.bytes().all(|b| b == b'0') {
        return PaymentOrdinal::Nth(0);
    }
    let hex: String = sha256_hex(id.as_bytes()).chars().take(8).collect();
    PaymentOrdinal::Id(u32::from_str_radix(&hex, 16).unwrap_or(0), day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_narration_names_its_payee_and_its_number() {
        for (told, payee, number) in [
            ("UPI/P2M/431200100200/SWIGGY/ybl", "swiggy", Some("431200100200")),
            (
                "UPI-CHAI POINT-chaipoint@ybl-YESB0000001-431200100201-lunch",
                "chai point",
                Some("431200100201"),
            ),
            (
                "POS 416021XXXXXX8841 DMART READY",
                "416021xxxxxx8841 dmart ready",
                None,
            ),
            ("NEFT CR-ACME WORKS", "cr acme works", None),
            ("Blue-Tokai Coffee", "blue tokai coffee", None),
            ("NETFLIX.COM", "netflix com", None),
            ("AMZN*Books", "amzn", None),
            ("<script>alert(1)</script>", "script alert 1 script", None),
            ("<script>alert(2)</script>", "script alert 2 script", None),
            ("", "", None),
            ("UPI/900100200300", "", Some("900100200300")),
            // Nothing is known, which is nobody.
            ("No Description", "", None),
            (" N/A ", "", None),
            ("--", "", None),
            ("Ohne Verwendungszweck", "", None),
            ("Sin descripción", "", None),
            // Shops whose names begin so.
            ("Nando Grill", "nando grill", None),
            ("None Such Books", "none such books", None),
        ] {
            let (name, read) = read(told);
            assert_eq!((&*name, read.as_deref()), (payee, number), "{told}");
        }
        let which = |id| which(id, NaiveDate::MIN);
        assert_eq!([which(" "), which("000")], [PaymentOrdinal::Nth(0); 2]);
        assert!(which("1") != which("2") && which("1") == which(" 1 "));
    }
}
