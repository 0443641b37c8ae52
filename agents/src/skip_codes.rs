//! What the code of something that was not read means to whoever shows it.
//!
//! What: the codes of a source that was not read to its end, of what was left out for its age, and of what is asked about. Why: reports and commands ask for the
//! meaning and list no codes of their own. Not here: the codes with their sentences (`shared` and each agent's `code`).

use crate::{finance, wellness};
use agents_base::shared::{FILE_TOO_LARGE, SOURCE_UNREADABLE, TOO_MANY_FILES};

/// Whether a source was not read to its end: it cannot be read, or is larger than what is read of one.
pub fn is_source_cut_short(code: &str) -> bool {
    [SOURCE_UNREADABLE, FILE_TOO_LARGE, TOO_MANY_FILES]
        .iter()
        .any(|skip| skip.code == code)
}

/// Whether something was left out for its age alone: a clock that was wrong is a reason to read it once more.
pub fn is_for_age(code: &str) -> bool {
    [finance::code::TOO_OLD, wellness::code::TOO_OLD]
        .iter()
        .any(|skip| skip.code == code)
}

/// Whether a file is left out until its owner answers what it does not say.
pub fn is_asked(code: &str) -> bool {
    code == finance::code::QUESTION.code
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_mean_what_their_pages_say() {
        for (code, cut_short, for_age) in [
            ("AGENT-001", true, false),
            ("AGENT-002", true, false),
            ("AGENT-003", false, false),
            ("AGENT-006", true, false),
            ("AGENT-010", false, false),
            ("AGENT-115", false, true),
            ("AGENT-215", false, true),
            ("AGENT-214", false, false),
            ("", false, false),
        ] {
            assert_eq!(
                (is_source_cut_short(code), is_for_age(code)),
                (cut_short, for_age),
                "{code}"
            );
        }
    }
}
