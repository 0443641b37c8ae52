//! How much a day in a category is usual by the owner's word.
//!
//! What: [`AllowedAmounts`], with `finance.allow_spending` and `finance.list_allowed_spending`. Why: statistics do not know what the owner planned; a
//! day that costs no more than one they called usual is not told. Not here: the statistics (`stats`), which keep on comparing with what was paid.

use super::{FinanceAgent, stats, tick::WINDOW_DAYS, view::SpendingView};
use agents_base::zone;
use chrono::NaiveDate;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use toolcall_schema::{
    Category, Timestamp,
    catalogue::allowed_spending::{AllowSpending, AllowedSpending, AllowedSpendingList},
    forget::ErasureScope,
    result::ToolErrorCode,
};

/// What was said of one category.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct AllowedAmount {
    #[serde(with = "rust_decimal::serde::str")]
    upto: Decimal,
    currency: String,
    /// The day that cost so much.
    day: NaiveDate,
    /// When that day began, in milliseconds: it is forgotten with it.
    began: i64,
}

/// By category, one each.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct AllowedAmounts(BTreeMap<Category, AllowedAmount>);

impl AllowedAmounts {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether the owner called so much a day usual. An amount in another currency says nothing.
    pub(super) fn allows(&self, category: Category, spent: Decimal, currency: &str) -> bool {
        let said = self.0.get(&category);
        said.is_some_and(|said| said.currency == currency && spent <= said.upto)
    }

    /// Removes what follows from a day that the owner wants forgotten.
    pub(super) fn forget(&mut self, what: &ErasureScope) {
        self.0
            .retain(|_, said| !what.covers_time(Timestamp::from_ms(said.began)));
    }

    fn list(&self) -> AllowedSpendingList {
        let row = |(category, said): (&Category, &AllowedAmount)| AllowedSpending {
            category: *category,
            day: said.day,
            allowed: true,
            upto: stats::money(said.upto),
            currency: said.currency.clone(),
        };
        let mut rows: Vec<AllowedSpending> = self.0.iter().map(row).collect();
        rows.sort_by_key(|row| row.category.as_str());
        AllowedSpendingList { rows }
    }

    /// What a day cost is usual from now on, unless more was called usual before.
    fn allow(&mut self, view: &SpendingView, args: &AllowSpending, began: Timestamp) -> Option<Decimal> {
        let spent = view.spent_in(args.category, args.day);
        if spent <= Decimal::ZERO {
            return None;
        }
        let before = self.0.get(&args.category);
        if let Some(said) = before.filter(|said| said.currency == view.currency && said.upto >= spent) {
            return Some(said.upto);
        }
        self.0.insert(
            args.category,
            AllowedAmount {
                upto: spent,
                currency: view.currency.clone(),
                day: args.day,
                began: began.ms(),
            },
        );
        Some(spent)
    }
}

/// The currency in which that day was the most unusual, as the card said.
fn view_of<'v>(view: &'v SpendingView, args: &AllowSpending) -> &'v SpendingView {
    let unusual = stats::anomaly_in_any_currency(view, args.category, args.day, WINDOW_DAYS);
    unusual.map_or(view, |(view, _)| view)
}

impl FinanceAgent {
    /// Carries out `finance.allow_spending`.
    ///
    /// # Errors
    /// `not_found` when nothing is known to have been spent in the category on that day.
    pub(super) fn allow_spending(&mut self, args: &AllowSpending) -> Result<AllowedSpending, ToolErrorCode> {
        let upto = if args.allowed {
            let began = zone::day_start(args.day, self.setup.owner.zone);
            let said = self.allowed.allow(view_of(&self.view, args), args, began);
            said.ok_or(ToolErrorCode::NotFound)?
        } else {
            self.allowed.0.remove(&args.category);
            Decimal::ZERO
        };
        let currency = view_of(&self.view, args).currency.clone();
        // What is proposed today may be another category now.
        self.proposed = None;
        self.changed = true;
        Ok(AllowedSpending {
            category: args.category,
            day: args.day,
            allowed: args.allowed,
            upto: stats::money(upto),
            currency,
        })
    }

    /// Carries out `finance.list_allowed_spending`.
    pub(super) fn list_allowed_spending(&self) -> AllowedSpendingList {
        self.allowed.list()
    }
}
