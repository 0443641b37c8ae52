//! Where well-known providers have what belongs to a mail address.
//!
//! What: [`ProbablePlace`]. Why: a person knows her mail address, not the address of a server; what is found here is only shown to her,
//! and connected to when she says so. Not here: looking there (the backend).

use surfaces_base::backend::sign_in::SignInDraft;
use toolcall_schema::accounts::ServerAccountKind;

/// Where what belongs to a mail address probably is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ProbablePlace {
    /// At this host, with its port where that is an unusual one.
    Host(String),
    /// Google gives a calendar by a link alone.
    GoogleLink,
    /// So does Microsoft.
    MicrosoftLink,
    /// The provider gives it by no password.
    Nowhere,
}

/// A provider by the ends of its mail addresses, with its servers of calendars (CalDAV), names (CardDAV) and mail (IMAP).
struct KnownProvider {
    domains: &'static [&'static str],
    calendars: &'static str,
    names: &'static str,
    mail: &'static str,
}

const PROVIDERS: [KnownProvider; 7] = [
    KnownProvider {
        domains: &["icloud.com", "me.com", "mac.com"],
        calendars: "caldav.icloud.com",
        names: "contacts.icloud.com",
        mail: "imap.mail.me.com",
    },
    KnownProvider {
        domains: &["fastmail.com", "fastmail.fm"],
        calendars: "caldav.fastmail.com",
        names: "carddav.fastmail.com",
        mail: "imap.fastmail.com",
    },
    KnownProvider {
        domains: &["gmx.de", "gmx.net", "gmx.at", "gmx.ch"],
        calendars: "caldav.gmx.net",
        names: "carddav.gmx.net",
        mail: "imap.gmx.net",
    },
    KnownProvider {
        domains: &["web.de"],
        calendars: "caldav.web.de",
        names: "carddav.web.de",
        mail: "imap.web.de",
    },
    KnownProvider {
        domains: &["mailbox.org"],
        calendars: "dav.mailbox.org",
        names: "dav.mailbox.org",
        mail: "imap.mailbox.org",
    },
    KnownProvider {
        domains: &["posteo.de", "posteo.net"],
        calendars: "posteo.de:8443",
        names: "posteo.de:8443",
        mail: "posteo.de",
    },
    KnownProvider {
        domains: &["yahoo.com"],
        calendars: "caldav.calendar.yahoo.com",
        names: "carddav.address.yahoo.com",
        mail: "imap.mail.yahoo.com",
    },
];
const GOOGLE: [&str; 2] = ["gmail.com", "googlemail.com"];
const GOOGLE_MAIL: &str = "imap.gmail.com";
/// What asks a provider by JMAP is shown a token of its own there, without a name.
const JMAP_TOKENS: [&str; 2] = ["fastmail.com", "fastmail.fm"];
const FASTMAIL_JMAP: &str = "api.fastmail.com";
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
    /// By the domain of a mail address. Of an unknown one: that domain itself, which may say where its calendars and names are (RFC 6764), and what
    /// most call a server of mail.
    pub(super) fn of_domain(domain: &str, kind: ServerAccountKind) -> Self {
        let host = |host: &str| Self::Host(host.to_owned());
        let known = PROVIDERS
            .iter()
            .find(|provider| provider.domains.contains(&domain));
        let (is_google, is_microsoft) = (GOOGLE.contains(&domain), MICROSOFT.contains(&domain));
        match kind {
            ServerAccountKind::Imap if is_google => host(GOOGLE_MAIL),
            ServerAccountKind::Imap | ServerAccountKind::Jmap | ServerAccountKind::CardDav
                if is_microsoft =>
            {
                Self::Nowhere
            }
            ServerAccountKind::CardDav | ServerAccountKind::Jmap if is_google => Self::Nowhere,
            ServerAccountKind::CalDav | ServerAccountKind::CalendarAddress if is_google => Self::GoogleLink,
            ServerAccountKind::CalDav | ServerAccountKind::CalendarAddress if is_microsoft => {
                Self::MicrosoftLink
            }
            ServerAccountKind::Imap => {
                known.map_or_else(|| Self::Host(format!("imap.{domain}")), |one| host(one.mail))
            }
            // It says where its JMAP is (RFC 8620, 2.2).
            ServerAccountKind::Jmap if is_by_token(domain, kind) => host(FASTMAIL_JMAP),
            ServerAccountKind::Jmap => host(domain),
            ServerAccountKind::CardDav => host(known.map_or(domain, |one| one.names)),
            ServerAccountKind::CalDav
            | ServerAccountKind::CalendarAddress
            | ServerAccountKind::SimpleFin
            | ServerAccountKind::HomeAssistant => host(known.map_or(domain, |one| one.calendars)),
        }
    }
}

