//! What the forms of the pages ask, answered over the owner's file.
//!
//! What: [`SettingsBackend`] for [`ServiceBackend`]. Why: beside the owner's other questions (`owner`), in a file of its own. Not here: changing the
//! file and taking it up (`crate::settings`).

use super::{ServiceBackend, read};
use crate::{
    config::{AGENTS_KEY, HomeConfig},
    gazetteer::find_towns,
    home_fields,
    settings::{SettingsEditor, view_only},
    whatif::WhatIfQuery,
};
use agents::skip_codes::is_asked;
use aura_memory::{
    StoreWrite,
    audit::{AuditEntry, AuditSubject, Kind, Op},
};
use chrono::Days;
use orchestrator_machine::whatif::ImaginedTerms;
use std::{collections::BTreeMap, sync::Arc};
use surfaces_base::{
    backend::{
        BackendError, BackendFuture, UiEventKind,
        console::{PolicyOutcome, PolicyWish, WhatIfReport},
        settings::{
            ChangedLine, DesktopChange, DroppedReply, FileBytes, FoundSourceView, HomeChangeReply,
            HomeFileChange, HomeFileView, PreviewReply, ReadingView, SettingsBackend, SourceRef, TRIAL_DAYS,
            TownView, UndoneChange,
        },
        source_look::{FolderReply, NamedPathReply, SourceLookReply},
    },
    format::local_date,
};
use toolcall_schema::{AgentName, SourceKind, preview::StatementColumns, rule::OwnerRule};

/// A piece of work on files, beside the actors.
async fn run_blocking<T: Send + 'static>(
    editor: SettingsEditor,
    work: impl FnOnce(&SettingsEditor) -> T + Send + 'static,
) -> Result<T, BackendError> {
    let done = tokio::task::spawn_blocking(move || work(&editor)).await;
    done.map_err(|_| BackendError::Busy)
}

impl ServiceBackend {
    /// Records which settings a page changed. They are in force: what cannot be recorded is logged.
    pub(crate) async fn record_settings(&self, ids: impl IntoIterator<Item = String>) {
        let at_ms = self.clock.wall().ms();
        let record = |id: String| {
            StoreWrite::Audit(AuditEntry {
                at_ms,
                op: Op::Write,
                meaning: AuditSubject::one(Kind::Settings, &id),
            })
        };
        if let Err(error) = self.reads.write(ids.into_iter().map(record).collect()).await {
            tracing::error!(%error, "changed settings could not be recorded");
        }
    }

    /// How the file would change, and what it would say then.
    fn preview(
        &self,
        change: HomeFileChange,
    ) -> impl Future<Output = Result<PreviewReply<(Vec<ChangedLine>, HomeConfig)>, BackendError>> + use<>
    {
        let (editor, at) = (self.settings.clone(), self.clock.wall());
        async move {
            let Some(editor) = editor else {
                return Ok(PreviewReply::Nothing);
            };
            run_blocking(editor, move |editor| editor.preview_change(&change, at)).await
        }
    }
}

impl SettingsBackend for ServiceBackend {
    fn home_file(&self) -> BackendFuture<Result<Option<HomeFileView>, BackendError>> {
        let (editor, accounts) = (self.settings.clone(), self.accounts.views());
        Box::pin(async move {
            let Some(editor) = editor else { return Ok(None) };
            let view = run_blocking(editor, SettingsEditor::view).await?;
            // A file that cannot be used is changed by hand; until then what is in force is only shown.
            let view = view.map(|view| HomeFileView { accounts, ..view });
            Ok(view
                .inspect_err(|error| tracing::warn!(%error, "the settings cannot be changed on a page"))
                .ok())
        })
    }

    fn shown_home(&self) -> BackendFuture<Result<Option<HomeFileView>, BackendError>> {
        let path = self.home.clone().filter(|_| self.settings.is_none());
        let data = self.vault.dir().to_owned();
        Box::pin(async move {
            let Some(path) = path else { return Ok(None) };
            let view = tokio::task::spawn_blocking(move || view_only(path, data)).await;
            let view = view.map_err(|_| BackendError::Busy)?;
            Ok(view
                .inspect_err(|error| tracing::warn!(%error, "the settings cannot be shown"))
                .ok())
        })
    }

    fn change_home(
        &self,
        change: HomeFileChange,
        may_add: bool,
    ) -> BackendFuture<Result<HomeChangeReply, BackendError>> {
        let (me, at) = (self.clone(), self.clock.wall());
        Box::pin(async move {
            let Some(editor) = me.settings.clone() else {
                return Ok(HomeChangeReply::Nothing);
            };
            let mut change = change;
            let dropped = editor.split_dropped(&mut change);
            if !dropped.is_empty() {
                me.record_act(Op::Import, Kind::Memory).await?;
            }
            // What is started, and what may be reached outside this computer, is a matter of record, also where it is refused then.
            if change.more.keys().any(|key| home_fields::needs_proof(key)) {
                me.record_act(Op::Write, Kind::Settings).await?;
            }
            editor.change(change, &dropped, at, may_add).await
        })
    }

