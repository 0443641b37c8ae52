//! A child process, with all that it starts.
//!
//! What: [`ChildProcess`]: its own process group, killed when it is dropped; waiting for it, blocking, with a deadline or not
//! blocking; how it ended, in words. Why: agents, the model, programs of workflows and what speaks or fetches are started and
//! ended in one way. Not here: what is said to it (`link`, `llm`), starting it again (`supervisor`), its limits (`sandbox`).

use rustix::{
    io::retry_on_intr,
    process::{
        Pid, Signal, WaitId, WaitIdOptions, WaitOptions, kill_process, kill_process_group, setpgid, waitid,
        waitpid,
    },
};
use std::{
    io,
    os::unix::process::{CommandExt as _, ExitStatusExt as _},
    process::{ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus},
    sync::mpsc,
    thread,
    time::Instant,
};
use tokio::task::spawn_blocking;

/// A process. Dropping it kills it and what it started. The kernel may end it with the thread that started it.
#[derive(Debug)]
pub struct ChildProcess {
    pid: Pid,
    stdin: Option<ChildStdin>,
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    has_own_group: bool,
    /// How it ended, once it was taken from the process table: its number may be somebody else's then.
    ended: Option<ExitStatus>,
}

impl ChildProcess {
    /// Starts a process in a group of its own, in which what it starts lives and dies with it.
    ///
    /// # Errors
    /// It could not be started.
    pub fn spawn(command: &mut Command) -> io::Result<Self> {
        Self::started(command.process_group(0), true)
    }

    /// Starts a process in our own group: the key that ends a command at the terminal ends it too.
    ///
    /// # Errors
    /// It could not be started.
    pub(crate) fn spawn_in_our_group(command: &mut Command) -> io::Result<Self> {
        Self::started(command, false)
    }

    fn started(command: &mut Command, has_own_group: bool) -> io::Result<Self> {
        let mut child = command.spawn()?;
        Ok(Self {
            pid: Pid::from_child(&child),
            stdin: child.stdin.take(),
            stdout: child.stdout.take(),
            stderr: child.stderr.take(),
            has_own_group,
            ended: None,
        })
    }

    /// A child of this process that another one made, and that leads or will lead a group of its own.
    pub(crate) fn adopt(pid: Pid) -> Self {
        // The child does the same. It may have ended already.
        let _ = setpgid(Some(pid), Some(pid));
        Self {
            pid,
            stdin: None,
            stdout: None,
            stderr: None,
            has_own_group: true,
            ended: None,
        }
    }

    pub fn id(&self) -> u32 {
        self.pid.as_raw_nonzero().get().cast_unsigned()
    }

    /// Its number, which is also that of its group.
    pub fn pid(&self) -> Pid {
        self.pid
    }

    pub fn take_stdin(&mut self) -> Option<ChildStdin> {
        self.stdin.take()
    }

    pub fn take_stdout(&mut self) -> Option<ChildStdout> {
        self.stdout.take()
    }

    pub fn take_stderr(&mut self) -> Option<ChildStderr> {
        self.stderr.take()
    }

    /// Kills it and what it started.
    pub fn kill(&self) {
        if self.ended.is_some() {
            return;
        }
        // It may have ended already; what it started has perhaps not.
        let _ = if self.has_own_group {
            kill_process_group(self.pid(), Signal::KILL)
        } else {
            kill_process(self.pid(), Signal::KILL)
        };
    }

    /// Kills it and what it started, and says how it ended. What it ended with by itself stays.
    ///
    /// # Errors
    /// The system does not say.
    pub fn end(&mut self) -> io::Result<ExitStatus> {
        if let Some(status) = self.ended {
            return Ok(status);
        }
        self.kill();
        // It has ended or was just killed: this takes no longer than the kernel needs.
        let ended = retry_on_intr(|| waitpid(Some(self.pid), WaitOptions::empty()))?;
        let (_, status) = ended.ok_or(io::ErrorKind::WouldBlock)?;
        Ok(*self.ended.insert(ExitStatus::from_raw(status.as_raw())))
    }

    /// The same, without blocking; `None`: the system does not say.
    pub async fn end_async(mut self) -> Option<ExitStatus> {
        spawn_blocking(move || self.end()).await.ok()?.ok()
    }

    /// Waits until it ends by itself. What it started ends with it.
    ///
    /// # Errors
    /// The system does not say.
    pub fn wait(&mut self) -> io::Result<ExitStatus> {
        self.exit()()?;
        self.end()
    }

    /// The same, at most until then; `None`: it lives on.
    pub fn wait_until(&mut self, until: Instant) -> Option<ExitStatus> {
        let (tell, told) = mpsc::channel();
        let exit = self.exit();
        // The thread ends with the process. Nobody listens any more when the time is over.
        thread::spawn(move || drop(exit().map(|()| tell.send(()))));
        let left = until.saturating_duration_since(Instant::now());
        told.recv_timeout(left).ok()?;
        self.end().ok()
    }

