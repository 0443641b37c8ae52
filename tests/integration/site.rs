//! The site of the documents.
//!
//! What: `scripts/site.py` lays it out, mdBook builds it, and every link of it leads somewhere. Why: a page that nobody opens for a year goes stale unseen. Not
//! here: that the reference leaves nothing out (`aura-cli`), serving the pages (`aura docs`, in `cli_help`).

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

/// The folder of the tools that `scripts/deps.sh` installs, before all others.
fn path_with_tools() -> std::ffi::OsString {
    let cache = env::var_os("XDG_CACHE_HOME").map_or_else(
        || Path::new(&env::var_os("HOME").unwrap()).join(".cache"),
        PathBuf::from,
    );
    let tools = cache.join("aura-tools/bin");
    assert!(tools.join("mdbook").exists(), "mdBook is not there: scripts/deps.sh site");
    let rest = env::var_os("PATH").unwrap_or_default();
    env::join_paths(std::iter::once(tools).chain(env::split_paths(&rest))).unwrap()
}

#[test]
fn site_is_built_of_the_documents_and_each_link_of_it_leads_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let out = tempfile::tempdir().unwrap();
    let built = Command::new("/usr/bin/python3")
        .arg(root.join("scripts/site.py"))
        .args([env!("CARGO_BIN_EXE_aura").as_ref(), out.path()])
        .env("PATH", path_with_tools())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&built.stdout) + String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success(), "{said}");
    let html = out.path().join("html");
    // The search works from files alone: its index is a script, not something that is fetched.
    let index = fs::read_to_string(html.join("searchindex.js")).unwrap();
    assert!(index.starts_with("window.search"), "{}", &index[..60]);
    for page in [
        "index.html",
        "guides/owner.html",
        "reference/commands/trace.html",
        "errors/STORE-004.html",
    ] {
        assert!(html.join(page).exists(), "{page}: {said}");
    }
}
