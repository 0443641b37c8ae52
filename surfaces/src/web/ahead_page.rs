//! What is safe to spend until the next income, what is left of each budget, and what comes again.
//!
//! What: `GET /money/ahead`, over the payments that memory keeps and what the owner's file says. Why: each part of the sum stands there, so that she can follow
//! it. Names are asked of Finance for this page and kept nowhere. Not here: sums and rhythms (`render::section`), sums of what was spent (`spending_page`), the
//! fields (`home_fields_page`).

use super::{
    asked_statements,
    error::WebError,
    icons::{IconName, icon},
    shell::{AppSection, BelowFrame, panes, way_to},
    state::AppState,
};
use crate::render::section::{
    agenda::{AgendaEntry, AgendaRow},
    recurring::{LOOKED_AT_DAYS, RecurringSeries, recurring},
    safe_to_spend::{
        AccountState, BalanceInHand, BudgetState, MoneyMoment, RoomObstacle, SpendingRoom, account_states,
        budget_currency, budgets, safe_to_spend,
    },
    spending,
    transfers::split_transfers,
};
use axum::{extract::State, response::Html};
use chrono::{Days, NaiveDate};
use chrono_tz::Tz;
use maud::{Markup, html};
use rust_decimal::Decimal;
use std::{collections::BTreeSet, sync::Arc};
use surfaces_base::{
    backend::{DisplayNames, KeptPayment, KeptVersion, money_terms::MoneyTerms, owner::OwnerStatus},
    format, words,
};
use toolcall_schema::{Timestamp, catalogue::shared::ThingId, ids::MerchantHash, money::MoneyFlow};

/// Where it is.
pub(super) const PATH: &str = "/money/ahead";
/// Days that are always looked at.
const RECENT_DAYS: u64 = 100;
/// Payments of those days beyond which no older ones are read.
const READ_MAX: usize = 50_000;
/// Rows of one list.
const LISTED_MAX: usize = 100;
/// Expected payments that the page Money names.
const NEXT_MAX: usize = 3;
/// Where that is.
pub(super) const NEXT_PATH: &str = "/fragment/money/ahead";

/// `GET /money/ahead`
pub(super) async fn ahead(State(app): State<Arc<AppState>>) -> Result<Html<String>, WebError> {
    let status = app.backend.status().await?;
    let (at, figures) = figures(&app, &status).await?;
    let AheadFigures {
        series,
        budgets,
        room,
        accounts,
        currency,
    } = figures.as_ref();
    let listed = series.iter().map(|one| &one.merchant).take(2 * LISTED_MAX);
    let income = room.as_ref().ok().map(|room| &room.income);
    let ids: BTreeSet<ThingId> = listed.chain(income).cloned().map(ThingId::Merchant).collect();
    let names = app.backend.names(ids).await;
    let (today, zone) = (at.today, at.zone);
    let view = AheadView {
        names: &names,
        today,
        zone,
    };
    let waits = asked_statements::notice(&app).await?;
    let main = html! {
        section.block #ahead data-region aria-label=(words::AHEAD) {
            @match room {
                Ok(room) => (view.room(room)),
                Err(obstacle) => (view.missing(obstacle)),
            }
            (waits)
            (view.accounts(accounts))
        }
        section.block #budgets data-region aria-labelledby="budgets-title" {
            h2 #budgets-title { (icon(IconName::Bars)) (words::BUDGETS) ": " (format::month_and_year(today)) }
            (budget_rows(budgets, currency.as_deref()))
        }
    };
    let beside = html! {
        section.block #recurring data-region aria-labelledby="recurring-title" {
            h2 #recurring-title { (icon(IconName::Past)) (words::COMES_AGAIN) }
            @if series.is_empty() { p.none { (words::NOTHING_COMES_AGAIN) } }
            (view.series(words::GOES_OUT.say(), series, MoneyFlow::Out))
            (view.series(words::CAME_IN_AGAIN.say(), series, MoneyFlow::In))
        }
        (way_to("/money#forecast", words::SEE_MONTHS_END.say()))
        (way_to("/money#unusual", words::SEE_UNUSUAL.say()))
        (way_to("/money#unread", words::SEE_QUESTIONS.say()))
    };
    let frame = BelowFrame {
        surface: "app",
        fragment: Some(PATH),
        ..BelowFrame::new(AppSection::Money, PATH, words::AHEAD.say())
    };
    Ok(frame.page(&app, &panes(&main, &beside)))
}

