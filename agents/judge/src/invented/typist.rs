//! Typing the scenes, with the mistakes of a tired thumb.
//!
//! What: [`typed`]. Why: nobody types cleanly; these are other mistakes than the training's. Not here: what is said (`scenes`).

use super::scenes::{MessageMedium, MessageScene};
use crate::random::MmixRandom;
use agents::comms::{intent::Intent, message::JudgedMessage};

/// A message whose class is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelledMessage {
    /// What it is.
    pub class: Intent,
    /// Where it is read.
    pub medium: MessageMedium,
    /// What it says.
    pub text: String,
}

impl LabelledMessage {
    /// As the agent sees it; the owner is called Rohan.
    pub fn message(&self) -> JudgedMessage<'_> {
        let (sender, host, channel) = match self.medium {
            MessageMedium::Chat => ("Ila", None, "family"),
            MessageMedium::Work => ("Tomas", None, "backend"),
            MessageMedium::Mail => ("Nadia K", Some("post.example"), "mail:home"),
            MessageMedium::List => ("The editors", Some("letters.example"), "mail:home"),
            MessageMedium::Stranger => ("XY-NOTIFY", None, "messages"),
        };
        JudgedMessage {
            text: &self.text,
            sender,
            sender_host: host,
            channel,
            to_owner: self.medium == MessageMedium::Mail && self.class != Intent::Broadcast,
            bulk: self.medium == MessageMedium::List,
        }
    }
}

/// `each` messages of every scene, always the same.
pub fn typed(scenes: &[MessageScene], each: usize) -> Vec<LabelledMessage> {
    let mut dice = MmixRandom::new(2_026);
    let mut out = Vec::new();
    for scene in scenes {
        for _ in 0..each {
            let mut text = String::new();
            for part in &scene.parts {
                text.push_str(part.get(dice.roll(part.len())).map_or("", String::as_str));
            }
            out.push(LabelledMessage {
                class: scene.class,
                medium: scene.medium,
                text: with_slips(&text, &mut dice),
            });
        }
    }
    out
}

/// One in three is typed badly: a neighbouring key, vowels left out, words run together, no capitals, dots, a face.
fn with_slips(text: &str, dice: &mut MmixRandom) -> String {
    match dice.roll(18) {
        0 => neighbour(text, dice),
        1 => text
            .split(' ')
            .map(|word| {
                if word.len() > 6 {
                    without_vowels(word)
                } else {
                    word.to_owned()
                }
            })
            .collect::<Vec<_>>()
            .join(" "),
        2 => text.replacen(", ", ",", 3),
        3 => text.to_lowercase(),
        4 => text.replace(' ', "  "),
        5 => format!("{text}...."),
        6 => format!("🫠 {text}"),
        _ => text.to_owned(),
    }
}

fn without_vowels(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next();
    first
        .into_iter()
        .chain(letters.filter(|c| !"aeiou".contains(*c)))
        .collect()
}

/// One letter replaced by the key to its right.
fn neighbour(text: &str, dice: &mut MmixRandom) -> String {
    const ROWS: &str = "qwertyuiop asdfghjkl zxcvbnm ";
    let place = dice.roll(text.chars().count());
    text.chars()
        .enumerate()
        .map(|(at, letter)| {
            let right = || {
                ROWS.chars()
                    .skip_while(|c| *c != letter)
                    .nth(1)
                    .filter(|c| *c != ' ')
            };
            if at == place {
                right().unwrap_or(letter)
            } else {
                letter
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::invented::scenes::known;

    #[test]
    fn typing_gives_the_same_messages_each_time_and_slips_in_some() {
        let (once, again) = (typed(&known(), 6), typed(&known(), 6));
        assert_eq!(once, again);
        assert_eq!(once.len(), 6 * known().len());
        assert!(once.iter().any(|typed| typed.text.starts_with('🫠')));
        assert!(once.iter().any(|typed| typed.text.contains("  ")));
    }
}
