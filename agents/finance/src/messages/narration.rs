//! Names within a bank's narration.
//!
//! What: [`label_value`], what stands behind a label; [`path`], a narration that begins here; [`segment`], the part of one that names somebody. Why: the payee is one part of many.
//! Not here: names that stand in sentences (`payee`), narrations of statements (`sources`).

use super::{
    dates::month,
    no_names::{is_generic, is_how_word},
    payee::{FoundPlaces, name_behind, segment_end},
    text::{MessageText, TextSpan, TokenKind},
    word_lists::{BEFORE_NARRATED, NAME_ENDS, NARRATION_LABELS, PATH_HEADS},
};

/// Who stands behind a label.
pub(super) fn label_value(
    text: &MessageText,
    places: &FoundPlaces<'_>,
    at: usize,
) -> Option<(String, TextSpan)> {
    let mut next = at + 1;
    while text.is_sign(next, &[':', '-', '.', '=']) {
        next += 1;
    }
    if matches!(text.low(next), "name" | "is") {
        next += 1;
        while text.is_sign(next, &[':']) {
            next += 1;
        }
    }
    if NARRATION_LABELS.contains(&text.low(at)) {
        let to = segment_end(text, places, next);
        let span = text.span(next, to);
        let raw = text.written_at(span);
        let named = segment(raw).map(|name| (name, span));
        if raw.contains('*')
            || (named.is_some() && (raw.contains('/') || raw.get(..8).is_some_and(|head| head.contains('-'))))
        {
            return named;
        }
    }
    // "Details: SALARY TRANSFER NAME": how, before who.
    if NARRATION_LABELS.contains(&text.low(at)) {
        while BEFORE_NARRATED.contains(&text.low(next))
            && text.kind(next + 1) == TokenKind::Word
            && text.sentence(next + 1) == text.sentence(next)
            && !NAME_ENDS.contains(&text.low(next + 1))
        {
            next += 1;
        }
    }
    name_behind(text, places, next)
}

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
            // "NAME LTD-P400PPS112": a number of theirs behind the name.
            let code = chars.get(i + 1..).is_some_and(|behind| {
                let run = behind.iter().take_while(|c| c.is_alphanumeric());
                run.filter(|c| c.is_ascii_digit()).count() >= 4
            });
            let channel = out
                .last()
                .is_some_and(|head| head.split_whitespace().all(is_how_word));
            if *c == '-' && (hyphens || near(i.checked_sub(1)) || near(Some(i + 1)) || code || channel) {
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
            let low = part.to_lowercase();
            let months = low.split_whitespace().all(|word| month(word).is_some());
            part.chars().filter(|c| c.is_alphabetic()).count() >= 3 && !months && !is_generic(&low)
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
    // "UPI/SIBL/533198771200/NAME": a bank's four letters, and who behind the number.
    let place = |wanted: &str| parts.iter().position(|part| part.trim() == wanted);
    let number = parts
        .iter()
        .position(|part| part.bytes().filter(u8::is_ascii_digit).count() >= 6);
    let is_bank = |part: &&&String| {
        part.len() == 4 && part.bytes().all(|b| b.is_ascii_uppercase()) && place(part) < number
    };
    let behind = named.iter().filter(|part| place(part) > number);
    named
        .iter()
        .find(|part| plain(part) && !is_bank(part))
        .filter(|_| number.is_some() && behind.count() > 0)
        .or_else(|| named.iter().find(plain))
        .or(named.first())
        .map(|name| name.trim_matches(|c: char| !c.is_alphanumeric()).to_owned())
}
