//! Signing in to an account by its provider, at the terminal.
//!
//! What: the options of `aura source add` that say where, and what `aura source login` does with such an account. Why: an address or a code is
//! shown, and the command waits until the provider has answered. Not here: asking it (`aura_runtime::accounts`).

use super::{
    error::CliError,
    exit::CommandExit,
    out::CommandOutput,
    service::{ServiceFolderArgs, ask, unexpected},
    source::reports,
};
use aura_runtime::{
    accounts::{AccountCommand, AccountReport, AccountSecret},
    control::{ControlReply, ControlRequest},
};
use clap::Args;
use std::{thread, time::Duration};
use surfaces_base::{
    backend::sign_in::{SignInBegun, SignInDraft, SignInStanding, SignInWay},
    language::{say, text},
    words,
};

/// Between two looks at how far it is.
const AGAIN: Duration = Duration::from_secs(1);

/// Where a provider is signed in to, in place of a password
#[derive(Debug, Clone, Args)]
pub(super) struct SignInArgs {
    /// Sign in at the provider, which knows your Aura by this ID: you register one there
    #[arg(long, value_name = "ID")]
    client_id: Option<String>,
    /// The provider's sign-in, which says where else it is asked
    #[arg(long, value_name = "ADDRESS", requires = "client_id")]
    issuer: Option<String>,
    /// A host besides the issuer's that may be asked; several times where there are several
    #[arg(long = "sign-in-host", value_name = "HOST", requires = "issuer")]
    hosts: Vec<String>,
    /// Where your browser is sent to sign in
    #[arg(long, value_name = "ADDRESS", requires = "client_id")]
    authorize: Option<String>,
    /// Where tokens are asked for
    #[arg(long, value_name = "ADDRESS", requires = "client_id")]
    token: Option<String>,
    /// Where a code to type is asked for
    #[arg(long, value_name = "ADDRESS", requires = "client_id")]
    device: Option<String>,
    /// Where tokens are given back
    #[arg(long, value_name = "ADDRESS", requires = "client_id")]
    revoke: Option<String>,
    /// What is asked for, in the provider's words
    #[arg(long, value_name = "SCOPE", requires = "client_id")]
    scope: Option<String>,
    /// Name of this computer under which the browser comes back: 127.0.0.1 unless you say localhost
    #[arg(long, value_name = "HOST", requires = "client_id")]
    redirect: Option<String>,
}

impl SignInArgs {
    /// As the configuration says it; `None`: there is a password.
    pub(super) fn draft(&self) -> Option<SignInDraft> {
        Some(SignInDraft {
            client_id: self.client_id.clone()?,
            issuer: self.issuer.clone(),
            hosts: self.hosts.clone(),
            authorize: self.authorize.clone(),
            token: self.token.clone(),
            device: self.device.clone(),
            revoke: self.revoke.clone(),
            scope: self.scope.clone(),
            redirect: self.redirect.clone(),
        })
    }
}

/// Begins to sign in, shows what to do, and waits for the provider. `secret`: what it demands of the owner's client.
pub(super) fn sign_in(
    folder: &ServiceFolderArgs,
    report: &AccountReport,
    way: SignInWay,
    secret: Option<String>,
    out: &mut CommandOutput,
) -> Result<CommandExit, CliError> {
    let name = &report.name;
    // A browser comes back to its page, and it waits for the provider.
    if ask(
        &folder.dir()?,
        &ControlRequest::Account {
            asked: AccountCommand::List,
        },
    )?
    .is_none()
    {
        return Err(CliError::Usage(text("cli-sign-in-aura-must-run").to_owned()));
    }
    out.text(words::sign_in_asks(report.kind))?;
    let asked = AccountCommand::SignIn {
        name: name.clone(),
        way,
        secret: AccountSecret::of_password(None, secret.unwrap_or_default()),
    };
    let reply = folder.ask(&ControlRequest::Account { asked })?;
    let ControlReply::SignIn(begun) = reply else {
        return Err(unexpected(reply));
    };
    match begun {
        SignInBegun::Browser { address, host } => {
            out.text(&say!("cli-sign-in-by-browser", host))?;
            out.text(&format!("  {address}"))?;
        }
        SignInBegun::Device { code, address, until } => {
            let until = until.to_string();
            out.text(&say!("cli-sign-in-by-code", address, until))?;
            out.text(&format!("  {code}"))?;
        }
    }
    out.text(text("cli-sign-in-waiting"))?;
    loop {
        thread::sleep(AGAIN);
        let all = reports(folder, AccountCommand::List)?;
        let stands = all.into_iter().find(|one| one.name == *name);
        let Some(stands) = stands else {
            return Err(CliError::Usage(say!("cli-sign-in-no-account", name)));
        };
        if stands.sign_in == Some(SignInStanding::Underway) {
            continue;
        }
        if let Some(failure) = &stands.sign_in_failure {
            out.text(&words::sign_in_fails(failure))?;
            return Ok(CommandExit::Bad);
        }
        out.text(&format!(
            "{} {}",
            words::sign_in_stands(stands.sign_in.unwrap_or(SignInStanding::NotYet)),
            say!("cli-sign-in-try", name)
        ))?;
        let is_in = stands.sign_in == Some(SignInStanding::SignedIn);
        return Ok(if is_in { CommandExit::Ok } else { CommandExit::Bad });
    }
}
