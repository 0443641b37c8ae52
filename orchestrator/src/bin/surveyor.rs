//! `aura-surveyor`: the sample agent that surveys a repository, beside the binary `aura`.
//!
//! What: runs `repo_surveyor`. Why: a manifest finds it by its bare name. Not here: anything of Aura.

fn main() -> std::process::ExitCode {
    repo_surveyor::run()
}
