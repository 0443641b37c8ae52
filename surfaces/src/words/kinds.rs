//! What each kind of action is called.
//!
//! What: its name in lists, the title of its card, its line on the watch, its buttons. Why: one kind reads the same everywhere. Not here: what a card says beside its title (`render::body`).

use toolcall_schema::ActionKind;
use toolcall_schema::SubmitAct;

/// What an action is, as an item of a list.
pub fn action(kind: ActionKind) -> &'static str {
    match kind {
        ActionKind::MuteGroup30 => "Mute a chat for 30 minutes",
        ActionKind::Breathe478 => "A short breathing break",
        ActionKind::Nap15 => "A 15-minute nap",
        ActionKind::PermitLeisure => "A break without a bad conscience",
        ActionKind::BatchDigest => "A digest of many messages",
        ActionKind::ShowBrief => "The morning brief",
        ActionKind::LeaveByAlert => "When to leave",
        ActionKind::PrepareMeeting => "Before a meeting",
        ActionKind::CategorizeTxn => "Sort new payments",
        ActionKind::SurfaceAnomaly => "Unusual spending",
        ActionKind::ProjectBalance => "The balance at the month's end",
        ActionKind::DraftReply => "Draft a reply",
        ActionKind::DeclineEvent => "Draft a decline",
    }
}

/// The title of a card that asks, or that has no result yet.
pub fn title(kind: ActionKind) -> &'static str {
    match kind {
        ActionKind::MuteGroup30 => "Mute this chat for 30 minutes?",
        ActionKind::Breathe478 => "Take a moment to breathe?",
        ActionKind::Nap15 => "Take a 15-minute nap?",
        ActionKind::PermitLeisure => "Take a break now?",
        ActionKind::BatchDigest => "Your messages, in short",
        ActionKind::ShowBrief => "Your morning",
        ActionKind::LeaveByAlert => "Time to think of leaving",
        ActionKind::PrepareMeeting => "A meeting begins soon",
        ActionKind::CategorizeTxn => "New payments, sorted",
        ActionKind::SurfaceAnomaly => "More spent than usual today",
        ActionKind::ProjectBalance => "Where this month ends",
        ActionKind::DraftReply => "Draft a reply?",
        ActionKind::DeclineEvent => "Draft a decline?",
    }
}

/// The one line of the watch: at most 40 characters, at most one number, nothing from outside.
pub fn watch_line(kind: ActionKind) -> &'static str {
    match kind {
        ActionKind::MuteGroup30 => "Mute this chat for 30 minutes?",
        ActionKind::Breathe478 => "A moment to breathe?",
        ActionKind::Nap15 => "A 15-minute nap?",
        ActionKind::PermitLeisure => "Take a break now?",
        ActionKind::BatchDigest => "Your messages, in short",
        ActionKind::ShowBrief => "Your morning brief is ready",
        ActionKind::LeaveByAlert => "Time to think of leaving",
        ActionKind::PrepareMeeting => "A meeting begins soon",
        ActionKind::CategorizeTxn => "New payments are sorted",
        ActionKind::SurfaceAnomaly => "More spent than usual today",
        ActionKind::ProjectBalance => "Where this month ends",
        ActionKind::DraftReply => "Draft a reply?",
        ActionKind::DeclineEvent => "Draft a decline?",
    }
}

/// What the earbud says about a card that is on the phone: the action kind only.
pub fn earbud(kind: ActionKind) -> String {
    format!("On your phone: {}.", action(kind))
}

/// The button that confirms.
pub fn confirm(kind: ActionKind) -> &'static str {
    match kind {
        ActionKind::MuteGroup30 => "Mute",
        ActionKind::Breathe478 => "Breathe",
        ActionKind::Nap15 => "Start the nap",
        ActionKind::PermitLeisure => "Take the break",
        ActionKind::DraftReply | ActionKind::DeclineEvent => "Write the draft",
        ActionKind::BatchDigest
        | ActionKind::ShowBrief
        | ActionKind::LeaveByAlert
        | ActionKind::PrepareMeeting
        | ActionKind::CategorizeTxn
        | ActionKind::SurfaceAnomaly
        | ActionKind::ProjectBalance => "Confirm",
    }
}

/// The buttons.
pub fn act(act: SubmitAct, kind: ActionKind) -> &'static str {
    match act {
        SubmitAct::Confirm => confirm(kind),
        SubmitAct::Dismiss => "Dismiss",
        SubmitAct::Useful => "Useful",
        SubmitAct::Edit => "Not like this",
        SubmitAct::LaterQuarter => "In 15 minutes",
        SubmitAct::LaterHour => "In an hour",
        SubmitAct::LaterEvening => "This evening",
        SubmitAct::LaterTomorrow => "Tomorrow",
    }
}
