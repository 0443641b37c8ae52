//! What is said of muting a person.
//!
//! What: what a mute of somebody, and a rule against them, do. Why: they are said where they are set. Not here: chats (`people`), rules in words
//! (`owner`).

/// What muting somebody does.
pub fn muted_person(name: &str) -> String {
    format!(
        "Muted, I do not speak of what {name} writes, in whichever chat or mail. Your brief counts it all the same."
    )
}

/// The same for good.
pub fn nothing_of(name: &str) -> String {
    format!("I will not speak of anything that {name} writes any more. Your brief counts it all the same.")
}
