//! Opening the owner's browser.
//!
//! What: [`BrowserChoice`], which browser could be opened here, or why none; [`open`]. Why: an address in a terminal is a step more that
//! nobody needs who sits before a screen; where nobody does, a browser would open for no one. Not here: which page (`open`).

use std::{
    ffi::{OsStr, OsString},
    net::IpAddr,
    os::unix::process::CommandExt as _,
    process::{Command, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};
use surfaces_base::language::say;

/// What opens an address with the desktop's own browser.
const DESKTOP_OPENER: &str = "xdg-open";

/// How long is waited for an opener that fails. One that works may stay for as long as its browser.
const FAILS_WITHIN: Duration = Duration::from_secs(2);

/// Whether a browser can be opened here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum BrowserChoice {
    /// The program with its arguments; `%s` stands for the address, which else comes last.
    Program(Vec<OsString>),
    /// This is a service manager's.
    ServiceManager,
    /// Whoever reads this sits before another computer.
    Remote,
    /// There is no screen.
    NoScreen,
}

impl BrowserChoice {
    /// By the environment. `INVOCATION_ID` is also inherited by terminals that a desktop starts as a unit: with a terminal it says nothing.
    pub(super) fn from_environment(
        variable: &dyn Fn(&str) -> Option<OsString>,
        has_terminal: bool,
    ) -> BrowserChoice {
        let is_set = |name| variable(name).is_some_and(|value| !value.is_empty());
        if is_set("NOTIFY_SOCKET") || (is_set("INVOCATION_ID") && !has_terminal) {
            return BrowserChoice::ServiceManager;
        }
        if is_set("SSH_CONNECTION") || is_set("SSH_TTY") {
            return BrowserChoice::Remote;
        }
        if !is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY") {
            return BrowserChoice::NoScreen;
        }
        // A list with colons between; the first is meant.
        let wish = variable("BROWSER").and_then(|wish| wish.into_string().ok());
        let wish = wish.as_deref().and_then(|wish| wish.split(':').next());
        let words: Vec<OsString> = wish
            .unwrap_or_default()
            .split_whitespace()
            .map(OsString::from)
            .collect();
        BrowserChoice::Program(if words.is_empty() {
            vec![DESKTOP_OPENER.into()]
        } else {
            words
        })
    }
}

/// Opens an address. False: that program is not there, or says that it could not.
pub(super) fn open(program: &[OsString], address: &str) -> bool {
    let Some((name, arguments)) = program.split_first() else {
        return false;
    };
    let mut command = Command::new(name);
    let mut is_placed = false;
    for argument in arguments {
        if argument == OsStr::new("%s") {
            is_placed = true;
            command.arg(address);
        } else {
            command.arg(argument);
        }
    }
    if !is_placed {
        command.arg(address);
    }
    // Of a process group of its own: Ctrl-C in this terminal is not for it.
    command.process_group(0);
    let nothing = [Stdio::null(), Stdio::null(), Stdio::null()];
    let [input, output, errors] = nothing;
    let Ok(mut child) = command.stdin(input).stdout(output).stderr(errors).spawn() else {
        return false;
    };
    let (tell, told) = mpsc::channel();
    let waiting = thread::Builder::new().spawn(move || {
        // Nobody waits any more when it ends later.
        let _ = tell.send(child.wait().is_ok_and(|status| status.success()));
    });
    waiting.is_ok() && told.recv_timeout(FAILS_WITHIN).unwrap_or(true)
}

/// What makes a page of this computer's reachable from the one that somebody sits before.
pub(super) fn over_ssh(page: &str) -> String {
    let authority = page.split('/').nth(2).unwrap_or_default();
    let port = authority.rsplit(':').next().unwrap_or_default();
    say!("cli-browser-over-ssh", port)
}

