//! Names within a bank's narration.
//!
//! What: [`path`], a narration that begins here; [`segment`], the part of one that names somebody. Why: the payee is one part of many.
//! Not here: names that stand in sentences (`payee`), narrations of statements (`sources`).

use super::{
    payee::{FoundPlaces, is_generic, is_how_word, segment_end},
    text::{MessageText, TextSpan},
    word_lists::PATH_HEADS,
};

/// `UPI/P2M/4312/NAME/ybl`, `NEFT-N123-NAME`.
pub(super) fn path(text: &MessageText, at: usize) -> Option<(String, TextSpan)> {
    if !PATH_HEADS.contains(&text.low(at)) {
        return None;
    }
    // Behind a slash it is a part of a path that began before.
    if at > 0 && text.is_sign(at - 1, &['/']) {
        return None;
    }
    let mut next = at + 1;
    if matches!(text.low(next), "cr" | "dr") {
        next += 1;
    }
    if !text.is_sign(next, &['/', '-', '*']) || text.is_spaced(next) || text.is_spaced(next + 1) {
        return None;
    }
    // Its number may look like an account or an amount.
    let to = segment_end(
        text,
        &FoundPlaces {
            taken: &[],
            accounts: &[],
        },
        at,
    );
    let span = text.span(at, to);
    let raw = text.written_at(span);
    if raw.matches(['/', '-', '*']).count() < 2 {
        return None;
    }
    Some((segment(raw)?, span))
}

/// The part of a narration that names somebody: `UPI/P2M/4312/NAME/ybl`, `ACH D- TP ACH NAME-123456`. Words that say how are left out.
pub(super) fn segment(raw: &str) -> Option<String> {
    let apart = |part: &str, hyphens: bool| -> Vec<String> {
        // A hyphen parts where a number, a space or a channel stands beside it; elsewhere it is a part of a name.
        let mut out = vec![String::new()];
        let chars: Vec<char> = part.chars().collect();
        for (i, c) in chars.iter().enumerate() {
            let near = |at: Option<usize>| {
                at.and_then(|at| chars.get(at))
                    .is_none_or(|c| c.is_whitespace() || c.is_ascii_digit())
            };
            let channel = out
                .last()
                .is_some_and(|head| head.split_whitespace().all(is_how_word));
            if *c == '-' && (hyphens || near(i.checked_sub(1)) || near(Some(i + 1)) || channel) {
                out.push(String::new());
            } else if let Some(last) = out.last_mut() {
                last.push(*c);
            }
        }
        out
    };
    let raw = raw.replace("M/S ", "M S ").replace("M/s ", "M s ");
    // A narration of many hyphens has them between its parts alone.
    let hyphens = raw.matches('-').count() >= 3;
    let parts: Vec<String> = raw
        .split(['/', '*', '|', ':'])
        .flat_map(|part| apart(part, hyphens))
        .collect();
    let named: Vec<String> = parts
        .iter()
        .map(|part| {
            let how = |word: &&str| {
                is_how_word(word) || word.eq_ignore_ascii_case("tp") || word.eq_ignore_ascii_case("d")
            };
            let words = part.split_whitespace().skip_while(how);
            words
                .filter(|word| word.bytes().filter(u8::is_ascii_digit).count() < 6)
                .collect::<Vec<_>>()
                .join(" ")
        })
        .filter(|part| {
            part.chars().filter(|c| c.is_alphabetic()).count() >= 3 && !is_generic(&part.to_lowercase())
        })
        .collect();
    // A payment address stands beside the name.
    let bare: Vec<&String> = named.iter().filter(|part| !part.contains('@')).collect();
    let named = if bare.is_empty() {
        named.iter().collect()
    } else {
        bare
    };
    let plain = |part: &&&String| !part.chars().any(|c| c.is_ascii_digit());
    named
        .iter()
        .find(plain)
        .or(named.first())
        .map(|name| name.trim_matches(|c: char| !c.is_alphanumeric()).to_owned())
}
