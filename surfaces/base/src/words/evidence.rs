//! Why a message has its class, in words.
//!
//! What: a phrase for each code of evidence, and the phrases of one judgement joined. Why: the drawer says on what an offer rests, and
//! never quotes a word of the message. Not here: what was learned of a sender (`learned`), the drawer (`render::drawer`).

use crate::language::text;
use toolcall_schema::catalogue::comms::EvidenceCode;

/// What a code says of a message: "it asks a question".
pub fn evidence(code: EvidenceCode) -> &'static str {
    match code {
        EvidenceCode::AutomaticSender => text("evidence-evidence-a-program-sent"),
        EvidenceCode::ListMail => text("evidence-evidence-it-came-through"),
        EvidenceCode::NoReplySender => text("evidence-evidence-its-sender-takes"),
        EvidenceCode::UpstreamSpam => text("evidence-evidence-your-mail-server"),
        EvidenceCode::UnknownSender => text("evidence-evidence-you-never-wrote"),
        EvidenceCode::SpamText => text("evidence-evidence-it-reads-like"),
        EvidenceCode::ForgedSender => text("evidence-evidence-it-does-not"),
        EvidenceCode::AsksQuestion => text("evidence-evidence-it-asks-a"),
        EvidenceCode::AsksFavour => text("evidence-evidence-it-asks-for"),
        EvidenceCode::AddressedAlone => text("evidence-evidence-it-is-to"),
        EvidenceCode::Named => text("evidence-evidence-it-names-you"),
        EvidenceCode::CopiedOnly => text("evidence-evidence-you-only-get"),
        EvidenceCode::AnswersOwner => text("evidence-evidence-it-answers-a"),
        EvidenceCode::NamesDeadline => text("evidence-evidence-it-names-a"),
        EvidenceCode::NamesAmount => text("evidence-evidence-it-names-an"),
        EvidenceCode::NamesCode => text("evidence-evidence-it-holds-a"),
        EvidenceCode::ProposesTime => text("evidence-evidence-it-proposes-a"),
        EvidenceCode::ThanksOnly => text("evidence-evidence-it-only-thanks"),
        EvidenceCode::NeverAnswered => text("evidence-evidence-you-never-answered"),
        EvidenceCode::OftenAnswered => text("evidence-evidence-you-often-answer"),
        EvidenceCode::Taught => text("evidence-evidence-you-taught-it"),
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
