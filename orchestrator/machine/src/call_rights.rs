//! Who may have what called outside of ticks, and on whose word it leaves.
//!
//! What: [`is_on_request`], a row for each tool, and [`authority`]. Why: what an owner, a card and a program may have done is one table that
//! can be read through. Not here: what becomes of a call (`calls`), what waits for the owner (`asks`), the gate, which checks the authority
//! again.

use toolcall_schema::{Authority, Confirm, ToolName, trace::Asker};

/// Whether somebody other than a tick may have a tool called.
pub fn is_on_request(tool: ToolName, asker: Asker) -> bool {
    match tool {
        ToolName::UnmuteChannel
        | ToolName::EndPause
        | ToolName::RemoveRule
        | ToolName::UndoLater
        | ToolName::CorrectLearned
        | ToolName::ResetLearned
        | ToolName::LetThrough
        | ToolName::SamePerson
        | ToolName::JudgeSender
        | ToolName::AnswerQuestion
        | ToolName::AllowSpending
        | ToolName::Snooze
        | ToolName::TakeBack
        | ToolName::DiscardDecline
        | ToolName::HoldTime => match asker {
            Asker::OwnerPage | Asker::OwnerCommand => true,
            Asker::OwnerCard | Asker::Program => false,
        },
        // What a program may ask for: the owner confirms it on a card, which names all of its arguments. A chat is also muted on
        // its page.
        ToolName::MuteChannel => match asker {
            Asker::OwnerPage | Asker::OwnerCommand | Asker::Program => true,
            Asker::OwnerCard => false,
        },
        ToolName::GuideBreathing
        | ToolName::StartNapTimer
        | ToolName::PermitLeisure => asker == Asker::Program,
        // What the owner did with a card is the machine's to say.
        ToolName::LearnFromAct => asker == Asker::OwnerCard,
        // Names from outside, and what an agent reads and proposes, stay inside.
        ToolName::CommsIngest
        | ToolName::CommsTick
        | ToolName::CommsDescribe
        | ToolName::ListLearned
        | ToolName::ListSamePeople
        | ToolName::DescribeCorrespondent
        | ToolName::CalendarIngest
        | ToolName::CalendarTick
        | ToolName::CalendarDescribe
        | ToolName::DescribeMeeting
        | ToolName::ListEvents
        | ToolName::ListTasks
        | ToolName::FinanceIngest
        | ToolName::FinanceTick
        | ToolName::FinanceDescribe
        | ToolName::ListQuestions
        | ToolName::ListAllowedSpending
        | ToolName::WellnessIngest
        | ToolName::WellnessTick
        // Nobody asks for these yet.
        | ToolName::Classify
        | ToolName::DraftReply
        | ToolName::BatchSummarize
        | ToolName::TriageInbox
        | ToolName::DetectConflicts
        | ToolName::SuggestSlots
        | ToolName::AutoDecline
        | ToolName::TravelAwareAlert
        | ToolName::PrepareMeeting
        | ToolName::ParseIcsAttachment
        | ToolName::ParseSms
        | ToolName::ParseGmailReceipt
        | ToolName::Categorize
        | ToolName::AnomalyFlag
        | ToolName::PredictEomBalance
        | ToolName::SuggestSubstitution
        | ToolName::ComputeLoadScore
        | ToolName::InterventionSelect
        | ToolName::CorrelationCheck
        | ToolName::RecoveryCheck
        | ToolName::ShowBrief => false,
    }
}

/// Whether a program may read with a tool: it changes nothing, its arguments are no text, and its result says nothing in words of others.
pub fn is_readable(tool: ToolName) -> bool {
    match tool {
        ToolName::DetectConflicts
        | ToolName::SuggestSlots
        | ToolName::PredictEomBalance
        | ToolName::SuggestSubstitution
        | ToolName::ComputeLoadScore
        | ToolName::RecoveryCheck => true,
        // What is read, proposed or named from outside stays inside.
        ToolName::CommsIngest
        | ToolName::CommsTick
        | ToolName::CommsDescribe
        | ToolName::CalendarIngest
        | ToolName::CalendarTick
        | ToolName::CalendarDescribe
        | ToolName::DescribeMeeting
        | ToolName::ListEvents
        | ToolName::ListTasks
        | ToolName::FinanceIngest
        | ToolName::FinanceTick
        | ToolName::FinanceDescribe
        | ToolName::WellnessIngest
        | ToolName::WellnessTick
        // Of single messages, people and payments, or of what they hold.
        | ToolName::Classify
        | ToolName::BatchSummarize
        | ToolName::TriageInbox
        | ToolName::DescribeCorrespondent
        | ToolName::ListLearned
        | ToolName::ListSamePeople
        | ToolName::ListQuestions
        | ToolName::ListAllowedSpending
        | ToolName::ParseIcsAttachment
        | ToolName::ParseSms
        | ToolName::ParseGmailReceipt
        | ToolName::AnomalyFlag
        // They say nothing of the owner: what they are given is all that they count with.
        | ToolName::InterventionSelect
        | ToolName::CorrelationCheck
        // They change something, or show a card.
        | ToolName::MuteChannel
        | ToolName::UnmuteChannel
        | ToolName::DraftReply
        | ToolName::Snooze
        | ToolName::TakeBack
        | ToolName::LetThrough
        | ToolName::SamePerson
        | ToolName::LearnFromAct
        | ToolName::CorrectLearned
        | ToolName::ResetLearned
        | ToolName::AutoDecline
        | ToolName::DiscardDecline
        | ToolName::HoldTime
        | ToolName::TravelAwareAlert
        | ToolName::PrepareMeeting
        | ToolName::Categorize
        | ToolName::JudgeSender
        | ToolName::AnswerQuestion
        | ToolName::AllowSpending
        | ToolName::GuideBreathing
        | ToolName::StartNapTimer
        | ToolName::PermitLeisure
        | ToolName::ShowBrief
        | ToolName::EndPause
        | ToolName::RemoveRule
        | ToolName::UndoLater => false,
    }
}

/// On whose word a call leaves. The owner's own act is its confirm. What a program asks for never leaves by this way: it waits for the
/// owner as a candidate of a tick (`asks`).
pub(crate) fn authority(tool: ToolName, asker: Asker) -> Authority {
    match (tool.columns().confirm, asker) {
        (Confirm::Never, Asker::OwnerPage | Asker::OwnerCommand | Asker::OwnerCard | Asker::Program) => {
            Authority::Auto
        }
        (Confirm::Always, Asker::OwnerPage | Asker::OwnerCommand) => Authority::Confirmed,
        // An act on a card confirms what the card asked and nothing else, and a program confirms nothing: the gate refuses such a call.
        (Confirm::Always, Asker::OwnerCard | Asker::Program) => Authority::Auto,
    }
}
