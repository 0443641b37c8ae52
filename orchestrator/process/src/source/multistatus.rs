//! What a CalDAV or CardDAV server answers: the XML of a multi-status (RFC 4918).
//!
//! What: [`Multistatus::parse`], with bounds on depth, count and every text. Why: nothing of it is known to be true, and only a few properties
//! are wanted. Not here: asking for it (`dav`).

use super::wire::{LookFailure, MARK_MAX, NAME_MAX, PART_BYTES_MAX};
use quick_xml::{
    NsReader,
    events::{BytesStart, Event},
    name::ResolveResult,
};

/// Elements one in the other.
const DEPTH_MAX: usize = 32;
/// Resources of one answer.
const RESPONSES_MAX: usize = 20_000;
/// Homes of calendars that a principal may have.
const HOMES_MAX: usize = 4;

const DAV: &str = "DAV:";
const CALDAV: &str = "urn:ietf:params:xml:ns:caldav";
const CARDDAV: &str = "urn:ietf:params:xml:ns:carddav";
const CALENDAR_SERVER: &str = "http://calendarserver.org/ns/";

/// The elements that are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DavElement {
    Response,
    Href,
    Status,
    PropStat,
    DisplayName,
    ResourceType,
    Calendar,
    AddressBook,
    SyncToken,
    ChangeTag,
    Principal,
    Homes,
    /// What a calendar takes, and one kind of it.
    ComponentSet,
    Component,
    Data,
    Other,
}

impl DavElement {
    fn from_name(namespace: &ResolveResult<'_>, name: &str) -> Self {
        let ResolveResult::Bound(namespace) = namespace else {
            return Self::Other;
        };
        match (namespace.into_inner(), name) {
            (DAV, "response") => Self::Response,
            (DAV, "href") => Self::Href,
            (DAV, "status") => Self::Status,
            (DAV, "propstat") => Self::PropStat,
            (DAV, "displayname") => Self::DisplayName,
            (DAV, "resourcetype") => Self::ResourceType,
            (DAV, "sync-token") => Self::SyncToken,
            (DAV, "current-user-principal") => Self::Principal,
            (CALDAV, "calendar") => Self::Calendar,
            (CARDDAV, "addressbook") => Self::AddressBook,
            (CALDAV, "calendar-home-set") | (CARDDAV, "addressbook-home-set") => Self::Homes,
            (CALDAV, "supported-calendar-component-set") => Self::ComponentSet,
            (CALDAV, "comp") => Self::Component,
            (CALDAV, "calendar-data") | (CARDDAV, "address-data") => Self::Data,
            (CALENDAR_SERVER, "getctag") => Self::ChangeTag,
            _ => Self::Other,
        }
    }

    /// Bytes of its text that are taken; `None`: its text is not wanted.
    fn text_max(self) -> Option<usize> {
        match self {
            Self::Href | Self::SyncToken | Self::ChangeTag => Some(MARK_MAX),
            Self::Status | Self::DisplayName => Some(4 * NAME_MAX),
            Self::Data => Some(PART_BYTES_MAX),
            Self::Response
            | Self::PropStat
            | Self::ResourceType
            | Self::Calendar
            | Self::AddressBook
            | Self::Principal
            | Self::Homes
            | Self::ComponentSet
            | Self::Component
            | Self::Other => None,
        }
    }
}

/// What is said of one resource.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct DavResponse {
    pub(super) href: String,
    /// Of the resource as a whole.
    pub(super) status: Option<u16>,
    pub(super) props: DavProperties,
}

/// Properties that it has.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct DavProperties {
    pub(super) name: Option<String>,
    pub(super) is_calendar: bool,
    pub(super) is_address_book: bool,
    pub(super) sync_token: Option<String>,
    pub(super) change_tag: Option<String>,
    pub(super) principal: Option<String>,
    pub(super) homes: Vec<String>,
    /// Whether events may be put there; absent: the server does not say what may, so anything.
    pub(super) takes_events: Option<bool>,
    /// An iCalendar object, or a vCard; absent where it is larger than is taken.
    pub(super) data: Option<String>,
}

impl DavProperties {
    fn join(&mut self, more: Self) {
        let Self {
            name,
            is_calendar,
            is_address_book,
            sync_token,
            change_tag,
            principal,
            homes,
            takes_events,
            data,
        } = more;
        self.name = name.or(self.name.take());
        self.is_calendar |= is_calendar;
        self.is_address_book |= is_address_book;
        self.sync_token = sync_token.or(self.sync_token.take());
        self.change_tag = change_tag.or(self.change_tag.take());
        self.principal = principal.or(self.principal.take());
        self.homes.extend(homes);
        self.takes_events = takes_events.or(self.takes_events);
        self.data = data.or(self.data.take());
    }
}

/// A whole answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Multistatus {
    pub(super) responses: Vec<DavResponse>,
    /// How far it goes, where it answers what changed.
    pub(super) sync_token: Option<String>,
}

