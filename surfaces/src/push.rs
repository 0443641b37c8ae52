//! What is pushed to the owner's phone, and what its buttons send back.
//!
//! What: [`message`], the JSON with which a card is published on an ntfy server, [`web_message`], the same for a browser, and [`read`], which reads one
//! line of the topic with the answers. Why: all are pure, so every line a server could send is a test. Not here: sockets (`orchestrator`), whether
//! an answer counts (the machine).

use crate::render::card::{CardView, card as view};
use serde::{Deserialize, Serialize};
use surfaces_base::{
    backend::{AnswerSubmission, DisplayNames},
    words,
};
use toolcall_schema::{
    SubmitAct, Surface, Timestamp,
    ids::{CardId, TraceId},
    trace::Card,
};

/// The longest line of a topic that is read, in bytes. ntfy's own messages end at 4096.
pub const LINE_MAX: usize = 8192;
/// The longest message id that is believed, in characters.
const ID_MAX: usize = 64;
/// Hexadecimal digits of a capability.
const CAPABILITY: usize = 64;

/// A message as ntfy takes it (`POST /` with JSON).
#[derive(Clone, PartialEq, Eq, Serialize)]
pub struct NtfyNotification {
    topic: String,
    title: &'static str,
    /// The watch's one line: nothing in it comes from outside.
    message: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    actions: Vec<NtfyButton>,
}

/// A button: the phone sends `body` to `url`.
#[derive(Clone, PartialEq, Eq, Serialize)]
struct NtfyButton {
    action: &'static str,
    label: &'static str,
    url: String,
    method: &'static str,
    body: String,
    /// The notification goes away when the server took it.
    clear: bool,
}

/// What a button sends: ids and an act, no name.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ButtonPayload {
    card: CardId,
    act: ButtonAct,
    capability: String,
}

/// What a button can say.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ButtonAct {
    Confirm,
    Dismiss,
    /// In an hour.
    Later,
}

/// The right to take back what a button did: of who was asked, as long as this process remembers it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UndoRight {
    /// The act, by its trace.
    pub undo: TraceId,
    /// What came with the question.
    pub capability: String,
}

/// What was done by a button, in place of the question and without a name, with the way back.
pub fn done_message(says: String, right: &UndoRight, topic: &str, answers: &str) -> NtfyNotification {
    NtfyNotification {
        topic: topic.to_owned(),
        title: words::APP_NAME.say(),
        message: says,
        actions: vec![NtfyButton {
            action: "http",
            label: words::UNDO.say(),
            url: answers.to_owned(),
            method: "POST",
            body: serde_json::to_string(right).unwrap_or_default(),
            clear: true,
        }],
    }
}

/// A notification that says that it is a trial.
pub fn trial(topic: &str) -> NtfyNotification {
    NtfyNotification {
        topic: topic.to_owned(),
        title: words::APP_NAME.say(),
        message: words::TRIAL_PUSH.say().to_owned(),
        actions: vec![],
    }
}

/// A card as a notification on `topic`, whose buttons send to `answers` (an address). `None` for a decision that chose nothing.
pub fn message(card: &Card, now: Timestamp, topic: &str, answers: &str) -> Option<NtfyNotification> {
    let shown = view(card, &DisplayNames::default(), now)?;
    let ask = shown.ask_on(Surface::Push);
    let button = |tap: ButtonAct, act: SubmitAct, capability: &str| NtfyButton {
        action: "http",
        label: words::act(act, shown.kind),
        url: answers.to_owned(),
        method: "POST",
        // Ids and enums: serializing cannot fail; an empty body would be passed over.
        body: serde_json::to_string(&ButtonPayload {
            card: shown.card_id.clone(),
            act: tap,
            capability: capability.to_owned(),
        })
        .unwrap_or_default(),
        clear: true,
    };
    let actions = ask
        .into_iter()
        .flat_map(|ask| acts_on(&shown).map(|(tap, act)| button(tap, act, &ask.capability)));
    let (title, message) = headline(&shown);
    Some(NtfyNotification {
        topic: topic.to_owned(),
        title,
        message,
        actions: actions.collect(),
    })
}

/// A notification for a browser, which its push service cannot read. A click opens the page, where the card can be answered as well.
#[derive(Clone, PartialEq, Eq, Serialize)]
pub struct WebNotification {
    title: &'static str,
    /// As in [`NtfyNotification`].
    body: String,
    /// Absent: nothing is asked, or not any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<NotificationAnswer>,
}

