//! What the owner says of a program that is to be an agent.
//!
//! What: [`ProgramManifest`], one TOML file, read and checked. Why: a program is started only as its owner wrote down: what it may be
//! asked, what it may read, how much it may use. Not here: finding the files, starting the program (`aura_workflow::programs`).

use super::TaskType;
use crate::names::closed_enum;
use serde::Deserialize;
use std::{collections::BTreeSet, fmt, net::Ipv6Addr};

/// The longest manifest, in bytes.
pub const MANIFEST_MAX_BYTES: usize = 16 * 1024;

/// The skill that an agent of the envelope protocol must declare.
pub const SKILL: &str = "agent-protocol";

closed_enum!(
    /// Which messages it speaks.
    Protocol {
        /// Requests and responses of the base communication schema.
        Base = "base",
        /// Envelopes of ADR-007.
        Envelope = "envelope",
    }
);

closed_enum!(
    /// How it is asked.
    Mode {
        /// It is started for each asking: one document in, one document out, and it ends.
        Once = "once",
        /// It goes on and is asked in lines, several at a time.
        Lines = "lines",
    }
);

/// The most hosts that one program may reach.
const HOSTS_MAX: usize = 64;

/// What of the network a program may reach.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(from = "WrittenReach")]
pub enum NetworkReach {
    /// All of it, or nothing.
    All(bool),
    /// These hosts alone, through who runs it. None: what was written names no host, one twice, or too many, and is a fault.
    Hosts(BTreeSet<NetworkHost>),
}

/// [`NetworkReach`] as a manifest has it: hosts are `host:port` each.
#[derive(Deserialize)]
#[serde(untagged)]
enum WrittenReach {
    All(bool),
    Hosts(Vec<String>),
}

impl From<WrittenReach> for NetworkReach {
    fn from(written: WrittenReach) -> Self {
        match written {
            WrittenReach::All(all) => Self::All(all),
            WrittenReach::Hosts(named) => {
                let hosts: BTreeSet<_> = named.iter().filter_map(|host| NetworkHost::parse(host)).collect();
                let is_good = hosts.len() == named.len() && hosts.len() <= HOSTS_MAX;
                Self::Hosts(if is_good { hosts } else { BTreeSet::new() })
            }
        }
    }
}

impl Default for NetworkReach {
    fn default() -> Self {
        Self::All(false)
    }
}

impl NetworkReach {
    /// The hosts that are named; none where all or nothing may be reached.
    pub fn hosts(&self) -> Option<&BTreeSet<NetworkHost>> {
        match self {
            NetworkReach::All(_) => None,
            NetworkReach::Hosts(hosts) => Some(hosts),
        }
    }
}

/// A host and a port. Names are small letters, without the last dot.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct NetworkHost {
    pub host: String,
    pub port: u16,
}

impl NetworkHost {
    /// Reads `example.org:443`, `192.0.2.1:80` or `[2001:db8::1]:443`; `None`: it is none of them.
    pub fn parse(text: &str) -> Option<Self> {
        let (host, port) = text.rsplit_once(':')?;
        let is_number = !port.starts_with('0') && port.bytes().all(|byte| byte.is_ascii_digit());
        let port = port.parse().ok().filter(|_| is_number)?;
        if let Some(address) = host.strip_prefix('[') {
            let address: Ipv6Addr = address.strip_suffix(']')?.parse().ok()?;
            let host = address.to_string();
            return Some(Self { host, port });
        }
        let host = host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase();
        let is_label = |label: &str| {
            let may = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
            (1..=63).contains(&label.len()) && label.bytes().all(may)
        };
        (host.len() <= 253 && host.split('.').all(is_label)).then_some(Self { host, port })
    }
}

impl fmt::Display for NetworkHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.host.contains(':') {
            write!(f, "[{}]:{}", self.host, self.port)
        } else {
            write!(f, "{}:{}", self.host, self.port)
        }
    }
}

/// How much it may use. What is not named has the value that stands here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ResourceLimits {
    /// MiB of memory that it and what it starts have together, 16 to 65 536.
    pub memory_mib: u32,
    /// MiB that it may keep in its folder, 1 to 65 536.
    pub disk_mib: u32,
    /// Seconds of processor time in its whole life, 1 to 3600.
    pub cpu_s: u32,
    /// Seconds until it must have answered what it was asked, 1 to 3600.
    pub wall_s: u32,
}

impl Default for ResourceLimits {
    fn default() -> Self {
        Self {
            memory_mib: 2048,
            disk_mib: 1024,
            cpu_s: 60,
            wall_s: 120,
        }
    }
}

