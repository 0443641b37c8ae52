//! People and chats, as a list.
//!
//! What: the page with its form, and what it finds. Why: whoever looks for somebody finds them by a name, and sees who is loud. A name that is looked for
//! comes in a body, never in an address, and is kept and recorded nowhere. Not here: the page about one (`person_page`), who is listed in which order
//! (`render::section::people`).

use super::{
    api::JsonBody,
    error::WebError,
    icons::initial,
    shell::{AppSection, BelowFrame, tool_panes},
    state::AppState,
};
use crate::render::section::{
    people::{
        FoundSenders, ListedKind, ListedSender, SHOWN_MAX, SenderOrder, find_senders, ids_of_list, say_ways,
        sort_senders,
    },
    same_people::{combine_senders, combine_ways, other_addresses},
    waiting,
};
use axum::{extract::State, response::Html};
use maud::{Markup, html};
use serde::Deserialize;
use std::{collections::BTreeMap, sync::Arc};
use surfaces_base::{
    backend::{DisplayNames, people::KeptSender},
    format, words,
};
use toolcall_schema::catalogue::{correspondent::SamePeopleList, learning::LearnedThing, shared::ThingId};

/// Characters of a name that is looked for.
pub(super) const NAME_MAX: usize = 100;

/// Messages that wait of which it is asked who sent them.
const ASKED_MAX: usize = 64;

/// Whom to list, as the form names it.
const PEOPLE: &str = "people";
const CHATS: &str = "chats";
/// In which order, as the form names it.
const RECENT: &str = "recent";

/// What the form sends; what is empty is any.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct PeopleForm {
    name: String,
    whom: String,
    order: String,
    /// How many stand before them, in digits.
    behind: String,
}

impl PeopleForm {
    fn kind(&self) -> Result<ListedKind, WebError> {
        match self.whom.as_str() {
            "" => Ok(ListedKind::Both),
            PEOPLE => Ok(ListedKind::People),
            CHATS => Ok(ListedKind::Chats),
            _ => Err(WebError::BadBody),
        }
    }

    fn behind(&self) -> Result<usize, WebError> {
        if self.behind.is_empty() {
            return Ok(0);
        }
        self.behind.parse().map_err(|_| WebError::BadBody)
    }

    fn order(&self) -> Result<SenderOrder, WebError> {
        match self.order.as_str() {
            "" => Ok(SenderOrder::Loudest),
            RECENT => Ok(SenderOrder::MostRecent),
            _ => Err(WebError::BadBody),
        }
    }
}

/// `GET /people`
pub(super) async fn people(State(app): State<Arc<AppState>>) -> Result<Html<String>, WebError> {
    let found = look(&app, &PeopleForm::default()).await?;
    let tools = html! {
        section.block #people aria-label=(words::PEOPLE) {
            p.says { (words::PEOPLE_SAYS) }
            (form())
        }
    };
    let found = html! { div.block #people-found aria-live="polite" { (found) } };
    let frame = BelowFrame::new(AppSection::Chats, "/people", words::PEOPLE.say());
    Ok(frame.page(&app, &tool_panes(&tools, &found)))
}

/// `POST /form/people/find`
pub(super) async fn find(
    State(app): State<Arc<AppState>>,
    body: Result<JsonBody, WebError>,
) -> Result<Html<String>, WebError> {
    let form: PeopleForm = body?.read()?;
    Ok(Html(look(&app, &form).await?.into_string()))
}

/// Those whose name holds the words, people or chats, the loudest first.
pub(super) async fn senders_named(
    app: &AppState,
    name: &str,
    chats_only: bool,
) -> Result<Vec<ListedSender>, WebError> {
    let form = PeopleForm {
        name: name.to_owned(),
        whom: if chats_only {
            CHATS.to_owned()
        } else {
            String::new()
        },
        ..PeopleForm::default()
    };
    Ok(find_listed(app, &form).await?.senders.rows)
}

/// What a form found, and where it stood.
struct FoundList {
    senders: FoundSenders,
    /// Whether nobody is remembered.
    is_nobody: bool,
    /// How many stand before them.
    behind: usize,
}

async fn look(app: &AppState, form: &PeopleForm) -> Result<Markup, WebError> {
    let FoundList {
        senders: found,
        is_nobody,
        behind,
    } = find_listed(app, form).await?;
    let next = (found.more > 0 && form.name.trim().is_empty()).then(|| PeopleForm {
        name: String::new(),
        whom: form.whom.clone(),
        order: form.order.clone(),
        behind: (behind + found.rows.len()).to_string(),
    });
    Ok(list(&found, is_nobody, next.as_ref()))
}

