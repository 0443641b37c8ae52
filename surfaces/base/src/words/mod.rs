//! Aura's plain words: one sentence or phrase for every name of the vocabularies.
//!
//! What: the only folder with sentences that are shown to the owner, a file for each concern. Why: one voice,
//! and a new name in a vocabulary does not compile until it has its words. Not here: numbers (`format`), the layout
//! (`render`, `web`). All texts are ours: none comes from outside.

mod account_balances;
mod acts;
mod agenda;
mod ahead;
mod answers;
mod at_work;
mod away;
mod backups;
mod card_things;
mod catalogue;
mod clash;
pub mod console;
mod course;
mod deliveries;
mod doctor;
mod door;
mod drawer;
mod event_reasons;
mod evidence;
mod feedback;
mod figures;
mod first_steps;
mod forgetting;
mod frames;
mod free_time_calendar;
mod history;
mod home_assistant;
mod home_fields;
mod kept;
mod keys;
mod kind_wishes;
mod kinds;
mod learned;
mod let_through;
mod meeting;
mod memory;
mod memory_page;
mod models;
mod money_questions;
mod month;
mod notify;
mod owner;
mod page;
mod palette;
mod palette_find;
mod parts;
mod people;
mod periods;
mod refused;
mod runs;
mod same_person;
mod script;
mod sections;
mod sentences;
mod setting_acts;
mod settings_form;
mod shop_category;
mod sign_in;
mod skip_reasons;
mod source_again;
mod source_look;
mod source_programs;
mod spending;
mod telemetry;
pub mod tick;
mod tools;
mod towns;
mod two_days;
mod undo_later;
mod usual_spending;
mod voice;
mod web_push;
mod welcome;
mod why;

mod account_forms;
mod accounts;
mod asks;
mod mail_accounts;
mod muting;
mod passphrase;
mod phone;
mod policy_constants;
mod policy_trial;
mod readers;
mod source_remedy;

pub use account_balances::*;
pub use acts::*;
pub use agenda::*;
pub use ahead::*;
pub use answers::*;
pub use asks::*;
pub use at_work::*;
pub use away::*;
pub use backups::*;
pub use card_things::*;
pub use catalogue::*;
pub use clash::*;
pub use course::*;
pub use deliveries::*;
pub use doctor::*;
pub use door::*;
pub use drawer::*;
pub use event_reasons::*;
pub use evidence::*;
pub use feedback::*;
pub use figures::*;
pub use first_steps::*;
pub use forgetting::*;
pub use frames::*;
pub use free_time_calendar::*;
pub use history::*;
pub use home_assistant::*;
pub use home_fields::*;
pub use kept::*;
pub use keys::*;
pub use kind_wishes::*;
pub use kinds::*;
pub use learned::*;
pub use let_through::*;
pub use meeting::*;
pub use memory::*;
pub use memory_page::*;
pub use models::*;
pub use money_questions::*;
pub use month::*;
pub use notify::*;
pub use owner::*;
pub use page::*;
pub use palette::*;
pub use palette_find::*;
pub use parts::*;
pub use people::*;
pub use periods::*;
pub use refused::*;
pub use runs::*;
pub use same_person::*;
pub use script::*;
pub use sections::*;
pub use sentences::*;
pub use setting_acts::*;
pub use settings_form::*;
pub use shop_category::*;
pub use sign_in::*;
pub use skip_reasons::*;
pub use source_again::*;
pub use source_look::*;
pub use spending::*;
pub use telemetry::*;
pub use tools::*;
pub use towns::*;
pub use two_days::*;
pub use undo_later::*;
pub use usual_spending::*;
pub use voice::*;
pub use web_push::*;
pub use welcome::*;
pub use why::*;

pub use account_forms::*;
pub use accounts::*;
pub use mail_accounts::*;
pub use muting::*;
pub use passphrase::*;
pub use phone::*;
pub use policy_constants::*;
pub use policy_trial::*;
pub use readers::*;
pub use source_programs::*;
pub use source_remedy::*;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{language::Language, locale::speaking};
    use toolcall_schema::{ActionKind, Outcome, ReasonCode, result::ToolErrorCode};

    #[test]
    fn watch_lines_are_short_and_hold_one_number_at_most() {
        let lines =
            |kind: &ActionKind| Language::ALL.map(|language| speaking(language, || watch_line(*kind)));
        for line in ActionKind::ALL.iter().flat_map(lines) {
            assert!(line.chars().count() <= 40, "{line}");
            let numbers = line
                .split(|c: char| !c.is_ascii_digit())
                .filter(|part| !part.is_empty())
                .count();
            assert!(numbers <= 1, "{line}");
        }
    }

    #[test]
    fn sentences_end_with_a_full_stop_and_say_no_code() {
        let sentences = || -> Vec<&str> {
            ReasonCode::ALL
                .iter()
                .map(|code| reason(*code))
                .chain(Outcome::ALL.iter().map(|o| outcome(*o)))
                .chain(ToolErrorCode::ALL.iter().map(|code| tool_error(*code)))
                .collect()
        };
        for sentence in Language::ALL
            .into_iter()
            .flat_map(|language| speaking(language, sentences))
        {
            assert!(sentence.ends_with('.'), "{sentence}");
            assert!(!sentence.contains('_') && !sentence.contains('!'), "{sentence}");
        }
    }
}
