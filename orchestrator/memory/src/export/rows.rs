//! Which field has which class.
//!
//! What: one function for each kind of row, taking it apart and writing each field by its class. Why: a field that is added to a
//! row has to be given a class here, or this does not compile. Not here: what is done with a class (`censor`).

use super::{
    censor::{At, Censor, Document, Fields, Key, Label, Money, Name, Of, Place, Plain, fields},
    class::Class,
};
use crate::graph::{NodeData, NodeType};
use toolcall_schema::{Timestamp, tick::Subject};

/// A row of the graph.
pub(super) struct NodeLine {
    pub(super) id: i64,
    pub(super) key: String,
    pub(super) at: Timestamp,
    pub(super) data: NodeData,
    pub(super) label: Option<String>,
}

pub(super) struct EdgeLine {
    /// Key and number.
    pub(super) from: (String, i64),
    pub(super) edge_type: String,
    pub(super) to: (String, i64),
    pub(super) at: Timestamp,
    pub(super) weight: f64,
}

pub(super) struct LabelLine {
    pub(super) of: String,
    pub(super) text: String,
    pub(super) at: Timestamp,
}

pub(super) struct TraceLine {
    pub(super) trace_id: String,
    pub(super) tick: u64,
    pub(super) at: Timestamp,
    pub(super) outcome: String,
    pub(super) chosen: Option<String>,
    pub(super) document: String,
}

pub(super) struct CounterLine {
    pub(super) day: String,
    pub(super) kind: String,
    pub(super) outcome: String,
    pub(super) count: u64,
}

pub(super) struct LedgerLine {
    pub(super) seq: u64,
    pub(super) day: String,
    pub(super) trace_id: String,
    pub(super) entry: String,
    pub(super) tokens: u64,
    pub(super) at: Timestamp,
}

/// `with_label`: with what the owner calls it, which else stands in a row of its own.
pub(super) fn node(line: NodeLine, with_label: bool, censor: &mut Censor<'_>) -> Fields {
    let NodeLine {
        id,
        key,
        at,
        data,
        label,
    } = line;
    let class = class_of(&data);
    let label = label.filter(|_| with_label);
    let data = node_data(data, censor);
    fields!(censor;
        "id": Name(&key, id),
        "at": At(at),
        "data": data,
        "label": label.as_deref().map(|text| Label(class, text)),
    )
}

/// What the owner's name for such a node tells about.
fn class_of(data: &NodeData) -> Class {
    match data.node_type() {
        NodeType::Person if matches!(data, NodeData::Person { merchant: true }) => Class::Merchant,
        NodeType::Person => Class::Person,
        NodeType::Place => Class::Location,
        NodeType::App | NodeType::Conversation => Class::Channel,
        NodeType::Transaction => Class::Merchant,
        NodeType::HealthSnapshot => Class::Health,
        NodeType::User | NodeType::Event | NodeType::Action | NodeType::Trace => Class::Text,
    }
}

/// The class of what a key names; by its prefix, for keys that stand without their node.
fn class_of_key(key: &str) -> Class {
    match key.split_once('_').map_or("", |(prefix, _)| prefix) {
        "pe" => Class::Person,
        "mh" | "tx" => Class::Merchant,
        "pl" => Class::Location,
        "ch" | "ap" | "it" => Class::Channel,
        "hs" => Class::Health,
        _ => Class::Text,
    }
}

/// What an act was about: a chat, a message, a payment, a category. A day, an event and "all" tell nothing of the eight.
fn subject(subject: &Subject) -> Result<Of<&Subject>, Plain<&Subject>> {
    let text = subject.as_str();
    let digits = text.starts_with(|c: char| c.is_ascii_digit());
    if digits || text.starts_with("ev_") || matches!(text, "self" | "all") {
        return Err(Plain(subject));
    }
    let class = class_of_key(text);
    // What has no prefix is a category of spending.
    Ok(Of(
        if class == Class::Text {
            Class::Merchant
        } else {
            class
        },
        subject,
    ))
}

