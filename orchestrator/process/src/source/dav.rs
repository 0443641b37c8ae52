//! CalDAV and CardDAV: reading.
//!
//! What: [`read`]: the calendars (RFC 4791) or address books (RFC 6352) below an address, each read whole the first time, calendars within a span of
//! time, and from then on by what changed (`sync-collection`, RFC 6578), until the server forgets how far it was: then whole again. Why: a poll of
//! what did not change is one small answer. Not here: HTTP (`http`), XML (`multistatus`), in what the two differ (`dav_content`), writing (`caldav_change`).

use super::{
    dav_content::{DavContent, NAMESPACES},
    http::{HttpSession, ServerAnswer, ServerRequest},
    multistatus::{DavResponse, Multistatus},
    vcard,
    wire::{AccountPart, AccountRequest, LookFailure, MARK_MAX},
};
use http::StatusCode;
use std::collections::BTreeSet;

/// Collections of one account.
const COLLECTIONS_MAX: usize = 64;
/// Answers to one question about changes.
const ROUNDS_MAX: u32 = 64;

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

/// A calendar or address book on the server.
#[derive(Debug)]
struct ServerCollection {
    path: String,
    name: String,
    token: Option<String>,
    tag: Option<String>,
    takes_events: bool,
}

impl ServerCollection {
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

/// Hands over what is new, and gives the collections that there are.
///
/// # Errors
/// [`LookFailure`]
pub(super) async fn read(
    content: DavContent,
    request: &AccountRequest,
    session: &mut HttpSession<'_>,
    parts: &mut PartSender<'_>,
) -> Result<Vec<String>, LookFailure> {
    let mut reader = DavReader { content, session };
    let collections = reader.discover(&request.place.path).await?;
    for collection in &collections {
        let mark = request.known.iter().find(|known| known.id == collection.path);
        let mark = mark.map(|known| known.mark.as_str());
        if mark.is_some() && collection.mark().as_deref() == mark {
            continue;
        }
        let token = mark.and_then(|mark| mark.strip_prefix(BY_TOKEN));
        let is_done = match token {
            Some(token) => reader.read_changes(collection, token, parts).await?,
            None => false,
        };
        if !is_done {
            reader.read_whole(collection, &request.span, parts).await?;
        }
    }
    Ok(collections.into_iter().map(|one| one.path).collect())
}

/// One server, asked for one sort of collection.
struct DavReader<'a, 'b> {
    content: DavContent,
    session: &'a mut HttpSession<'b>,
}

fn is_refused(answer: &ServerAnswer) -> bool {
    answer.status.is_client_error() && answer.status != StatusCode::TOO_MANY_REQUESTS
}

impl DavReader<'_, '_> {
    async fn propfind(&mut self, path: &str, depth: &str) -> Result<ServerAnswer, LookFailure> {
        let own = self.content.own_properties();
        let body = format!(
            "<?xml version=\"1.0\" encoding=\"utf-8\"?><propfind {NAMESPACES}><prop><resourcetype/><displayname/><sync-token/><S:getctag/>\
             <current-user-principal/>{own}</prop></propfind>"
        );
        self.ask_xml("PROPFIND", path, depth, &body).await
    }

    async fn report(&mut self, path: &str, body: &str) -> Result<ServerAnswer, LookFailure> {
        let body = format!("<?xml version=\"1.0\" encoding=\"utf-8\"?>{body}");
        self.ask_xml("REPORT", path, "1", &body).await
    }

