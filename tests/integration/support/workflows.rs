//! A project of agents in shell, for tests of workflows.
//!
//! What: [`Place`], a project and a data folder, and commands in it. Why: two suites run the same agents. Not here: what is claimed.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};
use tempfile::TempDir;

/// Writes `spec.md` with the number of the asking; looks at it, and wants it once more when it is the first; looks for nothing.
const WRITER: &str = r#"input=$(tr -d '\n'); echo "writer is asked" >&2
n=$(printf '%s' "$input" | sed -n 's/.*"iteration":\([0-9]*\).*/\1/p')
if [ -e specs/f1/spec.md ]; then how=update; else how=create; fi
printf '%s' "{\"success\":true,\"summary\":\"Written.\",\"artifacts\":[{\"path\":\"spec.md\",\"operation\":\"$how\",\"content\":\"spec $n\n\"}],\"notes\":[\"written $n\"],\"recommendation\":\"proceed\"}"
"#;
const VALIDATOR: &str = r#"cat >/dev/null; echo "validator is asked" >&2
if grep -q 'spec 1' specs/f1/spec.md; then ok=false; next=retry; else ok=true; next=proceed; fi
echo "{\"success\":$ok,\"summary\":\"Looked.\",\"artifacts\":[],\"recommendation\":\"$next\"}"
"#;
const SURVEYOR: &str = r#"input=$(tr -d '\n')
task=$(printf '%s' "$input" | sed -n 's/.*"type":"\([a-z_]*\)".*/\1/p'); echo "$task is asked" >&2
case "$input" in *'"fail":true'*) echo '{"status":"failed","data":{},"errors":[{"code":"E1","message":"told to fail"}],"meta":{}}'; exit;; esac
echo "{\"status\":\"completed\",\"data\":{\"summary\":\"Found for $task\"},\"next_context\":{\"shared_memory\":{\"$task\":1}},\"meta\":{\"tokens_used\":7}}"
"#;
/// Waits as long as `hold` is in the project, and wants to be told what to do.
const ASKER: &str = r#"input=$(tr -d '\n'); while [ -e hold/hold ]; do sleep 0.01; done
case "$input" in *'The owner answers: go on'*) n=proceed; s=true;; *) n=escalate; s=false;; esac
echo "{\"success\":$s,\"summary\":\"Which way?\",\"artifacts\":[],\"notes\":[\"left or right\"],\"recommendation\":\"$n\"}"
"#;

/// Goes on: says that it is at it, then what it found.
const LINER: &str = r#"while IFS= read -r line; do
case "$line" in *'"cancel"'*) continue;; esac
id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
task=$(printf '%s' "$line" | sed -n 's/.*"type":"\([a-z_]*\)".*/\1/p')
printf '{"id":%s,"message":{"status":"processing","data":{"summary":"at it"},"meta":{}}}\n' "$id"
printf '{"id":%s,"message":{"status":"completed","data":{"summary":"Found for %s"},"meta":{}}}\n' "$id" "$task"
done
"#;

const LINES: &str = "name = \"lines\"\n[[step]]\nname = \"look\"\nagent = \"liner\"\ntask = \"research\"\nobjective = \"Find what there is\"\n[[step]]\nname = \"try\"\nagent = \"liner\"\ntask = \"test\"\nobjective = \"Find what is tried\"\n[[step]]\nname = \"both\"\nparallel = [\"look\", \"try\"]\n";

const WORKFLOW: &str = r#"name = "whole"
feature_root = "specs/{feature}"

[[step]]
name = "write"
agent = "writer"
action = "write"
max_iterations = 2

[[step]]
name = "validate"
agent = "validator"
action = "validate"
on = { retry = "write" }

[[step]]
name = "survey"
agent = "surveyor"
task = "research"
objective = "Find what there is"
save = "survey.md"

[[step]]
name = "tests"
agent = "surveyor"
task = "test"
objective = "Find what is tried"
save = "tests.md"

[[step]]
name = "both"
parallel = ["survey", "tests"]
"#;

const ASKS: &str = "name = \"asks\"\nfeature_root = \"specs/{feature}\"\n[[step]]\nname = \"ask-owner\"\nagent = \"asker\"\naction = \"wonder\"\n";

