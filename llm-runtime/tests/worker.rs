//! The model's program, from outside: whatever it is asked and whatever file it is given, its parent lives on and is told.
//!
//! What: the way of Phi-3 on a tiny model of that architecture; what makes llama.cpp abort; the real default model where it can be
//! had. Why: nothing of it can be seen without llama.cpp. Not here: sandbox and limits (`tests/model.rs` of the workspace).
//!
//! `AURA_SMOLLM2=FILE` names the default model's file; without it the tests that need it say so and pass (`make model-test` sets it).

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::wildcard_enum_match_arm,
    reason = "a test fails by panicking and says what it skips"
)]

#[path = "worker/process.rs"]
mod process;
#[path = "worker/real.rs"]
mod real;
mod tiny;

use llm_runtime::wire::{End, FromModel, PromptPiece, RefusalCode, ToModel};
use process::{Worker, answer, ask, of_template, refusal, text};
use std::{fs, path::PathBuf};
use tempfile::TempDir;

const SEED: u64 = 20_261_122;

const PICK: &str = r#"root ::= "1" | "2" | "3""#;

/// A folder with the tiny model in it.
fn tiny() -> (TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("tiny.gguf");
    tiny::write(&path, SEED).unwrap();
    (dir, path)
}

fn prefix() -> Vec<PromptPiece> {
    vec![
        of_template("<|system|>\n"),
        text("Pick the best reason."),
        of_template("<|end|>\n"),
    ]
}

#[test]
fn phi3_answers_with_one_of_the_offered_numbers_and_goes_on_from_its_prefix() {
    let (_dir, path) = tiny();
    let mut worker = Worker::start(&path, &[]);
    let FromModel::Ready { context, sandbox, .. } = worker.next() else {
        panic!("not ready")
    };
    assert_eq!((context, sandbox.as_str()), (1024, "none"));
    worker.send(&ToModel::Prefix {
        n: 1,
        pieces: prefix(),
    });
    let FromModel::Prefixed {
        n, tokens, restored, ..
    } = worker.next()
    else {
        panic!("no prefix")
    };
    // The mark for the beginning; twice a mark of the template, a space and a line end; a space and 21 letters.
    assert_eq!((n, tokens, restored), (1, 1 + 2 * 3 + 22, false));
    let mut texts = Vec::new();
    for n in 2..6 {
        worker.send(&ask(n, vec![text("1. a 2. b 3. c")], Some(PICK), 4));
        let answer = answer(worker.next());
        assert_eq!(
            (answer.n, answer.reused_tokens, answer.end),
            (n, tokens, End::Eos)
        );
        assert_eq!((answer.prompt_tokens, answer.output_tokens), (tokens + 15, 1));
        texts.push(answer.text);
    }
    assert!(["1", "2", "3"].contains(&texts[0].as_str()), "{texts:?}");
    assert!(
        texts.iter().all(|text| *text == texts[0]),
        "the same question, {texts:?}"
    );
    worker.send(&ToModel::Stop);
    assert_eq!(worker.exit(), Some(0));
}

#[test]
fn a_killed_process_reads_its_prefix_from_the_disk_and_answers_the_same() {
    let (dir, path) = tiny();
    let state = dir.path().join("state");
    fs::create_dir(&state).unwrap();
    let flags = ["--state", state.to_str().unwrap()];
    let question = |n| ask(n, vec![text("1. a 2. b")], Some(PICK), 1);
    let mut answers = Vec::new();
    for expected in [false, true, true] {
        let mut worker = Worker::ready(&path, &flags);
        worker.send(&ToModel::Prefix {
            n: 1,
            pieces: prefix(),
        });
        let FromModel::Prefixed { restored, .. } = worker.next() else {
            panic!("no prefix")
        };
        assert_eq!(restored, expected);
        worker.send(&question(2));
        answers.push(answer(worker.next()).text);
        worker.kill();
        assert_eq!(worker.exit(), None, "a signal has no code");
    }
    assert_eq!(answers, vec![answers[0].clone(); 3]);
    // Another prefix takes its place, and a file that is torn is passed over.
    let only = |dir: &PathBuf| {
        fs::read_dir(dir)
            .unwrap()
            .map(|e| e.unwrap().path())
            .collect::<Vec<_>>()
    };
    let mut worker = Worker::ready(&path, &flags);
    worker.send(&ToModel::Prefix {
        n: 1,
        pieces: vec![text("another")],
    });
    worker.next();
    worker.send(&ToModel::Stop);
    assert_eq!(worker.exit(), Some(0));
    let files = only(&state);
    assert_eq!(files.len(), 1, "{files:?}");
    let whole = fs::read(&files[0]).unwrap();
    fs::write(&files[0], &whole[..whole.len() / 2]).unwrap();
    let mut worker = Worker::ready(&path, &flags);
    worker.send(&ToModel::Prefix {
        n: 1,
        pieces: vec![text("another")],
    });
    let FromModel::Prefixed { restored, .. } = worker.next() else {
        panic!("no prefix")
    };
    assert!(!restored);
    assert_eq!(fs::read(&only(&state)[0]).unwrap().len(), whole.len());
}

