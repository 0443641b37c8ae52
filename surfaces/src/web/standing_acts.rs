//! What the owner said that stands until she takes it back.
//!
//! What: the pause, rules and names beside the list of acts, however old they are. Why: an act is listed for a week, what it brought about may last for years. Not here: acts
//! (`acts_page`), rules that agents keep (`agent_rules`).

use super::{agent_rules::AgentRules, error::WebError, owner::things_of_rules, state::AppState};
use crate::render::{feedback::thing_name, section::people::id_of};
use chrono_tz::Tz;
use maud::{Markup, html};
use std::collections::BTreeSet;
use surfaces_base::{
    backend::{DisplayNames, NowView, people::GivenName},
    format, words,
};
use toolcall_schema::{Timestamp, catalogue::shared::ThingId};

/// The pause, and rules and names of the owner's, which have no end of their own: they are taken back here, however old they are.
pub(super) async fn standing(
    app: &AppState,
    now: &NowView,
    (at, zone): (Timestamp, Tz),
) -> Result<Markup, WebError> {
    let (given, said) = (app.backend.given_names().await?, AgentRules::ask(app).await);
    let rules = things_of_rules(now).into_iter();
    let subjects: BTreeSet<ThingId> = rules.chain(said.to_name()).collect();
    let names = if subjects.is_empty() {
        DisplayNames::default()
    } else {
        app.backend.names(subjects).await
    };
    let paused = now.paused_until.filter(|until| *until > at);
    let nothing = paused.is_none() && given.is_empty() && now.rules.is_empty() && said.is_empty();
    Ok(html! {
        section.block #standing data-region aria-labelledby="standing-title" hidden[nothing] {
            h2 #standing-title { (words::STANDS) }
            ul.rows {
                @if let Some(until) = paused {
                    li {
                        p.head {
                            span.what { (words::paused_until(&format::clock_on(until, at, zone))) }
                            button.plain type="button" data-pause="off" { (words::SPEAK_AGAIN) }
                        }
                    }
                }
                @for rule in &now.rules {
                    @let thing = rule.subject.as_ref().and_then(|subject| thing_name(subject, &names));
                    @let says = words::rule(rule, thing.as_deref(), (at, zone));
                    li {
                        p.head {
                            span.what dir="auto" { (says) }
                            button.plain type="button" data-unrule=(rule.name) aria-label=(words::remove_rule(&says)) { (words::REMOVE) }
                        }
                    }
                }
                @for one in &given { (given_row(one, (at, zone))) }
            }
            (said.rows(&names))
        }
    })
}

fn given_row(given: &GivenName, (at, zone): (Timestamp, Tz)) -> Markup {
    let (id, says) = (id_of(&given.thing), words::you_call(&given.thing, &given.name));
    html! {
        li {
            p.head {
                @if matches!(given.thing, ThingId::Person(_) | ThingId::Channel(_)) {
                    a.what href={ "/people/" (id) } dir="auto" { (says) }
                } @else { span.what dir="auto" { (says) } }
                form data-naming=(id) {
                    input type="hidden" name="name" value="";
                    button.plain type="submit" aria-label=(words::on_row(words::TAKE_NAME_AWAY.say(), &given.name)) { (words::TAKE_NAME_AWAY) }
                }
            }
            p.note { (words::since(&format::clock_on(given.at, at, zone))) }
        }
    }
}
