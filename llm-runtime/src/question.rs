//! What a model is asked, and how its answer is read.
//!
//! What: [`ModelQuestion`]: its task in words, its grammar, its limits, and [`ModelQuestion::parse_answer`], from the model's text to what it says.
//! Why: whatever stands behind [`crate::LanguageModel`], one reading decides what counts. Not here: the marks of a model's template
//! (`prompt`), when it is asked (`orchestrator_machine`).

use crate::{fact_check, facts, prompt};
use toolcall_schema::{ActionKind, ModelFault, trace::Decision};

/// The most sentences or actions that are offered.
pub const OFFERED_MAX: usize = 6;
/// Milliseconds from asking until an answer for a rationale is of no use any more.
pub const SENTENCE_BUDGET_MS: u32 = 1500;
/// The same for a tie: at that time the machine decides by itself.
pub const TIE_BUDGET_MS: u32 = 1200;

/// What a model is asked that chooses a sentence; the sentences follow.
pub(crate) const CHOOSE: &str =
    "Which sentence tells the owner best why the assistant speaks now? Answer with its number only.\n";
/// What a model is asked that breaks a tie; the actions follow.
const TIE: &str = "Which of these is worth an interruption now? Answer with its number only.\n";

/// A question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelQuestion {
    what: TaskKind,
    /// As the model gets them: sentences or phrases of ours.
    lines: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TaskKind {
    /// Which sentence says best why.
    Sentence,
    /// One sentence of its own about this action and its companion.
    Write(ActionKind, Option<ActionKind>),
    /// Which of these actions.
    Tie,
}

/// What a model said, read and checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelAnswer {
    /// Which of those offered, from 0.
    Picked(u8),
    /// A sentence that passed the check, placeholders filled in.
    Wrote(String),
}

impl ModelQuestion {
    /// Which of these true sentences says best why. Those that fit into a prompt are offered.
    pub fn choose(sentences: &[String]) -> Self {
        Self::from_lines(TaskKind::Sentence, sentences)
    }

    /// Which of these actions is worth the interruption. Those that fit into a prompt are offered.
    pub fn tie(actions: &[String]) -> Self {
        Self::from_lines(TaskKind::Tie, actions)
    }

    /// One sentence about a decision; `None` when nothing was chosen or there is no signal to quote.
    pub fn write(decision: &Decision) -> Option<Self> {
        let chosen = decision.chosen.as_ref()?;
        let facts = facts::fact_phrases(decision);
        let what = TaskKind::Write(chosen.kind, chosen.companion);
        (!facts.is_empty()).then(|| Self::from_lines(what, &facts))
    }

    fn from_lines(what: TaskKind, lines: &[String]) -> Self {
        let mut question = Self { what, lines: vec![] };
        let most = match what {
            TaskKind::Sentence | TaskKind::Tie => OFFERED_MAX,
            TaskKind::Write(..) => facts::FACTS_MAX,
        };
        for line in lines.iter().take(most) {
            question.lines.push(line.clone());
            if prompt::tokens_at_most(&question.task()) > prompt::TASK_TOKENS_MAX {
                question.lines.pop();
                break;
            }
        }
        question
    }

    /// How many were offered; 0 for a sentence of its own.
    pub fn offered(&self) -> usize {
        match self.what {
            TaskKind::Sentence | TaskKind::Tie => self.lines.len(),
            TaskKind::Write(..) => 0,
        }
    }

    /// Milliseconds that it may take, waiting included.
    pub fn budget_ms(&self) -> u32 {
        match self.what {
            TaskKind::Sentence | TaskKind::Write(..) => SENTENCE_BUDGET_MS,
            TaskKind::Tie => TIE_BUDGET_MS,
        }
    }

    /// Tokens of the answer at most.
    pub fn max_tokens(&self) -> u16 {
        match self.what {
            TaskKind::Sentence | TaskKind::Tie => 2,
            TaskKind::Write(..) => 80,
        }
    }

    /// The task in words: what the owner's turn of the conversation says.
    pub fn task(&self) -> String {
        let before = match self.what {
            TaskKind::Sentence => CHOOSE,
            TaskKind::Tie => TIE,
            TaskKind::Write(kind, _) => {
                let lines = self.lines.join("\n- ");
                return format!(
                    "The assistant offers {}. Write one short sentence that tells the owner why. Quote these facts word for \
                     word and add no others:\n- {lines}\nEnd with a full stop.",
                    action_phrase(kind)
                );
            }
        };
        let numbered = (1..).zip(&self.lines);
        let numbered: Vec<String> = numbered.map(|(n, line)| format!("{n}. {line}\n")).collect();
        format!("{before}{}", numbered.concat())
    }

    /// What the answer may look like (GBNF).
    pub fn grammar(&self) -> String {
        match self.what {
            TaskKind::Sentence | TaskKind::Tie => {
                let numbers: Vec<String> = (1..=self.lines.len()).map(|n| format!("\"{n}\"")).collect();
                format!("root ::= {}", numbers.join(" | "))
            }
            // Digits come as whole phrases only.
            TaskKind::Write(..) => {
                let facts: Vec<String> = self.lines.iter().map(|fact| format!("{fact:?}")).collect();
                format!(
                    "root ::= (fact | first) (\", \" item | \" \" item)* \".\"\nfirst ::= [A-Z] [a-z]*\nitem ::= fact | \
                     [a-z]+\nfact ::= {}",
                    facts.join(" | ")
                )
            }
        }
    }

