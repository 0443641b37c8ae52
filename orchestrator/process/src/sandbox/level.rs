//! What the kernel enforces of a sandbox.
//!
//! What: [`Level`], as the kernel says it, in words and back. Why: one sentence in a log, in `status` and on the page, and fail closed:
//! what says no level says that nothing is enforced. Not here: trying it (`probe`).

use landlock::LandlockStatus;
use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// What the kernel really enforces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Level {
    /// On files.
    pub landlock: Landlock,
    /// On system calls.
    pub seccomp: bool,
}

/// How much of the rules on files is enforced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "enforced", rename_all = "snake_case", deny_unknown_fields)]
pub enum Landlock {
    /// All that the profile promises.
    Fully {
        /// The kernel's version of Landlock.
        abi: i32,
    },
    /// Part of it: the kernel is older than the promise.
    Partly {
        /// The kernel's version of Landlock.
        abi: i32,
    },
    /// Nothing: the kernel has no Landlock, or it is switched off.
    No,
}

impl Landlock {
    /// The kernel's version of Landlock; 0: none.
    pub fn abi(self) -> i32 {
        match self {
            Landlock::Fully { abi } | Landlock::Partly { abi } => abi,
            Landlock::No => 0,
        }
    }
}

impl Level {
    /// Nothing at all: an agent in the service's own process, say.
    pub const NONE: Level = Level {
        landlock: Landlock::No,
        seccomp: false,
    };

    /// What holds for both of two processes: the lesser of each part.
    #[must_use]
    pub fn and(self, other: Level) -> Level {
        let rank = |landlock: Landlock| match landlock {
            Landlock::No => (0, 0),
            Landlock::Partly { abi } => (1, abi),
            Landlock::Fully { abi } => (2, abi),
        };
        let lesser = rank(self.landlock) <= rank(other.landlock);
        Level {
            landlock: if lesser { self.landlock } else { other.landlock },
            seccomp: self.seccomp && other.seccomp,
        }
    }

    /// As it was said; what cannot be read says that nothing is enforced.
    pub fn of_words(text: &str) -> Level {
        text.parse().unwrap_or(Level::NONE)
    }

    /// Whether all that the profile promises is enforced.
    pub fn is_whole(self) -> bool {
        self.seccomp && matches!(self.landlock, Landlock::Fully { .. })
    }
}

impl FromStr for Level {
    type Err = UnknownLevel;

    /// As [`Level`] is displayed.
    fn from_str(text: &str) -> Result<Self, UnknownLevel> {
        let (landlock, seccomp) = text.split_once(", ").ok_or(UnknownLevel)?;
        let seccomp = match seccomp {
            "seccomp" => true,
            "no seccomp" => false,
            _ => return Err(UnknownLevel),
        };
        let landlock = match landlock
            .strip_prefix("Landlock ABI ")
            .and_then(|rest| rest.split_once(' '))
        {
            Some((abi, how)) => match (abi.parse(), how) {
                (Ok(abi), "fully") => Landlock::Fully { abi },
                (Ok(abi), "partly") => Landlock::Partly { abi },
                (_, _) => return Err(UnknownLevel),
            },
            None if landlock == "no Landlock" => Landlock::No,
            None => return Err(UnknownLevel),
        };
        Ok(Level { landlock, seccomp })
    }
}

/// A text that says no level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("it says no level of a sandbox")]
pub struct UnknownLevel;

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.landlock {
            Landlock::Fully { abi } => write!(f, "Landlock ABI {abi} fully")?,
            Landlock::Partly { abi } => write!(f, "Landlock ABI {abi} partly")?,
            Landlock::No => f.write_str("no Landlock")?,
        }
        f.write_str(if self.seccomp { ", seccomp" } else { ", no seccomp" })
    }
}

/// `enforced`: whether the kernel took any of the rules.
pub(super) fn level_of(kernel: LandlockStatus, enforced: bool, needs: i32) -> Landlock {
    match kernel {
        LandlockStatus::Available {
            effective_abi,
            kernel_abi,
        } if enforced => {
            let abi = kernel_abi.unwrap_or(effective_abi as i32);
            if abi >= needs {
                Landlock::Fully { abi }
            } else {
                Landlock::Partly { abi }
            }
        }
        LandlockStatus::Available { .. } | LandlockStatus::NotEnabled | LandlockStatus::NotImplemented => {
            Landlock::No
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use landlock::ABI;

    #[test]
    fn level_is_full_when_the_kernel_has_what_the_profile_promises() {
        let of = |abi: i32| LandlockStatus::Available {
            effective_abi: ABI::from(abi.min(10)),
            kernel_abi: (abi > 10).then_some(abi),
        };
        for (landlock, enforced, needs, expected) in [
            (LandlockStatus::NotImplemented, false, 1, Landlock::No),
            (LandlockStatus::NotEnabled, false, 1, Landlock::No),
            (of(2), false, 1, Landlock::No),
            (of(1), true, 1, Landlock::Fully { abi: 1 }),
            (of(2), true, 3, Landlock::Partly { abi: 2 }),
            (of(3), true, 3, Landlock::Fully { abi: 3 }),
            (of(11), true, 3, Landlock::Fully { abi: 11 }),
            (of(5), true, 6, Landlock::Partly { abi: 5 }),
        ] {
            assert_eq!(
                level_of(landlock, enforced, needs),
                expected,
                "{landlock:?} {needs}"
            );
        }
    }

    #[test]
    fn only_a_level_with_both_parts_is_whole_and_each_says_what_it_lacks() {
        let (fully, partly) = (Landlock::Fully { abi: 7 }, Landlock::Partly { abi: 2 });
        for (landlock, seccomp, whole, text) in [
            (fully, true, true, "Landlock ABI 7 fully, seccomp"),
            (partly, true, false, "Landlock ABI 2 partly, seccomp"),
            (fully, false, false, "Landlock ABI 7 fully, no seccomp"),
            (Landlock::No, false, false, "no Landlock, no seccomp"),
        ] {
            let level = Level { landlock, seccomp };
            assert_eq!((level.is_whole(), level.to_string().as_str()), (whole, text));
            assert_eq!(text.parse(), Ok(level));
        }
        for strange in [
            "",
            "none",
            "no Landlock",
            "Landlock ABI x fully, seccomp",
            "no Landlock, perhaps",
        ] {
            assert_eq!(strange.parse::<Level>(), Err(UnknownLevel), "{strange}");
        }
    }

    #[test]
    fn of_two_levels_the_lesser_of_each_part_holds_for_both() {
        let level = |landlock, seccomp| Level { landlock, seccomp };
        let (seven, six) = (Landlock::Fully { abi: 7 }, Landlock::Fully { abi: 6 });
        let partly = Landlock::Partly { abi: 9 };
        for (one, other, both) in [
            (level(seven, true), level(seven, true), level(seven, true)),
            (level(seven, true), level(six, true), level(six, true)),
            (level(partly, true), level(six, true), level(partly, true)),
            (level(seven, false), level(partly, true), level(partly, false)),
            (level(seven, true), Level::NONE, Level::NONE),
            (level(Landlock::No, true), level(seven, false), Level::NONE),
        ] {
            assert_eq!((one.and(other), other.and(one)), (both, both), "{one}; {other}");
        }
    }
}
