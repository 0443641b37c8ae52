//! An account that is tried before it is kept.
//!
//! What: [`WantedAccount`], what the owner typed as her file would name it and her login as it would be sealed; [`LiveAccounts::try_out`], one look
//! with it. Why: she sees what lies there, and what a server says no to, before anything is kept (`docs/adr/0135`). Not here: the form
//! (`surfaces::web`), adding (`backend::accounts`).

use super::{
    AccountConfig, AccountSecret, DAYS, LiveAccounts, SignInConfig, broker, cache::is_entry, fingerprint,
    is_apart, is_name, money_access::MoneyAccess, place_of, usual_every_min, worker_request::request_of,
};
use aura_process::{
    WorkerProgram,
    source::{
        AccountPart, LookFailure, MailOrders, MailPart, MailboxHost, MailboxTask, OrderOutcome, read_account,
        read_mailbox,
    },
};
use std::{
    net::TcpStream,
    thread,
    time::{Duration, Instant},
};
use surfaces_base::backend::{
    BackendError,
    accounts::{AccountContents, AccountDraft, AccountMistake, AccountTrial, AccountWish},
    sign_in::SignInDraft,
};
use tokio::sync::oneshot;
use toolcall_schema::{Timestamp, accounts::ServerAccountKind};

/// Accounts of one server that get a name by their number.
const SAME_NAMES_MAX: u32 = 16;

/// Days of mail that a trial counts, and how long it may take.
const TRIAL_DAYS: u32 = 2;
const TRIAL_WITHIN: Duration = Duration::from_secs(80);

/// What the owner typed, checked.
#[derive(Debug, Clone)]
pub(crate) struct WantedAccount {
    pub(crate) config: AccountConfig,
    pub(crate) secret: Option<AccountSecret>,
    /// As the file is to say it.
    sign_in: Option<SignInDraft>,
}

impl WantedAccount {
    /// Of what was typed; `is_taken`: whether another account has a name.
    ///
    /// # Errors
    /// [`AccountMistake`]
    pub(crate) fn from_wish(
        wish: &AccountWish,
        access: Option<MoneyAccess>,
        is_taken: impl Fn(&str) -> bool,
    ) -> Result<Self, AccountMistake> {
        let (place, access) = match access {
            Some(MoneyAccess { place, secret }) => (Some(place), Some(secret)),
            None if wish.kind == ServerAccountKind::SimpleFin => return Err(AccountMistake::Token),
            None => (place_of(wish.kind, &wish.address), None),
        };
        let place = place.ok_or(AccountMistake::Address)?;
        // IMAP is sealed by STARTTLS, or the worker refuses.
        if !place.is_tls && !wish.is_private && wish.kind != ServerAccountKind::Imap {
            return Err(AccountMistake::NotSealed);
        }
        let certificate = Some(wish.certificate.trim()).filter(|typed| !typed.is_empty());
        let certificate = certificate
            .map(|typed| fingerprint(typed).ok_or(AccountMistake::Certificate))
            .transpose()?;
        let name = match wish.name.trim() {
            "" => free_name(wish.kind, &place.host, &is_taken),
            name => Some(name.to_owned()),
        };
        let name = name.filter(|name| is_name(name) && is_apart(wish.kind, name) && !is_taken(name));
        let name = name.ok_or(AccountMistake::Name)?;
        let typed = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        let secret = match wish.kind {
            // Whoever knows such an address can read it.
            ServerAccountKind::CalendarAddress => Some(AccountSecret::of_path(place.path.clone())),
            ServerAccountKind::SimpleFin => access,
            ServerAccountKind::CalDav
            | ServerAccountKind::CardDav
            | ServerAccountKind::Imap
            | ServerAccountKind::Jmap
            | ServerAccountKind::HomeAssistant => {
                typed(&wish.login.password).map(|password| AccountSecret::of_password(None, password))
            }
        };
        let checked = wish
            .sign_in
            .clone()
            .map(|draft| SignInConfig::check(draft, &name, wish.is_private));
        let sign_in = checked.transpose().map_err(|_| AccountMistake::SignIn)?;
        // Whoever signs in has no password there.
        let secret = secret.filter(|_| sign_in.is_none());
        let config = AccountConfig {
            name,
            kind: wish.kind,
            place,
            user: typed(wish.login.user.trim()),
            is_private: wish.is_private,
            every_min: usual_every_min(wish.kind),
            days: DAYS,
            certificate,
            is_paused: false,
            is_writable: false,
            keep_free: None,
            sign_in,
        };
        Ok(Self {
            config,
            secret,
            sign_in: wish.sign_in.clone(),
        })
    }

