//! What the local part of an address says of who writes from it.
//!
//! What: whether it is one that nobody reads, a desk's or a feed's, in the languages of senders. Why: a name before the `@` tells a program from
//! a person where no field does. Not here: the other fields of a head (`headers`).

/// `no-reply`, `donotreply`, `notifications` and their like, in the languages of senders.
pub(super) fn is_no_reply(local: &str) -> bool {
    let bare: String = local.chars().filter(|c| c.is_alphabetic()).collect();
    let whole = [
        "mailerdaemon",
        "postmaster",
        "notification",
        "notifications",
        "notify",
        "alert",
        "alerts",
        "automated",
        "automailer",
        "newsletter",
        "newsletters",
        "bounce",
        "bounces",
        "mailer",
        "robot",
        "daemon",
        "listmaster",
        "nobody",
        "autoconfirm",
        "updates",
        "digest",
        "receipts",
        "receipt",
        "statements",
        "estatement",
        "root",
        "cron",
        "marketing",
        "promo",
        "promotions",
        "offers",
    ];
    let part = [
        "noreply",
        "donotreply",
        "dontreply",
        "neverreply",
        "nichtantworten",
        "nepasrepondre",
        "noresponder",
        "naoresponda",
        "noresponda",
        "unattended",
    ];
    whole.contains(&bare.as_str()) || part.iter().any(|name| bare.contains(name))
}

/// An address that names a desk.
pub(super) fn is_role(local: &str) -> bool {
    let bare: String = local.chars().filter(|c| c.is_alphabetic()).collect();
    let roles = [
        "info",
        "service",
        "services",
        "support",
        "help",
        "helpdesk",
        "billing",
        "accounts",
        "account",
        "invoice",
        "invoices",
        "order",
        "orders",
        "shop",
        "store",
        "hello",
        "contact",
        "team",
        "sales",
        "customerservice",
        "customercare",
        "care",
        "security",
        "member",
        "members",
        "membership",
        "news",
        "booking",
        "bookings",
        "reservations",
        "reservation",
        "tickets",
        "ticket",
        "payments",
        "payment",
        "admin",
        "webmaster",
        "mail",
        "email",
        "system",
        "kundenservice",
        "kundendienst",
        "rechnung",
        "rechnungen",
        "bestellung",
        "bestellungen",
        "versand",
        "lieferung",
        "retoure",
        "retouren",
        "buchung",
        "buchungen",
        "reservierung",
        "kundenbetreuung",
        "kontakt",
        "hilfe",
        "abo",
        "facture",
        "facturation",
        "commande",
        "commandes",
        "livraison",
        "serviceclient",
        "facturas",
        "pedidos",
        "envios",
        "reservas",
        "soporte",
        "atencionalcliente",
        "feedback",
        "survey",
        "delivery",
        "shipping",
        "confirm",
        "confirmation",
        "verify",
        "welcome",
        "events",
        "community",
        "bank",
    ];
    roles.contains(&bare.as_str())
}

pub(super) fn is_feed(local: &str) -> bool {
    let bare: String = local.chars().filter(|c| c.is_alphabetic()).collect();
    bare.contains("rssfeed") || matches!(bare.as_str(), "rss" | "feed" | "feeds" | "atom" | "rsstoemail")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn desks_are_known_in_the_languages_of_senders_and_people_are_none() {
        for desk in [
            "versand",
            "Kunden-Service",
            "livraison",
            "envios",
            "orders2",
            "reservierung",
        ] {
            assert!(is_role(&desk.to_lowercase()), "{desk}");
        }
        for person in ["vera.sand", "mira", "jonas.kontakt", "abos.leonie"] {
            assert!(!is_role(person), "{person}");
        }
        assert!(is_no_reply("no-reply") && is_feed("rss-to-email") && !is_no_reply("versand"));
    }
}
