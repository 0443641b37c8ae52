//! What mails are to their owner: class, draft and evidence.

use super::super::{
    judging::{MailJudgement, OwnerIdentity, SenderStanding, judge_bytes},
    mail_pieces::MailPieces,
    mail_sentences::MailWords,
};
use toolcall_schema::catalogue::comms::{EvidenceCode, Intent, MessageClass};

const KNOWN: SenderStanding = SenderStanding {
    wrote_to: true,
    answered: 4,
    ignored: 0,
    taught: 0,
    answers_owner: false,
    knows_own_mail: false,
    let_through: false,
};

/// A head as a server of today leaves it: its sender proves to be who he says.
pub(super) const PROVEN: &str = "Received: from mx.example.net (mx.example.net [192.0.2.1]) by home.example.org; Tue, 3 Nov 2026 10:00:05 +0000\n\
                      Authentication-Results: home.example.org; dmarc=pass header.from=example.net\n\
                      From: Bo Lind <bo@example.net>\nMessage-ID: <1@example.net>\n";

pub(super) fn judged(head: &str, body: &str, sender: SenderStanding) -> MailJudgement {
    let names = ["rohan".to_owned()];
    let addresses = ["rohan@example.org".to_owned()];
    let owner = OwnerIdentity {
        names: &names,
        addresses: &addresses,
    };
    let mail = format!("{head}Date: Tue, 3 Nov 2026 10:00:00 +0000\n\n{body}").replace('\n', "\r\n");
    judge_bytes(mail.as_bytes(), &owner, &sender).unwrap_or_else(|| panic!("{head} is a mail"))
}

pub(super) const TO_ME: &str = "To: rohan@example.org\nSubject: soup\n";

#[test]
fn the_new_text_and_the_addressees_decide() {
    use MessageClass as Class;
    for (to, body, class) in [
        (TO_ME, "Could you please send me the recipe?", Class::NeedsYou),
        // The question is an earlier mail's.
        (
            "To: rohan@example.org\nSubject: Re: soup\nIn-Reply-To: <0@example.org>\n",
            "It was lovely.\n\nOn 2 Nov 2026, Rohan <rohan@example.org> wrote:\n> Could you please send me the recipe?\n",
            Class::Talk,
        ),
        // Asked of everybody.
        (
            "To: soup@lists.example.net\nList-Id: <soup.lists.example.net>\nSubject: pots\n",
            "Hi all, does anybody have a large pot? Could somebody please lend me one?",
            Class::Group,
        ),
        (
            TO_ME,
            "Hi Rohan,\n\nare you free for lunch on Thursday at 12:30? Which day would suit you?",
            Class::Date,
        ),
        (
            TO_ME,
            "Your invoice of EUR 48.00 is due on 14 November. Please pay by Friday; unpaid accounts are suspended.",
            Class::Bill,
        ),
        (TO_ME, "Thanks, that was lovely.", Class::Talk),
        // To nobody else, by name and with a day: it only thanks all the same.
        (
            TO_ME,
            "Hi Rohan,\n\nthank you for the pot, it is big enough. See you on Monday!",
            Class::Talk,
        ),
        (
            TO_ME,
            "Hi Rohan,\n\nthank you for the pot. Please send me the recipe. See you on Monday!",
            Class::NeedsYou,
        ),
    ] {
        let judgement = judged(&format!("{PROVEN}{to}"), body, KNOWN);
        assert_eq!(judgement.class, class, "{body} {:?}", judgement.evidence);
    }
}

#[test]
fn programs_want_nothing_but_codes_and_bills_are_kinds_of_their_own() {
    let head = |from: &str| PROVEN.replace("Bo Lind <bo@example.net>", from);
    for (from, body, class) in [
        (
            "Shop <no-reply@example.net>",
            "Could you please tell us how you liked the soup? Please answer today!",
            MessageClass::News,
        ),
        (
            "Bank <no-reply@example.net>",
            "Your verification code is 481902. It is valid for ten minutes.",
            MessageClass::Code,
        ),
        (
            "Water works <no-reply@example.net>",
            "Invoice 7 of EUR 120.50 is overdue. Please pay by Friday.",
            MessageClass::Bill,
        ),
    ] {
        let judgement = judged(&format!("{}{TO_ME}", head(from)), body, SenderStanding::default());
        assert_eq!((judgement.class, judgement.may_draft), (class, false), "{body}");
        assert!(
            judgement.evidence.contains(&EvidenceCode::NoReplySender),
            "{body}"
        );
    }
}