/// A program that is an agent.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProgramManifest {
    /// How workflows and commands call it: 1 to 40 of `a-z0-9-`.
    pub name: String,
    /// What it speaks.
    pub protocol: Protocol,
    /// How it is asked; absent: once.
    #[serde(default = "once")]
    pub mode: Mode,
    /// The program and its arguments. A program without `/` is looked for beside the binary `aura`, then in the system's folders, another one beside the manifest.
    pub command: Vec<String>,
    /// What it can be asked (envelope).
    #[serde(default)]
    pub actions: Vec<String>,
    /// What it can be asked (base).
    #[serde(default)]
    pub task_types: Vec<TaskType>,
    /// What it knows; of the envelope protocol `agent-protocol`.
    #[serde(default)]
    pub skills: Vec<String>,
    /// Folders in which the paths that it is given must lie, from the manifest's own folder. It may read them.
    #[serde(default)]
    pub roots: Vec<String>,
    /// Variables of the environment that it is given as they are; it has no others of the owner's.
    #[serde(default)]
    pub env: Vec<String>,
    /// What of the network it may reach.
    #[serde(default)]
    pub network: NetworkReach,
    /// Whether the hosts of `network` may be on this computer or in a network of the owner's own.
    #[serde(default)]
    pub private: bool,
    /// A message that it can be tried with, from the manifest's own folder.
    #[serde(default)]
    pub example: Option<String>,
    /// How much it may use.
    #[serde(default)]
    pub limits: ResourceLimits,
}

fn once() -> Mode {
    Mode::Once
}

/// A manifest that cannot be used. Names the member, never what stands there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProgramManifestError {
    /// Not the TOML of a manifest.
    #[error(
        "PROGRAM-001: line {line}: a member is missing, unknown or of another type ({what}); write it like agents/programs/shell-notes/agent.toml"
    )]
    Malformed {
        /// From 1.
        line: usize,
        /// In the parser's words, without the text itself.
        what: &'static str,
    },
    /// One member is not as it has to be.
    #[error("PROGRAM-001: {member} must be {must}")]
    Member {
        member: &'static str,
        /// What it has to be.
        must: &'static str,
    },
}

fn is_name(text: &str) -> bool {
    let may = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (1..=40).contains(&text.len()) && text.bytes().all(may)
}

/// One line of printable characters.
fn is_word(text: &str) -> bool {
    (1..=512).contains(&text.len()) && !text.chars().any(char::is_control)
}

fn is_variable(text: &str) -> bool {
    let may = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    (1..=64).contains(&text.len()) && text.bytes().all(may)
}

fn is_set(all: &[impl Ord], most: usize) -> bool {
    all.len() <= most && all.iter().collect::<BTreeSet<_>>().len() == all.len()
}

impl ProgramManifest {
    /// Reads and checks one.
    ///
    /// # Errors
    /// `PROGRAM-001` with the line or the member.
    pub fn parse(text: &str) -> Result<Self, ProgramManifestError> {
        if text.len() > MANIFEST_MAX_BYTES {
            return Err(ProgramManifestError::Member {
                member: "the file",
                must: "at most 16 KiB",
            });
        }
        let manifest: Self = toml::from_str(text).map_err(|error| {
            let before = error.span().and_then(|span| text.get(..span.start));
            ProgramManifestError::Malformed {
                line: before.unwrap_or_default().split('\n').count(),
                what: if error.message().contains("unknown field") {
                    "unknown"
                } else if error.message().contains("missing field") {
                    "missing"
                } else {
                    "of another type"
                },
            }
        })?;
        manifest.check()?;
        Ok(manifest)
    }

