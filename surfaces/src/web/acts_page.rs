//! What the owner did, and taking it back.
//!
//! What: the page of a week's acts, the rows of the last ones on other pages with what dismissing may have meant, and the one way to take one back.
//! Why: an act that cannot be taken back where it is told of is not controlled by its owner. Not here: what an act is (`render::acts`), what is offered
//! (`render::feedback`), the calls (`backend`).

use super::{
    error::WebError,
    icons::{EmptyDrawing, IconName, drawing, icon},
    nameless::named_by_place,
    person_page::sender_link,
    recorded_rows::{SettingsUndo, recorded_rows, recorded_things},
    shell::{AppSection, BelowFrame, panes, way_to},
    standing_acts::standing,
    state::AppState,
};
use crate::{
    render::{
        acts::{self, ActContext, ActId, ActKind, DoneAct, UndoState},
        drawer::ToldAct,
        feedback::{DismissedCard, FeedbackOffer, offers, standing_rules},
        section::people::{id_of, thing_of},
        sender_link::SenderLink,
        undo::plain_line,
    },
    undoing::KnownActs,
};
use axum::{
    Json,
    extract::{Path, State},
    response::Html,
};
use maud::{Markup, html};
use serde::Serialize;
use std::{cmp::Reverse, collections::BTreeSet, sync::Arc, time::Duration};
use surfaces_base::{
    backend::{DisplayNames, NowView, deliveries::DeliveryView, settings::HomeFileView},
    format, words,
};
use toolcall_schema::{
    Category, Outcome, Timestamp,
    catalogue::{learning::LearnedThing, shared::ThingId},
    ids::{ChannelHash, ItemId},
    trace::Trace,
};

/// An act is told of beside the card for so long.
const JUST: Duration = Duration::from_mins(15);
/// So many are.
const JUST_MAX: usize = 3;
/// So many of that time are looked through for those about one person.
const NEWS_MAX: usize = 32;

/// A message is known for a day, in milliseconds.
const KNOWN_MS: i64 = 24 * 60 * 60 * 1000;

/// A row of an act.
struct ActRow {
    id: ActId,
    at: String,
    says: String,
    undo: UndoState,
    /// That it was taken back, or when it ended.
    ended: Option<String>,
    /// What Undo takes back, where that is not the whole act.
    undoes: Option<String>,
    note: Option<&'static str>,
    /// What its button says: what it does.
    button: &'static str,
    feedback: Option<FeedbackRow>,
    /// To whom it was done.
    about: Option<SenderLink>,
    /// Where it stands on its server.
    delivery: Option<String>,
}

/// What acts are told with: those beside them, names, and where they stand on a server.
struct ToldActs<'a> {
    all: &'a [DoneAct],
    context: &'a ActContext<'a>,
    names: &'a DisplayNames,
    deliveries: &'a [DeliveryView],
}

/// What stands under a dismissed card.
struct FeedbackRow {
    /// What is in force because of it.
    standing: Vec<String>,
    /// Else what it may have meant, and whether that is shown at once.
    buttons: Vec<FeedbackButton>,
    /// That nothing more was meant, and what that does.
    not_now: (&'static str, &'static str),
    is_open: bool,
}

struct FeedbackButton {
    label: String,
    effect: String,
    offer: FeedbackOffer,
}

impl FeedbackRow {
    fn new(
        card: &DismissedCard,
        all: &[DoneAct],
        context: &ActContext<'_>,
        names: &DisplayNames,
        is_open: bool,
    ) -> Self {
        let standing = standing_rules(card, context.zone, context.rules);
        let offers = if standing.is_empty() {
            offers(card, context.zone)
        } else {
            Vec::new()
        };
        let narrow = matches!(offers.first(), Some(FeedbackOffer::ThisThing(..)));
        let is_new = |offer: &FeedbackOffer| match offer {
            FeedbackOffer::Misjudged(about, _) => !is_corrected(about, all, context),
            // A message is known for a day.
            FeedbackOffer::NotWaiting(item) => {
                context.now.since(card.decided_at) < KNOWN_MS && !is_let_go(item, all, context)
            }
            FeedbackOffer::UsualDay(category, _) => !is_called_usual(*category, all, context),
            FeedbackOffer::ThisThing(..) | FeedbackOffer::ThisKind(_) | FeedbackOffer::ThisHour(..) => true,
        };
        Self {
            standing: standing.iter().map(|(offer, _)| offer.effect(names)).collect(),
            buttons: offers
                .into_iter()
                .filter(is_new)
                .map(|offer| FeedbackButton {
                    label: offer.label(names, narrow),
                    effect: offer.effect(names),
                    offer,
                })
                .collect(),
            not_now: card.not_now(),
            is_open,
        }
    }
}

