//! Writes the models of Comms.
//!
//! What: `cargo run --release --locked -p agents-training [-- [--corpus FOLDER] [--check | --cross-validate | --figures]]`: makes the models again, and
//! writes or compares them; those of mail only where the corpus is; or prints how good they are. Why: one command. Not here: how (`agents_training`).

use agents_training::{
    MailForm, TrainingCorpus,
    asks::{AskRow, ask_rows, cross_validate_asks},
    asks_model, cross_validate_gate, gate_model, model, print_figures,
};
use std::{
    env, fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
    process::ExitCode,
};

fn main() -> io::Result<ExitCode> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let has = |name: &str| arguments.iter().any(|argument| argument == name);
    let folder = arguments
        .iter()
        .skip_while(|argument| *argument != "--corpus")
        .nth(1)
        .map(PathBuf::from)
        .or_else(|| env::var_os("AURA_MAIL_CORPUS").map(PathBuf::from));
    let corpus = folder.map(|folder| TrainingCorpus::read(&folder)).transpose()?;
    if let Some(corpus) = corpus.as_ref().filter(|_| has("--figures")) {
        print_figures(corpus, has("--rows"), &mut io::stdout().lock())?;
        return Ok(ExitCode::SUCCESS);
    }
    if has("--cross-validate") {
        return match corpus {
            Some(corpus) => cross_validate(&corpus, has("--rows")).map(|()| ExitCode::SUCCESS),
            None => Ok(ExitCode::FAILURE),
        };
    }
    let mut models = vec![("classifier.bin", model())];
    if let Some(corpus) = &corpus {
        models.push(("spam.bin", gate_model(corpus)));
        models.push(("asks.bin", asks_model(corpus)));
    }
    let mut same = true;
    for (name, bytes) in models {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../src/comms")
            .join(name);
        if has("--check") {
            same &= fs::read(&path)? == bytes;
        } else {
            fs::write(&path, bytes)?;
        }
    }
    Ok(if same {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Prints how good gate and scorer are on senders and mails they were not trained on.
fn cross_validate(corpus: &TrainingCorpus, rows: bool) -> io::Result<()> {
    let mut out = io::stdout().lock();
    for head in [true, false] {
        let scores = cross_validate_gate(corpus, head);
        let share = |form: MailForm, spam: bool, at: f64| {
            let of = || scores.iter().filter(|it| it.spam == spam && it.form == form);
            (of().filter(|it| it.beyond >= at).count(), of().count())
        };
        writeln!(
            out,
            "{}",
            if head {
                "gate with the head"
            } else {
                "gate of subject and text alone"
            }
        )?;
        for at in [-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 4.0] {
            for form in [MailForm::Old, MailForm::Today, MailForm::Relayed] {
                let ((ham, hams), (spam, spams)) = (share(form, false, at), share(form, true, at));
                writeln!(
                    out,
                    "  {form:?} at {at:4.1}: ham called spam {ham} of {hams}, spam recognised {spam} of {spams}"
                )?;
            }
        }
        if rows {
            for it in scores.iter().filter(|it| (it.beyond >= 0.0) != it.spam) {
                let is = if it.spam { "spam" } else { "ham" };
                writeln!(
                    out,
                    "  {:?} {} {is} {:.2} {:.2} {}",
                    it.form, it.id, it.beyond, it.score, it.sender
                )?;
            }
        }
    }
    for with_words in [false, true] {
        writeln!(
            out,
            "{}",
            if with_words {
                "asks, facts and words"
            } else {
                "asks, facts alone"
            }
        )?;
        print_asks(corpus, with_words, rows, &mut out)?;
    }
    Ok(())
}

/// Prints how well it is told who asks, by scorers that did not see the sender.
fn print_asks(
    corpus: &TrainingCorpus,
    with_words: bool,
    rows: bool,
    out: &mut impl io::Write,
) -> io::Result<()> {
    type RowFilter<'a> = &'a dyn Fn(&AskRow) -> bool;
    let found = ask_rows(corpus);
    let logits = cross_validate_asks(&found, with_words);
    let invented = |row: &AskRow| row.invented && row.id.len() == 3;
    let short = |row: &AskRow| row.invented && row.id.len() == 4;
    let groups: [(&str, RowFilter<'_>); 7] = [
        ("all", &|_| true),
        ("drawn by chance", &|row| row.drawn),
        ("addressed, drawn by chance", &|row| row.drawn && row.addressed),
        ("addressed", &|row| row.addressed && !row.invented),
        ("random", &|row| !row.addressed),
        ("invented", &invented),
        ("invented, short", &short),
    ];
    for (name, is) in groups {
        for at in [-1.5, -1.25, -1.0, -0.75, -0.5, 0.0, 0.5] {
            let (mut hits, mut called, mut are, mut of) = (0_u32, 0_u32, 0_u32, 0_u32);
            for (row, logit) in found.iter().zip(&logits).filter(|(row, _)| is(row)) {
                let says = *logit >= at;
                hits += u32::from(says && row.asks);
                called += u32::from(says);
                are += u32::from(row.asks);
                of += 1;
            }
            let f1 = f64::from(2 * hits) / f64::from((called + are).max(1));
            writeln!(
                out,
                "asks, {name} ({of}), at {at}: {hits} of {are} found, {called} called, F1 {f1:.3}"
            )?;
        }
    }
    for (row, logit) in found.iter().zip(&logits).filter(|_| rows) {
        let is = if row.addressed { "addressed" } else { "random" };
        writeln!(out, "row {} {} {is} {logit:.2}", row.id, row.label)?;
    }
    Ok(())
}
