//! Prompts: a question in the marks of a model's template.
//!
//! What: [`prefix`], the same for every question of a model and evaluated once, and [`suffix`], what comes after it. Why: only pieces
//! of the template may be special tokens; whatever else stands in a prompt is read as text. Not here: what is asked
//! (`question`), tokens (the worker's).
//!
//! A prompt stays under 512 tokens twice: by construction, with an upper estimate ([`tokens_at_most`]), and in the worker, which
//! counts and refuses.

use crate::{
    manifest::{Template, Tier},
    question::{CHOOSE, ModelQuestion},
    wire::PromptPiece,
};

/// Tokens that a task may have at most by the estimate. The prefix and the marks have fewer than the rest of the 512.
pub const TASK_TOKENS_MAX: usize = 400;

/// Who the model is to be.
const SYSTEM: &str = "You help a quiet assistant to explain itself to its owner. Use only what you are given. Answer in plain \
                      English and in the form that is asked for.";

/// What of the owner's turn is the same in every question to a model of a tier: one that only chooses is always asked the same.
fn opening(tier: Tier) -> &'static str {
    match tier {
        Tier::Choose => CHOOSE,
        Tier::Write => "",
    }
}

fn template_mark(text: &str) -> PromptPiece {
    PromptPiece {
        special: true,
        text: text.to_owned(),
    }
}

fn plain(text: impl Into<String>) -> PromptPiece {
    PromptPiece {
        special: false,
        text: text.into(),
    }
}

/// What every prompt of a model begins with.
pub fn prefix(template: Template, tier: Tier) -> Vec<PromptPiece> {
    let opening = opening(tier);
    match template {
        Template::Chatml => vec![
            template_mark("<|im_start|>"),
            plain(format!("system\n{SYSTEM}")),
            template_mark("<|im_end|>"),
            plain("\n"),
            template_mark("<|im_start|>"),
            plain(format!("user\n{opening}")),
        ],
        Template::Phi3 => vec![
            template_mark("<|system|>"),
            plain(format!("\n{SYSTEM}")),
            template_mark("<|end|>"),
            plain("\n"),
            template_mark("<|user|>"),
            plain(format!("\n{opening}")),
        ],
    }
}

/// What follows the prefix.
pub fn suffix(template: Template, tier: Tier, question: &ModelQuestion) -> Vec<PromptPiece> {
    let task = question.task();
    let task = plain(task.strip_prefix(opening(tier)).unwrap_or(&task));
    match template {
        Template::Chatml => vec![
            task,
            template_mark("<|im_end|>"),
            plain("\n"),
            template_mark("<|im_start|>"),
            plain("assistant\n"),
        ],
        Template::Phi3 => vec![
            task,
            template_mark("<|end|>"),
            plain("\n"),
            template_mark("<|assistant|>"),
            plain("\n"),
        ],
    }
}

/// An upper estimate of the tokens of a text of ours: each digit and each sign one, each word one for every three letters (two
/// where they are capitals) begun. `aura bench model` holds it against the real tokenizer.
pub fn tokens_at_most(text: &str) -> usize {
    let word = |word: &str| {
        let capitals = word.bytes().filter(u8::is_ascii_uppercase).count();
        let letters = word.bytes().filter(u8::is_ascii_alphabetic).count();
        capitals.div_ceil(2) + (letters - capitals).div_ceil(3) + (word.len() - letters)
    };
    let lines = text.matches('\n').count();
    lines + text.split_whitespace().map(word).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(template: Template, tier: Tier, question: &ModelQuestion) -> (String, Vec<String>) {
        let pieces = [prefix(template, tier), suffix(template, tier, question)].concat();
        let special = pieces.iter().filter(|piece| piece.special);
        (
            pieces.iter().map(|piece| piece.text.as_str()).collect(),
            special.map(|piece| piece.text.clone()).collect(),
        )
    }

    #[test]
    fn a_prompt_has_the_form_of_its_template_and_only_marks_are_special() {
        let question = ModelQuestion::choose(&["One.".to_owned(), "Two <|im_end|>.".to_owned()]);
        let task = question.task();
        for tier in [Tier::Choose, Tier::Write] {
            let (text, special) = whole(Template::Chatml, tier, &question);
            assert_eq!(
                text,
                format!(
                    "<|im_start|>system\n{SYSTEM}<|im_end|>\n<|im_start|>user\n{task}<|im_end|>\n<|im_start|>assistant\n"
                )
            );
            assert_eq!(
                special,
                [
                    "<|im_start|>",
                    "<|im_end|>",
                    "<|im_start|>",
                    "<|im_end|>",
                    "<|im_start|>"
                ]
            );
            let (text, special) = whole(Template::Phi3, tier, &question);
            assert_eq!(
                text,
                format!("<|system|>\n{SYSTEM}<|end|>\n<|user|>\n{task}<|end|>\n<|assistant|>\n")
            );
            assert_eq!(
                special,
                ["<|system|>", "<|end|>", "<|user|>", "<|end|>", "<|assistant|>"]
            );
        }
    }

    #[test]
    fn a_model_that_only_chooses_evaluates_the_task_once_and_the_sentences_each_time() {
        let question = ModelQuestion::choose(&["One.".to_owned()]);
        let text = |pieces: Vec<PromptPiece>| pieces.into_iter().map(|piece| piece.text).collect::<String>();
        assert!(text(prefix(Template::Chatml, Tier::Choose)).ends_with(CHOOSE));
        assert_eq!(
            text(suffix(Template::Chatml, Tier::Choose, &question)),
            "1. One.\n<|im_end|>\n<|im_start|>assistant\n"
        );
    }

    #[test]
    fn the_estimate_counts_words_digits_signs_and_lines() {
        for (text, tokens) in [
            ("", 0),
            ("a", 1),
            ("load", 2),
            ("load 78.", 5),
            ("one\ntwo", 3),
            // Twelve capitals are six, two underscores two.
            ("LEAVE_BY_ALERT", 6 + 2),
        ] {
            assert_eq!(tokens_at_most(text), tokens, "{text:?}");
        }
    }

    #[test]
    fn the_longest_task_and_the_longest_prefix_fit_into_512_tokens() {
        for template in [Template::Chatml, Template::Phi3] {
            for tier in [Tier::Choose, Tier::Write] {
                let empty = ModelQuestion::choose(&[]);
                let (text, _) = whole(template, tier, &empty);
                let around = tokens_at_most(&text) - tokens_at_most(&empty.task());
                assert!(around + TASK_TOKENS_MAX <= 512, "{around}");
            }
        }
    }
}
