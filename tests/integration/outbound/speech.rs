//! Speech programs: stand-ins, and the real one where it is installed.
//!
//! What: programs that write down what they are told, hang or fail, and what comes of each. Why: a sentence costs at most its deadline.
//! Not here: when something is said (the machine).

use aura_runtime::outbound::{
    SpeechConfig,
    speech::{SpeechEngine, SpeechError},
};
use rustix::fs::{CWD, FileType, Mode, OFlags, fcntl_setfl, mknodat};
use std::{
    fs,
    io::Read as _,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};
use surfaces_base::language::Language;

fn program(dir: &Path, name: &str, script: &str) -> PathBuf {
    let path = dir.join(name);
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

/// A stand-in that appends what it is told on its input to a file.
pub(crate) fn writes_down(dir: &Path) -> PathBuf {
    let file = dir.join("said");
    program(dir, "espeak-ng", &format!("exec cat >> '{}'", file.display()))
}

/// What it was told.
pub(crate) fn said(dir: &Path) -> String {
    fs::read_to_string(dir.join("said")).unwrap_or_default()
}

fn say(engine: &SpeechEngine, sentence: &str, at_most: Duration) -> Result<(), SpeechError> {
    actix::System::new().block_on(engine.say((Language::English, sentence), at_most))
}

const LONG: Duration = Duration::from_secs(30);

#[test]
fn a_sentence_goes_to_the_programs_input_as_it_is_and_through_no_shell() {
    let dir = tempfile::tempdir().unwrap();
    let engine = SpeechEngine::Espeak {
        program: writes_down(dir.path()),
    };
    let sentence = "On your phone: $(id); `id` -w \"x\" 'y' ü.";
    say(&engine, sentence, LONG).unwrap();
    assert_eq!(said(dir.path()), sentence);
}

#[test]
fn a_sentence_is_said_by_the_voice_of_its_language() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("said");
    let engine = SpeechEngine::Espeak {
        program: program(
            dir.path(),
            "espeak-ng",
            &format!("cat > /dev/null; echo \"$@\" >> '{}'", file.display()),
        ),
    };
    for language in Language::ALL {
        let said = engine.say((language, "Hm."), LONG);
        actix::System::new().block_on(said).unwrap();
    }
    assert_eq!(said(dir.path()), "-v en --stdin\n-v de --stdin\n");
}

#[test]
fn a_program_that_hangs_is_killed_at_its_deadline_with_what_it_started_before_the_next_one_starts() {
    let dir = tempfile::tempdir().unwrap();
    let (pid, held) = (dir.path().join("pid"), dir.path().join("held"));
    mknodat(CWD, &held, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    let script = format!(
        "sleep 600 > '{}' & echo $$ > '{}'; exec sleep 600",
        held.display(),
        pid.display()
    );
    let engine = SpeechEngine::Espeak {
        program: program(dir.path(), "hangs", &script),
    };
    // Not blocking: nobody holds its other end yet.
    let flags = OFlags::RDONLY | OFlags::NONBLOCK;
    let mut held = fs::File::from(rustix::fs::open(&held, flags, Mode::empty()).unwrap());
    let begun = Instant::now();
    assert!(matches!(
        say(&engine, "a", Duration::from_secs(2)),
        Err(SpeechError::Hangs)
    ));
    let took = begun.elapsed();
    assert!(
        (Duration::from_secs(2)..Duration::from_secs(20)).contains(&took),
        "{took:?}"
    );
    let pid = fs::read_to_string(pid).unwrap();
    assert!(
        !Path::new("/proc").join(pid.trim()).exists(),
        "it is gone and waited for"
    );
    // Comes back when what it started has let go.
    fcntl_setfl(&held, OFlags::empty()).unwrap();
    held.read_to_end(&mut Vec::new()).unwrap();
}

#[test]
fn a_program_that_fails_or_is_not_there_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let fails = SpeechEngine::Espeak {
        program: program(dir.path(), "fails", "exit 3"),
    };
    assert!(matches!(say(&fails, "a", LONG), Err(SpeechError::Failed)));
    let absent = SpeechEngine::Espeak {
        program: dir.path().join("absent"),
    };
    assert!(matches!(say(&absent, "a", LONG), Err(SpeechError::Io(_))));
}

#[test]
fn piper_writes_a_file_that_the_player_plays() {
    let dir = tempfile::tempdir().unwrap();
    let voice = dir.path().join("voice.onnx");
    fs::write(&voice, "a voice").unwrap();
    let settings = SpeechConfig {
        enabled: true,
        // `-m VOICE -f FILE`: the stand-in writes the voice's bytes and the sentence.
        program: Some(program(dir.path(), "piper", r#"cat "$2" - > "$4""#)),
        player: Some(program(
            dir.path(),
            "player",
            &format!("exec cp \"$1\" '{}'", dir.path().join("said").display()),
        )),
        voice: Some(voice),
    };
    say(&settings.engine().unwrap(), ": a sentence", LONG).unwrap();
    assert_eq!(said(dir.path()), "a voice: a sentence");
}

#[test]
fn what_is_missing_is_named() {
    let missing = |settings: SpeechConfig| settings.engine().unwrap_err().to_string();
    let named =
        |text: String, what: &str| assert!(text.starts_with(&format!("{what} is not here")), "{text}");
    named(
        missing(SpeechConfig {
            program: Some("no-such-program".into()),
            ..SpeechConfig::default()
        }),
        "no-such-program",
    );
    named(
        missing(SpeechConfig {
            voice: Some("/nowhere/voice.onnx".into()),
            ..SpeechConfig::default()
        }),
        "/nowhere/voice.onnx",
    );
}

#[test]
fn the_real_espeak_ng_makes_sound_of_the_sentence() {
    // `scripts/deps.sh` installs it; where it is not, the stand-ins are all there is.
    let Ok(SpeechEngine::Espeak { program: real }) = SpeechConfig::default().engine() else {
        return;
    };
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("sentence.wav");
    let script = format!("exec '{}' -w '{}' \"$@\"", real.display(), file.display());
    let engine = SpeechEngine::Espeak {
        program: program(dir.path(), "to-a-file", &script),
    };
    say(&engine, "On your phone: When to leave.", LONG).unwrap();
    let sound = fs::read(file).unwrap();
    assert_eq!((&sound[..4], &sound[8..12]), (&b"RIFF"[..], &b"WAVE"[..]));
    // At 22 050 samples of two bytes a second, half a second of sound at the least.
    assert!(sound.len() > 22_050, "{}", sound.len());
}
