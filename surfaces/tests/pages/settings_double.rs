//! The double's answers to the forms of the settings.
//!
//! What: a file in memory that takes what a form sends, and says what came of it as the real one would. Not here: any claim.

#![expect(clippy::unwrap_used, reason = "made-up values of fixed shape")]

use crate::morning::{Double, ts};
use std::{collections::BTreeMap, path::Path, sync::atomic};
use surfaces_base::backend::{
    BackendError, BackendFuture,
    console::{PolicyOutcome, PolicyWish, WhatIfReport},
    home_fields::{HomeFieldGroup, HomeFieldKind, HomeFieldView},
    settings::{
        AskedStatement, BalanceView, ChangedLine, DesktopChange, DesktopView, DroppedReply, FileBytes,
        FilePiece, FoundSourceView, HomeChangeReply, HomeFileChange, HomeFileView, HomeValues, PreviewReply,
        ReadingView, SettingsBackend, SourceRef, SourceRestView, SourceState, SourceView, TownView,
        UndoneChange,
    },
    source_look::{
        CsvQuestionView, CsvStatementView, FarTown, FolderReply, FolderView, ListedName, ListedNameKind,
        NamedPathReply, PlaceView, SourceContents, SourceLookReply, UnfitFile,
    },
};
use toolcall_schema::{
    ActionKind, AgentName, ReasonCode, SourceKind,
    preview::{SourceFigures, StatementColumns, StatementRow},
    rule::OwnerRule,
    signal::Direction,
    tick::{SkippedItem, Subject, source_key},
    whatif::{
        InterruptionChange, InterruptionDifference, InterruptionReason, NotChosenReason, WhatIfAnswer,
        WhatIfDay,
    },
};

/// Two days, of which one would have had one card less and another at a later time.
pub(crate) fn tried_report() -> WhatIfReport {
    let difference = |change, kind, at: &str, moved_to: Option<&str>| InterruptionDifference {
        change,
        at: ts(at),
        moved_to: moved_to.map(ts),
        tick: 7,
        kind,
        subject: Subject::of_self(),
        score: None,
        why: InterruptionReason::Now(NotChosenReason::Removed(ReasonCode::CapDaily, None)),
    };
    let day = |date: &str, recorded, what_if, differences| WhatIfDay {
        date: date.parse().unwrap(),
        recorded,
        what_if,
        differences,
        zone: None,
    };
    WhatIfReport {
        at: ts("2026-11-03T12:00:00Z"),
        zone: "Asia/Kolkata".to_owned(),
        answer: WhatIfAnswer {
            policy_hash: "0".repeat(64),
            days: vec![
                day("2026-11-02", 2, 2, vec![]),
                day(
                    "2026-11-03",
                    3,
                    2,
                    vec![
                        difference(
                            InterruptionChange::Moved,
                            ActionKind::ShowBrief,
                            "2026-11-03T02:00:00Z",
                            Some("2026-11-03T03:30:00Z"),
                        ),
                        difference(
                            InterruptionChange::Removed,
                            ActionKind::MuteGroup30,
                            "2026-11-03T09:00:00Z",
                            None,
                        ),
                    ],
                ),
            ],
            recorded: 5,
            what_if: 4,
            added: 0,
            removed: 1,
            moved: 1,
            changed: 0,
            of_other_rules: 0,
            cut: false,
        },
    }
}

/// A source of the made-up owner.
pub(crate) fn source(list: SourceKind, path: &str) -> SourceRef {
    let path = path.to_owned();
    SourceRef { list, path }
}

