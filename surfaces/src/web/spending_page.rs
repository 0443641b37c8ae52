//! What was spent in a day, a week or a month.
//!
//! What: sums by what for, where and from which account beside the time before, a bar a day, and each payment of a day. Why: one day's figure means little alone.
//! Names of shops are asked of Finance for this page and kept nowhere. Not here: sums (`render::section::spending`), what is unusual (`sections::money`).

use super::{
    api::JsonBody,
    error::WebError,
    figure::figure,
    icons::{EmptyDrawing, drawing},
    periods::{AskedPeriod, PeriodContent, PeriodQuery, period_page},
    shell::{AppSection, way_to},
    shop_category,
    state::AppState,
    unfed,
};
use crate::render::{
    picture,
    section::{
        period::Period,
        spending::{self, CurrencySpending, SpendingPart},
        transfers::{OwnTransfer, TRANSFER_DAYS, split_transfers},
    },
};
use axum::{
    extract::{Query, State, rejection::QueryRejection},
    response::Html,
};
use chrono::{Days, NaiveDate};
use chrono_tz::Tz;
use maud::{Markup, html};
use serde::Deserialize;
use std::{collections::BTreeSet, sync::Arc};
use surfaces_base::{
    backend::{DisplayNames, KeptPayment},
    format, words,
};
use toolcall_schema::{AgentName, catalogue::shared::ThingId, money::MoneyFlow};

/// Where it is.
pub(super) const PATH: &str = "/money/spending";
/// Payments of a day that are listed, and how many more come at once: so many are drawn within the time in which a tap is felt to be answered.
const LISTED_MAX: usize = 100;
/// Transfers that are listed.
const TRANSFERS_MAX: usize = 200;
/// Where the next ones are asked for.
const MORE: &str = "/form/spending/more";
/// Finance takes payments that are at most so old (docs/agents/finance.md).
const TAKEN_DAYS: u64 = 120;

/// `GET /money/spending?day=&view=`
pub(super) async fn spending(
    State(app): State<Arc<AppState>>,
    asked: Result<Query<PeriodQuery>, QueryRejection>,
) -> Result<Html<String>, WebError> {
    let asked = AskedPeriod::read(asked, &app.backend.status().await?)?;
    let AskedPeriod {
        period,
        day,
        today,
        zone,
    } = asked;
    let (first, next) = period.bounds(day);
    let (earlier, _) = period.neighbours(day);
    let (before, _) = period.bounds(earlier);
    let at = |day| format::midnight(day, zone);
    let PeriodPayments {
        payments,
        of_before,
        transfers,
        likely,
    } = of_period(&app, asked).await?;
    let mut ids: BTreeSet<ThingId> = spending::merchants(&payments).collect();
    if period == Period::Day {
        ids.extend(shops_listed(&payments, 0));
    }
    let names = app.backend.names(ids).await;
    // A time that goes on is less than a whole one: it stands beside as many days of the one before.
    let is_running = period != Period::Day && (first..next).contains(&today);
    let by_now = is_running.then(|| {
        let days = Days::new((today - first).num_days().unsigned_abs() + 1);
        at(before.checked_add_days(days).map_or(first, |day| day.min(first)))
    });
    let (blocks, unclear) = spending::spending(&payments, (&of_before, by_now), &names);
    let bars = (period != Period::Day)
        .then(|| picture::spent_each_day(&payments, (first, next), zone))
        .flatten();
    let unfed = if payments.is_empty() {
        unfed::way_to_sources(&app, Some(AgentName::Finance)).await?
    } else {
        html! {}
    };
    let is_older = today
        .checked_sub_days(Days::new(TAKEN_DAYS))
        .is_some_and(|taken| first < taken);
    let main = html! {
        @if payments.is_empty() { div.empty { (drawing(EmptyDrawing::Chart)) div { p.none { (words::NO_PAYMENT_THEN) } @if is_older { p.note { (words::older_than_read(TAKEN_DAYS)) } } (unfed) } } }
        @for one in &blocks { (block(one, &period.title(earlier, today), blocks.len() > 1)) }
        @if unclear > 0 { p.note { (words::payments_left_out(unclear)) } }
        @if period == Period::Day && !payments.is_empty() { (each(&payments, &names, (day, zone))) }
        p.note { (words::SPENDING_SAYS) }
    };
    let beside = html! {
        @if let Some(bars) = &bars { section.block #each-day data-region aria-label=(words::SPENDING) { div #pictures .week { (figure(bars)) } } }
        @if !transfers.is_empty() || !likely.is_empty() {
            section.block #transfers data-region aria-label=(words::BETWEEN_ACCOUNTS) { (between_accounts(&transfers, &likely, zone)) }
        }
        (way_to("/money/ahead", words::AHEAD.say()))
    };
    let content = PeriodContent {
        main,
        beside: Some(beside),
    };
    Ok(period_page(
        &app,
        (PATH, words::SPENDING.say()),
        AppSection::Money,
        asked,
        &content,
    ))
}

/// What the form behind the listed payments sends.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MorePayments {
    day: NaiveDate,
    /// How many stand there already.
    behind: String,
}

