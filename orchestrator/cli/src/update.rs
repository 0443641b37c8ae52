//! `aura update check`: whether a release is newer than this program.
//!
//! What: reads the checksums of a release out of a file that its owner names, and compares versions. Why: nothing of Aura calls home, so it cannot know; who
//! has fetched a release can ask. Not here: fetching, checking signatures and installing (`docs/install.md`).

use super::{args::FormatArgs, error::CliError, exit::CommandExit, out::CommandOutput};
use clap::{Args, Subcommand};
use std::{cmp::Ordering, fmt, fs, path::PathBuf};
use surfaces_base::language::say;

/// This program's version.
const HERE: &str = env!("CARGO_PKG_VERSION");

/// `aura update`
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum UpdateCommand {
    /// Whether a release is newer than this program, by the file of its checksums; opens no connection
    Check(UpdateCheckArgs),
}

/// `aura update check`
#[derive(Debug, Clone, Args)]
pub(crate) struct UpdateCheckArgs {
    /// The SHA256SUMS of a release
    file: PathBuf,
    #[command(flatten)]
    format: FormatArgs,
}

/// A version as the names of packages have it: `0.2.0`, and before it `0.2.0~git202611270246.cd834f77a`.
#[derive(Debug, Clone, PartialEq, Eq)]
struct PackageVersion {
    numbers: [u64; 3],
    /// What follows `~`: it comes before the release.
    before_release: Option<String>,
}

impl PackageVersion {
    /// The version that a text begins with.
    fn at_start(text: &str) -> Option<Self> {
        let end = text
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(text.len());
        let (numbers, rest) = text.split_at_checked(end)?;
        let mut parts = numbers.trim_end_matches('.').split('.');
        let mut number = || parts.next()?.parse().ok();
        let numbers = [number()?, number()?, number()?];
        if parts.next().is_some() {
            return None;
        }
        let named = rest.strip_prefix('~').map(|rest| {
            // The bill of materials has no architecture in its name.
            let rest = rest.strip_suffix(".cdx.json").unwrap_or(rest);
            let end = rest.find(['_', '-']).unwrap_or(rest.len());
            rest.get(..end).unwrap_or(rest).to_owned()
        });
        Some(Self {
            numbers,
            before_release: named,
        })
    }

    /// The version of a package of ours, by its file's name.
    fn of_file(name: &str) -> Option<Self> {
        let rest = name
            .strip_prefix("aura_")
            .or_else(|| name.strip_prefix("aura-"))?;
        Self::at_start(rest)
    }
}

impl Ord for PackageVersion {
    fn cmp(&self, other: &Self) -> Ordering {
        let release = |version: &Self| version.before_release.is_none();
        self.numbers
            .cmp(&other.numbers)
            .then_with(|| release(self).cmp(&release(other)))
            .then_with(|| self.before_release.cmp(&other.before_release))
    }
}

impl PartialOrd for PackageVersion {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for PackageVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [major, minor, patch] = self.numbers;
        write!(f, "{major}.{minor}.{patch}")?;
        self.before_release
            .as_ref()
            .map_or(Ok(()), |name| write!(f, "~{name}"))
    }
}

/// Runs `aura update`.
///
/// # Errors
/// The file cannot be read, or names no package.
pub(crate) fn run(command: &UpdateCommand, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let UpdateCommand::Check(args) = command;
    let text = fs::read_to_string(&args.file).map_err(|source| CliError::Input {
        path: args.file.clone(),
        source,
    })?;
    let there = newest(&text).ok_or_else(|| {
        CliError::Usage(say!(
            "cli-update-no-package",
            path = args.file.display().to_string()
        ))
    })?;
    let here = PackageVersion::at_start(HERE).ok_or(CliError::Bug("this version cannot be read"))?;
    let is_newer = there > here;
    if args.format.json {
        out.json(&serde_json::json!({ "here": HERE, "there": there.to_string(), "newer": is_newer }))?;
    } else if is_newer {
        let (there, here) = (there.to_string(), here.to_string());
        out.text(&say!("cli-update-newer", there, here))?;
    } else {
        let (there, here) = (there.to_string(), here.to_string());
        out.text(&say!("cli-update-nothing-newer", there, here))?;
    }
    Ok(if is_newer {
        CommandExit::Bad
    } else {
        CommandExit::Ok
    })
}

/// The newest version among the packages that checksums name.
fn newest(sums: &str) -> Option<PackageVersion> {
    // `HASH  NAME`, with an asterisk where the file was read as bytes.
    let names = sums.lines().filter_map(|line| line.split_once([' ', '\t']));
    names
        .filter_map(|(_, name)| PackageVersion::of_file(name.trim_start_matches([' ', '\t', '*'])))
        .max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_is_read_out_of_the_names_of_packages_and_of_nothing_else() {
        for (name, wanted) in [
            ("aura_0.2.0_amd64.deb", Some("0.2.0")),
            ("aura-0.2.0-x86_64-linux.tar.gz", Some("0.2.0")),
            ("aura-0.2.0-x86_64-linux-glibc2.28.tar.gz", Some("0.2.0")),
            ("aura-0.2.0.cdx.json", Some("0.2.0")),
            ("aura-0.2.0-oci.tar", Some("0.2.0")),
            (
                "aura_0.1.0~git202611270246.cd834f77a_amd64.deb",
                Some("0.1.0~git202611270246.cd834f77a"),
            ),
            (
                "aura-0.1.0~git202611270246.cd834f77a.cdx.json",
                Some("0.1.0~git202611270246.cd834f77a"),
            ),
            ("aura_0.2_amd64.deb", None),
            ("aura_1.2.3.4_amd64.deb", None),
            ("aura_one_amd64.deb", None),
            ("other_0.2.0_amd64.deb", None),
            ("", None),
        ] {
            let found = PackageVersion::of_file(name).map(|version| version.to_string());
            assert_eq!(found.as_deref(), wanted, "{name}");
        }
    }

    #[test]
    fn versions_follow_one_another_as_those_of_packages_do() {
        let order = [
            "0.1.0~git1",
            "0.1.0~git2",
            "0.1.0",
            "0.1.9",
            "0.1.10",
            "0.2.0",
            "1.0.0",
        ];
        let versions: Vec<_> = order
            .iter()
            .map(|text| PackageVersion::at_start(text).unwrap())
            .collect();
        for pair in versions.windows(2) {
            assert!(pair[0] < pair[1], "{} {}", pair[0], pair[1]);
        }
    }

    #[test]
    fn newest_package_of_a_file_counts() {
        let sums = "aa  aura_0.1.0_amd64.deb\nbb *aura-0.3.0-x86_64-linux.tar.gz\ncc  aura-0.2.0.cdx.json\nnonsense\n";
        assert_eq!(newest(sums).unwrap().to_string(), "0.3.0");
        assert_eq!(newest("aa  something.deb\n"), None);
    }
}
