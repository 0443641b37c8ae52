//! Currencies, and the signs by which sources write them.
//!
//! What: [`is_currency`], [`minor_units`] and [`CurrencySymbol`]. Why: a ticker of three capitals is no money, and how many decimals an
//! amount may have depends on its currency. Not here: amounts (`amount`).
//!
//! Source: ISO 4217, list one, as of amendment 180 (2025), without funds (such as CLF), precious metals (such as XAU) and codes
//! for tests. BGN, which the euro replaced on 2026-01-01, still stands on statements.

/// With two decimals, the usual case.
const TWO: &str = "AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY COP CRC CUP \
    CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW \
    KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP \
    PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD \
    UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG";
/// With none.
const NONE: &str = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF";
/// With three.
const THREE: &str = "BHD IQD JOD KWD LYD OMR TND";

/// Decimals of a currency by its ISO 4217 code; `None` when there is no such currency.
pub fn minor_units(code: &str) -> Option<u32> {
    // Three letters and a space each.
    let lists = |codes: &str| {
        codes
            .as_bytes()
            .chunks(4)
            .any(|listed| listed.get(..3) == Some(code.as_bytes()))
    };
    [(TWO, 2), (NONE, 0), (THREE, 3)]
        .into_iter()
        .find_map(|(codes, units)| lists(codes).then_some(units))
}

/// Whether a text is the ISO 4217 code of a currency.
pub fn is_currency(code: &str) -> bool {
    minor_units(code).is_some()
}

/// Signs in small letters, and the currencies that are written so. What most sources mean stands first.
const SYMBOLS: &[(&str, &[&str])] = &[
    ("₹", &["INR"]),
    ("rs", &["INR", "PKR", "LKR", "NPR", "MUR", "SCR"]),
    (
        "$",
        &[
            "USD", "AUD", "CAD", "NZD", "SGD", "HKD", "TWD", "MXN", "ARS", "CLP", "COP", "UYU", "BBD", "BMD",
            "BND", "BSD", "BZD", "FJD", "GYD", "JMD", "KYD", "LRD", "NAD", "SBD", "SRD", "TTD", "XCD", "DOP",
        ],
    ),
    (
        "£",
        &["GBP", "EGP", "FKP", "GIP", "LBP", "SDG", "SHP", "SSP", "SYP"],
    ),
    ("¥", &["JPY", "CNY"]),
    ("€", &["EUR"]),
    ("us$", &["USD"]),
    ("a$", &["AUD"]),
    ("ca$", &["CAD"]),
    ("s$", &["SGD"]),
    ("hk$", &["HKD"]),
    ("nt$", &["TWD"]),
    ("mx$", &["MXN"]),
    ("r$", &["BRL"]),
    ("kr", &["SEK", "NOK", "DKK", "ISK"]),
    ("fr", &["CHF", "XAF", "XOF"]),
    ("sfr", &["CHF"]),
    ("zł", &["PLN"]),
    ("kč", &["CZK"]),
    ("ft", &["HUF"]),
    ("lei", &["RON"]),
    ("₽", &["RUB"]),
    ("₺", &["TRY"]),
    ("₩", &["KRW"]),
    ("₫", &["VND"]),
    ("฿", &["THB"]),
    ("₱", &["PHP"]),
    ("₦", &["NGN"]),
    ("₪", &["ILS"]),
    ("₴", &["UAH"]),
    ("৳", &["BDT"]),
    ("rp", &["IDR"]),
    ("rm", &["MYR"]),
    ("dh", &["AED", "MAD"]),
    ("dhs", &["AED", "MAD"]),
];
/// Signs of several currencies that mean the first where nothing else is said.
const USUAL: [&str; 4] = ["rs", "$", "£", "¥"];