/// What the service worker sends for a button.
#[derive(Clone, PartialEq, Eq, Serialize)]
struct NotificationAnswer {
    card: CardId,
    /// Its decision, of which the worker tells what was done, with the way back.
    trace: TraceId,
    capability: String,
    /// In their order: a browser shows the first two or three.
    acts: Vec<NotificationButton>,
}

#[derive(Clone, PartialEq, Eq, Serialize)]
struct NotificationButton {
    act: SubmitAct,
    label: String,
}

/// A browser's notification that says that it is a trial.
pub fn web_trial() -> WebNotification {
    WebNotification {
        title: words::APP_NAME.say(),
        body: words::TRIAL_WEB_PUSH.say().to_owned(),
        answer: None,
    }
}

/// A card as a browser's notification: the same words and buttons as [`message`]. `None` for a decision that chose nothing.
pub fn web_message(card: &Card, now: Timestamp) -> Option<WebNotification> {
    let shown = view(card, &DisplayNames::default(), now)?;
    let (title, body) = headline(&shown);
    let answer = shown.ask_on(Surface::Push).map(|ask| NotificationAnswer {
        card: shown.card_id.clone(),
        trace: shown.trace_id.clone(),
        capability: ask.capability.clone(),
        acts: acts_on(&shown)
            .map(|(_, act)| NotificationButton {
                act,
                label: words::act(act, shown.kind).to_owned(),
            })
            .collect(),
    });
    Some(WebNotification { title, body, answer })
}

/// What a notification's buttons do, where it asks something. ntfy shows three at most.
fn acts_on(shown: &CardView) -> impl Iterator<Item = (ButtonAct, SubmitAct)> {
    let hour = shown.later.contains(&SubmitAct::LaterHour);
    [
        (ButtonAct::Confirm, SubmitAct::Confirm),
        (ButtonAct::Dismiss, SubmitAct::Dismiss),
    ]
    .into_iter()
    .chain(hour.then_some((ButtonAct::Later, SubmitAct::LaterHour)))
}

/// The words of a card that may leave this computer: none of them is from outside.
fn headline(shown: &CardView) -> (&'static str, String) {
    (words::PUSH_TITLE.say(), shown.watch_line.clone())
}

/// One line of the answers' topic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopicLine {
    /// The message's id, from which reading goes on after a lost connection; absent: none that can stand in an address.
    pub id: Option<String>,
    /// What it says.
    pub says: TopicEvent,
}

/// The meaning of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TopicEvent {
    /// Keep-alive.
    Alive,
    /// A button was pressed, as far as can be told here.
    Pressed(AnswerSubmission),
    /// What an earlier button did is to be taken back.
    TakenBack(UndoRight),
    /// Nothing that a button of ours sends. It is passed over and counted.
    Unreadable,
}

/// What ntfy wraps a message in. It may gain members.
#[derive(Deserialize)]
struct NtfyEnvelope {
    id: String,
    event: String,
    #[serde(default)]
    message: String,
}

/// Reads one line. Never fails: what is not an answer is [`TopicEvent::Unreadable`].
pub fn read(line: &[u8]) -> TopicLine {
    let Ok(event) = serde_json::from_slice::<NtfyEnvelope>(line) else {
        return TopicLine {
            id: None,
            says: TopicEvent::Unreadable,
        };
    };
    let says = match event.event.as_str() {
        "message" => pressed(&event.message)
            .map(TopicEvent::Pressed)
            .or_else(|| taken_back(&event.message).map(TopicEvent::TakenBack))
            .unwrap_or(TopicEvent::Unreadable),
        "open" | "keepalive" => TopicEvent::Alive,
        // ntfy's other events are no messages.
        _ => TopicEvent::Unreadable,
    };
    let plain = |id: &String| {
        (1..=ID_MAX).contains(&id.len())
            && id
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
    };
    // Only messages have a place in the topic's order.
    let id = Some(event.id).filter(|id| event.event == "message" && plain(id));
    TopicLine { id, says }
}

fn taken_back(message: &str) -> Option<UndoRight> {
    let right: UndoRight = serde_json::from_str(message).ok()?;
    (right.capability.len() == CAPABILITY).then_some(right)
}

fn pressed(message: &str) -> Option<AnswerSubmission> {
    let ButtonPayload {
        card,
        act,
        capability,
    } = serde_json::from_str(message).ok()?;
    let act = match act {
        ButtonAct::Confirm => SubmitAct::Confirm,
        ButtonAct::Dismiss => SubmitAct::Dismiss,
        ButtonAct::Later => SubmitAct::LaterHour,
    };
    (capability.len() == CAPABILITY).then_some(AnswerSubmission {
        card_id: card,
        act,
        surface: Surface::Push,
        capability: Some(capability),
    })
}