/// `POST /form/spending/more`: the payments of a day behind those that are listed.
pub(super) async fn more(
    State(app): State<Arc<AppState>>,
    body: Result<JsonBody, WebError>,
) -> Result<Html<String>, WebError> {
    let MorePayments { day, behind } = body?.read()?;
    let behind = behind.parse().map_err(|_| WebError::BadBody)?;
    let asked = AskedPeriod::of_day(day, &app.backend.status().await?)?;
    let payments = of_period(&app, asked).await?.payments;
    let names = app.backend.names(shops_listed(&payments, behind).collect()).await;
    Ok(Html(
        payment_list(&payments, behind, &names, (day, asked.zone)).into_string(),
    ))
}

/// What was paid in a period and in the one before, without what stayed the owner's.
struct PeriodPayments {
    payments: Vec<KeptPayment>,
    of_before: Vec<KeptPayment>,
    transfers: Vec<OwnTransfer>,
    likely: Vec<OwnTransfer>,
}

async fn of_period(app: &AppState, asked: AskedPeriod) -> Result<PeriodPayments, WebError> {
    let AskedPeriod {
        period, day, zone, ..
    } = asked;
    let (first, next) = period.bounds(day);
    let (earlier, _) = period.neighbours(day);
    let (before, _) = period.bounds(earlier);
    let at = |day| format::midnight(day, zone);
    // The other side of a transfer may lie on the other side of midnight.
    let around = Days::new(TRANSFER_DAYS.unsigned_abs());
    let from = before.checked_sub_days(around).unwrap_or(before);
    let to = next.checked_add_days(around).unwrap_or(next);
    let all = app.backend.payments(at(from), at(to)).await?;
    let own = app.backend.money_terms().await.accounts;
    let mut split = split_transfers(all, &own, zone);
    let is_within = |payment: &KeptPayment, from, to| payment.at >= at(from) && payment.at < at(to);
    for list in [&mut split.transfers, &mut split.likely] {
        list.retain(|one| is_within(&one.out, first, next) || is_within(&one.into, first, next));
    }
    let (mut payments, mut of_before) = (Vec::new(), Vec::new());
    for payment in split.payments {
        if is_within(&payment, first, next) {
            payments.push(payment);
        } else if is_within(&payment, before, first) {
            of_before.push(payment);
        }
    }
    Ok(PeriodPayments {
        payments,
        of_before,
        transfers: split.transfers,
        likely: split.likely,
    })
}

/// The shops of the payments that are listed behind so many.
fn shops_listed(payments: &[KeptPayment], behind: usize) -> impl Iterator<Item = ThingId> {
    let listed = payments.iter().skip(behind).take(LISTED_MAX);
    listed.map(|payment| ThingId::Merchant(payment.merchant.clone()))
}

/// `several`: of several currencies, which the parts are then told apart by.
fn block(of: &CurrencySpending, before: &str, several: bool) -> Markup {
    // A shop's name is as people write it, what else there is begins a row.
    let parts = |title: &str, class: Option<&str>, parts: &[SpendingPart]| {
        let label = if several {
            format!("{title}, {}", of.currency)
        } else {
            title.to_owned()
        };
        spending_parts((title, &label), class, parts)
    };
    html! {
        p.figure { strong { (of.out) } span { (words::payments(of.payments)) } }
        @if let Some(sum) = &of.came_in { p.says { (words::CAME_IN) ": " (sum) } }
        @if let Some(sum) = &of.before { p.says { (words::spent_before(sum, of.before_by_now.as_deref(), before)) } }
        div.sums {
            div.spending {
                (parts(words::BY_CATEGORY.say(), None, &of.categories))
                (parts(words::BY_MERCHANT.say(), Some("written"), &of.merchants))
                (parts(words::BY_ACCOUNT.say(), None, &of.accounts))
            }
        }
    }
}