/// A file with a value for every field.
pub(crate) fn home() -> HomeFileView {
    HomeFileView {
        shown: "5".repeat(64),
        values: HomeValues {
            zone: "Asia/Kolkata".to_owned(),
            names: vec!["kavin".to_owned(), "K".to_owned()],
            addresses: vec!["kavin@example.org".to_owned()],
            ceiling: 3,
            brief_time: "07:30".to_owned(),
            quiet: vec![("22:00".to_owned(), "07:00".to_owned())],
            sleep_target_min: 450,
            balance: Some(BalanceView {
                amount: "68400.00".to_owned(),
                currency: "INR".to_owned(),
            }),
        },
        home_town: Some("Bengaluru, IN".to_owned()),
        fields: vec![
            HomeFieldView {
                key: "home",
                group: HomeFieldGroup::Days,
                kind: HomeFieldKind::Place,
                value: "12.97, 77.59".to_owned(),
            },
            HomeFieldView {
                key: "buffer_min",
                group: HomeFieldGroup::Days,
                kind: HomeFieldKind::Whole { min: 0, max: 240 },
                value: "15".to_owned(),
            },
            HomeFieldView {
                key: "calendar.working_days",
                group: HomeFieldGroup::Days,
                kind: HomeFieldKind::Choices(&["mon", "tue", "sat"]),
                value: "mon, tue".to_owned(),
            },
            HomeFieldView {
                key: "kinds.DRAFT_REPLY",
                group: HomeFieldGroup::Kinds,
                kind: HomeFieldKind::Choice(&["usual", "less", "more"]),
                value: "less".to_owned(),
            },
            HomeFieldView {
                key: "speech.enabled",
                group: HomeFieldGroup::Speaking,
                kind: HomeFieldKind::Switch,
                value: "no".to_owned(),
            },
        ],
        accounts: Vec::new(),
        sources: vec![SourceView {
            source: source(SourceKind::Mail, "/home/kavin/Maildir"),
            place: "~/Maildir".to_owned(),
            state: SourceState::There,
        }],
        can_undo: false,
        is_undone: false,
        can_undo_earlier: false,
        welcome: None,
        has_ntfy: false,
        has_speech: false,
        desktop: Some(DesktopView {
            at_login: Some(false),
            in_menu: true,
        }),
        dropped: Vec::new(),
        handed: Vec::new(),
    }
}

impl SettingsBackend for Double {
    fn try_rule(&self, rule: OwnerRule) -> BackendFuture<Result<WhatIfReport, BackendError>> {
        self.note(format!("try {:?}", rule.kinds));
        Self::ready(tried_report())
    }

    fn shown_home(&self) -> BackendFuture<Result<Option<HomeFileView>, BackendError>> {
        Self::ready(self.shown_home.lock().unwrap().clone())
    }

    fn home_file(&self) -> BackendFuture<Result<Option<HomeFileView>, BackendError>> {
        Self::ready(self.home.lock().unwrap().clone())
    }

    fn change_home(
        &self,
        change: HomeFileChange,
        may_add: bool,
    ) -> BackendFuture<Result<HomeChangeReply, BackendError>> {
        let mut home = self.home.lock().unwrap();
        let Some(view) = home.as_mut() else {
            return Self::ready(HomeChangeReply::Nothing);
        };
        if change.shown != view.shown {
            return Self::ready(HomeChangeReply::Changed(Box::new(view.clone())));
        }
        if !change.places.is_empty() {
            self.note(format!("{:?}", change.places));
        }
        if change.ceiling.is_some_and(|ceiling| ceiling > 5) {
            let why = "ceiling is 6; it must be from 0 to 5".to_owned();
            return Self::ready(HomeChangeReply::Refused(why));
        }
        if !change.allow.is_empty() && !may_add {
            return Self::ready(HomeChangeReply::NotAllowed);
        }
        view.can_undo |= change.ceiling.is_some();
        view.values.ceiling = change.ceiling.unwrap_or(view.values.ceiling);
        let restarts = !change.allow.is_empty();
        let state = SourceState::There;
        let added = change.allow.into_iter().map(|source| SourceView {
            place: source.path.replace("/home/kavin", "~"),
            source,
            state,
        });
        view.sources.extend(added);
        let shown = view.shown.clone();
        Self::ready(HomeChangeReply::Taken { restarts, shown })
    }

