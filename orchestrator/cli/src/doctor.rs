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
    sandbox::probe::{ProbeProgram, ProbedSandbox, measure},
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
use surfaces_base::backend::doctor::DoctorLevel;
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
    let mut checks = data_folder(&dir, || args.data.vault());
    checks.extend(configuration(&args.home.path(), args.home.named().is_some()));
    if let Ok(home) = HomeConfig::load(&args.home.path()) {
        checks.extend(outbound::checks(&home.outbound, args.online));
        checks.extend(accounts::checks(&dir, &home.accounts));
    }
    checks.push(model(&dir, &args.home.path()));
    checks.extend(program());
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
        for check in &checks {
            let (tone, level) = match check.level {
                DoctorLevel::Ok => (WordTone::Good, "ok"),
                DoctorLevel::Warn => (WordTone::Doubtful, "warn"),
                DoctorLevel::Bad => (WordTone::Bad, "bad"),
            };
            let level = format!("{level:<4}");
            out.write_judged(tone, &level, &format!("  {:<16}  {}", check.name, check.what))?;
            if let Some(todo) = &check.todo {
                out.text(&format!("{:<24}to do: {todo}", ""))?;
            }
        }
    }
    Ok(if worst == DoctorLevel::Bad {
        CommandExit::Bad
    } else {
        CommandExit::Ok
    })
}

/// The configuration and each of its sources. One that nobody named need not be there.
fn configuration(path: &Path, named: bool) -> Vec<DoctorFinding> {
    if !named && !path.exists() {
        let what = format!("none named, and {} is not there", path.display());
        return vec![warn(
            "configuration",
            what,
            "write one (docs/cli.md shows how), or name it with --home FILE",
        )];
    }
    let home = match HomeConfig::load(path) {
        Ok(home) => home,
        Err(error) => {
            return vec![bad(
                "configuration",
                CliError::from(error).with_causes(),
                "`aura help CODE` with its code says more",
            )];
        }
    };
    let mut checks = vec![ok(
        "configuration",
        format!("{}, zone {}", path.display(), home.settings.zone),
    )];
    checks.extend(home.sources.paths().chain(&home.signals).map(|path| source(path)));
    if checks.len() == 1 && home.accounts.is_empty() {
        checks.push(warn(
            "sources",
            "none: the agents have nothing to read",
            "name files or folders under [sources], or an account on a server: aura source add",
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
        Ok(Some(entries)) => ok("source", format!("{} ({entries} entries)", path.display())),
        Ok(None) => ok("source", path.display().to_string()),
        Err(error) => bad(
            "source",
            format!("{} cannot be read: {error}", path.display()),
            "make it readable, or correct [sources] in the configuration",
        ),
    }
}

/// Which model is chosen, and whether it can run. That nobody chose one and none is there is no fault: Aura is whole on templates.
fn model(dir: &Path, home: &Path) -> DoctorFinding {
    let name = "model";
    let shelf = ModelCatalog::in_folder(dir);
    let (chosen, nobody_chose) = match chosen::chosen(dir) {
        ModelChoice::None => return ok(name, "none is wanted: sentences are templates"),
        ModelChoice::Model(chosen) => (chosen, false),
        ModelChoice::Default => match ModelManifest::built_in().into_iter().next() {
            Some(manifest) => (manifest.name, true),
            None => return ok(name, "none is built in: sentences are templates"),
        },
    };
    let worker = HomeConfig::load(home).ok().and_then(|home| home.model_worker);
    let finding = match shelf.find(&chosen) {
        Err(_) => Some((
            format!("no model {chosen} is known"),
            "choose one that `aura model list` names",
        )),
        Ok(manifest) if shelf.standing(manifest) != ModelFileStatus::There => Some((
            format!("the file of {chosen} is not here: sentences are templates"),
            "get it with `aura model fetch`, or `aura model use none`",
        )),
        Ok(_) if llm::program(worker.as_deref()).is_err() => Some((
            "the program that runs it is not built: sentences are templates".to_owned(),
            "make model",
        )),
        Ok(_) => None,
    };
    match finding {
        None => ok(name, format!("{chosen}: its file and its program are here")),
        Some((what, todo)) if nobody_chose => ok(name, format!("{what} ({todo})")),
        Some((what, todo)) => warn(name, what, todo),
    }
}

/// What is the same whatever the folder.
fn program() -> Vec<DoctorFinding> {
    let policy = match Policy::parse(policy::DEFAULT_TEXT) {
        Ok(policy) => ok("policy", format!("built in, {}", policy.hash())),
        Err(error) => bad(
            "policy",
            format!("the built-in one cannot be used: {error}"),
            "this is a bug: report it",
        ),
    };
    let catalogue = if CatalogueLock::from_this_build().to_text() == CATALOGUE_LOCK {
        ok(
            "catalogue",
            format!("as accepted in catalogue.lock, {}", catalogue_hash()),
        )
    } else {
        bad(
            "catalogue",
            "not the one that was accepted in catalogue.lock",
            "this build is not to be trusted: build it anew",
        )
    };
    let agents = sandbox(
        "sandbox",
        ProbedSandbox::Agent,
        "a broken parser could do more than read its own folder",
        "use a kernel with Landlock and seccomp (docs/operating.md), and keep sources to folders that you trust",
    );
    let programs = sandbox(
        "programs",
        ProbedSandbox::Program,
        "a program of yours could do more than its manifest says",
        "use Linux 6.12 or newer with Landlock and seccomp (docs/operating.md), and run only programs that you trust",
    );
    let accounts = sandbox(
        "sandbox",
        ProbedSandbox::Source,
        "a server that breaks a parser could do more than hold its own connection",
        "use a kernel with Landlock and seccomp (docs/operating.md), and read only servers that you trust",
    );
    vec![policy, catalogue, agents, programs, accounts]
}

/// Tried by a child of this program: what the kernel says is not enough.
fn sandbox(name: &'static str, inside: ProbedSandbox, broken: &str, lacks: &str) -> DoctorFinding {
    let report = match measure(inside, &ProbeProgram::Aura) {
        Ok(report) => report,
        Err(error) => {
            return bad(
                name,
                format!("it could not be tried, so nothing counts as enforced: {error}"),
                "run `env -i aura worker probe` and see what it says",
            );
        }
    };
    let level = report.level;
    let not_held = report.surprises_in_words();
    if !level.is_whole() {
        return warn(
            name,
            format!("{level}: {broken}; not as it must be: {not_held}"),
            lacks,
        );
    }
    if !report.is_whole() {
        return bad(
            name,
            format!("{level}, but not as it must be: {not_held}"),
            "do not trust it: `env -i aura worker probe` shows every attempt; report it",
        );
    }
    ok(
        name,
        format!("{level}; {} attempts came out as they must", report.tried.len()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use aura_memory::{Vault, vault::NoPrompt};

    fn levels(checks: &[DoctorFinding]) -> Vec<(&str, DoctorLevel)> {
        checks.iter().map(|check| (check.name, check.level)).collect()
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
