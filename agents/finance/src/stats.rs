//! Is today unusual?
//!
//! What: [`anomaly`] in one view, and in which currency and category it is the most unusual. Why: a card says one thing. Not here: the formulas
//! (`toolcall_schema::spending_anomaly`), how far the money reaches (`forecast`), what is done about it (`tick`, `tools`).

use super::{
    allowed::AllowedAmounts,
    view::{MAX_WINDOW_DAYS, SpendingView},
};
use chrono::NaiveDate;
use rust_decimal::Decimal;
use toolcall_schema::{
    Category,
    spending_anomaly::{SpendingAnomaly, SpendingHistory, spending_anomaly},
};

/// One category of a view.
pub(super) struct CategorySpending<'v>(pub(super) &'v SpendingView, pub(super) Category);

impl SpendingHistory for CategorySpending<'_> {
    fn first_day(&self) -> Option<NaiveDate> {
        self.0.first_day
    }

    fn spent_on(&self, day: NaiveDate) -> (Decimal, u32) {
        let Self(view, category) = self;
        (view.spent_in(*category, day), view.paid_in(*category, day))
    }
}

/// How a category's `day` stands against the `window` days before it, at most 90.
pub(super) fn anomaly(
    view: &SpendingView,
    category: Category,
    day: NaiveDate,
    window: u32,
) -> Option<SpendingAnomaly> {
    spending_anomaly(
        &CategorySpending(view, category),
        category,
        day,
        window.min(MAX_WINDOW_DAYS),
    )
}

/// The same in the currency in which it is the most unusual (highest z, then that of the view), each by its own days.
pub(super) fn anomaly_in_any_currency(
    view: &SpendingView,
    category: Category,
    day: NaiveDate,
    window: u32,
) -> Option<(&SpendingView, SpendingAnomaly)> {
    view.each_currency()
        .filter_map(|view| Some((view, anomaly(view, category, day, window)?)))
        .reduce(|most, next| if next.1.z > most.1.z { next } else { most })
}

/// The category whose day is the most unusual (highest z, then the first by name), among those with spending that the owner does not call usual;
/// in each currency by its own days.
pub(super) fn strongest(
    view: &SpendingView,
    allowed: &AllowedAmounts,
    day: NaiveDate,
    window: u32,
) -> Option<SpendingAnomaly> {
    let in_one = |view: &SpendingView| -> Vec<SpendingAnomaly> {
        let spent_on = view.spend.get(&day).into_iter().flat_map(|spent| spent.keys());
        spent_on
            .filter_map(|category| anomaly(view, *category, day, window))
            .filter(|found| !allowed.allows(found.category, found.total, &view.currency))
            .collect()
    };
    let mut found: Vec<SpendingAnomaly> = view.each_currency().flat_map(in_one).collect();
    found.sort_by_key(|unusual| (std::cmp::Reverse(unusual.z), unusual.category.as_str()));
    found.first().copied()
}

/// An amount as it is shown: two decimals, halves to the even digit.
pub(super) fn money(amount: Decimal) -> Decimal {
    let mut shown = amount.round_dp(2);
    shown.rescale(2);
    shown
}

/// The mean of the spending of the `window` days before `day`; `None` without history.
pub(super) fn usual_day(view: &SpendingView, day: NaiveDate, window: u32) -> Option<Decimal> {
    let before: Vec<Decimal> = view
        .days_before(day, window)
        .map(|date| view.spent(date))
        .collect();
    before
        .iter()
        .sum::<Decimal>()
        .checked_div(Decimal::from(before.len()))
}
