//! The catalogue's table: one row a tool.
//!
//! What: `for_each_tool!`, which hands every row to a macro of the caller. Why: name, types, schemas, columns and words of
//! a tool stand in one place; a tool without a row has no name, and a row that lacks anything does not compile. Not here:
//! what is made of the rows (the parent module, `gate/tools`), examples (`examples`).
//!
//! A row reads: name = "full name", variant of the agent's enum, schema of the arguments => schema of the result: kind of
//! answer(type of the result), confirm class surface [effects], page in `docs/adr` that added it, what it does.

macro_rules! for_each_tool {
    ($rows:ident) => {
        $rows! {
            CommsIngest = "comms.ingest", Comms(CommsTool::Ingest),
                IngestArgs => IngestResult: Ingest(IngestResult), Never Normal Silent [], "0006",
                "Reads new mail and notifications and says what was new, as facts without text.";
            CommsTick = "comms.tick", Comms(CommsTool::Tick),
                TickArgs => TickResult: Tick(TickResult), Never Normal Silent [], "0006",
                "Proposes what to do about the messages that were read.";
            MuteChannel = "comms.mute_channel", Comms(CommsTool::MuteChannel),
                MuteChannelArgs => MuteChannelResult: Done(comms::MuteResult), Always Safety Watch [RuleSet], "0006",
                "Mutes one channel for a time.";
            UnmuteChannel = "comms.unmute_channel", Comms(CommsTool::UnmuteChannel),
                UnmuteChannelArgs => UnmuteChannelResult: Done(comms::UnmuteResult), Always Normal Silent [RuleCleared], "0050",
                "Ends the mute of one channel before its time.";
            Classify = "comms.classify", Comms(CommsTool::Classify),
                ClassifyArgs => ClassifyResult: Done(comms::ClassifyResult), Never Normal Silent [], "0020",
                "Says what one message wants and how urgent it is.";
            DraftReply = "comms.draft_reply", Comms(CommsTool::DraftReply),
                DraftReplyArgs => DraftReplyResult: Done(comms::DraftResult), Always Normal PhoneCard [OutboxFile], "0020",
                "Drafts a reply to one message into the outbox; nothing is sent.";
            BatchSummarize = "comms.batch_summarize", Comms(CommsTool::BatchSummarize),
                BatchSummarizeArgs => BatchSummarizeResult: Done(comms::DigestResult), Never Normal PhoneCard [CardShow], "0020",
                "Counts the messages since an instant and names the most urgent ones.";
            Snooze = "comms.snooze", Comms(CommsTool::Snooze),
                SnoozeArgs => SnoozeResult: Done(comms::SnoozeResult), Never Normal Silent [], "0020",
                "Leaves one message out of what is proposed, for a time.";
            TakeBack = "comms.take_back", Comms(CommsTool::TakeBack),
                TakeBackArgs => TakeBackResult: Done(comms::TakeBack), Always Normal Silent [OutboxRemoved], "0096",
                "Takes back that a message was put off, or discards the draft of a reply to it.";
            TriageInbox = "comms.triage_inbox", Comms(CommsTool::TriageInbox),
                TriageInboxArgs => TriageInboxResult: Done(comms::TriageResult), Never Normal Silent [], "0020",
                "Sorts the messages of a day into those that want something and the others.";
            CommsDescribe = "comms.describe", Comms(CommsTool::Describe),
                DescribeArgs => DescribeMessagesResult: Done(comms::DescribedMessages), Never Normal Silent [], "0020",
                "Names senders of messages and channels, for a card in the surface's memory.";
            DescribeCorrespondent = "comms.describe_correspondent", Comms(CommsTool::DescribeCorrespondent),
                DescribeCorrespondentArgs => DescribeCorrespondentResult: Done(correspondent::Correspondent), Never Normal Silent [], "0107",
                "Says how much one sender or chat writes, how often and how fast the owner answers, and how many wait, without text or name.";
            LetThrough = "comms.let_through", Comms(CommsTool::LetThrough),
                LetThroughArgs => LetThroughResult: Done(correspondent::LetThrough), Always Normal Silent [], "0113",
                "Always lets through what one sender or chat wants an answer to, whatever its score, or takes that back.";
            SamePerson = "comms.same_person", Comms(CommsTool::SamePerson),
                SamePersonArgs => SamePersonResult: Done(correspondent::SamePerson), Always Normal Silent [], "0122",
                "Takes two senders as one person, as the owner says, or takes that back.";
            ListSamePeople = "comms.list_same_people", Comms(CommsTool::ListSamePeople),
                ListSamePeopleArgs => ListSamePeopleResult: Done(correspondent::SamePeopleList), Never Normal Silent [], "0122",
                "Lists which senders the owner said are one person, without their names.";
            LearnFromAct = "comms.learn_from_act", Comms(CommsTool::LearnFromAct),
                LearnFromActArgs => LearnFromActResult: Done(learning::LearnResult), Never Normal Silent [], "0075",
                "Learns from what the owner did with a card of Comms.";
            ListLearned = "comms.list_learned", Comms(CommsTool::ListLearned),
                ListLearnedArgs => ListLearnedResult: Done(learning::LearnedList), Never Normal Silent [], "0075",
                "Lists what was learned of senders, lists and chats, without their names.";
            CorrectLearned = "comms.correct_learned", Comms(CommsTool::CorrectLearned),
                CorrectLearnedArgs => CorrectLearnedResult: Done(learning::CorrectedLearned), Always Normal Silent [], "0075",
                "Corrects what was learned of one sender, list or chat.";
            ResetLearned = "comms.reset_learned", Comms(CommsTool::ResetLearned),
                ResetLearnedArgs => ResetLearnedResult: Done(learning::ResetResult), Always Normal Silent [], "0075",
                "Unlearns one sender, list or chat, or everything.";
            CalendarIngest = "calendar.ingest", Calendar(CalendarTool::Ingest),
                IngestArgs => IngestResult: Ingest(IngestResult), Never Normal Silent [], "0006",
                "Reads new calendar data and says what changed, as facts without text.";
            CalendarTick = "calendar.tick", Calendar(CalendarTool::Tick),
                TickArgs => TickResult: Tick(TickResult), Never Normal Silent [], "0006",
                "Proposes what to do about the events of the day.";
            DetectConflicts = "calendar.detect_conflicts", Calendar(CalendarTool::DetectConflicts),
                DetectConflictsArgs => DetectConflictsResult: Done(calendar::DetectConflictsResult), Never Normal Silent [], "0020",
                "Lists the pairs of events that overlap on a local day.";
            SuggestSlots = "calendar.suggest_slots", Calendar(CalendarTool::SuggestSlots),
                SuggestSlotsArgs => SuggestSlotsResult: Done(calendar::SuggestSlotsResult), Never Normal Silent [], "0020",
                "Finds the next free times of a length within working hours.";
            AutoDecline = "calendar.auto_decline", Calendar(CalendarTool::AutoDecline),
                AutoDeclineArgs => AutoDeclineResult: Done(calendar::AutoDeclineResult), Always Normal PhoneCard [OutboxFile], "0020",
                "Drafts a decline of one event into the outbox; nothing is sent.";
            DiscardDecline = "calendar.discard_decline", Calendar(CalendarTool::DiscardDecline),
                DiscardDeclineArgs => DiscardDeclineResult: Done(calendar::DiscardDecline), Always Normal Silent [OutboxRemoved], "0096",
                "Discards the draft of a decline of one event.";
            HoldTime = "calendar.hold_time", Calendar(CalendarTool::HoldTime),
                HoldTimeArgs => HoldTimeResult: Done(calendar::HoldTime), Always Normal Silent [OutboxFile, OutboxRemoved], "0134",
                "Keeps a time free by an event in the outbox, or takes that back.";
            TravelAwareAlert = "calendar.travel_aware_alert", Calendar(CalendarTool::TravelAwareAlert),
                TravelAwareAlertArgs => TravelAwareAlertResult: Done(calendar::LeaveBy), Never TimeCritical PhoneCard [CardShow], "0020",
                "Says when to leave for an event.";
            PrepareMeeting = "calendar.prepare_meeting", Calendar(CalendarTool::PrepareMeeting),
                PrepareMeetingArgs => PrepareMeetingResult: Done(calendar::PreparedMeeting), Never Normal PhoneCard [CardShow], "0109",
                "Says that a meeting begins soon, how many others it has, and how long the way there is, without text or name.";
            DescribeMeeting = "calendar.describe_meeting", Calendar(CalendarTool::DescribeMeeting),
                DescribeMeetingArgs => DescribeMeetingResult: Done(calendar::MeetingDescription), Never Normal Silent [], "0109",
                "Says who is invited to an event, where it is and how long the way there is, for a surface's memory.";
            ListEvents = "calendar.list_events", Calendar(CalendarTool::ListEvents),
                ListEventsArgs => ListEventsResult: Done(calendar::EventList), Never Normal Silent [], "0116",
                "Lists the events of some days, with titles, clashes, ways and free times, for a surface's memory.";
            ListTasks = "calendar.list_tasks", Calendar(CalendarTool::ListTasks),
                ListTasksArgs => ListTasksResult: Done(calendar::TaskList), Never Normal Silent [], "0120",
                "Lists the tasks of some days, what is overdue and what has no date, with titles and lists, for a surface's memory.";
            ParseIcsAttachment = "calendar.parse_ics_attachment", Calendar(CalendarTool::ParseIcsAttachment),
                SourceArgs => ParseIcsAttachmentResult: Done(calendar::ParsedEvents), Never Normal Silent [], "0020",
                "Says which events one calendar file or signal holds, without their text.";
            CalendarDescribe = "calendar.describe", Calendar(CalendarTool::Describe),
                DescribeArgs => DescribeResult: Done(shared::DescribeResult), Never Normal Silent [], "0020",
                "Names events by their summary, for a card in the surface's memory.";
            FinanceIngest = "finance.ingest", Finance(FinanceTool::Ingest),
                IngestArgs => IngestResult: Ingest(IngestResult), Never Normal Silent [], "0006",
                "Reads new bank messages and statements and says what was new, as facts without text.";
            FinanceTick = "finance.tick", Finance(FinanceTool::Tick),
                TickArgs => TickResult: Tick(TickResult), Never Normal Silent [], "0006",
                "Proposes what to do about spending and balance.";
            ParseSms = "finance.parse_sms", Finance(FinanceTool::ParseSms),
                SourceArgs => TransactionResult: Done(finance::ParsedTransaction), Never Normal Silent [], "0020",
                "Says which transaction one bank message became, without its text.";
            ParseGmailReceipt = "finance.parse_gmail_receipt", Finance(FinanceTool::ParseGmailReceipt),
                SourceArgs => TransactionResult: Done(finance::ParsedTransaction), Never Normal Silent [], "0020",
                "Says which transaction one receipt became, without its text.";
            Categorize = "finance.categorize", Finance(FinanceTool::Categorize),
                CategorizeArgs => CategorizeResult: Done(finance::CategorizeResult), Never Normal Silent [], "0020",
                "Gives each transaction one of the fourteen categories.";
            AnomalyFlag = "finance.anomaly_flag", Finance(FinanceTool::AnomalyFlag),
                AnomalyFlagArgs => AnomalyFlagResult: Done(finance::AnomalyResult), Never Normal PhoneCard [CardShow], "0020",
                "Says how unusual a day's spending in a category is.";
            PredictEomBalance = "finance.predict_eom_balance", Finance(FinanceTool::PredictEomBalance),
                PredictEomBalanceArgs => PredictEomBalanceResult: Done(finance::BalanceForecast), Never Normal PhoneCard [CardShow], "0020",
                "Estimates the balance at the end of the month.";
            SuggestSubstitution = "finance.suggest_substitution", Finance(FinanceTool::SuggestSubstitution),
                SuggestSubstitutionArgs => SuggestSubstitutionResult: Done(finance::SubstitutionResult), Never Normal Silent [], "0020",
                "Says what doing without, or cooking, would save in a category.";
            FinanceDescribe = "finance.describe", Finance(FinanceTool::Describe),
                DescribeArgs => DescribeMoneyResult: Done(money_questions::DescribedMoney), Never Normal Silent [], "0020",
                "Names merchants, the merchants of transactions and senders, and says the words of a message that is a question, for a surface's memory.";
            ListQuestions = "finance.list_questions", Finance(FinanceTool::ListQuestions),
                ListQuestionsArgs => ListQuestionsResult: Done(money_questions::MoneyQuestions), Never Normal Silent [], "0090",
                "Lists senders that wait for a decision and messages that could not be read, without their text.";
            JudgeSender = "finance.judge_sender", Finance(FinanceTool::JudgeSender),
                JudgeSenderArgs => JudgeSenderResult: Done(money_questions::JudgedSender), Always Normal Silent [], "0090",
                "Says whether what one sender tells of payments counts.";
            AnswerQuestion = "finance.answer_question", Finance(FinanceTool::AnswerQuestion),
                AnswerQuestionArgs => AnswerQuestionResult: Done(money_questions::AnsweredQuestion), Always Normal Silent [], "0090",
                "Says where amount and payee stand in a message, and learns its form.";
            AllowSpending = "finance.allow_spending", Finance(FinanceTool::AllowSpending),
                AllowSpendingArgs => AllowSpendingResult: Done(allowed_spending::AllowedSpending), Always Normal Silent [], "0123",
                "Takes as much in a category as one day cost as usual, as the owner says, or takes that back.";
            ListAllowedSpending = "finance.list_allowed_spending", Finance(FinanceTool::ListAllowedSpending),
                ListAllowedSpendingArgs => ListAllowedSpendingResult: Done(allowed_spending::AllowedSpendingList), Never Normal Silent [], "0123",
                "Lists up to how much a day the owner said is usual in a category.";
            SortShop = "finance.sort_shop", Finance(FinanceTool::SortShop),
                SortShopArgs => SortShopResult: Done(shop_category::SortedShop), Always Normal Silent [], "0170",
                "Counts a shop's payments in the category that the owner says, or takes that back.";
            WellnessIngest = "wellness.ingest", Wellness(WellnessTool::Ingest),
                IngestArgs => IngestResult: Ingest(IngestResult), Never Normal Silent [], "0006",
                "Reads new heart-rate, sleep and activity data and says what it means, as facts.";
            WellnessTick = "wellness.tick", Wellness(WellnessTool::Tick),
                TickArgs => TickResult: Tick(TickResult), Never Normal Silent [], "0006",
                "Proposes what would help at the present load.";
            ComputeLoadScore = "wellness.compute_load_score", Wellness(WellnessTool::ComputeLoadScore),
                ComputeLoadScoreArgs => ComputeLoadScoreResult: Done(wellness::LoadScored), Never Normal Silent [], "0020",
                "Computes the load score of the newest or of given measurements, with what drives it.";
            InterventionSelect = "wellness.intervention_select", Wellness(WellnessTool::InterventionSelect),
                InterventionSelectArgs => InterventionSelectResult: Done(wellness::InterventionResult), Never Normal Silent [], "0020",
                "Says which intervention fits a load score best, or none.";
            CorrelationCheck = "wellness.correlation_check", Wellness(WellnessTool::CorrelationCheck),
                CorrelationCheckArgs => CorrelationCheckResult: Done(wellness::CorrelationResult), Never Normal Silent [], "0020",
                "Computes Spearman's rank correlation of pairs of numbers.";
            RecoveryCheck = "wellness.recovery_check", Wellness(WellnessTool::RecoveryCheck),
                RecoveryCheckArgs => RecoveryCheckResult: Done(wellness::RecoveryResult), Never Normal Silent [], "0020",
                "Says whether the load score has come down from a peak.";
            GuideBreathing = "wellness.guide_breathing", Wellness(WellnessTool::GuideBreathing),
                GuideBreathingArgs => StartedResult: Done(wellness::CourseStarted), Always Safety Watch [TimerSet], "0006",
                "Guides rounds of 4-7-8 breathing.";
            StartNapTimer = "wellness.start_nap_timer", Wellness(WellnessTool::StartNapTimer),
                StartNapTimerArgs => StartedResult: Done(wellness::CourseStarted), Always Safety PhoneCard [TimerSet], "0006",
                "Starts a nap timer.";
            PermitLeisure = "wellness.permit_leisure", Wellness(WellnessTool::PermitLeisure),
                PermitLeisureArgs => StartedResult: Done(wellness::CourseStarted), Always Normal PhoneCard [TimerSet], "0006",
                "Says that a break is fine now, for a time.";
            ShowBrief = "orchestrator.show_brief", Orchestrator(OrchestratorTool::ShowBrief),
                ShowBriefArgs => ShowBriefResult: Done(orchestrator::BriefShown), Never Normal PhoneCard [CardShow], "0006",
                "Shows the morning brief.";
            EndPause = "orchestrator.end_pause", Orchestrator(OrchestratorTool::EndPause),
                EndPauseArgs => EndPauseResult: Done(orchestrator::PauseEnded), Always Normal Silent [PauseEnded], "0062",
                "Ends the pause before its time.";
            RemoveRule = "orchestrator.remove_rule", Orchestrator(OrchestratorTool::RemoveRule),
                RemoveRuleArgs => RemoveRuleResult: Done(orchestrator::RuleRemoved), Always Normal Silent [OwnerRuleRemoved], "0062",
                "Takes one of the owner's rules back.";
            UndoLater = "orchestrator.undo_later", Orchestrator(OrchestratorTool::UndoLater),
                UndoLaterArgs => UndoLaterResult: Done(orchestrator::LaterUndone), Always Normal Silent [LaterUndone], "0125",
                "Takes back that a card was put off: it is asked again at once.";
        }
    };
}
pub(crate) use for_each_tool;