/// `GET /fragment/money/ahead`: the figure, and the payments that are expected first. Two years of payments are looked through for it, so the page does not wait.
pub(super) async fn next_part(State(app): State<Arc<AppState>>) -> Result<Html<String>, WebError> {
    let status = app.backend.status().await?;
    let (AheadDay { today, zone }, figures) = figures(&app, &status).await?;
    let markup = match &figures.room {
        Err(obstacle) => {
            let names = &DisplayNames::default();
            AheadView { names, today, zone }.missing(obstacle)
        }
        Ok(room) => {
            let due = room.due_with_income.iter().take(NEXT_MAX);
            let next = room.expected.iter().take(NEXT_MAX).chain(due);
            let named = next.map(|(_, merchant, _)| merchant).chain([&room.income]);
            let ids: BTreeSet<ThingId> = named.cloned().map(ThingId::Merchant).collect();
            let names = app.backend.names(ids).await;
            let view = AheadView {
                names: &names,
                today,
                zone,
            };
            html! {
                (view.figure(room))
                ul.rows { @for one in room.expected.iter().take(NEXT_MAX) { (view.expected_row(room, one)) } }
                (view.due_with_income(room))
            }
        }
    };
    Ok(Html(markup.into_string()))
}

/// The payments that come again and are expected on a day, today or later, as rows of its agenda.
pub(super) async fn payments_due(app: &AppState, day: NaiveDate) -> Result<Vec<AgendaRow>, WebError> {
    let status = app.backend.status().await?;
    let (AheadDay { today, .. }, figures) = figures(app, &status).await?;
    let Some(after) = day.succ_opt() else {
        return Ok(Vec::new());
    };
    let is_due = |one: &&RecurringSeries| one.expected(today, after).contains(&day);
    let due: Vec<&RecurringSeries> = figures.series.iter().filter(is_due).take(LISTED_MAX).collect();
    let ids: BTreeSet<ThingId> = due
        .iter()
        .map(|one| ThingId::Merchant(one.merchant.clone()))
        .collect();
    let names = if ids.is_empty() {
        DisplayNames::default()
    } else {
        app.backend.names(ids).await
    };
    let nameless = words::UNNAMED_MERCHANT.say();
    let name = |merchant: &MerchantHash| names.get(merchant.as_str()).unwrap_or(nameless);
    let row = |one: &RecurringSeries| AgendaRow {
        when: if day == today && one.next < today {
            words::PAYMENT_LATE.into()
        } else {
            words::PAYMENT_DUE.into()
        },
        entry: AgendaEntry::Payment {
            name: name(&one.merchant).to_owned(),
            amount: format::money(one.amount, &one.currency),
            note: words::due_payment_note(one.rhythm.name(), one.flow == MoneyFlow::In),
        },
        minutes: None,
    };
    Ok(due.into_iter().map(row).collect())
}

/// The owner's day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AheadDay {
    pub(super) today: NaiveDate,
    pub(super) zone: Tz,
}

/// What the figures are worked out of, beside the payments themselves.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct AheadKey {
    version: KeptVersion,
    day: AheadDay,
    terms: MoneyTerms,
    /// Whether the hour of the told balance has come.
    is_told: bool,
}

/// What the page shows of two years of payments.
#[derive(Debug)]
pub(super) struct AheadFigures {
    pub(super) series: Vec<RecurringSeries>,
    budgets: Vec<BudgetState>,
    room: Result<SpendingRoom, RoomObstacle>,
    accounts: Vec<AccountState>,
    currency: Option<String>,
}

/// Worked out once for each change of the payments, each day and each change of what the owner told.
pub(super) async fn figures(
    app: &AppState,
    status: &OwnerStatus,
) -> Result<(AheadDay, Arc<AheadFigures>), WebError> {
    let zone = format::zone(&status.settings.zone);
    let day = AheadDay {
        today: format::local_date(status.at, zone),
        zone,
    };
    // Before the payments: what comes in meanwhile makes them newer than it says, never older.
    let version = app.backend.payments_version().await?;
    let terms = app.backend.money_terms().await;
    let is_told = terms.balance.as_ref().is_some_and(|told| told.as_of <= status.at);
    let key = AheadKey {
        version,
        day,
        terms,
        is_told,
    };
    if let Some(figures) = app.ahead.of(&key) {
        return Ok((day, figures));
    }
    let (kept, known_since) = read_back(app, &key.terms, (day.today, zone)).await?;
    let at = MoneyMoment {
        now: status.at,
        zone,
        known_since,
    };
    let split = split_transfers(kept, &key.terms.accounts, zone);
    let series = recurring(&split.payments, key.terms.nameless.as_ref(), day.today, zone);
    let budgets = budgets(&key.terms, &split.payments, at);
    let sides = split.transfers.iter().flat_map(|one| [&one.out, &one.into]);
    let all = split.payments.iter().chain(sides);
    let accounts = account_states(&key.terms, &all, at);
    let room = safe_to_spend(&key.terms, (all, &series), &budgets, at);
    let currency = budget_currency(&key.terms, &split.payments, at);
    let figures = AheadFigures {
        series,
        budgets,
        room,
        accounts,
        currency,
    };
    Ok((day, app.ahead.keep(key, figures)))
}

