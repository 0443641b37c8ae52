//! How a process is let in by the servers of its log.
//!
//! What: [`LogServers`], addresses that were checked; [`LogAccess`], a password, a token or a certificate, read from a file; [`LogAccessError`], each kind
//! with its code and page in `docs/errors`. Why: whoever reaches the servers can make a log unusable, and a secret on a command line is everybody's. Not
//! here: connecting (`jetstream`), what is in the log, which is sealed anyway (`seal`).

use async_nats::ServerAddr;
use std::{
    fmt, fs,
    io::{self, Read as _},
    net::IpAddr,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};
use zeroize::Zeroizing;

/// Bytes of a file with access, at most.
const ACCESS_BYTES_MAX: u64 = 64 << 10;

/// Why the servers of a log are not asked.
#[derive(Debug, thiserror::Error)]
pub enum LogAccessError {
    /// What was given cannot be used.
    #[error("BUS-001: {0}")]
    Unfit(String),
    /// Anybody on the way could write to the log, or read how one is let in.
    #[error("BUS-002: {0}")]
    Unguarded(&'static str),
    /// The servers are not those that they should be, or do not let this host in.
    #[error("BUS-003: {0}")]
    Refused(String),
}

/// Where the servers of a log are.
#[derive(Debug, Clone)]
pub struct LogServers {
    addresses: Vec<ServerAddr>,
}

/// The one of this machine.
impl Default for LogServers {
    fn default() -> Self {
        Self {
            addresses: "nats://127.0.0.1:4222".parse().into_iter().collect(),
        }
    }
}

impl LogServers {
    /// From `nats://HOST:PORT` or `tls://HOST:PORT`, several with commas between.
    ///
    /// # Errors
    /// [`LogAccessError::Unfit`] for what is no such address, holds a name or a password, or has both schemes.
    pub fn parse(text: &str) -> Result<Self, LogAccessError> {
        let addresses: Result<Vec<ServerAddr>, _> = text.split(',').map(parse_address).collect();
        let servers = Self {
            addresses: addresses?,
        };
        let has_sealed = servers.addresses.iter().any(ServerAddr::tls_required);
        if has_sealed && !servers.is_sealed() {
            return Err(unfit("give all servers of a log as tls://, or none"));
        }
        Ok(servers)
    }

    /// Whether all that is said to them is sealed by TLS.
    pub fn is_sealed(&self) -> bool {
        self.addresses.iter().all(ServerAddr::tls_required)
    }

    /// Whether nothing that is said to them leaves this machine.
    pub fn is_loopback(&self) -> bool {
        self.addresses.iter().all(|server| is_loopback(server.host()))
    }

    pub(crate) fn addresses(&self) -> Vec<ServerAddr> {
        self.addresses.clone()
    }
}

fn unfit(text: &str) -> LogAccessError {
    LogAccessError::Unfit(text.to_owned())
}

fn parse_address(text: &str) -> Result<ServerAddr, LogAccessError> {
    // The text may hold a password: it is not said again.
    let is_named = ["nats://", "tls://"]
        .iter()
        .any(|scheme| text.starts_with(scheme));
    let address = text.parse::<ServerAddr>().ok().filter(|_| is_named);
    let address = address.filter(|address| !address.host().is_empty());
    let address =
        address.ok_or_else(|| unfit("a log's server is given as nats://HOST:PORT or tls://HOST:PORT"))?;
    if address.username().is_some() || address.password().is_some() {
        return Err(unfit(
            "no name and no password in the address of a log, where others can read them: put them into a file (`--log-access`)",
        ));
    }
    Ok(address)
}

fn is_loopback(host: &str) -> bool {
    host.parse()
        .map_or(host == "localhost", |ip: IpAddr| ip.is_loopback())
}

/// What a file with access says.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct AccessFile {
    user: Option<String>,
    password: Option<String>,
    token: Option<String>,
    roots: Option<PathBuf>,
    certificate: Option<PathBuf>,
    key: Option<PathBuf>,
}

