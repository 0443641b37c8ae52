//! What the measured figures are called.
//!
//! What: one name for each reading, category and degree. Why: a figure without its name says nothing. Not here: the figures (`format`).

use toolcall_schema::{Category, Severity, tick::ReadingKey};

/// The unit of a load score on an axis.
pub const OF_100: &str = "of 100";
/// Milliseconds, on an axis and behind a figure.
pub const MS: &str = "ms";
/// On an axis.
pub const MINUTES: &str = "minutes";

/// What was measured in a day: its lowest and its highest.
pub fn span_of_day(least: &str, most: &str) -> String {
    if least == most {
        least.to_owned()
    } else {
        format!("{least} to {most}")
    }
}

/// What a reading measures.
pub fn reading(key: ReadingKey) -> &'static str {
    match key {
        ReadingKey::Messages => "Messages",
        ReadingKey::Actionable => "Want an answer",
        ReadingKey::BusiestChannel => "In the busiest chat",
        ReadingKey::ImportantMail => "Important unread mail",
        ReadingKey::EventsToday => "Events left today",
        ReadingKey::Conflicts => "Overlapping events",
        ReadingKey::TravelMin => "Way to the next event",
        ReadingKey::BufferMin => "Kept free before leaving",
        ReadingKey::LeaveInMin => "Until you have to leave",
        ReadingKey::SpentToday => "Spent today",
        ReadingKey::VersusUsualPct => "Against a usual day",
        ReadingKey::ZScore => "How far out (robust z)",
        ReadingKey::Uncategorized => "Payments not sorted yet",
        ReadingKey::BalanceEndOfMonth => "Balance at the month's end",
        ReadingKey::DaysToZero => "Until the balance is zero",
        ReadingKey::LoadScore => "Load score, of 100",
        ReadingKey::RmssdMs => "Heart-rate variability (RMSSD)",
        ReadingKey::RmssdZ => "Variability against your median (z)",
        ReadingKey::SleepMin => "Slept last night",
        ReadingKey::SleepDebtMin => "Sleep missing",
        ReadingKey::TypingEntropy => "Typing entropy",
        ReadingKey::AppSwitchRate => "Program switches",
        ReadingKey::DismissRate => "Share of notifications dismissed",
        ReadingKey::ScreenOnMin => "Screen in the last hour",
        ReadingKey::LoadDrop => "Load below its recent peak by",
    }
}

/// A reading as a line of a card that asks: the value with its unit stands in it.
pub fn reading_line(key: ReadingKey, value: &str) -> String {
    match key {
        ReadingKey::Messages => format!("{value} messages"),
        ReadingKey::Actionable => format!("{value} want an answer"),
        ReadingKey::BusiestChannel => format!("{value} messages in the busiest chat"),
        ReadingKey::LoadScore => format!("Load {value} of 100"),
        ReadingKey::LoadDrop => format!("Load fell by {value}"),
        ReadingKey::SleepMin => format!("Slept {value}"),
        ReadingKey::SleepDebtMin => format!("{value} of sleep missing"),
        ReadingKey::EventsToday => format!("{value} events left today"),
        ReadingKey::TravelMin => format!("{value} to get there"),
        ReadingKey::SpentToday => format!("{value} spent today"),
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

/// A spending category, as it stands after "on".
pub fn category(category: Category) -> &'static str {
    match category {
        Category::FoodDelivery => "eating out and delivery",
        Category::Groceries => "groceries",
        Category::Transport => "getting around",
        Category::Shopping => "shopping",
        Category::Entertainment => "entertainment",
        Category::BillsUtilities => "bills",
        Category::Rent => "rent",
        Category::Education => "education",
        Category::Health => "health",
        Category::Travel => "travel",
        Category::P2pTransfer => "transfers to people",
        Category::Subscriptions => "subscriptions",
        Category::Investment => "investments",
        Category::Other => "other things",
    }
}

/// How unusual.
pub fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Low => "slightly unusual",
        Severity::Medium => "clearly unusual",
        Severity::High => "far from usual",
    }
}
