//! Every JSON Schema of Aura, compiled into code.
//!
//! What: one unit struct a schema, with `SCHEMA` (its text) and `check`. Why: a package of its own, because compiling the
//! schemas takes seconds and they change rarely. Not here: what a refusal looks like (`toolcall-schema::gate`).

pub mod formats;

use jsonschema::ValidationError;
use serde_json::Value;

/// The text of the shapes that several schemas refer to (`defs.v1`).
pub const DEFS: &str = include_str!("../../src/schemas/defs.v1.json");

/// What checks an instance: the first thing that a schema refuses.
pub type InstanceCheck = for<'v> fn(&'v Value) -> Result<(), ValidationError<'v>>;

macro_rules! schemas {
    ($all:ident, $checks:ident: $($name:ident = $path:tt;)+) => { $(
        #[doc = concat!("`", $path, "`")]
        #[jsonschema::validator(
            path = $path,
            validate_formats = true,
            formats = {
                "date-time" => crate::formats::is_date_time,
                "date" => crate::formats::is_date,
                "uuid" => crate::formats::is_uuid
            },
            pattern_options = { engine = regex },
            methods = { is_valid = false, validate = true, iter_errors = false },
            resources = {
                "https://aura.local/schemas/defs.v1.json" => { path = "../src/schemas/defs.v1.json" },
                "https://aura.local/schemas/decision.v1.json" => { path = "../src/schemas/decision.v1.json" }
            }
        )]
        #[derive(Debug, Clone, Copy)]
        pub struct $name;

        impl $name {
            /// The schema's text.
            pub const SCHEMA: &'static str = include_str!(concat!("../", $path));

            /// Checks an instance.
            ///
            /// # Errors
            /// The first thing that the schema refuses.
            pub fn check(instance: &Value) -> Result<(), ValidationError<'_>> {
                Self::validate(instance)
            }
        }
    )+

    /// Every one of these schemas by its file name, for tests and `aura schema`.
    pub const $all: &[(&str, &str)] = &[$(($path, $name::SCHEMA)),+];

    /// The validator of each, in the same order, to be held against the run-time one.
    pub const $checks: &[(&str, InstanceCheck)] = &[$(($path, $name::check)),+];
    };
}

