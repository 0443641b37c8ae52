//! `CalDAV`: reading.
//!
//! What: [`read`]: the calendars below an address (RFC 4791), each read whole the first time, within a span of time, and from then on by what
//! changed (`sync-collection`, RFC 6578), until the server forgets how far it was: then whole again. Why: a poll of an unchanged calendar
//! is one small answer. Not here: HTTP (`http`), XML (`multistatus`), writing (`caldav_change`).

use super::{
    http::{HttpSession, ServerAnswer, ServerRequest},
    multistatus::{DavResponse, Multistatus},
    wire::{AccountPart, AccountRequest, LookFailure, MARK_MAX},
};
use http::StatusCode;
use std::collections::BTreeSet;

/// Calendars of one account.
const CALENDARS_MAX: usize = 64;
/// Objects that are asked for at once.
const OBJECTS_AT_ONCE: usize = 64;
/// Answers to one question about changes.
const ROUNDS_MAX: u32 = 64;

/// Where the calendars of a host are said to be (RFC 6764).
const WELL_KNOWN: &str = "/.well-known/caldav";

const NAMESPACES: &str =
    r#"xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav" xmlns:S="http://calendarserver.org/ns/""#;

/// Before what stands in a mark.
const BY_TOKEN: &str = "token ";
const BY_TAG: &str = "tag ";

/// Hands parts over, to whoever started this process.
pub(super) struct PartSender<'a>(pub(super) &'a mut dyn FnMut(AccountPart) -> Result<(), LookFailure>);

impl PartSender<'_> {
    pub(super) fn send(&mut self, part: AccountPart) -> Result<(), LookFailure> {
        (self.0)(part)
    }
}

/// A calendar on the server.
#[derive(Debug)]
struct ServerCalendar {
    path: String,
    name: String,
    token: Option<String>,
    tag: Option<String>,
    takes_events: bool,
}

impl ServerCalendar {
    /// How far it is read when all that is there now was.
    fn mark(&self) -> Option<String> {
        let by_tag = || self.tag.as_ref().map(|tag| format!("{BY_TAG}{tag}"));
        self.token
            .as_ref()
            .map(|token| format!("{BY_TOKEN}{token}"))
            .or_else(by_tag)
    }

    fn head(&self, is_whole: bool, mark: Option<String>) -> AccountPart {
        AccountPart::Calendar {
            id: self.path.clone(),
            name: self.name.clone(),
            is_whole,
            mark,
            takes_events: self.takes_events,
        }
    }
}

/// Hands over what is new, and gives the calendars that there are.
///
/// # Errors
/// [`LookFailure`]
pub(super) async fn read(
    request: &AccountRequest,
    session: &mut HttpSession<'_>,
    parts: &mut PartSender<'_>,
) -> Result<Vec<String>, LookFailure> {
    let calendars = discover(&request.place.path, session).await?;
    for calendar in &calendars {
        let mark = request.known.iter().find(|known| known.id == calendar.path);
        let mark = mark.map(|known| known.mark.as_str());
        if mark.is_some() && calendar.mark().as_deref() == mark {
            continue;
        }
        let token = mark.and_then(|mark| mark.strip_prefix(BY_TOKEN));
        let is_done = match token {
            Some(token) => read_changes(calendar, token, session, parts).await?,
            None => false,
        };
        if !is_done {
            read_whole(calendar, &request.span, session, parts).await?;
        }
    }
    Ok(calendars.into_iter().map(|calendar| calendar.path).collect())
}

async fn propfind(
    session: &mut HttpSession<'_>,
    path: &str,
    depth: &str,
) -> Result<ServerAnswer, LookFailure> {
    let body = format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?><propfind {NAMESPACES}><prop><resourcetype/><displayname/><sync-token/><S:getctag/>\
         <current-user-principal/><C:calendar-home-set/><C:supported-calendar-component-set/></prop></propfind>"
    );
    ask_xml(session, "PROPFIND", path, depth, &body).await
}

async fn report(session: &mut HttpSession<'_>, path: &str, body: &str) -> Result<ServerAnswer, LookFailure> {
    let body = format!("<?xml version=\"1.0\" encoding=\"utf-8\"?>{body}");
    ask_xml(session, "REPORT", path, "1", &body).await
}

