//! Examples of every tool's arguments.
//!
//! What: one that passes and three that do not, with the place of the fault. Why: an agent author reads them, and a test
//! sends each through the gate. Not here: whole calls (`fixtures/rejections`).

use super::ToolName;

/// Arguments that pass, and arguments that do not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToolExamples {
    pub valid: &'static str,
    /// Refused with `GATE-009`; beside each, the pointer of the fault in the call.
    pub invalid: [(&'static str, &'static str); 3],
}

impl ToolName {
    /// Examples of the tool's arguments.
    pub fn examples(self) -> ToolExamples {
        let of = |valid, invalid| ToolExamples { valid, invalid };
        match self {
            ToolName::CommsIngest
            | ToolName::CalendarIngest
            | ToolName::FinanceIngest
            | ToolName::WellnessIngest => of(
                r#"{"cursor":0,"signal_ids":["mail-17"]}"#,
                [
                    (r#"{"cursor":-1,"signal_ids":[]}"#, "/args/cursor"),
                    (r#"{"cursor":0}"#, "/args"),
                    (r#"{"cursor":0,"signal_ids":["two words"]}"#, "/args/signal_ids/0"),
                ],
            ),
            ToolName::CommsTick | ToolName::CalendarTick | ToolName::FinanceTick | ToolName::WellnessTick => {
                of(
                    r#"{"tick":1,"trigger":{"source":"interval","at":"2026-11-03T02:15:00Z","valid_until":"2026-11-03T02:25:00Z"},"user":{"state":"BASELINE","in_focus":false,"in_meeting":false,"dnd":false,"brief_due":true,"zone":"Asia/Kolkata"},"rules":[]}"#,
                    [
                        (
                            r#"{"tick":0,"trigger":{"source":"interval","at":"2026-11-03T02:15:00Z","valid_until":"2026-11-03T02:25:00Z"},"user":{"state":"BASELINE","in_focus":false,"in_meeting":false,"dnd":false,"brief_due":true,"zone":"Asia/Kolkata"},"rules":[]}"#,
                            "/args/tick",
                        ),
                        (
                            r#"{"tick":1,"trigger":{"source":"interval","at":"2026-11-03T02:15:00Z","valid_until":"2026-11-03T02:25:00Z"},"user":{"state":"BASELINE","in_focus":false,"in_meeting":false,"dnd":false,"brief_due":true,"zone":"Asia/Kolkata"},"rules":[{"rule":"mute","channel":"family"}]}"#,
                            "/args/rules/0",
                        ),
                        (
                            r#"{"tick":1,"trigger":{"source":"interval","at":"2026-11-03T02:15:00Z","valid_until":"2026-11-03T02:25:00Z"},"user":{"state":"BASELINE","in_focus":false,"in_meeting":false,"dnd":false,"brief_due":true,"zone":"Asia/Kolkata"},"rules":[],"hint":"look at the mail"}"#,
                            "/args",
                        ),
                    ],
                )
            }
            ToolName::MuteChannel => of(
                r#"{"channel_hash":"ch_00112233445566aa","ttl_seconds":1800}"#,
                [
                    (
                        r#"{"channel_hash":"ch_00112233445566aa","ttl_seconds":59}"#,
                        "/args/ttl_seconds",
                    ),
                    (
                        r#"{"channel_hash":"family","ttl_seconds":1800}"#,
                        "/args/channel_hash",
                    ),
                    (r#"{"channel_hash":"ch_00112233445566aa"}"#, "/args"),
                ],
            ),
            ToolName::UnmuteChannel => of(
                r#"{"channel_hash":"ch_00112233445566aa"}"#,
                [
                    (r#"{"channel_hash":"family"}"#, "/args/channel_hash"),
                    (
                        r#"{"channel_hash":"ch_00112233445566aa","ttl_seconds":60}"#,
                        "/args",
                    ),
                    ("{}", "/args"),
                ],
            ),
            ToolName::LearnFromAct => of(
                r#"{"kind":"DRAFT_REPLY","subject":"it_00112233445566aa","act":"dismissed","trace_id":"tr_0123456789ab"}"#,
                [
                    (
                        r#"{"kind":"DRAFT_REPLY","subject":"it_00112233445566aa","act":"shouted","trace_id":"tr_0123456789ab"}"#,
                        "/args/act",
                    ),
                    (
                        r#"{"kind":"DRAFT_REPLY","subject":"the mail of Asha","act":"useful","trace_id":"tr_0123456789ab"}"#,
                        "/args/subject",
                    ),
                    (
                        r#"{"kind":"DRAFT_REPLY","subject":"it_00112233445566aa","act":"useful"}"#,
                        "/args",
                    ),
                ],
            ),
            ToolName::ListLearned => of(
                "{}",
                [
                    (r#"{"about":"pe_00112233445566aa"}"#, "/args"),
                    (r#"{"limit":10}"#, "/args"),
                    (r#"{"words":true}"#, "/args"),
                ],
            ),
            ToolName::DescribeCorrespondent => of(
                r#"{"about":"pe_00112233445566aa"}"#,
                [
                    (r#"{"about":"Asha"}"#, "/args/about"),
                    (r#"{"about":"ev_00112233445566aa"}"#, "/args/about"),
                    ("{}", "/args"),
                ],
            ),
            ToolName::LetThrough => of(
                r#"{"about":"pe_00112233445566aa","always":true}"#,
                [
                    (r#"{"about":"Miriam","always":true}"#, "/args/about"),
                    (
                        r#"{"about":"ch_00112233445566aa","always":"yes"}"#,
                        "/args/always",
                    ),
                    (r#"{"about":"pe_00112233445566aa"}"#, "/args"),
                ],
            ),
            ToolName::SamePerson => of(
                r#"{"person":"pe_00112233445566aa","other":"pe_00112233445566bb","same":true}"#,
                [
                    (
                        r#"{"person":"Miriam","other":"pe_00112233445566bb","same":true}"#,
                        "/args/person",
                    ),
                    (
                        r#"{"person":"pe_00112233445566aa","other":"ch_00112233445566bb","same":true}"#,
                        "/args/other",
                    ),
                    (
                        r#"{"person":"pe_00112233445566aa","other":"pe_00112233445566bb"}"#,
                        "/args",
                    ),
                ],
            ),
            ToolName::ListSamePeople => of(
                "{}",
                [
                    (r#"{"about":"pe_00112233445566aa"}"#, "/args"),
                    (r#"{"limit":10}"#, "/args"),
                    (r#"{"names":true}"#, "/args"),
                ],
            ),
            ToolName::AllowSpending => of(
                r#"{"category":"groceries","day":"2026-11-03","allowed":true}"#,
                [
                    (
                        r#"{"category":"cars","day":"2026-11-03","allowed":true}"#,
                        "/args/category",
                    ),
                    (
                        r#"{"category":"groceries","day":"2026-02-30","allowed":true}"#,
                        "/args/day",
                    ),
                    (
                        r#"{"category":"groceries","day":"2026-11-03","allowed":true,"upto":"900"}"#,
                        "/args",
                    ),
                ],
            ),
            ToolName::ListAllowedSpending => of(
                "{}",
                [
                    (r#"{"category":"groceries"}"#, "/args"),
                    (r#"{"limit":10}"#, "/args"),
                    (r#"{"shops":true}"#, "/args"),
                ],
            ),
            ToolName::SortShop => of(
                r#"{"merchant_hash":"mh_00112233445566aa","category":"groceries"}"#,
                [
                    (
                        r#"{"merchant_hash":"mh_00112233445566aa","category":"cars"}"#,
                        "/args/category",
                    ),
                    (
                        r#"{"merchant_hash":"a shop","category":"groceries"}"#,
                        "/args/merchant_hash",
                    ),
                    (
                        r#"{"merchant_hash":"mh_00112233445566aa","name":"a shop"}"#,
                        "/args",
                    ),
                ],
            ),
            ToolName::CorrectLearned => of(
                r#"{"about":"ch_00112233445566aa","class":"needs_you"}"#,
                [
                    (
                        r#"{"about":"ch_00112233445566aa","class":"boring"}"#,
                        "/args/class",
                    ),
                    (r#"{"about":"it_00112233445566aa","class":"news"}"#, "/args/about"),
                    (r#"{"about":"ch_00112233445566aa"}"#, "/args"),
                ],
            ),
            ToolName::ResetLearned => of(
                r#"{"about":"pe_00112233445566aa"}"#,
                [
                    (r#"{"about":"Asha"}"#, "/args/about"),
                    (r#"{"about":null}"#, "/args/about"),
                    (r#"{"all":true}"#, "/args"),
                ],
            ),
            ToolName::BatchSummarize => of(
                r#"{"since":"2026-11-03T02:15:00Z"}"#,
                [
                    (r#"{"since":"yesterday"}"#, "/args/since"),
                    ("{}", "/args"),
                    (
                        r#"{"since":"2026-11-03T02:15:00Z","channel_hash":null}"#,
                        "/args/channel_hash",
                    ),
                ],
            ),
            ToolName::DraftReply => of(
                r#"{"item_id":"it_00112233445566aa","tone":"brief","length_max":140}"#,
                [
                    (
                        r#"{"item_id":"it_00112233445566aa","tone":"brief","length_max":281}"#,
                        "/args/length_max",
                    ),
                    (
                        r#"{"item_id":"it_00112233445566aa","tone":"angry","length_max":140}"#,
                        "/args/tone",
                    ),
                    (
                        r#"{"item_id":"ev_00112233445566aa","tone":"brief","length_max":140}"#,
                        "/args/item_id",
                    ),
                ],
            ),
            ToolName::TravelAwareAlert => of(
                r#"{"event_id":"ev_00112233445566aa","user_loc":{"lat":12.97,"lon":77.59},"buffer_min":15}"#,
                [
                    (
                        r#"{"event_id":"ev_00112233445566aa","buffer_min":121}"#,
                        "/args/buffer_min",
                    ),
                    (
                        r#"{"event_id":"ev_00112233445566aa","user_loc":{"lat":91,"lon":0},"buffer_min":15}"#,
                        "/args/user_loc/lat",
                    ),
                    (
                        r#"{"event_id":"ev_00112233445566aa","user_loc":{"lat":1},"buffer_min":15}"#,
                        "/args/user_loc",
                    ),
                ],
            ),
            ToolName::PrepareMeeting => of(
                r#"{"event_id":"ev_00112233445566aa"}"#,
                [
                    (r#"{"event_id":"Loom demo"}"#, "/args/event_id"),
                    (
                        r#"{"event_id":"ev_00112233445566aa","people":["pe_00112233445566aa"]}"#,
                        "/args",
                    ),
                    ("{}", "/args"),
                ],
            ),
            ToolName::DescribeMeeting => of(
                r#"{"event_id":"ev_00112233445566aa"}"#,
                [
                    (r#"{"event_id":"pe_00112233445566aa"}"#, "/args/event_id"),
                    (r#"{"event_id":null}"#, "/args/event_id"),
                    ("{}", "/args"),
                ],
            ),
            ToolName::ListEvents => of(
                r#"{"first":"2026-11-03","days":7}"#,
                [
                    (r#"{"first":"2026-11-03","days":0}"#, "/args/days"),
                    (r#"{"first":"2026-11-03","days":43}"#, "/args/days"),
                    (r#"{"first":"tomorrow","days":1}"#, "/args/first"),
                ],
            ),
            ToolName::ListTasks => of(
                r#"{"first":"2026-11-03","days":7}"#,
                [
                    (r#"{"first":"2026-11-03","days":0}"#, "/args/days"),
                    (r#"{"first":"2026-11-03","days":43}"#, "/args/days"),
                    (r#"{"first":"soon","days":1}"#, "/args/first"),
                ],
            ),
            ToolName::AutoDecline => of(
                r#"{"event_id":"ev_00112233445566aa","reason_template":"conflict"}"#,
                [
                    (
                        r#"{"event_id":"ev_00112233445566aa","reason_template":"tired"}"#,
                        "/args/reason_template",
                    ),
                    (r#"{"event_id":"ev_00112233445566aa"}"#, "/args"),
                    (
                        r#"{"event_id":"ev_1","reason_template":"focus"}"#,
                        "/args/event_id",
                    ),
                ],
            ),
            ToolName::Categorize => of(
                r#"{"txn_ids":["tx_00112233445566aa"]}"#,
                [
                    (r#"{"txn_ids":[]}"#, "/args/txn_ids"),
                    (r#"{"txn_ids":["coffee"]}"#, "/args/txn_ids/0"),
                    (r#"{"txn_ids":"tx_00112233445566aa"}"#, "/args/txn_ids"),
                ],
            ),
            ToolName::AnomalyFlag => of(
                r#"{"category":"groceries","severity":"high","day":"2026-11-03","window_days":30}"#,
                [
                    (
                        r#"{"category":"cars","severity":"high","day":"2026-11-03","window_days":30}"#,
                        "/args/category",
                    ),
                    (
                        r#"{"category":"groceries","severity":"high","day":"2026-02-30","window_days":30}"#,
                        "/args/day",
                    ),
                    (
                        r#"{"category":"groceries","severity":"high","day":"2026-11-03","window_days":6.5}"#,
                        "/args/window_days",
                    ),
                ],
            ),
            ToolName::PredictEomBalance => of(
                r#"{"day":"2026-11-03"}"#,
                [
                    (r#"{"day":"2026-11-03T00:00:00Z"}"#, "/args/day"),
                    ("{}", "/args"),
                    (r#"{"day":20261103}"#, "/args/day"),
                ],
            ),
            ToolName::GuideBreathing => of(
                r#"{"cycles":4}"#,
                [
                    (r#"{"cycles":0}"#, "/args/cycles"),
                    (r#"{"cycles":21}"#, "/args/cycles"),
                    (r#"{"cycles":"4"}"#, "/args/cycles"),
                ],
            ),
            ToolName::StartNapTimer => of(
                r#"{"duration_min":15}"#,
                [
                    (r#"{"duration_min":4}"#, "/args/duration_min"),
                    (r#"{"duration_min":91}"#, "/args/duration_min"),
                    (r#"{"minutes":15}"#, "/args"),
                ],
            ),
            ToolName::PermitLeisure => of(
                r#"{"window_min":90}"#,
                [
                    (r#"{"window_min":14}"#, "/args/window_min"),
                    (r#"{"window_min":241}"#, "/args/window_min"),
                    (r#"{"window_min":90,"note":"well done"}"#, "/args"),
                ],
            ),
            ToolName::Classify => of(
                r#"{"item_id":"it_00112233445566aa"}"#,
                [
                    (r#"{"item_id":"it_00112233445566A"}"#, "/args/item_id"),
                    (r#"{"text":"can you send the notes?"}"#, "/args"),
                    ("{}", "/args"),
                ],
            ),
            ToolName::Snooze => of(
                r#"{"item_id":"it_00112233445566aa","ttl_seconds":3600}"#,
                [
                    (
                        r#"{"item_id":"it_00112233445566aa","ttl_seconds":86401}"#,
                        "/args/ttl_seconds",
                    ),
                    (
                        r#"{"item_id":"it_00112233445566aa","ttl_seconds":59}"#,
                        "/args/ttl_seconds",
                    ),
                    (
                        r#"{"item_id":"ch_00112233445566aa","ttl_seconds":3600}"#,
                        "/args/item_id",
                    ),
                ],
            ),
            ToolName::TakeBack => of(
                r#"{"item_id":"it_00112233445566aa","what":"draft"}"#,
                [
                    (r#"{"item_id":"it_00112233445566aa","what":"mail"}"#, "/args/what"),
                    (
                        r#"{"item_id":"ch_00112233445566aa","what":"put_off"}"#,
                        "/args/item_id",
                    ),
                    (r#"{"item_id":"it_00112233445566aa"}"#, "/args"),
                ],
            ),
            ToolName::DiscardDecline => of(
                r#"{"event_id":"ev_00112233445566aa"}"#,
                [
                    (r#"{"event_id":"it_00112233445566aa"}"#, "/args/event_id"),
                    (
                        r#"{"event_id":"ev_00112233445566aa","reason_template":"conflict"}"#,
                        "/args",
                    ),
                    ("{}", "/args"),
                ],
            ),
            ToolName::HoldTime => of(
                r#"{"start":"2026-11-03T14:00:00+05:30","duration_min":60,"held":true}"#,
                [
                    (
                        r#"{"start":"2026-11-03T14:00:00+05:30","duration_min":721,"held":true}"#,
                        "/args/duration_min",
                    ),
                    (
                        r#"{"start":"tomorrow","duration_min":60,"held":true}"#,
                        "/args/start",
                    ),
                    (
                        r#"{"start":"2026-11-03T14:00:00+05:30","duration_min":60,"held":true,"title":"x"}"#,
                        "/args",
                    ),
                ],
            ),
            ToolName::TriageInbox => of(
                r#"{"scope":"unread_24h","longest":{"after":{"at":"2026-11-03T10:00:00.000Z","item_id":"it_00112233445566aa"}}}"#,
                [
                    (r#"{"scope":"everything"}"#, "/args/scope"),
                    (
                        r#"{"scope":"unread_24h","longest":{"after":{"item_id":"it_00112233445566aa"}}}"#,
                        "/args/longest/after",
                    ),
                    (r#"{"scope":"all_today","inbox":[]}"#, "/args"),
                ],
            ),
            ToolName::CommsDescribe | ToolName::CalendarDescribe | ToolName::FinanceDescribe => of(
                r#"{"ids":["it_00112233445566aa","ch_00112233445566aa","ev_00112233445566aa","tx_00112233445566aa","mh_00112233445566aa"]}"#,
                [
                    (r#"{"ids":[]}"#, "/args/ids"),
                    (r#"{"ids":["it_00112233445566aa","family"]}"#, "/args/ids/1"),
                    (r#"{"ids":["tr_00112233445566aa"]}"#, "/args/ids/0"),
                ],
            ),
            ToolName::ListQuestions => of(
                "{}",
                [
                    (r#"{"channel_hash":"ch_00112233445566aa"}"#, "/args"),
                    (r#"{"texts":true}"#, "/args"),
                    (r#"{"limit":10}"#, "/args"),
                ],
            ),
            ToolName::JudgeSender => of(
                r#"{"channel_hash":"ch_00112233445566aa","standing":"counts"}"#,
                [
                    (
                        r#"{"channel_hash":"ch_00112233445566aa","standing":"maybe"}"#,
                        "/args/standing",
                    ),
                    (
                        r#"{"channel_hash":"CANBNK","standing":"counts"}"#,
                        "/args/channel_hash",
                    ),
                    (r#"{"channel_hash":"ch_00112233445566aa"}"#, "/args"),
                ],
            ),
            ToolName::AnswerQuestion => of(
                r#"{"item_id":"it_00112233445566aa","payments":[{"direction":"debit","amount":{"from":1,"to":2},"payee":{"from":4,"to":6}}]}"#,
                [
                    (
                        r#"{"item_id":"it_00112233445566aa","payments":[{"direction":"debit","amount":"500"}]}"#,
                        "/args/payments/0/amount",
                    ),
                    (
                        r#"{"item_id":"it_00112233445566aa","payments":[{"direction":"lost","amount":{"from":1,"to":2}}]}"#,
                        "/args/payments/0/direction",
                    ),
                    (
                        r#"{"item_id":"it_00112233445566aa","payments":[],"text":"paid"}"#,
                        "/args",
                    ),
                ],
            ),
            ToolName::DetectConflicts => of(
                r#"{"day":"2026-11-03"}"#,
                [
                    (r#"{"day":"2026-02-30"}"#, "/args/day"),
                    (r#"{"day":"today"}"#, "/args/day"),
                    (r#"{"events":[]}"#, "/args"),
                ],
            ),
            ToolName::SuggestSlots => of(
                r#"{"duration_min":30,"after":"2026-11-03T02:15:00Z"}"#,
                [
                    (
                        r#"{"duration_min":4,"after":"2026-11-03T02:15:00Z"}"#,
                        "/args/duration_min",
                    ),
                    (
                        r#"{"duration_min":241,"after":"2026-11-03T02:15:00Z"}"#,
                        "/args/duration_min",
                    ),
                    (r#"{"duration_min":30,"after":"2026-11-03 02:15"}"#, "/args/after"),
                ],
            ),
            ToolName::ParseIcsAttachment | ToolName::ParseSms | ToolName::ParseGmailReceipt => of(
                r#"{"source_id":"phone-17"}"#,
                [
                    (r#"{"source_id":""}"#, "/args/source_id"),
                    (
                        r#"{"source_id":"Sent Rs.212.50 from A/C *8841"}"#,
                        "/args/source_id",
                    ),
                    (r#"{"text":"BEGIN:VCALENDAR"}"#, "/args"),
                ],
            ),
            ToolName::SuggestSubstitution => of(
                r#"{"category":"food_delivery","day":"2026-11-03"}"#,
                [
                    (r#"{"category":"food","day":"2026-11-03"}"#, "/args/category"),
                    (r#"{"category":"food_delivery","day":"03-11-2026"}"#, "/args/day"),
                    (r#"{"category":"food_delivery"}"#, "/args"),
                ],
            ),
            ToolName::ComputeLoadScore => of(
                r#"{"features":{"rmssd_ms":28.4,"asleep_min":312}}"#,
                [
                    (r#"{"features":{"rmssd_ms":2.9}}"#, "/args/features/rmssd_ms"),
                    (r#"{"features":{"rmssd_ms":null}}"#, "/args/features/rmssd_ms"),
                    (r#"{"features":{"steps":9000}}"#, "/args/features"),
                ],
            ),
            ToolName::InterventionSelect => of(
                r#"{"score":78,"in_focus":false,"in_meeting":false,"active_channel":"ch_00112233445566aa"}"#,
                [
                    (
                        r#"{"score":101,"in_focus":false,"in_meeting":false}"#,
                        "/args/score",
                    ),
                    (
                        r#"{"score":78,"in_focus":"no","in_meeting":false}"#,
                        "/args/in_focus",
                    ),
                    (r#"{"score":78}"#, "/args"),
                ],
            ),
            ToolName::CorrelationCheck => of(
                r#"{"samples":[[42,2],[55.5,3],[78,5]]}"#,
                [
                    (r#"{"samples":[[42,2],[55,3]]}"#, "/args/samples"),
                    (r#"{"samples":[[42,2],[55,3],[78]]}"#, "/args/samples/2"),
                    (r#"{"samples":[[42,2],[55,3],[78,"high"]]}"#, "/args/samples/2/1"),
                ],
            ),
            ToolName::RecoveryCheck => of(
                r#"{"scores":[78,70,60,52]}"#,
                [
                    (r#"{"scores":[]}"#, "/args/scores"),
                    (r#"{"scores":[78,70.5]}"#, "/args/scores/1"),
                    (r#"{"scores":[78,101]}"#, "/args/scores/1"),
                ],
            ),
            ToolName::EndPause => of(
                "{}",
                [
                    (r#"{"until":null}"#, "/args"),
                    (r#"{"name":"evening"}"#, "/args"),
                    (r#"{"":0}"#, "/args"),
                ],
            ),
            ToolName::RemoveRule => of(
                r#"{"name":"evening-1"}"#,
                [
                    (r#"{"name":"In the evening"}"#, "/args/name"),
                    (r#"{"name":"evening-1","all":true}"#, "/args"),
                    ("{}", "/args"),
                ],
            ),
            ToolName::UndoLater => of(
                r#"{"trace_id":"tr_abcdef012345"}"#,
                [
                    (r#"{"trace_id":"c_abcdef012345"}"#, "/args/trace_id"),
                    (r#"{"trace_id":"tr_abcdef012345","all":true}"#, "/args"),
                    ("{}", "/args"),
                ],
            ),
            ToolName::ShowBrief => of(
                r#"{"sections":[{"section":"messages","total":12,"actionable":1},{"section":"not_read","agent":"calendar"}]}"#,
                [
                    (r#"{"sections":[]}"#, "/args/sections"),
                    (
                        r#"{"sections":[{"section":"weather"}]}"#,
                        "/args/sections/0/section",
                    ),
                    (
                        r#"{"sections":[{"section":"messages","total":12}]}"#,
                        "/args/sections/0",
                    ),
                ],
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Code, Confirm, gate::pre_admit};

    #[test]
    fn every_example_passes_or_is_refused_where_it_says() {
        for name in ToolName::ALL {
            let always = name.columns().confirm == Confirm::Always;
            let send = |args: &str| pre_admit(*name, &serde_json::from_str(args).unwrap(), always);
            let examples = name.examples();
            assert_eq!(send(examples.valid).map(|it| it.tool.name()), Ok(*name), "{name}");
            for (args, pointer) in examples.invalid {
                let error = send(args).unwrap_err();
                assert_eq!(
                    (error.code, error.pointer.as_str()),
                    (Code::Gate009, pointer),
                    "{name} {args}"
                );
            }
        }
    }
}
