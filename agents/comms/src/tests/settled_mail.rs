//! What is settled, whatever a scorer makes of its words.

use super::judged_mail::{PROVEN, TO_ME, judged};
use crate::judging::SenderStanding;
use toolcall_schema::catalogue::comms::MessageClass as Class;

fn from(sender: &str) -> String {
    PROVEN.replace("Bo Lind <bo@example.net>", sender)
}

fn all_are(rows: &[(String, &str, Class)]) {
    for (head, body, class) in rows {
        let judgement = judged(head, body, SenderStanding::default());
        assert_eq!(judgement.class, *class, "{body} {:?}", judgement.evidence);
    }
}

#[test]
fn what_is_collected_or_not_owed_is_no_bill_and_what_may_fail_is() {
    let works = format!("{}{TO_ME}", from("Water works <no-reply@example.net>"));
    all_are(&[
        (
            works.clone(),
            "Dear Rohan,\n\nyour invoice for October is ready. The amount of EUR 63.20 will be debited from your account on 12 November. You do not need to do anything.",
            Class::News,
        ),
        (
            works.clone(),
            "Guten Tag,\n\nIhre Rechnung für Oktober steht bereit. Der Betrag von 63,20 EUR wird am 12.11.2026 von Ihrem Konto abgebucht. Sie müssen nichts weiter tun.",
            Class::News,
        ),
        (
            works.clone(),
            "Your statement for October is ready. Nothing is due. Due date: none.",
            Class::News,
        ),
        (
            works.clone(),
            "Ihre Rechnung über 63,20 EUR konnte nicht von Ihrem Konto abgebucht werden. Bitte überweisen Sie den Betrag bis zum 12.11.2026.",
            Class::Bill,
        ),
        (
            works.clone(),
            "The domain soup.example in your account expires on 24 November 2026. Auto-renew is off. Renew for EUR 11.90. If you want to let the domain go, no action is needed.",
            Class::Bill,
        ),
        (
            works,
            "Invoice 7 of EUR 120.50 is overdue. No action is required if you have paid already. Please pay by Friday.",
            Class::Bill,
        ),
    ]);
}

#[test]
fn a_sum_with_its_day_is_a_bill_in_the_labels_of_a_statement_too() {
    let bank = format!("{}{TO_ME}", from("Northwell Bank <no.reply.alerts@example.net>"));
    all_are(&[
        (
            bank.clone(),
            "Your payment is due soon\n\nAccount: Everyday (...4410)\nPayment due date: Dec 5, 2026\nMinimum payment due: $35.00\nStatement balance: $812.40\n",
            Class::Bill,
        ),
        (
            bank.clone(),
            "Receipt\n\nInvoice paid: $35.00\nDue date: Dec 5, 2026\nAmount due: $0.00\nYour receipt is attached.\n",
            Class::News,
        ),
        (
            bank,
            "Autopay is on\n\nPayment due date: Dec 5, 2026\nStatement balance: $812.40\n",
            Class::News,
        ),
    ]);
}

#[test]
fn what_ends_unless_it_is_renewed_is_a_bill_and_an_offer_is_none() {
    let garage = format!("{}{TO_ME}", from("ParkHaus <no-reply@example.net>"));
    all_are(&[
        (
            garage.clone(),
            "Guten Tag,\n\nIhr Parkausweis läuft am 30.11.2026 ab. Verlängern Sie ihn rechtzeitig, sonst wird der Stellplatz neu vergeben.",
            Class::Bill,
        ),
        (
            garage,
            "Guten Tag,\n\nunser Angebot läuft am 30.11.2026 ab. Verlängern Sie Ihr Abo jetzt und sichern Sie sich den Rabatt.",
            Class::News,
        ),
    ]);
}

#[test]
fn a_time_that_is_fixed_waits_for_nobody() {
    let booked = format!("{}{TO_ME}", from("Bookwell <notifications@example.net>"));
    all_are(&[
        (
            booked.clone(),
            "Hi Rohan,\n\nA new event has been scheduled.\n\nInvitee: Mira Holt\nEvent Date/Time: 15:00 - Tuesday, 1 December 2026",
            Class::News,
        ),
        (
            booked.clone(),
            "Guten Tag,\n\nIhr Termin bei Dr. Holt am Mittwoch, 25. November um 10:15 Uhr ist bestätigt.",
            Class::News,
        ),
        (
            booked,
            "Guten Tag,\n\nSie haben am Mittwoch, 25. November um 10:15 Uhr einen Termin bei Dr. Holt. Bitte bestätigen Sie den Termin oder sagen Sie ab.",
            Class::Date,
        ),
    ]);
}

#[test]
fn who_agrees_to_a_time_waits_for_nothing() {
    let reply = format!("{PROVEN}To: rohan@example.org\nSubject: Re: soup\nIn-Reply-To: <0@example.org>\n");
    all_are(&[
        (
            reply.clone(),
            "Perfect, Tuesday at 15:00 it is. I'll call you. Looking forward to it!\n\nBo",
            Class::Talk,
        ),
        (
            reply.clone(),
            "Mittwoch um drei passt wunderbar, ich freue mich sehr!\n\nBo",
            Class::Talk,
        ),
        (
            reply,
            "I can do Tuesday at 15:00 or Wednesday at 9:00, whichever suits you. Looking forward to it!\n\nBo",
            Class::Date,
        ),
    ]);
}

#[test]
fn what_is_asked_of_another_is_not_asked_of_who_reads_a_copy() {
    let copied = |cc: &str| format!("{PROVEN}To: mira@example.net\nCc: {cc}\nSubject: sheets\n");
    all_are(&[
        (
            copied("rohan@example.org"),
            "Hi Mira,\n\ncould you send me the sheets for the two new pots?\n\nThanks\nBo",
            Class::Talk,
        ),
        (
            copied("rohan@example.org"),
            "Hi all,\n\ndoes anybody have the sheets for the two new pots? Could somebody send them to me?\n\nBo",
            Class::Group,
        ),
        (
            copied("rohan@example.org"),
            "Hi Mira,\n\nthe sheets are here. Rohan, could you please send me the lids as well?\n\nBo",
            Class::NeedsYou,
        ),
    ]);
}

#[test]
fn a_person_behind_a_program_waits() {
    for (body, class) in [
        (
            "You have a new direct message from the Kitchen workspace.\n\nMira Holt\nCan you unlock the folder for Bo?",
            Class::NeedsYou,
        ),
        (
            "Mira Holt assigned a task to you\n\nCheck the pots\nDue: Nov 16",
            Class::NeedsYou,
        ),
        (
            "You have a few unread messages in your workspace Kitchen.\n\nMira Holt\n4.2 is in the oven",
            Class::News,
        ),
    ] {
        let head = format!("{}{TO_ME}", from("Chatwell <notification@example.net>"));
        all_are(&[(head, body, class)]);
    }
}