/// What the workflow `whole` leaves in `specs/f1`.
pub(crate) const LEFT: [(&str, &str); 3] = [
    ("spec.md", "spec 2\n"),
    ("survey.md", "Found for research\n"),
    ("tests.md", "Found for test\n"),
];

/// A project, and a data folder beside it.
pub(crate) struct Place {
    dir: TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        let dir = TempDir::new().unwrap();
        let place = Self { dir };
        let project = place.project();
        for folder in ["agents.d", "workflows", "specs/f1", "hold"] {
            fs::create_dir_all(project.join(folder)).unwrap();
        }
        for (name, script, served) in [
            ("writer", WRITER, "actions = [\"write\"]"),
            ("validator", VALIDATOR, "actions = [\"validate\"]"),
            ("asker", ASKER, "actions = [\"wonder\"]"),
            ("surveyor", SURVEYOR, "task_types = [\"research\", \"test\"]"),
            (
                "liner",
                LINER,
                "mode = \"lines\"\ntask_types = [\"research\", \"test\"]",
            ),
        ] {
            let protocol = if served.contains("task_types") {
                "protocol = \"base\""
            } else {
                "protocol = \"envelope\"\nskills = [\"agent-protocol\"]"
            };
            let manifest = format!(
                "name = \"{name}\"\n{protocol}\ncommand = [\"sh\", \"{name}.sh\"]\n{served}\nroots = [\"../specs\", \"../hold\"]\n"
            );
            fs::write(project.join(format!("agents.d/{name}.toml")), manifest).unwrap();
            fs::write(project.join(format!("agents.d/{name}.sh")), script).unwrap();
        }
        fs::write(project.join("workflows/whole.toml"), WORKFLOW).unwrap();
        fs::write(project.join("workflows/asks.toml"), ASKS).unwrap();
        fs::write(project.join("workflows/lines.toml"), LINES).unwrap();
        place
    }

    /// A program that speaks lines, and is asked to research and to test.
    pub(crate) fn add_agent(&self, name: &str, script: &str) {
        let agents = self.project().join("agents.d");
        let manifest = format!(
            "name = \"{name}\"\nprotocol = \"base\"\nmode = \"lines\"\ncommand = [\"sh\", \"{name}.sh\"]\ntask_types = [\"research\", \"test\"]\n"
        );
        fs::write(agents.join(format!("{name}.toml")), manifest).unwrap();
        fs::write(agents.join(format!("{name}.sh")), script).unwrap();
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.dir.path().join("project")
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.dir.path().join("data")
    }

    /// The command line `aura …` on this project and data folder.
    pub(crate) fn aura(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_aura"));
        command
            .args(args)
            .current_dir(self.project())
            .env("AURA_DATA", self.data())
            .env("AURA_KEY_FILE", self.dir.path().join("data.key"))
            .env("AURA_LOG", "info")
            .stdin(Stdio::null());
        command
    }

    /// Runs it to its end.
    pub(crate) fn run(&self, args: &[&str]) -> Output {
        self.aura(args).output().unwrap()
    }

    /// The files of the feature and what is in them, by name.
    pub(crate) fn files(&self) -> Vec<(String, String)> {
        let mut all: Vec<(String, String)> = fs::read_dir(self.project().join("specs/f1"))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .map(|path| (name(&path), fs::read_to_string(&path).unwrap()))
            .collect();
        all.sort();
        all
    }

    /// Writes these files to the feature, and removes all others.
    pub(crate) fn set_files(&self, files: &[(String, String)]) {
        for (name, _) in self.files() {
            fs::remove_file(self.project().join("specs/f1").join(name)).unwrap();
        }
        for (name, text) in files {
            fs::write(self.project().join("specs/f1").join(name), text).unwrap();
        }
    }
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

/// The same as owned text.
pub(crate) fn owned(files: &[(&str, &str)]) -> Vec<(String, String)> {
    let own = |(name, text): &(&str, &str)| ((*name).to_owned(), (*text).to_owned());
    files.iter().map(own).collect()
}