#[test]
fn a_draft_is_for_a_sender_the_owner_knows_or_who_names_him_alone() {
    let ask = "Could you please send me the recipe?";
    let stranger = SenderStanding::default();
    for (head, sender, draft) in [
        (format!("{PROVEN}{TO_ME}"), stranger, true),
        (
            format!("{PROVEN}To: rohan@example.org, asha@example.org\nSubject: soup\n"),
            stranger,
            false,
        ),
        (
            format!("{PROVEN}To: rohan@example.org, asha@example.org\nSubject: soup\n"),
            KNOWN,
            true,
        ),
        (
            format!("{PROVEN}To: rohan@example.org\nCc: asha@example.org\nSubject: soup\n"),
            stranger,
            false,
        ),
        (
            format!("{PROVEN}To: asha@example.org\nCc: rohan@example.org\nSubject: soup\n"),
            stranger,
            false,
        ),
        // A desk, a reply to nothing, answers that go elsewhere, a program.
        (
            PROVEN.replace("Bo Lind <bo@", "Soup <info@") + TO_ME,
            stranger,
            false,
        ),
        (
            format!("{PROVEN}To: rohan@example.org\nSubject: Re: soup\n"),
            stranger,
            false,
        ),
        (
            format!("{PROVEN}{TO_ME}Reply-To: bo@other.example\n"),
            stranger,
            false,
        ),
        (
            format!("{PROVEN}{TO_ME}Auto-Submitted: auto-generated\n"),
            KNOWN,
            false,
        ),
        // Through a list: whoever knows the sender may answer them.
        (
            format!("{PROVEN}{TO_ME}List-Id: <soup.example.net>\nList-Post: <mailto:soup@example.net>\n"),
            stranger,
            false,
        ),
    ] {
        assert_eq!(judged(&head, ask, sender).may_draft, draft, "{head}");
    }
}

/// A first mail is answered by hand where it could be written to thousands, however sound its head.
#[test]
fn a_stranger_who_could_have_written_to_anybody_gets_no_draft() {
    let wanted = "Hi Rohan, could you please send me the recipe of the soup by Friday?";
    let draft = |head: &str, body: &str| judged(head, body, SenderStanding::default()).may_draft;
    let head = format!("{PROVEN}{TO_ME}");
    assert!(draft(&head, wanted));
    let long = "We met the cooks of the town and wrote down what they said of pots and spoons, and of the fire below them. ".repeat(4);
    for body in [
        // A link, a sum of money, an account.
        format!("{wanted} It is on https://soup.example/recipe"),
        format!("{wanted} I pay 40 EUR for it."),
        format!("{wanted} My neue IBAN is below."),
        // A long text that calls nobody by name.
        format!("{long}Could you please send me the recipe of the soup?"),
    ] {
        assert!(!draft(&head, &body), "{body}");
        assert!(judged(&head, wanted, KNOWN).may_draft);
    }
    // It says that it answers: a mail of the owner's, or one that nobody knows.
    let head = format!("{PROVEN}To: rohan@example.org\nSubject: Re: soup\nIn-Reply-To: <0@example.org>\n");
    let knows_own_mail = SenderStanding {
        knows_own_mail: true,
        ..SenderStanding::default()
    };
    assert!(!judged(&head, wanted, knows_own_mail).may_draft);
    let answers = SenderStanding {
        answers_owner: true,
        ..knows_own_mail
    };
    assert!(judged(&head, wanted, answers).may_draft);
    // Where no mail of the owner's can be read, nobody can tell.
    assert!(draft(&head, wanted));
    // A head that pretends.
    let pretends = PROVEN.replace("<1@example.net>", "<001201c2a4f0$8a2b1c00$0100007f@example.net>") + TO_ME;
    assert!(!draft(&pretends, wanted));
    assert!(judged(&pretends, wanted, KNOWN).may_draft);
}

