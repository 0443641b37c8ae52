//! Every recorded day from its signals to its outcomes, on a phone and a watch in a real browser.
//!
//! What: the folders of `fixtures/days`, played by the real actors whose pages are open in Chromium: cards are seen there and
//! answered by tapping. Why: what was worked out by hand for each day must also come out when a browser is in between. Not
//! here: the days themselves (`tests/days.rs`), what else can happen to a page (`journeys`).

use super::screen::InBrowser;
use aura_days::day::{DayScript, differences};
use std::path::{Path, PathBuf};

fn days() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/days");
    let mut days: Vec<PathBuf> = std::fs::read_dir(root)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .collect();
    days.sort();
    days
}

/// Plays one of every `of` days.
fn play(which: usize, of: usize) {
    let mut wrong = Vec::new();
    let mut screen = InBrowser::start().unwrap();
    for path in days().iter().skip(which).step_by(of) {
        let name = path.file_name().unwrap().display();
        let script = DayScript::read(path).unwrap();
        let data = tempfile::tempdir().unwrap();
        match script.played_on(data.path(), &mut screen) {
            Ok(played) => {
                let expected = script.day.expected.as_deref().unwrap_or_default();
                for line in differences(expected, &played) {
                    wrong.push(format!("{name}: {line}"));
                }
            }
            Err(error) => wrong.push(format!("{name}: {error}")),
        }
        screen.next_day();
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    assert!(screen.listed > 0, "decisions were compared with the phone's list");
    assert!(screen.taps > 0, "cards were answered by tapping");
}

#[test]
fn every_third_recorded_day_ends_as_worked_out_when_it_is_lived_in_a_browser() {
    play(0, 3);
}

#[test]
fn the_days_after_those_do_too() {
    play(1, 3);
}

#[test]
fn and_so_do_the_rest() {
    play(2, 3);
}
