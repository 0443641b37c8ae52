//! Card and drawer as plain text, for a terminal.
//!
//! What: lines of text from the view models. Why: `aura trace show` says what the page says, and the tests have one form
//! to compare. Not here: colours, wrapping (the terminal's).

use super::{
    card::CardView,
    drawer::{CandidateFate, DrawerView, HEADINGS},
};
use std::fmt::Write;
use surfaces_base::language::{Text, say, text};
use surfaces_base::words;

/// A card, one thing a line.
pub fn card(card: &CardView) -> String {
    let mut out = format!("{}\n", card.title);
    if let Some(figure) = &card.figure {
        line(&mut out, &format!("{} {}", figure.value, figure.caption));
    }
    for text in &card.lines {
        line(&mut out, text);
    }
    line(&mut out, &card.why);
    for ask in &card.prompts {
        line(
            &mut out,
            &say!(
                "plain-text-card-asks-on-s",
                surface = ask.surface.as_str(),
                left_ms = ask.left_ms / 1000
            ),
        );
    }
    out
}

/// A drawer with its five headings.
pub fn drawer(drawer: &DrawerView) -> String {
    let [why, saw, considered, chose, can_do] = HEADINGS.map(Text::say);
    let mut out = format!("{}\n{}\n{}\n", drawer.title, drawer.when, drawer.trace_id);
    heading(&mut out, why);
    drawer.why.iter().for_each(|text| line(&mut out, text));
    heading(&mut out, saw);
    drawer.saw.you.iter().for_each(|text| line(&mut out, text));
    for agent in &drawer.saw.agents {
        match agent.status {
            Some(status) => {
                line(
                    &mut out,
                    &format!("{}.", words::agent_status(agent.agent, status)),
                );
            }
            None => line(&mut out, agent.agent),
        }
        for row in &agent.readings {
            let usual = row
                .usual
                .as_ref()
                .map_or_else(String::new, |range| say!("plain-text-drawer-usually", range));
            line(&mut out, &format!("  {}: {}{usual}", row.name, row.value));
        }
    }
    heading(&mut out, considered);
    if drawer.considered.is_empty() {
        line(&mut out, words::NOTHING_PROPOSED.say());
    }
    for row in &drawer.considered {
        let mark = if row.chosen { "*" } else { "-" };
        line(&mut out, &format!("{mark} {} ({})", row.what, row.by));
        match &row.fate {
            CandidateFate::Removed(reason) => line(&mut out, &say!("plain-text-drawer-removed", reason)),
            CandidateFate::Forbidden(rule) => {
                line(
                    &mut out,
                    &say!(
                        "plain-text-drawer-removed-2",
                        value = words::RULE_FORBADE.say(),
                        rule
                    ),
                );
            }
            CandidateFate::Scored(_, parts) => {
                let parts: Vec<String> = parts
                    .iter()
                    .map(|part| format!("{} {}", part.name, part.value))
                    .collect();
                line(&mut out, &format!("  {}", parts.join(", ")));
            }
            CandidateFate::NotScored => line(&mut out, text("plain-text-drawer-not-scored")),
        }
    }
    heading(&mut out, chose);
    drawer.chose.lines.iter().for_each(|text| line(&mut out, text));
    for (name, value) in &drawer.chose.facts {
        line(&mut out, &format!("{name}: {value}"));
    }
    for visit in &drawer.chose.path {
        line(&mut out, &format!("{} {} ({})", visit.at, visit.what, visit.long));
    }
    heading(&mut out, can_do);
    drawer.can_do.iter().for_each(|text| line(&mut out, text));
    out
}

fn heading(out: &mut String, text: &str) {
    // Writing to a string cannot fail.
    let _ = write!(out, "\n{text}\n");
}

fn line(out: &mut String, text: &str) {
    let _ = writeln!(out, "  {text}");
}
