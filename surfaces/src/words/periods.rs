//! What is said where a page is about a day, a week or a month.
//!
//! What: the links between them. Why: agenda and spending say it alike. Not here: which days those are (`render::section::period`).

/// The ways to look at it.
pub const PERIODS: &str = "How much of it";
/// One day.
pub const PERIOD_DAY: &str = "Day";
/// Seven days from Monday on.
pub const PERIOD_WEEK: &str = "Week";
/// A month.
pub const PERIOD_MONTH: &str = "Month";
/// Leads to the day that it is.
pub const PERIOD_TODAY: &str = "Today";
/// Leads back in time.
pub const PERIOD_BEFORE: &str = "Earlier";
/// Leads on in time.
pub const PERIOD_AFTER: &str = "Later";
