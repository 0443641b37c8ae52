//! Exit codes: the only place that names them.
//!
//! What: [`CommandExit`]. Why: scripts tell a bad thing from a bad command by the code alone, and `docs/cli.md` lists the same
//! eight. Not here: which error has which code (`error`).

use std::process::ExitCode;

/// How the process ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CommandExit {
    /// It was done, and what was checked is good.
    Ok,
    /// What was checked is bad, or what was asked for is not there.
    Bad,
    /// The command line makes no sense.
    Usage,
    /// The configuration cannot be used.
    Config,
    /// The data folder is missing or damaged.
    Data,
    /// A run of a workflow waits for its owner.
    Owner,
    /// A bug of ours.
    Bug,
    /// In use, or out of room, now: the same command may succeed later. `EX_TEMPFAIL` of sysexits.h.
    Busy,
}

impl CommandExit {
    /// Every way to end, by code.
    #[cfg(test)]
    pub const ALL: [CommandExit; 8] = [
        CommandExit::Ok,
        CommandExit::Bad,
        CommandExit::Usage,
        CommandExit::Config,
        CommandExit::Data,
        CommandExit::Owner,
        CommandExit::Bug,
        CommandExit::Busy,
    ];

    /// The code that the parent process sees. 2 is also what clap ends with.
    pub fn code(self) -> u8 {
        match self {
            CommandExit::Ok => 0,
            CommandExit::Bad => 1,
            CommandExit::Usage => 2,
            CommandExit::Config => 3,
            CommandExit::Data => 4,
            CommandExit::Owner => 5,
            CommandExit::Bug => 70,
            CommandExit::Busy => 75,
        }
    }
}

impl CommandExit {
    /// That another of our processes ended with; a bug where it was no code of ours.
    pub(super) fn from_code(code: Option<u8>) -> Self {
        let known = [
            CommandExit::Bad,
            CommandExit::Usage,
            CommandExit::Config,
            CommandExit::Data,
            CommandExit::Owner,
            CommandExit::Busy,
        ];
        let found = known.into_iter().find(|exit| Some(exit.code()) == code);
        found.unwrap_or(CommandExit::Bug)
    }
}

impl From<CommandExit> for ExitCode {
    fn from(exit: CommandExit) -> Self {
        ExitCode::from(exit.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_exit_code_has_its_row_in_the_manual() {
        let manual = include_str!("../../../docs/cli.md");
        let rows: Vec<u8> = manual
            .lines()
            .filter_map(|line| line.strip_prefix("| `")?.split_once('`')?.0.parse().ok())
            .collect();
        assert_eq!(rows, CommandExit::ALL.map(CommandExit::code));
    }
}
