//! Days, weeks and months as people type them into the palette.
//!
//! What: [`days_named`], in the words of each language that Aura speaks, whichever the page is in. Why: what day tomorrow is, the owner's zone says and not the
//! browser's. Not here: names of people and things (`palette_find`).

use crate::render::section::period::Period;
use chrono::{Datelike, Days, Months, NaiveDate, Weekday};
use surfaces_base::{format, language::Language, locale, words};

/// Years that can be typed.
const YEARS: std::ops::RangeInclusive<i32> = 1900..=2200;
/// Letters that name a day of the week or a month.
const BEGUN_MIN: usize = 3;

/// A time that was named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PaletteDay {
    pub(super) period: Period,
    /// A day of it.
    pub(super) day: NaiveDate,
    /// Whether it was named whole: what only begins so may be something else.
    pub(super) is_whole: bool,
}

/// The words of one language.
struct DayWords {
    near: Vec<String>,
    weekdays: Vec<String>,
    months: Vec<String>,
    units: Vec<String>,
    this: Vec<String>,
    next: Vec<String>,
    last: Vec<String>,
    within: Vec<String>,
    /// Behind a time that is over, and before it.
    ago: Vec<String>,
    before: Vec<String>,
    numbers: Vec<String>,
    ones: Vec<String>,
    /// Before the number of a week.
    week: Vec<String>,
}

/// What `text` names, at most one time for each language.
pub(super) fn days_named(text: &str, today: NaiveDate) -> Vec<PaletteDay> {
    let text = text.trim().to_lowercase();
    let mut found: Vec<PaletteDay> = date_in_digits(&text, today).map(whole_day).into_iter().collect();
    for language in Language::ALL {
        let words = locale::speaking(language, DayWords::spoken_words);
        found.extend(words.find_time(&text, today));
    }
    let mut known = Vec::new();
    found.retain(|one| {
        let is_new = !known.contains(&(one.period, one.day));
        known.push((one.period, one.day));
        is_new
    });
    found
}

fn whole_day(day: NaiveDate) -> PaletteDay {
    PaletteDay {
        period: Period::Day,
        day,
        is_whole: true,
    }
}

impl DayWords {
    fn spoken_words() -> Self {
        let list = |text: &str| text.split(',').map(|word| word.trim().to_lowercase()).collect();
        Self {
            near: list(words::PALETTE_DAYS.say()),
            weekdays: list(&format::weekdays()),
            months: list(&format::months()),
            units: list(words::PALETTE_UNITS.say()),
            this: list(words::PALETTE_THIS.say()),
            next: list(words::PALETTE_NEXT.say()),
            last: list(words::PALETTE_LAST.say()),
            within: list(words::PALETTE_IN.say()),
            ago: list(words::PALETTE_AGO.say()),
            before: list(words::PALETTE_BEFORE.say()),
            numbers: list(words::PALETTE_NUMBERS.say()),
            ones: list(words::PALETTE_ONE.say()),
            week: list(words::PALETTE_WEEK.say()),
        }
    }

    fn find_time(&self, text: &str, today: NaiveDate) -> Option<PaletteDay> {
        self.near_day(text, today)
            .or_else(|| self.weekday(text, today))
            .or_else(|| self.numbered_week(text, today))
            .or_else(|| self.relative(text, today))
            .or_else(|| self.date_with_month(text, today))
    }

    /// The day before yesterday to the day after tomorrow.
    fn near_day(&self, text: &str, today: NaiveDate) -> Option<PaletteDay> {
        let place = self.near.iter().position(|name| name == text)?;
        let day = today.checked_sub_days(Days::new(2))?.iter_days().nth(place)?;
        Some(whole_day(day))
    }

    /// A day of the week, the first from today on; with "next" the first after today, with "last" the last before it.
    fn weekday(&self, text: &str, today: NaiveDate) -> Option<PaletteDay> {
        let (which, begun) = text
            .split_once(' ')
            .map_or((None, text), |(which, begun)| (Some(which), begun));
        let is_one_of = |words: &[String]| which.is_some_and(|which| words.iter().any(|word| word == which));
        let from = match which {
            None => today,
            Some(_) if is_one_of(&self.this) => today,
            Some(_) if is_one_of(&self.next) => today.succ_opt()?,
            Some(_) if is_one_of(&self.last) => today.checked_sub_days(Days::new(7))?,
            Some(_) => return None,
        };
        let (place, is_whole) = position(&self.weekdays, begun)?;
        let is_it = |day: &NaiveDate| day.weekday().num_days_from_monday() as usize == place;
        let day = from.iter_days().take(7).find(is_it)?;
        Some(PaletteDay {
            is_whole,
            ..whole_day(day)
        })
    }

