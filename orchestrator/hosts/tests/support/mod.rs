//! A real NATS server on the loopback.
//!
//! What: [`NatsServer`], installed by `scripts/deps.sh bus`, with a folder of its own, that can be killed and started again. Why: what is promised is
//! what the server does. Not here: any claim.

pub(crate) mod hosted;
pub(crate) mod service;

use aura_hosts::{
    LogServers,
    jetstream::{BusConnection, BusOptions},
};
use futures_util::StreamExt as _;
use std::{
    env, fs,
    io::{self, BufRead as _, BufReader, Read as _, Write as _},
    net::{Shutdown, TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    thread,
    time::Duration,
};
use tempfile::TempDir;
use tokio::runtime::Builder;

/// How long a test's log waits for one answer.
pub(crate) const DEADLINE: Duration = Duration::from_secs(5);

fn program() -> PathBuf {
    let cache = env::var_os("XDG_CACHE_HOME").map_or_else(
        || Path::new(&env::var_os("HOME").unwrap()).join(".cache"),
        PathBuf::from,
    );
    let program = cache.join("aura-tools/nats-2.15.1/bin/nats-server");
    assert!(
        program.exists(),
        "the NATS server is not there: scripts/deps.sh bus"
    );
    program
}

/// The server. It is killed when it is dropped.
pub(crate) struct NatsServer {
    folder: TempDir,
    child: Child,
    pub(crate) port: u16,
}

impl NatsServer {
    pub(crate) fn start() -> Self {
        Self::start_with("", TempDir::new().unwrap())
    }

    /// With more in its configuration, in a folder with what that names.
    pub(crate) fn start_with(more: &str, folder: TempDir) -> Self {
        // Each message is on disk when it is acknowledged.
        let store = folder.path().join("store");
        let store = store.display();
        // As docs/hosts.md says.
        let config = format!(
            "max_payload: 8MB\njetstream {{ store_dir: \"{store}\", sync_interval: always }}\n{more}"
        );
        fs::write(folder.path().join("config"), config).unwrap();
        // Any port.
        let (child, port) = run(folder.path(), "-1");
        Self { folder, child, port }
    }

    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// On the same folder and port.
    pub(crate) fn start_again(&mut self) {
        self.child = run(self.folder.path(), &self.port.to_string()).0;
    }

    /// Has it keep so many bytes and no more from when it is started again, as `1MB`.
    pub(crate) fn limit_room(&self, room: &str) {
        let file = self.folder.path().join("config");
        let config = fs::read_to_string(&file).unwrap();
        let (before, behind) = config.split_once("sync_interval: always").unwrap();
        let (_, behind) = behind.split_once('}').unwrap();
        let limited = format!("{before}sync_interval: always, max_file_store: {room} }}{behind}");
        fs::write(file, limited).unwrap();
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// How many messages the streams have together.
    pub(crate) fn messages(&self) -> u64 {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let client = async_nats::connect(format!("127.0.0.1:{}", self.port))
                .await
                .unwrap();
            let streams = async_nats::jetstream::new(client).streams();
            streams
                .map(|info| info.unwrap().state.messages)
                .fold(0, async |sum, one| sum + one)
                .await
        })
    }

    pub(crate) fn connect(&self) -> Arc<BusConnection> {
        connect(self.port, 4, DEADLINE)
    }
}

