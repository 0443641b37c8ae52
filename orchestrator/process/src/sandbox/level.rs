//! What the kernel enforces of a sandbox.
//!
//! What: [`SandboxLevel`], as the kernel says it, in words and back. Why: one sentence in a log, in `status` and on the page, and fail closed:
//! what says no level says that nothing is enforced. Not here: trying it (`probe`).

use landlock::LandlockStatus;
use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// What the kernel really enforces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SandboxLevel {
    /// On files.
    pub landlock: LandlockLevel,
    /// On system calls.
    pub seccomp: bool,
}

/// How much of the rules on files is enforced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "enforced", rename_all = "snake_case", deny_unknown_fields)]
pub enum LandlockLevel {
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

impl LandlockLevel {
    /// The kernel's version of Landlock; 0: none.
    pub fn abi(self) -> i32 {
        match self {
            LandlockLevel::Fully { abi } | LandlockLevel::Partly { abi } => abi,
            LandlockLevel::No => 0,
        }
    }
}

impl SandboxLevel {
    /// Nothing at all: an agent in the service's own process, say.
    pub const NONE: SandboxLevel = SandboxLevel {
        landlock: LandlockLevel::No,
        seccomp: false,
    };

    /// What holds for both of two processes: the lesser of each part.
    #[must_use]
    pub fn and(self, other: SandboxLevel) -> SandboxLevel {
        let rank = |landlock: LandlockLevel| match landlock {
            LandlockLevel::No => (0, 0),
            LandlockLevel::Partly { abi } => (1, abi),
            LandlockLevel::Fully { abi } => (2, abi),
        };
        let lesser = rank(self.landlock) <= rank(other.landlock);
        SandboxLevel {
            landlock: if lesser { self.landlock } else { other.landlock },
            seccomp: self.seccomp && other.seccomp,
        }
    }

    /// As it was said; what cannot be read says that nothing is enforced.
    pub fn of_words(text: &str) -> SandboxLevel {
        text.parse().unwrap_or(SandboxLevel::NONE)
    }

    /// Whether all that the profile promises is enforced.
    pub fn is_whole(self) -> bool {
        self.seccomp && matches!(self.landlock, LandlockLevel::Fully { .. })
    }
}

impl FromStr for SandboxLevel {
    type Err = UnknownLevel;

    /// As [`SandboxLevel`] is displayed.
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
                (Ok(abi), "fully") => LandlockLevel::Fully { abi },
                (Ok(abi), "partly") => LandlockLevel::Partly { abi },
                (_, _) => return Err(UnknownLevel),
            },
            None if landlock == "no Landlock" => LandlockLevel::No,
            None => return Err(UnknownLevel),
        };
        Ok(SandboxLevel { landlock, seccomp })
    }
}

/// A text that says no level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("unknown sandbox level")]
pub struct UnknownLevel;

impl fmt::Display for SandboxLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.landlock {
            LandlockLevel::Fully { abi } => write!(f, "Landlock ABI {abi} fully")?,
            LandlockLevel::Partly { abi } => write!(f, "Landlock ABI {abi} partly")?,
            LandlockLevel::No => f.write_str("no Landlock")?,
        }
        f.write_str(if self.seccomp { ", seccomp" } else { ", no seccomp" })
    }
}

/// `enforced`: whether the kernel took any of the rules.
pub(super) fn level_of(kernel: LandlockStatus, enforced: bool, needs: i32) -> LandlockLevel {
    match kernel {
        LandlockStatus::Available {
            effective_abi,
            kernel_abi,
        } if enforced => {
            let abi = kernel_abi.unwrap_or(effective_abi as i32);
            if abi >= needs {
                LandlockLevel::Fully { abi }
            } else {
                LandlockLevel::Partly { abi }
            }
        }
        LandlockStatus::Available { .. } | LandlockStatus::NotEnabled | LandlockStatus::NotImplemented => {
            LandlockLevel::No
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
            (LandlockStatus::NotImplemented, false, 1, LandlockLevel::No),
            (LandlockStatus::NotEnabled, false, 1, LandlockLevel::No),
            (of(2), false, 1, LandlockLevel::No),
            (of(1), true, 1, LandlockLevel::Fully { abi: 1 }),
            (of(2), true, 3, LandlockLevel::Partly { abi: 2 }),
            (of(3), true, 3, LandlockLevel::Fully { abi: 3 }),
            (of(11), true, 3, LandlockLevel::Fully { abi: 11 }),
            (of(5), true, 6, LandlockLevel::Partly { abi: 5 }),
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
        let (fully, partly) = (LandlockLevel::Fully { abi: 7 }, LandlockLevel::Partly { abi: 2 });
        for (landlock, seccomp, whole, text) in [
            (fully, true, true, "Landlock ABI 7 fully, seccomp"),
            (partly, true, false, "Landlock ABI 2 partly, seccomp"),
            (fully, false, false, "Landlock ABI 7 fully, no seccomp"),
            (LandlockLevel::No, false, false, "no Landlock, no seccomp"),
        ] {
            let level = SandboxLevel { landlock, seccomp };
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
            assert_eq!(strange.parse::<SandboxLevel>(), Err(UnknownLevel), "{strange}");
        }
    }

    #[test]
    fn of_two_levels_the_lesser_of_each_part_holds_for_both() {
        let level = |landlock, seccomp| SandboxLevel { landlock, seccomp };
        let (seven, six) = (LandlockLevel::Fully { abi: 7 }, LandlockLevel::Fully { abi: 6 });
        let partly = LandlockLevel::Partly { abi: 9 };
        for (one, other, both) in [
            (level(seven, true), level(seven, true), level(seven, true)),
            (level(seven, true), level(six, true), level(six, true)),
            (level(partly, true), level(six, true), level(partly, true)),
            (level(seven, false), level(partly, true), level(partly, false)),
            (level(seven, true), SandboxLevel::NONE, SandboxLevel::NONE),
            (
                level(LandlockLevel::No, true),
                level(seven, false),
                SandboxLevel::NONE,
            ),
        ] {
            assert_eq!((one.and(other), other.and(one)), (both, both), "{one}; {other}");
        }
    }
}
