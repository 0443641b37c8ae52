//! The default model itself.
//!
//! What: deadline, newest question wins, a pick among sentences, memory. Why: only a model of its size is slow enough to be
//! stopped. Not here: how well it picks (`aura model bench`).

use super::process::{Worker, answer, ask, of_template, refusal, text};
use llm_runtime::wire::{End, FromModel, PromptPiece, RefusalCode, ToModel};
use std::{env, fs, path::PathBuf};

/// Its file, if there is one.
fn file() -> Option<PathBuf> {
    let file = env::var_os("AURA_SMOLLM2").filter(|path| !path.is_empty());
    if file.is_none() {
        eprintln!("skipped: AURA_SMOLLM2 names no file, so the default model was not tried");
    }
    file.map(PathBuf::from)
}

fn prefix() -> Vec<PromptPiece> {
    vec![
        of_template("<|im_start|>system\n"),
        text("You pick the number of the sentence that says best why. Say the number only."),
        of_template("<|im_end|>\n"),
    ]
}

fn question(sentences: &[&str]) -> Vec<PromptPiece> {
    let mut pieces = vec![of_template("<|im_start|>user\n")];
    pieces.extend(
        (1..)
            .zip(sentences)
            .map(|(n, sentence)| text(&format!("{n}. {sentence}\n"))),
    );
    pieces.push(of_template("<|im_end|>\n<|im_start|>assistant\n"));
    pieces
}

/// Longer than any deadline that is asked for here.
fn long() -> Vec<PromptPiece> {
    vec![text(
        &"one two three four five six seven eight nine ten ".repeat(38),
    )]
}

#[test]
fn the_default_model_picks_one_of_some_sentences() {
    let Some(file) = file() else { return };
    let mut worker = Worker::ready(&file, &[]);
    worker.send(&ToModel::Prefix {
        n: 1,
        pieces: prefix(),
    });
    assert!(matches!(worker.next(), FromModel::Prefixed { n: 1, .. }));
    let sentences = ["The meeting is at 9.", "You leave at 8:23.", "Your load is 42."];
    worker.send(&ask(2, question(&sentences), Some("root ::= [1-3]"), 2));
    let answer = answer(worker.next());
    assert!(["1", "2", "3"].contains(&answer.text.as_str()), "{}", answer.text);
    assert!(answer.reused_tokens > 10 && answer.prompt_tokens > answer.reused_tokens);
    assert!(answer.first_token_ms <= answer.total_ms);
}

#[test]
fn a_deadline_stops_it_before_and_within_an_answer_and_its_prefix_stays() {
    let Some(file) = file() else { return };
    let mut worker = Worker::ready(&file, &[]);
    worker.send(&ToModel::Prefix {
        n: 1,
        pieces: prefix(),
    });
    worker.next();
    let mut hurried = |n, pieces, budget_ms| {
        worker.send(&ToModel::Ask {
            n,
            pieces,
            grammar: None,
            max_tokens: 80,
            budget_ms,
        });
        worker.next()
    };
    assert_eq!(refusal(hurried(2, long(), 20)), (2, RefusalCode::Deadline));
    // Free words never end: the answer has what there was.
    let cut = answer(hurried(3, vec![text("Tell a long story.\nOnce")], 400));
    assert!(
        matches!(cut.end, End::Deadline),
        "{} after {} ms",
        cut.end,
        cut.total_ms
    );
    assert!(cut.output_tokens > 0 && cut.reused_tokens > 10);
    worker.send(&ask(4, question(&["a", "b"]), Some("root ::= [1-2]"), 1));
    assert_eq!(answer(worker.next()).n, 4);
}

#[test]
fn a_newer_question_ends_the_older_one_and_a_ping_waits_for_neither() {
    let Some(file) = file() else { return };
    let mut worker = Worker::ready(&file, &[]);
    worker.send(&ask(1, long(), None, 80));
    worker.send(&ToModel::Ping { n: 2 });
    assert_eq!(worker.next(), FromModel::Pong { n: 2 });
    worker.send(&ask(3, long(), None, 80));
    worker.send(&ask(4, vec![text("1 or 2?")], Some("root ::= [1-2]"), 1));
    assert_eq!(refusal(worker.next()), (1, RefusalCode::Superseded));
    assert_eq!(refusal(worker.next()), (3, RefusalCode::Superseded));
    assert_eq!(answer(worker.next()).n, 4);
}

#[test]
fn the_whole_process_stays_below_280_mib() {
    let Some(file) = file() else { return };
    let mut worker = Worker::ready(&file, &[]);
    worker.send(&ask(1, long(), None, 80));
    worker.next();
    let status = fs::read_to_string(format!("/proc/{}/status", worker.pid())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    let kib: u64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    assert!(kib < 280 * 1024, "{kib} KiB");
}
