//! What a merchant is called.
//!
//! What: [`MerchantName`], as payments are compared by it and as it is shown. Why: two sources write one shop in different ways, and a person reads it as people
//! write it; both are decided here. Not here: reading the name out of a bank's text (`sources`), which names are listed (`category`).

use std::ops::Deref;

/// The longest name, in characters.
const MAX_NAME: usize = 64;

/// Local parts of an address that name a desk, not the merchant; then its domain does.
const DESKS: [&str; 9] = [
    "billing", "contact", "hello", "info", "noreply", "orders", "pay", "payments", "support",
];

/// Words that are not written with one capital, in small letters and as people write them.
const SPELLED: &[(&str, &str)] = &[
    ("ag", "AG"),
    ("at&t", "AT&T"),
    ("atm", "ATM"),
    ("bescom", "BESCOM"),
    ("bhim", "BHIM"),
    ("bigbasket", "BigBasket"),
    ("bmtc", "BMTC"),
    ("bookmyshow", "BookMyShow"),
    ("bp", "BP"),
    ("bsnl", "BSNL"),
    ("bsr", "BSR"),
    ("bvg", "BVG"),
    ("c&a", "C&A"),
    ("cvs", "CVS"),
    ("db", "DB"),
    ("dewa", "DEWA"),
    ("dhl", "DHL"),
    ("dm", "dm"),
    ("dmart", "DMart"),
    ("dmrc", "DMRC"),
    ("ebay", "eBay"),
    ("ec", "EC"),
    ("ee", "EE"),
    ("eg", "eG"),
    ("ev", "eV"),
    ("gmbh", "GmbH"),
    ("gpay", "GPay"),
    ("h&m", "H&M"),
    ("hdfc", "HDFC"),
    ("hvv", "HVV"),
    ("icici", "ICICI"),
    ("ikea", "IKEA"),
    ("irctc", "IRCTC"),
    ("jiomart", "JioMart"),
    ("kfc", "KFC"),
    ("kg", "KG"),
    ("kvb", "KVB"),
    ("lic", "LIC"),
    ("llc", "LLC"),
    ("makemytrip", "MakeMyTrip"),
    ("mcdonald's", "McDonald's"),
    ("mcdonalds", "McDonalds"),
    ("mvg", "MVG"),
    ("mvv", "MVV"),
    ("nhs", "NHS"),
    ("o2", "O2"),
    ("obi", "OBI"),
    ("ohg", "OHG"),
    ("oyo", "OYO"),
    ("paypal", "PayPal"),
    ("phonepe", "PhonePe"),
    ("pvr", "PVR"),
    ("rmv", "RMV"),
    ("rta", "RTA"),
    ("rwe", "RWE"),
    ("sbi", "SBI"),
    ("se", "SE"),
    ("ssb", "SSB"),
    ("tfl", "TfL"),
    ("tui", "TUI"),
    ("upi", "UPI"),
    ("ups", "UPS"),
    ("vbb", "VBB"),
    ("vrr", "VRR"),
    ("vvs", "VVS"),
    ("youtube", "YouTube"),
];

/// A merchant's name. As text it is the normalised one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct MerchantName {
    normalised: String,
    shown: String,
}

impl MerchantName {
    /// Of what a source wrote. Normalised: lower case, words separated by one space, at most 64 characters; of a payment address (`name@bank`) the part before
    /// the `@`, of a desk's address (`orders@shop.example`) the first label after it.
    pub(super) fn new(written: &str) -> Self {
        let lower = written.to_lowercase();
        let named = match lower.split_once('@') {
            Some((desk, domain)) if DESKS.contains(&desk.trim()) => {
                domain.split('.').next().unwrap_or(domain)
            }
            Some((local, _)) => local,
            None => &lower,
        };
        // An apostrophe belongs to its word: "Domino's" is "dominos".
        let normalised = join_words(
            named
                .replace(['\'', '’'], "")
                .split(|c: char| !c.is_alphanumeric())
                .filter(|word| !word.is_empty()),
        );
        let shown = if written.contains('@') {
            spell_name(&normalised)
        } else {
            spell_name(written)
        };
        Self { normalised, shown }
    }

