//! The catalogue's columns and the policy's priorities, and what a rule means, written out again.
//!
//! What: one function per column. Why: a wrong cell in the machine's table must not be right here by being the same cell.
//! Not here: what is done with them (`weigh`).

use crate::second::ratio::Ratio;
use chrono::{Datelike, Days, NaiveDate, NaiveDateTime, NaiveTime};
use toolcall_schema::{
    ActionKind::{self, *},
    AgentName, Class, Severity, Surface,
    rule::OwnerRule,
    tick::Subject,
};

pub(crate) fn surface(kind: ActionKind) -> Surface {
    match kind {
        MuteGroup30 | Breathe478 => Surface::Watch,
        CategorizeTxn => Surface::Silent,
        Nap15 | PermitLeisure | BatchDigest | ShowBrief | LeaveByAlert | PrepareMeeting | SurfaceAnomaly
        | ProjectBalance | DraftReply | DeclineEvent => Surface::PhoneCard,
    }
}

pub(crate) fn asks(kind: ActionKind) -> bool {
    match kind {
        BatchDigest | LeaveByAlert | PrepareMeeting | ShowBrief | CategorizeTxn | SurfaceAnomaly
        | ProjectBalance => false,
        MuteGroup30 | Breathe478 | Nap15 | PermitLeisure | DraftReply | DeclineEvent => true,
    }
}

/// What may be asked through a server beside Aura.
pub(crate) fn by_push(kind: ActionKind) -> bool {
    matches!(kind, MuteGroup30 | Breathe478 | Nap15 | PermitLeisure)
}

pub(crate) fn class(kind: ActionKind, agent: AgentName) -> Class {
    match kind {
        MuteGroup30 | Breathe478 | Nap15 if agent == AgentName::Wellness => Class::Safety,
        LeaveByAlert => Class::TimeCritical,
        MuteGroup30 | Breathe478 | Nap15 | PermitLeisure | BatchDigest | ShowBrief | PrepareMeeting
        | CategorizeTxn | SurfaceAnomaly | ProjectBalance | DraftReply | DeclineEvent => Class::Normal,
    }
}

pub(crate) fn priority(kind: ActionKind, agent: AgentName, severity: Severity) -> Ratio {
    Ratio::percent(match (kind, severity) {
        (MuteGroup30, _) if agent == AgentName::Comms => 70,
        (MuteGroup30 | Breathe478 | Nap15 | PermitLeisure, _) => 100,
        (ShowBrief | BatchDigest | ProjectBalance | DraftReply | DeclineEvent, _) => 85,
        (CategorizeTxn | LeaveByAlert, _) => 80,
        (PrepareMeeting, _) => 75,
        (SurfaceAnomaly, Severity::High) => 95,
        (SurfaceAnomaly, Severity::Medium) => 90,
        (SurfaceAnomaly, Severity::Low) => 60,
    })
}

/// Whether a rule forbids this at that local moment. Hours over midnight belong to the day they begin on.
pub(crate) fn forbids(
    rule: &OwnerRule,
    kind: ActionKind,
    subject: &Subject,
    wall: i64,
    local: NaiveDateTime,
) -> bool {
    let about = (rule.kinds.is_empty() || rule.kinds.contains(&kind))
        && rule.subject.as_ref().is_none_or(|it| it == subject);
    let now = rule.from.is_none_or(|from| from.ms() <= wall) && rule.until.is_none_or(|end| wall < end.ms());
    let of_day = |date: NaiveDate| {
        let weekday = u8::try_from(date.weekday().number_from_monday()).unwrap();
        let (from, to) = rule.hours.unwrap_or((NaiveTime::MIN, NaiveTime::MIN));
        let last = if to > from { date } else { date + Days::new(1) };
        let inside = date.and_time(from) <= local && local < last.and_time(to);
        inside && (rule.days.is_empty() || rule.days.contains(&weekday))
    };
    about
        && now
        && [local.date(), local.date() - Days::new(1)]
            .into_iter()
            .any(of_day)
}