#[test]
fn a_question_that_is_put_to_whoever_is_answered_needs_him_though_a_list_reads_it() {
    let head = format!(
        "{PROVEN}To: rohan@example.org\nCc: soup@lists.example.net\nList-Id: <soup.lists.example.net>\n\
         Subject: Re: soup\nIn-Reply-To: <0@example.org>\n"
    );
    let quoted = "> the lid does not close for me\n\n";
    for (body, class) in [
        (
            "hm, could you check your version of the script?",
            MessageClass::NeedsYou,
        ),
        (
            "What do you mean by \"closes\"? Which version did you install?",
            MessageClass::NeedsYou,
        ),
        // A figure of speech.
        (
            "Well, who cares? Lids are for people without spoons.",
            MessageClass::Talk,
        ),
        (
            "That is how lids are. Mine closes since I cleaned it.",
            MessageClass::Talk,
        ),
    ] {
        let judgement = judged(&head, &format!("{quoted}{body}\n"), SenderStanding::default());
        assert_eq!(judgement.class, class, "{body} {:?}", judgement.evidence);
    }
    // It is the list's where the owner is not addressed.
    let to_list = head.replace("To: rohan@example.org\nCc: ", "To: ");
    let body = format!("{quoted}hm, could you check your version of the script?\n");
    assert_ne!(
        judged(&to_list, &body, SenderStanding::default()).class,
        MessageClass::NeedsYou
    );
}

#[test]
fn a_short_request_of_a_stranger_who_writes_to_nobody_else_gets_a_draft() {
    // With no server's line, as a saved file has it; through somebody else's server of today; by a server of 2002.
    let heads = [
        "From: Nadia Oriel <n.oriel@example.edu>\nMessage-ID: <good@example.edu>\n",
        "Received: from out.relay.example (out.relay.example [192.0.2.9]) by home.example.org with ESMTPS id a; Tue, 3 Nov 2026 10:00:05 +0000\n\
         From: Nadia Oriel <n.oriel@example.edu>\nMessage-ID: <1@relay.example>\n",
        "Received: from out.relay.example (out.relay.example [192.0.2.9]) by home.example.org; Tue, 3 Nov 2026 10:00:05 +0000\n\
         From: Nadia Oriel <n.oriel@example.edu>\nMessage-ID: <1@relay.example>\n",
    ];
    for head in heads {
        for body in [
            "Dear Rohan,\nplease send me the abstract by noon.\n",
            "rohan, could you please send me the abstract of your talk by noon?",
            "Hi Rohan, I could not open your abstract. Can you send it again as a PDF?",
            "Hallo Rohan, kannst du mir bitte den Schlüssel bringen?",
        ] {
            let head = format!(
                "{head}To: rohan@example.org\nContent-Type: text/plain; charset=utf-8\nSubject: Abstract\n"
            );
            let judgement = judged(&head, body, SenderStanding::default());
            assert_eq!(
                (judgement.class, judgement.may_draft),
                (MessageClass::NeedsYou, true),
                "{body} {:?}",
                judgement.evidence
            );
        }
    }
}