async fn ask_xml(
    session: &mut HttpSession<'_>,
    method: &str,
    path: &str,
    depth: &str,
    body: &str,
) -> Result<ServerAnswer, LookFailure> {
    session
        .ask(&ServerRequest {
            method,
            path,
            headers: &[
                ("Depth", depth),
                ("Content-Type", "application/xml; charset=utf-8"),
            ],
            body,
        })
        .await
}

/// What a good answer says.
fn parsed(answer: ServerAnswer) -> Result<(String, Multistatus), LookFailure> {
    let answer = answer.good()?;
    if answer.status != StatusCode::MULTI_STATUS {
        return Err(LookFailure::NoCalendar);
    }
    let found = Multistatus::parse(&answer.body)?;
    Ok((answer.path, found))
}

/// The calendars at an address or below it.
async fn discover(path: &str, session: &mut HttpSession<'_>) -> Result<Vec<ServerCalendar>, LookFailure> {
    let mut answer = propfind(session, path, "0").await?;
    let is_nothing = |answer: &ServerAnswer| answer.status.is_client_error();
    if path == "/" && is_nothing(&answer) {
        answer = propfind(session, WELL_KNOWN, "0").await?;
    }
    if is_nothing(&answer) && answer.status != StatusCode::TOO_MANY_REQUESTS {
        return Err(match answer.status {
            StatusCode::FORBIDDEN => LookFailure::Refused { status: 403 },
            _ => LookFailure::NoCalendar,
        });
    }
    let (base, here) = parsed(answer)?;
    let calendars = listed(&here, &base, session)?;
    if !calendars.is_empty() {
        return Ok(calendars);
    }
    let mut homes = homes_in(&here);
    let principal = here
        .responses
        .iter()
        .find_map(|found| found.props.principal.clone());
    if let Some(principal) = principal.filter(|_| homes.is_empty()) {
        let principal = session.follow(&principal, &base)?;
        let (_, found) = parsed(propfind(session, &principal, "0").await?)?;
        homes = homes_in(&found);
    }
    // The address is where her calendars are, or says where.
    let mut folders = vec![base.clone()];
    for home in homes {
        let home = session.follow(&home, &base)?;
        if !folders.contains(&home) {
            folders.push(home);
        }
    }
    if path == "/" && folders.len() > 1 {
        // Of a whole host only what is hers.
        folders.remove(0);
    }
    let (mut calendars, mut seen) = (Vec::new(), BTreeSet::new());
    for folder in folders {
        let (at, found) = parsed(propfind(session, &folder, "1").await?)?;
        let new = listed(&found, &at, session)?;
        calendars.extend(new.into_iter().filter(|one| seen.insert(one.path.clone())));
    }
    match calendars.len() {
        0 => Err(LookFailure::NoCalendar),
        1..=CALENDARS_MAX => Ok(calendars),
        _ => Err(LookFailure::TooLarge),
    }
}

fn homes_in(found: &Multistatus) -> Vec<String> {
    let homes = found.responses.iter().flat_map(|one| one.props.homes.clone());
    homes.take(CALENDARS_MAX).collect()
}

fn listed(
    found: &Multistatus,
    base: &str,
    session: &HttpSession<'_>,
) -> Result<Vec<ServerCalendar>, LookFailure> {
    let calendars = found.responses.iter().filter(|one| one.props.is_calendar);
    calendars
        .map(|one| {
            Ok(ServerCalendar {
                path: session.follow(&one.href, base)?,
                name: one.props.name.clone().unwrap_or_default(),
                token: one.props.sync_token.clone(),
                tag: one.props.change_tag.clone(),
                takes_events: one.props.takes_events.unwrap_or(true),
            })
        })
        .collect()
}