    fn try_home(
        &self,
        change: HomeFileChange,
    ) -> BackendFuture<Result<PreviewReply<WhatIfReport>, BackendError>> {
        if !change.more.is_empty() {
            self.note(format!("try {:?}", change.more));
        }
        let shown = self.home.lock().unwrap().as_ref().map(|home| home.shown.clone());
        Self::ready(match shown {
            None => PreviewReply::Nothing,
            Some(shown) if shown != change.shown => PreviewReply::Changed,
            Some(_) if change.ceiling == Some(6) => {
                PreviewReply::Refused("ceiling is from 0 to 5".to_owned())
            }
            Some(_) if change.ceiling == Some(0) => {
                let mut report = tried_report();
                let last = report.answer.days.last_mut().unwrap();
                let gone = last.differences.pop().unwrap();
                last.differences = vec![gone; 27];
                PreviewReply::Shown(report)
            }
            Some(_) => PreviewReply::Shown(tried_report()),
        })
    }

    fn preview_home(
        &self,
        change: HomeFileChange,
    ) -> BackendFuture<Result<PreviewReply<Vec<ChangedLine>>, BackendError>> {
        let shown = self.home.lock().unwrap().as_ref().map(|home| home.shown.clone());
        Self::ready(match shown {
            None => PreviewReply::Nothing,
            Some(shown) if shown != change.shown => PreviewReply::Changed,
            Some(_) if change.more.get("buffer_min").is_some_and(|text| text == "999") => {
                PreviewReply::Refused("buffer_min must be a whole number from 0 to 240".to_owned())
            }
            Some(_) => {
                let lines = change.more.iter().map(|(key, text)| ChangedLine {
                    is_new: true,
                    text: format!("{key} = {text}"),
                });
                PreviewReply::Shown(lines.collect())
            }
        })
    }

    fn undo_home(
        &self,
        _shown: String,
        _which: UndoneChange,
        _may_add: bool,
    ) -> BackendFuture<Result<HomeChangeReply, BackendError>> {
        Self::ready(HomeChangeReply::Nothing)
    }

    fn found_sources(&self) -> BackendFuture<Vec<FoundSourceView>> {
        Box::pin(std::future::ready(vec![FoundSourceView {
            source: source(SourceKind::Calendar, "/home/kavin/.calendars"),
            program: "khal or vdirsyncer".to_owned(),
            place: "~/.calendars".to_owned(),
        }]))
    }