#[test]
fn what_programs_carry_for_people_and_what_they_only_tell_are_apart() {
    use MessageClass as Class;
    let head = |from: &str, subject: &str, more: &str| {
        format!(
            "{}To: rohan@example.org\nSubject: {subject}\n{more}",
            PROVEN.replace("Bo Lind <bo@example.net>", from)
        )
    };
    let html = "Content-Type: text/html; charset=utf-8\n";
    let calendar = |method: &str| format!("Content-Type: text/calendar; method={method}\n");
    for (head, body, class, draft) in [
        // A person waits behind a program, which takes no answer.
        (
            head("Mira via Sheets <no-reply@example.net>", "Share request", ""),
            "Mira is requesting access to the folder Soups. She wants to print them.",
            Class::NeedsYou,
            false,
        ),
        (
            head(
                "Mira <notifications@example.net>",
                "Re: pots",
                "List-Id: <pots.example.net>\n",
            ),
            "was the lid meant to be open?\n\n-- \nYou are receiving this because you were mentioned.",
            Class::NeedsYou,
            false,
        ),
        // A desk whose answers are read, and its receipt. Who is no stranger to the desk gets a draft, below.
        (
            head(
                "Oddvar <tickets@example.net>",
                "Your request",
                "Auto-Submitted: auto-generated\n",
            ),
            "-- Please type your reply above this line --\nHi Rohan, could you please send me the frame number?",
            Class::NeedsYou,
            false,
        ),
        (
            head(
                "Oddvar <tickets@example.net>",
                "Your request",
                "Auto-Submitted: auto-replied\n",
            ),
            "-- Please type your reply above this line --\nWe received your request. Could you please wait?",
            Class::News,
            false,
        ),
        // Laid out by a desk.
        (
            head("Soup school <hello@example.net>", "Ready?", html),
            "<table><tr><td>What are you cooking on Sunday? Could you send us a picture of your soup?</td></tr></table>",
            Class::News,
            false,
        ),
        // A calendar program answers, or asks and takes the answer itself.
        (
            head("Bo Lind <bo@example.net>", "Accepted: lunch?", &calendar("REPLY")),
            "BEGIN:VCALENDAR\nEND:VCALENDAR\n",
            Class::News,
            false,
        ),
        (
            head(
                "Bo Lind <bo@example.net>",
                "Invitation: lunch?",
                &calendar("REQUEST"),
            ),
            "BEGIN:VCALENDAR\nEND:VCALENDAR\n",
            Class::Date,
            false,
        ),
        // A link in HTML to confirm what was asked for.
        (
            head("Shop <account@example.net>", "Forgot your password?", html),
            "<p>Choose a new password within the hour.</p><p><a href=\"https://example.net/r\">Go on</a></p>",
            Class::Code,
            false,
        ),
    ] {
        let judgement = judged(&head, body, SenderStanding::default());
        assert_eq!(
            (judgement.class, judgement.may_draft),
            (class, draft),
            "{body} {:?}",
            judgement.evidence
        );
        // Of a sender the owner wrote to, the desk alone has somebody who reads an answer.
        let desk = class == Class::NeedsYou && body.contains("above this line");
        assert_eq!(judged(&head, body, KNOWN).may_draft, desk, "{body}");
    }
}

#[test]
fn a_question_needs_no_sign_and_may_stand_in_the_subject_alone() {
    let head = |subject: &str| format!("{PROVEN}To: rohan@example.org\nSubject: {subject}\n");
    for (subject, body) in [
        (
            "tent",
            "did the poles turn up at yours or do i have to buy new ones before friday",
        ),
        ("Ship now or wait for the next firmware?", "See subject."),
    ] {
        let judgement = judged(&head(subject), body, SenderStanding::default());
        assert_eq!(
            judgement.class,
            MessageClass::NeedsYou,
            "{body} {:?}",
            judgement.evidence
        );
    }
    for body in [
        "do the dishes, said the cook, and we all laughed",
        "Had a lovely time.",
    ] {
        let judgement = judged(&head("soup"), body, SenderStanding::default());
        assert_eq!(
            judgement.class,
            MessageClass::Talk,
            "{body} {:?}",
            judgement.evidence
        );
    }
}

#[test]
fn what_is_said_to_strangers_to_sell_or_steal_speaks_against_them_and_not_against_the_known() {
    let pitch = "Hi there, are you open to guest posts or link insertions? I can send you the free audit report, so that you rank on google.";
    let head = format!("{PROVEN}{TO_ME}");
    let stranger = judged(&head, pitch, SenderStanding::default());
    assert!(
        !stranger.may_draft && stranger.intent != Intent::Actionable,
        "{:?}",
        stranger.evidence
    );
    let plain = judged(
        &head,
        "Hi there, are you open to soup? I can send you the recipe, so that you can cook.",
        SenderStanding::default(),
    );
    assert!(plain.spam < stranger.spam);
    let known = judged(&head, pitch, KNOWN);
    assert!(known.may_draft, "{:?}", known.evidence);
}

