//! What pages look like.
//!
//! What: [`Album`] takes a picture of each card where a recorded day shows it, in light and in dark, and compares it with the one
//! that somebody looked at. Why: a style that breaks a page breaks no other test. Not here: what stands on a page.
//!
//! The pictures are in `tests/browser/pictures`; `AURA_PICTURES=write make browser` takes them anew, to be looked at before they
//! are committed. Fonts are the same everywhere, what counts down is left out, and a picture may differ a little:
//! a block of 8 × 8 pixels by 24 of 255 on the average, and one block of fifty by more.

use crate::{Trouble, page::Page, screen::InBrowser};
use aura_days::day::DayScript;
use serde_json::json;
use std::{
    fs::File,
    io::BufReader,
    path::{Path, PathBuf},
};
use toolcall_schema::Surface;

/// A side of the blocks that are compared, in pixels.
const BLOCK: usize = 8;

/// How much the average of a block may differ, of 255.
const DIFFERENCE: u32 = 24;

/// One block of so many may differ by more.
const ONE_OF: usize = 50;

/// The typeface is Aura's own, but for what is of one width; nothing moves by itself.
const HOLD_STILL: &str = "
    document.documentElement.style.setProperty('--mono', 'DejaVu Sans Mono');
    for (const each of document.querySelectorAll('[data-left-ms]')) each.style.visibility = 'hidden';
    // Whether a browser offers to install the app is its own business.
    for (const each of document.querySelectorAll('.install')) each.style.display = 'none';
    document.activeElement.blur();";

/// The pictures of a day.
pub(crate) struct Album {
    /// Which day.
    day: &'static str,
    taken: usize,
    /// What did not look as it did, a sentence each.
    wrong: Vec<String>,
}

/// A picture as numbers: width, height, three bytes a pixel.
pub(crate) struct Picture {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pixels: Vec<u8>,
}

impl Picture {
    pub(crate) fn read(bytes: impl std::io::BufRead + std::io::Seek) -> Result<Self, Trouble> {
        let mut decoder = png::Decoder::new(bytes);
        decoder.set_transformations(png::Transformations::normalize_to_color8());
        let mut reader = decoder.read_info().map_err(|error| error.to_string())?;
        let mut pixels = vec![0; reader.output_buffer_size().ok_or("a picture without a size")?];
        let info = reader
            .next_frame(&mut pixels)
            .map_err(|error| error.to_string())?;
        let samples = info.color_type.samples();
        pixels.truncate(info.buffer_size());
        let pixels = pixels
            .chunks_exact(samples)
            .flat_map(|pixel| pixel.iter().take(3).copied())
            .collect();
        Ok(Self {
            width: info.width as usize,
            height: info.height as usize,
            pixels,
        })
    }

    /// Red, green and blue of a pixel that is on it.
    pub(crate) fn pixel(&self, x: usize, y: usize) -> [u8; 3] {
        let at = (y * self.width + x) * 3;
        [self.pixels[at], self.pixels[at + 1], self.pixels[at + 2]]
    }

    /// The average of each block, row by row.
    fn blocks(&self) -> Vec<u32> {
        let (across, down) = (self.width.div_ceil(BLOCK), self.height.div_ceil(BLOCK));
        let mut sums = vec![(0, 0); across * down];
        for (n, pixel) in self.pixels.chunks_exact(3).enumerate() {
            let block = (n / self.width / BLOCK) * across + (n % self.width) / BLOCK;
            sums[block].0 += pixel.iter().map(|byte| u32::from(*byte)).sum::<u32>();
            sums[block].1 += 3;
        }
        sums.into_iter().map(|(sum, count)| sum / count).collect()
    }

    /// How many blocks differ, of how many; all of them when the size is another one.
    fn differs(&self, other: &Self) -> (usize, usize) {
        let (mine, theirs) = (self.blocks(), other.blocks());
        if (self.width, self.height) != (other.width, other.height) {
            return (mine.len(), mine.len());
        }
        let pairs = mine.iter().zip(&theirs);
        let different = pairs
            .filter(|(one, other)| one.abs_diff(**other) > DIFFERENCE)
            .count();
        (different, mine.len())
    }
}

impl Album {
    /// Of this day.
    fn of(day: &'static str) -> Self {
        Self {
            day,
            taken: 0,
            wrong: vec![],
        }
    }

    /// Takes and compares what a surface shows.
    pub(crate) async fn take(&mut self, page: &Page, surface: Surface) -> Result<(), Trouble> {
        self.taken += 1;
        for scheme in ["light", "dark"] {
            let media = json!({ "features": [
                { "name": "prefers-color-scheme", "value": scheme },
                { "name": "prefers-reduced-motion", "value": "reduce" },
            ]});
            page.devtools("Emulation.setEmulatedMedia", media).await?;
            page.run(HOLD_STILL).await?;
            page.until_typeface().await?;
            let bytes = page
                .window
                .screenshot()
                .await
                .map_err(|error| error.to_string())?;
            let layout = if surface == Surface::Watch {
                "watch"
            } else {
                "phone"
            };
            let name = format!("{}-{}-{layout}-{scheme}.png", self.day, self.taken);
            self.compare(&name, &bytes)?;
        }
        Ok(())
    }

    fn compare(&mut self, name: &str, bytes: &[u8]) -> Result<(), Trouble> {
        let kept = pictures().join(name);
        if std::env::var_os("AURA_PICTURES").is_some_and(|wish| wish == "write") {
            return std::fs::write(&kept, bytes).map_err(|error| error.to_string());
        }
        let Ok(file) = File::open(&kept) else {
            self.wrong.push(format!("{name}: there is none yet"));
            return Ok(());
        };
        let (different, all) =
            Picture::read(BufReader::new(file))?.differs(&Picture::read(std::io::Cursor::new(bytes))?);
        if different * ONE_OF > all {
            let seen = std::env::temp_dir().join(name);
            std::fs::write(&seen, bytes).map_err(|error| error.to_string())?;
            self.wrong.push(format!(
                "{name}: {different} of {all} blocks look different; what was seen is {}",
                seen.display()
            ));
        }
        Ok(())
    }
}

fn pictures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/browser/pictures")
}

fn looks(day: &'static str, cards: usize) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../fixtures/days")
        .join(day);
    let script = DayScript::read(&path).unwrap();
    let data = tempfile::tempdir().unwrap();
    let mut screen = InBrowser::start().unwrap();
    screen.album = Some(Album::of(day));
    script.played_on(data.path(), &mut screen).unwrap();
    let album = screen.album.unwrap();
    assert!(album.wrong.is_empty(), "\n{}", album.wrong.join("\n"));
    assert_eq!(album.taken, cards, "cards of {day} that were seen");
}

#[test]
fn a_question_looks_as_it_did_on_watch_and_phone() {
    looks("two-surfaces-at-once", 2);
}

#[test]
fn the_morning_brief_looks_as_it_did() {
    looks("morning-brief", 1);
}

#[test]
fn a_picture_with_a_line_more_is_not_the_same_picture() {
    let paper = |line: bool| Picture {
        width: 64,
        height: 64,
        // A line of 8 pixels' height is one row of blocks of eight: more than one of fifty.
        pixels: (0..64 * 64)
            .flat_map(|n| {
                [if line && (24..32).contains(&(n / 64)) {
                    0
                } else {
                    250
                }; 3]
            })
            .collect(),
    };
    assert_eq!(paper(false).differs(&paper(true)), (8, 64));
    assert_eq!(paper(true).differs(&paper(true)), (0, 64));
}
