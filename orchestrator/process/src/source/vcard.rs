//! What of a card passes.
//!
//! What: [`names_alone`]: names, addresses and numbers. Why: nothing else of a card is wanted, so that no picture, birthday or note leaves the worker.
//! Not here: reading a card, and which of its properties are looked at (the Comms agent).

use agents::comms::CARD_PROPERTIES;

/// A card's ends and the properties that the agent looks at, each as it was written and folded (RFC 6350, 3.2).
pub(super) fn names_alone(card: &str) -> String {
    let mut kept = String::new();
    let mut is_wanted = false;
    for line in card.lines() {
        if !line.starts_with([' ', '\t']) {
            let name = line.split([':', ';']).next().unwrap_or_default();
            // A group stands before it: `item1.EMAIL`.
            let name = name.rsplit('.').next().unwrap_or_default().trim();
            let mut wanted = ["BEGIN", "END"].iter().chain(&CARD_PROPERTIES);
            is_wanted = wanted.any(|wanted| name.eq_ignore_ascii_case(wanted));
        }
        if is_wanted {
            kept.push_str(line);
            kept.push_str("\r\n");
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_birthdays_and_notes_stay_behind() {
        let card = "BEGIN:VCARD\nVERSION:3.0\nFN:Asha Rao\nitem1.EMAIL;TYPE=home:asha@exam\n ple.org\nBDAY:1990-01-01\nNOTE:secret\\n\n more\n\
                    PHOTO;ENCODING=b:AAAA\n BBBB\ntel:+49 30 1\nEND:VCARD";
        assert_eq!(
            names_alone(card),
            "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Asha Rao\r\nitem1.EMAIL;TYPE=home:asha@exam\r\n ple.org\r\ntel:+49 30 1\r\nEND:VCARD\r\n"
        );
    }
}
