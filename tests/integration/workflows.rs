//! The two sample workflows, end to end, by the built binary.
//!
//! What: from a brief to a specification with a retry, a question and its answer; from a repository to one document; what stands in the
//! files then. Why: this is what a new user does first. Not here: kills (`workflow_kill.rs`), single rules
//! (`orchestrator/machine/src/workflow`), the agents' own rules (`sample_agents.rs`).

use crate::support::Service;
use serde_json::{Value, json};
use std::{
    fs,
    io::{BufRead, BufReader, Write},
    net::TcpStream,
    path::{Path, PathBuf},
    process::{Command, Output},
};

/// The sample project with its agents, as it stands in the repository, in a folder of its own.
struct House {
    dir: tempfile::TempDir,
}

impl House {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
        for folder in ["fixtures/project", "agents/programs"] {
            copy(&root.join(folder), &dir.path().join(folder));
        }
        Self { dir }
    }

    fn project(&self) -> PathBuf {
        self.dir.path().join("fixtures/project")
    }

    fn aura(&self, args: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_aura"))
            .args(args)
            .current_dir(self.project())
            .env("AURA_DATA", self.dir.path().join("data"))
            .env("AURA_KEY_FILE", self.dir.path().join("data.key"))
            .output()
            .unwrap()
    }

    /// What a command says as lines of JSON, with its exit code.
    fn lines(&self, args: &[&str]) -> (Option<i32>, Vec<Value>) {
        let done = self.aura(args);
        let said = String::from_utf8(done.stdout).unwrap();
        let lines = said.lines().map(|line| serde_json::from_str(line).unwrap());
        (done.status.code(), lines.collect())
    }

    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.project().join(path)).unwrap()
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Step, iteration and outcome of every asking that ended, in order.
fn askings(lines: &[Value]) -> Vec<(String, u64, String)> {
    let ended = lines.iter().filter(|line| line["what"]["event"] == "ended");
    let read = |line: &Value| {
        let (of, answer) = (&line["what"]["of"], &line["what"]["answer"]);
        let outcome = answer["output"]["recommendation"]
            .as_str()
            .or_else(|| answer["response"]["status"].as_str())
            .unwrap_or("refused");
        (
            of["step"].as_str().unwrap().to_owned(),
            of["iteration"].as_u64().unwrap(),
            outcome.to_owned(),
        )
    };
    ended.map(read).collect()
}

fn expected(askings: &[(&str, u64, &str)]) -> Vec<(String, u64, String)> {
    let own = |(step, iteration, outcome): &(&str, u64, &str)| {
        ((*step).to_owned(), *iteration, (*outcome).to_owned())
    };
    askings.iter().map(own).collect()
}

#[test]
fn the_workflows_of_the_sample_project_have_no_fault() {
    let house = House::new();
    let done = house.aura(&["workflow", "check"]);
    assert_eq!(
        done.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&done.stdout)
    );
}

