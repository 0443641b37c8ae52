//! Traces by the beginning of their id.
//!
//! What: [`TraceRef`]: an id, a beginning that no other id has, or `last`. Why: nobody types fifteen letters. Not here: looking for it (`records`, the
//! service).

use surfaces_base::language;

/// The one that is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TraceRef {
    Last,
    /// An id, or a beginning of one, with its `tr_`.
    Beginning(String),
}

impl TraceRef {
    /// Takes `last`, an id, or a beginning of one with or without `tr_`.
    ///
    /// # Errors
    /// What it has to be.
    pub(crate) fn parse(text: &str) -> Result<Self, &'static str> {
        if text == "last" {
            return Ok(TraceRef::Last);
        }
        let tail = text.strip_prefix("tr_").unwrap_or(text);
        let fits = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
        if (1..=12).contains(&tail.len()) && tail.bytes().all(fits) {
            Ok(TraceRef::Beginning(format!("tr_{tail}")))
        } else {
            Err(language::text("cli-trace-no-id"))
        }
    }

    /// The beginning; `None`: the last.
    pub(crate) fn beginning(&self) -> Option<&str> {
        match self {
            TraceRef::Last => None,
            TraceRef::Beginning(text) => Some(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginning_has_letters_and_digits_with_or_without_its_prefix() {
        let beginning = |text: &str| Ok(TraceRef::Beginning(text.to_owned()));
        assert_eq!(TraceRef::parse("last"), Ok(TraceRef::Last));
        for text in ["tr_0", "0"] {
            assert_eq!(TraceRef::parse(text), beginning("tr_0"));
        }
        assert_eq!(TraceRef::parse("tr_0123456789ab"), beginning("tr_0123456789ab"));
        for text in ["", "tr_", "tr_0123456789abc", "TR_0", "a b", "ä", "%", "tr_last "] {
            assert!(TraceRef::parse(text).is_err(), "{text:?}");
        }
    }
}