/// Whether a correction of somebody's messages is in force, as far as acts tell: that one can be taken back where it stands.
fn is_corrected(about: &LearnedThing, all: &[DoneAct], context: &ActContext<'_>) -> bool {
    let is_it = |act: &&DoneAct| matches!(&act.act, ActKind::Corrected(of, _) if of == about);
    let mut corrected = all.iter().filter(is_it);
    corrected.any(|act| act.undo(all, context) == UndoState::Offered)
}

/// Whether the owner calls spending in a category usual, as far as acts tell: that can be taken back where it stands.
fn is_called_usual(category: Category, all: &[DoneAct], context: &ActContext<'_>) -> bool {
    let is_it = |act: &&DoneAct| matches!(&act.act, ActKind::SpendingUsual(of) if of.category == category);
    let mut called = all.iter().filter(is_it);
    called.any(|act| act.undo(all, context) == UndoState::Offered)
}

/// Whether the owner said that nobody waits there, as far as acts tell: that can be taken back where it stands.
fn is_let_go(item: &ItemId, all: &[DoneAct], context: &ActContext<'_>) -> bool {
    let is_it = |act: &&DoneAct| act.act.let_go() == Some(item);
    let mut let_go = all.iter().filter(is_it);
    let_go.any(|act| act.undo(all, context) == UndoState::Offered)
}

fn row_of(act: &DoneAct, told: &ToldActs<'_>, is_open: bool) -> ActRow {
    let ToldActs {
        all,
        context,
        names,
        deliveries,
    } = *told;
    let delivery = deliveries
        .iter()
        .find(|one| act.id.trace() == Some(&one.trace_id));
    let feedback = if let ActKind::Dismissed(card) = &act.act {
        Some(FeedbackRow::new(card, all, context, names, is_open))
    } else {
        None
    };
    let mut undo = act.undo(all, context);
    // What a dismissal meant can be said again.
    if feedback.is_some() && undo != UndoState::Offered {
        undo = UndoState::Nothing;
    }
    ActRow {
        id: act.id.clone(),
        at: time_of(act, context),
        says: delivery
            .and_then(|_| act.says_delivered(names, context.now, context.zone))
            .unwrap_or_else(|| act.says(names, act.is_past(undo), context.now, context.zone)),
        undo,
        ended: ended_says(act, undo, context),
        undoes: feedback.as_ref().and_then(|row| row.standing.last().cloned()),
        note: undo_note(act).filter(|_| undo == UndoState::Offered),
        button: button_says(&act.act, delivery.is_some()),
        delivery: delivery.map(words::delivery_says),
        about: about_of(act, names, context.now),
        feedback,
    }
}

/// What the button says that takes an act back: of what took something away, what it does. `delivered`: whether a server has to do with it.
fn button_says(act: &ActKind, delivered: bool) -> &'static str {
    if let ActKind::RemovedRule(..) = act {
        words::ADD_AGAIN.say()
    } else if let ActKind::DiscardedReply(_) | ActKind::DiscardedDecline(_) = act {
        words::BRING_BACK.say()
    } else if let (false, ActKind::DraftedReply(_) | ActKind::DraftedDecline(_)) = (delivered, act) {
        words::DISCARD.say()
    } else {
        words::UNDO.say()
    }
}

/// When it was done; of a card that was put away, also when that came.
fn time_of(act: &DoneAct, context: &ActContext<'_>) -> String {
    let clock = |at| format::clock_on(at, context.now, context.zone);
    if let ActKind::Dismissed(card) | ActKind::Later(card, _) = &act.act {
        let (at, came) = (clock(act.at), clock(card.decided_at));
        let of_card = words::of_card(&came);
        // A question is answered within its minute, and of old cards the time was not kept.
        if at == came {
            of_card
        } else {
            format!("{at} · {of_card}")
        }
    } else {
        clock(act.at)
    }
}

/// That it was taken back; of what goes on until then, when.
fn ended_says(act: &DoneAct, undo: UndoState, context: &ActContext<'_>) -> Option<String> {
    let UndoState::Undone(at) = undo else { return None };
    let goes_on = matches!(act.act, ActKind::Paused(_) | ActKind::AddedRule(_));
    Some(if goes_on {
        words::ended_at(&format::clock_on(at, context.now, context.zone))
    } else {
        words::UNDONE_NOW.say().to_owned()
    })
}