schemas! {
    ALL, CHECKS:
    ToolCall = "../src/schemas/toolcall.v1.json";
    ToolResult = "../src/schemas/toolresult.v1.json";
    TickArgs = "../src/schemas/tick_args.v1.json";
    TickResult = "../src/schemas/tick_result.v1.json";
    IngestArgs = "../src/schemas/ingest_args.v1.json";
    IngestResult = "../src/schemas/ingest_result.v1.json";
    Decision = "../src/schemas/decision.v1.json";
    Trace = "../src/schemas/trace.v1.json";
    Card = "../src/schemas/card.v1.json";
    Signal = "../src/schemas/signal.v1.json";
    Export = "../src/schemas/export.v1.json";
    MuteChannelArgs = "../src/schemas/args/mute_channel.v1.json";
    UnmuteChannelArgs = "../src/schemas/args/unmute_channel.v1.json";
    BatchSummarizeArgs = "../src/schemas/args/batch_summarize.v1.json";
    DraftReplyArgs = "../src/schemas/args/draft_reply.v1.json";
    TravelAwareAlertArgs = "../src/schemas/args/travel_aware_alert.v1.json";
    PrepareMeetingArgs = "../src/schemas/args/prepare_meeting.v1.json";
    ListTasksArgs = "../src/schemas/args/list_tasks.v1.json";
    ListEventsArgs = "../src/schemas/args/list_events.v1.json";
    DescribeMeetingArgs = "../src/schemas/args/describe_meeting.v1.json";
    AutoDeclineArgs = "../src/schemas/args/auto_decline.v1.json";
    CategorizeArgs = "../src/schemas/args/categorize.v1.json";
    AnomalyFlagArgs = "../src/schemas/args/anomaly_flag.v1.json";
    PredictEomBalanceArgs = "../src/schemas/args/predict_eom_balance.v1.json";
    GuideBreathingArgs = "../src/schemas/args/guide_breathing.v1.json";
    StartNapTimerArgs = "../src/schemas/args/start_nap_timer.v1.json";
    PermitLeisureArgs = "../src/schemas/args/permit_leisure.v1.json";
    ShowBriefArgs = "../src/schemas/args/show_brief.v1.json";
    EndPauseArgs = "../src/schemas/args/end_pause.v1.json";
    RemoveRuleArgs = "../src/schemas/args/remove_rule.v1.json";
    UndoLaterArgs = "../src/schemas/args/undo_later.v1.json";
    MuteChannelResult = "../src/schemas/results/mute_channel.v1.json";
    UnmuteChannelResult = "../src/schemas/results/unmute_channel.v1.json";
    BatchSummarizeResult = "../src/schemas/results/batch_summarize.v1.json";
    DraftReplyResult = "../src/schemas/results/draft_reply.v1.json";
    TravelAwareAlertResult = "../src/schemas/results/travel_aware_alert.v1.json";
    PrepareMeetingResult = "../src/schemas/results/prepare_meeting.v1.json";
    ListTasksResult = "../src/schemas/results/list_tasks.v1.json";
    ListEventsResult = "../src/schemas/results/list_events.v1.json";
    DescribeMeetingResult = "../src/schemas/results/describe_meeting.v1.json";
    AutoDeclineResult = "../src/schemas/results/auto_decline.v1.json";
    CategorizeResult = "../src/schemas/results/categorize.v1.json";
    AnomalyFlagResult = "../src/schemas/results/anomaly_flag.v1.json";
    PredictEomBalanceResult = "../src/schemas/results/predict_eom_balance.v1.json";
    StartedResult = "../src/schemas/results/started.v1.json";
    ShowBriefResult = "../src/schemas/results/show_brief.v1.json";
    EndPauseResult = "../src/schemas/results/end_pause.v1.json";
    RemoveRuleResult = "../src/schemas/results/remove_rule.v1.json";
    UndoLaterResult = "../src/schemas/results/undo_later.v1.json";
    TakeBackArgs = "../src/schemas/args/take_back.v1.json";
    HoldTimeArgs = "../src/schemas/args/hold_time.v1.json";
    HoldTimeResult = "../src/schemas/results/hold_time.v1.json";
    DiscardDeclineArgs = "../src/schemas/args/discard_decline.v1.json";
    TakeBackResult = "../src/schemas/results/take_back.v1.json";
    DiscardDeclineResult = "../src/schemas/results/discard_decline.v1.json";
    ListQuestionsArgs = "../src/schemas/args/list_questions.v1.json";
    JudgeSenderArgs = "../src/schemas/args/judge_sender.v1.json";
    AnswerQuestionArgs = "../src/schemas/args/answer_question.v1.json";
    LearnFromActArgs = "../src/schemas/args/learn_from_act.v1.json";
    ListLearnedArgs = "../src/schemas/args/list_learned.v1.json";
    DescribeCorrespondentArgs = "../src/schemas/args/describe_correspondent.v1.json";
    LetThroughArgs = "../src/schemas/args/let_through.v1.json";
    SamePersonArgs = "../src/schemas/args/same_person.v1.json";
    ListSamePeopleArgs = "../src/schemas/args/list_same_people.v1.json";
    AllowSpendingArgs = "../src/schemas/args/allow_spending.v1.json";
    ListAllowedSpendingArgs = "../src/schemas/args/list_allowed_spending.v1.json";
    SortShopArgs = "../src/schemas/args/sort_shop.v1.json";
    CorrectLearnedArgs = "../src/schemas/args/correct_learned.v1.json";
    ResetLearnedArgs = "../src/schemas/args/reset_learned.v1.json";
    ClassifyArgs = "../src/schemas/args/classify.v1.json";
    SnoozeArgs = "../src/schemas/args/snooze.v1.json";
    TriageInboxArgs = "../src/schemas/args/triage_inbox.v1.json";
    DescribeArgs = "../src/schemas/args/describe.v1.json";
    SourceArgs = "../src/schemas/args/source.v1.json";
    DetectConflictsArgs = "../src/schemas/args/detect_conflicts.v1.json";
    SuggestSlotsArgs = "../src/schemas/args/suggest_slots.v1.json";
    SuggestSubstitutionArgs = "../src/schemas/args/suggest_substitution.v1.json";
    ComputeLoadScoreArgs = "../src/schemas/args/compute_load_score.v1.json";
    InterventionSelectArgs = "../src/schemas/args/intervention_select.v1.json";
    CorrelationCheckArgs = "../src/schemas/args/correlation_check.v1.json";
    RecoveryCheckArgs = "../src/schemas/args/recovery_check.v1.json";
    ListQuestionsResult = "../src/schemas/results/list_questions.v1.json";
    JudgeSenderResult = "../src/schemas/results/judge_sender.v1.json";
    AnswerQuestionResult = "../src/schemas/results/answer_question.v1.json";
    DescribeMoneyResult = "../src/schemas/results/describe_money.v1.json";
    LearnFromActResult = "../src/schemas/results/learn_from_act.v1.json";
    ListLearnedResult = "../src/schemas/results/list_learned.v1.json";
    DescribeCorrespondentResult = "../src/schemas/results/describe_correspondent.v1.json";
    LetThroughResult = "../src/schemas/results/let_through.v1.json";
    SamePersonResult = "../src/schemas/results/same_person.v1.json";
    ListSamePeopleResult = "../src/schemas/results/list_same_people.v1.json";
    AllowSpendingResult = "../src/schemas/results/allow_spending.v1.json";
    ListAllowedSpendingResult = "../src/schemas/results/list_allowed_spending.v1.json";
    SortShopResult = "../src/schemas/results/sort_shop.v1.json";
    CorrectLearnedResult = "../src/schemas/results/correct_learned.v1.json";
    ResetLearnedResult = "../src/schemas/results/reset_learned.v1.json";
    ClassifyResult = "../src/schemas/results/classify.v1.json";
    SnoozeResult = "../src/schemas/results/snooze.v1.json";
    TriageInboxResult = "../src/schemas/results/triage_inbox.v1.json";
    DescribeResult = "../src/schemas/results/describe.v1.json";
    DescribeMessagesResult = "../src/schemas/results/describe_messages.v1.json";
    DetectConflictsResult = "../src/schemas/results/detect_conflicts.v1.json";
    SuggestSlotsResult = "../src/schemas/results/suggest_slots.v1.json";
    ParseIcsAttachmentResult = "../src/schemas/results/parse_ics_attachment.v1.json";
    TransactionResult = "../src/schemas/results/transaction.v1.json";
    SuggestSubstitutionResult = "../src/schemas/results/suggest_substitution.v1.json";
    ComputeLoadScoreResult = "../src/schemas/results/compute_load_score.v1.json";
    InterventionSelectResult = "../src/schemas/results/intervention_select.v1.json";
    CorrelationCheckResult = "../src/schemas/results/correlation_check.v1.json";
    RecoveryCheckResult = "../src/schemas/results/recovery_check.v1.json";
    Day = "../src/schemas/day/day.v1.json";
    OwnerAct = "../src/schemas/day/owner_act.v1.json";
    Reply = "../src/schemas/day/reply.v1.json";
    Fault = "../src/schemas/day/fault.v1.json";
    Expected = "../src/schemas/day/expected.v1.json";
}

// The messages of the other two protocols: open objects of draft-07, where Aura's own are closed ones of 2020-12.
schemas! {
    MESSAGES, MESSAGE_CHECKS:
    BaseRequest = "../src/schemas/protocol/base_request.v1.json";
    BaseResponse = "../src/schemas/protocol/base_response.v1.json";
    AgentInput = "../src/schemas/protocol/agent_input.v1.json";
    AgentOutput = "../src/schemas/protocol/agent_output.v1.json";
}
