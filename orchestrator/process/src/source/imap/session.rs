//! A connection to a server of mail.
//!
//! What: [`ImapSession`]: TLS from the first byte or by STARTTLS, the login, and commands with their answers. Why: what is sent and what is waited
//! for is bounded in one place. Not here: what is asked of folders (`folders`, `fetch`, `drafts`).

use super::{
    super::{
        tls::failure_of,
        wire::{AccessToken, AccountLogin, AccountRequest, LookFailure, ServerPlace},
    },
    answer::{AnswerFramer, ImapAnswer, ImapStatus, ImapValue},
    sasl::TokenMechanism,
};
use data_encoding::BASE64;
use rustls::{ClientConfig, pki_types::ServerName};
use std::{collections::BTreeSet, io, sync::Arc, time::Duration};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    time::timeout,
};
use tokio_rustls::{TlsConnector, client::TlsStream};
use zeroize::Zeroizing;

/// Bytes that are read at once.
const READ_BYTES: usize = 16 << 10;
/// Answers to one command.
const ANSWERS_MAX: u32 = 400_000;

enum ImapStream {
    Plain(TcpStream),
    Sealed(Box<TlsStream<TcpStream>>),
    /// While TLS begins.
    Nothing,
}

impl ImapStream {
    async fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(stream) => stream.read(buffer).await,
            Self::Sealed(stream) => stream.read(buffer).await,
            Self::Nothing => Ok(0),
        }
    }

    async fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Plain(stream) => stream.write_all(bytes).await,
            Self::Sealed(stream) => {
                stream.write_all(bytes).await?;
                stream.flush().await
            }
            Self::Nothing => Err(io::ErrorKind::NotConnected.into()),
        }
    }
}

