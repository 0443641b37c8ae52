//! Owners whom several hosts have, and those hosts as processes.
//!
//! What: [`SharedFolders`], a folder of the same owners for each host, and [`SharedHost`], one that runs. Why: what is claimed of hosts is tested on
//! processes. Not here: any claim.

use super::service::{HttpRequest, command, until};
use aura_hosts::{HostKey, HostPublicKey, shard_of_name};
use aura_memory::{Vault, WRITES_FORMAT, vault::NewPlace};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::{
    fs,
    io::{BufRead as _, BufReader},
    net::TcpListener,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::{Child, Stdio},
    thread,
    time::Duration,
};
use tempfile::TempDir;

/// Into how many shards hosts divide owners in tests.
pub(crate) const SHARDS: u16 = 16;

/// The owners' keys, and their folders on each host.
pub(crate) struct SharedFolders {
    dir: TempDir,
    pub(crate) names: Vec<String>,
}

impl SharedFolders {
    pub(crate) fn new(count: usize) -> Self {
        let dir = TempDir::new().unwrap();
        // Of two hosts, each has every second one.
        let mut candidates = (0..).map(|owner| format!("owner-{owner:04}"));
        let is_high = |name: &String| shard_of_name(name, SHARDS) >= SHARDS / 2;
        let next = |owner| candidates.find(|name| is_high(name) == (owner % 2 == 1)).unwrap();
        let names: Vec<String> = (0..count).map(next).collect();
        for folder in ["keys", "made"] {
            fs::create_dir(dir.path().join(folder)).unwrap();
        }
        for name in &names {
            let key = dir.path().join("keys").join(name);
            Vault::create(&dir.path().join("made").join(name), &NewPlace::File(key)).unwrap();
        }
        Self { dir, names }
    }

    /// The owners' folder of a host.
    pub(crate) fn of_host(&self, host: usize) -> PathBuf {
        self.dir.path().join(format!("host-{host}"))
    }

    /// Gives a host a folder of an owner, with her key box and a configuration.
    pub(crate) fn add(&self, host: usize, name: &str) {
        let data = self.of_host(host).join(name);
        fs::create_dir_all(&data).unwrap();
        fs::set_permissions(&data, fs::Permissions::from_mode(0o700)).unwrap();
        fs::copy(
            self.dir.path().join("made").join(name).join("key"),
            data.join("key"),
        )
        .unwrap();
        let home = format!("zone = \"UTC\"\n[web]\nhosts = [\"{}\"]\n", page_name(name));
        fs::write(data.join("home.toml"), home).unwrap();
    }

    pub(crate) fn add_all(&self, hosts: usize) {
        for host in 0..hosts {
            for name in &self.names {
                self.add(host, name);
            }
        }
    }

    /// The file with a host's key, and what others know it by.
    pub(crate) fn host_key(&self, host: usize) -> (PathBuf, HostPublicKey) {
        let file = self.dir.path().join(format!("host-{host}.key"));
        let key = HostKey::load_or_make(&file).unwrap();
        (file, key.public())
    }

    /// A host as others name it on their command lines.
    pub(crate) fn peer(&self, host: usize, address: &str) -> String {
        format!("{address}={}", self.host_key(host).1)
    }

    pub(crate) fn log_file(&self) -> PathBuf {
        self.dir.path().join("log.db")
    }
}

/// The name under which her pages are on each host, whatever its port.
pub(crate) fn page_name(owner: &str) -> String {
    format!("{owner}.test")
}

/// Ports that are free now, one for each host.
pub(crate) fn free_ports(count: usize) -> Vec<u16> {
    let listeners: Vec<TcpListener> = (0..count)
        .map(|_| TcpListener::bind("127.0.0.1:0").unwrap())
        .collect();
    let port = |listener: &TcpListener| listener.local_addr().unwrap().port();
    listeners.iter().map(port).collect()
}

/// A host that runs. It is killed when this is dropped.
pub(crate) struct SharedHost {
    child: Child,
    pub(crate) port: u16,
    pub(crate) owners: PathBuf,
}

impl SharedHost {
    pub(crate) fn start(owners: &Path, more: &[&str]) -> Self {
        Self::start_version(owners, more, WRITES_FORMAT)
    }

    /// One that writes and reads this format of entries.
    pub(crate) fn start_version(owners: &Path, more: &[&str], format: u32) -> Self {
        let count = SHARDS.to_string();
        let shards: &[&str] = if more.contains(&"--shards") {
            &[]
        } else {
            &["--shards", &count]
        };
        let mut child = command(&["host", "--port", "0", "--json", "--owners"])
            .arg(owners)
            .args(shards)
            .args(more)
            .env("AURA_TEST_WRITES_FORMAT", format.to_string())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut said = BufReader::new(child.stdout.take().unwrap());
        said.read_line(&mut line).unwrap();
        let ready: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("not ready: {line:?}"));
        // It would end by writing to nobody.
        thread::spawn(move || said.lines().map_while(Result::ok).for_each(drop));
        Self {
            child,
            port: u16::try_from(ready["port"].as_u64().unwrap()).unwrap(),
            owners: owners.to_owned(),
        }
    }

    /// One request of an owner's: status and body; status 0 where the connection ended without an answer.
    pub(crate) fn request(
        &self,
        owner: &str,
        token: &str,
        (method, path): (&str, &str),
        body: Option<&Value>,
    ) -> (u16, Value) {
        let host = page_name(owner);
        let asked = HttpRequest {
            port: self.port,
            host: Some(&host),
            token,
            headers: "",
            patience: Duration::from_secs(20),
        };
        asked.send(method, path, body)
    }

    /// What the host says of each owner.
    fn rows(&self) -> Vec<Value> {
        let listed = command(&["owner", "list", "--json", "--owners"])
            .arg(&self.owners)
            .output()
            .unwrap();
        let lines = String::from_utf8(listed.stdout).unwrap();
        let row = |line| serde_json::from_str(line).unwrap();
        lines.lines().map(row).collect()
    }

    /// What the host says of one owner.
    pub(crate) fn listed(&self, owner: &str) -> Option<Value> {
        self.rows().into_iter().find(|row| row["name"] == *owner)
    }

    /// How each owner stands, as the host says.
    pub(crate) fn states(&self) -> Vec<(String, String)> {
        let text = |row: &Value, field: &str| row[field].as_str().unwrap().to_owned();
        let rows = self.rows();
        rows.iter()
            .map(|row| (text(row, "name"), text(row, "state")))
            .collect()
    }

    /// Who is served by this host.
    pub(crate) fn served(&self) -> Vec<String> {
        let states = self.states().into_iter();
        let served = states.filter(|(_, state)| state == "serving" || state == "parked");
        served.map(|(name, _)| name).collect()
    }

    /// A token for an owner; `None`: she is not served here.
    pub(crate) fn new_token(&self, owner: &str) -> Option<String> {
        let added = command(&["device", "add", "Tests", "--scope", "owner", "--json", "--data"])
            .arg(self.owners.join(owner))
            .output()
            .unwrap();
        let added: Value = serde_json::from_slice(&added.stdout).ok()?;
        Some(added["token"].as_str()?.to_owned())
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    pub(crate) fn process(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn has_ended(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// Waits for its end, and gives its exit code; `None`: a signal.
    pub(crate) fn end(mut self) -> Option<i32> {
        until("end of the host", || self.child.try_wait().unwrap()).code()
    }
}

impl Drop for SharedHost {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