/// By what a process is let in, and by what it knows the servers. Wiped when dropped, never printed.
#[derive(Clone, Default)]
pub struct LogAccess {
    pub(crate) user: Option<String>,
    pub(crate) password: Option<Zeroizing<String>>,
    pub(crate) token: Option<Zeroizing<String>>,
    /// A file with the certificates by which servers are known; absent: the system's.
    pub(crate) roots: Option<PathBuf>,
    /// Files with this host's certificate and its key, PEM.
    pub(crate) certificate: Option<PathBuf>,
    pub(crate) key: Option<PathBuf>,
}

impl fmt::Debug for LogAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LogAccess")
            .field("names_itself", &self.names_itself())
            .finish_non_exhaustive()
    }
}

impl LogAccess {
    /// From a file of mode 0600: TOML with `user` and `password`, or `token`, or `certificate` and `key`; `roots`. Paths are from the file's folder.
    ///
    /// # Errors
    /// [`LogAccessError::Unfit`]: it cannot be read, is open to others or says something else.
    pub fn load(file: &Path) -> Result<Self, LogAccessError> {
        let shown = file.display();
        let unread = |error: io::Error| LogAccessError::Unfit(format!("{shown} cannot be read: {error}"));
        let opened = fs::File::open(file).map_err(unread)?;
        let is_open = opened.metadata().map_err(unread)?.permissions().mode() & 0o077 != 0;
        if is_open {
            return Err(LogAccessError::Unfit(format!(
                "{shown} is open to others: chmod 600"
            )));
        }
        let mut text = Zeroizing::new(String::new());
        let read = opened.take(ACCESS_BYTES_MAX).read_to_string(&mut text);
        read.map_err(unread)?;
        // What is wrong is not shown: it would be a part of the text.
        let said: AccessFile = toml::from_str(&text).map_err(|_| {
            LogAccessError::Unfit(format!(
                "{shown} is not as it has to be: TOML with user and password, or token, or certificate and key; roots"
            ))
        })?;
        let folder = file.parent().unwrap_or(Path::new("."));
        let in_folder = |path: Option<PathBuf>| path.map(|path| folder.join(path));
        let access = Self {
            user: said.user,
            password: said.password.map(Zeroizing::new),
            token: said.token.map(Zeroizing::new),
            roots: in_folder(said.roots),
            certificate: in_folder(said.certificate),
            key: in_folder(said.key),
        };
        access.check(&shown.to_string())?;
        Ok(access)
    }

    fn check(&self, shown: &str) -> Result<(), LogAccessError> {
        let files = [&self.roots, &self.certificate, &self.key];
        if let Some(path) = files.into_iter().flatten().find(|path| !path.is_file()) {
            let path = path.display();
            return Err(LogAccessError::Unfit(format!(
                "{shown} names {path}, which is no file"
            )));
        }
        let is_half = self.user.is_some() != self.password.is_some()
            || self.certificate.is_some() != self.key.is_some();
        if is_half || (self.user.is_some() && self.token.is_some()) {
            return Err(LogAccessError::Unfit(format!(
                "{shown} has half of what belongs together, or both a password and a token"
            )));
        }
        Ok(())
    }

    fn has_secret(&self) -> bool {
        self.password.is_some() || self.token.is_some()
    }

    fn names_itself(&self) -> bool {
        self.has_secret() || self.certificate.is_some()
    }