/// What another device needs before it reaches this computer, at the address that this SSH session came to; `None` where that address leads nowhere else.
/// `connection` is `SSH_CONNECTION`: address and port there, address and port here.
pub(super) fn for_another_device(connection: &str) -> Option<String> {
    let here = connection.split_whitespace().nth(2)?;
    let here = here.split('%').next()?.parse::<IpAddr>().ok()?.to_canonical();
    let is_outside = !here.is_loopback() && !here.is_unspecified();
    is_outside.then(|| say!("cli-browser-another-device", address = here.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(set: &[(&str, &str)], has_terminal: bool) -> BrowserChoice {
        let variable = |name: &str| {
            let found = set.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| OsString::from(value))
        };
        BrowserChoice::from_environment(&variable, has_terminal)
    }

    fn program(words: &[&str]) -> BrowserChoice {
        BrowserChoice::Program(words.iter().map(OsString::from).collect())
    }

    #[test]
    fn browser_is_opened_only_where_somebody_sits_before_a_screen() {
        let screen = ("DISPLAY", ":0");
        for (set, has_terminal, expected) in [
            (&[][..], true, BrowserChoice::NoScreen),
            (&[("DISPLAY", "")], true, BrowserChoice::NoScreen),
            (&[screen], true, program(&["xdg-open"])),
            (&[screen], false, program(&["xdg-open"])),
            (&[("WAYLAND_DISPLAY", "wayland-0")], true, program(&["xdg-open"])),
            (
                &[screen, ("BROWSER", "firefox --new-tab %s:w3m")],
                true,
                program(&["firefox", "--new-tab", "%s"]),
            ),
            (&[screen, ("BROWSER", "")], true, program(&["xdg-open"])),
            (
                &[screen, ("SSH_CONNECTION", "a 1 b 2")],
                true,
                BrowserChoice::Remote,
            ),
            (&[screen, ("SSH_TTY", "/dev/pts/1")], true, BrowserChoice::Remote),
            (
                &[screen, ("NOTIFY_SOCKET", "/run/n")],
                true,
                BrowserChoice::ServiceManager,
            ),
            (
                &[screen, ("INVOCATION_ID", "ab")],
                false,
                BrowserChoice::ServiceManager,
            ),
            (&[screen, ("INVOCATION_ID", "ab")], true, program(&["xdg-open"])),
            (&[("BROWSER", "firefox")], true, BrowserChoice::NoScreen),
        ] {
            assert_eq!(choice(set, has_terminal), expected, "{set:?} {has_terminal}");
        }
    }

    #[test]
    fn an_address_that_ssh_came_to_is_named_where_it_leads_here_from_elsewhere() {
        for (connection, named) in [
            ("192.0.2.9 50000 192.0.2.5 22", Some("192.0.2.5")),
            ("2001:db8::9 50000 2001:db8::5 22", Some("2001:db8::5")),
            ("fe80::9%eth0 50000 fe80::5%eth0 22", Some("fe80::5")),
            ("::ffff:192.0.2.9 1 ::ffff:192.0.2.5 22", Some("192.0.2.5")),
            ("::1 1 ::1 22", None),
            ("127.0.0.1 1 127.0.0.1 22", None),
            ("a 1 b 2", None),
            ("", None),
        ] {
            let said = for_another_device(connection);
            assert_eq!(said.is_some(), named.is_some(), "{connection}");
            let address = named.map(|address| format!(" at {address}. "));
            assert!(
                said.unwrap_or_default().contains(&address.unwrap_or_default()),
                "{connection}"
            );
        }
    }

    #[test]
    fn opener_that_fails_or_is_not_there_is_told_from_one_that_works() {
        for (program, opened) in [
            (&["true"][..], true),
            (&["false"], false),
            (&["/nonexistent/browser"], false),
            (&["test", "%s", "=", "http://aura/"], true),
            (&["test", "http://aura/", "="], true),
            (&[], false),
        ] {
            let program: Vec<OsString> = program.iter().map(OsString::from).collect();
            assert_eq!(open(&program, "http://aura/"), opened, "{program:?}");
        }
    }
}