    /// "week 12", "KW 12", "kw12 2027": a week by its number (ISO 8601).
    fn numbered_week(&self, text: &str, today: NaiveDate) -> Option<PaletteDay> {
        let mut names: Vec<&String> = self.week.iter().collect();
        names.sort_by_key(|name| std::cmp::Reverse(name.len()));
        let rest = names.iter().find_map(|name| text.strip_prefix(name.as_str()))?;
        let numbers: Option<Vec<u32>> = rest
            .split([' ', '/', '.'])
            .filter(|part| !part.is_empty())
            .map(|part| part.parse().ok())
            .collect();
        let monday = |year: i32, week| NaiveDate::from_isoywd_opt(year, week, Weekday::Mon);
        let day = match numbers?.as_slice() {
            [week] => nearest(today, |year| monday(year, *week)),
            [week, year] => i32::try_from(*year)
                .ok()
                .filter(|year| YEARS.contains(year))
                .and_then(|year| monday(year, *week)),
            _ => None,
        };
        Some(PaletteDay {
            period: Period::Week,
            day: day?,
            is_whole: true,
        })
    }

    /// How many: in digits, as a word, or "a".
    fn count(&self, word: &str) -> Option<i32> {
        if self.ones.iter().any(|one| one == word) {
            return Some(1);
        }
        let named = self.numbers.iter().position(|name| name == word);
        let named = named
            .and_then(|place| i32::try_from(place).ok())
            .map(|place| place + 1);
        named.or_else(|| word.parse::<u16>().ok().map(i32::from))
    }

    /// "in 3 days", "two weeks ago", "next week", "this month".
    fn relative(&self, text: &str, today: NaiveDate) -> Option<PaletteDay> {
        let parts: Vec<&str> = text.split_whitespace().collect();
        let is_one_of = |words: &[String], word: &str| words.iter().any(|one| one == word);
        let (unit, count) = match parts.as_slice() {
            [within, count, unit] if is_one_of(&self.within, within) => (*unit, self.count(count)?),
            [before, count, unit] if is_one_of(&self.before, before) => (*unit, -self.count(count)?),
            [count, unit, ago] if is_one_of(&self.ago, ago) => (*unit, -self.count(count)?),
            [which, unit] if is_one_of(&self.this, which) => (*unit, 0),
            [which, unit] if is_one_of(&self.next, which) => (*unit, 1),
            [which, unit] if is_one_of(&self.last, which) => (*unit, -1),
            _ => return None,
        };
        // Days, Tagen, Wochen: what begins as the unit does.
        let place = self
            .units
            .iter()
            .position(|name| unit.starts_with(name.as_str()))?;
        let size = u64::from(count.unsigned_abs());
        let days_away = |days: u64| {
            let days = Days::new(days);
            if count < 0 {
                today.checked_sub_days(days)
            } else {
                today.checked_add_days(days)
            }
        };
        let (period, day) = match place {
            0 => (Period::Day, days_away(size)?),
            1 => (Period::Week, days_away(size * 7)?),
            _ => {
                let months = Months::new(count.unsigned_abs());
                let day = if count < 0 {
                    today.checked_sub_months(months)
                } else {
                    today.checked_add_months(months)
                };
                (Period::Month, day?)
            }
        };
        Some(PaletteDay {
            period,
            day: Some(day).filter(|day| YEARS.contains(&day.year()))?,
            is_whole: true,
        })
    }

    /// A month, with or without its day and its year, in either order: `3 Dec`, `December 3rd, 2026`, `3. Dezember`, `December 2026`.
    fn date_with_month(&self, text: &str, today: NaiveDate) -> Option<PaletteDay> {
        let (mut month, mut numbers) = (None, Vec::new());
        for part in text.split([' ', ',', '.']).filter(|part| !part.is_empty()) {
            let digits = ["st", "nd", "rd", "th"]
                .iter()
                .find_map(|end| part.strip_suffix(end))
                .unwrap_or(part);
            if let Ok(number) = digits.parse::<u32>() {
                numbers.push(number);
            } else if month.replace(position(&self.months, part)?).is_some() {
                return None;
            }
        }
        let (place, is_whole) = month?;
        let month = u32::try_from(place).ok()? + 1;
        match numbers.as_slice() {
            [] => nearest(today, |year| NaiveDate::from_ymd_opt(year, month, 1)).map(|day| PaletteDay {
                period: Period::Month,
                day,
                is_whole,
            }),
            [year] if *year > 31 => date(*year, month, 1).map(|day| PaletteDay {
                period: Period::Month,
                day,
                is_whole: true,
            }),
            [day] => nearest(today, |year| NaiveDate::from_ymd_opt(year, month, *day)).map(whole_day),
            [day, year] => date(*year, month, *day).map(whole_day),
            _ => None,
        }
    }
}

/// Which of the names it is or begins, and whether it is all of it.
fn position(names: &[String], begun: &str) -> Option<(usize, bool)> {
    if begun.chars().count() < BEGUN_MIN {
        return None;
    }
    let place = names.iter().position(|name| name.starts_with(begun))?;
    Some((place, names.get(place).is_some_and(|name| name == begun)))
}

fn date(year: u32, month: u32, day: u32) -> Option<NaiveDate> {
    let year = i32::try_from(year).ok().filter(|year| YEARS.contains(year))?;
    NaiveDate::from_ymd_opt(year, month, day)
}

