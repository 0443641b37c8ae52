//! What Finance proposes and shows.
//!
//! What: [`tick`], a view to candidates and readings. Pure. Why: proposals are separate from reading, so a tick costs
//! microseconds. Not here: scores, caps and surfaces (the machine).

use super::{
    allowed::AllowedAmounts,
    forecast::{self, CashForecast},
    stats,
    view::SpendingView,
};
use chrono::NaiveDate;
use rust_decimal::{Decimal, prelude::ToPrimitive};
use serde_json::json;
use toolcall_schema::{
    ActionKind, Severity,
    milli::Milli,
    spending_anomaly::SpendingAnomaly,
    tick::{Candidate, ReadingKey, SignalReading, Subject, TickResult, TickStatus},
};

/// Days before today that today is compared with.
pub(super) const WINDOW_DAYS: u32 = 30;
/// How sure: that a bank's payment without a category needs one.
const CATEGORIZE_CONFIDENCE: Milli = Milli(850);

/// Candidates and readings of a local day.
pub(super) fn tick(view: &SpendingView, allowed: &AllowedAmounts, today: NaiveDate) -> TickResult {
    if view.first_day.is_none() && view.uncategorized.1 == 0 {
        return TickResult {
            candidates: Vec::new(),
            readings: Vec::new(),
            status: TickStatus::NoData,
        };
    }
    let unusual = stats::strongest(view, allowed, today, WINDOW_DAYS);
    let forecast = forecast::forecast(view, today);
    TickResult {
        candidates: [
            unusual.and_then(|unusual| surface_anomaly(&unusual, today)),
            forecast.and_then(|forecast| project_balance(&forecast, today)),
            categorize(view),
        ]
        .into_iter()
        .flatten()
        .collect(),
        readings: readings(view, today, unusual.as_ref(), forecast.as_ref()),
        status: TickStatus::Ok,
    }
}

fn surface_anomaly(unusual: &SpendingAnomaly, today: NaiveDate) -> Option<Candidate> {
    let severity = unusual.severity()?;
    Some(Candidate {
        kind: ActionKind::SurfaceAnomaly,
        subject: Subject::parse(unusual.category.as_str()).ok()?,
        confidence: match severity {
            Severity::High => Milli(900),
            Severity::Medium => Milli(800),
            Severity::Low => Milli(400),
        },
        args: json!({
            "category": unusual.category,
            "severity": severity,
            "day": today,
            "window_days": WINDOW_DAYS,
        }),
        valid_until: None,
        evidence: vec![],
        let_through: false,
    })
}

fn project_balance(forecast: &CashForecast, today: NaiveDate) -> Option<Candidate> {
    forecast.hits_zero?;
    Some(Candidate {
        kind: ActionKind::ProjectBalance,
        subject: Subject::all(),
        confidence: forecast.confidence,
        args: json!({ "day": today }),
        valid_until: None,
        evidence: vec![],
        let_through: false,
    })
}

fn categorize(view: &SpendingView) -> Option<Candidate> {
    let (ids, _) = &view.uncategorized;
    (!ids.is_empty()).then(|| Candidate {
        kind: ActionKind::CategorizeTxn,
        subject: Subject::of_self(),
        confidence: CATEGORIZE_CONFIDENCE,
        args: json!({ "txn_ids": ids }),
        valid_until: None,
        evidence: vec![],
        let_through: false,
    })
}

fn readings(
    view: &SpendingView,
    today: NaiveDate,
    unusual: Option<&SpendingAnomaly>,
    forecast: Option<&CashForecast>,
) -> Vec<SignalReading> {
    let money = |key, amount: Decimal| {
        amount.to_f64().map(|value| SignalReading {
            currency: Some(view.currency.clone()),
            ..SignalReading::new(key, value)
        })
    };
    let spent = view.spent(today);
    let versus_usual = stats::usual_day(view, today, WINDOW_DAYS)
        .and_then(|usual| {
            (spent - usual)
                .checked_mul(Decimal::ONE_HUNDRED)?
                .checked_div(usual)
        })
        .and_then(|percent| percent.round_dp(1).to_f64());
    let open = view.uncategorized.1 as f64;
    [
        money(ReadingKey::SpentToday, spent),
        versus_usual.map(|percent| SignalReading::new(ReadingKey::VersusUsualPct, percent)),
        Some(SignalReading::new(ReadingKey::Uncategorized, open)),
        unusual.map(|unusual| SignalReading::new(ReadingKey::ZScore, unusual.z_milli().to_f64())),
        forecast.and_then(|forecast| {
            let (low, high) = forecast.interval;
            Some(SignalReading {
                low: low.to_f64(),
                high: high.to_f64(),
                ..money(ReadingKey::BalanceEndOfMonth, forecast.balance_eom)?
            })
        }),
        forecast.map(|forecast| SignalReading::new(ReadingKey::DaysToZero, f64::from(forecast.days_to_zero))),
    ]
    .into_iter()
    .flatten()
    .collect()
}
