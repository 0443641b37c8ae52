//! The double's answers to the forms of the settings.
//!
//! What: a file in memory that takes what a form sends, and says what came of it as the real one would. Not here: any claim.

#![expect(clippy::unwrap_used, reason = "made-up values of fixed shape")]

use crate::morning::Double;
use std::collections::BTreeMap;
use surfaces::backend::{
    BackendError, BackendFuture,
    settings::{
        BalanceView, FoundSourceView, HomeChangeReply, HomeFileChange, HomeFileView, HomeValues,
        KeyPlaceView, ReadingView, SettingsBackend, SourceRef, SourceState, SourceView,
    },
};
use toolcall_schema::{AgentName, SourceKind};

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
        sources: vec![SourceView {
            source: source(SourceKind::Mail, "/home/kavin/Maildir"),
            state: SourceState::There,
        }],
        can_undo: false,
        welcome: None,
        key: KeyPlaceView::File("/home/kavin/.config/aura/key".to_owned()),
        has_ntfy: false,
        has_speech: false,
    }
}

impl SettingsBackend for Double {
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
        if change.ceiling.is_some_and(|ceiling| ceiling > 5) {
            let why = "ceiling is 6; it must be from 0 to 5".to_owned();
            return Self::ready(HomeChangeReply::Refused(why));
        }
        if !change.allow.is_empty() && !may_add {
            return Self::ready(HomeChangeReply::NotAllowed);
        }
        view.values.ceiling = change.ceiling.unwrap_or(view.values.ceiling);
        let restarts = !change.allow.is_empty();
        let state = SourceState::There;
        let added = change
            .allow
            .into_iter()
            .map(|source| SourceView { source, state });
        view.sources.extend(added);
        Self::ready(HomeChangeReply::Taken { restarts })
    }

    fn undo_home(
        &self,
        _shown: String,
        _may_add: bool,
    ) -> BackendFuture<Result<HomeChangeReply, BackendError>> {
        Self::ready(HomeChangeReply::Nothing)
    }

    fn found_sources(&self) -> BackendFuture<Vec<FoundSourceView>> {
        Box::pin(std::future::ready(vec![FoundSourceView {
            source: source(SourceKind::Calendar, "/home/kavin/.calendars"),
            program: "khal or vdirsyncer".to_owned(),
        }]))
    }

    fn reading(&self) -> BackendFuture<Result<BTreeMap<AgentName, ReadingView>, BackendError>> {
        let read = ReadingView {
            items: 37,
            left: 4096,
        };
        Self::ready(BTreeMap::from([(AgentName::Comms, read)]))
    }

    fn set_welcome(&self, next: Option<u8>) -> BackendFuture<Result<(), BackendError>> {
        if let Some(view) = self.home.lock().unwrap().as_mut() {
            view.welcome = next;
        }
        Self::ready(())
    }
}
