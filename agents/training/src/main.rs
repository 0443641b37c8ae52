//! Writes the models of Comms.
//!
//! What: `cargo run --release --locked -p agents-training [-- [--corpus FOLDER] [--check | --cross-validate | --figures | --measured] [--by-writer] [--rows]]`: makes the models again, and
//! writes or compares them; those of mail only where the corpus is; or prints how good they are. Why: one command. Not here: how (`agents_training`).

use agents::comms::mail_class::{MailScorer, SCORERS};
use agents_training::{
    CrossValidation, MailForm, TrainingCorpus, cross_validate_gate, gate_model, model, print_figures,
    print_measured, scorer_model,
    scorers::{ScorerRow, cross_validate_scorers, scorer_rows},
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
    let by = if has("--by-writer") {
        CrossValidation::ByWriter
    } else {
        CrossValidation::BySender
    };
    if has("--measured") {
        print_measured(has("--rows"), &mut io::stdout().lock())?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(corpus) = corpus.as_ref().filter(|_| has("--figures")) {
        print_figures(corpus, by, has("--rows"), &mut io::stdout().lock())?;
        return Ok(ExitCode::SUCCESS);
    }
    if has("--cross-validate") {
        return match corpus {
            Some(corpus) => cross_validate(&corpus, by, has("--rows")).map(|()| ExitCode::SUCCESS),
            None => Ok(ExitCode::FAILURE),
        };
    }
    let mut models = vec![("classifier.bin", model())];
    if let Some(corpus) = &corpus {
        models.push(("spam.bin", gate_model(corpus)));
        models.push(("scorers.bin", scorer_model(corpus)));
    }
    let mut same = true;
    for (name, bytes) in models {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../comms/src")
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

/// Prints how good gate and scorers are on what they were not trained on.
fn cross_validate(corpus: &TrainingCorpus, by: CrossValidation, rows: bool) -> io::Result<()> {
    let mut out = io::stdout().lock();
    for head in [true, false] {
        let scores = cross_validate_gate(corpus, by, head);
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
            for form in [MailForm::Old, MailForm::Today, MailForm::Relayed, MailForm::Aged] {
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
    print_scorers(corpus, by, rows, &mut out)
}

/// Prints how well each scorer tells what it is asked, where it did not see the mail.
fn print_scorers(
    corpus: &TrainingCorpus,
    by: CrossValidation,
    rows: bool,
    out: &mut impl io::Write,
) -> io::Result<()> {
    type RowFilter<'a> = &'a dyn Fn(&ScorerRow) -> bool;
    let found = scorer_rows(corpus);
    let said = cross_validate_scorers(&found, by);
    let today = |row: &ScorerRow| row.writer.is_some_and(|writer| writer.starts_with("today"));
    let groups: [(&str, RowFilter<'_>); 7] = [
        ("drawn by chance", &|row| row.drawn),
        ("addressed", &|row| row.addressed && row.writer.is_none()),
        ("random", &|row| !row.addressed),
        ("whole", &|row| row.writer == Some("whole")),
        ("short", &|row| row.writer == Some("exchanges")),
        ("today", &today),
        ("all", &|_| true),
    ];
    for scorer in SCORERS {
        for (name, is) in groups {
            for at in [-1.5, -1.0, -0.75, -0.5, -0.25, 0.0, 0.5, 1.0] {
                let (mut hits, mut called, mut are, mut of) = (0_u32, 0_u32, 0_u32, 0_u32);
                for (row, scores) in found.iter().zip(&said).filter(|(row, _)| is(row)) {
                    let (Some(answer), Some(logit)) =
                        (row.answer(scorer), scores.map(|it| logit(it.0, scorer)))
                    else {
                        continue;
                    };
                    let says = logit >= at;
                    hits += u32::from(says && answer);
                    called += u32::from(says);
                    are += u32::from(answer);
                    of += 1;
                }
                if are > 0 {
                    let f1 = f64::from(2 * hits) / f64::from((called + are).max(1));
                    writeln!(
                        out,
                        "{scorer:?}, {name} ({of}), at {at}: {hits} of {are} found, {called} called, F1 {f1:.3}"
                    )?;
                }
            }
        }
    }
    for (row, scores) in found.iter().zip(&said).filter(|_| rows) {
        let Some(scores) = scores else { continue };
        write!(out, "row {} {}", row.id, row.label.as_str())?;
        for scorer in SCORERS {
            write!(out, " {:.2}", logit(scores.0, scorer))?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn logit(scores: [i64; SCORERS.len()], scorer: MailScorer) -> f64 {
    scores
        .get(scorer as usize)
        .map_or(0.0, |it| *it as f64 / 65_536.0)
}
