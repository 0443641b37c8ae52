//! Words about a changed catalogue.
//!
//! What: the sentences of the page on which the owner accepts what another build changed in its tools. Why: they stand with all the others.
//! Not here: finding what differs (`toolcall_schema::catalogue::lock`), the page (`web::catalogue_page`).

use crate::language::{Text, say, text};
use serde_json::Value;
use toolcall_schema::{Surface, catalogue::lock::ColumnChange};

/// The page's title in the browser's list.
pub const CATALOGUE_TITLE_PAGE: Text = Text("catalogue-catalogue-title-page");
/// Its heading.
pub const CATALOGUE_TITLE: Text = Text("catalogue-catalogue-title");
/// Why Aura does not just go on.
pub const CATALOGUE_WHY: Text = Text("catalogue-catalogue-why");
/// The remedy for who expected no change.
pub const CATALOGUE_UNEXPECTED: Text = Text("catalogue-catalogue-unexpected");
/// The button.
pub const CATALOGUE_ACCEPT: Text = Text("catalogue-catalogue-accept");
/// In place of the button, on a device that may change nothing.
pub const CATALOGUE_NOT_HERE: Text = Text("catalogue-catalogue-not-here");
/// Without the script.
pub const CATALOGUE_SCRIPT: Text = Text("catalogue-catalogue-script");
/// Of a tool that the build does not have any more.
pub const TOOL_GONE: Text = Text("catalogue-tool-gone");

/// What is different about a tool, for somebody who decides whether to go on.
pub fn tool_change(change: &ColumnChange) -> String {
    let named = |value: &Value| {
        let code = value.as_str().unwrap_or_default();
        let known = Surface::ALL.iter().find(|surface| surface.as_str() == code);
        match known {
            Some(surface) => super::surface(*surface).to_owned(),
            None if code.is_empty() => text("catalogue-nothing").to_owned(),
            None => code.to_lowercase().replace('_', " "),
        }
    };
    match (change.column.as_str(), change.new.as_str()) {
        ("confirm", Some("always")) => text("catalogue-tool-change-it-asks-you").to_owned(),
        ("confirm", _) => text("catalogue-tool-change-it-no-longer").to_owned(),
        ("class", Some("safety")) => text("catalogue-tool-change-it-counts-as").to_owned(),
        ("class", _) => text("catalogue-tool-change-it-no-longer-2").to_owned(),
        ("surface", _) => say!(
            "catalogue-tool-change-it-shows-itself",
            new = named(&change.new),
            old = named(&change.old)
        ),
        ("effects", _) => text("catalogue-tool-change-it-changes-other").to_owned(),
        ("private", _) => text("catalogue-tool-change-other-parts-of").to_owned(),
        ("args", _) => text("catalogue-tool-change-it-is-told").to_owned(),
        ("result", _) => text("catalogue-tool-change-it-answers-other").to_owned(),
        (other, _) => say!("catalogue-tool-change-its-is-different", other),
    }
}