    /// The same as [`Self::wait`], without blocking. Can be cancelled at any time.
    ///
    /// # Errors
    /// The system does not say.
    pub async fn wait_async(&mut self) -> io::Result<ExitStatus> {
        spawn_blocking(self.exit()).await??;
        self.end()
    }

    /// Waits for its end, on any thread, and leaves it in the process table, so that its number stays its own.
    fn exit(&self) -> impl FnOnce() -> io::Result<()> + Send + use<> {
        let pid = self.pid();
        move || {
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
            retry_on_intr(|| waitid(WaitId::Pid(pid), options))?;
            Ok(())
        }
    }
}

impl Drop for ChildProcess {
    fn drop(&mut self) {
        // It is gone at once, since it was killed; left unwaited for, it would stay in the process table for as long as this process lives.
        let _ = self.end();
    }
}

/// How a process ended, in words.
pub fn in_words(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => "an unknown end".to_owned(),
    }
}

/// Whether a process that ended by itself did so by its own fault: an exit code, an abort, a bad access, too much CPU
/// time, a forbidden system call. A signal that somebody sent (SIGKILL, SIGTERM) says nothing about what it was doing.
pub(super) fn is_own_fault(status: ExitStatus) -> bool {
    let sent = [Signal::KILL, Signal::TERM, Signal::INT, Signal::HUP, Signal::QUIT];
    status
        .signal()
        .is_none_or(|signal| sent.iter().all(|sent| sent.as_raw() != signal))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::{
        io::Errno,
        process::{getpgid, getpgrp},
    };
    use std::{
        io::{BufRead as _, BufReader, Read as _},
        process::Stdio,
        time::Duration,
    };

    /// A shell that starts a second process, which holds its output, and then does what it is told.
    fn shell(then: &str) -> (ChildProcess, BufReader<ChildStdout>) {
        let mut command = Command::new("sh");
        command.args(["-c", &format!("sleep 600 & echo begun; {then}")]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = ChildProcess::spawn(&mut command).unwrap();
        let mut output = BufReader::new(child.take_stdout().unwrap());
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        assert_eq!(line, "begun\n");
        (child, output)
    }

    /// Comes back when nobody holds the output any more.
    fn until_closed(mut output: BufReader<ChildStdout>) {
        output.read_to_end(&mut Vec::new()).unwrap();
    }

    #[test]
    fn a_process_ends_with_what_it_started_and_what_it_ended_with_stays() {
        let (mut child, output) = shell("exit 3");
        assert_eq!(child.wait().unwrap().code(), Some(3));
        until_closed(output);
        assert_eq!(child.end().unwrap().code(), Some(3));
        let (child, output) = shell("read wait");
        let pid = child.pid();
        drop(child);
        // It was waited for: nothing of it is left in the process table.
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        assert_eq!(waitid(WaitId::Pid(pid), options).unwrap_err(), Errno::CHILD);
        until_closed(output);
    }

    #[test]
    fn a_process_that_does_not_end_lives_on_past_a_deadline() {
        let (mut child, output) = shell("read wait; exit 4");
        assert_eq!(child.wait_until(Instant::now()), None);
        drop(child.take_stdin());
        let status = child.wait_until(Instant::now() + Duration::from_mins(1));
        assert_eq!(status.and_then(|status| status.code()), Some(4));
        until_closed(output);
    }

    #[tokio::test]
    async fn a_process_is_waited_for_and_ended_without_blocking() {
        let (mut child, output) = shell("exit 5");
        assert_eq!(child.wait_async().await.unwrap().code(), Some(5));
        until_closed(output);
        let (child, output) = shell("read wait");
        let status = child.end_async().await;
        assert_eq!(status.and_then(|status| status.signal()), Some(9));
        until_closed(output);
    }

    #[test]
    fn a_process_of_our_group_is_ended_by_who_ends_ours() {
        let mut command = Command::new("cat");
        command.stdin(Stdio::piped());
        let mut child = ChildProcess::spawn_in_our_group(&mut command).unwrap();
        assert_eq!(getpgid(Some(child.pid())).unwrap(), getpgrp());
        assert_eq!(child.end().unwrap().signal(), Some(9));
    }

    #[test]
    fn an_end_is_the_processs_own_fault_unless_somebody_sent_a_signal() {
        // Wait statuses: the exit code is the second byte, a signal the first.
        for (raw, words, own) in [
            (0, "exit code 0", true),
            (1 << 8, "exit code 1", true),
            (70 << 8, "exit code 70", true),
            (6, "signal 6", true),
            (11, "signal 11", true),
            (24, "signal 24", true),
            (31, "signal 31", true),
            (9, "signal 9", false),
            (15, "signal 15", false),
        ] {
            let status = ExitStatus::from_raw(raw);
            assert_eq!((in_words(status).as_str(), is_own_fault(status)), (words, own));
        }
    }
}