#[test]
fn what_would_make_llama_cpp_abort_is_refused_and_the_process_answers_on() {
    let (_dir, path) = tiny();
    let mut worker = Worker::ready(&path, &["--context", "256"]);
    // The context of 256 holds the mark for the beginning, the space before the words, 255 letters and no answer.
    let long = "x".repeat(600);
    for (question, code) in [
        (
            ask(1, vec![text(&long)], Some(PICK), 1),
            RefusalCode::PromptLength,
        ),
        (
            ask(1, vec![text(&long[..300])], Some(PICK), 1),
            RefusalCode::PromptLength,
        ),
        (
            ask(1, vec![text(&long[..200])], Some(PICK), 80),
            RefusalCode::PromptLength,
        ),
        (
            ask(1, vec![text("a")], Some("root ::= ("), 1),
            RefusalCode::Grammar,
        ),
        (
            ask(1, vec![text("a")], Some("leaf ::= \"1\""), 1),
            RefusalCode::Grammar,
        ),
        (ask(1, vec![text("a")], Some(""), 1), RefusalCode::Grammar),
        (
            ask(1, vec![text("a")], Some("root ::= \"\0\""), 1),
            RefusalCode::Grammar,
        ),
        (ask(1, vec![text("a")], None, 0), RefusalCode::Bounds),
        (ask(1, vec![text("a")], None, 81), RefusalCode::Bounds),
    ] {
        worker.send(&question);
        assert_eq!(refusal(worker.next()), (1, code), "{question:?}");
        worker.send(&ask(2, vec![text("a")], Some(PICK), 1));
        assert_eq!(answer(worker.next()).n, 2);
    }
    worker.send(&ToModel::Prefix {
        n: 3,
        pieces: vec![text(&long)],
    });
    assert_eq!(refusal(worker.next()), (3, RefusalCode::PromptLength));
    // Behind a prefix, nothing is no question.
    worker.send(&ToModel::Prefix {
        n: 4,
        pieces: prefix(),
    });
    worker.next();
    worker.send(&ask(5, vec![text("")], Some(PICK), 1));
    assert_eq!(refusal(worker.next()), (5, RefusalCode::PromptLength));
    worker.send(&ToModel::Ping { n: 6 });
    assert_eq!(worker.next(), FromModel::Pong { n: 6 });
    worker.send(&ToModel::Stop);
    assert_eq!(worker.exit(), Some(0));
}

#[test]
fn a_prompt_of_as_many_tokens_as_a_batch_is_answered_and_one_more_is_refused() {
    let (_dir, path) = tiny();
    let mut worker = Worker::ready(&path, &[]);
    // The mark for the beginning, the space before the words, 510 letters: 512 tokens.
    worker.send(&ask(1, vec![text(&"x".repeat(510))], Some(PICK), 80));
    assert_eq!(answer(worker.next()).prompt_tokens, 512);
    worker.send(&ask(2, vec![text(&"x".repeat(511))], Some(PICK), 80));
    assert_eq!(refusal(worker.next()), (2, RefusalCode::PromptLength));
}

#[test]
fn a_mark_counts_in_a_piece_of_the_template_alone() {
    let (_dir, path) = tiny();
    let mut worker = Worker::ready(&path, &[]);
    for (piece, tokens) in [
        // The mark for the beginning and the mark.
        (of_template("<|end|>"), 2),
        // The mark for the beginning, the space before the words, seven letters.
        (text("<|end|>"), 9),
    ] {
        worker.send(&ask(1, vec![piece], Some(PICK), 1));
        assert_eq!(answer(worker.next()).prompt_tokens, tokens);
    }
}