#[test]
fn what_an_earlier_server_or_a_forged_name_says_counts() {
    let ask = "Could you please send me the recipe?";
    let spam = judged(
        &format!("{PROVEN}X-Spam-Flag: YES\n{TO_ME}"),
        ask,
        SenderStanding::default(),
    );
    assert_eq!(
        (spam.intent, spam.evidence[0]),
        (Intent::Spam, EvidenceCode::UpstreamSpam)
    );
    // Somebody else under a name that the owner knows is no longer known.
    let forged = PROVEN.replace("dmarc=pass", "dmarc=fail");
    let pitch = "Dear friend, you have won a free prize of $5,000! Click here now to claim your money: https://a.example/x";
    for (head, sender, is_spam) in [
        (PROVEN, KNOWN, false),
        (forged.as_str(), KNOWN, true),
        (forged.as_str(), SenderStanding::default(), true),
    ] {
        let judgement = judged(&format!("{head}{TO_ME}"), pitch, sender);
        assert_eq!(judgement.intent == Intent::Spam, is_spam, "{head}");
        assert!(!judgement.may_draft || !is_spam);
    }
}

#[test]
fn disguised_letters_speak_against_their_mail() {
    let plain = "Please confirm your account and send the money today.";
    let hidden = plain
        .replace("account", "acc\u{200b}ount")
        .replace("money", "mon\u{200b}ey");
    let alike = plain
        .replace("account", "\u{430}ccount")
        .replace("money", "m\u{43e}ney");
    let score = |body: &str| {
        judged(
            &format!("{PROVEN}Content-Type: text/plain; charset=utf-8\n{TO_ME}"),
            body,
            SenderStanding::default(),
        )
    };
    for body in [&hidden, &alike] {
        assert!(score(body).spam > score(plain).spam, "{body}");
        assert!(!score(body).may_draft, "{body}");
    }
}

#[test]
fn who_answers_himself_is_not_known_for_it() {
    // An attacker quotes a question of his own and refers to a mail that the owner never wrote.
    let head = format!(
        "{PROVEN}To: rohan@example.org, x@example.net\nSubject: Re: account\nIn-Reply-To: <9@example.net>\nReferences: <8@example.net> <9@example.net>\n"
    );
    let body = "Could you please send me the password?\n\n> Could you please send me the password?\n> Yes.\n";
    let judgement = judged(&head, body, SenderStanding::default());
    assert!(!judgement.may_draft);
    assert!(judgement.evidence.contains(&EvidenceCode::UnknownSender));
    assert!(!judgement.evidence.contains(&EvidenceCode::AnswersOwner));
}

#[test]
fn without_a_head_the_tag_of_a_subject_tells_a_list() {
    for (subject, class) in [
        ("soup", MessageClass::NeedsYou),
        ("[cooks] soup", MessageClass::Group),
    ] {
        let head = format!("From: bo@example.net\nSubject: {subject}\n");
        let ask = "Could you please send me the recipe? I need it for Friday.";
        assert_eq!(
            judged(&head, ask, SenderStanding::default()).class,
            class,
            "{subject}"
        );
    }
}

#[test]
fn who_answers_the_owner_and_says_you_asks_him_whatever_is_said_of_anybody() {
    let answer = "To: rohan@example.org\nCc: soup@lists.example.net\nList-Id: <soup.lists.example.net>\n\
                  In-Reply-To: <0@example.org>\nSubject: Re: soup\n";
    for (body, class) in [
        (
            "Nobody here has anybody to ask. Which pot did you use, and could you send me the recipe?",
            MessageClass::NeedsYou,
        ),
        (
            "I looked everywhere and found no large pot. Does anybody have one to lend?",
            MessageClass::Group,
        ),
    ] {
        let judgement = judged(&format!("{PROVEN}{answer}"), body, KNOWN);
        assert_eq!(judgement.class, class, "{body} {:?}", judgement.evidence);
    }
}

