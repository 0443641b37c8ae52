//! The model's process and its supervisor, with a stand-in that speaks the frames.
//!
//! What: a shell script in the place of the program, which answers, says nothing, dies, floods or talks nonsense. Why: whatever the
//! process does, a question comes back in bounded time, and the service goes on. Not here: llama.cpp (`llm-runtime/tests`), what
//! is asked (`llm-runtime`).

use aura_process::{
    WorkerProgram,
    model_supervisor::{self, ModelClient, ModelReport, ModelState, ModelStatus},
};
use llm_runtime::{LanguageModel, ModelQuestion, ModelText, PendingAnswer, manifest::Tier};
use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};
use tempfile::TempDir;
use tokio::task::JoinHandle;
use toolcall_schema::ModelFault;

/// Reads frames from its standard input, which is the socket, and writes there.
const STAND_IN: &str = r#"#!/bin/sh
say() {
  printf "\\000\\000\\$(printf %03o $((${#1} / 256)))\\$(printf %03o $((${#1} % 256)))" >&0
  printf %s "$1" >&0
}
answer() {
  say '{"v":1,"frame":{"answer":{"n":'$1',"text":"'$2'","end":"eos","prompt_tokens":90,"reused_tokens":60,"output_tokens":1,"first_token_ms":3,"total_ms":4}}}'
}
say '{"v":1,"frame":{"ready":{"model":"00","context":512,"load_ms":7,"sandbox":"none"}}}'
while set -- $(dd bs=1 count=4 2>/dev/null | od -An -tu1) && [ $# = 4 ]; do
  body=$(dd bs=1 count=$(($3 * 256 + $4)) 2>/dev/null)
  n=${body#*'"n":'}; n=${n%%,*}; n=${n%%'}'*}
  case $body in
    *'{"prefix":'*) say '{"v":1,"frame":{"prefixed":{"n":'$n',"tokens":60,"restored":false,"ms":5}}}' ;;
    *'{"ping":'*) say '{"v":1,"frame":{"pong":{"n":'$n'}}}' ;;
    *'"stop"'*) exit 0 ;;
    *'{"ask":'*) ASKED ;;
  esac
done
"#;

struct Bench {
    dir: TempDir,
    status: ModelStatus,
    asked: ModelClient,
    ended: JoinHandle<()>,
}

fn folder() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let models = dir.path().join("models");
    fs::create_dir(&models).unwrap();
    let manifest = "name = \"m\"\nfile = \"m.gguf\"\nbytes = 3\nsha256 = \
                    \"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\"\narchitecture = \"llama\"\ntemplate = \
                    \"chatml\"\ncontext = 512\ntier = \"choose\"\nlicence = \"MIT\"\n[origin]\nkind = \"file\"\n";
    fs::write(models.join("m.toml"), manifest).unwrap();
    fs::write(models.join("m.gguf"), "abc").unwrap();
    aura_memory::chosen::choose(dir.path(), Some("m")).unwrap();
    dir
}

fn script(dir: &Path, asked: &str) -> PathBuf {
    let path = dir.join("stand-in");
    fs::write(&path, STAND_IN.replace("ASKED", asked)).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).unwrap();
    path
}

/// A supervisor over a stand-in that does this when it is asked; `$n` is the question's number.
fn bench(dir: TempDir, asked: &str) -> Bench {
    let path = script(dir.path(), asked);
    let status = ModelStatus::default();
    let setup = model_supervisor::ModelSetup {
        data: dir.path().to_owned(),
        worker: Some(path.clone()),
        program: WorkerProgram(path),
        only: None,
    };
    let (asked, ended) = model_supervisor::start(setup, status.clone());
    Bench {
        dir,
        status,
        asked,
        ended,
    }
}

impl Bench {
    /// Waits until the report is as wanted, at most 20 s.
    async fn until(&self, what: &str, wanted: impl Fn(&ModelReport) -> bool) -> ModelReport {
        let mut reports = self.status.watch();
        let wait = tokio::time::timeout(Duration::from_secs(20), reports.wait_for(&wanted)).await;
        assert!(wait.is_ok(), "no {what} within 20 s: {:?}", self.status.report());
        self.status.report()
    }

    async fn ready(&self) -> ModelReport {
        self.until("ready", |report| {
            report.standing == ModelState::Ready && report.pid.is_some()
        })
        .await
    }

    fn ask(&mut self) -> impl Future<Output = ModelText> + use<> {
        let question = ModelQuestion::choose(&["One.".to_owned(), "Two.".to_owned()]);
        let answer = self.asked.ask(1, &question);
        async move {
            match answer {
                PendingAnswer::After { text, .. } => text,
                PendingAnswer::Later(text) => text.await,
            }
        }
    }
}

fn run(test: impl Future<Output = ()>) {
    actix::System::new().block_on(test);
}

fn lives(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let rest = stat
        .rsplit_once(')')
        .map(|(_, rest)| rest.trim_start().to_owned());
    rest.is_some_and(|rest| !rest.starts_with(['Z', 'X']))
}

#[test]
fn a_question_is_answered_and_the_report_says_with_what() {
    run(async {
        let mut bench = bench(folder(), "answer $n 2");
        let report = bench.ready().await;
        assert_eq!((report.load_ms, report.prefix), (7, Some((60, false))));
        assert_eq!(
            (report.name.as_deref(), report.tier),
            (Some("m"), Some(Tier::Choose))
        );
        assert_eq!(bench.asked.tier(), Some(Tier::Choose));
        assert_eq!(bench.ask().await, Ok("2".to_owned()));
        assert_eq!(bench.ask().await, Ok("2".to_owned()));
        assert_eq!(bench.status.report().answers, 2);
        // The service ends: so does the process.
        let pid = report.pid.unwrap();
        let Bench { asked, ended, .. } = bench;
        drop(asked);
        ended.await.unwrap();
        assert!(!lives(pid));
    });
}

