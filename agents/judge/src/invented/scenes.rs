//! The scenes: what invented people write in which situation.
//!
//! What: [`known`] and [`unseen`], read from `scenes.txt` and `unseen.txt`. Why: other situations, words and sentences than those the
//! classifier was trained on, written apart from them. Not here: typing them (`typist`), the training's templates (`agents/training`).

use agents::comms::intent::Intent;

/// Where a message is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageMedium {
    /// A chat of friends or family.
    Chat,
    /// A chat at work.
    Work,
    /// A mail of a person or an office.
    Mail,
    /// A mail with a way to unsubscribe.
    List,
    /// A social network, a text message of a stranger or a company.
    Stranger,
}

/// A situation: one of each part, one after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageScene {
    /// What the message is.
    pub class: Intent,
    /// Where it is read.
    pub medium: MessageMedium,
    /// The parts, each with what may stand there.
    pub parts: Vec<Vec<String>>,
}

/// Scenes whose mistakes widened the training's text once.
pub fn known() -> Vec<MessageScene> {
    scenes(include_str!("scenes.txt"))
}

/// Scenes that were written after that; nothing was changed for them.
pub fn unseen() -> Vec<MessageScene> {
    scenes(include_str!("unseen.txt"))
}

fn scenes(text: &str) -> Vec<MessageScene> {
    text.lines()
        .filter(|line| !line.starts_with(';'))
        .filter_map(scene)
        .collect()
}

/// `CLASS Medium [this|that][, this|, that]`.
fn scene(line: &str) -> Option<MessageScene> {
    let (class, rest) = line.split_once(' ')?;
    let (medium, parts) = rest.split_once(' ')?;
    let part = |part: &str| {
        let part = part.trim_end_matches(']').replace("\\n", "\n");
        part.split('|').map(str::to_owned).collect()
    };
    Some(MessageScene {
        class: match class {
            "ACTIONABLE" => Intent::Actionable,
            "SOCIAL" => Intent::Social,
            "BROADCAST" => Intent::Broadcast,
            "SPAM" => Intent::Spam,
            _ => return None,
        },
        medium: match medium {
            "Chat" => MessageMedium::Chat,
            "Work" => MessageMedium::Work,
            "Mail" => MessageMedium::Mail,
            "List" => MessageMedium::List,
            "Stranger" => MessageMedium::Stranger,
            _ => return None,
        },
        parts: parts.split('[').skip(1).map(part).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_a_scene() {
        for text in [include_str!("scenes.txt"), include_str!("unseen.txt")] {
            let lines = text.lines().filter(|line| !line.starts_with(';')).count();
            assert_eq!(scenes(text).len(), lines);
            assert!(scenes(text).iter().all(|scene| !scene.parts.is_empty()));
        }
        let read = scene("SPAM Mail [a\\n|b][, c]").unwrap();
        assert_eq!(
            (read.class, read.medium, read.parts),
            (
                Intent::Spam,
                MessageMedium::Mail,
                vec![vec!["a\n".to_owned(), "b".to_owned()], vec![", c".to_owned()]]
            )
        );
    }
}