#[test]
fn an_answer_is_text_or_refused_and_a_cut_character_is_left_out() {
    let (_dir, path) = tiny();
    let mut worker = Worker::ready(&path, &[]);
    // The vocabulary has this letter as two bytes only.
    for (max, expected) in [(1, ""), (2, "é")] {
        worker.send(&ask(1, vec![text("a")], Some("root ::= \"é\""), max));
        assert_eq!(answer(worker.next()).text, expected);
    }
    let mut refused = 0;
    for n in 1..=40 {
        worker.send(&ask(n, vec![text(&n.to_string())], None, 80));
        match worker.next() {
            FromModel::Answer { .. } => {}
            other => {
                assert_eq!(refusal(other), (n, RefusalCode::NotText));
                refused += 1;
            }
        }
    }
    assert!(refused > 0, "random weights say bytes that are no text");
}

#[test]
fn a_file_that_is_no_model_is_refused_and_the_process_ends() {
    let (dir, path) = tiny();
    let whole = tiny::bytes(SEED);
    let mut foreign = whole.clone();
    let at = foreign.windows(4).position(|four| four == b"phi3").unwrap();
    foreign[at..at + 4].copy_from_slice(b"phiX");
    let mut later = whole.clone();
    later[4..8].copy_from_slice(&u32::MAX.to_le_bytes());
    let mut many = whole.clone();
    many[8..16].copy_from_slice(&u64::MAX.to_le_bytes());
    for (name, bytes) in [
        ("empty", &b""[..]),
        ("only its first letters", b"GGUF"),
        ("no model", b"From: somebody\n\nhello\n"),
        ("cut in its keys", &whole[..500]),
        ("cut in its numbers", &whole[..whole.len() / 2]),
        ("of an unknown architecture", &foreign),
        ("of an unknown version", &later),
        ("with tensors without number", &many),
    ] {
        fs::write(&path, bytes).unwrap();
        let mut worker = Worker::start(&path, &[]);
        assert_eq!(refusal(worker.next()), (0, RefusalCode::File), "{name}");
        assert_eq!(worker.exit(), Some(1), "{name}");
    }
    let mut worker = Worker::start(&dir.path().join("absent.gguf"), &[]);
    assert_eq!(refusal(worker.next()), (0, RefusalCode::File));
    assert_eq!(worker.exit(), Some(1));
}

#[test]
fn an_absurd_context_is_refused_before_memory_is_asked_for() {
    let (_dir, path) = tiny();
    for context in ["0", "255", "8193", "4294967295"] {
        let mut worker = Worker::start(&path, &["--context", context]);
        assert_eq!(refusal(worker.next()), (0, RefusalCode::Bounds), "{context}");
        assert_eq!(worker.exit(), Some(1), "{context}");
    }
}

#[test]
fn a_stream_that_is_over_or_in_doubt_ends_the_process() {
    let (_dir, path) = tiny();
    let frame = |body: &[u8]| [&u32::try_from(body.len()).unwrap().to_be_bytes(), body].concat();
    for (bytes, code) in [
        (vec![], 0),
        (vec![0, 0], 1),
        (frame(b"{}"), 1),
        (frame(br#"{"v":2,"frame":"stop"}"#), 1),
        (frame(br#"{"v":1,"frame":{"pong":{"n":1}}}"#), 1),
        (u32::MAX.to_be_bytes().to_vec(), 1),
    ] {
        let mut worker = Worker::ready(&path, &[]);
        worker.write(&bytes);
        worker.close();
        assert_eq!(worker.exit(), Some(code), "{bytes:?}");
    }
}

#[test]
fn a_stopped_process_says_nothing_and_its_parent_ends_it() {
    let (_dir, path) = tiny();
    let mut worker = Worker::ready(&path, &[]);
    worker.stop();
    worker.send(&ToModel::Ping { n: 1 });
    assert!(worker.is_silent());
    worker.kill();
    assert_eq!(worker.exit(), None);
}

#[test]
fn started_by_hand_it_says_how_it_is_meant() {
    let (_dir, path) = tiny();
    let path = path.to_str().unwrap();
    for args in [
        &["--model", path][..],
        &[],
        &["--model"],
        &["--model", path, "--more", "1"],
    ] {
        let (code, said) = process::by_hand(args);
        assert_eq!(code, Some(2), "{args:?}");
        assert!(said.contains("aura"), "{said}");
    }
}