/// What Undo does beside taking the act back.
fn undo_note(act: &DoneAct) -> Option<&'static str> {
    if let ActKind::Corrected(..) = act.act {
        Some(words::UNDO_FORGETS.say())
    } else if let ActKind::Later(..) = act.act {
        Some(words::UNDO_LATER_SAYS.say())
    } else {
        None
    }
}

/// To whom an act was done, where there is a page about them: who sent a message is known for a day.
fn about_of(act: &DoneAct, names: &DisplayNames, now: Timestamp) -> Option<SenderLink> {
    let thing = act.thing()?;
    let is_known = !matches!(thing, ThingId::Item(_)) || now.since(act.at) < KNOWN_MS;
    SenderLink::from_id(id_of(&thing), names).filter(|_| is_known)
}

/// Whether an act is still told of beside the card.
fn is_news(app: &AppState, act: &DoneAct, now: &NowView) -> bool {
    let age = Duration::from_millis(now.at.since(act.at).max(0).unsigned_abs());
    // It may have lain there for hours.
    let just_put_away = matches!(&act.act, ActKind::Dismissed(card) | ActKind::Later(card, _)
        if app.dismissals.has(&card.card_id, JUST));
    age < JUST || just_put_away
}

/// The chats that were muted a moment ago.
pub(super) fn just_muted(app: &AppState, traces: &[Trace], now: &NowView) -> BTreeSet<ChannelHash> {
    let all = acts::acts(traces, &now.untraced).into_iter();
    all.filter(|act| is_news(app, act, now))
        .filter_map(|act| {
            if let ActKind::Muted(chat, _) = act.act {
                Some(chat)
            } else {
                None
            }
        })
        .collect()
}

/// What was done a moment ago, with Undo; nothing when that is nothing.
/// `about`: whose page it is; what was done about others is not told there.
pub(super) async fn just_done(
    app: &AppState,
    traces: &[Trace],
    now: &NowView,
    about: Option<&LearnedThing>,
) -> Result<Markup, WebError> {
    let all = acts::acts(traces, &now.untraced);
    let zone = format::zone(&now.zone);
    let news = all.iter().filter(|act| {
        is_news(app, act, now)
            && about.is_none_or(|about| may_be_about(act, about) && !is_shown_there(act))
            && !act.stands_with_its_card(&all, zone)
    });
    // Whose a message is, Comms says.
    let most = if about.is_some() { NEWS_MAX } else { JUST_MAX };
    // What a dismissal meant is asked until it is no news: others do not push it out.
    let is_asked = |act: &DoneAct| matches!(act.act, ActKind::Dismissed(_));
    let mut last: Vec<DoneAct> = news
        .take(NEWS_MAX)
        .enumerate()
        .filter(|(n, act)| *n < most || is_asked(act))
        .map(|(_, act)| act.clone())
        .collect();
    if last.is_empty() {
        return Ok(html! {});
    }
    if let Some(about) = about {
        last = only_about(app, last, about).await;
        if last.is_empty() {
            return Ok(html! {});
        }
    }
    let names = named_acts(app, &last).await?;
    let mutes = app.backend.status().await?.mutes;
    let context = ActContext::new(now, &mutes);
    let told = ToldActs {
        all: &all,
        context: &context,
        names: &names,
        deliveries: &app.backend.deliveries().await,
    };
    let rows = last.iter().map(|act| {
        let mut row = row_of(act, &told, true);
        // On the page about somebody nothing leads to it once more.
        if about.is_some_and(|about| {
            matches!(about, LearnedThing::Person(_)) || act.thing() == Some(thing_of(about))
        }) {
            row.about = None;
        }
        row
    });
    Ok(html! {
        div.block {
            h2 { (icon(IconName::Undo)) (words::JUST_DONE) }
            ul.rows.acts { @for row in rows { (act_row(&row)) } }
            p.more { a href="/history" { (words::ALL_YOU_DID) } }
        }
    })
}

