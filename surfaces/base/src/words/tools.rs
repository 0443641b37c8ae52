//! What each tool does, in a sentence.
//!
//! What: [`tool_purpose`], and how it may be called. Why: the catalogue says it in English to programs; a page says it in its own language. Not here: the catalogue
//! (`toolcall_schema::catalogue`), what was done with a tool (`acts`).

use crate::language::text;
use toolcall_schema::{Class, Confirm, ToolName, catalogue::EffectName};

/// What a tool does.
pub fn tool_purpose(tool: ToolName) -> &'static str {
    match tool {
        ToolName::CommsIngest => text("tools-comms-ingest"),
        ToolName::CommsTick => text("tools-comms-tick"),
        ToolName::MuteChannel => text("tools-comms-mute-channel"),
        ToolName::UnmuteChannel => text("tools-comms-unmute-channel"),
        ToolName::Classify => text("tools-comms-classify"),
        ToolName::DraftReply => text("tools-comms-draft-reply"),
        ToolName::BatchSummarize => text("tools-comms-batch-summarize"),
        ToolName::Snooze => text("tools-comms-snooze"),
        ToolName::TakeBack => text("tools-comms-take-back"),
        ToolName::TriageInbox => text("tools-comms-triage-inbox"),
        ToolName::CommsDescribe => text("tools-comms-describe"),
        ToolName::DescribeCorrespondent => text("tools-comms-describe-correspondent"),
        ToolName::LetThrough => text("tools-comms-let-through"),
        ToolName::SamePerson => text("tools-comms-same-person"),
        ToolName::ListSamePeople => text("tools-comms-list-same-people"),
        ToolName::LearnFromAct => text("tools-comms-learn-from-act"),
        ToolName::ListLearned => text("tools-comms-list-learned"),
        ToolName::CorrectLearned => text("tools-comms-correct-learned"),
        ToolName::ResetLearned => text("tools-comms-reset-learned"),
        ToolName::CalendarIngest => text("tools-calendar-ingest"),
        ToolName::CalendarTick => text("tools-calendar-tick"),
        ToolName::DetectConflicts => text("tools-calendar-detect-conflicts"),
        ToolName::SuggestSlots => text("tools-calendar-suggest-slots"),
        ToolName::AutoDecline => text("tools-calendar-auto-decline"),
        ToolName::DiscardDecline => text("tools-calendar-discard-decline"),
        ToolName::HoldTime => text("tools-calendar-hold-time"),
        ToolName::TravelAwareAlert => text("tools-calendar-travel-aware-alert"),
        ToolName::PrepareMeeting => text("tools-calendar-prepare-meeting"),
        ToolName::DescribeMeeting => text("tools-calendar-describe-meeting"),
        ToolName::ListEvents => text("tools-calendar-list-events"),
        ToolName::ListTasks => text("tools-calendar-list-tasks"),
        ToolName::ParseIcsAttachment => text("tools-calendar-parse-ics-attachment"),
        ToolName::CalendarDescribe => text("tools-calendar-describe"),
        ToolName::FinanceIngest => text("tools-finance-ingest"),
        ToolName::FinanceTick => text("tools-finance-tick"),
        ToolName::ParseSms => text("tools-finance-parse-sms"),
        ToolName::ParseGmailReceipt => text("tools-finance-parse-gmail-receipt"),
        ToolName::Categorize => text("tools-finance-categorize"),
        ToolName::AnomalyFlag => text("tools-finance-anomaly-flag"),
        ToolName::PredictEomBalance => text("tools-finance-predict-eom-balance"),
        ToolName::SuggestSubstitution => text("tools-finance-suggest-substitution"),
        ToolName::FinanceDescribe => text("tools-finance-describe"),
        ToolName::ListQuestions => text("tools-finance-list-questions"),
        ToolName::JudgeSender => text("tools-finance-judge-sender"),
        ToolName::AnswerQuestion => text("tools-finance-answer-question"),
        ToolName::AllowSpending => text("tools-finance-allow-spending"),
        ToolName::ListAllowedSpending => text("tools-finance-list-allowed-spending"),
        ToolName::SortShop => text("tools-finance-sort-shop"),
        ToolName::WellnessIngest => text("tools-wellness-ingest"),
        ToolName::WellnessTick => text("tools-wellness-tick"),
        ToolName::ComputeLoadScore => text("tools-wellness-compute-load-score"),
        ToolName::InterventionSelect => text("tools-wellness-intervention-select"),
        ToolName::CorrelationCheck => text("tools-wellness-correlation-check"),
        ToolName::RecoveryCheck => text("tools-wellness-recovery-check"),
        ToolName::GuideBreathing => text("tools-wellness-guide-breathing"),
        ToolName::StartNapTimer => text("tools-wellness-start-nap-timer"),
        ToolName::PermitLeisure => text("tools-wellness-permit-leisure"),
        ToolName::ShowBrief => text("tools-orchestrator-show-brief"),
        ToolName::EndPause => text("tools-orchestrator-end-pause"),
        ToolName::RemoveRule => text("tools-orchestrator-remove-rule"),
        ToolName::UndoLater => text("tools-orchestrator-undo-later"),
    }
}

/// Whether the owner has to say yes to it first.
pub fn tool_confirm(confirm: Confirm) -> &'static str {
    match confirm {
        Confirm::Always => text("tools-confirm-always"),
        Confirm::Never => text("tools-confirm-never"),
    }
}

/// What kind of card it makes.
pub fn tool_class(class: Class) -> &'static str {
    match class {
        Class::Normal => text("tools-class-normal"),
        Class::Safety => text("tools-class-safety"),
        Class::TimeCritical => text("tools-class-time-critical"),
    }
}

/// What its result may ask for.
pub fn tool_effect(effect: EffectName) -> &'static str {
    match effect {
        EffectName::RuleSet => text("tools-effect-rule-set"),
        EffectName::RuleCleared => text("tools-effect-rule-cleared"),
        EffectName::PauseEnded => text("tools-effect-pause-ended"),
        EffectName::OwnerRuleRemoved => text("tools-effect-owner-rule-removed"),
        EffectName::LaterUndone => text("tools-effect-later-undone"),
        EffectName::OutboxFile => text("tools-effect-outbox-file"),
        EffectName::OutboxRemoved => text("tools-effect-outbox-removed"),
        EffectName::TimerSet => text("tools-effect-timer-set"),
        EffectName::CardShow => text("tools-effect-card-show"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_in_english_says_of_each_tool_what_the_catalogue_says() {
        for tool in ToolName::ALL {
            assert_eq!(tool_purpose(*tool), tool.doc().description, "{tool}");
        }
    }
}