impl Multistatus {
    /// Of the bytes of an answer.
    ///
    /// # Errors
    /// [`LookFailure::Broken`], or [`LookFailure::TooLarge`].
    pub(super) fn parse(body: &[u8]) -> Result<Self, LookFailure> {
        let text = String::from_utf8_lossy(body);
        let mut reader = NsReader::from_str(&text);
        let mut building = MultistatusBuilder::default();
        loop {
            let (namespace, event) = reader.read_resolved_event().map_err(|_| LookFailure::Broken)?;
            match event {
                Event::Start(tag) => building.begin_tag(element(&namespace, &tag), &tag)?,
                Event::Empty(tag) => {
                    building.begin_tag(element(&namespace, &tag), &tag)?;
                    building.end()?;
                }
                Event::End(_) => building.end()?,
                Event::Text(text) => building.text(&text.xml10_content()),
                Event::CData(text) => building.text(&text.xml10_content()),
                Event::GeneralRef(reference) => {
                    let known = match &*reference {
                        "amp" => Some('&'),
                        "lt" => Some('<'),
                        "gt" => Some('>'),
                        "quot" => Some('"'),
                        "apos" => Some('\''),
                        _ => reference.resolve_char_ref().map_err(|_| LookFailure::Broken)?,
                    };
                    // Whoever defines entities of their own wants something else.
                    let character = known.ok_or(LookFailure::Broken)?;
                    building.text(character.encode_utf8(&mut [0; 4]));
                }
                Event::Comment(_) | Event::Decl(_) | Event::PI(_) => {}
                Event::DocType(_) => return Err(LookFailure::Broken),
                Event::Eof => return building.finish(),
            }
        }
    }
}

fn element(namespace: &ResolveResult<'_>, tag: &BytesStart<'_>) -> DavElement {
    DavElement::from_name(namespace, tag.local_name().into_inner())
}

/// `name="VEVENT"`
fn has_name(tag: &BytesStart<'_>, name: &str) -> bool {
    let mut attributes = tag.attributes().flatten();
    attributes.any(|one| one.key.local_name().into_inner() == "name" && one.value.eq_ignore_ascii_case(name))
}

#[derive(Default)]
struct MultistatusBuilder {
    found: Multistatus,
    open: Vec<DavElement>,
    any: bool,
    response: DavResponse,
    /// Of the `propstat` that is open, with its status.
    props: DavProperties,
    props_status: Option<u16>,
    text: String,
    is_too_long: bool,
}

impl MultistatusBuilder {
    fn begin_tag(&mut self, element: DavElement, tag: &BytesStart<'_>) -> Result<(), LookFailure> {
        let parent = self.open.last().copied();
        self.begin(element)?;
        if element == DavElement::ComponentSet {
            self.props.takes_events = Some(false);
        } else if element == DavElement::Component
            && parent == Some(DavElement::ComponentSet)
            && has_name(tag, "VEVENT")
        {
            self.props.takes_events = Some(true);
        }
        Ok(())
    }

    fn begin(&mut self, element: DavElement) -> Result<(), LookFailure> {
        if self.open.len() >= DEPTH_MAX {
            return Err(LookFailure::Broken);
        }
        self.any = true;
        if element == DavElement::Response {
            self.response = DavResponse::default();
        } else if element == DavElement::PropStat {
            (self.props, self.props_status) = (DavProperties::default(), None);
        }
        self.open.push(element);
        self.text.clear();
        self.is_too_long = false;
        Ok(())
    }

    fn text(&mut self, more: &str) {
        let Some(max) = self.open.last().and_then(|element| element.text_max()) else {
            return;
        };
        if self.text.len() + more.len() > max {
            self.is_too_long = true;
        } else {
            self.text.push_str(more);
        }
    }

