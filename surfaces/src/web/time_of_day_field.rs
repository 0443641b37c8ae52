//! A field for a time of day.
//!
//! What: [`TimeOfDayField`]. Why: a browser's own field writes times as the browser's language does, beside a page that writes them as its owner reads them. Not here: how
//! the owner reads them (`locale`), what was typed as the server reads it (`assets/aura.js`).

use chrono::NaiveTime;
use maud::{Markup, html};
use surfaces_base::{format, locale::ClockStyle, words};

/// A time as people write it, on either clock: 7:30, 07.30, 730, 7:30 pm.
const PATTERN: &str = "\\s*(([01]?[0-9]|2[0-3])([:.]?[0-5][0-9])?|(0?[1-9]|1[0-2])([:.]?[0-5][0-9])?\\s*[aApP]\\.?[mM]\\.?)\\s*";

/// In a field in which nothing stands: no time, which would look like one that does.
const NOTHING: &str = "--:--";

/// How a time is sent, `07:30`.
const SENT: &str = "%H:%M";

/// The field; its script sends `07:30` whatever was typed.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct TimeOfDayField<'a> {
    pub(super) id: Option<&'a str>,
    /// `None`: it is a part of what another element is named for.
    pub(super) name: Option<&'a str>,
    /// `07:30`; empty: nothing stands in it.
    pub(super) value: &'a str,
    /// What it is called where no label does.
    pub(super) label: Option<&'a str>,
    pub(super) is_required: bool,
    /// What says beside it why it was refused, by its id.
    pub(super) told_by: Option<&'a str>,
}

impl TimeOfDayField<'_> {
    /// Its markup. In a form of settings a named one is a value of its own.
    pub(super) fn input(self) -> Markup {
        let shown = NaiveTime::parse_from_str(self.value, SENT)
            .map_or_else(|_| self.value.to_owned(), format::time_of_day);
        let example = NaiveTime::from_hms_opt(7, 30, 0).map_or_else(String::new, format::time_of_day);
        let of_settings = self.name.filter(|_| self.told_by.is_none()).map(|_| "text");
        let keyboard = match surfaces_base::locale::current().clock {
            ClockStyle::Hours24 => "numeric",
            ClockStyle::Hours12 => "text",
        };
        html! {
            input id=[self.id] name=[self.name] data-as=[of_settings] data-time type="text" inputmode=(keyboard) required[self.is_required] value=(shown)
                placeholder=(NOTHING) title=(words::time_such_as(&example)) pattern=(PATTERN) size="8" maxlength="10" autocomplete="off" spellcheck="false"
                aria-label=[self.label] aria-describedby=[self.told_by];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use surfaces_base::{
        language::Language,
        locale::{Locale, speaking},
    };

    #[test]
    fn a_time_is_taken_as_people_write_it_and_none_that_no_clock_shows() {
        let pattern = regex::Regex::new(&format!("^(?:{PATTERN})$")).unwrap();
        for good in [
            "7:30",
            "07.30",
            "730",
            "7",
            "0:30",
            "1230",
            "23:59",
            "7:30 pm",
            "12 am",
            " 7:05 p.m. ",
        ] {
            assert!(pattern.is_match(good), "{good}");
        }
        for bad in [
            "",
            "24:00",
            "7:60",
            "19 am",
            "13:00 pm",
            "0 am",
            "half past seven",
        ] {
            assert!(!pattern.is_match(bad), "{bad}");
        }
    }

    #[test]
    fn a_time_stands_in_its_field_as_the_page_writes_times() {
        let field = TimeOfDayField {
            name: Some("brief_time"),
            value: "19:05",
            ..TimeOfDayField::default()
        };
        for (clock, shown) in [
            (
                ClockStyle::Hours24,
                "value=\"19:05\" placeholder=\"--:--\" title=\"A time such as 07:30\"",
            ),
            (
                ClockStyle::Hours12,
                "value=\"7:05 pm\" placeholder=\"--:--\" title=\"A time such as 7:30 am\"",
            ),
        ] {
            let locale = Locale {
                language: Language::English,
                clock,
            };
            let markup = speaking(locale, || field.input()).into_string();
            assert!(markup.contains(shown), "{shown}: {markup}");
            assert!(
                markup.contains("type=\"text\"") && markup.contains("data-as=\"text\""),
                "{markup}"
            );
        }
        // What nobody filled in, and what is no time, stands there as it is.
        for value in ["", "8"] {
            let markup = TimeOfDayField { value, ..field }.input().into_string();
            assert!(markup.contains(&format!("value=\"{value}\"")), "{markup}");
        }
    }
}
