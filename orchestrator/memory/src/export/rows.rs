//! Which field has which class.
//!
//! What: one function for each kind of row, taking it apart and writing each field by its class. Why: a field that is added to a
//! row has to be given a class here, or this does not compile. Not here: what is done with a class (`censor`).

use super::{
    censor::{
        ClassField, FieldRedactor, JsonField, KeyField, LabelField, MoneyField, NameField, NestedFields,
        PlaceField, PlainField, TimeField, fields,
    },
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
pub(super) fn node(line: NodeLine, with_label: bool, censor: &mut FieldRedactor<'_>) -> NestedFields {
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
        "id": NameField(&key, id),
        "at": TimeField(at),
        "data": data,
        "label": label.as_deref().map(|text| LabelField(class, text)),
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
fn subject(subject: &Subject) -> Result<ClassField<&Subject>, PlainField<&Subject>> {
    let text = subject.as_str();
    let digits = text.starts_with(|c: char| c.is_ascii_digit());
    if digits || text.starts_with("ev_") || matches!(text, "self" | "all") {
        return Err(PlainField(subject));
    }
    let class = class_of_key(text);
    // What has no prefix is a category of spending.
    Ok(ClassField(
        if class == Class::Text {
            Class::Merchant
        } else {
            class
        },
        subject,
    ))
}

fn node_data(data: NodeData, censor: &mut FieldRedactor<'_>) -> NestedFields {
    let node_type = data.node_type();
    match data {
        NodeData::User {} | NodeData::App {} => fields!(censor; "type": PlainField(node_type)),
        NodeData::Event {
            end,
            focus,
            cancelled,
        } => fields!(censor;
            "type": PlainField(node_type),
            "end": TimeField(end),
            "focus": PlainField(focus),
            "cancelled": PlainField(cancelled),
        ),
        NodeData::Person { merchant } => fields!(censor;
            "type": PlainField(node_type),
            "merchant": PlainField(merchant),
        ),
        NodeData::Place { cell } => fields!(censor;
            "type": PlainField(node_type),
            "cell": PlaceField(cell),
        ),
        NodeData::Transaction {
            merchant,
            amount,
            currency,
            account_last4,
            category,
        } => fields!(censor;
            "type": PlainField(node_type),
            "merchant": ClassField(Class::Merchant, merchant),
            "amount": MoneyField(amount),
            "currency": PlainField(currency),
            "account_last4": ClassField(Class::Merchant, account_last4),
            "category": ClassField(Class::Merchant, category),
        ),
        NodeData::Conversation {
            channel,
            day,
            messages,
            actionable,
        } => fields!(censor;
            "type": PlainField(node_type),
            "channel": ClassField(Class::Channel, channel),
            "day": PlainField(day),
            "messages": PlainField(messages),
            "actionable": PlainField(actionable),
        ),
        NodeData::HealthSnapshot {
            score,
            state,
            rmssd_ms,
            resting_bpm,
            sleep_min,
        } => fields!(censor;
            "type": PlainField(node_type),
            "score": score.map(|score| ClassField(Class::Health, score)),
            "state": state.map(|state| ClassField(Class::Health, state)),
            "rmssd_ms": rmssd_ms.map(|ms| ClassField(Class::Health, ms)),
            "resting_bpm": resting_bpm.map(|bpm| ClassField(Class::Health, bpm)),
            "sleep_min": sleep_min.map(|min| ClassField(Class::Health, min)),
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
                "type": PlainField(node_type),
                "kind": PlainField(kind),
                "subject": plain,
                "subject": classed,
                "surface": PlainField(surface),
                "outcome": PlainField(outcome),
            )
        }
        NodeData::Trace {
            tick,
            outcome,
            reason,
            chosen,
        } => fields!(censor;
            "type": PlainField(node_type),
            "tick": PlainField(tick),
            "outcome": PlainField(outcome),
            "reason": reason.map(PlainField),
            "chosen": chosen.map(PlainField),
        ),
    }
}

pub(super) fn edge(line: &EdgeLine, censor: &mut FieldRedactor<'_>) -> NestedFields {
    let EdgeLine {
        from,
        edge_type,
        to,
        at,
        weight,
    } = line;
    fields!(censor;
        "from": NameField(&from.0, from.1),
        "type": PlainField(edge_type),
        "to": NameField(&to.0, to.1),
        "at": TimeField(*at),
        "weight": PlainField(weight),
    )
}

/// `None`: without keys a label stands with its node.
pub(super) fn label(line: &LabelLine, censor: &mut FieldRedactor<'_>) -> Option<NestedFields> {
    let LabelLine { of, text, at } = line;
    let shown = censor.table.keys;
    shown.then(|| {
        fields!(censor;
            "of": KeyField(of),
            "text": LabelField(class_of_key(of), text),
            "at": TimeField(*at),
        )
    })
}

pub(super) fn trace(line: &TraceLine, censor: &mut FieldRedactor<'_>) -> NestedFields {
    let TraceLine {
        trace_id,
        tick,
        at,
        outcome,
        chosen,
        document,
    } = line;
    fields!(censor;
        "trace_id": KeyField(trace_id),
        "tick": PlainField(tick),
        "at": TimeField(*at),
        "outcome": PlainField(outcome),
        "chosen": chosen.as_ref().map(PlainField),
        // Fields of every class stand in it.
        "document": JsonField(Class::Text, document),
    )
}

pub(super) fn counter(line: &CounterLine, censor: &mut FieldRedactor<'_>) -> NestedFields {
    let CounterLine {
        day,
        kind,
        outcome,
        count,
    } = line;
    fields!(censor;
        "day": PlainField(day),
        "kind": PlainField(kind),
        "outcome": PlainField(outcome),
        "count": PlainField(count),
    )
}

pub(super) fn ledger(line: &LedgerLine, censor: &mut FieldRedactor<'_>) -> NestedFields {
    let LedgerLine {
        seq,
        day,
        trace_id,
        entry,
        tokens,
        at,
    } = line;
    fields!(censor;
        "seq": PlainField(seq),
        "day": PlainField(day),
        "trace_id": Some(trace_id.as_str()).filter(|id| !id.is_empty()).map(KeyField),
        "entry": PlainField(entry),
        "tokens": PlainField(tokens),
        "at": TimeField(*at),
    )
}
