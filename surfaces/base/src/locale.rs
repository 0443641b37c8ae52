//! The owner's way to read: the language, and a clock of twelve or twenty-four hours.
//!
//! What: [`Locale`], which one is in force here ([`current`], [`speaking`], [`speaking_during`]), and what the owner chose ([`LocaleSetting`]). Why: every page,
//! notification and sentence is written as its reader reads it. Not here: texts (`language`), numbers and dates (`format`), what records and JSON say
//! (always in English and with 24 hours).
//!
//! **In force where.** A request is answered in the locale of its task, which the guard sets once; a command speaks that of its process
//! ([`of_process`]), which its start sets once; what is said elsewhere names it with [`speaking`]. English and 24 hours where nobody said anything.

use crate::language::Language;
use chrono::{NaiveTime, Timelike as _};
use serde::{Deserialize, Serialize};
use std::{
    future::Future,
    sync::{PoisonError, RwLock},
};

/// How times are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum ClockStyle {
    /// `18:30`
    #[default]
    #[serde(rename = "24h")]
    Hours24,
    /// `6:30 pm`
    #[serde(rename = "12h")]
    Hours12,
}

impl ClockStyle {
    /// A time of day, to the minute.
    pub fn write(self, time: NaiveTime) -> String {
        match self {
            Self::Hours24 => time.format("%H:%M").to_string(),
            Self::Hours12 => {
                let (is_pm, hour) = time.hour12();
                let half = if is_pm { "pm" } else { "am" };
                format!("{hour}:{:02} {half}", time.minute())
            }
        }
    }
}

/// How something is written for its reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Locale {
    pub language: Language,
    pub clock: ClockStyle,
}

impl From<Language> for Locale {
    fn from(language: Language) -> Self {
        Self {
            language,
            clock: ClockStyle::default(),
        }
    }
}

/// The locale of this process, such as `de_DE.UTF-8`, in the order of POSIX; an empty variable says nothing.
pub fn of_process() -> Option<String> {
    ["LC_ALL", "LC_MESSAGES", "LANG"]
        .into_iter()
        .find_map(|name| std::env::var(name).ok().filter(|value| !value.is_empty()))
}

/// What the owner chose, shared by all that speaks. It changes while Aura runs.
#[derive(Debug)]
pub struct LocaleSetting {
    /// The language is `None` where no choice was made.
    chosen: RwLock<(Option<Language>, ClockStyle)>,
    system: Language,
}

impl LocaleSetting {
    /// `language`, `clock`: as the settings say. `system`: the locale of the process, such as `de_DE.UTF-8`; English where that names no language of
    /// ours.
    pub fn new((language, clock): (Option<Language>, ClockStyle), system: Option<&str>) -> Self {
        Self {
            chosen: RwLock::new((language, clock)),
            system: system.and_then(Language::of_tag).unwrap_or_default(),
        }
    }

    /// Takes the owner's choice up.
    pub fn choose(&self, language: Option<Language>, clock: ClockStyle) {
        *self.chosen.write().unwrap_or_else(PoisonError::into_inner) = (language, clock);
    }

    fn locale(&self, otherwise: impl FnOnce() -> Language) -> Locale {
        let (chosen, clock) = *self.chosen.read().unwrap_or_else(PoisonError::into_inner);
        Locale {
            language: chosen.unwrap_or_else(otherwise),
            clock,
        }
    }

    /// For a page: the owner's choice, else the language that the browser asks for in `Accept-Language`, else English.
    pub fn for_page(&self, accept_language: Option<&str>) -> Locale {
        let asked = || accept_language.and_then(Language::of_accept_language);
        self.locale(|| asked().unwrap_or_default())
    }

    /// For what nobody asked for, such as a notification: the owner's choice, else the system's language.
    pub fn for_notices(&self) -> Locale {
        self.locale(|| self.system)
    }
}

tokio::task_local! {
    static CURRENT: Locale;
}

/// The locale that is in force here.
pub fn current() -> Locale {
    CURRENT.try_with(|locale| *locale).unwrap_or_default()
}

/// Speaks for a reader while `work` runs.
pub fn speaking<T>(locale: impl Into<Locale>, work: impl FnOnce() -> T) -> T {
    CURRENT.sync_scope(locale.into(), work)
}

/// Speaks for a reader in a task, at each of its steps.
pub fn speaking_during<F: Future>(locale: Locale, task: F) -> impl Future<Output = F::Output> {
    CURRENT.scope(locale, task)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn midnight_and_noon_are_twelve_on_a_clock_of_twelve_hours() {
        for (hour, minute, of_24, of_12) in [
            (0, 0, "00:00", "12:00 am"),
            (0, 5, "00:05", "12:05 am"),
            (8, 23, "08:23", "8:23 am"),
            (12, 0, "12:00", "12:00 pm"),
            (18, 30, "18:30", "6:30 pm"),
            (23, 59, "23:59", "11:59 pm"),
        ] {
            let time = NaiveTime::from_hms_opt(hour, minute, 59).unwrap();
            assert_eq!(ClockStyle::Hours24.write(time), of_24);
            assert_eq!(ClockStyle::Hours12.write(time), of_12);
        }
        let named: Vec<ClockStyle> = serde_json::from_str(r#"["24h", "12h"]"#).unwrap();
        assert_eq!(named, [ClockStyle::Hours24, ClockStyle::Hours12]);
    }

    #[test]
    fn the_owners_choice_comes_before_browser_and_system() {
        let setting = LocaleSetting::new((None, ClockStyle::Hours12), Some("de_AT.UTF-8"));
        let locale = |language| Locale {
            language,
            clock: ClockStyle::Hours12,
        };
        assert_eq!(setting.for_page(Some("en")), locale(Language::English));
        assert_eq!(setting.for_page(None), locale(Language::English));
        assert_eq!(setting.for_notices(), locale(Language::German));
        setting.choose(Some(Language::German), ClockStyle::Hours24);
        assert_eq!(setting.for_page(Some("en")), Locale::from(Language::German));
        setting.choose(Some(Language::English), ClockStyle::Hours24);
        assert_eq!(setting.for_notices(), Locale::from(Language::English));
        assert_eq!(current(), Locale::default());
    }
}