/// The payments up to the end of today, and since when they are all there.
async fn read_back(
    app: &AppState,
    terms: &MoneyTerms,
    (today, zone): (NaiveDate, Tz),
) -> Result<(Vec<KeptPayment>, Timestamp), WebError> {
    let back = |days| {
        let day = today.checked_sub_days(Days::new(days)).unwrap_or(today);
        format::midnight(day, zone)
    };
    let end = format::midnight(today.succ_opt().unwrap_or(today), zone);
    let recent = back(RECENT_DAYS);
    let mut kept = app.backend.payments(recent, end).await?;
    if kept.len() > READ_MAX {
        return Ok((kept, recent));
    }
    let told = terms.balance.as_ref().map(|balance| balance.as_of);
    let since = told
        .into_iter()
        .chain([back(LOOKED_AT_DAYS)])
        .min()
        .unwrap_or(recent);
    if since < recent {
        kept.extend(app.backend.payments(since, recent).await?);
    }
    Ok((kept, since.min(recent)))
}

/// What every part of the page needs.
struct AheadView<'a> {
    names: &'a DisplayNames,
    today: NaiveDate,
    zone: Tz,
}

impl AheadView<'_> {
    fn name(&self, merchant: &MerchantHash) -> &str {
        self.names
            .get(merchant.as_str())
            .unwrap_or(words::UNNAMED_MERCHANT.say())
    }

    fn day(&self, day: NaiveDate) -> String {
        format::date_near(day, self.today)
    }

    /// What is safe to spend, and until when.
    fn figure(&self, room: &SpendingRoom) -> Markup {
        html! {
            p.figure.below-zero[room.safe < Decimal::ZERO] {
                strong { (format::money(room.safe, &room.currency)) }
                span { (words::until_income(&self.day(room.until), self.name(&room.income))) }
            }
        }
    }

    /// What is due on the day of the income itself: whether it comes before or after it, nobody knows.
    fn due_with_income(&self, room: &SpendingRoom) -> Markup {
        let due = &room.due_with_income;
        let shown = |(_, merchant, amount): &(NaiveDate, MerchantHash, Decimal)| {
            format!(
                "{} {}",
                self.name(merchant),
                format::money(*amount, &room.currency)
            )
        };
        let named: Vec<String> = due.iter().take(NEXT_MAX).map(shown).collect();
        let more = due.len().saturating_sub(NEXT_MAX);
        html! {
            @if !due.is_empty() {
                p.says dir="auto" { (words::due_with_income(&self.day(room.until), &named.join(", "), more)) }
            }
        }
    }

    /// A payment that is expected before then.
    fn expected_row(
        &self,
        room: &SpendingRoom,
        (day, merchant, amount): &(NaiveDate, MerchantHash, Decimal),
    ) -> Markup {
        html! {
            li {
                p.head {
                    span.what { bdi { (self.name(merchant)) } }
                    span.value { (format::money(*amount, &room.currency)) }
                }
                p.note { (self.day(*day)) }
            }
        }
    }

    /// The figure, and each part of it.
    fn room(&self, room: &SpendingRoom) -> Markup {
        let shown = |sum: Decimal| format::money(sum, &room.currency);
        html! {
            (self.figure(room))
            @if let Some(sum) = room.each_day { p.says { (words::each_day_until(&shown(sum))) } }
            @if room.safe < Decimal::ZERO { p.says { (words::short_of(&shown(-room.safe))) } }
            ul.rows {
                (self.balance(&room.balance))
                (part(words::EXPECTED_BEFORE.say(), &shown(-room.expected_sum), &words::expected_count(room.expected.len())))
                (part(words::SET_ASIDE.say(), &shown(-room.set_aside), words::SET_ASIDE_MEANS.say()))
                (part(words::LEFT_OVER.say(), &shown(room.safe), words::SAFE_IS.say()))
            }
            (self.due_with_income(room))
            @if !room.expected.is_empty() {
                details {
                    summary { (words::EXPECTED_LIST) }
                    ul.rows {
                        @for one in room.expected.iter().take(LISTED_MAX) { (self.expected_row(room, one)) }
                        @if room.expected.len() > LISTED_MAX {
                            li { p.note { (words::more_that_come_again(room.expected.len() - LISTED_MAX)) } }
                        }
                    }
                }
            }
        }
    }

    /// What there is, and since when that is known.
    fn balance(&self, known: &BalanceInHand) -> Markup {
        let shown = |sum: Decimal| format::money(sum, &known.currency);
        let (told, as_of) = known.told;
        let day = self.day(format::local_date(as_of, self.zone));
        let told = if known.is_of_statements {
            words::statement_balances_since(&shown(told), &day)
        } else {
            words::balance_since(&shown(told), &day)
        };
        html! {
            (part(words::BALANCE_NOW.say(), &shown(known.now), &told))
            @if known.unclear > 0 { li { p.note { (words::balance_without(known.unclear)) } } }
        }
    }

    /// Why it cannot be said what is safe to spend, below what is known all the same.
    fn missing(&self, obstacle: &RoomObstacle) -> Markup {
        html! {
            @if let RoomObstacle::NoIncome(known) = obstacle { ul.rows { (self.balance(known)) } }
            p.says { (obstacle.sentence()) }
            @if let Some(way) = obstacle.remedy() { p.more { a href="/settings#balance" { (way) } } }
        }
    }

    /// Each account of which a statement or a bank told.
    fn accounts(&self, accounts: &[AccountState]) -> Markup {
        let row = |one: &AccountState| {
            let told = &one.statement.told;
            let shown = |sum: Decimal| format::money(sum, &told.currency);
            let day = self.day(format::local_date(told.as_of, self.zone));
            let name = spending::account(&one.statement.account_last4);
            match one.now {
                Some(now) => part(
                    &name,
                    &shown(now),
                    &words::balance_since(&shown(told.amount), &day),
                ),
                None => part(&name, &shown(told.amount), &words::balance_on(&day)),
            }
        };
        html! {
            @if !accounts.is_empty() {
                section.spending aria-label=(words::ACCOUNT_BALANCES) {
                    h3 { (words::ACCOUNT_BALANCES) }
                    ul.rows { @for one in accounts.iter().take(LISTED_MAX) { (row(one)) } }
                }
            }
        }
    }

    /// What comes again in one direction.
    fn series(&self, title: &str, all: &[RecurringSeries], flow: MoneyFlow) -> Markup {
        let of: Vec<&RecurringSeries> = all.iter().filter(|one| one.flow == flow).collect();
        html! {
            @if !of.is_empty() {
                section.spending aria-label=(title) {
                    h3 { (title) }
                    ul.rows {
                        @for one in of.iter().take(LISTED_MAX) {
                            li {
                                p.head {
                                    span.what { bdi { (self.name(&one.merchant)) } }
                                    span.value { (format::money(one.amount, &one.currency)) }
                                }
                                p.note { (self.details(one)) }
                            }
                        }
                        @if of.len() > LISTED_MAX { li { p.note { (words::more_that_come_again(of.len() - LISTED_MAX)) } } }
                    }
                }
            }
        }
    }

    fn details(&self, one: &RecurringSeries) -> String {
        let what = (one.flow == MoneyFlow::Out).then(|| words::category(one.category).to_owned());
        let was = one
            .was
            .map(|was| words::changed_from(&format::money(was, &one.currency)));
        [
            Some(one.rhythm.name().to_owned()),
            Some(words::next_and_last(&self.day(one.next), &self.day(one.last))),
            one.late_days.map(words::late_by),
            was,
            what,
        ]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(" · ")
    }
}

