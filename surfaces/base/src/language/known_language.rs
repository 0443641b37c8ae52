//! The languages that Aura speaks, and how each is named.
//!
//! What: [`Language`], found by a tag, a locale of the system or what a browser asks for. Why: a third one is a variant here and a folder of texts. Not
//! here: its texts (`language`), who hears which (`locale`).

use serde::{Deserialize, Serialize};

/// A language of Aura's texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Language {
    #[default]
    #[serde(rename = "en")]
    English,
    #[serde(rename = "de")]
    German,
}

impl Language {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::English, Self::German];

    /// Its tag by BCP 47, as the settings file and a page's `lang` name it.
    pub fn tag(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::German => "de",
        }
    }

    /// Its own name for itself.
    pub fn own_name(self) -> &'static str {
        match self {
            Self::English => "English",
            Self::German => "Deutsch",
        }
    }

    /// The language of a tag: `de`, `de-AT`, and a locale of the system, `de_DE.UTF-8`.
    pub fn of_tag(tag: &str) -> Option<Self> {
        let primary = tag.split(['-', '_', '.', '@']).next().unwrap_or_default();
        Self::ALL
            .into_iter()
            .find(|language| primary.eq_ignore_ascii_case(language.tag()))
    }

    /// The first that Aura speaks of a header `Accept-Language`, by its weights (RFC 9110, 12.5.4).
    pub fn of_accept_language(header: &str) -> Option<Self> {
        let mut wanted: Vec<(u32, Self)> = header
            .split(',')
            .filter_map(|range| {
                let (tag, weight) = range.split_once(';').unwrap_or((range, ""));
                let thousandths = thousandths(weight)?;
                Some((thousandths, Self::of_tag(tag.trim())?))
            })
            .filter(|(weight, _)| *weight > 0)
            .collect();
        // Stable: of two of one weight the first that was named.
        wanted.sort_by_key(|(weight, _)| std::cmp::Reverse(*weight));
        wanted.first().map(|(_, language)| *language)
    }
}

/// A weight such as `q=0.8` in thousandths; nothing is the whole weight.
fn thousandths(weight: &str) -> Option<u32> {
    let weight = weight.trim();
    if weight.is_empty() {
        return Some(1000);
    }
    let value: f64 = weight.strip_prefix("q=")?.trim().parse().ok()?;
    if !(0.0..=1.0).contains(&value) {
        return None;
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 0 and 1000, tested just above"
    )]
    let thousandths = (value * 1000.0) as u32;
    Some(thousandths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_is_found_by_tag_locale_and_what_a_browser_asks_for() {
        for (tag, language) in [
            ("de", Some(Language::German)),
            ("DE-at", Some(Language::German)),
            ("de_DE.UTF-8", Some(Language::German)),
            ("en_IN", Some(Language::English)),
            ("C.UTF-8", None),
            ("den", None),
            ("", None),
        ] {
            assert_eq!(Language::of_tag(tag), language, "{tag}");
        }
        for (header, language) in [
            ("de-DE,de;q=0.9,en;q=0.8", Some(Language::German)),
            ("fr,en;q=0.5,de;q=0.7", Some(Language::German)),
            ("en, de", Some(Language::English)),
            ("de;q=0, en;q=0.1", Some(Language::English)),
            ("fr, *;q=0.5", None),
            ("de;q=2", None),
            (";;;,,q=", None),
        ] {
            assert_eq!(Language::of_accept_language(header), language, "{header}");
        }
    }
}