/// Of the years around today the one in which it is nearest.
fn nearest(today: NaiveDate, on: impl Fn(i32) -> Option<NaiveDate>) -> Option<NaiveDate> {
    let years = today.year() - 1..=today.year() + 1;
    years
        .filter_map(on)
        .min_by_key(|day| (*day - today).num_days().abs())
}

/// `2026-12-03`, `3.12.`, `3. 12. 2026`, `3/12/2026`; what can only be the month before the day is read so.
fn date_in_digits(text: &str, today: NaiveDate) -> Option<NaiveDate> {
    if let Ok(day) = text.parse::<NaiveDate>() {
        return YEARS.contains(&day.year()).then_some(day);
    }
    let separator = ['.', '/'].into_iter().find(|one| text.contains(*one))?;
    let is_short = text
        .rsplit(separator)
        .next()
        .is_some_and(|year| year.trim().len() == 2);
    let parts: Option<Vec<u32>> = text
        .split(separator)
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .map(|part| part.parse().ok())
        .collect();
    let in_order = |day: u32, month: u32| if month > 12 { (month, day) } else { (day, month) };
    match parts?.as_slice() {
        [day, month] => {
            let (day, month) = in_order(*day, *month);
            nearest(today, |year| NaiveDate::from_ymd_opt(year, month, day))
        }
        [day, month, year] => {
            let (day, month) = in_order(*day, *month);
            // Of two digits a year is one of this century.
            date(if is_short { 2000 + *year } else { *year }, month, day)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_named_in_each_language() {
        // A Sunday.
        let today: NaiveDate = "2026-11-29".parse().unwrap();
        for (typed, expected) in [
            ("today", "day 2026-11-29"),
            ("Gestern", "day 2026-11-28"),
            ("tomorrow", "day 2026-11-30"),
            ("übermorgen", "day 2026-12-01"),
            ("day after tomorrow", "day 2026-12-01"),
            ("friday", "day 2026-12-04"),
            ("Sonntag", "day 2026-11-29"),
            ("next sunday", "day 2026-12-06"),
            ("nächsten Dienstag", "day 2026-12-01"),
            ("mon", "day 2026-11-30 begun"),
            ("in 3 days", "day 2026-12-02"),
            ("in 10 Tagen", "day 2026-12-09"),
            ("in a week", "week 2026-12-06"),
            ("in zwei Wochen", "week 2026-12-13"),
            ("in two weeks", "week 2026-12-13"),
            ("3 days ago", "day 2026-11-26"),
            ("a week ago", "week 2026-11-22"),
            ("vor drei Tagen", "day 2026-11-26"),
            ("vor einem Monat", "month 2026-10-29"),
            ("vorgestern", "day 2026-11-27"),
            ("day before yesterday", "day 2026-11-27"),
            ("last friday", "day 2026-11-27"),
            ("letzten Sonntag", "day 2026-11-22"),
            ("diesen Freitag", "day 2026-12-04"),
            // Monday of the nearest: of 2027 that is 22 March, of 2026 it was 16 March, 37 weeks ago.
            ("week 12", "week 2027-03-22"),
            ("KW 12", "week 2027-03-22"),
            ("kw49", "week 2026-11-30"),
            ("KW 12 2026", "week 2026-03-16"),
            ("week 54", ""),
            ("02.03.26", "day 2026-03-02"),
            ("2/3/26", "day 2026-03-02"),
            ("in 2 Wochen", "week 2026-12-13"),
            ("next week", "week 2026-12-06"),
            ("nächste Woche", "week 2026-12-06"),
            ("letzte woche", "week 2026-11-22"),
            ("this month", "month 2026-11-29"),
            ("in einem Monat", "month 2026-12-29"),
            ("december", "month 2026-12-01"),
            ("Dezember", "month 2026-12-01"),
            ("march", "month 2027-03-01"),
            ("okt", "month 2026-10-01 begun"),
            ("december 2031", "month 2031-12-01"),
            ("3 dec", "day 2026-12-03"),
            ("3. Dezember", "day 2026-12-03"),
            ("December 3rd, 2026", "day 2026-12-03"),
            ("3. Jan", "day 2027-01-03"),
            ("2026-12-03", "day 2026-12-03"),
            ("3.12.", "day 2026-12-03"),
            ("3. 12. 2027", "day 2027-12-03"),
            ("3/12/2027", "day 2027-12-03"),
            ("12/25/2026", "day 2026-12-25"),
            ("30.2.", ""),
            ("31 february", ""),
            ("in 3", ""),
            ("mo", ""),
            ("money", ""),
            ("1.2.3.4", ""),
            ("in 65535 months", ""),
            ("december december", ""),
        ] {
            let found: Vec<String> = days_named(typed, today)
                .into_iter()
                .map(|one| {
                    let begun = if one.is_whole { "" } else { " begun" };
                    format!("{} {}{begun}", one.period.parts().0, one.day)
                })
                .collect();
            assert_eq!(found.join(", "), expected, "{typed}");
        }
    }
}