fn part(name: &str, sum: &str, note: &str) -> Markup {
    html! {
        li {
            p.head { span.what { (name) } span.value { (sum) } }
            p.note { (note) }
        }
    }
}

fn budget_rows(budgets: &[BudgetState], currency: Option<&str>) -> Markup {
    let shown =
        |sum: Decimal| currency.map_or_else(|| sum.to_string(), |currency| format::money(sum, currency));
    let left = |one: &BudgetState| {
        let amount = shown(one.amount);
        if one.left < Decimal::ZERO {
            words::over_budget(&shown(-one.left), &amount)
        } else {
            words::left_of(&shown(one.left), &amount)
        }
    };
    html! {
        @if budgets.is_empty() { p.none { (words::NO_BUDGETS) } }
        @else {
            ul.rows {
                @for one in budgets {
                    li.over[one.left < Decimal::ZERO] {
                        p.head {
                            span.what { (words::category(one.category)) }
                            span.value { (left(one)) }
                        }
                        meter min="0" max="1" value=(format!("{:.3}", one.share())) aria-hidden="true" {}
                        p.note { (words::budget_spent(&shown(one.spent), one.foreign)) }
                    }
                }
            }
        }
        p.more { a href="/settings#more" { (words::SET_BUDGETS) } }
    }
}
