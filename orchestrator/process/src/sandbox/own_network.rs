//! A network of a program's own, in which nothing is but one address.
//!
//! What: [`enter`], which leaves the computer's network for an empty one, listens there at [`PROXY`], and passes that listener to who started this
//! process. Why: a program that may reach some hosts must have no other way out than who connects it, and ordinary programs know how to ask
//! a proxy. Not here: who answers there (`aura_workflow::programs`), the sandbox that is entered afterwards (the parent module).
//!
//! A listener belongs to the network in which it was made: whoever takes its connections need not be in there.

use super::SandboxError;
use crate::descriptors::{pass_descriptor, receive_descriptor};
use nix::{
    sched::{CloneFlags, unshare},
    unistd::dup2_stdin,
};
use rustix::{
    net::{AddressFamily, RecvFlags, SendFlags, SocketType, recv, send, socket},
    process::{DumpableBehavior, getegid, geteuid, set_dumpable_behavior},
};
use std::{
    fs,
    io::{self, IsTerminal as _},
    net::{Ipv4Addr, SocketAddrV4, TcpListener},
};

/// Where a program in a network of its own finds who connects it: on its own loopback, which nobody else has.
pub const PROXY: SocketAddrV4 = SocketAddrV4::new(Ipv4Addr::LOCALHOST, 3128);

/// The environment by which ordinary programs find it: curl, git, Python, Go, Node and what is made with them.
pub const PROXY_VARIABLES: [(&str, &str); 7] = [
    ("http_proxy", PROXY_URL),
    ("https_proxy", PROXY_URL),
    ("all_proxy", PROXY_URL),
    ("HTTP_PROXY", PROXY_URL),
    ("HTTPS_PROXY", PROXY_URL),
    ("ALL_PROXY", PROXY_URL),
    ("NODE_USE_ENV_PROXY", "1"),
];
const PROXY_URL: &str = "http://127.0.0.1:3128";

/// For `map_err`: the step that failed.
fn step<E: Into<io::Error>>(step: &'static str) -> impl FnOnce(E) -> SandboxError {
    move |source| SandboxError::OwnNetwork {
        step,
        source: source.into(),
    }
}

/// Moves this process into a network of its own. Its standard input is a socket to who started it: over that the listener goes, and
/// the standard input comes that the program is to have. Before the sandbox, and while there is one thread.
///
/// # Errors
/// [`SandboxError::OwnNetwork`]: the process must end.
pub fn enter() -> Result<(), SandboxError> {
    let supervisor = io::stdin();
    if supervisor.is_terminal() {
        return Err(step("find who connects it")(io::Error::from(
            io::ErrorKind::NotConnected,
        )));
    }
    // Who it is outside is asked for before: inside nobody is anybody yet.
    let (user, group) = (geteuid().as_raw(), getegid().as_raw());
    unshare(CloneFlags::CLONE_NEWUSER | CloneFlags::CLONE_NEWNET).map_err(step("leave the network"))?;
    // Of a process that cannot be dumped these files are root's. It holds nothing but what the program is given, and the program can be.
    set_dumpable_behavior(DumpableBehavior::Dumpable).map_err(step("stay the same user"))?;
    for (path, line) in [
        ("/proc/self/setgroups", "deny".to_owned()),
        ("/proc/self/uid_map", format!("{user} {user} 1")),
        ("/proc/self/gid_map", format!("{group} {group} 1")),
    ] {
        fs::write(path, line).map_err(step("stay the same user"))?;
    }
    raise_loopback().map_err(step("raise its own loopback"))?;
    let listener = TcpListener::bind(PROXY).map_err(step("listen in its own network"))?;
    pass_descriptor(&supervisor, &listener).map_err(step("pass its listener on"))?;
    let input = receive_descriptor(&supervisor).map_err(step("take its standard input"))?;
    dup2_stdin(&input).map_err(step("take its standard input"))
}

/// The loopback is the first device of a network and is down at first. A netlink request (rtnetlink(7)): no other way but by `unsafe`.
fn raise_loopback() -> io::Result<()> {
    const LENGTH: u32 = 32;
    const NEW_LINK: u16 = 16;
    const REQUEST_AND_ANSWER: u16 = 1 | 4;
    const LOOPBACK: i32 = 1;
    const UP: u32 = 1;
    const ERROR: u16 = 2;
    let mut request = Vec::new();
    request.extend(LENGTH.to_ne_bytes());
    request.extend(NEW_LINK.to_ne_bytes());
    request.extend(REQUEST_AND_ANSWER.to_ne_bytes());
    // Its number, and who asks: the kernel fills that in.
    request.extend([1_u32, 0].map(u32::to_ne_bytes).concat());
    // Of no family and no type.
    request.extend([0; 4]);
    request.extend(LOOPBACK.to_ne_bytes());
    // The flags, and which of them are set.
    request.extend([UP, UP].map(u32::to_ne_bytes).concat());
    // Of the protocol 0: what routes.
    let kernel = socket(AddressFamily::NETLINK, SocketType::RAW, None)?;
    send(&kernel, &request, SendFlags::empty())?;
    let mut answer = [0; 256];
    let (length, _) = recv(&kernel, &mut answer, RecvFlags::empty())?;
    let answer = answer.get(..length).unwrap_or_default();
    let kind = answer.get(4..6).and_then(|bytes| bytes.try_into().ok());
    let code = answer.get(16..20).and_then(|bytes| bytes.try_into().ok());
    match (kind.map(u16::from_ne_bytes), code.map(i32::from_ne_bytes)) {
        (Some(ERROR), Some(0)) => Ok(()),
        (Some(ERROR), Some(code)) => Err(io::Error::from_raw_os_error(code.saturating_neg())),
        _ => Err(io::ErrorKind::InvalidData.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_names_where_it_listens() {
        assert_eq!(PROXY_URL, format!("http://{PROXY}"));
    }
}
