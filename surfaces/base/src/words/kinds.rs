//! What each kind of action is called.
//!
//! What: its name in lists, the title of its card, its line on the watch, its buttons. Why: one kind reads the same everywhere. Not here: what a card says beside its title (`render::body`).

use crate::language::{say, text};
use toolcall_schema::ActionKind;
use toolcall_schema::SubmitAct;

/// What an action is, as an item of a list.
pub fn action(kind: ActionKind) -> &'static str {
    match kind {
        ActionKind::MuteGroup30 => text("kinds-action-mute-a-chat"),
        ActionKind::Breathe478 => text("kinds-action-a-short-breathing"),
        ActionKind::Nap15 => text("kinds-action-a-15-minute"),
        ActionKind::PermitLeisure => text("kinds-action-a-break-without"),
        ActionKind::BatchDigest => text("kinds-action-a-digest-of"),
        ActionKind::ShowBrief => text("kinds-action-the-morning-brief"),
        ActionKind::LeaveByAlert => text("kinds-action-when-to-leave"),
        ActionKind::PrepareMeeting => text("kinds-action-before-a-meeting"),
        ActionKind::CategorizeTxn => text("kinds-action-sort-new-payments"),
        ActionKind::SurfaceAnomaly => text("kinds-action-unusual-spending"),
        ActionKind::ProjectBalance => text("kinds-action-the-balance-at"),
        ActionKind::DraftReply => text("kinds-action-draft-a-reply"),
        ActionKind::DeclineEvent => text("kinds-action-draft-a-decline"),
    }
}

/// The title of a card that asks, or that has no result yet.
pub fn title(kind: ActionKind) -> &'static str {
    match kind {
        ActionKind::MuteGroup30 => text("kinds-title-mute-this-chat"),
        ActionKind::Breathe478 => text("kinds-title-take-a-moment"),
        ActionKind::Nap15 => text("kinds-title-take-a-15"),
        ActionKind::PermitLeisure => text("kinds-title-take-a-break"),
        ActionKind::BatchDigest => text("kinds-title-your-messages-in"),
        ActionKind::ShowBrief => text("kinds-title-your-morning"),
        ActionKind::LeaveByAlert => text("kinds-title-time-to-think"),
        ActionKind::PrepareMeeting => text("kinds-title-a-meeting-begins"),
        ActionKind::CategorizeTxn => text("kinds-title-new-payments-sorted"),
        ActionKind::SurfaceAnomaly => text("kinds-title-more-spent-than"),
        ActionKind::ProjectBalance => text("kinds-title-where-this-month"),
        ActionKind::DraftReply => text("kinds-title-draft-a-reply"),
        ActionKind::DeclineEvent => text("kinds-title-draft-a-decline"),
    }
}

/// The one line of the watch: at most 40 characters, at most one number, nothing from outside.
pub fn watch_line(kind: ActionKind) -> &'static str {
    match kind {
        ActionKind::MuteGroup30 => text("kinds-watch-line-mute-this-chat"),
        ActionKind::Breathe478 => text("kinds-watch-line-a-moment-to"),
        ActionKind::Nap15 => text("kinds-watch-line-a-15-minute"),
        ActionKind::PermitLeisure => text("kinds-watch-line-take-a-break"),
        ActionKind::BatchDigest => text("kinds-watch-line-your-messages-in"),
        ActionKind::ShowBrief => text("kinds-watch-line-your-morning-brief"),
        ActionKind::LeaveByAlert => text("kinds-watch-line-time-to-think"),
        ActionKind::PrepareMeeting => text("kinds-watch-line-a-meeting-begins"),
        ActionKind::CategorizeTxn => text("kinds-watch-line-new-payments-are"),
        ActionKind::SurfaceAnomaly => text("kinds-watch-line-more-spent-than"),
        ActionKind::ProjectBalance => text("kinds-watch-line-where-this-month"),
        ActionKind::DraftReply => text("kinds-watch-line-draft-a-reply"),
        ActionKind::DeclineEvent => text("kinds-watch-line-draft-a-decline"),
    }
}

/// What the earbud says about a card that is on the phone: the action kind only.
pub fn earbud(kind: ActionKind) -> String {
    say!("kinds-earbud", action = action(kind))
}

/// The button that confirms.
pub fn confirm(kind: ActionKind) -> &'static str {
    match kind {
        ActionKind::MuteGroup30 => text("kinds-confirm-mute"),
        ActionKind::Breathe478 => text("kinds-confirm-breathe"),
        ActionKind::Nap15 => text("kinds-confirm-start-the-nap"),
        ActionKind::PermitLeisure => text("kinds-confirm-take-the-break"),
        ActionKind::DraftReply | ActionKind::DeclineEvent => text("kinds-confirm-write-the-draft"),
        ActionKind::BatchDigest
        | ActionKind::ShowBrief
        | ActionKind::LeaveByAlert
        | ActionKind::PrepareMeeting
        | ActionKind::CategorizeTxn
        | ActionKind::SurfaceAnomaly
        | ActionKind::ProjectBalance => text("kinds-confirm-confirm"),
    }
}

/// The buttons.
pub fn act(act: SubmitAct, kind: ActionKind) -> &'static str {
    match act {
        SubmitAct::Confirm => confirm(kind),
        SubmitAct::Dismiss => text("kinds-act-dismiss"),
        SubmitAct::Useful => text("kinds-act-useful"),
        SubmitAct::Edit => text("kinds-act-not-like-this"),
        SubmitAct::LaterQuarter => text("kinds-act-in-15-minutes"),
        SubmitAct::LaterHour => text("kinds-act-in-an-hour"),
        SubmitAct::LaterEvening => text("kinds-act-this-evening"),
        SubmitAct::LaterTomorrow => text("kinds-act-tomorrow"),
    }
}
