//! Where well-known providers have what belongs to a mail address.
//!
//! What: [`ProbablePlace`]. Why: a person knows her mail address, not the address of a server; what is found here is only shown to her,
//! and connected to when she says so. Not here: looking there (the backend).

/// Where the calendars, or the mail, of a mail address probably are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ProbablePlace {
    /// At this host, with its port where that is an unusual one.
    Host(String),
    /// Google gives a calendar by a link alone.
    GoogleLink,
    /// So does Microsoft,
    MicrosoftLink,
    /// which gives mail by no password.
    Nowhere,
}

/// Servers by the end of a mail address: of calendars (`CalDAV`), and of mail (IMAP).
const HOSTS: [(&[&str], &str, &str); 7] = [
    (
        &["icloud.com", "me.com", "mac.com"],
        "caldav.icloud.com",
        "imap.mail.me.com",
    ),
    (
        &["fastmail.com", "fastmail.fm"],
        "caldav.fastmail.com",
        "imap.fastmail.com",
    ),
    (
        &["gmx.de", "gmx.net", "gmx.at", "gmx.ch"],
        "caldav.gmx.net",
        "imap.gmx.net",
    ),
    (&["web.de"], "caldav.web.de", "imap.web.de"),
    (&["mailbox.org"], "dav.mailbox.org", "imap.mailbox.org"),
    (&["posteo.de", "posteo.net"], "posteo.de:8443", "posteo.de"),
    (&["yahoo.com"], "caldav.calendar.yahoo.com", "imap.mail.yahoo.com"),
];
const GOOGLE: [&str; 2] = ["gmail.com", "googlemail.com"];
const GOOGLE_MAIL: &str = "imap.gmail.com";
const MICROSOFT: [&str; 4] = ["outlook.com", "hotmail.com", "live.com", "msn.com"];

/// The domain of a mail address; `None`: it is none.
pub(super) fn mail_domain(address: &str) -> Option<String> {
    let (user, domain) = address.trim().split_once('@')?;
    let is_label = |label: &str| {
        !label.is_empty()
            && label
                .chars()
                .all(|sign| sign.is_ascii_alphanumeric() || sign == '-')
    };
    let is_domain = domain.contains('.') && domain.split('.').all(is_label);
    let is_user = !user.is_empty() && !user.contains(['/', ':', ' ']);
    (is_user && is_domain).then(|| domain.to_ascii_lowercase())
}

impl ProbablePlace {
    /// By the domain of a mail address. Of an unknown one: that domain itself, which may say where its calendars are (RFC 6764), and what most
    /// call a server of mail.
    pub(super) fn of_domain(domain: &str, is_mail: bool) -> Self {
        let known = HOSTS.iter().find(|(domains, ..)| domains.contains(&domain));
        match known {
            Some((_, _, mail)) if is_mail => Self::Host((*mail).to_owned()),
            Some((_, calendars, _)) => Self::Host((*calendars).to_owned()),
            None if GOOGLE.contains(&domain) && is_mail => Self::Host(GOOGLE_MAIL.to_owned()),
            None if GOOGLE.contains(&domain) => Self::GoogleLink,
            None if MICROSOFT.contains(&domain) && is_mail => Self::Nowhere,
            None if MICROSOFT.contains(&domain) => Self::MicrosoftLink,
            None if is_mail => Self::Host(format!("imap.{domain}")),
            None => Self::Host(domain.to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mail_addresses_lead_to_a_host_and_other_texts_to_none() {
        let host = |host: &str| ProbablePlace::Host(host.to_owned());
        for (address, calendars, mail) in [
            ("kim@example.org", host("example.org"), host("imap.example.org")),
            (
                " Kim@ICLOUD.com ",
                host("caldav.icloud.com"),
                host("imap.mail.me.com"),
            ),
            (
                "kim+a@gmail.com",
                ProbablePlace::GoogleLink,
                host("imap.gmail.com"),
            ),
            (
                "kim@hotmail.com",
                ProbablePlace::MicrosoftLink,
                ProbablePlace::Nowhere,
            ),
        ] {
            let domain = mail_domain(address).unwrap();
            assert_eq!(
                [false, true].map(|is_mail| ProbablePlace::of_domain(&domain, is_mail)),
                [calendars, mail],
                "{address}"
            );
        }
        for none in [
            "https://kim@example.org/",
            "kim@localhost",
            "kim@example..org",
            "@example.org",
            "example.org",
        ] {
            assert_eq!(mail_domain(none), None, "{none}");
        }
    }
}
