//! The double's accounts on servers.
//!
//! What: hosts whose names say how they answer; what is added or changed is noted, without its password. Not here: any claim.

use crate::morning::{Double, ts};
use surfaces_base::backend::{
    BackendError, BackendFuture,
    accounts::{
        AccountBackend, AccountContents, AccountMistake, AccountTrial, AccountView, AccountWish, TypedLogin,
    },
    settings::HomeChangeReply,
    sign_in::{SignInBegun, SignInFailure, SignInRedirect, SignInWay},
};
use toolcall_schema::accounts::{LookFailure, ServerAccountKind};

/// An account that is read.
pub(crate) fn account(problem: Option<LookFailure>) -> AccountView {
    AccountView {
        name: "work".to_owned(),
        kind: ServerAccountKind::CalDav,
        server: "dav.example.org".to_owned(),
        is_paused: false,
        is_writable: Some(false),
        reached_at: Some(ts("2026-11-03T02:10:00Z")),
        new: 2,
        gone: 0,
        entries: 212,
        is_known: true,
        calendars: 3,
        event_calendars: Vec::new(),
        missing_calendar: None,
        problem,
        sign_in: None,
    }
}

impl AccountBackend for Double {
    fn try_account(&self, wish: AccountWish) -> BackendFuture<Result<AccountTrial, BackendError>> {
        self.note(format!("look at {}", wish.address));
        Self::ready(match wish.address.as_str() {
            "https://busy.example/" => return Box::pin(std::future::ready(Err(BackendError::Busy))),
            "https://away.example/" => AccountTrial::Failed(LookFailure::Elsewhere {
                host: "https://dav.other.example".to_owned(),
                path: "/dav/".to_owned(),
            }),
            "https://refuses.example/" => AccountTrial::Failed(LookFailure::LoginRefused),
            "https://near.example/" => AccountTrial::Failed(LookFailure::NotPublic),
            "https://nothing" => AccountTrial::Mistake(AccountMistake::Address),
            "a token" if wish.accepted.is_empty() => AccountTrial::LeadsTo("bridge.example.org".to_owned()),
            "a token" => AccountTrial::Found(AccountContents {
                name: "bridge".to_owned(),
                server: "bridge.example.org".to_owned(),
                calendars: vec!["Checking".to_owned()],
                payments: 34,
                ..AccountContents::default()
            }),
            "imap.example.org" => AccountTrial::Found(AccountContents {
                name: "example-mail".to_owned(),
                server: "imap.example.org".to_owned(),
                calendars: vec!["INBOX".to_owned(), "Club".to_owned()],
                messages: 34,
                ..AccountContents::default()
            }),
            _ => AccountTrial::Found(AccountContents {
                name: "example".to_owned(),
                server: "dav.example.org".to_owned(),
                calendars: vec!["Work <b>".to_owned(), String::new(), "Choir".to_owned()],
                events: 212,
                tasks: 1,
                ..AccountContents::default()
            }),
        })
    }

    fn add_account(&self, wish: AccountWish) -> BackendFuture<Result<Option<HomeChangeReply>, BackendError>> {
        self.note(format!("read {} as {}", wish.address, wish.name));
        let reply = HomeChangeReply::Taken {
            restarts: true,
            shown: "6".repeat(64),
        };
        Self::ready((wish.name != "taken").then_some(reply))
    }

    fn set_account_login(
        &self,
        name: String,
        login: TypedLogin,
    ) -> BackendFuture<Result<Option<AccountView>, BackendError>> {
        let is_known = name == "work" && !login.password.is_empty();
        self.note(format!("login of {name}"));
        Self::ready(is_known.then(|| account(None)))
    }

    fn begin_sign_in(
        &self,
        name: String,
        way: SignInWay,
        _: TypedLogin,
    ) -> BackendFuture<Result<SignInBegun, SignInFailure>> {
        self.note(format!("sign in to {name}"));
        let begun = match way {
            SignInWay::Browser => SignInBegun::Browser {
                address: "https://login.example.org/authorize?state=1".to_owned(),
                host: "login.example.org".to_owned(),
            },
            SignInWay::Device => SignInBegun::Device {
                code: "WDJB-MJHT".to_owned(),
                address: "https://login.example.org/device".to_owned(),
                until: ts("2026-11-03T03:00:00Z"),
            },
        };
        let begun = if name == "work" {
            Ok(begun)
        } else {
            Err(SignInFailure::NoAccount)
        };
        Box::pin(std::future::ready(begun))
    }

    fn finish_sign_in(&self, redirect: SignInRedirect) -> BackendFuture<Result<(), SignInFailure>> {
        let ended = match (redirect.state.as_str(), redirect.code) {
            ("good", Some(_)) => Ok(()),
            ("good", None) => Err(SignInFailure::Denied),
            _ => Err(SignInFailure::NotBegun),
        };
        Box::pin(std::future::ready(ended))
    }

    fn look_at_account(&self, name: String) -> BackendFuture<Result<Option<AccountView>, BackendError>> {
        Self::ready(match name.as_str() {
            "work" => Some(account(None)),
            "broken" => Some(account(Some(LookFailure::LoginRefused))),
            _ => None,
        })
    }
}
