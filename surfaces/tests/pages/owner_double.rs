//! The double's answers to what the owner's sections ask.
//!
//! What: made-up settings, figures and cards. Why: beside the card's values (`morning`), in a file of their own. Not here: any claim.

#![expect(clippy::unwrap_used, reason = "made-up values of fixed shape")]

use crate::morning::{Double, ts};
use chrono::{NaiveDate, NaiveTime};
use std::collections::{BTreeMap, BTreeSet};
use surfaces_base::{
    OwnerBackend,
    backend::owner::{
        AuditAct, BriefObstacle, DayTag, KeptSortCount, KeptSummary, ModelAvailability, MoneyInquiry,
        NextBrief, OwnerStatus, RecentCards, SentNotifications, SettingsInForce, ShownCard,
    },
    backend::{
        BackendError, BackendFuture, DisplayNames, KeptPayment, deliveries::DeliveryView,
        money_terms::MoneyTerms,
    },
};
use toolcall_schema::{
    ActionKind, Category, Surface, Timestamp, WellnessState,
    catalogue::{
        allowed_spending::AllowedSpendingList,
        comms::{EvidenceCode, MessageClass, TriageResult, TriageScope, TriagedItem, UrgentReason},
        learning::{LearnedList, LearnedRow, LearnedThing},
        money_questions::{
            DescribedMoney, MessageWord, MessageWords, MoneyQuestions, PaymentSenderRow, SenderAcceptance,
            UnreadRow,
        },
        shared::{DisplayLabel, LabelledThing, ThingId},
        wellness::{FeatureName, LoadDriver, LoadScored},
    },
    ids::{ChannelHash, ItemId, MerchantHash, TraceId},
    milli::Milli,
    rule::{DailyWindow, RuleName},
    tick::Subject,
    trace::Trace,
};

/// Full hours between which nothing disturbs.
pub(crate) fn quiet_hours(from: u32, to: u32) -> DailyWindow {
    let at = |hour| NaiveTime::from_hms_opt(hour, 0, 0).unwrap();
    DailyWindow {
        from: at(from),
        to: at(to),
    }
}

impl OwnerBackend for Double {
    fn status(&self) -> BackendFuture<Result<OwnerStatus, BackendError>> {
        let now = self.view.lock().unwrap();
        Self::ready(standing(now.at, &now.zone))
    }

    fn load(&self) -> BackendFuture<Option<LoadScored>> {
        Box::pin(std::future::ready(Some(LoadScored {
            load_score: 78,
            drivers: vec![LoadDriver {
                feature: FeatureName::RmssdMs,
                points: Milli(21_300),
                share: Milli(612),
            }],
        })))
    }

    /// One sender who is often answered, one list that never is, one person who has not answered.
    fn learned(&self) -> BackendFuture<Option<LearnedList>> {
        let row = |about: &str, class, why| LearnedRow {
            about: LearnedThing::parse(about).unwrap(),
            class,
            why,
            corrected: false,
            received: 12,
            answered: if why == EvidenceCode::NeverAnswered { 0 } else { 6 },
            minutes: None,
            shift: 0,
        };
        let rows = vec![
            row(
                "pe_0000000000000001",
                MessageClass::NeedsYou,
                EvidenceCode::OftenAnswered,
            ),
            row(
                "ch_0000000000000007",
                MessageClass::News,
                EvidenceCode::NeverAnswered,
            ),
            row(
                "pe_0000000000000002",
                MessageClass::Waiting,
                EvidenceCode::AsksQuestion,
            ),
        ];
        Box::pin(std::future::ready(Some(LearnedList {
            rows,
            labels: 6,
            counted: 2,
            let_through: vec![LearnedThing::parse("ch_00000000000000c3").unwrap()],
        })))
    }

    fn deliveries(&self) -> BackendFuture<Vec<DeliveryView>> {
        let deliveries = self.deliveries.lock().unwrap().clone();
        Box::pin(std::future::ready(deliveries))
    }

    /// What the owner said while the test ran.
    fn allowed_spending(&self) -> BackendFuture<Option<AllowedSpendingList>> {
        let rows = self.usual.lock().unwrap().clone();
        Box::pin(std::future::ready(Some(AllowedSpendingList { rows })))
    }