    async fn ask_xml(
        &mut self,
        method: &str,
        path: &str,
        depth: &str,
        body: &str,
    ) -> Result<ServerAnswer, LookFailure> {
        self.session
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
    fn parsed(&self, answer: ServerAnswer) -> Result<(String, Multistatus), LookFailure> {
        let answer = answer.good()?;
        if answer.status != StatusCode::MULTI_STATUS {
            return Err(self.content.none());
        }
        let found = Multistatus::parse(&answer.body)?;
        Ok((answer.path, found))
    }

    /// The collections at an address or below it.
    async fn discover(&mut self, path: &str) -> Result<Vec<ServerCollection>, LookFailure> {
        let mut answer = self.propfind(path, "0").await?;
        if path == "/" && answer.status.is_client_error() {
            answer = self.propfind(self.content.well_known(), "0").await?;
        }
        if is_refused(&answer) {
            return Err(match answer.status {
                StatusCode::FORBIDDEN => LookFailure::Refused { status: 403 },
                _ => self.content.none(),
            });
        }
        let (base, here) = self.parsed(answer)?;
        let collections = self.listed(&here, &base)?;
        if !collections.is_empty() {
            return Ok(collections);
        }
        let mut homes = homes_in(&here);
        let principal = here
            .responses
            .iter()
            .find_map(|found| found.props.principal.clone());
        if let Some(principal) = principal.filter(|_| homes.is_empty()) {
            let principal = self.session.follow(&principal, &base)?;
            let answer = self.propfind(&principal, "0").await?;
            let (_, found) = self.parsed(answer)?;
            homes = homes_in(&found);
        }
        // The address is where her collections are, or says where.
        let mut folders = vec![base.clone()];
        for home in homes {
            let home = self.session.follow(&home, &base)?;
            if !folders.contains(&home) {
                folders.push(home);
            }
        }
        if path == "/" && folders.len() > 1 {
            // Of a whole host only what is hers.
            folders.remove(0);
        }
        let (mut collections, mut seen) = (Vec::new(), BTreeSet::new());
        for folder in folders {
            let answer = self.propfind(&folder, "1").await?;
            let (at, found) = self.parsed(answer)?;
            let new = self.listed(&found, &at)?;
            collections.extend(new.into_iter().filter(|one| seen.insert(one.path.clone())));
        }
        match collections.len() {
            0 => Err(self.content.none()),
            1..=COLLECTIONS_MAX => Ok(collections),
            _ => Err(LookFailure::TooLarge),
        }
    }

    fn listed(&self, found: &Multistatus, base: &str) -> Result<Vec<ServerCollection>, LookFailure> {
        let collections = found
            .responses
            .iter()
            .filter(|one| self.content.is_collection(&one.props));
        collections
            .map(|one| {
                Ok(ServerCollection {
                    path: self.session.follow(&one.href, base)?,
                    name: one.props.name.clone().unwrap_or_default(),
                    token: one.props.sync_token.clone(),
                    tag: one.props.change_tag.clone(),
                    takes_events: self.content == DavContent::Calendars
                        && one.props.takes_events.unwrap_or(true),
                })
            })
            .collect()
    }

    /// Reads what changed since a token. `false`: the server has forgotten it, and nothing was handed over.
    async fn read_changes(
        &mut self,
        collection: &ServerCollection,
        token: &str,
        parts: &mut PartSender<'_>,
    ) -> Result<bool, LookFailure> {
        let mut token = token.to_owned();
        let (mut changed, mut gone) = (BTreeSet::new(), BTreeSet::new());
        for _ in 0..ROUNDS_MAX {
            let body = format!(
                "<sync-collection {NAMESPACES}><sync-token>{}</sync-token><sync-level>1</sync-level><prop><getetag/></prop></sync-collection>",
                escaped(&token)
            );
            let answer = self.report(&collection.path, &body).await?;
            if is_refused(&answer) {
                return Ok(false);
            }
            let (base, found) = self.parsed(answer)?;
            let mut is_cut = false;
            for one in &found.responses {
                let path = self.session.follow(&one.href, &base)?;
                match one.status {
                    Some(507) => is_cut = true,
                    Some(status) if status == 404 || status == 410 => {
                        changed.remove(&path);
                        gone.insert(path);
                    }
                    Some(_) | None if path != collection.path => {
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
        parts.send(collection.head(false, Some(format!("{BY_TOKEN}{token}"))))?;
        for id in gone {
            parts.send(AccountPart::Gone { id })?;
        }
        self.read_objects(collection, changed, parts).await?;
        Ok(true)
    }

    /// Reads objects by their paths.
    async fn read_objects(
        &mut self,
        collection: &ServerCollection,
        paths: BTreeSet<String>,
        parts: &mut PartSender<'_>,
    ) -> Result<(), LookFailure> {
        let paths: Vec<String> = paths.into_iter().collect();
        for some in paths.chunks(self.content.objects_at_once()) {
            let hrefs = some.iter().fold(String::new(), |hrefs, path| {
                hrefs + "<href>" + &escaped(path) + "</href>"
            });
            let answer = self
                .report(&collection.path, &self.content.multiget(&hrefs))
                .await?;
            let (base, found) = self.parsed(answer)?;
            for one in found.responses {
                self.hand_over(one, &base, parts)?;
            }
        }
        Ok(())
    }

    /// Reads all of a collection: of a calendar what lies in a span of time, and its tasks.
    async fn read_whole(
        &mut self,
        collection: &ServerCollection,
        span: &[String; 2],
        parts: &mut PartSender<'_>,
    ) -> Result<(), LookFailure> {
        parts.send(collection.head(true, collection.mark()))?;
        for (number, query) in self.content.queries(span).iter().enumerate() {
            let answer = self.report(&collection.path, query).await?;
            // A calendar without tasks may say no to a question about them.
            if number == 1 && is_refused(&answer) {
                continue;
            }
            let (base, found) = self.parsed(answer)?;
            if self.content == DavContent::AddressBooks {
                let paths = found.responses.iter();
                let paths = paths.map(|one| self.session.follow(&one.href, &base));
                let mut paths = paths.collect::<Result<BTreeSet<String>, LookFailure>>()?;
                paths.remove(&collection.path);
                self.read_objects(collection, paths, parts).await?;
                continue;
            }
            for one in found.responses {
                self.hand_over(one, &base, parts)?;
            }
        }
        Ok(())
    }

    fn hand_over(&self, one: DavResponse, base: &str, parts: &mut PartSender<'_>) -> Result<(), LookFailure> {
        let id = self.session.follow(&one.href, base)?;
        if one.status.is_some_and(|status| status == 404 || status == 410) {
            return parts.send(AccountPart::Gone { id });
        }
        let Some(mut text) = one.props.data else {
            return Ok(());
        };
        if self.content == DavContent::AddressBooks {
            text = vcard::names_alone(&text);
        }
        // Several stand in one file.
        text.push_str("\r\n");
        parts.send(AccountPart::Object { id, text })
    }
}

fn homes_in(found: &Multistatus) -> Vec<String> {
    let homes = found.responses.iter().flat_map(|one| one.props.homes.clone());
    homes.take(COLLECTIONS_MAX).collect()
}

/// A text between tags.
fn escaped(text: &str) -> String {
    quick_xml::escape::escape(text).into_owned()
}