/// Reads what changed since a token. `false`: the server has forgotten it, and nothing was handed over.
async fn read_changes(
    calendar: &ServerCalendar,
    token: &str,
    session: &mut HttpSession<'_>,
    parts: &mut PartSender<'_>,
) -> Result<bool, LookFailure> {
    let mut token = token.to_owned();
    let (mut changed, mut gone) = (BTreeSet::new(), BTreeSet::new());
    for _ in 0..ROUNDS_MAX {
        let body = format!(
            "<sync-collection {NAMESPACES}><sync-token>{}</sync-token><sync-level>1</sync-level><prop><getetag/></prop></sync-collection>",
            escaped(&token)
        );
        let answer = report(session, &calendar.path, &body).await?;
        if answer.status.is_client_error() && answer.status != StatusCode::TOO_MANY_REQUESTS {
            return Ok(false);
        }
        let (base, found) = parsed(answer)?;
        let mut is_cut = false;
        for one in &found.responses {
            let path = session.follow(&one.href, &base)?;
            match one.status {
                Some(507) => is_cut = true,
                Some(status) if status == 404 || status == 410 => {
                    changed.remove(&path);
                    gone.insert(path);
                }
                Some(_) | None if path != calendar.path => {
                    gone.remove(&path);
                    changed.insert(path);
                }
                Some(_) | None => {}
            }
        }
        let next = found.sync_token.filter(|next| next.len() <= MARK_MAX);
        let Some(next) = next else { return Ok(false) };
        let is_over = !is_cut || next == token;
        token = next;
        if is_over {
            break;
        }
    }
    parts.send(calendar.head(false, Some(format!("{BY_TOKEN}{token}"))))?;
    for id in gone {
        parts.send(AccountPart::Gone { id })?;
    }
    let changed: Vec<String> = changed.into_iter().collect();
    for some in changed.chunks(OBJECTS_AT_ONCE) {
        let hrefs = some.iter().fold(String::new(), |hrefs, path| {
            hrefs + "<href>" + &escaped(path) + "</href>"
        });
        let body = format!(
            "<C:calendar-multiget {NAMESPACES}><prop><C:calendar-data/></prop>{hrefs}</C:calendar-multiget>"
        );
        let (base, found) = parsed(report(session, &calendar.path, &body).await?)?;
        for one in found.responses {
            hand_over(one, &base, session, parts)?;
        }
    }
    Ok(true)
}

/// Reads all of a calendar that lies in a span of time, and its tasks.
async fn read_whole(
    calendar: &ServerCalendar,
    [from, to]: &[String; 2],
    session: &mut HttpSession<'_>,
    parts: &mut PartSender<'_>,
) -> Result<(), LookFailure> {
    parts.send(calendar.head(true, calendar.mark()))?;
    let events = format!(
        "<C:comp-filter name=\"VEVENT\"><C:time-range start=\"{from}\" end=\"{to}\"/></C:comp-filter>"
    );
    let tasks = "<C:comp-filter name=\"VTODO\"/>";
    for (number, filter) in [&events, tasks].into_iter().enumerate() {
        let body = format!(
            "<C:calendar-query {NAMESPACES}><prop><C:calendar-data/></prop><C:filter><C:comp-filter name=\"VCALENDAR\">{filter}\
             </C:comp-filter></C:filter></C:calendar-query>"
        );
        let answer = report(session, &calendar.path, &body).await?;
        // A calendar without tasks may say no to a question about them.
        if number == 1 && answer.status.is_client_error() && answer.status != StatusCode::TOO_MANY_REQUESTS {
            continue;
        }
        let (base, found) = parsed(answer)?;
        for one in found.responses {
            hand_over(one, &base, session, parts)?;
        }
    }
    Ok(())
}

fn hand_over(
    one: DavResponse,
    base: &str,
    session: &HttpSession<'_>,
    parts: &mut PartSender<'_>,
) -> Result<(), LookFailure> {
    let id = session.follow(&one.href, base)?;
    if one.status.is_some_and(|status| status == 404 || status == 410) {
        return parts.send(AccountPart::Gone { id });
    }
    let Some(mut text) = one.props.data else {
        return Ok(());
    };
    // Several stand in one file.
    text.push_str("\r\n");
    parts.send(AccountPart::Object { id, text })
}

/// A text between tags.
fn escaped(text: &str) -> String {
    quick_xml::escape::escape(text).into_owned()
}
