//! What the page Money asks: messages that could not be read, and senders that wait; and the routes that answer.
//!
//! What: the two blocks, `POST /v1/senders/{sender}/judge`, `POST /v1/questions/{message}/answer`. Why: the owner says whose word counts and what a
//! message means where its payments stand, and is never interrupted for it. Not here: the sentences (`words`), what the call goes through (the machine).
//!
//! The texts of messages are private: they are asked of the agent for this one page, and a page that the browser keeps has none of this.

use super::{
    api::JsonBody,
    error::WebError,
    owner::{ActionResponse, OwnerResult, end},
    shell,
    state::AppState,
};
use axum::{
    Json,
    extract::{Path, State},
    http::HeaderMap,
};
use chrono_tz::Tz;
use maud::{Markup, html};
use serde::Deserialize;
use std::{borrow::Cow, sync::Arc};
use surfaces_base::{
    backend::{OwnerCall, owner::MoneyInquiry},
    visible::visible,
    words,
};
use toolcall_schema::{
    catalogue::{
        money_questions::{
            AnswerQuestion, MarkedPayment, MessageWords, PaymentSenderRow, SenderAcceptance, UnreadRow,
        },
        shared::ThingId,
    },
    ids::{ChannelHash, ItemId},
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StandingBody {
    standing: SenderAcceptance,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PaymentsBody {
    payments: Vec<MarkedPayment>,
}

/// `POST /v1/senders/{sender}/judge`
pub(super) async fn judge(
    State(app): State<Arc<AppState>>,
    Path(sender): Path<String>,
    headers: HeaderMap,
    body: Result<JsonBody, WebError>,
) -> OwnerResult<Json<ActionResponse>> {
    let sender = ChannelHash::parse(&sender).map_err(|_| WebError::NotFound)?;
    let StandingBody { standing } = body?.read()?;
    end(&app, OwnerCall::JudgeSender(sender, standing), &headers).await
}

/// `POST /v1/questions/{message}/answer`
pub(super) async fn answer(
    State(app): State<Arc<AppState>>,
    Path(message): Path<String>,
    headers: HeaderMap,
    body: Result<JsonBody, WebError>,
) -> OwnerResult<Json<ActionResponse>> {
    let item_id = ItemId::parse(&message).map_err(|_| WebError::NotFound)?;
    let PaymentsBody { payments } = body?.read()?;
    let answer = AnswerQuestion { item_id, payments };
    end(&app, OwnerCall::AnswerQuestion(answer), &headers).await
}

/// The two blocks; where there is nothing to ask and nothing was decided, none.
pub(super) fn blocks(asked: Option<&MoneyInquiry>, zone: Tz) -> Markup {
    let messages: Vec<(&UnreadRow, &MessageWords)> = asked.map_or_else(Vec::new, |asked| {
        let rows = asked.questions.messages.iter();
        rows.filter_map(|row| {
            let texts = asked.described.texts.iter();
            Some((row, texts.into_iter().find(|text| text.item_id == row.item_id)?))
        })
        .collect()
    });
    let senders = asked.map_or(&[][..], |asked| asked.questions.senders.as_slice());
    html! {
        section.block #unread data-region aria-labelledby="unread-title" hidden[messages.is_empty()] {
            h2 #unread-title { (words::UNREAD_MONEY) }
            p.says { (words::MARK_BOTH) }
            @for (row, text) in &messages { (question(asked, row, text, zone)) }
        }
        section.block #senders data-region aria-labelledby="senders-title" hidden[asked.is_some() && senders.is_empty()] {
            h2 #senders-title { (words::SENDERS) }
            @if asked.is_none() { p.says data-again-ms=(shell::AGAIN_MS) { (words::SENDERS_NOT_READ) } }
            @if !senders.is_empty() { ul.rows { @for row in senders { (sender(asked, row, zone)) } } }
        }
    }
}

/// A message with its words as buttons.
fn question(asked: Option<&MoneyInquiry>, row: &UnreadRow, text: &MessageWords, zone: Tz) -> Markup {
    let from = name(asked, &row.channel_hash).unwrap_or(Cow::Borrowed(words::SOME_SENDER.say()));
    html! {
        div.message data-question=(row.item_id) {
            p.eyebrow { bdi { (words::unread_from(&from, row.at, zone)) } }
            p.words dir="auto" {
                @for (nth, word) in text.words.iter().enumerate() {
                    button type="button" data-word-at=(nth) data-amount[word.amount] aria-pressed="false" {
                        (visible(word.text.as_str()))
                    }
                    " "
                }
            }
            p.marked role="status" {
                (words::AMOUNT) ": " b data-marked="amount" data-none=(words::NOT_MARKED) { (words::NOT_MARKED) } " · "
                (words::OTHER_SIDE) ": " b data-marked="payee" data-none=(words::NOT_MARKED) { (words::NOT_MARKED) }
            }
            p.answers {
                button type="button" data-paid="debit" { (words::I_PAID) }
                button type="button" data-paid="credit" { (words::I_RECEIVED) }
                button type="button" data-paid="none" { (words::NOTHING_PAID) }
            }
        }
    }
}

fn sender(asked: Option<&MoneyInquiry>, row: &PaymentSenderRow, zone: Tz) -> Markup {
    let id = row.channel_hash.as_str();
    let name = name(asked, &row.channel_hash).unwrap_or(Cow::Borrowed(words::SENDER_NAMELESS.say()));
    let button = |standing: SenderAcceptance, text: &str| {
        html! {
            button.plain type="button" data-sender=(id) data-standing=(standing) aria-label=(words::on_row(text, &name)) { (text) }
        }
    };
    html! {
        li {
            p.head { span.what { bdi { (name) } } }
            p.note { (words::sender(row, zone)) }
            p.head {
                @match row.standing {
                    SenderAcceptance::Undecided => {
                        (button(SenderAcceptance::Counts, words::COUNT_SENDER.say()))
                        (button(SenderAcceptance::NotABank, words::NOT_A_BANK.say()))
                    }
                    SenderAcceptance::Counts if row.forms > 0 => (button(SenderAcceptance::Undecided, words::UNLEARN_FORMS.say())),
                    SenderAcceptance::Counts | SenderAcceptance::NotABank => (button(SenderAcceptance::Undecided, words::ASK_AGAIN.say())),
                }
            }
        }
    }
}

/// What a sender is called, while the agent knows it.
fn name<'a>(asked: Option<&'a MoneyInquiry>, sender: &ChannelHash) -> Option<Cow<'a, str>> {
    let labels = &asked?.described.labels;
    let label = labels.iter().find(|label| match &label.id {
        ThingId::Channel(channel) => channel == sender,
        ThingId::Item(_)
        | ThingId::Event(_)
        | ThingId::Txn(_)
        | ThingId::Merchant(_)
        | ThingId::Person(_) => false,
    });
    label.map(|label| visible(label.label.as_str()))
}
