//! Where well-known providers have what belongs to a mail address.
//!
//! What: [`CalendarPlace`]. Why: a person knows her mail address, not the address of a server; what is found here is only shown to her,
//! and connected to when she says so. Not here: looking there (the backend).

/// Where the calendars of a mail address probably are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CalendarPlace {
    /// At this host, with its port where that is an unusual one.
    Host(String),
    /// Google gives a calendar by a link alone.
    GoogleLink,
    /// So does Microsoft.
    MicrosoftLink,
}

/// `CalDAV` servers by the end of a mail address.
const CALENDAR_HOSTS: [(&[&str], &str); 7] = [
    (&["icloud.com", "me.com", "mac.com"], "caldav.icloud.com"),
    (&["fastmail.com", "fastmail.fm"], "caldav.fastmail.com"),
    (&["gmx.de", "gmx.net", "gmx.at", "gmx.ch"], "caldav.gmx.net"),
    (&["web.de"], "caldav.web.de"),
    (&["mailbox.org"], "dav.mailbox.org"),
    (&["posteo.de", "posteo.net"], "posteo.de:8443"),
    (&["yahoo.com"], "caldav.calendar.yahoo.com"),
];
const GOOGLE: [&str; 2] = ["gmail.com", "googlemail.com"];
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

impl CalendarPlace {
    /// By the domain of a mail address: of an unknown one that domain itself, which may say where its calendars are (RFC 6764).
    pub(super) fn of_domain(domain: &str) -> Self {
        if GOOGLE.contains(&domain) {
            return Self::GoogleLink;
        }
        if MICROSOFT.contains(&domain) {
            return Self::MicrosoftLink;
        }
        let known = CALENDAR_HOSTS
            .iter()
            .find(|(domains, _)| domains.contains(&domain));
        Self::Host(known.map_or(domain, |(_, host)| host).to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mail_addresses_lead_to_a_host_and_other_texts_to_none() {
        let host = |host: &str| Some(CalendarPlace::Host(host.to_owned()));
        for (address, place) in [
            ("kim@example.org", host("example.org")),
            (" Kim@ICLOUD.com ", host("caldav.icloud.com")),
            ("kim+a@gmail.com", Some(CalendarPlace::GoogleLink)),
            ("kim@hotmail.com", Some(CalendarPlace::MicrosoftLink)),
            ("https://kim@example.org/", None),
            ("kim@localhost", None),
            ("kim@example..org", None),
            ("@example.org", None),
            ("example.org", None),
        ] {
            let found = mail_domain(address).map(|domain| CalendarPlace::of_domain(&domain));
            assert_eq!(found, place, "{address}");
        }
    }
}
