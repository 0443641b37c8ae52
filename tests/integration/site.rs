//! The site of the documents.
//!
//! What: `scripts/site.py` lays it out, mdBook builds it, every link of it leads somewhere, and `aura docs` serves it. Why: a page that nobody opens for a
//! year goes stale unseen. Not here: that the reference leaves nothing out (`aura-cli`), which address means which file (`surfaces`).

use crate::support::command::aura;
use std::{
    env, fs,
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

/// The folder of the tools that `scripts/deps.sh` installs, before all others.
fn path_with_tools() -> std::ffi::OsString {
    let cache = env::var_os("XDG_CACHE_HOME").map_or_else(
        || Path::new(&env::var_os("HOME").unwrap()).join(".cache"),
        PathBuf::from,
    );
    let tools = cache.join("aura-tools/bin");
    assert!(
        tools.join("mdbook").exists(),
        "mdBook is not there: scripts/deps.sh site"
    );
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

#[test]
fn pages_are_served_on_the_loopback_while_no_service_runs() {
    let pages = tempfile::tempdir().unwrap();
    fs::write(pages.path().join("index.html"), "<title>Aura</title>").unwrap();
    fs::create_dir(pages.path().join("errors")).unwrap();
    fs::write(pages.path().join("errors/STORE-004.html"), "no store").unwrap();
    let mut docs = ServedPages::of(pages.path(), &["store-004"]);
    let said: serde_json::Value = serde_json::from_str(&docs.line()).unwrap();
    let page = said["page"].as_str().unwrap();
    assert!(
        page.starts_with("http://127.0.0.1:") && page.ends_with("/errors/STORE-004.html"),
        "{page}"
    );
    let get = |address: &str| {
        let mut answer = ureq::get(address)
            .config()
            .http_status_as_error(false)
            .build()
            .call()
            .unwrap();
        let policy = answer.headers()["content-security-policy"]
            .to_str()
            .unwrap()
            .to_owned();
        assert!(policy.starts_with("default-src 'self';"), "{policy}");
        (
            answer.status().as_u16(),
            answer.body_mut().read_to_string().unwrap(),
        )
    };
    assert_eq!(get(page), (200, "no store".to_owned()));
    let root = page.split("errors").next().unwrap();
    assert_eq!(get(root), (200, "<title>Aura</title>".to_owned()));
    assert_eq!(get(&format!("{root}%2e%2e/passwd")).0, 404);
}

#[test]
fn pages_that_are_not_here_are_said_with_what_would_help() {
    let empty = tempfile::tempdir().unwrap();
    let (code, out, err) = aura(
        &["docs", "--no-browser", "--pages", empty.path().to_str().unwrap()],
        b"",
    );
    assert_eq!((code, out.as_str()), (Some(1), ""));
    assert!(err.contains("`make site` builds them"), "{err}");
}

/// `aura docs`, ended with its test.
struct ServedPages(Child);

impl ServedPages {
    fn of(pages: &Path, topic: &[&str]) -> Self {
        let docs = Command::new(env!("CARGO_BIN_EXE_aura"))
            .args(["docs", "--no-browser", "--json", "--pages"])
            .arg(pages)
            .args(topic)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        Self(docs)
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        let output = self.0.stdout.take().unwrap();
        BufReader::new(output).read_line(&mut line).unwrap();
        line
    }
}

impl Drop for ServedPages {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