fn spending_parts((title, label): (&str, &str), class: Option<&str>, parts: &[SpendingPart]) -> Markup {
    html! {
        @if !parts.is_empty() {
            section aria-label=(label) {
                h3 { (title) }
                ul {
                    @for part in parts {
                        li {
                            p.head { bdi class=[class] { (part.name) } span.value { (part.sum) } }
                            meter min="0" max="1" value=(format!("{:.3}", part.share)) aria-hidden="true" {}
                        }
                    }
                }
            }
        }
    }
}

/// What stayed the owner's, and what looks as if it did.
fn between_accounts(transfers: &[OwnTransfer], likely: &[OwnTransfer], zone: Tz) -> Markup {
    html! {
        @if !transfers.is_empty() {
            section.spending #between aria-label=(words::BETWEEN_ACCOUNTS) {
                h3 { (words::BETWEEN_ACCOUNTS) }
                ul {
                    @for one in transfers.iter().take(TRANSFERS_MAX) {
                        li {
                            p.head {
                                span { (words::from_account_to(&one.out.account_last4, &one.into.account_last4)) }
                                span.value { (format::money(one.out.amount.size(), &one.out.currency)) }
                            }
                            p.note { (format::date(format::local_date(one.out.at, zone))) }
                        }
                    }
                    @if transfers.len() > TRANSFERS_MAX { li.note { (words::more_transfers(transfers.len() - TRANSFERS_MAX)) } }
                }
            }
        }
        @if let Some(one) = likely.first() {
            p.says { (words::likely_transfers(likely.len(), &one.out.account_last4, &one.into.account_last4)) }
            p.more { a href="/settings#more" { (words::NAME_YOUR_ACCOUNTS) } }
        }
    }
}

fn each(payments: &[KeptPayment], names: &DisplayNames, day: (NaiveDate, Tz)) -> Markup {
    html! {
        (shop_category::form())
        section.spending aria-label=(words::EACH_PAYMENT) {
            h3 { (words::EACH_PAYMENT) }
            (payment_list(payments, 0, names, day))
        }
    }
}

/// The payments behind so many, and the button for the next, whose answer takes its place.
fn payment_list(
    payments: &[KeptPayment],
    behind: usize,
    names: &DisplayNames,
    (day, zone): (NaiveDate, Tz),
) -> Markup {
    let next = behind.saturating_add(LISTED_MAX);
    html! {
        ul.each {
            @for payment in payments.iter().skip(behind).take(LISTED_MAX) {
                li {
                    @let name = names.get(payment.merchant.as_str()).unwrap_or(words::UNNAMED_MERCHANT.say());
                    p.head {
                        bdi.written { (name) }
                        span.value { (format::money(payment.amount.size(), &payment.currency)) }
                    }
                    p.note { (note(payment, zone)) }
                    (shop_category::form_place(&payment.merchant, name, payment.category))
                }
            }
        }
        @if payments.len() > next {
            @let into = format!("payments-{next}");
            div id=(into) data-grows {
                p.note { (words::more_payments(payments.len() - next)) }
                form data-post=(MORE) data-into=(into) {
                    input type="hidden" name="day" value=(day);
                    input type="hidden" name="behind" value=(next);
                    p.buttons { button.side type="submit" { (words::SHOW_MORE_PEOPLE) } }
                }
            }
        }
    }
}

/// When, what for, which way and from which account.
fn note(payment: &KeptPayment, zone: Tz) -> String {
    let way = match payment.amount.flow() {
        Some(MoneyFlow::Out) => None,
        Some(MoneyFlow::In) => Some(words::MONEY_IN.say().to_owned()),
        None => Some(words::NO_DIRECTION.say().to_owned()),
    };
    let account =
        spending::is_named(&payment.account_last4).then(|| spending::account(&payment.account_last4));
    [
        format::told_clock(payment.at, zone),
        way,
        Some(words::category(payment.category).to_owned()),
        account,
    ]
    .into_iter()
    .flatten()
    .collect::<Vec<_>>()
    .join(" · ")
}
