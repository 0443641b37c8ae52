//! What pages ask about accounts on servers.
//!
//! What: [`AccountBackend`] for [`ServiceBackend`]. Why: an account is tried, added and looked at on a page as by the command line. Not here: looking
//! (`crate::accounts`), the owner's file (`crate::settings`).

use super::ServiceBackend;
use crate::{
    accounts::{AccountConfig, AccountSecret, LiveAccounts, WantedAccount},
    settings::SettingsEditor,
};
use aura_memory::{
    StoreError,
    audit::{Kind, Op},
};
use aura_process::source::ServerPlace;
use surfaces_base::backend::{
    BackendError, BackendFuture,
    accounts::{
        AccountAct, AccountBackend, AccountChange, AccountTrial, AccountView, AccountWish, TypedLogin,
    },
    settings::{HomeChangeReply, HomeFileChange},
    sign_in::{SignInBegun, SignInFailure, SignInRedirect, SignInWay},
};
use toolcall_schema::accounts::ServerAccountKind;

impl AccountBackend for ServiceBackend {
    fn try_account(&self, wish: AccountWish) -> BackendFuture<Result<AccountTrial, BackendError>> {
        let (accounts, at) = (self.accounts.clone(), self.clock.wall());
        Box::pin(async move { accounts.try_out(wish, at).await })
    }

    fn add_account(&self, wish: AccountWish) -> BackendFuture<Result<Option<HomeChangeReply>, BackendError>> {
        let me = self.clone();
        Box::pin(async move {
            let Some(editor) = me.settings.clone() else {
                return Ok(Some(HomeChangeReply::Nothing));
            };
            let access = (wish.kind == ServerAccountKind::SimpleFin)
                .then(|| me.accounts.known_access(wish.address.trim()))
                .flatten();
            let wanted = WantedAccount::from_wish(&wish, access, |name| me.accounts.is_named(name));
            let Ok(wanted) = wanted else { return Ok(None) };
            // What may be reached outside this computer is a matter of record, also where it is refused then.
            me.record_act(Op::Write, Kind::Settings).await?;
            me.add_wanted(&editor, wanted).await.map(Some)
        })
    }

    fn set_account_login(
        &self,
        name: String,
        login: TypedLogin,
    ) -> BackendFuture<Result<Option<AccountView>, BackendError>> {
        let me = self.clone();
        Box::pin(async move {
            let (accounts, called) = (me.accounts.clone(), name.clone());
            let kept = blocking(move || {
                let secret = accounts
                    .config(&called)
                    .and_then(|config| secret_of(&accounts, config, &login));
                secret.map_or(Ok(None), |secret| accounts.set_login(&called, secret))
            });
            if kept.await?.is_none() {
                return Ok(None);
            }
            Ok(me.accounts.look_now(&name).await.map(|report| report.view()))
        })
    }

    fn begin_sign_in(
        &self,
        name: String,
        way: SignInWay,
        secret: TypedLogin,
    ) -> BackendFuture<Result<SignInBegun, SignInFailure>> {
        let accounts = self.accounts.clone();
        Box::pin(signing_in(move || {
            accounts.begin_sign_in(&name, way, Some(secret.password))
        }))
    }

    fn finish_sign_in(&self, redirect: SignInRedirect) -> BackendFuture<Result<(), SignInFailure>> {
        let accounts = self.accounts.clone();
        Box::pin(signing_in(move || accounts.finish_sign_in(&redirect)))
    }

    fn look_at_account(&self, name: String) -> BackendFuture<Result<Option<AccountView>, BackendError>> {
        let accounts = self.accounts.clone();
        Box::pin(async move { Ok(accounts.look_now(&name).await.map(|report| report.view())) })
    }
}

/// What was typed, as it is sealed; `None`: it is no login of that server.
fn secret_of(accounts: &LiveAccounts, config: &AccountConfig, login: &TypedLogin) -> Option<AccountSecret> {
    match config.kind {
        ServerAccountKind::CalendarAddress => ServerPlace::parse(&login.password)
            .filter(|place| place.is_same_server(&config.place))
            .map(|place| AccountSecret::of_path(place.path)),
        ServerAccountKind::SimpleFin => accounts.access_of(config, &login.password),
        ServerAccountKind::CalDav
        | ServerAccountKind::CardDav
        | ServerAccountKind::Imap
        | ServerAccountKind::Jmap
        | ServerAccountKind::HomeAssistant => {
            let user = Some(login.user.clone()).filter(|user| !user.is_empty());
            Some(AccountSecret::of_password(user, login.password.clone()))
        }
    }
}

impl ServiceBackend {
    /// The login first: an account that is read without one would fail, and one that nobody names is forgotten at the next start.
    async fn add_wanted(
        &self,
        editor: &SettingsEditor,
        wanted: WantedAccount,
    ) -> Result<HomeChangeReply, BackendError> {
        let name = wanted.config.name.clone();
        let act = AccountAct::Add(Box::new(wanted.draft()));
        let is_sealed = wanted.secret.is_some();
        if let Some(secret) = wanted.secret {
            let (accounts, config) = (self.accounts.clone(), wanted.config);
            blocking(move || accounts.keep_login(&config, secret).map(drop)).await?;
        }
        let changed = self.name_in_file(editor, &name, act).await;
        if is_sealed && !matches!(changed, Ok(HomeChangeReply::Taken { .. })) {
            let accounts = self.accounts.clone();
            blocking(move || accounts.forget_login(&name)).await?;
        }
        changed
    }

    /// Nothing of what the page showed is changed by an account more: the file as it is now gets it.
    async fn name_in_file(
        &self,
        editor: &SettingsEditor,
        name: &str,
        act: AccountAct,
    ) -> Result<HomeChangeReply, BackendError> {
        let file = editor.file.clone();
        let now = tokio::task::spawn_blocking(move || file.read()).await;
        let shown = match now.map_err(|_| BackendError::Busy)? {
            Ok(now) => now.sha256,
            Err(error) => return Ok(HomeChangeReply::Refused(error.to_string())),
        };
        let change = HomeFileChange {
            shown,
            accounts: vec![AccountChange {
                name: name.to_owned(),
                act,
            }],
            ..HomeFileChange::default()
        };
        editor.change(change, &[], self.clock.wall(), true).await
    }
}

/// Beside all else: a provider may take its time.
async fn signing_in<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, SignInFailure> + Send + 'static,
) -> Result<T, SignInFailure> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or(Err(SignInFailure::NotKept))
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Result<T, BackendError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|_| BackendError::Busy)?.map_err(|error| {
        tracing::warn!(%error, "the login of an account could not be kept");
        BackendError::Store
    })
}
