//! The sentence of a decision.
//!
//! What: what was asked for, what came closest, what was held back. Why: one place, ready for another language. Not here: which of them is said
//! (`render::sentence`), reasons and kinds by themselves (`why`, `kinds`).

use crate::language::{self, Language, Text, say, text};
use toolcall_schema::{ActionKind, ToolName, catalogue::learning::TeachingAct};

/// What the owner asked for; `None`: it is not known which tool that was.
pub fn asked_for(tool: Option<ToolName>) -> &'static str {
    let of = |one: ToolName| tool == Some(one);
    if of(ToolName::UnmuteChannel) {
        text("sentences-asked-for-you-ended-a")
    } else if of(ToolName::MuteChannel) {
        text("sentences-asked-for-you-muted-a")
    } else if of(ToolName::EndPause) {
        text("sentences-asked-for-you-ended-the")
    } else if of(ToolName::RemoveRule) {
        text("sentences-asked-for-you-took-a")
    } else if of(ToolName::LearnFromAct) {
        text("sentences-asked-for-i-learned-from")
    } else if of(ToolName::CorrectLearned) {
        text("sentences-asked-for-you-corrected-what")
    } else if of(ToolName::ResetLearned) {
        text("sentences-asked-for-you-had-me")
    } else if of(ToolName::JudgeSender) {
        text("sentences-asked-for-you-said-whether")
    } else if of(ToolName::AnswerQuestion) {
        text("sentences-asked-for-you-said-what")
    } else if of(ToolName::SamePerson) {
        text("sentences-asked-for-you-said-who")
    } else if of(ToolName::AllowSpending) {
        text("sentences-asked-for-you-said-what-2")
    } else if of(ToolName::SortShop) {
        text("sentences-asked-for-you-sorted-a")
    } else if of(ToolName::Snooze) {
        text("sentences-asked-for-you-put-a")
    } else if of(ToolName::TakeBack) {
        text("sentences-asked-for-you-took-back")
    } else if of(ToolName::AutoDecline) {
        text("sentences-asked-for-you-had-a-decline")
    } else if of(ToolName::DiscardDecline) {
        text("sentences-asked-for-you-discarded-the")
    } else if of(ToolName::HoldTime) {
        text("sentences-asked-for-you-kept-a")
    } else {
        text("sentences-asked-for-you-asked-for")
    }
}

/// What was learned from an act on a card, which `card` names; `None`: the act taught nothing. A chat that was muted teaches nothing but that.
pub fn lesson(kind: ActionKind, act: TeachingAct, card: &str) -> Option<String> {
    if kind == ActionKind::MuteGroup30 {
        return (act == TeachingAct::Confirmed).then(|| say!("sentences-lesson-muted", card));
    }
    Some(match act {
        TeachingAct::Confirmed => say!("sentences-lesson-confirmed", card),
        TeachingAct::Useful => say!("sentences-lesson-useful", card),
        TeachingAct::Dismissed => say!("sentences-lesson-dismissed", card),
        TeachingAct::Edited => say!("sentences-lesson-edited", card),
        TeachingAct::NotAbout => say!("sentences-lesson-not-about", card),
    })
}

/// Facts that begin a line each, one after the other. German writes its nouns large, so there each stays as it is.
pub fn one_sentence(facts: &[String]) -> String {
    let (first, others) = facts
        .split_first()
        .map_or(("", facts), |(first, others)| (first, others));
    others
        .iter()
        .fold(first.to_owned(), |said, next| match language::spoken() {
            Language::English => format!("{said}, {}", lower_first(next)),
            Language::German => format!("{said}. {next}"),
        })
}

/// A sentence that goes on after a comma or a colon.
pub fn lower_first(sentence: &str) -> String {
    let mut chars = sentence.chars();
    let first = chars.next().into_iter().flat_map(char::to_lowercase);
    first.chain(chars.clone()).collect()
}

/// It came back because the owner had put it off.
pub fn put_off_until_now(why: &str) -> String {
    say!("sentences-put-off-until-now", why)
}

/// It came because a program asks.
pub fn program_asks(why: &str) -> String {
    say!("sentences-program-asks", why)
}

/// What had been put off has gone.
pub const PUT_OFF_IS_GONE: Text = Text("sentences-put-off-is-gone");

/// The best of what was proposed was not worth it.
pub fn came_closest(what: &str) -> String {
    say!("sentences-came-closest", what)
}

/// Something was held back.
pub fn held_back(what: &str, reason: &str) -> String {
    say!("sentences-held-back", what, reason)
}

/// Who did not answer.
pub fn not_heard(who: &str) -> String {
    say!("sentences-not-heard", who)
}

/// A chat that is quiet already.
pub const ALREADY_MUTED: Text = Text("sentences-already-muted");
/// A rule of the owner's forbade it.
pub const RULE_FORBADE: Text = Text("sentences-rule-forbade");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::locale::speaking;

    #[test]
    fn facts_are_one_sentence_in_english_and_keep_their_capitals_in_german() {
        let said = |facts: [&str; 2]| one_sentence(&facts.map(str::to_owned));
        assert_eq!(
            said(["12 messages", "Load 42 of 100"]),
            "12 messages, load 42 of 100"
        );
        let german = speaking(Language::German, || {
            said(["12 Nachrichten", "Belastung 42 von 100"])
        });
        assert_eq!(german, "12 Nachrichten. Belastung 42 von 100");
        assert_eq!(one_sentence(&[]), "");
    }
}
