//! What the measured figures are called.
//!
//! What: one name for each reading, category and degree. Why: a figure without its name says nothing. Not here: the figures (`format`).

use crate::language::{SaidValue, Text, say, text};
use toolcall_schema::{Category, Severity, tick::ReadingKey};

/// The unit of a load score on an axis.
pub const OF_100: Text = Text("figures-of-100");
/// Milliseconds, on an axis and behind a figure.
pub const MS: Text = Text("figures-ms");
/// On an axis.
pub const HOURS: Text = Text("figures-hours");

/// What was measured in a day: its lowest and its highest.
pub fn span_of_day(least: &str, most: &str) -> String {
    if least == most {
        least.to_owned()
    } else {
        say!("figures-span-of-day", least, most)
    }
}

/// What a reading measures.
pub fn reading(key: ReadingKey) -> &'static str {
    match key {
        ReadingKey::Messages => text("figures-reading-messages"),
        ReadingKey::Actionable => text("figures-reading-want-an-answer"),
        ReadingKey::BusiestChannel => text("figures-reading-in-the-busiest"),
        ReadingKey::ImportantMail => text("figures-reading-important-unread-mail"),
        ReadingKey::EventsToday => text("figures-reading-events-left-today"),
        ReadingKey::Conflicts => text("figures-reading-overlapping-events"),
        ReadingKey::TravelMin => text("figures-reading-way-to-the"),
        ReadingKey::BufferMin => text("figures-reading-kept-free-before"),
        ReadingKey::LeaveInMin => text("figures-reading-until-you-have"),
        ReadingKey::SpentToday => text("figures-reading-spent-today"),
        ReadingKey::VersusUsualPct => text("figures-reading-against-a-usual"),
        ReadingKey::ZScore => text("figures-reading-how-far-out"),
        ReadingKey::Uncategorized => text("figures-reading-payments-not-sorted"),
        ReadingKey::BalanceEndOfMonth => text("figures-reading-balance-at-the"),
        ReadingKey::DaysToZero => text("figures-reading-until-the-balance"),
        ReadingKey::LoadScore => text("figures-reading-load-score-of"),
        ReadingKey::RmssdMs => text("figures-reading-heart-rate-variability"),
        ReadingKey::RmssdZ => text("figures-reading-variability-against-your"),
        ReadingKey::SleepMin => text("figures-reading-slept-last-night"),
        ReadingKey::SleepDebtMin => text("figures-reading-sleep-missing"),
        ReadingKey::TypingEntropy => text("figures-reading-typing-entropy"),
        ReadingKey::AppSwitchRate => text("figures-reading-program-switches"),
        ReadingKey::DismissRate => text("figures-reading-share-of-notifications"),
        ReadingKey::ScreenOnMin => text("figures-reading-screen-in-the"),
        ReadingKey::LoadDrop => text("figures-reading-load-below-its"),
    }
}

/// How loud the chat is that a card is about; `measured`: the same as a number.
pub fn messages_there(value: &str, measured: f64) -> String {
    let counted = whole(measured).map_or_else(|| SaidValue::from(value), SaidValue::from);
    say!("figures-messages-there", counted)
}

/// How many messages made a chat loud; `measured`: the same as a number.
pub fn loud_messages(value: &str, measured: f64) -> String {
    let count = whole(measured).map_or_else(|| SaidValue::from(value), SaidValue::from);
    say!("sections-loud-messages", count)
}

/// A reading as a line of a card that asks: the value with its unit stands in it. `measured`: the
/// same as a number.
pub fn reading_line(key: ReadingKey, value: &str, measured: f64) -> String {
    let counted = whole(measured).map_or_else(|| SaidValue::from(value), SaidValue::from);
    match key {
        ReadingKey::Messages => say!("figures-reading-line-messages", counted),
        ReadingKey::Actionable => say!("figures-reading-line-want-an-answer", counted),
        ReadingKey::BusiestChannel => say!("figures-reading-line-messages-in-the", counted),
        ReadingKey::LoadScore => say!("figures-reading-line-load-of-100", value),
        ReadingKey::LoadDrop => say!("figures-reading-line-load-fell-by", value),
        ReadingKey::SleepMin => say!("figures-reading-line-slept", value),
        ReadingKey::SleepDebtMin => say!("figures-reading-line-of-sleep-missing", value),
        ReadingKey::EventsToday => say!("figures-reading-line-events-left-today", counted),
        ReadingKey::TravelMin => say!("figures-reading-line-to-get-there", value),
        ReadingKey::SpentToday => say!("figures-reading-line-spent-today", value),
        ReadingKey::ImportantMail
        | ReadingKey::Conflicts
        | ReadingKey::BufferMin
        | ReadingKey::LeaveInMin
        | ReadingKey::VersusUsualPct
        | ReadingKey::ZScore
        | ReadingKey::Uncategorized
        | ReadingKey::BalanceEndOfMonth
        | ReadingKey::DaysToZero
        | ReadingKey::RmssdMs
        | ReadingKey::RmssdZ
        | ReadingKey::TypingEntropy
        | ReadingKey::AppSwitchRate
        | ReadingKey::DismissRate
        | ReadingKey::ScreenOnMin => format!("{}: {value}", reading(key)),
    }
}

/// A value that is a number of things.
fn whole(value: f64) -> Option<u64> {
    let is_whole = value.fract() == 0.0 && (0.0..1e9).contains(&value);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "whole and not negative, tested just above"
    )]
    is_whole.then_some(value as u64)
}

/// A spending category, as it stands after "on".
pub fn category(category: Category) -> &'static str {
    match category {
        Category::FoodDelivery => text("figures-category-eating-out-and"),
        Category::Groceries => text("figures-category-groceries"),
        Category::Transport => text("figures-category-getting-around"),
        Category::Shopping => text("figures-category-shopping"),
        Category::Entertainment => text("figures-category-entertainment"),
        Category::BillsUtilities => text("figures-category-bills"),
        Category::Rent => text("figures-category-rent"),
        Category::Education => text("figures-category-education"),
        Category::Health => text("figures-category-health"),
        Category::Travel => text("figures-category-travel"),
        Category::P2pTransfer => text("figures-category-transfers-to-people"),
        Category::Subscriptions => text("figures-category-subscriptions"),
        Category::Investment => text("figures-category-investments"),
        Category::Other => text("figures-category-other-things"),
    }
}

/// How unusual.
pub fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Low => text("figures-severity-slightly-unusual"),
        Severity::Medium => text("figures-severity-clearly-unusual"),
        Severity::High => text("figures-severity-far-from-usual"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{language::Language, locale::speaking};

    #[test]
    fn a_line_counts_what_is_whole_and_measures_the_rest() {
        let line = |measured: f64| {
            let shown = crate::format::number(measured);
            reading_line(ReadingKey::Messages, &shown, measured)
        };
        for (measured, english, german) in [
            (1.0, "1 message", "1 Nachricht"),
            (1_200.0, "1,200 messages", "1.200 Nachrichten"),
            (1.5, "1.5 messages", "1,5 Nachrichten"),
        ] {
            assert_eq!(line(measured), english);
            assert_eq!(speaking(Language::German, || line(measured)), german);
        }
    }
}