    /// As the file is to name it: of a secret address the host alone.
    pub(crate) fn draft(&self) -> AccountDraft {
        let AccountConfig { kind, place, .. } = &self.config;
        let path = match kind {
            ServerAccountKind::CalendarAddress | ServerAccountKind::SimpleFin => "/",
            // Of IMAP there is none.
            ServerAccountKind::CalDav
            | ServerAccountKind::CardDav
            | ServerAccountKind::Imap
            | ServerAccountKind::Jmap
            | ServerAccountKind::HomeAssistant => &place.path,
        };
        AccountDraft {
            kind: *kind,
            address: format!("{}{path}", place.server()),
            user: self.config.user.clone(),
            private: self.config.is_private,
            every: None,
            days: None,
            certificate: self.config.certificate.clone(),
            write: false,
            sign_in: self.sign_in.clone(),
        }
    }
}

/// A name by the host: `dav.example.org` is `example`, then `example-calendar`, then `example-2`; of a host without a name `calendar`, then `calendar-2`.
fn free_name(kind: ServerAccountKind, host: &str, is_taken: impl Fn(&str) -> bool) -> Option<String> {
    let is_number = host.contains(':') || host.split('.').all(|part| part.parse::<u8>().is_ok());
    let label = if is_number {
        None
    } else {
        let mut labels = host.rsplit('.');
        let last = labels.next();
        // Of `example.co.uk` and the like the first that says something.
        labels.find(|label| label.len() > 3).or(last)
    };
    let usual = match kind {
        ServerAccountKind::CalendarAddress | ServerAccountKind::CalDav => "calendar",
        ServerAccountKind::CardDav => "names",
        ServerAccountKind::Imap | ServerAccountKind::Jmap => "mail",
        ServerAccountKind::SimpleFin => "money",
        ServerAccountKind::HomeAssistant => "sleep",
    };
    let name = label.filter(|label| is_name(label)).unwrap_or(usual);
    let numbered = (2..=SAME_NAMES_MAX).map(|number| format!("{name}-{number}"));
    let with_kind = (name != usual).then(|| format!("{name}-{usual}"));
    std::iter::once(name.to_owned())
        .chain(with_kind)
        .chain(numbered)
        .find(|name| is_name(name) && is_apart(kind, name) && !is_taken(name))
}

impl LiveAccounts {
    /// One look at an account that is not kept, on a thread of its own; one at a time.
    ///
    /// # Errors
    /// [`BackendError::Busy`]: another is tried.
    pub(crate) async fn try_out(
        &self,
        wish: AccountWish,
        at: Timestamp,
    ) -> Result<AccountTrial, BackendError> {
        let (told, heard) = oneshot::channel();
        let me = self.clone();
        let begun = thread::Builder::new()
            .name("aura-account-trial".to_owned())
            .spawn(move || {
                let tried = me.one_trial(|| me.tried(&wish, at));
                // Whoever asked may have gone.
                let _ = told.send(tried);
            });
        begun.map_err(|_| BackendError::Busy)?;
        heard.await.ok().flatten().ok_or(BackendError::Busy)
    }

    fn tried(&self, wish: &AccountWish, at: Timestamp) -> AccountTrial {
        let access = if wish.kind == ServerAccountKind::SimpleFin {
            match self.money_access(wish) {
                Ok(access) => Some(access),
                Err(told) => return told,
            }
        } else {
            None
        };
        let wanted = match WantedAccount::from_wish(wish, access, |name| self.is_named(name)) {
            Ok(wanted) => wanted,
            Err(mistake) => return AccountTrial::Mistake(mistake),
        };
        match self.look_once(&wanted, at) {
            Ok(contents) => AccountTrial::Found(contents),
            Err(failure) => AccountTrial::Failed(failure),
        }
    }

