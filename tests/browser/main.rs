//! Aura's pages in a real browser.
//!
//! What: `driver` (Chromium through its `WebDriver`), `page` (one open page and what an owner does with it), `screen` (the
//! surfaces of a recorded day in a browser); the claims are in the other files. Why: what the owner meets is a browser's
//! picture of our pages, with its script, its connections and its clock. Not here: what the server answers (`surfaces/tests`).
//!
//! Chromium and its driver are Debian's packages `chromium` and `chromium-driver`; `scripts/deps.sh browser` installs them.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../integration/support/mod.rs"]
#[expect(dead_code, reason = "the integration tests use all of it")]
mod support;

#[path = "../integration/accounts/radicale.rs"]
#[expect(dead_code, reason = "the integration tests use all of it")]
mod radicale;

mod access;
mod accounts;
mod acts;
mod agenda;
mod ahead;
mod answers;
mod catalogue;
mod contacts;
mod days;
mod devices;
mod driver;
mod feedback;
mod fingers;
mod first_card;
mod first_day;
mod first_day_cases;
mod forget;
mod history;
mod hostile;
mod journeys;
mod later;
mod let_through;
mod looks;
mod meetings;
mod memory;
mod money;
mod operator;
mod page;
mod people;
mod phone_and_places;
mod pictures;
mod same_person;
mod screen;
mod settings;
mod shop_category;
mod usual_spending;
mod web_push;

/// What could not be done, in a sentence.
pub(crate) type Trouble = String;

/// A sentence for what somebody else's call came to.
pub(crate) fn trouble(what: &'static str) -> impl Fn(&dyn std::fmt::Display) -> Trouble {
    move |error| format!("{what}: {error}")
}
