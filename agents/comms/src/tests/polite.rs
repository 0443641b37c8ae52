//! Requests without a question mark in several languages, and what only looks like one; days by which something is to be handed in; shared files.

use super::judged_mail::{PROVEN, TO_ME, judged};
use crate::judging::SenderStanding;
use toolcall_schema::catalogue::comms::MessageClass;

const KNOWN: SenderStanding = SenderStanding {
    wrote_to: true,
    answered: 4,
    ignored: 0,
    taught: 0,
    answers_owner: false,
    knows_own_mail: false,
    let_through: false,
};

#[test]
fn who_asks_politely_asks() {
    for body in [
        "Hallo Rohan,\n\nkönnten Sie mir bitte noch den Termin bestätigen.\n\nViele Grüße\nBo",
        "Sehr geehrter Herr Rohan,\n\nbitte schicken Sie mir den Vertrag unterschrieben zurück.\n\nMit freundlichen Grüßen\nBo Lind",
        "Hallo Rohan, ich bräuchte noch den Schlüssel vom Keller.",
        "Hallo Rohan, schick mir bitte noch die Fotos vom Fest.",
        "Guten Tag, bitte noch kurz bestätigen, dann bestelle ich das Holz.",
        "Hallo Rohan, kannst du mir bitte den Namen der Firma sagen.",
        "Bonjour Rohan,\n\npourriez-vous me confirmer la date de livraison.\n\nBo",
        "Bonjour, merci de nous transmettre une copie du contrat signé.",
        "Bonjour Rohan, il nous manque encore votre attestation. Veuillez nous la renvoyer signée.",
        "Hola Rohan, por favor envíame las fotos de la fiesta.",
        "Hola Rohan, te agradecería que me confirmaras la dirección.",
        "Rohan, photo bhej dena please, dukaan wala maang raha hai.",
        "Dear Rohan, kindly share the signed form and revert at the earliest.",
    ] {
        let judgement = judged(&format!("{PROVEN}{TO_ME}"), body, KNOWN);
        assert_eq!(
            judgement.class,
            MessageClass::NeedsYou,
            "{body} {:?}",
            judgement.evidence
        );
    }
}

#[test]
fn thanks_and_news_in_other_languages_ask_nothing() {
    for body in [
        "Hallo Rohan, vielen Dank für die Fotos, sie sind alle angekommen. Bis bald!",
        "Hallo Rohan, das Holz ist bestellt und kommt in drei Wochen. Viele Grüße",
        "Hallo Rohan, zur Info: der Schlüssel liegt im Kasten. Sie müssen nichts mehr tun.",
        "Bonjour Rohan, bien reçu, merci beaucoup pour le contrat. Bonne soirée.",
        "Hola Rohan, perfecto, ya las tengo. Muchas gracias por todo.",
        "Rohan, photo mil gayi, thank you. Kaam ho gaya.",
        "Received with thanks, the form is in order.",
    ] {
        let judgement = judged(&format!("{PROVEN}{TO_ME}"), body, KNOWN);
        assert_eq!(
            judgement.class,
            MessageClass::Talk,
            "{body} {:?}",
            judgement.evidence
        );
    }
}

#[test]
fn a_day_by_which_something_is_handed_in_is_a_deadline() {
    let head = PROVEN.replace("Bo Lind <bo@example.net>", "Filings <no-reply@example.net>");
    for (body, class) in [
        (
            "The annual return of SOUP LIMITED must be filed by 30 November 2026.",
            MessageClass::Bill,
        ),
        (
            "Your module choices must be submitted by noon on 12 November. Late choices are not considered.",
            MessageClass::Bill,
        ),
        (
            "The final report is due by 30 November 2026. Submit it before then in the portal.",
            MessageClass::Bill,
        ),
        (
            "Die Steuererklärung ist bis zum 30. November 2026 einzureichen.",
            MessageClass::Bill,
        ),
        // It was handed in, or something is to be won.
        (
            "The annual return of SOUP LIMITED was accepted on 3 November 2026.",
            MessageClass::News,
        ),
        (
            "Photos must be submitted by 30 November for a chance to win a pot. Good luck!",
            MessageClass::News,
        ),
    ] {
        let judgement = judged(&format!("{head}{TO_ME}"), body, SenderStanding::default());
        assert_eq!(
            (judgement.class, judgement.may_draft),
            (class, false),
            "{body} {:?}",
            judgement.evidence
        );
    }
}

#[test]
fn a_shared_file_is_news_and_no_spam() {
    let head = PROVEN.replace(
        "Bo Lind <bo@example.net>",
        "Bo Lind via Papers <share-noreply@example.net>",
    );
    for body in [
        "Bo Lind shared a document with you\n\nRecipes 2026\nOpen https://papers.example.net/d/1\n",
        "Bo Lind hat ein Dokument für Sie freigegeben.\n\nRezepte 2026\nIm Browser öffnen https://papers.example.net/d/1\n",
        "Bo Lind a partagé un fichier avec vous.\n\nRecettes\nOuvrir https://papers.example.net/d/1\n",
        "Bo Lind ha compartido contigo un documento.\n\nAbrir https://papers.example.net/d/1\n",
    ] {
        let judgement = judged(&format!("{head}{TO_ME}"), body, SenderStanding::default());
        assert_eq!(
            (judgement.class, judgement.may_draft),
            (MessageClass::News, false),
            "{body} {:?} {:?}",
            judgement.evidence,
            judgement.spam
        );
    }
}