    fn look_once(&self, wanted: &WantedAccount, at: Timestamp) -> Result<AccountContents, LookFailure> {
        let config = &wanted.config;
        let request = request_of(config, wanted.secret.as_ref(), at);
        let mut contents = AccountContents {
            name: config.name.clone(),
            server: config.place.authority(),
            ..AccountContents::default()
        };
        let mut connect = || {
            if self.is_over() {
                return Err(LookFailure::WorkerEnded);
            }
            broker::connect(config)
        };
        if config.kind.is_mail() {
            let mut request = request;
            request.mail = Some(MailboxTask {
                days: TRIAL_DAYS,
                every_s: TRIAL_WITHIN.as_secs(),
                may_be_unsealed: config.is_private,
                known: Vec::new(),
                mark: None,
                account: config.name.clone(),
                wanted: Vec::new(),
            });
            let mut host = MailCounter {
                connect: &mut connect,
                contents: &mut contents,
                until: Instant::now() + TRIAL_WITHIN,
            };
            return match read_mailbox(&WorkerProgram::default(), &config.name, &request, &mut host) {
                None => Ok(contents),
                Some(failure) => Err(failure),
            };
        }
        let there = read_account(
            &WorkerProgram::default(),
            &config.name,
            &request,
            &mut connect,
            &mut |part| match part {
                AccountPart::Calendar { name, .. } => contents.calendars.push(name),
                AccountPart::Object { id, text } => count_entries(config.kind, &id, &text, &mut contents),
                AccountPart::Gone { .. } => {}
            },
        )?;
        contents.calendars.resize(there.len(), String::new());
        Ok(contents)
    }
}

/// Counts what a worker of mail finds, and ends it after one look.
struct MailCounter<'a> {
    connect: &'a mut dyn FnMut() -> Result<TcpStream, LookFailure>,
    contents: &'a mut AccountContents,
    until: Instant,
}

impl MailboxHost for MailCounter<'_> {
    fn connect(&mut self) -> Result<TcpStream, LookFailure> {
        (self.connect)()
    }

    fn begun(&mut self, _: MailOrders) {}

    fn take(&mut self, part: MailPart) -> Result<(), LookFailure> {
        match part {
            MailPart::Mail { .. } | MailPart::OldHead { .. } => self.contents.messages += 1,
            MailPart::Folder { .. }
            | MailPart::Marks { .. }
            | MailPart::Gone { .. }
            | MailPart::ReadUpTo { .. }
            | MailPart::ReadAll { .. }
            | MailPart::HeadAgain { .. } => {}
        }
        if Instant::now() < self.until {
            Ok(())
        } else {
            Err(LookFailure::Silent)
        }
    }

    fn looked(&mut self, folders: Option<Vec<String>>) -> bool {
        self.contents.calendars = folders.unwrap_or_default();
        false
    }

    fn ordered(&mut self, _: u64, _: OrderOutcome) {}
}

/// Adds what an object is: a payment, a person, or events and tasks.
fn count_entries(kind: ServerAccountKind, id: &str, text: &str, contents: &mut AccountContents) {
    match kind {
        ServerAccountKind::CalendarAddress | ServerAccountKind::CalDav => count_events(text, contents),
        ServerAccountKind::CardDav => contents.people += 1,
        ServerAccountKind::Imap | ServerAccountKind::Jmap => contents.messages += 1,
        ServerAccountKind::SimpleFin => contents.payments += usize::from(is_entry(id)),
        ServerAccountKind::HomeAssistant => contents.nights += usize::from(is_entry(id)),
    }
}