    fn check(&self) -> Result<(), ProgramManifestError> {
        let limits = self.limits;
        let (envelope, base) = (
            self.protocol == Protocol::Envelope,
            self.protocol == Protocol::Base,
        );
        for (holds, member, must) in [
            (is_name(&self.name), "name", "1 to 40 of a-z, 0-9 and -"),
            (
                (1..=64).contains(&self.command.len()) && self.command.iter().all(|word| is_word(word)),
                "command",
                "a program and its arguments, each 1 to 512 printable characters",
            ),
            (
                !envelope || (!self.actions.is_empty() && self.task_types.is_empty()),
                "actions",
                "what an agent of the envelope protocol can be asked, and task_types absent",
            ),
            (
                !base || (!self.task_types.is_empty() && self.actions.is_empty()),
                "task_types",
                "what an agent of the base protocol can be asked, and actions absent",
            ),
            (
                is_set(&self.actions, 64) && self.actions.iter().all(|action| is_word(action)),
                "actions",
                "at most 64, each once",
            ),
            (is_set(&self.task_types, 5), "task_types", "each once"),
            (
                !envelope || self.skills.iter().any(|skill| skill == SKILL),
                "skills",
                "[\"agent-protocol\"] for an agent of the envelope protocol",
            ),
            (
                is_set(&self.roots, 64) && self.roots.iter().all(|root| is_word(root)),
                "roots",
                "at most 64 folders, each once",
            ),
            (
                is_set(&self.env, 64) && self.env.iter().all(|name| is_variable(name)),
                "env",
                "at most 64 names of A-Z, 0-9 and _, each once",
            ),
            (
                self.network.hosts().is_none_or(|hosts| !hosts.is_empty()),
                "network",
                "true, false, or 1 to 64 of \"host:port\", each once",
            ),
            (
                !self.private || self.network.hosts().is_some(),
                "private",
                "absent where network names no hosts",
            ),
            (
                (1..=65_536).contains(&limits.disk_mib),
                "limits.disk_mib",
                "1 to 65536",
            ),
            (
                (16..=65_536).contains(&limits.memory_mib),
                "limits.memory_mib",
                "16 to 65536",
            ),
            ((1..=3600).contains(&limits.cpu_s), "limits.cpu_s", "1 to 3600"),
            ((1..=3600).contains(&limits.wall_s), "limits.wall_s", "1 to 3600"),
        ] {
            if !holds {
                return Err(ProgramManifestError::Member { member, must });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"
name = "spec-validator"
protocol = "envelope"
skills = ["agent-protocol"]
command = ["python3", "validate.py"]
actions = ["validate"]
roots = ["../specs"]
"#;

    #[test]
    fn what_is_not_named_has_its_stated_value() {
        let manifest = ProgramManifest::parse(GOOD).unwrap();
        assert_eq!(
            (
                manifest.mode,
                manifest.network.clone(),
                manifest.env.len(),
                manifest.limits
            ),
            (
                Mode::Once,
                NetworkReach::All(false),
                0,
                ResourceLimits {
                    memory_mib: 2048,
                    disk_mib: 1024,
                    cpu_s: 60,
                    wall_s: 120
                }
            )
        );
    }

    #[test]
    fn a_host_is_read_in_one_way() {
        for (text, read) in [
            ("example.org:443", Some("example.org:443")),
            ("Example.ORG.:443", Some("example.org:443")),
            ("192.0.2.1:80", Some("192.0.2.1:80")),
            ("[2001:DB8:0::1]:443", Some("[2001:db8::1]:443")),
            ("localhost:8123", Some("localhost:8123")),
            ("example.org", None),
            ("example.org:", None),
            ("example.org:0", None),
            ("example.org:0443", None),
            ("example.org:+443", None),
            ("example.org:65536", None),
            (":443", None),
            ("*.example.org:443", None),
            ("https://example.org:443", None),
            ("user@example.org:443", None),
            ("2001:db8::1:443", None),
            ("[::1:443", None),
            ("a..b:443", None),
        ] {
            let host = NetworkHost::parse(text).map(|host| host.to_string());
            assert_eq!(host.as_deref(), read, "{text}");
        }
        let text = format!("{GOOD}network = [\"example.org:443\", \"a.org:1\"]\nprivate = true\n");
        let read = ProgramManifest::parse(&text).unwrap().network;
        let named = read.hosts().unwrap().iter().map(NetworkHost::to_string);
        assert_eq!(named.collect::<Vec<_>>(), ["a.org:1", "example.org:443"]);
    }

    #[test]
    fn each_fault_names_its_line_or_member() {
        for (from, to, named) in [
            ("protocol = \"envelope\"", "protocol = \"http\"", "line 3"),
            ("roots =", "root =", "line 7"),
            ("roots =", "mode = \"stream\"\nroots =", "line 7"),
            ("name = \"spec-validator\"", "", "line 1"),
            ("spec-validator", "Spec Validator", "name must"),
            ("[\"python3\", \"validate.py\"]", "[]", "command must"),
            ("[\"agent-protocol\"]", "[\"other\"]", "skills must"),
            ("[\"validate\"]", "[]", "actions must"),
            ("[\"validate\"]", "[\"a\", \"a\"]", "actions must"),
            ("roots = [\"../specs\"]", "env = [\"path\"]", "env must"),
            (
                "roots = [\"../specs\"]",
                "[limits]\nwall_s = 0",
                "limits.wall_s must",
            ),
            (
                "roots = [\"../specs\"]",
                "task_types = [\"test\"]",
                "actions must",
            ),
            ("\"envelope\"", "\"base\"", "task_types must"),
            ("roots =", "network = 1\nroots =", "line 7"),
            ("roots =", "network = []\nroots =", "network must"),
            ("roots =", "network = [\"example.org\"]\nroots =", "network must"),
            (
                "roots =",
                "network = [\"a.org:1\", \"A.org.:1\"]\nroots =",
                "network must",
            ),
            ("roots =", "private = true\nroots =", "private must"),
        ] {
            let text = GOOD.replacen(from, to, 1);
            let error = ProgramManifest::parse(&text).unwrap_err().to_string();
            assert!(
                error.starts_with("PROGRAM-001: ") && error.contains(named),
                "{to}: {error}"
            );
        }
    }
}
