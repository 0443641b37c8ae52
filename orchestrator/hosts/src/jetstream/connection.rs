//! What the logs of a process share: the connection, and the thread that keeps it alive.
//!
//! What: [`BusConnection`], with how its streams are made. Why: logs are asked from threads, and a connection has to answer its server also while
//! nobody asks. Not here: what is published.

use crate::{
    log::LogError,
    log_access::{LogAccess, LogAccessError, LogServers},
};
use async_nats::{
    Client, ConnectError, ConnectErrorKind, ConnectOptions,
    jetstream::{
        Context,
        context::ContextBuilder,
        stream::{Config, DiscardPolicy, StorageType, Stream},
    },
    rustls,
};
use std::{
    collections::HashMap,
    error::Error,
    io,
    sync::{Arc, Mutex, PoisonError},
    thread::{self, JoinHandle},
    time::Duration,
};
use tokio::{
    runtime::{Builder, Handle},
    sync::oneshot,
};

/// What the headers of a message take at most: the position, the stream and the sequence before.
const HEADER_BYTES: usize = 1024;

/// Under which name a stream says how many there are.
const SHARDS: &str = "aura-shards";

/// Repeats are recognised by their place, not by the server: it remembers as little as it can.
const DUPLICATE_WINDOW: Duration = Duration::from_secs(1);

/// A server that is away is looked for so often.
const RECONNECT_MIN: Duration = Duration::from_millis(20);
const RECONNECT_MAX: Duration = Duration::from_secs(1);

/// A connection that has died without a word is noticed after two of these.
const PING: Duration = Duration::from_secs(10);

/// How a process reaches its logs.
#[derive(Debug, Clone)]
pub struct BusOptions {
    pub servers: LogServers,
    pub access: LogAccess,
    /// In how many streams the owners are, 1 to 256. Never changes.
    pub shards: u16,
    /// How many servers have each stream.
    pub replicas: usize,
    /// How long one answer may take.
    pub deadline: Duration,
}

impl Default for BusOptions {
    fn default() -> Self {
        Self {
            servers: LogServers::default(),
            access: LogAccess::default(),
            shards: 256,
            replicas: 1,
            deadline: Duration::from_secs(5),
        }
    }
}

/// The connection of a process to the servers of its logs. It comes back by itself.
pub struct BusConnection {
    options: BusOptions,
    handle: Handle,
    context: Context,
    /// Dropped, it ends the thread.
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl std::fmt::Debug for BusConnection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BusConnection")
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

impl BusConnection {
    /// Connects. For threads: not from within a runtime of tokio, as all that is asked of a log.
    ///
    /// # Errors
    /// [`LogError::Unavailable`] when no server answers, [`LogError::Refused`] when one lets nobody in by this access, [`LogError::Damaged`] for a number
    /// of streams that cannot be.
    pub fn open(options: BusOptions) -> Result<Arc<Self>, LogError> {
        if !(1..=256).contains(&options.shards) {
            return Err(LogError::Damaged(format!(
                "{} streams: 1 to 256 can be",
                options.shards
            )));
        }
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| unavailable(&error))?;
        let handle = runtime.handle().clone();
        let (stop, stopped) = oneshot::channel();
        let thread = thread::Builder::new()
            .name("aura-bus".to_owned())
            // Stopped by a word or by being dropped.
            .spawn(move || drop(runtime.block_on(stopped)))
            .map_err(|error| unavailable(&error))?;
        let connected = handle.block_on(connect(&options));
        let mut stop = Some(stop);
        let context = match connected {
            Ok(context) => context,
            Err(error) => {
                stop.take();
                // Nothing of its end can be told.
                let _ = thread.join();
                return Err(error);
            }
        };
        Ok(Arc::new(Self {
            options,
            handle,
            context,
            stop,
            thread: Some(thread),
        }))
    }

    pub(super) fn options(&self) -> &BusOptions {
        &self.options
    }

    pub(super) fn context(&self) -> &Context {
        &self.context
    }

    pub(super) fn client(&self) -> Client {
        self.context.client()
    }

    /// The largest payload of a message of ours.
    pub(super) fn message_bytes_max(&self) -> usize {
        self.client()
            .server_info()
            .max_payload
            .saturating_sub(HEADER_BYTES)
    }

    /// Waits on this thread for what the other one hears.
    pub(super) fn run<T>(&self, asked: impl Future<Output = T>) -> T {
        self.handle.block_on(asked)
    }

    /// A stream that all owners share, made when it is not there.
    pub(super) fn shared_stream(&self, config: Config) -> Result<Stream<()>, LogError> {
        let name = config.name.clone();
        self.run(async {
            let made = self.context.get_or_create_stream(config).await;
            made.map_err(|error| unavailable(&error))?;
            let stream = self.context.get_stream_no_info(name).await;
            stream.map_err(|error| unavailable(&error))
        })
    }

    /// A stream of all owners that keeps the newest message of each subject, made when it is not there.
    pub(super) fn newest_of_each(&self, name: &str, subjects: &str) -> Result<Stream<()>, LogError> {
        self.shared_stream(Config {
            name: name.to_owned(),
            subjects: vec![subjects.to_owned()],
            storage: StorageType::File,
            num_replicas: self.options.replicas,
            discard: DiscardPolicy::New,
            max_messages_per_subject: 1,
            ..Config::default()
        })
    }

