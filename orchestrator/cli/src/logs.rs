//! `aura logs`: what the service logged.
//!
//! What: the end of its log, where the log is, and what is added to it. Why: whoever is told "see the log" should not have to know who started the
//! service. Not here: what is logged, and where a started service writes it (`open`).

use super::{args::DataDir, error::CliError, exit::CommandExit, open, out::CommandOutput};
use clap::Args;
use std::{
    fs::{self, File},
    io::{self, Read as _, Seek as _, SeekFrom},
    os::unix::{fs::MetadataExt as _, process::CommandExt as _},
    path::{Path, PathBuf},
    process::Command,
    thread,
    time::Duration,
};
use surfaces_base::language::{say, text};

/// The name of the unit that `docs/aura.service` is.
const UNIT: &str = "aura.service";

/// So much of the end of a file is looked through for its last lines: 4 MiB.
const END_BYTES: u64 = 4 << 20;

/// How often is looked whether there is more.
const AGAIN: Duration = Duration::from_millis(250);

/// `aura logs`
#[derive(Debug, Clone, Args)]
pub(crate) struct LogsArgs {
    /// So many of the last lines
    #[arg(short = 'n', long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    lines: u32,
    /// Go on with what is added
    #[arg(short, long)]
    follow: bool,
    #[command(flatten)]
    data: DataDir,
}

/// Where the log is.
#[derive(Debug, PartialEq, Eq)]
enum LogPlace {
    /// The service manager has it.
    Journal,
    File(PathBuf),
}

/// Runs `aura logs`.
///
/// # Errors
/// Nothing was logged yet; the log cannot be read.
pub(crate) fn run(args: &LogsArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let file = open::log_file().filter(|file| file.exists());
    let place = place(is_unit(&args.data.path()?, Path::new("/proc")), file)
        .ok_or_else(|| CliError::NotThere(text("cli-logs-nothing-logged").to_owned()))?;
    match place {
        LogPlace::File(file) => {
            show(&file, args, out)?;
            Ok(CommandExit::Ok)
        }
        LogPlace::Journal => {
            let mut journal = Command::new("journalctl");
            journal.args([
                "--user",
                "--unit",
                UNIT,
                "--output",
                "cat",
                "--no-pager",
                "--lines",
            ]);
            journal.arg(args.lines.to_string());
            if args.follow {
                journal.arg("--follow");
            }
            // It returns only when it could not be started.
            Err(CliError::NotThere(say!(
                "cli-logs-no-journalctl",
                error = journal.exec().to_string()
            )))
        }
    }
}

/// Whether the service that works on a folder is the service manager's unit; `None`: none works on it.
fn is_unit(dir: &Path, processes: &Path) -> Option<bool> {
    if aura_memory::is_free(dir).unwrap_or(true) {
        return None;
    }
    let pid = fs::read_to_string(dir.join("lock")).ok()?;
    let pid: u32 = pid.trim().parse().ok()?;
    let groups = fs::read_to_string(processes.join(format!("{pid}/cgroup"))).ok()?;
    Some(groups.lines().any(|group| group.rsplit('/').next() == Some(UNIT)))
}

/// Of a service that does not run, the file is what is known to be there.
fn place(is_unit: Option<bool>, file: Option<PathBuf>) -> Option<LogPlace> {
    if is_unit == Some(true) {
        return Some(LogPlace::Journal);
    }
    file.map(LogPlace::File)
}

fn show(path: &Path, args: &LogsArgs, out: &mut CommandOutput) -> Result<(), CliError> {
    let unreadable = |source| CliError::Input {
        path: path.to_owned(),
        source,
    };
    let mut file = File::open(path).map_err(unreadable)?;
    let mut text = end_of(&mut file).map_err(unreadable)?;
    let lines: Vec<&str> = text.lines().collect();
    let wanted = usize::try_from(args.lines).unwrap_or(usize::MAX);
    for line in lines.iter().skip(lines.len().saturating_sub(wanted)) {
        out.text(line)?;
    }
    text.clear();
    if !args.follow {
        return Ok(());
    }
    loop {
        thread::sleep(AGAIN);
        read_more(&mut file, &mut text).map_err(unreadable)?;
        // What is not ended yet waits for its end.
        if let Some(end) = text.rfind('\n') {
            out.text(&text[..end])?;
            text.drain(..=end);
        }
        // A new one was begun.
        if let Ok(now) = fs::metadata(path)
            && now.ino() != file.metadata().map_err(unreadable)?.ino()
        {
            file = File::open(path).map_err(unreadable)?;
        }
    }
}

/// The last lines of a file; a line that begins before them is left out.
fn end_of(file: &mut File) -> io::Result<String> {
    let begin = file.metadata()?.len().saturating_sub(END_BYTES);
    file.seek(SeekFrom::Start(begin))?;
    let mut text = String::new();
    read_more(file, &mut text)?;
    Ok(match text.split_once('\n') {
        Some((_, rest)) if begin > 0 => rest.to_owned(),
        _ => text,
    })
}

fn read_more(file: &mut File, text: &mut String) -> io::Result<()> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    text.push_str(&String::from_utf8_lossy(&bytes));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::TryLockError;

    #[test]
    fn log_is_the_journals_only_while_the_unit_runs() {
        let file = || Some(PathBuf::from("service.log"));
        let of_file = || Some(LogPlace::File("service.log".into()));
        for (is_unit, file, expected) in [
            (Some(true), file(), Some(LogPlace::Journal)),
            (Some(true), None, Some(LogPlace::Journal)),
            (Some(false), file(), of_file()),
            (None, file(), of_file()),
            (None, None, None),
        ] {
            assert_eq!(place(is_unit, file), expected, "{is_unit:?}");
        }
    }

    #[test]
    fn unit_is_known_by_the_control_group_of_the_process_that_holds_the_folder() {
        let dir = tempfile::tempdir().unwrap();
        let (folder, processes) = (dir.path().join("data"), dir.path().join("proc"));
        fs::create_dir_all(&folder).unwrap();
        fs::create_dir_all(processes.join("41")).unwrap();
        assert_eq!(is_unit(&folder, &processes), None);
        fs::write(folder.join("lock"), "41\n").unwrap();
        assert_eq!(is_unit(&folder, &processes), None, "nobody holds it");
        let held = File::open(folder.join("lock")).unwrap();
        assert!(!matches!(held.try_lock(), Err(TryLockError::WouldBlock)));
        for (group, expected) in [
            ("0::/user.slice/user@1000.service/app.slice/aura.service\n", true),
            (
                "0::/user.slice/user@1000.service/app.slice/other-aura.service\n",
                false,
            ),
            ("0::/user.slice/session-2.scope\n", false),
        ] {
            fs::write(processes.join("41/cgroup"), group).unwrap();
            assert_eq!(is_unit(&folder, &processes), Some(expected), "{group}");
        }
    }

    #[test]
    fn end_of_a_long_file_begins_with_a_whole_line() {
        let mut file = tempfile::tempfile().unwrap();
        let line = format!("{}\n", "x".repeat(1023));
        io::Write::write_all(&mut file, line.repeat(5000).as_bytes()).unwrap();
        let text = end_of(&mut file).unwrap();
        // 4 MiB begin at the end of a line of 1 KiB: the first whole line after the begin is left out.
        assert_eq!(text.lines().count(), 4095);
        assert!(text.lines().all(|line| line.len() == 1023));
    }
}