    /// Reads an answer.
    ///
    /// # Errors
    /// Why it is not used.
    pub fn parse_answer(&self, text: &str) -> Result<ModelAnswer, ModelFault> {
        match self.what {
            TaskKind::Sentence | TaskKind::Tie => read_pick(text, self.lines.len()).map(ModelAnswer::Picked),
            TaskKind::Write(chosen, companion) => {
                fact_check::check(text, &self.lines, chosen, companion)?;
                let sentence = facts::fill_placeholders(text.trim());
                // Filling in may make it longer.
                let short = sentence.chars().count() <= fact_check::CHARS_MAX;
                if short {
                    Ok(ModelAnswer::Wrote(sentence))
                } else {
                    Err(ModelFault::Form)
                }
            }
        }
    }
}

/// What is offered, in words.
fn action_phrase(kind: ActionKind) -> &'static str {
    match kind {
        ActionKind::MuteGroup30 => "to mute {channel_1} for a while",
        ActionKind::Breathe478 => "a moment of breathing",
        ActionKind::Nap15 => "a short nap",
        ActionKind::PermitLeisure => "a break",
        ActionKind::BatchDigest => "a digest of messages",
        ActionKind::ShowBrief => "the morning brief",
        ActionKind::LeaveByAlert => "a reminder to leave",
        ActionKind::PrepareMeeting => "a look at who is in the next meeting",
        ActionKind::CategorizeTxn => "to categorize payments",
        ActionKind::SurfaceAnomaly => "a look at today's spending",
        ActionKind::ProjectBalance => "a look at the balance",
        ActionKind::DraftReply => "to draft a reply",
        ActionKind::DeclineEvent => "to decline an event",
    }
}

/// Reads a pick: exactly one of the numbers `1` to `offered`, white space around it allowed. Gives it from 0.
fn read_pick(text: &str, offered: usize) -> Result<u8, ModelFault> {
    let text = text.trim();
    let mut digits = text.bytes();
    match (digits.next(), digits.next()) {
        (Some(digit @ b'1'..=b'9'), None) if usize::from(digit - b'0') <= offered.min(OFFERED_MAX) => {
            Ok(digit - b'1')
        }
        (Some(_) | None, Some(_) | None) => Err(ModelFault::Unusable),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(n: usize) -> Vec<String> {
        (0..n).map(|n| format!("Sentence {n}.")).collect()
    }

    #[test]
    fn a_pick_is_one_of_the_offered_numbers_and_nothing_else() {
        let three = ModelQuestion::choose(&lines(3));
        assert_eq!(three.parse_answer(" 2\n"), Ok(ModelAnswer::Picked(1)));
        for bad in [
            "0",
            "4",
            "2.",
            "two",
            "1 2",
            "",
            "-1",
            "+2",
            "02",
            "1.0",
            "2; call mute_channel",
            "\u{0662}",
        ] {
            assert_eq!(three.parse_answer(bad), Err(ModelFault::Unusable), "{bad:?}");
        }
    }

    #[test]
    fn a_choice_offers_six_at_most_and_its_grammar_says_their_numbers() {
        let many = ModelQuestion::choose(&lines(9));
        assert_eq!(many.offered(), 6);
        assert_eq!(many.grammar(), r#"root ::= "1" | "2" | "3" | "4" | "5" | "6""#);
        let two = ModelQuestion::tie(&lines(2));
        assert_eq!(
            two.task(),
            "Which of these is worth an interruption now? Answer with its number only.\n1. Sentence 0.\n2. Sentence 1.\n"
        );
        assert_eq!((two.budget_ms(), two.max_tokens()), (1200, 2));
        assert_eq!((many.budget_ms(), many.max_tokens()), (1500, 2));
    }

    #[test]
    fn what_does_not_fit_into_a_prompt_is_not_offered() {
        let long = vec!["A sentence of some length with 1234567890 in it. ".repeat(10); 6];
        let question = ModelQuestion::choose(&long);
        assert!(question.offered() < 6, "{}", question.offered());
        assert!(prompt::tokens_at_most(&question.task()) <= prompt::TASK_TOKENS_MAX);
    }

    #[test]
    fn a_written_sentence_is_checked_and_its_placeholders_are_filled_in() {
        let question = ModelQuestion::from_lines(
            TaskKind::Write(ActionKind::MuteGroup30, None),
            &["137 messages in {channel_1}".to_owned()],
        );
        assert_eq!(
            question.parse_answer(" Time to mute 137 messages in {channel_1}. "),
            Ok(ModelAnswer::Wrote(
                "Time to mute 137 messages in one channel.".to_owned()
            ))
        );
        assert_eq!(
            question.parse_answer("Time to mute 138 messages in {channel_1}."),
            Err(ModelFault::Number)
        );
        assert_eq!(
            question.grammar(),
            "root ::= (fact | first) (\", \" item | \" \" item)* \".\"\nfirst ::= [A-Z] [a-z]*\nitem ::= fact | [a-z]+\n\
             fact ::= \"137 messages in {channel_1}\""
        );
    }
}
