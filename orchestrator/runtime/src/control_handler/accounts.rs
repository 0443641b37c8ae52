//! Answering about the owner's accounts on servers.
//!
//! What: [`AccountCommand`]s, over the accounts of the service and her file. Why: the page and the command line change the same file in the same
//! way. Not here: looking at accounts (`accounts`), how a page changes the file (`settings`).

use super::{ServiceControlHandler, refused};
use crate::{accounts::AccountCommand, control::ControlReply, home_file::HomeFile, settings::change_file};
use surfaces_base::{
    backend::{
        BackendError,
        accounts::AccountChange,
        settings::{HomeChangeReply, HomeFileChange},
    },
    language::{say, text},
    words,
};

impl ServiceControlHandler {
    /// Answers a command about accounts.
    ///
    /// # Errors
    /// Busy or stopping.
    pub(super) async fn answer_accounts(&self, asked: AccountCommand) -> Result<ControlReply, BackendError> {
        let accounts = &self.backend.accounts;
        let nobody = |name: &str| ControlReply::Error(say!("control-no-account", name));
        Ok(match asked {
            AccountCommand::List => ControlReply::Accounts(accounts.reports()),
            AccountCommand::Change(change) => self.change_account(change).await?,
            AccountCommand::Login { name, secret } => {
                let (accounts, called) = (accounts.clone(), name.clone());
                let kept = tokio::task::spawn_blocking(move || accounts.set_login(&called, secret)).await;
                match kept.map_err(|_| BackendError::Busy)? {
                    Ok(Some(())) => ControlReply::Recorded,
                    Ok(None) => nobody(&name),
                    Err(_) => return Err(BackendError::Store),
                }
            }
            AccountCommand::SignIn { name, way, secret } => {
                let accounts = accounts.clone();
                let begun = tokio::task::spawn_blocking(move || {
                    accounts.begin_sign_in(&name, way, secret.password().map(str::to_owned))
                });
                match begun.await.map_err(|_| BackendError::Busy)? {
                    Ok(begun) => ControlReply::SignIn(begun),
                    Err(failure) => ControlReply::Error(words::sign_in_fails(&failure)),
                }
            }
            AccountCommand::Test { name } => match accounts.look_now(&name).await {
                Some(report) => ControlReply::Accounts(vec![report]),
                None => nobody(&name),
            },
        })
    }

    /// Changes her file: by the service that runs, or alone.
    async fn change_account(&self, change: AccountChange) -> Result<ControlReply, BackendError> {
        let file = HomeFile {
            path: self.files.home.clone(),
            data: self.store.vault().dir().to_owned(),
        };
        let shown = match file.read() {
            Ok(now) => now.sha256,
            Err(error) => return Ok(ControlReply::Config(error.to_string())),
        };
        let change = HomeFileChange {
            shown,
            accounts: vec![change],
            ..HomeFileChange::default()
        };
        if !change.is_bounded() {
            return Ok(refused(text("control-too-long")));
        }
        let at = self.backend.clock.wall();
        let changed = if let Some(editor) = &self.backend.settings {
            editor.change(change, &[], at, true).await
        } else {
            let changed = tokio::task::spawn_blocking(move || change_file(&file, change, at)).await;
            changed.map_err(|_| BackendError::Busy)
        };
        settings_changed(changed, ControlReply::Recorded)
    }
}

/// What a command is told of a change of its owner's file. One for which it was too early was not made: it is asked for again.
///
/// # Errors
/// Busy, or the store did not answer.
pub(super) fn settings_changed(
    changed: Result<HomeChangeReply, BackendError>,
    done: ControlReply,
) -> Result<ControlReply, BackendError> {
    Ok(match changed {
        Ok(HomeChangeReply::Taken { .. }) => done,
        Ok(HomeChangeReply::Changed(_)) => ControlReply::Away(text("control-changed-meanwhile").to_owned()),
        Err(BackendError::Stopping) => ControlReply::Away(text("control-settings-taken-up").to_owned()),
        Err(error @ (BackendError::Busy | BackendError::Store)) => return Err(error),
        Ok(HomeChangeReply::Refused(why)) => ControlReply::Config(why),
        Ok(HomeChangeReply::NotAllowed | HomeChangeReply::Nothing) => {
            refused(text("control-not-changed-here"))
        }
    })
}
