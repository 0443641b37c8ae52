//! `aura doctor`: is everything as it should be, and what to do if not.
//!
//! What: one line a check. Why: the operator sees in one look what is wrong, how the folder is sealed, and the remedy. It changes nothing. Not here: health of a running service (its page and `status`).

mod accounts;
mod folder;
mod outbound;
mod runs;
mod sealed;

use super::{
    args::DoctorArgs,
    error::CliError,
    exit::CommandExit,
    out::{CommandOutput, WordTone},
};
use aura_memory::chosen::{self, ModelChoice};
use aura_process::{
    llm,
    models::ModelCatalog,
    sandbox::{
        LandlockLevel, SandboxLevel,
        probe::{ProbeProgram, ProbedSandbox, measure},
    },
};
use aura_runtime::config::HomeConfig;
use folder::data_folder;
use llm_runtime::manifest::ModelManifest;
use orchestrator_machine::policy::{self, Policy};
use serde::Serialize;
use std::{
    fs::{self, File},
    path::Path,
};
use surfaces_base::{
    backend::doctor::DoctorLevel,
    language::{Language, say, text},
    locale,
};
use toolcall_schema::{
    ModelFileStatus,
    catalogue::{
        docs::catalogue_hash,
        lock::{CATALOGUE_LOCK, CatalogueLock},
    },
};

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct DoctorFinding {
    name: &'static str,
    level: DoctorLevel,
    what: String,
    /// The remedy; absent when all is well.
    todo: Option<String>,
}

fn ok(name: &'static str, what: impl Into<String>) -> DoctorFinding {
    DoctorFinding {
        name,
        level: DoctorLevel::Ok,
        what: what.into(),
        todo: None,
    }
}

fn warn(name: &'static str, what: impl Into<String>, todo: impl Into<String>) -> DoctorFinding {
    DoctorFinding {
        name,
        level: DoctorLevel::Warn,
        what: what.into(),
        todo: Some(todo.into()),
    }
}

fn bad(name: &'static str, what: impl Into<String>, todo: impl Into<String>) -> DoctorFinding {
    DoctorFinding {
        level: DoctorLevel::Bad,
        ..warn(name, what, todo)
    }
}

/// Runs `aura doctor`.
///
/// # Errors
/// [`CliError`] when no data folder is named anywhere, or the output cannot be written.
pub(crate) fn run(args: &DoctorArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let dir = args.data.path()?;
    let checks = if args.format.json {
        // Programs read it, the page among them.
        locale::speaking(Language::English, || findings(args, &dir))
    } else {
        findings(args, &dir)
    };
    let worst = checks
        .iter()
        .map(|check| check.level)
        .max()
        .unwrap_or(DoctorLevel::Ok);
    if args.format.json {
        #[derive(Serialize)]
        struct DoctorReport {
            worst: DoctorLevel,
            checks: Vec<DoctorFinding>,
        }
        out.json(&DoctorReport { worst, checks })?;
    } else {
        show(&checks, out)?;
    }
    Ok(if worst == DoctorLevel::Bad {
        CommandExit::Bad
    } else {
        CommandExit::Ok
    })
}

fn findings(args: &DoctorArgs, dir: &Path) -> Vec<DoctorFinding> {
    let mut checks = data_folder(dir, || args.data.vault());
    checks.extend(configuration(&args.home.path(), args.home.named().is_some()));
    if let Ok(home) = HomeConfig::load(&args.home.path()) {
        checks.extend(outbound::checks(&home.outbound, args.online));
        checks.extend(accounts::checks(dir, &home.accounts));
    }
    checks.push(model(dir, &args.home.path()));
    checks.extend(program());
    checks
}

/// The findings in columns, each with its remedy below it.
fn show(checks: &[DoctorFinding], out: &mut CommandOutput) -> Result<(), CliError> {
    let levels = [DoctorLevel::Ok, DoctorLevel::Warn, DoctorLevel::Bad].map(level_in_words);
    let width = levels.iter().map(|word| word.chars().count()).max().unwrap_or(0);
    let names = checks
        .iter()
        .map(|check| name_in_words(check.name).chars().count());
    // As wide as the longest English name.
    let name_width = names.max().unwrap_or(0).max(16);
    for check in checks {
        let tone = match check.level {
            DoctorLevel::Ok => WordTone::Good,
            DoctorLevel::Warn => WordTone::Doubtful,
            DoctorLevel::Bad => WordTone::Bad,
        };
        let level = format!("{:<width$}", level_in_words(check.level));
        let name = name_in_words(check.name);
        out.write_judged(tone, &level, &format!("  {name:<name_width$}  {}", check.what))?;
        out.meaning(&check.what)?;
        if let Some(todo) = &check.todo {
            let indent = width + name_width + 4;
            out.text(&format!("{:<indent$}{}", "", say!("cli-doctor-to-do", todo)))?;
        }
    }
    Ok(())
}