impl Drop for NatsServer {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// One that lets everybody in.
pub(crate) fn plain_server(port: u16) -> LogServers {
    LogServers::parse(&format!("nats://127.0.0.1:{port}")).unwrap()
}

pub(crate) fn connect(port: u16, shards: u16, deadline: Duration) -> Arc<BusConnection> {
    let options = BusOptions {
        servers: plain_server(port),
        shards,
        deadline,
        ..BusOptions::default()
    };
    BusConnection::open(options).unwrap()
}

/// Starts a server and waits until it says that it is ready, and where.
fn run(folder: &Path, port: &str) -> (Child, u16) {
    let mut child = Command::new(program())
        .arg("--config")
        .arg(folder.join("config"))
        .args(["--addr", "127.0.0.1", "--port", port])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let (mut said, mut port) = (String::new(), None);
    loop {
        let line = lines
            .next()
            .unwrap_or_else(|| panic!("the server has ended:\n{said}"))
            .unwrap();
        if let Some((_, at)) = line.split_once("Listening for client connections on 127.0.0.1:") {
            port = at.trim().parse().ok();
        }
        if line.contains("Server is ready") {
            break;
        }
        said = format!("{said}{line}\n");
    }
    // It would wait for somebody who reads.
    thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
    (child, port.unwrap())
}

/// Servers that replace one another. They are killed when they are dropped.
pub(crate) struct NatsCluster(Vec<NatsServer>);

impl NatsCluster {
    /// One that syncs each message, or several that each have it.
    pub(crate) fn start(servers: usize) -> Self {
        if servers == 1 {
            return Self(vec![NatsServer::start()]);
        }
        // Free now; who takes one before its server does has that server end, and the test fail.
        let listeners: Vec<TcpListener> = (0..servers)
            .map(|_| TcpListener::bind("127.0.0.1:0").unwrap())
            .collect();
        let ports: Vec<u16> = listeners
            .iter()
            .map(|listener| listener.local_addr().unwrap().port())
            .collect();
        drop(listeners);
        let routes = ports.iter().map(|port| format!("\"nats://127.0.0.1:{port}\""));
        let routes = routes.collect::<Vec<_>>().join(", ");
        let start = |(number, port): (usize, &u16)| {
            let folder = TempDir::new().unwrap();
            let store = folder.path().join("store");
            let store = store.display();
            let config = format!(
                "server_name: n{number}\nmax_payload: 8MB\njetstream {{ store_dir: \"{store}\" }}\n\
                 cluster {{ name: aura, listen: \"127.0.0.1:{port}\", routes: [{routes}] }}\n"
            );
            fs::write(folder.path().join("config"), config).unwrap();
            let (child, port) = run(folder.path(), "-1");
            NatsServer { folder, child, port }
        };
        // Each waits for the others.
        thread::scope(|scope| {
            let starting: Vec<_> = ports
                .iter()
                .enumerate()
                .map(|server| scope.spawn(move || start(server)))
                .collect();
            Self(
                starting
                    .into_iter()
                    .map(|server| server.join().unwrap())
                    .collect(),
            )
        })
    }

    /// As on a command line.
    pub(crate) fn address(&self) -> String {
        let addresses = self
            .0
            .iter()
            .map(|server| format!("nats://127.0.0.1:{}", server.port));
        addresses.collect::<Vec<_>>().join(",")
    }

    pub(crate) fn kill(&mut self, server: usize) {
        self.0[server].kill();
    }

    pub(crate) fn start_again(&mut self, server: usize) {
        self.0[server].start_again();
    }

    pub(crate) fn servers(&self) -> usize {
        self.0.len()
    }
}

/// A way to the server on which answers are lost: asked to, it cuts the connection in place of passing the next bytes of the server on.
pub(crate) struct AnswerThief {
    pub(crate) port: u16,
    armed: Arc<AtomicBool>,
    stolen: Arc<AtomicU32>,
}

impl AnswerThief {
    pub(crate) fn before(server: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (armed, stolen) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU32::new(0)));
        let thief = Self {
            port,
            armed: Arc::clone(&armed),
            stolen: Arc::clone(&stolen),
        };
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let Ok(server) = TcpStream::connect(("127.0.0.1", server)) else {
                    continue;
                };
                let (mut from_client, mut to_server) =
                    (client.try_clone().unwrap(), server.try_clone().unwrap());
                // Until one of them ends.
                thread::spawn(move || io::copy(&mut from_client, &mut to_server));
                let (armed, stolen) = (Arc::clone(&armed), Arc::clone(&stolen));
                thread::spawn(move || pass_answers(&client, &server, &armed, &stolen));
            }
        });
        thief
    }

    pub(crate) fn steal_next_answer(&self) {
        self.armed.store(true, Ordering::SeqCst);
    }

    pub(crate) fn stolen(&self) -> u32 {
        self.stolen.load(Ordering::SeqCst)
    }
}

fn pass_answers(mut client: &TcpStream, mut server: &TcpStream, armed: &AtomicBool, stolen: &AtomicU32) {
    let mut bytes = [0; 16 << 10];
    while let Ok(count) = server.read(&mut bytes) {
        // What the server says of itself is no answer.
        let is_answer = bytes[..count].starts_with(b"MSG ") || bytes[..count].starts_with(b"HMSG ");
        if is_answer && armed.swap(false, Ordering::SeqCst) {
            stolen.fetch_add(1, Ordering::SeqCst);
            break;
        }
        if count == 0 || client.write_all(&bytes[..count]).is_err() {
            break;
        }
    }
    for end in [client, server] {
        // It may be closed.
        let _ = end.shutdown(Shutdown::Both);
    }
}
