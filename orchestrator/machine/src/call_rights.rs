//! Who may have what called outside of ticks, and on whose word it leaves.
//!
//! What: [`CallRight`], one for each tool, what follows from it, and [`authority`]. Why: what an owner, a card and a program may have done is one table that
//! can be read through. Not here: what becomes of a call (`calls`), what waits for the owner (`asks`), the gate, which checks the authority
//! again.

use toolcall_schema::{Authority, Confirm, ToolName, trace::Asker};

/// Who may have a tool called outside of ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CallRight {
    /// The owner, on a page or at the command line.
    Owner,
    /// The owner so, and a program may ask for it.
    OwnerOrProgram,
    /// A program may ask for it: the owner confirms it on a card, which names all of its arguments.
    ProgramAsks,
    /// A program may read with it: it changes nothing, its arguments are no text, and its result says nothing in words of others.
    ProgramReads,
    /// The machine, when the owner did something with a card.
    OwnerCard,
    /// Ticks alone.
    Nobody,
}

fn right_of(tool: ToolName) -> CallRight {
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
        | ToolName::SortShop
        | ToolName::Snooze
        | ToolName::TakeBack
        | ToolName::DraftReply
        | ToolName::AutoDecline
        | ToolName::DiscardDecline
        | ToolName::HoldTime => CallRight::Owner,
        // A chat is also muted on its page.
        ToolName::MuteChannel => CallRight::OwnerOrProgram,
        ToolName::GuideBreathing | ToolName::StartNapTimer | ToolName::PermitLeisure => CallRight::ProgramAsks,
        ToolName::DetectConflicts
        | ToolName::SuggestSlots
        | ToolName::PredictEomBalance
        | ToolName::SuggestSubstitution
        | ToolName::ComputeLoadScore
        | ToolName::RecoveryCheck => CallRight::ProgramReads,
        ToolName::LearnFromAct => CallRight::OwnerCard,
        // Names from outside, and what an agent reads and proposes, stay inside.
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
        // They change something or show a card, and nobody asks for them yet.
        | ToolName::TravelAwareAlert
        | ToolName::PrepareMeeting
        | ToolName::Categorize
        | ToolName::ShowBrief => CallRight::Nobody,
    }
}

/// Whether somebody other than a tick may have a tool called.
pub fn is_on_request(tool: ToolName, asker: Asker) -> bool {
    match right_of(tool) {
        CallRight::Owner => matches!(asker, Asker::OwnerPage | Asker::OwnerCommand),
        CallRight::OwnerOrProgram => {
            matches!(asker, Asker::OwnerPage | Asker::OwnerCommand | Asker::Program)
        }
        CallRight::ProgramAsks => asker == Asker::Program,
        CallRight::OwnerCard => asker == Asker::OwnerCard,
        // What is read is not asked for.
        CallRight::ProgramReads | CallRight::Nobody => false,
    }
}

/// Whether a program may read with a tool.
pub fn is_readable(tool: ToolName) -> bool {
    right_of(tool) == CallRight::ProgramReads
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