    /// The stream of a shard, made when it is not there.
    pub(super) async fn open_stream(&self, shard: &str) -> Result<Stream<()>, LogError> {
        let shards = self.options.shards.to_string();
        let config = Config {
            name: format!("J{shard}"),
            subjects: vec![format!("j.{shard}.*"), format!("s.{shard}.>")],
            storage: StorageType::File,
            num_replicas: self.options.replicas,
            // What does not fit is refused: nothing old goes by itself.
            discard: DiscardPolicy::New,
            allow_direct: true,
            deny_delete: true,
            duplicate_window: DUPLICATE_WINDOW,
            metadata: HashMap::from([(SHARDS.to_owned(), shards.clone())]),
            ..Config::default()
        };
        let stream = self.context.get_or_create_stream(config).await;
        let stream = stream.map_err(|error| unavailable(&error))?;
        let there = &stream.cached_info().config;
        let name = &there.name;
        match there.metadata.get(SHARDS) {
            Some(made_for) if *made_for == shards => {}
            made_for => {
                let made_for = made_for.map_or("none", String::as_str);
                return Err(LogError::Damaged(format!(
                    "the stream {name} is one of {made_for}, and {shards} are configured"
                )));
            }
        }
        if there.storage != StorageType::File || there.discard != DiscardPolicy::New {
            return Err(LogError::Damaged(format!(
                "the stream {name} does not keep what it acknowledges"
            )));
        }
        let stream = self.context.get_stream_no_info(name).await;
        stream.map_err(|error| unavailable(&error))
    }
}

/// One connection for all who ask in this process, opened when the first of them does.
#[derive(Debug)]
pub struct SharedBus {
    options: BusOptions,
    opened: Mutex<Option<Arc<BusConnection>>>,
}

impl SharedBus {
    pub fn new(options: BusOptions) -> Self {
        Self {
            options,
            opened: Mutex::default(),
        }
    }

    /// # Errors
    /// As [`BusConnection::open`]; whoever asks next tries again.
    pub fn connection(&self) -> Result<Arc<BusConnection>, LogError> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bus) = &*opened {
            return Ok(Arc::clone(bus));
        }
        let bus = BusConnection::open(self.options.clone())?;
        *opened = Some(Arc::clone(&bus));
        Ok(bus)
    }
}

impl Drop for BusConnection {
    fn drop(&mut self) {
        self.stop.take();
        if let Some(thread) = self.thread.take() {
            // Nothing of its end can be told.
            let _ = thread.join();
        }
    }
}

async fn connect(options: &BusOptions) -> Result<Context, LogError> {
    let client = with_access(ConnectOptions::new(), &options.access)
        .name("aura")
        .require_tls(options.servers.is_sealed())
        // A password goes to nobody who was not named.
        .ignore_discovered_servers()
        .connection_timeout(options.deadline)
        .request_timeout(Some(options.deadline))
        .ping_interval(PING)
        .max_reconnects(None)
        .reconnect_delay_callback(|attempts| {
            let attempts = u32::try_from(attempts).unwrap_or(u32::MAX);
            RECONNECT_MIN.saturating_mul(attempts).min(RECONNECT_MAX)
        })
        .connect(options.servers.addresses())
        .await
        .map_err(|error| not_connected(&error))?;
    let context = ContextBuilder::new().timeout(options.deadline);
    Ok(context.ack_timeout(options.deadline).build(client))
}

fn with_access(mut connecting: ConnectOptions, access: &LogAccess) -> ConnectOptions {
    if let (Some(user), Some(password)) = (&access.user, &access.password) {
        connecting = connecting.user_and_password(user.clone(), password.to_string());
    }
    if let Some(token) = &access.token {
        connecting = connecting.token(token.to_string());
    }
    if let Some(roots) = &access.roots {
        connecting = connecting.add_root_certificates(roots.clone());
    }
    if let (Some(certificate), Some(key)) = (&access.certificate, &access.key) {
        connecting = connecting.add_client_certificate(certificate.clone(), key.clone());
    }
    connecting
}

/// Whether nobody answered, or somebody who does not let this host in, or is not who it should be.
fn not_connected(error: &ConnectError) -> LogError {
    let why = match error.kind() {
        ConnectErrorKind::AuthorizationViolation | ConnectErrorKind::Authentication => {
            "they do not let this host in by what is in the file of --log-access".to_owned()
        }
        ConnectErrorKind::Tls => chain_text(error),
        ConnectErrorKind::ServerParse
        | ConnectErrorKind::Dns
        | ConnectErrorKind::TimedOut
        | ConnectErrorKind::Io
        | ConnectErrorKind::MaxReconnects => match of_tls(error) {
            Some(of_tls) => of_tls.to_string(),
            None => return unavailable(error),
        },
    };
    LogError::Refused(LogAccessError::Refused(format!("the servers of the log: {why}")))
}

/// What TLS has against the other side, or that one against this.
fn of_tls<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a rustls::Error> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref() {
            return Some(found);
        }
        let inner = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        if let Some(found) = inner.and_then(|inner| inner.downcast_ref()) {
            return Some(found);
        }
        next = error.source();
    }
    None
}

/// An error of the client, with what it comes from.
pub(super) fn unavailable(error: &dyn Error) -> LogError {
    LogError::Unavailable(chain_text(error))
}

fn chain_text(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        let said = error.to_string();
        if !text.contains(&said) {
            text = format!("{text}: {said}");
        }
        source = error.source();
    }
    text
}