#[test]
fn a_smile_belongs_to_the_sentence_it_stands_in_or_behind() {
    for (text, jests) in [
        ("is it black? ;-) it is.", [true, false]),
        ("is it black? it is :)", [false, true]),
        ("is it black? it is.", [false, false]),
    ] {
        let pieces = MailPieces::split(text);
        let found = MailWords::split(&pieces, 100);
        let told: Vec<bool> = found.sentences.iter().map(|sentence| sentence.jests).collect();
        assert_eq!(told, jests, "{text}");
        assert_eq!(found.jests, jests.into_iter().filter(|is| *is).count(), "{text}");
    }
}

#[test]
fn the_address_of_a_list_is_nobodys_own() {
    let ask = "Could you please send me the recipe? I need it for Friday.";
    for (post, class) in [
        ("<mailto:rohan@example.org>", MessageClass::Group),
        ("<mailto:Rohan@Example.org?subject=x>", MessageClass::Group),
        ("<mailto:cooks@example.org>", MessageClass::NeedsYou),
        ("NO", MessageClass::NeedsYou),
    ] {
        let head = format!("{PROVEN}List-Id: <cooks.example.org>\nList-Post: {post}\n{TO_ME}");
        assert_eq!(
            judged(&head, ask, SenderStanding::default()).class,
            class,
            "{post}"
        );
    }
}

#[test]
fn quotation_of_a_megabyte_is_not_judged() {
    let quoted = "> Could you please send me the recipe today?\n".repeat(25_000);
    let head = format!("{PROVEN}To: rohan@example.org\nSubject: Re: soup\nIn-Reply-To: <0@example.org>\n");
    let judgement = judged(
        &head,
        &format!("It was lovely.\n\n{quoted}"),
        SenderStanding::default(),
    );
    assert_eq!(judgement.class, MessageClass::Talk);
    // Nor does the text lose itself behind it.
    let judgement = judged(
        &head,
        &format!("{quoted}\nCould you please send me the recipe?\n"),
        SenderStanding::default(),
    );
    assert_eq!(judgement.class, MessageClass::NeedsYou);
}

#[test]
fn a_spammer_who_quotes_himself_is_read() {
    let pitch =
        "> You have won a free prize! Click here to claim your money now, 100% free, no obligation.\n"
            .repeat(6);
    let head = "Received: from a.example by home.example.org; Tue, 3 Nov 2026 10:00:05 +0000\nFrom: win999@b.example\nTo: rohan@example.org\nSubject: FREE MONEY NOW!!\n";
    assert_eq!(
        judged(head, &pitch, SenderStanding::default()).class,
        MessageClass::Spam
    );
}

/// What plain words of a list say is one fact among many: these are told by what else stands in them.
#[test]
fn bills_and_times_are_told_in_words_that_no_list_holds() {
    let shop = PROVEN.replace("Bo Lind <bo@example.net>", "Water works <no-reply@example.net>");
    for (head, body, class) in [
        (
            shop.as_str(),
            "Dear Rohan,\n\nyour statement for October is ready. The total of EUR 63.20 will be collected by direct debit on 12 November. If the account does not hold enough by then, a late fee of EUR 9 is added.",
            MessageClass::Bill,
        ),
        (
            PROVEN,
            "Hi Rohan,\n\nI can do Wednesday after four or any time on Thursday, whichever is easier for you. My office or yours?\n\nBo",
            MessageClass::Date,
        ),
        // A number, a day and a time of day, and nothing to agree on.
        (
            shop.as_str(),
            "Dear Rohan,\n\nyour parcel 48120 left our store on Monday at 10:30. You need to do nothing.",
            MessageClass::News,
        ),
    ] {
        let judgement = judged(&format!("{head}{TO_ME}"), body, KNOWN);
        assert_eq!(judgement.class, class, "{body} {:?}", judgement.evidence);
    }
}

#[test]
fn a_sum_and_a_day_in_passing_are_no_bill() {
    for body in [
        "The pot cost EUR 40 in the end, and we had it by Thursday.",
        "I gave $31.50 for mine in the end, and it came on Friday.",
    ] {
        let judgement = judged(&format!("{PROVEN}{TO_ME}"), body, KNOWN);
        assert_ne!(judgement.class, MessageClass::Bill, "{body}");
    }
}