fn level_in_words(level: DoctorLevel) -> &'static str {
    match level {
        DoctorLevel::Ok => text("cli-doctor-level-ok"),
        DoctorLevel::Warn => text("cli-doctor-level-warn"),
        DoctorLevel::Bad => text("cli-doctor-level-bad"),
    }
}

/// A check's name for people; programs read the name itself.
fn name_in_words(name: &'static str) -> &'static str {
    match name {
        "data folder" => text("cli-doctor-name-data-folder"),
        "key" => text("cli-doctor-name-key"),
        "modes" => text("cli-doctor-name-modes"),
        "lock" => text("cli-doctor-name-lock"),
        "service" => text("cli-doctor-name-service"),
        "clock" => text("cli-doctor-name-clock"),
        "space" => text("cli-doctor-name-space"),
        "raw traces" => text("cli-doctor-name-raw-traces"),
        "store" => text("cli-doctor-name-store"),
        "newest trace" => text("cli-doctor-name-newest-trace"),
        "refused calls" => text("cli-doctor-name-refused-calls"),
        "refused results" => text("cli-doctor-name-refused-results"),
        "refused traces" => text("cli-doctor-name-refused-traces"),
        "refused messages" => text("cli-doctor-name-refused-messages"),
        "quarantine" => text("cli-doctor-name-quarantine"),
        "repaired" => text("cli-doctor-name-repaired"),
        "runs" => text("cli-doctor-name-runs"),
        "configuration" => text("cli-doctor-name-configuration"),
        "sources" => text("cli-doctor-name-sources"),
        "source" => text("cli-doctor-name-source"),
        "model" => text("cli-doctor-name-model"),
        "policy" => text("cli-doctor-name-policy"),
        "catalogue" => text("cli-doctor-name-catalogue"),
        "sandbox" => text("cli-doctor-name-sandbox"),
        "account sandbox" => text("cli-doctor-name-account-sandbox"),
        "programs" => text("cli-doctor-name-programs"),
        "speech" => text("cli-doctor-name-speech"),
        "ntfy" => text("cli-doctor-name-ntfy"),
        "web push" => text("cli-doctor-name-web-push"),
        "telemetry" => text("cli-doctor-name-telemetry"),
        other => other,
    }
}

/// The configuration and each of its sources. One that nobody named need not be there.
fn configuration(path: &Path, named: bool) -> Vec<DoctorFinding> {
    if !named && !path.exists() {
        return vec![warn(
            "configuration",
            say!("cli-doctor-configuration-none", path = path.display().to_string()),
            text("cli-doctor-configuration-write"),
        )];
    }
    let home = match HomeConfig::load(path) {
        Ok(home) => home,
        Err(error) => {
            return vec![bad(
                "configuration",
                CliError::from(error).with_causes(),
                text("cli-doctor-help-code"),
            )];
        }
    };
    let mut checks = vec![ok(
        "configuration",
        say!(
            "cli-doctor-configuration-read",
            path = path.display().to_string(),
            zone = home.settings.zone.name()
        ),
    )];
    checks.extend(home.sources.paths().chain(&home.signals).map(|path| source(path)));
    if checks.len() == 1 && home.accounts.is_empty() {
        checks.push(warn(
            "sources",
            text("cli-doctor-sources-none"),
            text("cli-doctor-sources-name"),
        ));
    }
    checks
}

fn source(path: &Path) -> DoctorFinding {
    let read = fs::metadata(path).and_then(|meta| {
        if meta.is_dir() {
            fs::read_dir(path).map(|list| Some(list.count()))
        } else {
            File::open(path).map(|_| None)
        }
    });
    match read {
        Ok(Some(entries)) => ok(
            "source",
            say!(
                "cli-doctor-source-entries",
                path = path.display().to_string(),
                count = entries
            ),
        ),
        Ok(None) => ok("source", path.display().to_string()),
        Err(error) => bad(
            "source",
            say!(
                "cli-doctor-source-unreadable",
                path = path.display().to_string(),
                error = error.to_string()
            ),
            text("cli-doctor-source-correct"),
        ),
    }
}

/// Which model is chosen, and whether it can run. That nobody chose one and none is there is no fault: Aura is whole on templates.
fn model(dir: &Path, home: &Path) -> DoctorFinding {
    let name = "model";
    let shelf = ModelCatalog::in_folder(dir);
    let (chosen, nobody_chose) = match chosen::chosen(dir) {
        ModelChoice::None => return ok(name, text("cli-doctor-model-none")),
        ModelChoice::Model(chosen) => (chosen, false),
        ModelChoice::Default => match ModelManifest::built_in().into_iter().next() {
            Some(manifest) => (manifest.name, true),
            None => return ok(name, text("cli-doctor-model-none-built-in")),
        },
    };
    let worker = HomeConfig::load(home).ok().and_then(|home| home.model_worker);
    let finding = match shelf.find(&chosen) {
        Err(_) => Some((
            say!("cli-doctor-model-unknown", name = &chosen),
            text("cli-doctor-model-choose"),
        )),
        Ok(manifest) if shelf.standing(manifest) != ModelFileStatus::There => Some((
            say!("cli-doctor-model-no-file", name = &chosen),
            text("cli-doctor-model-fetch"),
        )),
        Ok(_) if llm::program(worker.as_deref()).is_err() => {
            Some((text("cli-doctor-model-no-program").to_owned(), "make model"))
        }
        Ok(_) => None,
    };
    match finding {
        None => ok(name, say!("cli-doctor-model-ready", name = &chosen)),
        Some((what, todo)) if nobody_chose => ok(name, format!("{what} ({todo})")),
        Some((what, todo)) => warn(name, what, todo),
    }
}

/// What is the same whatever the folder.
fn program() -> Vec<DoctorFinding> {
    let policy = match Policy::parse(policy::DEFAULT_TEXT) {
        Ok(policy) => ok(
            "policy",
            say!("cli-doctor-policy-built-in", hash = policy.hash().to_string()),
        ),
        Err(error) => bad(
            "policy",
            say!("cli-doctor-policy-unusable", error = error.to_string()),
            text("cli-doctor-is-a-bug"),
        ),
    };
    let catalogue = if CatalogueLock::from_this_build().to_text() == CATALOGUE_LOCK {
        ok(
            "catalogue",
            say!("cli-doctor-catalogue-accepted", hash = catalogue_hash()),
        )
    } else {
        bad(
            "catalogue",
            text("cli-doctor-catalogue-other"),
            text("cli-doctor-catalogue-build"),
        )
    };
    let agents = sandbox(
        "sandbox",
        ProbedSandbox::Agent,
        |level, surprises| say!("cli-doctor-sandbox-agents-broken", level, surprises),
        text("cli-doctor-sandbox-agents-kernel"),
    );
    let programs = sandbox(
        "programs",
        ProbedSandbox::Program,
        |level, surprises| say!("cli-doctor-sandbox-programs-broken", level, surprises),
        text("cli-doctor-sandbox-programs-kernel"),
    );
    let accounts = sandbox(
        "account sandbox",
        ProbedSandbox::Source,
        |level, surprises| say!("cli-doctor-sandbox-accounts-broken", level, surprises),
        text("cli-doctor-sandbox-accounts-kernel"),
    );
    vec![policy, catalogue, agents, programs, accounts]
}

/// Tried by a child of this program: what the kernel says is not enough. `broken`: what could happen where not everything is enforced.
fn sandbox(
    name: &'static str,
    inside: ProbedSandbox,
    broken: impl Fn(&str, &str) -> String,
    lacks: &str,
) -> DoctorFinding {
    let report = match measure(inside, &ProbeProgram::Aura) {
        Ok(report) => report,
        Err(error) => {
            return bad(
                name,
                say!("cli-doctor-sandbox-untried", error = error.to_string()),
                text("cli-doctor-sandbox-probe"),
            );
        }
    };
    let (level, surprises) = (enforced_in_words(report.level), report.surprises_in_words());
    if !report.level.is_whole() {
        return warn(name, broken(&level, &surprises), lacks);
    }
    if !report.is_whole() {
        return bad(
            name,
            say!("cli-doctor-sandbox-not-held", level, surprises),
            text("cli-doctor-sandbox-distrust"),
        );
    }
    ok(
        name,
        say!("cli-doctor-sandbox-held", level, count = report.tried.len()),
    )
}

/// What the kernel enforces, as [`SandboxLevel`] says it, for people.
fn enforced_in_words(level: SandboxLevel) -> String {
    let files = match level.landlock {
        LandlockLevel::Fully { abi } => say!("cli-doctor-landlock-fully", abi = abi.to_string()),
        LandlockLevel::Partly { abi } => say!("cli-doctor-landlock-partly", abi = abi.to_string()),
        LandlockLevel::No => text("cli-doctor-landlock-no").to_owned(),
    };
    let calls = if level.seccomp {
        text("cli-doctor-seccomp")
    } else {
        text("cli-doctor-seccomp-no")
    };
    format!("{files}, {calls}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::out::testing::written;
    use aura_memory::{Vault, vault::NoPrompt};

    fn levels(checks: &[DoctorFinding]) -> Vec<(&str, DoctorLevel)> {
        checks.iter().map(|check| (check.name, check.level)).collect()
    }

    #[test]
    fn findings_stand_in_columns_in_either_language() {
        let checks = [ok("key", "a"), warn("newest trace", "b", "c")];
        for (language, expected) in [
            (
                Language::English,
                "ok    key               a\nwarn  newest trace      b\n                        to do: c\n",
            ),
            (
                Language::German,
                "ok       Schlüssel           a\nWarnung  neuestes Protokoll  b\n                             zu tun: c\n",
            ),
        ] {
            let shown = written(|out| locale::speaking(language, || show(&checks, out).unwrap()));
            assert_eq!(shown, expected);
        }
    }

    #[test]
    fn what_the_kernel_enforces_is_said_in_english_as_it_is_recorded() {
        for landlock in [
            LandlockLevel::Fully { abi: 7 },
            LandlockLevel::Partly { abi: 2 },
            LandlockLevel::No,
        ] {
            for seccomp in [true, false] {
                let level = SandboxLevel { landlock, seccomp };
                assert_eq!(enforced_in_words(level), level.to_string());
            }
        }
    }

    #[test]
    fn every_finding_that_is_not_good_has_a_remedy() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("key"), [7; 31]).unwrap();
        let mut checks = data_folder(dir.path(), || Ok(Vault::open(dir.path(), &NoPrompt)?));
        checks.extend(configuration(Path::new("nowhere.toml"), true));
        aura_memory::chosen::choose(dir.path(), Some("smollm2")).unwrap();
        checks.push(model(dir.path(), Path::new("nowhere.toml")));
        checks.extend(program());
        for check in checks {
            assert_eq!(check.todo.is_some(), check.level != DoctorLevel::Ok, "{check:?}");
        }
    }

    #[test]
    fn account_on_a_server_is_something_to_read() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("home.toml");
        fs::write(&path, "zone = \"UTC\"\n").unwrap();
        let nothing = [("configuration", DoctorLevel::Ok), ("sources", DoctorLevel::Warn)];
        assert_eq!(levels(&configuration(&path, true)), nothing);
        let account =
            "[[accounts]]\nname = \"work\"\nkind = \"caldav\"\naddress = \"https://dav.example.org/\"\n";
        fs::write(&path, format!("zone = \"UTC\"\n{account}")).unwrap();
        assert_eq!(levels(&configuration(&path, true)), nothing[..1]);
    }

    #[test]
    fn source_that_is_not_there_is_bad_and_one_that_is_there_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("home.toml");
        fs::create_dir(dir.path().join("mail")).unwrap();
        fs::write(
            &path,
            "zone = \"UTC\"\n[sources]\nmail = [\"mail\"]\nsms = [\"sms.jsonl\"]\n",
        )
        .unwrap();
        assert_eq!(
            levels(&configuration(&path, true)),
            [
                ("configuration", DoctorLevel::Ok),
                ("source", DoctorLevel::Ok),
                ("source", DoctorLevel::Bad)
            ]
        );
        assert_eq!(
            levels(&configuration(&dir.path().join("none.toml"), false)),
            [("configuration", DoctorLevel::Warn)]
        );
        assert_eq!(
            levels(&configuration(&dir.path().join("none.toml"), true)),
            [("configuration", DoctorLevel::Bad)]
        );
    }
}
