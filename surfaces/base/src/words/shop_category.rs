//! What is said of where a shop's payments count.
//!
//! What: the form beside a payment, what it did, and what was sorted at once. Why: an effect is named before it is chosen. Not here: names of categories
//! (`figures`), markup (`web::shop_category`).

use crate::{
    language::{Text, say},
    words,
};
use std::{cmp::Reverse, collections::BTreeMap};
use toolcall_schema::Category;

/// Opens the form.
pub const SORT_SHOP: Text = Text("shop-category-sort-shop");
/// Its field.
pub const SORT_SHOP_AS: Text = Text("shop-category-sort-shop-as");
/// The choice that takes the owner's word back.
pub const SORT_SHOP_BY_ITSELF: Text = Text("shop-category-by-itself");
/// What it does.
pub const SORT_SHOP_DOES: Text = Text("shop-category-sort-shop-does");
/// Its button.
pub const SORT_SHOP_SAVE: Text = Text("shop-category-save");
/// A shop without a name, in a sentence.
pub const A_SHOP: Text = Text("shop-category-a-shop");

/// Categories that are named; the others are counted together.
const NAMED_MAX: usize = 2;

/// The owner said it.
pub fn shop_is_sorted(shop: &str, category: &str) -> String {
    say!("shop-category-is-sorted", shop, category)
}

/// The owner said it, and that is over.
pub fn shop_was_sorted(shop: &str, category: &str) -> String {
    say!("shop-category-was-sorted", shop, category)
}

/// It was taken back.
pub fn shop_is_unsorted(shop: &str, category: &str) -> String {
    say!("shop-category-is-unsorted", shop, category)
}

/// How many payments were sorted, and as what most of them.
pub fn payments_sorted(categories: impl IntoIterator<Item = Category>) -> String {
    let mut counted: BTreeMap<&str, usize> = BTreeMap::new();
    for category in categories {
        *counted.entry(words::category(category)).or_default() += 1;
    }
    let count: usize = counted.values().sum();
    let mut parts: Vec<(&str, usize)> = counted.into_iter().collect();
    parts.sort_by_key(|(name, count)| (Reverse(*count), *name));
    let rest: usize = parts.iter().skip(NAMED_MAX).map(|(_, count)| count).sum();
    let named = parts.iter().take(NAMED_MAX);
    let mut named: Vec<String> = named
        .map(|(category, count)| say!("shop-category-part", count = *count, category = *category))
        .collect();
    if rest > 0 {
        named.push(say!("shop-category-rest", rest));
    }
    say!("shop-category-payments-sorted", count, parts = named.join(", "))
}