    fn preview_home(
        &self,
        change: HomeFileChange,
    ) -> BackendFuture<Result<PreviewReply<Vec<ChangedLine>>, BackendError>> {
        let previewed = self.preview(change);
        Box::pin(async move { Ok(previewed.await?.map(|(lines, _)| lines)) })
    }

    fn try_home(
        &self,
        change: HomeFileChange,
    ) -> BackendFuture<Result<PreviewReply<WhatIfReport>, BackendError>> {
        let (me, previewed) = (self.clone(), self.preview(change));
        Box::pin(async move {
            let home = match previewed.await? {
                PreviewReply::Shown((_, home)) => home,
                PreviewReply::Changed => return Ok(PreviewReply::Changed),
                PreviewReply::Refused(why) => return Ok(PreviewReply::Refused(why)),
                PreviewReply::Nothing => return Ok(PreviewReply::Nothing),
            };
            let today = me.look().await?.state.ledger.view().day;
            let question = WhatIfQuery {
                terms: ImaginedTerms {
                    policy: None,
                    settings: Some(home.machine_settings()),
                    rules: Vec::new(),
                },
                from: today.checked_sub_days(Days::new(TRIAL_DAYS - 1)),
                to: None,
            };
            Ok(PreviewReply::Shown(me.decide_days_again(question).await?))
        })
    }

    fn try_rule(&self, rule: OwnerRule) -> BackendFuture<Result<WhatIfReport, BackendError>> {
        let me = self.clone();
        Box::pin(async move {
            let today = me.look().await?.state.ledger.view().day;
            let question = WhatIfQuery {
                terms: ImaginedTerms {
                    rules: vec![rule],
                    ..ImaginedTerms::default()
                },
                from: today.checked_sub_days(Days::new(TRIAL_DAYS - 1)),
                to: None,
            };
            me.decide_days_again(question).await
        })
    }

    fn put_policy(&self, wish: PolicyWish) -> BackendFuture<Result<PolicyOutcome, BackendError>> {
        let me = self.clone();
        Box::pin(async move {
            let Some(editor) = me.settings.clone() else {
                return Ok(PolicyOutcome::NoFile);
            };
            me.record_act(Op::Write, Kind::Settings).await?;
            let outcome = editor.put_policy(wish).await;
            if matches!(outcome, Ok(PolicyOutcome::InForce(_))) {
                me.record_settings(["policy".to_owned()]).await;
            }
            outcome
        })
    }

    fn undo_home(
        &self,
        shown: String,
        which: UndoneChange,
        may_add: bool,
    ) -> BackendFuture<Result<HomeChangeReply, BackendError>> {
        let editor = self.settings.clone();
        Box::pin(async move {
            match editor {
                Some(editor) => editor.undo(shown, which, may_add).await,
                None => Ok(HomeChangeReply::Nothing),
            }
        })
    }

    fn found_sources(&self) -> BackendFuture<Vec<FoundSourceView>> {
        let editor = self.settings.clone();
        Box::pin(async move {
            let Some(editor) = editor else { return Vec::new() };
            run_blocking(editor, SettingsEditor::find_new_sources)
                .await
                .unwrap_or_default()
        })
    }

    fn look_at_source(
        &self,
        source: SourceRef,
        columns: Option<StatementColumns>,
    ) -> BackendFuture<Result<SourceLookReply, BackendError>> {
        let (editor, at) = (self.settings.clone(), self.clock.wall());
        let key = self.vault.seed().key(AGENTS_KEY);
        Box::pin(async move {
            match editor {
                Some(editor) => editor.look_at((source, columns), at, &key).await,
                None => Ok(SourceLookReply::Ended),
            }
        })
    }

    fn take_dropped(
        &self,
        name: String,
        from: Option<String>,
        bytes: FileBytes,
    ) -> BackendFuture<Result<DroppedReply, BackendError>> {
        let me = self.clone();
        Box::pin(async move {
            let Some(editor) = me.settings.clone() else {
                return Ok(DroppedReply::NoRoom);
            };
            let reply = editor.take_dropped(name, from, bytes).await?;
            if matches!(reply, DroppedReply::Waits(_)) {
                // The page that may have it read shows it.
                me.live.tell(UiEventKind::Status);
            }
            Ok(reply)
        })
    }

    fn list_folder(&self, below: String) -> BackendFuture<Result<FolderReply, BackendError>> {
        let me = self.clone();
        Box::pin(async move {
            let Some(editor) = me.settings.clone() else {
                return Ok(FolderReply::NotThere);
            };
            me.shows(AuditSubject::all_of(Kind::Folder)).await?;
            run_blocking(editor, move |editor| editor.list_folder(&below)).await
        })
    }

