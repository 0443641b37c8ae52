//! What Finance's tools give back.
//!
//! What: [`categorize`], [`anomaly_flag`], [`predict_eom_balance`], [`parsed`],
//! [`suggest_substitution`]. Pure but for the mark that a category was given
//! out. Why: each computes again from what is known now, so a card never shows what was true an hour ago. Not here:
//! showing the card (the supervisor).

use super::{book::PaymentBook, forecast, stats, view::SpendingView};
use agents_base::{contract::OwnerProfile, zone};
use chrono::{Days, NaiveDate};
use rust_decimal::Decimal;
use std::collections::BTreeSet;
use toolcall_schema::{
    Category,
    catalogue::finance::{
        AnomalyFlag, AnomalyResult, BalanceForecast, CategorizeArgs, CategorizeResult, Instead,
        ParsedTransaction, PredictEomBalance, SubstitutionResult, SuggestSubstitution, TxnCategory,
    },
    ids::{SecretKey, TxnId},
    milli::Milli,
    result::ToolErrorCode,
    spending_anomaly::MIN_HISTORY_DAYS,
};

/// The confidence of a forecast that says nothing.
const UNKNOWN_CONFIDENCE: Milli = Milli(200);
/// Orders in the last 7 days from which cooking instead is the substitution.
const ORDERS_MIN: usize = 3;
/// The delivery services whose orders count.
const DELIVERY: [&str; 2] = ["swiggy", "zomato"];

/// Gives categories out and remembers that.
///
/// # Errors
/// `not_found` when none of the transactions is known.
pub(super) fn categorize(
    book: &mut PaymentBook,
    args: &CategorizeArgs,
) -> Result<CategorizeResult, ToolErrorCode> {
    let ids: BTreeSet<_> = args.txn_ids.iter().collect();
    let categories: Vec<TxnCategory> = ids
        .into_iter()
        .filter_map(|id| {
            book.categorize(id).map(|category| TxnCategory {
                txn_id: id.clone(),
                category,
            })
        })
        .collect();
    if categories.is_empty() {
        return Err(ToolErrorCode::NotFound);
    }
    Ok(CategorizeResult { categories })
}

/// How unusual a category's day is, by what is known now.
///
/// # Errors
/// `not_enough_data` with fewer than 7 days before the day; `not_found` when the day is not unusual (any more).
pub(super) fn anomaly_flag(
    (book, view): (&PaymentBook, &SpendingView),
    (key, owner): (&SecretKey, &OwnerProfile),
    args: &AnomalyFlag,
) -> Result<AnomalyResult, ToolErrorCode> {
    let is_short =
        |view: &SpendingView| view.days_before(args.day, args.window_days).count() < MIN_HISTORY_DAYS;
    if view.each_currency().all(is_short) {
        return Err(ToolErrorCode::NotEnoughData);
    }
    let unusual = stats::anomaly_in_any_currency(view, args.category, args.day, args.window_days);
    let (view, unusual, severity) = unusual
        .and_then(|(view, unusual)| Some((view, unusual, unusual.severity()?)))
        .ok_or(ToolErrorCode::NotFound)?;
    let saving = mean_order(book, (key, owner), args.category, args.day)
        .unwrap_or_else(|| usual_saving(args.category));
    Ok(AnomalyResult {
        category: args.category,
        severity,
        z_score: unusual.z_milli(),
        spent_today: stats::money(unusual.total),
        usual: stats::money(unusual.median),
        // Nobody can save more than was spent.
        could_save: stats::money(saving.min(unusual.total)),
        currency: view.currency.clone(),
    })
}

/// The transaction that a source told of.
///
/// # Errors
/// `text_unknown` when no source of that name was read in this run, `not_found` when it told of no payment that is still known.
pub(super) fn parsed(book: &PaymentBook, id: Option<&TxnId>) -> Result<ParsedTransaction, ToolErrorCode> {
    let claim = id.ok_or(ToolErrorCode::TextUnknown)?;
    let id = book.id(claim).ok_or(ToolErrorCode::NotFound)?;
    let txn = book.get(id).ok_or(ToolErrorCode::NotFound)?;
    Ok(ParsedTransaction {
        txn_id: id.clone(),
        amount: txn.amount,
        currency: txn.currency.clone(),
        account_last4: txn.account_last4.clone(),
        direction: txn.direction,
        merchant_hash: txn.merchant.clone(),
        category: txn.category,
        at: txn.ts,
    })
}