    /// As a person writes it.
    pub(super) fn display_name(&self) -> &str {
        &self.shown
    }
}

impl Deref for MerchantName {
    type Target = str;

    fn deref(&self) -> &str {
        &self.normalised
    }
}

impl PartialEq<&str> for MerchantName {
    fn eq(&self, other: &&str) -> bool {
        self.normalised == **other
    }
}

fn join_words<'a>(words: impl Iterator<Item = &'a str>) -> String {
    words
        .collect::<Vec<_>>()
        .join(" ")
        .chars()
        .take(MAX_NAME)
        .collect()
}

/// A name as it is shown: with its source's capitals where that has small letters as well; where it shouts, or whispers, each word as people write it.
pub(super) fn spell_name(written: &str) -> String {
    let has = |is: fn(char) -> bool| written.chars().any(is);
    if has(char::is_lowercase) && has(char::is_uppercase) {
        return join_words(written.split_whitespace());
    }
    let words: Vec<String> = written.split_whitespace().map(spell_word).collect();
    join_words(words.iter().map(String::as_str))
}

/// A word, each of its parts behind a hyphen by itself.
fn spell_word(word: &str) -> String {
    word.split('-').map(spell_part).collect::<Vec<_>>().join("-")
}

fn spell_part(part: &str) -> String {
    let lower = part.to_lowercase();
    if let Some((_, spelled)) = SPELLED.iter().find(|(small, _)| *small == lower) {
        return (*spelled).to_owned();
    }
    // What is behind a sign begins anew: "O'NEILL"; the s of "DOMINO'S" does not, nor what is behind a point.
    let mut begins = true;
    let mut out = String::with_capacity(lower.len());
    let mut letters = lower.chars();
    while let Some(letter) = letters.next() {
        if begins && letter.is_alphabetic() {
            out.extend(letter.to_uppercase());
        } else {
            out.push(letter);
        }
        begins = match letter {
            '\'' | '’' => letters.clone().take_while(|next| next.is_alphabetic()).count() > 1,
            other => !other.is_alphanumeric() && other != '.',
        };
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_keeps_all_its_words_and_drops_what_names_the_bank() {
        for (raw, expected) in [
            ("chaipoint@ybl", "chaipoint"),
            ("APOLLO  Pharmacy", "apollo pharmacy"),
            ("zepto@icici.", "zepto"),
            ("orders@bigbasket.com", "bigbasket"),
            ("Domino's Pizza", "dominos pizza"),
            ("ram.kumar-1@okaxis", "ram kumar 1"),
            ("  ", ""),
            ("@", ""),
        ] {
            assert_eq!(MerchantName::new(raw), expected, "{raw:?}");
        }
    }

    #[test]
    fn a_name_is_shown_as_people_write_it() {
        for (written, expected) in [
            // A source with capitals and small letters knows how it is written.
            ("REWE Markt", "REWE Markt"),
            ("iFixit  GmbH", "iFixit GmbH"),
            ("dm-Drogerie Markt", "dm-Drogerie Markt"),
            // One that shouts does not.
            ("REWE SAGT DANKE", "Rewe Sagt Danke"),
            ("BVG", "BVG"),
            ("IKEA DEUTSCHLAND GMBH", "IKEA Deutschland GmbH"),
            ("DM FIL.1234", "dm Fil.1234"),
            ("DOMINO'S PIZZA", "Domino's Pizza"),
            ("O'NEILL ALDI-NORD", "O'Neill Aldi-Nord"),
            ("BÄCKEREI MÜLLER", "Bäckerei Müller"),
            // Nor does a payment address, or a journal without capitals.
            ("swiggy", "Swiggy"),
            ("ram.kumar-1@okaxis", "Ram Kumar 1"),
            ("orders@bigbasket.com", "BigBasket"),
            ("dm-drogerie markt", "dm-Drogerie Markt"),
            ("dm", "dm"),
            ("", ""),
        ] {
            assert_eq!(MerchantName::new(written).display_name(), expected, "{written:?}");
        }
    }
}