#[test]
fn the_newest_question_takes_the_place_of_those_before_it() {
    run(async {
        // The third question is answered, and no other.
        let dir = folder();
        let told = dir.path().join("told");
        assert!(Command::new("mkfifo").arg(&told).status().unwrap().success());
        let does =
            "asked=$((asked + 1)); [ $asked -gt 1 ] || : > \"${0%/*}/told\"; [ $asked -lt 2 ] || answer $n 1";
        let mut bench = bench(dir, does);
        bench.ready().await;
        let first = bench.ask();
        let first = actix::spawn(first);
        // It is running once the process was told of it.
        let is_told = tokio::task::spawn_blocking(move || fs::read(told));
        is_told.await.unwrap().unwrap();
        let (second, third) = (bench.ask(), bench.ask());
        assert_eq!(first.await.unwrap(), Err(ModelFault::Superseded));
        // Whether the second was asked or passed over: the third is answered.
        assert_eq!(third.await, Ok("1".to_owned()));
        assert_ne!(second.await, Err(ModelFault::Failed));
        assert_eq!(bench.status.report().restarts, 0);
    });
}

#[test]
fn a_process_that_is_late_is_killed_and_the_next_one_answers() {
    run(async {
        let dir = folder();
        // Only the first process is silent.
        let silent = format!(
            "if [ -e {0} ]; then answer $n 1; else : > {0}; fi",
            dir.path().join("was-silent").display()
        );
        let mut bench = bench(dir, &silent);
        let first = bench.ready().await.pid;
        let asked = Instant::now();
        assert_eq!(bench.ask().await, Err(ModelFault::Late));
        let took = asked.elapsed();
        assert!(took >= Duration::from_millis(1750), "budget and grace: {took:?}");
        // The next question waits for the next process.
        assert_eq!(bench.ask().await, Ok("1".to_owned()));
        let report = bench.ready().await;
        assert_ne!(report.pid, first);
        assert!(!lives(first.unwrap()));
        assert_eq!(report.restarts, 1);
        let end = report.ends.last().unwrap().to_string();
        assert!(end.starts_with("it hung: no answer within its budget"), "{end}");
    });
}

#[test]
fn whatever_a_process_says_or_does_the_question_comes_back_and_past_the_limit_it_rests() {
    run(async {
        for (does, end) in [
            ("exit 3", "it ended (exit code 3)"),
            ("kill -ABRT $$", "it ended (signal 6)"),
            ("printf '\\377\\377\\377\\377' >&0", "WIRE-001"),
            ("say nonsense", "WIRE-004"),
            ("say '{\"v\":2,\"frame\":{}}'", "WIRE-003"),
            ("answer 99 1", "WIRE-004"),
            ("say '{\"v\":1,\"frame\":{\"pong\":{\"n\":1}}}'", "WIRE-004"),
        ] {
            let mut bench = bench(folder(), does);
            bench.ready().await;
            for restarts in 1..=4 {
                let text = bench.ask().await;
                assert_eq!(text, Err(ModelFault::Failed), "{does}");
                bench.until("end", |report| report.restarts == restarts).await;
            }
            let report = bench.status.report();
            let said = report.ends.last().unwrap().to_string();
            assert!(said.starts_with(end), "{does}: {said}");
            bench
                .until("rest", |report| report.standing == ModelState::Resting)
                .await;
            // Nobody waits for what rests.
            assert_eq!(bench.asked.tier(), None, "{does}");
            assert_eq!(bench.ask().await, Err(ModelFault::Absent), "{does}");
        }
    });
}

#[test]
fn what_a_process_refuses_is_no_end_of_it() {
    run(async {
        for (code, fault) in [
            ("MODEL-101", ModelFault::Failed),
            ("MODEL-102", ModelFault::Failed),
            ("MODEL-107", ModelFault::Late),
        ] {
            let refuse = format!(
                "say '{{\"v\":1,\"frame\":{{\"refused\":{{\"n\":'$n',\"code\":\"{code}\",\"why\":\"\"}}}}}}'"
            );
            let mut bench = bench(folder(), &refuse);
            let pid = bench.ready().await.pid;
            assert_eq!(bench.ask().await, Err(fault), "{code}");
            assert_eq!(bench.ask().await, Err(fault), "{code}");
            assert_eq!(
                (bench.status.report().restarts, bench.status.report().pid),
                (0, pid)
            );
        }
    });
}

#[test]
fn a_service_without_a_model_goes_on_and_notices_when_there_is_one() {
    run(async {
        let dir = folder();
        let file = dir.path().join("models/m.gguf");
        fs::remove_file(&file).unwrap();
        let mut bench = bench(dir, "answer $n 1");
        bench
            .until("look", |report| report.standing == ModelState::NoFile)
            .await;
        assert_eq!(bench.ask().await, Err(ModelFault::Absent));
        fs::write(&file, "abc").unwrap();
        bench.status.changed();
        let pid = bench.ready().await.pid.unwrap();
        assert_eq!(bench.ask().await, Ok("1".to_owned()));
        // The owner wants none, then one that nobody knows.
        for (name, standing) in [(None, ModelState::Off), (Some("other"), ModelState::Unknown)] {
            aura_memory::chosen::choose(bench.dir.path(), name).unwrap();
            bench.status.changed();
            let report = bench.until("look", |report| {
                report.standing == standing && report.pid.is_none()
            });
            assert_eq!(report.await.name.as_deref(), name);
            assert_eq!(bench.ask().await, Err(ModelFault::Absent));
        }
        assert!(!lives(pid));
    });
}