/// A series counts once, with all of it that was moved.
fn count_events(text: &str, contents: &mut AccountContents) {
    let mut is_task = false;
    for line in text.lines() {
        let is = |wanted: &str| line.trim_end().eq_ignore_ascii_case(wanted);
        let is_moved = line
            .get(..13)
            .is_some_and(|begin| begin.eq_ignore_ascii_case("RECURRENCE-ID"));
        if is("BEGIN:VEVENT") {
            (contents.events, is_task) = (contents.events + 1, false);
        } else if is("BEGIN:VTODO") {
            (contents.tasks, is_task) = (contents.tasks + 1, true);
        } else if is_moved && is_task {
            contents.tasks = contents.tasks.saturating_sub(1);
        } else if is_moved {
            contents.events = contents.events.saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use surfaces_base::backend::accounts::TypedLogin;

    fn wish(kind: ServerAccountKind, address: &str) -> AccountWish {
        AccountWish {
            kind,
            address: address.to_owned(),
            login: TypedLogin {
                user: "kim".to_owned(),
                password: "swordfish".to_owned(),
            },
            is_private: false,
            certificate: String::new(),
            name: String::new(),
            accepted: String::new(),
            sign_in: None,
        }
    }

    #[test]
    fn what_is_typed_becomes_an_account_whose_secrets_stand_in_no_file() {
        let dav = wish(ServerAccountKind::CalDav, "https://dav.example.org:8443/kim/");
        let wanted = WantedAccount::from_wish(&dav, None, |_| false).unwrap();
        let draft = wanted.draft();
        assert_eq!(
            (draft.address.as_str(), draft.user.as_deref(), draft.private),
            ("https://dav.example.org:8443/kim/", Some("kim"), false)
        );
        assert_eq!(wanted.config.name, "example");
        assert_eq!(wanted.secret.unwrap().password(), Some("swordfish"));

        let link = wish(
            ServerAccountKind::CalendarAddress,
            "webcal://calendar.example.org/private-1a2b/basic.ics?x=1",
        );
        let wanted = WantedAccount::from_wish(&link, None, |name| name == "example").unwrap();
        assert_eq!(wanted.config.name, "example-calendar");
        assert_eq!(wanted.draft().address, "https://calendar.example.org/");
        let secret = wanted.secret.unwrap();
        assert_eq!(
            (secret.path(), secret.password()),
            (Some("/private-1a2b/basic.ics?x=1"), None)
        );

        let mail = wish(ServerAccountKind::Imap, "imap.example.org");
        let wanted = WantedAccount::from_wish(&mail, None, |_| false).unwrap();
        assert_eq!(wanted.draft().address, "imaps://imap.example.org");
        assert_eq!(wanted.secret.unwrap().password(), Some("swordfish"));
        let access = MoneyAccess::parse("https://a:b@bridge.example.org/simplefin");
        let money = wish(ServerAccountKind::SimpleFin, "a token");
        let wanted = WantedAccount::from_wish(&money, access, |_| false).unwrap();
        let draft = wanted.draft();
        assert_eq!(
            (draft.address.as_str(), wanted.config.every_min),
            ("https://bridge.example.org/", 360)
        );
        assert_eq!(wanted.secret.unwrap().path(), Some("/simplefin"));
        let sent = wish(ServerAccountKind::Imap, "sent.org");
        let wanted = WantedAccount::from_wish(&sent, None, |_| false).unwrap();
        // A folder of that name would be one of mail that she sent.
        assert_eq!(wanted.config.name, "sent-2");
    }

    #[test]
    fn what_makes_no_sense_is_named_before_anything_is_connected_to() {
        let dav = |address: &str| wish(ServerAccountKind::CalDav, address);
        let with = |change: fn(&mut AccountWish)| {
            let mut wish = dav("https://example.org/");
            change(&mut wish);
            wish
        };
        for (wish, mistake) in [
            (dav("example.org"), AccountMistake::Address),
            (dav("https://kim:x@example.org/"), AccountMistake::Address),
            (dav("http://example.org/"), AccountMistake::NotSealed),
            (
                with(|wish| wish.certificate = "12".to_owned()),
                AccountMistake::Certificate,
            ),
            (
                with(|wish| wish.name = "My Work".to_owned()),
                AccountMistake::Name,
            ),
            (with(|wish| wish.name = "taken".to_owned()), AccountMistake::Name),
        ] {
            let refused = WantedAccount::from_wish(&wish, None, |name| name == "taken").unwrap_err();
            assert_eq!(refused, mistake, "{}", wish.address);
        }
    }

    #[test]
    fn accounts_are_called_by_their_host() {
        let name = |host: &str| free_name(ServerAccountKind::CalDav, host, |_| false).unwrap();
        assert_eq!(
            [
                "dav.example.org",
                "example.co.uk",
                "localhost",
                "127.0.0.1",
                "::1",
                "a.b"
            ]
            .map(name),
            ["example", "example", "localhost", "calendar", "calendar", "b"]
        );
        let second =
            |host: &str, first: &str| free_name(ServerAccountKind::CalDav, host, |name| name == first);
        assert_eq!(second("127.0.0.1", "calendar").as_deref(), Some("calendar-2"));
        assert_eq!(
            second("dav.example.org", "example").as_deref(),
            Some("example-calendar")
        );
    }

    #[test]
    fn a_series_with_moved_days_is_one_event() {
        let text = "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nRRULE:FREQ=DAILY\r\nEND:VEVENT\r\nBEGIN:VEVENT\r\n\
                    RECURRENCE-ID:20261103T100000Z\r\nEND:VEVENT\r\nbegin:vtodo\r\nEND:VTODO\r\nBEGIN:VALARM\r\nEND:VCALENDAR\r\n";
        let mut contents = AccountContents::default();
        count_events(text, &mut contents);
        assert_eq!((contents.events, contents.tasks), (1, 1));
    }
}
