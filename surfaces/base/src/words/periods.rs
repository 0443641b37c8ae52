//! What is said where a page is about a day, a week or a month.
//!
//! What: the links between them. Why: agenda and spending say it alike. Not here: which days those are (`render::section::period`).

use crate::language::Text;

/// The ways to look at it.
pub const PERIODS: Text = Text("periods-periods");
/// One day.
pub const PERIOD_DAY: Text = Text("periods-period-day");
/// Seven days from Monday on.
pub const PERIOD_WEEK: Text = Text("periods-period-week");
/// A month.
pub const PERIOD_MONTH: Text = Text("periods-period-month");
/// Leads to the day that it is.
pub const PERIOD_TODAY: Text = Text("periods-period-today");
/// Leads back in time.
pub const PERIOD_BEFORE: Text = Text("periods-period-before");
/// Leads on in time.
pub const PERIOD_AFTER: Text = Text("periods-period-after");
