//! Why a message has its class, in words.
//!
//! What: a phrase for each code of evidence, and the phrases of one judgement joined. Why: the drawer says on what an offer rests, and
//! never quotes a word of the message. Not here: what was learned of a sender (`learned`), the drawer (`render::drawer`).

use toolcall_schema::catalogue::comms::EvidenceCode;

/// What a code says of a message: "it asks a question".
pub fn evidence(code: EvidenceCode) -> &'static str {
    match code {
        EvidenceCode::AutomaticSender => "a program sent it",
        EvidenceCode::ListMail => "it came through a mailing list",
        EvidenceCode::NoReplySender => "its sender takes no replies",
        EvidenceCode::UpstreamSpam => "your mail server calls it spam",
        EvidenceCode::UnknownSender => "you never wrote to its sender",
        EvidenceCode::SpamText => "it reads like spam",
        EvidenceCode::ForgedSender => "it does not come from whom it says",
        EvidenceCode::AsksQuestion => "it asks a question",
        EvidenceCode::AsksFavour => "it asks for something to be done",
        EvidenceCode::AddressedAlone => "it is to you alone",
        EvidenceCode::Named => "it names you",
        EvidenceCode::CopiedOnly => "you only get a copy",
        EvidenceCode::AnswersOwner => "it answers a mail of yours",
        EvidenceCode::NamesDeadline => "it names a deadline",
        EvidenceCode::NamesAmount => "it names an amount of money",
        EvidenceCode::NamesCode => "it holds a security code",
        EvidenceCode::ProposesTime => "it proposes a time",
        EvidenceCode::ThanksOnly => "it only thanks",
        EvidenceCode::NeverAnswered => "you never answered its sender or list",
        EvidenceCode::OftenAnswered => "you often answer its sender",
        EvidenceCode::Taught => "you taught it by what you did before",
    }
}

/// The phrases of a judgement, joined; nothing for none.
pub fn because(codes: &[EvidenceCode]) -> String {
    codes
        .iter()
        .map(|code| evidence(*code))
        .collect::<Vec<_>>()
        .join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_a_phrase_of_its_own_that_fits_into_a_sentence() {
        let mut phrases: Vec<&str> = EvidenceCode::ALL.iter().map(|code| evidence(*code)).collect();
        for phrase in &phrases {
            assert!(
                phrase.contains(' ') && phrase.chars().next().is_some_and(char::is_lowercase),
                "{phrase}"
            );
            assert!(!phrase.contains(['_', ',', '.']), "{phrase}");
        }
        phrases.sort_unstable();
        phrases.dedup();
        assert_eq!(phrases.len(), EvidenceCode::ALL.len());
    }

    #[test]
    fn the_strongest_stands_first() {
        let codes = [EvidenceCode::AsksQuestion, EvidenceCode::Named];
        assert_eq!(because(&codes), "it asks a question, it names you");
        assert_eq!(because(&[]), "");
    }
}