    fn look_at_source(
        &self,
        source: SourceRef,
        columns: Option<StatementColumns>,
    ) -> BackendFuture<Result<SourceLookReply, BackendError>> {
        if source.path.ends_with("gone") {
            return Self::ready(SourceLookReply::Ended);
        }
        if source.path.ends_with("sheet") {
            return Self::ready(SourceLookReply::Unfit(UnfitFile::Spreadsheet));
        }
        let named = |name: &str| Some(name.to_owned());
        let is_read = columns.as_ref().is_none_or(|columns| columns.date != "Memo");
        let csv = source.path.contains("may.").then(|| CsvStatementView {
            name: None,
            names: ["Date", "Memo", "#3", "Amount"].map(str::to_owned).into(),
            columns: columns.unwrap_or_else(|| StatementColumns {
                date: "Date".to_owned(),
                amount: named("Amount"),
                payee: named("Memo"),
                ..StatementColumns::default()
            }),
            rows: if is_read {
                vec![StatementRow {
                    line: 2,
                    day: "2026-04-03".to_owned(),
                    other_day: Some("2026-03-04".to_owned()),
                    payee: "Corner <shop>".to_owned(),
                    amount: "12.50".parse().unwrap(),
                    currency: String::new(),
                    direction: Direction::Debit,
                }]
            } else {
                vec![]
            },
            questions: vec![
                CsvQuestionView::MoneyOut {
                    amount: "12.50".parse().unwrap(),
                    payee: "Corner <shop>".to_owned(),
                },
                CsvQuestionView::Currency,
            ],
        });
        let place = |place: &str, name: &str, minutes| PlaceView {
            place: place.to_owned(),
            name: name.to_owned(),
            minutes,
            town: minutes.is_none().then(|| FarTown {
                town: "Pune".to_owned(),
                km: 120,
            }),
        };
        let places = if source.list == SourceKind::Calendar {
            vec![
                place("lo_0000000000000001", "Town <hall>", None),
                place("lo_0000000000000002", "Inn", Some(20)),
                place("lo_0000000000000003", "Choir", Some(25)),
            ]
        } else {
            vec![]
        };
        let skip = |code: &str, line| SkippedItem {
            code: code.to_owned(),
            item: "mixed.csv".to_owned(),
            line,
            count: 1,
            message: "as programs say it".to_owned(),
        };
        let skips = match source.path.rsplit('/').next() {
            Some("mixed.csv") => vec![skip("AGENT-119", Some(7)), skip("AGENT-106", Some(9))],
            Some("changed.csv") => vec![skip("AGENT-119", Some(7))],
            _ => vec![],
        };
        Self::ready(SourceLookReply::Holds(Box::new(SourceContents {
            places,
            figures: SourceFigures {
                skipped: u32::try_from(skips.len()).unwrap(),
                skips,
                items: 500,
                complete: true,
                ..SourceFigures::default()
            },
            csv,
            zone: "Asia/Kolkata".to_owned(),
            ..SourceContents::default()
        })))
    }

    fn take_dropped(
        &self,
        name: String,
        from: Option<String>,
        mut bytes: FileBytes,
    ) -> BackendFuture<Result<DroppedReply, BackendError>> {
        Box::pin(async move {
            let mut whole = Vec::new();
            // One that is too large is refused before it has come.
            while name != "large.csv"
                && let Some(Ok(FilePiece::Bytes(piece))) = bytes.recv().await
            {
                whole.extend(piece);
            }
            drop(bytes);
            Ok(match name.as_str() {
                "a.csv" if from.is_some() => DroppedReply::Waits(name),
                "b.ics" => DroppedReply::Calendar(name),
                "todo.txt" => DroppedReply::Tasks(name),
                "large.csv" => DroppedReply::TooLarge,
                "d.vcf" => DroppedReply::Contacts(FoundSourceView {
                    source: source(SourceKind::Contacts, "/dev/shm/d.vcf"),
                    program: name,
                    place: String::new(),
                }),
                "c.jpg" => DroppedReply::Unfit(UnfitFile::Picture, name),
                _ => DroppedReply::Source(FoundSourceView {
                    source: source(SourceKind::Finance, &format!("/dev/shm/{}", whole.len())),
                    program: name,
                    place: String::new(),
                }),
            })
        })
    }

    fn find_towns(&self, name: String) -> BackendFuture<Result<Vec<TownView>, BackendError>> {
        Self::ready(if name == "Chennai" {
            vec![TownView {
                name: "Chennai, IN".to_owned(),
                place: "13.09, 80.28".to_owned(),
            }]
        } else {
            Vec::new()
        })
    }

    fn name_source(
        &self,
        path: String,
        list: Option<SourceKind>,
    ) -> BackendFuture<Result<NamedPathReply, BackendError>> {
        Self::ready(match (path.as_str(), list) {
            ("/nowhere", _) => NamedPathReply::NotThere,
            ("/notes.csv", None) => NamedPathReply::Unclear,
            (path, list) => NamedPathReply::Source(source(list.unwrap_or(SourceKind::Mail), path)),
        })
    }