/// Whether a provider is shown a token of its own, without a name.
pub(super) fn is_by_token(domain: &str, kind: ServerAccountKind) -> bool {
    kind == ServerAccountKind::Jmap && JMAP_TOKENS.contains(&domain)
}

/// Where a provider that is signed in to has what belongs to a mail address, and what its sign-in is asked for: addresses that it publishes, and no
/// client of anybody's.
pub(super) fn provider_of(
    domain: &str,
    kind: ServerAccountKind,
    mail_address: &str,
) -> Option<(String, SignInDraft)> {
    let text = |text: &str| Some(text.to_owned());
    if GOOGLE.contains(&domain) {
        let (server, scope) = match kind {
            ServerAccountKind::Imap => (format!("imaps://{GOOGLE_MAIL}"), "https://mail.google.com/"),
            ServerAccountKind::CalDav => (
                format!("https://apidata.googleusercontent.com/caldav/v2/{mail_address}/user/"),
                "https://www.googleapis.com/auth/calendar",
            ),
            ServerAccountKind::CardDav => (
                format!("https://www.googleapis.com/carddav/v1/principals/{mail_address}/lists/default/"),
                "https://www.googleapis.com/auth/carddav",
            ),
            ServerAccountKind::Jmap
            | ServerAccountKind::CalendarAddress
            | ServerAccountKind::SimpleFin
            | ServerAccountKind::HomeAssistant => return None,
        };
        // It gives none of these by a code.
        let draft = SignInDraft {
            authorize: text("https://accounts.google.com/o/oauth2/v2/auth"),
            token: text("https://oauth2.googleapis.com/token"),
            revoke: text("https://oauth2.googleapis.com/revoke"),
            scope: text(scope),
            ..SignInDraft::default()
        };
        return Some((server, draft));
    }
    let is_mail = MICROSOFT.contains(&domain) && kind == ServerAccountKind::Imap;
    is_mail.then(|| {
        let draft = SignInDraft {
            authorize: text("https://login.microsoftonline.com/common/oauth2/v2.0/authorize"),
            token: text("https://login.microsoftonline.com/common/oauth2/v2.0/token"),
            device: text("https://login.microsoftonline.com/common/oauth2/v2.0/devicecode"),
            scope: text("https://outlook.office.com/IMAP.AccessAsUser.All offline_access"),
            redirect: text("localhost"),
            ..SignInDraft::default()
        };
        ("imaps://outlook.office365.com".to_owned(), draft)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mail_addresses_lead_to_a_host_and_other_texts_to_none() {
        let host = |host: &str| ProbablePlace::Host(host.to_owned());
        for (address, calendars, names, mail) in [
            (
                "kim@example.org",
                host("example.org"),
                host("example.org"),
                host("imap.example.org"),
            ),
            (
                " Kim@ICLOUD.com ",
                host("caldav.icloud.com"),
                host("contacts.icloud.com"),
                host("imap.mail.me.com"),
            ),
            (
                "kim+a@gmail.com",
                ProbablePlace::GoogleLink,
                ProbablePlace::Nowhere,
                host("imap.gmail.com"),
            ),
            (
                "kim@hotmail.com",
                ProbablePlace::MicrosoftLink,
                ProbablePlace::Nowhere,
                ProbablePlace::Nowhere,
            ),
        ] {
            let domain = mail_domain(address).unwrap();
            let kinds = [
                ServerAccountKind::CalDav,
                ServerAccountKind::CardDav,
                ServerAccountKind::Imap,
            ];
            assert_eq!(
                kinds.map(|kind| ProbablePlace::of_domain(&domain, kind)),
                [calendars, names, mail],
                "{address}"
            );
        }
        let fastmail = ProbablePlace::of_domain("fastmail.com", ServerAccountKind::Jmap);
        assert_eq!(fastmail, host("api.fastmail.com"));
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