async fn find_listed(app: &AppState, form: &PeopleForm) -> Result<FoundList, WebError> {
    if form.name.chars().count() > NAME_MAX {
        return Err(WebError::BadBody);
    }
    let (kind, order) = (form.kind()?, form.order()?);
    let same = app.backend.same_people().await.unwrap_or_default();
    let mut all = combine_senders(app.backend.people().await?, &same);
    if kind != ListedKind::Chats {
        all.extend(uncounted_who_wait(app, &form.name, (&all, &same)).await);
    }
    let is_nobody = all.is_empty();
    let mut senders = sort_senders(all, kind, order);
    // A name is looked for among all of them.
    let behind = if form.name.trim().is_empty() {
        form.behind()?.min(senders.len())
    } else {
        0
    };
    let senders = senders.split_off(behind);
    // Who is not shown need not be named, unless a name is looked for.
    let named = if form.name.trim().is_empty() {
        SHOWN_MAX
    } else {
        senders.len()
    };
    let ids = ids_of_list(senders.iter().take(named));
    let names = if ids.is_empty() {
        DisplayNames::default()
    } else {
        app.backend.names(ids).await
    };
    let status = app.backend.status().await?;
    let now = (status.at, format::zone(&status.settings.zone));
    let mut found = find_senders(&senders, &names, &form.name, &status.mutes, now);
    let listed = found.rows.iter().map(|row| row.about.clone());
    let addresses = listed.flat_map(|about| {
        let others = other_addresses(&same, &about).into_iter();
        others
            .map(LearnedThing::Person)
            .chain([about])
            .collect::<Vec<_>>()
    });
    let ways = app.backend.ways(addresses.collect()).await?;
    say_ways(&mut found, &combine_ways(ways, &same));
    Ok(FoundList {
        senders: found,
        is_nobody,
        behind,
    })
}

/// Who waits for the owner and of whom memory counts no message, because theirs came before Aura was there. Of whoever is looked for by a name, only those
/// whose name holds it: each costs a question.
async fn uncounted_who_wait(
    app: &AppState,
    wanted: &str,
    (known, same): (&[KeptSender], &SamePeopleList),
) -> Vec<KeptSender> {
    let Some(mut waiting) = app.backend.waiting().await else {
        return Vec::new();
    };
    if !wanted.trim().is_empty() {
        let names = app.backend.names(waiting::ids(Some(&waiting))).await;
        waiting = waiting::named_like(waiting, &names, wanted);
    }
    let mut uncounted: BTreeMap<LearnedThing, KeptSender> = BTreeMap::new();
    for item in waiting.urgent.into_iter().take(ASKED_MAX) {
        let Some(who) = app.backend.correspondent(ThingId::Item(item.item_id)).await else {
            continue;
        };
        let sender = KeptSender {
            about: who.about.clone(),
            messages: 0,
            at: item.at,
            own_name: None,
            wrote_in: Some(item.channel_hash),
        };
        let one = uncounted.entry(who.about).or_insert(sender);
        one.at = one.at.max(item.at);
    }
    let mut uncounted = combine_senders(uncounted.into_values().collect(), same);
    uncounted.retain(|sender| known.iter().all(|known| known.about != sender.about));
    uncounted
}

/// `next`: asks for those that stand behind them; its answer takes the button's place.
fn list(found: &FoundSenders, nobody: bool, next: Option<&PeopleForm>) -> Markup {
    html! {
        @if nobody { p.none { (words::NOBODY_YET) } }
        @else if found.rows.is_empty() { p.none { (words::NOBODY_FOUND) } }
        @else { ul.rows { @for row in &found.rows { (row_of(row)) } } }
        @if found.more > 0 { p.note { (words::more_people(found.more)) } }
        @if let Some(next) = next {
            @let into = format!("people-{}", next.behind);
            div id=(into) {
                form data-post="/form/people/find" data-into=(into) {
                    @for (name, value) in [("whom", &next.whom), ("order", &next.order), ("behind", &next.behind)] {
                        input type="hidden" name=(name) value=(value);
                    }
                    p.buttons { button.side type="submit" { (words::SHOW_MORE_PEOPLE) } }
                }
            }
        }
        @if found.unnamed > 0 { p.note { (words::people_unnamed(found.unnamed)) } }
    }
}

fn row_of(row: &ListedSender) -> Markup {
    let label = (row.told_apart != row.name).then_some(row.told_apart.as_str());
    html! {
        li {
            (initial(&row.name))
            p.head {
                a.what href={ "/people/" (row.about.as_str()) } aria-label=[label] { bdi { (row.name) } }
                span.value { (row.value) }
            }
            p.note { (row.note) }
        }
    }
}

fn form() -> Markup {
    html! {
        form.settings data-post="/form/people/find" data-into="people-found" {
            label { (words::FIND_NAME) input type="search" name="name" autocomplete="off" maxlength=(NAME_MAX); }
            label { (words::PEOPLE_WHOM)
                select name="whom" {
                    option value="" { (words::PEOPLE_BOTH) }
                    option value=(PEOPLE) { (words::PEOPLE_ONLY) }
                    option value=(CHATS) { (words::CHATS_ONLY) }
                }
            }
            label { (words::PEOPLE_ORDER)
                select name="order" {
                    option value="" { (words::LOUDEST) }
                    option value=(RECENT) { (words::MOST_RECENT) }
                }
            }
            p.buttons { button.side type="submit" { (words::FIND_DO) } }
        }
    }
}