fn node_data(data: NodeData, censor: &mut Censor<'_>) -> Fields {
    let node_type = data.node_type();
    match data {
        NodeData::User {} | NodeData::App {} => fields!(censor; "type": Plain(node_type)),
        NodeData::Event {
            end,
            focus,
            cancelled,
        } => fields!(censor;
            "type": Plain(node_type),
            "end": At(end),
            "focus": Plain(focus),
            "cancelled": Plain(cancelled),
        ),
        NodeData::Person { merchant } => fields!(censor;
            "type": Plain(node_type),
            "merchant": Plain(merchant),
        ),
        NodeData::Place { cell } => fields!(censor;
            "type": Plain(node_type),
            "cell": Place(cell),
        ),
        NodeData::Transaction {
            merchant,
            amount,
            currency,
            account_last4,
            category,
        } => fields!(censor;
            "type": Plain(node_type),
            "merchant": Of(Class::Merchant, merchant),
            "amount": Money(amount),
            "currency": Plain(currency),
            "account_last4": Of(Class::Merchant, account_last4),
            "category": Of(Class::Merchant, category),
        ),
        NodeData::Conversation {
            channel,
            day,
            messages,
            actionable,
        } => fields!(censor;
            "type": Plain(node_type),
            "channel": Of(Class::Channel, channel),
            "day": Plain(day),
            "messages": Plain(messages),
            "actionable": Plain(actionable),
        ),
        NodeData::HealthSnapshot {
            score,
            state,
            rmssd_ms,
            sleep_min,
        } => fields!(censor;
            "type": Plain(node_type),
            "score": score.map(|score| Of(Class::Health, score)),
            "state": state.map(|state| Of(Class::Health, state)),
            "rmssd_ms": rmssd_ms.map(|ms| Of(Class::Health, ms)),
            "sleep_min": sleep_min.map(|min| Of(Class::Health, min)),
        ),
        NodeData::Action {
            kind,
            subject: about,
            surface,
            outcome,
        } => {
            let (plain, classed) = match subject(&about) {
                Ok(classed) => (None, Some(classed)),
                Err(plain) => (Some(plain), None),
            };
            fields!(censor;
                "type": Plain(node_type),
                "kind": Plain(kind),
                "subject": plain,
                "subject": classed,
                "surface": Plain(surface),
                "outcome": Plain(outcome),
            )
        }
        NodeData::Trace {
            tick,
            outcome,
            reason,
            chosen,
        } => fields!(censor;
            "type": Plain(node_type),
            "tick": Plain(tick),
            "outcome": Plain(outcome),
            "reason": reason.map(Plain),
            "chosen": chosen.map(Plain),
        ),
    }
}

pub(super) fn edge(line: &EdgeLine, censor: &mut Censor<'_>) -> Fields {
    let EdgeLine {
        from,
        edge_type,
        to,
        at,
        weight,
    } = line;
    fields!(censor;
        "from": Name(&from.0, from.1),
        "type": Plain(edge_type),
        "to": Name(&to.0, to.1),
        "at": At(*at),
        "weight": Plain(weight),
    )
}

/// `None`: without keys a label stands with its node.
pub(super) fn label(line: &LabelLine, censor: &mut Censor<'_>) -> Option<Fields> {
    let LabelLine { of, text, at } = line;
    let shown = censor.table.keys;
    shown.then(|| {
        fields!(censor;
            "of": Key(of),
            "text": Label(class_of_key(of), text),
            "at": At(*at),
        )
    })
}

pub(super) fn trace(line: &TraceLine, censor: &mut Censor<'_>) -> Fields {
    let TraceLine {
        trace_id,
        tick,
        at,
        outcome,
        chosen,
        document,
    } = line;
    fields!(censor;
        "trace_id": Key(trace_id),
        "tick": Plain(tick),
        "at": At(*at),
        "outcome": Plain(outcome),
        "chosen": chosen.as_ref().map(Plain),
        // Fields of every class stand in it.
        "document": Document(Class::Text, document),
    )
}

pub(super) fn counter(line: &CounterLine, censor: &mut Censor<'_>) -> Fields {
    let CounterLine {
        day,
        kind,
        outcome,
        count,
    } = line;
    fields!(censor;
        "day": Plain(day),
        "kind": Plain(kind),
        "outcome": Plain(outcome),
        "count": Plain(count),
    )
}

pub(super) fn ledger(line: &LedgerLine, censor: &mut Censor<'_>) -> Fields {
    let LedgerLine {
        seq,
        day,
        trace_id,
        entry,
        tokens,
        at,
    } = line;
    fields!(censor;
        "seq": Plain(seq),
        "day": Plain(day),
        "trace_id": Some(trace_id.as_str()).filter(|id| !id.is_empty()).map(Key),
        "entry": Plain(entry),
        "tokens": Plain(tokens),
        "at": At(*at),
    )
}
