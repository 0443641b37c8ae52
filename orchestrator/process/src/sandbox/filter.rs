//! Which system calls a sandboxed process may make.
//!
//! What: an allow list for agents (`agent`), a deny list for programs (`program`), and [`install`]. Why: a parser that was broken into finds no
//! socket, no process, no debugger; what the list does not name is refused, also what kernels to come will have. Refused
//! is EPERM, which std takes as any error, never a signal. Not here: files (Landlock, the parent module).

mod agent;
mod program;

use super::{SandboxError, SandboxProfile};
use nix::libc;
use seccompiler::{
    BpfProgram, Error, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, apply_filter_all_threads,
};
use std::{collections::BTreeMap, io, process};

/// For each system call the cases that match; no case: all.
type SyscallRules = BTreeMap<i64, Vec<SeccompRule>>;

/// What a process in here is told that the kernel does not have, so that it falls back: glibc asks for a thread by `clone3`, whose
/// flags no filter can see, and takes `clone` when there is none; tools that keep a file's access list set its mode instead.
const NOT_THERE: [i64; 3] = [libc::SYS_clone3, libc::SYS_fsetxattr, libc::SYS_fremovexattr];

/// System calls that were not there when the lists were written, and that nobody weighed: Linux 6.18 has none from 470 on. New calls have
/// one number on all machines; from 512 on are those of x32.
const TO_COME: std::ops::Range<i64> = 470..512;

/// Installs the filters of a profile on all threads. `false`: the kernel has no seccomp filters, or not for this machine.
///
/// # Errors
/// The system refused it for another reason.
pub(super) fn install(profile: &SandboxProfile) -> Result<bool, SandboxError> {
    let Ok(arch) = TargetArch::try_from(std::env::consts::ARCH) else {
        return Ok(false);
    };
    let main = match profile {
        SandboxProfile::Agent { .. } | SandboxProfile::ForkServer | SandboxProfile::Source => {
            let mut rules = agent::allows(process::id()).map_err(of_backend)?;
            match profile {
                SandboxProfile::ForkServer => rules.extend(agent::forks().map_err(of_backend)?),
                SandboxProfile::Source => rules.extend(agent::takes_descriptors().map_err(of_backend)?),
                SandboxProfile::Agent { .. } | SandboxProfile::Program { .. } => {}
            }
            compile(
                rules,
                SeccompAction::Errno(errno(libc::EPERM)),
                SeccompAction::Allow,
                arch,
            )
        }
        SandboxProfile::Program {
            network, new_code, ..
        } => {
            let mut rules = program::denies(*network).map_err(of_backend)?;
            if !new_code {
                rules.extend(program::denies_new_code().map_err(of_backend)?);
            }
            compile(
                rules,
                SeccompAction::Allow,
                SeccompAction::Errno(errno(libc::EPERM)),
                arch,
            )
        }
    };
    let unknown = NOT_THERE
        .into_iter()
        .chain(TO_COME)
        .map(|call| (call, vec![]))
        .collect();
    let unknown = compile(
        unknown,
        SeccompAction::Allow,
        SeccompAction::Errno(errno(libc::ENOSYS)),
        arch,
    );
    for filter in [unknown, main] {
        match apply_filter_all_threads(&filter.map_err(of_backend)?) {
            Ok(()) => {}
            Err(Error::Prctl(source) | Error::Seccomp(source)) if is_missing(&source) => return Ok(false),
            Err(error) => return Err(refused(error)),
        }
    }
    Ok(true)
}

/// The kernel was built without filters, or knows no TSYNC.
fn is_missing(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EINVAL | libc::ENOSYS))
}

fn refused(error: Error) -> SandboxError {
    SandboxError::Step {
        step: "restrict system calls",
        source: io::Error::other(error),
    }
}

fn of_backend(error: seccompiler::BackendError) -> SandboxError {
    refused(Error::Backend(error))
}

fn compile(
    rules: SyscallRules,
    otherwise: SeccompAction,
    matched: SeccompAction,
    arch: TargetArch,
) -> Result<BpfProgram, seccompiler::BackendError> {
    SeccompFilter::new(rules, otherwise, matched, arch)?.try_into()
}

fn errno(number: i32) -> u32 {
    number.unsigned_abs()
}

/// Those bits of an argument of 32 bits are as in `value`.
fn bits(argument: u8, mask: i32, value: i32) -> Result<SeccompCondition, seccompiler::BackendError> {
    let unsigned = |number: i32| u64::from(number.unsigned_abs());
    SeccompCondition::new(
        argument,
        SeccompCmpArgLen::Dword,
        SeccompCmpOp::MaskedEq(unsigned(mask)),
        unsigned(value),
    )
}

/// An argument of 64 bits, a pointer say, is this.
fn is(argument: u8, value: u64) -> Result<SeccompCondition, seccompiler::BackendError> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Qword, SeccompCmpOp::Eq, value)
}

/// An argument of 32 bits is this.
fn is_word(argument: u8, value: u32) -> Result<SeccompCondition, seccompiler::BackendError> {
    SeccompCondition::new(
        argument,
        SeccompCmpArgLen::Dword,
        SeccompCmpOp::Eq,
        u64::from(value),
    )
}

/// An argument of 64 bits is not this.
fn is_not(argument: u8, value: u64) -> Result<SeccompCondition, seccompiler::BackendError> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Qword, SeccompCmpOp::Ne, value)
}

/// An argument of 32 bits is not this.
fn word_is_not(argument: u8, value: u32) -> Result<SeccompCondition, seccompiler::BackendError> {
    SeccompCondition::new(
        argument,
        SeccompCmpArgLen::Dword,
        SeccompCmpOp::Ne,
        u64::from(value),
    )
}

/// An argument of 32 bits is one of these: a case each.
fn one_of(argument: u8, values: &[u32]) -> Result<Vec<SeccompRule>, seccompiler::BackendError> {
    values
        .iter()
        .map(|value| SeccompRule::new(vec![is_word(argument, *value)?]))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_may_call_nothing_that_a_program_may_not() {
        let (allowed, denied) = (agent::allows(1).unwrap(), program::denies(false).unwrap());
        let both: Vec<_> = denied
            .iter()
            .filter(|(call, cases)| cases.is_empty() && allowed.contains_key(call))
            .collect();
        assert!(both.is_empty(), "{both:?}");
    }
}
