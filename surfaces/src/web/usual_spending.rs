//! Spending that the owner calls usual.
//!
//! What: the rows among the rules, and the one way that sets and takes back. Why: what a card about unusual spending got wrong is said there, and found
//! where rules stand. Not here: what it changes (`agents`), the button under a dismissed card (`acts_page`), its sentences (`words`).

use super::{
    api::JsonBody,
    error::WebError,
    owner::{ActionResponse, OwnerResult, end},
    shell,
    state::AppState,
};
use axum::{
    Json,
    extract::{Path, State},
    http::HeaderMap,
};
use chrono::NaiveDate;
use maud::{Markup, html};
use serde::Deserialize;
use std::sync::Arc;
use surfaces_base::{backend::OwnerCall, format, words};
use toolcall_schema::{Category, catalogue::allowed_spending::AllowedSpendingList};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct UsualSpendingBody {
    day: NaiveDate,
    usual: bool,
}

/// `POST /v1/spending/{category}/usual`
pub(super) async fn set(
    State(app): State<Arc<AppState>>,
    Path(category): Path<String>,
    headers: HeaderMap,
    body: Result<JsonBody, WebError>,
) -> OwnerResult<Json<ActionResponse>> {
    let category = Category::parse(&category).ok_or(WebError::NotFound)?;
    let UsualSpendingBody { day, usual } = body?.read()?;
    end(&app, OwnerCall::AllowSpending(category, day, usual), &headers).await
}

/// Among the rules: what is usual, each with the way to take it back.
pub(super) fn rows(list: Option<&AllowedSpendingList>) -> Markup {
    html! {
        @match list {
            None => p.says data-again-ms=(shell::AGAIN_MS) { (words::USUAL_SPENDING_NOT_READ) },
            Some(list) if list.rows.is_empty() => {},
            Some(list) => {
                h3 #usual-title { (words::USUAL_SPENDING) }
                ul.rules aria-labelledby="usual-title" {
                    @for row in &list.rows {
                        @let says = words::is_usual(words::category(row.category), &format::money(row.upto, &row.currency));
                        li {
                            span { (says) }
                            button.plain type="button" data-usual=(row.category) data-day=(row.day) data-is="false"
                                aria-label=(words::on_row(words::USUAL_SPENDING_END.say(), &says)) { (words::USUAL_SPENDING_END) }
                        }
                    }
                }
            },
        }
    }
}