/// Where it stands on a page.
pub(super) fn done_region(done: &Markup) -> Markup {
    html! { section #done data-region aria-live="polite" aria-label=(words::JUST_DONE) { (done) } }
}

/// Whether the page about somebody says by itself what an act came to: until when they are muted, with the way back.
fn is_shown_there(act: &DoneAct) -> bool {
    if let ActKind::AddedRule(rule) | ActKind::RemovedRule(_, Some(rule)) = &act.act {
        rule.muted_person().is_some()
    } else {
        matches!(act.act, ActKind::Muted(..) | ActKind::Unmuted(_))
    }
}

/// Whether it may be about somebody: a message does not say whose it is.
fn may_be_about(act: &DoneAct, about: &LearnedThing) -> bool {
    match act.thing() {
        Some(ThingId::Event(_) | ThingId::Txn(_) | ThingId::Merchant(_)) => false,
        Some(ThingId::Person(_) | ThingId::Channel(_)) => {
            let is_it = |thing: Option<ThingId>| thing == Some(thing_of(about));
            is_it(act.thing()) || is_it(act.other_thing())
        }
        Some(ThingId::Item(_)) => true,
        None => false,
    }
}

/// The last of them that are about somebody or a chat: a message is its sender's, else its chat's.
async fn only_about(app: &AppState, acts: Vec<DoneAct>, about: &LearnedThing) -> Vec<DoneAct> {
    let mut found = Vec::new();
    for act in acts {
        let is_theirs = match act.thing() {
            Some(message @ ThingId::Item(_)) => {
                let sender = app.backend.correspondent(message).await;
                sender.is_some_and(|sender| sender.about == *about)
            }
            _ => true,
        };
        if is_theirs {
            found.push(act);
        }
        if found.len() == JUST_MAX {
            break;
        }
    }
    found
}

/// The newest act of a moment ago that can be taken back, for the watch, which has room for one: to what it was done above, what was done below.
pub(super) async fn undo_on_watch(
    app: &AppState,
    traces: &[Trace],
    now: &NowView,
) -> Result<Option<Markup>, WebError> {
    let all = acts::acts(traces, &now.untraced);
    if !all.iter().any(|act| is_news(app, act, now)) {
        return Ok(None);
    }
    let mutes = app.backend.status().await?.mutes;
    let context = ActContext::new(now, &mutes);
    // A pause stands on the watch's face with its own way back.
    let mut news = all
        .iter()
        .filter(|act| is_news(app, act, now) && !matches!(act.act, ActKind::Paused(_)) && !act.takes_back());
    let Some(act) = news.find(|act| act.undo(&all, &context) == UndoState::Offered) else {
        return Ok(None);
    };
    let names = named_acts(app, [act]).await?;
    let about = act
        .thing()
        .and_then(|thing| names.get(id_of(&thing)).map(str::to_owned));
    let says = plain_line(&act.act, &context);
    Ok(Some(html! {
            @if let Some(about) = about { p.about { bdi { (about) } } }
            p.line { (says) }
            div.answers {
                button.side type="button" data-undo-act=(act.id) aria-label=(words::undo_act(words::UNDO.say(), &says)) { (words::UNDO) }
            }
    }))
}

fn act_row(row: &ActRow) -> Markup {
    html! {
        li {
            p.head {
                @if let Some(trace) = row.id.trace() {
                    a.what href={ "/trace/" (trace) } data-drawer=(trace) { bdi dir="ltr" { (row.says) } }
                } @else {
                    bdi.what dir="ltr" { (row.says) }
                }
                (undo_button(row))
            }
            p.note { (row.at) }
            @if let Some(feedback) = &row.feedback {
                @for says in &feedback.standing { p.says dir="auto" { (says) } }
            }
            @if let Some(ended) = &row.ended { p.note { (ended) } }
            @if let Some(note) = row.note { p.note { (note) } }
            @if let Some(delivery) = &row.delivery { p.note dir="auto" { (delivery) } }
            @if let Some(link) = &row.about { (sender_link(link)) }
            @if let Some(feedback) = &row.feedback { (meanings(row, feedback)) }
        }
    }
}

/// Takes an act back; nothing where that cannot be.
fn undo_button(row: &ActRow) -> Markup {
    let undoes = row.undoes.as_ref().unwrap_or(&row.says);
    html! { @if row.undo == UndoState::Offered { (button_of(&row.id, row.button, undoes)) } }
}

/// Takes back an act that can be.
pub(super) fn undo_of(act: &DoneAct, says: &str) -> Markup {
    button_of(&act.id, button_says(&act.act, true), says)
}

fn button_of(id: &ActId, button: &str, says: &str) -> Markup {
    html! {
        button.plain type="button" data-undo-act=(id) aria-label=(words::undo_act(button, says)) { (icon(IconName::Undo)) (button) }
    }
}

/// What dismissing may have meant, a button each with its effect.
fn meanings(row: &ActRow, feedback: &FeedbackRow) -> Markup {
    html! {
        @if !feedback.buttons.is_empty() {
            details.meant id={ "meant-" (row.id) } open[feedback.is_open] {
                summary aria-label=(words::what_it_meant(&row.says)) { (words::WHAT_IT_MEANT) }
                div.meanings {
                    button type="button" data-not-now { (meaning(feedback.not_now.0, feedback.not_now.1)) }
                    @for button in &feedback.buttons {
                        @let says = meaning(&button.label, &button.effect);
                        @match (button.offer.rule(), &button.offer) {
                            (Some(rule), _) => {
                                button type="button" data-teach=(serde_json::to_string(&rule).unwrap_or_default()) data-about=(row.id) { (says) }
                            },
                            (None, FeedbackOffer::Misjudged(about, class)) => {
                                button type="button" data-correct=(about.as_str()) data-class=(class) { (says) }
                            },
                            (None, FeedbackOffer::NotWaiting(item)) => {
                                button type="button" data-not-waiting=(item) { (says) }
                            },
                            (None, FeedbackOffer::UsualDay(category, day)) => {
                                button type="button" data-usual=(category) data-day=(day) data-is="true" { (says) }
                            },
                            (None, FeedbackOffer::ThisThing(..) | FeedbackOffer::ThisKind(_) | FeedbackOffer::ThisHour(..)) => {},
                        }
                    }
                }
            }
        }
    }
}

fn meaning(label: &str, effect: &str) -> Markup {
    html! { b dir="auto" { (label) } " " span dir="auto" { (effect) } }
}

/// `GET /history`
pub(super) async fn history(State(app): State<Arc<AppState>>) -> Result<Html<String>, WebError> {
    let (status, now) = (app.backend.status().await?, app.backend.now().await?);
    let traces = app.backend.acts().await?;
    let all = acts::acts(&traces, &now.untraced);
    let recorded = app.backend.recorded_acts().await?;
    let mut things = acts::things(&all);
    things.append(&mut recorded_things(&recorded));
    let names = app.backend.names(things.clone()).await;
    let names = named_by_place(&app, names, things).await?;
    let context = ActContext::new(&now, &status.mutes);
    let home = app.backend.home_file().await?;
    let shown = |can: &dyn Fn(&HomeFileView) -> bool| {
        let home = home.as_ref().filter(|home| can(home));
        home.map(|home| home.shown.as_str())
    };
    let undo = SettingsUndo {
        last: shown(&|home| home.can_undo),
        earlier: shown(&|home| home.can_undo_earlier),
    };
    let told = ToldActs {
        all: &all,
        context: &context,
        names: &names,
        deliveries: &app.backend.deliveries().await,
    };
    let of_act = |act: &DoneAct| (act.at, act_row(&row_of(act, &told, false)));
    let mut rows: Vec<(Timestamp, Markup)> = all
        .iter()
        .filter(|act| !act.stands_with_its_card(&all, context.zone))
        .map(of_act)
        .chain(recorded_rows(
            &recorded,
            (&names, &app.door.devices.list()),
            &context,
            undo,
        ))
        .collect();
    rows.sort_by_key(|(at, _)| Reverse(*at));
    let standing = standing(&app, &now, (status.at, context.zone)).await?;
    let done = html! {
        section.block #acts data-region aria-label=(words::WHAT_YOU_DID) {
            @if rows.is_empty() { div.empty { (drawing(EmptyDrawing::Quiet)) p.none { (words::NOTHING_DONE) } } }
            @else {
                p.says { (words::WHAT_YOU_DID_SAYS) }
                ul.rows.acts { @for (_, row) in &rows { (row) } }
            }
        }
    };
    let beside = html! {
        (standing)
        (way_to("/history/days", words::HISTORY.say()))
    };
    let frame = BelowFrame {
        surface: "app",
        ..BelowFrame::new(AppSection::Now, "/history", words::WHAT_YOU_DID.say())
    };
    Ok(frame.page(&app, &panes(&done, &beside)))
}

