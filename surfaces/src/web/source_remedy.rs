//! What to click where something of a source could not be read.
//!
//! What: the link for each code of `docs/errors` that a page of hers can do something about. Why: a sentence that says what is wrong leads to where it is
//! put right. Not here: the sentences themselves (`agents`), codes whose remedy is in another program.

use maud::{Markup, html};
use surfaces_base::words;
use toolcall_schema::tick::SkippedItem;

/// Places that are named of one reason.
const PLACES_MAX: usize = 3;

/// What was left out, a row for each reason. `with_remedy`: each with what to click.
pub(super) fn skipped_items(skips: &[&SkippedItem], with_remedy: bool) -> Markup {
    let mut reasons: Vec<(&str, Vec<&SkippedItem>)> = Vec::new();
    for &skip in skips {
        match reasons.iter_mut().find(|(code, _)| *code == skip.code) {
            Some((_, items)) => items.push(skip),
            None => reasons.push((skip.code.as_str(), vec![skip])),
        }
    }
    html! {
        ul.plain-list {
            @for (code, items) in &reasons {
                li {
                    @if let Some(first) = items.first() { (words::skip_reason(code).unwrap_or(&first.message)) }
                    @if with_remedy { (remedy(code)) }
                    " " span.note { (places(items)) }
                }
            }
        }
    }
}

/// Where it is so; of many places some.
fn places(items: &[&SkippedItem]) -> Markup {
    let mut named: Vec<(&str, Option<u64>)> =
        items.iter().map(|item| (item.item.as_str(), item.line)).collect();
    named.dedup();
    html! {
        @if named.len() > PLACES_MAX { (words::SKIP_FOR_EXAMPLE) " " }
        @for (n, (name, line)) in named.iter().take(PLACES_MAX).enumerate() {
            @if n > 0 { "; " }
            bdi { (name) }
            @if let Some(line) = line { ", " (words::in_line(*line)) }
        }
    }
}

/// The link, where there is something to click.
fn remedy(code: &str) -> Markup {
    html! { @if let Some((address, says)) = link(code) { " " a href=(address) { (says) } } }
}

fn link(code: &str) -> Option<(&'static str, &'static str)> {
    let number: u16 = code.strip_prefix("AGENT-")?.parse().ok()?;
    Some(match number {
        // The path, or too much of it.
        1 | 2 | 6 | 16 | 36 | 41 | 116 => ("/settings#sources", words::REMEDY_SOURCES.say()),
        // Another file in its place.
        10 | 12 | 32 | 40 | 105 | 119 | 122 | 203 | 205 | 207..=211 | 214 => {
            ("/welcome/3", words::REMEDY_FILE.say())
        }
        // What a statement leaves open is asked where it is looked into.
        103 | 106 | 107 | 120 => ("/settings#sources", words::REMEDY_STATEMENT.say()),
        117 => ("/money#senders", words::REMEDY_SENDER.say()),
        118 => ("/money#unread", words::REMEDY_MESSAGE.say()),
        9 | 115 | 215 => ("/settings#again", words::REMEDY_AGAIN.say()),
        217 => ("/devices", words::REMEDY_PHONE.say()),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs, path::Path};

    #[test]
    fn each_code_that_a_page_can_do_something_about_leads_there() {
        let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/errors");
        let mut linked = 0;
        for entry in fs::read_dir(pages).unwrap().flatten() {
            let name = entry.file_name().into_string().unwrap();
            let code = name.trim_end_matches(".md");
            let Some((address, says)) = link(code) else {
                continue;
            };
            linked += 1;
            assert!(
                address.starts_with('/') && says.ends_with('.') && !says.contains('`'),
                "{code}: {says}"
            );
            let text = fs::read_to_string(entry.path()).unwrap();
            assert!(
                !text.contains("**Remedy.** None is needed.\n"),
                "{code} needs no remedy"
            );
        }
        assert_eq!(linked, 32);
        for none in ["", "AGENT-", "AGENT-013", "WEB-001"] {
            assert_eq!(link(none), None, "{none}");
        }
    }
}
