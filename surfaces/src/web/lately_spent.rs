//! What the page Money says of the last weeks' payments, worked out once.
//!
//! What: [`MoneyLately`], sums of seven days and how far it can be told what is unusual. Why: of ten thousand payments both take longer than all else on the page. Not
//! here: the sums (`render::picture`), the blocks (`render::section::money`).

use super::{error::WebError, state::AppState};
use crate::render::{
    picture::LatelySpent,
    section::{
        largest_payment::{COMPARED_DAYS, LargestPayment, largest_payments},
        transfers::split_transfers,
        unusual_known::{KNOWN_DAYS, UnusualKnown},
    },
};
use chrono::{Days, NaiveDate};
use chrono_tz::Tz;
use std::{collections::BTreeSet, sync::Arc};
use surfaces_base::{
    backend::{KeptVersion, WeekView},
    format,
};

/// What the page Money says of the last weeks' payments.
#[derive(Debug)]
pub(super) struct MoneyLately {
    pub(super) spent: LatelySpent,
    pub(super) known: UnusualKnown,
    pub(super) largest: Vec<LargestPayment>,
}

/// What it was worked out from: the payments, the owner's accounts, and what day it was where.
pub(super) type MoneyLatelyKey = (KeptVersion, BTreeSet<String>, NaiveDate, Tz);

/// Worked out once for each change of the payments and each day.
pub(super) async fn lately(
    app: &AppState,
    version: KeptVersion,
    week: &WeekView,
    own: BTreeSet<String>,
) -> Result<Arc<MoneyLately>, WebError> {
    let zone = format::zone(&week.zone);
    let today = format::local_date(week.at, zone);
    let key = (version, own, today, zone);
    if let Some(known) = app.lately.of(&key) {
        return Ok(known);
    }
    let (since, next) = (
        today.checked_sub_days(Days::new(COMPARED_DAYS)).unwrap_or(today),
        today.succ_opt().unwrap_or(today),
    );
    let at = |day| format::midnight(day, zone);
    let kept = app.backend.payments(at(since), at(next)).await?;
    let spent = |kept| split_transfers(kept, &key.1, zone).payments;
    let kept = spent(kept);
    let known_since = at(today.checked_sub_days(Days::new(KNOWN_DAYS)).unwrap_or(today));
    let of_days = kept.iter().filter(|payment| payment.at >= known_since);
    let of_days: Vec<_> = of_days.cloned().collect();
    let lately = MoneyLately {
        spent: LatelySpent::from_payments(&spent(week.money.payments.to_vec()), week.at, zone),
        known: UnusualKnown::from_payments(&of_days, today, zone),
        largest: largest_payments(&kept, today, zone),
    };
    Ok(app.lately.keep(key, lately))
}