/// The signs that mean a currency where nothing else is said.
pub fn symbols_of(code: &str) -> impl Iterator<Item = &'static str> {
    let of_code = move |codes: &&[&str]| codes.first() == Some(&code);
    SYMBOLS
        .iter()
        .filter(move |(_, codes)| of_code(codes))
        .map(|(sign, _)| *sign)
}

/// The currency that a journal's commodity is: by its code in capitals, or by a sign. A name in small letters may be anything.
pub fn currency_of_commodity(name: &str) -> Option<String> {
    if is_currency(name) {
        return Some(name.to_owned());
    }
    let sign = name.trim_end_matches('.').to_lowercase();
    let known = SYMBOLS.iter().any(|(known, _)| *known == sign);
    let small = name.chars().all(|c| c.is_ascii_lowercase());
    (known && !small).then(|| CurrencySymbol(sign).usual())?
}

/// How a source wrote a currency: a code or a sign.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CurrencySymbol(String);

impl CurrencySymbol {
    /// The symbol a text is; `None` when it is none. A point behind it does not count: `Rs.`
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim_end_matches('.').to_lowercase();
        let known = SYMBOLS.iter().any(|(sign, _)| *sign == text) || is_currency(&text.to_uppercase());
        known.then_some(Self(text))
    }

    /// Whether it may stand for this currency.
    pub fn fits(&self, currency: &str) -> bool {
        let sign = SYMBOLS.iter().find(|(sign, _)| *sign == self.0);
        sign.map_or_else(
            || self.0.eq_ignore_ascii_case(currency),
            |(_, codes)| codes.contains(&currency),
        )
    }

    /// The currency it means where nothing else is said; `None` when that is open.
    pub fn usual(&self) -> Option<String> {
        match SYMBOLS.iter().find(|(sign, _)| *sign == self.0) {
            Some((_, [only])) => Some((*only).to_owned()),
            Some((sign, [first, ..])) if USUAL.contains(sign) => Some((*first).to_owned()),
            Some(_) => None,
            None => Some(self.0.to_uppercase()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn currencies_are_those_of_the_standard_and_no_ticker_is_one() {
        for (code, units) in [
            ("INR", Some(2)),
            ("JPY", Some(0)),
            ("KWD", Some(3)),
            ("XCG", Some(2)),
            ("XOF", Some(0)),
            // Tickers and hours, metals, funds, what is written otherwise.
            ("GLD", None),
            ("ETF", None),
            ("VEA", None),
            ("XAU", None),
            ("XTS", None),
            ("CLF", None),
            ("inr", None),
            ("IN", None),
            ("AED AFN", None),
            ("", None),
        ] {
            assert_eq!(minor_units(code), units, "{code:?}");
        }
        let all: Vec<&str> = [TWO, NONE, THREE]
            .iter()
            .flat_map(|list| list.split(' '))
            .collect();
        let distinct: std::collections::BTreeSet<&&str> = all.iter().collect();
        assert_eq!((all.len(), distinct.len()), (156, 156));
        assert!(all.iter().all(|code| code.len() == 3));
        for (_, codes) in SYMBOLS {
            assert!(codes.iter().all(|code| is_currency(code)), "{codes:?}");
        }
    }

    #[test]
    fn a_sign_means_one_currency_or_leaves_it_open() {
        for (text, usual, fits) in [
            ("₹", Some("INR"), "INR"),
            ("Rs.", Some("INR"), "PKR"),
            ("$", Some("USD"), "CAD"),
            ("US$", Some("USD"), "USD"),
            ("Kč", Some("CZK"), "CZK"),
            ("kr", None, "NOK"),
            ("eur", Some("EUR"), "EUR"),
        ] {
            let symbol = CurrencySymbol::parse(text).unwrap();
            assert_eq!(symbol.usual().as_deref(), usual, "{text}");
            assert!(symbol.fits(fits) && !symbol.fits("KWD"), "{text}");
        }
        for text in ["GLD", "e", "", "points", "."] {
            assert_eq!(CurrencySymbol::parse(text), None, "{text:?}");
        }
    }
}
