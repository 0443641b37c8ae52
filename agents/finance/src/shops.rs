//! In which category a shop's payments count by the owner's word.
//!
//! What: [`ShopCategories`], with `finance.sort_shop`. Why: the table of merchants does not know every shop, nor what somebody buys there; whoever does says
//! it once. Not here: that table (`category`), what several sources say of one payment (`book`).

use super::{FinanceAgent, view::SpendingView};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use toolcall_schema::{
    Category,
    catalogue::shop_category::{SortShop, SortedShop},
    forget::ErasureScope,
    ids::{MerchantHash, TxnId},
    result::ToolErrorCode,
};

/// Shops of which the owner may say something.
const SHOPS_MAX: usize = 1024;

/// By the shop's hash.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct ShopCategories(BTreeMap<MerchantHash, Category>);

impl ShopCategories {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn get(&self, shop: &MerchantHash) -> Option<Category> {
        self.0.get(shop).copied()
    }

    /// Removes what was said of a shop that the owner wants forgotten.
    pub(super) fn forget(&mut self, what: &ErasureScope) {
        if what.is_everything() {
            self.0.clear();
        }
        self.0.retain(|shop, _| !what.covers_thing(shop.as_str()));
    }

    /// Whether there was room.
    fn set(&mut self, shop: &MerchantHash, category: Option<Category>) -> bool {
        match category {
            None => {
                self.0.remove(shop);
            }
            Some(_) if self.0.len() >= SHOPS_MAX && !self.0.contains_key(shop) => return false,
            Some(category) => {
                self.0.insert(shop.clone(), category);
            }
        }
        true
    }
}

impl FinanceAgent {
    /// Carries out `finance.sort_shop`. Memory is told of the payments that changed at the next look.
    ///
    /// # Errors
    /// `not_found` when no payment of the shop is known; `unavailable` when the owner has said it of too many shops.
    pub(super) fn sort_shop(&mut self, args: &SortShop) -> Result<SortedShop, ToolErrorCode> {
        let before = self.categories_at(&args.merchant_hash);
        if before.is_empty() {
            return Err(ToolErrorCode::NotFound);
        }
        if !self.book.shops.set(&args.merchant_hash, args.category) {
            return Err(ToolErrorCode::Unavailable);
        }
        self.book.settle_again();
        let now = self.categories_at(&args.merchant_hash);
        let changed: Vec<&TxnId> = now
            .iter()
            .filter(|(id, category)| before.get(*id) != Some(category))
            .map(|(id, _)| id)
            .collect();
        self.untold.retain(|id| !changed.contains(&id));
        self.untold.extend(changed.iter().copied().cloned());
        self.view = SpendingView::new(&self.book, &self.setup.owner);
        self.proposed = None;
        self.changed = true;
        let newest = now
            .keys()
            .max_by_key(|id| self.book.get(id).map(|payment| payment.ts));
        let newest = newest.and_then(|id| now.get(id)).copied();
        Ok(SortedShop {
            merchant_hash: args.merchant_hash.clone(),
            category: newest.unwrap_or(Category::Other),
            by_owner: args.category.is_some(),
            changed: u32::try_from(changed.len()).unwrap_or(u32::MAX),
        })
    }

    /// The payments of a shop, each with its category.
    fn categories_at(&self, shop: &MerchantHash) -> BTreeMap<TxnId, Category> {
        let payments = self.book.iter().filter(|(_, payment)| payment.merchant == *shop);
        payments
            .map(|(id, payment)| (id.clone(), payment.category))
            .collect()
    }
}