/// An act, beside all others of a week.
async fn find_act(app: &AppState, id: &str) -> Result<(DoneAct, KnownActs), WebError> {
    let id = ActId::parse(id).ok_or(WebError::NotFound)?;
    let known = KnownActs::read(app.backend.as_ref()).await?;
    let act = known.find(app.backend.as_ref(), &id).await?;
    Ok((act.ok_or(WebError::NotFound)?, known))
}

/// `GET /fragment/acts/{id}`: what was done, with its Undo, for the bar in reach of the thumb.
pub(super) async fn act_part(
    State(app): State<Arc<AppState>>,
    Path(id): Path<String>,
) -> Result<Html<String>, WebError> {
    let (act, known) = find_act(&app, &id).await?;
    let names = named_acts(&app, [&act]).await?;
    let told = ToldActs {
        all: &known.all,
        context: &known.context(),
        names: &names,
        deliveries: &app.backend.deliveries().await,
    };
    let row = row_of(&act, &told, false);
    Ok(Html(html! { p { (row.says) } (undo_button(&row)) }.into_string()))
}

/// What was done, for a notification: without a name.
#[derive(Serialize)]
pub(super) struct PlainAct {
    says: String,
    /// What its button says; absent: it cannot be taken back.
    #[serde(skip_serializing_if = "Option::is_none")]
    undo: Option<&'static str>,
}

