//! What may be asked of whom.
//!
//! What: the paths of an input lie in the agent's roots, and what is asked stands in its manifest. Why: a manifest is a promise to the
//! owner, whoever writes the workflow. Not here: what the kernel lets a program read (`aura worker exec`), which is the same roots.

use super::{ProgramAgent, refusal};
use std::path::{Component, Path, PathBuf};
use toolcall_schema::{
    protocol::{BaseRequest, EnvelopeInput, InputPaths, ProtocolMessage, manifest::Protocol},
    rejection::RefusalReason,
};

/// Whether it may be given this input.
///
/// # Errors
/// `PROTO-…` for what is no input, `PROGRAM-008` for an action that the manifest does not name, `PROGRAM-007` for a path outside.
pub(super) fn input(
    agent: &ProgramAgent,
    project: &Path,
    input: &ProtocolMessage<EnvelopeInput>,
) -> Result<(), RefusalReason> {
    let view = input.view();
    speaks(agent, Protocol::Envelope)?;
    if !agent.manifest.actions.contains(&view.task.action) {
        return Err(unknown("/task/action", "actions"));
    }
    let lies_outside = |path: &String| !lies_within(&project.join(path), &agent.roots);
    for (name, paths) in &view.paths {
        let place = format!("/paths/{}", name.replace('~', "~0").replace('/', "~1"));
        let outside = match paths {
            InputPaths::One(path) => lies_outside(path).then_some(place),
            InputPaths::List(list) => {
                let index = list.iter().position(lies_outside);
                index.map(|index| format!("{place}/{index}"))
            }
        };
        if let Some(pointer) = outside {
            return Err(refusal::at(
                "PROGRAM-007",
                &pointer,
                "this path leads out of the agent's roots, or cannot be followed; add its folder to roots in the manifest, or name another file",
            ));
        }
    }
    Ok(())
}

/// Whether it may be given this request.
///
/// # Errors
/// `PROGRAM-008` for a task type that the manifest does not name.
pub(super) fn request(
    agent: &ProgramAgent,
    request: &ProtocolMessage<BaseRequest>,
) -> Result<(), RefusalReason> {
    speaks(agent, Protocol::Base)?;
    if agent
        .manifest
        .task_types
        .contains(&request.view().request.task.kind)
    {
        return Ok(());
    }
    Err(unknown("/request/task/type", "task_types"))
}

fn speaks(agent: &ProgramAgent, protocol: Protocol) -> Result<(), RefusalReason> {
    if agent.manifest.protocol == protocol {
        return Ok(());
    }
    Err(refusal::new(
        "PROGRAM-008",
        format!("this agent does not speak the protocol {}", protocol.as_str()),
    ))
}

fn unknown(pointer: &str, member: &str) -> RefusalReason {
    refusal::at(
        "PROGRAM-008",
        pointer,
        format!("the agent's manifest does not name this under {member}; ask another agent, or add it there"),
    )
}

/// Whether a path, followed over all links, lies in one of the roots. Of what is not there yet the folder that is counts.
fn lies_within(path: &Path, roots: &[PathBuf]) -> bool {
    let mut there = path;
    loop {
        // What is there and cannot be followed, such as a link to nowhere, lies nowhere.
        if there.symlink_metadata().is_ok() {
            return there
                .canonicalize()
                .is_ok_and(|real| roots.iter().any(|root| real.starts_with(root)));
        }
        // `..` behind something that is not there leads nobody knows where.
        match (there.components().next_back(), there.parent()) {
            (Some(Component::Normal(_)), Some(parent)) => there = parent,
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs, os::unix::fs::symlink};

    #[test]
    fn a_path_lies_where_its_links_lead() {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path().canonicalize().unwrap();
        fs::create_dir_all(dir.join("specs/one")).unwrap();
        fs::create_dir(dir.join("specs2")).unwrap();
        fs::write(dir.join("specs/one/spec.md"), "").unwrap();
        fs::write(dir.join("secret"), "").unwrap();
        symlink(dir.join("secret"), dir.join("specs/link")).unwrap();
        symlink(dir.join("nowhere"), dir.join("specs/dangling")).unwrap();
        symlink("one", dir.join("specs/inner")).unwrap();
        let roots = [dir.join("specs")];
        for (path, lies) in [
            ("specs", true),
            ("specs/one/spec.md", true),
            ("specs/one/", true),
            ("specs/new/deeper/file.md", true),
            ("specs/inner/spec.md", true),
            ("specs/one/../one/spec.md", true),
            ("", false),
            ("secret", false),
            ("specs/link", false),
            ("specs/link/x", false),
            ("specs/dangling", false),
            ("specs/dangling/x", false),
            ("specs/../secret", false),
            ("specs/new/../../secret", false),
            ("specs/new/../x", false),
            ("specs2/x", false),
            ("/etc/passwd", false),
        ] {
            assert_eq!(lies_within(&dir.join(path), &roots), lies, "{path:?}");
        }
    }
}
