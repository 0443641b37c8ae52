//! What a server of WebDAV is asked for: calendars or address books.
//!
//! What: [`DavContent`], with the questions in which the two differ. Why: discovery, tokens and changes are the same for both (RFC 4791, RFC 6352,
//! RFC 6578). Not here: asking (`dav`), reading answers (`multistatus`), what of a card passes (`vcard`).

use super::{multistatus::DavProperties, wire::LookFailure};

/// For the prefixes of all questions.
pub(super) const NAMESPACES: &str = r#"xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav" xmlns:A="urn:ietf:params:xml:ns:carddav" xmlns:S="http://calendarserver.org/ns/""#;

/// What lies in the collections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DavContent {
    Calendars,
    AddressBooks,
}

impl DavContent {
    /// Where those of a host are said to be (RFC 6764).
    pub(super) fn well_known(self) -> &'static str {
        match self {
            Self::Calendars => "/.well-known/caldav",
            Self::AddressBooks => "/.well-known/carddav",
        }
    }

    /// The properties that say where a principal has them, and what may be put there.
    pub(super) fn own_properties(self) -> &'static str {
        match self {
            Self::Calendars => "<C:calendar-home-set/><C:supported-calendar-component-set/>",
            Self::AddressBooks => "<A:addressbook-home-set/>",
        }
    }

    /// Whether a resource is such a collection.
    pub(super) fn is_collection(self, props: &DavProperties) -> bool {
        match self {
            Self::Calendars => props.is_calendar,
            Self::AddressBooks => props.is_address_book,
        }
    }

    /// There is none.
    pub(super) fn none(self) -> LookFailure {
        match self {
            Self::Calendars => LookFailure::NoCalendar,
            Self::AddressBooks => LookFailure::NoAddressBook,
        }
    }

    /// The question for these objects; `hrefs`: each between its tags.
    pub(super) fn multiget(self, hrefs: &str) -> String {
        match self {
            Self::Calendars => format!(
                "<C:calendar-multiget {NAMESPACES}><prop><C:calendar-data/></prop>{hrefs}</C:calendar-multiget>"
            ),
            Self::AddressBooks => format!(
                "<A:addressbook-multiget {NAMESPACES}><prop><A:address-data/></prop>{hrefs}</A:addressbook-multiget>"
            ),
        }
    }

    /// Objects that are asked for at once: cards have pictures.
    pub(super) fn objects_at_once(self) -> usize {
        match self {
            Self::Calendars => 64,
            Self::AddressBooks => 16,
        }
    }

    /// The questions for all of a collection: of a calendar its events in a span of time, then its tasks; of an address book where its cards are.
    pub(super) fn queries(self, [from, to]: &[String; 2]) -> Vec<String> {
        let of_component = |filter: String| {
            format!(
                "<C:calendar-query {NAMESPACES}><prop><C:calendar-data/></prop><C:filter><C:comp-filter name=\"VCALENDAR\">{filter}\
                 </C:comp-filter></C:filter></C:calendar-query>"
            )
        };
        match self {
            Self::Calendars => vec![
                of_component(format!(
                    "<C:comp-filter name=\"VEVENT\"><C:time-range start=\"{from}\" end=\"{to}\"/></C:comp-filter>"
                )),
                of_component("<C:comp-filter name=\"VTODO\"/>".to_owned()),
            ],
            // Every card has a name to be shown (RFC 6350).
            Self::AddressBooks => vec![format!(
                "<A:addressbook-query {NAMESPACES}><prop><getetag/></prop><A:filter><A:prop-filter name=\"FN\"/></A:filter>\
                 </A:addressbook-query>"
            )],
        }
    }
}