    fn end(&mut self) -> Result<(), LookFailure> {
        let element = self.open.pop().ok_or(LookFailure::Broken)?;
        let parent = self.open.last().copied();
        let text = std::mem::take(&mut self.text);
        let text = (!self.is_too_long).then(|| text.trim().to_owned());
        match (element, parent) {
            (DavElement::Response, _) => {
                if self.found.responses.len() >= RESPONSES_MAX {
                    return Err(LookFailure::TooLarge);
                }
                self.found.responses.push(std::mem::take(&mut self.response));
            }
            (DavElement::PropStat, _) => {
                let props = std::mem::take(&mut self.props);
                // Properties that are not there come with 404.
                if self
                    .props_status
                    .is_none_or(|status| (200..300).contains(&status))
                {
                    self.response.props.join(props);
                }
            }
            (DavElement::Href, Some(DavElement::Response)) => {
                self.response.href = text.ok_or(LookFailure::TooLarge)?;
            }
            (DavElement::Href, Some(DavElement::Principal)) => self.props.principal = text,
            (DavElement::Href, Some(DavElement::Homes)) => {
                if self.props.homes.len() < HOMES_MAX {
                    self.props.homes.extend(text);
                }
            }
            (DavElement::Status, Some(DavElement::PropStat)) => self.props_status = status(text.as_deref()),
            (DavElement::Status, Some(DavElement::Response)) => {
                self.response.status = status(text.as_deref());
            }
            (DavElement::DisplayName, _) => self.props.name = text.map(|name| clean_name(&name)),
            (DavElement::Calendar, Some(DavElement::ResourceType)) => self.props.is_calendar = true,
            (DavElement::AddressBook, Some(DavElement::ResourceType)) => self.props.is_address_book = true,
            // One of the whole answer stands beside the resources.
            (DavElement::SyncToken, Some(DavElement::Other)) if self.open.len() == 1 => {
                self.found.sync_token = text;
            }
            (DavElement::SyncToken, _) => self.props.sync_token = text.filter(|token| !token.is_empty()),
            (DavElement::ChangeTag, _) => self.props.change_tag = text.filter(|tag| !tag.is_empty()),
            (DavElement::Data, _) => self.props.data = text,
            (
                DavElement::Href
                | DavElement::Status
                | DavElement::Calendar
                | DavElement::AddressBook
                | DavElement::ResourceType
                | DavElement::Principal
                | DavElement::Homes
                | DavElement::ComponentSet
                | DavElement::Component
                | DavElement::Other,
                _,
            ) => {}
        }
        Ok(())
    }

    fn finish(self) -> Result<Multistatus, LookFailure> {
        if self.any && self.open.is_empty() {
            Ok(self.found)
        } else {
            Err(LookFailure::Broken)
        }
    }
}

/// `HTTP/1.1 404 Not Found`
fn status(text: Option<&str>) -> Option<u16> {
    text?.split_whitespace().nth(1)?.parse().ok()
}

/// A name as a page may show it.
fn clean_name(name: &str) -> String {
    name.chars().filter(|c| !c.is_control()).take(NAME_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_that_are_there_are_read_whatever_their_prefixes() {
        let body = br#"<?xml version="1.0"?><m:multistatus xmlns:m="DAV:" xmlns="urn:ietf:params:xml:ns:caldav">
            <m:response><m:href>/kim/work/</m:href><m:propstat><m:prop><m:displayname>Work &amp; home&#33;</m:displayname>
            <m:resourcetype><m:collection/><calendar/></m:resourcetype><m:sync-token>t:1</m:sync-token></m:prop>
            <m:status>HTTP/1.1 200 OK</m:status></m:propstat><m:propstat><m:prop><calendar-home-set><m:href>/no/</m:href>
            </calendar-home-set></m:prop><m:status>HTTP/1.1 404 Not Found</m:status></m:propstat></m:response>
            <m:response><m:href>/kim/gone.ics</m:href><m:status>HTTP/1.1 404 Not Found</m:status></m:response>
            <m:sync-token>t:2</m:sync-token></m:multistatus>"#;
        let found = Multistatus::parse(body).unwrap();
        let props = DavProperties {
            name: Some("Work & home!".to_owned()),
            is_calendar: true,
            sync_token: Some("t:1".to_owned()),
            ..DavProperties::default()
        };
        let work = DavResponse {
            href: "/kim/work/".to_owned(),
            status: None,
            props,
        };
        let gone = DavResponse {
            href: "/kim/gone.ics".to_owned(),
            status: Some(404),
            props: DavProperties::default(),
        };
        assert_eq!(found.responses, [work, gone]);
        assert_eq!(found.sync_token.as_deref(), Some("t:2"));
    }

    #[test]
    fn objects_come_as_they_are_and_one_too_large_is_left_out() {
        let answer = |data: &str| {
            format!(
                "<multistatus xmlns=\"DAV:\" xmlns:C=\"urn:ietf:params:xml:ns:caldav\"><response><href>/a</href><propstat><prop>\
                 <C:calendar-data>{data}</C:calendar-data></prop></propstat></response></multistatus>"
            )
        };
        let data = |body: String| {
            let mut found = Multistatus::parse(body.as_bytes()).unwrap();
            found.responses.remove(0).props.data
        };
        assert_eq!(
            data(answer("BEGIN\r\n&lt;x&gt;\nEND")).as_deref(),
            Some("BEGIN\n<x>\nEND")
        );
        assert_eq!(data(answer("<![CDATA[a<b]]>")).as_deref(), Some("a<b"));
        assert_eq!(data(answer(&"x".repeat(PART_BYTES_MAX + 1))), None);
    }

    #[test]
    fn what_is_cut_nested_too_deep_or_defines_entities_is_refused() {
        let deep = "<a>".repeat(40);
        for broken in [
            "",
            "no XML",
            "<multistatus xmlns=\"DAV:\"><response>",
            "<a></b>",
            "<!DOCTYPE x [<!ENTITY y \"z\">]><a>&y;</a>",
            "<a>&y;</a>",
            &deep,
        ] {
            assert_eq!(
                Multistatus::parse(broken.as_bytes()),
                Err(LookFailure::Broken),
                "{broken:?}"
            );
        }
    }
}