    /// One message that could not be read; a sender that waits, one that was refused, one whose form was taught.
    fn money_questions(&self) -> BackendFuture<Option<MoneyInquiry>> {
        let channel = |id: &str| ChannelHash::parse(id).unwrap();
        let row = |id: &str, standing, waiting: u32, forms| PaymentSenderRow {
            channel_hash: channel(id),
            standing,
            waiting,
            currencies: if waiting > 0 {
                vec!["KES".to_owned()]
            } else {
                vec![]
            },
            newest: (waiting > 0).then(|| ts("2026-11-02T12:00:00Z")),
            forms,
        };
        let words = ["Carta", "12,50", "EUR", "presso", "Forno", "Lina"];
        let item_id = ItemId::parse("it_00000000000000f1").unwrap();
        let label = |text: &str| DisplayLabel::sanitize(text).unwrap();
        Box::pin(std::future::ready(Some(MoneyInquiry {
            questions: MoneyQuestions {
                senders: vec![
                    row("ch_00000000000000d1", SenderAcceptance::Undecided, 3, 0),
                    row("ch_00000000000000d2", SenderAcceptance::NotABank, 0, 0),
                    row("ch_00000000000000d3", SenderAcceptance::Counts, 0, 1),
                ],
                messages: vec![UnreadRow {
                    item_id: item_id.clone(),
                    channel_hash: channel("ch_00000000000000d3"),
                    at: ts("2026-11-03T09:00:00Z"),
                }],
            },
            described: DescribedMoney {
                labels: vec![LabelledThing {
                    id: ThingId::Channel(channel("ch_00000000000000d1")),
                    label: label("PESABANK"),
                }],
                unknown: vec![],
                texts: vec![MessageWords {
                    item_id,
                    words: words
                        .iter()
                        .map(|word| MessageWord {
                            text: label(word),
                            amount: *word == "12,50",
                        })
                        .collect(),
                }],
            },
        })))
    }

    fn tag_day(&self, day: NaiveDate, tag: Option<DayTag>) -> BackendFuture<Result<(), BackendError>> {
        let mut tags = self.day_tags.lock().unwrap();
        match tag {
            Some(tag) => tags.insert(day, tag.as_str().to_owned()),
            None => tags.remove(&day),
        };
        Self::ready(())
    }

    fn money_terms(&self) -> BackendFuture<MoneyTerms> {
        Box::pin(std::future::ready(self.money_terms.lock().unwrap().clone()))
    }

    fn sent_today(&self) -> BackendFuture<Result<Vec<SentNotifications>, BackendError>> {
        Self::ready(Vec::new())
    }

    /// Two messages: one of a chat, one of nobody's name, and 2 more that are not listed.
    fn waiting(&self) -> BackendFuture<Option<TriageResult>> {
        let item = |id: &str, at: &str, channel: &str, class| TriagedItem {
            item_id: ItemId::parse(id).unwrap(),
            urgency: Milli(800),
            reason: UrgentReason::Actionable,
            at: ts(at),
            channel_hash: ChannelHash::parse(channel).unwrap(),
            class,
        };
        Box::pin(std::future::ready(Some(TriageResult {
            scope: TriageScope::Unread24h,
            // The most urgent first: the later one.
            urgent: vec![
                item(
                    "it_0000000000000002",
                    "2026-11-03T01:00:00Z",
                    "ch_00000000000000c4",
                    MessageClass::NeedsYou,
                ),
                item(
                    "it_00000000000000b2",
                    "2026-11-03T00:30:00Z",
                    "ch_00000000000000c3",
                    MessageClass::Group,
                ),
            ],
            urgent_count: 4,
            muted_count: 37,
            total: 41,
            suggested: None,
        })))
    }

    fn acts(&self) -> BackendFuture<Result<Vec<Trace>, BackendError>> {
        Self::ready(self.traces.clone())
    }

    fn recorded_acts(&self) -> BackendFuture<Result<Vec<AuditAct>, BackendError>> {
        let act = |at: &str, op: &str, kind: Option<&str>, count| AuditAct {
            at: ts(at),
            op: op.to_owned(),
            kind: kind.map(str::to_owned),
            count,
            id: None,
        };
        let home = self.home.lock().unwrap();
        let changed = home.as_ref().filter(|home| home.can_undo).map(|home| AuditAct {
            id: Some(format!("ceiling:{}", home.values.ceiling)),
            ..act("2026-11-03T17:04:00Z", "write", Some("settings"), None)
        });
        Self::ready(
            changed
                .into_iter()
                .chain(vec![
                    act("2026-11-03T17:03:00Z", "delete", Some("memory"), Some(14)),
                    act("2026-11-02T08:00:00Z", "write", Some("draft"), None),
                    act("2026-11-01T08:00:00Z", "export", Some("memory"), None),
                ])
                .collect(),
        )
    }

    fn name_thing(&self, thing: ThingId, name: Option<String>) -> BackendFuture<Result<(), BackendError>> {
        self.note(format!("name {thing:?} {name:?}"));
        Self::ready(())
    }

