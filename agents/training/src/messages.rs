//! Invented messages.
//!
//! What: [`messages`], from `templates.txt`: a template with its slots filled, what people add to it, and what goes wrong when they
//! type. Why: nobody's messages are in this repository. Not here: the messages by which the model is judged (`agents/judge`).

use crate::SplitMix64;
use agents::comms::{classifier::CLASSES, intent::Intent, message::JudgedMessage};
use std::collections::BTreeMap;

const TEMPLATES: &str = include_str!("templates.txt");

/// A message with its class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrainingExample {
    /// What it is.
    pub class: Intent,
    /// What it says.
    pub text: String,
    /// Whether it came as a mail.
    pub mail: bool,
    /// Whether the owner stands in `To`.
    pub to_owner: bool,
    /// Whether the mail says how to unsubscribe.
    pub bulk: bool,
}

impl TrainingExample {
    /// As an agent sees it. The sender is nobody: who writes decides rules and not the classifier.
    pub fn message(&self) -> JudgedMessage<'_> {
        JudgedMessage {
            text: &self.text,
            sender: "somebody",
            sender_host: self.mail.then_some("mail.example"),
            channel: "chat",
            to_owner: self.to_owner,
            bulk: self.bulk,
        }
    }
}

type TemplateSlots<'a> = BTreeMap<&'a str, Vec<&'a str>>;

/// What can be filled in, and the templates of each class in the order of [`CLASSES`].
fn templates() -> (TemplateSlots<'static>, [Vec<&'static str>; 4]) {
    let (mut slots, mut classes): (TemplateSlots<'_>, _) = (BTreeMap::new(), [const { Vec::new() }; 4]);
    let mut into: Option<&mut Vec<&str>> = None;
    for line in TEMPLATES
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with(';'))
    {
        if let Some(slot) = line.strip_prefix("= ") {
            into = Some(slots.entry(slot).or_default());
        } else if let Some(class) = line.strip_prefix("# ") {
            into = ["ACTIONABLE", "SOCIAL", "BROADCAST", "SPAM"]
                .iter()
                .position(|name| *name == class)
                .and_then(|place| classes.get_mut(place));
        } else if let Some(into) = into.as_deref_mut() {
            into.extend(line.split('|'));
        }
    }
    (slots, classes)
}

/// `count` messages, as many of each class. The same seed gives the same messages.
pub fn messages(count: usize, seed: u64) -> Vec<TrainingExample> {
    let (slots, classes) = templates();
    let mut chance = SplitMix64::new(seed);
    let mut out = Vec::with_capacity(count);
    while out.len() < count {
        for (class, templates) in CLASSES.into_iter().zip(&classes) {
            let social = classes.get(1).map(Vec::as_slice).unwrap_or_default();
            out.push(example(class, templates, social, &slots, &mut chance));
        }
    }
    out.truncate(count);
    out
}

/// How often, in a hundred, each class comes as a mail, with the owner in `To`, in bulk, with a mention, after an opening, before an
/// end, and with a link that means no harm.
fn habits(class: Intent) -> [usize; 7] {
    match class {
        Intent::Actionable => [35, 85, 2, 12, 40, 25, 10],
        Intent::Social => [18, 75, 3, 8, 20, 10, 8],
        Intent::Broadcast => [45, 25, 40, 1, 12, 8, 20],
        Intent::Spam => [45, 60, 35, 1, 12, 5, 25],
    }
}

fn example(
    class: Intent,
    own: &[&str],
    social: &[&str],
    slots: &TemplateSlots<'_>,
    chance: &mut SplitMix64,
) -> TrainingExample {
    let [mail, to_owner, bulk, mention, opens, ends, links] = habits(class);
    let mut text = filled(chance.one(own), slots, chance, 0);
    // Long messages say several things; small talk stands beside a request.
    if chance.in_hundred(35) {
        let with = if class == Intent::Actionable && chance.in_hundred(60) {
            social
        } else {
            own
        };
        let more = filled(chance.one(with), slots, chance, 0);
        text = if chance.in_hundred(50) {
            format!("{text}. {more}")
        } else {
            format!("{more}. {text}")
        };
    }
    if chance.in_hundred(opens) {
        text = format!("{} {text}", filled("{hey},", slots, chance, 0));
    }
    if chance.in_hundred(mention) {
        text = format!("{} {text}", chance.one(&["@you", "@me", "@rohan"]));
    }
    if chance.in_hundred(ends) {
        text = format!("{text} {}", filled("{bye}", slots, chance, 0));
    }
    if chance.in_hundred(links) {
        text = format!("{text} https://docs.example/d/41");
    }
    let mail = chance.in_hundred(mail);
    TrainingExample {
        class,
        text: typed(&text, chance),
        mail,
        to_owner: mail && chance.in_hundred(to_owner),
        bulk: mail && chance.in_hundred(bulk),
    }
}

/// A template with its slots filled, and theirs, five deep.
fn filled(template: &str, slots: &TemplateSlots<'_>, chance: &mut SplitMix64, depth: u32) -> String {
    let mut out = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        let (name, after) = after.split_once('}').unwrap_or((after, ""));
        out.push_str(before);
        if let Some(fillings) = slots.get(name).filter(|_| depth < 5) {
            let filling = chance.one(fillings);
            out.push_str(&filled(filling, slots, chance, depth + 1));
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

/// As a hurried person types it: letter case, marks, a slip, a long vowel, a picture.
fn typed(text: &str, chance: &mut SplitMix64) -> String {
    let mut out = match chance.below(10) {
        0 => text.to_uppercase(),
        1 => text.replace([',', '.', '\''], ""),
        2 => text.replace('?', ""),
        3 => format!("{text}!!"),
        _ => text.to_owned(),
    };
    if chance.in_hundred(12) {
        let letters: Vec<char> = out.chars().collect();
        let slip = chance.below(letters.len());
        let kind = chance.below(3);
        out.clear();
        for (place, letter) in letters.iter().enumerate() {
            match (place == slip, kind) {
                (true, 0) => {}
                (true, 1) => out.extend([*letter; 2]),
                (true, _) => {
                    let times = if "aeiou".contains(*letter) { 4 } else { 1 };
                    out.extend([*letter; 4].iter().take(times));
                }
                (false, _) => out.push(*letter),
            }
        }
    }
    if chance.in_hundred(12) {
        out = format!(
            "{out} {}",
            chance.one(&["😀", "🙏", "😂", "❤️", "🔥", "👍", "🎉", "!!!", "…", ":)"])
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_slot_of_a_template_can_be_filled() {
        let (slots, classes) = templates();
        let texts = classes.iter().flatten().chain(slots.values().flatten());
        for text in texts {
            for name in text.split('{').skip(1) {
                let name = name.split_once('}').map(|(name, _)| name);
                assert!(name.is_some_and(|name| slots.contains_key(name)), "{text}");
            }
        }
        assert!(classes.iter().all(|templates| templates.len() > 100));
    }

    #[test]
    fn one_seed_gives_the_same_messages_and_another_gives_others() {
        assert_eq!(messages(40, 1), messages(40, 1));
        assert_ne!(messages(40, 1), messages(40, 2));
        assert!(messages(400, 1).iter().all(|m| !m.text.contains(['{', '}', '|'])));
    }
}
