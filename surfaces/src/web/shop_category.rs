//! In which category a shop's payments count.
//!
//! What: the form beside a payment, and the one way that sets and takes back. Why: what was sorted wrong is put right where it stands. Not here: what it
//! changes (`agents`), its Undo (`acts_page`), its sentences (`words`).

use super::{
    api::JsonBody,
    error::WebError,
    owner::{ActionResponse, OwnerResult, end},
    state::AppState,
};
use axum::{
    Json,
    extract::{Path, State},
    http::HeaderMap,
};
use maud::{Markup, html};
use serde::Deserialize;
use std::sync::Arc;
use surfaces_base::{backend::OwnerCall, words};
use toolcall_schema::{Category, ids::MerchantHash};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SortShopBody {
    /// Empty: the owner's word is taken back.
    category: String,
}

/// `POST /v1/shops/{shop}/category`
pub(super) async fn set(
    State(app): State<Arc<AppState>>,
    Path(shop): Path<String>,
    headers: HeaderMap,
    body: Result<JsonBody, WebError>,
) -> OwnerResult<Json<ActionResponse>> {
    let shop = MerchantHash::parse(&shop).map_err(|_| WebError::NotFound)?;
    let SortShopBody { category } = body?.read()?;
    let category = match category.as_str() {
        "" => None,
        said => Some(Category::parse(said).ok_or(WebError::BadBody)?),
    };
    end(&app, OwnerCall::SortShop(shop, category), &headers).await
}

/// The way to the form beside a payment to a shop; `called`: what that is called. The script puts the form there: thousands of payments have one.
pub(super) fn form_place(shop: &MerchantHash, called: &str, category: Category) -> Markup {
    html! {
        details.in-place data-shop=(shop) data-category=(category.as_str()) {
            summary aria-label=(words::on_row(words::SORT_SHOP.say(), called)) { (words::SORT_SHOP) }
        }
    }
}

/// The form itself, once on a page, without the shop.
pub(super) fn form() -> Markup {
    html! {
        template #sort-shop {
            form.settings data-sorting {
                label {
                    (words::SORT_SHOP_AS)
                    select name="category" {
                        @for one in Category::ALL { option value=(one.as_str()) { (words::category(*one)) } }
                        option value="" { (words::SORT_SHOP_BY_ITSELF) }
                    }
                }
                p.note { (words::SORT_SHOP_DOES) }
                p.buttons {
                    button.side type="submit" aria-label=(words::on_row(words::SORT_SHOP_SAVE.say(), "{}")) { (words::SORT_SHOP_SAVE) }
                }
            }
        }
    }
}