/// A piece of a command.
pub(super) enum CommandPiece<'a> {
    Words(&'a str),
    /// A name: between quotation marks where it can stand there, else as bytes.
    Name(&'a str),
    /// Any bytes; they are sent when the server says that it waits for them.
    Bytes(&'a [u8]),
}

impl<'a> CommandPiece<'a> {
    /// What is to be sent as bytes.
    fn bytes(&self) -> Option<&'a [u8]> {
        match self {
            Self::Words(_) => None,
            Self::Name(name) => (!is_quotable(name)).then_some(name.as_bytes()),
            Self::Bytes(bytes) => Some(bytes),
        }
    }

    fn push_words(&self, line: &mut String) {
        match self {
            Self::Words(words) => line.push_str(words),
            Self::Name(name) => {
                line.push('"');
                for sign in name.chars() {
                    if matches!(sign, '"' | '\\') {
                        line.push('\\');
                    }
                    line.push(sign);
                }
                line.push('"');
            }
            Self::Bytes(_) => {}
        }
    }
}

fn is_quotable(name: &str) -> bool {
    name.bytes().all(|byte| (b' '..=b'~').contains(&byte))
}

/// How a command ended.
pub(super) struct CommandEnd {
    status: ImapStatus,
    pub(super) code: String,
}

impl CommandEnd {
    pub(super) fn is_ok(&self) -> bool {
        self.status == ImapStatus::Ok
    }

    /// Itself, when it went well.
    ///
    /// # Errors
    /// [`LookFailure::SaysNo`]
    pub(super) fn good(self) -> Result<Self, LookFailure> {
        if self.is_ok() {
            Ok(self)
        } else {
            Err(LookFailure::SaysNo)
        }
    }

    /// Whether its code is one of these (RFC 5530).
    fn is_for(&self, codes: &[&str]) -> bool {
        codes.iter().any(|code| self.code.eq_ignore_ascii_case(code))
    }
}

/// A connection, asked one thing after the other.
pub(super) struct ImapSession {
    stream: ImapStream,
    framer: AnswerFramer,
    within: Duration,
    number: u32,
    /// What it says it can do, in capitals.
    abilities: BTreeSet<String>,
    /// How many mails the chosen folder has, as it said last.
    pub(super) exists: u32,
    /// It told of a change in the chosen folder that nobody asked about.
    pub(super) has_news: bool,
    /// Nothing is asked now: all that is told is news.
    pub(super) is_waiting: bool,
}

/// What is done with data that answers a command.
pub(super) type TakeData<'a> = &'a mut dyn FnMut(Vec<ImapValue>) -> Result<(), LookFailure>;

impl ImapSession {
    /// Over a connection, up to the login.
    ///
    /// # Errors
    /// [`LookFailure`]
    pub(super) async fn open(
        connected: std::net::TcpStream,
        request: &AccountRequest,
        tls: Option<Arc<ClientConfig>>,
        may_be_unsealed: bool,
    ) -> Result<Self, LookFailure> {
        connected.set_nonblocking(true).map_err(|_| LookFailure::Broken)?;
        let stream = TcpStream::from_std(connected).map_err(|_| LookFailure::Broken)?;
        let mut session = Self {
            stream: ImapStream::Plain(stream),
            framer: AnswerFramer::default(),
            within: Duration::from_millis(request.request_ms),
            number: 0,
            abilities: BTreeSet::new(),
            exists: 0,
            has_news: false,
            is_waiting: false,
        };
        if request.place.is_tls {
            session.seal(request, tls.as_ref()).await?;
        }
        let is_known = match session.next_in_time().await? {
            ImapAnswer::Status {
                status: ImapStatus::Ok,
                ..
            } => false,
            ImapAnswer::Status {
                status: ImapStatus::Preauth,
                ..
            } => true,
            ImapAnswer::Status {
                status: ImapStatus::Bye,
                code,
            } => {
                return Err(of_bye(&code));
            }
            ImapAnswer::Status { .. } | ImapAnswer::More | ImapAnswer::Ended { .. } | ImapAnswer::Data(_) => {
                return Err(LookFailure::Broken);
            }
        };
        session.ask_abilities().await?;
        if !request.place.is_tls {
            if session.can("STARTTLS") && !is_known {
                session
                    .ask("STARTTLS")
                    .await?
                    .good()
                    .map_err(|_| LookFailure::NotSealed)?;
                // What came with the answer was not sealed.
                if !session.framer.is_empty() {
                    return Err(LookFailure::Broken);
                }
                session.seal(request, tls.as_ref()).await?;
                session.ask_abilities().await?;
            } else if !may_be_unsealed {
                return Err(LookFailure::NotSealed);
            }
        }
        if !is_known {
            if let Some(token) = &request.token {
                session.log_in_by_token(&request.place, token).await?;
            } else {
                let login = request.login.as_ref().filter(|login| !login.user.is_empty());
                session.log_in(login.ok_or(LookFailure::LoginMissing)?).await?;
            }
            session.ask_abilities().await?;
        }
        Ok(session)
    }

    async fn seal(
        &mut self,
        request: &AccountRequest,
        tls: Option<&Arc<ClientConfig>>,
    ) -> Result<(), LookFailure> {
        let config = tls.ok_or(LookFailure::NoTls)?;
        let ImapStream::Plain(stream) = std::mem::replace(&mut self.stream, ImapStream::Nothing) else {
            return Err(LookFailure::Broken);
        };
        let name = ServerName::try_from(request.place.host.clone()).map_err(|_| LookFailure::OtherName)?;
        let connector = TlsConnector::from(Arc::clone(config));
        let sealed = timeout(self.within, connector.connect(name, stream)).await;
        let sealed = sealed.map_err(|_| LookFailure::Silent)?;
        self.stream = ImapStream::Sealed(Box::new(sealed.map_err(|error| failure_of(&error))?));
        Ok(())
    }

    async fn ask_abilities(&mut self) -> Result<(), LookFailure> {
        let mut found = BTreeSet::new();
        self.ask_for(&[CommandPiece::Words("CAPABILITY")], &mut |data| {
            if data.first().is_some_and(|first| first.is("CAPABILITY")) {
                let words = data.iter().skip(1).filter_map(ImapValue::as_text);
                found.extend(words.map(str::to_ascii_uppercase));
            }
            Ok(())
        })
        .await?
        .good()?;
        self.abilities = found;
        Ok(())
    }

    /// Whether it says that it can do something. `IMAP4rev2` has several things in it.
    pub(super) fn can(&self, ability: &str) -> bool {
        const REV2: [&str; 9] = [
            "ENABLE",
            "ESEARCH",
            "IDLE",
            "LIST-EXTENDED",
            "LIST-STATUS",
            "SASL-IR",
            "SPECIAL-USE",
            "UIDPLUS",
            "MOVE",
        ];
        self.abilities.contains(ability) || (REV2.contains(&ability) && self.abilities.contains("IMAP4REV2"))
    }

    async fn log_in(&mut self, login: &AccountLogin) -> Result<(), LookFailure> {
        let end = if self.can("AUTH=PLAIN") {
            let pair = Zeroizing::new(format!("\0{}\0{}", login.user, login.password));
            let coded = Zeroizing::new(BASE64.encode(pair.as_bytes()));
            self.authenticate("PLAIN", &coded, None).await?
        } else if self.can("LOGINDISABLED") {
            return Err(LookFailure::NoPasswords);
        } else {
            let pieces = [
                CommandPiece::Words("LOGIN "),
                CommandPiece::Bytes(login.user.as_bytes()),
                CommandPiece::Words(" "),
                CommandPiece::Bytes(login.password.as_bytes()),
            ];
            self.ask_for(&pieces, &mut |_| Ok(())).await?
        };
        logged_in(&end)
    }

    async fn log_in_by_token(&mut self, place: &ServerPlace, token: &AccessToken) -> Result<(), LookFailure> {
        let taken = TokenMechanism::ALL
            .into_iter()
            .find(|one| self.can(&format!("AUTH={}", one.name())));
        let mechanism = taken.ok_or(LookFailure::NoPasswords)?;
        let coded = mechanism.first(place, token);
        let end = self
            .authenticate(mechanism.name(), &coded, Some(mechanism.last()))
            .await?;
        logged_in(&end)
    }

    /// `AUTHENTICATE`, with what follows at once where the server takes it so. `last`: what a server is sent that then says why it refuses.
    async fn authenticate(
        &mut self,
        mechanism: &str,
        coded: &str,
        last: Option<&str>,
    ) -> Result<CommandEnd, LookFailure> {
        let tag = if self.can("SASL-IR") {
            let line = Zeroizing::new(format!("AUTHENTICATE {mechanism} {coded}\r\n"));
            self.send_tagged(&line).await?
        } else {
            let tag = self.send_tagged(&format!("AUTHENTICATE {mechanism}\r\n")).await?;
            if let Some(end) = self.until_more(&tag, &mut |_| Ok(())).await? {
                return Ok(end);
            }
            let line = Zeroizing::new(format!("{coded}\r\n"));
            self.write(line.as_bytes()).await?;
            tag
        };
        if let Some(last) = last {
            if let Some(end) = self.until_more(&tag, &mut |_| Ok(())).await? {
                return Ok(end);
            }
            self.write(format!("{last}\r\n").as_bytes()).await?;
        }
        self.until_end(&tag, &mut |_| Ok(())).await
    }

    /// Asks what brings no data.
    ///
    /// # Errors
    /// [`LookFailure`]; an answer that says no is none.
    pub(super) async fn ask(&mut self, command: &str) -> Result<CommandEnd, LookFailure> {
        self.ask_for(&[CommandPiece::Words(command)], &mut |_| Ok(()))
            .await
    }

    /// Asks, and hands data over as it comes.
    ///
    /// # Errors
    /// [`LookFailure`]; an answer that says no is none.
    pub(super) async fn ask_for(
        &mut self,
        pieces: &[CommandPiece<'_>],
        take: TakeData<'_>,
    ) -> Result<CommandEnd, LookFailure> {
        let mut line = Zeroizing::new(String::new());
        let mut tag = None;
        for piece in pieces {
            let Some(bytes) = piece.bytes() else {
                piece.push_words(&mut line);
                continue;
            };
            line.push('{');
            line.push_str(&bytes.len().to_string());
            line.push_str("}\r\n");
            let sent = self.send_line(tag, &line).await?;
            line.clear();
            if let Some(end) = self.until_more(&sent, take).await? {
                return Ok(end);
            }
            self.write(bytes).await?;
            tag = Some(sent);
        }
        line.push_str("\r\n");
        let tag = self.send_line(tag, &line).await?;
        self.until_end(&tag, take).await
    }

    /// Sends what begins a command, or goes on with it.
    async fn send_line(&mut self, tag: Option<String>, line: &str) -> Result<String, LookFailure> {
        let Some(tag) = tag else {
            return self.send_tagged(line).await;
        };
        self.write(line.as_bytes()).await?;
        Ok(tag)
    }

    /// Begins a command.
    pub(super) async fn send_tagged(&mut self, line: &str) -> Result<String, LookFailure> {
        self.number = self.number.wrapping_add(1);
        let tag = format!("A{}", self.number);
        let line = Zeroizing::new(format!("{tag} {line}"));
        self.write(line.as_bytes()).await?;
        Ok(tag)
    }

    pub(super) async fn write(&mut self, bytes: &[u8]) -> Result<(), LookFailure> {
        let written = timeout(self.within, self.stream.write(bytes)).await;
        let written = written.map_err(|_| LookFailure::Silent)?;
        written.map_err(|_| LookFailure::Broken)
    }

    /// Waits until the server wants more of a command; what it says when it does not is its end.
    pub(super) async fn until_more(
        &mut self,
        tag: &str,
        take: TakeData<'_>,
    ) -> Result<Option<CommandEnd>, LookFailure> {
        self.take_until(tag, true, take).await
    }

    /// Waits for the end of a command.
    pub(super) async fn until_end(
        &mut self,
        tag: &str,
        take: TakeData<'_>,
    ) -> Result<CommandEnd, LookFailure> {
        let end = self.take_until(tag, false, take).await?;
        end.ok_or(LookFailure::Broken)
    }

    async fn take_until(
        &mut self,
        tag: &str,
        is_for_more: bool,
        take: TakeData<'_>,
    ) -> Result<Option<CommandEnd>, LookFailure> {
        for _ in 0..ANSWERS_MAX {
            match self.next_in_time().await? {
                ImapAnswer::Ended {
                    tag: ended,
                    status,
                    code,
                } if ended == tag => return Ok(Some(CommandEnd { status, code })),
                ImapAnswer::More if is_for_more => return Ok(None),
                // Some ask for more where there is none.
                ImapAnswer::More => return Err(LookFailure::Broken),
                ImapAnswer::Ended { .. } => return Err(LookFailure::Broken),
                ImapAnswer::Status { status, code } => {
                    if status == ImapStatus::Bye {
                        return Err(of_bye(&code));
                    }
                    take(vec![ImapValue::Atom("CODE".to_owned()), ImapValue::Atom(code)])?;
                }
                ImapAnswer::Data(data) => take(data)?,
            }
        }
        Err(LookFailure::AnswerTooLarge)
    }

    async fn next_in_time(&mut self) -> Result<ImapAnswer, LookFailure> {
        let within = self.within;
        let answer = timeout(within, self.next_answer()).await;
        answer.map_err(|_| LookFailure::Silent)?
    }

    /// The next answer, however long it takes. Nothing is lost where the waiting is broken off.
    ///
    /// # Errors
    /// [`LookFailure`]
    pub(super) async fn next_answer(&mut self) -> Result<ImapAnswer, LookFailure> {
        loop {
            if let Some(answer) = self.framer.next_answer()? {
                let answer = ImapAnswer::parse(&answer)?;
                self.note_news(&answer);
                return Ok(answer);
            }
            let mut buffer = vec![0; READ_BYTES];
            let read = self.stream.read(&mut buffer).await;
            match read.map_err(|error| of_read(&error))? {
                0 => return Err(LookFailure::Broken),
                count => self.framer.push(buffer.get(..count).unwrap_or_default()),
            }
        }
    }

    /// Notes what the chosen folder became.
    fn note_news(&mut self, answer: &ImapAnswer) {
        let ImapAnswer::Data(data) = answer else { return };
        let is = |at: usize, word: &str| data.get(at).is_some_and(|value| value.is(word));
        if is(1, "EXISTS") {
            let exists = data.first().and_then(ImapValue::as_number).unwrap_or(0);
            self.has_news |= exists != self.exists;
            self.exists = exists;
        } else if is(1, "EXPUNGE") || is(1, "FETCH") || is(0, "VANISHED") {
            self.has_news |= self.is_waiting;
        }
    }
}

fn logged_in(end: &CommandEnd) -> Result<(), LookFailure> {
    if end.is_ok() {
        Ok(())
    } else if end.is_for(&["UNAVAILABLE", "LIMIT", "INUSE", "SERVERBUG"]) {
        Err(LookFailure::TooOften { after_s: None })
    } else {
        Err(LookFailure::LoginRefused)
    }
}

/// What a farewell says.
fn of_bye(code: &str) -> LookFailure {
    if code.eq_ignore_ascii_case("UNAVAILABLE") || code.eq_ignore_ascii_case("LIMIT") {
        LookFailure::TooOften { after_s: None }
    } else {
        LookFailure::Broken
    }
}

fn of_read(error: &io::Error) -> LookFailure {
    if error.kind() == io::ErrorKind::TimedOut {
        LookFailure::Silent
    } else {
        LookFailure::Broken
    }
}