/// `GET /fragment/acts/{id}/plain`: what was done, for the service worker.
pub(super) async fn plain_part(
    State(app): State<Arc<AppState>>,
    Path(id): Path<String>,
) -> Result<Json<PlainAct>, WebError> {
    let (act, known) = find_act(&app, &id).await?;
    let is_offered = act.undo(&known.all, &known.context()) == UndoState::Offered;
    Ok(Json(PlainAct {
        says: plain_line(&act.act, &known.context()),
        undo: is_offered.then(|| button_says(&act.act, true)),
    }))
}

/// The names of what some acts were done to.
pub(super) async fn named_acts<'a>(
    app: &AppState,
    acts: impl IntoIterator<Item = &'a DoneAct>,
) -> Result<DisplayNames, WebError> {
    let of_act = |act: &DoneAct| act.thing().into_iter().chain(act.other_thing());
    let things: BTreeSet<ThingId> = acts.into_iter().flat_map(of_act).collect();
    let names = app.backend.names(things.clone()).await;
    named_by_place(app, names, things).await
}

/// What the owner did with a decision, in the sentence of the history, and its Undo; `None`: nothing that has one.
pub(super) async fn told_act(app: &AppState, trace: &Trace) -> Result<Option<(ToldAct, Markup)>, WebError> {
    // Most decisions are silent: nobody did them, and the week's acts are not read for them.
    if trace.outcome == Outcome::Silent {
        return Ok(None);
    }
    let known = KnownActs::read(app.backend.as_ref()).await?;
    let id = ActId::Trace(trace.trace_id.clone());
    let act = known.find(app.backend.as_ref(), &id).await?;
    // That a card was dismissed its own sentence says.
    let Some(act) = act.filter(|act| !matches!(act.act, ActKind::Dismissed(_) | ActKind::Said(_))) else {
        return Ok(None);
    };
    let names = named_acts(app, [&act]).await?;
    let told = ToldActs {
        all: &known.all,
        context: &known.context(),
        names: &names,
        deliveries: &app.backend.deliveries().await,
    };
    let row = row_of(&act, &told, false);
    let beside = html! {
        (undo_button(&row))
        @if let Some(ended) = &row.ended { p.note { (ended) } }
        @if let Some(note) = row.note { p.note { (note) } }
        @if let Some(delivery) = &row.delivery { p.note dir="auto" { (delivery) } }
    };
    let told = ToldAct {
        can_undo: row.undo == UndoState::Offered,
        says: row.says,
    };
    Ok(Some((told, beside)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolcall_schema::{
        ids::TraceId,
        rule::{OwnerRule, RuleName},
    };

    /// Of a rule that is gone it is not known whom it was about; a pause is about nobody.
    #[test]
    fn what_is_about_nobody_is_told_on_nobodys_page() {
        let about = LearnedThing::parse("pe_0000000000000001").unwrap();
        let rule = RuleName::parse("evenings").unwrap();
        for (act, is_told) in [
            (ActKind::EndedPause, false),
            (ActKind::RemovedRule(rule.clone(), None), false),
            // What it said is known: it was about nobody.
            (
                ActKind::RemovedRule(rule.clone(), Some(OwnerRule::named(rule))),
                false,
            ),
        ] {
            let act = DoneAct {
                id: ActId::Trace(TraceId::parse("tr_000000000001").unwrap()),
                at: Timestamp::from_ms(0),
                act,
            };
            assert_eq!(may_be_about(&act, &about), is_told, "{act:?}");
        }
    }
}
