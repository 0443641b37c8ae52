//! Two prompts that a person can choose in her client.
//!
//! What: words of ours, the same for everybody. Why: they show what Aura can be asked without a program that knows it. Not here: anything of
//! the owner's.

use rmcp::model::{GetPromptResult, Prompt, PromptMessage, Role};

/// Name, title, what it is for, and what it says.
const PROMPTS: [(&str, &str, &str, &str); 2] = [
    (
        "why_silent",
        "Why is Aura silent?",
        "Says why Aura does not speak at the moment, and when it could.",
        "Read the resources aura://now and aura://ledger. Say in two or three short sentences why Aura is silent at the moment and when it could \
         speak next: whether it is paused, whether do not disturb is on, how much of today's attention is left, and what has to change. Use only \
         what stands there.",
    ),
    (
        "my_day",
        "My day",
        "Looks for clashes and free time today.",
        "Use the tools of Aura that only read. Say in a few short sentences what of today clashes and where the next free hour is. Where a tool \
         is not there, leave that part out. Propose nothing to Aura unless I ask you to.",
    ),
];

/// The prompts as a client lists them.
pub(super) fn listed() -> Vec<Prompt> {
    PROMPTS
        .iter()
        .map(|(name, title, about, _)| Prompt::new(*name, Some(*about), None).with_title(*title))
        .collect()
}

/// The one of that name.
pub(super) fn prompt_named(name: &str) -> Option<GetPromptResult> {
    let (_, _, about, says) = PROMPTS.iter().find(|(known, ..)| *known == name)?;
    let message = PromptMessage::new_text(Role::User, *says);
    Some(GetPromptResult::new(vec![message]).with_description(*about))
}