/// What one could do instead of spending in a category: cook, when meals were ordered; else do without once.
///
/// # Errors
/// `not_found` when nothing was spent in the category in the 7 days that end with the day; `not_enough_data` when there
/// were no orders and the usual savings, which are in rupees, say nothing about the currency.
pub(super) fn suggest_substitution(
    (book, view): (&PaymentBook, &SpendingView),
    (key, owner): (&SecretKey, &OwnerProfile),
    args: &SuggestSubstitution,
) -> Result<SubstitutionResult, ToolErrorCode> {
    let spent: Decimal = (0..7)
        .filter_map(|back| args.day.checked_sub_days(Days::new(back)))
        .map(|day| view.spent_in(args.category, day))
        .sum();
    if spent.is_zero() {
        return Err(ToolErrorCode::NotFound);
    }
    let (instead, saving) = match mean_order(book, (key, owner), args.category, args.day) {
        Some(mean) => (Instead::Cook, mean),
        None if view.currency == "INR" => (Instead::SkipOne, usual_saving(args.category)),
        None => return Err(ToolErrorCode::NotEnoughData),
    };
    Ok(SubstitutionResult {
        category: args.category,
        instead,
        could_save: stats::money(saving.min(spent)),
        currency: view.currency.clone(),
    })
}

/// The mean order, when at least 3 meals were delivered in the 7 days that end with `day`: one of them could be cooked.
fn mean_order(
    book: &PaymentBook,
    (key, owner): (&SecretKey, &OwnerProfile),
    category: Category,
    day: NaiveDate,
) -> Option<Decimal> {
    if category != Category::FoodDelivery {
        return None;
    }
    let services = DELIVERY.map(|name| key.merchant(name));
    let since = day.checked_sub_days(Days::new(6))?;
    let orders: Vec<Decimal> = book
        .iter()
        .map(|(_, txn)| txn)
        .filter(|txn| txn.is_spend() && services.contains(&txn.merchant))
        .filter(|txn| (since..=day).contains(&zone::local_date(txn.ts, owner.zone)))
        .map(|txn| txn.amount)
        .collect();
    (orders.len() >= ORDERS_MIN)
        .then(|| {
            orders
                .iter()
                .sum::<Decimal>()
                .checked_div(Decimal::from(orders.len()))
        })
        .flatten()
}

/// What doing without once usually saves, in rupees.
fn usual_saving(category: Category) -> Decimal {
    Decimal::from(match category {
        Category::FoodDelivery => 220,
        Category::Transport => 80,
        Category::Shopping => 400,
        Category::Subscriptions => 199,
        Category::Entertainment => 120,
        Category::Groceries
        | Category::BillsUtilities
        | Category::Rent
        | Category::Education
        | Category::Health
        | Category::Travel
        | Category::P2pTransfer
        | Category::Investment
        | Category::Other => 150,
    })
}

/// The balance at the end of the month; without figures when spending is too unsteady to say.
///
/// # Errors
/// `not_enough_data` when no balance is configured or nothing was spent.
pub(super) fn predict_eom_balance(
    view: &SpendingView,
    args: &PredictEomBalance,
) -> Result<BalanceForecast, ToolErrorCode> {
    if view.balance.is_none() || view.spend.is_empty() {
        return Err(ToolErrorCode::NotEnoughData);
    }
    let forecast = forecast::forecast(view, args.day);
    Ok(BalanceForecast {
        balance_eom: forecast.map(|forecast| forecast.balance_eom),
        hits_zero: forecast.and_then(|forecast| forecast.hits_zero),
        confidence: forecast.map_or(UNKNOWN_CONFIDENCE, |forecast| forecast.confidence),
        currency: view.currency.clone(),
    })
}