    /// Whether servers may be asked so. Beyond this machine the way to them is sealed and they know whom they let in, unless the owner of the network
    /// says that nobody else reaches them.
    ///
    /// # Errors
    /// [`LogAccessError::Unguarded`]
    pub fn check_guarded(&self, servers: &LogServers, is_network_closed: bool) -> Result<(), LogAccessError> {
        if servers.is_loopback() || is_network_closed {
            return Ok(());
        }
        if !servers.is_sealed() {
            return Err(LogAccessError::Unguarded(
                "the log is on another machine and the way to it is not sealed: give tls://, or say that nobody else is on that network (`--log-network-closed`)",
            ));
        }
        if !self.names_itself() {
            return Err(LogAccessError::Unguarded(
                "the log is on another machine and lets anybody in: give a password, a token or a certificate (`--log-access FILE`), or say that nobody else is on that network (`--log-network-closed`)",
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    fn code(error: &LogAccessError) -> String {
        error.to_string().split(':').next().unwrap_or_default().to_owned()
    }

    #[test]
    fn addresses_are_servers_with_one_scheme_and_without_secrets() {
        for (text, is_sealed, is_loopback) in [
            ("nats://127.0.0.1:4222", false, true),
            ("nats://localhost,nats://[::1]:4223", false, true),
            ("tls://bus.example:4222", true, false),
            ("tls://127.0.0.1:4222,tls://bus.example", true, false),
        ] {
            let servers = LogServers::parse(text).unwrap();
            assert_eq!(
                (servers.is_sealed(), servers.is_loopback()),
                (is_sealed, is_loopback),
                "{text}"
            );
        }
        for text in [
            "nats://asha:hunter2@127.0.0.1:4222",
            "tls://hunter2@bus.example",
            "tls://bus.example,nats://bus.example",
            "http://bus.example/hunter2",
            "nats://",
            "",
        ] {
            let refused = LogServers::parse(text).unwrap_err();
            assert_eq!(code(&refused), "BUS-001", "{text}");
            assert!(!refused.to_string().contains("hunter2"), "{refused}");
        }
    }

    #[test]
    fn access_is_read_from_a_private_file_and_says_nothing_of_itself() {
        let dir = tempfile::TempDir::new().unwrap();
        let file = dir.path().join("bus.toml");
        let write = |text: &str, mode| {
            let mut written = fs::File::create(&file).unwrap();
            written.write_all(text.as_bytes()).unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        };
        let good = "user = \"aura\"\npassword = \"hunter2\"\n";
        write(good, 0o600);
        let access = LogAccess::load(&file).unwrap();
        assert!(!format!("{access:?}").contains("hunter2"));
        for (text, mode) in [
            (good, 0o640),
            ("user = \"aura\"\n", 0o600),
            (
                "token = \"hunter2\"\nuser = \"aura\"\npassword = \"hunter2\"\n",
                0o600,
            ),
            ("hunter2\n", 0o600),
            ("secret = \"hunter2\"\n", 0o600),
            ("token = \"hunter2\"\nroots = \"none.pem\"\n", 0o600),
        ] {
            write(text, mode);
            let refused = LogAccess::load(&file).unwrap_err();
            assert_eq!(code(&refused), "BUS-001", "{text}");
            assert!(!refused.to_string().contains("hunter2"), "{refused}");
        }
        assert!(LogAccess::load(&dir.path().join("none")).is_err());
    }

    #[test]
    fn beyond_this_machine_a_log_is_sealed_and_knows_who_asks() {
        let with_token = LogAccess {
            token: Some(Zeroizing::new("t".to_owned())),
            ..LogAccess::default()
        };
        for (text, access, is_closed, is_asked) in [
            ("nats://127.0.0.1", &LogAccess::default(), false, true),
            ("nats://10.0.0.1", &LogAccess::default(), false, false),
            ("nats://10.0.0.1", &with_token, false, false),
            ("tls://10.0.0.1", &LogAccess::default(), false, false),
            ("tls://10.0.0.1", &with_token, false, true),
            ("nats://10.0.0.1", &LogAccess::default(), true, true),
        ] {
            let checked = access.check_guarded(&LogServers::parse(text).unwrap(), is_closed);
            assert_eq!(checked.is_ok(), is_asked, "{text}");
            assert!(checked.err().is_none_or(|error| code(&error) == "BUS-002"));
        }
    }
}