    fn kept(&self) -> BackendFuture<Result<KeptSummary, BackendError>> {
        Self::ready(KeptSummary {
            sorts: vec![KeptSortCount {
                name: "conversation".to_owned(),
                count: 41,
                oldest: ts("2026-10-05T06:00:00Z"),
                days: Some(30),
            }],
            traces: 97,
            events: 1204,
            names: 0,
            bytes: 2_097_152,
            trace_days: Some(30),
            audit: BTreeMap::from([("read".to_owned(), 12)]),
            acts: vec![
                AuditAct {
                    at: ts("2026-11-03T02:14:00Z"),
                    op: "read".to_owned(),
                    kind: Some("traces".to_owned()),
                    count: None,
                    id: None,
                },
                AuditAct {
                    at: ts("2026-11-02T15:00:00Z"),
                    op: "delete".to_owned(),
                    kind: Some("memory".to_owned()),
                    count: Some(40),
                    id: None,
                },
            ],
            waits: None,
        })
    }

    fn recent_cards(&self) -> BackendFuture<Result<RecentCards, BackendError>> {
        Self::ready(shown_lately())
    }

    /// Names what it knows, and notes what it was asked for.
    fn names(&self, ids: BTreeSet<ThingId>) -> BackendFuture<DisplayNames> {
        self.named.lock().unwrap().push(ids);
        Box::pin(std::future::ready(self.labels.lock().unwrap().clone()))
    }
}

/// Under stress, one chat muted for 20 more minutes, another not any more.
pub(crate) fn standing(at: Timestamp, zone: &str) -> OwnerStatus {
    OwnerStatus {
        at,
        settings: SettingsInForce {
            zone: zone.to_owned(),
            ceiling: 3,
            brief: ("07:30".to_owned(), "12:00".to_owned()),
            dnd: vec![quiet_hours(22, 7)],
            given: Some(["zone", "dnd"].map(str::to_owned).into()),
        },
        state: WellnessState::Stressed,
        load_score: Some(78),
        recovering_until: None,
        mutes: BTreeMap::from([
            (
                ChannelHash::parse("ch_00000000000000c3").unwrap(),
                at.plus_min(20),
            ),
            (
                ChannelHash::parse("ch_00000000000000c4").unwrap(),
                at.plus_min(-20),
            ),
        ]),
        brief: NextBrief {
            due: ts("2026-11-04T02:00:00Z"),
            against: None,
            comes: Some(ts("2026-11-04T02:00:00Z")),
        },
        surfaces: BTreeSet::from([Surface::PhoneCard]),
        model: ModelAvailability::Off,
    }
}

/// A brief that a rule holds back until nine.
pub(crate) fn forbidden_brief() -> NextBrief {
    NextBrief {
        due: ts("2026-11-04T02:00:00Z"),
        against: Some(BriefObstacle::Rule(RuleName::parse("show-brief-1").unwrap())),
        comes: Some(ts("2026-11-04T03:30:00Z")),
    }
}

/// Two cards: 22:31 on a Tuesday, and 07:45 on the Monday before, both in Kolkata.
pub(crate) fn shown_lately() -> RecentCards {
    let shown = |id: &str, at: &str, kind, subject: &str| ShownCard {
        trace_id: TraceId::parse(id).unwrap(),
        at: ts(at),
        kind,
        subject: Subject::parse(subject).unwrap(),
    };
    RecentCards {
        since: ts("2026-10-04T18:30:00Z"),
        cards: vec![
            shown(
                "tr_mute00000001",
                "2026-11-03T17:01:47Z",
                ActionKind::MuteGroup30,
                "ch_00000000000000c3",
            ),
            shown(
                "tr_brief0000001",
                "2026-11-02T02:15:00Z",
                ActionKind::ShowBrief,
                "2026-11-02",
            ),
        ],
    }
}

/// Payments of November 2026 in Kolkata: on Tuesday the 3rd at two shops from two accounts and one in dollars, a salary, one without a direction; and one of October.
pub(crate) fn payments() -> Vec<KeptPayment> {
    let paid = |at: &str, amount: &str, (merchant, category): (u32, Category), account: &str| KeptPayment {
        at: ts(at),
        amount: amount.parse().unwrap(),
        currency: "INR".to_owned(),
        merchant: MerchantHash::parse(&format!("mh_{merchant:016x}")).unwrap(),
        category,
        account_last4: account.to_owned(),
    };
    let (food, shop) = ((1, Category::FoodDelivery), (2, Category::Groceries));
    vec![
        paid("2026-11-03T12:00:00Z", "-450", food, "1122"),
        KeptPayment {
            currency: "USD".to_owned(),
            ..paid(
                "2026-11-03T11:00:00Z",
                "-12.50",
                (3, Category::Subscriptions),
                "1122",
            )
        },
        paid("2026-11-03T10:00:00Z", "-1350", shop, "3344"),
        paid("2026-11-03T09:00:00Z", "-50", food, "1122"),
        paid("2026-11-03T08:00:00Z", "77", shop, ""),
        paid("2026-11-02T04:00:00Z", "+50000", (4, Category::Other), "1122"),
        // Still the 31st of October in London, the 1st of November in Kolkata.
        paid("2026-10-31T20:00:00Z", "-100", food, "1122"),
        paid("2026-10-30T12:00:00Z", "-900", shop, "3344"),
    ]
}
