//! The language of sentences within JSON.
//!
//! What: [`in_language_of`]. Why: a document of JSON is a record: it says the same in each language, also where it holds sentences. Not here: the
//! language that a command speaks otherwise (`locale`).

use surfaces_base::{language::Language, locale};

/// Does what makes sentences: in English where they go into JSON.
pub(crate) fn in_language_of<T>(json: bool, work: impl FnOnce() -> T) -> T {
    if json {
        locale::speaking(Language::English, work)
    } else {
        work()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use surfaces_base::language::spoken;

    #[test]
    fn json_has_its_sentences_in_english() {
        let spoken_with = |json| locale::speaking(Language::German, || in_language_of(json, spoken));
        assert_eq!(spoken_with(true), Language::English);
        assert_eq!(spoken_with(false), Language::German);
    }
}