    fn list_folder(&self, below: String) -> BackendFuture<Result<FolderReply, BackendError>> {
        Self::ready(match below.as_str() {
            "" => FolderReply::Names(FolderView {
                place: "~".to_owned(),
                entries: vec![
                    ListedName {
                        name: "Bank".to_owned(),
                        is: ListedNameKind::Folder("Bank".to_owned()),
                    },
                    ListedName {
                        name: "a.ofx".to_owned(),
                        is: ListedNameKind::File(source(SourceKind::Finance, "/home/kavin/a.ofx")),
                    },
                ],
                ..FolderView::default()
            }),
            "fast" => FolderReply::TooOften,
            _ => FolderReply::NotThere,
        })
    }

    fn reading(&self) -> BackendFuture<Result<BTreeMap<AgentName, ReadingView>, BackendError>> {
        let mut rests = self.other_rests.lock().unwrap().clone();
        let maildir = SourceRestView {
            left: 4096,
            most: 8192,
        };
        rests.insert(source_key(Path::new("/home/kavin/Maildir")), maildir);
        let read = ReadingView {
            at: Some(ts("2026-11-03T02:10:00Z")),
            items: 37,
            today: 37,
            left: if self.is_read.load(atomic::Ordering::Relaxed) {
                0
            } else {
                4096
            },
            most_left: 8192,
            rests,
            skipped: 2,
            skips: vec![SkippedItem {
                code: "AGENT-011".to_owned(),
                item: "cur/<1>".to_owned(),
                line: Some(3),
                count: 2,
                message: "no mail".to_owned(),
            }],
            asked: Vec::new(),
        };
        // A folder with a statement that does not say everything.
        let bank = "/home/kavin/Bank";
        let money = ReadingView {
            asked: vec![AskedStatement {
                source: bank.to_owned(),
                path: format!("{bank}/may.csv"),
                name: "may.csv".to_owned(),
            }],
            ..ReadingView::default()
        };
        let home = self.home.lock().unwrap();
        let nothing = home.as_ref().is_some_and(|home| home.sources.is_empty());
        let has_bank = home
            .as_ref()
            .is_some_and(|home| home.sources.iter().any(|source| source.source.path == bank));
        let money = has_bank.then_some((AgentName::Finance, money));
        let calendar = self.calendar_read_at.lock().unwrap().map(|at| {
            let nothing = ReadingView {
                at: Some(at),
                ..ReadingView::default()
            };
            (AgentName::Calendar, nothing)
        });
        let of_files = [(AgentName::Comms, read)].into_iter().chain(money);
        let of_files = of_files.filter(|_| !nothing);
        Self::ready(of_files.chain(calendar).collect())
    }

    fn change_desktop(&self, change: DesktopChange) -> BackendFuture<Result<(), BackendError>> {
        if let Some(desktop) = self
            .home
            .lock()
            .unwrap()
            .as_mut()
            .and_then(|view| view.desktop.as_mut())
        {
            desktop.at_login = change.at_login.or(desktop.at_login);
            desktop.in_menu = change.in_menu.unwrap_or(desktop.in_menu);
        }
        Self::ready(())
    }

    /// One that was compared with another than `aa…` comes too late.
    fn put_policy(&self, wish: PolicyWish) -> BackendFuture<Result<PolicyOutcome, BackendError>> {
        self.note(format!("put {:?}", wish.text));
        Self::ready(if wish.shown == "a".repeat(64) {
            PolicyOutcome::InForce("d".repeat(64))
        } else {
            PolicyOutcome::Changed
        })
    }

    fn read_again(&self, list: Option<SourceKind>) -> BackendFuture<Result<(), BackendError>> {
        self.note(format!("again {list:?}"));
        Self::ready(())
    }

    fn set_welcome(&self, next: Option<u8>) -> BackendFuture<Result<(), BackendError>> {
        if let Some(view) = self.home.lock().unwrap().as_mut() {
            view.welcome = next;
        }
        Self::ready(())
    }
}