#[test]
fn a_brief_becomes_a_specification_with_a_retry_and_a_question() {
    let house = House::new();
    let (code, lines) = house.lines(&[
        "workflow",
        "run",
        "specify",
        "--feature",
        "005-user-auth",
        "--json",
    ]);
    // The draft lacks a scenario and a measure; the writer marks both as questions; the owner is asked those two and the brief's own.
    assert_eq!(
        askings(&lines),
        expected(&[
            ("specify", 1, "proceed"),
            ("validate", 1, "retry"),
            ("specify", 2, "proceed"),
            // Entered anew: only a step that is sent back to goes on counting.
            ("validate", 1, "proceed"),
            ("clarify", 1, "escalate"),
        ])
    );
    assert_eq!(code, Some(5), "it waits for its owner");
    let asked = String::from_utf8(house.aura(&["inbox", "list"]).stdout).unwrap();
    assert!(
        asked.contains("specify") && asked.contains("005-user-auth"),
        "{asked}"
    );

    let answer = "1: the sixth try is refused; 2: 9 of 10 readers; 3: for 30 days";
    let (code, lines) = house.lines(&["inbox", "answer", "last", answer, "--json"]);
    assert_eq!(
        askings(&lines),
        expected(&[("clarify", 2, "proceed"), ("count", 1, "proceed")])
    );
    assert_eq!(code, Some(0));
    let said = lines
        .iter()
        .rev()
        .find(|line| line["what"]["event"] == "ended")
        .unwrap();
    assert_eq!(
        said["what"]["answer"]["output"]["summary"],
        "The spec has 26 lines."
    );
    assert_eq!(
        house.text("specs/005-user-auth/spec.md"),
        "# Signing in\n\n## Summary\n\n\
         People who read the library's catalogue can keep a list of what they want to borrow. For that they need an account, and \
         nobody else may see their list.\n\n\
         ## Requirements\n\n\
         - **FR-001**: The site MUST let a reader sign in with an e-mail address and a password.\n\
         - **FR-002**: The site MUST lock an account for 15 minutes after 5 wrong passwords.\n\
         - **FR-003**: The site SHOULD let a reader replace a forgotten password by a link that is sent to her address.\n\n\
         ## Scenarios\n\n\
         - FR-001: Given a reader with an account, when she signs in with its password, then her list is shown.\n\
         - FR-002: How is it seen that this works? — the sixth try is refused\n\
         - FR-003: Given a reader who asked for a link, when she opens it within 30 minutes, then she can set a new password.\n\n\
         ## Success criteria\n\n\
         - 95 of 100 readers sign in within 10 seconds.\n\
         - A lost password is replaced without help from the staff. How is this measured? — 9 of 10 readers\n\n\
         ## Open questions\n\n\
         - How long does a reader stay signed in? — for 30 days\n"
    );
    assert!(
        house
            .text("specs/005-user-auth/validation.md")
            .contains("17 checks: 0 errors, 3 open questions, 0 warnings.")
    );

    // All of it can be taken back.
    let done = house.aura(&["workflow", "undo", "last"]);
    assert_eq!(
        done.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
    let left: Vec<_> = fs::read_dir(house.project().join("specs/005-user-auth"))
        .unwrap()
        .collect();
    assert_eq!(left.len(), 1, "only the brief is left: {left:?}");
}

#[test]
fn a_repository_is_surveyed_and_put_together_and_nothing_is_written_before_it_was_seen() {
    let house = House::new();
    let run = [
        "workflow",
        "run",
        "survey",
        "--feature",
        "001-overview",
        "--query",
        "The catalogue",
        "--dry-run",
    ];
    let done = house.aura(&run);
    let said = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(
        said.contains("+# The catalogue"),
        "{said}{}",
        String::from_utf8_lossy(&done.stderr)
    );
    assert!(!house.project().join("specs/001-overview/survey.md").exists());

    let (code, _) = house.lines(&["workflow", "resume", "last", "--json"]);
    assert_eq!(code, Some(0));
    let (_, lines) = house.lines(&["workflow", "log", "last", "--json"]);
    assert_eq!(
        askings(&lines),
        expected(&[
            ("research", 1, "completed"),
            ("architect", 1, "completed"),
            ("ux-design", 1, "completed"),
            ("test", 1, "completed"),
            ("assembly", 1, "completed"),
        ])
    );
    let survey = house.text("specs/001-overview/survey.md");
    let chapters: Vec<&str> = survey.lines().filter(|line| line.starts_with("## ")).collect();
    assert_eq!(
        chapters,
        ["## Research", "## Architect", "## Ux design", "## Test"]
    );
    for row in [
        "# The catalogue",
        "| src/main.rs | binary catalogue |",
        "| tools/import.py | script |",
        "| web/index.html | page |",
        "| serde | normal | Cargo.toml | 1 |",
        "| pymarc | normal | requirements.txt | >=5 |",
        "| src/loans.rs, src/readers.rs |",
        "| web/index.html | 6 | 1.1.1 | an image has no alt text |",
        "| web/index.html | 8 | 3.3.2 | a field has no label |",
        "| web/index.html | 11 | 1.3.1 | heading of level 3 follows one of level 1 |",
        "| web/index.html | 12 | 2.4.4 | a link has no words |",
        "| Python | 1 | 1 |",
    ] {
        assert!(survey.lines().any(|line| line == row), "{row}: {survey}");
    }
}

/// A phone's page: its stream and the number that it was given.
fn phone(service: &Service) -> (BufReader<TcpStream>, String) {
    let mut stream = TcpStream::connect(("127.0.0.1", service.port)).unwrap();
    write!(
        stream,
        "GET /events?surface=phone HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\n\r\n",
        service.port, service.token
    )
    .unwrap();
    let mut lines = BufReader::new(stream);
    let number = said(&mut lines, "data: ");
    (lines, number)
}

/// Reads on to a line that begins so, and says the rest of it.
fn said(lines: &mut BufReader<TcpStream>, begin: &str) -> String {
    loop {
        let mut line = String::new();
        assert!(
            lines.read_line(&mut line).unwrap() > 0,
            "the stream ended before {begin:?}"
        );
        if let Some(rest) = line.trim_end().strip_prefix(begin) {
            return rest.to_owned();
        }
    }
}

#[test]
fn a_question_reaches_the_page_once_and_its_answer_lets_the_run_go_on() {
    let house = House::new();
    let home = house.dir.path().join("home.toml");
    fs::write(&home, "zone = \"UTC\"\n").unwrap();
    let service = Service::start(&home, &house.dir.path().join("data"));
    let (mut events, number) = phone(&service);
    // The service has its data folder open; the command works beside it, and the page hears of it.
    assert_eq!(
        house
            .aura(&["workflow", "run", "specify", "--feature", "005-user-auth"])
            .status
            .code(),
        Some(5)
    );
    said(&mut events, "event: runs");
    let runs = |service: &Service| service.request("GET", "/v1/workflows", None).1;
    let run = runs(&service)[0].clone();
    assert_eq!(
        (&run["workflow"], &run["standing"], &run["question"]["announced"]),
        (&json!("specify"), &json!("waiting"), &json!(false))
    );
    service.request("GET", &format!("/fragment/now?c={number}"), None);
    service.until("announcement", |service| {
        Some(()).filter(|()| runs(service)[0]["question"]["announced"] == true)
    });
    let to = |what: &str| format!("/v1/workflows/{}/{what}", run["id"].as_str().unwrap());
    // Put away, it stands.
    assert_eq!(service.request("POST", &to("dismiss"), None).0, 204);
    assert_eq!(
        (
            &runs(&service)[0]["question"]["dismissed"],
            &runs(&service)[0]["standing"]
        ),
        (&json!(true), &json!("waiting"))
    );
    let answer = json!({"answer": "1: the sixth try is refused; 2: 9 of 10 readers; 3: for 30 days"});
    assert_eq!(service.request("POST", &to("answer"), Some(&answer)).0, 204);
    let done = service.until("end", |service| {
        Some(runs(service)[0].clone()).filter(|run| run["standing"] == "completed")
    });
    assert_eq!(done["written"], json!(["spec.md", "validation.md"]));
    assert!(
        house
            .text("specs/005-user-auth/spec.md")
            .contains("How long does a reader stay signed in? — for 30 days")
    );
    // Nobody asks any more.
    let (status, refused) = service.request("POST", &to("answer"), Some(&answer));
    assert_eq!((status, &refused["code"]), (409, &json!("WEB-013")));
}