    fn name_source(
        &self,
        path: String,
        list: Option<SourceKind>,
    ) -> BackendFuture<Result<NamedPathReply, BackendError>> {
        let me = self.clone();
        Box::pin(async move {
            let Some(editor) = me.settings.clone() else {
                return Ok(NamedPathReply::NotThere);
            };
            me.shows(AuditSubject::all_of(Kind::Folder)).await?;
            run_blocking(editor, move |editor| editor.name_source(&path, list)).await
        })
    }

    fn find_towns(&self, name: String) -> BackendFuture<Result<Vec<TownView>, BackendError>> {
        Box::pin(async move {
            let found = tokio::task::spawn_blocking(move || find_towns(&name));
            found.await.map_err(|_| BackendError::Busy)
        })
    }

    fn reading(&self) -> BackendFuture<Result<BTreeMap<AgentName, ReadingView>, BackendError>> {
        let me = self.clone();
        Box::pin(async move {
            let look = me.look().await?;
            let today = local_date(look.state.wall(look.at), look.env.settings.zone);
            let totals = me
                .settings
                .as_ref()
                .map(|editor| editor.kept.totals.clone())
                .unwrap_or_default();
            // Finance has room for fewer payments than memory after a start; each page counts those of memory. While that cannot be read, as on a full disk, the
            // rest is told all the same.
            let results = Arc::clone(&me.results);
            let payments = read(me.readers.clone(), move |reader| {
                let version = reader.content_version()?;
                results
                    .payments
                    .get_or_try_init(version, || reader.count_keys("tx_"))
            });
            let payments = payments.await.ok();
            let skipped = look.health.skipped.get(&AgentName::Finance);
            let asked: Vec<String> = skipped.map_or_else(Vec::new, |skipped| {
                let asked = skipped.last.iter().filter(|skip| is_asked(&skip.code));
                asked.map(|skip| skip.item.clone()).collect()
            });
            let asked = match &me.settings {
                Some(editor) if !asked.is_empty() => {
                    run_blocking(editor.clone(), move |editor| editor.asked_statements(&asked)).await?
                }
                Some(_) | None => Vec::new(),
            };
            let payments = payments.and_then(|count| u32::try_from(*count).ok());
            let view = |(agent, read): (&AgentName, &aura_platform::health::ReadProgress)| {
                let holds = match agent {
                    AgentName::Finance => read.holds.and(payments).or(read.holds),
                    AgentName::Comms
                    | AgentName::Calendar
                    | AgentName::Wellness
                    | AgentName::Orchestrator => read.holds,
                };
                let skipped = look.health.skipped.get(agent);
                let view = ReadingView {
                    items: totals.raise(*agent, (read.items, holds)),
                    left: read.left,
                    most_left: totals.most_left(*agent, read.left),
                    rests: totals.rests(*agent, look.health.rests.get(agent).unwrap_or(&BTreeMap::new())),
                    at: look.health.read_at.get(agent).copied(),
                    today: look
                        .health
                        .read_on
                        .get(agent)
                        .filter(|read| read.day == today)
                        .map_or(0, |read| totals.raise_day(*agent, *read)),
                    skipped: skipped.map_or(0, |skipped| skipped.count),
                    skips: skipped.map_or_else(Vec::new, |skipped| skipped.last.clone()),
                    asked: if *agent == AgentName::Finance {
                        asked.clone()
                    } else {
                        Vec::new()
                    },
                };
                (*agent, view)
            };
            Ok(look.health.reading.iter().map(view).collect())
        })
    }

    fn change_desktop(&self, change: DesktopChange) -> BackendFuture<Result<(), BackendError>> {
        let me = self.clone();
        Box::pin(async move {
            let Some(editor) = me.settings.clone() else {
                return Ok(());
            };
            me.record_act(Op::Write, Kind::Settings).await?;
            let done = run_blocking(editor, move |editor| editor.change_desktop(change)).await?;
            done.map_err(|error| {
                tracing::warn!(%error, "the desktop's entry could not be written");
                BackendError::Store
            })?;
            let switches = [("at_login", change.at_login), ("in_menu", change.in_menu)];
            let switched = |(name, is_on): (&str, Option<bool>)| {
                let to = if is_on? { "yes" } else { "no" };
                Some(format!("desktop.{name}:{to}"))
            };
            me.record_settings(switches.into_iter().filter_map(switched))
                .await;
            Ok(())
        })
    }

    fn read_again(&self, list: Option<SourceKind>) -> BackendFuture<Result<(), BackendError>> {
        let editor = self.settings.clone();
        Box::pin(async move {
            match editor {
                Some(editor) => editor.read_again(list.map(SourceKind::agent)),
                None => Ok(()),
            }
        })
    }

    fn set_welcome(&self, next: Option<u8>) -> BackendFuture<Result<(), BackendError>> {
        let editor = self.settings.clone();
        Box::pin(async move {
            let Some(editor) = editor else { return Ok(()) };
            let noted = run_blocking(editor, move |editor| editor.set_welcome(next)).await?;
            noted.map_err(|_| BackendError::Store)
        })
    }
}
